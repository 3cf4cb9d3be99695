# hpclab: SPDX-License-Identifier: Apache-2.0
"""scripts/slurm: hosts that stand out, and what is said where there is no Slurm."""

import json
import random
import subprocess
import unittest

import records
from support import PROGRAM, SOURCES, CliTest

SLURM = SOURCES / "scripts" / "slurm"


class Outliers(CliTest):
    def hosts(self, count, slow=None, missing=None, loss=0.04):
        chance = random.Random(3)
        (self.folder / "nodes").mkdir()
        for host in range(count):
            cases = [records.case({"n": n}, (1 + loss * (host == slow)) * chance.gauss(1, 0.005),
                                  f"run-{host}")
                     for n in range(8 - 2 * (host == missing))]
            self.write(f"nodes/node{host:03}.jsonl", records.lines(cases, f"run-{host}"))

    def outliers(self):
        done = subprocess.run([SLURM / "outliers", self.folder / "nodes", "--json"],
                              capture_output=True, text=True, check=False, timeout=60)
        return done.returncode, json.loads(done.stdout)["outliers"]

    def test_is_one_slow_node_in_248_named_and_nobody_else(self):
        self.hosts(248, slow=131)
        self.assertEqual(self.outliers(), (1, ["node131"]))

    def test_is_nobody_named_among_equals_and_a_node_without_results_is(self):
        self.hosts(40)
        self.assertEqual(self.outliers(), (0, []))

    def test_is_a_node_that_lacks_cases_named(self):
        self.hosts(10, missing=4)
        self.assertEqual(self.outliers(), (1, ["node004"]))

    def test_are_two_hosts_too_few(self):
        self.hosts(2)
        done = subprocess.run([SLURM / "outliers", self.folder / "nodes"], capture_output=True,
                              text=True, check=False)
        self.assertIn("three hosts are needed", done.stderr)
        self.assertNotEqual(done.returncode, 0)


class Sweeps(CliTest):
    def test_is_the_absence_of_slurm_said_and_a_wrong_sweep_refused_before_it(self):
        environment = self.environment(PATH="/usr/bin:/bin", SLURM_JOB_ID=None)
        for script, words in (("every_node", "no Slurm job"),):
            done = subprocess.run([SLURM / script, "-p", PROGRAM, "roofline", "ceilings"],
                                  env=environment, cwd=self.folder, capture_output=True, text=True,
                                  check=False)
            self.assertEqual(done.returncode, 2)
            self.assertIn(words, done.stderr)
        done = subprocess.run([SLURM / "sweep", "-n", "none", "-p", PROGRAM, "roofline", "ceilings"],
                              env=environment, cwd=self.folder, capture_output=True, text=True,
                              check=False)
        self.assertEqual(done.returncode, 2)
        self.assertIn("no number of shards", done.stderr)


if __name__ == "__main__":
    unittest.main()
