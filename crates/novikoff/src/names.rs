//! Names of features and the slots they are learned in.
//!
//! A feature whose name is a whole number `n` lives in slot `n`, as svmlight has it, unless another
//! name got there first. Every other name gets the first slot past all those given so far. So slots
//! depend on the stream alone, a slot once given never changes, and data that is written with numbers
//! and data that is written with the same numbers as names are the same data.
//!
//! With [`Names::hashed`] a name's slot is its hash, names are not kept, and slots that several names
//! share are counted.
//!
//! Copies share what is known until one of them gets a new name; only then is it copied.

mod numbered;
mod table;

use std::sync::Arc;

use hashbrown::HashTable;

use numbered::NumberedNames;
use table::NameTable;
pub use table::PackedName;

use crate::remedy::{Remedy, Setting};

/// Names and their slots.
#[derive(Clone, Debug, Default)]
pub struct Names {
    known: Arc<NameList>,
    /// The highest slot given.
    highest: u32,
    hashed: Option<Arc<HashedSlots>>,
    /// No name is added.
    frozen: bool,
}

/// The names that are not their own slot's number.
#[derive(Clone, Debug, Default)]
struct NameList {
    /// One after another, in the order of their slots.
    text: String,
    /// Where each ends.
    ends: Vec<usize>,
    /// The slot of each.
    slots: Vec<u32>,
    /// The slot of each, found by name.
    table: NameTable,
    /// The slots of those that are a space and a number.
    numbered: NumberedNames,
}

/// Slots by hash.
#[derive(Clone, Debug)]
struct HashedSlots {
    bits: u32,
    /// The full hashes met.
    met: HashTable<u64>,
    /// One bit per slot: some name is there.
    taken: Vec<u64>,
    occupied: u64,
    /// Collisions that were counted elsewhere.
    elsewhere: u64,
}

/// Why a name got no slot.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum NamesError {
    /// There are too many.
    #[error("a feature past the limit of {limit} features")]
    TooMany {
        /// How many features are allowed.
        limit: u32,
    },
    /// They take too much memory.
    #[error("the names of {names} features take more than {megabytes} MB")]
    TooLarge {
        /// How many names there are.
        names: usize,
        /// The limit.
        megabytes: u64,
    },
}

impl NamesError {
    /// What to do about it.
    pub fn remedy(&self) -> Remedy {
        let limit = match self {
            NamesError::TooMany { .. } => Setting::MaxFeatures,
            NamesError::TooLarge { .. } => Setting::MaxMemory,
        };
        let hash = Remedy::give(Setting::Hash, "24").aim("to give names hashed slots");
        Remedy::raise(limit).or(hash)
    }
}

/// What names may take.
#[derive(Clone, Copy, Debug)]
pub struct NameLimits {
    /// The highest slot.
    pub slots: u32,
    /// Bytes of memory.
    pub bytes: u64,
}

/// The most bits of a hashed slot.
pub const MAX_BITS: u32 = 30;

/// The number that a name is, if it is one as svmlight writes it: no sign, no leading zero.
fn number(name: &[u8]) -> Option<u32> {
    if name.is_empty() || name.len() > 10 || name[0] == b'0' {
        return None;
    }
    let digits = name.iter().all(u8::is_ascii_digit);
    let parse = |n: u64, &b: &u8| 10 * n + u64::from(b - b'0');
    let number = digits.then(|| name.iter().fold(0, parse))?;
    u32::try_from(number).ok().filter(|&n| n < u32::MAX)
}

/// A hash that is the same on every machine, for ever.
fn stable_hash(name: &[u8]) -> u64 {
    xxhash_rust::xxh3::xxh3_64(name)
}

impl Names {
    /// No names yet.
    pub fn new() -> Self {
        Self::default()
    }

    /// No names yet; slots are hashes of `bits` bits, at most [`MAX_BITS`].
    pub fn hashed(bits: u32) -> Self {
        let bits = bits.min(MAX_BITS);
        let hashed = HashedSlots {
            bits,
            met: HashTable::new(),
            taken: vec![0; 1 + (1_usize << bits) / 64],
            occupied: 0,
            elsewhere: 0,
        };
        Names {
            hashed: Some(Arc::new(hashed)),
            highest: 1 << bits,
            ..Self::default()
        }
    }

