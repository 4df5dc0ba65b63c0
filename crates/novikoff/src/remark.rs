//! What is worth knowing about data, a run or a model although it is no error. A [`Remark`] states facts and has a [`Remedy`]; doors word
//! both, and reports keep its kind for machines.

mod advice;
mod columns;
mod errors;
mod labels;
mod order;
mod results;
mod tables;
mod units;
mod unknown_labels;

use std::fmt;

use crate::quantity::{count, percent, plural};
use crate::remedy::{Hint, Remedy, Setting};
pub use advice::{Advice, NumberAdvice};
pub use columns::{ColumnRemark, Looked, Rule};
pub use errors::{Errors, Paired, SquaredErrors};
pub use labels::LabelRemark;
pub use order::{LabelOrder, OrderRemark, ThingOrder};
pub use results::{Measured, ResultRemark, RowsFor, no_better};
pub use tables::{Shift, SizeShift, StandIn, TableRemark};
pub use units::{Conversion, Range, UnitRemark};
pub use unknown_labels::UnknownLabels;

/// Something worth knowing that is no error.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum Remark {
    /// The validation error is no better than the baseline's.
    Baseline {
        /// The run's.
        against: AgainstBaseline,
        /// What may do better.
        advice: Advice,
    },
    /// There is no constant feature, and the validation error is above half the baseline's.
    NoConstant {
        /// The run's.
        against: AgainstBaseline,
    },
    /// The rows come sorted by their labels.
    Sorted {
        /// Runs of equal labels.
        runs: u64,
        /// Runs that a random order has, on average.
        expected: f64,
        /// Rows.
        rows: u64,
    },
    /// Rows that follow each other have much the same label.
    Order(OrderRemark),
    /// A feature is a thousand times as large as another.
    Scales {
        /// The largest.
        large: Scale,
        /// The smallest.
        small: Scale,
    },
    /// A column of texts was left out, for its values look like ids.
    Ids {
        /// The column.
        column: String,
        /// How many distinct values it has in the rows looked at.
        distinct: u64,
        /// How many rows were looked at.
        rows: u64,
    },
    /// A column of numbers that rise or fall by the same step from row to row.
    RowNumber {
        /// The column.
        column: String,
        /// The step.
        step: i64,
        /// How many rows were looked at.
        rows: u64,
    },
    /// A column of texts that are numbers or dates in another guise.
    NumberText {
        /// The column.
        column: String,
        /// The guise of most of its values.
        guise: Guise,
        /// It was left out; else each of its values is a category.
        left_out: bool,
    },
    /// A column of sentences. Each sentence is a category.
    TextColumn {
        /// The column.
        column: String,
        /// How many distinct values it has in the rows looked at.
        distinct: u64,
        /// How many rows were looked at.
        rows: u64,
    },
    /// Labels that differ only in case, or in blanks around them.
    Labels {
        /// The first of them, each with those that it is like.
        labels: Vec<Vec<String>>,
        /// How many labels are written in several ways.
        groups: u64,
    },
    /// A column that a model or an earlier input has is not there.
    MissingColumn {
        /// The input.
        file: String,
        /// The column.
        column: String,
        /// What its values are read as.
        read_as: StandIn,
    },
    /// A column that earlier inputs of a run, or the model that learns on, do not have.
    NewColumn {
        /// The input.
        file: String,
        /// The column.
        column: String,
    },
    /// Values of features that a model does not know.
    UnknownFeatures {
        /// Values that were left out.
        values: u64,
        /// Of this many.
        of: u64,
        /// No row has a feature that the model knows.
        none: bool,
        /// Some of these features, where their columns are known.
        features: Vec<String>,
        /// Columns that the model does not know.
        columns: Vec<String>,
        /// Columns of the model, if no row has a feature that it knows.
        known: Vec<String>,
        /// The model's file, if it has one.
        model: Option<String>,
    },
    /// There are no rows to answer.
    NoRows,
    /// No row has the label that is learned against the rest.
    NoPositive {
        /// The label.
        label: String,
        /// The first labels that rows have.
        others: Vec<String>,
        /// One of them that is spelled nearly like it.
        near: Option<String>,
    },
    /// Nearly all values of the kernel between the first rows are nearly 0, or nearly 1.
    KernelValues {
        /// The kernel.
        kernel: String,
        /// They are nearly 1.
        ones: bool,
        /// The share of the pairs of rows for which it is so.
        share: f64,
        /// How many rows were looked at.
        rows: u64,
        /// The kernel has a gamma that could be `auto` and is not.
        has_gamma: bool,
    },
    /// A bound is at least what counting alone allows.
    Vacuous {
        /// The sum of the bounds of several classes.
        classes: bool,
        /// The comparator was given.
        given: bool,
    },
    /// A learner without noise control, where the margin of the rows is small or none.
    NoiseControl {
        /// No vector was found that separates the rows.
        inseparable: bool,
        /// A spec of the learner that has noise control.
        spec: String,
    },
    /// On what a column holds.
    Column(ColumnRemark),
    /// On labels.
    Label(LabelRemark),
    /// On cells and columns of tables.
    Table(TableRemark),
    /// On units of numbers.
    Unit(UnitRemark),
    /// On what a result is worth.
    Result(ResultRemark),
}

