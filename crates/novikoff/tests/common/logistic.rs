//! Online logistic regression as its definition says (docs/theory/logistic.md): every bettor keeps all it ever saw, and sums it up again for each bet.

use novikoff::learner::Hypothesis;

use super::definition::{Definition, Judgement};
use super::matrix::dot;

/// One bettor.
#[derive(Clone, Debug, Default)]
pub(crate) struct Bettor {
    /// Sizes of its values, times the weight where that is above 1.
    sizes: Vec<f64>,
    /// g and the weight of each trial that was learned from.
    pub(crate) bets: Vec<(f64, f64)>,
}

impl Bettor {
    /// M.
    pub(crate) fn largest(&self) -> f64 {
        self.sizes.iter().fold(0.0, |m, s| s.max(m))
    }

    /// The first size that is not 0.
    pub(crate) fn first(&self) -> f64 {
        self.sizes.iter().copied().find(|s| *s > 0.0).unwrap_or(0.0)
    }

    /// `S + M^2`.
    pub(crate) fn room(&self) -> f64 {
        let squares: f64 = self.bets.iter().map(|(g, _)| g * g).sum();
        squares + self.largest().powi(2)
    }

    pub(crate) fn wealth(&self) -> f64 {
        1.0 + self.bets.iter().map(|(g, w)| g * w).sum::<f64>()
    }

    pub(crate) fn gain(&self) -> f64 {
        self.bets.iter().map(|(g, _)| g).sum()
    }

    fn weight(&self) -> f64 {
        if self.largest() == 0.0 {
            return 0.0;
        }
        let most = 1.0 / (2.0 * self.largest());
        let fraction = self.gain() / (2.0 * self.room());
        self.wealth() * fraction.max(-most).min(most)
    }
}

/// The learner: bettors of features by slot, and those of differences from a row with what that has in their slot.
pub(crate) struct Logistic {
    pub(crate) features: Vec<Bettor>,
    pub(crate) differences: Vec<(usize, f64, Bettor)>,
    /// What that row has in slot 0.
    pub(crate) constant: f64,
    /// The weight of the next row.
    pub(crate) weight: f64,
    /// `sum |w| |x|` at most so far.
    size: f64,
}

impl Logistic {
    pub(crate) fn new(slots: usize) -> Self {
        Logistic {
            features: vec![Bettor::default(); slots],
            differences: Vec::new(),
            constant: 0.0,
            weight: 1.0,
            size: 0.0,
        }
    }

    /// All bettors with their values of a row.
    fn all<'a>(&'a mut self, x: &'a [f64]) -> impl Iterator<Item = (&'a mut Bettor, f64)> {
        let features = self.features.iter_mut().zip(x.iter().copied());
        let differences = self.differences.iter_mut();
        let constant = self.constant;
        let value = move |j: usize, base: f64| constant * x[j] - base * x[0];
        features.chain(differences.map(move |(j, base, bettor)| (bettor, value(*j, *base))))
    }
}

impl Definition for Logistic {
    fn judge(&mut self, x: &[f64], _y: f64) -> Judgement {
        if self.differences.is_empty() && x[0] != 0.0 {
            let others = x.iter().enumerate().skip(1).filter(|(_, v)| **v != 0.0);
            let difference = |(j, v): (usize, &f64)| (j, *v, Bettor::default());
            self.differences = others.map(difference).collect();
            self.constant = x[0];
        }
        let times = self.weight.max(1.0);
        let (mut margin, mut scale) = (0.0, 0.0);
        for (bettor, value) in self.all(x) {
            bettor.sizes.push(times * value.abs());
            margin += bettor.weight() * value;
            scale += bettor.weight().abs() * value.abs();
        }
        self.size = self.size.max(scale);
        Judgement {
            margin,
            scale: self.size,
            // but for slopes too small for a number
            updates: true,
            edge: 0.0,
        }
    }

    fn learn(&mut self, x: &[f64], y: f64, update: bool) {
        if !update {
            return;
        }
        let margin: f64 = self.all(x).map(|(bettor, v)| bettor.weight() * v).sum();
        let c = self.weight * y / (1.0 + (y * margin).exp());
        for (bettor, value) in self.all(x) {
            let weight = bettor.weight();
            bettor.bets.push((c * value, weight));
        }
    }

    fn weights(&self) -> Vec<f64> {
        let mut w: Vec<f64> = self.features.iter().map(Bettor::weight).collect();
        for (j, base, bettor) in &self.differences {
            w[*j] += self.constant * bettor.weight();
            w[0] -= base * bettor.weight();
        }
        w
    }

    fn score(&self, x: &[f64], _by: Hypothesis) -> (f64, f64) {
        let w = self.weights();
        let size = w.iter().zip(x).map(|(w, x)| (w * x).abs()).sum::<f64>();
        (dot(&w, x), size.max(self.size))
    }
}
