"""Classifiers by the dual solver: all rows at once, to a certified gap."""

from __future__ import annotations

import json
import warnings
from typing import Any

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import _check_sample_weight

from . import _data
from ._arguments import DUAL, bias_of, is_number, memory_of, norm_of, solver_constructor, whole_from_one
from ._base import ModelMixin, no_chances, seed_of, weights_of
from ._native import Model, is_loss_of_numbers
from ._repr import Report

__all__ = ["DualClassifier", "LinearSVM", "LogisticRegression", "SVM"]


class Solver(ModelMixin, BaseEstimator):
    """A problem of the solver: ``(1/n) sum of losses + lambda g(w)``."""

    def _problem(self) -> tuple[str, str]:
        """Loss and regulariser."""
        return self.loss, self.reg  # type: ignore[attr-defined]

    def _lambda(self, rows: int, total: float) -> float:
        """lambda for this number of rows, whose weights have this sum."""
        given = getattr(self, "lambda_", None)
        if given is not None:
            return self._positive("lambda_", given) * total / rows
        return 1.0 / (self._positive("C", self.C) * rows)  # type: ignore[attr-defined]

    def _positive(self, name: str, value: Any) -> float:
        if not (is_number(value) and value > 0):
            raise ValueError(f"{name}={value!r}: must be a number above 0")
        return float(value)

    def _weighed(self, X: Any, y: np.ndarray, sample_weight: Any) -> tuple[Any, np.ndarray, np.ndarray | None]:
        """Rows that count: those of weight 0 are left out."""
        if sample_weight is None:
            return X, y, None
        weights = _check_sample_weight(sample_weight, X, dtype=np.float64, ensure_non_negative=True)
        counts = weights > 0
        if not counts.any():
            raise ValueError("sample_weight: all weights are 0, so there is no row to learn from")
        if not counts.all():
            X, y, weights = X[counts], y[counts], weights[counts]
        return X, y, weights

    def _solve(self, rows: Any, total: float, labels: Any, class_weight: Any, is_table: bool) -> None:
        # a row that counts twice is the row twice, to the last bit
        rows = rows.merged(class_weight is not None)
        bias = self.bias  # type: ignore[attr-defined]
        free = isinstance(bias, str)
        if free and bias != "free":
            raise ValueError(f'bias={bias!r}: must be "free" or a number; 0 is off')
        get = lambda name, default=None: getattr(self, name, default)  # noqa: E731
        loss, reg = self._problem()
        gap, passes = self.gap, self.max_passes  # type: ignore[attr-defined]
        passes = whole_from_one("max_passes", passes)
        if not (is_number(gap) and 0 <= gap < 1):
            raise ValueError(f"gap={gap!r}: must be a number from 0 to below 1; 1e-3 is usual")
        options = {
            "epochs": 1,
            "shuffle": None,
            "kernel": get("kernel"),
            "map": get("map"),
            "bias": None if free else bias_of(bias),
            "normalize": norm_of(get("normalize")),
            "standardize": bool(get("standardize", False)),
            "average": False,
            "class_weight": class_weight,
            "labels": labels,
            # columns of a table are not features: a category is one feature per value
            "features": None if is_table else int(self.n_features_in_),  # type: ignore[attr-defined]
            "threads": self._threads(),
            "max_memory": memory_of(get("max_memory")),
        }
        problem = {
            "loss": loss,
            "reg": reg,
            "lambda_": self._lambda(len(rows), total),
            "free_bias": free,
            "theta": get("theta"),
            "alpha": None,
            "gap": float(gap),
            "max_passes": passes,
            "seed": seed_of(get("random_state", 0)),
        }
        self._model, report, short = Model.solve(rows, options, problem)
        self.report_ = Report(json.loads(report))
        # of several classes, each a problem of its own, the largest
        gaps = [self.report_.get("relative_gap"), *(one.get("relative_gap") for one in self.report_.get("classes") or [])]
        self.gap_ = max((found for found in gaps if found is not None), default=None)
        self.n_iter_ = max(1, int(self.report_.get("passes") or 1))
        self._note(rows, self.report_.get("remarks", []))
        if short:
            warnings.warn(short, ConvergenceWarning, stacklevel=3)

    def _row_bias(self) -> float | None:
        bias = self.bias  # type: ignore[attr-defined]
        return None if isinstance(bias, str) else bias_of(bias)