/// How a number or a date is written that is not read as one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Guise {
    /// `45.3%`.
    Percent,
    /// `45,3`.
    DecimalComma,
    /// `1,234,567`.
    Thousands,
    /// `$5`.
    Currency,
    /// `05.03.2024`.
    Date,
    /// `3:50`, `1:02:10`, `1h 30m`.
    Duration,
}

impl Guise {
    /// All of them, each at the place of its number.
    pub const ALL: [Guise; 6] = [
        Guise::Percent,
        Guise::DecimalComma,
        Guise::Thousands,
        Guise::Currency,
        Guise::Date,
        Guise::Duration,
    ];
}

/// How many columns a remark names.
const NAMED: usize = 5;

/// Validation errors of a run beside those of always answering the most frequent label so far.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AgainstBaseline {
    /// Errors of the run.
    pub errors: u64,
    /// Errors of the baseline.
    pub baseline: u64,
    /// The most frequent label.
    pub label: String,
    /// Rows.
    pub rows: u64,
    /// Passes over the rows. The errors are counted in the first.
    pub epochs: usize,
    /// The rows that only one of both answers right, if they were counted.
    pub paired: Option<Paired>,
}

impl AgainstBaseline {
    /// The errors of the run with the rows they are counted on.
    pub fn errors_of_rows(&self) -> Errors {
        Errors {
            errors: self.errors,
            rows: self.rows,
        }
    }

    /// Whether the run is no better.
    pub fn is_no_better(&self) -> bool {
        let errors = self.errors_of_rows();
        errors.is_no_better_than(self.baseline, self.paired)
    }

    /// Which rows differ, where that is what tells.
    fn pairs(&self) -> String {
        let tells = self.paired.filter(|_| self.errors < self.baseline);
        tells.map_or_else(String::new, |paired| paired.to_string())
    }
}

/// A feature and its typical size: the root mean square of its values that are not 0.
#[derive(Clone, Debug, PartialEq)]
pub struct Scale {
    /// Its name, or its number.
    pub feature: String,
    /// The size.
    pub size: f64,
}

