"""The least bound that a conic solver finds for a run, beside the one of its certificate.

Runs are repeated here in numpy, so that mistakes, sums and spectra are ours neither.
"""

import json
import os
import subprocess

import cvxpy as cp
import numpy as np
import pytest

# how far a certificate may be from the least bound
NEAR = 1.01


def rows(rng, kind):
    n, d = 120, 6
    x = rng.normal(size=(n, d)).astype(np.float32)
    if kind == "flat":
        x[:, 2:] *= 0.1
    if kind == "sparse":
        x[rng.random((n, d)) < 0.6] = 0
        x[np.all(x == 0, axis=1), 0] = 1
    u = rng.normal(size=d)
    y = np.where(x @ u >= 0, 1.0, -1.0)
    if kind == "separable":
        away = np.abs(x @ u) > 0.3
        return x[away].astype(float), y[away]
    flips = rng.random(n) < 0.1
    return x.astype(float), np.where(flips, -y, y)


def certificate(folder, x, y, spec, *words):
    file = folder / "rows.svm"
    lines = []
    for row, label in zip(x, y):
        features = " ".join(f"{j + 1}:{value:.9g}" for j, value in enumerate(row) if value != 0)
        lines.append(f"{label:+.0f} {features}\n")
    file.write_text("".join(lines))
    command = [os.environ["NOVIKOFF"], "certify", file, "-a", spec, "--json", "-q", *words]
    done = subprocess.run(command, capture_output=True, text=True, timeout=100, check=False)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)["certificate"]


def least(hinge_and, slack=None):
    """The optimum of a convex problem."""
    problem = cp.Problem(cp.Minimize(hinge_and), slack or [])
    return problem.solve(solver=cp.CLARABEL)


def check(found, best, mistakes):
    assert found["mistakes"] == mistakes
    assert found["holds"] and mistakes <= found["bound"]
    # a bound that is smaller than the least there is would be wrong
    assert best * (1 - 1e-5) <= found["bound"] <= best * NEAR
    assert sum(found["terms"].values()) == pytest.approx(found["bound"], rel=1e-9)


def perceptron(x, y, epochs=1):
    w, mistakes = np.zeros(x.shape[1]), []
    for _ in range(epochs):
        for t in range(len(y)):
            if (w @ x[t] >= 0) != (y[t] > 0):
                w = w + y[t] * x[t]
                mistakes.append(t)
    return mistakes


KINDS = ["plain", "flat", "sparse", "separable"]


@pytest.mark.parametrize("kind", KINDS)
def test_perceptron(tmp_path, rng, kind):
    x, y = rows(rng, kind)
    mistakes = perceptron(x, y)
    squares = np.sum(x[mistakes] ** 2)
    u = cp.Variable(x.shape[1])
    slack = cp.pos(1 - cp.multiply(y, x @ u))
    best = least(cp.sum(slack) + np.sqrt(squares) * cp.norm(u))
    longest = np.sqrt(np.max(np.sum(x**2, axis=1)))
    squared = least(longest * cp.norm(u) + cp.norm(slack)) ** 2
    check(certificate(tmp_path, x, y, "perceptron"), min(best, squared), len(mistakes))


def test_perceptron_epochs(tmp_path, rng):
    x, y = rows(rng, "plain")
    mistakes = perceptron(x, y, 3)
    squares = np.sum(x[mistakes] ** 2)
    u = cp.Variable(x.shape[1])
    best = least(3 * cp.sum(cp.pos(1 - cp.multiply(y, x @ u))) + np.sqrt(squares) * cp.norm(u))
    found = certificate(tmp_path, x, y, "perceptron", "--epochs", "3")
    assert found["bound"] <= best * NEAR
    assert found["mistakes"] == len(mistakes)


