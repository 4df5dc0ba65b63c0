//! Rows as VW text: `label weight |namespace name:value name ...`, one row a line.

use std::io::{self, Write};

use novikoff::names::Names;
use novikoff::rows::Block;

use super::{PIECE, put_value, put_whole};

/// Writes blocks of rows as VW text.
///
/// A feature `ns^name` goes back to its namespace; features keep the order of the row, so a namespace
/// may come more than once. Features without a name are written by their numbers. A value of 1 and a
/// weight of 1 are left out. The constant feature (slot 0) is not written, for it is an option of the run
/// and not data. Nothing is kept back between calls.
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

    /// Writes all rows of a block. What VW text cannot hold is `InvalidInput`: labels that are no
    /// numbers, names with blanks, bars or colons, the weight of a row without a label.
    pub fn write(&mut self, rows: Block<'_>, names: &Names) -> io::Result<()> {
        self.text.clear();
        for i in 0..rows.len() {
            self.put_labels(rows, i)?;
            let mut space = None;
            for (slot, value) in rows.row(i).iter().filter(|&(slot, _)| slot != 0) {
                let name = names.name(slot as u32);
                let (namespace, feature) = match name {
                    Some(name) => split(name)?,
                    None => ("", ""),
                };
                if space != Some(namespace) {
                    self.text.extend_from_slice(b" |");
                    self.text.extend_from_slice(namespace.as_bytes());
                    space = Some(namespace);
                }
                self.text.push(b' ');
                if name.is_some() {
                    self.text.extend_from_slice(feature.as_bytes());
                } else {
                    put_whole(&mut self.text, slot as u64);
                }
                if value != 1.0 {
                    self.text.push(b':');
                    put_value(&mut self.text, value as f32); // was one: exact
                }
            }
            if space.is_none() {
                self.text.extend_from_slice(b" |");
            }
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
        let weight = rows.weight(i);
        if labels.len() == 0 && weight != 1.0 {
            return Err(bad(format!(
                "a row without a label has weight {weight}, but in VW text a weight follows a label; choose .nvk"
            )));
        }
        for (k, label) in labels.enumerate() {
            if k > 0 {
                self.text.push(b',');
            }
            if label.number().is_none() {
                let text = String::from_utf8_lossy(label.text());
                return Err(bad(format!(
                    "label `{text}` is no number, and VW text has no others; choose .csv, .parquet or .nvk"
                )));
            }
            self.text.extend_from_slice(label.text());
        }
        if weight != 1.0 {
            self.text.push(b' ');
            put_value(&mut self.text, weight as f32); // was one: exact
        }
        Ok(())
    }
}

fn bad(what: String) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidInput, what)
}

/// A name as namespace and feature, if VW text can hold it.
fn split(name: &str) -> io::Result<(&str, &str)> {
    let (namespace, feature) = name.split_once('^').unwrap_or(("", name));
    let fits = |part: &str| {
        let wrong = |b: u8| b.is_ascii_whitespace() || b.is_ascii_control() || b"|:".contains(&b);
        !part.bytes().any(wrong)
    };
    let whole = !namespace.is_empty() || !name.contains('^');
    if feature.is_empty() || !fits(namespace) || !fits(feature) || !whole {
        return Err(bad(format!(
            "feature `{name}` cannot stand in VW text: a part of its name is empty, or has a blank, a bar or a colon; choose .csv, .parquet or .nvk"
        )));
    }
    Ok((namespace, feature))
}

#[cfg(test)]
mod tests {
    use novikoff::names::{Limits, Names};
    use novikoff::rows::Rows;
    use novikoff::source::Source as _;
    use proptest::prelude::*;

    use super::VwWriter;
    use crate::blocks::{Format, Input, ReadOptions, Reader};

    const LIMITS: Limits = Limits {
        slots: 1000,
        bytes: 1 << 20,
    };

    fn text(rows: &Rows, names: &Names) -> String {
        let mut writer = VwWriter::new(Vec::new());
        writer.write(rows.view(), names).expect("fits");
        String::from_utf8(writer.into_inner()).expect("UTF-8")
    }

    #[test]
    fn features_go_back_to_their_namespaces() {
        let mut names = Names::new();
        for name in ["a", "n^b", "n^c", "4"] {
            names.assign(name, LIMITS).expect("few");
        }
        let mut rows = Rows::new();
        rows.push_label(-1.0, b"-1");
        rows.set_weight(2.5);
        for (slot, value) in [(0, 9.0), (1, 1.0), (2, 0.5), (3, -2.0), (4, 1e-9)] {
            rows.push(slot, value);
        }
        rows.end_row(0);
        rows.end_row(1);
        assert_eq!(
            text(&rows, &names),
            "-1 2.5 | a |n b:0.5 c:-2 | 4:1e-9\n |\n"
        );
    }

    #[test]
    fn what_does_not_fit_is_refused() {
        for name in ["a b", "a|b", "a:b", "", "^x", "x^"] {
            let mut names = Names::new();
            let slot = names.assign(name, LIMITS).expect("few");
            let mut rows = Rows::new();
            rows.push(slot, 1.0);
            rows.end_row(0);
            let refused = VwWriter::new(Vec::new()).write(rows.view(), &names);
            assert!(refused.is_err(), "{name}");
        }
        let mut rows = Rows::new();
        rows.push_label(f64::NAN, b"spam");
        rows.end_row(0);
        let refused = VwWriter::new(Vec::new()).write(rows.view(), &Names::new());
        assert!(
            refused
                .expect_err("no number")
                .to_string()
                .contains("`spam`")
        );
    }

    proptest! {
        #[test]
        fn what_is_written_is_read_back(
            rows_in in prop::collection::vec(
                (prop::option::of(-3_i32..3), 0_u32..5, prop::collection::btree_map(1_u32..40, prop::num::f32::NORMAL, 0..9)),
                1..20,
            ),
        ) {
            let mut rows = Rows::new();
            for (label, weight, values) in &rows_in {
                if let Some(label) = label {
                    rows.push_label(f64::from(*label), label.to_string().as_bytes());
                    rows.set_weight(*weight as f32 / 2.0);
                }
                for (slot, value) in values {
                    rows.push(*slot, *value);
                }
                rows.end_row(0);
            }
            let text = text(&rows, &Names::new());
            let options = ReadOptions { format: Some(Format::Vw), ..ReadOptions::default() };
            let input = Input::Bytes { name: "t".to_owned(), text: text.into_bytes().into() };
            let mut reader = Reader::open(vec![input], options, 1).expect("opens");
            let mut back = Rows::new();
            while let Some(block) = reader.next_block().expect("reads") {
                back.append(block, 0);
            }
            prop_assert_eq!(back.len(), rows.len());
            for i in 0..rows.len() {
                prop_assert!(back.row(i).iter().eq(rows.row(i).iter()));
                prop_assert_eq!(back.weight(i), rows.weight(i));
                let told = |rows: &Rows| rows.labels(i).map(|l| l.text().to_vec()).collect::<Vec<_>>();
                prop_assert_eq!(told(&back), told(&rows));
            }
        }
    }
}
