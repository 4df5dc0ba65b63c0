"""The Python package beside scikit-learn, river and vw, on the same arrays: python bench/python_speed.py [ROWS]. Prints tables in Markdown.

Each figure is the least of some runs in one process. `text` is the built-in generator of Zipfian sparse rows. river and vowpalwabbit are left out where
they are not installed.
"""

from __future__ import annotations

import os
import platform
import signal
import subprocess
import sys
import tempfile
import threading
import time
import warnings
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

import novikoff
import numpy as np
from novikoff import _names
from sklearn import datasets, linear_model, svm
from sklearn.exceptions import ConvergenceWarning

warnings.simplefilter("ignore", ConvergenceWarning)
warnings.simplefilter("ignore", FutureWarning)

# Learners that are no primal learners of O(values) per trial, and why.
OTHERS = {
    "AutoClassifier": "several learners at once: at most 8 times the perceptron, in counted multiply-adds",
    "Forgetron": "keeps rows, for kernels",
    "HigherOrderPerceptron": "keeps a matrix over the rows of its updates",
    "MaxMargin": "solves a problem over the rows of its updates",
    "Projectron": "keeps rows, for kernels",
    "RandomBudget": "keeps rows, for kernels",
    "SecondOrderPerceptron": "keeps a matrix over the rows of its updates",
    "SelectiveSampler": "its base keeps a matrix over the rows of its updates",
    "WhitenedPerceptron": "sees all rows first, for a matrix of features",
}


def least(work, times: int = 3) -> float:
    """Seconds of the fastest of some runs."""
    found = []
    for _ in range(times):
        begun = time.perf_counter()
        work()
        found.append(time.perf_counter() - begun)
    return min(found)


def both(ours, theirs, times: int = 5) -> tuple[float, float]:
    """Seconds of the fastest run of each, in turn, so that neither has the better minutes of the machine."""
    found = [(least(ours, 1), least(theirs, 1)) for _ in range(times)]
    return min(a for a, _ in found), min(b for _, b in found)


def line(what: str, ours: float, theirs: float, target: float) -> None:
    times = theirs / ours
    verdict = "reached" if times >= target else "MISSED"
    print(f"| {what} | {ours:.3f} | {theirs:.3f} | {times:.1f} | {target:g} | {verdict} |", flush=True)


def head(what: str, unit: str) -> None:
    print(f"\n| {what} | ours, {unit} | theirs, {unit} | times | target | |\n| --- | --- | --- | --- | --- | --- |", flush=True)


def about() -> None:
    print(f"Python {platform.python_version()}, {os.cpu_count()} cores", end="")
    for name in ("novikoff", "numpy", "scipy", "scikit-learn", "river", "vowpalwabbit"):
        try:
            print(f", {name} {version(name)}", end="")
        except PackageNotFoundError:
            print(f", no {name}", end="")
    print(".")


def arrays(path: Path) -> None:
    head("arrays", "s")
    line(
        f"load_svmlight_file, {path.stat().st_size / 1e6:.0f} MB",
        least(lambda: novikoff.load_svmlight_file(path)),
        least(lambda: datasets.load_svmlight_file(str(path)), 1),
        25,
    )
    X, y = novikoff.load_svmlight_file(path, dtype=np.float64)
    rows = f"{X.shape[0]:,} rows, {X.shape[1]:,} features, {X.nnz:,} values"
    for what, given in [
        (f"Perceptron(max_iter=1).fit, {rows}, float64", {}),
        ("the same in the order of the rows (tol=None, shuffle=False)", {"tol": None, "shuffle": False}),
    ]:
        ours, theirs = novikoff.Perceptron(max_iter=1, **given), linear_model.Perceptron(max_iter=1, **given)
        line(what, *both(lambda: ours.fit(X, y), lambda: theirs.fit(X, y)), 2)
    single = X.astype(np.float32)
    line("the same, float32", *both(lambda: ours.fit(single, y), lambda: theirs.fit(single, y)), 2)
    line("Perceptron.predict, float64", *both(lambda: ours.predict(X), lambda: theirs.predict(X)), 1.5)
    line("Perceptron.decision_function, float64", *both(lambda: ours.decision_function(X), lambda: theirs.decision_function(X)), 1.5)
    line("Perceptron.predict, float32", *both(lambda: ours.predict(single), lambda: theirs.predict(single)), 1.5)
    passes(X, y)


