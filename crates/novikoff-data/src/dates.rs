//! Dates and times as ISO 8601 writes them, and what of them becomes features.
//!
//! `2024-03-05`, then optionally `T` or a blank and `07:30`, `07:30:15` or `07:30:15.25`, then optionally `Z` or a distance from UTC such as
//! `+01:00`. Without a zone it is UTC. A moment is converted to UTC first; its parts are those of the proleptic Gregorian calendar.

const DAY: i64 = 86_400;

/// A moment in UTC.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Moment {
    /// Whole seconds since 1970, rounded down.
    seconds: i64,
    /// The rest of the second.
    nanos: u32,
}

/// A moment on the calendar.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Parts {
    pub(crate) year: i64,
    /// 1 to 12.
    pub(crate) month: u8,
    /// Monday is 1, Sunday 7.
    pub(crate) weekday: u8,
    /// 0 to 23.
    pub(crate) hour: u8,
}

impl Moment {
    /// `units` since 1970, of `per_second` per second.
    pub(crate) fn of(units: i64, per_second: i64) -> Self {
        let rest = units.rem_euclid(per_second);
        Moment {
            seconds: units.div_euclid(per_second),
            nanos: (rest * (1_000_000_000 / per_second)) as u32,
        }
    }

    /// A day, counted from 1970.
    pub(crate) fn day(day: i64) -> Self {
        Moment {
            seconds: day * DAY,
            nanos: 0,
        }
    }

    /// Seconds since 1970, rounded to the nearest `f32`.
    pub(crate) fn seconds(self) -> f32 {
        (self.seconds as f64 + f64::from(self.nanos) * 1e-9) as f32
    }

    /// Its parts.
    pub(crate) fn parts(self) -> Parts {
        let (day, second) = (self.seconds.div_euclid(DAY), self.seconds.rem_euclid(DAY));
        let (year, month) = civil(day);
        Parts {
            year,
            month,
            // 1970 began on a Thursday
            weekday: ((day + 3).rem_euclid(7) + 1) as u8,
            hour: (second / 3600) as u8,
        }
    }
}

impl Parts {
    /// The parts that are categories: their names and values.
    pub(crate) fn categories(self, hours: bool) -> impl Iterator<Item = (&'static str, u8)> {
        let all = [
            ("month", self.month),
            ("weekday", self.weekday),
            ("hour", self.hour),
        ];
        all.into_iter().take(if hours { 3 } else { 2 })
    }
}

/// Days from 1970-01-01 to a day of the calendar. Years are counted from March in eras of 400 years, which have 146,097 days each.
fn days(year: i64, month: i64, day: i64) -> i64 {
    let year = year - i64::from(month <= 2);
    let (era, of_era) = (year.div_euclid(400), year.rem_euclid(400));
    let of_year = (153 * ((month + 9) % 12) + 2) / 5 + day - 1;
    era * 146_097 + of_era * 365 + of_era / 4 - of_era / 100 + of_year - 719_468
}

/// The year and the month of a day counted from 1970-01-01: the inverse of [`days`].
fn civil(day: i64) -> (i64, u8) {
    let day = day + 719_468;
    let (era, of_era) = (day.div_euclid(146_097), day.rem_euclid(146_097));
    let year = (of_era - of_era / 1460 + of_era / 36_524 - of_era / 146_096) / 365;
    let of_year = of_era - (365 * year + year / 4 - year / 100);
    let month = (5 * of_year + 2) / 153; // counted from March
    let month = if month < 10 { month + 3 } else { month - 9 };
    (era * 400 + year + i64::from(month <= 2), month as u8)
}

fn days_of_month(year: i64, month: i64) -> i64 {
    let is_leap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
    match month {
        2 => 28 + i64::from(is_leap),
        4 | 6 | 9 | 11 => 30,
        _ => 31,
    }
}

/// Reads what is left of a text.
struct Cursor<'a>(&'a [u8]);

impl Cursor<'_> {
    /// A number of `digits` digits, within a range.
    fn number(&mut self, digits: usize, least: i64, most: i64) -> Option<i64> {
        let (word, rest) = self.0.split_at_checked(digits)?;
        let mut value = 0;
        for digit in word {
            value = 10 * value + i64::from(digit.is_ascii_digit().then(|| digit - b'0')?);
        }
        self.0 = rest;
        (least..=most).contains(&value).then_some(value)
    }

    /// Whether this byte comes next; it is passed over.
    fn eat(&mut self, byte: u8) -> bool {
        match self.0 {
            [first, rest @ ..] if *first == byte => {
                self.0 = rest;
                true
            }
            _ => false,
        }
    }

    fn expect(&mut self, byte: u8) -> Option<()> {
        self.eat(byte).then_some(())
    }

    /// The digits behind a point as nanoseconds; further ones are cut off.
    fn fraction(&mut self) -> Option<u32> {
        let digits = self.0.iter().take_while(|b| b.is_ascii_digit()).count();
        let (word, rest) = self.0.split_at(digits);
        self.0 = rest;
        let padded = word.iter().copied().chain(std::iter::repeat(b'0')).take(9);
        (digits > 0).then(|| padded.fold(0, |value, digit| 10 * value + u32::from(digit - b'0')))
    }
}

