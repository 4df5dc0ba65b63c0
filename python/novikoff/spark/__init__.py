"""Learners for rows that are spread over a Spark cluster, in the manner of ``pyspark.ml``.

``DualClassifier``, ``DualRegressor``, ``LinearSVM`` and ``LogisticRegression`` solve for all rows at once, to a duality gap that is summed
exactly over all partitions. ``ParameterMixing`` runs an online learner on every partition and mixes the weights after each pass. Both give
a model that ``save_model`` writes as the model file that the command, the Python package and the service read.

The package needs ``pyspark`` 4.1 or later on the driver, and ``novikoff`` on every node: ``pip install 'novikoff[spark]'``.
"""

from __future__ import annotations

try:
    import pyspark  # noqa: F401
except ModuleNotFoundError as error:
    raise ImportError("novikoff.spark needs pyspark: pip install 'novikoff[spark]'") from error

from ._evaluate import Evaluation
from ._mixing import ParameterMixing
from ._model import NovikoffModel, RegressionModel
from ._solver import DualClassifier, DualRegressor, LinearSVM, LogisticRegression

__all__ = [
    "DualClassifier",
    "DualRegressor",
    "Evaluation",
    "LinearSVM",
    "LogisticRegression",
    "NovikoffModel",
    "ParameterMixing",
    "RegressionModel",
]
