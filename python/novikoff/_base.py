"""What all classifiers have: rows checked, a model that learns, and what it answers."""

from __future__ import annotations

import functools
import json
from collections.abc import Callable
from typing import Any, ClassVar

import numpy as np
import scipy.sparse as sp
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.utils import check_random_state, column_or_1d
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import (
    _check_feature_names_in,
    _check_sample_weight,
    check_is_fitted,
    check_non_negative,
    validate_data,
)

from . import _data
from ._arguments import bias_of, is_number, memory_of, norm_of, spec_of, whole_from_one
from ._certificate import Certificate
from ._names import argument_name
from ._native import Model, Rows, write_file
from ._remarks import warn
from ._repr import Report, report_html
from .files import listener, paths_of, read_words, words_of_table


NEEDS_TABLE = (
    "X: the model learned from a table, so it needs one with the same columns: "
    "a frame of pandas or polars, or anything else with the Arrow PyCapsule interface"
)

NO_TEXTS = (
    'X has texts, and arrays have numbers: give a frame, such as pandas.DataFrame({"body": texts}) with columns={"text": ["body"]}'
)

NO_RUN_OF_FILES = (
    "a certificate is about one run over arrays or tables, and this model was loaded, or learned from files: "
    "use the command `novikoff certify`, or call fit"
)


def seed_of(random_state: Any) -> int:
    """The seed of the orders: the number given, or one drawn from a generator."""
    if isinstance(random_state, (int, np.integer)) and not isinstance(random_state, bool):
        if random_state < 0:
            raise ValueError(f"random_state={random_state}: must be at least 0")
        return int(random_state)
    return int(check_random_state(random_state).randint(np.iinfo(np.int32).max))


def weights_of(class_weight: Any, classes: np.ndarray, codes: np.ndarray, weights: np.ndarray | None) -> Any:
    """Labels and how much their rows count; none if all count alike."""
    if class_weight is None:
        return None
    texts = _data.label_texts(classes)
    if isinstance(class_weight, str):
        if class_weight != "balanced":
            raise ValueError(f'class_weight={class_weight!r}: must be None, "balanced" or a dict of labels and weights')
        counts = np.bincount(codes, weights=weights, minlength=len(classes))
        present = counts > 0
        balanced = np.ones(len(classes))
        balanced[present] = counts.sum() / (present.sum() * counts[present])
        return list(zip(texts, balanced.tolist()))
    unknown = [label for label in class_weight if label not in set(classes.tolist())]
    if unknown:
        raise ValueError(f"class_weight: {unknown[0]!r} is not one of the classes {classes.tolist()}")
    check_class_weights(class_weight)
    return [(text, float(class_weight.get(label, 1.0))) for text, label in zip(texts, classes.tolist())]


def check_class_weights(class_weight: Any) -> None:
    """What a label counts is a number above 0."""
    for label, weight in class_weight.items():
        if not (is_number(weight) and weight > 0):
            raise ValueError(f"class_weight: {label!r} counts {weight!r}, and must count a number above 0")


def class_weight_words(class_weight: Any) -> Any:
    """Weights of classes for files, which say themselves what their labels are: a word, or labels as text and what their rows count."""
    if class_weight is None or isinstance(class_weight, str):
        return class_weight
    check_class_weights(class_weight)
    return list(zip(_data.label_texts(np.asarray(list(class_weight))), map(float, class_weight.values())))


def label_values(texts: list[str]) -> tuple[np.ndarray, list[int]]:
    """The labels of a model file as an array in numpy's order, and the place there of each: numbers where all are numbers."""
    try:
        values = np.asarray([int(text) for text in texts])
    except ValueError:
        try:
            values = np.asarray([float(text) for text in texts])
        except ValueError:
            values = np.asarray(texts)
    classes = np.unique(values)
    return classes, np.searchsorted(classes, values).tolist()


def _as_it_was_if_refused(method: Any) -> Any:
    """A call that fails leaves the estimator as it was."""

    @functools.wraps(method)
    def guarded(self: Any, *args: Any) -> Any:
        before = dict(self.__dict__)
        try:
            return method(self, *args)
        except BaseException:
            self.__dict__.clear()
            self.__dict__.update(before)
            raise

    return guarded


