//! Kernels: inner products of rows in a space of more features.
//!
//! `linear` x.z; `poly:degree=3,coef0=1,gamma=1` (coef0 + gamma x.z)^degree; `gaussian:gamma=1`
//! exp(-gamma |x-z|^2), which is also called `rbf`. The word `cosine` divides by the lengths in that space: K(x,z)/sqrt(K(x,x) K(z,z)).
//! The constant feature B (slot 0) is no part of x and z: it adds its product, B^2, to the kernel.

use std::fmt;

use crate::grammar::GrammarError;
use crate::parameter::{Key, Value};
use crate::row::Row;

mod block;
mod exponential;
mod typed;

pub(crate) use block::{KernelBlock, WIDE};
pub use typed::KernelSpec;
pub(crate) use typed::auto_gamma;

#[cfg(test)]
pub(crate) use block::evaluated;

/// A kernel: the inner product of rows in a space of more features.
///
/// `linear` is `x.z`, `poly:degree=3,coef0=1,gamma=1` is `(coef0 + gamma x.z)^degree`, `gaussian:gamma=1` is `exp(-gamma |x-z|^2)`; the
/// flag `cosine` divides by the lengths in that space. [`ModelBuilder::kernel`](crate::ModelBuilder::kernel) takes one.
///
/// ```
/// use novikoff::{Kernel, Row};
///
/// let kernel = Kernel::parse("poly:degree=2")?;
/// let (x, z) = (Row::dense(&[1.0, 2.0]), Row::dense(&[3.0, -1.0]));
/// let value = kernel.value(kernel.row(x), kernel.row(z));
/// assert_eq!(value, 4.0); // (1 + x.z)^2
/// assert!(Kernel::parse("poly:degre=2").is_err());
/// # Ok::<(), novikoff::GrammarError>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Kernel {
    /// Before it is normalised.
    pub shape: KernelShape,
    /// Rows have length 1 in feature space.
    pub cosine: bool,
}

/// A kernel that is not normalised.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum KernelShape {
    /// x.z
    Linear,
    /// (coef0 + gamma x.z)^degree
    Poly {
        /// 1 to 100.
        degree: u32,
        /// At least 0.
        coef0: f64,
        /// Above 0.
        gamma: f64,
    },
    /// exp(-gamma |x-z|^2)
    Gaussian {
        /// Above 0.
        gamma: f64,
    },
}

/// A kernel as it is typed.
#[derive(Debug)]
pub struct KernelEntry {
    /// Its name.
    pub name: &'static str,
    /// What it is, in one line.
    pub summary: &'static str,
    /// Its keys; `cosine` is the last.
    pub keys: &'static [Key],
    shape: fn(&[Value]) -> KernelShape,
}

const GAMMA: Key = Key::real("gamma", "1", "factor of x.z").above(0.0).to(1e6);
const AUTO_GAMMA: Key = Key::real(
    "gamma",
    "1",
    "factor of |x-z|^2; auto is 1 over the mean squared distance of the first rows",
)
.above(0.0)
.auto_elsewhere();
const COSINE: Key = Key::flag("cosine", "rows have length 1 in feature space");

/// All kernels.
pub const KERNELS: &[KernelEntry] = &[
    KernelEntry {
        name: "linear",
        summary: "x.z",
        keys: &[COSINE],
        shape: |_| KernelShape::Linear,
    },
    KernelEntry {
        name: "poly",
        summary: "(coef0 + gamma x.z)^degree",
        keys: &[
            Key::real("degree", "3", "the power")
                .from(1.0)
                .to(100.0)
                .whole(),
            Key::real("coef0", "1", "added before the power is taken")
                .from(0.0)
                .to(1e6),
            GAMMA,
            COSINE,
        ],
        shape: |values| KernelShape::Poly {
            degree: real(values, 0) as u32,
            coef0: real(values, 1),
            gamma: real(values, 2),
        },
    },
    KernelEntry {
        name: "gaussian",
        summary: "exp(-gamma |x-z|^2)",
        keys: &[AUTO_GAMMA, COSINE],
        shape: gaussian,
    },
    KernelEntry {
        name: "rbf",
        summary: "another name of gaussian",
        keys: &[AUTO_GAMMA, COSINE],
        shape: gaussian,
    },
];

