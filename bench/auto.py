"""The experiment behind `auto`: which experts, how many mistakes, what test error beside other systems, at what cost.

    python bench/auto.py prepare DATA WORK          splits of ten sets, shuffled once, written to WORK
    python bench/auto.py candidates WORK NOVIKOFF   one pass of each candidate on each set
    python bench/auto.py auto WORK NOVIKOFF         `novikoff train SET -o MODEL --test TEST`, no other option
    python bench/auto.py peers WORK                 scikit-learn and Vowpal Wabbit (pip install scikit-learn vowpalwabbit)
    python bench/auto.py tables WORK                the tables of the record
    python bench/auto.py cpu WORK NOVIKOFF          CPU seconds of `auto` and of the perceptron on three sets (a release build, a quiet machine)

DATA is a folder with the sets in svmlight format; NOVIKOFF is the command.
"""

import gzip
import json
import math
import random
import resource
import subprocess
import sys
import warnings
from pathlib import Path

# name, training file, test file (None: three tenths of the rows), rows of training that are used
SETS = [
    ("a9a", "a9a/train.svm.gz", "a9a/test.svm.gz", 20_000),
    ("w8a", "w8a/train.svm.gz", None, 20_000),
    ("spambase", "spambase/spambase.svm.gz", None, None),
    ("digits", "digits/digits.svm.gz", None, None),
    ("usps", "usps/train.svm.gz", "usps/test.svm.gz", None),
    ("mnist", "mnist/train.svm.gz", "mnist/test.svm.gz", 10_000),
    ("rcv1", "rcv1-ccat-small/train.svm.gz", "rcv1-ccat-small/test.svm.gz", None),
    ("basehock", "20news-binary/basehock.svm.gz", None, None),
    ("pcmac", "20news-binary/pcmac.svm.gz", None, None),
    ("relathe", "20news-binary/relathe.svm.gz", None, None),
]
NAMES = [name for name, *_ in SETS]

# the learners of today with their defaults, then candidates with rows prepared
DEFAULTS = ["perceptron", "passive-aggressive", "arow", "logistic", "second-order"]
CANDIDATES = [
    "perceptron@normalize=2,bias=1",
    "perceptron:margin=0.1@normalize=2,bias=1",
    "averaged@normalize=2,bias=1",
    "passive-aggressive@normalize=2,bias=1",
    "passive-aggressive:c=0.1@normalize=2,bias=1",
    "passive-aggressive:c=0.01@bias=1",
    "arow@bias=1",
    "arow:r=10@bias=1",
    "arow@normalize=2,bias=1",
    "arow:r=0.1@normalize=2,bias=1",
    "arow:r=0.01@normalize=2,bias=1",
    "romma:aggressive,noise=1@normalize=2,bias=1",
    "romma:aggressive,noise=0.1@normalize=2,bias=1",
    "second-order:form=diagonal@bias=1",
    "second-order:form=diagonal@normalize=2,bias=1",
    "p-norm:margin=0.1@normalize=2,bias=1",
    "logistic@bias=1",
    "logistic@normalize=2,bias=1",
    "second-order:a=auto@bias=1",
    "second-order:a=auto@normalize=2,bias=1",
    "higher-order@bias=1",
    "alma@bias=1",
]


def lines(path):
    with gzip.open(path, "rt") as file:
        return file.read().splitlines()


def prepare(data, work):
    for name, train, test, most in SETS:
        rows = lines(data / train)
        random.Random(1).shuffle(rows)
        if test is None:
            held = int(0.3 * len(rows))
            others, rows = rows[:held], rows[held:]
        else:
            others = lines(data / test)[:5000] if name == "mnist" else lines(data / test)
        for kind, part in [("train", rows[:most]), ("test", others)]:
            (work / f"{name}.{kind}.svm").write_text("\n".join(part) + "\n")


def run(words):
    done = subprocess.run(words, capture_output=True, text=True, check=True)
    return json.loads(done.stdout)


def candidates(work, novikoff):
    for name in NAMES:
        words = [novikoff, "compare", work / f"{name}.train.svm", *CANDIDATES, *DEFAULTS]
        words += ["--test", work / f"{name}.test.svm", "--threads", "1", "-q", "--json"]
        (work / f"{name}.candidates.json").write_text(json.dumps(run(words)))


def auto(work, novikoff):
    for name in NAMES:
        words = [novikoff, "train", work / f"{name}.train.svm", "-o", work / f"{name}.model"]
        words += ["--test", work / f"{name}.test.svm", "-q", "--json"]
        (work / f"{name}.auto.json").write_text(json.dumps(run(words)))


