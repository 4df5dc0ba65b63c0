//! Parquet and Arrow IPC, file and stream: tables whose columns have types.
//!
//! One column is the label, by `--label NAME` (or its number, counted from 1); otherwise the label of the
//! table a model was trained on; otherwise the one column named label, target, class or y. Labels are
//! integers, floats, booleans (0 and 1), strings or lists of these; null and NaN are a row without labels.
//!
//! | column | features |
//! | --- | --- |
//! | integers, floats, booleans (0 and 1), decimals | `column`, rounded to the nearest `f32` |
//! | dates, timestamps; strings that are dates | `column.year`, `column.month=3`, `column.weekday=1`, `column.hour=7`, or seconds: see [`crate::kinds`] |
//! | strings, dictionaries of strings; integers and booleans by `--categorical` | `column=value` is 1; booleans are `true` and `false` |
//! | lists of numbers | `column[0]`, `column[1]`, ... |
//! | struct | its fields as columns: `column.field` |
//! | struct of the lists `indices` and `values`, or Spark's vector | a sparse row: see below |
//!
//! In a sparse row, indices are numbers of features, counted from 1 (from 0 with `zero_based`); they may
//! come in any order, but not twice. Spark's dense vectors are the features from the first on. A column
//! whose name is a whole number is the feature of that number, as everywhere.
//!
//! What columns of strings hold is decided by a look at their first rows: the first batches of Arrow are kept for it, of Parquet those columns
//! are read by themselves. Columns that were dropped may be of any type, and are not decoded in Parquet.
//!
//! Null and NaN are what [`Missing`](crate::options::Missing) says; a column of type Null has nothing else.
//! An infinite value, or one beyond `f32`, is an error. Both name the row and the column, counted from 1, and can be passed over by `--skip-bad`. Other types
//! (times of day, maps, bytes) are refused before the first row.
//!
//! Columns are shared out among threads that decode them batch by batch; a page of each column and a few
//! batches of rows are in memory, of the Arrow formats one record batch. Parquet and the Arrow file format
//! have their contents at the end: from a pipe, from memory or compressed they are copied to a temporary
//! file first. The Arrow stream format is read as it comes.

mod batch;
mod batches;
mod days;
mod disk;
mod fault;
mod features;
mod ids;
mod ipc;
mod labels;
mod lists;
mod look;
mod numbers;
mod pages;
mod parquet;
mod plan;
mod pool;
mod row;
mod sparse;
mod texts;
mod thrift;

use std::sync::Arc;

use novikoff::remark::Remark;
use novikoff::table::Table;

use crate::draft::Draft;
use crate::error::DataError;
use crate::input::Opened;
use crate::live_schema::LiveSchema;
use crate::options::{Format, ReadOptions};
pub use batches::BatchRows;
use disk::Disk;
use fault::guarded;
use ipc::Ipc;
pub use ipc::{StreamBatches, StreamLimits};
use look::Looks;
use parquet::Parquet;
use plan::{Leaf, Plan};
use pool::{Part, Pool, Work};

/// Batches of one input as rows, decoded ahead by other threads.
pub(crate) struct Columnar {
    table: Table,
    remarks: Vec<Remark>,
    sparse: bool,
    /// Names that are to get their slots before the first row.
    plain: Option<Vec<String>>,
    names: Arc<LiveSchema>,
    pool: Arc<Pool>,
}

/// An input whose columns are known.
enum ColumnarSource {
    Parquet(Parquet),
    Ipc(Box<Ipc>),
}

impl ColumnarSource {
    fn open(opened: Opened, options: &ReadOptions) -> Result<Self, DataError> {
        let name = opened.name.clone();
        if opened.format == Format::Parquet {
            let disk = Disk::open(opened, options)?;
            return guarded(&name, "Parquet", || Parquet::open(disk, &name))
                .map(ColumnarSource::Parquet);
        }
        let ipc = if opened.head.starts_with(ipc::MARK) {
            let disk = Disk::open(opened, options)?;
            guarded(&name, "Arrow", || Ipc::open_file(disk, &name))
        } else {
            guarded(&name, "Arrow", || Ipc::open_stream(opened))
        };
        ipc.map(|ipc| ColumnarSource::Ipc(Box::new(ipc)))
    }

