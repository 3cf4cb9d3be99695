# hpclab: SPDX-License-Identifier: Apache-2.0
"""Options of `hpclab report`; kept free of matplotlib so that --help works without it."""

DESCRIPTION = (
    "Writes one self-contained HTML page: what ran where, a picture and tables for each study, models beside "
    "measurements, and every case that failed."
)


def add(parser):
    parser.add_argument(
        "files", nargs="+", metavar="F.jsonl", help="record files ('-': standard input)"
    )
    parser.add_argument("-o", "--output", required=True, metavar="F.html", help="the page to write")
    parser.add_argument(
        "--compare", metavar="F.json", help="verdicts of `hpclab compare A B --json` or `hpclab ab --json`"
    )
    parser.add_argument(
        "--claims", metavar="F.json", help="a page of claims from `hpclab claims --json`"
    )
    parser.add_argument("--title", metavar="TEXT", help="title of the page")
