"""``to_onnx`` of every estimator, run by onnxruntime on 1,000 random rows, beside the estimator's own answers."""

from __future__ import annotations

import json

import novikoff
import numpy as np
import onnxruntime
import pandas as pd
import pytest
from novikoff import _names
from sklearn.exceptions import NotFittedError

ROWS = 1000
REGRESSIONS = {"DualRegressor", "HuberRegressor", "LinearSVR", "MaxEnt", "Ridge"}


def data(kind: str, positive: bool = False):
    """600 rows of 12 features to learn from and 1,000 others, zero rows and an empty last column among them."""
    rng = np.random.default_rng(7)
    X = rng.normal(size=(600, 12)) * (rng.random((600, 12)) < 0.7)
    X[:, 0] += 3
    X[:, 11] = 0
    new = 3 * rng.normal(size=(ROWS, 12))
    new[:3] = 0
    if positive:
        X, new = np.abs(X), np.abs(new)
    scores = X @ rng.normal(size=(12, 4)) + rng.gumbel(size=(600, 4))
    labels = {
        "two": np.where(scores[:, 0] > scores[:, 1], 1, -1),
        "several": np.array([3, -7, 11, 20])[scores.argmax(axis=1)],
        "texts": np.array(["red", "green", "blue", "grey"])[scores.argmax(axis=1)],
        "numbers": np.abs(scores[:, 0]) if positive else scores[:, 0],
    }
    return X.astype(np.float32), labels[kind], new.astype(np.float32)


def run(graph: bytes, X, dtype=np.float64):
    session = onnxruntime.InferenceSession(graph, providers=["CPUExecutionProvider"])
    (given,) = session.get_inputs()
    assert (given.name, given.shape[1]) == ("features", X.shape[1])
    names = [output.name for output in session.get_outputs()]
    return dict(zip(names, session.run(None, {"features": X.astype(dtype)}))), session.get_modelmeta().custom_metadata_map


def compare(model, X, relative=1e-9, **options):
    answers, _ = run(model.to_onnx(**options), X, np.float32 if options.get("input") == "float32" else np.float64)
    margins = model.decision_function(X)
    margins = margins.reshape(len(X), -1)
    if not getattr(model, "_binary", True) and len(model.classes_) > 2:
        margins = margins[:, model._order]
    size = np.abs(margins).max()
    np.testing.assert_allclose(answers["margins"], margins, rtol=relative, atol=relative * size)
    wrong = answers["label"].astype(model.classes_.dtype) != model.predict(X)
    if relative <= 1e-8:
        assert not wrong.any()
    else:
        # float32 may decide otherwise where two classes are as good as equal
        top = np.sort(margins, axis=1)
        gap = np.abs(top[:, -1] - top[:, -2]) if margins.shape[1] > 1 else np.abs(margins[:, 0])
        assert (gap[wrong] <= 10 * relative * size).all()
    if hasattr(model, "predict_proba"):
        chances = model.predict_proba(X)
        chances = chances if chances.shape[1] == 2 else chances[:, model._order]
        np.testing.assert_allclose(answers["probabilities"], chances, atol=max(1e-9, 100 * relative))
    else:
        assert "probabilities" not in answers
    return answers


CLASSIFIERS = [name for name in _names.estimators() if name not in REGRESSIONS]


@pytest.mark.parametrize("kind", ["two", "several", "texts"])
@pytest.mark.parametrize("name", CLASSIFIERS)
def test_every_classifier(name, kind):
    entry = getattr(getattr(novikoff, name), "_learner", {"non_negative": False})
    X, y, new = data(kind, entry["non_negative"])
    model = getattr(novikoff, name)().fit(X, y)
    if name == "VotedPerceptron":
        with pytest.raises(ValueError, match='voted predictor of voted is no sum.*use="averaged"'):
            model.to_onnx()
        assert run(model.to_onnx(use="averaged"), new)[0]["margins"].shape[0] == ROWS
        return
    compare(model, new)


@pytest.mark.parametrize("name", sorted(REGRESSIONS))
def test_every_regression(name):
    X, y, new = data("numbers", name == "MaxEnt")
    model = getattr(novikoff, name)().fit(X, y)
    answers, _ = run(model.to_onnx(), new)
    assert list(answers) == ["value"]
    np.testing.assert_allclose(answers["value"][:, 0], model.predict(new), rtol=1e-9, atol=1e-9)


