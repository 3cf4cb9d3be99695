# hpclab: SPDX-License-Identifier: Apache-2.0
"""Runs shellcheck over every shell script of the checkout; skipped (77) where there is none."""
import pathlib
import re
import shutil
import subprocess
import sys

from sources import ROOT, text_of, tracked_files


def is_shell(name):
    if pathlib.PurePath(name).suffix == ".sh":
        return True
    first = (text_of(name) or "").partition("\n")[0]
    return re.match(r"#!.*\b(bash|sh)\b", first) is not None


if __name__ == "__main__":
    if not shutil.which("shellcheck"):
        print("skipped: shellcheck was not found; scripts/setup installs it")
        sys.exit(77)
    scripts = [name for name in tracked_files() if is_shell(name)]
    print(f"{len(scripts)} scripts: {' '.join(scripts)}")
    sys.exit(subprocess.run(["shellcheck", *scripts], cwd=ROOT, check=False).returncode)
