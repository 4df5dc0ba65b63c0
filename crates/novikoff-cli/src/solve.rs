//! `novikoff solve`: all rows at once, to a certified gap.

use std::io::{Write as _, stdout};

use novikoff::dual::named::{LOSSES, NameError, NamedLoss, NamedRegulariser};
use novikoff_engine::Context;
use novikoff_engine::data::Data;
use novikoff_engine::options::RunOptions;
use novikoff_engine::solve::{Solve, SolveMethod, SolveSteps};
use novikoff_report::{solves_json, solves_text};

use crate::args::{OrderWord, RunArgs, SolveArgs, SolverMethodWord, TieWord};
use crate::error::Failure;
use crate::interrupt;
use crate::job;
use crate::remark;
use crate::screen;
use crate::words::said;

pub(crate) fn solve(args: &SolveArgs) -> Result<(), Failure> {
    let job = checked(args)?;
    let progress = args.rows.progress();
    let interrupt = interrupt::listen();
    let mut solved = progress.during(|| job.run(Context::new(&progress, &interrupt)))?;
    for report in &mut solved.reports {
        remark::word(&mut report.remarks);
    }
    let text = if args.json {
        format!("{}\n", solves_json(&solved.reports))
    } else {
        solves_text(&solved.reports, screen::width())
    };
    Ok(stdout().lock().write_all(text.as_bytes())?)
}

/// The problem that words describe.
pub(crate) fn checked(args: &SolveArgs) -> Result<Solve, Failure> {
    let named =
        |flag: &str, error: NameError| said(&format!("{flag}: {error}"), error.remedy().as_ref());
    let loss = NamedLoss::parse(&args.loss).map_err(|error| named("--loss", error))?;
    let reg = NamedRegulariser::parse(&args.reg).map_err(|error| named("--reg", error))?;
    check_numbers(args, &loss)?;
    let labels = args.positive.is_some() || args.labels.is_some() || args.multilabel;
    if !loss.loss().classifies() && labels {
        return Err(format!(
            "--positive, --labels and --multilabel: {} predicts numbers, which have no classes",
            loss.name()
        )
        .into());
    }
    if args.output.is_some() && args.lambda.len() > 1 {
        return Err("-o saves one model, but --lambda lists several; give one lambda".into());
    }
    let test = args.test.clone();
    Ok(Solve {
        data: Data::named(&args.data)?,
        test: test.map(|word| Data::named(&[word])).transpose()?,
        loss,
        reg,
        lambdas: args.lambda.clone(),
        free_bias: args.bias == "free",
        run: run_options(args)?,
        theta: args.theta,
        alpha: args.alpha,
        class_weight: job::class_weight(args.class_weight.as_deref())?,
        gap: args.gap,
        max_passes: args.passes.unwrap_or(args.max_passes),
        steps: SolveSteps {
            method: match args.method {
                SolverMethodWord::Auto => SolveMethod::Auto,
                SolverMethodWord::Ascent => SolveMethod::Ascent,
                SolverMethodWord::Newton => SolveMethod::Newton,
            },
            all_passes: args.passes.is_some(),
            in_order: args.order == OrderWord::File,
        },
        seed: args.seed,
        output: args.output.clone(),
        rows: args.rows.leniently(args.lenient),
    })
}

fn check_numbers(args: &SolveArgs, loss: &NamedLoss) -> Result<(), Failure> {
    if let Some(lambda) = args.lambda.iter().find(|l| !(l.is_finite() && **l > 0.0)) {
        return Err(format!(
            "--lambda {lambda}: must be numbers > 0; other systems' C is 1/(lambda n)"
        )
        .into());
    }
    if !(args.gap >= 0.0 && args.gap < 1.0) {
        return Err(format!(
            "--gap {}: must be a number from 0 to below 1; 1e-3 is usual",
            args.gap
        )
        .into());
    }
    for (name, value) in [("--theta", args.theta), ("--alpha", args.alpha)] {
        if value.is_some_and(|v| !v.is_finite()) {
            return Err(format!("{name}: must be a finite number").into());
        }
        if value.is_some() && !loss.loss().has_movable_target() {
            let (loss, others) = (loss.name(), margin_losses());
            return Err(format!(
                "{name}: {loss} has no target that it could move; use one of {others}"
            )
            .into());
        }
    }
    Ok(())
}

/// The losses that have a target to move.
fn margin_losses() -> String {
    let names = LOSSES.iter().map(|entry| entry.name);
    let has_target =
        |name: &&str| NamedLoss::parse(name).is_ok_and(|named| named.loss().has_movable_target());
    names.filter(has_target).collect::<Vec<_>>().join(", ")
}

/// What `solve` shares with `train`.
fn run_options(args: &SolveArgs) -> Result<RunOptions, Failure> {
    let options = RunArgs {
        cache_mb: None,
        epochs: None,
        until_separated: false,
        kernel: args.kernel.clone(),
        map: args.map.clone(),
        bias: (args.bias != "free").then(|| args.bias.clone()),
        standardize: args.standardize,
        normalize: args.normalize.clone(),
        shuffle: None,
        permutations: None,
        tie: TieWord::Positive,
        positive: args.positive.clone(),
        labels: args.labels.clone(),
        multilabel: args.multilabel,
        features: None,
        by: None,
        class_weight: None,
        cache: false,
        json: args.json,
    }
    .options();
    options.map_err(|failure| {
        // `train` has no free bias to tell of
        let text = failure.to_string();
        Failure::Message(text.replace("must be off or a number", "must be off, free or a number"))
    })
}
