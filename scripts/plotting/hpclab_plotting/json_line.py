# hpclab: SPDX-License-Identifier: Apache-2.0
"""One JSON value from one line of bytes, with every way in which it can be unusable turned into ValueError."""

import json
import math

MAX_LINE_BYTES = 64 * 1024


def _refuse_constant(name):
    raise ValueError(f"{name} is not a finite number")


def _finite_float(text):
    value = float(text)
    if not math.isfinite(value):
        raise ValueError(f"{text[:40]} is beyond the range of a double")
    return value


def _safe_int(text):
    # Integers beyond a double cannot be drawn or compared; schema 1 writes those as strings.
    if len(text) > 320:
        raise ValueError("an integer has more than 320 digits")
    value = int(text)
    as_float = _finite_float(text)
    # Beyond 2^53 nothing here needs exactness, and arithmetic on arrays needs machine numbers.
    return value if abs(value) <= 2**53 else as_float


def _unique_keys(pairs):
    result = {}
    for key, value in pairs:
        if key in result:
            raise ValueError(f"the key {key[:60]!r} occurs twice in one object")
        result[key] = value
    return result


def parse_json_line(line):
    """The JSON value in `line` (bytes, no newline). Raises ValueError with the reason."""
    if len(line) > MAX_LINE_BYTES:
        raise ValueError(
            f"the line has {len(line)} bytes, more than the {MAX_LINE_BYTES} of schema 1"
        )
    try:
        text = line.decode("utf-8")
    except UnicodeDecodeError as error:
        raise ValueError(f"not UTF-8 at byte {error.start}") from None
    try:
        value = json.loads(
            text,
            parse_constant=_refuse_constant,
            parse_float=_finite_float,
            parse_int=_safe_int,
            object_pairs_hook=_unique_keys,
        )
    except json.JSONDecodeError as error:
        raise ValueError(f"not JSON: {error.msg} at column {error.colno}") from None
    except RecursionError:
        raise ValueError("nested too deeply") from None
    if "\\u" in text:
        # Escapes can spell half a surrogate pair, which no UTF-8 output can hold.
        try:
            json.dumps(value, ensure_ascii=False).encode("utf-8")
        except UnicodeEncodeError:
            raise ValueError("a string holds half of a surrogate pair") from None
    return value
