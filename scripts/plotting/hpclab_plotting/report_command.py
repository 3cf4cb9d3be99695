# hpclab: SPDX-License-Identifier: Apache-2.0
"""`hpclab report`: one self-contained HTML page from record files."""

import os
import sys

from . import noise, page, provenance, verdicts
from .errors import UsageError
from .output import write_output
from .page import Cell, esc, facts, folded, number_cell, table, text_cell
from .records import read_records
from .report_study import StudySection
from .style import METHOD_NAMES
from .study_tables import how_text, parameter_text

_MOST_LINKS = 12
_MOST_LISTED = 2000


def _count(cases, status):
    return sum(case.status == status for case in cases)


def _plural(count, word):
    return f"{count} {word}" + ("" if count == 1 else "s")


def _header(title, records):
    machines = list(dict.fromkeys(provenance.machine_name(run) for run in records.runs))
    started = sorted(run.record["started"] for run in records.runs if run.record.get("started"))
    when = started[0] if started else ""
    if started and started[-1] != started[0]:
        when += f" to {started[-1]}"
    line = " · ".join(word for word in ("; ".join(machines), when) if word)
    boxes = [
        (str(len(records.studies())), "studies" if len(records.studies()) != 1 else "study"),
        (str(_count(records.cases, "ok")), "cases ok"),
        (str(_count(records.cases, "failed")), "failed"),
        (str(_count(records.cases, "skipped")), "skipped"),
        (str(sum(case.method == "measure" and case.ok for case in records.cases)), "measurements"),
        (str(sum(case.method != "measure" and case.ok for case in records.cases)), "predictions"),
    ]
    return f'<h1>{esc(title)}</h1>\n<p class="dim">{esc(line)}</p>\n{facts(boxes)}'


def _overview(sections):
    head = [
        Cell("study"),
        Cell("question"),
        Cell("model", "n"),
        Cell("simulation", "n"),
        Cell("measured", "n"),
        Cell("failed", "n"),
        Cell("skipped", "n"),
    ]
    rows = []
    for section in sections:
        row = [
            Cell(f'<a href="#{section.identity}">{esc(section.study, 80)}</a>'),
            text_cell(section.question or "–", wrap=True),
        ]
        for method in ("model", "simulate", "measure"):
            row.append(
                number_cell(str(sum(case.ok and case.method == method for case in section.cases)))
            )
        for status, css in (("failed", "bad"), ("skipped", "warn")):
            count = _count(section.cases, status)
            row.append(
                number_cell(f'<a class="{css}" href="#not-ok">{count}</a>' if count else "0")
            )
        rows.append(row)
    return "<h2>What was run</h2>\n" + table("studies", head, rows)


def _case_link(case, anchors):
    words = f"{case.study}: {how_text(case)}"
    detail = parameter_text(case)
    label = esc(f"{words}, {detail}" if detail else words, 200)
    return f'<a href="#{anchors[case]}">{label}</a>' if case in anchors else label


def _noise(records, anchors):
    parts = ["<h2>Notes and noise</h2>"]
    found = noise.findings(records)
    if not found:
        parts.append(
            "<p>No case carries a note, no interval is wide, and no time is near the cost of the harness.</p>"
        )
    for sentence, cases in found:
        links = "".join(f"<li>{_case_link(case, anchors)}</li>" for case in cases[:_MOST_LINKS])
        more = f"<li>and {len(cases) - _MOST_LINKS} more</li>" if len(cases) > _MOST_LINKS else ""
        parts.append(
            f"<h3>{esc(sentence, 400)} <small>({_plural(len(cases), 'case')})</small></h3>\n<ul class=\"plain\">{links}{more}</ul>"
        )
    remarks = noise.remarks(records)
    if remarks:
        parts.append(
            '<h3>The files</h3>\n<ul class="plain">'
            + "".join(f"<li>{esc(text, 600)}</li>" for text in remarks)
            + "</ul>"
        )
    return "\n".join(parts)


