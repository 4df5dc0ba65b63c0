"""Files of rows, read by the engine."""

from typing import Any, NamedTuple

from numpy.typing import NDArray

class LoadedFile(NamedTuple):
    X: Any
    y: NDArray[Any]
    names: list[str]
    weights: NDArray[Any] | None

def load_svmlight_file(
    path: Any, *, n_features: int | None = None, dtype: Any = ..., zero_based: bool = False, n_jobs: int | None = None, progress: Any = None
) -> tuple[Any, NDArray[Any]]: ...
def load_vw_file(path: Any, *, dtype: Any = ..., n_jobs: int | None = None, progress: Any = None) -> LoadedFile: ...
