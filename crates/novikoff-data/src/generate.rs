//! Data sets made on the spot: the papers' artificial problems, and text-like rows for speed.
//!
//! A generator is named like a learner, `name:key=value,key=value`, and [`GENERATORS`] lists what
//! there is. The rows of a seed are the same on every machine and do not depend on how many are
//! asked for: fewer rows are a prefix of more.

use std::convert::Infallible;

use novikoff::random::SplitMix64;
use novikoff::rows::{Block, Rows};
use novikoff::source::Source;

mod separable;
mod spec;
mod text;

use separable::SeparableProblem;
use spec::GeneratorSettings;
pub use spec::{GENERATORS, GenerateError, GeneratorInfo, is_generator};
use text::TextProblem;

/// How many values a block has, about.
const BLOCK_VALUES: usize = 1 << 16;

/// Makes rows, a block at a time; a clone made at the start gives the same rows again.
#[derive(Clone, Debug)]
pub struct Generator {
    problem: ArtificialProblem,
    random: SplitMix64,
    noise: f64,
    bias: Option<f32>,
    rows: u64,
    left: u64,
    /// Rows that are still to be passed over.
    skip: u64,
    block_rows: usize,
    block: Rows,
}

#[derive(Clone, Debug)]
enum ArtificialProblem {
    SparseTarget(SparseTarget),
    Ellipse(Ellipse),
    Separable(SeparableProblem),
    Text(Box<TextProblem>),
}

impl Generator {
    /// The generator of a spec, such as `text:rows=1000,seed=7`.
    pub fn new(spec: &str) -> Result<Generator, GenerateError> {
        let settings = GeneratorSettings::parse(spec)?;
        let mut random = SplitMix64::new(settings.whole("seed"));
        let (problem, values, noise) = match settings.info.name {
            "sparse-target" => {
                let problem = SparseTarget::new(&settings, &mut random)?;
                let n = problem.x.len();
                (
                    ArtificialProblem::SparseTarget(problem),
                    n,
                    settings.real("noise"),
                )
            }
            "ellipse" => {
                let problem = Ellipse::new(&settings)?;
                let d = problem.x.len();
                (ArtificialProblem::Ellipse(problem), d, 0.0)
            }
            "separable" => {
                let problem = SeparableProblem::new(&settings, &mut random)?;
                let (d, noise) = (problem.width(), settings.real("noise"));
                (ArtificialProblem::Separable(problem), d, noise)
            }
            _ => {
                let problem = TextProblem::new(&settings, &mut random)?;
                let nonzeros = settings.size("nonzeros");
                (
                    ArtificialProblem::Text(Box::new(problem)),
                    nonzeros,
                    settings.real("noise"),
                )
            }
        };
        let rows = settings.whole("rows");
        let block_rows = (BLOCK_VALUES / values).max(1);
        let block = Rows::new();
        Ok(Generator {
            problem,
            random,
            noise,
            bias: None,
            rows,
            left: rows,
            skip: settings.whole("skip"),
            block_rows,
            block,
        })
    }

    /// Puts the constant feature `bias` first in every row.
    #[must_use]
    pub fn with_bias(mut self, bias: Option<f32>) -> Self {
        self.bias = bias;
        self
    }

    /// How many rows there are in all.
    pub fn rows(&self) -> u64 {
        self.rows
    }

    /// How many features there are, whether or not the last ones occur.
    pub fn features(&self) -> u32 {
        let features = match &self.problem {
            ArtificialProblem::SparseTarget(p) => p.x.len(),
            ArtificialProblem::Ellipse(p) => p.x.len(),
            ArtificialProblem::Separable(p) => p.width(),
            ArtificialProblem::Text(p) => p.features(),
        };
        features as u32
    }
}

impl Generator {
    /// Makes the next rows a block.
    fn fill(&mut self, rows: u64) {
        self.block.clear();
        for line in 0..rows {
            if let Some(b) = self.bias {
                self.block.push(0, b);
            }
            let positive = match &mut self.problem {
                ArtificialProblem::SparseTarget(p) => p.row(&mut self.random, &mut self.block),
                ArtificialProblem::Ellipse(p) => p.row(&mut self.random, &mut self.block),
                ArtificialProblem::Separable(p) => p.row(&mut self.random, &mut self.block),
                ArtificialProblem::Text(p) => p.row(&mut self.random, &mut self.block),
            };
            // Drawn for every row, so that the rows of a seed do not depend on the noise.
            let flipped = self.random.uniform() < self.noise;
            let (number, text) = if positive == flipped {
                (-1.0, b"-1")
            } else {
                (1.0, b"+1")
            };
            self.block.push_label(number, text);
            self.block.end_row(line);
        }
    }
}

impl Source for Generator {
    type Error = Infallible;

    fn next_block(&mut self) -> Result<Option<Block<'_>>, Infallible> {
        while self.skip > 0 {
            let rows = self.skip.min(self.block_rows as u64);
            self.fill(rows);
            self.skip -= rows;
        }
        let rows = self.left.min(self.block_rows as u64);
        self.fill(rows);
        self.left -= rows;
        Ok((rows > 0).then_some(self.block.view()))
    }
}

