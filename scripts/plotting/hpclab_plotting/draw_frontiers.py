# hpclab: SPDX-License-Identifier: Apache-2.0
"""Throughput (solid) and speed of one request (dashed) over the batch; ridge and memory's end marked."""

from matplotlib.lines import Line2D

from . import style
from .axis import set_up
from .frontiers import MOST_FRONTIERS
from .labels import LabelPlacer, around

_ONE = (0, (5, 3))


def draw_frontiers(found, size, title):
    """`found` from frontiers.frontiers(); at least one."""
    figure, axes = style.new_figure(size, title)
    shown = found[:MOST_FRONTIERS]
    items = []
    for index, frontier in enumerate(shown):
        batches, together, each = zip(*frontier.points)
        colour, marker = style.colour(index), style.marker(index)
        for ys, line, width in ((together, "-", 2.0), (each, _ONE, 1.4)):
            axes.plot(
                batches,
                ys,
                color=colour,
                linestyle=line,
                linewidth=width,
                marker=marker,
                markersize=4.5,
                markeredgecolor=style.PAPER,
                markeredgewidth=0.5,
                zorder=4,
            )
        items.append((Line2D([], [], color=colour, marker=marker), style.clean(frontier.label, 44)))
    items.append((Line2D([], [], color=style.colour(0), linestyle="-"), "all requests"))
    items.append((Line2D([], [], color=style.colour(0), linestyle=_ONE), "one request"))
    if len(found) > len(shown):
        items.append((Line2D([], [], alpha=0), f"and {len(found) - len(shown)} more"))
    batches = [point[0] for frontier in shown for point in frontier.points]
    speeds = [speed for frontier in shown for point in frontier.points for speed in point[1:]]
    set_up(axes, "x", "batch", [min(batches), max(batches)], True, label="requests at once", unit="")
    set_up(
        axes, "y", "tokens_per_s", [min(speeds), max(speeds)], True, label="output", unit="token/s"
    )
    axes.set_xlim(min(batches) / 1.3, max(batches) * 1.3)
    axes.set_ylim(min(speeds) / 2, max(speeds) * 2)
    style.fit_margins(figure, axes, items)
    _mark(figure, axes, shown)
    return figure


def _mark(figure, axes, shown):
    low, high = axes.get_ylim()
    left, right = axes.get_xlim()
    placer = LabelPlacer(figure, axes)
    for frontier in shown:
        for a, b in zip(frontier.points, frontier.points[1:]):
            placer.block_segment(a[0], a[1], b[0], b[1])
            placer.block_segment(a[0], a[2], b[0], b[2])
    for index, frontier in enumerate(shown):
        colour = style.colour(index)
        for at, text in ((frontier.ridge, "arithmetic binds"), (frontier.limit, "memory is full")):
            if at is None or not left < at < right:
                continue
            axes.plot([at, at], [low, high], color=colour, linewidth=0.9, linestyle=(0, (2, 2)), zorder=2)
            height = low * 1.3 if text.startswith("memory") else high / 1.3
            places = around(at, height, 8) + around(at, height, 20) + around(at, height, 34)
            placer.place(f"{text}: {at:,.0f}", places, colour=colour, size=8.5, weight="bold", insist=True)
