"""A stream whose truth changes: learners that forget, and learners that do not.

    python drift.py [FIGURE]

Rows come in pieces, as they would from a queue: each piece is predicted before it is learned.
"""

from __future__ import annotations

import sys

import numpy as np

import novikoff


def stream(rows: int, features: int, changes: int, seed: int = 0):
    """Rows labelled by a vector that is drawn again from time to time; one label in twenty is wrong."""
    draw = np.random.default_rng(seed)
    for part in range(changes):
        truth = draw.standard_normal(features)
        X = draw.standard_normal((rows // changes, features)).astype(np.float32)
        y = np.where(X @ truth >= 0, 1, -1)
        wrong = draw.random(len(y)) < 0.05
        y[wrong] *= -1
        for start in range(0, len(y), 100):
            yield part, X[start : start + 100], y[start : start + 100]


def main(figure: str | None = None) -> dict[str, np.ndarray]:
    learners = {
        "perceptron": novikoff.Perceptron(),
        "averaged": novikoff.AveragedPerceptron(),
        "shifting": novikoff.ShiftingPerceptron(lambda_=2),
        "second order": novikoff.SecondOrderPerceptron(a=10),
        "arow": novikoff.Arow(),
    }
    errors: dict[str, list[int]] = {name: [] for name in learners}
    for _, X, y in stream(rows=12_000, features=30, changes=4):
        for name, learner in learners.items():
            wrong = len(y) if not errors[name] else int((learner.predict(X) != y).sum())
            errors[name].append(wrong)
            learner.partial_fit(X, y)
    totals = {name: np.cumsum(counts) for name, counts in errors.items()}
    for name, total in sorted(totals.items(), key=lambda item: item[1][-1]):
        print(f"{name:15} {total[-1]:6,} errors of 12,000")
    if figure:
        import matplotlib

        matplotlib.use("Agg")
        import matplotlib.pyplot as plt

        _, axes = plt.subplots(figsize=(7, 4))
        for name, total in totals.items():
            axes.plot(np.arange(1, len(total) + 1) * 100, total, label=name)
        for change in (3_000, 6_000, 9_000):
            axes.axvline(change, color="0.8", zorder=0)
        axes.set(xlabel="rows", ylabel="errors before learning", title="The truth changes at the grey lines")
        axes.legend()
        plt.savefig(figure, bbox_inches="tight")
    return totals


if __name__ == "__main__":
    main(*sys.argv[1:2])