impl Remark {
    /// Its kind: one word for machines.
    pub fn kind(&self) -> &'static str {
        match self {
            Remark::Baseline { .. } => "baseline",
            Remark::NoConstant { .. } => "no-constant",
            Remark::Sorted { .. } => "sorted",
            Remark::Order(_) => "order",
            Remark::Scales { .. } => "scales",
            Remark::Ids { .. } | Remark::RowNumber { .. } => "ids",
            Remark::NumberText { .. } => "number-text",
            Remark::TextColumn { .. } => "text-column",
            Remark::Labels { .. } => "labels",
            Remark::MissingColumn { .. } | Remark::NewColumn { .. } => "missing-column",
            Remark::UnknownFeatures { .. } => "unknown-features",
            Remark::NoRows => "no-rows",
            Remark::NoPositive { .. } => "no-positive",
            Remark::KernelValues { .. } => "kernel-values",
            Remark::Vacuous { .. } => "vacuous",
            Remark::NoiseControl { .. } => "noise-control",
            Remark::Column(remark) => remark.kind(),
            Remark::Label(remark) => remark.kind(),
            Remark::Table(remark) => remark.kind(),
            Remark::Unit(remark) => remark.kind(),
            Remark::Result(remark) => remark.kind(),
        }
    }

    /// What to do about it.
    pub fn remedy(&self) -> Remedy {
        match self {
            Remark::Baseline { advice, .. } => advice.remedy(),
            Remark::NoConstant { .. } => Remedy::give(Setting::Bias, "1"),
            Remark::Sorted { .. } => Remedy::give(Setting::Shuffle, "1"),
            Remark::Order(order) => order.remedy(),
            Remark::Scales { .. } => Remedy::give(Setting::Standardize, ""),
            Remark::Ids { column, .. } => Remedy::give(Setting::Text, column.clone())
                .or(Remedy::give(Setting::Categorical, column.clone()))
                .or(Remedy::give(Setting::Drop, column.clone())
                    .aim("to leave it out without this remark")),
            Remark::RowNumber { column, .. } => Remedy::give(Setting::Drop, column.clone()),
            Remark::NumberText { guise, .. } => Remedy::clause(match guise {
                Guise::Date => "write them as 2024-03-05",
                Guise::Duration => {
                    "write them as one number in one unit, 230 or 3.8333 for 3:50 as seconds or minutes"
                }
                Guise::Percent | Guise::DecimalComma | Guise::Thousands | Guise::Currency => {
                    "write them as 1234.5, with a point and without other signs"
                }
            }),
            Remark::TextColumn { column, .. } => Remedy::give(Setting::Text, column.clone())
                .aim("to learn from their words")
                .or(Remedy::give(Setting::Categorical, column.clone())
                    .aim("to keep them as they are without this remark")),
            Remark::Labels { .. } => Remedy::clause("write each label in one way"),
            Remark::MissingColumn { .. } => {
                Remedy::clause("check that it is not called something else")
            }
            Remark::NewColumn { .. } => Remedy::clause(
                "take it out of this input, if it is not known for all rows that are to be predicted",
            ),
            Remark::UnknownFeatures { model, .. } => {
                let check = Remedy::clause(
                    "check that the rows have the columns and names that the model was trained on",
                );
                match model.clone() {
                    Some(model) => check.or(Remedy::hint(Hint::ShowTraining { model })),
                    None => check,
                }
            }
            Remark::NoRows => Remedy::clause("check that the input is the one you meant"),
            Remark::NoPositive { near, .. } => match near {
                Some(near) => Remedy::give(Setting::Positive, near.clone()),
                None => Remedy::give(Setting::Positive, "LABEL").aim("with a label that rows have"),
            },
            Remark::KernelValues { has_gamma, .. } => {
                let normalize = Remedy::give(Setting::Normalize, "2");
                if *has_gamma {
                    Remedy::give(Setting::Kernel, "gaussian:gamma=auto").or(normalize)
                } else {
                    normalize
                }
            }
            Remark::Vacuous { classes: true, .. } => {
                Remedy::give(Setting::Positive, "LABEL").aim("to certify one class by itself")
            }
            Remark::Vacuous { given: true, .. } => {
                Remedy::leave_out(&[Setting::Comparator]).aim("to look for the best vector")
            }
            Remark::Vacuous { .. } => Remedy::give(Setting::Bias, "1")
                .or(Remedy::give(Setting::Normalize, "2"))
                .or("more rows"),
            Remark::NoiseControl { spec, .. } => Remedy::give(Setting::Learner, spec.clone())
                .with(Setting::Normalize, "2")
                .aim("(noise is the lambda of the theorem; the squared length of a row is a good size)"),
            Remark::Column(remark) => remark.remedy(),
            Remark::Label(remark) => remark.remedy(),
            Remark::Table(remark) => remark.remedy(),
            Remark::Unit(remark) => remark.remedy(),
            Remark::Result(remark) => remark.remedy(),
        }
    }
}

