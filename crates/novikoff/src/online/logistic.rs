//! Online logistic regression without parameters, after ScInOL (Kempka, Kotlowski, Warmuth 2019).
//!
//! Each feature has a bettor with a wealth of its own, and the sum of the bets is the log-odds of the positive class. To multiply a feature by a number
//! changes no probability. Where rows have the constant feature, each feature of the first such row has a second bettor, whose value is its difference
//! from that row, `b_0 x_j - b_j x_0` where b is that row: a column far from 0 is learned as fast as one around it.
//! Update: on every trial, with `g = c x_j`, `c = y/(1 + e^(y w.x))`: `W <- W + g w_j`, `G <- G + g`, `S <- S + g^2`, from `W = 1`, `G = S = 0`; then
//! `w_j = W v`, v being `G/(2 (S + M^2))` cut to at most `1/(2M)` in size, M the largest `|x_j|` so far. M has the row before the prediction is made.
//! A row's weight multiplies c, and if it is above 1, M's `|x_j|` too.
//! Cost: O(nnz + n) per trial, n the features of the first row if there is a constant feature, else 0; O(d) memory.
//! Bound: `m ln 2 <= (log loss of U) + sum_j (1 + (|U_j|/z)(ln(|U_j|/z) - 1 + z^2 (S + M^2) + R))` for any `0 < z <= 1/(2M)`, one per feature;
//! `R <= ln((S + M^2)/M_1^2)`, `M_1` being the first `|x_j|`; a feature that U does not use counts `1 - e^-R` (`certificate/logistic.rs`).
//! Paper: Kempka, Kotlowski and Warmuth, ICML 2019; docs/theory/logistic.md; LR.

use crate::label::Label;
use crate::learner::{Memory, Rule, TrialRow};
use crate::row::Row;
use crate::space::{Lane, Primal, grow};
use crate::state::{State, StateError};

/// Online logistic regression.
#[derive(Clone, Copy, Debug)]
pub struct Logistic;

/// Who bets on one feature, or on one difference.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Bettor {
    /// M: the largest size of a value so far.
    pub largest: f64,
    /// G: the sum of the slopes `g`.
    gain: f64,
    /// S: the sum of their squares.
    pub squares: f64,
    /// W.
    wealth: f64,
    /// `W v`: the weight of the feature, which follows from the others.
    weight: f64,
}

impl Bettor {
    /// Before the first row.
    const NEW: Bettor = Bettor {
        largest: 0.0,
        gain: 0.0,
        squares: 0.0,
        wealth: 1.0,
        weight: 0.0,
    };

    /// Takes notice of a value's size; true if none was as large.
    pub fn widen(&mut self, size: f64) -> bool {
        let is_larger = size > self.largest;
        if is_larger {
            self.largest = size;
            self.weight = self.wealth * self.fraction();
        }
        is_larger
    }

    /// `S + M^2`.
    pub fn room(&self) -> f64 {
        self.squares + self.largest * self.largest
    }

    /// v: what part of the wealth is bet on a value of 1.
    pub fn fraction(&self) -> f64 {
        let room = self.room();
        if room > 0.0 {
            let bet = self.gain / (2.0 * room);
            // few bets come near the largest one: the second division is seldom made
            if bet.abs() * self.largest < 0.49 {
                return bet;
            }
            let most = 0.5 / self.largest;
            bet.clamp(-most, most)
        } else {
            0.0
        }
    }

    /// Pays out.
    fn settle(&mut self, g: f64) {
        self.wealth += g * self.weight;
        self.gain += g;
        self.squares += g * g;
        self.weight = self.wealth * self.fraction();
    }

    fn numbers(&self) -> [f64; 4] {
        [self.largest, self.gain, self.squares, self.wealth]
    }

