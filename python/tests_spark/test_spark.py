"""`novikoff.spark` on a real cluster: objectives, bits, lost executors, pyspark's own manners."""

from __future__ import annotations

import gc
import json
import threading
import warnings

import numpy as np
import pyarrow as pa
import pytest
from pyspark import StorageLevel
from pyspark.ml import Pipeline, PipelineModel
from pyspark.ml.evaluation import BinaryClassificationEvaluator
from pyspark.ml.feature import VectorAssembler
from pyspark.ml.linalg import Vectors, VectorUDT
from pyspark.ml.tuning import CrossValidator, ParamGridBuilder
from pyspark.sql import functions as F

import novikoff.spark as ns
from conftest import LAMBDA, command, frame, kill_an_executor, made, solved_by_command, wait_for_executors, write_svmlight
from novikoff import RemarkWarning, _native
from novikoff.spark import _rounds, _rows, _solver

X, Y = made(1200, 12, seed=1)


@pytest.fixture(scope="module")
def rows(spark):
    return frame(spark, X, Y).cache()


def dual(**given):
    usual = {"regParam": LAMBDA, "gap": 1e-4, "bias": 1.0, "localPasses": 4, "progress": False}
    return ns.DualClassifier(**{**usual, **given})


@pytest.mark.parametrize(
    ("loss", "bias", "gap"),
    [
        ("hinge", "1", 1e-6),
        ("hinge", "free", 1e-4),
        ("squared-hinge", "0", 1e-6),
        ("squared-hinge", "free", 1e-6),
        ("logistic", "1", 1e-6),
        ("logistic", "free", 1e-6),
    ],
)
def test_the_objective_is_that_of_one_machine(rows, tmp_path, loss, bias, gap):
    model = dual(loss=loss, gap=gap, bias=bias if bias == "free" else float(bias)).fit(rows)
    path = write_svmlight(tmp_path / "rows.svm", X, Y)
    word = {"0": "off"}.get(bias, bias)
    (expected,) = solved_by_command(path, loss, word, 1e-8)
    (found,) = model.certificates
    assert found["reached"]
    assert 0 <= found["gap"] <= gap * found["primal"]
    # both are bounds of one optimum
    assert found["dual"] <= expected * (1 + 1e-9)
    assert found["primal"] == pytest.approx(expected, rel=1.01 * gap)
    gaps = [gap for _, gap in model.summary["history"]]
    assert gaps[-1] < 0.1 * gaps[0]


def test_several_classes_share_the_rounds(spark, tmp_path):
    x, y = made(600, 8, seed=2, classes=3)
    model = dual(loss="squared-hinge", gap=1e-3, classWeight={2: 0.5}).fit(frame(spark, x, y))
    path = write_svmlight(tmp_path / "rows.svm", x, y)
    expected = solved_by_command(path, "squared-hinge", "1", 1e-6, "--class-weight", "2=0.5")
    assert [c["primal"] for c in model.certificates] == pytest.approx(expected, rel=1.1e-3)
    assert model.labels == ["0", "1", "2"]


def test_weights_of_rows_and_numbers_to_predict(spark, tmp_path):
    x, _ = made(400, 6, seed=3)
    y = x @ np.arange(6) + 3.0
    weights = 1.0 + np.arange(400) % 3
    again = np.repeat(np.arange(400), weights.astype(int))
    solver = ns.DualRegressor(regParam=LAMBDA, gap=1e-4, bias="free", localPasses=4, progress=False, weightCol="w")
    model = solver.fit(frame(spark, x, y, w=pa.array(weights)))
    # a row that counts k times is the row k times, where n is the number of rows
    path = write_svmlight(tmp_path / "rows.svm", x[again], y[again])
    share = len(again) / 400
    words = ["--lambda", LAMBDA / share]
    report = command("solve", path, "--loss", "squared", "--bias", "free", "--gap", 1e-8, "--json", "-q", *words)
    assert model.certificates[0]["primal"] == pytest.approx(share * json.loads(report)["primal"], rel=1.1e-4)
    predicted = model.transform(frame(spark, x, y)).toPandas()["prediction"].to_numpy()
    assert np.corrcoef(predicted, y)[0, 1] > 0.98


