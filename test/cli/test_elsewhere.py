# hpclab: SPDX-License-Identifier: Apache-2.0
"""The lines of results/README.md that read records with other tools, where these are installed."""

import importlib.util
import pathlib
import shutil
import subprocess
import unittest

from support import PROGRAM, SOURCES, CliTest, sweep


def lines():
    text = (SOURCES / "results" / "README.md").read_text(encoding="utf-8")
    return text[text.index("## The records elsewhere"):].split("```")[1].strip().splitlines()


class Elsewhere(CliTest):
    def run_line(self, line):
        path = f"{pathlib.Path(PROGRAM).parent}:/usr/local/bin:/usr/bin:/bin"
        return subprocess.run(["bash", "-c", line], cwd=self.folder, text=True, timeout=120,
                              env=self.environment(PATH=path), capture_output=True, check=False)

    def test_do_the_lines_for_jq_pandas_and_duckdb_give_tables(self):
        self.expect(0, *sweep("1:3"), "--out", "F.jsonl")
        tried = 0
        for line in lines():
            tool = line.split()[0]
            if tool != "hpclab" and not shutil.which(tool):
                continue
            if "pandas" in line and not importlib.util.find_spec("pandas"):
                continue
            with self.subTest(line):
                done = self.run_line(line)
                self.assertEqual(done.returncode, 0, done.stderr)
                tried += 1
                if tool == "jq":
                    self.assertEqual(len(done.stdout.splitlines()), 6)
                if "pandas" in line:
                    self.assertIn("ceilings", done.stdout)
        self.assertGreaterEqual(tried, 1)


if __name__ == "__main__":
    unittest.main()
