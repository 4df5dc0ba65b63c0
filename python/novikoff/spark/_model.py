"""Models: they answer on the cluster, and are kept as pyspark's models and as our model file."""

from __future__ import annotations

import json
from typing import Any, Iterator

from pyspark import TaskContext
from pyspark.ml import Model
from pyspark.ml.functions import array_to_vector
from pyspark.ml.param.shared import HasLabelCol, HasPredictionCol, HasProbabilityCol, HasRawPredictionCol, HasWeightCol
from pyspark.ml.util import DefaultParamsReader, DefaultParamsWriter, MLReadable, MLReader, MLWritable, MLWriter
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F

from .. import _native
from ._params import FeatureParams
from ._rows import Features

# The model file in the folder that `save` writes.
_FILE = "novikoff.model"

# Models that this process has read: executors are given the bytes once per task.
_LOADED: dict[int, tuple[bytes, Any]] = {}


def _loaded(bytes_: bytes) -> Any:
    key = hash(bytes_)
    if key not in _LOADED or _LOADED[key][0] != bytes_:
        _LOADED.clear()
        _LOADED[key] = (bytes_, _native.Model.from_bytes(bytes_))
    return _LOADED[key][1]


class _FittedModel(Model, FeatureParams, HasLabelCol, HasWeightCol, HasPredictionCol, HasRawPredictionCol, MLReadable, MLWritable):
    """What all models have."""

    def __init__(self, model: bytes = b"", about: dict[str, Any] | None = None, features: Features | None = None) -> None:
        super().__init__()
        self._bytes = model
        self._about = about or {}
        self._features = features or Features(None, (), None, None)

    @property
    def certificates(self) -> list[dict[str, Any]]:
        """Per problem: the primal and the dual value, their gap, and whether it is as small as was asked for."""
        return self._about.get("certificates", [])

    @property
    def summary(self) -> dict[str, Any]:
        """What is known of the fit: rows, features, partitions, rounds, the gap after each round."""
        return self._about

    @property
    def labels(self) -> list[str]:
        """The labels in their order; of two, the negative one first."""
        return _loaded(self._bytes).classes

    def to_bytes(self) -> bytes:
        """The model file as bytes."""
        return self._bytes

    def save_model(self, path: Any) -> None:
        """Writes the model file on the driver: what the command, the Python package and the service read."""
        _loaded(self._bytes).save(path)

    def weights(self) -> Any:
        """The weights by class and slot; slot 0 is the constant feature."""
        return _loaded(self._bytes).weights()

    def _answered(self, dataset: DataFrame, probabilities: bool) -> DataFrame:
        """The dataset with a column ``novikoff: answer`` of margins, the place of the label, and probabilities."""
        context = dataset.sparkSession.sparkContext
        sent = context.broadcast((self._bytes, self._features.words()))
        kind = "struct<margins: array<double>, place: bigint, chances: array<double>>"
        work = _answerer(sent, probabilities, self._columns())
        answer = F.arrow_udf(work, kind, F.ArrowUDFType.SCALAR_ITER)
        return dataset.withColumn("novikoff: answer", answer(*self._features.select(dataset)))

    def _columns(self) -> list[str]:
        one = self._features.column
        return [one] if one is not None else list(self._features.names)

    def write(self) -> MLWriter:
        """The writer of ``save``."""
        return _Writer(self)

    @classmethod
    def read(cls) -> MLReader[Any]:
        """The reader of ``load``."""
        return _Reader(cls)


def _answerer(sent: Any, probabilities: bool, names: list[str]) -> Any:
    def work(batches: Iterator[tuple[Any, ...]]) -> Iterator[Any]:
        import pyarrow as pa

        context = TaskContext.get()
        place = f"partition {context.partitionId() if context else 0}, "
        bytes_, words = sent.value
        model = _loaded(bytes_)
        for columns in batches:
            columns = columns if isinstance(columns, tuple) else (columns,)
            batch = pa.record_batch(list(columns), names=names)
            margins, places, chances = _native.answers(model, batch, words, probabilities, place)
            yield pa.StructArray.from_arrays(
                [_lists(pa, margins), pa.array(places), _lists(pa, margins[:, :0] if chances is None else chances)],
                names=["margins", "place", "chances"],
            )

    return work


def _lists(pa: Any, numbers: Any) -> Any:
    """The rows of a two-dimensional array as lists."""
    rows, columns = numbers.shape
    offsets = pa.array([columns * row for row in range(rows + 1)], type=pa.int32())
    return pa.ListArray.from_arrays(offsets, pa.array(numbers.reshape(-1)))


