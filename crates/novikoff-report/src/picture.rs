//! What a run looked like, as values: curves, counts and weights that charts are drawn from.

use novikoff::evaluation::{Confusion, PrPoint};

use crate::plane::PlanePicture;

/// Where a run stood after some number of trials.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Moment {
    /// Trials of the run.
    pub trials: u64,
    /// Trials whose final label was wrong.
    pub mistakes: u64,
    /// Changes of state, summed over the classes.
    pub updates: u64,
    /// Rows that the vectors of a kernel's space are made of.
    pub stored: Option<u64>,
}

/// What a run looked like.
#[derive(Clone, Debug, Default)]
pub struct Picture {
    /// Online margins; none if there were no trials.
    pub margins: Option<Margins>,
    /// Which label was taken for which by the online predictions; none where rows have several.
    pub confusion: Option<Confusion>,
    /// How the online margins rank the rows; of binary problems.
    pub ranking: Option<RankingPicture>,
    /// The largest weights of each class, where features have weights.
    pub features: Vec<TopFeatures>,
    /// Points and lines, of a linear learner of two classes over two features.
    pub plane: Option<PlanePicture>,
    /// How many trials were drawn at random for margins and ranking, if not all scores were kept.
    pub sampled: Option<u64>,
}

/// Online margins on the right side (positive) and on the wrong one, in bins of equal width. What lies beyond the
/// first and the last edge is in the first and the last bin.
#[derive(Clone, Debug, PartialEq)]
pub struct Margins {
    /// The left edge of the first bin.
    pub from: f64,
    /// The width of a bin.
    pub width: f64,
    /// Trials that were right, bin by bin.
    pub right: Vec<u64>,
    /// Trials that were mistakes.
    pub wrong: Vec<u64>,
}

/// Precision and recall of the online margins.
#[derive(Clone, Debug, PartialEq)]
pub struct RankingPicture {
    /// Highest threshold first.
    pub curve: Vec<PrPoint>,
    /// Where precision equals recall.
    pub break_even: Option<f64>,
}

/// The largest weights of a class.
#[derive(Clone, Debug, PartialEq)]
pub struct TopFeatures {
    /// The class.
    pub class: String,
    /// Names and weights, largest magnitude first.
    pub weights: Vec<(String, f64)>,
    /// How many weights there are besides.
    pub others: u64,
}

/// How many bins a histogram of margins has.
const BINS: usize = 40;

/// One in this many margins lies beyond the edges, on either side.
const BEYOND: usize = 200;

impl Margins {
    /// From margins, and whether the trial was right; in any order.
    pub fn of(mut margins: Vec<(f64, bool)>) -> Option<Self> {
        margins.sort_unstable_by(|a, b| a.0.total_cmp(&b.0));
        let beyond = margins.len() / BEYOND;
        let low = margins.get(beyond)?.0.min(0.0);
        let high = margins[margins.len() - 1 - beyond].0.max(0.0);
        // zero is an edge, so that no bin has both signs
        let width = ((high - low) / (BINS - 1) as f64).max(f64::MIN_POSITIVE);
        let width = if width.is_finite() {
            width
        } else {
            f64::MAX / BINS as f64
        };
        let below = (-low / width).ceil();
        let mut found = Margins {
            from: -below * width,
            width,
            right: vec![0; BINS],
            wrong: vec![0; BINS],
        };
        for (margin, is_right) in margins {
            // a cast of what is out of range gives the nearest end
            let bin = ((margin / width).floor() + below) as usize;
            let counts = if is_right {
                &mut found.right
            } else {
                &mut found.wrong
            };
            counts[bin.min(BINS - 1)] += 1;
        }
        Some(found)
    }
}

/// The error of each stretch of about a twentieth of the run that ends at a moment: trials and rate.
pub(crate) fn recent_error(course: &[Moment]) -> Vec<(u64, f64)> {
    let back = (course.len() / 20).max(1);
    let ends = course.iter().enumerate().skip(back);
    ends.map(|(i, end)| (end.trials, rate(course[i - back], *end)))
        .collect()
}

/// The error of all trials so far: trials and rate.
pub(crate) fn error_so_far(course: &[Moment]) -> Vec<(u64, f64)> {
    let first = course.first().copied().unwrap_or_default();
    let ends = course.iter().skip(1);
    ends.map(|end| (end.trials, rate(first, *end))).collect()
}

fn rate(from: Moment, to: Moment) -> f64 {
    let trials = to.trials.saturating_sub(from.trials).max(1);
    to.mistakes.saturating_sub(from.mistakes) as f64 / trials as f64
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn margins_by_hand() {
        assert_eq!(Margins::of(Vec::new()), None);
        let margins = Margins::of(vec![(3.9, true), (-1.0, false), (0.0, true), (0.0, false)]);
        let margins = margins.expect("there are some");
        assert!((margins.width - 4.9 / 39.0).abs() < 1e-12);
        let zero = margins.right.iter().position(|c| *c > 0);
        assert_eq!(zero, margins.wrong.iter().rposition(|c| *c > 0));
        let zero = zero.expect("a margin of 0");
        assert!((margins.from + zero as f64 * margins.width).abs() < 1e-12);
        assert_eq!(margins.right.iter().sum::<u64>(), 2);
        assert_eq!(margins.wrong.iter().sum::<u64>(), 2);
        assert_eq!(margins.wrong[0], 1);
    }

    #[test]
    fn a_few_huge_margins_do_not_hide_the_others() {
        let usual = (0..1000).map(|i| (f64::from(i) / 1000.0, true));
        let list: Vec<_> = usual.chain([(1e300, true), (-1e300, false)]).collect();
        let margins = Margins::of(list).expect("there are some");
        assert!(margins.width < 0.1);
        assert_eq!(margins.right.iter().sum::<u64>(), 1001);
        assert_eq!(margins.wrong[0], 1);
        for value in [0.0, f64::MAX, 5e-324] {
            let margins = Margins::of(vec![(value, true), (-value, false)]).expect("some");
            assert!(margins.width > 0.0 && margins.from.is_finite(), "{value}");
            assert_eq!(margins.right.iter().sum::<u64>(), 1, "{value}");
        }
    }

    #[test]
    fn rates_of_a_course() {
        let moment = |trials, mistakes| Moment {
            trials,
            mistakes,
            ..Moment::default()
        };
        let course = [moment(0, 0), moment(2, 1), moment(4, 1), moment(5, 2)];
        assert_eq!(recent_error(&course), [(2, 0.5), (4, 0.0), (5, 1.0)]);
        assert_eq!(error_so_far(&course), [(2, 0.5), (4, 0.25), (5, 0.4)]);
        assert_eq!(error_so_far(&[]), []);
    }
}
