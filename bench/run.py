#!/usr/bin/env python3
"""Measures novikoff against its peers. See bench/README.md."""

import argparse
import json
import os
import re
import shlex
import subprocess
import sys
import time
from dataclasses import replace

import data
import growth
import tools
from data import path
from measure import ROOT, Contestant, Failed, interleave, run
from report import Side, Target, compare, record, side, table
from tools import CACHE_PASS, DUAL_FIT, KERNEL_VALUES, LOAD, NOVIKOFF, PYTHON, STEP, remark

MEMORY = 10e6  # bytes a streaming pass may take beside its model
SUBSET = 20_000  # rows the models of the prediction measure are trained on

OURS, OURS_1, OURS_2 = "novikoff", "novikoff --threads 1", "novikoff --threads 2"
VW, SKLEARN, RIVER = "vw", "scikit-learn", "river"
BLAS = "symv + syr"
XGBOOST, XGBOOST_1, LIBLINEAR = "xgboost", "xgboost nthread=1", "liblinear-predict"


class Bench:
    """Runs contests, and keeps what the record needs: commands, files and remarks."""

    def __init__(self, rows, repeat):
        self.rows, self.repeat = rows, repeat
        self.commands, self.files, self.notes = {}, {}, {}

    def contest(self, *contestants):
        for one in contestants:
            tail = f" > {one.output}" if one.output else ""
            self.commands[shlex.join(one.command) + tail] = None
        remark("measuring " + ", ".join(one.name for one in contestants))
        return interleave(contestants, self.repeat)

    def prepare(self, *command):
        self.commands[shlex.join(command)] = None
        run(command)

    def file(self, name):
        """Notes a data file's size and hash, once."""
        if name not in self.files:
            self.files[name] = data.describe(name)
        return name

    def note(self, what, results):
        """Keeps what each contestant said of its run: rows, non-zeros, mistakes."""
        for name, result in results.items():
            if result.costs and (said := _facts(result.costs[-1].out)):
                self.notes[f"{what}, {name}: {said}"] = None


def _facts(out):
    lines = out.strip().splitlines()
    if not lines:
        return ""
    try:
        said = json.loads(lines[-1] if lines[-1].startswith("{") else out)
    except ValueError:
        return lines[-1][:200]
    said = said | said.get("data", {})
    keys = ("rows", "features", "classes", "nonzeros", "mistakes", "support", "wrong")
    return ", ".join(f"{key} {said[key]}" for key in keys if isinstance(said.get(key), int))


def train(name, file, *options, spec="perceptron"):
    model = path("novikoff.model")
    return Contestant(name, (NOVIKOFF, "train", file, "-a", spec, "-o", model, "-q", "--json", *options))


def load(threads, file, *options):
    return Contestant(
        f"novikoff --threads {threads}", (LOAD, file, "--threads", str(threads), *options)
    )


def script(name, file, *arguments):
    return Contestant(name, (PYTHON, f"bench/peers/{file}", *arguments), clocks_itself=True)


def vw(file):
    options = ("--loss_function", "hinge", "-f", path("vw.model"), "--quiet", "-b", "18")
    return script(VW, "vw_train.py", "-d", file, *options)


def training(bench):
    """File to perceptron model: text against all peers, the other kinds of numbers against vw."""
    text = bench.file(data.text(bench.rows))
    yield from _train_text(bench, text)
    kinds = {
        "signed": data.signed(text),
        "integers": data.integers(data.digits(), bench.rows),
    }
    for kind, file in kinds.items():
        yield from _train_kind(bench, kind, bench.file(file))


def _train_text(bench, text):
    sklearn = script(SKLEARN, "sklearn_run.py", "perceptron", text)
    ours = (train(OURS, text), train(OURS_1, text, "--threads", "1"))
    results = bench.contest(*ours, vw(data.vw(text)), sklearn)
    bench.note("text", results)
    what = "1 file to model, text"
    for peer, target in ((VW, 4), (SKLEARN, 20)):
        for name in (OURS, OURS_1):
            yield _against(what, "CPU s", results, name, peer, Target(target))
    yield _against(what, "wall s", results, OURS, VW, Target(5))
    # alone, so that what other programs leave in the caches falls on neither
    results = bench.contest(*ours)
    yield _against(what, "wall s", results, OURS, OURS_1, Target(1.6))


