//! Random Fourier features of the Gaussian kernel.
//!
//! Update: none. With F = dim/2 frequencies, w_k of normal numbers times `sqrt(2 gamma)`: feature k is `cos(w_k.x)/sqrt(F)` and
//! feature F + k is `sin(w_k.x)/sqrt(F)`. The inner product of two mapped rows is in expectation `exp(-gamma |x-z|^2)`, its deviation is at
//! most `1/sqrt(F)`, and every mapped row has length 1. Frequencies are orthogonal to each other in blocks ([`orthogonal`](super::orthogonal)), which makes the
//! deviation smaller; maps that were saved before are of independent ones.
//! Cost: F products per value of the row, F cosines and sines; 4 F bytes per feature of the data that was met.
//! Paper: Rahimi, Recht, "Random features for large-scale kernel machines", NIPS 2007; in pairs of cosine and sine, whose deviation is smaller:
//! Sutherland, Schneider, "On the error of random Fourier features", UAI 2015.
//!
//! The normal numbers of a feature are a function of the seed, the number of the feature and how large blocks are, so they can be drawn at any
//! time and in any order, and nothing else of them is stored in models.

use std::sync::{PoisonError, RwLock};

use foldhash::fast::FixedState;
use hashbrown::HashMap;

use super::orthogonal;
use super::sincos::cosines_and_sines;
use crate::random::SplitMix64;
use crate::row::Row;
use crate::simd::{Products, wide_products};
use crate::state::{State, StateError};

/// Frequencies that are summed up together.
const WIDE: usize = 16;

/// The array that has the size of blocks.
const BLOCK: &str = "fourier-block";

fn frequencies(dim: usize) -> usize {
    (dim / 2).max(1)
}

/// How frequencies are drawn.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Draws {
    /// Each by itself.
    Independent,
    /// Orthogonal to the others of its block, which has this many.
    Orthogonal(usize),
}

/// The map.
#[derive(Debug)]
pub(super) struct Fourier {
    /// F, at least 1.
    frequencies: usize,
    gamma: f64,
    seed: u64,
    draws: Draws,
    /// Bytes for normal numbers that are kept.
    memory: u128,
    drawn: RwLock<DrawnWaves>,
}

/// The normal numbers of the features that were met.
#[derive(Debug, Default)]
struct DrawnWaves {
    /// Where those of a slot are.
    places: HashMap<u32, u32, FixedState>,
    /// F of them each, and zeros up to a multiple of [`WIDE`].
    waves: Vec<Box<[f32]>>,
}

/// Memory that every row uses again.
#[derive(Clone, Debug, Default)]
pub(super) struct FourierBuffer {
    /// Where the normal numbers of each value are; those that are not kept come behind them.
    places: Vec<u32>,
    /// Values as stored.
    values: Vec<f32>,
    /// Normal numbers that are not kept.
    spare: Vec<f32>,
}

impl Fourier {
    pub(super) fn new(dim: usize, gamma: f64, seed: u64, draws: Draws, memory: u128) -> Self {
        Fourier {
            frequencies: frequencies(dim),
            gamma,
            seed,
            draws,
            memory,
            drawn: RwLock::default(),
        }
    }

    /// For rows whose highest slot is `width`, if that is known.
    pub(super) fn orthogonal(
        dim: usize,
        gamma: f64,
        seed: u64,
        width: Option<usize>,
        memory: u128,
    ) -> Self {
        let block = orthogonal::block_for(width, frequencies(dim));
        Self::new(dim, gamma, seed, Draws::Orthogonal(block), memory)
    }

    /// Adds to a state how frequencies are drawn; independent ones say nothing, as they did before there were others.
    pub(super) fn save(&self, out: &mut State<'_>) {
        if let Draws::Orthogonal(block) = self.draws {
            out.put_u64(BLOCK, vec![block as u64]);
        }
    }

