# hpclab: SPDX-License-Identifier: Apache-2.0
"""The roofline picture (Williams, Waterman and Patterson, 2009): ceilings, ridge points and achieved points."""

from matplotlib.lines import Line2D

from . import roofline_labels, style
from .axis import set_up
from .labels import LabelPlacer

_GROUP_STYLE = ["-", (0, (6, 2)), (0, (2, 2)), (0, (8, 2, 2, 2))]
_NOT_MEASURED = (0, (7, 2.5))


def _limits(bandwidths, peaks, points):
    """Axis ranges that show every ridge with room for labels on both sides."""
    xs = [point.intensity for point in points]
    ys = [point.rate for point in points]
    if bandwidths and peaks:
        ridges = [
            peak.value / bandwidth.value
            for bandwidth in bandwidths
            for peak in (peaks[0], peaks[-1])
        ]
        xs += [min(ridges) / 6, max(ridges) * 8]
    elif bandwidths or peaks:
        xs += [0.05, 50.0]
    x0, x1 = min(xs) / 1.6, max(xs) * 1.6
    ys += [peak.value for peak in peaks]
    if bandwidths:
        ys.append(bandwidths[-1].value * x0 * 1.6)
        if not peaks:
            ys.append(bandwidths[0].value * x1)
    # Nothing below a tenth of the lowest thing that is drawn; at least two decades, so that slopes read as slopes.
    y0, y1 = min(ys) / 1.5, max(ys) * (1.9 if peaks else 1.6)
    return x0, x1, min(y0, y1 / 100), y1


def _line_style(ceiling, groups):
    if len(groups) == 1 and not ceiling.measured:
        return _NOT_MEASURED
    return _GROUP_STYLE[groups.index(ceiling.group) % 4]


def _draw_ceilings(axes, bandwidths, peaks, limits, groups):
    x0, x1 = limits[:2]
    for ceiling in bandwidths:
        top = max((peak.value for peak in peaks if peak.group == ceiling.group), default=None)
        end = min(top / ceiling.value, x1) if top else x1
        if end > x0:
            axes.plot(
                [x0, end],
                [ceiling.value * x0, ceiling.value * end],
                color=style.INK,
                linewidth=1.3,
                linestyle=_line_style(ceiling, groups),
                zorder=2,
            )
    for index, peak in enumerate(peaks):
        fastest = max((c.value for c in bandwidths if c.group == peak.group), default=None)
        start = max(peak.value / fastest, x0) if fastest else x0
        axes.plot(
            [start, x1],
            [peak.value, peak.value],
            color=style.INK,
            linewidth=1.6 if index == 0 else 1.0,
            linestyle=_line_style(peak, groups),
            zorder=2,
        )


def _shade_attainable(axes, bandwidths, peaks, limits):
    # What main memory and the highest peak allow together: the roof proper.
    slowest, top = bandwidths[-1].value, peaks[0].value
    x0, x1, y0, _ = limits
    ridge = top / slowest
    axes.fill_between(
        [x0, ridge, x1], [slowest * x0, top, top], y0, color=style.SHADE, linewidth=0, zorder=0
    )


def _draw_points(axes, points):
    series = list(dict.fromkeys(point.series for point in points))
    items = []
    for index, name in enumerate(series):
        for method in ("model", "simulate", "measure"):
            mine = [point for point in points if point.series == name and point.method == method]
            if not mine:
                continue
            measured = method == "measure"
            axes.errorbar(
                [p.intensity for p in mine],
                [p.rate for p in mine],
                yerr=[
                    [max(p.rate - p.low, 0) for p in mine],
                    [max(p.high - p.rate, 0) for p in mine],
                ],
                fmt=style.marker(index),
                color=style.colour(index),
                markersize=6.5,
                elinewidth=1.1,
                zorder=5,
                markerfacecolor=style.colour(index) if measured else style.PAPER,
                markeredgecolor=style.PAPER if measured else style.colour(index),
                markeredgewidth=0.6 if measured else 1.4,
            )
            handle = Line2D(
                [],
                [],
                marker=style.marker(index),
                color=style.colour(index),
                linestyle="none",
                markersize=6.5,
                markerfacecolor=style.colour(index) if measured else style.PAPER,
            )
            items.append(
                (
                    handle,
                    style.clean(name, 40) + ("" if measured else f", {style.METHOD_NAMES[method]}"),
                )
            )
    if len(items) > 16:
        items = items[:16] + [(Line2D([], [], alpha=0), f"and {len(items) - 16} more")]
    return items


def _best_of_each_precision(peaks):
    """With several machines in one picture each shows its best peaks only; `peaks` come fastest first."""
    best = {}
    for peak in peaks:
        best.setdefault((peak.group, peak.precision), peak)
    return list(best.values())


def draw_roofline(bandwidths, peaks, points, size, title=None):
    """Ceilings are `Ceiling`s, fastest first; `points` are `OperatorPoint`s. At least one of the three is given."""
    figure, axes = style.new_figure(size, "Roofline" if title is None else title)
    groups = list(dict.fromkeys(ceiling.group for ceiling in bandwidths + peaks)) or [""]
    if len(groups) > 1:
        peaks = _best_of_each_precision(peaks)
    limits = _limits(bandwidths, peaks, points)
    set_up(
        axes,
        "x",
        "intensity",
        [limits[0], limits[1]],
        True,
        label="arithmetic intensity (FLOP per byte of DRAM traffic)",
        unit="",
    )
    set_up(
        axes, "y", "performance", [limits[2], limits[3]], True, label="performance", unit="FLOP/s"
    )
    axes.set_xlim(limits[0], limits[1])
    axes.set_ylim(limits[2], limits[3])
    axes.grid(True, which="major")
    _draw_ceilings(axes, bandwidths, peaks, limits, groups)
    if bandwidths and peaks and len(groups) == 1:
        _shade_attainable(axes, bandwidths, peaks, limits)
    items = _draw_points(axes, points)
    if len(groups) > 1:
        items += [
            (
                Line2D([], [], color=style.INK, linewidth=1.3, linestyle=_GROUP_STYLE[index % 4]),
                style.clean(f"ceilings of {group or 'the rest'}", 40),
            )
            for index, group in enumerate(groups[:6])
        ]
    style.fit_margins(figure, axes, items)
    placer = LabelPlacer(figure, axes)
    for point in points:
        placer.block_point(point.intensity, point.rate, 5)
    if bandwidths and peaks and len(groups) == 1:
        roofline_labels.label_ridges(axes, placer, bandwidths, peaks, limits)
    roofline_labels.block_ceilings(placer, bandwidths, peaks, limits)
    roofline_labels.label_ceilings(placer, bandwidths, peaks, limits, len(groups) > 1, size.narrow)
    roofline_labels.label_points(placer, points)
    return figure
