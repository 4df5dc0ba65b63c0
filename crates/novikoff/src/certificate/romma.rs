//! ROMMA and the ideal maximum margin algorithm: T14 to T16 (docs/theory/romma.md), and how near w is to the SVM.
//!
//! A trial with `y w.x < 1 - del` makes `|w|^2` grow by at least `del^2/|x|^2`, and w never becomes longer than a U with
//! `y U.x >= 1` on all rows. So n such trials have `del^2 sum 1/|x|^2 <= |U|^2`; del = 1 for mistakes. Without noise U
//! must separate the rows, and is divided by its least `y U.x` (`least`). With noise lam any U will do: every example
//! has `|x|^2 + lam` for `|x|^2`, and U with its own features has `|U|^2 + (1/lam) sum xi^2` for `|U|^2`, the sum (`slacks`) over the
//! examples, each counted once. Terms: `norm_sq` is that square, `inverses` the sum of `1/|x|^2` over the trials
//! counted, `longest` the largest `|x|^2` of all; `theorem` is `longest norm_sq/del^2`, the bound the sharper
//! `n norm_sq/(del^2 inverses)`.
//!
//! Rounding: `least`, `inverses` and del, by which something is divided, are rounded down, del by 1e-9, more than the learner's margins
//! are wrong; `longest` is rounded up.

use std::collections::BTreeSet;

use super::{
    Certificate, Inexact, LENGTH, NotApplicable, Up, inner, least_margin, norm_sq, slack, square_of,
};
use crate::label::Label;
use crate::row::Row;

/// By how much the learner's margins are taken to be wrong: far more than rounding makes them.
const SLACK: f64 = 1e-9;

/// One trial of a finished run, of a row that is not zero.
#[derive(Clone, Copy, Debug)]
pub struct Visit<'a> {
    /// The row.
    pub x: Row<'a>,
    /// Its label.
    pub y: Label,
    /// The margin of the trial, as reported.
    pub margin: f64,
    /// Which example it is, if it came again.
    pub id: Option<u64>,
}

/// One trial of a finished run, of a row that is known by a kernel.
#[derive(Clone, Copy, Debug)]
pub struct KernelTrial {
    /// `|x|^2` in the kernel's space.
    pub norm_sq: f64,
    /// `U(x)`, and how wrong it can be.
    pub of_u: Inexact,
    /// Its label.
    pub y: Label,
    /// The margin of the trial, as reported.
    pub margin: f64,
    /// Which example it is, if it came again.
    pub id: Option<u64>,
}

/// The run's parameters.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct MaximumMargin {
    /// Right answers of a margin below 1 were corrected too.
    pub aggressive: bool,
    /// lam.
    pub noise: f64,
}

