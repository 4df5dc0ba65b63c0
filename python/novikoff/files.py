"""Files as arrays, read on all cores."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, NamedTuple

import numpy as np
import scipy.sparse as sp

from ._native import load_file

Listener = Callable[[str, int, "int | None"], None]

_READ: dict[str, Any] = {
    "format": None,
    "label": None,
    "categorical": [],
    "text": [],
    "drop": [],
    "only": [],
    "missing": None,
    "dates": None,
    "ngrams": None,
    "tfidf": None,
    "header": None,
    "skip_bad": 0,
    "zero_based": False,
    "max_features": 100_000_000,
}


def read_words(**given: Any) -> dict[str, Any]:
    """How a file or a table is read, with defaults for what is not given."""
    unknown = sorted(set(given) - set(_READ))
    if unknown:
        raise TypeError(f"unexpected keyword argument {unknown[0]!r}; allowed are {', '.join(_READ)}")
    words = {**_READ, **{name: value for name, value in given.items() if value is not None}}
    for name in ("categorical", "text", "drop", "only"):
        value = words[name]
        words[name] = [value] if isinstance(value, str) else list(value)
    words["ngrams"] = _ngrams(words["ngrams"])
    return words


def _ngrams(given: Any) -> tuple[int, int] | None:
    """The least and the most words of an n-gram.

    >>> _ngrams("1..2"), _ngrams((1, 3)), _ngrams(2), _ngrams("2")
    ((1, 2), (1, 3), (2, 2), (2, 2))
    """
    if given is None:
        return None
    parts = given.split("..") if isinstance(given, str) else given if isinstance(given, (tuple, list)) else [given]
    try:
        least, most = (int(parts[0]), int(parts[-1])) if len(parts) <= 2 else (0, 0)
    except (TypeError, ValueError, IndexError):
        least = most = 0
    if not 1 <= least <= most <= 8:
        raise ValueError(f'ngrams={given!r}: must be the least and the most words, from 1 to 8, as in (1, 2) or "1..2", or one number')
    return least, most


def words_of_table(table: dict[str, Any] | None) -> dict[str, Any] | None:
    """How a table was read, in the words of ``columns``; none for other rows."""
    if table is None:
        return None
    words: dict[str, Any] = {}
    for name, kind in (("categorical", "category"), ("text", "text"), ("drop", "ignored")):
        columns = [column for column, of_kind in table["columns"] if of_kind == kind]
        if columns:
            words[name] = columns
    if table["missing"] != "refuse":
        words["missing"] = table["missing"]
    if table["seconds"]:
        words["dates"] = "seconds"
    if "text" in words:
        words["ngrams"], words["tfidf"] = tuple(table["ngrams"]), table["tfidf"]
    return words or None


def paths_of(paths: Any) -> list[Any]:
    """One path or several."""
    return list(paths) if isinstance(paths, (list, tuple)) else [paths]


@contextmanager
def listener(progress: Any) -> Iterator[Listener | None]:
    """What is called while a file is read, with the phase, where it is and how long it is; True is a bar on stderr."""
    bar = Bar() if progress is True else None
    try:
        yield bar or progress or None
    finally:
        if bar:
            bar.end()


class Bar:
    """A bar on stderr, or in a notebook, that is drawn again and again, one line per phase.

    >>> import io
    >>> bar = Bar(io.StringIO())
    >>> bar("reading", 512, 1024); bar("reading", 512, 1024); bar("learning", 3, None); bar.end()
    >>> bar.to.getvalue()
    '\\rreading [###############...............]  50%\\n\\rlearning\\n'
    """

    WIDTH = 30

    def __init__(self, to: Any = None) -> None:
        self.to = sys.stderr if to is None else to
        self._phase = self._line = ""

    def __call__(self, phase: str, at: int, length: int | None) -> None:
        line = phase
        if length:
            share = min(at / length, 1.0)
            full = int(share * self.WIDTH)
            line = f"{phase} [{'#' * full}{'.' * (self.WIDTH - full)}] {100 * share:3.0f}%"
        if line != self._line:
            if phase != self._phase:
                self.end()
            self.to.write(f"\r{line.ljust(len(self._line))}")
            self.to.flush()
            self._phase, self._line = phase, line

    def end(self) -> None:
        """The line ends, if there is one."""
        if self._line:
            self.to.write("\n")
            self.to.flush()
        self._phase = self._line = ""


class LoadedFile(NamedTuple):
    """The rows of a file in VW's format."""

    X: Any
    y: np.ndarray
    names: list[str]
    weights: np.ndarray | None


def _matrix(loaded: dict[str, Any], n_features: int | None, dtype: Any) -> Any:
    width = loaded["features"]
    if n_features is not None and n_features < width:
        raise ValueError(f"n_features={n_features}: the file has feature {width}")
    indptr = loaded["indptr"]
    if indptr[-1] < np.iinfo(np.int32).max:
        indptr = indptr.astype(np.int32)
    shape = (len(indptr) - 1, n_features or width)
    return sp.csr_matrix((loaded["data"].astype(dtype, copy=False), loaded["indices"], indptr), shape=shape, copy=False)


def load_svmlight_file(
    path: Any, *, n_features: int | None = None, dtype: Any = np.float32, zero_based: bool = False, n_jobs: int | None = None, progress: Any = None
) -> tuple[Any, np.ndarray]:
    """The rows and labels of a file in svmlight's (LIBSVM's) format, plain or compressed by gzip or zstd.

    Values are float32 as the engine has them. Labels are numbers, or texts where one is none. Bad lines raise a ``ValueError`` with file, line
    and column. ``progress=True`` shows how far it is; a function is called with the phase, the place and the length.

    >>> import tempfile, pathlib
    >>> from novikoff import load_svmlight_file
    >>> path = pathlib.Path(tempfile.mkdtemp()) / "two.svm"
    >>> _ = path.write_text("1 1:0.5 3:2\\n-1 2:1\\n")
    >>> X, y = load_svmlight_file(path)
    >>> X.toarray().tolist(), y.tolist()
    ([[0.5, 0.0, 2.0], [0.0, 1.0, 0.0]], [1.0, -1.0])
    """
    words = read_words(format="svmlight", zero_based=zero_based)
    with listener(progress) as shown:
        loaded = load_file(paths_of(path), words, n_jobs, shown)
    return _matrix(loaded, n_features, dtype), np.asarray(loaded["labels"])


def load_vw_file(path: Any, *, dtype: Any = np.float32, n_jobs: int | None = None, progress: Any = None) -> LoadedFile:
    """The rows, labels, names of features and weights of a file in VW's format.

    >>> import tempfile, pathlib
    >>> from novikoff import load_vw_file
    >>> path = pathlib.Path(tempfile.mkdtemp()) / "two.vw"
    >>> _ = path.write_text("1 |a x:0.5 y\\n-1 |a y\\n")
    >>> loaded = load_vw_file(path)
    >>> loaded.X.toarray().tolist(), loaded.y.tolist(), loaded.names
    ([[0.5, 1.0], [0.0, 1.0]], [1.0, -1.0], ['a^x', 'a^y'])
    """
    with listener(progress) as shown:
        loaded = load_file(paths_of(path), read_words(format="vw"), n_jobs, shown)
    return LoadedFile(_matrix(loaded, None, dtype), np.asarray(loaded["labels"]), loaded["names"], loaded["weights"])
