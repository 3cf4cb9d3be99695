# hpclab: SPDX-License-Identifier: Apache-2.0
"""Proves the arrows of the architecture by reading every #include: what may know what.

apps -> lib/<lab>/<study> -> parallel, operators, events, machine -> formats -> core,
apps -> decisions -> formats, and
lib/<lab> -> cuda/<lab> -> cuda/operators, cuda/parallel -> cuda/core -> core; cuda/operators ->
operators, whose kernels it has for GPUs. A lab never includes another lab. Run without arguments it checks the checkout, with --self-test itself.
"""
import pathlib
import re
import sys
import unittest

from sources import ROOT, code_files, text_of

# Layers that are no labs, and which layers each may include beside itself.
BELOW = {
    "lib/core": set(),
    "lib/formats": {"lib/core"},
    "lib/decisions": {"lib/formats", "lib/core"},
    "lib/events": {"lib/formats", "lib/core"},
    "lib/machine": {"lib/formats", "lib/core"},
    "lib/operators": {"lib/formats", "lib/core"},
    "lib/parallel": {"lib/formats", "lib/core"},
    "cuda/emulator": {"lib/core"},
    "cuda/core": {"cuda/emulator", "lib/core"},
    "cuda/operators": {"cuda/core", "cuda/emulator", "lib/operators", "lib/formats", "lib/core"},
    "cuda/parallel": {"cuda/core", "cuda/emulator", "lib/core"},
}
BELOW_LAB = {"lib/parallel", "lib/operators", "lib/events", "lib/machine", "lib/formats",
             "lib/core", "cuda/operators", "cuda/core"}
BELOW_CUDA_LAB = {"cuda/operators", "cuda/parallel", "cuda/core", "cuda/emulator", "lib/operators",
                  "lib/core"}

# Headers of others that only some files may know: a pattern of the header, the files, and why.
CONFINED = [
    (r"CLI/", r"apps/hpclab/command_line\.cpp", "CLI11 is included in one file: it compiles long"),
    (r"spdlog/", r"lib/core/log\.cpp", "spdlog stays behind core/log.hpp"),
    (r"hwloc(\.h|/)", r"lib/machine/[^/]*\.cpp", "hwloc stays behind machine/topology.hpp"),
    (r"simdjson\.h", r"lib/formats/json_lines\.cpp", "simdjson stays behind formats/json_lines.hpp"),
    (r"catch2/", r"test/support/catch(\.hpp|_main\.cpp)", "tests include support/catch.hpp"),
    (r"boost/context/", r"cuda/emulator/[^/]*", "fibers belong to the emulator"),
]

INCLUDE = re.compile(r'^\s*#\s*include\s*([<"])([^>"]+)[>"]')


def layer_of(name):
    """lib/<layer>, cuda/<layer>, apps or test; for a study's folder that is lib/<lab>."""
    parts = name.split("/")
    return "/".join(parts[:2]) if parts[0] in ("lib", "cuda") and len(parts) > 2 else parts[0]


def allowed(layer):
    """Layers that a file of `layer` may include; None for all."""
    if layer in ("apps", "test"):
        return None
    if layer in BELOW:
        return BELOW[layer] | {layer}
    folder, lab = layer.split("/")
    if folder == "lib":
        return BELOW_LAB | {layer, f"cuda/{lab}"}
    return BELOW_CUDA_LAB | {layer}


def resolve(written, includer, known):
    """The file of the checkout that an include means, or None."""
    beside = str(pathlib.PurePosixPath(includer).parent / written)
    for candidate in (f"lib/{written}", written, f"apps/{written}", f"test/{written}", beside):
        if candidate in known:
            return candidate
    return None


def problems_of(name, text, known):
    """Complaints about one file, each `file:line: include: why`."""
    found = []
    layer = layer_of(name)
    may = allowed(layer)
    for number, line in enumerate(text.splitlines(), 1):
        match = INCLUDE.match(line)
        if not match:
            continue
        quote, written = match.groups()

        def complain(why):
            found.append(f"{name}:{number}: {line.strip()}: {why}")

        for pattern, where, why in CONFINED:
            if re.match(pattern, written) and not re.fullmatch(where, name):
                complain(why)
        target = resolve(written, name, known)
        if target is None:
            if quote == '"':
                complain("no such file in the checkout; headers of others go in <>")
            continue
        if quote == "<":
            complain('headers of the checkout go in ""')
        if target == str(pathlib.PurePosixPath(name).parent / written):
            complain("includes are rooted at lib/ or at the root, not beside the file")
        goal = layer_of(target)
        if goal == "test" and layer != "test":
            complain("only tests include test/")
        elif goal == "apps" and layer not in ("apps", "test"):
            complain("only apps and tests include apps/")
        elif may is not None and goal not in may and goal not in ("apps", "test"):
            complain(f"{layer} may include {', '.join(sorted(may)) or 'nothing'} only")
        elif layer == "test" and name.startswith("test/unit/"):
            area = name.split("/")[2]
            if f"lib/{area}" in BELOW and goal not in BELOW[f"lib/{area}"] | {f"lib/{area}", "test"}:
                complain(f"tests of lib/{area} see what lib/{area} sees")
    return found


