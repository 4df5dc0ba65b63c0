//! `novikoff solve`: all rows at once, to a certified gap.

mod check;
mod class_weight;
pub(crate) mod folds;
pub(crate) mod rows;

use std::io::{Write as _, stdout};
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Instant;

use novikoff::classes::{Classes, Task};
use novikoff::dual::loss::AnyLoss;
use novikoff::dual::{
    Aim, Gram, Problem, Report, Settings, Solution, Stop, named::AnyRegulariser, solve_by_name,
    solve_in_kernel, solved,
};
use novikoff::kernel::Kernel;
use novikoff::model::{Model, Totals};
use novikoff::parameter::{Parameter, Parameters};
use novikoff::spec::Spec;
use novikoff_report::{
    DataSummary, ProblemReport, SolveReport, SolveTest, TestReport, count, solves_json, solves_text,
};

use crate::args::SolveArgs;
use crate::error::Failure;
use crate::input::Held;
use crate::interrupt::Interrupt;
use crate::job;
use crate::labelled::Bare;
use crate::progress::Progress;
use crate::session;
use check::Job;
use rows::{Labelled, Prepared};

pub(crate) fn solve(args: &SolveArgs) -> Result<(), Failure> {
    let job = check::check(args)?;
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
    let labelled = Labelled::new(&job, &held, task)?;
    let preparation = job.run.fitted(&job.preparation, &held, job.memory)?;
    let prepared = Prepared::new(&held, &preparation, job.memory)?;
    let by = job.regulariser(held.width())?;
    let (runs, solutions) = {
        let problem = prepared.problem(labelled.aims(0));
        job.check_rows(&problem, &held)?;
        let gram = (job.kernel != Kernel::LINEAR)
            .then(|| Gram::new(&problem, job.kernel, job.memory / 2, job.settings.threads));
        let solver = Solver {
            loss: job.loss.loss(),
            by: &by,
            lambdas: &args.lambda,
            settings: job.settings,
            problem: &problem,
            labelled: &labelled,
            gram: gram.as_ref(),
            interrupt: job.interrupt,
        };
        solver.all(&job.progress)?
    };
    let summary = DataSummary {
        rows: held.len() as u64,
        features: held.width(),
        classes: labelled.classes.count(),
    };
    let mut reports = Vec::new();
    for (k, &lambda) in args.lambda.iter().enumerate() {
        let of_lambda: Vec<&Solution> = solutions.iter().map(|path| &path[k]).collect();
        let mut model = job.model(&of_lambda, &labelled, &prepared, lambda)?;
        model.preparation = preparation.clone();
        (model.width, model.zero_based) = (held.width(), args.rows.zero_based);
        model.names = held.names.clone();
        model.table.clone_from(&held.table);
        model.totals = Totals {
            trials: held.len() as u64,
            ..Totals::default()
        };
        if let Some(path) = &args.output {
            novikoff_data::model::save(&model, path)?;
            job.progress
                .remark(&format!("model saved in {}", path.display()));
        }
        let short = of_lambda
            .iter()
            .filter(|s| s.stop != Stop::Converged)
            .count();
        if short > 0 {
            job.progress.remark(&format!(
                "lambda {lambda}: {short} of {} problems did not reach the gap asked for; raise --max-passes or lambda, or scale the rows (--normalize 2, --standardize)",
                of_lambda.len()
            ));
        }
        reports.push(SolveReport {
            loss: job.loss.text().to_owned(),
            reg: job.reg.text().to_owned(),
            kernel: job.kernel.to_string(),
            lambda,
            bias: args.bias.clone(),
            data: summary,
            problems: job.problem_reports(&of_lambda, &labelled.classes),
            test: job.test(&model)?,
            seconds: runs[k],
        });
    }
    let text = if args.json {
        format!("{}\n", solves_json(&reports))
    } else {
        solves_text(&reports)
    };
    Ok(stdout().lock().write_all(text.as_bytes())?)
}

/// All problems of a job.
struct Solver<'s> {
    loss: AnyLoss,
    by: &'s AnyRegulariser,
    lambdas: &'s [f64],
    settings: Settings,
    /// The rows; its aims are those of the first class.
    problem: &'s Problem<'s>,
    labelled: &'s Labelled,
    gram: Option<&'s Gram<'s>>,
    interrupt: Interrupt,
}

