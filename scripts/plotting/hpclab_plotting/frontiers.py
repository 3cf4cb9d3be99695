# hpclab: SPDX-License-Identifier: Apache-2.0
"""Decode frontiers from records of kvcache/frontier: throughput and speed of a request over the batch."""

from dataclasses import dataclass, field

from .axis import drawable
from .schema import is_number

STUDY = "kvcache/frontier"
MOST_FRONTIERS = 4
_FIXED = ("quantity", "batch", "observed_gain")


@dataclass
class Frontier:
    """(batch, tokens/s of all, tokens/s of one) ascending, and the batches where something else takes over."""

    name: str
    points: list = field(default_factory=list)
    ridge: float = None
    limit: float = None
    label: str = ""

    def sentence(self):
        """What the marks say in words."""
        batch, best, _ = max(self.points, key=lambda point: point[1])
        text = f"{self.label or self.name}: at most {best:,.0f} token/s, from {batch:,.0f} requests on"
        if self.limit:
            text += f"; memory holds {self.limit:,.0f} requests"
        return text + "."


def _word(value):
    return value.get("name", "?") if isinstance(value, dict) else f"{value:g}" if is_number(value) else str(value)


def frontiers(cases):
    """Every frontier in ok cases of the study with two batches at least, in the order of the records."""
    found, settings = {}, {}
    for case in cases:
        if case.study != STUDY or not case.ok or case.parameters.get("quantity") != "step":
            continue
        point = (
            case.parameters.get("batch"),
            case.values.get("tokens_per_s"),
            case.values.get("request_tokens_per_s"),
        )
        if not all(is_number(number) and number > 0 and drawable(number) for number in point):
            continue
        words = {
            name: _word(value) for name, value in case.parameters.items() if name not in _FIXED
        }
        key = (case.run.label, tuple(sorted(words.items())))
        frontier = found.setdefault(key, Frontier(case.text.get("model", "model")))
        settings[key] = words
        frontier.points.append(point)
        for name, value in (("ridge", "ridge_batch"), ("limit", "concurrency")):
            mark = case.values.get(value)
            if is_number(mark) and mark > 0 and drawable(mark):
                setattr(frontier, name, mark)
    kept = {key: frontier for key, frontier in found.items() if len(frontier.points) > 1}
    telling = [
        name
        for name in dict.fromkeys(name for key in kept for name in settings[key])
        if name not in ("model", "gpu") and len({settings[key].get(name) for key in kept}) > 1
    ]
    for key, frontier in kept.items():
        frontier.points.sort()
        words = [key[0], frontier.name] + [
            f"{name}={settings[key][name]}" for name in telling if name in settings[key]
        ]
        frontier.label = " ".join(word for word in words if word)
    return list(kept.values())
