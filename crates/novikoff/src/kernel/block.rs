//! Kernel values of a block of rows with other rows, many at once.
//!
//! The rows of a block lie side by side, sixteen to a line of one slot, so that one pass over another row
//! gives sixteen inner products. Products of `f32` are exact in `f64` and are added in the order of the slots, so
//! every value has the bits of [`Kernel::value`]. Inner products of whole numbers - pixels, counts, zeros and ones - are exact in `f32` too
//! where they cannot be large, and twice as many fit into a register.

use foldhash::fast::FixedState;
use hashbrown::HashMap;

use super::{Kernel, RowFacts};
use crate::row::Row;
use crate::simd::{Products, wide_products};

/// Rows of a block that are evaluated together.
pub(crate) const WIDE: usize = 16;

/// Where `|x|^2 |z|^2` is at most this, the inner product of whole numbers and all sums on the way to it are at most 2^24, by Cauchy and
/// Schwarz: whole numbers that `f32` has.
const EXACT_IN_F32: f64 = (1_u64 << 48) as f64;

/// Such sums are exact in any order: this many of them are added up side by side, and none waits for another.
const CHAINS: usize = 4;

/// Lines per line that some row of the block has a value on, up to which every slot has a line, in the place of its number.
const PLACED: usize = 4;

/// Slots a value of the block for which a plain list says where their line is; beyond, a map does.
const LISTED: usize = 1 << 8;

/// Rows side by side, and what the kernel needs to know about them.
#[derive(Clone, Debug)]
pub(crate) struct KernelBlock {
    kernel: Kernel,
    len: usize,
    lines: SlotLines,
    groups: Vec<RowGroup>,
}

/// Up to sixteen rows.
#[derive(Clone, Debug)]
struct RowGroup {
    /// Line 0 is zero; line `i` has the values of the slot that `SlotLines` gives number i. As many as a power of two, if slots are placed.
    values: Vec<[f32; WIDE]>,
    scale: [f64; WIDE],
    constant: [f64; WIDE],
    norm_sq: [f64; WIDE],
    length: [f64; WIDE],
    /// The largest sum of squares of its rows as they are stored; infinity if one has a value that is no whole number.
    whole_sq: f64,
}

/// From slots to lines. Slots that no row of the block has are on line 0, or on one of zeros.
#[derive(Clone, Debug)]
enum SlotLines {
    /// A slot is the number of its line, if it is below the number of lines.
    Placed,
    List(Vec<u32>),
    Map(HashMap<u32, u32, FixedState>),
}

impl KernelBlock {
    /// A block of rows.
    pub(crate) fn new<'a>(kernel: Kernel, rows: impl Iterator<Item = Row<'a>> + Clone) -> Self {
        let slots = rows.clone().filter_map(|x| x.last_slot()).max();
        let slots = slots.map_or(0, |slot| slot as usize + 1);
        let values: usize = rows.clone().map(|x| x.len()).sum();
        let listed = slots <= LISTED * values;
        let (lines, count) = SlotLines::of(rows.clone(), listed.then_some(slots));
        let mut groups = Vec::new();
        let mut len = 0;
        for (place, x) in rows.enumerate() {
            let lane = place % WIDE;
            if lane == 0 {
                groups.push(RowGroup::empty(count));
            }
            if let Some(group) = groups.last_mut() {
                group.put(lane, kernel.facts(x), x, &lines);
            }
            len += 1;
        }
        KernelBlock {
            kernel,
            len,
            lines,
            groups,
        }
    }

    /// How many groups of at most [`WIDE`] rows.
    pub(crate) fn groups(&self) -> usize {
        self.groups.len()
    }

    /// The values of the rows of group `g` with each of the given rows: `put(row of the block, place among the
    /// given, value)`.
    pub(crate) fn values<'a>(
        &self,
        g: usize,
        rows: impl Iterator<Item = (Row<'a>, RowFacts)>,
        mut put: impl FnMut(usize, usize, f64),
    ) {
        let (start, lanes) = (g * WIDE, self.lanes(g));
        self.each(
            g,
            rows,
            #[inline(always)]
            |i, values| {
                for (lane, value) in values.into_iter().take(lanes).enumerate() {
                    put(start + lane, i, value);
                }
            },
        );
    }

    /// How many rows group `g` has.
    pub(crate) fn lanes(&self, g: usize) -> usize {
        WIDE.min(self.len - g * WIDE)
    }

    /// The values of the rows of group `g` with each of the given rows: `put(place among the given, values)`. As many values count
    /// as the group has rows.
    #[inline(always)]
    pub(crate) fn each<'a>(
        &self,
        g: usize,
        rows: impl Iterator<Item = (Row<'a>, RowFacts)>,
        mut put: impl FnMut(usize, [f64; WIDE]),
    ) {
        let group = &self.groups[g];
        #[cfg(test)]
        let rows = rows.inspect(|_| {
            evaluated(WIDE as u64);
        });
        wide_products(
            #[inline(always)]
            |products| {
                for (i, (x, facts)) in rows.enumerate() {
                    put(
                        i,
                        group.values(products, self.kernel, x, facts, &self.lines),
                    );
                }
            },
        );
    }
}

