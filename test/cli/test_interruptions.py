# hpclab: SPDX-License-Identifier: Apache-2.0
"""Sweeps that are stopped, killed or damaged, and continued: no case lost, none doubled."""

import random
import signal
import time
import unittest

from support import SANITIZED, STUDY, CliTest, ids, read_records, sweep


class Continued(CliTest):
    def plan(self, arguments):
        return ids(self.expect(0, *arguments, "--dry-run", "--json").records("plan"))

    def check_whole(self, out, expected):
        """Every planned case is in the file once, and the file is valid."""
        self.check_cases(out, expected)
        self.assertIn("valid", self.expect(0, "validate", out).out)

    def check_cases(self, out, expected):
        found = ids(read_records(out))
        self.assertEqual(len(found), len(set(found)), "a case is there twice")
        self.assertEqual(set(found), set(expected))


class Signals(Continued):
    def check_stopped(self, number):
        arguments = [*sweep("1:4000"), "--out", self.path("records.jsonl")]
        out = self.path("records.jsonl")
        expected = self.plan(arguments)
        process = self.start(*arguments)
        self.wait_for_cases(out, 20, process)
        process.send_signal(number)
        outcome = self.check(self.finish(process), 130, words=["interrupted after", "--resume"])
        kept = len(read_records(out))
        self.assertGreaterEqual(kept, 20)
        self.assertLess(kept, len(expected), str(outcome))
        self.assertTrue(read_records(out, "end")[-1]["interrupted"])
        again = self.expect(0, *arguments, "--resume")
        self.assertIn(f"{kept} cases were already finished", again.err)
        self.check_whole(out, expected)

    def test_does_a_sweep_stopped_by_ctrl_c_exit_130_and_continue(self):
        self.check_stopped(signal.SIGINT)

    def test_does_a_sweep_stopped_by_sigterm_exit_130_and_continue(self):
        self.check_stopped(signal.SIGTERM)

    def test_is_a_change_of_the_stopping_rule_said_when_a_sweep_goes_on(self):
        out = self.path("records.jsonl")
        arguments = [*STUDY, "--method", "measure", "--set", "quantity=clock", "--out", out]
        self.expect(0, *arguments, "--stop", "count:3")
        (first,) = read_records(out)
        self.assertEqual(first["stopping_rule"], "count:3")
        again = self.expect(0, *arguments, "--resume", "--stop", "count:3")
        self.assertNotIn("stopping rule", again.err)
        self.expect(0, *arguments, "--resume", "--stop", "count:4",
                    words=["1 finished case", "another stopping rule (count:3, not count:4)", "--out"])
        self.expect(0, *arguments, "--resume", words="(count:3, not relative:1%,min=10,time=10s)")
        self.assertEqual(read_records(out), [first])

    def test_does_ctrl_c_end_a_measurement_that_would_take_an_hour(self):
        out = self.path("records.jsonl")
        arguments = [*STUDY, "--set", "quantity=clock", "--out", out]
        process = self.start(*arguments, "--stop", "time:3600s")
        self.wait_for_cases(out, 1, process)  # the prediction: the measurement comes next
        time.sleep(0.2)
        process.send_signal(signal.SIGINT)
        self.check(self.finish(process), 130)
        self.assertEqual([c["method"] for c in read_records(out)], ["model"])
        self.expect(0, *arguments, "--resume", "--stop", "count:3")
        self.check_whole(out, self.plan(arguments))

    def test_is_a_second_program_on_the_same_file_refused(self):
        out = self.path("records.jsonl")
        arguments = [*STUDY, "--set", "quantity=clock", "--stop", "time:3600s", "--out", out]
        process = self.start(*arguments)
        self.wait_for_cases(out, 1, process)
        self.refused(*arguments, "--resume", words="is being written by another run")
        process.send_signal(signal.SIGTERM)
        self.check(self.finish(process), 130)
        self.assertIn("valid", self.expect(0, "validate", out).out)