fn gaussian(values: &[Value]) -> KernelShape {
    KernelShape::Gaussian {
        gamma: real(values, 0),
    }
}

fn real(values: &[Value], k: usize) -> f64 {
    match values.get(k) {
        Some(Value::Real(number)) => *number,
        _ => f64::NAN,
    }
}

/// What a kernel needs to know about one row.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RowFacts {
    /// The constant feature.
    constant: f64,
    /// |x|^2 without it.
    norm_sq: f64,
    /// K(x,x) before it is normalised.
    own: f64,
    /// Its root.
    length: f64,
    /// The sum of the squares of its values as they are stored, if all are whole numbers; infinity if not.
    whole_sq: f64,
}

/// A row with what a kernel needs to know about it.
#[derive(Clone, Copy, Debug)]
pub struct KernelRow<'a> {
    /// The row.
    pub row: Row<'a>,
    /// What the kernel made of it.
    pub facts: RowFacts,
}

impl Kernel {
    /// x.z, as plain weight vectors have it.
    pub const LINEAR: Kernel = Kernel {
        shape: KernelShape::Linear,
        cosine: false,
    };

    /// Reads a kernel as it is typed; every value must be a number. [`KernelSpec`] takes `auto` too.
    pub fn parse(text: &str) -> Result<Self, GrammarError> {
        let typed = KernelSpec::parse(text)?;
        typed.fixed().ok_or_else(|| GrammarError::Value {
            of: "gaussian",
            key: AUTO_GAMMA.name,
            got: "auto".to_owned(),
            allowed: "a number > 0".to_owned(),
            default: AUTO_GAMMA.default,
        })
    }

    /// A row with the facts about it.
    pub fn row<'a>(&self, row: Row<'a>) -> KernelRow<'a> {
        KernelRow {
            row,
            facts: self.facts(row),
        }
    }

    /// The facts about a row.
    pub fn facts(&self, x: Row<'_>) -> RowFacts {
        let constant = constant(x);
        let norm_sq = norm_sq(x);
        let mut own = [norm_sq];
        self.shape.of(&mut own, norm_sq, &[norm_sq]);
        let own = own[0] + constant * constant;
        RowFacts {
            constant,
            norm_sq,
            own,
            length: own.sqrt(),
            whole_sq: whole_sq(x),
        }
    }

    /// K(x,x).
    pub fn own(&self, x: RowFacts) -> f64 {
        match self.cosine {
            true if x.own > 0.0 => 1.0,
            true => 0.0,
            false => x.own,
        }
    }

    /// K(0,0), of the row without values.
    pub fn of_zero(&self) -> f64 {
        self.own(self.facts(Row::EMPTY))
    }

    /// K(x,z).
    pub fn value(&self, x: KernelRow<'_>, z: KernelRow<'_>) -> f64 {
        let mut value = [inner(x.row, z.row)];
        let facts = z.facts;
        self.shape.of(&mut value, x.facts.norm_sq, &[facts.norm_sq]);
        self.finish(&mut value, x.facts, &[facts.constant], &[facts.length]);
        value[0]
    }

    /// The values of many rows with one, one after another.
    pub fn between<'a, 'x>(
        self,
        rows: impl Iterator<Item = (Row<'a>, RowFacts)>,
        x: Row<'x>,
    ) -> impl Iterator<Item = f64> {
        let x = self.row(x);
        // not spread out: a slot may be any number
        rows.map(move |(row, facts)| self.value(x, KernelRow { row, facts }))
    }

    /// What the shape has made of x and some rows z, with their constant features, and normalised.
    #[inline(always)]
    fn finish<const N: usize>(
        self,
        values: &mut [f64; N],
        x: RowFacts,
        constant: &[f64; N],
        length: &[f64; N],
    ) {
        for i in 0..N {
            values[i] += x.constant * constant[i];
        }
        if self.cosine {
            for i in 0..N {
                let lengths = x.length * length[i];
                let whole = values[i] / lengths;
                values[i] = if lengths > 0.0 { whole } else { 0.0 };
            }
        }
    }
}

