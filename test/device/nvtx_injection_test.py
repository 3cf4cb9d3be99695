# hpclab: SPDX-License-Identifier: Apache-2.0
"""What a tool sees that NVTX loads into the real program: domain, names, categories, payloads.

usage: nvtx_injection_test.py PROGRAM INJECTION_LIBRARY
"""
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

CATEGORIES = {1: "setup", 2: "warmup", 3: "measure", 4: "simulate", 5: "model", 6: "io",
              7: "communication"}
PROGRAM, LIBRARY = sys.argv[1:3] if len(sys.argv) > 2 else ("", "")


class NvtxTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        with tempfile.TemporaryDirectory() as folder:
            log = pathlib.Path(folder) / "nvtx.log"
            out = pathlib.Path(folder) / "records.jsonl"
            environment = dict(os.environ, NVTX_INJECTION64_PATH=LIBRARY, HPCLAB_NVTX_LOG=str(log))
            run = subprocess.run(
                [PROGRAM, "roofline", "ceilings", "--machine", "xeon-8168-2s", "--method",
                 "model,measure", "--set", "level=l1,l2,kind=read,isa=scalar,threads=1", "--stop", "count:2",
                 "--jobs", "2", "--out", str(out)],
                env=environment, capture_output=True, text=True, timeout=120)
            cls.status, cls.errors = run.returncode, run.stderr
            cls.lines = [line.split(" ") for line in log.read_text().splitlines()] if log.exists() else []
            cls.cases = ([record for record in map(json.loads, out.read_text().splitlines())
                          if record["record"] == "case"] if out.exists() else [])
        cls.pushes = [line for line in cls.lines if line[0] == "push"]

    def test_the_program_runs_as_without_a_tool(self):
        self.assertEqual(self.status, 0, self.errors)
        self.assertTrue(self.cases)

    def test_one_domain_is_created_before_any_range(self):
        self.assertEqual([line for line in self.lines if line[0] == "domain"], [["domain", "hpclab"]])
        self.assertEqual(self.lines[0], ["domain", "hpclab"])
        self.assertEqual({line[1] for line in self.lines[1:]}, {"hpclab"})

    def test_all_categories_are_named(self):
        named = {int(line[2]): line[3] for line in self.lines if line[0] == "category"}
        self.assertEqual(named, CATEGORIES)

    def test_names_are_registered_once_and_never_formatted(self):
        names = [line[2] for line in self.lines if line[0] == "string"]
        self.assertEqual(len(names), len(set(names)))
        self.assertEqual({line[3] for line in self.pushes}, {"registered"})
        self.assertEqual({line[4] for line in self.pushes}, set(names))
        for name in ("case/model", "case/measure", "sampler/warm-up", "sweep/record"):
            self.assertIn(name, names)

    def test_ranges_carry_their_category(self):
        for name, category in (("case/model", 5), ("case/measure", 3), ("sampler/warm-up", 2),
                               ("sweep/record", 6), ("sweep/provenance", 1)):
            seen = {int(line[5]) for line in self.pushes if line[4] == name}
            self.assertEqual(seen, {category}, name)

    def test_the_payload_is_the_id_of_the_case(self):
        for method in ("model", "measure"):
            ids = sorted(case["id"] for case in self.cases if case["method"] == method)
            payloads = sorted(line[6] for line in self.pushes if line[4] == f"case/{method}")
            self.assertEqual(payloads, ids)

    def test_pushes_and_pops_balance(self):
        pops = [line for line in self.lines if line[0] == "pop"]
        self.assertEqual(len(pops), len(self.pushes))
        self.assertEqual(sorted(line[2] for line in pops), sorted(line[2] for line in self.pushes))
        self.assertGreaterEqual(min(int(line[2]) for line in pops), 0)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
