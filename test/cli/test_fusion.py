# hpclab: SPDX-License-Identifier: Apache-2.0
"""`hpclab roofline fusion` from the command line: model, measurement, emulator, refusals."""

import unittest

from support import CliTest, read_records

FUSION = ("roofline", "fusion")
SMALL = "operations=3,elements=20000,threads=1,isa=avx2,stores=plain"


class Fusion(CliTest):
    def test_does_the_model_say_what_an_observed_speed_up_implies(self):
        out = self.path("out.jsonl")
        outcome = self.expect(0, *FUSION, "--machine", "a100-40gb", "--method", "model", "--set",
                              "observed_speedup=33.9,inputs=one,two", "--out", out)
        for words in ("implies about 34 one-input", "implies about 23 two-input"):
            self.assertIn(words, outcome.out)
        one, two = (r["values"]["implied_operations"] for r in read_records(out))
        self.assertAlmostEqual(one, 33.9, places=1)
        self.assertAlmostEqual(two, 23.0, places=1)
        self.expect(0, "validate", out)

    def test_is_a_measured_chain_verified_and_beside_its_copy(self):
        out = self.path("out.jsonl")
        self.expect(0, *FUSION, "--method", "measure", "--set", SMALL + ",fusion=unfused,partly,fused",
                    "--group", "2", "--stop", "count:3", "--out", out)
        records = read_records(out)
        self.assertEqual([r["status"] for r in records], ["ok"] * 3, records)
        self.assertEqual([r["values"]["launches_count"] for r in records], [3, 2, 1])
        for record in records:
            self.assertEqual(record["values"]["mismatch_count"], 0)
            self.assertGreater(record["values"]["copy_bytes_per_s"], 0)
        self.expect(0, "validate", out)

    def test_does_the_shipped_emulator_run_verify_every_cut(self):
        out = self.path("out.jsonl")
        self.expect(0, "run", "roofline/fusion-emulator.json", "--out", out)
        for record in read_records(out):
            self.assertEqual(record["status"], "ok", record)
            self.assertEqual(record["values"]["mismatch_count"], 0)
            self.assertNotIn("time_s", record["values"])

    def test_are_arrays_that_do_not_fit_refused_with_the_bytes(self):
        out = self.path("out.jsonl")
        self.expect(3, *FUSION, "--method", "measure", "--set",
                    "operations=2,elements=1e12,threads=1,isa=avx2", "--out", out)
        self.assertIn("available", read_records(out)[0]["reason"])

    def test_are_wrong_parameters_named(self):
        self.refused(*FUSION, "--set", "operations=129", words=("operations", "1 to 128"))
        self.refused(*FUSION, "--set", "operation=3", words=("operation", "operations"))
        self.refused(*FUSION, "--set", "stores=temporal", words=("stores", "nontemporal"))

    def test_is_a_figure_named_that_the_profile_lacks(self):
        out = self.path("out.jsonl")
        self.expect(3, *FUSION, "--machine", "epyc-7742-2s", "--method", "model", "--set",
                    "isa=avx2,threads=1", "--out", out)
        self.assertIn("nontemporal_copy_bytes_per_s", read_records(out)[0]["reason"])


if __name__ == "__main__":
    unittest.main()
