# hpclab: SPDX-License-Identifier: Apache-2.0
"""Bandwidth over working-set size, with the boundaries of the memory levels that were found."""

from dataclasses import dataclass, field

from matplotlib.lines import Line2D

from . import style
from .axis import drawable, set_up
from .ceilings import kind_of, level_text
from .labels import LabelPlacer, Place
from .schema import is_number
from .series import varying_parameters
from .units import format_bytes, format_quantity

_MOST_CURVES = 8


@dataclass
class Sweep:
    """Rows (bytes, byte/s, low, high) of one case and (level, bytes) boundaries."""

    label: str
    method: str
    rows: list
    boundaries: list = field(default_factory=list)


def _column(table, test):
    for index, name in enumerate(table["columns"]):
        unit = (table.get("units") or [""] * len(table["columns"]))[index] or ""
        if test(name.lower(), unit):
            return index
    return None


def _size_column(table):
    return _column(
        table,
        lambda name, unit: "_per_" not in name
        and (name.endswith("bytes") or unit in ("B", "bytes")),
    )


def _rate_column(table):
    return (
        _column(table, lambda name, unit: name == "bandwidth_bytes_per_s")
        if "bandwidth_bytes_per_s" in table["columns"]
        else _column(table, lambda name, unit: "bandwidth" in name or unit == "B/s")
    )


def _rows(table):
    x, y = _size_column(table), _rate_column(table)
    if x is None or y is None:
        return []
    low = _column(table, lambda name, unit: name in ("low", "lower", "bandwidth_low_bytes_per_s"))
    high = _column(
        table, lambda name, unit: name in ("high", "upper", "bandwidth_high_bytes_per_s")
    )
    rows = []
    for row in table["rows"]:
        if all(is_number(row[c]) and row[c] > 0 and drawable(row[c]) for c in (x, y)):
            bounds = [
                row[c] if c is not None and is_number(row[c]) and drawable(row[c]) else row[y]
                for c in (low, high)
            ]
            rows.append((row[x], row[y], min(bounds[0], row[y]), max(bounds[1], row[y])))
    return sorted(rows)


def _boundaries(case, table):
    """From a table of levels; else from where the sweep's own level column changes."""
    for name in ("boundaries", "levels"):
        found = case.tables.get(name)
        if found is None:
            continue
        size = _size_column(found)
        level = _column(found, lambda column, unit: column in ("level", "name"))
        if size is not None:
            return [
                (level_text(row[level]) if level is not None else "", row[size])
                for row in found["rows"]
                if is_number(row[size]) and row[size] > 0 and drawable(row[size])
            ]
    level, size = _column(table, lambda column, unit: column == "level"), _size_column(table)
    if level is None or size is None:
        return []
    ordered = sorted(
        (
            row
            for row in table["rows"]
            if is_number(row[size]) and row[size] > 0 and drawable(row[size])
        ),
        key=lambda row: row[size],
    )
    return [
        (level_text(a[level]), (a[size] * b[size]) ** 0.5)
        for a, b in zip(ordered, ordered[1:])
        if a[level] != b[level]
    ]


def sweeps(cases):
    """Every `sweep` table in ok cases that were not emulated."""
    usable = [case for case in cases if case.ok and not case.emulated and "sweep" in case.tables]
    varying = varying_parameters(usable)
    result = []
    for case in usable:
        rows = _rows(case.tables["sweep"])
        if len(rows) < 2:
            continue
        words = [case.run.label] + [
            (
                f"{case.parameters[name]}"
                if isinstance(case.parameters.get(name), str)
                else f"{name} {case.parameters.get(name)}"
            )
            for name in varying
        ]
        label = (
            " ".join(word for word in words if word)
            or kind_of(case)
            or style.METHOD_NAMES[case.method]
        )
        result.append(Sweep(label, case.method, rows, _boundaries(case, case.tables["sweep"])))
    return result


def draw_sweep(the_sweeps, size, title=None):
    """`the_sweeps` from sweeps(); at least one."""
    figure, axes = style.new_figure(size, "Bandwidth over working set" if title is None else title)
    shown = the_sweeps[:_MOST_CURVES]
    items = []
    for index, sweep in enumerate(shown):
        xs, ys, lows, highs = zip(*sweep.rows)
        colour = style.colour(index)
        dashed = (0, (5, 3)) if sweep.method == "simulate" else "-"
        axes.fill_between(xs, lows, highs, color=colour, alpha=0.16, linewidth=0, zorder=2)
        marker = style.marker(index) if sweep.method == "measure" else None
        axes.plot(
            xs,
            ys,
            color=colour,
            linestyle=dashed,
            marker=marker,
            markersize=4.5,
            linewidth=1.3,
            markeredgecolor=style.PAPER,
            markeredgewidth=0.5,
            zorder=3,
        )
        items.append(
            (
                Line2D(
                    [],
                    [],
                    color=colour,
                    linestyle=dashed,
                    marker=marker,
                    markersize=5.5,
                    markeredgecolor=style.PAPER,
                ),
                style.clean(sweep.label, 44),
            )
        )
    if len(the_sweeps) > len(shown):
        items.append((Line2D([], [], alpha=0), f"and {len(the_sweeps) - len(shown)} more"))
    sizes = [row[0] for sweep in shown for row in sweep.rows]
    rates = [row[1] for sweep in shown for row in sweep.rows]
    wide_range = max(rates) / min(rates) > 4
    set_up(axes, "x", "bytes", sizes, True, label="working set")
    set_up(axes, "y", "bandwidth_bytes_per_s", rates, wide_range)
    y0, y1 = (min(rates) / 1.5, max(rates) * 1.8) if wide_range else (0, max(rates) * 1.15)
    axes.set_xlim(min(sizes) / 1.3, max(sizes) * 1.3)
    axes.set_ylim(y0, y1)
    style.fit_margins(figure, axes, items if len(items) > 1 else [])
    _mark(figure, axes, shown, y0, y1)
    return figure


def _mark(figure, axes, shown, y0, y1):
    placer = LabelPlacer(figure, axes)
    for sweep in shown:
        for row in sweep.rows:
            placer.block_point(row[0], row[1], 3)
    done = []
    for sweep in shown:
        for name, size in sweep.boundaries:
            if any(abs(size - other) < 0.25 * other for other in done):
                continue
            done.append(size)
            axes.plot(
                [size, size],
                [y0, y1],
                color=style.DIM,
                linewidth=0.9,
                linestyle=(0, (4, 3)),
                zorder=1,
            )
            text = f"{name} {format_bytes(size)}".strip()
            placer.place(
                style.clean(text, 30),
                [
                    Place(size, y1, dx, -3 - 12 * step, ha, "top")
                    for step in range(4)
                    for dx, ha in ((-3, "right"), (3, "left"))
                ],
                size=8.0,
            )
    # The plateau of each level, named at its last size.
    first = shown[0]
    for low, high in zip([0.0] + sorted(done), sorted(done) + [float("inf")]):
        inside = [row[1] for row in first.rows if low < row[0] <= high]
        if done and len(inside) >= 2:
            middle = sorted(inside)[len(inside) // 2]
            at = [row[0] for row in first.rows if low < row[0] <= high][len(inside) // 2]
            places = [Place(at, middle, 0, 7 + 9 * step, "center", "bottom") for step in range(3)]
            placer.place(format_quantity(middle, "B/s"), places, size=8.0, weight="bold")
