# hpclab: SPDX-License-Identifier: Apache-2.0
"""Does a machine profile give the ceilings that it states, and only those?"""

import glob
import json
import os

from support import RUN, SOURCE, RecordTest, case

from hpclab_plotting.errors import UsageError
from hpclab_plotting.profile import read_profile

PROFILE = {
    "schema": "1.0",
    "name": "toy",
    "kind": "gpu",
    "figures": {
        "dram": {
            "theoretical_bytes_per_s": {"value": 4.8e12, "status": "published"},
            "read_bytes_per_s": {
                "value": 3.9e12,
                "interval95": [3.8e12, 4.0e12],
                "status": "measured",
            },
        },
        "l2": {"theoretical_bytes_per_s": {"value": 9e12, "status": "derived"}},
        "peak": {
            "fp64_vector_flops_per_s": {"value": 33e12, "status": "derived"},
            "core_fp64_vector_flops_per_s": {"value": 1e12},
            "int8_tensor_op_per_s": {"value": 2e15},
        },
    },
}


class Profiles(RecordTest):
    def profile(self, content):
        return self.write([json.dumps(content)], "machine.json")

    def test_measured_bandwidth_goes_before_the_data_sheet(self):
        bandwidths, peaks = read_profile(self.profile(PROFILE))
        self.assertEqual(
            [(c.name, c.value, c.measured) for c in bandwidths],
            [("L2 theoretical", 9e12, False), ("DRAM read", 3.9e12, True)],
        )
        self.assertEqual([(c.name, c.precision) for c in peaks], [("vector fp64", "fp64")])

    def test_bad_profiles_are_refused_with_the_place(self):
        for change, word in (
            ({"schema": "2.0"}, "newer"),
            ({"figures": 3}, "/figures"),
            ({"figures": {}}, "no bandwidth"),
            (
                {"figures": {"dram": {"read_bytes_per_s": {"value": "x"}}}},
                "/figures/dram/read_bytes_per_s",
            ),
        ):
            with self.assertRaises(UsageError) as caught:
                read_profile(self.profile({**PROFILE, **change}))
            self.assertIn(word, str(caught.exception))

    def test_a_roofline_of_the_profile_holds_the_points_of_the_records(self):
        records = self.write([RUN, case(1, work={"flops": 1e9, "dram_bytes": 1e9})])
        code, errors = self.run_command(
            "plot",
            records,
            "--kind",
            "roofline",
            "--machine",
            self.profile(PROFILE),
            "-o",
            self.path("p.svg"),
        )
        self.assertEqual(code, 0, errors)
        self.assertIn("DRAM read", self.read("p.svg"))

    def test_every_shipped_profile_can_be_read(self):
        for path in glob.glob(os.path.join(SOURCE, "configs", "machines", "*.json")):
            if os.path.basename(path) == "microarchitectures.json":  # per-core facts, no profile
                continue
            bandwidths, peaks = read_profile(path)
            self.assertTrue(bandwidths or peaks, path)
