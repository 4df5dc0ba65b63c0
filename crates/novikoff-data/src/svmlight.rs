//! svmlight text (LIBSVM's format): one row a line, `label index:value index:value ... # remark`.
//!
//! | part | what is read |
//! | --- | --- |
//! | label | one or more finite decimals or other words without a colon, separated by commas; `?`, or none at all, is a row without labels |
//! | query | `qid:7` after the label is checked and ignored |
//! | index | a whole number, counted from 1 (from 0 with `zero_based`), increasing in the row |
//! | value | a finite decimal, rounded to the nearest `f32`; what is too small becomes 0 |
//! | lines | end by newline or CR newline; empty lines and lines of a remark only are no rows |
//!
//! Remarks are skipped unread. Everything else is an error with its line and column.

#[cfg(target_arch = "x86_64")]
mod eights;
#[cfg(not(target_arch = "x86_64"))]
#[path = "svmlight/no_eights.rs"]
mod eights;
mod lanes;
mod line;
mod number;
#[cfg(target_arch = "x86_64")]
mod places;
mod plain;
#[cfg(target_arch = "x86_64")]
mod shapes;
mod tokens;

use memchr::memchr;
use novikoff::rows::Rows;

use novikoff::names::Names;

use crate::draft::Draft;
use crate::error::{LineError, LineProblem};
pub use crate::options::ReadOptions;
pub(crate) use eights::{Places, Wide};
pub(crate) use lanes::{BACK, WINDOW};
use line::{Fault, Line, LineReader};
pub(crate) use number::{
    label as label_number, small as small_number, value as number_at_start, value as value_number,
};
pub(crate) use plain::number as plain_number;
pub(crate) use tokens::{Stage as NumberedStage, TokenEnd, read_numbered, value as usual_value};

/// Adds the rows of a block of whole lines (the last may lack its newline) to `out`, and says how
/// many lines there were. The rows before a bad line are kept.
pub fn parse_block(text: &[u8], options: &ReadOptions, out: &mut Rows) -> Result<u64, LineError> {
    parse::<false>(text, options, out, &mut Err)
}

/// Adds the rows of a block of whole lines to a draft, passing over as many bad lines as the options
/// allow. Features of a stream that has names, or hashes them, are named by their numbers.
pub(crate) fn parse_draft(
    text: &[u8],
    options: &ReadOptions,
    names: &Names,
    out: &mut Draft,
) -> Result<u64, LineError> {
    let mut bad = Vec::new();
    let mut pass_over = |error| {
        if (bad.len() as u64) < options.skip_bad {
            bad.push(error);
            Ok(())
        } else {
            Err(error)
        }
    };
    let lines = parse::<false>(text, options, &mut out.rows, &mut pass_over);
    out.bad = bad;
    if !names.is_empty() {
        out.name_numbers(names, options);
    }
    lines
}

/// [`parse_block`]; `CAREFUL` does without the hot loop, which must make no difference.
fn parse<const CAREFUL: bool>(
    text: &[u8],
    options: &ReadOptions,
    out: &mut Rows,
    on_bad: &mut dyn FnMut(LineError) -> Result<(), LineError>,
) -> Result<u64, LineError> {
    let too_long = first_too_long(text, options.max_line);
    let text = &text[..too_long.unwrap_or(text.len())];
    let mut lines = 0;
    let mut reader = LineReader::new(text, options);
    let mut start = 0;
    while start < text.len() {
        match reader.line::<CAREFUL>(start, out) {
            Ok(Line { next, row }) => {
                if row {
                    out.end_row(lines);
                }
                start = next;
            }
            Err(Fault { at, problem }) => {
                out.abandon_row();
                on_bad(LineError {
                    line: lines,
                    column: (at - start + 1) as u64,
                    problem,
                })?;
                start = memchr(b'\n', &text[start..]).map_or(text.len(), |len| start + len + 1);
            }
        }
        lines += 1;
    }
    match too_long {
        None => Ok(lines),
        Some(_) => Err(LineError {
            line: lines,
            column: options.max_line as u64 + 1,
            problem: LineProblem::LineTooLong {
                limit: options.max_line,
            },
        }),
    }
}

/// Where the first line begins that is longer than `max` bytes.
pub(crate) fn first_too_long(text: &[u8], max: usize) -> Option<usize> {
    let mut start = 0;
    while text.len() - start > max {
        let len = memchr(b'\n', &text[start..]).unwrap_or(text.len() - start);
        if len > max {
            return Some(start);
        }
        start += len + 1;
    }
    None
}

#[cfg(test)]
mod tests {
    use novikoff::rows::Rows;
    use proptest::prelude::*;

    use super::{LineError, ReadOptions, parse};

    fn reported<const CAREFUL: bool>(
        text: &str,
        options: &ReadOptions,
    ) -> (String, Result<u64, LineError>) {
        let mut rows = Rows::new();
        let result = parse::<CAREFUL>(text.as_bytes(), options, &mut rows, &mut Err);
        (format!("{rows:?}"), result)
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(4000))]

        #[test]
        fn the_hot_loop_makes_no_difference(
            words in prop::collection::vec(
                prop_oneof![
                    6 => "[0-9]{1,2}:[-+]?[0-9]{1,2}(\\.[0-9]{1,3})?",
                    3 => "[0-9]{0,10}[:.-]{0,2}[-+.0-9e/]{0,9}",
                    1 => "[0-9]{1,2}:-?[0-9]{0,3}\\.[0-9]{0,22}(e-?[0-9]{1,2})?",
                    1 => "[0-9]{1,2}[-./][0-9]{0,2}:[0-9]{1,3}(\\.[0-9]{1,3})?",
                    1 => "[ \t\r\n#,:0-9-]{0,3}",
                ],
                1..12,
            ),
            zero_based in any::<bool>(),
            max_features in prop_oneof![Just(100_000_000_u32), 20_u32..100],
        ) {
            // what is odd comes late, where the hot loop is at work
            let text = format!("1 1:1 2:2 3:3\n1 {}\n1 1:1 2:2 3:3 4:4 5:5 6:6 7:7 8:8 9:9 10:10", words.join(" "));
            let options = ReadOptions { zero_based, max_features, ..ReadOptions::default() };
            prop_assert_eq!(reported::<false>(&text, &options), reported::<true>(&text, &options));
        }

        #[test]
        fn many_tokens_at_a_time_make_no_difference(
            lines in prop::collection::vec(
                prop::collection::vec(
                    prop_oneof![
                        40 => "[0-9]{1,2}(\\.[0-9]{1,7})?",
                        20 => "-?[0-9]{1,5}\\.[0-9]{1,11}",
                        20 => "-?[0-9]{0,2}(\\.[0-9]{0,9})?[eE][-+]?[0-9]{1,2}",
                        20 => "-?[0-9]{0,17}\\.?[0-9]{0,18}(e[-+]?[0-9]{1,3})?",
                        5 => "0(\\.0{0,4})?",
                        1 => "[-+./e0-9: \t]{0,6}",
                    ],
                    0..40,
                ),
                1..6,
            ),
        ) {
            use std::fmt::Write as _;
            let mut text = "1 1:1 2:2 3:3 4:4 5:5 6:6 7:7 8:8 9:9 10:10 11:11 12:12\n".repeat(2);
            for values in &lines {
                text.push_str("-1");
                for (k, value) in values.iter().enumerate() {
                    let _ = write!(text, " {}:{value}", 1 + 37 * k);
                }
                text.push('\n');
            }
            let options = ReadOptions::default();
            prop_assert_eq!(reported::<false>(&text, &options), reported::<true>(&text, &options));
        }
    }
}
