"""What a new user of tables meets: the index, weights, wrong columns, models that are loaded, warnings, messages."""

from __future__ import annotations

import json
import re
import subprocess
import sys
import warnings
from pathlib import Path

import novikoff
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from novikoff import _names
from sklearn.base import clone
from sklearn.model_selection import train_test_split

ROOT = Path(__file__).parents[2]
COLUMNS = {"missing": "indicator"}


@pytest.fixture(scope="module")
def people():
    """A table that is sorted by its label, so that its row numbers would tell it."""
    rng = np.random.default_rng(5)
    n = 600
    frame = pd.DataFrame({"size": rng.normal(size=n), "age": rng.normal(size=n), "city": rng.choice(["Oslo", "Rome", "Paris"], n)})
    y = np.where(frame["size"] + (frame["city"] == "Rome") + rng.normal(scale=1.0, size=n) > 0.3, "yes", "no")
    order = np.argsort(y, kind="stable")
    return frame.iloc[order].reset_index(drop=True), y[order]


def same(left, right):
    np.testing.assert_array_equal(left, right)


@pytest.mark.parametrize("name", ["Arow", "LogisticRegression", "Perceptron"])
def test_the_index_of_a_frame_is_not_a_feature(name, people):
    X, y = people
    train, test, labels, _ = train_test_split(X, y, random_state=1)
    kind = getattr(novikoff, name)
    model, plain = kind().fit(train, labels), kind().fit(train.reset_index(drop=True), labels)
    assert "__index_level_0__" not in model._model.names and model.to_bytes() == plain.to_bytes()
    same(model.decision_function(test), plain.decision_function(test.reset_index(drop=True)))
    named = train.set_index("age")
    assert "age" not in kind().fit(named, labels).get_feature_names_out()
    # a table of pyarrow says which of its columns were the index
    for table in (pa.Table.from_pandas(train), pa.RecordBatch.from_pandas(train)):
        by_arrow = kind().fit(table, labels)
        assert by_arrow.to_bytes() == model.to_bytes() and by_arrow.feature_names_in_.tolist() == list(X.columns)
    if hasattr(model, "partial_fit"):
        assert "__index_level_0__" not in kind().partial_fit(train, labels)._model.names


@pytest.mark.parametrize("name", ["LogisticRegression", "AveragedPerceptron", "DualSolver"])
def test_tables_have_a_weight_per_feature(name, people):
    X, y = people
    model = getattr(novikoff, name)().fit(X, y)
    names = model.get_feature_names_out().tolist()
    assert names[:2] == ["size", "age"] and set(names[2:]) == {"city=Oslo", "city=Rome", "city=Paris"}
    assert model.coef_.shape == (1, 5)
    rows = np.column_stack([X[n] if n in X else X["city"] == n.partition("=")[2] for n in names]).astype(np.float32).astype(float)
    np.testing.assert_allclose(rows @ model.coef_[0] + model.intercept_[0], model.decision_function(X), rtol=1e-6, atol=1e-9)


def test_text_has_a_weight_per_word(digits):
    texts = pd.DataFrame({"body": ["red apple", "green pear", "red cherry", "yellow pear"] * 10})
    model = novikoff.Perceptron(columns={"text": ["body"]}).fit(texts, ["a", "b", "c", "b"] * 10)
    assert "body^pear" in model.get_feature_names_out() and model.coef_.shape == (3, len(model.get_feature_names_out()))
    by_kernel = novikoff.SVM(columns={"text": ["body"]}).fit(texts, ["a", "b"] * 20)
    assert by_kernel.support_vectors_.shape[1] == len(by_kernel.get_feature_names_out())
    X, y = digits
    assert novikoff.Arow(epochs=1).fit(X, y).get_feature_names_out()[:2].tolist() == ["x0", "x1"]


def test_charts_of_weights_have_the_names_of_features(people):
    matplotlib = pytest.importorskip("matplotlib")
    matplotlib.use("agg")
    from novikoff import plot

    X, y = people
    model = novikoff.LogisticRegression().fit(X, y)
    ax = plot.weights(model, top=1)
    largest = np.abs(model.coef_[0]).argmax()
    assert [t.get_text() for t in ax.get_yticklabels()] == [model.get_feature_names_out()[largest]]
    assert ax.figure.get_layout_engine() is not None


