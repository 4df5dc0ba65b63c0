//! The names of a cache's features, and how its slots become those of a stream that has names too.

use std::sync::Arc;

use foldhash::fast::RandomState;
use hashbrown::HashMap;
use novikoff::names::{Names, NamesError};
use novikoff::remedy::{Complaint, Hint, Remedy, Setting};
use novikoff::rows::{Block, Rows};

use super::file::CacheFile;
use super::layout;
use crate::error::{DataError, more_features};
use crate::live_schema::LiveSchema;
use crate::options::ReadOptions;

/// Names as they lie in a file, in the order of their slots.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Dictionary<'a> {
    slots: &'a [u32],
    ends: &'a [u64],
    text: &'a [u8],
}

impl<'a> Dictionary<'a> {
    /// How many bytes `count` names take in a file.
    pub(super) fn length(count: u64, text: u64) -> Option<usize> {
        let mut places = layout::Places::default();
        places.next(count, 4)?;
        places.next(count, 8)?;
        places.next(text, 1)?;
        Some(places.length())
    }

    /// The names in these bytes, which are as many as [`length`](Self::length) says.
    pub(super) fn view(bytes: &'a [u8], count: u64, text: u64) -> Option<Self> {
        let mut places = layout::Places::default();
        Some(Dictionary {
            slots: layout::array(bytes, &places.next(count, 4)?)?,
            ends: layout::array(bytes, &places.next(count, 8)?)?,
            text: layout::array(bytes, &places.next(text, 1)?)?,
        })
    }

    /// Names as they lie in a file.
    pub(super) fn write(names: &Names) -> (Vec<u8>, u64, u64) {
        let (mut slots, mut ends, mut text) = (Vec::new(), Vec::new(), Vec::new());
        for (slot, name) in names.iter() {
            slots.push(slot);
            text.extend_from_slice(name.as_bytes());
            ends.push(text.len() as u64);
        }
        let mut bytes = Vec::new();
        for array in [
            bytemuck::cast_slice(&slots),
            bytemuck::cast_slice(&ends),
            &text,
        ] {
            bytes.extend_from_slice(array);
            bytes.resize(bytes.len().next_multiple_of(layout::ALIGN), 0);
        }
        (bytes, slots.len() as u64, text.len() as u64)
    }

    /// Says what is wrong, if something is.
    pub(super) fn check(&self, highest: u32) -> Result<(), &'static str> {
        let mut before = 0;
        for &end in self.ends {
            let name = usize::try_from(end)
                .ok()
                .and_then(|end| self.text.get(before..end));
            if name.is_none_or(|name| std::str::from_utf8(name).is_err()) {
                return Err("a name of a feature is not UTF-8, or not there");
            }
            before = end as usize;
        }
        if before != self.text.len() {
            return Err("there is text behind the names of features");
        }
        let within = self.slots.first().is_none_or(|&slot| slot > 0)
            && self.slots.last().is_none_or(|&slot| slot <= highest);
        if !within || !self.slots.is_sorted_by(|a, b| a < b) {
            return Err("the slots of names do not increase from 1 to the highest");
        }
        Ok(())
    }

    /// Bytes of memory that [`Names`] need for them, at least: 12 for the slot and the end of each, and
    /// its place in a table, which has room for a name of middle length.
    fn memory(&self) -> u64 {
        let (mut bytes, mut before) = (self.text.len() as u64, 0);
        for &end in self.ends {
            bytes += match end - before {
                16..=31 => 12 + 41,
                _ => 12 + 25,
            };
            before = end;
        }
        bytes
    }

    pub(super) fn is_empty(&self) -> bool {
        self.slots.is_empty()
    }

    fn name(&self, at: usize) -> &'a str {
        let start = if at == 0 { 0 } else { self.ends[at - 1] };
        let name = &self.text[start as usize..self.ends[at] as usize];
        std::str::from_utf8(name).unwrap_or("?") // was checked
    }

    /// Slots and names, in order.
    pub(super) fn iter(self) -> impl Iterator<Item = (u32, &'a str)> {
        (0..self.slots.len()).map(move |at| (self.slots[at], self.name(at)))
    }

    fn of(&self, slot: u32) -> Option<&'a str> {
        self.slots.binary_search(&slot).ok().map(|at| self.name(at))
    }

    /// Whether every feature up to `width` has the slot that `names` give its name.
    fn agrees(&self, names: &Names, width: u32) -> bool {
        let named = |slot: u32| self.slots.binary_search(&slot).is_ok();
        let number_elsewhere = |name: &str| {
            let number = name.parse::<u32>();
            number.is_ok_and(|number| number <= width && !named(number))
        };
        names.bits().is_none()
            && names.highest() >= width
            && self
                .iter()
                .all(|(slot, name)| names.slot(name.as_bytes()) == Some(slot))
            && names
                .iter()
                .all(|(slot, name)| (slot > width || named(slot)) && !number_elsewhere(name))
    }
}

