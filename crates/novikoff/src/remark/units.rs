//! Remarks on units of numbers: two in one column, or others than those of training.

use std::fmt;

use super::about;
use super::columns::Looked;
use crate::quantity::count;
use crate::remedy::{Remedy, Setting};

/// How a number in one unit becomes one in another.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Conversion {
    /// The first unit.
    pub from: &'static str,
    /// The second.
    pub to: &'static str,
    /// What a number in the first is multiplied by,
    pub times: f64,
    /// and what is added to that.
    pub plus: f64,
}

/// A conversion that adds nothing.
const fn times(from: &'static str, to: &'static str, times: f64) -> Conversion {
    Conversion {
        from,
        to,
        times,
        plus: 0.0,
    }
}

impl Conversion {
    /// The usual ones, to the unit with larger numbers.
    pub const ALL: [Conversion; 16] = [
        times("miles", "kilometres", 1.609_344),
        times("kilograms", "pounds", 2.204_622_6),
        times("inches", "centimetres", 2.54),
        times("metres", "feet", 3.280_839_9),
        times("feet", "inches", 12.0),
        times("days", "hours", 24.0),
        times("ounces", "grams", 28.349_523),
        times("feet", "centimetres", 30.48),
        times("hours", "minutes", 60.0),
        times("metres", "centimetres", 100.0),
        times("pounds", "grams", 453.592_37),
        times("kilograms", "grams", 1000.0),
        times("hours", "seconds", 3600.0),
        times("metres", "micrometres", 1e6),
        Conversion {
            from: "degrees Celsius",
            to: "degrees Fahrenheit",
            times: 1.8,
            plus: 32.0,
        },
        Conversion {
            from: "degrees Celsius",
            to: "kelvins",
            times: 1.0,
            plus: 273.15,
        },
    ];

    /// The way back.
    #[must_use]
    pub fn back(self) -> Self {
        Conversion {
            from: self.to,
            to: self.from,
            times: 1.0 / self.times,
            plus: -self.plus / self.times,
        }
    }

    /// A number in the first unit as one in the second.
    pub fn apply(self, number: f64) -> f64 {
        self.times * number + self.plus
    }
}

/// Rows with values in a range.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Range {
    /// How many rows.
    pub rows: u64,
    /// The smallest value, without its sign.
    pub least: f64,
    /// The largest.
    pub most: f64,
}

/// A remark on units of numbers.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum UnitRemark {
    /// A column has numbers in two units.
    Two {
        /// The column; none if these are labels.
        column: Option<String>,
        /// From the unit of the smaller numbers to that of the larger ones.
        conversion: Conversion,
        /// The smaller numbers.
        below: Range,
        /// The larger ones.
        above: Range,
        /// The rows that were looked at.
        looked: Looked,
    },
}

impl UnitRemark {
    pub(super) fn kind(&self) -> &'static str {
        match self {
            UnitRemark::Two { .. } => "units",
        }
    }

    pub(super) fn remedy(&self) -> Remedy {
        match self {
            UnitRemark::Two { column, .. } => {
                let write = Remedy::clause("write all of them in one unit, if that is so");
                match column.clone() {
                    Some(column) => write.or(Remedy::give(Setting::Drop, column)),
                    None => write,
                }
            }
        }
    }
}

impl fmt::Display for UnitRemark {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            UnitRemark::Two {
                column,
                conversion,
                below,
                above,
                looked,
            } => {
                let (what, their) = match column {
                    Some(column) => (format!("column {column} looks"), "its"),
                    None => ("the labels look".to_owned(), "their"),
                };
                write!(
                    f,
                    "{what} like numbers in two units: of {their} values in {looked}, {} are from {} to {} and {} are from {} to {}, \
                     as if these were {} and the others {}",
                    count(below.rows),
                    about(below.least),
                    about(below.most),
                    count(above.rows),
                    about(above.least),
                    about(above.most),
                    conversion.to,
                    conversion.from,
                )
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{Conversion, Looked, Range, UnitRemark};
    use crate::remedy::{Library, said};

    #[test]
    fn facts() {
        let remark = UnitRemark::Two {
            column: Some("weight".to_owned()),
            conversion: Conversion::ALL[11],
            below: Range {
                rows: 1500,
                least: 0.12,
                most: 4.9,
            },
            above: Range {
                rows: 500,
                least: 120.0,
                most: 4800.0,
            },
            looked: Looked {
                rows: 2000,
                is_first: true,
            },
        };
        assert_eq!(
            said(&remark, Some(&remark.remedy()), &Library),
            "column weight looks like numbers in two units: of its values in the first 2,000 rows, 1,500 are from 0.12 to 4.9 \
             and 500 are from 120 to 4800, as if these were grams and the others kilograms; write all of them in one unit, \
             if that is so, or use drop=weight"
        );
    }

    #[test]
    fn conversions_have_a_way_back() {
        for conversion in Conversion::ALL {
            let there = conversion.apply(36.6);
            assert!((conversion.back().apply(there) - 36.6).abs() < 1e-9);
        }
    }
}
