//! `novikoff generate`: synthetic or built-in data as svmlight text.

use std::io::{BufWriter, Write as _, stdout};

use novikoff_data::atomic::NewFile;
use novikoff_data::atomic::publish;
use novikoff_engine::convert;

use crate::args::GenerateArgs;
use crate::error::Failure;
use crate::progress::Progress;

pub(crate) fn generate(args: &GenerateArgs) -> Result<(), Failure> {
    let Some(path) = &args.output else {
        let mut out = BufWriter::new(stdout().lock());
        convert::generate(&args.name, &mut out)?;
        return Ok(out.flush()?);
    };
    let mut out = BufWriter::with_capacity(1 << 18, NewFile::create(path)?);
    Progress::new(false).during(|| convert::generate(&args.name, &mut out))?;
    Ok(publish(out)?)
}