    /// Takes it out again.
    pub(super) fn load(
        dim: usize,
        gamma: f64,
        seed: u64,
        memory: u128,
        from: &mut State<'static>,
    ) -> Result<Self, StateError> {
        if from.count(BLOCK) == 0 {
            return Ok(Self::new(dim, gamma, seed, Draws::Independent, memory));
        }
        let [block] = from.take_counts::<1>(BLOCK)?;
        let block = usize::try_from(block).unwrap_or(usize::MAX);
        let allowed = orthogonal::LEAST_BLOCK..=orthogonal::MOST_BLOCK;
        if !allowed.contains(&block) || !block.is_power_of_two() {
            return Err(from.bad(BLOCK, "no size of a block"));
        }
        Ok(Self::new(
            dim,
            gamma,
            seed,
            Draws::Orthogonal(block),
            memory,
        ))
    }

    /// Whether it draws as another does.
    pub(super) fn same(&self, other: &Self) -> bool {
        self.draws == other.draws
    }

    /// How many features there are.
    pub(super) fn features(&self) -> usize {
        2 * self.frequencies
    }

    /// Normal numbers of a slot, for frequency 1, 2, ...
    fn draw(&self, slot: u32, out: &mut [f32]) {
        match self.draws {
            Draws::Independent => self.draw_independent(slot, out),
            Draws::Orthogonal(block) => {
                orthogonal::draw(self.seed, block, slot, &mut out[..self.frequencies]);
            }
        }
    }

    /// Box and Muller's, from pairs of uniform numbers.
    fn draw_independent(&self, slot: u32, out: &mut [f32]) {
        let seed = SplitMix64::new(self.seed).next_u64();
        let own = SplitMix64::new(u64::from(slot)).next_u64();
        let mut random = SplitMix64::new(seed ^ own);
        for pair in out[..self.frequencies].chunks_mut(2) {
            let (u, v) = (1.0 - random.uniform(), random.uniform());
            let length = (-2.0 * libm::log(u)).sqrt();
            let (sine, cosine) = libm::sincos(std::f64::consts::TAU * v);
            for (out, number) in pair.iter_mut().zip([length * cosine, length * sine]) {
                *out = number as f32;
            }
        }
    }

    /// The normal numbers of a slot, one per frequency.
    pub(super) fn normal_numbers(&self, slot: u32) -> Vec<f32> {
        let mut numbers = vec![0.0; self.frequencies];
        self.draw(slot, &mut numbers);
        numbers
    }

    /// Numbers kept per slot.
    fn width(&self) -> usize {
        self.frequencies.next_multiple_of(WIDE)
    }

    /// Notes where the normal numbers of the row's values are. Those that are not kept are drawn into the buffer.
    fn gather(&self, x: Row<'_>, buffer: &mut FourierBuffer) {
        let FourierBuffer {
            places,
            values,
            spare,
        } = buffer;
        places.clear();
        values.clear();
        spare.clear();
        let drawn = self.drawn.read().unwrap_or_else(PoisonError::into_inner);
        let mut missing = false;
        for (slot, value) in x.stored().1 {
            let place = drawn.places.get(&slot);
            missing |= place.is_none();
            places.push(place.copied().unwrap_or(u32::MAX));
            values.push(value);
        }
        drop(drawn);
        if !missing {
            return;
        }
        let mut drawn = self.drawn.write().unwrap_or_else(PoisonError::into_inner);
        let width = self.width();
        for (place, (slot, _)) in places.iter_mut().zip(x.stored().1) {
            if *place != u32::MAX {
                continue;
            }
            if let Some(&other) = drawn.places.get(&slot) {
                *place = other;
                continue;
            }
            let kept = drawn.waves.len();
            // a box, its place and the entry of the table take some 32 bytes
            if (kept as u128 + 1) * (4 * width as u128 + 32) <= self.memory {
                let mut waves = vec![0.0; width].into_boxed_slice();
                self.draw(slot, &mut waves);
                drawn.waves.push(waves);
                *place = kept as u32;
                drawn.places.insert(slot, kept as u32);
            } else {
                let start = spare.len();
                spare.resize(start + width, 0.0);
                self.draw(slot, &mut spare[start..]);
            }
        }
    }

