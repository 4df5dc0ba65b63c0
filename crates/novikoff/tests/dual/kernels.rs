//! The square regulariser in the space of a kernel.

use novikoff::dual::loss::{AnyLoss, Margin, Regression};
use novikoff::dual::regulariser::Square;
use novikoff::dual::{Gram, Report, Settings, Solution, Stop, solve_in_kernel};
use novikoff::kernel::Kernel;

use super::same::middling;
use super::{Data, exact, finite_losses, run};

fn kernelised(
    data: &Data,
    kernel: &str,
    memory: u128,
    loss: AnyLoss,
    settings: &Settings,
) -> Solution {
    let problem = data.problem();
    let gram = Gram::new(
        &problem,
        Kernel::parse(kernel).unwrap(),
        memory,
        settings.threads,
    );
    let mut dual = f64::NEG_INFINITY;
    let mut watch = |report: &Report| {
        let c = report.certificate;
        assert!(
            c.dual <= c.primal && (settings.free_bias || c.dual >= dual - 1e-12),
            "{c:?}"
        );
        dual = c.dual;
        true
    };
    solve_in_kernel(&problem, &gram, loss, 0.01, None, settings, &mut watch)
}

#[test]
fn the_linear_kernel_is_the_linear_problem() {
    let data = middling(11);
    for (name, loss) in finite_losses() {
        let gap = 1e-8;
        for free_bias in [false, true] {
            let settings = Settings {
                free_bias,
                gap,
                ..exact()
            };
            let plain = run(&data, loss, &Square, 0.01, &settings);
            let kernel = kernelised(&data, "linear", 1 << 20, loss, &settings);
            let (p, q) = (
                plain.report.certificate.primal,
                kernel.report.certificate.primal,
            );
            assert!((p - q).abs() < 2.0 * gap * p, "{name}: {p} {q}");
            let mut w = vec![0.0; plain.weights.len()];
            for (i, &c) in kernel.coefficients.iter().enumerate() {
                data.rows.row(i).add_to(c, &mut w);
            }
            let apart = w
                .iter()
                .zip(&plain.weights)
                .map(|(a, b)| (a - b) * (a - b))
                .sum::<f64>();
            // strong convexity: lambda/2 |w - w*|^2 <= gap for both
            assert!(
                free_bias || apart.sqrt() <= 2.0 * (2.0 * gap * p / 0.01).sqrt(),
                "{name}: {apart}"
            );
        }
    }
}

/// `(G + lambda n I) c = y`, by Gauss and Jordan.
#[test]
fn the_squared_loss_is_kernel_ridge_regression() {
    let mut data = middling(12);
    for (i, aim) in data.aims.iter_mut().enumerate() {
        (aim.sign, aim.target) = (1.0, (i % 7) as f64 - 3.0);
    }
    let n = data.aims.len();
    let kernel = Kernel::parse("gaussian:gamma=0.7").unwrap();
    let value = |i: usize, j: usize| {
        let facts = kernel.facts(data.rows.row(j));
        kernel
            .between([(data.rows.row(j), facts)].into_iter(), data.rows.row(i))
            .next()
            .unwrap()
    };
    let mut a: Vec<Vec<f64>> = (0..n)
        .map(|i| {
            let mut row: Vec<f64> = (0..n).map(|j| value(i, j)).collect();
            row[i] += 0.01 * n as f64;
            row.push(data.aims[i].target);
            row
        })
        .collect();
    for k in 0..n {
        let pivot = a[k][k];
        for v in &mut a[k] {
            *v /= pivot;
        }
        let row = a[k].clone();
        for (i, other) in a.iter_mut().enumerate() {
            if i != k {
                let factor = other[k];
                for (v, p) in other.iter_mut().zip(&row) {
                    *v -= factor * p;
                }
            }
        }
    }
    let loss = AnyLoss::Regression(Regression::SQUARED);
    let solution = kernelised(
        &data,
        "gaussian:gamma=0.7",
        1 << 20,
        loss,
        &Settings {
            gap: 1e-12,
            ..exact()
        },
    );
    for (c, row) in solution.coefficients.iter().zip(&a) {
        assert!((c - row[n]).abs() < 1e-5, "{c} {}", row[n]);
    }
}

#[test]
fn the_cache_and_threads_change_no_bit() {
    let data = middling(13);
    let loss = AnyLoss::Margin(Margin::HINGE);
    for free_bias in [false, true] {
        let of = |memory, threads| {
            let settings = Settings {
                threads,
                free_bias,
                gap: 1e-4,
                ..Settings::default()
            };
            kernelised(&data, "gaussian:gamma=2", memory, loss, &settings)
        };
        let all = of(1 << 20, 1);
        assert_eq!(all.stop, Stop::Converged);
        // room for seven columns, for one, and for all with other threads
        for other in [of(8 * 60 * 7, 1), of(0, 1), of(1 << 20, 3), of(0, 2)] {
            assert_eq!(all.report, other.report);
            assert_eq!(all.coefficients, other.coefficients);
        }
    }
}

#[test]
fn every_kernel_converges() {
    let data = middling(14);
    for kernel in [
        "poly:degree=3",
        "poly:degree=2,cosine",
        "linear:cosine",
        "gaussian:gamma=5",
    ] {
        for loss in [Margin::HINGE, Margin::SQUARED_HINGE] {
            let settings = Settings {
                gap: 1e-6,
                ..exact()
            };
            let solution = kernelised(&data, kernel, 1 << 20, AnyLoss::Margin(loss), &settings);
            assert_eq!(
                solution.stop,
                Stop::Converged,
                "{kernel}: {:?}",
                solution.report
            );
        }
    }
}
