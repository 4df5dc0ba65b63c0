//! Problems of the solver: a grid of problems on folds of the same rows.
//!
//! A row outside of a fold's problem has weight 0, so that all folds share the rows and, in the space of a kernel,
//! one Gram matrix. The other weights are scaled by n/m, m the rows inside, which makes lambda that of a problem of
//! m rows. The lambdas of a fold are solved from the largest to the smallest, each beginning where the last ended.

use std::path::Path;
use std::time::Instant;

use novikoff::classes::Task;
use novikoff::dual::loss::AnyLoss;
use novikoff::dual::named::{AnyRegulariser, NamedLoss};
use novikoff::dual::{
    Aim, Gram, Problem, Settings, Solution, Stop, solve_by_name, solve_in_kernel,
};
use novikoff::kernel::{Kernel, KernelSpec};
use novikoff::map::MapSpec;
use novikoff::model::{Model, RowSample};
use novikoff::parameter::{Parameter, Parameters};
use novikoff::preparation::Preparation;
use novikoff::remark::{Measured, Remark};
use novikoff::schema::Schema;
use novikoff_report::{ConstantAnswer, Measure};

use super::folds::{FoldScore, all_parts, deal};
use super::judge::judge;
use super::{
    TuneBy, TuneSolver, Tuned, best, check_folds, map_word, numbers, of_folds, remark_on, tried,
};
use crate::events::{Context, Notice, Phase, RemarkLog};
use crate::files::{check_writable, read_as_data};
use crate::first_rows::FirstRows;
use crate::kernel_values;
use crate::prepared::Prepared;
use crate::profile::quantities;
use crate::rows::HeldRows;
use crate::solve::rows::Labelled;
use crate::solve::{ReadRows, Solve, SolvedModel};
use crate::testing::most_frequent_of;
use crate::worth;
use crate::worth::numbers::{NumberTally, against_mean, are_quantities, lacking_constant};
use crate::{Error, StoppedWhile};

impl TuneSolver {
    /// Tries all problems.
    pub fn run(&self, context: Context<'_>) -> Result<Tuned, Error> {
        let log = RemarkLog::default();
        let mut tuned = self.run_in(context.logging(&log))?;
        tuned.remarks = log.finish();
        Ok(tuned)
    }

    fn run_in(&self, context: Context<'_>) -> Result<Tuned, Error> {
        let Some(first) = self.problems.first() else {
            return Err(Error::plain("the grid is empty"));
        };
        if let Some(path) = &self.output {
            check_writable(path)?;
            if first.data.reads(path) {
                return Err(read_as_data(path));
            }
        }
        for problem in &self.problems[1..] {
            // what is to be said is said once
            problem.check(context.quiet())?;
        }
        for problem in &self.problems {
            let (name, loss) = (problem.loss.name(), problem.loss.loss());
            self.by.check_labels(name, loss.classifies())?;
            let has = loss.log_odds().is_some();
            self.by.check_probabilities(has, name)?;
        }
        let reading = first.check(context)?;
        let mut read = first.read(&reading, context)?;
        check_folds(self.folds, read.held.len())?;
        let problems = self.problems.iter();
        let resolved = TuneSolver {
            problems: problems.map(|problem| problem.resolved(&read)).collect(),
            ..self.clone()
        };
        resolved.tune(&mut read, context)
    }

