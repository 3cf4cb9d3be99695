# hpclab: SPDX-License-Identifier: Apache-2.0
"""Do names carry their units, and do numbers come out as a person writes them?"""

import unittest

import support  # noqa: F401  (finds the package)

from hpclab_plotting import names, units
from hpclab_plotting.errors import UsageError


class Units(unittest.TestCase):
    def test_a_name_gives_its_unit(self):
        for name, expected in {
            "time_s": ("time", "s"),
            "bandwidth_bytes_per_s": ("bandwidth", "B/s"),
            "chains": ("chains", ""),
            "throughput_dof_per_s": ("throughput", "DOF/s"),
            "flop_per_s": ("flop rate", "FLOP/s"),
            "error_ratio": ("error", "%"),
            "l1_size_bytes": ("l1 size", "B"),
            "sm_clock_hz": ("sm clock", "Hz"),
        }.items():
            self.assertEqual(units.split_name(name), expected)

    def test_prefixes_are_readable(self):
        self.assertEqual(units.format_quantity(21.4e9, "B/s"), "21.4 GB/s")
        self.assertEqual(units.format_quantity(3.2e-6, "s"), "3.20 µs")
        self.assertEqual(units.format_quantity(4000.0, "s"), "4000 s")
        self.assertEqual(units.format_quantity(999.96e9, "B/s", 3), "1.00 TB/s")
        self.assertEqual(units.format_bytes(32768), "32 KiB")
        self.assertEqual(units.format_quantity(-0.281, "%"), "−28 %")
        self.assertEqual(units.format_quantity(0, "B/s"), "0 B/s")

    def test_a_column_has_one_prefix(self):
        scale = units.scale_for("B/s", [462e9, 19e9, 27e9])
        self.assertEqual(
            (scale.text, scale.number(462e9), scale.number(19e9)), ("GB/s", "462.0", "19.00")
        )


class Names(unittest.TestCase):
    def test_where_reads_several_names_and_values(self):
        self.assertEqual(
            names.parse_where("level=l1,l2,threads=2"),
            [("level", ["l1", "l2"]), ("threads", ["2"])],
        )
        with self.assertRaises(UsageError):
            names.parse_where("l1,level=2")
