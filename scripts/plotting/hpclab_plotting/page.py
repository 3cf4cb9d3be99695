# hpclab: SPDX-License-Identifier: Apache-2.0
"""Small pieces of HTML. Everything that enters from a record passes through esc()."""

import html
import os

from .style import clean


def esc(text, limit=100000):
    """Text as HTML, safe in element content and in double-quoted attributes."""
    return html.escape(clean(text, limit), quote=True)


class Cell:
    """One table cell: ready HTML, numeric cells right-aligned, long words wrapped."""

    def __init__(self, markup, css=""):
        self.markup, self.css = markup, css


def number_cell(markup):
    return Cell(markup, "n")


def text_cell(text, wrap=False):
    return Cell(esc(text), "wrap" if wrap else "")


def _tag(name, cell):
    css = f' class="{cell.css}"' if cell.css else ""
    scope = ' scope="col"' if name == "th" else ""
    return f"<{name}{scope}{css}>{cell.markup}</{name}>"


def table(label, head, rows, anchors=None):
    """A table in its own scrolling box. `head` and `rows` hold Cells; anchors are ids of rows."""
    lines = [
        f'<div class="scroll" tabindex="0" role="region" aria-label="{esc(label, 200)}"><table><thead><tr>'
    ]
    lines += [_tag("th", cell) for cell in head]
    lines.append("</tr></thead><tbody>")
    for index, row in enumerate(rows):
        anchor = f' id="{anchors[index]}"' if anchors and anchors[index] else ""
        lines.append(f"<tr{anchor}>" + "".join(_tag("td", cell) for cell in row) + "</tr>")
    lines.append("</tbody></table></div>")
    return "\n".join(lines)


def folded(summary, content, is_open=False):
    return f"<details{' open' if is_open else ''}><summary>{esc(summary)}</summary>\n{content}\n</details>"


def facts(pairs):
    """Boxes with a large value above a small label."""
    items = "".join(
        f"<li><b>{esc(value, 80)}</b><span>{esc(label, 120)}</span></li>" for value, label in pairs
    )
    return f'<ul class="facts">{items}</ul>'


def definition_list(pairs):
    return (
        "<dl>"
        + "".join(f"<dt>{esc(name, 200)}</dt><dd>{value}</dd>" for name, value in pairs)
        + "</dl>"
    )


def document(title, header, sections):
    """The whole page. `sections` are (id, name in the contents, html)."""
    with open(os.path.join(os.path.dirname(__file__), "report.css"), encoding="utf-8") as stream:
        css = stream.read()
    links = "".join(
        f'<li><a href="#{identity}">{esc(name, 60)}</a></li>' for identity, name, _ in sections
    )
    body = "\n".join(
        f'<section id="{identity}">\n{content}\n</section>' for identity, _, content in sections
    )
    return (
        f'<!DOCTYPE html>\n<html lang="en"><head><meta charset="utf-8">\n'
        f'<meta name="viewport" content="width=device-width, initial-scale=1">\n<title>{esc(title, 200)}</title>\n'
        f"<style>\n{css}</style></head>\n<body>\n<header>\n{header}\n</header>\n"
        f'<nav aria-label="Contents"><ul>{links}</ul></nav>\n<main>\n{body}\n</main>\n'
        "<footer>Written by hpclab report from record files of schema 1. Medians; intervals are 95 % intervals from order "
        "statistics, none below six samples. The records hold the raw samples.</footer>\n</body></html>\n"
    )
