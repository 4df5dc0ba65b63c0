//! Readers, each given its format; and one that has to find it out.

use novikoff::rows::Rows;
use novikoff_data::blocks::{Format, ReadOptions};
use novikoff_data::error::DataError;
use novikoff_data::svmlight::parse_block;
use novikoff_data::write::SvmlightWriter;

use crate::draw;
use crate::story::{Story, WHOLE, same_rows, tell};

/// Sizes of pieces that cut small inputs at many places.
const SIZES: [usize; 4] = [1, 7, 20, 64];

/// One in so many inputs is also read by two threads, which costs far more than reading it.
const THREADED: u32 = 64;

/// One in so many errors is put into words.
const WORDED: u32 = 8;

fn as_format(format: Format) -> ReadOptions {
    ReadOptions {
        format: Some(format),
        ..ReadOptions::default()
    }
}

/// Reads bytes whole and in pieces, which must make no difference.
pub(crate) fn read(data: &[u8], options: &ReadOptions) -> Story {
    let whole = tell(data, options, 1, WHOLE);
    whole.check(options);
    let draw = draw(data);
    if (draw >> 16).is_multiple_of(WORDED) {
        whole.message();
    }
    let size = SIZES[draw as usize % SIZES.len()];
    let pieces = tell(data, options, 1, size);
    whole.must_be(&pieces, "pieces of a few bytes");
    if (draw >> 8).is_multiple_of(THREADED) {
        let threads = tell(data, options, 2, size);
        whole.must_be(&threads, "two threads");
    }
    whole
}

/// svmlight text: also what is parsed without a reader, and written and parsed again.
pub fn svmlight(data: &[u8]) {
    let options = as_format(Format::Svmlight);
    let whole = read(data, &options);
    if is_plain(data) {
        let text = data.strip_prefix(b"\xef\xbb\xbf").unwrap_or(data);
        let mut rows = Rows::new();
        let parsed = parse_block(text, &options, &mut rows);
        assert_eq!(parsed.is_err(), whole.error.is_some());
        if let (Err(fault), Some(DataError::Line { line, problem, .. })) = (parsed, &whole.error) {
            assert_eq!((fault.line + 1, &fault.problem), (*line, problem));
        }
        same_rows(rows.view(), whole.rows.view(), "parse_block");
    }
    written(&whole.rows, &options);
}

/// What is parsed can be written, and is parsed again the same.
fn written(rows: &Rows, options: &ReadOptions) {
    let mut writer = SvmlightWriter::new(Vec::new());
    writer
        .write(rows.view())
        .expect("what svmlight text held, it holds again");
    let text = writer.into_inner();
    let mut again = Rows::new();
    let parsed = parse_block(&text, options, &mut again);
    assert_eq!(parsed, Ok(rows.len() as u64), "a row is a line");
    same_rows(rows.view(), again.view(), "written and read");
}

/// Neither compressed nor a model, so that text is what it is.
pub(crate) fn is_plain(data: &[u8]) -> bool {
    let marks: [&[u8]; 3] = [b"\x1f\x8b", b"\x28\xb5\x2f\xfd", b"NOVIKOFF"];
    !marks.iter().any(|mark| data.starts_with(mark))
}

/// Vowpal Wabbit's text.
pub fn vw(data: &[u8]) {
    read(data, &as_format(Format::Vw));
}

/// A table as text.
pub fn csv(data: &[u8]) {
    read(data, &as_format(Format::Csv));
}

/// Apache Parquet.
pub fn parquet(data: &[u8]) {
    read(data, &as_format(Format::Parquet));
}

/// Apache Arrow IPC.
pub fn arrow(data: &[u8]) {
    read(data, &as_format(Format::Arrow));
}

/// Our cache.
pub fn cache(data: &[u8]) {
    read(data, &as_format(Format::Cache));
}

/// Anything: the format found is the format read.
pub fn sniff(data: &[u8]) {
    let found = read(data, &ReadOptions::default());
    if let Some(format) = found.format {
        let told = tell(data, &as_format(format), 1, WHOLE);
        found.must_be(&told, "the format given");
    }
}
