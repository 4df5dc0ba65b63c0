//! Online logistic regression: against its definition, at any scale of its features, with weights, and its theorem LR.
//!
//! `NOVIKOFF_STREAMS=10000` tries the theorem on that many streams; what was seen is printed.

#![allow(clippy::unwrap_used, clippy::disallowed_methods, clippy::print_stdout)]

use crate::common;

use common::bound::{Run, comparators};
use common::certified::{past, small, streams};
use common::compare::{compare_all, unchanged};
use common::definition::Definition;
use common::logistic::{Bettor, Logistic};
use common::matrix::dot;
use common::stream::{KINDS, Kind, MODERATE, Sample, Stream, stream};
use common::{cases, learner_for, trial};
use novikoff::certificate::logistic::{BettorSums, Replay};
use novikoff::learner::Trial;
use novikoff::random::SplitMix64;

/// Every row has the constant feature.
fn with_constant(mut stream: Stream, value: f32) -> Stream {
    for sample in &mut stream.samples {
        if sample.index.first() != Some(&0) {
            sample.index.insert(0, 0);
            sample.value.insert(0, 0.0);
        }
        sample.value[0] = value;
    }
    stream.exact = false;
    stream.name += ", with a constant";
    stream
}

fn define(stream: &Stream) -> Box<dyn Definition> {
    Box::new(Logistic::new(stream.slots()))
}

#[test]
fn equals_its_definition() {
    compare_all("logistic", KINDS, 120, define, unchanged, false);
}

#[test]
fn equals_its_definition_with_a_constant_feature() {
    for value in [1.0, -3.0] {
        let change = |stream| with_constant(stream, value);
        compare_all("logistic", MODERATE, 100, define, change, false);
    }
}

/// Multiplies each column by a number of its own.
fn rescaled(stream: &Stream, by: impl Fn(u32) -> f32) -> Stream {
    let mut other = stream.clone();
    for sample in &mut other.samples {
        for (j, value) in sample.index.iter().zip(&mut sample.value) {
            *value *= by(*j);
        }
    }
    other
}

fn margins(stream: &Stream, lanes: usize) -> Vec<Vec<f64>> {
    let mut learner = learner_for("logistic", stream);
    (1..lanes).for_each(|_| learner.add_lane(0).unwrap());
    let each = stream.samples.iter().enumerate().map(|(t, sample)| {
        let mut out = Trial::default();
        let positive = [if sample.positive { t % lanes } else { lanes }];
        learner.trial(sample.row(), &positive, &mut out).unwrap();
        out.margin
    });
    each.collect()
}

/// Powers of two from 1e-6 to 1e6 change no bit of a probability; others change what rounding the rows changes.
#[test]
fn scales_of_features_do_not_matter() {
    let kinds = [Kind::Dense, Kind::Sparse, Kind::Integer, Kind::Growing];
    for seed in 0..cases(4) {
        for kind in kinds {
            let plain = stream(kind, seed, 200);
            for stream in [plain.clone(), with_constant(plain, 1.0)] {
                let exponent = |j: u32| (j.wrapping_mul(2_654_435_761) >> 8) % 41;
                let two = |j: u32| 2_f32.powi(exponent(j) as i32 - 20);
                for lanes in [1, 3] {
                    let want = margins(&stream, lanes);
                    assert_eq!(
                        want,
                        margins(&rescaled(&stream, two), lanes),
                        "{}",
                        stream.name
                    );
                    let ten = |j: u32| 10_f32.powf(exponent(j) as f32 * 0.3 - 6.0);
                    let other = margins(&rescaled(&stream, ten), lanes);
                    for (a, b) in want.iter().flatten().zip(other.iter().flatten()) {
                        let [a, b] = [a, b].map(|m| 1.0 / (1.0 + (-m).exp()));
                        assert!((a - b).abs() < 1e-4, "{}: {a} {b}", stream.name);
                    }
                }
            }
        }
    }
}

#[test]
fn weights_multiply_the_slope() {
    for seed in 0..cases(4) {
        let stream = with_constant(stream(Kind::Sparse, seed, 150), 1.0);
        let mut learner = learner_for("logistic", &stream);
        let mut by = Logistic::new(stream.slots());
        let mut g = SplitMix64::new(seed);
        for sample in &stream.samples {
            by.weight = [0.01, 0.5, 1.0, 4.0][g.below(4)];
            let (x, y) = (sample.dense(stream.slots()), sample.y());
            let want = by.judge(&x, y);
            let mut out = Trial {
                weight: by.weight,
                ..Trial::default()
            };
            let positive: &[usize] = if sample.positive { &[0] } else { &[] };
            learner.trial(sample.row(), positive, &mut out).unwrap();
            let error = (out.margin[0] - want.margin).abs();
            assert!(
                error <= 1e-9 * want.scale.max(want.margin.abs()),
                "{}",
                stream.name
            );
            by.learn(&x, y, out.updated[0]);
        }
    }
}

