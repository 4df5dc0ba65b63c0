"""What a learner's theorem says of one run."""

from __future__ import annotations

from typing import Any

from ._repr import Report, certificate_html


class Certificate:
    """The certificate of a run: its mistakes are at most the bound, by a theorem.

    ``bound`` is None, and ``reason`` says why, where the theorem's conditions fail or the learner has none. ``report`` is the whole report
    of the run, with each class's own certificate, as ``novikoff certify --json`` prints it.
    """

    def __init__(self, report: dict[str, Any]) -> None:
        found: dict[str, Any] = report.get("certificate") or {}
        self.report = Report(report)
        self.theorem: str | None = found.get("theorem")
        self.name: str | None = found.get("name")
        self.mistakes: int = report["mistakes"]
        self.bound: float | None = found.get("bound")
        self.holds: bool | None = found.get("holds")
        self.terms: dict[str, float] = found.get("terms", {})
        self.comparator: dict[str, Any] = found.get("comparator", {})
        self.reason: str | None = report.get("reason")

    def __repr__(self) -> str:
        if self.bound is None:
            return f"Certificate({self.mistakes} mistakes, no bound: {self.reason})"
        return f"Certificate({self.mistakes} mistakes <= {self.bound:.1f}, {self.theorem}: {self.name})"

    def _repr_html_(self) -> str:
        return certificate_html(self)
