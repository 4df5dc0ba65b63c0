"""The commands of docs/tables.md, docs/text.md and docs/decisions.md, run as they stand there; the first two beside the scikit-learn pipelines written below them."""

import json
import os
import pathlib
import re
import shlex
import subprocess
import sys

import pytest

ROOT = pathlib.Path(__file__).parents[2]


def blocks(page, language):
    """The code blocks of a page."""
    return re.findall(rf"```{language}\n(.*?)```", (ROOT / "docs" / page).read_text(), flags=re.DOTALL)


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """A folder with the data of the pages."""
    folder = tmp_path_factory.mktemp("walkthrough")
    subprocess.run([sys.executable, ROOT / "docs/examples/make_data.py", folder], check=True)
    return folder


def novikoff(folder, line):
    words = shlex.split(line)
    assert words[0] == "novikoff"
    done = subprocess.run([os.environ["NOVIKOFF"], *words[1:]], cwd=folder, capture_output=True, text=True, timeout=100, check=False)
    assert done.returncode == 0, (line, done.stderr)
    return done


def walk(folder, page):
    """Runs all commands of a page in their order; their outputs, and the JSON of `evaluate`."""
    lines = [line for block in blocks(page, "sh") for line in block.splitlines() if line.startswith("novikoff")]
    assert 4 < len(lines) < 10, "a walk-through has under ten commands"
    outputs, evaluated = {}, None
    for line in lines:
        outputs[line] = novikoff(folder, line)
        if " evaluate " in line:
            evaluated = json.loads(novikoff(folder, line + " --json").stdout)
    return lines, outputs, evaluated


def pipeline(folder, page, monkeypatch):
    """What the pipeline of a page computes."""
    (source,) = blocks(page, "python")
    monkeypatch.chdir(folder)
    names = {}
    exec(compile(source, page, "exec"), names)
    return names


def test_a_table(folder, monkeypatch):
    lines, outputs, ours = walk(folder, "tables.md")
    said = outputs[lines[0]].stderr
    for remark in ["customer_id is left out", "use --standardize", "no better than", "use --bias 1", "less than a year: last_contact"]:
        assert remark in said, said
    assert "use --" not in outputs[lines[1]].stderr
    theirs = pipeline(folder, "tables.md", monkeypatch)
    assert ours["error"] <= theirs["error"] + 0.005
    assert ours["auc"] >= theirs["auc"] - 0.005
    predicted = [line for line in lines if " predict " in line]
    assert len(outputs[predicted[0]].stdout.splitlines()) == 6000


def test_a_folder_of_texts(folder, monkeypatch):
    lines, outputs, ours = walk(folder, "text.md")
    said = outputs[lines[0]].stderr
    for remark in ["subject is left out", "body is left out", "use --text body"]:
        assert remark in said, said
    theirs = pipeline(folder, "text.md", monkeypatch)
    assert ours["error"] <= theirs["error"] + 0.005
    (weights,) = [line for line in lines if " inspect " in line]
    assert "body^" in outputs[weights].stdout


def test_decisions_every_night(folder):
    """The blocks of docs/decisions.md as a shell runs them; the last night's probabilities are as good as the first's."""
    subprocess.run([sys.executable, ROOT / "docs/examples/make_nights.py", folder], check=True)
    sources = [block for block in blocks("decisions.md", "sh") if "novikoff" in block]
    lines = [line for block in sources for line in block.splitlines() if "novikoff " in line]
    assert 4 < len(lines) < 10, "a walk-through has under ten commands"

    def shell(source):
        source = 'set -e\nnovikoff() { "$NOVIKOFF" "$@"; }\n' + source
        done = subprocess.run(["bash", "-c", source], cwd=folder, capture_output=True, text=True, timeout=300, check=False)
        assert done.returncode == 0, (source, done.stderr)
        return done.stdout

    def evaluated():
        return json.loads(novikoff(folder, "novikoff evaluate churn.model later.csv --json -q").stdout)

    first, nights, decision = sources
    shell(first)
    before = evaluated()
    shell(nights)
    after = evaluated()
    # 6,000 rows: the standard deviation of a mean of squared distances is about 0.003
    assert after["log_loss"] < before["log_loss"] + 0.005
    assert after["brier"] < before["brier"] + 0.003
    assert after["reliability"]["calibration_error"] < 0.02
    answers = [line.split("\t") for line in shell(decision).splitlines()]
    assert answers[0] == ["customer_id", "label", "probability:no", "probability:yes"]
    assert len(answers) == 501
    for customer, label, _, chance in answers[1:]:
        assert customer.startswith("C-")
        assert label == ("yes" if float(chance) >= 10 / 70 else "no")
