//! `novikoff train`: one learner over a stream.

use std::cell::RefCell;
use std::io::{Write as _, stdout};
use std::path::Path;
use std::rc::Rc;
use std::time::Instant;

use novikoff::classes::Task;
use novikoff::learner::Hypothesis;
use novikoff::model::{Model, Preparation, Totals};
use novikoff::rows::Block;
use novikoff::run::{self, Ledger, Stopped, Watch};
use novikoff::source::Source as _;
use novikoff::spec::Spec;
use novikoff_data::blocks::{Reader, Skipped};
use novikoff_data::cache::beside;
use novikoff_data::error::DataError;
use novikoff_data::model::{LoadedModel, Unfinished};
use novikoff_report::{RunReport, TestReport, run_json, run_text};

use crate::args::TrainArgs;
use crate::checkpoint::{Every, Keeper};
use crate::error::Failure;
use crate::input::{self, Data, Held, Reading, is_third_label, seen_enough};
use crate::interrupt::Interrupt;
use crate::job;
use crate::labelled::{Bare, Kept, labelled};
use crate::progress::{Progress, Ticker};
use crate::session;
use crate::trace::Trace;

/// A checked `train`.
struct Job<'a> {
    args: &'a TrainArgs,
    data: Data,
    /// The inputs as given, though a cache of them be read.
    inputs: Vec<(String, Option<u64>)>,
    test: Option<Data>,
    spec: Spec,
    preparation: Preparation,
    task: Option<Task>,
    reading: Reading,
    every: Option<Every>,
    interrupt: Interrupt,
    memory: u128,
    by: Option<Hypothesis>,
    /// The learner must see all rows first.
    surveys: bool,
    progress: Progress,
}

pub(crate) fn train(args: &TrainArgs) -> Result<(), Failure> {
    let (job, resumed) = check(args)?;
    let begun = Instant::now();
    let report = if args.run.permutations.is_some() {
        job.permutations()?
    } else {
        job.one_run(resumed, begun)?
    };
    let text = if args.run.json {
        format!("{}\n", run_json(&report))
    } else {
        run_text(&report)
    };
    stdout().lock().write_all(text.as_bytes())?;
    Ok(())
}

/// A model to go on from, and the run it was saved in the middle of, if it was.
type Resumed = (Model, Option<Unfinished>);

fn check(args: &TrainArgs) -> Result<(Job<'_>, Option<Resumed>), Failure> {
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
    check_outputs(args, &data, test.as_ref(), resumed.as_ref())?;
    let preparation = resumed
        .as_ref()
        .map_or(preparation, |(model, _)| model.preparation.clone());
    let fresh = (spec.entry().build)(&spec.parameters(Some(2))?, 0);
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
    for path in [&args.output, &args.trace].into_iter().flatten() {
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
        let written = [&args.output, &args.trace].into_iter().flatten();
        if written
            .into_iter()
            .any(|path| job::is_same_file(path, &cache))
        {
            let cache = cache.display();
            return Err(format!("{cache}: is where --cache keeps its copy of the data; give another name for -o and --trace, or leave --cache out").into());
        }
    }
    if args.output.is_some() && args.output == args.trace {
        return Err("-o and --trace name the same file; give two names".into());
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
        (Task::OneVsRest, Task::OneVsRest) | (Task::MultiLabel, Task::MultiLabel) => true,
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

/// Watches a run for the person and for the trace.
struct Onlooker<'a> {
    ticker: Ticker<'a>,
    trace: Option<Rc<RefCell<Trace>>>,
}

impl Watch for Onlooker<'_> {
    fn trial(&mut self, epoch: u32, row: u64, model: &Model, mistake: bool) {
        self.ticker.trial(mistake);
        if let Some(trace) = &self.trace {
            trace.borrow_mut().trial(epoch, row, model);
        }
    }
}

/// What a run over the data came to.
struct Done {
    model: Model,
    ledger: Ledger,
    rows: u64,
    features: u32,
    skipped: Skipped,
}

