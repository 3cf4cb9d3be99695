# hpclab: SPDX-License-Identifier: Apache-2.0
"""What the program says about itself: help, lists, descriptions, schemas, completion."""

import json
import re
import shutil
import subprocess
import unittest

from support import PROGRAM, SOURCES, CliTest

VERBS = ["run", "list", "describe", "doctor", "report", "plot", "merge", "validate", "claims",
         "completion", "help"]


class Help(CliTest):
    def test_does_every_verb_have_help_that_names_it(self):
        for verb in VERBS:
            outcome = self.expect(0, verb, "--help")
            self.assertIn(f"hpclab {verb}", outcome.out)
            self.assertEqual(outcome.err, "")

    def test_does_the_help_of_the_program_list_every_verb_lab_and_exit_code(self):
        outcome = self.expect(0, "--help")
        self.assertEqual(outcome.out, self.expect(0, "help").out)
        self.assertEqual(outcome.out, self.expect(0, "-h").out)
        for word in VERBS + ["roofline", "--version", "--quiet", "--verbose"]:
            self.assertRegex(outcome.out, rf"(?m)^  (-., )?{word} ")
        for code in (0, 1, 2, 3, 4, 130, 141):
            self.assertRegex(outcome.out, rf"(?m)^  {code} ")

    def test_does_help_on_a_verb_lab_or_study_print_what_its_own_help_does(self):
        for words in (["list"], ["run"], ["plot"], ["roofline"], ["roofline", "ceilings"], ["help"]):
            self.assertEqual(self.expect(0, "help", *words).out,
                             self.expect(0, *words, "--help").out, words)
        self.refused("help", "lst", words="did you mean 'list'?")
        self.refused("help", "roofline", "ceiling", words="did you mean 'ceilings'?")
        self.refused("help", "list", "list", words="there is no help on 'list list'")

    def test_does_a_call_without_arguments_print_the_help_and_exit_2(self):
        self.assertEqual(self.expect(2).out, self.expect(0, "--help").out)

    def test_does_every_study_have_help_with_its_question_methods_and_an_example(self):
        for study in json.loads(self.expect(0, "list", "--json").out):
            outcome = self.expect(0, study["lab"], study["study"], "--help")
            self.assertIn(study["question"], " ".join(outcome.out.split()))
            for method in study["methods"]:
                self.assertIn(method, outcome.out)
            self.assertRegex(outcome.out,
                             rf"  hpclab {study['lab']} {study['study']}( FILE\.\.\.)?\n")
            described = self.expect(0, "describe", study["lab"], study["study"])
            self.assertEqual(described.out, outcome.out)

    def test_is_every_option_that_completes_explained_in_help(self):
        script = self.expect(0, "completion", "bash").out
        branches = re.findall(r'(?m)^    "([a-z -]*)"\) words="([^"]*)" ;;$', script)
        common = self.expect(0, "help", "options").out
        options = 0
        for path, words in branches:
            if " --" in path:
                continue
            text = self.expect(0, *path.split(), "--help").out + common
            for word in words.split():
                if word.startswith("--") and word != "--help":
                    self.assertIn(word + " ", text, path)
                    options += 1
        self.assertGreater(options, 40)

    def test_does_the_version_name_revision_and_compiler(self):
        self.assertRegex(self.expect(0, "--version").out, r"^hpclab \d+\.\d+\.\d+ \(git .*; .*\)\n$")

    def test_does_a_lab_list_its_studies(self):
        outcome = self.expect(0, "roofline")
        self.assertRegex(outcome.out, r"(?m)^  roofline ceilings +Which ")

    def test_is_quiet_understood_before_and_after_the_verb(self):
        arguments = ["roofline", "ceilings", "--method", "model", "--level", "l1"]
        self.assertIn("1 case", self.expect(0, *arguments).err)
        for line in (["-q", *arguments], [*arguments, "--quiet"]):
            self.assertEqual(self.expect(0, *line).err, "")


