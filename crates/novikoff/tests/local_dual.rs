//! The local dual solver from outside: several partitions in one process against the solver of one machine.
#![allow(clippy::unwrap_used)]

use std::iter::zip;

use novikoff::dual::local::{Candidates, FreeBias, Partition, PartitionSums, Round};
use novikoff::dual::loss::{AnyLoss, Loss, Margin};
use novikoff::dual::regulariser::Square;
use novikoff::dual::{Aim, GapCertificate, Problem, Settings, solve};
use novikoff::random::SplitMix64;
use novikoff::rows::Rows;

use crate::dual::finite_losses;

const LAMBDA: f64 = 0.02;

/// Rows in several partitions.
struct Data {
    parts: Vec<(Rows, Vec<Aim>)>,
}

impl Data {
    /// `n` rows of eight features, half of them zero, dealt in turn; the row weights go from 0 to 3.
    fn random(loss: &AnyLoss, n: usize, partitions: usize, weighted: bool) -> Self {
        let mut random = SplitMix64::new(7 + n as u64);
        let mut parts = Vec::new();
        parts.resize_with(partitions, || (Rows::new(), Vec::new()));
        for i in 0..n {
            let (rows, aims): &mut (Rows, Vec<Aim>) = &mut parts[i % partitions];
            let mut truth = 0.4 + 1.5 * (random.uniform() - 0.5);
            for j in 0..8_u32 {
                let value = 2.0 * random.uniform() - 1.0;
                if random.uniform() < 0.5 {
                    rows.push(j + 1, value as f32);
                    truth += value * (f64::from(j) - 2.5);
                }
            }
            rows.end_row(0);
            aims.push(Aim {
                sign: if loss.classifies() && truth < 0.0 {
                    -1.0
                } else {
                    1.0
                },
                target: if loss.classifies() { 1.0 } else { truth },
                weight: if weighted { (i % 4) as f64 } else { 1.0 },
            });
        }
        Data { parts }
    }

    fn problems(&self) -> Vec<Problem<'_>> {
        let all = self.parts.iter();
        all.map(|(rows, aims)| Problem::new(rows.view(), Vec::new(), aims.clone()))
            .collect()
    }

    /// All rows in one problem.
    fn whole(&self) -> Problem<'_> {
        let blocks: Vec<_> = self.parts.iter().map(|(rows, _)| rows.view()).collect();
        let aims = self.parts.iter().flat_map(|(_, aims)| aims.clone());
        Problem::of(&blocks, Vec::new(), aims.collect())
    }
}

/// What a driver ends with.
#[derive(Debug, PartialEq)]
struct Solved {
    dual: Vec<Vec<f64>>,
    v: Vec<f64>,
    certificates: Vec<GapCertificate>,
}

/// A driver: rounds until the relative gap is `gap`.
struct Driver<'d> {
    parts: Vec<Partition<'d, AnyLoss>>,
    n: usize,
    slots: usize,
    lambda_n: f64,
}

