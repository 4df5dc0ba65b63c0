//! The words of rows while the slots of some are being found, and their values once all are known.

use std::sync::Arc;

use novikoff::rows::Rows;
use novikoff::table::TextForm;
use novikoff::text_statistics::TextStatistics;

use super::TextCounts;
use crate::draft::Feature;

/// A word without a slot yet: its place among the new names of the block is behind this bit.
const NEW: u64 = 1 << 32;

/// The words of the rows of a block, apart from their other values.
#[derive(Debug, Default)]
pub(crate) struct DraftedText {
    /// The columns of text. Every row counts for each of them.
    columns: Arc<[String]>,
    form: TextForm,
    /// Slots or new names, and how many times the row has each; those of a part of a row increase.
    words: Vec<(u64, u32)>,
    /// Which row and column the words are of, and where they end.
    parts: Vec<Part>,
    /// How many parts belong to finished rows.
    finished: usize,
    values: Values,
}

#[derive(Clone, Copy, Debug)]
struct Part {
    row: usize,
    column: usize,
    end: usize,
}

/// The values of words, row by row.
#[derive(Debug, Default)]
struct Values {
    ends: Vec<u64>,
    index: Vec<u32>,
    value: Vec<f32>,
    /// Those of one part.
    part: Vec<(u32, f64)>,
}

impl DraftedText {
    /// Begins a block of rows that have these columns of text.
    pub(crate) fn begin(&mut self, columns: &Arc<[String]>, form: TextForm) {
        self.columns = Arc::clone(columns);
        self.form = form;
    }

    pub(crate) fn clear(&mut self) {
        self.columns = Arc::default();
        self.words.clear();
        self.parts.clear();
        self.finished = 0;
    }

    /// There are columns of text.
    pub(crate) fn is_some(&self) -> bool {
        !self.columns.is_empty()
    }

    /// Words are counted to be weighted.
    pub(crate) fn counts(&self) -> bool {
        self.is_some() && self.form.tfidf
    }

    /// Adds a word of a model to the part being built, which is there this many times.
    fn push_known(&mut self, slot: u32, times: u32) {
        self.words.push((u64::from(slot), times));
    }

    /// Adds a word to the part being built. False if the model does not know it.
    pub(crate) fn push(&mut self, feature: Feature) -> bool {
        let word = match feature {
            Feature::Slot(slot) => u64::from(slot),
            Feature::New(at) => NEW | u64::from(at),
            Feature::Unknown => return false,
        };
        self.words.push((word, 1));
        true
    }

    /// The words pushed since the last part are those of a column of row `row`.
    pub(crate) fn end_part(&mut self, row: usize, column: usize) {
        let start = self.parts.last().map_or(0, |part| part.end);
        let kept = add_up(&mut self.words[start..]);
        self.words.truncate(start + kept);
        if kept > 0 {
            let end = self.words.len();
            self.parts.push(Part { row, column, end });
        }
    }

    /// The row being built is finished.
    pub(crate) fn end_row(&mut self) {
        self.finished = self.parts.len();
    }

    /// Drops the row being built.
    pub(crate) fn abandon_row(&mut self) {
        self.keep(self.finished);
    }

    /// Keeps the first rows only.
    pub(crate) fn keep_rows(&mut self, rows: usize) {
        let parts = self.parts.partition_point(|part| part.row < rows);
        self.keep(parts);
        self.finished = parts;
    }

    fn keep(&mut self, parts: usize) {
        self.parts.truncate(parts);
        let words = self.parts.last().map_or(0, |part| part.end);
        self.words.truncate(words);
    }

    /// The first row that has the new name `at`, or one met after it.
    pub(crate) fn row_of_name(&self, at: usize) -> Option<usize> {
        let mut start = 0;
        for part in &self.parts {
            let words = &self.words[start..part.end];
            if words.iter().any(|&(word, _)| word >= NEW | at as u64) {
                return Some(part.row);
            }
            start = part.end;
        }
        None
    }

    /// How many times each of so many rows has each word, by columns of text. `slots` are those of new names.
    pub(crate) fn counts_of(
        &mut self,
        columns: &[String],
        rows: usize,
        slots: &[u32],
    ) -> Vec<TextCounts> {
        let of = |column: &String| TextCounts::new(column.clone());
        let mut counts: Vec<TextCounts> = columns.iter().map(of).collect();
        let (mut next, mut start) = (0, 0);
        for row in 0..rows {
            for (column, counts) in counts.iter_mut().enumerate() {
                let part = self.parts.get(next);
                if let Some(part) = part.filter(|p| (p.row, p.column) == (row, column)) {
                    let words = settled(&mut self.words[start..part.end], slots);
                    counts.extend(words.iter().map(|&(slot, times)| (slot as u32, times)));
                    (next, start) = (next + 1, part.end);
                }
                counts.end_row();
            }
        }
        counts
    }

