//! The certificate of a finished run: the learner's theorem, with a good vector to compete with.
//!
//! A theorem holds for every U; the smaller its bound, the more it says. U is looked for by the dual solver, as a rule the one that minimises
//! `L(U) + (mu/2) |U|^2` over all trials for the best mu, in the norm of the theorem. What is printed is then recomputed from U
//! itself and rounded up ([`crate::certificate`]), so that no error of the solver can make a bound wrong, only larger.

mod alma;
mod arow;
mod budget;
mod budget_of_work;
mod comparator;
mod diary;
mod first_order;
mod formula;
mod higher_order;
mod hull;
mod logistic;
mod maximum_margin;
mod multiplicative;
mod multipliers;
mod own;
mod passive_aggressive;
mod path;
mod points;
mod reason;
mod reweighted;
mod search;
mod second_order;
mod selective;
mod trials;

pub use comparator::{Comparator, GivenComparator, values_of_sum};
pub use diary::{Bits, ClassDiary, Diary};
pub use formula::{Formula, MathExpression, MathSymbol, Notation};
pub use reason::NoCertificate;
pub use search::Effort;
pub use trials::{Finished, RowSummaries, SearchProgress, inner_product};

use crate::catalog::{RowKnowledge as KnownOf, Theorem};
use crate::certificate::{Certificate, Inexact, PastTrial, Rival, Up, norm_sq};
use crate::dual::Gram;
use crate::kernel::Kernel;
use crate::spec::Spec;
use budget_of_work::Budget;
use path::{CandidateVector, Path, PathOptions, PathVector, times};
use trials::Trials;