    /// From [`numbers`](Self::numbers), if they can be a bettor's.
    fn from_numbers(numbers: &[f64]) -> Option<Self> {
        let &[largest, gain, squares, wealth] = numbers else {
            return None;
        };
        let mut bettor = Bettor {
            largest,
            gain,
            squares,
            wealth,
            weight: 0.0,
        };
        bettor.weight = wealth * bettor.fraction();
        (largest >= 0.0 && squares >= 0.0 && wealth >= 0.0).then_some(bettor)
    }
}

/// How far a feature is from that of the row that others are compared with.
#[derive(Clone, Copy, Debug)]
pub struct Difference {
    /// `b_j`.
    pub base: f64,
    /// Who bets on it.
    pub bettor: Bettor,
}

/// The bettors of one class.
#[derive(Clone, Debug, Default)]
pub struct Bets {
    /// By slot.
    pub features: Vec<Bettor>,
    /// The slots that have a difference, in rising order.
    pub compared: Vec<u32>,
    /// In the same order.
    pub differences: Vec<Difference>,
    /// `b_0`; 0 while there is no row to compare with.
    pub constant: f64,
}

impl Bets {
    /// The first row with the constant feature and others is the one that rows are compared with.
    pub fn compare_with(&mut self, x: Row<'_>) {
        let constant = constant(x);
        if self.compared.is_empty() && constant != 0.0 {
            for (j, base) in x.iter().filter(|(j, value)| *j > 0 && *value != 0.0) {
                self.compared.push(j as u32);
                let bettor = Bettor::NEW;
                self.differences.push(Difference { base, bettor });
                self.constant = constant;
            }
        }
    }

    /// Visits the bettors of a row with their values: those of features by slot, those of differences after all of them.
    pub fn each(&mut self, x: Row<'_>, mut visit: impl FnMut(usize, &mut Bettor, f64)) {
        let (constant, slots) = (constant(x), self.features.len());
        let (features, differences) = (&mut self.features, &mut self.differences);
        let base = self.constant;
        walk(x, &self.compared, |slot, value, compared| {
            if value != 0.0 {
                visit(slot, &mut features[slot], value);
            }
            if let Some(k) = compared {
                let difference = &mut differences[k];
                let value = base * value - difference.base * constant;
                if value != 0.0 {
                    visit(slots + k, &mut difference.bettor, value);
                }
            }
        });
    }

    /// Pays out `c` times the values of a row, and puts the weights of its bettors in force.
    pub(crate) fn settle(&mut self, x: Row<'_>, c: f64, w: &mut Lane<'_, Primal>) {
        let (constant, base) = (constant(x), self.constant);
        let (features, differences) = (&mut self.features, &mut self.differences);
        let mut offset = 0.0;
        walk(x, &self.compared, |slot, value, compared| {
            let own = &mut features[slot];
            if c * value != 0.0 {
                own.settle(c * value);
            }
            if slot == 0 {
                return;
            }
            let mut weight = own.weight;
            if let Some(k) = compared {
                let difference = &mut differences[k];
                let g = c * (base * value - difference.base * constant);
                if g != 0.0 {
                    difference.bettor.settle(g);
                }
                offset += difference.base * difference.bettor.weight;
                weight += base * difference.bettor.weight;
            }
            w.set(slot, weight);
        });
        if let Some(constant) = features.first() {
            w.set(0, constant.weight - offset);
        }
    }
}

/// The value of slot 0.
pub fn constant(x: Row<'_>) -> f64 {
    match x.iter().next() {
        Some((0, value)) => value,
        _ => 0.0,
    }
}

/// Visits the slots of a row and those that are compared, each once and in order: slot, value, and its place among the latter.
#[inline]
pub fn walk(x: Row<'_>, compared: &[u32], mut visit: impl FnMut(usize, f64, Option<usize>)) {
    let mut next = 0;
    for (slot, value) in x.iter() {
        while next < compared.len() && (compared[next] as usize) < slot {
            visit(compared[next] as usize, 0.0, Some(next));
            next += 1;
        }
        if next < compared.len() && compared[next] as usize == slot {
            visit(slot, value, Some(next));
            next += 1;
        } else {
            visit(slot, value, None);
        }
    }
    for (k, slot) in compared.iter().enumerate().skip(next) {
        visit(*slot as usize, 0.0, Some(k));
    }
}

