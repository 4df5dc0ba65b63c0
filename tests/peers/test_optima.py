"""The optima of testdata/optima.txt are those of a generic convex solver (cvxpy with Clarabel). `python test_optima.py SPEC` prints a line of it."""

import sys
from pathlib import Path

import cvxpy as cp
import numpy as np
import pytest
from test_pairs import CLASSES, LOSSES

FILE = Path(__file__).parents[2] / "testdata" / "optima.txt"

# those of `golden` in crates/novikoff/tests/dual/mod.rs; values are floats of 32 bits
X = np.array([[1, 0.5, 0], [-0.3, 1, 0], [0.2, 0, 1], [0, 1, -1]], dtype=np.float32)
LABELS = np.array([1.0, -1.0, 1.0, -1.0])
TARGETS = np.array([1.0, -0.5, 2.0, 0.3])
PRIOR = 1 / 3
LAMBDA = 0.1


def entropy(w):
    return cp.sum(-cp.entr(w) - w * np.log(PRIOR))


def signed(w):
    up, down = cp.Variable(3), cp.Variable(3)
    return entropy(up) + entropy(down) - cp.sum(up + down), [w == up - down]


# the columns of the file: a regulariser, and whether there is a free bias
COLUMNS = [
    (lambda w: (cp.sum_squares(w) / 2, []), False),
    (lambda w: (cp.square(cp.pnorm(w, 1.5)) / 2, []), False),
    (lambda w: (entropy(w), [cp.sum(w) == 1]), False),
    (signed, False),
    (lambda w: (0.1 * cp.norm1(w) + cp.sum_squares(w) / 2, []), False),
    (lambda w: (cp.sum_squares(w) / 2, []), True),
]


def optimum(loss, column):
    regulariser, is_free = COLUMNS[column]
    if loss == "likelihood" and is_free:
        return None  # there is none
    # sums are of 64 bits, of values that are rounded to 32
    x = (np.abs(X) + np.float32(0.1) if loss == "likelihood" else X).astype(np.float64)
    w, b = cp.Variable(3), cp.Variable() if is_free else 0
    signs = LABELS if loss in CLASSES else np.ones(4)
    losses = LOSSES[loss](cp.multiply(signs, x @ w + b), TARGETS)
    value, constraints = regulariser(w)
    problem = cp.Problem(cp.Minimize(cp.sum(losses) / 4 + LAMBDA * value), constraints)
    exact = {"tol_gap_abs": 1e-11, "tol_gap_rel": 1e-11, "tol_feas": 1e-11}
    return problem.solve(solver=cp.CLARABEL, **exact)


def lines():
    for line in FILE.read_text().splitlines():
        if not line.startswith("#"):
            loss, *cells = line.split()
            yield loss, [None if cell == "none" else float(cell) for cell in cells]


@pytest.mark.parametrize(("loss", "claimed"), list(lines()))
@pytest.mark.filterwarnings("ignore:Solution may be inaccurate")
def test_line(loss, claimed):
    for column, number in enumerate(claimed):
        found = optimum(loss, column)
        assert (found is None) == (number is None), column
        assert number is None or abs(found - number) < 1e-7, (column, found, number)
    assert len(claimed) == len(COLUMNS)


if __name__ == "__main__":
    for spec in sys.argv[1:]:
        found = [optimum(spec, column) for column in range(len(COLUMNS))]
        print(f"{spec:32}", *("none".rjust(12) if number is None else f"{number:12.9f}" for number in found))
