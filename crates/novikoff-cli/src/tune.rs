//! `novikoff tune`: the best of a grid, by progressive validation or on folds.

pub(crate) mod grid;

use std::fmt::Write as _;
use std::io::{Write as _, stdout};
use std::path::Path;

use novikoff::catalog::EXPERT_GRIDS;
use novikoff::spec::Spec;
use novikoff_engine::Context;
use novikoff_engine::data::Data;
use novikoff_engine::tune::{Candidate, TuneLearners, TuneSolver};
use novikoff_report::{Noted, TuneReport, tune_json, tune_text};

use crate::args::{OrderWord, SolveArgs, SolverMethodWord, TuneArgs};
use crate::error::Failure;
use crate::interrupt;
use crate::job;
use crate::remark;
use crate::screen;
use crate::solve;
use novikoff_engine::row_text::quote;

pub(crate) fn tune(args: &TuneArgs) -> Result<(), Failure> {
    let batch = args.loss.is_some() || args.reg.is_some() || !args.lambda.is_empty();
    let (mut report, stopped) = match (batch, args.specs.is_empty()) {
        (true, true) => tune_solver(args)?,
        (false, _) => tune_learners(args)?,
        (true, false) => {
            return Err(
                "-a tunes a learner, --loss, --reg and --lambda the solver; give one or the other"
                    .into(),
            );
        }
    };
    remark::word(&mut report.remarks);
    let text = if args.run.json {
        format!("{}\n", tune_json(&report))
    } else {
        tune_text(&report, "--json", screen::width())
    };
    stdout().lock().write_all(text.as_bytes())?;
    if stopped > 0 {
        let done = report.tried.len();
        return Err(Failure::Interrupted(format!(
            "stopped: {done} of {} candidates are done, and nothing is saved",
            done + stopped
        )));
    }
    Ok(())
}

/// The kernel and the map of a candidate, as typed.
#[derive(Clone, Copy)]
struct Space<'a> {
    kernel: Option<&'a String>,
    map: Option<&'a String>,
}

/// All kernels of `--kernel`; none if it was not given.
fn kernels(args: &TuneArgs) -> Result<Vec<Option<String>>, Failure> {
    let Some(typed) = &args.run.kernel else {
        return Ok(vec![None]);
    };
    let kernels = grid::specs(typed).map_err(|what| format!("--kernel {what}"))?;
    for kernel in &kernels {
        job::kernel(kernel)?;
    }
    Ok(kernels.into_iter().map(Some).collect())
}

/// All maps of `--map`; none if it was not given.
fn maps(args: &TuneArgs) -> Result<Vec<Option<String>>, Failure> {
    let Some(typed) = &args.run.map else {
        return Ok(vec![None]);
    };
    let maps = grid::specs(typed).map_err(|what| format!("--map {what}"))?;
    for map in &maps {
        job::map(map)?;
    }
    Ok(maps.into_iter().map(Some).collect())
}

fn check_count(count: usize) -> Result<(), Failure> {
    if count > grid::MOST {
        return Err(grid::too_many(count).into());
    }
    Ok(())
}

