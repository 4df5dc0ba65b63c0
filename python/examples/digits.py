"""Digits by kernels, one against the rest, each run with its certificate: its mistakes, and what the theorem allows.

    python digits.py [FIGURE]
"""

from __future__ import annotations

import sys

import numpy as np
from sklearn.datasets import load_digits

import novikoff


def main(figure: str | None = None, digit: int = 8, rows: int = 1000) -> dict[str, novikoff.Certificate]:
    X, y = load_digits(return_X_y=True)
    X, y = X[:rows].astype(np.float32), np.where(y[:rows] == digit, 1, -1)
    once = {"epochs": 1, "shuffle": False, "keep_rows": True}
    learners = {
        "linear": novikoff.AveragedPerceptron(**once),
        "cubes": novikoff.AveragedPerceptron(kernel="poly:degree=3,cosine", **once),
        "gaussian": novikoff.AveragedPerceptron(kernel="gaussian:gamma=auto", **once),
        "second order": novikoff.SecondOrderPerceptron(a="auto", **once),
    }
    certificates = {name: learner.fit(X, y).certificate_ for name, learner in learners.items()}
    for name, certificate in certificates.items():
        print(f"{name:15} {certificate}")
    if figure:
        import matplotlib

        matplotlib.use("Agg")
        import matplotlib.pyplot as plt

        names = list(certificates)
        _, axes = plt.subplots(figsize=(7, 4))
        axes.bar(names, [certificates[name].bound for name in names], color="0.85", label="bound")
        axes.bar(names, [certificates[name].mistakes for name in names], width=0.5, label="mistakes")
        axes.set(ylabel=f"of {rows:,} trials", title=f"Is it a {digit}?")
        axes.legend()
        plt.savefig(figure, bbox_inches="tight")
    return certificates


if __name__ == "__main__":
    main(*sys.argv[1:2])
