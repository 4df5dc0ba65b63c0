//! Remarks on columns that are learned from although they should perhaps not be, or not as they are.

use std::fmt;

use super::about;
use crate::quantity::{count, percent, plural};
use crate::remedy::{Remedy, Setting};

/// Rows that were looked at.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Looked {
    /// How many.
    pub rows: u64,
    /// They are the first of the data.
    pub is_first: bool,
}

impl fmt::Display for Looked {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let rows = plural(self.rows, "row");
        if self.is_first {
            write!(f, "the first {rows}")
        } else {
            write!(f, "{rows} of the data")
        }
    }
}

/// What a part of the rows has in common, in one column.
#[derive(Clone, Debug, PartialEq)]
pub enum Rule {
    /// The cell is not empty.
    Filled,
    /// The cell is empty.
    Empty,
    /// The number is at least this.
    AtLeast(f64),
    /// The number is less.
    Below(f64),
    /// The number is this.
    Is(f64),
    /// The number is not this.
    IsNot(f64),
    /// The rows have this feature.
    Has(String),
    /// The rows do not have this feature.
    HasNot(String),
    /// The text has one of these words.
    Words(Vec<String>),
}

impl Rule {
    /// What all other rows have in common.
    #[must_use]
    pub fn opposite(self) -> Self {
        match self {
            Rule::Filled => Rule::Empty,
            Rule::Empty => Rule::Filled,
            Rule::AtLeast(value) => Rule::Below(value),
            Rule::Below(value) => Rule::AtLeast(value),
            Rule::Is(value) => Rule::IsNot(value),
            Rule::IsNot(value) => Rule::Is(value),
            Rule::Has(feature) => Rule::HasNot(feature),
            Rule::HasNot(feature) => Rule::Has(feature),
            words @ Rule::Words(_) => words,
        }
    }
}

