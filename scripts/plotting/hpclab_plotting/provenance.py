# hpclab: SPDX-License-Identifier: Apache-2.0
"""Where and how the figures were obtained, from the run records."""

import shlex

from .page import definition_list, esc, folded
from .schema import is_number
from .units import format_bytes, format_quantity

_CPU_NAMES = ("model", "model_name", "cpu_model", "cpu", "name")


def flatten(value, prefix=""):
    """("cpu.caches.l1_bytes", 32768) for each leaf of nested objects; lists of plain things are one leaf."""
    if isinstance(value, dict):
        for key, inner in value.items():
            yield from flatten(inner, f"{prefix}.{key}" if prefix else str(key))
    elif isinstance(value, list) and any(isinstance(item, (dict, list)) for item in value):
        for index, inner in enumerate(value):
            yield from flatten(inner, f"{prefix}.{index}")
    else:
        yield prefix, value


def leaf_text(name, value):
    if isinstance(value, list):
        return ", ".join(leaf_text(name, item) for item in value) or "none"
    if value is None:
        return "none"
    if isinstance(value, bool):
        return "yes" if value else "no"
    if is_number(value) and name.endswith("bytes"):
        return format_bytes(value)
    if is_number(value) and name.endswith("_hz"):
        return format_quantity(value, "Hz")
    return str(value)


def _named(value, keys):
    """`value` when it is text, or its first text member among `keys`."""
    if isinstance(value, dict):
        return next((value[key] for key in keys if isinstance(value.get(key), str)), None)
    return value if isinstance(value, str) else None


def machine_name(run):
    """The processor, the GPU and the host, as far as the record names them, for headlines."""
    machine = run.record.get("machine") or {}
    processor = _named(machine.get("cpu"), _CPU_NAMES) or _named(machine, _CPU_NAMES)
    gpu = _named(machine.get("gpu"), ("name", "model"))
    host = _named(machine.get("host"), ("name", "hostname", "host")) or _named(
        machine, ("hostname",)
    )
    words = dict.fromkeys(word for word in (processor, gpu, host) if word)
    return ", ".join(words) or "unnamed machine"


def run_card(run):
    """One run as HTML."""
    record = run.record
    command = shlex.join(record.get("argv", []))
    rows = [("machine", esc(machine_name(run)))]
    if command:
        rows.append(("command", f"<code>{esc(command)}</code>"))
    rows.append(("started", esc(record.get("started") or "not recorded")))
    if is_number(record.get("null_s")):
        rows.append(
            (
                "cost of the harness",
                esc(format_quantity(record["null_s"], "s"))
                + " for an empty case; nothing is subtracted",
            )
        )
    program = dict(flatten(record.get("hpclab") or {}))
    rows.append(
        (
            "program",
            esc(
                ", ".join(f"{name} {leaf_text(name, value)}" for name, value in program.items())
                or "not recorded"
            ),
        )
    )
    end = run.end or {}
    if end:
        words = [
            f"{leaf_text(key, end[key])} {key}"
            for key in ("cases", "ok", "failed", "skipped")
            if key in end
        ]
        if is_number(end.get("seconds")):
            words.append(f"in {format_quantity(end['seconds'], 's')}")
        rows.append(("finished", esc(", ".join(words))))
    else:
        rows.append(("finished", '<span class="warn">no end record</span>'))
    rows.append(("file", f"<code>{esc(run.path)}</code>, line {run.line}"))
    machine = list(flatten(record.get("machine") or {}))
    details = definition_list([(name, esc(leaf_text(name, value))) for name, value in machine])
    more = folded(f"all {len(machine)} facts about the machine", details) if machine else ""
    return (
        f'<div class="card"><h3>Run {esc(run.name, 80)}</h3>\n{definition_list(rows)}\n{more}</div>'
    )
