# hpclab: SPDX-License-Identifier: Apache-2.0
"""What the real program says of drivers that serve no device, with a stand-in for libcuda.

usage: driver_states_test.py PROGRAM FOLDER_OF_THE_STAND_IN
"""
import json
import os
import subprocess
import sys
import unittest

PROGRAM, FOLDER = sys.argv[1:3] if len(sys.argv) > 2 else ("", "")


def gpu_probes(version):
    """The findings about GPUs with a driver that serves this CUDA version."""
    environment = dict(os.environ, LD_LIBRARY_PATH=FOLDER, HPCLAB_FAKE_DRIVER_VERSION=str(version))
    run = subprocess.run([PROGRAM, "doctor", "--json"], env=environment, capture_output=True, text=True,
                         timeout=120, check=True)
    return {probe["probe"]: probe for probe in json.loads(run.stdout)["probes"] if probe["group"] == "gpu"}


class DriverStates(unittest.TestCase):
    def test_is_a_driver_older_than_the_runtime_called_too_old(self):
        probe = gpu_probes(12020)["gpu-driver"]
        self.assertEqual(probe["facts"]["condition"], "driver too old")
        self.assertEqual(probe["facts"]["cuda_driver"], "12.2")
        self.assertIn("serves CUDA 12.2, this program needs", probe["finding"])
        self.assertIn("Update the driver", probe["mend"])

    def test_is_a_new_driver_without_devices_told_from_an_old_one(self):
        probes = gpu_probes(99000)
        self.assertEqual(probes["gpu-driver"]["facts"]["condition"], "no device")
        self.assertIn("CUDA_VISIBLE_DEVICES", probes["gpu-driver"]["mend"])
        self.assertEqual(probes["gpu-counters"]["status"], "missing")

    def test_is_no_driver_at_all_a_state_of_its_own(self):
        probe = gpu_probes(0)["gpu-driver"]
        self.assertEqual(probe["facts"]["condition"], "no driver")
        self.assertNotIn("cuda_driver", probe["facts"])


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