/// Slots of a file that are not the stream's: found by name, when they are met.
pub(super) struct Renaming {
    known: HashMap<u32, Option<u32>, RandomState>,
    /// How much lower than its slot the number is by which a feature without a name is called.
    from_zero: u32,
}

/// Makes a file and the names of a stream agree. None if slots can be taken as they are.
pub(super) fn settle(
    file: &CacheFile,
    options: &ReadOptions,
    names: &LiveSchema,
) -> Result<Option<Renaming>, DataError> {
    let live = names;
    let mut names = live.write();
    let refuse = |what: String, remedy: Remedy| {
        Err(DataError::content(
            file.name(),
            Complaint::new(what, remedy),
        ))
    };
    let (limit, width) = (options.limit(), file.width());
    let highest = file.highest().max(width);
    if highest > limit {
        let what = format!("has {highest} features, past the limit of {limit}");
        return refuse(what, more_features());
    }
    if options.zero_based && !file.zero_based() {
        let remedy = Remedy::leave_out(&[Setting::ZeroBased]).or(Remedy::hint(Hint::MakeCache));
        let what = "its features were counted from 1, and are to be counted from 0";
        return refuse(what.to_owned(), remedy);
    }
    let fresh = names.is_empty() && !names.is_frozen() && names.highest() == 0;
    let dictionary = file.dictionary();
    if let Some(bits) = file.bits() {
        if fresh {
            *names = Names::hashed(bits);
        } else if names.bits() != Some(bits) {
            let what = format!(
                "its features have hashed slots of {bits} bits, and those of the model or of earlier inputs do not"
            );
            let hash = Remedy::give(Setting::Hash, bits.to_string()).aim("to train");
            let names = Remedy::hint(Hint::MakeCache).aim("without hashed slots");
            return refuse(what, names.or(hash));
        }
        names.collided(file.collisions());
        count_words(file, live, names.is_frozen());
        return Ok(None);
    }
    if dictionary.is_empty() && names.is_empty() {
        names.reach(width);
        return Ok(None);
    }
    if fresh {
        if dictionary.memory() > options.max_name_bytes {
            return Err(DataError::Names {
                file: file.name().to_owned(),
                line: 1,
                source: NamesError::TooLarge {
                    names: dictionary.slots.len(),
                    megabytes: options.max_name_bytes >> 20,
                },
            });
        }
        *names = file.names()?;
        names.reach(width);
        count_words(file, live, false);
        return Ok(None);
    }
    // as svmlight text has it, where no feature has a name
    let from_zero = u32::from(file.zero_based() && dictionary.is_empty());
    if from_zero == 0 && dictionary.agrees(&names, width) {
        count_words(file, live, names.is_frozen());
        return Ok(None);
    }
    if !names.is_frozen() && !file.text().is_empty() {
        let mut text = live.text();
        for (column, rows) in file.text().columns() {
            Arc::make_mut(&mut text).count_rows(column, *rows);
        }
    }
    Ok(Some(Renaming {
        known: HashMap::default(),
        from_zero,
    }))
}

/// Adds the statistics of a file's words, whose slots are the stream's.
fn count_words(file: &CacheFile, live: &LiveSchema, frozen: bool) {
    if !frozen && !file.text().is_empty() {
        Arc::make_mut(&mut live.text()).add(file.text());
    }
}

impl Renaming {
    /// The slot in the stream of a slot in the file; none if a model does not know the feature.
    fn slot(
        &mut self,
        slot: u32,
        dictionary: &Dictionary<'_>,
        names: &mut Names,
        options: &ReadOptions,
    ) -> Result<Option<u32>, NamesError> {
        if let Some(&known) = self.known.get(&slot) {
            return Ok(known);
        }
        let number;
        let name = if let Some(name) = dictionary.of(slot) {
            name
        } else {
            number = (slot - self.from_zero).to_string();
            &number
        };
        let found = if names.is_frozen() {
            names.slot(name.as_bytes())
        } else {
            Some(names.assign(name, options.limits())?)
        };
        self.known.insert(slot, found);
        Ok(found)
    }

