//! A fit: one learner over a stream, in one order or several.

mod admission;
mod orders;
mod stream;

use std::cell::{Cell, RefCell};
use std::path::PathBuf;
use std::rc::Rc;
use std::sync::Arc;
use std::time::{Duration, Instant};

use novikoff::certify::Diary;
use novikoff::classes::Task;
use novikoff::evaluation::Baseline;
use novikoff::label::LabelName;
use novikoff::learner::Hypothesis;
use novikoff::model::{Model, Outcome, Totals};
use novikoff::parameter::Parameters;
use novikoff::preparation::Preparation;
use novikoff::remark::{Advice, Paired, Remark, ResultRemark, RowsFor};
use novikoff::rows::Block;
use novikoff::run::{self, Ledger, Observer};
use novikoff::spec::Spec;
use novikoff_data::blocks::Skipped;
use novikoff_data::model::Unfinished;
use novikoff_report::{BaselineReport, EpochEnd, ErrorCount, RunReport};

use crate::certify::comparator::ComparatorModel;
use crate::certify::evidence::{Evidence, EvidenceCollector};
use crate::certify::{Certifier, CertifyOptions};
use crate::checkpoint::{Checkpointer, Every};
use crate::class_weight::WeightedLabels;
use crate::data::{self, Data, Known, Reading, check_places};
use crate::door_rows::{LearnedRows, VALUES};
use crate::events::{Context, Notice, Phase, ProgressMoments, RemarkLog};
use crate::familiar::{Familiar, FamiliarToModel, far_from_mean, learned_from, same_rows};
use crate::first_rows::FirstRows;
use crate::labels::{FilteredBlock, Unlabelled, labelled};
use crate::matrix_updates::MatrixUpdates;
use crate::options::{NewModel, RowOptions, RunOptions, no_rows, skipped};
use crate::picture::PictureRecorder;
use crate::positive::{PositiveSearch, check_positive};
use crate::profile::{Arrangement, Profile};
use crate::remarks::{self, Around};
use crate::row_settings;
use crate::rows::HeldRows;
use crate::testing::{self, EpochEnds};
use crate::trace::Trace;
use crate::worth::too_good;
use crate::{Error, Remedy, Setting, StoppedWhile};
use admission::check;
pub(crate) use orders::{OrderedRuns, first_id, stretch, survey};
use stream::other_length;

/// One learner over some data.
#[derive(Clone, Debug)]
pub struct Fit {
    /// The rows.
    pub data: Data,
    /// The learner; that of the model that is resumed if none.
    pub spec: Option<Spec>,
    /// A model to go on from.
    pub resume: Option<PathBuf>,
    /// Where the model is saved.
    pub output: Option<PathBuf>,
    /// How often the run is saved on the way.
    pub checkpoint: Option<Every>,
    /// Where mistakes and updates are written.
    pub trace: Option<PathBuf>,
    /// Rows to test the model on.
    pub test: Option<Data>,
    /// How the learner runs.
    pub run: RunOptions,
    /// How rows are read.
    pub rows: RowOptions,
    /// The certificate, if one is asked for.
    pub certify: Option<CertifyOptions>,
    /// Whether margins, confusions and weights are gathered for charts.
    pub charts: bool,
}

/// What a fit came to.
pub struct Fitted {
    /// What the run did.
    pub report: RunReport,
    /// The model; none of several orders.
    pub model: Option<Model>,
}

impl Fit {
    /// Runs it.
    pub fn run(&self, context: Context<'_>) -> Result<Fitted, Error> {
        let log = RemarkLog::default();
        let mut fitted = self.run_in(None, context.logging(&log))?;
        fitted.report.remarks = log.finish();
        Ok(fitted)
    }

    /// Runs it from a model that is in memory, in the place of one that `resume` names.
    pub fn run_from(&self, model: Model, context: Context<'_>) -> Result<Fitted, Error> {
        let log = RemarkLog::default();
        let mut fitted = self.run_in(Some(model), context.logging(&log))?;
        fitted.report.remarks = log.finish();
        Ok(fitted)
    }