/// A certificate, and what is known about its U.
#[derive(Clone, Debug)]
pub struct CertifiedRun {
    /// The certificate, of rows that are not zero.
    pub certificate: Certificate,
    /// The theorem counts updates, not mistakes.
    pub counts_updates: bool,
    /// What it counts, zero rows included.
    pub counted: u64,
    /// The bound, zero rows included.
    pub bound: f64,
    /// What the bound is the sum of.
    pub terms: Vec<(&'static str, f64)>,
    /// U itself.
    pub comparator: Comparator,
    /// The length of U in the norm that the theorem names: the 2-norm, that of the kernel's space, the q-norm or the 1-norm.
    pub norm: f64,
    /// `L(U)`, the hinge loss of U over all trials, zero rows included; none where the theorem has a threshold instead of a margin.
    pub hinge: Option<f64>,
    /// How far the bound is at most from the least bound of its theorem, relative to the bound, from 0 to 1: no U makes it smaller
    /// than `bound (1 - gap)`, but for rounding. None where that is not known, and for a vector that was given.
    pub gap: Option<f64>,
    /// How many problems were solved.
    pub solves: u32,
    /// Pairs of a number of trials and the bound after them, by the same U.
    pub curve: Vec<(u64, f64)>,
    /// The bound is of what is expected, over the learner's coins; a run may do worse.
    pub expected: bool,
    /// If the rows were separated: the margin of a vector of length 1, and the square of the longest row over it.
    pub separable: Option<(f64, f64)>,
    /// The theorem as a formula, with the values of the run; none of a theorem from outside of this library.
    pub formula: Option<Formula>,
}

/// The certificate of a run, or why there is none.
///
/// ```
/// use novikoff::certify::{Diary, Effort, Finished, certify};
/// use novikoff::dual::{Aim, Problem};
/// use novikoff::{Label, Model, Row, Rows, learners::Perceptron, run};
///
/// let (mut rows, mut aims) = (Rows::new(), Vec::new());
/// for t in 0..200_i16 {
///     let x = [t * 7 % 13 - 6, t * 5 % 11 - 5].map(f32::from);
///     let y = Label::of(f64::from(x[0] + 2.0 * x[1]));
///     rows.add(y, Row::dense(&x));
///     aims.push(Aim::label(y));
/// }
/// let mut model = Model::builder(Perceptron::default()).build()?;
/// let mut diary = Diary::default();
/// run::block(&mut model, rows.view(), 0..rows.len(), run::Position::default(), &mut diary)?;
///
/// let problem = Problem::new(rows.view(), Vec::new(), aims);
/// let answer = certify(&Finished::of(&model, &problem, &diary, 0)?, Effort::Full)?;
/// assert_eq!((answer.counted, answer.certificate.theorem), (10, "T2"));
/// assert!(answer.certificate.holds() && answer.bound < 100.0);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn certify(run: &Finished<'_>, effort: Effort) -> Result<CertifiedRun, NoCertificate> {
    let (rows, values) = (run.rows.len() as f64, run.rows.values() as f64);
    if run.kernel != Kernel::LINEAR && rows * values > PAIRS {
        let rows = run.rows.len();
        return Err(NoCertificate::ManyPairs { rows });
    }
    let needed = BYTES * (run.order.len() as u128 + run.rows.len() as u128);
    if needed > run.memory {
        let [needed, limit] = [needed, run.memory].map(|bytes| bytes >> 20);
        return Err(NoCertificate::Memory { needed, limit });
    }
    let rows_were_kept = run.summaries.is_none();
    let summaries = run.summaries();
    let run = &summaries.as_ref().map_or(*run, |(norms, values)| Finished {
        summaries: Some(RowSummaries { norms, values }),
        ..*run
    });
    let trials = Trials::of(run);
    let is_linear = run.kernel == Kernel::LINEAR;
    if run
        .given
        .is_some_and(|given| given.slots().is_some() != is_linear)
    {
        return Err(NoCertificate::OtherSpace);
    }
    if trials.past.is_empty() {
        return Err(NoCertificate::ZeroRows);
    }
    let ask = Ask {
        run: *run,
        rows_were_kept,
        trials: &trials,
        budget: Budget::new(run.rows.len(), trials.work(run)),
        effort: if run.given.is_some() {
            Effort::Quick
        } else {
            effort
        },
    };
    let theorem = run.spec.theorem(run.parameters, run.kernel)?;
    let mut answer = ask.answered(theorem)?;
    let zero_rows = trials.zero.0;
    answer.formula = Formula::of(&theorem, run.parameters, &answer.certificate, zero_rows);
    if !(run.goes_on)() {
        return Err(NoCertificate::Interrupted);
    }
    if !answer.bound.is_finite() {
        return Err(NoCertificate::Infinite);
    }
    let mistakes = run.page.mistakes.count();
    if answer.counts_updates || answer.counted == mistakes {
        Ok(answer)
    } else {
        Err(NoCertificate::Unlearned)
    }
}

/// How many points a curve has at most.
const POINTS: usize = 512;

/// What a point may be wrong by, relative to its size: more than rounding makes it with a million trials.
const ROUNDING: f64 = 1e-9;

/// A run whose certificate is asked for.
struct Ask<'r, 't> {
    run: Finished<'r>,
    rows_were_kept: bool,
    trials: &'t Trials<'r>,
    effort: Effort,
    budget: Budget,
}

impl Ask<'_, '_> {
    /// By the learner's theorem.
    fn answered(&self, theorem: Theorem) -> Result<CertifiedRun, NoCertificate> {
        let (ask, run) = (self, &self.run);
        if !self.rows_were_kept && theorem.facts().rows == KnownOf::Values {
            let learner = run.spec.name();
            return Err(NoCertificate::RowsNotKept { learner });
        }
        match theorem {
            Theorem::FirstOrder { margin } => Ok(ask.first_order(margin)),
            Theorem::PNorm { p, margin } => Ok(ask.p_norm(p, margin)),
            Theorem::ExponentiatedGradient { eta } => Ok(ask.eg(eta)),
            Theorem::Winnow { alpha, theta } => ask.winnow(alpha, theta),
            Theorem::MaximumMargin { aggressive, noise } => ask.romma(aggressive, noise),
            Theorem::Forgetron { budget } => ask.forgetron(budget),
            Theorem::Projectron { eta } => ask.projectron(eta),
            Theorem::Shifting { lambda } => ask.shifting(lambda),
            Theorem::Selective { .. } => ask.selective(),
            Theorem::Whitened { ridge } => ask.whitened(ridge),
            Theorem::SecondOrder { .. } => ask.second_order(),
            Theorem::HigherOrder { .. } => ask.higher_order(),
            Theorem::Alma { p, alpha } => ask.alma(p, alpha),
            Theorem::PassiveAggressive { .. } => Ok(ask.passive_aggressive()),
            Theorem::Arow { r } => ask.arow(r),
            Theorem::Logistic => Ok(ask.logistic()),
            Theorem::Own(own) => Ok(ask.own(own)),
        }
    }

