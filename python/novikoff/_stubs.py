"""Writes the type stubs of the estimators: ``python -m novikoff._stubs FOLDER``. A test compares them with the package."""

from __future__ import annotations

import inspect
import sys
from pathlib import Path
from typing import Any

from . import _names, estimators
from ._base import OnlineClassifier

_HEAD = '''"""All estimators. Written by ``python -m novikoff._stubs``."""

from os import PathLike
from typing import Any, Literal, overload

import numpy as np
from numpy.typing import NDArray
from typing_extensions import Self

class Certificate:
    report: dict[str, Any]
    theorem: str | None
    name: str | None
    mistakes: int
    bound: float | None
    holds: bool | None
    terms: dict[str, float]
    comparator: dict[str, Any]
    reason: str | None
    def __init__(self, report: dict[str, Any]) -> None: ...

class RemarkWarning(UserWarning): ...

class ModelMixin:
    n_features_in_: int
    feature_names_in_: NDArray[np.object_]
    n_iter_: int
    report_: dict[str, Any]
    remarks_: list[dict[str, str]]
    def get_params(self, deep: bool = True) -> dict[str, Any]: ...
    def set_params(self, **params: Any) -> Self: ...
    @property
    def coef_(self) -> NDArray[np.float64]: ...
    @property
    def intercept_(self) -> Any: ...
    @property
    def n_support_(self) -> int: ...
    def get_feature_names_out(self, input_features: Any = None) -> NDArray[np.object_]: ...
    def predict(self, X: Any) -> NDArray[Any]: ...
    def score(self, X: Any, y: Any, sample_weight: Any = None) -> float: ...
    def save(self, path: str | PathLike[str]) -> None: ...
    def to_bytes(self) -> bytes: ...
    @overload
    def to_onnx(
        self,
        path: None = None,
        *,
        ops: Literal["core", "ml"] = "core",
        input: Literal["float64", "float32"] = "float64",
        use: Literal["final", "averaged", "voted", "best"] | None = None,
    ) -> bytes: ...
    @overload
    def to_onnx(
        self,
        path: str | PathLike[str],
        *,
        ops: Literal["core", "ml"] = "core",
        input: Literal["float64", "float32"] = "float64",
        use: Literal["final", "averaged", "voted", "best"] | None = None,
    ) -> None: ...

class OnlineClassifier(ModelMixin):
    classes_: NDArray[Any]
    mistakes_: int
    updates_: int
    validation_: dict[str, Any] | None
    baseline_: dict[str, Any]
    parameters_: dict[str, Any]
    def decision_function(self, X: Any) -> NDArray[np.float64]: ...
    def predict_proba(self, X: Any) -> NDArray[np.float64]: ...
    def calibrate(self, X: Any, y: Any, method: Literal["platt", "isotonic"] = "platt") -> Self: ...
    def fit_file(self, paths: Any, *, progress: Any = None, **read: Any) -> Self: ...
    def partial_fit_file(self, paths: Any, *, progress: Any = None, **read: Any) -> Self: ...
    def predict_file(self, paths: Any, *, progress: Any = None, **read: Any) -> NDArray[Any]: ...
    def certify(self, X: Any, y: Any, effort: Literal["quick", "full"] = "full") -> Certificate: ...
    @property
    def certificate_(self) -> Certificate: ...

def load(path: str | PathLike[str]) -> Any: ...
'''

_TYPES = {
    "experts": "list[str] | None",
    "columns": "dict[str, Any] | None",
    "n_features": "int | None",
    "random_state": "Any",
    "kernel": "str | None",
    "map": "str | None",
    "normalize": "float | str | None",
    "class_weight": 'dict[Any, float] | Literal["balanced"] | None',
    "n_jobs": "int | None",
    "max_memory": "int | None",
    "epochs": "int",
    "max_iter": "int",
    "n_iter_no_change": "int",
    "max_passes": "int",
    "verbose": "int",
    "tol": "float | None",
    "lambda_": "float | None",
    "theta": "float | str | None",
    "penalty": "None",
    "bias": "float | str | None",
}


def _type(name: str, default: Any, is_key: bool) -> str:
    if name in _TYPES:
        return _TYPES[name]
    if isinstance(default, bool):
        return "bool"
    if isinstance(default, (int, float)):
        return "float | str" if is_key else "float"
    return "float | str" if is_key else "str"


