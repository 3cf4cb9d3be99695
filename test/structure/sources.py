# hpclab: SPDX-License-Identifier: Apache-2.0
"""The committed text files of the checkout, as the tests of its structure read them."""
import pathlib
import subprocess

ROOT = pathlib.Path(__file__).resolve().parents[2]
CODE_SUFFIXES = {".cpp", ".hpp", ".cu", ".cuh"}


def tracked_files(root=ROOT):
    """Paths, relative to root, of files that git tracks or would add; all files without git."""
    listing = subprocess.run(
        ["git", "-C", str(root), "ls-files", "-z", "--cached", "--others", "--exclude-standard"],
        capture_output=True, check=False)
    if listing.returncode == 0:
        names = sorted(set(listing.stdout.decode().split("\0")) - {""})
    else:
        names = sorted(str(path.relative_to(root)) for path in root.rglob("*"))
    return [name for name in names if (root / name).is_file()]


def text_of(name, root=ROOT):
    """Content of a file, or None for one that is not text."""
    content = (root / name).read_bytes()
    if b"\0" in content:
        return None
    return content.decode("utf-8", errors="replace")


def code_files(root=ROOT):
    folders = ("apps/", "lib/", "cuda/", "test/")
    return [name for name in tracked_files(root)
            if name.startswith(folders) and pathlib.PurePath(name).suffix in CODE_SUFFIXES]
