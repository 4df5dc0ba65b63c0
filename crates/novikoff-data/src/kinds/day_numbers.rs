//! Dates that are written as one whole number of eight digits: `20240305`.

/// This many numbers are looked at.
const ENOUGH: usize = 200;

/// What was seen of the first numbers of a column.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct DayNumbers {
    first: Option<i64>,
    numbers: usize,
    /// Some number is no date.
    is_broken: bool,
}

impl DayNumbers {
    /// The next number; none if it is not whole.
    pub(super) fn add(&mut self, number: Option<i64>) {
        if self.is_settled() {
            return;
        }
        self.numbers += 1;
        match number.filter(|&number| is_day(number)) {
            Some(number) => {
                self.first.get_or_insert(number);
            }
            None => self.is_broken = true,
        }
    }

    /// Whether no later number makes a difference.
    pub(super) fn is_settled(&self) -> bool {
        self.is_broken || self.numbers >= ENOUGH
    }

    /// The first date and how many numbers were seen, if there are at least `least` and all are dates.
    pub(super) fn days(&self, least: usize) -> Option<(i64, usize)> {
        let first = self.first?;
        (!self.is_broken && self.numbers >= least).then_some((first, self.numbers))
    }
}

/// Whether a number is a day of the years 1900 to 2099.
fn is_day(number: i64) -> bool {
    let (year, month, day) = (number / 10_000, number / 100 % 100, number % 100);
    let is_leap = year % 4 == 0 && year != 1900;
    let days = match month {
        2 => 28 + i64::from(is_leap),
        4 | 6 | 9 | 11 => 30,
        _ => 31,
    };
    (1900..2100).contains(&year) && (1..=12).contains(&month) && (1..=days).contains(&day)
}

#[cfg(test)]
mod tests {
    use super::{DayNumbers, is_day};

    #[test]
    fn days_of_eight_digits() {
        for (number, expected) in [
            (20_240_305, true),
            (20_240_229, true),
            (20_230_229, false),
            (19_000_229, false),
            (20_000_229, true),
            (20_241_301, false),
            (20_240_031, false),
            (20_240_431, false),
            (18_991_231, false),
            (21_000_101, false),
            (-20_240_305, false),
            (240_305, false),
        ] {
            assert_eq!(is_day(number), expected, "{number}");
        }
    }

    #[test]
    fn one_number_that_is_no_day_is_enough() {
        let of = |numbers: &[Option<i64>]| {
            let mut days = DayNumbers::default();
            for &number in numbers {
                days.add(number);
            }
            days.days(2)
        };
        assert_eq!(of(&[Some(20_240_305)]), None, "too few");
        let two = [Some(20_240_305), Some(20_240_306)];
        assert_eq!(of(&two), Some((20_240_305, 2)));
        assert_eq!(of(&[two[0], two[1], Some(20_240_399)]), None);
        assert_eq!(of(&[two[0], two[1], None]), None);
    }
}