def _has_probabilities(estimator: Any) -> bool:
    model = getattr(estimator, "_model", None)
    if model is None:
        return estimator._problem()[0].partition(":")[0] in ("logistic", "exponential")
    return model.has_probabilities


class DualClassifier(ClassifierMixin, Solver):
    """A classifier by any loss and regulariser of the solver, for all rows at once.

    The objective is ``(1/n) sum of losses + lambda_ g(w)``, solved until the relative duality gap is at most ``gap``. With ``lambda_=None``
    it is ``C sum of losses + g(w)``, scikit-learn's form. More than two classes are one problem each.

    Parameters
    ----------
    loss : default="hinge"
        ``"hinge"``, ``"squared-hinge"``, ``"smoothed-hinge:gamma=1"``, ``"modified-huber"``, ``"logistic"`` or ``"exponential"``.
    reg : default="l2"
        ``"l2"``, ``"p-norm:p=1.5"``, ``"elastic:tau=1,eps=0.1"``, ``"entropy:signed"`` and others: ``novikoff solve --help`` lists all.
    C, lambda_ : default=1.0, None
        The weight of the sum of losses against the regulariser; ``lambda_``, if given, replaces ``C``.
    bias : default="free"
        ``"free"`` is an intercept that is not regularised, a number a regularised constant feature, 0 neither.
    kernel, map, normalize, standardize
        As in the other estimators; kernels go with ``reg="l2"`` only.
    theta : default=None
        The threshold of Winnow's targets.
    class_weight : default=None
        ``"balanced"``, or a dict of labels and what their rows count.
    gap, max_passes : default=1e-4, 1000
        When the solver stops.
    columns : default=None
        How the columns of a table are read, such as ``{"text": ["body"], "missing": "mean"}``: a dict with lists of names in
        ``categorical``, ``text``, ``drop`` or ``only``, ``missing`` ("refuse", "zero", "mean" or "indicator"), ``dates`` ("parts", "seconds"
        or "refuse"), ``ngrams`` ((1, 2) or "1..2") and ``tfidf`` (True or False).

    Examples
    --------
    >>> from novikoff import DualClassifier
    >>> from sklearn.datasets import load_breast_cancer
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> model = DualClassifier(loss="logistic", standardize=True).fit(X, y)
    >>> model.score(X, y) > 0.97, model.gap_ <= 1e-4
    (True, True)
    """

    __init__ = solver_constructor(loss="hinge", **DUAL, theta=None, class_weight=None)

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Any:
        """Solves for all rows. A row of weight 2 counts as the same row twice, one of weight 0 as none."""
        if is_loss_of_numbers(self._problem()[0]):
            raise ValueError(f"loss={self.loss!r}: is a loss of numbers; use DualRegressor, or a loss of labels such as \"hinge\"")
        is_table = self._is_table(X)
        if is_table:
            y, weights = self._checked_table(X, y, sample_weight, reset=True)
        else:
            X, y = self._checked(X, y=y, reset=True)
        check_classification_targets(y)
        self.classes_, given = np.unique(y), y.shape
        if not is_table:
            X, y, weights = self._weighed(X, y, sample_weight)
        if len(np.unique(y)) < 2:
            raise ValueError(f"{type(self).__name__} needs rows of at least two classes, and y has one class only")
        texts = _data.label_texts(self.classes_)
        codes = np.searchsorted(self.classes_, y)
        if is_table:
            rows = self._rows_of_table(X, None, bias=self._row_bias(), codes=codes, labels=texts, weights=weights)
        else:
            names = self._names_for_model()
            rows = _data.rows_of(X, type(self).__name__, bias=self._row_bias(), codes=codes, labels=texts, weights=weights, names=names)
        labels = (texts[0], texts[1]) if len(texts) == 2 else None
        total = float(len(y)) if weights is None else float(weights.sum())
        self._solve(rows, total, labels, weights_of(self.class_weight, self.classes_, codes, weights), is_table)
        places = {text: place for place, text in enumerate(texts)}
        self._order = [0, 1] if labels else [places[text] for text in self._model.classes]
        counting = None if sample_weight is None or is_table else np.flatnonzero(np.broadcast_to(np.asarray(sample_weight), given))
        self._find_support(rows, counting)
        return self

    def predict(self, X: Any) -> np.ndarray:
        """The label of each row."""
        places = self._labels(X)
        return self.classes_[np.asarray(self._order)[places]]

    def decision_function(self, X: Any) -> np.ndarray:
        """The margin of each row: of two classes one number, which is at least 0 for the second of ``classes_``; else one per class."""
        scores = self._scores(X)
        if len(self.classes_) == 2:
            return scores[:, 0]
        margins = np.full((scores.shape[0], len(self.classes_)), -np.inf)
        margins[:, self._order] = scores
        return margins

    @property
    def predict_proba(self) -> Any:
        """The probability of each class, for losses whose margins are log-odds."""
        if not _has_probabilities(self):
            raise AttributeError(no_chances(self))
        return self._chances

    def _chances(self, X: Any) -> np.ndarray:
        """The probability of each class."""
        chances = self._scores(X, probabilities=True)
        if len(self.classes_) == 2:
            return np.column_stack([1.0 - chances[:, 0], chances[:, 0]])
        all_classes = np.zeros((chances.shape[0], len(self.classes_)))
        all_classes[:, self._order] = chances
        return all_classes


