//! svmlight and VW bodies, by the readers of files.

use novikoff::names::Names;
use novikoff::rows::Rows;
use novikoff::source::Source as _;
use novikoff_data::blocks::{Input, Reader};
use novikoff_data::error::DataError;
use novikoff_data::named_rows::NamedRows;
use novikoff_data::options::{Format, ReadOptions};

use crate::problem::Problem;
use crate::words::said;

/// The first bytes of what readers of files would decompress: a body has the size that it has.
const COMPRESSED: [&[u8]; 2] = [b"\x1f\x8b", b"\x28\xb5\x2f\xfd"];

/// The rows of a text.
pub(super) fn rows(
    body: &[u8],
    format: Format,
    options: &ReadOptions,
) -> Result<NamedRows, Problem> {
    if COMPRESSED.iter().any(|magic| body.starts_with(magic)) {
        return Err(
            Problem::new(415, "compressed body").detail("the body is compressed; send it as it is")
        );
    }
    let input = Input::Bytes {
        name: "body".to_owned(),
        text: body.to_vec().into(),
    };
    let options = ReadOptions {
        format: Some(format),
        unlabelled: true,
        ..options.clone()
    };
    let mut rows = Rows::new();
    let refused = |error: &DataError, row: usize| {
        Problem::new(400, "bad body")
            .detail(said(error, error.remedy().as_ref()))
            .row(row as u64)
    };
    let reader = Reader::with_names(vec![input], options, 1, Names::new());
    let mut reader = reader.map_err(|error| refused(&error, 0))?;
    loop {
        match reader.next_block() {
            Ok(Some(block)) => rows.append(block, 0),
            Ok(None) => break,
            Err(error) => return Err(refused(&error, rows.len())),
        }
    }
    let names = reader.names().clone();
    Ok(NamedRows::new(names, rows))
}
