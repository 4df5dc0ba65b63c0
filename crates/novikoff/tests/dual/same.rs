//! What must change nothing: threads, shrinking, the start, weights against copies.

use std::sync::Arc;

use novikoff::dual::loss::{AnyLoss, Logistic, Margin};
use novikoff::dual::regulariser::{Entropy, Piecewise, Regulariser, Separable, Square};
use novikoff::dual::{Aim, Problem, Settings, Solution, Stop, solve};
use novikoff::random::SplitMix64;
use novikoff::rows::Rows;

use super::{Data, exact, finite_losses, run};

fn quiet<R: Regulariser>(
    data: &Data,
    loss: AnyLoss,
    by: &R,
    lambda: f64,
    settings: &Settings,
) -> Solution {
    run(data, loss, by, lambda, settings)
}

/// Sparse rows, not few.
fn large() -> Data {
    let mut random = SplitMix64::new(9);
    let (n, nonzero, features) = (3_000, 50, 4000);
    let truth: Vec<f64> = (0..=features).map(|_| random.uniform() - 0.5).collect();
    let mut data = Data {
        rows: Rows::new(),
        aims: Vec::new(),
    };
    for _ in 0..n {
        let mut slots: Vec<u32> = (0..nonzero)
            .map(|_| {
                let u = random.uniform();
                1 + (u * u * f64::from(features)) as u32
            })
            .collect();
        slots.sort_unstable();
        slots.dedup();
        let mut score = 0.0;
        for &slot in &slots {
            let value = random.uniform() as f32 * 0.3;
            score += f64::from(value) * truth[slot as usize];
            data.rows.push(slot, value);
        }
        data.rows.end_row(0);
        let sign = if score + 0.1 * (random.uniform() - 0.5) >= 0.0 {
            1.0
        } else {
            -1.0
        };
        data.aims.push(Aim {
            sign,
            target: 1.0,
            weight: 1.0,
        });
    }
    data
}

fn same_for_any_threads<R: Regulariser>(data: &Data, loss: AnyLoss, by: &R, free_bias: bool) {
    let of = |threads| {
        let settings = Settings {
            threads,
            parts: Some(3),
            free_bias,
            gap: 1e-2,
            max_passes: 20,
            ..Settings::default()
        };
        run(data, loss, by, 1e-4, &settings)
    };
    let one = of(1);
    for threads in [2, 3] {
        let other = of(threads);
        assert_eq!(one.report, other.report);
        assert_eq!(one.dual, other.dual);
        assert_eq!(one.weights, other.weights);
    }
}

#[test]
fn threads_change_no_bit() {
    let data = large();
    let prior: Arc<[f64]> = (0..=4000)
        .map(|j| if j == 0 { 0.0 } else { 1.0 / 4000.0 })
        .collect();
    let hinge = AnyLoss::Margin(Margin::HINGE);
    let squared = AnyLoss::Margin(Margin::SQUARED_HINGE);
    let logistic = AnyLoss::Logistic(Logistic);
    same_for_any_threads(&data, hinge, &Square, false);
    same_for_any_threads(&data, squared, &Square, true);
    same_for_any_threads(
        &data,
        logistic,
        &Separable(Piecewise::elastic(0.1, 1.0)),
        false,
    );
    same_for_any_threads(&data, squared, &Entropy::new(prior, true), false);
}

#[test]
fn parts_change_no_optimum() {
    let data = large();
    for loss in [Margin::HINGE, Margin::SQUARED_HINGE] {
        for free_bias in [false, true] {
            let of = |parts| {
                let settings = Settings {
                    parts,
                    free_bias,
                    gap: 1e-6,
                    max_passes: 2000,
                    ..Settings::default()
                };
                let solution = run(&data, AnyLoss::Margin(loss), &Square, 1e-3, &settings);
                assert_eq!(solution.stop, Stop::Converged, "{:?}", solution.report);
                solution.report.certificate.primal
            };
            let one = of(None);
            for parts in [2, 5] {
                let several = of(Some(parts));
                assert!((one - several).abs() < 2e-6 * one, "{one} {several}");
            }
        }
    }
}

/// Parts whose rows are the same all push at once, which only caution keeps from rocking.
#[test]
fn parts_of_the_same_rows_converge_too() {
    let mut data = middling(21);
    let copies = data.rows.clone();
    for _ in 0..3 {
        data.rows.append(copies.view(), 0);
        data.aims.extend_from_within(..60);
    }
    for (name, loss) in finite_losses() {
        let settings = Settings {
            parts: Some(4),
            gap: 1e-6,
            ..exact()
        };
        let solution = run(&data, loss, &Square, 0.01, &settings);
        assert_eq!(
            solution.stop,
            Stop::Converged,
            "{name}: {:?}",
            solution.report
        );
    }
}

