# hpclab: SPDX-License-Identifier: Apache-2.0
"""Colours, markers and figures: one look for all pictures, readable without colour, the same bytes each time."""

import io
import os
import re

# A backend named in the environment for interactive use must not stop a program that only writes files.
os.environ.pop("MPLBACKEND", None)

import matplotlib  # noqa: E402
from matplotlib.backends.backend_agg import FigureCanvasAgg  # noqa: E402
from matplotlib.figure import Figure  # noqa: E402

INK = "#1b1f24"
DIM = "#5b6470"
GRID = "#dde1e6"
PAPER = "#ffffff"
SHADE = "#eef2f7"
# Okabe and Ito's palette (2008), safe for the common kinds of colour blindness; yellow and sky blue darkened for paper.
SERIES = ["#0072b2", "#d55e00", "#00805c", "#b0478f", "#2f8fca", "#a67200", "#6a4fb3", "#4f5a66"]
# The same hues on a dark page.
SERIES_DARK = [
    "#5ab0ea",
    "#ff9248",
    "#35c79b",
    "#e58cc4",
    "#8fd0ff",
    "#e3b341",
    "#b09bf0",
    "#b4bfcc",
]
MARKERS = ["o", "s", "^", "D", "v", "P", "X", "*"]
HATCHES = ["", "////", "....", "\\\\\\\\", "xxxx", "----", "oooo", "||||"]
METHOD_NAMES = {"model": "model", "simulate": "simulation", "measure": "measured"}

# Names of the colours as CSS variables, for pictures inside a page that has a light and a dark form.
CSS_NAMES = {INK: "ink", DIM: "dim", GRID: "grid", PAPER: "panel", SHADE: "shade"}
CSS_NAMES.update({colour: f"s{index}" for index, colour in enumerate(SERIES)})

FONTS = b"'DejaVu Sans', Verdana, sans-serif"
_TAG = re.compile(rb"<text [^>]*>")
_CONTROL = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\ufffe\uffff]")


class Size:
    """Width and height in inches; `narrow` pictures carry fewer words."""

    def __init__(self, width, height, narrow=False):
        self.width, self.height, self.narrow = width, height, narrow


WIDE = Size(9.4, 5.2)
NARROW = Size(4.3, 4.7, narrow=True)


def clean(text, limit=120):
    """Text from a record that is safe as a label: no control characters, bounded length."""
    text = _CONTROL.sub("\ufffd", str(text)).replace("\n", " ")
    return text if len(text) <= limit else text[: limit - 1] + "…"


def colour(index):
    return SERIES[index % len(SERIES)]


def marker(index):
    return MARKERS[index % len(MARKERS)]


def hatch(index):
    return HATCHES[index % len(HATCHES)]


def use_house_style():
    matplotlib.rcdefaults()
    matplotlib.rcParams.update(
        {
            "svg.hashsalt": "hpclab",
            "svg.fonttype": "none",
            "text.parse_math": False,
            "font.family": ["DejaVu Sans"],
            "font.size": 9.0,
            "axes.titlesize": 10.5,
            "axes.titleweight": "bold",
            "axes.titlelocation": "left",
            "axes.labelsize": 9.0,
            "xtick.labelsize": 8.5,
            "ytick.labelsize": 8.5,
            "axes.edgecolor": DIM,
            "axes.labelcolor": INK,
            "text.color": INK,
            "axes.titlecolor": INK,
            "xtick.color": DIM,
            "ytick.color": DIM,
            "xtick.labelcolor": INK,
            "ytick.labelcolor": INK,
            "axes.grid": True,
            "grid.color": GRID,
            "grid.linewidth": 0.6,
            "axes.axisbelow": True,
            "axes.spines.top": False,
            "axes.spines.right": False,
            "figure.facecolor": PAPER,
            "axes.facecolor": PAPER,
            "legend.frameon": False,
            "legend.fontsize": 8.5,
            "lines.linewidth": 1.6,
            "lines.markersize": 5.0,
            "hatch.linewidth": 0.6,
            "hatch.color": PAPER,
            "axes.unicode_minus": True,
            "path.simplify": True,
        }
    )


def new_figure(size, title=""):
    """A figure and its only axes."""
    use_house_style()
    figure = Figure(figsize=(size.width, size.height), dpi=100)
    FigureCanvasAgg(figure)
    axes = figure.add_axes((0.12, 0.14, 0.85, 0.76))
    if title:
        axes.set_title(fit_title(clean(title, 200), size), pad=10)
    return figure, axes


def fit_title(title, size):
    limit = int(size.width * 11)
    if len(title) <= limit:
        return title
    cut = title.rfind(" ", 0, limit)
    cut = cut if cut > limit // 2 else limit
    rest = title[cut:].strip()
    return title[:cut] + "\n" + (rest if len(rest) <= limit else rest[: limit - 1] + "…")


def fit_margins(figure, axes, legend_items=()):
    """Puts the legend below the axes and grows the axes until ticks, labels and legend just fit."""
    renderer = figure.canvas.get_renderer()
    width, height = figure.get_size_inches() * figure.dpi
    bottom = 6.0
    if legend_items:
        legend = _legend(figure, legend_items, width, renderer)
        bottom += legend.get_window_extent(renderer).height + 2
    for _ in range(2):
        outer = axes.get_tightbbox(renderer)
        inner = axes.get_window_extent(renderer)
        left_pad = inner.x0 - outer.x0 + 8
        right_pad = max(outer.x1 - inner.x1, 0) + 10
        top_pad = max(outer.y1 - inner.y1, 0) + 8
        bottom_pad = inner.y0 - outer.y0 + bottom
        axes.set_position(
            (
                left_pad / width,
                bottom_pad / height,
                max(0.2, 1 - (left_pad + right_pad) / width),
                max(0.2, 1 - (top_pad + bottom_pad) / height),
            )
        )


def _legend(figure, items, width, renderer):
    handles = [handle for handle, _ in items]
    labels = [(" " + label if label.startswith("_") else label) for _, label in items]
    for columns in range(min(len(items), 6), 0, -1):
        legend = figure.legend(
            handles,
            labels,
            loc="lower center",
            ncol=columns,
            bbox_to_anchor=(0.5, 0.0),
            borderaxespad=0.3,
            handlelength=2.2,
            columnspacing=1.6,
            labelspacing=0.35,
        )
        if columns == 1 or legend.get_window_extent(renderer).width <= width - 8:
            return legend
        legend.remove()
    return None


def to_bytes(figure, extension):
    """The picture as SVG or PNG, identical for identical input."""
    buffer = io.BytesIO()
    if extension == "svg":
        figure.savefig(buffer, format="svg", metadata={"Date": None, "Creator": "hpclab"})
        # Where the font is missing its nearest relatives follow, never a serif.
        return _TAG.sub(lambda tag: tag.group().replace(b"'DejaVu Sans'", FONTS), buffer.getvalue())
    figure.savefig(buffer, format="png", dpi=160, metadata={"Software": None})
    return buffer.getvalue()
