//! Rows in the order of their scores: what every threshold would do.
//!
//! Rows with the same score are on the same side of every threshold, so the curves have one point for each
//! distinct score. Cost: one sort.

/// Rows of one label by score: those with the label and those without, at or above each distinct score.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Ranking {
    /// Highest score first.
    steps: Vec<ThresholdStep>,
}

/// What the threshold at one score lets through.
#[derive(Clone, Copy, Debug, PartialEq)]
struct ThresholdStep {
    score: f64,
    true_positives: u64,
    false_positives: u64,
}

/// A point of the ROC curve: rows with `score >= threshold` are called positive.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RocPoint {
    /// Infinite at the first point, where no row is called positive.
    pub threshold: f64,
    /// Of the negatives, how many are called positive; 0 if there are none.
    pub false_positive_rate: f64,
    /// Of the positives, how many are called positive; 0 if there are none.
    pub true_positive_rate: f64,
}

/// A point of the precision-recall curve: rows with `score >= threshold` are called positive.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PrPoint {
    /// A score.
    pub threshold: f64,
    /// Of the positives, how many are called positive; 0 if there are none.
    pub recall: f64,
    /// Of those called positive, how many are.
    pub precision: f64,
}

fn rate(part: u64, whole: u64) -> f64 {
    if whole == 0 {
        0.0
    } else {
        part as f64 / whole as f64
    }
}

impl Ranking {
    /// From scores, and whether each row has the label. Scores are not NaN.
    pub fn new(mut rows: Vec<(f64, bool)>) -> Self {
        for (score, _) in &mut rows {
            *score += 0.0; // -0 is 0
        }
        rows.sort_unstable_by(|a, b| b.0.total_cmp(&a.0));
        let mut steps: Vec<ThresholdStep> = Vec::new();
        let (mut true_positives, mut false_positives) = (0, 0);
        for (score, is_positive) in rows {
            true_positives += u64::from(is_positive);
            false_positives += u64::from(!is_positive);
            let step = ThresholdStep {
                score,
                true_positives,
                false_positives,
            };
            match steps.last_mut() {
                Some(last) if last.score.total_cmp(&score).is_eq() => *last = step,
                _ => steps.push(step),
            }
        }
        Ranking { steps }
    }

    /// This order with scores in another unit: `unit` never falls. Scores that become equal stay apart.
    pub(super) fn in_unit(mut self, unit: impl Fn(f64) -> f64) -> Self {
        for step in &mut self.steps {
            step.score = unit(step.score);
        }
        self
    }

    /// Rows with the label.
    pub fn positives(&self) -> u64 {
        self.steps.last().map_or(0, |s| s.true_positives)
    }

    /// Rows without it.
    pub fn negatives(&self) -> u64 {
        self.steps.last().map_or(0, |s| s.false_positives)
    }

    /// The rows again, highest score first.
    pub fn rows(&self) -> Vec<(f64, bool)> {
        let mut rows = Vec::new();
        let mut before = (0, 0);
        for s in &self.steps {
            let positives = (s.true_positives - before.0) as usize;
            let negatives = (s.false_positives - before.1) as usize;
            rows.extend(std::iter::repeat_n((s.score, true), positives));
            rows.extend(std::iter::repeat_n((s.score, false), negatives));
            before = (s.true_positives, s.false_positives);
        }
        rows
    }

    /// From (0, 0) to (1, 1), highest threshold first.
    pub fn roc(&self) -> Vec<RocPoint> {
        let start = RocPoint {
            threshold: f64::INFINITY,
            false_positive_rate: 0.0,
            true_positive_rate: 0.0,
        };
        let (positives, negatives) = (self.positives(), self.negatives());
        let points = self.steps.iter().map(|s| RocPoint {
            threshold: s.score,
            false_positive_rate: rate(s.false_positives, negatives),
            true_positive_rate: rate(s.true_positives, positives),
        });
        std::iter::once(start).chain(points).collect()
    }

    /// Highest threshold first, recall rising.
    pub fn precision_recall(&self) -> Vec<PrPoint> {
        let positives = self.positives();
        let point = |s: &ThresholdStep| PrPoint {
            threshold: s.score,
            recall: rate(s.true_positives, positives),
            precision: rate(s.true_positives, s.true_positives + s.false_positives),
        };
        self.steps.iter().map(point).collect()
    }

    /// The area under the ROC curve: the chance that a positive row scores above a negative one, ties counting
    /// a half. None without positives or without negatives.
    pub fn auc(&self) -> Option<f64> {
        let pairs = u128::from(self.positives()) * u128::from(self.negatives());
        if pairs == 0 {
            return None;
        }
        let mut twice: u128 = 0;
        let mut before = (0, 0);
        for s in &self.steps {
            let (above, new) = (before.0 + s.true_positives, s.false_positives - before.1);
            twice += u128::from(above) * u128::from(new);
            before = (s.true_positives, s.false_positives);
        }
        Some(twice as f64 / (2 * pairs) as f64)
    }

