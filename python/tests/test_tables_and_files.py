"""Tables by Arrow and files: the same rules, and the same models, as the command's."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import novikoff
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.csv
import pytest
from novikoff import load_svmlight_file, load_vw_file
from sklearn import datasets

ROOT = Path(__file__).parents[2]


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    here = tmp_path_factory.mktemp("tables")
    subprocess.run([sys.executable, str(ROOT / "docs/examples/make_data.py"), str(here)], check=True)
    return here


@pytest.fixture(scope="module")
def churn(folder):
    frame = pd.read_csv(folder / "churn.csv", dtype={"payment": "str", "last_contact": "str"}).head(3000)
    return frame.drop(columns=["churned"]), frame["churned"].to_numpy()


COLUMNS = {"missing": "indicator", "drop": ["customer_id"]}


def test_a_frame_is_read_as_the_command_reads_a_table(churn, command, tmp_path):
    X, y = churn
    model = novikoff.Arow(epochs=1, shuffle=False, columns=COLUMNS).fit(X, y)
    table = pa.Table.from_pandas(X.assign(label=y), preserve_index=False)
    pa.parquet = pytest.importorskip("pyarrow.parquet")
    pa.parquet.write_table(table, tmp_path / "churn.parquet")
    words = [command, "train", str(tmp_path / "churn.parquet"), "-a", "arow", "--bias", "1", "--label", "label"]
    words += ["--missing", "indicator", "--drop", "customer_id", "-q", "--json", "-o", str(tmp_path / "m")]
    report = json.loads(subprocess.run(words, capture_output=True, text=True, check=True).stdout)
    assert model.mistakes_ == report["mistakes"]
    assert model.to_bytes() == (tmp_path / "m").read_bytes()
    loaded = novikoff.load(tmp_path / "m")
    np.testing.assert_array_equal(loaded.predict(X), model.predict(X))


def test_pandas_polars_and_arrow_are_the_same_table(churn):
    X, y = churn
    table = pa.Table.from_pandas(X, preserve_index=False)
    frames = [X, table, pl.from_arrow(table)]
    models = [novikoff.Arow(epochs=1, shuffle=False, columns=COLUMNS).fit(frame, y) for frame in frames]
    for model, frame in zip(models, frames):
        assert model.mistakes_ == models[0].mistakes_
        np.testing.assert_array_equal(model.predict(frame), models[0].predict(X))
    assert models[0].feature_names_in_.tolist() == list(X.columns)
    with pytest.raises(TypeError, match="learned from a table"):
        models[0].predict(np.zeros((2, 3)))


def test_halves_of_a_table_are_the_whole(churn):
    X, y = churn
    whole = novikoff.AveragedPerceptron(columns=COLUMNS).partial_fit(X, y)
    halves = novikoff.AveragedPerceptron(columns=COLUMNS)
    halves.partial_fit(X[:1500], y[:1500]).partial_fit(X[1500:], y[1500:])
    assert halves.mistakes_ == whole.mistakes_


def test_frames_of_numbers_have_names(digits):
    X, y = digits
    for frame in (pd.DataFrame(X, columns=[f"p{k}" for k in range(64)]), pl.DataFrame(X, schema=[f"p{k}" for k in range(64)])):
        model = novikoff.Perceptron(max_iter=2).fit(frame, y)
        assert model.feature_names_in_.tolist()[:2] == ["p0", "p1"]
        np.testing.assert_array_equal(model.predict(frame), novikoff.Perceptron(max_iter=2).fit(X, y).predict(X))
        assert model._model.names[:2] == ["p0", "p1"]


def test_fit_file_is_the_command(digits_file, digits, command, tmp_path):
    seen = []
    model = novikoff.Arow(epochs=2, random_state=3)
    model.fit_file(digits_file, progress=lambda *now: seen.append(now))
    words = [command, "train", str(digits_file), "-a", "arow", "--bias", "1", "--epochs", "2", "--shuffle", "3", "-q"]
    subprocess.run([*words, "-o", str(tmp_path / "m")], capture_output=True, check=True)
    assert model.to_bytes() == (tmp_path / "m").read_bytes()
    assert seen and seen[-1][0] == "learning"
    X, y = digits
    np.testing.assert_array_equal(model.predict_file(digits_file), model.predict(X))
    assert model.classes_.tolist() == list(range(10))
    on = novikoff.Arow().partial_fit_file(digits_file).partial_fit_file(digits_file)
    assert on.to_bytes() == novikoff.Arow().partial_fit(X, y).partial_fit(X, y).to_bytes()


def test_files_that_are_wrong(tmp_path):
    bad = tmp_path / "bad.svm"
    bad.write_text("1 1:0.5\n-1 x:2\n")
    with pytest.raises(ValueError, match=r"bad.svm:2:4"):
        novikoff.Arow().fit_file(bad)
    with pytest.raises(FileNotFoundError):
        novikoff.Arow().fit_file(tmp_path / "none.svm")
    with pytest.raises(TypeError, match="unexpected keyword argument 'lable'"):
        novikoff.Arow().fit_file(bad, lable="y")
    with pytest.raises(ValueError, match='missing="never": must be one of "zero", "mean"'):
        novikoff.Arow().fit_file(bad, missing="never")


def test_load_svmlight_file_is_scikit_learns(digits_file, tmp_path):
    X, y = load_svmlight_file(digits_file)
    theirs, labels = datasets.load_svmlight_file(str(digits_file), dtype=np.float32)
    assert (X != theirs).nnz == 0 and X.shape == theirs.shape
    np.testing.assert_array_equal(y, labels)
    assert load_svmlight_file(digits_file, n_features=100)[0].shape == (len(y), 100)
    with pytest.raises(ValueError, match="n_features=3"):
        load_svmlight_file(digits_file, n_features=3)


def test_load_vw_file(tmp_path):
    path = tmp_path / "rows.vw"
    path.write_text("1 2.0 |a x:0.5 y\n-1 |b x z:3\n")
    loaded = load_vw_file(path)
    assert loaded.names == ["a^x", "a^y", "b^x", "b^z"]
    assert loaded.X.toarray().tolist() == [[0.5, 1, 0, 0], [0, 0, 1, 3]]
    assert loaded.y.tolist() == [1, -1] and loaded.weights.tolist() == [2, 1]


def test_calibrated_probabilities(digits):
    X, y = digits
    model = novikoff.AveragedPerceptron().fit(X[:1000], y[:1000])
    assert not hasattr(model, "predict_proba")
    for method in ("platt", "isotonic"):
        chances = model.calibrate(X[1000:], y[1000:], method=method).predict_proba(X)
        np.testing.assert_allclose(chances.sum(axis=1), 1)
        assert (chances.argmax(axis=1) == y).mean() > 0.85
    with pytest.raises(ValueError, match="method="):
        model.calibrate(X, y, method="sigmoid")


def test_support(digits):
    X, y = digits
    X, y = X[:400], y[:400] > 4
    model = novikoff.SVM(kernel="gaussian:gamma=0.001").fit(X, y)
    np.testing.assert_allclose(model.support_vectors_.toarray(), X[model.support_])
    assert model.dual_coef_.shape == (1, model.n_support_)
    linear = novikoff.Perceptron().fit(X, y)
    assert not hasattr(linear, "support_vectors_") and linear.coef_.shape == (1, 64)
    assert not hasattr(model, "coef_")


def test_class_weights_of_files_are_those_of_the_command(digits_file, command, tmp_path):
    for given, word in [("balanced", "balanced"), ({0: 3.0, 7: 0.5}, "0=3,7=0.5")]:
        model = novikoff.AveragedPerceptron(class_weight=given, epochs=1, shuffle=False).fit_file(digits_file)
        words = [command, "train", str(digits_file), "-a", "averaged", "--bias", "1", "--class-weight", word, "-q"]
        subprocess.run([*words, "-o", str(tmp_path / "m")], capture_output=True, check=True)
        assert model.to_bytes() == (tmp_path / "m").read_bytes()
    with pytest.raises(ValueError, match='class_weight="balance": must be None, "balanced" or a dict'):
        novikoff.AveragedPerceptron(class_weight="balance").fit_file(digits_file)


@pytest.mark.parametrize("shuffle", [True, False])
def test_passes_over_a_file_end_as_those_over_an_array(shuffle, digits, digits_file):
    """Perceptron makes passes until its mistakes no longer fall, and not all 1,000, over a file too."""
    by_file = novikoff.Perceptron(shuffle=shuffle).fit_file(digits_file)
    by_array = novikoff.Perceptron(shuffle=shuffle).fit(*digits)
    assert by_file.n_iter_ == by_array.n_iter_ < 100
    assert by_file.to_bytes() == by_array.to_bytes()
    with pytest.raises(ValueError, match="early_stopping=True: rows of a file are not divided"):
        novikoff.Perceptron(early_stopping=True).fit_file(digits_file)


def test_the_bar_reaches_its_end(digits_file, capsys):
    novikoff.Arow(epochs=1).fit_file(digits_file, progress=True).predict_file(digits_file, progress=True)
    load_svmlight_file(digits_file, progress=True)
    shown = capsys.readouterr().err
    assert "learning" in shown and "reading" in shown and shown.endswith("\n") and "%" in shown
    seen = []
    load_svmlight_file(digits_file, progress=lambda *now: seen.append(now))
    assert seen and {phase for phase, _, _ in seen} == {"reading"}


@pytest.mark.parametrize("name", ["Perceptron", "PassiveAggressiveClassifier", "LogisticRegression", "LinearSVM", "DualSolver"])
def test_every_kind_of_classifier_learns_from_a_table(name, churn, tmp_path):
    X, y = churn
    model = getattr(novikoff, name)(columns=COLUMNS, standardize=True) if name != "DualSolver" else novikoff.DualSolver(columns=COLUMNS)
    weights = np.where(np.arange(len(y)) % 2, 1.0, 2.0)
    model.fit(X[:2000], y[:2000], *([] if name == "PassiveAggressiveClassifier" else [weights[:2000]]))
    assert model.feature_names_in_.tolist() == list(X.columns)
    model.save(tmp_path / "m")
    np.testing.assert_array_equal(novikoff.load(tmp_path / "m").decision_function(X), model.decision_function(X))
    with pytest.raises(TypeError, match="learned from a table"):
        model.predict(np.zeros((2, 3)))


def test_a_problem_over_a_table_is_that_of_the_command(churn, command, tmp_path):
    X, y = churn
    model = novikoff.DualClassifier(loss="logistic", lambda_=1e-3, gap=1e-3, columns=COLUMNS).fit(X, y)
    table = pa.Table.from_pandas(X.assign(label=y), preserve_index=False)
    pytest.importorskip("pyarrow.parquet").write_table(table, tmp_path / "churn.parquet")
    words = [command, "solve", str(tmp_path / "churn.parquet"), "--loss", "logistic", "--lambda", "1e-3", "--bias", "free", "--label", "label"]
    words += ["--missing", "indicator", "--drop", "customer_id", "-q", "--gap", "1e-3", "-o", str(tmp_path / "m")]
    subprocess.run(words, capture_output=True, text=True, check=True)
    np.testing.assert_array_equal(novikoff.load(tmp_path / "m").decision_function(X), model.decision_function(X))


def test_regressions_over_tables():
    rng = np.random.default_rng(3)
    frame = pd.DataFrame({"size": rng.normal(size=300), "city": rng.choice(["Oslo", "Rome", "Paris"], 300)})
    y = 2 * frame["size"].to_numpy() + frame["city"].map({"Oslo": 1.0, "Rome": -1.0, "Paris": 0.25}).to_numpy()
    model = novikoff.Ridge(alpha=1e-3, gap=1e-6).fit(frame, y)
    np.testing.assert_allclose(model.predict(frame), y, atol=0.01)
    # the same problem with the categories as columns of an array
    dummies = np.column_stack([frame["size"], *(frame["city"] == city for city in ("Oslo", "Rome", "Paris"))])
    by_array = novikoff.Ridge(alpha=1e-3, gap=1e-6).fit(dummies, y)
    np.testing.assert_allclose(model.predict(frame), by_array.predict(dummies), atol=1e-3)
    with pytest.raises(ValueError, match="y: must be finite numbers"):
        novikoff.Ridge().fit(frame, np.where(np.arange(300) == 7, np.nan, y))


def test_tables_are_certified_and_calibrated(churn):
    X, y = churn
    model = novikoff.AveragedPerceptron(epochs=1, shuffle=False, columns=COLUMNS, keep_rows=True).fit(X, y)
    assert model.certify(X, y, effort="quick").mistakes == model.mistakes_ == model.certificate_.mistakes
    chances = model.calibrate(X, y).predict_proba(X)
    assert ((chances[:, 1] > 0.5) == (y == model.classes_[1])).mean() > 0.6
    with pytest.raises(TypeError, match="learned from a table"):
        model.calibrate(np.zeros((2, 3)), [0, 1])
