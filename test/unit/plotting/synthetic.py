# hpclab: SPDX-License-Identifier: Apache-2.0
"""Synthetic records of a plausible two-core Zen 4 machine. Numbers are invented; only their shapes matter."""

import hashlib
import json
import random

GB = 1e9
BANDWIDTH = {"l1": 230 * GB, "l2": 115 * GB, "l3": 62 * GB, "dram": 19 * GB}
LATENCY_S = {"l2": 3.9e-9, "l3": 13.5e-9, "dram": 108e-9}
PEAK = {
    ("scalar", "fp64"): 13.6e9,
    ("scalar", "fp32"): 13.6e9,
    ("avx2", "fp64"): 54e9,
    ("avx2", "fp32"): 108e9,
    ("avx512", "fp64"): 56e9,
    ("avx512", "fp32"): 112e9,
}
DECLARED = {
    "roofline/ceilings": {
        "question": "What can this machine move and compute at most, by memory level and instruction set?",
        "values": {
            "bandwidth_bytes_per_s": {
                "meaning": "bytes moved per second",
                "better": "higher",
                "headline": True,
            },
            "flops_per_s": {"meaning": "arithmetic rate", "better": "higher", "headline": True},
            "latency_s": {
                "meaning": "time of one dependent load",
                "better": "lower",
                "headline": True,
            },
        },
        "plot": {
            "kind": "roofline",
            "x": "threads",
            "y": "bandwidth_bytes_per_s",
            "series": ["level"],
            "logx": True,
            "logy": True,
        },
    },
    "roofline/operator": {
        "question": "How fast is a matrix-free operator at each degree, and what binds it?",
        "values": {
            "throughput_dof_per_s": {
                "meaning": "unknowns per second",
                "better": "higher",
                "headline": True,
            }
        },
        "plot": {
            "kind": "lines",
            "x": "degree",
            "y": "throughput_dof_per_s",
            "series": ["geometry"],
            "best": True,
        },
    },
}


class Writer:
    """Collects the lines of one run."""

    def __init__(self, run="run-1", seed=1, declare=True):
        self.random, self.run, self.lines, self.counts = (
            random.Random(seed),
            run,
            [],
            {"ok": 0, "failed": 0, "skipped": 0},
        )
        record = {
            "record": "run",
            "schema": "1.0",
            "run": run,
            "hpclab": {
                "version": "0.1.0",
                "git": "03295be1",
                "dirty": False,
                "compiler": "g++ 12.2.0",
                "flags": "-O3 -march=native",
            },
            "machine": {
                "host": "bench-7",
                "cpu": {
                    "model": "AMD EPYC 9354P",
                    "cores": 2,
                    "threads": 2,
                    "microcode": "0xa101148",
                    "caches": {"l1_bytes": 32768, "l2_bytes": 1048576, "l3_bytes": 33554432},
                },
                "memory_bytes": 25769803776,
                "kernel": "6.1.0-18-amd64",
                "transparent_huge_pages": "madvise",
                "gpu": None,
                "virtualised": True,
            },
            "argv": ["hpclab", "roofline", "ceilings", "--set", "threads=1,2"],
            "started": "2026-11-30T10:00:00Z",
            "null_s": 4.1e-8,
        }
        if declare:
            record["studies"] = DECLARED
        self.lines.append(json.dumps(record))

    def case(
        self, study, method, parameters, values=None, spread=0.01, status="ok", backend=None, **more
    ):
        lab, name = study.split("/")
        backend = backend or ("cpu" if method == "measure" else None)
        key = json.dumps([study, method, backend, parameters], sort_keys=True)
        record = {
            "record": "case",
            "id": hashlib.sha256(key.encode()).hexdigest()[:16],
            "run": self.run,
            "lab": lab,
            "study": name,
            "method": method,
            "backend": backend,
            "parameters": parameters,
            "status": status,
        }
        if values:
            record["values"] = values
            record["interval95"] = {
                n: [v * (1 - spread), v * (1 + spread)]
                for n, v in values.items()
                if n != "error_ratio" and v > 0
            }
        record.update(more)
        self.counts[status] += 1
        self.lines.append(json.dumps(record))

    def end(self):
        self.lines.append(
            json.dumps(
                {
                    "record": "end",
                    "run": self.run,
                    "cases": sum(self.counts.values()),
                    **self.counts,
                    "seconds": 41.7,
                }
            )
        )

    def noisy(self, value, relative=0.01):
        return value * (1 + self.random.gauss(0, relative))

    def text(self):
        return "\n".join(self.lines) + "\n"