    /// Looks at the first rows of the columns that are open.
    fn look(&mut self, looks: &mut Looks<'_>) -> Result<(), DataError> {
        match self {
            ColumnarSource::Parquet(parquet) => parquet.look(looks),
            ColumnarSource::Ipc(ipc) => {
                ipc.look(looks);
                Ok(())
            }
        }
    }

    fn format(&self) -> &'static str {
        match self {
            ColumnarSource::Parquet(_) => "Parquet",
            ColumnarSource::Ipc(_) => "Arrow",
        }
    }
}

impl Columnar {
    /// Looks at the columns.
    pub(crate) fn open(
        opened: Opened,
        options: &Arc<ReadOptions>,
        names: &Arc<LiveSchema>,
        threads: usize,
    ) -> Result<Self, DataError> {
        let file = opened.name.clone();
        let source_waits = opened.waits;
        let mut source = ColumnarSource::open(opened, options)?;
        let fields = match &source {
            ColumnarSource::Parquet(parquet) => parquet.fields.clone(),
            ColumnarSource::Ipc(ipc) => ipc.schema.fields().clone(),
        };
        let frozen = names.read().is_frozen();
        let mut plan = Plan::new(&file, &fields, options, frozen)?;
        let format = source.format();
        let mut looks = Looks::with_numbers(&plan);
        if !looks.is_done() {
            guarded(&file, format, || source.look(&mut looks))?;
            let looks = looks.finish();
            plan.settle(&file, options, looks)?;
        }
        let (parts, waits): (Vec<Box<dyn Part>>, bool) = match source {
            ColumnarSource::Parquet(parquet) => {
                let parts = || parquet.parts(threads, |column| plan.reads(column));
                (guarded(&file, format, parts)?, false)
            }
            ColumnarSource::Ipc(ipc) => {
                let waits = source_waits && ipc.is_stream();
                (vec![ipc], waits)
            }
        };
        let plain: Vec<String> = plan.first_names().map(str::to_owned).collect();
        let work = Work {
            file,
            format,
            columns: fields.len(),
            plan,
            options: Arc::clone(options),
            names: Arc::clone(names),
        };
        Ok(Columnar {
            table: work.plan.table.clone(),
            remarks: work.plan.remarks.clone(),
            sparse: work.plan.leaves.iter().any(Leaf::is_sparse),
            plain: Some(plain),
            names: Arc::clone(names),
            pool: Pool::start(parts, work, threads, waits),
        })
    }

    /// What the columns are, those of sparse rows aside.
    pub(crate) fn table(&self) -> &Table {
        &self.table
    }

    /// What a person should know of them.
    pub(crate) fn remarks(&self) -> &[Remark] {
        &self.remarks
    }

    /// Some column holds sparse rows, whose features are known by number.
    pub(crate) fn has_sparse_rows(&self) -> bool {
        self.sparse
    }

    /// The next rows; `spare` is memory to use. Lines are row numbers, counted from 0 in the input. The
    /// first draft has no rows, but the names of plain columns: their slots are known when rows are made.
    pub(crate) fn next(&mut self, mut spare: Draft) -> Result<Option<Draft>, DataError> {
        let Some(plain) = self.plain.take() else {
            return self.pool.next(spare);
        };
        spare.clear();
        let names = self.names.read();
        for name in plain {
            spare.find(&names, name.as_bytes());
        }
        Ok(Some(spare))
    }
}

impl Drop for Columnar {
    fn drop(&mut self) {
        self.pool.stop();
    }
}
