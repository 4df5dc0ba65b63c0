//! `novikoff export`: a model as an ONNX graph.

use novikoff_engine::export::{Export, InputType, Operators, Options};
use novikoff_engine::{Context, Interrupt, memory_for};

use crate::args::{ExportArgs, InputWord, OperatorsWord};
use crate::error::Failure;
use crate::job;
use crate::progress::Progress;

pub(crate) fn export(args: &ExportArgs) -> Result<(), Failure> {
    let job = Export {
        model: args.model.clone(),
        output: args.output.clone(),
        options: Options {
            operators: match args.ops {
                OperatorsWord::Core => Operators::Core,
                OperatorsWord::Ml => Operators::Ml,
            },
            input: match args.input {
                InputWord::Float64 => InputType::Float64,
                InputWord::Float32 => InputType::Float32,
            },
            by: args.by.map(job::hypothesis),
            columns: 0,
        },
        memory: memory_for(args.max_memory),
    };
    let progress = Progress::new(args.quiet);
    Ok(progress.during(|| job.run(Context::new(&progress, &Interrupt::default())))?)
}
