# hpclab: SPDX-License-Identifier: Apache-2.0
"""`hpclab roofline residency` from the command line: model, two processes, emulator, refusals."""

import os
import signal
import subprocess
import time
import unittest

from support import CliTest, read_records

RESIDENCY = ("roofline", "residency")
SMALL = "points=30000,threads=1,isa=avx2"


def children_of(pid):
    with open(f"/proc/{pid}/task/{pid}/children", encoding="utf-8") as file:
        return [int(child) for child in file.read().split()]


def is_running(pid):
    try:
        with open(f"/proc/{pid}/stat", encoding="utf-8") as file:
            return file.read().rsplit(")", 1)[1].split()[0] != "Z"
    except FileNotFoundError:
        return False


class Residency(CliTest):
    def test_does_the_shipped_case_give_the_published_factor_of_41(self):
        out = self.path("out.jsonl")
        outcome = self.expect(0, "run", "roofline/residency-l4.json", "--out", out)
        self.assertIn("41 times faster", outcome.out)
        resident, moved = read_records(out)
        self.assertEqual(resident["values"]["slowdown_ratio"], 1)
        self.assertAlmostEqual(moved["values"]["slowdown_ratio"], 41, places=9)

    def test_are_steps_between_two_processes_verified_and_timed(self):
        out = self.path("out.jsonl")
        self.expect(0, *RESIDENCY, "--method", "measure", "--stop", "count:3", "--set",
                    SMALL + ",residency=resident,moved,host_memory=pinned,pageable", "--out", out)
        records = read_records(out)
        self.assertEqual([r["status"] for r in records], ["ok"] * 3, records)
        for record in records:
            self.assertEqual(record["values"]["mismatch_count"], 0)
            self.assertGreater(record["values"]["time_s"], 0)
        self.expect(0, "validate", out)

    def test_does_the_emulator_verify_overlapped_and_managed_moves(self):
        out = self.path("out.jsonl")
        self.expect(0, *RESIDENCY, "--method", "measure", "--backend", "emulator", "--set",
                    "host_memory=pinned,managed,residency=moved", "--out", out)
        self.expect(0, *RESIDENCY, "--method", "measure", "--backend", "emulator", "--set",
                    "chunks=1,5,residency=moved", "--out", self.path("chunks.jsonl"))
        for record in read_records(out) + read_records(self.path("chunks.jsonl")):
            self.assertEqual(record["status"], "ok", record)
            self.assertNotIn("time_s", record["values"])

    def test_are_wrong_parameters_and_sizes_refused_with_the_reason(self):
        self.refused(*RESIDENCY, "--set", "ways=back", words=("ways", "both"))
        self.refused(*RESIDENCY, "--set", "chunk=2", words=("chunk", "chunks"))
        out = self.path("out.jsonl")
        self.expect(3, *RESIDENCY, "--method", "measure", "--set",
                    "points=1e12,threads=1,isa=avx2", "--out", out)
        self.assertIn("available", read_records(out)[0]["reason"])

    def test_is_the_other_process_gone_when_the_program_is_interrupted_or_killed(self):
        for number in (signal.SIGINT, signal.SIGKILL):
            process = self.start(*RESIDENCY, "--method", "measure", "--set",
                                 "points=1000000,steps=1000000,threads=1,isa=avx2",
                                 stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
            deadline = time.monotonic() + 20
            while not children_of(process.pid) and time.monotonic() < deadline:
                time.sleep(0.01)
            children = children_of(process.pid)
            self.assertTrue(children)
            os.kill(process.pid, number)
            process.wait(timeout=20)
            if number == signal.SIGINT:
                self.assertEqual(process.returncode, 130)
            while any(map(is_running, children)) and time.monotonic() < deadline:
                time.sleep(0.01)
            self.assertEqual([c for c in children if is_running(c)], [])


if __name__ == "__main__":
    unittest.main()
