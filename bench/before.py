#!/usr/bin/env python3
"""Measures a build against an earlier one: the commands of run.py that are ours, in turn, before and after.

    python3 bench/before.py BEFORE [--only 1,2] [--repeat 5] [--record]

BEFORE is the target folder of the earlier build (`CARGO_TARGET_DIR=BEFORE cargo build --release` in its checkout, and the
examples as tools.BUILDS has them). Peers are not run. A ratio is before / after: above 1, the new build is faster.
"""

import argparse
import shlex
import sys
from dataclasses import replace

import data
import tools
from measure import Result, interleave
from report import HEAD, Side, compare, record, table
from run import MEASURES, Bench, collect, load_average
from tools import TARGET

SLOWER = 1 / 1.1  # a ratio below this is a loss


class BeforeAfter(Bench):
    """Runs our contestants with both builds; other systems are absent."""

    def __init__(self, rows, repeat, before):
        super().__init__(rows, repeat)
        self.before, self.rows_of_table = before, []

    def contest(self, *contestants):
        ours = [one for one in contestants if one.command[0].startswith(f"{TARGET}/")]
        old = [
            replace(one, name=f"{one.name} before", command=(one.command[0].replace(TARGET, self.before, 1), *one.command[1:]))
            for one in ours
        ]
        both = [one for pair in zip(old, ours) for one in pair]
        for one in ours:
            self.commands[shlex.join(one.command)] = None
        tools.remark("measuring " + ", ".join(one.name for one in ours))
        results = interleave(both, self.repeat)
        for one in ours:
            self._compare(one, results)
        absent = {one.name: Result([], "not asked for") for one in contestants if one not in ours}
        return results | absent

    def _compare(self, one, results):
        new, old = results[one.name], results[f"{one.name} before"]
        words = shlex.join(one.command).split("/")[-1][:60]
        for key, quantity in (("cpu", "CPU s"), ("wall", "wall s"), ("rss", "peak MB")):
            sides = [
                Side(name, [getattr(cost, key) for cost in result.costs], result.reason)
                for name, result in (("after", new), ("before", old))
            ]
            self.rows_of_table.append(compare(f"{one.name}: {words}", quantity, *sides))


def slower(rows):
    """The rows whose ratio says that the new build takes over a tenth more; wall and memory are shown, CPU decides."""
    ratio = HEAD.index("ratio")
    return [row for row in rows if row[1] == "CPU s" and row[ratio] != "-" and float(row[ratio]) < SLOWER]


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("before", help="the target folder of the earlier build")
    parser.add_argument("--rows", type=int, default=200_000, help="rows of the text file (200000)")
    parser.add_argument("--repeat", type=int, default=5, help="interleaved rounds (5)")
    parser.add_argument("--only", default="", metavar="1,2", help="some of the measures of run.py")
    parser.add_argument("--record", action="store_true", help="write bench/record/<date>-before-after.md")
    options = parser.parse_args()
    data.make_folder(False)
    bench = BeforeAfter(options.rows, options.repeat, options.before)
    began = load_average()
    chosen = options.only.split(",") if options.only else list(MEASURES)
    reported = [row for row in collect(bench, chosen) if "not asked for" not in row[-1]]
    for row in reported:
        if row[-1].startswith("not available"):
            tools.remark(f"{row[0]}: {row[-1]}")
    rows = bench.rows_of_table
    text = tools.usual_paths(table(rows))
    lost = slower(rows)
    print(text)
    print(f"{len(lost)} of {len(rows) // 3} commands take over a tenth more CPU than before")
    if options.record:
        loads = f"load average before {began}, after {load_average()}"
        commands = [tools.usual_paths(command) for command in bench.commands]
        parts = (
            ("Run", [f"machine: {tools.machine()}", f"rows {bench.rows}, rounds {bench.repeat}, interleaved", loads]),
            ("Over a tenth slower (CPU)", [" ".join(row[:1] + row[6:8]) for row in lost] or ["none"]),
            ("Commands", commands),
        )
        tools.remark(f"written: {record('before-after', text, parts)}")
    return 1 if lost else 0


if __name__ == "__main__":
    sys.exit(main())
