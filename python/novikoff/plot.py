"""Charts by matplotlib: mistakes beside their bounds, curves of scores and probabilities, weights, the course of
experts.

Each function draws on ``ax``, or on a new figure, and returns the axes.

>>> import matplotlib
>>> matplotlib.use("agg")
>>> import numpy as np
>>> from novikoff import plot
>>> ax = plot.roc(np.array([0, 0, 1, 1]), np.array([0.1, 0.4, 0.35, 0.8]))
>>> ax.get_title()
'ROC curve, area 0.750'
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from ._certificate import Certificate

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["bounds", "experts", "mistakes", "precision_recall", "reliability", "roc", "weights"]


def _axes(ax: Any) -> Any:
    if ax is not None:
        return ax
    try:
        from matplotlib import pyplot
    except ModuleNotFoundError as error:
        raise ImportError("novikoff.plot needs matplotlib: pip install matplotlib") from error
    # long names beside the axes, and legends, take their room from the figure
    return pyplot.subplots(layout="constrained")[1]


def _named(certificates: Any) -> dict[str, Certificate]:
    """Certificates by their names: a dict has them, others are called as their theorems, with a number where two have the same."""
    if not isinstance(certificates, Mapping):
        given = certificates if isinstance(certificates, (list, tuple)) else [certificates]
        certificates = {}
        for one in given:
            name = str(getattr(one, "name", None) or type(one).__name__)
            same = sum(known.partition(" (")[0] == name for known in certificates)
            certificates[f"{name} ({same + 1})" if same else name] = one
    for name, one in certificates.items():
        if not isinstance(one, Certificate):
            raise TypeError(f"certificates: {name!r} is not a certificate; give model.certificate_ or model.certify(X, y)")
    return dict(certificates)


def bounds(certificates: Any, ax: Any = None) -> Axes:
    """The mistakes of runs beside the bounds of their theorems: one certificate (``model.certificate_``, ``model.certify(X, y)``), a list of
    them, or a dict of them by name."""
    named = _named(certificates)
    ax = _axes(ax)
    names = list(named)
    places = np.arange(len(names))
    ax.barh(places, [named[name].mistakes for name in names], color="C0", label="mistakes")
    bound = np.array([np.nan if named[name].bound is None else named[name].bound for name in names], dtype=float)
    ax.plot(bound, places, linestyle="none", marker="|", markersize=18, markeredgewidth=3, color="C3", label="bound")
    ax.set_yticks(places, names)
    ax.invert_yaxis()
    ax.set_xlabel("mistakes")
    ax.set_title("Mistakes and their bounds")
    ax.legend()
    return ax


def mistakes(wrong: Any, bound: float | None = None, ax: Any = None, label: str = "mistakes") -> Axes:
    """The mistakes so far, row by row: ``wrong`` says of each row in its order whether its prediction was wrong. A bound is a line."""
    wrong = np.asarray(wrong)
    if wrong.ndim != 1 or wrong.size == 0:
        raise ValueError(
            "wrong: must be a list of bools, one per row in its order, such as those of predict before partial_fit; "
            f"got {'no list' if wrong.ndim == 0 else f'an array of shape {wrong.shape}'}"
        )
    ax = _axes(ax)
    ax.plot(np.arange(1, len(wrong) + 1), np.cumsum(wrong.astype(bool)), label=label)
    if bound is not None:
        ax.axhline(bound, color="C3", linestyle="--", label=f"bound {bound:,.1f}")
    ax.set_xlabel("rows")
    ax.set_ylabel("mistakes so far")
    ax.legend()
    return ax


def _truth(y: Any, scores: Any, positive: Any) -> tuple[np.ndarray, np.ndarray]:
    y, scores = np.asarray(y), np.asarray(scores, dtype=float)
    if y.ndim != 1 or y.shape != scores.shape:
        raise ValueError(f"y and the scores: must be one label and one number per row, got the shapes {y.shape} and {scores.shape}")
    if not np.isfinite(scores).all():
        raise ValueError("the scores: must be finite numbers")
    labels = np.unique(y)
    if positive is None and len(labels) != 2:
        raise ValueError(f"y has {len(labels)} labels; name one of them by positive=")
    truth = y == (labels[1] if positive is None else positive)
    if truth.all() or not truth.any():
        raise ValueError("y: must have rows of the positive label and others")
    return truth, scores


def _counts(truth: np.ndarray, scores: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """True and false positives where the threshold is each score, the largest first; equal scores are one point."""
    order = np.argsort(-scores, kind="stable")
    last = np.append(np.diff(scores[order]) != 0, True)
    hits = np.cumsum(truth[order])[last]
    return hits, np.flatnonzero(last) + 1 - hits


def roc(y: Any, scores: Any, positive: Any = None, ax: Any = None) -> Axes:
    """The ROC curve of margins or probabilities; of two labels the larger is positive unless it is named."""
    truth, scores = _truth(y, scores, positive)
    ax = _axes(ax)
    hits, alarms = _counts(truth, scores)
    x = np.concatenate([[0.0], alarms / (~truth).sum()])
    rates = np.concatenate([[0.0], hits / truth.sum()])
    area = float(np.sum(np.diff(x) * (rates[1:] + rates[:-1]) / 2))
    ax.plot(x, rates)
    ax.plot([0, 1], [0, 1], color="0.7", linestyle=":")
    ax.set_xlabel("false positives, of all negatives")
    ax.set_ylabel("true positives, of all positives")
    ax.set_title(f"ROC curve, area {area:.3f}")
    return ax


def precision_recall(y: Any, scores: Any, positive: Any = None, ax: Any = None) -> Axes:
    """The curve of precision and recall; the average precision is in the title."""
    truth, scores = _truth(y, scores, positive)
    ax = _axes(ax)
    hits, alarms = _counts(truth, scores)
    recall, precision = hits / truth.sum(), hits / (hits + alarms)
    average = float(np.sum(np.diff(np.concatenate([[0.0], recall])) * precision))
    ax.step(recall, precision, where="pre")
    ax.set_xlabel("recall")
    ax.set_ylabel("precision")
    ax.set_ylim(0, 1.02)
    ax.set_title(f"Precision and recall, average precision {average:.3f}")
    return ax


def reliability(y: Any, probabilities: Any, positive: Any = None, bins: int = 10, ax: Any = None) -> Axes:
    """Forecasts in bins of equal width beside the share of them that came true."""
    truth, chances = _truth(y, probabilities, positive)
    if chances.min() < 0 or chances.max() > 1:
        raise ValueError("probabilities: must be from 0 to 1")
    if bins < 1:
        raise ValueError(f"bins={bins}: must be a whole number from 1")
    ax = _axes(ax)
    place = np.minimum((chances * bins).astype(int), bins - 1)
    count = np.bincount(place, minlength=bins)
    met = count > 0
    forecast = np.bincount(place, weights=chances, minlength=bins)[met] / count[met]
    share = np.bincount(place, weights=truth, minlength=bins)[met] / count[met]
    ax.plot([0, 1], [0, 1], color="0.7", linestyle=":")
    ax.plot(forecast, share, marker="o")
    ax.set_xlabel("mean forecast")
    ax.set_ylabel("share that came true")
    error = float(np.sum(count[met] * np.abs(forecast - share)) / count.sum())
    ax.set_title(f"Reliability, calibration error {error:.3f}")
    return ax


def experts(estimator: Any, what: str = "weights", ax: Any = None) -> Axes:
    """How the learners of an ``AutoClassifier`` stood over time, a line for each: their ``"weights"``, or their ``"mistakes"`` so far with
    those of the majority. An expert that was retired counts as wrong from then on.

    >>> import matplotlib
    >>> matplotlib.use("agg")
    >>> from sklearn.datasets import load_iris
    >>> from novikoff import AutoClassifier, plot
    >>> model = AutoClassifier(epochs=1).fit(*load_iris(return_X_y=True))
    >>> ax = plot.experts(model)
    >>> len(ax.lines), ax.get_ylabel()
    (7, 'weight')
    """
    if what not in ("weights", "mistakes"):
        raise ValueError(f'what={what!r}: must be "weights" or "mistakes"')
    model = getattr(estimator, "_model", None)
    found = None if model is None else model.experts()
    if found is None:
        raise ValueError(f"{type(estimator).__name__}: must be an AutoClassifier that has learned")
    ax, lines = _axes(ax), np.asarray(found[what], dtype=float)
    for place, spec in enumerate(found["specs"]):
        ax.plot(found["trials"], lines[:, place], label=spec)
    if what == "mistakes":
        ax.plot(found["trials"], found["majority"], color="black", linewidth=2, label="majority")
    ax.set_xlabel("rows")
    ax.set_ylabel("weight" if what == "weights" else "mistakes so far")
    ax.set_title("The course of the experts")
    ax.legend(fontsize="small", loc="upper left", bbox_to_anchor=(1.0, 1.0))
    return ax


def weights(estimator: Any, top: int = 20, label: Any = None, ax: Any = None) -> Axes:
    """The largest weights of an estimator, with the names of ``get_feature_names_out``; of several classes those of one label, the first
    unless it is named."""
    coef = np.atleast_2d(estimator.coef_)
    row = 0
    if label is not None and len(coef) > 1:
        found = np.flatnonzero(np.asarray(estimator.classes_) == label)
        if len(found) == 0:
            raise ValueError(f"label={label!r}: must be one of the classes {list(estimator.classes_)}")
        row = int(found[0])
    names = estimator.get_feature_names_out()
    largest = np.argsort(-np.abs(coef[row]), kind="stable")[: max(1, top)]
    ax = _axes(ax)
    values = coef[row][largest]
    ax.barh(np.arange(len(largest)), values, color=np.where(values >= 0, "C0", "C3"))
    ax.set_yticks(np.arange(len(largest)), [names[j] for j in largest])
    ax.invert_yaxis()
    ax.set_xlabel("weight")
    which = "" if len(coef) == 1 else f" of {estimator.classes_[row]}"
    ax.set_title(f"The largest weights{which}")
    return ax
