"""All estimators. Written by ``python -m novikoff._stubs``."""

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

class Perceptron(OnlineClassifier):
    penalty: None
    alpha: float
    l1_ratio: float
    fit_intercept: bool
    max_iter: int
    tol: float | None
    shuffle: bool
    verbose: int
    eta0: float
    n_jobs: int | None
    random_state: Any
    early_stopping: bool
    validation_fraction: float
    n_iter_no_change: int
    class_weight: dict[Any, float] | Literal["balanced"] | None
    warm_start: bool
    margin: float | str
    bias: float | str | None
    kernel: str | None
    map: str | None
    normalize: float | str | None
    standardize: bool
    average: bool
    columns: dict[str, Any] | None
    max_memory: int | None
    keep_rows: bool
    def __init__(
        self,
        *,
        penalty: None = None,
        alpha: float = 0.0001,
        l1_ratio: float = 0.15,
        fit_intercept: bool = True,
        max_iter: int = 1000,
        tol: float | None = 0.001,
        shuffle: bool = True,
        verbose: int = 0,
        eta0: float = 1.0,
        n_jobs: int | None = None,
        random_state: Any = 0,
        early_stopping: bool = False,
        validation_fraction: float = 0.1,
        n_iter_no_change: int = 5,
        class_weight: dict[Any, float] | Literal["balanced"] | None = None,
        warm_start: bool = False,
        margin: float | str = 0,
        bias: float | str | None = 1.0,
        kernel: str | None = None,
        map: str | None = None,
        normalize: float | str | None = None,
        standardize: bool = False,
        average: bool = False,
        columns: dict[str, Any] | None = None,
        max_memory: int | None = None,
        keep_rows: bool = False,
    ) -> None: ...
    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self: ...
    def partial_fit(self, X: Any, y: Any, classes: Any = None, sample_weight: Any = None) -> Self: ...

class AveragedPerceptron(OnlineClassifier):
    bias: float | str | None
    epochs: int
    shuffle: bool
    random_state: Any
    kernel: str | None
    map: str | None
    normalize: float | str | None
    standardize: bool
    average: bool
    class_weight: dict[Any, float] | Literal["balanced"] | None
    columns: dict[str, Any] | None
    n_jobs: int | None
    max_memory: int | None
    keep_rows: bool
    def __init__(
        self,
        *,
        bias: float | str | None = 1.0,
        epochs: int = 5,
        shuffle: bool = True,
        random_state: Any = 0,
        kernel: str | None = None,
        map: str | None = None,
        normalize: float | str | None = None,
        standardize: bool = False,
        average: bool = False,
        class_weight: dict[Any, float] | Literal["balanced"] | None = None,
        columns: dict[str, Any] | None = None,
        n_jobs: int | None = None,
        max_memory: int | None = None,
        keep_rows: bool = False,
    ) -> None: ...
    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self: ...
    def partial_fit(self, X: Any, y: Any, classes: Any = None, sample_weight: Any = None) -> Self: ...

class VotedPerceptron(OnlineClassifier):
    bias: float | str | None
    epochs: int
    shuffle: bool
    random_state: Any
    kernel: str | None
    map: str | None
    normalize: float | str | None
    standardize: bool
    average: bool
    class_weight: dict[Any, float] | Literal["balanced"] | None
    columns: dict[str, Any] | None
    n_jobs: int | None
    max_memory: int | None
    keep_rows: bool
    def __init__(
        self,
        *,
        bias: float | str | None = 1.0,
        epochs: int = 5,
        shuffle: bool = True,
        random_state: Any = 0,
        kernel: str | None = None,
        map: str | None = None,
        normalize: float | str | None = None,
        standardize: bool = False,
        average: bool = False,
        class_weight: dict[Any, float] | Literal["balanced"] | None = None,
        columns: dict[str, Any] | None = None,
        n_jobs: int | None = None,
        max_memory: int | None = None,
        keep_rows: bool = False,
    ) -> None: ...
    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self: ...
    def partial_fit(self, X: Any, y: Any, classes: Any = None, sample_weight: Any = None) -> Self: ...

class PNormPerceptron(OnlineClassifier):
    p: float | str
    margin: float | str
    bias: float | str | None
    epochs: int
    shuffle: bool
    random_state: Any
    map: str | None
    normalize: float | str | None
    standardize: bool
    class_weight: dict[Any, float] | Literal["balanced"] | None
    columns: dict[str, Any] | None
    n_jobs: int | None
    max_memory: int | None
    keep_rows: bool
    def __init__(
        self,
        *,
        p: float | str = 8,
        margin: float | str = 0,
        bias: float | str | None = 1.0,
        epochs: int = 5,
        shuffle: bool = True,
        random_state: Any = 0,
        map: str | None = None,
        normalize: float | str | None = None,
        standardize: bool = False,
        class_weight: dict[Any, float] | Literal["balanced"] | None = None,
        columns: dict[str, Any] | None = None,
        n_jobs: int | None = None,
        max_memory: int | None = None,
        keep_rows: bool = False,
    ) -> None: ...
    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self: ...
    def partial_fit(self, X: Any, y: Any, classes: Any = None, sample_weight: Any = None) -> Self: ...