@pytest.mark.parametrize("kind", KINDS)
def test_perceptron_in_the_space_of_a_kernel(tmp_path, rng, kind):
    x, y = rows(rng, kind)
    gram = (1 + x @ x.T) ** 2
    alpha, mistakes = np.zeros(len(y)), []
    for t in range(len(y)):
        if (gram[t] @ alpha >= 0) != (y[t] > 0):
            alpha[t] += y[t]
            mistakes.append(t)
    values, vectors = np.linalg.eigh(gram)
    root = vectors * np.sqrt(np.maximum(values, 0))
    u = cp.Variable(len(y))
    slack = cp.pos(1 - cp.multiply(y, root @ u))
    own = np.diag(gram)
    best = least(cp.sum(slack) + np.sqrt(np.sum(own[mistakes])) * cp.norm(u))
    squared = least(np.sqrt(own.max()) * cp.norm(u) + cp.norm(slack)) ** 2
    found = certificate(tmp_path, x, y, "perceptron", "--kernel", "poly:degree=2")
    check(found, min(best, squared), len(mistakes))


@pytest.mark.parametrize("p", [2, 4, 8])
def test_p_norm(tmp_path, rng, p):
    x, y = rows(rng, "plain")
    v, mistakes = np.zeros(x.shape[1]), []
    for t in range(len(y)):
        size = np.linalg.norm(v, p)
        w = np.sign(v) * np.abs(v) ** (p - 1) / size ** (p - 2) if size > 0 else v
        if (w @ x[t] >= 0) != (y[t] > 0):
            v = v + y[t] * x[t]
            mistakes.append(t)
    squares = (p - 1) * np.sum(np.linalg.norm(x[mistakes], p, axis=1) ** 2)
    u = cp.Variable(x.shape[1])
    q = p / (p - 1)
    hinge = cp.sum(cp.pos(1 - cp.multiply(y, x @ u)))
    best = least(hinge + np.sqrt(squares) * cp.pnorm(u, q))
    check(certificate(tmp_path, x, y, f"p-norm:p={p}"), best, len(mistakes))


@pytest.mark.parametrize("eta", [0.1, 0.5])
def test_eg(tmp_path, rng, eta):
    x, y = rows(rng, "plain")
    theta, mistakes = np.zeros(x.shape[1]), []
    for t in range(len(y)):
        if (np.sinh(theta) @ x[t] >= 0) != (y[t] > 0):
            theta = theta + eta * y[t] * x[t]
            mistakes.append(t)
    squares = np.sum(np.max(np.abs(x[mistakes]), axis=1) ** 2)
    kappa = np.log(2 * x.shape[1]) / eta + eta / 2 * squares
    u = cp.Variable(x.shape[1])
    best = least(cp.sum(cp.pos(1 - cp.multiply(y, x @ u))) + kappa * cp.norm1(u))
    check(certificate(tmp_path, x, y, f"eg:eta={eta}"), best, len(mistakes))


def second_order(gram, y, a):
    """Mistakes, and the sum of x'A^-1 x over them, of the dual form."""
    mistakes, observed = [], 0.0
    for t in range(len(y)):
        kept = mistakes + [t]
        inner = gram[np.ix_(kept, kept)] + a * np.eye(len(kept))
        labels = np.append(y[mistakes], 0)
        margin = gram[t, kept] @ np.linalg.solve(inner, labels)
        if (margin >= -1e-12) != (y[t] > 0):
            mistakes.append(t)
            observed += 1 - a * np.linalg.inv(inner)[-1, -1]
    return mistakes, observed


@pytest.mark.parametrize("a", [0.5, 10])
@pytest.mark.parametrize("kind", KINDS)
def test_second_order(tmp_path, rng, kind, a):
    x, y = rows(rng, kind)
    mistakes, observed = second_order(x @ x.T, y, a)
    met = x[mistakes]
    spectral = np.sum(np.log1p(np.linalg.eigvalsh(met.T @ met).clip(0) / a))
    u = cp.Variable(x.shape[1])
    root = np.linalg.cholesky(a * np.eye(x.shape[1]) + met.T @ met).T
    hinge = cp.sum(cp.pos(1 - cp.multiply(y, x @ u)))
    best = least(hinge + np.sqrt(min(observed, spectral)) * cp.norm(root @ u))
    check(certificate(tmp_path, x, y, f"second-order:a={a}"), best, len(mistakes))


