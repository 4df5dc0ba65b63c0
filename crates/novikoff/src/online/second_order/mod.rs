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
//! regression up to date. Forms by size: with d features and k updates, [`primal`] keeps d^2/2 numbers,
//! [`dual`] k^2/2 and the rows, [`auto`] the smaller.

pub mod auto;
pub mod dual;
pub mod primal;

/// What the forms say when memory does not suffice.
const REMEDY: &str = "use second-order:form=dual (grows with the mistakes), or raise --max-memory";
