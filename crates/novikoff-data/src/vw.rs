//! Vowpal Wabbit's text.

use novikoff::names::Names;

use crate::draft::Draft;
use crate::error::LineError;
use crate::options::ReadOptions;

/// What is wrong at one place of a line.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum VwProblem {}

/// Adds the rows of a block of whole lines to `out`, and says how many lines there were.
pub(crate) fn parse_draft(
    _text: &[u8],
    _options: &ReadOptions,
    _names: &Names,
    _out: &mut Draft,
) -> Result<u64, LineError> {
    Ok(0)
}