impl<'d> Driver<'d> {
    fn new(problems: &'d [Problem<'d>], loss: AnyLoss) -> Self {
        let n = problems.iter().map(Problem::len).sum();
        Driver {
            parts: problems.iter().map(|p| Partition::new(p, loss)).collect(),
            n,
            slots: problems.iter().map(Problem::slots).max().unwrap(),
            lambda_n: LAMBDA * n as f64,
        }
    }

    /// v, from nothing.
    fn vector(&self, dual: &[Vec<f64>]) -> Vec<f64> {
        let mut v = vec![0.0; self.slots];
        for (part, a) in zip(&self.parts, dual) {
            zip(&mut v, part.vector(a, self.lambda_n)).for_each(|(v, part)| *v += part);
        }
        v
    }

    /// Sums of all partitions, without steps.
    fn sums(&self, dual: &[Vec<f64>], v: &[f64], b: f64, candidates: &[f64]) -> PartitionSums {
        let mut sums = PartitionSums::default();
        let round = Round {
            bias: Some(FreeBias::fixed(b)),
            candidates,
            ..Round::at(v, self.lambda_n)
        };
        for (part, a) in zip(&self.parts, dual) {
            sums.add(&part.solve(a, &round).sums);
        }
        sums
    }

    /// The certificate of a free bias: balanced variables, the best b.
    fn certify(&self, dual: &[Vec<f64>], start: f64) -> (GapCertificate, Vec<Vec<f64>>, Vec<f64>) {
        let v = self.vector(dual);
        let all = self.sums(dual, &v, start, &[]);
        let dual: Vec<Vec<f64>> = zip(&self.parts, dual)
            .map(|(part, a)| part.balanced(a, &all))
            .collect();
        let v = self.vector(&dual);
        let mut candidates = Candidates::around(start, 1.0);
        let mut b = start;
        for _ in 0..12 {
            let losses = self.sums(&dual, &v, start, candidates.list()).candidates;
            b = candidates.best(&losses);
            candidates = candidates.narrowed(&losses);
        }
        let sums = self.sums(&dual, &v, b, &[]);
        assert!(sums.signed().abs() <= 1e-12 * (1.0 + sums.positive));
        (sums.certificate(self.n, LAMBDA, &v, b), dual, v)
    }

    fn run(&self, start: f64, free: bool, passes: u32, gap: f64) -> Solved {
        let sigma = self.parts.len() as f64;
        let norms: f64 = self.parts.iter().map(Partition::norm_sq).sum();
        let mut dual: Vec<Vec<f64>> = (self.parts.iter())
            .map(|part| vec![start; part.rows()])
            .collect();
        let mut v = self.vector(&dual);
        let mut bias = free.then(|| FreeBias {
            multiplier: 0.0,
            rho: 0.1 * norms / self.n as f64,
            v: self.sums(&dual, &v, 0.0, &[]).signed() / self.lambda_n,
        });
        let mut certificates = Vec::new();
        for round in 0..40_000_u64 {
            let mut sums = PartitionSums::default();
            let mut next = v.clone();
            let mut v_b = 0.0;
            for (k, (part, a)) in zip(&self.parts, &mut dual).enumerate() {
                let answer = part.solve(
                    a,
                    &Round {
                        v: &v,
                        lambda_n: self.lambda_n,
                        bias,
                        sigma,
                        passes,
                        seed: round * self.parts.len() as u64 + k as u64,
                        candidates: &[],
                    },
                );
                sums.add(&answer.sums);
                zip(&mut next, &answer.v).for_each(|(v, change)| *v += change);
                v_b += answer.v_b;
                *a = answer.dual;
            }
            if let Some(bias) = &mut bias {
                bias.v += v_b;
                // the proximal point method in b
                bias.multiplier = bias.b();
            } else {
                // the sums are those of the round's beginning, where v was exact
                certificates.push(sums.certificate(self.n, LAMBDA, &v, 0.0));
            }
            // without the rounding of the rounds so far
            let exact = self.vector(&dual);
            assert!(zip(&exact, &next).all(|(v, added)| (v - added).abs() <= 1e-9));
            v = exact;
            if let Some(bias) = bias
                && round % 10 == 9
            {
                let (certificate, dual, v) = self.certify(&dual, bias.b());
                certificates.push(certificate);
                if certificate.reaches(gap) {
                    return Solved {
                        dual,
                        v,
                        certificates,
                    };
                }
            } else if certificates.last().is_some_and(|c| c.reaches(gap)) {
                break;
            }
        }
        Solved {
            dual,
            v,
            certificates,
        }
    }
}

fn one_machine(problem: &Problem<'_>, loss: AnyLoss, free_bias: bool, gap: f64) -> GapCertificate {
    let settings = Settings {
        free_bias,
        gap,
        max_passes: 100_000,
        ..Settings::default()
    };
    let solution = solve(problem, loss, Square, LAMBDA, None, &settings, &mut |_| {
        true
    });
    assert!(solution.report.certificate.reaches(gap));
    solution.report.certificate
}

