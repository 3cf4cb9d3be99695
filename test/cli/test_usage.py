# hpclab: SPDX-License-Identifier: Apache-2.0
"""Wrong input: what is refused, with which exit code, and which right thing is named."""

import json
import unittest

from support import MODEL, STUDY, CliTest, ids, sweep


class MisspeltNames(CliTest):
    def nearest(self, *arguments, wrong, right):
        self.refused(*arguments, words=[f"'{wrong}'", f"did you mean '{right}'?"])

    def test_is_the_nearest_verb_lab_study_and_shell_offered(self):
        self.nearest("validte", "x", wrong="validte", right="validate")
        self.nearest("roofine", "ceilings", wrong="roofine", right="roofline")
        self.nearest("roofline", "ceiling", wrong="ceiling", right="ceilings")
        self.nearest("describe", "rofline", "ceilings", wrong="rofline", right="roofline")
        self.nearest("describe", "roofline", "ceilngs", wrong="ceilngs", right="ceilings")
        self.nearest("completion", "bsh", wrong="bsh", right="bash")
        self.nearest("help", "optons", wrong="optons", right="options")

    def test_is_the_nearest_option_offered_at_every_depth(self):
        self.nearest("--hlep", wrong="--hlep", right="--help")
        self.nearest("list", "--jsn", wrong="--jsn", right="--json")
        self.nearest("doctor", "--jsno", wrong="--jsno", right="--json")
        self.nearest(*STUDY, "--levl", "l1", wrong="--levl", right="--level")
        self.nearest(*STUDY, "--levl=l1", wrong="--levl", right="--level")
        self.nearest(*STUDY, "--resum", wrong="--resum", right="--resume")
        self.nearest("run", "--dryrun", "x", wrong="--dryrun", right="--dry-run")

    def test_is_the_nearest_parameter_offered_wherever_one_is_named(self):
        for arguments in (["--set", "levl=l1"], ["--set", "threads=1,levl=l1"],
                          ["--zip", "levl,threads"], ["--exclude", "levl == 'l1'"]):
            self.nearest(*STUDY, *arguments, wrong="levl", right="level")

    def test_is_the_nearest_choice_offered(self):
        self.nearest(*STUDY, "--kind", "raed", wrong="raed", right="read")
        self.nearest(*STUDY, "--level", "l8", wrong="l8", right="l1")
        self.nearest(*STUDY, "--set", "level=l1,darm", wrong="darm", right="dram")
        self.nearest(*STUDY, "--method", "mdel", wrong="mdel", right="model")
        self.nearest(*STUDY, "--backend", "cpuu", wrong="cpuu", right="cpu")
        self.nearest(*STUDY, "--method", "model", "--machine", "xeon-8168-s2",
                     wrong="xeon-8168-s2", right="xeon-8168-2s")
        self.nearest(*STUDY, "--stop", "relativ:1%", wrong="relativ", right="relative")

    def test_is_a_word_too_many_refused(self):
        self.refused(*STUDY, "extra", words="'extra' is one argument too many")
        self.refused("list", "roofline", words="'roofline' is one argument too many")

    def test_is_a_name_of_a_verb_after_another_verb_an_argument_of_it(self):
        self.refused("roofline", "list", words="unknown study 'list'")
        self.refused("validate", "list", "run", words=["'list'", "'run'", "No such file"])


