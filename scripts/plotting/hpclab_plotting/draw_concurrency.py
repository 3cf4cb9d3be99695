# hpclab: SPDX-License-Identifier: Apache-2.0
"""Bandwidth over lines in flight with Little's law and saturation."""

from matplotlib.lines import Line2D

from . import names, style
from .axis import set_up
from .labels import LabelPlacer, Place, around
from .units import format_quantity


def _draw_curve(axes, curve, index, many_threads):
    colour = style.colour(index)
    thread_counts = sorted({point[1] for point in curve.points})
    for threads in thread_counts:
        mine = [point for point in curve.points if point[1] == threads]
        filled = threads == thread_counts[0] or not many_threads
        axes.errorbar(
            [p[0] for p in mine],
            [p[2] for p in mine],
            yerr=[[max(p[2] - p[3], 0) for p in mine], [max(p[4] - p[2], 0) for p in mine]],
            fmt=style.marker(index),
            color=colour,
            markersize=6,
            capsize=2.5,
            elinewidth=1.1,
            zorder=4,
            markerfacecolor=colour if filled else style.PAPER,
            markeredgecolor=style.PAPER if filled else colour,
            markeredgewidth=0.6 if filled else 1.4,
            linestyle="none",
        )
        if not curve.fit:
            axes.plot(
                [p[0] for p in mine],
                [p[2] for p in mine],
                color=colour,
                linewidth=0.9,
                alpha=0.55,
                zorder=3,
            )


def draw_concurrency(the_curves, size, title=None):
    """`the_curves` from curves(); at least one."""
    figure, axes = style.new_figure(
        size, "How many lines in flight fill each level" if title is None else title
    )
    xs = [point[0] for curve in the_curves for point in curve.points]
    ys = [point[2] for curve in the_curves for point in curve.points] + [
        curve.saturation for curve in the_curves
    ]
    x0, x1 = (
        min(xs) / 1.25,
        max(xs + [min(curve.lines_to_saturate * 1.3, max(xs) * 4) for curve in the_curves]) * 1.25,
    )
    y0, y1 = min(ys) / 1.6, max(ys) * 1.9
    set_up(
        axes,
        "x",
        "lines",
        sorted(set(xs)),
        True,
        label="cache lines in flight (chains × threads)",
        unit="",
    )
    set_up(axes, "y", "bandwidth_bytes_per_s", [y0, y1], True)
    many_threads = len({point[1] for curve in the_curves for point in curve.points}) > 1
    items = []
    for index, curve in enumerate(the_curves):
        colour = style.colour(index)
        slope = curve.line_bytes / curve.latency_s
        stop = min(x1, y1 / slope)
        axes.plot(
            [x0, stop],
            [slope * x0, slope * stop],
            color=colour,
            linewidth=1.2,
            linestyle=(0, (5, 3)),
            zorder=2,
        )
        axes.plot(
            [x0, x1],
            [curve.saturation] * 2,
            color=colour,
            linewidth=1.0,
            linestyle=(0, (1, 2)),
            zorder=2,
        )
        _draw_curve(axes, curve, index, many_threads)
        if curve.fit:
            along = [x0 * (x1 / x0) ** (step / 80) for step in range(81)]
            axes.plot(
                along,
                [curve.fitted(lines) for lines in along],
                color=colour,
                linewidth=1.5,
                zorder=3,
            )
        items.append(
            (
                Line2D(
                    [],
                    [],
                    color=colour,
                    marker=style.marker(index),
                    linewidth=0.9,
                    markersize=6,
                    markeredgecolor=style.PAPER,
                ),
                style.clean(f"{curve.label}, {format_quantity(curve.latency_s, 's')}", 44),
            )
        )
    if many_threads:
        items.append(
            (
                Line2D(
                    [],
                    [],
                    color=style.INK,
                    marker="o",
                    linestyle="none",
                    markerfacecolor=style.PAPER,
                    markersize=6,
                ),
                "open: more threads",
            )
        )
    items.append(
        (
            Line2D([], [], color=style.DIM, linestyle=(0, (5, 3))),
            "Little's law: line size × N / latency",
        )
    )
    items.append(
        (
            Line2D([], [], color=style.DIM, linestyle=(0, (1, 2))),
            "fitted maximum" if all(curve.fit for curve in the_curves) else "best bandwidth",
        )
    )
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
        axes.plot(
            [needed],
            [best],
            marker="D",
            markersize=6,
            markerfacecolor=style.PAPER,
            markeredgecolor=colour,
            markeredgewidth=1.4,
            linestyle="none",
            zorder=5,
        )
        placer.block_point(needed, best, 5)
        placer.place(
            f"N* = {needed:.3g} lines",
            around(needed, best, 7) + around(needed, best, 15),
            colour=colour,
            size=8.5,
            weight="bold",
            insist=True,
        )
    text = format_quantity(best, "B/s")
    places = [
        Place(limits[0] * (limits[1] / limits[0]) ** step, best, 3, 1.5, "left", "bottom")
        for step in (0, 0.1, 0.2, 0.4, 0.6)
    ]
    places += [
        Place(limits[1], best, -3, 1.5, "right", "bottom"),
        Place(limits[0], best, 3, -1.5, "left", "top"),
    ]
    placer.place(
        f"{names.text_of(curve.label)} {text}", places, colour=colour, size=8.0, insist=True
    )
