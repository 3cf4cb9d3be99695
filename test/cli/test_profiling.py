# hpclab: SPDX-License-Identifier: Apache-2.0
"""--profile, scripts/nsys, and what doctor says about GPUs."""

import json
import os
import shutil
import subprocess
import unittest

from support import PROGRAM, SOURCES, STUDY, CliTest, read_records

# The measurements need no accuracy: two quick cases of one thread.
QUICK = STUDY + ["--method", "model,measure", "--set", "level=l1,kind=read,copy,isa=scalar,threads=1"]
CONDITIONS = {"available", "not built", "no driver", "driver too old", "no device", "failed"}


class ProfilingTest(CliTest):
    def test_do_profiled_records_say_so_and_carry_one_sample_and_no_interval(self):
        out = self.path("records.jsonl")
        self.expect(0, *QUICK, "--profile", "--out", out)
        records = read_records(out)
        self.assertEqual(len(records), 4)
        for record in records:
            measured = record["method"] == "measure"
            self.assertEqual(record["status"], "ok", record)
            self.assertEqual(record.get("text", {}).get("profiled"), "true" if measured else None)
            if measured:
                self.assertNotIn("interval95", record)
                self.assertEqual({len(samples) for samples in record["samples"].values()}, {1})
        self.expect(0, "validate", out)

    def test_is_profile_refused_beside_what_asks_for_real_measurements(self):
        for other in (["--stop", "count:9"], ["--resume", "--out", "records.jsonl"]):
            outcome = self.expect(2, *QUICK, "--profile", *other)
            self.assertIn("--profile", outcome.err)
            self.assertIn(other[0], outcome.err)

    def test_does_the_nsys_script_say_what_is_missing_and_exit_4(self):
        path = "/usr/bin:/bin"
        if shutil.which("nsys", path=path):
            self.skipTest("nsys is installed among the system's programs")
        environment = dict(os.environ, PATH=path, HPCLAB=PROGRAM)
        for arguments, code, text in ((STUDY, 4, "Nsight Systems"), (["--nsvx"] + STUDY, 2, "--nvtx"),
                                      (["--report"], 2, "name"), ([], 2, "usage")):
            run = subprocess.run([str(SOURCES / "scripts" / "nsys"), *arguments], env=environment,
                                 capture_output=True, text=True, timeout=60)
            self.assertEqual(run.returncode, code, run.stderr)
            self.assertIn(text, run.stderr)

    def test_does_doctor_tell_the_state_of_the_driver_and_of_the_counters(self):
        report = json.loads(self.expect(0, "doctor", "--json").out)
        probes = {probe["probe"]: probe for probe in report["probes"]}
        driver, counters = probes["gpu-driver"], probes["gpu-counters"]
        self.assertIn(driver["facts"]["condition"], CONDITIONS)
        if driver["facts"]["condition"] == "available":
            self.assertTrue(driver["facts"]["devices"])
        else:
            self.assertEqual(driver["status"], "missing")
            self.assertTrue(driver["mend"])
            self.assertEqual(counters["status"], "missing")
            self.assertTrue(counters["mend"])


if __name__ == "__main__":
    unittest.main()
