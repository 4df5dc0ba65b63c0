//! The second-order perceptron: T8 to T11 of spec/online.md 7.
//!
//! All have the shape `n <= L(U) + sqrt(quadratic (factor + 2 tau n))` for n updates of rows X. The quadratic
//! is `a |U|^2 + U'XX'U`, a that of the last update. The factor is the theorem's (`spectral`, from the
//! eigenvalues of XX' or of the Gram matrix X'X, whichever is smaller), or what the run itself measured
//! (`observed`): `sum over updates of x'A^-1 x`, each with the matrix just after it; the bound takes the
//! smaller. Terms are named so; `theorem` is the bound with the theorem's own factor.

use super::{Certificate, Past, Up, hinge, inner, norm_sq, slack};
use crate::label::Label;
use crate::linalg;
use crate::row::Row;

/// What was added to the diagonal.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Added {
    /// a.
    Fixed(f64),
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
    pub added: Added,
    /// tau.
    pub margin: f64,
}

/// What a bound has whatever U is.
#[derive(Clone, Debug)]
pub struct Factors {
    /// The theorem's factor, if it has one.
    spectral: Option<Up>,
    /// What was observed up to each update.
    observed: Vec<Up>,
    /// a of the last update.
    added: f64,
    /// What a margin adds.
    more: Up,
    updates: u64,
    theorem: &'static str,
    name: &'static str,
}

