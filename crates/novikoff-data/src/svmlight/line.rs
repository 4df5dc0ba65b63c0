//! One line: labels, query, features, each word with its place.

use memchr::memchr;
use novikoff::rows::Rows;

use super::eights::{Places, Wide};
use super::tokens::{self, Slots, Stage, TokenEnd};
use super::{ReadOptions, lanes, number};
use crate::error::{LineProblem, Token};
use crate::word_label;

/// What is wrong, and at which byte of the block.
pub(super) struct Fault {
    pub(super) at: usize,
    pub(super) problem: LineProblem,
}

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
    slots: Slots,
    stage: Stage,
    wide: Option<Wide>,
    places: Places,
}

/// How the next token is read: with others at a time, by the hot loop for the usual ones only, by the
/// one for all that it knows, or by itself with all care.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Pace {
    Wide(Wide),
    Fast,
    Steady,
    Careful,
}

impl<'a> LineReader<'a> {
    pub(super) fn new(text: &'a [u8], options: &'a ReadOptions) -> Self {
        let slots = Slots {
            shift: u32::from(options.zero_based),
            limit: options.limit(),
        };
        LineReader {
            text,
            options,
            slots,
            stage: Stage::new(),
            wide: Wide::detect(text),
            places: Places::new(),
        }
    }

