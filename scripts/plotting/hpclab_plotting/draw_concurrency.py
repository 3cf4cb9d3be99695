# hpclab: SPDX-License-Identifier: Apache-2.0
"""Bandwidth over lines in flight with Little's law and saturation: how many misses fill a memory level."""

from dataclasses import dataclass

from matplotlib.lines import Line2D

from . import names, style
from .axis import drawable, set_up
from .ceilings import STUDY, level_rank, level_text
from .labels import LabelPlacer, Place, around
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
    fit: dict = None  # latency_s, max_bytes_per_s and sharpness of the study's own fit, where it recorded one

    def fitted(self, lines):
        """((64 N / latency)^-q + max^-q)^(-1/q), scaled by the maximum so that no power overflows."""
        top, sharpness = self.fit["max_bytes_per_s"], self.fit["sharpness"]
        relative = self.line_bytes * lines / self.fit["latency_s"] / top
        return top * relative / (1 + relative**sharpness) ** (1 / sharpness) if relative < 1 else \
            top / (1 + relative**-sharpness) ** (1 / sharpness)

    @property
    def saturation(self):
        if self.fit:
            return self.fit["max_bytes_per_s"]
        return max(point[2] for point in self.points)

    def sentence(self):
        """What the curve says in words."""
        threads = min(point[1] for point in self.points)
        alone = max(point[2] for point in self.points if point[1] == threads)
        text = (f"{self.label}: {self.lines_to_saturate:.3g} lines in flight carry its {'fitted maximum' if self.fit else 'best bandwidth'} of "
                f"{format_quantity(self.saturation, 'B/s')} at {format_quantity(self.latency_s, 's')} latency")
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
        found.update({name: value for name, value in zip(table["columns"], table["rows"][0]) if name in _FIT_NAMES})
    good = all(is_number(value) and value > 0 and drawable(value) for value in found.values())
    return found if good and 0.5 <= found["sharpness"] <= 64 else None


def curves(cases):
    """The latency-concurrency curves in `cases`, nearest level first."""
    groups, fits = {}, {}
    for case in cases:
        if case.study != STUDY or not case.ok or case.emulated or case.parameters.get("quantity") != "latency":
            continue
        chains, threads = case.parameters.get("chains", 1), case.parameters.get("threads", 1)
        bandwidth, latency = case.values.get("bandwidth_bytes_per_s"), case.values.get("latency_s")
        numbers = (chains, threads, bandwidth, latency)
        if not all(is_number(number) and number > 0 and drawable(number) for number in numbers):
            continue
        low, high = case.interval95.get("bandwidth_bytes_per_s", (bandwidth, bandwidth))
        level = level_text(case.parameters.get("level", "memory"))
        key = (case.run.label, level, case.method)
        fits[key] = _fit_of(case) or fits.get(key)
        line = case.parameters.get("line_bytes", LINE_BYTES)
        groups.setdefault(key, []).append((chains * threads, threads, bandwidth, low, high, latency,
                                           line if is_number(line) and line > 0 else LINE_BYTES))
    result = []
    for (run, level, method), rows in groups.items():
        rows.sort()
        words = [run, level] + ([style.METHOD_NAMES[method]] if method != "measure" else [])
        if len({row[0] for row in rows}) > 1:
            fit = fits[run, level, method]
            latency = fit["latency_s"] if fit else rows[0][5]
            result.append(Curve(" ".join(word for word in words if word), latency, [row[:5] for row in rows], rows[0][6], level, fit))
    return sorted(result, key=lambda curve: level_rank(curve.level))


def readable(the_curves):
    """As many curves as one picture can carry: all of few, else those of the farthest level, one a run."""
    if len(the_curves) <= _MOST_CURVES:
        return the_curves
    return [curve for curve in the_curves if curve.level == the_curves[-1].level][:2 * _MOST_CURVES]


def _draw_curve(axes, curve, index, many_threads):
    colour = style.colour(index)
    thread_counts = sorted({point[1] for point in curve.points})
    for threads in thread_counts:
        mine = [point for point in curve.points if point[1] == threads]
        filled = threads == thread_counts[0] or not many_threads
        axes.errorbar([p[0] for p in mine], [p[2] for p in mine],
                      yerr=[[max(p[2] - p[3], 0) for p in mine], [max(p[4] - p[2], 0) for p in mine]],
                      fmt=style.marker(index), color=colour, markersize=6, capsize=2.5, elinewidth=1.1, zorder=4,
                      markerfacecolor=colour if filled else style.PAPER, markeredgecolor=style.PAPER if filled else colour,
                      markeredgewidth=0.6 if filled else 1.4, linestyle="none")
        if not curve.fit:
            axes.plot([p[0] for p in mine], [p[2] for p in mine], color=colour, linewidth=0.9, alpha=0.55, zorder=3)


