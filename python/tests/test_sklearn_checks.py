"""scikit-learn's own examination of every estimator."""

from __future__ import annotations

import novikoff
import pytest
from novikoff import _names
from novikoff.estimators import DualRegressor
from sklearn.utils.estimator_checks import parametrize_with_checks

ESTIMATORS = [getattr(novikoff, name)() for name in _names.estimators()]


def expected_failures(estimator) -> dict[str, str]:
    """The checks that an estimator does not pass, each with its reason."""
    return {}


@parametrize_with_checks(ESTIMATORS, expected_failed_checks=expected_failures)
def test_checks(estimator, check):
    check(estimator)