    /// The mean over the positives of the precision at their scores: the sum of (rise of recall) x precision,
    /// without interpolation, as scikit-learn defines it. None without positives.
    pub fn average_precision(&self) -> Option<f64> {
        let positives = self.positives();
        if positives == 0 {
            return None;
        }
        let mut sum = 0.0;
        let mut before = 0;
        for s in &self.steps {
            let precision = rate(s.true_positives, s.true_positives + s.false_positives);
            sum += (s.true_positives - before) as f64 * precision;
            before = s.true_positives;
        }
        Some(sum / positives as f64)
    }

    /// Where precision equals recall, the usual measure of text classification. With P positives both are the
    /// same when P rows are called positive, and then are the share of positives among the P highest. If the
    /// P-th row is tied with the next, the positives of the tie are spread evenly over it. None without positives.
    pub fn break_even(&self) -> Option<f64> {
        let positives = self.positives();
        if positives == 0 {
            return None;
        }
        let (mut called, mut hit) = (0, 0);
        for s in &self.steps {
            let next = s.true_positives + s.false_positives;
            if next >= positives {
                let share = (positives - called) as f64 / (next - called) as f64;
                let hits = hit as f64 + share * (s.true_positives - hit) as f64;
                return Some(hits / positives as f64);
            }
            (called, hit) = (next, s.true_positives);
        }
        None
    }
}

/// A point to be drawn.
pub trait CurvePoint: Copy {
    /// Its place in the unit square.
    fn place(self) -> (f64, f64);
}

impl CurvePoint for RocPoint {
    fn place(self) -> (f64, f64) {
        (self.false_positive_rate, self.true_positive_rate)
    }
}

impl CurvePoint for PrPoint {
    fn place(self) -> (f64, f64) {
        (self.recall, self.precision)
    }
}

