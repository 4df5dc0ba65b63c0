//! The weighted majority beside its definition over the definitions of its experts, and its theorem on streams.
//!
//! `NOVIKOFF_STREAMS=10000` tries the theorem on that many streams; what was seen is printed.

#![allow(
    clippy::unwrap_used,
    clippy::disallowed_methods,
    clippy::print_stdout,
    clippy::too_many_lines
)]

use crate::common;

use common::certified::streams;
use common::definition::{Definition, PassiveAggressive, Perceptron};
use common::majority::{InKernel, SlowVote};
use common::second::ArowDiagonal;
use common::stream::{KINDS, Kind, Sample, Stream, stream};
use common::{cases, learner_for};
use novikoff::certificate::majority::{Rivalled, bound};
use novikoff::kernel::Kernel;
use novikoff::learner::{Hypothesis, Panel, Trial, Voting};
use novikoff::spec::Spec;
use novikoff::{Model, Task};

/// An expert by its definition: one per class, and what is done to its rows.
struct SlowExpert {
    by: Vec<Box<dyn Definition>>,
    normalize: bool,
    bias: Option<f64>,
    /// Trials on which its answer was wrong.
    mistakes: u64,
}

/// What an expert makes of a trial.
struct Tried {
    x: Vec<f64>,
    is_zero: bool,
    /// By lane.
    margin: Vec<f64>,
    updates: Vec<bool>,
    /// A decision that rounding may have made.
    near: bool,
}

impl SlowExpert {
    /// Slot 0 is the constant feature: replaced, or taken out.
    fn prepared(&self, sample: &Sample, slots: usize) -> Vec<f64> {
        let mut x = sample.dense(slots);
        if sample.index.first() == Some(&0) {
            x[0] = self.bias.unwrap_or(0.0) * sample.scale;
        }
        let length = x.iter().map(|v| v * v).sum::<f64>().sqrt();
        if self.normalize && length > 0.0 {
            for v in &mut x {
                *v /= length;
            }
        }
        x
    }

    fn trial(&mut self, sample: &Sample, slots: usize, y: &[f64]) -> Tried {
        let x = self.prepared(sample, slots);
        // a row that is zero for an expert changes nothing of it
        let is_zero = x.iter().all(|v| *v == 0.0);
        let mut tried = Tried {
            is_zero,
            margin: Vec::new(),
            updates: Vec::new(),
            near: false,
            x,
        };
        for (by, y) in self.by.iter_mut().zip(y) {
            let judgement = by.judge(&tried.x, *y);
            let at_rest = judgement.margin == 0.0 && judgement.scale == 0.0;
            tried.near |= judgement.edge <= 1e-9 * judgement.scale && !is_zero && !at_rest;
            tried.near |=
                judgement.margin.abs() <= 1e-9 * judgement.scale && judgement.margin != 0.0;
            tried.margin.push(judgement.margin);
            tried.updates.push(judgement.updates && !is_zero);
        }
        tried
    }

    fn learn(&mut self, tried: &Tried, y: &[f64]) {
        if !tried.is_zero {
            for ((by, y), updates) in self.by.iter_mut().zip(y).zip(&tried.updates) {
                by.learn(&tried.x, *y, *updates);
            }
        }
    }
}

const SPEC: &str = "auto(perceptron; passive-aggressive@normalize=2,bias=1; arow@bias=1; perceptron:margin=0.5@bias=2)";

/// The experts of [`SPEC`] in a number of lanes, or those of [`IN_KERNEL`].
fn definitions(slots: usize, lanes: usize, kernel: Option<Kernel>) -> Vec<SlowExpert> {
    let expert = |by: &dyn Fn() -> Box<dyn Definition>, normalize, bias| SlowExpert {
        by: (0..lanes).map(|_| by()).collect(),
        normalize,
        bias,
        mistakes: 0,
    };
    if let Some(kernel) = kernel {
        let by = |beta| move || -> Box<dyn Definition> { Box::new(InKernel::new(kernel, beta)) };
        return vec![
            expert(&by(Some(0.0)), false, None),
            expert(&by(None), true, Some(1.0)),
            expert(&by(Some(0.5)), false, Some(1.0)),
        ];
    }
    let perceptron = |beta| {
        move || -> Box<dyn Definition> {
            Box::new(Perceptron::new(slots, beta, Hypothesis::Final, false))
        }
    };
    let aggressive =
        || -> Box<dyn Definition> { Box::new(PassiveAggressive::new(slots, "1", 1.0)) };
    let arow = || -> Box<dyn Definition> { Box::new(ArowDiagonal::new(slots, 1.0)) };
    vec![
        expert(&perceptron(0.0), false, None),
        expert(&aggressive, true, Some(1.0)),
        expert(&arow, false, Some(1.0)),
        expert(&perceptron(0.5), false, Some(2.0)),
    ]
}

