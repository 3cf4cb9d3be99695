# hpclab: SPDX-License-Identifier: Apache-2.0
"""Every command of the README's tour answers its question."""

import os
import re
import shlex
import unittest

from support import SOURCES, CliTest

TITLE = "## Ten questions, ten commands"


def tour():
    text = (SOURCES / "README.md").read_text(encoding="utf-8")
    block = text[text.index(TITLE):].split("```")[1]
    return [line for line in block.strip().splitlines() if line]


class Tour(CliTest):
    def test_does_every_command_of_the_tour_run_and_answer(self):
        lines = tour()
        self.assertEqual(len(lines), 10)
        os.symlink(SOURCES / "configs", self.folder / "configs")
        for line in lines:
            with self.subTest(line):
                command, question = line.rsplit("#", 1)
                self.assertTrue(re.search(r"\?", question), line)
                words = shlex.split(command)
                self.assertEqual(words[0], "hpclab")
                outcome = self.run_program(*words[1:])
                if words[1] == "report" and outcome.code == 4:
                    continue  # no plotting environment here: the message says the mend
                self.check(outcome, 0)
                self.assertTrue(outcome.out or words[1] == "report", line)


if __name__ == "__main__":
    unittest.main()
