# hpclab: SPDX-License-Identifier: Apache-2.0
"""Record files with known content: the ids are those that the program itself would give."""

import hashlib
import json

VALUES = {"time_s": {"meaning": "time", "better": "lower", "headline": True},
          "bandwidth_bytes_per_s": {"meaning": "rate", "better": "higher", "headline": True}}


def case_id(case):
    sorted_parameters = json.dumps(case["parameters"], sort_keys=True, separators=(",", ":"),
                                   ensure_ascii=False)
    text = "\n".join([case["lab"], case["study"], case["method"],
                      json.dumps(case["backend"]), sorted_parameters, str(case["seed"]), "1"])
    return hashlib.sha256(text.encode()).hexdigest()[:16]


def case(parameters, value, run="run-1", method="measure", samples=None, name="time_s", **more):
    record = {"record": "case", "id": "", "run": run, "lab": "lab", "study": "study",
              "method": method, "backend": "cpu" if method == "measure" else None,
              "parameters": parameters, "seed": 1, "status": "ok", "values": {name: value}}
    if samples:
        record["samples"] = {name: samples}
    record.update(more)
    record["id"] = case_id(record)
    return record


def run_record(run="run-1", **more):
    return {"record": "run", "schema": "1.0", "run": run, "started": "2026-01-01T00:00:00Z",
            "hpclab": {"compiler": "GNU 12"}, "machine": {"cpu": {"model_name": "X"}},
            "studies": {"lab/study": {"question": "How fast is it?", "values": VALUES}}, **more}


def lines(cases, run="run-1", **more):
    end = {"record": "end", "run": run, "cases": len(cases), "ok": len(cases), "failed": 0,
           "skipped": 0}
    records = [run_record(run, **more), *cases, end]
    return "".join(json.dumps(r, ensure_ascii=False) + "\n" for r in records)
