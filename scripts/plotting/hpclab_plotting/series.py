# hpclab: SPDX-License-Identifier: Apache-2.0
"""Points of a plot from cases: x, y with its interval, and the series and method they belong to."""

from dataclasses import dataclass, field

from . import names
from .axis import drawable
from .errors import UsageError
from .schema import METHODS, is_number

_MOST_AUTOMATIC_SERIES = 2
_MOST_POINTS = 1000  # more cannot be told apart, and a page of them would be tens of megabytes
_PREDICTIONS = (("predicted_", "model"), ("simulated_", "simulate"))


@dataclass
class Point:
    x: object
    y: float
    low: float
    high: float
    case: object


@dataclass
class Series:
    """Points of one series and method; `index` gives colour and marker, shared by its methods."""

    label: str
    index: int
    method: str
    points: list = field(default_factory=list)


@dataclass
class Selection:
    series: list
    x_name: str
    y_name: str
    series_names: list
    notes: list
    categories: list = None  # of x, when x is a word


def is_performance(name):
    """Times, rates and what is derived from them: what an emulated case cannot tell."""
    return (
        name.endswith(("_s", "_hz", "_w", "_j"))
        or "_per_" in name
        or "speedup" in name
        or name == "error_ratio"
    )


def varying_parameters(cases, without=()):
    """Names of scalar parameters that take more than one value, in order of appearance."""
    seen = {}
    for case in cases:
        for name, value in case.parameters.items():
            if not isinstance(value, (dict, list)):
                seen.setdefault(name, {})[names.text_of(value)] = True
    return [name for name, texts in seen.items() if len(texts) > 1 and name not in without]


def _automatic_series(cases, x_name, y_name):
    """Parameters that must be told apart because otherwise several cases share one x."""
    chosen = ["study"] if len({case.study for case in cases}) > 1 else []
    candidates = varying_parameters(cases, (x_name, y_name))

    def clashes(extra):
        keys = [
            tuple(names.text_of(names.lookup(c, n)) for n in [x_name] + extra)
            + (c.method, c.backend, c.run.label)
            for c in cases
        ]
        return len(keys) - len(set(keys))

    while clashes(chosen) and candidates and len(chosen) < _MOST_AUTOMATIC_SERIES:
        best = min(candidates, key=lambda name: clashes(chosen + [name]))
        if clashes(chosen + [best]) == clashes(chosen):
            break
        chosen.append(best)
        candidates.remove(best)
    return chosen


def select(cases, x_name, y_name, series_names=None, allow_emulator_note=True):
    """The series of y over x. Raises UsageError when nothing can be drawn."""
    notes = []
    usable = [
        case
        for case in cases
        if case.ok and _y_of(case, y_name) and names.lookup(case, x_name) is not None
    ]
    if is_performance(y_name):
        emulated = [case for case in usable if case.emulated]
        usable = [case for case in usable if not case.emulated]
        if emulated:
            notes.append(
                f"{len(emulated)} emulator cases left out: the emulator proves correctness, its times are not performance"
            )
            if not usable:
                raise UsageError(
                    f"'{y_name}' would come from emulator cases only, and their times are not performance: refused"
                )
    kept = [
        case for case in usable if all(drawable(value) for value in _numbers(case, x_name, y_name))
    ]
    if len(kept) < len(usable):
        notes.append(f"{len(usable) - len(kept)} cases left out: values beyond 1e±40")
    if not kept:
        raise UsageError(f"no ok case has both '{x_name}' and a number '{y_name}'")
    if series_names is None:
        series_names = _automatic_series(kept, x_name, y_name)
        if series_names:
            notes.append(f"series by {', '.join(series_names)}")
    selection = Selection(
        _build(kept, x_name, y_name, series_names), x_name, y_name, series_names, notes
    )
    _make_categories(selection)
    _thin(selection)
    return selection


def _thin(selection):
    """Keeps so many points of each series, evenly by x, with its lowest and highest."""
    total = sum(len(entry.points) for entry in selection.series)
    if total <= _MOST_POINTS:
        return
    for entry in selection.series:
        points = entry.points
        count = max(2, len(points) * _MOST_POINTS // total)
        if len(points) <= count:
            continue
        chosen = {i * (len(points) - 1) // (count - 1) for i in range(count)}
        chosen.add(min(range(len(points)), key=lambda i: points[i].y))
        chosen.add(max(range(len(points)), key=lambda i: points[i].y))
        entry.points = [points[i] for i in sorted(chosen)]
    drawn = sum(len(entry.points) for entry in selection.series)
    selection.notes.append(
        f"{drawn} of {total} points are drawn, evenly by {selection.x_name}; the records hold all"
    )


def _numbers(case, x_name, y_name):
    x = names.lookup(case, x_name)
    numbers = [x] if is_number(x) else []
    for _, low, value, high in _y_of(case, y_name):
        numbers += [low, value, high]
    return numbers


def _y_of(case, y_name):
    """[(method, low, value, high)]: the case's own y and, on a measured case, what was predicted for it."""
    result = []
    value = names.lookup(case, y_name)
    if is_number(value):
        low, high = case.interval95.get(y_name, (value, value))
        result.append((case.method, low, value, high))
    for prefix, method in _PREDICTIONS:
        predicted = case.values.get(prefix + y_name)
        if case.method == "measure" and predicted is not None:
            low, high = case.interval95.get(prefix + y_name, (predicted, predicted))
            result.append((method, low, predicted, high))
    return result


def _series_key(case, series_names):
    words = [names.text_of(names.lookup(case, name)) for name in series_names]
    labels = [
        word if not is_number(names.lookup(case, name)) else f"{name} {word}"
        for name, word in zip(series_names, words)
    ]
    if case.run.label:
        labels.insert(0, case.run.label)
    return tuple(labels)


def _build(cases, x_name, y_name, series_names):
    indices, series, taken = {}, {}, set()
    # A case of its own kind goes before the copy that a measured case carries of the same prediction.
    for own in (True, False):
        for case in cases:
            key = _series_key(case, series_names)
            index = indices.setdefault(key, len(indices))
            for method, low, value, high in _y_of(case, y_name):
                if (method == case.method) != own:
                    continue
                x = names.lookup(case, x_name)
                place = (key, method, names.text_of(x))
                if not own and place in taken:
                    continue
                taken.add(place)
                entry = series.setdefault((index, method), Series(", ".join(key), index, method))
                entry.points.append(Point(x, value, low, high, case))
    ordered = sorted(series.items(), key=lambda item: (item[0][0], METHODS.index(item[0][1])))
    return [entry for _, entry in ordered]


def _make_categories(selection):
    points = [point for entry in selection.series for point in entry.points]
    if all(is_number(point.x) for point in points):
        for entry in selection.series:
            entry.points.sort(key=lambda point: point.x)
        return
    selection.categories = list(dict.fromkeys(names.text_of(point.x) for point in points))
    for entry in selection.series:
        for point in entry.points:
            point.x = selection.categories.index(names.text_of(point.x))
        entry.points.sort(key=lambda point: point.x)
