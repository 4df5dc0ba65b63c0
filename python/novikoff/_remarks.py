"""Remarks of the engine as warnings of Python."""

from __future__ import annotations

import sys
import warnings
from collections.abc import Iterable
from typing import Any

# Those that say that a model is probably not the one that was meant; all others are in ``remarks_`` only.
_SURE = {"leakage", "ids", "text-column", "number-text", "missing-column", "unknown-features"}


class RemarkWarning(UserWarning):
    """What novikoff noticed about the data or the run, with what to do about it. ``docs/remarks.md`` lists the kinds."""


def warn(remarks: Iterable[dict[str, Any]]) -> None:
    """Warns of the remarks that matter, at the line outside of the package that called it."""
    for remark in remarks:
        if remark["kind"] in _SURE:
            warnings.warn(f"{remark['kind']}: {remark['text']}", RemarkWarning, stacklevel=_level_of_caller())


def _level_of_caller() -> int:
    """How far from :func:`warn` the code is that is neither ours nor scikit-learn's."""
    frame, level = sys._getframe(1), 1
    while frame.f_back is not None and frame.f_globals.get("__name__", "").partition(".")[0] in ("novikoff", "sklearn"):
        frame, level = frame.f_back, level + 1
    return level
