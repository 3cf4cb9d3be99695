# hpclab: SPDX-License-Identifier: Apache-2.0
"""Model, simulation and measurement of the same case side by side, with the signed error."""

import json
from dataclasses import dataclass

from .page import Cell, esc, number_cell, table, text_cell
from .series import varying_parameters
from .study_tables import own_values, parameter_cell, parameter_text, value_markup
from .units import format_quantity, scale_for, split_name

_BAR_LIMIT = 0.5  # errors beyond this fill the bar


@dataclass
class Row:
    """Answers (value, interval or None) by method; `error` is signed, None without a measurement or prediction."""

    case: object
    answers: dict
    predictions: list
    error: float = None
    recorded: bool = False

    @property
    def inside(self):
        """Whether the measurement lies in the model's interval; None where that cannot be said."""
        model, measured = self.answers.get("model"), self.answers.get("measure")
        if model is None or measured is None or not model[1] or model[1][0] == model[1][1]:
            return None
        return model[1][0] <= measured[0] <= model[1][1]


def _key(case):
    return case.run.label, json.dumps(case.parameters, sort_keys=True)


def _error(case, name, predicted):
    """(error, recorded?) of the measured value `name`."""
    for key in (f"error_ratio_{name}", f"{name}_error_ratio"):
        if key in case.values:
            return case.values[key], True
    sole = [key for key in case.values if key.startswith("predicted_")] in (
        [f"predicted_{name}"],
        [],
    )
    if "error_ratio" in case.values and sole:
        return case.values["error_ratio"], True
    if predicted and name in case.values:
        return case.values[name] / predicted - 1, False
    return None, False


def rows_by_quantity(cases):
    """{value name: [Row]} of every quantity that at least two methods answered."""
    groups = {}
    for case in cases:
        if case.ok and not case.emulated:
            groups.setdefault(_key(case), []).append(case)
    result = {}
    for members in groups.values():
        quantities = list(dict.fromkeys(name for case in members for name in own_values(case)))
        for name in quantities:
            measured = [
                case for case in members if case.method == "measure" and name in case.values
            ]
            for case in measured or [next(case for case in members if name in case.values)]:
                row = _row(case, members, name)
                if len(row.answers) > 1:
                    result.setdefault(name, []).append(row)
    return result


def _row(case, members, name):
    answers, predictions = {}, []
    for method, prefix in (("model", "predicted_"), ("simulate", "simulated_")):
        own = [other for other in members if other.method == method and name in other.values]
        if own:
            answers[method] = (own[-1].values[name], own[-1].interval95.get(name))
            predictions += own
        elif prefix + name in case.values:
            answers[method] = (case.values[prefix + name], case.interval95.get(prefix + name))
    if case.method == "measure":
        answers["measure"] = (case.values[name], case.interval95.get(name))
    row = Row(case, answers, predictions)
    predicted = answers.get("model") or answers.get("simulate")
    if "measure" in answers and predicted:
        row.error, row.recorded = _error(case, name, predicted[0])
    return row


