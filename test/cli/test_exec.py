# hpclab: SPDX-License-Identifier: Apache-2.0
"""`hpclab exec`, `hpclab export` and `hpclab man`."""

import csv
import io
import json
import pathlib
import shutil
import subprocess
import sys
import unittest

import records
from support import PROGRAM, CliTest, sweep

RUNS = ("--stop", "count:6")


class Exec(CliTest):
    def measured(self, *arguments):
        outcome = self.expect(0, "exec", *RUNS, "--json", *arguments)
        return outcome.records("case")[0]

    def test_are_time_memory_and_printed_figures_kept_with_their_samples(self):
        case = self.measured("--metric", r"rate_gb_per_s=rate: ([0-9.]+) GB/s",
                             "--work", "flops=2e9", "--", "echo", "rate: 12.5 GB/s")
        self.assertEqual(case["values"]["rate_gb_per_s"], 12.5)
        self.assertGreater(case["values"]["time_s"], 0)
        self.assertNotIn("peak_memory_bytes", case["values"])  # echo holds less than hpclab
        self.assertIn("peak memory is at most", " ".join(case["notes"]))
        self.assertAlmostEqual(case["values"]["flops_per_s"] * case["values"]["time_s"], 2e9,
                               delta=1)
        self.assertEqual(len(case["samples"]["time_s"]), 6)
        self.assertEqual(case["work"], {"flops": 2e9})
        self.assertEqual(case["id"], records.case_id(case))

    def test_is_the_peak_memory_that_of_the_program(self):
        case = self.measured("--", sys.executable, "-c", "x = bytearray(b'1') * (200 << 20)")
        self.assertGreater(case["values"]["peak_memory_bytes"], 200 * 2**20)
        self.assertLess(case["values"]["peak_memory_bytes"], 260 * 2**20)

    def test_do_its_records_pass_validate_and_compare_under_one_name(self):
        for version, seconds in (("old", "0.01"), ("new", "0.02")):
            self.expect(0, "exec", "--stop", "count:12", "--name", "sleeper", "--out",
                        f"{version}.jsonl", "--", "sleep", seconds)
        self.assertIn("valid", self.expect(0, "validate", "old.jsonl", "new.jsonl").out)
        found = json.loads(self.expect(1, "compare", "old.jsonl", "new.jsonl", "--gate", "5%",
                                       "--json").out)
        self.assertEqual(found["cases"][0]["verdict"], "SLOW")
        self.assertEqual(found["cases"][0]["remark"], "single process")

    @unittest.skipUnless(
        (pathlib.Path(PROGRAM).parent / "share/hpclab/lib/libhpclab_nvtx_ranges.so").exists(),
        "this build has no tool for NVTX ranges: there were no NVTX headers")
    def test_are_the_nvtx_ranges_of_a_program_captured_by_name(self):
        # This program opens ranges itself once a tool is loaded.
        case = self.measured("--nvtx", "hpclab:case/*", "--", PROGRAM, *sweep("1:3"))
        rows = {row[0]: row for row in case["tables"]["ranges"]["rows"]}
        self.assertEqual(set(rows), {"hpclab:case/model"})
        self.assertEqual(rows["hpclab:case/model"][1], 6)
        self.assertGreater(case["values"]["hpclab_case_model_s"], 0)
        self.assertLess(case["values"]["hpclab_case_model_s"], case["values"]["time_s"])
        none = self.run_program("exec", "--json", "--nvtx", "x*", "--", PROGRAM, *sweep("1:3"))
        self.check(none, 3, words="NVTX ranges matches x*")
        quiet = self.run_program("exec", "--json", "--nvtx", "x*", "--", "true")
        self.check(quiet, 3, words="opened no NVTX range")

    def test_can_ab_take_two_commands(self):
        outcome = self.expect(0, "ab", "--commands", "--a", "sleep 0.01", "--b", "sleep 0.05",
                              "--budget", "60s", "--json")
        self.assertEqual(json.loads(outcome.out)["cases"][0]["verdict"], "SLOW")

    def test_is_a_program_that_fails_a_failed_case_with_its_own_words(self):
        outcome = self.run_program("exec", "--json", "--", "sh", "-c", "echo on fire >&2; exit 3")
        self.check(outcome, 3, words="exit code 3: on fire")
        self.assertEqual(outcome.records("case")[0]["status"], "failed")
        for arguments, words in (
                (("--metric", "x=([0-9]+)", "--", "echo", "none"), "no line of the output matches"),
                (("--time-limit", "1", "--", "sleep", "20"), "longer than 1 s")):
            self.check(self.run_program("exec", "--json", *arguments), 3, words=words)

    def test_is_wrong_input_told(self):
        self.refused("exec", words="the command is missing")
        self.refused("exec", "true", words="CMD ... goes behind --")
        self.refused("exec", "--metric", "x", "--", "true", words="NAME=REGEX")
        self.refused("exec", "--metric", "Bad Name=(.)", "--", "true", words="perhaps bad_name")
        self.refused("exec", "--work", "flops=none", "--", "true", words="NAME=AMOUNT")
        self.refused("exec", "--stop", "never", "--", "true", words="never")
        self.expect(2, "exec", "--metric", "x=(", "--", "true", words="no regular expression")
        self.expect(2, "exec", "--metric", "x=a", "--", "true", words="has no group")
        self.expect(4, "exec", "--", "/nonexistent/program")
        self.refused("list", "--", "x", words="nothing may follow --")


