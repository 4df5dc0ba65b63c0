//! Rows of a block while the slots of their features are being found.
//!
//! Blocks are parsed by any free thread, in any order; names get their slots in the order of the
//! stream. So a parser looks up the names that are known, and notes the others; when the block's turn
//! comes, [`Draft::finish`] gives those their slots. A name that is known never changes its slot, so
//! it makes no difference who found it when.

use foldhash::fast::RandomState;
use hashbrown::HashTable;
use novikoff::names::{Names, NamesError};
use novikoff::rows::Rows;
use novikoff::table::TextForm;
use novikoff::text_statistics::TextStatistics;
use std::collections::HashMap;
use std::fmt::Write as _;
use std::hash::BuildHasher as _;
use std::sync::Arc;

use crate::error::LineError;
use crate::gaps::Gaps;
use crate::live_schema::LiveSchema;
use crate::options::ReadOptions;
use crate::text::{Counted, DraftedText, TextCounts};

/// A feature as far as it is known while parsing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Feature {
    /// Its slot.
    Slot(u32),
    /// A name without a slot yet: its place among the new names of the block.
    New(u32),
    /// A name that a model does not know: left out.
    Unknown,
}

/// Names that a model does not know that are counted one by one.
pub(crate) const UNKNOWN_NAMES: usize = 256;

/// A name that cannot have a slot.
#[derive(Debug)]
pub(crate) struct NoSlot {
    /// The line in the block, if a row needs it.
    pub(crate) line: Option<u64>,
    /// Which limit.
    pub(crate) source: NamesError,
}

/// Some rows, and what is not settled about them.
#[derive(Debug, Default)]
pub(crate) struct Draft {
    /// The rows.
    pub(crate) rows: Rows,
    /// Lines passed over.
    pub(crate) bad: Vec<LineError>,
    /// How many values were left out because a model does not know their features.
    pub(crate) unknown: u64,
    /// Names that a model does not know, words of text left out, each with how often it was looked up.
    pub(crate) unknown_names: HashMap<Vec<u8>, u64>,
    /// Words of text, and those that a model does not know.
    pub(crate) words: u64,
    pub(crate) unknown_words: u64,
    /// Missing cells of tables.
    pub(crate) gaps: Gaps,
    /// New names one after another, and where each ends.
    text: Vec<u8>,
    ends: Vec<usize>,
    table: HashTable<u32>,
    hasher: RandomState,
    /// How many of them there were before the first row: those of columns.
    columns: usize,
    /// Values in `rows` whose slot is a place among the new names, increasing.
    places: Vec<usize>,
    /// How many values of those belong to finished rows.
    finished: usize,
    /// How many new names, and how many unknown features, there were before the row being built.
    earlier: (usize, u64),
    /// The words of text, which are no values yet.
    text_parts: DraftedText,
    /// The slots that new names have got.
    slots: Vec<u32>,
}

impl Draft {
    /// Forgets all, keeps the memory.
    pub(crate) fn clear(&mut self) {
        self.rows.clear();
        self.bad.clear();
        (self.unknown, self.words, self.unknown_words) = (0, 0, 0);
        self.unknown_names.clear();
        self.gaps.clear();
        self.text_parts.clear();
        self.clear_names();
    }

    fn clear_names(&mut self) {
        self.text.clear();
        self.ends.clear();
        self.table.clear();
        self.places.clear();
        (self.columns, self.finished, self.earlier) = (0, 0, (0, 0));
    }

    /// What is known of a feature that is no word of a text. The name must be UTF-8.
    pub(crate) fn find(&mut self, names: &Names, name: &[u8]) -> Feature {
        let feature = self.look_up(names, name);
        if feature == Feature::Unknown {
            if let Some(times) = self.unknown_names.get_mut(name) {
                *times += 1;
            } else if self.unknown_names.len() < UNKNOWN_NAMES {
                self.unknown_names.insert(name.to_vec(), 1);
            }
        }
        feature
    }

