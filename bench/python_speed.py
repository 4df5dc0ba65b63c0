"""The Python package beside scikit-learn, on the same arrays: python bench/python_speed.py [ROWS]. Prints a table in Markdown.

Each figure is the least of three runs in one process. `text` is the built-in generator of Zipfian sparse rows.
"""

from __future__ import annotations

import subprocess
import sys
import tempfile
import time
import warnings
from pathlib import Path

import novikoff
import numpy as np
from sklearn import datasets, linear_model, svm
from sklearn.exceptions import ConvergenceWarning

warnings.simplefilter("ignore", ConvergenceWarning)
warnings.simplefilter("ignore", FutureWarning)


def least(work, times: int = 3) -> float:
    """Seconds of the fastest of some runs."""
    found = []
    for _ in range(times):
        begun = time.perf_counter()
        work()
        found.append(time.perf_counter() - begun)
    return min(found)


def line(what: str, ours: float, theirs: float) -> None:
    print(f"| {what} | {ours:.3f} | {theirs:.3f} | {theirs / ours:.1f} |", flush=True)


def main() -> None:
    rows = int(sys.argv[1]) if len(sys.argv) > 1 else 100_000
    folder = Path(tempfile.mkdtemp())
    path = folder / "text.svm"
    command = Path(sys.executable).with_name("novikoff")
    subprocess.run([command, "generate", f"text:rows={rows}", "-o", path], check=True, capture_output=True)
    print("| what | ours, s | scikit-learn, s | times |\n| --- | --- | --- | --- |")
    line(
        f"load_svmlight_file, {path.stat().st_size / 1e6:.0f} MB",
        least(lambda: novikoff.load_svmlight_file(path)),
        least(lambda: datasets.load_svmlight_file(str(path)), 1),
    )
    X, y = novikoff.load_svmlight_file(path, dtype=np.float64)
    ours = novikoff.Perceptron(max_iter=1, tol=None, shuffle=False)
    theirs = linear_model.Perceptron(max_iter=1, tol=None, shuffle=False)
    line(f"Perceptron(max_iter=1).fit, {X.shape[0]:,} rows, {X.nnz:,} values", least(lambda: ours.fit(X, y)), least(lambda: theirs.fit(X, y)))
    line("Perceptron.predict", least(lambda: ours.predict(X)), least(lambda: theirs.predict(X)))
    ours = novikoff.LinearSVM(C=1.0, gap=1e-3)
    theirs = svm.LinearSVC(C=1.0)
    line("LinearSVM.fit, LinearSVC.fit", least(lambda: ours.fit(X, y), 1), least(lambda: theirs.fit(X, y), 1))
    X, y = datasets.load_digits(return_X_y=True)
    ours, theirs = novikoff.SVM(C=10, kernel="gaussian:gamma=0.001", gap=1e-3), svm.SVC(C=10, gamma=0.001)
    line("SVM.fit, SVC.fit (digits)", least(lambda: ours.fit(X, y)), least(lambda: theirs.fit(X, y)))
    line("SVM.predict, SVC.predict (digits)", least(lambda: ours.predict(X)), least(lambda: theirs.predict(X)))


if __name__ == "__main__":
    main()