class Killed(Continued):
    def test_do_100_kills_at_random_points_lose_and_double_no_case(self):
        kills = 20 if SANITIZED else 100
        chance = random.Random(20260101)
        arguments = sweep("1:500")
        expected = self.plan(arguments)
        whole = self.path("whole.jsonl")
        self.expect(0, *arguments, "--out", whole)
        bytes_a_case = whole.stat().st_size / len(expected)
        files, shares = [], []
        while len(shares) < kills:
            out = self.path(f"killed-{len(files)}.jsonl")
            files.append(out)
            written = 0
            while len(shares) < kills and written < len(expected):
                process = self.start(*arguments, "--out", out, "--resume")
                if chance.random() < 0.25:
                    time.sleep(chance.uniform(0, 0.05))  # anywhere, often before the first line
                else:
                    more = chance.uniform(0, len(expected) - written) * bytes_a_case
                    self.wait_for_size(out, self.size(out) + more, process)
                process.kill()
                outcome = self.finish(process)
                self.assertIn(outcome.code, (0, -signal.SIGKILL), str(outcome))
                if outcome.code == 0:
                    break  # it ended before the kill
                written = out.read_bytes().count(b'"record":"case"') if out.exists() else 0
                shares.append(written / len(expected))
            self.expect(0, *arguments, "--out", out, "--resume")
            self.check_cases(out, expected)
        self.assertEqual(self.expect(0, "validate", *files).out.count(" valid;"), len(files))
        begin, between = sum(s == 0 for s in shares), sum(0 < s < 1 for s in shares)
        print(f"\n{len(shares)} kills over {len(files)} files: {begin} before the first case, "
              f"{between} between, {len(shares) - begin - between} after the last")
        self.assertGreater(between, kills // 4)

    @staticmethod
    def size(path):
        return path.stat().st_size if path.exists() else 0

    def wait_for_size(self, path, size, process):
        """Waits until the file has grown to `size` or its writer has ended."""
        while self.size(path) < size and process.poll() is None:
            time.sleep(0.0005)


class Damaged(Continued):
    def setUp(self):
        super().setUp()
        self.arguments = sweep("1:10")
        self.whole = self.path("whole.jsonl")
        self.expect(0, *self.arguments, "--out", self.whole)
        self.lines = self.whole.read_bytes().splitlines(keepends=True)
        self.cases = ids(read_records(self.whole))

    def test_is_a_file_cut_at_50_random_bytes_completed(self):
        chance = random.Random(7)
        content = self.whole.read_bytes()
        for _ in range(10 if SANITIZED else 50):
            cut = chance.randrange(len(content))
            out = self.write("cut.jsonl", content[:cut])
            outcome = self.expect(0, *self.arguments, "--out", out, "--resume")
            if cut and content[cut - 1 : cut] != b"\n":
                self.assertIn("torn last line is dropped", outcome.err)
            found = ids(read_records(out))
            self.assertEqual(sorted(found), sorted(self.cases), f"cut at byte {cut}")
            read_records(out, None)  # every line is JSON again
        self.assertIn("valid", self.expect(0, "validate", out).out)

    def refused_line(self, lines, number, *words):
        path = self.write("bad.jsonl", b"".join(lines))
        place = f"{path}:{number}: "
        self.refused(*self.arguments, "--out", path, "--resume", words=[place, *words])
        self.assertEqual(path.read_bytes(), b"".join(lines), "a refused file was changed")
        self.assertEqual(self.expect(1, "validate", path, words=[place, *words]).out, "")
        self.refused("merge", path, "-o", self.path("out"), words=[place, *words])

    def test_is_any_other_damaged_line_refused_with_file_and_line(self):
        lines = self.lines
        self.refused_line([*lines[:4], lines[4][:50] + b"\n", *lines[5:]], 5, "not a JSON object")
        self.refused_line([*lines[:2], b"\n", *lines[2:]], 3, "not a JSON object")
        self.refused_line([*lines, b"[]\n"], len(lines) + 1, "not an object")
        self.refused_line(lines[1:], 1, "before any run record")
        changed = lines[3].replace(b'"threads":3', b'"threads":4')
        self.assertNotEqual(changed, lines[3])
        self.refused_line([*lines[:3], changed, *lines[4:]], 4, "content hashes to")
        self.refused_line([lines[0], b'{"x":' + b"[" * 5000 + b"]" * 5000 + b"}\n"], 2, "not a JSON object")

    def test_is_a_case_that_is_finished_twice_refused(self):
        self.refused_line([*self.lines, self.lines[3]], len(self.lines) + 1, "already finished")

    def test_is_a_newer_schema_refused_and_an_older_minor_one_read(self):
        newer = self.lines[0].replace(b'"schema":"1.0"', b'"schema":"2.0"')
        self.refused_line([newer, *self.lines[1:]], 1, "schema 2.0 is newer")
        later = self.lines[0].replace(b'"schema":"1.0"', b'"schema":"1.7"')
        path = self.write("later.jsonl", b"".join([later, *self.lines[1:]]))
        self.assertIn("valid", self.expect(0, "validate", path).out)

    def test_does_resume_of_a_file_that_is_not_there_begin_it(self):
        out = self.path("new.jsonl")
        self.expect(0, *self.arguments, "--out", out, "--resume")
        self.check_whole(out, self.cases)

    def test_does_validate_go_through_all_files_and_exit_1_if_one_is_bad(self):
        bad = self.write("bad.jsonl", "{}\n")
        outcome = self.expect(1, "validate", self.whole, bad, self.whole, words=f"{bad}:1: ")
        self.assertEqual(outcome.out.count("valid; 1 run, 20 cases"), 2)
        empty = self.write("empty.jsonl", "")
        self.expect(1, "validate", empty, words="holds no run record")

    def test_does_validate_exit_2_for_a_file_that_cannot_be_read_after_the_others(self):
        outcome = self.expect(2, "validate", self.path("none"), self.folder, self.whole,
                              words=["No such file", "it is a folder"])
        self.assertEqual(outcome.out.count("valid; 1 run, 20 cases"), 1)

    def test_is_an_unfinished_file_valid_and_said_to_be_so(self):
        path = self.write("open.jsonl", b"".join(self.lines[:5]) + self.lines[5][:30])
        outcome = self.expect(0, "validate", path)
        for words in ("4 cases", "a run did not end", "the last line is torn"):
            self.assertIn(words, outcome.out)


if __name__ == "__main__":
    unittest.main()