const IN_KERNEL: &str =
    "auto(perceptron; passive-aggressive@normalize=2,bias=1; perceptron:margin=0.5@bias=1)";

/// What labels are to each other.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Labels {
    /// Yes or no.
    Two,
    /// One of several.
    One,
    /// Any number of several.
    Any,
}

/// Labels for a stream: by row, the classes it has. Later classes appear late, and class 2 is the lowest in order.
fn labels_of(labels: Labels, stream: &Stream, seed: u64) -> Vec<Vec<usize>> {
    let n = stream.samples.len();
    let class = |t: usize, sample: &Sample| {
        let mixed = (t as u64).wrapping_mul(seed + 7).is_multiple_of(5);
        let late = if t > n / 3 { 2 } else { 1 };
        (usize::from(sample.positive) + usize::from(mixed)).min(late)
    };
    let of_row = |(t, sample): (usize, &Sample)| match labels {
        Labels::Two => Vec::from_iter(sample.positive.then_some(0)),
        Labels::Any if t.is_multiple_of(7) => Vec::new(),
        Labels::Any if t % 4 == 1 => vec![0, 1 + usize::from(t > n / 3)],
        Labels::One | Labels::Any => vec![class(t, sample)],
    };
    stream.samples.iter().enumerate().map(of_row).collect()
}

/// The order of labels, lowest first, by class.
const ORDER: [usize; 3] = [2, 0, 1];

/// Runs the definition beside the learner until the first near tie; how many trials were compared, and how many experts were retired.
struct Beside {
    labels: Labels,
    beta: Option<f64>,
    share: f64,
    kernel: Option<Kernel>,
}

