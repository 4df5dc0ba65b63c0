//! Second-order perceptron with a sketch of its matrix: frequent directions.
//!
//! Keeps at most 5m vectors B instead of the rows of all updates: m directions, and the rows that came since.
//! When they are 5m, the m main directions of `B'B` are kept, each shortened by the square of the next one's
//! length, and half of that square is added to a. While the updates are fewer than 5m this is the exact
//! algorithm. The weights are never written out: `w.x` comes from rows and directions.
//! Update: with `A = (a + al) I + B'B`, `w = A^-1 v` and `r = (w.x)/(1 + x'A^-1 x)`; iff `sgn(r) != y`, or
//! `tau > 0` and `y r <= tau`: `v <- v + y x`, append x to B. If B is full then: with `B'B = sum lam_i q_i q_i'`,
//! `B = (sqrt(lam_i - lam_{m+1}) q_i', i <= m)`, `al <- al + lam_{m+1}/2`.
//! Cost: O(m nnz) per right answer, O(m nnz + m^2) per update, and O(m^2 d + m^3) every 4m updates; O(m d) memory.
//! Bound: none of its own; `0 <= XX' - B'B <= 2 al I`, so the nearer to the exact form's the smaller al is.
//! Paper: Ghashami, Liberty, Phillips, Woodruff 2016 (frequent directions); Luo, Chen, Zhang, Li, Zhang 2019
//! (the half, "robust"); the form of Cesa-Bianchi, Conconi, Gentile 2005, section 3; docs/theory/second-order.md#sketch.

use super::augmented;
use crate::label::Label;
use crate::learner::{Hypothesis, Memory, Rule, TrialRow};
use crate::linalg;
use crate::online::perceptron::wants_update;
use crate::remedy::Remedy;
use crate::row::Row;
use crate::space::{Lane, Primal, StoredRows, grow};
use crate::state::{State, StateError};

/// The sketched form.
#[derive(Clone, Debug)]
pub(crate) struct SecondOrderSketch {
    /// The larger, the nearer to the perceptron; > 0.
    pub(crate) a: f64,
    /// tau: right answers with `y r` up to this are corrected too; 0 = mistakes only.
    pub(crate) margin: f64,
    /// m: directions kept, at least 1.
    pub(crate) rank: usize,
}

/// How many times m vectors there may be.
const FULL: usize = 5;

/// The share of the whole below which a part is only rounding.
const NOTHING: f64 = 1e-13;

/// One class. The vector w of its lane is `v - S'z`, S the rows and z their coefficients.
#[derive(Clone, Debug, Default)]
pub(crate) struct Sketch {
    v: Vec<f64>,
    /// D: how many directions, and their values, slot by slot; fewer than m until B has been full.
    count: usize,
    directions: Vec<f64>,
    /// S: the rows since.
    rows: StoredRows,
    /// The Cholesky factor of `(a + al) I + BB'`, row by row, directions first.
    factor: Vec<f64>,
    /// `B v`.
    products: Vec<f64>,
    /// `((a + al) I + BB')^-1 B v`: what w takes of each vector.
    taken: Vec<f64>,
    /// al.
    lost: f64,
    /// As many zeros as slots, but for a moment.
    spread: Vec<f64>,
}

impl Sketch {
    /// `D x`.
    fn along(&self, x: Row<'_>) -> Vec<f64> {
        let mut along = vec![0.0; self.count];
        for (slot, value) in x.iter() {
            let directions = self.directions.get(slot * self.count..).unwrap_or(&[]);
            for (along, d) in along.iter_mut().zip(directions) {
                *along += value * d;
            }
        }
        along
    }

    /// `w.x`, given the part that is not along the directions.
    fn score(&self, a: f64, inner: f64, x: Row<'_>) -> f64 {
        let mut along = 0.0;
        if self.count > 0 {
            for (slot, value) in x.iter() {
                let directions = self.directions.get(slot * self.count..).unwrap_or(&[]);
                let directions = &directions[..self.count.min(directions.len())];
                along += value * linalg::dot(directions, &self.taken);
            }
        }
        (inner - along) / (a + self.lost)
    }

