# hpclab: SPDX-License-Identifier: Apache-2.0
"""Options of `hpclab plot`; kept free of matplotlib so that --help works without it."""

KINDS = ("lines", "bars", "roofline", "concurrency", "sweep", "hit-curve", "frontier", "timeout-curve")
DESCRIPTION = (
    "Draws one picture: measured values as points with 95 % intervals, models as lines, simulations dashed. "
    "Names are parameters or values of the cases; several files are laid over each other."
)


def add(parser):
    parser.add_argument(
        "files", nargs="+", metavar="F.jsonl", help="record files ('-': standard input)"
    )
    parser.add_argument(
        "-o", "--output", required=True, metavar="F.svg|F.png", help="the picture to write"
    )
    parser.add_argument("--x", metavar="NAME", help="parameter or value on the x axis")
    parser.add_argument("--y", metavar="NAME", help="value on the y axis")
    parser.add_argument(
        "--series",
        metavar="NAME[,NAME]",
        help="names that tell curves apart (default: chosen from the data)",
    )
    parser.add_argument(
        "--where",
        action="append",
        default=[],
        metavar="NAME=VALUE[,...]",
        help="only cases with these values",
    )
    parser.add_argument(
        "--kind",
        choices=KINDS,
        help="default: bars when x is a word, else lines; the study's declared "
        "plot when neither --x nor --y is given",
    )
    parser.add_argument("--logx", action="store_true", help="logarithmic x axis")
    parser.add_argument("--logy", action="store_true", help="logarithmic y axis")
    parser.add_argument("--title", metavar="TEXT", help="title of the picture")
    parser.add_argument(
        "--machine", metavar="F.json", help="machine profile whose ceilings a roofline shows"
    )
    parser.add_argument(
        "--size",
        choices=("wide", "narrow"),
        default="wide",
        help="narrow suits a phone or one column",
    )
