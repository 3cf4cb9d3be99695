# hpclab: SPDX-License-Identifier: Apache-2.0
"""The best point of each line of a selection, for rings in pictures and a sentence below them."""

from dataclasses import dataclass

from . import style
from .units import format_number, format_quantity, split_name

_MOST_NAMED = 6


@dataclass
class Spot:
    label: str
    index: int
    method: str
    point: object
    y_name: str


def find(selection, better):
    """The point with the highest (lowest) y of every series of at least two points.

    Nothing where x is a word: a sweet spot lies on a scale.
    """
    if selection.categories is not None:
        return []
    choose = max if better == "higher" else min
    return [
        Spot(
            entry.label,
            entry.index,
            entry.method,
            choose(entry.points, key=lambda point: point.y),
            selection.y_name,
        )
        for entry in selection.series
        if len(entry.points) > 1
    ]


def sentence(spots, x_name):
    """"Sweet spots (rings): degree 8, 22 GDOF/s measured; ..." with measurements first."""
    words = split_name(x_name)[0]
    named = sorted(spots, key=lambda spot: (spot.method != "measure", spot.index))[:_MOST_NAMED]
    parts = []
    for spot in named:
        value = format_quantity(spot.point.y, split_name(spot.y_name)[1])
        how = style.METHOD_NAMES[spot.method]
        where = f" ({spot.label})" if spot.label else ""
        parts.append(f"{words} {format_number(spot.point.x)}, {value}, {how}{where}")
    more = f" and {len(spots) - len(named)} more" if len(spots) > len(named) else ""
    return f"Sweet spots (rings): {'; '.join(parts)}{more}."
