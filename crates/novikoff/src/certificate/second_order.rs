//! The second-order perceptron: T8 to T11 (docs/theory/second-order.md).
//!
//! All have the shape `n <= L(U) + sqrt(quadratic (factor + 2 tau n))` for n updates of rows X. The quadratic
//! is `a |U|^2 + U'XX'U`, a that of the last update. The factor is the theorem's (`spectral`, from the
//! eigenvalues of XX' or of the Gram matrix X'X, whichever is smaller), or what the run itself measured
//! (`observed`): `sum over updates of x'A^-1 x`, each with the matrix just after it; the bound takes the
//! smaller. Terms are named so; `theorem` is the bound with the theorem's own factor. In the space of a kernel `U'XX'U` is the
//! sum of `U(x)^2` over the updates and the eigenvalues are those of the kernel's values, which count as exact: the learner
//! saw no others. The dual form raises its a where rows are very long. The theorem holds for every a that never falls: each
//! observed term has the a with which its update was decided, the spectral factor the first one, the quadratic the last one.
//!
//! Rounding: eigenvalues and `x'A^-1 x` get more than their error added, quotients have a denominator that is rounded down, and
//! a square takes `|U.x|` and its error together while the hinge loss takes `y U.x` less its error.

use super::pseudoinverse::{Stray, UpdateSpan, strayed};
use super::{Certificate, PastTrial, Rival, Up, square, square_of};
use crate::linalg;
use crate::online::second_order::auto::outgrown;
use crate::online::second_order::dual::raised;
use crate::row::Row;

/// What was added to the diagonal.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum AddedDiagonal {
    /// a.
    Fixed(f64),
    /// a, or what the dual form raised it to where rows are long.
    Raised {
        /// a.
        a: f64,
        /// The learner changes to the primal form, whose a is never raised, as
        /// `SecondOrderAuto` does.
        changes: bool,
    },
    /// `c R^2 k` at update k.
    Adaptive {
        /// c.
        c: f64,
        /// R^2, if it was given; else it was the largest `|x|^2` so far.
        r2: Option<f64>,
    },
    /// Nothing: the pseudo-inverse.
    Nothing,
}

/// The run's parameters.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SecondOrder {
    /// What was added.
    pub added: AddedDiagonal,
    /// tau.
    pub margin: f64,
}

/// What a bound has whatever U is.
#[derive(Clone, Debug)]
pub struct BoundFactors {
    /// The theorem's factor, if it has one.
    spectral: Option<Up>,
    /// What was observed up to each update.
    observed: Vec<Up>,
    /// a of the last update.
    added: f64,
    /// What a margin adds.
    more: Up,
    /// How each update's row differs from what was learned of it; nothing if all were learned as they are.
    strays: Vec<Stray>,
    updates: u64,
    theorem: &'static str,
    name: &'static str,
}

impl BoundFactors {
    /// a of the last update.
    pub fn added(&self) -> f64 {
        self.added
    }

    /// How many updates.
    pub fn updates(&self) -> u64 {
        self.updates
    }

    /// The smaller of the factors.
    pub fn least(&self) -> f64 {
        let observed = last(&self.observed);
        let least = self.spectral.map_or(observed, |s| s.min(observed));
        least.value()
    }

    /// What was observed up to each update.
    pub fn series(&self) -> Vec<f64> {
        self.observed.iter().map(|q| q.value()).collect()
    }