def test_the_same_partitions_give_the_same_bits(rows):
    first, second = (dual(gap=1e-3, numPartitions=3).fit(rows) for _ in range(2))
    assert first.summary["partitions"] == 3
    assert first.to_bytes() == second.to_bytes()
    assert first.certificates == second.certificates


def test_rows_that_come_from_disk_and_sparse_vectors_change_no_bit(spark, rows, monkeypatch, capfd):
    solver = dual(gap=1e-3, progress=True)
    calm = solver.fit(rows)
    assert "relative gap" in capfd.readouterr().err
    # rows that do not fit into the memory of the executors are read from their disks
    monkeypatch.setattr(_rows, "KEPT", StorageLevel.DISK_ONLY)
    from_disk = solver.fit(rows)
    assert from_disk.to_bytes() == calm.to_bytes()
    assert from_disk.certificates == calm.certificates
    solver.setParams(progress=False)
    capfd.readouterr()
    # vectors of pyspark.ml, dense and sparse ones in turns
    as_vector = F.udf(
        lambda x, sparse: Vectors.sparse(len(x), [(j, v) for j, v in enumerate(x) if v]) if sparse else Vectors.dense(x), VectorUDT()
    )
    vectors = rows.select(as_vector("features", F.monotonically_increasing_id() % 2 == 0).alias("features"), "label")
    assert solver.fit(vectors).to_bytes() == calm.to_bytes()
    assert "relative gap" not in capfd.readouterr().err


def test_answers_of_many_partitions_are_added_in_a_tree_of_one_shape(spark):
    parts = spark.sparkContext.parallelize(range(40), 40).mapPartitionsWithIndex(lambda index, _: [(index, f"{index},".encode())])
    assert _rounds.added(parts, 40, b"".join) == b"".join(f"{index},".encode() for index in range(40))


def test_collections_after_tasks_leave_out_what_is_imported(rows):
    dual(gap=1e-2).fit(rows)
    frozen = rows.sparkSession.sparkContext.parallelize(range(2), 2).mapPartitions(lambda _: [gc.get_freeze_count()])
    assert min(frozen.collect()) > 10_000


def test_blocks_of_a_partition_are_walked_over_one_after_the_other():
    words = {
        "features": {"column": "features", "read": _rows._READ, "bias": None},
        "label": "label",
        "weight": None,
        "targets": False,
        "block_bytes": 1000,
    }
    packer = _native.Packer(words, 0, None)
    batches = [slice(at, at + 300) for at in range(0, 1200, 300)]
    blocks = [
        packer.add(pa.record_batch({"features": pa.array(X[part].tolist(), pa.list_(pa.float32())), "label": pa.array(Y[part])}))
        for part in batches
    ]
    assert packer.finish() is None
    facts = [json.loads(block[-8 - int(block[-8:]) : -8]) for block in blocks]
    assert [about["rows"] for about in facts] == [300] * 4
    problem = {
        "loss": "squared-hinge",
        "lambda_": LAMBDA,
        "labels": ["0", "1"],
        "class_weight": [],
        "rows": 1200,
        "slots": 13,
        "partitions": 1,
        "norm_sq": sum(about["norm_sq"] for about in facts),
        "largest": max(about["largest"] for about in facts),
        "constant": None,
        "free_bias": False,
    }
    local = _native.LocalProblem(problem)
    point, states = local.origin(), [None] * 4
    for seed in range(20):
        round_ = _native.LocalRound(problem, point.to_bytes(), _rounds._work([True], passes=1, seed=seed, sums=True, shares=True), 0)
        states = [round_.step(rows, state) for rows, state in zip(blocks, states)]
        answer = _native.LocalAnswer.sum([round_.answer()])
        (certificate,) = local.certificates(point, answer, 1e-6)
        point = local.next(point, answer)
    # without the walk from block to block, four parts with the caution of one would not get there
    assert certificate["reached"]
    # rows that are not the ones that the variables belong to are noticed
    with pytest.raises(ValueError, match="was computed again and has other rows"):
        round_.step(blocks[1], states[0])
    with pytest.raises(ValueError, match="the bytes of packed rows are damaged"):
        round_.step(blocks[0][:-1], states[0])


