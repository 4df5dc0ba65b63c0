//! Random streams of every kind the learners will meet.

use novikoff::Row;
use novikoff::random::SplitMix64;

/// A row with its label.
#[derive(Clone, Debug)]
pub struct Sample {
    /// Slots that strictly increase.
    pub index: Vec<u32>,
    /// A value for each.
    pub value: Vec<f32>,
    /// What all values are multiplied by.
    pub scale: f64,
    /// y = +1.
    pub positive: bool,
    /// Its number in the stream.
    pub id: Option<u64>,
}

impl Sample {
    /// A row of scale 1; zeros are kept as they are.
    pub fn new(index: Vec<u32>, value: Vec<f32>, positive: bool) -> Self {
        Sample {
            index,
            value,
            scale: 1.0,
            positive,
            id: None,
        }
    }

    /// The row.
    pub fn row(&self) -> Row<'_> {
        let row = Row::sparse(&self.index, &self.value);
        if self.scale == 1.0 {
            row
        } else {
            row.scaled(self.scale)
        }
    }

    /// Divides the row by its p-norm, if it has one.
    pub fn divide_by_norm(&mut self, p: f64) {
        let norm = self.row().norm(p);
        if norm > 0.0 {
            self.scale /= norm;
        }
    }

    /// -1 or +1.
    pub fn y(&self) -> f64 {
        if self.positive { 1.0 } else { -1.0 }
    }

    /// The row as a plain vector of `slots` numbers.
    pub fn dense(&self, slots: usize) -> Vec<f64> {
        let mut x = vec![0.0; slots];
        for (&j, &v) in self.index.iter().zip(&self.value) {
            x[j as usize] = self.scale * f64::from(v);
        }
        x
    }
}

/// Rows in order.
#[derive(Clone, Debug)]
pub struct Stream {
    /// What it is, for messages.
    pub name: String,
    /// Highest slot.
    pub width: u32,
    /// The rows.
    pub samples: Vec<Sample>,
    /// All sums of its values are exact in f64.
    pub exact: bool,
    /// The hyperplane the labels came from, by slot.
    pub planted: Vec<f64>,
}

impl Stream {
    /// Rows made for one test.
    pub fn of(name: &str, width: u32, samples: Vec<Sample>) -> Self {
        let planted = vec![0.0; width as usize + 1];
        Stream {
            name: name.to_owned(),
            width,
            samples,
            exact: false,
            planted,
        }
    }

    /// How many slots a vector needs.
    pub fn slots(&self) -> usize {
        self.width as usize + 1
    }

    /// All rows as plain vectors with y.
    pub fn plain(&self) -> Vec<(Vec<f64>, f64)> {
        self.samples
            .iter()
            .map(|s| (s.dense(self.slots()), s.y()))
            .collect()
    }

    /// The rows divided by their p-norms, for the higher-order perceptron.
    #[must_use]
    pub fn unit(mut self, p: f64) -> Self {
        self.samples.iter_mut().for_each(|s| s.divide_by_norm(p));
        self.exact = false;
        self.name = format!("{}, of {p}-norm 1", self.name);
        self
    }

    /// The rows without signs, for Winnow.
    #[must_use]
    pub fn non_negative(mut self) -> Self {
        for value in self.samples.iter_mut().flat_map(|s| &mut s.value) {
            *value = value.abs();
        }
        self.name += ", absolute";
        self
    }
}

/// What the rows look like.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// All features, Gaussian, sometimes normalised by a scale.
    Dense,
    /// A few of many features, the constant one sometimes among them.
    Sparse,
    /// A few of many features, all 1.
    Binary,
    /// Small integers.
    Integer,
    /// Magnitudes from 1e-4 to 1e4.
    Wide,
    /// A handful of rows again and again, labels mostly fixed.
    Repeated,
    /// A handful of rows of very different size with random labels: large weights come and vanish.
    Swings,
    /// New features appear all the time.
    Growing,
    /// Everything is small: 1e-6 to 1e-12.
    Tiny,
    /// Everything is large: 1e6 to 1e12.
    Huge,
}

/// All of them.
pub const KINDS: &[Kind] = &[
    Kind::Dense,
    Kind::Sparse,
    Kind::Binary,
    Kind::Integer,
    Kind::Wide,
    Kind::Repeated,
    Kind::Swings,
    Kind::Growing,
    Kind::Tiny,
    Kind::Huge,
];

/// Sizes within a few powers of ten.
pub const MODERATE: &[Kind] = &[
    Kind::Dense,
    Kind::Sparse,
    Kind::Binary,
    Kind::Integer,
    Kind::Repeated,
    Kind::Growing,
    Kind::Tiny,
];

/// Sizes of very different orders within one run, or far from 1.
pub const EXTREME: &[Kind] = &[Kind::Wide, Kind::Swings, Kind::Huge];

