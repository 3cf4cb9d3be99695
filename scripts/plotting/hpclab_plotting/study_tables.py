# hpclab: SPDX-License-Identifier: Apache-2.0
"""Tables of one study: the values of its cases, one table for each kind of case so that no column is empty."""

from . import names
from .page import Cell, esc, number_cell, table, text_cell
from .schema import is_number
from .series import is_performance, varying_parameters
from .style import METHOD_NAMES
from .units import scale_for, split_name

_DERIVED = ("predicted_", "simulated_")
_OPEN_ROWS = 60


def is_derived(name):
    """Values that restate another method's answer: they are shown in the comparison."""
    return (
        name.startswith(_DERIVED)
        or name == "error_ratio"
        or name.endswith("_error_ratio")
        or name.startswith("error_ratio_")
    )


def own_values(case):
    """Names of the values that this case answers itself. An emulated case has no times to tell."""
    return [
        name
        for name in case.values
        if not is_derived(name) and not (case.emulated and is_performance(name))
    ]


def how_text(case):
    """How the case was answered: "model", "measured (cpu)", "emulator"."""
    if case.emulated:
        return "emulator"
    return METHOD_NAMES[case.method] + (f" ({case.backend})" if case.backend else "")


def value_markup(scale, value, interval):
    """Median with its interval in the column's unit."""
    text = esc(scale.number(value))
    if interval and interval[0] < interval[1]:
        text += f' <span class="ci">[{esc(scale.number(interval[0]))}, {esc(scale.number(interval[1]))}]</span>'
    return text


def value_head(name, scale, declared):
    words = split_name(name)[0]
    meaning = declared.get("values", {}).get(name, {})
    better = meaning.get("better")
    hint = [scale.text] if scale.text else []
    if better in ("higher", "lower"):
        hint.append(f"{better} is better")
    return Cell(f"{esc(words)}<small>{esc(', '.join(hint)) or '&nbsp;'}</small>", "n")


def parameter_cell(value):
    return (
        number_cell(esc(names.text_of(value)))
        if is_number(value)
        else text_cell(names.text_of(value) if value is not None else "–")
    )


def parameter_text(case, only=None):
    """`level dram, threads 2` for sentences."""
    chosen = (
        case.parameters
        if only is None
        else {n: case.parameters[n] for n in only if n in case.parameters}
    )
    return ", ".join(f"{name} {names.text_of(value)}" for name, value in chosen.items())


def _groups(cases):
    """Cases of one shape (same parameters and values) together."""
    groups = {}
    for case in cases:
        shape = (
            tuple(sorted(case.parameters)),
            tuple(sorted(own_values(case))) if case.method != "model" else None,
        )
        groups.setdefault(shape, []).append(case)
    merged = {}
    for (parameters, values), members in groups.items():
        # A model joins the measurements of the same parameters; its values are a subset of theirs.
        key = (
            next(
                (k for k in groups if k[0] == parameters and k[1] is not None), (parameters, values)
            )
            if values is None
            else (parameters, values)
        )
        merged.setdefault(key, []).extend(members)
    return [members for members in merged.values() if any(own_values(case) for case in members)]


def _constant_text(cases, varying):
    first = cases[0].parameters
    words = [
        f"{name} {names.text_of(value)}"
        for name, value in first.items()
        if name not in varying and not isinstance(value, (dict, list))
    ]
    return ", ".join(words)


def result_tables(cases, declared, anchors):
    """HTML of all tables of one study's ok cases; `anchors` maps case to the id of its row."""
    parts = []
    groups = _groups(cases)
    for members in groups:
        varying = varying_parameters(members)
        constant = _constant_text(members, varying)
        heading = (
            f"<h3>{esc(constant or 'Results', 200)}</h3>"
            if len(groups) > 1 or constant
            else "<h3>Results</h3>"
        )
        body = _one_table(constant or "results", members, varying, declared, anchors)
        if len(members) > _OPEN_ROWS:
            body = f"<details><summary>{len(members)} cases</summary>\n{body}\n</details>"
        parts.append(heading + "\n" + body)
    return "\n".join(parts)


def _one_table(label, cases, varying, declared, anchors):
    # Methods of the same parameters sit in neighbouring rows.
    order = {}
    for case in cases:
        order.setdefault(
            tuple(names.text_of(case.parameters.get(name)) for name in varying), len(order)
        )
    cases = sorted(
        cases, key=lambda c: order[tuple(names.text_of(c.parameters.get(name)) for name in varying)]
    )
    columns = list(dict.fromkeys(name for case in cases for name in own_values(case)))
    words = list(dict.fromkeys(name for case in cases for name in case.text))
    how = {(case.method, case.backend) for case in cases}
    several_runs = len({case.run.label for case in cases}) > 1
    scales = {
        name: scale_for(
            split_name(name)[1], [case.values[name] for case in cases if name in own_values(case)]
        )
        for name in columns
    }
    head = [Cell("run")] if several_runs else []
    head += [
        Cell(
            esc(name.replace("_", " ")),
            "n" if all(is_number(c.parameters.get(name)) for c in cases) else "",
        )
        for name in varying
    ]
    if len(how) > 1:
        head.append(Cell("method"))
    head += [value_head(name, scales[name], declared) for name in columns]
    head += [Cell(esc(name.replace("_", " "))) for name in words]
    rows = []
    for case in cases:
        row = [text_cell(case.run.label)] if several_runs else []
        row += [parameter_cell(case.parameters.get(name)) for name in varying]
        if len(how) > 1:
            row.append(text_cell(how_text(case)))
        for name in columns:
            if name not in own_values(case):
                row.append(number_cell('<span class="dim">–</span>'))
            else:
                row.append(
                    number_cell(
                        value_markup(scales[name], case.values[name], case.interval95.get(name))
                    )
                )
        row += [
            text_cell(case.text.get(name, "–"), wrap=len(case.text.get(name, "")) > 40)
            for name in words
        ]
        if case.notes or case.emulated:
            row[-1] = Cell(
                row[-1].markup + ' <a href="#noise" class="warn" title="has notes">†</a>',
                row[-1].css,
            )
        rows.append(row)
    return table(label, head, rows, [anchors.get(case) for case in cases])