def _summary(rows, varying):
    errors = sorted([row for row in rows if row.error is not None], key=lambda row: abs(row.error))
    if not errors:
        return ""
    middle = (
        abs(errors[len(errors) // 2].error)
        if len(errors) % 2
        else (abs(errors[len(errors) // 2 - 1].error) + abs(errors[len(errors) // 2].error)) / 2
    )
    worst = errors[-1]
    judged = [row.inside for row in rows if row.inside is not None]
    text = (
        f"Median size of the error {100 * middle:.3g} % over {len(errors)} cases; largest "
        f"{format_quantity(worst.error, '%')} at {parameter_text(worst.case, varying) or 'the only case'}."
    )
    if judged:
        text += (
            f" {sum(judged)} of {len(judged)} measurements lie inside the model's 95 % interval."
        )
    return f"<p>{esc(text)}</p>"


def _error_cell(row):
    if row.error is None:
        return number_cell('<span class="dim">–</span>')
    share = min(abs(row.error) / _BAR_LIMIT, 1) * 50
    side = f"left:50%;width:{share:.1f}%" if row.error > 0 else f"right:50%;width:{share:.1f}%"
    over = ' class="over"' if abs(row.error) > 0.2 else ""
    bar = f'<span class="error" aria-hidden="true"><i{over} style="{side}"></i></span>'
    return number_cell(esc(format_quantity(row.error, "%")) + bar)


def _anchor_predictions(rows, anchors):
    """Gives each row an id and points the predictions that it shows to it. Returns the ids."""
    identities = []
    for row in rows:
        shown = [case for case in row.predictions if case is not row.case and case in anchors]
        identities.append(
            f"pair-{anchors[shown[0]]}"
            if shown and not anchors[shown[0]].startswith("pair-")
            else None
        )
        for case in shown:
            if identities[-1]:
                anchors[case] = identities[-1]
    return identities


def comparison_tables(cases, anchors):
    """(HTML, predictions that it shows whole). Their entries in `anchors` then name its rows."""
    parts, shown = [], {}
    for name, rows in rows_by_quantity(cases).items():
        varying = varying_parameters([row.case for row in rows])
        words, unit = split_name(name)
        scale = scale_for(unit, [value for row in rows for value, _ in row.answers.values()])
        methods = [
            method
            for method in ("model", "simulate", "measure")
            if any(method in row.answers for row in rows)
        ]
        titles = {"model": "model", "simulate": "simulation", "measure": "measured"}
        several_runs = len({row.case.run.label for row in rows}) > 1
        head = [Cell("run")] if several_runs else []
        head += [
            Cell(esc(parameter.replace("_", " ")), "n" if _numeric(rows, parameter) else "")
            for parameter in varying
        ]
        head += [
            Cell(f"{titles[method]}<small>{esc(scale.text) or '&nbsp;'}</small>", "n")
            for method in methods
        ]
        has_error = any(row.error is not None for row in rows)
        has_verdict = any(row.inside is not None for row in rows)
        if has_error:
            note = (
                "as recorded"
                if all(row.recorded for row in rows if row.error is not None)
                else "measured / predicted − 1"
            )
            head.append(Cell(f"error<small>{note}</small>", "n"))
        if has_verdict:
            head.append(Cell("in the model's interval"))
        body = []
        for row in rows:
            cells = [text_cell(row.case.run.label)] if several_runs else []
            cells += [parameter_cell(row.case.parameters.get(parameter)) for parameter in varying]
            for method in methods:
                answer = row.answers.get(method)
                cells.append(
                    number_cell(
                        value_markup(scale, *answer) if answer else '<span class="dim">–</span>'
                    )
                )
            if has_error:
                cells.append(_error_cell(row))
            if has_verdict:
                cells.append(
                    Cell(
                        {
                            True: '<span class="good">inside</span>',
                            False: '<span class="warn">outside</span>',
                            None: "–",
                        }[row.inside]
                    )
                )
            body.append(cells)
        content = table(
            f"{words}: model, simulation and measurement",
            head,
            body,
            _anchor_predictions(rows, anchors),
        )
        for row in rows:
            for case in row.predictions:
                shown.setdefault(case, set()).add(name)
        if len(body) > 60:
            content = f"<details><summary>{len(body)} cases</summary>\n{content}\n</details>"
        parts.append(
            f"<h3>{esc(words.capitalize())}: {', '.join(titles[method] for method in methods)}</h3>\n"
            f"{_summary(rows, varying)}\n{content}"
        )
    # A prediction with further values or words of its own still needs its row among the results.
    whole = {
        case
        for case, names in shown.items()
        if names == set(own_values(case)) and not case.text and not case.notes
    }
    return "\n".join(parts), whole


def _numeric(rows, parameter):
    return all(isinstance(row.case.parameters.get(parameter), (int, float)) for row in rows)
