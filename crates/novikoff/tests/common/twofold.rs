//! Numbers of some 32 digits, as a sum of two f64, for definitions whose own rounding would be in the
//! way (Dekker 1971; Knuth's two-sum).

use std::ops::{Add, Div, Mul, Sub};

/// `high + low`, with `low` at most half a unit in the last place of `high`.
#[derive(Clone, Copy, Default)]
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