class LinearSVM(DualClassifier):
    """The linear support vector machine: LIBLINEAR's objective, as ``sklearn.svm.LinearSVC`` has it.

    ``C sum of losses + |w|^2/2``, with a regularised constant feature; ``bias="free"`` leaves the intercept out of the regulariser.

    Parameters
    ----------
    C : default=1.0
        The weight of the sum of losses: the smaller, the more regularised.
    loss : default="squared_hinge"
        ``"squared_hinge"`` or ``"hinge"``.
    bias : default=1.0
        The regularised constant feature, or ``"free"``.
    class_weight, normalize, standardize, gap, max_passes, random_state, columns, n_jobs, max_memory
        As in ``DualClassifier``.

    Examples
    --------
    >>> from novikoff import LinearSVM
    >>> from sklearn.datasets import load_iris
    >>> X, y = load_iris(return_X_y=True)
    >>> LinearSVM(C=1.0).fit(X, y).score(X, y) > 0.9
    True
    """

    __init__ = solver_constructor(C=1.0, loss="squared_hinge", bias=1.0, class_weight=None)

    def _problem(self) -> tuple[str, str]:
        if self.loss not in ("hinge", "squared_hinge"):
            raise ValueError(f'loss={self.loss!r}: must be "hinge" or "squared_hinge"')
        return self.loss.replace("_", "-"), "l2"


class SVM(DualClassifier):
    """The support vector machine in the space of a kernel, with an intercept that is not regularised, as ``sklearn.svm.SVC`` has it.

    Parameters
    ----------
    C : default=1.0
        The weight of the sum of losses: the smaller, the more regularised.
    kernel : default="gaussian:gamma=auto"
        ``"gaussian:gamma=0.1"``, ``"poly:degree=3,coef0=1"``, either with the flag ``cosine``, or None for none. ``gamma=auto`` is one over
        the mean squared distance of the first rows.
    class_weight, normalize, standardize, gap, max_passes, random_state, columns, n_jobs, max_memory
        As in ``DualClassifier``.

    Examples
    --------
    >>> from novikoff import SVM
    >>> from sklearn.datasets import load_iris
    >>> X, y = load_iris(return_X_y=True)
    >>> SVM().fit(X, y).score(X, y) > 0.95
    True
    """

    __init__ = solver_constructor(C=1.0, kernel="gaussian:gamma=auto", class_weight=None)

    def _problem(self) -> tuple[str, str]:
        return "hinge", "l2"


class LogisticRegression(DualClassifier):
    """Logistic regression with an intercept that is not regularised; more than two classes are one problem each.

    Parameters
    ----------
    C : default=1.0
        The weight of the sum of losses: the smaller, the more regularised.
    bias, class_weight, normalize, standardize, gap, max_passes, random_state, columns, n_jobs, max_memory
        As in ``DualClassifier``.

    Examples
    --------
    >>> from novikoff import LogisticRegression
    >>> from sklearn.datasets import load_iris
    >>> X, y = load_iris(return_X_y=True)
    >>> LogisticRegression().fit(X, y).predict_proba(X[:1]).round(1)
    array([[0.9, 0.1, 0. ]])
    """

    __init__ = solver_constructor(C=1.0, class_weight=None)

    def _problem(self) -> tuple[str, str]:
        return "logistic", "l2"
