//! svmlight and VW bodies, by the parsers of files.

use novikoff_data::named_rows::NamedRows;
use novikoff_data::options::ReadOptions;
use novikoff_data::whole_text::{self, LineFormat};

use super::BodyLimits;
use crate::problem::Problem;
use crate::words::said;

/// The first bytes of what readers of files would decompress: a body has the size that it has.
const COMPRESSED: [&[u8]; 2] = [b"\x1f\x8b", b"\x28\xb5\x2f\xfd"];

/// The rows of a text.
pub(super) fn rows(
    body: &[u8],
    format: LineFormat,
    options: &ReadOptions,
    limits: BodyLimits,
) -> Result<NamedRows, Problem> {
    if COMPRESSED.iter().any(|magic| body.starts_with(magic)) {
        return Err(
            Problem::new(415, "compressed body").detail("the body is compressed; send it as it is")
        );
    }
    // what many short lines would take is not made room for
    if memchr::memchr_iter(b'\n', body).count() > limits.rows {
        return Err(limits.too_many_rows());
    }
    let options = ReadOptions {
        unlabelled: true,
        ..options.clone()
    };
    let (names, rows) = whole_text::read("body", body, format, &options).map_err(|refused| {
        let error = refused.error;
        Problem::new(400, "bad body")
            .detail(said(&error, error.remedy().as_ref()))
            .row(refused.rows as u64)
    })?;
    Ok(NamedRows::new(names, rows))
}