    /// Puts the rows of a block into `out`, with the stream's slots; gives the number of values that
    /// were left out because a model does not know their features.
    pub(super) fn copy(
        &mut self,
        block: Block<'_>,
        file: &CacheFile,
        names: &LiveSchema,
        options: &ReadOptions,
        out: &mut Rows,
    ) -> Result<u64, NamesError> {
        let (dictionary, live) = (file.dictionary(), names);
        let mut names = live.write();
        let names = &mut *names;
        let mut text = live.text();
        let having = |slot: u32| file.text().having().get(slot as usize).copied();
        let mut unknown = 0;
        out.clear();
        for row in 0..block.len() {
            begin_row(block, row, options, out);
            for (&slot, &value) in block.slots(row).iter().zip(block.values_of(row)) {
                let is_new = !self.known.contains_key(&slot);
                match self.slot(slot, &dictionary, names, options)? {
                    Some(found) => {
                        if is_new
                            && !names.is_frozen()
                            && let Some(having) = having(slot)
                        {
                            Arc::make_mut(&mut text).count_word(found, having);
                        }
                        out.push_any(found, value);
                    }
                    None => unknown += 1,
                }
            }
            out.end_row(block.line(row));
        }
        Ok(unknown)
    }
}

/// Begins a row with the labels and the weight of another, and the constant feature if there is one.
pub(super) fn begin_row(block: Block<'_>, row: usize, options: &ReadOptions, out: &mut Rows) {
    for label in block.labels(row) {
        out.push_label(label.number().unwrap_or(f64::NAN), label.text());
    }
    if let Some(&weight) = block.weights.get(row) {
        out.set_weight(weight);
    }
    if let Some(bias) = options.bias {
        out.push(0, bias);
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use novikoff::names::{NameLimits, Names};
    use novikoff::random::SplitMix64;

    use super::Dictionary;

    #[test]
    fn the_memory_of_names_is_told_before_they_are_made() {
        for len in [3, 20, 50] {
            let mut names = Names::new();
            for k in 0..100_000 {
                let limits = NameLimits {
                    slots: 1_000_000,
                    bytes: 1 << 30,
                };
                names.assign(&format!("n{k:0len$}"), limits).unwrap();
            }
            let (bytes, count, text) = Dictionary::write(&names);
            let mut aligned = vec![0_u64; bytes.len() / 8];
            bytemuck::cast_slice_mut(&mut aligned).copy_from_slice(&bytes);
            let bytes = bytemuck::cast_slice(&aligned);
            let reported = Dictionary::view(bytes, count, text).unwrap().memory();
            assert!(reported <= names.bytes(), "{len}");
            assert!(5 * reported >= 2 * names.bytes(), "{len}");
        }
    }

    #[test]
    fn slots_are_taken_as_they_are_only_if_every_name_has_the_same() {
        let limits = NameLimits {
            slots: 12,
            bytes: 1 << 20,
        };
        let pool = ["a", "b", "c", "1", "2", "3", "5", "007", "15"];
        let mut random = SplitMix64::new(1);
        let mut agreed = 0;
        for _ in 0..20_000 {
            let (mut ours, mut theirs) = (Names::new(), Names::new());
            for _ in 0..random.below(6) {
                let name = pool[random.below(pool.len())];
                ours.assign(name, limits).unwrap();
                if random.below(9) > 0 {
                    theirs.assign(name, limits).unwrap();
                }
            }
            // past the limit too, where numbers are names like any other
            ours.reach(3 * random.below(7) as u32);
            theirs.reach(4 * random.below(7) as u32);
            let (bytes, count, text) = Dictionary::write(&ours);
            // a vector of bytes may lie anywhere, a file does not
            let mut aligned = vec![0_u64; bytes.len() / 8];
            bytemuck::cast_slice_mut(&mut aligned).copy_from_slice(&bytes);
            let bytes = bytemuck::cast_slice(&aligned);
            let dictionary = Dictionary::view(bytes, count, text).unwrap();
            dictionary.check(ours.highest()).unwrap();
            assert!(dictionary.iter().eq(ours.iter()));
            assert!(dictionary.memory() <= ours.bytes(), "{ours:?}");
            let width = ours.highest();
            let same = (1..=width).all(|slot| {
                let number = slot.to_string();
                let name = ours.name(slot).unwrap_or(&number);
                theirs.slot(name.as_bytes()) == Some(slot)
            });
            let agrees = dictionary.agrees(&theirs, width);
            assert!(same || !agrees, "{ours:?} {theirs:?}");
            agreed += u32::from(agrees);
        }
        assert!(agreed > 1000, "{agreed}");
    }
}
