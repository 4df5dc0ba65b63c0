//! Rows with weights: the step counts as often as the weight says, the trial once.

#![allow(clippy::unwrap_used, clippy::disallowed_methods)]

use crate::common;

use common::stream::gaussian;
use novikoff::catalog::{CATALOG, SpecParts, names_of};
use novikoff::label::RawLabel;
use novikoff::learner::{Hypothesis, Refusal};
use novikoff::model::{self, Model, TrialError};
use novikoff::random::SplitMix64;
use novikoff::row::Row;
use novikoff::spec::Spec;

const D: usize = 6;

struct Example {
    x: Vec<f32>,
    y: f64,
    weight: f64,
}

fn stream(seed: u64, rows: usize) -> Vec<Example> {
    let mut g = SplitMix64::new(seed);
    let target: Vec<f64> = (0..D).map(|_| gaussian(&mut g)).collect();
    let example = |_| {
        let x: Vec<f32> = (0..D).map(|_| gaussian(&mut g) as f32).collect();
        let score: f64 = x.iter().zip(&target).map(|(x, t)| f64::from(*x) * t).sum();
        let noise = if g.below(8) == 0 { -1.0 } else { 1.0 };
        let weight = [0.0, 0.25, 1.0, 1.0, 3.0][g.below(5)];
        Example {
            x,
            y: noise * score.signum(),
            weight,
        }
    };
    (0..rows).map(example).collect()
}

fn model(spec: &str) -> Model {
    let spec = Spec::parse(spec).unwrap();
    Model::builder(spec).width(D as u32).build().unwrap()
}

fn tell(model: &mut Model, e: &Example) -> Result<bool, TrialError> {
    let text = if e.y > 0.0 { "+1" } else { "-1" };
    let labels = [RawLabel::new(e.y, text.as_bytes())];
    let example = model::Example {
        weight: e.weight,
        ..Row::dense(&e.x).into()
    };
    let outcome = model.learn(example, labels)?;
    Ok(outcome.is_mistake())
}

fn dot(w: &[f64], x: &[f32]) -> f64 {
    w.iter().zip(x).map(|(w, x)| w * f64::from(*x)).sum()
}

fn sgn(score: f64) -> f64 {
    if score >= 0.0 { 1.0 } else { -1.0 }
}

fn close(a: f64, b: f64) -> bool {
    (a - b).abs() <= 1e-9 * (1.0 + a.abs().max(b.abs()))
}

/// The image of `v` under the gradient of half the squared p-norm.
fn image(v: &[f64], p: f64) -> Vec<f64> {
    let norm = v.iter().map(|v| v.abs().powf(p)).sum::<f64>().powf(1.0 / p);
    let part = |v: &f64| v.signum() * v.abs().powf(p - 1.0) / norm.powf(p - 2.0);
    v.iter()
        .map(|v| if *v == 0.0 { 0.0 } else { part(v) })
        .collect()
}

#[test]
fn weighted_perceptrons_equal_their_definitions() {
    for seed in 0..20 {
        let rows = stream(seed, 120);
        for (spec, p) in [
            ("perceptron", 2.0),
            ("averaged", 2.0),
            ("voted", 2.0),
            ("p-norm:p=4", 4.0),
        ] {
            let mut learner = model(spec);
            let mut v = vec![0.0; D];
            // the vectors after each trial that counts, for averages and votes
            let mut history: Vec<Vec<f64>> = Vec::new();
            let mut mistakes = 0;
            for e in &rows {
                let w = image(&v, p);
                let mistake = sgn(dot(&w, &e.x)) != e.y;
                assert_eq!(tell(&mut learner, e).unwrap(), mistake, "{spec}");
                mistakes += u64::from(mistake);
                if mistake {
                    for (v, x) in v.iter_mut().zip(&e.x) {
                        *v += e.weight * e.y * f64::from(*x);
                    }
                }
                if e.weight > 0.0 {
                    history.push(v.clone());
                }
            }
            assert_eq!(learner.totals().trials, rows.len() as u64);
            assert_eq!(learner.totals().mistakes, mistakes);
            let w = image(&v, p);
            let mut scores = Vec::new();
            for e in stream(seed + 1000, 20) {
                learner.scores(Row::dense(&e.x), Some(Hypothesis::Final), &mut scores);
                assert!(close(scores[0], dot(&w, &e.x)), "{spec}");
                let all = history.iter().map(|w| dot(w, &e.x));
                if learner
                    .learner()
                    .hypotheses()
                    .contains(&Hypothesis::Averaged)
                {
                    learner.scores(Row::dense(&e.x), Some(Hypothesis::Averaged), &mut scores);
                    let mean = all.clone().sum::<f64>() / history.len() as f64;
                    assert!(close(scores[0], mean), "{spec}: {} {mean}", scores[0]);
                }
                if spec == "voted" {
                    learner.scores(Row::dense(&e.x), None, &mut scores);
                    assert_eq!(scores[0], all.map(sgn).sum::<f64>());
                }
            }
        }
    }
}

#[test]
fn weight_one_is_no_weight_and_weight_zero_only_predicts() {
    let rows = stream(3, 200);
    for entry in CATALOG {
        // experts that take no weights leave the majority
        let has_experts = entry.can.parts == SpecParts::Learners;
        if entry.can.needs_all_rows || entry.can.needs_non_negative || has_experts {
            continue;
        }
        let (mut plain, mut weighted) = (model(entry.name), model(entry.name));
        let is_weighted = entry.can.weighted;
        for e in &rows {
            let one = Example {
                x: e.x.clone(),
                y: e.y,
                weight: 1.0,
            };
            if is_weighted {
                let zero = Example {
                    weight: 0.0,
                    x: e.x.clone(),
                    y: e.y,
                };
                let before = weighted.learner().weights(0);
                tell(&mut weighted, &zero).unwrap();
                // room for new features is no change
                assert_eq!(before, weighted.learner().weights(0)[..before.len()]);
            }
            let text = if e.y > 0.0 { "+1" } else { "-1" };
            let labels = [RawLabel::new(e.y, text.as_bytes())];
            let outcome = plain.learn(Row::dense(&e.x), labels);
            let mistake = outcome.unwrap().is_mistake();
            assert_eq!(tell(&mut weighted, &one).unwrap(), mistake);
        }
        assert_eq!(
            plain.learner().weights(0),
            weighted.learner().weights(0),
            "{}",
            entry.name
        );
    }
}

#[test]
fn learners_without_a_weighted_form_refuse_and_stay_as_they_are() {
    let mut refusing = Vec::new();
    for entry in CATALOG {
        let mut learner = model(entry.name);
        if entry.can.weighted {
            continue;
        }
        refusing.push(entry.name);
        let e = Example {
            x: vec![1.0; D],
            y: -1.0,
            weight: 2.0,
        };
        let refused = tell(&mut learner, &e).unwrap_err();
        assert_eq!(
            refused,
            TrialError::Refused(Refusal::Weight {
                learner: entry.name,
                weight: 2.0,
                others: names_of(CATALOG, |entry| entry.can.weighted),
            })
        );
        let said = refused.remedy().to_string();
        assert!(
            said.contains("use one of perceptron, averaged, voted, p-norm, normalised-perceptron"),
            "{said}"
        );
        assert_eq!(learner.totals().trials, 0);
    }
    assert!(refusing.contains(&"winnow") && refusing.contains(&"eg"));
}
