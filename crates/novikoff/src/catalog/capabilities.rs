//! What is known of a learner beside how it is built: asked by everyone, listed nowhere else.

use super::cost::one_vector;
use super::theorem::Theorem;
use crate::cost::{Cost, Size};
use crate::kernel::Kernel;
use crate::parameter::Parameters;
use crate::remedy::Remedy;

/// What a learner can do, needs and costs. What depends on its values is a function of them.
#[derive(Clone, Copy, Debug)]
#[allow(clippy::struct_excessive_bools)] // a table: each is asked by itself
pub struct Capabilities {
    /// Rows may have weights other than 1.
    pub weighted: bool,
    /// Its margin is the log-odds of the positive class, so that its models answer with probabilities at once.
    pub probabilities: bool,
    /// All rows must be seen, without labels, before the first trial.
    pub needs_all_rows: bool,
    /// Half a stream, save, load and the other half are the whole stream.
    pub obeys_half_stream_law: bool,
    /// No row may have a negative value.
    pub needs_non_negative: bool,
    /// Sums are compared with a threshold other than 0.
    pub has_threshold: bool,
    /// An update looks at all rows so far.
    pub looks_back: bool,
    /// What its spec has in parentheses.
    pub parts: SpecParts,
    /// Whether with these values its weight vector changes only by scaling and by adding multiples of rows, so that its average can be kept.
    pub additive: fn(&Parameters) -> bool,
    /// The p of the norm by which it wants its rows divided, if it wants that.
    pub norm: fn(&Parameters) -> Option<f64>,
    /// What cannot go together in its spec.
    pub clash: fn(&Parameters) -> Option<&'static str>,
    /// Why it cannot be in the space of a kernel with these values, though with others it can.
    pub no_kernel: fn(&Parameters) -> Option<&'static str>,
    /// The theorem that its mistakes obey, or why there is none with these values; nothing if there is none at all.
    pub theorem: Option<TheoremOf>,
    /// What a trial and an update cost.
    pub cost: fn(&Parameters, Kernel, Size) -> Cost,
}

/// From the values of a learner and its kernel to its theorem.
pub type TheoremOf = fn(&Parameters, Kernel) -> Result<Theorem, NoTheorem>;

/// Why a learner has no theorem.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum NoTheorem {
    /// None is known.
    #[error("{learner} has no theorem of its own here")]
    Unknown {
        /// The learner, or a value of it.
        learner: String,
    },
    /// This form is not what the theorem is about.
    #[error("form={form} is an approximation, and the theorem is about the exact learner")]
    Approximate {
        /// The form.
        form: String,
        /// The form that it is about, if there is one only.
        exact: Option<&'static str>,
    },
    /// This form has a theorem of its own, for which no vector U is searched.
    #[error("form={form} has a theorem of its own, but its bound is not evaluated here")]
    NotEvaluated {
        /// The form.
        form: &'static str,
    },
    /// Its weights do not begin at 0.
    #[error(
        "with start=phi0 the theorem holds for a U with U.phi(0) >= K(0, 0), and none is looked for"
    )]
    Start,
    /// It needs the features.
    #[error("the theorem of {learner} is evaluated without a kernel only")]
    Kernel {
        /// The learner.
        learner: &'static str,
    },
}

impl NoTheorem {
    /// What to do about it.
    pub fn remedy(&self) -> Option<Remedy> {
        match self {
            NoTheorem::Approximate {
                exact: Some(exact), ..
            } => Some(Remedy::clause(format!("use form={exact}"))),
            NoTheorem::Start => Some(Remedy::clause("use start=zero")),
            _ => None,
        }
    }
}

/// What a spec has in parentheses.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SpecParts {
    /// Nothing.
    None,
    /// One learner at most: its name is the value of this key, and its keys are keys of the whole.
    Base(&'static str),
    /// Learners, each with its own keys and rows.
    Learners,
}

impl Capabilities {
    /// One vector, no weights, no theorem: what most learners differ from in a few points.
    pub const PLAIN: Capabilities = Capabilities {
        weighted: false,
        probabilities: false,
        needs_all_rows: false,
        obeys_half_stream_law: true,
        needs_non_negative: false,
        has_threshold: false,
        looks_back: false,
        parts: SpecParts::None,
        additive: |_| false,
        norm: |_| None,
        clash: |_| None,
        no_kernel: |_| None,
        theorem: None,
        cost: one_vector,
    };
}