class Winnow(OnlineClassifier):
    alpha: float | str
    theta: float | str | None
    bias: float | str | None
    epochs: int
    shuffle: bool
    random_state: Any
    map: str | None
    normalize: float | str | None
    standardize: bool
    columns: dict[str, Any] | None
    n_jobs: int | None
    max_memory: int | None
    keep_rows: bool
    def __init__(
        self,
        *,
        alpha: float | str = 1.5,
        theta: float | str | None = 'auto',
        bias: float | str | None = 1.0,
        epochs: int = 5,
        shuffle: bool = True,
        random_state: Any = 0,
        map: str | None = None,
        normalize: float | str | None = None,
        standardize: bool = False,
        columns: dict[str, Any] | None = None,
        n_jobs: int | None = None,
        max_memory: int | None = None,
        keep_rows: bool = False,
    ) -> None: ...
    def fit(self, X: Any, y: Any) -> Self: ...
    def partial_fit(self, X: Any, y: Any, classes: Any = None) -> Self: ...

class BalancedWinnow(OnlineClassifier):
    alpha: float | str
    bias: float | str | None
    epochs: int
    shuffle: bool
    random_state: Any
    map: str | None
    normalize: float | str | None
    standardize: bool
    columns: dict[str, Any] | None
    n_jobs: int | None
    max_memory: int | None
    keep_rows: bool
    def __init__(
        self,
        *,
        alpha: float | str = 1.1,
        bias: float | str | None = 1.0,
        epochs: int = 5,
        shuffle: bool = True,
        random_state: Any = 0,
        map: str | None = None,
        normalize: float | str | None = None,
        standardize: bool = False,
        columns: dict[str, Any] | None = None,
        n_jobs: int | None = None,
        max_memory: int | None = None,
        keep_rows: bool = False,
    ) -> None: ...
    def fit(self, X: Any, y: Any) -> Self: ...
    def partial_fit(self, X: Any, y: Any, classes: Any = None) -> Self: ...

class ExponentiatedGradient(OnlineClassifier):
    eta: float | str
    bias: float | str | None
    epochs: int
    shuffle: bool
    random_state: Any
    map: str | None
    normalize: float | str | None
    standardize: bool
    columns: dict[str, Any] | None
    n_jobs: int | None
    max_memory: int | None
    keep_rows: bool
    def __init__(
        self,
        *,
        eta: float | str = 0.1,
        bias: float | str | None = 1.0,
        epochs: int = 5,
        shuffle: bool = True,
        random_state: Any = 0,
        map: str | None = None,
        normalize: float | str | None = None,
        standardize: bool = False,
        columns: dict[str, Any] | None = None,
        n_jobs: int | None = None,
        max_memory: int | None = None,
        keep_rows: bool = False,
    ) -> None: ...
    def fit(self, X: Any, y: Any) -> Self: ...
    def partial_fit(self, X: Any, y: Any, classes: Any = None) -> Self: ...

class NormalisedWinnow(OnlineClassifier):
    eta: float | str
    theta: float | str | None
    features: float | str
    bias: float | str | None
    epochs: int
    shuffle: bool
    random_state: Any
    map: str | None
    normalize: float | str | None
    standardize: bool
    columns: dict[str, Any] | None
    n_jobs: int | None
    max_memory: int | None
    keep_rows: bool
    def __init__(
        self,
        *,
        eta: float | str = 0.001,
        theta: float | str | None = 0.1,
        features: float | str = 'auto',
        bias: float | str | None = 1.0,
        epochs: int = 5,
        shuffle: bool = True,
        random_state: Any = 0,
        map: str | None = None,
        normalize: float | str | None = None,
        standardize: bool = False,
        columns: dict[str, Any] | None = None,
        n_jobs: int | None = None,
        max_memory: int | None = None,
        keep_rows: bool = False,
    ) -> None: ...
    def fit(self, X: Any, y: Any) -> Self: ...
    def partial_fit(self, X: Any, y: Any, classes: Any = None) -> Self: ...

