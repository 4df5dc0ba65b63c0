"""Any problem of the dual solver under one name, and solutions that were kept."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.base import ClassifierMixin, RegressorMixin
from sklearn.utils import ClassifierTags, RegressorTags
from sklearn.utils.metaestimators import available_if

from ._base import label_values, no_chances
from ._native import Model, is_loss_of_numbers
from ._regressors import DualRegressor, HuberRegressor, LinearSVR, MaxEnt, Ridge
from ._solver import SVM, DualClassifier, LinearSVM, LogisticRegression, Solver

__all__ = ["DualSolver"]


def _classifies(estimator: Any) -> bool:
    return not estimator._of_numbers()


def _has_probabilities(estimator: Any) -> bool:
    return _classifies(estimator) and hasattr(DualClassifier(loss=estimator.loss), "predict_proba")


class DualSolver(Solver):
    """Any problem of the solver: a classifier where the loss is one of labels, a regressor where it is one of numbers.

    ``DualClassifier`` and ``DualRegressor`` are its two halves, ``LinearSVM``, ``SVM``, ``LogisticRegression``, ``Ridge`` and others names for
    some of its problems.

    Parameters
    ----------
    loss : default="hinge"
        A loss of labels, as in ``DualClassifier``, or of numbers, as in ``DualRegressor``.
    reg, C, lambda_, bias, kernel, map, normalize, standardize, gap, max_passes, random_state, columns, n_jobs, max_memory
        As in ``DualClassifier``.
    theta, class_weight : default=None, None
        As in ``DualClassifier``; for losses of labels.

    Examples
    --------
    >>> from novikoff import DualSolver
    >>> from sklearn.datasets import load_breast_cancer, load_diabetes
    >>> DualSolver(loss="logistic", standardize=True).fit(*load_breast_cancer(return_X_y=True)).gap_ <= 1e-4
    True
    >>> X, y = load_diabetes(return_X_y=True)
    >>> DualSolver(loss="squared", C=10).fit(X, y).score(X, y) > 0.4
    True
    """

    __init__ = DualClassifier.__init__

    def _of_numbers(self) -> bool:
        return is_loss_of_numbers(str(self.loss))

    def _half(self) -> Any:
        return DualRegressor if self._of_numbers() else DualClassifier

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.target_tags.required = True
        if self._of_numbers():
            tags.estimator_type, tags.regressor_tags = "regressor", RegressorTags()
        else:
            tags.estimator_type, tags.classifier_tags = "classifier", ClassifierTags()
        return tags

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Any:
        """Solves for all rows. A row of weight 2 counts as the same row twice, one of weight 0 as none."""
        if self._of_numbers():
            for name in ("theta", "class_weight"):
                if getattr(self, name) is not None:
                    raise ValueError(f"{name}={getattr(self, name)!r}: must be None for a loss of numbers")
        return self._half().fit(self, X, y, sample_weight)

    def predict(self, X: Any) -> np.ndarray:
        """The label of each row, or its number."""
        return self._half().predict(self, X)

    @available_if(_classifies)
    def decision_function(self, X: Any) -> np.ndarray:
        """The margin of each row, as ``DualClassifier`` has it."""
        return DualClassifier.decision_function(self, X)  # type: ignore[arg-type]

    @property
    def predict_proba(self) -> Any:
        """The probability of each class, for losses whose margins are log-odds."""
        if not _has_probabilities(self):
            raise AttributeError(no_chances(self))
        return self._chances

    def _chances(self, X: Any) -> np.ndarray:
        """The probability of each class."""
        return DualClassifier._chances(self, X)  # type: ignore[arg-type]

    def score(self, X: Any, y: Any, sample_weight: Any = None) -> float:
        """The share of labels that are right; of numbers, the share of their variance that is explained."""
        mixin: Any = RegressorMixin if self._of_numbers() else ClassifierMixin
        return mixin.score(self, X, y, sample_weight)

    @property
    def coef_(self) -> np.ndarray:
        """The weights of the features, one row per class; of two classes one row, of numbers one vector."""
        coef = self._linear()[0]
        return coef[0] if self._of_numbers() else coef

    @property
    def intercept_(self) -> Any:
        """What is added to the weighted sum of the features."""
        intercept = self._linear()[1]
        return float(intercept[0]) if self._of_numbers() else intercept


def _problem(model: Model, about: dict[str, Any]) -> Any:
    """The estimator of a problem, by the name that it has, with the arguments that fit would need to solve it again."""
    solved, rows = about["solved"], max(about["trials"], 1)
    loss, reg = str(solved.get("loss", "")), str(solved.get("reg", ""))
    # lambda is 1 / (C rows), or alpha / rows: a C of 0.1 is to be 0.1 again
    total = float(solved.get("lambda", 1.0)) * rows
    alpha, C = (float(f"{value:.12g}") for value in (total, 1.0 / total))
    bias = {"free": "free", "constant": model.bias}.get(solved.get("bias", "off"), 0)
    name, _, key = loss.partition(":")
    value = float(key.partition("=")[2]) if key.count("=") == 1 else None
    is_plain = reg == "l2" and about["map"] is None and not about["normalize"]
    is_linear = is_plain and about["kernel"] == "linear"
    if model.classes == ["numbers"]:
        if loss == "max-entropy" and reg == "entropy":
            return MaxEnt(C=C)
        if is_linear and loss == "squared":
            return Ridge(alpha=alpha, bias=bias)
        if is_linear and name == "huber" and value is not None:
            return HuberRegressor(delta=value, alpha=alpha, bias=bias)
        if is_linear and loss == "absolute":
            return LinearSVR(C=C, bias=bias)
        if is_linear and name == "eps-insensitive" and value is not None:
            return LinearSVR(epsilon=value, C=C, bias=bias)
        return DualRegressor(loss=loss, reg=reg, C=C, bias=bias)
    if is_linear and loss == "logistic":
        return LogisticRegression(C=C, bias=bias)
    if is_linear and loss in ("hinge", "squared-hinge") and bias != "free":
        return LinearSVM(C=C, loss=loss.replace("-", "_"), bias=bias)
    if is_plain and about["kernel"] != "linear" and loss == "hinge":
        return SVM(C=C, bias=bias)
    return DualClassifier(loss=loss, reg=reg, C=C, bias=bias)


def from_model(model: Model, about: dict[str, Any]) -> Any:
    """The estimator of a solution that was kept."""
    estimator = _problem(model, about)
    estimator._take_arguments(model, about)
    estimator._model = model
    estimator._take_columns(model, about)
    if isinstance(estimator, DualClassifier):
        estimator.classes_, estimator._order = label_values(model.classes)
    return estimator