/// A mean far from 0 beside what differs: with a constant feature it is learned nearly as if it were not there.
#[test]
fn a_column_far_from_zero_is_learned() {
    let mut g = SplitMix64::new(5);
    let mistakes = |mean: f32, g: &mut SplitMix64| {
        let sample = |_| {
            let positive = g.below(2) == 0;
            let sign = if positive { 1.0 } else { -1.0 };
            let value = mean + sign + 0.5 * (g.uniform() as f32 - 0.5);
            Sample::new(vec![0, 1], vec![1.0, value], positive)
        };
        let stream = Stream::of("far", 1, (0..400).map(sample).collect());
        Run::of("logistic", &stream, 1).mistakes()
    };
    let (near, far) = (mistakes(0.0, &mut g), mistakes(1000.0, &mut g));
    assert!(near <= 5.0 && far <= 10.0, "{near} {far}");
}

/// As many rows again, each the worst of a few for the learner as it is then.
fn hard(seed: u64, g: &mut SplitMix64) -> Stream {
    let mut stream = small(seed);
    if seed.is_multiple_of(2) {
        stream = with_constant(stream, 0.7);
    }
    let mut learner = learner_for("logistic", &stream);
    let pool = stream.samples.clone();
    let mut score = [0.0];
    stream.samples.clear();
    for _ in 0..3 * pool.len() {
        let draws: Vec<usize> = (0..8).map(|_| g.below(pool.len())).collect();
        let margins = draws.into_iter().map(|k| {
            learner.scores(pool[k].row(), learner.hypotheses()[0], &mut score);
            (pool[k].y() * score[0], k)
        });
        let worst = margins.min_by(|a, b| a.0.total_cmp(&b.0)).unwrap();
        let sample = &pool[worst.1];
        trial(&mut *learner, sample.row(), sample.positive).unwrap();
        stream.samples.push(sample.clone());
    }
    stream
}

/// The log loss of the run itself is what the theorem bounds, before mistakes are counted by it.
fn own_loss(run: &Run) -> f64 {
    let losses = run.trials.iter().map(|t| (-t.y * t.margin).exp().ln_1p());
    losses.sum()
}

#[test]
fn the_theorem_holds() {
    let (mut checks, mut tightest, mut nearest) = (0, 0.0_f64, 0.0_f64);
    for seed in 0..streams() {
        let mut g = SplitMix64::new(seed);
        let stream = if seed % 4 < 2 {
            hard(seed, &mut g)
        } else {
            small(seed)
        };
        let run = Run::of("logistic", &stream, 1 + g.below(3));
        let trials = past(&run, &stream);
        let replay = Replay::of(&trials);
        let mut vectors = comparators(&stream, seed);
        vectors.push(Vec::new());
        for u in vectors {
            let certificate = replay.certify(&trials, run.mistakes() as u64, &u);
            assert!(certificate.holds(), "{}: {certificate:?}", run.name);
            let (loss, of) = (own_loss(&run), |name| certificate.ingredient(name).unwrap());
            let most = of("log_loss") + of("regret");
            assert!(loss <= most, "{}: {loss} {certificate:?}", run.name);
            assert!(certificate.bound <= of("theorem"), "{certificate:?}");
            tightest = tightest.max(run.mistakes() / certificate.bound);
            nearest = nearest.max(loss / most);
            checks += 1;
        }
    }
    println!(
        "LR: {checks} checks, mistakes up to {tightest:.4} of the bound, losses up to {nearest:.4}"
    );
    assert!(
        checks > 100 && tightest > 0.4 && nearest > 0.9,
        "{tightest} {nearest}"
    );
}

/// R by plain arithmetic, and what is known of it.
fn shortfall(bettor: &Bettor, largest: &[f64]) -> f64 {
    let (mut squares, mut gain, mut sum) = (0.0, 0.0, 0.0);
    for ((g, _), m) in bettor.bets.iter().zip(largest) {
        if *m == 0.0 {
            continue;
        }
        let v: f64 = gain / (2.0 * (squares + m * m));
        let v = v.clamp(-0.5 / m, 0.5 / m);
        squares += g * g;
        gain += g;
        sum += (g * (1.0 - 2.0 * v * g)).powi(2) / (4.0 * (squares + m * m));
    }
    sum
}