    /// Whether rows with this many slots can be held and transformed.
    fn is_affordable(&self, slots: usize) -> bool {
        let (rows, slots) = (self.run.rows.len() as f64, slots as f64);
        8.0 * rows * slots <= self.run.memory as f64 / 2.0 && rows * slots * slots <= WORK
    }
}

/// Whether a learner's theorem knows rows by their lengths and what U says of them alone.
#[doc(hidden)] // for jobs over streams
pub fn needs_summaries_only(spec: &Spec) -> bool {
    // the width makes no difference to what a theorem knows
    let theorem = spec.parameters(Some(1)).ok();
    let theorem = theorem.and_then(|p| spec.theorem(&p, Kernel::LINEAR).ok());
    theorem.is_some_and(|theorem| theorem.facts().rows == KnownOf::LengthAndProduct)
}

/// Bytes that certifying one binary problem takes beside the rows, for each row of a run over them once.
#[doc(hidden)] // for jobs over streams
pub const BYTES_A_ROW: u128 = 2 * BYTES;

/// Bytes of a trial, and of a row.
const BYTES: u128 = 128;

/// Multiplications that the kernel's values of all pairs of rows may take.
const PAIRS: f64 = 3e11;

/// Multiplications that transforming all rows may take.
const WORK: f64 = 1e11;

/// A vector that was decided on.
struct Chosen {
    vector: PathVector,
    /// No vector makes the certificate's bound smaller than this.
    least: Option<f64>,
    solves: u32,
}

impl Chosen {
    fn new(found: CandidateVector, least: Option<f64>, solves: u32) -> Self {
        Chosen {
            vector: found.vector,
            least,
            solves,
        }
    }

    /// For a vector by slot that needs no search.
    fn by_slot(u: Vec<f64>, least: Option<f64>, solves: u32) -> Self {
        Chosen {
            vector: PathVector::Slots(u),
            least,
            solves,
        }
    }

    /// U by slot; nothing in the space of a kernel.
    fn slots(&self) -> &[f64] {
        match &self.vector {
            PathVector::Slots(u) => u,
            PathVector::Coefficients(..) | PathVector::Multiple(_) => &[],
        }
    }
}