/// For each class, for each lambda in the order given.
type Paths = Vec<Vec<Solution>>;

impl Solver<'_> {
    /// Seconds for each lambda, and all solutions. Classes are solved side by side.
    fn all(&self, progress: &Progress) -> Result<(Vec<f64>, Paths), Failure> {
        let classes = self.labelled.problems();
        let seconds = Mutex::new(vec![0.0; self.lambdas.len()]);
        let paths = if classes == 1 {
            vec![self.path(0, self.settings.threads, Some(progress), &seconds)]
        } else {
            progress.begin(Some(classes as u64), "classes");
            let next = AtomicUsize::new(0);
            let done: Vec<Mutex<Vec<Solution>>> = (0..classes).map(|_| Mutex::default()).collect();
            // each class is solved once, by whoever drew its number
            let draw = || {
                let class = next.fetch_add(1, Ordering::Relaxed);
                (class < classes && !self.interrupt.came()).then_some(class)
            };
            let work = |class: usize| {
                let path = self.path(class, 1, None, &seconds);
                if let Ok(mut slot) = done[class].lock() {
                    *slot = path;
                }
            };
            std::thread::scope(|scope| {
                for _ in 1..self.settings.threads.min(classes) {
                    scope.spawn(|| std::iter::from_fn(draw).for_each(work));
                }
                while let Some(class) = draw() {
                    progress.at(class as u64);
                    work(class);
                }
            });
            progress.end();
            let paths = done
                .into_iter()
                .map(|slot| slot.into_inner().unwrap_or_default());
            paths.collect()
        };
        let whole = |path: &Vec<Solution>| {
            path.len() == self.lambdas.len() && path.iter().all(|s| s.stop != Stop::Asked)
        };
        if !paths.iter().all(whole) {
            let stopped = "stopped while solving; nothing is saved";
            return Err(Failure::Interrupted(stopped.to_owned()));
        }
        Ok((seconds.into_inner().unwrap_or_default(), paths))
    }

    /// One class for all lambdas, from the largest to the smallest, each beginning where the last ended.
    fn path(
        &self,
        class: usize,
        threads: usize,
        shows: Option<&Progress>,
        seconds: &Mutex<Vec<f64>>,
    ) -> Vec<Solution> {
        let problem = self.problem.with_aims(self.labelled.aims(class));
        let settings = Settings {
            threads,
            ..self.settings
        };
        let lambdas = self.lambdas;
        let mut order: Vec<usize> = (0..lambdas.len()).collect();
        order.sort_by(|&a, &b| lambdas[b].total_cmp(&lambdas[a]));
        let mut solutions: Vec<(usize, Solution)> = Vec::new();
        for k in order {
            let begun = Instant::now();
            let mut lines = shows.map(|progress| Lines {
                progress,
                begun,
                first: true,
            });
            let mut watch = |report: &Report| {
                if let Some(lines) = &mut lines {
                    lines.show(report);
                }
                !self.interrupt.came()
            };
            let start = solutions.last().map(|(_, last)| last.dual.as_slice());
            let (loss, lambda) = (self.loss, lambdas[k]);
            let solution = if let Some(gram) = self.gram {
                solve_in_kernel(&problem, gram, loss, lambda, start, &settings, &mut watch)
            } else {
                let by = self.by.clone();
                solve_by_name(&problem, loss, by, lambda, start, &settings, &mut watch)
            };
            if let Ok(mut seconds) = seconds.lock() {
                seconds[k] += begun.elapsed().as_secs_f64();
            }
            solutions.push((k, solution));
        }
        solutions.sort_by_key(|(k, _)| *k);
        let in_order = solutions.into_iter().map(|(_, solution)| solution);
        in_order.collect()
    }
}

/// A line for each certificate.
struct Lines<'a> {
    progress: &'a Progress,
    begun: Instant,
    first: bool,
}

impl Lines<'_> {
    fn show(&mut self, report: &Report) {
        if std::mem::take(&mut self.first) {
            self.progress.remark(&format!(
                "{:>8} {:>14} {:>14} {:>10} {:>10} {:>9} method",
                "passes", "primal", "dual", "gap", "support", "seconds"
            ));
        }
        let c = &report.certificate;
        self.progress.remark(&format!(
            "{:>8} {:>14.8} {:>14.8} {:>10.2e} {:>10} {:>9.3} {}",
            report.passes,
            c.primal,
            c.dual,
            c.relative_gap(),
            count(c.support as u64),
            self.begun.elapsed().as_secs_f64(),
            report.method.name()
        ));
    }
}