@pytest.mark.parametrize("kernel", ["poly:degree=2", "gaussian:gamma=0.3"])
def test_second_order_in_the_space_of_a_kernel(tmp_path, rng, kernel):
    x, y = rows(rng, "plain")
    if kernel.startswith("poly"):
        gram = (1 + x @ x.T) ** 2
    else:
        gram = np.exp(-0.3 * np.sum((x[:, None] - x[None]) ** 2, axis=2))
    a = 2.0
    mistakes, observed = second_order(gram, y, a)
    inner = gram[np.ix_(mistakes, mistakes)]
    spectral = np.sum(np.log1p(np.linalg.eigvalsh(inner).clip(0) / a))
    values, vectors = np.linalg.eigh(gram)
    root = vectors * np.sqrt(np.maximum(values, 0))
    u = cp.Variable(len(y))
    size = cp.norm(cp.hstack([np.sqrt(a) * u, root[mistakes] @ u]))
    hinge = cp.sum(cp.pos(1 - cp.multiply(y, root @ u)))
    best = least(hinge + np.sqrt(min(observed, spectral)) * size)
    found = certificate(tmp_path, x, y, f"second-order:a={a}", "--kernel", kernel)
    check(found, best, len(mistakes))


def thin(rng, margin, n=40, d=3):
    """Rows that a vector separates by about `margin`, relative to their length."""
    u = rng.normal(size=d)
    u /= np.linalg.norm(u)
    x = rng.normal(size=(n, d))
    along = x @ u
    near = rng.random(n) < 0.5
    size = np.where(near, margin * (1 + rng.random(n)), np.maximum(np.abs(along), margin))
    x = (x + (np.copysign(size, along) - along)[:, None] * u).astype(np.float32).astype(float)
    return x, np.where(along >= 0, 1.0, -1.0)


THIN = [1e-1, 1e-2, 1e-3, 1e-4]

# how far the certificate of rows with a small margin may be from the least bound
NEAR_THIN = 1.02


def shortest(x, y):
    """The length of the shortest U with `y U.x >= 1`, from the distance of the rows' hull from 0, which is well scaled."""
    share = cp.Variable(len(y), nonneg=True)
    norm = cp.norm((y[:, None] * x).T @ share)
    tight = {"tol_gap_abs": 1e-12, "tol_gap_rel": 1e-12, "tol_feas": 1e-12}
    cp.Problem(cp.Minimize(norm), [cp.sum(share) == 1]).solve(solver=cp.CLARABEL, **tight)
    return 1 / np.linalg.norm((y[:, None] * x).T @ (share.value.clip(0) / share.value.clip(0).sum()))


@pytest.mark.parametrize("margin", THIN)
@pytest.mark.parametrize("spec", ["romma", "romma:aggressive", "max-margin"])
def test_small_margins(tmp_path, rng, spec, margin):
    for _ in range(5):
        x, y = thin(rng, margin)
        found = certificate(tmp_path, x, y, spec)
        best = shortest(x, y)
        assert 1 / best / NEAR_THIN <= found["separable"]["margin"] <= 1 / best * (1 + 1e-4)
        gap = found["comparator"]["relative_gap"]
        assert 0 <= gap <= 0.02
        # what is said to be the least is no larger than it
        assert found["ingredients"]["norm_sq"] * (1 - gap) <= best**2 * (1 + 1e-4)
        assert found["mistakes"] <= found["bound"]


@pytest.mark.parametrize("margin", THIN)
def test_small_margins_of_whitened_rows(tmp_path, rng, margin):
    for _ in range(5):
        x, y = thin(rng, margin)
        found = certificate(tmp_path, x, y, "whitened:ridge=0.5")
        metric = 0.5 * np.eye(x.shape[1]) + x.T @ x
        image = np.linalg.solve(np.linalg.cholesky(metric), x.T).T
        leverage = np.max(np.sum(image**2, axis=1))
        best = leverage * shortest(image, y) ** 2
        assert best * (1 - 1e-4) <= found["bound"] <= best * NEAR_THIN


