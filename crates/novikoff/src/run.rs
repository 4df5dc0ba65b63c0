//! The online loop: rows in, trials made; and the one account of what a run did.

use crate::classes::Counts;
use crate::model::{Example, Model, Outcome, Totals, TrialError, Validation};
use crate::random::SplitMix64;
use crate::rows::Block;

/// Watches the trials of a run.
///
/// ```
/// use novikoff::{Label, Model, Outcome, Row, Rows, Observer, learners::Perceptron, run};
///
/// /// The rows that were mistakes.
/// struct Mistakes(Vec<u64>);
///
/// impl Observer for Mistakes {
///     fn trial(&mut self, _epoch: u32, row: u64, outcome: Outcome<'_>) {
///         if outcome.is_mistake() {
///             self.0.push(row);
///         }
///     }
/// }
///
/// let mut rows = Rows::new();
/// for (x, y) in [([1.0, 0.5], Label::Neg), ([-1.0, 0.25], Label::Pos), ([0.0, 1.0], Label::Pos)] {
///     rows.add(y, Row::dense(&x));
/// }
/// let mut model = Model::builder(Perceptron::default()).build()?;
/// let mut mistakes = Mistakes(Vec::new());
/// run::block(&mut model, rows.view(), 0..rows.len(), run::Position::default(), &mut mistakes)?;
/// assert_eq!(mistakes.0, [0, 2]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub trait Observer {
    /// An epoch has ended, and the run's account is this.
    fn epoch_ended(&mut self, _ledger: &Ledger) {}

    /// What the trial of row number `row` (in the order of the file) of epoch `epoch` came to.
    fn trial(&mut self, epoch: u32, row: u64, outcome: Outcome<'_>);
}

/// Nobody watches.
impl Observer for () {
    fn trial(&mut self, _epoch: u32, _row: u64, _outcome: Outcome<'_>) {}
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

/// Where the rows of a run stand.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Position {
    /// The epoch.
    pub epoch: u32,
    /// The number of the first row. A row that comes again has the same number.
    pub first: u64,
}

/// Tries rows of a block, whose first row is at a position, in the given order.
pub fn block(
    model: &mut Model,
    rows: Block<'_>,
    order: impl Iterator<Item = usize> + Clone,
    position: Position,
    watch: &mut impl Observer,
) -> Result<(), Stopped> {
    blocks(model, |row| (rows, row), order, position, watch)
}

/// Tries rows of several blocks in the given order: `at` gives the block of a row and its place there.
pub fn blocks<'a>(
    model: &mut Model,
    at: impl Fn(usize) -> (Block<'a>, usize),
    order: impl Iterator<Item = usize> + Clone,
    position: Position,
    watch: &mut impl Observer,
) -> Result<(), Stopped> {
    let Position { epoch, first } = position;
    let (mut ahead, mut prefetched) = (order.clone(), 0);
    for row in order {
        if prefetched == 0 {
            prefetched = model.learner().lookahead();
            if prefetched > 0 {
                let first_id = model.id_of(first);
                let coming = ahead.by_ref().take(prefetched).map(|row| {
                    let id = first_id.map(|id| id.wrapping_add(row as u64));
                    let (rows, place) = at(row);
                    (id, rows.row(place))
                });
                model.prefetch(coming);
            }
        }
        prefetched = prefetched.saturating_sub(1);
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
pub struct EpochOrders {
    generator: Option<SplitMix64>,
    order: Vec<usize>,
}

impl EpochOrders {
    /// Orders for `rows` rows; `shuffle` is the seed, if rows are shuffled.
    pub fn new(rows: usize, shuffle: Option<u64>) -> Self {
        EpochOrders {
            generator: shuffle.map(SplitMix64::new),
            order: (0..rows).collect(),
        }
    }

    /// The next epoch's order: the identity, shuffled again.
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

/// What a run did, epoch by epoch: differences of the model's counts. Kept with a checkpoint, it
/// continues as if the run had never stopped.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Ledger {
    /// Counts of the run so far, epoch by epoch.
    pub epochs: Vec<Counts>,
    /// Trials of these epochs.
    pub trials: u64,
    /// For each class, its counts epoch by epoch.
    pub classes: Vec<Vec<Counts>>,
    /// The model's counts when the current epoch began.
    pub totals: Totals,
    /// The counts of its classes when the current epoch began.
    pub class_totals: Vec<Counts>,
    /// What a class that appears had done before the run, as the background.
    pub background: Counts,
    /// Errors of the deployed predictor in the first epoch, once that has ended, if they were counted.
    pub validation: Option<Validation>,
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
        self.validation = self.validation.or(model.end_validation());
        let earlier = model.end_pass();
        let (totals, classes) = (model.totals(), model.classes().list());
        // a class that appeared brought the background's updates of earlier runs with it
        let appeared = classes.len() - self.class_totals.len();
        let inherited = appeared as u64 * self.background.updates;
        self.epochs.push(Counts {
            mistakes: totals.mistakes - self.totals.mistakes - earlier,
            updates: totals.updates - self.totals.updates - inherited,
        });
        self.trials += totals.trials - self.totals.trials;
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

    /// Where the run stands at the beginning of its epoch.
    pub fn standing(&self) -> Standing {
        let Counts { mistakes, updates } = self.total();
        Standing {
            run: Totals {
                trials: self.trials,
                mistakes,
                updates,
            },
            model: self.totals,
            classes: self.class_totals.len(),
            inherited: self.background.updates,
        }
    }

    /// Whether the last epoch had no mistake.
    pub fn is_separated(&self) -> bool {
        self.epochs.last().is_some_and(|epoch| epoch.mistakes == 0)
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

/// Where a run stood when its epoch began: what the counts of the run need beside the model's own.
#[derive(Clone, Copy, Debug)]
pub struct Standing {
    /// What the run had done.
    run: Totals,
    /// What the model had counted.
    model: Totals,
    /// How many classes there were.
    classes: usize,
    /// Updates of earlier runs that a class which appears brings with it.
    inherited: u64,
}

impl Standing {
    /// What the run has done, now that its model stands here.
    pub fn now(&self, model: &Model) -> Totals {
        let now = model.totals();
        let appeared = (model.classes().list().len() - self.classes) as u64;
        let since = |now: u64, before: u64| now.saturating_sub(before);
        let earlier = self.model.mistakes + model.settled_earlier();
        let inherited = self.model.updates + appeared * self.inherited;
        Totals {
            trials: self.run.trials + since(now.trials, self.model.trials),
            mistakes: self.run.mistakes + since(now.mistakes, earlier),
            updates: self.run.updates + since(now.updates, inherited),
        }
    }
}
