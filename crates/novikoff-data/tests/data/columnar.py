"""Writes the Parquet and Arrow files of this directory: python columnar.py (pyarrow 26)."""

from decimal import Decimal

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq


def write(name, table, **options):
    options.setdefault("write_statistics", False)
    pq.write_table(table, f"{name}.parquet", **options)


# every kind of number, three rows in two row groups
numbers = {
    "label": pa.array([1, -1, None], pa.int64()),
    "u8": pa.array([255, 0, 7], pa.uint8()),
    "u16": pa.array([65535, 0, 7], pa.uint16()),
    "u32": pa.array([4294967295, 0, 7], pa.uint32()),
    "u64": pa.array([18446744073709551615, 0, 7], pa.uint64()),
    "i8": pa.array([-128, 0, 7], pa.int8()),
    "i16": pa.array([-32768, 0, 7], pa.int16()),
    "i32": pa.array([-2147483648, 0, 7], pa.int32()),
    "i64": pa.array([-9223372036854775808, 0, 7], pa.int64()),
    "f16": pa.array(np.array([0.5, 0, -7], np.float16)),
    "f32": pa.array([0.1, 0, -7], pa.float32()),
    "f64": pa.array([0.1, 0, -7], pa.float64()),
    "bool": pa.array([True, False, True]),
    "d9": pa.array([Decimal("12.34"), Decimal(0), Decimal("-7.5")], pa.decimal128(9, 2)),
    "d38": pa.array([Decimal("16777217"), Decimal(0), Decimal("-7.5")], pa.decimal128(38, 4)),
    "d76": pa.array([Decimal(10) ** 30, Decimal(0), Decimal("-7.5")], pa.decimal256(76, 4)),
}
write("numbers", pa.table(numbers), row_group_size=2, compression="snappy")

# one table in every compression, with values that compress
few = pa.table(
    {
        "label": ["yes", "no", "no", None] * 3,
        "x": pa.array([0.5, 0.25, 0, -1] * 3, pa.float32()),
        "colour": pa.array(["red", "green", "red", "blue"] * 3).dictionary_encode(),
    }
)
for compression in ["none", "snappy", "gzip", "zstd", "lz4", "brotli"]:
    write(compression, few, compression=compression, row_group_size=5)

# strings in every encoding
words = ["a", "", "abc", "abcd", "\u00e9t\u00e9", "abcd"]
strings = pa.table(
    {
        "y": words,
        "plain": words,
        "length": words,
        "prefix": words,
        "large": pa.array(words, pa.large_string()),
        "view": pa.array(words, pa.string_view()),
    }
)
encodings = {
    "y": "PLAIN",
    "plain": "PLAIN",
    "length": "DELTA_LENGTH_BYTE_ARRAY",
    "prefix": "DELTA_BYTE_ARRAY",
}
for version in ["1.0", "2.0"]:
    write(
        f"strings-v{version[0]}",
        strings,
        use_dictionary=["large", "view"],
        column_encoding=encodings,
        data_page_version=version,
    )

# lists and structs
nested = pa.table(
    {
        "class": pa.array([["a", "b"], [], ["c"]], pa.list_(pa.string())),
        "list": pa.array([[1.5, 0, 2], [], [4]], pa.list_(pa.float32())),
        "large": pa.array([[1], [2, 3], []], pa.large_list(pa.int16())),
        "fixed": pa.array([[1, 2], [3, 0], [5, 6]], pa.list_(pa.float64(), 2)),
        "struct": [
            {"n": 1, "s": "u", "l": [0.5], "in": {"b": True}},
            {"n": 2, "s": "v", "l": [], "in": {"b": False}},
            {"n": 3, "s": "u", "l": [0.25, 8.0], "in": {"b": True}},
        ],
    }
)
write("nested", nested)

# sparse rows, ours and Spark's
sparse = pa.struct([("indices", pa.list_(pa.uint32())), ("values", pa.list_(pa.float32()))])
rows = [
    {"indices": [1, 5000], "values": [0.5, -2]},
    {"indices": [], "values": []},
    {"indices": [9, 3, 4], "values": [1, 2, 0]},
]
write("sparse", pa.table({"label": [1, 0, 1], "features": pa.array(rows, sparse)}))
spark = pa.struct(
    [
        ("type", pa.int8()),
        ("size", pa.int32()),
        ("indices", pa.list_(pa.int32())),
        ("values", pa.list_(pa.float64())),
    ]
)
rows = [
    {"type": 0, "size": 6, "indices": [0, 5], "values": [0.5, -2]},
    {"type": 1, "size": None, "indices": None, "values": [1, 0, 3]},
]
write("spark", pa.table({"label": [1.0, 0.0], "features": pa.array(rows, spark)}))

# nulls of every kind
nulls = pa.table(
    {
        "label": ["a", None, "b"],
        "number": pa.array([1, None, 3], pa.int32()),
        "text": ["x", "y", None],
        "key": pa.array([None, "k", "k"]).dictionary_encode(),
        "list": pa.array([[1, None], None, [2]], pa.list_(pa.float32())),
        "struct": pa.array([{"n": 1.0}, {"n": None}, None], pa.struct([("n", pa.float64())])),
    }
)
write("nulls", nulls)

# Arrow IPC, in several batches; dictionaries that grow and that are replaced
for compression in ["lz4", "zstd"]:
    options = pa.ipc.IpcWriteOptions(compression=compression)
    with pa.ipc.new_file(f"{compression}.arrow", few.schema, options=options) as writer:
        writer.write_table(few, max_chunksize=5)
with pa.ipc.new_stream("nested.arrows", nested.schema) as writer:
    writer.write_table(nested, max_chunksize=2)
keys = pa.schema([("label", pa.int8()), ("colour", pa.dictionary(pa.int8(), pa.string()))])
for name, options in [
    ("replaced", pa.ipc.IpcWriteOptions()),
    ("delta", pa.ipc.IpcWriteOptions(emit_dictionary_deltas=True)),
]:
    with pa.ipc.new_stream(f"{name}.arrows", keys, options=options) as writer:
        for colours in [["red", "green"], ["red", "green", "blue"]]:
            places = list(range(len(colours))) + [0]
            column = pa.DictionaryArray.from_arrays(pa.array(places, pa.int8()), colours)
            labels = pa.array([1] * len(places), pa.int8())
            writer.write_batch(pa.record_batch([labels, column], schema=keys))