def _train_kind(bench, kind, file):
    results = bench.contest(train(OURS, file), train(OURS_1, file, "--threads", "1"), vw(data.vw(file)))
    bench.note(kind, results)
    for name in (OURS, OURS_1):
        yield _against(f"1 file to model, {kind}", "CPU s", results, name, VW, Target(4))


def _against(what, quantity, results, ours, peer, target=None):
    key = {"CPU s": "cpu", "wall s": "wall", "peak MB": "rss"}[quantity]
    return compare(what, quantity, side(ours, results, key), side(peer, results, key), target)


def loading(bench):
    """svmlight to rows in memory, for three kinds of numbers."""
    text = data.text(bench.rows)
    kinds = {
        "text": text,
        "signed": data.signed(text),
        "integers": data.integers(data.digits(), bench.rows),
    }
    for kind, file in kinds.items():
        yield from _load_kind(bench, kind, bench.file(file))


def _load_kind(bench, kind, file):
    results = bench.contest(
        load(1, file),
        load(2, file),
        script(XGBOOST_1, "xgboost_load.py", file, "1"),
        script(XGBOOST, "xgboost_load.py", file),
        script(SKLEARN, "sklearn_run.py", "load", file),
    )
    bench.note(f"load {kind}", results)
    pairs = (
        (OURS_1, XGBOOST_1, 4),
        (OURS_1, XGBOOST, 4),
        (OURS_2, XGBOOST, 4),
        (OURS_1, SKLEARN, 25),
        (OURS_2, SKLEARN, 25),
    )
    for ours, peer, target in pairs:
        yield _against(f"2 svmlight to memory, {kind}", "CPU s", results, ours, peer, Target(target))


def memory(bench):
    """Peak memory of a streaming pass, on the text file and on one four times its size."""
    for times in (1, 4):
        text = bench.file(data.text(times * bench.rows))
        contestants = [train(OURS, text), train(OURS_1, text, "--threads", "1")]
        if times == 1:
            contestants.append(vw(data.vw(text)))
        results = bench.contest(*contestants)
        what = f"3 peak memory, text x{times}"
        model = ROOT / path("novikoff.model")
        size = model.stat().st_size if model.is_file() else 0
        limit = Side(f"10 MB + model {size / 1e6:.1f} MB", [MEMORY + size] * bench.repeat)
        for name in (OURS, OURS_1):
            yield compare(what, "peak MB", side(name, results, "rss"), limit, Target(1))
        if times == 1:
            yield _against(what, "peak MB", results, OURS, VW)


def prediction(bench):
    """Batch prediction from a text file, with models trained on its first rows."""
    text = bench.file(data.text(bench.rows))
    first = data.head(text, min(SUBSET, bench.rows))
    ours, theirs = path("predict.model"), path("liblinear.model")
    for model in (ours, theirs):
        (ROOT / model).unlink(missing_ok=True)
    _try(bench, NOVIKOFF, "train", first, "-a", "perceptron", "-o", ours, "-q")
    _try(bench, "liblinear-train", "-q", "-s", "3", "-e", "0.1", first, theirs)
    results = bench.contest(
        Contestant(OURS, (NOVIKOFF, "predict", ours, text), output=path("novikoff.out")),
        Contestant(LIBLINEAR, ("liblinear-predict", text, theirs, path("liblinear.out"))),
    )
    what = "4 predict from text"
    yield _against(what, "CPU s", results, OURS, LIBLINEAR, Target(6))
    yield _against(what, "wall s", results, OURS, LIBLINEAR)


def _try(bench, *command):
    try:
        bench.prepare(*command)
    except (Failed, OSError, subprocess.SubprocessError) as reason:
        remark(f"{shlex.join(command)}: {reason}")


