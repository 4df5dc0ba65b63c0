//! Remarks on the cells and columns of tables.

use std::fmt;

use super::{Conversion, Looked, about, some_of};
use crate::quantity::{count, plural};
use crate::remedy::{Hint, Remedy, Setting};

/// What a missing cell or column of a table is read as.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum StandIn {
    /// 0.
    Zero,
    /// The mean over the rows that the model was trained on.
    Mean(f32),
    /// The category that says that it is missing, and the mean over the rows that the model was trained on.
    MeanIndicator(f32),
    /// The category that says that it is missing, and 0 of a number.
    Indicator,
    /// No category, or no word.
    Nothing,
}

impl fmt::Display for StandIn {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            StandIn::Zero => f.write_str("0"),
            StandIn::Mean(mean) => write!(f, "its mean in training, {}", four_digits(*mean)),
            StandIn::MeanIndicator(mean) => {
                write!(
                    f,
                    "missing, with its mean in training, {}",
                    four_digits(*mean)
                )
            }
            StandIn::Indicator => f.write_str("missing"),
            StandIn::Nothing => f.write_str("none of its values"),
        }
    }
}

/// Four digits of a number, for years have as many.
fn four_digits(value: f32) -> String {
    let value = f64::from(value);
    let rounded: Option<f64> = format!("{value:.3e}").parse().ok();
    match rounded.unwrap_or(value) {
        size if size == 0.0 || (1e-4..1e9).contains(&size.abs()) => size.to_string(),
        size => format!("{size:e}"),
    }
}

/// How many columns of dates are named.
const DATES: usize = 3;

/// A column whose mean is far from that of training.
#[derive(Clone, Debug, PartialEq)]
pub struct Shift {
    /// The feature.
    pub feature: String,
    /// Its mean over the rows seen.
    pub mean: f64,
    /// Its mean over the rows of training.
    pub training: f64,
    /// Standard deviations of training between them, where a cell counts as at most [`Shift::MOST`].
    pub deviations: f64,
    /// What makes the values of training what they are now, if that is the conversion of a unit.
    pub conversion: Option<Conversion>,
}

impl Shift {
    /// The most standard deviations that one cell counts as, so that a single odd cell does not decide.
    pub const MOST: f64 = 10.0;
}

/// A column whose values are of another size than those of training.
#[derive(Clone, Debug, PartialEq)]
pub struct SizeShift {
    /// The feature.
    pub feature: String,
    /// The typical size of its values over the rows seen.
    pub size: f64,
    /// That over the first rows of training.
    pub training: f64,
}

/// A remark on the cells and columns of tables.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum TableRemark {
    /// Most columns of a model are not in the data.
    MissingColumns {
        /// They.
        missing: Vec<String>,
        /// How many columns the model has.
        of: usize,
        /// Columns that the model does not know.
        foreign: Vec<String>,
        /// The model's file, if it has one.
        model: Option<String>,
    },
    /// Missing cells of a standardised column are read as a value far from its mean.
    FarFromMean {
        /// The column.
        column: String,
        /// How many cells; none if that is not known.
        cells: Option<u64>,
        /// Standard deviations between the value and the mean.
        deviations: f64,
    },
    /// Cells are missing in a column that had no missing cell in training.
    NewGaps {
        /// The column.
        column: String,
        /// How many cells.
        cells: u64,
        /// What they are read as.
        read_as: StandIn,
    },
    /// All cells of a column are missing, which were not all missing in training.
    AllGaps {
        /// The column.
        column: String,
        /// How many rows.
        rows: u64,
        /// What they are read as.
        read_as: StandIn,
    },
    /// Files of a folder of texts have bytes that are not UTF-8.
    NotUtf8 {
        /// How many files.
        files: u64,
        /// How many files there are.
        of: u64,
        /// The first of them.
        first: String,
    },
    /// Columns of dates span less than a year, and their months are categories.
    PartOfYear {
        /// They, each with the number of its months.
        columns: Vec<(String, u64)>,
    },
    /// Texts are empty, and there is nothing else in their rows.
    EmptyTexts {
        /// How many.
        texts: u64,
        /// The rows that were looked at.
        looked: Looked,
    },
    /// The means of some features are far from those of training.
    Shifted {
        /// The farthest first.
        shifts: Vec<Shift>,
        /// How many more there are.
        more: usize,
        /// How many rows were seen.
        rows: u64,
    },
    /// The values of some features are much larger or smaller than those of training.
    Resized {
        /// They, in the order of the columns.
        sizes: Vec<SizeShift>,
        /// How many more there are.
        more: usize,
        /// How many rows were seen.
        rows: u64,
    },
}

