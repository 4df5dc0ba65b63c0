//! `novikoff train`: one learner over a stream.

use std::io::{Write as _, stdout};
use std::path::PathBuf;

use novikoff::spec::Spec;
use novikoff_engine::Context;
use novikoff_engine::data::Data;
use novikoff_engine::fit::Fit;
use novikoff_engine::options::RunOptions;
use novikoff_report::{run_json, run_text};

use crate::args::{
    EndArgs, LenientArgs, RowArgs, RunArgs, SaveArgs, SplitArgs, SpoolArgs, TestArgs, TrainArgs,
};
use crate::certify;
use crate::error::Failure;
use crate::interrupt;
use crate::job;
use crate::publish::{self, Publication};
use crate::screen;
use crate::words::CommandDoor;

/// The words of a fit.
pub(crate) struct FitArgs<'a> {
    pub(crate) data: &'a [String],
    pub(crate) spec: Option<&'a str>,
    pub(crate) output: Option<&'a PathBuf>,
    pub(crate) resume: Option<&'a PathBuf>,
    pub(crate) checkpoint: Option<&'a str>,
    pub(crate) trace: Option<&'a PathBuf>,
    pub(crate) save: &'a SaveArgs,
    pub(crate) run: &'a RunArgs,
    pub(crate) test: &'a TestArgs,
    pub(crate) split: Option<&'a SplitArgs>,
    pub(crate) end: &'a EndArgs,
    pub(crate) spool: &'a SpoolArgs,
    pub(crate) lenient: LenientArgs,
    pub(crate) rows: &'a RowArgs,
}

pub(crate) fn train(args: &TrainArgs) -> Result<(), Failure> {
    fit(&FitArgs {
        data: &args.data,
        spec: args.spec.as_deref(),
        output: args.output.as_ref(),
        resume: args.resume.as_ref(),
        checkpoint: args.checkpoint.as_deref(),
        trace: args.trace.as_ref(),
        save: &args.save,
        run: &args.run,
        test: &args.test,
        split: Some(&args.split),
        end: &args.end,
        spool: &args.spool,
        lenient: args.lenient,
        rows: &args.rows,
    })
}

/// Runs a fit and prints its report.
pub(crate) fn fit(words: &FitArgs<'_>) -> Result<(), Failure> {
    let job = Fit {
        data: Data::named(words.data)?,
        spec: words.spec.map(Spec::parse).transpose()?,
        resume: words.resume.cloned(),
        output: words.output.cloned(),
        checkpoint: words.checkpoint.map(job::every).transpose()?,
        trace: words.trace.cloned(),
        test: words.test.data()?,
        run: RunOptions {
            test_every_epoch: words.test.test_every_epoch,
            splits: words.split.and_then(SplitArgs::options),
            ..words.run.options()?
        },
        rows: words.rows.leniently(words.lenient),
        certify: words
            .end
            .proof
            .options(Some(words.spool), words.save.save_comparator.as_ref()),
        charts: words.end.is_drawn(),
    };
    let saved = words.save.save_comparator.as_ref();
    let written = [words.output, words.trace, saved];
    let read: Vec<&Data> = std::iter::once(&job.data).chain(&job.test).collect();
    publish::check(
        words.end,
        &read,
        written.into_iter().flatten(),
        words.run.cache,
    )?;
    let progress = words.rows.progress();
    let interrupt = interrupt::listen();
    let mut report = progress
        .during(|| job.run(Context::new(&progress, &interrupt)))?
        .report;
    report.word(&CommandDoor);
    let text = if words.run.json {
        format!("{}\n", run_json(&report))
    } else {
        run_text(&report, screen::width())
    };
    let publication = Publication {
        data: words.data,
        run: words.run,
        test: words.test,
        end: words.end,
        runs: std::slice::from_ref(&report),
        remarks: &[],
        sweep: &[],
    };
    publication.write(&progress)?;
    stdout().lock().write_all(text.as_bytes())?;
    certify::require(&words.end.proof, [&report])
}