def classes(bench):
    """Ten one-vs-rest classes against one class, in one pass and in five epochs in memory."""
    ten = bench.file(data.ten_classes(data.text(bench.rows)))
    one = bench.file(data.one_class(ten))
    for what, options in (("one pass", ()), ("5 epochs", ("--epochs", "5", "--shuffle", "1"))):
        results = bench.contest(train("1 class", one, *options), train("10 classes", ten, *options))
        bench.note(f"{what} of text", results)
        yield _against(f"5 classes, {what}", "CPU s", results, "1 class", "10 classes", Target(4, below=True))


def digits(bench):
    """One pass over the digits, ten classes; river learns rows it already holds in memory."""
    file = bench.file(data.digits())
    results = bench.contest(
        train(OURS, "digits"),
        train("novikoff FILE", file),
        script(SKLEARN, "sklearn_run.py", "perceptron", file),
        script(RIVER, "river_run.py", file),
    )
    bench.note("digits", results)
    rows = sum(1 for _ in (ROOT / file).open())
    for name, result in results.items():
        if not result.reason:
            bench.notes[f"digits, {name}: {rows / max(result.median('cpu'), 1e-9):,.0f} rows/s of CPU"] = None
    for name in (OURS, "novikoff FILE"):
        for peer in (SKLEARN, RIVER):
            yield _against("6 digits, one pass", "CPU s", results, name, peer)


def vw_text(bench):
    """vw's own text format to a model, one pass, no caches."""
    file = bench.file(data.vw(data.text(bench.rows)))
    results = bench.contest(train(OURS, file), train(OURS_1, file, "--threads", "1"), vw(file))
    bench.note("vw text", results)
    yield _against("7 vw text to model", "wall s", results, OURS, VW, Target(2))
    for name in (OURS, OURS_1):
        yield _against("7 vw text to model", "CPU s", results, name, VW)


def tables(bench):
    """CSV and Parquet into rows, block by block as a run reads them, beside polars and pyarrow reading them into columns."""
    for rows, columns in ((bench.rows, 100), (5 * bench.rows, 20)):
        csv, parquet = (bench.file(name) for name in data.table(rows, columns))
        shape = f"{rows}x{columns}"
        for what, file, peer, script_name in (
            ("CSV", csv, "polars", "polars_read.py"),
            ("Parquet", parquet, "pyarrow", "pyarrow_read.py"),
        ):
            peer_reads = script(peer, script_name, file)
            results = bench.contest(load(2, file, "--stream"), load(1, file, "--stream"), peer_reads)
            bench.note(f"{what} {shape}", results)
            for quantity, name in (("wall s", OURS_2), ("CPU s", OURS_2), ("CPU s", OURS_1)):
                yield _against(f"8 {what} {shape} read", quantity, results, name, peer, Target(0.7))
            results = bench.contest(load(2, file), peer_reads)
            yield _against(f"8 {what} {shape} to memory", "wall s", results, OURS_2, peer)


def packed(bench):
    """svmlight compressed by gzip to a model, beside zcat alone."""
    file = bench.file(data.gzipped(data.text(bench.rows)))
    zcat = Contestant("zcat", ("zcat", file), output="/dev/null")
    results = bench.contest(train(OURS, file), zcat)
    bench.note("gzip", results)
    yield _against("9 gzip to model", "wall s", results, OURS, "zcat", Target(1 / 1.2))
    yield _against("9 gzip to model", "CPU s", results, OURS, "zcat")


