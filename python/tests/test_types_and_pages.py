"""Type stubs, and the examples of the pages."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from importlib.resources import files
from pathlib import Path

import novikoff
import pytest
from novikoff._stubs import stubs

ROOT = Path(__file__).parents[2]

USER = '''
import numpy as np
import novikoff
from novikoff import LinearSVM, Perceptron, SecondOrderPerceptron
from novikoff.river import OnlineLogisticRegression
from novikoff.river import Perceptron as OneRow

X = np.eye(4, dtype=np.float32)
y = np.array([0, 1, 0, 1])
model = SecondOrderPerceptron(a="auto", epochs=2).fit(X, y).partial_fit(X, y)
mistakes: int = model.mistakes_
labels = Perceptron(max_iter=3).fit(X, y, sample_weight=[1, 1, 2, 1]).predict(X)
shape: tuple[int, ...] = LinearSVM(C=2).fit(X, y).coef_.shape
print(novikoff.__version__, mistakes, labels, shape, model.certify(X, y).bound)
graph: bytes = model.to_onnx(ops="ml", use="final")
model.to_onnx("model.onnx")
row = OneRow(margin=0.5, class_weight={True: 2.0})
row.learn_one({"size": 1.5, "city": "Oslo"}, True, w=2.0)
chances: dict[bool, float] = OnlineLogisticRegression(bias=0.5).predict_proba_one({"size": 1.5})
wrong: int = row.mistakes
print(graph, row.predict_one({"size": 1.5}), chances, wrong)
'''

WRONG = '''
from novikoff import Perceptron
Perceptron(max_iter="many")
Perceptron(max_itre=3)
Perceptron().to_onnx(ops="all")
'''


def test_stubs_are_those_of_the_catalogue():
    folder = ROOT / "python" / "novikoff"
    for name, text in stubs().items():
        assert (folder / name).read_text() == text, f"write it again: python -m novikoff._stubs {folder}"


def strict(folder: Path, names: list[str]) -> list[str]:
    """What pyright says in strict mode, as `file:line: message`."""
    settings = {"include": names, "typeCheckingMode": "strict", "reportMissingModuleSource": "none"}
    (folder / "pyrightconfig.json").write_text(json.dumps(settings))
    words = [sys.executable, "-m", "pyright", "--outputjson", "--pythonpath", sys.executable, "-p", str(folder)]
    done = subprocess.run(words, capture_output=True, text=True)
    found = json.loads(done.stdout)["generalDiagnostics"]
    return [f"{Path(d['file']).name}:{d['range']['start']['line']}: {d['message']}" for d in found]


def test_pyright_accepts_the_stubs_in_strict_mode(tmp_path):
    package = Path(str(files("novikoff")))
    for stub in package.glob("*.pyi"):
        (tmp_path / "novikoff").mkdir(exist_ok=True)
        (tmp_path / "novikoff" / stub.name).write_text(stub.read_text())
    (tmp_path / "user.py").write_text(USER)
    assert strict(tmp_path, ["user.py", "novikoff"]) == []
    (tmp_path / "user.py").write_text(WRONG)
    assert len(strict(tmp_path, ["user.py"])) == 3


def pages() -> list[tuple[str, str]]:
    """The Python examples of the pages."""
    found = []
    for page in ("README.md", "docs/python.md", "docs/getting-started.md"):
        blocks = re.findall(r"```python\n(.*?)```", (ROOT / page).read_text(), flags=re.DOTALL)
        # those of Spark need a cluster: python/tests_spark
        blocks = [block for block in blocks if "novikoff.spark" not in block]
        found += [(f"{page}-{place}", block) for place, block in enumerate(blocks)]
    assert found
    return found


@pytest.mark.parametrize(("name", "code"), pages(), ids=lambda value: value if len(value) < 30 else "")
def test_examples_of_pages_run(name, code, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    exec(compile(code, name, "exec"), {})


def test_every_estimator_is_public():
    for name in novikoff.__all__:
        assert getattr(novikoff, name, None) is not None
    with pytest.raises(AttributeError, match="no attribute 'Percptron'"):
        novikoff.Percptron  # noqa: B018
