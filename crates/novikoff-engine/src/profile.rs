//! What is worth knowing about rows before their learner is blamed: the baseline, whether they come sorted, how large their features are.
//!
//! Counted over the rows of the first epoch in their order, from the data and not from the run. So a run that is resumed has it as if it
//! had never stopped, for its data is read again.

mod alike;
mod bands;
mod categories;
pub(crate) mod label_runs;
mod leakage;
mod months;
pub(crate) mod outliers;
mod panels;
pub(crate) mod quantities;
mod scales;
pub(crate) mod two_units;

use std::collections::{BTreeMap, HashMap, HashSet, VecDeque};

use novikoff::classes::{Classes, Counts, Pending, Task};
use novikoff::evaluation::Baseline;
use novikoff::label::RawLabel;
use novikoff::model::{Model, RowSample};
use novikoff::remark::{Advice, LabelOrder, LabelRemark, Remark, ThingOrder};
use novikoff::resolve::LOOKED_AT;
use novikoff::row::Row;
use novikoff::rows::{Block, Rows};
use novikoff::schema::Schema;
use novikoff::sizes::{self, Sizes};
use novikoff_data::model::Unfinished;
use novikoff_report::BaselineReport;

use crate::Error;
use crate::events::Context;
use crate::kernel_values;
use crate::rows::HeldRows;
use label_runs::LabelRuns;
use leakage::Leakage;
use months::Extremes;
use panels::Panels;
pub(crate) use scales::Scales;

/// More labels than this are many,
const MANY_LABELS: u64 = 100;

/// if there are fewer rows per label than this.
const ROWS_PER_LABEL: u64 = 10;

/// How many of the first values are kept to be looked at; more than that are not those of a table.
const FIRST_VALUES: usize = 1 << 20;

/// The highest slot whose values are looked at for their size.
const SIZED_SLOTS: u32 = 1 << 12;

/// This many rows of a stream are enough to see it.
const ENOUGH_ROWS: u64 = 2000;

