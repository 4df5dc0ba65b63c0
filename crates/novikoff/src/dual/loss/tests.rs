//! Fenchel and Young, slopes, and steps, for every loss.
#![allow(clippy::unwrap_used)]

use super::*;
use crate::dual::named::{LOSSES, LossEntry, NamedLoss};
use crate::random::SplitMix64;

/// Every loss of the catalogue; 0.125 is allowed for all keys, and no default.
fn all() -> Vec<(&'static str, AnyLoss)> {
    let loss = |entry: &'static LossEntry| {
        let keys = entry.keys.iter().map(|key| format!("{}=0.125", key.name));
        let keys: Vec<String> = keys.collect();
        let spec = format!("{}:{}", entry.name, keys.join(","));
        let spec = spec.trim_end_matches(':');
        (entry.name, NamedLoss::parse(spec).unwrap().loss())
    };
    LOSSES.iter().map(loss).collect()
}

/// Whether variables stay inside of that end of the domain of `c`, as the slope of `c` is infinite there.
fn is_open(loss: &impl Loss, end: f64) -> bool {
    let (left, right) = loss.conjugate_slopes(end, 1.0);
    end.is_finite() && left == right && left.is_infinite()
}

/// A point of the domain of `c`, its closed ends and kinks included.
fn dual_point(loss: &impl Loss, random: &mut SplitMix64) -> f64 {
    let (low, high) = loss.domain();
    let is_reached = |a: f64| a.is_finite() && !is_open(loss, a);
    match random.below(6) {
        0 if is_reached(low) => low,
        1 if is_reached(high) => high,
        2 if is_reached(0.0) => 0.0,
        _ => {
            let (low, high) = (low.max(-3.0), high.min(3.0));
            low + (high - low) * (0.001 + 0.998 * random.uniform())
        }
    }
}

fn primal_point(loss: &AnyLoss, y: f64, random: &mut SplitMix64) -> f64 {
    match (loss, random.below(5)) {
        (AnyLoss::Likelihood(_), _) => 0.01 + 4.0 * random.uniform(),
        (_, 0) => y, // kinks
        (AnyLoss::Regression(_), 1) => y + 0.125,
        _ => 8.0 * random.uniform() - 4.0,
    }
}

#[test]
fn young_holds_with_equality_at_the_link() {
    let mut random = SplitMix64::new(1);
    for (name, loss) in all() {
        for _ in 0..2000 {
            let y = random.below(192) as f64 / 64.0 - 1.0;
            let (a, t) = (
                dual_point(&loss, &mut random),
                primal_point(&loss, y, &mut random),
            );
            let sum = loss.value(t, y) + loss.conjugate(a, y) + a * t;
            assert!(sum >= -1e-12, "{name}: {sum} at a {a} t {t} y {y}");
            let (left, right) = loss.slopes(t, y);
            assert!(left <= right, "{name}");
            for a in [-left, -right, -0.5 * (left + right)] {
                let gap = loss.gap(a, t, y);
                assert!(gap < 1e-12, "{name}: gap {gap} at the link, t {t} y {y}");
                let (low, high) = loss.conjugate_slopes(a, y);
                assert!(
                    low <= -t + 1e-9 && -t - 1e-9 <= high,
                    "{name}: {low} {t} {high}"
                );
            }
        }
    }
}

