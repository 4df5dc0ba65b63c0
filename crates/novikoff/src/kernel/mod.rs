//! Kernels: inner products of rows in a space of more features.
//!
//! `linear` x.z; `poly:degree=3,coef0=1,gamma=1` (coef0 + gamma x.z)^degree; `gaussian:gamma=1`
//! exp(-gamma |x-z|^2). The word `cosine` divides by the lengths in that space: K(x,z)/sqrt(K(x,x) K(z,z)).
//! The constant feature B (slot 0) is no part of x and z: it adds its product, B^2, to the kernel.

use std::fmt;

use crate::row::Row;

mod block;
mod exponential;

pub use block::{Block, WIDE};

#[cfg(test)]
pub(crate) use block::evaluated;

/// A kernel.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Kernel {
    /// Before it is normalised.
    pub shape: Shape,
    /// Rows have length 1 in feature space.
    pub cosine: bool,
}

/// A kernel that is not normalised.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Shape {
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

/// A kernel that is none.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[error(
    "kernel {text:?}: {what}; kernels are linear, poly:degree=3,coef0=1,gamma=1 and gaussian:gamma=1, each also with the word cosine, as in poly:degree=4,cosine"
)]
pub struct KernelError {
    text: String,
    what: String,
}

/// What a kernel needs to know about one row.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Facts {
    /// The constant feature.
    constant: f64,
    /// |x|^2 without it.
    norm_sq: f64,
    /// K(x,x) before it is normalised.
    own: f64,
    /// Its root.
    length: f64,
}

impl Kernel {
    /// x.z, as plain weight vectors have it.
    pub const LINEAR: Kernel = Kernel {
        shape: Shape::Linear,
        cosine: false,
    };

    /// Reads a kernel as it is typed.
    pub fn parse(text: &str) -> Result<Self, KernelError> {
        let wrong = |what: String| KernelError {
            text: text.chars().take(60).collect(),
            what,
        };
        let (name, rest) = text.split_once(':').unwrap_or((text, ""));
        if !["linear", "poly", "gaussian"].contains(&name) {
            return Err(wrong("there is no such kernel".to_owned()));
        }
        let mut cosine = false;
        let (mut degree, mut coef0, mut gamma) = (3.0, 1.0, 1.0);
        let mut said: Vec<&str> = Vec::new();
        for word in rest.split(',').filter(|_| text.contains(':')) {
            if word == "cosine" {
                if cosine {
                    return Err(wrong("cosine comes twice".to_owned()));
                }
                cosine = true;
                continue;
            }
            let Some((key, value)) = word.split_once('=') else {
                return Err(wrong(format!("{word:?} is not key=value, nor cosine")));
            };
            let place = match (name, key) {
                ("poly", "degree") => &mut degree,
                ("poly", "coef0") => &mut coef0,
                ("poly" | "gaussian", "gamma") => &mut gamma,
                _ => return Err(wrong(format!("{name} has no key {key:?}"))),
            };
            if said.contains(&key) {
                return Err(wrong(format!("{key} comes twice")));
            }
            said.push(key);
            let number: Option<f64> = value.parse().ok();
            let fits = |n: &f64| match key {
                "degree" => (1.0..=100.0).contains(n) && n.fract() == 0.0,
                "coef0" => (0.0..=1e6).contains(n),
                _ => *n > 0.0 && *n <= 1e6,
            };
            let allowed = match key {
                "degree" => "a whole number from 1 to 100",
                "coef0" => "from 0 to 1e6",
                _ => "above 0 and at most 1e6",
            };
            *place = number
                .filter(fits)
                .ok_or_else(|| wrong(format!("{key} must be {allowed}, not {value:?}")))?;
        }
        let shape = match name {
            "linear" => Shape::Linear,
            "poly" => Shape::Poly {
                degree: degree as u32,
                coef0,
                gamma,
            },
            _ => Shape::Gaussian { gamma },
        };
        Ok(Kernel { shape, cosine })
    }

    /// The facts about a row.
    pub fn facts(&self, x: Row<'_>) -> Facts {
        let constant = constant(x);
        let norm_sq = norm_sq(x);
        let mut own = [norm_sq];
        self.shape.of(&mut own, norm_sq, &[norm_sq]);
        let own = own[0] + constant * constant;
        Facts {
            constant,
            norm_sq,
            own,
            length: own.sqrt(),
        }
    }

    /// K(x,x).
    pub fn own(&self, x: Facts) -> f64 {
        match self.cosine {
            true if x.own > 0.0 => 1.0,
            true => 0.0,
            false => x.own,
        }
    }

    /// K(x,z).
    pub fn value(&self, (x, x_facts): (Row<'_>, Facts), (z, z_facts): (Row<'_>, Facts)) -> f64 {
        let mut value = [inner(x, z)];
        self.shape
            .of(&mut value, x_facts.norm_sq, &[z_facts.norm_sq]);
        self.finish(&mut value, x_facts, &[z_facts.constant], &[z_facts.length]);
        value[0]
    }

    /// The values of many rows with one, one after another.
    pub fn between<'a, 'x>(
        self,
        rows: impl Iterator<Item = (Row<'a>, Facts)>,
        x: Row<'x>,
    ) -> impl Iterator<Item = f64> {
        let about = self.facts(x);
        // not spread out: a slot may be any number
        rows.map(move |z| self.value((x, about), z))
    }

    /// What the shape has made of x and some rows z, with their constant features, and normalised.
    #[inline(always)]
    fn finish<const N: usize>(
        self,
        values: &mut [f64; N],
        x: Facts,
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

impl Shape {
    /// The values, given x.z, in their place, and |x|^2 and |z|^2.
    #[inline(always)]
    fn of<const N: usize>(self, values: &mut [f64; N], x_sq: f64, z_sq: &[f64; N]) {
        match self {
            Shape::Linear => {}
            Shape::Poly {
                degree,
                coef0,
                gamma,
            } => {
                for value in &mut *values {
                    *value = coef0 + gamma * *value;
                }
                power(values, degree);
            }
            Shape::Gaussian { gamma } => {
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
            Shape::Linear => write!(f, "linear")?,
            Shape::Poly {
                degree,
                coef0,
                gamma,
            } => write!(f, "poly:degree={degree},coef0={coef0},gamma={gamma}")?,
            Shape::Gaussian { gamma } => write!(f, "gaussian:gamma={gamma}")?,
        }
        match (self.cosine, self.shape) {
            (false, _) => Ok(()),
            (true, Shape::Linear) => write!(f, ":cosine"),
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
            ("rbf", "there is no such kernel"),
            ("r\u{1}:gamma=1", "there is no such kernel"),
            ("", "there is no such kernel"),
            ("poly:", "\"\" is not key=value, nor cosine"),
            (
                "poly:degree=0",
                "degree must be a whole number from 1 to 100, not \"0\"",
            ),
            (
                "poly:degree=2.5",
                "degree must be a whole number from 1 to 100, not \"2.5\"",
            ),
            ("poly:coef0=-1", "coef0 must be from 0 to 1e6, not \"-1\""),
            (
                "gaussian:gamma=nan",
                "gamma must be above 0 and at most 1e6, not \"nan\"",
            ),
            ("gaussian:degree=2", "gaussian has no key \"degree\""),
            ("gaussian:gamma=1,gamma=2", "gamma comes twice"),
            ("linear:cosine,cosine", "cosine comes twice"),
        ] {
            let error = Kernel::parse(text).expect_err(text);
            assert_eq!(error.what, what, "{text}");
        }
    }
}
