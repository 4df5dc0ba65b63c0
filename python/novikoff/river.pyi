"""The learners of the catalogue with river's methods. Written by ``python -m novikoff._stubs``."""

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

class Perceptron(RowClassifier):
    margin: float | str
    bias: float | str | None
    kernel: str | None
    map: str | None
    normalize: float | str | None
    average: bool
    class_weight: dict[Any, float] | Literal["balanced"] | None
    n_features: int | None
    max_memory: int | None
    def __init__(
        self,
        *,
        margin: float | str = 0,
        bias: float | str | None = 1.0,
        kernel: str | None = None,
        map: str | None = None,
        normalize: float | str | None = None,
        average: bool = False,
        class_weight: dict[Any, float] | Literal["balanced"] | None = None,
        n_features: int | None = None,
        max_memory: int | None = None,
    ) -> None: ...
    def learn_one(self, x: dict[Any, Any], y: Any, w: float = 1.0) -> None: ...

class AveragedPerceptron(RowClassifier):
    bias: float | str | None
    kernel: str | None
    map: str | None
    normalize: float | str | None
    average: bool
    class_weight: dict[Any, float] | Literal["balanced"] | None
    n_features: int | None
    max_memory: int | None
    def __init__(
        self,
        *,
        bias: float | str | None = 1.0,
        kernel: str | None = None,
        map: str | None = None,
        normalize: float | str | None = None,
        average: bool = False,
        class_weight: dict[Any, float] | Literal["balanced"] | None = None,
        n_features: int | None = None,
        max_memory: int | None = None,
    ) -> None: ...
    def learn_one(self, x: dict[Any, Any], y: Any, w: float = 1.0) -> None: ...

class VotedPerceptron(RowClassifier):
    bias: float | str | None
    kernel: str | None
    map: str | None
    normalize: float | str | None
    average: bool
    class_weight: dict[Any, float] | Literal["balanced"] | None
    n_features: int | None
    max_memory: int | None
    def __init__(
        self,
        *,
        bias: float | str | None = 1.0,
        kernel: str | None = None,
        map: str | None = None,
        normalize: float | str | None = None,
        average: bool = False,
        class_weight: dict[Any, float] | Literal["balanced"] | None = None,
        n_features: int | None = None,
        max_memory: int | None = None,
    ) -> None: ...
    def learn_one(self, x: dict[Any, Any], y: Any, w: float = 1.0) -> None: ...

class PNormPerceptron(RowClassifier):
    p: float | str
    margin: float | str
    bias: float | str | None
    map: str | None
    normalize: float | str | None
    class_weight: dict[Any, float] | Literal["balanced"] | None
    n_features: int | None
    max_memory: int | None
    def __init__(
        self,
        *,
        p: float | str = 8,
        margin: float | str = 0,
        bias: float | str | None = 1.0,
        map: str | None = None,
        normalize: float | str | None = None,
        class_weight: dict[Any, float] | Literal["balanced"] | None = None,
        n_features: int | None = None,
        max_memory: int | None = None,
    ) -> None: ...
    def learn_one(self, x: dict[Any, Any], y: Any, w: float = 1.0) -> None: ...

class Winnow(RowClassifier):
    alpha: float | str
    theta: float | str | None
    bias: float | str | None
    map: str | None
    normalize: float | str | None
    n_features: int | None
    max_memory: int | None
    def __init__(
        self,
        *,
        alpha: float | str = 1.5,
        theta: float | str | None = 'auto',
        bias: float | str | None = 1.0,
        map: str | None = None,
        normalize: float | str | None = None,
        n_features: int | None = None,
        max_memory: int | None = None,
    ) -> None: ...
    def learn_one(self, x: dict[Any, Any], y: Any) -> None: ...

