//! `novikoff train`: one learner over a stream.

mod check;
mod stream;

use std::cell::RefCell;
use std::io::{Write as _, stdout};
use std::rc::Rc;
use std::time::Instant;

use novikoff::certify::Diary;
use novikoff::classes::Task;
use novikoff::learner::Hypothesis;
use novikoff::model::{Model, Preparation, Totals};
use novikoff::run::{Ledger, Watch};
use novikoff::source::Source as _;
use novikoff::spec::Spec;
use novikoff_data::blocks::Skipped;
use novikoff_data::model::Unfinished;
use novikoff_report::{RunOptions, RunReport, TestReport, run_json, run_text};

use crate::args::TrainArgs;
use crate::certify::{self, Notary};
use crate::checkpoint::{Every, Keeper};
use crate::comparator::Comparator;
use crate::error::Failure;
use crate::input::{self, Data, Held, Reading};
use crate::interrupt::Interrupt;
use crate::job;
use crate::labelled::{Bare, Kept, labelled};
use crate::picture::Painter;
use crate::progress::{Progress, Ticker};
use crate::publish;
use crate::session;
use crate::trace::{Trace, made};
use crate::witness::{Evidence, Witness};
use check::check;
use stream::other_length;

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
    /// What the run is compared with, if that was named.
    comparator: Option<Comparator>,
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
    publish::write(
        (&args.run, &args.end),
        &args.data,
        std::slice::from_ref(&report),
        &job.progress,
    )?;
    stdout().lock().write_all(text.as_bytes())?;
    certify::require(&args.end.proof, [&report])
}

/// A model to go on from, and the run it was saved in the middle of, if it was.
type Resumed = (Model, Option<Unfinished>);

/// Watches a run for the person, for the trace and for the picture.
struct Onlooker<'a> {
    ticker: Ticker<'a>,
    trace: Option<Rc<RefCell<Trace>>>,
    diary: Option<Diary>,
    painter: Option<Painter>,
    /// Of rows that are not held.
    witness: Option<Witness<'a>>,
}