    /// Tries all problems on rows that were read. No kernel has a gamma that is `auto`.
    fn tune(&self, read: &mut ReadRows, context: Context<'_>) -> Result<Tuned, Error> {
        let first = &self.problems[0];
        let results = self.parts(read, context)?;
        let mut all = Vec::new();
        let mut of_numbers = Vec::new();
        let mut done = Vec::new();
        let has_map = self.problems.iter().any(|one| one.run.map.is_some());
        for (problem, by_lambda) in self.problems.iter().zip(&results) {
            done.extend(
                problem
                    .lambdas
                    .iter()
                    .map(|_| by_lambda.as_ref().map(|_| ())),
            );
            for (lambda, parts) in problem.lambdas.iter().zip(by_lambda.iter().flatten()) {
                let kernel = kernel_of(problem);
                let mut words = vec![
                    ("loss", problem.loss.text().to_owned()),
                    ("reg", problem.reg.text().to_owned()),
                    ("kernel", kernel.to_string()),
                ];
                if has_map {
                    words.push(("map", map_word(problem.run.map)));
                }
                words.push(("lambda", lambda.to_string()));
                all.push(tried(words, parts));
                let tallies: Option<Vec<NumberTally>> = parts.iter().map(|p| p.numbers).collect();
                let tally = tallies.and_then(|all| all.into_iter().reduce(|a, b| a.and(&b)));
                of_numbers.push(tally.filter(|_| are_quantities(&problem.loss)));
            }
        }
        let classes = &read.labelled.classes;
        let is_regression = matches!(classes.task(), Task::Regression);
        let measure = if is_regression {
            Measure::Squares
        } else {
            self.by.measure()
        };
        if all.is_empty() {
            return Err(Error::Stopped(StoppedWhile::Tuning));
        }
        let stopped = done.len() - all.len();
        let best = best(&all, measure);
        let numbers = numbers(&done);
        let baseline = (!is_regression).then(|| most_frequent_of(&read.held, classes.clone()));
        let advice = first.advice(&read.held);
        let is_binary = classes.is_binary();
        let against = baseline.as_ref().map(|baseline| {
            let advice = advice.on(worth::share(baseline), is_binary);
            (baseline, advice)
        });
        let problem = &self.problems[numbers[best] / first.lambdas.len()];
        let mean = of_numbers[best];
        if let Some(errors) = mean.as_ref().map(NumberTally::errors) {
            let advice = problem.number_advice(&errors, advice);
            let constant = lacking_constant(errors).filter(|_| !problem.free_bias);
            let baseline = against_mean(Measured::Grid, errors, advice);
            for remark in constant.into_iter().chain(baseline) {
                context.remark(&remark);
            }
        }
        let order = if is_regression {
            let labels = read.labelled.numbers();
            labels.and_then(quantities::neighbours).map(Remark::Order)
        } else {
            of_folds(&read.held, &all[best], measure)
        };
        if let Some(order) = order {
            context.remark(&order);
        }
        let constant = self.by.of_constant(classes, &read.held);
        remark_on(&all, best, measure, against, constant, &read.held, context);
        let rows = FirstRows::of(&read.held);
        let kernel = kernel_of(problem);
        let said = kernel_values::remark(kernel, false, &read.preparation, rows.view());
        if let Some(remark) = said {
            context.remark(&remark);
        }
        if let (Some(path), 0) = (&self.output, stopped) {
            let lambda = first.lambdas[best % first.lambdas.len()];
            save_solution(problem, lambda, read, path, context)?;
        }
        Ok(Tuned {
            data: read.summary(),
            measure,
            tried: all,
            numbers,
            best,
            stopped,
            baseline: baseline
                .map(ConstantAnswer::Label)
                .or(mean.map(|mean| ConstantAnswer::Mean(mean.baseline()))),
            constant,
            remarks: Vec::new(),
        })
    }

    /// For each problem that was done, for each lambda, how its solutions did on each fold.
    fn parts(
        &self,
        read: &mut ReadRows,
        context: Context<'_>,
    ) -> Result<Vec<Option<Vec<Vec<FoldScore>>>>, Error> {
        let by_label = !matches!(read.labelled.classes.task(), Task::Regression);
        let fold = deal(&read.held, self.folds, self.seed, by_label);
        let mut results: Vec<Option<Vec<Vec<FoldScore>>>> = vec![None; self.problems.len()];
        let total = self.problems.len() * self.folds as usize;
        context.begin(Phase::ProblemsAndFolds, Some(total as u64));
        let space = |problem: &Solve| (kernel_of(problem), problem.run.map);
        let mut spaces: Vec<(Kernel, Option<MapSpec>)> = Vec::new();
        for problem in &self.problems {
            if !spaces.contains(&space(problem)) {
                spaces.push(space(problem));
            }
        }
        for of in spaces {
            let in_space = |k: &usize| space(&self.problems[*k]) == of;
            let numbers: Vec<usize> = (0..self.problems.len()).filter(in_space).collect();
            self.problems[numbers[0]].put_map(read)?;
            let kernel = of.0;
            let parts = self.of_kernel(kernel, &numbers, read, &fold, context)?;
            for (&number, parts) in numbers.iter().zip(parts) {
                results[number] = parts;
            }
        }
        context.end();
        Ok(results)
    }