class NormalisedPerceptron(OnlineClassifier):
    eta: float | str
    bias: float | str | None
    epochs: int
    shuffle: bool
    random_state: Any
    kernel: str | None
    map: str | None
    normalize: float | str | None
    standardize: bool
    average: bool
    class_weight: dict[Any, float] | Literal["balanced"] | None
    columns: dict[str, Any] | None
    n_jobs: int | None
    max_memory: int | None
    keep_rows: bool
    def __init__(
        self,
        *,
        eta: float | str = 0.001,
        bias: float | str | None = 1.0,
        epochs: int = 5,
        shuffle: bool = True,
        random_state: Any = 0,
        kernel: str | None = None,
        map: str | None = None,
        normalize: float | str | None = None,
        standardize: bool = False,
        average: bool = False,
        class_weight: dict[Any, float] | Literal["balanced"] | None = None,
        columns: dict[str, Any] | None = None,
        n_jobs: int | None = None,
        max_memory: int | None = None,
        keep_rows: bool = False,
    ) -> None: ...
    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self: ...
    def partial_fit(self, X: Any, y: Any, classes: Any = None, sample_weight: Any = None) -> Self: ...

class WhitenedPerceptron(OnlineClassifier):
    ridge: float | str
    bias: float | str | None
    epochs: int
    shuffle: bool
    random_state: Any
    map: str | None
    normalize: float | str | None
    standardize: bool
    class_weight: dict[Any, float] | Literal["balanced"] | None
    columns: dict[str, Any] | None
    n_jobs: int | None
    max_memory: int | None
    keep_rows: bool
    def __init__(
        self,
        *,
        ridge: float | str = 0,
        bias: float | str | None = 1.0,
        epochs: int = 5,
        shuffle: bool = True,
        random_state: Any = 0,
        map: str | None = None,
        normalize: float | str | None = None,
        standardize: bool = False,
        class_weight: dict[Any, float] | Literal["balanced"] | None = None,
        columns: dict[str, Any] | None = None,
        n_jobs: int | None = None,
        max_memory: int | None = None,
        keep_rows: bool = False,
    ) -> None: ...
    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self: ...

class SecondOrderPerceptron(OnlineClassifier):
    a: float | str
    c: float | str
    r2: float | str
    margin: float | str
    form: float | str
    rank: float | str
    bias: float | str | None
    epochs: int
    shuffle: bool
    random_state: Any
    kernel: str | None
    map: str | None
    normalize: float | str | None
    standardize: bool
    columns: dict[str, Any] | None
    n_jobs: int | None
    max_memory: int | None
    keep_rows: bool
    def __init__(
        self,
        *,
        a: float | str = 1,
        c: float | str = 0.1,
        r2: float | str = 'seen',
        margin: float | str = 0,
        form: float | str = 'auto',
        rank: float | str = 32,
        bias: float | str | None = 1.0,
        epochs: int = 5,
        shuffle: bool = True,
        random_state: Any = 0,
        kernel: str | None = None,
        map: str | None = None,
        normalize: float | str | None = None,
        standardize: bool = False,
        columns: dict[str, Any] | None = None,
        n_jobs: int | None = None,
        max_memory: int | None = None,
        keep_rows: bool = False,
    ) -> None: ...
    def fit(self, X: Any, y: Any) -> Self: ...
    def partial_fit(self, X: Any, y: Any, classes: Any = None) -> Self: ...

class HigherOrderPerceptron(OnlineClassifier):
    c: float | str
    p: float | str
    schedule: float | str
    margin: float | str
    form: float | str
    bias: float | str | None
    epochs: int
    shuffle: bool
    random_state: Any
    kernel: str | None
    map: str | None
    normalize: float | str | None
    standardize: bool
    columns: dict[str, Any] | None
    n_jobs: int | None
    max_memory: int | None
    keep_rows: bool
    def __init__(
        self,
        *,
        c: float | str = 0.4,
        p: float | str = 2,
        schedule: float | str = 'harmonic',
        margin: float | str = 0,
        form: float | str = 'auto',
        bias: float | str | None = 1.0,
        epochs: int = 5,
        shuffle: bool = True,
        random_state: Any = 0,
        kernel: str | None = None,
        map: str | None = None,
        normalize: float | str | None = None,
        standardize: bool = False,
        columns: dict[str, Any] | None = None,
        n_jobs: int | None = None,
        max_memory: int | None = None,
        keep_rows: bool = False,
    ) -> None: ...
    def fit(self, X: Any, y: Any) -> Self: ...
    def partial_fit(self, X: Any, y: Any, classes: Any = None) -> Self: ...

