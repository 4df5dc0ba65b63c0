//! `train`, checked before a byte of data is read: what goes with what, and with the model to go on from.

use std::path::Path;

use novikoff::classes::Task;
use novikoff::model::Preparation;
use novikoff::spec::Spec;
use novikoff_data::cache::beside;
use novikoff_data::model::{LoadedModel, Unfinished};

use super::{Job, Resumed};
use crate::args::TrainArgs;
use crate::checkpoint::Every;
use crate::comparator::Place;
use crate::error::Failure;
use crate::input::Data;
use crate::interrupt::Interrupt;
use crate::job;
use crate::progress::Progress;
use crate::publish;

pub(super) fn check(args: &TrainArgs) -> Result<(Job<'_>, Option<Resumed>), Failure> {
    let data = Data::named(&args.data)?;
    let test = args
        .run
        .test
        .clone()
        .map(|word| Data::named(&[word]))
        .transpose()?;
    let preparation = args.run.preparation()?;
    let memory = job::memory(args.rows.max_memory);
    let typed = args.spec.as_deref().map(Spec::parse).transpose()?;
    let resumed = match &args.resume {
        Some(path) => Some(resume(path, typed.as_ref(), args, &preparation, memory)?),
        None => None,
    };
    let spec = match (typed, &resumed) {
        (Some(spec), _) => spec,
        (None, Some((model, _))) => model.spec.clone(),
        (None, None) => {
            return Err(
                "no learner: give -a SPEC, as in -a perceptron (see `novikoff compare --help`)"
                    .into(),
            );
        }
    };
    if args.run.permutations.is_some()
        && (args.output.is_some() || resumed.is_some() || args.trace.is_some())
    {
        return Err("--permutations repeats a run, so it goes with neither -o nor --resume nor --trace; use --shuffle SEED for one order".into());
    }
    if resumed.is_some() && args.effort().is_some() {
        return Err("--certify is about a whole run, and --resume goes on from the middle of one; certify it from its beginning".into());
    }
    check_outputs(args, &data, test.as_ref(), resumed.as_ref())?;
    let preparation = resumed.as_ref().map_or_else(
        || args.run.for_learner(&preparation, &spec),
        |(model, _)| model.preparation.clone(),
    );
    let kernel = args.run.kernel_for(&spec)?;
    let parameters = spec.parameters(Some(2))?;
    let fresh = spec.learner(&parameters, kernel, 0)?;
    let interrupt = Interrupt::listen();
    let mut reading = args.rows.reading(preparation.bias);
    reading.options.interrupt = Some(interrupt.0);
    if let Some((model, unfinished)) = &resumed {
        reading.options.zero_based |= model.zero_based;
        // a run that was begun without a model reads its tables as it did then
        if !unfinished.as_ref().is_some_and(begun_anew) {
            reading.options.table.clone_from(&model.table);
        }
        reading.names = model.names.clone();
        if let Some(run) = unfinished {
            data.check(&reading)?;
            check_unfinished(run, args, &data, model.classes.task())?;
        }
    }
    let inputs = data.inputs();
    let progress = Progress::new(args.rows.quiet).verbose(args.rows.verbose);
    let data = if args.run.cache {
        let fresh = args.rows.reading(None).names;
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
    let survey_pending = match &resumed {
        Some((model, _)) => model.learner.surveys(),
        None => fresh.surveys(),
    };
    if data.is_stream() && survey_pending {
        return Err(job::files_only(spec.name()));
    }
    if data.is_stream() && args.run.standardize && resumed.is_none() {
        return Err(job::files_only("--standardize"));
    }
    let comparator = crate::comparator::comparator(&args.end.proof, memory)?;
    if let Some(comparator) = &comparator {
        let place = Place::before(
            (kernel, preparation.bias),
            (&spec, &parameters),
            &reading.names,
        );
        comparator.fits(place)?;
    }
    let job = Job {
        args,
        data,
        inputs,
        test,
        reading,
        every: args.checkpoint.as_deref().map(Every::parse).transpose()?,
        interrupt,
        preparation,
        task: args.run.task()?,
        memory,
        by: job::hypothesis(args.run.by, fresh.hypotheses(), spec.name())?,
        spec,
        surveys: fresh.surveys(),
        comparator,
        progress,
    };
    Ok((job, resumed))
}

/// What is written must not be what is read, or kept, or finished.
fn check_outputs(
    args: &TrainArgs,
    data: &Data,
    test: Option<&Data>,
    resumed: Option<&Resumed>,
) -> Result<(), Failure> {
    if let (Some((_, None)), Some(from), Some(to), Some(_)) =
        (resumed, &args.resume, &args.output, &args.checkpoint)
        && job::is_same_file(from, to)
    {
        return Err(format!(
            "{}: holds a finished run, so there is nothing to go on with; to learn more rows from it leave out --checkpoint, or write to another file with -o",
            from.display()
        )
        .into());
    }
    publish::check(&args.end)?;
    let save = &args.save.save_comparator;
    for path in [&args.output, &args.trace, &args.end.report, save]
        .into_iter()
        .flatten()
    {
        job::check_writable(path)?;
        if data.reads(path) || test.is_some_and(|test| test.reads(path)) {
            let path = path.display();
            return Err(format!(
                "{path}: is read as data and cannot be written; give another name"
            )
            .into());
        }
    }
    if let (true, Data::Files(paths)) = (args.run.cache, data) {
        let cache = beside(paths);
        let written = [&args.output, &args.trace, &args.end.report, save]
            .into_iter()
            .flatten();
        if written
            .into_iter()
            .any(|path| job::is_same_file(path, &cache))
        {
            let cache = cache.display();
            return Err(format!("{cache}: is where --cache keeps its copy of the data; give another name for -o, --trace and --report, or leave --cache out").into());
        }
    }
    if args.output.is_some() && args.output == args.trace {
        return Err("-o and --trace name the same file; give two names".into());
    }
    if args.end.report.is_some()
        && (args.end.report == args.output || args.end.report == args.trace)
    {
        return Err("--report names the same file as -o or --trace; give two names".into());
    }
    if save.is_some() && [&args.output, &args.trace, &args.end.report].contains(&save) {
        return Err(
            "--save-comparator names the same file as -o, --trace or --report; give two names"
                .into(),
        );
    }
    Ok(())
}

/// Whether the model had learned from no row when the run began.
fn begun_anew(run: &Unfinished) -> bool {
    u128::from(run.ledger.totals.trials) == u128::from(run.epoch) * u128::from(run.rows)
}

/// What was typed must be what the run that goes on was begun with.
fn check_unfinished(
    run: &Unfinished,
    args: &TrainArgs,
    data: &Data,
    task: &Task,
) -> Result<(), Failure> {
    let differs = |what: &str, is: &str, got: &str| {
        Err(Failure::Message(format!(
            "the run that goes on was begun with {what} {is}, not {got}; give the same, or leave --resume out to begin anew"
        )))
    };
    let word = |value: Option<u64>| value.map_or("off".to_owned(), |v| v.to_string());
    if let Some(epochs) = args.run.epochs
        && epochs != run.epochs
    {
        return differs("--epochs", &run.epochs.to_string(), &epochs.to_string());
    }
    if args.run.shuffle.is_some() && args.run.shuffle != run.shuffle {
        return differs("--shuffle", &word(run.shuffle), &word(args.run.shuffle));
    }
    if let Some(typed) = args.run.task()?
        && !same_task(&typed, task)
    {
        return differs("labels:", &in_words(task), &in_words(&typed));
    }
    let words = args.rows.words();
    if words != run.reading {
        let none = |words: &str| {
            if words.is_empty() {
                "no options for its rows".to_owned()
            } else {
                words.to_owned()
            }
        };
        return differs("the options", &none(&run.reading), &none(&words));
    }
    let inputs = data.inputs();
    if inputs.len() != run.inputs.len() {
        return differs(
            "inputs:",
            &run.inputs.len().to_string(),
            &inputs.len().to_string(),
        );
    }
    for ((name, size), (was, old)) in inputs.iter().zip(&run.inputs) {
        if size != old {
            let bytes = |size: &Option<u64>| {
                size.map_or("no known size".to_owned(), |n| format!("{n} bytes"))
            };
            let (is, got) = (
                format!("{was} of {}", bytes(old)),
                format!("{name} of {}", bytes(size)),
            );
            return differs("the data", &is, &got);
        }
    }
    Ok(())
}

fn same_task(a: &Task, b: &Task) -> bool {
    match (a, b) {
        (
            Task::Binary { negative, positive },
            Task::Binary {
                negative: other,
                positive: one,
            },
        ) => (negative, positive) == (other, one),
        (Task::OneVsRest, Task::OneVsRest)
        | (Task::MultiLabel, Task::MultiLabel)
        | (Task::Regression, Task::Regression) => true,
        _ => false,
    }
}

fn in_words(task: &Task) -> String {
    match task {
        Task::Binary { negative, positive } => {
            let negative = negative.as_ref().map_or("the rest", |label| label.name());
            format!("{} against {negative}", positive.name())
        }
        Task::OneVsRest => "each against the rest".to_owned(),
        Task::MultiLabel => "several a row".to_owned(),
        Task::Regression => "numbers".to_owned(),
    }
}

/// A model to go on from; what was typed must be what it was trained with.
fn resume(
    path: &Path,
    typed: Option<&Spec>,
    args: &TrainArgs,
    preparation: &Preparation,
    memory: u128,
) -> Result<Resumed, Failure> {
    let LoadedModel {
        model, unfinished, ..
    } = novikoff_data::model::load(path, memory)?;
    let differs = |what: &str, is: String, got: String| {
        Err(Failure::Message(format!(
            "{}: the model was trained with {what} {is}, not {got}; leave the option out to go on as before",
            path.display()
        )))
    };
    if !model.spec.learns() {
        let path = path.display();
        return Err(format!("{path}: was solved for all its rows at once and does not learn from more; use `novikoff solve` on all rows").into());
    }
    if let Some(spec) = typed
        && !spec.same(&model.spec)
    {
        return differs("-a", model.spec.to_string(), spec.to_string());
    }
    let word = |value: Option<f64>| value.map_or("off".to_owned(), |v| v.to_string());
    let is = &model.preparation;
    if args.run.standardize && is.standardize.is_none() {
        return differs("--standardize", "off".to_owned(), "on".to_owned());
    }

    if let Some(bias) = &args.run.bias
        && is.bias != preparation.bias
    {
        return differs("--bias", word(is.bias.map(f64::from)), bias.clone());
    }
    if let Some(normalize) = &args.run.normalize
        && is.normalize != preparation.normalize
    {
        return differs("--normalize", word(is.normalize), normalize.clone());
    }
    if args.rows.zero_based && !model.zero_based {
        return differs("features counted from", "1".to_owned(), "0".to_owned());
    }
    let typed_labels =
        args.run.positive.is_some() || args.run.labels.is_some() || args.run.multilabel;
    if typed_labels && unfinished.is_none() {
        return Err("--resume goes on with the labels of the model; leave out --positive, --labels and --multilabel".into());
    }
    let kernel = args.run.kernel_for(&model.spec)?;
    if args.run.kernel.is_some() && kernel != model.kernel {
        return differs("--kernel", model.kernel.to_string(), kernel.to_string());
    }
    if let Some(bits) = args.rows.hash
        && model.names.bits() != Some(bits)
    {
        let is = model
            .names
            .bits()
            .map_or("off".to_owned(), |b| b.to_string());
        return differs("--hash", is, bits.to_string());
    }
    Ok((model, unfinished))
}
