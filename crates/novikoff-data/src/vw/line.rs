//! One line: label, importance and tag, then namespaces and their features, each word with its place.
//!
//! Plain features are read by the hot loops, one for names that are numbers and one for others; those that are unusual, and those that are
//! wrong, by themselves and with all care.

use std::io::Write as _;

use memchr::{memchr, memchr2};
use novikoff::names::Names;

use super::VwProblem;
use super::fault::{Fault, bad, check_text};
use super::head::{extra, importance, labels};
use super::plain::{Namespace, plain_len, read};
use super::stage::Stage;
use crate::draft::{Draft, Feature};
use crate::error::LineProblem;
use crate::options::ReadOptions;
use crate::svmlight::{
    BACK, NumberedStage, Places, TokenEnd, Wide, label_number, read_numbered, value_number,
};

/// A line that was read.
pub(super) struct Line {
    /// Where the next one begins.
    pub(super) next: usize,
    /// It holds a row.
    pub(super) row: bool,
}

/// Reads one line after another of a block.
pub(super) struct LineReader<'a> {
    text: &'a [u8],
    options: &'a ReadOptions,
    names: &'a Names,
    /// The current namespace.
    space: Namespace,
    stage: Stage,
    /// The slots of the namespace's names that are numbers, by these, as far as they are known.
    numbered: &'a [u32],
    numbers: NumberedStage,
    wide: Option<Wide>,
    places: Places,
    /// A full name.
    name: Vec<u8>,
}

impl<'a> LineReader<'a> {
    pub(super) fn new(text: &'a [u8], options: &'a ReadOptions, names: &'a Names) -> Self {
        LineReader {
            text,
            options,
            names,
            space: Namespace::new(),
            stage: Stage::new(),
            numbered: &[],
            numbers: NumberedStage::new(),
            wide: Wide::detect(text),
            places: Places::new(),
            name: Vec::new(),
        }
    }

    /// Reads the line at `start`.
    pub(super) fn line(&mut self, start: usize, out: &mut Draft) -> Result<Line, Fault> {
        let at = self.skip_blanks(start);
        if let Some(next) = self.next_line(at) {
            return Ok(Line { next, row: false });
        }
        let bar = self.head(at, out)?;
        out.begin_row(self.options);
        let next = self.features(bar, out);
        // also for a bad line: which names are met must not depend on what is staged
        self.stage.unload(self.names, out);
        Ok(Line {
            next: next?,
            row: true,
        })
    }

    fn byte(&self, at: usize) -> Option<u8> {
        self.text.get(at).copied()
    }

    fn skip_blanks(&self, mut at: usize) -> usize {
        while let Some(b' ' | b'\t') = self.byte(at) {
            at += 1;
        }
        at
    }

    /// Where the next line begins, if this one ends here.
    fn next_line(&self, at: usize) -> Option<usize> {
        match (self.byte(at), self.byte(at + 1)) {
            (None, _) => Some(at),
            (Some(b'\n'), _) | (Some(b'\r'), None) => Some(at + 1),
            (Some(b'\r'), Some(b'\n')) => Some(at + 2),
            _ => None,
        }
    }