#[test]
fn partitions_reach_the_objective_of_one_machine() {
    for (name, loss) in finite_losses() {
        for (partitions, free, weighted) in [
            (2, false, false),
            (5, false, true),
            (3, true, false),
            (3, true, true),
        ] {
            let data = Data::random(&loss, 90, partitions, weighted);
            let at = format!("{name}, {partitions} partitions, free {free}, weighted {weighted}");
            let expected = one_machine(&data.whole(), loss, free, 1e-8);
            let problems = data.problems();
            let driver = Driver::new(&problems, loss);
            let solved = driver.run(loss.start(), free, 3, 1e-7);
            let found = solved.certificates.last().unwrap();
            assert!(found.reaches(1e-7), "{at}: {found:?}");
            let difference = (found.primal - expected.primal).abs();
            assert!(
                difference <= 1e-6 * expected.primal,
                "{at}: {found:?} {expected:?}"
            );
            for c in &solved.certificates {
                assert!(c.gap >= 0.0 && c.dual <= c.primal, "{at}: {c:?}");
                // both are bounds of the same optimum
                let slack = 1e-12 * (1.0 + expected.primal);
                assert!(c.dual <= expected.primal + slack, "{at}: {c:?}");
                assert!(c.primal >= expected.dual - slack, "{at}: {c:?}");
            }
            let first = solved.certificates.first().unwrap();
            assert!(found.gap < 1e-3 * first.gap, "{at}: {first:?} {found:?}");
            if !free {
                // adding with sigma' = K never lowers the dual
                for pair in solved.certificates.windows(2) {
                    let rounding = 1e-12 * (1.0 + pair[1].dual.abs());
                    assert!(pair[1].dual >= pair[0].dual - rounding, "{at}: {pair:?}");
                }
            }
        }
    }
}

#[test]
fn one_partition_is_the_plain_solver_bit_by_bit() {
    for (name, loss) in finite_losses() {
        for weighted in [false, true] {
            let data = Data::random(&loss, 60, 1, weighted);
            let whole = data.whole();
            let start = vec![loss.start(); whole.len()];
            let part = Partition::new(&whole, loss);
            let lambda_n = LAMBDA * 60.0;
            let v = part.vector(&start, lambda_n);
            for passes in [1, 2, 7] {
                let round = Round {
                    passes,
                    seed: 11,
                    ..Round::at(&v, lambda_n)
                };
                let answer = part.solve(&start, &round);
                let settings = Settings {
                    gap: 1e-15,
                    max_passes: passes,
                    seed: 11,
                    shrinks: false,
                    newton: false,
                    ..Settings::default()
                };
                let plain = solve(
                    &whole,
                    loss,
                    Square,
                    LAMBDA,
                    Some(&start),
                    &settings,
                    &mut |_| true,
                );
                let passes_made = plain.report.passes;
                assert_eq!(passes_made, passes);
                assert_eq!(answer.dual, plain.dual, "{name}, {passes} passes");
                // the sums are those of the start: of one more round, those of the plain solver's end
                let v = part.vector(&answer.dual, lambda_n);
                let sums = part.solve(&answer.dual, &Round::at(&v, lambda_n)).sums;
                let found = sums.certificate(60, LAMBDA, &v, 0.0);
                let expected = plain.report.certificate;
                assert!((found.primal - expected.primal).abs() <= 1e-13 * expected.primal);
                assert!((found.gap - expected.gap).abs() <= 1e-13 * expected.primal);
                assert_eq!(found.support, expected.support);
            }
        }
    }
}

#[test]
fn the_first_pass_with_a_free_bias_is_the_plain_solvers() {
    for (name, loss) in finite_losses() {
        let data = Data::random(&loss, 60, 1, false);
        let whole = data.whole();
        let start = vec![loss.start(); whole.len()];
        let part = Partition::new(&whole, loss);
        let lambda_n = LAMBDA * 60.0;
        let v = part.vector(&start, lambda_n);
        let sums = part.solve(&start, &Round::at(&v, lambda_n)).sums;
        let bias = FreeBias {
            multiplier: 0.0,
            rho: 0.1 * (part.norm_sq() / 60.0),
            v: sums.signed() / lambda_n,
        };
        let round = Round {
            bias: Some(bias),
            passes: 1,
            seed: 3,
            ..Round::at(&v, lambda_n)
        };
        let answer = part.solve(&start, &round);
        let all = part.solve(&answer.dual, &Round::at(&v, lambda_n)).sums;
        assert!((bias.v + answer.v_b - all.signed() / lambda_n).abs() < 1e-12);
        let settings = Settings {
            free_bias: true,
            gap: 1e-15,
            max_passes: 1,
            seed: 3,
            shrinks: false,
            newton: false,
            ..Settings::default()
        };
        let begun = Some(&start[..]);
        let plain = solve(&whole, loss, Square, LAMBDA, begun, &settings, &mut |_| {
            true
        });
        // what the plain solver answers with is balanced
        for (found, expected) in zip(part.balanced(&answer.dual, &all), &plain.dual) {
            assert!((found - expected).abs() <= 1e-12, "{name}");
        }
    }
}

