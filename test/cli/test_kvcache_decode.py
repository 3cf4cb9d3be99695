# hpclab: SPDX-License-Identifier: Apache-2.0
"""`hpclab kvcache frontier` and `decode` as a user runs them: curves, gaps, checks, refusals."""

import unittest

from support import CliTest

FRONTIER = ["kvcache", "frontier", "--set"]
DECODE = ["kvcache", "decode", "--method", "measure"]
SMALL = "query_heads=8,kv_heads=2,head_dim=64,batch=3,context=100,threads=1"
QUICK = ["--stop", "count:3"]


class FrontierTest(CliTest):
    def test_does_a_curve_end_where_memory_does_and_say_so(self):
        outcome = self.expect(0, *FRONTIER, "model=llama-3.1-8b,gpu=a100-80gb,context=4096,batch=1:512:*2",
                              "--json")
        values = [r["values"] for r in outcome.records("case")]
        self.assertEqual(len(values), 10)
        speeds = [v["tokens_per_s"] for v in values]
        self.assertEqual(speeds, sorted(speeds))
        self.assertLess(values[0]["concurrency"], 512)
        self.assertIn("do not fit", outcome.records("case")[-1]["notes"][0])

    def test_is_the_gap_to_a_reported_gain_named(self):
        out = self.expect(0, *FRONTIER, "model=qwen2.5-1.5b,gpu=t4,kv_dtype=fp16,context=490,batch=64,"
                                        "observed_gain=27", "--out", self.path("r.jsonl")).out
        self.assertIn("27 instead of 49.8 times", out)

    def test_are_measured_rows_compared(self):
        self.write("rows.csv", "cfg,isl,osl,conc,median_tpot\na,1024,128,4,0.02\na,2048,128,64,0.1\n")
        outcome = self.expect(0, *FRONTIER, f"quantity=check,measured={self.path('rows.csv')}", "--json")
        record = outcome.records("case")[0]
        self.assertEqual(record["values"]["rows_count"], 2)
        self.assertEqual(len(record["tables"]["rows"]["rows"]), 2)

    def refuses(self, setting, *words):
        outcome = self.run_program(*FRONTIER, setting, "--json")
        self.assertIn(outcome.code, (2, 3), str(outcome))
        for word in words:
            self.assertIn(word, outcome.out + outcome.err, str(outcome))

    def test_is_what_cannot_be_served_refused_with_the_reason(self):
        self.refuses("model=llama-3.1-70b,gpu=l4", "smallest tp that fits")
        self.refuses("model=llama-3.1-8b,gpu=l4,context=200000", "cannot be served")
        self.refuses("gpu=xeon-8168-2s", "is of a processor")
        self.refuses("model=llama-9", "unknown model")
        self.refuses("quantity=check", "needs measured=FILE")
        self.refuses("model=llama-3.1-8b,gpu=a100-80gb,batch=1,observed_gain=5", "explains nothing")
        self.write("bad.csv", "isl,osl,conc,median_tpot\n1,1,x,1\n")
        self.refuses(f"quantity=check,measured={self.path('bad.csv')}", "bad.csv:2")


class DecodeTest(CliTest):
    def test_is_every_format_verified_before_it_is_timed(self):
        outcome = self.expect(0, *DECODE, "--set", SMALL + ",kv_dtype=fp32,fp16,bf16,q8_0", *QUICK, "--json")
        records = outcome.records("case")
        self.assertEqual(len(records), 4)
        for record in records:
            self.assertEqual(record["values"]["compared_count"], 24)
            self.assertLess(record["values"]["max_error_ratio"], 1 / 64)
            self.assertGreater(record["values"]["fraction_of_bandwidth_ratio"], 0)

    def test_does_a_model_predict_what_is_measured(self):
        outcome = self.expect(0, "kvcache", "decode", "--method", "model", "--machine", "h200", "--set",
                              "batch=64,context=8192", "--json")
        values = outcome.records("case")[0]["values"]
        self.assertEqual(values["kv_bytes"], 64 * 8192 * 8 * 512)
        self.assertGreaterEqual(values["time_s"], values["kv_bytes"] / 4.8e12)

    def test_does_the_emulator_verify_the_kernels(self):
        outcome = self.expect(0, *DECODE, "--backend", "emulator", "--set", "query_heads=8,kv_heads=2", "--json")
        record = outcome.records("case")[0]
        self.assertEqual(record["text"]["verdict"], "verified")
        self.assertNotIn("time_s", record["values"])

    def test_are_shapes_without_a_kernel_refused(self):
        for setting, word in (("kv_heads=5", "no multiple of kv_heads"), ("block=20", "multiples of 16"),
                              ("kv_dtype=q4_0", "did you mean 'q8_0'"),
                              ("attention=latent,kv_dtype=q8_0", "no kernel"), ("threads=4096", "processing units")):
            outcome = self.run_program(*DECODE, "--set", setting, "--json")
            self.assertIn(outcome.code, (2, 3), str(outcome))
            self.assertIn(word, outcome.out + outcome.err, str(outcome))
        outcome = self.run_program(*DECODE, "--backend", "emulator", "--set", "head_dim=64", "--json")
        self.assertIn("128 and 128, or 576 and 512", outcome.out + outcome.err)


if __name__ == "__main__":
    unittest.main()