    /// `B x`.
    fn all(&mut self, x: Row<'_>) -> Vec<f64> {
        let mut all = self.along(x);
        x.add_to(1.0, &mut self.spread);
        all.extend(self.rows.rows().map(|row| row.dot(&self.spread)));
        for (slot, _) in x.iter() {
            self.spread[slot] = 0.0;
        }
        all
    }

    /// Recomputes `taken`, and w with it.
    fn weigh(&mut self, w: &mut Lane<'_, Primal>) {
        let mut taken = self.products.clone();
        linalg::solve_lower(&self.factor, &mut taken);
        linalg::solve_upper(&self.factor, &mut taken);
        let before = self.taken[self.count..].iter().copied().chain([0.0]);
        for ((row, now), before) in self.rows.rows().zip(&taken[self.count..]).zip(before) {
            w.add(before - now, row);
        }
        self.taken = taken;
    }

    /// Keeps the main directions.
    fn shrink(&mut self, a: f64, rank: usize, w: &mut Lane<'_, Primal>) {
        let added = a + self.lost;
        let full = self.products.len();
        let column = |j: usize| {
            let entry = |i: usize| {
                if i < j {
                    0.0
                } else {
                    self.factor[i * (i + 1) / 2 + j]
                }
            };
            (0..full).map(entry).collect()
        };
        // of `added I + BB'`, whose factor there is
        let pairs = linalg::singular((0..full).map(column).collect());
        let value = |square: f64| {
            let value = square - added;
            if value > NOTHING * square { value } else { 0.0 }
        };
        let next = pairs.get(rank).map_or(0.0, |&(square, _)| value(square));
        self.lost += next / 2.0;
        let mut mixtures = Vec::new();
        self.factor.clear();
        let mut products = Vec::new();
        for (square, along) in pairs.into_iter().take(rank) {
            let kept = value(square) - next;
            if kept <= 0.0 {
                continue;
            }
            // along has the length of the singular value; B'along that times the direction's
            let scale = (kept / (value(square) * square)).sqrt();
            let mixture: Vec<f64> = along.into_iter().map(|c| scale * c).collect();
            products.push(linalg::dot(&mixture, &self.products));
            // the directions are orthogonal
            self.factor.resize(self.factor.len() + mixtures.len(), 0.0);
            self.factor.push((a + self.lost + kept).sqrt());
            mixtures.push(mixture);
        }
        self.mix(&mixtures);
        self.products = products;
        for (j, v) in self.v.iter().enumerate() {
            w.set(j, *v);
        }
        self.taken = vec![0.0; self.count];
        self.weigh(w);
    }

    /// Replaces the vectors by mixtures of them.
    fn mix(&mut self, mixtures: &[Vec<f64>]) {
        let (old, new) = (self.count, mixtures.len());
        let columns: Vec<Vec<f64>> = (0..old + self.rows.len())
            .map(|i| mixtures.iter().map(|mixture| mixture[i]).collect())
            .collect();
        let mut directions = vec![0.0; self.v.len() * new];
        if new > 0 && old > 0 {
            let was = self.directions.chunks_exact(old);
            for (out, was) in directions.chunks_exact_mut(new).zip(was) {
                for (value, column) in was.iter().zip(&columns) {
                    out.iter_mut()
                        .zip(column)
                        .for_each(|(out, c)| *out += value * c);
                }
            }
        }
        for (row, column) in self.rows.rows().zip(&columns[old..]) {
            for (slot, value) in row.iter() {
                let out = &mut directions[slot * new..(slot + 1) * new];
                out.iter_mut()
                    .zip(column)
                    .for_each(|(out, c)| *out += value * c);
            }
        }
        (self.count, self.directions) = (new, directions);
        self.rows = StoredRows::default();
    }
}

impl Rule<Primal> for SecondOrderSketch {
    type State = Sketch;

    const SCORES_BY_MARGIN: bool = false;

    fn start(&self, _planes: &Primal) -> Sketch {
        Sketch::default()
    }