@pytest.mark.parametrize("margin", THIN)
@pytest.mark.parametrize("spec", ["perceptron", "second-order", "passive-aggressive:variant=pa"])
def test_small_margins_where_losses_are_allowed(tmp_path, rng, spec, margin):
    for _ in range(5):
        x, y = thin(rng, margin)
        found = certificate(tmp_path, x, y, spec)
        u = cp.Variable(x.shape[1])
        slack = cp.pos(1 - cp.multiply(y, x @ u))
        if spec == "perceptron":
            mistakes = perceptron(x, y)
            best = least(cp.sum(slack) + np.sqrt(np.sum(x[mistakes] ** 2)) * cp.norm(u))
            longest = np.sqrt(np.max(np.sum(x**2, axis=1)))
            best = min(best, least(longest * cp.norm(u) + cp.norm(slack)) ** 2)
        elif spec == "second-order":
            mistakes, observed = second_order(x @ x.T, y, 1.0)
            met = x[mistakes]
            spectral = np.sum(np.log1p(np.linalg.eigvalsh(met.T @ met).clip(0)))
            root = np.linalg.cholesky(np.eye(x.shape[1]) + met.T @ met).T
            factor = np.sqrt(min(observed, spectral))
            best = least(cp.sum(slack) + factor * cp.norm(root @ u))
        else:
            square = np.sum(x**2, axis=1)
            mistakes = passive_aggressive(x @ x.T, y, "pa", 1)
            short = cp.multiply(slack, 1 / np.sqrt(square))
            both = cp.norm(cp.hstack([cp.norm(u), cp.norm(short)]))
            price = least(cp.norm(short) + both) ** 2
            best = price * len(mistakes) / np.sum(1 / square[mistakes])
        assert found["mistakes"] == len(mistakes)
        assert best * (1 - 1e-4) <= found["bound"] <= best * NEAR_THIN
        assert found["bound"] * (1 - found["comparator"]["relative_gap"]) <= best * (1 + 1e-4)


@pytest.mark.parametrize("spec", ["romma", "romma:aggressive", "max-margin"])
def test_maximum_margin(tmp_path, rng, spec):
    x, y = rows(rng, "separable")
    found = certificate(tmp_path, x, y, spec)
    u = cp.Variable(x.shape[1])
    shortest = least(cp.norm(u), [cp.multiply(y, x @ u) >= 1])
    margin, bound = found["separable"]["margin"], found["separable"]["bound"]
    longest = np.max(np.sum(x**2, axis=1))
    assert 1 / shortest * (2 - NEAR) <= margin <= 1 / shortest * (1 + 1e-5)
    assert longest * shortest**2 * (1 - 1e-5) <= bound <= longest * shortest**2 * NEAR**2
    assert found["mistakes"] <= found["bound"] <= bound * (1 + 1e-9)


def test_noise_control(tmp_path, rng):
    x, y = rows(rng, "plain")
    noise = 3.0
    found = certificate(tmp_path, x, y, f"romma:noise={noise}")
    u = cp.Variable(x.shape[1])
    slack = cp.pos(1 - cp.multiply(y, x @ u))
    best = least(cp.sum_squares(u) + cp.sum_squares(slack) / noise)
    value = found["ingredients"]["norm_sq"]
    assert best * (1 - 1e-5) <= value <= best * NEAR
    assert found["mistakes"] <= found["bound"]


def passive_aggressive(gram, y, variant, c):
    alpha, mistakes = np.zeros(len(y)), []
    for t in range(len(y)):
        margin = gram[t] @ alpha
        loss, square = 1 - y[t] * margin, gram[t, t]
        if (margin >= 0) != (y[t] > 0):
            mistakes.append(t)
        if loss > 0:
            step = {"pa": loss / square, "1": min(c, loss / square), "2": loss / (square + 0.5 / c)}
            alpha[t] += step[variant] * y[t]
    return mistakes


