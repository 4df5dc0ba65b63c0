//! Rows as svmlight text: `label index:value index:value ...`, one row a line.

pub mod columnar;
pub mod csv;
pub mod json;
pub mod vw;

use std::io::{self, Write};

use novikoff::rows::Block;

use crate::word_label;

/// Text is handed on in pieces of about this many bytes.
const PIECE: usize = 1 << 16;

/// Writes blocks of rows as svmlight text.
///
/// Values are the shortest decimals that read back as the same `f32`. The constant feature (slot 0)
/// is not written, for it is an option of the run and not data. Several labels of a row are joined
/// by commas; a row without a label has `?`. Nothing is kept back between calls.
#[derive(Debug)]
pub struct SvmlightWriter<W> {
    out: W,
    text: Vec<u8>,
}

impl<W: Write> SvmlightWriter<W> {
    /// Writes to `out`, in large pieces: it needs no buffer of its own.
    pub fn new(out: W) -> Self {
        SvmlightWriter {
            out,
            text: Vec::with_capacity(2 * PIECE),
        }
    }

    /// Writes all rows of a block. What svmlight text cannot hold is `InvalidInput`: weights, and labels
    /// that are no words.
    pub fn write(&mut self, rows: Block<'_>) -> io::Result<()> {
        self.text.clear();
        for i in 0..rows.len() {
            let weight = rows.weight(i);
            if weight != 1.0 {
                return Err(invalid(format!(
                    "a row of weight {weight}, but svmlight text has no weights; choose vw or nvk"
                )));
            }
            self.put_labels(rows, i)?;
            for (slot, value) in rows.row(i).iter().filter(|&(slot, _)| slot != 0) {
                self.text.push(b' ');
                put_whole(&mut self.text, slot as u64);
                self.text.push(b':');
                put_value(&mut self.text, value as f32); // was one: exact
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
        if labels.len() == 0 {
            self.text.push(b'?');
        }
        for (k, label) in labels.enumerate() {
            if k > 0 {
                self.text.push(b',');
            }
            let text = label.text();
            if !word_label::can_stand(text, b"#") {
                let text = String::from_utf8_lossy(text);
                return Err(invalid(format!(
                    "label `{text}` cannot stand in svmlight text: it is neither a finite decimal number \
                     nor a word without blanks, commas, colons and #; rename the labels, or choose another format"
                )));
            }
            self.text.extend_from_slice(text);
        }
        Ok(())
    }
}

fn invalid(what: String) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidInput, what)
}

fn put_whole(out: &mut Vec<u8>, n: u64) {
    put_digits(out, n, 1);
}

/// Writes `n` with at least `width` (up to 20) digits.
fn put_digits(out: &mut Vec<u8>, mut n: u64, width: usize) {
    let mut digits = [b'0'; 20];
    let mut start = 20;
    while n > 0 {
        start -= 1;
        digits[start] += (n % 10) as u8;
        n /= 10;
    }
    out.extend_from_slice(&digits[start.min(20 - width)..]);
}

/// Writes the shortest decimal that reads back as `v`.
fn put_value(out: &mut Vec<u8>, v: f32) {
    let size = f64::from(v.abs());
    let plain = (1e-4..1e7).contains(&size);
    if plain && put_short(out, v.is_sign_negative(), size) {
        return;
    }
    let written = if plain {
        write!(out, "{v}")
    } else {
        write!(out, "{v:e}")
    };
    debug_assert!(written.is_ok(), "memory takes all");
}