@pytest.mark.parametrize("name", ["LogisticRegression", "Arow"])
def test_predict_looks_at_the_columns(name, people):
    X, y = people
    model = getattr(novikoff, name)(columns=COLUMNS).fit(X, y)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        model.predict(X), model.predict(X[["city", "age", "size"]])
    with pytest.raises(ValueError, match=r'X: column "size" is missing.*rename "SIZE" to "size"$'):
        model.predict(X.rename(columns=str.upper))
    with pytest.warns(novikoff.RemarkWarning, match="missing-column: X: column age is missing") as seen:
        model.predict(X.drop(columns=["age"]))
    assert seen[0].filename == __file__
    with pytest.warns(novikoff.RemarkWarning, match="unknown-features: .*height"):
        model.predict(X.assign(height=1.5))
    strict = getattr(novikoff, name)().fit(X, y)
    with pytest.raises(ValueError, match=r'^X: column "age" is missing'):
        strict.predict(X.drop(columns=["age"]))


LOADED = [
    novikoff.LogisticRegression(C=0.3, standardize=True),
    novikoff.LogisticRegression(class_weight={0: 2.0, 1: 1.0}),
    novikoff.LinearSVM(C=0.5, loss="hinge", bias=2.0),
    novikoff.SVM(C=3.0, kernel="gaussian:gamma=0.001"),
    novikoff.DualClassifier(loss="smoothed-hinge:gamma=1", C=0.7, bias=0),
    novikoff.DualClassifier(loss="logistic", reg="p-norm:p=1.5", map="rff:dim=64,gamma=0.001,seed=3"),
    novikoff.Ridge(alpha=0.3),
    novikoff.HuberRegressor(delta=2.0, alpha=0.01, bias=1.0),
    novikoff.LinearSVR(C=0.1, epsilon=0.5),
    novikoff.DualRegressor(loss="absolute", normalize=2),
    novikoff.Arow(r=3.0, standardize=True),
    novikoff.Perceptron(average=True, tol=None, max_iter=5, normalize=2),
    novikoff.AveragedPerceptron(bias=0, class_weight={0: 2.0, 1: 1.0}),
]


@pytest.mark.parametrize("model", LOADED, ids=repr)
def test_a_loaded_model_has_its_arguments(model, digits, tmp_path):
    X, y = digits[0][:300], (digits[1][:300] > 4).astype(int)
    model = clone(model).fit(X, y)
    model.save(tmp_path / "m")
    loaded = novikoff.load(tmp_path / "m")
    again = clone(loaded)
    if hasattr(again, "tol"):
        again.set_params(tol=None, max_iter=5)
    if model.get_params().get("class_weight") and not isinstance(model, novikoff.estimators.OnlineClassifier):
        again.set_params(class_weight=model.class_weight)  # the solver has it in its rows
    assert again.fit(X, y).to_bytes() == model.to_bytes(), loaded
    if type(model).__name__ not in ("DualClassifier", "DualRegressor"):
        assert type(loaded) is type(model)
        own = {k: v for k, v in loaded.get_params().items() if k not in ("tol", "max_iter", "gap", "class_weight")}
        assert own == {k: model.get_params()[k] for k in own}


@pytest.mark.parametrize("name", ["LogisticRegression", "Arow"])
def test_a_loaded_model_knows_its_columns(name, people, tmp_path):
    X, y = people
    X = X.assign(note=np.where(np.arange(len(X)) % 2, "good stuff", "bad luck"), id=np.arange(len(X)))
    columns = {"text": ["note"], "drop": ["id"], "missing": "mean", "ngrams": "1..2", "tfidf": False}
    model = getattr(novikoff, name)(columns=columns).fit(X, y)
    model.save(tmp_path / "m")
    loaded = novikoff.load(tmp_path / "m")
    assert loaded.columns == {**columns, "categorical": ["city"], "ngrams": (1, 2)}
    assert loaded.feature_names_in_.tolist() == list(X.columns) and loaded.n_features_in_ == 5
    assert loaded.coef_.shape == model.coef_.shape
    same(loaded.decision_function(X), model.decision_function(X))
    assert clone(loaded).fit(X, y).to_bytes() == model.to_bytes()
    if name == "Arow":
        assert loaded.partial_fit(X, y).mistakes_ > model.mistakes_


