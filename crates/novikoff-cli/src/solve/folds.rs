//! `novikoff tune` for the solver: a grid of problems on folds of the same rows.
//!
//! A row outside of a fold's problem has weight 0, so that all folds share the rows and, in the space of a kernel,
//! one Gram matrix. The other weights are scaled by n/m, m the rows inside, which makes lambda that of a problem of
//! m rows. The lambdas of a fold are solved from the largest to the smallest, each beginning where the last ended.

use std::path::Path;
use std::time::Instant;

use novikoff::classes::{Classes, Task};
use novikoff::dual::loss::AnyLoss;
use novikoff::dual::named::AnyRegulariser;
use novikoff::dual::{
    Aim, Gram, Problem, Settings, Solution, Stop, solve_by_name, solve_in_kernel, solved,
};
use novikoff::kernel::Kernel;
use novikoff::model::{Model, Preparation, Totals};
use novikoff::parameter::Parameters;
use novikoff::spec::Spec;
use novikoff_report::DataSummary;

use super::check::{self, Job};
use super::rows::{self, Labelled, Prepared};
use crate::args::SolveArgs;
use crate::error::Failure;
use crate::input::Held;
use crate::interrupt::Interrupt;
use crate::job;
use crate::labelled::Bare;
use crate::progress::Progress;
use crate::tune::folds::{Part, deal, side_by_side};

/// Problems that differ in loss, regulariser and kernel, each for all lambdas, and their rows.
pub(crate) struct Grid<'g> {
    jobs: Vec<Job<'g>>,
    held: Held,
    labelled: Labelled,
    preparation: Preparation,
}

/// What all solutions of one kernel share.
struct Shared<'s> {
    lambdas: &'s [f64],
    settings: Settings,
    problem: &'s Problem<'s>,
    labelled: &'s Labelled,
    gram: Option<&'s Gram<'s>>,
    kernel: Kernel,
    preparation: &'s Preparation,
    held: &'s Held,
    memory: u128,
    interrupt: Interrupt,
}

impl<'g> Grid<'g> {
    /// Checks the words, which are alike but for loss, regulariser and kernel, and reads the rows.
    pub(crate) fn new(args: &'g [SolveArgs]) -> Result<Self, Failure> {
        let jobs: Vec<Job<'g>> = args.iter().map(check::check).collect::<Result<_, _>>()?;
        let Some(job) = jobs.first() else {
            return Err("the grid is empty".into());
        };
        let bare = Bare::of(job.task.as_ref());
        let held = job
            .data
            .load(&job.reading, job.memory, bare, &job.progress)?;
        if held.is_empty() {
            return Err(job::no_rows());
        }
        let task = match &job.task {
            Some(task) => task.clone(),
            None => job.data.task(&held, true, &job.reading)?,
        };
        let labelled = Labelled::new(job, &held, task)?;
        let preparation = job.run.fitted(&job.preparation, &held, job.memory)?;
        Ok(Grid {
            jobs,
            held,
            labelled,
            preparation,
        })
    }

    pub(crate) fn summary(&self) -> DataSummary {
        DataSummary {
            rows: self.held.len() as u64,
            features: self.held.width(),
            classes: self.labelled.classes.count(),
        }
    }

    /// Whether the problems are of numbers.
    pub(crate) fn is_regression(&self) -> bool {
        matches!(self.labelled.classes.task(), Task::Regression)
    }

    /// For each problem, for each lambda, how its solutions did on each fold.
    pub(crate) fn run(
        &self,
        folds: u32,
        seed: u64,
        progress: &Progress,
    ) -> Result<Vec<Vec<Vec<Part>>>, Failure> {
        let fold = deal(&self.held, folds, seed, !self.is_regression());
        let mut results: Vec<Option<Vec<Vec<Part>>>> = vec![None; self.jobs.len()];
        let total = self.jobs.len() * folds as usize;
        progress.begin(Some(total as u64), "problems and folds");
        for kernel in self.kernels() {
            let of_kernel = |k: &usize| self.jobs[*k].kernel == kernel;
            let numbers: Vec<usize> = (0..self.jobs.len()).filter(of_kernel).collect();
            let parts = self.of_kernel(kernel, &numbers, &fold, folds, progress)?;
            for (&number, parts) in numbers.iter().zip(parts) {
                results[number] = Some(parts);
            }
        }
        progress.end();
        Ok(results.into_iter().flatten().collect())
    }

