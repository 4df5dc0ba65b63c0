//! Learners of a grid, by progressive validation or on folds.

use std::sync::Arc;
use std::time::Instant;

use novikoff::class_weights::ClassWeights;
use novikoff::classes::{Classes, Task};
use novikoff::learner::Hypothesis;
use novikoff::model::Model;
use novikoff::preparation::Preparation;
use novikoff::remark::{Errors, Remark};
use novikoff::run::{self, Ledger, Stopped};
use novikoff_report::{BaselineReport, ConstantAnswer, DataSummary, ErrorCount, TriedReport};

use super::folds::{FoldScore, all_parts, deal};
use super::judge::judge;
use super::{
    Candidate, TuneLearners, Tuned, best, check_folds, map_word, numbers, of_folds, remark_on,
    tried,
};
use crate::data::{Data, Reading};
use crate::events::{Context, LeftOut, Notice, Phase, ROWS_A_REPORT, RemarkLog};
use crate::familiar::far_from_mean;
use crate::files::{check_writable, read_as_data};
use crate::first_rows::FirstRows;
use crate::fit::{OrderedRuns, first_id, stretch, survey};
use crate::labels::{Unlabelled, class};
use crate::options::{
    NewModel, RunOptions, check_map, check_tie, hypothesis, hypothesis_of, no_rows,
    standardize_needs_files, unseeing_learner,
};
use crate::positive::check_positive;
use crate::profile::Profile;
use crate::rows::HeldRows;
use crate::testing::most_frequent_of;
use crate::worth;
use crate::{Error, Setting, StoppedWhile};

impl TuneLearners {
    /// Tries all candidates.
    pub fn run(&self, context: Context<'_>) -> Result<Tuned, Error> {
        let log = RemarkLog::default();
        let (places, offered) = self.offered(context)?;
        let mut tuned = offered.run_in(context.logging(&log))?;
        tuned.remarks = log.finish();
        for number in &mut tuned.numbers {
            *number = places[*number];
        }
        Ok(tuned)
    }

    /// The candidates that offer the predictor that was asked for, and their places among all. An error if none does.
    fn offered(&self, context: Context<'_>) -> Result<(Vec<usize>, Self), Error> {
        let mut left_out = Vec::new();
        let mut places = Vec::new();
        for (place, candidate) in self.candidates.iter().enumerate() {
            let spec = &candidate.spec;
            let kernel = self.options(candidate).kernel_for(spec);
            match hypothesis_of(self.run.by, spec, kernel) {
                Err(error @ Error::NotOffered { .. }) => left_out.push((spec.text(), error)),
                _ => places.push(place),
            }
        }
        if places.is_empty()
            && let Some((_, error)) = left_out.pop()
        {
            return Err(error);
        }
        for (spec, error) in left_out {
            context.notice(Notice::LeavingOut {
                learner: spec.to_owned(),
                why: LeftOut::Unfit(Arc::new(error)),
            });
        }
        let mut offered = self.clone();
        offered.candidates = places
            .iter()
            .map(|&place| self.candidates[place].clone())
            .collect();
        Ok((places, offered))
    }

