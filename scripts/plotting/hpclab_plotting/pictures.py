# hpclab: SPDX-License-Identifier: Apache-2.0
"""Which pictures a set of cases can be drawn as, and drawing them by kind."""

from dataclasses import dataclass, field

from . import ceilings, draw_concurrency, draw_roofline, draw_series, draw_sweep, series
from . import concurrency as concurrency_curves
from .errors import UsageError
from .units import split_name


@dataclass
class Picture:
    """`draw(size)` gives a figure; `caption` says in words how to read it."""

    draw: object
    title: str
    caption: str
    notes: list = field(default_factory=list)


def lines_or_bars(cases, x, y, series_names=None, logx=False, logy=False, kind=None, title=None):
    """Raises UsageError when nothing can be drawn. Without `kind`, words on the x axis give bars."""
    selection = series.select(cases, x, y, series_names)
    what = f"{split_name(y)[0].capitalize()} by {split_name(x)[0]}"
    bars = kind == "bars" or (kind is None and selection.categories is not None)
    if bars:
        return Picture(
            lambda size: draw_series.draw_bars(selection, size, title, logy),
            title or what,
            f"{what}. Bars: measured; ticks across a bar: model (solid) and simulation (dashed).",
            selection.notes,
        )
    return Picture(
        lambda size: draw_series.draw_lines(selection, size, title, logx, logy),
        title or what,
        f"{what}. Points: measured with 95 % intervals; solid lines: model with its interval as a band; "
        "dashed lines: simulation.",
        selection.notes,
    )


def roofline(cases, title=None, profile=None):
    bandwidths, peaks = ceilings.bandwidth_ceilings(cases), ceilings.flop_ceilings(cases)
    if profile is not None:
        bandwidths, peaks = profile
    points = ceilings.operator_points(cases)
    if not bandwidths and not peaks and not points:
        raise UsageError(
            "a roofline needs ceilings (cases of roofline/ceilings with level and bandwidth_bytes_per_s, or "
            "isa/precision and flops_per_s; or --machine F) or cases with work.flops, work.dram_bytes and time_s; "
            "none was found"
        )
    threads = sorted({ceiling.threads for ceiling in bandwidths + peaks if ceiling.threads})
    with_threads = (
        f" Ceilings are those of {' and '.join(f'{count:g}' for count in threads)} thread(s)."
        if threads
        else ""
    )
    if title is None:
        title = "Roofline" + (f", {threads[-1]:g} threads" if threads and threads[-1] > 1 else "")
    text = (
        "Slanted lines: bandwidth of each memory level; level lines: peak arithmetic by instruction set and precision. "
        + (
            "Diamonds are ridge points; the shaded area is what main memory and the highest peak allow."
            if bandwidths and peaks and len({ceiling.group for ceiling in bandwidths + peaks}) == 1
            else ""
        )
        + with_threads
    )
    if not all(ceiling.measured for ceiling in bandwidths + peaks):
        text += " Dashed ceilings are published or computed, not measured."
    if points:
        text += " A point left of the last ridge can gain only from less DRAM traffic, right of it only from better arithmetic."
    return Picture(
        lambda size: draw_roofline.draw_roofline(bandwidths, peaks, points, size, title),
        title,
        text,
    )


def concurrency(cases, title=None):
    found = concurrency_curves.curves(cases)
    if not found:
        raise UsageError(
            "a latency-concurrency curve needs ok cases of roofline/ceilings with quantity=latency, at least two "
            "counts of chains, latency_s and bandwidth_bytes_per_s; none was found"
        )
    found = concurrency_curves.readable(found)
    picture_title = "Lines in flight that fill a level" if title is None else title
    text = (
        "Dashed: Little's law, one line per latency for each line in flight. N* is where it meets the best bandwidth: "
        "fewer lines in flight leave the level idle, more only queue. "
        + " ".join(curve.sentence() for curve in found)
    )
    return Picture(
        lambda size: draw_concurrency.draw_concurrency(found, size, picture_title),
        picture_title,
        text,
    )


def sweep(cases, title=None):
    found = draw_sweep.sweeps(cases)
    if not found:
        raise UsageError(
            "a working-set picture needs an ok case with a table 'sweep' of sizes (unit B) and bandwidths (B/s); "
            "none was found"
        )
    picture_title = "Bandwidth over working set" if title is None else title
    marked = any(item.boundaries for item in found)
    text = "Bandwidth that one working set of each size sees." + (
        " Vertical lines: level boundaries, as found in the sweep or else as the system states them." if marked else ""
    )
    return Picture(
        lambda size: draw_sweep.draw_sweep(found, size, picture_title), picture_title, text
    )


_SPECIAL = {"roofline": roofline, "concurrency": concurrency, "sweep": sweep}


def special(kind, cases, title=None, profile=None):
    if kind == "roofline":
        return roofline(cases, title, profile)
    return _SPECIAL[kind](cases, title)


def _guess(cases):
    """x and y of a study that declares no plot: the parameter with most values, the commonest performance value."""
    varying = series.varying_parameters(cases)
    counts = {}
    for case in cases:
        for name in case.values:
            if not name.startswith(("predicted_", "simulated_")) and name != "error_ratio":
                counts[name] = counts.get(name, 0) + 1
    if not varying or not counts:
        return None
    x = max(varying, key=lambda name: len({str(case.parameters.get(name)) for case in cases}))
    y = max(
        counts, key=lambda name: (name != "time_s" and series.is_performance(name), counts[name])
    )
    return x, y


def default_pictures(study, cases, all_cases, declared):
    """([Picture], [note]) for one study: its declared plot, or what its data allow."""
    pictures, notes = [], []
    plot = declared.get("plot") or {}
    if study == ceilings.STUDY or plot.get("kind") == "roofline":
        kinds = ["roofline", "concurrency", "sweep"] if study == ceilings.STUDY else ["roofline"]
    else:
        kinds = [plot["kind"]] if plot.get("kind") in _SPECIAL else []
        if not kinds:
            _add_series_picture(pictures, notes, cases, plot)
        if any("sweep" in case.tables for case in cases) and "sweep" not in kinds:
            kinds.append("sweep")
    for kind in kinds:
        try:
            # Points of other studies belong into the roofline of the machine, and its ceilings around them.
            pictures.append(special(kind, all_cases if kind == "roofline" else cases))
        except UsageError as error:
            if kind == plot.get("kind"):
                notes.append(f"No picture: {error}.")
    if cases and all(case.emulated for case in cases):
        notes.append(
            "All cases ran on the emulator, which proves correctness; its times are not performance and are not plotted."
        )
    return pictures, notes


def _add_series_picture(pictures, notes, cases, plot):
    x, y = plot.get("x"), plot.get("y")
    if not x or not y:
        guess = _guess([case for case in cases if case.ok])
        if guess is None:
            return
        x, y = guess
    try:
        pictures.append(
            lines_or_bars(
                cases,
                x,
                y,
                plot.get("series") or None,
                bool(plot.get("logx")),
                bool(plot.get("logy")),
                plot.get("kind") if plot.get("kind") in ("lines", "bars") else None,
            )
        )
    except UsageError as error:
        notes.append(f"No picture: {error}.")
