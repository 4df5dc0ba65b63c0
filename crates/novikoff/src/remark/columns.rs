//! Remarks on columns that are learned from although they should perhaps not be, or not as they are.

use std::fmt;

use super::about;
use crate::quantity::{count, plural};
use crate::remedy::{Remedy, Setting};

/// A remark on what a column holds.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum ColumnRemark {
    /// A column of numbers is called an id, and its first numbers are whole and distinct.
    NumberIds {
        /// The column.
        column: String,
        /// How many numbers were looked at.
        numbers: u64,
        /// How many of them are distinct.
        distinct: u64,
    },
    /// Categories of a column differ only in case, or in blanks around them.
    CategoriesAlike {
        /// The column.
        column: String,
        /// The first of them, each with those that it is like.
        categories: Vec<Vec<String>>,
        /// How many categories are written in several ways.
        groups: u64,
    },
    /// A value of a column is far from all others.
    FarValue {
        /// The column.
        column: String,
        /// The value.
        value: f64,
        /// How many rows have it.
        rows: u64,
        /// How many rows were looked at, if those were not all.
        of_first: Option<u64>,
        /// Standard deviations of the other values between it and their mean.
        deviations: f64,
    },
    /// A feature is there exactly where rows have one label.
    Leakage {
        /// The column.
        column: String,
        /// The feature.
        feature: String,
        /// The label.
        label: String,
        /// How many rows were looked at.
        rows: u64,
    },
    /// Rows of JSON lack the field of a standardised column, and 0 is far from its mean.
    AbsentKeys {
        /// The column.
        column: String,
        /// How many rows.
        rows: u64,
        /// How many rows were read.
        of: u64,
        /// Standard deviations between 0 and the mean.
        deviations: f64,
    },
}

impl ColumnRemark {
    pub(super) fn kind(&self) -> &'static str {
        match self {
            ColumnRemark::NumberIds { .. } => "ids",
            ColumnRemark::CategoriesAlike { .. } => "categories",
            ColumnRemark::FarValue { .. } => "outlier",
            ColumnRemark::Leakage { .. } => "leakage",
            ColumnRemark::AbsentKeys { .. } => "missing-scale",
        }
    }

    pub(super) fn remedy(&self) -> Remedy {
        match self {
            ColumnRemark::NumberIds { column, .. } => Remedy::give(Setting::Drop, column.clone()),
            ColumnRemark::CategoriesAlike { .. } => {
                Remedy::clause("write each category in one way")
            }
            ColumnRemark::FarValue { .. } => {
                Remedy::clause("correct it").or(Remedy::give(Setting::Missing, "mean")
                    .aim("and empty cells, if it stands for missing values"))
            }
            ColumnRemark::Leakage { column, .. } => Remedy::give(Setting::Drop, column.clone())
                .aim("if it is not known before the label is"),
            ColumnRemark::AbsentKeys { .. } => Remedy::give(Setting::Missing, "mean")
                .aim("for what is null, and write null for what is not known"),
        }
    }
}

impl fmt::Display for ColumnRemark {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ColumnRemark::NumberIds {
                column,
                numbers,
                distinct,
            } => {
                let values = plural(*numbers, "value");
                let distinct = if distinct == numbers {
                    " and all distinct".to_owned()
                } else {
                    format!(", {} of them distinct", count(*distinct))
                };
                write!(
                    f,
                    "column {column} looks like an id: its first {values} are whole{distinct}, and it is learned from as a number"
                )
            }
            ColumnRemark::CategoriesAlike {
                column,
                categories,
                groups,
            } => {
                let lists = categories.iter().map(|alike| {
                    let quoted = alike.iter().map(|category| format!("`{category}`"));
                    quoted.collect::<Vec<String>>().join(" and ")
                });
                let lists = lists.collect::<Vec<String>>().join(", ");
                let more = if *groups > categories.len() as u64 {
                    ", ..."
                } else {
                    ""
                };
                write!(
                    f,
                    "categories of column {column} that differ only in case or blanks are different features: {lists}{more}"
                )
            }
            ColumnRemark::FarValue {
                column,
                value,
                rows,
                of_first,
                deviations,
            } => write!(
                f,
                "{} {} the value {} in column {column}, {} standard deviations of the other values away from their mean",
                match of_first {
                    Some(first) =>
                        format!("{} of the first {}", count(*rows), plural(*first, "row")),
                    None => plural(*rows, "row"),
                },
                if *rows == 1 { "has" } else { "have" },
                written(*value),
                about(*deviations)
            ),
            ColumnRemark::Leakage {
                column,
                feature,
                label,
                rows,
            } => write!(
                f,
                "column {column} tells the label: in the first {} {feature} is there exactly where the label is {label}",
                plural(*rows, "row")
            ),
            ColumnRemark::AbsentKeys {
                column,
                rows,
                of,
                deviations,
            } => write!(
                f,
                "{} of {} {} no field {column}, which is read as 0, {deviations:.1} standard deviations away from its mean",
                count(*rows),
                plural(*of, "row"),
                if *rows == 1 { "has" } else { "have" },
            ),
        }
    }
}

/// A value of a row as it may have been written.
fn written(value: f64) -> String {
    let value = value as f32;
    if (1e-4..1e9).contains(&value.abs()) {
        value.to_string()
    } else {
        format!("{value:e}")
    }
}

#[cfg(test)]
mod tests {
    use super::written;

    #[test]
    fn values_are_written_as_they_were() {
        for (value, text) in [
            (-999.0, "-999"),
            (99_999.0, "99999"),
            (f64::from(0.1_f32), "0.1"),
            (f64::from(1e30_f32), "1e30"),
        ] {
            assert_eq!(written(value), text);
        }
    }
}