    /// Runs it over rows that a door lends, in the place of its data, from a model that is in memory if one is given. They are copied only where the
    /// run comes back to them.
    pub fn run_lent(
        &self,
        rows: LearnedRows<'_>,
        from: Option<Model>,
        context: Context<'_>,
    ) -> Result<Fitted, Error> {
        let log = RemarkLog::default();
        let mut fitted = self.run_lent_in(rows, from, context.logging(&log))?;
        fitted.report.remarks = log.finish();
        Ok(fitted)
    }

    fn run_lent_in(
        &self,
        rows: LearnedRows<'_>,
        from: Option<Model>,
        context: Context<'_>,
    ) -> Result<Fitted, Error> {
        let (mut run, resumed) = check(self, from, context)?;
        let begun = Instant::now();
        let is_small = rows.rows.values() < VALUES || run.reading.threads < 2;
        // what auto is depends on the first rows of the data, and not on those of an order
        let looks = self.run.shuffle.is_some() && resumed.is_none() && run.looks_at_rows();
        let (report, model) = if is_small || looks || run.comes_back(resumed.as_ref()) {
            run.data = Data::Memory(Arc::new(rows.held()?));
            run.one_run(resumed, begun)?
        } else {
            check_places(rows.names, &run.reading)?;
            let mut orders = run::EpochOrders::new(rows.rows.len(), self.run.shuffle);
            // the run ends with its source, so that those who make the parts end too
            rows.in_parts(orders.next_epoch(), move |source| {
                run.data = Data::once(source);
                run.is_ordered = true;
                run.one_run(resumed, begun)
            })?
        };
        Ok(Fitted {
            report,
            model: Some(model),
        })
    }

    fn run_in(&self, from: Option<Model>, context: Context<'_>) -> Result<Fitted, Error> {
        let (run, resumed) = check(self, from, context)?;
        if self
            .test
            .as_ref()
            .is_some_and(|test| test.is_same(&self.data))
        {
            context.remark(&same_rows(RowsFor::Test, 1.0));
        }
        if let (Some(model), None) = (&self.resume, &self.output) {
            let model = model.display().to_string();
            context.remark(&Remark::Result(ResultRemark::NotSaved { model }));
        }
        let begun = Instant::now();
        if self.run.repeats().is_some() {
            let report = run.permutations()?;
            return Ok(Fitted {
                report,
                model: None,
            });
        }
        let (report, model) = run.one_run(resumed, begun)?;
        Ok(Fitted {
            report,
            model: Some(model),
        })
    }
}

/// A checked fit.
struct CheckedFit<'a> {
    fit: &'a Fit,
    data: Data,
    /// The inputs as given, though a cache of them be read.
    inputs: Vec<(String, Option<u64>)>,
    spec: Spec,
    preparation: Preparation,
    reading: Reading,
    memory: u128,
    by: Option<Hypothesis>,
    /// The learner must see all rows first.
    surveys: bool,
    /// The rows come once, in the order of the only epoch.
    is_ordered: bool,
    /// What the run is compared with, if that was named.
    comparator: Option<ComparatorModel>,
    context: Context<'a>,
}

/// A model to go on from, and the run it was saved in the middle of, if it was.
type Resumed = (Model, Option<Unfinished>);

/// Watches a run for the listener, the trace, the certificate and the charts.
struct RunObservers<'a> {
    moments: ProgressMoments<'a>,
    trace: Option<Rc<RefCell<Trace>>>,
    diary: Option<Diary>,
    picture: Option<PictureRecorder>,
    /// The rows of the first epoch.
    profile: Option<Profile>,
    /// Those that only one of the deployed predictor and the baseline answered right.
    paired: Rc<Cell<Option<Paired>>>,
    /// Whether rows have the label that is learned against the rest.
    positive: PositiveSearch,
    weighted: WeightedLabels,
    /// What the model that learns on knows of the rows.
    familiar: Option<FamiliarToModel>,
    /// What certificates need of rows that are not held.
    evidence: Option<EvidenceCollector<'a>>,
    /// Updates of the learner's matrix.
    matrix: MatrixUpdates,
}