/// The facts.
impl fmt::Display for Remark {
    #[allow(clippy::too_many_lines)] // a table: one arm per remark
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Remark::Baseline { against, .. } => write!(
                f,
                "the {} of {} are {} the {}{}",
                plural(against.errors, "validation error"),
                if against.epochs > 1 { "its first pass" } else { "this run" },
                no_better(against.errors_of_rows().errors, against.baseline),
                Answering(against),
                against.pairs()
            ),
            Remark::NoConstant { against } => write!(
                f,
                "no constant feature was asked for, and the {} of this run are more than half of the {}",
                plural(against.errors, "validation error"),
                Answering(against)
            ),
            Remark::Sorted {
                runs,
                expected,
                rows,
            } => write!(
                f,
                "the rows come sorted by label: {} of equal labels in {}, where a random order has about {}",
                plural(*runs, "run"),
                plural(*rows, "row"),
                count(expected.round() as u64)
            ),
            Remark::Order(order) => order.fmt(f),
            Remark::Scales { large, small } => {
                let times = count((large.size / small.size).min(1e15) as u64);
                let Scale { feature, size } = large;
                write!(
                    f,
                    "the values of {feature} are about {}, {times} times those of {}, which are about {}",
                    about(*size),
                    small.feature,
                    about(small.size)
                )
            }
            Remark::Ids {
                column,
                distinct,
                rows,
            } => write!(
                f,
                "column {column} is left out: {} in the first {} look like ids or text",
                plural(*distinct, "distinct value"),
                plural(*rows, "row")
            ),
            Remark::RowNumber { column, step, rows } => {
                let direction = if *step < 0 { "falls" } else { "rises" };
                write!(
                    f,
                    "column {column} looks like a row number: it {direction} by {} per row in the first {}, and is learned from as a number",
                    count(step.unsigned_abs()),
                    plural(*rows, "row")
                )
            }
            Remark::NumberText {
                column,
                guise,
                left_out,
            } => {
                let what = match guise {
                    Guise::Percent => "numbers with a percent sign",
                    Guise::DecimalComma => "numbers with a decimal comma",
                    Guise::Thousands => "numbers with thousands separators",
                    Guise::Currency => "numbers with the sign of a currency",
                    Guise::Date => "dates that are not written as year-month-day",
                    Guise::Duration => "durations or times of day",
                };
                let so = if *left_out {
                    "and is left out"
                } else {
                    "so each value is a category"
                };
                write!(f, "column {column} holds {what}, {so}")
            }
            Remark::TextColumn {
                column,
                distinct,
                rows,
            } => write!(
                f,
                "column {column} holds sentences, and each of them is a category: {} in the first {}",
                plural(*distinct, "distinct value"),
                plural(*rows, "row")
            ),
            Remark::Labels { labels, groups } => {
                let lists = labels.iter().map(|labels| {
                    let quoted = labels.iter().map(|label| format!("`{label}`"));
                    quoted.collect::<Vec<String>>().join(" and ")
                });
                let lists = lists.collect::<Vec<String>>().join(", ");
                let more = if *groups > labels.len() as u64 {
                    ", ..."
                } else {
                    ""
                };
                write!(
                    f,
                    "labels that differ only in case or blanks are different classes: {lists}{more}"
                )
            }
            Remark::MissingColumn {
                file,
                column,
                read_as,
            } => write!(
                f,
                "{file}: column {column} is missing, which the model or an earlier input has; it is read as {read_as}"
            ),
            Remark::NewColumn { file, column } => write!(
                f,
                "{file}: column {column} is new, and no row before this input has it, so a value in it may tell little more than where a row comes from"
            ),
            Remark::UnknownFeatures {
                none: true,
                columns,
                known,
                ..
            } => {
                f.write_str("no row has a feature that the model knows")?;
                foreign(columns, f)?;
                match known.as_slice() {
                    [] => Ok(()),
                    [one] => write!(f, "; its only column is {one}"),
                    known => write!(f, "; its columns are {}", some_of(known)),
                }
            }
            Remark::UnknownFeatures {
                values,
                of,
                features,
                columns,
                ..
            } => {
                let share = percent(*values as f64 / *of as f64);
                let were = if *values == 1 { "was" } else { "were" };
                let (values, of) = (count(*values), plural(*of, "value"));
                write!(
                    f,
                    "{values} of {of} ({share}) {were} left out: the model does not know their features"
                )?;
                if !features.is_empty() {
                    write!(f, ", such as {}", features.join(", "))?;
                }
                foreign(columns, f)
            }
            Remark::NoRows => f.write_str("the data has no rows, so there is nothing to predict"),
            Remark::NoPositive { label, others, .. } => {
                write!(f, "no row has the label {label}")?;
                match others.as_slice() {
                    [] => Ok(()),
                    others => write!(f, ", but rows have {}", others.join(", ")),
                }
            }
            Remark::KernelValues {
                kernel,
                ones,
                share,
                rows,
                ..
            } => {
                let (share, rows) = (percent(*share), plural(*rows, "row"));
                let (value, so) = if *ones {
                    ("nearly 1", "all rows look alike")
                } else {
                    ("nearly 0", "no row says anything of another")
                };
                write!(
                    f,
                    "the kernel {kernel} is {value} for {share} of the pairs of the first {rows}, so {so}"
                )
            }
            Remark::Vacuous { classes, .. } => {
                let what = if *classes {
                    "sum of the bounds of all classes"
                } else {
                    "bound"
                };
                write!(
                    f,
                    "the {what} is at least the number of trials that can be mistakes, so it says nothing"
                )
            }
            Remark::NoiseControl { inseparable, .. } => f.write_str(if *inseparable {
                "no vector was found that separates the rows, and without noise control the theorem needs one"
            } else {
                "the margin of the rows is so small that the bound says nothing; with noise control the theorem needs no margin"
            }),
            Remark::Column(remark) => remark.fmt(f),
            Remark::Label(remark) => remark.fmt(f),
            Remark::Table(remark) => remark.fmt(f),
            Remark::Unit(remark) => remark.fmt(f),
            Remark::Result(remark) => remark.fmt(f),
        }
    }
}

/// `12 of always answering yes`.
struct Answering<'a>(&'a AgainstBaseline);