class WrongConfigurations(CliTest):
    def bad(self, words, **more):
        path = self.config(**more)
        return self.refused("run", path, "--dry-run", words=[str(path) + ":", *words])

    def test_is_the_nearest_key_offered(self):
        self.bad(["/paramters", "did you mean 'parameters'?"], paramters={})
        self.bad(["/parameters/thraeds", "did you mean 'threads'?"], parameters={"thraeds": 1})
        self.bad(["/method", "did you mean 'model'?"], method="modl")
        self.bad(["/backend", "did you mean 'cpu'?"], backend=["cp"])
        self.bad(["/parameters/level/1", "did you mean 'l2'?"], parameters={"level": ["l1", "l22"]})
        bad = self.write("labs.json", {"experiments": [{"lab": "roofline", "study": "ceilngs"}]})
        self.refused("run", bad, words=["/experiments/0/study", "did you mean 'ceilings'?"])

    def test_does_a_wrong_type_name_file_and_json_pointer(self):
        self.bad(["/parameters/threads", "true or false", "0 to 4096"], parameters={"threads": True})
        self.bad(["/parameters/threads/1", '"many"'], parameters={"threads": [1, "many"]})
        self.bad(["/parameters/level", "a number"], parameters={"level": 3})
        self.bad(["/parameters: an object"], parameters=[])
        self.bad(["/method/0: text"], method=[1])
        self.bad(["/seed: a whole number"], seed=1.5)
        self.bad(["/seed: a whole number"], seed=-1)
        self.bad(["/zip: a list of lists"], zip="level,threads")
        self.refused("run", self.write("list.json", []), words="/: an object is needed")
        self.refused("run", self.write("none.json", {"experiments": []}), words="/experiments:")
        self.refused("run", self.write("no.json", {"lab": "roofline"}), words="/study is missing")

    def test_is_a_repeated_key_refused(self):
        text = '{"lab": "roofline", "study": "ceilings",\n "seed": 1, "seed": 2}'
        self.refused("run", self.write("twice.json", text), words="'seed' is given twice")

    def test_does_broken_json_name_line_and_column(self):
        text = '{"lab": "roofline",\n "study": "ceilings",,\n}'
        path = self.write("broken.json", text)
        self.refused("run", path, words=f"{path}: line 2, column 22:")
        self.refused("run", self.write("empty.json", ""), words="line 1, column 1:")
        self.refused("run", self.write("bytes.json", b'{"lab": "\xff\xfe"}'), words="UTF-8")

    def test_are_endless_brackets_and_numbers_that_no_double_holds_refused(self):
        head = '{"lab": "roofline", "study": "ceilings", "parameters": {"threads": '
        nested = head + "[" * 10**6 + "]" * 10**6 + "}}"
        self.refused("run", self.write("deep.json", nested), words="1000002 lists and objects within each other")
        self.refused("run", self.write("huge.json", head + "1e400}}"), words="1e400")

    def test_are_values_out_of_range_and_empty_axes_refused_with_the_range(self):
        self.bad(["/parameters/threads", "9999", "0 to 4096"], parameters={"threads": 9999})
        self.bad(["/parameters/threads", "whole number", "1.5"], parameters={"threads": [1.5]})
        self.bad(["/parameters/threads", "axis of 'threads' is empty"], parameters={"threads": []})
        for text in ("9999", "-1", "0:9999"):
            self.refused(*STUDY, f"--threads={text}", words=["--threads", "0 to 4096"])
        self.refused(*STUDY, "--threads", "1.5", words="takes a whole number")
        self.refused(*STUDY, "--threads", "8:4", words="the range '8:4' is empty")
        self.refused(*STUDY, "--threads", "1:8:0", words="does not advance")
        self.refused(*STUDY, "--threads", "1,,2", words="empty value")
        self.refused(*STUDY, "--set", "threads=", words="empty value")
        self.refused(*STUDY, "--set", "threads", words="not of the form name=value")
        self.refused(*STUDY, "--set", "threads=1,threads=2", words="set twice")

    def test_are_files_that_cannot_be_read_named(self):
        missing = self.path("missing.json")
        self.refused(*STUDY, "--config", missing, words=[str(missing), "No such file"])
        self.refused(*STUDY, "--config", self.folder, words="it is a folder")
        self.refused("run", missing, words=[str(missing), "no such file"])
        self.refused("run", self.folder / "home", words="holds no .json file")
        self.refused("run", "x" * 5000, words="no such file")
        self.refused("run", self.path("home") / ".." / "missing" / "x.json", words="no such file")
        self.refused("run", "/proc/self/mem", words="/proc/self/mem")

    def test_is_a_configuration_of_another_kind_than_the_study_refused(self):
        run = self.write("run.json", {"experiments": [{"lab": "nowhere", "study": "ceilings"}]})
        self.refused(*STUDY, "--config", run, words="unknown lab 'nowhere'")