def cpu(work, novikoff):
    """User and system time of the whole process, one thread, medians of five runs in turn."""

    def seconds(words):
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        report = run(words)
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime, report

    print("| set | rows | `-a perceptron`, s | `auto`, s | ratio | counted cost | `predict` perceptron, s | `predict` auto, s |")
    print("| --- " * 8 + "|")
    for name in ["a9a", "mnist", "rcv1"]:
        data = work / f"{name}.train.svm"
        took = {}
        for _ in range(5):
            for spec in ["perceptron", "auto"]:
                model = work / f"{name}.{spec}.cpu"
                words = [novikoff, "train", data, "-a", spec, "-o", model, "--threads", "1", "-q", "--json"]
                one, report = seconds(words)
                took.setdefault(spec, []).append(one)
                before = resource.getrusage(resource.RUSAGE_CHILDREN)
                words = [novikoff, "predict", model, data, "--threads", "1", "-q"]
                subprocess.run(words, stdout=subprocess.DEVNULL, check=True)
                after = resource.getrusage(resource.RUSAGE_CHILDREN)
                one = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
                took.setdefault(f"predict {spec}", []).append(one)
        median = {what: sorted(list)[2] for what, list in took.items()}
        print(
            f"| {name} | {report['data']['rows']:,} | {median['perceptron']:.3f} | {median['auto']:.3f} |"
            f" {median['auto'] / median['perceptron']:.1f} | {report['cost']:.1f} |"
            f" {median['predict perceptron']:.3f} | {median['predict auto']:.3f} |"
        )


def peers(work):
    import numpy as np
    from sklearn.datasets import load_svmlight_files
    from sklearn.linear_model import LogisticRegression
    from sklearn.svm import LinearSVC
    from vowpalwabbit import pyvw

    warnings.filterwarnings("ignore")
    for name in NAMES:
        files = [str(work / f"{name}.{kind}.svm") for kind in ("train", "test")]
        rows, labels, others, truths = load_svmlight_files(files)
        for matrix in (rows, others):
            matrix.indices = matrix.indices.astype(np.int32)
            matrix.indptr = matrix.indptr.astype(np.int32)
        errors = {}
        for peer in (LogisticRegression(), LinearSVC()):
            wrong = peer.fit(rows, labels).predict(others) != truths
            errors[type(peer).__name__] = float(np.mean(wrong))
        classes = sorted(set(labels))
        number = {label: i + 1 for i, label in enumerate(classes)}
        if len(classes) == 2:
            number = {classes[0]: -1, classes[1]: 1}
        several = f"--oaa {len(classes)} " if len(classes) > 2 else ""
        vw = pyvw.Workspace(f"--quiet {several}--loss_function logistic")

        def text(matrix, i):
            row = matrix.getrow(i)
            return "| " + " ".join(f"{j}:{v:g}" for j, v in zip(row.indices, row.data))

        for i, label in enumerate(labels):
            vw.learn(f"{number[label]} {text(rows, i)}")
        wrong = 0
        for i, label in enumerate(truths):
            answer = vw.predict(text(others, i))
            if len(classes) == 2:
                answer = 1 if answer > 0 else -1
            wrong += int(answer) != number.get(label)
        errors["vw"] = wrong / len(truths)
        (work / f"{name}.peers.json").write_text(json.dumps(errors))
        print(name, errors, flush=True)


def tables(work):
    print("| candidate | " + " | ".join(NAMES) + " | mean ratio to the best |")
    print("| --- " * (len(NAMES) + 2) + "|")
    runs = {name: json.loads((work / f"{name}.candidates.json").read_text())["runs"] for name in NAMES}
    made = {name: {r["spec"]: r["mistakes"] for r in runs[name]} for name in NAMES}
    best = {name: min(made[name].values()) for name in NAMES}
    ratio = lambda spec: sum(made[n][spec] / best[n] for n in NAMES) / len(NAMES)
    for spec in sorted(CANDIDATES + DEFAULTS, key=ratio):
        cells = [f"{made[name][spec]:,}" for name in NAMES]
        print(f"| `{spec}` | {' | '.join(cells)} | {ratio(spec):.2f} |")
    autos = {name: json.loads((work / f"{name}.auto.json").read_text()) for name in NAMES}
    print("\n| set | auto | best expert | allowed | best default | allowed | cost | retired |")
    print("| --- | --- | --- | --- | --- | --- | --- | --- |")
    for name in NAMES:
        one = autos[name]
        experts = one["experts"]
        room = 3 * math.log(len(experts)) + 1
        leader = min(experts, key=lambda e: e["mistakes"])
        alone, spec = min((made[name][s], s) for s in DEFAULTS)
        retired = ", ".join(e["spec"] for e in experts if e["retired"] is not None) or "none"
        least = leader["mistakes"]
        print(
            f"| {name} | {one['mistakes']:,} | {least:,} `{leader['spec']}` | {1.05 * least + room:,.0f} |"
            f" {alone:,} `{spec}` | {1.05 * alone + room:,.0f} | {one['cost']:.1f} | {retired} |"
        )
    print("\n| set | auto | LogisticRegression | LinearSVC | vw | auto less the best |")
    print("| --- | --- | --- | --- | --- | --- |")
    for name in NAMES:
        peer = json.loads((work / f"{name}.peers.json").read_text())
        own = autos[name]["test"]["error"]
        cells = " | ".join(f"{100 * peer[p]:.2f}" for p in ("LogisticRegression", "LinearSVC", "vw"))
        print(f"| {name} | {100 * own:.2f} | {cells} | {100 * (own - min(peer.values())):+.2f} |")


if __name__ == "__main__":
    job, *rest = sys.argv[1:]
    paths = [Path(word) for word in rest[:2]]
    jobs = {"prepare": prepare, "candidates": candidates, "auto": auto, "cpu": cpu, "peers": peers, "tables": tables}
    jobs[job](*paths)
