# hpclab: SPDX-License-Identifier: Apache-2.0
"""Runs the plotting tests; ends with 77 (skipped) where matplotlib is absent."""

import os
import sys
import unittest

HERE = os.path.dirname(os.path.abspath(__file__))


def main():
    sys.dont_write_bytecode = True
    try:
        import matplotlib  # noqa: F401
    except ImportError as error:
        print(f"skipped: {sys.executable} cannot import matplotlib ({error}); mend: scripts/setup")
        return 77
    sys.path.insert(0, HERE)
    tests = unittest.defaultTestLoader.discover(HERE)
    return 0 if unittest.TextTestRunner(verbosity=1).run(tests).wasSuccessful() else 1


if __name__ == "__main__":
    sys.exit(main())
