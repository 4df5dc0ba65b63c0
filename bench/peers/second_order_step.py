"""One mistake of the second-order perceptron by BLAS: symv and syr. Usage: second_order_step.py FEATURES TIMES THREADS"""

import os
import sys

features, times, os.environ["OPENBLAS_NUM_THREADS"] = int(sys.argv[1]), int(sys.argv[2]), sys.argv[3]

import numpy  # noqa: E402  (after the number of its threads)
from clock import clocked  # noqa: E402
from scipy.linalg.blas import dsymv, dsyr  # noqa: E402

random = numpy.random.default_rng(1)
rows = random.random((100, features)) * (random.random((100, features)) < 0.2)
inverse = numpy.asfortranarray(numpy.eye(features))


def mistakes():
    global inverse
    for time in range(times):
        x = rows[time % 100]
        sx = dsymv(1.0, inverse, x, lower=1)
        inverse = dsyr(-1.0 / (1.0 + x @ sx), sx, lower=1, a=inverse, overwrite_a=1)
    return {"times": times}


clocked(mistakes)
