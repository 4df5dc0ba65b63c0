//! SplitMix64, the one generator of the project: its stream is part of every result.

/// SplitMix64 (Steele, Lea, Flood 2014).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SplitMix64(u64);

impl SplitMix64 {
    /// The stream of a seed.
    pub fn new(seed: u64) -> Self {
        SplitMix64(seed)
    }

    /// Where the stream stands: the seed that continues from here.
    pub fn position(&self) -> u64 {
        self.0
    }

    /// The next 64 bits.
    pub fn next_u64(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        z ^ (z >> 31)
    }

    /// Uniform in [0, 1).
    pub fn uniform(&mut self) -> f64 {
        (self.next_u64() >> 11) as f64 * 2.0_f64.powi(-53)
    }

    /// Uniform in 0 .. n.
    pub fn below(&mut self, n: usize) -> usize {
        (self.uniform() * n as f64) as usize
    }

    /// Fisher-Yates from the end.
    pub fn shuffle<T>(&mut self, items: &mut [T]) {
        for i in (1..items.len()).rev() {
            items.swap(i, self.below(i + 1));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn seed_zero_starts_as_published() {
        let mut g = SplitMix64::new(0);
        assert_eq!(g.next_u64(), 0xE220_A839_7B1D_CDAF);
        let mut same = SplitMix64::new(g.position());
        assert_eq!(g.next_u64(), 0x6E78_9E6A_A1B9_65F4);
        assert_eq!(same.next_u64(), 0x6E78_9E6A_A1B9_65F4);
    }

    #[test]
    fn shuffle_is_a_permutation_and_follows_its_definition() {
        let mut items: Vec<usize> = (0..100).collect();
        SplitMix64::new(7).shuffle(&mut items);
        let mut expected: Vec<usize> = (0..100).collect();
        let mut g = SplitMix64::new(7);
        for i in (1..100).rev() {
            let j = (g.uniform() * (i as f64 + 1.0)).floor() as usize;
            expected.swap(i, j);
        }
        assert_eq!(items, expected);
        items.sort_unstable();
        assert_eq!(items, (0..100).collect::<Vec<_>>());
    }
}
