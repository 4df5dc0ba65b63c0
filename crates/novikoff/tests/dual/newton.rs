//! Newton's method: the optimum of the ascent, certified, and the same bits for any number of threads.

use novikoff::dual::loss::{AnyLoss, Logistic, Loss};
use novikoff::dual::regulariser::Square;
use novikoff::dual::{Aim, Method, Settings, Solution, Stop, solve};
use novikoff::random::SplitMix64;
use novikoff::rows::Rows;

use super::same::middling;
use super::{Data, exact, losses, run};

fn smooth() -> impl Iterator<Item = (&'static str, AnyLoss)> {
    let losses = losses().into_iter();
    losses.filter(|(_, loss)| loss.is_smooth())
}

/// Rows of 0s and 1s, as survey data has them; every seventh row is zero.
fn survey(rows: usize, features: u32, seed: u64) -> Data {
    let mut random = SplitMix64::new(seed);
    let mut data = Data {
        rows: Rows::new(),
        aims: Vec::new(),
    };
    for i in 0..rows {
        let mut score = -0.3;
        for j in 1..=features {
            if i % 7 != 0 && random.uniform() < 0.15 {
                data.rows.push(j, 1.0);
                score += f64::from(j % 7) * 0.2 - 0.6;
            }
        }
        data.rows.end_row(0);
        let positive = score + 2.0 * (random.uniform() - 0.5) > 0.0;
        data.aims.push(Aim {
            sign: if positive { 1.0 } else { -1.0 },
            target: 1.0,
            weight: f64::from(i as u32 % 4),
        });
    }
    data
}

/// One answer to each of some questions: rows of equal length whose values are all 1.
fn answers(rows: usize, questions: u32, seed: u64) -> Data {
    let mut random = SplitMix64::new(seed);
    let mut data = Data {
        rows: Rows::new(),
        aims: Vec::new(),
    };
    for i in 0..rows {
        let mut score = -0.3;
        for question in 0..questions {
            let answer = 1 + 10 * question + random.below(10) as u32;
            data.rows.push(answer, 1.0);
            score += f64::from(answer % 7) * 0.2 - 0.6;
        }
        data.rows.end_row(0);
        let positive = score + 2.0 * (random.uniform() - 0.5) > 0.0;
        data.aims.push(Aim {
            sign: if positive { 1.0 } else { -1.0 },
            target: 1.0,
            weight: f64::from(i as u32 % 4),
        });
    }
    data
}

fn both(
    data: &Data,
    loss: AnyLoss,
    lambda: f64,
    free_bias: bool,
    gap: f64,
) -> (Solution, Solution) {
    let of = |newton| {
        let settings = Settings {
            newton,
            free_bias,
            gap,
            ..exact()
        };
        run(data, loss, &Square, lambda, &settings)
    };
    (of(true), of(false))
}

#[test]
fn the_optimum_is_that_of_the_ascent() {
    let data = [middling(11), survey(300, 30, 12), answers(300, 5, 13)];
    for (name, loss) in smooth() {
        for data in &data {
            for free_bias in [false, true] {
                for lambda in [1.0, 0.01, 1e-4] {
                    let case = format!("{name}, lambda {lambda}, free {free_bias}");
                    let (newton, ascent) = both(data, loss, lambda, free_bias, 1e-9);
                    assert_eq!(newton.report.method, Method::Newton, "{case}");
                    assert_eq!(ascent.report.method, Method::Ascent, "{case}");
                    assert_eq!(newton.stop, Stop::Converged, "{case}: {:?}", newton.report);
                    let (p, q) = (newton.report.certificate, ascent.report.certificate);
                    assert!(p.relative_gap() <= 1e-9, "{case}");
                    // where the ascent is slow its own gap is all that is known
                    let near = 2e-9 * q.primal.abs() + q.gap;
                    assert!((p.primal - q.primal).abs() <= near, "{case}: {p:?} {q:?}");
                    let above = |p: f64, d: f64| d <= p + 1e-14;
                    assert!(above(p.primal, q.dual) && above(q.primal, p.dual), "{case}");
                }
            }
        }
    }
}

