//! Second-order perceptron whose a grows with its mistakes, in the space of a kernel.
//!
//! Keeps the rows of the updates, all their inner products G and the Cholesky factor of `a_0 I + G` for an earlier a.
//! Solutions for the present a come from conjugate gradients, preconditioned by the factor, as in the linear forms; G
//! is kept because no sum of features gives its products with a vector.
//! Update: that of the dual form, with `a = c R^2 (k + 1)` after k updates. R^2 is given, or the largest `K(x,x)` seen
//! so far, this row's included.
//! Cost: k kernel values per right answer; per update some 10 solutions with the factor, 20 k^2; k^3/3 per doubling of a;
//! O(k^2 + the kept rows' nnz) memory.
//! Bound: that of the linear forms, lam the eigenvalues of G, `|U|` the length in the kernel's space.
//! Paper: Cesa-Bianchi, Conconi, Gentile 2005, section 4.1; docs/theory/second-order.md#adaptive-a; T10.

use super::adaptive::{REFACTOR, SecondOrderAdaptive, UpdateStore};
use super::dual::Expansion;
use crate::kernel::Kernel;
use crate::label::Label;
use crate::learner::{Memory, Rule, TrialRow};
use crate::linalg;
use crate::remedy::Remedy;
use crate::row::Row;
use crate::space::{Lane, Planes, Support};
use crate::state::{State, StateError};

/// The adaptive algorithm in the space of a kernel.
#[derive(Clone, Debug)]
pub(crate) struct SecondOrderAdaptiveKernel {
    by: SecondOrderAdaptive,
    kernel: Kernel,
}

impl SecondOrderAdaptiveKernel {
    /// The kernel is that of the space in which `by` learns.
    pub(crate) fn new(by: SecondOrderAdaptive, kernel: Kernel) -> Self {
        SecondOrderAdaptiveKernel { by, kernel }
    }
}

/// The updates of one class.
#[derive(Clone, Debug, Default)]
pub(crate) struct GrowingGram {
    rows: Expansion,
    /// G, row by row.
    gram: Vec<f64>,
    /// The a of the factor.
    base: f64,
    /// The a of w.
    a: f64,
}

impl<P: Planes> UpdateStore<P> for GrowingGram {
    fn len(&self) -> usize {
        self.rows.len()
    }

    fn a(&self) -> f64 {
        self.a
    }

    fn begin(&mut self, a: f64) {
        self.base = a;
    }

    fn settle(&mut self, a: f64, w: &mut Lane<'_, P>) {
        self.a = a;
        if a > REFACTOR * self.base {
            self.base = a;
            self.rows.refactor_by(&self.gram, a);
        }
        self.rows.weigh_by(&self.gram, a, w);
    }

    fn share(&mut self, x: Row<'_>, a: f64, w: &Lane<'_, P>) -> f64 {
        let known = self.rows.products(w, x);
        let within = self.rows.solve_by(&self.gram, &known, a);
        let new = w.norm_sq_of(x) - linalg::dot(&known, &within);
        a / (a + new.max(0.0))
    }

    fn add(&mut self, x: Row<'_>, y: f64, w: &Lane<'_, P>) {
        let (mut known, norm_sq) = (self.rows.products(w, x), w.norm_sq_of(x));
        self.gram.extend_from_slice(&known);
        self.gram.push(norm_sq);
        let s = self.rows.schur(&mut known, norm_sq, self.base);
        self.rows.border((&known, s), x, y);
    }
}

impl Rule<Support> for SecondOrderAdaptiveKernel {
    type State = GrowingGram;

    fn start(&self, _planes: &Support) -> GrowingGram {
        GrowingGram::default()
    }

    fn note(&mut self, x: Row<'_>, _id: Option<u64>) {
        self.by.note_square(self.kernel.own(self.kernel.facts(x)));
    }

    fn learn(
        &self,
        state: &mut GrowingGram,
        w: Lane<'_, Support>,
        trial: TrialRow<'_>,
        y: Label,
    ) -> bool {
        self.by.trial(state, w, trial, y)
    }

    fn memory(&self) -> &dyn Memory {
        self
    }

    fn kept_bytes(&self, state: &GrowingGram, _slots: usize) -> u128 {
        state.rows.bytes() + 8 * state.gram.len() as u128
    }

    fn save_shared<'a>(&'a self, out: &mut State<'a>) {
        self.by.save_largest(out);
    }

    fn load_shared(&mut self, from: &mut State<'static>) -> Result<(), StateError> {
        self.by.load_largest(from)
    }

    fn save<'a>(&self, state: &'a GrowingGram, out: &mut State<'a>) {
        out.put_f64("added", vec![state.base, state.a]);
        out.put_f64("gram", &state.gram[..]);
        state.rows.save(out);
    }

    fn load(&self, planes: &Support, from: &mut State<'static>) -> Result<GrowingGram, StateError> {
        let [base, a] = from.take_scalars("added")?;
        let rows = Expansion::load(planes, from)?;
        let gram = from.take_vector("gram", linalg::triangle_len(rows.len()) as usize)?;
        Ok(GrowingGram {
            rows,
            gram,
            base,
            a,
        })
    }
}

impl Memory for SecondOrderAdaptiveKernel {
    fn keeps(&self) -> &'static str {
        "it keeps every row it was mistaken on and two numbers for each pair of them"
    }

    fn remedy(&self) -> Remedy {
        Remedy::or_memory("use projectron or forgetron, which keep fewer rows")
    }
}
