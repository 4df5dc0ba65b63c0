//! Reads many small svmlight texts in one process, for `differential/svmlight.py`.
//!
//! Standard input: each text behind its length in four bytes, little-endian. Standard output: a line a
//! text, `refused MESSAGE` or `read ROWS`, where rows are JSON: `[[labels],[indices],[values]]` each,
//! labels and values as the bits of `f64` and `f32`.

use std::borrow::Cow;
use std::io::{self, Read as _, Write as _};

use novikoff::rows::Rows;
use novikoff::source::Source as _;
use novikoff_data::blocks::{Format, Input, ReadOptions, Reader};
use novikoff_data::error::DataError;

fn main() -> io::Result<()> {
    let mut input = io::stdin().lock();
    let mut output = io::BufWriter::new(io::stdout().lock());
    let mut length = [0; 4];
    while input.read(&mut length[..1])? == 1 {
        input.read_exact(&mut length[1..])?;
        let mut text = vec![0; u32::from_le_bytes(length) as usize];
        input.read_exact(&mut text)?;
        match rows(text) {
            Ok(rows) => writeln!(output, "read [{}]", listed(rows.len(), |i| json(&rows, i)))?,
            Err(error) => writeln!(output, "refused {error}")?,
        }
    }
    output.flush()
}

fn rows(text: Vec<u8>) -> Result<Rows, DataError> {
    let options = ReadOptions {
        format: Some(Format::Svmlight),
        max_features: i32::MAX as u32,
        ..ReadOptions::default()
    };
    let input = Input::Bytes {
        name: "f".to_owned(),
        text: Cow::Owned(text),
    };
    let mut reader = Reader::with_block_size(vec![input], options, 1, 1 << 13)?;
    let mut rows = Rows::new();
    while let Some(block) = reader.next_block()? {
        rows.append(block, 0);
    }
    Ok(rows)
}

fn json(rows: &Rows, i: usize) -> String {
    let labels: Vec<u64> = rows
        .labels(i)
        .map(|label| label.number().unwrap_or(f64::NAN).to_bits())
        .collect();
    let (_, stored) = rows.row(i).stored();
    let (index, value): (Vec<u32>, Vec<u32>) = stored.map(|(j, v)| (j, v.to_bits())).unzip();
    format!("[{labels:?},{index:?},{value:?}]")
}

fn listed(count: usize, item: impl Fn(usize) -> String) -> String {
    (0..count).map(item).collect::<Vec<_>>().join(",")
}
