"""What `evaluate` says of probabilities and rankings, beside scikit-learn's metrics on what `predict` prints."""

import json
import os
import subprocess

import numpy as np
import pytest
from sklearn.calibration import calibration_curve
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import average_precision_score, brier_score_loss, f1_score, log_loss, roc_auc_score


def write(file, x, y):
    lines = []
    for row, label in zip(x, y):
        features = " ".join(f"{j + 1}:{value:.9g}" for j, value in enumerate(row) if value != 0)
        lines.append(f"{label} {features}\n")
    file.write_text("".join(lines))


def run(folder, *words):
    command = [os.environ["NOVIKOFF"], *map(str, words)]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=100, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout


def numbers(text):
    return np.array([[float(cell) for cell in line.split("\t")] for line in text.splitlines()])


def chances(folder):
    evaluated = json.loads(run(folder, "evaluate", "model", "new.svm", "--json", "-q"))
    return evaluated, numbers(run(folder, "predict", "model", "new.svm", "--probabilities", "-q"))


def draw(rng, rows, classes):
    x = rng.integers(-32, 33, size=(rows, 8)) / 16
    scores = x @ rng.normal(size=(8, classes)) + rng.gumbel(size=(rows, classes))
    return x, scores.argmax(axis=1)


@pytest.mark.parametrize("method", ["native", "platt", "isotonic"])
def test_two_labels(tmp_path, rng, method):
    x, y = draw(rng, 1500, 2)
    write(tmp_path / "rows.svm", x[:500], y[:500])
    write(tmp_path / "held.svm", x[500:900], y[500:900])
    write(tmp_path / "new.svm", x[900:], y[900:])
    if method == "native":
        lam = 0.01
        run(tmp_path, "solve", "rows.svm", "--loss", "logistic", "--lambda", lam, "--gap", 1e-10, "-o", "model", "-q")
    else:
        run(tmp_path, "train", "rows.svm", "-a", "averaged", "-o", "margins", "-q")
        run(tmp_path, "calibrate", "margins", "held.svm", "--method", method, "-o", "model", "-q")
    ours, p = chances(tmp_path)
    truth, p = y[900:], p[:, 1]
    assert ours["unit"] == "probability"
    assert abs(ours["auc"] - roc_auc_score(truth, p)) < 1e-12
    assert abs(ours["average_precision"] - average_precision_score(truth, p)) < 1e-12
    assert abs(ours["log_loss"] - log_loss(truth, p)) < 1e-9
    assert abs(ours["brier"] - brier_score_loss(truth, p)) < 1e-12
    if method != "isotonic":  # whose values may be ends of bins, which belong to the upper bin with us and to the lower one there
        observed, predicted = calibration_curve(truth, p, n_bins=10)
        bins = [bin for bin in ours["reliability"]["bins"] if bin["count"] > 0]
        assert np.allclose([bin["observed"] for bin in bins], observed, atol=1e-12)
        assert np.allclose([bin["predicted"] for bin in bins], predicted, atol=1e-12)
    if method == "native":
        theirs = LogisticRegression(C=1 / (lam * 500), fit_intercept=False, tol=1e-10, max_iter=10_000).fit(x[:500], y[:500])
        assert np.allclose(p, theirs.predict_proba(x[900:])[:, 1], atol=1e-4)
    called = numbers(run(tmp_path, "predict", "model", "new.svm", "--cost", "1:4", "-q"))[:, 0]
    assert np.array_equal(called, (p >= 0.2).astype(float))


def test_several_labels(tmp_path, rng):
    x, y = draw(rng, 1200, 4)
    write(tmp_path / "rows.svm", x[:600], y[:600])
    write(tmp_path / "new.svm", x[600:], y[600:])
    run(tmp_path, "solve", "rows.svm", "--loss", "logistic", "--lambda", 0.01, "-o", "model", "-q")
    ours, p = chances(tmp_path)
    truth = y[600:]
    assert np.allclose(p.sum(axis=1), 1)
    assert abs(ours["auc"] - roc_auc_score(truth, p, multi_class="ovr", average="macro")) < 1e-12
    ap = np.mean([average_precision_score(truth == k, p[:, k]) for k in range(4)])
    assert abs(ours["average_precision"] - ap) < 1e-12
    assert abs(ours["log_loss"] - log_loss(truth, p)) < 1e-9
    squares = ((p - np.eye(4)[truth]) ** 2).sum(axis=1).mean()
    assert abs(ours["brier"] - squares) < 1e-12
    labels = numbers(run(tmp_path, "predict", "model", "new.svm", "-q"))[:, 0]
    assert abs(ours["macro"]["f1"] - f1_score(truth, labels, average="macro")) < 1e-12


def test_balanced_classes(tmp_path, rng):
    x, y = draw(rng, 800, 3)
    write(tmp_path / "rows.svm", x, y)
    run(tmp_path, "train", "rows.svm", "-a", "perceptron", "--class-weight", "balanced", "-o", "model", "-q")
    ours = json.loads(run(tmp_path, "inspect", "model", "--json"))["class_weights"]["labels"]
    counts = np.bincount(y)
    theirs = 800 / (3 * counts)  # compute_class_weight("balanced")
    assert np.allclose([ours[str(k)] for k in range(3)], theirs, atol=1e-12)
