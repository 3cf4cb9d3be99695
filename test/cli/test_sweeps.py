# hpclab: SPDX-License-Identifier: Apache-2.0
"""Sweeps that end well: the same answers at any number of jobs and shards, merged, traced."""

import json
import os
import time
import unittest

import traces
from support import MODEL, SANITIZED, SOURCES, STUDY, CliTest, ids, read_records, sweep


class Determinism(CliTest):
    def test_do_four_jobs_give_the_values_of_one_bit_for_bit_in_the_same_order(self):
        files = []
        for jobs in ("1", "4"):
            files.append(self.path(f"{jobs}.jsonl"))
            self.expect(0, *sweep("1:500"), "--seed", "5", "--jobs", jobs, "--out", files[-1])
        one, four = ([{**r, "run": ""} for r in read_records(f)] for f in files)
        self.assertEqual(len(one), 1000)
        self.assertEqual(list(map(json.dumps, one)), list(map(json.dumps, four)))

    def test_is_every_case_of_a_grid_there_once_and_counted_in_the_end_record(self):
        outcome = self.expect(0, *sweep("1:200"))
        cases = outcome.records("case")
        points = [(c["parameters"]["level"], c["parameters"]["threads"]) for c in cases]
        self.assertEqual(points, [(v, t) for v in ("l1", "l2") for t in range(1, 201)])
        self.assertEqual(len(set(ids(cases))), 400)
        (end,) = outcome.records("end")
        self.assertEqual([end[k] for k in ("cases", "ok", "failed", "skipped")], [400, 400, 0, 0])

    def test_are_10000_model_cases_written_and_validated(self):
        out = self.path("many.jsonl")
        begin = time.monotonic()
        self.expect(0, *MODEL, "--set", "level=l1,l2,kind=read,isa=avx2,avx512,threads=1:2500",
                    "--out", out)
        written = time.monotonic()
        outcome = self.expect(0, "validate", out)
        print(f"\n10,000 model cases: written in {written - begin:.2f} s, "
              f"validated in {time.monotonic() - written:.2f} s")
        self.assertIn("valid; 1 run, 10000 cases (10000 ok", outcome.out)

    def test_do_failed_cases_give_exit_3_and_leave_the_others(self):
        # The profile states no AVX2 peak: that case fails, the one beside it does not.
        arguments = [*MODEL, "--set", "quantity=flops,precision=fp64,threads=1,isa=avx512,avx2"]
        out = self.path("failed.jsonl")
        outcome = self.expect(3, *arguments, "--out", out, words=["1 of 2 cases failed"])
        self.assertEqual([c["status"] for c in read_records(out)], ["ok", "failed"], str(outcome))
        again = self.expect(0, *arguments, "--out", out, "--resume")
        self.assertIn("2 cases were already finished", again.err)
        self.expect(3, *arguments, "--out", out, "--resume", "--retry-failed")
        self.assertEqual([c["status"] for c in read_records(out)], ["ok", "failed", "failed"])
        self.assertIn("2 cases (1 ok, 1 failed", self.expect(0, "validate", out).out)


