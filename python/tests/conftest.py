"""Data that several tests use."""

from __future__ import annotations

import os

# scikit-learn passes over its checks of arrays of other libraries otherwise; SciPy reads it when it is imported
os.environ.setdefault("SCIPY_ARRAY_API", "1")

import shutil
import sysconfig
from pathlib import Path

import numpy as np
import pytest
from sklearn.datasets import dump_svmlight_file, load_digits


@pytest.fixture(scope="session")
def digits() -> tuple[np.ndarray, np.ndarray]:
    X, y = load_digits(return_X_y=True)
    return X.astype(np.float32), y


@pytest.fixture(scope="session")
def digits_file(digits, tmp_path_factory) -> Path:
    """The digits as the command reads them: svmlight text, features counted from 1."""
    path = tmp_path_factory.mktemp("data") / "digits.svm"
    dump_svmlight_file(*digits, str(path), zero_based=False)
    return path


@pytest.fixture(scope="session")
def command() -> str:
    """The command that the wheel installed."""
    path = Path(sysconfig.get_path("scripts")) / "novikoff"
    assert path.exists() and shutil.which(str(path)), "the wheel installs the command"
    return str(path)
