"""What the package promises beside its estimators: a light import, the command, errors, threads, Ctrl-C."""

from __future__ import annotations

import os
import pickle
import signal
import subprocess
import sys
import threading
import time
from concurrent.futures import ThreadPoolExecutor

import joblib
import novikoff
import numpy as np
import pytest
from sklearn.base import clone
from sklearn.exceptions import NotFittedError
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler


def test_import_is_light():
    code = (
        "import sys, time; import numpy; begun = time.perf_counter(); import novikoff; "
        "taken = time.perf_counter() - begun; "
        "heavy = {'sklearn', 'scipy', 'pandas', 'matplotlib'} & set(sys.modules); "
        "assert not heavy, heavy; print(taken)"
    )
    taken = min(float(subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout) for _ in range(3))
    assert taken < 0.3, taken


def test_the_command_is_installed(command):
    done = subprocess.run([command, "--version"], capture_output=True, text=True)
    assert done.returncode == 0 and done.stdout == f"novikoff {novikoff.__version__}\n"
    done = subprocess.run([command, "train", "no-such-file", "-a", "perceptron"], capture_output=True, text=True)
    assert done.returncode == 2 and "no-such-file: no such file" in done.stderr


def test_pickle_and_joblib(digits, tmp_path):
    X, y = digits
    for model in (novikoff.Perceptron(), novikoff.Perceptron(kernel="poly:degree=2", max_iter=1), novikoff.LinearSVM()):
        model.fit(X[:300], y[:300])
        again = pickle.loads(pickle.dumps(model))
        np.testing.assert_array_equal(again.decision_function(X), model.decision_function(X))
        joblib.dump(model, tmp_path / "model.joblib")
        again = joblib.load(tmp_path / "model.joblib")
        np.testing.assert_array_equal(again.predict(X), model.predict(X))
        assert again.to_bytes() == model.to_bytes()


