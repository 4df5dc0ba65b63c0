//! The theorems as formulas, with the values of one run put in: one table per theorem.
//!
//! A formula is a tree ([`MathExpression`]) whose symbols have a notation, a meaning and a value. A page that shows a certificate draws the tree;
//! tests evaluate it, and find the bound that was certified.

mod additive;
mod expression;
mod majority;
mod margin;
mod multiplicative;
mod second_order;

pub use expression::{MathExpression, MathSymbol, Notation};

use crate::catalog::Theorem;
use crate::certificate::Certificate;
use crate::parameter::Parameters;

/// What a theorem says of a run.
#[derive(Clone, Debug, PartialEq)]
pub struct Formula {
    /// What it counts.
    pub counted: MathSymbol,
    /// The bound is of the expectation of what it counts.
    pub expected: bool,
    /// The most that this can be.
    pub bound: MathExpression,
    /// For which vectors U it holds.
    pub holds_for: &'static str,
}

impl Formula {
    /// The formula of a certificate; none where a theorem of the certificate's name has none. `zero_rows` counts trials on rows that are zero.
    pub fn of(
        theorem: &Theorem,
        parameters: &Parameters,
        certificate: &Certificate,
        zero_rows: u64,
    ) -> Option<Self> {
        let run = CertifiedValues {
            parameters,
            certificate,
            counts_updates: theorem.facts().counts_updates,
            zero_rows,
        };
        let (bound, holds_for) = match *theorem {
            Theorem::FirstOrder { margin } => additive::first_order(&run, margin)?,
            Theorem::PNorm { p, margin } => additive::p_norm(&run, p, margin),
            Theorem::Forgetron { .. } => additive::forgetron(&run),
            Theorem::Projectron { .. } => additive::projectron(&run),
            Theorem::Shifting { .. } => additive::shifting(&run),
            Theorem::ExponentiatedGradient { eta } => multiplicative::eg(&run, eta),
            Theorem::Winnow { alpha, theta } => multiplicative::winnow(&run, alpha, theta),
            Theorem::Whitened { .. } => second_order::whitened(&run),
            Theorem::SecondOrder { margin, .. } => second_order::second_order(&run, margin),
            Theorem::HigherOrder { p, margin } => second_order::higher_order(&run, p, margin)?,
            Theorem::Arow { .. } => second_order::arow(&run),
            Theorem::Selective { second_order } => second_order::selective(&run, second_order),
            Theorem::MaximumMargin { noise, .. } => margin::maximum_margin(&run, noise),
            Theorem::PassiveAggressive { variant } => margin::passive_aggressive(&run, variant)?,
            Theorem::Alma { p, alpha } => margin::alma(&run, p, alpha)?,
            Theorem::Logistic => additive::logistic(&run),
            Theorem::Own(_) => return None,
        };
        let zero = given(
            Notation::Letter("Z"),
            "trials on rows that are zero; each of them may be a mistake",
            zero_rows as f64,
        );
        Some(Formula {
            counted: run.counted_symbol(),
            expected: theorem.facts().expected,
            bound: if zero_rows > 0 { bound + zero } else { bound },
            holds_for,
        })
    }

    /// All symbols with their meaning, in the order of reading.
    pub fn symbols(&self) -> Vec<&MathSymbol> {
        let mut all = vec![&self.counted];
        let others = self.bound.symbols().into_iter();
        all.extend(others.filter(|other| other.notation != self.counted.notation));
        all
    }
}

/// A bound, and for which U it holds.
type Statement = (MathExpression, &'static str);

const EVERY_U: &str = "every vector U";
const SEPARATING_U: &str = "every vector U that separates the rows: y U·x ≥ 1 on all of them";

/// What the formulas take their values from.
struct CertifiedValues<'a> {
    parameters: &'a Parameters,
    certificate: &'a Certificate,
    counts_updates: bool,
    zero_rows: u64,
}

impl CertifiedValues<'_> {
    /// A symbol whose value is an ingredient of the certificate.
    fn ingredient(&self, name: &str, notation: Notation, meaning: &'static str) -> MathExpression {
        let value = self.certificate.ingredient(name).unwrap_or(f64::NAN);
        given(notation, meaning, value)
    }

    /// A symbol whose value is a key of the learner.
    fn key(&self, name: &str, notation: Notation, meaning: &'static str) -> MathExpression {
        given(notation, meaning, self.parameters.real(name))
    }

    fn has(&self, name: &str) -> bool {
        self.certificate.ingredient(name).is_some()
    }

    fn counted_symbol(&self) -> MathSymbol {
        let (letter, meaning) = match (self.counts_updates, self.zero_rows) {
            (true, _) => ("n", "updates of the run; every mistake is one"),
            (false, 0) => ("m", "mistakes of the run"),
            (false, _) => ("m", "mistakes of the run on rows that are not zero"),
        };
        MathSymbol {
            notation: Notation::Letter(letter),
            meaning,
            value: self.certificate.counted as f64,
            made_of: None,
        }
    }

    fn counted(&self) -> MathExpression {
        MathExpression::Symbol(self.counted_symbol())
    }

    /// `L(U)`.
    fn hinge(&self) -> MathExpression {
        self.ingredient(
            "hinge",
            Notation::Letter("L"),
            "hinge loss of U: the sum over all trials of ξ = max(0, 1 − y U·x)",
        )
    }

    /// `|U|`.
    fn norm(&self) -> MathExpression {
        self.ingredient("norm", Notation::Norm("U", ""), "length of U")
    }
}

/// beta or tau: 2 times it for every update.
fn margin_key(margin: f64, letter: &'static str) -> MathExpression {
    let meaning = "the learner's key margin: right answers up to it are corrected too";
    given(Notation::Letter(letter), meaning, margin)
}

fn given(notation: Notation, meaning: &'static str, value: f64) -> MathExpression {
    MathExpression::Symbol(MathSymbol {
        notation,
        meaning,
        value,
        made_of: None,
    })
}

/// The largest m with `m <= loss + b sqrt(m)`: `((b + sqrt(b^2 + 4 loss))/2)^2`.
fn solved(loss: MathExpression, b: MathExpression) -> MathExpression {
    let b = b.called(Notation::Letter("b"), "a name for");
    let root = (b.clone().squared() + 4.0 * loss).root();
    ((b + root) / 2.0.into()).squared()
}
