//! `novikoff compare`: several learners on the same stream.

use std::io::{Write as _, stdout};
use std::path::Path;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

use novikoff::catalog::{CATALOG, looks_back};
use novikoff::classes::Task;
use novikoff::model::{Model, Preparation};
use novikoff::spec::Spec;
use novikoff_report::{DataSummary, RunReport, comparison_json, comparison_text};

use crate::args::CompareArgs;
use crate::certify::{self, Notary};
use crate::comparator::{Comparator, comparator};
use crate::error::Failure;
use crate::input::{Data, Held};
use crate::job;
use crate::labelled::Bare;
use crate::progress::Progress;
use crate::publish;
use crate::session::over_orders;

/// Learners that keep a number for each pair of features join the default list up to this width.
const PAIRS_UP_TO: u32 = 1024;

/// Learners that look at all rows so far join it up to as many rows.
const LOOKING_BACK_UP_TO: usize = 10_000;

pub(crate) fn compare(args: &CompareArgs) -> Result<(), Failure> {
    let data = Data::named(std::slice::from_ref(&args.data))?;
    let test = args
        .run
        .test
        .clone()
        .map(|word| Data::named(&[word]))
        .transpose()?;
    publish::check(&args.end)?;
    if let Some(path) = &args.end.report
        && (data.reads(path) || test.as_ref().is_some_and(|test| test.reads(path)))
    {
        let path = path.display();
        return Err(
            format!("{path}: is read as data and cannot be written; give another name").into(),
        );
    }
    let preparation = args.run.preparation()?;
    let asked: Vec<Spec> = args
        .specs
        .iter()
        .map(|spec| named(spec))
        .collect::<Result<_, _>>()?;
    let task = args.run.task()?;
    let progress = Progress::new(args.rows.quiet).verbose(args.rows.verbose);
    let mut reading = args.rows.reading(preparation.bias);
    let data = if args.run.cache {
        let fresh = reading.names.clone();
        data.cached(&mut reading, fresh, &progress)?
    } else {
        data
    };
    if let Some(test) = &test {
        test.check(&reading)?;
        if test.is_stream() && data.is_stream() {
            return Err("--test -: the stream is the data already; give a file to test on".into());
        }
    }
    let limit = job::memory(args.rows.max_memory);
    let held = data.load(&reading, limit, Bare::of(task.as_ref()), &progress)?;
    if held.is_empty() {
        return Err(job::no_rows());
    }
    let task = match task {
        Some(task) => task,
        None => data.task(&held, true, &reading)?,
    };
    // what the learners have not met, they do not know
    (reading.names, reading.options.table) = (held.names.clone(), held.table.clone());
    reading.names.freeze();
    let test = test
        .map(|test| test.load(&reading, limit, Bare::of(Some(&task)), &progress))
        .transpose()?;
    if args.run.standardize && data.is_stream() {
        return Err(job::files_only("--standardize"));
    }
    let preparation = args.run.fitted(&preparation, &held, limit)?;
    let specs = if asked.is_empty() {
        fitting(&held, &progress)?
    } else {
        asked
    };
    let width = args
        .run
        .features
        .or((!data.is_stream()).then(|| held.width()));
    let comparator = comparator(&args.end.proof, limit)?;
    let field = Field {
        args,
        comparator,
        specs,
        preparation,
        task,
        width,
        state_memory: limit,
        held,
        test,
        named: !args.specs.is_empty(),
    };
    let runs = field.run_all(reading.threads, &progress, data.is_stream())?;
    let Some(first) = runs.first() else {
        return Err(
            "no learner fits the data; name one, as in `novikoff compare DATA perceptron`".into(),
        );
    };
    let summary: DataSummary = first.data;
    let text = if args.run.json {
        format!("{}\n", comparison_json(&summary, &runs))
    } else {
        comparison_text(&summary, &runs)
    };
    let inputs = std::slice::from_ref(&args.data);
    publish::write((&args.run, &args.end), inputs, &runs, &progress)?;
    stdout().lock().write_all(text.as_bytes())?;
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

/// The catalogue, less what cannot run on these rows.
fn fitting(held: &Held, progress: &Progress) -> Result<Vec<Spec>, Failure> {
    let mut specs = Vec::new();
    for entry in CATALOG {
        if entry.pairs && held.width() > PAIRS_UP_TO {
            let why = "it keeps a number for each pair of features";
            progress.remark(&format!("leaving out {}: {why}", entry.name));
        } else if looks_back(entry.name) && held.len() > LOOKING_BACK_UP_TO {
            let why = "an update looks at all rows so far";
            progress.remark(&format!("leaving out {}: {why}", entry.name));
        } else {
            specs.push(Spec::parse(entry.name)?);
        }
    }
    Ok(specs)
}

/// Everything the runs share.
struct Field<'a> {
    args: &'a CompareArgs,
    /// What all runs are compared with, if it was named.
    comparator: Option<Comparator>,
    specs: Vec<Spec>,
    preparation: Preparation,
    task: Task,
    width: Option<u32>,
    state_memory: u128,
    held: Held,
    test: Option<Held>,
    /// The learners were named, so that each must run.
    named: bool,
}

