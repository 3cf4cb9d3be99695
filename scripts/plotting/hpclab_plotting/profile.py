# hpclab: SPDX-License-Identifier: Apache-2.0
"""Ceilings from a machine profile (JSON), for rooflines of machines that were not measured in the same records."""

import json

from .ceilings import Ceiling, level_text
from .errors import UsageError
from .schema import is_number


def _number(entry):
    """(value, low, high) from a number or from {"value": ..., "interval95": [...]}; None when it is neither."""
    if is_number(entry):
        return entry, entry, entry
    if isinstance(entry, dict) and is_number(entry.get("value")):
        low, high = entry["value"], entry["value"]
        interval = entry.get("interval95")
        if isinstance(interval, list) and len(interval) == 2 and all(map(is_number, interval)):
            low, high = interval
        return entry["value"], low, high
    return None


def read_profile(path):
    """(bandwidths, peaks), fastest first."""
    try:
        with open(path, encoding="utf-8") as stream:
            profile = json.load(stream)
    except OSError as error:
        raise UsageError(f"--machine: cannot read '{path}': {error.strerror or error}") from None
    except (ValueError, RecursionError) as error:
        raise UsageError(f"--machine: {path}: not JSON: {error}") from None
    if not isinstance(profile, dict):
        raise UsageError(f"--machine: {path}: expected an object")
    bandwidths, peaks = [], []
    _walk(profile, bandwidths, peaks)
    if not bandwidths and not peaks:
        raise UsageError(f"--machine: {path}: holds no ceiling (no number whose name ends in bytes_per_s or flop_per_s)")
    return sorted(bandwidths, key=lambda c: -c.value), sorted(peaks, key=lambda c: -c.value)


def _walk(node, bandwidths, peaks):
    pass
