"""`auto` on sets that had no part in the choice of its experts: mistakes and cost, and test error beside scikit-learn.

    python bench/auto_fresh.py prepare DATA WORK NOVIKOFF   splits, written to WORK
    python bench/auto_fresh.py auto WORK NOVIKOFF           `novikoff train SET -o MODEL --test TEST`, no other option
    python bench/auto_fresh.py peers WORK                   scikit-learn, default options (pip install scikit-learn)
    python bench/auto_fresh.py tables WORK                  the table of the record

DATA is a folder with the sets in svmlight format; NOVIKOFF is the command. Sets of fewer than 1,000 rows are split ten times (seeds 1 to 10),
and their counts are sums over the splits.
"""

import json
import math
import random
import subprocess
import sys
import tempfile
import warnings
from pathlib import Path

from auto import lines, run

EXAMPLES = Path(__file__).resolve().parent.parent / "docs" / "examples"


def topic(number):
    """One topic of a list of topics against all others."""

    def relabel(row):
        labels, _, values = row.partition(" ")
        return f"{'+1' if number in labels.split(',') else '-1'} {values}"

    return relabel


REUTERS = "reuters21578/modapte-tfidf"
# name, training file, test file (None: three tenths of the rows), what is done to each row
SETS = [
    ("20newsgroups", "20newsgroups/train.svm.gz", "20newsgroups/test.svm.gz", None),
    ("reuters-earn", f"{REUTERS}.train.svm.gz", f"{REUTERS}.test.svm.gz", topic("1")),
    ("reuters-acq", f"{REUTERS}.train.svm.gz", f"{REUTERS}.test.svm.gz", topic("2")),
    ("reuters-money-fx", f"{REUTERS}.train.svm.gz", f"{REUTERS}.test.svm.gz", topic("3")),
    ("reuters-crude", f"{REUTERS}.train.svm.gz", f"{REUTERS}.test.svm.gz", topic("5")),
    ("w8a, other rows", "w8a/train.svm.gz", None, None),
    ("churn", None, None, None),
    ("wdbc", "wdbc/wdbc.svm.gz", None, None),
    ("lymphoma", "lymphoma/lymphoma.imputed.svm.gz", None, None),
    ("leukemia", "leukemia/leukemia.svm.gz", None, None),
    ("colon", "colon/colon.svm.gz", None, None),
]
NAMES = [name for name, *_ in SETS]
# rows of the shuffled w8a that bench/auto.py takes for training and test
W8A_USED = int(0.3 * 49_749) + 20_000


def path(work, name, seed, kind):
    return work / f"fresh-{name.replace(', ', '-').replace(' ', '-')}.{seed}.{kind}"


def seeds(work, name):
    return [seed for seed in range(1, 11) if path(work, name, seed, "train.svm").exists()]


def churn(novikoff):
    """The table of docs/examples as svmlight text, by our own reading, so that all see the same features."""
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run([sys.executable, EXAMPLES / "make_data.py", folder], check=True, cwd=folder)
        out = Path(folder) / "churn.svm"
        words = [novikoff, "convert", Path(folder) / "churn.csv", out, "-q"]
        words += ["--label", "churned", "--drop", "customer_id", "--missing", "indicator"]
        subprocess.run(words, check=True, capture_output=True)
        number = {"yes": "+1", "no": "-1"}
        rows = (row.partition(" ") for row in out.read_text().splitlines())
        return [f"{number[label]} {values}" for label, _, values in rows]


def prepare(data, work, novikoff):
    for name, train, test, relabel in SETS:
        whole = churn(novikoff) if train is None else lines(data / train)
        whole = [relabel(row) for row in whole] if relabel else whole
        if name.startswith("w8a"):
            random.Random(1).shuffle(whole)
            whole = whole[W8A_USED:]
        for seed in range(1, 11 if len(whole) < 1000 else 2):
            rows = list(whole)
            random.Random(seed).shuffle(rows)
            if test is None:
                held = int(0.3 * len(rows))
                others, rows = rows[:held], rows[held:]
            else:
                others = [relabel(row) if relabel else row for row in lines(data / test)]
            for kind, part in [("train", rows), ("test", others)]:
                path(work, name, seed, f"{kind}.svm").write_text("\n".join(part) + "\n")


def auto(work, novikoff):
    for name in NAMES:
        for seed in seeds(work, name):
            words = [novikoff, "train", path(work, name, seed, "train.svm")]
            words += ["-o", path(work, name, seed, "model"), "--test", path(work, name, seed, "test.svm")]
            path(work, name, seed, "auto.json").write_text(json.dumps(run([*words, "-q", "--json"])))


def peers(work):
    import numpy as np
    from sklearn.datasets import load_svmlight_files
    from sklearn.linear_model import LogisticRegression
    from sklearn.svm import LinearSVC

    warnings.filterwarnings("ignore")
    for name in NAMES:
        for seed in seeds(work, name):
            files = [str(path(work, name, seed, f"{kind}.svm")) for kind in ("train", "test")]
            rows, labels, others, truths = load_svmlight_files(files)
            for matrix in (rows, others):
                matrix.indices = matrix.indices.astype(np.int32)
                matrix.indptr = matrix.indptr.astype(np.int32)
            errors = {}
            for peer in (LogisticRegression(), LinearSVC()):
                wrong = peer.fit(rows, labels).predict(others) != truths
                errors[type(peer).__name__] = float(np.mean(wrong))
            path(work, name, seed, "peers.json").write_text(json.dumps(errors))
            print(name, seed, errors, flush=True)


def tables(work):
    print("| set | rows | splits | auto | best expert | allowed | cost | test error | LogisticRegression | LinearSVC | auto less the best |")
    print("| --- " * 11 + "|")
    for name in NAMES:
        all_seeds = seeds(work, name)
        runs = [json.loads(path(work, name, seed, "auto.json").read_text()) for seed in all_seeds]
        others = [json.loads(path(work, name, seed, "peers.json").read_text()) for seed in all_seeds]
        mistakes = sum(one["mistakes"] for one in runs)
        least = [min(e["mistakes"] for e in one["experts"]) for one in runs]
        room = [1.05 * m + 3 * math.log(len(one["experts"])) + 1 for m, one in zip(least, runs)]
        within = sum(one["mistakes"] <= most for one, most in zip(runs, room))
        allowed = f"{sum(room):,.0f}" + (f" ({within} of {len(runs)})" if within < len(runs) else "")
        cost = max(one["cost"] for one in runs)
        mean = lambda values: 100 * sum(values) / len(all_seeds)
        own = mean(one["test"]["error"] for one in runs)
        by = [mean(one[peer] for one in others) for peer in ("LogisticRegression", "LinearSVC")]
        print(
            f"| {name} | {runs[0]['data']['rows']:,} | {len(runs)} | {mistakes:,} | {sum(least):,} | {allowed} | {cost:.1f} |"
            f" {own:.2f} | {by[0]:.2f} | {by[1]:.2f} | {own - min(by):+.2f} |"
        )


if __name__ == "__main__":
    job, *rest = sys.argv[1:]
    {"prepare": prepare, "auto": auto, "peers": peers, "tables": tables}[job](*[Path(word) for word in rest])
