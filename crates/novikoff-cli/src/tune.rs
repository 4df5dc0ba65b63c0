//! `novikoff tune`: the best of a grid, by progressive validation or on folds.

pub(crate) mod folds;
mod grid;
mod online;

use std::fmt::Write as _;
use std::io::{Write as _, stdout};
use std::path::Path;

use novikoff::classes::{Classes, Task};
use novikoff::kernel::Kernel;
use novikoff::spec::Spec;
use novikoff_report::{DataSummary, Measure, TriedReport, TuneReport, tune_json, tune_text};

use crate::args::{RunArgs, SolveArgs, TuneArgs};
use crate::checkpoint::quote;
use crate::error::Failure;
use crate::input::{Data, Held};
use crate::job;
use crate::labelled::Bare;
use crate::progress::Progress;
use crate::solve::folds::Grid;
use folds::Part;
use online::{Candidate, Field};

pub(crate) fn tune(args: &TuneArgs) -> Result<(), Failure> {
    let batch = args.loss.is_some() || args.reg.is_some() || !args.lambda.is_empty();
    if args.run.test.is_some() {
        return Err("--test: choosing by rows held out is what --folds does; use `evaluate` on the model that -o saves".into());
    }
    let data = Data::named(&args.data)?;
    if let Some(path) = &args.output {
        job::check_writable(path)?;
        if data.reads(path) {
            let path = path.display();
            return Err(format!(
                "{path}: is read as data and cannot be written; give another name"
            )
            .into());
        }
    }
    let report = match (batch, args.specs.is_empty()) {
        (true, true) => tune_solver(args)?,
        (false, false) => tune_learners(args, data)?,
        (true, false) => {
            return Err(
                "-a tunes a learner, --loss, --reg and --lambda the solver; give one or the other"
                    .into(),
            );
        }
        (false, true) => {
            return Err("nothing to tune: give -a SPEC with several values, as in -a 'second-order:a=0.1|1|10', or --loss, --reg and --lambda for the solver".into());
        }
    };
    let text = if args.run.json {
        format!("{}\n", tune_json(&report))
    } else {
        tune_text(&report)
    };
    Ok(stdout().lock().write_all(text.as_bytes())?)
}

fn progress(args: &TuneArgs) -> Progress {
    Progress::new(args.rows.quiet).verbose(args.rows.verbose)
}

/// All kernels of `--kernel`; none if it was not given.
fn kernels(args: &TuneArgs) -> Result<Vec<Option<String>>, Failure> {
    let Some(typed) = &args.run.kernel else {
        return Ok(vec![None]);
    };
    let kernels = grid::specs(typed).map_err(|what| format!("--kernel {what}"))?;
    for kernel in &kernels {
        Kernel::parse(kernel).map_err(|error| format!("--kernel: {error}"))?;
    }
    Ok(kernels.into_iter().map(Some).collect())
}

fn check_count(count: usize) -> Result<(), Failure> {
    if count > grid::MOST {
        return Err(grid::too_many(count).into());
    }
    Ok(())
}

fn check_folds(folds: u32, rows: usize) -> Result<(), Failure> {
    if folds as usize > rows {
        return Err(format!(
            "--folds {folds}: there are {rows} rows, and every fold needs one; give fewer folds"
        )
        .into());
    }
    Ok(())
}

