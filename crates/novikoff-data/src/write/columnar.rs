//! Rows as Parquet and Arrow IPC files: one column a feature, or one sparse column for wide rows.

use std::io::{self, Write};
use std::sync::Arc;

use arrow_array::builder::{Float32Builder, ListBuilder, StringBuilder, UInt32Builder};
use arrow_array::{ArrayRef, Float32Array, RecordBatch, StructArray};
use arrow_ipc::writer::FileWriter;
use arrow_schema::{DataType, Field, Fields, Schema};
use novikoff::names::Names;
use novikoff::rows::Block;
use parquet::arrow::ArrowWriter as Parquet;
use parquet::basic::Compression;
use parquet::file::properties::WriterProperties;

/// Rows with more features than this are one column of `indices` and `values`.
const MAX_COLUMNS: u32 = 1000;

/// So many rows make a batch.
const BATCH: usize = 8192;

/// Where batches go.
enum Out<W: Write + Send> {
    Parquet(Box<Parquet<W>>),
    Arrow(Box<FileWriter<W>>),
}

/// Writes blocks of rows as a Parquet or an Arrow IPC file.
///
/// The column `label` holds the labels' text, null where a row has none. Up to 1,000 features are
/// columns of `f32` called by their names or numbers; wider rows are one column `features`, a struct of
/// `indices` (counted from 1) and `values`, which knows numbers only. The constant feature (slot 0) is
/// not written, for it is an option of the run and not data.
pub struct ColumnarWriter<W: Write + Send> {
    out: Out<W>,
    schema: Arc<Schema>,
    width: u32,
    /// Rows may have several labels.
    several: bool,
}

/// Which file to write.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// Apache Parquet, compressed by zstd.
    Parquet,
    /// Apache Arrow IPC, the file format.
    Arrow,
}

impl<W: Write + Send> ColumnarWriter<W> {
    /// Begins a file for rows of `width` features; `several` if a row may have several labels.
    pub fn new(out: W, kind: Kind, names: &Names, width: u32, several: bool) -> io::Result<Self> {
        let text = Field::new("item", DataType::Utf8, true);
        let label = if several {
            DataType::List(Arc::new(text))
        } else {
            DataType::Utf8
        };
        let mut fields = vec![Field::new("label", label, true)];
        if width <= MAX_COLUMNS {
            for slot in 1..=width {
                let name = names
                    .name(slot)
                    .map_or_else(|| slot.to_string(), str::to_owned);
                if name.eq_ignore_ascii_case("label") {
                    return Err(bad(
                        "a feature is called label, as the label's column is; rename it".to_owned(),
                    ));
                }
                fields.push(Field::new(name, DataType::Float32, false));
            }
        } else if names.iter().next().is_some() {
            return Err(bad(format!(
                "{width} named features are too many columns, of which there may be {MAX_COLUMNS}; choose .vw or .nvk"
            )));
        } else {
            fields.push(Field::new(
                "features",
                DataType::Struct(sparse_fields()),
                false,
            ));
        }
        let schema = Arc::new(Schema::new(fields));
        let out = match kind {
            Kind::Parquet => {
                let zstd = Compression::ZSTD(parquet::basic::ZstdLevel::default());
                let properties = WriterProperties::builder().set_compression(zstd).build();
                let writer = Parquet::try_new(out, Arc::clone(&schema), Some(properties));
                Out::Parquet(Box::new(writer.map_err(io::Error::other)?))
            }
            Kind::Arrow => {
                let writer = FileWriter::try_new(out, &schema);
                Out::Arrow(Box::new(writer.map_err(io::Error::other)?))
            }
        };
        Ok(ColumnarWriter {
            out,
            schema,
            width,
            several,
        })
    }

