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
fn is_open(loss: &AnyLoss, end: f64) -> bool {
    let (left, right) = loss.conjugate_slopes(end, 1.0);
    end.is_finite() && left == right && left.is_infinite()
}

/// A point of the domain of `c`, its closed ends and kinks included.
fn dual_point(loss: &AnyLoss, random: &mut SplitMix64) -> f64 {
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

/// The slope interval of the step's objective at `a'` must hold 0.
#[test]
fn steps_are_exact() {
    let mut random = SplitMix64::new(3);
    for (name, loss) in all() {
        for case in 0..20_000 {
            let y = random.below(192) as f64 / 64.0 - 1.0;
            let a = dual_point(&loss, &mut random);
            let t = 20.0 * (random.uniform() - 0.5) * if case % 7 == 0 { 20.0 } else { 1.0 };
            let b = libm::exp(26.0 * random.uniform() - 12.0);
            let next = loss.step(a, t, b, y);
            let (low, high) = loss.domain();
            assert!(low <= next && next <= high, "{name}: {next}");
            let (left, right) = loss.conjugate_slopes(next, y);
            let rest = t + b * (next - a);
            let mut rounding = 0.0;
            if is_open(&loss, low) {
                assert!(low < next, "{name}: {next}");
                if next <= TINY {
                    assert!(left + rest >= 0.0, "{name}: {next} is too large");
                    continue; // kept inside
                }
            }
            if is_open(&loss, high) {
                assert!(next < high, "{name}: {next}");
                if next == high - f64::EPSILON / 2.0 {
                    assert!(left + rest <= 0.0, "{name}: {next} is too small");
                    continue; // kept inside
                }
                // near the end a variable has few digits left of its distance
                rounding = 4e-16 / (high - next);
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

#[test]
fn golden_steps() {
    let huber = AnyLoss::Regression(Regression::huber(0.5));
    let insensitive = AnyLoss::Regression(Regression::insensitive(0.1));
    let squared_insensitive = AnyLoss::Regression(Regression::squared_insensitive(0.1));
    let absolute = AnyLoss::Regression(Regression::ABSOLUTE);
    let logistic = AnyLoss::Logistic(Logistic);
    let hinge = AnyLoss::Margin(Margin::HINGE);
    for (loss, [a, t, b, y], expected) in [
        (
            AnyLoss::Regression(Regression::SQUARED),
            [0.3, 0.5, 0.8, 1.2],
            0.522_222_222_222,
        ),
        (huber, [0.3, 0.1, 0.8, 2.0], 0.5),
        (insensitive, [0.2, 0.5, 2.0, 1.2], 0.5),
        (insensitive, [0.2, 1.3, 2.0, 1.2], 0.1),
        (squared_insensitive, [0.2, 0.5, 2.0, 1.2], 0.333_333_333_333),
        (absolute, [0.2, 0.5, 2.0, 1.2], 0.55),
        (logistic, [0.5, 0.7, 2.0, 1.0], 0.384_739_543_933),
        (logistic, [0.02, -3.0, 50.0, 1.0], 0.119_872_720_339),
        (
            AnyLoss::Margin(Margin::SQUARED_HINGE),
            [0.4, 0.3, 0.8, 1.0],
            0.784_615_384_615,
        ),
        (hinge, [0.4, 0.3, 2.0, 1.0], 0.75),
        (hinge, [0.4, 1.9, 2.0, 1.0], 0.0),
        (
            AnyLoss::Margin(Margin::smoothed_hinge(0.5)),
            [0.4, 0.3, 0.8, 1.0],
            0.784_615_384_615,
        ),
        (
            AnyLoss::Margin(Margin::MODIFIED_HUBER),
            [0.4, -2.5, 0.8, 1.0],
            2.0,
        ),
        (
            AnyLoss::Exponential(Exponential),
            [1.0, 0.5, 2.0, 1.0],
            0.838_230_862_249,
        ),
        (
            AnyLoss::Likelihood(Likelihood),
            [1.0, 0.4, 2.0, 1.0],
            1.212_403_840_464,
        ),
        (
            AnyLoss::Likelihood(Likelihood),
            [1.0, 3.0, 0.5, 1.0],
            0.372_281_323_269,
        ),
    ] {
        let got = loss.step(a, t, b, y);
        assert!(
            (got - expected).abs() < 1e-11,
            "{loss:?}: {got}, not {expected}"
        );
    }
}
