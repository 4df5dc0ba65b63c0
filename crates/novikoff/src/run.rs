//! The online loop: rows in, trials made, whoever watches told.

use crate::classes::Counts;
use crate::model::{Example, Model, Outcome, Totals, TrialError};
use crate::random::SplitMix64;
use crate::rows::Block;

/// Told about every trial.
pub trait Watch {
    /// What the trial of row number `row` (in the order of the file) of epoch `epoch` came to.
    fn trial(&mut self, epoch: u32, row: u64, outcome: Outcome<'_>);
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
            foreseen = model.learner().foresees();
            if foreseen > 0 {
                let first_id = model.id_of(first);
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
        model.reach(rows.width());
        let number = first + row as u64;
        let example = Example {
            x: rows.row(place),
            id: model.id_of(number),
            weight: rows.weight(place),
        };
        let outcome = model
            .learn(example, rows.labels(place))
            .map_err(|error| Stopped { row, error })?;
        watch.trial(epoch, number, outcome);
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
        model.begin_run();
        let class_totals = model
            .classes()
            .list()
            .iter()
            .map(|class| class.counts)
            .collect();
        Ledger {
            totals: model.totals(),
            class_totals,
            background: model.classes().background,
            ..Ledger::default()
        }
    }

    /// An epoch has ended.
    pub fn end_epoch(&mut self, model: &mut Model) {
        let earlier = model.end_pass();
        let (totals, classes) = (model.totals(), model.classes().list());
        // a class that appeared brought the background's updates of earlier runs with it
        let appeared = classes.len() - self.class_totals.len();
        let inherited = appeared as u64 * self.background.updates;
        self.epochs.push(Counts {
            mistakes: totals.mistakes - self.totals.mistakes - earlier,
            updates: totals.updates - self.totals.updates - inherited,
        });
        self.totals = totals;
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
