"""The learners that scikit-learn has too take its argument names, so that moving over is one import."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import numpy as np
from sklearn.model_selection import train_test_split
from sklearn.utils.multiclass import check_classification_targets

from . import _data
from ._arguments import bias_of, is_number, whole_from_one
from ._base import seed_of
from ._generate import make
from ._names import learners
from ._native import Model

_ENTRIES = {entry["name"]: entry for entry in learners()}
_Perceptron: Any = make(_ENTRIES["perceptron"])
_PassiveAggressive: Any = make(_ENTRIES["passive-aggressive"])


# What scikit-learn calls the losses of the passive-aggressive learner, and their variants in the catalogue.
_VARIANTS = {"hinge": 1, "squared_hinge": 2, "hard": "pa"}


class _ByEpochs:
    """Passes until the mistakes of a pass no longer fall, as scikit-learn counts them."""

    def _bias(self) -> float | None:
        return bias_of(self.bias) if self.fit_intercept else None  # type: ignore[attr-defined]

    def _epochs(self) -> int:
        return whole_from_one("max_iter", self.max_iter)  # type: ignore[attr-defined]

    def _fit(self: Any, X: Any, y: Any, sample_weight: Any = None) -> Any:
        self._check_names()
        went_on = self._model if self.warm_start and self.__sklearn_is_fitted__() else None
        if self.tol is None and not self.early_stopping and went_on is None:
            return super()._fit(X, y, sample_weight)  # type: ignore[misc]
        held = None
        is_table = self._is_table(X)
        if is_table:
            if self.early_stopping:
                raise ValueError("early_stopping=True: rows of a table are not divided; give an array, or early_stopping=False")
            y, weights = self._checked_table(X, y, sample_weight, reset=True)
            check_classification_targets(y)
            self._set_classes(y)
            rows = self._table_rows(X, y, weights, None)
        else:
            X, y, weights = self._begin(X, y, sample_weight)
            if self.early_stopping:
                X, y, weights, held = self._hold_out(X, y, weights)
            rows = self._training_rows(X, y, weights, self._names_for_model())
        class_weight = self._class_weight(y, weights)

        def one_pass(model: Any, shuffle: int | None) -> Any:
            options = self._options(epochs=1, shuffle=shuffle, class_weight=class_weight)
            if is_table:  # columns are not features: a category is one feature per value
                options["features"] = None
            model, report = Model.fit(self._spec(), rows, options) if model is None else model.more(rows, options)
            self._adopt(model, json.loads(report))
            return model

        with _data.finite_or_said(X, type(self).__name__):
            self._passes(one_pass, went_on, held)
        self._note(rows, self.remarks_)
        if sample_weight is None and held is None:
            self._find_support(rows)
        return self

    def _passes(self: Any, one_pass: Callable[[Any, int | None], Any], model: Any, held: Any) -> None:
        """Passes until the mistakes of a pass, or the errors on the rows held out, no longer fall."""
        if self.tol is not None and not is_number(self.tol):
            raise ValueError(f"tol={self.tol!r}: must be a finite number, or None")
        whole_from_one("n_iter_no_change", self.n_iter_no_change)
        seed, best, stale, epoch = self._shuffle(), np.inf, 0, 0
        tolerance = -np.inf if self.tol is None else self.tol
        while epoch < self._epochs() and stale < self.n_iter_no_change:
            model = one_pass(model, None if seed is None else seed + epoch)
            epoch += 1
            loss = self.report_["mistakes"] / self.report_["data"]["rows"] if held is None else 1.0 - self.score(*held)
            stale = stale + 1 if loss > best - tolerance else 0
            best = min(best, loss)
        self.n_iter_ = epoch
        self._trained_by = "a certificate is about one run: give tol=None, and as many passes as you want by max_iter"

    def fit_file(self: Any, paths: Any, *, progress: Any = None, **read: Any) -> Any:
        """Learns from a file or several, at the command's speed: ``fit`` without an array, with the same passes and the same end.

        ``read`` says how they are read, in the words of the command; ``progress=True`` shows how far it is.
        """
        self._check_names()
        if self.early_stopping:
            raise ValueError("early_stopping=True: rows of a file are not divided; give an array, or early_stopping=False")
        if self.tol is None:
            return super().fit_file(paths, progress=progress, **read)  # type: ignore[misc]

        def one_pass(model: Any, shuffle: int | None) -> Any:
            return self._learn_file(paths, 1, shuffle, model, progress, read)._model

        self._passes(one_pass, self._model if self.warm_start and self.__sklearn_is_fitted__() else None, None)
        return self

    def _hold_out(self: Any, X: Any, y: np.ndarray, weights: Any) -> tuple[Any, Any, Any, Any]:
        places = np.arange(len(y))
        kept, held = train_test_split(
            places, test_size=self.validation_fraction, stratify=y, random_state=seed_of(self.random_state)
        )
        kept.sort()
        return X[kept], y[kept], None if weights is None else weights[kept], (X[held], y[held])


class Perceptron(_ByEpochs, _Perceptron):
    """Rosenblatt's perceptron, with scikit-learn's arguments.

    ``fit`` makes passes until the mistakes of ``n_iter_no_change`` passes in a row have not fallen by ``tol`` per row, at most ``max_iter``;
    ``tol=None`` makes ``max_iter`` passes in one run, which can be certified.

    Parameters
    ----------
    penalty : default=None
        Only None: the perceptron has no penalty.
    eta0 : default=1.0
        The length of steps, which changes no prediction of a perceptron that begins at zero. Any number above 0.
    fit_intercept, bias : default=True, 1.0
        Whether every row gets the constant feature, and which.
    margin : default=0
        Right answers up to this margin are corrected too.
    max_iter, tol, n_iter_no_change, early_stopping, validation_fraction, shuffle, random_state, class_weight, warm_start
        As in scikit-learn.
    alpha, l1_ratio, verbose
        Accepted, and not used without a penalty.
    kernel, map, normalize, standardize, average, columns, n_jobs, max_memory, keep_rows
        As in the other estimators.

    Examples
    --------
    >>> from novikoff import Perceptron
    >>> from sklearn.datasets import load_digits
    >>> X, y = load_digits(return_X_y=True)
    >>> Perceptron(tol=1e-3, random_state=0).fit(X, y).score(X, y) > 0.95
    True
    """

    def __init__(
        self,
        *,
        penalty=None,
        alpha=0.0001,
        l1_ratio=0.15,
        fit_intercept=True,
        max_iter=1000,
        tol=1e-3,
        shuffle=True,
        verbose=0,
        eta0=1.0,
        n_jobs=None,
        random_state=0,
        early_stopping=False,
        validation_fraction=0.1,
        n_iter_no_change=5,
        class_weight=None,
        warm_start=False,
        margin=0,
        bias=1.0,
        kernel=None,
        map=None,
        normalize=None,
        standardize=False,
        average=False,
        columns=None,
        max_memory=None,
        keep_rows=False,
    ):
        self.penalty = penalty
        self.alpha = alpha
        self.l1_ratio = l1_ratio
        self.fit_intercept = fit_intercept
        self.max_iter = max_iter
        self.tol = tol
        self.shuffle = shuffle
        self.verbose = verbose
        self.eta0 = eta0
        self.n_jobs = n_jobs
        self.random_state = random_state
        self.early_stopping = early_stopping
        self.validation_fraction = validation_fraction
        self.n_iter_no_change = n_iter_no_change
        self.class_weight = class_weight
        self.warm_start = warm_start
        self.margin = margin
        self.bias = bias
        self.kernel = kernel
        self.map = map
        self.normalize = normalize
        self.standardize = standardize
        self.average = average
        self.columns = columns
        self.max_memory = max_memory
        self.keep_rows = keep_rows

    def _check_names(self) -> None:
        if self.penalty is not None:
            raise ValueError(f"penalty={self.penalty!r}: the perceptron has none; use DualClassifier for a penalised loss")
        if not (is_number(self.eta0) and self.eta0 > 0):
            raise ValueError(f"eta0={self.eta0!r}: must be above 0")


class PassiveAggressiveClassifier(_ByEpochs, _PassiveAggressive):
    """The passive-aggressive learner (Crammer et al. 2006), with scikit-learn's arguments.

    Parameters
    ----------
    C : default=1.0
        How large a step may be; the smaller, the less a wrong label can do.
    loss : default="hinge"
        ``"hinge"`` is PA-I, ``"squared_hinge"`` PA-II, and ``"hard"`` the learner without C.
    fit_intercept, bias : default=True, 1.0
        Whether every row gets the constant feature, and which.
    average : default=False
        Whether the average of the weights over all trials predicts.
    max_iter, tol, n_iter_no_change, early_stopping, validation_fraction, shuffle, random_state, class_weight, warm_start
        As in scikit-learn; ``tol=None`` makes ``max_iter`` passes in one run, which can be certified.
    verbose
        Accepted, and not used.
    kernel, map, normalize, standardize, columns, n_jobs, max_memory, keep_rows
        As in the other estimators.

    Examples
    --------
    >>> from novikoff import PassiveAggressiveClassifier
    >>> from sklearn.datasets import load_digits
    >>> X, y = load_digits(return_X_y=True)
    >>> PassiveAggressiveClassifier(C=0.01, random_state=0).fit(X, y).score(X, y) > 0.95
    True
    """

    def __init__(
        self,
        *,
        C=1.0,
        fit_intercept=True,
        max_iter=1000,
        tol=1e-3,
        early_stopping=False,
        validation_fraction=0.1,
        n_iter_no_change=5,
        shuffle=True,
        verbose=0,
        loss="hinge",
        n_jobs=None,
        random_state=0,
        warm_start=False,
        class_weight=None,
        average=False,
        bias=1.0,
        kernel=None,
        map=None,
        normalize=None,
        standardize=False,
        columns=None,
        max_memory=None,
        keep_rows=False,
    ):
        self.C = C
        self.fit_intercept = fit_intercept
        self.max_iter = max_iter
        self.tol = tol
        self.early_stopping = early_stopping
        self.validation_fraction = validation_fraction
        self.n_iter_no_change = n_iter_no_change
        self.shuffle = shuffle
        self.verbose = verbose
        self.loss = loss
        self.n_jobs = n_jobs
        self.random_state = random_state
        self.warm_start = warm_start
        self.class_weight = class_weight
        self.average = average
        self.bias = bias
        self.kernel = kernel
        self.map = map
        self.normalize = normalize
        self.standardize = standardize
        self.columns = columns
        self.max_memory = max_memory
        self.keep_rows = keep_rows

    def _check_names(self) -> None:
        if self.loss not in ("hinge", "squared_hinge", "hard"):
            raise ValueError(f'loss={self.loss!r}: must be "hinge", "squared_hinge" or "hard"')

    def _key(self, name: str) -> Any:
        if name == "variant":
            self._check_names()
            return _VARIANTS[self.loss]
        return self.C if name == "c" else super()._key(name)

    def _set_key(self, name: str, value: Any) -> None:
        if name == "variant":
            self.loss = {str(variant): loss for loss, variant in _VARIANTS.items()}[str(value)]
        else:
            super()._set_key("C" if name == "c" else name, value)
