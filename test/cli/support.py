# hpclab: SPDX-License-Identifier: Apache-2.0
"""Runs the program as a user would and reads what it leaves: exit code, both streams, records.

The program's path is $HPCLAB_PROGRAM, else that of the release preset. Every test has a home of its
own, so that a saved profile of this machine never answers, and a deadline, so that a hang fails.
"""

import dataclasses
import errno
import json
import os
import pathlib
import pty
import shutil
import subprocess
import tempfile
import time
import unittest

SOURCES = pathlib.Path(__file__).resolve().parents[2]
PROGRAM = os.environ.get("HPCLAB_PROGRAM", str(SOURCES / "build" / "release" / "hpclab"))
# A sanitizer makes the program several times slower: fewer repetitions of the same kind.
SANITIZED = os.environ.get("HPCLAB_SANITIZED", "") != ""
DEADLINE_S = 120

# Model cases of a published machine: quick, and the same on every host.
STUDY = ["roofline", "ceilings"]
MODEL = STUDY + ["--machine", "xeon-8168-2s", "--method", "model"]


def sweep(threads, *more):
    """Arguments of 2 x len(threads) model cases."""
    return MODEL + ["--set", f"level=l1,l2,kind=read,isa=avx512,threads={threads}", *more]


@dataclasses.dataclass
class Outcome:
    """How one run of the program ended."""

    arguments: list
    code: int
    out: str
    err: str

    def records(self, kind=None):
        return [r for r in map(json.loads, self.out.splitlines()) if kind in (None, r["record"])]

    def __str__(self):
        return (f"hpclab {' '.join(map(str, self.arguments))}\nexit code {self.code}\n"
                f"stdout: {self.out[:2000]}\nstderr: {self.err[:2000]}")


def read_records(path, kind="case"):
    """The records of one kind in a file, in order."""
    with open(path, encoding="utf-8") as lines:
        return [r for r in map(json.loads, lines) if kind in (None, r["record"])]


def ids(records):
    return [r["id"] for r in records]


class CliTest(unittest.TestCase):
    """A test with an empty folder and home, and the program at hand."""

    def setUp(self):
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="hpclab-cli-"))
        self.addCleanup(shutil.rmtree, self.folder, ignore_errors=True)
        (self.folder / "home").mkdir()

    def path(self, name):
        return self.folder / name

    def write(self, name, content):
        data = content if isinstance(content, (str, bytes)) else json.dumps(content)
        self.path(name).write_bytes(data.encode() if isinstance(data, str) else data)
        return self.path(name)

    def config(self, name="config.json", **more):
        """A configuration of the ceilings study."""
        return self.write(name, {"lab": "roofline", "study": "ceilings", **more})

    def environment(self, **changes):
        """The caller's environment with a fresh home; None removes a variable."""
        merged = {**os.environ, "HOME": str(self.folder / "home"), "TERM": "xterm"}
        for name in ("XDG_DATA_HOME", "NO_COLOR"):
            merged.pop(name, None)
        for name, value in changes.items():
            merged.pop(name, None)
            if value is not None:
                merged[name] = str(value)
        return merged

    def start(self, *arguments, environment=None, **options):
        """Starts the program in the test's folder and returns the process."""
        options.setdefault("stdin", subprocess.DEVNULL)
        options.setdefault("stdout", subprocess.PIPE)
        options.setdefault("stderr", subprocess.PIPE)
        process = subprocess.Popen(
            [PROGRAM, *map(str, arguments)], cwd=self.folder,
            env=self.environment(**(environment or {})), text=True, errors="replace", **options)
        self.addCleanup(self._end, process)
        return process

    @staticmethod
    def _end(process):
        if process.poll() is None:
            process.kill()
        process.communicate()

    def finish(self, process, arguments=()):
        """Waits for a started program."""
        try:
            out, err = process.communicate(timeout=DEADLINE_S)
        except subprocess.TimeoutExpired:
            process.kill()
            out, err = process.communicate()
            self.fail(f"no end within {DEADLINE_S} s: {Outcome(list(arguments), -9, out, err)}")
        return Outcome(list(arguments), process.returncode, out or "", err or "")

    def run_program(self, *arguments, **options):
        return self.finish(self.start(*arguments, **options), arguments)

    def run_on_terminal(self, *arguments, environment=None):
        """Runs the program with standard output on a pseudo-terminal."""
        master, slave = pty.openpty()
        process = self.start(*arguments, environment=environment, stdout=slave)
        os.close(slave)
        text = b""
        while True:
            try:
                piece = os.read(master, 1 << 16)
            except OSError as error:  # Linux: the other end is closed
                if error.errno != errno.EIO:
                    raise
                break
            if not piece:
                break
            text += piece
        os.close(master)
        outcome = self.finish(process, arguments)
        outcome.out = text.decode(errors="replace").replace("\r\n", "\n")
        return outcome

    def expect(self, code, *arguments, words=(), **options):
        """Runs; asserts the exit code, the words on standard error, and that nothing crashed."""
        outcome = self.run_program(*arguments, **options)
        return self.check(outcome, code, words)

    def check(self, outcome, code, words=()):
        self.assertEqual(outcome.code, code, str(outcome))
        for word in [words] if isinstance(words, str) else words:
            self.assertIn(word, outcome.err, str(outcome))
        for crash in ("Traceback", "terminate called", "internal error", "Sanitizer"):
            self.assertNotIn(crash, outcome.err, str(outcome))
        return outcome

    def refused(self, *arguments, words, **options):
        """Exit 2, a message, and nothing on standard output."""
        outcome = self.expect(2, *arguments, words=words, **options)
        self.assertTrue(outcome.err.strip(), str(outcome))
        self.assertEqual(outcome.out, "", str(outcome))
        return outcome

    def wait_for_cases(self, path, count, process):
        """Waits until a running program has written so many cases."""
        deadline = time.monotonic() + DEADLINE_S
        while time.monotonic() < deadline:
            if path.exists() and path.read_bytes().count(b'"record":"case"') >= count:
                return
            if process.poll() is not None:
                self.fail(f"ended early: {self.finish(process)}")
            time.sleep(0.002)
        self.fail(f"{path} does not get {count} cases")