#[test]
fn slopes_are_limits_of_differences() {
    let mut random = SplitMix64::new(2);
    let d = 1e-6;
    for (name, loss) in all() {
        for _ in 0..500 {
            let y = random.below(192) as f64 / 64.0 - 1.0;
            let t = primal_point(&loss, y, &mut random);
            let (left, right) = loss.slopes(t, y);
            let value = loss.value(t, y);
            let scale = 1e-4 * (1.0 + left.abs()) * (1.0 + left.abs());
            let forwards = (loss.value(t + d, y) - value) / d;
            let backwards = (value - loss.value(t - d, y)) / d;
            assert!(
                (forwards - right).abs() < scale,
                "{name}: {forwards} {right} at {t} {y}"
            );
            assert!(
                (backwards - left).abs() < scale,
                "{name}: {backwards} {left} at {t} {y}"
            );
            let a = dual_point(&loss, &mut random);
            let (low, high) = loss.conjugate_slopes(a, y);
            let here = loss.conjugate(a, y);
            let d = d * a.abs().clamp(1e-3, 1.0);
            let scale = 1e-3 * (1.0 + 1.0 / a.abs());
            if high.is_finite() {
                let forwards = (loss.conjugate(a + d, y) - here) / d;
                assert!(
                    (forwards - high).abs() < scale,
                    "{name}: {forwards} {high} at {a}"
                );
            } else {
                assert_eq!(loss.conjugate(a + 1e-9, y), f64::INFINITY, "{name} at {a}");
            }
            if low.is_finite() {
                let backwards = (here - loss.conjugate(a - d, y)) / d;
                assert!(
                    (backwards - low).abs() < scale,
                    "{name}: {backwards} {low} at {a}"
                );
            } else {
                assert_eq!(loss.conjugate(a - 1e-9, y), f64::INFINITY, "{name} at {a}");
            }
        }
    }
}

/// The variable nearest to an open end of the domain of `c`, to which steps are clamped.
fn innermost(end: f64, toward: f64) -> f64 {
    match end.abs() {
        0.0 => TINY.copysign(toward),
        size => end + (0.5 * f64::EPSILON * size).copysign(toward),
    }
}

/// The slope interval of the step's objective at `a'` must hold 0.
fn check_steps<L: Loss>(name: &str, loss: &L, random: &mut SplitMix64) {
    let (low, high) = loss.domain();
    for case in 0..20_000 {
        let y = random.below(192) as f64 / 64.0 - 1.0;
        let a = dual_point(loss, random);
        let t = 20.0 * (random.uniform() - 0.5) * if case % 7 == 0 { 20.0 } else { 1.0 };
        let b = libm::exp(26.0 * random.uniform() - 12.0);
        let next = loss.step(a, t, b, y);
        assert!(low <= next && next <= high, "{name}: {next}");
        let (left, right) = loss.conjugate_slopes(next, y);
        let rest = t + b * (next - a);
        let mut rounding = 0.0;
        if is_open(loss, low) {
            assert!(low < next, "{name}: {next}");
            if next <= innermost(low, 1.0) {
                assert!(left + rest >= 0.0, "{name}: {next} is too large");
                continue; // kept inside
            }
            // near an end other than 0 a variable has few digits left of its distance
            rounding += 4e-16 * low.abs() / (next - low);
        }
        if is_open(loss, high) {
            assert!(next < high, "{name}: {next}");
            if next >= innermost(high, -1.0) {
                assert!(left + rest <= 0.0, "{name}: {next} is too small");
                continue; // kept inside
            }
            rounding += 4e-16 * high.abs() / (high - next);
        }
        let allowed = 1e-9 * (1.0 + t.abs() + b * (a.abs() + next.abs())) + rounding;
        assert!(
            left + rest <= allowed && right + rest >= -allowed,
            "{name}: step({a}, {t}, {b}, {y}) = {next}: slopes {} {}",
            left + rest,
            right + rest
        );
    }
}

#[test]
fn steps_are_exact() {
    let mut random = SplitMix64::new(3);
    for (name, loss) in all() {
        check_steps(name, &loss, &mut random);
    }
}

/// `ln cosh(t - y)`, a loss of these tests alone: its conjugate is open at -1 and at 1.
#[derive(Clone, Copy)]
struct LogCosh {
    /// The share of the exact step that is taken.
    taken: f64,
}

impl Loss for LogCosh {
    const HAS_ENDS: bool = false;

    fn value(&self, t: f64, y: f64) -> f64 {
        libm::log(libm::cosh(t - y))
    }

