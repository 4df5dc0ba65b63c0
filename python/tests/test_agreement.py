"""The same rows through the package and through the command: the same mistakes, and the same bytes of the model."""

from __future__ import annotations

import json
import subprocess

import numpy as np
import novikoff
import pytest
from novikoff import _names
from scipy import sparse

LEARNERS = [entry for entry in _names.learners() if not entry["needs_all_rows"]]


def estimator_of(entry, **arguments):
    return getattr(novikoff, _names.class_name(entry["name"]))(**arguments)


def train(command, file, spec, path, *options):
    words = [command, "train", str(file), "-a", spec, "--bias", "1", "-q", "--json", "-o", str(path), *options]
    done = subprocess.run(words, capture_output=True, text=True, check=True)
    return json.loads(done.stdout)


@pytest.mark.parametrize("entry", LEARNERS, ids=lambda entry: entry["name"])
def test_one_pass_is_that_of_the_command(entry, command, digits, digits_file, tmp_path):
    X, y = digits
    report = train(command, digits_file, entry["name"], tmp_path / "m")
    model = estimator_of(entry).partial_fit(X, y)
    assert model.mistakes_ == report["mistakes"]
    assert model.updates_ == report["updates"]
    assert model.validation_ == report["validation"]
    assert model.to_bytes() == (tmp_path / "m").read_bytes()


def test_epochs_and_orders_are_those_of_the_command(command, digits, digits_file, tmp_path):
    X, y = digits
    report = train(command, digits_file, "arow:r=10", tmp_path / "m", "--epochs", "3", "--shuffle", "7")
    model = novikoff.Arow(r=10, epochs=3, shuffle=True, random_state=7).fit(X, y)
    assert [epoch["mistakes"] for epoch in report["epochs"]] == [e["mistakes"] for e in model.report_["epochs"]]
    assert model.to_bytes() == (tmp_path / "m").read_bytes()


def test_two_classes_are_binary(command, digits, tmp_path):
    from sklearn.datasets import dump_svmlight_file

    X, y = digits
    for labels in ([-1, 1], [0, 1]):
        sign = np.asarray(labels)[(y > 4).astype(int)]
        dump_svmlight_file(X, sign, str(tmp_path / "d.svm"), zero_based=False)
        report = train(command, tmp_path / "d.svm", "averaged", tmp_path / "m")
        model = novikoff.AveragedPerceptron(epochs=1, shuffle=False).fit(X, sign)
        assert model.mistakes_ == report["mistakes"]
        assert model.decision_function(X[:5]).shape == (5,)
        loaded = novikoff.load(tmp_path / "m")
        np.testing.assert_array_equal(loaded.predict(X), model.predict(X))
        np.testing.assert_array_equal(loaded.decision_function(X), model.decision_function(X))


def test_the_command_predicts_with_a_model_of_the_package(command, digits, digits_file, tmp_path):
    X, y = digits
    model = novikoff.SecondOrderPerceptron().fit(X, y)
    model.save(tmp_path / "m")
    done = subprocess.run([command, "predict", str(tmp_path / "m"), str(digits_file)], capture_output=True, text=True, check=True)
    np.testing.assert_array_equal(np.asarray(done.stdout.split(), dtype=int), model.predict(X))


@pytest.mark.parametrize("name", ["Perceptron", "SecondOrderPerceptron", "Romma", "OnlineLogisticRegression"])
def test_halves_are_the_whole(name, digits):
    X, y = digits
    whole = getattr(novikoff, name)().partial_fit(X, y)
    halves = getattr(novikoff, name)().partial_fit(X[:900], y[:900]).partial_fit(X[900:], y[900:])
    assert whole.to_bytes() == halves.to_bytes()
    assert whole.mistakes_ == halves.mistakes_


@pytest.mark.parametrize("kind", ["csr_array", "csr_matrix", "csc_array", "csc_matrix"])
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("index", [np.int32, np.int64])
def test_all_kinds_of_arrays_are_the_same_rows(kind, dtype, index, digits):
    X, y = digits
    dense = novikoff.Arow(epochs=2).fit(X, y)
    other = getattr(sparse, kind)(X.astype(dtype))
    other.indices, other.indptr = other.indices.astype(index), other.indptr.astype(index)
    model = novikoff.Arow(epochs=2).fit(other, y)
    assert model.to_bytes() == dense.to_bytes()
    np.testing.assert_array_equal(model.decision_function(other), dense.decision_function(X))


