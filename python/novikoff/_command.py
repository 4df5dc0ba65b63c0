"""The command ``novikoff``, which the package installs."""

from __future__ import annotations

import sys

from ._native import command


def main() -> int:
    """Runs the command with the words of the command line."""
    sys.stdout.flush()
    return command(["novikoff", *sys.argv[1:]])