impl Field<'_> {
    fn run_one(&self, spec: &Spec, threads: usize, stream: bool) -> Result<RunReport, Failure> {
        let fresh = || {
            let preparation = self.args.run.for_learner(&self.preparation, spec);
            let (task, spec) = (self.task.clone(), spec.clone());
            let kernel = self.args.run.kernel_for(&spec)?;
            let (width, memory) = (self.width, self.state_memory);
            let mut model = Model::with_kernel(spec, kernel, task, preparation, width, memory)?;
            model.zero_based = self.args.rows.zero_based;
            model.threads = threads;
            let remembered = self.args.run.remembered(self.args.run.epochs());
            model.learner.remember(remembered / self.specs.len().max(1));
            Ok(model)
        };
        let model = fresh()?;
        if stream && model.learner.surveys() {
            return Err(job::files_only(spec.name()));
        }
        let by = job::hypothesis(self.args.run.by, model.learner.hypotheses(), spec.name())?;
        let quiet = Progress::new(true);
        let test = self.test.as_ref();
        let effort = self.args.end.proof.effort();
        let notary = effort.map(|effort| Notary {
            effort,
            comparator: self.comparator.as_ref(),
            save: None,
            threads,
            memory: self.state_memory / 2,
            // nobody listens: a signal ends the process
            interrupt: None,
        });
        let watched = (notary.as_ref(), self.args.end.is_drawn());
        over_orders(&self.args.run, &self.held, test, by, watched, &quiet, fresh)
    }

    /// All runs, on as many threads as there are; reports come in the order given.
    fn run_all(
        &self,
        threads: usize,
        progress: &Progress,
        stream: bool,
    ) -> Result<Vec<RunReport>, Failure> {
        let next = AtomicUsize::new(0);
        let each = (threads / self.specs.len().max(1)).max(1);
        let slots: Vec<Mutex<Option<Result<RunReport, Failure>>>> =
            self.specs.iter().map(|_| Mutex::new(None)).collect();
        progress.begin(Some(self.specs.len() as u64), "learners");
        let work = || {
            loop {
                // each slot is filled once, by whoever drew its number
                let k = next.fetch_add(1, Ordering::Relaxed);
                let Some(spec) = self.specs.get(k) else { break };
                let result = self.run_one(spec, each, stream);
                if let Ok(mut slot) = slots[k].lock() {
                    *slot = Some(result);
                }
            }
        };
        std::thread::scope(|scope| {
            for _ in 1..threads.min(self.specs.len()) {
                scope.spawn(work);
            }
            work();
        });
        progress.end();
        let mut reports = Vec::new();
        for (slot, spec) in slots.into_iter().zip(&self.specs) {
            match slot.into_inner().ok().flatten() {
                Some(Ok(report)) => reports.push(report),
                Some(Err(Failure::Unfit(why))) if !self.named => {
                    progress.remark(&format!("leaving out {}: {why}", spec.name()));
                }
                Some(Err(failure)) => return Err(failure),
                None => return Err(format!("{}: the run ended unexpectedly", spec.name()).into()),
            }
        }
        Ok(reports)
    }
}