    fn learn(
        &self,
        state: &mut Sketch,
        mut w: Lane<'_, Primal>,
        trial: TrialRow<'_>,
        y: Label,
    ) -> bool {
        let x = trial.x;
        let f = state.score(self.a, trial.margin, x);
        trial.prediction.margin.set(f);
        trial.prediction.score.set(f);
        if self.margin == 0.0 && !wants_update(f, y, 0.0) {
            return false;
        }
        let all = state.all(x);
        let mut known = all.clone();
        let added = self.a + state.lost;
        let s = linalg::schur(&state.factor, &mut known, x.norm_sq(), added);
        let r = augmented(f, added / s);
        trial.prediction.margin.set(r);
        if !wants_update(r, y, self.margin) {
            return false;
        }
        x.add_to(y.sign(), &mut state.v);
        w.add(y.sign(), x);
        for (product, part) in state.products.iter_mut().zip(&all) {
            *product += y.sign() * part;
        }
        state.products.push(x.dot(&state.v));
        state.rows.push(x);
        state.factor.extend(known);
        state.factor.push(s.sqrt());
        if state.products.len() == FULL * self.rank {
            state.shrink(self.a, self.rank, &mut w);
        } else {
            state.weigh(&mut w);
        }
        true
    }

    fn score(
        &self,
        state: &Sketch,
        _planes: &Primal,
        inner: f64,
        x: Row<'_>,
        _by: Hypothesis,
    ) -> f64 {
        state.score(self.a, inner, x)
    }

    fn weights(&self, state: &Sketch, mut w: Vec<f64>) -> Vec<f64> {
        let directions = state.directions.chunks_exact(state.count.max(1));
        for (w, directions) in w.iter_mut().zip(directions) {
            *w -= linalg::dot(directions, &state.taken);
        }
        for w in &mut w {
            *w /= self.a + state.lost;
        }
        w
    }

    fn reach(&self, state: &mut Sketch, slots: usize) {
        grow(&mut state.v, slots, 0.0);
        grow(&mut state.spread, slots, 0.0);
        grow(&mut state.directions, slots * state.count, 0.0);
    }

    fn memory(&self) -> &dyn Memory {
        self
    }

    fn kept_bytes(&self, state: &Sketch, _slots: usize) -> u128 {
        state.rows.bytes()
    }

    fn save<'a>(&self, state: &'a Sketch, out: &mut State<'a>) {
        out.put_f64("v", &state.v[..]);
        out.put_f64("lost", vec![state.lost]);
        out.put_f64("factor", &state.factor[..]);
        out.put_f64("products", &state.products[..]);
        out.put_f64("taken", &state.taken[..]);
        out.put_f64("directions", &state.directions[..]);
        state.rows.save(out);
    }

    fn load(&self, planes: &Primal, from: &mut State<'static>) -> Result<Sketch, StateError> {
        let slots = planes.slots();
        let v = from.take_vector("v", slots)?;
        let [lost] = from.take_scalars("lost")?;
        let products = from.take_f64("products")?;
        let all = products.len();
        if all >= FULL * self.rank {
            return Err(from.bad("products", "more vectors than the rank allows"));
        }
        let taken = from.take_vector("taken", all)?;
        let factor = from.take_vector("factor", linalg::triangle_len(all) as usize)?;
        let directions = from.take_f64("directions")?;
        let count = directions.len().checked_div(slots).unwrap_or(0);
        if count > all || count > self.rank || count * slots != directions.len() {
            return Err(from.bad("directions", "not as many as there are vectors"));
        }
        let rows = StoredRows::load(from, all - count)?;
        if rows.slots() > slots {
            return Err(from.bad("row-slots", "past the weights"));
        }
        Ok(Sketch {
            v,
            count,
            directions,
            rows,
            factor,
            products,
            taken,
            lost,
            spread: vec![0.0; slots],
        })
    }
}

impl Memory for SecondOrderSketch {
    fn state_bytes(&self, slots: usize) -> u128 {
        let (rank, slots) = (self.rank as u128, slots as u128);
        let all = FULL as u128 * rank;
        // v, the spread row, the directions, twice while they change; the factor and its singular vectors
        8 * ((2 * rank + 2) * slots + 2 * all * all)
    }

    fn remedy(&self) -> Remedy {
        Remedy::or_memory("use a smaller rank or second-order:form=diagonal")
    }
}
