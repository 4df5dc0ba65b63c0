//! `novikoff compare`: several learners on the same stream.

use std::io::{Write as _, stdout};
use std::path::Path;

use novikoff::spec::Spec;
use novikoff_engine::compare::Compare;
use novikoff_engine::data::Data;
use novikoff_engine::{Context, Interrupt};
use novikoff_report::{comparison_json, comparison_text};

use crate::args::CompareArgs;
use crate::certify;
use crate::error::Failure;
use crate::publish;
use crate::remark;
use crate::screen;

pub(crate) fn compare(args: &CompareArgs) -> Result<(), Failure> {
    let inputs = std::slice::from_ref(&args.data);
    let specs = args.specs.iter().map(|spec| named(spec));
    let job = Compare {
        data: Data::named(inputs)?,
        specs: specs.collect::<Result<_, _>>()?,
        test: args.test.data()?,
        run: args.run.options()?,
        rows: args.rows.leniently(args.lenient),
        certify: args.end.proof.options(None, None),
        charts: args.end.is_drawn(),
    };
    let read: Vec<&Data> = std::iter::once(&job.data).chain(&job.test).collect();
    publish::check(&args.end, &read, std::iter::empty(), args.run.cache)?;
    let progress = args.rows.progress();
    // nobody listens for signals: one ends the process
    let mut compared = job.run(Context::new(&progress, &Interrupt::default()))?;
    if compared.runs.is_empty() {
        return Err(
            "no learner fits the data; name one, as in `novikoff compare DATA perceptron`".into(),
        );
    }
    remark::word(&mut compared.remarks);
    remark::say(&mut compared.runs, &progress);
    let text = if args.run.json {
        format!("{}\n", comparison_json(&compared))
    } else {
        comparison_text(&compared, screen::width())
    };
    let asked = (&args.run, &args.test, &args.end);
    publish::write(asked, inputs, &compared.runs, &progress)?;
    stdout().lock().write_all(text.as_bytes())?;
    certify::require(&args.end.proof, &compared.runs)
}

/// A learner that was named, unless it is a file.
fn named(spec: &str) -> Result<Spec, Failure> {
    Spec::parse(spec).map_err(|error| {
        if Path::new(spec).exists() {
            Failure::Message(format!(
                "{spec}: is a file, but learners follow the data; compare reads one input, so use `cat A B | novikoff compare -`"
            ))
        } else {
            error.into()
        }
    })
}
