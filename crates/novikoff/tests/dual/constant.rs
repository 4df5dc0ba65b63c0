//! A constant feature that is regularised: its weight is held, and the problem stays the same.

use novikoff::dual::loss::{AnyLoss, Logistic, Loss, Margin};
use novikoff::dual::regulariser::Square;
use novikoff::dual::{Aim, Problem, Settings, Solution, Stop, solve};
use novikoff::random::SplitMix64;
use novikoff::rows::Rows;

use super::{check_margins, exact, finite_losses};

/// Sparse rows with a constant feature in `slot`: slot 0 is where its weight is held.
fn data(n: usize, slot: u32, constant: f32, loss: &AnyLoss) -> (Rows, Vec<Aim>) {
    data_of(n, slot, constant, loss, 1.0)
}

/// The same with values that are `scale` times as large.
fn data_of(n: usize, slot: u32, constant: f32, loss: &AnyLoss, scale: f32) -> (Rows, Vec<Aim>) {
    let mut random = SplitMix64::new(31);
    let features = 600;
    let truth: Vec<f64> = (0..=features).map(|_| random.uniform() - 0.5).collect();
    let (mut rows, mut aims) = (Rows::new(), Vec::new());
    for _ in 0..n {
        let mut score = -0.3;
        rows.push_any(slot, constant);
        for _ in 0..12 {
            let j = 1 + random.below(features);
            let value = random.uniform() as f32 * 0.4;
            score += f64::from(value) * truth[j];
            rows.push_any(j as u32, scale * value);
        }
        rows.end_row(0);
        let weight = [1.0, 0.5, 2.0, 0.0][random.below(4)];
        let noisy = score + 0.2 * (random.uniform() - 0.5);
        aims.push(Aim {
            sign: if noisy >= 0.0 || !loss.classifies() {
                1.0
            } else {
                -1.0
            },
            target: if loss.classifies() { 1.0 } else { score },
            weight,
        });
    }
    (rows, aims)
}

/// Beyond all features.
const ELSEWHERE: u32 = 700;

fn solution(problem: &Problem<'_>, loss: AnyLoss, lambda: f64, settings: &Settings) -> Solution {
    let mut watch = |report: &novikoff::dual::Report| {
        let c = report.certificate;
        assert!(c.dual <= c.primal && c.gap >= 0.0, "{c:?}");
        true
    };
    let solution = solve(problem, loss, Square, lambda, None, settings, &mut watch);
    check_margins(problem, &solution);
    solution
}

/// P by its definition.
fn objective(problem: &Problem<'_>, loss: AnyLoss, lambda: f64, w: &[f64]) -> f64 {
    let mut sum = 0.0;
    for (i, aim) in problem.aims().iter().enumerate() {
        if aim.weight > 0.0 {
            let t = aim.sign * problem.row(i).dot(w);
            sum += aim.weight * loss.value(t, aim.target);
        }
    }
    let square: f64 = w.iter().map(|w| w * w).sum();
    sum / problem.len() as f64 + 0.5 * lambda * square
}

/// D by its definition.
fn dual(problem: &Problem<'_>, loss: AnyLoss, lambda: f64, a: &[f64]) -> f64 {
    let n = problem.len() as f64;
    let (mut v, mut sum) = (vec![0.0; problem.slots()], 0.0);
    for (i, (aim, a)) in problem.aims().iter().zip(a).enumerate() {
        if aim.weight > 0.0 {
            let c = aim.weight * aim.sign * a / (lambda * n);
            problem.row(i).add_to(c, &mut v);
            sum += aim.weight * loss.conjugate(*a, aim.target);
        }
    }
    -sum / n - 0.5 * lambda * v.iter().map(|v| v * v).sum::<f64>()
}

#[test]
fn the_certificate_is_that_of_the_problem() {
    for (name, loss) in finite_losses() {
        for (constant, is_scaled) in [(1.0, false), (4.0, false), (1.0, true)] {
            let (rows, aims) = data(150, 0, constant, &loss);
            let scale: Vec<f64> = (0..150).map(|i| 0.5 + f64::from(i % 3)).collect();
            let scale = if is_scaled { scale } else { Vec::new() };
            let problem = Problem::new(rows.view(), scale.clone(), aims);
            for gap in [1e-2, 1e-9] {
                let settings = Settings {
                    gap,
                    newton: false,
                    ..exact()
                };
                let held = solution(&problem, loss, 1e-2, &settings);
                let c = held.report.certificate;
                assert_eq!(held.stop, Stop::Converged, "{name}: {c:?}");
                assert_eq!(held.intercept, 0.0);
                let p = objective(&problem, loss, 1e-2, &held.weights);
                let d = dual(&problem, loss, 1e-2, &held.dual);
                let near = |a: f64, b: f64| (a - b).abs() <= 1e-12 * (1.0 + a.abs());
                assert!(near(p, c.primal), "{name}: {p} {c:?}");
                assert!(near(d, c.dual), "{name}: {d} {c:?}");
                assert!(near(p - d, c.gap), "{name}: {p} - {d} {c:?}");
            }
            // the same feature where it is one among others
            let (rows, aims) = data(150, ELSEWHERE, constant, &loss);
            let plain = Problem::new(rows.view(), scale, aims);
            let settings = Settings {
                newton: false,
                ..exact()
            };
            let held = solution(&problem, loss, 1e-2, &settings);
            let plain = solution(&plain, loss, 1e-2, &settings);
            let (p, q) = (held.report.certificate, plain.report.certificate);
            assert!(
                (p.primal - q.primal).abs() <= p.gap + q.gap + 1e-12,
                "{name}, {constant}: {p:?} {q:?}"
            );
        }
    }
}

