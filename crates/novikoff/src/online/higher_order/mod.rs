//! The higher-order perceptron (Brotto, Gentile, Vitale 2007): one algorithm in several forms.
//!
//! It is the p-norm perceptron on rows that are transformed as it goes. With g the gradient of half the
//! squared p-norm (the identity at p = 2), `v = sum y x` over the updates and a matrix B, `B = I` at first,
//! it predicts `sgn(w.x)` with `w = B'g(Bv)`. Iff that is wrong, or `tau > 0` and `y w.x <= tau`:
//! `v <- v + y x` and `B <- B (I - rho_k x g(x)')`, k the number of the update and rho_k by the [`Schedule`].
//! `w` changes at updates only: it is kept, and a right answer costs O(nnz).
//!
//! Rows should have p-norm 1: the bounds need it, and so does p = 2 for `I - rho x x'` to shrink whatever it
//! is applied to. The formulas keep `|x|_p^2`, so that other rows run too.
//!
//! Forms by size, with d features and k updates: `primal` keeps d^2/2 numbers and `dual` k^2/2, both for
//! p = 2; for any p `implicit` keeps the rows, `low_rank` d numbers per row, `square` d^2. `auto` is the
//! cheapest of them at any time.

use std::marker::PhantomData;

use crate::label::Label;
use crate::learner::{Memory, Rule, TrialRow};
use crate::online::perceptron::wants_update;
use crate::remedy::Remedy;
use crate::row::Row;
use crate::space::{Lane, Primal, gradient, gradient_of, grow};
use crate::state::{State, StateError};

pub(crate) mod auto;
pub(crate) mod dual;
pub(crate) mod implicit;
pub(crate) mod low_rank;
pub(crate) mod primal;
pub(crate) mod square;

/// What rho_k is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Schedule {
    /// `c/k`, 0 <= c < 1.
    Harmonic,
    /// `c/k` if `y g(x).v >= 0`, else 0.
    Sparse,
    /// `(1-c)/(1 + |g(x).v|)`, 0 < c <= 1: the largest that the first theorem allows.
    Cap,
    /// c, 0 <= c < 1.
    Constant,
}

/// The parameters all forms share.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct HigherOrder {
    /// The norm, p >= 2.
    pub p: f64,
    /// How far rows are transformed.
    pub c: f64,
    /// What c means.
    pub schedule: Schedule,
    /// tau: right answers with `y w.x` up to this are corrected too; 0 = mistakes only.
    pub margin: f64,
}

/// What an update does, by numbers.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct TransformStep {
    /// `rho_k`.
    pub rho: f64,
    /// `r_k`: how much of x the update adds, `Bv <- Bv + y r B x`.
    pub r: f64,
}

impl HigherOrder {
    /// Update number k (from 1) on a row of label y, `known = g(x).v` before it, `norm_sq = |x|_p^2`.
    pub fn step(&self, k: u64, y: f64, known: f64, norm_sq: f64) -> TransformStep {
        let rho = match self.schedule {
            Schedule::Harmonic => self.c / k as f64,
            Schedule::Sparse if y * known >= 0.0 => self.c / k as f64,
            Schedule::Sparse => 0.0,
            Schedule::Cap => (1.0 - self.c) / (1.0 + known.abs()),
            Schedule::Constant => self.c,
        };
        let r = 1.0 - rho * (y * known + norm_sq);
        TransformStep { rho, r }
    }

    /// `g(x).v` and `|x|_p^2`, given the values of `g(x)`.
    pub fn known(&self, x: Row<'_>, image: &[f64], v: &[f64]) -> (f64, f64) {
        if self.p == 2.0 {
            return (x.dot(v), x.norm_sq());
        }
        let pairs = || x.iter().zip(image);
        let within = pairs().filter(|((j, _), _)| *j < v.len());
        let known = within.map(|((j, _), g)| g * v[j]).sum();
        (known, pairs().map(|((_, x), g)| g * x).sum())
    }
}

/// One more than the highest slot of a row.
fn slots_of(x: Row<'_>) -> usize {
    x.last_slot().map_or(0, |j| j as usize + 1)
}

