"""One real cluster for all tests: a driver, a master, and two executors in processes of their own."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest
from pyspark.sql import SparkSession

LAMBDA = 0.2


@pytest.fixture(scope="session")
def spark():
    os.environ["PYSPARK_PYTHON"] = sys.executable
    session = (
        SparkSession.builder.master("local-cluster[2,1,1024]")
        .appName("novikoff tests")
        .config("spark.driver.bindAddress", "127.0.0.1")
        .config("spark.driver.host", "127.0.0.1")
        .config("spark.ui.enabled", "false")
        .config("spark.ui.showConsoleProgress", "false")
        .config("spark.sql.shuffle.partitions", "2")
        .config("spark.task.maxFailures", "12")
        .config("spark.deploy.maxExecutorRetries", "-1")
        .getOrCreate()
    )
    session.sparkContext.setLogLevel("OFF")
    yield session
    session.stop()


def made(rows: int, features: int, seed: int, classes: int = 2) -> tuple[np.ndarray, np.ndarray]:
    """Rows that no vector separates, and their labels."""
    random = np.random.default_rng(seed)
    x = random.normal(size=(rows, features)).astype(np.float32)
    x[random.uniform(size=x.shape) < 0.4] = 0.0
    w = random.normal(size=(features, classes))
    scores = x @ w + 1.5 * random.normal(size=(rows, classes)) + np.linspace(0.5, 0, classes)
    return x, scores.argmax(axis=1).astype(np.float64)


def frame(spark, x: np.ndarray, y: np.ndarray, **more):
    """A DataFrame with the rows as arrays."""
    columns = {"features": pa.array(x.tolist(), type=pa.list_(pa.float32())), "label": pa.array(y), **more}
    return spark.createDataFrame(pa.table(columns))


def write_svmlight(path: Path, x: np.ndarray, y: np.ndarray) -> Path:
    lines = []
    for row, label in zip(x, y):
        values = " ".join(f"{j + 1}:{value!r}" for j, value in enumerate(row.tolist()) if value)
        lines.append(f"{label:g} {values}")
    path.write_text("\n".join(lines) + "\n")
    return path


def command(*words: object) -> str:
    """What the command prints."""
    program = Path(sys.executable).parent / "novikoff"
    done = subprocess.run([program, *map(str, words)], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout


def solved_by_command(path: Path, loss: str, bias: str, gap: float, *more: object) -> list[float]:
    """The objectives of the one-machine solver, one per problem."""
    words = ["solve", path, "--loss", loss, "--lambda", LAMBDA, "--bias", bias, "--gap", gap, "--json", "-q", *more]
    report = json.loads(command(*words))
    report = report[0] if isinstance(report, list) else report
    problems = report.get("problems") or report.get("classes") or [report]
    return [problem["primal"] for problem in problems]


def executors() -> list[int]:
    """The executors of this process's cluster."""
    children: dict[int, list[int]] = {}
    words: dict[int, str] = {}
    for entry in Path("/proc").iterdir():
        if not entry.name.isdigit():
            continue
        try:
            parent = int((entry / "stat").read_text().rpartition(")")[2].split()[1])
            words[int(entry.name)] = (entry / "cmdline").read_text()
        except OSError:
            continue
        children.setdefault(parent, []).append(int(entry.name))
    found, todo = [], [os.getpid()]
    while todo:
        below = children.get(todo.pop(), [])
        todo += below
        found += [pid for pid in below if "CoarseGrainedExecutorBackend" in words[pid] and "java" in words[pid].split("\0")[0]]
    return sorted(found)


def wait_for_executors(count: int) -> None:
    """Until Spark has put others in the place of those that were killed."""
    deadline = time.monotonic() + 60
    while len(executors()) < count and time.monotonic() < deadline:
        time.sleep(0.1)


def kill_an_executor() -> bool:
    """kill -9, if there is one."""
    found = executors()
    if not found:
        return False
    try:
        os.kill(found[0], signal.SIGKILL)
    except ProcessLookupError:
        return False
    return True
