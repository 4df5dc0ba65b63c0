//! Remarks on labels.

use std::fmt;

use super::{Looked, UnknownLabels, about};
use crate::quantity::{count, plural};
use crate::remedy::{Hint, Remedy, Setting};

/// A remark on labels.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum LabelRemark {
    /// Labels of rows that a model does not know.
    Unknown(UnknownLabels),
    /// A model that knows one label gives it to every row.
    Only {
        /// The label.
        label: String,
    },
    /// Labels that few rows have and that are nearly written like one that many have.
    Near {
        /// The rare label with its rows, and the frequent one with its rows.
        labels: Vec<[(String, u64); 2]>,
    },
    /// There are nearly as many labels as rows, or very many.
    Many {
        /// How many.
        labels: u64,
        /// Rows.
        rows: u64,
        /// The column or field that holds them, if they have one.
        column: Option<String>,
        /// All of them are numbers.
        are_numbers: bool,
    },
    /// There are many labels, and all are numbers.
    Numbers {
        /// How many.
        labels: u64,
        /// The column that holds them, if they have one.
        column: Option<String>,
    },
    /// There are many labels, and all are dates.
    Dates {
        /// How many.
        labels: u64,
        /// The column that holds them, if they have one.
        column: Option<String>,
    },
    /// Labels that are quantities rise or fall with the numbers of a column.
    Follow {
        /// The column.
        column: String,
        /// The squared correlation of the ranks of both.
        correlation: f64,
        /// The rows that were looked at.
        looked: Looked,
    },
    /// The values of a column stand for ranges of labels that are quantities.
    Bands {
        /// The column.
        column: String,
        /// How many values.
        values: u64,
        /// The rows that were looked at.
        looked: Looked,
    },
    /// Labels that are quantities have three decimals, or none and are larger, as if points separated thousands.
    Thousands {
        /// Labels with three decimals.
        with_point: u64,
        /// One of them.
        example: f64,
        /// The others, which are whole numbers.
        whole: u64,
    },
    /// Labels that may mean the same, such as `Y` and `yes`, are different classes.
    Synonyms {
        /// Those that may mean the same.
        labels: Vec<Vec<String>>,
    },
    /// A label that is a quantity is far from all others.
    Far {
        /// The label.
        value: f64,
        /// How many rows have it.
        rows: u64,
        /// Standard deviations of the other labels between it and their mean.
        deviations: f64,
    },
    /// Labels that are quantities are much larger or smaller than those of training.
    Resized {
        /// About their size.
        size: f64,
        /// About the size of those of training.
        training: f64,
    },
    /// No row has a label that was given a weight.
    NotWeighted {
        /// The label.
        label: String,
    },
    /// A label such as `unknown` is a class like others, and may stand for a label that is not known.
    NotKnown {
        /// The label.
        label: String,
        /// How many rows have it.
        rows: u64,
    },
    /// All rows have the same label.
    One {
        /// The label.
        label: String,
        /// Rows.
        rows: u64,
    },
}

impl LabelRemark {
    pub(super) fn kind(&self) -> &'static str {
        match self {
            LabelRemark::Unknown(_) => "unknown-labels",
            LabelRemark::Follow { .. } | LabelRemark::Bands { .. } => "leakage",
            LabelRemark::Far { .. } => "outlier",
            LabelRemark::Thousands { .. } => "number-text",
            LabelRemark::Resized { .. } => "shifted",
            LabelRemark::Only { .. }
            | LabelRemark::Near { .. }
            | LabelRemark::Many { .. }
            | LabelRemark::Numbers { .. }
            | LabelRemark::Dates { .. }
            | LabelRemark::NotWeighted { .. }
            | LabelRemark::Synonyms { .. }
            | LabelRemark::NotKnown { .. }
            | LabelRemark::One { .. } => "labels",
        }
    }

    pub(super) fn remedy(&self) -> Remedy {
        match self {
            LabelRemark::Unknown(unknown) => unknown.remedy(),
            LabelRemark::Only { .. } => {
                Remedy::clause("train on rows that have at least two labels")
            }
            LabelRemark::Near { .. } | LabelRemark::Synonyms { .. } => {
                Remedy::clause("write each label in one way, if they are the same")
            }
            LabelRemark::Numbers { .. }
            | LabelRemark::Many {
                are_numbers: true, ..
            } => Remedy::hint(Hint::Solve)
                .aim("with the squared loss, if they are quantities")
                .or(Remedy::give(Setting::Label, "COLUMN").aim("if another column is the label")),
            LabelRemark::Follow { column, .. } | LabelRemark::Bands { column, .. } => {
                Remedy::give(Setting::Drop, column.clone())
                    .aim("if it is not known before the label is")
            }
            LabelRemark::Thousands { example, .. } => Remedy::clause(format!(
                "write {example:.3} as {:.0}, if that is meant",
                1000.0 * example
            )),
            LabelRemark::Far { .. } => Remedy::clause("correct it")
                .or("leave these rows out, if it stands for a missing one"),
            LabelRemark::Resized { .. } => {
                Remedy::clause("check that the label has the unit and the meaning of training")
                    .or("train a new model, if the data has changed")
            }
            LabelRemark::NotWeighted { .. } => {
                Remedy::clause("give labels of the data").or("balanced")
            }
            LabelRemark::NotKnown { .. } => Remedy::clause(
                "leave these rows out, if it stands for a label that is not known: a model can predict them later",
            ),
            LabelRemark::One { .. } => Remedy::clause("add rows of another label")
                .or(Remedy::give(Setting::Label, "COLUMN").aim("if another column is the label")),
            LabelRemark::Many { .. } | LabelRemark::Dates { .. } => {
                Remedy::give(Setting::Label, "COLUMN").aim("if another column is the label")
            }
        }
    }
}

