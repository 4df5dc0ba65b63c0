"""Certificates from Python are those of the command."""

from __future__ import annotations

import json
import subprocess

import novikoff
import pytest


def test_kept_rows_and_rows_given_again(digits, command, digits_file):
    X, y = digits
    model = novikoff.AveragedPerceptron(epochs=1, shuffle=False, keep_rows=True).fit(X, y)
    certificate = model.certificate_
    assert certificate.holds and certificate.mistakes == model.mistakes_ <= certificate.bound
    assert model.certificate_ is certificate, "searched once"
    assert model.certify(X, y).bound == certificate.bound
    words = [command, "certify", str(digits_file), "-a", "averaged", "--bias", "1", "--json", "-q"]
    done = subprocess.run(words, capture_output=True, text=True, check=True)
    printed = json.loads(done.stdout)["certificate"]
    assert (printed["bound"], printed["theorem"]) == (certificate.bound, certificate.theorem)
    assert repr(certificate).startswith(f"Certificate({model.mistakes_} mistakes <= ")


def test_partial_fits_are_one_run(digits):
    X, y = digits
    model = novikoff.Perceptron()
    for start in range(0, 600, 200):
        model.partial_fit(X[start : start + 200], y[start : start + 200])
    certificate = model.certify(X[:600], y[:600], effort="quick")
    assert certificate.mistakes == model.mistakes_ and certificate.holds
    with pytest.raises(ValueError, match="not the rows it was trained on"):
        model.certify(X[600:1200], y[600:1200])


def test_no_theorem_has_a_reason(digits):
    X, y = digits
    model = novikoff.NormalisedPerceptron(keep_rows=True, epochs=1).fit(X, y)
    assert model.certificate_.bound is None and model.certificate_.reason


def test_models_without_a_run_say_so(digits, digits_file, tmp_path):
    X, y = digits
    novikoff.Arow().fit(X, y).save(tmp_path / "m")
    for model in (novikoff.load(tmp_path / "m"), novikoff.Arow().fit_file(digits_file), novikoff.Perceptron(max_iter=2).fit_file(digits_file)):
        with pytest.raises(ValueError, match="a certificate is about one run"):
            model.certify(X, y)
        with pytest.raises(AttributeError, match="a certificate is about one run"):
            model.certificate_  # noqa: B018
    passes = novikoff.Perceptron(keep_rows=True).fit(X, y)
    with pytest.raises(AttributeError, match="give tol=None"):
        passes.certificate_  # noqa: B018
