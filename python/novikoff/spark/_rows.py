"""From a DataFrame to packed rows that stay on the executors."""

from __future__ import annotations

import gc
import json
import re
import struct
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Callable, Iterator

from pyspark import RDD, StorageLevel, TaskContext
from pyspark.serializers import NoOpSerializer
from pyspark.sql import DataFrame
from pyspark.sql import functions as F
from pyspark.sql import types as T

from .. import _native

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

# Names that the columns of labels, weights and places have on their way: no column of a user is called so.
_LABEL, _WEIGHT, _PLACE = "novikoff: label", "novikoff: weight", "novikoff: place"

# Where blocks and dual variables are kept: as they are, in memory as far as there is room.
KEPT = StorageLevel.MEMORY_AND_DISK_DESER

# Rows that tell what named columns hold.
_FIRST_ROWS = 2000

# How named columns are read, as the compiled part wants it.
_READ: dict[str, Any] = {
    "format": None,
    "label": None,
    "categorical": [],
    "text": [],
    "drop": [],
    "only": [],
    "missing": None,
    "dates": None,
    "ngrams": None,
    "tfidf": None,
    "header": None,
    "skip_bad": 0,
    "zero_based": False,
    "max_features": 2**32 - 2,
}

_DATES = (T.DateType, T.TimestampType, T.TimestampNTZType)


def is_number(kind: T.DataType) -> bool:
    """Whether a column of this type is read as numbers."""
    return isinstance(kind, (T.NumericType, T.BooleanType))


def field(dataset: DataFrame, name: str, param: str) -> T.StructField:
    """The field of a column; an error that lists the columns if there is none."""
    for found in dataset.schema.fields:
        if found.name == name:
            return found
    raise ValueError(f"{param}={name!r}: there is no such column; the columns are {', '.join(dataset.columns)}")


def quoted(name: str) -> Any:
    """A column by its whole name, dots included."""
    return F.col("`" + name.replace("`", "``") + "`")


@dataclass(frozen=True)
class Features:
    """How the features of a DataFrame become rows, on every executor the same way."""

    #: The column of vectors or arrays; none for named columns.
    column: str | None
    #: The named columns.
    names: tuple[str, ...]
    #: The constant feature.
    bias: float | None
    #: Knows the named columns: the bytes of a model.
    schema: bytes | None

    def words(self) -> dict[str, Any]:
        """As the compiled part wants it."""
        return {"column": self.column, "read": _READ, "bias": self.bias}

    def model(self) -> Any:
        """The model that knows the named columns, if there are any."""
        return None if self.schema is None else _native.Model.from_bytes(self.schema)

    def select(self, dataset: DataFrame) -> list[Any]:
        """The columns of features, as they travel."""
        if self.column is not None:
            return [_plain(dataset, self.column).alias(self.column)]
        for name in self.names:
            field(dataset, name, "featuresCol")
        return [_plain(dataset, name).alias(name) for name in self.names]


def _plain(dataset: DataFrame, name: str) -> Any:
    """A column as Arrow has it: vectors as structs, decimals and arrays of whole numbers as doubles."""
    kind = field(dataset, name, "featuresCol").dataType
    column = quoted(name)
    if isinstance(kind, T.UserDefinedType):
        return F.unwrap_udt(column)
    if isinstance(kind, T.DecimalType):
        return column.cast("double")
    if isinstance(kind, T.ArrayType) and not isinstance(kind.elementType, (T.FloatType, T.DoubleType)):
        return column.cast("array<double>")
    return column


def features_of(
    dataset: DataFrame, columns: str | list[str], bias: float | None, missing: str, max_categories: int, hash_bits: int
) -> Features:
    """How the features of a DataFrame become rows. Named columns need a look at the first rows and at the values of string columns."""
    if isinstance(columns, str):
        kind = field(dataset, columns, "featuresCol").dataType
        if is_number(kind) or isinstance(kind, (T.StringType, *_DATES)):
            columns = [columns]
        else:
            return Features(columns, (), bias, None)
    if missing not in ("refuse", "zero", "indicator"):
        raise ValueError(f'missing={missing!r}: must be "refuse", "zero" or "indicator"')
    kinds = {name: field(dataset, name, "featuresCol").dataType for name in columns}
    for name, kind in kinds.items():
        if not (is_number(kind) or isinstance(kind, (T.StringType, *_DATES))):
            what = kind.simpleString()
            raise ValueError(
                f"featuresCol: column {name!r} is of type {what}; a list of columns may hold numbers, booleans, strings and dates. "
                "Name a column of vectors or arrays alone"
            )
    texts = [name for name, kind in kinds.items() if isinstance(kind, T.StringType)]
    categories = _categories(dataset, texts, max_categories)
    hashed = categories is None
    names = [] if hashed else _names(kinds, categories or {}, missing)
    plain = [_plain(dataset, name).alias(name) for name in columns]
    first = dataset.select(plain).limit(_FIRST_ROWS).toArrow().combine_chunks()
    if first.num_rows == 0:
        raise ValueError("there are no rows to fit")
    read = {**_READ, "categorical": texts, "missing": missing, "dates": "parts"}
    schema = _native.table_schema(first.to_batches()[0], read, names, hash_bits if hashed else None, bias)
    return Features(None, tuple(columns), bias, schema.to_bytes())


