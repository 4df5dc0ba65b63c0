//! Numbers and dates that are written in a way that is not read as such: `45.3%`, `45,3`, `1,234,567`, `$5`, `12 kg`, `05.03.2024`,
//! `5 March 2024`, `3:50`.

use novikoff::remark::Guise;

/// Signs of currencies, before or behind a number.
const CURRENCIES: [&str; 9] = ["$", "€", "£", "¥", "₹", "CHF", "EUR", "GBP", "USD"];

/// What a text is in another guise, if it is a number or a date.
pub(crate) fn guise(text: &[u8]) -> Option<Guise> {
    let text = std::str::from_utf8(text).ok()?.trim();
    if let Some(number) = text.strip_suffix('%') {
        return number_with_signs(number.trim_end()).map(|_| Guise::Percent);
    }
    let unsigned = text.strip_prefix('-').unwrap_or(text);
    let amount = CURRENCIES.iter().find_map(|&sign| {
        let bare = unsigned.strip_prefix(sign);
        bare.or_else(|| text.strip_suffix(sign))
    });
    if let Some(number) = amount {
        return number_with_signs(number.trim()).map(|_| Guise::Currency);
    }
    if is_date(text) || is_month(text) || is_date_in_words(text) {
        return Some(Guise::Date);
    }
    if is_duration(text) {
        return Some(Guise::Duration);
    }
    number_with_signs(text)?
}

/// Whether a number in a guise is one with three decimals behind a comma just as well as one in thousands: `1,234`.
pub(super) fn may_be_decimal(text: &[u8]) -> bool {
    let mut parts = text.trim_ascii().split(|&b| b == b',');
    let has_two = parts.next().is_some() && parts.next().is_some_and(|part| part.len() == 3);
    has_two && parts.next().is_none()
}

/// The most characters of a unit.
const UNIT: usize = 12;

/// A number and the unit behind it, if a text is both: `12 kg`, `68.5°C`, `90km/h`, `85 m2`.
pub(crate) fn unit(text: &str) -> Option<(&str, &str)> {
    let text = text.trim();
    let begins_unit = |c: char| c.is_alphabetic() || c == '°';
    let (number, unit) = text.split_at(text.find(begins_unit)?);
    let number = number.trim_end();
    // square and cubic metres
    let letters = unit.strip_suffix(['2', '3']).unwrap_or(unit);
    let is_unit = unit.chars().count() <= UNIT
        && letters
            .chars()
            .all(|c| c.is_alphabetic() || "°/²³·.".contains(c));
    (is_unit && number_with_signs(number).is_some()).then_some((number, unit))
}

/// Whether a text is a number, and in what guise: none if it is written as numbers are.
#[allow(clippy::option_option)] // no number at all, or a number in a guise or in none
fn number_with_signs(text: &str) -> Option<Option<Guise>> {
    let digits = text.strip_prefix(['-', '+']).unwrap_or(text);
    let is_number = |text: &str| !text.is_empty() && text.bytes().all(|b| b.is_ascii_digit());
    // three digits between separators, and one to three before the first
    let is_grouped = |text: &str, separator: char| {
        let mut groups = text.split(separator);
        let first = groups.next().unwrap_or_default();
        // 0,446 has a decimal comma
        is_number(first)
            && first.len() <= 3
            && !first.starts_with('0')
            && text.contains(separator)
            && groups.all(|group| group.len() == 3 && is_number(group))
    };
    let is_whole = |text: &str, separator: char| is_number(text) || is_grouped(text, separator);
    let behind = |mark: char| match digits.rsplit_once(mark) {
        Some((whole, part)) => (whole, is_number(part)),
        None => (digits, true),
    };
    if digits.parse::<f64>().is_ok() && digits.starts_with(|c: char| c.is_ascii_digit() || c == '.')
    {
        return Some(None);
    }
    for separator in [',', '\'', ' ', '\u{a0}', '\u{202f}'] {
        let (whole, has_part) = behind('.');
        if has_part && is_grouped(whole, separator) {
            return Some(Some(Guise::Thousands));
        }
    }
    for separator in ['.', '\'', ' ', '\u{a0}', '\u{202f}'] {
        let (whole, has_part) = behind(',');
        if has_part && is_whole(whole, separator) {
            return Some(Some(Guise::DecimalComma));
        }
    }
    None
}

