//! The weighted majority beside its definition over the definitions of its experts, and its theorem on streams.
//!
//! `NOVIKOFF_STREAMS=10000` tries the theorem on that many streams; what was seen is printed.

#![allow(clippy::unwrap_used, clippy::disallowed_methods, clippy::print_stdout)]

use crate::common;

use common::certified::streams;
use common::definition::{Definition, PassiveAggressive, Perceptron};
use common::second::ArowDiagonal;
use common::stream::{KINDS, Sample, Stream, stream};
use common::{cases, learner_for};
use novikoff::certificate::majority::{Rivalled, bound};
use novikoff::learner::{Hypothesis, Panel, Trial};
use novikoff::{Model, Task};

/// An expert by its definition, and what is done to its rows.
struct SlowExpert {
    by: Box<dyn Definition>,
    normalize: bool,
    bias: Option<f64>,
    mistakes: u64,
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
}

const SPEC: &str = "auto(perceptron; passive-aggressive@normalize=2,bias=1; arow@bias=1; perceptron:margin=0.5@bias=2)";

fn definitions(stream: &Stream) -> Vec<SlowExpert> {
    let slots = stream.slots();
    let expert = |by: Box<dyn Definition>, normalize, bias| SlowExpert {
        by,
        normalize,
        bias,
        mistakes: 0,
    };
    let perceptron = |beta| Box::new(Perceptron::new(slots, beta, Hypothesis::Final, false));
    vec![
        expert(perceptron(0.0), false, None),
        expert(
            Box::new(PassiveAggressive::new(slots, "1", 1.0)),
            true,
            Some(1.0),
        ),
        expert(Box::new(ArowDiagonal::new(slots, 1.0)), false, Some(1.0)),
        expert(perceptron(0.5), false, Some(2.0)),
    ]
}

/// `sqrt(8 ln N / (1 + m))` and at most ln 2, or fixed.
fn rate(beta: Option<f64>, experts: &[SlowExpert]) -> f64 {
    let least = experts.iter().map(|e| e.mistakes).min().unwrap() as f64;
    let falling = (8.0 * (experts.len() as f64).ln() / (1.0 + least)).sqrt();
    beta.map_or(falling.min(2.0_f64.ln()), |beta| -beta.ln())
}

/// Runs the definition beside the learner until the first near tie; how many trials were compared.
fn beside(spec: &str, beta: Option<f64>, stream: &Stream) -> usize {
    let mut learner = learner_for(spec, stream);
    let mut experts = definitions(stream);
    let (mut majority, mut progress) = (0, 0.0);
    let (mut out, mut eta) = (Trial::default(), rate(beta, &experts));
    for (t, sample) in stream.samples.iter().enumerate() {
        eta = rate(beta, &experts);
        let y = sample.y();
        let mut weights = (0.0, 0.0);
        let mut judged = Vec::new();
        let mut near = false;
        for expert in &mut experts {
            let x = expert.prepared(sample, stream.slots());
            let weight = (-eta * expert.mistakes as f64).exp();
            // a row that is zero for an expert changes nothing of it
            let is_zero = x.iter().all(|v| *v == 0.0);
            let judgement = expert.by.judge(&x, y);
            let at_rest = judgement.margin == 0.0 && judgement.scale == 0.0;
            near |= judgement.edge <= 1e-9 * judgement.scale && !is_zero && !at_rest;
            near |= judgement.margin.abs() <= 1e-9 * judgement.scale && judgement.margin != 0.0;
            let yes = judgement.margin >= 0.0;
            *(if yes { &mut weights.0 } else { &mut weights.1 }) += weight;
            judged.push((x, yes, judgement.updates && !is_zero, is_zero));
        }
        let is_tie = (weights.0 - weights.1).abs() <= 1e-9 * (weights.0 + weights.1);
        let positive: &[usize] = if y > 0.0 { &[0] } else { &[] };
        learner.trial(sample.row(), positive, &mut out).unwrap();
        if near {
            return t;
        }
        // ties are tested by hand
        let says_yes = if is_tie {
            out.margin[0] >= 0.0
        } else {
            weights.0 > weights.1
        };
        assert_eq!(out.margin[0] >= 0.0, says_yes, "{spec}, trial {t}");
        let updates = judged.iter().filter(|(_, _, updates, _)| *updates).count();
        assert_eq!(out.updates, [updates as u64], "{spec}, trial {t}");
        if says_yes != (y > 0.0) {
            majority += 1;
            progress += (2.0 / (1.0 + (-eta).exp())).ln() / eta;
        }
        for (expert, (x, yes, updates, is_zero)) in experts.iter_mut().zip(judged) {
            expert.mistakes += u64::from(yes != (y > 0.0));
            if !is_zero {
                expert.by.learn(&x, y, updates);
            }
        }
        let panel = learner.panel().unwrap();
        let mistakes: Vec<u64> = experts.iter().map(|expert| expert.mistakes).collect();
        assert_eq!(panel.votes[0].mistakes, mistakes, "{spec}, trial {t}");
        assert_eq!(panel.votes[0].majority, majority, "{spec}, trial {t}");
    }
    let votes = &learner.panel().unwrap().votes[0];
    assert!((votes.progress - progress).abs() <= 1e-9 * progress.max(1.0));
    let eta = if beta.is_some() {
        eta
    } else {
        rate(None, &experts)
    };
    assert!((votes.eta - eta).abs() <= 1e-12);
    stream.samples.len()
}

#[test]
fn the_majority_is_that_of_its_definition() {
    let mut compared = 0;
    for (keys, beta) in [(":cost=1000", None), (":cost=1000,beta=0.8", Some(0.8))] {
        for kind in KINDS {
            for seed in 0..cases(4) {
                let stream = stream(*kind, seed, 300);
                compared += beside(&format!("{SPEC}{keys}"), beta, &stream);
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