impl SlotLines {
    /// The lines of the slots of all rows but slot 0, by number or in a list for `listed` slots if given; and how many there are.
    fn of<'a>(rows: impl Iterator<Item = Row<'a>>, listed: Option<usize>) -> (Self, usize) {
        let slots = rows.flat_map(|x| x.stored().1.map(|(slot, _)| slot));
        let slots = slots.filter(|&slot| slot != 0);
        let mut count = 1;
        let mut number = |line: &mut u32| {
            if *line == 0 {
                *line = count;
                count += 1;
            }
        };
        let Some(listed) = listed else {
            let mut map = HashMap::default();
            slots.for_each(|slot| number(map.entry(slot).or_insert(0)));
            return (SlotLines::Map(map), count as usize);
        };
        let mut list = vec![0; listed];
        slots.for_each(|slot| number(&mut list[slot as usize]));
        let (placed, count) = (listed.next_power_of_two(), count as usize);
        if placed <= PLACED * count {
            (SlotLines::Placed, placed)
        } else {
            (SlotLines::List(list), count)
        }
    }

    fn line(&self, slot: u32) -> usize {
        let line = match self {
            SlotLines::Placed => return slot as usize,
            SlotLines::List(list) => list.get(slot as usize),
            SlotLines::Map(map) => map.get(&slot),
        };
        line.map_or(0, |&line| line as usize)
    }
}

impl RowGroup {
    fn empty(lines: usize) -> Self {
        RowGroup {
            values: vec![[0.0; WIDE]; lines],
            scale: [0.0; WIDE],
            constant: [0.0; WIDE],
            norm_sq: [0.0; WIDE],
            length: [0.0; WIDE],
            whole_sq: 0.0,
        }
    }

    fn put(&mut self, lane: usize, facts: RowFacts, x: Row<'_>, lines: &SlotLines) {
        let (scale, values) = x.stored();
        for (slot, value) in values.filter(|&(slot, _)| slot != 0) {
            self.values[lines.line(slot)][lane] = value;
        }
        self.scale[lane] = scale;
        self.constant[lane] = facts.constant;
        self.norm_sq[lane] = facts.norm_sq;
        self.length[lane] = facts.length;
        self.whole_sq = self.whole_sq.max(facts.whole_sq);
    }

    #[inline(always)]
    fn values(
        &self,
        products: Products,
        kernel: Kernel,
        x: Row<'_>,
        facts: RowFacts,
        lines: &SlotLines,
    ) -> [f64; WIDE] {
        let is_exact = facts.whole_sq * self.whole_sq <= EXACT_IN_F32;
        let sums = match lines {
            SlotLines::Placed => {
                let last = self.values.len() - 1;
                // values on slots without a line are the last ones
                let x = x.before(self.values.len());
                // as slots are, `& last` changes none: it spares a look at whether they are
                let line = |slot: u32| &self.values[slot as usize & last];
                if is_exact {
                    exact(products, x, line)
                } else {
                    x.lines::<f64, WIDE, 1>(products, line)
                }
            }
            SlotLines::List(list) => {
                let line = |slot: u32| {
                    &self.values[list.get(slot as usize).copied().unwrap_or(0) as usize]
                };
                if is_exact {
                    exact(products, x, line)
                } else {
                    x.lines::<f64, WIDE, 1>(products, line)
                }
            }
            SlotLines::Map(map) => x.lines::<f64, WIDE, 1>(products, |slot| {
                &self.values[map.get(&slot).copied().unwrap_or(0) as usize]
            }),
        };
        let scale = x.stored().0;
        let mut values = [0.0; WIDE];
        for q in 0..WIDE {
            values[q] = scale * self.scale[q] * sums[q];
        }
        kernel.shape.of(&mut values, facts.norm_sq, &self.norm_sq);
        kernel.finish(&mut values, facts, &self.constant, &self.length);
        values
    }
}

/// Sums of whole numbers that `f32` has.
#[inline(always)]
fn exact<'l>(products: Products, x: Row<'_>, line: impl Fn(u32) -> &'l [f32; WIDE]) -> [f64; WIDE] {
    let sums = x.lines::<f32, WIDE, CHAINS>(products, line);
    // the compiler would add as many at once as it widens afterwards: four in the place of eight
    std::hint::black_box(sums).map(f64::from)
}

#[cfg(test)]
std::thread_local! {
    static EVALUATED: std::cell::Cell<u64> = const { std::cell::Cell::new(0) };
}

