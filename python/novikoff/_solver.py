"""Estimators of the dual solver: all rows at once, to a certified gap."""

from __future__ import annotations

import json
import warnings
from typing import Any

import numpy as np
import scipy.sparse as sp
from sklearn.base import BaseEstimator, ClassifierMixin, RegressorMixin
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils.metaestimators import available_if
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import _check_sample_weight

from . import _data
from ._arguments import bias_of, norm_of
from ._base import ModelMixin, label_values, seed_of, weights_of
from ._native import Model

__all__ = [
    "DualClassifier",
    "DualRegressor",
    "HuberRegressor",
    "LinearSVM",
    "LinearSVR",
    "LogisticRegression",
    "MaxEnt",
    "Ridge",
    "SVM",
]


# Gaps from which solutions are compared to many digits.
_PRECISE = 1e-8


def merged(X: Any, y: np.ndarray, weights: np.ndarray | None) -> tuple[Any, np.ndarray, np.ndarray]:
    """Equal rows of equal label as one whose weight is their sum, in an order of their own: a row that counts twice is the row twice, to the
    last bit."""
    rows = sp.csr_array(X, dtype=np.float32)
    rows.sum_duplicates()
    rows.eliminate_zeros()
    weights = np.ones(len(y)) if weights is None else weights
    labels = y.tolist()
    found: dict[tuple[Any, bytes, bytes], list[float]] = {}
    places: dict[tuple[Any, bytes, bytes], int] = {}
    for row, (start, end) in enumerate(zip(rows.indptr[:-1], rows.indptr[1:])):
        indices = rows.indices[start:end].astype(np.int64)
        key = (labels[row], indices.tobytes(), rows.data[start:end].tobytes())
        found.setdefault(key, []).append(float(weights[row]))
        places.setdefault(key, row)
    order = sorted(found)
    kept = np.asarray([places[key] for key in order])
    return X[kept], y[kept], np.asarray([sum(found[key]) for key in order])


class _Solver(ModelMixin, BaseEstimator):
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
        if not (np.isscalar(value) and np.isfinite(value) and value > 0):
            raise ValueError(f"{name}={value!r}: must be a number above 0")
        return float(value)

    def _weighed(self, X: Any, y: np.ndarray, sample_weight: Any) -> tuple[Any, np.ndarray, np.ndarray | None]:
        if sample_weight is None:
            return self._merged(X, y, None)
        weights = _check_sample_weight(sample_weight, X, dtype=np.float64, ensure_non_negative=True)
        counts = weights > 0
        if not counts.any():
            raise ValueError("sample_weight: all weights are 0, so there is no row to learn from")
        if not counts.all():
            X, y, weights = X[counts], y[counts], weights[counts]
        return self._merged(X, y, weights)

    def _merged(self, X: Any, y: np.ndarray, weights: np.ndarray | None) -> tuple[Any, np.ndarray, np.ndarray | None]:
        return merged(X, y, weights) if self.gap < _PRECISE else (X, y, weights)  # type: ignore[attr-defined]

    def _solve(self, rows: Any, total: float, labels: Any, class_weight: Any) -> None:
        bias = self.bias  # type: ignore[attr-defined]
        free = isinstance(bias, str)
        if free and bias != "free":
            raise ValueError(f'bias={bias!r}: must be "free" or a number; 0 is off')
        get = lambda name, default=None: getattr(self, name, default)  # noqa: E731
        loss, reg = self._problem()
        gap, passes = self.gap, self.max_passes  # type: ignore[attr-defined]
        if not (isinstance(passes, (int, np.integer)) and passes >= 1):
            raise ValueError(f"max_passes={passes!r}: must be a whole number from 1")
        if not (np.isscalar(gap) and 0 <= gap < 1):
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
            "features": int(self.n_features_in_),  # type: ignore[attr-defined]
            "threads": self._threads(),
            "max_memory": get("max_memory"),
        }
        problem = {
            "loss": loss,
            "reg": reg,
            "lambda_": self._lambda(len(rows), total),
            "free_bias": free,
            "theta": get("theta"),
            "alpha": None,
            "gap": float(gap),
            "max_passes": int(passes),
            "seed": seed_of(get("random_state", 0)),
        }
        self._model, report, short = Model.solve(rows, options, problem)
        self.report_ = json.loads(report)
        self.gap_ = self.report_.get("relative_gap")
        self.n_iter_ = max(1, int(self.report_.get("passes") or 1))
        self.remarks_ = self.report_.get("remarks", [])
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