def cached(bench):
    """Our cache to a model, beside the same pass over rows in memory (clocked in one process), and vw's cache."""
    text = bench.file(data.text(bench.rows))
    cache = text.removesuffix(".svm") + ".nvk"
    bench.prepare(NOVIKOFF, "convert", text, cache, "-q")
    bench.file(cache)
    both = "passes in turn"
    results = bench.contest(Contestant(both, (CACHE_PASS, text, "--threads", "2")))
    if reason := results[both].reason:
        raise Failed(reason)
    for word, quantity, target in (("median", "wall s", Target(1 / 1.3)), ("processor", "CPU s", None)):
        pattern = rf"{word}: memory ([0-9.]+) ms, cache ([0-9.]+) ms"
        found = [re.search(pattern, cost.out).groups() for cost in results[both].costs]
        sides = [Side(name, [float(pair[k]) / 1e3 for pair in found]) for k, name in enumerate(("rows in memory", "our cache"))]
        yield compare("10 a pass from our cache", quantity, sides[1], sides[0], target)
    vw_text = data.vw(text)
    options = ("--cache_file", path("vw.cache"), "--loss_function", "hinge", "--quiet", "-b", "18")
    _try(bench, PYTHON, "bench/peers/vw_train.py", "-d", vw_text, *options)
    theirs = script("vw --cache", "vw_train.py", "-d", vw_text, *options, "-f", path("vw.model"))
    results = bench.contest(train(OURS, cache), theirs)
    yield _against("10 cache to model", "CPU s", results, OURS, "vw --cache", Target(5))
    yield _against("10 cache to model", "wall s", results, OURS, "vw --cache")


def second_order_step(bench):
    """One mistake of the second-order perceptron at 784 features, beside BLAS, and the triangle read and written once."""
    size = ("784", "10000")
    results = bench.contest(
        Contestant(OURS, (STEP, "learn", *size), clocks_itself=True),
        script(f"{BLAS}, 1 thread", "second_order_step.py", *size, "1"),
        script(f"{BLAS}, 2 threads", "second_order_step.py", *size, "2"),
        Contestant("one sweep", (STEP, "sweep", *size), clocks_itself=True),
    )
    what = "11 second-order, 10,000 mistakes, d = 784"
    for quantity in ("CPU s", "wall s"):
        yield _against(what, quantity, results, OURS, f"{BLAS}, 1 thread", Target(1))
    yield _against(what, "wall s", results, OURS, f"{BLAS}, 2 threads")
    yield _against(what, "wall s", results, OURS, "one sweep")


def second_order_run(bench):
    """MNIST, odd against even, from its text file: the second-order perceptron beside a textbook's and the perceptron."""
    file = bench.file(data.odd_even())
    ours, textbook = "second-order", "NumPy textbook"
    results = bench.contest(
        train(ours, file, "--normalize", "2", spec=ours),
        train("perceptron", file, "--normalize", "2"),
        script(textbook, "second_order_numpy.py", file),
        script(f"{textbook}, 1 thread", "second_order_numpy.py", file, "1"),
        Contestant("sweeps", (STEP, "sweep", "784", str(_mistakes(bench, file, ours))), clocks_itself=True),
    )
    bench.note("digits-big", results)
    _note_rows(bench, "digits-big", file, results, (ours, "perceptron"))
    what = "12 digits-big to second-order model"
    for quantity in ("CPU s", "wall s"):
        for peer in (textbook, f"{textbook}, 1 thread"):
            yield _against(what, quantity, results, ours, peer, Target(10))
    sweeps = Side("its mistakes, one sweep each", [cost.wall for cost in results["sweeps"].costs])
    yield compare(what, "wall s", side(ours, results, "wall"), sweeps, Target(1 / 3))


def _mistakes(bench, file, spec):
    command = train(spec, file, "--normalize", "2", spec=spec).command
    return json.loads(run(command).out)["mistakes"]


def _note_rows(bench, what, file, results, names):
    rows = sum(1 for _ in (ROOT / file).open())
    for name in names:
        if not results[name].reason:
            seconds = results[name].median("wall")
            bench.notes[f"{what}, {name}: {rows / seconds:,.0f} rows/s from the file, wall"] = None


