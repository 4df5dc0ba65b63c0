"""Any problem of the dual solver under one name, and solutions that were kept."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.base import ClassifierMixin, RegressorMixin
from sklearn.utils import ClassifierTags, RegressorTags
from sklearn.utils.metaestimators import available_if

from ._base import label_values
from ._native import Model, is_loss_of_numbers
from ._regressors import DualRegressor
from ._solver import DualClassifier, Solver

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

    @available_if(_has_probabilities)
    def predict_proba(self, X: Any) -> np.ndarray:
        """The probability of each class, for losses whose margins are log-odds."""
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


def from_model(model: Model, about: dict[str, Any]) -> Any:
    """The estimator of a solution that was kept."""
    classes = model.classes
    estimator: Any = DualRegressor() if classes == ["numbers"] else DualClassifier()
    estimator._model = model
    estimator.n_features_in_ = about["features"]
    names = model.names
    if names and all(names):
        estimator.feature_names_in_ = np.asarray(names, dtype=object)
    if isinstance(estimator, DualClassifier):
        estimator.classes_, estimator._order = label_values(classes)
    return estimator
