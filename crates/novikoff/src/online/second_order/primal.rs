//! Second-order perceptron, primal form.
//!
//! Keeps `S = a A^-1`. For hundreds of features (128 to 2,047) and short rows (`|x|^2 <= 1e4 a`, their sum at most `1e8 a`) it keeps the numbers
//! of S, and subtracts 64 products `z z'` in one sweep. Else it keeps the upper factor U, `S = U U'`, which stays positive definite
//! whatever the size of the rows, where S loses digits with their length. It changes from S to U when a row is too long, and never back.
//! Update: with `f = w.x`, iff `sgn(f) != y`, or `tau > 0` and `y r <= tau` for `r = f a/(a + x'Sx)`:
//! `w <- w + S x (y - f)/(a + x'Sx)`, `S <- S - S x x' S/(a + x'Sx)`, starting at `S = I`, `w = 0`.
//! Cost: O(nnz) per right answer (O(d nnz) if tau > 0), O(d nnz + d^2) per update, O(d^3) once for the change; O(d^2) memory.
//! Bound: with X the rows of the n updates and lam the eigenvalues of XX':
//! `n <= L(U) + sqrt((a |U|^2 + U'XX'U) (sum ln(1 + lam/a) + 2 tau n))`.
//! Paper: Cesa-Bianchi, Conconi, Gentile 2005, section 3; docs/theory/second-order.md#primal-form; T8.

use super::{INSTEAD, augmented, slots_of};
use crate::label::Label;
use crate::learner::{Memory, Rule, TrialRow};
use crate::linalg::{self, Mirrored};
use crate::online::perceptron::wants_update;
use crate::remedy::Remedy;
use crate::row::Row;
use crate::space::{Lane, Primal};
use crate::state::{State, StateError};

/// The primal form.
#[derive(Clone, Debug)]
pub struct SecondOrderPrimal {
    /// The larger, the nearer to the perceptron; > 0.
    pub a: f64,
    /// tau: right answers with `y r` up to this are corrected too; 0 = mistakes only.
    pub margin: f64,
}

/// A row of a larger `|x|^2/a` costs S too many digits.
const LONG: f64 = 1e4;

/// As do all rows together of a larger sum of them.
const LONG_TOGETHER: f64 = 1e8;

/// S of one class.
#[derive(Clone, Debug)]
pub struct PrimalState(Kept);

#[derive(Clone, Debug)]
enum Kept {
    /// There was no update.
    Identity,
    /// S, and the sum of `|x|^2`.
    Inverse(Mirrored, f64),
    /// U, column by column.
    Factor(Vec<f64>),
}

impl PrimalState {
    /// How many slots it reaches.
    pub(super) fn slots(&self) -> usize {
        match &self.0 {
            Kept::Identity => 0,
            Kept::Inverse(s, _) => s.slots(),
            Kept::Factor(u) => linalg::triangle_order(u),
        }
    }

    /// From S to U for `slots` slots, if there is S.
    fn leave_inverse(&mut self, slots: usize) {
        if let Kept::Inverse(s, _) = &mut self.0 {
            let mut u = std::mem::take(s).into_factor();
            linalg::factor_grow(&mut u, slots);
            self.0 = Kept::Factor(u);
        }
    }

    /// Makes it fit for an update of a row of this square. Rows of updates have up to `met` slots, weights `slots`: the choice must not depend
    /// on rows that were refused.
    fn make_fit(&mut self, norm_sq: f64, a: f64, (met, slots): (usize, usize)) {
        let fits = norm_sq <= LONG * a && met <= Mirrored::MOST_SLOTS;
        match &mut self.0 {
            Kept::Identity if fits && met >= Mirrored::LEAST_SLOTS => {
                self.0 = Kept::Inverse(Mirrored::default(), norm_sq);
            }
            Kept::Identity => {
                let mut u = Vec::new();
                linalg::factor_grow(&mut u, slots);
                self.0 = Kept::Factor(u);
            }
            Kept::Inverse(_, trace) => {
                *trace += norm_sq;
                if !fits || *trace > LONG_TOGETHER * a {
                    self.leave_inverse(slots);
                }
            }
            Kept::Factor(_) => {}
        }
        if let Kept::Inverse(s, _) = &mut self.0 {
            s.reach(met);
        }
    }
}

