# hpclab: SPDX-License-Identifier: Apache-2.0
"""`hpclab kvcache size`, `explain` and `overhead` as a user runs them: accounts, folders, refusals."""

import json
import shutil
import struct
import unittest

from support import CliTest, SOURCES

CONFIGS = SOURCES / "configs"
LOGS = CONFIGS / "kvcache" / "logs"
SIZE = ["kvcache", "size", "--set"]
EXPLAIN = ["kvcache", "explain", "--set"]
SMALL = {"architectures": ["Qwen2ForCausalLM"], "model_type": "qwen2", "hidden_size": 64,
         "intermediate_size": 128, "num_attention_heads": 4, "num_hidden_layers": 2,
         "num_key_value_heads": 2, "vocab_size": 100, "max_position_embeddings": 512,
         "tie_word_embeddings": True, "torch_dtype": "bfloat16"}


class SizeTest(CliTest):
    def case(self, setting):
        return self.expect(0, *SIZE, setting, "--json").records("case")[0]

    def refused_case(self, setting, *words):
        """A case that cannot be computed: exit 3, the reason in its record."""
        outcome = self.expect(3, *SIZE, setting, "--json")
        record = outcome.records("case")[0]
        for word in words:
            self.assertIn(word, record["reason"], str(outcome))
        return record

    def test_is_every_gib_of_the_card_accounted_for(self):
        out = self.expect(0, *SIZE, "model=llama-3.1-8b,gpu=rtx-4090,engine=vllm,max_model_len=8192",
                          "--out", self.path("records.jsonl")).out
        for text in ("GPU total", "x 0.92", "weights", "activation peak", "libraries",
                     "captured graphs", "KV cache", "most tokens for one flag: --tensor-parallel-size 2 (+",
                     "requests of max_model_len", "131,072 bytes a token"):
            self.assertIn(text, out)

    def test_is_a_folder_of_models_a_table(self):
        self.path("models").mkdir()
        for name in ("llama-3.1-8b", "qwen3-8b", "gpt-oss-20b"):
            shutil.copy(CONFIGS / "models" / f"{name}.json", self.path("models"))
        outcome = self.expect(
            0, *SIZE, f"model={self.path('models')},gpu=h100-sxm,h200,engine=vllm,sglang,"
                      "max_model_len=8192", "--json")
        records = outcome.records("case")
        self.assertEqual(len(records), 12)
        self.assertEqual({r["parameters"]["model"]["name"] for r in records},
                         {"llama-3.1-8b", "qwen3-8b", "gpt-oss-20b"})
        self.assertTrue(all(r["values"]["tokens"] > 8192 for r in records))

    def test_is_a_checkpoint_read_with_the_bytes_of_its_header(self):
        self.path("small").mkdir()
        self.write("small/config.json", SMALL)
        header = json.dumps({"a": {"dtype": "BF16", "shape": [100, 64], "data_offsets": [0, 12800]},
                             "b": {"dtype": "F32", "shape": [10], "data_offsets": [12800, 12840]}})
        self.write("small/model.safetensors",
                   struct.pack("<Q", len(header)) + header.encode() + bytes(12840))
        record = self.case(f"model={self.path('small')},gpu=l4,engine=sglang,max_model_len=512")
        account = {row[0]: row[1] for row in record["tables"]["account"]["rows"]}
        self.assertEqual(account["weights"], 12840)
        self.assertEqual(record["values"]["bytes_per_token"], 2 * 2 * 2 * 16 * 2)

    def test_is_what_is_wrong_named_with_what_would_be_right(self):
        self.refused(*SIZE, "model=lama-3.1-8b", words="did you mean 'llama-3.1-8b'")
        self.refused(*SIZE, "gpu=rtx-4091", words="did you mean 'rtx-4090'")
        self.refused(*SIZE, "kv_dtype=fp7", words="kv_dtype")
        self.refused(*SIZE, "gpu_memory_utilization=1.5", words="gpu_memory_utilization")
        self.path("empty").mkdir()
        self.refused(*SIZE, f"model={self.path('empty')}", words="no model in this folder")

    def test_is_a_deployment_that_cannot_be_said_to_lack_so_much(self):
        self.refused_case("model=llama-3.1-70b,gpu=rtx-4090,max_model_len=4096",
                          "lacks", "smallest tp that fits is")
        self.refused_case("model=llama-3.1-8b,gpu=rtx-4090,max_model_len=131072",
                          "cannot be served", "at most")
        self.refused_case("model=llama-3.1-8b,gpu=h200,tp=3", "tp = 3")
        self.refused_case("model=llama-3.1-8b", "give gpu=")

    def test_is_an_architecture_that_is_not_known_refused_with_the_keys_that_lack(self):
        file = self.write("config.json", {"model_type": "unheard_of", "hidden_size": 64})
        self.refused_case(f"model={file},gpu=l4", "unheard_of", "layer_types")
        file = self.write("cut.json", json.dumps(SMALL)[:-30])
        self.refused_case(f"model={file},gpu=l4", "cut.json")

    def test_do_the_shipped_claims_hold(self):
        self.expect(0, "claims", "kvcache", "size")