@pytest.mark.parametrize("kernel", ["linear", "gaussian:gamma=0.3"])
@pytest.mark.parametrize(("variant", "c"), [("pa", 1), ("1", 0.02), ("1", 5), ("2", 0.02), ("2", 5)])
@pytest.mark.parametrize("kind", KINDS)
def test_passive_aggressive(tmp_path, rng, kind, variant, c, kernel):
    x, y = rows(rng, kind)
    gram = x @ x.T
    if kernel != "linear":
        gram = np.exp(-0.3 * np.sum((x[:, None] - x[None]) ** 2, axis=2))
    mistakes = passive_aggressive(gram, y, variant, c)
    values, vectors = np.linalg.eigh(gram)
    root = vectors * np.sqrt(np.maximum(values, 0))
    u = cp.Variable(len(y))
    slack = cp.pos(1 - cp.multiply(y, root @ u))
    square = np.diag(gram)
    softened = square + (0.5 / c if variant == "2" else 0)
    short = cp.multiply(slack, 1 / np.sqrt(softened))
    both = cp.norm(cp.hstack([cp.norm(u), cp.norm(short)]))
    price = least(cp.norm(short) + both) ** 2
    if variant == "1":
        price = min(price, least(cp.sum_squares(u) + 2 * c * cp.sum(slack)))
    if variant == "2":
        price = min(price, least(cp.sum_squares(u) + 2 * c * cp.sum_squares(slack)))
    worth = np.minimum(c, 1 / square) if variant == "1" else 1 / softened
    best = price * len(mistakes) / np.sum(worth[mistakes])
    spec = f"passive-aggressive:variant={variant},c={c}"
    check(certificate(tmp_path, x, y, spec, "--kernel", kernel), best, len(mistakes))


@pytest.mark.parametrize("r", [0.5, 10])
@pytest.mark.parametrize("kind", KINDS)
def test_arow(tmp_path, rng, kind, r):
    x, y = rows(rng, kind)
    w, s = np.zeros(x.shape[1]), np.eye(x.shape[1])
    mistakes, updates, observed = [], [], 0.0
    for t in range(len(y)):
        margin = y[t] * (w @ x[t])
        if margin >= 1:
            continue
        updates.append(t)
        image = s @ x[t]
        q = (x[t] @ image) / r
        if (w @ x[t] >= 0) != (y[t] > 0):
            mistakes.append(t)
            observed += q / (1 + q)
        w = w + (1 - margin) / (r * (1 + q)) * y[t] * image
        s = s - np.outer(image, image) / (r * (1 + q))
    met, right = x[updates], len(updates) - len(mistakes)
    root = np.linalg.cholesky(r * np.eye(x.shape[1]) + met.T @ met).T
    u = cp.Variable(x.shape[1])
    hinge = cp.sum(cp.pos(1 - cp.multiply(y, x @ u)))
    best = least(hinge + np.sqrt(observed + right) * cp.norm(root @ u))
    found = certificate(tmp_path, x, y, f"arow:form=full,r={r}")
    assert found["mistakes"] == len(mistakes) <= found["bound"]
    assert found["ingredients"]["right"] == right
    # near the least before the right answers are taken off
    assert best * (1 - 1e-5) <= found["bound"] + right <= best * NEAR
    assert sum(found["terms"].values()) == pytest.approx(found["bound"], rel=1e-9)


@pytest.mark.parametrize("alpha", [0.9, 0.3])
@pytest.mark.parametrize("p", [2, 4, 8])
def test_alma(tmp_path, rng, p, alpha):
    x, y = rows(rng, "separable")
    found = certificate(tmp_path, x, y, f"alma:p={p},alpha={alpha}")
    unit = x / np.linalg.norm(x, p, axis=1)[:, None]
    u = cp.Variable(x.shape[1])
    shortest = least(cp.pnorm(u, p / (p - 1)), [cp.multiply(y, unit @ u) >= 1])
    assert 1 / shortest * (2 - NEAR) <= found["separable"]["margin"] <= 1 / shortest * (1 + 1e-5)
    # the last n with S(n) up to sqrt((p-1)/2)/g, for the best g
    limit, a, s, n = np.sqrt((p - 1) / 2) * shortest, 8 / alpha - 6, 0.0, 0
    while s <= limit:
        n += 1
        s = (s + 1 / np.sqrt(n)) / np.sqrt(1 + a / n)
    assert found["counts"] == "updates" and found["updates"] <= found["bound"]
    assert n - 1 <= found["bound"] + 1e-6 and found["bound"] <= n * NEAR**2 + 1
    assert found["bound"] <= found["ingredients"]["theorem"]