/// Whether a text is a date that is not written as year, month and day with hyphens between them; a time may follow.
fn is_date(text: &str) -> bool {
    let (day, time) = text.split_once([' ', 'T']).unwrap_or((text, ""));
    let is_time = time.is_empty() || time.contains(':') && time.as_bytes()[0].is_ascii_digit();
    let is_date = ['.', '/', '-'].into_iter().any(|separator| {
        let parts: Vec<&str> = day.split(separator).collect();
        let [first, second, third] = parts[..] else {
            return false;
        };
        let number = |part: &str, most: u32, lengths: &[usize]| {
            let is_number = part.bytes().all(|b| b.is_ascii_digit());
            is_number
                && lengths.contains(&part.len())
                && part.parse().is_ok_and(|n: u32| n >= 1 && n <= most)
        };
        let day_and_month = |a, b| {
            (number(a, 31, &[1, 2]) && number(b, 12, &[1, 2]))
                || (number(a, 12, &[1, 2]) && number(b, 31, &[1, 2]))
        };
        let year_last = day_and_month(first, second) && number(third, 9999, &[2, 4]);
        let year_first =
            separator != '-' && number(first, 9999, &[4]) && day_and_month(second, third);
        // 1.2.24 may be a version
        (year_last && (third.len() == 4 || separator == '/')) || year_first
    });
    is_time && is_date
}

/// Whether a text is a year and a month: `2025-01`. A season that goes from one year to the next, as in `2009-10`, is none.
fn is_month(text: &str) -> bool {
    let Some((year, month)) = text.split_once('-') else {
        return false;
    };
    let number = |part: &str, len: usize| {
        let is_number = part.len() == len && part.bytes().all(|b| b.is_ascii_digit());
        is_number.then(|| part.parse::<u32>().ok()).flatten()
    };
    match (number(year, 4), number(month, 2)) {
        (Some(year), Some(month)) => {
            (1900..2100).contains(&year) && (1..=12).contains(&month) && month != (year + 1) % 100
        }
        _ => false,
    }
}

/// Units of time, each larger than those after it.
const TIMES: [&[&str]; 4] = [
    &["d", "day", "days"],
    &["h", "hr", "hrs", "hour", "hours"],
    &["m", "min", "mins", "minute", "minutes"],
    &["s", "sec", "secs", "second", "seconds"],
];

/// Whether a text is a duration or a time of day: minutes and seconds, or hours, minutes and seconds, between colons, perhaps after days; or numbers
/// with several units of time, from the largest down. A score as `3:2` is none.
fn is_duration(text: &str) -> bool {
    let unsigned = text.strip_prefix('-').unwrap_or(text);
    let bare = match unsigned.rsplit_once(' ') {
        Some((time, half)) if ["am", "pm"].iter().any(|h| half.eq_ignore_ascii_case(h)) => time,
        _ => unsigned,
    };
    let clock = bare
        .rsplit_once([' ', ','])
        .map_or(Some(bare), |(days, clock)| {
            let mut parts = days.trim_end_matches(',').split(' ');
            let is_number = |part: &str| part.bytes().all(|b| b.is_ascii_digit());
            let (number, unit) = (parts.next()?, parts.next()?);
            let are_days = is_number(number) && TIMES[0].contains(&unit) && parts.next().is_none();
            are_days.then_some(clock)
        });
    clock.is_some_and(is_clock) || has_units_of_time(unsigned)
}

/// Whether a text is a number, and one or two of two digits below 60 after colons.
fn is_clock(text: &str) -> bool {
    let is_number = |part: &str| !part.is_empty() && part.bytes().all(|b| b.is_ascii_digit());
    let is_sixtieth = |part: &str| part.len() == 2 && is_number(part) && part < "60";
    let mut parts = text.split(':');
    let first = parts.next().unwrap_or_default();
    let rest: Vec<&str> = parts.collect();
    let Some((last, middle)) = rest.split_last() else {
        return false;
    };
    let (last, has_part) = match last.split_once('.') {
        Some((whole, part)) => (whole, is_number(part)),
        None => (*last, true),
    };
    rest.len() <= 2
        && is_number(first)
        && first.len() <= 4
        && middle.iter().copied().all(is_sixtieth)
        && is_sixtieth(last)
        && has_part
}

