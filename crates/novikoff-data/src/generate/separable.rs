//! Rows in the unit ball that a hyperplane through 0 separates with a chosen margin: the stream that Novikoff's bound is about.

use novikoff::random::SplitMix64;
use novikoff::rows::Rows;

use super::spec::{GenerateError, GeneratorSettings};
use super::{normal_pair, push_dense};

/// A target u of length 1; x uniform in the unit ball, drawn again while `|u.x|` is below the margin. So R is at most 1, and
/// `(R/margin)^2` at most `1/margin^2`.
#[derive(Clone, Debug)]
pub(super) struct SeparableProblem {
    target: Vec<f64>,
    margin: f64,
    draw: Vec<f64>,
    x: Vec<f32>,
}

impl SeparableProblem {
    pub(super) fn new(
        settings: &GeneratorSettings,
        random: &mut SplitMix64,
    ) -> Result<Self, GenerateError> {
        let d = settings.size("d");
        // u.x has a standard deviation of about 1/sqrt(d): beyond three of them we would draw for ever
        settings.at_most(
            "margin",
            (3.0 / (d as f64).sqrt()).min(0.9),
            "3/sqrt(d): rows are hardly ever farther away",
        )?;
        let mut own = settings.target().map(SplitMix64::new);
        let random = own.as_mut().unwrap_or(random);
        let mut target = vec![0.0; d];
        direction(random, &mut target);
        Ok(SeparableProblem {
            target,
            margin: settings.real("margin"),
            draw: vec![0.0; d],
            x: vec![0.0; d],
        })
    }

    pub(super) fn width(&self) -> usize {
        self.x.len()
    }

    /// Adds the next row's values and says whether u.x >= 0.
    pub(super) fn row(&mut self, random: &mut SplitMix64, out: &mut Rows) -> bool {
        let inverse = 1.0 / self.x.len() as f64;
        loop {
            direction(random, &mut self.draw);
            let radius = libm::pow(random.uniform(), inverse);
            for (x, v) in self.x.iter_mut().zip(&self.draw) {
                *x = (radius * v) as f32;
            }
            // of the rounded values, so that the margin is that of the data as it stands
            let products = self.target.iter().zip(&self.x);
            let dot: f64 = products.map(|(u, &x)| u * f64::from(x)).sum();
            if dot.abs() >= self.margin {
                push_dense(out, &self.x);
                return dot >= 0.0;
            }
        }
    }
}

/// A vector of length 1, every direction as likely as any other.
fn direction(random: &mut SplitMix64, out: &mut [f64]) {
    loop {
        for pair in out.chunks_mut(2) {
            let normals = normal_pair(random);
            for (v, z) in pair.iter_mut().zip(normals) {
                *v = z;
            }
        }
        let norm = out.iter().map(|v| v * v).sum::<f64>().sqrt();
        if norm > 0.0 {
            for v in out.iter_mut() {
                *v /= norm;
            }
            return;
        }
    }
}