    /// Adds the words to their rows; every row is counted first, if it is. `slots` are those of new names.
    pub(crate) fn weigh(&mut self, rows: &mut Rows, slots: &[u32], mut counted: Counted<'_>) {
        let (mut next, mut start) = (0, 0);
        self.values.clear();
        for row in 0..rows.len() {
            let from = self.values.index.len();
            for (column, name) in self.columns.iter().enumerate() {
                let met = match &mut counted {
                    Counted::Learning(counts) if self.form.tfidf => counts.count_rows(name, 1),
                    Counted::Learning(_) => 0,
                    Counted::Frozen(counts) => counts.rows(name),
                };
                let part = self.parts.get(next);
                let Some(part) = part.filter(|p| (p.row, p.column) == (row, column)) else {
                    continue;
                };
                let words = settled(&mut self.words[start..part.end], slots);
                (next, start) = (next + 1, part.end);
                if !self.form.tfidf {
                    self.values.push(words, |_| 1.0);
                    continue;
                }
                if let Counted::Learning(counts) = &mut counted {
                    for &(slot, _) in words {
                        counts.count_word(slot as u32, 1);
                    }
                }
                let counts: &TextStatistics = match &counted {
                    Counted::Learning(counts) => counts,
                    Counted::Frozen(counts) => counts,
                };
                self.values.push(words, |slot| counts.weight(slot, met));
            }
            self.values.end_row(from);
        }
        rows.merge(&self.values.ends, &self.values.index, &self.values.value);
    }
}

/// Gives the words of rows their values, which are added to the rows: words by the slots that a model gives them, none for those that it does not
/// know. Says how many those are.
pub(crate) fn weigh_counts(
    texts: &[TextCounts],
    form: TextForm,
    rows: &mut Rows,
    mut slot_of: impl FnMut(u32) -> Option<u32>,
    counted: Counted<'_>,
) -> u64 {
    let mut drafted = DraftedText {
        columns: texts.iter().map(|text| text.column.clone()).collect(),
        form,
        ..DraftedText::default()
    };
    let mut unknown = 0;
    for row in 0..rows.len() {
        for (column, counts) in texts.iter().enumerate() {
            for &(word, times) in counts.row(row) {
                match slot_of(word) {
                    Some(slot) => drafted.push_known(slot, times),
                    None => unknown += u64::from(times),
                }
            }
            drafted.end_part(row, column);
        }
    }
    drafted.weigh(rows, &[], counted);
    unknown
}

/// Statistics of words, and whether the rows of a block are counted in them.
pub(crate) enum Counted<'a> {
    Learning(&'a mut TextStatistics),
    Frozen(&'a TextStatistics),
}

/// Sorts words and adds up what comes more than once. Says how many are left.
fn add_up(words: &mut [(u64, u32)]) -> usize {
    words.sort_unstable_by_key(|&(word, _)| word);
    let mut kept = 0;
    for at in 0..words.len() {
        let (word, times) = words[at];
        if kept > 0 && words[kept - 1].0 == word {
            words[kept - 1].1 = words[kept - 1].1.saturating_add(times);
        } else {
            words[kept] = (word, times);
            kept += 1;
        }
    }
    kept
}

/// Words with their slots, which increase.
fn settled<'w>(words: &'w mut [(u64, u32)], slots: &[u32]) -> &'w [(u64, u32)] {
    let is_new = |word: u64| word >= NEW;
    if words.last().is_none_or(|&(word, _)| !is_new(word)) {
        return words;
    }
    for (word, _) in words.iter_mut().filter(|&&mut (word, _)| is_new(word)) {
        *word = u64::from(slots[(*word - NEW) as usize]);
    }
    let kept = add_up(words);
    &words[..kept]
}

impl Values {
    fn clear(&mut self) {
        self.ends.clear();
        self.index.clear();
        self.value.clear();
    }

    /// Adds a part of a row, scaled to length 1.
    fn push(&mut self, words: &[(u64, u32)], weight: impl Fn(u32) -> f64) {
        self.part.clear();
        let mut squares = 0.0;
        for &(slot, times) in words {
            let value = f64::from(times) * weight(slot as u32);
            squares += value * value;
            self.part.push((slot as u32, value));
        }
        let length = squares.sqrt();
        for &(slot, value) in &self.part {
            self.index.push(slot);
            self.value.push((value / length) as f32);
        }
    }

    /// Ends a row whose parts begin at `from`. What several columns of text have in common, where slots are hashes, is added up.
    fn end_row(&mut self, from: usize) {
        let slots = &self.index[from..];
        if !slots.is_sorted_by(|a, b| a < b) {
            self.part.clear();
            let values = self.value[from..].iter().map(|&value| f64::from(value));
            self.part.extend(slots.iter().copied().zip(values));
            // stable, so that equal slots are added in the order of the columns
            self.part.sort_by_key(|&(slot, _)| slot);
            self.index.truncate(from);
            self.value.truncate(from);
            for group in self.part.chunk_by(|a, b| a.0 == b.0) {
                let sum: f64 = group.iter().map(|&(_, value)| value).sum();
                self.index.push(group[0].0);
                self.value.push(sum as f32);
            }
        }
        self.ends.push(self.index.len() as u64);
    }
}