    fn look_up(&mut self, names: &Names, name: &[u8]) -> Feature {
        if let Some(slot) = names.slot(name) {
            return Feature::Slot(slot);
        }
        if names.is_frozen() {
            return Feature::Unknown;
        }
        let hash = self.hasher.hash_one(name);
        let Draft { text, ends, .. } = self;
        let of = |at: u32| {
            let at = at as usize;
            let start = if at == 0 { 0 } else { ends[at - 1] };
            &text[start..ends[at]]
        };
        if let Some(&at) = self.table.find(hash, |&at| of(at) == name) {
            return Feature::New(at);
        }
        let hasher = &self.hasher;
        let at = ends.len() as u32;
        self.table
            .insert_unique(hash, at, |&other| hasher.hash_one(of(other)));
        self.text.extend_from_slice(name);
        self.ends.push(self.text.len());
        Feature::New(at)
    }

    /// Some names have no slot yet.
    pub(crate) fn has_new_names(&self) -> bool {
        !self.ends.is_empty()
    }

    /// Begins a row with its constant feature, if there is one.
    pub(crate) fn begin_row(&mut self, options: &ReadOptions) {
        self.earlier = (self.ends.len(), self.unknown);
        if self.rows.is_empty() {
            self.columns = self.ends.len();
        }
        if let Some(bias) = options.bias {
            self.rows.push(0, bias);
        }
    }

    /// Adds a value to the row being built; features may come in any order, and what comes twice is
    /// added up.
    #[inline]
    pub(crate) fn push(&mut self, feature: Feature, value: f32) {
        match feature {
            Feature::Slot(slot) => self.rows.push_any(slot, value),
            Feature::New(at) if value != 0.0 => {
                self.places.push(self.rows.values());
                self.rows.push_draft(at, value);
            }
            Feature::New(_) => {}
            Feature::Unknown => self.unknown += 1,
        }
    }

    /// The rows that follow have these columns of text.
    pub(crate) fn begin_text(&mut self, columns: &Arc<[String]>, form: TextForm) {
        self.text_parts.begin(columns, form);
    }

    /// Adds a word to the text being read.
    #[inline]
    pub(crate) fn push_word(&mut self, names: &Names, name: &[u8]) {
        let feature = self.look_up(names, name);
        let is_unknown = u64::from(!self.text_parts.push(feature));
        self.unknown += is_unknown;
        self.unknown_words += is_unknown;
        self.words += 1;
    }

    /// Ends the text of the row being built in a column of text, counted from 0 among those.
    pub(crate) fn end_text(&mut self, column: usize) {
        self.text_parts.end_part(self.rows.len(), column);
    }

    /// Ends the row being built.
    pub(crate) fn end_row(&mut self, line: u64) {
        self.text_parts.end_row();
        if self.places.len() > self.finished {
            self.rows.end_draft_row(line);
            self.finished = self.places.len();
        } else {
            self.rows.end_row(line);
        }
        self.earlier = (self.ends.len(), self.unknown);
    }

    /// Drops the new names of the row being built, which is bad: how far it was read before that was
    /// noticed may differ from one way of reading to another.
    pub(crate) fn forget_names(&mut self) {
        let (kept, unknown) = self.earlier;
        self.unknown = unknown;
        if self.ends.len() == kept {
            return;
        }
        self.ends.truncate(kept);
        self.text.truncate(self.ends.last().copied().unwrap_or(0));
        self.table.retain(|&mut at| (at as usize) < kept);
    }

    /// Drops the row being built.
    pub(crate) fn abandon_row(&mut self) {
        self.rows.abandon_row();
        self.places.truncate(self.finished);
        self.text_parts.abandon_row();
    }

