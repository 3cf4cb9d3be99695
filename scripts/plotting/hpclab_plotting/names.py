# hpclab: SPDX-License-Identifier: Apache-2.0
"""What a name given on the command line refers to in a case, and what was probably meant when nothing."""

import difflib

from .errors import UsageError

# Facts of a case that are neither parameters nor values.
CASE_FACTS = {
    "method": lambda case: case.method,
    "backend": lambda case: case.backend or case.method,
    "study": lambda case: case.study,
    "run": lambda case: case.run.name,
    "file": lambda case: case.run.path,
}


def lookup(case, name):
    """The parameter, value, text or fact `name` of `case`, or None. A parameter hides a value of its name."""
    if name in case.parameters:
        return case.parameters[name]
    if name in case.values:
        return case.values[name]
    if name in case.text:
        return case.text[name]
    if name in CASE_FACTS:
        return CASE_FACTS[name](case)
    if name.startswith("work."):
        return case.work.get(name[5:])
    return None


def available(cases):
    """(parameters, values, other names), each sorted."""
    parameters, values, other = set(), set(), set(CASE_FACTS)
    for case in cases:
        parameters.update(case.parameters)
        values.update(case.values)
        other.update(case.text)
        other.update(f"work.{name}" for name in case.work)
    return sorted(parameters), sorted(values), sorted(other)


def check_name(option, name, cases):
    """Raises UsageError with the nearest names and the list of all when no case knows `name`."""
    parameters, values, other = available(cases)
    known = parameters + values + other
    if name in known:
        return
    nearest = difflib.get_close_matches(name, known, n=3, cutoff=0.55)
    hint = f" Did you mean {' or '.join(nearest)}?" if nearest else ""
    raise UsageError(
        f"{option}: no case has '{name}'.{hint}\n"
        f"  parameters: {', '.join(parameters) or 'none'}\n"
        f"  values:     {', '.join(values) or 'none'}\n"
        f"  other:      {', '.join(other)}"
    )


def text_of(value):
    """A parameter as a person writes it."""
    if value is True:
        return "true"
    if value is False:
        return "false"
    if value is None:
        return "none"
    if isinstance(value, float) and value == int(value) and abs(value) < 1e15:
        return str(int(value))
    return str(value)


def parse_where(text):
    """`name=value[,name=value]...` as pairs. A comma that starts no `name=` adds an accepted value."""
    conditions = []
    for piece in text.split(","):
        if "=" in piece:
            name, value = piece.split("=", 1)
            conditions.append((name.strip(), [value.strip()]))
        elif conditions:
            conditions[-1][1].append(piece.strip())
        else:
            raise UsageError(f"--where: '{text}' does not start with name=value")
    return conditions


def matches(case, conditions):
    for name, accepted in conditions:
        found = lookup(case, name)
        if not any(_equal(found, value) for value in accepted):
            return False
    return True


def _equal(found, text):
    if text_of(found) == text:
        return True
    if isinstance(found, (int, float)) and not isinstance(found, bool):
        try:
            return float(text) == float(found)
        except ValueError:
            return False
    return False
