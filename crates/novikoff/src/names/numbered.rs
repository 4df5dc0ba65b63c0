//! Slots by number, for names that are a space and a number, as `f^17`: where most names are such, looking a slot up by
//! its number is several times as fast as by its name.

use std::collections::HashMap;

use foldhash::fast::RandomState;

/// Numbers below this have a place in their list, for a space of no names,
const FIRST: usize = 64;

/// and this many more for each name that a space has: lists are not much longer than they have slots.
const PER_NAME: usize = 16;

/// What stands between space and number.
const MARK: u8 = b'^';

/// The lists of all spaces.
#[derive(Clone, Debug, Default)]
pub(super) struct NumberedNames {
    spaces: HashMap<Box<[u8]>, Space, RandomState>,
    /// Bytes of memory they take, about.
    bytes: usize,
}

/// The names of one space.
#[derive(Clone, Debug, Default)]
struct Space {
    /// The slot of each number; 0 if it has none, or is not known here.
    slots: Vec<u32>,
    /// Numbers past the end of the list, with their slots.
    past: Vec<(u32, u32)>,
    names: usize,
}

impl Space {
    fn bytes(&self) -> usize {
        4 * self.slots.capacity() + 8 * self.past.capacity()
    }

    fn room(&self) -> usize {
        FIRST + PER_NAME * self.names
    }

    fn put(&mut self, number: u32, slot: u32) {
        let number = number as usize;
        if number >= self.slots.len() {
            self.slots.resize(number + 1, 0);
        }
        self.slots[number] = slot;
    }

    fn add(&mut self, number: u32, slot: u32) {
        self.names += 1;
        if (number as usize) < self.room() {
            self.put(number, slot);
        } else {
            self.past.push((number, slot));
        }
        if self.names.is_power_of_two() {
            let room = self.room();
            let all = std::mem::take(&mut self.past);
            for (number, slot) in all {
                if (number as usize) < room {
                    self.put(number, slot);
                } else {
                    self.past.push((number, slot));
                }
            }
        }
    }
}

impl NumberedNames {
    /// Notes a name's slot, if it is a space and a number as [`number`](super::number) has it.
    pub(super) fn add(&mut self, name: &[u8], slot: u32) {
        let Some(mark) = name.iter().rposition(|&byte| byte == MARK) else {
            return;
        };
        let (space, digits) = name.split_at(mark + 1);
        let Some(number) = super::number(digits) else {
            return;
        };
        if !self.spaces.contains_key(space) {
            self.spaces.insert(space.into(), Space::default());
            self.bytes += 100 + space.len();
        }
        if let Some(known) = self.spaces.get_mut(space) {
            self.bytes -= known.bytes();
            known.add(number, slot);
            self.bytes += known.bytes();
        }
    }

    /// The slots of the names that begin with `space`, its mark included, by number; 0 where that is not known.
    pub(super) fn slots(&self, space: &[u8]) -> &[u32] {
        self.spaces.get(space).map_or(&[], |space| &space.slots)
    }

    /// Bytes of memory they take, about.
    pub(super) fn bytes(&self) -> usize {
        self.bytes
    }
}

#[cfg(test)]
mod tests {
    use super::{FIRST, NumberedNames, PER_NAME};

    #[test]
    fn numbers_of_a_space_are_found() {
        let mut names = NumberedNames::default();
        let number = |k: u32| k.wrapping_mul(7919) % 5003 + 1;
        for k in 0..5000 {
            names.add(format!("f^{}", number(k)).as_bytes(), k + 1);
        }
        for (k, name) in [
            "f^0",
            "f^07",
            "f^x",
            "f^",
            "17",
            "g^3",
            "a^b^4",
            "f^4000000000",
        ]
        .iter()
        .enumerate()
        {
            names.add(name.as_bytes(), 9000 + k as u32);
        }
        let slots = names.slots(b"f^");
        assert!((0..5000).all(|k| slots[number(k) as usize] == k + 1));
        assert_eq!(slots.iter().filter(|slot| **slot != 0).count(), 5000);
        assert_eq!(names.slots(b"g^")[3], 9005);
        assert_eq!(names.slots(b"a^b^")[4], 9006);
        assert!(names.slots(b"h^").is_empty() && names.slots(b"b^").is_empty());
    }

    #[test]
    fn a_list_is_not_much_longer_than_its_names() {
        let mut names = NumberedNames::default();
        for k in 0..1000_u32 {
            names.add(format!("f^{}", 1 + k * 1_000_000).as_bytes(), k + 1);
            assert!(names.slots(b"f^").len() <= FIRST + PER_NAME * (k as usize + 1));
        }
        assert_eq!(names.slots(b"f^")[1], 1);
    }
}
