//! Rows as Parquet and as an Arrow IPC file.
//!
//! Up to 1000 features are columns of `f32`, named as the features are. More are one column
//! `features` of structs: the lists `indices`, numbers of features counted from 1, and `values`. The
//! column `label` has the labels as written, null for none; lists of them if some row of the first
//! block has several. Reading gives the same rows, labels and slots.
//!
//! The constant feature (slot 0) is not written, for it is an option of the run and not data.

use std::io::{self, Write};
use std::ops::Range;
use std::sync::Arc;

use arrow_array::builder::{Float32Builder, ListBuilder, StringBuilder, UInt32Builder};
use arrow_array::{ArrayRef, Float32Array, RecordBatch, StructArray};
use arrow_ipc::writer::FileWriter;
use arrow_schema::{ArrowError, DataType, Field, Fields, Schema, SchemaRef};
use novikoff::names::Names;
use novikoff::rows::Block;
use parquet::basic::Compression;
use parquet::errors::ParquetError;
use parquet::file::properties::WriterProperties;

/// The most features that get a column each.
const COLUMNS: u32 = 1000;

/// A batch has no more rows, so that all columns of it are 16 MB at most.
const BATCH: usize = 4096;

/// Nor does a batch of sparse rows have more values, eight bytes each, unless one row has.
const BATCH_VALUES: u64 = 2 << 20;

/// A row group ends when it has this many bytes.
const ROW_GROUP: usize = 64 << 20;

/// Writes blocks of rows as Parquet.
pub struct ParquetWriter<W: Write + Send> {
    layout: ColumnLayout,
    writer: Sink<W, parquet::arrow::ArrowWriter<W>>,
}

/// Writes blocks of rows as an Arrow IPC file.
pub struct ArrowWriter<W: Write> {
    layout: ColumnLayout,
    writer: Sink<W, FileWriter<W>>,
}

/// Where batches go; what kind of labels they have is known with the first.
enum Sink<W, T> {
    Waiting(W),
    Open(Box<T>),
    Failed,
}

impl<W, T> Sink<W, T> {
    /// Opens what is waiting.
    fn open(&mut self, open: impl FnOnce(W) -> io::Result<T>) -> io::Result<&mut T> {
        *self = match std::mem::replace(self, Sink::Failed) {
            Sink::Waiting(out) => Sink::Open(Box::new(open(out)?)),
            other => other,
        };
        match self {
            Sink::Open(writer) => Ok(writer),
            _ => Err(io::Error::other("an earlier write failed")),
        }
    }
}

impl<W: Write + Send> ParquetWriter<W> {
    /// Rows of at most `width` features; some may have names.
    pub fn new(out: W, width: u32, names: &Names) -> io::Result<Self> {
        Ok(ParquetWriter {
            layout: ColumnLayout::new(width, names)?,
            writer: Sink::Waiting(out),
        })
    }

    /// Writes all rows of a block. What has no place in columns is `InvalidInput`.
    pub fn write(&mut self, rows: Block<'_>) -> io::Result<()> {
        self.layout.begin(rows)?;
        let mut start = 0;
        while start < rows.len() {
            let end = self.layout.cut(rows, start);
            let batch = self.layout.batch(rows, start..end)?;
            let writer = self.open()?;
            writer.write(&batch).map_err(from_parquet)?;
            if writer.in_progress_size() > ROW_GROUP {
                writer.flush().map_err(from_parquet)?;
            }
            start = end;
        }
        Ok(())
    }

    /// Writes the end, and gives back what was written to.
    pub fn finish(mut self) -> io::Result<W> {
        self.open()?;
        match self.writer {
            Sink::Open(writer) => writer.into_inner().map_err(from_parquet),
            _ => Err(io::Error::other("an earlier write failed")),
        }
    }

    fn open(&mut self) -> io::Result<&mut parquet::arrow::ArrowWriter<W>> {
        let schema = self.layout.schema(false);
        self.writer.open(|out| {
            let properties = WriterProperties::builder()
                .set_created_by("novikoff".to_owned())
                .set_compression(Compression::SNAPPY)
                .build();
            parquet::arrow::ArrowWriter::try_new(out, schema, Some(properties))
                .map_err(from_parquet)
        })
    }
}