def passes(X, y) -> None:
    """One pass of every learner beside the perceptron's."""
    base = least(lambda: novikoff.Perceptron(max_iter=1, tol=None, shuffle=False).fit(X, y), 5)
    print(f"\n| one pass over these rows | s | times the perceptron's {base:.3f} s | target 2 |\n| --- | --- | --- | --- |")
    for entry in _names.learners():
        name = _names.class_name(entry["name"])
        if name in OTHERS or name == "Perceptron":
            continue
        once = {"max_iter": 1, "tol": None} if name == "PassiveAggressiveClassifier" else {"epochs": 1}
        model = getattr(novikoff, name)(shuffle=False, **once)
        taken = least(lambda: model.fit(X, y), 3)
        print(f"| {name} | {taken:.3f} | {taken / base:.2f} | {'reached' if taken <= 2 * base else 'MISSED'} |", flush=True)
    print("\nNot among them:", "; ".join(f"{name} ({why})" for name, why in OTHERS.items()) + ".")


def solvers(path: Path) -> None:
    X, y = novikoff.load_svmlight_file(path, dtype=np.float64)
    head("solvers", "s")
    theirs = svm.LinearSVC(C=1.0, loss="squared_hinge", dual=True)
    theirs.fit(X, y)

    def objective(model) -> float:
        w, b = np.ravel(model.coef_), float(np.ravel(model.intercept_)[0])
        losses = np.maximum(0, 1 - np.where(y > 0, 1, -1) * (X @ w + b)) ** 2
        return 0.5 * (w @ w + b * b) + losses.sum()

    for gap in (1e-1, 3e-2, 1e-2, 3e-3, 1e-3, 1e-4, 1e-5):
        ours = novikoff.LinearSVM(C=1.0, loss="squared_hinge", bias=1.0, gap=gap).fit(X, y)
        if objective(ours) <= objective(theirs):
            break
    what = f"LinearSVM.fit at objective {objective(ours):.6g} (gap={gap:g}), LinearSVC.fit at {objective(theirs):.6g}"
    line(what, *both(lambda: ours.fit(X, y), lambda: theirs.fit(X, y), 2), 2)
    kernels()


def kernels() -> None:
    digits = datasets.load_digits(return_X_y=True)
    gaussian("digits, 10 classes", *digits, 0.001, 10)
    made = datasets.make_classification(6000, 40, n_informative=20, random_state=0)
    gaussian("6,000 made rows of 40 features", *made, 0.02, 1)


def gaussian(what: str, X, y, gamma: float, C: float) -> None:
    ours, theirs = novikoff.SVM(C=C, kernel=f"gaussian:gamma={gamma}", gap=1e-3), svm.SVC(C=C, gamma=gamma)
    line(f"SVM.fit, SVC.fit: {what}", *both(lambda: ours.fit(X, y), lambda: theirs.fit(X, y), 3), 2)
    line(f"SVM.predict, SVC.predict: {what}", *both(lambda: ours.predict(X), lambda: theirs.predict(X), 3), 10)
    agree = np.mean(ours.predict(X) == theirs.predict(X))
    print(f"| they agree on {agree:.2%} of the rows | | | | | |", flush=True)


