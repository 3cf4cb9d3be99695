# hpclab: SPDX-License-Identifier: Apache-2.0
"""scripts/gpu_check as far as a machine without a GPU allows."""

import os
import signal
import subprocess
import time
import unittest

from support import DEADLINE_S, PROGRAM, SOURCES, CliTest, read_records

SCRIPT = str(SOURCES / "scripts" / "gpu_check")
STATES = ("built without CUDA", "no NVIDIA driver", "the NVIDIA driver serves CUDA", "no CUDA device",
          "answers error")
# What a check without a device leaves.
FILES = {"versions.txt", "doctor.json", "emulator.jsonl", "model-bandwidth.jsonl",
         "model-flops.jsonl", "summary.txt", "steps.txt"}


class GpuCheck(CliTest):
    def setUp(self):
        super().setUp()
        probe = self.run_program("roofline", "ceilings", "--backend", "cuda", "--method", "measure",
                                 "--set", "quantity=clock", "--stop", "count:1", "--json")
        if probe.code != 4:
            self.skipTest("there is a CUDA device: scripts/gpu_check is what to run")

    def start_check(self, *arguments, **environment):
        process = subprocess.Popen(
            [SCRIPT, "--program", PROGRAM, *map(str, arguments)], cwd=self.folder, text=True,
            env=self.environment(**environment), stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        self.addCleanup(self._end, process)
        return process

    def check_gpu(self, *arguments, code=4, **environment):
        process = self.start_check(*arguments, **environment)
        return self.check(self.finish(process, ["gpu_check", *arguments]), code)

    def files(self, folder):
        return {p.name for p in folder.iterdir()}

    def fake_gpu(self, name):
        """A folder with an nvidia-smi that knows one GPU, before the others on PATH."""
        tool = self.write("nvidia-smi", f"#!/bin/sh\ncase $* in *=name*) echo '{name}' ;; *) echo 9.0 ;; esac\n")
        tool.chmod(0o755)
        return f"{self.folder}:{os.environ['PATH']}"

    def test_does_it_say_which_state_it_found_exit_4_and_leave_what_it_could_do(self):
        outcome = self.check_gpu("--out", "found")
        self.assertEqual(len([s for s in STATES if s in outcome.out]), 1, str(outcome))
        self.assertRegex(outcome.out, "not run: device tests, counters, ceilings, .*claims")
        self.assertEqual(self.files(self.path("found")), FILES)
        for record in read_records(self.path("found") / "emulator.jsonl"):
            self.assertEqual((record["status"], record["backend"]), ("ok", "emulator"))
        models = read_records(self.path("found") / "model-bandwidth.jsonl")
        self.assertTrue([r for r in models if r["status"] == "ok"])
        self.assertEqual({r["parameters"]["machine"]["name"] for r in models}, {"h200"})

    def test_does_it_go_on_after_an_interruption_and_begin_anew_after_its_end(self):
        process = self.start_check("--out", "found")
        steps = self.path("found") / "steps.txt"
        deadline = time.monotonic() + DEADLINE_S
        while not (steps.exists() and "done: doctor" in steps.read_text()):
            self.assertLess(time.monotonic(), deadline, "no step is done")
            time.sleep(0.01)
        process.send_signal(signal.SIGTERM)
        outcome = self.check(self.finish(process), 130)
        self.assertIn("interrupted; the same command goes on from here", outcome.out)
        again = self.check_gpu("--out", "found")
        self.assertIn("doctor: done before the interruption", again.out)
        self.assertEqual(self.files(self.path("found")), FILES)
        self.run_program("validate", self.path("found") / "emulator.jsonl")
        third = self.check_gpu("--out", "found")
        self.assertNotIn("before the interruption", third.out)

    def test_is_the_time_limit_kept_and_are_steps_left_out_named(self):
        outcome = self.check_gpu("--out", "found", "--seconds", "0")
        self.assertIn("doctor: left out, the 0 s are spent", outcome.out)
        self.assertNotIn("doctor.json", self.files(self.path("found")))

    def test_is_the_profile_that_of_the_gpu_and_its_folder_named_after_it(self):
        path = self.fake_gpu("NVIDIA A100-SXM4-80GB")
        outcome = self.check_gpu("--out", "found", PATH=path)
        self.assertIn("GPU: NVIDIA A100-SXM4-80GB", outcome.out)
        models = read_records(self.path("found") / "model-flops.jsonl")
        self.assertEqual({r["parameters"]["machine"]["name"] for r in models}, {"a100-80gb"})
        self.assertIn("NVIDIA A100-SXM4-80GB", (self.path("found") / "versions.txt").read_text())

    def test_are_wrong_options_refused(self):
        for wrong, word in ((["--outt"], "--outt"), (["--seconds", "x"], "--seconds"), (["--out"], "--out"),
                            (["--program", "none"], "--program")):
            outcome = self.check_gpu(*wrong, code=2)
            self.assertIn(word, outcome.err)
            self.assertIn("--help", outcome.err)


if __name__ == "__main__":
    unittest.main()