/// The report, and how many candidates were not done because it was asked to stop.
fn tune_learners(args: &TuneArgs) -> Result<(TuneReport, usize), Failure> {
    let run = &args.run;
    if run.until_separated {
        return Err("--until-separated goes with train, certify and compare: candidates of tune all make the same passes".into());
    }
    if args.folds.is_none() && run.epochs.is_some() {
        return Err(
            "--epochs goes with --folds K: without it a candidate is judged by its first pass"
                .into(),
        );
    }
    if args.folds.is_some() && run.permutations.is_some() {
        return Err("--permutations repeats a pass over all rows, so it does not go with --folds; leave one out".into());
    }
    let mut specs = Vec::new();
    let default: Vec<String> = EXPERT_GRIDS.iter().map(|grid| (*grid).to_owned()).collect();
    let typed = if args.specs.is_empty() {
        &default
    } else {
        &args.specs
    };
    for typed in typed {
        for text in grid::specs(typed).map_err(|what| format!("-a {what}"))? {
            specs.push(Spec::parse(&text)?);
        }
    }
    let (kernels, maps) = (kernels(args)?, maps(args)?);
    let counts = [specs.len(), kernels.len(), maps.len()];
    check_count(counts.into_iter().fold(1, usize::saturating_mul))?;
    let mut candidates = Vec::new();
    for spec in &specs {
        for kernel in &kernels {
            for map in &maps {
                candidates.push(Candidate {
                    spec: spec.clone(),
                    kernel: kernel.as_deref().map(job::kernel).transpose()?,
                    map: map.as_deref().map(job::map).transpose()?,
                });
            }
        }
    }
    let shared = crate::args::RunArgs {
        kernel: None,
        map: None,
        ..run.clone()
    };
    let job = TuneLearners {
        data: Data::named(&args.data)?,
        candidates,
        folds: args.folds,
        by: args.measure.into(),
        seed: args.seed,
        run: shared.options()?,
        rows: args.rows.leniently(args.lenient),
        output: args.output.clone(),
    };
    let progress = args.rows.progress();
    let interrupt = interrupt::listen();
    let tuned = progress.during(|| job.run(Context::new(&progress, &interrupt)))?;
    let best = tuned.numbers[tuned.best];
    let space = Space {
        kernel: kernels[best / maps.len() % kernels.len()].as_ref(),
        map: maps[best % maps.len()].as_ref(),
    };
    let report = TuneReport {
        data: tuned.data,
        folds: args.folds.map(|k| (k, args.seed)),
        measure: tuned.measure,
        command: train_command(
            args,
            &job.candidates[best],
            space,
            is_sorted(&tuned.remarks),
        ),
        tried: tuned.tried,
        best: tuned.best,
        baseline: tuned.baseline,
        constant: tuned.constant,
        remarks: tuned.remarks,
    };
    Ok((report, tuned.stopped))
}

fn tune_solver(args: &TuneArgs) -> Result<(TuneReport, usize), Failure> {
    let run = &args.run;
    if run.epochs.is_some() || run.shuffle.is_some() || run.permutations.is_some() {
        return Err("--epochs, --shuffle and --permutations are of learners, which take rows in turn; the solver does not".into());
    }
    if run.by.is_some() || run.features.is_some() || run.cache {
        return Err("--use, --features and --cache are of learners; leave them out".into());
    }
    let Some(folds) = args.folds else {
        return Err(
            "the solver sees all rows at once, so it is tuned on folds; give --folds K; 5 is usual"
                .into(),
        );
    };
    if args.lambda.is_empty() {
        return Err("--lambda: give the values to try, as in --lambda 1e-5..1e-1*5".into());
    }
    let mut lambdas = Vec::new();
    for typed in &args.lambda {
        for text in grid::values(typed).map_err(|what| format!("--lambda {what}"))? {
            let lambda = text.parse::<f64>();
            let wrong = |_| {
                format!(
                    "--lambda {text}: must be numbers > 0, or a range of them, as in 1e-5..1e-1*5"
                )
            };
            lambdas.push(lambda.map_err(wrong)?);
        }
    }
    let several = |word: &str, typed: Option<&String>, default: &str| {
        let typed = typed.map_or(default, String::as_str);
        grid::specs(typed).map_err(|what| format!("{word} {what}"))
    };
    let losses = several("--loss", args.loss.as_ref(), "hinge")?;
    let regs = several("--reg", args.reg.as_ref(), "l2")?;
    let (kernels, maps) = (kernels(args)?, maps(args)?);
    let spaces = kernels.len().saturating_mul(maps.len());
    let counts = [losses.len(), regs.len(), spaces, lambdas.len()];
    check_count(counts.into_iter().fold(1, usize::saturating_mul))?;
    let mut words: Vec<SolveArgs> = Vec::new();
    for loss in &losses {
        for reg in &regs {
            for kernel in &kernels {
                for map in &maps {
                    let (kernel, map) = (kernel.as_ref(), map.as_ref());
                    let space = Space { kernel, map };
                    words.push(solve_args(args, &lambdas, loss, reg, space));
                }
            }
        }
    }
    let problems = words.iter().map(solve::checked);
    let job = TuneSolver {
        problems: problems.collect::<Result<_, _>>()?,
        folds,
        by: args.measure.into(),
        seed: args.seed,
        output: args.output.clone(),
    };
    let progress = args.rows.progress();
    let interrupt = interrupt::listen();
    let tuned = progress.during(|| job.run(Context::new(&progress, &interrupt)))?;
    let best = tuned.numbers[tuned.best];
    let (number, lambda) = (best / lambdas.len(), lambdas[best % lambdas.len()]);
    let report = TuneReport {
        data: tuned.data,
        folds: Some((folds, args.seed)),
        measure: tuned.measure,
        command: solve_command(args, &words[number], lambda),
        tried: tuned.tried,
        best: tuned.best,
        baseline: tuned.baseline,
        constant: tuned.constant,
        remarks: tuned.remarks,
    };
    Ok((report, tuned.stopped))
}

