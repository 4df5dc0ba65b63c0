//! All problems of a job, solved: one path over its lambdas per class.

use std::sync::Mutex;
use std::time::Instant;

use novikoff::dual::loss::AnyLoss;
use novikoff::dual::named::AnyRegulariser;
use novikoff::dual::{
    Gram, Problem, Report, Settings, Solution, Stop, solve_by_name, solve_in_kernel,
};
use novikoff::kernel::Kernel;
use novikoff::remedy::Complaint;

use super::rows::Labelled;
use super::{ReadRows, Solve};
use crate::error::memory_or;
use crate::events::{Context, Event, Phase};
use crate::parallel::side_by_side;
use crate::prepared::Prepared;
use crate::rows::{HeldRows, numbered_column};
use crate::{Error, StoppedWhile};

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
    context: Context<'s>,
}

/// For each class, for each lambda in the order given.
pub(crate) type Paths = Vec<Vec<Solution>>;

impl Solver<'_> {
    /// Seconds for each lambda, and all solutions. Classes are solved side by side where the kernel's columns of as many fit into memory, so the
    /// wall time of all is divided among the lambdas as the time of the threads is.
    fn all(&self) -> Result<(Vec<f64>, Paths), Error> {
        let begun = Instant::now();
        let (classes, threads) = (self.labelled.problems(), self.settings.threads);
        let seconds = Mutex::new(vec![0.0; self.lambdas.len()]);
        let paths = if classes == 1 {
            self.context.begin(Phase::Solving, None);
            let path = self.path(0, threads, true, &seconds);
            self.context.end();
            vec![path]
        } else {
            self.context.begin(Phase::Classes, Some(classes as u64));
            let at = |done| self.context.at(done);
            let ended = |_: &Vec<Solution>| self.context.interrupt.is_requested();
            let fit = self.gram.is_none_or(|gram| gram.has_room_for(threads));
            // one at a time has all threads, for its columns
            let (abreast, each) = if fit { (threads, 1) } else { (1, threads) };
            let job = |class: usize| self.path(class, each, false, &seconds);
            let paths = side_by_side(classes, abreast, at, ended, job);
            self.context.end();
            paths.into_iter().map(Option::unwrap_or_default).collect()
        };
        let whole = |path: &Vec<Solution>| {
            path.len() == self.lambdas.len() && path.iter().all(|s| s.stop != Stop::Asked)
        };
        if !paths.iter().all(whole) {
            return Err(Error::Stopped(StoppedWhile::Solving));
        }
        let wall = begun.elapsed().as_secs_f64();
        let seconds = seconds.into_inner().unwrap_or_default();
        Ok((divided(wall, seconds), paths))
    }

    /// One class for all lambdas, from the largest to the smallest, each beginning where the last ended.
    fn path(
        &self,
        class: usize,
        threads: usize,
        shows: bool,
        seconds: &Mutex<Vec<f64>>,
    ) -> Vec<Solution> {
        let problem = match class {
            0 => self.problem.clone(),
            _ => self.problem.with_aims(self.labelled.aims(class)),
        };
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
            let mut first = true;
            let mut watch = |report: &Report| {
                if shows {
                    let seconds = begun.elapsed().as_secs_f64();
                    let first = std::mem::take(&mut first);
                    self.context.listener.event(Event::Solving {
                        report,
                        seconds,
                        first,
                    });
                }
                !self.context.interrupt.is_requested()
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

impl Solve {
    /// Seconds per lambda, and for each class the solutions of some lambdas.
    pub(crate) fn solutions(
        &self,
        read: &ReadRows,
        prepared: &Prepared<'_>,
        lambdas: &[f64],
        context: Context<'_>,
    ) -> Result<(Vec<f64>, Paths), Error> {
        let by = self.regulariser(read)?;
        let problem = prepared.problem(read.labelled.aims(0));
        self.check_rows(&problem, &read.held)?;
        let (settings, kernel) = (self.settings(), self.kernel());
        let shows = read.labelled.problems() == 1;
        let stepped = |steps: u64| {
            if shows {
                context.at(steps);
            }
        };
        let stop = || context.interrupt.is_requested();
        let gram = (kernel != Kernel::LINEAR).then(|| {
            let gram = Gram::new(&problem, kernel, self.rows.memory / 2, settings.threads);
            gram.observed(&stepped).stopped_by(&stop)
        });
        let solver = Solver {
            loss: self.loss.loss(),
            by: &by,
            lambdas,
            settings,
            problem: &problem,
            labelled: &read.labelled,
            gram: gram.as_ref(),
            context,
        };
        solver.all()
    }

    pub(crate) fn regulariser(&self, read: &ReadRows) -> Result<AnyRegulariser, Error> {
        let width = read.features();
        let constant = self.run.bias.flatten().is_some();
        let slots = u128::from(width) + 1;
        // a vector and its link, for the walk, for two parts and their merging, and for the certificate
        let (needed, memory) = (8 * 12 * slots, self.rows.memory);
        if needed > memory && self.kernel() == Kernel::LINEAR {
            let (needed, limit) = (needed >> 20, memory >> 20);
            let what =
                format!("{width} features need {needed} MB of memory, and the limit is {limit} MB");
            let why = Complaint::new(what, memory_or("renumber the features"));
            return Err(numbered_column(why, width as usize, &read.held.schema).into());
        }
        let prior = self.reg.prior().map(read_prior).transpose()?;
        let built = self.reg.build(width as usize, constant, prior.as_deref());
        Ok(built?)
    }

    /// Rows for which there is no finite loss.
    pub(crate) fn check_rows(&self, problem: &Problem<'_>, held: &HeldRows) -> Result<(), Error> {
        if !matches!(self.loss.loss(), AnyLoss::Likelihood(_)) || self.kernel() != Kernel::LINEAR {
            return Ok(());
        }
        match problem.impossible_row(self.reg.is_one_sided()) {
            Some(row) => {
                let what = format!(
                    "{}no component gives this row a density above 0, so its likelihood is 0 whatever the weights",
                    held.place(row)
                );
                Err(Error::refused(what, "leave the row out"))
            }
            None => Ok(()),
        }
    }
}

/// A time in the proportions of others.
fn divided(whole: f64, mut parts: Vec<f64>) -> Vec<f64> {
    let sum: f64 = parts.iter().sum();
    if sum > 0.0 {
        for part in &mut parts {
            *part *= whole / sum;
        }
    }
    parts
}

/// Numbers separated by spaces or lines.
fn read_prior(path: &str) -> Result<Vec<f64>, Error> {
    let text = std::fs::read_to_string(path)
        .map_err(|error| Error::plain(format!("prior={path}: cannot be read: {error}")))?;
    let mut prior = Vec::new();
    for (line, words) in text.lines().enumerate() {
        for word in words.split_whitespace() {
            let number = word.parse().ok().filter(|n: &f64| n.is_finite());
            prior.push(number.ok_or_else(|| {
                let word: String = word.chars().take(40).collect();
                Error::plain(format!(
                    "prior={path}: line {}: `{word}` is not a number",
                    line + 1
                ))
            })?);
        }
    }
    Ok(prior)
}

#[cfg(test)]
mod tests {
    use super::divided;

    #[test]
    fn times_of_threads_divide_the_wall_time() {
        assert_eq!(divided(3.0, vec![2.0, 4.0]), [1.0, 2.0]);
        assert_eq!(divided(3.0, vec![8.0]), [3.0]);
        assert_eq!(divided(0.0, vec![0.0, 0.0]), [0.0, 0.0]);
    }
}