impl SecondOrderPrimal {
    /// Learns a row of label y on which the score was f; gives r. `reach` is as in [`PrimalState::make_fit`].
    fn update(
        &self,
        state: &mut PrimalState,
        w: &mut Lane<'_, Primal>,
        (x, f): (Row<'_>, f64),
        y: f64,
        reach: (usize, usize),
    ) -> f64 {
        state.make_fit(x.norm_sq(), self.a, reach);
        let mut sx = Vec::new();
        let whole = match &mut state.0 {
            Kept::Identity => self.a,
            Kept::Inverse(s, _) => {
                let whole;
                (sx, whole) = s.shrink(x.iter(), self.a);
                whole
            }
            Kept::Factor(u) => linalg::factor_shrink(u, x.iter(), self.a, &mut sx),
        };
        let step = (y - f) / whole;
        for (j, sx) in sx.iter().enumerate() {
            w.set(j, w.get(j) + step * sx);
        }
        augmented(f, self.a / whole)
    }

    /// r of a row as a share of `w.x`: `a/(a + x'Sx)`; S is the identity past its end.
    pub(in crate::online) fn share(&self, state: &PrimalState, x: Row<'_>) -> f64 {
        let square = match &state.0 {
            Kept::Identity => x.norm_sq(),
            Kept::Inverse(s, _) => s.square(x.iter()).max(0.0),
            Kept::Factor(u) => {
                let inside = linalg::factor_square(u, x.iter());
                let order = linalg::triangle_order(u);
                let past = x.iter().filter(|&(j, _)| j >= order);
                inside + past.map(|(_, v)| v * v).sum::<f64>()
            }
        };
        self.a / (self.a + square)
    }

    /// Takes what is kept for `slots` slots out of a state.
    pub(super) fn take(slots: usize, from: &mut State<'static>) -> Result<PrimalState, StateError> {
        if !from.has("inverse-triangle") {
            let len = linalg::triangle_len(slots) as usize;
            return Ok(PrimalState(Kept::Factor(
                from.take_vector("inverse-factor", len)?,
            )));
        }
        let triangle = from.take_f64("inverse-triangle")?;
        let [trace] = from.take_scalars("trace")?;
        let waiting = from.take_f64("inverse-waiting")?;
        if triangle.is_empty() {
            return Ok(PrimalState(Kept::Identity));
        }
        let s = Mirrored::of_parts(linalg::triangle_order(&triangle), &triangle, &waiting);
        match s.filter(|s| s.slots() <= slots) {
            Some(s) => Ok(PrimalState(Kept::Inverse(s, trace))),
            None => Err(from.bad("inverse-triangle", "it does not fit the weights")),
        }
    }

    /// The form's state after the given updates of rows of up to `slots` slots, `w` included.
    pub(super) fn replay<'r>(
        &self,
        w: &mut Lane<'_, Primal>,
        slots: usize,
        updates: impl Iterator<Item = (Row<'r>, f64)>,
    ) -> PrimalState {
        let mut state = PrimalState(Kept::Identity);
        w.scale(0.0);
        for (x, y) in updates {
            let f = w.inner(x);
            self.update(&mut state, w, (x, f), y, (slots, slots));
        }
        state
    }
}

impl Rule<Primal> for SecondOrderPrimal {
    type State = PrimalState;

    fn start(&self, _planes: &Primal) -> PrimalState {
        PrimalState(Kept::Identity)
    }

    fn learn(
        &self,
        state: &mut PrimalState,
        mut w: Lane<'_, Primal>,
        trial: TrialRow<'_>,
        y: Label,
    ) -> bool {
        let f = trial.margin;
        if self.margin > 0.0 {
            if trial.x.norm_sq() > LONG * self.a {
                state.leave_inverse(w.slots());
            }
            let r = augmented(f, self.share(state, trial.x));
            trial.prediction.margin.set(r);
            if !wants_update(r, y, self.margin) {
                return false;
            }
        } else if !wants_update(f, y, 0.0) {
            return false;
        }
        let reach = (slots_of(trial.x), w.slots());
        let r = self.update(state, &mut w, (trial.x, f), y.sign(), reach);
        trial.prediction.margin.set(r);
        true
    }

    fn reach(&self, state: &mut PrimalState, slots: usize) {
        if let Kept::Factor(u) = &mut state.0 {
            linalg::factor_grow(u, slots);
        }
    }

    fn memory(&self) -> &dyn Memory {
        self
    }

    fn save<'a>(&self, state: &'a PrimalState, out: &mut State<'a>) {
        let (triangle, trace, waiting) = match &state.0 {
            Kept::Factor(u) => {
                out.put_f64("inverse-factor", &u[..]);
                return;
            }
            Kept::Identity => (Vec::new(), 0.0, Vec::new()),
            Kept::Inverse(s, trace) => {
                let (triangle, waiting) = s.parts();
                (triangle, *trace, waiting)
            }
        };
        out.put_f64("inverse-triangle", triangle);
        out.put_f64("inverse-waiting", waiting);
        out.put_f64("trace", vec![trace]);
    }

    fn load(&self, planes: &Primal, from: &mut State<'static>) -> Result<PrimalState, StateError> {
        Self::take(planes.slots(), from)
    }
}

impl Memory for SecondOrderPrimal {
    fn state_bytes(&self, slots: usize) -> u128 {
        let factor = linalg::triangle_len(slots) * 8;
        if slots < Mirrored::LEAST_SLOTS {
            factor
        } else {
            factor.max(Mirrored::bytes(slots.min(Mirrored::MOST_SLOTS)))
        }
    }

    fn remedy(&self) -> Remedy {
        Remedy::or_memory(INSTEAD)
    }
}