impl Beside {
    fn run(&self, spec: &str, stream: &Stream, seed: u64) -> (usize, usize) {
        let mut learner = match self.kernel {
            None => learner_for(spec, stream),
            Some(kernel) => {
                let spec = Spec::parse(spec).unwrap();
                let parameters = spec.parameters(Some(stream.width)).unwrap();
                spec.learner(&parameters, kernel, 1 << 30).unwrap()
            }
        };
        let (slots, is_two) = (stream.slots(), self.labels == Labels::Two);
        // lane 0 of several is no class
        let lanes = if is_two { 1 } else { 4 };
        let mut experts = definitions(slots, lanes, self.kernel);
        let vote = || SlowVote::new(experts.len(), self.beta, self.share);
        let mut votes: Vec<SlowVote> = match self.labels {
            Labels::One => vec![vote()],
            Labels::Two | Labels::Any => (0..lanes).map(|_| vote()).collect(),
        };
        if self.labels == Labels::Any {
            learner.set_voting(Voting::EachLabel);
        }
        // the lane of the learner by class, in the order of appearance
        let (mut lane_of, mut out) = ([usize::MAX; 3], Trial::default());
        let mut majority = 0;
        let rows = stream
            .samples
            .iter()
            .zip(labels_of(self.labels, stream, seed));
        for (t, (sample, has)) in rows.enumerate() {
            let at = format!("{spec} {:?}, {}, trial {t}", self.labels, stream.name);
            for &class in has.iter().filter(|_| !is_two) {
                if lane_of[class] == usize::MAX {
                    learner.add_lane(0).unwrap();
                    lane_of[class] = learner.lanes() - 1;
                    let lanes = ORDER.map(|class| lane_of[class]);
                    let known = lanes.into_iter().filter(|lane| *lane < usize::MAX);
                    learner.set_voting(match self.labels {
                        Labels::One => Voting::OneOf(known.collect()),
                        _ => Voting::EachLabel,
                    });
                }
            }
            // slow lanes are by class; those of classes to come are fed no, as lane 0 is
            let slow_lane = |class: usize| if is_two { 0 } else { class + 1 };
            let y: Vec<f64> = (0..lanes)
                .map(|lane| {
                    if has.iter().any(|c| slow_lane(*c) == lane) {
                        1.0
                    } else {
                        -1.0
                    }
                })
                .collect();
            let tried: Vec<Tried> = experts
                .iter_mut()
                .map(|expert| expert.trial(sample, slots, &y))
                .collect();
            let place = |class: usize| if is_two { 0 } else { lane_of[class] };
            let positive: Vec<usize> = has.iter().map(|class| place(*class)).collect();
            learner.trial(sample.row(), &positive, &mut out).unwrap();
            let panel = learner.panel().unwrap();
            let gone = |i: usize, t: usize| {
                let retired = panel.experts[i].retired;
                retired.is_some_and(|retired| retired.trial <= t as u64)
            };
            let runs: Vec<bool> = (0..experts.len()).map(|i| !gone(i, t)).collect();
            if tried
                .iter()
                .zip(&runs)
                .any(|(tried, runs)| tried.near && *runs)
            {
                return (t, retired(&panel));
            }
            let known: Vec<usize> = match self.labels {
                Labels::Two => vec![0],
                _ => (0..3)
                    .filter(|class| lane_of[*class] < usize::MAX)
                    .collect(),
            };
            let answers = |say: &dyn Fn(&Tried) -> usize| -> Vec<Option<usize>> {
                let said = tried.iter().zip(&runs);
                said.map(|(tried, runs)| runs.then(|| say(tried))).collect()
            };
            let (mut any_wrong, mut expert_wrong) = (false, vec![false; experts.len()]);
            if self.labels == Labels::One {
                // the class of the largest score, the lowest in order of several
                let ranked: Vec<usize> = ORDER.into_iter().filter(|c| known.contains(c)).collect();
                let score = |tried: &Tried, rank: usize| tried.margin[slow_lane(ranked[rank])];
                let best = |tried: &Tried| {
                    let mut best = 0;
                    for rank in 1..ranked.len() {
                        if score(tried, rank) > score(tried, best) {
                            best = rank;
                        }
                    }
                    best
                };
                let scores_near = tried.iter().zip(&runs).any(|(tried, runs)| {
                    let top = score(tried, best(tried));
                    let mut others = (0..ranked.len()).map(|rank| score(tried, rank));
                    *runs
                        && others
                            .any(|s| s != top && (top - s).abs() <= 1e-9 * (top.abs() + s.abs()))
                });
                let answers = answers(&best);
                let Some(said) = votes[0].answer(&answers, ranked.len()) else {
                    return (t, retired(&panel));
                };
                if scores_near {
                    return (t, retired(&panel));
                }
                let truth = ranked.iter().position(|class| *class == has[0]).unwrap();
                let yes: Vec<usize> = (0..ranked.len())
                    .filter(|rank| out.margin[place(ranked[*rank])] >= 0.0)
                    .collect();
                assert_eq!(yes, [said], "{at}");
                votes[0].learn(&answers, truth, said);
                any_wrong = said != truth;
                for (wrong, answer) in expert_wrong.iter_mut().zip(&answers) {
                    *wrong = *answer != Some(truth);
                }
            } else {
                for lane in 0..lanes {
                    // a tie is no, the lower of both
                    let answers = answers(&|tried| usize::from(tried.margin[lane] >= 0.0));
                    let Some(said) = votes[lane].answer(&answers, 2) else {
                        return (t, retired(&panel));
                    };
                    let truth = usize::from(y[lane] > 0.0);
                    votes[lane].learn(&answers, truth, said);
                    let class = if is_two { Some(0) } else { lane.checked_sub(1) };
                    let Some(class) = class.filter(|class| known.contains(class)) else {
                        continue;
                    };
                    assert_eq!(usize::from(out.margin[place(class)] >= 0.0), said, "{at}");
                    any_wrong |= said != truth;
                    for (wrong, answer) in expert_wrong.iter_mut().zip(&answers) {
                        *wrong |= *answer != Some(truth);
                    }
                }
            }
            majority += u64::from(any_wrong);
            for (class, lane) in known.iter().map(|class| (place(*class), slow_lane(*class))) {
                let updates = tried
                    .iter()
                    .zip(&runs)
                    .filter(|(tried, runs)| **runs && tried.updates[lane]);
                assert_eq!(out.updates[class], updates.count() as u64, "{at}");
            }
            for ((expert, tried), wrong) in experts.iter_mut().zip(&tried).zip(&expert_wrong) {
                expert.mistakes += u64::from(*wrong);
                expert.learn(tried, &y);
            }
            let counted: Vec<u64> = panel.experts.iter().map(|expert| expert.mistakes).collect();
            let mistakes: Vec<u64> = experts.iter().map(|expert| expert.mistakes).collect();
            assert_eq!(counted, mistakes, "{at}");
            assert_eq!(
                panel
                    .course
                    .last()
                    .map(|moment| moment.majority)
                    .filter(|_| t < 60),
                (t < 60).then_some(majority),
                "{at}"
            );
            let pairs: Vec<(usize, usize)> = match self.labels {
                Labels::Two | Labels::One => vec![(0, 0)],
                Labels::Any => std::iter::once((0, 0))
                    .chain(known.iter().map(|class| (place(*class), slow_lane(*class))))
                    .collect(),
            };
            assert_eq!(panel.votes.len(), pairs.len(), "{at}");
            for (fast, slow) in pairs {
                let (fast, slow) = (&panel.votes[fast], &votes[slow]);
                assert_eq!(
                    (&fast.mistakes, fast.majority),
                    (&slow.mistakes, slow.majority),
                    "{at}"
                );
                assert!(
                    (fast.progress - slow.progress).abs() <= 1e-9 * slow.progress.max(1.0),
                    "{at}"
                );
                assert!((fast.eta - slow.eta()).abs() <= 1e-12, "{at}");
                let weights = slow.weights();
                let all: f64 = weights.iter().sum();
                for (fast, slow) in fast.weights.iter().zip(&weights) {
                    assert!(
                        (fast - slow / all).abs() <= 1e-9,
                        "{at}: {fast} {}",
                        slow / all
                    );
                }
            }
        }
        (stream.samples.len(), retired(&learner.panel().unwrap()))
    }
}

