# hpclab: SPDX-License-Identifier: Apache-2.0
"""Random damage to files that the program reads: a clear answer each time, never a signal."""

import concurrent.futures
import os
import random
import unittest

from support import SANITIZED, CliTest, sweep

# Bytes that mean something to the reader of JSON, axes and expressions.
TELLING = [b'"', b"{", b"}", b"[", b"]", b",", b":", b"\\", b"\n", b"\0", b"\xff", b"-", b"e", b"9",
           b"1e999", b"null", b"true", b'"":', b"\\ud800", b"*", b"..", b"[[[[", b"0.1", b" "]


def mutated(content, chance, damages):
    """Up to `damages` of these: a byte flipped, a cut, pieces swapped, a line twice or gone, ..."""
    for _ in range(chance.randint(1, damages)):
        if not content:
            break
        at = chance.randrange(len(content))
        end = min(len(content), at + chance.randint(1, 40))
        kind = chance.randrange(8)
        if kind == 0:
            content = content[:at] + bytes([content[at] ^ (1 << chance.randrange(8))]) + content[at + 1:]
        elif kind == 1:
            content = content[:at]
        elif kind == 2:
            content = content[:at] + content[end:]
        elif kind == 3:
            other = chance.randrange(len(content))
            low, high = sorted((at, other))
            content = content[:low] + content[high:] + content[low:high]
        elif kind == 4:
            lines = content.splitlines(keepends=True)
            lines.insert(chance.randrange(len(lines) + 1), chance.choice(lines))
            content = b"".join(lines)
        elif kind == 5:
            lines = content.splitlines(keepends=True)
            del lines[chance.randrange(len(lines))]
            content = b"".join(lines)
        elif kind == 6:
            content = content[:at] + chance.choice(TELLING) + content[at:]
        else:
            content = content[:at] + chance.choice(TELLING) + content[end:]
    return content


class Mutations(CliTest):
    def test_does_validate_answer_3000_damaged_record_files_with_0_or_1(self):
        out = self.path("whole.jsonl")
        self.expect(0, *sweep("1:3"), "--out", out)
        # The run record is long and mostly text; without most of it damage reaches the cases.
        lines = out.read_bytes().splitlines(keepends=True)
        short = b'{"record":"run","schema":"1.0","run":"r","started":"2026-01-01T00:00:00Z"}\n'
        whole = short + b"".join(lines[1:])
        chance = random.Random(42)
        valid = 0
        count, batch = (500 if SANITIZED else 3000), 250
        for begin in range(0, count, batch):
            names = [f"{i}.jsonl" for i in range(begin, begin + batch)]
            for name in names:
                self.write(name, mutated(whole, chance, 3))
            outcome = self.run_program("validate", *names)
            self.assertIn(outcome.code, (0, 1), str(outcome))
            self.check(outcome, outcome.code)
            for name in names:  # each file is answered once: valid, or an error
                said = [x for x in outcome.out.splitlines() if x.startswith(f"{name}: valid")]
                faults = [x for x in outcome.err.splitlines() if x.startswith(f"error: {name}:")]
                self.assertEqual(len(said) + len(faults), 1, name)
                valid += len(said)
                self.path(name).unlink()
        print(f"\n{count} damaged record files: {valid} still valid, {count - valid} refused")

    def test_does_a_dry_run_answer_1000_damaged_configurations_with_0_or_2(self):
        whole = (b'{"lab": "roofline", "study": "ceilings", "method": ["model", "measure"],\n'
                 b' "backend": "cpu", "seed": 3, "machine": "xeon-8168-2s",\n'
                 b' "parameters": {"level": ["l1", "l2"], "kind": "read", "threads": "1:4",\n'
                 b'                "working_set": ["16Ki:64Ki:*2", 4096], "isa": "avx2"},\n'
                 b' "zip": [["level", "isa"]], "exclude": ["level == l1 && threads > 2"]}\n')
        whole = whole.replace(b'"isa": "avx2"', b'"isa": ["avx2", "scalar"]')
        chance = random.Random(43)
        count = 100 if SANITIZED else 1000
        paths = [self.write(f"{i}.json", mutated(whole, chance, 1)) for i in range(count)]
        self.expect(0, "run", self.write("whole.json", whole), "--dry-run")

        def answer(path):
            outcome = self.run_program("run", path, "--dry-run", "--max-cases", "1000")
            self.assertIn(outcome.code, (0, 2), path.read_bytes().decode(errors="replace")
                          + str(outcome))
            return self.check(outcome, outcome.code).code

        with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
            codes = list(pool.map(answer, paths))
        print(f"\n{count} damaged configurations: {codes.count(0)} run, {codes.count(2)} refused")
        self.assertGreater(codes.count(2), count // 2)


if __name__ == "__main__":
    unittest.main()