impl TableRemark {
    pub(super) fn kind(&self) -> &'static str {
        match self {
            TableRemark::MissingColumns { .. } => "missing-column",
            TableRemark::FarFromMean { .. } => "missing-scale",
            TableRemark::NewGaps { .. } | TableRemark::AllGaps { .. } => "missing-cells",
            TableRemark::NotUtf8 { .. } => "not-utf8",
            TableRemark::PartOfYear { .. } => "dates",
            TableRemark::EmptyTexts { .. } => "empty-texts",
            TableRemark::Shifted { .. } | TableRemark::Resized { .. } => "shifted",
        }
    }

    pub(super) fn remedy(&self) -> Remedy {
        match self {
            TableRemark::MissingColumns { model, .. } => {
                let check = Remedy::clause("check that these are rows for this model");
                match model.clone() {
                    Some(model) => check.or(Remedy::hint(Hint::ShowTraining { model })),
                    None => check,
                }
            }
            TableRemark::FarFromMean { .. } => Remedy::give(Setting::Missing, "mean")
                .or(Remedy::give(Setting::Missing, "indicator"))
                .aim("when the model is trained, to read them as the mean"),
            TableRemark::NewGaps { .. } => Remedy::clause("fill them in").or(
                "train on rows with missing cells in this column, if they will go on to be missing",
            ),
            TableRemark::AllGaps { .. } => Remedy::clause("fill it in")
                .or("train a model without this column, if it is not known for such rows"),
            TableRemark::NotUtf8 { .. } => Remedy::clause(
                "write them as UTF-8, as `iconv -f latin1 -t utf8` does for Western European text",
            ),
            TableRemark::PartOfYear { columns } => {
                let names = columns.iter().take(DATES).map(|(name, _)| name.as_str());
                let drop = Remedy::give(Setting::Drop, names.collect::<Vec<_>>().join(","));
                Remedy::give(Setting::Dates, "seconds").or(drop)
            }
            TableRemark::EmptyTexts { .. } => {
                Remedy::clause("leave them out").or("check that their words were written")
            }
            TableRemark::Shifted { .. } | TableRemark::Resized { .. } => {
                Remedy::clause("check the units and the meaning of these columns")
                    .or("train a new model, if the data has changed")
            }
        }
    }
}

impl fmt::Display for TableRemark {
    #[allow(clippy::too_many_lines)] // a table: one arm per remark
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            TableRemark::MissingColumns {
                missing,
                of,
                foreign,
                ..
            } => {
                let (n, names) = (missing.len(), some_of(missing));
                write!(
                    f,
                    "{n} of the {of} columns of the model are missing: {names}"
                )?;
                match foreign.as_slice() {
                    [] => Ok(()),
                    foreign => write!(f, "; the data has {} instead", some_of(foreign)),
                }
            }
            TableRemark::FarFromMean {
                column,
                cells,
                deviations,
            } => {
                match cells {
                    Some(1) => write!(f, "1 missing cell of column {column} is read as 0")?,
                    Some(cells) => {
                        let cells = count(*cells);
                        write!(f, "{cells} missing cells of column {column} are read as 0")?;
                    }
                    None => write!(f, "missing cells of column {column} are read as 0")?,
                }
                write!(
                    f,
                    ", which is {deviations:.1} standard deviations away from its mean"
                )
            }
            TableRemark::NewGaps {
                column,
                cells,
                read_as,
            } => {
                let (is, it) = if *cells == 1 {
                    ("is", "it is")
                } else {
                    ("are", "they are")
                };
                write!(
                    f,
                    "{} of column {column} {is} missing, and no row that the model was trained on has a missing cell there; \
                     {it} read as {read_as}",
                    plural(*cells, "cell")
                )
            }
            TableRemark::AllGaps {
                column,
                rows,
                read_as,
            } => write!(
                f,
                "column {column} is empty in all {}, and the model has learned from it; it is read as {read_as}",
                plural(*rows, "row")
            ),
            TableRemark::NotUtf8 { files, of, first } => {
                let have = if *files == 1 { "has" } else { "have" };
                write!(
                    f,
                    "{} of {} {have} bytes that are not UTF-8, which are read as U+FFFD, so words end there; the first is {first}",
                    plural(*files, "text"),
                    count(*of)
                )
            }
            TableRemark::PartOfYear { columns } => {
                let named = columns
                    .iter()
                    .take(DATES)
                    .map(|(name, months)| format!("{name} ({})", plural(*months, "month")));
                let named = named.collect::<Vec<String>>().join(", ");
                write!(f, "dates that span less than a year: {named}")?;
                and_more(columns.len().saturating_sub(DATES), f)?;
                f.write_str("; each month is learned as a category, and later rows may have other months, or these months of another year")
            }
            TableRemark::EmptyTexts { texts, looked } => write!(
                f,
                "{} in {looked} {} no words, and all of them get the same answer",
                plural(*texts, "text"),
                if *texts == 1 { "has" } else { "have" }
            ),
            TableRemark::Shifted { shifts, more, rows } => {
                write!(f, "the rows are unlike those of training: over ")?;
                write!(f, "{} ", plural(*rows, "row"))?;
                for (k, shift) in shifts.iter().enumerate() {
                    let Shift {
                        feature,
                        mean,
                        training,
                        deviations,
                        conversion,
                    } = shift;
                    let join = if k == 0 { "the mean of" } else { ", that of" };
                    write!(
                        f,
                        "{join} {feature} is {}, which is {} standard deviations from {} in training",
                        about(*mean),
                        distance(*deviations),
                        about(*training)
                    )?;
                    if let Some(Conversion { from, to, .. }) = conversion {
                        write!(f, ", as if it were in {to} instead of {from}")?;
                    }
                }
                and_more(*more, f)
            }
            TableRemark::Resized { sizes, more, rows } => {
                write!(f, "the rows are unlike those of training: over ")?;
                write!(f, "{} ", plural(*rows, "row"))?;
                for (k, shift) in sizes.iter().enumerate() {
                    let SizeShift {
                        feature,
                        size,
                        training,
                    } = shift;
                    let join = if k == 0 {
                        "the values of"
                    } else {
                        ", those of"
                    };
                    write!(
                        f,
                        "{join} {feature} are about {} in size, and in training about {}",
                        about(*size),
                        about(*training)
                    )?;
                }
                and_more(*more, f)
            }
        }
    }
}