class Alma(OnlineClassifier):
    p: float | str
    alpha: float | str
    bias: float | str | None
    epochs: int
    shuffle: bool
    random_state: Any
    map: str | None
    normalize: float | str | None
    standardize: bool
    average: bool
    columns: dict[str, Any] | None
    n_jobs: int | None
    max_memory: int | None
    keep_rows: bool
    def __init__(
        self,
        *,
        p: float | str = 2,
        alpha: float | str = 0.9,
        bias: float | str | None = 1.0,
        epochs: int = 5,
        shuffle: bool = True,
        random_state: Any = 0,
        map: str | None = None,
        normalize: float | str | None = None,
        standardize: bool = False,
        average: bool = False,
        columns: dict[str, Any] | None = None,
        n_jobs: int | None = None,
        max_memory: int | None = None,
        keep_rows: bool = False,
    ) -> None: ...
    def fit(self, X: Any, y: Any) -> Self: ...
    def partial_fit(self, X: Any, y: Any, classes: Any = None) -> Self: ...

class PassiveAggressiveClassifier(OnlineClassifier):
    C: float
    fit_intercept: bool
    max_iter: int
    tol: float | None
    early_stopping: bool
    validation_fraction: float
    n_iter_no_change: int
    shuffle: bool
    verbose: int
    loss: str
    n_jobs: int | None
    random_state: Any
    warm_start: bool
    class_weight: dict[Any, float] | Literal["balanced"] | None
    average: bool
    bias: float | str | None
    kernel: str | None
    map: str | None
    normalize: float | str | None
    standardize: bool
    columns: dict[str, Any] | None
    max_memory: int | None
    keep_rows: bool
    def __init__(
        self,
        *,
        C: float = 1.0,
        fit_intercept: bool = True,
        max_iter: int = 1000,
        tol: float | None = 0.001,
        early_stopping: bool = False,
        validation_fraction: float = 0.1,
        n_iter_no_change: int = 5,
        shuffle: bool = True,
        verbose: int = 0,
        loss: str = 'hinge',
        n_jobs: int | None = None,
        random_state: Any = 0,
        warm_start: bool = False,
        class_weight: dict[Any, float] | Literal["balanced"] | None = None,
        average: bool = False,
        bias: float | str | None = 1.0,
        kernel: str | None = None,
        map: str | None = None,
        normalize: float | str | None = None,
        standardize: bool = False,
        columns: dict[str, Any] | None = None,
        max_memory: int | None = None,
        keep_rows: bool = False,
    ) -> None: ...
    def fit(self, X: Any, y: Any) -> Self: ...
    def partial_fit(self, X: Any, y: Any, classes: Any = None) -> Self: ...

class Romma(OnlineClassifier):
    aggressive: bool
    noise: float | str
    start: float | str
    bias: float | str | None
    epochs: int
    shuffle: bool
    random_state: Any
    kernel: str | None
    map: str | None
    normalize: float | str | None
    standardize: bool
    average: bool
    columns: dict[str, Any] | None
    n_jobs: int | None
    max_memory: int | None
    keep_rows: bool
    def __init__(
        self,
        *,
        aggressive: bool = False,
        noise: float | str = 0,
        start: float | str = 'zero',
        bias: float | str | None = 1.0,
        epochs: int = 5,
        shuffle: bool = True,
        random_state: Any = 0,
        kernel: str | None = None,
        map: str | None = None,
        normalize: float | str | None = None,
        standardize: bool = False,
        average: bool = False,
        columns: dict[str, Any] | None = None,
        n_jobs: int | None = None,
        max_memory: int | None = None,
        keep_rows: bool = False,
    ) -> None: ...
    def fit(self, X: Any, y: Any) -> Self: ...
    def partial_fit(self, X: Any, y: Any, classes: Any = None) -> Self: ...

class MaxMargin(OnlineClassifier):
    noise: float | str
    start: float | str
    bias: float | str | None
    epochs: int
    shuffle: bool
    random_state: Any
    kernel: str | None
    map: str | None
    normalize: float | str | None
    standardize: bool
    average: bool
    columns: dict[str, Any] | None
    n_jobs: int | None
    max_memory: int | None
    keep_rows: bool
    def __init__(
        self,
        *,
        noise: float | str = 0,
        start: float | str = 'zero',
        bias: float | str | None = 1.0,
        epochs: int = 5,
        shuffle: bool = True,
        random_state: Any = 0,
        kernel: str | None = None,
        map: str | None = None,
        normalize: float | str | None = None,
        standardize: bool = False,
        average: bool = False,
        columns: dict[str, Any] | None = None,
        n_jobs: int | None = None,
        max_memory: int | None = None,
        keep_rows: bool = False,
    ) -> None: ...
    def fit(self, X: Any, y: Any) -> Self: ...
    def partial_fit(self, X: Any, y: Any, classes: Any = None) -> Self: ...