class ExplainTest(CliTest):
    def explained(self, log, *more):
        return self.expect(0, *EXPLAIN, ",".join([f"log={log}", *more]), "--json")

    def test_is_a_log_explained_to_one_per_cent_of_the_card(self):
        for name in ("vllm-h100-llama-3.1-8b", "vllm-h100-gpt-oss-20b-tp2", "vllm-rtx-3090-llama-3.1-8b"):
            more = ["gpu=h100-sxm"] if name.endswith("tp2") else []
            record = self.explained(LOGS / f"{name}.log", *more).records("case")[0]
            self.assertLessEqual(abs(record["values"]["residual_of_card_ratio"]), 0.01, name)
            self.assertIn("tokens", record["text"]["verdict"])

    def test_is_each_engine_s_log_told_from_the_others(self):
        for engine, log, model in (("vllm", "vllm-h100-gpt-oss-20b-tp2", "gpt-oss-20b"),
                                   ("sglang", "sglang-qwen3-30b-a3b", "qwen3-30b-a3b"),
                                   ("tensorrt-llm", "tensorrt-llm-rtx-5090-llama-3.1-8b", "llama-3.1-8b"),
                                   ("llama.cpp", "llama.cpp-gpt-oss-20b", "gpt-oss-20b")):
            record = self.explained(LOGS / f"{log}.log", f"model={model}").records("case")[0]
            self.assertEqual(record["text"]["engine"].split()[0], engine)

    def test_is_a_missing_or_strange_log_refused(self):
        record = self.expect(3, "kvcache", "explain", "--json").records("case")[0]
        self.assertIn("the start-up log to explain is missing", record["reason"])
        self.refused(*EXPLAIN, "log=none.log", words="none.log")
        file = self.write("x.log", "nothing of the kind\n" * 3)
        record = self.expect(3, *EXPLAIN, f"log={file}", "--json").records("case")[0]
        self.assertIn("x.log", record["reason"])

    def test_are_a_cut_log_and_an_unknown_version_said(self):
        whole = (LOGS / "vllm-h100-llama-3.1-8b.log").read_text()
        cut = self.write("cut.log", "\n".join(whole.splitlines()[:4])[:-8])
        notes = " ".join(self.explained(cut, "gpu=h100-sxm").records("case")[0]["notes"])
        self.assertIn("incomplete", notes)
        self.assertIn("may be cut", notes)
        bare = self.write("bare.log", whole.replace(" (v0.19.0)", ""))
        notes = " ".join(self.explained(bare).records("case")[0]["notes"])
        self.assertIn("does not say its version", notes)


class OverheadTest(CliTest):
    def test_is_each_log_scored_by_constants_that_it_had_no_part_in(self):
        out = self.expect(0, "kvcache", "overhead", "--out", self.path("records.jsonl")).out
        for text in ("median", "p90", "sampling_by_sorting"):
            self.assertIn(text, out)


if __name__ == "__main__":
    unittest.main()
