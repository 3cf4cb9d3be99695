# hpclab: SPDX-License-Identifier: Apache-2.0
"""Does the reader accept exactly schema 1, and say where and why it refuses?"""

import json

from support import RUN, RecordTest, case

from hpclab_plotting.errors import UsageError
from hpclab_plotting.records import read_records


class Reading(RecordTest):
    def refused(self, records, *words, end="\n"):
        with self.assertRaises(UsageError) as caught:
            read_records([self.write(records, end=end)])
        for word in words:
            self.assertIn(word, str(caught.exception))

    def test_several_runs_and_a_missing_end_are_valid(self):
        other = dict(RUN, run="r2")
        path = self.write(
            [RUN, case(1), {"record": "end", "run": "r1", "cases": 1}, other, case(2, run="r2")]
        )
        records = read_records([path])
        self.assertEqual([run.name for run in records.runs], ["r1", "r2"])
        self.assertEqual(len(records.cases), 2)
        self.assertIsNone(records.runs[1].end)

    def test_a_torn_last_line_is_forgiven_and_said(self):
        for cut in (1, 20, 60):
            records = read_records([self.write([RUN, case(1), json.dumps(case(2))[:cut]], end="")])
            self.assertEqual(len(records.cases), 1)
            self.assertIn("torn", records.warnings[0])

    def test_a_whole_last_line_without_newline_counts(self):
        self.assertEqual(len(read_records([self.write([RUN, case(1)], end="")]).cases), 1)

    def test_a_broken_line_that_ends_in_a_newline_is_refused_with_its_place(self):
        self.refused([RUN, case(1), '{"record":"case"'], "records.jsonl:3:", "not JSON")
        self.refused([RUN, '{"record":', case(1)], "records.jsonl:2:")
        self.refused([RUN, "", case(1)], "records.jsonl:2:")

    def test_a_newer_major_is_refused_and_a_newer_minor_is_read(self):
        self.refused([dict(RUN, schema="2.0")], ":1:", "newer")
        self.assertEqual(
            len(read_records([self.write([dict(RUN, schema="1.7", later=1), case(1)])]).cases), 1
        )

    def test_each_kind_of_bad_value_names_its_place(self):
        self.refused([RUN, case(values={"time_s": "fast"})], "/values/time_s")
        self.refused([RUN, case(interval95={"time_s": [2, 1]})], "/interval95/time_s")
        self.refused([RUN, case(method="guess")], "/method", "model")
        self.refused([RUN, case(status="maybe")], "/status")
        self.refused(
            [RUN, case(tables={"t": {"columns": ["a"], "rows": [[1, 2]]}})], "/tables/t/rows/0"
        )
        self.refused([RUN, case(run="other")], "/run", "other")
        self.refused([RUN, {"record": "cell"}], "/record")
        self.refused([RUN, '{"record":"case","values":{"time_s":NaN}}'], "finite")
        self.refused([RUN, '{"record":"case","values":{"time_s":1e999}}'], "range")
        self.refused([RUN, '{"record":"end","record":"end","run":"r1"}'], "twice")
        self.refused([RUN, b'{"record":"\xff"}'], "UTF-8")
        self.refused([RUN, '{"record":"end","run":"\\ud800"}'], "surrogate")
        self.refused([RUN, "[" * 60000], "nested")
        self.refused([RUN, json.dumps(case(notes=["x" * 70000]))], "65536")
        self.refused([case(1)], "no run record")
        self.refused([""], ":1:")

    def test_an_empty_or_absent_file_is_refused(self):
        self.refused([], "no run record", end="")
        with self.assertRaises(UsageError):
            read_records([self.path("absent.jsonl")])

    def test_a_retried_case_replaces_its_failure(self):
        failed = case(1, status="failed", reason="no luck", values={})
        records = read_records([self.write([RUN, failed, dict(RUN, run="r2"), case(1, run="r2")])])
        self.assertEqual([(c.status, c.run.name) for c in records.cases], [("ok", "r2")])
        self.assertEqual(records.superseded, 1)

    def test_the_same_case_of_two_runs_or_files_is_kept_apart(self):
        one = self.write([RUN, case(1), dict(RUN, run="r2"), case(1, run="r2")])
        records = read_records([one])
        self.assertEqual([c.run.label for c in records.cases], ["run r1", "run r2"])
        two = [
            self.write([RUN, case(1)], "before.jsonl"),
            self.write([RUN, case(1)], "after.jsonl"),
        ]
        self.assertEqual([c.run.label for c in read_records(two).cases], ["before", "after"])

    def test_files_and_profiles_among_the_parameters_go_by_name(self):
        profile = {"name": "h200", "sha256": "0" * 64}
        records = read_records(
            [self.write([RUN, case(1, parameters={"machine": profile, "n": 2})])]
        )
        self.assertEqual(records.cases[0].parameters, {"machine": "h200", "n": 2})