/// So many rows that the first steps see some of them only, and directions are found by way of a factor.
#[test]
fn many_rows_and_few_features() {
    let data = [survey(6000, 40, 4), answers(6000, 4, 4)];
    for (name, loss) in smooth() {
        let cases = [(false, 1e-3), (true, 1e-2), (true, 1e-5)];
        for (data, (free_bias, lambda)) in
            data.iter().flat_map(|data| cases.map(|case| (data, case)))
        {
            let case = format!("{name}, lambda {lambda}, free {free_bias}");
            let (newton, ascent) = both(data, loss, lambda, free_bias, 1e-7);
            assert_eq!(newton.report.method, Method::Newton, "{case}");
            assert_eq!(newton.stop, Stop::Converged, "{case}: {:?}", newton.report);
            let (p, q) = (newton.report.certificate, ascent.report.certificate);
            assert!(p.relative_gap() <= 1e-7, "{case}");
            let near = 2e-7 * q.primal.abs() + q.gap;
            assert!((p.primal - q.primal).abs() <= near, "{case}: {p:?} {q:?}");
        }
    }
}

/// The certificate from its definition: P at the weights, D at the dual variables.
#[test]
fn the_certificate_is_what_it_says() {
    use novikoff::dual::loss::Loss as _;
    let (data, lambda) = (survey(300, 30, 5), 0.003);
    let (problem, n) = (data.problem(), 300.0);
    for (name, loss) in smooth() {
        for free_bias in [false, true] {
            for gap in [0.3, 1e-2, 1e-6] {
                let (solution, _) = both(&data, loss, lambda, free_bias, gap);
                let c = solution.report.certificate;
                let mut v = vec![0.0; problem.slots()];
                let (mut p, mut d, mut balance) = (0.0, 0.0, 0.0);
                for (i, aim) in problem.aims().iter().enumerate() {
                    let a = solution.dual[i];
                    let score = problem.row(i).dot(&solution.weights) + solution.intercept;
                    p += aim.weight * loss.value(aim.sign * score, aim.target) / n;
                    d -= aim.weight * loss.conjugate(a, aim.target) / n;
                    balance += aim.weight * aim.sign * a / n;
                    let part = aim.weight * aim.sign * a / (lambda * n);
                    problem.row(i).add_to(part, &mut v);
                }
                let square = |v: &[f64]| 0.5 * lambda * v.iter().map(|v| v * v).sum::<f64>();
                p += square(&solution.weights);
                d -= square(&v);
                let case = format!("{name}, free {free_bias}, gap {gap}: {c:?} {p} {d}");
                assert!((p - c.primal).abs() < 1e-12 * (1.0 + p), "{case}");
                assert!((d - c.dual).abs() < 1e-12 * (1.0 + p), "{case}");
                assert!(!free_bias || balance.abs() < 1e-14, "{case}: {balance}");
                assert!(c.gap >= 0.0 && c.relative_gap() <= gap, "{case}");
            }
        }
    }
}

#[test]
fn threads_change_no_bit() {
    // enough values for threads to be used
    let data = [survey(20_000, 100, 3), answers(30_000, 20, 3)];
    for (name, loss) in smooth() {
        for (data, free_bias) in [
            (&data[0], false),
            (&data[0], true),
            (&data[1], false),
            (&data[1], true),
        ] {
            let of = |threads| {
                let settings = Settings {
                    threads,
                    free_bias,
                    ..Settings::default()
                };
                run(data, loss, &Square, 1e-3, &settings)
            };
            let (one, three) = (of(1), of(3));
            assert_eq!(one.report.method, Method::Newton, "{name}");
            assert_eq!(one.report, three.report, "{name}");
            assert_eq!(one.weights, three.weights, "{name}");
            assert_eq!(one.dual, three.dual, "{name}");
        }
    }
}

