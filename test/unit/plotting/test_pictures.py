# hpclab: SPDX-License-Identifier: Apache-2.0
"""Are the right things drawn, at the right places, the same way each time?"""

import hashlib
import os
import subprocess
import sys
import xml.etree.ElementTree as xml

import synthetic
from support import PLOTTING, RUN, RecordTest, case

from hpclab_plotting import ceilings, concurrency, series, style, sweet_spots
from hpclab_plotting.labels import LabelPlacer, Place, _separated, around
from hpclab_plotting.records import read_records


def svg_text(path):
    root = xml.parse(path).getroot()
    return ["".join(node.itertext()) for node in root.iter("{http://www.w3.org/2000/svg}text")]


class Plots(RecordTest):
    def setUp(self):
        super().setUp()
        self.records = self.write(synthetic.realistic().splitlines())

    def plot(self, *arguments):
        output = self.path("picture.svg")
        code, errors = self.run_command("plot", *arguments, "-o", output)
        self.assertEqual(code, 0, errors)
        return svg_text(output), errors

    def test_every_kind_is_drawn_in_both_sizes_and_formats(self):
        for kind in ("roofline", "concurrency", "sweep"):
            for size in ("wide", "narrow"):
                self.plot(self.records, "--kind", kind, "--size", size)
        png = self.path("picture.png")
        self.assertEqual(
            self.run_command("plot", self.records, "--kind", "roofline", "-o", png)[0], 0
        )
        with open(png, "rb") as stream:
            self.assertEqual(stream.read(8), b"\x89PNG\r\n\x1a\n")

    def test_a_frontier_marks_ridge_and_memory_and_needs_two_batches(self):
        cases = [
            case(
                index,
                lab="kvcache",
                study="frontier",
                method="model",
                backend=None,
                parameters={"quantity": "step", "model": {"name": "m"}, "batch": batch},
                values={
                    "tokens_per_s": 100.0 * batch,
                    "request_tokens_per_s": 100.0,
                    "ridge_batch": 20.0,
                    "concurrency": 50.0,
                },
                text={"model": "m on g"},
            )
            for index, batch in enumerate((1, 10, 100))
        ]
        text, _ = self.plot(self.write([RUN] + cases), "--kind", "frontier")
        for words in ("arithmetic binds: 20", "memory is full: 50", "m on g", "one request"):
            self.assertTrue(any(words in one for one in text), (words, text))
        code, errors = self.run_command(
            "plot", self.write([RUN, cases[0]]), "--kind", "frontier", "-o", self.path("none.svg")
        )
        self.assertEqual(code, 2, errors)
        self.assertIn("two batches", errors)

    def test_a_roofline_names_each_ceiling_with_its_value_in_both_sizes(self):
        for size, unit in (("wide", "GFLOP/s"), ("narrow", "G")):
            texts = " | ".join(self.plot(self.records, "--kind", "roofline", "--size", size)[0])
            for words in (
                "L1 read",
                "L2 read",
                "L3 read",
                "DRAM read",
                "avx512 fp64",
                "avx2 fp32",
                "scalar fp64 / fp32",
            ):
                self.assertIn(words, texts, size)
            self.assertRegex(texts, rf"avx512 fp32\s+22\d {unit}")
            self.assertRegex(texts, r"ridge DRAM × avx512 fp64: 4\.\d\d FLOP/B")

    def test_axes_carry_readable_units(self):
        texts, _ = self.plot(
            self.records,
            "--x",
            "degree",
            "--y",
            "throughput_dof_per_s",
            "--where",
            "study=roofline/operator",
        )
        self.assertIn("throughput (MDOF/s)", texts)
        self.assertIn("simulation", texts)
        self.assertIn("model", texts)

    def test_files_laid_over_each_other_are_named(self):
        other = self.write(synthetic.realistic("run-2", 7).splitlines(), "tuned.jsonl")
        texts, _ = self.plot(
            self.records,
            other,
            "--x",
            "threads",
            "--y",
            "bandwidth_bytes_per_s",
            "--where",
            "level=dram,kind=read,quantity=bandwidth",
            "--series",
            "level",
        )
        self.assertTrue(
            any("tuned" in text for text in texts) and any("records" in text for text in texts)
        )

    def test_without_names_the_declared_plot_is_drawn(self):
        texts, _ = self.plot(self.records, "--where", "study=roofline/operator")
        self.assertIn("degree", texts)

    def test_the_best_point_of_each_line_is_the_sweet_spot(self):
        records = [RUN]
        for series_name, best in (("a", 3), ("b", 5)):
            for n in range(1, 8):
                y = 100 - (n - best) ** 2
                records.append(
                    case(
                        len(records),
                        parameters={"n": n, "kind": series_name},
                        values={"rate_hz": y, "predicted_rate_hz": 90 - (n - 4) ** 2},
                    )
                )
        selection = series.select(
            read_records([self.write(records)]).cases, "n", "rate_hz", ["kind"]
        )
        spots = sweet_spots.find(selection, "higher")
        self.assertEqual(
            [(s.label, s.method, s.point.x) for s in spots],
            [("a", "model", 4), ("a", "measure", 3), ("b", "model", 4), ("b", "measure", 5)],
        )
        self.assertEqual({s.point.x for s in sweet_spots.find(selection, "lower")}, {7, 1})
        sentence = sweet_spots.sentence(spots, "n")
        self.assertTrue(sentence.startswith("Sweet spots (rings): n 3, 100 Hz, measured (a); n 5"))
        self.assertIn("n 4, 90 Hz, model", sentence)

    def test_a_declared_sweet_spot_is_named_in_picture_and_caption(self):
        texts, _ = self.plot(self.records, "--where", "study=roofline/operator")
        self.assertIn("sweet spot", texts)
        report = self.path("report.html")
        code, errors = self.run_command("report", self.records, "-o", report)
        self.assertEqual(code, 0, errors)
        with open(report, encoding="utf-8") as stream:
            self.assertIn("Sweet spots (rings): degree", stream.read())

    def test_hash_order_does_not_change_a_byte(self):
        sums = set()
        for seed in ("1", "2"):
            output = self.path(f"{seed}.svg")
            environment = dict(
                os.environ, PYTHONPATH=PLOTTING, PYTHONHASHSEED=seed, MPLBACKEND="nonsense"
            )
            subprocess.run(
                [
                    sys.executable,
                    "-m",
                    "hpclab_plotting",
                    "plot",
                    self.records,
                    "--kind",
                    "roofline",
                    "-o",
                    output,
                ],
                env=environment,
                check=True,
                capture_output=True,
            )
            with open(output, "rb") as stream:
                sums.add(hashlib.sha256(stream.read()).hexdigest())
        self.assertEqual(len(sums), 1)

    def test_an_unknown_name_brings_the_nearest_and_the_list(self):
        code, errors = self.run_command(
            "plot", self.records, "--x", "degre", "--y", "time_s", "-o", self.path("p.svg")
        )
        self.assertEqual(code, 2)
        self.assertIn("Did you mean degree", errors)
        self.assertIn("throughput_dof_per_s", errors)

    def test_words_that_look_like_formulas_stay_words(self):
        path = self.write(
            [RUN]
            + [
                case(i, parameters={"n": i, "name": "_$x^{2$<b>&"[: 4 + 3 * (i % 2)]})
                for i in range(6)
            ],
            "odd.jsonl",
        )
        self.plot(path, "--x", "n", "--y", "time_s", "--series", "name")
        texts, _ = self.plot(path, "--x", "name", "--y", "time_s", "--series", "n")
        self.assertIn("_$x^", texts)

    def test_emulator_times_are_refused_but_its_errors_are_not(self):
        path = self.write(
            [RUN]
            + [
                case(i, backend="emulator", values={"time_s": 1.0, "max_error": 1e-15 * (i + 1)})
                for i in range(3)
            ],
            "emulated.jsonl",
        )
        code, errors = self.run_command(
            "plot", path, "--x", "n", "--y", "time_s", "-o", self.path("p.svg")
        )
        self.assertEqual(code, 2)
        self.assertIn("emulator", errors)
        self.plot(path, "--x", "n", "--y", "max_error")


