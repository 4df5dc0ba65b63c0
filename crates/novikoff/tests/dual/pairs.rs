//! Every loss with every regulariser: the optimum is that of a plain search over the weights.

use std::thread;

use novikoff::dual::loss::{AnyLoss, Loss};
use novikoff::dual::named::{AnyRegulariser, NamedRegulariser, REGULARISERS};
use novikoff::dual::regulariser::Regulariser;
use novikoff::dual::{Aim, Settings, Stop};
use novikoff::random::SplitMix64;

use super::search::least;
use super::{Data, exact, losses, run};

/// Where weights may be.
#[derive(Clone, Copy, PartialEq)]
enum Domain {
    All,
    Positive,
    Simplex,
    Ball,
    Cube,
}

const FAR: f64 = 30.0;

/// A small random problem; classification aims at other margins than 1 too, and rows have weights.
fn random_data(loss: &AnyLoss, random: &mut SplitMix64) -> Data {
    let n = 3 + random.below(4);
    let likelihood = matches!(loss, AnyLoss::Likelihood(_));
    let rows: Vec<Vec<f32>> = (0..n)
        .map(|_| {
            let value = |random: &mut SplitMix64| match random.below(5) {
                0 if !likelihood => 0.0,
                1 => 1.0,
                _ if likelihood => 0.1 + 2.0 * random.uniform() as f32,
                _ => 3.0 * random.uniform() as f32 - 1.5,
            };
            vec![value(random), value(random)]
        })
        .collect();
    let aims = (0..n).map(|_| {
        let sign = if random.below(2) == 0 { 1.0 } else { -1.0 };
        let (sign, target) = match (loss.classifies(), random.below(3)) {
            (true, 0) => (sign, 0.25),
            (true, _) => (sign, 1.0),
            (false, _) => (1.0, 3.0 * random.uniform() - 1.5),
        };
        let weight = if random.below(3) == 0 {
            1.0 + random.uniform()
        } else {
            1.0
        };
        Aim {
            sign,
            target,
            weight,
        }
    });
    let aims = aims.collect();
    let rows: Vec<&[f32]> = rows.iter().map(Vec::as_slice).collect();
    Data::new(&rows, aims)
}

/// The least objective, by search over the weights and, if it is free, the bias.
fn optimum<R: Regulariser>(
    data: &Data,
    loss: AnyLoss,
    by: &R,
    lambda: f64,
    domain: Domain,
    free: bool,
) -> f64 {
    let problem = data.problem();
    let slots = problem.slots();
    let features = slots - 1;
    let objective = |numbers: &[f64]| {
        let mut w = vec![0.0; slots];
        let given = if domain == Domain::Simplex {
            features - 1
        } else {
            features
        };
        w[1..=given].copy_from_slice(&numbers[..given]);
        if domain == Domain::Simplex {
            w[features] = (1.0 - numbers[..given].iter().sum::<f64>()).max(0.0);
        }
        let b = if free { numbers[given] } else { 0.0 };
        let mut sum = 0.0;
        for (i, aim) in problem.aims().iter().enumerate() {
            let t = aim.sign * (problem.row(i).dot(&w) + b);
            sum += aim.weight * loss.value(t, aim.target);
        }
        sum / problem.len() as f64 + lambda * by.value(&w)
    };
    let interval = |before: &[f64]| {
        let weights = if domain == Domain::Simplex {
            features - 1
        } else {
            features
        };
        let left = 1.0 - before.iter().map(|w| w.abs()).sum::<f64>();
        match (before.len(), domain) {
            (k, _) if k > weights => None,
            (k, _) if k == weights => free.then_some((-FAR, FAR)),
            (_, Domain::All) => Some((-FAR, FAR)),
            (_, Domain::Positive) => Some((0.0, FAR)),
            (_, Domain::Simplex) => Some((0.0, left)),
            (_, Domain::Ball) => Some((-left, left)),
            (_, Domain::Cube) => Some((-0.4, 0.4)),
        }
    };
    least(&interval, &objective)
}