/// The profile of the rows so far.
pub(crate) struct Profile {
    baseline: Baseline,
    runs: LabelRuns,
    panels: Panels,
    /// The first labels that differ with their rows, where one is learned against the rest.
    rest: BTreeMap<Vec<u8>, u64>,
    scales: Scales,
    /// How large the first numbers are that the model has learned from.
    sizes: Sizes,
    /// The rows are held, and their sizes counted.
    is_held: bool,
    leakage: Leakage,
    extremes: Extremes,
    /// Values that are far from all others, and columns in two units, of rows that are held.
    odd: Option<Vec<Remark>>,
    /// Something was said of the labels.
    labels_said: bool,
    /// The first rows of the data, as read.
    first: Rows,
    /// Rows that were learned from before the run went on.
    skip: u64,
    /// Whether the baseline was wrong, of the rows after those and not tried yet.
    wrong: VecDeque<bool>,
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
        let mut profile = Profile::new(Classes::restore(
            classes.task().clone(),
            classes.list()[..known].to_vec(),
            Counts::default(),
            Pending::default(),
            classes.met(),
        ));
        profile.skip = if run.epoch == 0 { run.done } else { u64::MAX };
        profile.sizes = (*model.schema().sizes).clone();
        profile
    }

    /// Begins with the classes that are known before the first row.
    pub(crate) fn new(classes: Classes) -> Self {
        Profile {
            baseline: Baseline::new(classes),
            runs: LabelRuns::default(),
            panels: Panels::default(),
            rest: BTreeMap::new(),
            scales: Scales::default(),
            sizes: Sizes::default(),
            is_held: false,
            leakage: Leakage::default(),
            extremes: Extremes::default(),
            odd: None,
            labels_said: false,
            first: Rows::new(),
            skip: 0,
            wrong: VecDeque::new(),
        }
    }

    /// Counts the labels of a row, which is given if it is one of a table.
    fn labels_of<'l>(&mut self, row: Option<Row<'_>>, labels: impl Iterator<Item = RawLabel<'l>>) {
        let kind = self.baseline.row(labels);
        self.runs.row(kind);
        if let Some(row) = row {
            self.panels.row(row, kind, self.baseline.was_wrong());
        }
        if self.skip > 0 {
            self.skip -= 1;
        } else {
            self.wrong.push_back(self.baseline.was_wrong());
        }
    }

    /// Counts the labels of a row, where one is learned against the rest.
    fn rest_of<'l>(&mut self, labels: impl Iterator<Item = RawLabel<'l>>) {
        let task = self.baseline.classes().task();
        if !matches!(task, Task::Binary { negative: None, .. }) {
            return;
        }
        for label in labels {
            if let Some(rows) = self.rest.get_mut(label.text()) {
                *rows += 1;
            } else if self.rest.len() < alike::LOOKED_AT {
                self.rest.insert(label.text().to_vec(), 1);
            }
        }
    }

    /// The labels of the rows with how often each occurs, where they are told apart.
    fn label_counts(&self) -> Vec<(&str, u64)> {
        let rest = self.rest.iter().filter_map(|(text, &rows)| {
            let text = std::str::from_utf8(text).ok()?;
            Some((text, rows))
        });
        let known = self.baseline.label_counts();
        known.into_iter().chain(rest).collect()
    }

    /// Whether the baseline was wrong on the next row that is tried.
    pub(crate) fn next_wrong(&mut self) -> Option<bool> {
        self.wrong.pop_front()
    }

    /// Whether the baseline was wrong on each row, in the order of the first epoch.
    pub(crate) fn wrong(&self) -> &VecDeque<bool> {
        &self.wrong
    }

    /// Adds the next rows, whether they are those of a table, and if they have words, the slots of the numbers beside these.
    pub(crate) fn block(&mut self, block: Block<'_>, is_table: bool, beside_words: Option<&[u32]>) {
        self.scales.block(block);
        self.leakage.block(block, beside_words);
        if is_table {
            self.extremes.block(block);
            self.sizes.spreads.block(block, SIZED_SLOTS);
        }
        let is_room = self.first.view().values() < FIRST_VALUES;
        let wanted = if is_room {
            LOOKED_AT
        } else {
            kernel_values::ROWS
        };
        let wanted = wanted.saturating_sub(self.first.len());
        (0..block.len().min(wanted)).for_each(|row| self.first.copy_row(block, row));
        for row in 0..block.len() {
            self.rest_of(block.labels(row));
            self.labels_of(is_table.then(|| block.row(row)), block.labels(row));
        }
    }

    /// Adds rows that are held, in the order of an epoch.
    pub(crate) fn held(&mut self, held: &HeldRows, order: &[usize]) {
        self.scales.held(held);
        let is_table = held.schema.table.is_some();
        if is_table {
            add_sizes(&mut self.sizes, held);
            self.extremes = Extremes::of(held);
        }
        self.is_held = true;
        self.leakage.held(held);
        let mut odd = outliers::remarks(held);
        odd.extend(two_units::remarks(held));
        self.odd = Some(odd);
        for row in 0..held.len().min(kernel_values::ROWS) {
            let (block, place) = held.at(row);
            self.first.copy_row(block, place);
        }
        for &row in order {
            let (block, place) = held.at(row);
            self.rest_of(block.labels(place));
            self.labels_of(is_table.then(|| block.row(place)), block.labels(place));
        }
    }

    /// How large the numbers are that a model of this schema has learned from; nothing of rows that come from no table.
    pub(crate) fn sizes(&self, schema: &Schema) -> Sizes {
        let mut sizes = self.sizes.clone();
        if !self.is_held && schema.table.is_some() {
            sizes.block(self.first.view(), SIZED_SLOTS);
        }
        of_numbers(&sizes, schema)
    }

    /// How many values the first rows have each, on average.
    pub(crate) fn values(&self) -> f64 {
        self.first.view().values() as f64 / self.first.len().max(1) as f64
    }

    /// What is worth saying of a model's kernel on these rows.
    pub(crate) fn kernel_remark(&self, model: &Model) -> Option<Remark> {
        let (kernel, auto) = (model.kernel(), model.has_auto_gamma());
        kernel_values::remark(kernel, auto, model.preparation(), self.first.view())
    }

    /// The classes of the rows so far.
    pub(crate) fn classes(&self) -> &Classes {
        self.baseline.classes()
    }

    pub(crate) fn baseline(&self) -> BaselineReport {
        BaselineReport {
            label: self.baseline.label(),
            errors: self.baseline.errors(),
            rows: self.baseline.rows(),
            paired: None,
            unknown: 0,
        }
    }

    /// How labels follow each other in rows of this schema, if they do, rows are not shuffled, and are not said to be sorted.
    pub(crate) fn following(&self, arranged: Arrangement, schema: &Schema) -> Following {
        let is_said = arranged.shuffled || self.runs.remark().is_some();
        if is_said {
            return Following::default();
        }
        Following {
            neighbours: self.runs.following(),
            things: self.panels.kept(schema),
        }
    }

    /// What may do better where a run on these rows is no better than the baseline; `compare` if other learners were not run beside it.
    pub(crate) fn advice(&self, is_standardized: bool, compare: bool, schema: &Schema) -> Advice {
        Advice {
            standardize: !is_standardized && self.scales.compares(schema),
            compare,
            rare: false,
            weighted: false,
        }
    }

    /// What is worth saying of the labels so far: there is one only, or there are hardly more rows than labels. Each is said once, and of a stream
    /// as soon as it is plain.
    fn labels(&mut self, is_all: bool, column: impl FnOnce() -> Option<String>) -> Option<Remark> {
        let (labels, rows) = (self.baseline.labels_met(), self.baseline.rows());
        let is_enough = is_all || rows >= ENOUGH_ROWS;
        if self.labels_said || !is_enough || rows < 2 {
            return None;
        }
        let is_rest = matches!(
            self.baseline.classes().task(),
            Task::Binary { negative: None, .. }
        );
        if is_rest && labels == 1 {
            // whether a row has the label that was asked for is looked at elsewhere
            return None;
        }
        let remark = if labels == 1 && is_all && self.baseline.is_all_known() {
            LabelRemark::One {
                label: self.baseline.label(),
                rows,
            }
        } else {
            let counts = self.baseline.counts();
            let are_numbers = || counts.iter().all(|(label, _)| is_number(label.as_bytes()));
            many_labels(labels, rows, column, are_numbers)?
        };
        self.labels_said = true;
        Some(Remark::Label(remark))
    }

    /// Says what is worth saying of the labels so far. It is an error if most labels are on one row only, unless the job is lenient.
    pub(crate) fn check_labels(
        &mut self,
        is_all: bool,
        column: impl FnOnce() -> Option<String>,
        lenient: bool,
        context: Context<'_>,
    ) -> Result<(), Error> {
        match self.labels(is_all, column) {
            Some(remark) => allow_labels(&remark, lenient, context),
            None => Ok(()),
        }
    }

    /// What is worth saying of the rows, which have this schema; `learned` is a sample of all of them, if there is one.
    pub(crate) fn remarks(
        &self,
        prepared: Arrangement,
        schema: &Schema,
        learned: Option<&RowSample>,
    ) -> Vec<Remark> {
        let sorted = (!prepared.shuffled).then(|| self.runs.remark()).flatten();
        let scales = (!prepared.standardized)
            .then(|| self.scales.remark(schema))
            .flatten();
        let labels = alike::remark(self.baseline.classes());
        let labels = labels.or_else(|| alike::synonyms(&self.baseline.counts()));
        let labels = labels.or_else(|| alike::near(&self.baseline.counts()));
        let labels = labels.or_else(|| {
            let table = schema.table.as_ref().filter(|_| !self.labels_said)?;
            alike::numbers(&self.baseline.counts(), table.label.as_deref())
        });
        let mut remarks: Vec<Remark> = sorted.into_iter().chain(scales).chain(labels).collect();
        remarks.extend(alike::not_known(&self.label_counts()));
        let copies = learned.and_then(RowSample::copies);
        remarks.extend(self.leakage.remarks(schema, copies));
        remarks.extend(categories::remarks(schema));
        // what a model that learns on has met before is not known here
        if learned.is_some() {
            let is_all = self.is_held || self.leakage.is_whole();
            let rows = is_all.then(|| self.leakage.rows());
            remarks.extend(months::remark(schema, &self.extremes, rows.as_slice()));
        }
        if let Some(odd) = &self.odd {
            remarks.extend(odd.iter().cloned());
        } else {
            remarks.extend(outliers::of_first(&self.first, schema));
            remarks.extend(two_units::of_first(&self.first, schema));
        }
        remarks
    }
}

