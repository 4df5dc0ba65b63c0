//! Errors on rows, beside those of a constant answer.

use std::fmt;

use crate::quantity::{count, percent, plural};

/// Errors on some rows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Errors {
    /// How many.
    pub errors: u64,
    /// On how many rows.
    pub rows: u64,
}

impl Errors {
    /// The share of the rows.
    pub fn share(self) -> f64 {
        self.errors as f64 / self.rows.max(1) as f64
    }

    /// The errors that chance alone makes more or fewer: two standard deviations of a binomial count.
    pub fn noise(self) -> f64 {
        2.0 * (self.errors as f64 * (1.0 - self.share()).max(0.0)).sqrt()
    }

    /// Whether there are no fewer than a baseline makes on the same rows, or so little fewer that chance alone may do it. Where the answers to
    /// each row are known, those that differ tell it. One error says nothing.
    pub fn is_no_better_than(self, baseline: u64, paired: Option<Paired>) -> bool {
        let chance = Errors {
            errors: baseline,
            rows: self.rows,
        };
        let noise = paired.map_or_else(|| chance.noise(), Paired::noise);
        self.errors > 1 && self.errors as f64 >= baseline as f64 - noise
    }

    /// Whether they are less than a tenth of others that are many: at least three in ten of at least 100 rows.
    pub fn is_far_below(self, other: Errors) -> bool {
        other.rows >= 100 && other.share() >= 0.3 && 10.0 * self.share() < other.share()
    }

    /// Whether the share is more than twice that of other rows, beyond what chance alone may do to either.
    pub fn is_far_above(self, other: Errors) -> bool {
        let noise = |of: Errors| {
            let floor = Errors {
                errors: of.errors.max(1),
                rows: of.rows,
            };
            floor.noise() / of.rows.max(1) as f64
        };
        let (noise, other_noise) = (noise(self), noise(other));
        self.share() > 2.0 * other.share()
            && self.share() - other.share() > libm::hypot(noise, other_noise)
    }
}

/// Rows that two predictors answer differently, one right and the other wrong: what McNemar's test compares.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Paired {
    /// Rows on which the first is right and the second wrong.
    pub better: u64,
    /// Rows on which the first is wrong and the second right.
    pub worse: u64,
}

impl Paired {
    /// Counts a row.
    pub fn row(&mut self, is_wrong: bool, other_is_wrong: bool) {
        self.better += u64::from(!is_wrong && other_is_wrong);
        self.worse += u64::from(is_wrong && !other_is_wrong);
    }

    /// The difference that chance alone makes: two standard deviations of `better - worse`, if either is as likely.
    fn noise(self) -> f64 {
        2.0 * (self.better as f64 + self.worse as f64).sqrt()
    }
}

impl fmt::Display for Paired {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (better, worse) = (plural(self.better, "row"), count(self.worse));
        let is = if self.better == 1 { "is" } else { "are" };
        write!(f, " ({better} {is} answered better, {worse} worse)")
    }
}

impl fmt::Display for Errors {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "{} of {} ({})",
            count(self.errors),
            plural(self.rows, "row"),
            percent(self.share())
        )
    }
}

/// Squared errors on some rows whose labels are quantities, beside those of always answering the mean of these labels.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SquaredErrors {
    /// The mean squared error.
    pub error: f64,
    /// That of always answering the mean.
    pub baseline: f64,
    /// The mean.
    pub mean: f64,
    /// The sum over the rows of the squares of what the answer saves beside the mean: the difference of both squared errors.
    pub saved_squares: f64,
    /// The mean of label less answer.
    pub away: f64,
    /// On how many rows.
    pub rows: u64,
}

/// Fewer rows than this say nothing of squared errors.
const ROWS_OF_SQUARES: u64 = 10;

/// Squared errors below this share of the baseline's are better, whatever the noise.
const FAR_BETTER: f64 = 0.1;

/// Squared errors of at most this share of the baseline's, on at least the next number of rows, are too good for labels that are measured.
const TOO_GOOD: f64 = 1e-4;
const ROWS_TOO_GOOD: u64 = 100;

/// A constant is missing if it would take away more than this share of the squared error.
const BY_CONSTANT: f64 = 0.5;

