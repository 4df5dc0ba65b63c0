"""Makes the data: one generated text file, and what is derived from it."""

import gzip
import hashlib
import math
import random
import shlex
import shutil

from measure import ROOT, Failed, run
from tools import NOVIKOFF, PYTHON, remark

DATA = "bench/.data"
GENERATED = {}  # the commands that made the data, in order


def path(name):
    """A data file's path, from the repository's root."""
    return f"{DATA}/{name}"


def make_folder(fresh):
    """Makes the folder of the data; a fresh one forgets the files of earlier runs."""
    if fresh:
        shutil.rmtree(ROOT / DATA, ignore_errors=True)
    (ROOT / DATA).mkdir(exist_ok=True)


def _derive(source, target, change):
    """Writes `change(number, line)` for each line of a file; an existing, newer target is kept."""
    source, target = ROOT / source, ROOT / target
    if target.is_file() and target.stat().st_mtime >= source.stat().st_mtime:
        return
    remark(f"making {target.relative_to(ROOT)}")
    partial = target.with_suffix(".partial")
    with source.open() as lines, partial.open("w") as out:
        out.writelines(change(number, line) for number, line in enumerate(lines))
    partial.replace(target)


def _generate(spec, target):
    command = (NOVIKOFF, "generate", spec, "-o", target)
    if not (ROOT / target).is_file():
        remark(f"making {target}")
        try:
            run(command)
        except BaseException:
            (ROOT / target).unlink(missing_ok=True)
            raise
    GENERATED[shlex.join(command)] = None


def text(rows):
    target = path(f"text-{rows}.svm")
    _generate(f"text:rows={rows},seed=1", target)
    return target


def text_of(rows, features):
    """Text of other numbers of features."""
    target = path(f"text-{rows}-of-{features}.svm")
    _generate(f"text:rows={rows},features={features},seed=1", target)
    return target


def named(source):
    """vw's format with names that are no numbers: `w12:0.5`."""

    def change(_, line):
        label, *features = line.split()
        return f"{label.lstrip('+')} | {' '.join('w' + feature for feature in features)}\n"

    target = source.removesuffix(".svm") + "-named.vw"
    _derive(source, target, change)
    return target


def vw(source):
    """`1 12:0.5` as `1 |f 12:0.5`."""

    def change(_, line):
        label, features = line.split(" ", 1)
        return f"{label.lstrip('+')} |f {features}"

    target = source.removesuffix(".svm") + ".vw"
    _derive(source, target, change)
    return target


def _signed_value(position, value):
    """The same number with long decimals or an exponent, and every other one negative."""
    number = float(value) * (1.0123456789 if position % 2 else -1.0123456789)
    if position % 8 < 2:
        return f"{number:.1e}".replace("e-0", "e-")
    return f"{number:.11f}"


def signed(source):
    def change(_, line):
        label, *features = line.split()
        pairs = (feature.split(":") for feature in features)
        changed = (f"{index}:{_signed_value(n, value)}" for n, (index, value) in enumerate(pairs))
        return f"{label} {' '.join(changed)}\n"

    target = source.replace("text-", "signed-")
    _derive(source, target, change)
    return target


def _class_of(features, count=10):
    """One of some classes, which a linear rule can tell: each feature votes for one class with its value."""
    votes = [0.0] * count
    for feature in features:
        index, value = feature.split(":")
        votes[(int(index) * 2654435761 >> 8) % count] += float(value)
    return votes.index(max(votes))


def hashed_classes(source, count):
    """Text with this number of classes."""

    def change(_, line):
        _, *features = line.split()
        return f"{_class_of(features, count)} {' '.join(features)}\n"

    target = source.replace("text-", f"classes-{count}-")
    _derive(source, target, change)
    return target


def ten_classes(source):
    def change(_, line):
        _, *features = line.split()
        return f"{_class_of(features)} {' '.join(features)}\n"

    target = source.replace("text-", "ten-")
    _derive(source, target, change)
    return target


def one_class(ten):
    """Class 0 of the ten against the rest."""

    def change(_, line):
        label, features = line.split(" ", 1)
        return f"{'+1' if label == '0' else '-1'} {features}"

    target = ten.replace("ten-", "one-")
    _derive(ten, target, change)
    return target


def table(rows, columns):
    """The same random table as CSV and as Parquet."""
    targets = path(f"table-{rows}x{columns}.csv"), path(f"table-{rows}x{columns}.parquet")
    command = (PYTHON, "bench/peers/make_table.py", str(rows), str(columns), *targets)
    if not all((ROOT / target).is_file() for target in targets):
        remark(f"making {targets[0]}")
        run(command)
    GENERATED[shlex.join(command)] = None
    return targets


def gzipped(source):
    """The file, compressed by gzip."""
    target = f"{source}.gz"
    if not (ROOT / target).is_file():
        remark(f"making {target}")
        with (ROOT / source).open("rb") as plain, gzip.open(ROOT / target, "wb", 6) as packed:
            shutil.copyfileobj(plain, packed, 1 << 20)
    return target