    fn run_in(&self, context: Context<'_>) -> Result<Tuned, Error> {
        if let Some(path) = &self.output {
            check_writable(path)?;
            if self.data.reads(path) {
                return Err(read_as_data(path));
            }
        }
        if self.candidates.is_empty() {
            return Err(Error::plain("the grid is empty"));
        }
        self.check_candidates()?;
        let weights = &self.run.class_weight;
        let preparation = self.run.preparation();
        let specs = self.candidates.iter().map(|one| &one.spec);
        let bias = self.run.shared_bias(specs);
        let mut reading = self.rows.reading(bias, context);
        reading.options.centred = self.run.standardize;
        let data = if self.run.cache {
            let fresh = reading.schema.names.clone();
            self.data.clone().cached(&mut reading, fresh, context)?
        } else {
            self.data.clone()
        };
        data.measure(&mut reading)?;
        if self.run.standardize && data.is_stream() {
            return Err(standardize_needs_files());
        }
        let memory = self.rows.memory;
        let unlabelled = Unlabelled::of(self.run.task.as_ref());
        let held = data.load(&reading, memory, unlabelled, context)?;
        if held.is_empty() {
            return Err(no_rows());
        }
        check_folds(self.folds.unwrap_or(1), held.len())?;
        let task = match &self.run.task {
            Some(task) => task.clone(),
            None => data.task(&held, true, &reading)?,
        };
        check_positive(self.run.task.as_ref(), &held, self.rows.lenient, context)?;
        let lenient = self.rows.lenient;
        weights.check_rows(&held, lenient, context)?;
        let mut profile = self.run.profile(&held, task.clone())?;
        profile.check_labels(true, || held.label_column(), lenient, context)?;
        let preparation = self.run.fitted(&preparation, &held, memory)?;
        let mut schema = (*held.schema).clone();
        schema.preparation = preparation.clone();
        for remark in far_from_mean(&held.facts, &schema) {
            context.remark(&remark);
        }
        for remark in profile.remarks(self.run.arrangement(), &held.schema, Some(&held.sample())) {
            context.remark(&remark);
        }
        let field = GridSearch {
            tune: self,
            data,
            reading,
            class_weights: weights.resolve(&task, || Ok(held.label_counts()))?,
            held,
            task,
            preparation,
            profile,
            context,
        };
        self.judged(&field)
    }

    /// The candidates on the rows that were read, and the best of them.
    fn judged(&self, field: &GridSearch<'_>) -> Result<Tuned, Error> {
        let context = field.context;
        let results = field.parts()?;
        let candidates: Vec<(&Candidate, &Vec<FoldScore>)> = self
            .candidates
            .iter()
            .zip(&results)
            .filter_map(|(candidate, parts)| Some((candidate, parts.as_ref()?)))
            .collect();
        let stopped = results.len() - candidates.len();
        if candidates.is_empty() {
            return Err(Error::Stopped(StoppedWhile::Tuning));
        }
        let tried: Vec<_> = candidates
            .iter()
            .map(|&(candidate, parts)| {
                let kernel = self.options(candidate).kernel_for(&candidate.spec);
                let mut words = vec![
                    ("spec", candidate.spec.text().to_owned()),
                    ("kernel", kernel.to_string()),
                ];
                if self.candidates.iter().any(|one| one.map.is_some()) {
                    words.push(("map", map_word(candidate.map)));
                }
                tried(words, parts)
            })
            .collect();
        let best = best(&tried, self.by.measure());
        let profile = &field.profile;
        let paired = match candidates[best].1.as_slice() {
            [one] => one.paired,
            _ => None,
        };
        let baseline = match self.folds {
            // rows come in no order
            Some(_) => most_frequent_of(&field.held, profile.classes().clone()),
            None => BaselineReport {
                paired,
                ..profile.baseline()
            },
        };
        if let Some(remark) = self.of_order(&tried[best], &baseline, field) {
            context.remark(&remark);
        }
        let advice = profile.advice(self.run.standardize, true, &field.held.schema);
        let advice = advice.weighted(!self.run.class_weight.is_off());
        let advice = advice.on(worth::share(&baseline), field.summary().classes == 2);
        let constant = self.by.of_constant(profile.classes(), &field.held);
        remark_on(
            &tried,
            best,
            self.by.measure(),
            Some((&baseline, advice)),
            constant,
            &field.held,
            context,
        );
        // a grid that was stopped has no model to look at
        let fresh = field.fresh(candidates[best].0, 1).ok();
        if let Some(remark) = fresh.and_then(|model| profile.kernel_remark(&model)) {
            context.remark(&remark);
        }
        if let (Some(path), 0) = (&self.output, stopped) {
            let mut model = field.trained(candidates[best].0)?;
            let sizes = profile.sizes(model.schema());
            if sizes.rows() > 0 {
                model.set_sizes(sizes);
            }
            novikoff_data::model::save(&model, path)?;
            context.notice(Notice::BestSaved { path: path.clone() });
        }
        Ok(Tuned {
            data: field.summary(),
            measure: self.by.measure(),
            numbers: numbers(&results),
            tried,
            best,
            stopped,
            baseline: Some(ConstantAnswer::Label(baseline)),
            constant,
            remarks: Vec::new(),
        })
    }