class Arow(OnlineClassifier):
    form: float | str
    r: float | str
    bias: float | str | None
    epochs: int
    shuffle: bool
    random_state: Any
    map: str | None
    normalize: float | str | None
    standardize: bool
    columns: dict[str, Any] | None
    n_jobs: int | None
    max_memory: int | None
    keep_rows: bool
    def __init__(
        self,
        *,
        form: float | str = 'diagonal',
        r: float | str = 1,
        bias: float | str | None = 1.0,
        epochs: int = 5,
        shuffle: bool = True,
        random_state: Any = 0,
        map: str | None = None,
        normalize: float | str | None = None,
        standardize: bool = False,
        columns: dict[str, Any] | None = None,
        n_jobs: int | None = None,
        max_memory: int | None = None,
        keep_rows: bool = False,
    ) -> None: ...
    def fit(self, X: Any, y: Any) -> Self: ...
    def partial_fit(self, X: Any, y: Any, classes: Any = None) -> Self: ...

class OnlineLogisticRegression(OnlineClassifier):
    bias: float | str | None
    epochs: int
    shuffle: bool
    random_state: Any
    map: str | None
    normalize: float | str | None
    standardize: bool
    average: bool
    class_weight: dict[Any, float] | Literal["balanced"] | None
    columns: dict[str, Any] | None
    n_jobs: int | None
    max_memory: int | None
    keep_rows: bool
    def __init__(
        self,
        *,
        bias: float | str | None = 1.0,
        epochs: int = 5,
        shuffle: bool = True,
        random_state: Any = 0,
        map: str | None = None,
        normalize: float | str | None = None,
        standardize: bool = False,
        average: bool = False,
        class_weight: dict[Any, float] | Literal["balanced"] | None = None,
        columns: dict[str, Any] | None = None,
        n_jobs: int | None = None,
        max_memory: int | None = None,
        keep_rows: bool = False,
    ) -> None: ...
    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self: ...
    def partial_fit(self, X: Any, y: Any, classes: Any = None, sample_weight: Any = None) -> Self: ...

class Forgetron(OnlineClassifier):
    budget: float | str
    bias: float | str | None
    epochs: int
    shuffle: bool
    random_state: Any
    kernel: str | None
    map: str | None
    normalize: float | str | None
    standardize: bool
    average: bool
    columns: dict[str, Any] | None
    n_jobs: int | None
    max_memory: int | None
    keep_rows: bool
    def __init__(
        self,
        *,
        budget: float | str = 100,
        bias: float | str | None = 1.0,
        epochs: int = 5,
        shuffle: bool = True,
        random_state: Any = 0,
        kernel: str | None = None,
        map: str | None = None,
        normalize: float | str | None = None,
        standardize: bool = False,
        average: bool = False,
        columns: dict[str, Any] | None = None,
        n_jobs: int | None = None,
        max_memory: int | None = None,
        keep_rows: bool = False,
    ) -> None: ...
    def fit(self, X: Any, y: Any) -> Self: ...
    def partial_fit(self, X: Any, y: Any, classes: Any = None) -> Self: ...

class RandomBudget(OnlineClassifier):
    budget: float | str
    seed: float | str
    bias: float | str | None
    epochs: int
    shuffle: bool
    random_state: Any
    kernel: str | None
    map: str | None
    normalize: float | str | None
    standardize: bool
    average: bool
    columns: dict[str, Any] | None
    n_jobs: int | None
    max_memory: int | None
    keep_rows: bool
    def __init__(
        self,
        *,
        budget: float | str = 100,
        seed: float | str = 0,
        bias: float | str | None = 1.0,
        epochs: int = 5,
        shuffle: bool = True,
        random_state: Any = 0,
        kernel: str | None = None,
        map: str | None = None,
        normalize: float | str | None = None,
        standardize: bool = False,
        average: bool = False,
        columns: dict[str, Any] | None = None,
        n_jobs: int | None = None,
        max_memory: int | None = None,
        keep_rows: bool = False,
    ) -> None: ...
    def fit(self, X: Any, y: Any) -> Self: ...
    def partial_fit(self, X: Any, y: Any, classes: Any = None) -> Self: ...

