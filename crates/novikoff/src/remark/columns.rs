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

/// How many words a rule names.
const WORDS: usize = 8;

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
                let named = words.iter().take(WORDS).map(|word| format!("`{word}`"));
                let named = named.collect::<Vec<String>>().join(", ");
                match words.len() {
                    1 => write!(f, "the word {named} is in"),
                    of if of > WORDS => write!(
                        f,
                        "one of {of} words ({named} and {} more) is in",
                        of - WORDS
                    ),
                    _ => write!(f, "one of the words {named} is in"),
                }
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
    /// Categories of a column differ only in case, or in blanks around them, or mean the same.
    CategoriesAlike {
        /// The column.
        column: String,
        /// They are several words for yes, or for no.
        mean_same: bool,
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
    /// A value that is far from those of training, in rows to answer.
    FarFromTraining {
        /// The column.
        column: String,
        /// The value.
        value: f64,
        /// How many rows have it.
        rows: u64,
        /// How many of the first rows were looked at.
        of_first: u64,
        /// Standard deviations of training between it and the mean of training.
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
    /// Numbers with a unit behind them.
    Units {
        /// The column.
        column: String,
        /// The units, the most frequent first.
        units: Vec<String>,
        /// The first value with a unit, and its number.
        value: (String, String),
        /// It was left out; else each of its values is a category.
        left_out: bool,
    },
    /// Strings that are numbers, in a format that has both.
    NumberStrings {
        /// The column.
        column: String,
        /// How many values are such strings.
        strings: u64,
        /// How many values were looked at.
        values: u64,
        /// The first of them.
        string: String,
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
            ColumnRemark::FarValue { .. } | ColumnRemark::FarFromTraining { .. } => "outlier",
            ColumnRemark::Leakage { .. }
            | ColumnRemark::Tells { .. }
            | ColumnRemark::TellsLabel { .. } => "leakage",
            ColumnRemark::SomeNumbers { .. }
            | ColumnRemark::Units { .. }
            | ColumnRemark::NumberStrings { .. }
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
            ColumnRemark::FarFromTraining { .. } => {
                Remedy::clause("empty these cells, if it stands for missing values")
                    .or("correct them")
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
            ColumnRemark::Units {
                column,
                units,
                value,
                ..
            } => instead(without_units(units, value), column),
            ColumnRemark::NumberStrings { column, .. } => {
                let numbers = "write them as numbers";
                let numbers = match jq_path(column) {
                    Some(field) => format!(
                        "{numbers}, as `jq -c '({field} | strings) |= tonumber'` does for JSON lines"
                    ),
                    None => numbers.to_owned(),
                };
                instead(numbers, column)
            }
            ColumnRemark::MixedDates { column, .. } => {
                instead("write all of them as 2024-03-05", column)
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
                mean_same,
                categories,
                groups,
            } => {
                let that = if *mean_same {
                    "may mean the same"
                } else {
                    "differ only in case or blanks"
                };
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
                    "categories of column {column} that {that} are different features: {lists}{more}"
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
                "{} {} the value {}{} in column {column}, {} standard deviations of the other values away from their mean",
                match of_first {
                    Some(first) =>
                        format!("{} of the first {}", count(*rows), plural(*first, "row")),
                    None => plural(*rows, "row"),
                },
                if *rows == 1 { "has" } else { "have" },
                written(*value),
                rounded_from(*value),
                about(*deviations)
            ),
            ColumnRemark::FarFromTraining {
                column,
                value,
                rows,
                of_first,
                deviations,
            } => write!(
                f,
                "{} of the first {} {} the value {} in column {column}, {} standard deviations away from its mean in training",
                count(*rows),
                plural(*of_first, "row"),
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
            ColumnRemark::Units {
                column,
                units,
                left_out,
                ..
            } => {
                let quoted: Vec<String> = units.iter().map(|unit| format!("`{unit}`")).collect();
                let unit = if units.len() == 1 { "unit" } else { "units" };
                write!(
                    f,
                    "column {column} holds numbers with the {unit} {}, {}",
                    quoted.join(" and "),
                    so(*left_out)
                )
            }
            ColumnRemark::NumberStrings {
                column,
                strings,
                values,
                string,
                left_out,
            } => write!(
                f,
                "column {column} holds numbers as strings: {} of its first {} are strings such as \"{string}\", {}",
                count(*strings),
                plural(*values, "value"),
                so(*left_out)
            ),
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

/// What to write instead; or the column as categories, or not at all.
fn instead(write: impl Into<std::borrow::Cow<'static, str>>, column: &str) -> Remedy {
    Remedy::clause(write)
        .or(Remedy::give(Setting::Categorical, column.to_owned())
            .aim("to keep them as categories without this remark"))
        .or(Remedy::give(Setting::Drop, column.to_owned()))
}

/// How numbers with units are written without them: the first such value and its number are an example. A command of the shell does it for one
/// unit behind plain numbers.
fn without_units(units: &[String], (value, number): &(String, String)) -> String {
    let plain = format!("write the numbers alone, {number} for `{value}`");
    let [unit] = units else {
        return format!("{plain}, all in one unit");
    };
    let is_safe = |c: char| c.is_alphanumeric() || "°/".contains(c);
    if number.parse::<f64>().is_err() || !unit.chars().all(is_safe) {
        return plain;
    }
    let blank = if value.contains(' ') { " " } else { "" };
    // `m` is not the beginning of `min`
    let is_word = unit.ends_with(|c: char| c.is_ascii_alphanumeric());
    let end = if is_word { "\\b" } else { "" };
    format!("{plain}, as `sed -E 's|([0-9]){blank}{unit}{end}|\\1|g'` does for a table of text")
}

/// A field in the language of jq, unless its name has quotes.
fn jq_path(column: &str) -> Option<String> {
    let is_plain = |name: &str| {
        !name.starts_with(|c: char| c.is_ascii_digit())
            && name.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_')
    };
    let part = |name: &str| {
        if is_plain(name) {
            format!(".{name}")
        } else {
            format!(".\"{name}\"")
        }
    };
    let has_quotes = column.contains(['\'', '"', '\\']);
    (!has_quotes).then(|| column.split('.').map(part).collect())
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

/// The numbers that are read as a whole number, if there are several: `f32` has 24 binary digits.
fn rounded_from(value: f64) -> String {
    let near = value as f32;
    if !(16_777_216.0..1e15).contains(&near.abs()) {
        return String::new();
    }
    let beside = |step: i32| {
        let bits = near.abs().to_bits().saturating_add_signed(step);
        let middle = f64::midpoint(f64::from(f32::from_bits(bits)), f64::from(near.abs()));
        middle.copysign(value)
    };
    let (least, most) = (beside(-1).min(beside(1)), beside(-1).max(beside(1)));
    format!(" (a number from {least} to {most} in the data)")
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
    use super::{ColumnRemark, rounded_from, written};
    use crate::remedy::{Library, said};

    fn text(remark: &ColumnRemark) -> String {
        said(remark, Some(&remark.remedy()), &Library)
    }

    #[test]
    fn numbers_that_are_rounded_are_between_two_others() {
        for (value, text) in [
            (99_999.0, ""),
            (16_777_215.0, ""),
            (1e8, " (a number from 99999996 to 100000004 in the data)"),
            (-1e8, " (a number from -100000004 to -99999996 in the data)"),
            (1e30, ""),
        ] {
            assert_eq!(rounded_from(value), text);
        }
    }

    #[test]
    fn units_and_strings_have_a_remedy() {
        let units = |units: &[&str], value: &str, number: &str| ColumnRemark::Units {
            column: "c".to_owned(),
            units: units.iter().map(|&unit| unit.to_owned()).collect(),
            value: (value.to_owned(), number.to_owned()),
            left_out: false,
        };
        let keep = "use categorical=c to keep them as categories without this remark, or drop=c";
        assert_eq!(
            text(&units(&["yrs"], "30 yrs", "30")),
            format!(
                "column c holds numbers with the unit `yrs`, so each value is a category; write the numbers alone, 30 for `30 yrs`, \
                 as `sed -E 's|([0-9]) yrs\\b|\\1|g'` does for a table of text, {keep}"
            )
        );
        assert_eq!(
            text(&units(&["C", "F"], "30.5 C", "30.5")),
            format!(
                "column c holds numbers with the units `C` and `F`, so each value is a category; \
                 write the numbers alone, 30.5 for `30.5 C`, all in one unit, {keep}"
            )
        );
        let comma = text(&units(&["kg"], "1,5 kg", "1,5"));
        assert!(!comma.contains("sed"), "{comma}");
        let strings = ColumnRemark::NumberStrings {
            column: "a.b c".to_owned(),
            strings: 20,
            values: 30,
            string: "4.5".to_owned(),
            left_out: true,
        };
        assert!(
            text(&strings).starts_with(
                "column a.b c holds numbers as strings: 20 of its first 30 values are strings such as \"4.5\", so it is left out; \
                 write them as numbers, as `jq -c '(.a.\"b c\" | strings) |= tonumber'` does for JSON lines, "
            ),
            "{}",
            text(&strings)
        );
    }

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