@pytest.mark.parametrize("checkpoints", [False, True])
def test_lost_executors_change_no_bit(rows, monkeypatch, tmp_path, checkpoints):
    """kill -9 between two rounds and in the middle of them, with copies of the variables in memory and with checkpoints in files."""
    context = rows.sparkSession.sparkContext
    if checkpoints:
        context.setCheckpointDir(f"file://{tmp_path}/checkpoints")
    solver = dual(gap=1e-6, loss="hinge", checkpointInterval=3, progress=True)
    calm = solver.fit(rows)
    assert calm.summary["rounds"] >= 12
    kills = []

    def kill():
        # the next one is there again before it is killed, so that each kill finds work to lose
        wait_for_executors(2)
        kills.append(kill_an_executor())

    def say(progress, text):
        at = int(text.split()[1].rstrip(":")) if text.startswith("round") else 0
        if at in (2, 6, 10):
            kill()
        elif at in (4, 8):
            threading.Timer(0.1, kill).start()

    monkeypatch.setattr(_solver, "say", say)
    stormy = solver.fit(rows)
    assert sum(kills) == 5
    assert stormy.certificates == calm.certificates
    assert stormy.to_bytes() == calm.to_bytes()
    wait_for_executors(2)


def test_pipelines_cross_validation_and_persistence(spark, tmp_path):
    x, y = made(400, 3, seed=4)
    table = pa.table({"a": x[:, 0], "b": x[:, 1], "c": x[:, 2], "label": y})
    frame_ = spark.createDataFrame(table).coalesce(2).cache()
    gather = VectorAssembler(inputCols=["a", "b", "c"], outputCol="features")
    solver = ns.LogisticRegression(gap=0.05, maxIter=30, bias=1.0, progress=False)
    grid = ParamGridBuilder().addGrid(solver.regParam, [1e-3, 10.0]).build()
    judge = BinaryClassificationEvaluator()
    search = CrossValidator(estimator=Pipeline(stages=[gather, solver]), estimatorParamMaps=grid, evaluator=judge, numFolds=2, seed=1)
    best = search.fit(frame_)
    assert len(best.avgMetrics) == 2
    model = best.bestModel
    path = str(tmp_path / "pipeline")
    model.write().overwrite().save(path)
    again = PipelineModel.load(path)
    one, two = (m.transform(frame_).toPandas() for m in (model, again))
    assert one["prediction"].tolist() == two["prediction"].tolist()
    assert [v.tolist() for v in one["probability"].map(lambda v: v.toArray())] == [
        v.tolist() for v in two["probability"].map(lambda v: v.toArray())
    ]
    assert judge.evaluate(again.transform(frame_)) > 0.65
    # the folder holds the model file itself
    fitted = again.stages[-1]
    assert isinstance(fitted, ns.NovikoffModel)
    fitted.write().overwrite().save(str(tmp_path / "alone"))
    kept = tmp_path / "alone" / "novikoff.model"
    assert _native.Model.load(kept).to_bytes() == fitted.to_bytes()
    solver.write().overwrite().save(str(tmp_path / "solver"))
    assert ns.LogisticRegression.load(str(tmp_path / "solver")).getOrDefault("gap") == 0.05


def test_the_model_file_answers_the_same_elsewhere(rows, tmp_path):
    model = dual(gap=1e-2).fit(rows)
    model.save_model(tmp_path / "my.model")
    path = write_svmlight(tmp_path / "rows.svm", X, Y)
    printed = command("predict", tmp_path / "my.model", path, "-q").split()
    answered = model.transform(rows).toPandas()
    assert [float(label) for label in printed] == answered["prediction"].tolist()
    margins = [float(m) for m in command("predict", tmp_path / "my.model", path, "--margins", "-q").split()]
    assert np.allclose(margins, [raw[1] for raw in answered["rawPrediction"]], rtol=1e-9, atol=1e-12)