#[test]
fn a_tiny_lambda_on_separable_rows() {
    let mut data = middling(9);
    for (i, aim) in data.aims.iter_mut().enumerate() {
        let row: Vec<(usize, f64)> = data.rows.row(i).iter().collect();
        aim.sign = if row[0].1 + row[1].1 >= 0.0 {
            1.0
        } else {
            -1.0
        };
    }
    for (name, loss) in smooth() {
        for free_bias in [false, true] {
            for lambda in [1e-6, 1e-9] {
                let settings = Settings {
                    free_bias,
                    gap: 1e-6,
                    ..exact()
                };
                let solution = run(&data, loss, &Square, lambda, &settings);
                let case = format!("{name}, free {free_bias}, {lambda}: {:?}", solution.report);
                assert_eq!(solution.stop, Stop::Converged, "{case}");
                assert!(solution.weights.iter().all(|w| w.is_finite()), "{case}");
            }
        }
    }
}

#[test]
fn one_class_zero_rows_and_no_weight() {
    for (name, loss) in smooth() {
        for free_bias in [false, true] {
            // with a free bias and one class, losses that only fall have no optimum
            let falls = matches!(loss, AnyLoss::Logistic(_) | AnyLoss::Exponential(_));
            let settings = Settings {
                free_bias,
                gap: 1e-6,
                ..exact()
            };
            let mut class = middling(2);
            class.aims.iter_mut().for_each(|aim| aim.sign = 1.0);
            let zeros = Data::new(&[&[0.0_f32, 0.0][..]; 40], class.aims[..40].to_vec());
            let mut nothing = middling(2);
            nothing.aims.iter_mut().for_each(|aim| aim.weight = 0.0);
            for (what, data) in [("class", class), ("zeros", zeros), ("nothing", nothing)] {
                let solution = run(&data, loss, &Square, 0.01, &settings);
                let case = format!("{name}, {what}, free {free_bias}: {:?}", solution.report);
                assert!(solution.weights.iter().all(|w| w.is_finite()), "{case}");
                assert!(solution.intercept.is_finite(), "{case}");
                if !(free_bias && falls) {
                    assert_eq!(solution.stop, Stop::Converged, "{case}");
                }
            }
        }
    }
}

#[test]
fn a_path_of_lambdas_begins_where_the_last_ended() {
    let data = survey(400, 30, 8);
    let loss = AnyLoss::Logistic(Logistic);
    let problem = data.problem();
    let settings = Settings {
        gap: 1e-8,
        ..exact()
    };
    let mut start: Option<Vec<f64>> = None;
    for lambda in [1.0, 0.1, 0.01, 0.001] {
        let solved = |start: Option<&[f64]>| {
            solve(
                &problem,
                loss,
                Square,
                lambda,
                start,
                &settings,
                &mut |_| true,
            )
        };
        let (cold, warm) = (solved(None), solved(start.as_deref()));
        let (p, q) = (cold.report.certificate, warm.report.certificate);
        assert!((p.primal - q.primal).abs() < 2e-8 * p.primal, "{p:?} {q:?}");
        let again = solved(Some(&warm.dual));
        assert!(
            again.report.passes <= cold.report.passes,
            "{:?}",
            again.report
        );
        start = Some(warm.dual);
    }
}

#[test]
fn whoever_watches_may_stop_it_and_passes_are_limited() {
    let (data, loss) = (survey(300, 30, 1), AnyLoss::Logistic(Logistic));
    let problem = data.problem();
    let stopped = solve(&problem, loss, Square, 1e-4, None, &exact(), &mut |_| false);
    assert_eq!(stopped.stop, Stop::Asked);
    for max_passes in 1..40 {
        let settings = Settings {
            max_passes,
            ..exact()
        };
        let solution = run(&data, loss, &Square, 1e-4, &settings);
        let passes = solution.report.passes;
        assert_eq!(solution.stop, Stop::PassLimit, "{max_passes}");
        assert!(passes <= max_passes, "{passes} of {max_passes}");
        assert!(
            passes + 6 >= max_passes,
            "{passes} of {max_passes} are fewer than there is room for"
        );
    }
}