def _method(kind: type, name: str) -> str | None:
    method = getattr(kind, name, None)
    if method is None:
        return None
    parameters = list(inspect.signature(method).parameters.values())[1:]
    said = [f"{p.name}: Any" + ("" if p.default is p.empty else " = None") for p in parameters]
    return f"    def {name}({', '.join(['self', *said])}) -> Self: ..."


def _class(name: str, keys: set[str]) -> str:
    kind = getattr(estimators, name)
    base = "OnlineClassifier" if issubclass(kind, OnlineClassifier) else "ModelMixin"
    lines = [f"class {name}({base}):"]
    arguments = []
    for parameter in list(inspect.signature(kind.__init__).parameters.values())[1:]:
        kind_of = _type(parameter.name, parameter.default, parameter.name in keys)
        lines.append(f"    {parameter.name}: {kind_of}")
        arguments.append(f"        {parameter.name}: {kind_of} = {parameter.default!r},")
    if base == "ModelMixin":
        lines.append("    gap_: float")
        if hasattr(kind, "decision_function"):
            lines.append("    classes_: NDArray[Any]")
            lines.append("    def decision_function(self, X: Any) -> NDArray[np.float64]: ...")
            lines.append("    def predict_proba(self, X: Any) -> NDArray[np.float64]: ...")
    lines += ["    def __init__(", "        self,", "        *,", *arguments, "    ) -> None: ..."]
    lines += filter(None, (_method(kind, name) for name in ("fit", "partial_fit")))
    return "\n".join(lines) + "\n"


_RIVER = '''"""The learners of the catalogue with river's methods. Written by ``python -m novikoff._stubs``."""

from os import PathLike
from typing import Any, Literal

from river import base

class RowClassifier(base.MiniBatchClassifier):
    @property
    def trials(self) -> int: ...
    @property
    def mistakes(self) -> int: ...
    @property
    def updates(self) -> int: ...
    def predict_one(self, x: dict[Any, Any], **kwargs: Any) -> Any: ...
    def predict_proba_one(self, x: dict[Any, Any], **kwargs: Any) -> dict[Any, float]: ...
    def learn_many(self, X: Any, y: Any) -> None: ...
    def predict_many(self, X: Any) -> Any: ...
    def predict_proba_many(self, X: Any) -> Any: ...
    def to_bytes(self) -> bytes | None: ...
    def save(self, path: str | PathLike[str]) -> None: ...
'''


def _row_class(name: str, keys: set[str]) -> str:
    from . import river

    kind = getattr(river, name)
    lines = [f"class {name}(RowClassifier):"]
    arguments = []
    for parameter in list(inspect.signature(kind.__init__).parameters.values())[1:]:
        kind_of = _type(parameter.name, parameter.default, parameter.name in keys)
        lines.append(f"    {parameter.name}: {kind_of}")
        arguments.append(f"        {parameter.name}: {kind_of} = {parameter.default!r},")
    lines += ["    def __init__(", "        self,", "        *,", *arguments, "    ) -> None: ..."]
    weight = ", w: float = 1.0" if "w" in inspect.signature(kind.learn_one).parameters else ""
    lines.append(f"    def learn_one(self, x: dict[Any, Any], y: Any{weight}) -> None: ...")
    return "\n".join(lines) + "\n"


def stubs() -> dict[str, str]:
    """The text of each stub by the name of its file."""
    keys = {_names.class_name(e["name"]): {_names.argument_name(k["name"]) for k in e["keys"]} for e in _names.learners()}
    names = _names.estimators()
    classes = "\n".join(_class(name, keys.get(name, set())) for name in names)
    front = ['"""Online linear and kernel classifiers. Written by ``python -m novikoff._stubs``."""', ""]
    front += [f"from .estimators import {name} as {name}" for name in sorted(["Certificate", "OnlineClassifier", "RemarkWarning", "load", *names])]
    front += [f"from .files import {name} as {name}" for name in ("load_svmlight_file", "load_vw_file")]
    front += ["", "__version__: str", ""]
    learners = [_names.class_name(e["name"]) for e in _names.learners() if not e["needs_all_rows"]]
    rows = "\n".join(_row_class(name, keys[name]) for name in learners)
    return {"estimators.pyi": f"{_HEAD}\n{classes}", "__init__.pyi": "\n".join(front), "river.pyi": f"{_RIVER}\n{rows}"}


def main() -> None:
    """Writes them to a folder."""
    for name, text in stubs().items():
        (Path(sys.argv[1]) / name).write_text(text)


if __name__ == "__main__":
    main()