impl<W: Write> ArrowWriter<W> {
    /// Rows of at most `width` features; some may have names.
    pub fn new(out: W, width: u32, names: &Names) -> io::Result<Self> {
        Ok(ArrowWriter {
            layout: ColumnLayout::new(width, names)?,
            writer: Sink::Waiting(out),
        })
    }

    /// Writes all rows of a block. What has no place in columns is `InvalidInput`.
    pub fn write(&mut self, rows: Block<'_>) -> io::Result<()> {
        self.layout.begin(rows)?;
        let mut start = 0;
        while start < rows.len() {
            let end = self.layout.cut(rows, start);
            let batch = self.layout.batch(rows, start..end)?;
            self.open()?.write(&batch).map_err(from_arrow)?;
            start = end;
        }
        Ok(())
    }

    /// Writes the end, and gives back what was written to.
    pub fn finish(mut self) -> io::Result<W> {
        self.open()?;
        match self.writer {
            Sink::Open(writer) => writer.into_inner().map_err(from_arrow),
            _ => Err(io::Error::other("an earlier write failed")),
        }
    }

    fn open(&mut self) -> io::Result<&mut FileWriter<W>> {
        let schema = self.layout.schema(false);
        self.writer
            .open(|out| FileWriter::try_new(out, &schema).map_err(from_arrow))
    }
}

/// Which column holds what.
struct ColumnLayout {
    width: u32,
    /// Names of the features' columns; none if they are sparse.
    columns: Option<Vec<String>>,
    schema: Option<SchemaRef>,
    /// Labels are lists.
    several: bool,
}

fn invalid(what: String) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidInput, what)
}

/// The fields of a sparse row.
fn sparse_fields() -> Fields {
    let list = |name: &str, kind| Field::new_list(name, Field::new("item", kind, false), false);
    Fields::from(vec![
        list("indices", DataType::UInt32),
        list("values", DataType::Float32),
    ])
}

impl ColumnLayout {
    fn new(width: u32, names: &Names) -> io::Result<Self> {
        let columns = if width <= COLUMNS {
            let name = |slot| match names.name(slot) {
                Some(name) => name.to_owned(),
                None => slot.to_string(),
            };
            Some((1..=width).map(name).collect())
        } else if let Some((_, name)) = names.iter().next() {
            return Err(invalid(format!(
                "{width} features are too many for a column each, and without columns their names, \
                 such as `{name}`, are lost; write vw or .nvk, which keep them"
            )));
        } else {
            None
        };
        Ok(ColumnLayout {
            width,
            columns,
            schema: None,
            several: false,
        })
    }

    /// The schema, decided when it is first asked for.
    fn schema(&mut self, several: bool) -> SchemaRef {
        if let Some(schema) = &self.schema {
            return Arc::clone(schema);
        }
        self.several = several;
        let mut label = "label".to_owned();
        while self.columns.iter().flatten().any(|name| *name == label) {
            label.push('_');
        }
        let text = DataType::Utf8;
        let mut fields = vec![if several {
            Field::new_list(label, Field::new("item", text, false), true)
        } else {
            Field::new(label, text, true)
        }];
        match &self.columns {
            Some(names) => {
                let column = |name: &String| Field::new(name, DataType::Float32, false);
                fields.extend(names.iter().map(column));
            }
            None => fields.push(Field::new_struct("features", sparse_fields(), false)),
        }
        let schema = Arc::new(Schema::new(fields));
        self.schema = Some(Arc::clone(&schema));
        schema
    }

    /// Looks at a block: whether its rows have a place in columns, and what their labels are.
    fn begin(&mut self, rows: Block<'_>) -> io::Result<()> {
        let several = (0..rows.len()).any(|i| rows.labels(i).len() > 1);
        self.schema(several);
        if several && !self.several {
            return Err(invalid(
                "a row with several labels, after rows with one at most; begin the data with such a \
                 row, or write svmlight"
                    .to_owned(),
            ));
        }
        if let Some(i) = (0..rows.len()).find(|&i| rows.weight(i) != 1.0) {
            return Err(invalid(format!(
                "a row has the weight {}, for which there is no column; write vw or .nvk, which keep \
                 weights",
                rows.weight(i)
            )));
        }
        Ok(())
    }

