//! The dual solver: optima of every pair, certificates, bias, shrinking, threads, hard cases.
#![allow(clippy::unwrap_used, clippy::unreadable_literal)]

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
    solve(
        &data.problem(),
        loss,
        by.clone(),
        lambda,
        None,
        settings,
        &mut watch,
    )
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

#[test]
#[allow(clippy::too_many_lines)] // a table
fn golden_optima() {
    let expected: [[f64; 6]; LOSS_SPECS.len()] = [
        [
            0.130907372,
            0.178760649,
            0.584656004,
            -0.030056215,
            0.157429112,
            0.124239934,
        ],
        [
            0.111187845,
            0.143197961,
            0.385869204,
            -0.057773290,
            0.133475025,
            0.104796780,
        ],
        [
            0.111187845,
            0.143197961,
            0.352549267,
            -0.057773290,
            0.133475025,
            0.104796780,
        ],
        [
            0.096687629,
            0.121074631,
            0.212855488,
            -0.078022925,
            0.116023476,
            0.092193511,
        ],
        [
            0.414534310,
            0.459283536,
            0.539103106,
            0.254093594,
            0.441381414,
            0.410243970,
        ],
        [
            0.455463389,
            0.514639950,
            0.694719484,
            0.302388979,
            0.486176883,
            0.449327235,
        ],
        [
            0.321360354,
            0.345905771,
            0.391858327,
            0.147417630,
            0.340890106,
            0.146398987,
        ],
        [
            0.246641553,
            0.251561609,
            0.248846935,
            0.059928135,
            0.258197619,
            0.140624848,
        ],
        [
            0.547775000,
            0.547987560,
            0.576760712,
            0.365771742,
            0.559000000,
            0.280900000,
        ],
        [
            0.624375000,
            0.624938235,
            0.674822163,
            0.440935611,
            0.635000000,
            0.354766667,
        ],
        [
            0.265718208,
            0.288470506,
            0.319936948,
            0.090143355,
            0.284733654,
            0.112268801,
        ],
        [
            -0.684577815,
            -0.507857059,
            0.487369937,
            -0.825268810,
            -0.630960748,
            f64::NAN,
        ],
    ];
    for ((name, loss), expected) in losses().into_iter().zip(expected) {
        let data = golden(&loss);
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
        for (k, (solution, expected)) in solutions.into_iter().zip(expected).enumerate() {
            let Some(solution) = solution else { continue };
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