class Projectron(OnlineClassifier):
    eta: float | str
    plus: bool
    bias: float | str | None
    epochs: int
    shuffle: bool
    random_state: Any
    kernel: str | None
    map: str | None
    normalize: float | str | None
    standardize: bool
    average: bool
    columns: dict[str, Any] | None
    n_jobs: int | None
    max_memory: int | None
    keep_rows: bool
    def __init__(
        self,
        *,
        eta: float | str = 0.1,
        plus: bool = False,
        bias: float | str | None = 1.0,
        epochs: int = 5,
        shuffle: bool = True,
        random_state: Any = 0,
        kernel: str | None = None,
        map: str | None = None,
        normalize: float | str | None = None,
        standardize: bool = False,
        average: bool = False,
        columns: dict[str, Any] | None = None,
        n_jobs: int | None = None,
        max_memory: int | None = None,
        keep_rows: bool = False,
    ) -> None: ...
    def fit(self, X: Any, y: Any) -> Self: ...
    def partial_fit(self, X: Any, y: Any, classes: Any = None) -> Self: ...

class ShiftingPerceptron(OnlineClassifier):
    lambda_: float | None
    bias: float | str | None
    epochs: int
    shuffle: bool
    random_state: Any
    kernel: str | None
    map: str | None
    normalize: float | str | None
    standardize: bool
    average: bool
    columns: dict[str, Any] | None
    n_jobs: int | None
    max_memory: int | None
    keep_rows: bool
    def __init__(
        self,
        *,
        lambda_: float | None = 2,
        bias: float | str | None = 1.0,
        epochs: int = 5,
        shuffle: bool = True,
        random_state: Any = 0,
        kernel: str | None = None,
        map: str | None = None,
        normalize: float | str | None = None,
        standardize: bool = False,
        average: bool = False,
        columns: dict[str, Any] | None = None,
        n_jobs: int | None = None,
        max_memory: int | None = None,
        keep_rows: bool = False,
    ) -> None: ...
    def fit(self, X: Any, y: Any) -> Self: ...
    def partial_fit(self, X: Any, y: Any, classes: Any = None) -> Self: ...

class SelectiveSampler(OnlineClassifier):
    b: float | str
    seed: float | str
    base: float | str
    margin: float | str
    a: float | str
    form: float | str
    bias: float | str | None
    epochs: int
    shuffle: bool
    random_state: Any
    kernel: str | None
    map: str | None
    normalize: float | str | None
    standardize: bool
    average: bool
    columns: dict[str, Any] | None
    n_jobs: int | None
    max_memory: int | None
    keep_rows: bool
    def __init__(
        self,
        *,
        b: float | str = 1,
        seed: float | str = 0,
        base: float | str = 'perceptron',
        margin: float | str = 0,
        a: float | str = 1,
        form: float | str = 'auto',
        bias: float | str | None = 1.0,
        epochs: int = 5,
        shuffle: bool = True,
        random_state: Any = 0,
        kernel: str | None = None,
        map: str | None = None,
        normalize: float | str | None = None,
        standardize: bool = False,
        average: bool = False,
        columns: dict[str, Any] | None = None,
        n_jobs: int | None = None,
        max_memory: int | None = None,
        keep_rows: bool = False,
    ) -> None: ...
    def fit(self, X: Any, y: Any) -> Self: ...
    def partial_fit(self, X: Any, y: Any, classes: Any = None) -> Self: ...

class AutoClassifier(OnlineClassifier):
    beta: float | str
    share: float | str
    cost: float | str
    experts: list[str] | None
    bias: float | str | None
    epochs: int
    shuffle: bool
    random_state: Any
    kernel: str | None
    map: str | None
    normalize: float | str | None
    standardize: bool
    class_weight: dict[Any, float] | Literal["balanced"] | None
    columns: dict[str, Any] | None
    n_jobs: int | None
    max_memory: int | None
    keep_rows: bool
    def __init__(
        self,
        *,
        beta: float | str = 'auto',
        share: float | str = 0,
        cost: float | str = 8,
        experts: list[str] | None = None,
        bias: float | str | None = 1.0,
        epochs: int = 5,
        shuffle: bool = True,
        random_state: Any = 0,
        kernel: str | None = None,
        map: str | None = None,
        normalize: float | str | None = None,
        standardize: bool = False,
        class_weight: dict[Any, float] | Literal["balanced"] | None = None,
        columns: dict[str, Any] | None = None,
        n_jobs: int | None = None,
        max_memory: int | None = None,
        keep_rows: bool = False,
    ) -> None: ...
    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self: ...
    def partial_fit(self, X: Any, y: Any, classes: Any = None, sample_weight: Any = None) -> Self: ...

