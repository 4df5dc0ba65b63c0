//! Columns of dates, whatever their type.

use arrow_array::cast::AsArray as _;
use arrow_array::types::{
    Date32Type, Date64Type, TimestampMicrosecondType, TimestampMillisecondType,
    TimestampNanosecondType, TimestampSecondType,
};
use arrow_array::{Array, ArrayRef};
use arrow_buffer::NullBuffer;
use arrow_schema::{DataType, TimeUnit};
use novikoff::remedy::Complaint;
use novikoff::table::DateForm;

use super::batch::is_null;
use super::texts::Texts;
use crate::dates::{self, Moment};
use crate::error::Token;
use crate::kinds::no_date;

/// One value.
#[derive(Clone, Copy)]
enum Day {
    Missing,
    /// A string that is no date.
    Bad,
    At(Moment),
}

/// The values of a column in a batch.
pub(super) struct Days {
    cells: Vec<Day>,
    /// Whether hours are categories; none if there are no categories.
    hours: Option<bool>,
    /// Years or seconds; NaN where a value is missing.
    pub(super) numbers: Vec<f32>,
}

impl Days {
    /// None if the column cannot hold dates.
    pub(super) fn of(array: &ArrayRef, nulls: Option<&NullBuffer>, form: DateForm) -> Option<Self> {
        let day = reader(array)?;
        let of = |i| {
            if is_null(nulls, i) {
                Day::Missing
            } else {
                day(i)
            }
        };
        let cells: Vec<Day> = (0..array.len()).map(of).collect();
        let number = |day: &Day| match (day, form) {
            (Day::Missing, _) => f32::NAN,
            (Day::Bad, _) => 0.0,
            (Day::At(moment), DateForm::Seconds) => moment.seconds(),
            (Day::At(moment), DateForm::Parts { .. }) => moment.parts().year as f32,
        };
        Some(Days {
            numbers: cells.iter().map(number).collect(),
            cells,
            hours: match form {
                DateForm::Parts { hours } => Some(hours),
                DateForm::Seconds => None,
            },
        })
    }

    /// The parts of row `i` that are categories: their names and values.
    pub(super) fn categories(&self, i: usize) -> impl Iterator<Item = (&'static str, u8)> {
        let parts = match (self.cells[i], self.hours) {
            (Day::At(moment), Some(hours)) => Some(moment.parts().categories(hours)),
            _ => None,
        };
        parts.into_iter().flatten()
    }

    /// What is wrong with row `i`, if it is.
    pub(super) fn complaint(&self, i: usize, name: &str, array: &ArrayRef) -> Option<Complaint> {
        if !matches!(self.cells[i], Day::Bad) {
            return None;
        }
        let found = Texts::of(array).and_then(|texts| texts.text(i).map(str::to_owned));
        let found = Token::new(found.unwrap_or_default().as_bytes());
        let what = format!("{found} is not a date such as 2024-03-05 or 2024-03-05T07:30:00Z");
        Some(Complaint::new(what, no_date(&Token::new(name.as_bytes()))))
    }
}

type Reader<'a> = Box<dyn Fn(usize) -> Day + 'a>;

/// Reads values that are not missing.
fn reader(array: &ArrayRef) -> Option<Reader<'_>> {
    macro_rules! units {
        ($type:ty, $per_second:expr) => {{
            let values = &array.as_primitive_opt::<$type>()?.values()[..];
            Box::new(move |i| Day::At(Moment::of(values[i], $per_second)))
        }};
    }
    Some(match array.data_type() {
        DataType::Null => Box::new(|_| Day::Missing),
        DataType::Date32 => {
            let values = &array.as_primitive_opt::<Date32Type>()?.values()[..];
            Box::new(move |i| Day::At(Moment::day(i64::from(values[i]))))
        }
        DataType::Date64 => units!(Date64Type, 1000),
        DataType::Timestamp(TimeUnit::Second, _) => units!(TimestampSecondType, 1),
        DataType::Timestamp(TimeUnit::Millisecond, _) => units!(TimestampMillisecondType, 1000),
        DataType::Timestamp(TimeUnit::Microsecond, _) => {
            units!(TimestampMicrosecondType, 1_000_000)
        }
        DataType::Timestamp(TimeUnit::Nanosecond, _) => {
            units!(TimestampNanosecondType, 1_000_000_000)
        }
        _ => {
            let texts = Texts::of(array)?;
            Box::new(
                move |i| match texts.text(i).map(|text| text.trim_matches([' ', '\t'])) {
                    None => Day::Missing,
                    Some(text) => {
                        dates::parse(text.as_bytes()).map_or(Day::Bad, |(at, _)| Day::At(at))
                    }
                },
            )
        }
    })
}
