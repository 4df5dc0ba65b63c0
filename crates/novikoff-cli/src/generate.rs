//! `novikoff generate`: synthetic or built-in data as svmlight text.

use std::io::{BufWriter, Write, stdout};

use novikoff::source::Source as _;
use novikoff_data::atomic::NewFile;
use novikoff_data::digits::digits;
use novikoff_data::generate::Generator;
use novikoff_data::write::SvmlightWriter;
use novikoff_engine::trace::publish;

use crate::args::GenerateArgs;
use crate::error::Failure;

pub(crate) fn generate(args: &GenerateArgs) -> Result<(), Failure> {
    let Some(path) = &args.output else {
        let mut out = BufWriter::new(stdout().lock());
        write(&args.name, &mut out)?;
        return Ok(out.flush()?);
    };
    let mut out = BufWriter::with_capacity(1 << 18, NewFile::create(path)?);
    write(&args.name, &mut out)?;
    Ok(publish(out)?)
}

fn write(name: &str, out: &mut impl Write) -> Result<(), Failure> {
    let mut writer = SvmlightWriter::new(out);
    if name == "digits" {
        writer.write(digits(None).view())?;
        return Ok(());
    }
    let mut generator = Generator::new(name)?;
    while let Ok(Some(block)) = generator.next_block() {
        writer.write(block)?;
    }
    Ok(())
}