fn retired(panel: &Panel) -> usize {
    let retired = panel
        .experts
        .iter()
        .filter(|expert| expert.retired.is_some());
    retired.count()
}

/// Two labels, many, any number; a rate that falls or is fixed; shared weight; experts that are retired.
#[test]
fn the_majority_is_that_of_its_definition() {
    for labels in [Labels::Two, Labels::One, Labels::Any] {
        let (mut compared, mut gone) = (0, 0);
        for (keys, beta, share) in [
            (":cost=1000", None, 0.0),
            (":cost=1000,beta=0.8", Some(0.8), 0.0),
            (":cost=1000,beta=0.6,share=0.05", Some(0.6), 0.05),
            (":cost=1.2", None, 0.0),
            (":cost=1,beta=0.6,share=0.05", Some(0.6), 0.05),
        ] {
            let beside = Beside {
                labels,
                beta,
                share,
                kernel: None,
            };
            for kind in KINDS {
                for seed in 0..cases(3) {
                    let stream = stream(*kind, seed, 300);
                    let (trials, retired) = beside.run(&format!("{SPEC}{keys}"), &stream, seed);
                    compared += trials;
                    gone += retired;
                }
            }
        }
        assert!(
            compared > 5000,
            "{labels:?}: {compared} trials before the first tie"
        );
        assert!(gone > 20, "{labels:?}: {gone} experts were retired");
    }
}

#[test]
fn in_the_space_of_a_kernel_it_is_that_of_its_definition() {
    let mut compared = 0;
    for kernel in ["gaussian:gamma=0.1", "poly:degree=2"] {
        let kernel = Kernel::parse(kernel).unwrap();
        for labels in [Labels::Two, Labels::One, Labels::Any] {
            for (keys, beta, share) in [
                (":cost=1000", None, 0.0),
                (":cost=1000,beta=0.6,share=0.05", Some(0.6), 0.05),
            ] {
                let beside = Beside {
                    labels,
                    beta,
                    share,
                    kernel: Some(kernel),
                };
                for kind in [Kind::Dense, Kind::Sparse, Kind::Integer, Kind::Repeated] {
                    for seed in 0..cases(2) {
                        let stream = stream(kind, seed, 120);
                        compared += beside.run(&format!("{IN_KERNEL}{keys}"), &stream, seed).0;
                    }
                }
            }
        }
    }
    assert!(compared > 3000, "{compared} trials before the first tie");
}

