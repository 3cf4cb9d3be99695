# hpclab: SPDX-License-Identifier: Apache-2.0
"""Runs scripts/new_study in a copy of the checkout and proves that the study works untouched.

Compiling the whole copy would take minutes. So the copy is configured whole, which shows that the
added line is right and that the test program of the lab is found; the study and its tests alone are
compiled, against the libraries that this build has already made. With --names only refusals are
tested.
"""
import argparse
import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest

from include_arrows import problems_of as include_problems
from repository_rules import problems_of as rule_problems
from sources import ROOT, code_files, tracked_files

LAB, STUDY = "demo", "thing"


def copy_of_checkout(folder):
    for name in tracked_files():
        target = folder / name
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy2(ROOT / name, target)


def run(*command, **keywords):
    done = subprocess.run([str(word) for word in command], text=True, stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, check=False, **keywords)
    if done.returncode != 0:
        print(done.stdout)
        sys.exit(f"failed with status {done.returncode}: {' '.join(map(str, command))}")
    return done.stdout


def new_study(copy, lab, study):
    return subprocess.run([sys.executable, "-B", str(copy / "scripts" / "new_study"), lab, study],
                          capture_output=True, text=True, check=False)


def check_texts(copy):
    """The new files obey what the committed ones obey."""
    known = set(code_files()) | {str(path.relative_to(copy)) for path in copy.rglob("*.hpp")}
    found = []
    for path in copy.rglob("*"):
        name = str(path.relative_to(copy))
        if path.is_file() and (f"/{LAB}/" in name or LAB + "-" in name):
            found += rule_problems(name, path.read_text())
            if path.suffix in (".cpp", ".hpp"):
                found += include_problems(name, path.read_text(), known)
    if shutil.which("clang-format"):
        sources = [str(path) for path in copy.rglob("*.?pp") if f"/{LAB}/" in str(path)]
        formatted = subprocess.run(["clang-format", "--dry-run", "--Werror", *sources],
                                   capture_output=True, text=True, cwd=copy, check=False)
        found += formatted.stderr.splitlines()
    if found:
        sys.exit("\n".join(found))


def check_whole_configuration(copy, cmake, cxx):
    build = copy / "build" / "whole"
    run(cmake, "-S", copy, "-B", build, "-G", "Ninja", "-DHPCLAB_CUDA=OFF", f"-DCMAKE_CXX_COMPILER={cxx}")
    targets = run(cmake, "--build", build, "--target", "help")
    for wanted in (f"hpclab_{LAB}_{STUDY}:", f"test_{LAB}:"):
        if wanted not in targets:
            sys.exit(f"the configured copy has no target {wanted}")
    registrations = (build / "apps" / "hpclab" / "studies.cpp").read_text()
    if f"hpclab::{LAB}::{STUDY}::study()" not in registrations:
        sys.exit("the copy's program does not register the study")


def check_schema(copy, printed):
    real = json.loads(printed)
    written = json.loads((copy / "configs" / "schema" / f"{LAB}-{STUDY}.json").read_text())
    if written != real:
        sys.exit("scripts/support/study/schema.json.in is not the schema of the study; this is:\n"
                 + printed.replace(LAB, "@lab@").replace(STUDY, "@study@"))
    run_file = copy / "configs" / "schema" / "run.json"
    if run_file.exists():
        last = json.loads(run_file.read_text())["properties"]["experiments"]["items"]["oneOf"][-1]
        del real["$schema"]
        if last != real:
            sys.exit("run.json of the copy does not end with the new study's schema")


def check_build(arguments):
    with tempfile.TemporaryDirectory(prefix="hpclab-new-study-") as scratch:
        copy = pathlib.Path(scratch) / "copy"
        copy_of_checkout(copy)
        made = new_study(copy, LAB, STUDY)
        if made.returncode != 0:
            sys.exit(made.stdout + made.stderr)
        check_texts(copy)
        check_whole_configuration(copy, arguments.cmake, arguments.cxx)
        build = pathlib.Path(scratch) / "study"
        run(arguments.cmake, "-S", ROOT / "test" / "structure" / "new_study", "-B", build, "-G", "Ninja",
            f"-DCMAKE_CXX_COMPILER={arguments.cxx}", f"-DCOPY={copy}",
            f"-DBUILD_TREE={arguments.build_tree}", f"-DLAB={LAB}", f"-DSTUDY={STUDY}")
        run(arguments.cmake, "--build", build, "--parallel", os.cpu_count() or 2)
        check_schema(copy, run(build / "print_schema"))
        print(run(arguments.ctest, "--test-dir", build, "--output-on-failure", "--no-tests=error"))


class Names(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.scratch = tempfile.TemporaryDirectory(prefix="hpclab-new-study-")
        cls.copy = pathlib.Path(cls.scratch.name)
        copy_of_checkout(cls.copy)

    @classmethod
    def tearDownClass(cls):
        cls.scratch.cleanup()

    def refused(self, lab, study, why):
        before = (self.copy / "lib" / "CMakeLists.txt").read_text()
        done = new_study(self.copy, lab, study)
        self.assertEqual(done.returncode, 2, (lab, study, done.stdout))
        self.assertIn(why, done.stderr)
        self.assertEqual(before, (self.copy / "lib" / "CMakeLists.txt").read_text())

    def test_wrong_names_are_refused(self):
        self.refused("Demo", "thing", "lower-case")
        self.refused("demo", "my-thing", "lower-case")
        self.refused("demo", "2nd", "lower-case")
        self.refused("demo", "../thing", "lower-case")
        self.refused("demo", "switch", "word of C++")
        self.refused("core", "thing", "reserved")
        self.refused("doctor", "thing", "reserved")
        self.refused("median", "thing", "lib/core uses that name")

    def test_taken_names_are_refused(self):
        self.refused("roofline", "ceilings", "taken")

    def test_a_second_study_joins_the_lab_and_a_third_of_its_name_is_refused(self):
        self.assertEqual(new_study(self.copy, "demo", "first").returncode, 0)
        self.assertEqual(new_study(self.copy, "demo", "second").returncode, 0)
        lines = (self.copy / "lib" / "CMakeLists.txt").read_text().splitlines()
        first = lines.index("hpclab_study(demo first)")
        self.assertEqual(lines[first + 1], "hpclab_study(demo second)")
        self.refused("demo", "second", "taken")


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--names", action="store_true")
    for option in ("build-tree", "cmake", "ctest", "cxx"):
        parser.add_argument(f"--{option}")
    given = parser.parse_args()
    if given.names:
        unittest.main(argv=sys.argv[:1])
    check_build(given)
