//! What a learner costs, in multiply-adds and never by a clock.

/// Multiply-adds that an elementary function counts as.
#[doc(hidden)] // for jobs that compare costs
pub const FUNCTION: f64 = 20.0;

/// How large a trial is.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Size {
    /// Values of the row that are not zero.
    pub nnz: f64,
    /// Features, d.
    pub features: f64,
    /// Updates so far, k.
    pub updates: f64,
    /// Trials so far; where rows come again, no more than there are rows.
    pub trials: f64,
}

/// Multiply-adds.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Cost {
    /// Multiply-adds of each trial.
    pub trial: f64,
    /// Multiply-adds of each update, beside those of its trial.
    pub update: f64,
}
