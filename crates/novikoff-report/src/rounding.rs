//! Numbers for reading. Bounds are rounded up, at every size and by every printer alike; the parts of a sum add up as printed.

use novikoff::quantity::count;

/// What a bound may be larger by for having been computed, relative to its size. Every operation rounds up
/// (`novikoff::certificate::Up`), and theorems take what a run measured for wrong by some 1e-9, so that a bound of 4 is computed as
/// 4.000000004. It is printed as 4.0, not as 4.1.
const ADDED: f64 = 1e-7;

/// What computing may add to a bound, as a share of the last printed digit: of large bounds 1e-7 would be whole digits.
const OF_A_DIGIT: f64 = 0.01;

/// Bounds from here on are printed with an exponent.
const LARGE: f64 = 1e9;

/// Bounds from here on have no thousandths.
const FINE: f64 = 1e6;

/// The last digit that is printed of a bound.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Digit {
    /// The first after the point.
    Tenth,
    /// The third after the point.
    Thousandth,
    /// The third after the point, with this power of ten.
    Exponent(i32),
}

impl Digit {
    fn of(bound: f64) -> Self {
        if bound < LARGE {
            Digit::Tenth
        } else {
            Digit::Exponent(libm::floor(libm::log10(bound)) as i32)
        }
    }

    /// A value in units of this digit.
    fn units(self, value: f64) -> f64 {
        match self {
            Digit::Tenth => value * 10.0,
            Digit::Thousandth => value * 1000.0,
            Digit::Exponent(power) => value / libm::pow(10.0, f64::from(power - 3)),
        }
    }

    /// `units` of the digit, without a sign.
    fn text(self, units: i64) -> String {
        let units = units.unsigned_abs();
        match self {
            Digit::Tenth => format!("{}.{}", count(units / 10), units % 10),
            Digit::Thousandth => format!("{}.{:03}", count(units / 1000), units % 1000),
            Digit::Exponent(power) => format!("{}.{:03}e{power}", units / 1000, units % 1000),
        }
    }
}

/// A finite bound in units of its last digit, rounded up.
fn round_up(bound: f64) -> (Digit, i64) {
    round_up_to(Digit::of(bound), bound)
}

/// A finite bound in units of a digit, rounded up.
fn round_up_to(digit: Digit, bound: f64) -> (Digit, i64) {
    let units = digit.units(bound.max(0.0));
    let units = (units - (ADDED * units).min(OF_A_DIGIT)).ceil() as i64;
    match digit {
        // 9.9996e9 is 1.000e10
        Digit::Exponent(power) if units >= 10_000 => (Digit::Exponent(power + 1), 1000),
        _ => (digit, units),
    }
}

/// A bound, rounded up.
pub(crate) fn bound(value: f64) -> String {
    if !value.is_finite() {
        return "no bound".to_owned();
    }
    let (digit, units) = round_up(value);
    digit.text(units)
}

/// A bound beside its formula, rounded up: to thousandths, so that it is seen to be what the formula gives.
pub(crate) fn fine_bound(value: f64) -> String {
    if value.is_nan() || value >= FINE {
        return bound(value);
    }
    let (digit, units) = round_up_to(Digit::Thousandth, value);
    digit.text(units)
}

/// The sum of bounds as they are printed; none if there are no bounds, or some are printed with an exponent.
pub(crate) fn sum_as_printed(bounds: &[f64]) -> Option<f64> {
    let units = |bound: &f64| match round_up(*bound) {
        (Digit::Tenth, units) if bound.is_finite() => Some(units),
        _ => None,
    };
    let sum: i64 = bounds.iter().map(units).sum::<Option<i64>>()?;
    (!bounds.is_empty()).then_some(sum as f64 / 10.0)
}

/// A bound as a value of five significant digits, rounded up.
pub(crate) fn five_digits(bound: f64) -> f64 {
    // what is whole is shown whole, and nothing is to be seen of less than 1e-12
    if !(1e-12..1e300).contains(&bound) || bound == bound.trunc() && bound < 1e5 {
        return bound;
    }
    let power = libm::floor(libm::log10(bound)) as i32 - 4;
    // dividing by a power of ten that is whole gives the nearest decimal
    let (down, up) = (
        libm::pow(10.0, f64::from(power.max(0))),
        libm::pow(10.0, f64::from((-power).max(0))),
    );
    (bound / down * up * (1.0 - ADDED)).ceil() / up * down
}

/// One part of a printed sum.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct RoundedPart {
    /// Its name, in words.
    pub(crate) name: String,
    /// It is subtracted.
    pub(crate) is_negative: bool,
    /// Its size, without a sign.
    pub(crate) size: String,
}

