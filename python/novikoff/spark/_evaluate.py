"""Errors, curves and probabilities over all rows of a cluster."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Iterator

from pyspark.sql import DataFrame
from pyspark.sql import functions as F

from .. import _native
from ._remarks import warned
from ._rows import field, is_number, quoted

if TYPE_CHECKING:
    from ._model import NovikoffModel


@dataclass(frozen=True)
class Curve:
    """One label against the rest: margins counted in bins, each less than one part in 256 wide."""

    label: str
    rows: int
    positives: int
    #: The area under the ROC curve, and how far it can be from that of the margins themselves. None if all rows have the label, or none has.
    auc: tuple[float, float] | None
    #: The least and the largest average precision that rows in these bins can have.
    average_precision: tuple[float, float] | None
    #: Threshold, and the rows without and with the label at or above it, from the highest threshold down.
    points: list[tuple[float, int, int]]

    def roc(self) -> list[tuple[float, float]]:
        """False positive rate and true positive rate per threshold."""
        others = self.rows - self.positives
        return [(no / max(1, others), yes / max(1, self.positives)) for _, no, yes in self.points]

    def precision_recall(self) -> list[tuple[float, float]]:
        """Precision and recall per threshold."""
        return [(yes / (no + yes), yes / max(1, self.positives)) for _, no, yes in self.points]


@dataclass(frozen=True)
class Evaluation:
    """What a model's answers are worth on rows with labels."""

    rows: int
    errors: int
    #: One per label, or one for the positive of two.
    curves: list[Curve]
    #: What is worth knowing: ``baseline`` if the answers are no better than always the most frequent label.
    remarks: list[dict[str, str]]

    @property
    def error(self) -> float:
        """The share of rows whose label was predicted wrong."""
        return self.errors / self.rows


def evaluate(model: NovikoffModel, dataset: DataFrame) -> Evaluation:
    """Counts errors and bins margins in one pass. All sums are of whole numbers, so no order matters."""
    labels = model.labels
    lanes = 1 if len(labels) == 2 else len(labels)
    answered = _labelled(model, dataset)
    kinds = "rows bigint, counts array<bigint>, right array<bigint>, bins array<binary>"
    parts = answered.mapInArrow(_counter(labels, lanes), kinds).collect()
    curves = []
    rows = sum(part.rows for part in parts)
    if rows == 0:
        raise ValueError("there are no rows to evaluate on")
    for lane in range(lanes):
        histogram = _native.Histogram()
        for part in parts:
            histogram.merge(bytes(part.bins[lane]))
        _, positives = histogram.rows
        label = labels[1] if lanes == 1 else labels[lane]
        curves.append(Curve(label, rows, positives, histogram.auc, histogram.average_precision, histogram.curve))
    counts = [(label, *(sum(part[what][at] for part in parts) for what in ("counts", "right"))) for at, label in enumerate(labels)]
    right = sum(count for _, _, count in counts)
    return Evaluation(rows, rows - right, curves, warned(_native.baseline_remark(counts, False)))


def _labelled(model: NovikoffModel, dataset: DataFrame) -> DataFrame:
    """Margins, the place of the predicted label, and the true label as a text that is one of the model's where it can be."""
    name = model.getOrDefault("labelCol")
    kind = field(dataset, name, "labelCol").dataType
    truth = quoted(name).cast("double") if is_number(kind) else quoted(name)
    answered = model._answered(dataset, probabilities=False)
    return answered.select(
        F.expr("`novikoff: answer`.margins").alias("margins"),
        F.expr("`novikoff: answer`.place").alias("place"),
        truth.alias("label"),
    )


def places(labels: list[str], truth: Any) -> Any:
    """The place of each true label among the model's; -1 for a label that the model does not know."""
    import numpy as np

    known: dict[Any, int] = {}
    for place, label in enumerate(labels):
        known[label] = place
        try:
            known[float(label)] = place
        except ValueError:
            pass
    return np.fromiter((known.get(value, -1) for value in truth.to_pylist()), dtype=np.int64, count=len(truth))


def _margins(batch: Any, lanes: int) -> Any:
    column = batch.column("margins")
    return column.flatten().to_numpy(zero_copy_only=False).reshape(-1, lanes)


def _counter(labels: list[str], lanes: int) -> Any:
    def work(batches: Iterator[Any]) -> Iterator[Any]:
        import numpy as np
        import pyarrow as pa

        rows = 0
        counts, right = np.zeros(len(labels), np.int64), np.zeros(len(labels), np.int64)
        histograms = [_native.Histogram() for _ in range(lanes)]
        for batch in batches:
            truth = places(labels, batch.column("label"))
            margins = _margins(batch, lanes)
            rows += len(truth)
            # a label that the model does not know is at -1
            counts += np.bincount(truth[truth >= 0], minlength=len(labels))
            right += np.bincount(truth[truth == batch.column("place").to_numpy()], minlength=len(labels))
            for lane, histogram in enumerate(histograms):
                positive = 1 if lanes == 1 else lane
                histogram.add(margins[:, lane].copy(), truth == positive)
        numbers = pa.list_(pa.int64())
        kinds = pa.schema([("rows", pa.int64()), ("counts", numbers), ("right", numbers), ("bins", pa.list_(pa.binary()))])
        bins = [histogram.to_bytes() for histogram in histograms]
        yield pa.record_batch([[rows], [counts.tolist()], [right.tolist()], [bins]], schema=kinds)

    return work


def calibrated(model: NovikoffModel, dataset: DataFrame, rows: int) -> NovikoffModel:
    """The model with Platt's sigmoid per class, fitted on the margins of a sample."""
    if rows < 2:
        raise ValueError(f"rows={rows!r}: must be a whole number from 2")
    labels = model.labels
    lanes = 1 if len(labels) == 2 else len(labels)
    answered = _labelled(model, dataset)
    count = answered.count()
    if count > rows:
        answered = answered.sample(withReplacement=False, fraction=rows / count, seed=0)
    table = answered.toArrow().combine_chunks()
    if table.num_rows == 0:
        raise ValueError("there are no rows to calibrate on")
    batch = table.to_batches()[0]
    truth = places(labels, batch.column("label"))
    fitted = _native.calibrated(_native.Model.from_bytes(model.to_bytes()), _margins(batch, lanes), truth)
    about = {**model.summary, "calibration": {"method": "platt", "rows": len(truth), "of": count}}
    other = model.copy()
    other._bytes, other._about = fitted.to_bytes(), about
    return other