class DualClassifier(ClassifierMixin, _Solver):
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
        How much the losses count; ``lambda_`` wins over ``C``.
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

    Examples
    --------
    >>> from novikoff import DualClassifier
    >>> from sklearn.datasets import load_breast_cancer
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> model = DualClassifier(loss="logistic", standardize=True).fit(X, y)
    >>> model.score(X, y) > 0.97, model.gap_ <= 1e-4
    (True, True)
    """

    def __init__(
        self,
        *,
        loss="hinge",
        reg="l2",
        C=1.0,
        lambda_=None,
        bias="free",
        kernel=None,
        map=None,
        normalize=None,
        standardize=False,
        theta=None,
        class_weight=None,
        gap=1e-4,
        max_passes=1000,
        random_state=0,
        n_jobs=None,
        max_memory=None,
    ):
        self.loss = loss
        self.reg = reg
        self.C = C
        self.lambda_ = lambda_
        self.bias = bias
        self.kernel = kernel
        self.map = map
        self.normalize = normalize
        self.standardize = standardize
        self.theta = theta
        self.class_weight = class_weight
        self.gap = gap
        self.max_passes = max_passes
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.max_memory = max_memory

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Any:
        """Solves for all rows. A row of weight 2 counts as the same row twice, one of weight 0 as none."""
        X, y = self._checked(X, y=y, reset=True)
        check_classification_targets(y)
        self.classes_, given = np.unique(y), X
        X, y, weights = self._weighed(X, y, sample_weight)
        if len(np.unique(y)) < 2:
            raise ValueError(f"{type(self).__name__} needs rows of at least two classes, and y has one class only")
        texts = _data.label_texts(self.classes_)
        codes = np.searchsorted(self.classes_, y)
        names = self._names_for_model()
        rows = _data.rows_of(X, bias=self._row_bias(), codes=codes, labels=texts, weights=weights, names=names)
        labels = (texts[0], texts[1]) if len(texts) == 2 else None
        total = float(len(y)) if weights is None else float(weights.sum())
        self._solve(rows, total, labels, weights_of(self.class_weight, self.classes_, codes, weights))
        places = {text: place for place, text in enumerate(texts)}
        self._order = [0, 1] if labels else [places[text] for text in self._model.classes]
        if self._model.stored is not None:
            self._find_support(given)
        return self

    def predict(self, X: Any) -> np.ndarray:
        """The label of each row."""
        rows = self._asked(X)
        return self.classes_[np.asarray(self._order)[self._model.labels(rows, self._threads())]]

    def decision_function(self, X: Any) -> np.ndarray:
        """The margin of each row: of two classes one number, which is at least 0 for the second of ``classes_``; else one per class."""
        scores = self._scores(X)
        if len(self.classes_) == 2:
            return scores[:, 0]
        margins = np.full((scores.shape[0], len(self.classes_)), -np.inf)
        margins[:, self._order] = scores
        return margins

    @available_if(_has_probabilities)
    def predict_proba(self, X: Any) -> np.ndarray:
        """The probability of each class, for losses whose margins are log-odds."""
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
        How much the losses count.
    loss : default="squared_hinge"
        ``"squared_hinge"`` or ``"hinge"``.
    bias : default=1.0
        The regularised constant feature, or ``"free"``.
    class_weight, normalize, standardize, gap, max_passes, random_state, n_jobs, max_memory
        As in ``DualClassifier``.

    Examples
    --------
    >>> from novikoff import LinearSVM
    >>> from sklearn.datasets import load_iris
    >>> X, y = load_iris(return_X_y=True)
    >>> LinearSVM(C=1.0).fit(X, y).score(X, y) > 0.9
    True
    """

    def __init__(
        self,
        *,
        C=1.0,
        loss="squared_hinge",
        bias=1.0,
        class_weight=None,
        normalize=None,
        standardize=False,
        gap=1e-4,
        max_passes=1000,
        random_state=0,
        n_jobs=None,
        max_memory=None,
    ):
        self.C = C
        self.loss = loss
        self.bias = bias
        self.class_weight = class_weight
        self.normalize = normalize
        self.standardize = standardize
        self.gap = gap
        self.max_passes = max_passes
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.max_memory = max_memory

    def _problem(self) -> tuple[str, str]:
        if self.loss not in ("hinge", "squared_hinge"):
            raise ValueError(f'loss={self.loss!r}: must be "hinge" or "squared_hinge"')
        return self.loss.replace("_", "-"), "l2"


