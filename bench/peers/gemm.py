"""One matrix product, the inner products of KNOWN rows with ROWS others. Usage: gemm.py TYPE FEATURES KNOWN ROWS THREADS TIMES"""

import os
import sys

kind, features, known, rows, os.environ["OPENBLAS_NUM_THREADS"], times = sys.argv[1:]

import numpy  # noqa: E402  (after the number of its threads)
from clock import clocked  # noqa: E402

random = numpy.random.default_rng(1)
a = random.random((int(known), int(features))).astype(kind)
b = random.random((int(features), int(rows))).astype(kind)
a @ b


def products():
    for _ in range(int(times)):
        a @ b
    return {"values": int(known) * int(rows) * int(times)}


clocked(products)
