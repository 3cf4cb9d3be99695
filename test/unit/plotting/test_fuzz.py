# hpclab: SPDX-License-Identifier: Apache-2.0
"""Does any damage to a valid file end in anything but a report or one clear line?"""

import copy
import json
import os
import random
import xml.etree.ElementTree as xml
from unittest import mock

import synthetic
from support import RecordTest

from hpclab_plotting import report_study

MUTATIONS = int(os.environ.get("HPCLAB_FUZZ", "2000"))
DRAW_EVERY = 40
_NASTY = [
    None,
    True,
    False,
    0,
    -1,
    1e308,
    -1e308,
    5e-324,
    2**63,
    10**300,
    "",
    "x",
    "<script>",
    "\u0000",
    "$x^{",
    "_hidden",
    [],
    {},
    [[]],
    {"": ""},
    [1, "a"],
    "é" * 40,
    "latency",
    "flops",
    "emulator",
    "model",
    "simulate",
    "failed",
    "l1",
    "1.0",
]


def _leaves(value, path=()):
    """Paths of all members of a JSON value."""
    if isinstance(value, dict):
        for key, inner in value.items():
            yield path + (key,)
            yield from _leaves(inner, path + (key,))
    elif isinstance(value, list):
        for index, inner in enumerate(value):
            yield path + (index,)
            yield from _leaves(inner, path + (index,))


def _mutate_structure(line, dice):
    record = json.loads(line)
    for _ in range(dice.choice((1, 1, 2, 3))):
        path = dice.choice(list(_leaves(record)) or [None])
        if path is None:
            break
        node = record
        for step in path[:-1]:
            node = node[step]
        action = dice.random()
        if action < 0.2:
            del node[path[-1]]
        elif action < 0.3 and isinstance(node, dict):
            node[dice.choice(["", "x", "level", "chains", "<b>", "time_s", "predicted_time_s"])] = (
                node.pop(path[-1])
            )
        elif (
            action < 0.6
            and isinstance(node[path[-1]], (int, float))
            and not isinstance(node[path[-1]], bool)
        ):
            node[path[-1]] = node[path[-1]] * dice.choice([0, -1, 1e-30, 1e30, 1e-200, 3.5])
        else:
            node[path[-1]] = copy.deepcopy(dice.choice(_NASTY))
    return json.dumps(record, ensure_ascii=dice.random() < 0.5).encode("utf-8", "surrogatepass")


def _mutate_bytes(line, dice):
    data = bytearray(line.encode())
    for _ in range(dice.randint(1, 4)):
        at = dice.randrange(len(data) + 1)
        action = dice.random()
        if action < 0.3 and at < len(data):
            data[at] = dice.randrange(256)
        elif action < 0.6:
            del data[at : at + dice.randint(1, 30)]
        elif action < 0.9:
            data[at:at] = bytes(
                dice.choices(b'{}[]",:0123456789.eE-+\\u \n\x00\xff', k=dice.randint(1, 8))
            )
        else:
            data = data[:at]
        if not data:
            data = bytearray(b"{")
    return bytes(data)


class Fuzz(RecordTest):
    def test_damaged_files_end_in_0_or_2(self):
        dice = random.Random(20261130)
        lines = synthetic.realistic().splitlines()
        operator = [line for line in lines if '"operator"' in line and '"case"' in line]
        ceilings = [line for line in lines if '"ceilings"' in line and '"case"' in line]
        good, drawn = 0, 0
        draw_both = report_study.draw_both
        for index in range(MUTATIONS):
            chosen = (
                [lines[0]]
                + dice.sample(ceilings, 8)
                + ceilings[-1:]
                + dice.sample(operator, 6)
                + [lines[-1]]
            )
            damaged = [line.encode() for line in chosen]
            at = dice.randrange(len(chosen)) if dice.random() < 0.9 else 0
            damaged[at] = (_mutate_structure if dice.random() < 0.75 else _mutate_bytes)(
                chosen[at], dice
            )
            path = self.write(damaged, end=dice.choice(["\n", "\n", ""]))
            # Drawing is the slow part: every page is built, and some of them with their pictures.
            draw = good % DRAW_EVERY == 0
            with mock.patch.object(
                report_study, "draw_both", draw_both if draw else lambda *_: ["<svg></svg>"]
            ):
                try:
                    code, errors = self.run_command("report", path, "-o", self.path("r.html"))
                except Exception as error:
                    raise AssertionError(
                        f"mutation {index} of line {at + 1}: {damaged[at]!r}"
                    ) from error
            self.assertIn(code, (0, 2), damaged[at])
            self.assertNotIn("Traceback", errors)
            good += code == 0
            drawn += draw and code == 0
        # The mutations must not all die in the parser, or the rest would be untested.
        self.assertGreater(good, MUTATIONS // 10)
        self.assertGreater(drawn, 0)

    def test_extreme_numbers_and_names_still_draw(self):
        dice = random.Random(7)
        lines = synthetic.realistic().splitlines()
        cases = [line for line in lines if '"case"' in line]
        pools = {
            "concurrency": [line for line in cases if '"latency"' in line],
            "sweep": [line for line in cases if '"tables"' in line],
            "roofline": [line for line in cases if '"bandwidth"' in line or '"isa"' in line],
        }
        numbers = [0, -1, 1e300, 1e-300, 1e39, 1e-39, 5, 2**60, 10**300]
        words = ["$x", "_a", "", None, True, [1], {"name": "q"}, "é" * 300]
        for index in range(30):
            kind = dice.choice(list(pools))
            chosen = dice.sample(pools[kind], min(10, len(pools[kind])))
            records = [json.loads(line) for line in chosen]
            for _ in range(4):
                record = dice.choice(records)
                part = dice.choice(["values", "parameters"])
                name = dice.choice(list(record[part]))
                record[part][name] = dice.choice(numbers + (words if part == "parameters" else []))
                record["interval95"].pop(name, None)
                for row in record.get("tables", {}).get("sweep", {}).get("rows", [])[:3]:
                    row[dice.randrange(2)] = dice.choice(numbers + [None, "x"])
            path = self.write([lines[0]] + records)
            code, errors = self.run_command(
                "plot", path, "--kind", kind, "-o", self.path("p.svg"), "--size", "narrow"
            )
            self.assertIn(code, (0, 2), errors)
            if code == 0:
                xml.parse(self.path("p.svg"))
