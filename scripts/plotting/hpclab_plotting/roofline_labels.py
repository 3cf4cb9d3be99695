# hpclab: SPDX-License-Identifier: Apache-2.0
"""The words in a roofline picture: ceilings on their lines, ridge points, what changes along a series."""

import math

from . import style
from .labels import Place, around
from .units import format_number, format_quantity


def label_ridges(axes, placer, bandwidths, peaks, limits):
    """Ridge points with the highest double-precision peak, or the highest peak where precision is not stated."""
    double = [peak for peak in peaks if peak.precision == "fp64"] or peaks
    top = double[0]
    slowest = bandwidths[-1]
    for ceiling in bandwidths:
        ridge = top.value / ceiling.value
        if limits[0] < ridge < limits[1]:
            axes.plot(
                [ridge],
                [top.value],
                marker="D",
                markersize=4.5,
                markerfacecolor=style.PAPER,
                markeredgecolor=style.INK,
                linestyle="none",
                zorder=4,
            )
            placer.block_point(ridge, top.value)
    ridge = top.value / slowest.value
    if limits[0] < ridge < limits[1]:
        axes.plot(
            [ridge, ridge],
            [limits[2], top.value],
            color=style.DIM,
            linewidth=0.8,
            linestyle=(0, (1, 2)),
            zorder=1,
        )
        placer.block_segment(ridge, limits[2], ridge, top.value)
        text = f"ridge {slowest.name.split()[0]} × {top.name}: {format_number(ridge, 3)} FLOP/B"
        bottom = limits[2]
        places = [Place(ridge, bottom, 4, 4 + 12 * step, "left", "bottom") for step in range(4)]
        places += [Place(ridge, bottom, -4, 4 + 12 * step, "right", "bottom") for step in range(4)]
        placer.place(text, places, colour=style.DIM, size=7.5)


def block_ceilings(placer, bandwidths, peaks, limits):
    # A label may touch its own line only from above, and no other line at all.
    for peak in peaks:
        fastest = max((c.value for c in bandwidths), default=None)
        start = max(peak.value / fastest, limits[0]) if fastest else limits[0]
        placer.block_segment(start, peak.value, limits[1], peak.value, 0.5)
    for ceiling in bandwidths:
        top = peaks[0].value if peaks else ceiling.value * limits[1]
        placer.block_segment(limits[0], ceiling.value * limits[0], top / ceiling.value, top, 0.5)


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
    """ "scalar fp64 / fp32" and "L1 / shared theoretical": what is common is said once."""
    first = {name.split()[0] for name in names}
    rest = {name.partition(" ")[2] for name in names}
    if len(names) > 1 and len(rest) == 1:
        return " / ".join(name.split()[0] for name in names) + f" {rest.pop()}"
    if len(first) == 1:
        names = names[:1] + [name.partition(" ")[2] or name for name in names[1:]]
    return " / ".join(names)


def _short(tag):
    """The number of "degree 7"; a name is not shortened."""
    last = tag.split()[-1]
    try:
        float(last)
    except ValueError:
        return tag
    return last


def label_points(placer, points):
    # The ends of each series say in full what changes along it; between them the number is enough.
    for name in dict.fromkeys(point.series for point in points):
        mine = [
            point
            for point in points
            if point.series == name and point.tag and point.method == "measure"
        ]
        ends = mine[:1] + mine[-1:] if len(mine) > 1 else mine
        for point in ends + [point for point in mine if point not in ends]:
            text = point.tag if point in ends else _short(point.tag)
            places = around(point.intensity, point.rate)
            # A bare number must sit right above or below its point, or it reads as its neighbour's.
            placer.place(
                style.clean(text, 16),
                places if point in ends else [places[0], places[3]],
                size=7.2,
                panel=False,
            )


def label_ceilings(placer, bandwidths, peaks, limits, several_groups, narrow):
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
        places = [
            Place(x, peak.value, 0, lift, "right", va)
            for x in along
            for lift, va in ((1.5, "bottom"), (-1.5, "top"), (5, "bottom"), (-5, "top"))
        ]
        placer.place(style.clean(text, 60), places, size=size, insist=True)
    for ceiling, names, group in _merged(bandwidths):
        text = f"{names}  {format_quantity(ceiling.value, 'B/s')}" + (
            f"  {group}" if several_groups else ""
        )
        end = peaks[0].value / ceiling.value if peaks else x1
        start = max(x0, y0 / ceiling.value)
        if end <= start:
            continue
        angle = placer.angle_of(start, ceiling.value * start, end, ceiling.value * end)
        along = [start * (end / start) ** (0.015 + 0.9 * (step - steps[0])) for step in steps]
        lift = (-1.5 * math.sin(math.radians(angle)), 1.5 * math.cos(math.radians(angle)))
        places = [Place(x, ceiling.value * x, *lift, "left", "bottom", angle) for x in along]
        places += [
            Place(x, ceiling.value * x, -lift[0], -lift[1], "left", "top", angle) for x in along
        ]
        # Short of room the name is said without the kind of access.
        for words in (text, text.replace(names, names.split()[0], 1)):
            if placer.place(style.clean(words, 60), places, size=size, insist=True):
                break