impl fmt::Display for Rule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Rule::Filled => f.write_str("it is filled in"),
            Rule::Empty => f.write_str("it is empty in"),
            Rule::AtLeast(value) => write!(f, "it is at least {} in", written(*value)),
            Rule::Below(value) => write!(f, "it is less than {} in", written(*value)),
            Rule::Is(value) => write!(f, "it is {} in", written(*value)),
            Rule::IsNot(value) => write!(f, "it is other than {} in", written(*value)),
            Rule::Has(feature) => write!(f, "{feature} is there in"),
            Rule::HasNot(feature) => write!(f, "{feature} is not there in"),
            Rule::Words(words) => {
                let quoted: Vec<String> = words.iter().map(|word| format!("`{word}`")).collect();
                let (word, is) = match words.len() {
                    1 => ("the word", "is"),
                    _ => ("one of the words", "is"),
                };
                write!(f, "{word} {} {is} in", quoted.join(", "))
            }
        }
    }
}

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
        /// The rows that were looked at.
        looked: Looked,
    },
    /// A column alone answers nearly all rows right.
    Tells {
        /// The column.
        column: String,
        /// The least value above the threshold; none if each value has a label of its own.
        at_least: Option<f64>,
        /// How many rows it answers right.
        right: u64,
        /// How many rows have the most frequent label.
        baseline: u64,
        /// The rows that were looked at.
        looked: Looked,
    },
    /// A part of the rows has nearly all rows of one label, and few others.
    TellsLabel {
        /// The column.
        column: String,
        /// What these rows have in common.
        rule: Rule,
        /// The label.
        label: String,
        /// How many rows have it.
        of: u64,
        /// Those that have both.
        with: u64,
        /// Those that have another label.
        without: u64,
        /// The rows that were looked at.
        looked: Looked,
    },
    /// Values that look like ids, and come several times each.
    RepeatedIds {
        /// The column.
        column: String,
        /// How many distinct values.
        values: u64,
        /// The rows that were looked at.
        looked: Looked,
        /// How many rows have the label that most others with the same value have, and how many have the most frequent label; none if the name of
        /// the column says that it is one of ids.
        right: Option<(u64, u64)>,
    },
    /// Whole numbers that rise or fall from row to row and leave few numbers out, as row numbers do after some rows were taken out.
    RowNumbersWithGaps {
        /// The column.
        column: String,
        /// How many numbers were looked at.
        numbers: u64,
        /// The first of them.
        first: i64,
        /// The last of them.
        last: i64,
    },
    /// The index of the table that the file was written from.
    StoredIndex {
        /// The column.
        column: String,
    },
    /// Some values of a column are numbers, and others are not.
    SomeNumbers {
        /// The column.
        column: String,
        /// How many values are numbers.
        numbers: u64,
        /// How many values were looked at.
        values: u64,
        /// The first of the others.
        others: Vec<String>,
        /// It was left out; else each of its values is a category.
        left_out: bool,
    },
    /// Dates that are written in several ways.
    MixedDates {
        /// The column.
        column: String,
        /// How many values are written as year, month and day with hyphens.
        dates: u64,
        /// How many values were looked at.
        values: u64,
        /// The first of these dates.
        date: String,
        /// The first value that is written in another way.
        other: String,
        /// It was left out; else each of its values is a category.
        left_out: bool,
    },
    /// Dates that are written as one number of eight digits.
    DateNumbers {
        /// The column.
        column: String,
        /// The first of them.
        first: i64,
        /// How many were looked at.
        numbers: u64,
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
            ColumnRemark::NumberIds { .. }
            | ColumnRemark::RowNumbersWithGaps { .. }
            | ColumnRemark::StoredIndex { .. }
            | ColumnRemark::RepeatedIds { .. } => "ids",
            ColumnRemark::CategoriesAlike { .. } => "categories",
            ColumnRemark::FarValue { .. } => "outlier",
            ColumnRemark::Leakage { .. }
            | ColumnRemark::Tells { .. }
            | ColumnRemark::TellsLabel { .. } => "leakage",
            ColumnRemark::SomeNumbers { .. }
            | ColumnRemark::MixedDates { .. }
            | ColumnRemark::DateNumbers { .. } => "number-text",
            ColumnRemark::AbsentKeys { .. } => "missing-scale",
        }
    }

    pub(super) fn remedy(&self) -> Remedy {
        match self {
            ColumnRemark::NumberIds {
                column,
                numbers,
                distinct,
            } if 2 * distinct < *numbers => {
                let categories = Remedy::give(Setting::Categorical, column.clone());
                Remedy::give(Setting::Drop, column.clone())
                    .or(categories.aim("if later rows have the same ids"))
            }
            ColumnRemark::NumberIds { column, .. }
            | ColumnRemark::RowNumbersWithGaps { column, .. } => {
                Remedy::give(Setting::Drop, column.clone())
            }
            ColumnRemark::StoredIndex { column } => Remedy::give(Setting::Drop, column.clone())
                .aim("to leave it out without this remark"),
            ColumnRemark::CategoriesAlike { .. } => {
                Remedy::clause("write each category in one way")
            }
            ColumnRemark::FarValue { .. } => {
                Remedy::clause("correct it").or(Remedy::give(Setting::Missing, "mean")
                    .aim("and empty cells, if it stands for missing values"))
            }
            ColumnRemark::TellsLabel {
                rule: Rule::Words(_),
                ..
            } => Remedy::clause("take it out of the texts")
                .aim("if it is not there before the label is known"),
            ColumnRemark::Leakage { column, .. }
            | ColumnRemark::Tells { column, .. }
            | ColumnRemark::TellsLabel { column, .. } => {
                Remedy::give(Setting::Drop, column.clone())
                    .aim("if it is not known before the label is")
            }
            ColumnRemark::RepeatedIds { column, .. } => Remedy::give(Setting::Drop, column.clone())
                .aim("and test on rows whose values of this column are new, if later rows have new ones"),
            ColumnRemark::SomeNumbers { column, .. } => Remedy::give(Setting::Missing, "mean")
                .aim("with empty cells for what is no number")
                .or(Remedy::give(Setting::Categorical, column.clone())
                    .aim("to keep them as categories without this remark"))
                .or(Remedy::give(Setting::Drop, column.clone())),
            ColumnRemark::MixedDates { column, .. } => {
                Remedy::clause("write all of them as 2024-03-05")
                    .or(Remedy::give(Setting::Categorical, column.clone())
                        .aim("to keep them as categories without this remark"))
                    .or(Remedy::give(Setting::Drop, column.clone()))
            }
            ColumnRemark::DateNumbers { column, first, .. } => Remedy::clause(format!(
                "write them as {} to learn from year, month and weekday",
                hyphenated(*first)
            ))
            .or(Remedy::give(Setting::Drop, column.clone())),
            ColumnRemark::AbsentKeys { .. } => Remedy::give(Setting::Missing, "mean")
                .aim("for what is null, and write null for what is not known"),
        }
    }
}

