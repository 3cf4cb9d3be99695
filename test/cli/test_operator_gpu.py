# hpclab: SPDX-License-Identifier: Apache-2.0
"""Element operators on GPU backends where there is no GPU: verified on the emulator, predicted, absent."""

import unittest

from support import CliTest, read_records

OPERATOR = ("roofline", "operator")
# What no record of the emulator may carry.
TIMES = ("_s", "_ps", "_hz", "_w", "_j")
STATES = ("built without CUDA", "no NVIDIA driver", "the NVIDIA driver serves CUDA", "no CUDA device",
          "answers error")


class Emulator(CliTest):
    def verified(self, records):
        for record in records:
            self.assertEqual(record["status"], "ok", record)
            self.assertGreater(record["values"]["verified_count"], 0)
            self.assertLess(record["values"]["max_error_ratio"], 1e-4)
            self.assertEqual([v for v in record["values"] if v.endswith(TIMES)], [], record)
            self.assertNotIn("samples", record)
            self.assertEqual(record["text"]["bound"], "emulator: verified, not timed")
            self.assertGreater(len(record["tables"]["kernels"]["rows"]), 0)

    def measured(self, *settings):
        out = self.path("-".join(settings).replace(",", "-") + ".jsonl")
        self.expect(0, *OPERATOR, "--backend", "emulator", "--method", "measure", "--set",
                    ",".join(settings), "--out", out)
        self.expect(0, "validate", out)
        return read_records(out)

    def test_are_all_operators_geometries_and_precisions_verified_and_none_timed(self):
        records = self.measured("operator=bk1,bk3,bk5,bp1,bp3,bp5", "geometry=stored,trilinear,affine",
                                "precision=fp64,fp32", "degree=2", "elements=9")
        self.assertEqual(len(records), 36)
        self.verified(records)

    def test_are_the_three_ways_to_assemble_verified(self):
        records = self.measured("operator=bp5", "degree=3", "scatter=atomics,colouring,pass", "elements=12")
        self.assertEqual(len(records), 3)
        self.verified(records)

    def test_does_each_choice_of_a_kernel_run_only_its_own(self):
        for settings, family, number in (("kernel=pencil", "pencil", 1),
                                         ("kernel=slab,matrix=shared", "slab", 1),
                                         ("kernel=slab,matrix=constant", "slab", 1),
                                         ("kernel=tensor", "tensor", 1)):
            records = self.measured("operator=bk5", "degree=7", "elements=3", settings)
            self.verified(records)
            kernels = [row[0] for row in records[0]["tables"]["kernels"]["rows"]]
            self.assertGreaterEqual(len(kernels), number)
            self.assertEqual([k for k in kernels if not k.startswith(family)], [])

    def test_is_a_kernel_that_was_not_built_skipped_with_those_that_were(self):
        records = self.measured("operator=bk5", "degree=7", "elements=3", "kernel=block")
        self.assertEqual(records[0]["status"], "skipped")
        self.assertIn("kernel=tensor", records[0]["reason"])


class Device(CliTest):
    def test_is_an_absent_device_exit_4_with_the_right_one_of_the_reasons(self):
        outcome = self.run_program(*OPERATOR, "--backend", "cuda", "--method", "measure", "--set",
                                   "degree=3,elements=8", "--stop", "count:3")
        if outcome.code == 0 and outcome.records("case")[0]["status"] == "ok":
            self.skipTest("there is a CUDA device")
        self.assertEqual(outcome.code, 4, outcome)
        self.assertEqual(len([s for s in STATES if s in outcome.err]), 1, outcome)


class Prediction(CliTest):
    def test_does_the_model_name_the_kernel_that_needs_least(self):
        out = self.path("out.jsonl")
        self.expect(0, *OPERATOR, "--method", "model", "--machine", "h200", "--set",
                    "operator=bk5,geometry=stored,affine,degree=3:8,elements=200000", "--out", out)
        for record in read_records(out):
            self.assertEqual(record["status"], "ok", record)
            self.assertRegex(record["text"]["kernel"], "^(pencil|slab|node|tensor), ")
            if record["parameters"]["geometry"] == "stored":
                self.assertEqual(record["text"]["bound"], "dram")


if __name__ == "__main__":
    unittest.main()