    /// A remark on rows whose neighbours have the same label: folds at random have them on both sides, and one pass learns one just before another.
    fn of_order(
        &self,
        best: &TriedReport,
        baseline: &BaselineReport,
        GridSearch { profile, held, .. }: &GridSearch<'_>,
    ) -> Option<Remark> {
        if self.folds.is_some() {
            return of_folds(held, best, self.by.measure());
        }
        let following = profile.following(self.run.arrangement(), &held.schema);
        let [(rows, lost)] = best.parts[..] else {
            return None;
        };
        let errors = Errors {
            errors: lost.round() as u64,
            rows,
        };
        let is_worthless = errors.is_no_better_than(baseline.errors, baseline.paired);
        worth::row_before(errors, following).filter(|_| !is_worthless)
    }

    /// Learners that do not go with the kernel, the predictor, the weights or the measure are refused before anything is read.
    fn check_candidates(&self) -> Result<(), Error> {
        for candidate in &self.candidates {
            let (spec, options) = (&candidate.spec, self.options(candidate));
            check_map(options.map, options.kernel_for(spec))?;
            let kernel = options.kernel_for(spec);
            unseeing_learner(spec, &spec.parameters(Some(2))?, kernel)?;
            hypothesis_of(self.run.by, spec, kernel)?;
            self.run.class_weight.check_learner(spec)?;
            check_tie(&self.run, spec, Some(Setting::Tie))?;
            let has = spec.entry().can.probabilities;
            self.by.check_probabilities(has, spec.name())?;
        }
        self.by.check_folds(self.folds)?;
        let task = self.run.task.as_ref();
        self.run.class_weight.check(&self.data, task)
    }

    /// How a candidate runs.
    fn options(&self, candidate: &Candidate) -> RunOptions {
        RunOptions {
            kernel: candidate.kernel,
            map: candidate.map,
            ..self.run.clone()
        }
    }
}

/// The grid and the rows.
struct GridSearch<'f> {
    tune: &'f TuneLearners,
    data: Data,
    reading: Reading,
    held: HeldRows,
    task: Task,
    class_weights: Option<ClassWeights>,
    preparation: Preparation,
    profile: Profile,
    context: Context<'f>,
}