/// x.x likewise.
fn norm_sq(x: Row<'_>) -> f64 {
    let (scale, values) = x.stored();
    let squares = values.filter(|&(j, _)| j != 0);
    let squares = squares.map(|(_, v)| f64::from(v) * f64::from(v));
    scale * scale * squares.fold(0.0, |sum, square| sum + square)
}

/// The sum of squares of the stored values without the constant feature, if all are whole numbers; infinity if not.
fn whole_sq(x: Row<'_>) -> f64 {
    let mut sum = 0.0;
    for (_, value) in x.stored().1.filter(|&(j, _)| j != 0) {
        // beyond that many all numbers are whole, and too large
        if value.abs() > 16_777_216.0 || value != (value as i32) as f32 {
            return f64::INFINITY;
        }
        sum += f64::from(value) * f64::from(value);
    }
    sum
}

/// x.z without the constant feature: exact products, added in the order of the slots.
fn inner(x: Row<'_>, z: Row<'_>) -> f64 {
    let ((x_scale, x), (z_scale, z)) = (x.stored(), z.stored());
    let mut x = x.filter(|&(j, _)| j != 0);
    let mut z = z.filter(|&(j, _)| j != 0);
    let (mut a, mut b) = (x.next(), z.next());
    let mut sum = 0.0;
    while let (Some((i, u)), Some((j, v))) = (a, b) {
        if i == j {
            sum += f64::from(u) * f64::from(v);
        }
        if i <= j {
            a = x.next();
        }
        if j <= i {
            b = z.next();
        }
    }
    x_scale * z_scale * sum
}

fn constant(x: Row<'_>) -> f64 {
    x.iter()
        .next()
        .filter(|&(j, _)| j == 0)
        .map_or(0.0, |(_, v)| v)
}

impl KernelShape {
    /// The values, given x.z, in their place, and |x|^2 and |z|^2.
    #[inline(always)]
    fn of<const N: usize>(self, values: &mut [f64; N], x_sq: f64, z_sq: &[f64; N]) {
        match self {
            KernelShape::Linear => {}
            KernelShape::Poly {
                degree,
                coef0,
                gamma,
            } => {
                for value in &mut *values {
                    *value = coef0 + gamma * *value;
                }
                power(values, degree);
            }
            KernelShape::Gaussian { gamma } => {
                for i in 0..N {
                    // rounding must not make a distance negative
                    let distance = (x_sq + z_sq[i] - 2.0 * values[i]).max(0.0);
                    values[i] = exponential::exp(-gamma * distance);
                }
            }
        }
    }
}

/// `base^degree` by repeated squaring, in the place of each base.
#[inline(always)]
fn power<const N: usize>(bases: &mut [f64; N], mut degree: u32) {
    let mut products = [1.0; N];
    while degree > 0 {
        if degree % 2 == 1 {
            for i in 0..N {
                products[i] *= bases[i];
            }
        }
        for base in &mut *bases {
            *base *= *base;
        }
        degree /= 2;
    }
    *bases = products;
}

