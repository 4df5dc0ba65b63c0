"""What `export` writes, run by onnxruntime on random rows, beside what `predict` prints."""

import json
import os
import subprocess

import numpy as np
import onnx
import onnxruntime
import pytest

ROWS = 1000


def write(file, x, labels):
    lines = []
    for row, label in zip(x, labels):
        features = " ".join(f"{j + 1}:{value:.9g}" for j, value in enumerate(row) if value != 0)
        lines.append(f"{label} {features}\n")
    file.write_text("".join(lines))


def run(folder, *words):
    command = [os.environ["NOVIKOFF"], *map(str, words)]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=100, check=False)
    assert done.returncode == 0, (command, done.stderr)
    return done.stdout


def numbers(text):
    return np.array([[float(cell) for cell in line.split("\t")] for line in text.splitlines()])


class Task:
    """Rows of 12 features, some of them 0, with labels of one kind, in files."""

    def __init__(self, folder, rng, kind, features=12, positive=False):
        self.folder, self.features = folder, features
        self.x = rng.normal(size=(1400, features)) * (rng.random((1400, features)) < 0.7)
        self.x[:, 0] = 30 + 5 * self.x[:, 0]
        if positive:
            self.x = np.abs(self.x)
        self.x = self.x.astype(np.float32).astype(np.float64)
        scores = (self.x - self.x.mean(axis=0)) @ rng.normal(size=(features, 4)) + rng.gumbel(size=(1400, 4))
        self.labels = {
            "binary": np.where(scores[:, 0] > scores[:, 1], "+1", "-1"),
            "several": np.array(["red", "green", "blue", "grey"])[scores.argmax(axis=1)],
            "numbers": np.array(["3", "-7", "11", "20"])[scores.argmax(axis=1)],
            "many": np.array([",".join(str(k) for k in range(4) if row[k] > 0) or "0" for row in scores]),
            "regression": np.array([f"{score:.4f}" for score in scores[:, 0]]),
        }[kind]
        # there are zero rows among the new ones
        self.new = rng.normal(size=(ROWS, features)) * 3
        self.new[:, 0] += 30
        self.new[:3] = 0
        if positive:
            self.new = np.abs(self.new)
        self.new = self.new.astype(np.float32).astype(np.float64)
        write(folder / "train.svm", self.x[:900], self.labels[:900])
        write(folder / "held.svm", self.x[900:], self.labels[900:])
        write(folder / "new.svm", self.new, ["?"] * ROWS)

    def compare(self, *words, relative, model="model", by=()):
        """Exports the model, runs it, and compares all that it gives out."""
        run(self.folder, "export", model, "-o", "model.onnx", "-q", *words, *by)
        file = str(self.folder / "model.onnx")
        onnx.checker.check_model(file, full_check=True)
        session = onnxruntime.InferenceSession(file, providers=["CPUExecutionProvider"])
        (given,) = session.get_inputs()
        assert (given.name, given.shape) == ("features", ["rows", self.features])
        kind = np.float32 if "float32" in words else np.float64
        assert given.type == ("tensor(float)" if kind is np.float32 else "tensor(double)")
        names = [output.name for output in session.get_outputs()]
        got = dict(zip(names, session.run(None, {"features": self.new.astype(kind)})))
        for output in session.get_outputs():
            assert output.shape[1:] == list(got[output.name].shape[1:]), output.name
        ask = lambda *words: run(self.folder, "predict", model, "new.svm", "-q", "--lenient", *words, *by)
        margins = numbers(ask("--margins"))
        size = np.abs(margins).max()
        out = got["value"] if "value" in got else got["margins"]
        assert out.shape == margins.shape
        assert np.allclose(out, margins, rtol=relative, atol=relative * size), np.abs(out - margins).max() / size
        if "value" in got:
            return names
        metadata = session.get_modelmeta().custom_metadata_map
        labels = ask().splitlines()
        close = np.sort(np.abs(margins), axis=1)[:, 0] <= 10 * relative * size
        if "several labels" in self.kind_of(labels):
            order = json.loads(metadata["labels"])
            said = [",".join(np.array(order)[row == 1]) for row in got["label"]]
        else:
            said = [str(label) for label in got["label"]]
            labels = [label.removeprefix("+") for label in labels]
        wrong = [i for i in range(ROWS) if said[i] != labels[i]]
        # float32 may decide otherwise where two classes are as good as equal
        if relative <= 1e-8:
            assert wrong == []
        else:
            top = np.sort(margins, axis=1)
            gap = top[:, -1] - top[:, -2] if margins.shape[1] > 1 else np.abs(margins[:, 0])
            assert all(close[i] or gap[i] <= 10 * relative * size for i in wrong)
        if "probabilities" in got:
            p = numbers(ask("--probabilities"))
            assert got["probabilities"].shape == p.shape
            assert np.allclose(got["probabilities"], p, atol=max(relative * 100, 1e-9))
        return names

    @staticmethod
    def kind_of(labels):
        return "several labels" if any("," in label for label in labels) else "one label"


