# hpclab: SPDX-License-Identifier: Apache-2.0
"""What to take from a report before reading it: each study in a line, the comparison, the claims."""

import json
import os

from . import names
from .comparison import rows_by_quantity
from .errors import UsageError
from .page import Cell, esc, number_cell, table, text_cell
from .study_tables import parameter_text
from .units import format_quantity, split_name

_MOST_ROWS = 200
_CSS = {
    "SLOW": "bad",
    "BROKE": "bad",
    "not met": "bad",
    "UNSURE": "warn",
    "skipped": "warn",
    "FAST": "good",
    "SAME": "good",
    "met": "good",
}


def read_document(path, option, member):
    """A JSON document that another verb printed; `member` is the list that it must hold."""
    if not path:
        return None
    try:
        with open(path, encoding="utf-8") as stream:
            document = json.load(stream)
    except (OSError, ValueError, RecursionError) as error:
        raise UsageError(f"{option}: cannot read '{path}': {error}") from None
    rows = document.get(member) if isinstance(document, dict) else None
    if not isinstance(rows, list) or not all(isinstance(row, dict) for row in rows):
        raise UsageError(
            f"{option}: '{path}' holds no list '{member}'; it is written by "
            f"`hpclab {os.path.splitext(option)[0].strip('-')} ... --json`"
        )
    return document


def _median(values):
    values = sorted(values)
    middle = len(values) // 2
    return values[middle] if len(values) % 2 else (values[middle - 1] + values[middle]) / 2


def _word(verdict):
    verdict = str(verdict)
    return Cell(f'<span class="{_CSS.get(verdict, "dim")}">{esc(verdict, 40)}</span>')


def _errors(cases):
    """Signed errors of measurements against predictions: (error, case, quantity)."""
    return [
        (row.error, row.case, name)
        for name, rows in rows_by_quantity(cases).items()
        for row in rows
        if row.error is not None
    ]


def _study_row(section):
    count = {status: sum(case.status == status for case in section.cases) for status in
             ("ok", "failed", "skipped")}
    if count["failed"]:
        verdict = Cell(f'<a class="bad" href="#not-ok">{count["failed"]} failed</a>')
    elif not count["ok"]:
        verdict = Cell('<a class="warn" href="#not-ok">nothing ran</a>')
    else:
        verdict = Cell('<span class="good">ok</span>')
    errors = _errors(section.cases)
    agreement = text_cell("no measurement beside a prediction")
    if errors:
        worst, case, name = max(errors, key=lambda found: abs(found[0]))
        middle = _median([abs(error) for error, _, _ in errors])
        where = parameter_text(case)
        agreement = text_cell(
            f"{len(errors)} measurements beside predictions: median error {100 * middle:.3g} %, "
            f"largest {format_quantity(worst, '%')} ({split_name(name)[0]}"
            + (f"; {where})" if where else ")"),
            wrap=True,
        )
    best = [f"{value} {label}" for value, label in section.headlines()[:2]]
    return [
        Cell(f'<a href="#{section.identity}">{esc(section.study, 80)}</a>'),
        verdict,
        text_cell("; ".join(best) or "–", wrap=True),
        agreement,
    ]


def _change(row):
    change = row.get("change_ratio")
    if not isinstance(change, (int, float)):
        return number_cell("–")
    text = f"{100 * change:+.3g} %"
    ends = row.get("change_interval")
    if isinstance(ends, list) and len(ends) == 2 and all(isinstance(x, (int, float)) for x in ends):
        text += f" [{100 * ends[0]:+.3g}, {100 * ends[1]:+.3g}]"
    return number_cell(esc(text))


def _parameters(row):
    found = row.get("parameters")
    if not isinstance(found, dict):
        return ""
    return ", ".join(f"{name} {names.text_of(value)}" for name, value in found.items()
                     if not isinstance(value, (dict, list)))


def comparison(document):
    """The table of `hpclab compare --json` or `hpclab ab --json`."""
    rows = [
        [
            _word("BROKE" if row.get("broke") else row.get("verdict", "?")),
            _change(row),
            text_cell(split_name(str(row.get("value", "")))[0]),
            text_cell(" ".join(str(row[k]) for k in ("lab", "study") if k in row)),
            text_cell(_parameters(row), wrap=True),
            text_cell(str(row.get("remark", "")), wrap=True),
        ]
        for row in document["cases"][:_MOST_ROWS]
    ]
    head = [Cell(name) for name in ("verdict", "change", "value", "study", "case", "remark")]
    counts = {}
    for row in document["cases"]:
        counts[row.get("verdict")] = counts.get(row.get("verdict"), 0) + 1
    words = ", ".join(f"{number} {name}" for name, number in counts.items())
    parts = [f"<h3>B against A: {esc(words, 200)}</h3>"]
    if rows:
        parts.append(table("comparison", head, rows))
    differences = document.get("differences")
    if isinstance(differences, list) and differences:
        parts.append(
            '<ul class="plain">'
            + "".join(f"<li>differs: {esc(str(line), 400)}</li>" for line in differences)
            + "</ul>"
        )
    return "\n".join(parts)


def claims(document):
    """The page of `hpclab claims --json`: ours beside what is published, by study."""
    studies = {}
    for claim in document["claims"]:
        studies.setdefault(f"{claim.get('lab', '?')}/{claim.get('study', '?')}", []).append(claim)
    head = [Cell("verdict"), Cell("claim"), Cell("ours", "n"), Cell("expected", "n"),
            Cell("error", "n"), Cell("tolerance"), Cell("kind"), Cell("source")]
    parts = ["<h2>Claims</h2>", f"<p>{claims_sentence(document)}</p>"]
    for study, members in studies.items():
        rows = []
        for claim in members:
            error = claim.get("error_ratio")
            reason = claim.get("reason")
            verdict = _word(claim.get("verdict", "?"))
            if reason:
                verdict = Cell(f"{verdict.markup}<small> {esc(str(reason), 300)}</small>", "wrap")
            rows.append([
                verdict,
                text_cell(str(claim.get("id", ""))),
                number_cell(esc(_figure(claim.get("ours")))),
                number_cell(esc(_figure(claim.get("expected")))),
                number_cell(esc(f"{100 * error:+.2g} %" if isinstance(error, (int, float)) else "–")),
                text_cell(str(claim.get("tolerance", ""))),
                text_cell(str(claim.get("kind", ""))),
                text_cell(str(claim.get("source", "")), wrap=True),
            ])
        parts.append(f"<h3>{esc(study, 120)}</h3>\n" + table(f"claims of {study}", head, rows))
    return "\n".join(parts)


def _figure(value):
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        return "–" if value is None else str(value)[:60]
    return f"{value:.5g}"


def claims_sentence(document):
    """The counts in words, safe HTML."""
    counts = {}
    for claim in document["claims"]:
        counts[claim.get("verdict", "?")] = counts.get(claim.get("verdict", "?"), 0) + 1
    return esc(f"{len(document['claims'])} claims: "
               + ", ".join(f"{number} {name}" for name, number in counts.items()), 300)


def section(sections, compared, claimed):
    """The first section of the page."""
    parts = ["<h2>Verdicts</h2>"]
    if compared:
        parts.append(comparison(compared))
    if claimed:
        parts.append(f'<p><a href="#claims">{claims_sentence(claimed)}</a></p>')
    head = [Cell(name) for name in ("study", "cases", "best", "model and measurement")]
    if sections:
        parts.append(table("verdicts", head, [_study_row(one) for one in sections]))
    return "\n".join(parts)