#[test]
fn a_constant_feature_costs_few_passes() {
    for loss in [Margin::HINGE, Margin::SQUARED_HINGE] {
        let loss = AnyLoss::Margin(loss);
        let passes = |slot: u32, constant: f32| {
            let (rows, aims) = data(4000, slot, constant, &loss);
            let problem = Problem::new(rows.view(), Vec::new(), aims);
            let settings = Settings {
                gap: 1e-6,
                newton: false,
                ..Settings::default()
            };
            let solution = solution(&problem, loss, 1e-5, &settings);
            assert_eq!(solution.stop, Stop::Converged);
            solution.report.passes
        };
        let (held, plain) = (passes(0, 1.0), passes(ELSEWHERE, 1.0));
        // a constant of 0 is not stored
        let without = passes(0, 0.0);
        assert!(3 * held < 2 * plain, "{held} {plain} {without}");
        assert!(held <= 2 * without, "{held} {plain} {without}");
    }
}

/// Where lambda is large for the features, plain steps are short already, and to hold the weight would make it creep.
#[test]
fn small_features_cost_no_passes() {
    let losses = [
        AnyLoss::Logistic(Logistic),
        AnyLoss::Margin(Margin::SQUARED_HINGE),
        AnyLoss::Margin(Margin::HINGE),
    ];
    for loss in losses {
        for (n, scale, lambda) in [(1000, 0.1, 1e-2), (1000, 0.03, 1e-3), (4000, 0.1, 1e-3)] {
            let passes = |slot| {
                let (rows, aims) = data_of(n, slot, 1.0, &loss, scale);
                let problem = Problem::new(rows.view(), Vec::new(), aims);
                let settings = Settings {
                    newton: false,
                    ..Settings::default()
                };
                let solution = solution(&problem, loss, lambda, &settings);
                assert_eq!(solution.stop, Stop::Converged, "{:?}", solution.report);
                solution.report.passes
            };
            let (held, plain) = (passes(0), passes(ELSEWHERE));
            assert!(held <= plain + 10, "{loss:?} {n} {scale}: {held} {plain}");
        }
    }
}

/// Rows without the constant feature, the first one with it.
#[test]
fn some_rows_lack_the_constant() {
    for (name, loss) in finite_losses() {
        let (all, mut aims) = data(300, 0, 1.0, &loss);
        let mut rows = Rows::new();
        for i in 0..all.len() {
            for (slot, value) in all.row(i).iter() {
                if slot > 0 || i % 3 == 0 {
                    rows.push(slot as u32, value as f32);
                }
            }
            rows.end_row(0);
        }
        aims.truncate(rows.len());
        let problem = Problem::new(rows.view(), Vec::new(), aims);
        let settings = Settings {
            newton: false,
            gap: 1e-7,
            ..exact()
        };
        let held = solution(&problem, loss, 1e-3, &settings);
        let c = held.report.certificate;
        assert_eq!(held.stop, Stop::Converged, "{name}: {c:?}");
        let p = objective(&problem, loss, 1e-3, &held.weights);
        let d = dual(&problem, loss, 1e-3, &held.dual);
        assert!((p - c.primal).abs() <= 1e-12 * (1.0 + p.abs()), "{name}");
        assert!((d - c.dual).abs() <= 1e-12 * (1.0 + p.abs()), "{name}");
    }
}

#[test]
fn threads_change_no_bit_of_it() {
    let loss = AnyLoss::Margin(Margin::SQUARED_HINGE);
    let (rows, aims) = data(3000, 0, 1.0, &loss);
    let problem = Problem::new(rows.view(), Vec::new(), aims);
    let of = |threads| {
        let settings = Settings {
            threads,
            parts: Some(3),
            newton: false,
            gap: 1e-6,
            max_passes: 30,
            ..Settings::default()
        };
        solution(&problem, loss, 1e-3, &settings)
    };
    let one = of(1);
    assert!(one.report.certificate.relative_gap() < 1e-3);
    for threads in [2, 3] {
        let other = of(threads);
        assert_eq!(one.report, other.report);
        assert_eq!(one.dual, other.dual);
        assert_eq!(one.weights, other.weights);
    }
}

/// From given variables the weight begins where they put it.
#[test]
fn a_start_is_taken_up() {
    let loss = AnyLoss::Margin(Margin::SQUARED_HINGE);
    let (rows, aims) = data(2000, 0, 1.0, &loss);
    let problem = Problem::new(rows.view(), Vec::new(), aims);
    let settings = Settings {
        gap: 1e-6,
        newton: false,
        ..Settings::default()
    };
    let first = solution(&problem, loss, 1e-3, &settings);
    let again = solve(
        &problem,
        loss,
        Square,
        1e-3,
        Some(&first.dual),
        &settings,
        &mut |_| true,
    );
    assert!(again.report.passes <= 3, "{:?}", again.report);
}

/// What cannot be reached ends as a stall: at last steps are plain, and plain steps are judged by the dual.
#[test]
fn a_gap_of_nothing_stalls() {
    let loss = AnyLoss::Margin(Margin::HINGE);
    let (rows, aims) = data(60, 0, 1.0, &loss);
    let problem = Problem::new(rows.view(), Vec::new(), aims);
    let settings = Settings {
        gap: 0.0,
        max_passes: 100_000,
        newton: false,
        ..Settings::default()
    };
    let solution = solution(&problem, loss, 1e-2, &settings);
    let c = solution.report.certificate;
    assert!(c.relative_gap() < 1e-10, "{c:?}");
    assert!(
        matches!(solution.stop, Stop::Stalled | Stop::Converged),
        "{:?}",
        solution.report
    );
}
