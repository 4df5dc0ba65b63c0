//! Slots by name.
//!
//! With many names a lookup costs as much as it touches memory that is not in a cache. So names of up
//! to 31 bytes are kept in the table itself, those of up to 15 in a smaller one of their own, and only
//! longer ones are compared with a text elsewhere.

use std::hash::BuildHasher as _;
use std::ops::Range;

use foldhash::fast::RandomState;
use hashbrown::HashTable;

/// A name of at most 31 bytes, as numbers.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct PackedName([u64; 4]);

impl PackedName {
    /// The longest name that can be packed.
    pub const MOST: usize = 31;
    /// The longest name that fits in the first two numbers.
    pub const MOST_IN_TWO: usize = 15;

    /// The name of `len` bytes that the numbers hold, the first in the lowest byte of the first number;
    /// all other bytes must be 0. None if it is too long.
    #[inline(always)]
    pub fn new(words: [u64; 4], len: usize) -> Option<Self> {
        let [a, b, c, d] = words;
        // the length keeps apart what differs in zero bytes at the end only
        let len_byte = (len as u64) << 56;
        if len <= Self::MOST_IN_TWO {
            Some(PackedName([a, b | len_byte, 0, 0]))
        } else {
            (len <= Self::MOST).then_some(PackedName([a, b, c, d | len_byte]))
        }
    }

    /// Packs a name, if it is not too long.
    pub(super) fn of(name: &[u8]) -> Option<Self> {
        let mut bytes = [0; 32];
        bytes.get_mut(..name.len())?.copy_from_slice(name);
        let (words, _) = bytes.as_chunks();
        let mut packed = [0; 4];
        for (packed, &word) in packed.iter_mut().zip(words) {
            *packed = u64::from_le_bytes(word);
        }
        Self::new(packed, name.len())
    }

    /// The number that the name is, if it is one of at most eight digits without a leading zero.
    #[inline]
    pub(super) fn number(self) -> Option<u32> {
        const ONES: u64 = 0x0101_0101_0101_0101;
        let PackedName([a, b, ..]) = self;
        let len = b >> 56;
        if len.wrapping_sub(1) >= 8 || a as u8 == b'0' {
            return None;
        }
        // one digit per byte, the last in the highest
        let digits = (a ^ (0x30 * ONES)) << (8 * (8 - len));
        if (digits | (digits + 0x76 * ONES)) & (0x80 * ONES) != 0 {
            return None;
        }
        let pairs = (digits.wrapping_mul(0x0a01) >> 8) & 0x00ff_00ff_00ff_00ff;
        let fours = (pairs.wrapping_mul((100 << 16) + 1) >> 16) & 0x0000_ffff_0000_ffff;
        Some((fours.wrapping_mul((10_000 << 32) + 1) >> 32) as u32)
    }

    /// The first two numbers, if they are all.
    fn in_two(self) -> Option<[u64; 2]> {
        let PackedName([a, b, _, d]) = self;
        (d == 0).then_some([a, b])
    }

    /// Writes the name to `out`.
    pub fn unpack(self, out: &mut Vec<u8>) {
        let PackedName(words) = self;
        let len = words[if words[3] == 0 { 1 } else { 3 }] >> 56;
        out.clear();
        out.extend(words.into_iter().flat_map(u64::to_le_bytes));
        out.truncate(len as usize);
    }
}

#[derive(Clone, Copy, Debug)]
struct ShortName<const WORDS: usize> {
    name: [u64; WORDS],
    slot: u32,
}

/// A name in the text.
#[derive(Clone, Debug)]
struct Long {
    name: Range<usize>,
    slot: u32,
}

/// Finds slots by name.
#[derive(Clone, Debug, Default)]
pub(super) struct NameTable {
    in_two: HashTable<ShortName<2>>,
    in_four: HashTable<ShortName<4>>,
    long: HashTable<Long>,
    hasher: RandomState,
}

impl NameTable {
    fn hash_two(&self, [a, b]: [u64; 2]) -> u64 {
        self.hasher.hash_one(u128::from(b) << 64 | u128::from(a))
    }