/// As it is typed, with all its values.
impl fmt::Display for Kernel {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.shape {
            KernelShape::Linear => write!(f, "linear")?,
            KernelShape::Poly {
                degree,
                coef0,
                gamma,
            } => write!(f, "poly:degree={degree},coef0={coef0},gamma={gamma}")?,
            KernelShape::Gaussian { gamma } => write!(f, "gaussian:gamma={gamma}")?,
        }
        match (self.cosine, self.shape) {
            (false, _) => Ok(()),
            (true, KernelShape::Linear) => write!(f, ":cosine"),
            (true, _) => write!(f, ",cosine"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn value(kernel: &str, x: Row<'_>, z: Row<'_>) -> f64 {
        let kernel = Kernel::parse(kernel).expect("a kernel");
        let facts = kernel.facts(z);
        let mut values = kernel.between([(z, facts)].into_iter(), x);
        values.next().expect("one row")
    }

    #[test]
    fn values_are_those_of_the_formulas() {
        let x = Row::sparse(&[1, 3], &[1.0, 2.0]);
        let z = Row::sparse(&[2, 3], &[5.0, -0.5]);
        assert_eq!(value("linear", x, z), -1.0);
        assert_eq!(value("poly", x, z), 0.0);
        assert_eq!(value("poly:coef0=3,degree=4", x, z), 16.0);
        assert_eq!(value("poly:degree=2,gamma=2", x, z), 1.0);
        let distance: f64 = 1.0 + 25.0 + 6.25;
        let gaussian = value("gaussian:gamma=0.1", x, z);
        assert!((gaussian - libm::exp(-0.1 * distance)).abs() < 1e-16);
        assert!((value("linear:cosine", x, z) + 1.0 / (5.0_f64 * 25.25).sqrt()).abs() < 1e-16);
        assert_eq!(value("gaussian:cosine", x, x), 1.0);
    }

    #[test]
    fn the_constant_feature_adds_its_square() {
        let x = Row::sparse(&[0, 1], &[2.0, 3.0]);
        let z = Row::sparse(&[0, 1, 5], &[2.0, -1.0, 1.0]);
        assert_eq!(value("linear", x, z), 1.0);
        assert_eq!(value("poly:degree=2", x, z), 4.0 + 4.0);
        let own = value("poly:degree=2,cosine", x, x);
        assert!((own - 1.0).abs() < 1e-15);
    }

    #[test]
    fn zero_rows_are_zero_where_they_are() {
        let zero = Row::sparse(&[], &[]);
        for (text, own) in [
            ("linear", 0.0),
            ("linear:cosine", 0.0),
            ("poly", 1.0),
            ("poly:coef0=0", 0.0),
            ("gaussian", 1.0),
        ] {
            let kernel = Kernel::parse(text).expect("a kernel");
            assert_eq!(kernel.own(kernel.facts(zero)), own, "{text}");
        }
    }

    #[test]
    fn what_is_typed_is_read_back() {
        for text in [
            "linear",
            "linear:cosine",
            "poly",
            "poly:degree=4,cosine",
            "poly:cosine,gamma=0.5",
            "gaussian:gamma=1e-3",
        ] {
            let kernel = Kernel::parse(text).expect(text);
            assert_eq!(Kernel::parse(&kernel.to_string()), Ok(kernel), "{text}");
        }
    }

    #[test]
    fn what_is_wrong_is_said() {
        for (text, what) in [
            (
                "gausian",
                "no kernel is called `gausian` (did you mean `gaussian`?); the kernels are linear, poly, gaussian, rbf",
            ),
            (
                "r\u{1}:gamma=1",
                "no kernel is called `r\\u{1}`; the kernels are linear, poly, gaussian, rbf",
            ),
            (
                "",
                "no kernel is called ``; the kernels are linear, poly, gaussian, rbf",
            ),
            (
                "poly:degree=0",
                "poly: degree = 0: must be a whole number >= 1 and <= 100; the default is 3",
            ),
            (
                "poly:degree=2.5",
                "poly: degree = 2.5: must be a whole number >= 1 and <= 100; the default is 3",
            ),
            (
                "poly:coef0=-1",
                "poly: coef0 = -1: must be >= 0 and <= 1000000; the default is 1",
            ),
            (
                "gaussian:gamma=nan",
                "gaussian: gamma = nan: must be > 0, or auto; the default is 1",
            ),
            (
                "gaussian:gama=1",
                "gaussian has no key `gama` (did you mean `gamma`?); its keys are gamma, cosine",
            ),
            (
                "gaussian:degree=2",
                "gaussian has no key `degree`; its keys are gamma, cosine",
            ),
            (
                "gaussian:gamma=1,gamma=2",
                "gaussian: `gamma` is given twice",
            ),
            ("linear:cosine,cosine", "linear: `cosine` is given twice"),
            (
                "poly(linear)",
                "poly takes no spec in parentheses, and there is 1",
            ),
            (
                "poly:degree=2@bias=1",
                "poly: `@` is for a learner that gets the rows itself, not for a kernel",
            ),
            (
                "poly:degree=2|3",
                "`poly:degree=2|3`: `2|3` is a list of values, which a grid has (character 6)",
            ),
        ] {
            let error = Kernel::parse(text).expect_err(text);
            assert_eq!(error.to_string(), what, "{text}");
        }
    }
}
