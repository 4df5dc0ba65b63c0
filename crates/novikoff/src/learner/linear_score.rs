//! Scores as formulas.

/// The score of one class where it is a sum: of a weight times the value of each slot, or in the space of a kernel of a weight times the
/// kernel's value with each row of the [support](super::Predictor::support).
#[derive(Clone, Debug, PartialEq)]
pub struct LinearScore {
    /// By slot, or by row of the support.
    pub weights: Vec<f64>,
    /// Added to the sum.
    pub intercept: f64,
    /// The sum is divided by the p-norm of the row for this p; a row of norm 0 scores 0.
    pub norm: Option<f64>,
}