def _ceilings(w):
    study = "roofline/ceilings"
    for level, base in BANDWIDTH.items():
        for kind, factor in (("read", 1.0), ("copy", 0.82), ("triad", 0.88)):
            for threads in (1, 2):
                scale = {"dram": 1.45, "l3": 1.8}.get(level, 1.98) if threads == 2 else 1.0
                rate = w.noisy(base * factor * scale)
                notes = (
                    ["noisy: 3 % of the time was stolen by the hypervisor"]
                    if level == "dram" and kind == "copy"
                    else []
                )
                predicted = base * factor * threads
                w.case(
                    study,
                    "model",
                    {"quantity": "bandwidth", "level": level, "kind": kind, "threads": threads},
                    {"bandwidth_bytes_per_s": predicted},
                    spread=0.08,
                )
                w.case(
                    study,
                    "measure",
                    {"quantity": "bandwidth", "level": level, "kind": kind, "threads": threads},
                    {
                        "bandwidth_bytes_per_s": rate,
                        "time_s": 1e8 / rate,
                        "predicted_bandwidth_bytes_per_s": predicted,
                        "error_ratio": rate / predicted - 1,
                    },
                    spread=0.012 if level == "dram" else 0.004,
                    text={"bound": level},
                    notes=notes,
                    work={"dram_bytes": 1e8, "flops": 0},
                )
    for level, latency in LATENCY_S.items():
        for threads in (1, 2):
            for chains in (1, 2, 4, 8, 16, 32):
                lines = chains * threads
                flat = BANDWIDTH[level] * (1.45 if threads == 2 else 1.0)
                rate = (lambda a, b: 1 / (a**-6 + b**-6) ** (1 / 6))(64 * lines / latency, flat)
                w.case(
                    study,
                    "measure",
                    {"quantity": "latency", "level": level, "chains": chains, "threads": threads},
                    {"latency_s": 64 * lines / rate, "bandwidth_bytes_per_s": w.noisy(rate)},
                )
    for (isa, precision), rate in PEAK.items():
        for threads in (1, 2):
            w.case(
                study,
                "measure",
                {"quantity": "flops", "isa": isa, "precision": precision, "threads": threads},
                {"flops_per_s": w.noisy(rate * threads, 0.003)},
                spread=0.002,
                text={"bound": "arithmetic"},
            )
    rows = []
    for step in range(41):
        size = 2.0 ** (12 + step / 2)
        level = "l1" if size <= 32e3 else "l2" if size <= 1e6 else "l3" if size < 30e6 else "dram"
        rows.append([int(size), w.noisy(BANDWIDTH[level], 0.02), level])
    w.case(
        study,
        "measure",
        {"quantity": "sweep", "kind": "read", "threads": 1},
        {"time_s": 3.0},
        tables={
            "sweep": {
                "columns": ["bytes", "bandwidth_bytes_per_s", "level"],
                "units": ["B", "B/s", ""],
                "rows": rows,
            }
        },
    )


def _operator(w):
    for geometry, bytes_per_dof in (
        ("stored", [512, 216, 152, 125, 110.6, 101.6, 95.5, 91.1]),
        ("affine", [28, 26, 25, 24, 23, 22, 21.5, 21]),
    ):
        for degree, per_dof in enumerate(bytes_per_dof, start=1):
            flops_per_dof = [312, 172, 149, 147, 150, 157, 166, 175][degree - 1]
            predicted = min(27e9 / per_dof, 95e9 / flops_per_dof)
            rate = w.noisy(predicted * (0.93 if geometry == "stored" else 0.7), 0.02)
            parameters = {"degree": degree, "geometry": geometry, "precision": "fp64"}
            dofs = 4e6
            w.case(
                "roofline/operator",
                "model",
                parameters,
                {"throughput_dof_per_s": predicted},
                spread=0.1,
            )
            w.case(
                "roofline/operator",
                "simulate",
                parameters,
                {"throughput_dof_per_s": predicted * 0.96},
                spread=0.02,
            )
            w.case(
                "roofline/operator",
                "measure",
                parameters,
                {
                    "throughput_dof_per_s": rate,
                    "time_s": dofs / rate,
                    "predicted_throughput_dof_per_s": predicted,
                    "simulated_throughput_dof_per_s": predicted * 0.96,
                    "error_ratio": rate / predicted - 1,
                },
                text={"bound": "dram" if geometry == "stored" else "fp issue"},
                work={"flops": dofs * flops_per_dof, "dram_bytes": dofs * per_dof},
            )
    w.case(
        "roofline/operator",
        "measure",
        {"degree": 9, "geometry": "stored", "precision": "fp64"},
        status="failed",
        reason="the residual 3e-4 exceeds 1e-10 against the assembled matrix",
    )
    w.case(
        "roofline/operator",
        "measure",
        {"degree": 3, "geometry": "stored", "precision": "fp64"},
        status="skipped",
        backend="cuda",
        reason="no driver: mend with scripts/setup or run on a machine with a GPU",
    )
    w.case(
        "roofline/operator",
        "measure",
        {"degree": 3, "geometry": "stored", "precision": "fp64"},
        {"time_s": 2.5, "max_error": 3e-15},
        backend="emulator",
    )


def realistic(run="run-1", seed=1, declare=True):
    """The text of a record file with ceilings, latencies, a sweep and an operator study."""
    writer = Writer(run, seed, declare)
    _ceilings(writer)
    _operator(writer)
    writer.end()
    return writer.text()


if __name__ == "__main__":
    print(realistic(), end="")
