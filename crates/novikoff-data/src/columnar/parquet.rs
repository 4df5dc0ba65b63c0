//! Parquet: its footer, and its columns shared out among those who decode them.

use std::sync::Arc;

use arrow_array::RecordBatch;
use arrow_schema::{DataType, Field, FieldRef, Fields};
use novikoff::remedy::Complaint;
use parquet::arrow::arrow_reader::{ParquetRecordBatchReader, RowGroups};
use parquet::arrow::{
    FieldLevels, ProjectionMask, parquet_to_arrow_field_levels, parquet_to_arrow_schema,
};
use parquet::basic::{Compression, Encoding, Type};
use parquet::column::page::{PageIterator, PageReader};
use parquet::errors::{ParquetError, Result as ParquetResult};
use parquet::file::metadata::{
    ColumnChunkMetaData, ParquetMetaData, ParquetMetaDataReader, RowGroupMetaData,
};

use super::disk::Disk;
use super::fault::{content, damaged};
use super::look::Looks;
use super::pages::Pages;
use super::pool::{Part, batch_rows, nothing, spread};
use super::thrift::footer_is_sound;
use crate::error::{DataError, Token};
use crate::kinds::FIRST_ROWS;

/// The longest decimal, in bytes.
const WIDEST: i32 = 32;

/// A Parquet file whose footer was read.
pub(super) struct Parquet {
    file: String,
    disk: Arc<Disk>,
    metadata: Arc<ParquetMetaData>,
    /// The columns, as they are decoded.
    pub(super) fields: Fields,
}

impl Parquet {
    pub(super) fn open(disk: Disk, file: &str) -> Result<Self, DataError> {
        let broken = |why: &str| damaged(file, "Parquet", why);
        let failed = |error| DataError::io(file.as_ref(), error);
        if disk.size() < 12 {
            return Err(broken("it is too short"));
        }
        let tail = disk.bytes(disk.size() - 8, 8).map_err(failed)?;
        match &tail[4..] {
            b"PAR1" => {}
            b"PARE" => {
                let what = Complaint::new("is encrypted, which is not read", "decrypt it");
                return Err(content(file, what));
            }
            _ => return Err(broken("its end is missing")),
        }
        let len = u64::from(u32::from_le_bytes([tail[0], tail[1], tail[2], tail[3]]));
        if len > disk.size() - 12 {
            return Err(broken("its footer is longer than the file"));
        }
        let footer = disk.bytes(disk.size() - 8 - len, len).map_err(failed)?;
        if !footer_is_sound(&footer) {
            return Err(broken("its footer makes no sense"));
        }
        let metadata = ParquetMetaDataReader::decode_metadata(&footer)
            .map_err(|error| damaged(file, "Parquet", error))?;
        let about = metadata.file_metadata();
        let schema = parquet_to_arrow_schema(about.schema_descr(), about.key_value_metadata())
            .map_err(|error| damaged(file, "Parquet", error))?;
        if metadata
            .row_groups()
            .iter()
            .any(|group| group.num_rows() < 0)
        {
            return Err(broken("a row group of a negative number of rows"));
        }
        if schema.fields().len() != about.schema_descr().root_schema().get_fields().len() {
            return Err(broken("a column without fields"));
        }
        let mut leaf = 0;
        let fields = schema.fields().iter();
        let fields = fields.map(|field| retyped(field, &metadata, &mut leaf, false));
        Ok(Parquet {
            file: file.to_owned(),
            disk: Arc::new(disk),
            fields: fields.collect(),
            metadata: Arc::new(metadata),
        })
    }

    /// Looks at the first rows of some columns. What is wrong with them is said when they are read.
    pub(super) fn look(&self, looks: &mut Looks<'_>) -> Result<(), DataError> {
        let columns = looks.columns();
        if columns.is_empty() {
            return Ok(());
        }
        for group in self.metadata.row_groups() {
            group
                .columns()
                .iter()
                .try_for_each(|chunk| self.check(chunk))?;
        }
        let mut share = self.share(columns, FIRST_ROWS)?;
        while !looks.is_done() {
            let Ok(Some(batch)) = share.next() else {
                break;
            };
            let rows = batch.num_rows();
            let mut all = vec![nothing(rows); self.fields.len()];
            spread(&share.columns, &batch, |column, array| all[column] = array);
            if looks.add(&all, rows).is_err() {
                break;
            }
        }
        Ok(())
    }