    fn slopes(&self, t: f64, y: f64) -> (f64, f64) {
        let slope = libm::tanh(t - y);
        (slope, slope)
    }

    fn is_smooth(&self) -> bool {
        true
    }

    fn bend(&self, t: f64, y: f64) -> f64 {
        let slope = libm::tanh(t - y);
        1.0 - slope * slope
    }

    fn conjugate(&self, a: f64, y: f64) -> f64 {
        let half = |part: f64| 0.5 * part * libm::log(part);
        half(1.0 - a) + half(1.0 + a) - a * y
    }

    fn conjugate_slopes(&self, a: f64, y: f64) -> (f64, f64) {
        let slope = libm::atanh(a) - y;
        (slope, slope)
    }

    fn domain(&self) -> (f64, f64) {
        (-1.0, 1.0)
    }

    /// By bisection.
    fn step(&self, a: f64, t: f64, b: f64, y: f64) -> f64 {
        let slope = |next: f64| (libm::atanh(next) - y) + (t + b * (next - a));
        let (mut low, mut high) = (innermost(-1.0, 1.0), innermost(1.0, -1.0));
        if slope(low) >= 0.0 {
            high = low;
        }
        if slope(high) <= 0.0 {
            low = high;
        }
        for _ in 0..200 {
            let middle = 0.5 * (low + high);
            if slope(middle) < 0.0 {
                low = middle;
            } else {
                high = middle;
            }
        }
        // the one that is farther from its end
        let nearest = if low < 0.0 { high } else { low };
        self.taken * nearest + (1.0 - self.taken) * a
    }
}

#[test]
fn steps_are_examined_near_both_ends_of_any_domain() {
    let steps_of = |taken: f64| {
        let mut random = SplitMix64::new(4);
        check_steps("log-cosh", &LogCosh { taken }, &mut random);
    };
    steps_of(1.0);
    let result = std::panic::catch_unwind(|| steps_of(0.999));
    assert!(result.is_err(), "a step that is too short is found");
}

/// A margin or prediction, often on a kink of a loss whose keys are 0.125.
fn any_point(y: f64, random: &mut SplitMix64) -> f64 {
    let kinks = [0.0, 0.125, -0.125, -2.0, 0.25, -0.25];
    match random.below(12) {
        place if place < kinks.len() => y + kinks[place],
        6 => 0.0,
        _ => 12.0 * random.uniform() - 6.0,
    }
}

/// `is_smooth` decides whether Newton's method may be used, and `bend` is what it steps by.
fn check_smoothness(name: &str, loss: &impl Loss) {
    let mut random = SplitMix64::new(5);
    let points: Vec<(f64, f64)> = (0..2000)
        .map(|_| {
            let y = random.below(192) as f64 / 64.0 - 1.0;
            (any_point(y, &mut random), y)
        })
        .collect();
    let has_one_slope = |t: f64, y: f64| {
        let (left, right) = loss.slopes(t, y);
        loss.value(t, y).is_finite() && left == right
    };
    let looks_smooth = points.iter().all(|(t, y)| has_one_slope(*t, *y));
    assert_eq!(loss.is_smooth(), looks_smooth, "{name}: is_smooth");
    if !looks_smooth {
        return;
    }
    for (t, y) in points {
        let step = 1e-6;
        let slope = |t: f64| loss.slopes(t, y).0;
        let (before, after) = (
            (slope(t) - slope(t - step)) / step,
            (slope(t + step) - slope(t)) / step,
        );
        let (least, most) = (before.min(after), before.max(after));
        let allowed = 1e-3 * (1.0 + most.abs());
        let bend = loss.bend(t, y);
        assert!(
            least - allowed <= bend && bend <= most + allowed,
            "{name}: bend({t}, {y}) = {bend}, between {least} and {most}"
        );
    }
}

