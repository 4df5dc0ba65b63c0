//! How much a certificate may cost: counted, never timed, so that results do not depend on the machine.

use std::cell::Cell;
use std::rc::Rc;

/// Rows up to which accuracy matters more than time.
const FEW: usize = 2000;

/// Multiplications that take less than two seconds, whatever the rows are.
const WORK: f64 = 1e9;

/// A step takes as long as this many multiplications beside those of its row.
const STEP: f64 = 20.0;

/// A certificate may take this many times the multiplications of the run, if that is more than `WORK`.
const RUNS: f64 = 5.0;

/// What is left of the multiplications that one certificate may take; copies share it.
#[derive(Clone, Debug)]
pub(super) struct Budget {
    left: Rc<Cell<f64>>,
}

impl Budget {
    /// For a run, by its number of rows and of multiplications.
    pub(super) fn new(rows: usize, run: f64) -> Self {
        if rows <= FEW {
            Self::unlimited()
        } else {
            Self::of((RUNS * run).max(WORK))
        }
    }

    /// The work of a pass, by the number of rows and of values.
    pub(super) fn of_pass(rows: usize, values: usize) -> f64 {
        values as f64 + STEP * rows as f64
    }

    pub(super) fn unlimited() -> Self {
        Self::of(f64::INFINITY)
    }

    fn of(left: f64) -> Self {
        Budget {
            left: Rc::new(Cell::new(left)),
        }
    }

    pub(super) fn is_limited(&self) -> bool {
        self.left.get().is_finite()
    }

    pub(super) fn is_spent(&self) -> bool {
        self.left.get() <= 0.0
    }

    pub(super) fn spend(&self, work: f64) {
        self.left.set(self.left.get() - work);
    }

    /// Whether at least half would be left after `work`.
    pub(super) fn allows(&self, work: f64) -> bool {
        2.0 * work <= self.left.get()
    }

    /// How many passes of `work` each are left; at least one.
    pub(super) fn passes(&self, work: f64) -> u32 {
        (self.left.get() / work.max(1.0)).clamp(1.0, f64::from(u32::MAX)) as u32
    }
}
