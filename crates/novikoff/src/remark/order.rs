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

/// How the labels of rows with the same category follow each other, as those of one machine do.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ThingOrder {
    /// The column.
    pub column: String,
    /// How many categories it has.
    pub things: u64,
    /// How often a label is not that of the row before with the same category.
    pub changes: u64,
    /// The errors of answering that label, and for the first row of each category the most frequent label so far.
    pub errors: u64,
    /// Rows.
    pub rows: u64,
}

impl fmt::Display for ThingOrder {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "rows with the same {} keep their label: within {} the label changes {} in {}",
            self.column,
            plural(self.things, "value"),
            plural(self.changes, "time"),
            plural(self.rows, "row")
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
    /// The label of the row before with the same category is right more often than a run.
    SameThing {
        /// The order.
        order: ThingOrder,
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
    /// The errors of the run, if these are compared.
    pub fn errors(&self) -> Option<u64> {
        match self {
            OrderRemark::RowBefore { errors, .. } | OrderRemark::SameThing { errors, .. } => {
                Some(*errors)
            }
            OrderRemark::Folds(_) | OrderRemark::FoldsOfQuantities { .. } => None,
        }
    }

    /// The facts, with words for what the run makes, or several runs make.
    pub fn beside(&self, runs: &str) -> String {
        match self {
            OrderRemark::RowBefore { order, .. } => format!(
                "{order}; always answering the label of the row before makes {}, and {runs}, so validation may say more of the order than of the columns",
                plural(order.errors_of_row_before(), "error")
            ),
            OrderRemark::SameThing { order, .. } => format!(
                "{order}; always answering the label of the row before with the same {} makes {}, and {runs}, so errors on these rows may say little of later ones",
                order.column,
                plural(order.errors, "error")
            ),
            OrderRemark::Folds(_) | OrderRemark::FoldsOfQuantities { .. } => self.to_string(),
        }
    }

    pub(super) fn remedy(&self) -> Remedy {
        let other = "if rows come in order of time, or several from one person or thing";
        match self {
            OrderRemark::RowBefore { .. } => Remedy::give(Setting::Shuffle, "1")
                .aim("to see what the columns alone are worth")
                .or("test on rows of another time, or of other persons or things"),
            OrderRemark::SameThing { order, .. } => Remedy::clause(format!(
                "test on rows of another time, or with other values of {}",
                order.column
            )),
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
            OrderRemark::RowBefore { errors, .. } | OrderRemark::SameThing { errors, .. } => {
                f.write_str(&self.beside(&format!("this run makes {}", count(*errors))))
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
