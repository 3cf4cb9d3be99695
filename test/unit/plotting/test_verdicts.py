# hpclab: SPDX-License-Identifier: Apache-2.0
"""Verdicts, comparisons and claims in a report: first on the page, complete, and escaped."""

import json

from support import RUN, RecordTest, case
from test_report import Outline

HOSTILE = "<script>alert(1)</script>\" onload='x"


class Verdicts(RecordTest):
    def page(self, records, *options):
        path = self.write(records)
        code, errors = self.run_command("report", path, "-o", self.path("report.html"), *options)
        self.assertEqual(code, 0, errors)
        text = self.read("report.html")
        outline = Outline(text)
        self.assertEqual(outline.open, [])
        self.assertFalse(outline.tags & {"script", "iframe", "img", "link", "object"})
        return text

    def document(self, name, content):
        with open(self.path(name), "w", encoding="utf-8") as stream:
            json.dump(content, stream)
        return self.path(name)

    def test_do_the_verdicts_come_first_and_name_failures_and_the_largest_error(self):
        text = self.page([
            RUN,
            case(1, values={"time_s": 1.1, "predicted_time_s": 1.0, "error_ratio": 0.1}),
            case(2, values={"time_s": 0.7, "predicted_time_s": 1.0, "error_ratio": -0.3}),
            case(3, status="failed", reason="it broke", values={}),
        ])
        first = text.index('<section id="verdicts">')
        self.assertLess(first, text.index('<section id="overview">'))
        verdicts = text[first:text.index('<section id="overview">')]
        self.assertIn("1 failed", verdicts)
        self.assertIn("median error 20 %", verdicts)
        self.assertIn("30", verdicts)

    def test_are_comparison_and_claims_shown_and_hostile_words_escaped(self):
        compared = self.document("compare.json", {
            "differences": [HOSTILE],
            "cases": [{"verdict": "SLOW", "lab": "lab", "study": HOSTILE, "value": "time_s",
                       "parameters": {HOSTILE: HOSTILE}, "change_ratio": 0.031,
                       "change_interval": [0.02, 0.04], "remark": HOSTILE},
                      {"verdict": "UNSURE", "broke": True}]})
        claimed = self.document("claims.json", {"claims": [
            {"lab": "lab", "study": "study", "id": HOSTILE, "verdict": "not met", "ours": 2.0,
             "expected": 1.0, "error_ratio": 1.0, "reason": HOSTILE, "source": HOSTILE},
            {"lab": "lab", "study": "study", "id": "x", "verdict": "met", "ours": [1], "expected": {}}]})
        text = self.page([RUN, case(1)], "--compare", compared, "--claims", claimed)
        self.assertIn("+3.1 % [+2, +4]", text)
        self.assertIn("BROKE", text)
        self.assertIn('href="#claims"', text)
        self.assertIn("2 claims: 1 not met, 1 met", text)
        self.assertNotIn("<script", text)

    def test_is_a_document_of_another_kind_refused_with_what_writes_it(self):
        path = self.write([RUN, case(1)])
        wrong = self.document("wrong.json", {"rows": []})
        broken = self.path("broken.json")
        with open(broken, "w", encoding="utf-8") as stream:
            stream.write('{"cases": [')
        for file, words in ((wrong, "hpclab compare"), (broken, "cannot read"),
                            (self.path("absent.json"), "cannot read")):
            code, errors = self.run_command("report", path, "-o", self.path("r.html"),
                                            "--compare", file)
            self.assertEqual(code, 2)
            self.assertIn(words, errors)

    def test_do_many_cases_stay_a_small_page(self):
        text = self.page([RUN] + [case(i) for i in range(1, 6001)])
        self.assertLess(len(text), 5_000_000)
        self.assertIn("points are drawn", text)
        self.assertIn("4000 cases more are in the record files", text)