    /// Reads the line at `start`: labels, query, features.
    pub(super) fn line<const CAREFUL: bool>(
        &mut self,
        start: usize,
        out: &mut Rows,
    ) -> Result<Line, Fault> {
        let at = self.skip_blanks(start);
        if let Some(next) = self.next_line(at) {
            return Ok(Line { next, row: false });
        }
        let at = self.labels(at, out)?;
        if let Some(bias) = self.options.bias {
            out.push(0, bias);
        }
        let at = self.query(self.skip_blanks(at))?;
        let next = self.features::<CAREFUL>(at, out)?;
        Ok(Line { next, row: true })
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
            (Some(b'#'), _) => {
                Some(memchr(b'\n', &self.text[at..]).map_or(self.text.len(), |len| at + len + 1))
            }
            _ => None,
        }
    }

    /// The word that begins here: all up to the next blank, remark or end of line.
    fn word(&self, at: usize) -> &[u8] {
        let rest = &self.text[at..];
        let mut from = 0;
        loop {
            let stops = |b: &u8| matches!(b, b' ' | b'\t' | b'\n' | b'#' | b'\r');
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

    /// Reads the labels, if there are any, and says where they end.
    fn labels(&self, at: usize, out: &mut Rows) -> Result<usize, Fault> {
        // the usual ones: a digit, or a sign and a digit
        for len in 1..=2 {
            if let Some(b' ') = self.byte(at + len)
                && let label = &self.text[at..at + len]
                && let Some(number) = number::small(label)
            {
                out.push_label(number, label);
                return Ok(at + len);
            }
        }
        let word = self.word(at);
        if word == b"?" {
            return Ok(at + 1);
        }
        if word.contains(&b':') {
            return Ok(at); // a feature or a query: there is no label
        }
        let mut from = at;
        for label in word.split(|&b| b == b',') {
            match word_label::read(label) {
                Some(number) => out.push_label(number, label),
                None => return Err(bad(from, label, |token| LineProblem::BadLabel { token })),
            }
            from += label.len() + 1;
        }
        Ok(at + word.len())
    }

    /// Checks the query, if there is one, and says where it ends.
    fn query(&self, at: usize) -> Result<usize, Fault> {
        if !self.text[at..].starts_with(b"qid:") {
            return Ok(at);
        }
        let word = self.word(at);
        match &word[4..] {
            id if !id.is_empty() && id.iter().all(u8::is_ascii_digit) => Ok(at + word.len()),
            _ => Err(bad(at, word, |token| LineProblem::BadQuery { token })),
        }
    }

    /// Reads the features up to the line's end, and says where the next line begins.
    fn features<const CAREFUL: bool>(
        &mut self,
        mut at: usize,
        out: &mut Rows,
    ) -> Result<usize, Fault> {
        (self.stage.len, self.stage.last) = (0, 0);
        let mut pace = match self.wide {
            _ if CAREFUL => Pace::Careful,
            Some(wide) => Pace::Wide(wide),
            None => Pace::Fast,
        };
        let next = loop {
            at = self.skip_blanks(at);
            if let Some(next) = self.next_line(at) {
                break next;
            }
            let mut stop = TokenEnd::Odd;
            if let Pace::Wide(wide) = pace {
                (stop, at) =
                    wide.read(self.text, at, &mut self.places, self.slots, &mut self.stage);
            } else if let Some(from) = at.checked_sub(lanes::BACK)
                && pace != Pace::Careful
            {
                let mut rest = &self.text[from..];
                stop = match pace {
                    Pace::Fast => tokens::read::<false>(&mut rest, self.slots, &mut self.stage),
                    _ => tokens::read::<true>(&mut rest, self.slots, &mut self.stage),
                };
                at = self.text.len() - rest.len() + lanes::BACK;
            } else {
                at = self.feature(at)?;
            }
            match (stop, pace) {
                (TokenEnd::Line, _) => break at,
                (TokenEnd::Odd, Pace::Wide(_)) => pace = Pace::Fast,
                (TokenEnd::Odd, Pace::Steady) => pace = Pace::Careful,
                (TokenEnd::Odd, _) if !CAREFUL => pace = Pace::Steady,
                _ => {}
            }
            if stop == TokenEnd::Full || self.stage.is_full() {
                self.unload(out);
            }
        };
        self.unload(out);
        Ok(next)
    }

    fn unload(&mut self, out: &mut Rows) {
        let (index, value) = self.stage.values();
        out.push_many(index, value, self.stage.last);
        self.stage.len = 0;
    }

    /// Reads the feature here with all care, and says where it ends.
    fn feature(&mut self, at: usize) -> Result<usize, Fault> {
        let word = self.word(at);
        let Some(colon) = memchr(b':', word) else {
            return Err(bad(at, word, |token| LineProblem::MissingColon { token }));
        };
        let (slot, index) = self.index(at, &word[..colon])?;
        let text = &word[colon + 1..];
        let from = at + colon + 1;
        if text.is_empty() {
            return Err(Fault {
                at,
                problem: LineProblem::MissingValue { index },
            });
        }
        match number::value(text) {
            Some((value, len)) if len == text.len() => {
                if value.is_infinite() {
                    return Err(bad(from, text, |token| LineProblem::ValueRange { token }));
                }
                let end = at + word.len();
                self.stage.push(slot, value);
                Ok(end)
            }
            _ => Err(bad(from, text, |token| LineProblem::BadValue { token })),
        }
    }

    /// The slot of an index, and the index.
    fn index(&self, at: usize, text: &[u8]) -> Result<(u32, u64), Fault> {
        if let [b'-', digits @ ..] = text
            && !digits.is_empty()
            && digits.iter().all(u8::is_ascii_digit)
        {
            return Err(bad(at, text, |token| LineProblem::NegativeIndex { token }));
        }
        if text.is_empty() || !text.iter().all(u8::is_ascii_digit) {
            return Err(bad(at, text, |token| LineProblem::BadIndex { token }));
        }
        // any length: what u64 cannot hold is past every limit
        let index = text.iter().fold(0_u64, |n, b| {
            n.saturating_mul(10).saturating_add(u64::from(b - b'0'))
        });
        let fault = |problem| Err(Fault { at, problem });
        if index == 0 && self.slots.shift == 0 {
            return fault(LineProblem::ZeroIndex);
        }
        let Some(slot) = self.options.slot(index) else {
            let limit = self.slots.limit;
            return Err(bad(at, text, |token| LineProblem::IndexPastLimit {
                token,
                limit,
            }));
        };
        let last = self.stage.last;
        if slot > last {
            return Ok((slot, index));
        }
        fault(if slot == last {
            LineProblem::DuplicateIndex { index }
        } else {
            let before = u64::from(last - self.slots.shift);
            LineProblem::DecreasingIndex { index, before }
        })
    }
}

/// A bad word: not text at all, or else what `problem` says.
fn bad(at: usize, word: &[u8], problem: impl FnOnce(Token) -> LineProblem) -> Fault {
    let token = Token::new(word);
    let valid = word
        .utf8_chunks()
        .next()
        .map_or(0, |chunk| chunk.valid().len());
    let binary = memchr(0, &word[..valid]).or((valid < word.len()).then_some(valid));
    match binary {
        Some(i) => Fault {
            at: at + i,
            problem: LineProblem::NotText {
                byte: word[i],
                token,
            },
        },
        None => Fault {
            at,
            problem: problem(token),
        },
    }
}