    /// Names read from a model: slots increase, and names differ.
    pub fn restore(slots: Vec<u32>, names: &[impl AsRef<str>], highest: u32) -> Option<Self> {
        let mut restored = Names::default();
        if slots.len() != names.len() || !slots.is_sorted_by(|a, b| a < b) {
            return None;
        }
        if slots.first() == Some(&0) || slots.last().is_some_and(|&last| last > highest) {
            return None;
        }
        for (slot, name) in slots.into_iter().zip(names) {
            let name = name.as_ref();
            if restored.known.find(name.as_bytes()).is_some() {
                return None;
            }
            Arc::make_mut(&mut restored.known).insert(name, slot);
        }
        restored.highest = highest;
        Some(restored)
    }

    /// From now on no name is added: what is not known has no slot.
    pub fn freeze(&mut self) {
        self.frozen = true;
    }

    /// True if no name is added.
    pub fn is_frozen(&self) -> bool {
        self.frozen
    }

    /// True if every feature is known by its number only.
    pub fn is_empty(&self) -> bool {
        self.known.slots.is_empty() && self.hashed.is_none()
    }

    /// The bits of a slot, if slots are hashes.
    pub fn bits(&self) -> Option<u32> {
        self.hashed.as_ref().map(|hashed| hashed.bits)
    }

    /// How many names were met that share their slot with an earlier one.
    pub fn collisions(&self) -> u64 {
        self.hashed.as_ref().map_or(0, |hashed| {
            hashed.elsewhere + hashed.met.len() as u64 - hashed.occupied
        })
    }

    /// Rows come whose names were hashed before and shared slots that many times; said again for the
    /// same rows it changes nothing.
    pub fn collided(&mut self, times: u64) {
        if let Some(hashed) = &mut self.hashed {
            let hashed = Arc::make_mut(hashed);
            hashed.elsewhere = hashed.elsewhere.max(times);
        }
    }

    /// The highest slot given.
    pub fn highest(&self) -> u32 {
        self.highest
    }

    /// Features were met by their numbers, up to this one.
    pub fn reach(&mut self, highest: u32) {
        self.highest = self.highest.max(highest);
    }

    /// The name of a slot, unless it is the slot's number.
    pub fn name(&self, slot: u32) -> Option<&str> {
        let at = self.known.slots.binary_search(&slot).ok()?;
        Some(self.known.name(at))
    }

    /// The slots whose names are not their numbers, in order, with their names.
    pub fn iter(&self) -> impl Iterator<Item = (u32, &str)> {
        let known = &*self.known;
        (0..known.slots.len()).map(|at| (known.slots[at], known.name(at)))
    }

    /// The slots of packed names; 0 for a name that [`slot`](Self::slot) may know more of. One after
    /// another, so that the machine waits for the memory of several at the same time.
    pub fn quick_slots(&self, names: &[PackedName], slots: &mut [u32]) {
        if self.hashed.is_some() {
            slots.fill(0);
        } else if self.known.table.is_empty() {
            for (slot, name) in slots.iter_mut().zip(names) {
                *slot = name.number().filter(|&n| n <= self.highest).unwrap_or(0);
            }
        } else {
            let table = &self.known.table;
            for (slot, &name) in slots.iter_mut().zip(names) {
                *slot = table.find_packed(name).unwrap_or(0);
            }
        }
    }

    /// The slots of names that are `space`, which ends in `^`, and a whole number, by this number; 0 for a name that [`slot`](Self::slot) may
    /// know more of, and numbers past the end are such too.
    #[doc(hidden)] // for readers of files
    pub fn numbered(&self, space: &[u8]) -> &[u32] {
        if self.hashed.is_some() {
            return &[];
        }
        self.known.numbered.slots(space)
    }

    /// The slot of a name for one who adds none, as [`slot`](Self::slot) says once they are [frozen](Self::freeze): every name has its hash.
    pub fn slot_when_frozen(&self, name: &[u8]) -> Option<u32> {
        match &self.hashed {
            Some(hashed) => Some(hashed.slot(stable_hash(name))),
            None => self.slot(name),
        }
    }

    /// The slot of a name, if it has one already. What this says once it says for ever.
    pub fn slot(&self, name: &[u8]) -> Option<u32> {
        if let Some(hashed) = &self.hashed {
            let hash = stable_hash(name);
            let known = self.frozen || hashed.met.find(hash, |&met| met == hash).is_some();
            return known.then(|| hashed.slot(hash));
        }
        if let Some(slot) = self.known.find(name) {
            return Some(slot);
        }
        let number = number(name)?;
        let given = number <= self.highest && self.known.slots.binary_search(&number).is_err();
        given.then_some(number)
    }