class Files(CliTest):
    def test_is_an_existing_file_refused_and_left_as_it_is(self):
        out = self.write("records.jsonl", "mine\n")
        self.refused(*sweep("1"), "--out", out, words=["exists", "--resume"])
        self.assertEqual(out.read_text(), "mine\n")

    def test_is_a_file_that_cannot_be_written_named_before_anything_runs(self):
        for place, why in ((self.path("missing/records.jsonl"), "No such file"),
                           (self.folder, "directory"), ("/proc/records.jsonl", "/proc/records")):
            self.refused(*sweep("1"), "--out", place, words=[str(place), why])
        self.refused(*sweep("1"), "--trace", self.path("missing/trace.json"), words="trace.json")

    def test_are_a_pipe_and_a_link_to_nothing_refused_with_what_they_are(self):
        pipe, link = self.path("pipe"), self.path("link")
        os.mkfifo(pipe)
        link.symlink_to("nowhere.jsonl")
        for more in ([], ["--resume"]):
            self.refused(*sweep("1"), "--out", pipe, *more, words=[str(pipe), "it is a pipe", "--json"])
            self.refused(*sweep("1"), "--out", link, *more,
                         words=[str(link), "a link to 'nowhere.jsonl', which does not exist"])
        link.unlink()
        link.symlink_to("there.jsonl")
        self.write("there.jsonl", "")
        self.expect(0, *sweep("1"), "--out", link, "--resume")
        self.assertEqual(len(read_records(self.path("there.jsonl"))), 2)

    def test_does_a_wrong_option_leave_no_file_behind(self):
        out = self.path("records.jsonl")
        for wrong in (["--jobs", "0"], ["--stop", "never"], ["--shard", "4/3"]):
            self.refused(*sweep("1"), "--out", out, *wrong, words=wrong[1])
            self.assertFalse(out.exists())


class Shards(CliTest):
    def test_do_three_shards_merge_into_the_whole_sweep(self):
        whole = ids(self.expect(0, *sweep("1:50")).records("case"))
        parts = [self.path(f"{i}.jsonl") for i in range(3)]
        for i, part in enumerate(parts):
            self.expect(0, *sweep("1:50"), "--shard", f"{i}/3", "--out", part)
            self.assertIn(len(read_records(part)), (33, 34))
        joined = self.path("joined.jsonl")
        self.expect(0, "merge", *parts, "-o", joined)
        self.assertEqual(sorted(ids(read_records(joined))), sorted(whole))
        self.assertEqual(read_records(joined, "end")[-1]["ok"], 100)
        self.assertIn("100 cases (100 ok", self.expect(0, "validate", joined).out)
        self.refused("merge", *parts, "-o", joined, words=["joined.jsonl", "exists"])
        self.assertEqual(len(read_records(joined)), 100)

    def test_does_merge_refuse_two_different_answers_to_one_case_and_files_that_are_none(self):
        one = self.path("one.jsonl")
        self.expect(0, *sweep("1"), "--out", one)
        text = one.read_text().replace('"bandwidth_bytes_per_s":3', '"bandwidth_bytes_per_s":4')
        other = self.write("other.jsonl", text)
        self.refused("merge", one, other, "-o", self.path("x"), words="with other values")
        self.refused("merge", self.path("none"), "-o", self.path("x"), words="No such file")
        self.assertFalse(self.path("x").exists())
        self.expect(0, "merge", one, one, "-o", self.path("same"))
        self.assertEqual(len(read_records(self.path("same"))), 2)


class Tracing(CliTest):
    def test_does_a_trace_hold_one_nested_range_a_case(self):
        trace, out = self.path("trace.json"), self.path("records.jsonl")
        self.expect(0, *sweep("1:20"), "--jobs", "3", "--trace", trace, "--out", out)
        events = json.loads(trace.read_text())["traceEvents"]
        ranges = [e for e in events if e["ph"] == "X"]
        cases = [e["args"]["case"] for e in ranges if e["name"] == "case/model"]
        self.assertEqual(sorted(cases), sorted(ids(read_records(out))))
        traces.check(self, json.loads(trace.read_text()), ids(read_records(out)))

    def test_do_the_ranges_of_a_measurement_lie_within_their_case(self):
        trace, out = self.path("trace.json"), self.path("records.jsonl")
        self.expect(0, *STUDY, "--method", "measure", "--set", "quantity=clock", "--stop", "count:3",
                    "--trace", trace, "--out", out)
        ranges = [e for e in json.loads(trace.read_text())["traceEvents"] if e["ph"] == "X"]
        (case,) = [e for e in ranges if e["name"] == "case/measure"]
        self.assertEqual(case["args"]["case"], ids(read_records(out))[0])
        traces.check(self, json.loads(trace.read_text()), ids(read_records(out)))

    def test_is_the_trace_of_the_quickstart_job_whole_and_about_its_cases(self):
        # The job itself with the smallest of stopping rules and arrays that fit a cache.
        job = json.loads((SOURCES / "configs" / "quickstart.json").read_text())
        for experiment in job["experiments"]:
            if "stop" in experiment:
                experiment["stop"] = "count:1"
            if experiment["parameters"].get("level") == "dram" and "kind" in experiment["parameters"]:
                experiment["parameters"]["working_set"] = 1 << 20
        trace, out = self.path("trace.json"), self.path("records.jsonl")
        outcome = self.run_program("run", self.write("quick.json", job), "--out", out, "--trace", trace)
        self.assertIn(outcome.code, (0, 3), str(outcome))
        records = read_records(out)
        ranges = traces.check(self, json.loads(trace.read_text()), ids(records))
        self.assertEqual({e["args"]["case"] for e in ranges if e["name"].startswith("case/")},
                         set(ids(records)))
        self.assertEqual({e["cat"] for e in ranges if e["name"] == "case/measure"}, {"measure"})
        self.assertIn("sweep/record", {e["name"] for e in ranges})


