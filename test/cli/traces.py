# hpclab: SPDX-License-Identifier: Apache-2.0
"""What a file of Chrome trace events must be to open in Perfetto, and to be about its run."""

import re

# From lib/core/trace.hpp.
CATEGORIES = {"setup", "warmup", "measure", "simulate", "model", "io", "communication"}
# Perfetto takes microseconds; ours come from whole nanoseconds.
ROUNDING_US = 2e-3


def check(test, document, case_ids):
    """Asserts the schema of the trace and that it names no other cases; returns its ranges."""
    test.assertEqual(document["displayTimeUnit"], "ns")
    events = document["traceEvents"]
    for event in events:
        test.assertIn(event["ph"], ("X", "M"), event)
        test.assertIsInstance(event["name"], str)
        for number in ("pid", "tid"):
            test.assertIsInstance(event[number], int, event)
        for number in ("ts", "dur") if event["ph"] == "X" else ("ts",):
            test.assertIsInstance(event[number], (int, float), event)
            test.assertGreaterEqual(event[number], 0, event)
    names = [e["args"]["name"] for e in events if e["ph"] == "M" and e["name"] == "process_name"]
    test.assertEqual(names, ["hpclab"])
    test.assertEqual(len({e["pid"] for e in events}), 1)
    ranges = [e for e in events if e["ph"] == "X"]
    for event in ranges:
        test.assertIn(event["cat"], CATEGORIES, event)
        test.assertRegex(event["name"], re.compile(r"^[a-z0-9_-]+/[a-z0-9_ /-]+$"))
        test.assertIn(event.get("args", {}).get("case", case_ids[0]), case_ids, event)
    for thread in {e["tid"] for e in ranges}:
        check_track(test, [e for e in ranges if e["tid"] == thread])
    return ranges


def check_track(test, ranges):
    """In order of their begin, and two ranges are apart or one holds the other."""
    open_until = []
    last = 0
    for event in ranges:
        test.assertGreaterEqual(event["ts"], last, event)
        last = event["ts"]
        end = event["ts"] + event["dur"]
        while open_until and open_until[-1] <= event["ts"] + ROUNDING_US:
            open_until.pop()
        if open_until:
            test.assertLessEqual(end, open_until[-1] + ROUNDING_US, event)
        open_until.append(end)
