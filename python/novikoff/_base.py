"""What all classifiers have: rows checked, a model that learns, and what it answers."""

from __future__ import annotations

import functools
import json
from typing import Any, ClassVar

import numpy as np
import scipy.sparse as sp
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.utils import check_random_state, column_or_1d
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import _check_sample_weight, check_is_fitted, check_non_negative, validate_data

from . import _data
from ._arguments import bias_of, norm_of, spec_of
from ._certificate import Certificate
from ._names import argument_name
from ._native import Model, Rows, write_file
from ._repr import report_html
from .files import paths_of, progress_of, read_words


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
    return [(text, float(class_weight.get(label, 1.0))) for text, label in zip(texts, classes.tolist())]


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


def _row_keys(rows: Any) -> Any:
    """What tells the rows of a sparse array apart."""
    rows.sort_indices()
    for start, end in zip(rows.indptr[:-1], rows.indptr[1:]):
        kept = rows.data[start:end] != 0
        yield rows.indices[start:end][kept].astype(np.int64).tobytes(), rows.data[start:end][kept].tobytes()


class ModelMixin:
    """What the estimators of learners and of the solver share: a model of the engine."""

    _model: Model

    def __sklearn_is_fitted__(self) -> bool:
        return getattr(self, "_model", None) is not None

    def __getstate__(self) -> dict[str, Any]:
        state = super().__getstate__()  # type: ignore[misc]
        return {name: value for name, value in state.items() if name != "_kept"}

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()  # type: ignore[misc]
        tags.input_tags.sparse = True
        return tags

    def _checked(self, X: Any, **options: Any) -> Any:
        """X, and y if it is given, checked as scikit-learn does; float32 stays as it is."""
        return validate_data(
            self,
            X,
            accept_sparse="csr",
            accept_large_sparse=True,
            dtype=[np.float64, np.float32],
            **options,
        )

    def _names_for_model(self) -> list[str] | None:
        return _data.usable_names(getattr(self, "feature_names_in_", None))

    def _asked(self, X: Any) -> Rows:
        """Rows to be answered."""
        check_is_fitted(self)
        about = self._model.about()
        if about["table"]:
            return self._asked_table(X, about["bias"])
        X = self._checked(X, reset=False)
        return _data.rows_of(X, bias=about["bias"])

    def _asked_table(self, X: Any, bias: float | None) -> Rows:
        if not (hasattr(X, "__arrow_c_stream__") or hasattr(X, "__arrow_c_array__")):
            raise TypeError(
                "X: the model learned from a table, so it needs one with the same columns: "
                "a frame of pandas or polars, or anything else with the Arrow PyCapsule interface"
            )
        return Rows.table(X, read_words(), _data.beside(bias=bias), None, self._model)

    def _scores(self, X: Any, probabilities: bool = False) -> np.ndarray:
        rows = self._asked(X)
        return self._model.scores(rows, self._threads(), probabilities)

    def _threads(self) -> int | None:
        n_jobs = getattr(self, "n_jobs", None)
        return None if n_jobs is None or n_jobs < 1 else int(n_jobs)

    @property
    def coef_(self) -> np.ndarray:
        """The weights of the features, one row per class; of two classes, one row. Rows that are standardised or normalised are
        weighed after that. There are none in the space of a kernel or behind a map."""
        return self._linear()[0]

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
        coef = np.zeros((weights.shape[0], self.n_features_in_))  # type: ignore[attr-defined]
        columns = min(weights.shape[1] - 1, coef.shape[1])
        coef[:, :columns] = weights[:, 1 : columns + 1]
        bias = self._model.about()["bias"]
        empty = _data.rows_of(np.zeros((1, 1)), bias=bias)
        return coef, self._model.scores(empty)[0]

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
        shape = (len(ends) - 1, self.n_features_in_)  # type: ignore[attr-defined]
        return sp.csr_array((data, features, ends), shape=shape), coefficients

    def _find_support(self, X: Any) -> None:
        """``support_``: the first row of the training data that each stored row is, where rows are not changed before they are learned."""
        self.__dict__.pop("support_", None)
        if self._model.support() is None or _data.is_table(X):
            return
        stored, _ = self._support()
        first: dict[tuple[bytes, bytes], int] = {}
        given = sp.csr_array(X).astype(np.float32)
        for row, key in enumerate(_row_keys(given)):
            first.setdefault(key, row)
        places = [first.get(key, -1) for key in _row_keys(stored.astype(np.float32))]
        if -1 not in places:
            self.support_ = np.asarray(places, dtype=np.int64)

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
        columns = 0 if self._model.about()["table"] else int(self.n_features_in_)  # type: ignore[attr-defined]
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

    def _restore(self, model: Model, about: dict[str, Any]) -> None:
        """Becomes the estimator of a model that was kept."""
        self.classes_, order = label_values(model.classes)
        self._binary = about["binary"]
        self._all_known = self._binary
        self.n_features_in_ = about["features"]
        if about["names"] is not None and all(about["names"]):
            self.feature_names_in_ = np.asarray(about["names"], dtype=object)
        self._model = model
        self._order = [0, 1] if self._binary else order
        self._trained_by = None
        self.mistakes_, self.updates_ = about["mistakes"], about["updates"]

    # What a subclass with scikit-learn's argument names reads elsewhere.

    def _bias(self) -> float | None:
        return bias_of(self.bias)  # type: ignore[attr-defined]

    def _epochs(self) -> int:
        epochs = self.epochs  # type: ignore[attr-defined]
        if not isinstance(epochs, (int, np.integer)) or epochs < 1:
            raise ValueError(f"epochs={epochs!r}: must be a whole number from 1")
        return int(epochs)

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
            "max_memory": get("max_memory"),
        }

    def _table_rows(self, X: Any, y: np.ndarray, weights: np.ndarray | None, model: Model | None) -> Rows:
        """Rows of a table, by the rules of the command; the labels become one more column."""
        columns = _data.column_names(X)
        label = "label"
        while label in columns:
            label += "_"
        codes = np.searchsorted(self.classes_, y)
        texts = _data.label_texts(self.classes_)
        beside = _data.beside(bias=self._bias(), codes=codes, labels=texts, weights=weights)
        return Rows.table(X, read_words(**(self._columns() or {})), beside, label, model)

    def _columns(self) -> Any:
        return getattr(self, "columns", None)

    def _is_table(self, X: Any) -> bool:
        return bool(self._columns()) or _data.is_table(X)

    def _checked_table(self, X: Any, y: Any, sample_weight: Any, reset: bool) -> tuple[np.ndarray, np.ndarray | None]:
        y = column_or_1d(y, warn=True)
        check_classification_targets(y)
        names = np.asarray(_data.column_names(X), dtype=object)
        if reset:
            self.feature_names_in_, self.n_features_in_ = names, len(names)
        if sample_weight is None:
            return y, None
        weights = np.asarray(sample_weight, dtype=np.float64)
        return y, np.broadcast_to(weights, y.shape).copy() if weights.ndim == 0 else weights

    def _training_rows(self, X: Any, y: np.ndarray, weights: np.ndarray | None, names: list[str] | None) -> Rows:
        codes = np.searchsorted(self.classes_, y)
        labels = _data.label_texts(self.classes_)
        return _data.rows_of(X, bias=self._bias(), codes=codes, labels=labels, weights=weights, names=names)

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
            self.classes_ = np.unique(y)
            self._binary = len(self.classes_) == 2
        return X, weighed, weights

    def _fit(self, X: Any, y: Any, sample_weight: Any = None) -> Any:
        if self._is_table(X):
            y, weights = self._checked_table(X, y, sample_weight, reset=True)
            self._set_classes(y)
            rows = self._table_rows(X, y, weights, None)
        else:
            X, y, weights = self._begin(X, y, sample_weight)
            rows = self._training_rows(X, y, weights, self._names_for_model())
        options = self._options(epochs=self._epochs(), shuffle=self._shuffle(), class_weight=self._class_weight(y, weights))
        if self._is_table(X):  # columns are not features: a category is one feature per value
            options["features"] = None
        self._run(rows, options)
        self.remarks_ = [*({"kind": "columns", "text": text} for text in rows.remarks), *self.remarks_]
        if getattr(self, "keep_rows", False):
            self._kept = rows
        if self._model.stored is not None and sample_weight is None:
            self._find_support(X)
        return self

    def _set_classes(self, y: np.ndarray) -> None:
        self.classes_ = np.unique(y)
        if len(self.classes_) < 2:
            raise ValueError(f"{type(self).__name__} needs rows of at least two classes, and y has one class only")
        self._binary = len(self.classes_) == 2

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
        self.report_ = report
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
        is_table = self._is_table(X) if first else self._model.about()["table"]
        if is_table:
            y, weights = self._checked_table(X, y, sample_weight, reset=first)
            self._meet(y, classes, first)
        else:
            X, y = self._checked_for_learning(X, y, reset=first)
            check_classification_targets(y)
            self._meet(y, classes, first)
            X, y, weights = self._weighed(X, y, sample_weight)
        if len(y) == 0:
            return self
        class_weight = getattr(self, "class_weight", None)
        if isinstance(class_weight, str):
            raise ValueError(f'class_weight={class_weight!r}: partial_fit does not know all rows; give a dict, or sample_weight')
        options = self._options(epochs=1, shuffle=None, class_weight=self._class_weight(y, weights))
        named = first or self._model.about()["names"] is not None
        if is_table:
            rows = self._table_rows(X, y, weights, None if first else self._model)
        else:
            rows = self._training_rows(X, y, weights, self._names_for_model() if named else None)
        if is_table:
            options["features"] = None
        if first:
            self._run(rows, options)
        else:
            model, report = self._model.more(rows, options)
            self._adopt(model, json.loads(report))
        return self

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
        if isinstance(getattr(self, "class_weight", None), str) or getattr(self, "class_weight", None):
            raise ValueError("class_weight: files are learned from without it; use the command's, or read the file into an array")
        words = read_words(**{**(self._columns() or {}), **read})
        # the file says what its labels are
        self.classes_, self._binary, self.n_features_in_ = np.asarray([0, 1]), True, 0
        options = self._options(epochs=epochs, shuffle=shuffle)
        learned, report = Model.fit_file(self._spec(), paths_of(paths), words, options, model, progress_of(progress))
        self._restore(learned, learned.about())
        self._adopt(learned, json.loads(report))
        return self

    def predict_file(self, paths: Any, *, progress: Any = None, **read: Any) -> np.ndarray:
        """The label of each row of a file or several."""
        check_is_fitted(self)
        texts = self._model.predict_file(paths_of(paths), read_words(**read), self._threads(), progress_of(progress))
        places = dict(zip(self._model.classes, self._order))
        return self.classes_[np.asarray([places[text] for text in texts], dtype=np.intp)]

    def calibrate(self, X: Any, y: Any, method: str = "platt") -> Any:
        """Fits maps from margins to probabilities on rows that it was not trained on; then there is ``predict_proba``.

        ``method`` is ``"platt"`` or ``"isotonic"``. The maps are fitted again while the model learns on.
        """
        check_is_fitted(self)
        if self._model.about()["table"]:
            raise TypeError("calibrate takes arrays; for tables use the command `novikoff calibrate`")
        X, y = self._checked(X, y=y, reset=False)
        strangers = np.setdiff1d(np.unique(y), self.classes_)
        if len(strangers):
            raise ValueError(f"y: label {strangers[0]!r} is not one of the classes {self.classes_.tolist()}")
        named = self._model.about()["names"] is not None
        rows = self._training_rows(X, y, None, self._names_for_model() if named else None)
        self._model = self._model.calibrate(rows, method)
        return self

    def _meet(self, y: np.ndarray, classes: Any, first: bool) -> None:
        """The classes so far. Given beforehand they are all there are; otherwise labels other than -1 and 1 are one problem per class, and
        new ones may come at any time."""
        if first:
            met = np.unique(y) if classes is None else np.unique(np.asarray(classes))
            signs = np.asarray([-1, 1])
            plus_minus = classes is None and met.dtype.kind in "iuf" and np.isin(met, signs).all()
            self.classes_ = signs.astype(met.dtype) if plus_minus else met
            self._binary = bool(plus_minus or (classes is not None and len(met) == 2))
            self._all_known = classes is not None or plus_minus
        elif classes is not None and not np.array_equal(self.classes_, np.unique(np.asarray(classes))):
            raise ValueError(f"classes={classes!r} is not the same as on the last call to partial_fit: {self.classes_}")
        strangers = np.setdiff1d(np.unique(y), self.classes_)
        if len(strangers) == 0:
            return
        if self._all_known:
            raise ValueError(
                f"y: label {strangers[0]!r} is not one of the classes {self.classes_.tolist()}; "
                "name all of them by classes= in the first call to partial_fit"
            )
        self.classes_ = np.union1d(self.classes_, strangers)

    def predict(self, X: Any) -> np.ndarray:
        """The label of each row."""
        rows = self._asked(X)
        return self.classes_[np.asarray(self._order)[self._model.labels(rows, self._threads())]]

    def decision_function(self, X: Any) -> np.ndarray:
        """The margin of each row: of two classes one number, which is at least 0 for the second of ``classes_``; else one per class."""
        scores = self._scores(X)
        if self._binary:
            return scores[:, 0]
        margins = np.full((scores.shape[0], len(self.classes_)), -np.inf)
        margins[:, self._order] = scores
        return margins[:, 1] - margins[:, 0] if len(self.classes_) == 2 else margins

    def _predict_proba(self, X: Any) -> np.ndarray:
        chances = self._scores(X, probabilities=True)
        if self._binary:
            return np.column_stack([1.0 - chances[:, 0], chances[:, 0]])
        all_classes = np.zeros((chances.shape[0], len(self.classes_)))
        all_classes[:, self._order] = chances
        return all_classes

    def certify(self, X: Any, y: Any, effort: str = "full") -> Certificate:
        """The certificate of the run that made this model, from the rows it was trained on, in their order.

        The run is made again and must come to the same mistakes; the search for the comparator follows.
        """
        check_is_fitted(self)
        X, y = self._checked(X, y=y, reset=False)
        strangers = np.setdiff1d(np.unique(y), self.classes_)
        if len(strangers):
            raise ValueError(f"y: label {strangers[0]!r} is not one of the classes {self.classes_.tolist()}")
        return self._certified(self._training_rows(X, y, None, None), effort)

    @property
    def certificate_(self) -> Certificate:
        """The certificate of ``fit``, searched when it is first asked for. Needs ``keep_rows=True``; ``certify`` takes the rows again."""
        rows = getattr(self, "_kept", None)
        if rows is None:
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
