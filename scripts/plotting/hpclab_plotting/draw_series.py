# hpclab: SPDX-License-Identifier: Apache-2.0
"""Lines and bars: y over x with measured values as points, models as lines and simulations dashed."""

from matplotlib.lines import Line2D
from matplotlib.patches import Patch

from . import style
from .axis import set_up
from .units import format_number, split_name

_METHOD_LINE = {"model": "-", "simulate": (0, (5, 3))}


def _methods(selection):
    return list(dict.fromkeys(entry.method for entry in selection.series))


def _title(selection, title):
    if title is not None:
        return title
    studies = {point.case.study for entry in selection.series for point in entry.points}
    words = split_name(selection.y_name)[0]
    return f"{', '.join(sorted(studies))}: {words} by {split_name(selection.x_name)[0]}"


def _errors(points):
    return [
        [max(point.y - point.low, 0) for point in points],
        [max(point.high - point.y, 0) for point in points],
    ]


def _draw_measured(axes, entry, has_model, later):
    xs = [point.x for point in entry.points]
    ys = [point.y for point in entry.points]
    colour = style.colour(entry.index)
    # Series drawn later lie on top: earlier points are larger, so that equal ones still show.
    if not has_model and len(xs) > 1:
        axes.plot(xs, ys, color=colour, linewidth=0.9, alpha=0.6, zorder=2)
    axes.errorbar(
        xs,
        ys,
        yerr=_errors(entry.points),
        fmt=style.marker(entry.index),
        color=colour,
        markersize=5.2 + min(later, 3),
        markerfacecolor=colour,
        markeredgecolor=style.PAPER,
        markeredgewidth=0.6,
        elinewidth=1.1,
        capsize=2.5,
        zorder=4,
    )


def _draw_predicted(axes, entry):
    xs = [point.x for point in entry.points]
    ys = [point.y for point in entry.points]
    colour = style.colour(entry.index)
    if any(point.low < point.high for point in entry.points):
        axes.fill_between(
            xs,
            [point.low for point in entry.points],
            [point.high for point in entry.points],
            color=colour,
            alpha=0.14,
            linewidth=0,
            zorder=1,
        )
    lone = len(xs) == 1
    axes.plot(
        xs,
        ys,
        linestyle=_METHOD_LINE[entry.method],
        color=colour,
        linewidth=1.5,
        zorder=3,
        marker="_" if lone else None,
        markersize=14,
    )


def _legend_items(selection):
    items, labels = [], {}
    for entry in selection.series:
        labels.setdefault(entry.index, entry.label)
    methods = _methods(selection)
    if len(labels) > 1 or any(labels.values()):
        for index, label in list(labels.items())[:16]:
            handle = Line2D(
                [],
                [],
                color=style.colour(index),
                marker=style.marker(index),
                linewidth=1.2,
                markeredgecolor=style.PAPER,
                markersize=6,
            )
            items.append((handle, style.clean(label or "all", 44)))
        if len(labels) > 16:
            items.append((Line2D([], [], alpha=0), f"and {len(labels) - 16} more series"))
    handles = {
        "measure": Line2D([], [], color=style.INK, marker="o", linestyle="none", markersize=5),
        "model": Line2D([], [], color=style.INK, linestyle="-"),
        "simulate": Line2D([], [], color=style.INK, linestyle=_METHOD_LINE["simulate"]),
    }
    if methods != ["measure"]:
        items += [(handles[method], style.METHOD_NAMES[method]) for method in methods]
    if any(point.low < point.high for entry in selection.series for point in entry.points):
        items.append(
            (
                Line2D([], [], color=style.DIM, marker="|", markersize=9, linestyle="none"),
                "95 % interval",
            )
        )
    return items


def _set_axes(axes, selection, logx, logy, bars=False):
    points = [point for entry in selection.series for point in entry.points]
    spread = [value for point in points for value in (point.low, point.y, point.high)]
    if logy and min(spread) <= 0:
        logy = False
        selection.notes.append(
            f"linear y axis: {selection.y_name} has values that are not positive"
        )
    set_up(axes, "y", selection.y_name, spread, logy)
    if selection.categories is not None or bars:
        categories = [style.clean(name, 24) for name in selection.categories]
        axes.set_xticks(range(len(categories)))
        long = sum(map(len, categories)) > axes.figure.get_size_inches()[0] * 9
        axes.set_xticklabels(
            categories,
            rotation=35 if long else 0,
            ha="right" if long else "center",
            rotation_mode="anchor",
        )
        axes.set_xlabel(style.clean(selection.x_name.replace("_", " "), 60))
        axes.grid(False, axis="x")
    else:
        xs = [point.x for point in points]
        if logx and min(xs) <= 0:
            logx = False
            selection.notes.append(
                f"linear x axis: {selection.x_name} has values that are not positive"
            )
        set_up(axes, "x", selection.x_name, xs, logx)
    if not logy:
        low, high = min(spread), max(spread)
        if low >= 0:
            axes.set_ylim(0, high * 1.08 if high > 0 else 1)
    axes.margins(x=0.04)


