"""The examples of docs/scale.md and of the README, run as they are printed: from a Parquet folder to a certified model to the service."""

from __future__ import annotations

import json
import os
import re
import shutil
import socket
import subprocess
import sys
import time
import urllib.request
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest

from conftest import command, frame, made, write_svmlight

PAGE = Path(__file__).parents[2] / "docs/scale.md"
README = Path(__file__).parents[2] / "README.md"


def blocks() -> list[tuple[str, str]]:
    """The language and the text of each block of code of the example."""
    text = PAGE.read_text(encoding="utf-8").split("## From a Parquet folder to the service")[1].split("\n## ")[0]
    return re.findall(r"```(\w+)\n(.*?)```", text, flags=re.DOTALL)


def test_the_example_of_the_readme(spark, tmp_path, monkeypatch):
    section = README.read_text(encoding="utf-8").split("\n## Spark\n")[1].split("\n## ")[0]
    (text,) = re.findall(r"```python\n(.*?)```", section, flags=re.DOTALL)
    monkeypatch.chdir(tmp_path)
    x, y = made(800, 5, seed=9)
    words: dict[str, object] = {"frame": frame(spark, x, y)}
    exec(compile(text, str(README), "exec"), words)  # noqa: S102
    model = words["model"]
    (certificate,) = model.certificates
    assert certificate["reached"]
    assert certificate["gap"] <= 1e-3 * certificate["primal"]
    # the command reads the file
    printed = command("predict", "big.model", write_svmlight(tmp_path / "rows.svm", x, y), "-q").split()
    answered = model.transform(words["frame"]).select("prediction").collect()
    assert [float(label) for label in printed] == [row.prediction for row in answered]


def write_folders(spark, folder: Path) -> None:
    """Customers who stay or leave, in three Parquet folders."""
    random = np.random.default_rng(7)
    for name, count in (("train", 600), ("later", 200), ("new", 50)):
        calls, complaints = random.poisson(2.0, count), random.poisson(0.5, count)
        plan = random.choice(["basic", "family", "business"], count)
        score = 1.5 * complaints - 0.6 * calls + (plan == "basic") + random.normal(size=count)
        table = {
            "id": pa.array(range(count)),
            "calls": pa.array(calls),
            "complaints": pa.array(complaints),
            "plan": pa.array(plan.tolist()),
            "churned": pa.array(["yes" if s > 0 else "no" for s in score]),
        }
        spark.createDataFrame(pa.table(table)).coalesce(2).write.parquet(f"file://{folder}/churn/{name}")


@pytest.fixture
def service(monkeypatch):
    """The folder of novikoff-serve on the PATH, and a port that is free."""
    program = os.environ.get("NOVIKOFF_SERVE") or shutil.which("novikoff-serve")
    assert program, "novikoff-serve is not there: cargo xtask spark builds it and says where in NOVIKOFF_SERVE"
    folders = [str(Path(sys.executable).parent), str(Path(program).parent)]
    monkeypatch.setenv("PATH", os.pathsep.join([*folders, os.environ["PATH"]]))
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        return free.getsockname()[1]


def wait_for(url: str) -> None:
    deadline = time.monotonic() + 60
    while True:
        try:
            urllib.request.urlopen(url, timeout=5).read()
            return
        except OSError:
            if time.monotonic() > deadline:
                raise
            time.sleep(0.1)


def test_the_worked_example(spark, tmp_path, monkeypatch, service):
    write_folders(spark, tmp_path)
    monkeypatch.chdir(tmp_path)
    words: dict[str, object] = {}
    code = [text.replace("hdfs:///", f"file://{tmp_path}/") for language, text in blocks() if language == "python"]
    assert len(code) == 3
    for text in code:
        exec(compile(text, str(PAGE), "exec"), words)  # noqa: S102
    model, judged = words["model"], words["judged"]
    (certificate,) = model.certificates
    assert certificate["reached"]
    assert 0 <= certificate["gap"] <= 1e-3 * certificate["primal"]
    assert judged.rows == 200
    assert judged.error < 0.35
    answered = words["answered"].toPandas()
    assert answered.columns.tolist() == ["id", "prediction", "probability"]
    assert set(answered["prediction"]) == {"no", "yes"}
    live = words["live"]
    bound = live.summary["certificate"]
    assert 0 < bound["weighted_mistakes"] <= bound["bound"]

    # the command gives the same answers as the cluster
    new = spark.read.parquet(f"file://{tmp_path}/churn/new")
    rows = new.toPandas()
    rows[["calls", "complaints", "plan"]].to_csv("new.csv", index=False)
    by_id = answered.set_index("id")["prediction"]
    assert command("predict", "churn.model", "new.csv", "-q").split() == [by_id[i] for i in rows["id"]]

    # and so does the service, which goes on from there
    (shell,) = (text for language, text in blocks() if language == "sh")
    start, upload, ask, teach = (line for line in shell.splitlines() if line)
    assert start.endswith("&")
    server = subprocess.Popen([*start.rstrip(" &").split(), "--listen", f"127.0.0.1:{service}"])
    try:
        wait_for(f"http://127.0.0.1:{service}/healthz")

        def run(line: str) -> dict:
            line = line.replace("127.0.0.1:8610", f"127.0.0.1:{service}").replace("curl ", "curl -sS --fail-with-body ")
            done = subprocess.run(line, shell=True, capture_output=True, text=True, check=False)  # noqa: S602
            assert done.returncode == 0, done.stdout + done.stderr
            return json.loads(done.stdout)

        uploaded = run(upload)
        assert sorted(uploaded["classes"]) == ["no", "yes"]
        assert run(ask)["predictions"][0]["label"] in ("no", "yes")
        features = [{"features": {"calls": int(r.calls), "complaints": int(r.complaints), "plan": r.plan}} for r in rows.itertuples()]
        request = urllib.request.Request(
            f"http://127.0.0.1:{service}/v1/models/churn/predict",
            json.dumps({"rows": features}).encode(),
            {"content-type": "application/json"},
        )
        served = json.load(urllib.request.urlopen(request, timeout=60))
        assert served["unknown"] == 0
        lived = live.transform(new).toPandas().set_index("id")
        assert [one["label"] for one in served["predictions"]] == [lived["prediction"][i] for i in rows["id"]]
        margins = [lived["rawPrediction"][i][1] for i in rows["id"]]
        assert np.allclose([one["margin"] for one in served["predictions"]], margins, rtol=1e-9, atol=1e-12)
        assert run(teach)["seq"] == 1
    finally:
        server.terminate()
        server.wait(timeout=60)
