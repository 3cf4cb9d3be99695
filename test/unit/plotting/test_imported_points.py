# hpclab: SPDX-License-Identifier: Apache-2.0
"""Are points of other programs' logs drawn on the machine that they were placed on?"""

import hashlib
import json
import os

from support import RUN, RecordTest, case
from test_profile import PROFILE

from hpclab_plotting import ceilings
from hpclab_plotting.records import read_records


class ImportedPoints(RecordTest):
    def records(self, digest, level="dram"):
        """Three points of a log, placed on the profile "toy"."""
        cases = [
            case(
                index,
                lab="roofline",
                study="import",
                method="model",
                backend=None,
                parameters={
                    "file": {"name": "a.log", "sha256": "0" * 64},
                    "point": f"kernel {word}",
                    "machine": {"name": "toy", "sha256": digest},
                },
                values={"time_s": 1e-3, "flops_per_s": index * 1e12},
                work={"flops": index * 1e9, f"{level}_bytes": 1e9},
                text={"level": level},
            )
            for index, word in enumerate(("alpha", "beta", "gamma"), start=1)
        ]
        return self.write([RUN] + cases)

    def profile(self):
        """The user's profile "toy"; its digest."""
        folder = os.path.join(self.path("data"), "hpclab")
        os.makedirs(folder)
        content = json.dumps(PROFILE)
        with open(os.path.join(folder, "toy.json"), "w", encoding="utf-8") as stream:
            stream.write(content)
        os.environ["XDG_DATA_HOME"] = self.path("data")
        self.addCleanup(os.environ.pop, "XDG_DATA_HOME")
        return hashlib.sha256(content.encode()).hexdigest()

    def test_each_point_carries_its_name_and_counts_as_measured(self):
        points = ceilings.operator_points(read_records([self.records("0" * 64)]).cases)
        self.assertEqual([p.tag for p in points], ["kernel alpha", "kernel beta", "kernel gamma"])
        self.assertEqual({p.method for p in points}, {"measure"})
        self.assertEqual({p.series for p in points}, {"roofline/import"})
        self.assertEqual([p.intensity for p in points], [1, 2, 3])

    def test_points_that_lie_in_a_cache_are_drawn_by_its_bytes(self):
        points = ceilings.operator_points(read_records([self.records("0" * 64, "l3")]).cases)
        self.assertEqual([p.intensity for p in points], [1, 2, 3])

    def test_the_ceilings_are_those_of_the_recorded_machine_while_it_is_unchanged(self):
        for digest, drawn in ((self.profile(), True), ("0" * 64, False)):
            records = self.records(digest)
            code, errors = self.run_command(
                "plot", records, "--kind", "roofline", "-o", self.path("p.svg")
            )
            self.assertEqual(code, 0, errors)
            picture = self.read("p.svg")
            self.assertIn("kernel alpha", picture)
            self.assertEqual("DRAM read" in picture, drawn)
