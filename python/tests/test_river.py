"""river's own examination of every class, and the same models as the command's."""

from __future__ import annotations

import copy
import itertools
import json
import pickle
import subprocess

import novikoff
import numpy as np
import pandas as pd
import pytest
from novikoff import _names
from novikoff import river as nr
from river import checks, compose, datasets, evaluate, metrics, preprocessing

NAMES = [_names.class_name(entry["name"]) for entry in _names.learners() if not entry["needs_all_rows"]]


def named_checks():
    for name in NAMES:
        counts: dict[str, int] = {}
        for check in checks.yield_checks(getattr(nr, name)()):
            counts[check.__name__] = counts.get(check.__name__, 0) + 1
            yield pytest.param(name, check, id=f"{name}-{check.__name__}-{counts[check.__name__]}")


@pytest.mark.parametrize(("name", "check"), list(named_checks()))
def test_checks(name, check):
    model = getattr(nr, name)()
    assert model._unit_test_skips() == set()
    check(model.clone())


def test_every_learner_has_a_class():
    assert set(nr.__all__) == {"RowClassifier", *NAMES}


def segments(rows):
    return list(itertools.islice(datasets.ImageSegments(), rows))


def as_vw(rows):
    """Rows as text of VW: names in their order, as new ones get their slots."""
    lines = []
    for x, y in rows:
        features = " ".join(f"{name}:{np.float32(value)!s}" for name, value in sorted(x.items()))
        lines.append(f"{y} | {features}\n")
    return "".join(lines)


@pytest.mark.parametrize("name", [name for name in NAMES if not getattr(nr, name)._learner["non_negative"]])
def test_rows_one_by_one_are_the_run_of_the_command(name, command, tmp_path):
    codes: dict[str, int] = {}
    rows = [({k.replace("-", "_"): v for k, v in x.items()}, codes.setdefault(y, len(codes) + 2)) for x, y in segments(300)]
    model = getattr(nr, name)()
    if any(getattr(model, key["name"].replace("-", "_"), None) == "auto" for key in model._learner["keys"]):
        model = model.clone({"n_features": len(rows[0][0])})
    for x, y in rows:
        model.learn_one(x, y)
    (tmp_path / "rows.vw").write_text(as_vw(rows))
    words = [command, "train", str(tmp_path / "rows.vw"), "-a", model._learner["name"], "--bias", "1", "-q", "--json", "-o", str(tmp_path / "m")]
    report = json.loads(subprocess.run(words, capture_output=True, text=True, check=True).stdout)
    assert (model.trials, model.mistakes, model.updates) == (300, report["mistakes"], report["updates"])
    if name != "NormalisedPerceptron":  # it scales its weights at the end of a pass, and rows that come one by one have none
        assert model.to_bytes() == (tmp_path / "m").read_bytes()


def test_a_copy_asks_itself():
    model = nr.Perceptron()
    model.learn_one({"a": 1.0}, True)
    for copied in (copy.deepcopy(model), pickle.loads(pickle.dumps(model))):
        for _ in range(3):
            copied.learn_one({"a": 1.0}, False)
        assert (copied.predict_one({"a": 1.0}), model.predict_one({"a": 1.0})) == (False, True)


@pytest.mark.parametrize("name", NAMES)
def test_pickle_and_copy_go_on_as_the_original(name):
    rows = list(itertools.islice(datasets.Phishing(), 200))
    model = getattr(nr, name)()
    for x, y in rows[:100]:
        model.learn_one(x, y)
    pickled, copied = pickle.loads(pickle.dumps(model)), copy.deepcopy(model)
    for x, y in rows[100:]:
        assert pickled.predict_one(x) == copied.predict_one(x) == model.predict_one(x)
        for one in (model, pickled, copied):
            one.learn_one(x, y)
    assert pickled.to_bytes() == copied.to_bytes() == model.to_bytes()
    assert (pickled.mistakes, pickled.updates) == (model.mistakes, model.updates)
    assert b"reduce" not in pickle.dumps(model) and model.clone().trials == 0


def test_texts_are_categories(tmp_path):
    model = nr.AveragedPerceptron()
    rows = [({"city": "Oslo", "n": 1}, "north"), ({"city": "Rome", "n": 2}, "south"), ({"city": "Oslo"}, "north"), ({}, "south")] * 10
    for x, y in rows:
        model.learn_one(x, y)
    assert model.predict_one({"city": "Oslo", "n": 1}) == "north" and model.predict_one({"city": "Rome", "n": 2}) == "south"
    assert model.predict_one({"city": "Paris", "other": 3.5}) in ("north", "south"), "what is not known is left out"
    model.save(tmp_path / "m")
    assert sorted(novikoff.load(tmp_path / "m").feature_names_in_) == ["city=Oslo", "city=Rome", "n"]


@pytest.mark.parametrize(("labels", "kind"), [([True, False], bool), ([-1, 1], int), ([-1.0, 1.0], float), (["a", "b", "c"], str), ([0, 1, 2], int)])
def test_predictions_are_the_labels_that_were_given(labels, kind):
    model = nr.OnlineLogisticRegression()
    assert model.predict_one({"f": 1.0}) is None and model.predict_proba_one({"f": 1.0}) == {}
    for k in range(60):
        model.learn_one({f"f{k % len(labels)}": 1.0}, labels[k % len(labels)])
    for k, label in enumerate(labels):
        answer = model.predict_one({f"f{k}": 1.0})
        assert answer == label and type(answer) is kind
        chances = model.predict_proba_one({f"f{k}": 1.0})
        assert set(chances) == set(labels) and max(chances, key=chances.get) == label and abs(sum(chances.values()) - 1) < 1e-12


