#!/usr/bin/env python3
"""Our svmlight reader against scikit-learn's: what both accept, both must read alike.

    cargo build --release -p novikoff-fuzz-entries --example rows_as_json
    python fuzz/differential/svmlight.py [--cases N] [--seed N] [--show N]

Texts are made from the format's grammar, with all the spellings of numbers, and from the seeds of
fuzz/corpus/svmlight; some are then mutated. scikit-learn is asked for float64, labels as lists, indices
counted from 1.

Either may refuse what the other accepts. Only scikit-learn accepts

- `nan` and `inf`, and values beyond the range of float32;
- what Python takes for a number: `1_000`, `+3` as an index;
- `qid` with anything behind it (`qid:x`, `qidx:1`, bytes that are no text), which it does not read;
- vertical tab, form feed and a carriage return inside a line, which are blanks to it.

Only we accept

- a byte order mark;
- `?` for no label;
- gzip and zstd, recognised by their first bytes.

Of what both accept these differences are meant, and allowed for here:

- zeros: it stores them, we do not (also values too small for float32);
- values: ours are the float32 nearest to the text; its float64, rounded again, may be the other neighbour
  where the float64 is exactly in the middle of two float32 (counted as `rounded twice`);
- labels: it sorts the labels of a row.
"""

import argparse
import io
import json
import pathlib
import random
import re
import struct
import subprocess
import sys
import warnings
from collections import Counter

FUZZ = pathlib.Path(__file__).resolve().parent.parent
BATCH = 2000

try:
    import numpy as np
    from sklearn.datasets import load_svmlight_file
except ImportError as missing:
    print(f"SKIPPED: {missing}; install scikit-learn, or use the Python of bench/ (bench/README.md)")
    sys.exit(0)


def number(rng):
    """A decimal, in one of the many ways to write it."""
    if rng.random() < 0.005:
        return rng.choice(["nan", "inf", "-Infinity", "1_0", "0x10", "1e", "--1", "1e39", ""])
    kind = rng.randrange(8)
    if kind == 0:
        return str(rng.randrange(-10, 100))
    if kind == 1:
        return repr(rng.gauss(0, 1))
    if kind == 2:
        return f"{rng.gauss(0, 1):.{rng.randrange(1, 8)}f}"
    if kind == 3:
        return f"{rng.gauss(0, 1):.{rng.randrange(0, 20)}e}"
    if kind == 4:  # near the middle of two float32
        middle = struct.unpack("<f", struct.pack("<I", rng.randrange(0x00800000, 0x7F000000)))[0]
        step = 2.0 ** -24 * middle
        return f"{middle + step * rng.choice([1, 1 + 2 ** -20, 1 - 2 ** -20]):.{rng.randrange(7, 24)}e}"
    if kind == 5:
        return rng.choice(["0", "-0", "+1", ".5", "5.", "1e5", "1E-3", "00.10", "1e-46", "1e-400", "3.4028235e38"])
    if kind == 6:
        digits = "".join(rng.choice("0123456789") for _ in range(rng.randrange(1, 30)))
        at = rng.randrange(len(digits) + 1)
        return digits[:at] + rng.choice(["", "."]) + digits[at:]
    return f"{rng.choice('+-')}{rng.randrange(10 ** rng.randrange(1, 20))}e{rng.randrange(-60, 20)}"


def row(rng):
    kind = rng.randrange(20)
    if kind == 0:
        return rng.choice(["", " ", "# remark", "\t# 1:1", "#"])
    label = rng.choice(["1", "-1", "+1", "0", "3.5", "-1e3", number(rng)])
    if kind == 1:
        label = ",".join(str(rng.randrange(5)) for _ in range(rng.randrange(2, 5)))
    if kind == 2:
        label = rng.choice(["", "", "?", "1,", "cat"])
    words = [label] if label else []
    if kind == 3:
        words.append(f"qid:{rng.choice(['7', '12', '0', '345', 'x', ''])}")
    index = 0
    odd = rng.random() < 0.05
    for _ in range(rng.choice([0, 1, 2, 3, 5, 8, 20])):
        index += rng.choice([1, 1, 1, 2, 10, 1000]) if not odd else rng.randrange(-1, 10 ** rng.randrange(1, 11))
        value = number(rng) if rng.random() < 0.4 else f"{rng.gauss(0, 1):.{rng.randrange(1, 7)}g}"
        words.append(f"{index}:{value}")
    blank = rng.choice([" ", " ", " ", "  ", "\t"])
    return blank.join(words) + rng.choice(["", "", "", " ", " # remark 3:4", "#x"])


