"""`novikoff.spark` beside MLlib, on a cluster of processes of this machine. Each mode prints a table.

    python bench/spark.py compare FILE [--loss hinge] [--lambda 1e-4]      # CPU of the executors at the same objective
    python bench/spark.py parts FILE [--loss hinge]                        # CPU of packing, of rounds and of looks, by JVM and Python
    python bench/spark.py partitions FILE [--loss hinge]                   # rounds to a gap with 1, 2, 4, 8, 16 partitions
    python bench/spark.py rows FILE FILE ... [--loss hinge] [--memory 480] # cost by number of rows
    python bench/spark.py exact FILE [--gap 1e-6]                          # objectives beside those of one machine, three losses
    python bench/spark.py memory FILE --memory 480                         # a file larger than the executors' memory: sizes and certificate
    python bench/spark.py kills FILE [--kills 5] [--gap 1e-6]              # executors killed in a run
    python bench/spark.py mixing FILE                                      # one reading of the rows: mixing beside a round of the solver

FILE is svmlight text, as `novikoff generate text:rows=200000,seed=1 -o FILE` writes it.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import os
import random
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

TICK = os.sysconf("SC_CLK_TCK")


def processes() -> dict[int, tuple[int, float, str]]:
    """Parent, CPU seconds (own and of children that ended) and words of every process."""
    found = {}
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit():
            try:
                numbers = (entry / "stat").read_text().rpartition(")")[2].split()
                words = (entry / "cmdline").read_text().replace("\0", " ")
            except OSError:
                continue
            seconds = sum(map(int, numbers[11:15])) / TICK
            found[int(entry.name)] = (int(numbers[1]), seconds, words)
    return found


def executors(of: dict[int, tuple[int, float, str]]) -> list[int]:
    """The executors below this process."""
    below, grown = {os.getpid()}, True
    while grown:
        more = {pid for pid, (parent, _, _) in of.items() if parent in below} - below
        grown = bool(more)
        below |= more
    return sorted(pid for pid in below if "CoarseGrainedExecutorBackend" in of[pid][2])


def executor_cpu() -> tuple[float, float]:
    """CPU seconds of the executors, and of the Python processes below them."""
    of = processes()
    jvm = set(executors(of))
    below, grown = set(jvm), True
    while grown:
        more = {pid for pid, (parent, _, _) in of.items() if parent in below} - below
        grown = bool(more)
        below |= more
    return sum(of[pid][1] for pid in jvm), sum(of[pid][1] for pid in below - jvm)


def session(memory: int):
    from pyspark.sql import SparkSession

    os.environ.setdefault("PYSPARK_PYTHON", sys.executable)
    builder = SparkSession.builder.master(f"local-cluster[2,1,{memory}]").appName("novikoff bench")
    settings = {
        "spark.driver.bindAddress": "127.0.0.1",
        "spark.driver.host": "127.0.0.1",
        "spark.driver.memory": "1g",
        "spark.ui.enabled": "false",
        "spark.ui.showConsoleProgress": "false",
        "spark.executor.memory": f"{memory}m",
        "spark.task.maxFailures": "20",
    }
    for key, value in settings.items():
        builder = builder.config(key, value)
    made = builder.getOrCreate()
    made.sparkContext.setLogLevel("OFF")
    return made


def load(spark, path: str, partitions: int, width: int):
    from pyspark.sql import functions as F

    frame = spark.read.format("libsvm").option("numFeatures", width).load(path)
    # MLlib wants labels 0 and 1
    frame = frame.withColumn("label", F.when(F.col("label") > 0, 1.0).otherwise(0.0)).repartition(partitions).cache()
    frame.count()
    return frame


def measured(work):
    """What it gives, the CPU seconds of the executors and the wall seconds."""
    result, jvm, python, wall = in_parts(work)
    return result, jvm + python, wall


def in_parts(work):
    """What it gives, the CPU seconds of the executors and of their Python processes, and the wall seconds."""
    (jvm, python), wall = executor_cpu(), time.perf_counter()
    result = work()
    after = executor_cpu()
    return result, after[0] - jvm, after[1] - python, time.perf_counter() - wall


def parts(args) -> None:
    from novikoff import _native
    from novikoff.spark import _rounds, _rows, _solver

    spark = session(args.memory)
    frame = load(spark, args.files[0], 2, args.width)
    print("| what | JVM CPU s | Python CPU s | wall s |\n| --- | --- | --- | --- |")

    def timed(what, work):
        result, jvm, python, wall = in_parts(work)
        print(f"| {what} | {jvm:.2f} | {python:.2f} | {wall:.2f} |", flush=True)
        return result

    for time_ in ("first", "second", "third"):
        features = _rows.features_of(frame, "features", None, "refuse", 10_000, 18)
        packed = timed(f"packing, {time_} time", lambda: _rows.pack(frame, features, "label", None, False, 0, 8))
        words = _solver.problem_words(args.loss, args.lambda_, _native.label_order(list(packed.labels)), [], packed, features, False)
        problem = _native.LocalProblem(words)
        state, point = _rounds.DualState(packed, words, 10), problem.origin()
        for at in range(3):
            work = {"passes": args.passes, "seed": at, "sums": True}
            point = problem.next(point, timed(f"round {at + 1}, {args.passes} passes", lambda: state.step(point, [True], **work)))
        timed("look (sums alone)", lambda: state.look(point, [True], sums=True))
        state.close()
        packed.unpersist()


def ours(args, **given):
    from novikoff.spark import DualClassifier

    usual = {"loss": args.loss, "regParam": args.lambda_, "gap": args.gap, "bias": 0.0, "localPasses": args.passes, "progress": args.verbose}
    return DualClassifier(**{**usual, **given})


def compare(args) -> None:
    from pyspark.ml import classification as ml

    spark = session(args.memory)
    frame = load(spark, args.files[0], 2, args.width)
    # the first jobs of a kind start Python processes, and the JVM compiles; MLlib is fitted with more iterations first, too
    for _ in range(2):
        ours(args).fit(frame)
    model, cpu, wall = measured(lambda: ours(args).fit(frame))
    found = model.certificates[0]
    print(f"novikoff {args.loss}: primal {found['primal']:.8f}, relative gap {found['relative_gap']:.2e}, {model.summary['rounds']} rounds, "
          f"executor CPU {cpu:.1f} s, wall {wall:.1f} s")
    if args.one_machine:
        alone = solved_alone(args, args.loss, args.one_machine)
        print(f"one machine, to {args.one_machine:g}: primal {alone:.10f}; ours is {found['primal'] / alone - 1:+.2e} beside it")
    kinds = {"hinge": ml.LinearSVC, "logistic": ml.LogisticRegression}
    if args.loss not in kinds:
        print(f"MLlib has no {args.loss}")
        return
    plain = {"regParam": args.lambda_, "fitIntercept": False, "standardization": False, "tol": 1e-12}
    long, cpu_long, wall_long = measured(lambda: kinds[args.loss](maxIter=args.iterations, **plain).fit(frame))
    summary = long.summary() if callable(long.summary) else long.summary
    history = list(summary.objectiveHistory)
    reached = next((k for k, value in enumerate(history) if value <= found["primal"]), None)
    if reached is None:
        print(f"MLlib {args.loss}: after {len(history) - 1} iterations the objective is {min(history):.8f}, above ours; "
              f"executor CPU {cpu_long:.1f} s, wall {wall_long:.1f} s; CPU more than {cpu_long / cpu:.2f} times ours")
        return
    _, cpu_ml, wall_ml = measured(lambda: kinds[args.loss](maxIter=max(1, reached), **plain).fit(frame))
    print(f"MLlib {args.loss}: objective {history[reached]:.8f} after {reached} iterations, executor CPU {cpu_ml:.1f} s, wall {wall_ml:.1f} s; "
          f"CPU {cpu_ml / cpu:.2f} times ours")


def solved_alone(args, loss: str, gap: float) -> float:
    """The objective that `novikoff solve` reaches on one machine."""
    command = Path(sys.executable).parent / "novikoff"
    words = [command, "solve", args.files[0], "--loss", loss, "--lambda", args.lambda_, "--bias", "off", "--gap", gap, "--json", "-q"]
    report = json.loads(subprocess.run([str(word) for word in words], capture_output=True, text=True, check=True).stdout)
    return (report[0] if isinstance(report, list) else report)["primal"]


def exact(args) -> None:
    spark = session(args.memory)
    frame = load(spark, args.files[0], 2, args.width)
    print("| loss | rounds | relative gap | primal | one machine, to a tenth of the gap | difference | executor CPU s | wall s |")
    print("| --- | --- | --- | --- | --- | --- | --- | --- |")
    for loss in ("hinge", "squared-hinge", "logistic"):
        model, cpu, wall = measured(lambda loss=loss: ours(args, loss=loss, maxIter=2000).fit(frame))
        found, alone = model.certificates[0], solved_alone(args, loss, args.gap / 10)
        print(f"| {loss} | {model.summary['rounds']} | {found['relative_gap']:.2e} | {found['primal']:.10f} | {alone:.10f} | "
              f"{found['primal'] / alone - 1:+.1e} | {cpu:.1f} | {wall:.1f} |", flush=True)


def memory(args) -> None:
    spark = session(args.memory)
    driver = spark.sparkContext._jsc.sc()
    largest, done = {"memory": 0, "disk": 0, "python": 0}, threading.Event()

    def watch():
        while not done.wait(2.0):
            kept = driver.getRDDStorageInfo()
            largest["memory"] = max(largest["memory"], sum(info.memSize() for info in kept))
            largest["disk"] = max(largest["disk"], sum(info.diskSize() for info in kept))
            of = processes()
            jvm = set(executors(of))
            below = [pid for pid, (parent, _, _) in of.items() if parent in jvm or of.get(parent, (0,))[0] in jvm]
            largest["python"] = max([largest["python"], *map(resident, set(below) - jvm)])

    thread = threading.Thread(target=watch)
    thread.start()
    frame = spark.read.format("libsvm").option("numFeatures", args.width).load(args.files[0])
    model, cpu, wall = measured(lambda: ours(args, numPartitions=args.partitions or 2).fit(frame))
    done.set()
    thread.join()
    status = driver.getExecutorMemoryStatus().values().iterator()
    storage = []
    while status.hasNext():
        storage.append(status.next()._1())
    about, found = model.summary, model.certificates[0]
    print(f"executors: 2 with a heap of {args.memory} MiB; memory for execution and storage of each {min(storage) / 1e6:.0f} MB; largest Python process {largest['python'] / 1e6:.0f} MB")
    print(f"rows: {about['rows']:,}; as text {os.path.getsize(args.files[0]) / 1e6:,.0f} MB; as Spark's rows at least {1.5 * about['bytes'] / 1e6:,.0f} MB (12 bytes per value); packed {about['bytes'] / 1e6:,.0f} MB")
    print(f"cached at most: {largest['memory'] / 1e6:,.0f} MB in memory, {largest['disk'] / 1e6:,.0f} MB on disk")
    print(f"{about['rounds']} rounds, executor CPU {cpu:.0f} s, wall {wall:.0f} s")
    print(f"certificate: {found}; model {hashlib.sha256(model.to_bytes()).hexdigest()[:16]}")


def resident(pid: int) -> int:
    """Bytes of a process that are in memory, at most so far."""
    try:
        lines = Path(f"/proc/{pid}/status").read_text().splitlines()
    except OSError:
        return 0
    return next((1024 * int(line.split()[1]) for line in lines if line.startswith("VmHWM")), 0)


def partitions(args) -> None:
    spark = session(args.memory)
    print("| partitions | rounds | relative gap | executor CPU s | wall s |\n| --- | --- | --- | --- | --- |")
    for count in (1, 2, 4, 8, 16):
        frame = load(spark, args.files[0], count, args.width)
        model, cpu, wall = measured(lambda frame=frame: ours(args).fit(frame))
        about = model.summary
        print(f"| {count} | {about['rounds']} | {model.certificates[0]['relative_gap']:.1e} | {cpu:.1f} | {wall:.1f} |", flush=True)
        frame.unpersist()


def rows(args) -> None:
    spark = session(args.memory)
    print("| rows | MB packed | rounds | relative gap | executor CPU s | CPU per million rows and round | wall s |")
    print("| --- | --- | --- | --- | --- | --- | --- |")
    for path in args.files:
        frame = spark.read.format("libsvm").option("numFeatures", args.width).load(path)
        model, cpu, wall = measured(lambda frame=frame: ours(args, numPartitions=args.partitions).fit(frame))
        about = model.summary
        n, rounds = about["rows"], about["rounds"]
        print(f"| {n:,} | {about['bytes'] / 1e6:,.0f} | {rounds} | {model.certificates[0]['relative_gap']:.1e} | {cpu:.1f} | "
              f"{1e6 * cpu / n / rounds:.2f} | {wall:.1f} |", flush=True)


def kills(args) -> None:
    spark = session(args.memory)
    # read from the file, whose rows come in the same order each time
    frame = spark.read.format("libsvm").option("numFeatures", args.width).load(args.files[0]).coalesce(2)
    calm = ours(args).fit(frame)
    done = threading.Event()
    killed = []

    def storm():
        chance = random.Random(1)
        while len(killed) < args.kills and not done.wait(chance.uniform(1.0, 4.0)):
            found = executors(processes())
            # the one that was killed before is there again, so that each kill finds work to lose
            if len(found) == 2:
                pid = chance.choice(found)
                os.kill(pid, signal.SIGKILL)
                killed.append(pid)

    thread = threading.Thread(target=storm)
    thread.start()
    stormy, _, wall = measured(lambda: ours(args).fit(frame))
    done.set()
    thread.join()
    one, two = calm.certificates[0], stormy.certificates[0]
    print(f"{len(killed)} kills in {wall:.1f} s; objective {two['primal']!r}, gap {two['gap']!r}; "
          f"same certificate: {one == two}; same bytes: {calm.to_bytes() == stormy.to_bytes()}")


def mixing(args) -> None:
    from novikoff.spark import ParameterMixing

    spark = session(args.memory)
    frame = load(spark, args.files[0], args.partitions or 2, args.width)
    train, held = frame.randomSplit([0.9, 0.1], seed=1)
    train, held = train.cache(), held.cache()
    print(f"{train.count():,} rows, {held.count():,} held out\n| what | readings of the rows | error on held-out rows | executor CPU s | wall s |\n| --- | --- | --- | --- | --- |")
    ours(args, maxIter=1).fit(train)
    for readings in (1, 2, 4, 8):
        model, cpu, wall = measured(lambda r=readings: ParameterMixing(maxIter=r, average=True, bias=0.0, progress=args.verbose).fit(train))
        print(f"| mixing, perceptron, averaged | {readings} | {model.evaluate(held).error:.4f} | {cpu:.1f} | {wall:.1f} |", flush=True)
        model, cpu, wall = measured(lambda r=readings: ours(args, maxIter=r).fit(train))
        print(f"| {args.loss}, {args.passes} passes per round | {readings} | {model.evaluate(held).error:.4f} | {cpu:.1f} | {wall:.1f} |", flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("mode", choices=["compare", "parts", "exact", "memory", "partitions", "rows", "kills", "mixing"])
    parser.add_argument("files", nargs="+")
    parser.add_argument("--loss", default="hinge")
    parser.add_argument("--lambda", dest="lambda_", type=float, default=1e-4)
    parser.add_argument("--gap", type=float, default=1e-3)
    parser.add_argument("--passes", type=int, default=4)
    parser.add_argument("--width", type=int, default=47_000)
    parser.add_argument("--memory", type=int, default=1024)
    parser.add_argument("--iterations", type=int, default=200)
    parser.add_argument("--kills", type=int, default=5)
    parser.add_argument("--partitions", type=int, default=0, help="partitions to learn in; 0 leaves the rows where they are")
    parser.add_argument("--one-machine", type=float, default=0.0, help="also solve on one machine, to this gap")
    parser.add_argument("--verbose", action="store_true")
    args = parser.parse_args()
    modes = {"compare": compare, "parts": parts, "exact": exact, "memory": memory, "partitions": partitions, "rows": rows, "kills": kills, "mixing": mixing}
    modes[args.mode](args)


if __name__ == "__main__":
    main()