@pytest.mark.parametrize("shuffle", [True, False])
@pytest.mark.parametrize("name", ["Perceptron", "Arow", "OnlineLogisticRegression"])
def test_arrays_that_are_lent_are_the_rows_that_are_copied(name, shuffle, command, digits, digits_file, tmp_path):
    X, y = digits
    assert X.size >= 100_000, "fewer values are copied at once"
    one = {"max_iter": 1, "tol": None} if name == "Perceptron" else {"epochs": 1}
    model = getattr(novikoff, name)(shuffle=shuffle, random_state=7, **one).fit(X, y)
    spec = {"Perceptron": "perceptron", "Arow": "arow", "OnlineLogisticRegression": "logistic"}[name]
    report = train(command, digits_file, spec, tmp_path / "m", *(["--shuffle", "7"] if shuffle else []))
    assert (model.mistakes_, model.validation_) == (report["mistakes"], report["validation"])
    assert model.baseline_ == report["baseline"]
    assert model.to_bytes() == (tmp_path / "m").read_bytes()
    copied = getattr(novikoff, name)(shuffle=shuffle, random_state=7, n_jobs=1, **one).fit(X, y)
    assert copied.to_bytes() == model.to_bytes()


def test_rows_that_are_kept_do_not_change_with_the_array(digits):
    X, y = digits[0].copy(), digits[1]
    model = novikoff.Perceptron(max_iter=1, tol=None, keep_rows=True).fit(X, y)
    X[:] = 1.0
    assert model.certificate_.mistakes == model.mistakes_


@pytest.mark.parametrize("bad", [np.nan, np.inf])
def test_bad_values_of_arrays_that_are_lent_have_scikit_learns_words(bad, digits):
    X, y = digits[0].copy(), digits[1]
    X[1500, 3] = bad
    for given in (X, sparse.csr_array(X)):
        for shuffle in (True, False):
            with pytest.raises(ValueError, match="Input X contains (NaN|infinity)"):
                novikoff.Arow(epochs=1, shuffle=shuffle).fit(given, y)
        with pytest.raises(ValueError, match="Input X contains (NaN|infinity)"):
            novikoff.Arow().partial_fit(given, y)


@pytest.mark.parametrize("model", [novikoff.Perceptron(), novikoff.LinearSVM(), novikoff.OnlineLogisticRegression()], ids=lambda m: type(m).__name__)
def test_products_of_arrays_are_those_of_rows(model, digits):
    """Sparse rows are answered where they lie; those with zeros, or out of order, are put together first."""
    X, y = digits[0], digits[1] > 4
    model.fit(X, y)
    dense = model.decision_function(X)
    for dtype in (np.float32, np.float64):
        plain = sparse.csr_array(X.astype(dtype))
        zeros = plain.copy()
        zeros.data[::7] = 0
        turned = plain.copy()
        for row in range(turned.shape[0]):
            part = slice(turned.indptr[row], turned.indptr[row + 1])
            turned.indices[part], turned.data[part] = turned.indices[part][::-1].copy(), turned.data[part][::-1].copy()
        turned.has_sorted_indices = False
        np.testing.assert_array_equal(model.decision_function(plain), dense)
        np.testing.assert_array_equal(model.decision_function(turned), dense)
        np.testing.assert_array_equal(model.decision_function(zeros), model.decision_function(zeros.toarray()))
        np.testing.assert_array_equal(model.predict(plain), model.predict(X))
    empty = sparse.csr_array((3, X.shape[1]))
    np.testing.assert_array_equal(model.decision_function(empty), model.decision_function(empty.toarray()))


def test_fortran_order_and_read_only_arrays(digits):
    X, y = digits
    model = novikoff.Perceptron(max_iter=2).fit(X, y)
    other = np.asfortranarray(X)
    other.setflags(write=False)
    assert novikoff.Perceptron(max_iter=2).fit(other, y).to_bytes() == model.to_bytes()


def test_weights_are_the_margins(digits):
    X, y = digits
    for model in (novikoff.Perceptron(), novikoff.AveragedPerceptron(), novikoff.LinearSVM(), novikoff.LogisticRegression()):
        model.fit(X, y)
        assert model.coef_.shape == (10, 64) and model.intercept_.shape == (10,)
        np.testing.assert_allclose(X @ model.coef_.T + model.intercept_, model.decision_function(X), rtol=1e-5, atol=1e-5)


@pytest.mark.parametrize(
    "model",
    [
        novikoff.Arow(r=10),
        novikoff.PNormPerceptron(p=4),
        novikoff.PassiveAggressiveClassifier(C=0.25, loss="squared_hinge", bias=2.0),
        novikoff.PassiveAggressiveClassifier(loss="hard"),
        novikoff.Perceptron(kernel="poly:degree=2", margin=0.5),
        novikoff.SecondOrderPerceptron(a=3.5),
        novikoff.AutoClassifier(experts=["perceptron", "p-norm:p=4@bias=2"], beta=0.5),
    ],
    ids=lambda model: type(model).__name__,
)
def test_a_loaded_estimator_has_its_arguments(model, digits, tmp_path):
    X, y = digits[0][:200], digits[1][:200]
    model.partial_fit(X, y).save(tmp_path / "m")
    loaded = novikoff.load(tmp_path / "m")
    assert type(loaded) is type(model)
    changed = {name for name, value in loaded.get_params().items() if value != model.get_params()[name]}
    assert changed <= {"kernel", "experts"}, "written out"
    assert type(model)(**loaded.get_params()).partial_fit(X, y).to_bytes() == model.to_bytes()
