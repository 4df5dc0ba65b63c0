//! `novikoff convert`: the same rows in another format.

use novikoff_engine::convert::Convert;
use novikoff_engine::data::Data;
use novikoff_engine::{Context, Interrupt};

use crate::args::ConvertArgs;
use crate::error::Failure;

pub(crate) fn convert(args: &ConvertArgs) -> Result<(), Failure> {
    let Some((out, words)) = args.paths.split_last() else {
        return Err("give the data and the output, as in `novikoff convert in.csv out.nvk`".into());
    };
    let job = Convert {
        data: Data::named(words)?,
        output: out.into(),
        rows: args.rows.options(),
    };
    let progress = args.rows.progress();
    Ok(progress.during(|| job.run(Context::new(&progress, &Interrupt::default())))?)
}
