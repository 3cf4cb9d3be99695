# hpclab: SPDX-License-Identifier: Apache-2.0
"""The roofline picture (Williams, Waterman and Patterson, 2009): ceilings, ridge points and achieved points."""

import math

from matplotlib.lines import Line2D

from . import style
from .axis import set_up
from .labels import LabelPlacer, Place, around
from .units import format_number, format_quantity

_GROUP_STYLE = ["-", (0, (6, 2)), (0, (2, 2)), (0, (8, 2, 2, 2))]
_NOT_MEASURED = (0, (7, 2.5))


def _limits(bandwidths, peaks, points):
    """Axis ranges that show every ridge with room for labels on both sides."""
    xs = [point.intensity for point in points]
    ys = [point.rate for point in points]
    if bandwidths and peaks:
        ridges = [peak.value / bandwidth.value for bandwidth in bandwidths for peak in (peaks[0], peaks[-1])]
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
            axes.plot([x0, end], [ceiling.value * x0, ceiling.value * end], color=style.INK, linewidth=1.3,
                      linestyle=_line_style(ceiling, groups), zorder=2)
    for index, peak in enumerate(peaks):
        fastest = max((c.value for c in bandwidths if c.group == peak.group), default=None)
        start = max(peak.value / fastest, x0) if fastest else x0
        axes.plot([start, x1], [peak.value, peak.value], color=style.INK, linewidth=1.6 if index == 0 else 1.0,
                  linestyle=_line_style(peak, groups), zorder=2)


def _shade_attainable(axes, bandwidths, peaks, limits):
    # What main memory and the highest peak allow together: the roof proper.
    slowest, top = bandwidths[-1].value, peaks[0].value
    x0, x1, y0, _ = limits
    ridge = top / slowest
    axes.fill_between([x0, ridge, x1], [slowest * x0, top, top], y0, color=style.SHADE, linewidth=0, zorder=0)


def _label_ridges(axes, placer, bandwidths, peaks, limits):
    """Ridge points with the highest double-precision peak, or the highest peak where precision is not stated."""
    double = [peak for peak in peaks if peak.precision == "fp64"] or peaks
    top = double[0]
    slowest = bandwidths[-1]
    for ceiling in bandwidths:
        ridge = top.value / ceiling.value
        if limits[0] < ridge < limits[1]:
            axes.plot([ridge], [top.value], marker="D", markersize=4.5, markerfacecolor=style.PAPER,
                      markeredgecolor=style.INK, linestyle="none", zorder=4)
            placer.block_point(ridge, top.value)
    ridge = top.value / slowest.value
    if limits[0] < ridge < limits[1]:
        axes.plot([ridge, ridge], [limits[2], top.value], color=style.DIM, linewidth=0.8, linestyle=(0, (1, 2)), zorder=1)
        placer.block_segment(ridge, limits[2], ridge, top.value)
        text = f"ridge {slowest.name.split()[0]} × {top.name}: {format_number(ridge, 3)} FLOP/B"
        bottom = limits[2]
        places = [Place(ridge, bottom, 4, 4 + 12 * step, "left", "bottom") for step in range(4)]
        places += [Place(ridge, bottom, -4, 4 + 12 * step, "right", "bottom") for step in range(4)]
        placer.place(text, places, colour=style.DIM, size=7.5)


def _block_ceilings(placer, bandwidths, peaks, limits):
    # A label may touch its own line only from above, and no other line at all.
    for peak in peaks:
        fastest = max((c.value for c in bandwidths), default=None)
        start = max(peak.value / fastest, limits[0]) if fastest else limits[0]
        placer.block_segment(start, peak.value, limits[1], peak.value, 0.5)
    for ceiling in bandwidths:
        top = peaks[0].value if peaks else ceiling.value * limits[1]
        placer.block_segment(limits[0], ceiling.value * limits[0], top / ceiling.value, top, 0.5)


def _best_of_each_precision(peaks):
    """With several machines in one picture each shows its best peaks only; `peaks` come fastest first."""
    best = {}
    for peak in peaks:
        best.setdefault((peak.group, peak.precision), peak)
    return list(best.values())


def _merged(ceilings):
    """(ceiling, names): lines closer than a line is wide share one label."""
    merged = []
    for ceiling in ceilings:
        if merged and ceiling.value > merged[-1][0].value * 0.985:
            merged[-1][1].append(ceiling)
        else:
            merged.append((ceiling, [ceiling]))
    for ceiling, together in merged:
        names = _joined(list(dict.fromkeys(one.name for one in together)))
        groups = [group for group in dict.fromkeys(one.group for one in together) if group]
        yield ceiling, names, ", ".join(groups)


def _joined(names):
    """"scalar fp64 / fp32" and "L1 / shared theoretical": what is common is said once."""
    first = {name.split()[0] for name in names}
    rest = {name.partition(" ")[2] for name in names}
    if len(names) > 1 and len(rest) == 1:
        return " / ".join(name.split()[0] for name in names) + f" {rest.pop()}"
    if len(first) == 1:
        names = names[:1] + [name.partition(" ")[2] or name for name in names[1:]]
    return " / ".join(names)


def _label_points(placer, points):
    # The ends of each series say in full what changes along it; between them the number is enough.
    for name in dict.fromkeys(point.series for point in points):
        mine = [point for point in points if point.series == name and point.tag and point.method == "measure"]
        ends = mine[:1] + mine[-1:] if len(mine) > 1 else mine
        for point in ends + [point for point in mine if point not in ends]:
            text = point.tag if point in ends else point.tag.split()[-1]
            places = around(point.intensity, point.rate)
            # A bare number must sit right above or below its point, or it reads as its neighbour's.
            placer.place(style.clean(text, 16), places if point in ends else [places[0], places[3]], size=7.2, panel=False)


