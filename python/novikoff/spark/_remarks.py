"""Remarks on rows and results of a cluster, as warnings of Python."""

from __future__ import annotations

import sys
import warnings

from .._remarks import RemarkWarning

# Frames of these packages are not the caller's.
_BETWEEN = ("novikoff", "pyspark")


def warned(*remarks: tuple[str, str] | None) -> list[dict[str, str]]:
    """Warns of the remarks that are there, at the line outside of the package that called it, and gives them as summaries have them."""
    found = [remark for remark in remarks if remark is not None]
    frame, level = sys._getframe(), 1
    while frame.f_back is not None and frame.f_globals.get("__name__", "").partition(".")[0] in _BETWEEN:
        frame, level = frame.f_back, level + 1
    for kind, text in found:
        warnings.warn(f"{kind}: {text}", RemarkWarning, stacklevel=level)
    return [{"kind": kind, "text": text} for kind, text in found]
