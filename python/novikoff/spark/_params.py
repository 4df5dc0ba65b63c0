"""Parameters that all estimators and models share."""

from __future__ import annotations

from typing import Any

from pyspark.ml.param import Param, Params, TypeConverters
from pyspark.ml.param.shared import HasLabelCol, HasPredictionCol, HasProbabilityCol, HasRawPredictionCol, HasSeed, HasWeightCol

_ANY = Params._dummy()  # type: ignore[attr-defined]


def _columns(value: Any) -> str | list[str]:
    """One column of vectors or arrays, or the names of several columns."""
    if isinstance(value, str):
        return value
    names = TypeConverters.toListString(value)
    if not names:
        raise TypeError("featuresCol: must be the name of a column, or a list of at least one name")
    return names


def _bias(value: Any) -> str | float:
    if value == "free":
        return "free"
    try:
        return TypeConverters.toFloat(value)
    except TypeError:
        raise TypeError(f'bias={value!r}: must be "free" or a number; 0 is off') from None


class FeatureParams(Params):
    """Which columns are features, and how named ones are read."""

    featuresCol: Param[Any] = Param(_ANY, "featuresCol", "a column of vectors or arrays, or a list of columns", _columns)
    missing: Param[str] = Param(
        _ANY, "missing", "what a null in named columns is: refuse (an error), zero or indicator", TypeConverters.toString
    )

    def getFeaturesCol(self) -> str | list[str]:
        """The column of vectors or arrays, or the names of the columns."""
        return self.getOrDefault(self.featuresCol)


class FitParams(FeatureParams, HasLabelCol, HasWeightCol, HasPredictionCol, HasRawPredictionCol, HasSeed):
    """How a cluster is used."""

    bias: Param[Any] = Param(_ANY, "bias", 'the bias: "free" is not regularised, a number is a constant feature, 0 is off', _bias)
    numPartitions: Param[int] = Param(
        _ANY, "numPartitions", "partitions to learn in; 0 leaves the rows in the partitions they are in", TypeConverters.toInt
    )
    blockSizeMB: Param[int] = Param(
        _ANY, "blockSizeMB", "megabytes of one block of packed rows; a task holds one at a time", TypeConverters.toInt
    )
    checkpointInterval: Param[int] = Param(
        _ANY, "checkpointInterval", "rounds after which the lineage of the dual variables is cut", TypeConverters.toInt
    )
    maxCategories: Param[int] = Param(
        _ANY,
        "maxCategories",
        "values of all string columns of which the driver keeps a dictionary; if there are more, names are hashed",
        TypeConverters.toInt,
    )
    hashBits: Param[int] = Param(_ANY, "hashBits", "bits of hashed names", TypeConverters.toInt)
    progress: Param[bool] = Param(_ANY, "progress", "whether a line per round is written to stderr", TypeConverters.toBoolean)
    jobGroup: Param[str] = Param(
        _ANY, "jobGroup", "the job group of all Spark jobs of a fit: SparkContext.cancelJobGroup cancels it", TypeConverters.toString
    )

    def _fit_defaults(self) -> None:
        self._setDefault(
            featuresCol="features",
            labelCol="label",
            predictionCol="prediction",
            rawPredictionCol="rawPrediction",
            missing="refuse",
            seed=0,
            numPartitions=0,
            blockSizeMB=8,
            checkpointInterval=10,
            maxCategories=10_000,
            hashBits=18,
            progress=True,
            jobGroup="",
        )


class ClassifierParams(FitParams, HasProbabilityCol):
    """What classifiers have besides."""

    classWeight: Param[Any] = Param(
        _ANY, "classWeight", 'what the rows of labels count: "balanced", or a dictionary from labels to weights', TypeConverters.identity
    )