fn tune_learners(args: &TuneArgs, data: Data) -> Result<TuneReport, Failure> {
    let run = &args.run;
    if args.folds.is_none() && (run.epochs.is_some() || run.by.is_some()) {
        return Err("--epochs and --use go with --folds K: without it a candidate is judged by the mistakes of its first pass".into());
    }
    if args.folds.is_some() && run.permutations.is_some() {
        return Err("--permutations repeats a pass over all rows, so it does not go with --folds; leave one out".into());
    }
    let candidates = candidates(args)?;
    let progress = progress(args);
    let preparation = run.for_learners(candidates.iter().map(|one| &one.spec))?;
    let mut reading = args.rows.reading(preparation.bias);
    let data = if run.cache {
        let fresh = reading.names.clone();
        data.cached(&mut reading, fresh, &progress)?
    } else {
        data
    };
    if run.standardize && data.is_stream() {
        return Err(job::files_only("--standardize"));
    }
    let memory = job::memory(args.rows.max_memory);
    let task = run.task()?;
    let held = data.load(&reading, memory, Bare::of(task.as_ref()), &progress)?;
    if held.is_empty() {
        return Err(job::no_rows());
    }
    check_folds(args.folds.unwrap_or(1), held.len())?;
    let task = match task {
        Some(task) => task,
        None => data.task(&held, true, &reading)?,
    };
    let field = Field {
        args,
        candidates: &candidates,
        data: &data,
        reading: &reading,
        held: &held,
        task,
        preparation: run.fitted(&preparation, &held, memory)?,
        memory,
    };
    let results = field.run(&progress)?;
    let mut tried = Vec::new();
    for (candidate, parts) in candidates.iter().zip(&results) {
        let kernel = candidate.run.kernel_for(&candidate.spec)?.to_string();
        let words = vec![
            ("spec", candidate.spec.text().to_owned()),
            ("kernel", kernel),
        ];
        tried.push(report(words, parts));
    }
    let best = best(&tried);
    let summary = DataSummary {
        rows: held.len() as u64,
        features: held.width(),
        classes: classes(&field.task, &held),
    };
    if let Some(path) = &args.output {
        let model = field.trained(&candidates[best])?;
        novikoff_data::model::save(&model, path)?;
        told(path, &progress);
    }
    Ok(TuneReport {
        data: summary,
        folds: args.folds.map(|k| (k, args.seed)),
        measure: Measure::Errors,
        command: train_command(args, &candidates[best]),
        tried,
        best,
    })
}

/// How many classes the rows have.
fn classes(task: &Task, held: &Held) -> usize {
    let mut classes = Classes::new(task.clone());
    if !classes.is_binary() {
        for label in held.labels().flatten() {
            if classes.find(label).is_none() {
                classes.add(label);
            }
        }
    }
    classes.count()
}

fn told(path: &Path, progress: &Progress) {
    progress.remark(&format!(
        "the best, trained on all rows, is saved in {}",
        path.display()
    ));
}

/// All learners with all kernels.
fn candidates(args: &TuneArgs) -> Result<Vec<Candidate>, Failure> {
    let mut specs = Vec::new();
    for typed in &args.specs {
        for text in grid::specs(typed).map_err(|what| format!("-a {what}"))? {
            specs.push(Spec::parse(&text)?);
        }
    }
    let kernels = kernels(args)?;
    check_count(specs.len().saturating_mul(kernels.len()))?;
    let mut candidates = Vec::new();
    for spec in &specs {
        for kernel in &kernels {
            let run = RunArgs {
                kernel: kernel.clone(),
                ..args.run.clone()
            };
            // learners that do not go with the kernel are refused before anything is read
            spec.learner(&spec.parameters(Some(2))?, run.kernel_for(spec)?, 0)?;
            let spec = spec.clone();
            candidates.push(Candidate { spec, run });
        }
    }
    Ok(candidates)
}

