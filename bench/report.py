"""Lines of results: as a table on the screen, and as a dated record."""

import datetime
import statistics
from dataclasses import dataclass

from measure import ROOT, Result

HEAD = ("measure", "quantity", "ours", "value", "against", "value", "ratio", "low..high", "target", "met")
RIGHT = (3, 5, 6, 7, 8)  # columns that hold numbers


@dataclass(frozen=True)
class Target:
    """What the ratio should be."""

    bound: float
    below: bool = False

    def __str__(self):
        return f"< {self.bound:g}x" if self.below else f">= {self.bound:g}x"

    def met(self, ratio):
        return ratio < self.bound if self.below else ratio >= self.bound


@dataclass(frozen=True)
class Side:
    name: str
    values: list
    reason: str = ""


def side(name, results, what):
    """One contestant's values of a quantity: `cpu`, `wall` or `rss`."""
    result = results.get(name, Result([], "not run"))
    return Side(name, [] if result.reason else [getattr(c, what) for c in result.costs], result.reason)


def _typical(values, quantity):
    return max(values) if quantity == "peak MB" else statistics.median(values)


def _show(value, quantity):
    return f"{value / 1e6:.1f}" if quantity == "peak MB" else f"{value:.3f}"


def compare(measure, quantity, ours, against, target=None):
    """A row of the table: the medians (of memory: the largest) and their ratio, `against / ours`."""
    wanted = str(target) if target else "-"
    absent = next((one for one in (ours, against) if not one.values), None)
    if absent:
        why = f"not available: {absent.name}: {absent.reason}"
        return (measure, quantity, ours.name, "-", against.name, "-", "-", "-", wanted, why)
    mine, other = _typical(ours.values, quantity), _typical(against.values, quantity)
    ratio = other / max(mine, 1e-9)
    rounds = [b / max(a, 1e-9) for a, b in zip(ours.values, against.values)]
    met = "-" if target is None else "yes" if target.met(ratio) else "no"
    span = f"{min(rounds):.2f}..{max(rounds):.2f}"
    shown = (_show(mine, quantity), against.name, _show(other, quantity))
    return (measure, quantity, ours.name, *shown, f"{ratio:.2f}", span, wanted, met)


def table(rows):
    lines = [HEAD, *rows]
    widths = [max(len(line[i]) for line in lines) for i in range(len(HEAD) - 1)]

    def aligned(line):
        cells = [c.rjust(w) if i in RIGHT else c.ljust(w) for i, (c, w) in enumerate(zip(line, widths))]
        return "  ".join([*cells, line[-1]]).rstrip()

    return "\n".join(aligned(line) for line in lines)


def _block(text):
    return f"```\n{text}\n```\n"


def _list(items):
    return "".join(f"- {item}\n" for item in items)


def _free_path(name):
    stem = f"{datetime.date.today().isoformat()}-{name}"
    folder = ROOT / "bench" / "record"
    folder.mkdir(exist_ok=True)
    names = [stem, *(f"{stem}-{n}" for n in range(2, 1000))]
    return next(p for p in (folder / f"{n}.md" for n in names) if not p.exists())


def record(name, text, sections):
    """Writes bench/record/<date>-<name>.md; `sections` are pairs of a title and a list of lines."""
    target = _free_path(name)
    parts = [f"# Speed record, {name}\n\n{_block(text)}"]
    for title, items in sections:
        body = _block("\n".join(items)) if title == "Commands" else _list(items)
        parts.append(f"\n## {title}\n\n{body}")
    target.write_text("".join(parts))
    return target.relative_to(ROOT)
