# hpclab: SPDX-License-Identifier: Apache-2.0
"""Latency-concurrency curves from records: how many misses in flight fill a memory level."""

from dataclasses import dataclass

from . import style
from .axis import drawable
from .ceilings import STUDY, level_rank, level_text
from .schema import is_number
from .units import format_quantity

LINE_BYTES = 64
_MOST_CURVES = 4


@dataclass
class Curve:
    """One level: measured (lines in flight, threads, byte/s, low, high) and what Little's law says of them."""

    label: str
    latency_s: float
    points: list
    line_bytes: float = LINE_BYTES
    level: str = ""
    fit: dict = (
        None  # latency_s, max_bytes_per_s and sharpness of the study's own fit, where it recorded one
    )

    def fitted(self, lines):
        """((64 N / latency)^-q + max^-q)^(-1/q), scaled by the maximum so that no power overflows."""
        top, sharpness = self.fit["max_bytes_per_s"], self.fit["sharpness"]
        relative = self.line_bytes * lines / self.fit["latency_s"] / top
        return (
            top * relative / (1 + relative**sharpness) ** (1 / sharpness)
            if relative < 1
            else top / (1 + relative**-sharpness) ** (1 / sharpness)
        )

    @property
    def saturation(self):
        if self.fit:
            return self.fit["max_bytes_per_s"]
        return max(point[2] for point in self.points)

    def sentence(self):
        """What the curve says in words."""
        threads = min(point[1] for point in self.points)
        alone = max(point[2] for point in self.points if point[1] == threads)
        text = (
            f"{self.label}: {self.lines_to_saturate:.3g} lines in flight carry its {'fitted maximum' if self.fit else 'best bandwidth'} of "
            f"{format_quantity(self.saturation, 'B/s')} at {format_quantity(self.latency_s, 's')} latency"
        )
        if threads == 1 and max(point[1] for point in self.points) > 1:
            text += f"; one thread keeps {alone * self.latency_s / self.line_bytes:.3g} in flight"
        return text + "."

    @property
    def lines_to_saturate(self):
        """N* = bandwidth x latency / line size."""
        return self.saturation * self.latency_s / self.line_bytes


_FIT_NAMES = ("latency_s", "max_bytes_per_s", "sharpness")


def _fit_of(case):
    """The fit from values fit_* or from a one-row table `fit`; None where the case has none or it cannot be drawn."""
    found = {name: case.values.get(f"fit_{name}") for name in _FIT_NAMES}
    table = case.tables.get("fit")
    if table and len(table["rows"]) == 1:
        found.update(
            {
                name: value
                for name, value in zip(table["columns"], table["rows"][0])
                if name in _FIT_NAMES
            }
        )
    good = all(is_number(value) and value > 0 and drawable(value) for value in found.values())
    return found if good and 0.5 <= found["sharpness"] <= 64 else None


def _points_of(case):
    """(lines in flight, threads, byte/s, low, high, latency, line size) of a case: one of a chase with so many
    chains, or all of the table of a `concurrency` case; nothing where a number cannot be drawn."""
    threads = case.parameters.get("threads", 1)
    line = case.parameters.get("line_bytes", LINE_BYTES)
    line = line if is_number(line) and line > 0 else LINE_BYTES
    points = []
    if case.parameters.get("quantity") == "latency":
        bandwidth, latency = case.values.get("bandwidth_bytes_per_s"), case.values.get("latency_s")
        chains = case.parameters.get("chains", 1)
        if is_number(chains) and is_number(threads):
            low, high = case.interval95.get("bandwidth_bytes_per_s", (bandwidth, bandwidth))
            points.append((float(chains) * threads, threads, bandwidth, low, high, latency, line))
    table = case.tables.get("concurrency")
    if case.parameters.get("quantity") == "concurrency" and table:
        places = [
            table["columns"].index(name) if name in table["columns"] else None
            for name in ("lines_in_flight", "bandwidth", "latency")
        ]
        for row in table["rows"] if None not in places else ():
            lines, bandwidth, latency = (row[place] for place in places)
            points.append((lines, threads, bandwidth, bandwidth, bandwidth, latency, line))
    return [point for point in points if all(is_number(n) and n > 0 and drawable(n) for n in point)]


def curves(cases):
    """The latency-concurrency curves in `cases`, nearest level first."""
    groups, fits = {}, {}
    for case in cases:
        if case.study != STUDY or not case.ok or case.emulated:
            continue
        points = _points_of(case)
        if not points:
            continue
        level = level_text(case.parameters.get("level", "memory"))
        if case.parameters.get("quantity") == "concurrency":  # its fit holds for its number of threads
            level += f", {points[0][1]} thread{'s' if points[0][1] > 1 else ''}"
        key = (case.run.label, level, case.method)
        fits[key] = _fit_of(case) or fits.get(key)
        groups.setdefault(key, []).extend(points)
    result = []
    for (run, level, method), rows in groups.items():
        rows.sort()
        words = [run, level] + ([style.METHOD_NAMES[method]] if method != "measure" else [])
        if len({row[0] for row in rows}) > 1:
            fit = fits[run, level, method]
            latency = fit["latency_s"] if fit else rows[0][5]
            result.append(
                Curve(
                    " ".join(word for word in words if word),
                    latency,
                    [row[:5] for row in rows],
                    rows[0][6],
                    level,
                    fit,
                )
            )
    return sorted(result, key=lambda curve: level_rank(curve.level))


def readable(the_curves):
    """As many curves as one picture can carry: all of few, else those of the farthest level, one a run."""
    if len(the_curves) <= _MOST_CURVES:
        return the_curves
    return [curve for curve in the_curves if curve.level == the_curves[-1].level][
        : 2 * _MOST_CURVES
    ]