    /// Writes the mapped row.
    pub(super) fn apply(&self, x: Row<'_>, buffer: &mut FourierBuffer, out: &mut [f32]) {
        self.gather(x, buffer);
        let drawn = self.drawn.read().unwrap_or_else(PoisonError::into_inner);
        let factor = (2.0 * self.gamma).sqrt() * x.stored().0;
        wide_products(
            #[inline(always)]
            |products| self.features_of(products, factor, &drawn.waves, buffer, out),
        );
    }

    #[inline(always)]
    fn features_of(
        &self,
        products: Products,
        factor: f64,
        waves: &[Box<[f32]>],
        buffer: &FourierBuffer,
        out: &mut [f32],
    ) {
        let length = 1.0 / (self.frequencies as f64).sqrt();
        let width = self.width();
        let (cosines, sines) = out.split_at_mut(self.frequencies);
        let mut start = 0;
        while start < self.frequencies {
            let mut sums = [0.0; WIDE];
            let mut spare = buffer.spare.chunks_exact(width);
            for (&place, &value) in buffer.places.iter().zip(&buffer.values) {
                let own = match place {
                    u32::MAX => spare.next().unwrap_or_default(),
                    place => &waves[place as usize],
                };
                let own: &[f32] = &own[start..start + WIDE];
                for (sum, &wave) in sums.iter_mut().zip(own) {
                    *sum = products.add(*sum, value, wave);
                }
            }
            for sum in &mut sums {
                *sum *= factor;
            }
            let (c, s) = cosines_and_sines(&sums);
            let end = (start + WIDE).min(self.frequencies);
            for (k, (cosine, sine)) in cosines[start..end]
                .iter_mut()
                .zip(&mut sines[start..end])
                .enumerate()
            {
                *cosine = (length * c[k]) as f32;
                *sine = (length * s[k]) as f32;
            }
            start += WIDE;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn mapped(map: &Fourier, x: Row<'_>) -> Vec<f32> {
        let mut out = vec![0.0; map.features()];
        map.apply(x, &mut FourierBuffer::default(), &mut out);
        out
    }

    /// By the formula: one normal number at a time, sums in the order of the row.
    fn slow(map: &Fourier, x: Row<'_>) -> Vec<f32> {
        let frequencies = map.frequencies;
        let mut sums = vec![0.0; frequencies];
        for (slot, value) in x.iter() {
            let seed =
                SplitMix64::new(map.seed).next_u64() ^ SplitMix64::new(slot as u64).next_u64();
            let mut random = SplitMix64::new(seed);
            let uniform: Vec<f64> = (0..2 * frequencies).map(|_| random.uniform()).collect();
            for (k, sum) in sums.iter_mut().enumerate() {
                let (u, v) = (uniform[k / 2 * 2], uniform[k / 2 * 2 + 1]);
                let turn = std::f64::consts::TAU * v;
                let turn = if k % 2 == 0 {
                    libm::cos(turn)
                } else {
                    libm::sin(turn)
                };
                let normal = (-2.0 * libm::log(1.0 - u)).sqrt() * turn;
                *sum += value * f64::from(normal as f32);
            }
        }
        let argument = |sum: &f64| (2.0 * map.gamma).sqrt() * sum;
        let length = 1.0 / (frequencies as f64).sqrt();
        let cosines = sums
            .iter()
            .map(|s| (length * libm::cos(argument(s))) as f32);
        let sines = sums
            .iter()
            .map(|s| (length * libm::sin(argument(s))) as f32);
        cosines.chain(sines).collect()
    }

    fn random_row(random: &mut SplitMix64) -> (Vec<u32>, Vec<f32>) {
        let index: Vec<u32> = (1..40).filter(|_| random.uniform() < 0.3).collect();
        let value = index.iter().map(|_| random.uniform() as f32 * 4.0 - 2.0);
        let value = value.collect();
        (index, value)
    }

    #[test]
    fn features_are_those_of_the_formula() {
        let mut random = SplitMix64::new(1);
        for dim in [2, 10, 32, 70] {
            let map = Fourier::new(dim, 0.3, 7, Draws::Independent, 1 << 20);
            // nothing is kept
            let bare = Fourier::new(dim, 0.3, 7, Draws::Independent, 0);
            for _ in 0..50 {
                let (index, value) = random_row(&mut random);
                let x = Row::sparse(&index, &value).scaled(0.5);
                let (fast, slow) = (mapped(&map, x), slow(&map, x));
                assert_eq!(fast.len(), dim);
                for (fast, slow) in fast.iter().zip(&slow) {
                    assert!((fast - slow).abs() <= 1e-7, "{fast} {slow}");
                }
                assert_eq!(fast, mapped(&bare, x), "kept or not");
            }
        }
    }

    #[test]
    fn some_normal_numbers_are_kept_and_others_drawn_again() {
        let mut random = SplitMix64::new(2);
        let (whole, part) = (
            Fourier::new(64, 1.0, 3, Draws::Orthogonal(64), 1 << 20),
            // room for five features
            Fourier::new(64, 1.0, 3, Draws::Orthogonal(64), 5 * (4 * 32 + 32)),
        );
        for _ in 0..50 {
            let (index, value) = random_row(&mut random);
            let x = Row::sparse(&index, &value);
            assert_eq!(mapped(&whole, x), mapped(&part, x));
        }
        let kept = part.drawn.read().unwrap_or_else(PoisonError::into_inner);
        assert_eq!((kept.waves.len(), kept.places.len()), (5, 5));
    }

    /// The mean squared distance of inner products from the kernel, and the largest distance, over pairs of random rows.
    fn errors(map: &Fourier, gamma: f64) -> (f64, f64) {
        let mut random = SplitMix64::new(5);
        let (mut squares, mut worst, pairs) = (0.0, 0.0_f64, 200);
        for _ in 0..pairs {
            let (a, b) = (random_row(&mut random), random_row(&mut random));
            let (x, z) = (Row::sparse(&a.0, &a.1), Row::sparse(&b.0, &b.1));
            let distance = x.norm_sq() + z.norm_sq() - 2.0 * x.inner(&z);
            let kernel = libm::exp(-gamma * distance);
            let (x, z) = (mapped(map, x), mapped(map, z));
            let inner = |x: &[f32], z: &[f32]| {
                let products = x.iter().zip(z);
                products
                    .map(|(a, b)| f64::from(*a) * f64::from(*b))
                    .sum::<f64>()
            };
            let error = inner(&x, &z) - kernel;
            (squares, worst) = (squares + error * error, worst.max(error.abs()));
            assert!((inner(&x, &x) - 1.0).abs() < 1e-6);
        }
        (squares / f64::from(pairs), worst)
    }

    #[test]
    fn inner_products_are_near_the_kernel() {
        let (gamma, dim) = (0.05, 4000);
        for draws in [Draws::Independent, Draws::Orthogonal(64)] {
            let map = Fourier::new(dim, gamma, 0, draws, 1 << 30);
            let (_, worst) = errors(&map, gamma);
            // four deviations of 1/sqrt(2000)
            assert!(worst < 0.09, "{draws:?}: {worst}");
            assert!(worst > 1e-4, "nothing is as near as that");
        }
    }

    #[test]
    fn orthogonal_frequencies_are_nearer_to_the_kernel() {
        let (gamma, dim) = (0.02, 128);
        let mean = |draws: Draws| {
            let of_seed = |seed| errors(&Fourier::new(dim, gamma, seed, draws, 1 << 30), gamma).0;
            (0..10).map(of_seed).sum::<f64>() / 10.0
        };
        let (independent, orthogonal) = (mean(Draws::Independent), mean(Draws::Orthogonal(64)));
        assert!(orthogonal < 0.7 * independent, "{orthogonal} {independent}");
    }
}
