//! One expert: a whole learner with its own rows, and what is counted of it.

use super::shared::OwnRows;
use super::weights::counts;
use crate::cost::{Cost, Size};
use crate::kernel::Kernel;
use crate::learner::{Hypothesis, LaneCounts, Learner, Refusal, RetiredBecause, Retirement, Trial};
use crate::parameter::Parameters;
use crate::row::Row;
use crate::state::{State, StateError};

/// More trials and updates than any run makes.
const TRIALS: u64 = 1 << 48;

/// A learner's own statement of its cost.
pub(crate) type CostOf = fn(&Parameters, Kernel, Size) -> Cost;

/// One expert.
pub(super) struct Expert {
    /// Its spec, for people.
    pub(super) spec: String,
    pub(super) name: &'static str,
    pub(super) learner: Box<dyn Learner>,
    /// Which rows it is given.
    pub(super) rows: OwnRows,
    pub(super) parameters: Parameters,
    pub(super) kernel: Kernel,
    pub(super) cost_of: CostOf,
    /// Mistakes and updates by lane, while it ran.
    pub(super) counts: Vec<LaneCounts>,
    /// Trials on which its answer was wrong, those since it was retired included.
    pub(super) mistakes: u64,
    pub(super) retired: Option<Retirement>,
    /// Multiply-adds so far.
    pub(super) spent: f64,
    /// The sum of the absolute values of its scores, and how many there were.
    pub(super) sizes: (f64, u64),
    /// The last trial.
    pub(super) trial: Trial,
    /// Whether the last trial's row was zero in its space.
    pub(super) was_zero: bool,
    /// Whether the last trial's answer was wrong, or there was none.
    pub(super) was_wrong: bool,
    pub(super) refusal: Option<Refusal>,
}

impl Clone for Expert {
    fn clone(&self) -> Self {
        Expert {
            spec: self.spec.clone(),
            name: self.name,
            learner: self.learner.clone(),
            rows: self.rows,
            parameters: self.parameters.clone(),
            kernel: self.kernel,
            cost_of: self.cost_of,
            counts: self.counts.clone(),
            mistakes: self.mistakes,
            retired: self.retired,
            spent: self.spent,
            sizes: self.sizes,
            trial: Trial::default(),
            was_zero: false,
            was_wrong: false,
            refusal: None,
        }
    }
}

impl Expert {
    /// Whether it still answers.
    pub(super) fn runs(&self) -> bool {
        self.retired.is_none()
    }

    /// Its trial, given its inner products if it has plain vectors; a refusal is kept and leaves nothing behind.
    pub(super) fn attempt(&mut self, x: Row<'_>, inner: &[f64], positive: &[usize], of: &Trial) {
        let trial = &mut self.trial;
        (trial.weight, trial.id) = (of.weight, of.id);
        trial.validates = of.validates.map(|_| self.learner.hypotheses()[0]);
        self.was_zero = self.learner.is_zero(x);
        let done = if of.weight != 1.0 && !self.learner.is_weighted() {
            Err(Refusal::Weight {
                learner: self.name,
                weight: of.weight,
                others: Vec::new(),
            })
        } else if self.was_zero {
            let lanes = self.learner.lanes();
            trial.margin.clear();
            trial.margin.resize(lanes, self.learner.zero_margin());
            trial.score.clone_from(&trial.margin);
            trial.deployed.clone_from(&trial.margin);
            trial.updated.clear();
            trial.updated.resize(lanes, false);
            Ok(())
        } else {
            self.learner.trial_given(x, inner, positive, trial)
        };
        if let (Err(_), Some(by)) = (&done, trial.validates) {
            trial.deployed.resize(self.learner.lanes(), 0.0);
            self.learner.scores(x, by, &mut trial.deployed);
        }
        self.refusal = done.err();
    }

    /// Why a row was refused that others took.
    pub(super) fn refused_because(&self) -> Option<RetiredBecause> {
        Some(match self.refusal.as_ref()? {
            Refusal::Negative { .. } | Refusal::NegativeBias { .. } => RetiredBecause::Value,
            Refusal::Weight { .. } => RetiredBecause::Weight,
            Refusal::Memory { .. } => RetiredBecause::Memory,
            Refusal::NotFinite => RetiredBecause::NotFinite,
        })
    }