@pytest.mark.parametrize("most", [100, 3])
def test_named_columns_with_strings(spark, tmp_path, most):
    random = np.random.default_rng(5)
    size, town = random.normal(size=500), random.choice(["Rome", "Oslo", "Lima", "Kyiv", "Bonn"], size=500)
    label = np.where(size + (town == "Oslo") - (town == "Lima") > 0, "yes", "no")
    table = pa.table({"size": size, "town": town, "bought": label})
    frame_ = spark.createDataFrame(table)
    solver = dual(featuresCol=["size", "town"], labelCol="bought", gap=1e-3, maxCategories=most)
    model = solver.fit(frame_)
    assert model.summary["features"] <= (6 if most == 100 else 2**18)
    answered = model.transform(frame_).toPandas()["prediction"]
    assert (answered == label).mean() > 0.9
    # the command reads the same table by the same rules, whether names are kept or hashed
    model.save_model(tmp_path / "bought.model")
    lines = ["size,town", *(f"{s!r},{t}" for s, t in zip(size.astype(np.float32).tolist(), town))]
    (tmp_path / "new.csv").write_text("\n".join(lines) + "\n")
    assert command("predict", tmp_path / "bought.model", tmp_path / "new.csv", "-q").split() == answered.tolist()


def test_evaluation_and_calibration(rows):
    model = dual(gap=1e-3).fit(rows)
    judged = model.evaluate(rows)
    answered = model.transform(rows).toPandas()
    assert judged.rows == 1200
    assert judged.errors == (answered["prediction"] != answered["label"]).sum()
    margins = answered["rawPrediction"].map(lambda raw: raw[1]).to_numpy()
    positive = margins[answered["label"] == 1.0][:, None]
    negative = margins[answered["label"] == 0.0][None, :]
    exact = (positive > negative).mean() + 0.5 * (positive == negative).mean()
    (curve,) = judged.curves
    auc, error = curve.auc
    assert abs(auc - exact) <= error + 1e-12
    assert error < 0.01
    low, high = curve.average_precision
    order = np.argsort(-margins, kind="stable")
    hits = (answered["label"].to_numpy() == 1.0)[order]
    precision = (np.cumsum(hits) / np.arange(1, len(hits) + 1))[hits].mean()
    assert low <= precision <= high
    assert not model.has_probabilities
    likely = model.calibrate(rows, rows=600)
    assert likely.has_probabilities
    assert likely.summary["calibration"]["of"] == 1200
    chances = likely.transform(rows).toPandas()["probability"].map(lambda p: p[1]).to_numpy()
    assert abs(chances.mean() - Y.mean()) < 0.05


def test_mixing_and_its_certificate(rows, tmp_path):
    mixing = ns.ParameterMixing(maxIter=3, numPartitions=4, mixing="mistakes", certify=True, progress=False)
    model = mixing.fit(rows)
    certificate = model.summary["certificate"]
    assert certificate["weighted_mistakes"] == pytest.approx(sum(e["weighted_mistakes"] for e in model.summary["epochs"]))
    assert certificate["weighted_mistakes"] <= certificate["bound"] < 3 * certificate["weighted_mistakes"]
    assert mixing.fit(rows).to_bytes() == model.to_bytes()
    assert model.evaluate(rows).error < 0.3
    # one partition in its own order is the learner itself
    alone = ns.ParameterMixing(maxIter=1, numPartitions=1, shuffle=False, learner="passive-aggressive", progress=False, certify=True)
    alone = alone.fit(rows.coalesce(1))
    path = write_svmlight(tmp_path / "rows.svm", X, Y)
    words = ["train", path, "-a", "passive-aggressive", "--bias", 1, "--json", "-q", "-o", tmp_path / "pa.model"]
    assert alone.summary["mistakes"] == json.loads(command(*words))["mistakes"]
    assert alone.summary["certificate"] is None
    assert "perceptron" in alone.summary["certificate_reason"]