def second_order_text(bench):
    """Past d^2 on sparse text: the dual form within a memory limit, the sketch and the diagonal, beside the perceptron."""
    text = bench.file(data.text(bench.rows))
    specs = ("perceptron", "second-order:form=diagonal", "second-order:form=sketch,rank=16")
    results = bench.contest(*(train(spec, text, spec=spec) for spec in specs))
    bench.note("text", results)
    _note_rows(bench, "text", text, results, specs)
    for spec in specs[1:]:
        yield _against("13 text to model", "wall s", results, spec, "perceptron")
    # the dual form learns until its factor does not fit; the rows it has learned by then are saved
    dual = train("dual", text, "--max-memory", "256", "--checkpoint", "1000", spec="second-order:form=dual")
    begun = time.perf_counter()
    done = subprocess.run(dual.command, cwd=ROOT, capture_output=True, text=True, timeout=3600)
    seconds = time.perf_counter() - begun
    bench.commands[shlex.join(dual.command)] = None
    bench.notes[f"text, second-order:form=dual --max-memory 256: {seconds:.0f} s, {_last(done)}"] = None


    _approximations(bench)


def _approximations(bench):
    """How far the approximations are from the exact form after one pass over the same rows."""
    file = bench.file(data.odd_even())
    scores, exact = {}, "second-order"
    for spec in (exact, *(f"{exact}:form=sketch,rank={m}" for m in (4, 16, 64)), f"{exact}:form=diagonal", "perceptron"):
        model = path("approximation.model")
        done = run((NOVIKOFF, "train", file, "-a", spec, "--normalize", "2", "-o", model, "-q", "--json"))
        reported = run((NOVIKOFF, "predict", model, file, "--margins", "-q")).out
        scores[spec] = [float(line) for line in reported.split()]
        pairs = list(zip(scores[exact], scores[spec]))
        sums = [sum(a * b for a, b in pairs), sum(a * a for a, _ in pairs), sum(b * b for _, b in pairs)]
        cosine = sums[0] / (sums[1] * sums[2]) ** 0.5
        signs = sum((a >= 0) == (b >= 0) for a, b in pairs) / len(pairs)
        mistakes = json.loads(done.out)["mistakes"]
        bench.notes[
            f"digits-big, {spec}: {mistakes} mistakes; final scores against the exact form's: cosine {cosine:.4f}, same sign {signs:.2%}"
        ] = None


def _last(done):
    return (_facts(done.stdout) or (done.stderr.strip().splitlines() or [""])[-1])[:300]


def kernel_values(bench):
    """Kernel values of MNIST rows, 512 with 10,000, beside one matrix product of that shape."""
    file = bench.file(data.mnist("train"))
    known, rows, times = "10000", "512", "4"
    for threads in ("1", "2"):
        ours = f"novikoff --threads {threads}"
        options = ("--threads", threads, "--times", times)
        contestants = [
            Contestant(ours, (KERNEL_VALUES, file, "poly:degree=4", known, rows, *options), clocks_itself=True),
            *(script(f"GEMM {kind}", "gemm.py", kind, "784", known, rows, threads, times) for kind in ("f8", "f4")),
        ]
        results = bench.contest(*contestants)
        bench.note(f"kernel values, {threads} threads", results)
        what = f"14 {int(known) * int(rows) * int(times):,} kernel values, poly"
        yield _against(what, "wall s", results, ours, "GEMM f8", Target(0.6))
        yield _against(what, "wall s", results, ours, "GEMM f4")


def kernel_machines(bench):
    """Learners on 10,000 rows of MNIST, poly kernel of degree 4, beside the fit of SVC(kernel="poly", degree=4); test errors of all."""
    first = bench.file(data.head(data.mnist("train"), 10_000))
    test = bench.file(data.mnist("test"))
    options = ("--kernel", "poly:degree=4,coef0=0", "--normalize", "2")
    epochs = {"romma:aggressive": ("4", "12"), "perceptron:margin=1": ("6",)}
    ours = [
        train(f"{spec}, {n} epochs", first, *options, "--epochs", n, spec=spec) for spec in epochs for n in epochs[spec]
    ]
    peers = [script(f"SVC {kind}", "svc.py", kind, "fit", first, test, "10000") for kind in ("plain", "intelex")]
    results = bench.contest(*ours, *peers)
    bench.note("MNIST 10k", results)
    for one in ours:
        reported = json.loads(run((*one.command, "--test", test)).out)["test"]
        bench.notes[f"MNIST 10k, {one.name}: {reported['errors']} of {reported['rows']} test rows wrong"] = None
    for one in ours:
        for peer in peers:
            target = Target(2) if peer.name == "SVC plain" else None
            yield _against("15 MNIST 10k to kernel machine", "CPU s", results, one.name, peer.name, target)
    yield from _kernel_prediction(bench, first, test)


