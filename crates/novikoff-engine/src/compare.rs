//! A comparison: several learners on the same rows.

pub(crate) mod default_set;

pub use crate::counted_work::WORK;

use std::sync::Arc;

use novikoff::catalog::AUTO;
use novikoff::class_weights::ClassWeights;
use novikoff::classes::Task;
use novikoff::learner::Refusal;
use novikoff::model::{Model, TrialError};
use novikoff::preparation::Preparation;
use novikoff::remark::{Advice, RowsFor};
use novikoff::run::Stopped;
use novikoff::spec::Spec;
use novikoff_report::{Comparison, Noted, RunReport};

use crate::certify::comparator::ComparatorModel;
use crate::certify::{Certifier, CertifyOptions};
use crate::counted_work::Scale;
use crate::data::{self, Data, Known};
use crate::events::{Context, Event, LeftOut, Notice, Phase, RemarkLog};
use crate::familiar::{far_from_mean, learned_from, same_rows};
use crate::first_rows::FirstRows;
use crate::fit::OrderedRuns;
use crate::labels::Unlabelled;
use crate::options::{
    NewModel, RowOptions, RunOptions, check_map, check_tests, check_tie, hypothesis, hypothesis_of,
    needs_files, no_rows, standardize_needs_files, stream_twice, unseeing_learner,
};
use crate::parallel::side_by_side;
use crate::positive::check_positive;
use crate::profile::Profile;
use crate::remarks::{self, Around};
use crate::rows::HeldRows;
use crate::testing::check_labels_of;
use crate::worth::too_good;
use crate::{Error, Setting, StoppedWhile};
use default_set::{Limits, Obstacles, default_set};

/// Several learners on the same rows.
#[derive(Clone, Debug)]
pub struct Compare {
    /// The rows.
    pub data: Data,
    /// The learners; the catalogue, less what does not fit the rows, if none.
    pub specs: Vec<Spec>,
    /// Rows to test on.
    pub test: Option<Data>,
    /// How the learners run.
    pub run: RunOptions,
    /// How rows are read.
    pub rows: RowOptions,
    /// Certificates, if they are asked for.
    pub certify: Option<CertifyOptions>,
    /// Whether margins, confusions and weights are gathered for charts.
    pub charts: bool,
}

/// What a comparison came to.
pub struct Compared {
    /// The runs, in the order of the learners. The door words who was left out.
    pub comparison: Comparison,
    /// Learners of the default list that were not run, and why.
    pub left_out: Vec<(Spec, LeftOut)>,
    /// How many learners were not run, or not to their end, because the comparison was asked to stop.
    pub stopped: usize,
}

impl Compare {
    /// Runs all learners.
    pub fn run(&self, context: Context<'_>) -> Result<Compared, Error> {
        let log = RemarkLog::default();
        let mut compared = self.run_in(context.logging(&log))?;
        compared.comparison.remarks = log.finish();
        Ok(compared)
    }