def no_chances(estimator: Any) -> str:
    """Why an estimator has no probabilities, and what to do."""
    name = type(estimator).__name__
    calibrate = "call calibrate(X, y) after fit, with rows held out, " if hasattr(estimator, "calibrate") else ""
    return (
        f"{name} has margins and no probabilities, so it has no predict_proba: {calibrate}"
        f"{'or ' if calibrate else ''}use OnlineLogisticRegression or LogisticRegression, or scikit-learn's CalibratedClassifierCV"
    )


class ModelMixin:
    """What the estimators of learners and of the solver share: a model of the engine."""

    _model: Model

    def __sklearn_is_fitted__(self) -> bool:
        return getattr(self, "_model", None) is not None

    def __getstate__(self) -> dict[str, Any]:
        state = super().__getstate__()  # type: ignore[misc]
        return {name: value for name, value in state.items() if name not in ("_kept", "_of_one_sign")}

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()  # type: ignore[misc]
        tags.input_tags.sparse = True
        return tags

    def _checked(self, X: Any, **options: Any) -> Any:
        """X, and y if it is given, checked as scikit-learn does, but for the values of X, which the engine looks at; float32 stays as it is."""
        try:
            return validate_data(
                self,
                X,
                accept_sparse="csr",
                accept_large_sparse=True,
                dtype=[np.float64, np.float32],
                ensure_all_finite=False,
                **options,
            )
        except ValueError as error:
            if "could not convert string to float" in str(error):
                raise ValueError(f"{error}; {NO_TEXTS}") from error
            raise

    def _columns(self) -> Any:
        return getattr(self, "columns", None)

    def _is_table(self, X: Any) -> bool:
        if self._columns() and not _data.is_arrow(X):
            raise TypeError(
                "columns: X must be a table, a frame of pandas or polars or anything else with the Arrow PyCapsule interface; "
                'give texts as pandas.DataFrame({"body": texts}), or leave columns out for an array'
            )
        return bool(self._columns()) or _data.is_table(X)

    def _checked_table(self, X: Any, y: Any, sample_weight: Any, reset: bool) -> tuple[np.ndarray, np.ndarray | None]:
        """The labels of a table and what its rows count; its columns are noted."""
        y = column_or_1d(y, warn=True)
        names = np.asarray(_data.column_names(X), dtype=object)
        if reset:
            self.feature_names_in_, self.n_features_in_ = names, len(names)
        if sample_weight is None:
            return y, None
        weights = np.asarray(sample_weight, dtype=np.float64)
        return y, np.broadcast_to(weights, y.shape).copy() if weights.ndim == 0 else weights

    def _rows_of_table(self, X: Any, model: Model | None, **given: Any) -> Rows:
        """Rows of a table, by the rules of the command, or by those that a model keeps; the labels become one more column."""
        columns = _data.column_names(X)
        label = "label"
        while label in columns:
            label += "_"
        words = read_words(**self._words(model))
        return Rows.table(_data.table_of(X), words, _data.beside(**given), label, model)

    def _words(self, model: Model | None) -> dict[str, Any]:
        """How columns are read: a model that learns on knows it itself."""
        return self._columns() or {} if model is None else {}

    def _note(self, rows: Rows, remarks: list[dict[str, str]]) -> None:
        """Keeps the remarks on rows and on the run over them, and warns of those that matter."""
        self.remarks_ = [*({"kind": kind, "text": text} for kind, text in rows.remarks), *remarks]
        warn(self.remarks_)

    def _names_for_model(self) -> list[str] | None:
        return _data.usable_names(getattr(self, "feature_names_in_", None))

    def _answers(self, X: Any, ask: Callable[[Any], np.ndarray]) -> np.ndarray:
        """What the model answers to rows: a table is read as the model's was, arrays are handed over as they are."""
        check_is_fitted(self)
        if self._model.is_table:
            if not _data.is_arrow(X):
                raise TypeError(NEEDS_TABLE)
            rows = Rows.table(_data.table_of(X), read_words(), _data.beside(bias=self._model.bias), None, self._model)
            known = ("missing-column", "unknown-features")
            warn({"kind": kind, "text": text} for kind, text in rows.remarks if kind in known)
            return ask(rows)
        X = self._checked(X, reset=False)
        with _data.finite_or_said(X, type(self).__name__):
            return ask(_data.arrays_of(X))

    def _scores(self, X: Any, probabilities: bool = False) -> np.ndarray:
        return self._answers(X, lambda rows: self._model.scores(rows, self._threads(), probabilities))

    def _labels(self, X: Any) -> np.ndarray:
        """The label of each row, as its place among the model's classes."""
        return self._answers(X, lambda rows: self._model.labels(rows, self._threads()))

    def _threads(self) -> int | None:
        n_jobs = getattr(self, "n_jobs", None)
        if n_jobs is None:
            return None
        if not isinstance(n_jobs, (int, np.integer)) or n_jobs == 0:
            raise ValueError(f"n_jobs={n_jobs!r}: must be a whole number from 1, or None or -1 for all cores")
        return int(n_jobs) if n_jobs > 0 else None

    @property
    def coef_(self) -> np.ndarray:
        """The weights of the features, one row per class; of two classes, one row. ``get_feature_names_out`` names its columns: those of X,
        or, of a table, one or more per column of X. Rows that are standardised or normalised are weighed after that. There are no weights in the
        space of a kernel or behind a map."""
        return self._linear()[0]

    def get_feature_names_out(self, input_features: Any = None) -> np.ndarray:
        """The names of the features, in the order of ``coef_``: the columns of X, or ``x0``, ``x1``, ...; of a table a category is one feature
        per value, such as ``city=Oslo``, and a text one per word, such as ``body^parcel``."""
        check_is_fitted(self)
        if self._model.is_table:
            names = self._model.names or []
            return np.asarray([name or "" for name in names], dtype=object)
        return _check_feature_names_in(self, input_features)

    def _width(self) -> int:
        """How many features there are: as many as columns of an array, more than columns of a table."""
        if self._model.is_table:
            return int(self._model.about()["features"])
        return int(self.n_features_in_)  # type: ignore[attr-defined]

    def _take_columns(self, model: Model, about: dict[str, Any]) -> None:
        """Takes the columns that a model which was kept learned from."""
        table, names = model.table(), model.names
        if table is not None:
            names = [name for name, _ in table["columns"]]
        self.n_features_in_ = about["features"] if table is None else len(names or [])
        if names and all(names):
            self.feature_names_in_ = np.asarray(names, dtype=object)

    def _take_arguments(self, model: Model, about: dict[str, Any]) -> None:
        """Takes the arguments that a model which was kept knows, where there are such arguments."""
        weights = about["class_weight"]
        if weights is not None:
            balanced, listed = weights
            classes, order = label_values(model.classes)
            values = dict(zip(model.classes, classes[order].tolist()))
            weights = "balanced" if balanced else {values[text]: weight for text, weight in listed if text in values}
        known = {
            "kernel": None if about["kernel"] == "linear" else about["kernel"],
            "class_weight": weights,
            "columns": words_of_table(model.table()),
            **{name: about[name] for name in ("map", "normalize", "standardize", "average")},
        }
        for name, value in known.items():
            if hasattr(self, name):
                setattr(self, name, value)

    @property
    def intercept_(self) -> np.ndarray:
        """What is added to the weighted sum of the features, one number per class; of two classes, one."""
        return self._linear()[1]

    def _linear(self) -> tuple[np.ndarray, np.ndarray]:
        if not self.__sklearn_is_fitted__():
            raise AttributeError(f"{type(self).__name__} has no weights before it is fitted")
        weights = self._model.weights()
        if weights is None:
            raise AttributeError("there are no weights of features in the space of a kernel or behind a map")
        coef = np.zeros((weights.shape[0], self._width()))
        columns = min(weights.shape[1] - 1, coef.shape[1])
        coef[:, :columns] = weights[:, 1 : columns + 1]
        return coef, self._model.scores(np.zeros((1, 1)))[0]

    @property
    def support_vectors_(self) -> Any:
        """The rows that the weights are made of in the space of a kernel, as a sparse array; rows are standardised and normalised first."""
        return self._support()[0]

    @property
    def dual_coef_(self) -> np.ndarray:
        """What each of these rows counts, one line per class; of two classes, one line."""
        return self._support()[1]

    def _support(self) -> tuple[Any, np.ndarray]:
        found = self._model.support() if self.__sklearn_is_fitted__() else None
        if found is None:
            raise AttributeError("the weights are not made of stored rows; give a kernel")
        data, features, ends, coefficients = found
        shape = (len(ends) - 1, self._width())
        return sp.csr_array((data, features, ends), shape=shape), coefficients

    def _find_support(self, rows: Rows, counting: np.ndarray | None = None) -> None:
        """``support_``: the first row of the training data that each stored row is, where rows are not changed before they are learned.
        ``counting`` are the places of those rows that were handed over, if not all were."""
        self.__dict__.pop("support_", None)
        if self._model.stored is None or self._model.is_table:
            return
        places = self._model.support_places(rows)
        if places is not None:
            self.support_ = places if counting is None else counting[places]

    @property
    def n_support_(self) -> int:
        """How many rows the weights are made of, where they are sums of stored rows."""
        stored = self._model.stored
        if stored is None:
            raise AttributeError("the weights are not made of stored rows")
        return stored

    def save(self, path: Any) -> None:
        """Writes the model file, which the command and ``novikoff.load`` read. It is whole or as it was."""
        check_is_fitted(self)
        self._model.save(path)

    def to_bytes(self) -> bytes:
        """The model file as bytes."""
        check_is_fitted(self)
        return self._model.to_bytes()

    def to_onnx(self, path: Any = None, *, ops: str = "core", input: str = "float64", use: str | None = None) -> bytes | None:
        """The model as an ONNX graph, for onnxruntime and others: its bytes, or None once they are written to ``path``.

        The graph takes one matrix, ``features``, of ``n_features_in_`` columns, and gives ``label``, ``margins`` and, where there are any,
        ``probabilities``; a regression gives ``value``. ``ops="core"`` computes with float64 as ``predict`` does, ``ops="ml"`` with the
        operators of ai.onnx.ml and float32. ``input`` is the type of the matrix, ``use`` the predictor: None is the model's own.

        >>> import numpy as np
        >>> from novikoff import Perceptron
        >>> X, y = np.eye(4), np.array([0, 1, 0, 1])
        >>> graph = Perceptron().fit(X, y).to_onnx()
        >>> isinstance(graph, bytes)
        True
        """
        check_is_fitted(self)
        # of a table a category is one column per value, and the metadata of the graph has their names
        columns = 0 if self._model.is_table else int(self.n_features_in_)  # type: ignore[attr-defined]
        graph = self._model.to_onnx(ops, input, use, columns)
        if path is None:
            return graph
        write_file(path, graph)
        return None

    def _html_repr(self) -> str:
        """What notebooks show: scikit-learn's diagram, and the report of the run."""
        shown = super()._html_repr()  # type: ignore[misc]
        return shown + report_html(self.report_) if hasattr(self, "report_") else shown


