# hpclab: SPDX-License-Identifier: Apache-2.0
"""Standard streams: terminals, pipes, full disks, closed descriptors."""

import json
import os
import resource
import signal
import subprocess
import unittest

from support import PROGRAM, CliTest, ids, read_records, sweep


class Formats(CliTest):
    def test_does_a_pipe_get_json_lines_that_begin_with_the_run(self):
        outcome = self.expect(0, *sweep("1:3"))
        kinds = [r["record"] for r in outcome.records()]
        self.assertEqual(kinds, ["run"] + ["case"] * 6 + ["end"])
        self.assertEqual(outcome.records("run")[0]["schema"], "1.0")

    def test_does_a_terminal_get_a_table_and_json_when_asked_for(self):
        table = self.check(self.run_on_terminal(*sweep("1:3")), 0).out
        self.assertRegex(table, r"level.*threads.*bandwidth")
        self.assertIn("320.0 GB/s", table)
        self.assertNotIn('"record"', table)
        lines = self.check(self.run_on_terminal(*sweep("1:3"), "--json"), 0).out.splitlines()
        self.assertEqual(json.loads(lines[0])["record"], "run")
        self.assertEqual(len(lines), 8)

    def test_are_there_colours_on_a_terminal_and_none_with_no_color_or_in_a_pipe(self):
        for arguments in (["list"], ["doctor"], sweep("1:3")):
            self.assertIn("\x1b[", self.run_on_terminal(*arguments).out)
            plain = self.run_on_terminal(*arguments, environment={"NO_COLOR": "1"})
            self.assertNotIn("\x1b", plain.out)
            piped = self.run_program(*arguments)
            self.assertNotIn("\x1b", piped.out + piped.err)

    def test_do_records_go_to_the_file_and_the_table_to_a_pipe_with_out(self):
        out = self.path("records.jsonl")
        outcome = self.expect(0, *sweep("1:3"), "--out", out)
        self.assertIn("320.0 GB/s", outcome.out)
        self.assertEqual(len(read_records(out)), 6)
        both = self.expect(0, *sweep("1:3"), "--out", self.path("both.jsonl"), "--json")
        self.assertEqual(both.out, self.path("both.jsonl").read_text())


class ClosedPipes(CliTest):
    def start_and_leave(self, *arguments):
        """Reads one line of the output and closes the pipe, as `| head -1` does."""
        process = self.start(*arguments)
        line = process.stdout.readline()
        process.stdout.close()
        error = process.stderr.read()
        process.stderr.close()
        return line, error, process.wait(timeout=120)

    def test_does_a_reader_that_leaves_end_the_sweep_quietly_with_141(self):
        line, error, code = self.start_and_leave(*sweep("1:2000"))
        self.assertEqual(json.loads(line)["record"], "run")
        self.assertEqual(code, 141)
        self.assertEqual(error, "4000 cases: 4000 model\n")

    def test_does_a_sweep_with_a_file_complete_when_its_reader_leaves(self):
        out = self.path("records.jsonl")
        _, error, code = self.start_and_leave(*sweep("1:2000"), "--json", "--out", out)
        self.assertEqual(code, 0, error)
        self.assertEqual(len(set(ids(read_records(out)))), 4000)
        self.assertEqual(read_records(out, "end")[0]["ok"], 4000)

    def test_does_the_dry_run_of_a_large_grid_end_quietly(self):
        _, error, code = self.start_and_leave(*sweep("1:2000"), "--dry-run", "--json")
        self.assertEqual(code, 141, error)


class ClosedDescriptors(CliTest):
    def test_does_a_closed_standard_input_or_error_change_nothing(self):
        plain = ids(self.expect(0, *sweep("1:3")).records("case"))
        for descriptor in (0, 2):
            outcome = self.run_program(*sweep("1:3"), preexec_fn=lambda d=descriptor: os.close(d))
            self.assertEqual(outcome.code, 0, str(outcome))
            self.assertEqual(ids(outcome.records("case")), plain)

    def test_does_nothing_that_is_printed_land_in_the_file_when_output_is_closed(self):
        for descriptor in (1, 2):
            out = self.path(f"records-{descriptor}.jsonl")
            outcome = self.run_program(*sweep("1:3"), "--out", out,
                                       preexec_fn=lambda d=descriptor: os.close(d))
            self.assertEqual(outcome.code, 0, str(outcome))
            self.assertEqual(len(read_records(out)), 6)
            self.assertIn("valid", self.expect(0, "validate", out).out)


    def test_is_output_that_was_asked_for_and_has_nowhere_to_go_an_error(self):
        def close_output():
            os.close(1)

        out = self.path("records.jsonl")
        for arguments in (["list"], ["--help"], sweep("1:3"), [*sweep("1:3"), "--json"],
                          [*sweep("1:3"), "--json", "--out", out]):
            self.expect(3, *arguments, preexec_fn=close_output,
                        words="cannot write to standard output")


class FullDisks(CliTest):
    def test_does_a_full_output_exit_3_with_a_message(self):
        with open("/dev/full", "w", encoding="utf-8") as full:
            for arguments in (sweep("1:3"), ["list"], ["--help"], ["doctor", "--json"]):
                self.expect(3, *arguments, stdout=full, words="No space left on device")
        outcome = self.expect(3, *sweep("1:3"), "--out", "/dev/full",
                              words=["cannot write '/dev/full'", "No space left"])
        self.assertEqual(outcome.out, "")

    def test_do_the_records_before_a_full_disk_survive_and_the_sweep_continue(self):
        def limit_files():
            # Stands for a full disk: beyond the limit a write is cut short, then fails.
            signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
            resource.setrlimit(resource.RLIMIT_FSIZE, (20_000, 20_000))

        out = self.path("records.jsonl")
        self.expect(3, *sweep("1:100"), "--out", out, preexec_fn=limit_files,
                    words=[f"cannot write '{out}'", "the records before are kept"])
        self.assertLessEqual(out.stat().st_size, 20_000)
        kept = ids(read_records(out))
        self.assertGreater(len(kept), 10)
        self.assertIn("a run did not end", self.expect(0, "validate", out).out)
        again = self.expect(0, *sweep("1:100"), "--out", out, "--resume")
        self.assertIn(f"{len(kept)} cases were already finished", again.err)
        self.assertEqual(len(set(ids(read_records(out)))), 200)
        self.assertEqual(len(read_records(out)), 200)

    def test_does_a_full_trace_or_profile_file_give_a_message(self):
        outcome = self.run_program(*sweep("1"), "--trace", "/dev/full/x")
        self.check(outcome, 2, words="/dev/full/x")


class Shells(CliTest):
    def test_does_a_pipeline_of_the_program_into_head_leave_standard_error_clean(self):
        script = '"$0" list | head -n 1; exit "${PIPESTATUS[0]}"'
        done = subprocess.run(["bash", "-c", script, PROGRAM],
                              capture_output=True, text=True, timeout=60, check=False)
        self.assertIn(done.returncode, (0, 141), done.stderr)
        self.assertEqual(done.stderr, "")
        self.assertEqual(len(done.stdout.splitlines()), 1)


if __name__ == "__main__":
    unittest.main()
