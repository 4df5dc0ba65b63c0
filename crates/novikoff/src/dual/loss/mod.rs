//! Convex losses with their conjugates and the exact steps of dual coordinates.
//!
//! `f(t)` is the loss of a row with margin (classification) or prediction (regression) `t`;
//! `c(a) = f*(-a) = sup_t (-a t - f(t))` its conjugate, mirrored, so that `a = -f'(t)` at the optimum and
//! `f(t) + c(a) + a t >= 0` always. `y` is what the row aims at: the target of a regression, the margin
//! wanted of a classification.
//! Paper: docs/theory/dual.md#losses.

mod exponential;
mod likelihood;
mod logistic;
pub mod margin;
mod regression;

pub use exponential::Exponential;
pub use likelihood::Likelihood;
pub use logistic::Logistic;
pub use margin::Margin;
pub use regression::Regression;

/// Losses whose conjugate has an infinite slope at 0 keep their dual variables from 0 by this much.
const TINY: f64 = 1e-300;

/// A smooth loss at one margin.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct LossSlopes {
    /// `f(t)`.
    pub value: f64,
    /// `f'(t)`.
    pub slope: f64,
    /// `f''(t)`.
    pub bend: f64,
}

/// One loss.
pub trait Loss: Copy + Send + Sync {
    /// Whether `c` has kinks, or ends it may reach, at which variables come to rest.
    const HAS_ENDS: bool;

    /// Whether `c` is made of parabolas and lines.
    fn is_quadratic(&self) -> bool {
        false
    }

    /// `f(t)`; infinite outside its domain.
    fn value(&self, t: f64, y: f64) -> f64;

    /// The derivatives of `f` from the left and from the right.
    fn slopes(&self, t: f64, y: f64) -> (f64, f64);

    /// Whether `f` is finite everywhere and its slope does not jump.
    fn is_smooth(&self) -> bool {
        false
    }

    /// `f''(t)` of a smooth loss; from one side where they differ.
    fn bend(&self, _t: f64, _y: f64) -> f64 {
        0.0
    }

    /// `f`, `f'` and `f''` of a smooth loss at once.
    fn look(&self, t: f64, y: f64) -> LossSlopes {
        LossSlopes {
            value: self.value(t, y),
            slope: self.slopes(t, y).0,
            bend: self.bend(t, y),
        }
    }

    /// `c(a)`; infinite outside its domain.
    fn conjugate(&self, a: f64, y: f64) -> f64;

    /// The derivatives of `c` from the left and from the right, infinite at the ends of its domain.
    fn conjugate_slopes(&self, a: f64, y: f64) -> (f64, f64);

    /// `c''` where it is the same at all points that are neither ends nor kinks; else 0.
    fn curvature(&self) -> f64 {
        0.0
    }

    /// The ends or kinks of `c` next to `a`.
    fn piece(&self, _a: f64) -> (f64, f64) {
        self.domain()
    }

    /// The domain of `c`.
    fn domain(&self) -> (f64, f64);

    /// Where dual variables begin.
    fn start(&self) -> f64 {
        0.0
    }

    /// The `a'` of least `c(a') + (a' - a) t + (b/2) (a' - a)^2`, for `b >= 0`. Where the slope of `c` is infinite at an end of its domain, `a'` is a
    /// number inside of that end: at least `TINY` from an end at 0, at least the next number that a float can have from any other.
    fn step(&self, a: f64, t: f64, b: f64, y: f64) -> f64;

    /// `f(t) + c(a) + a t`, what the row adds to the duality gap: never negative.
    fn gap(&self, a: f64, t: f64, y: f64) -> f64 {
        (self.value(t, y) + self.conjugate(a, y) + a * t).max(0.0)
    }
}

/// Any loss of the catalogue.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum AnyLoss {
    /// The hinge and its smooth variants.
    Margin(Margin),
    /// Squared, absolute and what lies between.
    Regression(Regression),
    /// `ln(1 + e^-t)`.
    Logistic(Logistic),
    /// `e^-t`.
    Exponential(Exponential),
    /// `-ln t`.
    Likelihood(Likelihood),
}

macro_rules! each {
    ($any:expr, $loss:ident => $value:expr) => {
        match $any {
            AnyLoss::Margin($loss) => $value,
            AnyLoss::Regression($loss) => $value,
            AnyLoss::Logistic($loss) => $value,
            AnyLoss::Exponential($loss) => $value,
            AnyLoss::Likelihood($loss) => $value,
        }
    };
}
pub(super) use each;

impl AnyLoss {
    /// Whether rows have a label of two, not a number to hit.
    pub fn classifies(&self) -> bool {
        match self {
            AnyLoss::Margin(_) | AnyLoss::Logistic(_) | AnyLoss::Exponential(_) => true,
            AnyLoss::Regression(_) | AnyLoss::Likelihood(_) => false,
        }
    }

    /// Whether the margin that a row aims at can be another number than 1 (theta and alpha of a problem).
    pub fn has_movable_target(&self) -> bool {
        match self {
            AnyLoss::Margin(_) => true,
            AnyLoss::Regression(_)
            | AnyLoss::Logistic(_)
            | AnyLoss::Exponential(_)
            | AnyLoss::Likelihood(_) => false,
        }
    }

    /// The factor by which the margin of least expected loss is multiplied to be the log-odds of the label, where that margin is a multiple
    /// of the log-odds: `p f(t) + (1-p) f(-t)` is least at `ln(p/(1-p))` for the logistic loss and at half of that for the exponential one.
    pub fn log_odds(&self) -> Option<f64> {
        match self {
            AnyLoss::Logistic(_) => Some(1.0),
            AnyLoss::Exponential(_) => Some(2.0),
            AnyLoss::Margin(_) | AnyLoss::Regression(_) | AnyLoss::Likelihood(_) => None,
        }
    }
}

impl Loss for AnyLoss {
    const HAS_ENDS: bool = true;

    fn value(&self, t: f64, y: f64) -> f64 {
        each!(self, loss => loss.value(t, y))
    }

    fn slopes(&self, t: f64, y: f64) -> (f64, f64) {
        each!(self, loss => loss.slopes(t, y))
    }

    fn is_smooth(&self) -> bool {
        each!(self, loss => loss.is_smooth())
    }

    fn bend(&self, t: f64, y: f64) -> f64 {
        each!(self, loss => loss.bend(t, y))
    }

    fn look(&self, t: f64, y: f64) -> LossSlopes {
        each!(self, loss => loss.look(t, y))
    }

    fn conjugate(&self, a: f64, y: f64) -> f64 {
        each!(self, loss => loss.conjugate(a, y))
    }

    fn conjugate_slopes(&self, a: f64, y: f64) -> (f64, f64) {
        each!(self, loss => loss.conjugate_slopes(a, y))
    }

    fn is_quadratic(&self) -> bool {
        each!(self, loss => loss.is_quadratic())
    }

    fn curvature(&self) -> f64 {
        each!(self, loss => loss.curvature())
    }

    fn piece(&self, a: f64) -> (f64, f64) {
        each!(self, loss => loss.piece(a))
    }

    fn domain(&self) -> (f64, f64) {
        each!(self, loss => loss.domain())
    }

    fn start(&self) -> f64 {
        each!(self, loss => loss.start())
    }

    fn step(&self, a: f64, t: f64, b: f64, y: f64) -> f64 {
        each!(self, loss => loss.step(a, t, b, y))
    }
}

#[cfg(test)]
mod tests;
