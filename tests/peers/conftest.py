"""Drives the program that NOVIKOFF names, on rows that numpy holds."""

import json
import os
import subprocess

import numpy as np
import pytest


class Program:
    """Runs `novikoff` in a folder of its own."""

    def __init__(self, folder):
        self.folder = folder

    def solve(self, x, y, *words):
        """The JSON report of a run on rows `x` with labels `y`."""
        file = self.folder / "rows.svm"
        lines = []
        for row, label in zip(x, y):
            features = " ".join(f"{j + 1}:{value:.9g}" for j, value in enumerate(row) if value != 0)
            lines.append(f"{label:.17g} {features}\n")
        file.write_text("".join(lines))
        command = [os.environ["NOVIKOFF"], "solve", file, "--json", "-q", *map(str, words)]
        done = subprocess.run(command, capture_output=True, text=True, timeout=100, check=False)
        assert done.returncode == 0, done.stderr
        return json.loads(done.stdout)

    def help(self, command):
        """What `novikoff COMMAND --help` prints."""
        words = [os.environ["NOVIKOFF"], command, "--help"]
        return subprocess.run(words, capture_output=True, text=True, timeout=100, check=True).stdout


@pytest.fixture
def novikoff(tmp_path):
    return Program(tmp_path)


@pytest.fixture
def rng(request):
    """Numbers that depend on the name of the test alone."""
    return np.random.default_rng(list(request.node.name.encode()))


def survey(rng, rows, features, density):
    """Rows of 0s and 1s with noisy labels, as a9a has them."""
    x = (rng.random((rows, features)) < density).astype(float)
    x[:, :2] = 1 - x[:, :2]
    score = x @ rng.normal(size=features) * 0.7
    noise = rng.logistic(size=rows)
    return x, np.where(score - np.median(score) + noise > 0, 1.0, -1.0)