class BalancedWinnow(RowClassifier):
    alpha: float | str
    bias: float | str | None
    map: str | None
    normalize: float | str | None
    n_features: int | None
    max_memory: int | None
    def __init__(
        self,
        *,
        alpha: float | str = 1.1,
        bias: float | str | None = 1.0,
        map: str | None = None,
        normalize: float | str | None = None,
        n_features: int | None = None,
        max_memory: int | None = None,
    ) -> None: ...
    def learn_one(self, x: dict[Any, Any], y: Any) -> None: ...

class ExponentiatedGradient(RowClassifier):
    eta: float | str
    bias: float | str | None
    map: str | None
    normalize: float | str | None
    n_features: int | None
    max_memory: int | None
    def __init__(
        self,
        *,
        eta: float | str = 0.1,
        bias: float | str | None = 1.0,
        map: str | None = None,
        normalize: float | str | None = None,
        n_features: int | None = None,
        max_memory: int | None = None,
    ) -> None: ...
    def learn_one(self, x: dict[Any, Any], y: Any) -> None: ...

class NormalisedWinnow(RowClassifier):
    eta: float | str
    theta: float | str | None
    features: float | str
    bias: float | str | None
    map: str | None
    normalize: float | str | None
    n_features: int | None
    max_memory: int | None
    def __init__(
        self,
        *,
        eta: float | str = 0.001,
        theta: float | str | None = 0.1,
        features: float | str = 'auto',
        bias: float | str | None = 1.0,
        map: str | None = None,
        normalize: float | str | None = None,
        n_features: int | None = None,
        max_memory: int | None = None,
    ) -> None: ...
    def learn_one(self, x: dict[Any, Any], y: Any) -> None: ...

class NormalisedPerceptron(RowClassifier):
    eta: float | str
    bias: float | str | None
    kernel: str | None
    map: str | None
    normalize: float | str | None
    average: bool
    class_weight: dict[Any, float] | Literal["balanced"] | None
    n_features: int | None
    max_memory: int | None
    def __init__(
        self,
        *,
        eta: float | str = 0.001,
        bias: float | str | None = 1.0,
        kernel: str | None = None,
        map: str | None = None,
        normalize: float | str | None = None,
        average: bool = False,
        class_weight: dict[Any, float] | Literal["balanced"] | None = None,
        n_features: int | None = None,
        max_memory: int | None = None,
    ) -> None: ...
    def learn_one(self, x: dict[Any, Any], y: Any, w: float = 1.0) -> None: ...

class SecondOrderPerceptron(RowClassifier):
    a: float | str
    c: float | str
    r2: float | str
    margin: float | str
    form: float | str
    rank: float | str
    bias: float | str | None
    kernel: str | None
    map: str | None
    normalize: float | str | None
    n_features: int | None
    max_memory: int | None
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
        kernel: str | None = None,
        map: str | None = None,
        normalize: float | str | None = None,
        n_features: int | None = None,
        max_memory: int | None = None,
    ) -> None: ...
    def learn_one(self, x: dict[Any, Any], y: Any) -> None: ...

class HigherOrderPerceptron(RowClassifier):
    c: float | str
    p: float | str
    schedule: float | str
    margin: float | str
    form: float | str
    bias: float | str | None
    kernel: str | None
    map: str | None
    normalize: float | str | None
    n_features: int | None
    max_memory: int | None
    def __init__(
        self,
        *,
        c: float | str = 0.4,
        p: float | str = 2,
        schedule: float | str = 'harmonic',
        margin: float | str = 0,
        form: float | str = 'auto',
        bias: float | str | None = 1.0,
        kernel: str | None = None,
        map: str | None = None,
        normalize: float | str | None = None,
        n_features: int | None = None,
        max_memory: int | None = None,
    ) -> None: ...
    def learn_one(self, x: dict[Any, Any], y: Any) -> None: ...