impl Job<'_> {
    fn one_run(&self, resumed: Option<Resumed>, begun: Instant) -> Result<RunReport, Failure> {
        let before = match &resumed {
            Some((model, None)) => Some(model.totals),
            _ => None,
        };
        let done = self.learn(resumed)?;
        let mut report =
            session::report(&done.model, done.ledger, (done.rows, done.features), begun);
        if let Some(path) = &self.args.output {
            novikoff_data::model::save(&done.model, path)?;
            self.progress
                .remark(&format!("model saved in {}", path.display()));
        }
        report.test = self.test_streamed(&done.model)?;
        report.resumed = before.map(|before: Totals| (before, done.model.totals));
        report.skipped = job::skipped(&done.skipped);
        Ok(report)
    }

    fn onlooker(&self) -> Onlooker<'_> {
        Onlooker {
            ticker: Ticker::new(&self.progress),
            trace: None,
        }
    }

    /// The trace of a run that begins, or goes on.
    fn trace(
        &self,
        model: &Model,
        run: Option<&Unfinished>,
    ) -> Result<Option<Rc<RefCell<Trace>>>, Failure> {
        let Some(path) = &self.args.trace else {
            return Ok(None);
        };
        let trace = match run {
            Some(run) => Trace::go_on(path, run, model)?,
            None => Trace::create(path)?,
        };
        Ok(Some(Rc::new(RefCell::new(trace))))
    }

    fn new_model(
        &self,
        task: Task,
        width: Option<u32>,
        preparation: Preparation,
    ) -> Result<Model, Failure> {
        let width = self.args.run.features.or(width);
        let mut model = Model::new(self.spec.clone(), task, preparation, width, self.memory)?;
        model.zero_based = self.reading.options.zero_based;
        Ok(model)
    }

    /// The run from its beginning.
    fn beginning(&self) -> Unfinished {
        Unfinished {
            epochs: self.args.run.epochs(),
            shuffle: self.args.run.shuffle,
            inputs: self.inputs.clone(),
            reading: self.args.rows.words(),
            ..Unfinished::default()
        }
    }

    fn keeper(&self, run: Unfinished, watch: &Onlooker<'_>) -> Keeper {
        let path = self.args.output.as_deref();
        Keeper::new(path, self.every, self.interrupt, run).with_trace(watch.trace.clone())
    }

    /// Streams where one pass in order is enough; otherwise holds the rows.
    fn learn(&self, resumed: Option<Resumed>) -> Result<Done, Failure> {
        let standardizes = self.args.run.standardize && resumed.is_none();
        let surveys = match &resumed {
            Some((model, _)) => model.learner.surveys(),
            None => self.surveys,
        };
        let run = &self.args.run;
        let built_in = matches!(self.data, Data::Digits | Data::Generated(_));
        let (epochs, shuffle) = match &resumed {
            Some((_, Some(run))) => (run.epochs, run.shuffle),
            _ => (run.epochs(), run.shuffle),
        };
        let held = surveys || standardizes || built_in || epochs > 1 || shuffle.is_some();
        let mut watch = self.onlooker();
        let done = if held {
            self.learn_held(resumed, &mut watch)
        } else {
            self.learn_streaming(resumed, &mut watch)
        };
        let mut done = done?;
        watch.ticker.end();
        if done.rows == 0 {
            return Err(job::no_rows());
        }
        done.model.width = done.model.width.max(done.features);
        if done.features == 0 {
            self.progress.remark("no row has a feature; a row of svmlight text is `label index:value index:value ...`");
        }
        if self.data.is_stream()
            && self.task.is_none()
            && matches!(done.model.classes.task(), Task::OneVsRest)
        {
            self.progress.remark("labels other than -1 and +1 on a stream are learned one against the rest; use --labels A,B for a binary problem");
        }
        if let (Some(label), [_, false]) = (&run.positive, done.model.classes.met()) {
            self.progress
                .remark(&format!("no row has the label {label}"));
        }
        if let Some(trace) = watch.trace {
            trace.borrow_mut().keep(&done.model)?;
        }
        Ok(done)
    }

    fn learn_held(
        &self,
        resumed: Option<Resumed>,
        watch: &mut Onlooker<'_>,
    ) -> Result<Done, Failure> {
        let task = match &resumed {
            Some((model, _)) => Some(model.classes.task()),
            None => self.task.as_ref(),
        };
        let bare = Bare::of(task);
        let loaded = self
            .data
            .load(&self.reading, self.memory, bare, &self.progress);
        let mut held = loaded?;
        let (mut model, mut ledger, mut keeper) = match resumed {
            Some((model, Some(mut run))) => {
                if held.len() as u64 != run.rows {
                    return Err(other_length(held.len() as u64, run.rows));
                }
                watch.trace = self.trace(&model, Some(&run))?;
                let ledger = std::mem::take(&mut run.ledger);
                (model, ledger, self.keeper(run, watch))
            }
            Some((mut model, None)) => {
                session::survey(&mut model, &held)?;
                let ledger = Ledger::begin(&mut model);
                watch.trace = self.trace(&model, None)?;
                (model, ledger, self.keeper(self.beginning(), watch))
            }
            None => {
                let mut model = self.fresh(&held)?;
                session::survey(&mut model, &held)?;
                let ledger = Ledger::begin(&mut model);
                watch.trace = self.trace(&model, None)?;
                (model, ledger, self.keeper(self.beginning(), watch))
            }
        };
        model.names = std::mem::take(&mut held.names);
        model.table = held.table.take().or(model.table);
        (keeper.run.rows, keeper.run.features) = (held.len() as u64, held.width());
        session::run_held(&mut model, &held, &mut ledger, &mut keeper, watch)?;
        Ok(Done {
            model,
            ledger,
            rows: held.len() as u64,
            features: held.width(),
            skipped: held.skipped,
        })
    }

    fn fresh_task(&self, held: &Held) -> Result<Task, Failure> {
        match &self.task {
            Some(task) => Ok(task.clone()),
            None => self.data.task(held, true, &self.reading.options),
        }
    }

    fn fresh(&self, held: &Held) -> Result<Model, Failure> {
        let task = self.fresh_task(held)?;
        let width = (!self.data.is_stream()).then(|| held.width());
        let run = &self.args.run;
        self.new_model(
            task,
            width,
            run.fitted(&self.preparation, held, self.memory)?,
        )
    }

    fn learn_streaming<'s>(
        &'s self,
        mut resumed: Option<Resumed>,
        watch: &mut Onlooker<'s>,
    ) -> Result<Done, Failure> {
        let needs_width = resumed.is_none() && self.spec.needs_width();
        let width = match self.args.run.features {
            None if needs_width => self.data.scanned_width(&self.reading.options)?,
            _ => None,
        };
        let mut known = self.task.clone();
        if known.is_none() && self.every.is_some() && resumed.is_none() && !self.data.is_stream() {
            // a run that is saved on the way must not find out later what its labels are
            let options = &self.reading.options;
            known = match self.data.scanned_task(options)? {
                _ if self.begins_with_several_labels()? => Some(Task::MultiLabel),
                task => Some(task),
            };
        }
        loop {
            // built-in data never comes here, so there is a reader
            let Some(mut reader) = self.data.reader(&self.reading)? else {
                return self.learn_held(resumed, watch);
            };
            let mut first = First::default();
            let guesses = known.is_none() && resumed.is_none();
            if guesses {
                first.fill(&mut reader)?;
            }
            let (mut model, run) = match (resumed.take(), &known) {
                (Some(resumed), _) => resumed,
                (None, Some(task)) => {
                    let task = task.clone();
                    (self.new_model(task, width, self.preparation.clone())?, None)
                }
                (None, None) => {
                    let options = &self.reading.options;
                    let task = self.data.task(&first.held, first.complete, options)?;
                    (self.new_model(task, width, self.preparation.clone())?, None)
                }
            };
            let mut ledger = match &run {
                Some(run) => run.ledger.clone(),
                None => Ledger::begin(&mut model),
            };
            watch.trace = self.trace(&model, run.as_ref())?;
            let keeper = self.keeper(run.unwrap_or_else(|| self.beginning()), watch);
            let mut stream = Stream {
                skip: keeper.run.done,
                keeper,
            };
            if stream.skip > 0 && self.data.is_stream() {
                let rows = novikoff_report::count(stream.skip);
                let told = format!("passing over {rows} rows learned before");
                self.progress.remark(&told);
            }
            self.progress.begin(reader.total_bytes(), "learning");
            let ran = stream.run(
                &mut model,
                &mut ledger,
                &mut reader,
                &first,
                watch,
                &self.progress,
            );
            self.progress.end();
            match ran {
                Ok(()) => {
                    input::describe(&reader, &self.progress);
                    ledger.end_epoch(&mut model);
                    model.names = reader.names().clone();
                    model.table = reader.table().cloned().or(model.table);
                    return Ok(Done {
                        model,
                        ledger,
                        rows: stream.keeper.run.rows,
                        features: stream.keeper.run.features,
                        skipped: reader.skipped().clone(),
                    });
                }
                // a file that looked binary and was not: begin anew, knowing all its labels
                Err(Halt::Row(_, stopped))
                    if guesses && !self.data.is_stream() && is_third_label(&stopped) =>
                {
                    known = Some(self.data.scanned_task(&self.reading.options)?);
                    *watch = self.onlooker();
                }
                Err(halt) => return Err(halt.failure()),
            }
        }
    }

    /// Whether the first row has several labels.
    fn begins_with_several_labels(&self) -> Result<bool, Failure> {
        let Some(mut reader) = self.data.reader(&self.reading)? else {
            return Ok(false);
        };
        Ok(reader
            .next_block()?
            .is_some_and(|block| block.labels(0).len() > 1))
    }

    fn test_streamed(&self, model: &Model) -> Result<Option<TestReport>, Failure> {
        let Some(data) = &self.test else {
            return Ok(None);
        };
        let reading = self.args.rows.reading_for(model);
        let Some(mut reader) = data.reader(&reading)? else {
            let held = data.load(&reading, self.memory, Bare::Rows, &self.progress)?;
            return session::test_held(model, &held, self.by).map(Some);
        };
        let (mut report, mut scores) = (TestReport { rows: 0, errors: 0 }, Vec::new());
        let multi = matches!(model.classes.task(), Task::MultiLabel);
        while reader.next_block()?.is_some() {
            if self.interrupt.came() {
                let saved = match &self.args.output {
                    Some(path) => format!("the model is saved in {}", path.display()),
                    None => "nothing is saved, for there was no -o MODEL".to_owned(),
                };
                let stopped = format!("stopped while testing; the run was done, and {saved}");
                return Err(Failure::Interrupted(stopped));
            }
            let kept = if multi { None } else { labelled(&mut reader) };
            let Some((lent, line)) = reader.lent() else {
                continue;
            };
            let block = kept.as_ref().map_or(lent, Kept::view);
            report.rows += block.len() as u64;
            match session::errors(model, block, self.by, &mut scores) {
                Ok(errors) => report.errors += errors,
                Err((row, error)) => {
                    let (file, line) = (reader.place(0).file, line + 1 + block.line(row));
                    return Err(format!("{file}:{line}: {error}").into());
                }
            }
            if let Some(error) = kept.and_then(|kept| kept.error) {
                return Err(error.into());
            }
        }
        input::tell(&reader, &self.progress);
        Ok(Some(report))
    }

    fn permutations(&self) -> Result<RunReport, Failure> {
        let bare = Bare::of(self.task.as_ref());
        let loaded = self
            .data
            .load(&self.reading, self.memory, bare, &self.progress);
        let held = loaded?;
        let test = match &self.test {
            Some(data) => {
                let mut reading = self.reading.clone();
                (reading.names, reading.options.table) = (held.names.clone(), held.table.clone());
                reading.names.freeze();
                let task = self.fresh_task(&held)?;
                let bare = Bare::of(Some(&task));
                Some(data.load(&reading, self.memory, bare, &self.progress)?)
            }
            None => None,
        };
        let orders = self.args.run.permutations.unwrap_or(1);
        self.progress.begin(Some(u64::from(orders)), "orders");
        let run = &self.args.run;
        let fresh = || {
            if self.interrupt.came() {
                let stopped = "stopped between two orders; --permutations saves nothing";
                return Err(Failure::Interrupted(stopped.to_owned()));
            }
            self.fresh(&held)
        };
        let report =
            session::over_orders(run, &held, test.as_ref(), self.by, &self.progress, fresh)?;
        self.progress.end();
        Ok(report)
    }
}