def _kernel_prediction(bench, first, test):
    """Rows a second and support vector; ours reads the rows and the model too."""
    model = path("novikoff.model")
    ours = Contestant("predict", (NOVIKOFF, "predict", model, test), output="/dev/null")
    peers = [script(f"SVC {kind}", "svc.py", kind, "predict", first, test, "10000") for kind in ("plain", "intelex")]
    results = bench.contest(ours, *peers)
    bench.note("MNIST 10k predict", results)
    support = {"predict": json.loads(run((NOVIKOFF, "inspect", model, "--json")).out)["support"]["rows"]}
    for peer in peers:
        support[peer.name] = json.loads(run(peer.command).out)["support"]
    bench.notes[f"support vectors: {support}"] = None
    for name, result in results.items():
        result.costs = [replace(cost, wall=1000 * cost.wall / support[name]) for cost in result.costs]
    for peer in peers:
        target = Target(3) if peer.name == "SVC intelex" else None
        what = "15 kernel prediction, 10,000 rows, a thousand support vectors"
        yield _against(what, "wall s", results, "predict", peer.name, target)


def romma_text(bench):
    """Linear ROMMA beside the perceptron on text."""
    text = bench.file(data.text(bench.rows))
    specs = ("romma", "romma:aggressive", "perceptron")
    results = bench.contest(*(train(spec, text, "--threads", "1", spec=spec) for spec in specs))
    bench.note("text", results)
    yield _against("16 text to model", "CPU s", results, "romma", "perceptron", Target(1 / 1.5))
    yield _against("16 text to model", "CPU s", results, "romma:aggressive", "perceptron")


SOLVED = 50_000  # rows of the text that is solved
LIBLINEAR_FIT = "LIBLINEAR"
GAP = "1e-3"  # relative, as the solver is asked for


def dual_fit(name, file, loss, lam, *options):
    return Contestant(name, (DUAL_FIT, file, loss, repr(lam), GAP, "--runs", "1", *options), clocks_itself=True)


def _reported(command):
    """What our solver says of one run: its JSON."""
    return json.loads(run(command).out.splitlines()[-1])


def liblinear_fit(file, solver, reported, lam):
    """LIBLINEAR at C = 1/(lambda n), to what was asked of us: our objective, or the one that is known to have a gap of 1e-3 if ours
    is lower. Its own is ours / lambda."""
    c = 1 / (lam * _rows(file))
    enough = reported["primal"] * max(1, (1 - reported["relative_gap"]) / (1 - float(GAP)))
    return script(LIBLINEAR_FIT, "liblinear_fit.py", file, str(solver), f"{c:.9g}", repr(enough / lam))


def _rows(file):
    return sum(1 for _ in (ROOT / file).open())


def _fit(bench, what, file, pairs, target):
    """Fits of rows in memory at the same objective; gives also the tolerance LIBLINEAR needed."""
    lam = 1 / _rows(file)
    for loss, solver in pairs:
        ours = dual_fit(OURS_1, file, loss, lam)
        theirs = liblinear_fit(file, solver, _reported(ours.command), lam)
        results = bench.contest(ours, theirs)
        _note_solved(bench, f"{what}, {loss}", results)
        yield _against(f"{what}, {loss} (-s {solver})", "CPU s", results, OURS_1, LIBLINEAR_FIT, target)