    /// Writes all rows of a block. Weights, features past the width and unexpected labels are
    /// `InvalidInput`.
    pub fn write(&mut self, rows: Block<'_>) -> io::Result<()> {
        let mut first = 0;
        while first < rows.len() {
            let end = (first + BATCH).min(rows.len());
            let mut columns = vec![self.labels(rows, first..end)?];
            if self.width <= MAX_COLUMNS {
                columns.extend(self.dense(rows, first..end)?);
            } else {
                columns.push(sparse(rows, first..end));
            }
            let batch = RecordBatch::try_new(Arc::clone(&self.schema), columns);
            let batch = batch.map_err(io::Error::other)?;
            match &mut self.out {
                Out::Parquet(out) => out.write(&batch).map_err(io::Error::other)?,
                Out::Arrow(out) => out.write(&batch).map_err(io::Error::other)?,
            }
            first = end;
        }
        Ok(())
    }

    /// Writes the rest, and gives back what was written to.
    pub fn finish(self) -> io::Result<W> {
        match self.out {
            Out::Parquet(out) => out.into_inner().map_err(io::Error::other),
            Out::Arrow(mut out) => {
                out.finish().map_err(io::Error::other)?;
                out.into_inner().map_err(io::Error::other)
            }
        }
    }

    fn labels(&self, rows: Block<'_>, range: std::ops::Range<usize>) -> io::Result<ArrayRef> {
        let mut one = StringBuilder::new();
        let mut many = ListBuilder::new(StringBuilder::new());
        for i in range {
            let weight = rows.weight(i);
            if weight != 1.0 {
                return Err(bad(format!(
                    "a row has weight {weight}, and this format keeps no weights; choose .vw or .nvk"
                )));
            }
            let labels = rows.labels(i);
            let count = labels.len();
            if count > 1 && !self.several {
                return Err(bad(format!(
                    "a row has {count} labels, but the first ones have one"
                )));
            }
            if count == 0 && !self.several {
                one.append_null();
            }
            for label in labels {
                let text = std::str::from_utf8(label.text())
                    .map_err(|_| bad("a label is not UTF-8".to_owned()))?;
                if self.several {
                    many.values().append_value(text);
                } else {
                    one.append_value(text);
                }
            }
            if self.several {
                many.append(true);
            }
        }
        Ok(if self.several {
            Arc::new(many.finish())
        } else {
            Arc::new(one.finish())
        })
    }

    fn dense(&self, rows: Block<'_>, range: std::ops::Range<usize>) -> io::Result<Vec<ArrayRef>> {
        let mut columns = vec![vec![0.0_f32; range.len()]; self.width as usize];
        for (at, i) in range.enumerate() {
            for (slot, value) in rows.row(i).iter().filter(|&(slot, _)| slot != 0) {
                let Some(column) = columns.get_mut(slot - 1) else {
                    return Err(bad(format!(
                        "feature {slot} is past the width of {}",
                        self.width
                    )));
                };
                column[at] = value as f32; // was one: exact
            }
        }
        let column = |values: Vec<f32>| Arc::new(Float32Array::from(values)) as ArrayRef;
        Ok(columns.into_iter().map(column).collect())
    }
}

fn bad(what: String) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidInput, what)
}

fn list_of(kind: DataType) -> DataType {
    DataType::List(Arc::new(Field::new("item", kind, true)))
}

fn sparse_fields() -> Fields {
    Fields::from(vec![
        Field::new("indices", list_of(DataType::UInt32), false),
        Field::new("values", list_of(DataType::Float32), false),
    ])
}

/// Rows as a struct of two lists.
fn sparse(rows: Block<'_>, range: std::ops::Range<usize>) -> ArrayRef {
    let mut indices = ListBuilder::new(UInt32Builder::new());
    let mut values = ListBuilder::new(Float32Builder::new());
    for i in range {
        for (slot, value) in rows.row(i).iter().filter(|&(slot, _)| slot != 0) {
            indices.values().append_value(slot as u32);
            values.values().append_value(value as f32); // was one: exact
        }
        indices.append(true);
        values.append(true);
    }
    let columns: Vec<ArrayRef> = vec![Arc::new(indices.finish()), Arc::new(values.finish())];
    Arc::new(StructArray::new(sparse_fields(), columns, None))
}
