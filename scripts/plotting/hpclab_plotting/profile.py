# hpclab: SPDX-License-Identifier: Apache-2.0
"""Ceilings from a machine profile (JSON, configs/machines), for rooflines of machines that were not measured here."""

import hashlib
import json
import os

from .ceilings import Ceiling, level_text
from .errors import UsageError
from .schema import check_schema_version, is_number

_LEVELS = ("shared", "l1", "l2", "l3", "dram")
# What was seen comes before what the data sheet promises.
_BANDWIDTHS = (
    "read_bytes_per_s",
    "triad_bytes_per_s",
    "copy_bytes_per_s",
    "theoretical_bytes_per_s",
)
_PEAK_END = "_flops_per_s"


def _folders():
    """Where profiles lie: the user's own come first, as for the program itself."""
    data = os.environ.get("XDG_DATA_HOME") or os.path.join(
        os.path.expanduser("~"), ".local", "share"
    )
    yield os.path.join(data, "hpclab")
    share = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
    for folder in (share, os.path.dirname(share)):  # installed or linked; in the sources
        yield os.path.join(folder, "configs", "machines")


def _file_of(name):
    """The file of a profile's name; a path stays as it is."""
    if os.sep in name or name.endswith(".json"):
        return name
    for folder in _folders():
        path = os.path.join(folder, name + ".json")
        if os.path.exists(path):
            return path
    return name


def recorded_profile(cases):
    """(bandwidths, peaks) of the one profile that all `cases` were placed on, or None when it is not here any more."""
    references = {
        (reference["name"], reference["sha256"])
        for case in cases
        for reference in [(case.record.get("parameters") or {}).get("machine")]
        if isinstance(reference, dict)
        and isinstance(reference.get("name"), str)
        and isinstance(reference.get("sha256"), str)
    }
    if len(references) != 1 or os.sep in next(iter(references))[0]:
        return None
    name, digest = references.pop()
    try:
        with open(_file_of(name), "rb") as stream:
            if hashlib.sha256(stream.read()).hexdigest() != digest:
                return None
        return read_profile(name)
    except (OSError, UsageError):
        return None


def read_profile(path):
    """(bandwidths, peaks) of a file or a shipped name, fastest first. Raises UsageError."""
    path = _file_of(str(path))
    try:
        with open(path, encoding="utf-8") as stream:
            profile = json.load(stream)
    except OSError as error:
        raise UsageError(f"--machine: cannot read '{path}': {error.strerror or error}") from None
    except (ValueError, RecursionError) as error:
        raise UsageError(f"--machine: {path}: not JSON: {error}") from None
    try:
        bandwidths, peaks = _ceilings(profile)
    except ValueError as error:
        raise UsageError(f"--machine: {path}: {error}") from None
    if not bandwidths and not peaks:
        raise UsageError(
            f"--machine: {path}: states no bandwidth and no peak that a roofline could show"
        )
    return sorted(bandwidths, key=lambda c: -c.value), sorted(peaks, key=lambda c: -c.value)


def _ceilings(profile):
    if not isinstance(profile, dict):
        raise ValueError("expected an object")
    check_schema_version(profile.get("schema"))
    figures = profile.get("figures")
    if not isinstance(figures, dict) or not all(
        isinstance(group, dict) for group in figures.values()
    ):
        raise ValueError("/figures: expected an object of objects")
    bandwidths = []
    for level in _LEVELS:
        group = figures.get(level, {})
        name = next((name for name in _BANDWIDTHS if name in group), None)
        if name is not None:
            bandwidths.append(
                _ceiling(
                    f"/figures/{level}/{name}",
                    f"{level_text(level)} {name.split('_')[0]}",
                    group[name],
                )
            )
    peaks = []
    for name, figure in figures.get("peak", {}).items():
        if name.endswith(_PEAK_END) and not name.startswith("core_"):
            precision, unit = (
                name[: -len(_PEAK_END)].split("_", 1)
                if name.count("_") > 3
                else (name[: -len(_PEAK_END)], "")
            )
            ceiling = _ceiling(
                f"/figures/peak/{name}", f"{unit.replace('_', ' ')} {precision}".strip(), figure
            )
            ceiling.precision = precision if unit != "tensor" else ""
            peaks.append(ceiling)
    return bandwidths, peaks


def _ceiling(where, label, figure):
    value = figure.get("value") if isinstance(figure, dict) else None
    if not is_number(value) or not 0 < value < 1e40:
        raise ValueError(f"{where}/value: expected a positive number")
    interval = figure.get("interval95")
    good = isinstance(interval, list) and len(interval) == 2 and all(map(is_number, interval))
    low, high = interval if good else (value, value)
    return Ceiling(label, value, low, high, measured=figure.get("status") == "measured")