impl GridSearch<'_> {
    fn summary(&self) -> DataSummary {
        let mut classes = Classes::new(self.task.clone());
        if !classes.is_binary() {
            for label in self.held.labels().flatten() {
                class(&mut classes, label);
            }
        }
        DataSummary {
            rows: self.held.len() as u64,
            features: self.held.width(),
            classes: classes.count(),
        }
    }

    fn fresh(&self, candidate: &Candidate, threads: usize) -> Result<Model, Error> {
        if self.context.interrupt.is_requested() {
            return Err(Error::Stopped(StoppedWhile::Orders));
        }
        let run = self.tune.options(candidate);
        let known = (!self.data.is_stream()).then(|| self.held.width());
        let width = run.features.or(known);
        let preparation = run.for_learner(&self.preparation, &candidate.spec);
        run.new_model(NewModel {
            spec: &candidate.spec,
            first: FirstRows::of(&self.held).view(),
            task: self.task.clone(),
            preparation,
            zero_based: self.reading.schema.zero_based,
            width,
            class_weights: self.class_weights.clone(),
            memory: self.tune.rows.memory,
            threads,
            side_by_side: self.reading.threads,
        })
    }

    /// For each candidate that was done, how it did on each fold, or in each order.
    fn parts(&self) -> Result<Vec<Option<Vec<FoldScore>>>, Error> {
        let context = self.context;
        let count = self.tune.candidates.len();
        let threads = self.reading.threads;
        let Some(folds) = self.tune.folds else {
            let each = (threads / count).max(1);
            context.begin(Phase::Candidates, Some(count as u64));
            let parts = all_parts(count, threads, context, |k| {
                self.progressive(&self.tune.candidates[k], each)
            });
            context.end();
            return parts;
        };
        let fold = deal(&self.held, folds, self.tune.seed, true);
        let jobs = count * folds as usize;
        let each = (threads / jobs).max(1);
        context.begin(Phase::CandidatesAndFolds, Some(jobs as u64));
        let parts = all_parts(jobs, threads, context, |k| {
            let candidate = &self.tune.candidates[k / folds as usize];
            self.on_fold(candidate, (k % folds as usize) as u32, &fold, each)
        });
        context.end();
        let parts = parts?;
        let of_candidates = parts.chunks(folds as usize);
        Ok(of_candidates
            .map(|parts| parts.iter().copied().collect())
            .collect())
    }

    /// Validation errors of one pass, in one order or several; mistakes where there is no validation.
    fn progressive(&self, candidate: &Candidate, threads: usize) -> Result<Vec<FoldScore>, Error> {
        let fresh = || self.fresh(candidate, threads);
        let report = OrderedRuns {
            run: &self.tune.run,
            held: &self.held,
            test: None,
            by: self.predictor(&fresh()?)?,
            validates_all: true,
            certifier: None,
            profile: &self.profile,
            charts: false,
            context: self.context.quiet(),
            shown: self.context.quiet(),
        }
        .run(fresh)?;
        let (rows, seconds) = (report.data.rows, report.seconds);
        let paired = report.baseline.as_ref().and_then(|b| b.paired);
        let paired = paired.filter(|_| report.validation.counted().is_some());
        let part = |mistakes: u64, runs: usize| FoldScore {
            paired,
            numbers: None,
            rows,
            lost: mistakes as f64,
            seconds: seconds / runs as f64,
        };
        let validated = |validation: Option<ErrorCount>, mistakes: u64| {
            validation.map_or(mistakes, |counted| counted.errors)
        };
        Ok(match &report.permutations {
            None => {
                let counted = report.validation.counted();
                vec![part(validated(counted, report.total().mistakes), 1)]
            }
            Some(orders) => {
                let runs = orders.runs.iter();
                let errors = runs.map(|run| validated(run.validation, run.total().mistakes));
                errors.map(|lost| part(lost, orders.runs.len())).collect()
            }
        })
    }

    /// Errors on the rows of a fold after learning from the others.
    fn on_fold(
        &self,
        candidate: &Candidate,
        number: u32,
        fold: &[u32],
        threads: usize,
    ) -> Result<FoldScore, Error> {
        let begun = Instant::now();
        let mut model = self.fresh(candidate, threads)?;
        let by = self.predictor(&model)?;
        let (rest, inside): (Vec<usize>, Vec<usize>) =
            (0..fold.len()).partition(|&row| fold[row] != number);
        self.learn(&mut model, &rest)?;
        Ok(FoldScore {
            paired: None,
            numbers: None,
            rows: inside.len() as u64,
            lost: judge(self.tune.by, &model, by, &self.held, &inside)?,
            seconds: begun.elapsed().as_secs_f64(),
        })
    }

    fn predictor(&self, model: &Model) -> Result<Option<Hypothesis>, Error> {
        hypothesis(self.tune.run.by, model)
    }

    /// Epochs over some of the rows.
    fn learn(&self, model: &mut Model, rows: &[usize]) -> Result<(), Error> {
        let run = &self.tune.run;
        let failure = |stopped: Stopped| self.held.failure(&stopped);
        survey(model, &self.held, rows.iter().copied())?;
        let mut ledger = Ledger::begin(model);
        model.number_rows_from(first_id(run.epochs(), 0));
        let mut orders = run::EpochOrders::new(rows.len(), run.shuffle);
        for epoch in 0..run.epochs() {
            let order = orders.next_epoch().iter();
            let order: Vec<usize> = order.map(|&place| rows[place]).collect();
            let length = model.learner().lookahead().max(ROWS_A_REPORT);
            for part in order.chunks(length) {
                if self.context.interrupt.is_requested() {
                    return Err(Error::Stopped(StoppedWhile::Tuning));
                }
                stretch(model, &self.held, part, epoch, &mut ()).map_err(failure)?;
            }
            ledger.end_epoch(model);
        }
        Ok(())
    }

    /// The candidate after all rows, as `train` leaves it.
    fn trained(&self, candidate: &Candidate) -> Result<Model, Error> {
        let mut model = self.fresh(candidate, self.reading.threads)?;
        let all: Vec<usize> = (0..self.held.len()).collect();
        self.learn(&mut model, &all)?;
        model.adopt(Arc::clone(&self.held.schema));
        model.reach(self.held.width());
        Ok(model)
    }
}
