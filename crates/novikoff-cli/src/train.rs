//! `novikoff train`: one learner over a stream.

use std::io::{Write as _, stdout};
use std::path::Path;
use std::time::Instant;

use novikoff::classes::Task;
use novikoff::learner::Hypothesis;
use novikoff::model::{Model, Preparation, Totals};
use novikoff::run::{self, Ledger, Stopped, Watch};
use novikoff::source::Source as _;
use novikoff::spec::Spec;
use novikoff_data::blocks::{ReadOptions, Reader};
use novikoff_report::{RunReport, TestReport, run_json, run_text};

use crate::args::TrainArgs;
use crate::error::Failure;
use crate::input::{Data, Memory, is_third_label, seen_enough};
use crate::job;
use crate::progress::{Progress, Ticker};
use crate::session;
use crate::trace::Trace;

/// A checked `train`.
struct Job<'a> {
    args: &'a TrainArgs,
    data: Data,
    test: Option<Data>,
    spec: Spec,
    preparation: Preparation,
    task: Option<Task>,
    options: ReadOptions,
    threads: usize,
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

fn check(args: &TrainArgs) -> Result<(Job<'_>, Option<Model>), Failure> {
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
        (None, Some(model)) => model.spec.clone(),
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
    for path in [&args.output, &args.trace].into_iter().flatten() {
        job::check_writable(path)?;
        if data.reads(path) || test.as_ref().is_some_and(|test| test.reads(path)) {
            let path = path.display();
            return Err(format!(
                "{path}: is read as data and cannot be written; give another name"
            )
            .into());
        }
    }
    if args.output.is_some() && args.output == args.trace {
        return Err("-o and --trace name the same file; give two names".into());
    }
    let preparation = resumed
        .as_ref()
        .map_or(preparation, |model| model.preparation.clone());
    let fresh = (spec.entry().build)(&spec.parameters(Some(2))?, 0);
    let zero_based = resumed.as_ref().is_some_and(|model| model.zero_based);
    let options = ReadOptions {
        zero_based: args.rows.zero_based || zero_based,
        ..args.rows.options(preparation.bias)
    };
    if let Some(test) = &test {
        test.check(&options)?;
        if test.is_stream() && data.is_stream() {
            return Err("--test -: the stream is the data already; give a file to test on".into());
        }
    }
    let survey_pending = match &resumed {
        Some(model) => model.learner.surveys(),
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
        test,
        options,
        preparation,
        task: args.run.task()?,
        threads: args.rows.threads(),
        memory,
        by: job::hypothesis(args.run.by, fresh.hypotheses(), spec.name())?,
        spec,
        surveys: fresh.surveys(),
        progress: Progress::new(args.rows.quiet),
    };
    Ok((job, resumed))
}

/// A model to go on from; what was typed must be what it was trained with.
fn resume(
    path: &Path,
    typed: Option<&Spec>,
    args: &TrainArgs,
    preparation: &Preparation,
    memory: u128,
) -> Result<Model, Failure> {
    let model = novikoff_data::model::load(path, memory)?.model;
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
    if args.run.positive.is_some() || args.run.labels.is_some() || args.run.multilabel {
        return Err("--resume goes on with the labels of the model; leave out --positive, --labels and --multilabel".into());
    }
    Ok(model)
}

/// Watches a run for the person and for the trace.
struct Onlooker<'a> {
    ticker: Ticker<'a>,
    trace: Option<Trace>,
}

impl Watch for Onlooker<'_> {
    fn trial(&mut self, epoch: u32, row: u64, model: &Model, mistake: bool) {
        self.ticker.trial(mistake);
        if let Some(trace) = &mut self.trace {
            trace.trial(epoch, row, model);
        }
    }
}

/// What a run over the data came to.
struct Done {
    model: Model,
    ledger: Ledger,
    rows: u64,
    features: u32,
}