/// The bound of every vote, by its formula, and that the run kept to it.
fn check_bounds(panel: &Panel, share: f64, beta: Option<f64>) -> f64 {
    let mut least_room = f64::INFINITY;
    for votes in &panel.votes {
        let rival = Rivalled::best(votes);
        let Some(certificate) = bound(votes, share, rival) else {
            continue;
        };
        let n = votes.mistakes.len() as f64;
        let want = match beta {
            Some(beta) if share > 0.0 => {
                let changes = rival.switches as f64 * ((n - 1.0) * (1.0 - share) / share).ln();
                (rival.mistakes * -beta.ln() + n.ln() + changes)
                    / ((2.0 / (1.0 + beta)).ln() - (1.0 / (1.0 - share)).ln())
            }
            Some(beta) => (rival.mistakes * -beta.ln() + n.ln()) / (2.0 / (1.0 + beta)).ln(),
            None => {
                let mean = votes.progress / votes.majority.max(1) as f64;
                if votes.majority == 0 {
                    certificate.bound
                } else {
                    (rival.mistakes + n.ln() / votes.eta) / mean
                }
            }
        };
        assert!(
            certificate.bound >= want * (1.0 - 1e-12) && certificate.bound <= want * (1.0 + 1e-9),
            "{} {want}",
            certificate.bound
        );
        assert!(certificate.holds(), "{votes:?}");
        least_room = least_room.min(certificate.bound - certificate.counted as f64);
    }
    least_room
}

/// A sequence of experts that changes after mistakes of the majority can be better than any expert, and is what shared weight is compared
/// with.
#[test]
fn wm_holds_on_streams() {
    let keys: [(&str, Option<f64>, f64); 5] = [
        ("", None, 0.0),
        (":beta=0.3", Some(0.3), 0.0),
        (":beta=0.9", Some(0.9), 0.0),
        (":beta=0.5,share=0.01", Some(0.5), 0.01),
        (":beta=0.3,share=0.1,cost=2", Some(0.3), 0.1),
    ];
    let (mut tried, mut least) = (0_u64, f64::INFINITY);
    for seed in 0..streams() {
        let kind = KINDS[seed as usize % KINDS.len()];
        let mut stream = stream(kind, seed, 80);
        // the target turns around in the middle of some
        if seed % 3 == 0 {
            let half = stream.samples.len() / 2;
            stream.samples[half..]
                .iter_mut()
                .for_each(|s| s.positive = !s.positive);
        }
        for (keys, beta, share) in keys {
            let mut learner = learner_for(&format!("{SPEC}{keys}"), &stream);
            let mut out = Trial::default();
            for sample in &stream.samples {
                let positive: &[usize] = if sample.positive { &[0] } else { &[] };
                learner.trial(sample.row(), positive, &mut out).unwrap();
            }
            let panel = learner.panel().unwrap();
            least = least.min(check_bounds(&panel, share, beta));
            tried += 1;
        }
    }
    println!("WM: {tried} runs, at least {least:.3} below the bound");
}

/// Several classes and several labels: one vote, and one per label.
#[test]
fn several_classes_and_labels() {
    for task in [Task::OneVsRest, Task::MultiLabel] {
        let spec = "auto(perceptron; passive-aggressive@normalize=2; averaged):cost=100";
        let mut model = Model::builder(spec).task(task.clone()).build().unwrap();
        let mut alone = ["perceptron", "passive-aggressive@normalize=2", "averaged"]
            .map(|spec| Model::builder(spec).task(task.clone()).build().unwrap());
        let data = stream(KINDS[0], 3, 400);
        let mut wrong = [0_u64; 3];
        for (t, sample) in data.samples.iter().enumerate() {
            let label = ["c", "a", "b"][usize::from(sample.positive) + usize::from(t % 5 == 0)];
            let _ = model.learn(sample.row(), [label]).unwrap();
            for (model, wrong) in alone.iter_mut().zip(&mut wrong) {
                let outcome = model.learn(sample.row(), [label]).unwrap();
                *wrong += u64::from(outcome.is_mistake());
            }
        }
        let panel = model.learner().panel().unwrap();
        let counted: Vec<u64> = panel.experts.iter().map(|expert| expert.mistakes).collect();
        // classes that have not appeared are nobody's answer here, and may be found out later of a learner alone
        for (counted, wrong) in counted.iter().zip(wrong) {
            assert!(counted.abs_diff(wrong) <= 3, "{task:?}: {counted} {wrong}");
        }
        let votes = if matches!(task, Task::OneVsRest) {
            1
        } else {
            4
        };
        assert_eq!(panel.votes.len(), votes);
        check_bounds(&panel, 0.0, None);
        let best = model.best_expert().unwrap();
        assert_eq!(best.totals().mistakes, *counted.iter().min().unwrap());
        let row = data.samples[7].row();
        let place = counted
            .iter()
            .position(|m| *m == best.totals().mistakes)
            .unwrap();
        assert_eq!(best.classify(row), alone[place].classify(row));
    }
}