def _mark_spots(axes, spots):
    for spot in spots:
        axes.plot(
            [spot.point.x],
            [spot.point.y],
            marker="o",
            markersize=13 if spot.method == "measure" else 10,
            markerfacecolor="none",
            markeredgecolor=style.colour(spot.index),
            markeredgewidth=1.4 if spot.method == "measure" else 0.9,
            linestyle="none",
            zorder=5,
        )


def draw_lines(selection, size, title=None, logx=False, logy=False, spots=()):
    """`spots`: points that get a ring, those of measurements the larger one."""
    figure, axes = style.new_figure(size, _title(selection, title))
    last = selection.series[-1].index
    modelled = {entry.index for entry in selection.series if entry.method != "measure"}
    for entry in selection.series:
        if entry.method == "measure":
            _draw_measured(axes, entry, entry.index in modelled, last - entry.index)
        else:
            _draw_predicted(axes, entry)
    _mark_spots(axes, spots)
    _set_axes(axes, selection, logx, logy)
    items = _legend_items(selection)
    if spots:
        ring = Line2D(
            [], [], color=style.INK, marker="o", markerfacecolor="none", markersize=9, linestyle="none"
        )
        items.append((ring, "sweet spot"))
    style.fit_margins(figure, axes, items)
    return figure


def _bar_categories(selection):
    if selection.categories is None:
        xs = sorted({point.x for entry in selection.series for point in entry.points})
        selection.categories = [format_number(x) for x in xs]
        for entry in selection.series:
            for point in entry.points:
                point.x = xs.index(point.x)


def draw_bars(selection, size, title=None, logy=False):
    """Groups of bars with the measured value; predictions are ticks across the bar (dashed: simulation)."""
    _bar_categories(selection)
    figure, axes = style.new_figure(size, _title(selection, title))
    indices = list(dict.fromkeys(entry.index for entry in selection.series))
    width = 0.8 / len(indices)
    solid = "measure" if "measure" in _methods(selection) else _methods(selection)[0]
    items, last = [], None
    for entry in selection.series:
        offset = (indices.index(entry.index) - (len(indices) - 1) / 2) * width
        xs = [point.x + offset for point in entry.points]
        ys = [point.y for point in entry.points]
        if entry.method == solid:
            colour = style.colour(entry.index)
            axes.bar(
                xs,
                ys,
                width * 0.92,
                color=colour,
                hatch=style.hatch(indices.index(entry.index)),
                edgecolor=style.PAPER,
                linewidth=0,
                zorder=2,
            )
            axes.errorbar(
                xs,
                ys,
                yerr=_errors(entry.points),
                fmt="none",
                ecolor=style.INK,
                elinewidth=1.1,
                capsize=2.5,
                zorder=4,
            )
            if len(indices) > 1 or entry.label:
                items.append(
                    (
                        Patch(
                            facecolor=colour,
                            hatch=style.hatch(indices.index(entry.index)),
                            edgecolor=style.PAPER,
                            linewidth=0,
                        ),
                        style.clean(entry.label, 44),
                    )
                )
        else:
            last = entry.method
            axes.hlines(
                ys,
                [x - width * 0.46 for x in xs],
                [x + width * 0.46 for x in xs],
                color=style.INK,
                linestyle=_METHOD_LINE.get(entry.method, "-"),
                linewidth=1.8,
                zorder=5,
            )
    if len(items) > 16:
        items = items[:16] + [(Line2D([], [], alpha=0), f"and {len(items) - 16} more")]
    for method in _methods(selection):
        if method != solid:
            items.append(
                (
                    Line2D([], [], color=style.INK, linestyle=_METHOD_LINE.get(method, "-")),
                    style.METHOD_NAMES[method],
                )
            )
        elif last is not None:
            items.append((Patch(facecolor=style.DIM), style.METHOD_NAMES[method]))
    _set_axes(axes, selection, False, logy, bars=True)
    style.fit_margins(figure, axes, items)
    return figure