/// Every loss with one regulariser.
fn check<R: Regulariser>(name: &str, by: &R, domain: Domain, seed: u64) {
    let mut random = SplitMix64::new(seed);
    for (of, loss) in losses() {
        let likelihood = matches!(loss, AnyLoss::Likelihood(_));
        for case in 0..3 {
            let free = case == 2 && !likelihood;
            let lambda = [0.3, 0.05, 0.1][case];
            let data = random_data(&loss, &mut random);
            let settings = Settings {
                free_bias: free,
                ..exact()
            };
            let solution = run(&data, loss, by, lambda, &settings);
            let c = solution.report.certificate;
            let best = optimum(&data, loss, by, lambda, domain, free);
            let what = format!(
                "{of} with {name}, free {free}: {:?} {:?}",
                solution.stop, solution.report
            );
            assert!(
                c.primal <= best + 1e-6 && c.dual >= best - 1e-6,
                "{what}, not {best}"
            );
            assert_eq!(solution.stop, Stop::Converged, "{what}");
            // the objective is that of the weights themselves
            let problem = data.problem();
            let aims = problem.aims().iter().enumerate();
            let losses = aims.map(|(i, aim)| {
                let inner = problem.row(i).dot(&solution.weights) + solution.intercept;
                aim.weight * loss.value(aim.sign * inner, aim.target)
            });
            let p =
                losses.sum::<f64>() / problem.len() as f64 + lambda * by.value(&solution.weights);
            assert!(
                (p - c.primal).abs() < 1e-9 * (1.0 + p.abs()),
                "{what}, not {p}"
            );
        }
    }
}

/// Every regulariser of the catalogue, in variants that run other code, with the weights that it allows.
const SPECS: &[(&str, Domain)] = &[
    ("l2", Domain::All),
    ("p-norm:p=1.5", Domain::All),
    ("p-norm:p=1.1", Domain::All),
    ("p-norm:p=3", Domain::All),
    ("p-power:p=1.5", Domain::All),
    ("p-power:p=3", Domain::All),
    ("entropy", Domain::Simplex),
    ("entropy:signed", Domain::Ball),
    ("unnormalised-entropy", Domain::Positive),
    ("unnormalised-entropy:signed", Domain::All),
    ("elastic:tau=1,eps=0.1", Domain::All),
    ("l1-substitute:delta=0.1,eps=0.1,tau=1", Domain::All),
    ("bounded:tau=0.4", Domain::Cube),
    ("non-negative", Domain::Positive),
];

/// The seed is the place in the list, from 1.
fn check_spec(seed: usize, spec: &str, domain: Domain) {
    let seed = seed as u64;
    let by = NamedRegulariser::parse(spec).unwrap();
    match by.build(2, false, Some(&[0.3, 0.7])).unwrap() {
        AnyRegulariser::Square(by) => check(spec, &by, domain, seed),
        AnyRegulariser::PNorm(by) => check(spec, &by, domain, seed),
        AnyRegulariser::PPower(by) => check(spec, &by, domain, seed),
        AnyRegulariser::Entropy(by) => check(spec, &by, domain, seed),
        AnyRegulariser::UnnormalisedEntropy(by) => check(spec, &by, domain, seed),
        AnyRegulariser::Piecewise(by) => check(spec, &by, domain, seed),
        AnyRegulariser::NonNegative(by) => check(spec, &by, domain, seed),
    }
}

#[test]
fn every_loss_with_every_regulariser() {
    let name = |spec: &'static str| spec.split(':').next().unwrap();
    let mut examined: Vec<&str> = SPECS.iter().map(|(spec, _)| name(spec)).collect();
    examined.dedup();
    let all: Vec<&str> = REGULARISERS.iter().map(|entry| entry.name).collect();
    assert_eq!(examined, all);
    thread::scope(|scope| {
        for (k, (spec, domain)) in SPECS.iter().enumerate() {
            scope.spawn(move || check_spec(k + 1, spec, *domain));
        }
    });
}