/// Whether a text is two numbers or more with units of time behind them, from the largest down: `1h 30m`, `2 hours 5 min`. The last unit may be missing.
fn has_units_of_time(text: &str) -> bool {
    let (mut rest, mut place, mut parts) = (text, 0, 0);
    while !rest.is_empty() {
        let digits = rest
            .find(|c: char| !c.is_ascii_digit())
            .unwrap_or(rest.len());
        let (number, after) = rest.split_at(digits);
        let after = after.trim_start();
        let letters = after.find(|c: char| !c.is_ascii_alphabetic());
        let (unit, next) = after.split_at(letters.unwrap_or(after.len()));
        if number.is_empty() || (unit.is_empty() && (parts == 0 || !next.is_empty())) {
            return false;
        }
        let unit = unit.to_ascii_lowercase();
        let larger = TIMES.iter().skip(place);
        let found = larger.clone().position(|names| names.contains(&&*unit));
        match found {
            Some(found) => place += found + 1,
            None if unit.is_empty() && number.len() == 2 => place = TIMES.len(),
            None => return false,
        }
        parts += 1;
        rest = next.trim_start_matches([' ', ',']);
    }
    parts > 1
}

const MONTHS: [&str; 12] = [
    "january",
    "february",
    "march",
    "april",
    "may",
    "june",
    "july",
    "august",
    "september",
    "october",
    "november",
    "december",
];

const WEEKDAYS: [&str; 7] = [
    "monday",
    "tuesday",
    "wednesday",
    "thursday",
    "friday",
    "saturday",
    "sunday",
];

/// Whether a word is one of some names, or at least its first three letters, in any case.
fn is_one_of(word: &str, names: &[&str]) -> bool {
    let word = word.to_ascii_lowercase();
    word.len() >= 3 && names.iter().any(|name| name.starts_with(&word))
}

/// Whether a text is a date with the English name of its month, in any order; a weekday may come first, and a time may follow.
fn is_date_in_words(text: &str) -> bool {
    let words = text.split([' ', ',']).filter(|word| !word.is_empty());
    let (mut parts, mut has_time) = (Vec::new(), false);
    for word in words {
        let is_zone = || {
            let is_name = ["am", "pm", "utc", "gmt", "z"]
                .iter()
                .any(|name| word.eq_ignore_ascii_case(name));
            is_name || word.starts_with(['+', '-'])
        };
        if word.contains(':') && word.starts_with(|c: char| c.is_ascii_digit()) {
            has_time = true;
        } else if !(has_time && is_zone()) {
            parts.extend(numbers_and_letters(word));
        }
    }
    if parts.first().is_some_and(|part| is_one_of(part, &WEEKDAYS)) {
        parts.remove(0);
    }
    let [a, b, c] = parts[..] else {
        return false;
    };
    let is_number = |part: &str, lengths: &[usize]| {
        lengths.contains(&part.len()) && part.bytes().all(|b| b.is_ascii_digit())
    };
    let is_day = |part: &str| {
        is_number(part, &[1, 2]) && part.parse().is_ok_and(|day: u32| (1..=31).contains(&day))
    };
    let is_month = |part: &str| is_one_of(part, &MONTHS);
    let is_year_last = is_number(c, &[2, 4]);
    (is_day(a) && is_month(b) && is_year_last)
        || (is_month(a) && is_day(b) && is_year_last)
        || (is_number(a, &[4]) && is_month(b) && is_day(c))
}

/// The numbers and words of a text, but for what makes a number an ordinal.
fn numbers_and_letters(text: &str) -> Vec<&str> {
    let mut parts = Vec::new();
    for word in text.split(['-', '/', '.']) {
        let at = word.find(|c: char| !c.is_ascii_digit());
        let (number, rest) = word.split_at(at.unwrap_or(word.len()));
        let is_ordinal = !number.is_empty() && ["st", "nd", "rd", "th"].contains(&rest);
        let at = rest.find(|c: char| c.is_ascii_digit());
        let (letters, last) = rest.split_at(at.unwrap_or(rest.len()));
        let letters = if is_ordinal { "" } else { letters };
        let all = [number, letters, last].into_iter();
        parts.extend(all.filter(|part| !part.is_empty()));
    }
    parts
}

#[cfg(test)]
mod tests {
    use super::{Guise, guise, may_be_decimal, unit};

