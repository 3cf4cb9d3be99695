# hpclab: SPDX-License-Identifier: Apache-2.0
"""Units from value names (`bandwidth_bytes_per_s` is B/s) and numbers in readable prefixes."""

import math

# Endings of names and what they mean; the longest match wins.
_UNITS = {
    "bytes": "B",
    "s": "s",
    "hz": "Hz",
    "flop": "FLOP",
    "flops": "FLOP",
    "dof": "DOF",
    "dofs": "DOF",
    "w": "W",
    "watts": "W",
    "j": "J",
    "joules": "J",
    "bits": "bit",
    "instructions": "instr",
    "cycles": "cycle",
    "cycle": "cycle",
    "byte": "B",
    "tokens": "token",
    "token": "token",
    "iterations": "iteration",
}
_DECIMAL = [
    (1e-12, "p"),
    (1e-9, "n"),
    (1e-6, "µ"),
    (1e-3, "m"),
    (1.0, ""),
    (1e3, "k"),
    (1e6, "M"),
    (1e9, "G"),
    (1e12, "T"),
    (1e15, "P"),
    (1e18, "E"),
]
_BINARY = [
    (1.0, ""),
    (2.0**10, "Ki"),
    (2.0**20, "Mi"),
    (2.0**30, "Gi"),
    (2.0**40, "Ti"),
    (2.0**50, "Pi"),
]


def split_name(name):
    """("bandwidth", "B/s") for "bandwidth_bytes_per_s"; ("chains", "") where the name carries no unit."""
    words = name.split("_")
    if len(words) >= 3 and words[-2] == "per":
        top = _UNITS.get(words[-3], words[-3])
        bottom = _UNITS.get(words[-1], words[-1])
        rest = words[:-3]
        return " ".join(rest) if rest else f"{words[-3]} rate", f"{top}/{bottom}"
    if len(words) >= 2 and words[-1] in _UNITS:
        return " ".join(words[:-1]), _UNITS[words[-1]]
    if name == "bytes":
        return "size", "B"
    if words[-1] == "ratio" and "error" in words:
        return " ".join(words[:-1]), "%"
    return " ".join(words), ""


class Scale:
    """A unit with the prefix in which numbers of one column or axis are read: value / factor, text."""

    def __init__(self, factor, text):
        self.factor = factor
        self.text = text

    def number(self, value, digits=4):
        return format_number(value if self.factor == 1.0 else value / self.factor, digits)


def scale_for(unit, values):
    """The prefix that makes the middle of `values` read as a number between 1 and 1000."""
    if unit == "%":
        return Scale(0.01, "%")
    sizes = sorted(abs(value) for value in values if value and math.isfinite(value))
    if not unit or not sizes:
        return Scale(1.0, unit)
    typical = math.sqrt(sizes[0]) * math.sqrt(sizes[-1]) if unit == "B" else sizes[len(sizes) // 2]
    factor, prefix = _prefix(typical, _BINARY if unit == "B" else _DECIMAL)
    if unit == "s" and factor > 1.0:
        factor, prefix = 1.0, ""
    # Nobody reads "mDOF" or "µB/s"; a small count stays a small number.
    if factor < 1.0 and not unit.startswith(("s", "J", "W")):
        factor, prefix = 1.0, ""
    return Scale(factor, prefix + unit)


def _prefix(size, table):
    best = table[0]
    for factor, prefix in table:
        if size >= factor * 0.9995:
            best = (factor, prefix)
    return best


def format_number(value, digits=4):
    """`digits` significant digits, zeros at the end kept, without exponent where that stays short."""
    if value == 0:
        return "0"
    if isinstance(value, int) and abs(value) < 10**7:
        return str(value)
    # Rounded first, so that 0.99996 reads as 1.00 and not as 1.000.
    value = float(f"{value:.{digits - 1}e}")
    size = abs(value)
    if size >= 10**6 or size < 1e-4:
        mantissa, exponent = f"{value:.{digits - 1}e}".split("e")
        mantissa = mantissa.rstrip("0").rstrip(".") if "." in mantissa else mantissa
        return f"{mantissa}e{int(exponent)}".replace("-", "−")
    decimals = max(0, digits - 1 - math.floor(math.log10(size)))
    return f"{value:.{decimals}f}".replace("-", "−")


def format_quantity(value, unit, digits=3):
    """A number with its own prefix and unit, e.g. "21.4 GB/s", for labels in pictures and sentences."""
    if unit == "%":
        return f"{value * 100:+.{1 if abs(value) < 0.1 else 0}f} %".replace("-", "−")
    scale = scale_for(unit, [value])
    text = scale.number(value, digits)
    return f"{text} {scale.text}".rstrip()


def format_bytes(value):
    """A capacity: 32 KiB, 1 MiB, 861 KiB."""
    scale = scale_for("B", [value])
    shown = value / scale.factor
    if value >= 1e18:
        return format_quantity(value, "B")
    return f"{shown:.4g} {scale.text}" if float(shown).is_integer() else f"{shown:.3g} {scale.text}"
