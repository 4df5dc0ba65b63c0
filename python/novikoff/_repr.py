"""What notebooks show of estimators, reports and certificates: small tables."""

from __future__ import annotations

from html import escape
from typing import Any


class Report(dict[str, Any]):
    """The report of a run, as the command prints it with ``--json``; notebooks show it as a table."""

    def _repr_html_(self) -> str:
        return report_html(self)


def table(title: str, rows: list[tuple[str, str]]) -> str:
    """A table of names and values; every text is escaped.

    >>> table("a < b", [("mistakes", "3")])
    '<table class="novikoff"><caption>a &lt; b</caption><tr><th>mistakes</th><td>3</td></tr></table>'
    """
    body = "".join(f"<tr><th>{escape(name)}</th><td>{escape(value)}</td></tr>" for name, value in rows)
    return f'<table class="novikoff"><caption>{escape(title)}</caption>{body}</table>'


def _share(errors: int, rows: int) -> str:
    return f"{errors:,} ({100 * errors / rows:.2f}%)" if rows else f"{errors:,}"


def report_html(report: dict[str, Any]) -> str:
    """The report of a run, as ``report_`` has it."""
    data, rows = report.get("data") or {}, []
    if data:
        rows.append(("data", f"{data['rows']:,} rows, {data['features']:,} features, {data['classes']:,} classes"))
    epochs = report.get("epochs") or []
    if report.get("mistakes") is not None:
        rows.append(("mistakes", _share(report["mistakes"], data.get("rows", 0) * len(epochs))))
    if report.get("updates") is not None:
        rows.append(("updates", f"{report['updates']:,}"))
    validation = report.get("validation")
    if validation and validation.get("rows"):
        rows.append(("validation", _share(validation["errors"], validation["rows"])))
    baseline = report.get("baseline")
    if baseline and "errors" in baseline:
        rows.append(("baseline", f"{baseline['errors']:,} of always {baseline['label']}"))
    elif baseline:
        rows.append(("baseline", f"squared error {baseline['squared_error']:.6g} of always {baseline['mean']:.6g}"))
    for name in ("primal", "dual", "relative_gap"):
        if isinstance(report.get(name), float):
            rows.append((name.replace("_", " "), f"{report[name]:.6g}"))
    rows += [("remark", remark["text"]) for remark in report.get("remarks") or []]
    return table(str(report.get("spec") or report.get("loss") or "run"), rows)


def certificate_html(certificate: Any) -> str:
    """A certificate: the bound, its terms and its theorem; or why there is none."""
    rows = [("mistakes", f"{certificate.mistakes:,}")]
    if certificate.bound is None:
        rows.append(("no bound", str(certificate.reason)))
        return table("certificate", rows)
    rows.append(("bound", f"{certificate.bound:,.1f}"))
    rows += [(f"  {name}", f"{value:,.4g}") for name, value in certificate.terms.items() if isinstance(value, (int, float))]
    rows.append(("theorem", f"{certificate.theorem}: {certificate.name}"))
    rows.append(("holds", "yes" if certificate.holds else "no"))
    return table("certificate", rows)