impl<'r> Ask<'r, '_> {
    /// The vector to compete with by slot, if it was given so.
    fn given(&self) -> Option<&'r [f64]> {
        self.run.given.and_then(GivenComparator::slots)
    }

    fn is_linear(&self) -> bool {
        self.run.kernel == Kernel::LINEAR
    }

    /// The kernel's values, as they are needed.
    fn gram(&self) -> Gram<'r> {
        let run = &self.run;
        Gram::new(run.rows, run.kernel, run.memory / 2, run.threads).stopped_by(run.stop)
    }

    /// How to solve.
    fn options(&self) -> PathOptions<'r> {
        PathOptions {
            threads: self.run.threads,
            goes_on: self.run.goes_on,
            progress: self.run.progress,
            budget: self.budget.clone(),
            is_rough: self.effort == Effort::Quick,
        }
    }

    /// Solutions in the learner's own space.
    fn path(&self) -> Path<'r> {
        let aims = self.trials.aims.clone();
        if let (Some(summaries), Some(given)) = (self.run.summaries, self.run.given) {
            Path::of_summaries(summaries, given, aims)
        } else if self.is_linear() {
            Path::linear(self.run.rows, aims, self.options()).of(self.given())
        } else {
            Path::kernel(self.gram(), aims, self.options())
        }
    }

    /// What the theorems see of a vector.
    fn rival(&self, vector: &PathVector) -> Rival {
        match vector {
            PathVector::Slots(u) => Rival::new(&self.trials.past, u),
            PathVector::Multiple(s) => {
                let values = self
                    .run
                    .summaries
                    .map_or(&[][..], |summaries| summaries.values);
                let norm_sq = match self.run.given {
                    Some(GivenComparator::Slots(u)) => norm_sq(u),
                    Some(GivenComparator::Sum { norm_sq, .. }) => Up::new(norm_sq),
                    None => Up::default(),
                };
                let rows = self.trials.row.iter();
                let values = rows.map(|&i| times(*s, values[i as usize])).collect();
                let norm_sq = norm_sq * Up::new(s.abs()) * Up::new(s.abs());
                Rival::about(norm_sq.value(), values)
            }
            PathVector::Coefficients(c, values) => {
                let unit = (c.len() + 4) as f64 * f64::EPSILON;
                let (mut norm_sq, mut doubt) = (0.0, Up::default());
                for (c, Inexact { value, error }) in c.iter().zip(values) {
                    norm_sq += c * value;
                    doubt = doubt + Up::new(c.abs()) * Up::new(error + unit * value.abs());
                }
                let norm_sq = norm_sq + doubt.value();
                let rows = self.trials.row.iter();
                Rival::about(norm_sq, rows.map(|&i| values[i as usize]).collect())
            }
        }
    }

    /// The answer for a certificate whose bound is the hinge loss, times something, and a part called `rest`.
    fn answer(
        &self,
        certificate: Certificate,
        (chosen, rival): (&Chosen, &Rival),
        hinge: f64,
        rest: &'static str,
        counts_updates: bool,
    ) -> CertifiedRun {
        let (zero, zero_mistakes) = self.trials.zero;
        let mut terms = Vec::new();
        if hinge > 0.0 {
            terms.push(("hinge", hinge));
        }
        terms.push((rest, certificate.bound - hinge));
        if zero > 0 {
            terms.push(("zero_rows", zero as f64));
        }
        let bound = match zero {
            0 => certificate.bound,
            zero => Up::new(certificate.bound + zero as f64).value(),
        };
        let least = chosen.least.filter(|_| self.run.given.is_none());
        // nothing is smaller than a bound of 0
        let distance = |least: f64| match certificate.bound - least {
            more if more > 0.0 && bound > 0.0 => (more / bound).min(1.0),
            _ => 0.0,
        };
        let counts_zero = if counts_updates { 0 } else { zero_mistakes };
        let loss = rival.hinge(&self.trials.past).value() + zero as f64;
        CertifiedRun {
            comparator: Comparator::of(&chosen.vector),
            norm: rival.norm().value(),
            hinge: Some(loss),
            counted: certificate.counted + counts_zero,
            bound,
            gap: least.map(distance),
            certificate,
            counts_updates,
            terms,
            solves: chosen.solves,
            curve: Vec::new(),
            expected: false,
            separable: None,
            formula: None,
        }
    }

    /// The bound over time: `at` is given every trial with its hinge loss and returns the bound after it.
    fn curve(
        &self,
        rival: &Rival,
        mut at: impl FnMut(usize, &PastTrial<'_>, f64) -> f64,
    ) -> Vec<(u64, f64)> {
        let count = self.trials.past.len();
        let step = count.div_ceil(POINTS).max(1);
        let mut curve = Vec::new();
        let slacks = rival.each_slack(&self.trials.past);
        for ((k, t), xi) in self.trials.past.iter().enumerate().zip(slacks) {
            // its sums are rounded to the nearest
            let bound = at(k, t, xi) * (1.0 + ROUNDING);
            if k % step == step - 1 || k + 1 == count {
                let made = self.trials.place[k] + 1;
                // what zero rows there were before it
                let zero = made - (k as u64 + 1);
                curve.push((made, bound + zero as f64));
            }
        }
        if let Some(last) = curve.last_mut() {
            let zero = self.trials.all - last.0;
            *last = (self.trials.all, last.1 + zero as f64);
        }
        curve
    }
}
