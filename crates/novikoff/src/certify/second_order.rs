//! The second-order perceptron: T8 to T11.
//! Theory: docs/theory/second-order.md.

use std::collections::BTreeMap;

use super::multipliers::Multipliers;
use super::path::{BoundInputs, DENSE, Path};
use super::search::{self, Best, Goal};
use super::{Ask, CertifiedRun, Chosen, NoCertificate};
use crate::certificate::second_order::{AddedDiagonal, BoundFactors, SecondOrder};
use crate::certificate::{Certificate, Rival};
use crate::dual::loss::margin::Margin;
use crate::kernel::KernelBlock;
use crate::linalg;

/// Features up to which U is looked for in the theorem's metric, which has a number for each pair of them.
pub(super) const PAIRS_UP_TO: usize = 2048;

/// Rows up to which it is in the space of a kernel.
const ROWS_UP_TO: usize = 2048;

/// Multiplications that certifying may take.
const WORK: f64 = 3e11;

/// The share of its mean that the matrix of a=pinv gets on the diagonal, to have a factor.
const RIDGE: f64 = 1e-9;

/// With a kernel U is a sum of rows with coefficients of about 1 over this, and what rounding makes of `|U|^2` grows with their squares.
const RIDGE_OF_VALUES: f64 = 3e-3;

pub(super) fn too_wide(features: usize) -> NoCertificate {
    let most = PAIRS_UP_TO;
    NoCertificate::Wide { features, most }
}

impl Ask<'_, '_> {
    pub(super) fn second_order(&self) -> Result<CertifiedRun, NoCertificate> {
        let p = self.run.parameters;
        let margin = p.real("margin");
        let added = match p.word("a") {
            "adaptive" => AddedDiagonal::Adaptive {
                c: p.real("c"),
                r2: Some(p.real("r2")).filter(|r2| !r2.is_nan()),
            },
            "pinv" => AddedDiagonal::Nothing,
            _ if self.is_linear() && p.word("form") == "primal" => {
                AddedDiagonal::Fixed(p.real("a"))
            }
            _ => AddedDiagonal::Raised {
                a: p.real("a"),
                changes: self.is_linear() && p.word("form") == "auto",
            },
        };
        self.eigenvalues_are_affordable()?;
        let theorem = SecondOrder { added, margin };
        Ok(if self.is_linear() {
            self.second_order_linear(theorem)
        } else {
            self.second_order_kernel(theorem)
        })
    }

    /// An error where the eigenvalues of the updates' rows are too many.
    pub(super) fn eigenvalues_are_affordable(&self) -> Result<(), NoCertificate> {
        let updates = self.trials.past.iter().filter(|t| t.updated).count();
        let side = if self.is_linear() {
            updates.min(self.run.rows.slots())
        } else {
            updates
        };
        let work = side as f64 * side as f64 * updates as f64;
        if work > WORK || (24 * side * side) as u128 > self.run.memory {
            Err(NoCertificate::Eigenvalues { side })
        } else {
            Ok(())
        }
    }

    /// Solutions in the metric `a I + sum x x'` of the updates, if that is affordable, else in the learner's own space; and how to
    /// find `U'AU` there; and whether its root is the path's own norm.
    pub(super) fn path_of_updates(
        &self,
        a: f64,
    ) -> (Path<'_>, impl Fn(&BoundInputs) -> f64 + use<>, bool) {
        let (past, rows) = (&self.trials.past, self.run.rows);
        let slots = rows.slots();
        // without updates there is no metric, and length costs nothing
        let images = rows.len() as f64 * slots as f64 * slots as f64;
        let affordable =
            slots <= PAIRS_UP_TO && self.is_affordable(slots) && self.budget.allows(DENSE * images);
        let in_metric = affordable && past.iter().any(|t| t.updated);
        let mut is_norm = in_metric;
        let mut path = if in_metric {
            let mut matrix = Vec::new();
            linalg::triangle_grow_zero(&mut matrix, slots);
            let mut trace = 0.0;
            for t in past.iter().filter(|t| t.updated) {
                linalg::triangle_add_outer(&mut matrix, &t.x.iter());
                trace += t.x.norm_sq();
            }
            let least = (RIDGE * trace / slots as f64).max(f64::MIN_POSITIVE);
            is_norm = a >= least;
            let aims = self.trials.aims.clone();
            Path::metric(rows, matrix, a.max(least), aims, self.options()).of(self.given())
        } else {
            self.path()
        };
        path.count_updates(&self.updates_of_rows());
        let quadratic = move |shape: &BoundInputs| {
            let square = shape.norm * shape.norm;
            if in_metric {
                square
            } else {
                a * square + shape.squares
            }
        };
        (path, quadratic, is_norm)
    }

