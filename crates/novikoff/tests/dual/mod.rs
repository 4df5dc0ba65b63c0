//! The dual solver: optima of every pair, certificates, bias, shrinking, threads, hard cases.
#![allow(clippy::unwrap_used, clippy::unreadable_literal)]

mod constant;
mod hard;
mod kernels;
mod newton;
mod pairs;
mod same;
mod search;
mod steps;

use std::sync::Arc;

use novikoff::dual::loss::AnyLoss;
use novikoff::dual::named::{LOSSES, NamedLoss};
use novikoff::dual::regulariser::{
    Entropy, PNormRegulariser, Piecewise, Regulariser, Separable, Square, UnnormalisedEntropy,
};
use novikoff::dual::{Aim, Method, Problem, Settings, Solution, Stop, solve};
use novikoff::rows::Rows;

/// Every loss of the catalogue but `max-entropy`, which is `squared` by another name.
const LOSS_SPECS: [&str; 12] = [
    "hinge",
    "squared-hinge",
    "smoothed-hinge:gamma=0.5",
    "modified-huber",
    "logistic",
    "exponential",
    "squared",
    "huber:delta=0.5",
    "eps-insensitive:eps=0.1",
    "absolute",
    "squared-eps-insensitive:eps=0.1",
    "likelihood",
];

pub(crate) fn losses() -> Vec<(&'static str, AnyLoss)> {
    let specs = LOSS_SPECS.iter();
    specs
        .map(|spec| (*spec, NamedLoss::parse(spec).unwrap().loss()))
        .collect()
}

/// Those that are finite for all rows.
pub(crate) fn finite_losses() -> impl Iterator<Item = (&'static str, AnyLoss)> {
    let losses = losses().into_iter();
    losses.filter(|(_, loss)| !matches!(loss, AnyLoss::Likelihood(_)))
}

#[test]
fn every_loss_of_the_catalogue_is_examined() {
    let name = |spec| NamedLoss::parse(spec).unwrap().name();
    let mut examined: Vec<&str> = LOSS_SPECS.into_iter().map(name).collect();
    assert_eq!(
        NamedLoss::parse("max-entropy").unwrap().loss(),
        NamedLoss::parse("squared").unwrap().loss()
    );
    examined.push("max-entropy");
    examined.sort_unstable();
    let mut all: Vec<&str> = LOSSES.iter().map(|entry| entry.name).collect();
    all.sort_unstable();
    assert_eq!(examined, all);
}

/// Rows of features 1, 2, ... with what they aim at.
struct Data {
    rows: Rows,
    aims: Vec<Aim>,
}

impl Data {
    fn new(rows: &[&[f32]], aims: Vec<Aim>) -> Self {
        let mut data = Data {
            rows: Rows::new(),
            aims,
        };
        for row in rows {
            for (j, &v) in row.iter().enumerate() {
                data.rows.push(j as u32 + 1, v);
            }
            data.rows.end_row(0);
        }
        data
    }

    fn problem(&self) -> Problem<'_> {
        Problem::new(self.rows.view(), Vec::new(), self.aims.clone())
    }
}

fn exact() -> Settings {
    Settings {
        gap: 1e-9,
        max_passes: 100_000,
        ..Settings::default()
    }
}

/// The margins of a solution are those of its weights.
fn check_margins(problem: &Problem<'_>, solution: &Solution) {
    assert_eq!(solution.margins.len(), problem.len());
    for (i, (aim, margin)) in problem.aims().iter().zip(&solution.margins).enumerate() {
        let expected = aim.sign * (problem.row(i).dot(&solution.weights) + solution.intercept);
        let size = 1.0 + expected.abs();
        assert!(
            (margin - expected).abs() < 1e-9 * size,
            "row {i}: {margin}, not {expected}"
        );
    }
}

