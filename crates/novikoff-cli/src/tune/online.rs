//! Learners of a grid, by progressive validation or on folds.

use std::time::Instant;

use novikoff::classes::Task;
use novikoff::learner::Hypothesis;
use novikoff::model::{Model, Preparation};
use novikoff::run::{Ledger, Orders, Stopped};
use novikoff::spec::Spec;

use super::folds::{Part, deal, side_by_side};
use crate::args::{RunArgs, TuneArgs};
use crate::error::Failure;
use crate::input::{Data, Held, Reading};
use crate::job;
use crate::progress::Progress;
use crate::session::{Nobody, first_id, over_orders, stretch, survey};

/// A learner to be tried, with its kernel.
pub(super) struct Candidate {
    pub(super) spec: Spec,
    pub(super) run: RunArgs,
}

/// The grid and the rows.
pub(super) struct Field<'f> {
    pub(super) args: &'f TuneArgs,
    pub(super) candidates: &'f [Candidate],
    pub(super) data: &'f Data,
    pub(super) reading: &'f Reading,
    pub(super) held: &'f Held,
    pub(super) task: Task,
    pub(super) preparation: Preparation,
    pub(super) memory: u128,
}

impl Field<'_> {
    fn fresh(&self, candidate: &Candidate, threads: usize) -> Result<Model, Failure> {
        let Candidate { spec, run } = candidate;
        let known = (!self.data.is_stream()).then(|| self.held.width());
        let width = run.features.or(known);
        let preparation = run.for_learner(&self.preparation, spec);
        let (spec, kernel) = (spec.clone(), run.kernel_for(spec)?);
        let task = self.task.clone();
        let mut model = Model::with_kernel(spec, kernel, task, preparation, width, self.memory)?;
        model.zero_based = self.reading.options.zero_based;
        model.threads = threads;
        let remembered = run.remembered(run.epochs());
        model.learner.remember(remembered / self.reading.threads);
        Ok(model)
    }

    /// For each candidate, how it did on each fold, or in each order.
    pub(super) fn run(&self, progress: &Progress) -> Result<Vec<Vec<Part>>, Failure> {
        let count = self.candidates.len();
        let threads = self.reading.threads;
        let Some(folds) = self.args.folds else {
            let each = (threads / count).max(1);
            progress.begin(Some(count as u64), "candidates");
            let parts = side_by_side(count, threads, progress, |k| {
                self.progressive(&self.candidates[k], each)
            });
            progress.end();
            return parts;
        };
        let fold = deal(self.held, folds, self.args.seed, true);
        let jobs = count * folds as usize;
        let each = (threads / jobs).max(1);
        progress.begin(Some(jobs as u64), "candidates and folds");
        let parts = side_by_side(jobs, threads, progress, |k| {
            let candidate = &self.candidates[k / folds as usize];
            self.on_fold(candidate, (k % folds as usize) as u32, &fold, each)
        });
        progress.end();
        let parts = parts?;
        Ok(parts.chunks(folds as usize).map(<[Part]>::to_vec).collect())
    }

    /// Mistakes of one pass, in one order or several.
    fn progressive(&self, candidate: &Candidate, threads: usize) -> Result<Vec<Part>, Failure> {
        let quiet = Progress::new(true);
        let fresh = || self.fresh(candidate, threads);
        let report = over_orders(
            &candidate.run,
            self.held,
            None,
            None,
            (None, false),
            &quiet,
            fresh,
        )?;
        let (rows, seconds) = (report.data.rows, report.seconds);
        let part = |mistakes: u64, runs: usize| Part {
            rows,
            lost: mistakes as f64,
            seconds: seconds / runs as f64,
        };
        Ok(match &report.permutations {
            None => vec![part(report.total().mistakes, 1)],
            Some(orders) => {
                let runs = orders.runs.iter();
                runs.map(|(_, counts, _)| part(counts.mistakes, orders.runs.len()))
                    .collect()
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
    ) -> Result<Part, Failure> {
        let begun = Instant::now();
        let mut model = self.fresh(candidate, threads)?;
        let by = self.predictor(&model)?;
        let (rest, inside): (Vec<usize>, Vec<usize>) =
            (0..fold.len()).partition(|&row| fold[row] != number);
        self.learn(&mut model, &rest, &candidate.run)?;
        let mut wrong = 0;
        let rows = inside.iter().map(|&row| {
            let (block, place) = self.held.at(row);
            block.row(place)
        });
        model.scores_of(rows, by, |k, scores| {
            let (block, place) = self.held.at(inside[k]);
            wrong += u64::from(model.is_wrong(scores, block.labels(place)));
        });
        Ok(Part {
            rows: inside.len() as u64,
            lost: wrong as f64,
            seconds: begun.elapsed().as_secs_f64(),
        })
    }

    fn predictor(&self, model: &Model) -> Result<Option<Hypothesis>, Failure> {
        let name = model.spec.name();
        job::hypothesis(self.args.run.by, model.learner.hypotheses(), name)
    }

    /// Epochs over some of the rows.
    fn learn(&self, model: &mut Model, rows: &[usize], run: &RunArgs) -> Result<(), Failure> {
        let failure = |stopped: Stopped| self.held.failure(&stopped);
        survey(model, self.held, rows.iter().copied())?;
        let mut ledger = Ledger::begin(model);
        model.first_id = first_id(run.epochs(), 0);
        let mut orders = Orders::new(rows.len(), run.shuffle);
        for epoch in 0..run.epochs() {
            let order = orders.next_epoch().iter();
            let order: Vec<usize> = order.map(|&place| rows[place]).collect();
            stretch(model, self.held, &order, epoch, &mut Nobody).map_err(failure)?;
            ledger.end_epoch(model);
        }
        Ok(())
    }

    /// The candidate after all rows, as `train` leaves it.
    pub(super) fn trained(&self, candidate: &Candidate) -> Result<Model, Failure> {
        let mut model = self.fresh(candidate, self.reading.threads)?;
        let all: Vec<usize> = (0..self.held.len()).collect();
        self.learn(&mut model, &all, &candidate.run)?;
        model.names = self.held.names.clone();
        model.table.clone_from(&self.held.table);
        model.width = model.width.max(self.held.width());
        Ok(model)
    }
}
