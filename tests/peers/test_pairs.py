"""Every loss with every regulariser: the optimum is that of a generic convex solver (cvxpy with Clarabel)."""

import re

import cvxpy as cp
import numpy as np
import pytest

ROWS, FEATURES = 14, 4


def smoothed(r, width, steepest):
    """0, then a parabola of that width, then a line: the least of `s^2/(2 width) + steepest max(0, r - s)`."""
    s = cp.Variable(r.shape)
    return cp.square(s) / (2 * width) + steepest * cp.pos(r - s)


CLASSES = {
    "hinge": lambda t, _: cp.pos(1 - t),
    "squared-hinge": lambda t, _: cp.square(cp.pos(1 - t)),
    "smoothed-hinge:gamma=0.5": lambda t, _: smoothed(1 - t, 0.5, 1),
    "modified-huber": lambda t, _: smoothed(1 - t, 1, 2),
    "logistic": lambda t, _: cp.logistic(-t),
    "exponential": lambda t, _: cp.exp(-t),
}
NUMBERS = {
    "squared": lambda t, y: cp.square(t - y) / 2,
    "huber:delta=0.5": lambda t, y: cp.huber(t - y, 0.5) / 2,
    "absolute": lambda t, y: cp.abs(t - y),
    "eps-insensitive:eps=0.1": lambda t, y: cp.pos(cp.abs(t - y) - 0.1),
    "squared-eps-insensitive:eps=0.1": lambda t, y: cp.square(cp.pos(cp.abs(t - y) - 0.1)) / 2,
}
OTHERS = {
    "max-entropy": NUMBERS["squared"],
    "likelihood": lambda t, _: -cp.log(t),
}
LOSSES = CLASSES | NUMBERS | OTHERS


def relative_entropy(w, prior):
    return cp.sum(-cp.entr(w) - cp.multiply(w, np.log(prior)))


def both_sides(w, prior, normalised):
    up, down = cp.Variable(FEATURES), cp.Variable(FEATURES)
    value = relative_entropy(up, prior) + relative_entropy(down, prior)
    if normalised:
        return value, [w == up - down, cp.sum(up + down) == 1]
    return value - cp.sum(up + down), [w == up - down]


def substitute(w, delta, eps, tau):
    small, rest = cp.Variable(FEATURES), cp.Variable(FEATURES)
    value = cp.sum_squares(small) / (2 * delta) + tau * cp.norm1(rest) + eps / 2 * cp.sum_squares(rest)
    return value, [w == small + rest, cp.abs(small) <= delta * tau]


EACH = np.full(FEATURES, 1 / FEATURES)
REGULARISERS = {
    "l2": lambda w: (cp.sum_squares(w) / 2, []),
    "p-norm:p=1.5": lambda w: (cp.square(cp.pnorm(w, 1.5)) / 2, []),
    "p-norm:p=3": lambda w: (cp.square(cp.pnorm(w, 3)) / 2, []),
    "p-power:p=1.5": lambda w: (cp.sum(cp.power(cp.abs(w), 1.5)) / 1.5, []),
    "p-power:p=3": lambda w: (cp.sum(cp.power(cp.abs(w), 3)) / 3, []),
    "entropy": lambda w: (relative_entropy(w, EACH), [cp.sum(w) == 1]),
    "entropy:signed": lambda w: both_sides(w, EACH / 2, True),
    "unnormalised-entropy": lambda w: (relative_entropy(w, EACH) - cp.sum(w), []),
    "unnormalised-entropy:signed": lambda w: both_sides(w, EACH, False),
    "elastic:tau=0.1,eps=1": lambda w: (0.1 * cp.norm1(w) + cp.sum_squares(w) / 2, []),
    "l1-substitute:delta=0.1,eps=0.5,tau=0.3": lambda w: substitute(w, 0.1, 0.5, 0.3),
    "bounded:tau=0.4": lambda w: (cp.sum_squares(w) / 2, [cp.abs(w) <= 0.4]),
    "non-negative": lambda w: (cp.sum_squares(w) / 2, [w >= 0]),
}


def is_legal(loss, regulariser, bias):
    if loss == "max-entropy":
        return regulariser == "entropy"
    return not (loss == "likelihood" and bias == "free")


PAIRS = [
    (loss, regulariser, bias)
    for loss in LOSSES
    for regulariser in REGULARISERS
    for bias in ("off", "free")
    if is_legal(loss, regulariser, bias)
]


def names(specs):
    return {spec.split(":")[0] for spec in specs}


def test_all_names_of_the_program_are_here(novikoff):
    """Those that `solve --help` lists, each at the beginning of a line that is indented by two."""
    _, text = novikoff.help("solve").split("Losses:\n")
    losses, regularisers = text.split("Regularisers:\n")
    # a line that goes on from the one before has one blank between words
    listed = re.compile(r"^  ([a-z0-9-]+)  ", re.MULTILINE)
    assert names(LOSSES) == set(listed.findall(losses))
    assert names(REGULARISERS) == set(listed.findall(regularisers.split("\n\n")[0]))


def random_rows(rng, loss):
    """Rows whose values a float of 32 bits holds, with labels or numbers."""
    x = rng.integers(-64, 65, size=(ROWS, FEATURES)) / 64
    score = x @ rng.normal(size=FEATURES)
    if loss == "likelihood":
        return np.abs(x) + 0.25, np.ones(ROWS)
    if loss in CLASSES:
        y = np.where(score + rng.normal(size=ROWS) > 0, 1.0, -1.0)
        y[:2] = 1, -1
        return x, y
    return x, np.round(16 * (score + rng.normal(size=ROWS))) / 16


def optimum(loss, regulariser, bias, x, y, lam):
    w = cp.Variable(FEATURES)
    b = cp.Variable() if bias == "free" else 0
    signs = y if loss in CLASSES else np.ones(ROWS)
    losses = LOSSES[loss](cp.multiply(signs, x @ w + b), y)
    value, constraints = REGULARISERS[regulariser](w)
    problem = cp.Problem(cp.Minimize(cp.sum(losses) / ROWS + lam * value), constraints)
    exact = {"tol_gap_abs": 1e-10, "tol_gap_rel": 1e-10, "tol_feas": 1e-10}
    return problem.solve(solver=cp.CLARABEL, **exact)


@pytest.mark.parametrize(("loss", "regulariser", "bias"), PAIRS)
@pytest.mark.filterwarnings("ignore:Solution may be inaccurate")
def test_optimum(novikoff, rng, loss, regulariser, bias):
    lam = 0.1
    x, y = random_rows(rng, loss)
    words = ("--loss", loss, "--reg", regulariser, "--bias", bias, "--lambda", lam)
    ours = novikoff.solve(x, y, *words, "--gap", "1e-7", "--max-passes", 100_000)
    theirs = optimum(loss, regulariser, bias, x, y, lam)
    near = 1e-6 * max(1, abs(theirs))
    assert abs(ours["primal"] - theirs) < near, ours
    assert ours["dual"] <= theirs + near
    assert ours["dual"] <= ours["primal"]


@pytest.mark.parametrize("words", [("max-entropy", "l2", "off", "finds a distribution"), ("likelihood", "l2", "free", "has no optimum")])
def test_other_pairs_are_refused(novikoff, rng, words):
    x, y = random_rows(rng, "likelihood")
    with pytest.raises(AssertionError, match=words[3]):
        novikoff.solve(x, y, "--loss", words[0], "--reg", words[1], "--bias", words[2], "--lambda", 1)
