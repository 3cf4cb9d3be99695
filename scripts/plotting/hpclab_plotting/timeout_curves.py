# hpclab: SPDX-License-Identifier: Apache-2.0
"""Cost over timeout from records of heartbeat/timeout: one curve a case, with its minima and shipped defaults."""

from dataclasses import dataclass, field

from .axis import drawable
from .schema import is_number
from .units import format_quantity

STUDY = "heartbeat/timeout"
MOST_CURVES = 4


@dataclass
class TimeoutCurve:
    """`points`: (timeout, cost) ascending; `minima` likewise; `presets`: (timeout, name)."""

    label: str
    points: list
    floor: float
    minima: list = field(default_factory=list)
    presets: list = field(default_factory=list)

    @property
    def best(self):
        return min(self.minima, key=lambda point: point[1])

    def sentence(self):
        timeout, cost = self.best
        text = f"{self.label}: best {format_quantity(timeout, 's')}"
        if len(self.minima) > 1:
            text += f", one of {len(self.minima)} local minima"
        return text + "."


def _columns(table, names):
    if not table or not set(names) <= set(table["columns"]):
        return []
    places = [table["columns"].index(name) for name in names]
    return [[row[place] for place in places] for row in table["rows"]]


def _numbers(rows):
    return sorted(
        tuple(row) for row in rows if all(is_number(n) and n > 0 and drawable(n) for n in row)
    )


def curves(cases):
    """Every curve in ok cases of the study, in the order of the records."""
    found = []
    for case in cases:
        if case.study != STUDY or not case.ok:
            continue
        points = _numbers(_columns(case.tables.get("curve"), ("timeout_s", "total")))
        minima = _numbers(_columns(case.tables.get("minima"), ("timeout_s", "cost_ratio")))
        if len(points) < 2 or not minima:
            continue
        parts = [case.values.get(name) for name in ("floor_ratio", "rebuild_ratio")]
        floor = sum(part for part in parts if is_number(part))
        presets = sorted(
            (row[1], str(row[0]))
            for row in _columns(case.tables.get("presets"), ("preset", "timeout_s"))
            if is_number(row[1]) and row[1] > 0 and drawable(row[1]) and row[0] != "optimum"
        )
        label = str(case.parameters.get("pause", "pauses"))
        if label == "file" and isinstance(case.parameters.get("pauses"), dict):
            label = str(case.parameters["pauses"].get("name", label))
        found.append(TimeoutCurve(label, points, floor, minima, presets))
    labels = [curve.label for curve in found]
    for index, curve in enumerate(found):
        if labels.count(curve.label) > 1:
            curve.label += f" {index + 1}"
    return found
