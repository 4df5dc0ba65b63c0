//! Binary problems of a collection of texts: break-even points of learners and of the solver, and how long they took.

use std::sync::Arc;

use novikoff::dual::named::{NamedLoss, NamedRegulariser};
use novikoff::evaluation::Ranking;
use novikoff::model::Model;
use novikoff::rows::Block;

use super::data::{picked, with_constant};
use super::experiment::SolveSpec;
use super::results::Values;
use super::runner::{Part, Run, Runner};
use super::stopwatch::Stopwatch;
use crate::class_weight::ClassWeight;
use crate::data::{Data, MemoryRows};
use crate::options::RunOptions;
use crate::solve::{Solve, SolveMethod, SolveSteps};
use crate::{Error, StoppedWhile};

/// One topic, or the last third of its training rows where a setting is chosen.
pub(super) fn run(runner: &Runner<'_>, run: &Run<'_>) -> Result<Values, Error> {
    let (topic, is_held_out) = match &run.part {
        Part::Topic(topic) => (topic, false),
        Part::HeldOut(topic) => (topic, true),
        Part::Whole | Part::Fold(_) => return Err(Error::plain("a topic was not named")),
    };
    let rows = runner.rows(run, Some(topic))?;
    let (all, test) = (rows.train.view(), rows.test.view());
    let cut = all.len() * 2 / 3;
    let part = |range: std::ops::Range<usize>| picked(all, &range.collect::<Vec<_>>());
    let halves = is_held_out.then(|| (part(0..cut), part(cut..all.len())));
    let (train, test) = match &halves {
        Some((learn, judge)) => (learn.view(), judge.view()),
        None => (all, test),
    };
    let (model, seconds, constant) = if let Some((solve, lambda)) = &run.candidate.solve {
        let (model, seconds) = solved(runner, run, solve, *lambda, train)?;
        (model, seconds, solve.bias)
    } else {
        let seed = Some(u64::from(run.repetition));
        let online = runner.online(run, rows.task.clone(), seed);
        let (model, seconds) = online.learned(train)?;
        (model, seconds, None)
    };
    let scored = match constant {
        Some(constant) => scored(&model, with_constant(test, constant).view()),
        None => scored(&model, test),
    };
    let ranking = Ranking::new(scored);
    Ok(Values::from([
        (
            "break-even".to_owned(),
            100.0 * ranking.break_even().unwrap_or(0.0),
        ),
        ("positives".to_owned(), ranking.positives() as f64),
        ("seconds".to_owned(), seconds),
    ]))
}

/// The scores of rows, and whether each is of the topic.
fn scored(model: &Model, test: Block<'_>) -> Vec<(f64, bool)> {
    let mut scored = Vec::with_capacity(test.len());
    let rows = (0..test.len()).map(|i| test.row(i));
    model.scores_of(rows, None, |i, scores| {
        let mut labels = test.labels(i);
        let is_positive = labels.any(|label| label.number() == Some(1.0));
        scored.push((scores[0], is_positive));
    });
    scored
}

/// The solution on some rows, and the seconds that it took.
fn solved(
    runner: &Runner<'_>,
    run: &Run<'_>,
    solve: &SolveSpec,
    lambda: f64,
    train: Block<'_>,
) -> Result<(Model, f64), Error> {
    let rows = match solve.bias {
        Some(constant) => with_constant(train, constant),
        None => picked(train, &(0..train.len()).collect::<Vec<_>>()),
    };
    let memory = MemoryRows {
        rows,
        constant: solve.bias,
        ..MemoryRows::default()
    };
    let mut options = runner.options.clone();
    options.threads = 1;
    let job = Solve {
        data: Data::Memory(Arc::new(memory)),
        test: None,
        loss: NamedLoss::parse(&solve.loss)?,
        reg: NamedRegulariser::parse(&solve.reg)?,
        lambdas: vec![lambda],
        free_bias: solve.free_bias,
        run: RunOptions {
            bias: Some(solve.bias),
            ..RunOptions::default()
        },
        theta: solve.theta,
        alpha: solve.alpha,
        class_weight: ClassWeight::default(),
        gap: if solve.gap > 0.0 { solve.gap } else { 1e-3 },
        max_passes: solve.passes,
        steps: SolveSteps {
            method: SolveMethod::Ascent,
            // the paper's number of passes, unless a gap is asked for
            all_passes: solve.gap == 0.0,
            in_order: false,
        },
        seed: u64::from(run.repetition),
        output: None,
        rows: options,
    };
    let watch = Stopwatch::start();
    let solved = job.run(runner.context.quiet())?;
    let seconds = watch.seconds();
    if runner.context.interrupt.is_requested() {
        return Err(Error::Stopped(StoppedWhile::Reproducing));
    }
    let model = solved
        .model
        .ok_or_else(|| Error::plain("no model was solved for"))?;
    Ok((model, seconds))
}
