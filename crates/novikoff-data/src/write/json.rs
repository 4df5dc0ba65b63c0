//! Rows as JSON lines: one object per row, with its label and its features by name.

use std::io::{self, Write};

use novikoff::names::Names;
use novikoff::rows::Block;

use super::{PIECE, invalid, put_value, put_whole};
use crate::json::is_number;

/// The field of the label.
const LABEL: &str = "label";

/// Writes blocks of rows as JSON lines.
///
/// Features have the names of the dictionary, or their numbers where it has none; what is 0 is left out. Values are the shortest
/// decimals that read back as the same `f32`. A label that is a number is written as it is, others as strings; several are an array, none
/// is `null`. The constant feature (slot 0) is not written, for it is an option of the run and not data.
#[derive(Debug)]
pub struct JsonWriter<W> {
    out: W,
    text: Vec<u8>,
}

impl<W: Write> JsonWriter<W> {
    /// Writes to `out`, in large pieces: it needs no buffer of its own.
    pub fn new(out: W) -> Self {
        JsonWriter {
            out,
            text: Vec::with_capacity(2 * PIECE),
        }
    }

    /// Writes all rows of a block. What JSON lines cannot hold is `InvalidInput`: weights, and a feature that is called as the label is.
    pub fn write(&mut self, rows: Block<'_>, names: &Names) -> io::Result<()> {
        self.text.clear();
        for i in 0..rows.len() {
            let weight = rows.weight(i);
            if weight != 1.0 {
                return Err(invalid(format!(
                    "a row of weight {weight}, but JSON lines have no weights; choose vw or nvk"
                )));
            }
            self.text.extend_from_slice(b"{\"label\":");
            self.put_labels(rows, i);
            for (slot, value) in rows.row(i).iter().filter(|&(slot, _)| slot != 0) {
                self.text.push(b',');
                match names.name(slot as u32) {
                    Some(LABEL) => {
                        let what =
                            "a feature is called label, as the field of the label is; rename it";
                        return Err(invalid(what.to_owned()));
                    }
                    Some("") => {
                        let what = "a feature has an empty name, which JSON lines cannot hold";
                        return Err(invalid(what.to_owned()));
                    }
                    Some(name) => put_string(&mut self.text, name),
                    None => {
                        self.text.push(b'"');
                        put_whole(&mut self.text, slot as u64);
                        self.text.push(b'"');
                    }
                }
                self.text.push(b':');
                put_value(&mut self.text, value as f32); // was one: exact
            }
            self.text.extend_from_slice(b"}\n");
            if self.text.len() >= PIECE {
                self.out.write_all(&self.text)?;
                self.text.clear();
            }
        }
        self.out.write_all(&self.text)
    }

    fn put_labels(&mut self, rows: Block<'_>, i: usize) {
        let labels = rows.labels(i);
        let several = labels.len() > 1;
        match labels.len() {
            0 => self.text.extend_from_slice(b"null"),
            1 => {}
            _ => self.text.push(b'['),
        }
        for (k, label) in labels.enumerate() {
            if k > 0 {
                self.text.push(b',');
            }
            if is_number(label.text()) {
                self.text.extend_from_slice(label.text());
            } else {
                put_string(&mut self.text, &String::from_utf8_lossy(label.text()));
            }
        }
        if several {
            self.text.push(b']');
        }
    }
}

/// Writes a string in its quotes.
pub(crate) fn put_string(out: &mut Vec<u8>, text: &str) {
    out.push(b'"');
    for &byte in text.as_bytes() {
        match byte {
            b'"' | b'\\' => out.extend_from_slice(&[b'\\', byte]),
            0..b' ' => {
                // writing to memory cannot fail
                let _ = write!(out, "\\u{byte:04x}");
            }
            _ => out.push(byte),
        }
    }
    out.push(b'"');
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use novikoff::names::{Limits, Names};
    use novikoff::rows::Rows;

    use super::JsonWriter;

    #[test]
    fn rows_are_objects() {
        let limits = Limits {
            slots: 100,
            bytes: 1 << 20,
        };
        let mut names = Names::new();
        names.reach(7);
        let odd = names.assign("a\"\\\n\u{e9}", limits).unwrap();
        let mut rows = Rows::new();
        rows.push_label(1.0, b"1");
        rows.push(0, 1.0);
        rows.push(7, 0.25);
        rows.push(odd, -1e-9);
        rows.end_row(0);
        rows.push_label(f64::NAN, b"x y");
        rows.push_label(2.0, b"+2");
        rows.end_row(1);
        rows.end_row(2);
        let mut out = Vec::new();
        let mut writer = JsonWriter::new(&mut out);
        writer.write(rows.view(), &names).unwrap();
        let expected = "{\"label\":1,\"7\":0.25,\"a\\\"\\\\\\u000a\u{e9}\":-1e-9}\n{\"label\":[\"x y\",\"+2\"]}\n{\"label\":null}\n";
        assert_eq!(String::from_utf8(out).unwrap(), expected);
    }
}