class NovikoffModel(_FittedModel, HasProbabilityCol):
    """A classifier that was fitted on a cluster.

    ``transform`` adds ``predictionCol`` (a number where all labels are numbers, else a string), ``rawPredictionCol`` (a vector of margins, one
    per label in the order of ``labels``) and, where the model has probabilities, ``probabilityCol``.
    """

    @property
    def has_probabilities(self) -> bool:
        """Whether it answers with probabilities: after the logistic loss, or once it is calibrated."""
        return _loaded(self._bytes).has_probabilities

    def _transform(self, dataset: DataFrame) -> DataFrame:
        raw, chance, prediction = (
            self.getOrDefault(name) if self.hasDefault(name) or self.isSet(name) else ""
            for name in ("rawPredictionCol", "probabilityCol", "predictionCol")
        )
        wants = bool(chance) and self.has_probabilities
        out = self._answered(dataset, wants)
        labels = self.labels
        answer = "`novikoff: answer`"
        binary = len(labels) == 2
        if raw:
            margins = f"{answer}.margins"
            if binary:
                margins = f"array(-{answer}.margins[0], {answer}.margins[0])"
            out = out.withColumn(raw, array_to_vector(F.expr(margins)))
        if wants:
            chances = f"{answer}.chances"
            if binary:
                chances = f"array(1.0D - {answer}.chances[0], {answer}.chances[0])"
            out = out.withColumn(chance, array_to_vector(F.expr(chances)))
        if prediction:
            numbers = [_number(label) for label in labels]
            values = numbers if None not in numbers else labels
            choice = F.array(*[F.lit(value) for value in values])[F.col(f"{answer}.place")]
            out = out.withColumn(prediction, choice)
        return out.drop("novikoff: answer")

    def evaluate(self, dataset: DataFrame) -> Any:
        """Errors and curves on rows with labels, in one pass over them; see ``novikoff.spark.Evaluation``."""
        from ._evaluate import evaluate

        return evaluate(self, dataset)

    def calibrate(self, dataset: DataFrame, rows: int = 100_000) -> NovikoffModel:
        """The model with probabilities: Platt's sigmoid per class, fitted on the driver on the margins of at most about ``rows`` rows, chosen at
        random with a fixed seed, that the model was not trained on."""
        from ._evaluate import calibrated

        return calibrated(self, dataset, rows)


def _number(text: str) -> float | None:
    try:
        return float(text)
    except ValueError:
        return None


class RegressionModel(_FittedModel):
    """A predictor of numbers that was fitted on a cluster."""

    def _transform(self, dataset: DataFrame) -> DataFrame:
        prediction = self.getOrDefault("predictionCol")
        out = self._answered(dataset, probabilities=False)
        return out.withColumn(prediction, F.expr("`novikoff: answer`.margins[0]")).drop("novikoff: answer")


class _Writer(MLWriter):
    """Writes a folder with the parameters, as pyspark does, and beside them the model file."""

    def __init__(self, instance: _FittedModel) -> None:
        super().__init__()
        self.instance = instance

    def saveImpl(self, path: str) -> None:
        """Writes the folder."""
        model = self.instance
        features = model._features
        about = {
            "about": model._about,
            "features": {"column": features.column, "names": list(features.names), "bias": features.bias},
        }
        DefaultParamsWriter.saveMetadata(model, path, self.sparkSession, extraMetadata={"novikoff": json.dumps(about)})
        _write_file(self.sparkSession, f"{path}/{_FILE}", model._bytes)


class _Reader(MLReader[Any]):
    """Reads what ``_Writer`` wrote."""

    def __init__(self, cls: Any) -> None:
        super().__init__()
        self.cls = cls

    def load(self, path: str) -> Any:
        """The model of a folder."""
        metadata = DefaultParamsReader.loadMetadata(path, self.sparkSession)
        about = json.loads(metadata["novikoff"])
        bytes_ = _read_file(self.sparkSession, f"{path}/{_FILE}")
        kept = about["features"]
        has_names = bool(kept["names"])
        features = Features(kept["column"], tuple(kept["names"]), kept["bias"], bytes_ if has_names else None)
        model = self.cls(bytes_, about["about"], features)
        model._resetUid(metadata["uid"])
        DefaultParamsReader.getAndSetParams(model, metadata)
        return model


def _hadoop(session: SparkSession, path: str) -> tuple[Any, Any]:
    """The file system of a path, and the path."""
    context = session.sparkContext
    place = context._jvm.org.apache.hadoop.fs.Path(path)  # type: ignore[union-attr]
    return place.getFileSystem(context._jsc.hadoopConfiguration()), place  # type: ignore[union-attr]


def _write_file(session: SparkSession, path: str, data: bytes) -> None:
    system, place = _hadoop(session, path)
    out = system.create(place, True)
    try:
        out.write(bytearray(data))
    finally:
        out.close()


def _read_file(session: SparkSession, path: str) -> bytes:
    system, place = _hadoop(session, path)
    stream = system.open(place)
    try:
        return bytes(session.sparkContext._jvm.org.apache.commons.io.IOUtils.toByteArray(stream))  # type: ignore[union-attr]
    finally:
        stream.close()