class Alma(RowClassifier):
    p: float | str
    alpha: float | str
    bias: float | str | None
    map: str | None
    normalize: float | str | None
    average: bool
    n_features: int | None
    max_memory: int | None
    def __init__(
        self,
        *,
        p: float | str = 2,
        alpha: float | str = 0.9,
        bias: float | str | None = 1.0,
        map: str | None = None,
        normalize: float | str | None = None,
        average: bool = False,
        n_features: int | None = None,
        max_memory: int | None = None,
    ) -> None: ...
    def learn_one(self, x: dict[Any, Any], y: Any) -> None: ...

class PassiveAggressiveClassifier(RowClassifier):
    variant: float | str
    c: float | str
    bias: float | str | None
    kernel: str | None
    map: str | None
    normalize: float | str | None
    average: bool
    n_features: int | None
    max_memory: int | None
    def __init__(
        self,
        *,
        variant: float | str = 1,
        c: float | str = 1,
        bias: float | str | None = 1.0,
        kernel: str | None = None,
        map: str | None = None,
        normalize: float | str | None = None,
        average: bool = False,
        n_features: int | None = None,
        max_memory: int | None = None,
    ) -> None: ...
    def learn_one(self, x: dict[Any, Any], y: Any) -> None: ...

class Romma(RowClassifier):
    aggressive: bool
    noise: float | str
    start: float | str
    bias: float | str | None
    kernel: str | None
    map: str | None
    normalize: float | str | None
    average: bool
    n_features: int | None
    max_memory: int | None
    def __init__(
        self,
        *,
        aggressive: bool = False,
        noise: float | str = 0,
        start: float | str = 'zero',
        bias: float | str | None = 1.0,
        kernel: str | None = None,
        map: str | None = None,
        normalize: float | str | None = None,
        average: bool = False,
        n_features: int | None = None,
        max_memory: int | None = None,
    ) -> None: ...
    def learn_one(self, x: dict[Any, Any], y: Any) -> None: ...

class MaxMargin(RowClassifier):
    noise: float | str
    start: float | str
    bias: float | str | None
    kernel: str | None
    map: str | None
    normalize: float | str | None
    average: bool
    n_features: int | None
    max_memory: int | None
    def __init__(
        self,
        *,
        noise: float | str = 0,
        start: float | str = 'zero',
        bias: float | str | None = 1.0,
        kernel: str | None = None,
        map: str | None = None,
        normalize: float | str | None = None,
        average: bool = False,
        n_features: int | None = None,
        max_memory: int | None = None,
    ) -> None: ...
    def learn_one(self, x: dict[Any, Any], y: Any) -> None: ...

class Arow(RowClassifier):
    form: float | str
    r: float | str
    bias: float | str | None
    map: str | None
    normalize: float | str | None
    n_features: int | None
    max_memory: int | None
    def __init__(
        self,
        *,
        form: float | str = 'diagonal',
        r: float | str = 1,
        bias: float | str | None = 1.0,
        map: str | None = None,
        normalize: float | str | None = None,
        n_features: int | None = None,
        max_memory: int | None = None,
    ) -> None: ...
    def learn_one(self, x: dict[Any, Any], y: Any) -> None: ...

class OnlineLogisticRegression(RowClassifier):
    bias: float | str | None
    map: str | None
    normalize: float | str | None
    average: bool
    class_weight: dict[Any, float] | Literal["balanced"] | None
    n_features: int | None
    max_memory: int | None
    def __init__(
        self,
        *,
        bias: float | str | None = 1.0,
        map: str | None = None,
        normalize: float | str | None = None,
        average: bool = False,
        class_weight: dict[Any, float] | Literal["balanced"] | None = None,
        n_features: int | None = None,
        max_memory: int | None = None,
    ) -> None: ...
    def learn_one(self, x: dict[Any, Any], y: Any, w: float = 1.0) -> None: ...

