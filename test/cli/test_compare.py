# hpclab: SPDX-License-Identifier: Apache-2.0
"""`hpclab compare` and `hpclab ab`: verdicts, gates, what differs, and wrong input."""

import json
import pathlib
import random
import unittest

import records
from support import PROGRAM, CliTest, sweep


class Compare(CliTest):
    def side(self, name, times, cases=1, spread=0.002, **more):
        """A folder with one file a process; `times` are the processes' centres."""
        chance = random.Random(name)
        (self.folder / name).mkdir()
        for process, centre in enumerate(times):
            run = f"{name}-{process}"
            found = [records.case({"threads": n + 1}, centre * chance.gauss(1, spread), run)
                     for n in range(cases)]
            self.write(f"{name}/{process}.jsonl", records.lines(found, run, **more))
        return self.path(name)

    def compared(self, code, *arguments, words=()):
        outcome = self.expect(code, "compare", *arguments, "--json", words=words)
        return json.loads(outcome.out)

    def test_are_slower_processes_found_and_does_the_gate_say_so_by_its_exit_code(self):
        a = self.side("a", [1.0] * 8)
        b = self.side("b", [1.05] * 8)
        found = self.compared(0, a, b)
        self.assertEqual(found["counts"], {"SLOW": 1, "UNSURE": 0, "FAST": 0, "SAME": 0})
        case = found["cases"][0]
        self.assertAlmostEqual(case["slowdown_ratio"], 0.05, delta=0.005)
        low, high = case["change_interval"]
        self.assertTrue(low < 0.05 < high)
        self.compared(1, a, b, "--gate", "2%", words="gate 2 %: 1 cases are slower")
        self.compared(0, a, b, "--gate", "0.2", words="gate 20 %: held")
        self.compared(0, b, a, "--gate", "2%")

    def test_is_every_form_of_output_readable_without_colour(self):
        a = self.side("a", [1.0] * 6, cases=3)
        b = self.side("b", [0.9] * 6, cases=3)
        text = self.expect(0, "compare", a, b).out
        self.assertEqual(text.count("FAST"), 4)
        self.assertIn("threads=2", text)
        self.assertIn("3 cases: 0 SLOW, 0 UNSURE, 3 FAST, 0 SAME", text)
        self.assertNotIn("\x1b", text)
        markdown = self.expect(0, "compare", a, b, "--markdown").out
        self.assertEqual(markdown.count("| FAST |"), 3)
        self.refused("compare", a, b, "--markdown", "--json", words="exclude each other")

    def test_do_few_processes_over_many_cases_say_how_many_would_tell(self):
        a = self.side("a", [1.0] * 5, cases=10)
        b = self.side("b", [1.1] * 5, cases=10)
        found = self.compared(0, a, b, words="7 would")
        self.assertEqual(found["counts"]["UNSURE"], 10)
        self.assertEqual(self.compared(0, a, b, "--adjust", "none")["counts"]["SLOW"], 10)

    def test_does_the_same_file_twice_warn_and_hold_every_gate(self):
        out = self.path("records.jsonl")
        self.expect(0, *sweep("1:3"), "--out", out)
        found = self.compared(0, out, out, "--gate", "0", words="is B the right file?")
        self.assertEqual(found["counts"]["SAME"], 6)

    def test_are_models_compared_without_chance_and_machines_that_differ_told(self):
        self.write("a.jsonl", records.lines(
            [records.case({"n": 1}, 5.0, method="model", name="bandwidth_bytes_per_s")]))
        self.write("b.jsonl", records.lines(
            [records.case({"n": 1}, 4.0, method="model", name="bandwidth_bytes_per_s", run="b")],
            "b", machine={"cpu": {"model_name": "Y"}}))
        found = self.compared(0, "a.jsonl", "b.jsonl")
        self.assertEqual(found["cases"][0]["verdict"], "SLOW")
        self.assertEqual(found["cases"][0]["basis"], "exact")
        self.assertEqual(found["differences"], ["machine/cpu/model_name: X in A, Y in B"])

    def test_is_wrong_input_told_with_what_would_be_right(self):
        self.write("a.jsonl", records.lines([records.case({"n": 1, "v": "x"}, 5.0)]))
        self.write("b.jsonl", records.lines([records.case({"n": 1, "v": "y"}, 5.0, "b")], "b"))
        self.write("empty.jsonl", "")
        self.write("new.jsonl", json.dumps(records.run_record(schema="2.0")) + "\n")
        self.write("none.jsonl", records.lines([]))
        (self.folder / "folder").mkdir()
        self.refused("compare", "a.jsonl", "b.jsonl", words='v: "x" in A, "y" in B')
        self.refused("compare", "a.jsonl", "empty.jsonl", words="holds no run record")
        self.refused("compare", "a.jsonl", "none.jsonl", words="B holds no case")
        self.refused("compare", "a.jsonl", "new.jsonl", words="schema 2.0 is newer")
        self.refused("compare", "a.jsonl", "absent.jsonl", words="absent.jsonl")
        self.refused("compare", "a.jsonl", "folder", words="holds no .jsonl file")
        self.refused("compare", "a.jsonl", words="B is missing")
        self.refused("compare", "a.jsonl", "b.jsonl", "--gate", "fast", words="no share")
        self.refused("compare", "a.jsonl", "b.jsonl", "--level", "2", words="out of range")
        self.refused("compare", "a.jsonl", "b.jsonl", "--value", "tine_s",
                     words="did you mean 'time_s'")
        self.refused("compare", "a.jsonl", "b.jsonl", "--adjust", "holme",
                     words="did you mean 'holm'")
        self.refused("compare", "a.jsonl", "b.jsonl", "--ignore", "w", words="no case has")
        self.expect(0, "compare", "a.jsonl", "b.jsonl", "--ignore", "v")


