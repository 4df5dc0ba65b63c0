//! Remarks on rows whose neighbours have much the same label, as visits of one person or measurements of one machine have.

use std::fmt;

use crate::quantity::{count, plural};
use crate::remedy::{Remedy, Setting};

/// How the labels of rows follow each other.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct LabelOrder {
    /// Runs of equal labels.
    pub runs: u64,
    /// Runs that a random order has, on average.
    pub expected: f64,
    /// Rows.
    pub rows: u64,
}

impl LabelOrder {
    /// The errors of answering each row but the first with the label of the row before.
    pub fn errors_of_row_before(&self) -> u64 {
        self.runs.saturating_sub(1)
    }

    /// That the label of the row before is right more often than runs, and what they make.
    pub fn row_before_beats(&self, runs: &str) -> String {
        format!(
            "{self}; always answering the label of the row before makes {}, and {runs}, so validation may say more of the order than of the columns",
            plural(self.errors_of_row_before(), "error")
        )
    }
}

impl fmt::Display for LabelOrder {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "rows with the same label follow each other: {} of equal labels in {}, where a random order has about {}",
            plural(self.runs, "run"),
            plural(self.rows, "row"),
            count(self.expected.round() as u64)
        )
    }
}

/// A remark on the order of rows.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum OrderRemark {
    /// The label of the row before is right more often than a run.
    RowBefore {
        /// The order.
        order: LabelOrder,
        /// The validation errors of the run.
        errors: u64,
    },
    /// Rows are dealt to folds at random, and neighbours have the same label.
    Folds(LabelOrder),
    /// Rows are dealt to folds at random, and neighbours have nearly the same quantity.
    FoldsOfQuantities {
        /// The correlation of the ranks of neighbours.
        correlation: f64,
        /// Rows.
        rows: u64,
    },
}

impl OrderRemark {
    pub(super) fn remedy(&self) -> Remedy {
        let other = "if rows come in order of time, or several from one person or thing";
        match self {
            OrderRemark::RowBefore { .. } => Remedy::give(Setting::Shuffle, "1")
                .aim("to see what the columns alone are worth")
                .or("test on rows of another time, or of other persons or things"),
            OrderRemark::Folds(_) | OrderRemark::FoldsOfQuantities { .. } => Remedy::clause(
                format!("test on later rows, or on other persons or things, {other}"),
            ),
        }
    }
}

impl fmt::Display for OrderRemark {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let both = "and folds at random have neighbours on both sides, so their errors may say little of rows that have no such neighbours";
        match self {
            OrderRemark::RowBefore { order, errors } => {
                let makes = format!("this run makes {}", count(*errors));
                f.write_str(&order.row_before_beats(&makes))
            }
            OrderRemark::Folds(order) => write!(f, "{order}, {both}"),
            OrderRemark::FoldsOfQuantities { correlation, rows } => write!(
                f,
                "the labels of rows that follow each other are nearly the same: in {} the correlation of their ranks is {correlation:.2}, {both}",
                plural(*rows, "row")
            ),
        }
    }
}