/// Standard normal, by the polar-free Box-Muller formula.
pub fn gaussian(g: &mut SplitMix64) -> f64 {
    let radius = (-2.0 * libm::log(1.0 - g.uniform())).sqrt();
    radius * libm::cos(std::f64::consts::TAU * g.uniform())
}

/// -1 or +1.
pub fn sign(g: &mut SplitMix64) -> f32 {
    if g.next_u64() & 1 == 0 { 1.0 } else { -1.0 }
}

fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

/// Some of the slots `0..=width`, in order, at least one.
pub fn some_slots(g: &mut SplitMix64, width: u32, share: f64) -> Vec<u32> {
    let mut slots: Vec<u32> = (0..=width).filter(|_| g.uniform() < share).collect();
    if slots.is_empty() {
        slots.push(g.below(width as usize + 1) as u32);
    }
    slots
}

fn draw(g: &mut SplitMix64, kind: Kind, width: u32, progress: f64) -> (Vec<u32>, Vec<f32>) {
    let share = (4.0 + 8.0 * g.uniform()) / f64::from(width);
    let index = match kind {
        Kind::Dense => (1..=width).collect(),
        Kind::Growing => some_slots(g, 3 + (progress * f64::from(width - 3)) as u32, share),
        Kind::Swings => some_slots(g, width, 0.4),
        _ => some_slots(g, width, share),
    };
    let value = index.iter().map(|_| match kind {
        Kind::Binary => 1.0,
        Kind::Integer => sign(g) * (1 + g.below(4)) as f32,
        Kind::Wide => sign(g) * libm::pow(10.0, 8.0 * g.uniform() - 4.0) as f32,
        _ => gaussian(g) as f32,
    });
    let mut value: Vec<f32> = value.collect();
    if kind == Kind::Swings {
        let size = libm::pow(10.0, 7.0 * g.uniform() - 2.0) as f32;
        for v in &mut value {
            *v *= size;
        }
    }
    (index, value)
}

/// A stream of `n` rows; a third of the seeds is separable, a third noisy, a third has random labels.
pub fn stream(kind: Kind, seed: u64, n: usize) -> Stream {
    let mut g = SplitMix64::new(seed ^ ((kind as u64) << 40));
    let width = match kind {
        Kind::Dense => 2 + g.below(18) as u32,
        Kind::Swings => 4 + g.below(6) as u32,
        _ => 10 + g.below(90) as u32,
    };
    // a sparse target half of the time
    let keep = if g.uniform() < 0.5 { 1.0 } else { 0.3 };
    let planted: Vec<f64> = (0..=width)
        .map(|_| {
            if g.uniform() < keep {
                gaussian(&mut g)
            } else {
                0.0
            }
        })
        .collect();
    let noise = [0.0, 0.15, 0.5][(seed % 3) as usize];
    let gap = if seed.is_multiple_of(3) { 0.03 } else { 0.0 };
    let pool = match kind {
        Kind::Repeated => 5 + g.below(30),
        Kind::Swings => 12,
        _ => 0,
    };
    let size = match kind {
        Kind::Tiny => libm::pow(10.0, -6.0 - 6.0 * g.uniform()) as f32,
        Kind::Huge => libm::pow(10.0, 6.0 + 6.0 * g.uniform()) as f32,
        _ => 1.0,
    };
    let scaled = matches!(kind, Kind::Dense | Kind::Sparse) && g.uniform() < 0.5;
    let mut samples: Vec<Sample> = Vec::new();
    while samples.len() < n {
        if pool > 0 && samples.len() >= pool {
            let mut again = samples[g.below(pool)].clone();
            again.positive ^= g.uniform() < noise;
            samples.push(again);
            continue;
        }
        let (index, mut value) = draw(&mut g, kind, width, samples.len() as f64 / n as f64);
        for v in &mut value {
            *v *= size;
        }
        let mut sample = Sample::new(index, value, true);
        if scaled {
            sample.scale = 1.0 / sample.row().norm(2.0);
        }
        let x = sample.dense(width as usize + 1);
        let (inner, length) = (dot(&planted, &x), dot(&x, &x).sqrt());
        if length == 0.0 || inner.abs() < gap * length {
            // too near the hyperplane (or no row at all): move it away, or try another
            if g.uniform() < 0.95 {
                continue;
            }
            sample = Sample::new(vec![1], vec![1.0], true);
        }
        sample.positive = dot(&planted, &sample.dense(planted.len())) >= 0.0;
        sample.positive ^= g.uniform() < noise;
        samples.push(sample);
    }
    for (number, sample) in samples.iter_mut().enumerate() {
        sample.id = Some(number as u64);
    }
    let exact = matches!(kind, Kind::Binary | Kind::Integer);
    let name = format!("{kind:?} seed {seed}, d = {width}, noise {noise}");
    Stream {
        name,
        width,
        samples,
        exact,
        planted,
    }
}