def _not_ok(records):
    rows = []
    for case in records.cases:
        if not case.ok:
            css = "bad" if case.status == "failed" else "warn"
            rows.append(
                [
                    Cell(f'<span class="{css}">{case.status}</span>'),
                    text_cell(case.reason or "no reason recorded", wrap=True),
                    text_cell(case.study),
                    text_cell(METHOD_NAMES[case.method]),
                    text_cell(case.backend or "–"),
                    text_cell(parameter_text(case), wrap=True),
                ]
            )
    title = "<h2>Failed and skipped cases</h2>\n"
    if not rows:
        return title + "<p>None: every case is ok.</p>"
    rows.sort(key=lambda row: "skipped" in row[0].markup)
    return title + table(
        "failed and skipped cases",
        [Cell(name) for name in ("status", "reason", "study", "method", "backend", "parameters")],
        rows,
    )


def _all_cases(records, anchors):
    several = len(records.runs) > 1
    head = (
        [Cell("id")]
        + ([Cell("run")] if several else [])
        + [Cell(n) for n in ("study", "method", "backend", "status", "parameters")]
    )
    rows = []
    for case in records.cases[:_MOST_LISTED]:
        css = {"ok": "good", "failed": "bad", "skipped": "warn"}[case.status]
        identity = f"<code>{esc(case.id, 24)}</code>"
        row = [Cell(f'<a href="#{anchors[case]}">{identity}</a>' if case in anchors else identity)]
        row += [text_cell(case.run.name)] if several else []
        row += [
            text_cell(case.study),
            text_cell(METHOD_NAMES[case.method]),
            text_cell(case.backend or "–"),
            Cell(f'<span class="{css}">{case.status}</span>'),
            text_cell(parameter_text(case), wrap=True),
        ]
        rows.append(row)
    listing = table("all cases", head, rows) if rows else "<p>The files hold no cases.</p>"
    more = len(records.cases) - len(rows)
    if more > 0:
        listing += f"<p>{_plural(more, 'case')} more are in the record files; <code>hpclab export</code> lists all.</p>"
    return "<h2>All cases</h2>\n" + folded(
        _plural(len(rows), "case") + " with their ids and parameters", listing
    )


def build(records, title, compared=None, claimed=None):
    """The page as text. Pictures, tables and links are made from `records`; `compared` and `claimed`
    are what `hpclab compare` and `hpclab claims` print as JSON."""
    anchors = {
        case: f"case-{index}" for index, case in enumerate(records.cases, start=1) if case.ok
    }
    studies = [
        StudySection(study, records, anchors, index)
        for index, study in enumerate(records.studies(), start=1)
    ]
    sections = [("verdicts", "Verdicts", verdicts.section(studies, compared, claimed))]
    sections += [("overview", "Overview", _overview(studies))] if studies else []
    sections += [(section.identity, section.study, section.html()) for section in studies]
    if claimed:
        sections.append(("claims", "Claims", verdicts.claims(claimed)))
    sections.append(("noise", "Notes and noise", _noise(records, anchors)))
    sections.append(("not-ok", "Failed and skipped", _not_ok(records)))
    sections.append(
        (
            "provenance",
            "Provenance",
            "<h2>Provenance</h2>\n" + "\n".join(map(provenance.run_card, records.runs)),
        )
    )
    sections.append(("cases", "All cases", _all_cases(records, anchors)))
    return page.document(title, _header(title, records), sections)


def run(options):
    if not options.output.lower().endswith((".html", ".htm")) and not os.path.exists(
        options.output
    ):
        raise UsageError(f"-o: '{options.output}' must end in .html")
    compared = verdicts.read_document(options.compare, "--compare", "cases")
    claimed = verdicts.read_document(options.claims, "--claims", "claims")
    records = read_records(options.files)
    for warning in records.warnings:
        print(f"hpclab report: {warning}", file=sys.stderr)
    title = options.title or "hpclab: " + (
        ", ".join(dict.fromkeys(study.split("/")[0] for study in records.studies())) or "no cases"
    )
    write_output(options.output, build(records, title, compared, claimed).encode("utf-8"))
    print(
        f"hpclab report: wrote {options.output} ({_plural(len(records.cases), 'case')})",
        file=sys.stderr,
    )
    return 0