fn tune_solver(args: &TuneArgs) -> Result<TuneReport, Failure> {
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
    let kernels = kernels(args)?;
    let counts = [losses.len(), regs.len(), kernels.len(), lambdas.len()];
    check_count(counts.into_iter().fold(1, usize::saturating_mul))?;
    let mut problems: Vec<SolveArgs> = Vec::new();
    for loss in &losses {
        for reg in &regs {
            for kernel in &kernels {
                let mut one = solve_args(args, &lambdas, loss, reg, kernel.as_ref());
                // what is to be said is said once
                one.rows.quiet |= !problems.is_empty();
                problems.push(one);
            }
        }
    }
    let grid = Grid::new(&problems)?;
    check_folds(folds, grid.summary().rows as usize)?;
    let progress = progress(args);
    let results = grid.run(folds, args.seed, &progress)?;
    let mut tried = Vec::new();
    for (problem, by_lambda) in problems.iter().zip(&results) {
        for (lambda, parts) in lambdas.iter().zip(by_lambda) {
            let kernel = problem.kernel.as_deref().unwrap_or("linear");
            let words = vec![
                ("loss", problem.loss.clone()),
                ("reg", problem.reg.clone()),
                ("kernel", kernel.to_owned()),
                ("lambda", lambda.to_string()),
            ];
            tried.push(report(words, parts));
        }
    }
    let best = best(&tried);
    let (number, lambda) = (best / lambdas.len(), lambdas[best % lambdas.len()]);
    if let Some(path) = &args.output {
        grid.save(number, lambda, path)?;
        told(path, &progress);
    }
    Ok(TuneReport {
        data: grid.summary(),
        folds: Some((folds, args.seed)),
        measure: if grid.is_regression() {
            Measure::Squares
        } else {
            Measure::Errors
        },
        command: solve_command(args, &problems[number], lambda),
        tried,
        best,
    })
}

fn solve_args(
    args: &TuneArgs,
    lambdas: &[f64],
    loss: &str,
    reg: &str,
    kernel: Option<&String>,
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
        seed: args.seed,
        theta: None,
        alpha: None,
        class_weight: None,
        kernel: kernel.cloned(),
        standardize: run.standardize,
        normalize: run.normalize.clone(),
        test: None,
        positive: run.positive.clone(),
        labels: run.labels.clone(),
        multilabel: run.multilabel,
        output: None,
        json: false,
        rows: args.rows.clone(),
    }
}

fn report(words: Vec<(&'static str, String)>, parts: &[Part]) -> TriedReport {
    TriedReport {
        words,
        parts: parts.iter().map(|part| (part.rows, part.lost)).collect(),
        seconds: parts.iter().map(|part| part.seconds).sum(),
    }
}

/// The least mean error; of equals, the first.
fn best(tried: &[TriedReport]) -> usize {
    let mut best = 0;
    for (k, one) in tried.iter().enumerate() {
        if one.error().mean < tried[best].error().mean {
            best = k;
        }
    }
    best
}

/// A command word by word.
struct Words(String);

impl Words {
    fn new(command: &str, args: &TuneArgs) -> Self {
        let data: Vec<String> = args.data.iter().map(|word| quote(word)).collect();
        Words(format!("novikoff {command} {}", data.join(" ")))
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
        self.flag("--zero-based", args.rows.zero_based);
        let rows = args.rows.words();
        self.flag(&rows, !rows.is_empty());
        let output = args.output.as_deref().unwrap_or(Path::new("model"));
        self.option("-o", Some(output.display()));
        self.0
    }
}

fn train_command(args: &TuneArgs, candidate: &Candidate) -> String {
    let mut words = Words::new("train", args);
    words.option("-a", Some(candidate.spec.text()));
    words.option("--kernel", candidate.run.kernel.as_ref());
    words.option("--epochs", args.run.epochs);
    if args.run.permutations.is_none() {
        words.option("--shuffle", args.run.shuffle);
    }
    words.option("--features", args.run.features);
    words.end(args)
}

fn solve_command(args: &TuneArgs, problem: &SolveArgs, lambda: f64) -> String {
    let mut words = Words::new("solve", args);
    words.option("--loss", Some(&problem.loss));
    words.option("--reg", Some(&problem.reg));
    words.option("--lambda", Some(lambda));
    words.option("--kernel", problem.kernel.as_ref());
    words.option("--gap", Some(args.gap));
    words.option("--max-passes", Some(args.max_passes));
    words.option("--seed", Some(args.seed));
    words.end(args)
}