def check():
    names = code_files()
    known = set(names)
    found = []
    includes_cli = 0
    for name in names:
        text = text_of(name) or ""
        found += problems_of(name, text, known)
        includes_cli += bool(re.search(r"^\s*#\s*include\s*<CLI/", text, re.MULTILINE))
    if includes_cli != 1:
        found.append(f"CLI11 is included in {includes_cli} files, not in exactly one")
    print("\n".join(found))
    print(f"{len(names)} files, {len(found)} wrong includes")
    return 1 if found else 0


class SelfTest(unittest.TestCase):
    """Plants wrong includes and sees each of them found."""

    KNOWN = {"lib/core/error.hpp", "lib/core/log.hpp", "lib/formats/csv.hpp",
             "lib/machine/topology.hpp", "lib/parallel/ranks.hpp", "lib/roofline/ceilings/peak.hpp",
             "lib/moe/shared.hpp", "lib/decisions/side.hpp", "cuda/core/launch.hpp", "cuda/emulator/fiber.hpp",
             "lib/operators/mesh.hpp", "cuda/operators/apply.hpp", "cuda/roofline/stream.cuh", "cuda/moe/route.cuh", "apps/hpclab/verb.hpp",
             "test/support/catch.hpp"}

    def wrong(self, name, include):
        found = problems_of(name, f"#pragma once\n#include {include}\n", self.KNOWN | {name})
        self.assertTrue(found, f"{name} with {include} should be refused")
        self.assertIn(f"{name}:2:", found[0])

    def right(self, name, include):
        self.assertEqual(problems_of(name, f"#include {include}\n", self.KNOWN | {name}), [])

    def test_arrows_that_go_up_are_found(self):
        self.wrong("lib/core/a.hpp", '"formats/csv.hpp"')
        self.wrong("lib/core/a.hpp", '"machine/topology.hpp"')
        self.wrong("lib/core/a.cpp", '"cuda/core/launch.hpp"')
        self.wrong("lib/formats/a.cpp", '"machine/topology.hpp"')
        self.wrong("lib/events/a.cpp", '"parallel/ranks.hpp"')
        self.wrong("lib/decisions/a.cpp", '"machine/topology.hpp"')
        self.wrong("lib/moe/gate/a.cpp", '"decisions/side.hpp"')
        self.wrong("lib/machine/a.cpp", '"roofline/ceilings/peak.hpp"')
        self.wrong("lib/machine/a.cpp", '"hpclab/verb.hpp"')
        self.wrong("cuda/emulator/a.cpp", '"cuda/core/launch.hpp"')
        self.wrong("cuda/core/a.cu", '"machine/topology.hpp"')
        self.wrong("cuda/core/a.cu", '"operators/mesh.hpp"')
        self.wrong("lib/operators/a.cpp", '"cuda/operators/apply.hpp"')
        self.wrong("cuda/roofline/a.cu", '"roofline/ceilings/peak.hpp"')
        self.wrong("apps/hpclab/a.cpp", '"support/catch.hpp"')
        self.wrong("test/unit/core/a.cpp", '"machine/topology.hpp"')

    def test_a_lab_may_not_know_another(self):
        self.wrong("lib/moe/gate/a.cpp", '"roofline/ceilings/peak.hpp"')
        self.wrong("lib/moe/gate/a.cpp", '"cuda/roofline/stream.cuh"')
        self.wrong("cuda/moe/a.cu", '"cuda/roofline/stream.cuh"')
        self.wrong("lib/moe/gate/a.cpp", '"cuda/emulator/fiber.hpp"')

    def test_arrows_that_go_down_are_allowed(self):
        self.right("lib/moe/gate/a.cpp", '"moe/shared.hpp"')
        self.right("lib/moe/gate/a.cpp", '"parallel/ranks.hpp"')
        self.right("lib/moe/gate/a.cpp", '"cuda/moe/route.cuh"')
        self.right("cuda/moe/a.cu", '"cuda/core/launch.hpp"')
        self.right("cuda/core/a.cpp", '"cuda/emulator/fiber.hpp"')
        self.right("cuda/operators/a.cpp", '"operators/mesh.hpp"')
        self.right("lib/moe/gate/a.cpp", '"cuda/operators/apply.hpp"')
        self.right("lib/machine/a.cpp", "<hwloc.h>")
        self.right("apps/hpclab/a.cpp", '"moe/shared.hpp"')
        self.right("test/unit/core/a.cpp", '"support/catch.hpp"')

    def test_libraries_stay_where_they_belong(self):
        self.wrong("apps/hpclab/a.cpp", "<CLI/CLI.hpp>")
        self.wrong("lib/core/a.cpp", "<spdlog/spdlog.h>")
        self.wrong("lib/machine/topology.hpp", "<hwloc.h>")
        self.wrong("lib/roofline/ceilings/a.cpp", "<hwloc/glibc-sched.h>")

    def test_unknown_and_relative_includes_are_found(self):
        self.wrong("lib/core/a.cpp", '"core/nothing.hpp"')
        self.wrong("lib/core/a.cpp", '"error.hpp"')
        self.wrong("lib/core/a.cpp", '"json/json.hpp"')
        self.wrong("lib/core/a.cpp", "<core/error.hpp>")


if __name__ == "__main__":
    if "--self-test" in sys.argv:
        unittest.main(argv=sys.argv[:1])
    sys.exit(check())