/// The parts of a bound, rounded so that their printed values add up to the printed bound.
///
/// Each is rounded down, and those that lost most get one unit more until the sum is right. Whole numbers lose nothing and stay what they are.
pub(crate) fn parts(bound: f64, terms: &[(String, f64)]) -> Vec<RoundedPart> {
    let (digit, whole) = if bound.is_finite() {
        round_up(bound)
    } else {
        (Digit::Tenth, 0)
    };
    let exact: Vec<f64> = terms.iter().map(|(_, value)| digit.units(*value)).collect();
    let mut units: Vec<i64> = exact.iter().map(|value| value.floor() as i64).collect();
    let mut left = whole - units.iter().sum::<i64>();
    let mut order: Vec<usize> = (0..terms.len()).collect();
    let lost = |i: usize| exact[i] - exact[i].floor();
    order.sort_by(|&a, &b| lost(b).total_cmp(&lost(a)));
    for &i in order.iter().take(usize::try_from(left).unwrap_or(0)) {
        units[i] += 1;
        left -= 1;
    }
    // terms whose sum is not the bound: the largest takes the difference
    let largest = (0..terms.len()).max_by(|&a, &b| exact[a].abs().total_cmp(&exact[b].abs()));
    if let Some(largest) = largest {
        units[largest] += left;
    }
    let part = |((name, _), units): (&(String, f64), i64)| RoundedPart {
        name: name.replace('_', " "),
        is_negative: units < 0,
        size: digit.text(units),
    };
    terms.iter().zip(units).map(part).collect()
}

/// A number that is no bound, rounded to the nearest.
pub(crate) fn number(value: f64) -> String {
    match value.abs() {
        0.0 => "0".to_owned(),
        size if !(1e-3..1e9).contains(&size) => format!("{value:.3e}"),
        size if size >= 100.0 => {
            let tenths = (size * 10.0).round() as u64;
            let sign = if value < 0.0 { "-" } else { "" };
            format!("{sign}{}.{}", count(tenths / 10), tenths % 10)
        }
        _ => format!("{value:.3}"),
    }
}

/// A number of a formula, rounded to six digits, so that a reader can compute with it.
pub(crate) fn six_digits(value: f64) -> String {
    let size = value.abs();
    if size == 0.0 {
        return "0".to_owned();
    }
    if !(1e-3..1e9).contains(&size) {
        return format!("{value:.5e}");
    }
    let decimals = usize::try_from(5 - libm::floor(libm::log10(size)) as i32).unwrap_or(0);
    let text = format!("{size:.decimals$}");
    let (whole, part) = text.split_once('.').unwrap_or((text.as_str(), ""));
    let part = part.trim_end_matches('0');
    let whole = whole
        .parse()
        .map_or_else(|_| whole.to_owned(), |whole: u64| count(whole));
    let (sign, point) = (
        if value < 0.0 { "-" } else { "" },
        if part.is_empty() { "" } else { "." },
    );
    format!("{sign}{whole}{point}{part}")
}

/// A share in percent, rounded up to two digits; at least 0.001%.
pub(crate) fn percent_up(share: f64) -> String {
    let percent = (100.0 * share).clamp(1e-3, 100.0);
    let power = libm::floor(libm::log10(percent)) as i32;
    let ten = libm::pow(10.0, f64::from(1 - power));
    let percent = (percent * ten * (1.0 - ADDED)).ceil() / ten;
    let decimals = usize::try_from(1 - power).unwrap_or(0);
    let text = format!("{percent:.decimals$}");
    let text = if text.contains('.') {
        text.trim_end_matches('0').trim_end_matches('.')
    } else {
        &text
    };
    format!("{text}%")
}

#[cfg(test)]
mod tests {
    use super::*;
    use novikoff::random::SplitMix64;

    #[test]
    fn bounds_for_reading() {
        for (value, text) in [
            (0.0, "0.0"),
            (1e-12, "0.1"),
            (0.95, "1.0"),
            (4.0, "4.0"),
            (4.000_000_004, "4.0"),
            (4.000_01, "4.1"),
            (99.91, "100.0"),
            (871.2, "871.2"),
            (871.21, "871.3"),
            (12_345.61, "12,345.7"),
            // 1e-7 of it would be nine tenths and more
            (987_654_321.05, "987,654,321.1"),
            (1e9, "1.000e9"),
            (1.000_1e9, "1.001e9"),
            (9.999_6e9, "1.000e10"),
            (2.5e300, "2.500e300"),
            (f64::INFINITY, "no bound"),
        ] {
            assert_eq!(bound(value), text, "{value}");
        }
    }

    #[test]
    fn bounds_and_numbers_of_formulas() {
        for (value, text) in [
            (6.9466, "6.947"),
            (6.947, "6.947"),
            (4.000_000_000_4, "4.000"),
            (205.946_2, "205.947"),
            (12_345.678_9, "12,345.679"),
            (1_000_000.25, "1,000,000.3"),
            (f64::INFINITY, "no bound"),
        ] {
            assert_eq!(fine_bound(value), text, "{value}");
        }
        for (value, text) in [
            (0.0, "0"),
            (0.283_141_9, "0.283142"),
            (9.120_341, "9.12034"),
            (-1.5, "-1.5"),
            (183.142_44, "183.142"),
            (999_999.7, "1,000,000"),
            (12_345.678, "12,345.7"),
            (1e-9, "1.00000e-9"),
        ] {
            assert_eq!(six_digits(value), text, "{value}");
        }
    }

