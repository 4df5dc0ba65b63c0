//! What the repetitions of an experiment decide.
//!
//! Rows of a table see the same orders, splits and draws, so the differences of the same repetitions are compared, by Student's t test on one
//! side. A comparison is as claimed if chance alone would show it in one case of 40. A claim of several comparisons has as many occasions to
//! fail by chance, so each of them must be as unlikely as one in 40 times their number to be called reversed.

use novikoff_report::{Mean, PaperVerdict};

/// The chance of an error that is put up with.
const CHANCE: f64 = 0.025;

/// One comparison of a claim.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Comparison {
    /// How likely chance alone would show what is claimed as clearly; 1 if it was not seen.
    by_chance: f64,
    /// The same of its opposite.
    opposite_by_chance: f64,
}

/// What becomes of a claim.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Decision {
    pub(super) verdict: PaperVerdict,
    /// Comparisons that are as claimed.
    pub(super) held: usize,
    /// Comparisons that are reversed.
    pub(super) failed: usize,
}

/// The comparisons of a claim together.
pub(super) fn decide(compared: &[Comparison]) -> Decision {
    let all = compared.len();
    let held = compared.iter().filter(|c| c.by_chance <= CHANCE).count();
    let least = CHANCE / all.max(1) as f64;
    let reversed = compared.iter().filter(|c| c.opposite_by_chance <= least);
    let failed = reversed.count();
    let verdict = if failed > 0 {
        PaperVerdict::Fails
    } else if held > 0 && held == all {
        PaperVerdict::Holds
    } else {
        PaperVerdict::Open
    };
    Decision {
        verdict,
        held,
        failed,
    }
}

impl Comparison {
    /// Nothing was seen.
    const OPEN: Comparison = Comparison {
        by_chance: 1.0,
        opposite_by_chance: 1.0,
    };

    /// Whether one series is below another, by the differences of the same repetitions. One repetition decides nothing.
    pub(super) fn paired(less: &[(u32, f64)], more: &[(u32, f64)]) -> Self {
        let differences: Vec<(u32, f64)> = less
            .iter()
            .filter_map(|(r, low)| {
                let (_, high) = more.iter().find(|(other, _)| other == r)?;
                Some((*r, high - low))
            })
            .collect();
        let Some(found) = mean(&differences) else {
            return Self::OPEN;
        };
        let Some(deviation) = found.deviation else {
            return Self::OPEN;
        };
        let t = found.mean / (deviation / (found.count as f64).sqrt());
        // no difference in any repetition
        if t.is_nan() {
            return Self::OPEN;
        }
        let beyond = student(t.abs(), found.count - 1);
        let (by_chance, opposite_by_chance) = if t > 0.0 {
            (beyond, 1.0 - beyond)
        } else {
            (1.0 - beyond, beyond)
        };
        Comparison {
            by_chance,
            opposite_by_chance,
        }
    }

    /// Whether one series is at most another, in each repetition: that is no matter of chance.
    pub(super) fn each_below(less: &[(u32, f64)], more: &[(u32, f64)]) -> Vec<Self> {
        let of = |(r, low): &(u32, f64)| {
            let (_, high) = more.iter().find(|(other, _)| other == r)?;
            let (by_chance, opposite_by_chance) = if low <= high { (0.0, 1.0) } else { (1.0, 0.0) };
            Some(Comparison {
                by_chance,
                opposite_by_chance,
            })
        };
        less.iter().filter_map(of).collect()
    }
}

/// How likely Student's t is beyond some value, which is at least 0 (Abramowitz and Stegun 26.7.3 and 26.7.4).
fn student(t: f64, freedom: u64) -> f64 {
    let angle = libm::atan2(t, (freedom as f64).sqrt());
    let (sine, cosine) = (libm::sin(angle), libm::cos(angle));
    let is_odd = freedom % 2 == 1;
    let mut term = if is_odd { cosine } else { 1.0 };
    let mut sum = if freedom == 1 { 0.0 } else { term };
    let mut k = if is_odd { 3 } else { 2 };
    while k < freedom {
        term *= (k - 1) as f64 / k as f64 * cosine * cosine;
        sum += term;
        k += 2;
    }
    let inside = if is_odd {
        std::f64::consts::FRAC_2_PI * (angle + sine * sum)
    } else {
        sine * sum
    };
    (0.5 * (1.0 - inside)).max(0.0)
}

