//! How much a certificate may cost: counted, never timed, so that results do not depend on the machine.

use std::cell::Cell;
use std::rc::Rc;

/// Rows up to which accuracy matters more than time.
const FEW: usize = 2000;

/// Multiplications that take some two seconds.
const WORK: f64 = 4e8;

/// And so many times those of the run, if they are more.
const RUNS: f64 = 5.0;

/// What is left of the multiplications that one certificate may take; copies share it.
#[derive(Clone, Debug)]
pub(super) struct Budget {
    left: Rc<Cell<f64>>,
}

impl Budget {
    /// For a run over so many rows that took so many multiplications.
    pub(super) fn new(rows: usize, run: f64) -> Self {
        if rows <= FEW {
            Self::unlimited()
        } else {
            Self::of((RUNS * run).max(WORK))
        }
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

    /// How many passes over so many values are left; at least one.
    pub(super) fn passes(&self, values: f64) -> u32 {
        // larger than any number of passes: as many as there can be
        (self.left.get() / values.max(1.0)).clamp(1.0, f64::from(u32::MAX)) as u32
    }
}
