# hpclab: SPDX-License-Identifier: Apache-2.0
"""`hpclab claims`: ours beside theirs, exit 1 when a claim is not met, skips and kinds counted."""

import json
import unittest

from support import CliTest, SOURCES

CLAIMS = SOURCES / "configs" / "claims"


class ClaimsTest(CliTest):
    def claims(self, *claims):
        """A claims file of the ceilings study: the nominal peak of an A100 by default."""
        whole = []
        for number, changes in enumerate(claims):
            whole.append({"id": f"claim-{number}", "machine": "a100-40gb",
                          "parameters": {"precision": "fp64", "unit": "vector"},
                          "ours": "values.flops_per_s", "expected": 9.7e12, "tolerance": "exact",
                          "source": "NVIDIA A100 data sheet", "kind": "published", **changes})
        self.path("roofline").mkdir(exist_ok=True)
        return self.write("roofline/ceilings.json",
                          {"lab": "roofline", "study": "ceilings", "claims": whole})

    def test_does_a_claim_that_is_not_met_exit_1_and_a_marked_one_0(self):
        for changes, code, word in (({}, 0, "met"), ({"expected": 9e12}, 1, "not met"),
                                    ({"expected": 9e12, "not_met": "the clock is lower"}, 0,
                                     "known not met: the clock is lower")):
            outcome = self.expect(code, "claims", "--file", self.claims(changes))
            row = next(line for line in outcome.out.splitlines() if "claim-0" in line)
            self.assertTrue(row.endswith("  " + word), row)
            self.assertIn("9.7 Tflop/s", row.replace("9.700", "9.7"))

    def test_does_the_table_hold_both_figures_the_source_and_the_counts(self):
        out = self.expect(1, "claims", "--file", self.claims(
            {}, {"expected": 9e12, "kind": "closed form", "source": "a guess"},
            {"needs": {"data": ["none.txt"]}})).out
        for text in ("roofline ceilings", "+7.78 %", "[1] NVIDIA A100 data sheet", "[2] a guess",
                     "skipped: data file is missing: none.txt",
                     "3 claims: 1 met, 1 not met, 1 skipped", "published            1 met, 1 skipped",
                     "closed form          1 not met"):
            self.assertIn(text, out)

    def test_is_the_same_said_as_json(self):
        outcome = self.expect(1, "claims", "--json", "--file",
                              self.claims({}, {"expected": 9e12}, {"needs": {"data": ["none.txt"]}}))
        report = json.loads(outcome.out)
        self.assertEqual([c["verdict"] for c in report["claims"]], ["met", "not met", "skipped"])
        self.assertEqual(report["counts"], {"met": 1, "not_met": 1, "known_not_met": 0, "skipped": 1})
        self.assertEqual(report["claims"][1]["machine"], "a100-40gb")
        self.assertAlmostEqual(report["claims"][1]["error_ratio"], 7 / 90)
        self.assertIsNone(report["claims"][2]["ours"])

    def test_are_files_and_names_that_are_wrong_refused(self):
        self.refused("claims", "rooflin", words="did you mean 'roofline'")
        self.refused("claims", "roofline", "ceiling", words="did you mean 'ceilings'")
        self.refused("claims", "roofline", "ceilings", "more", words="one argument too many")
        self.refused("claims", "--file", "none.json", words="none.json")
        self.refused("claims", "--method", "modle", words="did you mean 'model'")
        self.refused("claims", "--file", self.claims({"tolerence": 1}),
                     words=["roofline/ceilings.json: /claims/0/tolerence", "did you mean 'tolerance'"])
        self.refused("claims", "--file", self.claims({"machine": "a101"}), words="claim claim-0")
        self.refused("claims", "--file", self.claims({"parameters": {"chains": 2, "unit": "vector"}}),
                     words="claim claim-0")
        self.refused("claims", "--file", self.write("ceilings.json", "{"), words="line 1")

    def test_is_a_claims_file_of_no_study_an_error(self):
        share = self.path("share")
        (share / "configs" / "claims" / "roofline").mkdir(parents=True)
        (share / "configs" / "machines").symlink_to(SOURCES / "configs" / "machines")
        (share / "configs" / "claims" / "roofline" / "other.json").write_text("{}")
        self.refused("claims", environment={"HPCLAB_SHARE": share}, words="no such study")

    def test_does_a_profile_saved_on_this_host_change_no_claim(self):
        saved = self.path("home") / ".local" / "share" / "hpclab"
        saved.mkdir(parents=True)
        profile = json.loads((SOURCES / "configs" / "machines" / "a100-40gb.json").read_text())
        profile["figures"]["peak"]["fp64_vector_flops_per_s"]["value"] = 1e12
        (saved / "a100-40gb.json").write_text(json.dumps(profile))
        self.expect(0, "claims", "--file", self.claims({}))

    def test_does_every_shipped_file_have_unique_sources_and_no_claim_that_fails(self):
        outcome = self.expect(0, "claims", "--method", "model,simulate", "--json")
        report = json.loads(outcome.out)
        studies = {(c["lab"], c["study"]) for c in report["claims"]}
        files = {(f.parent.name, f.stem) for f in CLAIMS.glob("*/*.json")}
        self.assertEqual(studies, files)
        for claim in report["claims"]:
            self.assertTrue(claim["source"].strip(), claim)


if __name__ == "__main__":
    unittest.main()