fn run<R: Regulariser>(
    data: &Data,
    loss: AnyLoss,
    by: &R,
    lambda: f64,
    settings: &Settings,
) -> Solution {
    let mut dual = f64::NEG_INFINITY;
    let mut watch = |report: &novikoff::dual::Report| {
        let c = report.certificate;
        assert!(c.dual <= c.primal && c.gap >= 0.0, "{c:?}");
        // Newton's method lowers P instead
        if !settings.free_bias && report.method == Method::Ascent {
            assert!(
                c.dual >= dual - 1e-12 * (1.0 + dual.abs()),
                "D fell from {dual}: {c:?}"
            );
            dual = c.dual;
        }
        true
    };
    let problem = data.problem();
    let by = by.clone();
    let solution = solve(&problem, loss, by, lambda, None, settings, &mut watch);
    check_margins(&problem, &solution);
    solution
}

/// The data of the golden numbers; values are f32, which the eighth digit shows.
fn golden(loss: &AnyLoss) -> Data {
    let rows: [&[f32]; 4] = [
        &[1.0, 0.5, 0.0],
        &[-0.3, 1.0, 0.0],
        &[0.2, 0.0, 1.0],
        &[0.0, 1.0, -1.0],
    ];
    let labels = [1.0, -1.0, 1.0, -1.0];
    let targets = [1.0, -0.5, 2.0, 0.3];
    let aims = (0..4).map(|i| {
        let (sign, target) = if loss.classifies() {
            (labels[i], 1.0)
        } else {
            (1.0, targets[i])
        };
        Aim {
            sign,
            target,
            weight: 1.0,
        }
    });
    let positive: Vec<Vec<f32>> = rows
        .iter()
        .map(|row| row.iter().map(|v| v.abs() + 0.1).collect())
        .collect();
    let positive: Vec<&[f32]> = positive.iter().map(Vec::as_slice).collect();
    match loss {
        AnyLoss::Likelihood(_) => Data::new(&positive, aims.collect()),
        _ => Data::new(&rows, aims.collect()),
    }
}

fn third() -> Arc<[f64]> {
    vec![0.0, 1.0 / 3.0, 1.0 / 3.0, 1.0 / 3.0].into()
}

/// The optima that another solver found, in the order of the columns of `testdata/optima.txt`.
fn optima(spec: &str) -> Vec<Option<f64>> {
    let lines = include_str!("../../../../testdata/optima.txt").lines();
    let mut lines = lines.filter(|line| !line.starts_with('#'));
    let line = lines.find(|line| line.split_whitespace().next() == Some(spec));
    let line = line.unwrap_or_else(|| panic!("testdata/optima.txt has no line for {spec}"));
    let cells = line.split_whitespace().skip(1);
    cells.map(|cell| cell.parse().ok()).collect()
}

#[test]
fn golden_optima() {
    for (name, loss) in losses() {
        let (data, expected) = (golden(&loss), optima(name));
        let free = Settings {
            free_bias: true,
            ..exact()
        };
        let solutions = [
            Some(run(&data, loss, &Square, 0.1, &exact())),
            Some(run(&data, loss, &PNormRegulariser::new(1.5), 0.1, &exact())),
            Some(run(
                &data,
                loss,
                &Entropy::new(third(), false),
                0.1,
                &exact(),
            )),
            Some(run(
                &data,
                loss,
                &Separable(UnnormalisedEntropy::new(third(), true)),
                0.1,
                &exact(),
            )),
            Some(run(
                &data,
                loss,
                &Separable(Piecewise::elastic(0.1, 1.0)),
                0.1,
                &exact(),
            )),
            (name != "likelihood").then(|| run(&data, loss, &Square, 0.1, &free)),
        ];
        assert_eq!(expected.len(), solutions.len(), "{name}");
        for (k, (solution, expected)) in solutions.into_iter().zip(expected).enumerate() {
            assert_eq!(solution.is_some(), expected.is_some(), "{name} {k}");
            let (Some(solution), Some(expected)) = (solution, expected) else {
                continue;
            };
            let c = solution.report.certificate;
            assert_eq!(
                solution.stop,
                Stop::Converged,
                "{name} {k}: {:?}",
                solution.report
            );
            assert!(
                (c.primal - expected).abs() < 5e-8 + c.gap,
                "{name} {k}: {} {expected}",
                c.primal
            );
        }
    }
}