impl Observer for RunObservers<'_> {
    fn epoch_ended(&mut self, ledger: &Ledger) {
        self.moments.epoch_ended(ledger);
        self.matrix.end_epoch();
        if let Some(picture) = &mut self.picture {
            picture.epoch_ended(ledger);
        }
    }

    fn trial(&mut self, epoch: u32, row: u64, outcome: Outcome<'_>) {
        self.moments.trial(outcome.model());
        self.matrix.trial(outcome);
        if epoch == 0
            && let Some(other_is_wrong) = self.profile.as_mut().and_then(Profile::next_wrong)
            && let (Some(mut paired), Some(is_wrong)) =
                (self.paired.get(), outcome.is_validation_error())
        {
            paired.row(is_wrong, other_is_wrong);
            self.paired.set(Some(paired));
        }
        if let Some(trace) = &self.trace {
            trace.borrow_mut().trial(epoch, row, outcome);
        }
        let lost = self
            .evidence
            .as_ref()
            .is_some_and(EvidenceCollector::is_lost);
        if let Some(diary) = self.diary.as_mut().filter(|_| !lost) {
            diary.trial(epoch, row, outcome);
        }
        if let Some(picture) = &mut self.picture {
            picture.trial(epoch, row, outcome);
        }
    }
}

/// The best expert divides its rows by a norm behind a map.
fn no_best_expert() -> Error {
    Error::refused(
        "the best expert divides its rows by a norm behind the map, and a model of one learner does that before it",
        Remedy::leave_out(&[Setting::Use]).or(Remedy::leave_out(&[Setting::Map])),
    )
    .about(Setting::Use, "best")
}

/// What a run over the data came to.
struct RunOutcome {
    model: Model,
    ledger: Ledger,
    rows: u64,
    features: u32,
    skipped: Skipped,
    /// Whether the rows came in another order than that of the data.
    shuffled: bool,
    /// Whether the last epoch had no mistake, if that was what the run was for.
    separated: Option<bool>,
    /// What there is to certify the run with, if it is to be certified.
    evidence: Option<(Evidence, Diary)>,
    /// How the run stood at the ends of its epochs.
    ends: Vec<EpochEnd>,
    /// The test of the last epoch, if each was tested, and how long all tests took.
    tested: Option<(ErrorCount, BaselineReport, Duration)>,
}

