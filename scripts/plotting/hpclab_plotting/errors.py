# hpclab: SPDX-License-Identifier: Apache-2.0
"""Failures that end the program with a defined exit code and one readable line, never a traceback."""


class UsageError(Exception):
    """A wrong option, name or file: exit code 2."""

    exit_code = 2


class MissingComponent(Exception):
    """Something that has to be installed first: exit code 4."""

    exit_code = 4
