# hpclab: SPDX-License-Identifier: Apache-2.0
"""Do exit codes and messages tell a person what to do?"""

import os
import subprocess
import sys

from support import PLOTTING, RUN, RecordTest, case


class CommandLine(RecordTest):
    def test_bad_usage_ends_with_2(self):
        path = self.write([RUN, case(1)])
        for arguments in (
            (),
            ("plot",),
            ("plot", path),
            ("plot", path, "-o", self.path("p.gif"), "--x", "n", "--y", "time_s"),
            ("plot", path, "-o", self.path("p.svg"), "--x", "n"),
            ("plot", path, "-o", self.path("p.svg"), "--kind", "pie"),
            ("plot", path, "-o", self.path("p.svg"), "--kind", "concurrency"),
            ("report", path, "-o", self.path("report.txt")),
            ("report", self.path("absent"), "-o", self.path("r.html")),
            ("report", path, "-o", self.path("no/where/r.html")),
            (
                "plot",
                path,
                "-o",
                self.path("p.svg"),
                "--x",
                "n",
                "--y",
                "time_s",
                "--where",
                "n=77",
            ),
            ("draw", path),
        ):
            code, errors = self.run_command(*arguments)
            self.assertEqual(code, 2, arguments)
            self.assertTrue(errors.strip(), arguments)

    def test_a_missing_matplotlib_says_what_mends_it(self):
        os.mkdir(self.path("matplotlib"))
        with open(self.path("matplotlib/__init__.py"), "w", encoding="utf-8") as stream:
            stream.write('raise ImportError("No module named matplotlib")\n')
        path = self.write([RUN, case(1)])
        environment = dict(os.environ, PYTHONPATH=self.folder + os.pathsep + PLOTTING)
        for verb, output in (("plot", "p.svg"), ("report", "r.html")):
            done = subprocess.run(
                [sys.executable, "-m", "hpclab_plotting", verb, path, "-o", self.path(output)],
                env=environment,
                capture_output=True,
                text=True,
                check=False,
            )
            self.assertEqual(done.returncode, 4)
            self.assertIn("scripts/setup", done.stderr)
            self.assertNotIn("Traceback", done.stderr)
            self.assertEqual(len(done.stderr.strip().splitlines()), 1)
            help_text = subprocess.run(
                [sys.executable, "-m", "hpclab_plotting", verb, "--help"],
                env=environment,
                capture_output=True,
                text=True,
                check=False,
            )
            self.assertEqual(help_text.returncode, 0)

    def test_a_failed_write_leaves_the_old_file(self):
        path = self.write([RUN, case(1)])
        with open(self.path("r.html"), "w", encoding="utf-8") as stream:
            stream.write("old")
        self.assertEqual(
            self.run_command("report", self.write(["{"], "bad.jsonl"), "-o", self.path("r.html"))[
                0
            ],
            2,
        )
        self.assertEqual(self.read("r.html"), "old")
        self.assertEqual(self.run_command("report", path, "-o", self.path("r.html"))[0], 0)
        self.assertEqual(sorted(os.listdir(self.folder)), ["bad.jsonl", "r.html", "records.jsonl"])