    fn run_in(&self, context: Context<'_>) -> Result<Compared, Error> {
        self.check()?;
        if self
            .test
            .as_ref()
            .is_some_and(|test| test.is_same(&self.data))
        {
            context.remark(&same_rows(RowsFor::Test, 1.0));
        }
        let preparation = self.run.preparation();
        // of the learners that run if none is named, `auto` has experts with a constant feature
        let usual = [Spec::parse("perceptron")?, Spec::parse(AUTO)?];
        let named = if self.specs.is_empty() {
            &usual[..]
        } else {
            &self.specs[..]
        };
        let bias = self.run.shared_bias(named.iter());
        let mut reading = self.rows.reading(bias, context);
        reading.options.centred = self.run.standardize;
        let data = if self.run.cache {
            let fresh = reading.schema.names.clone();
            self.data.clone().cached(&mut reading, fresh, context)?
        } else {
            self.data.clone()
        };
        data.measure(&mut reading)?;
        let is_stream = data.is_stream();
        if let Some(test) = &self.test {
            test.check(&reading)?;
            if test.is_stream() && is_stream {
                return Err(stream_twice());
            }
        }
        let (limit, unlabelled) = (self.rows.memory, Unlabelled::of(self.run.task.as_ref()));
        let held = data.load(&reading, limit, unlabelled, context)?;
        data::tell_skipped(held.skipped.clone(), context);
        if held.is_empty() {
            return Err(no_rows());
        }
        let task = match &self.run.task {
            Some(task) => task.clone(),
            None => data.task(&held, true, &reading)?,
        };
        let lenient = self.rows.lenient;
        self.run.class_weight.check_rows(&held, lenient, context)?;
        check_positive(self.run.task.as_ref(), &held, lenient, context)?;
        let known = Known::by_learners_of(&held, &task, lenient);
        let test = self.test.as_ref();
        let test = test.map(|test| test.load_known(&reading, limit, &known, context));
        let test = test.transpose()?;
        if self.run.standardize && is_stream {
            return Err(standardize_needs_files());
        }
        let preparation = self.run.fitted(&preparation, &held, limit)?;
        let mut profile = self.run.profile(&held, task.clone())?;
        if let (Some(test), Some(data)) = (&test, &self.test) {
            if !data.is_same(&self.data) {
                let same = learned_from(test, &held.sample());
                if let Some(remark) = &same {
                    context.remark(remark);
                }
            }
            check_labels_of(test, profile.classes(), lenient, context)?;
        }
        let lenient = self.rows.lenient;
        profile.check_labels(true, || held.label_column(), lenient, context)?;
        let mut schema = (*held.schema).clone();
        schema.preparation = preparation.clone();
        for remark in far_from_mean(&held.facts, &schema) {
            context.remark(&remark);
        }
        let advice = profile.advice(self.run.standardize, false, &held.schema);
        let advice = advice.weighted(!self.run.class_weight.is_off());
        for remark in profile.remarks(self.run.arrangement(), &held.schema, Some(&held.sample())) {
            context.remark(&remark);
        }
        let width = (!is_stream).then(|| held.width());
        let path = self.certify.as_ref().and_then(|c| c.comparator.as_deref());
        let mut contest = Contest {
            compare: self,
            comparator: path
                .map(|path| ComparatorModel::load(path, limit))
                .transpose()?,
            specs: self.specs.clone(),
            left_out: Vec::new(),
            preparation,
            class_weights: self
                .run
                .class_weight
                .resolve(&task, || Ok(held.label_counts()))?,
            width: self.run.features.or(width),
            is_stream,
            advice,
            task,
            profile,
            held,
            test,
            context,
        };
        contest.choose()?;
        contest.run_all()
    }

    /// What can be known of the learners before anything is read.
    fn check(&self) -> Result<(), Error> {
        check_tests(&self.run, self.test.is_some(), self.certify.is_some())?;
        let weights = &self.run.class_weight;
        weights.check(&self.data, self.run.task.as_ref())?;
        for spec in &self.specs {
            let kept = self.certify.as_ref().map(|_| Setting::Certify);
            check_tie(&self.run, spec, kept)?;
            weights.check_learner(spec)?;
            let parameters = spec.parameters(Some(2))?;
            check_map(self.run.map, self.run.kernel_for(spec))?;
            let kernel = self.run.kernel_for(spec);
            hypothesis_of(self.run.by, spec, kernel)?;
            let learner = unseeing_learner(spec, &parameters, kernel)?;
            if self.data.is_stream() && learner.surveys() {
                return Err(needs_files(spec.name()));
            }
        }
        Ok(())
    }
}