class Tables(CliTest):
    def test_does_the_table_hold_every_case_with_parameters_values_and_odd_words(self):
        odd = 'a,"b"\nc'
        self.write("a.jsonl", records.lines([
            records.case({"n": 1, "id": odd}, 0.1, interval95={"time_s": [0.0999, 0.125]}),
            records.case({"n": 2}, 1e-300, text={"bound": odd}),
            records.case({"n": 3}, 0.0, status="failed", reason="no", values={})]))
        text = self.expect(0, "export", "--csv", "a.jsonl").out
        rows = list(csv.DictReader(io.StringIO(text, newline="")))
        self.assertEqual(len(rows), 3)
        self.assertEqual(rows[0]["parameter_id"], odd)
        self.assertEqual(float(rows[0]["time_s_low95"]), 0.0999)
        self.assertEqual(float(rows[1]["time_s"]), 1e-300)
        self.assertEqual(rows[1]["text_bound"], odd)
        self.assertEqual((rows[2]["status"], rows[2]["reason"], rows[2]["time_s"]),
                         ("failed", "no", ""))
        self.expect(0, "export", "--csv", "a.jsonl", "-o", "a.csv")
        self.assertEqual(self.path("a.csv").read_bytes().decode(), text)
        self.refused("export", "--csv", "a.jsonl", "-o", "a.csv", words="exists")
        self.refused("export", "a.jsonl", words="--csv is missing")
        self.refused("export", "--csv", "a.csv", words="a.csv:1")

    def test_does_the_table_of_a_real_sweep_agree_with_its_records(self):
        self.expect(0, *sweep("1:3"), "--out", "a.jsonl")
        rows = list(csv.DictReader(io.StringIO(self.expect(0, "export", "--csv", "a.jsonl").out)))
        cases = [r for r in map(json.loads, self.path("a.jsonl").read_text().splitlines())
                 if r["record"] == "case"]
        self.assertEqual([row["id"] for row in rows], [c["id"] for c in cases])
        for row, c in zip(rows, cases):
            self.assertEqual(row["threads"], str(c["parameters"]["threads"]))
            for name, value in c["values"].items():
                self.assertEqual(float(row[name]), value)


class Manual(CliTest):
    def test_does_the_manual_name_every_verb_and_read_without_complaint(self):
        text = self.expect(0, "man").out
        listed = self.expect(0, "--help").out
        for verb in ("compare", "ab", "exec", "export", "claims", "roofline ceilings", "merge"):
            self.assertIn(f".SS hpclab {verb}", text)
        self.assertIn("export", listed)
        if shutil.which("man"):
            done = subprocess.run(["man", "--warnings", "-l", "-"], input=text, text=True,
                                  capture_output=True, check=False, timeout=60)
            self.assertEqual(done.stderr, "")

    def test_does_completion_offer_the_new_verbs_with_their_options(self):
        for shell in ("bash", "zsh", "fish"):
            text = self.expect(0, "completion", shell).out
            for word in ("compare", "gate", "exec", "export", "benjamini-hochberg"):
                self.assertIn(word, text, shell)


if __name__ == "__main__":
    unittest.main()