    /// Passes over a bad line, if that many are allowed in all; otherwise gives it back.
    pub(crate) fn pass_over(
        &mut self,
        error: LineError,
        options: &ReadOptions,
    ) -> Result<(), LineError> {
        self.abandon_row();
        if (self.bad.len() as u64) < options.skip_bad {
            self.bad.push(error);
            Ok(())
        } else {
            Err(error)
        }
    }

    /// Looks up the features of finished rows, which so far are slots, by their numbers as names.
    pub(crate) fn name_numbers(&mut self, names: &Names, options: &ReadOptions) {
        let rows = std::mem::take(&mut self.rows);
        let mut text = String::new();
        for i in 0..rows.len() {
            for label in rows.labels(i) {
                self.rows
                    .push_label(label.number().unwrap_or(f64::NAN), label.text());
            }
            self.begin_row(options);
            for (slot, value) in rows.row(i).iter().filter(|&(slot, _)| slot != 0) {
                text.clear();
                // writing to a String cannot fail
                let _ = write!(text, "{}", slot - usize::from(options.zero_based));
                let feature = self.find(names, text.as_bytes());
                self.push(feature, value as f32);
            }
            self.end_row(rows.line(i));
        }
    }

    /// Keeps the rows before a line only.
    pub(crate) fn keep_before(&mut self, line: u64) {
        let rows = self.rows.view().lines.partition_point(|&l| l < line);
        self.rows.truncate(rows);
        let values = self.rows.values();
        self.places.retain(|&place| place < values);
        self.text_parts.keep_rows(rows);
    }

    /// Gives new names their slots and words their values, in order: to be called in the order of the stream. If a name cannot have a
    /// slot, the rows before its line are kept.
    pub(crate) fn finish(
        &mut self,
        names: &LiveSchema,
        options: &ReadOptions,
    ) -> Result<(), NoSlot> {
        self.slots.clear();
        let known = names.read();
        let is_known = self.ends.is_empty() && self.rows.width() <= known.highest();
        let (frozen, highest) = (known.is_frozen(), known.highest());
        drop(known);
        let mut named = Ok(());
        if !is_known {
            named = self.name_features(&mut names.write(), options);
        }
        if self.text_parts.is_some() {
            named = named.and(self.check_memory(frozen, highest, options));
            self.weigh(&mut names.text(), frozen);
        }
        named
    }

    /// How many times each row has each word, by columns of text: what gives words their values later. New names have their slots.
    pub(crate) fn text_counts(&mut self, columns: &[String]) -> Vec<TextCounts> {
        let rows = self.rows.len();
        self.text_parts.counts_of(columns, rows, &self.slots)
    }

    /// Gives words their values.
    pub(crate) fn weigh(&mut self, statistics: &mut Arc<TextStatistics>, frozen: bool) {
        let counted = if frozen || !self.text_parts.counts() {
            Counted::Frozen(statistics)
        } else {
            Counted::Learning(Arc::make_mut(statistics))
        };
        self.text_parts.weigh(&mut self.rows, &self.slots, counted);
    }

    /// Statistics of words, up to the highest slot, must find room too.
    fn check_memory(
        &mut self,
        frozen: bool,
        highest: u32,
        options: &ReadOptions,
    ) -> Result<(), NoSlot> {
        let counts = self.text_parts.counts() && !frozen && !self.rows.is_empty();
        if !counts || TextStatistics::bytes(highest) <= options.max_name_bytes {
            return Ok(());
        }
        let line = self.rows.line(0);
        self.keep_before(line);
        Err(NoSlot {
            line: Some(line),
            source: too_large(highest as usize, options),
        })
    }