    /// All problems of one kernel and map: by problem, lambda and fold.
    fn of_kernel(
        &self,
        kernel: Kernel,
        numbers: &[usize],
        read: &ReadRows,
        fold: &[u32],
        context: Context<'_>,
    ) -> Result<Vec<Option<Vec<Vec<FoldScore>>>>, Error> {
        let (first, folds) = (&self.problems[numbers[0]], self.folds as usize);
        let (settings, memory) = (first.settings(), first.rows.memory);
        let prepared = Prepared::new(&read.held, &read.preparation, memory)?;
        let problem = prepared.problem(read.labelled.aims(0));
        let stop = || context.interrupt.is_requested();
        let gram = (kernel != Kernel::LINEAR)
            .then(|| Gram::new(&problem, kernel, memory / 2, settings.threads).stopped_by(&stop));
        let mut problems: Vec<(&NamedLoss, AnyRegulariser)> = Vec::new();
        for &number in numbers {
            let one = &self.problems[number];
            one.check_rows(&problem, &read.held)?;
            problems.push((&one.loss, one.regulariser(read)?));
        }
        let shared = SharedProblem {
            lambdas: &first.lambdas,
            settings: Settings {
                threads: 1,
                ..settings
            },
            problem: &problem,
            labelled: &read.labelled,
            gram: gram.as_ref(),
            kernel,
            preparation: &read.preparation,
            held: &read.held,
            by: self.by,
            memory,
            context,
        };
        let count = numbers.len() * folds;
        let done = all_parts(count, settings.threads, context, |k| {
            let (loss, by) = &problems[k / folds];
            shared.on_fold(loss, by, (k % folds) as u32, fold)
        })?;
        let by_lambda = |of_folds: &[Option<Vec<FoldScore>>]| {
            let of_folds: Vec<&Vec<FoldScore>> =
                of_folds.iter().map(Option::as_ref).collect::<Option<_>>()?;
            let lambdas = 0..shared.lambdas.len();
            let by_lambda = lambdas.map(|l| of_folds.iter().map(|parts| parts[l]).collect());
            Some(by_lambda.collect())
        };
        Ok(done.chunks(folds).map(by_lambda).collect())
    }
}

/// Solves a problem on all rows, and saves the model.
fn save_solution(
    problem: &Solve,
    lambda: f64,
    read: &mut ReadRows,
    path: &Path,
    context: Context<'_>,
) -> Result<(), Error> {
    problem.put_map(read)?;
    let read = &*read;
    let prepared = Prepared::new(&read.held, &read.preparation, problem.rows.memory)?;
    let (_, paths) = problem.solutions(read, &prepared, &[lambda], context.quiet())?;
    let solutions: Vec<&Solution> = paths.iter().map(|path| &path[0]).collect();
    let model = problem.model(&solutions, read, &prepared, lambda)?;
    novikoff_data::model::save(&model, path)?;
    let path = path.to_owned();
    context.notice(Notice::BestSaved { path });
    Ok(())
}

fn kernel_of(problem: &Solve) -> Kernel {
    problem.run.kernel.map_or(Kernel::LINEAR, KernelSpec::value)
}

/// What all solutions of one kernel share.
struct SharedProblem<'s> {
    lambdas: &'s [f64],
    settings: Settings,
    problem: &'s Problem<'s>,
    labelled: &'s Labelled,
    gram: Option<&'s Gram<'s>>,
    kernel: Kernel,
    preparation: &'s Preparation,
    held: &'s HeldRows,
    by: TuneBy,
    memory: u128,
    context: Context<'s>,
}