class Descriptions(CliTest):
    def test_does_the_list_agree_with_its_json(self):
        text = self.expect(0, "list").out
        studies = json.loads(self.expect(0, "list", "--json").out)
        self.assertTrue(studies)
        self.assertEqual(len(text.splitlines()), len(studies) + 1)
        for study in studies:
            self.assertIn(study["question"], text)

    def test_does_describe_give_json_and_never_run_the_study(self):
        study = json.loads(self.expect(0, "describe", "roofline", "ceilings", "--json").out)
        self.assertEqual((study["lab"], study["study"]), ("roofline", "ceilings"))
        for parameter in study["parameters"]:
            self.assertLessEqual({"name", "type", "default", "help"}, set(parameter))
        self.assertIn("LAB and STUDY", self.expect(2, "describe", "roofline").err)

    def test_do_the_schemas_accept_the_shipped_configurations_and_refuse_misspelt_ones(self):
        try:
            import jsonschema
        except ImportError:
            self.skipTest("python3-jsonschema is not installed")
        run = json.loads(self.expect(0, "describe", "--schema").out)
        names = [(s["lab"], s["study"]) for s in json.loads(self.expect(0, "list", "--json").out)]
        studies = {name: json.loads(self.expect(0, "describe", *name, "--schema").out) for name in names}
        for schema in (run, *studies.values()):
            jsonschema.Draft202012Validator.check_schema(schema)
        shipped = [*SOURCES.glob("configs/*.json")]
        for lab in {lab for lab, _ in names}:
            shipped += SOURCES.glob(f"configs/{lab}/*.json")
        for path in shipped:
            document = json.loads(path.read_text(encoding="utf-8"))
            schema = run if "experiments" in document else studies[document["lab"], document["study"]]
            jsonschema.validate(document, schema, jsonschema.Draft202012Validator)
            self.expect(0, "run", path, "--dry-run")
        bad = {"lab": "roofline", "study": "ceilings", "parameters": {"levl": "l1"}}
        with self.assertRaises(jsonschema.ValidationError):
            jsonschema.validate(bad, studies["roofline", "ceilings"], jsonschema.Draft202012Validator)

    def test_does_the_schema_of_claims_accept_the_shipped_ones_and_refuse_misspelt_keys(self):
        try:
            import jsonschema
        except ImportError:
            self.skipTest("python3-jsonschema is not installed")
        schema = json.loads(self.expect(0, "claims", "--schema").out)
        jsonschema.Draft202012Validator.check_schema(schema)
        for path in SOURCES.glob("configs/claims/*/*.json"):
            document = json.loads(path.read_text(encoding="utf-8"))
            jsonschema.validate(document, schema, jsonschema.Draft202012Validator)
            document["claims"][0]["tolerence"] = "exact"
            with self.assertRaises(jsonschema.ValidationError):
                jsonschema.validate(document, schema, jsonschema.Draft202012Validator)

    def test_are_the_schemas_in_the_repository_those_of_the_program(self):
        for file, arguments in (("run", []), ("roofline-ceilings", ["roofline", "ceilings"])):
            printed = json.loads(self.expect(0, "describe", *arguments, "--schema").out)
            stored = SOURCES / "configs" / "schema" / f"{file}.json"
            self.assertEqual(printed, json.loads(stored.read_text(encoding="utf-8")), stored.name)


class Completion(CliTest):
    def bash(self, words):
        """What bash offers after these words."""
        quoted = " ".join(f"'{word}'" for word in words)
        script = (f"source completion.bash; COMP_WORDS=({quoted}); COMP_CWORD={len(words) - 1}; "
                  '_hpclab; printf "%s\\n" "${COMPREPLY[@]}"')
        done = subprocess.run(["bash", "-c", script], cwd=self.folder, capture_output=True,
                              text=True, check=True, timeout=30)
        return done.stdout.split()

    def test_does_bash_complete_labs_studies_options_and_choices(self):
        if not shutil.which("bash"):
            self.skipTest("no bash")
        self.write("completion.bash", self.expect(0, "completion", "bash").out)
        subprocess.run(["bash", "-n", self.path("completion.bash")], check=True, timeout=30)
        self.assertEqual(self.bash(["hpclab", "roof"]), ["roofline"])
        self.assertEqual(self.bash(["hpclab", "roofline", "ceil"]), ["ceilings"])
        self.assertEqual(self.bash(["hpclab", "roofline", "ceilings", "--lev"]), ["--level"])
        levels = self.bash(["hpclab", "roofline", "ceilings", "--level", "l"])
        self.assertEqual(levels, ["l1", "l2", "l3"])
        kinds = self.bash(["hpclab", "roofline", "ceilings", "--level", "l1", "--kind", "tri"])
        self.assertEqual(kinds, ["triad", "triad-nontemporal"])

    def test_do_zsh_and_fish_get_scripts_that_name_every_verb(self):
        for shell in ("zsh", "fish"):
            script = self.expect(0, "completion", shell).out
            for verb in VERBS:
                self.assertIn(verb, script)
            if shutil.which(shell):
                self.write("script", script)
                subprocess.run([shell, "-n", self.path("script")], check=True, timeout=30)


class Doctor(CliTest):
    def test_does_doctor_say_what_is_missing_and_exit_0_with_an_empty_path(self):
        # A toolkit in its usual folder is found without PATH, a build tool is not.
        outcome = self.expect(0, "doctor", environment={"PATH": "/nonexistent"})
        self.assertRegex(outcome.out, r"(?m)^  \w+ +compilers +g\+\+ not found, ")
        self.assertRegex(outcome.out, r"(?m)^  missing +cmake +no cmake\n.*\n +mend: ")
        self.assertRegex(outcome.out, r"\d+ ok, \d+ to note, \d+ warnings, [1-9]\d* missing\n$")

    def test_is_the_json_of_doctor_complete(self):
        report = json.loads(self.expect(0, "doctor", "--json").out)
        self.assertGreater(len(report["probes"]), 10)
        for probe in report["probes"]:
            self.assertIn(probe["status"], ("ok", "note", "warning", "missing"))
            self.assertTrue(probe["finding"])
            if probe["status"] in ("warning", "missing"):
                self.assertTrue(probe["meaning"] or probe["mend"], probe)


if __name__ == "__main__":
    print(PROGRAM)
    unittest.main()