    #[test]
    fn units_stand_behind_numbers() {
        for (text, expected) in [
            ("42 yrs", Some(("42", "yrs"))),
            ("-68.5°C", Some(("-68.5", "°C"))),
            (" 3.3 bar ", Some(("3.3", "bar"))),
            ("1,234.5kg", Some(("1,234.5", "kg"))),
            ("90 km/h", Some(("90", "km/h"))),
            ("85 m2", Some(("85", "m2"))),
            ("85 m²", Some(("85", "m²"))),
            ("12.5k", Some(("12.5", "k"))),
            ("42", None),
            ("kg", None),
            ("XL", None),
            ("A12", None),
            ("3 rooms flat", None),
            ("3 rooms-flat", None),
            ("12h30", None),
            ("1.2.3 beta", None),
            ("12 Main St 4", None),
            ("5 incomprehensible", None),
        ] {
            assert_eq!(unit(text), expected, "{text}");
        }
    }

    #[test]
    fn a_comma_before_three_digits_says_little() {
        assert!(may_be_decimal(b"1,234") && may_be_decimal(b" -21,446"));
        assert!(!may_be_decimal(b"1,234,567") && !may_be_decimal(b"1,234.5"));
        assert!(!may_be_decimal(b"1 234") && !may_be_decimal(b"1,5"));
    }

    #[test]
    fn numbers_and_dates_in_other_guises() {
        for (text, expected) in [
            ("45.3%", Some(Guise::Percent)),
            ("-1,5 %", Some(Guise::Percent)),
            ("45,3", Some(Guise::DecimalComma)),
            ("-0,25", Some(Guise::DecimalComma)),
            ("1.234.567,8", Some(Guise::DecimalComma)),
            ("1,234", Some(Guise::Thousands)),
            ("1,234,567.89", Some(Guise::Thousands)),
            ("1 234 567", Some(Guise::Thousands)),
            ("12'345.50", Some(Guise::Thousands)),
            ("$5", Some(Guise::Currency)),
            ("-$5.20", Some(Guise::Currency)),
            ("12,50 €", Some(Guise::Currency)),
            ("USD 1,000", Some(Guise::Currency)),
            ("05.03.2024", Some(Guise::Date)),
            ("3/15/24", Some(Guise::Date)),
            ("31/12/2024 07:30", Some(Guise::Date)),
            ("2024/03/05", Some(Guise::Date)),
            ("5-3-2024", Some(Guise::Date)),
            ("0,446", Some(Guise::DecimalComma)),
            ("-0,446", Some(Guise::DecimalComma)),
            ("05 Jan 2025", Some(Guise::Date)),
            ("5 january 2025 07:30", Some(Guise::Date)),
            ("January 05, 2025", Some(Guise::Date)),
            ("Sept. 5th, 2025", Some(Guise::Date)),
            ("5-Jan-25", Some(Guise::Date)),
            ("05JAN2025", Some(Guise::Date)),
            ("2025 Mar 05", Some(Guise::Date)),
            ("3:50", Some(Guise::Duration)),
            ("1:02:10", Some(Guise::Duration)),
            ("-0:07.25", Some(Guise::Duration)),
            ("07:30 PM", Some(Guise::Duration)),
            ("2 days 03:04:05", Some(Guise::Duration)),
            ("1 day, 3:04:05", Some(Guise::Duration)),
            ("1h 30m", Some(Guise::Duration)),
            ("2 hours, 5 min", Some(Guise::Duration)),
            ("12h30", Some(Guise::Duration)),
            ("Wed, 05 Mar 2025 07:30:00 +0100", Some(Guise::Date)),
            // as numbers and dates are written
            ("45.3", None),
            ("-1e-3", None),
            ("2024-03-05", None),
            // neither
            ("", None),
            ("%", None),
            ("$", None),
            ("yes", None),
            ("a%", None),
            ("1,2,3", None),
            ("1.2.24", None),
            ("10.0.0.1", None),
            ("40.40.2024", None),
            ("3:2", None),
            ("3:62", None),
            (":30", None),
            ("3:", None),
            ("1:02:03:04", None),
            ("2 doors 03:04", None),
            ("30m 1h", None),
            ("1h 30m x", None),
            ("\u{e9}h 30m", None),
            ("12345:30", None),
            ("1,", None),
            (",5", None),
            ("5 apples", None),
            ("5 Jan", None),
            ("January 2025", None),
            ("45 Jan 2025", None),
            ("5 Janet 2025", None),
            ("May 5 2025 was hot", None),
            ("0 446", None),
            ("inf%", None),
            ("\u{e9},5", None),
        ] {
            assert_eq!(guise(text.as_bytes()), expected, "{text}");
        }
        assert_eq!(guise(b"\xff%"), None);
    }
}
