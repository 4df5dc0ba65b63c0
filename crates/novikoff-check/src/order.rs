//! The order of trials.

/// The rows in the order of their trials: epochs one after another, each in the order of the data or, with a seed, shuffled.
///
/// SplitMix64 of the seed gives uniform numbers u. Each epoch begins with the order of the data and goes from the last place i to the first:
/// it swaps place i with place `floor(u (i + 1))`. The generator runs on from epoch to epoch.
pub fn orders(rows: usize, epochs: u32, shuffle: Option<u64>) -> Vec<usize> {
    let mut state = shuffle;
    let mut all = Vec::new();
    for _ in 0..epochs {
        let mut order: Vec<usize> = (0..rows).collect();
        if let Some(state) = &mut state {
            for i in (1..rows).rev() {
                *state = state.wrapping_add(0x9E37_79B9_7F4A_7C15);
                let mut z = *state;
                z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
                z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
                z ^= z >> 31;
                let uniform = (z >> 11) as f64 / 9_007_199_254_740_992.0;
                order.swap(i, (uniform * (i + 1) as f64) as usize);
            }
        }
        all.append(&mut order);
    }
    all
}