    /// What the theorem says, given U by slot; the trials are those of the run.
    pub fn certify(&self, trials: &[PastTrial<'_>], u: &[f64]) -> Certificate {
        self.against(trials, &Rival::new(trials, u))
    }

    /// U as far as what was learned of the rows goes: with a larger error where that is not the row itself.
    pub fn learned(&self, trials: &[PastTrial<'_>], rival: &Rival) -> Rival {
        strayed(rival, trials, &self.strays)
    }

    /// What the theorem says, given U in the space of the learner; the trials are those of the run.
    pub fn against(&self, trials: &[PastTrial<'_>], rival: &Rival) -> Certificate {
        let rival = &self.learned(trials, rival);
        let values = rival.values().zip(trials).filter(|(_, t)| t.updated);
        let squares = values.map(|(value, _)| square(*value)).sum();
        let quadratic = Up::new(self.added) * rival.norm_sq() + squares;
        let observed = last(&self.observed);
        let hinge = rival.hinge(trials);
        let mut certificate = shape(hinge, quadratic, self.spectral, observed, self.more);
        certificate.counted = self.updates;
        (certificate.theorem, certificate.name) = (self.theorem, self.name);
        certificate
    }
}

/// The sums up to each.
fn running(each: Vec<Up>) -> Vec<Up> {
    let next = |sum: &mut Up, term: Up| {
        *sum = *sum + term;
        Some(*sum)
    };
    each.into_iter().scan(Up::default(), next).collect()
}

fn last(series: &[Up]) -> Up {
    series.last().copied().unwrap_or_default()
}

impl SecondOrder {
    /// Bytes that [`certify`](Self::certify) takes.
    pub fn bytes(trials: &[PastTrial<'_>]) -> u128 {
        let (rows, slots) = updates(trials);
        3 * 8 * (rows.len().min(slots) as u128).pow(2) + 8 * slots as u128
    }

    /// What the theorem says of the run, given U by slot.
    pub fn certify(&self, trials: &[PastTrial<'_>], u: &[f64]) -> Certificate {
        self.factors(trials).certify(trials, u)
    }

    /// What the bound has whatever U is.
    pub fn factors(&self, trials: &[PastTrial<'_>]) -> BoundFactors {
        let (rows, slots) = updates(trials);
        let norms: Vec<f64> = trials.iter().map(|t| t.x.norm_sq()).collect();
        if let AddedDiagonal::Nothing = self.added {
            return self.without(
                UpdateSpan::of_rows(&rows),
                "second-order without a parameter",
            );
        }
        let matrix = UpdateMatrix::of(&rows, slots);
        let (theorem, name) = match self.added {
            AddedDiagonal::Fixed(_) | AddedDiagonal::Raised { .. } => {
                ("T8", "second-order, fixed a")
            }
            _ => ("T10", "second-order, adaptive a"),
        };
        let run = UpdatesOfRun {
            matrix: &matrix,
            rows: &rows,
            trials,
            norms: &norms,
        };
        self.with(run, theorem, name)
    }

    /// What the bound has whatever U is, in the space of a kernel: `gram` are its values for the updates (lower triangle, row by row),
    /// `norms` the `K(x,x)` of the trials.
    pub fn factors_in_kernel(
        &self,
        gram: Vec<f64>,
        trials: &[PastTrial<'_>],
        norms: &[f64],
    ) -> BoundFactors {
        if let AddedDiagonal::Nothing = self.added {
            let name = "second-order without a parameter, with a kernel";
            return self.without(UpdateSpan::of_gram(&gram), name);
        }
        let matrix = UpdateMatrix::Rows(gram, 0);
        let (theorem, name) = match self.added {
            AddedDiagonal::Fixed(_) | AddedDiagonal::Raised { .. } => {
                ("T9", "second-order, fixed a, with a kernel")
            }
            _ => ("T10", "second-order, adaptive a, with a kernel"),
        };
        let run = UpdatesOfRun {
            matrix: &matrix,
            rows: &[],
            trials,
            norms,
        };
        self.with(run, theorem, name)
    }

    fn with(
        &self,
        run: UpdatesOfRun<'_>,
        theorem: &'static str,
        name: &'static str,
    ) -> BoundFactors {
        let UpdatesOfRun {
            matrix,
            rows,
            trials,
            norms,
        } = run;
        let added = self.added_by(trials, norms);
        let n = added.len();
        let last = added.last().copied().unwrap_or(0.0);
        let spectral = match self.added {
            // with a smaller a every term of the observed factor is larger
            AddedDiagonal::Raised { a, .. } if n > 0 => matrix.log_det(a),
            _ => matrix.log_det(last),
        };
        let spectral = match self.added {
            AddedDiagonal::Adaptive { c, r2 } => {
                let updated = trials.iter().zip(norms).filter(|(t, _)| t.updated);
                let longest = updated.fold(0.0, |m: f64, (_, norm_sq)| m.max(*norm_sq));
                let longest = square_of(longest);
                r2.map(|r2| growth(longest, c * r2, n) + spectral)
            }
            _ => Some(spectral),
        };
        BoundFactors {
            spectral,
            observed: running(matrix.observed(rows, &added)),
            added: last,
            more: Up::new(2.0 * self.margin * n as f64),
            strays: Vec::new(),
            updates: n as u64,
            theorem,
            name,
        }
    }

    fn without(&self, span: UpdateSpan, name: &'static str) -> BoundFactors {
        let n = span.observed.len();
        BoundFactors {
            spectral: span.theorem(),
            observed: running(span.observed),
            added: 0.0,
            more: Up::new(2.0 * self.margin * n as f64),
            strays: span.strays,
            updates: n as u64,
            theorem: "T11",
            name,
        }
    }

    /// a of each update, as the learner computed it.
    fn added_by(&self, trials: &[PastTrial<'_>], norms: &[f64]) -> Vec<f64> {
        let (mut largest, mut added) = (0.0_f64, Vec::new());
        let mut raising = Raising::default();
        for (trial, norm_sq) in trials.iter().zip(norms) {
            largest = largest.max(*norm_sq);
            if trial.updated {
                added.push(match self.added {
                    AddedDiagonal::Fixed(a) => a,
                    AddedDiagonal::Raised { a, changes } => {
                        raising.next(a, changes, trial.x, *norm_sq)
                    }
                    AddedDiagonal::Adaptive { c, r2 } => {
                        c * r2.unwrap_or(largest) * (added.len() + 1) as f64
                    }
                    AddedDiagonal::Nothing => 0.0,
                });
            }
        }
        added
    }
}

/// What the factors of a bound need of the updates of a run.
#[derive(Clone, Copy)]
struct UpdatesOfRun<'r> {
    matrix: &'r UpdateMatrix,
    /// The rows of the updates; none in the space of a kernel.
    rows: &'r [Row<'r>],
    trials: &'r [PastTrial<'r>],
    /// The squared lengths of the rows of all trials.
    norms: &'r [f64],
}

/// The a of the dual form, update after update.
#[derive(Default)]
struct Raising {
    updates: usize,
    slots: usize,
    trace: f64,
    base: f64,
    is_primal: bool,
}

impl Raising {
    /// What a was when the next update, of this row, was decided.
    fn next(&mut self, a: f64, changes: bool, x: Row<'_>, norm_sq: f64) -> f64 {
        let decided = self.base.max(a);
        if self.is_primal {
            return a;
        }
        self.base = raised(decided, norm_sq);
        self.updates += 1;
        self.slots = self.slots.max(x.last_slot().map_or(0, |j| j as usize + 1));
        self.trace += norm_sq;
        self.is_primal = changes && outgrown(self.updates, self.slots, self.trace, a, self.base);
        decided
    }
}

/// `L + sqrt(quadratic (factor + more))`, with the theorem's factor, if it has one, and the observed one.
fn shape(hinge: Up, quadratic: Up, spectral: Option<Up>, observed: Up, more: Up) -> Certificate {
    let bound = |factor: Up| hinge + (quadratic * (factor + more)).sqrt();
    let least = spectral.map_or(observed, |spectral| spectral.min(observed));
    let mut ingredients = vec![
        ("hinge", hinge.value()),
        ("quadratic", quadratic.value()),
        ("observed", observed.value()),
    ];
    if let Some(spectral) = spectral {
        ingredients.push(("spectral", spectral.value()));
        ingredients.push(("theorem", bound(spectral).value()));
    }
    Certificate {
        theorem: "",
        name: "",
        counted: 0,
        bound: bound(least).value(),
        ingredients,
    }
}

/// The rows of the updates, and one more than their highest slot.
pub(super) fn updates<'a>(trials: &[PastTrial<'a>]) -> (Vec<Row<'a>>, usize) {
    let rows: Vec<Row<'a>> = trials.iter().filter(|t| t.updated).map(|t| t.x).collect();
    let last = rows.iter().filter_map(Row::last_slot).max();
    (rows, last.map_or(0, |j| j as usize + 1))
}

/// `(R^2/s) ln((R^2 + s m)/(R^2 + s))` for the s that was rounded to this one.
fn growth(r2: Up, s: f64, m: usize) -> Up {
    let low = s.next_down();
    let more = Up::new(s) * Up::new(m.saturating_sub(1) as f64);
    let part = more.over((r2.value() + low).next_down());
    r2.over(low) * part.ln_1p()
}

/// What a sum of products may be wrong by, relative to its size and for each of its terms.
pub(super) const ROUNDING: f64 = 8.0 * f64::EPSILON;

/// The factor is recomputed when a has grown by this.
const REFACTOR: f64 = 2.0;

/// All about the updates that the factors need, in the smaller of two forms.
pub(super) enum UpdateMatrix {
    /// X'X; and how many products an entry is a sum of.
    Rows(Vec<f64>, usize),
    /// XX', and how many products an entry is a sum of.
    Pairs(Vec<f64>, usize),
}

impl UpdateMatrix {
    pub(super) fn of(rows: &[Row<'_>], slots: usize) -> Self {
        let mut triangle = Vec::new();
        if rows.len() > slots {
            linalg::triangle_grow_zero(&mut triangle, slots);
            for x in rows {
                linalg::triangle_add_outer(&mut triangle, &x.iter());
            }
            return UpdateMatrix::Pairs(triangle, rows.len());
        }
        let mut spread = vec![0.0; slots];
        for (i, x) in rows.iter().enumerate() {
            x.add_to(1.0, &mut spread);
            triangle.extend(rows[..=i].iter().map(|z| z.dot(&spread)));
            for (j, _) in x.iter() {
                spread[j] = 0.0;
            }
        }
        let longest = rows.iter().map(Row::len).max();
        UpdateMatrix::Rows(triangle, longest.unwrap_or(0))
    }

    /// `sum ln(1 + lam/a)`.
    pub(super) fn log_det(&self, a: f64) -> Up {
        let (UpdateMatrix::Rows(triangle, terms) | UpdateMatrix::Pairs(triangle, terms)) = self;
        let n = linalg::triangle_order(triangle);
        let trace: Up = (0..n).map(|i| Up::new(diagonal(triangle, i))).sum();
        // none of the eigenvalues is wrong by more
        let error = Up::new(ROUNDING * (n + terms) as f64) * trace;
        let log = |value: f64| (Up::new(value) + error).over(a).ln_1p();
        match linalg::eigenvalues(triangle) {
            Some(values) => values.into_iter().map(log).sum(),
            // no sum of n logarithms is larger
            None => Up::new(n as f64) * (trace.over(n as f64) + error).over(a).ln_1p(),
        }
    }

    /// `x'A^-1 x` of each update, A just after it.
    pub(super) fn observed(&self, rows: &[Row<'_>], added: &[f64]) -> Vec<Up> {
        match self {
            UpdateMatrix::Rows(gram, terms) => observed_by_rows(gram, added, *terms),
            UpdateMatrix::Pairs(triangle, _) => {
                observed_by_pairs(rows, added, linalg::triangle_order(triangle))
            }
        }
    }
}

/// `x'A^-1 x = 1 - a e'B^-1 e` with `B = a I + X'X` and e the last unit vector. For any z near `B^-1 e`,
/// `2 e.z - z'Bz` is no larger than `e'B^-1 e`, and as near as z squared.
fn observed_by_rows(gram: &[f64], added: &[f64], terms: usize) -> Vec<Up> {
    let (mut factor, mut base) = (Vec::new(), 0.0);
    let mut each = Vec::new();
    for (k, &a) in added.iter().enumerate() {
        let before = linalg::triangle_len(k) as usize;
        let end = linalg::triangle_len(k + 1) as usize;
        if a > REFACTOR * base {
            base = a;
            factor = linalg::cholesky(gram[..before].to_vec(), base);
        }
        let mut known = gram[before..end - 1].to_vec();
        let s = linalg::schur(&factor, &mut known, gram[end - 1], base);
        factor.extend(known);
        factor.push(s.sqrt());
        let times = |p: &[f64], out: &mut [f64]| {
            linalg::triangle_apply(&gram[..end], p, out);
            for (out, p) in out.iter_mut().zip(p) {
                *out += a * p;
            }
        };
        let mut e = vec![0.0; k + 1];
        e[k] = 1.0;
        let z = linalg::solve_near(&factor, times, &e);
        let mut image = vec![0.0; k + 1];
        times(&z, &mut image);
        let size = size(&gram[..end], &z, a);
        let error = (k + terms + 4) as f64 * ROUNDING * (a * size * size + 1.0);
        let term = 1.0 - a * (2.0 * z[k] - linalg::dot(&z, &image));
        each.push((Up::new(term) + Up::new(error)).min(Up::new(1.0)));
    }
    each
}

fn diagonal(s: &[f64], i: usize) -> f64 {
    s[linalg::triangle_len(i + 1) as usize - 1]
}

/// `sum |z_i| (S_ii + a)^(1/2)`: its square is no less than `sum |z_i| |(S + a I)_ij| |z_j|`, by which rounding of
/// `z'(S + a I) z` is measured.
fn size(s: &[f64], z: &[f64], a: f64) -> f64 {
    let term = |(i, z): (usize, &f64)| z.abs() * (diagonal(s, i) + a).sqrt();
    z.iter().enumerate().map(term).sum()
}

/// For any z near `A^-1 x`, with what is left `r = x - A z`: `x'A^-1 x = 2 x.z - z'Az + r'A^-1 r`, and the
/// last is at most `|r|^2/a`.
fn observed_by_pairs(rows: &[Row<'_>], added: &[f64], slots: usize) -> Vec<Up> {
    let (mut products, mut factor) = (Vec::new(), Vec::new());
    linalg::triangle_grow_zero(&mut products, slots);
    let (mut base, mut each) = (0.0, Vec::new());
    for (x, &a) in rows.iter().zip(added) {
        let mut spread = vec![0.0; slots];
        x.add_to(1.0, &mut spread);
        linalg::triangle_add_outer(&mut products, &x.iter());
        if a > REFACTOR * base {
            base = a;
            factor = linalg::cholesky(products.clone(), base);
        } else {
            let mut unused = vec![0.0; slots];
            linalg::rotate_in(&mut factor, &mut unused, &spread, 0.0);
        }
        let times = |p: &[f64], out: &mut [f64]| {
            linalg::triangle_apply(&products, p, out);
            for (out, p) in out.iter_mut().zip(p) {
                *out += a * p;
            }
        };
        let z = linalg::solve_near(&factor, times, &spread);
        let mut image = vec![0.0; slots];
        times(&z, &mut image);
        let (size, unit) = (
            size(&products, &z, a),
            (slots + rows.len()) as f64 * ROUNDING,
        );
        // of the image, and so of what is left
        let wrong = |i: usize| unit * (diagonal(&products, i) + a).sqrt() * size;
        let left = |i: usize| (spread[i] - image[i]).abs() + wrong(i);
        let left: f64 = (0..slots).map(|i| left(i) * left(i)).sum();
        let error = unit * (size * size + 1.0);
        let term = 2.0 * linalg::dot(&spread, &z) - linalg::dot(&z, &image) + left / a;
        each.push((Up::new(term) + Up::new(error)).min(Up::new(1.0)));
    }
    each
}