def _categories(dataset: DataFrame, columns: list[str], most: int) -> dict[str, list[str]] | None:
    """The values of string columns, unless there are more than asked for: then names are hashed, and nobody keeps them."""
    found: dict[str, list[str]] = {}
    left = most
    for name in columns:
        values = dataset.select(quoted(name).alias("v")).where("v is not null").distinct().limit(left + 1).collect()
        if len(values) > left:
            return None
        left -= len(values)
        found[name] = sorted(row.v for row in values)
    return found


def _names(kinds: dict[str, T.DataType], categories: dict[str, list[str]], missing: str) -> list[str]:
    """All features that named columns can become, in an order that does not depend on the partitions."""
    names: list[str] = [name for name, kind in kinds.items() if is_number(kind)]
    for name, kind in kinds.items():
        if isinstance(kind, _DATES):
            names.append(f"{name}.year")
            names += [f"{name}.month={month}" for month in range(1, 13)]
            names += [f"{name}.weekday={day}" for day in range(1, 8)]
            if not isinstance(kind, T.DateType):
                names += [f"{name}.hour={hour}" for hour in range(24)]
        names += [f"{name}={value}" for value in categories.get(name, ())]
        if missing == "indicator":
            names.append(f"{name}=missing")
    return names


@dataclass
class PackedRows:
    """The rows of all partitions, packed, cached on the executors; and what the driver knows of them."""

    rdd: RDD[Any]
    rows: int
    values: int
    width: int
    norm_sq: float
    largest: float
    #: The labels with their numbers of rows.
    labels: dict[str, int]
    #: The numbers of the partitions that have rows.
    filled: list[int]
    #: The partition of each block, and what the block says about itself.
    facts: list[tuple[int, str]]

    @property
    def partitions(self) -> int:
        """How many partitions have rows."""
        return len(self.filled)

    @property
    def blocks(self) -> int:
        """How many blocks there are."""
        return len(self.facts)

    def unpersist(self) -> None:
        """The executors forget the rows."""
        self.rdd.unpersist()


def as_bytes(rdd: RDD[Any]) -> RDD[Any]:
    """An RDD that was just made of another one and whose elements are bytes: they are kept as they are, without pickles around them."""
    rdd._jrdd_deserializer = NoOpSerializer()  # type: ignore[attr-defined]
    return rdd


def pack(
    dataset: DataFrame,
    features: Features,
    label: str,
    weight: str | None,
    targets: bool,
    partitions: int,
    block_mb: int,
    shuffle: int | None = None,
) -> PackedRows:
    """Packs the rows of every partition, in a random order of this seed if there is one. They travel as Arrow, once."""
    kind = field(dataset, label, "labelCol").dataType
    if not (is_number(kind) or isinstance(kind, T.StringType)):
        raise ValueError(f"labelCol={label!r}: must hold numbers, booleans or strings, got {kind.simpleString()}")
    columns = [*features.select(dataset), (quoted(label).cast("double") if is_number(kind) else quoted(label)).alias(_LABEL)]
    if weight:
        if not is_number(field(dataset, weight, "weightCol").dataType):
            raise ValueError(f"weightCol={weight!r}: must hold numbers")
        columns.append(quoted(weight).cast("double").alias(_WEIGHT))
    chosen = _in_partitions(dataset.select(columns), partitions, shuffle)
    words = {
        "features": features.words(),
        "label": _LABEL,
        "weight": _WEIGHT if weight else None,
        "targets": targets,
        "block_bytes": block_mb << 20,
    }
    packed = chosen.mapInArrow(_packer(words, features.schema), "block binary")
    # from here the JVM keeps the blocks as arrays of bytes: they go to Python for a round, and to nobody else
    session = dataset.sparkSession
    blocks = getattr(packed._jdf, "as")(_binary(session)).javaRDD()  # type: ignore[attr-defined]
    return known(RDD(blocks, session.sparkContext, NoOpSerializer()), session)