impl fmt::Display for Answering<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let AgainstBaseline {
            baseline, label, ..
        } = self.0;
        let label = if label.is_empty() { "no label" } else { label };
        write!(
            f,
            "{} of always answering the most frequent label so far ({label})",
            count(*baseline)
        )
    }
}

/// The columns that a model does not know.
fn foreign(columns: &[String], f: &mut fmt::Formatter<'_>) -> fmt::Result {
    match columns {
        [] => Ok(()),
        [one] => write!(f, "; it knows no column {one}"),
        columns => write!(f, "; it knows no columns {}", some_of(columns)),
    }
}

/// The first of some names, and how many more there are.
fn some_of(names: &[String]) -> String {
    let named = names.len().min(NAMED);
    let first = names[..named].join(", ");
    match names.len() - named {
        0 => first,
        more => format!("{first} and {more} more"),
    }
}

/// Three digits of a number; four of one from 1,000 to 9,999, as years are.
fn about(value: f64) -> String {
    let rounded: Option<f64> = if (1e3..1e4).contains(&value.abs()) {
        Some(value.round())
    } else {
        format!("{value:.2e}").parse().ok()
    };
    match rounded.unwrap_or(value) {
        size if (1e-4..1e9).contains(&size) => size.to_string(),
        size => format!("{size:e}"),
    }
}

#[cfg(test)]
mod tests {
    use super::{AgainstBaseline, Remark, Scale, about};
    use crate::remedy::{Library, said};

    fn text(remark: &Remark) -> String {
        said(remark, Some(&remark.remedy()), &Library)
    }

    #[test]
    fn facts_and_remedies() {
        let against = AgainstBaseline {
            errors: 40,
            baseline: 30,
            label: "yes".to_owned(),
            rows: 100,
            epochs: 1,
            paired: None,
        };
        let remark = Remark::NoConstant { against };
        assert_eq!(
            text(&remark),
            "no constant feature was asked for, and the 40 validation errors of this run are more than half of the 30 \
             of always answering the most frequent label so far (yes); use bias=1"
        );
        let remark = Remark::Sorted {
            runs: 2,
            expected: 901.0,
            rows: 1800,
        };
        assert_eq!(
            text(&remark),
            "the rows come sorted by label: 2 runs of equal labels in 1,800 rows, where a random order has about 901; use shuffle=1"
        );
        let scale = |feature: &str, size| Scale {
            feature: feature.to_owned(),
            size,
        };
        let remark = Remark::Scales {
            large: scale("income", 52_345.0),
            small: scale("rate", 0.031_26),
        };
        assert_eq!(
            text(&remark),
            "the values of income are about 52300, 1,674,504 times those of rate, which are about 0.0313; use standardize"
        );
        let remark = Remark::KernelValues {
            kernel: "gaussian:gamma=1".to_owned(),
            ones: false,
            share: 1.0,
            rows: 200,
            has_gamma: true,
        };
        assert_eq!(
            text(&remark),
            "the kernel gaussian:gamma=1 is nearly 0 for 100.00% of the pairs of the first 200 rows, so no row says anything of another; \
             use kernel=gaussian:gamma=auto, or normalize=2"
        );
        let remark = Remark::UnknownFeatures {
            values: 1,
            of: 8,
            none: false,
            features: Vec::new(),
            columns: Vec::new(),
            known: Vec::new(),
            model: None,
        };
        assert_eq!(
            remark.to_string(),
            "1 of 8 values (12.50%) was left out: the model does not know their features"
        );
        let remark = Remark::UnknownFeatures {
            values: 8,
            of: 8,
            none: true,
            features: Vec::new(),
            columns: vec!["id".to_owned(), "body".to_owned()],
            known: vec!["text".to_owned()],
            model: None,
        };
        assert_eq!(
            remark.to_string(),
            "no row has a feature that the model knows; it knows no columns id, body; its only column is text"
        );
        let remark = Remark::NoPositive {
            label: "Yes".to_owned(),
            others: vec!["no".to_owned(), "yes".to_owned()],
            near: Some("yes".to_owned()),
        };
        assert_eq!(
            text(&remark),
            "no row has the label Yes, but rows have no, yes; use positive=yes"
        );
    }

    #[test]
    fn three_digits_or_a_year() {
        assert_eq!(about(0.0), "0e0");
        assert_eq!(about(2025.2), "2025");
        assert_eq!(about(123.4), "123");
        assert_eq!(about(12_345.0), "12300");
        assert_eq!(about(1.5e-7), "1.5e-7");
        assert_eq!(about(3.456e12), "3.46e12");
    }
}
