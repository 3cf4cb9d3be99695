# hpclab: SPDX-License-Identifier: Apache-2.0
"""Command line of the plotting package. Exit codes: 0 ok, 2 usage or bad file, 4 a component is missing."""

import argparse
import os
import sys

from .errors import MissingComponent, UsageError


def _parser():
    parser = argparse.ArgumentParser(
        prog="hpclab",
        description="Pictures and reports from hpclab record files.",
        allow_abbrev=False,
    )
    verbs = parser.add_subparsers(dest="verb", metavar="report|plot", required=True)
    from . import plot_arguments, report_arguments

    plot_arguments.add(
        verbs.add_parser(
            "plot",
            allow_abbrev=False,
            help="one picture from record files",
            description=plot_arguments.DESCRIPTION,
        )
    )
    report_arguments.add(
        verbs.add_parser(
            "report",
            allow_abbrev=False,
            help="one HTML page from record files",
            description=report_arguments.DESCRIPTION,
        )
    )
    return parser


def _require_matplotlib():
    os.environ.pop("MPLBACKEND", None)
    try:
        import matplotlib.figure  # noqa: F401
    except ImportError as error:
        raise MissingComponent(
            f"pictures need matplotlib, and {sys.executable} cannot import it ({error}); "
            "mend: scripts/setup"
        ) from None


def main(arguments):
    options = _parser().parse_args(arguments)
    try:
        _require_matplotlib()
        if options.verb == "plot":
            from .plot_command import run
        else:
            from .report_command import run
        return run(options)
    except (UsageError, MissingComponent) as error:
        print(f"hpclab {options.verb}: {error}", file=sys.stderr)
        return error.exit_code
    except BrokenPipeError:
        # The reader went away; nothing more can be said to it.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0
    except KeyboardInterrupt:
        return 130


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