impl Watch for Onlooker<'_> {
    fn trial(&mut self, epoch: u32, row: u64, model: &Model, mistake: bool) {
        self.ticker.trial(mistake);
        if let Some(trace) = &self.trace {
            trace.borrow_mut().trial(epoch, row, model);
        }
        let lost = self.witness.as_ref().is_some_and(Witness::is_lost);
        if let Some(diary) = self.diary.as_mut().filter(|_| !lost) {
            diary.trial(epoch, row, model, mistake);
        }
        if let Some(painter) = &mut self.painter {
            painter.trial(epoch, row, model, mistake);
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
    /// What there is to certify the run with, if it is to be certified.
    witness: Option<(Evidence, Diary)>,
}

impl Job<'_> {
    fn one_run(&self, resumed: Option<Resumed>, begun: Instant) -> Result<RunReport, Failure> {
        let before = match &resumed {
            Some((model, None)) => Some(model.totals),
            _ => None,
        };
        let resumed = resumed.map(|(mut model, run)| {
            let epochs = self.args.run.epochs();
            let epochs = run.as_ref().map_or(epochs, |run| run.epochs);
            model.threads = self.reading.threads;
            if model.calibration.take().is_some() {
                self.progress.remark("the model's probabilities are dropped: they were fitted before what it learns now; calibrate it again");
            }
            model.learner.remember(self.args.run.remembered(epochs));
            (model, run)
        });
        let (done, painter) = self.learn(resumed)?;
        let mut report =
            session::report(&done.model, done.ledger, (done.rows, done.features), begun);
        if let Some(painter) = painter {
            (report.course, report.picture) = painter.finish(&done.model);
        }
        if let Some(path) = &self.args.output {
            novikoff_data::model::save(&done.model, path)?;
            self.progress
                .remark(&format!("model saved in {}", path.display()));
        }
        if let (Some(notary), Some((evidence, diary))) = (self.notary(), &done.witness) {
            let seen = evidence.seen();
            notary.certify(&mut report, &done.model, diary, seen, &self.progress)?;
            report.options = Some(self.options(&done.model));
            let trace = self.args.trace.as_ref();
            report.trace = trace.map(|path| path.display().to_string());
            if self.reading.look_up().is_err() {
                let saved = self.args.output.as_ref().map(|path| path.display());
                let saved = saved.map_or(String::new(), |path| {
                    format!(", and its model is saved in {path}")
                });
                return Err(Failure::Interrupted(format!(
                    "stopped while certifying; the run itself was done{saved}"
                )));
            }
        }
        report.test = self.test_streamed(&done.model)?;
        report.resumed = before.map(|before: Totals| (before, done.model.totals));
        report.skipped = job::skipped(&done.skipped);
        Ok(report)
    }

    /// How the run went, as far as it takes to repeat it.
    fn options(&self, model: &Model) -> RunOptions {
        let run = &self.args.run;
        RunOptions {
            bias: model.preparation.bias,
            normalize: model.preparation.normalize,
            standardize: model.preparation.standardize.is_some(),
            epochs: run.epochs(),
            shuffle: run
                .permutations
                .map_or(run.shuffle, |_| Some(run.shuffle.unwrap_or(0))),
        }
    }

    /// Whoever certifies the run, if it is to be certified.
    fn notary(&self) -> Option<Notary<'_>> {
        let effort = self.args.effort()?;
        Some(Notary {
            effort,
            comparator: self.comparator.as_ref(),
            save: self.args.save.save_comparator.as_deref(),
            threads: self.reading.threads,
            memory: self.memory / 2,
            interrupt: self.reading.options.interrupt,
        })
    }

    fn onlooker(&self) -> Onlooker<'_> {
        Onlooker {
            ticker: Ticker::new(&self.progress),
            trace: None,
            diary: self.args.effort().map(|_| Diary::default()),
            painter: None,
            witness: None,
        }
    }

    /// Begins the picture of a run that begins, or goes on.
    fn painter(&self, model: &Model, run: Option<&Unfinished>) -> Painter {
        let made = run.map_or_else(Totals::default, |run| made(run, model));
        Painter::new(model, made, self.args.end.is_drawn())
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
        let kernel = self.args.run.kernel_for(&self.spec)?;
        let spec = self.spec.clone();
        let mut model = Model::with_kernel(spec, kernel, task, preparation, width, self.memory)?;
        model.zero_based = self.reading.options.zero_based;
        model.threads = self.reading.threads;
        let remembered = self.args.run.remembered(self.args.run.epochs());
        model.learner.remember(remembered);
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
    fn learn(&self, resumed: Option<Resumed>) -> Result<(Done, Option<Painter>), Failure> {
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
        let certifies = self.args.effort().is_some();
        let again = surveys || standardizes || built_in || epochs > 1 || shuffle.is_some();
        let held = again || (certifies && !self.data.is_stream());
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
        Ok((done, watch.painter))
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
        let mut held = self
            .data
            .load(&self.reading, self.memory, bare, &self.progress)?;
        let (mut model, mut ledger, mut keeper) = match resumed {
            Some((model, Some(mut run))) => {
                if held.len() as u64 != run.rows {
                    return Err(other_length(held.len() as u64, run.rows));
                }
                watch.trace = self.trace(&model, Some(&run))?;
                watch.painter = Some(self.painter(&model, Some(&run)));
                let ledger = std::mem::take(&mut run.ledger);
                (model, ledger, self.keeper(run, watch))
            }
            Some((mut model, None)) => {
                session::survey(&mut model, &held, 0..held.len())?;
                let ledger = Ledger::begin(&mut model);
                watch.trace = self.trace(&model, None)?;
                watch.painter = Some(self.painter(&model, None));
                (model, ledger, self.keeper(self.beginning(), watch))
            }
            None => {
                let mut model = self.fresh(&held)?;
                session::survey(&mut model, &held, 0..held.len())?;
                let ledger = Ledger::begin(&mut model);
                watch.trace = self.trace(&model, None)?;
                watch.painter = Some(self.painter(&model, None));
                (model, ledger, self.keeper(self.beginning(), watch))
            }
        };
        model.names = std::mem::take(&mut held.names);
        model.table = held.table.take().or(model.table);
        (keeper.run.rows, keeper.run.features) = (held.len() as u64, held.width());
        session::run_held(&mut model, &held, &mut ledger, &mut keeper, watch)?;
        let diary = watch.diary.take();
        Ok(Done {
            model,
            ledger,
            rows: held.len() as u64,
            features: held.width(),
            skipped: std::mem::take(&mut held.skipped),
            witness: diary.map(|diary| (Evidence::Rows(Box::new(held)), diary)),
        })
    }

    fn fresh_task(&self, held: &Held) -> Result<Task, Failure> {
        match &self.task {
            Some(task) => Ok(task.clone()),
            None => self.data.task(held, true, &self.reading),
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

    fn test_streamed(&self, model: &Model) -> Result<Option<TestReport>, Failure> {
        let Some(data) = &self.test else {
            return Ok(None);
        };
        let reading = self.args.rows.reading_for(model);
        let Some(mut reader) = data.reader(&reading)? else {
            let held = data.load(&reading, self.memory, Bare::Rows, &self.progress)?;
            return session::test_held(model, &held, self.by).map(Some);
        };
        let mut report = TestReport { rows: 0, errors: 0 };
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
            match session::errors(model, block, self.by) {
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
        let notary = self.notary();
        let mut report = session::over_orders(
            run,
            &held,
            test.as_ref(),
            self.by,
            (notary.as_ref(), self.args.end.is_drawn()),
            &self.progress,
            fresh,
        )?;
        self.progress.end();
        if notary.is_some() {
            report.options = Some(self.options(&self.fresh(&held)?));
        }
        if notary.is_some() && self.interrupt.came() {
            let stopped = "stopped while certifying; --permutations saves nothing";
            return Err(Failure::Interrupted(stopped.to_owned()));
        }
        Ok(report)
    }
}