class WrongOptions(CliTest):
    def test_are_shards_checked(self):
        for text in ("x", "1", "1/", "/3", "0.5/3", "0/0", "a/b"):
            self.refused(*MODEL, "--shard", text, words=["--shard", "is not i/n, e.g. 0/16"])
        for text in ("3/3", "-1/3", "7/3"):
            self.refused(*MODEL, f"--shard={text}", words="count from 0 to 2")

    def test_are_numbers_of_options_checked(self):
        self.refused(*MODEL, "--jobs", "0", words=["--jobs", "1 to 4096"])
        self.refused(*MODEL, "--max-cases", "0", words="--max-cases")
        self.refused(*MODEL, "--seed=-1", words="--seed")
        self.refused(*MODEL, "--seed", "x", words="--seed")
        for rule in ("count:x", "count:0", "time:", "relative:1%,min=0", "relative:-1%", ""):
            self.refused(*STUDY, f"--stop={rule}", words="")

    def test_do_options_that_need_another_say_so(self):
        self.refused(*MODEL, "--resume", words="--resume needs --out")
        self.refused(*MODEL, "--retry-failed", words="--retry-failed needs --resume")
        self.refused(*MODEL, "--out", "f", "--retry-failed", words="--retry-failed needs --resume")
        self.refused(*MODEL, "--out", words="--out")
        self.refused(*MODEL, "--out", "a", "--out", "b", words="--out")
        self.refused("merge", "a.jsonl", words="-o FILE is missing")
        for verb in ("merge", "validate", "run", "completion"):
            self.refused(verb, words="is missing")

    def test_does_a_backend_that_the_study_lacks_exit_4(self):
        outcome = self.expect(4, *STUDY, "--backend", "mpi",
                              words=["does not measure on backend 'mpi'", "It has: cpu"])
        self.assertEqual(outcome.out, "")

    def test_is_a_method_that_the_study_lacks_refused(self):
        self.refused(*STUDY, "--method", "simulate", words=["'simulate'", "model, measure"])
        self.refused(*MODEL, "--backend", "cpu", words="'measure' is not among the methods")


class WithoutParameters(CliTest):
    WORDS = "no parameters given"

    def plan(self, *arguments):
        outcome = self.expect(0, *STUDY, *arguments, "--dry-run", "--json", words=self.WORDS)
        return outcome.records("plan"), outcome.err

    def test_is_what_runs_said_after_usage_errors_and_not_with_parameters(self):
        for wrong in (["--backend", "cpuu"], ["--stop", "x"], ["--jobs", "0"], ["--machine", "none"]):
            outcome = self.refused(*STUDY, *wrong, words="")
            self.assertNotIn(self.WORDS, outcome.err)
        self.assertNotIn(self.WORDS, self.expect(0, *sweep("1"), "--dry-run").err)

    def test_does_the_emulator_run_its_shipped_grid(self):
        plans, err = self.plan("--backend", "emulator")
        self.assertIn("roofline/ceilings-emulator.json", err)
        self.assertEqual({(p["method"], p["backend"]) for p in plans}, {("measure", "emulator")})
        self.assertIn("shared", {p["parameters"].get("level") for p in plans})
        self.assertNotIn("l3", {p["parameters"].get("level") for p in plans})

    def test_does_a_profile_of_a_gpu_get_the_grid_of_one(self):
        plans, err = self.plan("--machine", "h200", "--method", "model")
        self.assertIn("roofline/ceilings-gpu.json", err)
        self.assertEqual({p["method"] for p in plans}, {"model"})
        self.assertIn("tensor", {p["parameters"].get("unit") for p in plans})
        outcome = self.expect(0, *STUDY, "--machine", "h200", "--method", "model")
        statuses = {c["status"] for c in outcome.records("case")}
        self.assertEqual(statuses, {"ok", "skipped"})

    def test_does_a_gpu_that_is_not_here_get_predictions_only(self):
        plans, err = self.plan("--machine", "h200")
        if "predictions only" not in err:
            self.skipTest("there is a CUDA device")
        self.assertEqual({p["method"] for p in plans}, {"model"})

    def test_is_a_figure_that_a_profile_lacks_skipped_unless_it_was_asked_for(self):
        outcome = self.expect(0, *STUDY, "--machine", "xeon-8168-2s", "--method", "model",
                              words=self.WORDS)
        cases = outcome.records("case")
        self.assertEqual({c["status"] for c in cases}, {"ok", "skipped"})
        self.assertTrue([c for c in cases if "does not state" in c.get("reason", "")])
        self.expect(3, *STUDY, "--machine", "xeon-8168-2s", "--method", "model", "--set",
                    "isa=avx2,precision=fp64,threads=1", words="does not state")