    /// Gives new names their slots in `names`, which nobody else reads.
    pub(crate) fn name_features(
        &mut self,
        names: &mut Names,
        options: &ReadOptions,
    ) -> Result<(), NoSlot> {
        names.reach(self.rows.width());
        self.slots.clear();
        if self.ends.is_empty() {
            return Ok(());
        }
        let counts = self.text_parts.counts();
        let mut start = 0;
        let mut result = Ok(());
        for &end in &self.ends {
            let name = std::str::from_utf8(&self.text[start..end]).unwrap_or("?");
            let mut limits = options.limits();
            if counts {
                let statistics = TextStatistics::bytes(names.highest());
                limits.bytes = limits.bytes.saturating_sub(statistics);
            }
            match names.assign(name, limits) {
                Ok(slot) => self.slots.push(slot),
                Err(source) => {
                    let source = match source {
                        NamesError::TooLarge { names, .. } => too_large(names, options),
                        other => other,
                    };
                    // a column's name stands before all rows
                    let is_column = self.slots.len() < self.columns;
                    let line = is_column.then_some(0);
                    let line = line.or_else(|| self.line_of_name(self.slots.len()));
                    result = Err(NoSlot { line, source });
                    break;
                }
            }
            start = end;
        }
        if let Err(NoSlot { line: Some(l), .. }) = result {
            self.keep_before(l);
        }
        self.rows.renumber(&self.places, &self.slots);
        self.clear_names();
        result
    }

    /// The line of the first row that has the new name `at`, or one met after it.
    fn line_of_name(&self, at: usize) -> Option<u64> {
        let rows = self.rows.view();
        let has_it = |&&place: &&usize| rows.index[place] as usize >= at;
        let place = self.places.iter().find(has_it);
        let row = place.map(|&place| rows.ends.partition_point(|&end| end as usize <= place));
        let row = row.into_iter().chain(self.text_parts.row_of_name(at)).min();
        Some(rows.line(row?))
    }
}

/// Names take more memory than is allowed.
fn too_large(names: usize, options: &ReadOptions) -> NamesError {
    NamesError::TooLarge {
        names,
        megabytes: options.max_name_bytes >> 20,
    }
}

#[cfg(test)]
mod tests {
    use novikoff::names::Names;

    use super::{Draft, Feature};
    use crate::live_schema::LiveSchema;
    use crate::options::ReadOptions;

    #[test]
    fn slots_depend_on_the_order_of_the_stream_alone() {
        let options = ReadOptions::default();
        let stream = [
            ["b", "a", "7", "b"],
            ["c", "7", "3", "a"],
            ["d", "8", "e", "9"],
        ];
        // all blocks parsed before any is finished, and each parsed when its turn comes
        for ahead in [true, false] {
            let names = LiveSchema::default();
            let mut drafts: Vec<Draft> = Vec::new();
            let parse = |row: &[&str]| {
                let mut draft = Draft::default();
                let known = names.read();
                for (k, name) in row.iter().enumerate() {
                    let feature = draft.find(&known, name.as_bytes());
                    draft.push(feature, k as f32 + 1.0);
                }
                draft.end_row(0);
                draft
            };
            if ahead {
                drafts.extend(stream.iter().map(|row| parse(row)));
            }
            let mut reported = Vec::new();
            for k in 0..3 {
                if !ahead {
                    drafts.push(parse(&stream[k]));
                }
                drafts[k].finish(&names, &options).expect("few names");
                reported.push(drafts[k].rows.row(0).iter().collect::<Vec<_>>());
            }
            assert_eq!(reported[0], [(1, 5.0), (2, 2.0), (7, 3.0)]); // b twice
            assert_eq!(reported[1], [(2, 4.0), (3, 3.0), (7, 2.0), (8, 1.0)]);
            assert_eq!(reported[2], [(9, 1.0), (10, 2.0), (11, 3.0), (12, 4.0)]);
        }
    }

    #[test]
    fn a_frozen_dictionary_leaves_out_what_it_does_not_know() {
        let mut names = Names::new();
        names.freeze();
        let mut draft = Draft::default();
        assert_eq!(draft.find(&names, b"x"), Feature::Unknown);
        draft.push(Feature::Unknown, 1.0);
        draft.end_row(0);
        assert_eq!((draft.unknown, draft.rows.row(0).iter().count()), (1, 0));
    }
}