def draw_concurrency(the_curves, size, title=None):
    """`the_curves` from curves(); at least one."""
    figure, axes = style.new_figure(size, "How many lines in flight fill each level" if title is None else title)
    xs = [point[0] for curve in the_curves for point in curve.points]
    ys = [point[2] for curve in the_curves for point in curve.points] + [curve.saturation for curve in the_curves]
    x0, x1 = min(xs) / 1.25, max(xs + [min(curve.lines_to_saturate * 1.3, max(xs) * 4) for curve in the_curves]) * 1.25
    y0, y1 = min(ys) / 1.6, max(ys) * 1.9
    set_up(axes, "x", "lines", sorted(set(xs)), True, label="cache lines in flight (chains × threads)", unit="")
    set_up(axes, "y", "bandwidth_bytes_per_s", [y0, y1], True)
    many_threads = len({point[1] for curve in the_curves for point in curve.points}) > 1
    items = []
    for index, curve in enumerate(the_curves):
        colour = style.colour(index)
        slope = curve.line_bytes / curve.latency_s
        stop = min(x1, y1 / slope)
        axes.plot([x0, stop], [slope * x0, slope * stop], color=colour, linewidth=1.2, linestyle=(0, (5, 3)), zorder=2)
        axes.plot([x0, x1], [curve.saturation] * 2, color=colour, linewidth=1.0, linestyle=(0, (1, 2)), zorder=2)
        _draw_curve(axes, curve, index, many_threads)
        if curve.fit:
            along = [x0 * (x1 / x0) ** (step / 80) for step in range(81)]
            axes.plot(along, [curve.fitted(lines) for lines in along], color=colour, linewidth=1.5, zorder=3)
        items.append((Line2D([], [], color=colour, marker=style.marker(index), linewidth=0.9, markersize=6,
                             markeredgecolor=style.PAPER), style.clean(f"{curve.label}, {format_quantity(curve.latency_s, 's')}", 44)))
    if many_threads:
        items.append((Line2D([], [], color=style.INK, marker="o", linestyle="none", markerfacecolor=style.PAPER, markersize=6),
                      "open: more threads"))
    items.append((Line2D([], [], color=style.DIM, linestyle=(0, (5, 3))), "Little's law: line size × N / latency"))
    items.append((Line2D([], [], color=style.DIM, linestyle=(0, (1, 2))),
                  "fitted maximum" if all(curve.fit for curve in the_curves) else "best bandwidth"))
    axes.set_xlim(x0, x1)
    axes.set_ylim(y0, y1)
    style.fit_margins(figure, axes, items)
    placer = LabelPlacer(figure, axes)
    for x, y in zip(xs, ys):  # the saturation levels at the end of ys have no point
        placer.block_point(x, y)
    for index, curve in enumerate(the_curves):
        _annotate(axes, placer, curve, index, (x0, x1, y0, y1))
    return figure


def _annotate(axes, placer, curve, index, limits):
    needed, best = curve.lines_to_saturate, curve.saturation
    colour = style.colour(index)
    if limits[0] < needed < limits[1]:
        axes.plot([needed], [best], marker="D", markersize=6, markerfacecolor=style.PAPER, markeredgecolor=colour,
                  markeredgewidth=1.4, linestyle="none", zorder=5)
        placer.block_point(needed, best, 5)
        placer.place(f"N* = {needed:.3g} lines", around(needed, best, 7) + around(needed, best, 15), colour=colour, size=8.5, weight="bold", insist=True)
    text = format_quantity(best, "B/s")
    places = [Place(limits[0] * (limits[1] / limits[0]) ** step, best, 3, 1.5, "left", "bottom") for step in (0, 0.1, 0.2, 0.4, 0.6)]
    places += [Place(limits[1], best, -3, 1.5, "right", "bottom"), Place(limits[0], best, 3, -1.5, "left", "top")]
    placer.place(f"{names.text_of(curve.label)} {text}", places, colour=colour, size=8.0, insist=True)
