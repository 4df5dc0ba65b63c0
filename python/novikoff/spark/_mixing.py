"""Online learners on a cluster: one pass per partition from the same weights, which are then mixed."""

from __future__ import annotations

from typing import Any, Iterator

from pyspark import keyword_only
from pyspark.ml import Estimator
from pyspark.ml.param import Param, Params, TypeConverters
from pyspark.ml.util import DefaultParamsReadable, DefaultParamsWritable
from pyspark.sql import DataFrame, SparkSession

from .. import _native
from ._model import NovikoffModel
from ._params import ClassifierParams
from ._remarks import warned
from ._rounds import job_group, say
from ._rows import Features, PackedRows, as_bytes, features_of, known, pack, settle
from ._solver import Run, problem_words

_ANY = Params._dummy()  # type: ignore[attr-defined]

# Problems that are solved for a comparator.
_SOLVES = 3


class ParameterMixing(Estimator, ClassifierParams, DefaultParamsReadable, DefaultParamsWritable):
    """An online learner over the partitions (iterative parameter mixing: McDonald, Hall, Mann 2010).

    In each of ``maxIter`` epochs every partition makes one pass over its rows from the same weights; the weights of all partitions are
    mixed, in the order of the partitions, each with the weight that ``mixing`` says: ``"uniform"`` or ``"mistakes"``. The learner must be a
    sum of rows: ``learner="perceptron"``, ``"passive-aggressive"`` and such. ``average=True`` keeps the mean of the mixed weights of all epochs.

    The rows of each partition are visited in a random order of ``seed``, the same in every epoch and in every fit of the same partitions.
    ``shuffle=False`` leaves them in the order they are in, such as that of time. Rows that come sorted by label teach an online learner little: a
    ``RemarkWarning`` says so, and another one if the model is no better than always answering the most frequent label. ``model.summary["remarks"]`` has both.

    With ``certify=True`` the perceptron on two labels gets a certificate: over all epochs and partitions, the mistakes times the weights of their
    partitions are at most ``hinge + |U| sqrt(X)``, for the vector U that the dual solver finds for the rows on which some pass erred. Other
    learners have none, and ``model.summary["certificate_reason"]`` says why.
    """

    learner: Param[str] = Param(_ANY, "learner", "the spec of an online learner, such as perceptron", TypeConverters.toString)
    maxIter: Param[int] = Param(_ANY, "maxIter", "epochs at most", TypeConverters.toInt)
    mixing: Param[str] = Param(_ANY, "mixing", "the weights of partitions: uniform, or mistakes", TypeConverters.toString)
    average: Param[bool] = Param(_ANY, "average", "whether the mean of the mixed weights of all epochs is kept", TypeConverters.toBoolean)
    shuffle: Param[bool] = Param(
        _ANY, "shuffle", "whether the rows of each partition are visited in a random order of the seed", TypeConverters.toBoolean
    )
    certify: Param[bool] = Param(_ANY, "certify", "whether the mistakes are certified", TypeConverters.toBoolean)
    gap: Param[float] = Param(_ANY, "gap", "the relative duality gap of the comparator's problem", TypeConverters.toFloat)

    @keyword_only
    def __init__(self, **given: Any) -> None:
        super().__init__()
        self._fit_defaults()
        self._setDefault(
            probabilityCol="probability",
            learner="perceptron",
            maxIter=5,
            mixing="uniform",
            average=False,
            shuffle=True,
            certify=False,
            gap=1e-2,
            bias=1.0,
        )
        self.setParams(**self._input_kwargs)

    def setParams(self, **given: Any) -> ParameterMixing:
        """Sets parameters by their names."""
        unknown = sorted(name for name in given if not self.hasParam(name))
        if unknown:
            names = ", ".join(param.name for param in self.params)
            raise TypeError(f"unexpected keyword argument {unknown[0]!r}; the parameters are {names}")
        return self._set(**given)

    def _fit(self, dataset: DataFrame) -> NovikoffModel:
        value = self.getOrDefault
        bias = value("bias")
        if bias == "free":
            raise ValueError('bias="free": an online learner has a constant feature or none; give a number, 0 is off')
        if value("mixing") not in ("uniform", "mistakes"):
            raise ValueError(f'mixing={value("mixing")!r}: must be "uniform" or "mistakes"')
        if value("maxIter") < 1:
            raise ValueError(f"maxIter={value('maxIter')!r}: must be a whole number from 1")
        if self.isSet("classWeight"):
            raise ValueError("classWeight: is for the dual solver; give weights of rows by weightCol")
        # a learner that cannot be mixed is refused before a row is read
        _native.local_learner(value("learner"), ["-1", "1"], 1, None)
        context = dataset.sparkSession.sparkContext
        group = value("jobGroup") or f"novikoff-{self.uid}"
        with job_group(context, group, "novikoff: ParameterMixing.fit"):
            constant = float(bias) or None
            features = features_of(dataset, self.getFeaturesCol(), constant, value("missing"), value("maxCategories"), value("hashBits"))
            weight = value("weightCol") if self.isSet("weightCol") else None
            block = max(1, value("blockSizeMB"))
            shuffle = value("seed") if value("shuffle") else None
            packed = pack(dataset, features, value("labelCol"), weight, False, value("numPartitions"), block, shuffle)
            try:
                return self._mixed(packed, features, weight, dataset.sparkSession)
            finally:
                packed.unpersist()

    def _mixed(self, packed: PackedRows, features: Features, weight: str | None, session: SparkSession) -> NovikoffModel:
        value = self.getOrDefault
        if packed.rows == 0:
            raise ValueError("there are no rows to fit")
        labels = _native.label_order(list(packed.labels))
        if len(labels) < 2:
            raise ValueError(f"labelCol={value('labelCol')!r}: all rows have the label {labels[0]!r}; a classifier needs at least two labels")
        model = _native.local_learner(value("learner"), labels, packed.width, features.bias, features.model())
        begun, epochs, mixed = [], [], []
        for epoch in range(value("maxIter")):
            begun.append(model.to_bytes())
            model, about = _epoch(packed, model, value("mixing"))
            epochs.append(about)
            mixed.append(model)
            share = about["mistakes"] / about["trials"]
            say(value("progress"), f"epoch {epoch + 1}: {about['mistakes']:,} mistakes ({share:.2%}), weighted {about['weighted_mistakes']:,.1f}")
            if about["mistakes"] == 0:
                break
        certificate, reason = None, "certify=False"
        if value("certify"):
            certificate, reason = self._certificate(packed, features, labels, weight, begun, epochs, session)
        if value("average"):
            model = _native.Mixer.mean(mixed)
        right = _right_answers(packed, model)
        counts = [(label, packed.labels[label], right.get(label, 0)) for label in labels]
        about = {
            "learner": value("learner"),
            "rows": packed.rows,
            "features": packed.width,
            "partitions": packed.partitions,
            "epochs": [{name: epoch[name] for name in ("mistakes", "trials", "weighted_mistakes")} for epoch in epochs],
            "mistakes": sum(epoch["mistakes"] for epoch in epochs),
            "errors": packed.rows - sum(right.values()),
            "remarks": warned(_native.sorted_remark(packed.facts), _native.baseline_remark(counts, True)),
            "certificate": certificate,
            "certificate_reason": reason,
        }
        return self._copyValues(NovikoffModel(model.to_bytes(), about, features))

    def _certificate(
        self,
        packed: PackedRows,
        features: Features,
        labels: list[str],
        weight: str | None,
        begun: list[bytes],
        epochs: list[Any],
        session: SparkSession,
    ) -> tuple[dict[str, Any] | None, str | None]:
        """The bound of the mistakes by a comparator, or why there is none."""
        value = self.getOrDefault
        if value("learner") != "perceptron":
            return None, "a theorem for mixed weights is known for the perceptron alone: learner=\"perceptron\", without keys"
        if len(labels) != 2:
            return None, f"the theorem is about two labels, and there are {len(labels)}"
        if weight:
            return None, "the theorem is about rows that count 1, and there is a weightCol"
        mistakes = sum(epoch["weighted_mistakes"] for epoch in epochs)
        norm_sq = sum(epoch["weighted_norm_sq"] for epoch in epochs)
        if mistakes == 0.0 or norm_sq == 0.0:
            return None, "there is no mistake on a row that has features"
        rows = _mistaken(packed, begun, [epoch["mu"] for epoch in epochs], session)
        try:
            best = None
            lambda_ = norm_sq / (rows.rows * mistakes)
            for _ in range(_SOLVES):
                # both labels may not be among the mistakes; the problem is about both all the same
                words = problem_words("hinge", lambda_, labels, [], rows, features, False)
                words["slots"] = packed.width + 1
                solved = Run(rows, words, value("gap"), 200, 3, value("seed"), value("checkpointInterval"), False).solve()
                found = _native.Mixer.bound(solved.point, solved.certificates[0]["loss"], rows.rows, mistakes, norm_sq)
                if best is None or found["bound"] < best["bound"]:
                    best = found
                if found["length"] == 0.0:
                    break
                lambda_ = norm_sq**0.5 / (rows.rows * found["length"])
            say(value("progress"), f"certificate: {mistakes:,.1f} weighted mistakes <= {best['bound']:,.1f}")
            return best, None
        finally:
            rows.unpersist()


