//! Sorting the values of one row by slot.

/// Rows shorter than this are sorted by comparing: counting would cost more than it saves.
const FEW: usize = 32;

/// Sorts by slot; values of the same slot stay in order. `spare` is overwritten.
///
/// Rows of usual lengths are sorted by the bytes of their slots, lowest first: twice as fast as by
/// comparing, as nothing has to be guessed.
pub(super) fn by_slot(values: &mut Vec<(u32, f32)>, spare: &mut Vec<(u32, f32)>) {
    if values.len() < FEW || values.len() > usize::from(u16::MAX) {
        values.sort_by_key(|&(slot, _)| slot);
        return;
    }
    // how many slots have each byte at each place
    let mut counts = [[0_u16; 256]; 4];
    let mut bits = 0;
    for &(slot, _) in &*values {
        let [first, second, ..] = slot.to_le_bytes();
        counts[0][usize::from(first)] += 1;
        counts[1][usize::from(second)] += 1;
        bits |= slot;
    }
    if bits > 0xffff {
        for &(slot, _) in &*values {
            let [.., third, fourth] = slot.to_le_bytes();
            counts[2][usize::from(third)] += 1;
            counts[3][usize::from(fourth)] += 1;
        }
    }
    spare.resize(values.len(), (0, 0.0));
    for (place, counts) in counts.iter_mut().enumerate() {
        if bits >> (8 * place) == 0 {
            break;
        }
        let mut before = 0;
        for count in &mut *counts {
            before += std::mem::replace(count, before);
        }
        for &(slot, value) in &*values {
            let at = &mut counts[usize::from(slot.to_le_bytes()[place])];
            spare[usize::from(*at)] = (slot, value);
            *at += 1;
        }
        std::mem::swap(values, spare);
    }
}

#[cfg(test)]
mod tests {
    use super::by_slot;
    use crate::random::SplitMix64;

    #[test]
    fn it_is_a_stable_sort() {
        let mut random = SplitMix64::new(1);
        let mut spare = Vec::new();
        for len in (0..100).chain([1000, 65_535, 65_536]) {
            for width in [1, 200, 300, 65_535, 65_536, 1 << 20, u64::from(u32::MAX)] {
                let slot = |_| (random.next_u64() % width) as u32;
                let slots: Vec<u32> = (0..len).map(slot).collect();
                let mut values: Vec<(u32, f32)> =
                    slots.into_iter().zip((0..len).map(|k| k as f32)).collect();
                let mut sorted = values.clone();
                sorted.sort_by_key(|&(slot, _)| slot);
                by_slot(&mut values, &mut spare);
                assert_eq!(values, sorted);
            }
        }
    }
}