    /// The columns that are read, shared out so that each part has about as much to decode. To be called once they
    /// are known to be of types that can be rows.
    pub(super) fn parts(
        self,
        threads: usize,
        reads: impl Fn(usize) -> bool,
    ) -> Result<Vec<Box<dyn Part>>, DataError> {
        let schema = self.metadata.file_metadata().schema_descr();
        let mut weights = vec![0_u64; self.fields.len()];
        let (mut values, mut rows) = (0, 0);
        // one column at least, to know how many rows there are
        let mut wanted: Vec<usize> = (0..self.fields.len()).filter(|&k| reads(k)).collect();
        if wanted.is_empty() {
            wanted.push(0);
        }
        for group in self.metadata.row_groups() {
            rows += group.num_rows() as u64;
            for (leaf, chunk) in group.columns().iter().enumerate() {
                let column = schema.get_column_root_idx(leaf);
                if wanted.binary_search(&column).is_err() {
                    continue;
                }
                self.check(chunk)?;
                values += u64::try_from(chunk.num_values()).unwrap_or(0);
                weights[column] += 1 + chunk.compressed_size() as u64;
            }
        }
        let count = if threads == 1 { 1 } else { 2 * threads };
        let rows = batch_rows(values, rows);
        let mut parts: Vec<Box<dyn Part>> = Vec::new();
        for columns in shares(wanted, &weights, count) {
            parts.push(Box::new(self.share(columns, rows)?));
        }
        Ok(parts)
    }

    /// Some columns, in batches of `rows` rows.
    fn share(&self, columns: Vec<usize>, rows: usize) -> Result<Share, DataError> {
        let schema = self.metadata.file_metadata().schema_descr();
        let mask = ProjectionMask::roots(schema, columns.iter().copied());
        let levels = parquet_to_arrow_field_levels(schema, mask, Some(&self.fields))
            .map_err(|error| damaged(&self.file, "Parquet", error))?;
        Ok(Share {
            file: self.file.clone(),
            disk: Arc::clone(&self.disk),
            metadata: Arc::clone(&self.metadata),
            columns,
            levels,
            rows,
            next_group: 0,
            left: 0,
            reader: None,
        })
    }

    fn check(&self, chunk: &ColumnChunkMetaData) -> Result<(), DataError> {
        let column = chunk.column_descr();
        let name = || Token::new(column.path().string().as_bytes());
        if let by @ (Compression::BROTLI(_) | Compression::LZO) = chunk.compression() {
            let by = if by == Compression::LZO {
                "LZO"
            } else {
                "Brotli"
            };
            let what = format!("column {} is compressed by {by}, which is not read", name());
            let remedy = "write it with snappy, zstd, gzip, lz4 or none";
            return Err(content(&self.file, Complaint::new(what, remedy)));
        }
        let wide = column.physical_type() == Type::FIXED_LEN_BYTE_ARRAY
            && !(1..=WIDEST).contains(&column.type_length());
        if wide || chunk.compressed_size() < 0 {
            let what = format!("column {} of an impossible size", name());
            return Err(damaged(&self.file, "Parquet", what));
        }
        Ok(())
    }
}

/// A field as it is decoded: strings stay dictionaries where all their pages are.
fn retyped(field: &FieldRef, file: &ParquetMetaData, leaf: &mut usize, listed: bool) -> FieldRef {
    let inner = |inner: &FieldRef, leaf: &mut usize| retyped(inner, file, leaf, true);
    let kind = match field.data_type() {
        DataType::Struct(fields) => {
            let fields = fields
                .iter()
                .map(|field| retyped(field, file, leaf, listed));
            DataType::Struct(fields.collect())
        }
        DataType::List(item) => DataType::List(inner(item, leaf)),
        DataType::LargeList(item) => DataType::LargeList(inner(item, leaf)),
        DataType::FixedSizeList(item, len) => DataType::FixedSizeList(inner(item, leaf), *len),
        DataType::Map(item, sorted) => DataType::Map(inner(item, leaf), *sorted),
        kind => {
            let text = match kind {
                DataType::Dictionary(_, value) => value,
                kind => kind,
            };
            let own = *leaf;
            *leaf += 1;
            match text {
                DataType::Utf8 | DataType::LargeUtf8 | DataType::Utf8View => {
                    let keys = !listed
                        && file
                            .row_groups()
                            .iter()
                            .all(|group| group.columns().get(own).is_some_and(all_keys));
                    if keys {
                        DataType::Dictionary(Box::new(DataType::Int32), Box::new(DataType::Utf8))
                    } else {
                        DataType::Utf8
                    }
                }
                _ => kind.clone(),
            }
        }
    };
    Arc::new(Field::clone(field).with_data_type(kind))
}

