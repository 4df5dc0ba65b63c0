"""One class per learner of the catalogue: its keys become arguments of the constructor."""

from __future__ import annotations

import textwrap
from types import FunctionType
from typing import Any

from ._arguments import arguments, constructor, documentation
from ._base import OnlineClassifier, no_chances
from ._names import class_name

# How the columns of a table are read.
COLUMNS = (
    'how the columns of a table are read, such as ``{"text": ["body"], "missing": "mean"}``: a dict with lists of names in ``categorical``, '
    '``text``, ``drop`` or ``only``, ``missing`` ("refuse", "zero", "mean" or "indicator"), ``dates`` ("parts", "seconds" or "refuse"), '
    '``ngrams`` ((1, 2) or "1..2") and ``tfidf`` (True or False)'
)

# Arguments that several classes have: name, default, whether the entry of the catalogue has it, meaning.
_SHARED: list[tuple[str, Any, Any, str]] = [
    ("experts", None, lambda entry: entry["parts"] == "learners", "specs of the learners that vote; None is the default set"),
    ("bias", 1.0, None, "the constant feature that every row gets; 0 is off"),
    ("epochs", 5, None, "passes of ``fit`` over the rows"),
    ("shuffle", True, None, "whether each pass of ``fit`` has an order of its own"),
    ("random_state", 0, None, "the seed of these orders"),
    ("kernel", None, lambda entry: entry["kernel"], 'a kernel, such as ``"gaussian:gamma=auto"`` or ``"poly:degree=3"``; None is linear'),
    ("map", None, None, 'a map that makes features of rows, such as ``"rff:dim=512,gamma=auto"``'),
    ("normalize", None, None, 'the p of the norm that rows are divided by, or ``"off"``; None is what the learner asks for'),
    ("standardize", False, None, "whether ``fit`` centres and scales every feature before it learns"),
    ("average", False, lambda entry: entry["additive"], "whether the average of the weights over all trials predicts"),
    ("class_weight", None, lambda entry: entry["weighted"], '``"balanced"``, or a dict of labels and what their rows count'),
    ("columns", None, None, COLUMNS),
    ("n_jobs", None, None, "threads; None is all cores. Changes no result"),
    ("max_memory", None, None, "megabytes for rows and weights; None is most of what is free"),
    ("keep_rows", False, None, "whether the rows of ``fit`` are kept for ``certificate_``"),
]


class _Weighted:
    """Learners whose rows may count differently."""

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Any:
        """Learns from all rows, in ``epochs`` passes. Rows of weight 0 are left out."""
        return self._fit(X, y, sample_weight)  # type: ignore[attr-defined]

    def partial_fit(self, X: Any, y: Any, classes: Any = None, sample_weight: Any = None) -> Any:
        """Learns on: one pass over the rows in the order given. With ``classes=None`` new classes may come at any time."""
        return self._partial_fit(X, y, classes, sample_weight)  # type: ignore[attr-defined]


class _Plain:
    """Learners whose rows all count once."""

    def fit(self, X: Any, y: Any) -> Any:
        """Learns from all rows, in ``epochs`` passes."""
        return self._fit(X, y)  # type: ignore[attr-defined]

    def partial_fit(self, X: Any, y: Any, classes: Any = None) -> Any:
        """Learns on: one pass over the rows in the order given. With ``classes=None`` new classes may come at any time."""
        return self._partial_fit(X, y, classes)  # type: ignore[attr-defined]


class _AllRows:
    """Learners that see all rows before they begin, and so cannot learn on."""

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Any:
        """Learns from all rows, in ``epochs`` passes. Rows of weight 0 are left out."""
        return self._fit(X, y, sample_weight)  # type: ignore[attr-defined]


def _has_probabilities(estimator: Any) -> bool:
    if estimator._learner["probabilities"]:
        return True
    model = getattr(estimator, "_model", None)
    return model is not None and model.has_probabilities


class _Chances:
    """Probabilities, where the learner or a calibration gives them."""

    @property
    def predict_proba(self) -> Any:
        """The probability of each class, for models whose margins are log-odds and for those that were calibrated."""
        if not _has_probabilities(self):
            raise AttributeError(no_chances(self))
        return self._predict_proba  # type: ignore[attr-defined]


def _example(name: str) -> str:
    return textwrap.dedent(f"""\
        >>> from novikoff import {name}
        >>> from sklearn.datasets import load_iris
        >>> X, y = load_iris(return_X_y=True)
        >>> model = {name}().fit(X, y)
        >>> model.predict(X[:2]).shape, model.mistakes_ > 0
        ((2,), True)""")


def _named(method: FunctionType, owner: str) -> FunctionType:
    """A method under the name of the class that has it, as errors call it."""
    copy = FunctionType(method.__code__, method.__globals__, method.__name__, method.__defaults__, method.__closure__)
    copy.__doc__, copy.__annotations__, copy.__kwdefaults__ = method.__doc__, method.__annotations__, method.__kwdefaults__
    copy.__qualname__ = f"{owner}.{method.__name__}"
    return copy


def make(entry: dict[str, Any]) -> type[OnlineClassifier]:
    """The class of a learner."""
    name = class_name(entry["name"])
    listed = arguments(entry, _SHARED)
    if entry["needs_all_rows"]:
        methods: type = _AllRows
    else:
        methods = _Weighted if entry["weighted"] else _Plain
    own = {key: _named(value, name) for key, value in vars(methods).items() if isinstance(value, FunctionType)}
    body = {
        **own,
        "__module__": "novikoff.estimators",
        "__qualname__": name,
        "__doc__": documentation(entry["summary"], entry["name"], listed, _example(name)),
        "__init__": _named(constructor(listed), name),
        "_learner": entry,
    }
    return type(name, (methods, _Chances, OnlineClassifier), body)
