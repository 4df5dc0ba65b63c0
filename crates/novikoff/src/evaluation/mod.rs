//! How good predictions are: counts, rates and curves. Numbers out, no text.
//!
//! - [`Hits`]: one label's true and false positives; precision, recall, F1 and their averages;
//! - [`Confusion`]: which label was taken for which;
//! - [`Ranking`]: rows in the order of their scores; ROC and precision-recall curves, areas, break-even point;
//! - [`ProbabilityScores`]: log loss and Brier score of probabilities;
//! - [`Reliability`]: whether probabilities come true;
//! - [`Baseline`]: errors of always answering the most frequent label so far;
//! - [`Tally`]: all of that for a model on labelled rows, block by block; [`Distances`] for numbers.

mod baseline;
mod confusion;
mod hits;
mod probability_scores;
mod ranking;
mod reliability;
mod tally;

pub use baseline::Baseline;
pub use confusion::Confusion;
pub use hits::{Hits, Measures, macro_average, micro_average};
pub use probability_scores::ProbabilityScores;
#[doc(hidden)] // for drawings
pub use ranking::{CurvePoint, thinned};
pub use ranking::{PrPoint, Ranking, RocPoint};
pub use reliability::{Reliability, ReliabilityBin};
#[doc(hidden)]
pub use tally::UNKNOWN;
pub use tally::{Average, Distances, Evaluated, Evaluation, ScoreUnit, Tally};
