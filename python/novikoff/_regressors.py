"""Regressors by the dual solver: all rows at once, to a certified gap."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.base import RegressorMixin

from . import _data
from ._arguments import DUAL, is_number, solver_constructor
from ._native import is_loss_of_numbers, solver_names
from ._solver import Solver

__all__ = ["DualRegressor", "HuberRegressor", "LinearSVR", "MaxEnt", "Ridge"]


def is_known_loss(loss: str) -> bool:
    """Whether the solver has a loss of this name."""
    return str(loss).partition(":")[0] in {name for name, _ in solver_names()[0]}


class DualRegressor(RegressorMixin, Solver):
    """A regressor by any loss of numbers and any regulariser of the solver, for all rows at once.

    Parameters
    ----------
    loss : default="squared"
        ``"squared"``, ``"huber:delta=1"``, ``"absolute"``, ``"eps-insensitive:eps=0.1"``, ``"squared-eps-insensitive:eps=0.1"`` or
        ``"max-entropy"``.
    reg : default="l2"
        As in ``DualClassifier``.
    C, lambda_ : default=1.0, None
        The weight of the sum of losses against the regulariser; ``lambda_``, if given, replaces ``C``.
    bias, kernel, map, normalize, standardize, gap, max_passes, random_state, columns, n_jobs, max_memory
        As in ``DualClassifier``.

    Examples
    --------
    >>> from novikoff import DualRegressor
    >>> from sklearn.datasets import load_diabetes
    >>> X, y = load_diabetes(return_X_y=True)
    >>> DualRegressor(loss="absolute", C=100).fit(X, y).score(X, y) > 0.4
    True
    """

    __init__ = solver_constructor(loss="squared", **DUAL)

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Any:
        """Solves for all rows. A row of weight 2 counts as the same row twice, one of weight 0 as none."""
        loss = self._problem()[0]
        if is_known_loss(loss) and not is_loss_of_numbers(loss):
            raise ValueError(f"loss={loss!r}: is a loss of labels; use DualClassifier, or a loss of numbers such as \"squared\"")
        is_table = self._is_table(X)
        if is_table:
            y, weights = self._checked_table(X, y, sample_weight, reset=True)
            y = np.asarray(y, dtype=np.float64)
            if not np.isfinite(y).all():
                raise ValueError("y: must be finite numbers")
            rows = self._rows_of_table(X, None, bias=self._row_bias(), targets=y, weights=weights)
        else:
            X, y = self._checked(X, y=y, reset=True, y_numeric=True)
            X, y, weights = self._weighed(X, y, sample_weight)
            rows = _data.rows_of(X, type(self).__name__, bias=self._row_bias(), targets=y, weights=weights, names=self._names_for_model())
        total = float(len(y)) if weights is None else float(weights.sum())
        self._solve(rows, total, None, None, is_table)
        return self

    def predict(self, X: Any) -> np.ndarray:
        """The number of each row."""
        return self._scores(X)[:, 0]

    @property
    def coef_(self) -> np.ndarray:
        """The weights of the features."""
        return self._linear()[0][0]

    @property
    def intercept_(self) -> float:
        """What is added to the weighted sum of the features."""
        return float(self._linear()[1][0])


class _ByAlpha(DualRegressor):
    """Regressors whose regulariser has scikit-learn's factor."""

    def _lambda(self, rows: int, total: float) -> float:
        return self._positive("alpha", self.alpha) / rows  # type: ignore[attr-defined]


class Ridge(_ByAlpha):
    """Ridge regression: ``sum of squares + alpha |w|^2``, with an intercept that is not regularised.

    Parameters
    ----------
    alpha : default=1.0
        The weight of the regulariser.
    bias, normalize, standardize, gap, max_passes, random_state, columns, n_jobs, max_memory
        As in ``DualRegressor``.

    Examples
    --------
    >>> from novikoff import Ridge
    >>> from sklearn.datasets import load_diabetes
    >>> X, y = load_diabetes(return_X_y=True)
    >>> Ridge(alpha=0.1).fit(X, y).score(X, y) > 0.5
    True
    """

    __init__ = solver_constructor(alpha=1.0)

    def _problem(self) -> tuple[str, str]:
        return "squared", "l2"


class HuberRegressor(_ByAlpha):
    """Regression by Huber's loss: squares within ``delta`` of the target, lines beyond. The scale is given, not estimated.

    Parameters
    ----------
    delta : default=1.0
        Distances from which the loss is a line.
    alpha : default=0.0001
        The weight of the regulariser: ``sum of losses + alpha |w|^2/2``.
    bias, normalize, standardize, gap, max_passes, random_state, columns, n_jobs, max_memory
        As in ``DualRegressor``.

    Examples
    --------
    >>> from novikoff import HuberRegressor
    >>> from sklearn.datasets import load_diabetes
    >>> X, y = load_diabetes(return_X_y=True)
    >>> HuberRegressor(delta=50, alpha=0.01).fit(X, y).score(X, y) > 0.5
    True
    """

    __init__ = solver_constructor(delta=1.0, alpha=0.0001)

    def _problem(self) -> tuple[str, str]:
        return f"huber:delta={self._positive('delta', self.delta)!r}", "l2"


class LinearSVR(DualRegressor):
    """Linear support vector regression: distances up to ``epsilon`` from the target cost nothing.

    Parameters
    ----------
    epsilon : default=0.0
        Distances that cost nothing.
    C : default=1.0
        The weight of the sum of losses: the smaller, the more regularised.
    bias, normalize, standardize, gap, max_passes, random_state, columns, n_jobs, max_memory
        As in ``DualRegressor``.

    Examples
    --------
    >>> from novikoff import LinearSVR
    >>> from sklearn.datasets import load_diabetes
    >>> X, y = load_diabetes(return_X_y=True)
    >>> LinearSVR(C=100).fit(X, y).score(X, y) > 0.4
    True
    """

    __init__ = solver_constructor(epsilon=0.0, C=1.0)

    def _problem(self) -> tuple[str, str]:
        if not (is_number(self.epsilon) and self.epsilon >= 0):
            raise ValueError(f"epsilon={self.epsilon!r}: must be a number from 0")
        epsilon = float(self.epsilon)
        return ("absolute" if epsilon == 0 else f"eps-insensitive:eps={epsilon!r}"), "l2"


class MaxEnt(DualRegressor):
    """The distribution over features of largest entropy whose means are the targets.

    Every row is a function of the features (outcomes), its target the mean that the distribution is to give it; the weights are
    non-negative and sum to 1.

    Parameters
    ----------
    C, lambda_ : default=1.0, None
        The weight of the distances from the means; ``lambda_``, if given, replaces ``C``.
    gap, max_passes, random_state, n_jobs, max_memory
        As in ``DualRegressor``.

    Examples
    --------
    >>> import numpy as np
    >>> from novikoff import MaxEnt
    >>> faces = np.arange(1.0, 7.0)[None]  # of a die whose mean is 4.5
    >>> die = MaxEnt(C=1e6, gap=1e-9).fit(faces, [4.5])
    >>> die.coef_.round(3).tolist()
    [0.054, 0.079, 0.114, 0.165, 0.24, 0.347]
    """

    __init__ = solver_constructor(C=1.0, lambda_=None, without=("bias", "normalize", "standardize", "columns"))

    bias = 0

    def _problem(self) -> tuple[str, str]:
        return "max-entropy", "entropy"