def _epoch(packed: PackedRows, model: Any, mixing: str) -> tuple[Any, Any]:
    """One pass of every partition, and what they are mixed into."""
    given = packed.rdd.context.broadcast(model.to_bytes())

    def run(index: int, blocks: Iterator[Any]) -> Iterator[Any]:
        settle()
        mixer = None
        for rows in blocks:
            mixer = mixer or _native.Mixer(_native.Model.from_bytes(given.value))
            mixer.walk(rows)
        if mixer is not None:
            yield index, mixer.answer()

    try:
        answers = [answer for _, answer in sorted(packed.rdd.mapPartitionsWithIndex(run).collect())]
    finally:
        given.unpersist()
    return _native.Mixer.mix(model, answers, mixing)


def _right_answers(packed: PackedRows, model: Any) -> dict[str, int]:
    """For each label the number of its rows that the model answers right, in one reading of the rows."""
    given = packed.rdd.context.broadcast(model.to_bytes())

    def run(blocks: Iterator[Any]) -> Iterator[Any]:
        judged = None
        for rows in blocks:
            judged = judged or _native.Model.from_bytes(given.value)
            yield from _native.Mixer.right_answers(judged, rows)

    found: dict[str, int] = {}
    try:
        for label, count in packed.rdd.mapPartitions(run).collect():
            found[label] = found.get(label, 0) + count
    finally:
        given.unpersist()
    return found


def _mistaken(packed: PackedRows, begun: list[bytes], mu: list[list[float]], session: SparkSession) -> PackedRows:
    """The rows on which some pass erred, each with the sum of the weights of those passes."""
    context = packed.rdd.context
    # the weights of partitions are in the order of those that have rows
    given = context.broadcast((begun, mu, {index: place for place, index in enumerate(packed.filled)}))

    def run(index: int, blocks: Iterator[Any]) -> Iterator[Any]:
        models, weights, place = given.value
        passes = None
        for rows in blocks:
            if passes is None:
                passes = [_native.Mixer(_native.Model.from_bytes(model)) for model in models]
                own = [epoch[place[index]] for epoch in weights]
            kept = _native.Mixer.mistaken(passes, own, rows)
            if kept is not None:
                yield kept

    return known(as_bytes(packed.rdd.mapPartitionsWithIndex(run)), session)