def _note_solved(bench, what, results):
    for name, result in results.items():
        if result.costs:
            said = json.loads(result.costs[-1].out.splitlines()[-1])
            words = ", ".join(f"{key} {value}" for key, value in said.items() if key not in ("cpu", "wall"))
            bench.notes[f"{what}, {name}: {words}"] = None


def solve_text(bench):
    """Hinge and squared hinge on text, lambda = 1/n, to a gap of 1e-3, beside LIBLINEAR at the same objective."""
    file = bench.file(data.text(SOLVED))
    pairs = (("hinge", 3), ("squared-hinge", 1))
    yield from _fit(bench, "17 fit text", file, pairs, Target(2))
    lam = 1 / SOLVED
    for loss, solver in pairs:
        command = (NOVIKOFF, "solve", file, "--loss", loss, "--lambda", repr(lam), "--json", "-q", "-o", path("novikoff.model"))
        reported = json.loads(run(command).out)
        eps = _reported(liblinear_fit(file, solver, reported, lam).command)["eps"]
        theirs = ("liblinear-train", "-q", "-s", str(solver), "-c", "1", "-e", str(eps), file, path("liblinear.model"))
        results = bench.contest(Contestant(OURS, command), Contestant("liblinear-train", theirs))
        bench.note(f"text to solution, {loss}", results)
        for quantity, target in (("CPU s", Target(6)), ("wall s", None)):
            yield _against(f"17 text to solution, {loss}", quantity, results, OURS, "liblinear-train", target)


def solve_survey(bench):
    """Rows like a9a's: squared hinge and logistic beside LIBLINEAR's Newton method."""
    file = bench.file(data.adult())
    pairs = (("squared-hinge", 2), ("logistic", 0))
    yield from _fit(bench, "18 fit adult-like", file, pairs, Target(1))


def solve_bias(bench):
    """What a free bias costs: passes, beside no bias."""
    files = {"text": data.text(SOLVED), "adult-like": data.adult()}
    for kind, file in files.items():
        bench.file(file)
        lam = 1 / _rows(file)
        for loss in ("hinge", "squared-hinge", "logistic"):
            fits = dual_fit("no bias", file, loss, lam), dual_fit("free bias", file, loss, lam, "--bias", "free")
            passes = {}
            for one in fits:
                bench.commands[shlex.join(one.command)] = None
                passes[one.name] = [_reported(one.command)["passes"]]
            sides = [Side(name, values) for name, values in passes.items()]
            yield compare(f"19 free bias, {kind}, {loss}", "passes", sides[1], sides[0], Target(0.5))


def solve_cores(bench):
    """Text on two cores and on one; the gap asked for is the same."""
    file = bench.file(data.text(bench.rows))
    lam = 1 / bench.rows
    for loss in ("hinge", "squared-hinge"):
        results = bench.contest(*(dual_fit(name, file, loss, lam, "--threads", name[-1]) for name in (OURS_2, OURS_1)))
        _note_solved(bench, f"text, {loss}", results)
        yield _against(f"20 fit text, {loss}", "wall s", results, OURS_2, OURS_1, Target(1.5))


def solve_digits(bench):
    """A Gaussian SVM on 10,000 rows of MNIST, C = 5, gamma = 0.02 on pixels from 0 to 1, beside SVC."""
    first = bench.file(data.head(data.mnist("train"), 10_000))
    test = bench.file(data.mnist("test"))
    c, gamma = 5, 0.02
    # our rows have pixels up to 255
    kernel = f"gaussian:gamma={gamma / 255**2:.10e}"
    options = ("--kernel", kernel, "--lambda", repr(1 / (c * 10_000)), "--bias", "free", "--json", "-q")
    ours = Contestant(OURS, (NOVIKOFF, "solve", first, *options))
    peers = [script(f"SVC {kind}", "svc_gaussian.py", kind, first, test, str(c), str(gamma)) for kind in ("plain", "intelex")]
    results = bench.contest(ours, *peers)
    bench.note("MNIST 10k, Gaussian", results)
    reported = json.loads(run((*ours.command, "--test", test)).out)["test"]
    bench.notes[f"MNIST 10k, Gaussian, {OURS}: {reported['errors']} of {reported['rows']} test rows wrong"] = None
    for peer in peers:
        for quantity, target in (("CPU s", Target(2)), ("wall s", None)):
            yield _against("21 Gaussian SVM, MNIST 10k", quantity, results, OURS, peer.name, target)