#[test]
fn repeated_runs_give_the_same_bits() {
    for free in [false, true] {
        let loss = AnyLoss::Margin(Margin::HINGE);
        let data = Data::random(&loss, 80, 4, true);
        let problems = data.problems();
        let driver = Driver::new(&problems, loss);
        let first = driver.run(0.0, free, 2, 1e-4);
        let second = Driver::new(&problems, loss).run(0.0, free, 2, 1e-4);
        assert_eq!(first, second);
        let bits = |v: &[f64]| v.iter().map(|v| v.to_bits()).collect::<Vec<_>>();
        assert_eq!(bits(&first.v), bits(&second.v));
    }
}

#[test]
fn sums_follow_their_definitions() {
    let loss = AnyLoss::Margin(Margin::smoothed_hinge(0.5));
    let data = Data::random(&loss, 40, 3, true);
    let problems = data.problems();
    let driver = Driver::new(&problems, loss);
    let dual: Vec<Vec<f64>> = problems
        .iter()
        .map(|p| (0..p.len()).map(|i| (i % 5) as f64 / 5.0).collect())
        .collect();
    let v = driver.vector(&dual);
    let (b, candidates) = (0.3, [-1.0, 0.0, 0.3]);
    let found = driver.sums(&dual, &v, b, &candidates);
    let mut expected = PartitionSums {
        candidates: vec![0.0; 3],
        ..PartitionSums::default()
    };
    let mut signed = 0.0;
    for (problem, a) in zip(&problems, &dual) {
        for (i, (aim, &a)) in zip(problem.aims(), a).enumerate() {
            let inner: f64 = problem.row(i).iter().map(|(j, x)| x * v[j]).sum();
            let t = |b: f64| aim.sign * (inner + b);
            let (f, c) = (loss.value(t(b), aim.target), loss.conjugate(a, aim.target));
            expected.loss += aim.weight * f;
            expected.conjugate += aim.weight * c;
            expected.gap += aim.weight * (f + c + a * t(b));
            expected.support += usize::from(a != 0.0 && aim.weight > 0.0);
            signed += aim.weight * aim.sign * a;
            for (sum, b) in zip(&mut expected.candidates, candidates) {
                *sum += aim.weight * loss.value(t(b), aim.target);
            }
        }
    }
    let near = |a: f64, b: f64| (a - b).abs() <= 1e-12 * (1.0 + b.abs());
    assert!(near(found.loss, expected.loss));
    assert!(near(found.conjugate, expected.conjugate));
    assert!(near(found.gap, expected.gap));
    assert!(near(found.signed(), signed));
    assert_eq!(found.support, expected.support);
    assert!(zip(&found.candidates, expected.candidates).all(|(a, b)| near(*a, b)));
    // (G): the rows' gaps are P - D where v is the sum of the rows and the variables are balanced
    let (certificate, dual, v) = driver.certify(&dual, 0.0);
    let sums = driver.sums(&dual, &v, certificate.intercept, &[]);
    let h: f64 = 0.5 * v.iter().map(|v| v * v).sum::<f64>();
    let d = -sums.conjugate / 40.0 - LAMBDA * h;
    assert!((certificate.primal - d - certificate.gap).abs() < 1e-12);
}

#[test]
fn candidates_find_a_minimum_that_is_far_away() {
    for optimum in [-3e6, -17.25, 0.0, 0.3, 12_345.678] {
        let mut candidates = Candidates::around(0.0, 1.0);
        let mut best = 0.0;
        for _ in 0..30 {
            let losses: Vec<f64> = (candidates.list().iter())
                .map(|b| (b - optimum).abs())
                .collect();
            best = candidates.best(&losses);
            candidates = candidates.narrowed(&losses);
        }
        let enough = 1e-9 * (1.0 + optimum.abs());
        assert!((best - optimum).abs() < enough, "{best} for {optimum}");
    }
}

#[test]
fn an_empty_partition_adds_nothing() {
    let loss = AnyLoss::Margin(Margin::HINGE);
    let rows = Rows::new();
    let problem = Problem::new(rows.view(), Vec::new(), Vec::new());
    let part = Partition::new(&problem, loss);
    let v = [0.0, 2.0];
    let answer = part.solve(
        &[],
        &Round {
            passes: 3,
            sigma: 4.0,
            ..Round::at(&v, 1.0)
        },
    );
    assert_eq!(answer.v, [0.0, 0.0]);
    assert_eq!(answer.sums, PartitionSums::default());
}