class DualClassifier(ModelMixin):
    loss: str
    reg: str
    C: float
    lambda_: float | None
    kernel: str | None
    map: str | None
    theta: float | str | None
    class_weight: dict[Any, float] | Literal["balanced"] | None
    bias: float | str | None
    normalize: float | str | None
    standardize: bool
    gap: float
    max_passes: int
    random_state: Any
    columns: dict[str, Any] | None
    n_jobs: int | None
    max_memory: int | None
    gap_: float
    classes_: NDArray[Any]
    def decision_function(self, X: Any) -> NDArray[np.float64]: ...
    def predict_proba(self, X: Any) -> NDArray[np.float64]: ...
    def __init__(
        self,
        *,
        loss: str = 'hinge',
        reg: str = 'l2',
        C: float = 1.0,
        lambda_: float | None = None,
        kernel: str | None = None,
        map: str | None = None,
        theta: float | str | None = None,
        class_weight: dict[Any, float] | Literal["balanced"] | None = None,
        bias: float | str | None = 'free',
        normalize: float | str | None = None,
        standardize: bool = False,
        gap: float = 0.0001,
        max_passes: int = 1000,
        random_state: Any = 0,
        columns: dict[str, Any] | None = None,
        n_jobs: int | None = None,
        max_memory: int | None = None,
    ) -> None: ...
    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self: ...

class DualRegressor(ModelMixin):
    loss: str
    reg: str
    C: float
    lambda_: float | None
    kernel: str | None
    map: str | None
    bias: float | str | None
    normalize: float | str | None
    standardize: bool
    gap: float
    max_passes: int
    random_state: Any
    columns: dict[str, Any] | None
    n_jobs: int | None
    max_memory: int | None
    gap_: float
    def __init__(
        self,
        *,
        loss: str = 'squared',
        reg: str = 'l2',
        C: float = 1.0,
        lambda_: float | None = None,
        kernel: str | None = None,
        map: str | None = None,
        bias: float | str | None = 'free',
        normalize: float | str | None = None,
        standardize: bool = False,
        gap: float = 0.0001,
        max_passes: int = 1000,
        random_state: Any = 0,
        columns: dict[str, Any] | None = None,
        n_jobs: int | None = None,
        max_memory: int | None = None,
    ) -> None: ...
    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self: ...

class DualSolver(ModelMixin):
    loss: str
    reg: str
    C: float
    lambda_: float | None
    kernel: str | None
    map: str | None
    theta: float | str | None
    class_weight: dict[Any, float] | Literal["balanced"] | None
    bias: float | str | None
    normalize: float | str | None
    standardize: bool
    gap: float
    max_passes: int
    random_state: Any
    columns: dict[str, Any] | None
    n_jobs: int | None
    max_memory: int | None
    gap_: float
    classes_: NDArray[Any]
    def decision_function(self, X: Any) -> NDArray[np.float64]: ...
    def predict_proba(self, X: Any) -> NDArray[np.float64]: ...
    def __init__(
        self,
        *,
        loss: str = 'hinge',
        reg: str = 'l2',
        C: float = 1.0,
        lambda_: float | None = None,
        kernel: str | None = None,
        map: str | None = None,
        theta: float | str | None = None,
        class_weight: dict[Any, float] | Literal["balanced"] | None = None,
        bias: float | str | None = 'free',
        normalize: float | str | None = None,
        standardize: bool = False,
        gap: float = 0.0001,
        max_passes: int = 1000,
        random_state: Any = 0,
        columns: dict[str, Any] | None = None,
        n_jobs: int | None = None,
        max_memory: int | None = None,
    ) -> None: ...
    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self: ...

class HuberRegressor(ModelMixin):
    delta: float
    alpha: float
    bias: float | str | None
    normalize: float | str | None
    standardize: bool
    gap: float
    max_passes: int
    random_state: Any
    columns: dict[str, Any] | None
    n_jobs: int | None
    max_memory: int | None
    gap_: float
    def __init__(
        self,
        *,
        delta: float = 1.0,
        alpha: float = 0.0001,
        bias: float | str | None = 'free',
        normalize: float | str | None = None,
        standardize: bool = False,
        gap: float = 0.0001,
        max_passes: int = 1000,
        random_state: Any = 0,
        columns: dict[str, Any] | None = None,
        n_jobs: int | None = None,
        max_memory: int | None = None,
    ) -> None: ...
    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self: ...

class LinearSVM(ModelMixin):
    C: float
    loss: str
    bias: float | str | None
    class_weight: dict[Any, float] | Literal["balanced"] | None
    normalize: float | str | None
    standardize: bool
    gap: float
    max_passes: int
    random_state: Any
    columns: dict[str, Any] | None
    n_jobs: int | None
    max_memory: int | None
    gap_: float
    classes_: NDArray[Any]
    def decision_function(self, X: Any) -> NDArray[np.float64]: ...
    def predict_proba(self, X: Any) -> NDArray[np.float64]: ...
    def __init__(
        self,
        *,
        C: float = 1.0,
        loss: str = 'squared_hinge',
        bias: float | str | None = 1.0,
        class_weight: dict[Any, float] | Literal["balanced"] | None = None,
        normalize: float | str | None = None,
        standardize: bool = False,
        gap: float = 0.0001,
        max_passes: int = 1000,
        random_state: Any = 0,
        columns: dict[str, Any] | None = None,
        n_jobs: int | None = None,
        max_memory: int | None = None,
    ) -> None: ...
    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self: ...