class Forgetron(RowClassifier):
    budget: float | str
    bias: float | str | None
    kernel: str | None
    map: str | None
    normalize: float | str | None
    average: bool
    n_features: int | None
    max_memory: int | None
    def __init__(
        self,
        *,
        budget: float | str = 100,
        bias: float | str | None = 1.0,
        kernel: str | None = None,
        map: str | None = None,
        normalize: float | str | None = None,
        average: bool = False,
        n_features: int | None = None,
        max_memory: int | None = None,
    ) -> None: ...
    def learn_one(self, x: dict[Any, Any], y: Any) -> None: ...

class RandomBudget(RowClassifier):
    budget: float | str
    seed: float | str
    bias: float | str | None
    kernel: str | None
    map: str | None
    normalize: float | str | None
    average: bool
    n_features: int | None
    max_memory: int | None
    def __init__(
        self,
        *,
        budget: float | str = 100,
        seed: float | str = 0,
        bias: float | str | None = 1.0,
        kernel: str | None = None,
        map: str | None = None,
        normalize: float | str | None = None,
        average: bool = False,
        n_features: int | None = None,
        max_memory: int | None = None,
    ) -> None: ...
    def learn_one(self, x: dict[Any, Any], y: Any) -> None: ...

class Projectron(RowClassifier):
    eta: float | str
    plus: bool
    bias: float | str | None
    kernel: str | None
    map: str | None
    normalize: float | str | None
    average: bool
    n_features: int | None
    max_memory: int | None
    def __init__(
        self,
        *,
        eta: float | str = 0.1,
        plus: bool = False,
        bias: float | str | None = 1.0,
        kernel: str | None = None,
        map: str | None = None,
        normalize: float | str | None = None,
        average: bool = False,
        n_features: int | None = None,
        max_memory: int | None = None,
    ) -> None: ...
    def learn_one(self, x: dict[Any, Any], y: Any) -> None: ...

class ShiftingPerceptron(RowClassifier):
    lambda_: float | None
    bias: float | str | None
    kernel: str | None
    map: str | None
    normalize: float | str | None
    average: bool
    n_features: int | None
    max_memory: int | None
    def __init__(
        self,
        *,
        lambda_: float | None = 2,
        bias: float | str | None = 1.0,
        kernel: str | None = None,
        map: str | None = None,
        normalize: float | str | None = None,
        average: bool = False,
        n_features: int | None = None,
        max_memory: int | None = None,
    ) -> None: ...
    def learn_one(self, x: dict[Any, Any], y: Any) -> None: ...

class SelectiveSampler(RowClassifier):
    b: float | str
    seed: float | str
    base: float | str
    margin: float | str
    a: float | str
    form: float | str
    bias: float | str | None
    kernel: str | None
    map: str | None
    normalize: float | str | None
    average: bool
    n_features: int | None
    max_memory: int | None
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
        kernel: str | None = None,
        map: str | None = None,
        normalize: float | str | None = None,
        average: bool = False,
        n_features: int | None = None,
        max_memory: int | None = None,
    ) -> None: ...
    def learn_one(self, x: dict[Any, Any], y: Any) -> None: ...

class AutoClassifier(RowClassifier):
    beta: float | str
    share: float | str
    cost: float | str
    experts: list[str] | None
    bias: float | str | None
    kernel: str | None
    map: str | None
    normalize: float | str | None
    class_weight: dict[Any, float] | Literal["balanced"] | None
    n_features: int | None
    max_memory: int | None
    def __init__(
        self,
        *,
        beta: float | str = 'auto',
        share: float | str = 0,
        cost: float | str = 8,
        experts: list[str] | None = None,
        bias: float | str | None = 1.0,
        kernel: str | None = None,
        map: str | None = None,
        normalize: float | str | None = None,
        class_weight: dict[Any, float] | Literal["balanced"] | None = None,
        n_features: int | None = None,
        max_memory: int | None = None,
    ) -> None: ...
    def learn_one(self, x: dict[Any, Any], y: Any, w: float = 1.0) -> None: ...