class SVM(DualClassifier):
    """The support vector machine in the space of a kernel, with an intercept that is not regularised, as ``sklearn.svm.SVC`` has it.

    Parameters
    ----------
    C : default=1.0
        How much the losses count.
    kernel : default="gaussian:gamma=auto"
        ``"gaussian:gamma=0.1"``, ``"poly:degree=3,coef0=1"``, either with the flag ``cosine``, or None for none. ``gamma=auto`` is one over
        the mean squared distance of the first rows.
    class_weight, normalize, standardize, gap, max_passes, random_state, n_jobs, max_memory
        As in ``DualClassifier``.

    Examples
    --------
    >>> from novikoff import SVM
    >>> from sklearn.datasets import load_iris
    >>> X, y = load_iris(return_X_y=True)
    >>> SVM().fit(X, y).score(X, y) > 0.95
    True
    """

    def __init__(
        self,
        *,
        C=1.0,
        kernel="gaussian:gamma=auto",
        bias="free",
        class_weight=None,
        normalize=None,
        standardize=False,
        gap=1e-4,
        max_passes=1000,
        random_state=0,
        n_jobs=None,
        max_memory=None,
    ):
        self.C = C
        self.kernel = kernel
        self.bias = bias
        self.class_weight = class_weight
        self.normalize = normalize
        self.standardize = standardize
        self.gap = gap
        self.max_passes = max_passes
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.max_memory = max_memory

    def _problem(self) -> tuple[str, str]:
        return "hinge", "l2"


class LogisticRegression(DualClassifier):
    """Logistic regression with an intercept that is not regularised; more than two classes are one problem each.

    Parameters
    ----------
    C : default=1.0
        How much the losses count.
    bias, class_weight, normalize, standardize, gap, max_passes, random_state, n_jobs, max_memory
        As in ``DualClassifier``.

    Examples
    --------
    >>> from novikoff import LogisticRegression
    >>> from sklearn.datasets import load_iris
    >>> X, y = load_iris(return_X_y=True)
    >>> LogisticRegression().fit(X, y).predict_proba(X[:1]).round(1)
    array([[0.9, 0.1, 0. ]])
    """

    def __init__(
        self,
        *,
        C=1.0,
        bias="free",
        class_weight=None,
        normalize=None,
        standardize=False,
        gap=1e-4,
        max_passes=1000,
        random_state=0,
        n_jobs=None,
        max_memory=None,
    ):
        self.C = C
        self.bias = bias
        self.class_weight = class_weight
        self.normalize = normalize
        self.standardize = standardize
        self.gap = gap
        self.max_passes = max_passes
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.max_memory = max_memory

    def _problem(self) -> tuple[str, str]:
        return "logistic", "l2"