def test_two_labels_have_one_brier_score(people, command, tmp_path):
    """Two labels as one problem, and as one problem per label."""
    from sklearn.metrics import brier_score_loss

    X, y = people
    X.assign(label=y).to_csv(tmp_path / "rows.csv", index=False)
    for model in (novikoff.OnlineLogisticRegression().fit(X, y), novikoff.OnlineLogisticRegression().partial_fit(X, y)):
        model.save(tmp_path / "m")
        words = [command, "evaluate", str(tmp_path / "m"), str(tmp_path / "rows.csv"), "--label", "label", "-q", "--json"]
        found = json.loads(subprocess.run(words, capture_output=True, text=True, check=True).stdout)
        assert found["brier"] == pytest.approx(brier_score_loss(y, model.predict_proba(X)[:, 1], pos_label="yes"), abs=1e-6)


def test_pyarrow_is_named(people):
    code = """
import sys
sys.modules["pyarrow"] = None
import novikoff, pandas
try:
    novikoff.Arow().fit(pandas.DataFrame({"a": ["x", "y"] * 5}), [0, 1] * 5)
except ImportError as error:
    assert "pip install pyarrow" in str(error), error
else:
    raise AssertionError
novikoff.Arow().fit(pandas.DataFrame({"a": [1.0, 2.0] * 5}), [0, 1] * 5)
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert "pyarrow" in re.search(r"^pandas = (.*)$", (ROOT / "pyproject.toml").read_text(), re.M)[1]


def test_remarks_that_matter_are_warnings(people):
    X, y = people
    texts = pd.DataFrame({"body": [f"word{k} and some more {k}" for k in range(300)]})
    for model in (novikoff.Arow(), novikoff.LogisticRegression(), novikoff.Perceptron()):
        with pytest.warns(novikoff.RemarkWarning, match=r'^ids: .*columns=\{"text": \["body"\]\}') as seen:
            model.fit(texts.assign(x=1.0), np.arange(300) % 2)
        assert seen[0].filename == __file__
        assert [remark["kind"] for remark in model.remarks_][0] == "ids"
    with pytest.warns(novikoff.RemarkWarning, match="^leakage: "):
        novikoff.Arow().fit(X.assign(left=y), y)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        novikoff.Arow().fit(X, y)


def test_messages_name_arguments_that_there_are(people, tmp_path):
    X, y = people
    gaps = X.assign(age=np.where(np.arange(len(X)) == 2, np.nan, X["age"]))
    said = r'^X, row 3, column "age": .*columns=\{"missing": "mean"\} to read it as the mean of its column, columns=\{"missing": "indicator"\}'
    for model in (novikoff.Arow(), novikoff.LogisticRegression()):
        with pytest.raises(ValueError, match=said):
            model.fit(gaps, y)
    with pytest.raises(ValueError, match="^X: no column"):
        novikoff.Arow(columns={"drop": ["nothing"]}).fit(X, y)
    # methods that take files have keyword arguments
    gaps.assign(label=y).to_csv(tmp_path / "rows.csv", index=False)
    with pytest.raises(ValueError, match='missing="mean"'):
        novikoff.Arow().fit_file(tmp_path / "rows.csv", label="label")
    # rows of a later chunk are counted from the first
    batches = pa.Table.from_batches(pa.Table.from_pandas(gaps[::-1], preserve_index=False).to_batches(max_chunksize=100))
    with pytest.raises(ValueError, match=f"^X, row {len(X) - 2}, "):
        novikoff.Arow().fit(batches, y)


@pytest.mark.parametrize("standardize", [True, False])
@pytest.mark.parametrize("missing", ["mean", "zero", "indicator"])
def test_gaps_of_frames_are_read(missing, standardize, people):
    X, y = people
    gaps = X.assign(age=np.where(np.arange(len(X)) % 7 == 2, np.nan, X["age"]))
    for kind in (novikoff.Arow, novikoff.LogisticRegression):
        model = kind(columns={"missing": missing}, standardize=standardize).fit(gaps, y)
        assert np.isfinite(model.decision_function(gaps)).all()


def test_texts_that_are_no_frame(digits):
    texts = ["red apple", "green pear"] * 5
    y = [0, 1] * 5
    for X in (texts, pd.Series(texts), np.asarray(texts, dtype=object)):
        with pytest.raises((ValueError, TypeError), match=r'pandas.DataFrame\(\{"body": texts\}\)'):
            novikoff.Arow(columns={"text": ["body"]}).fit(X, y)
    for X in ([[text] for text in texts], np.asarray(texts, dtype=object).reshape(-1, 1)):
        with pytest.raises(ValueError, match=r'columns=\{"text": \["body"\]\}'):
            novikoff.LogisticRegression().fit(X, y)
    frame = pd.DataFrame({"body": texts})
    models = [novikoff.Arow(columns={"text": ["body"], "ngrams": ngrams}).fit(frame, y) for ngrams in ((1, 2), "1..2", [1, 2])]
    assert models[0].to_bytes() == models[1].to_bytes() == models[2].to_bytes()
    for ngrams in ("1-2", (2, 1), (1, 2, 3), "x"):
        with pytest.raises(ValueError, match=r'ngrams=.*as in \(1, 2\) or "1..2"'):
            novikoff.Arow(columns={"text": ["body"], "ngrams": ngrams}).fit(frame, y)


def test_the_page_lists_every_learner():
    found = re.findall(r"^\| `([\w-]+)` \| `(\w+)` \| (\w*) ?\| (\w*) ?\| (\w*) ?\| (\w*) ?\|$", (ROOT / "docs/python.md").read_text(), re.M)
    yes = lambda value: "yes" if value else ""  # noqa: E731
    expected = [
        (e["name"], _names.class_name(e["name"]), yes(not e["needs_all_rows"]), yes(e["weighted"]), yes(e["probabilities"]), yes(e["kernel"]))
        for e in _names.learners()
    ]
    assert found == expected


def test_why_there_are_no_probabilities(digits):
    X, y = digits
    with pytest.raises(AttributeError, match=r"AutoClassifier has margins.*calibrate\(X, y\).*OnlineLogisticRegression"):
        novikoff.AutoClassifier(epochs=1).fit(X[:200], y[:200]).predict_proba(X)
    with pytest.raises(AttributeError, match="LinearSVM has margins.*: use OnlineLogisticRegression"):
        novikoff.LinearSVM().fit(X[:200], y[:200]).predict_proba(X)
    assert "predict_proba" in dir(novikoff.LogisticRegression)


def test_errors_name_the_class(digits):
    X, y = digits
    with pytest.raises(TypeError, match=r"Arow.fit\(\) got an unexpected keyword argument 'sample_weight'"):
        novikoff.Arow().fit(X, y, sample_weight=np.ones(len(y)))
    with pytest.raises(TypeError, match=r"Arow.__init__\(\) got an unexpected keyword argument 'class_weight'"):
        novikoff.Arow(class_weight="balanced")


def test_counts_of_runs(digits):
    """What the page says of mistakes and validation errors."""
    X, y = digits
    model = novikoff.AveragedPerceptron(epochs=5, shuffle=False).fit(X, y)
    once = novikoff.AveragedPerceptron(epochs=1, shuffle=False).fit(X, y)
    assert model.mistakes_ > once.mistakes_ and model.validation_["errors"] == once.validation_["errors"]
    parts = novikoff.AveragedPerceptron().partial_fit(X[:1000], y[:1000], classes=np.arange(10)).partial_fit(X[1000:], y[1000:])
    assert parts.validation_["rows"] == len(X) - 1000 and parts.mistakes_ == once.mistakes_


def test_polars_has_no_index(people):
    X, y = people
    assert novikoff.Arow().fit(pl.from_pandas(X), y).to_bytes() == novikoff.Arow().fit(X, y).to_bytes()


def test_partial_fit_goes_on_from_fit_and_load(digits, tmp_path):
    X, y = digits
    model = novikoff.Arow(epochs=1).fit(X, y > 4)
    model.save(tmp_path / "m")
    first, loaded = model.mistakes_, novikoff.load(tmp_path / "m")
    assert model.partial_fit(X, y > 4).mistakes_ > first
    assert loaded.partial_fit(X, np.where(y > 4, "True", "False")).to_bytes() == model.to_bytes()
    with pytest.raises(ValueError, match="label 7 is not one of the classes"):
        novikoff.Arow(epochs=1).fit(X, (y > 4).astype(int)).partial_fit(X, y + 7)
    assert novikoff.Arow(epochs=1).fit(X[y < 5], y[y < 5]).partial_fit(X, y).classes_.tolist() == list(range(10))


@pytest.mark.parametrize("labels", [("01", "1"), ("1.0", "1"), ("1e0", "1"), ("+1", "1")])
def test_labels_that_are_the_same_number_are_refused(labels):
    X, y = [[0.0], [1.0]] * 20, list(labels) * 20
    for estimator in (novikoff.Perceptron(), novikoff.LogisticRegression(), novikoff.Arow()):
        with pytest.raises(ValueError, match="are the same number"):
            estimator.fit(X, y)
    assert set(novikoff.LogisticRegression().fit(X, ["a1", "1"] * 20).predict(X)) == {"a1", "1"}