    fn second_order_linear(&self, theorem: SecondOrder) -> CertifiedRun {
        let past = &self.trials.past;
        let factors = theorem.factors(past);
        let more = 2.0 * theorem.margin * factors.updates() as f64;
        let factor = factors.least() + more;
        let a = factors.added();
        let (mut path, quadratic, is_norm) = self.path_of_updates(a);
        let bound = |shape: &BoundInputs| shape.hinge + (quadratic(shape) * factor).sqrt();
        let kappa = is_norm.then(|| factor.sqrt());
        let chosen = self.second_order_search(&mut path, &bound, kappa);
        let rival = self.rival(&chosen.vector);
        let certificate = factors.against(past, &rival);
        self.second_order_answer(certificate, (&chosen, &rival), &factors, more)
    }

    /// The U of the least bound, `L + kappa |U|` in the norm of the path if there is a kappa.
    pub(super) fn second_order_search(
        &self,
        path: &mut Path<'_>,
        bound: &dyn Fn(&BoundInputs) -> f64,
        kappa: Option<f64>,
    ) -> Chosen {
        let mu = path.mean_square();
        let says = |m: &Multipliers| m.sum_of_loss_and_norm(kappa.unwrap_or(0.0));
        let goal = Goal {
            bound,
            least: kappa.map(|_| &says as &dyn Fn(&Multipliers) -> f64),
        };
        let best: Best = search::best(path, Margin::HINGE, mu, self.effort, goal);
        let found = if best.bound < self.trials.past.len() as f64 {
            best.found
        } else {
            path.zero()
        };
        Chosen::new(found, best.least, best.solves)
    }

    /// How often each row was learned from.
    pub(super) fn updates_of_rows(&self) -> Vec<f64> {
        let mut updates = vec![0.0; self.run.rows.len()];
        for (t, &row) in self.trials.past.iter().zip(&self.trials.row) {
            updates[row as usize] += f64::from(u8::from(t.updated));
        }
        updates
    }

    fn second_order_answer(
        &self,
        certificate: Certificate,
        (chosen, rival): (&Chosen, &Rival),
        factors: &BoundFactors,
        more: f64,
    ) -> CertifiedRun {
        let (a, series) = (factors.added(), factors.series());
        let learned = factors.learned(&self.trials.past, rival);
        let term = |name: &str| certificate.ingredient(name);
        let observed = term("observed").unwrap_or(0.0);
        let factor = term("spectral").map_or(observed, |spectral| spectral.min(observed));
        let norm_sq = learned.norm_sq().value();
        let sizes = learned.values().map(|u| u.value.abs() + u.error);
        let sizes: Vec<f64> = sizes.collect();
        let (mut hinge, mut squares, mut n) = (0.0, 0.0, 0);
        let curve = self.curve(&learned, |k, t, xi| {
            hinge += xi;
            if t.updated {
                squares += sizes[k] * sizes[k];
                n += 1;
            }
            // what was observed until then, where that is known
            let until = match n {
                0 => 0.0,
                n => series.get(n - 1).map_or(factor, |q| q.min(factor)),
            };
            hinge + ((a * norm_sq + squares) * (until + more)).sqrt()
        });
        let hinge = certificate.ingredient("hinge").unwrap_or(0.0);
        let counts_updates = more > 0.0;
        let mut answer = self.answer(
            certificate,
            (chosen, rival),
            hinge,
            "spectral",
            counts_updates,
        );
        answer.curve = curve;
        answer
    }

    fn second_order_kernel(&self, theorem: SecondOrder) -> CertifiedRun {
        let past = &self.trials.past;
        let updates = past.iter().zip(&self.trials.row).filter(|(t, _)| t.updated);
        let rows: Vec<usize> = updates.map(|(_, &row)| row as usize).collect();
        let all = KernelMatrix::of(self);
        let mut gram = Vec::new();
        for (k, &i) in rows.iter().enumerate() {
            match &all {
                Some(all) => gram.extend(rows[..=k].iter().map(|&j| all.at(i, j))),
                None => gram.extend(self.values_with(i, &rows[..=k])),
            }
        }
        let trace: f64 = rows.iter().map(|&i| self.trials.norms[i]).sum();
        let factors = theorem.factors_in_kernel(gram, past, &self.trials.norms_of_trials());
        let more = 2.0 * theorem.margin * rows.len() as f64;
        let factor = factors.least() + more;
        let a = factors.added();
        let metric = all.filter(|_| !rows.is_empty() && self.run.given.is_none());
        let in_metric = metric.is_some();
        let ridge = RIDGE_OF_VALUES * trace / rows.len().max(1) as f64;
        let mut path = match &metric {
            Some(all) => self.kernel_metric(all, a.max(ridge)),
            None => self.path(),
        };
        path.count_updates(&self.updates_of_rows());
        let bound = |shape: &BoundInputs| {
            let quadratic = if in_metric {
                shape.norm * shape.norm
            } else {
                a * shape.norm * shape.norm + shape.squares
            };
            shape.hinge + (quadratic * factor).sqrt()
        };
        // the ridge that pinv's metric needs makes it no norm of the theorem
        let kappa = (in_metric && a >= ridge).then(|| factor.sqrt());
        let mut chosen = self.second_order_search(&mut path, &bound, kappa);
        let against = |chosen: &Chosen| {
            let rival = self.rival(&chosen.vector);
            let certificate = factors.against(past, &rival);
            (rival, certificate)
        };
        let (mut rival, mut certificate) = against(&chosen);
        let zero = Chosen::new(path.zero(), chosen.least, chosen.solves);
        let nothing = against(&zero);
        if certificate.bound > nothing.1.bound {
            (chosen, (rival, certificate)) = (zero, nothing);
        }
        self.second_order_answer(certificate, (&chosen, &rival), &factors, more)
    }

