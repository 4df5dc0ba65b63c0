//! What is worth knowing about rows before their learner is blamed: the baseline, whether they come sorted, how large their features are.
//!
//! Counted over the rows of the first epoch in their order, from the data and not from the run. So a run that is resumed has it as if it
//! had never stopped, for its data is read again.

pub(crate) mod alike;
mod categories;
mod label_runs;
mod leakage;
mod outliers;
mod scales;

use novikoff::classes::{Classes, Counts, Pending};
use novikoff::evaluation::Baseline;
use novikoff::model::Model;
use novikoff::remark::{Advice, Remark, ResultRemark};
use novikoff::rows::{Block, Rows};
use novikoff::schema::Schema;
use novikoff_data::model::Unfinished;
use novikoff_report::BaselineReport;

use crate::kernel_values;
use crate::rows::HeldRows;
use label_runs::LabelRuns;
use leakage::Leakage;
pub(crate) use scales::Scales;

/// More labels than this are many,
const MANY_LABELS: u64 = 100;

/// if there are fewer rows per label than this.
const ROWS_PER_LABEL: u64 = 10;

/// This many rows of a stream are enough to see it.
const ENOUGH_ROWS: u64 = 2000;

/// The profile of the rows so far.
pub(crate) struct Profile {
    baseline: Baseline,
    runs: LabelRuns,
    scales: Scales,
    leakage: Leakage,
    /// Values that are far from all others.
    outliers: Vec<Remark>,
    /// Something was said of the labels.
    labels_said: bool,
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
            leakage: Leakage::default(),
            outliers: Vec::new(),
            labels_said: false,
            first: Rows::new(),
        }
    }

    /// Adds the next rows.
    pub(crate) fn block(&mut self, block: Block<'_>) {
        self.scales.block(block);
        self.leakage.block(block);
        let wanted = kernel_values::ROWS.saturating_sub(self.first.len());
        (0..block.len().min(wanted)).for_each(|row| self.first.copy_row(block, row));
        for row in 0..block.len() {
            self.runs.row(self.baseline.row(block.labels(row)));
        }
    }

    /// Adds rows that are held, in the order of an epoch.
    pub(crate) fn held(&mut self, held: &HeldRows, order: &[usize]) {
        self.scales.held(held);
        self.leakage.held(held);
        self.outliers = outliers::remarks(held);
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

    /// What may do better where a run on these rows is no better than the baseline; `compare` if other learners were not run beside it.
    pub(crate) fn advice(&self, is_standardized: bool, compare: bool, schema: &Schema) -> Advice {
        Advice {
            standardize: !is_standardized && self.scales.compares(schema),
            compare,
        }
    }

    /// What is worth saying of the labels so far: there is one only, or there are hardly more rows than labels. Each is said once, and of a stream
    /// as soon as it is plain.
    pub(crate) fn labels(
        &mut self,
        is_all: bool,
        column: impl FnOnce() -> Option<String>,
    ) -> Option<Remark> {
        let (labels, rows) = (self.baseline.labels_met(), self.baseline.rows());
        let is_enough = is_all || rows >= ENOUGH_ROWS;
        if self.labels_said || !is_enough || rows < 2 {
            return None;
        }
        let remark = if labels == 1 && is_all {
            ResultRemark::OneLabel {
                label: self.baseline.label(),
                rows,
            }
        } else if labels > MANY_LABELS && ROWS_PER_LABEL * labels > rows {
            ResultRemark::ManyLabels {
                labels,
                rows,
                column: column(),
            }
        } else {
            return None;
        };
        self.labels_said = true;
        Some(Remark::Result(remark))
    }

    /// What is worth saying of the rows, which have this schema.
    pub(crate) fn remarks(&self, prepared: Arrangement, schema: &Schema) -> Vec<Remark> {
        let sorted = (!prepared.shuffled).then(|| self.runs.remark()).flatten();
        let scales = (!prepared.standardized)
            .then(|| self.scales.remark(schema))
            .flatten();
        let labels = alike::remark(self.baseline.classes());
        let mut remarks: Vec<Remark> = sorted.into_iter().chain(scales).chain(labels).collect();
        remarks.extend(self.leakage.remark(schema));
        remarks.extend(categories::remarks(schema));
        remarks.extend(self.outliers.iter().cloned());
        remarks
    }
}

/// What is done about the order of rows and the size of their features.
#[derive(Clone, Copy)]
pub(crate) struct Arrangement {
    pub(crate) shuffled: bool,
    pub(crate) standardized: bool,
}