pub(crate) fn middling(seed: u64) -> Data {
    let mut random = SplitMix64::new(seed);
    let rows: Vec<Vec<f32>> = (0..60)
        .map(|_| {
            (0..5)
                .map(|_| 2.0 * random.uniform() as f32 - 1.0)
                .collect()
        })
        .collect();
    let aims = rows.iter().map(|x| {
        let side = x[0] + x[1] + 0.5 * (random.uniform() as f32 - 0.5);
        Aim {
            sign: if side > 0.0 { 1.0 } else { -1.0 },
            target: 1.0,
            weight: 1.0,
        }
    });
    let aims = aims.collect();
    let rows: Vec<&[f32]> = rows.iter().map(Vec::as_slice).collect();
    Data::new(&rows, aims)
}

#[test]
fn shrinking_changes_no_answer() {
    let data = middling(3);
    for (name, loss) in finite_losses() {
        for free_bias in [false, true] {
            let gap = 1e-8;
            let of = |shrinks| {
                let settings = Settings {
                    shrinks,
                    free_bias,
                    gap,
                    ..exact()
                };
                quiet(&data, loss, &Square, 0.01, &settings)
            };
            let (with, without) = (of(true), of(false));
            let (p, q) = (
                with.report.certificate.primal,
                without.report.certificate.primal,
            );
            assert!((p - q).abs() < 2.0 * gap * p, "{name}: {p} {q}");
            assert_eq!(
                (with.stop, without.stop),
                (Stop::Converged, Stop::Converged),
                "{name}"
            );
        }
    }
}

#[test]
fn seeds_change_no_answer() {
    let data = middling(4);
    let of = |seed| {
        let settings = Settings { seed, ..exact() };
        quiet(
            &data,
            AnyLoss::Margin(Margin::HINGE),
            &Square,
            0.01,
            &settings,
        )
    };
    let (one, two) = (of(1), of(2));
    assert_ne!(one.dual, two.dual);
    for (w, v) in one.weights.iter().zip(&two.weights) {
        assert!((w - v).abs() < 1e-4, "{w} {v}");
    }
}

#[test]
fn weights_are_copies() {
    let data = middling(5);
    let mut weighted = middling(5);
    let mut copied = Data {
        rows: Rows::new(),
        aims: Vec::new(),
    };
    for (i, aim) in weighted.aims.iter_mut().enumerate() {
        let copies = i % 4;
        aim.weight = copies as f64;
        for _ in 0..copies {
            for (j, v) in data.rows.row(i).iter() {
                copied.rows.push(j as u32, v as f32);
            }
            copied.rows.end_row(0);
            copied.aims.push(data.aims[i]);
        }
    }
    let share = copied.aims.len() as f64 / weighted.aims.len() as f64;
    for (name, loss) in finite_losses() {
        for free_bias in [false, true] {
            let settings = Settings {
                free_bias,
                ..exact()
            };
            let by_weight = quiet(&weighted, loss, &Square, 0.02 * share, &settings);
            let by_copies = quiet(&copied, loss, &Square, 0.02, &settings);
            let (p, q) = (
                by_weight.report.certificate.primal,
                by_copies.report.certificate.primal,
            );
            assert!(
                (p - share * q).abs() < 1e-8 * p,
                "{name} {free_bias}: {p} {q}"
            );
        }
    }
}

#[test]
fn factors_are_larger_rows() {
    let data = middling(6);
    let doubled = Problem::new(
        data.rows.view(),
        vec![2.0; data.aims.len()],
        data.aims.clone(),
    );
    let (loss, mut watch) = (
        AnyLoss::Margin(Margin::HINGE),
        |_: &novikoff::dual::Report| true,
    );
    let twice = solve(&doubled, loss, Square, 0.04, None, &exact(), &mut watch);
    let once = solve(
        &data.problem(),
        loss,
        Square,
        0.01,
        None,
        &exact(),
        &mut watch,
    );
    let (p, q) = (
        twice.report.certificate.primal,
        once.report.certificate.primal,
    );
    assert!((p - q).abs() < 1e-8, "{p} {q}");
}

#[test]
fn a_warm_start_is_soon_done() {
    let data = middling(7);
    let loss = AnyLoss::Margin(Margin::HINGE);
    let mut watch = |_: &novikoff::dual::Report| true;
    let settings = Settings {
        gap: 1e-6,
        ..exact()
    };
    let first = solve(
        &data.problem(),
        loss,
        Square,
        0.01,
        None,
        &settings,
        &mut watch,
    );
    let again = solve(
        &data.problem(),
        loss,
        Square,
        0.01,
        Some(&first.dual),
        &settings,
        &mut watch,
    );
    assert!(again.report.passes <= 2, "{:?}", again.report);
    assert_eq!(again.stop, Stop::Converged);
}