@pytest.mark.parametrize("kind", ["two", "several"])
@pytest.mark.parametrize("kernel", ["gaussian:gamma=0.05", "poly:degree=3,gamma=0.1", "gaussian:gamma=0.1,cosine"])
def test_kernels(kernel, kind):
    X, y, new = data(kind)
    for model in (novikoff.AveragedPerceptron(kernel=kernel, epochs=1), novikoff.Forgetron(kernel=kernel, epochs=1), novikoff.SVM(kernel=kernel)):
        compare(model.fit(X, y), new)


@pytest.mark.parametrize("kind", ["two", "several", "texts"])
@pytest.mark.parametrize(
    "experts",
    [
        None,
        ["perceptron", "perceptron"],
        ["averaged@bias=2", "alma@normalize=2", "logistic@bias=off", "passive-aggressive:c=0.01@normalize=1,bias=0.5"],
    ],
)
def test_majorities(experts, kind):
    X, y, new = data(kind)
    for epochs in (1, 3):
        model = novikoff.AutoClassifier(experts=experts, epochs=epochs).fit(X, y)
        compare(model, new)
        compare(model, new, relative=2e-5, ops="ml")
        alone, _ = run(model.to_onnx(use="best"), new)
        assert alone["margins"].shape == (ROWS, 1 if kind == "two" else 4)


def test_majorities_behind_maps_and_with_kernels():
    X, y, new = data("several")
    compare(novikoff.AutoClassifier(map="rff:dim=64,gamma=0.05", epochs=1).fit(X, y), new, relative=1e-8)
    compare(novikoff.AutoClassifier(kernel="gaussian:gamma=0.05", epochs=1).fit(X, y), new)
    compare(novikoff.AutoClassifier(standardize=True, epochs=1).fit(X, y), new, relative=1e-8)
    calibrated = novikoff.AutoClassifier(epochs=1).fit(X[:400], y[:400]).calibrate(X[400:], y[400:])
    assert "probabilities" in compare(calibrated, new)


def test_a_majority_with_a_voter_that_is_no_sum():
    X, y, _ = data("two")
    model = novikoff.AutoClassifier(experts=["perceptron", "voted"], epochs=1).fit(X, y)
    with pytest.raises(ValueError, match='expert of auto.*is no sum.*use="best"'):
        model.to_onnx()


@pytest.mark.parametrize("given", ["float64", "float32"])
@pytest.mark.parametrize("kind", ["two", "several"])
def test_operators_of_machine_learning(kind, given):
    X, y, new = data(kind)
    compare(novikoff.AveragedPerceptron().fit(X, y), new, relative=2e-6, ops="ml", input=given)
    compare(novikoff.SVM(kernel="gaussian:gamma=0.05").fit(X, y), new, relative=2e-5, ops="ml", input=given)


def test_files_and_names(tmp_path):
    X, y, new = data("two")
    frame = pd.DataFrame(X, columns=[f"f{k}" for k in range(12)])
    model = novikoff.Arow().fit(frame, y)
    assert model.to_onnx(tmp_path / "m.onnx") is None
    assert (tmp_path / "m.onnx").read_bytes() == model.to_onnx()
    _, about = run(model.to_onnx(), new)
    assert json.loads(about["feature_names"]) == list(frame.columns) and json.loads(about["labels"]) == ["-1", "1"]
    table = pd.DataFrame({"colour": ["red", "blue"] * 30, "size": [1.0, 2.0, 3.0] * 20})
    model = novikoff.Arow(columns={"categorical": ["colour"]}).fit(table, [True, False] * 30)
    answers, about = run(model.to_onnx(), np.zeros((4, 3), dtype=np.float32))
    assert sorted(json.loads(about["feature_names"])) == ["colour=blue", "colour=red", "size"]
    assert set(answers["label"]) <= {"True", "False"}


@pytest.mark.parametrize(
    ("options", "text"),
    [
        ({"ops": "all"}, 'ops="all": must be "core" or "ml"'),
        ({"input": "int8"}, 'input="int8": must be "float64" or "float32"'),
        ({"use": "best"}, "offers final"),
        ({"use": "none"}, 'use="none": must be None, "final"'),
    ],
)
def test_errors_name_the_arguments(options, text, tmp_path):
    X, y, _ = data("two")
    model = novikoff.Perceptron().fit(X, y)
    with pytest.raises(ValueError, match=text):
        model.to_onnx(tmp_path / "m", **options)
    assert not (tmp_path / "m").exists()
    with pytest.raises(OSError):
        model.to_onnx(tmp_path / "no" / "m")
    with pytest.raises(NotFittedError):
        novikoff.Perceptron().to_onnx()