class Quantities(RecordTest):
    def test_lines_to_saturate_follow_littles_law(self):
        # 64 B lines, 100 ns, 32 GB/s at most: 50 lines.
        cases = [
            case(
                i,
                lab="roofline",
                study="ceilings",
                parameters={"quantity": "latency", "level": "dram", "chains": chains, "threads": 1},
                values={"latency_s": 1e-7, "bandwidth_bytes_per_s": min(64 * chains / 1e-7, 32e9)},
            )
            for i, chains in enumerate((1, 4, 16, 64))
        ]
        (curve,) = concurrency.curves(read_records([self.write([RUN] + cases)]).cases)
        self.assertAlmostEqual(curve.lines_to_saturate, 50.0)

    def test_a_fitted_curve_keeps_its_asymptotes_and_corner(self):
        curve = concurrency.Curve(
            "DRAM",
            1e-7,
            [(1, 1, 6.4e8, 6.4e8, 6.4e8)],
            64,
            "DRAM",
            {"latency_s": 1e-7, "max_bytes_per_s": 32e9, "sharpness": 4.0},
        )
        self.assertAlmostEqual(curve.fitted(0.001) / 6.4e5, 1.0, places=9)
        self.assertAlmostEqual(curve.fitted(1e9) / 32e9, 1.0, places=9)
        # Where the asymptotes meet, each contributes equally: max / 2^(1/q).
        self.assertAlmostEqual(curve.fitted(50.0) / (32e9 / 2**0.25), 1.0, places=9)

    def test_an_operator_point_is_work_over_bytes_and_time(self):
        record = case(
            1, work={"flops": 232783872, "dram_bytes": 134217728}, values={"time_s": 109.19e-6}
        )
        (point,) = ceilings.operator_points(read_records([self.write([RUN, record])]).cases)
        # Published for this case: 2132 GFLOP/s at 1229 GB/s (nekRS axhelm on an A100).
        self.assertAlmostEqual(point.rate / 2131.9e9, 1.0, places=4)
        self.assertAlmostEqual(point.intensity, 2131.9 / 1229.2, places=3)

    def test_ceilings_take_the_most_threads_and_the_best_kind(self):
        path = self.write(synthetic.realistic().splitlines())
        cases = read_records([path]).cases
        found = ceilings.bandwidth_ceilings(cases)
        self.assertEqual([c.name for c in found], ["L1 read", "L2 read", "L3 read", "DRAM read"])
        self.assertEqual({c.threads for c in found}, {2})
        self.assertEqual(len(ceilings.flop_ceilings(cases)), 6)

    def test_a_prediction_in_a_measured_case_appears_once(self):
        records = [RUN] + [
            case(i, values={"time_s": 1.0, "predicted_time_s": 0.9}) for i in range(3)
        ]
        records += [
            case(10 + i, method="model", backend=None, parameters={"n": i}, values={"time_s": 0.9})
            for i in range(2)
        ]
        selection = series.select(read_records([self.write(records)]).cases, "n", "time_s", [])
        self.assertEqual(
            [(s.method, len(s.points)) for s in selection.series], [("model", 3), ("measure", 3)]
        )

    def test_whole_numbers_beyond_64_bits_are_drawn_or_left_out(self):
        cases = [
            case(
                i,
                lab="roofline",
                study="ceilings",
                parameters={"quantity": "latency", "level": "l2", "chains": n, "threads": 2**50},
                values={"latency_s": 1e-9, "bandwidth_bytes_per_s": 10**39},
            )
            for i, n in enumerate((1, 2**50, 2**63))
        ]
        path = self.write([RUN] + cases)
        code, errors = self.run_command(
            "plot", path, "--kind", "concurrency", "-o", self.path("p.svg")
        )
        self.assertEqual(code, 0, errors)


class Labels(RecordTest):
    def test_labels_never_cover_each_other_or_a_point(self):
        figure, axes = style.new_figure(style.WIDE)
        axes.set_xlim(0, 1)
        axes.set_ylim(0, 1)
        placer = LabelPlacer(figure, axes)
        places = [(0.1 + 0.05 * (i % 7), 0.2 + 0.03 * (i // 7)) for i in range(42)]
        for x, y in places:
            placer.block_point(x, y)
        placed = sum(placer.place(f"label {i}", around(x, y)) for i, (x, y) in enumerate(places))
        self.assertGreater(placed, 5)
        self.assertLess(placed, 42)
        boxes = placer._taken
        for i, one in enumerate(boxes[42:], start=42):
            for other in boxes[:i]:
                self.assertTrue(_separated(one, other))

    def test_a_label_that_insists_crosses_lines_but_no_label(self):
        figure, axes = style.new_figure(style.WIDE)
        placer = LabelPlacer(figure, axes)
        placer.block_segment(0.0, 0.5, 1.0, 0.5)
        place = [Place(0.5, 0.49)]
        self.assertFalse(placer.place("over a line", place))
        self.assertTrue(placer.place("over a line", place, insist=True))
        self.assertFalse(placer.place("over a label", place, insist=True))
