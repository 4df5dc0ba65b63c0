//! Rows as VW text: `label weight |namespace name:value ...`, one row a line.

use std::io::{self, Write};

use novikoff::names::Names;
use novikoff::rows::Block;

use super::{PIECE, put_value, put_whole};
use crate::word_label;

/// Writes blocks of rows as VW text.
///
/// Features have the names of the dictionary, or their numbers where it has none. A name `a^b` goes
/// to the namespace `a`; neighbours of one namespace share its bar. Values are the shortest decimals
/// that read back as the same `f32`, and 1 is left out, as is a weight of 1. The constant feature
/// (slot 0) is not written, for it is an option of the run and not data. Nothing is kept back between
/// calls.
#[derive(Debug)]
pub struct VwWriter<W> {
    out: W,
    text: Vec<u8>,
}

impl<W: Write> VwWriter<W> {
    /// Writes to `out`, in large pieces: it needs no buffer of its own.
    pub fn new(out: W) -> Self {
        VwWriter {
            out,
            text: Vec::with_capacity(2 * PIECE),
        }
    }

    /// Writes all rows of a block. What VW text cannot hold is `InvalidInput`: a label that is no
    /// word, a weight without a label, a name that is empty or has a blank, bar, colon or control
    /// byte.
    pub fn write(&mut self, rows: Block<'_>, names: &Names) -> io::Result<()> {
        self.text.clear();
        for i in 0..rows.len() {
            self.put_head(rows, i)?;
            self.put_features(rows, i, names)?;
            self.text.push(b'\n');
            if self.text.len() >= PIECE {
                self.out.write_all(&self.text)?;
                self.text.clear();
            }
        }
        self.out.write_all(&self.text)
    }

    /// What was written to.
    pub fn into_inner(self) -> W {
        self.out
    }

    /// Writes labels, weight and the first bar.
    fn put_head(&mut self, rows: Block<'_>, i: usize) -> io::Result<()> {
        let weight = rows.weight(i);
        let labels = rows.labels(i);
        if labels.len() == 0 && weight != 1.0 {
            return invalid(&format!(
                "a row without a label cannot have the weight {weight} in VW text; label the \
                 rows, or choose another format"
            ));
        }
        for (k, label) in labels.enumerate() {
            if k > 0 {
                self.text.push(b',');
            }
            if !word_label::can_stand(label.text(), b"|'") {
                let label = String::from_utf8_lossy(label.text());
                return invalid(&format!(
                    "label `{label}` cannot stand in VW text: it is neither a finite decimal number nor \
                     a word without blanks, commas, colons, quotes and |; rename the labels, or choose another format"
                ));
            }
            self.text.extend_from_slice(label.text());
        }
        if weight != 1.0 {
            self.text.push(b' ');
            put_value(&mut self.text, weight as f32); // was one: exact
        }
        if rows.labels(i).len() > 0 {
            self.text.push(b' ');
        }
        self.text.push(b'|');
        Ok(())
    }

    fn put_features(&mut self, rows: Block<'_>, i: usize, names: &Names) -> io::Result<()> {
        // the namespace of the last bar; the first bar has none yet
        let mut current = None;
        for (slot, value) in rows.row(i).iter().filter(|&(slot, _)| slot != 0) {
            let full_name = names.name(slot as u32);
            let (space, name) = full_name.map_or(("", ""), split);
            if full_name.is_some_and(|full| full.is_empty() || !full.bytes().all(is_name_byte)) {
                let full = full_name.unwrap_or_default().escape_debug();
                return invalid(&format!(
                    "feature `{full}` cannot stand in VW text: its name is empty or has a blank, \
                     `|`, `:` or control byte; rename it, or choose another format"
                ));
            }
            if current != Some(space) {
                if current.is_some() {
                    self.text.extend_from_slice(b" |");
                }
                self.text.extend_from_slice(space.as_bytes());
                current = Some(space);
            }
            self.text.push(b' ');
            match full_name {
                Some(_) => self.text.extend_from_slice(name.as_bytes()),
                None => put_whole(&mut self.text, slot as u64),
            }
            if value != 1.0 {
                self.text.push(b':');
                put_value(&mut self.text, value as f32); // was one: exact
            }
        }
        Ok(())
    }
}

/// The namespace of a full name, empty if it has none, and the name in it.
fn split(full: &str) -> (&str, &str) {
    match full.split_once('^') {
        Some((space, name)) if !space.is_empty() && !name.is_empty() => (space, name),
        _ => ("", full),
    }
}

fn is_name_byte(byte: u8) -> bool {
    !matches!(byte, b' ' | b'|' | b':') && !byte.is_ascii_control()
}

fn invalid(what: &str) -> io::Result<()> {
    Err(io::Error::new(io::ErrorKind::InvalidInput, what))
}
