# hpclab: SPDX-License-Identifier: Apache-2.0
"""Reads record files: runs and their cases, with the file and line of whatever is wrong."""

import os
import sys
from dataclasses import dataclass, field

from . import schema
from .errors import UsageError
from .json_line import parse_json_line


def _plain(parameter):
    # Files and machine profiles are recorded by name and sha256; people know them by name.
    if isinstance(parameter, dict) and isinstance(parameter.get("name"), str):
        return parameter["name"]
    return parameter


@dataclass(eq=False)
class Run:
    """One run record, its end record when there is one, and where it came from."""

    record: dict
    path: str
    line: int
    end: dict = None
    label: str = ""

    @property
    def name(self):
        return self.record["run"]

    def declared_study(self, study):
        """The study's question, values and default plot as the program declared them; {} in older files."""
        return self.record.get("studies", {}).get(study, {})


@dataclass(eq=False)
class Case:
    """One case record together with its run."""

    record: dict
    run: Run
    line: int

    def __post_init__(self):
        get = self.record.get
        self.id = self.record["id"]
        self.study = f"{self.record['lab']}/{self.record['study']}"
        self.method = self.record["method"]
        self.backend = get("backend") or ""
        self.status = self.record["status"]
        self.reason = get("reason") or ""
        self.parameters = {name: _plain(value) for name, value in (get("parameters") or {}).items()}
        self.values = get("values") or {}
        self.interval95 = get("interval95") or {}
        self.text = get("text") or {}
        self.tables = get("tables") or {}
        self.work = get("work") or {}
        self.notes = get("notes") or []
        self.samples = get("samples") or {}

    @property
    def ok(self):
        return self.status == "ok"

    @property
    def emulated(self):
        return self.backend == "emulator"


@dataclass
class RecordSet:
    """All that the named files hold, in file order."""

    runs: list = field(default_factory=list)
    cases: list = field(default_factory=list)
    superseded: int = 0
    warnings: list = field(default_factory=list)

    def ok_cases(self):
        return [case for case in self.cases if case.ok]

    def studies(self):
        """Names lab/study in order of first appearance."""
        return list(dict.fromkeys(case.study for case in self.cases))


def _lines(path):
    try:
        if path == "-":
            data = sys.stdin.buffer.read()
        else:
            with open(path, "rb") as stream:
                data = stream.read()
    except OSError as error:
        raise UsageError(f"cannot read '{path}': {error.strerror or error}") from None
    lines = data.split(b"\n")
    # Without a final newline the last piece may be torn; with one it is empty.
    torn_candidate = lines.pop()
    for number, line in enumerate(lines, start=1):
        yield number, line, False
    if torn_candidate:
        yield len(lines) + 1, torn_candidate, True


def _read_file(path, result):
    runs = {}
    for number, line, may_be_torn in _lines(path):
        if line.endswith(b"\r"):
            line = line[:-1]
        try:
            record = parse_json_line(line)
        except ValueError as error:
            if may_be_torn:
                result.warnings.append(
                    f"{path}:{number}: the last line is torn and was left out ({error})"
                )
                break
            raise UsageError(f"{path}:{number}: {error}") from None
        try:
            _add(record, path, number, runs, result)
        except ValueError as error:
            raise UsageError(f"{path}:{number}: {error}") from None
    if not runs:
        raise UsageError(
            f"{path}: holds no run record, so it is not an hpclab record file (schema 1)"
        )


def _add(record, path, number, runs, result):
    if not isinstance(record, dict):
        raise ValueError("expected an object")
    kind = record.get("record")
    if kind == "run":
        schema.check_run(record)
        # A resumed sweep may write the same run again; its cases then join the newest record.
        runs[record["run"]] = Run(record, path, number)
        result.runs.append(runs[record["run"]])
    elif kind in ("case", "end"):
        (schema.check_case if kind == "case" else schema.check_end)(record)
        run = runs.get(record["run"])
        if run is None:
            raise ValueError(f"/run: no run record {record['run'][:60]!r} comes before this line")
        if kind == "case":
            result.cases.append(Case(record, run, number))
        else:
            run.end = record
    else:
        raise ValueError("/record: expected one of run, case, end")


def _drop_superseded(result):
    # A retried case replaces its failed attempt; the same case measured again in the same run replaces itself.
    last, kept = {}, []
    for case in result.cases:
        key = (case.run.path, case.id)
        position = last.get(key)
        if position is not None:
            earlier = kept[position]
            if not earlier.ok or earlier.run.name == case.run.name:
                kept[position] = None
                result.superseded += 1
        last[key] = len(kept)
        kept.append(case)
    result.cases = [case for case in kept if case is not None]


def _label_runs(result):
    # The shortest thing that tells the runs apart: nothing, the file, or file and run.
    paths = list(dict.fromkeys(run.path for run in result.runs))
    stems = [os.path.splitext(os.path.basename(path))[0] for path in paths]
    unique = len(set(stems)) == len(stems)
    seen_twice = set()
    owner = {}
    for case in result.cases:
        key = (case.run.path, case.id)
        if owner.setdefault(key, case.run.name) != case.run.name:
            seen_twice.add(case.run.path)
    for run in result.runs:
        words = []
        if len(paths) > 1:
            words.append(stems[paths.index(run.path)] if unique else run.path)
        if run.path in seen_twice:
            words.append(f"run {run.name}")
        run.label = " ".join(words)


def read_records(paths):
    """Reads the files in order. Raises UsageError on the first bad line (`-` is standard input)."""
    result = RecordSet()
    for path in dict.fromkeys(paths):
        _read_file(path, result)
    _drop_superseded(result)
    _label_runs(result)
    return result
