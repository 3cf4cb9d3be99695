# hpclab: SPDX-License-Identifier: Apache-2.0
"""Cost over timeout: a U for each case, its floor, its minima, and the shipped defaults as ticks."""

from matplotlib.lines import Line2D

from . import style
from .axis import set_up
from .labels import LabelPlacer, around
from .timeout_curves import MOST_CURVES
from .units import format_quantity


def _preset_groups(curve, low, high):
    """Shipped defaults in view, those within 4 % of each other under one label."""
    groups = []
    for timeout, name in curve.presets:
        if not low <= timeout <= high:
            continue
        if groups and timeout <= 1.04 * groups[-1][0]:
            groups[-1][1].append(name)
        else:
            groups.append((timeout, [name]))
    return groups


def draw_timeout_curves(the_curves, size, title):
    """`the_curves` from timeout_curves.curves(); at least one."""
    figure, axes = style.new_figure(size, title)
    shown = the_curves[:MOST_CURVES]
    items = []
    for index, curve in enumerate(shown):
        colour = style.colour(index)
        xs, ys = zip(*curve.points)
        axes.plot(xs, ys, color=colour, linewidth=2.0, zorder=4)
        if curve.floor > 0:
            axes.axhline(curve.floor, color=colour, linewidth=0.9, linestyle=(0, (1, 2)), zorder=2)
        items.append((Line2D([], [], color=colour, linewidth=2.0), style.clean(curve.label, 44)))
    if len(the_curves) > len(shown):
        items.append((Line2D([], [], alpha=0), f"and {len(the_curves) - len(shown)} more"))
    timeouts = [point[0] for curve in shown for point in curve.points]
    costs = [point[1] for curve in shown for point in curve.points]
    least = min([curve.best[1] for curve in shown] + [curve.floor for curve in shown if curve.floor > 0])
    # The left flank rises by orders of magnitude: what is a thousand times the best tells nothing more.
    top = min(max(costs), 1000 * max(curve.best[1] for curve in shown))
    low, high = min(timeouts), max(timeouts)
    set_up(axes, "x", "timeout_s", [low, high], True, label="timeout", unit="s")
    set_up(axes, "y", "cost_ratio", [least, top], True, label="stall per useful second", unit="")
    axes.set_xlim(low, high)
    axes.set_ylim(least / 2.5, top * 1.3)
    style.fit_margins(figure, axes, items)
    groups = _preset_groups(shown[0], low, high)
    levels = (0.012, 0.058, 0.104)
    for index, (timeout, names) in enumerate(groups):
        axes.axvline(timeout, ymax=0.16, color=style.DIM, linewidth=0.8, zorder=1)
        text = names[0] if len(names) == 1 else f"{names[0]} +{len(names) - 1}"
        last = timeout > high / (high / low) ** 0.12
        axes.annotate(
            text,
            (timeout, levels[index % len(levels)]),
            xycoords=("data", "axes fraction"),
            xytext=(-2 if last else 2, 0),
            ha="right" if last else "left",
            bbox={"boxstyle": "square,pad=0.1", "facecolor": style.PAPER, "edgecolor": "none"},
            textcoords="offset points",
            fontsize=6.5,
            color=style.DIM,
        )
    _mark_minima(figure, axes, shown)
    return figure


def _mark_minima(figure, axes, shown):
    placer = LabelPlacer(figure, axes)
    for curve in shown:
        for a, b in zip(curve.points, curve.points[1:]):
            placer.block_segment(*a, *b)
    for index, curve in enumerate(shown):
        colour = style.colour(index)
        for timeout, cost in curve.minima:
            best = (timeout, cost) == curve.best
            axes.plot(
                [timeout],
                [cost],
                marker="D" if best else "o",
                markersize=7 if best else 5,
                markerfacecolor=style.PAPER,
                markeredgecolor=colour,
                markeredgewidth=1.6,
                zorder=6,
            )
            placer.block_point(timeout, cost, 6)
        timeout, cost = curve.best
        places = around(timeout, cost, 10) + around(timeout, cost, 20) + around(timeout, cost, 34)
        placer.place(
            f"best {format_quantity(timeout, 's')}",
            places,
            colour=colour,
            size=8.5,
            weight="bold",
            insist=True,
        )
