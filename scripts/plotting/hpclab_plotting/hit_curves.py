# hpclab: SPDX-License-Identifier: Apache-2.0
"""Hit ratio over cache capacity from records of kvcache/prefix: one curve a policy and trace, with its knee."""

from dataclasses import dataclass, field

from .axis import drawable
from .schema import is_number
from .units import format_quantity

STUDY = "kvcache/prefix"
MOST_CURVES = 8
_GENERATED = "generated sessions"


@dataclass
class HitCurve:
    """(capacity in blocks, ratio) ascending; single cases are points of the same curve. `knee`: (blocks, ratio)."""

    requests: str
    policy: str
    points: list = field(default_factory=list)
    singles: list = field(default_factory=list)
    knee: tuple = None
    knee_bytes: float = None
    label: str = ""

    @property
    def exact(self):
        """A curve with every capacity is a line; a ladder of capacities also shows its points."""
        return self.policy == "lru"

    def sentence(self):
        """What the knee says in words."""
        blocks, ratio = self.knee
        beyond = max(
            (at for capacity, at in self.points if capacity <= 10 * blocks), default=ratio
        )
        size = f" ({format_quantity(self.knee_bytes, 'B')})" if self.knee_bytes else ""
        return (
            f"{self.requests}: the knee of the working set lies at {blocks:,.0f} blocks{size} with {100 * ratio:.1f} % of "
            f"blocks hit; ten times as much adds {100 * (beyond - ratio):.1f} points."
        )


def _requests_of(case):
    name = case.parameters.get("requests")
    name = name.get("name") if isinstance(name, dict) else name
    return name if isinstance(name, str) and name else _GENERATED


def _points_of(case):
    table = case.tables.get("curve")
    if not table or not {"capacity_blocks", "hit_block_ratio"} <= set(table["columns"]):
        return []
    x, y = (table["columns"].index(name) for name in ("capacity_blocks", "hit_block_ratio"))
    return sorted(
        (row[x], row[y])
        for row in table["rows"]
        if is_number(row[x]) and is_number(row[y]) and row[x] > 0 and drawable(row[x]) and 0 <= row[y] <= 1
    )


def _knee_of(case, points):
    blocks = case.values.get("knee_blocks")
    if not is_number(blocks) or blocks <= 0 or not points:
        return None
    below = [ratio for capacity, ratio in points if capacity <= blocks]
    above = [ratio for capacity, ratio in points if capacity >= blocks]
    return (blocks, below[-1] if below else above[0])


def _name_of(case):
    policy = str(case.parameters.get("policy", "?"))
    semantics = case.parameters.get("semantics", "recorded")
    words = [policy] + ([f"{case.parameters['ttl_s']:g} s"] if "ttl_s" in case.parameters else [])
    return " ".join(words + ([semantics] if semantics != "recorded" else [])), policy


def curves(cases):
    """Every curve in ok cases of the study, in the order of the records."""
    found = {}
    for case in cases:
        if case.study != STUDY or not case.ok or case.method != "simulate":
            continue
        name, policy = _name_of(case)
        key = (case.run.label, _requests_of(case), name)
        curve = found.setdefault(key, HitCurve(_requests_of(case), policy))
        points = _points_of(case)
        if points and not curve.points:
            curve.points = points
            curve.knee = _knee_of(case, points)
            curve.knee_bytes = case.values.get("knee_bytes")
        capacity, ratio = case.parameters.get("capacity_blocks"), case.values.get("hit_block_ratio")
        if is_number(capacity) and capacity > 0 and is_number(ratio):
            curve.singles.append((capacity, ratio))
    several = len({requests for _, requests, _ in found}) > 1
    for (run, requests, name), curve in found.items():
        words = [run, name] + ([requests.split(".")[0]] if several else [])
        curve.label = " ".join(word for word in words if word)
        curve.singles.sort()
    return [curve for curve in found.values() if curve.points or curve.singles]