/// The mean and the sample deviation of repetitions; none of none.
pub(super) fn mean(series: &[(u32, f64)]) -> Option<Mean> {
    let count = series.len();
    if count == 0 {
        return None;
    }
    let mean = series.iter().map(|(_, value)| value).sum::<f64>() / count as f64;
    let squares = series
        .iter()
        .map(|(_, value)| (value - mean) * (value - mean));
    let deviation = (squares.sum::<f64>() / (count.max(2) - 1) as f64).sqrt();
    Some(Mean {
        mean,
        deviation: (count > 1).then_some(deviation),
        count: count as u64,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn series(values: &[f64]) -> Vec<(u32, f64)> {
        (0..).zip(values.iter().copied()).collect()
    }

    fn verdict(less: &[f64], more: &[f64]) -> PaperVerdict {
        decide(&[Comparison::paired(&series(less), &series(more))]).verdict
    }

    #[test]
    fn means_and_deviations() {
        assert!(mean(&[]).is_none());
        let one = mean(&series(&[3.0])).expect("a mean");
        assert_eq!((one.mean, one.deviation, one.count), (3.0, None, 1));
        let three = mean(&series(&[1.0, 2.0, 3.0])).expect("a mean");
        assert_eq!((three.mean, three.deviation), (2.0, Some(1.0)));
    }

    /// Quantiles from tables of Student's distribution.
    #[test]
    fn student_is_that_of_the_tables() {
        for (freedom, t, beyond) in [
            (1, 12.706, 0.025),
            (1, 1.0, 0.25),
            (2, 4.3027, 0.025),
            (3, 3.1824, 0.025),
            (4, 2.7764, 0.025),
            (4, 3.7469, 0.01),
            (9, 2.2622, 0.025),
            (30, 2.0423, 0.025),
            (999, 1.9623, 0.025),
            (999, 3.0984, 0.001),
        ] {
            let found = student(t, freedom);
            assert!(
                (found / beyond - 1.0).abs() < 1e-3,
                "{freedom} {t}: {found}"
            );
        }
        assert!((student(0.0, 7) - 0.5).abs() < 1e-15);
        assert_eq!(student(f64::INFINITY, 4), 0.0);
    }

    #[test]
    fn differences_of_the_same_repetitions_decide() {
        let low = [1.0, 5.0, 9.0, 2.0];
        let high = [2.0, 6.1, 9.9, 3.0];
        assert_eq!(verdict(&low, &high), PaperVerdict::Holds);
        assert_eq!(verdict(&high, &low), PaperVerdict::Fails);
        assert_eq!(verdict(&low, &[2.0, 4.0, 10.0, 1.0]), PaperVerdict::Open);
        assert_eq!(verdict(&low, &[]), PaperVerdict::Open);
        assert_eq!(verdict(&low, &low), PaperVerdict::Open);
        assert_eq!(
            verdict(&[1.0], &[1.5]),
            PaperVerdict::Open,
            "one repetition"
        );
        assert_eq!(verdict(&[1.0, 1.0], &[1.5, 1.5]), PaperVerdict::Holds);
        // two standard errors of three repetitions are not rare
        assert_eq!(verdict(&[0.0; 3], &[1.0, 3.0, 2.0]), PaperVerdict::Open);
    }

    #[test]
    fn many_comparisons_have_as_many_occasions_to_fail_by_chance() {
        // t = 2.6 with 9 degrees of freedom: rarer than one in 40, not than one in 160
        let values: Vec<f64> = (0..10).map(|k| f64::from(k) - 4.5 + 2.5).collect();
        let reversed = Comparison::paired(&series(&values), &series(&[0.0; 10]));
        assert!(reversed.opposite_by_chance < CHANCE && reversed.opposite_by_chance > CHANCE / 4.0);
        assert_eq!(decide(&[reversed]).verdict, PaperVerdict::Fails);
        let four = decide(&[
            reversed,
            Comparison::OPEN,
            Comparison::OPEN,
            Comparison::OPEN,
        ]);
        assert_eq!((four.verdict, four.failed), (PaperVerdict::Open, 0));
        // all must be as claimed
        let held = Comparison::paired(&series(&[0.0; 10]), &series(&values));
        assert_eq!(decide(&[held, held]).verdict, PaperVerdict::Holds);
        let one = decide(&[held, Comparison::OPEN]);
        assert_eq!((one.verdict, one.held), (PaperVerdict::Open, 1));
        assert_eq!(decide(&[]).verdict, PaperVerdict::Open);
    }

    #[test]
    fn bounds_hold_in_each_repetition() {
        let found = Comparison::each_below(&series(&[1.0, 3.0]), &series(&[1.0, 2.0]));
        assert_eq!(decide(&found[..1]).verdict, PaperVerdict::Holds);
        let Decision { failed, held, .. } = decide(&found);
        assert_eq!((held, failed), (1, 1));
    }
}
