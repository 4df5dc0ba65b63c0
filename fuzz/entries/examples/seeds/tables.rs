//! Small Parquet and Arrow files: some by our own writers, some as others write them.

use std::sync::Arc;

use arrow_array::builder::{Float32Builder, ListBuilder};
use arrow_array::types::Int32Type;
use arrow_array::{
    ArrayRef, BooleanArray, Decimal128Array, DictionaryArray, Float32Array, Float64Array,
    Int16Array, Int64Array, RecordBatch, StringArray, StructArray,
};
use arrow_ipc::writer::{FileWriter, IpcWriteOptions, StreamWriter};
use arrow_ipc::{CompressionType, MetadataVersion};
use arrow_schema::{DataType, Field};
use novikoff::names::{NameLimits, Names};
use novikoff::rows::Rows;
use novikoff_data::write::columnar::{ArrowWriter, ParquetWriter};
use parquet::arrow::arrow_writer::ArrowWriterOptions;
use parquet::basic::{Compression, Encoding, ZstdLevel};
use parquet::file::properties::{
    EnabledStatistics, WriterProperties, WriterPropertiesBuilder, WriterVersion,
};

use crate::Outcome;

pub(crate) type Seeds = Vec<(&'static str, Vec<u8>)>;

/// Two named features and one without a name, and more features than get a column each.
fn rows(wide: bool) -> Rows {
    let mut rows = Rows::new();
    for (line, label) in (0..).zip(["+1", "-1"]) {
        rows.push_label(label.parse().unwrap_or(0.0), label.as_bytes());
        rows.push(1, 0.5);
        rows.push(if wide { 2000 } else { 3 }, -2.0);
        rows.end_row(line);
    }
    rows
}

pub(crate) fn names() -> Outcome<Names> {
    let mut names = Names::new();
    let limits = NameLimits {
        slots: 9,
        bytes: 1 << 10,
    };
    for name in ["red", "c=1"] {
        names.assign(name, limits)?;
    }
    Ok(names)
}

fn table(columns: Vec<(&str, ArrayRef)>) -> Outcome<RecordBatch> {
    Ok(RecordBatch::try_from_iter(columns)?)
}

fn label() -> ArrayRef {
    Arc::new(Int64Array::from(vec![1, -1, 1]))
}

fn lists() -> ArrayRef {
    let mut lists = ListBuilder::new(Float32Builder::new());
    for list in [&[1.0, 2.0][..], &[], &[0.5]] {
        lists.append_value(list.iter().copied().map(Some));
    }
    Arc::new(lists.finish())
}

fn structs() -> ArrayRef {
    let field = |name, kind| Arc::new(Field::new(name, kind, false));
    let reals: ArrayRef = Arc::new(Float64Array::from(vec![0.5, 1e-3, -2.0]));
    let truths: ArrayRef = Arc::new(BooleanArray::from(vec![true, false, true]));
    Arc::new(StructArray::from(vec![
        (field("r", DataType::Float64), reals),
        (field("t", DataType::Boolean), truths),
    ]))
}

fn categories() -> ArrayRef {
    let values = ["red", "blue", "red"];
    Arc::new(values.into_iter().collect::<DictionaryArray<Int32Type>>())
}

/// What each column may be.
fn tables() -> Outcome<Vec<(&'static str, RecordBatch)>> {
    let numbers = Arc::new(Float32Array::from(vec![0.5, 0.0, -3.0]));
    let nulls = Arc::new(Int16Array::from(vec![Some(1), None, Some(3)]));
    let texts = Arc::new(StringArray::from(vec![Some("a"), None, Some("b")]));
    let decimals = Decimal128Array::from(vec![125, -5, 0]).with_precision_and_scale(5, 2)?;
    Ok(vec![
        ("numbers", table(vec![("y", label()), ("a", numbers)])?),
        ("nulls", table(vec![("y", texts), ("a", nulls)])?),
        ("lists", table(vec![("y", label()), ("a", lists())])?),
        ("struct", table(vec![("y", label()), ("a", structs())])?),
        (
            "categories",
            table(vec![("y", label()), ("a", categories())])?,
        ),
        (
            "decimals",
            table(vec![("y", label()), ("a", Arc::new(decimals))])?,
        ),
    ])
}

fn plain() -> WriterPropertiesBuilder {
    WriterProperties::builder()
        .set_created_by("a".to_owned())
        .set_statistics_enabled(EnabledStatistics::None)
        .set_offset_index_disabled(true)
}

fn as_parquet(
    table: &RecordBatch,
    properties: WriterPropertiesBuilder,
    bare: bool,
) -> Outcome<Vec<u8>> {
    let options = ArrowWriterOptions::new()
        .with_properties(properties.build())
        .with_skip_arrow_metadata(bare);
    let mut writer =
        parquet::arrow::ArrowWriter::try_new_with_options(Vec::new(), table.schema(), options)?;
    writer.write(table)?;
    Ok(writer.into_inner()?)
}

pub(crate) fn parquet() -> Outcome<Seeds> {
    let mut seeds = Vec::new();
    for (name, table) in tables()? {
        seeds.push((name, as_parquet(&table, plain(), true)?));
        match name {
            "numbers" => {
                let groups = plain().set_max_row_group_row_count(Some(2));
                seeds.push(("row-groups", as_parquet(&table, groups, true)?));
                let zstd = Compression::ZSTD(ZstdLevel::default());
                let zstd = plain().set_compression(zstd).set_dictionary_enabled(false);
                seeds.push(("zstd", as_parquet(&table, zstd, true)?));
                let none = as_parquet(&table.slice(0, 0), plain(), true)?;
                seeds.push(("no-rows", none));
            }
            "lists" => {
                let second = plain()
                    .set_writer_version(WriterVersion::PARQUET_2_0)
                    .set_compression(Compression::LZ4_RAW);
                seeds.push(("lists-v2", as_parquet(&table, second, true)?));
            }
            "nulls" => {
                let delta = plain()
                    .set_dictionary_enabled(false)
                    .set_encoding(Encoding::DELTA_BYTE_ARRAY)
                    .set_column_encoding("a".into(), Encoding::DELTA_BINARY_PACKED);
                seeds.push(("delta", as_parquet(&table, delta, true)?));
            }
            // what Arrow says of the columns stands in the footer too
            "categories" => {
                seeds.push(("categories-schema", as_parquet(&table, plain(), false)?));
            }
            _ => {}
        }
    }
    let written = |width, names: &Names, rows: &Rows| -> Outcome<Vec<u8>> {
        let mut writer = ParquetWriter::new(Vec::new(), width, names)?;
        writer.write(rows.view())?;
        Ok(writer.finish()?)
    };
    let ours = written(3, &names()?, &rows(false))?;
    seeds.push(("cut", ours[..ours.len() / 2].to_vec()));
    seeds.push(("ours", ours));
    let sparse = written(2000, &Names::new(), &rows(true))?;
    seeds.push(("ours-sparse", sparse));
    Ok(seeds)
}

/// As small as Arrow's files can be.
fn packed() -> Outcome<IpcWriteOptions> {
    Ok(IpcWriteOptions::try_new(8, false, MetadataVersion::V5)?)
}

fn as_file(table: &RecordBatch, options: IpcWriteOptions) -> Outcome<Vec<u8>> {
    let mut writer = FileWriter::try_new_with_options(Vec::new(), &table.schema(), options)?;
    writer.write(table)?;
    Ok(writer.into_inner()?)
}

/// Each table twice, that there are several batches.
fn as_stream(table: &RecordBatch, options: IpcWriteOptions) -> Outcome<Vec<u8>> {
    let mut writer = StreamWriter::try_new_with_options(Vec::new(), &table.schema(), options)?;
    writer.write(table)?;
    writer.write(table)?;
    Ok(writer.into_inner()?)
}

pub(crate) fn arrow() -> Outcome<Seeds> {
    let mut seeds = Vec::new();
    for (name, table) in tables()? {
        seeds.push((name, as_file(&table, packed()?)?));
        match name {
            "lists" => seeds.push(("lists-stream", as_stream(&table, packed()?)?)),
            "categories" => seeds.push(("categories-stream", as_stream(&table, packed()?)?)),
            "numbers" => {
                let zstd = packed()?.try_with_compression(Some(CompressionType::ZSTD))?;
                seeds.push(("zstd", as_file(&table, zstd)?));
                let lz4 = packed()?.try_with_compression(Some(CompressionType::LZ4_FRAME))?;
                seeds.push(("lz4-stream", as_stream(&table, lz4)?));
                seeds.push(("no-rows", as_file(&table.slice(0, 0), packed()?)?));
            }
            _ => {}
        }
    }
    let written = |width, names: &Names, rows: &Rows| -> Outcome<Vec<u8>> {
        let mut writer = ArrowWriter::new(Vec::new(), width, names)?;
        writer.write(rows.view())?;
        Ok(writer.finish()?)
    };
    let ours = written(3, &names()?, &rows(false))?;
    seeds.push(("cut", ours[..ours.len() / 2].to_vec()));
    seeds.push(("ours", ours));
    let sparse = written(2000, &Names::new(), &rows(true))?;
    seeds.push(("ours-sparse", sparse));
    Ok(seeds)
}