    /// Where the batch ends that begins with row `start`.
    fn cut(&self, rows: Block<'_>, start: usize) -> usize {
        let end = rows.len().min(start + BATCH);
        if self.columns.is_some() {
            return end;
        }
        let before = start.checked_sub(1).map_or(0, |i| rows.ends[i]);
        let fits = |&end: &u64| end - before <= BATCH_VALUES;
        start + rows.ends[start..end].partition_point(fits).max(1)
    }

    fn batch(&mut self, rows: Block<'_>, part: Range<usize>) -> io::Result<RecordBatch> {
        let schema = self.schema(false);
        let mut columns = vec![self.labels(rows, part.clone())?];
        match &self.columns {
            Some(names) => {
                let mut values = vec![vec![0.0_f32; part.len()]; names.len()];
                for (k, i) in part.enumerate() {
                    for (slot, value) in rows.row(i).iter().filter(|&(slot, _)| slot != 0) {
                        let column = values.get_mut(slot - 1);
                        let column = column.ok_or_else(|| self.too_wide(slot))?;
                        column[k] = value as f32; // was one: exact
                    }
                }
                let array = |column| Arc::new(Float32Array::from(column)) as ArrayRef;
                columns.extend(values.into_iter().map(array));
            }
            None => columns.push(self.features(rows, part)?),
        }
        RecordBatch::try_new(schema, columns).map_err(from_arrow)
    }

    fn too_wide(&self, slot: usize) -> io::Error {
        let width = self.width;
        invalid(format!(
            "feature {slot}, where {width} was said to be the last"
        ))
    }

    fn labels(&self, rows: Block<'_>, part: Range<usize>) -> io::Result<ArrayRef> {
        let mut one = StringBuilder::new();
        let field = Field::new("item", DataType::Utf8, false);
        let mut many = ListBuilder::new(StringBuilder::new()).with_field(field);
        for i in part {
            let labels = rows.labels(i);
            let any = labels.len() > 0;
            for label in labels {
                let Ok(text) = str::from_utf8(label.text()) else {
                    let text = String::from_utf8_lossy(label.text());
                    return Err(invalid(format!("label `{text}` is not UTF-8; rename it")));
                };
                if self.several {
                    many.values().append_value(text);
                } else {
                    one.append_value(text);
                }
            }
            if self.several {
                many.append(any);
            } else if !any {
                one.append_null();
            }
        }
        Ok(if self.several {
            Arc::new(many.finish())
        } else {
            Arc::new(one.finish())
        })
    }

    fn features(&self, rows: Block<'_>, part: Range<usize>) -> io::Result<ArrayRef> {
        let item = |kind| Field::new("item", kind, false);
        let indices = ListBuilder::new(UInt32Builder::new()).with_field(item(DataType::UInt32));
        let values = ListBuilder::new(Float32Builder::new()).with_field(item(DataType::Float32));
        let (mut indices, mut values) = (indices, values);
        for i in part {
            for (slot, value) in rows.row(i).iter().filter(|&(slot, _)| slot != 0) {
                if slot > self.width as usize {
                    return Err(self.too_wide(slot));
                }
                indices.values().append_value(slot as u32);
                values.values().append_value(value as f32); // was one: exact
            }
            indices.append(true);
            values.append(true);
        }
        let lists: Vec<ArrayRef> = vec![Arc::new(indices.finish()), Arc::new(values.finish())];
        Ok(Arc::new(StructArray::new(sparse_fields(), lists, None)))
    }
}

fn from_parquet(error: ParquetError) -> io::Error {
    match error {
        ParquetError::External(source) => match source.downcast::<io::Error>() {
            Ok(error) => *error,
            Err(source) => io::Error::other(source),
        },
        error => io::Error::other(error),
    }
}

fn from_arrow(error: ArrowError) -> io::Error {
    match error {
        ArrowError::IoError(_, error) => error,
        error => io::Error::other(error),
    }
}
