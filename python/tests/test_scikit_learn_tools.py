"""The tools of scikit-learn around estimators: searches, pipelines, weights, metadata routing, chunks."""

from __future__ import annotations

import threading

import joblib
import novikoff
import numpy as np
import pytest
import sklearn
from novikoff import _names
from scipy import sparse
from sklearn.calibration import CalibratedClassifierCV
from sklearn.compose import make_column_transformer
from sklearn.ensemble import StackingClassifier, VotingClassifier
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.model_selection import GridSearchCV, cross_validate
from sklearn.multioutput import MultiOutputClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder, StandardScaler

WEIGHTED = [_names.class_name(e["name"]) for e in _names.learners() if e["weighted"] and not e["needs_all_rows"]] + list(_names.SOLVERS)
REGRESSIONS = {"DualRegressor", "HuberRegressor", "LinearSVR", "MaxEnt", "Ridge"}


@pytest.fixture
def routing():
    with sklearn.config_context(enable_metadata_routing=True):
        yield


@pytest.mark.usefixtures("routing")
def test_weights_are_routed_through_a_search(digits):
    """Rows of weight 0 are not there: a search that routes weights is a search over the others."""
    X, y = digits[0][:400], digits[1][:400]
    weights = (y < 5).astype(float)
    model = novikoff.Perceptron(max_iter=3, tol=None).set_fit_request(sample_weight=True).set_score_request(sample_weight=True)
    scaler = StandardScaler(with_mean=False).set_fit_request(sample_weight=False)
    search = GridSearchCV(make_pipeline(scaler, model), {"perceptron__margin": [0, 1]}, cv=3)
    search.fit(X, y, sample_weight=weights)
    found = search.best_estimator_[-1]
    scaled = search.best_estimator_[0].transform(X)
    alone = novikoff.Perceptron(max_iter=3, tol=None, margin=found.margin).fit(scaled, y, sample_weight=weights)
    assert found.to_bytes() == alone.to_bytes()
    assert found.to_bytes() != novikoff.Perceptron(max_iter=3, tol=None, margin=found.margin).fit(scaled, y).to_bytes()


@pytest.mark.usefixtures("routing")
def test_what_is_not_requested_is_refused(digits):
    X, y = digits
    with pytest.raises(ValueError, match="sample_weight.*set_fit_request"):
        cross_validate(novikoff.Perceptron(), X, y, params={"sample_weight": np.ones(len(y))}, cv=2, error_score="raise")
    # one that takes none has no such request
    assert not hasattr(novikoff.Romma(), "set_fit_request") and "sample_weight" not in novikoff.Romma().get_metadata_routing().fit.requests


@pytest.mark.usefixtures("routing")
@pytest.mark.parametrize("name", WEIGHTED)
def test_every_weighted_estimator_declares_its_weights(name):
    model = getattr(novikoff, name)().set_fit_request(sample_weight=True)
    assert model.get_metadata_routing().fit.requests["sample_weight"] is True


@pytest.mark.parametrize("name", [name for name in WEIGHTED if name not in REGRESSIONS])
def test_rows_of_weight_zero_are_not_there(name, digits):
    X, y = digits[0][:300], digits[1][:300]
    kept = np.arange(300) % 3 != 0
    weighted = getattr(novikoff, name)().fit(X, y, sample_weight=kept.astype(float))
    alone = getattr(novikoff, name)().fit(X[kept], y[kept])
    np.testing.assert_array_equal(weighted.predict(X), alone.predict(X))


@pytest.mark.parametrize("name", [name for name in WEIGHTED if name not in REGRESSIONS])
def test_class_weight_is_sample_weight(name, digits):
    X, y = digits[0][:300], digits[1][:300]
    weights = {label: 1 + label % 3 for label in range(10)}
    by_class = getattr(novikoff, name)(class_weight=weights).fit(X, y)
    by_row = getattr(novikoff, name)().fit(X, y, sample_weight=[weights[label] for label in y])
    np.testing.assert_allclose(by_class.decision_function(X), by_row.decision_function(X), rtol=1e-9)
    with pytest.raises(ValueError, match="class_weight: 77 is not one of the classes"):
        getattr(novikoff, name)(class_weight={77: 1.0}).fit(X, y)


def test_balanced_is_what_scikit_learn_calls_balanced(digits):
    X, y = digits
    few = (y != 3) | (np.arange(len(y)) % 5 == 0)
    X, y = X[few], y[few] == 3
    counts = {label: len(y) / (2 * (y == label).sum()) for label in (False, True)}
    balanced = novikoff.LinearSVM(class_weight="balanced").fit(X, y)
    given = novikoff.LinearSVM(class_weight=counts).fit(X, y)
    np.testing.assert_allclose(balanced.coef_, given.coef_, rtol=1e-9)
    with pytest.raises(ValueError, match="class_weight='balanced': partial_fit does not know all rows"):
        novikoff.Perceptron(class_weight="balanced").partial_fit(X, y)


def test_parts_of_larger_models(digits):
    X, y = digits[0][:600], digits[1][:600]
    models = [("arow", novikoff.Arow()), ("svm", novikoff.LinearSVM())]
    assert VotingClassifier(models).fit(X, y).score(X, y) > 0.9
    assert StackingClassifier(models, final_estimator=novikoff.LogisticRegression(), cv=2).fit(X, y).score(X, y) > 0.9
    calibrated = CalibratedClassifierCV(novikoff.AveragedPerceptron(), cv=3).fit(X, y)
    np.testing.assert_allclose(calibrated.predict_proba(X).sum(axis=1), 1)
    several = MultiOutputClassifier(novikoff.Arow()).fit(X, np.column_stack([y % 2, y > 4]))
    assert several.predict(X).shape == (600, 2)