/// rho by plain arithmetic: the least of many z.
fn rho(u: f64, bettor: &Bettor, shortfall: f64) -> f64 {
    let m = bettor.largest();
    if m == 0.0 {
        return 0.0;
    }
    if u == 0.0 {
        return 1.0 - (-shortfall).exp();
    }
    let at = |z: f64| {
        let more = z * z * bettor.room() + shortfall;
        1.0 + u.abs() / z * ((u.abs() / z).ln() - 1.0 + more)
    };
    // convex in ln z, by thirds
    let (mut low, mut high) = ((0.5 / m).ln() - 40.0, (0.5 / m).ln());
    for _ in 0..90 {
        let third = (high - low) / 3.0;
        if at((low + third).exp()) < at((high - third).exp()) {
            high -= third;
        } else {
            low += third;
        }
    }
    at(low.exp())
}

#[test]
fn terms_are_what_plain_arithmetic_says() {
    for seed in 0..30 {
        let mut stream = small(seed);
        if seed % 3 > 0 {
            stream = with_constant(stream, 1.5);
        }
        let run = Run::of("logistic", &stream, 2);
        let trials = past(&run, &stream);
        let mut by = Logistic::new(stream.slots());
        let mut largest: Vec<Vec<f64>> = Vec::new();
        for (x, y) in stream.plain().iter().cycle().take(trials.len()) {
            by.judge(x, *y);
            by.learn(x, *y, true);
            let all = by
                .features
                .iter()
                .chain(by.differences.iter().map(|d| &d.2));
            largest.push(all.map(Bettor::largest).collect());
        }
        let all: Vec<&Bettor> = by
            .features
            .iter()
            .chain(by.differences.iter().map(|d| &d.2))
            .collect();
        let known: Vec<f64> = all
            .iter()
            .map(|b| (b.room() / b.first().powi(2)).ln())
            .collect();
        let seen: Vec<f64> = all
            .iter()
            .enumerate()
            .map(|(k, b)| shortfall(b, &largest.iter().map(|m| m[k]).collect::<Vec<f64>>()))
            .collect();
        for u in comparators(&stream, seed) {
            let mut splits = vec![u.clone()];
            splits[0].resize(all.len(), 0.0);
            if !by.differences.is_empty() {
                let mut other = splits[0].clone();
                for (k, (j, base, _)) in by.differences.iter().enumerate() {
                    other[stream.slots() + k] = u[*j] / by.constant;
                    other[*j] = 0.0;
                    other[0] += base * u[*j] / by.constant;
                }
                splits.push(other);
            }
            let sum = |r: &[f64]| {
                let of =
                    |u: &Vec<f64>| -> f64 { (0..all.len()).map(|k| rho(u[k], all[k], r[k])).sum() };
                splits.iter().map(of).fold(f64::INFINITY, f64::min)
            };
            let got = Replay::of(&trials).certify(&trials, run.mistakes() as u64, &u);
            let losses = run.past().zip(&run.trials);
            let loss: f64 = losses
                .map(|((x, _), t)| (-t.y * dot(&u, x)).exp().ln_1p())
                .sum();
            let near = |name: &str, want: f64| {
                let term = got.ingredient(name).unwrap();
                assert!(
                    (term - want).abs() <= 1e-5 * (1.0 + want),
                    "{name} {term}, not {want}: {}",
                    run.name
                );
            };
            near("log_loss", loss);
            near("regret", sum(&seen));
            near("theorem", (loss + sum(&known)) / 2_f64.ln());
            assert!((got.bound - (loss + sum(&seen)) / 2_f64.ln()).abs() <= 1e-5 * got.bound);
        }
    }
}

/// The price is the slope of rho, and no other z is better.
#[test]
fn the_stake_is_the_best() {
    let mut g = SplitMix64::new(3);
    for _ in 0..2000 {
        let mut any = |low: f64, high: f64| 10_f64.powf(low + (high - low) * g.uniform());
        let largest = any(-6.0, 6.0);
        let ledger = BettorSums {
            room: largest * largest * (1.0 + any(-3.0, 5.0)),
            largest,
            shortfall: any(-2.0, 1.0),
        };
        let u = any(-4.0, 4.0) / largest;
        let (rho, z) = (ledger.regret(u).value(), ledger.stake(u));
        assert!(z > 0.0 && z <= 0.5 / largest);
        for other in [0.3, 0.9, 0.999, 1.001, 1.1] {
            let z = (z * other).min(0.5 / largest);
            let more = z * z * ledger.room + ledger.shortfall;
            let worse = 1.0 + u / z * ((u / z).ln() - 1.0 + more);
            assert!(
                rho <= worse * (1.0 + 1e-9) + 1e-9,
                "{ledger:?} {u}: {rho} {worse}"
            );
        }
        let step = 1e-5 * u;
        let slope =
            (ledger.regret(u + step).value() - ledger.regret(u - step).value()) / (2.0 * step);
        let price = ledger.price(u);
        assert!(
            (slope - price).abs() <= 1e-3 * price.abs().max(ledger.room.sqrt()),
            "{slope} {price}"
        );
    }
}