    /// Counts the last trial by lane, and what is usual of its scores.
    pub(super) fn count(&mut self, positive: &[usize]) {
        for (lane, counts) in self.counts.iter_mut().enumerate() {
            let is_positive = self.trial.margin[lane] >= 0.0;
            counts.mistakes += u64::from(is_positive != positive.contains(&lane));
            counts.updates += u64::from(self.trial.updated[lane]);
        }
        if !self.was_zero {
            let size: f64 = self.trial.score.iter().map(|score| score.abs()).sum();
            let sum = self.sizes.0 + size;
            if sum.is_finite() {
                self.sizes = (sum, self.sizes.1 + self.trial.score.len() as u64);
            }
        }
    }

    /// What the absolute value of its scores usually is.
    pub(super) fn usual(&self) -> f64 {
        if self.sizes.1 > 0 {
            self.sizes.0 / self.sizes.1 as f64
        } else {
            0.0
        }
    }

    /// Updates of a lane, on average.
    pub(super) fn updates(&self) -> f64 {
        let updates: u64 = self.counts.iter().map(|counts| counts.updates).sum();
        updates as f64 / self.counts.len().max(1) as f64
    }

    /// Pays for the last trial.
    pub(super) fn pay(&mut self, size: Size) -> f64 {
        if self.was_zero {
            return 0.0;
        }
        let updates = self.updates();
        let Cost { trial, update } =
            (self.cost_of)(&self.parameters, self.kernel, Size { updates, ..size });
        let updated = self
            .trial
            .updated
            .iter()
            .filter(|updated| **updated)
            .count();
        let paid = self.counts.len() as f64 * trial + updated as f64 * update;
        self.spent += paid;
        paid
    }

    /// The scores of its deployed predictor, given its inner products in `out` if it has plain vectors.
    pub(super) fn scores_given(&self, x: Row<'_>, out: &mut [f64]) {
        if self.learner.is_zero(x) {
            out.fill(self.learner.zero_margin());
        } else {
            self.learner.scores_given(x, self.deployed(), out);
        }
    }

    /// The scores of its deployed predictor.
    pub(super) fn scores(&self, x: Row<'_>, out: &mut [f64]) {
        if self.learner.is_zero(x) {
            out.fill(self.learner.zero_margin());
        } else {
            self.learner.scores(x, self.deployed(), out);
        }
    }

    /// The predictor that it deploys.
    pub(super) fn deployed(&self) -> Hypothesis {
        self.learner.hypotheses()[0]
    }

    pub(super) fn save<'a>(&'a self, out: &mut State<'a>) {
        let counts = self.counts.iter().flat_map(|c| [c.mistakes, c.updates]);
        out.put_u64("counts", counts.collect::<Vec<_>>());
        let retired = self.retired.map_or([0, 0], |retired| {
            let code = RetiredBecause::ALL
                .iter()
                .position(|why| *why == retired.because);
            [1 + code.unwrap_or(0) as u64, retired.trial]
        });
        out.put_u64("facts", [[self.mistakes, self.sizes.1], retired].concat());
        out.put_f64("sums", vec![self.spent, self.sizes.0]);
        // nobody asks a retired expert any more
        if self.runs() {
            out.within("learner", |out| self.learner.save(out));
        }
    }

    /// Becomes the expert that was saved, unless that is none.
    pub(super) fn load(&self, lanes: usize, from: &mut State<'static>) -> Result<Self, StateError> {
        let mut loaded = self.clone();
        let pairs = counts(from, "counts", 2 * lanes)?;
        let [mistakes, scores, code, trial] = from.take_counts("facts")?;
        let few = |n: &u64| *n < TRIALS;
        if !pairs.iter().chain(&[mistakes, scores, trial]).all(few) {
            return Err(from.bad("counts", "more than any run makes"));
        }
        let pairs = pairs.chunks_exact(2);
        let pairs = pairs.map(|pair| LaneCounts {
            mistakes: pair[0],
            updates: pair[1],
        });
        loaded.counts = pairs.collect();
        let because = usize::try_from(code)
            .ok()
            .and_then(|code| code.checked_sub(1));
        loaded.retired = match because.map(|code| RetiredBecause::ALL.get(code)) {
            None if code == 0 => None,
            Some(Some(&because)) => Some(Retirement { trial, because }),
            _ => return Err(from.bad("facts", "retired for no reason")),
        };
        let [spent, sizes] = from.take_scalars("sums")?;
        if !(0.0..1e300).contains(&spent) || sizes < 0.0 {
            return Err(from.bad("sums", "less than nothing"));
        }
        (loaded.mistakes, loaded.spent, loaded.sizes) = (mistakes, spent, (sizes, scores));
        if loaded.runs() {
            from.within("learner", |from| loaded.learner.load(lanes, from))?;
        }
        Ok(loaded)
    }
}
