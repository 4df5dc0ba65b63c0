"""The second-order perceptron as a textbook has it, with BLAS updates. Usage: second_order_numpy.py FILE [THREADS]

Keeps the inverse of `I + X X'` and the weights; rows are brought to length 1."""

import os
import sys

if len(sys.argv) > 2:
    os.environ["OPENBLAS_NUM_THREADS"] = sys.argv[2]

import numpy  # noqa: E402  (after the number of its threads)
from clock import clocked  # noqa: E402
from scipy.linalg.blas import dsymv, dsyr  # noqa: E402
from sklearn.datasets import load_svmlight_file  # noqa: E402
from sklearn.preprocessing import normalize  # noqa: E402


def learn(path):
    rows, labels = load_svmlight_file(path)
    rows = normalize(rows).toarray()
    features = rows.shape[1]
    inverse = numpy.asfortranarray(numpy.eye(features))
    weights = numpy.zeros(features)
    mistakes = 0
    for x, y in zip(rows, labels):
        score = weights @ x
        if (1.0 if score >= 0.0 else -1.0) == y:
            continue
        mistakes += 1
        sx = dsymv(1.0, inverse, x, lower=1)
        whole = 1.0 + x @ sx
        weights += (y - score) / whole * sx
        inverse = dsyr(-1.0 / whole, sx, lower=1, a=inverse, overwrite_a=1)
    return {"rows": rows.shape[0], "features": features, "mistakes": mistakes}


clocked(lambda: learn(sys.argv[1]))
