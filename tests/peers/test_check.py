"""A certificate can be checked in thirty lines of Python: `check_certificate.py` agrees with honest ones and not with forged ones."""

import json
import os
import pathlib
import subprocess
import sys

import numpy as np
import pytest

SCRIPT = pathlib.Path(__file__).with_name("check_certificate.py")


def novikoff(folder, *words):
    command = [os.environ["NOVIKOFF"], *words]
    done = subprocess.run(command, capture_output=True, text=True, timeout=100, check=False, cwd=folder)
    assert done.returncode == 0, done.stderr
    return done.stdout


def verdict(folder):
    command = [sys.executable, SCRIPT, "cert.json", "rows.svm", "weights.tsv"]
    done = subprocess.run(command, capture_output=True, text=True, timeout=100, check=False, cwd=folder)
    assert done.returncode in (0, 1), done.stderr
    return done.returncode


@pytest.mark.parametrize("case", range(6))
def test_a_student_can_check_it(tmp_path, rng, case):
    x = rng.normal(size=(60, 4)).round(3)
    y = np.where(x @ rng.normal(size=4) + (0.5 * rng.normal(size=60) if case % 2 else 0) > 0, "+1", "-1")
    lines = [" ".join([label, *(f"{j + 1}:{v}" for j, v in enumerate(row))]) for row, label in zip(x, y)]
    (tmp_path / "rows.svm").write_text("\n".join(lines) + "\n")
    words = ["--epochs", "3", *(["--bias", "1"] if case > 2 else []), "--trace", "trace.jsonl"]
    words += ["--save-comparator", "u.model", "--json", "-q"]
    cert = json.loads(novikoff(tmp_path, "certify", "rows.svm", "-a", "perceptron", *words))
    (tmp_path / "weights.tsv").write_text(novikoff(tmp_path, "inspect", "u.model", "--weights"))
    (tmp_path / "cert.json").write_text(json.dumps(cert))
    assert verdict(tmp_path) == 0
    for part, key in [("certificate", "bound"), ("comparator", "norm"), ("certificate", "mistakes")]:
        forged = json.loads(json.dumps(cert))
        place = forged["certificate"]["comparator"] if part == "comparator" else forged["certificate"]
        place[key] = place[key] - 1 if key == "mistakes" else 0.99 * place[key]
        (tmp_path / "cert.json").write_text(json.dumps(forged))
        assert verdict(tmp_path) == 1, key