def _label_ceilings(placer, bandwidths, peaks, limits, several_groups, narrow):
    x0, x1, y0, y1 = limits
    size = 7.4 if narrow else 8.2
    steps = [index / 24 for index in range(1, 24)]
    for peak, names, group in _merged(peaks):
        # On a narrow picture the axis alone carries the unit.
        rate = format_quantity(peak.value, "FLOP/s").replace("FLOP/s", "" if narrow else "FLOP/s")
        text = f"{names}  {rate}" + (f"  {group}" if several_groups else "")
        fastest = max((c.value for c in bandwidths), default=peak.value / x0)
        start = max(peak.value / fastest, x0)
        along = [x1 * (start / x1) ** (step - steps[0]) for step in steps]
        places = [Place(x, peak.value, 0, lift, "right", va) for x in along
                  for lift, va in ((1.5, "bottom"), (-1.5, "top"), (5, "bottom"), (-5, "top"))]
        placer.place(style.clean(text, 60), places, size=size, insist=True)
    for ceiling, names, group in _merged(bandwidths):
        text = f"{names}  {format_quantity(ceiling.value, 'B/s')}" + (f"  {group}" if several_groups else "")
        end = peaks[0].value / ceiling.value if peaks else x1
        start = max(x0, y0 / ceiling.value)
        if end <= start:
            continue
        angle = placer.angle_of(start, ceiling.value * start, end, ceiling.value * end)
        along = [start * (end / start) ** (0.015 + 0.9 * (step - steps[0])) for step in steps]
        lift = (-1.5 * math.sin(math.radians(angle)), 1.5 * math.cos(math.radians(angle)))
        places = [Place(x, ceiling.value * x, *lift, "left", "bottom", angle) for x in along]
        places += [Place(x, ceiling.value * x, -lift[0], -lift[1], "left", "top", angle) for x in along]
        # Short of room the name is said without the kind of access.
        for words in (text, text.replace(names, names.split()[0], 1)):
            if placer.place(style.clean(words, 60), places, size=size, insist=True):
                break


def _draw_points(axes, points):
    series = list(dict.fromkeys(point.series for point in points))
    items = []
    for index, name in enumerate(series):
        for method in ("model", "simulate", "measure"):
            mine = [point for point in points if point.series == name and point.method == method]
            if not mine:
                continue
            measured = method == "measure"
            axes.errorbar([p.intensity for p in mine], [p.rate for p in mine],
                          yerr=[[max(p.rate - p.low, 0) for p in mine], [max(p.high - p.rate, 0) for p in mine]],
                          fmt=style.marker(index), color=style.colour(index), markersize=6.5, elinewidth=1.1, zorder=5,
                          markerfacecolor=style.colour(index) if measured else style.PAPER,
                          markeredgecolor=style.PAPER if measured else style.colour(index),
                          markeredgewidth=0.6 if measured else 1.4)
            handle = Line2D([], [], marker=style.marker(index), color=style.colour(index), linestyle="none", markersize=6.5,
                            markerfacecolor=style.colour(index) if measured else style.PAPER)
            items.append((handle, style.clean(name, 40) + ("" if measured else f", {style.METHOD_NAMES[method]}")))
    if len(items) > 16:
        items = items[:16] + [(Line2D([], [], alpha=0), f"and {len(items) - 16} more")]
    return items


def draw_roofline(bandwidths, peaks, points, size, title=None):
    """Ceilings are `Ceiling`s, fastest first; `points` are `OperatorPoint`s. At least one of the three is given."""
    figure, axes = style.new_figure(size, "Roofline" if title is None else title)
    groups = list(dict.fromkeys(ceiling.group for ceiling in bandwidths + peaks)) or [""]
    if len(groups) > 1:
        peaks = _best_of_each_precision(peaks)
    limits = _limits(bandwidths, peaks, points)
    set_up(axes, "x", "intensity", [limits[0], limits[1]], True,
           label="arithmetic intensity (FLOP per byte of DRAM traffic)", unit="")
    set_up(axes, "y", "performance", [limits[2], limits[3]], True, label="performance", unit="FLOP/s")
    axes.set_xlim(limits[0], limits[1])
    axes.set_ylim(limits[2], limits[3])
    axes.grid(True, which="major")
    _draw_ceilings(axes, bandwidths, peaks, limits, groups)
    if bandwidths and peaks and len(groups) == 1:
        _shade_attainable(axes, bandwidths, peaks, limits)
    items = _draw_points(axes, points)
    if len(groups) > 1:
        items += [(Line2D([], [], color=style.INK, linewidth=1.3, linestyle=_GROUP_STYLE[index % 4]), style.clean(f"ceilings of {group or 'the rest'}", 40))
                  for index, group in enumerate(groups[:6])]
    style.fit_margins(figure, axes, items)
    placer = LabelPlacer(figure, axes)
    for point in points:
        placer.block_point(point.intensity, point.rate, 5)
    if bandwidths and peaks and len(groups) == 1:
        _label_ridges(axes, placer, bandwidths, peaks, limits)
    _block_ceilings(placer, bandwidths, peaks, limits)
    _label_ceilings(placer, bandwidths, peaks, limits, len(groups) > 1, size.narrow)
    _label_points(placer, points)
    return figure
