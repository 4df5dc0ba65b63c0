//! Normal numbers for frequencies that are orthogonal to each other, in blocks.
//!
//! The slots are cut into groups of B, the frequencies into blocks of B, where B is a power of 2. For a group and a block the frequencies are the
//! rows of `S H D1 H D2 H D3 / B`: H is Hadamard's matrix, the D are diagonals of random signs, and S has the length of a normal vector of B
//! numbers over `sqrt(B)`. So each frequency is nearly a normal vector, as independent draws are, but those of a block are orthogonal to each
//! other: they look into different directions, and the inner products of mapped rows deviate less from the kernel. A row of fewer features than B
//! has the first ones of each frequency, which are orthogonal as far as they are many.
//! Paper: Yu, Suresh, Choromanski, Holtmann-Rice, Kumar, "Orthogonal random features", NIPS 2016 (with S, which is 1 in its structured form).

use crate::random::SplitMix64;

/// The least B: with fewer signs, their sums are no normal numbers.
pub(super) const LEAST_BLOCK: usize = 64;

/// The most frequencies that there are.
pub(super) const MOST_BLOCK: usize = 32_768;

/// B for rows whose highest slot is `width`, if that is known, and this number of frequencies.
pub(super) fn block_for(width: Option<usize>, frequencies: usize) -> usize {
    let enough = frequencies.next_power_of_two();
    let block = width.map_or(enough, |width| (width + 1).next_power_of_two().min(enough));
    block.clamp(LEAST_BLOCK, MOST_BLOCK)
}

/// The numbers of a slot, for frequency 1, 2, ...
pub(super) fn draw(seed: u64, block: usize, slot: u32, out: &mut [f32]) {
    let (group, place) = (slot as usize / block, slot as usize % block);
    let seed = SplitMix64::new(seed).next_u64();
    let mut column = vec![0.0; block];
    for (number, out) in out.chunks_mut(block).enumerate() {
        let own = SplitMix64::new((group as u64) << 32 | number as u64).next_u64();
        let mut random = SplitMix64::new(seed ^ own);
        let [first, second, third] = [(); 3].map(|()| signs(block, &mut random));
        // the column of H D3 is one of H, with a sign
        for (i, value) in column.iter_mut().enumerate() {
            let is_negative = (i & place).count_ones() % 2 == 1;
            *value = third[place] * second[i] * if is_negative { -1.0 } else { 1.0 };
        }
        hadamard(&mut column);
        for (value, sign) in column.iter_mut().zip(&first) {
            *value *= sign;
        }
        hadamard(&mut column);
        for (out, value) in out.iter_mut().zip(&column) {
            *out = (value / block as f64 * length(block, &mut random)) as f32;
        }
    }
}

fn signs(count: usize, random: &mut SplitMix64) -> Vec<f64> {
    let mut signs = Vec::with_capacity(count);
    // the count is a power of 2, and at least 64
    for _ in 0..count / 64 {
        let bits = random.next_u64();
        signs.extend((0..64).map(|bit| if bits >> bit & 1 == 1 { -1.0 } else { 1.0 }));
    }
    signs
}

/// The norm of a random normal vector with `numbers` coordinates, divided by the root of `numbers`: Wilson's and Hilferty's approximation, which errs by less than 1e-3 from 64 coordinates on.
fn length(numbers: usize, random: &mut SplitMix64) -> f64 {
    let (u, v) = (1.0 - random.uniform(), random.uniform());
    let normal = (-2.0 * libm::log(u)).sqrt() * libm::cos(std::f64::consts::TAU * v);
    let share = 2.0 / (9.0 * numbers as f64);
    let cube = (1.0 - share + normal * share.sqrt()).max(0.0);
    cube * cube.sqrt()
}

/// Multiplies by Hadamard's matrix, in place; the length is a power of 2.
fn hadamard(values: &mut [f64]) {
    let mut half = 1;
    while half < values.len() {
        for pair in values.chunks_exact_mut(2 * half) {
            let (low, high) = pair.split_at_mut(half);
            for (a, b) in low.iter_mut().zip(high) {
                (*a, *b) = (*a + *b, *a - *b);
            }
        }
        half *= 2;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The frequencies of a group and a block, by the matrices.
    fn slow(seed: u64, block: usize, group: usize, number: usize) -> Vec<Vec<f64>> {
        let own = SplitMix64::new((group as u64) << 32 | number as u64).next_u64();
        let mut random = SplitMix64::new(SplitMix64::new(seed).next_u64() ^ own);
        let diagonals = [(); 3].map(|()| signs(block, &mut random));
        let lengths: Vec<f64> = (0..block).map(|_| length(block, &mut random)).collect();
        let entry = |i: usize, j: usize| {
            if (i & j).count_ones().is_multiple_of(2) {
                1.0
            } else {
                -1.0
            }
        };
        let identity = (0..block).map(|i| (0..block).map(|j| f64::from(i == j)).collect());
        let mut matrix: Vec<Vec<f64>> = identity.collect();
        for diagonal in diagonals {
            // matrix H D
            for row in &mut matrix {
                let product = |j: usize| (0..block).map(|i| row[i] * entry(i, j)).sum::<f64>();
                *row = (0..block).map(|j| product(j) * diagonal[j]).collect();
            }
        }
        for (row, length) in matrix.iter_mut().zip(lengths) {
            for value in row {
                *value *= length / block as f64;
            }
        }
        matrix
    }

    #[test]
    fn numbers_are_those_of_the_matrices() {
        let (seed, block, frequencies) = (7, 64, 100);
        for slot in [0_u32, 1, 5, 63, 64, 200] {
            let mut drawn = vec![0.0; frequencies];
            draw(seed, block, slot, &mut drawn);
            let (group, place) = (slot as usize / block, slot as usize % block);
            for (k, drawn) in drawn.iter().enumerate() {
                let want = slow(seed, block, group, k / block)[k % block][place];
                assert!((f64::from(*drawn) - want).abs() < 1e-6, "slot {slot}, {k}");
            }
        }
    }

    #[test]
    fn frequencies_of_a_block_are_orthogonal_and_as_long_as_normal_vectors() {
        let block = 128;
        let rows = slow(3, block, 2, 0);
        let inner = |a: &[f64], b: &[f64]| a.iter().zip(b).map(|(a, b)| a * b).sum::<f64>();
        let mut squares = 0.0;
        for (k, row) in rows.iter().enumerate() {
            for other in &rows[..k] {
                assert!(inner(row, other).abs() < 1e-9);
            }
            squares += inner(row, row);
        }
        // the mean of B squared lengths is B, with a deviation of sqrt(2)
        let mean = squares / block as f64;
        assert!((mean - block as f64).abs() < 6.0, "{mean}");
    }

    #[test]
    fn blocks_are_as_large_as_rows_and_frequencies() {
        assert_eq!(block_for(Some(784), 1000), 1024);
        assert_eq!(block_for(Some(64), 1000), 128);
        assert_eq!(block_for(Some(3), 1000), 64);
        assert_eq!(block_for(Some(100_000), 1000), 1024);
        assert_eq!(block_for(None, 200), 256);
        assert_eq!(block_for(None, 1), 64);
    }
}