fn add_sizes(sizes: &mut Sizes, held: &HeldRows) {
    let mut blocks = held.blocks();
    while sizes.rows() < sizes::ROWS
        && let Some(block) = blocks.next()
    {
        sizes.block(block, SIZED_SLOTS);
    }
    for block in held.blocks() {
        sizes.spreads.block(block, SIZED_SLOTS);
    }
}

/// The sizes of the numbers of a table.
fn of_numbers(sizes: &Sizes, schema: &Schema) -> Sizes {
    let numbers = schema.numbers().filter(|_| schema.names.bits().is_none());
    numbers.map_or_else(Sizes::default, |slots| sizes.only(&slots))
}

/// How large the numbers of rows are that are held.
pub(crate) fn sizes_of(held: &HeldRows) -> Sizes {
    let mut sizes = Sizes::default();
    add_sizes(&mut sizes, held);
    of_numbers(&sizes, &held.schema)
}

/// The remark on a very large number of labels.
fn many_labels(
    labels: u64,
    rows: u64,
    column: impl FnOnce() -> Option<String>,
    are_numbers: impl FnOnce() -> bool,
) -> Option<LabelRemark> {
    (labels > MANY_LABELS && ROWS_PER_LABEL * labels > rows).then(|| LabelRemark::Many {
        labels,
        rows,
        column: column(),
        are_numbers: are_numbers(),
    })
}