/// At most `most` points (at least two) of a curve, evenly along its length (|dx| + |dy|), both ends included.
/// A curve that has no more is unchanged.
pub fn thinned<P: CurvePoint>(points: &[P], most: usize) -> Vec<P> {
    let most = most.max(2);
    if points.len() <= most {
        return points.to_vec();
    }
    let step = |pair: &[P]| {
        let ((x0, y0), (x1, y1)) = (pair[0].place(), pair[1].place());
        (x1 - x0).abs() + (y1 - y0).abs()
    };
    let length: f64 = points.windows(2).map(step).sum();
    let mut kept = vec![points[0]];
    let mut gone = 0.0;
    for pair in points.windows(2) {
        gone += step(pair);
        let due = length * kept.len() as f64 / (most - 1) as f64;
        if gone >= due && kept.len() < most - 1 {
            kept.push(pair[1]);
        }
    }
    if let Some(&last) = points.last() {
        kept.push(last);
    }
    kept
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::SplitMix64;

    /// scikit-learn's example of `roc_auc_score` and `average_precision_score`.
    fn four() -> Ranking {
        Ranking::new(vec![(0.1, false), (0.4, false), (0.35, true), (0.8, true)])
    }

    #[test]
    fn the_example_of_scikit_learn() {
        let ranking = four();
        assert_eq!(ranking.auc(), Some(0.75));
        let ap = ranking.average_precision().expect("positives");
        assert!((ap - 5.0 / 6.0).abs() < 1e-15);
        let rates: Vec<(f64, f64)> = ranking.roc().into_iter().map(CurvePoint::place).collect();
        assert_eq!(
            rates,
            [(0.0, 0.0), (0.0, 0.5), (0.5, 0.5), (0.5, 1.0), (1.0, 1.0)]
        );
        let pr: Vec<(f64, f64)> = ranking
            .precision_recall()
            .into_iter()
            .map(CurvePoint::place)
            .collect();
        assert_eq!(pr, [(0.5, 1.0), (0.5, 0.5), (1.0, 2.0 / 3.0), (1.0, 0.5)]);
        assert_eq!(ranking.break_even(), Some(0.5));
    }

    #[test]
    fn ties_are_one_point() {
        let ranking = Ranking::new(vec![(0.0, true), (-0.0, false), (1.0, true), (-1.0, false)]);
        assert_eq!(ranking.precision_recall().len(), 3);
        assert_eq!(ranking.auc(), Some(0.875));
        // two positives: the second place is shared by one positive and one negative
        assert_eq!(ranking.break_even(), Some(0.75));
        let same = Ranking::new(vec![(3.0, true), (3.0, false), (3.0, false), (3.0, false)]);
        assert_eq!(same.auc(), Some(0.5));
        assert_eq!(same.average_precision(), Some(0.25));
        assert_eq!(same.break_even(), Some(0.25));
    }

    #[test]
    fn one_kind_of_row_has_no_area() {
        let none = Ranking::new(Vec::new());
        assert_eq!(
            (none.auc(), none.average_precision(), none.break_even()),
            (None, None, None)
        );
        assert_eq!((none.roc().len(), none.precision_recall().len()), (1, 0));
        let negative = Ranking::new(vec![(1.0, false)]);
        assert_eq!(
            (
                negative.auc(),
                negative.average_precision(),
                negative.break_even()
            ),
            (None, None, None)
        );
        let positive = Ranking::new(vec![(1.0, true), (2.0, true)]);
        assert_eq!(positive.auc(), None);
        assert_eq!(positive.average_precision(), Some(1.0));
        assert_eq!(positive.break_even(), Some(1.0));
        let last = positive.roc().pop().expect("a point");
        assert_eq!(last.place(), (0.0, 1.0));
    }

    /// Few distinct scores, so that many are tied.
    fn random_rows(random: &mut SplitMix64) -> Vec<(f64, bool)> {
        let (n, distinct) = (1 + random.below(40), 1 + random.below(12));
        (0..n)
            .map(|_| {
                let score = random.below(distinct) as f64 - 3.0;
                (score, random.uniform() < 0.3 + 0.05 * score)
            })
            .collect()
    }

    #[test]
    fn measures_equal_their_definitions() {
        let mut random = SplitMix64::new(11);
        for _ in 0..500 {
            let rows = random_rows(&mut random);
            let ranking = Ranking::new(rows.clone());
            let of = |wanted: bool| -> Vec<f64> {
                rows.iter().filter(|r| r.1 == wanted).map(|r| r.0).collect()
            };
            let (positives, negatives) = (of(true), of(false));
            let mut pairs = 0.0;
            for p in &positives {
                for n in &negatives {
                    pairs += if p > n {
                        1.0
                    } else if p == n {
                        0.5
                    } else {
                        0.0
                    };
                }
            }
            let count = (positives.len() * negatives.len()) as f64;
            match ranking.auc() {
                Some(auc) => assert!((auc - pairs / count).abs() < 1e-12),
                None => assert_eq!(count, 0.0),
            }
            // each point of the curves by counting rows
            for (roc, pr) in ranking.roc()[1..].iter().zip(ranking.precision_recall()) {
                assert_eq!(roc.threshold, pr.threshold);
                let over = |rows: &[f64]| rows.iter().filter(|s| **s >= roc.threshold).count();
                let (tp, fp) = (over(&positives) as f64, over(&negatives) as f64);
                let share = |a: f64, b: usize| if b == 0 { 0.0 } else { a / b as f64 };
                assert_eq!(roc.true_positive_rate, share(tp, positives.len()));
                assert_eq!(roc.false_positive_rate, share(fp, negatives.len()));
                assert_eq!(pr.recall, roc.true_positive_rate);
                assert_eq!(pr.precision, tp / (tp + fp));
            }
            if positives.is_empty() {
                continue;
            }
            let precision = |t: f64| {
                let called = rows.iter().filter(|r| r.0 >= t).count();
                let right = positives.iter().filter(|s| **s >= t).count();
                right as f64 / called as f64
            };
            let mean: f64 =
                positives.iter().map(|&s| precision(s)).sum::<f64>() / positives.len() as f64;
            assert!((ranking.average_precision().expect("positives") - mean).abs() < 1e-12);
            // the mean over orders of the tied rows of the hits among the first P
            let last = {
                let mut scores: Vec<f64> = rows.iter().map(|r| r.0).collect();
                scores.sort_by(|a, b| b.total_cmp(a));
                scores[positives.len() - 1]
            };
            let above = rows.iter().filter(|r| r.0 > last).count();
            let sure = positives.iter().filter(|s| **s > last).count();
            let tied = rows.iter().filter(|r| r.0 == last).count();
            let tied_positives = positives.iter().filter(|s| **s == last).count();
            let shared = (positives.len() - above) as f64 * tied_positives as f64 / tied as f64;
            let expected = (sure as f64 + shared) / positives.len() as f64;
            assert!((ranking.break_even().expect("positives") - expected).abs() < 1e-12);
        }
    }

    #[test]
    fn a_thinned_curve_stays_near() {
        let mut random = SplitMix64::new(3);
        let rows: Vec<(f64, bool)> = (0..20_000)
            .map(|_| {
                let positive = random.uniform() < 0.5;
                (
                    random.uniform() + f64::from(u8::from(positive)) * 0.3,
                    positive,
                )
            })
            .collect();
        let ranking = Ranking::new(rows);
        let whole = ranking.roc();
        let few = thinned(&whole, 300);
        assert!(few.len() <= 300 && few.len() > 250, "{}", few.len());
        assert_eq!(few.first(), whole.first());
        assert_eq!(few.last(), whole.last());
        for pair in few.windows(2) {
            let ((x0, y0), (x1, y1)) = (pair[0].place(), pair[1].place());
            assert!(x1 >= x0 && y1 >= y0 && x1 - x0 + y1 - y0 < 0.02);
        }
        assert_eq!(thinned(&whole[..10], 10), &whole[..10]);
        assert_eq!(thinned(&whole, 0).len(), 2);
    }
}