LINEAR = [
    ("perceptron", []),
    ("averaged", ["--bias", 1]),
    ("averaged", ["--bias", 2, "--normalize", 2]),
    ("passive-aggressive", ["--standardize", "--bias", 1]),
    ("perceptron", ["--normalize", 1]),
    ("perceptron", ["--normalize", "inf", "--bias", 0.5]),
    ("p-norm:p=4", ["--normalize", 3.5, "--bias", 1, "--standardize"]),
    ("alma:p=3", ["--bias", 1]),
    ("alma", ["--bias", 1, "--normalize", 2]),
    ("second-order:a=auto", ["--bias", 1]),
    ("arow", ["--bias", 1]),
    ("logistic", ["--bias", 1]),
    ("perceptron", ["--use", "averaged", "--bias", 1]),
    ("eg", []),
    ("romma", ["--bias", 1]),
]


@pytest.mark.parametrize("kind", ["binary", "several", "many"])
@pytest.mark.parametrize("spec,words", LINEAR, ids=str)
def test_linear(tmp_path, rng, kind, spec, words):
    task = Task(tmp_path, rng, kind)
    extra = ["--multilabel"] if kind == "many" else []
    run(tmp_path, "train", "train.svm", "-a", spec, *words, *extra, "-o", "model", "-q")
    names = task.compare(relative=1e-9)
    assert names == ["label", "margins"] + (["probabilities"] if spec == "logistic" else [])


@pytest.mark.parametrize("spec", ["winnow:alpha=1.1", "normalised-winnow"])
def test_thresholds(tmp_path, rng, spec):
    task = Task(tmp_path, rng, "binary", positive=True)
    run(tmp_path, "train", "train.svm", "-a", spec, "-o", "model", "-q")
    task.compare(relative=1e-9)


KERNELS = [
    ("perceptron", "poly:degree=3,coef0=1,gamma=0.01", []),
    ("perceptron", "poly:degree=2,coef0=0,gamma=0.1,cosine", ["--bias", 1]),
    ("averaged", "gaussian:gamma=0.05", ["--bias", 1]),
    ("passive-aggressive", "gaussian:gamma=0.5,cosine", ["--bias", 0.5, "--standardize"]),
    ("perceptron", "poly:degree=3,cosine", ["--bias", 1, "--normalize", 2]),
    ("second-order:a=1", "linear:cosine", ["--bias", 1]),
    ("forgetron:budget=40", "gaussian:gamma=0.05", ["--normalize", 2, "--bias", 1]),
]


@pytest.mark.parametrize("kind", ["binary", "numbers", "many"])
@pytest.mark.parametrize("spec,kernel,words", KERNELS, ids=str)
def test_kernels(tmp_path, rng, kind, spec, kernel, words):
    task = Task(tmp_path, rng, kind)
    extra = ["--multilabel"] if kind == "many" else []
    run(tmp_path, "train", "train.svm", "-a", spec, "--kernel", kernel, *words, *extra, "-o", "model", "-q")
    task.compare(relative=1e-9)


@pytest.mark.parametrize("chosen", ["final", "averaged"])
@pytest.mark.parametrize("spec", ["averaged", "voted"])
@pytest.mark.parametrize("kernel", ["linear", "gaussian:gamma=0.05"])
def test_predictors(tmp_path, rng, spec, kernel, chosen):
    task = Task(tmp_path, rng, "several")
    run(tmp_path, "train", "train.svm", "-a", spec, "--kernel", kernel, "-o", "model", "-q")
    task.compare(relative=1e-9, by=["--use", chosen])


MAJORITIES = [
    "auto",
    "auto(perceptron; perceptron)",
    "auto(averaged@bias=2; alma@normalize=2; logistic@bias=off; passive-aggressive:c=0.01@normalize=1,bias=0.5):beta=0.5,share=0.1",
]


@pytest.mark.parametrize("kind", ["binary", "several", "many"])
@pytest.mark.parametrize("spec", MAJORITIES)
def test_majorities(tmp_path, rng, kind, spec):
    task = Task(tmp_path, rng, kind)
    extra = ["--multilabel"] if kind == "many" else []
    run(tmp_path, "train", "train.svm", "-a", spec, "--bias", 1, *extra, "-o", "model", "-q")
    task.compare(relative=1e-9)
    task.compare(relative=1e-9, by=["--use", "best"])


