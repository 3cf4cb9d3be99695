# hpclab: SPDX-License-Identifier: Apache-2.0
"""Labels that do not cover each other: each tries its candidate places in order and takes the first free one."""

import math

from .style import INK, PAPER


class Place:
    """A candidate: data point, offset in points, alignment and angle (degrees, on the page)."""

    def __init__(self, x, y, dx=0.0, dy=0.0, ha="center", va="bottom", angle=0.0):
        self.x, self.y, self.dx, self.dy, self.ha, self.va, self.angle = x, y, dx, dy, ha, va, angle


def _corners(x, y, width, height, ha, va, angle):
    left = {"left": 0.0, "center": -width / 2, "right": -width}[ha]
    low = {"bottom": 0.0, "center": -height / 2, "top": -height}[va]
    c, s = math.cos(math.radians(angle)), math.sin(math.radians(angle))
    box = [(left, low), (left + width, low), (left + width, low + height), (left, low + height)]
    return [(x + c * u - s * v, y + s * u + c * v) for u, v in box]


def _separated(a, b):
    # Separating axes theorem for convex polygons: some edge normal splits them.
    for polygon in (a, b):
        for (x0, y0), (x1, y1) in zip(polygon, polygon[1:] + polygon[:1]):
            nx, ny = y0 - y1, x1 - x0
            pa = [nx * x + ny * y for x, y in a]
            pb = [nx * x + ny * y for x, y in b]
            if max(pa) <= min(pb) or max(pb) <= min(pa):
                return True
    return False


class LabelPlacer:
    """Remembers what is taken on one axes. Call after the axes have their final position and limits."""

    def __init__(self, figure, axes):
        self._figure, self._axes = figure, axes
        self._taken, self._lines = [], []
        self._renderer = figure.canvas.get_renderer()
        box = axes.get_window_extent(self._renderer)
        self._inside = (box.x0 + 1, box.y0 + 1, box.x1 + 8, box.y1 + 2)

    def screen(self, x, y):
        return tuple(self._axes.transData.transform((x, y)))

    def angle_of(self, x0, y0, x1, y1):
        """Angle on the page, in degrees, of the segment between two data points."""
        (a, b), (c, d) = self.screen(x0, y0), self.screen(x1, y1)
        return math.degrees(math.atan2(d - b, c - a))

    def block_point(self, x, y, radius=4.0):
        px, py = self.screen(x, y)
        self._taken.append(
            [
                (px - radius, py - radius),
                (px + radius, py - radius),
                (px + radius, py + radius),
                (px - radius, py + radius),
            ]
        )

    def block_segment(self, x0, y0, x1, y1, half_width=1.5):
        (a, b), (c, d) = self.screen(x0, y0), self.screen(x1, y1)
        length = math.hypot(c - a, d - b)
        if length > 0:
            nx, ny = -(d - b) / length * half_width, (c - a) / length * half_width
            self._lines.append(
                [(a + nx, b + ny), (c + nx, d + ny), (c - nx, d - ny), (a - nx, b - ny)]
            )

    def place(self, text, places, colour=INK, size=8.0, weight="normal", panel=True, insist=False):
        """Draws `text` at the first free place. Returns whether there was one. With `insist` it may cross lines."""
        width, height = self._measure(text, size, weight)
        points_to_pixels = self._figure.dpi / 72
        places = list(places)
        for place, lines_too in [(p, True) for p in places] + (
            [(p, False) for p in places] if insist else []
        ):
            px, py = self.screen(place.x, place.y)
            corners = _corners(
                px + place.dx * points_to_pixels,
                py + place.dy * points_to_pixels,
                width,
                height,
                place.ha,
                place.va,
                place.angle,
            )
            if self._free(corners, lines_too):
                self._taken.append(corners)
                self._axes.annotate(
                    text,
                    (place.x, place.y),
                    xytext=(place.dx, place.dy),
                    textcoords="offset points",
                    fontsize=size,
                    color=colour,
                    fontweight=weight,
                    ha=place.ha,
                    va=place.va,
                    rotation=place.angle,
                    rotation_mode="anchor",
                    zorder=6,
                    annotation_clip=False,
                    bbox=(
                        {"facecolor": PAPER, "edgecolor": "none", "pad": 0.6, "alpha": 0.85}
                        if panel
                        else None
                    ),
                )
                return True
        return False

    def _measure(self, text, size, weight):
        probe = self._figure.text(0.5, 0.5, text, fontsize=size, fontweight=weight)
        extent = probe.get_window_extent(self._renderer)
        probe.remove()
        return extent.width + 3, extent.height + 1

    def _free(self, corners, lines_too):
        x0, y0, x1, y1 = self._inside
        if not all(x0 <= x <= x1 and y0 <= y <= y1 for x, y in corners):
            return False
        return all(
            _separated(corners, other) for other in self._taken + (self._lines if lines_too else [])
        )


def around(x, y, distance=6.0):
    """Eight places around a point, best first."""
    d = distance
    return [
        Place(x, y, 0, d, "center", "bottom"),
        Place(x, y, d, 0, "left", "center"),
        Place(x, y, -d, 0, "right", "center"),
        Place(x, y, 0, -d, "center", "top"),
        Place(x, y, d, d, "left", "bottom"),
        Place(x, y, -d, d, "right", "bottom"),
        Place(x, y, d, -d, "left", "top"),
        Place(x, y, -d, -d, "right", "top"),
    ]