    fn hash_four(&self, [a, b, c, d]: [u64; 4]) -> u64 {
        let (first, last) = (self.hash_two([a, b]), self.hash_two([c, d]));
        self.hash_two([first, last])
    }

    /// The slot of a packed name.
    #[inline(always)]
    pub(super) fn find_packed(&self, name: PackedName) -> Option<u32> {
        let Some(name) = name.in_two() else {
            return self.find_four(name.0);
        };
        let hash = self.hash_two(name);
        let entry = self.in_two.find(hash, |entry| entry.name == name);
        entry.map(|entry| entry.slot)
    }

    #[inline(never)] // it would take the registers of the usual case
    fn find_four(&self, name: [u64; 4]) -> Option<u32> {
        let hash = self.hash_four(name);
        let entry = self.in_four.find(hash, |entry| entry.name == name);
        entry.map(|entry| entry.slot)
    }

    /// The slot of a name; `text` holds the long ones.
    pub(super) fn find(&self, name: &[u8], text: &str) -> Option<u32> {
        if let Some(packed) = PackedName::of(name) {
            return self.find_packed(packed);
        }
        let same = |long: &Long| &text.as_bytes()[long.name.clone()] == name;
        let long = self.long.find(self.hasher.hash_one(name), same);
        long.map(|long| long.slot)
    }

    /// Adds the name that is at this place in the text, and not in the table.
    pub(super) fn insert(&mut self, name: Range<usize>, text: &str, slot: u32) {
        let bytes = |name: &Range<usize>| &text.as_bytes()[name.clone()];
        let Some(packed) = PackedName::of(bytes(&name)) else {
            let hash = |long: &Long| self.hasher.hash_one(bytes(&long.name));
            let long = Long { name, slot };
            self.long.insert_unique(hash(&long), long, hash);
            return;
        };
        // the tables are taken out for as long as they need the hasher
        if let Some(name) = packed.in_two() {
            let mut table = std::mem::take(&mut self.in_two);
            let rehash = |entry: &ShortName<2>| self.hash_two(entry.name);
            table.insert_unique(self.hash_two(name), ShortName { name, slot }, rehash);
            self.in_two = table;
        } else {
            let mut table = std::mem::take(&mut self.in_four);
            let (name, rehash) = (packed.0, |entry: &ShortName<4>| self.hash_four(entry.name));
            table.insert_unique(self.hash_four(name), ShortName { name, slot }, rehash);
            self.in_four = table;
        }
    }

    /// True if there is no name.
    pub(super) fn is_empty(&self) -> bool {
        self.in_two.is_empty() && self.in_four.is_empty() && self.long.is_empty()
    }

    /// Bytes of memory it takes, about.
    pub(super) fn bytes(&self) -> usize {
        25 * self.in_two.capacity() + 41 * self.in_four.capacity() + 25 * self.long.capacity()
    }
}

#[cfg(test)]
mod tests {
    use super::{NameTable, PackedName};

    #[test]
    fn names_of_every_length_are_found() {
        let mut text = String::new();
        let mut table = NameTable::default();
        let name = |slot: u32| {
            "n\0".repeat(30)[..slot as usize % 60].to_owned() + &"x".repeat(slot as usize / 60)
        };
        for slot in 0..300 {
            let start = text.len();
            assert_eq!(table.find(name(slot).as_bytes(), &text), None);
            text += &name(slot);
            table.insert(start..text.len(), &text, slot);
        }
        for slot in 0..300 {
            assert_eq!(table.find(name(slot).as_bytes(), &text), Some(slot));
        }
        assert_eq!(table.find(b"y", &text), None);
    }

    #[test]
    fn packed_names_are_what_was_packed() {
        let mut unpacked = Vec::new();
        for len in 0..40 {
            let name = &b"\0abcdefghijklmnopqrstuvwxyz0123456789\0\0\0"[..len];
            match PackedName::of(name) {
                Some(packed) => packed.unpack(&mut unpacked),
                None => assert!(len > PackedName::MOST),
            }
            assert!(len > PackedName::MOST || unpacked == name);
        }
    }
}
