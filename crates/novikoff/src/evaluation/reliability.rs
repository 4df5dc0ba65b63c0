//! Whether probabilities come true: forecasts in bins, beside the share that came true.
//!
//! Ten bins of equal width, each with its lower end; 1 is in the last. Of two labels the forecasts are those of the positive one; of more,
//! those of every row and label. Calibration error: the mean over forecasts of the distance between the mean forecast of their bin and
//! the share of it that came true.
//! Paper: Naeini, Cooper, Hauskrecht 2015, Obtaining well calibrated probabilities using Bayesian binning.

/// How many bins there are.
const BINS: usize = 10;

/// Forecasts of about the same probability.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct ReliabilityBin {
    /// How many there are.
    pub count: u64,
    /// How many came true.
    pub came_true: u64,
    /// The sum of the probabilities.
    sum: f64,
}

impl ReliabilityBin {
    /// The mean forecast; none without forecasts.
    pub fn predicted(&self) -> Option<f64> {
        (self.count > 0).then(|| self.sum / self.count as f64)
    }

    /// The share that came true; none without forecasts.
    pub fn observed(&self) -> Option<f64> {
        (self.count > 0).then(|| self.came_true as f64 / self.count as f64)
    }
}

/// The curve.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Reliability {
    bins: [ReliabilityBin; BINS],
}

impl Reliability {
    /// A forecast of whether something is so.
    pub fn add(&mut self, probability: f64, truth: bool) {
        let at = (probability * BINS as f64) as usize;
        let bin = &mut self.bins[at.min(BINS - 1)];
        bin.count += 1;
        bin.came_true += u64::from(truth);
        bin.sum += probability;
    }

    /// The bins with where they begin and end, lowest first.
    pub fn bins(&self) -> impl Iterator<Item = (f64, f64, ReliabilityBin)> + '_ {
        let end = |k: usize| k as f64 / BINS as f64;
        let bins = self.bins.iter().enumerate();
        bins.map(move |(k, bin)| (end(k), end(k + 1), *bin))
    }

    /// The mean forecast, and the share that came true; none without forecasts.
    pub fn means(&self) -> Option<(f64, f64)> {
        let all: u64 = self.bins.iter().map(|bin| bin.count).sum();
        let came_true: u64 = self.bins.iter().map(|bin| bin.came_true).sum();
        let sum: f64 = self.bins.iter().map(|bin| bin.sum).sum();
        (all > 0).then(|| (sum / all as f64, came_true as f64 / all as f64))
    }

    /// The calibration error; 0 without forecasts.
    pub fn calibration_error(&self) -> f64 {
        let all: u64 = self.bins.iter().map(|bin| bin.count).sum();
        let away = |bin: &ReliabilityBin| (bin.sum - bin.came_true as f64).abs();
        self.bins.iter().map(away).sum::<f64>() / all.max(1) as f64
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::SplitMix64;

    #[test]
    fn a_case_by_hand() {
        let mut curve = Reliability::default();
        assert_eq!(curve.calibration_error(), 0.0);
        for (p, truth) in [(0.0, false), (0.05, true), (0.1, false), (1.0, true)] {
            curve.add(p, truth);
        }
        let bins: Vec<_> = curve.bins().collect();
        assert_eq!((bins[0].0, bins[0].1, bins[9].1), (0.0, 0.1, 1.0));
        assert_eq!(bins[0].2.predicted(), Some(0.025));
        assert_eq!(bins[0].2.observed(), Some(0.5));
        assert_eq!((bins[1].2.count, bins[9].2.count), (1, 1));
        assert_eq!(bins[5].2.predicted(), None);
        // (2/4) |0.025 - 0.5| + (1/4) 0.1 + (1/4) 0
        assert!((curve.calibration_error() - 0.2625).abs() < 1e-15);
    }

    #[test]
    fn the_bins_are_those_of_the_rows() {
        let mut random = SplitMix64::new(3);
        let rows: Vec<(f64, bool)> = (0..500)
            .map(|_| {
                let p = random.uniform();
                (p, random.uniform() < p * p)
            })
            .collect();
        let mut curve = Reliability::default();
        for &(p, truth) in &rows {
            curve.add(p, truth);
        }
        let mut error = 0.0;
        for (from, to, bin) in curve.bins() {
            let inside: Vec<_> = rows.iter().filter(|r| from <= r.0 && r.0 < to).collect();
            let n = inside.len() as f64;
            let mean = inside.iter().map(|r| r.0).sum::<f64>() / n;
            let share = inside.iter().filter(|r| r.1).count() as f64 / n;
            assert_eq!(bin.count, inside.len() as u64);
            assert!((bin.predicted().expect("rows") - mean).abs() < 1e-12);
            assert!((bin.observed().expect("rows") - share).abs() < 1e-12);
            error += n / 500.0 * (mean - share).abs();
        }
        assert!((curve.calibration_error() - error).abs() < 1e-12);
        assert!(error > 0.1);
    }
}