impl Job<'_> {
    /// The model of one lambda.
    fn model(
        &self,
        solutions: &[&Solution],
        labelled: &Labelled,
        prepared: &Prepared<'_>,
        lambda: f64,
    ) -> Result<Model, Failure> {
        // a threshold is an intercept; with several classes, lane 0 is nobody's
        let shifted: Vec<Solution> = solutions
            .iter()
            .map(|s| Solution {
                intercept: s.intercept - self.theta,
                ..(*s).clone()
            })
            .collect();
        let background = (!labelled.classes.is_binary()).then_some(None);
        let lanes: Vec<Option<&Solution>> = background
            .into_iter()
            .chain(shifted.iter().map(Some))
            .collect();
        let learner = if self.kernel == Kernel::LINEAR {
            solved::learner(&lanes, self.memory)
        } else {
            let problem = prepared.problem(labelled.aims(0));
            solved::kernel_learner(&lanes, &problem, self.kernel, self.memory)
        };
        let learner = learner.map_err(|error| error.to_string())?;
        let bias = match self.args.bias.as_str() {
            "off" | "free" => self.args.bias.clone(),
            _ => "constant".to_owned(),
        };
        let word = |name: &str, text: &str| (name.to_owned(), Parameter::Word(text.to_owned()));
        let parameters = Parameters::from_list(vec![
            word("loss", self.loss.text()),
            word("reg", self.reg.text()),
            ("lambda".to_owned(), Parameter::Real(lambda)),
            word("bias", &bias),
        ]);
        let preparation = self.preparation.clone();
        let classes = labelled.classes.clone();
        let mut model = Model::restore(Spec::solved(), parameters, preparation, learner, classes);
        model.kernel = self.kernel;
        Ok(model)
    }

    fn problem_reports(&self, solutions: &[&Solution], classes: &Classes) -> Vec<ProblemReport> {
        let report = |class: Option<String>, solution: &Solution| {
            let weights = &solution.weights;
            let constant = match (self.preparation.bias, weights.first()) {
                (Some(b), Some(w)) => f64::from(b) * w,
                _ => 0.0,
            };
            let nonzero = || weights.iter().skip(1).filter(|w| **w != 0.0).count() as u64;
            ProblemReport {
                class,
                report: solution.report,
                stop: solution.stop,
                nonzero: (self.kernel == Kernel::LINEAR).then(nonzero),
                intercept: solution.intercept + constant - self.theta,
            }
        };
        if classes.is_binary() {
            return solutions.iter().map(|s| report(None, s)).collect();
        }
        let order = classes.order().iter();
        let named = order.map(|&k| {
            let class = classes.list()[k].label.name().to_owned();
            report(Some(class), solutions[k])
        });
        named.collect()
    }

    fn test(&self, model: &Model) -> Result<Option<SolveTest>, Failure> {
        let Some(data) = &self.test else {
            return Ok(None);
        };
        let reading = self.args.rows.reading_for(model);
        let held = data.load(&reading, self.memory, Bare::Rows, &self.progress)?;
        if let Task::Regression = model.classes.task() {
            return test_numbers(model, &held).map(Some);
        }
        let report: TestReport = session::test_held(model, &held, None)?;
        Ok(Some(SolveTest::Labels(report)))
    }
}

fn test_numbers(model: &Model, held: &Held) -> Result<SolveTest, Failure> {
    let (mut squared, mut absolute, mut row) = (0.0, 0.0, 0);
    let mut scores = Vec::new();
    for block in held.blocks() {
        for i in 0..block.len() {
            let y = rows::number(block, i).map_err(|what| format!("{}{what}", held.place(row)))?;
            model.scores(block.row(i), None, &mut scores);
            let away = scores[0] - y;
            squared += away * away;
            absolute += away.abs();
            row += 1;
        }
    }
    let n = row.max(1) as f64;
    Ok(SolveTest::Numbers(row as u64, squared / n, absolute / n))
}

/// An aim of weight `weight`.
fn aim(sign: f64, target: f64, weight: f64) -> Aim {
    Aim {
        sign,
        target,
        weight,
    }
}
