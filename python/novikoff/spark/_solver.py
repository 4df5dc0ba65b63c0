"""Estimators of the dual solver: all rows at once, to a certified gap."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from pyspark import keyword_only
from pyspark.ml import Estimator
from pyspark.ml.param import Param, Params, TypeConverters
from pyspark.ml.util import DefaultParamsReadable, DefaultParamsWritable
from pyspark.sql import DataFrame

from .. import _native
from ._model import NovikoffModel, RegressionModel
from ._params import ClassifierParams, FitParams
from ._rounds import DualState, LostState, job_group, say
from ._rows import Features, PackedRows, features_of, pack

_ANY = Params._dummy()  # type: ignore[attr-defined]

# A free bias is searched for when this many rounds have passed, and narrowed this often at most.
_BIAS_ROUNDS = 5
_NARROWINGS = 12

# Runs that begin again because all copies of their variables were lost.
_RESTARTS = 3


@dataclass
class Solved:
    """Where a run has got."""

    point: Any
    certificates: list[Any]
    intercepts: list[float]
    rounds: int = 0
    #: The largest relative gap after each certificate, with its round.
    history: list[tuple[int, float]] = field(default_factory=list)


class Pace:
    """How the rounds of each class go.

    Momentum (Nesterov): how far variables go on in the direction of the last two rounds. Partitions are cautious about what they have in common: each sees
    only its own share of a change that all should make, or of two changes that cancel, so that many rounds go the same way. If the dual value has
    fallen (with a free bias: if the gap has grown), a class begins from where it stands (O'Donoghue, Candes, Adaptive restart for accelerated gradient schemes, 2015).
    """

    def __init__(self, classes: int) -> None:
        self._rounds = [0] * classes
        self._best = [float("-inf")] * classes
        #: The relative gaps of the last two certificates.
        self._gaps = [(1.0, 1.0)] * classes

    def momentum(self) -> list[float]:
        """For each class, of the round that begins."""
        momentum = [max(0, rounds - 1) / (rounds + 2) for rounds in self._rounds]
        self._rounds = [rounds + 1 for rounds in self._rounds]
        return momentum

    def judge(self, found: list[Any], what: str) -> None:
        """After certificates: whether ``what`` has risen, for the classes that were asked."""
        for class_, certificate in enumerate(found):
            if certificate is None:
                continue
            value = certificate["dual"] if what == "dual" else -certificate["gap"]
            if value < self._best[class_]:
                self._rounds[class_] = 0
            self._best[class_] = value
            self._gaps[class_] = (self._gaps[class_][1], certificate["relative_gap"])

    def expects(self, gap: float, active: list[bool]) -> bool:
        """Whether the round that was just made should have reached the gap, if it gained as much as the one before."""
        last = (pair for pair, asked in zip(self._gaps, active) if asked)
        return all(now * now <= gap * before for before, now in last)


@dataclass
class Run:
    """A problem over packed rows."""

    packed: PackedRows
    words: dict[str, Any]
    gap: float
    max_rounds: int
    passes: int
    seed: int
    interval: int
    progress: bool

    def solve(self) -> Solved:
        """Rounds until every class has reached the gap. Begins again where variables are lost for good: rounds are functions of the rows, so
        the answer is the same."""
        for _ in range(_RESTARTS):
            try:
                return self._solve()
            except LostState:
                say(self.progress, "all copies of some dual variables are lost; the rounds begin again")
        raise RuntimeError(
            "executors were lost faster than dual variables could be kept; call SparkContext.setCheckpointDir with a folder that all nodes reach"
        )

    def _solve(self) -> Solved:
        problem = _native.LocalProblem(self.words)
        state = DualState(self.packed, self.words, self.interval)
        count = problem.problems
        active = [True] * count
        pace = Pace(count)
        try:
            point = problem.origin()
            solved = Solved(point, [None] * count, point.intercepts)
            # whether the certificate of the point is known; that of the origin is not asked for
            is_certified = True
            while any(active) and solved.rounds < self.max_rounds:
                work = {"passes": self.passes, "seed": self.seed + solved.rounds, "momentum": pace.momentum()}
                answer = state.step(point, list(active), sums=not is_certified, **work)
                solved.rounds += 1
                if self.words["free_bias"]:
                    point = problem.next(point, answer)
                    if solved.rounds % _BIAS_ROUNDS == 0 or solved.rounds == self.max_rounds:
                        found = self._certify_free(problem, state, point, answer.signed, active, solved)
                        pace.judge(found, "gap")
                    continue
                if not is_certified:
                    found = problem.certificates(point, answer, self.gap)
                    self._take(point, found, active, solved, solved.rounds - 1)
                    pace.judge(found, "dual")
                point = problem.next(point, answer)
                # a round tells the gap of the point it began with; where the next one should be the last, a look without passes is enough
                is_certified = any(active) and (solved.rounds == self.max_rounds or pace.expects(self.gap, active))
                if is_certified:
                    found = problem.certificates(point, state.look(point, active, sums=True), self.gap)
                    self._take(point, found, active, solved, solved.rounds)
                    pace.judge(found, "dual")
            return solved
        finally:
            state.close()

    def _take(
        self, point: Any, found: list[Any], active: list[bool], solved: Solved, rounds: int, intercepts: list[float] | None = None
    ) -> None:
        """Takes the certificates of the classes that were asked, of a point after so many rounds, and lets those rest that have reached the gap."""
        intercepts = point.intercepts if intercepts is None else intercepts
        fresh = [certificate is not None for certificate in found]
        solved.point = solved.point.with_classes(point, fresh)
        for class_, certificate in enumerate(found):
            if certificate is not None:
                solved.certificates[class_] = certificate
                solved.intercepts[class_] = intercepts[class_]
                active[class_] = not certificate["reached"]
        worst = max(solved.certificates, key=lambda certificate: certificate["relative_gap"])
        solved.history.append((rounds, worst["relative_gap"]))
        resting = f", {active.count(False)} of {len(active)} classes done" if len(active) > 1 else ""
        say(
            self.progress,
            f"round {rounds}: primal {worst['primal']:.9g}, dual {worst['dual']:.9g}, relative gap {worst['relative_gap']:.3g}{resting}",
        )

    def _certify_free(
        self, problem: Any, state: DualState, point: Any, signed: list[tuple[float, float]], active: list[bool], solved: Solved
    ) -> list[Any]:
        """With a free bias the certificate is that of balanced variables at the best bias for their vector."""
        asked = list(active)
        shares = state.look(point, asked, shares=True, balance=signed)
        balanced = problem.next(point, shares, fixed=True)
        search = _native.BiasSearch(balanced)
        for _ in range(_NARROWINGS):
            losses = state.look(balanced, asked, sums=True, balance=signed, candidates=search.candidates)
            enough = 0.1 * self.gap * min(c["primal"] for c in problem.certificates(balanced, losses, self.gap) if c is not None)
            if search.narrow(problem, losses, enough):
                break
        best = search.best
        sums = state.look(balanced, asked, sums=True, balance=signed, fixed=best)
        found = problem.certificates(balanced, sums, self.gap, best)
        self._take(balanced, found, active, solved, solved.rounds, best)
        return found


class _DualEstimator(Estimator, FitParams, DefaultParamsReadable, DefaultParamsWritable):
    """A problem ``(1/n) sum of losses + (regParam/2) |w|^2``."""

    loss: Param[str] = Param(_ANY, "loss", "the loss, as `novikoff solve --help` lists them", TypeConverters.toString)
    regParam: Param[float] = Param(_ANY, "regParam", "lambda, the weight of the regulariser |w|^2/2", TypeConverters.toFloat)
    gap: Param[float] = Param(_ANY, "gap", "the relative duality gap to reach", TypeConverters.toFloat)
    maxIter: Param[int] = Param(_ANY, "maxIter", "rounds at most", TypeConverters.toInt)
    localPasses: Param[int] = Param(_ANY, "localPasses", "passes of a partition over its rows in one round", TypeConverters.toInt)

    def _dual_defaults(self, loss: str) -> None:
        self._fit_defaults()
        self._setDefault(loss=loss, regParam=1e-4, gap=1e-3, maxIter=200, localPasses=2, bias="free")

    def setParams(self, **given: Any) -> Any:
        """Sets parameters by their names."""
        unknown = sorted(name for name in given if not self.hasParam(name))
        if unknown:
            names = ", ".join(param.name for param in self.params)
            raise TypeError(f"unexpected keyword argument {unknown[0]!r}; the parameters are {names}")
        return self._set(**given)

    def _fit(self, dataset: DataFrame) -> Any:
        value = self.getOrDefault
        bias = value("bias")
        free, constant = bias == "free", 0.0 if bias == "free" else float(bias)
        targets = _native.LocalProblem.predicts_numbers(value("loss"), value("regParam"), free, constant != 0.0)
        self._check(targets)
        context = dataset.sparkSession.sparkContext
        group = value("jobGroup") or f"novikoff-{self.uid}"
        with job_group(context, group, f"novikoff: {type(self).__name__}.fit"):
            features = features_of(
                dataset, self.getFeaturesCol(), constant or None, value("missing"), value("maxCategories"), value("hashBits")
            )
            weight = value("weightCol") if self.isSet("weightCol") else None
            packed = pack(
                dataset, features, value("labelCol"), weight, targets, value("numPartitions"), max(1, value("blockSizeMB"))
            )
            try:
                return self._solved(packed, features, free, targets)
            finally:
                packed.unpersist()

    def _check(self, targets: bool) -> None:
        value = self.getOrDefault
        if targets != isinstance(self, DualRegressor):
            other = "DualRegressor" if targets else "DualClassifier"
            what = "numbers" if targets else "classes"
            raise ValueError(f"loss={value('loss')!r}: predicts {what}; use novikoff.spark.{other}")
        if not 0 <= value("gap") < 1:
            raise ValueError(f"gap={value('gap')!r}: must be a number from 0 to below 1; 1e-3 is usual")
        for name in ("maxIter", "localPasses", "checkpointInterval"):
            if value(name) < 1:
                raise ValueError(f"{name}={value(name)!r}: must be a whole number from 1")

    def _solved(self, packed: PackedRows, features: Features, free: bool, targets: bool) -> Any:
        value = self.getOrDefault
        if packed.rows == 0:
            raise ValueError("there are no rows to fit")
        labels = [] if targets else _native.label_order(list(packed.labels))
        if not targets and len(labels) < 2:
            raise ValueError(f"labelCol={value('labelCol')!r}: all rows have the label {labels[0]!r}; a classifier needs at least two labels")
        weights = [] if targets else class_weights(self, labels, packed)
        words = problem_words(value("loss"), value("regParam"), labels, weights, packed, features, free)
        progress = value("progress")
        say(
            progress,
            f"{packed.rows:,} rows, {packed.width:,} features, {len(labels) or 'no'} classes; "
            f"{packed.values * 8 / 1e6:,.1f} MB in {packed.partitions} partitions, {packed.blocks} blocks",
        )
        run = Run(
            packed,
            words,
            value("gap"),
            value("maxIter"),
            value("localPasses"),
            value("seed"),
            value("checkpointInterval"),
            progress,
        )
        solved = run.solve()
        model = _native.solved_model(words, solved.point, solved.intercepts, packed.width, features.model())
        reached = all(certificate["reached"] for certificate in solved.certificates)
        if not reached:
            say(True, f"the relative gap {value('gap')} was not reached in {solved.rounds} rounds; raise maxIter or localPasses, or regParam")
        about = {
            "loss": value("loss"),
            "lambda": value("regParam"),
            "rows": packed.rows,
            "features": packed.width,
            "bytes": 8 * packed.values,
            "partitions": packed.partitions,
            "rounds": solved.rounds,
            "reached": reached,
            "certificates": solved.certificates,
            "history": [list(pair) for pair in solved.history],
        }
        kind = RegressionModel if targets else NovikoffModel
        return self._copyValues(kind(model.to_bytes(), about, features))


def problem_words(
    loss: str, lambda_: float, labels: list[str], weights: list[float], packed: PackedRows, features: Features, free: bool
) -> dict[str, Any]:
    """A problem over packed rows, as the compiled part wants it."""
    return {
        "loss": loss,
        "lambda_": lambda_,
        "labels": labels,
        "class_weight": weights,
        "rows": packed.rows,
        "slots": packed.width + 1,
        "partitions": packed.partitions,
        "norm_sq": packed.norm_sq,
        "largest": packed.largest,
        "constant": features.bias,
        "free_bias": free,
    }


def class_weights(estimator: Any, labels: list[str], packed: PackedRows) -> list[float]:
    """What the rows of each label count, in the order of the labels; none if all count 1."""
    if not estimator.isSet("classWeight"):
        return []
    given = estimator.getOrDefault("classWeight")
    if given == "balanced":
        return [packed.rows / (len(labels) * packed.labels[label]) for label in labels]
    if not isinstance(given, dict):
        raise ValueError(f'classWeight={given!r}: must be "balanced" or a dictionary from labels to weights')
    texts = {_native.label_order([_text(label)])[0]: weight for label, weight in given.items()}
    strangers = sorted(set(texts) - set(labels))
    if strangers:
        raise ValueError(f"classWeight: no row has the label {strangers[0]!r}; the labels are {', '.join(labels)}")
    bad = [weight for weight in texts.values() if not 0 <= weight < float("inf")]
    if bad:
        raise ValueError(f"classWeight: weights must be finite numbers that are at least 0, got {bad[0]!r}")
    return [float(texts.get(label, 1.0)) for label in labels]


def _text(label: Any) -> str:
    """A label as packed rows have it."""
    if isinstance(label, bool):
        return str(int(label))
    return str(int(label)) if isinstance(label, float) and label.is_integer() else str(label)


class DualClassifier(_DualEstimator, ClassifierParams):
    """A linear classifier of least regularised loss, to a certified gap: any loss of classes, several classes one against the rest.

    ``(1/n) sum over rows of weight x loss + (regParam/2) |w|^2`` is solved by CoCoA+: in each round every partition makes ``localPasses`` passes
    of dual coordinate ascent over its own rows, and the shared vector is put together in the order of the partitions. The duality gap is
    summed over all rows in each round, and stops the run at ``gap``. With ``bias="free"`` the bias is not regularised.

    The same rows in the same partitions give the same model, bit by bit, whatever executors are lost on the way.
    """

    @keyword_only
    def __init__(self, **given: Any) -> None:
        super().__init__()
        self._dual_defaults(self._usual_loss)
        self._setDefault(probabilityCol="probability")
        self.setParams(**self._input_kwargs)

    _usual_loss = "hinge"


class LinearSVM(DualClassifier):
    """``DualClassifier`` with the hinge loss: the support vector machine."""


class LogisticRegression(DualClassifier):
    """``DualClassifier`` with the logistic loss: probabilities come with the model."""

    _usual_loss = "logistic"


class DualRegressor(_DualEstimator):
    """A linear predictor of numbers of least regularised loss, to a certified gap. ``DualClassifier`` says how it is solved."""

    @keyword_only
    def __init__(self, **given: Any) -> None:
        super().__init__()
        self._dual_defaults("squared")
        self.setParams(**self._input_kwargs)