    fn values_with(&self, i: usize, others: &[usize]) -> Vec<f64> {
        let (problem, kernel) = (self.run.rows, self.run.kernel);
        let row = |j: usize| kernel.row(problem.row(j));
        let own = row(i);
        let values = others.iter().map(|&j| kernel.value(own, row(j)));
        values.collect()
    }

    /// The path in the metric `a I + sum x x'` of the updates: its kernel is `(K - K_M (a D^-1 + G)^-1 K_M')/a`, D how often each row of M
    /// was learned from.
    fn kernel_metric(&self, all: &KernelMatrix, a: f64) -> Path<'_> {
        let n = self.run.rows.len();
        let times: BTreeMap<usize, f64> = self
            .updates_of_rows()
            .into_iter()
            .enumerate()
            .filter(|(_, times)| *times > 0.0)
            .collect();
        let met: Vec<usize> = times.keys().copied().collect();
        let mut inner = Vec::new();
        for (k, (&i, times)) in times.iter().enumerate() {
            inner.extend(met[..=k].iter().map(|&j| all.at(i, j)));
            if let Some(own) = inner.last_mut() {
                *own += a / times;
            }
        }
        let factor = linalg::cholesky(inner, 0.0);
        let image = |i: usize| {
            let mut column: Vec<f64> = met.iter().map(|&j| all.at(i, j)).collect();
            linalg::solve_lower(&factor, &mut column);
            column
        };
        let images: Vec<Vec<f64>> = (0..n).map(image).collect();
        let mut matrix = Vec::with_capacity(n * (n + 1) / 2);
        for (i, image) in images.iter().enumerate() {
            for (j, other) in images[..=i].iter().enumerate() {
                let value = all.at(i, j) - linalg::dot(image, other);
                matrix.push(value.max(if i == j { 0.0 } else { f64::MIN }) / a);
            }
        }
        let back = move |c: &[f64]| {
            let mut sum = vec![0.0; met.len()];
            for (c, image) in c.iter().zip(&images).filter(|(c, _)| **c != 0.0) {
                for (sum, v) in sum.iter_mut().zip(image) {
                    *sum += c * v;
                }
            }
            linalg::solve_upper(&factor, &mut sum);
            let mut out = c.to_vec();
            for (&i, s) in met.iter().zip(&sum) {
                out[i] -= s;
            }
            for c in &mut out {
                *c /= a;
            }
            out
        };
        let aims = self.trials.aims.clone();
        Path::kernel_metric(self.gram(), a, matrix, Box::new(back), aims, self.options())
    }
}

/// All values of the kernel.
struct KernelMatrix {
    n: usize,
    values: Vec<f64>,
}

impl KernelMatrix {
    fn of(ask: &Ask<'_, '_>) -> Option<Self> {
        let n = ask.run.rows.len();
        if n > ROWS_UP_TO || (16 * n * n) as u128 > ask.run.memory {
            return None;
        }
        let (problem, kernel) = (ask.run.rows, ask.run.kernel);
        let block = KernelBlock::new(kernel, (0..n).map(|i| problem.row(i)));
        let mut values = vec![0.0; n * n];
        for g in 0..block.groups() {
            let with = (0..n).map(|i| problem.row(i));
            let with = with.map(|x| (x, kernel.facts(x)));
            block.values(
                g,
                with,
                #[inline(always)]
                |i, j, value| values[i * n + j] = value,
            );
        }
        Some(KernelMatrix { n, values })
    }

    fn at(&self, i: usize, j: usize) -> f64 {
        self.values[i * self.n + j]
    }
}
