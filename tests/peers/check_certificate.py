"""Checks a perceptron's certificate (theorem T2) from its JSON, the trace, the data and the weights of U.

python check_certificate.py CERT.json DATA.svm WEIGHTS.tsv, the last from `novikoff inspect U --weights`. Exit 1 if they do not agree.
"""

import json
import math
import sys

import numpy as np


def check(cert, rows, labels, trace, u):
    """All points on which a certificate differs from what follows from rows, trace and U."""
    claimed = cert["certificate"]
    margins = [y * sum(u.get(j, 0.0) * v for j, v in x.items()) for x, y in zip(rows, labels)]
    updated = [rows[event["row"]] for event in trace if event["updated"]]
    hinge = cert["options"]["epochs"] * sum(max(0.0, 1.0 - m) for m in margins)
    norm = math.sqrt(sum(w * w for w in u.values()))
    squares = sum(v * v for x in updated for v in x.values())
    bound = hinge + norm * math.sqrt(squares)  # m <= L(U) + |U| sqrt(sum of |x|^2 over the updates)
    mistakes = sum(event["mistake"] for event in trace)
    pairs = [("mistakes", claimed["mistakes"], mistakes), ("bound", claimed["bound"], bound)]
    pairs += [("|U|", claimed["comparator"]["norm"], norm), ("L(U)", claimed["comparator"]["hinge"], hinge)]
    wrong = [pair for pair in pairs if not math.isclose(pair[1], pair[2], rel_tol=1e-6, abs_tol=1e-9)]
    below = claimed["bound"] < bound * (1 - 1e-9)
    theorem = claimed["theorem"] in ("T1", "T2") and cert["options"]["normalize"] is None
    return wrong + [("too small", claimed["bound"], bound)] * below + [("theorem", claimed["theorem"], "T2")] * (not theorem)


def main(cert_file, data_file, weights_file):
    cert = json.load(open(cert_file))
    lines = [line.split() for line in open(data_file)]
    labels = [1 if float(line[0]) == float(cert["certificate"]["comparator"]["class"]) else -1 for line in lines]
    rows = [{j: float(np.float32(v)) for j, v in (pair.split(":") for pair in line[1:])} for line in lines]
    if cert["options"]["bias"] is not None:
        rows = [{"bias": cert["options"]["bias"], **row} for row in rows]
    trace = [json.loads(line) for line in open(cert["trace"])]
    u = {j: float(w) for j, w in (line.rstrip("\n").split("\t") for line in open(weights_file))}
    wrong = check(cert, rows, labels, trace, u)
    print("agrees" if not wrong else f"differs (what, claimed, recomputed): {wrong}")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
