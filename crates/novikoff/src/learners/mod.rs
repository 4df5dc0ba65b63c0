//! Every learner of the [catalogue](crate::catalog::CATALOG) as a type: constructors and setters in place of a text.
//!
//! A value of one of these types is a spec that is not checked yet. [`Model::builder`](crate::Model::builder) takes it, and so does
//! `Spec::try_from`; both read it against the catalogue, so names, ranges and defaults are those of the text, and the text is what
//! [`Display`](std::fmt::Display) writes.
//!
//! ```
//! use novikoff::{Spec, learners::{Selective, SecondOrder}};
//!
//! let learner = Selective::second_order(SecondOrder::fixed(0.5).dual()).b(2.0);
//! assert_eq!(learner.to_string(), "selective(second-order:a=0.5,form=dual):b=2");
//! assert!(Spec::try_from(learner)?.same(&Spec::parse("selective:base=second-order,a=0.5,form=dual,b=2")?));
//! # Ok::<(), novikoff::SpecError>(())
//! ```
//!
//! How to choose:
//!
//! | rows | learners |
//! | --- | --- |
//! | any, to begin with | [`Auto`]: several of these at once; [`Perceptron`] |
//! | many features, one pass, labels mostly right | [`PassiveAggressive`], [`Arow`], [`Averaged`] |
//! | columns of any scale, or probabilities are wanted | [`Logistic`] |
//! | up to some thousand features that depend on each other | [`SecondOrder`], [`HigherOrder`], [`Arow::full`]; `Whitened` if all rows are there before the run |
//! | few of very many features matter | [`PNorm`], [`Eg`], [`BalancedWinnow`]; [`Winnow`] for features that are there or not |
//! | labels are often wrong | [`Averaged`], [`Voted`], [`Arow`], [`Romma`] and [`MaxMargin`] with noise, [`PassiveAggressive`] with a small c |
//! | a kernel, and memory that does not grow | [`Forgetron`], [`RandomBudget`], [`Projectron`] |
//! | what is right changes with time | [`Shifting`] |
//! | labels cost money | [`Selective`] |
//! | few rows, few mistakes at any price | [`MaxMargin`]; [`Alma`] and [`Romma`] come near its margin for less |
//! | several passes, beside a solution of the [dual](crate::dual) | [`NormalisedPerceptron`], [`NormalisedWinnow`] |

use std::fmt;

use crate::spec::{Spec, SpecError};

/// One learner as a type: its name in the catalogue, and a setter for each key that is a number.
macro_rules! learner {
    (
        $(#[$about:meta])*
        $type:ident = $name:literal { $($(#[$meaning:meta])* $key:ident: $value:ty,)* }
    ) => {
        $(#[$about])*
        #[derive(Clone, Debug, PartialEq, Eq)]
        #[must_use = "it learns in a model"]
        pub struct $type(pub(super) $crate::learners::UncheckedSpec);

        impl $type {
            $(
                $(#[$meaning])*
                pub fn $key(self, $key: $value) -> Self {
                    $type(self.0.with(stringify!($key), $key))
                }
            )*
        }

        /// All keys have the catalogue's defaults.
        impl Default for $type {
            fn default() -> Self {
                $type($crate::learners::UncheckedSpec::new($name))
            }
        }

        /// The text of its spec.
        impl std::fmt::Display for $type {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                self.0.fmt(f)
            }
        }

        impl TryFrom<$type> for crate::spec::Spec {
            type Error = crate::spec::SpecError;

            fn try_from(learner: $type) -> Result<Self, Self::Error> {
                learner.0.spec()
            }
        }
    };
}

mod auto;
mod budget;
mod first_order;
mod logistic;
mod margin;
mod multiplicative;
mod second_order;
mod selective;
#[cfg(test)]
mod tests;

pub use auto::Auto;
pub use budget::{Forgetron, Projectron, RandomBudget};
#[cfg(feature = "linalg")]
pub use first_order::Whitened;
pub use first_order::{Averaged, NormalisedPerceptron, Perceptron, Shifting, Voted};
pub use logistic::Logistic;
pub use margin::{Alma, MaxMargin, PassiveAggressive, Romma};
pub use multiplicative::{BalancedWinnow, Eg, NormalisedWinnow, PNorm, Winnow};
pub use second_order::{Arow, HigherOrder, Schedule, SecondOrder};
pub use selective::Selective;

/// A spec before it is checked: a name, perhaps a base in parentheses, and the keys that were set.
#[derive(Clone, Debug, PartialEq, Eq)]
struct UncheckedSpec {
    name: &'static str,
    base: Option<Box<UncheckedSpec>>,
    /// Learners with keys of their own.
    parts: Vec<String>,
    keys: Vec<(&'static str, String)>,
}

impl UncheckedSpec {
    fn new(name: &'static str) -> Self {
        UncheckedSpec {
            name,
            base: None,
            parts: Vec::new(),
            keys: Vec::new(),
        }
    }

    /// With a key; the value that is set last counts.
    fn with(mut self, key: &'static str, value: impl fmt::Display) -> Self {
        self.keys.retain(|(other, _)| *other != key);
        self.keys.push((key, value.to_string()));
        self
    }

    fn spec(&self) -> Result<Spec, SpecError> {
        Spec::parse(&self.to_string())
    }
}

impl fmt::Display for UncheckedSpec {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name)?;
        if let Some(base) = &self.base {
            write!(f, "({base})")?;
        }
        if !self.parts.is_empty() {
            write!(f, "({})", self.parts.join("; "))?;
        }
        for (i, (key, value)) in self.keys.iter().enumerate() {
            let before = if i == 0 { ':' } else { ',' };
            match value.as_str() {
                "on" => write!(f, "{before}{key}")?,
                value => write!(f, "{before}{key}={value}")?,
            }
        }
        Ok(())
    }
}
