"""The compiled part of the package: rows, models, and the catalogue."""

from os import PathLike
from typing import Any, TypedDict

import numpy as np
from numpy.typing import NDArray

__version__: str

class Key(TypedDict):
    name: str
    default: str
    meaning: str
    allowed: str
    flag: bool

class Entry(TypedDict):
    name: str
    summary: str
    keys: list[Key]
    weighted: bool
    probabilities: bool
    non_negative: bool
    needs_all_rows: bool
    threshold: bool
    kernel: bool
    parts: str
    additive: bool

class Rows:
    """Rows of the engine, made once of arrays and shared by all jobs over them."""

    @staticmethod
    def dense(x: NDArray[Any], beside: dict[str, Any]) -> Rows: ...
    @staticmethod
    def csr(
        data: NDArray[Any],
        indices: NDArray[Any],
        indptr: NDArray[Any],
        features: int,
        beside: dict[str, Any],
    ) -> Rows: ...
    def __len__(self) -> int: ...
    @property
    def values(self) -> int: ...

class Model:
    """A model that has learned. It never changes: learning more makes another one."""

    @staticmethod
    def fit(spec: str, rows: Rows, options: dict[str, Any], effort: str | None = None) -> tuple[Model, str]: ...
    def more(self, rows: Rows, options: dict[str, Any]) -> tuple[Model, str]: ...
    @staticmethod
    def solve(rows: Rows, options: dict[str, Any], problem: dict[str, Any]) -> tuple[Model, str, str | None]: ...
    def scores(self, rows: Rows, threads: int | None = None, probabilities: bool = False) -> NDArray[np.float64]: ...
    def labels(self, rows: Rows, threads: int | None = None) -> NDArray[np.int64]: ...
    @property
    def classes(self) -> list[str]: ...
    def weights(self) -> NDArray[np.float64] | None: ...
    @property
    def stored(self) -> int | None: ...
    @property
    def has_probabilities(self) -> bool: ...
    def about(self) -> dict[str, Any]: ...
    def to_bytes(self) -> bytes: ...
    @staticmethod
    def from_bytes(bytes: bytes) -> Model: ...
    def save(self, file: str | PathLike[str]) -> None: ...
    @staticmethod
    def load(file: str | PathLike[str]) -> Model: ...

def catalog() -> list[Entry]: ...
def solver_names() -> tuple[list[tuple[str, str]], list[tuple[str, str]]]: ...
def command(words: list[str]) -> int: ...