/// The data is not what the run that goes on was begun with.
fn other_length(rows: u64, learned: u64) -> Failure {
    let [rows, learned] = [rows, learned].map(novikoff_report::count);
    Failure::Message(format!(
        "the input has {rows} rows, but the run had already met {learned}; give the whole of the same input again, or leave --resume out to begin anew"
    ))
}

/// Why a streamed run stopped.
enum Halt {
    Row(String, Stopped),
    Failure(Failure),
}

impl Halt {
    fn failure(self) -> Failure {
        match self {
            Halt::Row(place, stopped) => Failure::Message(format!("{place}{}", stopped.error)),
            Halt::Failure(failure) => failure,
        }
    }
}

/// One pass over a stream.
struct Stream {
    keeper: Keeper,
    /// Rows that were learned from before the run was resumed.
    skip: u64,
}

impl Stream {
    fn run(
        &mut self,
        model: &mut Model,
        ledger: &mut Ledger,
        reader: &mut Reader,
        first: &First,
        watch: &mut Onlooker<'_>,
        progress: &Progress,
    ) -> Result<(), Halt> {
        let mut number = 0;
        let head = first.held.single().unwrap_or_default();
        let place = |row| first.held.place(row);
        self.block(model, ledger, (head, number), &place, reader, watch)?;
        number += head.len() as u64;
        if self.keeper.is_due() {
            self.keep(model, ledger, reader)?;
        }
        loop {
            match reader.next_block() {
                Ok(Some(_)) => {}
                Ok(None) if number < self.skip => {
                    return Err(Halt::Failure(other_length(number, self.skip)));
                }
                Ok(None) => return Ok(()),
                Err(DataError::Interrupted) => {
                    self.keep(model, ledger, reader)?;
                    return Ok(());
                }
                Err(error) => return Err(Halt::Failure(error.into())),
            }
            let multi = matches!(model.classes.task(), Task::MultiLabel);
            let kept = if multi { None } else { labelled(reader) };
            let Some((lent, line)) = reader.lent() else {
                continue;
            };
            let block = kept.as_ref().map_or(lent, Kept::view);
            let place = |row| {
                let file = reader.place(0).file;
                format!("{file}:{}: ", line + 1 + block.line(row))
            };
            self.block(model, ledger, (block, number), &place, reader, watch)?;
            number += block.len() as u64;
            if let Some(error) = kept.and_then(|kept| kept.error) {
                return Err(Halt::Failure(error.into()));
            }
            progress.at(reader.bytes_read());
        }
    }

