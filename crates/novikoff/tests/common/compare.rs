//! A learner beside its definition, trial by trial.

use novikoff::learner::Learner;

use super::definition::Definition;
use super::stream::{Kind, Sample, Stream, stream};
use super::{cases, learner_for, score, trial};

const TOLERANCE: f64 = 1e-9;

/// What a comparison saw, so that a test can tell that it tested something.
#[derive(Default, Debug)]
pub(crate) struct Tally {
    pub(crate) trials: usize,
    pub(crate) updates: usize,
    /// Trials on the edge where definition and learner went different ways.
    pub(crate) excused: usize,
}

impl Tally {
    pub(crate) fn add(&mut self, other: &Tally) {
        self.trials += other.trials;
        self.updates += other.updates;
        self.excused += other.excused;
    }
}

/// Runs a learner beside its definition. `sums` says that the learner's margins are plain sums, so
/// that on exact streams there is no edge to excuse anything.
pub(crate) fn compare(
    spec: &str,
    mut by: Box<dyn Definition>,
    stream: &Stream,
    sums: bool,
) -> Tally {
    let mut learner = learner_for(spec, stream);
    let mut tally = Tally::default();
    one_pass(spec, &mut *learner, &mut *by, stream, sums, &mut tally);
    compare_weights(spec, &*learner, &*by, stream);
    compare_scores(spec, &*learner, &*by, stream);
    tally
}

/// Compares a learner with its definition over several passes, each with its end.
pub(crate) fn compare_passes(
    spec: &str,
    mut by: Box<dyn Definition>,
    stream: &Stream,
    passes: usize,
) -> Tally {
    let mut learner = learner_for(spec, stream);
    let mut tally = Tally::default();
    for _ in 0..passes {
        one_pass(spec, &mut *learner, &mut *by, stream, false, &mut tally);
        learner.end_pass();
        by.end_pass();
        compare_weights(spec, &*learner, &*by, stream);
        compare_scores(spec, &*learner, &*by, stream);
    }
    tally
}

fn one_pass(
    spec: &str,
    learner: &mut dyn Learner,
    by: &mut dyn Definition,
    stream: &Stream,
    sums: bool,
    tally: &mut Tally,
) {
    for (t, sample) in stream.samples.iter().enumerate() {
        let at = || format!("{spec} on {}, trial {t}", stream.name);
        let (x, y) = (sample.dense(stream.slots()), sample.y());
        let reported = by.judge(&x, y);
        let (margin, updated) = trial(learner, sample.row(), sample.positive)
            .unwrap_or_else(|refusal| panic!("{}: {refusal}", at()));
        let scale = reported.margin.abs().max(reported.scale);
        let error = (margin - reported.margin).abs();
        assert!(
            error <= TOLERANCE * scale,
            "{}: margin {margin}, not {}",
            at(),
            reported.margin
        );
        if updated != reported.updates {
            let near = reported.edge <= TOLERANCE * scale && scale > 0.0 && !(sums && stream.exact);
            assert!(
                near,
                "{}: updated {updated} at margin {margin}, y {y}",
                at()
            );
            tally.excused += 1;
        }
        by.learn(&x, y, updated);
        tally.trials += 1;
        tally.updates += usize::from(updated);
    }
}

fn compare_weights(spec: &str, learner: &dyn Learner, by: &dyn Definition, stream: &Stream) {
    let (got, want) = (learner.weights(0), by.weights());
    let top = want.iter().fold(by.rounding(), |m, w| m.max(w.abs()));
    for (j, want) in want.iter().enumerate() {
        // past the end of the learner's memory nothing was learned
        let got = got.get(j).copied().unwrap_or_else(|| match spec {
            _ if spec.starts_with("winnow") => 1.0,
            _ if spec.starts_with("normalised-winnow") => *want,
            _ => 0.0,
        });
        let error = (got - want).abs();
        assert!(
            error <= TOLERANCE * top,
            "{spec} on {}: w[{j}] = {got}, not {want}",
            stream.name
        );
    }
}

/// The scores of all hypotheses on rows of another stream of the same kind.
fn compare_scores(spec: &str, learner: &dyn Learner, by: &dyn Definition, stream: &Stream) {
    let step = stream.samples.len() / 20 + 1;
    let halves = |s: &Sample| {
        let mut half = s.clone();
        half.value.iter_mut().step_by(2).for_each(|v| *v *= 0.5);
        half
    };
    for sample in stream
        .samples
        .iter()
        .step_by(step)
        .flat_map(|s| [s.clone(), halves(s)])
    {
        for &hypothesis in learner.hypotheses() {
            let (want, scale) = by.score(&sample.dense(stream.slots()), hypothesis);
            let got = score(learner, sample.row(), hypothesis);
            let error = (got - want).abs();
            assert!(
                error <= TOLERANCE * want.abs().max(scale),
                "{spec} on {}: {} score {got}, not {want}",
                stream.name,
                hypothesis.name(),
            );
        }
    }
}

/// Compares on several streams of the given kinds, and that the comparison was worth it.
pub(crate) fn compare_all(
    spec: &str,
    kinds: &[Kind],
    trials: usize,
    define: impl Fn(&Stream) -> Box<dyn Definition>,
    change: impl Fn(Stream) -> Stream,
    sums: bool,
) {
    let mut total = Tally::default();
    for &kind in kinds {
        for seed in 0..cases(6) {
            let stream = change(stream(kind, seed, trials));
            total.add(&compare(spec, define(&stream), &stream, sums));
        }
    }
    assert!(
        total.updates * 50 > total.trials,
        "{spec}: too few updates to judge: {total:?}"
    );
    assert!(
        total.excused * 200 <= total.trials,
        "{spec}: too many near ties: {total:?}"
    );
}

pub(crate) fn unchanged(stream: Stream) -> Stream {
    stream
}
