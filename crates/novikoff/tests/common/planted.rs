//! Streams made for a purpose: rows that are hard to tell apart, bounds that are nearly reached.

use novikoff::random::SplitMix64;

use super::stream::{Sample, Stream, gaussian, sign};

/// The unit vectors one after the other, all with y = -1: every first visit is a mistake.
pub(crate) fn unit_rows(d: u32, size: f32) -> Stream {
    let samples = (1..=d)
        .map(|j| Sample::new(vec![j], vec![size], false))
        .collect();
    let planted = (0..=d).map(|j| if j == 0 { 0.0 } else { -1.0 }).collect();
    let name = format!("{d} unit rows times {size}");
    Stream {
        name,
        width: d,
        samples,
        exact: true,
        planted,
    }
}

/// Rows of -1 and +1 whose first feature is the label.
pub(crate) fn one_of_many(seed: u64, d: u32) -> Stream {
    let mut g = SplitMix64::new(seed);
    let rows = (0..2000).map(|_| {
        let value: Vec<f32> = (0..d).map(|_| sign(&mut g)).collect();
        let positive = value[0] > 0.0;
        Sample::new((1..=d).collect(), value, positive)
    });
    let samples = rows.collect();
    let planted = (0..=d).map(|j| f64::from(u8::from(j == 1))).collect();
    let name = format!("one of {d} features, seed {seed}");
    Stream {
        name,
        width: d,
        samples,
        exact: true,
        planted,
    }
}

/// Random rows of 0 and 1 and the rule "at least r of these k": a disjunction for r = 1.
pub(crate) fn threshold_rows(seed: u64, d: u32, k: usize, r: usize) -> Stream {
    let mut g = SplitMix64::new(seed);
    let mut features: Vec<u32> = (1..=d).collect();
    g.shuffle(&mut features);
    let relevant = &features[..k];
    let share = (r as f64 - 0.3) / k as f64;
    let rows = (0..1500).map(|_| {
        let on = |g: &mut SplitMix64, j: &u32| {
            g.uniform() < if relevant.contains(j) { share } else { 0.3 }
        };
        let index: Vec<u32> = (1..=d).filter(|j| on(&mut g, j)).collect();
        let positive = index.iter().filter(|j| relevant.contains(j)).count() >= r;
        Sample::new(index.clone(), vec![1.0; index.len()], positive)
    });
    let samples = rows.filter(|s| !s.index.is_empty()).collect();
    let name = format!("{r} of {k} of {d} features, seed {seed}");
    Stream {
        name,
        width: d,
        samples,
        exact: true,
        planted: Vec::new(),
    }
}

/// Rows in a subspace, rows again and again, and rows that differ in the last place.
pub(crate) fn awkward(seed: u64) -> Stream {
    let mut g = SplitMix64::new(seed);
    let (d, rank) = (6 + g.below(12), 1 + g.below(5));
    let basis: Vec<Vec<f64>> = (0..rank)
        .map(|_| (0..d).map(|_| gaussian(&mut g)).collect())
        .collect();
    let mut samples: Vec<Sample> = Vec::new();
    while samples.len() < 150 {
        if samples.len() > 20 && g.uniform() < 0.4 {
            let mut again = samples[g.below(20)].clone();
            again.positive ^= g.uniform() < 0.1;
            if g.uniform() < 0.5 {
                let at = g.below(d);
                again.value[at] = again.value[at].next_up();
            }
            samples.push(again);
            continue;
        }
        let by: Vec<f64> = (0..rank).map(|_| gaussian(&mut g)).collect();
        let value = |j: usize| by.iter().zip(&basis).map(|(c, b)| c * b[j]).sum::<f64>() as f32;
        let value: Vec<f32> = (0..d).map(value).collect();
        let positive = (by[0] > 0.0) ^ (g.uniform() < 0.2);
        samples.push(Sample::new((1..=d as u32).collect(), value, positive));
    }
    let name = format!("rank {rank} of {d}, seed {seed}");
    Stream::of(&name, d as u32, samples)
}
