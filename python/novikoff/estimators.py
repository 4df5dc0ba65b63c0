"""All estimators: one class per learner of the catalogue, and those of the dual solver."""

from __future__ import annotations

from typing import Any

import numpy as np

from . import _dual_solver, _names
from ._arguments import read_spec, value_of_text
from ._base import OnlineClassifier
from ._generate import make
from ._native import Model
from ._sklearn_names import PassiveAggressiveClassifier, Perceptron
from ._dual_solver import *  # noqa: F403
from ._regressors import *  # noqa: F403
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

    Its labels are texts, or numbers where all of them are. It has the arguments that the file knows: those of the problem, and how rows
    are read and prepared. How long it learned, and in which order, it does not know.

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
    """The estimator of a model of the engine, with the arguments that the model knows."""
    about = model.about()
    name, parts, keys = read_spec(about["spec"])
    made = _BY_LEARNER.get(name)
    if made is None:
        return _dual_solver.from_model(model, about)
    estimator: Any = made()
    estimator.bias = model.bias or 0
    for key in made._learner["keys"]:  # type: ignore[attr-defined]
        if key["name"] in keys:
            estimator._set_key(key["name"], True if key["flag"] else value_of_text(keys[key["name"]]))
    if hasattr(estimator, "experts") and parts:
        estimator.experts = parts
    estimator._take_arguments(model, about)
    estimator._restore(model, about)
    return estimator