/// The moment that a text is, and whether it has a time of day. None if it is no date.
pub(crate) fn parse(text: &[u8]) -> Option<(Moment, bool)> {
    let mut text = Cursor(text);
    let year = text.number(4, 0, 9999)?;
    text.expect(b'-')?;
    let month = text.number(2, 1, 12)?;
    text.expect(b'-')?;
    let day = text.number(2, 1, days_of_month(year, month))?;
    let mut moment = Moment::day(days(year, month, day));
    if text.0.is_empty() {
        return Some((moment, false));
    }
    if !text.eat(b'T') && !text.eat(b't') {
        text.expect(b' ')?;
    }
    let hour = text.number(2, 0, 23)?;
    text.expect(b':')?;
    let minute = text.number(2, 0, 59)?;
    let mut second = 0;
    if text.eat(b':') {
        second = text.number(2, 0, 60)?; // there are leap seconds
        if text.eat(b'.') || text.eat(b',') {
            moment.nanos = text.fraction()?;
        }
    }
    moment.seconds += 3600 * hour + 60 * minute + second - zone(&mut text)?;
    text.0.is_empty().then_some((moment, true))
}

/// How many seconds the zone is ahead of UTC.
fn zone(text: &mut Cursor<'_>) -> Option<i64> {
    let sign = match text.0 {
        [] => return Some(0),
        [b'Z' | b'z'] => {
            text.0 = &[];
            return Some(0);
        }
        [b'+', ..] => 1,
        [b'-', ..] => -1,
        _ => return None,
    };
    text.0 = &text.0[1..];
    let hours = text.number(2, 0, 23)?;
    if !text.eat(b':') && text.0.is_empty() {
        return Some(sign * 3600 * hours);
    }
    let minutes = text.number(2, 0, 59)?;
    Some(sign * (3600 * hours + 60 * minutes))
}

#[cfg(test)]
mod tests {
    use super::{DAY, Moment, Parts, civil, days, days_of_month, parse};

    #[test]
    fn every_day_of_eight_centuries_is_where_counting_says() {
        // 1970-01-01 was a Thursday; 1600-01-01 was 135,140 days before it, a Saturday
        let (mut count, mut weekday) = (-135_140, 6);
        for year in 1600..=2400 {
            for month in 1..=12 {
                for day in 1..=days_of_month(year, month) {
                    let text = format!("{year:04}-{month:02}-{day:02}");
                    let (moment, has_time) = parse(text.as_bytes()).expect("a date");
                    assert_eq!((moment, has_time), (Moment::day(count), false), "{text}");
                    let parts = Parts {
                        year,
                        month: month as u8,
                        weekday,
                        hour: 0,
                    };
                    assert_eq!(moment.parts(), parts, "{text}");
                    count += 1;
                    weekday = weekday % 7 + 1;
                }
            }
        }
        assert_eq!(days(1970, 1, 1), 0);
        assert_eq!(count, days(2401, 1, 1));
        assert_eq!(civil(-719_528), (0, 1));
    }

    #[test]
    fn times_are_converted_to_utc() {
        let new_year = 1_704_067_200; // 2024-01-01T00:00:00Z, by `date -d`
        for (text, seconds, nanos) in [
            ("2024-01-01T00:00", 0, 0),
            ("2024-01-01 07:30:15", 27_015, 0),
            ("2024-01-01T07:30:15Z", 27_015, 0),
            ("2024-01-01T07:30:15.25z", 27_015, 250_000_000),
            ("2024-01-01T07:30:15,1234567899", 27_015, 123_456_789),
            ("2024-01-01T00:30+01:00", -1800, 0),
            ("2023-12-31T23:30-0130", 3600, 0),
            ("2024-01-01T02:00:00+02", 0, 0),
            ("2023-12-31T23:59:60", 0, 0),
        ] {
            let moment = Moment {
                seconds: new_year + seconds,
                nanos,
            };
            assert_eq!(parse(text.as_bytes()), Some((moment, true)), "{text}");
        }
        let (moment, _) = parse(b"2024-01-01T00:30+01:00").expect("a date");
        let parts = Parts {
            year: 2023,
            month: 12,
            weekday: 7,
            hour: 23,
        };
        assert_eq!(moment.parts(), parts, "the Sunday before, in UTC");
    }

    #[test]
    fn what_is_on_no_calendar_is_no_date() {
        for text in [
            "",
            "2024",
            "2024-1-1",
            "2024-02-30",
            "2023-02-29",
            "1900-02-29",
            "2024-13-01",
            "2024-00-01",
            "2024-01-00",
            "2024-01-01T",
            "2024-01-01T24:00",
            "2024-01-01T07:60",
            "2024-01-01T07:30:61",
            "2024-01-01T07:30:15.",
            "2024-01-01T07:30 Z",
            "2024-01-01T07:30+1",
            "2024-01-01T07:30+01:",
            "2024-01-01Z",
            "2024-01-01x",
            "20240101",
            "01/02/2024",
            "2024-01-01T07",
            "+024-01-01",
            "2024-01-01T07:30ZZ",
        ] {
            assert_eq!(parse(text.as_bytes()), None, "{text}");
        }
        assert!(parse(b"2000-02-29").is_some(), "2000 was a leap year");
    }

    #[test]
    fn units_of_any_size_are_seconds() {
        let moment = Moment {
            seconds: -2,
            nanos: 500_000_000,
        };
        assert_eq!(Moment::of(-1500, 1000), moment);
        assert_eq!(Moment::of(-1_500_000_000, 1_000_000_000), moment);
        assert_eq!(moment.seconds(), -1.5);
        assert_eq!(
            Moment::of(7, 1),
            Moment {
                seconds: 7,
                nanos: 0
            }
        );
        for extreme in [i64::MIN, i64::MAX] {
            let parts = Moment::of(extreme, 1).parts();
            assert!((1..=12).contains(&parts.month) && (1..=7).contains(&parts.weekday));
        }
        assert_eq!(Moment::day(-1).parts().hour, 0);
        assert_eq!(Moment::of(-1, 1).parts().hour, 23);
        assert_eq!(DAY, 24 * 60 * 60);
    }
}