/// The fast way, if six digits or a whole number will do. Different decimals of six digits are
/// different `f32`, so the one that fits is the shortest.
fn put_short(out: &mut Vec<u8>, negative: bool, size: f64) -> bool {
    let (mut power, mut places) = (1.0, 0);
    let mut digits = size as u64;
    if digits as f64 != size {
        while size * power < 1e5 {
            power *= 10.0;
            places += 1;
        }
        digits = (size * power).round() as u64;
        // Rounding twice, to f64 and to f32, is harmless: a decimal of so few digits and at most nine
        // places lies on the middle of two f32 or at least 2^-49 of its size away.
        if f64::from((digits as f64 / power) as f32) != size {
            return false;
        }
        while digits.is_multiple_of(10) {
            digits /= 10;
            places -= 1;
        }
    }
    if negative {
        out.push(b'-');
    }
    let unit = 10_u64.pow(places as u32);
    put_whole(out, digits / unit);
    if places > 0 {
        out.push(b'.');
        put_digits(out, digits % unit, places);
    }
    true
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use novikoff::rows::Rows;

    use super::*;
    use novikoff::random::SplitMix64;

    fn text(v: f32) -> String {
        let mut out = Vec::new();
        put_value(&mut out, v);
        String::from_utf8(out).unwrap()
    }

    /// Significant digits, without the zeros at either end.
    fn digits(text: &str) -> String {
        let mantissa = text.split('e').next().unwrap();
        let digits: String = mantissa.chars().filter(char::is_ascii_digit).collect();
        digits.trim_matches('0').to_owned()
    }

    fn check(v: f32) {
        let text = text(v);
        assert_eq!(
            text.parse::<f32>().unwrap().to_bits(),
            v.to_bits(),
            "{text}"
        );
        // The standard library's form is the shortest.
        assert_eq!(digits(&text), digits(&format!("{v:e}")), "{text}");
        assert!(text.len() <= 15, "{text}");
    }

    #[test]
    fn values_are_short_and_exact() {
        let cases = [
            (0.083_215_4, "0.0832154"),
            (0.11293, "0.11293"),
            (1.0, "1"),
            (-16.0, "-16"),
            (0.1, "0.1"),
            (-2.5, "-2.5"),
            (100_000.0, "100000"),
            (1.0 / 3.0, "0.33333334"),
            (100_000.5, "100000.5"),
            (1.1e-4, "0.00011"),
            (1e-5, "1e-5"),
            (1e-6, "1e-6"),
            (1e-45, "1e-45"),
            (1e7, "1e7"),
            (f32::MAX, "3.4028235e38"),
        ];
        for (v, want) in cases {
            assert_eq!(text(v), want);
        }
        let mut g = SplitMix64::new(1);
        for _ in 0..300_000 {
            let any = f32::from_bits(g.next_u64() as u32);
            if any.is_finite() {
                check(any);
            }
            // Few digits, many places: the fast way and its neighbours.
            let power = [1.0, 1e1, 1e3, 1e5, 1e6, 1e8, 1e10][g.below(7)];
            let short = (g.below(1_000_000) as f64 / power) as f32;
            check(short);
            check(f32::from_bits(short.to_bits() + 1));
            check(-short);
        }
    }

    fn write(rows: &Rows) -> io::Result<String> {
        let mut writer = SvmlightWriter::new(Vec::new());
        writer.write(rows.view())?;
        Ok(String::from_utf8(writer.into_inner()).unwrap())
    }

    #[test]
    fn a_row_is_a_line() {
        let mut rows = Rows::new();
        rows.push_label(1.0, b"+1");
        rows.push(0, 5.0);
        rows.push(3, 0.5);
        rows.push(4_294_967_294, -2.0);
        rows.end_row(0);
        rows.end_row(1);
        rows.push_label(-2.0, b"-2");
        rows.push_label(3.0, b"3.0");
        rows.push(1, 1e-20);
        rows.end_row(2);
        assert_eq!(
            write(&rows).unwrap(),
            "+1 3:0.5 4294967294:-2\n?\n-2,3.0 1:1e-20\n"
        );
    }

    #[test]
    fn what_has_no_place_is_refused() {
        for bad in ["", "a:b", "a b", "1,2", "#", "1\n", "?", "nan", "1e999"] {
            let mut rows = Rows::new();
            rows.push_label(f64::NAN, bad.as_bytes());
            rows.end_row(0);
            let error = write(&rows).unwrap_err();
            assert_eq!(error.kind(), io::ErrorKind::InvalidInput, "{bad:?}");
            assert!(error.to_string().starts_with(&format!("label `{bad}` ")));
        }
        let mut rows = Rows::new();
        rows.push_label(1.0, b"1");
        rows.set_weight(2.5);
        rows.end_row(0);
        let error = write(&rows).unwrap_err();
        assert_eq!(error.kind(), io::ErrorKind::InvalidInput);
        assert_eq!(
            error.to_string(),
            "a row of weight 2.5, but svmlight text has no weights; choose vw or nvk"
        );
    }

    /// Reads what was written, with the plainest of parsers.
    #[test]
    fn reading_gives_the_rows_back() {
        let mut g = SplitMix64::new(2);
        let mut rows = Rows::new();
        for line in 0..5000 {
            rows.push_label(-1.0, b"-1");
            let mut slot = 0;
            for _ in 0..g.below(30) {
                slot += 1 + (1_u32 << g.below(24));
                let v = f32::from_bits(g.next_u64() as u32);
                rows.push(slot, if v.is_finite() { v } else { 1.5 });
            }
            rows.end_row(line);
        }
        let text = write(&rows).unwrap();
        assert!(text.len() > 2 * PIECE, "several pieces");
        assert_eq!(text.lines().count(), rows.len());
        for (i, line) in text.lines().enumerate() {
            let mut words = line.split(' ');
            assert_eq!(words.next(), Some("-1"));
            let read = words.map(|word| {
                let (slot, v) = word.split_once(':').unwrap();
                (slot.parse().unwrap(), f64::from(v.parse::<f32>().unwrap()))
            });
            assert!(read.eq(rows.row(i).iter()), "{line}");
        }
    }
}
