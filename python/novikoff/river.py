"""The learners of the catalogue with river's methods: one row at a time, as a dict of features.

Numbers are features as they are; a text is a category, the feature ``city=Oslo`` of value 1. Features may come and go. Truth values, and the
labels -1 and 1, are one problem; other labels are one problem per class, and new ones may come at any time.

>>> from novikoff import river as nr
>>> model = nr.Perceptron()
>>> for x, y in [({"size": 2.0, "city": "Oslo"}, True), ({"size": 1.0, "city": "Rome"}, False)] * 3:
...     model.learn_one(x, y)
>>> model.predict_one({"size": 2.0, "city": "Oslo"}), model.predict_one({"size": 1.0, "city": "Rome"})
(True, False)

Needs river: ``pip install river``.
"""

from __future__ import annotations

import textwrap
from collections.abc import Iterator
from typing import Any, ClassVar

try:
    from river import base
except ModuleNotFoundError as error:
    if error.name != "river":
        raise
    raise ImportError("novikoff.river needs river: pip install river") from error

from . import _names
from ._arguments import Shared, arguments, bias_of, constructor, documentation, memory_of, norm_of, spec_of
from ._native import RowLearner

# Arguments that several classes have: name, default, whether the entry of the catalogue has it, meaning.
_SHARED: Shared = [
    ("experts", None, lambda entry: entry["parts"] == "learners", "specs of the learners that vote; None is the default set"),
    ("bias", 1.0, None, "the constant feature that every row gets; 0 is off"),
    ("kernel", None, lambda entry: entry["kernel"], 'a kernel, such as ``"gaussian:gamma=0.1"`` or ``"poly:degree=3"``; None is linear'),
    ("map", None, None, 'a map that makes features of rows, such as ``"rff:dim=512,gamma=0.1"``'),
    ("normalize", None, None, 'the p of the norm that rows are divided by, or ``"off"``; None is what the learner asks for'),
    ("average", False, lambda entry: entry["additive"], "whether the average of the weights over all trials is kept, and predicts"),
    ("class_weight", None, lambda entry: entry["weighted"], "a dict of labels and what their rows count"),
    ("n_features", None, None, "how many features there are, for keys whose value depends on it; None is those of the first row"),
    ("max_memory", None, None, "megabytes for weights and rows; None is most of what is free"),
]


