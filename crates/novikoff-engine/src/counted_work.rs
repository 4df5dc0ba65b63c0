//! The work of a run, counted before it is made: in multiply-adds as each learner states them, never by a clock.

use novikoff::catalog::Size;
use novikoff::kernel::Kernel;
use novikoff::spec::Spec;
use novikoff_report::RunReport;

use crate::Error;

/// Multiply-adds that a learner of the default list may take: a few seconds of one core.
pub const WORK: f64 = 5e9;

/// Moments of the run at which the cost of a trial is taken.
const MOMENTS: u32 = 32;

/// How large a run is.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Scale {
    /// Trials of a run.
    pub(crate) trials: f64,
    /// Rows.
    pub(crate) rows: f64,
    /// Binary problems.
    pub(crate) problems: f64,
    /// Values per row.
    pub(crate) nnz: f64,
    pub(crate) features: f64,
    /// Updates of the perceptron per trial and problem.
    pub(crate) rate: f64,
    /// Updates of the perceptron on the rows on which learners are tried.
    pub(crate) first_updates: f64,
}

impl Scale {
    /// Multiply-adds of a learner's run that makes `more` updates per update of the perceptron.
    pub(crate) fn work(&self, spec: &Spec, kernel: Kernel, more: f64) -> Result<f64, Error> {
        let rate = (self.rate * more).min(1.0);
        let entry = spec.entry();
        let width = self.features as u32;
        let parameters = spec.parameters(Some(width.max(2)))?;
        let share = self.trials / f64::from(MOMENTS);
        let at = |moment: u32| {
            let trials = (f64::from(moment) + 0.5) * share;
            let size = Size {
                nnz: self.nnz,
                features: self.features,
                updates: rate * trials,
                trials: trials.min(self.rows),
            };
            let cost = (entry.can.cost)(&parameters, kernel, size);
            (cost.trial + rate * cost.update) * share
        };
        let trials: f64 = (0..MOMENTS).map(at).sum();
        // a learner that sees all rows first inverts a matrix of features
        let before = if entry.can.needs_all_rows {
            self.features.powi(3)
        } else {
            0.0
        };
        Ok(trials * self.problems + before)
    }

    /// The size of a run that is done and made mistakes, on rows with this many values each; a learner is taken to make as many updates.
    pub(crate) fn of_run(report: &RunReport, nnz: f64) -> Self {
        let epochs = report.epochs.len().max(1) as f64;
        let trials = report.data.rows as f64 * epochs;
        let problems = report.classes.as_ref().map_or(1, Vec::len).max(1) as f64;
        let features = f64::from(report.data.features);
        let classes = report.classes.iter().flatten();
        let of_classes: u64 = classes.flat_map(|c| &c.epochs).map(|c| c.mistakes).sum();
        let mistakes = report.total().mistakes.max(of_classes) as f64;
        Scale {
            trials,
            rows: report.data.rows as f64,
            problems,
            nnz: nnz.min(features),
            features,
            rate: (mistakes / (trials * problems).max(1.0)).clamp(0.0, 1.0),
            first_updates: 1.0,
        }
    }

    /// Bytes of a number per pair of features.
    pub(crate) fn pairs(&self) -> f64 {
        8.0 * self.features * self.features
    }
}
