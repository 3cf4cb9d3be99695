# hpclab: SPDX-License-Identifier: Apache-2.0
"""Logs of other programs through the command line."""

import gzip
import json
import unittest

from support import SOURCES, CliTest, read_records

LOGS = SOURCES / "configs" / "roofline" / "import"
IMPORT = ["roofline", "import"]
BABELSTREAM = ("function,num_times,n_elements,sizeof,max_mbytes_per_sec,min_runtime,max_runtime,"
               "avg_runtime\nTriad,100,134217728,8,134217.7,0.0240000,0.025,0.0245\n")


class Import(CliTest):
    def test_are_several_logs_one_table_with_a_line_a_point(self):
        outcome = self.expect(0, *IMPORT, LOGS / "nekrs-axhelm.log", LOGS / "hipbone-p14.log",
                              "--machine", "a100-40gb")
        records = outcome.records("case")
        self.assertEqual(len(records), 6)
        self.assertEqual({r["text"]["format"] for r in records}, {"nekrs", "hipbone"})
        self.assertEqual(records[0]["parameters"]["file"]["name"], "nekrs-axhelm.log")
        table = self.run_on_terminal(*IMPORT, LOGS / "nekrs-axhelm.log", "--machine", "a100-40gb")
        self.assertRegex(table.out, r"axhelm p=7 fp64 4096 elements +1.734 flop/byte +12.87 GDOF/s "
                                r"+2.132 Tflop/s +1.229 TB/s +89.6 % .*dram update 1.372 TB/s")

    def test_is_a_contradiction_said_in_words_and_counted_at_the_end(self):
        text = (LOGS / "nekrs-axhelm.log").read_text(encoding="utf-8")
        log = self.write("half.log", text.replace("2131.91", "1065.95"))
        outcome = self.expect(0, *IMPORT, log, "--machine", "a100-40gb", "--point",
                              "axhelm p=7 fp64 4096 elements")
        [record] = outcome.records("case")
        self.assertIn("half, as if a multiply-add were one operation", record["text"]["verdict"])
        self.assertIn("1 of 1 points contradict themselves or the machine", outcome.err)

    def test_is_a_file_that_is_no_log_answered_with_the_known_formats(self):
        for content in ("", "a,b\n1,2\n", "\0\0\0", "x" * 1000):
            outcome = self.expect(2, *IMPORT, self.write("some.txt", content))
            self.assertIn("some.txt", outcome.err)
        self.assertIn("babelstream", self.expect(2, *IMPORT, self.write("t", "hello\n")).err)
        self.assertIn("no file is given", self.expect(2, *IMPORT).err)
        self.assertIn("No such file", self.expect(2, *IMPORT, "missing.log").err)
        cut = gzip.compress(BABELSTREAM.encode())[:-12]
        self.assertIn("the gz data ends early", self.expect(2, *IMPORT, self.write("c", cut)).err)
        nan = BABELSTREAM.replace("0.0240000", "nan")
        self.assertIn("nan.csv:2: 'min_runtime' is 'nan', which is not finite",
                      self.expect(2, *IMPORT, self.write("nan.csv", nan)).err)

    def test_does_a_log_become_a_machine_that_models_can_use(self):
        log = self.write("stream.csv", BABELSTREAM)
        outcome = self.expect(0, *IMPORT, log, "--machine", "xeon-8168-2s", "--save-machine",
                              self.path("box.json"))
        self.assertIn("Saved profile", outcome.err)
        profile = json.loads(self.path("box.json").read_text(encoding="utf-8"))
        figure = profile["figures"]["dram"]["triad_bytes_per_s"]
        self.assertAlmostEqual(figure["value"] / 134217728000, 1, places=6)
        self.assertEqual(figure["source"],
                         "babelstream log stream.csv, read by hpclab roofline import")
        used = self.expect(0, "roofline", "ceilings", "--machine", self.path("box.json"),
                           "--method", "model", "--set", "level=dram,kind=triad,threads=2")
        self.assertEqual(used.records("case")[0]["values"]["bandwidth_bytes_per_s"],
                         figure["value"])

    def test_are_the_points_listed_before_and_kept_after(self):
        log = LOGS / "nekrs-axhelm.log"
        self.assertIn("5 cases", self.expect(0, *IMPORT, log, "--dry-run", "--machine",
                                             "h200").err)
        out = self.path("points.jsonl")
        self.expect(0, *IMPORT, log, "--machine", "a100-40gb,h200", "--out", out)
        self.assertEqual(len(read_records(out)), 10)
        self.expect(0, "validate", out)


if __name__ == "__main__":
    unittest.main()
