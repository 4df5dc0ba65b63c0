//! Streams and finished runs for the tests of certificates.

use novikoff::certificate::PastTrial;
use novikoff::label::Label;
use novikoff::random::SplitMix64;

use super::bound::Run;
use super::matrix::dot;
use super::stream::{Sample, Stream, gaussian, sign};

/// How many random streams: `NOVIKOFF_STREAMS=n`.
pub(crate) fn streams() -> u64 {
    let text = std::env::var("NOVIKOFF_STREAMS").ok();
    text.and_then(|text| text.parse().ok()).unwrap_or(300)
}

/// Few features and rows: of Gaussians, of integers, of zeros and ones, flat, and again and again; a third
/// separable, a third noisy, a third random.
pub(crate) fn small(seed: u64) -> Stream {
    let mut g = SplitMix64::new(seed ^ 0x5EC0_17D0);
    let (d, n) = (1 + g.below(8), 5 + g.below(60));
    let planted: Vec<f64> = (0..=d).map(|_| gaussian(&mut g)).collect();
    let noise = [0.0, 0.1, 0.5][(seed % 3) as usize];
    let kind = g.below(5);
    let size = 10_f64.powf(3.0 * g.uniform() - 1.5);
    let mut samples: Vec<Sample> = Vec::new();
    while samples.len() < n {
        if kind == 4 && samples.len() > 6 {
            let mut again = samples[g.below(6)].clone();
            again.positive ^= g.uniform() < noise;
            samples.push(again);
            continue;
        }
        let value = |j: usize, g: &mut SplitMix64| match kind {
            1 => f64::from(sign(g)) * g.below(4) as f64,
            2 => g.below(2) as f64,
            3 if j > 0 => 0.03 * gaussian(g),
            _ => gaussian(g),
        };
        let value: Vec<f32> = (0..d).map(|j| (size * value(j, &mut g)) as f32).collect();
        let mut sample = Sample::new((1..=d as u32).collect(), value, true);
        if !sample.row().is_zero() {
            sample.positive = dot(&planted, &sample.dense(d + 1)) >= 0.0;
            sample.positive ^= g.uniform() < noise;
            samples.push(sample);
        }
    }
    let mut stream = Stream::of(&format!("small {seed}"), d as u32, samples);
    stream.planted = planted;
    stream
}

pub(crate) fn label(y: f64) -> Label {
    if y > 0.0 { Label::Pos } else { Label::Neg }
}

/// The trials of a run, as certificates take them.
pub(crate) fn past<'a>(run: &Run, stream: &'a Stream) -> Vec<PastTrial<'a>> {
    let rows = stream.samples.iter().cycle();
    let trials = run.trials.iter().zip(rows);
    let past = trials.map(|(t, s)| PastTrial {
        x: s.row(),
        y: label(t.y),
        updated: t.updated,
    });
    past.collect()
}
