# hpclab: SPDX-License-Identifier: Apache-2.0
"""`hpclab kvcache prefix` on files as they come: packed, broken, cut, out of order."""

import gzip
import json
import unittest

from support import CliTest, read_records

PREFIX = ["kvcache", "prefix"]
SIMULATE = ["--method", "simulate"]


def line(seconds, blocks, tokens=None, **more):
    return json.dumps({"timestamp": 1000 * seconds, "input_length": tokens or 512 * len(blocks),
                       "output_length": 10, "hash_ids": blocks, **more})


TRACE = "\n".join([line(0, [1, 2, 3]), line(1, [1, 2, 4]), line(2, [1, 2, 3, 5])]) + "\n"


class Traces(CliTest):
    def case(self, *arguments, code=0, words=()):
        out = self.path(f"{len(list(self.folder.iterdir()))}.jsonl")
        outcome = self.expect(code, *arguments, *SIMULATE, "--out", out, words=words)
        return read_records(out)[-1], outcome

    def test_is_a_trace_read_plain_and_packed_alike(self):
        plain, _ = self.case(*PREFIX, self.write("t.jsonl", TRACE))
        self.assertEqual(plain["values"]["hit_block_ratio"], 5 / 10)
        packed, _ = self.case(*PREFIX, self.write("t.jsonl.gz", gzip.compress(TRACE.encode())))
        self.assertEqual(packed["values"], plain["values"])
        self.assertEqual(packed["parameters"]["requests"]["name"], "t.jsonl.gz")

    def test_is_a_broken_line_named_and_can_it_be_skipped(self):
        path = self.write("t.jsonl", TRACE.replace("[1, 2, 4]", "[1, 2, 4"))
        failed, _ = self.case(*PREFIX, path, code=3)
        self.assertIn(f"{path}:2: no JSON", failed["reason"])
        skipped, _ = self.case(*PREFIX, path, "--set", "skip_bad=true")
        self.assertEqual(skipped["values"]["hit_block_ratio"], 3 / 7)
        self.assertIn("1 malformed line was skipped", skipped["notes"][0])

    def test_is_a_cut_file_an_error_even_when_lines_are_skipped(self):
        packed = gzip.compress((TRACE * 50).encode())
        path = self.write("t.jsonl.gz", packed[:-12])
        for skip in ("false", "true"):
            failed, _ = self.case(*PREFIX, path, "--set", f"skip_bad={skip},format=mooncake", code=3)
            self.assertIn("t.jsonl.gz:", failed["reason"])

    def test_are_disorder_and_missing_ids_told_in_the_record(self):
        text = TRACE + line(0.5, [1, 9], tokens=5000) + "\n"
        record, _ = self.case(*PREFIX, self.write("t.jsonl", text), "--set", "policy=lru")
        self.assertTrue(any("earlier than the one above" in note for note in record["notes"]))
        self.assertTrue(any("fewer hash ids" in note for note in record["notes"]))
        failed, _ = self.case(*PREFIX, self.path("t.jsonl"), "--set", "policy=ttl", code=3)
        self.assertIn("order=time", failed["reason"])

    def test_is_a_table_of_lengths_refused(self):
        path = self.write("azure.csv", "TIMESTAMP,ContextTokens,GeneratedTokens\n" + "".join(
            f"2023-11-16 18:15:{i:02}.5,{100 + i},{10 + i}\n" for i in range(60)))
        failed, _ = self.case(*PREFIX, path, code=3)
        self.assertIn("lengths", failed["reason"])

    def test_is_a_missing_or_unknown_file_refused(self):
        self.expect(2, *PREFIX, self.path("none.jsonl"), words="none.jsonl")
        failed, _ = self.case(*PREFIX, self.write("t.txt", "hello\n"), code=3)
        self.assertIn("of no known format", failed["reason"])

    def test_does_a_file_alone_bring_every_policy_and_a_table_of_capacities(self):
        outcome = self.run_on_terminal(*PREFIX, self.write("t.jsonl", TRACE))
        self.assertEqual(outcome.code, 0, str(outcome))
        for word in ("lru", "lfu", "fifo", "ttl", "opt", "block hit ratio by capacity"):
            self.assertIn(word, outcome.out + outcome.err, str(outcome))

    def test_are_generated_requests_written_and_read_again(self):
        trace = self.path("generated.jsonl")
        generated, _ = self.case(*PREFIX, "--set", "sessions=50", "--save-requests", trace)
        read, _ = self.case(*PREFIX, trace, "--set", "id_tokens=64")
        for name in ("hit_block_ratio", "requests_count", "distinct_blocks"):
            self.assertEqual(read["values"][name], generated["values"][name])

    def test_do_tiers_need_a_limit_above_them(self):
        failed, _ = self.case(*PREFIX, "--set", "sessions=20,cpu_blocks=100", code=3)
        self.assertIn("capacity_blocks", failed["reason"])
        tiers, _ = self.case(*PREFIX, "--set", "sessions=20,capacity_blocks=50,cpu_blocks=100")
        self.assertEqual(tiers["parameters"]["tiers"], "offload")


if __name__ == "__main__":
    unittest.main()
