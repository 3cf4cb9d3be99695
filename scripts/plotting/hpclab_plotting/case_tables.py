# hpclab: SPDX-License-Identifier: Apache-2.0
"""The tables that cases carry (curves, plans, levels), folded, in readable units."""

from . import names
from .page import Cell, esc, number_cell, table, text_cell
from .schema import is_number
from .study_tables import how_text, parameter_text
from .units import scale_for, split_name

_MOST_TABLES = 24
_MOST_ROWS = 400
_SI_UNITS = {"B", "B/s", "s", "Hz", "FLOP/s", "DOF/s", "W", "J"}


def _column(name, unit, cells):
    """(heading Cell, function from a cell to a Cell)"""
    numbers = [cell for cell in cells if is_number(cell)]
    if not numbers or len(numbers) < len([cell for cell in cells if cell is not None]):
        return Cell(esc(name.replace("_", " "))), lambda cell: text_cell(
            names.text_of(cell) if cell is not None else "–"
        )
    words, own_unit = split_name(name)
    unit = unit or own_unit
    scale = scale_for(unit, numbers) if unit in _SI_UNITS else scale_for("", numbers)
    text = scale.text or unit
    if unit in _SI_UNITS or unit == own_unit:
        name = words
    head = Cell(f"{esc(name.replace('_', ' '))}<small>{esc(text) or '&nbsp;'}</small>", "n")
    return head, lambda cell: number_cell(esc(scale.number(cell)) if is_number(cell) else "–")


def _one(name, content):
    units = content.get("units") or [""] * len(content["columns"])
    rows = content["rows"][:_MOST_ROWS]
    columns = [
        _column(column, unit or "", [row[i] for row in rows])
        for i, (column, unit) in enumerate(zip(content["columns"], units))
    ]
    body = [[show(cell) for (_, show), cell in zip(columns, row)] for row in rows]
    more = (
        f"<p>{len(content['rows']) - _MOST_ROWS} more rows are in the record.</p>"
        if len(content["rows"]) > _MOST_ROWS
        else ""
    )
    return table(name, [head for head, _ in columns], body) + more


def case_tables(cases):
    """HTML of the tables of `cases`, or ""."""
    found = [
        (case, name, content)
        for case in cases
        if not case.emulated
        for name, content in case.tables.items()
        if content["columns"] and content["rows"]
    ]
    if not found:
        return ""
    parts = ["<h3>Tables of single cases</h3>"]
    for case, name, content in found[:_MOST_TABLES]:
        detail = parameter_text(case)
        summary = f"{name} ({len(content['rows'])} rows): {how_text(case)}" + (
            f", {detail}" if detail else ""
        )
        parts.append(
            f"<details><summary>{esc(summary, 240)}</summary>\n{_one(name, content)}\n</details>"
        )
    if len(found) > _MOST_TABLES:
        parts.append(f"<p>{len(found) - _MOST_TABLES} more tables are in the records.</p>")
    return "\n".join(parts)
