//! Sorting the values of one row by slot.

/// Rows shorter than this are sorted by comparing: counting would cost more than it saves.
const FEW: usize = 32;

/// Memory that is kept from row to row.
#[derive(Clone, Debug, Default)]
pub(super) struct SortMemory {
    /// Slots and values, one number each.
    one: Vec<u64>,
    other: Vec<u64>,
}

fn packed(slot: u32, value: f32) -> u64 {
    u64::from(slot) << 32 | u64::from(value.to_bits())
}

fn unpacked(both: u64) -> (u32, f32) {
    ((both >> 32) as u32, f32::from_bits(both as u32))
}

/// How many have each byte; then, how many have a lower one.
type Counts = [u16; 256];

/// From how many have each byte to how many have a lower one: four sums at a time, by a multiplication.
fn count_up(counts: &mut Counts) {
    const ONES: u64 = 0x0001_0001_0001_0001;
    let mut before = 0_u64;
    for four in counts.as_chunks_mut::<4>().0 {
        let [a, b, c, d] = four.map(u64::from);
        let each = a | b << 16 | c << 32 | d << 48;
        // of each place: the sum up to it
        let sums = each.wrapping_mul(ONES);
        let lower = sums - each + before;
        *four = [0, 16, 32, 48].map(|by| (lower >> by) as u16);
        before += (sums >> 48) * ONES;
    }
}

/// Moves items to the places of their bytes.
#[inline(always)]
fn scatter(
    counts: &mut Counts,
    byte: u32,
    items: impl Iterator<Item = u64>,
    mut put: impl FnMut(usize, u64),
) {
    for item in items {
        let place = &mut counts[usize::from((item >> (32 + byte)) as u8)];
        put(usize::from(*place), item);
        *place += 1;
    }
}

/// Sorts by slot; values of the same slot stay in order.
///
/// Rows of usual lengths are sorted by the bytes of their slots, lowest first: twice as fast as by
/// comparing, as nothing has to be guessed.
pub(super) fn by_slot(index: &mut [u32], value: &mut [f32], memory: &mut SortMemory) {
    let len = index.len();
    let SortMemory { one, other } = memory;
    let both = || index.iter().zip(&*value).map(|(&j, &v)| packed(j, v));
    if len < FEW || len > usize::from(u16::MAX) {
        one.clear();
        one.extend(both());
        one.sort_by_key(|both| both >> 32);
        unpack(one, index, value);
        return;
    }
    let mut counts: [Counts; 2] = [[0; 256]; 2];
    let mut bits = 0;
    for &slot in &*index {
        let [first, second, ..] = slot.to_le_bytes();
        counts[0][usize::from(first)] += 1;
        counts[1][usize::from(second)] += 1;
        bits |= slot;
    }
    one.resize(len.max(one.len()), 0);
    let [first, second] = &mut counts;
    count_up(first);
    scatter(first, 0, both(), |place, item| one[place] = item);
    if bits >> 8 == 0 {
        unpack(&one[..len], index, value);
        return;
    }
    count_up(second);
    if bits >> 16 == 0 {
        let (index, value) = (&mut index[..len], &mut value[..len]);
        scatter(second, 8, one[..len].iter().copied(), |place, item| {
            (index[place], value[place]) = unpacked(item);
        });
        return;
    }
    other.resize(len.max(other.len()), 0);
    scatter(second, 8, one[..len].iter().copied(), |place, item| {
        other[place] = item;
    });
    let mut counts: [Counts; 2] = [[0; 256]; 2];
    for &slot in &*index {
        let [.., third, fourth] = slot.to_le_bytes();
        counts[0][usize::from(third)] += 1;
        counts[1][usize::from(fourth)] += 1;
    }
    let [third, fourth] = &mut counts;
    count_up(third);
    count_up(fourth);
    scatter(third, 16, other[..len].iter().copied(), |place, item| {
        one[place] = item;
    });
    scatter(fourth, 24, one[..len].iter().copied(), |place, item| {
        (index[place], value[place]) = unpacked(item);
    });
}

fn unpack(sorted: &[u64], index: &mut [u32], value: &mut [f32]) {
    for ((slot, value), &both) in index.iter_mut().zip(value).zip(sorted) {
        (*slot, *value) = unpacked(both);
    }
}

/// Adds up the values of the same slot, which are neighbours, within the range of `f32`, and leaves zeros out; says how many are left.
pub(super) fn add_up(index: &mut [u32], value: &mut [f32]) -> usize {
    if index.is_sorted_by(|a, b| a < b) {
        return index.len();
    }
    let (mut kept, mut at) = (0, 0);
    while at < index.len() {
        let slot = index[at];
        let mut sum = 0.0;
        while at < index.len() && index[at] == slot {
            sum += f64::from(value[at]);
            at += 1;
        }
        let sum = sum.clamp(f64::from(f32::MIN), f64::from(f32::MAX)) as f32;
        if sum != 0.0 {
            (index[kept], value[kept]) = (slot, sum);
            kept += 1;
        }
    }
    kept
}

#[cfg(test)]
mod tests {
    use super::{Counts, SortMemory, by_slot, count_up};
    use crate::random::SplitMix64;

    #[test]
    fn it_is_a_stable_sort() {
        let mut random = SplitMix64::new(1);
        let mut memory = SortMemory::default();
        for len in (0..100).chain([1000, 65_535, 65_536]) {
            for width in [1, 200, 300, 65_535, 65_536, 1 << 20, u64::from(u32::MAX)] {
                let slot = |_| (random.next_u64() % width) as u32;
                let mut index: Vec<u32> = (0..len).map(slot).collect();
                let mut value: Vec<f32> = (0..len).map(|k| k as f32).collect();
                let both = index.iter().copied().zip(value.iter().copied());
                let mut sorted: Vec<(u32, f32)> = both.collect();
                sorted.sort_by_key(|&(slot, _)| slot);
                by_slot(&mut index, &mut value, &mut memory);
                let got: Vec<(u32, f32)> = index.into_iter().zip(value).collect();
                assert_eq!(got, sorted, "{len} of {width}");
            }
        }
    }

    #[test]
    fn sums_are_of_all_lower_bytes() {
        let mut random = SplitMix64::new(2);
        for most in [1, 2, 255, 65_535] {
            let mut counts: Counts = [0; 256];
            for _ in 0..most {
                counts[random.below(256)] += 1;
            }
            let plain: Vec<u16> = (0..256).map(|k| counts[..k].iter().sum()).collect();
            count_up(&mut counts);
            assert_eq!(counts[..], plain);
        }
        // all in one place
        for place in [0, 3, 255] {
            let mut counts: Counts = [0; 256];
            counts[place] = u16::MAX;
            count_up(&mut counts);
            assert!((0..256).all(|k| counts[k] == if k > place { u16::MAX } else { 0 }));
        }
    }
}
