# hpclab: SPDX-License-Identifier: Apache-2.0
"""`hpclab plot`: one picture from record files."""

import os
import sys

from . import names, pictures, profile, style
from .errors import UsageError
from .output import write_output
from .records import read_records

_EXTENSIONS = ("svg", "png")


def _extension(path):
    extension = os.path.splitext(path)[1].lower().lstrip(".")
    if extension not in _EXTENSIONS:
        raise UsageError(f"-o: '{path}' must end in .svg or .png")
    return extension


def _filtered(records, options):
    cases = records.cases
    for text in options.where:
        conditions = names.parse_where(text)
        for name, _ in conditions:
            names.check_name("--where", name, records.cases)
        cases = [case for case in cases if names.matches(case, conditions)]
    if not cases:
        raise UsageError("--where leaves no case" if options.where else "the files hold no cases")
    return cases


def _picture(cases, options):
    if options.machine and options.kind is None and options.x is None:
        options.kind = "roofline"  # the only picture that a machine has a part in
    if options.kind in pictures.KINDS_WITHOUT_AXES:
        ceilings = profile.read_profile(options.machine) if options.machine else None
        return pictures.special(options.kind, cases, options.title, ceilings)
    if options.x is None and options.y is None:
        return _declared_picture(cases, options)
    if options.x is None or options.y is None:
        raise UsageError("--x and --y go together")
    chosen = None
    if options.series is not None:
        chosen = [name.strip() for name in options.series.split(",") if name.strip()]
    for option, name in [("--x", options.x), ("--y", options.y)] + [
        ("--series", name) for name in chosen or []
    ]:
        names.check_name(option, name, cases)
    return pictures.lines_or_bars(
        cases, options.x, options.y, chosen, options.logx, options.logy, options.kind, options.title
    )


def _declared_picture(cases, options):
    studies = list(dict.fromkeys(case.study for case in cases))
    if len(studies) > 1:
        raise UsageError(
            f"the cases are of {len(studies)} studies ({', '.join(studies)}): give --x and --y, or --where study=..."
        )
    found, notes = pictures.default_pictures(
        studies[0], cases, cases, cases[-1].run.declared_study(studies[0])
    )
    if not found:
        raise UsageError(" ".join(notes) or f"{studies[0]} declares no plot: give --x and --y")
    return found[0]


def run(options):
    extension = _extension(options.output)
    records = read_records(options.files)
    for warning in records.warnings:
        print(f"hpclab plot: {warning}", file=sys.stderr)
    picture = _picture(_filtered(records, options), options)
    for note in picture.notes:
        print(f"hpclab plot: {note}", file=sys.stderr)
    known = len(picture.notes)
    figure = picture.draw(style.NARROW if options.size == "narrow" else style.WIDE)
    for note in picture.notes[known:]:
        print(f"hpclab plot: {note}", file=sys.stderr)
    write_output(options.output, style.to_bytes(figure, extension))
    return 0