class Grids(CliTest):
    def plan(self, *arguments):
        outcome = self.expect(0, *arguments, "--dry-run", "--json")
        return outcome.records("plan")

    def test_is_a_huge_product_counted_and_refused_unless_told(self):
        grid = [*MODEL, "--quantity", "latency", "--threads", "1:40", "--chains", "1:32",
                "--level", "l1,l2"]
        self.refused(*grid, "--max-cases", "2k", words=["2560 cases", "limit of 2000"])
        self.assertIn("2560 cases", self.expect(0, *grid, "--dry-run", "--max-cases", "2560").err)
        self.refused(*MODEL, "--threads", "1:4096", "--chains", "1:32", "--level", "l1,l2,l3,dram",
                     "--quantity", "latency", words=["524288 cases", "limit of 100000"])
        self.refused(*MODEL, "--set", "working_set=1:1000000000", words="more than 1000000 values")

    def test_does_a_dry_run_list_cases_with_estimates_and_write_nothing(self):
        out = self.path("records.jsonl")
        trace = self.path("trace.json")
        arguments = [*STUDY, "--set", "level=l1,dram,threads=1", "--out", out, "--trace", trace]
        plans = self.plan(*arguments)
        self.assertEqual(len(plans), 4)
        measured = [p for p in plans if p["method"] == "measure"]
        for plan in measured:
            self.assertGreater(plan["estimate"]["memory_bytes"], 0)
            self.assertGreater(plan["estimate"]["time_s"], 0)
        text = self.expect(0, *arguments, "--dry-run").out
        for plan in plans:
            self.assertIn(plan["id"], text)
        self.assertFalse(out.exists() or trace.exists())

    def test_are_the_planned_cases_those_that_run(self):
        arguments = sweep("1:5")
        self.assertEqual(ids(self.plan(*arguments)),
                         ids(self.run_program(*arguments).records("case")))

    def test_does_zip_advance_axes_together(self):
        plans = self.plan(*MODEL, "--set", "level=l1,l2,l3,threads=1,2,4", "--zip", "level,threads")
        points = [(p["parameters"]["level"], p["parameters"]["threads"]) for p in plans]
        self.assertEqual(points, [("l1", 1), ("l2", 2), ("l3", 4)])
        self.refused(*MODEL, "--set", "level=l1,l2,threads=1", "--zip", "level,threads",
                     words=["'level' has 2", "'threads' has 1"])
        self.refused(*MODEL, "--zip", "level", words="at least two")
        self.refused(*MODEL, "--level", "l1", "--zip", "level,threads", words="'threads' has 0")

    def test_does_exclude_drop_what_its_condition_holds_for(self):
        plans = self.plan(*MODEL, "--set", "level=l1,l2,threads=1:4",
                          "--exclude", "level == l2 && threads > 2")
        points = [(p["parameters"]["level"], p["parameters"]["threads"]) for p in plans]
        expected = [("l1", 1), ("l1", 2), ("l1", 3), ("l1", 4), ("l2", 1), ("l2", 2)]
        self.assertEqual(points, expected)
        self.refused(*MODEL, "--exclude", "(", words="cannot read the expression")

    def test_does_an_option_go_before_set_before_the_file_before_the_default(self):
        path = self.config(method="model", machine="xeon-8168-2s", seed=7,
                           parameters={"level": "l1", "threads": 3, "isa": "avx2", "kind": "copy"})
        outcome = self.expect(0, *STUDY, "--config", path, "--set", "threads=5,isa=avx512",
                              "--isa", "scalar")
        (case,) = outcome.records("case")
        expected = {"quantity": "bandwidth", "level": "l1", "kind": "copy", "isa": "scalar",
                    "threads": 5}
        given = {name: case["parameters"][name] for name in expected}
        self.assertEqual(given, expected)
        self.assertEqual(case["seed"], 7)
        self.assertEqual(case["parameters"]["machine"]["name"], "xeon-8168-2s")
        (other,) = self.expect(0, *STUDY, "--config", path, "--seed", "8", "--machine",
                               "a100-40gb").records("case")
        self.assertEqual((other["seed"], other["parameters"]["machine"]["name"]), (8, "a100-40gb"))
        self.assertNotEqual(other["id"], case["id"])

    def test_does_a_run_file_run_all_its_experiments(self):
        one = {"lab": "roofline", "study": "ceilings", "method": "model",
               "machine": "xeon-8168-2s", "parameters": {"level": ["l1", "l2"], "threads": 1}}
        two = {**one, "parameters": {"isa": "avx512", "precision": ["fp64", "fp32"]}}
        path = self.write("run.json", json.dumps({"experiments": [one, two]}))
        outcome = self.expect(0, "run", path)
        quantities = [r["parameters"]["quantity"] for r in outcome.records("case")]
        self.assertEqual(quantities, ["bandwidth"] * 2 + ["flops"] * 2)


if __name__ == "__main__":
    unittest.main()
