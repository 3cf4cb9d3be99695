# hpclab: SPDX-License-Identifier: Apache-2.0
"""The operator study on the command line: predicted beside measured, contradictions, sizes."""

from support import SOURCES, CliTest, read_records

MACHINE = SOURCES / "results" / "epyc-zen4-2core-guest" / "machine.json"
OPERATOR = ["roofline", "operator", "--machine", MACHINE]
SMALL = ["--stop", "count:6", "--set", "elements=512,threads=1"]


class Operator(CliTest):
    def test_does_each_degree_show_predicted_and_measured_time_bound_and_error(self):
        out = self.path("f.jsonl")
        shown = self.expect(0, *OPERATOR, "--set", "degree=1:3", "--method", "model,measure",
                            "--backend", "cpu", *SMALL, "--out", out).out
        head, *rows = shown.splitlines()
        for column in ("degree", "time_per_dof", "predicted", "fraction_of_bound", "error"):
            self.assertIn(column, head)
        for degree in (1, 2, 3):
            row = next(row for row in rows if row.split()[:1] == [str(degree)])
            self.assertEqual(row.count(" ps"), 2, row)
            self.assertRegex(row, r"[+-]\d+\.\d %.*(fp|l1|l2|l3|dram)")
        self.assertTrue(any(row.startswith("sweet spot p = ") for row in rows), shown)
        cases = read_records(out)
        measured = [case for case in cases if case["method"] == "measure"]
        self.assertEqual(len(measured), 3)
        for case in measured:
            values = case["values"]
            self.assertEqual(values["dof_count"], 512 * case["parameters"]["degree"] ** 3)
            self.assertGreater(values["verified_count"], 0)
            self.assertAlmostEqual(values["model_error_ratio"], values["error_ratio"], places=12)
            self.assertAlmostEqual(
                values["time_per_dof_ps"] * values["throughput_dof_per_s"] / 1e12, 1, places=9)
            self.assertIn("working_set_ratio", values)
            # In cache: how much comes from DRAM is not known, so it is not said.
            self.assertNotIn("dram_bandwidth_bytes_per_s", values)
            self.assertIn("flops", case["work"])

    def test_is_a_contradiction_a_failed_case_that_says_what_fits(self):
        for setting, words in (("operator=bk5,vector=assembled", "bp5 works on assembled"),
                               ("operator=bp1,sweeps=18", "mass"),
                               ("operator=bk5,quadrature=9", "degree + 1 nodes")):
            done = self.run_program(*OPERATOR, "--method", "model", "--set", setting, *SMALL[2:])
            self.assertEqual(done.code, 3, done)
            self.assertIn(words, done.records("case")[0]["reason"])
        self.assertIn("1 to 12", self.expect(2, *OPERATOR, "--set", "degree=13").err)
        self.assertIn("give one", self.expect(
            2, *OPERATOR, "--set", "elements=8,cache_ratio=1").err)

    def test_does_memory_that_is_not_there_fail_before_it_is_touched(self):
        done = self.run_program(*OPERATOR, "--method", "measure", "--backend", "cpu",
                               "--set", "degree=2,elements=900000000")
        self.assertEqual(done.code, 3, done)
        self.assertRegex(done.records("case")[0]["reason"], r"(?i)memory|2147483647")

    def test_is_a_profile_without_a_ceiling_named_with_the_ceiling(self):
        done = self.run_program("roofline", "operator", "--machine", "epyc-7742-2s",
                               "--method", "model", "--set", "isa=avx512,threads=4")
        self.assertEqual(done.code, 3, done)
        self.assertIn("does not state", done.records("case")[0]["reason"])

    def test_does_the_decoded_case_say_which_kernel_it_was(self):
        done = self.expect(0, "run", SOURCES / "configs" / "roofline" / "operator-a100-107ps.json")
        verdicts = [case["text"]["verdict"] for case in done.records("case")]
        self.assertTrue(any("shared memory 83.5 %" in verdict and "3x low" in verdict
                            for verdict in verdicts), verdicts)