impl MaximumMargin {
    /// What the theorem says of the run's mistakes, given U by slot, or why it says nothing.
    pub fn certify(&self, trials: &[Visit<'_>], u: &[f64]) -> Result<Certificate, NotApplicable> {
        self.certify_values(&values(trials, u), norm_sq(u).value())
    }

    /// What the theorem says of the run's mistakes with a kernel, given `|U|^2` in its space, or why it says nothing.
    pub fn certify_values(
        &self,
        trials: &[KernelTrial],
        norm_sq: f64,
    ) -> Result<Certificate, NotApplicable> {
        let (theorem, name) = match (self.noise > 0.0, self.aggressive) {
            (true, _) => ("T16", "maximum margin with noise control"),
            (false, true) => ("T15", "aggressive ROMMA"),
            (false, false) => ("T14", "maximum margin"),
        };
        let mistake = |t: &KernelTrial| Label::of(t.margin) != t.y;
        let mut certificate = self.count(trials, norm_sq, mistake, 1.0)?;
        (certificate.theorem, certificate.name) = (theorem, name);
        Ok(certificate)
    }

    /// What the theorem says of the trials with `y w.x < 1 - del`, `0 < del <= 1`, of a learner that corrects right
    /// answers too.
    pub fn certify_short(
        &self,
        del: f64,
        trials: &[Visit<'_>],
        u: &[f64],
    ) -> Result<Certificate, NotApplicable> {
        let trials = values(trials, u);
        let short = |t: &KernelTrial| t.y.sign() * t.margin < 1.0 - del;
        let mut certificate = self.count(&trials, norm_sq(u).value(), short, del)?;
        certificate.theorem = if self.noise > 0.0 { "T16" } else { "T15" };
        certificate.name = "trials of a margin below 1 - del";
        Ok(certificate)
    }

    fn count(
        &self,
        trials: &[KernelTrial],
        u_sq: f64,
        counted: impl Fn(&KernelTrial) -> bool,
        del: f64,
    ) -> Result<Certificate, NotApplicable> {
        let mut ingredients = Vec::new();
        let norm_sq = if self.noise > 0.0 {
            let slacks = slacks(trials);
            ingredients.push(("slacks", slacks.value()));
            Up::new(u_sq) + slacks.over(self.noise)
        } else {
            let least = least_margin(trials.iter().map(|t| (t.of_u, t.y)));
            if least <= 0.0 {
                return Err(NotApplicable::DoesNotSeparate);
            }
            ingredients.push(("least", least));
            Up::new(u_sq).over((least * least).next_down())
        };
        let square = |t: &KernelTrial| t.norm_sq + self.noise;
        let longest = trials.iter().map(square).fold(0.0, f64::max);
        let counted: Vec<f64> = trials.iter().filter(|t| counted(t)).map(square).collect();
        let n = counted.len() as f64;
        let inverses: f64 = counted.iter().map(|square| 1.0 / square).sum();
        // no larger than it is
        let inverses = inverses * (1.0 - LENGTH - 4.0 * (n + 4.0) * f64::EPSILON);
        let grown = ((del - SLACK) * (del - SLACK)).next_down();
        let theorem = (norm_sq * square_of(longest)).over(grown);
        let bound = if counted.is_empty() {
            theorem
        } else {
            (Up::new(n) * norm_sq).over((grown * inverses).next_down())
        };
        ingredients.extend([
            ("norm_sq", norm_sq.value()),
            ("inverses", inverses),
            ("longest", longest),
            ("theorem", theorem.value()),
        ]);
        Ok(Certificate {
            theorem: "",
            name: "",
            counted: counted.len() as u64,
            bound: bound.value(),
            ingredients,
        })
    }
}

fn values(trials: &[Visit<'_>], u: &[f64]) -> Vec<KernelTrial> {
    let value = |t: &Visit<'_>| KernelTrial {
        norm_sq: t.x.norm_sq(),
        of_u: inner(u, t.x),
        y: t.y,
        margin: t.margin,
        id: t.id,
    };
    trials.iter().map(value).collect()
}

/// `sum xi^2` over the examples.
fn slacks(trials: &[KernelTrial]) -> Up {
    let mut met = BTreeSet::new();
    let first = |t: &&KernelTrial| t.id.is_none_or(|id| met.insert(id));
    let square = |t: &KernelTrial| {
        let xi = slack(t.of_u, t.y);
        xi * xi
    };
    trials.iter().filter(first).map(square).sum()
}

/// How near a w is to U*, the shortest vector with `y U.x >= 1` on all rows (with their own features, if there was
/// noise): what a learner that was cycled over the rows may stop at.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Convergence {
    /// del: all rows have `y w.x >= 1 - del`, and the geometric margin of w is at least `1 - del` of the best.
    pub del: f64,
    /// A lower bound of `|U*|`: `|w|`.
    pub least: f64,
    /// An upper bound of `|U*|`: `|w|/(1 - del)`.
    pub most: f64,
    /// An upper bound of `|w/(1 - del) - U*|`.
    pub distance: f64,
}

impl Convergence {
    /// Of the w of a run of ROMMA or the ideal algorithm, given `|w|^2` and all `y w.x`; none if one is not positive.
    pub fn of(norm_sq: f64, margins: impl IntoIterator<Item = f64>) -> Option<Self> {
        let least = margins.into_iter().fold(1.0, f64::min);
        // taken for smaller than rounding can have made it
        let reached = least * (1.0 - SLACK);
        if reached.is_nan() || reached <= 0.0 {
            return None;
        }
        let norm = norm_sq.sqrt();
        let most = Up::new(norm).over(reached);
        let square = Up::new(1.0).over((reached * reached).next_down());
        let over = Up::new(square.value() - 1.0);
        Some(Convergence {
            del: Up::new(1.0 - reached).value(),
            least: norm * (1.0 - SLACK),
            most: most.value(),
            distance: (most * over.sqrt()).value(),
        })
    }
}