    /// The rows of a block, whose first has this number, in stretches.
    fn block(
        &mut self,
        model: &mut Model,
        ledger: &Ledger,
        (block, number): (Block<'_>, u64),
        place: &dyn Fn(usize) -> String,
        reader: &Reader,
        watch: &mut Onlooker<'_>,
    ) -> Result<(), Halt> {
        let run = &mut self.keeper.run;
        run.features = run.features.max(block.width());
        run.rows = run.rows.max(number + block.len() as u64);
        let mut row = (self.skip.saturating_sub(number) as usize).min(block.len());
        while row < block.len() {
            let end = (row + self.keeper.stretch()).min(block.len());
            run::block(model, block, row..end, (0, number), watch)
                .map_err(|stopped| Halt::Row(place(stopped.row), stopped))?;
            self.keeper.made(end - row);
            row = end;
            if self.keeper.is_due() {
                self.keep(model, ledger, reader)?;
            }
        }
        Ok(())
    }

    fn keep(&mut self, model: &mut Model, ledger: &Ledger, reader: &Reader) -> Result<(), Halt> {
        model.names = reader.names().clone();
        model.table = reader.table().cloned().or(model.table.take());
        let skipped = reader.skipped().clone();
        self.keeper.run.skipped = (skipped.lines, skipped.samples);
        self.keeper.keep(model, ledger).map_err(Halt::Failure)
    }
}

/// The first rows of a stream, kept to tell what its labels are.
#[derive(Default)]
struct First {
    held: Held,
    complete: bool,
}

impl First {
    fn fill(&mut self, reader: &mut Reader) -> Result<(), Failure> {
        while !seen_enough(&self.held) {
            match reader.next_block() {
                Ok(Some(_)) => self.held.take(reader, Bare::Told, u128::MAX)?,
                Ok(None) => {
                    self.complete = true;
                    break;
                }
                // the run is saved as soon as it has begun
                Err(DataError::Interrupted) if !self.held.is_empty() => break,
                Err(error) => return Err(error.into()),
            }
        }
        Ok(())
    }
}