    /// The word that begins here: all up to the next blank, bar or end of line.
    fn word(&self, at: usize) -> &'a [u8] {
        let rest = &self.text[at..];
        let mut from = 0;
        loop {
            let stops = |b: &u8| matches!(b, b' ' | b'\t' | b'|' | b'\n' | b'\r');
            let len = rest[from..]
                .iter()
                .position(stops)
                .map_or(rest.len(), |len| from + len);
            if self.byte(at + len) == Some(b'\r') && self.next_line(at + len).is_none() {
                from = len + 1; // a CR inside the line belongs to the word
            } else {
                return &rest[..len];
            }
        }
    }

    /// Reads label, importance and tag, and says where the first bar is.
    fn head(&self, start: usize, out: &mut Draft) -> Result<usize, Fault> {
        let end = memchr2(b'|', b'\n', &self.text[start..]).map(|len| start + len);
        let Some(bar) = end.filter(|&end| self.text[end] == b'|') else {
            return Err(Fault {
                at: start,
                problem: VwProblem::MissingBar.into(),
            });
        };
        let mut at = start;
        for count in 0.. {
            if at == bar {
                break;
            }
            let word = self.word(at);
            let end = at + word.len();
            let next = self.skip_blanks(end);
            let is_tag = next == bar && (end == bar || word[0] == b'\'');
            match count {
                _ if is_tag => {}
                0 => labels(at, word, out)?,
                1 => out.rows.set_weight(importance(at, word)?),
                _ => return Err(extra(at, word)),
            }
            at = next;
        }
        Ok(bar)
    }

    /// Reads the namespaces from the first bar on, and says where the next line begins.
    fn features(&mut self, bar: usize, out: &mut Draft) -> Result<usize, Fault> {
        let mut at = bar;
        loop {
            match self.byte(at) {
                Some(b' ' | b'\t') => {
                    at += 1;
                    if !self.numbered.is_empty() {
                        let (end, next) = self.numbers(at, out);
                        if end == TokenEnd::Line {
                            return Ok(next);
                        }
                        at = next;
                    }
                    at = read(self.text, at, &self.space, &mut self.stage);
                }
                Some(b'|') => at = self.namespace(at + 1)?,
                Some(b'\n') => return Ok(at + 1),
                _ => {
                    if let Some(next) = self.next_line(at) {
                        return Ok(next);
                    }
                    self.stage.unload(self.names, out);
                    at = match self.long_feature(at, out) {
                        Some(end) => end,
                        None => self.feature(at, out)?,
                    };
                }
            }
            if self.stage.is_full() {
                self.stage.unload(self.names, out);
            }
        }
    }

    /// Reads features whose names are numbers from `at` on, until the line ends or there is another; says which, and where that is. It stops
    /// behind the newline, or where the next feature begins.
    fn numbers(&mut self, mut at: usize, out: &mut Draft) -> (TokenEnd, usize) {
        let mut first = true;
        let mut wide = self.wide;
        loop {
            let stop;
            if let Some(wide) = wide {
                (stop, at) = wide.read_numbered(self.text, at, &mut self.places, &mut self.numbers);
            } else {
                let Some(from) = at.checked_sub(BACK) else {
                    return (TokenEnd::Odd, at);
                };
                let mut rest = &self.text[from..];
                stop = read_numbered(&mut rest, &mut self.numbers);
                at = self.text.len() - rest.len() + BACK;
            }
            if self.numbers.len > 0 && std::mem::take(&mut first) {
                self.stage.unload(self.names, out);
            }
            self.unload_numbers(out);
            if stop == TokenEnd::Odd && wide.take().is_some() {
                continue; // one at a time
            }
            if stop != TokenEnd::Full {
                return (stop, at);
            }
        }
    }

    /// Moves the features whose names are numbers to the row being built.
    fn unload_numbers(&mut self, out: &mut Draft) {
        let (numbers, values) = self.numbers.values();
        let mut slots = [0; NumberedStage::ROOM];
        let slots = &mut slots[..numbers.len()];
        for (slot, &number) in slots.iter_mut().zip(numbers) {
            *slot = self.numbered.get(number as usize).copied().unwrap_or(0);
        }
        if slots.contains(&0) {
            for ((&slot, number), &value) in slots.iter().zip(numbers).zip(values) {
                let feature = if slot == 0 {
                    self.name.clear();
                    self.name.extend_from_slice(&self.space.prefix);
                    // writing to a Vec cannot fail
                    let _ = write!(self.name, "{number}");
                    out.find(self.names, &self.name)
                } else {
                    Feature::Slot(slot)
                };
                out.push(feature, value);
            }
        } else {
            out.rows.push_any_many(slots, values);
        }
        self.numbers.len = 0;
    }

    /// Enters a namespace.
    fn enter(&mut self, name: &[u8], scale: f64) {
        self.space.enter(name, scale);
        self.numbered = if scale == 1.0 {
            self.names.numbered(&self.space.prefix)
        } else {
            &[]
        };
    }

    /// Reads the feature here if its name is plain, however long, and says where it ends.
    fn long_feature(&mut self, at: usize, out: &mut Draft) -> Option<usize> {
        let len = plain_len(&self.text[at..]);
        let (mut value, mut end) = (1.0, at + len);
        if self.byte(end) == Some(b':') {
            let (read, value_len) = value_number(&self.text[end + 1..])?;
            (value, end) = (read, end + 1 + value_len);
        }
        let value = self.space.scaled(value);
        let ends = matches!(self.byte(end), Some(b' ' | b'\n' | b'|' | b'\t'));
        if !ends || len == 0 || !value.is_finite() {
            return None;
        }
        self.push(&self.text[at..at + len], value, out);
        Some(end)
    }

    /// Adds a value of the feature with this name in the current namespace.
    fn push(&mut self, name: &[u8], value: f32, out: &mut Draft) {
        self.name.clear();
        self.name.extend_from_slice(&self.space.prefix);
        self.name.extend_from_slice(name);
        let feature = out.find(self.names, &self.name);
        out.push(feature, value);
    }

    /// Reads the namespace here, right after its bar, and says where it ends.
    fn namespace(&mut self, at: usize) -> Result<usize, Fault> {
        let len = plain_len(&self.text[at..]);
        let end = at + len;
        if matches!(self.byte(end), Some(b' ' | b'\n' | b'|' | b'\t')) {
            self.enter(&self.text[at..end], 1.0);
            return Ok(end);
        }
        let word = self.word(at);
        check_text(at, word)?;
        let (name, scale) = match memchr(b':', word) {
            None => (word, 1.0),
            Some(colon) => {
                let (name, scale) = (&word[..colon], &word[colon + 1..]);
                if name.is_empty() {
                    return Err(bad(at, word, |token| VwProblem::EmptyNamespace { token }));
                }
                if scale.is_empty() {
                    return Err(bad(at, name, |token| VwProblem::MissingScale { token }));
                }
                let from = at + colon + 1;
                let bad_scale = || bad(from, scale, |token| VwProblem::BadScale { token });
                (name, label_number(scale).ok_or_else(bad_scale)?)
            }
        };
        self.enter(name, scale);
        Ok(at + word.len())
    }

    /// Reads the feature here with all care, and says where it ends.
    fn feature(&mut self, at: usize, out: &mut Draft) -> Result<usize, Fault> {
        let word = self.word(at);
        let end = at + word.len();
        check_text(at, word)?;
        let Some(colon) = memchr(b':', word) else {
            self.push_scaled(at, word, (1.0, b"1"), out)?;
            return Ok(end);
        };
        let (name, text) = (&word[..colon], &word[colon + 1..]);
        if name.is_empty() {
            return Err(bad(at, word, |token| VwProblem::EmptyName { token }));
        }
        if text.is_empty() {
            return Err(bad(at, name, |token| VwProblem::MissingValue { token }));
        }
        let from = at + colon + 1;
        if let Some(second) = memchr(b':', text) {
            let at = from + second;
            return Err(bad(at, word, |token| VwProblem::TwoColons { token }));
        }
        let value = match value_number(text) {
            Some((value, len)) if len == text.len() => value,
            _ => return Err(bad(from, text, |token| LineProblem::BadValue { token })),
        };
        if value.is_infinite() {
            return Err(bad(from, text, |token| LineProblem::ValueRange { token }));
        }
        self.push_scaled(from, name, (value, text), out)?;
        Ok(end)
    }

    /// Adds a value, which stands at `at`, times the scale.
    fn push_scaled(
        &mut self,
        at: usize,
        name: &[u8],
        (value, text): (f32, &[u8]),
        out: &mut Draft,
    ) -> Result<(), Fault> {
        let scaled = self.space.scaled(value);
        if scaled.is_infinite() {
            return Err(bad(at, text, |token| VwProblem::ScaledRange { token }));
        }
        self.push(name, scaled, out);
        Ok(())
    }
}
