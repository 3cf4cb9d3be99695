# hpclab: SPDX-License-Identifier: Apache-2.0
"""Is the report whole, safe to open, and true to the records?"""

import re
from html.parser import HTMLParser

import synthetic
from support import RUN, RecordTest, case

_VOID = {"meta", "br", "link"}


class Outline(HTMLParser):
    """Checks that tags close in order; collects ids, links and text."""

    def __init__(self, page):
        super().__init__()
        self.open, self.ids, self.links, self.tags, self.words = [], [], [], set(), []
        self.feed(page)
        self.close()

    def handle_starttag(self, tag, attributes):
        self.tags.add(tag)
        found = dict(attributes)
        if "id" in found:
            self.ids.append(found["id"])
        for name in ("href", "xlink:href"):
            if name in found:
                self.links.append(found[name])
        if tag not in _VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag, attributes):
        self.handle_starttag(tag, attributes)
        if tag not in _VOID:
            self.open.pop()

    def handle_endtag(self, tag):
        assert self.open and self.open[-1] == tag, f"</{tag}> closes {self.open[-3:]}"
        self.open.pop()

    def handle_data(self, data):
        self.words.append(data)


class Reports(RecordTest):
    def report(self, records, *options):
        path = self.write(records)
        code, errors = self.run_command("report", path, "-o", self.path("report.html"), *options)
        self.assertEqual(code, 0, errors)
        page = self.read("report.html")
        outline = Outline(page)
        self.assertEqual(outline.open, [])
        return page, outline

    def test_the_page_stands_alone_and_its_links_lead_somewhere(self):
        page, outline = self.report(synthetic.realistic().splitlines())
        self.assertFalse(outline.tags & {"script", "iframe", "img", "link", "object"})
        self.assertEqual(len(outline.ids), len(set(outline.ids)))
        for link in outline.links:
            self.assertTrue(link.startswith("#"), link)
            self.assertIn(link[1:], outline.ids)
        for reference in re.findall(r"url\(#([^)]+)\)", page):
            self.assertIn(reference, outline.ids)
        self.assertFalse(re.search(r"https?://", page.replace("http://www.w3.org/", "")))

    def test_pictures_follow_light_and_dark(self):
        page, _ = self.report(synthetic.realistic().splitlines())
        pictures = re.findall(r"<svg.*?</svg>", page, flags=re.S)
        self.assertEqual(len(pictures), 8)
        for picture in pictures:
            self.assertTrue("var(--ink)" in picture)
            self.assertFalse(re.search(r"(fill|stroke): ?(#000|#fff|black|white)", picture))

    def test_it_says_what_failed_what_was_skipped_and_why(self):
        _, outline = self.report(synthetic.realistic().splitlines())
        text = " ".join(outline.words)
        for words in (
            "exceeds 1e-10 against the assembled matrix",
            "no driver: mend with scripts/setup",
            "stolen by the hypervisor",
            "AMD EPYC 9354P",
            "hpclab roofline ceilings --set threads=1,2",
            "inside the model",
        ):
            self.assertIn(words, text)

    def test_text_of_records_cannot_become_markup(self):
        evil = '<script>alert("1")</script><img src=x onerror=y>\'"&\x00\x1b'
        records = [
            dict(
                RUN,
                machine={evil: evil, "host": evil},
                argv=[evil],
                started=evil,
                hpclab={evil: evil},
                studies={
                    f"{evil}/{evil}": {
                        "question": evil,
                        "values": {evil: {"headline": True, "meaning": evil}},
                        "plot": {
                            "kind": "lines",
                            "x": evil,
                            "y": f"{evil}_s",
                            "series": [evil + "2"],
                        },
                    }
                },
            )
        ]
        for index in range(6):
            records.append(
                case(
                    index,
                    lab=evil,
                    study=evil,
                    backend=evil,
                    id=f"{evil}{index}",
                    notes=[evil],
                    text={evil: evil},
                    parameters={evil: index, evil + "2": f"{evil}{index % 2}"},
                    values={f"{evil}_s": 1.0 + index},
                    tables={evil: {"columns": [evil], "units": [evil], "rows": [[evil]]}},
                )
            )
        records.append(case(9, lab=evil, study=evil, status="failed", reason=evil))
        page, outline = self.report(records, "--title", evil)
        self.assertFalse(outline.tags & {"script", "img"})
        self.assertFalse(re.search("[\x00-\x08\x0b-\x1f]", page), "a control character in the page")
        self.assertTrue("&lt;script&gt;" in page)

    def test_the_error_is_the_recorded_one_else_measured_over_predicted(self):
        records = [
            RUN,
            case(1, values={"time_s": 1.1, "predicted_time_s": 1.0, "error_ratio": 0.123}),
            case(2, lab="other", values={"time_s": 3.0, "predicted_time_s": 2.0}),
        ]
        page, _ = self.report(records)
        self.assertTrue("+12 %" in page and "+50 %" in page)

    def test_emulated_cases_show_no_time(self):
        page, outline = self.report(
            [RUN, case(1, backend="emulator", values={"time_s": 123.456, "max_error": 1e-15})]
        )
        self.assertFalse(re.search(r"123\.[45]", page), "an emulated time in the page")
        self.assertNotIn("svg", outline.tags)
        self.assertIn("not performance", " ".join(outline.words))

    def test_records_without_declared_studies_get_a_picture_all_the_same(self):
        page, outline = self.report(synthetic.realistic(declare=False).splitlines())
        self.assertEqual(page.count("<figure>"), 4)

    def test_degenerate_files_give_a_page(self):
        self.report([RUN])
        self.report([RUN, case(1, status="failed", reason="x", values={})])
        self.report([RUN, case(1, values={})])
        self.report([RUN, case(1, values={"time_s": 0.0}), case(2, values={"time_s": -1.0})])
        self.report([RUN, case(1, values={"time_s": 1e-300}), case(2, values={"time_s": 1e300})])