/// Whether all pages of values have places in a dictionary.
fn all_keys(chunk: &ColumnChunkMetaData) -> bool {
    let known = chunk.page_encoding_stats_mask();
    chunk.dictionary_page_offset().is_some()
        && known.is_some_and(|mask| {
            mask.is_only(Encoding::RLE_DICTIONARY) || mask.is_only(Encoding::PLAIN_DICTIONARY)
        })
}

/// Shares columns of these weights out: the heaviest first, each to the share that weighs least so far.
fn shares(mut order: Vec<usize>, weights: &[u64], count: usize) -> Vec<Vec<usize>> {
    order.sort_by_key(|&column| std::cmp::Reverse(weights[column]));
    let mut shares = vec![(0_u64, Vec::new()); count.min(order.len())];
    for column in order {
        if let Some((sum, share)) = shares.iter_mut().min_by_key(|(sum, _)| *sum) {
            *sum = sum.saturating_add(weights[column]);
            share.push(column);
        }
    }
    let sorted = |(_, mut share): (u64, Vec<usize>)| {
        share.sort_unstable();
        share
    };
    shares.into_iter().map(sorted).collect()
}

/// Some columns, decoded one batch after another.
struct Share {
    file: String,
    disk: Arc<Disk>,
    metadata: Arc<ParquetMetaData>,
    columns: Vec<usize>,
    levels: FieldLevels,
    /// Rows in a batch.
    rows: usize,
    next_group: usize,
    /// Rows of the current row group that are still to come.
    left: u64,
    reader: Option<ParquetRecordBatchReader>,
}

impl Part for Share {
    fn columns(&self) -> &[usize] {
        &self.columns
    }

    fn next(&mut self) -> Result<Option<RecordBatch>, DataError> {
        while self.left == 0 {
            self.reader = None;
            if self.next_group == self.metadata.num_row_groups() {
                return Ok(None);
            }
            let group = Group {
                disk: Arc::clone(&self.disk),
                metadata: Arc::clone(&self.metadata),
                index: self.next_group,
            };
            self.left = group.num_rows() as u64;
            self.next_group += 1;
            let reader = ParquetRecordBatchReader::try_new_with_row_groups(
                &self.levels,
                &group,
                self.rows,
                None,
            );
            self.reader = Some(reader.map_err(|error| damaged(&self.file, "Parquet", error))?);
        }
        let expected = self.left.min(self.rows as u64);
        let batch = match self.reader.as_mut().and_then(Iterator::next) {
            Some(batch) => batch.map_err(|error| damaged(&self.file, "Parquet", error))?,
            None => return Err(damaged(&self.file, "Parquet", "rows are missing")),
        };
        if batch.num_rows() as u64 != expected {
            let why = "its columns do not have as many rows as its footer says";
            return Err(damaged(&self.file, "Parquet", why));
        }
        self.left -= expected;
        Ok(Some(batch))
    }
}

/// One row group.
struct Group {
    disk: Arc<Disk>,
    metadata: Arc<ParquetMetaData>,
    index: usize,
}

impl RowGroups for Group {
    fn num_rows(&self) -> usize {
        self.metadata.row_group(self.index).num_rows() as usize
    }

    fn column_chunks(&self, leaf: usize) -> ParquetResult<Box<dyn PageIterator>> {
        let group = self.metadata.row_group(self.index);
        let Some(chunk) = group.columns().get(leaf) else {
            return Err(ParquetError::IndexOutOfBound(leaf, group.num_columns()));
        };
        let pages = Pages::new(&self.disk, chunk, self.num_rows())?;
        Ok(Box::new(Once(Some(pages))))
    }

    fn row_groups(&self) -> Box<dyn Iterator<Item = &RowGroupMetaData> + '_> {
        Box::new(std::iter::once(self.metadata.row_group(self.index)))
    }

    fn metadata(&self) -> &ParquetMetaData {
        &self.metadata
    }
}

/// The pages of one column, once.
struct Once(Option<Pages>);

impl Iterator for Once {
    type Item = ParquetResult<Box<dyn PageReader>>;

    fn next(&mut self) -> Option<Self::Item> {
        self.0.take().map(|pages| Ok(Box::new(pages) as _))
    }
}

impl PageIterator for Once {}
