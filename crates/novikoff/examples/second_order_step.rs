//! `second_order_step learn|sweep [FEATURES] [TIMES]`: the cost of a mistake of the second-order perceptron, or
//! of reading and writing a triangle of as many features once, which is the least that it costs to change a factor.
//!
//! Prints seconds of all times together as JSON.
#![allow(clippy::print_stdout)] // it is what the example is for

use std::error::Error;
use std::time::Instant;

use novikoff::learner::{Learner as _, Linear, Predictor, Trial};
use novikoff::online::second_order::primal::SecondOrderPrimal;
use novikoff::random::SplitMix64;
use novikoff::row::Row;

/// Rows in which a fifth of the features is not zero, as of scanned digits.
fn rows(features: usize) -> Vec<(Vec<u32>, Vec<f32>)> {
    let mut random = SplitMix64::new(1);
    let mut row = || {
        let slots = 1..=features as u32;
        let index: Vec<u32> = slots.filter(|_| random.uniform() < 0.2).collect();
        let value = index.iter().map(|_| random.uniform() as f32).collect();
        (index, value)
    };
    (0..100).map(|_| row()).collect()
}

/// Seconds of the processor so far, in steps of a hundredth.
fn processor() -> f64 {
    let reported = std::fs::read_to_string("/proc/self/stat").unwrap_or_default();
    let fields = reported.rsplit(')').next().unwrap_or("").split_whitespace();
    let ticks = fields
        .skip(11)
        .take(2)
        .filter_map(|n| n.parse::<f64>().ok());
    ticks.sum::<f64>() / 100.0
}

/// Seconds of the processor, and of the clock.
struct Clock(f64, Instant);

impl Clock {
    fn start() -> Self {
        Clock(processor(), Instant::now())
    }

    fn stop(&self) -> (f64, f64) {
        (processor() - self.0, self.1.elapsed().as_secs_f64())
    }
}

/// Every row is labelled against the prediction.
fn learn(features: usize, times: usize) -> Result<(f64, f64), Box<dyn Error>> {
    let rows = rows(features);
    let rule = SecondOrderPrimal {
        a: 1.0,
        margin: 0.0,
    };
    let mut learner = Linear::new(rule, 1 << 34);
    let mut out = Trial::default();
    let mut scores = [0.0];
    let mut clock = Clock::start();
    for time in 0..times + rows.len() {
        if time == rows.len() {
            clock = Clock::start();
        }
        let (index, value) = &rows[time % rows.len()];
        let row = Row::sparse(index, value);
        learner.scores(row, learner.hypotheses()[0], &mut scores);
        let positive: &[usize] = if scores[0] < 0.0 { &[0] } else { &[] };
        learner.trial(row, positive, &mut out)?;
        if !out.updated[0] {
            return Err("a row was learned without a mistake".into());
        }
    }
    Ok(clock.stop())
}

/// The triangle, read and written `times` times.
fn sweep(features: usize, times: usize) -> (f64, f64) {
    let order = features + 1;
    let mut u = vec![1.0_f64; order * (order + 1) / 2];
    let clock = Clock::start();
    for _ in 0..times {
        for u in std::hint::black_box(&mut u[..]) {
            *u *= 1.000_000_1;
        }
    }
    clock.stop()
}

fn main() -> Result<(), Box<dyn Error>> {
    let usage = "usage: second_order_step learn|sweep [FEATURES] [TIMES]";
    let words: Vec<String> = std::env::args().skip(1).collect();
    let number = |k: usize, usual| words.get(k).map_or(Ok(usual), |word| word.parse());
    let (features, times) = (number(1, 784)?, number(2, 2000)?);
    let (cpu, wall) = match words.first().map(String::as_str) {
        Some("learn") => learn(features, times)?,
        Some("sweep") => sweep(features, times),
        _ => return Err(usage.into()),
    };
    println!(r#"{{"cpu": {cpu}, "wall": {wall}, "times": {times}}}"#);
    Ok(())
}
