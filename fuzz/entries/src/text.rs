//! Readers, each given its format; and one that has to find it out.

use novikoff::rows::Rows;
use novikoff_data::blocks::{Format, ReadOptions};
use novikoff_data::error::DataError;
use novikoff_data::svmlight::parse_block;
use novikoff_data::write::SvmlightWriter;

use crate::story::{Story, WHOLE, same_rows, tell};
use crate::{draw, plain};

/// Sizes of pieces that cut small inputs at many places.
const SIZES: [usize; 4] = [1, 7, 20, 64];

/// One input in this number is also read by two threads, which costs far more than reading it.
const THREADED: u32 = 64;

/// One error in this number is put into words.
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
    whole.must_be(&in_pieces(data, options), "in pieces");
    whole
}

/// Reads bytes in pieces, now and then by two threads, which must make no difference either.
fn in_pieces(data: &[u8], options: &ReadOptions) -> Story {
    let draw = draw(data);
    let size = SIZES[draw as usize % SIZES.len()];
    let pieces = tell(data, options, 1, size);
    if (draw >> 8).is_multiple_of(THREADED) {
        pieces.must_be(&tell(data, options, 2, size), "two threads");
    }
    if (draw >> 16).is_multiple_of(WORDED) {
        pieces.message();
    }
    pieces
}

/// Reads a file that is not cut into pieces, now and then by two threads.
pub(crate) fn read_file(data: &[u8], options: &ReadOptions) {
    let draw = draw(data);
    let one = tell(data, options, 1, WHOLE);
    one.check(options);
    if (draw >> 8).is_multiple_of(THREADED / 2) {
        one.must_be(&tell(data, options, 2, WHOLE), "two threads");
    }
    if (draw >> 16).is_multiple_of(WORDED) {
        one.message();
    }
}

/// svmlight text: read by the parser alone, by a reader in pieces, and as plainly as can be; then
/// written and parsed again.
pub fn svmlight(data: &[u8]) {
    let options = as_format(Format::Svmlight);
    if !is_plain(data) {
        read(data, &options);
        return;
    }
    let text = data.strip_prefix(b"\xef\xbb\xbf").unwrap_or(data);
    let mark = (data.len() - text.len()) as u64;
    let mut rows = Rows::new();
    let parsed = parse_block(text, &options, &mut rows);
    let pieces = in_pieces(data, &options);
    pieces.check(&options);
    match (&parsed, &pieces.error) {
        (Ok(_), None) => {}
        (
            Err(fault),
            Some(DataError::Line {
                line,
                column,
                problem,
                ..
            }),
        ) => {
            let mark = if fault.line == 0 { mark } else { 0 };
            let reported = (*line, *column, problem);
            assert_eq!(
                (fault.line + 1, fault.column + mark, &fault.problem),
                reported
            );
        }
        (parsed, reported) => panic!("{parsed:?}, in pieces {reported:?}"),
    }
    same_rows(rows.view(), pieces.rows.view(), "in pieces");
    let sound = parsed.unwrap_or_else(|fault| fault.line);
    let plain = plain::read(text, sound as usize);
    same_rows(rows.view(), plain.view(), "read plainly");
    assert_eq!(rows.width(), plain.width());
    written(&rows, &options);
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

/// Neither packed nor a model, so that text is what it is.
pub(crate) fn is_plain(data: &[u8]) -> bool {
    let marks: [&[u8]; 8] = [
        b"\x1f\x8b",
        b"\x28\xb5\x2f\xfd",
        b"NOVIKOFF",
        b"\xfd7zXZ",
        b"BZh",
        b"\x04\x22\x4d\x18",
        b"PK\x03\x04",
        b"7z\xbc\xaf",
    ];
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

/// JSON lines, without text and with it.
pub fn json(data: &[u8]) {
    let plain = as_format(Format::Json);
    read(data, &plain);
    let text = ReadOptions {
        text: vec!["t".to_owned()],
        ..plain
    };
    read(data, &text);
}

/// Apache Parquet.
pub fn parquet(data: &[u8]) {
    read_file(data, &as_format(Format::Parquet));
}

/// Apache Arrow IPC.
pub fn arrow(data: &[u8]) {
    read_file(data, &as_format(Format::Arrow));
}

/// Anything: the format found is the format read.
pub fn sniff(data: &[u8]) {
    let found = read(data, &ReadOptions::default());
    if let Some(format) = found.format {
        let reported = tell(data, &as_format(format), 1, WHOLE);
        found.must_be(&reported, "the format given");
    }
}
