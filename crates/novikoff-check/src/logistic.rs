//! Online logistic regression: LR, by a run of the learner. Theory: docs/theory/logistic.md.

use std::collections::BTreeMap;

use crate::Row;
use crate::view::{Said, TrialView, View};

/// A margin this near to 0 may have either sign.
const TIE: f64 = 1e-9;

/// What one bettor has: M, G, S and W, the first value's size, and R.
#[derive(Clone, Copy, Default)]
struct Bettor {
    largest: f64,
    gain: f64,
    squares: f64,
    /// W - 1.
    won: f64,
    first: f64,
    shortfall: f64,
}

impl Bettor {
    fn room(&self) -> f64 {
        self.squares + self.largest * self.largest
    }

    /// v.
    fn fraction(&self) -> f64 {
        if self.largest == 0.0 {
            return 0.0;
        }
        let most = 1.0 / (2.0 * self.largest);
        (self.gain / (2.0 * self.room())).max(-most).min(most)
    }

    fn weight(&self) -> f64 {
        (1.0 + self.won) * self.fraction()
    }

    fn notice(&mut self, value: f64) {
        self.largest = self.largest.max(value.abs());
        if self.first == 0.0 {
            self.first = value.abs();
        }
    }

    fn settle(&mut self, g: f64) {
        let v = self.fraction();
        self.won += g * self.weight();
        self.gain += g;
        self.squares += g * g;
        if self.largest > 0.0 {
            let turn = g * (1.0 - 2.0 * v * g);
            self.shortfall += turn * turn / (4.0 * self.room());
        }
    }

    /// `1 + (|u|/z)(ln(|u|/z) - 1 + z^2 (S + M^2) + R)`, for the best z up to `1/(2M)`; `1 - e^-R` for 0.
    fn regret(&self, u: f64, shortfall: f64) -> f64 {
        if self.largest == 0.0 {
            return 0.0;
        }
        if u == 0.0 {
            return 1.0 - libm::exp(-shortfall);
        }
        let at = |log: f64| {
            let z = libm::exp(log);
            let times = u.abs() / z;
            1.0 + times * (libm::log(times) - 1.0 + z * z * self.room() + shortfall)
        };
        // it falls and then rises with ln z
        let most = libm::log(1.0 / (2.0 * self.largest));
        let (mut low, mut high) = (most - 60.0, most);
        for _ in 0..100 {
            let third = (high - low) / 3.0;
            if at(low + third) < at(high - third) {
                high -= third;
            } else {
                low += third;
            }
        }
        at(f64::midpoint(low, high)).min(at(most))
    }
}

/// The bettors of a run: of features by slot, and of differences from a row, with what that has, by slot.
#[derive(Default)]
struct Bettors {
    features: BTreeMap<usize, Bettor>,
    differences: BTreeMap<usize, (f64, Bettor)>,
    /// The constant feature of that row.
    constant: f64,
    compares_from_first: bool,
}

impl Bettors {
    /// Calls a function with every bettor and its value of a row.
    fn each(&mut self, x: &Row, mut call: impl FnMut(&mut Bettor, f64)) {
        for (slot, value) in x {
            call(self.features.entry(*slot).or_default(), *value);
        }
        for (slot, (base, bettor)) in &mut self.differences {
            call(
                bettor,
                self.constant * value(x, *slot) - *base * value(x, 0),
            );
        }
    }

    fn trial(&mut self, t: &TrialView<'_>, is_first: bool) -> f64 {
        let constant = value(t.x, 0);
        if self.differences.is_empty() && constant != 0.0 {
            let others =
                t.x.iter()
                    .filter(|(slot, value)| *slot > 0 && *value != 0.0);
            let new = |(slot, base): &(usize, f64)| (*slot, (*base, Bettor::default()));
            self.differences = others.map(new).collect();
            self.constant = constant;
            self.compares_from_first = is_first && !self.differences.is_empty();
        }
        let mut margin = 0.0;
        self.each(t.x, |bettor, value| {
            bettor.notice(value);
            margin += bettor.weight() * value;
        });
        let c = t.y / (1.0 + libm::exp(t.y * margin));
        self.each(t.x, |bettor, value| bettor.settle(c * value));
        margin
    }

    /// The sum of all regrets for U, whose part of a feature with a difference may be all that of the difference.
    fn regret(&self, u: &[f64], r: impl Fn(&Bettor) -> f64) -> f64 {
        let of = |slot: usize| u.get(slot).copied().unwrap_or(0.0);
        let sum = |by_differences: bool| -> f64 {
            let mut constant = of(0);
            let mut sum = 0.0;
            for (slot, (base, bettor)) in &self.differences {
                let own = if by_differences {
                    of(*slot) / self.constant
                } else {
                    0.0
                };
                constant += base * own;
                sum += bettor.regret(own, r(bettor));
            }
            for (slot, bettor) in &self.features {
                let own = match slot {
                    0 => constant,
                    slot if by_differences && self.differences.contains_key(slot) => 0.0,
                    slot => of(*slot),
                };
                sum += bettor.regret(own, r(bettor));
            }
            sum
        };
        if self.compares_from_first {
            sum(false).min(sum(true))
        } else {
            sum(false)
        }
    }
}

fn value(x: &Row, slot: usize) -> f64 {
    let found = x.iter().find(|(other, _)| *other == slot);
    found.map_or(0.0, |(_, value)| *value)
}

/// LR: `m ln 2 <= sum ln(1 + e^(-y U.x)) + sum of regrets`.
pub(crate) fn bound(view: &View<'_>) -> Result<Said, String> {
    let u = view.weights()?;
    let mut bettors = Bettors::default();
    let mut log_loss = 0.0;
    for (k, t) in view.trials.iter().enumerate() {
        let margin = bettors.trial(t, k == 0);
        if (margin >= 0.0) != ((t.y > 0.0) != t.mistake) && margin.abs() > TIE {
            let row = t.row;
            return Err(format!(
                "row {row} had the log-odds {margin}, which was a mistake or was none other than is claimed"
            ));
        }
        let below = -t.y * t.value;
        log_loss += below.max(0.0) + libm::log1p(libm::exp(-below.abs()));
    }
    let regret = bettors.regret(u, |bettor| bettor.shortfall);
    let known = bettors.regret(u, |bettor| {
        2.0 * libm::log(bettor.room().sqrt() / bettor.first)
    });
    let two = core::f64::consts::LN_2;
    let mut said = Said::new(
        (log_loss + regret) / two,
        log_loss / two,
        "regret",
        view.norm(),
    );
    said.parts = vec![("log_loss", log_loss / two)];
    said.has_hinge = false;
    Ok(said.made_of(&[
        ("log_loss", log_loss),
        ("regret", regret),
        ("theorem", (log_loss + known) / two),
    ]))
}
