//! The plain algorithms: as many passes as asked for, rows in the order of the data, method by choice.

use novikoff::dual::loss::Margin;
use novikoff::dual::regulariser::Square;
use novikoff::dual::{Aim, Method, Problem, Settings, Solution, Stop, solve};
use novikoff::label::Label;
use novikoff::random::SplitMix64;
use novikoff::row::Row;
use novikoff::rows::Rows;

/// Rows of three features, mostly separable, most of them positive.
fn data(n: usize) -> (Rows, Vec<Aim>) {
    let mut g = SplitMix64::new(5);
    let (mut rows, mut aims) = (Rows::new(), Vec::new());
    for _ in 0..n {
        let x = [0; 3].map(|_| (4.0 * g.uniform() - 1.0) as f32);
        let y = Label::of(f64::from(x[0] + x[1] - x[2]) + 0.5 * g.uniform());
        rows.add(y, Row::dense(&x));
        aims.push(Aim::label(y));
    }
    (rows, aims)
}

/// Algorithm 1 with the hinge, or 2 with a free bias, by its formulas: the weights, and `(1/n) sum a_i y_i`.
fn by_hand(rows: &Rows, aims: &[Aim], lambda: f64, passes: u32, free: bool) -> (Vec<f64>, f64) {
    let n = aims.len() as f64;
    let typical = (0..rows.len()).map(|i| rows.row(i).norm_sq()).sum::<f64>() / n;
    let stiffness = if free { 0.1 * typical } else { 0.0 };
    let (mut w, mut a) = (vec![0.0; 4], vec![0.0; aims.len()]);
    let (mut multiplier, mut v) = (0.0, 0.0);
    for _ in 0..passes {
        for (i, (a, aim)) in a.iter_mut().zip(aims).enumerate() {
            let x = rows.row(i);
            let t = aim.sign * (x.dot(&w) + multiplier + v * stiffness);
            let b = (x.norm_sq() + stiffness) / (lambda * n);
            let next = (*a + (1.0 - t) / b).clamp(0.0, 1.0);
            let step = aim.sign * (next - *a) / (lambda * n);
            x.add_to(step, &mut w);
            v += step;
            *a = next;
        }
        multiplier += v * stiffness;
    }
    (w, v * lambda)
}

fn solved(rows: &Rows, aims: &[Aim], lambda: f64, settings: Settings) -> Solution {
    let problem = Problem::new(rows.view(), Vec::new(), aims.to_vec());
    solve(
        &problem,
        Margin::HINGE,
        Square,
        lambda,
        None,
        &settings,
        &mut |_| true,
    )
}

#[test]
fn passes_in_the_order_of_the_data_are_the_paper_s() {
    let (rows, aims) = data(80);
    for passes in [1, 2, 7, 25, 60] {
        let settings = Settings {
            all_passes: true,
            in_order: true,
            max_passes: passes,
            ..Settings::default()
        };
        let solution = solved(&rows, &aims, 0.02, settings);
        assert_eq!(solution.report.passes, passes);
        assert_eq!(solution.balance, None);
        let (want, _) = by_hand(&rows, &aims, 0.02, passes, false);
        for (w, want) in solution.weights.iter().zip(&want) {
            assert!((w - want).abs() < 1e-10, "{passes}: {w}, not {want}");
        }
        // the schedule of the multiplier is that of the first passes until the gap has not halved in 20 updates
        let settings = Settings {
            free_bias: true,
            ..settings
        };
        let solution = solved(&rows, &aims, 0.02, settings);
        assert_eq!(solution.report.passes, passes);
        if passes <= 7 {
            let (_, balance) = by_hand(&rows, &aims, 0.02, passes, true);
            let got = solution.balance.expect("a free bias");
            assert!(
                (got - balance).abs() < 1e-10,
                "{passes}: {got}, not {balance}"
            );
            assert!(balance.abs() > 1e-6, "the first passes do not balance");
        }
    }
}

/// Neither a gap that is reached nor one that cannot be changes how many passes are made, and more passes balance better.
#[test]
fn all_passes_are_made() {
    let (rows, aims) = data(200);
    let mut last = f64::INFINITY;
    for (passes, gap) in [(1, 0.5), (40, 0.5), (40, 0.0), (3000, 1e-3)] {
        for in_order in [false, true] {
            let settings = Settings {
                all_passes: true,
                in_order,
                free_bias: true,
                max_passes: passes,
                gap,
                ..Settings::default()
            };
            let solution = solved(&rows, &aims, 0.01, settings);
            assert_eq!(solution.report.passes, passes, "{gap}");
            let reached = solution.report.certificate.reaches(gap);
            assert_eq!(solution.stop == Stop::Converged, reached, "{gap}");
            if !in_order {
                let balance = solution.balance.expect("a free bias").abs();
                assert!(
                    balance <= last,
                    "{balance} after {passes} passes, {last} before"
                );
                last = balance;
            }
        }
    }
    assert!(last < 1e-6, "{last}");
}

/// At most as many passes as allowed, whatever the method, the loss and the gap.
#[test]
fn the_limit_of_passes_is_one() {
    let (rows, aims) = data(300);
    for loss in [Margin::HINGE, Margin::SQUARED_HINGE, Margin::MODIFIED_HUBER] {
        for (newton, free_bias) in [(true, false), (true, true), (false, false), (false, true)] {
            for max_passes in [1, 2, 5, 7, 8, 9, 12, 30, 100] {
                let settings = Settings {
                    newton,
                    free_bias,
                    max_passes,
                    gap: 0.0,
                    ..Settings::default()
                };
                let problem = Problem::new(rows.view(), Vec::new(), aims.clone());
                let mut most = 0;
                let mut watch = |report: &novikoff::dual::Report| {
                    most = most.max(report.passes);
                    true
                };
                let solution = solve(&problem, loss, Square, 1e-6, None, &settings, &mut watch);
                let made = solution.report.passes.max(most);
                assert!(made <= max_passes, "{made} of {max_passes}: {settings:?}");
            }
        }
    }
}

/// Newton's method alone, whatever the size: it ends where ascent ends, or says that it has stalled.
#[test]
fn newton_alone() {
    let (rows, aims) = data(10);
    let problem = Problem::new(rows.view(), Vec::new(), aims);
    let run = |newton_only: bool, gap: f64| {
        let settings = Settings {
            newton_only,
            gap,
            max_passes: 100_000,
            ..Settings::default()
        };
        solve(
            &problem,
            Margin::SQUARED_HINGE,
            Square,
            1e-3,
            None,
            &settings,
            &mut |_| true,
        )
    };
    let (newton, ascent) = (run(true, 1e-9), run(false, 1e-9));
    assert_eq!(newton.report.method, Method::Newton);
    assert_eq!(
        ascent.report.method,
        Method::Ascent,
        "ten rows are too few for Newton's method"
    );
    assert_eq!(newton.stop, Stop::Converged);
    let both = [newton, ascent].map(|solution| solution.report.certificate.primal);
    assert!((both[0] - both[1]).abs() <= 2e-9 * both[0], "{both:?}");
    let impossible = run(true, 0.0);
    assert_eq!(impossible.report.method, Method::Newton);
    assert!(matches!(impossible.stop, Stop::Converged | Stop::Stalled));
}
