"""Objectives of scikit-learn's LIBLINEAR and LIBSVM at their own weights, beside ours."""

import numpy as np
import pytest
from conftest import survey
from sklearn.linear_model import LogisticRegression
from sklearn.metrics.pairwise import rbf_kernel
from sklearn.svm import SVC, LinearSVC

LOSSES = {
    "hinge": lambda t: np.maximum(0, 1 - t),
    "squared-hinge": lambda t: np.maximum(0, 1 - t) ** 2,
    "logistic": lambda t: np.logaddexp(0, -t),
}
EXACT = ("--gap", "1e-8", "--max-passes", 100_000)


def liblinear(loss, c, bias):
    """Its solvers 3, 1 and 7; a constant feature `bias`, regularised as the others."""
    with_bias = {"fit_intercept": bias > 0, "intercept_scaling": max(bias, 1), "max_iter": 10_000_000, "tol": 1e-7}
    if loss == "logistic":
        return LogisticRegression(solver="liblinear", dual=True, C=c, **with_bias)
    kind = {"hinge": "hinge", "squared-hinge": "squared_hinge"}[loss]
    return LinearSVC(loss=kind, dual=True, C=c, random_state=1, **with_bias)


@pytest.mark.parametrize("bias", [0, 2])
@pytest.mark.parametrize("lam", [0.01, 1e-3])
@pytest.mark.parametrize("loss", LOSSES)
def test_liblinear(novikoff, rng, loss, lam, bias):
    rows = 1000
    x, y = survey(rng, rows, 60, 0.12)
    machine = liblinear(loss, 1 / (lam * rows), bias).fit(x, y)
    w, b = machine.coef_[0], float(np.ravel(machine.intercept_)[0])
    square = w @ w + (b / bias) ** 2 if bias else w @ w
    theirs = LOSSES[loss](y * (x @ w + b)).mean() + lam / 2 * square
    ours = novikoff.solve(x, y, "--loss", loss, "--lambda", lam, "--bias", bias or "off", *EXACT)
    assert abs(ours["primal"] - theirs) < 1e-6 * theirs
    assert ours["dual"] <= theirs + 1e-12


@pytest.mark.parametrize("lam", [0.1, 1e-2, 1e-3])
def test_free_bias(novikoff, rng, lam):
    rows = 400
    x, y = survey(rng, rows, 40, 0.15)
    machine = SVC(kernel="linear", C=1 / (lam * rows), tol=1e-9).fit(x, y)
    w, b = machine.coef_[0], machine.intercept_[0]
    theirs = LOSSES["hinge"](y * (x @ w + b)).mean() + lam / 2 * w @ w
    ours = novikoff.solve(x, y, "--lambda", lam, "--bias", "free", *EXACT)
    assert abs(ours["primal"] - theirs) < 1e-6 * theirs
    assert ours["dual"] <= theirs + 1e-12


@pytest.mark.parametrize(("c", "gamma"), [(1, 0.05), (10, 0.2), (0.1, 1)])
def test_gaussian_kernel(novikoff, rng, c, gamma):
    rows = 300
    x = rng.integers(-64, 65, size=(rows, 5)) / 32
    y = np.where(np.sin(2 * x[:, 0]) + x[:, 1] ** 2 - 1 + 0.3 * rng.normal(size=rows) > 0, 1.0, -1.0)
    machine = SVC(kernel="rbf", gamma=gamma, C=c, tol=1e-9).fit(x, y)
    dual = np.zeros(rows)
    dual[machine.support_] = machine.dual_coef_[0]
    square = dual @ rbf_kernel(x, gamma=gamma) @ dual
    lam = 1 / (c * rows)
    theirs = LOSSES["hinge"](y * machine.decision_function(x)).mean() + lam / 2 * square
    kernel = ("--kernel", f"gaussian:gamma={gamma}")
    ours = novikoff.solve(x, y, *kernel, "--lambda", lam, "--bias", "free", *EXACT)
    assert abs(ours["primal"] - theirs) < 1e-5 * theirs
    assert ours["dual"] <= theirs + 1e-12