/// A target u whose first components are -1 or +1 and whose others are 0, normalised; x uniform in a
/// cube, normalised, drawn again while |u.x| is below the margin (docs/theory/README.md#streams-of-the-papers).
#[derive(Clone, Debug)]
struct SparseTarget {
    target: Vec<f64>,
    margin: f64,
    draw: Vec<f64>,
    x: Vec<f32>,
}

impl SparseTarget {
    fn new(settings: &GeneratorSettings, random: &mut SplitMix64) -> Result<Self, GenerateError> {
        let (n, relevant) = (settings.size("n"), settings.size("relevant"));
        settings.at_most("relevant", n as f64, "the number of features n")?;
        // u.x has a standard deviation of about 1/sqrt(n): beyond three of them we would draw for ever;
        // and where few features are relevant, it never exceeds sqrt(3 relevant/n) by much.
        let reach = (0.9 * (3.0 * relevant as f64).sqrt()).min(3.0) / (n as f64).sqrt();
        settings.at_most(
            "margin",
            reach,
            "3/sqrt(n), or less where few features are relevant: rows are hardly ever farther away",
        )?;
        let size = 1.0 / (relevant as f64).sqrt();
        let mut own = settings.target().map(SplitMix64::new);
        let random = own.as_mut().unwrap_or(random);
        let mut sign = || if random.uniform() < 0.5 { -size } else { size };
        let target = (0..relevant).map(|_| sign()).collect();
        let margin = settings.real("margin");
        Ok(SparseTarget {
            target,
            margin,
            draw: vec![0.0; n],
            x: vec![0.0; n],
        })
    }

    /// Adds the next row's values and says whether u.x >= 0.
    fn row(&mut self, random: &mut SplitMix64, out: &mut Rows) -> bool {
        loop {
            self.draw.fill_with(|| 2.0 * random.uniform() - 1.0);
            let norm = self.draw.iter().map(|v| v * v).sum::<f64>().sqrt();
            if norm == 0.0 {
                continue;
            }
            for (x, v) in self.x.iter_mut().zip(&self.draw) {
                *x = (v / norm) as f32;
            }
            // Of the rounded values, so that noise-free data is separable as it stands.
            let dot: f64 = self
                .target
                .iter()
                .zip(&self.x)
                .map(|(u, &x)| u * f64::from(x))
                .sum();
            if dot.abs() >= self.margin {
                push_dense(out, &self.x);
                return dot >= 0.0;
            }
        }
    }
}

/// x normal with variances (dominant, 1, ..., 1); the label is the sign of one component, which is
/// drawn again while its magnitude is below the gap (docs/theory/README.md#streams-of-the-papers).
#[derive(Clone, Debug)]
struct Ellipse {
    deviation: f64,
    direction: usize,
    gap: f64,
    /// Sine and cosine of the angle by which features 1 and 2 are turned.
    turn: (f64, f64),
    x: Vec<f32>,
}

impl Ellipse {
    fn new(settings: &GeneratorSettings) -> Result<Self, GenerateError> {
        let deviation = settings.real("dominant").sqrt();
        let direction = settings.size("direction") - 1;
        let reach = if direction == 0 { 3.0 * deviation } else { 3.0 };
        settings.at_most("gap", reach, "three standard deviations")?;
        let x = vec![0.0; settings.size("d")];
        Ok(Ellipse {
            deviation,
            direction,
            gap: settings.real("gap"),
            turn: libm::sincos(settings.real("angle").to_radians()),
            x,
        })
    }

    fn row(&mut self, random: &mut SplitMix64, out: &mut Rows) -> bool {
        for pair in self.x.chunks_mut(2) {
            let normals = normal_pair(random);
            for (x, z) in pair.iter_mut().zip(normals) {
                *x = z as f32;
            }
        }
        let scale = [self.deviation, 1.0][self.direction];
        self.x[0] = (f64::from(self.x[0]) * self.deviation) as f32;
        // Components are independent, so drawing this one again is drawing the row again.
        while f64::from(self.x[self.direction].abs()) < self.gap {
            self.x[self.direction] = (normal_pair(random)[0] * scale) as f32;
        }
        let positive = self.x[self.direction] >= 0.0;
        if self.turn.0 != 0.0 {
            let ((sin, cos), [first, second]) = (self.turn, [self.x[0], self.x[1]].map(f64::from));
            self.x[0] = (cos * first - sin * second) as f32;
            self.x[1] = (sin * first + cos * second) as f32;
        }
        push_dense(out, &self.x);
        positive
    }
}

fn push_dense(out: &mut Rows, x: &[f32]) {
    for (slot, &v) in (1..).zip(x) {
        out.push(slot, v);
    }
}

/// Two independent standard normals (Box and Muller 1958).
fn normal_pair(random: &mut SplitMix64) -> [f64; 2] {
    let radius = (-2.0 * libm::log(1.0 - random.uniform())).sqrt();
    let (sin, cos) = libm::sincos(std::f64::consts::TAU * random.uniform());
    [radius * cos, radius * sin]
}
