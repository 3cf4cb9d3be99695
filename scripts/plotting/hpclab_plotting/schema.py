# hpclab: SPDX-License-Identifier: Apache-2.0
"""Checks of single records against schema 1. Each raises ValueError with the place and the reason."""

import math

SCHEMA_MAJOR = 1
STATUSES = ("ok", "skipped", "failed")
METHODS = ("model", "simulate", "measure")


def is_number(value):
    return isinstance(value, (int, float)) and not isinstance(value, bool) and math.isfinite(value)


def check_schema_version(version):
    parts = version.split(".") if isinstance(version, str) else []
    if len(parts) != 2 or not all(
        part.isascii() and part.isdigit() and len(part) < 6 for part in parts
    ):
        raise ValueError('/schema: expected text such as "1.0"')
    major = int(parts[0])
    if major > SCHEMA_MAJOR:
        raise ValueError(
            f"/schema: version {version} is newer than {SCHEMA_MAJOR}.x, which this program reads; update hpclab"
        )
    if major < SCHEMA_MAJOR:
        raise ValueError(
            f"/schema: version {version} was never released; expected {SCHEMA_MAJOR}.x"
        )


def _text(record, key, optional=False):
    value = record.get(key)
    if value is None and optional:
        return None
    if not isinstance(value, str) or (not value and not optional):
        raise ValueError(
            f"/{key}: expected text" + ("" if key in record else ", but it is missing")
        )
    return value


def _object(record, key):
    value = record.get(key)
    if value is None:
        return {}
    if not isinstance(value, dict):
        raise ValueError(f"/{key}: expected an object")
    return value


def check_run(record):
    check_schema_version(record.get("schema"))
    _text(record, "run")
    for key in ("hpclab", "machine", "studies"):
        _object(record, key)
    _text(record, "started", optional=True)
    argv = record.get("argv", [])
    if not isinstance(argv, list) or not all(isinstance(word, str) for word in argv):
        raise ValueError("/argv: expected a list of texts")
    null_s = record.get("null_s")
    if null_s is not None and not is_number(null_s):
        raise ValueError("/null_s: expected seconds")
    for name, study in _object(record, "studies").items():
        check_declared_study(f"/studies/{name}", study)


def check_declared_study(where, study):
    if not isinstance(study, dict):
        raise ValueError(f"{where}: expected an object")
    if not isinstance(study.get("question", ""), str):
        raise ValueError(f"{where}/question: expected text")
    values = study.get("values", {})
    if not isinstance(values, dict) or not all(
        isinstance(value, dict) for value in values.values()
    ):
        raise ValueError(f"{where}/values: expected an object of objects")
    plot = study.get("plot", {})
    if plot is None:
        return
    if not isinstance(plot, dict):
        raise ValueError(f"{where}/plot: expected an object")
    for key in ("kind", "x", "y"):
        if not isinstance(plot.get(key, ""), str):
            raise ValueError(f"{where}/plot/{key}: expected text")
    series = plot.get("series", [])
    if not isinstance(series, list) or not all(isinstance(name, str) for name in series):
        raise ValueError(f"{where}/plot/series: expected a list of names")


def _check_table(where, table):
    if not isinstance(table, dict):
        raise ValueError(f"{where}: expected an object")
    columns, units, rows = table.get("columns"), table.get("units", []), table.get("rows")
    if not isinstance(columns, list) or not all(isinstance(name, str) for name in columns):
        raise ValueError(f"{where}/columns: expected a list of names")
    if not isinstance(units, list) or not all(
        unit is None or isinstance(unit, str) for unit in units
    ):
        raise ValueError(f"{where}/units: expected a list of texts")
    if units and len(units) != len(columns):
        raise ValueError(f"{where}/units: {len(units)} units for {len(columns)} columns")
    if not isinstance(rows, list):
        raise ValueError(f"{where}/rows: expected a list")
    for index, row in enumerate(rows):
        if not isinstance(row, list) or len(row) != len(columns):
            raise ValueError(f"{where}/rows/{index}: expected a list of {len(columns)} cells")


def _check_numbers(record):
    values = _object(record, "values")
    for name, value in values.items():
        if not is_number(value):
            raise ValueError(f"/values/{name}: expected a finite number (words belong in text)")
    for name, interval in _object(record, "interval95").items():
        if (
            not isinstance(interval, list)
            or len(interval) != 2
            or not all(map(is_number, interval))
        ):
            raise ValueError(f"/interval95/{name}: expected two numbers")
        if interval[0] > interval[1]:
            raise ValueError(f"/interval95/{name}: the lower end is above the upper end")
    for name, samples in _object(record, "samples").items():
        if not isinstance(samples, list) or not all(map(is_number, samples)):
            raise ValueError(f"/samples/{name}: expected a list of numbers")
    field = "work"
    for name, amount in _object(record, field).items():
        if not is_number(amount):
            raise ValueError(f"/{field}/{name}: expected a number")


def check_case(record):
    for key in ("id", "run", "lab", "study"):
        _text(record, key)
    if record.get("method") not in METHODS:
        raise ValueError(f"/method: expected one of {', '.join(METHODS)}")
    _text(record, "backend", optional=True)
    status = record.get("status")
    if status not in STATUSES:
        raise ValueError(f"/status: expected one of {', '.join(STATUSES)}")
    _text(record, "reason", optional=True)
    if "schema" in record:
        check_schema_version(record["schema"])
    _object(record, "parameters")
    _check_numbers(record)
    for name, text in _object(record, "text").items():
        if not isinstance(text, str):
            raise ValueError(f"/text/{name}: expected text")
    for name, table in _object(record, "tables").items():
        _check_table(f"/tables/{name}", table)
    notes = record.get("notes", [])
    if not isinstance(notes, list) or not all(isinstance(note, str) for note in notes):
        raise ValueError("/notes: expected a list of texts")
    if not isinstance(record.get("files", []), list):
        raise ValueError("/files: expected a list")


def check_end(record):
    _text(record, "run")
    for key in ("cases", "ok", "failed", "skipped", "seconds"):
        if key in record and not is_number(record[key]):
            raise ValueError(f"/{key}: expected a number")
