//! Kernels, by their formulas.

use crate::Row;

/// A kernel.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Kernel {
    shape: Shape,
    /// `K(x,z)/sqrt(K(x,x) K(z,z))`.
    cosine: bool,
}

#[derive(Clone, Copy, Debug, PartialEq)]
enum Shape {
    /// `x.z`.
    Linear,
    /// `(coef0 + gamma x.z)^degree`.
    Polynomial { degree: u32, coef0: f64, gamma: f64 },
    /// `exp(-gamma |x-z|^2)`.
    Gaussian { gamma: f64 },
}

impl Kernel {
    /// `x.z`.
    pub const LINEAR: Kernel = Kernel {
        shape: Shape::Linear,
        cosine: false,
    };

    /// As it is printed: `gaussian:gamma=0.5`, `poly:degree=3,coef0=1,gamma=1,cosine`.
    pub fn parse(text: &str) -> Result<Self, String> {
        let wrong = || format!("{text:?} is no kernel");
        let (name, rest) = text.split_once(':').unwrap_or((text, ""));
        let (mut cosine, mut degree, mut coef0, mut gamma) = (false, 3.0, 1.0, 1.0);
        for word in rest.split(',').filter(|word| !word.is_empty()) {
            match word.split_once('=') {
                None if word == "cosine" => cosine = true,
                Some((key, value)) => {
                    let value: f64 = value.parse().map_err(|_| wrong())?;
                    match key {
                        "degree" => degree = value,
                        "coef0" => coef0 = value,
                        "gamma" => gamma = value,
                        _ => return Err(wrong()),
                    }
                }
                None => return Err(wrong()),
            }
        }
        let shape = match name {
            "linear" => Shape::Linear,
            "poly" => Shape::Polynomial {
                degree: degree as u32,
                coef0,
                gamma,
            },
            "gaussian" => Shape::Gaussian { gamma },
            _ => return Err(wrong()),
        };
        Ok(Kernel { shape, cosine })
    }

    /// `K(x, z)`. The constant feature, slot 0, is no part of x and z: its product is added.
    pub fn value(&self, x: &Row, z: &Row) -> f64 {
        let plain = self.plain(x, z);
        if !self.cosine {
            return plain;
        }
        let lengths = self.plain(x, x).sqrt() * self.plain(z, z).sqrt();
        if lengths > 0.0 { plain / lengths } else { 0.0 }
    }

    fn plain(&self, x: &Row, z: &Row) -> f64 {
        let inner = inner(x, z);
        let value = match self.shape {
            Shape::Linear => inner,
            Shape::Polynomial {
                degree,
                coef0,
                gamma,
            } => libm::pow(coef0 + gamma * inner, f64::from(degree)),
            Shape::Gaussian { gamma } => {
                let distance = self::inner(x, x) + self::inner(z, z) - 2.0 * inner;
                libm::exp(-gamma * distance.max(0.0))
            }
        };
        value + constant(x) * constant(z)
    }
}

/// `x.z` without slot 0.
fn inner(x: &Row, z: &Row) -> f64 {
    let mut sum = 0.0;
    let mut others = z.iter().peekable();
    for (j, v) in x {
        while others.next_if(|(k, _)| k < j).is_some() {}
        if let Some((_, w)) = others.next_if(|(k, _)| k == j)
            && *j > 0
        {
            sum += v * w;
        }
    }
    sum
}

fn constant(x: &Row) -> f64 {
    x.iter().find(|(j, _)| *j == 0).map_or(0.0, |(_, v)| *v)
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    #[test]
    fn by_hand() {
        let (x, z) = (
            vec![(0, 2.0), (1, 1.0), (3, 2.0)],
            vec![(0, 2.0), (2, 5.0), (3, 3.0)],
        );
        assert_eq!(Kernel::LINEAR.value(&x, &z), 10.0);
        let poly = Kernel::parse("poly:degree=2,coef0=1,gamma=0.5").unwrap();
        assert_eq!(poly.value(&x, &z), 20.0);
        let gaussian = Kernel::parse("gaussian:gamma=0.1").unwrap();
        // |x - z|^2 = 1 + 25 + 1
        assert!((gaussian.value(&x, &z) - (libm::exp(-2.7) + 4.0)).abs() < 1e-15);
        let cosine = Kernel::parse("linear:cosine").unwrap();
        assert!((cosine.value(&x, &x) - 1.0).abs() < 1e-15);
        assert_eq!(cosine.value(&vec![], &z), 0.0);
        assert!(Kernel::parse("cubic").is_err() && Kernel::parse("poly:gamma").is_err());
    }
}
