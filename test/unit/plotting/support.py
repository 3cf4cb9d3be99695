# hpclab: SPDX-License-Identifier: Apache-2.0
"""What the plotting tests share: running the command line, and small record files."""

import contextlib
import io
import json
import os
import sys
import tempfile
import unittest

SOURCE = os.path.abspath(os.path.join(os.path.dirname(__file__), "..", "..", ".."))
PLOTTING = os.path.join(SOURCE, "scripts", "plotting")
sys.path.insert(0, PLOTTING)

from hpclab_plotting import __main__ as command_line  # noqa: E402

RUN = {
    "record": "run",
    "schema": "1.0",
    "run": "r1",
    "hpclab": {},
    "machine": {"host": "h"},
    "argv": ["hpclab"],
    "started": "2026-01-01T00:00:00Z",
    "null_s": 1e-8,
}


def case(index=0, **changes):
    """A valid measured case; `changes` replace its members."""
    record = {
        "record": "case",
        "id": f"{index:016x}",
        "run": "r1",
        "lab": "lab",
        "study": "study",
        "method": "measure",
        "backend": "cpu",
        "parameters": {"n": index},
        "status": "ok",
        "values": {"time_s": 1.0 + index},
    }
    record.update(changes)
    return record


class RecordTest(unittest.TestCase):
    """A folder of its own for each test."""

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = folder.name

    def path(self, name):
        return os.path.join(self.folder, name)

    def write(self, records, name="records.jsonl", end="\n"):
        """Writes records (objects, or ready lines as text or bytes) and returns the path."""
        lines = [
            (
                line
                if isinstance(line, bytes)
                else (line if isinstance(line, str) else json.dumps(line)).encode()
            )
            for line in records
        ]
        with open(self.path(name), "wb") as stream:
            stream.write(b"\n".join(lines) + end.encode())
        return self.path(name)

    def run_command(self, *arguments):
        """(exit code, standard error) of the command line, run in this process."""
        errors = io.StringIO()
        with contextlib.redirect_stderr(errors):
            try:
                code = command_line.main(list(arguments))
            except SystemExit as end:
                code = end.code
        return code, errors.getvalue()

    def read(self, name):
        with open(self.path(name), encoding="utf-8") as stream:
            return stream.read()