    fn kernels(&self) -> Vec<Kernel> {
        let mut kernels: Vec<Kernel> = Vec::new();
        for job in &self.jobs {
            if !kernels.contains(&job.kernel) {
                kernels.push(job.kernel);
            }
        }
        kernels
    }

    /// All problems of one kernel: by problem, lambda and fold.
    fn of_kernel(
        &self,
        kernel: Kernel,
        numbers: &[usize],
        fold: &[u32],
        folds: u32,
        progress: &Progress,
    ) -> Result<Vec<Vec<Vec<Part>>>, Failure> {
        let first = &self.jobs[numbers[0]];
        let threads = first.settings.threads;
        let prepared = Prepared::new(&self.held, &self.preparation, first.memory)?;
        let problem = prepared.problem(self.labelled.aims(0));
        let gram = (kernel != Kernel::LINEAR)
            .then(|| Gram::new(&problem, kernel, first.memory / 2, threads));
        let mut problems: Vec<(AnyLoss, AnyRegulariser)> = Vec::new();
        for &number in numbers {
            let job = &self.jobs[number];
            job.check_rows(&problem, &self.held)?;
            problems.push((job.loss.loss(), job.regulariser(self.held.width())?));
        }
        let shared = Shared {
            lambdas: &first.args.lambda,
            settings: Settings {
                threads: 1,
                ..first.settings
            },
            problem: &problem,
            labelled: &self.labelled,
            gram: gram.as_ref(),
            kernel,
            preparation: &self.preparation,
            held: &self.held,
            memory: first.memory,
            interrupt: first.interrupt,
        };
        let count = numbers.len() * folds as usize;
        let done = side_by_side(count, threads, progress, |k| {
            let (loss, by) = &problems[k / folds as usize];
            shared.on_fold(*loss, by, (k % folds as usize) as u32, fold)
        })?;
        let by_lambda = |of_folds: &[Vec<Part>]| {
            let lambdas = 0..shared.lambdas.len();
            lambdas
                .map(|l| of_folds.iter().map(|parts| parts[l]).collect())
                .collect()
        };
        Ok(done.chunks(folds as usize).map(by_lambda).collect())
    }

    /// Solves one problem for all rows and saves the model.
    pub(crate) fn save(&self, number: usize, lambda: f64, path: &Path) -> Result<(), Failure> {
        let job = &self.jobs[number];
        let prepared = Prepared::new(&self.held, &self.preparation, job.memory)?;
        let problem = prepared.problem(self.labelled.aims(0));
        let gram = (job.kernel != Kernel::LINEAR)
            .then(|| Gram::new(&problem, job.kernel, job.memory / 2, job.settings.threads));
        let by = job.regulariser(self.held.width())?;
        let solver = super::Solver {
            loss: job.loss.loss(),
            by: &by,
            lambdas: &[lambda],
            settings: job.settings,
            problem: &problem,
            labelled: &self.labelled,
            gram: gram.as_ref(),
            interrupt: job.interrupt,
        };
        let (_, paths) = solver.all(&Progress::new(true))?;
        let solutions: Vec<&Solution> = paths.iter().map(|path| &path[0]).collect();
        let mut model = job.model(&solutions, &self.labelled, &prepared, lambda)?;
        model.preparation = self.preparation.clone();
        (model.width, model.zero_based) = (self.held.width(), job.args.rows.zero_based);
        model.names = self.held.names.clone();
        model.table.clone_from(&self.held.table);
        model.totals = Totals {
            trials: self.held.len() as u64,
            ..Totals::default()
        };
        novikoff_data::model::save(&model, path)?;
        Ok(())
    }
}

