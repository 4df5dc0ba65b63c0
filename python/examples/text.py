"""Tickets to teams, from raw text: a file with a subject and a body per line, and no preparation of our own.

    python text.py FOLDER [FIGURE]

FOLDER has tickets.jsonl and tickets-new.jsonl, which docs/examples/make_data.py writes.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path

import numpy as np

import novikoff


def main(folder: str, figure: str | None = None) -> float:
    here = Path(folder)
    model = novikoff.OnlineLogisticRegression(epochs=5)
    model.fit_file(here / "tickets.jsonl", label="team", text=["subject", "body"], drop=["id"])
    print(f"{model.mistakes_:,} mistakes while learning; validation error {model.validation_['error']:.1%}")
    answers = model.predict_file(here / "tickets-new.jsonl")
    truth = [json.loads(line)["team"] for line in (here / "tickets-new.jsonl").read_text().splitlines()]
    accuracy = float(np.mean(answers == np.asarray(truth)))
    print(f"{accuracy:.1%} of {len(truth):,} new tickets go to their team")
    if figure:
        import matplotlib

        matplotlib.use("Agg")
        import matplotlib.pyplot as plt

        counts = np.zeros((len(model.classes_), len(model.classes_)), dtype=int)
        np.add.at(counts, (np.searchsorted(model.classes_, truth), np.searchsorted(model.classes_, answers)), 1)
        _, axes = plt.subplots(figsize=(5, 5))
        axes.imshow(counts, cmap="Blues")
        axes.set_xticks(range(len(model.classes_)), model.classes_, rotation=45)
        axes.set_yticks(range(len(model.classes_)), model.classes_)
        for row, line in enumerate(counts):
            for column, count in enumerate(line):
                axes.text(column, row, f"{count:,}", ha="center", va="center", color="black" if row != column else "white")
        axes.set(xlabel="answered", ylabel="team", title=f"{accuracy:.1%} right")
        plt.savefig(figure, bbox_inches="tight")
    return accuracy


if __name__ == "__main__":
    main(*sys.argv[1:3])