class LinearSVR(ModelMixin):
    epsilon: float
    C: float
    bias: float | str | None
    normalize: float | str | None
    standardize: bool
    gap: float
    max_passes: int
    random_state: Any
    columns: dict[str, Any] | None
    n_jobs: int | None
    max_memory: int | None
    gap_: float
    def __init__(
        self,
        *,
        epsilon: float = 0.0,
        C: float = 1.0,
        bias: float | str | None = 'free',
        normalize: float | str | None = None,
        standardize: bool = False,
        gap: float = 0.0001,
        max_passes: int = 1000,
        random_state: Any = 0,
        columns: dict[str, Any] | None = None,
        n_jobs: int | None = None,
        max_memory: int | None = None,
    ) -> None: ...
    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self: ...

class LogisticRegression(ModelMixin):
    C: float
    class_weight: dict[Any, float] | Literal["balanced"] | None
    bias: float | str | None
    normalize: float | str | None
    standardize: bool
    gap: float
    max_passes: int
    random_state: Any
    columns: dict[str, Any] | None
    n_jobs: int | None
    max_memory: int | None
    gap_: float
    classes_: NDArray[Any]
    def decision_function(self, X: Any) -> NDArray[np.float64]: ...
    def predict_proba(self, X: Any) -> NDArray[np.float64]: ...
    def __init__(
        self,
        *,
        C: float = 1.0,
        class_weight: dict[Any, float] | Literal["balanced"] | None = None,
        bias: float | str | None = 'free',
        normalize: float | str | None = None,
        standardize: bool = False,
        gap: float = 0.0001,
        max_passes: int = 1000,
        random_state: Any = 0,
        columns: dict[str, Any] | None = None,
        n_jobs: int | None = None,
        max_memory: int | None = None,
    ) -> None: ...
    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self: ...

class MaxEnt(ModelMixin):
    C: float
    lambda_: float | None
    gap: float
    max_passes: int
    random_state: Any
    n_jobs: int | None
    max_memory: int | None
    gap_: float
    def __init__(
        self,
        *,
        C: float = 1.0,
        lambda_: float | None = None,
        gap: float = 0.0001,
        max_passes: int = 1000,
        random_state: Any = 0,
        n_jobs: int | None = None,
        max_memory: int | None = None,
    ) -> None: ...
    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self: ...

class Ridge(ModelMixin):
    alpha: float
    bias: float | str | None
    normalize: float | str | None
    standardize: bool
    gap: float
    max_passes: int
    random_state: Any
    columns: dict[str, Any] | None
    n_jobs: int | None
    max_memory: int | None
    gap_: float
    def __init__(
        self,
        *,
        alpha: float = 1.0,
        bias: float | str | None = 'free',
        normalize: float | str | None = None,
        standardize: bool = False,
        gap: float = 0.0001,
        max_passes: int = 1000,
        random_state: Any = 0,
        columns: dict[str, Any] | None = None,
        n_jobs: int | None = None,
        max_memory: int | None = None,
    ) -> None: ...
    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self: ...

class SVM(ModelMixin):
    C: float
    kernel: str | None
    class_weight: dict[Any, float] | Literal["balanced"] | None
    bias: float | str | None
    normalize: float | str | None
    standardize: bool
    gap: float
    max_passes: int
    random_state: Any
    columns: dict[str, Any] | None
    n_jobs: int | None
    max_memory: int | None
    gap_: float
    classes_: NDArray[Any]
    def decision_function(self, X: Any) -> NDArray[np.float64]: ...
    def predict_proba(self, X: Any) -> NDArray[np.float64]: ...
    def __init__(
        self,
        *,
        C: float = 1.0,
        kernel: str | None = 'gaussian:gamma=auto',
        class_weight: dict[Any, float] | Literal["balanced"] | None = None,
        bias: float | str | None = 'free',
        normalize: float | str | None = None,
        standardize: bool = False,
        gap: float = 0.0001,
        max_passes: int = 1000,
        random_state: Any = 0,
        columns: dict[str, Any] | None = None,
        n_jobs: int | None = None,
        max_memory: int | None = None,
    ) -> None: ...
    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self: ...