def digits():
    """The digits as svmlight: ours, or scikit-learn's copy of the same set."""
    target = path("digits.svm")
    try:
        _generate("digits", target)
        return target
    except Failed as reason:
        remark(f"generate digits: {reason}; scikit-learn's copy is taken")
    target = path("digits-sklearn.svm")
    command = (PYTHON, "bench/peers/sklearn_run.py", "digits", target)
    run(command)
    GENERATED[shlex.join(command)] = None
    return target


def mnist(part):
    """MNIST's rows, `train` or `test`; it is not ours to give."""
    packed = ROOT.parent / f"shared/data/mnist/{part}.svm.gz"
    if not packed.is_file():
        raise Failed("no MNIST in ../shared/data/mnist")
    target = path(f"mnist-{part}.svm")
    if not (ROOT / target).is_file():
        remark(f"making {target}")
        with gzip.open(packed, "rb") as plain, (ROOT / target).open("wb") as out:
            shutil.copyfileobj(plain, out, 1 << 20)
    return target


# how many values each question of a survey has; 123 in all, as in LIBSVM's a9a
ANSWERS = (5, 8, 5, 16, 5, 7, 14, 6, 5, 2, 2, 2, 5, 41)


def adult(rows=32_561):
    """Rows like a9a's: 14 questions, one answer each of 123; few answers are common, one row in four is in-class."""
    target = path(f"adult-like-{rows}.svm")
    if (ROOT / target).is_file():
        return target
    remark(f"making {target}")
    chance = random.Random(1)
    questions, first = [], 1
    for count in ANSWERS:
        common = [math.exp(-3 * k / count) for k in range(count)]
        pulls = [chance.gauss(0, 0.8) for _ in range(count)]
        questions.append((range(first, first + count), common, dict(zip(range(first, first + count), pulls))))
        first += count
    with (ROOT / target).open("w") as out:
        for _ in range(rows):
            answers, score = [], -1.5
            for features, common, pulls in questions:
                [answer] = chance.choices(features, common)
                answers.append(answer)
                score += pulls[answer]
            positive = chance.random() < 1 / (1 + math.exp(-score))
            out.write(f"{'+1' if positive else '-1'} {' '.join(f'{answer}:1' for answer in answers)}\n")
    return target


# values of each column of a table of categories; `skewed`: the last column by Pareto's law, `uniform`: with a number
TABLES = {"skewed": (5, 50, 950, 5000), "uniform": (50, 300, 700, 4954)}


def categories(kind, rows=30_000):
    """A one-hot table of four columns; labels are the sign of a weight per value with noise of deviation 2."""
    target = path(f"{kind}-{rows}.svm")
    if (ROOT / target).is_file():
        return target
    remark(f"making {target}")
    chance = random.Random(1)
    columns = TABLES[kind]
    weights = [chance.gauss(0, 1) for _ in range(sum(columns) + 2)]

    def pareto(count):
        while (value := int(chance.random() ** (-1 / 0.6))) > count:
            pass
        return value - 1

    with (ROOT / target).open("w") as out:
        for _ in range(rows):
            features, first = {}, 1
            for k, count in enumerate(columns):
                skewed = kind == "skewed" and k == 3
                features[first + (pareto(count) if skewed else chance.randrange(count))] = "1"
                first += count
            if kind == "uniform":
                features[first] = f"{chance.gauss(0, 1):.4f}"
            score = sum(weights[j] * float(value) for j, value in features.items())
            label = "+1" if score + chance.gauss(0, 2) > 0 else "-1"
            out.write(f"{label} {' '.join(f'{j}:{value}' for j, value in features.items())}\n")
    return target


def odd_even():
    """MNIST's training rows, odd against even."""

    def change(_, line):
        label, features = line.split(" ", 1)
        return f"{'+1' if int(label) % 2 else '-1'} {features}"

    source, target = mnist("train"), path("digits-big.svm")
    _derive(source, target, change)
    return target


def integers(source, rows):
    """The digits over and over, odd against even: small whole numbers on narrow rows."""
    lines = [line.split(" ", 1) for line in (ROOT / source).read_text().splitlines()]
    target = path(f"integers-{rows}.svm")
    if (ROOT / target).is_file():
        return target
    remark(f"making {target}")
    with (ROOT / target).open("w") as out:
        for number in range(rows):
            label, features = lines[number % len(lines)]
            out.write(f"{'+1' if int(float(label)) % 2 else '-1'} {features}\n")
    return target


def head(source, rows):
    """The first rows of a file."""
    target = source.removesuffix(".svm") + f"-first-{rows}.svm"
    with (ROOT / source).open() as lines, (ROOT / target).open("w") as out:
        out.writelines(line for _, line in zip(range(rows), lines))
    return target


def describe(source):
    """Size and hash of a file, in words; reading it also brings it into the page cache."""
    digest, size = hashlib.sha256(), 0
    with (ROOT / source).open("rb") as file:
        while piece := file.read(1 << 20):
            digest.update(piece)
            size += len(piece)
    return f"{source}, {size / 1e6:.1f} MB, sha256 {digest.hexdigest()}"
