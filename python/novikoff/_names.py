"""What the learners of the catalogue are called in Python."""

from __future__ import annotations

from typing import Any

from ._native import catalog

_SPECIAL = {
    "auto": "AutoClassifier",
    "averaged": "AveragedPerceptron",
    "voted": "VotedPerceptron",
    "p-norm": "PNormPerceptron",
    "eg": "ExponentiatedGradient",
    "whitened": "WhitenedPerceptron",
    "second-order": "SecondOrderPerceptron",
    "higher-order": "HigherOrderPerceptron",
    "shifting": "ShiftingPerceptron",
    "selective": "SelectiveSampler",
    "passive-aggressive": "PassiveAggressiveClassifier",
    "logistic": "OnlineLogisticRegression",
}

# Estimators of the dual solver: `novikoff._solver`, `_regressors` and `_dual_solver` define them.
SOLVERS = (
    "DualClassifier",
    "DualRegressor",
    "DualSolver",
    "HuberRegressor",
    "LinearSVM",
    "LinearSVR",
    "LogisticRegression",
    "MaxEnt",
    "Ridge",
    "SVM",
)


def class_name(learner: str) -> str:
    """The class of a learner: ``p-norm`` is ``PNormPerceptron``, one that is new is its name in camel case.

    >>> class_name("p-norm"), class_name("max-margin"), class_name("arow")
    ('PNormPerceptron', 'MaxMargin', 'Arow')
    """
    return _SPECIAL.get(learner) or "".join(word.title() for word in learner.split("-"))


def argument_name(key: str) -> str:
    """The keyword argument of a key of a spec: ``lambda`` is a word of Python, and becomes ``lambda_``."""
    return f"{key}_" if key == "lambda" else key.replace("-", "_")


def learners() -> list[dict[str, Any]]:
    """The entries of the catalogue."""
    return catalog()


def estimators() -> list[str]:
    """The names of all estimators."""
    return [class_name(entry["name"]) for entry in learners()] + list(SOLVERS)
