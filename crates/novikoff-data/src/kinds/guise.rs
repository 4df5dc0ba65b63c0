//! Numbers and dates that are written in a way that is not read as such: `45.3%`, `45,3`, `1,234,567`, `$5`, `05.03.2024`.

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
    if is_date(text) {
        return Some(Guise::Date);
    }
    number_with_signs(text)?
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
        is_number(first)
            && first.len() <= 3
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

#[cfg(test)]
mod tests {
    use super::{Guise, guise};

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
            ("12:30", None),
            ("1,", None),
            (",5", None),
            ("5 apples", None),
            ("inf%", None),
            ("\u{e9},5", None),
        ] {
            assert_eq!(guise(text.as_bytes()), expected, "{text}");
        }
        assert_eq!(guise(b"\xff%"), None);
    }
}