fn solve_args(
    args: &TuneArgs,
    lambdas: &[f64],
    loss: &str,
    reg: &str,
    space: Space<'_>,
) -> SolveArgs {
    let run = &args.run;
    SolveArgs {
        data: args.data.clone(),
        loss: loss.to_owned(),
        reg: reg.to_owned(),
        lambda: lambdas.to_vec(),
        bias: run.bias.clone().unwrap_or_else(|| "off".to_owned()),
        gap: args.gap,
        max_passes: args.max_passes,
        passes: None,
        method: SolverMethodWord::Auto,
        order: OrderWord::Shuffled,
        seed: args.seed,
        theta: None,
        alpha: None,
        class_weight: run.class_weight.clone(),
        kernel: space.kernel.cloned(),
        map: space.map.cloned(),
        standardize: run.standardize,
        normalize: run.normalize.clone(),
        test: None,
        positive: run.positive.clone(),
        labels: run.labels.clone(),
        multilabel: run.multilabel,
        output: None,
        json: false,
        lenient: args.lenient,
        rows: args.rows.clone(),
    }
}

/// A command word by word.
struct CommandLine(String);

impl CommandLine {
    fn new(command: &str, args: &TuneArgs) -> Self {
        let data: Vec<String> = args.data.iter().map(|word| quote(word)).collect();
        CommandLine(format!("novikoff {command} {}", data.join(" ")))
    }

    fn option<T: ToString>(&mut self, name: &str, value: Option<T>) {
        if let Some(value) = value {
            let value = quote(&value.to_string());
            // writing to a String cannot fail
            let _ = write!(self.0, " {name} {value}");
        }
    }

    fn flag(&mut self, name: &str, is_on: bool) {
        if is_on {
            let _ = write!(self.0, " {name}");
        }
    }

    /// What learners and the solver share, and where the model goes.
    fn end(mut self, args: &TuneArgs) -> String {
        let run = &args.run;
        self.option("--bias", run.bias.as_ref());
        self.flag("--standardize", run.standardize);
        self.option("--normalize", run.normalize.as_ref());
        self.option("--positive", run.positive.as_ref());
        self.option("--labels", run.labels.as_ref());
        self.flag("--multilabel", run.multilabel);
        self.flag("--lenient", args.lenient.lenient);
        self.option("--class-weight", run.class_weight.as_ref());
        self.flag("--zero-based", args.rows.zero_based);
        let rows = args.rows.options().text();
        self.flag(&rows, !rows.is_empty());
        let output = args.output.as_deref().unwrap_or(Path::new("model"));
        self.option("-o", Some(output.display()));
        self.0
    }
}

/// Whether it was remarked that the rows come sorted by label.
fn is_sorted(remarks: &[Noted]) -> bool {
    remarks.iter().any(|noted| noted.remark.kind() == "sorted")
}

/// The command that trains the best candidate as it was saved. If it was not saved, rows that come sorted are shuffled.
fn train_command(
    args: &TuneArgs,
    candidate: &Candidate,
    space: Space<'_>,
    is_sorted: bool,
) -> String {
    let mut words = CommandLine::new("train", args);
    words.option("-a", Some(candidate.spec.text()));
    words.option("--kernel", space.kernel);
    words.option("--map", space.map);
    words.option("--epochs", args.run.epochs);
    let remedy = (is_sorted && args.output.is_none()).then_some(1);
    words.option("--shuffle", args.run.shuffle.or(remedy));
    words.option("--use", args.run.by.map(|by| job::hypothesis(by).name()));
    words.option("--features", args.run.features);
    words.end(args)
}

fn solve_command(args: &TuneArgs, problem: &SolveArgs, lambda: f64) -> String {
    let mut words = CommandLine::new("solve", args);
    words.option("--loss", Some(&problem.loss));
    words.option("--reg", Some(&problem.reg));
    words.option("--lambda", Some(lambda));
    words.option("--kernel", problem.kernel.as_ref());
    words.option("--map", problem.map.as_ref());
    words.option("--gap", Some(args.gap));
    words.option("--max-passes", Some(args.max_passes));
    words.option("--seed", Some(args.seed));
    words.end(args)
}
