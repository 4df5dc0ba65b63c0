//! The online loop: rows in, trials made, whoever watches told.

use crate::classes::Counts;
use crate::model::{Model, Totals, TrialError};
use crate::random::SplitMix64;
use crate::rows::Block;

/// Told about every trial.
pub trait Watch {
    /// Row number `row` (in the order of the file) of epoch `epoch` was tried by `model`.
    fn trial(&mut self, epoch: u32, row: u64, model: &Model, mistake: bool);
}

/// The row a run stopped at.
#[derive(Clone, Debug, thiserror::Error, PartialEq)]
#[error("row {row}: {error}")]
pub struct Stopped {
    /// Its place in the block.
    pub row: usize,
    /// Why.
    pub error: TrialError,
}

/// Tries rows of a block in the given order; `first` is the number of the block's first row. A row that comes again
/// has the same number.
pub fn block(
    model: &mut Model,
    rows: Block<'_>,
    order: impl Iterator<Item = usize> + Clone,
    (epoch, first): (u32, u64),
    watch: &mut impl Watch,
) -> Result<(), Stopped> {
    blocks(model, |row| (rows, row), order, (epoch, first), watch)
}

/// The same for rows of several blocks: `at` gives the block of a row and its place there.
pub fn blocks<'a>(
    model: &mut Model,
    at: impl Fn(usize) -> (Block<'a>, usize),
    order: impl Iterator<Item = usize> + Clone,
    (epoch, first): (u32, u64),
    watch: &mut impl Watch,
) -> Result<(), Stopped> {
    let (mut ahead, mut foreseen) = (order.clone(), 0);
    for row in order {
        if foreseen == 0 {
            foreseen = model.learner.foresees();
            if foreseen > 0 {
                let first_id = model.first_id.map(|id| id.wrapping_add(first));
                let coming = ahead.by_ref().take(foreseen).map(|row| {
                    let id = first_id.map(|id| id.wrapping_add(row as u64));
                    let (rows, place) = at(row);
                    (id, rows.row(place))
                });
                model.foresee(coming);
            }
        }
        foreseen = foreseen.saturating_sub(1);
        let (rows, place) = at(row);
        model.width = model.width.max(rows.width());
        let number = first + row as u64;
        let id = model.first_id.map(|first| first.wrapping_add(number));
        let mistake = model
            .visit(id, rows.row(place), rows.weight(place), rows.labels(place))
            .map_err(|error| Stopped { row, error })?;
        watch.trial(epoch, number, model, mistake);
    }
    Ok(())
}

/// The orders of a run's epochs: the order of the data, or shuffles of it from one generator.
#[derive(Clone, Debug)]
pub struct Orders {
    generator: Option<SplitMix64>,
    order: Vec<usize>,
}

impl Orders {
    /// Orders for `rows` rows; `shuffle` is the seed, if rows are shuffled.
    pub fn new(rows: usize, shuffle: Option<u64>) -> Self {
        Orders {
            generator: shuffle.map(SplitMix64::new),
            order: (0..rows).collect(),
        }
    }

    /// The next epoch's order: the identity, shuffled anew.
    pub fn next_epoch(&mut self) -> &[usize] {
        if let Some(generator) = &mut self.generator {
            for (i, place) in self.order.iter_mut().enumerate() {
                *place = i;
            }
            generator.shuffle(&mut self.order);
        }
        &self.order
    }
}

/// What a run did, epoch by epoch: differences of the model's counts. Kept with a checkpoint, it goes
/// on as if the run had never stopped.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Ledger {
    /// Counts of the run so far, epoch by epoch.
    pub epochs: Vec<Counts>,
    /// For each class, the same.
    pub classes: Vec<Vec<Counts>>,
    /// The model's counts when the current epoch began.
    pub totals: Totals,
    /// Those of its classes.
    pub class_totals: Vec<Counts>,
    /// What a class that appears had done before the run, as the background.
    pub background: Counts,
}

impl Ledger {
    /// Begins where the model stands.
    pub fn begin(model: &mut Model) -> Self {
        model.classes.begin_run();
        model.settled_earlier = 0;
        // no row of an earlier run has so high an id
        model.first_id = Some(model.totals.trials);
        let class_totals = model
            .classes
            .list()
            .iter()
            .map(|class| class.counts)
            .collect();
        Ledger {
            totals: model.totals,
            class_totals,
            background: model.classes.background,
            ..Ledger::default()
        }
    }

    /// An epoch has ended.
    pub fn end_epoch(&mut self, model: &mut Model) {
        model.learner.end_pass();
        let earlier = std::mem::take(&mut model.settled_earlier);
        // a class that appeared brought the background's updates of earlier runs with it
        let appeared = model.classes.list().len() - self.class_totals.len();
        let inherited = appeared as u64 * self.background.updates;
        self.epochs.push(Counts {
            mistakes: model.totals.mistakes - self.totals.mistakes - earlier,
            updates: model.totals.updates - self.totals.updates - inherited,
        });
        self.totals = model.totals;
        let classes = model.classes.list();
        self.class_totals.resize(classes.len(), self.background);
        self.classes.resize(classes.len(), Vec::new());
        for ((class, epochs), before) in classes
            .iter()
            .zip(&mut self.classes)
            .zip(&mut self.class_totals)
        {
            epochs.push(Counts {
                mistakes: class.counts.mistakes - before.mistakes,
                updates: class.counts.updates - before.updates,
            });
            *before = class.counts;
        }
    }

    /// All epochs together.
    pub fn total(&self) -> Counts {
        self.epochs
            .iter()
            .fold(Counts::default(), |sum, epoch| Counts {
                mistakes: sum.mistakes + epoch.mistakes,
                updates: sum.updates + epoch.updates,
            })
    }
}