#[test]
fn an_expert_that_refuses_a_row_is_retired_and_the_rest_go_on() {
    use novikoff::{Label, Row};
    let mut model = Model::builder("auto(winnow:theta=2; perceptron)")
        .build()
        .unwrap();
    let _ = model.learn(Row::dense(&[1.0, 0.5]), [Label::Pos]).unwrap();
    let _ = model.learn(Row::dense(&[1.0, -0.5]), [Label::Neg]).unwrap();
    let _ = model.learn(Row::dense(&[1.0, 0.5]), [Label::Pos]).unwrap();
    let panel = model.learner().panel().unwrap();
    let retired = panel.experts[0].retired.unwrap();
    assert_eq!((retired.trial, panel.experts[1].retired), (1, None));
    assert!(retired.because.words().contains("value"));
    // the second and the third trial count as wrong
    assert!(panel.experts[0].mistakes >= 2);
    let refused = Model::builder("auto(winnow:theta=2)").build().unwrap();
    let mut refused = refused;
    assert!(refused.learn(Row::dense(&[-1.0]), [Label::Pos]).is_err());
}

/// What costs too much is retired, and what is left costs no more than is allowed.
#[test]
fn the_cost_is_kept() {
    let stream = stream(KINDS[1], 5, 2000);
    for (spec, most) in [
        ("auto(perceptron; logistic; arow):cost=3", 3.0),
        (
            "auto(perceptron; second-order:form=primal; arow; logistic):cost=4",
            4.0,
        ),
    ] {
        let mut learner = learner_for(spec, &stream);
        let mut out = Trial::default();
        for sample in &stream.samples {
            let positive: &[usize] = if sample.positive { &[0] } else { &[] };
            learner.trial(sample.row(), positive, &mut out).unwrap();
        }
        let panel = learner.panel().unwrap();
        assert!(panel.cost <= most, "{spec}: {}", panel.cost);
        assert!(
            panel.experts.iter().any(|expert| expert.retired.is_some()),
            "{spec}"
        );
        assert!(
            panel.experts[0].retired.is_none(),
            "{spec}: the cheapest stays"
        );
    }
}

/// Rows without values but the constant feature cost the perceptron next to nothing. That the first one is such a row says nothing of the
/// others, and no expert is retired for it.
#[test]
fn a_first_row_that_is_almost_empty_retires_nobody() {
    let spec = "auto(perceptron@bias=1; passive-aggressive@normalize=2,bias=1; arow@bias=1; logistic@normalize=2,bias=1)";
    for lanes in [1, 4] {
        let mut data = stream(Kind::Sparse, 3, 400);
        for (t, sample) in data.samples.iter_mut().enumerate() {
            sample.index.retain(|slot| *slot > 0);
            sample.value.truncate(sample.index.len());
            if t < 2 {
                sample.index.clear();
                sample.value.clear();
            }
            sample.index.insert(0, 0);
            sample.value.insert(0, 1.0);
        }
        let mut learner = learner_for(spec, &data);
        (1..lanes).for_each(|_| learner.add_lane(0).unwrap());
        let mut out = Trial::default();
        for (t, sample) in data.samples.iter().enumerate() {
            let positive: &[usize] = if sample.positive { &[lanes - 1] } else { &[] };
            learner.trial(sample.row(), positive, &mut out).unwrap();
            let panel = learner.panel().unwrap();
            // with several classes `logistic` costs too much alone
            if lanes == 1 {
                assert_eq!(retired(&panel), 0, "{lanes} lanes, trial {t}");
            } else {
                assert!(retired(&panel) <= 1, "{lanes} lanes, trial {t}");
            }
        }
        let cost = learner.panel().unwrap().cost;
        assert!(cost <= 8.0, "{lanes} lanes: {cost}");
    }
}
