//! Record batches that are in memory already, as rows.

use std::sync::Arc;

use arrow_array::RecordBatch;
use arrow_schema::{Fields, Schema};
use novikoff::names::Names;
use novikoff::remark::Remark;
use novikoff::remedy::Complaint;
use novikoff::rows::Block;
use novikoff::table::Table;
use novikoff::text_statistics::TextStatistics;

use super::batch::{Batch, Mismatch, Scratch};
use super::fault::{content, guarded};
use super::look::Looks;
use super::plan::Plan;
use crate::blocks::Skipped;
use crate::draft::Draft;
use crate::error::{DataError, LineProblem, Token};
use crate::options::ReadOptions;

/// What messages call batches as a whole.
const BATCHES: &str = "batches";

/// What to do about batches of other columns.
const ONE_SCHEMA: &str = "push batches of one schema";

const NOT_OF_TYPE: &str = "a column is not of the type the schema says";

/// Turns record batches of one schema into rows, by the rules by which Parquet and Arrow files are read: the same columns give the
/// same labels, features, names and errors. Nothing is decoded or read ahead; memory is that of the rows of one batch.
///
/// ```
/// use std::sync::Arc;
/// use arrow_array::{ArrayRef, Float64Array, Int64Array, RecordBatch};
/// use novikoff::names::Names;
/// use novikoff_data::{arrow::BatchRows, options::ReadOptions};
///
/// let y: ArrayRef = Arc::new(Int64Array::from(vec![1, -1]));
/// let x: ArrayRef = Arc::new(Float64Array::from(vec![0.5, 2.0]));
/// let batch = RecordBatch::try_from_iter([("y", y), ("x", x)])?;
/// let mut rows = BatchRows::new(&batch.schema(), ReadOptions::default(), Names::new())?;
/// let block = rows.push(&batch)?;
/// assert_eq!(block.row(1).iter().collect::<Vec<_>>(), [(1, 2.0)]);
/// assert_eq!(rows.names().name(1), Some("x"));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct BatchRows {
    fields: Fields,
    plan: Plan,
    options: ReadOptions,
    names: Names,
    text: Arc<TextStatistics>,
    table: Table,
    scratch: Scratch,
    draft: Draft,
    /// How many batches were pushed.
    batches: u64,
    skipped: Skipped,
    unknown: u64,
}

impl BatchRows {
    /// Looks at the columns of a schema. `names` holds the features that have slots already: those of a model, or none.
    pub fn new(schema: &Schema, options: ReadOptions, names: Names) -> Result<Self, DataError> {
        let fields = schema.fields().clone();
        let plan = Plan::new(BATCHES, &fields, &options, names.is_frozen())?;
        let mut rows = BatchRows {
            fields,
            plan,
            options,
            names,
            text: Arc::default(),
            table: Table::default(),
            scratch: Scratch::default(),
            draft: Draft::default(),
            batches: 0,
            skipped: Skipped::default(),
            unknown: 0,
        };
        if Looks::new(&rows.plan).is_done() {
            rows.begin()?;
        }
        Ok(rows)
    }

    /// Once it is known what the columns are: those of plain numbers get their slots before the first row.
    fn begin(&mut self) -> Result<(), DataError> {
        self.table = self.options.table.clone().unwrap_or_default();
        self.table.extend(self.plan.table.clone());
        for name in self.plan.first_names() {
            self.draft.find(&self.names, name.as_bytes());
        }
        self.name_features()
    }

    /// Decides what columns of strings are, by the rows of the first batch.
    fn look(&mut self, batch: &RecordBatch) -> Result<(), DataError> {
        let mut looks = Looks::new(&self.plan);
        if looks.is_done() {
            return Ok(());
        }
        let seen = looks.add(batch.columns(), batch.num_rows());
        seen.map_err(|Mismatch| content(BATCHES, Complaint::plain(NOT_OF_TYPE)))?;
        let looks = looks.finish();
        self.plan.settle(BATCHES, &self.options, looks)?;
        self.begin()
    }