impl CheckedFit<'_> {
    #[allow(clippy::too_many_lines)] // the steps of a run, in order
    fn one_run(
        &self,
        resumed: Option<Resumed>,
        begun: Instant,
    ) -> Result<(RunReport, Model), Error> {
        let before = match &resumed {
            Some((model, None)) => Some(model.totals()),
            _ => None,
        };
        let resumed = resumed.map(|(mut model, run)| {
            let epochs = self.fit.run.epochs();
            let epochs = run.as_ref().map_or(epochs, |run| run.epochs);
            model.set_threads(self.reading.threads);
            if run.as_ref().is_some_and(|run| run.epoch > 0) {
                model.skip_first_pass();
            }
            model.set_cache_bytes(self.fit.run.cache_bytes(epochs));
            let run = run.map(|mut run| {
                if run.epoch == 0
                    && let Some(counted) = run.ledger.validation.take()
                {
                    model.resume_validation(counted);
                }
                run
            });
            (model, run)
        });
        let (mut done, watch) = self.learn(resumed)?;
        if let Some(rows) = done.model.recalibrate() {
            self.context.notice(Notice::Recalibrated { rows });
            let answers_by = done.model.validated(None).ok();
            // the majority of `auto` moves little
            let is_one = done.model.spec().name() != "auto";
            if is_one && answers_by == Some(Hypothesis::Final) {
                self.context
                    .remark(&Remark::Result(ResultRemark::MovingWeights));
            }
        }
        let mut report = orders::report(
            &done.model,
            self.by,
            done.ledger,
            (done.rows, done.features),
            begun,
        );
        report.separated = done.separated;
        report.ends = done.ends;
        if report.ends.len() == report.epochs.len() {
            watch.matrix.put_into(&mut report.ends);
        }
        if let Some((.., took)) = &done.tested {
            report.seconds = (report.seconds - took.as_secs_f64()).max(0.0);
        }
        let of_columns = self.column_parameters(&done.model);
        report.parameters.extend(of_columns);
        if let Some(picture) = watch.picture {
            (report.course, report.picture) = picture.finish(&done.model);
        }
        let mut advice = Advice {
            standardize: false,
            compare: true,
            rare: false,
            weighted: false,
        };
        let mut following = None;
        if let Some(profile) = &watch.profile {
            report.baseline = Some(BaselineReport {
                paired: watch.paired.get(),
                ..profile.baseline()
            });
            let arrangement = Arrangement {
                shuffled: done.shuffled,
                standardized: done.model.preparation().standardize.is_some(),
            };
            following = profile.following(arrangement);
            // rows of earlier runs may well come again
            let trials = profile.baseline().rows * report.epochs.len() as u64;
            let is_one_run = done.model.totals().trials == trials;
            let learned = is_one_run.then(|| done.model.learned());
            let remarks = profile.remarks(arrangement, done.model.schema(), learned);
            for remark in remarks.iter().chain(&profile.kernel_remark(&done.model)) {
                self.context.remark(remark);
            }
            advice = profile.advice(arrangement.standardized, true, done.model.schema());
            advice = advice.weighted(done.model.class_weights().is_some());
            let sizes = profile.sizes(done.model.schema());
            if sizes.rows() > 0 {
                done.model.set_sizes(sizes);
            }
        }
        if let Some(path) = &self.fit.output {
            let best = (self.by == Some(Hypothesis::Best)).then(|| done.model.best_expert());
            match best {
                None => novikoff_data::model::save(&done.model, path)?,
                Some(Some(best)) => novikoff_data::model::save(&best, path)?,
                Some(None) => return Err(no_best_expert()),
            };
            self.context
                .notice(Notice::ModelSaved { path: path.clone() });
        }
        if let (Some(certifier), Some((evidence, diary))) = (self.certifier(), &done.evidence) {
            certifier.certify(&mut report, &done.model, diary, evidence.seen())?;
            report.options = Some(self.repeatable(&done.model, &report));
            let trace = self.fit.trace.as_ref();
            report.trace = trace.map(|path| path.display().to_string());
            if self.context.interrupt.is_requested() {
                let saved = self.fit.output.clone();
                return Err(Error::Stopped(StoppedWhile::Certifying { saved }));
            }
        }
        let tested = if let Some(tested) = done.tested {
            Some(tested)
        } else {
            let begun = Instant::now();
            let tested = self.test_streamed(&done.model)?;
            tested.map(|(test, baseline)| (test, baseline, begun.elapsed()))
        };
        if let Some((test, baseline, took)) = tested {
            (report.test, report.test_baseline) = (Some(test), Some(baseline));
            report.test_seconds = Some(took.as_secs_f64());
        }
        report.resumed = before.map(|before: Totals| (before, done.model.totals()));
        report.skipped = skipped(&done.skipped);
        let lacks_constant = done.model.preparation().bias.is_none();
        let given = self.comparator.is_some();
        let around = Around {
            lacks_constant,
            following,
            advice,
            given,
            values: watch.profile.as_ref().map_or(f64::MAX, Profile::values),
        };
        for remark in remarks::of_run(&report, around) {
            self.context.remark(&remark);
        }
        let too_good = too_good::of_run(&report, done.model.schema());
        too_good::tell(too_good, self.context);
        Ok((report, done.model))
    }

    /// What the first rows have decided about the columns of a table. Those of a model that is resumed, and of a cache, were decided before.
    fn column_parameters(&self, model: &Model) -> Parameters {
        let read = &self.fit.rows.read;
        let is_decided = self.fit.resume.is_some() || self.fit.data.has_cache();
        let is_dropped = |name: &str| {
            let fields = |dropped: &String| name.strip_prefix(dropped.as_str());
            let mut rest = read.drop.iter().filter_map(fields);
            rest.any(|rest| rest.is_empty() || rest.starts_with('.'))
        };
        model.column_parameters(|name| is_decided || !read.only.is_empty() || is_dropped(name))
    }

    /// How the run went, as far as it takes to repeat it.
    fn repeatable(&self, model: &Model, report: &RunReport) -> novikoff_report::RunSettings {
        let run = &self.fit.run;
        // passes that ended because the rows were separated are as many as there were
        let made = u32::try_from(report.epochs.len()).unwrap_or(u32::MAX);
        novikoff_report::RunSettings {
            bias: model.preparation().bias,
            normalize: model.preparation().normalize,
            standardize: model.preparation().standardize.is_some(),
            epochs: made,
            shuffle: run
                .permutations
                .map_or(run.shuffle, |_| Some(run.shuffle.unwrap_or(0))),
            rows: row_settings::of(&self.fit.rows, run),
        }
    }

    /// What certifies the run, if it is to be certified.
    fn certifier(&self) -> Option<Certifier<'_>> {
        let certify = self.fit.certify.as_ref()?;
        Some(Certifier {
            effort: certify.effort,
            comparator: self.comparator.as_ref(),
            save: certify.save.as_deref(),
            threads: self.reading.threads,
            memory: self.memory / 2,
            context: self.context,
        })
    }

    /// What a model that learns on knows of the rows.
    fn familiar(&self, model: &Model) -> FamiliarToModel {
        let file = self.fit.resume.as_ref();
        FamiliarToModel::new(model, file.map(|path| path.display().to_string()))
    }

    fn watchers(&self) -> RunObservers<'_> {
        RunObservers {
            moments: ProgressMoments::new(self.context),
            trace: None,
            diary: self.fit.certify.as_ref().map(|_| Diary::default()),
            picture: None,
            profile: None,
            paired: Rc::default(),
            positive: PositiveSearch::new(self.fit.run.task.as_ref()),
            weighted: WeightedLabels::new(&self.fit.run.class_weight, self.fit.resume.is_some()),
            familiar: None,
            evidence: None,
            matrix: MatrixUpdates::default(),
        }
    }

    /// Watches a run that begins, or goes on.
    fn begin(&self, watch: &mut RunObservers<'_>, model: &Model, run: &Unfinished) {
        watch.moments.begin(model, &run.ledger);
        watch.matrix = MatrixUpdates::new(model.classes().list().len());
        watch.profile = Some(Profile::of_run(model, run));
        watch.paired.set(run.paired);
        watch.picture = Some(PictureRecorder::new(
            model,
            &run.ledger,
            self.fit.charts,
            run.course.as_ref(),
        ));
    }

    /// The trace of a run that begins, or goes on.
    fn trace(
        &self,
        model: &Model,
        run: Option<&Unfinished>,
    ) -> Result<Option<Rc<RefCell<Trace>>>, Error> {
        let Some(path) = &self.fit.trace else {
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
        first: Block<'_>,
        counts: impl FnOnce() -> Result<Vec<(LabelName, u64)>, Error>,
    ) -> Result<Model, Error> {
        let class_weight = &self.fit.run.class_weight;
        let class_weights = class_weight.resolve(&task, counts)?;
        self.fit.run.new_model(NewModel {
            spec: &self.spec,
            first,
            task,
            preparation,
            zero_based: self.reading.schema.zero_based,
            width: self.fit.run.features.or(width),
            class_weights,
            memory: self.memory,
            threads: self.reading.threads,
            side_by_side: 1,
        })
    }

    /// A run that begins with a model.
    fn beginning(&self, model: &mut Model) -> Unfinished {
        // the report says why, if it cannot be
        let _ = model.validate(self.by);
        Unfinished {
            epochs: self.fit.run.epochs(),
            until_separated: self.fit.run.until_separated,
            shuffle: self.fit.run.shuffle,
            inputs: self.inputs.clone(),
            reading: self.fit.rows.text(),
            ledger: Ledger::begin(model),
            paired: Some(Paired::default()),
            text: Arc::clone(&model.schema().text),
            ..Unfinished::default()
        }
    }

    fn checkpointer(&self, run: Unfinished, watch: &RunObservers<'_>) -> Checkpointer {
        let (path, every) = (self.fit.output.as_deref(), self.fit.checkpoint);
        let interrupt = self.context.interrupt.clone();
        let checkpointer = Checkpointer::new(path, every, interrupt, run);
        let checkpointer = checkpointer.with_trace(watch.trace.clone());
        let course = watch.picture.as_ref().map(PictureRecorder::course);
        checkpointer.with_paired(&watch.paired).with_course(course)
    }

    /// Whether rows are met more than once.
    fn comes_back(&self, resumed: Option<&Resumed>) -> bool {
        let run = &self.fit.run;
        let surveys = match resumed {
            Some((model, _)) => model.learner().surveys(),
            None => self.surveys,
        };
        let epochs = match resumed {
            Some((_, Some(run))) => run.epochs,
            _ => run.epochs(),
        };
        let standardizes = run.standardize && resumed.is_none();
        let certifies = self.fit.certify.is_some() && !self.data.is_stream();
        surveys || standardizes || epochs > 1 || run.test_every_epoch || certifies
    }

    /// Streams where one pass in order is enough; otherwise holds the rows.
    fn learn(&self, resumed: Option<Resumed>) -> Result<(RunOutcome, RunObservers<'_>), Error> {
        let run = &self.fit.run;
        let shuffle = match &resumed {
            Some((_, Some(run))) => run.shuffle,
            _ => run.shuffle,
        };
        let held = self.comes_back(resumed.as_ref()) || (shuffle.is_some() && !self.is_ordered);
        let mut watch = self.watchers();
        let done = if held {
            self.learn_held(resumed, &mut watch)
        } else {
            self.learn_streaming(resumed, &mut watch)
        };
        let mut done = done?;
        watch.moments.end(&done.model);
        if done.rows == 0 {
            return Err(no_rows());
        }
        done.model.reach(done.features);
        if done.features == 0 {
            self.context.notice(Notice::NoFeatures);
        }
        if self.data.is_stream()
            && run.task.is_none()
            && matches!(done.model.classes().task(), Task::OneVsRest)
        {
            self.context.notice(Notice::StreamOneVsRest);
        }
        watch.weighted.check(self.fit.rows.lenient, self.context)?;
        if let Some(remark) = watch.positive.remark() {
            self.context.allow(&remark, self.fit.rows.lenient)?;
        }
        if let Some(trace) = &watch.trace {
            trace.borrow_mut().flush(&done.model)?;
        }
        Ok((done, watch))
    }

    fn learn_held(
        &self,
        resumed: Option<Resumed>,
        watch: &mut RunObservers<'_>,
    ) -> Result<RunOutcome, Error> {
        let task = match &resumed {
            Some((model, _)) => Some(model.classes().task()),
            None => self.fit.run.task.as_ref(),
        };
        let unlabelled = Unlabelled::of(task);
        let mut held = self
            .data
            .load(&self.reading, self.memory, unlabelled, self.context)?;
        let (mut model, mut checkpointer) = match resumed {
            Some((model, Some(run))) => {
                if held.len() as u64 != run.rows {
                    return Err(other_length(held.len() as u64, run.rows));
                }
                watch.trace = self.trace(&model, Some(&run))?;
                self.begin(watch, &model, &run);
                (model, self.checkpointer(run, watch))
            }
            begun => {
                let mut model = match begun {
                    Some((model, _)) => {
                        let mut familiar = self.familiar(&model);
                        familiar.held(&held);
                        familiar.check(&held.facts, self.fit.rows.lenient, self.context)?;
                        model
                    }
                    None => self.fresh(&held)?,
                };
                survey(&mut model, &held, 0..held.len())?;
                let run = self.beginning(&mut model);
                watch.trace = self.trace(&model, None)?;
                self.begin(watch, &model, &run);
                (model, self.checkpointer(run, watch))
            }
        };
        model.adopt(Arc::clone(&held.schema));
        (checkpointer.run.rows, checkpointer.run.features) = (held.len() as u64, held.width());
        watch.positive.held(&held);
        watch.weighted.held(&held);
        let shuffle = checkpointer.run.shuffle;
        if let Some(profile) = &mut watch.profile {
            profile.held(
                &held,
                run::EpochOrders::new(held.len(), shuffle).next_epoch(),
            );
            let (is_all, lenient) = (self.fit.resume.is_none(), self.fit.rows.lenient);
            profile.check_labels(is_all, || held.label_column(), lenient, self.context)?;
        }
        for remark in far_from_mean(&held.facts, model.schema()) {
            self.context.remark(&remark);
        }
        if let Some(picture) = &mut watch.picture {
            picture.held(&held);
        }
        let test = self.test_of_epochs(&model, &held, watch.profile.as_ref())?;
        let mut ends = EpochEnds::new(test.as_ref(), self.by);
        orders::run_held(
            &mut model,
            &held,
            &mut checkpointer,
            watch,
            &mut ends,
            self.context,
        )?;
        let (took, last) = (ends.testing, ends.last);
        let tested = last.map(|(test, baseline)| (test, testing::most_frequent(&baseline), took));
        let ends = ends.ends;
        let diary = watch.diary.take();
        let (asked, ledger) = (checkpointer.run.until_separated, checkpointer.run.ledger);
        Ok(RunOutcome {
            model,
            separated: asked.then(|| ledger.is_separated()),
            ledger,
            rows: held.len() as u64,
            features: held.width(),
            shuffled: shuffle.is_some(),
            skipped: std::mem::take(&mut held.skipped),
            evidence: diary.map(|diary| (Evidence::Rows(Box::new(held)), diary)),
            ends,
            tested,
        })
    }

    /// The rows that the model is tested on after each epoch, if it is.
    fn test_of_epochs(
        &self,
        model: &Model,
        held: &HeldRows,
        profile: Option<&Profile>,
    ) -> Result<Option<HeldRows>, Error> {
        let Some(data) = self
            .fit
            .test
            .as_ref()
            .filter(|_| self.fit.run.test_every_epoch)
        else {
            return Ok(None);
        };
        let reading = self.fit.rows.reading_for(model, self.context);
        let lenient = self.fit.rows.lenient;
        let saved = self.fit.output.as_ref();
        let known = Known {
            schema: Arc::clone(&reading.schema),
            width: model.width().max(held.width()),
            unlabelled: Unlabelled::of(Some(model.classes().task())),
            model: saved.map(|path| path.display().to_string()),
            lenient,
        };
        let test = data.load_known(&reading, self.memory, &known, self.context)?;
        if let Some(profile) = profile {
            testing::check_labels_of(&test, profile.classes(), lenient, self.context)?;
        }
        Ok(Some(test))
    }

    fn fresh_task(&self, held: &HeldRows) -> Result<Task, Error> {
        match &self.fit.run.task {
            Some(task) => Ok(task.clone()),
            None => self.data.task(held, true, &self.reading),
        }
    }

    fn fresh(&self, held: &HeldRows) -> Result<Model, Error> {
        let task = self.fresh_task(held)?;
        let width = (!self.data.is_stream()).then(|| held.width());
        let run = &self.fit.run;
        self.new_model(
            task,
            width,
            run.fitted(&self.preparation, held, self.memory)?,
            FirstRows::of(held).view(),
            || Ok(held.label_counts()),
        )
    }

    fn test_streamed(&self, model: &Model) -> Result<Option<(ErrorCount, BaselineReport)>, Error> {
        let Some(data) = &self.fit.test else {
            return Ok(None);
        };
        let reading = self.fit.rows.reading_for(model, self.context);
        let mut reader = data.reader(&reading)?;
        let mut report = ErrorCount { rows: 0, errors: 0 };
        let multi = matches!(model.classes().task(), Task::MultiLabel);
        let mut familiar = if data.is_same(&self.fit.data) {
            // said before the run
            Familiar::default()
        } else {
            Familiar::new_to(model, RowsFor::Test)
        };
        self.context.begin(Phase::Testing, reader.total_bytes());
        let mut baseline = Baseline::of_test(model.classes());
        while reader.advance()? {
            if self.context.interrupt.is_requested() {
                let saved = self.fit.output.clone();
                return Err(Error::Stopped(StoppedWhile::Testing { saved }));
            }
            let kept = if multi { None } else { labelled(&mut reader) };
            let Some((lent, line)) = reader.lent() else {
                continue;
            };
            familiar.block(lent, &reading.schema, model.width());
            let block = kept.as_ref().map_or(lent, FilteredBlock::view);
            let at = |row| self.context.at(reader.position(row, block.len()));
            match testing::errors(model, block, self.by, &mut baseline, at) {
                Ok(errors) => report.errors += errors,
                Err((row, error)) => {
                    let place = reader.place(block, line, row, report.rows);
                    return Err(Error::at(&place, &error, error.remedy()));
                }
            }
            report.rows += block.len() as u64;
            if let Some(error) = kept.and_then(|kept| kept.error) {
                return Err(error.into());
            }
        }
        self.context.end();
        data::tell(&reader, self.context);
        let saved = self.fit.output.as_ref();
        let saved = saved.map(|path| path.display().to_string());
        let lenient = self.fit.rows.lenient;
        familiar.finish(&reader, saved, lenient, self.context)?;
        testing::check_labels(&baseline, lenient, self.context)?;
        Ok(Some((report, testing::most_frequent(&baseline))))
    }

    fn permutations(&self) -> Result<RunReport, Error> {
        let unlabelled = Unlabelled::of(self.fit.run.task.as_ref());
        let held = self
            .data
            .load(&self.reading, self.memory, unlabelled, self.context)?;
        if held.is_empty() {
            return Err(no_rows());
        }
        let lenient = self.fit.rows.lenient;
        check_positive(self.fit.run.task.as_ref(), &held, lenient, self.context)?;
        let task = self.fresh_task(&held)?;
        let test = match &self.fit.test {
            Some(data) => {
                let known = Known::by_learners_of(&held, &task, lenient);
                Some(data.load_known(&self.reading, self.memory, &known, self.context)?)
            }
            None => None,
        };
        let mut profile = self.fit.run.profile(&held, task)?;
        profile.check_labels(true, || held.label_column(), lenient, self.context)?;
        if let (Some(test), Some(data)) = (&test, &self.fit.test) {
            if !data.is_same(&self.fit.data) {
                let same = learned_from(test, &held.sample());
                if let Some(remark) = &same {
                    self.context.remark(remark);
                }
            }
            testing::check_labels_of(test, profile.classes(), lenient, self.context)?;
        }
        let orders = self.fit.run.repeats().unwrap_or(1);
        self.context.begin(Phase::Orders, Some(u64::from(orders)));
        let fresh = || {
            if self.context.interrupt.is_requested() {
                return Err(Error::Stopped(StoppedWhile::Orders));
            }
            self.fresh(&held)
        };
        let certifier = self.certifier();
        let mut report = OrderedRuns {
            run: &self.fit.run,
            held: &held,
            test: test.as_ref(),
            by: self.by,
            validates_all: false,
            certifier: certifier.as_ref(),
            profile: &profile,
            charts: self.fit.charts,
            context: self.context,
            shown: self.context,
        }
        .run(fresh)?;
        self.context.end();
        for remark in profile.remarks(
            self.fit.run.arrangement(),
            &held.schema,
            Some(&held.sample()),
        ) {
            self.context.remark(&remark);
        }
        let model = self.fresh(&held)?;
        if let Some(remark) = profile.kernel_remark(&model) {
            self.context.remark(&remark);
        }
        let following = profile.following(self.fit.run.arrangement());
        let (preparation, given) = (model.preparation(), self.comparator.is_some());
        let advice = profile.advice(preparation.standardize.is_some(), true, &held.schema);
        let advice = advice.weighted(model.class_weights().is_some());
        let around = Around {
            lacks_constant: preparation.bias.is_none(),
            following,
            advice,
            given,
            values: profile.values(),
        };
        for remark in remarks::of_run(&report, around) {
            self.context.remark(&remark);
        }
        let too_good = too_good::of_run(&report, &held.schema);
        too_good::tell(too_good, self.context);
        if certifier.is_some() {
            report.options = Some(self.repeatable(&model, &report));
        }
        if certifier.is_some() && self.context.interrupt.is_requested() {
            return Err(Error::Stopped(StoppedWhile::CertifyingOrders));
        }
        Ok(report)
    }
}