/// The standard deviations of a [`Shift`]: those that are all cut off are more than that.
fn distance(deviations: f64) -> String {
    let text = format!("{deviations:.1}");
    if text == format!("{:.1}", Shift::MOST) {
        format!("more than {}", Shift::MOST)
    } else {
        text
    }
}

/// How many more features there are.
fn and_more(more: usize, f: &mut fmt::Formatter<'_>) -> fmt::Result {
    match more {
        0 => Ok(()),
        more => write!(f, ", and so with {} more", count(more as u64)),
    }
}

#[cfg(test)]
mod tests {
    use super::{Conversion, Shift, StandIn, TableRemark};

    #[test]
    fn facts() {
        let far = TableRemark::FarFromMean {
            column: "balance".to_owned(),
            cells: Some(50),
            deviations: 4.04,
        };
        assert_eq!(
            far.to_string(),
            "50 missing cells of column balance are read as 0, which is 4.0 standard deviations away from its mean"
        );
        let new = TableRemark::NewGaps {
            column: "balance".to_owned(),
            cells: 1,
            read_as: StandIn::Mean(2.5e9),
        };
        assert_eq!(
            new.to_string(),
            "1 cell of column balance is missing, and no row that the model was trained on has a missing cell there; \
             it is read as its mean in training, 2.5e9"
        );
        let not_utf8 = TableRemark::NotUtf8 {
            files: 2,
            of: 3000,
            first: "mails/spam/7".to_owned(),
        };
        assert_eq!(
            not_utf8.to_string(),
            "2 texts of 3,000 have bytes that are not UTF-8, which are read as U+FFFD, so words end there; the first is mails/spam/7"
        );
        let shifted = TableRemark::Shifted {
            shifts: vec![Shift {
                feature: "balance".to_owned(),
                mean: 2000.0,
                training: 2e9,
                deviations: 4.0,
                conversion: None,
            }],
            more: 2,
            rows: 1200,
        };
        assert_eq!(
            shifted.to_string(),
            "the rows are unlike those of training: over 1,200 rows the mean of balance is 2000, \
             which is 4.0 standard deviations from 2e9 in training, and so with 2 more"
        );
        let year = TableRemark::Shifted {
            shifts: vec![Shift {
                feature: "date.year".to_owned(),
                mean: 2025.0,
                training: 2012.4,
                deviations: 9.99,
                conversion: Some(Conversion::ALL[1]),
            }],
            more: 0,
            rows: 30,
        };
        assert_eq!(
            year.to_string(),
            "the rows are unlike those of training: over 30 rows the mean of date.year is 2025, \
             which is more than 10 standard deviations from 2012 in training, as if it were in pounds instead of kilograms"
        );
    }
}
