# hpclab: SPDX-License-Identifier: Apache-2.0
"""Which pictures a set of cases can be drawn as, and drawing them by kind."""

from dataclasses import dataclass, field

from . import (
    ceilings,
    draw_concurrency,
    draw_frontiers,
    draw_hit_curves,
    draw_roofline,
    draw_series,
    draw_sweep,
    draw_timeout_curves,
)
from . import concurrency as concurrency_curves
from . import frontiers, hit_curves, names, series, sweet_spots, timeout_curves
from . import profile as machine_profile
from .errors import UsageError
from .units import split_name


@dataclass
class Picture:
    """`draw(size)` gives a figure; `caption` says in words how to read it."""

    draw: object
    title: str
    caption: str
    notes: list = field(default_factory=list)


def lines_or_bars(
    cases, x, y, series_names=None, logx=False, logy=False, kind=None, title=None, best=None
):
    """Raises UsageError when nothing can be drawn. Without `kind`, words on the x axis give bars.

    `best` ("higher" or "lower") marks the best point of each line.
    """
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
    spots = sweet_spots.find(selection, best) if best else []
    marked = " " + sweet_spots.sentence(spots, x) if spots else ""
    return Picture(
        lambda size: draw_series.draw_lines(selection, size, title, logx, logy, spots),
        title or what,
        f"{what}. Points: measured with 95 % intervals; solid lines: model with its interval as a band; "
        f"dashed lines: simulation.{marked}",
        selection.notes,
    )


def roofline(cases, title=None, profile=None):
    bandwidths, peaks = ceilings.bandwidth_ceilings(cases), ceilings.flop_ceilings(cases)
    if profile is not None:
        bandwidths, peaks = profile
    points = ceilings.operator_points(cases)
    if points and not bandwidths and not peaks:
        bandwidths, peaks = machine_profile.recorded_profile([p.case for p in points]) or ([], [])
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


def hit_curve(cases, title=None):
    found = hit_curves.curves(cases)
    if not found:
        raise UsageError(
            "a hit curve needs ok simulations of kvcache/prefix with a table 'curve' or a capacity_blocks; none was found"
        )
    picture_title = "Prefix hits by cache capacity" if title is None else title
    exact = any(curve.exact and curve.points for curve in found)
    text = (
        "Share of asked blocks that a cache of each capacity has."
        + (" The solid line holds for every capacity; other policies were replayed at those marked." if exact else "")
        + " Diamonds mark where ten times the capacity stops to pay. "
        + " ".join(curve.sentence() for curve in found if curve.knee)
    )
    return Picture(
        lambda size: draw_hit_curves.draw_hit_curves(found, size, picture_title),
        picture_title,
        text.strip(),
    )


def frontier(cases, title=None):
    found = frontiers.frontiers(cases)
    if not found:
        raise UsageError(
            "a frontier needs ok cases of kvcache/frontier with quantity=step and two batches at least; none was found"
        )
    picture_title = "Decoding by requests at once" if title is None else title
    text = (
        "Output tokens a second of all requests (solid) and of one of them (dashed). Vertical lines: from where on "
        "arithmetic takes longer than reading the weights, and where memory holds no more requests. "
        + " ".join(one.sentence() for one in found)
    )
    return Picture(
        lambda size: draw_frontiers.draw_frontiers(found, size, picture_title), picture_title, text
    )


def timeout_curve(cases, title=None):
    found = timeout_curves.curves(cases)
    if not found:
        raise UsageError(
            "a timeout curve needs ok cases of heartbeat/timeout with a table 'curve'; none was found"
        )
    picture_title = "What a timeout costs" if title is None else title
    text = (
        "Stall for each second of useful work over the timeout. Dotted level line: pauses and rebuilding, which no "
        "timeout avoids. Diamonds: the best timeout; circles: other local minima; ticks below: shipped defaults. "
        + " ".join(curve.sentence() for curve in found)
    )
    return Picture(
        lambda size: draw_timeout_curves.draw_timeout_curves(found, size, picture_title),
        picture_title,
        text,
    )


_SPECIAL = {
    "roofline": roofline,
    "concurrency": concurrency,
    "sweep": sweep,
    "hit-curve": hit_curve,
    "frontier": frontier,
    "timeout-curve": timeout_curve,
}
KINDS_WITHOUT_AXES = tuple(_SPECIAL)


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
            _add_series_picture(pictures, notes, cases, declared)
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


def _telling(cases, series_names):
    """Of the declared series those that tell lines apart here; None leaves the choice to the data."""
    ok = [case for case in cases if case.ok]
    varying = {
        name
        for name in series_names
        if len({names.text_of(names.lookup(case, name)) for case in ok}) > 1
    }
    return [name for name in series_names if name in varying] or None


def _better(declared, name):
    better = declared.get("values", {}).get(name, {}).get("better")
    return better if better in ("higher", "lower") else None


def _add_series_picture(pictures, notes, cases, declared):
    plot = declared.get("plot") or {}
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
                _telling(cases, plot.get("series") or []),
                bool(plot.get("logx")),
                bool(plot.get("logy")),
                plot.get("kind") if plot.get("kind") in ("lines", "bars") else None,
                best=_better(declared, y) if plot.get("best") is True else None,
            )
        )
    except UsageError as error:
        notes.append(f"No picture: {error}.")