impl Shared<'_> {
    /// For each lambda, how the solution without a fold does on the fold.
    fn on_fold(
        &self,
        loss: AnyLoss,
        by: &AnyRegulariser,
        number: u32,
        fold: &[u32],
    ) -> Result<Vec<Part>, Failure> {
        let begun = Instant::now();
        let classes = &self.labelled.classes;
        let mut paths = Vec::new();
        for class in 0..self.labelled.problems() {
            paths.push(self.path(loss, by, self.aims(class, number, fold))?);
        }
        let inside: Vec<usize> = (0..fold.len()).filter(|&row| fold[row] == number).collect();
        let solving = begun.elapsed().as_secs_f64() / self.lambdas.len() as f64;
        let mut parts = Vec::new();
        for l in 0..self.lambdas.len() {
            let begun = Instant::now();
            let solutions: Vec<&Solution> = paths.iter().map(|path| &path[l]).collect();
            let model = self.model(&solutions, classes)?;
            parts.push(Part {
                rows: inside.len() as u64,
                lost: self.lost(&model, &inside)?,
                seconds: solving + begun.elapsed().as_secs_f64(),
            });
        }
        Ok(parts)
    }

    /// What the rows outside of a fold aim at.
    fn aims(&self, class: usize, number: u32, fold: &[u32]) -> Vec<Aim> {
        let mut aims = self.labelled.aims(class);
        let outside = fold.iter().filter(|f| **f != number).count();
        let scale = fold.len() as f64 / outside.max(1) as f64;
        for (aim, &f) in aims.iter_mut().zip(fold) {
            aim.weight *= if f == number { 0.0 } else { scale };
        }
        aims
    }

    fn path(
        &self,
        loss: AnyLoss,
        by: &AnyRegulariser,
        aims: Vec<Aim>,
    ) -> Result<Vec<Solution>, Failure> {
        let problem = self.problem.with_aims(aims);
        let mut order: Vec<usize> = (0..self.lambdas.len()).collect();
        order.sort_by(|&a, &b| self.lambdas[b].total_cmp(&self.lambdas[a]));
        let mut solutions: Vec<(usize, Solution)> = Vec::new();
        for l in order {
            let mut watch = |_: &_| !self.interrupt.came();
            let start = solutions.last().map(|(_, last)| last.dual.as_slice());
            let (lambda, settings) = (self.lambdas[l], &self.settings);
            let solution = if let Some(gram) = self.gram {
                solve_in_kernel(&problem, gram, loss, lambda, start, settings, &mut watch)
            } else {
                let by = by.clone();
                solve_by_name(&problem, loss, by, lambda, start, settings, &mut watch)
            };
            if solution.stop == Stop::Asked {
                let stopped = "stopped while solving; nothing is saved";
                return Err(Failure::Interrupted(stopped.to_owned()));
            }
            solutions.push((l, solution));
        }
        solutions.sort_by_key(|(l, _)| *l);
        Ok(solutions
            .into_iter()
            .map(|(_, solution)| solution)
            .collect())
    }

    fn model(&self, solutions: &[&Solution], classes: &Classes) -> Result<Model, Failure> {
        let background = (!classes.is_binary()).then_some(None);
        let lanes: Vec<Option<&Solution>> = background
            .into_iter()
            .chain(solutions.iter().map(|s| Some(*s)))
            .collect();
        let learner = match self.gram {
            None => solved::learner(&lanes, self.memory),
            Some(_) => solved::kernel_learner(&lanes, self.problem, self.kernel, self.memory),
        };
        let learner = learner.map_err(|error| error.to_string())?;
        let (spec, preparation) = (Spec::solved(), self.preparation.clone());
        let parameters = Parameters::default();
        let mut model = Model::restore(spec, parameters, preparation, learner, classes.clone());
        model.kernel = self.kernel;
        Ok(model)
    }

    /// Wrong rows of a fold, or the sum of their squared errors.
    fn lost(&self, model: &Model, inside: &[usize]) -> Result<f64, Failure> {
        let numbers = matches!(model.classes.task(), Task::Regression);
        let mut truth = Vec::new();
        for &row in inside.iter().filter(|_| numbers) {
            let (block, place) = self.held.at(row);
            truth.push(rows::number(block, place)?);
        }
        let rows = inside.iter().map(|&row| {
            let (block, place) = self.held.at(row);
            block.row(place)
        });
        let mut lost = 0.0;
        model.scores_of(rows, None, |k, scores| {
            if numbers {
                lost += (scores[0] - truth[k]) * (scores[0] - truth[k]);
            } else {
                let (block, place) = self.held.at(inside[k]);
                lost += f64::from(u8::from(model.is_wrong(scores, block.labels(place))));
            }
        });
        Ok(lost)
    }
}
