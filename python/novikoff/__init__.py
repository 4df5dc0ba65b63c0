"""Online linear and kernel classifiers, with certificates of their mistakes.

Estimators follow scikit-learn's conventions and are loaded when they are first used; ``import novikoff`` itself needs numpy only.

>>> import numpy as np
>>> import novikoff
>>> X = np.array([[1.0, 0.5], [-1.0, 0.25], [2.0, 0.5], [-2.0, 1.0]])
>>> y = np.array([-1, 1, -1, 1])
>>> novikoff.Perceptron(max_iter=5).fit(X, y).predict([[3.0, 1.0], [-3.0, 1.0]])
array([-1,  1])
"""

from __future__ import annotations

import importlib
from typing import Any

from . import _names
from ._native import __version__

_MODULES = {name: "novikoff.estimators" for name in _names.estimators()}
_MODULES["load"] = "novikoff.estimators"
_MODULES["load_svmlight_file"] = "novikoff.files"
_MODULES["load_vw_file"] = "novikoff.files"
_MODULES["Certificate"] = "novikoff._certificate"
_MODULES["RemarkWarning"] = "novikoff._remarks"

__all__ = ["__version__", *sorted(_MODULES)]


def __getattr__(name: str) -> Any:
    module = _MODULES.get(name)
    if module is None:
        raise AttributeError(f"module 'novikoff' has no attribute {name!r}")
    try:
        value = getattr(importlib.import_module(module), name)
    except ModuleNotFoundError as error:
        package = (error.name or "").partition(".")[0]
        if package in {"sklearn", "scipy"}:
            message = f"novikoff.{name} needs {package}: pip install {'scikit-learn' if package == 'sklearn' else package}"
            raise ImportError(message) from error
        raise
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted(set(globals()) | set(_MODULES))
