# hpclab: SPDX-License-Identifier: Apache-2.0
"""What the reader must know before trusting a figure: notes of cases, wide intervals, times near the harness's own cost."""

from .schema import is_number

_WIDE_INTERVAL = 0.05
_NULL_MULTIPLE = 20


def findings(records):
    """[(sentence, [case])], most common first; the case list may be empty."""
    groups = {}
    for case in records.cases:
        for note in case.notes:
            groups.setdefault(note, []).append(case)
    result = sorted(groups.items(), key=lambda item: -len(item[1]))
    measured = [
        case for case in records.ok_cases() if case.method == "measure" and not case.emulated
    ]
    wide = [case for case in measured if any(_is_wide(case, name) for name in case.values)]
    if wide:
        result.append(
            (
                f"95 % interval wider than ±{_WIDE_INTERVAL:.0%} of the median: repeat on a quieter machine before comparing",
                wide,
            )
        )
    short = [case for case in measured if _is_short(case)]
    if short:
        result.append(
            (
                f"time below {_NULL_MULTIPLE} times the harness's own cost: the harness is part of the figure",
                short,
            )
        )
    emulated = [case for case in records.ok_cases() if case.emulated]
    if emulated:
        result.append(
            (
                "ran on the emulator: shows that the code is right; its times are not performance and are not plotted",
                emulated,
            )
        )
    return result


def _is_wide(case, name):
    interval, value = case.interval95.get(name), case.values[name]
    if (
        interval is None
        or value == 0
        or name.startswith(("predicted_", "simulated_"))
        or "error" in name
    ):
        return False
    return (interval[1] - interval[0]) / 2 > _WIDE_INTERVAL * abs(value)


def _is_short(case):
    null_s, time_s = case.run.record.get("null_s"), case.values.get("time_s")
    return is_number(null_s) and time_s is not None and time_s < _NULL_MULTIPLE * null_s


def remarks(records):
    """Sentences about the files themselves."""
    result = list(records.warnings)
    if records.superseded:
        result.append(
            f"{records.superseded} earlier attempts of retried cases were replaced by later ones."
        )
    for run in records.runs:
        if run.end is not None and run.end.get("interrupted") is True:
            result.append(f"Run {run.name} was interrupted; its remaining cases are missing here.")
        if run.end is None:
            result.append(
                f"Run {run.name} has no end record: it was interrupted or still ran when the file was read."
            )
    return result