/// How many values this thread has evaluated so far, those that nobody asked for included; and some more.
#[cfg(test)]
pub(crate) fn evaluated(more: u64) -> u64 {
    EVALUATED.set(EVALUATED.get() + more);
    EVALUATED.get()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::SplitMix64;

    type Stored = (Vec<u32>, Vec<f32>, f64);

    fn rows(random: &mut SplitMix64, slots: u32, count: usize) -> Vec<Stored> {
        let mut row = |_| {
            let base = u32::from(random.uniform() >= 0.3);
            let dense = random.uniform() < 0.2;
            let index: Vec<u32> = (base..slots.min(40))
                .filter(|_| dense || random.uniform() < 0.4)
                .map(|slot| if slot > 20 { slot + (slots - 40) } else { slot })
                .collect();
            let value = index.iter().map(|_| random.uniform() as f32 - 0.5);
            (index.clone(), value.collect(), 0.5 + random.uniform())
        };
        (0..count).map(&mut row).collect()
    }

    fn row((index, value, scale): &Stored) -> Row<'_> {
        Row::sparse(index, value).scaled(*scale)
    }

    /// To the bit, for blocks of any size and any features.
    #[test]
    fn values_are_those_of_one_pair_at_a_time() {
        let mut random = SplitMix64::new(5);
        for text in [
            "linear",
            "linear:cosine",
            "poly:degree=5",
            "poly:cosine,coef0=0.5",
            "gaussian:gamma=0.3",
            "gaussian:cosine",
        ] {
            let kernel = Kernel::parse(text).expect(text);
            // slots that are placed, some beyond the last line, slots in a list, and in a map
            let cases = [(40, 1), (40, 16), (60, 37), (2000, 37), (u32::MAX, 20)];
            for (slots, count) in cases {
                let stored = rows(&mut random, slots, count);
                let others = rows(&mut random, slots.max(100), 9);
                let block = KernelBlock::new(kernel, stored.iter().map(row));
                let is_placed = matches!(block.lines, SlotLines::Placed);
                assert!(count == 1 || is_placed == (slots <= 60));
                assert_eq!(block.len, count);
                let with_facts = others.iter().map(|o| (row(o), kernel.facts(row(o))));
                let mut seen = vec![[0; 9]; count];
                for g in 0..block.groups() {
                    block.values(g, with_facts.clone(), |q, i, value| {
                        let (x, z) = (row(&stored[q]), row(&others[i]));
                        let expected = kernel.value(kernel.row(x), kernel.row(z));
                        assert_eq!(value, expected, "{text}, {q} with {i}");
                        seen[q][i] += 1;
                    });
                }
                assert!(seen.iter().all(|row| *row == [1; 9]));
            }
        }
    }

    /// Whole numbers of any size, to the bit: small ones, whose sums are exact in `f32`, and those beyond.
    #[test]
    fn values_of_whole_numbers_are_those_of_one_pair_at_a_time() {
        let mut random = SplitMix64::new(7);
        let kernel = Kernel::parse("poly:degree=2").expect("a kernel");
        let mut both = [false; 2];
        for most in [1, 16, 255, 2000, 4000, 40_000, 16_777_216] {
            for _ in 0..20 {
                let mut stored = rows(&mut random, 40, 25);
                for (_, values, scale) in &mut stored {
                    let whole = |_: &f32| random.below(2 * most + 1) as f32 - most as f32;
                    *values = values.iter().map(whole).collect();
                    *scale = 1.0;
                }
                let (others, stored) = stored.split_at(9);
                let block = KernelBlock::new(kernel, stored.iter().map(row));
                let with_facts = others.iter().map(|o| (row(o), kernel.facts(row(o))));
                for (_, facts) in with_facts.clone() {
                    let squares = facts.whole_sq * block.groups[0].whole_sq;
                    both[usize::from(squares <= EXACT_IN_F32)] = true;
                }
                block.values(0, with_facts, |q, i, value| {
                    let (x, z) = (row(&stored[q]), row(&others[i]));
                    let expected = kernel.value(kernel.row(x), kernel.row(z));
                    assert_eq!(value, expected, "{most}, {q} with {i}");
                });
            }
        }
        assert_eq!(both, [true; 2]);
        let half = Row::dense(&[1.0, 0.5]);
        assert_eq!(kernel.facts(half).whole_sq, f64::INFINITY);
        assert_eq!(kernel.facts(Row::dense(&[-3.0, 4.0])).whole_sq, 25.0);
    }

    #[test]
    fn a_row_has_no_distance_from_itself() {
        let mut random = SplitMix64::new(6);
        let kernel = Kernel::parse("gaussian:gamma=1e6").expect("a kernel");
        for stored in rows(&mut random, 40, 50) {
            let x = kernel.row(row(&stored));
            let constant = x.facts.constant;
            assert_eq!(kernel.value(x, x), 1.0 + constant * constant);
        }
    }
}
