//! Higher-order perceptron, primal form for p = 2.
//!
//! Keeps `A = B'B`, a number for each pair of features: when the updates have outgrown the features.
//! Update: with `z = A x`, `s = x.z`, `m = w.x` and `r = 1 - rho (y v.x + x.x)`: `v <- v + y x`,
//! `w <- w + y r z - rho (m + y r s) x` (which is `A v` after the update),
//! `A <- A - rho z x' - rho x z' + rho^2 s x x'`.
//! Cost: O(nnz) per right answer, O(d nnz + d) per update; O(d^2) memory.
//! Bound: with `c <= r_k <= 2 - c` for all updates, al = (2-c)/c, and L~ the hinge loss of U on `(B x, y)`, B that
//! of the trial: `m <= ((b + sqrt(b^2 + 4 al L~))/2)^2`, `b = al |U|`. The harmonic schedule has
//! `al = (1+c)/(1-c)` for its own c.
//! Paper: Brotto, Gentile, Vitale 2007, theorem 1; docs/theory/higher-order.md#forms; T12.

use super::{HigherOrder, TransformStep};
use crate::label::Label;
use crate::learner::{Memory, Rule, TrialRow};
use crate::linalg;
use crate::online::perceptron::wants_update;
use crate::remedy::Remedy;
use crate::row::Row;
use crate::space::{Lane, Primal, grow};
use crate::state::{State, StateError};

/// What to do when the pairs do not fit.
const INSTEAD: &str = "use higher-order:form=dual (grows with the mistakes)";

/// The primal form.
#[derive(Clone, Debug)]
pub(crate) struct HigherOrderPrimal(pub(crate) HigherOrder);

/// One class.
#[derive(Clone, Debug, Default)]
pub(crate) struct Pairs {
    /// How many updates.
    pub(super) updates: u64,
    pub(super) v: Vec<f64>,
    /// A, row by row, its lower triangle.
    a: Vec<f64>,
}

impl Pairs {
    /// The state after updates, given v, A being the identity so far.
    pub(super) fn new(updates: u64, v: Vec<f64>) -> Self {
        let mut pairs = Pairs {
            updates,
            v,
            a: Vec::new(),
        };
        pairs.reach(pairs.v.len());
        pairs
    }

    /// Grows to `slots` slots.
    pub(super) fn reach(&mut self, slots: usize) {
        grow(&mut self.v, slots, 0.0);
        linalg::factor_grow(&mut self.a, slots);
    }

    /// How many slots.
    pub(super) fn slots(&self) -> usize {
        self.v.len()
    }

    /// Takes the state for `slots` slots out of a state.
    pub(super) fn take(slots: usize, from: &mut State<'static>) -> Result<Self, StateError> {
        let [updates] = from.take_counts("updates")?;
        let v = from.take_vector("v", slots)?;
        let a = from.take_vector("pairs", linalg::triangle_len(slots) as usize)?;
        Ok(Pairs { updates, v, a })
    }

    /// `A x`.
    fn times(&self, x: Row<'_>) -> Vec<f64> {
        let mut z = vec![0.0; self.slots()];
        let mut rest = &self.a[..];
        let mut values = x.iter().peekable();
        for i in 0..z.len() {
            let (row, below) = rest.split_at(i + 1);
            rest = below;
            if let Some((_, xi)) = values.next_if(|(j, _)| *j == i) {
                for (z, a) in z.iter_mut().zip(&row[..i]) {
                    *z += xi * a;
                }
            }
            z[i] = x.dot(row);
        }
        z
    }

    /// `A <- (I - rho x x') A (I - rho x x')`, given `z = A x` and `s = x.z`.
    fn shrink(&mut self, rho: f64, x: Row<'_>, z: &[f64], s: f64) {
        // x u' + u x'
        let mut u: Vec<f64> = z.iter().map(|z| -rho * z).collect();
        x.add_to(rho * rho * s / 2.0, &mut u);
        let mut rest = &mut self.a[..];
        let mut values = x.iter().peekable();
        for (i, &ui) in u.iter().enumerate() {
            let (row, below) = rest.split_at_mut(i + 1);
            rest = below;
            if ui != 0.0 {
                x.before(i + 1).add_to(ui, row);
            }
            if let Some((_, xi)) = values.next_if(|(j, _)| *j == i) {
                for (a, u) in row.iter_mut().zip(&u) {
                    *a += xi * u;
                }
            }
        }
    }

    /// Transforms by one more row.
    pub(super) fn transform(&mut self, rho: f64, x: Row<'_>) {
        let z = self.times(x);
        let s = x.dot(&z);
        self.shrink(rho, x, &z, s);
    }
}

impl Rule<Primal> for HigherOrderPrimal {
    type State = Pairs;

    fn start(&self, _planes: &Primal) -> Pairs {
        Pairs::default()
    }

    fn learn(
        &self,
        state: &mut Pairs,
        mut w: Lane<'_, Primal>,
        trial: TrialRow<'_>,
        y: Label,
    ) -> bool {
        if !wants_update(trial.margin, y, self.0.margin) {
            return false;
        }
        let (x, y, m) = (trial.x, y.sign(), trial.margin);
        state.updates = state.updates.saturating_add(1);
        let known = x.dot(&state.v);
        let TransformStep { rho, r } = self.0.step(state.updates, y, known, x.norm_sq());
        let z = state.times(x);
        let s = x.dot(&z);
        for (j, z) in z.iter().enumerate() {
            w.set(j, w.get(j) + y * r * z);
        }
        w.add(-rho * (m + y * r * s), x);
        x.add_to(y, &mut state.v);
        trial.prediction.matrix.set(Some(rho > 0.0));
        if rho > 0.0 {
            state.shrink(rho, x, &z, s);
        }
        true
    }

    fn reach(&self, state: &mut Pairs, slots: usize) {
        state.reach(slots);
    }

    fn memory(&self) -> &dyn Memory {
        self
    }

    fn save<'a>(&self, state: &'a Pairs, out: &mut State<'a>) {
        out.put_u64("updates", vec![state.updates]);
        out.put_f64("v", &state.v[..]);
        out.put_f64("pairs", &state.a[..]);
    }

    fn load(&self, planes: &Primal, from: &mut State<'static>) -> Result<Pairs, StateError> {
        Pairs::take(planes.slots(), from)
    }
}

impl Memory for HigherOrderPrimal {
    fn state_bytes(&self, slots: usize) -> u128 {
        8 * (linalg::triangle_len(slots) + slots as u128)
    }

    fn remedy(&self) -> Remedy {
        Remedy::or_memory(INSTEAD)
    }
}
