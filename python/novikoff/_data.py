"""From what scikit-learn's users have - arrays, sparse matrices, frames - to rows of the engine."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np
import scipy.sparse as sp
from sklearn.utils import assert_all_finite

from ._native import Rows


def label_texts(classes: np.ndarray) -> list[str]:
    """The labels as the command would read them from a file: numbers without a fraction have none."""
    texts = [_text(label) for label in classes.tolist()]
    if len(set(texts)) != len(texts):
        raise ValueError("y: two of the classes have the same text, so a model could not tell them apart")
    met: dict[float, str] = {}
    for text in texts:
        number = _number(text)
        if number is not None and met.setdefault(number, text) != text:
            raise ValueError(f"y: the labels {met[number]!r} and {text!r} are the same number, so a model could not tell them apart; rename one of them")
    return texts


def _number(text: str) -> float | None:
    """A label as a number, if it is one: models compare such labels by value."""
    try:
        return float(text) if text.strip() == text and "_" not in text else None
    except ValueError:
        return None


def _text(label: Any) -> str:
    if isinstance(label, bool):
        return str(label)
    if isinstance(label, float) and label.is_integer():
        return str(int(label))
    if isinstance(label, bytes):
        return label.decode("utf-8", "replace")
    return str(label)


def is_arrow(X: Any) -> bool:
    """Whether X is a table that the engine can be given: it has columns, and the Arrow PyCapsule interface or pyarrow's for pandas."""
    if hasattr(X, "shape") and len(X.shape) != 2:
        return False
    return is_pandas(X) or hasattr(X, "__arrow_c_stream__") or hasattr(X, "__arrow_c_array__")


def is_pandas(X: Any) -> bool:
    """Whether X is a frame of pandas."""
    pandas = sys.modules.get("pandas")
    return pandas is not None and isinstance(X, pandas.DataFrame)


def table_of(X: Any) -> Any:
    """A table as the engine takes it: without the index of a frame, which is not a column."""
    if is_pandas(X):
        try:
            import pyarrow
        except ModuleNotFoundError as error:
            raise ImportError("X: a frame of pandas with columns that are not numbers needs pyarrow: pip install pyarrow") from error
        return pyarrow.Table.from_pandas(X, preserve_index=False)
    index = _index_columns(X)
    if not index:
        return X
    table = X if hasattr(X, "to_batches") else sys.modules["pyarrow"].Table.from_batches([X])
    return table.drop_columns(index)


def _index_columns(X: Any) -> list[str]:
    """The columns of a table of pyarrow that are the index of the frame it was made of."""
    pyarrow = sys.modules.get("pyarrow")
    if pyarrow is None or not isinstance(X, (pyarrow.Table, pyarrow.RecordBatch)):
        return []
    about = X.schema.pandas_metadata or {}
    return [name for name in about.get("index_columns", []) if isinstance(name, str) and name in X.schema.names]


def is_table(X: Any) -> bool:
    """Whether X is a table with columns that are not numbers: it goes to the engine by Arrow, and scikit-learn's checks are for arrays."""
    if type(X).__name__ == "LazyFrame":
        raise TypeError("X is a lazy frame, whose rows are not there yet: call collect() on it first")
    if not is_arrow(X):
        return False
    library = type(X).__module__.partition(".")[0]
    if library == "pandas":
        return not all(getattr(dtype, "kind", "O") in "biuf" for dtype in X.dtypes)
    if library == "polars":
        return not all(dtype.is_numeric() or str(dtype) == "Boolean" for dtype in X.dtypes)
    return True


def column_names(X: Any) -> list[str]:
    """The names of the columns of a table: pyarrow's, pandas's or polars's."""
    index = _index_columns(X)
    names = getattr(X, "column_names", None)
    if names is None:
        names = getattr(X, "columns", None)
    if names is None:
        names = [field.name for field in X.schema]
    return [str(name) for name in names if name not in index]


def usable_names(names: np.ndarray | None) -> list[str] | None:
    """The names of features for the model, unless one of them is a number, which would be a place."""
    if names is None:
        return None
    texts = [str(name) for name in names]
    if any(text.isdigit() for text in texts) or len(set(texts)) != len(texts):
        return None
    return texts


def beside(
    *,
    bias: float | None,
    codes: np.ndarray | None = None,
    labels: list[str] | None = None,
    targets: np.ndarray | None = None,
    weights: np.ndarray | None = None,
    names: list[str] | None = None,
) -> dict[str, Any]:
    """What rows have beside their values, as the engine takes it."""
    return {
        "codes": None if codes is None else np.ascontiguousarray(codes, dtype=np.int64),
        "labels": labels or [],
        "targets": None if targets is None else np.ascontiguousarray(targets, dtype=np.float64),
        "weights": None if weights is None else np.ascontiguousarray(weights, dtype=np.float64),
        "bias": bias,
        "names": names,
    }


def arrays_of(X: Any) -> Any:
    """A checked array or sparse matrix as the engine takes it: the array, or the parts of a compressed sparse row array."""
    if not sp.issparse(X):
        return np.asarray(X)
    X = X if X.format == "csr" else X.tocsr()
    indices, indptr = X.indices, X.indptr
    if indices.dtype != np.int32 or indptr.dtype != np.int32:
        indices, indptr = indices.astype(np.int64, copy=False), indptr.astype(np.int64, copy=False)
    contiguous = np.ascontiguousarray
    return contiguous(X.data), contiguous(indices), contiguous(indptr), int(X.shape[1])


def assert_finite(X: Any, estimator: str) -> None:
    """scikit-learn's own words for values that are not finite: the engine looks at every value, so that nobody has to look before."""
    assert_all_finite(X.data if sp.issparse(X) else X, estimator_name=estimator, input_name="X")


@contextmanager
def finite_or_said(X: Any, estimator: str) -> Iterator[None]:
    """What the engine refuses is said in scikit-learn's own words if a value is not finite. The engine looks at the values of large arrays while it
    learns, and not before."""
    try:
        yield
    except ValueError:
        if isinstance(X, np.ndarray) or sp.issparse(X):
            assert_finite(X, estimator)
        raise


def rows_of(X: Any, estimator: str, **given: Any) -> Rows:
    """Rows of a checked array or sparse matrix, for an estimator of this name."""
    with finite_or_said(X, estimator):
        return Rows.arrays(arrays_of(X), beside(**given))