def test_weights_count():
    twice, heavy, light = nr.Perceptron(), nr.Perceptron(), nr.Perceptron()
    x = {"a": 1.0}
    heavy.learn_one(x, False, w=2.0)
    twice.learn_one(x, False)
    light.learn_one({"b": 5.0}, True, w=0.0)
    assert light.trials == 0 and light.predict_one(x) is None
    assert heavy.to_bytes() != twice.to_bytes()
    weighted = nr.Perceptron(class_weight={False: 2.0})
    weighted.learn_one(x, False)
    assert weighted.predict_one(x) is False


def test_batches_with_gaps():
    frame = pd.DataFrame([{"a": 1.0, "c": "red"}, {"b": 2.0}, {"a": 3.0, "b": 1.0, "c": "blue"}])
    one, many = nr.Arow(), nr.Arow()
    for x, y in zip([{"a": 1.0, "c": "red"}, {"b": 2.0}, {"a": 3.0, "b": 1.0, "c": "blue"}], "xyx"):
        one.learn_one(x, y)
    many.learn_many(frame, pd.Series(list("xyx")))
    assert many.to_bytes() == one.to_bytes()
    assert many.predict_many(frame).tolist() == [one.predict_one({"a": 1.0, "c": "red"}), one.predict_one({"b": 2.0}), "x"]


def test_pipelines_and_progressive_validation():
    model = compose.Pipeline(preprocessing.StandardScaler(), nr.Arow())
    assert evaluate.progressive_val_score(datasets.Phishing(), model, metrics.Accuracy()).get() > 0.85


@pytest.mark.parametrize(
    ("act", "error", "text"),
    [
        (lambda: nr.PNormPerceptron(p=1), ValueError, "p = 1: must be >= 2"),
        (lambda: nr.Perceptron(kernel="gausian"), ValueError, "gaussian"),
        (lambda: nr.Perceptron().learn_one({"a": None}, 1), ValueError, r'x\["a"\] is None: must be a number or a text; leave the feature out'),
        (lambda: nr.Perceptron().learn_one({"a": [1]}, 1), TypeError, r'x\["a"\] is of the type list'),
        (lambda: nr.Perceptron().learn_one({"a": float("nan")}, 1), ValueError, r'x\["a"\].*NaN is not a number within the range of f32'),
        (lambda: nr.Perceptron().learn_one({"a": 1e300}, 1), ValueError, "within the range of f32"),
        (lambda: nr.Perceptron().learn_one([1.0], 1), TypeError, "dict"),
        (lambda: nr.Perceptron().learn_one({"a": 1}, None), ValueError, "y=None: a row to learn from needs a label"),
        (lambda: nr.Perceptron().learn_one({"a": 1}, float("inf")), ValueError, "y=inf: must be a finite number"),
        (lambda: nr.Perceptron().learn_one({"a": 1}, True, w=-1.0), ValueError, "w=-1: must be a finite number that is at least 0"),
        (lambda: nr.Winnow().learn_one({"a": -1.0}, True), ValueError, "takes no negative values; use balanced-winnow"),
        (lambda: nr.Perceptron().save("x"), ValueError, "call learn_one first"),
        (lambda: nr.Perceptron().predict_proba_one({"a": 1.0}), NotImplementedError, "OnlineLogisticRegression"),
        (lambda: nr.Perceptron().learn_many(pd.DataFrame({"a": [1.0, 1e300]}), [True, False]), ValueError, "row 1 of X: .* the rows before it were learned"),
    ],
)
def test_errors_are_pythons_own(act, error, text):
    with pytest.raises(error, match=text):
        act()


def test_a_refused_row_leaves_the_model_as_it_was():
    model = nr.Arow()
    model.learn_one({"a": 1.0}, "x")
    before = model.to_bytes()
    for x, y in [({"a": 1.0, "new": None}, "x"), ({"a": float("inf")}, "x"), ({"a": 2.0}, None)]:
        with pytest.raises(ValueError):
            model.learn_one(x, y)
    assert model.to_bytes() == before and model.predict_one({"a": 1.0}) == "x"
    two = nr.Perceptron()
    two.learn_one({"a": 1.0}, True)
    with pytest.raises(ValueError, match="maybe"):
        two.learn_one({"a": 1.0}, "maybe")
    assert two.predict_one({"a": 1.0}) in (True, False)
    late = nr.Arow()
    late.learn_one({"a": 1.0}, "x")
    with pytest.raises(ValueError):
        late.learn_one({"a": float("nan")}, "y")
    late.learn_one({"b": 1.0}, "z")
    assert {late.predict_one({"a": 1.0}), late.predict_one({"b": 1.0})} <= {"x", "z"}
    first = nr.Perceptron()
    with pytest.raises(ValueError):
        first.learn_one({"a": float("nan")}, True)
    first.learn_one({"a": 1.0}, "word")
    assert first.predict_one({"a": 1.0}) == "word"
    same = nr.Perceptron()
    same.learn_one({"a": 1.0}, 5)
    with pytest.raises(ValueError, match="y=5: another label has the same text"):
        same.learn_one({"a": 1.0}, "5")