def text(rng, seeds):
    if rng.random() < 0.1:
        made = rng.choice(seeds)
    else:
        end = rng.choice(["\n", "\n", "\n", "\r\n"])
        lines = [row(rng) for _ in range(rng.choice([1, 1, 2, 3, 6]))]
        made = (end.join(lines) + rng.choice([end, ""])).encode()
    if rng.random() < 0.7:
        return made
    made = bytearray(made)
    for _ in range(rng.randrange(1, 4)):
        at = rng.randrange(len(made) + 1)
        kind = rng.randrange(4)
        if kind == 0:
            del made[at : at + rng.randrange(1, 4)]
        elif kind == 1:
            made[at:at] = rng.choice(b"0123456789 \t\n\r#:.,-+eE?_qid\x0b\x0c\x00\x7f\xff").to_bytes(1, "little")
        elif kind == 2 and at < len(made):
            made[at] = rng.randrange(256)
        else:
            made[at:at] = made[at : at + rng.randrange(1, 10)]
    return bytes(made)


def theirs(case):
    """Rows as scikit-learn reads them, or None."""
    try:
        x, labels = load_svmlight_file(
            io.BytesIO(case), dtype=np.float64, multilabel=True, zero_based=False
        )
    except (ValueError, OverflowError):
        return None
    ends, index, value = x.indptr, x.indices, x.data
    return [
        (labels[i], index[ends[i] : ends[i + 1]] + 1, value[ends[i] : ends[i + 1]])
        for i in range(x.shape[0])
    ]


def same_value(ours, theirs, count):
    if ours == np.float32(theirs):
        return True
    # rounded twice: float64 exactly in the middle of two float32, and ours is one of these
    other = np.nextafter(ours, np.float32(theirs), dtype=np.float32)
    if (float(ours) + float(other)) / 2 == theirs:
        count["rounded twice"] += 1
        return True
    return False


def compare(ours, theirs, count):
    """What differs, or None."""
    if len(ours) != len(theirs):
        return f"{len(ours)} rows, {len(theirs)} rows"
    for at, ((labels, index, bits), (their_labels, their_index, their_value)) in enumerate(zip(ours, theirs)):
        labels = struct.unpack(f"<{len(labels)}d", struct.pack(f"<{len(labels)}Q", *labels))
        if sorted(labels) != list(their_labels):
            return f"row {at}: labels {labels}, {their_labels}"
        values = dict(zip(index, np.array(bits, dtype=np.uint32).view(np.float32)))
        count["rows"] += 1
        count["values"] += len(values)
        for j, value in zip(their_index.tolist(), their_value.tolist()):
            mine = values.pop(j, np.float32(0))
            if not same_value(mine, value, count):
                return f"row {at}: {j}:{mine!r}, {j}:{value!r}"
        if values:
            return f"row {at}: only ours has {values}"
    return None


def read_ours(program, cases):
    data = b"".join(struct.pack("<I", len(case)) + case for case in cases)
    done = subprocess.run([program], input=data, capture_output=True, check=True)
    return done.stdout.decode().splitlines()


def main():
    words = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    words.add_argument("--cases", type=int, default=100_000)
    words.add_argument("--seed", type=int, default=1)
    words.add_argument("--show", type=int, default=0, help="show this number of texts of each kind that only one accepts")
    words.add_argument("--program", default=None, help="the example rows_as_json")
    words = words.parse_args()
    program = words.program or FUZZ.parent / "target/release/examples/rows_as_json"
    if not pathlib.Path(program).exists():
        sys.exit(f"{program}: not built; type: cargo build --release -p novikoff-fuzz-entries --example rows_as_json")
    warnings.simplefilter("ignore")
    np.seterr(all="ignore")
    rng = random.Random(words.seed)
    seeds = [path.read_bytes() for path in sorted((FUZZ / "corpus/svmlight").iterdir())]
    count, refusals, wrong = Counter(), Counter(), 0
    while count["texts"] < words.cases:
        cases = [text(rng, seeds) for _ in range(min(BATCH, words.cases - count["texts"]))]
        for case, line in zip(cases, read_ours(program, cases), strict=True):
            count["texts"] += 1
            accepted, ours = line.split(" ", 1)
            other = theirs(case)
            if accepted == "read" and other is not None:
                count["both accept"] += 1
                differs = compare(json.loads(ours), other, count)
                if differs:
                    wrong += 1
                    print(f"DIFFERENT: {case!r}: {differs}")
                continue
            if accepted != "read" and other is None:
                count["neither"] += 1
                continue
            if accepted == "read":
                count["only we accept"] += 1
                kind = "scikit-learn refuses"
            else:
                count["only scikit-learn accepts"] += 1
                kind = re.sub(r'"[^"]*"|0x..', "...", ours.split(": ", 1)[-1])[:60]
            refusals[kind] += 1
            if refusals[kind] <= words.show:
                print(f"{kind}: {case!r}")
    print(f"scikit-learn {sys.modules['sklearn'].__version__}, seed {words.seed}")
    for what in ["texts", "both accept", "rows", "values", "rounded twice", "only we accept", "only scikit-learn accepts", "neither"]:
        print(f"{count[what]:>10} {what}")
    for kind, times in refusals.most_common():
        print(f"{times:>20} {kind}")
    print(f"{wrong:>10} different")
    sys.exit(wrong > 0)


if __name__ == "__main__":
    main()