def dicts(rows: int) -> list[tuple[dict[str, float], bool]]:
    """river's own data, over and over."""
    from river import datasets as streams

    once = list(streams.Phishing())
    return (once * (rows // len(once) + 1))[:rows]


def wide(rows: int, features: int) -> list[tuple[dict[str, float], bool]]:
    rng = np.random.default_rng(0)
    values = rng.standard_normal((rows, features))
    names = [f"feature{k}" for k in range(features)]
    return [(dict(zip(names, row)), bool(row[0] > 0)) for row in values.tolist()]


def one_row() -> None:
    try:
        from novikoff import river as nr
        from river import linear_model as theirs
    except ImportError:
        return
    head("one row at a time", "rows per s")
    for what, rows in (("Phishing, 9 features", dicts(50_000)), ("30 made features", wide(20_000, 30))):
        vw = parsed_rate(rows)
        for name, other in (("Perceptron", theirs.Perceptron()), ("OnlineLogisticRegression", theirs.LogisticRegression())):
            ours = getattr(nr, name)()
            learn, predict = rates(ours, rows), rates_of_answers(ours, rows)
            their_learn, their_predict = rates(other, rows[:5000]), rates_of_answers(other, rows[:5000])
            fast("learn_one", name, what, learn, "river", their_learn, 5)
            fast("predict_one", name, what, predict, "river", their_predict, 5)
            if vw is not None:
                fast("learn_one", name, what, learn, "vw learn, parsed", vw[0], 2)
                fast("predict_one", name, what, predict, "vw predict, parsed", vw[1], 2)


def fast(method: str, name: str, what: str, ours: float, who: str, theirs: float, target: float) -> None:
    verdict = "reached" if ours >= target * theirs else "MISSED"
    print(f"| {name}.{method}, {what}; {who} | {ours:,.0f} | {theirs:,.0f} | {ours / theirs:.1f} | {target:g} | {verdict} |", flush=True)


def rates(model, rows) -> float:
    def work() -> None:
        learn_one = model.learn_one
        for x, y in rows:
            learn_one(x, y)

    return len(rows) / least(work)


def rates_of_answers(model, rows) -> float:
    def work() -> None:
        predict_one = model.predict_one
        for x, _ in rows:
            predict_one(x)

    return len(rows) / least(work)


def parsed_rate(rows) -> tuple[float, float] | None:
    """vw learns from and answers to examples that were parsed before."""
    try:
        from vowpalwabbit import Workspace
    except ImportError:
        return None
    vw = Workspace("--quiet --loss_function=logistic")
    text = lambda x, y: f"{1 if y else -1} | " + " ".join(f"{name}:{value}" for name, value in x.items())  # noqa: E731
    examples = [vw.parse(text(x, y)) for x, y in rows[:5000]]

    def learn() -> None:
        for example in examples:
            vw.learn(example)

    def predict() -> None:
        for example in examples:
            vw.predict(example)

    found = len(examples) / least(learn), len(examples) / least(predict)
    for example in examples:
        vw.finish_example(example)
    vw.finish()
    return found


def others() -> None:
    code = "import numpy, time; t = time.perf_counter(); import novikoff; print(time.perf_counter() - t)"
    taken = min(float(subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout) for _ in range(5))
    print(f"\n`import novikoff` after numpy: {taken:.3f} s (target 0.3).")
    X = np.random.default_rng(0).standard_normal((3000, 400)).astype(np.float32)
    y = np.random.default_rng(1).integers(0, 2, 3000)
    for model in (
        novikoff.Perceptron(max_iter=10**6, tol=None),
        novikoff.SecondOrderPerceptron(epochs=10**6),
        novikoff.Perceptron(kernel="gaussian:gamma=1", max_iter=10**6, tol=None),
        novikoff.LinearSVM(C=1e9, loss="hinge", gap=0, max_passes=10**9),
        novikoff.DualRegressor(loss="absolute", C=1e9, bias=1, gap=0, max_passes=10**9),
    ):
        pressed: list[float] = []

        def press() -> None:
            pressed.append(time.perf_counter())
            os.kill(os.getpid(), signal.SIGINT)

        threading.Timer(1.0, press).start()
        try:
            model.fit(X, y)
            print(f"{type(model).__name__} ended by itself")
        except KeyboardInterrupt:
            print(f"Ctrl-C in {type(model).__name__}.fit: {time.perf_counter() - pressed[0]:.3f} s (target 1).")


def main() -> None:
    rows = int(sys.argv[1]) if len(sys.argv) > 1 else 200_000
    parts = sys.argv[2:] or ["arrays", "solvers", "one_row", "others"]  # or "kernels" alone
    about()
    path = Path(tempfile.mkdtemp()) / "text.svm"
    command = Path(sys.executable).with_name("novikoff")
    subprocess.run([command, "generate", f"text:rows={rows}", "-o", path], check=True, capture_output=True)
    if "arrays" in parts:
        arrays(path)
    if "solvers" in parts:
        solvers(path)
    if "kernels" in parts:
        head("kernels", "s")
        kernels()
    if "one_row" in parts:
        one_row()
    if "others" in parts:
        others()


if __name__ == "__main__":
    main()