/// B in some form, for any p. It reaches as far as the rows of its updates did.
pub trait Transform: Clone + Send + Sync + Default + 'static {
    /// What it keeps, where that is more than a matrix; may be empty.
    const KEEPS: &'static str;
    /// What to use instead when memory does not suffice.
    const INSTEAD: &'static str;

    /// One more than the highest slot that B changes.
    fn slots(&self) -> usize;

    /// `B x`.
    fn times(&self, x: Row<'_>) -> Vec<f64>;

    /// `z <- B'z`; z must reach as far as B.
    fn transposed_times(&self, z: &mut [f64]);

    /// `B <- B (I - rho x g(x)')`, given `g(x)` and `B x`.
    fn update(&mut self, rho: f64, x: Row<'_>, image: &[f64], bx: Vec<f64>);

    /// Bytes that grow with the updates.
    fn bytes(&self) -> u128;

    /// Bytes for rows of `slots` slots.
    fn reach_bytes(&self, _slots: usize) -> u128 {
        0
    }

    /// Adds B to a state.
    fn save<'a>(&'a self, out: &mut State<'a>);

    /// Takes it out again; nothing may reach past `slots`.
    fn load(from: &mut State<'static>, p: f64, slots: usize) -> Result<Self, StateError>;
}

/// The algorithm for any p, with B in the form `T`.
#[derive(Clone, Debug)]
pub struct HigherOrderWith<T> {
    parameters: HigherOrder,
    form: PhantomData<fn() -> T>,
}

impl<T> HigherOrderWith<T> {
    /// p, c, schedule and tau.
    pub fn new(parameters: HigherOrder) -> Self {
        HigherOrderWith {
            parameters,
            form: PhantomData,
        }
    }
}

/// One class.
#[derive(Clone, Debug, Default)]
pub struct Transformed<T> {
    /// How many updates.
    updates: u64,
    v: Vec<f64>,
    /// `B v`.
    image: Vec<f64>,
    b: T,
}

impl<T: Transform> Rule<Primal> for HigherOrderWith<T> {
    type State = Transformed<T>;

    fn start(&self, _planes: &Primal) -> Self::State {
        Transformed::default()
    }

    fn learn(
        &self,
        state: &mut Self::State,
        mut w: Lane<'_, Primal>,
        trial: TrialRow<'_>,
        y: Label,
    ) -> bool {
        let by = &self.parameters;
        if !wants_update(trial.margin, y, by.margin) {
            return false;
        }
        let (x, y) = (trial.x, y.sign());
        let g = gradient_of(x, by.p);
        let (known, norm_sq) = by.known(x, &g, &state.v);
        state.updates = state.updates.saturating_add(1);
        let TransformStep { rho, r } = by.step(state.updates, y, known, norm_sq);
        let bx = state.b.times(x);
        for (image, bx) in state.image.iter_mut().zip(&bx) {
            *image += y * r * bx;
        }
        x.add_to(y, &mut state.v);
        trial.prediction.matrix.set(Some(rho > 0.0));
        if rho > 0.0 {
            state.b.update(rho, x, &g, bx);
        }
        let mut weights = state.image.clone();
        gradient(&mut weights, by.p);
        state.b.transposed_times(&mut weights);
        for (j, weight) in weights.into_iter().enumerate() {
            w.set(j, weight);
        }
        true
    }

    fn reach(&self, state: &mut Self::State, slots: usize) {
        grow(&mut state.v, slots, 0.0);
        grow(&mut state.image, slots, 0.0);
    }

    fn memory(&self) -> &dyn Memory {
        self
    }

    fn kept_bytes(&self, state: &Self::State, slots: usize) -> u128 {
        state.b.bytes() + state.b.reach_bytes(slots)
    }

    fn save<'a>(&self, state: &'a Self::State, out: &mut State<'a>) {
        out.put_u64("updates", vec![state.updates]);
        out.put_f64("v", &state.v[..]);
        out.put_f64("image", &state.image[..]);
        state.b.save(out);
    }

    fn load(&self, planes: &Primal, from: &mut State<'static>) -> Result<Self::State, StateError> {
        let [updates] = from.take_counts("updates")?;
        let v = from.take_vector("v", planes.slots())?;
        let image = from.take_vector("image", planes.slots())?;
        let b = T::load(from, self.parameters.p, planes.slots())?;
        Ok(Transformed {
            updates,
            v,
            image,
            b,
        })
    }
}

impl<T: Transform> Memory for HigherOrderWith<T> {
    fn state_bytes(&self, slots: usize) -> u128 {
        16 * slots as u128
    }

    fn keeps(&self) -> &'static str {
        T::KEEPS
    }

    fn remedy(&self) -> Remedy {
        Remedy::or_memory(T::INSTEAD)
    }
}
