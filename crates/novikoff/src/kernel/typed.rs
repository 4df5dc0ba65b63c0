//! A kernel as it is typed: `gamma` may be `auto`, which the first rows say.

use std::fmt;

use super::{AUTO_GAMMA, KERNELS, Kernel, KernelShape};
use crate::grammar::{self, Expression, GrammarError, Sort};
use crate::parameter::Value;

/// A kernel as it is typed. With `gamma=auto` it is a [`Kernel`] once rows were looked at.
///
/// ```
/// use novikoff::KernelSpec;
///
/// let typed = KernelSpec::parse("rbf:gamma=auto")?;
/// assert!(typed.needs_rows());
/// // the mean squared distance of the rows is 20
/// let kernel = typed.resolved(20.0).fixed();
/// assert_eq!(kernel.map(|kernel| kernel.to_string()).as_deref(), Some("gaussian:gamma=0.05"));
/// # Ok::<(), novikoff::GrammarError>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct KernelSpec {
    /// The kernel; if gamma is `auto`, with the default for it.
    kernel: Kernel,
    gamma: Gamma,
}

/// Where gamma comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Gamma {
    /// It was typed, or is the default.
    Typed,
    /// Rows must be looked at.
    Auto,
    /// It was `auto`, and rows were looked at.
    Resolved,
}

impl From<Kernel> for KernelSpec {
    fn from(kernel: Kernel) -> Self {
        KernelSpec {
            kernel,
            gamma: Gamma::Typed,
        }
    }
}

impl KernelSpec {
    /// Reads a kernel as it is typed.
    pub fn parse(text: &str) -> Result<Self, GrammarError> {
        let typed = Expression::parse(text)?;
        let entry = grammar::find(Sort::Kernel, KERNELS, |entry| entry.name, &typed.name)?;
        grammar::alone(Sort::Kernel, entry.name, &typed)?;
        let values = grammar::resolve(entry.name, entry.keys, &typed.pairs)?;
        let mut values = grammar::filled(entry.keys, values);
        let is_auto = values.contains(&Value::Auto);
        for value in &mut values {
            if *value == Value::Auto {
                *value = Value::Real(AUTO_GAMMA.or_default(f64::NAN));
            }
        }
        Ok(KernelSpec {
            kernel: Kernel {
                shape: (entry.shape)(&values),
                cosine: values.last() == Some(&Value::Word("on")),
            },
            gamma: if is_auto { Gamma::Auto } else { Gamma::Typed },
        })
    }

    /// Whether rows must be looked at before it is a kernel.
    pub fn needs_rows(self) -> bool {
        self.gamma == Gamma::Auto
    }

    /// Whether gamma is `auto`, or was before rows were looked at.
    pub fn was_auto(self) -> bool {
        self.gamma != Gamma::Typed
    }

    /// The kernel for rows of this mean squared distance: where gamma is `auto` it is 1 over that, or the default where that is no number.
    #[must_use]
    pub fn resolved(mut self, mean_squared_distance: f64) -> Self {
        if let (Gamma::Auto, KernelShape::Gaussian { gamma }) = (self.gamma, &mut self.kernel.shape)
        {
            *gamma = auto_gamma(mean_squared_distance);
            self.gamma = Gamma::Resolved;
        }
        self
    }

    /// The kernel, unless rows must be looked at.
    pub fn fixed(self) -> Option<Kernel> {
        (!self.needs_rows()).then_some(self.kernel)
    }

    /// The kernel, for questions whose answers do not depend on gamma: where that is `auto`, it has the default.
    pub fn value(self) -> Kernel {
        self.kernel
    }

    /// The kernel whose rows have length 1 in its space.
    #[must_use]
    pub fn with_cosine(mut self) -> Self {
        self.kernel.cosine = true;
        self
    }

    /// Whether a kernel may be what this one became: a gamma that is `auto` is that of any kernel whose gamma was.
    pub fn became(self, kernel: Kernel, was_auto: bool) -> bool {
        let is_gaussian = matches!(kernel.shape, KernelShape::Gaussian { .. });
        match self.fixed() {
            Some(own) => own == kernel,
            None => was_auto && is_gaussian && self.kernel.cosine == kernel.cosine,
        }
    }
}

/// The gamma of rows of a mean squared distance: 1 over it.
pub(crate) fn auto_gamma(mean_squared_distance: f64) -> f64 {
    AUTO_GAMMA.or_default(1.0 / mean_squared_distance)
}

/// As it is typed, with all its values.
impl fmt::Display for KernelSpec {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.needs_rows() {
            let cosine = if self.kernel.cosine { ",cosine" } else { "" };
            write!(f, "gaussian:gamma=auto{cosine}")
        } else {
            self.kernel.fmt(f)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn typed(text: &str) -> KernelSpec {
        KernelSpec::parse(text).expect(text)
    }

    #[test]
    fn rbf_is_another_name_of_gaussian() {
        for (one, other) in [
            ("rbf", "gaussian"),
            ("rbf:gamma=0.5,cosine", "gaussian:cosine,gamma=0.5"),
            ("rbf:gamma=auto", "gaussian:gamma=auto"),
        ] {
            assert_eq!(typed(one), typed(other));
            assert_eq!(typed(one).to_string(), typed(other).to_string());
        }
        assert_eq!(typed("rbf").to_string(), "gaussian:gamma=1");
    }

    #[test]
    fn gamma_is_one_over_the_mean_squared_distance() {
        let auto = typed("gaussian:gamma=auto,cosine");
        assert_eq!(auto.fixed(), None);
        let kernel = auto.resolved(8.0).fixed().expect("rows were looked at");
        assert_eq!(kernel.to_string(), "gaussian:gamma=0.125,cosine");
        assert!(auto.became(kernel, true) && !auto.became(kernel, false));
        assert!(typed("rbf:gamma=0.125,cosine").became(kernel, true));
        assert!(!typed("gaussian:gamma=auto").became(kernel, true));
        assert!(!auto.became(Kernel::LINEAR, true));
        // rows that are all the same, and rows that are near each other
        assert_eq!(
            typed("rbf:gamma=auto").resolved(0.0).to_string(),
            "gaussian:gamma=1"
        );
        assert_eq!(
            typed("rbf:gamma=auto")
                .resolved(0.5_f64.powi(30))
                .to_string(),
            "gaussian:gamma=1073741824"
        );
        assert_eq!(typed("poly").resolved(8.0), typed("poly"));
    }

    #[test]
    fn gamma_is_auto_for_gaussian_only() {
        let error = KernelSpec::parse("poly:gamma=auto").expect_err("no such gamma");
        let said = "poly: gamma = auto: must be > 0 and <= 1000000; the default is 1";
        assert_eq!(error.to_string(), said);
        let error = Kernel::parse("rbf:gamma=auto").expect_err("no rows");
        let said = "gaussian: gamma = auto: must be a number > 0; the default is 1";
        assert_eq!(error.to_string(), said);
    }
}
