//! `novikoff compare`: several learners on the same stream.

mod sweep;

use std::io::{Write as _, stdout};
use std::path::Path;

use novikoff::spec::Spec;
use novikoff_engine::Context;
use novikoff_engine::compare::{Compare, Compared};
use novikoff_engine::data::Data;
use novikoff_engine::options::RunOptions;
use novikoff_report::{Comparison, RunReport, best_first, comparison_json, comparison_text};

use crate::args::CompareArgs;
use crate::certify;
use crate::error::Failure;
use crate::interrupt;
use crate::notices;
use crate::publish::{self, Publication};
use crate::remark;
use crate::screen;
use crate::shell;

pub(crate) fn compare(args: &CompareArgs) -> Result<(), Failure> {
    if let Some(sets) = sweep::data_sets(&args.data)? {
        return sweep::sweep(args, &sets);
    }
    let inputs = std::slice::from_ref(&args.data);
    let job = job(args, Data::named(inputs)?)?;
    let read: Vec<&Data> = std::iter::once(&job.data).chain(&job.test).collect();
    publish::check(&args.end, &read, std::iter::empty(), args.run.cache)?;
    let progress = args.rows.progress();
    let interrupt = interrupt::listen();
    let Compared {
        comparison: mut compared,
        left_out,
        stopped,
    } = progress.during(|| job.run(Context::new(&progress, &interrupt)))?;
    let left_out = left_out.iter();
    compared.left_out = left_out
        .map(|(spec, why)| (spec.text().to_owned(), notices::left_out(why)))
        .collect();
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
        let words = shell::words();
        let next = best_first(&compared.runs).first().map(|best| {
            let is_sorted = compared
                .remarks
                .iter()
                .any(|noted| noted.remark.kind() == "sorted");
            let shuffle = if is_sorted { " --shuffle 1" } else { "" };
            let command = shell::command_to_train(&words, &best.spec);
            if is_no_better(best) {
                "next: none of these learners is better than the baseline\n".to_owned()
            } else {
                format!("next: {command}{shuffle}\n")
            }
        });
        let next = left_out_line(&compared) + &next.unwrap_or_default();
        comparison_text(&compared, screen::width()) + &next
    };
    let publication = Publication {
        data: inputs,
        run: &args.run,
        test: &args.test,
        end: &args.end,
        runs: &compared.runs,
        remarks: &compared.remarks,
        sweep: &[],
    };
    publication.write(&progress)?;
    stdout().lock().write_all(text.as_bytes())?;
    if stopped > 0 {
        let done = compared.runs.len();
        return Err(Failure::Interrupted(format!(
            "stopped: {done} of {} learners are done",
            done + stopped
        )));
    }
    certify::require(&args.end.proof, &compared.runs)
}

/// Whether it was remarked that a run is no better than the baseline.
fn is_no_better(run: &RunReport) -> bool {
    run.remarks
        .iter()
        .any(|noted| noted.remark.kind() == "baseline")
}

/// The learners that were not run, by name; why is said on the way, and in the JSON.
fn left_out_line(compared: &Comparison) -> String {
    let names = compared.left_out.iter().map(|(spec, _)| spec.as_str());
    let names = names.collect::<Vec<&str>>().join(", ");
    if names.is_empty() {
        String::new()
    } else {
        format!("left out: {names}\n")
    }
}

/// The words as a job over some data.
fn job(args: &CompareArgs, data: Data) -> Result<Compare, Failure> {
    let specs = args.specs.iter().map(|spec| named(spec));
    Ok(Compare {
        data,
        specs: specs.collect::<Result<_, _>>()?,
        test: args.test.data()?,
        run: RunOptions {
            test_every_epoch: args.test.test_every_epoch,
            splits: args.split.options(),
            ..args.run.options()?
        },
        rows: args.rows.leniently(args.lenient),
        certify: args.end.proof.options(None, None),
        charts: args.end.is_drawn(),
    })
}

/// A learner that was named, unless it is a file.
fn named(spec: &str) -> Result<Spec, Failure> {
    Spec::parse(spec).map_err(|error| {
        if Path::new(spec).exists() {
            Failure::Message(format!(
                "{spec}: is a file, but learners follow the data; compare reads one input, so join the files by `novikoff convert A B both.nvk`, and run \
                 `novikoff compare both.nvk`"
            ))
        } else {
            error.into()
        }
    })
}
