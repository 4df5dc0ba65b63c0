//! What is worth knowing about rows before their learner is blamed: the baseline, whether they come sorted, how large their features are.
//!
//! Counted over the rows of the first epoch in their order, from the data and not from the run. So a run that is resumed has it as if it
//! had never stopped, for its data is read again.

mod label_runs;
mod scales;

use novikoff::classes::{Classes, Counts, Pending};
use novikoff::evaluation::Baseline;
use novikoff::model::Model;
use novikoff::remark::Remark;
use novikoff::rows::{Block, Rows};
use novikoff::schema::Schema;
use novikoff_data::model::Unfinished;
use novikoff_report::BaselineReport;

use crate::kernel_values;
use crate::rows::HeldRows;
use label_runs::LabelRuns;
pub(crate) use scales::Scales;

/// The profile of the rows so far.
pub(crate) struct Profile {
    baseline: Baseline,
    runs: LabelRuns,
    scales: Scales,
    /// The first rows of the data, as read.
    first: Rows,
}

impl Profile {
    /// Of a run that begins, or goes on, with a model.
    pub(crate) fn of_run(model: &Model, run: &Unfinished) -> Self {
        let classes = model.classes();
        let known = match run.epoch {
            _ if classes.is_binary() => classes.list().len(),
            0 => run.ledger.class_totals.len(),
            _ if run.began_without_model() => 0,
            _ => classes.list().len(),
        };
        Profile::new(Classes::restore(
            classes.task().clone(),
            classes.list()[..known].to_vec(),
            Counts::default(),
            Pending::default(),
            classes.met(),
        ))
    }

    /// Begins with the classes that are known before the first row.
    pub(crate) fn new(classes: Classes) -> Self {
        Profile {
            baseline: Baseline::new(classes),
            runs: LabelRuns::default(),
            scales: Scales::default(),
            first: Rows::new(),
        }
    }

    /// Adds the next rows.
    pub(crate) fn block(&mut self, block: Block<'_>) {
        self.scales.block(block);
        let wanted = kernel_values::ROWS.saturating_sub(self.first.len());
        (0..block.len().min(wanted)).for_each(|row| self.first.copy_row(block, row));
        for row in 0..block.len() {
            self.runs.row(self.baseline.row(block.labels(row)));
        }
    }

    /// Adds rows that are held, in the order of an epoch.
    pub(crate) fn held(&mut self, held: &HeldRows, order: &[usize]) {
        self.scales.held(held);
        for row in 0..held.len().min(kernel_values::ROWS) {
            let (block, place) = held.at(row);
            self.first.copy_row(block, place);
        }
        for &row in order {
            let (block, place) = held.at(row);
            self.runs.row(self.baseline.row(block.labels(place)));
        }
    }

    /// What is worth saying of a model's kernel on these rows.
    pub(crate) fn kernel_remark(&self, model: &Model) -> Option<Remark> {
        let (kernel, auto) = (model.kernel(), model.has_auto_gamma());
        kernel_values::remark(kernel, auto, model.preparation(), self.first.view())
    }

    pub(crate) fn baseline(&self) -> BaselineReport {
        BaselineReport {
            label: self.baseline.label(),
            errors: self.baseline.errors(),
            rows: self.baseline.rows(),
        }
    }

    /// What is worth saying of the rows, which have this schema.
    pub(crate) fn remarks(&self, prepared: Arrangement, schema: &Schema) -> Vec<Remark> {
        let sorted = (!prepared.shuffled).then(|| self.runs.remark()).flatten();
        let scales = (!prepared.standardized)
            .then(|| self.scales.remark(schema))
            .flatten();
        sorted.into_iter().chain(scales).collect()
    }
}

/// What is done about the order of rows and the size of their features.
#[derive(Clone, Copy)]
pub(crate) struct Arrangement {
    pub(crate) shuffled: bool,
    pub(crate) standardized: bool,
}