impl SquaredErrors {
    /// Whether they are no smaller than those of the mean, or so little smaller that chance alone may do it: the sum of what the answers save is at
    /// most two standard deviations, if each is as likely to be a loss.
    pub fn is_no_better(&self) -> bool {
        let saved = (self.baseline - self.error) * self.rows as f64;
        self.rows >= ROWS_OF_SQUARES
            && self.baseline > 0.0
            && self.error > FAR_BETTER * self.baseline
            && saved <= 2.0 * self.saved_squares.sqrt()
    }

    /// Whether they are so small that the columns as good as contain the label.
    pub fn are_too_good(&self) -> bool {
        self.rows >= ROWS_TOO_GOOD && self.baseline > 0.0 && self.error <= TOO_GOOD * self.baseline
    }

    /// The share of the squared error that a constant would take away.
    pub(super) fn by_constant(&self) -> f64 {
        if self.error > 0.0 {
            self.away * self.away / self.error
        } else {
            0.0
        }
    }

    /// Whether a constant would take away most of the squared error. It does so by a hundredth of the baseline at least.
    pub fn lack_constant(&self) -> bool {
        self.rows >= ROWS_OF_SQUARES
            && self.by_constant() > BY_CONSTANT
            && self.away * self.away > 0.01 * self.baseline
    }

    pub(super) fn no_better(&self) -> NoBetter<'_> {
        NoBetter(self)
    }
}

/// `no better than 12.5, that of always answering their mean, 3`.
pub(super) struct NoBetter<'s>(&'s SquaredErrors);

impl fmt::Display for NoBetter<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let SquaredErrors {
            error,
            baseline,
            mean,
            ..
        } = self.0;
        let within = if error >= baseline {
            ""
        } else {
            "to within two standard deviations "
        };
        let (baseline, mean) = (digits(*baseline), digits(*mean));
        write!(
            f,
            "{within}no better than {baseline}, that of always answering their mean, {mean}"
        )
    }
}

/// A number with six digits.
pub(super) fn digits(value: f64) -> String {
    let rounded: Option<f64> = format!("{value:.5e}").parse().ok();
    match rounded.unwrap_or(value) {
        size if size == 0.0 || (1e-4..1e12).contains(&size.abs()) => size.to_string(),
        size => format!("{size:e}"),
    }
}

#[cfg(test)]
mod tests {
    use super::{Errors, Paired};

    fn errors(errors: u64, rows: u64) -> Errors {
        Errors { errors, rows }
    }

    #[test]
    fn chance_does_not_beat_the_baseline() {
        for (got, baseline, rows, expected) in [
            (2001, 2010, 4000, true),
            (1304, 1306, 2200, true),
            (11_984, 11_987, 12_000, true),
            (11_979, 11_987, 12_000, false),
            (484, 2140, 12_000, false),
            (0, 3, 100, false),
            (1, 3, 100, false),
            (2, 3, 100, true),
            (30, 50, 100, false),
            (60, 50, 100, true),
        ] {
            let is = errors(got, rows).is_no_better_than(baseline, None);
            assert_eq!(is, expected, "{got} against {baseline} of {rows}");
        }
    }

    #[test]
    fn answers_that_differ_say_whether_chance_beats_the_baseline() {
        for (better, worse, expected) in [
            (104, 66, false),
            (12, 10, true),
            (5, 0, false),
            (3, 0, true),
        ] {
            let paired = Some(Paired { better, worse });
            let (baseline, rows) = (738, 5000);
            let is = errors(baseline + worse - better, rows).is_no_better_than(baseline, paired);
            assert_eq!(is, expected, "{better} better, {worse} worse");
        }
        let is = errors(700, 5000).is_no_better_than(738, None);
        assert!(is, "two counts alone say less");
    }

    #[test]
    fn a_gap_is_twofold_and_no_chance() {
        for (test, validation, expected) in [
            (errors(1633, 2000), errors(14, 4000), true),
            (errors(3, 20), errors(1, 20), false),
            (errors(180, 2000), errors(100, 2000), false),
            (errors(5, 2000), errors(0, 4000), true),
            (errors(1, 2000), errors(0, 4000), false),
        ] {
            assert_eq!(test.is_far_above(validation), expected, "{test}");
        }
    }
}
