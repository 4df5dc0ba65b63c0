//! `novikoff compare`: several learners on the same stream.

use std::io::{Write as _, stdout};
use std::path::Path;

use novikoff::spec::Spec;
use novikoff_engine::Context;
use novikoff_engine::compare::{Compare, Compared};
use novikoff_engine::data::Data;
use novikoff_report::{best_first, comparison_json, comparison_text};

use crate::args::CompareArgs;
use crate::certify;
use crate::error::Failure;
use crate::interrupt;
use crate::notices;
use crate::publish;
use crate::remark;
use crate::shell;

pub(crate) fn compare(args: &CompareArgs) -> Result<(), Failure> {
    let inputs = std::slice::from_ref(&args.data);
    let specs = args.specs.iter().map(|spec| named(spec));
    let job = Compare {
        data: Data::named(inputs)?,
        specs: specs.collect::<Result<_, _>>()?,
        test: args.run.test()?,
        run: args.run.options()?,
        rows: args.rows.options(),
        certify: args.end.proof.options(None, None),
        charts: args.end.is_drawn(),
    };
    let read: Vec<&Data> = std::iter::once(&job.data).chain(&job.test).collect();
    publish::check(&args.end, &read, std::iter::empty(), args.run.cache)?;
    let progress = args.rows.progress();
    let interrupt = interrupt::listen();
    let Compared {
        data,
        mut runs,
        left_out,
        stopped,
    } = job.run(Context::new(&progress, &interrupt))?;
    if runs.is_empty() {
        return Err(
            "no learner fits the data; name one, as in `novikoff compare DATA perceptron`".into(),
        );
    }
    remark::on_certificates(&mut runs, args.end.proof.comparator.is_some());
    let text = if args.run.json {
        let left_out = left_out.iter();
        let left_out: Vec<(String, String)> = left_out
            .map(|(spec, why)| (spec.text().to_owned(), notices::left_out(why)))
            .collect();
        format!("{}\n", comparison_json(&data, &runs, &left_out))
    } else {
        let words: Vec<String> = std::env::args().collect();
        let next = best_first(&runs).first().map(|best| {
            let command = shell::command_to_train(&words, &best.spec);
            format!("next: {command}\n")
        });
        comparison_text(&data, &runs) + &next.unwrap_or_default()
    };
    publish::write((&args.run, &args.end), inputs, &runs, &progress)?;
    remark::say(&runs, &progress);
    stdout().lock().write_all(text.as_bytes())?;
    if stopped > 0 {
        let done = runs.len();
        return Err(Failure::Interrupted(format!(
            "stopped: {done} of {} learners are done",
            done + stopped
        )));
    }
    certify::require(&args.end.proof, &runs)
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