impl fmt::Display for LabelRemark {
    #[allow(clippy::too_many_lines)] // a table: one arm per remark
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            LabelRemark::Unknown(unknown) => unknown.fmt(f),
            LabelRemark::Only { label } => write!(
                f,
                "the model knows one label only, {label}, so every answer is {label}"
            ),
            LabelRemark::NotWeighted { label } => {
                write!(f, "class weights: no row has the label `{label}`")
            }
            LabelRemark::Near { labels } => {
                let pairs = labels.iter().map(|[(rare, few), (frequent, many)]| {
                    let (few, many) = (plural(*few, "row"), count(*many));
                    format!("`{rare}` ({few}) and `{frequent}` ({many})")
                });
                let pairs = pairs.collect::<Vec<String>>().join(", ");
                write!(
                    f,
                    "labels that differ in one character are different classes: {pairs}"
                )
            }
            LabelRemark::Many {
                labels,
                rows,
                column,
                ..
            } => {
                let labels = plural(*labels, "label");
                write!(f, "{labels} in {}: is ", plural(*rows, "row"))?;
                match column {
                    Some(column) => write!(f, "column {column} the label?"),
                    None => f.write_str("this the label?"),
                }
            }
            LabelRemark::Numbers { labels, column } | LabelRemark::Dates { labels, column } => {
                let what = match column {
                    Some(column) => format!("the labels, of column {column},"),
                    None => "the labels".to_owned(),
                };
                let are = match self {
                    LabelRemark::Dates { .. } => "dates",
                    _ => "numbers",
                };
                let labels = count(*labels);
                write!(
                    f,
                    "{what} are {labels} different {are}, and each is a class of its own"
                )
            }
            LabelRemark::Follow {
                column,
                correlation,
                looked,
            } => write!(
                f,
                "column {column} predicts the label: in {looked} the squared correlation of their ranks is {correlation:.4}"
            ),
            LabelRemark::Thousands {
                with_point,
                example,
                whole,
            } => write!(
                f,
                "{} such as {example:.3} have three decimals, and the {} others are whole numbers that are larger, as if points separated thousands",
                plural(*with_point, "label"),
                count(*whole)
            ),
            LabelRemark::Synonyms { labels } => {
                let lists = labels.iter().map(|same| {
                    let same: Vec<String> = same.iter().map(|label| format!("`{label}`")).collect();
                    same.join(" and ")
                });
                let lists = lists.collect::<Vec<String>>().join(", ");
                write!(
                    f,
                    "labels that may mean the same are different classes: {lists}"
                )
            }
            LabelRemark::Bands {
                column,
                values,
                looked,
            } => write!(
                f,
                "column {column} predicts the label: in {looked} its {} stand for ranges of it",
                plural(*values, "value")
            ),
            LabelRemark::Far {
                value,
                rows,
                deviations,
            } => write!(
                f,
                "{} {} the label {value}, {} standard deviations of the other labels away from their mean",
                plural(*rows, "row"),
                if *rows == 1 { "has" } else { "have" },
                about(*deviations)
            ),
            LabelRemark::Resized { size, training } => write!(
                f,
                "the labels are unlike those of training: they are about {} in size, and in training about {}",
                about(*size),
                about(*training)
            ),
            LabelRemark::NotKnown { label, rows } => write!(
                f,
                "{} {} the label `{label}`, which is learned as a class like the others",
                plural(*rows, "row"),
                if *rows == 1 { "has" } else { "have" },
            ),
            LabelRemark::One { label, rows } => write!(
                f,
                "all {} have the same label, {label}, so there is nothing to learn",
                plural(*rows, "row")
            ),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::LabelRemark;

    #[test]
    fn facts() {
        let remark = LabelRemark::Many {
            labels: 12_000,
            rows: 12_000,
            column: Some("customer_id".to_owned()),
            are_numbers: false,
        };
        assert_eq!(
            remark.to_string(),
            "12,000 labels in 12,000 rows: is column customer_id the label?"
        );
        let pair = |label: &str, rows| (label.to_owned(), rows);
        let remark = LabelRemark::Near {
            labels: vec![[pair("noo", 1), pair("no", 17_591)]],
        };
        assert_eq!(
            remark.to_string(),
            "labels that differ in one character are different classes: `noo` (1 row) and `no` (17,591)"
        );
    }
}