impl fmt::Display for ColumnRemark {
    #[allow(clippy::too_many_lines)] // a table: one arm per remark
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
                looked,
            } => write!(
                f,
                "column {column} predicts the label: in {looked} {feature} is there exactly where the label is {label}"
            ),
            ColumnRemark::Tells {
                column,
                at_least,
                right,
                baseline,
                looked,
            } => {
                let rule = match at_least {
                    Some(value) => format!("a threshold, at least {},", written(*value)),
                    None => "the most frequent label of each of its values".to_owned(),
                };
                write!(
                    f,
                    "column {column} predicts the label: {rule} is right for {} of {} ({}), and the most frequent label of all for {}",
                    count(*right),
                    looked,
                    percent(*right as f64 / looked.rows as f64),
                    count(*baseline)
                )
            }
            ColumnRemark::TellsLabel {
                column,
                rule,
                label,
                of,
                with,
                without,
                looked,
            } => write!(
                f,
                "column {column} predicts the label: of {looked}, {rule} {} of the {} with label {label} and in {} of the {} others",
                count(*with),
                count(*of),
                count(*without),
                count(looked.rows - of)
            ),
            ColumnRemark::RepeatedIds {
                column,
                values,
                looked,
                right,
            } => {
                write!(
                    f,
                    "column {column} looks like an id that comes several times: {} in {looked}",
                    plural(*values, "value")
                )?;
                match right {
                    Some((right, baseline)) => write!(
                        f,
                        ", and the label of the other rows with the same value is right for {} of them, the most frequent label of all for {}",
                        count(*right),
                        count(*baseline)
                    ),
                    None => write!(
                        f,
                        ", so rows with the same id may be learned from and tested on"
                    ),
                }
            }
            ColumnRemark::RowNumbersWithGaps {
                column,
                numbers,
                first,
                last,
            } => {
                let direction = if last < first { "fall" } else { "rise" };
                let values = plural(*numbers, "value");
                write!(
                    f,
                    "column {column} looks like a row number, with gaps: its first {values} {direction} from {first} to {last}, \
                     and it is learned from as a number"
                )
            }
            ColumnRemark::StoredIndex { column } => {
                write!(
                    f,
                    "column {column} is the index of the table that the file was written from, and is left out"
                )
            }
            ColumnRemark::SomeNumbers {
                column,
                numbers,
                values,
                others,
                left_out,
            } => {
                let quoted: Vec<String> = others.iter().map(|text| format!("`{text}`")).collect();
                write!(
                    f,
                    "column {column} holds numbers and other values: {} of its first {} are numbers, and others are {}, {}",
                    count(*numbers),
                    plural(*values, "value"),
                    quoted.join(", "),
                    so(*left_out)
                )
            }
            ColumnRemark::MixedDates {
                column,
                dates,
                values,
                date,
                other,
                left_out,
            } => write!(
                f,
                "column {column} holds dates in several forms: {} of its first {} are written as `{date}`, and others as `{other}`, {}",
                count(*dates),
                plural(*values, "value"),
                so(*left_out)
            ),
            ColumnRemark::DateNumbers {
                column,
                first,
                numbers,
            } => write!(
                f,
                "column {column} holds dates as numbers: its first {} are dates such as {first}, and they are learned from as numbers",
                plural(*numbers, "value")
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

/// What becomes of a column of texts.
fn so(left_out: bool) -> &'static str {
    if left_out {
        "so it is left out"
    } else {
        "so each value is a category"
    }
}

/// A date of eight digits with hyphens.
fn hyphenated(date: i64) -> String {
    let (year, month, day) = (date / 10_000, date / 100 % 100, date % 100);
    format!("{year:04}-{month:02}-{day:02}")
}

/// A value of a row as it may have been written.
fn written(value: f64) -> String {
    let value = value as f32;
    if value == 0.0 || (1e-4..1e9).contains(&value.abs()) {
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