    #[test]
    fn no_bound_is_printed_smaller_than_it_is() {
        let mut random = SplitMix64::new(15);
        for _ in 0..20_000 {
            let value = libm::pow(10.0, 24.0 * random.uniform() - 6.0);
            let printed: f64 = bound(value).replace(',', "").parse().expect("a number");
            assert!(printed >= value * (1.0 - ADDED), "{value}: {printed}");
            let unit = (value * 1e-3).max(0.1);
            assert!(printed <= value + 1.001 * unit, "{value}: {printed}");
            let five = five_digits(value);
            let near = (1.0 - ADDED)..=(1.0 + 1.001e-4);
            assert!(near.contains(&(five / value)), "{value}: {five}");
            let shown: f64 = format!("{five:.4e}").parse().expect("a number");
            assert_eq!(shown, five, "{value}");
        }
    }

    #[test]
    fn parts_add_up_as_printed() {
        let mut random = SplitMix64::new(18);
        for trial in 0..20_000 {
            let count = 1 + random.below(4);
            let size = libm::pow(10.0, 12.0 * random.uniform() - 2.0);
            let mut terms: Vec<(String, f64)> = (0..count)
                .map(|i| (format!("part_{i}"), size * random.uniform()))
                .collect();
            let sum: f64 = terms.iter().map(|(_, value)| value).sum();
            if trial % 3 == 0 {
                terms.push(("right_answers".to_owned(), -(sum / 3.0).trunc()));
            }
            let whole: f64 = terms.iter().map(|(_, value)| value).sum();
            let parse = |text: &str| -> f64 { text.replace(',', "").parse().expect("a number") };
            let printed = parts(whole, &terms);
            let mut added = 0.0;
            for (part, (_, exact)) in printed.iter().zip(&terms) {
                let value = parse(&part.size) * if part.is_negative { -1.0 } else { 1.0 };
                let unit = (whole * 1e-3).max(0.1);
                assert!(
                    (value - exact).abs() <= 1.01 * unit,
                    "{terms:?}: {printed:?}"
                );
                added += value;
            }
            let total = parse(&bound(whole));
            assert!(
                (added - total).abs() <= 1e-9 * total,
                "{terms:?}: {printed:?}"
            );
        }
    }

    /// 253.0 was printed as 172.2 + 80.7.
    #[test]
    fn the_sum_of_the_readme() {
        let terms = [("hinge".to_owned(), 172.23), ("spectral".to_owned(), 80.72)];
        let sizes: Vec<String> = parts(252.95, &terms).into_iter().map(|p| p.size).collect();
        assert_eq!(
            (bound(252.95).as_str(), sizes.join(" ").as_str()),
            ("253.0", "172.3 80.7")
        );
        let terms = [("norm".to_owned(), 9.34), ("zero_rows".to_owned(), 3.0)];
        let printed = parts(12.34, &terms);
        assert_eq!(
            (printed[0].size.as_str(), printed[1].size.as_str()),
            ("9.4", "3.0")
        );
        assert_eq!(printed[1].name, "zero rows");
    }

    #[test]
    fn bounds_of_classes_add_up_as_printed() {
        let mut random = SplitMix64::new(19);
        let parse = |text: &str| -> f64 { text.replace(',', "").parse().expect("a number") };
        for _ in 0..5_000 {
            let classes: Vec<f64> = (0..=random.below(12))
                .map(|_| 1000.0 * random.uniform())
                .collect();
            let whole: f64 = classes.iter().sum();
            let shown = sum_as_printed(&classes).expect("a sum");
            assert!(shown >= whole * (1.0 - ADDED), "{classes:?}");
            let added: f64 = classes.iter().map(|c| parse(&bound(*c))).sum();
            assert!((parse(&bound(shown)) - added).abs() < 1e-6, "{classes:?}");
            // and so do the parts of the whole
            let terms = [
                ("hinge".to_owned(), 0.3 * whole),
                ("norm".to_owned(), 0.7 * whole),
            ];
            let parts: f64 = parts(shown, &terms).iter().map(|p| parse(&p.size)).sum();
            assert!((parts - added).abs() < 1e-6, "{classes:?}");
        }
        assert_eq!(sum_as_printed(&[]), None);
        assert_eq!(sum_as_printed(&[1.0, 2e9]), None);
    }

    #[test]
    fn numbers_for_reading() {
        assert_eq!(number(871.24), "871.2");
        assert_eq!(number(12_345.67), "12,345.7");
        assert_eq!(number(-999.96), "-1,000.0");
        assert_eq!(number(12.4), "12.400");
        assert_eq!(number(1e-9), "1.000e-9");
    }

    #[test]
    fn shares_are_rounded_up() {
        for (share, text) in [
            (0.004, "0.4%"),
            (0.003_81, "0.39%"),
            (0.0, "0.001%"),
            (0.123, "13%"),
            (1.0, "100%"),
            (0.999, "100%"),
            (0.01, "1%"),
        ] {
            assert_eq!(percent_up(share), text, "{share}");
        }
    }
}