class Interleaved(CliTest):
    FAKE = """#!/usr/bin/env python3
# Stands for a program: `FAKE LAB STUDY --out FILE ...` takes a known time with noise of 0.1 %.
import random, sys
sys.path.insert(0, {cli!r})
import records
out = sys.argv[sys.argv.index("--out") + 1]
if "--fail" in sys.argv:
    sys.exit("the device is on fire")
chance = random.Random(out[-12:] + {name!r})
cases = [records.case({{"n": n}}, {time} * chance.gauss(1, 0.001), out) for n in (1, 2)]
open(out, "x").write(records.lines(cases, out))
"""

    def program(self, name, time):
        path = self.write(name, self.FAKE.format(cli=str(pathlib.Path(__file__).parent),
                                                 name=name, time=time))
        path.chmod(0o755)
        return path

    def test_is_a_slower_program_found_and_are_its_records_kept_for_compare(self):
        a = self.program("old", 1.0)
        b = self.program("new", 1.03)
        outcome = self.expect(1, "ab", "--a", a, "--b", b, "--budget", "60s", "--gate", "1%",
                              "--keep", "kept", "--json", "--", "lab", "study")
        found = json.loads(outcome.out)
        self.assertEqual([c["verdict"] for c in found["cases"]], ["SLOW", "SLOW"])
        self.assertAlmostEqual(found["cases"][0]["slowdown_ratio"], 0.03, delta=0.003)
        self.assertLess(found["cases"][0]["detectable_ratio"], 0.03)
        self.assertEqual(found["ended"], "every case is decided")
        again = self.expect(0, "compare", "kept/a", "kept/b", "--json")
        self.assertEqual(json.loads(again.out)["counts"]["SLOW"], 2)

    def test_does_a_spent_budget_say_what_could_have_been_found(self):
        a = self.program("old", 1.0)
        text = self.expect(0, "ab", "--a", a, "--b", a, "--budget", "1s", "--", "lab", "study").out
        self.assertIn("the budget is spent", text)
        self.assertIn("UNSURE", text)

    def test_is_wrong_input_told(self):
        a = self.program("old", 1.0)
        self.refused("ab", "--a", a, words="--a and --b are needed")
        self.refused("ab", "--a", a, "--b", a, words="what to run is missing")
        self.refused("ab", "--a", a, "--b", a, "--", "lab", "study", "--out", "x", words="--out")
        self.refused("ab", "--a", a, "--b", a, "--", "lab", "study", "--fail",
                     words=["A ended with exit code 1", "the device is on fire"])
        self.refused("ab", "--a", a, "--b", a, "--budget", "soon", "--", "lab", "study",
                     words="no time")
        self.expect(4, "ab", "--a", "/nonexistent", "--b", a, "--", "lab", "study")
        (self.folder / "full").mkdir()
        self.write("full/x", "")
        self.refused("ab", "--a", a, "--b", a, "--keep", "full", "--", "lab", "study",
                     words="not empty")

    def test_do_two_runs_of_this_program_end_with_a_verdict_or_the_budget(self):
        outcome = self.expect(0, "ab", "--a", PROGRAM, "--b", PROGRAM, "--budget", "4s", "--json",
                              "--", "roofline", "ceilings", "--set",
                              "quantity=bandwidth,level=l1,kind=read,threads=1", "--stop",
                              "count:3")
        self.assertGreaterEqual(len(json.loads(outcome.out)["cases"]), 1)


if __name__ == "__main__":
    unittest.main()
