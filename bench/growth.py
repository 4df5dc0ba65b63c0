"""How costs grow, and what a few large things cost: measures 22 to 26 of run.py."""

import json

import data
from data import path
from measure import Contestant, run
from report import Side, Target, compare, side
from tools import NOVIKOFF, PYTHON


def train(name, file, *options, spec="perceptron", model="novikoff.model"):
    return Contestant(name, (NOVIKOFF, "train", file, "-a", spec, "-o", path(model), "-q", "--json", *options))


def predict(name, model, file):
    return Contestant(name, (NOVIKOFF, "predict", path(model), file), output="/dev/null")


def limit(bench, seconds):
    """A limit in seconds, as a side."""
    return Side(f"{seconds} s", [float(seconds)] * bench.repeat)


def categories(bench):
    """Tables of categories, thousands of sparse features: the second-order perceptron, exact, beside the perceptron."""
    specs = ("second-order", "perceptron")
    for kind in data.TABLES:
        file = bench.file(data.categories(kind))
        results = bench.contest(*(train(spec, file, "--threads", "1", spec=spec) for spec in specs))
        bench.note(f"categories, {kind}", results)
        what, ours = f"22 categories, {kind}, to model", side(specs[0], results, "cpu")
        yield compare(what, "CPU s", ours, limit(bench, 10), Target(1))
        yield compare(what, "CPU s", ours, side(specs[1], results, "cpu"))


def certificates(bench):
    """What a certificate costs beside its run: the difference of the two commands, round by round."""
    text = bench.file(data.text(bench.rows))
    kinds = {"the run": (), "quick": ("--certify", "quick"), "full": ("--certify",)}
    results = bench.contest(*(train(name, text, *options) for name, options in kinds.items()))
    alone = side("the run", results, "cpu")
    for name, target in (("quick", Target(1)), ("full", Target(1 / 3))):
        both = side(name, results, "cpu")
        more = [with_it - without for with_it, without in zip(both.values, alone.values)]
        yield compare("23 certificate, text", "CPU s", Side(f"{name} alone", more, both.reason), alone, target)


def large(bench):
    """Voted prediction, a thousand classes, a million features by name, and max-margin on 10,000 rows of ten classes."""
    text = bench.file(data.text(SOME))
    for spec in ("perceptron", "voted"):
        run(train(spec, text, spec=spec, model=f"{spec}.model").command)
    results = bench.contest(*(predict(spec, f"{spec}.model", text) for spec in ("voted", "perceptron")))
    yield compare("24 predict, text", "CPU s", *(side(spec, results, "cpu") for spec in ("voted", "perceptron")))
    files = {f"{count} classes": bench.file(data.hashed_classes(text, count)) for count in (1000, 10)}
    results = bench.contest(*(train(name, file) for name, file in files.items()))
    yield compare("24 text to model", "CPU s", *(side(name, results, "cpu") for name in files))
    named = bench.file(data.named(data.text_of(bench.rows, 1_000_000)))
    options = ("--loss_function", "hinge", "-f", path("vw.model"), "--quiet", "-b", "22")
    theirs = Contestant("vw", (PYTHON, "bench/peers/vw_train.py", "-d", named, *options), clocks_itself=True)
    results = bench.contest(train("novikoff", named), theirs)
    bench.note("a million names", results)
    for quantity, key in (("CPU s", "cpu"), ("peak MB", "rss")):
        yield compare("24 a million names to model", quantity, *(side(name, results, key) for name in ("novikoff", "vw")))
    first = bench.file(data.head(data.mnist("train"), 10_000))
    results = bench.contest(train("max-margin", first, spec="max-margin"))
    bench.note("MNIST 10k, ten classes", results)
    yield compare("24 max-margin, MNIST 10k, ten classes", "CPU s", side("max-margin", results, "cpu"), limit(bench, 10), Target(1))


SOME = 20_000  # rows of smaller files


def _curve(bench, what, points, key="cpu"):
    """A row per point: its cost beside that of the first point times the growth, which is what linear growth would cost."""
    results = bench.contest(*(contestant for _, contestant in points))
    first = side(points[0][1].name, results, key)
    for size, contestant in points[1:]:
        linear = Side(f"{points[0][1].name}, linear", [value * size / points[0][0] for value in first.values], first.reason)
        yield compare(f"25 growth, {what}", "CPU s" if key == "cpu" else "wall s", side(contestant.name, results, key), linear)


def growth(bench):
    """Curves: rows, features, classes, kept rows, threads."""
    one = ("--threads", "1")
    sizes = [bench.rows // 8, bench.rows // 4, bench.rows // 2, bench.rows]
    files = [(rows, bench.file(data.text(rows))) for rows in sizes]
    yield from _curve(bench, "rows", [(rows, train(f"{rows:,} rows", file, *one)) for rows, file in files])
    widths = [10_000, 100_000, 1_000_000]
    files = [(width, bench.file(data.text_of(SOME, width))) for width in widths]
    # the number of values is the same, so that the features should cost nothing
    yield from _curve(bench, "features", [(1, train(f"{width:,} features", file, *one)) for width, file in files])
    text = data.text(SOME)
    counts = [10, 100, 1000]
    files = [(count, bench.file(data.hashed_classes(text, count))) for count in counts]
    yield from _curve(bench, "classes", [(count, train(f"{count} classes", file, *one)) for count, file in files])
    digits = data.mnist("train")
    options = ("--kernel", "gaussian:gamma=3e-7", *one)
    files = [(rows, bench.file(data.head(digits, rows))) for rows in (2000, 4000, 8000)]
    # every kept row is compared with all rows after it, so that the square of the rows is what it should cost
    yield from _curve(bench, "kept rows, squared", [(rows**2, train(f"{rows:,} rows, kernel", file, *options)) for rows, file in files])
    threads = [train(f"--threads {n}", data.text(bench.rows), "--threads", str(n)) for n in (1, 2)]
    yield from _curve(bench, "threads", [(1, one) for one in threads], "wall")


def gaussian(bench):
    """A Gaussian SVM on all 60,000 rows of MNIST beside SVC: takes many minutes."""
    train_rows, test = bench.file(data.mnist("train")), bench.file(data.mnist("test"))
    c, gamma = 5, 0.02
    kernel = f"gaussian:gamma={gamma / 255**2:.10e}"
    options = ("--kernel", kernel, "--lambda", repr(1 / (c * 60_000)), "--bias", "free", "--json", "-q")
    ours = Contestant("novikoff", (NOVIKOFF, "solve", train_rows, *options))
    theirs = (PYTHON, "bench/peers/svc_gaussian.py", "plain", train_rows, test, str(c), str(gamma))
    results = bench.contest(ours, Contestant("SVC plain", theirs, clocks_itself=True))
    bench.note("MNIST 60k, Gaussian", results)
    reported = json.loads(run((*ours.command, "--test", test)).out)["test"]
    bench.notes[f"MNIST 60k, Gaussian, novikoff: {reported['errors']} of {reported['rows']} test rows wrong"] = None
    for quantity, key, target in (("CPU s", "cpu", Target(3)), ("peak MB", "rss", None)):
        sides = (side(name, results, key) for name in ("novikoff", "SVC plain"))
        yield compare("26 Gaussian SVM, MNIST 60k", quantity, *sides, target)