    /// The rows of a batch; [`Block::line`] is the place of a row in its batch, counted from 0. Rows passed over by `skip_bad`
    /// are left out. A batch with an error is refused as a whole, and the next one can be pushed.
    pub fn push(&mut self, batch: &RecordBatch) -> Result<Block<'_>, DataError> {
        self.batches += 1;
        let name = format!("batch {}", self.batches);
        self.draft.clear();
        self.check_columns(&name, batch)?;
        self.look(batch)?;
        let made = guarded(&name, "Arrow", || {
            let (columns, count) = (batch.columns(), batch.num_rows());
            let batch = Batch::new(&self.plan, &self.options, columns, count);
            let made = batch
                .and_then(|batch| batch.make(0, &self.names, &mut self.scratch, &mut self.draft));
            made.map_err(|Mismatch| content(&name, Complaint::plain(NOT_OF_TYPE)))
        });
        let settled = made.and_then(|_| self.settle());
        if let Err(error) = settled {
            self.draft.clear();
            return Err(error);
        }
        Ok(self.draft.rows.view())
    }

    /// Counts the bad rows and gives new names their slots.
    fn settle(&mut self) -> Result<(), DataError> {
        for bad in std::mem::take(&mut self.draft.bad) {
            let error = self.at(bad.line, bad.problem);
            self.skipped.count(error, self.options.skip_bad)?;
        }
        self.unknown += self.draft.unknown;
        self.name_features()?;
        self.draft.weigh(&mut self.text, self.names.is_frozen());
        Ok(())
    }

    fn name_features(&mut self) -> Result<(), DataError> {
        let named = self.draft.name_features(&mut self.names, &self.options);
        named.map_err(|no_slot| match no_slot.line {
            Some(line) if self.batches > 0 => self.at(line, no_slot.source.into()),
            _ => {
                let (what, remedy) = (no_slot.source.to_string(), no_slot.source.remedy());
                content(BATCHES, Complaint::new(what, remedy))
            }
        })
    }

    fn at(&self, line: u64, problem: LineProblem) -> DataError {
        DataError::Batch {
            batch: self.batches,
            row: line + 1,
            problem,
        }
    }

    /// The columns must be those of the schema, in their order.
    fn check_columns(&self, name: &str, batch: &RecordBatch) -> Result<(), DataError> {
        let schema = batch.schema();
        let found = schema.fields();
        if found.len() != self.fields.len() {
            let (found, expected) = (found.len(), self.fields.len());
            let what = format!("{found} columns, but the schema has {expected}");
            return Err(content(name, Complaint::new(what, ONE_SCHEMA)));
        }
        for (found, expected) in found.iter().zip(&self.fields) {
            let same = found.data_type().equals_datatype(expected.data_type());
            if found.name() != expected.name() || !same {
                let token = |field: &str| Token::new(field.as_bytes());
                let what = format!(
                    "column {} of type {} where the schema has {} of type {}",
                    token(found.name()),
                    found.data_type(),
                    token(expected.name()),
                    expected.data_type()
                );
                return Err(content(name, Complaint::new(what, ONE_SCHEMA)));
            }
        }
        Ok(())
    }

    /// The names of the features met so far.
    pub fn names(&self) -> &Names {
        &self.names
    }

    /// Begins with the statistics of words that a model has.
    #[must_use]
    pub fn with_text(self, text: Arc<TextStatistics>) -> Self {
        BatchRows { text, ..self }
    }

    /// The statistics of words so far.
    pub fn text(&self) -> &Arc<TextStatistics> {
        &self.text
    }

    /// What a person should know of the columns.
    pub fn remarks(&self) -> &[Remark] {
        &self.plan.remarks
    }

    /// The columns, those of the table a model was trained on first: what a model keeps. If there are strings, they are known when the
    /// first batch was pushed, whose rows are looked at.
    pub fn table(&self) -> &Table {
        &self.table
    }

    /// The rows passed over so far.
    pub fn skipped(&self) -> &Skipped {
        &self.skipped
    }

    /// How many values were left out so far because a model does not know their features.
    pub fn unknown(&self) -> u64 {
        self.unknown
    }
}
