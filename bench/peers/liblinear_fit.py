"""LIBLINEAR on rows in memory, until its objective is as low as ours.

Usage: liblinear_fit.py FILE SOLVER C OBJECTIVE, the objective in its own scale, `sum of losses x C + |w|^2/2`, or -. The
tolerance is the loosest of 1, 1/2, 1/4, ... that gets there; the clock runs for that fit alone."""

import os
import sys

import numpy as np
from clock import clocked
from liblinear.liblinear import liblinear as native
from liblinear.liblinearutil import parameter, problem
from sklearn.datasets import load_svmlight_file

LOSSES = {
    0: lambda t: np.logaddexp(0, -t),
    1: lambda t: np.maximum(0, 1 - t) ** 2,
    2: lambda t: np.maximum(0, 1 - t) ** 2,
    3: lambda t: np.maximum(0, 1 - t),
}

file, solver, c, wanted = sys.argv[1:]
solver, c = int(solver), float(c)
x, y = load_svmlight_file(file)
y = np.where(y > 0, 1.0, -1.0)
rows = problem(y, x)


def fit(eps):
    """Its model's objective; it prints to where Python does not."""
    options = parameter(f"-q -s {solver} -c {c} -e {eps}")
    model = native.train(rows, options)
    w = np.array(model.contents.w[: x.shape[1]]) * model.contents.label[0]
    native.free_and_destroy_model(model)
    return c * LOSSES[solver](y * (x @ w)).sum() + w @ w / 2


def search():
    eps, goal = 1.0, float(wanted)
    while eps > 1e-8 and (reached := fit(eps)) > goal:
        eps /= 2
    return eps, reached


eps, reached = search()
clocked(lambda: fit(eps) and None, lambda: {"eps": eps, "objective": reached})
sys.stdout.flush()
os._exit(0)
