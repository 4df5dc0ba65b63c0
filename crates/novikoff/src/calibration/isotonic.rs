//! Isotonic regression by pooling adjacent violators.
//!
//! Of all maps that rise with the margin, the one with the least squared distance to the rows' 0 and 1. Margins that
//! are equal are one point; neighbours whose means would fall are pooled until none does. Each pool keeps its
//! lowest and highest margin; between pools the map is a straight line, outside it is constant.
//! Cost: one sort, then O(rows).
//! Paper: Ayer et al. 1955; Zadrozny, Elkan 2002, Transforming classifier scores into accurate multiclass
//! probability estimates.

/// A rising map through points.
#[derive(Clone, Debug, PartialEq)]
pub struct Isotonic {
    /// Strictly rising.
    margins: Vec<f64>,
    /// Rising, within 0 and 1.
    probabilities: Vec<f64>,
}

struct PooledRows {
    low: f64,
    high: f64,
    rows: f64,
    positives: f64,
}

impl PooledRows {
    fn mean(&self) -> f64 {
        self.positives / self.rows
    }
}

impl Isotonic {
    /// Fitted on margins, and whether each row has the label.
    pub fn fit(rows: &[(f64, bool)]) -> Self {
        let mut sorted: Vec<(f64, bool)> = rows.iter().map(|&(m, has)| (m + 0.0, has)).collect();
        sorted.sort_unstable_by(|a, b| a.0.total_cmp(&b.0));
        let mut pools: Vec<PooledRows> = Vec::new();
        for tied in sorted.chunk_by(|a, b| a.0 == b.0) {
            let mut pool = PooledRows {
                low: tied[0].0,
                high: tied[0].0,
                rows: tied.len() as f64,
                positives: tied.iter().filter(|r| r.1).count() as f64,
            };
            while let Some(before) = pools.pop() {
                // whole numbers far below 2^53: the products are exact
                if before.positives * pool.rows < pool.positives * before.rows {
                    pools.push(before);
                    break;
                }
                pool.low = before.low;
                pool.rows += before.rows;
                pool.positives += before.positives;
            }
            pools.push(pool);
        }
        let (mut margins, mut probabilities) = (Vec::new(), Vec::new());
        for pool in &pools {
            margins.push(pool.low);
            probabilities.push(pool.mean());
            if pool.high > pool.low {
                margins.push(pool.high);
                probabilities.push(pool.mean());
            }
        }
        Isotonic {
            margins,
            probabilities,
        }
    }

    /// A map that gives every margin one probability.
    pub fn constant(probability: f64) -> Self {
        Isotonic {
            margins: vec![0.0],
            probabilities: vec![probability],
        }
    }

    /// From its points; None if they do not rise or are no probabilities.
    pub fn restore(margins: Vec<f64>, probabilities: Vec<f64>) -> Option<Self> {
        let sound = !margins.is_empty()
            && margins.len() == probabilities.len()
            && margins.iter().all(|m| m.is_finite())
            && margins.windows(2).all(|pair| pair[0] < pair[1])
            && probabilities.windows(2).all(|pair| pair[0] <= pair[1])
            && probabilities.iter().all(|p| (0.0..=1.0).contains(p));
        sound.then_some(Isotonic {
            margins,
            probabilities,
        })
    }

    /// The map that takes margins which are divided by `unit`.
    pub(super) fn in_units_of(mut self, unit: f64) -> Self {
        if unit != 1.0 {
            self.margins.iter_mut().for_each(|margin| *margin /= unit);
        }
        self
    }

    /// The margins of its points.
    pub fn margins(&self) -> &[f64] {
        &self.margins
    }

    /// The probabilities of its points.
    pub fn probabilities(&self) -> &[f64] {
        &self.probabilities
    }

    /// The probability at a margin.
    pub fn probability(&self, margin: f64) -> f64 {
        let (x, y) = (&self.margins, &self.probabilities);
        let after = x.partition_point(|&m| m <= margin);
        if after == 0 {
            return y[0];
        }
        if after == x.len() {
            return y[after - 1];
        }
        let (low, high) = (y[after - 1], y[after]);
        // halves, for the distance of two margins may overflow
        let share = (margin / 2.0 - x[after - 1] / 2.0) / (x[after] / 2.0 - x[after - 1] / 2.0);
        (low + (high - low) * share).clamp(low, high)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::SplitMix64;

    /// scikit-learn: IsotonicRegression on x = 1..6, y = 0 1 0 1 1 0 fits 0, 1/2, 1/2, 2/3, 2/3, 2/3.
    #[test]
    fn six_rows_by_hand() {
        let labels = [false, true, false, true, true, false];
        let rows: Vec<(f64, bool)> = (1..).map(f64::from).zip(labels).collect();
        let fit = Isotonic::fit(&rows);
        assert_eq!(fit.margins(), [1.0, 2.0, 3.0, 4.0, 6.0]);
        let two_thirds = 2.0 / 3.0;
        assert_eq!(fit.probabilities(), [0.0, 0.5, 0.5, two_thirds, two_thirds]);
        assert_eq!(fit.probability(1.5), 0.25);
        assert_eq!(fit.probability(-9.0), 0.0);
        assert_eq!(fit.probability(9.0), two_thirds);
        assert_eq!(fit.probability(5.0), two_thirds);
    }

    /// The value at the k-th distinct margin is the largest, over beginnings, of the smallest mean, over ends, of a
    /// stretch that contains it.
    #[test]
    fn it_is_the_max_min_formula() {
        let mut random = SplitMix64::new(17);
        for _ in 0..300 {
            let n = 1 + random.below(25);
            let rows: Vec<(f64, bool)> = (0..n)
                .map(|_| {
                    let m = random.below(10) as f64 - 4.0;
                    (m, random.uniform() < 0.5 + 0.1 * m)
                })
                .collect();
            let fit = Isotonic::fit(&rows);
            let mean = |low: f64, high: f64| {
                let inside = rows.iter().filter(|r| r.0 >= low && r.0 <= high);
                inside.clone().filter(|r| r.1).count() as f64 / inside.count() as f64
            };
            let margins: Vec<f64> = rows.iter().map(|r| r.0).collect();
            for &m in &margins {
                let of_low = |low: f64| {
                    let ends = margins.iter().filter(|&&high| high >= m);
                    ends.map(|&high| mean(low, high))
                        .fold(f64::INFINITY, f64::min)
                };
                let lows = margins.iter().filter(|&&low| low <= m);
                let expected = lows.map(|&low| of_low(low)).fold(0.0, f64::max);
                assert!((fit.probability(m) - expected).abs() < 1e-12);
            }
            let again = Isotonic::restore(fit.margins.clone(), fit.probabilities.clone());
            assert_eq!(again, Some(fit));
        }
    }

    #[test]
    fn far_margins_stay_probabilities() {
        let fit = Isotonic::fit(&[
            (-f64::MAX, false),
            (f64::MAX, true),
            (0.0, true),
            (0.0, false),
        ]);
        for m in [-f64::MAX, -1e308, 0.0, 1.0, 1e308, f64::MAX] {
            assert!((0.0..=1.0).contains(&fit.probability(m)), "{m}");
        }
        assert_eq!(fit.probability(0.0), 0.5);
    }
}