class DualRegressor(RegressorMixin, _Solver):
    """A regressor by any loss of numbers and any regulariser of the solver, for all rows at once.

    Parameters
    ----------
    loss : default="squared"
        ``"squared"``, ``"huber:delta=1"``, ``"absolute"``, ``"eps-insensitive:eps=0.1"``, ``"squared-eps-insensitive:eps=0.1"`` or
        ``"max-entropy"``.
    reg : default="l2"
        As in ``DualClassifier``.
    C, lambda_ : default=1.0, None
        How much the losses count; ``lambda_`` wins over ``C``.
    bias, kernel, map, normalize, standardize, gap, max_passes, random_state, n_jobs, max_memory
        As in ``DualClassifier``.

    Examples
    --------
    >>> from novikoff import DualRegressor
    >>> from sklearn.datasets import load_diabetes
    >>> X, y = load_diabetes(return_X_y=True)
    >>> DualRegressor(loss="absolute", C=100).fit(X, y).score(X, y) > 0.4
    True
    """

    def __init__(
        self,
        *,
        loss="squared",
        reg="l2",
        C=1.0,
        lambda_=None,
        bias="free",
        kernel=None,
        map=None,
        normalize=None,
        standardize=False,
        gap=1e-4,
        max_passes=1000,
        random_state=0,
        n_jobs=None,
        max_memory=None,
    ):
        self.loss = loss
        self.reg = reg
        self.C = C
        self.lambda_ = lambda_
        self.bias = bias
        self.kernel = kernel
        self.map = map
        self.normalize = normalize
        self.standardize = standardize
        self.gap = gap
        self.max_passes = max_passes
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.max_memory = max_memory

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Any:
        """Solves for all rows. A row of weight 2 counts as the same row twice, one of weight 0 as none."""
        X, y = self._checked(X, y=y, reset=True, y_numeric=True)
        X, y, weights = self._weighed(X, y, sample_weight)
        rows = _data.rows_of(X, bias=self._row_bias(), targets=y, weights=weights, names=self._names_for_model())
        total = float(len(y)) if weights is None else float(weights.sum())
        self._solve(rows, total, None, None)
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
        How much the weights count.
    bias, normalize, standardize, gap, max_passes, random_state, n_jobs, max_memory
        As in ``DualRegressor``.

    Examples
    --------
    >>> from novikoff import Ridge
    >>> from sklearn.datasets import load_diabetes
    >>> X, y = load_diabetes(return_X_y=True)
    >>> Ridge(alpha=0.1).fit(X, y).score(X, y) > 0.5
    True
    """

    def __init__(
        self,
        *,
        alpha=1.0,
        bias="free",
        normalize=None,
        standardize=False,
        gap=1e-4,
        max_passes=1000,
        random_state=0,
        n_jobs=None,
        max_memory=None,
    ):
        self.alpha = alpha
        self.bias = bias
        self.normalize = normalize
        self.standardize = standardize
        self.gap = gap
        self.max_passes = max_passes
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.max_memory = max_memory

    def _problem(self) -> tuple[str, str]:
        return "squared", "l2"


class HuberRegressor(_ByAlpha):
    """Regression by Huber's loss: squares within ``delta`` of the target, lines beyond. The scale is given, not estimated.

    Parameters
    ----------
    delta : default=1.0
        Distances from which the loss is a line.
    alpha : default=0.0001
        How much the weights count: ``sum of losses + alpha |w|^2/2``.
    bias, normalize, standardize, gap, max_passes, random_state, n_jobs, max_memory
        As in ``DualRegressor``.

    Examples
    --------
    >>> from novikoff import HuberRegressor
    >>> from sklearn.datasets import load_diabetes
    >>> X, y = load_diabetes(return_X_y=True)
    >>> HuberRegressor(delta=50, alpha=0.01).fit(X, y).score(X, y) > 0.5
    True
    """

    def __init__(
        self,
        *,
        delta=1.0,
        alpha=0.0001,
        bias="free",
        normalize=None,
        standardize=False,
        gap=1e-4,
        max_passes=1000,
        random_state=0,
        n_jobs=None,
        max_memory=None,
    ):
        self.delta = delta
        self.alpha = alpha
        self.bias = bias
        self.normalize = normalize
        self.standardize = standardize
        self.gap = gap
        self.max_passes = max_passes
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.max_memory = max_memory

    def _problem(self) -> tuple[str, str]:
        return f"huber:delta={float(self.delta)!r}", "l2"


class LinearSVR(DualRegressor):
    """Linear support vector regression: distances up to ``epsilon`` from the target cost nothing.

    Parameters
    ----------
    epsilon : default=0.0
        Distances that cost nothing.
    C : default=1.0
        How much the losses count.
    bias, normalize, standardize, gap, max_passes, random_state, n_jobs, max_memory
        As in ``DualRegressor``.

    Examples
    --------
    >>> from novikoff import LinearSVR
    >>> from sklearn.datasets import load_diabetes
    >>> X, y = load_diabetes(return_X_y=True)
    >>> LinearSVR(C=100).fit(X, y).score(X, y) > 0.4
    True
    """

    def __init__(
        self,
        *,
        epsilon=0.0,
        C=1.0,
        bias="free",
        normalize=None,
        standardize=False,
        gap=1e-4,
        max_passes=1000,
        random_state=0,
        n_jobs=None,
        max_memory=None,
    ):
        self.epsilon = epsilon
        self.C = C
        self.bias = bias
        self.normalize = normalize
        self.standardize = standardize
        self.gap = gap
        self.max_passes = max_passes
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.max_memory = max_memory

    def _problem(self) -> tuple[str, str]:
        epsilon = float(self.epsilon)
        return ("absolute" if epsilon == 0 else f"eps-insensitive:eps={epsilon!r}"), "l2"


class MaxEnt(DualRegressor):
    """The distribution over features of largest entropy whose means are the targets.

    Every row is a function of the features (outcomes), its target the mean that the distribution is to give it; the weights are
    non-negative and sum to 1.

    Parameters
    ----------
    C, lambda_ : default=1.0, None
        How much the distances from the means count; ``lambda_`` wins over ``C``.
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

    def __init__(
        self,
        *,
        C=1.0,
        lambda_=None,
        gap=1e-4,
        max_passes=1000,
        random_state=0,
        n_jobs=None,
        max_memory=None,
    ):
        self.C = C
        self.lambda_ = lambda_
        self.gap = gap
        self.max_passes = max_passes
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.max_memory = max_memory

    bias = 0

    def _problem(self) -> tuple[str, str]:
        return "max-entropy", "entropy"


def from_model(model: Model, about: dict[str, Any]) -> Any:
    """The estimator of a solution that was kept."""
    classes = model.classes
    estimator: Any = DualRegressor() if classes == ["numbers"] else DualClassifier()
    estimator._model = model
    estimator.n_features_in_ = about["features"]
    if isinstance(estimator, DualClassifier):
        estimator.classes_, estimator._order = label_values(classes)
    return estimator
