//! Numbers of some 32 digits, as a sum of two f64, for definitions whose own rounding would be in the
//! way (Dekker 1971; Knuth's two-sum).

use std::cmp::Ordering;
use std::iter::Sum;
use std::ops::{Add, Div, Mul, Neg, Sub};

/// `high + low`, with `low` at most half a unit in the last place of `high`.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct Twofold {
    high: f64,
    low: f64,
}

impl Twofold {
    fn sum(a: f64, b: f64) -> Self {
        let high = a + b;
        let part = high - a;
        Twofold {
            high,
            low: (a - (high - part)) + (b - part),
        }
    }

    pub(crate) fn value(self) -> f64 {
        self.high
    }

    pub(crate) fn sqrt(self) -> Self {
        if self.high == 0.0 {
            return self;
        }
        let near = Twofold::from(self.high.sqrt());
        // one step of Newton's doubles the digits
        near + (self - near * near) / Twofold::from(2.0 * near.high)
    }

    pub(crate) fn abs(self) -> Self {
        if self.high < 0.0 { -self } else { self }
    }

    pub(crate) fn max(self, other: Self) -> Self {
        if other > self { other } else { self }
    }

    pub(crate) fn min(self, other: Self) -> Self {
        if other < self { other } else { self }
    }

    pub(crate) fn square(self) -> Self {
        self * self
    }

    /// By Taylor's series of a part of the exponent, squared again and again.
    pub(crate) fn exp(self) -> Self {
        const HALVINGS: i32 = 12;
        let part = self / Twofold::from(f64::from(1 << HALVINGS));
        let (mut sum, mut term) = (Twofold::from(1.0), Twofold::from(1.0));
        for k in 1..20 {
            term = term * part / Twofold::from(f64::from(k));
            sum = sum + term;
        }
        (0..HALVINGS).fold(sum, |sum, _| sum.square())
    }

    /// By two steps of Newton's from that of f64.
    pub(crate) fn ln(self) -> Self {
        let mut near = Twofold::from(self.high.ln());
        for _ in 0..2 {
            near = near + self * (-near).exp() - Twofold::from(1.0);
        }
        near
    }

    /// Of a number that is not negative.
    pub(crate) fn powf(self, exponent: Self) -> Self {
        if self.high == 0.0 {
            self
        } else {
            (exponent * self.ln()).exp()
        }
    }
}

/// `a . b`.
pub(crate) fn dot(a: &[Twofold], b: &[Twofold]) -> Twofold {
    a.iter().zip(b).map(|(a, b)| *a * *b).sum()
}

/// `A^-1 b` and `det A` of a symmetric positive matrix, by elimination.
pub(crate) fn solve(mut a: Vec<Vec<Twofold>>, b: &[Twofold]) -> (Vec<Twofold>, Twofold) {
    let (n, mut b, mut det) = (a.len(), b.to_vec(), Twofold::from(1.0));
    for i in 0..n {
        det = det * a[i][i];
        for k in i + 1..n {
            let factor = a[k][i] / a[i][i];
            for j in i..n {
                a[k][j] = a[k][j] - factor * a[i][j];
            }
            b[k] = b[k] - factor * b[i];
        }
    }
    for i in (0..n).rev() {
        let known = dot(&a[i][i + 1..], &b[i + 1..]);
        b[i] = (b[i] - known) / a[i][i];
    }
    (b, det)
}

impl PartialOrd for Twofold {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        let apart = *self - *other;
        (apart.high + apart.low).partial_cmp(&0.0)
    }
}

impl Sum for Twofold {
    fn sum<I: Iterator<Item = Self>>(all: I) -> Self {
        all.fold(Twofold::default(), |sum, next| sum + next)
    }
}

impl Neg for Twofold {
    type Output = Self;
    fn neg(self) -> Self {
        Twofold {
            high: -self.high,
            low: -self.low,
        }
    }
}

impl From<f64> for Twofold {
    fn from(high: f64) -> Self {
        Twofold { high, low: 0.0 }
    }
}

impl Add for Twofold {
    type Output = Self;
    fn add(self, other: Self) -> Self {
        let (sum, rest) = (
            Self::sum(self.high, other.high),
            Self::sum(self.low, other.low),
        );
        let sum = Self::sum(sum.high, sum.low + rest.high);
        Self::sum(sum.high, sum.low + rest.low)
    }
}

impl Sub for Twofold {
    type Output = Self;
    fn sub(self, other: Self) -> Self {
        self + Twofold {
            high: -other.high,
            low: -other.low,
        }
    }
}

impl Mul for Twofold {
    type Output = Self;
    fn mul(self, other: Self) -> Self {
        let high = self.high * other.high;
        let low = self.high.mul_add(other.high, -high);
        Self::sum(high, low + (self.high * other.low + self.low * other.high))
    }
}

impl Div for Twofold {
    type Output = Self;
    fn div(self, other: Self) -> Self {
        let first = Twofold::from(self.high / other.high);
        let rest = self - first * other;
        first + Twofold::from((rest.high + rest.low) / other.high)
    }
}
