//! A comparison: several learners on the same rows.

use novikoff::catalog::CATALOG;
use novikoff::classes::Task;
use novikoff::preparation::Preparation;
use novikoff::spec::Spec;
use novikoff_report::{Comparison, Noted, RunReport};

use crate::certify::comparator::Comparator;
use crate::certify::{Certifier, CertifyOptions};
use crate::data::{Data, Known};
use crate::events::{Context, LeftOut, Notice, Phase, RemarkLog};
use crate::fit::Orders;
use crate::labels::Unlabelled;
use crate::options::{
    NewModel, RowOptions, RunOptions, hypothesis, needs_files, no_rows, standardize_needs_files,
    stream_twice,
};
use crate::parallel::side_by_side;
use crate::positive::check_positive;
use crate::remarks;
use crate::rows::HeldRows;
use crate::{Error, StoppedWhile};

/// Learners that keep a number for each pair of features join the default list up to this width.
const PAIRS_UP_TO: u32 = 1024;

/// Learners that look at all rows so far join it up to as many rows.
const LOOKING_BACK_UP_TO: usize = 10_000;

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

impl Compare {
    /// Runs all learners.
    pub fn run(&self, context: Context<'_>) -> Result<Comparison, Error> {
        let log = RemarkLog::default();
        let mut compared = self.run_in(context.logging(&log))?;
        compared.remarks = log.finish();
        Ok(compared)
    }

    fn run_in(&self, context: Context<'_>) -> Result<Comparison, Error> {
        let preparation = self.run.preparation();
        let bias = self.run.shared_bias(self.specs.iter());
        let mut reading = self.rows.reading(bias, context);
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
        let limit = self.rows.memory;
        let unlabelled = Unlabelled::of(self.run.task.as_ref());
        let held = data.load(&reading, limit, unlabelled, context)?;
        if held.is_empty() {
            return Err(no_rows());
        }
        let task = match &self.run.task {
            Some(task) => task.clone(),
            None => data.task(&held, true, &reading)?,
        };
        let lenient = self.rows.lenient;
        check_positive(self.run.task.as_ref(), &held, lenient, context)?;
        let known = Known::by_learners_of(&held, &task, lenient);
        let test = self.test.as_ref();
        let test = test.map(|test| test.load_known(&reading, limit, &known, context));
        let test = test.transpose()?;
        if self.run.standardize && is_stream {
            return Err(standardize_needs_files());
        }
        let preparation = self.run.fitted(&preparation, &held, limit)?;
        let specs = if self.specs.is_empty() {
            fitting(&held, context)?
        } else {
            self.specs.clone()
        };
        let profile = self.run.profile(&held, task.clone());
        for remark in profile.remarks(self.run.arrangement(), &held.schema) {
            context.remark(remark);
        }
        let width = (!is_stream).then(|| held.width());
        let path = self.certify.as_ref().and_then(|c| c.comparator.as_deref());
        let field = Field {
            compare: self,
            comparator: path.map(|path| Comparator::load(path, limit)).transpose()?,
            specs,
            preparation,
            task,
            width: self.run.features.or(width),
            is_stream,
            held,
            test,
            context,
        };
        let mut runs = field.run_all()?;
        for run in &mut runs {
            run.baseline = Some(profile.baseline());
            let remarks = remarks::of_run(run, field.comparator.is_some());
            run.remarks = remarks.into_iter().map(Noted::from).collect();
        }
        let data = runs.first().map(|run| run.data).unwrap_or_default();
        Ok(Comparison {
            data,
            runs,
            remarks: Vec::new(),
        })
    }
}

fn leave_out(learner: &str, why: LeftOut, context: Context<'_>) {
    let learner = learner.to_owned();
    context.notice(Notice::LeavingOut { learner, why });
}

/// The catalogue, less what cannot run on these rows.
fn fitting(held: &HeldRows, context: Context<'_>) -> Result<Vec<Spec>, Error> {
    let mut specs = Vec::new();
    for entry in CATALOG {
        if entry.pairs && held.width() > PAIRS_UP_TO {
            leave_out(entry.name, LeftOut::Pairs, context);
        } else if entry.can.looks_back && held.len() > LOOKING_BACK_UP_TO {
            leave_out(entry.name, LeftOut::LooksBack, context);
        } else {
            specs.push(Spec::parse(entry.name)?);
        }
    }
    Ok(specs)
}

/// Everything the runs share.
struct Field<'a> {
    compare: &'a Compare,
    /// What all runs are compared with, if it was named.
    comparator: Option<Comparator>,
    specs: Vec<Spec>,
    preparation: Preparation,
    task: Task,
    width: Option<u32>,
    is_stream: bool,
    held: HeldRows,
    test: Option<HeldRows>,
    context: Context<'a>,
}

impl Field<'_> {
    fn run_one(&self, spec: &Spec, threads: usize) -> Result<RunReport, Error> {
        let (run, memory) = (&self.compare.run, self.compare.rows.memory);
        let fresh = || {
            if self.context.interrupt.is_requested() {
                return Err(Error::Stopped(StoppedWhile::Orders));
            }
            let preparation = run.for_learner(&self.preparation, spec);
            run.new_model(NewModel {
                spec,
                task: self.task.clone(),
                preparation,
                zero_based: self.compare.rows.read.zero_based,
                width: self.width,
                memory,
                threads,
                side_by_side: self.specs.len(),
            })
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
        Orders {
            run,
            held: &self.held,
            test: self.test.as_ref(),
            by: hypothesis(run.by, model.learner().hypotheses(), spec.name())?,
            certifier: certifier.as_ref(),
            charts: self.compare.charts,
            context,
        }
        .run(fresh)
    }

    /// All runs, on as many threads as there are; reports come in the order given.
    fn run_all(&self) -> Result<Vec<RunReport>, Error> {
        let (count, threads) = (self.specs.len(), self.compare.rows.threads);
        let each = (threads / count.max(1)).max(1);
        self.context.begin(Phase::Learners, Some(count as u64));
        let at = |done| self.context.at(done);
        let job = |k: usize| self.run_one(&self.specs[k], each);
        let results = side_by_side(count, threads, at, |_| false, job);
        self.context.end();
        let mut reports = Vec::new();
        for (result, spec) in results.into_iter().zip(&self.specs) {
            match result {
                Some(Ok(report)) => reports.push(report),
                Some(Err(error)) if self.compare.specs.is_empty() && error.is_unfit() => {
                    leave_out(spec.name(), LeftOut::Unfit(error), self.context);
                }
                Some(Err(error)) => return Err(error),
                None => {
                    let name = spec.name();
                    return Err(Error::plain(format!("{name}: the run ended unexpectedly")));
                }
            }
        }
        Ok(reports)
    }
}