impl Job<'_> {
    fn one_run(&self, resumed: Option<Model>, begun: Instant) -> Result<RunReport, Failure> {
        let before = resumed.as_ref().map(|model| model.totals);
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
        Ok(report)
    }

    fn onlooker(&self) -> Result<Onlooker<'_>, Failure> {
        let trace = self.args.trace.as_deref().map(Trace::create).transpose()?;
        Ok(Onlooker {
            ticker: Ticker::new(&self.progress),
            trace,
        })
    }

    fn new_model(
        &self,
        task: Task,
        width: Option<u32>,
        preparation: Preparation,
    ) -> Result<Model, Failure> {
        let width = self.args.run.features.or(width);
        let mut model = Model::new(self.spec.clone(), task, preparation, width, self.memory)?;
        model.zero_based = self.options.zero_based;
        Ok(model)
    }

    /// Streams where one pass in order is enough; otherwise holds the rows in memory.
    fn learn(&self, resumed: Option<Model>) -> Result<Done, Failure> {
        let standardizes = self.args.run.standardize && resumed.is_none();
        let surveys = match &resumed {
            Some(model) => model.learner.surveys(),
            None => self.surveys,
        };
        let run = &self.args.run;
        let built_in = matches!(self.data, Data::Digits | Data::Generated(_));
        let (mut done, watch) =
            if surveys || standardizes || built_in || run.epochs > 1 || run.shuffle.is_some() {
                self.learn_in_memory(resumed)?
            } else {
                self.learn_streaming(resumed)?
            };
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
            trace.finish(&done.model)?;
        }
        Ok(done)
    }

    fn learn_in_memory(&self, resumed: Option<Model>) -> Result<(Done, Onlooker<'_>), Failure> {
        let memory = self
            .data
            .load(&self.options, self.threads, self.memory, &self.progress)?;
        let mut model = match resumed {
            Some(model) => model,
            None => self.fresh(&memory)?,
        };
        let mut watch = self.onlooker()?;
        let run = &self.args.run;
        let ledger = session::run_in_memory(
            &mut model,
            &memory.rows,
            run.epochs,
            run.shuffle,
            &mut watch,
        )
        .map_err(|stopped| memory.failure(&stopped))?;
        watch.ticker.end();
        let (rows, features) = (memory.rows.len() as u64, memory.rows.width());
        Ok((
            Done {
                model,
                ledger,
                rows,
                features,
            },
            watch,
        ))
    }

    fn fresh(&self, memory: &Memory) -> Result<Model, Failure> {
        let task = match &self.task {
            Some(task) => task.clone(),
            None => self.data.task(&memory.rows, true, &self.options)?,
        };
        let width = (!self.data.is_stream()).then(|| memory.rows.width());
        self.new_model(
            task,
            width,
            self.args
                .run
                .fitted(&self.preparation, &memory.rows, self.memory)?,
        )
    }

    fn learn_streaming(&self, mut resumed: Option<Model>) -> Result<(Done, Onlooker<'_>), Failure> {
        let needs_width = resumed.is_none() && self.spec.needs_width();
        let width = match self.args.run.features {
            None if needs_width => self.data.scanned_width(&self.options)?,
            _ => None,
        };
        let mut known = self.task.clone();
        loop {
            // data in memory never comes here, so there is a reader
            let Some(mut reader) = self.data.reader(&self.options, self.threads)? else {
                return self.learn_in_memory(resumed);
            };
            let mut first = First::default();
            let guesses = known.is_none() && resumed.is_none();
            if guesses {
                first.fill(&mut reader)?;
            }
            let mut model = match (resumed.take(), &known) {
                (Some(model), _) => model,
                (None, Some(task)) => {
                    self.new_model(task.clone(), width, self.preparation.clone())?
                }
                (None, None) => {
                    let task = self
                        .data
                        .task(&first.memory.rows, first.complete, &self.options)?;
                    self.new_model(task, width, self.preparation.clone())?
                }
            };
            match self.stream(&mut model, &mut reader, &first) {
                Ok((ledger, rows, features, watch)) => {
                    return Ok((
                        Done {
                            model,
                            ledger,
                            rows,
                            features,
                        },
                        watch,
                    ));
                }
                // a file that looked binary and was not: begin anew, knowing all its labels
                Err(Stop::Row(_, stopped))
                    if guesses && !self.data.is_stream() && is_third_label(&stopped) =>
                {
                    known = Some(self.data.scanned_task(&self.options)?);
                }
                Err(stop) => return Err(stop.failure()),
            }
        }
    }

    fn stream<'s>(
        &'s self,
        model: &mut Model,
        reader: &mut Reader,
        first: &First,
    ) -> Result<(Ledger, u64, u32, Onlooker<'s>), Stop> {
        let mut watch = self.onlooker().map_err(Stop::Failure)?;
        let mut ledger = Ledger::begin(model);
        let (mut rows, mut features) = (0, 0);
        self.progress.begin(reader.total_bytes(), "learning");
        let head = &first.memory.rows;
        if !head.is_empty() {
            run::block(model, head.view(), 0..head.len(), (0, 0), &mut watch)
                .map_err(|stopped| Stop::Row(first.memory.place(stopped.row), stopped))?;
            (rows, features) = (head.len() as u64, head.width());
        }
        loop {
            let block = match reader.next_block() {
                Ok(Some(block)) => block,
                Ok(None) => break,
                Err(error) => return Err(Stop::Failure(error.into())),
            };
            let stopped = run::block(model, block, 0..block.len(), (0, rows), &mut watch).err();
            rows += block.len() as u64;
            features = features.max(block.width());
            if let Some(stopped) = stopped {
                let place = reader.place(stopped.row);
                return Err(Stop::Row(
                    format!("{}:{}: ", place.file, place.line),
                    stopped,
                ));
            }
            self.progress.at(reader.bytes_read());
        }
        self.progress.end();
        watch.ticker.end();
        ledger.end_epoch(model);
        Ok((ledger, rows, features, watch))
    }

    fn test_streamed(&self, model: &Model) -> Result<Option<TestReport>, Failure> {
        let Some(data) = &self.test else {
            return Ok(None);
        };
        let Some(mut reader) = data.reader(&self.options, self.threads)? else {
            let memory = data.load(&self.options, self.threads, self.memory, &self.progress)?;
            return session::test_in_memory(model, &memory, self.by).map(Some);
        };
        let (mut report, mut scores) = (TestReport { rows: 0, errors: 0 }, Vec::new());
        while let Some(block) = reader.next_block()? {
            report.rows += block.len() as u64;
            match session::errors(model, block, self.by, &mut scores) {
                Ok(errors) => report.errors += errors,
                Err((row, error)) => {
                    let place = reader.place(row);
                    return Err(format!("{}:{}: {error}", place.file, place.line).into());
                }
            }
        }
        Ok(Some(report))
    }

    fn permutations(&self) -> Result<RunReport, Failure> {
        let memory = self
            .data
            .load(&self.options, self.threads, self.memory, &self.progress)?;
        let test = match &self.test {
            Some(data) => {
                Some(data.load(&self.options, self.threads, self.memory, &self.progress)?)
            }
            None => None,
        };
        let orders = self.args.run.permutations.unwrap_or(1);
        self.progress.begin(Some(u64::from(orders)), "orders");
        let report = session::over_orders(
            &self.args.run,
            &memory,
            test.as_ref(),
            self.by,
            &self.progress,
            || self.fresh(&memory),
        )?;
        self.progress.end();
        Ok(report)
    }
}

/// Why a streamed run stopped.
enum Stop {
    Row(String, Stopped),
    Failure(Failure),
}

impl Stop {
    fn failure(self) -> Failure {
        match self {
            Stop::Row(place, stopped) => Failure::Message(format!("{place}{}", stopped.error)),
            Stop::Failure(failure) => failure,
        }
    }
}

/// The first rows of a stream, kept to tell what its labels are.
#[derive(Default)]
struct First {
    memory: Memory,
    complete: bool,
}

impl First {
    fn fill(&mut self, reader: &mut Reader) -> Result<(), Failure> {
        while !seen_enough(&self.memory.rows) {
            let Some(block) = reader.next_block()? else {
                self.complete = true;
                break;
            };
            self.memory.rows.append(block, 0);
            let rows = self.memory.rows.len();
            let place = reader.place(0);
            self.memory.blocks.push((rows, place.file, place.line));
        }
        Ok(())
    }
}
