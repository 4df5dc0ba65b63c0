//! Text of one input, cut into pieces of whole lines.

use std::io::{self, Read};

use memchr::{memchr_iter, memrchr, memrchr_iter};

use crate::error::{DataError, LineError, LineProblem};
use crate::input::{Opened, unreadable};
use crate::sniff::Compression;

/// Why a piece is the last.
#[derive(Debug)]
pub(crate) enum Fault {
    /// The line with this number in the piece.
    Line(LineError),
    /// The input as a whole.
    Input(DataError),
}

/// Where the bytes of an input may be cut into pieces: a piece has whole rows. A format whose rows end otherwise gets a variant, and
/// its arm in [`last_end`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Cut {
    /// After every newline.
    Lines,
    /// After every newline that is not inside double quotes.
    LinesOutsideQuotes,
}

/// Whole lines of one input.
#[derive(Debug, Default)]
pub(crate) struct Text {
    buffer: Vec<u8>,
    len: usize,
    /// Bytes at the start that are not text: the byte order mark of a file.
    pub(crate) skipped: usize,
    /// It begins its input.
    pub(crate) first: bool,
    /// What ended the stream here, after these lines.
    pub(crate) fault: Option<Fault>,
}

impl Text {
    pub(crate) fn bytes(&self) -> &[u8] {
        &self.buffer[self.skipped..self.len]
    }
}

/// The text of one input, from `skip` bytes on.
pub(crate) struct Feed {
    name: String,
    compression: Option<Compression>,
    reader: Box<dyn Read + Send>,
    ended: bool,
    /// Nothing was handed over yet, and nothing skipped.
    fresh: bool,
    first: bool,
    /// What was read but not handed over yet.
    tail: Vec<u8>,
    /// Bytes of `tail` that were handed over meanwhile.
    taken: usize,
    block_size: usize,
    max_line: usize,
    cut: Cut,
}

impl Feed {
    pub(crate) fn new(
        mut opened: Opened,
        skip: usize,
        cut: Cut,
        block_size: usize,
        max_line: usize,
    ) -> Self {
        opened.head.drain(..skip);
        Feed {
            name: opened.name,
            compression: opened.compression,
            reader: opened.reader,
            ended: opened.ended,
            fresh: skip == 0,
            first: true,
            tail: opened.head,
            taken: 0,
            block_size: block_size.max(1),
            max_line,
            cut,
        }
    }

    /// Fills `text` with the next lines: what is there, or what one `read` gives, or more if that is
    /// no whole line. False at the end. After a fault there is nothing more.
    pub(crate) fn fill(&mut self, text: &mut Text) -> bool {
        (text.len, text.skipped, text.fault) = (0, 0, None);
        text.first = self.first;
        if let Err(fault) = self.lines(text) {
            text.len = text.skipped;
            text.fault = Some(fault);
            (self.ended, self.tail, self.taken) = (true, Vec::new(), 0);
            return true;
        }
        self.first = false;
        text.len > 0
    }

    /// Reads up to and including some line's end, or to the end of the input.
    fn lines(&mut self, text: &mut Text) -> Result<(), Fault> {
        // no more than a block of what is there already
        let mut filled = (self.tail.len() - self.taken).min(self.block_size);
        grow(&mut text.buffer, filled);
        filled = self.take(&mut text.buffer[..filled]);
        if self.fresh && text.buffer[..filled].starts_with(b"\xef\xbb\xbf") {
            text.skipped = 3;
        }
        let (mut searched, mut quoted) = (0, false);
        loop {
            let new = &text.buffer[searched..filled];
            if let Some(end) = last_end(self.cut, new, &mut quoted).map(|end| searched + end) {
                let rest = &text.buffer[end..filled];
                if let Some(from) = self.taken.checked_sub(rest.len()) {
                    // there is room where bytes were taken from
                    self.tail[from..self.taken].copy_from_slice(rest);
                    self.taken = from;
                } else {
                    self.tail.splice(..self.taken, rest.iter().copied());
                    self.taken = 0;
                }
                text.len = end;
                self.fresh = false;
                return Ok(());
            }
            searched = filled;
            if filled - text.skipped > self.max_line {
                return Err(Fault::Line(LineError {
                    line: 0,
                    column: self.max_line as u64 + 1,
                    problem: LineProblem::LineTooLong {
                        limit: self.max_line,
                    },
                }));
            }
            if self.ended && self.taken == self.tail.len() {
                text.len = filled;
                return Ok(());
            }
            // a line longer than a block is read in ever larger pieces
            let room = self.block_size.max(2 * filled).max(filled + 1);
            grow(&mut text.buffer, room);
            filled += self.read(&mut text.buffer[filled..room])?;
            if self.fresh && text.buffer[..filled].starts_with(b"\xef\xbb\xbf") {
                text.skipped = 3;
            }
        }
    }

