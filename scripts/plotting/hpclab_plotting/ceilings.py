# hpclab: SPDX-License-Identifier: Apache-2.0
"""Ceilings (bandwidth by level, peak arithmetic by instruction set) and operator points, from records."""

from dataclasses import dataclass

from . import names
from .axis import drawable
from .schema import is_number
from .series import varying_parameters

STUDY = "roofline/ceilings"
# Its points were measured, by others; only their counts and shares are computed.
IMPORT_STUDY = "roofline/import"
_FLOP_NAMES = ("flops_per_s",)
_KIND_NAMES = ("kind", "kernel", "operation", "access")
_LEVEL_ORDER = ("registers", "shared", "l1", "l2", "l3", "llc", "hbm", "dram")


@dataclass
class Ceiling:
    """`value` is byte/s or flop/s. `group` tells runs apart; "" where there is one only."""

    name: str
    value: float
    low: float
    high: float
    group: str = ""
    threads: int = 0
    precision: str = ""
    measured: bool = True


@dataclass
class OperatorPoint:
    """One case with known work: flops / DRAM bytes against flops / time."""

    intensity: float
    rate: float
    low: float
    high: float
    series: str
    method: str
    tag: str
    case: object


def kind_of(case):
    for name in _KIND_NAMES:
        if isinstance(case.parameters.get(name), str):
            return case.parameters[name]
    return ""


def level_text(level):
    text = names.text_of(level)
    return text.upper() if len(text) <= 4 else text


def flop_value(case):
    """(name, flop/s) of a peak-arithmetic case, or None."""
    for name in _FLOP_NAMES:
        if name in case.values:
            return name, case.values[name]
    for name, value in case.values.items():
        if name.endswith(("flops_per_s", "flops_per_s")) and not name.startswith(
            ("predicted_", "simulated_")
        ):
            return name, value
    return None


def _usable(case, value):
    return case.ok and not case.emulated and is_number(value) and value > 0 and drawable(value)


def _threads(case):
    threads = case.parameters.get("threads", 1)
    return threads if is_number(threads) else 1


def _preferred(cases):
    """Measured cases where there are any; otherwise simulated or modelled ones."""
    measured = [case for case in cases if case.method == "measure"]
    return measured or cases


def bandwidth_ceilings(cases):
    """The best bandwidth of each level and run at the largest thread count, fastest first."""
    best = {}
    usable = [
        c
        for c in cases
        if c.study == STUDY
        and c.parameters.get("quantity") not in ("latency", "concurrency")
        and "level" in c.parameters
        and _usable(c, c.values.get("bandwidth_bytes_per_s"))
    ]
    for case in _preferred(usable):
        value = case.values["bandwidth_bytes_per_s"]
        low, high = case.interval95.get("bandwidth_bytes_per_s", (value, value))
        key = (case.run.label, level_text(case.parameters["level"]))
        rank = (_threads(case), value)
        if key not in best or rank > best[key][0]:
            kind = kind_of(case)
            name = key[1] + (f" {kind}" if kind else "")
            best[key] = (
                rank,
                Ceiling(
                    name,
                    value,
                    low,
                    high,
                    case.run.label,
                    _threads(case),
                    measured=case.method == "measure",
                ),
            )
    return sorted((ceiling for _, ceiling in best.values()), key=lambda c: -c.value)


def flop_ceilings(cases):
    """The best arithmetic rate of each instruction set and precision at the largest thread count, fastest first."""
    best = {}
    usable = [
        c
        for c in cases
        if c.study == STUDY
        and c.parameters.get("quantity") not in ("latency", "concurrency")
        and flop_value(c)
        and _usable(c, flop_value(c)[1])
    ]
    for case in _preferred(usable):
        name, value = flop_value(case)
        low, high = case.interval95.get(name, (value, value))
        isa = names.text_of(case.parameters.get("isa", ""))
        precision = names.text_of(case.parameters.get("precision", ""))
        key = (case.run.label, isa, precision)
        rank = (_threads(case), value)
        if key not in best or rank > best[key][0]:
            words = " ".join(word for word in (isa, precision) if word) or "peak"
            best[key] = (
                rank,
                Ceiling(
                    words,
                    value,
                    low,
                    high,
                    case.run.label,
                    _threads(case),
                    precision,
                    case.method == "measure",
                ),
            )
    return sorted((ceiling for _, ceiling in best.values()), key=lambda c: -c.value)


def _bytes_of(case):
    """Bytes of main memory; of an imported point that lies in a cache those of its level."""
    if "dram_bytes" in case.work or case.study != IMPORT_STUDY:
        return case.work.get("dram_bytes")
    return case.work.get(f"{case.text.get('level')}_bytes")


def _label_parameter(cases, varying):
    """The word that names each point: it is written beside it and makes no series of its own."""
    for name in varying:
        values = [case.parameters.get(name) for case in cases]
        if all(isinstance(value, str) for value in values) and len(set(values)) == len(values) > 2:
            return name
    return None


def operator_points(cases):
    """Points of every case that declares flops and bytes and has a time."""
    usable = [
        c
        for c in cases
        if c.study != STUDY
        and _usable(c, c.values.get("time_s"))
        and _usable(c, c.work.get("flops"))
        and _usable(c, _bytes_of(c))
    ]
    varying, labels = {}, {}
    for study in {case.study for case in usable}:
        mine = [case for case in usable if case.study == study]
        varying[study] = varying_parameters(mine)
        labels[study] = _label_parameter(mine, varying[study])
    points = []
    for case in usable:
        time_s, flops = case.values["time_s"], case.work["flops"]
        low, high = case.interval95.get("time_s", (time_s, time_s))
        label = labels[case.study]
        words = [
            name
            for name in varying[case.study]
            if isinstance(case.parameters.get(name), str) and name != label
        ]
        numbers = [name for name in varying[case.study] if is_number(case.parameters.get(name))]
        series = " ".join(
            [case.run.label, case.study] + [case.parameters[name] for name in words]
        ).strip()
        # One changing number is worth writing beside the point; several would hide the picture.
        tag = ""
        if label:
            tag = case.parameters[label]
        elif len(numbers) == 1:
            tag = f"{numbers[0]} {names.text_of(case.parameters[numbers[0]])}"
        point = OperatorPoint(
            flops / _bytes_of(case),
            flops / time_s,
            flops / high if high > 0 else flops / time_s,
            flops / low if low > 0 else flops / time_s,
            series,
            "measure" if case.study == IMPORT_STUDY else case.method,
            tag,
            case,
        )
        if all(map(drawable, (point.intensity, point.rate, point.low, point.high))):
            points.append(point)
    return points


def level_rank(name):
    word = name.split()[0].rstrip(",").lower()
    return _LEVEL_ORDER.index(word) if word in _LEVEL_ORDER else len(_LEVEL_ORDER)
