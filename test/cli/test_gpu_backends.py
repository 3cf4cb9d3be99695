# hpclab: SPDX-License-Identifier: Apache-2.0
"""The GPU's ceilings where there is no GPU: verified on the emulator, told apart from absent."""

import unittest

from support import STUDY, CliTest, read_records

# What no record of the emulator may carry.
TIMES = ("_s", "_hz", "_w", "_j")
STATES = ("built without CUDA", "no NVIDIA driver", "the NVIDIA driver serves CUDA", "no CUDA device",
          "answers error")


class Emulator(CliTest):
    def verified(self, records):
        for record in records:
            self.assertEqual(record["status"], "ok", record)
            self.assertEqual(record["values"]["mismatch_count"], 0)
            self.assertGreater(record["values"]["compared_count"], 0)
            self.assertEqual([v for v in record["values"] if v.endswith(TIMES)], [], record)
            self.assertNotIn("samples", record)
            self.assertEqual(record["text"]["bound"], "emulator: verified, not timed")

    def test_is_bandwidth_verified_without_a_time_and_the_file_valid(self):
        out = self.path("out.jsonl")
        self.expect(0, *STUDY, "--backend", "emulator", "--method", "measure", "--set",
                    "quantity=bandwidth,level=dram", "--out", out)
        self.expect(0, "validate", out)
        records = read_records(out)
        self.assertEqual(len(records), 1)
        self.verified(records)

    def test_does_the_shipped_run_verify_every_kernel(self):
        out = self.path("out.jsonl")
        self.expect(0, "run", "roofline/ceilings-emulator.json", "--out", out)
        records = read_records(out)
        self.verified(records)
        self.assertEqual({r["parameters"]["quantity"] for r in records},
                         {"bandwidth", "flops", "latency", "concurrency", "launch", "link"})

    def test_is_a_model_of_a_gpu_paired_with_no_processor(self):
        # Predicted and measured on the CPU: the H200's peak must not be set beside the host's.
        out = self.path("out.jsonl")
        self.expect(0, *STUDY, "--backend", "cpu", "--machine", "h200", "--set",
                    "precision=fp64,isa=scalar,threads=1", "--stop", "count:3", "--out", out)
        model, measured = read_records(out)
        self.assertEqual(model["values"]["flops_per_s"], 33454080000000.0)
        self.assertNotIn("predicted_flops_per_s", measured["values"])


class Device(CliTest):
    def test_is_an_absent_device_exit_4_with_the_right_one_of_the_reasons(self):
        outcome = self.run_program(*STUDY, "--backend", "cuda", "--method", "measure", "--set",
                                   "quantity=launch", "--stop", "count:3")
        if outcome.code == 0 and outcome.records("case")[0]["status"] == "ok":
            self.skipTest("there is a CUDA device")
        self.assertEqual(outcome.code, 4, outcome)
        self.assertEqual(len([s for s in STATES if s in outcome.err]), 1, outcome)


if __name__ == "__main__":
    unittest.main()