MEASURES = {
    "1": training,
    "2": loading,
    "3": memory,
    "4": prediction,
    "5": classes,
    "6": digits,
    "7": vw_text,
    "8": tables,
    "9": packed,
    "10": cached,
    "11": second_order_step,
    "12": second_order_run,
    "13": second_order_text,
    "14": kernel_values,
    "15": kernel_machines,
    "16": romma_text,
    "17": solve_text,
    "18": solve_survey,
    "19": solve_bias,
    "20": solve_cores,
    "21": solve_digits,
    "22": growth.categories,
    "23": growth.certificates,
    "24": growth.large,
    "25": growth.growth,
    "26": growth.gaussian,
}
LONG = {"26"}  # only if asked for


def collect(bench, chosen):
    """The rows of all measures; one that cannot even be prepared gives one row that says why."""
    rows = []
    for number in chosen:
        try:
            rows.extend(MEASURES[number](bench))
        except (Failed, OSError, ValueError, subprocess.SubprocessError) as reason:
            name = f"{number} {MEASURES[number].__name__}"
            rows.append((name, *["-"] * 8, f"not available: {reason}"))
    return rows


def arguments():
    parser = argparse.ArgumentParser(description="Measures novikoff against its peers.")
    parser.add_argument("--rows", type=int, default=200_000, help="rows of the text file (200000)")
    parser.add_argument("--repeat", type=int, default=5, help="interleaved rounds (5)")
    parser.add_argument("--record", action="store_true", help="write bench/record/<date>-<name>.md")
    parser.add_argument("--name", default="speed", help="name of the record (speed)")
    parser.add_argument("--only", default="", metavar="1,2", help=f"some of the measures 1 to {len(MEASURES)}, by number or name")
    parser.add_argument("--fresh", action="store_true", help="make the data again")
    parser.add_argument("--no-build", action="store_true", help="take the binaries that are there")
    options = parser.parse_args()
    names = {measure.__name__: number for number, measure in MEASURES.items()}
    usual = [number for number in MEASURES if number not in LONG]
    options.chosen = [names.get(one, one) for one in options.only.split(",")] if options.only else usual
    if options.rows < 1 or options.repeat < 1:
        parser.error("--rows and --repeat must be at least 1")
    if unknown := [one for one in options.chosen if one not in MEASURES]:
        parser.error(f"no measure {', '.join(unknown)}; there are 1 to {len(MEASURES)}: {', '.join(names)}")
    return options


def load_average():
    return " ".join(f"{value:.1f}" for value in os.getloadavg())


def sections(bench, loads):
    """What the record holds beside the table."""
    commands = [*map(shlex.join, tools.BUILDS), *data.GENERATED, *bench.commands]
    rounds = f"rows {bench.rows}, rounds {bench.repeat}, interleaved"
    return (
        ("Run", [f"machine: {tools.machine()}", rounds, loads]),
        ("Versions", tools.versions()),
        ("Data", bench.files.values()),
        ("What the programs said", bench.notes),
        ("Commands", [tools.usual_paths(command) for command in commands]),
    )


def main():
    options = arguments()
    data.make_folder(options.fresh)
    tools.set_up(not options.no_build)
    bench = Bench(options.rows, options.repeat)
    before = load_average()
    rows = collect(bench, options.chosen)
    text = tools.usual_paths(table(rows))
    print(text)
    if options.record:
        loads = f"load average before {before}, after {load_average()}"
        remark(f"written: {record(options.name, text, sections(bench, loads))}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
