//! `novikoff generate`: synthetic or built-in data as svmlight text.

use std::io::{BufWriter, Write, stdout};
use std::path::Path;

use novikoff::source::Source as _;
use novikoff_data::digits::digits;
use novikoff_data::generate::Generator;
use novikoff_data::write::SvmlightWriter;
use tempfile::NamedTempFile;

use crate::args::GenerateArgs;
use crate::error::Failure;
use crate::job;

pub(crate) fn generate(args: &GenerateArgs) -> Result<(), Failure> {
    let Some(path) = &args.output else {
        let mut out = BufWriter::new(stdout().lock());
        write(&args.name, &mut out)?;
        return Ok(out.flush()?);
    };
    job::check_writable(path)?;
    let directory = match path.parent() {
        Some(parent) if parent != Path::new("") => parent,
        _ => Path::new("."),
    };
    let failure = |error: &std::io::Error| Failure::file(path, "cannot write", error);
    let file = NamedTempFile::new_in(directory).map_err(|error| failure(&error))?;
    let mut out = BufWriter::with_capacity(1 << 18, file);
    write(&args.name, &mut out)?;
    let file = out.into_inner().map_err(|error| failure(error.error()))?;
    crate::trace::publish(file, path).map_err(|error| failure(&error))
}

fn write(name: &str, out: &mut impl Write) -> Result<(), Failure> {
    let mut writer = SvmlightWriter::new(out);
    if name == "digits" {
        writer.write(&digits(None))?;
        return Ok(());
    }
    let mut generator = Generator::new(name)?;
    while let Ok(Some(block)) = generator.next_block() {
        writer.write(block)?;
    }
    Ok(())
}
