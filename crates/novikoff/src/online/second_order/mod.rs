//! The second-order perceptron (Cesa-Bianchi, Conconi, Gentile 2005): one algorithm in several forms.
//!
//! With X the rows of the updates so far (as columns), `v = sum y x` over them and `A = a I + X X'`, it
//! predicts the sign of `r = v'(A + x x')^-1 x`: the row in question is already inside the matrix. As
//! `r = (w.x) / (1 + x'A^-1 x)` with `w = A^-1 v`, and the denominator is positive, the prediction is
//! `sgn(w.x)`: `w` is kept, a right answer costs O(nnz), and only updates pay for the matrix. The margin of
//! a trial is r where r was needed (on an update, and on every trial if a margin is asked for), else `w.x`.
//! Deployed scores are `w.x`.
//!
//! `w` minimises `a |w|^2 + sum over updates of (y - w.x)^2`: every form here is a way to keep that ridge
//! regression up to date. Forms by size: with d features and k updates, `primal` keeps d^2/2 numbers,
//! `dual` k^2/2 and the rows, `inverse` d^2/2 and the rows, `auto` the cheapest; `sketch` and `diagonal` are approximations for where
//! neither fits. `adaptive` (its pairs in `adaptive_primal`) and `pseudoinverse` choose a
//! themselves. In the space of a kernel the forms are `dual`, `adaptive_kernel` and `pseudoinverse_dual`.

use crate::row::Row;
use crate::state::{State, StateError};

pub(crate) mod adaptive;
pub(crate) mod adaptive_kernel;
pub(crate) mod adaptive_primal;
pub(crate) mod auto;
pub(crate) mod diagonal;
pub(crate) mod dual;
pub mod inverse;
pub mod primal;
pub(crate) mod pseudoinverse;
pub(crate) mod pseudoinverse_dual;
pub(crate) mod sketch;

/// What the exact forms say when memory does not suffice.
const INSTEAD: &str = "use second-order:form=dual (grows with the mistakes), or the approximations form=sketch and form=diagonal";

/// The margin r, a share of `f = w.x`; never without the sign of f.
pub(super) fn augmented(f: f64, share: f64) -> f64 {
    let r = f * share;
    if r == 0.0 {
        f.clamp(-f64::MIN_POSITIVE, f64::MIN_POSITIVE)
    } else {
        r
    }
}

/// One more than the highest slot of a row.
fn slots_of(x: Row<'_>) -> usize {
    x.last_slot().map_or(0, |j| j as usize + 1)
}

/// Takes vectors of at most `slots` numbers out of a state: their ends, and all their numbers.
pub(in crate::online) fn take_vectors(
    from: &mut State<'static>,
    (ends_name, name): (&str, &str),
    slots: usize,
) -> Result<Vec<Vec<f64>>, StateError> {
    let ends = from.take_u64(ends_name)?;
    let numbers = from.take_f64(name)?;
    let mut start = 0;
    let mut vectors = Vec::new();
    for end in ends {
        let vector = usize::try_from(end)
            .ok()
            .and_then(|end| numbers.get(start..end))
            .filter(|vector| vector.len() <= slots);
        let Some(vector) = vector else {
            return Err(from.bad(ends_name, "the vectors do not fit"));
        };
        start += vector.len();
        vectors.push(vector.to_vec());
    }
    if start == numbers.len() {
        Ok(vectors)
    } else {
        Err(from.bad(name, "longer than its vectors"))
    }
}
