//! A fit: one learner over a stream, in one order or several.

mod admission;
mod held;
mod observers;
mod orders;
mod stream;
mod testing;

use std::path::PathBuf;
use std::sync::Arc;
use std::time::{Duration, Instant};

use novikoff::certify::Diary;
use novikoff::classes::Task;
use novikoff::label::LabelName;
use novikoff::learner::Hypothesis;
use novikoff::model::{Model, Totals};
use novikoff::parameter::Parameters;
use novikoff::preparation::Preparation;
use novikoff::remark::{Advice, Paired, Remark, ResultRemark, RowsFor};
use novikoff::rows::Block;
use novikoff::run::{self, Ledger};
use novikoff::spec::Spec;
use novikoff_data::blocks::Skipped;
use novikoff_data::model::Unfinished;
use novikoff_report::{BaselineReport, EpochEnd, ErrorCount, RunReport};

use crate::certify::comparator::ComparatorModel;
use crate::certify::evidence::Evidence;
use crate::certify::{Certifier, CertifyOptions};
use crate::checkpoint::Every;
use crate::data::{Data, Reading, check_places};
use crate::door_rows::{LearnedRows, VALUES};
use crate::events::{Context, Notice, RemarkLog};
use crate::familiar::{FamiliarToModel, same_rows};
use crate::options::{NewModel, RowOptions, RunOptions, no_rows, skipped};
use crate::profile::{Arrangement, Following, Profile};
use crate::remarks::{self, Around};
use crate::worth::too_good;
use crate::{Error, Remedy, Setting, StoppedWhile, row_settings};
use admission::check;
use observers::RunObservers;
pub(crate) use orders::{OrderedRuns, first_id, stretch, survey};

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
        let mut following = Following::default();
        if let Some(profile) = &watch.profile {
            report.baseline = Some(BaselineReport {
                paired: watch.paired.get(),
                ..profile.baseline()
            });
            let arrangement = Arrangement {
                shuffled: done.shuffled,
                standardized: done.model.preparation().standardize.is_some(),
            };
            following = profile.following(arrangement, done.model.schema());
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
}