impl Factors {
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
    pub fn certify(&self, trials: &[Past<'_>], u: &[f64]) -> Certificate {
        let rows = trials.iter().filter(|t| t.updated);
        let squares = rows.map(|t| square(inner(u, t.x))).sum();
        let quadratic = Up::new(self.added) * norm_sq(u) + squares;
        let factors = (self.spectral, last(&self.observed));
        let mut certificate = shape(hinge(trials, u), quadratic, factors, self.more);
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
    pub fn bytes(trials: &[Past<'_>]) -> u128 {
        let (rows, slots) = updates(trials);
        3 * 8 * (rows.len().min(slots) as u128).pow(2) + 8 * slots as u128
    }

    /// What the theorem says of the run, given U by slot.
    pub fn certify(&self, trials: &[Past<'_>], u: &[f64]) -> Certificate {
        self.factors(trials).certify(trials, u)
    }

    /// What the bound has whatever U is.
    pub fn factors(&self, trials: &[Past<'_>]) -> Factors {
        let (rows, slots) = updates(trials);
        let added = self.added_by(trials);
        let last = added.last().copied().unwrap_or(0.0);
        let longest = rows.iter().fold(0.0, |m: f64, x| m.max(x.norm_sq()));
        let ((spectral, observed), theorem, name) = if let Added::Nothing = self.added {
            let factors = without(&rows, longest);
            (factors, "T11", "second-order without a parameter")
        } else {
            let matrix = Matrix::of(&rows, slots);
            let observed = running(matrix.observed(&rows, &added));
            let spectral = matrix.log_det(last);
            match self.added {
                Added::Adaptive { c, r2 } => {
                    let growth = |r2: f64| growth(longest, c * r2, rows.len()) + spectral;
                    let factors = (r2.map(growth), observed);
                    (factors, "T10", "second-order, adaptive a")
                }
                _ => ((Some(spectral), observed), "T8", "second-order, fixed a"),
            }
        };
        Factors {
            spectral,
            observed,
            added: last,
            more: Up::new(2.0 * self.margin * rows.len() as f64),
            updates: rows.len() as u64,
            theorem,
            name,
        }
    }

    /// a of each update.
    fn added_by(&self, trials: &[Past<'_>]) -> Vec<f64> {
        let (mut largest, mut added) = (0.0_f64, Vec::new());
        for trial in trials {
            largest = largest.max(trial.x.norm_sq());
            if trial.updated {
                added.push(match self.added {
                    Added::Fixed(a) => a,
                    Added::Adaptive { c, r2 } => {
                        c * r2.unwrap_or(largest) * (added.len() + 1) as f64
                    }
                    Added::Nothing => 0.0,
                });
            }
        }
        added
    }
}

/// T9: fixed a with a kernel. `gram` are the kernel's values for the updates (lower triangle, row by row),
/// `norm_sq` is `|U|^2` in its space, `values` are `U(x)`, the label and whether there was an update, for
/// all trials.
pub fn kernel(
    (a, margin): (f64, f64),
    gram: Vec<f64>,
    norm_sq: f64,
    values: &[(f64, Label, bool)],
) -> Certificate {
    let n = linalg::triangle_order(&gram);
    let hinge = values.iter().map(|(u, y, _)| slack((*u, 0.0), *y)).sum();
    let updated = values.iter().filter(|(.., updated)| *updated);
    let squares = updated.map(|(u, ..)| square((*u, 0.0))).sum();
    let matrix = Matrix::Rows(gram, 0);
    let observed = matrix.observed(&[], &vec![a; n]).into_iter().sum();
    let factors = (Some(matrix.log_det(a)), observed);
    let more = Up::new(2.0 * margin * n as f64);
    let quadratic = Up::new(a) * Up::new(norm_sq) + squares;
    let mut certificate = shape(hinge, quadratic, factors, more);
    certificate.counted = n as u64;
    (certificate.theorem, certificate.name) = ("T9", "second-order, fixed a, with a kernel");
    certificate
}

/// `L + sqrt(quadratic (factor + more))`, with the theorem's factor, if it has one, and the observed one.
fn shape(
    hinge: Up,
    quadratic: Up,
    (spectral, observed): (Option<Up>, Up),
    more: Up,
) -> Certificate {
    let bound = |factor: Up| hinge + (quadratic * (factor + more)).sqrt();
    let least = spectral.map_or(observed, |spectral| spectral.min(observed));
    let mut terms = vec![
        ("hinge", hinge.value()),
        ("quadratic", quadratic.value()),
        ("observed", observed.value()),
    ];
    if let Some(spectral) = spectral {
        terms.push(("spectral", spectral.value()));
        terms.push(("theorem", bound(spectral).value()));
    }
    Certificate {
        theorem: "",
        name: "",
        counted: 0,
        bound: bound(least).value(),
        terms,
    }
}

/// The rows of the updates, and one more than their highest slot.
pub(super) fn updates<'a>(trials: &[Past<'a>]) -> (Vec<Row<'a>>, usize) {
    let rows: Vec<Row<'a>> = trials.iter().filter(|t| t.updated).map(|t| t.x).collect();
    let last = rows.iter().filter_map(Row::last_slot).max();
    (rows, last.map_or(0, |j| j as usize + 1))
}

pub(super) fn square((value, error): (f64, f64)) -> Up {
    let size = Up::new(value.abs()) + Up::new(error);
    size * size
}

/// `(R^2/s) ln((R^2 + s m)/(R^2 + s))`.
fn growth(r2: f64, s: f64, m: usize) -> Up {
    let part = Up::new(s * m.saturating_sub(1) as f64 / (r2 + s));
    Up::new(r2 / s) * part.ln_1p()
}

/// What a sum of products may be wrong by, relative to its size and for each of its terms.
const ROUNDING: f64 = 8.0 * f64::EPSILON;

/// The factor is made anew when a has grown by this.
const REFACTOR: f64 = 2.0;

/// All about the updates that the factors need, in the smaller of two forms.
pub(super) enum Matrix {
    /// X'X; and how many products an entry is a sum of.
    Rows(Vec<f64>, usize),
    /// XX', and how many products an entry is a sum of.
    Pairs(Vec<f64>, usize),
}

impl Matrix {
    pub(super) fn of(rows: &[Row<'_>], slots: usize) -> Self {
        let mut triangle = Vec::new();
        if rows.len() > slots {
            linalg::triangle_grow_zero(&mut triangle, slots);
            for x in rows {
                linalg::triangle_add_outer(&mut triangle, &x.iter());
            }
            return Matrix::Pairs(triangle, rows.len());
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
        Matrix::Rows(triangle, longest.unwrap_or(0))
    }

    /// `sum ln(1 + lam/a)`.
    pub(super) fn log_det(&self, a: f64) -> Up {
        let (Matrix::Rows(triangle, terms) | Matrix::Pairs(triangle, terms)) = self;
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
            Matrix::Rows(gram, terms) => observed_by_rows(gram, added, *terms),
            Matrix::Pairs(triangle, _) => {
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

/// `r + q ln(1 + R^2 m/(q l))`, and the sum over the updates: 1 for each that brought something new, else
/// `x'(XX')^+ x`. l, the smallest positive eigenvalue of XX' at any time, can only fall when the rank rises.
fn without(rows: &[Row<'_>], longest: f64) -> (Option<Up>, Vec<Up>) {
    let mut basis: Vec<Vec<f64>> = Vec::new();
    let (mut factor, mut unused) = (Vec::new(), Vec::new());
    let (mut least, mut observed) = (f64::INFINITY, Up::default());
    let mut series = Vec::new();
    for x in rows {
        let mut all = vec![0.0; x.last_slot().map_or(0, |j| j as usize + 1)];
        x.add_to(1.0, &mut all);
        let (rest, mut coordinates) = linalg::outside(&basis, all);
        let size = linalg::dot(&rest, &rest).sqrt();
        let new = size > linalg::NEW * x.norm(2.0);
        if new {
            basis.push(rest.into_iter().map(|r| r / size).collect());
            coordinates.push(size);
        }
        linalg::rotate_in(&mut factor, &mut unused, &coordinates, 0.0);
        let rank = basis.len();
        if new {
            let (top, low) = linalg::singular_range(&factor).unwrap_or((0.0, 0.0));
            let sure = (low - ROUNDING * (rank + rows.len()) as f64 * top).max(0.0);
            least = least.min(sure * sure);
            observed = observed + Up::new(1.0);
        } else {
            linalg::solve_lower(&factor, &mut coordinates);
            let term = linalg::dot(&coordinates, &coordinates);
            let condition = (longest * rows.len() as f64 / least).sqrt();
            let error = ROUNDING * (rank + rows.len()) as f64 * condition * term;
            observed = observed + (Up::new(term) + Up::new(error)).min(Up::new(1.0));
        }
        series.push(observed);
    }
    let (rank, m) = (basis.len() as f64, rows.len() as f64);
    let q = rank * (rank + 1.0) / 2.0;
    let log = (Up::new(longest) * Up::new(m))
        .over(q.max(1.0) * least)
        .ln_1p();
    (Some(Up::new(rank) + Up::new(q) * log), series)
}