def _binary(session: SparkSession) -> Any:
    """The JVM's encoder of arrays of bytes."""
    return session.sparkContext._jvm.org.apache.spark.sql.Encoders.BINARY()  # type: ignore[union-attr]


def _in_partitions(dataset: DataFrame, partitions: int, shuffle: int | None) -> DataFrame:
    """The same rows in as many partitions, 0 for those they are in. Inside each partition their order is the same each time: the order they had, or a random one of
    a seed. Rows of a shuffle come in the order in which the network brings them, so each keeps the number of its place."""
    now = dataset.rdd.getNumPartitions()
    partitions = partitions or now
    if partitions <= now and shuffle is None:
        return dataset if partitions == now else dataset.coalesce(partitions)
    numbered = dataset.withColumn(_PLACE, F.monotonically_increasing_id())
    if partitions != now:
        numbered = numbered.repartition(partitions) if partitions > now else numbered.coalesce(partitions)
    order = [] if shuffle is None else [F.xxhash64(F.lit(shuffle), F.col(_PLACE))]
    return numbered.sortWithinPartitions(*order, _PLACE).drop(_PLACE)


def settle() -> None:
    """What the Python process of an executor has imported is left out of its garbage collections, once: Spark collects after every task, and to look through
    all modules each time takes longer than a pass over a block."""
    if gc.get_freeze_count() == 0:
        gc.collect()
        gc.freeze()


def _packer(words: dict[str, Any], schema: bytes | None) -> Callable[[Iterator[Any]], Iterator[Any]]:
    def work(batches: Iterator[Any]) -> Iterator[Any]:
        import pyarrow as pa

        settle()
        context = TaskContext.get()
        model = None if schema is None else _native.Model.from_bytes(schema)
        packer = _native.Packer(words, context.partitionId() if context else 0, model)

        def batch(block: bytes) -> Any:
            # the bytes of the block themselves: pyarrow would copy a list of them
            ends = pa.py_buffer(struct.pack("<ii", 0, len(block)))
            column = pa.Array.from_buffers(pa.binary(), 1, [None, ends, pa.py_buffer(block)])
            return pa.record_batch([column], names=["block"])

        for part in batches:
            block = packer.add(part)
            if block is not None:
                yield batch(block)
        block = packer.finish()
        if block is not None:
            yield batch(block)

    return work


@contextmanager
def own_errors() -> Iterator[None]:
    """What the compiled part refused on an executor is a ``ValueError`` on the driver too, without Spark's traces around it."""
    try:
        yield
    except Exception as error:
        found = re.findall(r"^ValueError: (.+)$", str(error), flags=re.MULTILINE)
        if isinstance(error, ValueError) or not found:
            raise
        raise ValueError(found[-1]) from error


# A block ends with facts, and with eight digits that say how long they are.
_LENGTH = "int(string(substring(value, -8)))"
_FACTS = f"string(substring(value, -8 - {_LENGTH}, {_LENGTH}))"


def known(rdd: RDD[Any], session: SparkSession) -> PackedRows:
    """Keeps packed rows on the executors, and looks at the end of each block. The JVM does both: no block goes to Python."""
    rdd.persist(KEPT)
    blocks = session._jsparkSession.createDataset(rdd._jrdd.rdd(), _binary(session))  # type: ignore[attr-defined]
    with own_errors():
        rows = DataFrame(blocks.toDF(), session).select(F.spark_partition_id(), F.expr(_FACTS)).collect()
    found = [(index, text) for index, text in rows]
    facts = [(index, json.loads(text)) for index, text in found]
    labels: dict[str, int] = {}
    for _, block in facts:
        for text, count in block["labels"]:
            labels[text] = labels.get(text, 0) + count
    return PackedRows(
        rdd=rdd,
        rows=sum(block["rows"] for _, block in facts),
        values=sum(block["values"] for _, block in facts),
        width=max((block["width"] for _, block in facts), default=0),
        norm_sq=sum(block["norm_sq"] for _, block in facts),
        largest=max((block["largest"] for _, block in facts), default=0.0),
        labels=labels,
        filled=sorted({index for index, _ in facts}),
        facts=found,
    )