class OnlineClassifier(ModelMixin, ClassifierMixin, BaseEstimator):
    """A learner of the catalogue. ``novikoff.estimators`` makes one class per learner."""

    _learner: ClassVar[dict[str, Any]]

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.positive_only = self._learner["non_negative"]
        # Winnow's sums are compared with a threshold, and its small steps are for many features
        tags.classifier_tags.poor_score = self._learner["threshold"]
        return tags

    def _spec(self) -> str:
        """The spec of the learner: keys that have their default are left out, as one would type it."""
        return spec_of(self._learner, self._key, getattr(self, "experts", None))

    def _key(self, name: str) -> Any:
        """The value of a key."""
        return getattr(self, argument_name(name))

    def _set_key(self, name: str, value: Any) -> None:
        """Takes the value of a key of a model that was kept."""
        setattr(self, argument_name(name), value)

    def _restore(self, model: Model, about: dict[str, Any]) -> None:
        """Becomes the estimator of a model that was kept."""
        self.classes_, order = label_values(model.classes)
        self._binary = about["binary"]
        self._all_known, self._given = self._binary, True
        self._take_columns(model, about)
        self._model = model
        self._order = [0, 1] if self._binary else order
        self._trained_by = NO_RUN_OF_FILES
        self.mistakes_, self.updates_ = about["mistakes"], about["updates"]

    # What a subclass with scikit-learn's argument names reads elsewhere.

    def _bias(self) -> float | None:
        return bias_of(self.bias)  # type: ignore[attr-defined]

    def _epochs(self) -> int:
        return whole_from_one("epochs", self.epochs)  # type: ignore[attr-defined]

    def _shuffle(self) -> int | None:
        return seed_of(self.random_state) if self.shuffle else None  # type: ignore[attr-defined]

    def _options(self, *, epochs: int, shuffle: int | None, class_weight: Any = None) -> dict[str, Any]:
        classes = self.classes_
        texts = _data.label_texts(classes)
        get = lambda name, default=None: getattr(self, name, default)  # noqa: E731
        return {
            "epochs": epochs,
            "shuffle": shuffle,
            "kernel": get("kernel"),
            "map": get("map"),
            "bias": self._bias(),
            "normalize": norm_of(get("normalize")),
            "standardize": bool(get("standardize", False)),
            "average": bool(get("average", False)),
            "class_weight": class_weight,
            "labels": (texts[0], texts[1]) if self._binary else None,
            "features": int(self.n_features_in_),
            "threads": self._threads(),
            "max_memory": memory_of(get("max_memory")),
        }

    def _table_rows(self, X: Any, y: np.ndarray, weights: np.ndarray | None, model: Model | None) -> Rows:
        codes, texts = np.searchsorted(self.classes_, y), _data.label_texts(self.classes_)
        return self._rows_of_table(X, model, bias=self._bias(), codes=codes, labels=texts, weights=weights)

    def _training_rows(self, X: Any, y: np.ndarray, weights: np.ndarray | None, names: list[str] | None) -> Rows:
        codes = np.searchsorted(self.classes_, y)
        labels = _data.label_texts(self.classes_)
        return _data.rows_of(X, type(self).__name__, bias=self._bias(), codes=codes, labels=labels, weights=weights, names=names)

    def _weighed(self, X: Any, y: np.ndarray, sample_weight: Any) -> tuple[Any, np.ndarray, np.ndarray | None]:
        """Rows that count: those of weight 0 are left out."""
        if sample_weight is None:
            return X, y, None
        weights = _check_sample_weight(sample_weight, X, dtype=np.float64, ensure_non_negative=True)
        counts = weights > 0
        if not counts.all():
            X, y, weights = X[counts], y[counts], weights[counts]
        return X, y, weights

    def _checked_for_learning(self, X: Any, y: Any, reset: bool) -> tuple[Any, np.ndarray]:
        X, y = self._checked(X, y=y, reset=reset)
        if self._learner["non_negative"]:
            check_non_negative(X, type(self).__name__)
        return X, y

    def _begin(self, X: Any, y: Any, sample_weight: Any) -> tuple[Any, np.ndarray, np.ndarray | None]:
        X, y = self._checked_for_learning(X, y, reset=True)
        check_classification_targets(y)
        X, weighed, weights = self._weighed(X, y, sample_weight)
        self._set_classes(weighed)
        if len(weighed) < len(y):  # labels of rows that do not count are known all the same
            self._take_classes(y)
        return X, weighed, weights

    def _fit(self, X: Any, y: Any, sample_weight: Any = None) -> Any:
        if self._is_table(X):
            y, weights = self._checked_table(X, y, sample_weight, reset=True)
            check_classification_targets(y)
            self._set_classes(y)
            rows = self._table_rows(X, y, weights, None)
        else:
            X, y, weights = self._begin(X, y, sample_weight)
            rows = self._training_rows(X, y, weights, self._names_for_model())
        options = self._options(epochs=self._epochs(), shuffle=self._shuffle(), class_weight=self._class_weight(y, weights))
        if self._is_table(X):  # columns are not features: a category is one feature per value
            options["features"] = None
        with _data.finite_or_said(X, type(self).__name__):
            self._run(rows, options)
        self._note(rows, self.remarks_)
        if getattr(self, "keep_rows", False):
            rows.hold()
            self._kept = rows
        if sample_weight is None:
            self._find_support(rows)
        return self

    def _set_classes(self, y: np.ndarray) -> None:
        self._take_classes(y)
        if len(self.classes_) < 2:
            raise ValueError(f"{type(self).__name__} needs rows of at least two classes, and y has one class only")

    def _take_classes(self, y: np.ndarray) -> None:
        """The classes of all rows: two are one problem, to which ``partial_fit`` adds no third."""
        self.classes_ = np.unique(y)
        self._binary = len(self.classes_) == 2
        self._all_known, self._given = self._binary, True

    def _class_weight(self, y: np.ndarray, weights: np.ndarray | None) -> Any:
        asked = getattr(self, "class_weight", None)
        if asked is None:
            return None
        return weights_of(asked, self.classes_, np.searchsorted(self.classes_, y), weights)

    def _run(self, rows: Rows, options: dict[str, Any]) -> None:
        """One run of the engine from no model."""
        model, report = Model.fit(self._spec(), rows, options)
        self._adopt(model, json.loads(report))
        self._trained_by = options

    def _adopt(self, model: Model, report: dict[str, Any]) -> None:
        self._model = model
        about = model.about()
        self.report_ = Report(report)
        self.mistakes_ = about["mistakes"]
        self.updates_ = about["updates"]
        self.n_iter_ = len(report["epochs"])
        self.validation_ = report.get("validation")
        self.baseline_ = report.get("baseline")
        self.parameters_ = report["parameters"]
        self.remarks_ = report.get("remarks", [])
        places = {text: place for place, text in enumerate(_data.label_texts(self.classes_))}
        if self._binary:
            self._order = [0, 1]
        elif all(text in places for text in model.classes):
            self._order = [places[text] for text in model.classes]
        else:  # a file may write a number as 1.0
            self._order = label_values(model.classes)[1]
        self._kept = None

    @_as_it_was_if_refused
    def _partial_fit(self, X: Any, y: Any, classes: Any = None, sample_weight: Any = None) -> Any:
        first = not self.__sklearn_is_fitted__()
        is_table = self._is_table(X) if first else self._model.is_table
        if is_table:
            y, weights = self._checked_table(X, y, sample_weight, reset=first)
            check_classification_targets(y)
            self._meet(y, classes, first)
        else:
            X, y = self._checked_for_learning(X, y, reset=first)
            check_classification_targets(y)
            self._meet(y, classes, first)
            X, y, weights = self._weighed(X, y, sample_weight)
        if len(y) == 0:
            return self
        pending = self.__dict__.get("_of_one_sign")
        if pending and not self._binary:
            self._learn_again(pending)
        class_weight = getattr(self, "class_weight", None)
        if isinstance(class_weight, str):
            raise ValueError(f'class_weight={class_weight!r}: partial_fit does not know all rows; give a dict, or sample_weight')
        options = self._options(epochs=1, shuffle=None, class_weight=self._class_weight(y, weights))
        named = first or self._model.is_named
        if is_table:
            rows = self._table_rows(X, y, weights, None if first else self._model)
        else:
            rows = self._training_rows(X, y, weights, self._names_for_model() if named else None)
        if is_table:
            options["features"] = None
        with _data.finite_or_said(X, type(self).__name__):
            if first:
                self._run(rows, options)
            else:
                model, report = self._model.more(rows, options)
                self._adopt(model, json.loads(report))
        self._note(rows, self.remarks_)
        one_sign = self._binary and not self._given and len(np.unique(y)) == 1 and (first or bool(pending))
        same = one_sign and (first or self._sign == y[0])
        self._sign = y[0] if one_sign else None
        if same:
            rows.hold()
        self._of_one_sign = [*(pending or []), rows] if same else None
        return self

    def _learn_again(self, pending: list[Rows]) -> None:
        """The rows so far had one label, -1 or 1, and were learned as one problem; a third label says that they are one problem per class."""
        options = self._options(epochs=1, shuffle=None)
        if self._model.is_table:
            options["features"] = None
        self._run(pending[0], options)
        for rows in pending[1:]:
            model, report = self._model.more(rows, options)
            self._adopt(model, json.loads(report))

    def fit_file(self, paths: Any, *, progress: Any = None, **read: Any) -> Any:
        """Learns from a file or several, at the command's speed: ``fit`` without an array.

        ``read`` says how they are read, in the words of the command: ``label``, ``categorical``, ``text``, ``drop``, ``only``, ``missing``,
        ``dates``, ``ngrams``, ``tfidf``, ``header``, ``format``, ``zero_based``, ``skip_bad``, ``max_features``. ``progress=True`` shows how
        far it is; a function is called with the phase, the place and the length.
        """
        return self._learn_file(paths, self._epochs(), self._shuffle(), None, progress, read)

    def partial_fit_file(self, paths: Any, *, progress: Any = None, **read: Any) -> Any:
        """Learns on from a file or several, in one pass in their order: ``partial_fit`` without an array."""
        model = self._model if self.__sklearn_is_fitted__() else None
        return self._learn_file(paths, 1, None, model, progress, read)

    @_as_it_was_if_refused
    def _learn_file(
        self, paths: Any, epochs: int, shuffle: int | None, model: Model | None, progress: Any, read: dict[str, Any]
    ) -> Any:
        words = read_words(**{**self._words(model), **read})
        # the file says what its labels are
        self.classes_, self._binary, self.n_features_in_ = np.asarray([0, 1]), True, 0
        options = self._options(epochs=epochs, shuffle=shuffle, class_weight=class_weight_words(getattr(self, "class_weight", None)))
        with listener(progress) as shown:
            learned, report = Model.fit_file(self._spec(), paths_of(paths), words, options, model, shown)
        self._restore(learned, learned.about())
        self._adopt(learned, json.loads(report))
        warn(self.remarks_)
        return self

    def predict_file(self, paths: Any, *, progress: Any = None, **read: Any) -> np.ndarray:
        """The label of each row of a file or several."""
        check_is_fitted(self)
        with listener(progress) as shown:
            texts = self._model.predict_file(paths_of(paths), read_words(**read), self._threads(), shown)
        places = dict(zip(self._model.classes, self._order))
        return self.classes_[np.asarray([places[text] for text in texts], dtype=np.intp)]

    def calibrate(self, X: Any, y: Any, method: str = "platt") -> Any:
        """Fits maps from margins to probabilities on rows that it was not trained on; then there is ``predict_proba``.

        ``method`` is ``"platt"`` or ``"isotonic"``. The maps are fitted again while the model learns on.
        """
        check_is_fitted(self)
        rows = self._known_rows(X, y, self._model)
        self._model = self._model.calibrate(rows, method)
        return self

    def _known_rows(self, X: Any, y: Any, model: Model | None) -> Rows:
        """Rows whose labels are all known; a table is read as the model's was, or as it was before there was a model."""
        is_table = self._model.is_table
        if is_table:
            if not _data.is_arrow(X):
                raise TypeError(NEEDS_TABLE)
            y, _ = self._checked_table(X, y, None, reset=False)
        else:
            X, y = self._checked(X, y=y, reset=False)
        strangers = np.setdiff1d(np.unique(y), self.classes_)
        if len(strangers):
            raise ValueError(f"y: label {strangers.tolist()[0]!r} is not one of the classes {self.classes_.tolist()}")
        if is_table:
            return self._table_rows(X, y, None, model)
        named = model is not None and model.is_named
        return self._training_rows(X, y, None, self._names_for_model() if named else None)

    def _meet(self, y: np.ndarray, classes: Any, first: bool) -> None:
        """The classes so far. Given beforehand they are all there are; otherwise labels other than -1 and 1 are one problem per class, and
        new ones may come at any time."""
        if first:
            met = np.unique(y) if classes is None else np.unique(np.asarray(classes))
            signs = np.asarray([-1, 1])
            plus_minus = classes is None and met.dtype.kind in "iuf" and np.isin(met, signs).all()
            self.classes_ = signs.astype(met.dtype) if plus_minus else met
            self._binary = bool(plus_minus or (classes is not None and len(met) == 2))
            self._given = classes is not None
            self._all_known = self._given or plus_minus
        elif classes is not None and not np.array_equal(self.classes_, np.unique(np.asarray(classes))):
            raise ValueError(f"classes={classes!r} is not the same as on the last call to partial_fit: {self.classes_}")
        strangers = np.setdiff1d(np.unique(y), self.classes_)
        if len(strangers) == 0:
            return
        if self._all_known and self.__dict__.get("_of_one_sign"):
            self.classes_ = np.asarray([self._sign], dtype=self.classes_.dtype)
            self._binary = self._all_known = False
        if self._all_known:
            raise ValueError(
                f"y: label {strangers.tolist()[0]!r} is not one of the classes {self.classes_.tolist()}; "
                "name all of them by classes= in the first call to partial_fit"
            )
        self.classes_ = np.union1d(self.classes_, np.unique(y))

    def predict(self, X: Any) -> np.ndarray:
        """The label of each row."""
        places = self._labels(X)
        return self.classes_[np.asarray(self._order)[places]]

    def decision_function(self, X: Any) -> np.ndarray:
        """The margin of each row: of two classes one number, which is at least 0 for the second of ``classes_``; else one per class."""
        scores = self._scores(X)
        if self._binary:
            return scores[:, 0]
        margins = np.full((scores.shape[0], len(self.classes_)), -np.inf)
        margins[:, self._order] = scores
        return margins[:, 1] - margins[:, 0] if len(self.classes_) == 2 else margins

    def _predict_proba(self, X: Any) -> np.ndarray:
        """The probability of each class."""
        chances = self._scores(X, probabilities=True)
        if self._binary:
            return np.column_stack([1.0 - chances[:, 0], chances[:, 0]])
        all_classes = np.zeros((chances.shape[0], len(self.classes_)))
        all_classes[:, self._order] = chances
        return all_classes

    def certify(self, X: Any, y: Any, effort: str = "full") -> Certificate:
        """The certificate of the run that made this model, from the rows it was trained on, in their order.

        It repeats the run, which must come to the same mistakes, and then searches for the comparator.
        """
        check_is_fitted(self)
        self._check_run()
        return self._certified(self._known_rows(X, y, None), effort)

    def _check_run(self) -> None:
        """A certificate is about one run that began with no model: ``_trained_by`` has its options, or says why there is none."""
        if isinstance(self._trained_by, str):
            raise ValueError(self._trained_by)

    @property
    def certificate_(self) -> Certificate:
        """The certificate of ``fit``, searched when it is first asked for. Needs ``keep_rows=True``; ``certify`` takes the rows again."""
        rows = getattr(self, "_kept", None)
        if rows is None:
            if self.__sklearn_is_fitted__() and isinstance(self._trained_by, str):
                raise AttributeError(self._trained_by)
            raise AttributeError(
                "the rows were not kept: give keep_rows=True and call fit, or call certify(X, y) with the rows again"
            )
        found = self.__dict__.get("_certificate_of")
        if found is None or found[0] is not self._model:
            found = (self._model, self._certified(rows, "full"))
            self._certificate_of = found
        return found[1]

    def _certified(self, rows: Rows, effort: str) -> Certificate:
        _, report = Model.fit(self._spec(), rows, self._trained_by, effort)
        report = json.loads(report)
        if report["mistakes"] != self.mistakes_:
            raise ValueError(
                f"these are not the rows it was trained on, in their order: a run over them makes {report['mistakes']} mistakes, "
                f"and the model made {self.mistakes_}"
            )
        return Certificate(report)