#[test]
fn smooth_losses_say_so_and_bend_as_their_slopes_do() {
    for (name, loss) in all() {
        check_smoothness(name, &loss);
    }
    check_smoothness("log-cosh", &LogCosh { taken: 1.0 });
}

#[test]
fn rows_without_length_step_to_the_slope_of_their_loss() {
    for (name, loss) in all() {
        for t in [0.25, 1.7, 3.0] {
            let next = loss.step(loss.start(), t, 0.0, 1.0);
            let (left, right) = loss.slopes(t, 1.0);
            assert!(
                -right - 1e-12 <= next && next <= -left + 1e-12,
                "{name}: {next} {left} {right}"
            );
        }
    }
}

/// A spec, the `a`, `t`, `b` and `y` of a step, and where it ends.
const GOLDEN_STEPS: &[(&str, [f64; 4], f64)] = &[
    ("squared", [0.3, 0.5, 0.8, 1.2], 0.522_222_222_222),
    ("max-entropy", [0.3, 0.5, 0.8, 1.2], 0.522_222_222_222),
    ("huber:delta=0.5", [0.3, 0.1, 0.8, 2.0], 0.5),
    ("eps-insensitive:eps=0.1", [0.2, 0.5, 2.0, 1.2], 0.5),
    ("eps-insensitive:eps=0.1", [0.2, 1.3, 2.0, 1.2], 0.1),
    (
        "squared-eps-insensitive:eps=0.1",
        [0.2, 0.5, 2.0, 1.2],
        0.333_333_333_333,
    ),
    ("absolute", [0.2, 0.5, 2.0, 1.2], 0.55),
    ("logistic", [0.5, 0.7, 2.0, 1.0], 0.384_739_543_933),
    ("logistic", [0.02, -3.0, 50.0, 1.0], 0.119_872_720_339),
    ("squared-hinge", [0.4, 0.3, 0.8, 1.0], 0.784_615_384_615),
    ("hinge", [0.4, 0.3, 2.0, 1.0], 0.75),
    ("hinge", [0.4, 1.9, 2.0, 1.0], 0.0),
    (
        "smoothed-hinge:gamma=0.5",
        [0.4, 0.3, 0.8, 1.0],
        0.784_615_384_615,
    ),
    ("modified-huber", [0.4, -2.5, 0.8, 1.0], 2.0),
    ("exponential", [1.0, 0.5, 2.0, 1.0], 0.838_230_862_249),
    ("likelihood", [1.0, 0.4, 2.0, 1.0], 1.212_403_840_464),
    ("likelihood", [1.0, 3.0, 0.5, 1.0], 0.372_281_323_269),
];

#[test]
fn golden_steps() {
    for (spec, [a, t, b, y], expected) in GOLDEN_STEPS {
        let got = NamedLoss::parse(spec).unwrap().loss().step(*a, *t, *b, *y);
        assert!(
            (got - expected).abs() < 1e-11,
            "{spec}: {got}, not {expected}"
        );
    }
}

#[test]
fn every_loss_has_a_golden_step() {
    let name = |spec: &'static str| spec.split(':').next().unwrap_or_default();
    for entry in LOSSES {
        let is_there = GOLDEN_STEPS
            .iter()
            .any(|(spec, ..)| name(spec) == entry.name);
        assert!(is_there, "{} has no line in GOLDEN_STEPS", entry.name);
    }
}

#[test]
fn a_look_is_value_slope_and_bend() {
    let mut random = SplitMix64::new(77);
    for (name, loss) in all() {
        for _ in 0..2000 {
            let y = 2.0 * random.uniform() - 1.0;
            let t = primal_point(&loss, y, &mut random);
            let look = loss.look(t, y);
            assert_eq!(look.value, loss.value(t, y), "{name} at {t}");
            assert_eq!(look.slope, loss.slopes(t, y).0, "{name} at {t}");
            assert_eq!(look.bend, loss.bend(t, y), "{name} at {t}");
        }
    }
}
