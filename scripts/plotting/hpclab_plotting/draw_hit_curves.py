# hpclab: SPDX-License-Identifier: Apache-2.0
"""Hit ratio over cache capacity, one line a policy, the knee of each working set marked."""

from matplotlib.lines import Line2D

from . import style
from .axis import set_up
from .hit_curves import MOST_CURVES
from .labels import LabelPlacer, around
from .units import format_quantity


def _draw(axes, curve, index):
    colour = style.colour(index)
    if curve.points:
        xs, ys = zip(*curve.points)
        axes.plot(
            xs,
            ys,
            color=colour,
            linewidth=2.0 if curve.exact else 1.2,
            linestyle="-" if curve.exact else (0, (5, 3)),
            marker=None if curve.exact else style.marker(index),
            markersize=4.5,
            markeredgecolor=style.PAPER,
            markeredgewidth=0.5,
            zorder=4 if curve.exact else 3,
        )
    if curve.singles:
        xs, ys = zip(*curve.singles)
        axes.plot(
            xs,
            ys,
            color=colour,
            linestyle="none" if curve.points else (0, (5, 3)),
            linewidth=1.2,
            marker=style.marker(index),
            markersize=6,
            markeredgecolor=style.PAPER,
            markeredgewidth=0.6,
            zorder=5,
        )
    return Line2D(
        [],
        [],
        color=colour,
        linestyle="-" if curve.exact and curve.points else (0, (5, 3)),
        marker=None if curve.exact and not curve.singles else style.marker(index),
        markersize=5.5,
        markeredgecolor=style.PAPER,
    )


def draw_hit_curves(the_curves, size, title):
    """`the_curves` from hit_curves.curves(); at least one."""
    figure, axes = style.new_figure(size, title)
    shown = the_curves[:MOST_CURVES]
    points = [point for curve in shown for point in curve.points + curve.singles]
    items = [
        (_draw(axes, curve, index), style.clean(curve.label, 44))
        for index, curve in enumerate(shown)
    ]
    if len(the_curves) > len(shown):
        items.append((Line2D([], [], alpha=0), f"and {len(the_curves) - len(shown)} more"))
    capacities = [capacity for capacity, _ in points]
    top = max(ratio for _, ratio in points)
    set_up(axes, "x", "capacity_blocks", [min(capacities), max(capacities)], True, label="capacity", unit="blocks")
    set_up(axes, "y", "hit_block_ratio", [0, top], False, label="block hit ratio", unit="")
    axes.set_xlim(min(capacities) / 1.3, max(capacities) * 1.3)
    axes.set_ylim(0, top * 1.12 if top > 0 else 1)
    style.fit_margins(figure, axes, items)
    _mark_knees(figure, axes, shown)
    return figure


def _mark_knees(figure, axes, shown):
    placer = LabelPlacer(figure, axes)
    for curve in shown:
        for a, b in zip(curve.points, curve.points[1:]):
            placer.block_segment(*a, *b)
    for index, curve in enumerate(shown):
        if curve.knee is None:
            continue
        blocks, ratio = curve.knee
        colour = style.colour(index)
        axes.plot([blocks, blocks], [0, ratio], color=colour, linewidth=0.9, linestyle=(0, (2, 2)), zorder=2)
        axes.plot(
            [blocks],
            [ratio],
            marker="D",
            markersize=7,
            markerfacecolor=style.PAPER,
            markeredgecolor=colour,
            markeredgewidth=1.6,
            zorder=6,
        )
        placer.block_point(blocks, ratio, 6)
        text = f"knee {blocks:,.0f} blocks"
        if curve.knee_bytes:
            text += f" = {format_quantity(curve.knee_bytes, 'B')}"
        places = around(blocks, ratio, 8) + around(blocks, ratio, 18) + around(blocks, ratio, 32)
        placer.place(text, places, colour=colour, size=8.5, weight="bold", insist=True)
