# hpclab: SPDX-License-Identifier: Apache-2.0
"""Axes in readable units: prefix, label, and ticks that suit linear, decimal and binary logarithmic scales."""

import math

from matplotlib.ticker import (
    FixedLocator,
    FuncFormatter,
    LogLocator,
    MaxNLocator,
    NullFormatter,
    NullLocator,
)

from .style import clean
from .units import Scale, format_bytes, format_number, scale_for, split_name

# Beyond these sizes the arithmetic of logarithmic axes leaves the doubles.
DRAWABLE = (1e-40, 1e40)


def drawable(value):
    return value == 0 or DRAWABLE[0] < abs(value) < DRAWABLE[1]


def _power_of_two(value):
    return value > 0 and float(math.log2(value)).is_integer()


def set_up(axes, which, name, values, log, label=None, unit=None):
    """Labels axis `which` ("x" or "y") for quantity `name` and formats its ticks. Returns the Scale."""
    words, own_unit = split_name(name)
    unit = own_unit if unit is None else unit
    axis = axes.xaxis if which == "x" else axes.yaxis
    values = [float(value) for value in values]
    distinct = sorted(set(values))
    scale = scale_for(unit, values)
    many_decades = (
        log
        and unit not in ("", "%")
        and distinct
        and distinct[0] > 0
        and distinct[-1] / distinct[0] > 3e4
    )
    if unit == "B" or many_decades:
        # No one prefix suits all ticks: each carries its own.
        scale = Scale(1.0, unit if unit != "B" else "")
    getattr(axes, f"set_{which}label")(
        clean(label or words, 60) + (f" ({clean(scale.text, 24)})" if scale.text else "")
    )
    if log:
        _log_ticks(axes, which, axis, scale, unit, distinct)
        if many_decades and unit != "B":
            axis.set_major_formatter(FuncFormatter(lambda value, _: _prefix_text(value, unit)))
    else:
        _linear_ticks(axis, scale, unit, distinct)
    return scale


def _formatter(scale, unit):
    if unit == "B":
        return FuncFormatter(lambda value, _: format_bytes(value) if value else "0")
    return FuncFormatter(lambda value, _: _tick_text(value / scale.factor))


def _prefix_text(value, unit):
    scale = scale_for(unit, [value])
    return f"{_tick_text(value / scale.factor)} {scale.text[:-len(unit)]}".rstrip()


def _tick_text(value):
    if value == 0 or 1e-4 <= abs(value) < 1e6:
        return f"{value:.6g}"
    return format_number(value)


def _log_ticks(axes, which, axis, scale, unit, distinct):
    positive = [value for value in distinct if value > 0]
    binary = unit == "B" or (len(positive) > 2 and all(_power_of_two(value) for value in positive))
    getattr(axes, f"set_{which}scale")("log", base=2 if binary else 10, nonpositive="mask")
    if binary and unit != "B" and len(positive) <= 12:
        axis.set_major_locator(FixedLocator(positive))
        axis.set_minor_locator(NullLocator())
    elif binary:
        axis.set_major_locator(_binary_ticks(positive, 7 if which == "x" else 9))
        axis.set_minor_locator(NullLocator())
    else:
        decades = math.log10(positive[-1] / positive[0]) if positive else 1
        subs = (
            (1.0,) if decades > 2.2 else (1.0, 2.0, 5.0) if decades > 0.5 else tuple(range(1, 10))
        )
        axis.set_major_locator(LogLocator(base=10, subs=subs, numticks=12))
    axis.set_major_formatter(_formatter(scale, unit))
    axis.set_minor_formatter(NullFormatter())


def _binary_ticks(positive, most):
    low, high = math.floor(math.log2(positive[0])), math.ceil(math.log2(positive[-1]))
    stride = max(1, math.ceil((high - low) / most))
    return FixedLocator([2.0**power for power in range(low, high + 1, stride)])


def _linear_ticks(axis, scale, unit, distinct):
    if (
        2 <= len(distinct) <= 9
        and all(float(value).is_integer() for value in distinct)
        and unit == ""
    ):
        gap = min(b - a for a, b in zip(distinct, distinct[1:]))
        if gap >= (distinct[-1] - distinct[0]) / 16:
            axis.set_major_locator(FixedLocator(distinct))
    elif unit == "":
        axis.set_major_locator(MaxNLocator(nbins=7, steps=[1, 2, 5, 10]))
    else:
        axis.set_major_locator(_PrefixLocator(scale))
    axis.set_major_formatter(_formatter(scale, unit))


class _PrefixLocator(MaxNLocator):
    """Round numbers in the unit that is shown, not in the SI unit beneath."""

    def __init__(self, scale):
        super().__init__(nbins=7, steps=[1, 2, 2.5, 5, 10])
        self._factor = scale.factor

    def tick_values(self, vmin, vmax):
        return super().tick_values(vmin / self._factor, vmax / self._factor) * self._factor