impl Rule<Primal> for Logistic {
    type State = Bets;

    const WEIGHTED: bool = true;

    fn start(&self, _planes: &Primal) -> Bets {
        Bets::default()
    }

    fn learn(
        &self,
        bets: &mut Bets,
        mut w: Lane<'_, Primal>,
        trial: TrialRow<'_>,
        y: Label,
    ) -> bool {
        let (x, mut margin) = (trial.x, trial.margin);
        bets.compare_with(x);
        let size = trial.weight.max(1.0);
        let mut moved = false;
        bets.each(x, |_, bettor, value| {
            moved |= bettor.widen(size * value.abs());
        });
        if moved {
            bets.settle(x, 0.0, &mut w);
            margin = w.inner(x);
            trial.prediction.margin.set(margin);
            trial.prediction.score.set(margin);
        }
        let c = trial.weight * slope(margin, y);
        if c == 0.0 {
            return moved;
        }
        bets.settle(x, c, &mut w);
        true
    }

    fn reach(&self, bets: &mut Bets, slots: usize) {
        grow(&mut bets.features, slots, Bettor::NEW);
    }

    fn memory(&self) -> &dyn Memory {
        self
    }

    fn kept_bytes(&self, bets: &Bets, _slots: usize) -> u128 {
        bets.compared.len() as u128 * 48
    }

    fn save<'a>(&self, bets: &'a Bets, out: &mut State<'a>) {
        let features = bets.features.iter().flat_map(Bettor::numbers);
        out.put_f64("bettors", features.collect::<Vec<f64>>());
        out.put_u32("compared", &bets.compared[..]);
        let differences = bets.differences.iter();
        let bases: Vec<f64> = differences.clone().map(|d| d.base).collect();
        out.put_f64("bases", bases);
        out.put_f64("base-constant", vec![bets.constant]);
        let bettors = differences.flat_map(|d| d.bettor.numbers());
        out.put_f64("difference-bettors", bettors.collect::<Vec<f64>>());
    }

    fn load(&self, planes: &Primal, from: &mut State<'static>) -> Result<Bets, StateError> {
        let slots = planes.slots();
        let features = bettors(from, "bettors", slots)?;
        let compared = from.take_u32("compared")?;
        let rises = compared.is_sorted_by(|a, b| a < b);
        let fits = |j: &u32| *j > 0 && (*j as usize) < slots;
        if !rises || !compared.iter().all(fits) {
            return Err(from.bad("compared", "not the slots of features in rising order"));
        }
        let bases = from.take_vector("bases", compared.len())?;
        let [constant] = from.take_scalars("base-constant")?;
        let bettors = bettors(from, "difference-bettors", compared.len())?;
        let pairs = bases.into_iter().zip(bettors);
        let difference = |(base, bettor)| Difference { base, bettor };
        Ok(Bets {
            features,
            compared,
            differences: pairs.map(difference).collect(),
            constant,
        })
    }
}

/// `y/(1 + e^(y m))`: how fast the log loss falls with the margin.
pub fn slope(margin: f64, y: Label) -> f64 {
    y.sign() / (1.0 + libm::exp(y.sign() * margin))
}

/// Takes this many bettors out of a state.
fn bettors(from: &mut State<'static>, name: &str, count: usize) -> Result<Vec<Bettor>, StateError> {
    let numbers = from.take_vector(name, count.saturating_mul(4))?;
    let all = numbers.chunks_exact(4).map(Bettor::from_numbers);
    let all: Option<Vec<Bettor>> = all.collect();
    all.ok_or_else(|| from.bad(name, "a size, a sum of squares or a wealth below 0"))
}

impl Memory for Logistic {
    fn state_bytes(&self, slots: usize) -> u128 {
        slots as u128 * 32
    }
}