    /// The slot of a name, a new one if need be.
    pub fn assign(&mut self, name: &str, limits: NameLimits) -> Result<u32, NamesError> {
        if let Some(slot) = self.slot(name.as_bytes()) {
            return Ok(slot);
        }
        if self.bytes() + name.len() as u64 > limits.bytes {
            return Err(NamesError::TooLarge {
                names: self.known.slots.len(),
                megabytes: limits.bytes >> 20,
            });
        }
        if let Some(hashed) = &mut self.hashed {
            return Ok(Arc::make_mut(hashed).meet(stable_hash(name.as_bytes())));
        }
        let number = number(name.as_bytes()).filter(|&n| n <= limits.slots && n > self.highest);
        let slot = number.unwrap_or(self.highest.saturating_add(1));
        if slot > limits.slots.min(u32::MAX - 1) {
            return Err(NamesError::TooMany {
                limit: limits.slots,
            });
        }
        if number.is_none() {
            Arc::make_mut(&mut self.known).insert(name, slot);
        }
        self.highest = slot;
        Ok(slot)
    }

    /// Bytes of memory they take, about.
    pub fn bytes(&self) -> u64 {
        let hashed = self.hashed.as_ref().map_or(0, |hashed| {
            8 * hashed.taken.len() as u64 + 10 * hashed.met.capacity() as u64
        });
        let known = &self.known;
        let tables = known.text.capacity() + 12 * known.slots.capacity();
        let tables = tables + known.table.bytes() + known.numbered.bytes();
        tables as u64 + hashed
    }
}

impl NameList {
    fn name(&self, at: usize) -> &str {
        let start = if at == 0 { 0 } else { self.ends[at - 1] };
        &self.text[start..self.ends[at]]
    }

    fn find(&self, name: &[u8]) -> Option<u32> {
        self.table.find(name, &self.text)
    }

    fn insert(&mut self, name: &str, slot: u32) {
        let start = self.text.len();
        self.text.push_str(name);
        self.ends.push(self.text.len());
        self.slots.push(slot);
        self.numbered.add(name.as_bytes(), slot);
        self.table.insert(start..self.text.len(), &self.text, slot);
    }
}

impl HashedSlots {
    fn slot(&self, hash: u64) -> u32 {
        1 + (hash & ((1 << self.bits) - 1)) as u32
    }

    fn meet(&mut self, hash: u64) -> u32 {
        let slot = self.slot(hash);
        self.met.insert_unique(hash, hash, |&hash| hash);
        let (word, bit) = (slot as usize / 64, 1_u64 << (slot % 64));
        self.occupied += u64::from(self.taken[word] & bit == 0);
        self.taken[word] |= bit;
        slot
    }
}

#[cfg(test)]
mod tests {
    use super::{NameLimits, Names, NamesError, PackedName};

    const LIMITS: NameLimits = NameLimits {
        slots: 1000,
        bytes: 1 << 20,
    };

    fn assign(names: &mut Names, name: &str) -> u32 {
        names.assign(name, LIMITS).expect("within the limits")
    }

    #[test]
    fn numbers_are_their_slots_and_names_follow_the_highest() {
        let mut names = Names::new();
        assert_eq!(assign(&mut names, "7"), 7);
        assert_eq!(assign(&mut names, "red"), 8);
        assert_eq!(assign(&mut names, "3"), 3);
        assert_eq!(assign(&mut names, "8"), 9); // taken by red
        assert_eq!(assign(&mut names, "red"), 8);
        assert_eq!(assign(&mut names, "007"), 10);
        assert_eq!(assign(&mut names, "0"), 11);
        assert_eq!(assign(&mut names, "5000"), 12); // past the limit: a name like any other
        assert_eq!((names.name(7), names.name(8)), (None, Some("red")));
        assert_eq!((names.name(9), names.highest()), (Some("8"), 12));
    }

    #[test]
    fn what_is_known_never_changes() {
        let mut names = Names::new();
        assign(&mut names, "10");
        // 4 is below the highest, so no name will ever be put there
        assert_eq!(names.slot(b"4"), Some(4));
        assert_eq!((names.slot(b"11"), names.slot(b"x")), (None, None));
        assign(&mut names, "x");
        assert_eq!(names.slot(b"11"), None);
        assert_eq!(assign(&mut names, "11"), 12);
    }

