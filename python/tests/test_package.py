"""What the package promises beside its estimators: a light import, the command, errors, threads, Ctrl-C."""

from __future__ import annotations

import pickle
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor

import joblib
import novikoff
import numpy as np
import polars
import pytest
from sklearn.base import clone
from sklearn.exceptions import NotFittedError
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler


LIGHT = """
import sys
import numpy
before = set(sys.modules)
import novikoff
assert novikoff.__version__ and "Perceptron" in dir(novikoff)
import importlib.metadata
brought = {name.partition(".")[0] for name in set(sys.modules) - before}
brought = {name for name in brought if name not in sys.stdlib_module_names}
assert brought == {"novikoff"}, brought
parts = {name for name in sys.modules if name.startswith("novikoff.")}
assert parts == {"novikoff._names", "novikoff._native"}, parts
"""


def test_import_brings_nothing_but_numpy():
    """What makes an import slow is what it imports: nothing beside numpy and the compiled part."""
    done = subprocess.run([sys.executable, "-c", LIGHT], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr


WITHOUT = """
import sys
for name in ("sklearn", "scipy", "river", "matplotlib"):
    sys.modules[name] = None
import novikoff
for make, said in [
    (lambda: novikoff.Perceptron, "pip install sci"),
    (lambda: novikoff.load_svmlight_file("x"), "novikoff.load_svmlight_file needs scipy: pip install scipy"),
    (lambda: __import__("novikoff.river"), "novikoff.river needs river: pip install river"),
]:
    try:
        make()
    except ImportError as error:
        assert said in str(error), error
    else:
        raise AssertionError(said)
"""


def test_what_is_missing_is_named():
    done = subprocess.run([sys.executable, "-c", WITHOUT], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr


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
        (lambda X, y: novikoff.Perceptron(tol="x").fit(X, y), ValueError, "tol='x': must be a finite number, or None"),
        (lambda X, y: novikoff.Perceptron(n_iter_no_change=0).fit(X, y), ValueError, "n_iter_no_change=0: must be a whole number from 1"),
        (lambda X, y: novikoff.Arow(bias="x").fit(X, y), ValueError, "bias='x': must be a finite number; 0 is off"),
        (lambda X, y: novikoff.Arow(bias=np.inf).fit(X, y), ValueError, "bias=inf: must be a finite number; 0 is off"),
        (lambda X, y: novikoff.LinearSVM(bias="fre").fit(X, y), ValueError, "bias='fre': must be \"free\" or a number"),
        (lambda X, y: novikoff.Arow(normalize="on").fit(X, y), ValueError, "normalize='on': must be None, \"off\", inf or a number >= 1"),
        (lambda X, y: novikoff.Arow(max_memory=0).fit(X, y), ValueError, "max_memory=0: must be a whole number of megabytes from 1"),
        (lambda X, y: novikoff.Ridge(max_memory="a").fit(X, y), ValueError, "max_memory='a': must be a whole number of megabytes from 1"),
        (lambda X, y: novikoff.Arow(n_jobs="a").fit(X, y), ValueError, "n_jobs='a': must be a whole number from 1, or None or -1"),
        (lambda X, y: novikoff.AutoClassifier(experts="arow").fit(X, y), ValueError, "experts='arow': must be a list of specs"),
        (lambda X, y: novikoff.Perceptron(class_weight={0: -1}).fit(X, y), ValueError, "class_weight: 0 counts -1, and must count a number above 0"),
        (lambda X, y: novikoff.SVM(C="1").fit(X, y), ValueError, "C='1': must be a number above 0"),
        (lambda X, y: novikoff.SVM(gap="a").fit(X, y), ValueError, "gap='a': must be a number from 0 to below 1"),
        (lambda X, y: novikoff.HuberRegressor(delta="q").fit(X, y), ValueError, "delta='q': must be a number above 0"),
        (lambda X, y: novikoff.LinearSVR(epsilon=-1).fit(X, y), ValueError, "epsilon=-1: must be a number from 0"),
        (lambda X, y: novikoff.DualClassifier(loss="squared").fit(X, y), ValueError, "loss='squared': is a loss of numbers; use DualRegressor"),
        (lambda X, y: novikoff.DualRegressor(loss="hinge").fit(X, y), ValueError, "loss='hinge': is a loss of labels; use DualClassifier"),
        (lambda X, y: novikoff.DualRegressor(loss="hing").fit(X, y), ValueError, "no loss is called `hing`"),
        (lambda X, y: novikoff.Arow(columns={"text": ["t"]}).fit(X, y), TypeError, "columns: X must be a table"),
        (lambda X, y: novikoff.Arow().fit(polars.LazyFrame({"a": [1, 2]}), [0, 1]), TypeError, r"call collect\(\) on it first"),
        (lambda X, y: novikoff.load_svmlight_file("no-such-file"), FileNotFoundError, "no-such-file: no such file; check the name$"),
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
    with pytest.raises(FileNotFoundError):
        model.partial_fit_file("no-such-file")
    assert model.to_bytes() == before and model.classes_.tolist() == list(range(10))


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


@pytest.mark.parametrize("sign", [1, -1])
def test_a_first_chunk_of_one_sign_is_no_promise(sign, digits):
    """Rows of the label 1 alone may be those of -1 and 1, or of 0 and 1, or of digits: what comes later decides."""
    X, y = digits[0][:400], digits[1][:400]
    for others in ((0,), (-sign,), (0, 2), (0, -sign)):
        labels = np.where(y < 4, sign, np.asarray(others)[y % len(others)])
        order = np.argsort(labels != sign, kind="stable")
        rows, labels = X[order], labels[order]
        whole = novikoff.AveragedPerceptron().partial_fit(rows, labels)
        pieces, start = novikoff.AveragedPerceptron(), 0
        for end in (1, 3, 60, (labels == sign).sum() + 5, 300, 400):
            pieces.partial_fit(rows[start:end], labels[start:end])
            start = end
        assert pieces.to_bytes() == whole.to_bytes() and pieces.classes_.tolist() == whole.classes_.tolist()
        assert pieces.mistakes_ == whole.mistakes_ and pickle.loads(pickle.dumps(pieces)).to_bytes() == whole.to_bytes()
    signs = novikoff.AveragedPerceptron().partial_fit(X[:2], [-1, 1])
    with pytest.raises(ValueError, match=r"label .*0.* is not one of the classes \[-1, 1\]; name all of them by classes="):
        signs.partial_fit(X[:1], [0])


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


CTRL_C = """
import os, signal, threading
import numpy as np, novikoff

def press():
    # threads of Python go on while the engine works, and this one presses Ctrl-C
    sum(range(100_000))
    print("pressed", flush=True)
    os.kill(os.getpid(), signal.SIGINT)

X = np.random.default_rng(0).standard_normal((3000, 400)).astype(np.float32)
y = np.random.default_rng(1).integers(0, 2, 3000)
novikoff.Perceptron
threading.Timer(0.5, press).start()
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
        # labels that no weights explain, and losses that count for much: every pass changes a little, for days
        "novikoff.LinearSVM(C=1e9, loss='hinge', gap=0, max_passes=10**9)",
        "novikoff.DualRegressor(loss='absolute', C=1e9, bias=1, gap=0, max_passes=10**9)",
    ],
)
def test_ctrl_c_stops_what_would_take_days(make):
    """The interpreter is free while the engine works, or nobody could press; and the job ends. How soon is measured by bench/python_speed.py."""
    done = subprocess.run([sys.executable, "-c", CTRL_C.format(make=make)], capture_output=True, text=True, timeout=100)
    assert done.stdout == "pressed\nstopped\n", done.stderr