def test_damaged_bytes_are_refused(digits):
    from novikoff._native import Model

    X, y = digits
    data = bytearray(novikoff.Perceptron(max_iter=1).fit(X, y).to_bytes())
    data[len(data) // 2] ^= 1
    with pytest.raises(ValueError):
        Model.from_bytes(bytes(data))


def test_clone_pipeline_and_grid(digits):
    X, y = digits
    model = novikoff.SecondOrderPerceptron(a=3.0, epochs=2)
    assert clone(model).get_params() == model.get_params()
    search = GridSearchCV(make_pipeline(StandardScaler(), novikoff.Arow()), {"arow__r": [0.1, 1, 10]}, cv=3, n_jobs=2)
    assert search.fit(X, y).best_score_ > 0.9


@pytest.mark.parametrize(
    ("make", "error", "text"),
    [
        (lambda X, y: novikoff.Perceptron().predict(X), NotFittedError, "not fitted"),
        (lambda X, y: novikoff.PNormPerceptron(p=1).fit(X, y), ValueError, "p = 1: must be >= 2"),
        (lambda X, y: novikoff.Perceptron(kernel="gausian").fit(X, y), ValueError, "gaussian"),
        (lambda X, y: novikoff.Arow(normalize=0.5).fit(X, y), ValueError, 'normalize=0.5: must be "off"'),
        (lambda X, y: novikoff.Arow(epochs=0).fit(X, y), ValueError, "epochs=0: must be a whole number from 1"),
        (lambda X, y: novikoff.Winnow().fit(X - 1, y), ValueError, "[Nn]egative"),
        (lambda X, y: novikoff.Arow().fit(X.astype(float) * 1e300, y), ValueError, "float32"),
        (lambda X, y: novikoff.Arow().fit(X, y).predict(X[:, :3]), ValueError, "expecting 64 features"),
        (lambda X, y: novikoff.LinearSVM(C=0).fit(X, y), ValueError, "C=0: must be a number above 0"),
        (lambda X, y: novikoff.DualClassifier(loss="hing").fit(X, y), ValueError, "hinge"),
        (lambda X, y: novikoff.Perceptron(penalty="l2").fit(X, y), ValueError, "penalty='l2'"),
        (lambda X, y: novikoff.Arow().fit(X, y).certificate_, AttributeError, "keep_rows=True"),
        (lambda X, y: novikoff.load("no-such-file"), OSError, "no-such-file"),
        (lambda X, y: novikoff.Perceptron().partial_fit(X, y, classes=[0, 1]), ValueError, "classes="),
    ],
)
def test_errors_are_pythons_own(make, error, text, digits):
    with pytest.raises(error, match=text):
        make(*digits)


def test_a_refused_call_leaves_the_model_as_it_was(digits):
    X, y = digits
    model = novikoff.Perceptron().partial_fit(X, y)
    before = model.to_bytes()
    with pytest.raises(ValueError):
        model.partial_fit(np.full((1, 64), np.nan), [0])
    assert model.to_bytes() == before


def test_new_classes_come_at_any_time(digits):
    X, y = digits
    late = novikoff.AveragedPerceptron()
    for start in range(0, len(y), 100):
        late.partial_fit(X[start : start + 100], y[start : start + 100])
    few = y < 4
    growing = novikoff.AveragedPerceptron().partial_fit(X[few], y[few])
    assert growing.classes_.tolist() == [0, 1, 2, 3]
    growing.partial_fit(X, y)
    assert growing.classes_.tolist() == list(range(10)) and growing.score(X, y) > 0.8
    assert late.score(X, y) > 0.85


def test_eight_threads(digits):
    X, y = digits
    alone = [novikoff.SecondOrderPerceptron(epochs=2, random_state=seed).fit(X, y).to_bytes() for seed in range(4)]
    shared = novikoff.Arow().fit(X, y)
    expected = shared.decision_function(X)

    def work(seed):
        for _ in range(3):
            np.testing.assert_array_equal(shared.decision_function(X), expected)
        return novikoff.SecondOrderPerceptron(epochs=2, random_state=seed % 4).fit(X, y).to_bytes()

    with ThreadPoolExecutor(8) as pool:
        assert list(pool.map(work, range(16))) == alone * 4


def test_the_interpreter_is_free_while_learning():
    X = np.random.default_rng(0).standard_normal((20_000, 200)).astype(np.float32)
    y = (X[:, 0] + 0.5 * X[:, 1] > 0).astype(int)
    ticks = []
    model = novikoff.SecondOrderPerceptron(epochs=1)
    thread = threading.Thread(target=model.fit, args=(X, y))
    thread.start()
    while thread.is_alive():
        ticks.append(time.perf_counter())
        time.sleep(0.005)
    thread.join()
    assert len(ticks) > 3 and max(np.diff(ticks)) < 0.5


CTRL_C = """
import numpy as np, novikoff, sys
X = np.random.default_rng(0).standard_normal((3000, 400)).astype(np.float32)
y = np.random.default_rng(1).integers(0, 2, 3000)
print("ready", flush=True)
try:
    {make}.fit(X, y)
except KeyboardInterrupt:
    print("stopped", flush=True)
"""


@pytest.mark.parametrize(
    "make",
    [
        "novikoff.Perceptron(max_iter=10**6, tol=None)",
        "novikoff.SecondOrderPerceptron(epochs=10**6)",
        "novikoff.Perceptron(kernel='gaussian:gamma=1', max_iter=10**6, tol=None)",
        "novikoff.SVM(C=1e6, gap=1e-12, max_passes=10**9)",
        "novikoff.LinearSVM(C=1e9, gap=1e-15, max_passes=10**9)",
    ],
)
def test_ctrl_c_within_a_second(make):
    process = subprocess.Popen([sys.executable, "-c", CTRL_C.format(make=make)], stdout=subprocess.PIPE, text=True)
    assert process.stdout.readline() == "ready\n"
    time.sleep(1.0)
    if process.poll() is None:
        begun = time.perf_counter()
        os.kill(process.pid, signal.SIGINT)
        out, _ = process.communicate(timeout=60)
        # beside other work on the machine the process may have to wait for a core
        assert out == "stopped\n" and time.perf_counter() - begun < 3.0