impl SharedProblem<'_> {
    /// For each lambda, how the solution without a fold does on the fold.
    fn on_fold(
        &self,
        loss: &NamedLoss,
        by: &AnyRegulariser,
        number: u32,
        fold: &[u32],
    ) -> Result<Vec<FoldScore>, Error> {
        let classes = &self.labelled.classes;
        let mut paths = Vec::new();
        let mut solving = vec![0.0; self.lambdas.len()];
        for class in 0..self.labelled.problems() {
            let aims = self.aims(class, number, fold);
            paths.push(self.path(loss.loss(), by, aims, &mut solving)?);
        }
        let inside: Vec<usize> = (0..fold.len()).filter(|&row| fold[row] == number).collect();
        let mut parts = Vec::new();
        for l in 0..self.lambdas.len() {
            let begun = Instant::now();
            let solutions: Vec<&Solution> = paths.iter().map(|path| &path[l]).collect();
            let memory = self.memory;
            let solved = SolvedModel {
                parameters: Parameters::from_list(vec![(
                    "loss".to_owned(),
                    Parameter::Word(loss.text().to_owned()),
                )]),
                schema: Schema::prepared(self.preparation.clone()),
                classes,
                kernel: self.kernel,
                auto_gamma: false,
                trials: 0,
                learned: RowSample::default(),
            };
            let model = solved.of(&solutions, self.problem, memory)?;
            let numbers = self.numbers(&model, &inside);
            parts.push(FoldScore {
                paired: None,
                rows: inside.len() as u64,
                lost: match &numbers {
                    Some(numbers) => numbers.squared(),
                    None => judge(self.by, &model, None, self.held, &inside)?,
                },
                numbers,
                seconds: solving[l] + begun.elapsed().as_secs_f64(),
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

    /// The solutions of all lambdas; `seconds` has what each took, added up over the classes.
    fn path(
        &self,
        loss: AnyLoss,
        by: &AnyRegulariser,
        aims: Vec<Aim>,
        seconds: &mut [f64],
    ) -> Result<Vec<Solution>, Error> {
        let problem = self.problem.with_aims(aims);
        let mut order: Vec<usize> = (0..self.lambdas.len()).collect();
        order.sort_by(|&a, &b| self.lambdas[b].total_cmp(&self.lambdas[a]));
        let mut solutions: Vec<(usize, Solution)> = Vec::new();
        for l in order {
            let begun = Instant::now();
            let mut watch = |_: &_| !self.context.interrupt.is_requested();
            let start = solutions.last().map(|(_, last)| last.dual.as_slice());
            let (lambda, settings) = (self.lambdas[l], &self.settings);
            let solution = if let Some(gram) = self.gram {
                solve_in_kernel(&problem, gram, loss, lambda, start, settings, &mut watch)
            } else {
                let by = by.clone();
                solve_by_name(&problem, loss, by, lambda, start, settings, &mut watch)
            };
            if solution.stop == Stop::Asked {
                return Err(Error::Stopped(StoppedWhile::Solving));
            }
            seconds[l] += begun.elapsed().as_secs_f64();
            solutions.push((l, solution));
        }
        solutions.sort_by_key(|(l, _)| *l);
        Ok(solutions
            .into_iter()
            .map(|(_, solution)| solution)
            .collect())
    }

    /// The answers of a model to the rows of a fold, if they are numbers.
    fn numbers(&self, model: &Model, inside: &[usize]) -> Option<NumberTally> {
        let labels = self.labelled.numbers()?;
        let rows = inside.iter().map(|&row| {
            let (block, place) = self.held.at(row);
            block.row(place)
        });
        let mut tally = NumberTally::near(labels);
        model.scores_of(rows, None, |k, scores| {
            tally.add(labels[inside[k]], scores[0]);
        });
        Some(tally)
    }
}
