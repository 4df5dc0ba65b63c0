//! Rows as a table of text: a header, then one record per row with all its features.
//!
//! The first column is called `label`, the others as the features of slots 1, 2, ... up to the width.
//! Fields are quoted where they have to be. Reading the table gives the same rows, bit for bit; if a
//! feature is called class, target or y, the reader needs the option that the label is `label`.

use std::io::{self, Write};

use novikoff::names::Names;
use novikoff::rows::Block;

use super::{PIECE, put_value};
use crate::csv::is_missing;

/// The most columns a table may have.
const MOST: u32 = 100_000;

/// Writes blocks of rows as a table of text.
///
/// Values are the shortest decimals that read back as the same `f32`. The constant feature (slot 0)
/// is not written, for it is an option of the run and not data. Several labels of a row are joined by
/// commas inside quotes; a row without a label has an empty field. Nothing is kept back between calls.
#[derive(Debug)]
pub struct CsvWriter<W> {
    out: W,
    delimiter: u8,
    text: Vec<u8>,
    /// The values of a row by their slots, from 1 on.
    dense: Vec<f32>,
    label: Vec<u8>,
}

fn invalid(what: String) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidInput, what)
}

impl<W: Write> CsvWriter<W> {
    /// Writes the header to `out`; fields are separated by `delimiter`, a comma, tab or semicolon.
    /// Too wide a table is `InvalidInput`, and so is a name that no column may have.
    pub fn new(out: W, delimiter: u8, names: &Names, width: u32) -> io::Result<Self> {
        if width > MOST {
            return Err(invalid(format!(
                "a table of {width} columns; text may have {MOST}, so choose parquet or svmlight"
            )));
        }
        let mut writer = CsvWriter {
            out,
            delimiter,
            text: Vec::with_capacity(2 * PIECE),
            dense: vec![0.0; width as usize],
            label: Vec::new(),
        };
        writer.text.extend_from_slice(b"label");
        for slot in 1..=width {
            writer.text.push(delimiter);
            match names.name(slot) {
                Some(name @ ("" | "label")) => {
                    return Err(invalid(format!(
                        "a feature is called `{name}`, which no column of a table with labels may \
                         be; choose another format"
                    )));
                }
                Some(name) => put_field(&mut writer.text, name.as_bytes()),
                None => super::put_whole(&mut writer.text, slot.into()),
            }
        }
        writer.text.push(b'\n');
        writer.out.write_all(&writer.text)?;
        Ok(writer)
    }

    /// Writes all rows of a block. What a table cannot hold is `InvalidInput`: weights, features past
    /// the width, labels that are missing values or have commas or blanks at their ends.
    pub fn write(&mut self, rows: Block<'_>) -> io::Result<()> {
        self.text.clear();
        for i in 0..rows.len() {
            let weight = rows.weight(i);
            if weight != 1.0 {
                return Err(invalid(format!(
                    "a row of weight {weight}, but tables have no weights; choose vw or nvk"
                )));
            }
            self.put_labels(rows, i)?;
            self.put_values(rows, i)?;
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

    fn put_labels(&mut self, rows: Block<'_>, i: usize) -> io::Result<()> {
        let labels = rows.labels(i);
        self.label.clear();
        for (k, label) in labels.enumerate() {
            if k > 0 {
                self.label.push(b',');
            }
            let text = label.text();
            if is_missing(text) || text.contains(&b',') || has_blank_end(text) {
                let text = String::from_utf8_lossy(text);
                return Err(invalid(format!(
                    "label `{text}` cannot stand in a table of text: it is a missing value, or has \
                     a comma or a blank at its end; choose another format"
                )));
            }
            self.label.extend_from_slice(text);
        }
        if self.label.is_empty() && self.dense.is_empty() {
            self.text.extend_from_slice(b"\"\""); // an empty line is no record
        } else if self.label.contains(&b',') {
            put_quoted(&mut self.text, &self.label);
        } else {
            put_field(&mut self.text, &self.label);
        }
        Ok(())
    }

    fn put_values(&mut self, rows: Block<'_>, i: usize) -> io::Result<()> {
        let width = self.dense.len();
        for (slot, value) in rows.row(i).iter().filter(|&(slot, _)| slot != 0) {
            let Some(place) = self.dense.get_mut(slot - 1) else {
                return Err(invalid(format!(
                    "feature {slot} of a row is past the {width} columns of the table"
                )));
            };
            *place = value as f32; // was one: exact
        }
        for value in &mut self.dense {
            self.text.push(self.delimiter);
            if *value == 0.0 {
                self.text.push(b'0');
            } else {
                put_value(&mut self.text, *value);
            }
            *value = 0.0;
        }
        Ok(())
    }
}

fn has_blank_end(text: &[u8]) -> bool {
    let blank = |byte: Option<&u8>| matches!(byte, Some(b' ' | b'\t'));
    blank(text.first()) || blank(text.last())
}

/// Writes a field, in quotes if it has anything that a reader might take for more than text.
fn put_field(out: &mut Vec<u8>, field: &[u8]) {
    let odd = |b: &u8| b"\"\n\r,\t;".contains(b);
    if field.iter().any(odd) || has_blank_end(field) {
        put_quoted(out, field);
    } else {
        out.extend_from_slice(field);
    }
}

fn put_quoted(out: &mut Vec<u8>, field: &[u8]) {
    out.push(b'"');
    for &byte in field {
        if byte == b'"' {
            out.push(b'"');
        }
        out.push(byte);
    }
    out.push(b'"');
}