    #[test]
    fn limits_are_kept() {
        let few = NameLimits {
            slots: 2,
            bytes: 1 << 20,
        };
        let mut names = Names::new();
        assert_eq!(names.assign("a", few), Ok(1));
        assert_eq!(names.assign("b", few), Ok(2));
        assert_eq!(
            names.assign("c", few),
            Err(NamesError::TooMany { limit: 2 })
        );
        let small = NameLimits { slots: 2, bytes: 3 };
        assert!(matches!(
            Names::new().assign("abcd", small),
            Err(NamesError::TooLarge { .. })
        ));
    }

    #[test]
    fn quick_slots_are_the_slots() {
        let quick = |names: &Names, name: &str| {
            let mut slot = [7];
            let packed = PackedName::of(name.as_bytes()).expect("short");
            names.quick_slots(&[packed], &mut slot);
            (slot[0] != 0).then_some(slot[0])
        };
        let mut names = Names::new();
        assign(&mut names, "70");
        for (name, number) in [("1", 1), ("70", 70), ("12", 12)] {
            assert_eq!(quick(&names, name), Some(number));
            assert_eq!(names.slot(name.as_bytes()), Some(number));
        }
        for name in [
            "",
            "0",
            "07",
            "71",
            "1a",
            "/1",
            ":1",
            "-1",
            "1\0",
            "123456789",
            "12345678",
        ] {
            assert_eq!(
                (quick(&names, name), names.slot(name.as_bytes())),
                (None, None)
            );
        }
        names.reach(1 << 30);
        assert_eq!(quick(&names, "12345678"), Some(12_345_678));
        let mut names = Names::new();
        for name in ["x", "a_name_of_twenty_seven_bytes", "4"] {
            let slot = assign(&mut names, name);
            assert!([None, Some(slot)].contains(&quick(&names, name)));
            assert_eq!(names.slot(name.as_bytes()), Some(slot));
        }
        assert_eq!(quick(&names, "x"), Some(1));
        assert_eq!(quick(&names, "1"), None); // taken by x
        assert_eq!(quick(&Names::hashed(4), "1"), None);
    }

    #[test]
    fn restored_names_are_the_same() {
        let mut names = Names::new();
        for name in ["a", "4", "b=c", "2", "4"] {
            assign(&mut names, name);
        }
        let (slots, texts): (Vec<u32>, Vec<String>) = names
            .iter()
            .map(|(slot, name)| (slot, name.to_owned()))
            .unzip();
        let again = Names::restore(slots, &texts, names.highest()).expect("sound");
        for name in ["a", "4", "b=c", "2", "5", "z"] {
            assert_eq!(names.slot(name.as_bytes()), again.slot(name.as_bytes()));
        }
        assert!(Names::restore(vec![2, 1], &texts, 9).is_none());
        assert!(Names::restore(vec![1, 2], &["a".to_owned(), "a".to_owned()], 9).is_none());
    }

    #[test]
    fn copies_go_their_own_ways() {
        for mut names in [Names::new(), Names::hashed(6)] {
            let first = assign(&mut names, "a");
            let before = names.clone();
            let later = assign(&mut names, "b");
            assert_eq!((before.slot(b"a"), before.slot(b"b")), (Some(first), None));
            assert_eq!(names.slot(b"b"), Some(later));
            assert_eq!(
                before.iter().count() + usize::from(names.bits().is_none()),
                names.iter().count()
            );
        }
    }

    #[test]
    fn hashed_slots_are_fixed_and_collisions_counted() {
        let mut names = Names::hashed(4);
        let slots: Vec<u32> = (0..100)
            .map(|k| assign(&mut names, &k.to_string()))
            .collect();
        assert!(slots.iter().all(|slot| (1..=16).contains(slot)));
        assert_eq!(names.collisions(), 84);
        assert_eq!(assign(&mut names, "17"), slots[17]);
        assert_eq!(names.collisions(), 84);
        // the same on every machine, for ever
        names.collided(7);
        names.collided(7);
        assert_eq!(names.collisions(), 91);
        assert_eq!(Names::hashed(20).assign("price", LIMITS), Ok(STABLE));
    }

    const STABLE: u32 = 33_905;
}