# Features of maps are rounded to float32, so a last bit of float64 can become one of float32.
@pytest.mark.parametrize("mapped", ["rff:dim=64,gamma=0.02", "nystroem:dim=50,gamma=0.02"])
@pytest.mark.parametrize("words", [["--bias", 1], ["--standardize", "--normalize", 2]], ids=str)
def test_maps(tmp_path, rng, mapped, words):
    task = Task(tmp_path, rng, "several")
    run(tmp_path, "train", "train.svm", "-a", "averaged", "--map", mapped, *words, "-o", "model", "-q")
    task.compare(relative=1e-8)


@pytest.mark.parametrize("kind", ["binary", "several", "many"])
@pytest.mark.parametrize("method", ["platt", "isotonic"])
def test_calibrated(tmp_path, rng, kind, method):
    task = Task(tmp_path, rng, kind)
    extra = ["--multilabel"] if kind == "many" else []
    run(tmp_path, "train", "train.svm", "-a", "averaged", "--bias", 1, *extra, "-o", "margins", "-q")
    run(tmp_path, "calibrate", "margins", "held.svm", "--method", method, "-o", "model", "-q")
    assert task.compare(relative=1e-9) == ["label", "margins", "probabilities"]


def test_solutions(tmp_path, rng):
    task = Task(tmp_path, rng, "several")
    run(tmp_path, "solve", "train.svm", "--loss", "logistic", "--lambda", 0.01, "--bias", "free", "-o", "model", "-q")
    assert task.compare(relative=1e-9) == ["label", "margins", "probabilities"]
    kernel = ["--kernel", "gaussian:gamma=0.02", "--bias", "free"]
    run(tmp_path, "solve", "train.svm", "--lambda", 0.01, *kernel, "-o", "svm", "-q")
    task.compare(relative=1e-9, model="svm")


def test_regression(tmp_path, rng):
    task = Task(tmp_path, rng, "regression")
    run(tmp_path, "solve", "train.svm", "--loss", "squared", "--lambda", 0.01, "--bias", "free", "-o", "model", "-q")
    assert task.compare(relative=1e-9) == ["value"]


def test_float32_input(tmp_path, rng):
    task = Task(tmp_path, rng, "several")
    run(tmp_path, "train", "train.svm", "-a", "averaged", "--bias", 1, "--standardize", "-o", "model", "-q")
    task.compare("--input", "float32", relative=1e-9)


# The attributes of ai.onnx.ml are float32, and so is what its operators compute.
@pytest.mark.parametrize("given", ["float64", "float32"])
@pytest.mark.parametrize(
    "words,relative",
    [
        (["-a", "averaged", "--bias", 1], 2e-6),
        (["-a", "averaged", "--bias", 1, "--normalize", 2, "--standardize"], 2e-6),
        (["-a", "averaged", "--map", "rff:dim=64,gamma=0.02"], 1e-5),
        (["-a", "perceptron", "--kernel", "gaussian:gamma=0.05", "--bias", 1], 1e-5),
        (["-a", "perceptron", "--kernel", "poly:degree=2,gamma=0.01", "--bias", 1], 5e-5),
        (["-a", "perceptron", "--kernel", "poly:degree=2,cosine", "--bias", 1, "--normalize", 2], 5e-5),
        (["-a", "perceptron", "--kernel", "linear:cosine"], 5e-5),
    ],
    ids=str,
)
@pytest.mark.parametrize("kind", ["binary", "several"])
def test_ml(tmp_path, rng, kind, words, relative, given):
    task = Task(tmp_path, rng, kind)
    run(tmp_path, "train", "train.svm", *words, "-o", "model", "-q")
    task.compare("--ops", "ml", "--input", given, relative=relative)
    used = {node.domain for node in onnx.load(tmp_path / "model.onnx").graph.node}
    assert used == {"", "ai.onnx.ml"}


def test_names_of_a_table(tmp_path):
    rows = [f"{3.5 + i % 7},{'red' if i % 3 else 'blue'},{'yes' if i % 7 > 3 else 'no'}" for i in range(60)]
    (tmp_path / "table.csv").write_text("\n".join(["size,colour,sold", *rows]))
    run(tmp_path, "train", "table.csv", "--label", "sold", "-a", "averaged", "--bias", 1, "-o", "model", "-q")
    run(tmp_path, "export", "model", "-o", "model.onnx", "-q")
    session = onnxruntime.InferenceSession(str(tmp_path / "model.onnx"), providers=["CPUExecutionProvider"])
    metadata = session.get_modelmeta().custom_metadata_map
    names = json.loads(metadata["feature_names"])
    assert sorted(names) == ["colour=blue", "colour=red", "size"]
    assert json.loads(metadata["labels"]) == ["no", "yes"]
    given = np.zeros((60, 3))
    for i in range(60):
        given[i, names.index("size")] = 3.5 + i % 7
        given[i, names.index("colour=red" if i % 3 else "colour=blue")] = 1
    (label,) = session.run(["label"], {"features": given})
    assert list(label) == run(tmp_path, "predict", "model", "table.csv", "-q").splitlines()