def remarks_of(work) -> tuple[object, list[tuple[str, str]]]:
    """What it gives, and the kinds and texts of its remarks, each warned of at a line of this file."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always", RemarkWarning)
        result = work()
    own = [warning for warning in caught if issubclass(warning.category, RemarkWarning)]
    assert all(warning.filename == __file__ for warning in own)
    return result, [tuple(str(warning.message).split(": ", 1)) for warning in own]


def test_mixing_remarks_on_sorted_rows(spark):
    # two partitions, each sorted by label, as randomSplit leaves them
    order = np.concatenate([np.arange(600)[np.argsort(Y[:600], kind="stable")], 600 + np.argsort(Y[600:], kind="stable")])
    by_label = frame(spark, X[order], Y[order]).coalesce(2).cache()
    assert by_label.rdd.getNumPartitions() == 2
    mixing = ns.ParameterMixing(maxIter=1, bias=0.0, progress=False, seed=4)
    in_order, found = remarks_of(lambda: mixing.copy().setParams(shuffle=False).fit(by_label))
    texts = dict(found)
    assert texts["sorted"].startswith("partition 0 (and 1 more): the rows come sorted by label: 2 runs of equal labels in 600 rows, where a random order has about ")
    assert texts["sorted"].endswith("; use shuffle=True")
    assert in_order.summary["remarks"][0] == {"kind": "sorted", "text": texts["sorted"]}
    # the remedy is the default: no remark, the same bits each time, and others for another seed
    shuffled, found = remarks_of(lambda: mixing.fit(by_label))
    assert found == []
    assert shuffled.summary["remarks"] == []
    assert shuffled.to_bytes() != in_order.to_bytes()
    judged = shuffled.evaluate(by_label)
    assert (judged.errors, judged.remarks) == (shuffled.summary["errors"], [])
    assert mixing.fit(by_label).to_bytes() == shuffled.to_bytes()
    assert mixing.copy().setParams(seed=5).fit(by_label).to_bytes() != shuffled.to_bytes()
    # other partitions, whose rows come over the network
    more = mixing.copy().setParams(numPartitions=3)
    assert more.fit(by_label).to_bytes() == more.fit(by_label).to_bytes()


def test_results_no_better_than_the_baseline_are_remarked_on(spark):
    random = np.random.default_rng(6)
    noise = frame(spark, random.normal(size=(400, 3)).astype(np.float32), (random.uniform(size=400) < 0.3).astype(float)).coalesce(2)
    model, found = remarks_of(lambda: ns.ParameterMixing(maxIter=2, progress=False).fit(noise))
    ((kind, text),) = found
    assert kind == "baseline"
    assert text.startswith(f"the {model.summary['errors']} errors on 400 rows are ")
    assert "always answering 0, the most frequent label" in text
    assert "use novikoff.spark.LinearSVM" in text
    judged, found = remarks_of(lambda: model.evaluate(noise))
    ((kind, text),) = found
    assert (kind, judged.remarks) == ("baseline", [{"kind": kind, "text": text}])
    assert "check that the rows are like those of training" in text


def test_errors_are_pythons_own(spark, rows):
    with pytest.raises(ValueError, match="featuresCol='nothing': there is no such column; the columns are features, label"):
        dual(featuresCol="nothing").fit(rows)
    with pytest.raises(ValueError, match="did you mean `hinge`"):
        dual(loss="hing").fit(rows)
    with pytest.raises(ValueError, match="regParam=-1"):
        dual(regParam=-1.0).fit(rows)
    with pytest.raises(ValueError, match="use novikoff.spark.DualRegressor"):
        dual(loss="squared").fit(rows)
    with pytest.raises(TypeError, match="unexpected keyword argument 'gamma'"):
        dual(gamma=1)
    with pytest.raises(ValueError, match="needs at least two labels"):
        dual().fit(rows.where("label = 1"))
    with pytest.raises(ValueError, match="no rows to fit"):
        dual().fit(rows.where("label = 7"))
    with pytest.raises(ValueError, match="cannot be mixed; use one of perceptron"):
        ns.ParameterMixing(learner="second-order").fit(rows)
    bad = spark.createDataFrame([([1.0, 2.0], 1.0), ([float("nan"), 2.0], 0.0), (None, 1.0)], "features array<double>, label double").coalesce(1)
    with pytest.raises(ValueError, match=r"partition 0, row 1: featuresCol=\"features\": value 0 is not a finite number"):
        dual().fit(bad)
    with pytest.raises(ValueError, match="row 1: labelCol: null"):
        dual().fit(spark.createDataFrame([([1.0], 1.0), ([1.0], None)], "features array<double>, label double").coalesce(1))


def test_a_job_group_cancels(rows):
    solver = dual(gap=1e-15, maxIter=100_000, jobGroup="to be cancelled")
    context = rows.sparkSession.sparkContext

    def cancel():
        while not ended.wait(0.3):
            context.cancelJobGroup("to be cancelled")

    ended = threading.Event()
    timer = threading.Timer(3.0, cancel)
    timer.start()
    with pytest.raises(Exception, match="[Cc]ancel"):
        solver.fit(rows)
    ended.set()
    timer.cancel()
    assert rows.count() == 1200