class Homes(CliTest):
    MEASURE = [*STUDY, "--method", "measure", "--set", "quantity=clock", "--stop", "count:3"]

    def test_does_a_measurement_work_without_a_home_that_can_be_written(self):
        for home in ("/proc", None):
            outcome = self.expect(0, *self.MEASURE, environment={"HOME": home})
            (case,) = outcome.records("case")
            self.assertEqual(case["status"], "ok")
            self.assertGreater(case["values"]["clock_hz"], 1e8)

    def test_does_one_shard_of_the_default_experiments_leave_the_hosts_profile_alone(self):
        # A part of the experiments makes no whole profile.
        outcome = self.expect(0, *STUDY, "--method", "measure", "--shard", "0/61", "--stop", "count:3")
        self.assertNotIn("rofile", outcome.out + outcome.err)

    def test_does_save_machine_write_a_profile_that_models_read(self):
        profile = self.path("mine.json")
        self.expect(0, *STUDY, "--stop", "count:6", "--save-machine", profile,
                    "--set", "quantity=bandwidth,level=l1,kind=read,threads=1")
        self.assertEqual(json.loads(profile.read_text())["name"], "mine")
        outcome = self.expect(0, *STUDY, "--method", "model", "--machine", profile, "--dry-run",
                              "--set", "level=l1,kind=read,threads=1", "--json")
        (plan,) = outcome.records("plan")
        self.assertEqual(plan["parameters"]["machine"]["name"], "mine")


class Drawing(CliTest):
    def records(self):
        out = self.path("records.jsonl")
        self.expect(0, *sweep("1:3"), "--out", out)
        return out

    def test_do_plot_and_report_without_matplotlib_exit_4_and_say_the_mend(self):
        self.write("matplotlib.py", "raise ImportError('no matplotlib here')\n")
        out = self.records()
        environment = {"PYTHONPATH": self.folder, "HPCLAB_PYTHON": "/usr/bin/python3"}
        for verb in (["plot", out, "-o", "p.svg"], ["report", out, "-o", "r.html"]):
            outcome = self.expect(4, *verb, words="matplotlib", environment=environment)
            self.assertRegex(outcome.err, r"scripts/setup|HPCLAB_PYTHON|apt")

    def test_does_a_python_that_cannot_start_exit_4(self):
        out = self.records()
        outcome = self.expect(4, "plot", out, "-o", "p.svg", words=["/nonexistent", "scripts/setup"],
                              environment={"HPCLAB_PYTHON": "/nonexistent/python"})
        self.assertEqual(outcome.out, "")

    def test_does_a_program_without_its_shared_folder_say_what_to_set(self):
        self.expect(4, "plot", self.records(), "-o", "p.svg", words="HPCLAB_SHARE",
                    environment={"HPCLAB_SHARE": self.folder})


if __name__ == "__main__":
    unittest.main()
