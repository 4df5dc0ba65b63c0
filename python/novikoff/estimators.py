"""All estimators: one class per learner of the catalogue, and those of the dual solver."""

from __future__ import annotations

from typing import Any

import numpy as np

from . import _names, _solver
from ._base import OnlineClassifier
from ._generate import make
from ._native import Model
from ._sklearn_names import PassiveAggressiveClassifier, Perceptron
from ._solver import *  # noqa: F403

__all__ = ["OnlineClassifier", "load", *_names.estimators()]

_WRITTEN = {"Perceptron": Perceptron, "PassiveAggressiveClassifier": PassiveAggressiveClassifier}
_BY_LEARNER: dict[str, type] = {}
for _entry in _names.learners():
    _name = _names.class_name(_entry["name"])
    _class: Any = _WRITTEN.get(_name) or make(_entry)
    _class.__module__ = __name__
    globals()[_name] = _class
    _BY_LEARNER[_entry["name"]] = _class


def load(path: Any) -> Any:
    """The estimator of a model file, written by ``save`` or by the command.

    Its labels are texts, or numbers where all of them are.

    >>> import numpy, tempfile, pathlib
    >>> import novikoff
    >>> X, y = numpy.eye(4), numpy.array([0, 1, 0, 1])
    >>> path = pathlib.Path(tempfile.mkdtemp()) / "my.model"
    >>> novikoff.AveragedPerceptron().fit(X, y).save(path)
    >>> novikoff.load(path).predict(X)
    array([0, 1, 0, 1])
    """
    return from_model(Model.load(path))


def from_model(model: Model) -> Any:
    """The estimator of a model of the engine."""
    about = model.about()
    name = about["spec"].partition(":")[0].partition("(")[0].partition("@")[0]
    made = _BY_LEARNER.get(name)
    if made is None:
        return _solver.from_model(model, about)
    estimator = made()
    estimator.bias = about["bias"] or 0
    estimator._restore(model, about)
    return estimator