    /// Moves what is there already to `buffer`, as far as it has room, and says how many bytes that was.
    fn take(&mut self, buffer: &mut [u8]) -> usize {
        let there = &self.tail[self.taken..];
        let len = there.len().min(buffer.len());
        buffer[..len].copy_from_slice(&there[..len]);
        self.taken += len;
        if self.taken == self.tail.len() {
            self.tail.clear();
            self.taken = 0;
        }
        len
    }

    /// More of the input: what is there already, or what one read gives.
    fn read(&mut self, buffer: &mut [u8]) -> Result<usize, Fault> {
        if self.taken < self.tail.len() {
            return Ok(self.take(buffer));
        }
        loop {
            match self.reader.read(buffer) {
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => {
                    let error = unreadable(&self.name, self.compression, error);
                    return Err(Fault::Input(error));
                }
                Ok(read) => {
                    self.ended |= read == 0;
                    return Ok(read);
                }
            }
        }
    }
}

/// Where the last whole line ends, if one does. `quoted` says whether the text begins inside quotes; if
/// no line ends, it then says the same of what follows.
fn last_end(cut: Cut, text: &[u8], quoted: &mut bool) -> Option<usize> {
    match cut {
        Cut::Lines => memrchr(b'\n', text).map(|at| at + 1),
        Cut::LinesOutsideQuotes => {
            let quotes = usize::from(*quoted) + memchr_iter(b'"', text).count();
            // walk back: the quotes before a newline must be even in number
            let mut after = 0;
            let mut end = text.len();
            for at in memrchr_iter(b'\n', text) {
                after += memchr_iter(b'"', &text[at..end]).count();
                end = at;
                if (quotes - after).is_multiple_of(2) {
                    return Some(at + 1);
                }
            }
            *quoted = !quotes.is_multiple_of(2);
            None
        }
    }
}

/// At least `size` bytes; those past the old ones are zero.
fn grow(buffer: &mut Vec<u8>, size: usize) {
    if buffer.len() < size {
        buffer.resize(size, 0);
    }
}

#[cfg(test)]
mod tests {
    use super::{Cut, last_end};

    #[test]
    fn records_end_alike_however_the_text_comes() {
        let text = b"a,\"b\nc\"\"\n\",d\ne,\"f\n\n";
        for step in 1..=text.len() {
            let (mut searched, mut quoted) = (0, false);
            let mut ends = Vec::new();
            for filled in (step..text.len()).step_by(step).chain([text.len()]) {
                match last_end(
                    Cut::LinesOutsideQuotes,
                    &text[searched..filled],
                    &mut quoted,
                ) {
                    Some(end) => {
                        ends.push(searched + end);
                        // what follows a record is searched from its start
                        (searched, quoted) = (searched + end, false);
                        let rest = last_end(
                            Cut::LinesOutsideQuotes,
                            &text[searched..filled],
                            &mut quoted,
                        );
                        assert_eq!(rest, None);
                        searched = filled;
                    }
                    None => searched = filled,
                }
            }
            assert_eq!(ends, [13], "{step}");
            assert!(quoted);
        }
    }
}