def test_pipelines_of_texts_and_columns():
    texts = ["the cat sat", "a dog barked", "cats and cats", "dogs bark"] * 20
    model = make_pipeline(TfidfVectorizer(), novikoff.PassiveAggressiveClassifier())
    assert model.fit(texts, ["cat", "dog", "cat", "dog"] * 20).predict(["the cat", "a dog"]).tolist() == ["cat", "dog"]
    X = np.array([["red", 1.0], ["blue", 2.0]] * 20, dtype=object)
    encode = make_column_transformer((OneHotEncoder(), [0]), (StandardScaler(), [1]))
    assert make_pipeline(encode, novikoff.Perceptron()).fit(X, [0, 1] * 20).score(X, [0, 1] * 20) == 1.0


def test_searches_of_specs_and_kernels(digits):
    X, y = digits[0][:400], digits[1][:400]
    grid = [{"kernel": ["gaussian:gamma=0.001"], "C": [1, 10]}, {"kernel": ["poly:degree=2,gamma=0.01"], "C": [0.1]}]
    search = GridSearchCV(novikoff.SVM(), grid, cv=2, n_jobs=2).fit(X, y)
    assert search.best_score_ > 0.9 and len(search.cv_results_["params"]) == 3


def test_chunks_of_any_size_are_the_whole(digits):
    """dask-style chunks, some of them empty of a class, sparse and dense in turn."""
    X, y = digits
    whole = novikoff.Arow().partial_fit(X, y)
    chunks = novikoff.Arow()
    start = 0
    for size in (1, 2, 3, 94, 400, 1297):
        part = slice(start, start + size)
        rows = sparse.csr_array(X[part]) if size % 2 else X[part]
        chunks.partial_fit(rows, y[part])
        start += size
    assert start == len(y) and chunks.to_bytes() == whole.to_bytes() and chunks.mistakes_ == whole.mistakes_


def test_eight_threads_on_everything(digits):
    """One model is asked, others learn, load and are written, all at once; every answer is the one it gives alone."""
    X, y = digits[0][:500], digits[1][:500]
    shared = novikoff.SVM(kernel="gaussian:gamma=0.001").fit(X, y)
    expected = shared.decision_function(X)
    makers = [
        lambda: novikoff.Perceptron(max_iter=3, tol=None).fit(X, y),
        lambda: novikoff.AutoClassifier(epochs=1).fit(X, y),
        lambda: novikoff.LinearSVM().fit(sparse.csr_array(X), y),
        lambda: novikoff.SecondOrderPerceptron().partial_fit(X, y),
    ]
    alone = [make().to_bytes() for make in makers]
    graph = shared.to_onnx()
    barrier, wrong = threading.Barrier(8), []

    def work(place):
        try:
            barrier.wait()
            for turn in range(3):
                at = (place + turn) % 4
                assert makers[at]().to_bytes() == alone[at]
                np.testing.assert_array_equal(shared.decision_function(X), expected)
                assert shared.to_onnx() == graph
        except BaseException as error:  # noqa: BLE001: said in the main thread
            wrong.append(error)

    threads = [threading.Thread(target=work, args=(place,)) for place in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not wrong, wrong


def test_the_solver_is_both_its_halves(digits):
    from sklearn.base import clone, is_classifier, is_regressor
    from sklearn.datasets import load_diabetes

    X, y = digits[0][:300], digits[1][:300]
    one, half = novikoff.DualSolver(loss="logistic", C=0.5).fit(X, y), novikoff.DualClassifier(loss="logistic", C=0.5).fit(X, y)
    assert is_classifier(one) and one.to_bytes() == half.to_bytes() and one.score(X, y) == half.score(X, y)
    np.testing.assert_array_equal(one.predict_proba(X), half.predict_proba(X))
    np.testing.assert_array_equal(one.coef_, half.coef_)
    assert not hasattr(novikoff.DualSolver(loss="hinge"), "predict_proba")
    X, y = load_diabetes(return_X_y=True)
    one, half = novikoff.DualSolver(loss="huber:delta=10").fit(X, y), novikoff.DualRegressor(loss="huber:delta=10").fit(X, y)
    assert is_regressor(clone(one)) and one.to_bytes() == half.to_bytes() and one.score(X, y) == half.score(X, y)
    assert one.intercept_ == half.intercept_ and one.coef_.shape == (10,) and not hasattr(one, "decision_function")
    with pytest.raises(ValueError, match="class_weight='balanced': must be None for a loss of numbers"):
        novikoff.DualSolver(loss="squared", class_weight="balanced").fit(X, y)
    with pytest.raises(ValueError, match="squared"):
        novikoff.DualSolver(loss="sqared").fit(X, y)


def test_the_gap_of_several_classes_is_the_largest(digits):
    X, y = digits[0][:300], digits[1][:300]
    for model in (novikoff.LinearSVM(gap=1e-3), novikoff.SVM(gap=1e-3), novikoff.LogisticRegression(gap=1e-3)):
        model.fit(X, y)
        assert model.gap_ == max(one["relative_gap"] for one in model.report_["classes"]) >= 0


def test_processes_of_joblib(digits):
    X, y = digits[0][:300], digits[1][:300]
    model = novikoff.Arow().fit(X, y)
    answers = joblib.Parallel(n_jobs=2)(joblib.delayed(model.predict)(part) for part in np.array_split(X, 4))
    np.testing.assert_array_equal(np.concatenate(answers), model.predict(X))