/// Everything the runs share.
struct Contest<'a> {
    compare: &'a Compare,
    /// What all runs are compared with, if it was named.
    comparator: Option<ComparatorModel>,
    specs: Vec<Spec>,
    left_out: Vec<(Spec, LeftOut)>,
    preparation: Preparation,
    task: Task,
    class_weights: Option<ClassWeights>,
    width: Option<u32>,
    is_stream: bool,
    advice: Advice,
    profile: Profile,
    held: HeldRows,
    test: Option<HeldRows>,
    context: Context<'a>,
}

impl Contest<'_> {
    /// Which learners run: those that were named, which must be able to take the rows, or the default list.
    fn choose(&mut self) -> Result<(), Error> {
        let mut obstacles = Obstacles::of(&self.held);
        if let Some(weights) = &self.class_weights {
            let first = weights.list().first();
            let weight = first.map_or(weights.rest(), |(_, factor)| *factor);
            obstacles.weight = obstacles.weight.or(Some((0, weight)));
        }
        if !self.specs.is_empty() {
            let mut specs = self.specs.iter();
            return specs.try_for_each(|spec| self.can_take(spec, obstacles));
        }
        let run = &self.compare.run;
        let perceptron = self.new_model(&Spec::parse("perceptron")?, 1)?;
        let scale = Scale::of(perceptron, &self.held, run.epochs())?;
        let limits = Limits {
            obstacles,
            centred: self.preparation.standardize.is_some() || self.has_map(),
            memory: self.compare.rows.memory,
        };
        // a learner that cannot be made here is left out, or says why when it runs
        let more = |spec: &Spec| {
            let made = self.new_model(spec, 1);
            Ok(made.map_or(1.0, |model| scale.updates_of(model, &self.held)))
        };
        for (spec, why) in default_set(|spec| run.kernel_for(spec), &scale, limits, more)? {
            match why {
                None => self.specs.push(spec),
                Some(why) => self.leave_out(spec, why),
            }
        }
        Ok(())
    }

    /// An error if a learner that was named cannot take the rows.
    fn can_take(&self, spec: &Spec, obstacles: Obstacles) -> Result<(), Error> {
        let refused = |row, refusal| {
            let error = TrialError::Refused(refusal);
            Err(self.held.failure(&Stopped { row, error }))
        };
        let can = &spec.entry().can;
        let is_centred = self.preparation.standardize.is_some() || self.has_map();
        if let (true, false, Some((row, slot, value))) =
            (can.needs_non_negative, is_centred, obstacles.negative)
        {
            if slot == 0 {
                return refused(row, Refusal::NegativeBias { value });
            }
            let feature = slot - usize::from(self.compare.rows.read.zero_based);
            return refused(row, Refusal::Negative { feature, value });
        }
        match (can.weighted, obstacles.weight) {
            (false, Some((row, weight))) => {
                let (learner, others) = (spec.name(), spec.weighted());
                let refusal = Refusal::Weight {
                    learner,
                    weight,
                    others,
                };
                refused(row, refusal)
            }
            _ => Ok(()),
        }
    }

    fn has_map(&self) -> bool {
        self.compare.run.map.is_some()
    }

    fn leave_out(&mut self, spec: Spec, why: LeftOut) {
        self.context.notice(Notice::LeavingOut {
            learner: spec.name().to_owned(),
            why: why.clone(),
        });
        self.left_out.push((spec, why));
    }

    /// A model that has learned nothing.
    fn new_model(&self, spec: &Spec, threads: usize) -> Result<Model, Error> {
        let run = &self.compare.run;
        run.new_model(NewModel {
            spec,
            first: FirstRows::of(&self.held).view(),
            task: self.task.clone(),
            preparation: run.for_learner(&self.preparation, spec),
            zero_based: self.compare.rows.read.zero_based,
            width: self.width,
            class_weights: self.class_weights.clone(),
            memory: self.compare.rows.memory,
            threads,
            side_by_side: self.specs.len(),
        })
    }

    fn run_one(&self, spec: &Spec, threads: usize) -> Result<RunReport, Error> {
        let (run, memory) = (&self.compare.run, self.compare.rows.memory);
        let fresh = || {
            if self.context.interrupt.is_requested() {
                return Err(Error::Stopped(StoppedWhile::Orders));
            }
            self.new_model(spec, threads)
        };
        let model = fresh()?;
        if self.is_stream && model.learner().surveys() {
            return Err(needs_files(spec.name()));
        }
        let context = self.context.quiet();
        let certify = self.compare.certify.as_ref();
        let certifier = certify.map(|certify| Certifier {
            effort: certify.effort,
            comparator: self.comparator.as_ref(),
            save: None,
            threads,
            memory: memory / 2,
            context,
        });
        let mut report = OrderedRuns {
            run,
            held: &self.held,
            test: self.test.as_ref(),
            by: hypothesis(run.by, &model)?,
            validates_all: false,
            certifier: certifier.as_ref(),
            profile: &self.profile,
            charts: self.compare.charts,
            context,
            shown: self.context,
        }
        .run(fresh)?;
        let given = self.comparator.is_some();
        let lacks_constant = model.preparation().bias.is_none();
        let following = self.profile.following(run.arrangement(), &self.held.schema);
        let around = Around {
            lacks_constant,
            following,
            advice: self.advice,
            given,
            values: self.profile.values(),
        };
        let remarks = remarks::of_run(&report, around);
        let kernel = self.profile.kernel_remark(&model);
        let remarks = kernel.into_iter().chain(remarks);
        report.remarks = remarks.map(Noted::from).collect();
        Ok(report)
    }

    /// All runs, on as many threads as there are; reports come in the order given. Runs that are done are kept when the comparison is asked
    /// to stop.
    fn run_all(mut self) -> Result<Compared, Error> {
        let (count, threads) = (self.specs.len(), self.compare.rows.threads);
        let each = (threads / count.max(1)).max(1);
        let listener = self.context.listener;
        self.context.begin(Phase::Learners, Some(count as u64));
        let at = |done| self.context.at(done);
        let job = |k: usize| {
            let spec = &self.specs[k];
            listener.event(Event::RunBegun { spec: spec.text() });
            let result = self.run_one(spec, each);
            listener.event(Event::RunEnded {
                spec: spec.text(),
                report: result.as_ref().ok(),
            });
            result
        };
        let is_stop = |result: &Result<RunReport, Error>| is_stopped(result.as_ref().err());
        let results = side_by_side(count, threads, at, is_stop, job);
        self.context.end();
        let (mut runs, mut stopped) = (Vec::new(), 0);
        for (result, spec) in results.into_iter().zip(std::mem::take(&mut self.specs)) {
            match result {
                Some(Ok(report)) => runs.push(report),
                Some(Err(error)) if self.compare.specs.is_empty() && error.is_unfit() => {
                    self.leave_out(spec, LeftOut::Unfit(Arc::new(error)));
                }
                Some(Err(error)) if !is_stopped(Some(&error)) => return Err(error),
                None if !self.context.interrupt.is_requested() => {
                    let name = spec.name();
                    return Err(Error::plain(format!("{name}: the run ended unexpectedly")));
                }
                _ => stopped += 1,
            }
        }
        if runs.is_empty() && stopped > 0 {
            return Err(Error::Stopped(StoppedWhile::Comparing));
        }
        let mut too_good = runs
            .iter()
            .map(|run| too_good::of_run(run, &self.held.schema));
        too_good::tell(too_good.find_map(|remark| remark), self.context);
        Ok(Compared {
            comparison: Comparison {
                data: runs.first().map(|run| run.data).unwrap_or_default(),
                runs,
                remarks: Vec::new(),
                left_out: Vec::new(),
            },
            left_out: self.left_out,
            stopped,
        })
    }
}

/// Whether a run ended because it was asked to.
fn is_stopped(error: Option<&Error>) -> bool {
    matches!(error, Some(Error::Stopped(_)))
}