/// Whether a label is a number, which may be a quantity.
fn is_number(label: &[u8]) -> bool {
    let text = std::str::from_utf8(label);
    text.is_ok_and(|text| text.trim().parse::<f64>().is_ok_and(f64::is_finite))
}

/// Says what is worth saying of labels. As many distinct ones as ids have are an error, unless the job is lenient.
fn allow_labels(remark: &Remark, lenient: bool, context: Context<'_>) -> Result<(), Error> {
    let is_id = matches!(
        remark,
        Remark::Label(LabelRemark::Many { labels, rows, .. }) if 2 * labels > *rows
    );
    context.allow(remark, lenient || !is_id)
}

/// Says what is worth saying of the labels of rows that are held, before anything is learned from them.
pub(crate) fn check_labels_of(
    held: &HeldRows,
    lenient: bool,
    context: Context<'_>,
) -> Result<(), Error> {
    let texts = held.labels().flatten().map(|label| label.text().to_vec());
    let texts = texts.collect::<HashSet<Vec<u8>>>();
    let (labels, rows) = (texts.len() as u64, held.len() as u64);
    let are_numbers = || texts.iter().all(|label| is_number(label));
    let one = texts.iter().next().filter(|_| labels == 1 && rows > 1);
    let one = one.map(|label| LabelRemark::One {
        label: String::from_utf8_lossy(label).into_owned(),
        rows,
    });
    let many = || many_labels(labels, rows, || held.label_column(), are_numbers);
    match one.or_else(many) {
        Some(remark) => allow_labels(&Remark::Label(remark), lenient, context),
        None => Ok(()),
    }
}

/// How labels follow each other, if they do.
#[derive(Clone, Debug, Default)]
pub(crate) struct Following {
    /// Those of neighbours.
    pub(crate) neighbours: Option<LabelOrder>,
    /// Those of rows with the same category.
    pub(crate) things: Option<ThingOrder>,
}

/// How the labels of rows follow each other in the data, if they do.
pub(crate) fn following(held: &HeldRows) -> Following {
    let (mut runs, mut panels) = (LabelRuns::default(), Panels::default());
    let mut kinds: HashMap<Vec<&[u8]>, u64> = HashMap::new();
    for block in held.blocks() {
        for row in 0..block.len() {
            let labels: Vec<&[u8]> = block.labels(row).map(|label| label.text()).collect();
            let next = kinds.len() as u64;
            let kind = *kinds.entry(labels).or_insert(next);
            runs.row(kind);
            panels.row(block.row(row), kind, true);
        }
    }
    // of rows that are sorted by label, those with any category are
    let is_sorted = runs.remark().is_some();
    let things = panels.kept(&held.schema).filter(|_| !is_sorted);
    Following {
        neighbours: runs.following(),
        things,
    }
}

/// Refuses a block of a stream whose labels look like ids, before anything is learned from it: a block may be a whole file, as `is_all` says, and a
/// learner of thousands of classes takes long to find out.
pub(crate) fn check_labels_ahead(
    block: Block<'_>,
    is_all: bool,
    column: impl FnOnce() -> Option<String>,
    lenient: bool,
    context: Context<'_>,
) -> Result<(), Error> {
    let rows = block.len() as u64;
    if lenient || !is_all && rows < ENOUGH_ROWS {
        return Ok(());
    }
    let texts = (0..block.len()).flat_map(|row| block.labels(row));
    let labels: HashSet<&[u8]> = texts.map(|label| label.text()).collect();
    let are_numbers = || labels.iter().all(|label| is_number(label));
    match many_labels(labels.len() as u64, rows, column, are_numbers) {
        Some(remark @ LabelRemark::Many { labels, rows, .. }) if 2 * labels > rows => {
            allow_labels(&Remark::Label(remark), lenient, context)
        }
        _ => Ok(()),
    }
}

/// What is done about the order of rows and the size of their features.
#[derive(Clone, Copy)]
pub(crate) struct Arrangement {
    pub(crate) shuffled: bool,
    pub(crate) standardized: bool,
}
