# hpclab: SPDX-License-Identifier: Apache-2.0
"""Rules that every committed file obeys; --self-test plants an offence against each.

Sources carry the licence line, nothing names a path of somebody's machine or a host of a package
registry, code files stay small, and nothing is left for later.
"""
import pathlib
import re
import sys
import unittest

from sources import CODE_SUFFIXES, text_of, tracked_files

LICENCE = "hpclab: SPDX-License-Identifier: Apache-2.0"
SCRIPT_SUFFIXES = {".py", ".sh"}
MOST_LINES = 450

# Written in pieces, so that this file does not offend against itself.
PATHS = re.compile(r"(?<![\w.-])/" + r"(home|root|work|Users)/[\w.-]+|[A-Z]:\\Users\\")
REGISTRIES = re.compile(
    r"\b(pypi" + r"\.org|files\.pythonhosted" + r"\.org|registry\.npmjs" + r"\.org|crates"
    + r"\.io|rubygems" + r"\.org|deb\.debian" + r"\.org|archive\.ubuntu" + r"\.com|conda"
    + r"\.anaconda\.org|proxy\.golang" + r"\.org|repo\.maven\.apache" + r"\.org|index\.docker"
    + r"\.io|ghcr" + r"\.io|quay" + r"\.io)\b|--(extra-)?index" + r"-url|artifactory" + r"\.")
LATER = re.compile(r"\b(TO" + r"DO|FIX" + r"ME|XX" + r"X)\b")

# What precompiled headers would hide: a header that uses one of these includes it itself.
INCLUDES = {
    "<filesystem>": re.compile(r"\bstd::filesystem::"),
    "<functional>": re.compile(r"\bstd::function<"),
    "<map>": re.compile(r"\bstd::map<"),
    "<string>": re.compile(r"\bstd::string\b"),
    "<vector>": re.compile(r"\bstd::vector<"),
    "<fmt/": re.compile(r"\bfmt::"),
    "<nlohmann/": re.compile(r"\bnlohmann::"),
}

TEST_NAME = re.compile(r'TEST_CASE\(\s*("[^"]*[\[\];][^"]*")\s*[,)]')

def needs_licence(name, text):
    suffix = pathlib.PurePath(name).suffix
    return suffix in CODE_SUFFIXES | SCRIPT_SUFFIXES or text.startswith("#!")


def is_code(name):
    return pathlib.PurePath(name).suffix in CODE_SUFFIXES | SCRIPT_SUFFIXES


def missing_includes(text):
    code = re.sub(r"//.*", "", text)
    return [header for header, use in INCLUDES.items()
            if use.search(code) and not re.search(r"#include " + re.escape(header), code)]


def problems_of(name, text):
    found = []
    lines = text.splitlines()
    if needs_licence(name, text):
        at = 1 if text.startswith("#!") else 0
        if LICENCE not in "".join(lines[at:at + 1]):
            found.append(f"{name}:{at + 1}: the line '{LICENCE}' is missing")
    if is_code(name) and len(lines) > MOST_LINES:
        found.append(f"{name}: {len(lines)} lines; one idea a file, at most {MOST_LINES} lines")
    if pathlib.PurePath(name).suffix == ".hpp" and "#pragma once" not in text:
        found.append(f"{name}: #pragma once is missing")
    if pathlib.PurePath(name).suffix == ".hpp":
        found += [f"{name}: uses what {header} declares and does not include it"
                  for header in missing_includes(text)]
    for match in TEST_NAME.finditer(text):
        # CMake keeps the tests in a list: a bracket or semicolon in a name loses its neighbours.
        found.append(f"{name}: the test name {match.group(1)} holds one of [ ] ;")
    for number, line in enumerate(lines, 1):
        for pattern, what in ((PATHS, "a path of one machine"), (REGISTRIES, "a package registry"),
                              (LATER, "something left for later")):
            match = pattern.search(line)
            if match:
                found.append(f"{name}:{number}: {what}: {match.group(0)}")
    return found


def check():
    found = []
    names = tracked_files()
    for name in names:
        text = text_of(name)
        if text is not None:
            found += problems_of(name, text)
    print("\n".join(found))
    print(f"{len(names)} files, {len(found)} offences")
    return 1 if found else 0


class SelfTest(unittest.TestCase):
    def wrong(self, name, text):
        self.assertEqual(len(problems_of(name, text)), 1, (name, text))

    def test_each_offence_is_found(self):
        licence = f"// {LICENCE}\n"
        self.wrong("lib/a.cpp", "int a;\n")
        self.wrong("scripts/a", f"#!/bin/sh\n\n# {LICENCE}\n")
        self.wrong("lib/a.hpp", licence)
        self.wrong("lib/a.cpp", licence + "\n" * MOST_LINES)
        self.wrong("lib/a.hpp", licence + "#pragma once\nstd::vector<int> numbers();\n")
        self.wrong("README.md", "see " + "/ho" + "me/somebody/file")
        self.wrong("README.md", "see " + "/ro" + "ot/.cache")
        self.wrong("a.json", '"https://' + "pypi" + '.org/simple"')
        self.wrong("test/a.cpp", licence + 'TEST_' + 'CASE("is x in [0, 1) always?") {')
        self.wrong("lib/a.cpp", licence + "// TO" + "DO: later\n")

    def test_good_files_pass(self):
        self.assertEqual(problems_of("lib/a.hpp", f"// {LICENCE}\n#pragma once\n"), [])
        self.assertEqual(problems_of("lib/a.hpp", f"// {LICENCE}\n#pragma once\n#include <string>\n"
                                     "std::string name();  // no std::vector<T>\n"), [])
        self.assertEqual(problems_of("scripts/a", f"#!/bin/sh\n# {LICENCE}\n"), [])
        self.assertEqual(problems_of("README.md", "results go to results/work/and/home/folders\n"
                                     "read /proc/self/status and /sys/fs/cgroup\n"), [])


if __name__ == "__main__":
    if "--self-test" in sys.argv:
        unittest.main(argv=sys.argv[:1])
    sys.exit(check())