class RowClassifier(base.MiniBatchClassifier):
    """A learner of the catalogue. This module makes one class per learner."""

    _learner: ClassVar[dict[str, Any]]

    def _begin(self) -> None:
        """A learner before its first row; the arguments are checked."""
        spec = spec_of(self._learner, lambda key: getattr(self, _names.argument_name(key)), getattr(self, "experts", None))
        self._take(RowLearner(spec, self._options()))

    def _take(self, rows: RowLearner) -> None:
        self._rows = rows
        # asked once per row: the method of the engine itself, without a call of Python in between
        self.predict_one = rows.predict_row  # type: ignore[method-assign]

    def __getstate__(self) -> dict[str, Any]:
        return {name: value for name, value in self.__dict__.items() if name != "predict_one"}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)
        self._take(self._rows)

    def _options(self) -> dict[str, Any]:
        weights = getattr(self, "class_weight", None)
        return {
            "epochs": 1,
            "shuffle": None,
            "kernel": getattr(self, "kernel", None),
            "map": self.map,  # type: ignore[attr-defined]
            "bias": bias_of(self.bias),  # type: ignore[attr-defined]
            "normalize": norm_of(self.normalize),  # type: ignore[attr-defined]
            "standardize": False,
            "average": bool(getattr(self, "average", False)),
            "class_weight": None if weights is None else [(str(label), float(weight)) for label, weight in weights.items()],
            "labels": None,
            "features": self.n_features,  # type: ignore[attr-defined]
            "threads": 1,
            "max_memory": memory_of(self.max_memory),  # type: ignore[attr-defined]
        }

    @property
    def _multiclass(self) -> bool:
        return True

    def _more_tags(self) -> set[str]:
        return {base.tags.POSITIVE_INPUT} if self._learner["non_negative"] else set()

    def predict_one(self, x: dict[Any, Any], **kwargs: Any) -> Any:
        """The label of a row; None before the first row was learned."""
        return self._rows.predict_row(x)

    def predict_proba_one(self, x: dict[Any, Any], **kwargs: Any) -> dict[Any, float]:
        """The probability of each label met so far, where margins are log-odds; else ``NotImplementedError``, as river has it."""
        if not self._learner["probabilities"]:
            raise NotImplementedError(f"{type(self).__name__} has margins only; OnlineLogisticRegression has probabilities")
        found = self._rows.chances_of_row(x)
        if found is None:
            raise NotImplementedError(f"{type(self).__name__} has margins only with these arguments")
        return found

    def learn_many(self, X: Any, y: Any) -> None:
        """``learn_one`` for each row of a frame, in order. A cell that is missing is a feature that the row does not have."""
        for place, (x, label) in enumerate(zip(_dicts(X), y)):
            try:
                self._rows.learn_row(x, label)
            except ValueError as error:
                raise ValueError(f"row {place} of X: {error}; the rows before it were learned") from error

    def predict_many(self, X: Any) -> Any:
        """``predict_one`` for each row of a frame: a series."""
        import pandas

        return pandas.Series([self._rows.predict_row(x) for x in _dicts(X)], index=X.index, dtype=object)

    def predict_proba_many(self, X: Any) -> Any:
        """``predict_proba_one`` for each row of a frame: a frame with one column per label."""
        import pandas

        return pandas.DataFrame([self.predict_proba_one(x) for x in _dicts(X)], index=X.index)

    @property
    def trials(self) -> int:
        """Rows learned so far."""
        return self._rows.counts[0]

    @property
    def mistakes(self) -> int:
        """Rows that were predicted wrongly before they were learned."""
        return self._rows.counts[1]

    @property
    def updates(self) -> int:
        """Changes of weights, over all classes."""
        return self._rows.counts[2]

    def to_bytes(self) -> bytes | None:
        """The model file as bytes; None before the first row was learned."""
        return self._rows.to_bytes()

    def save(self, path: Any) -> None:
        """Writes the model file, which the command and ``novikoff.load`` read. It is whole or as it was."""
        model = self._rows.model()
        if model is None:
            raise ValueError("there is no model before the first row was learned: call learn_one first")
        model.save(path)


class _Weighted(RowClassifier):
    """Learners whose rows may count differently."""

    def learn_one(self, x: dict[Any, Any], y: Any, w: float = 1.0) -> None:
        """Learns a row, which counts ``w`` times."""
        self._rows.learn_row(x, y, w)


class _Plain(RowClassifier):
    """Learners whose rows all count once."""

    def learn_one(self, x: dict[Any, Any], y: Any) -> None:
        """Learns a row."""
        self._rows.learn_row(x, y)


def _dicts(X: Any) -> Iterator[dict[Any, Any]]:
    """The rows of a frame as dicts, without the cells that are missing."""
    has = X.notna().to_numpy()
    for row, present in zip(X.to_dict(orient="records"), has):
        if present.all():
            yield row
        else:
            yield {name: value for (name, value), kept in zip(row.items(), present) if kept}


def _example(name: str) -> str:
    return textwrap.dedent(f"""\
        >>> from novikoff.river import {name}
        >>> model = {name}()
        >>> for x, y in [({{"a": 1.0}}, "left"), ({{"b": 1.0}}, "right")] * 20:
        ...     model.learn_one(x, y)
        >>> model.trials, model.predict_one({{"b": 1.0}}) in ("left", "right")
        (40, True)""")


def _make(entry: dict[str, Any]) -> type[RowClassifier]:
    """The class of a learner."""
    name = _names.class_name(entry["name"])
    listed = arguments(entry, _SHARED)
    body = {
        "__module__": __name__,
        "__qualname__": name,
        "__doc__": documentation(entry["summary"], entry["name"], listed, _example(name)),
        "__init__": constructor(listed, "self._begin()"),
        "_learner": entry,
    }
    return type(name, (_Weighted if entry["weighted"] else _Plain,), body)


__all__ = ["RowClassifier"]
for _entry in _names.learners():
    if not _entry["needs_all_rows"]:
        _class = _make(_entry)
        globals()[_class.__name__] = _class
        __all__.append(_class.__name__)
