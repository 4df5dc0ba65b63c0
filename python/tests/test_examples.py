"""The worked scripts, each to its figure."""

from __future__ import annotations

import importlib.util
from pathlib import Path

ROOT = Path(__file__).parents[2]


def script(name):
    path = ROOT / "python" / "examples" / f"{name}.py"
    spec = importlib.util.spec_from_file_location(f"example_{name}", path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def is_picture(path):
    return path.read_bytes().startswith(b"\x89PNG") and path.stat().st_size > 5_000


def test_drift(tmp_path):
    totals = script("drift").main(str(tmp_path / "drift.png"))
    last = {name: total[-1] for name, total in totals.items()}
    assert last["shifting"] < last["averaged"], "who forgets does better when the truth changes"
    assert is_picture(tmp_path / "drift.png")


def test_digits(tmp_path):
    certificates = script("digits").main(str(tmp_path / "digits.png"))
    assert all(found.mistakes <= found.bound for found in certificates.values())
    assert is_picture(tmp_path / "digits.png")
