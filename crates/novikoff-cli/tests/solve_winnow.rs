//! Regularised Winnow as in the dual paper's experiment (docs/theory/dual.md#regularised-winnow): the objective, evaluated here from
//! its formulas at the weights that `inspect` prints, is the one reported, and the gap is small.

// definitions take std's functions, so as not to share those of the code under test
#![allow(clippy::disallowed_methods)]

use crate::common;

use std::collections::BTreeSet;

use common::Room;

const WIDTH: usize = 30;
const THETA: f64 = 0.1;
const ALPHA: f64 = 0.1;

struct Story {
    topics: BTreeSet<u32>,
    words: BTreeSet<usize>,
}

/// Stories with words that occur or not and any number of topics, each decided by two words.
fn stories(rows: usize) -> Vec<Story> {
    let mut seed: u64 = 11;
    let mut random = move || {
        seed = seed
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        (seed >> 33) as f64 / (1_u64 << 31) as f64
    };
    let story = |_| {
        let words: BTreeSet<usize> = (1..=WIDTH).filter(|_| random() < 0.15).collect();
        let mut reported =
            |a: usize| (words.contains(&a) || words.contains(&(a + 1))) != (random() < 0.05);
        let topics = (1..=3).filter(|&k| reported(5 * k as usize)).collect();
        Story { topics, words }
    };
    let worded = |story: &Story| !story.words.is_empty();
    (0..).map(story).filter(worded).take(rows).collect()
}

fn written(stories: &[Story]) -> String {
    let line = |story: &Story| {
        let topics: Vec<String> = story.topics.iter().map(u32::to_string).collect();
        let words = story.words.iter().map(|j| format!(" {j}:1"));
        topics.join(",") + &words.collect::<String>() + "\n"
    };
    stories.iter().map(line).collect()
}

fn term(w: f64, over: f64) -> f64 {
    if w > 0.0 { w * (w / over).ln() } else { 0.0 }
}

/// R4: `sum w ln(w/mu)` on the simplex.
fn entropy(w: &[f64], mu: &[f64]) -> f64 {
    let sum: f64 = w.iter().sum();
    assert!((sum - 1.0).abs() < 1e-9 && w.iter().all(|w| *w >= 0.0));
    w.iter().zip(mu).map(|(w, mu)| term(*w, *mu)).sum()
}

/// R4s: the least entropy, with priors mu/2, of w+ and w- that sum to 1 and differ by w; there `w+ w-` is `(c mu/2)^2`.
fn two_sided(w: &[f64], mu: &[f64]) -> f64 {
    let pairs = || w.iter().zip(mu);
    let sum = |c: f64| pairs().map(|(w, mu)| w.hypot(c * mu)).sum::<f64>();
    assert!(sum(0.0) <= 1.0 + 1e-9);
    let (mut low, mut high) = (0.0, 1.0);
    for _ in 0..200 {
        let middle = f64::midpoint(low, high);
        if sum(middle) < 1.0 {
            low = middle;
        } else {
            high = middle;
        }
    }
    let side = |w: f64, mu: f64| {
        let (root, c) = (w.hypot(low * mu), low * mu);
        // no difference of nearly equal numbers
        let w = if w > 0.0 {
            f64::midpoint(w, root)
        } else {
            c * c / (root - w) / 2.0
        };
        term(w, mu / 2.0)
    };
    pairs().map(|(w, mu)| side(*w, *mu) + side(-*w, *mu)).sum()
}

/// R5: `sum w ln(w/(e mu))`.
fn unnormalised(w: &[f64], mu: &[f64]) -> f64 {
    assert!(w.iter().all(|w| *w >= 0.0));
    w.iter()
        .zip(mu)
        .map(|(w, mu)| term(*w, mu * std::f64::consts::E))
        .sum()
}

/// R5s: `sum w asinh(w/2mu) - sqrt(w^2 + 4mu^2)`.
fn unnormalised_two_sided(w: &[f64], mu: &[f64]) -> f64 {
    let one = |(w, mu): (&f64, &f64)| w * (w / (2.0 * mu)).asinh() - w.hypot(2.0 * mu);
    w.iter().zip(mu).map(one).sum()
}

type Regulariser = fn(&[f64], &[f64]) -> f64;

const KINDS: [(&str, Regulariser); 4] = [
    ("entropy", entropy),
    ("entropy:signed", two_sided),
    ("unnormalised-entropy", unnormalised),
    ("unnormalised-entropy:signed", unnormalised_two_sided),
];

/// The weights of a label, by feature.
fn weights(room: &Room, class: &str) -> Vec<f64> {
    let mut w = vec![0.0; WIDTH];
    let shown = room
        .run(&format!("inspect model --weights --class {class}"))
        .good();
    for line in shown.stdout.lines() {
        let (feature, weight) = line.split_once('\t').expect("two columns");
        let feature: usize = feature.parse().expect("a feature");
        w[feature - 1] = weight.parse().expect("a number");
    }
    w
}

#[test]
fn the_objective_is_the_papers() {
    let stories = stories(400);
    let room = Room::with(&written(&stories));
    // even, and one that favours the first features
    let mut favours: Vec<f64> = (0..WIDTH).map(|j| 1.0 / (j + 1) as f64).collect();
    let sum: f64 = favours.iter().sum();
    for mu in &mut favours {
        *mu /= sum;
    }
    let text: Vec<String> = favours.iter().map(f64::to_string).collect();
    room.write("prior.txt", text.join("\n"));
    let even = vec![1.0 / WIDTH as f64; WIDTH];
    for (reg, g) in KINDS {
        for (prior, mu) in [("", &even), ("prior=prior.txt", &favours)] {
            let join = match (prior, reg.contains(':')) {
                ("", _) => "",
                (_, true) => ",",
                (_, false) => ":",
            };
            let (lambda, signed) = (1e-3, reg.ends_with("signed"));
            // two-sided weights need no threshold
            let theta = if signed { 0.0 } else { THETA };
            let words = format!(
                "solve data.svm --multilabel --loss squared-hinge --reg {reg}{join}{prior} --theta {theta} --alpha {ALPHA} \
                 --lambda {lambda} --gap 1e-5 --max-passes 20000 -o model -q"
            );
            let json = room.json(&words);
            let classes = json["classes"].as_array().expect("one problem a label");
            assert_eq!(classes.len(), 3, "{words}");
            for class in classes {
                assert_eq!(class["stop"], "converged", "{words}");
                let name = class["class"].as_str().expect("a name");
                let w = weights(&room, name);
                let mut loss = 0.0;
                for story in &stories {
                    let y = if story.topics.contains(&name.parse().expect("a topic")) {
                        1.0
                    } else {
                        -1.0
                    };
                    let inner: f64 = story.words.iter().map(|j| w[j - 1]).sum();
                    loss += (ALPHA + y * theta - y * inner).max(0.0).powi(2);
                }
                let primal = loss / stories.len() as f64 + lambda * g(&w, mu);
                let [reported, dual] =
                    ["primal", "dual"].map(|key| class[key].as_f64().expect("a number"));
                assert!(
                    (reported - primal).abs() < 1e-9,
                    "{words}, {name}: {reported}, not {primal}"
                );
                assert!(
                    dual <= primal && primal - dual <= 1.1e-5 * primal.abs(),
                    "{words}: {dual}, {primal}"
                );
                assert_eq!(class["intercept"].as_f64(), Some(0.0 - theta), "{words}");
            }
        }
    }
}

/// In-class iff `w.x >= theta`.
#[test]
fn predictions_go_by_theta() {
    let stories = stories(200);
    let room = Room::with(&written(&stories));
    room.run("solve data.svm --multilabel --loss squared-hinge --reg entropy --theta 0.1 --alpha 0.1 --lambda 1e-3 -o model -q")
        .good();
    let all: Vec<Vec<f64>> = ["1", "2", "3"].map(|class| weights(&room, class)).to_vec();
    let margins = room.run("predict model data.svm --margins").good().stdout;
    for (line, story) in margins.lines().zip(&stories) {
        for (reported, w) in line.split('\t').zip(&all) {
            let reported: f64 = reported.parse().expect("a number");
            let inner: f64 = story.words.iter().map(|j| w[j - 1]).sum();
            assert!(
                (reported - (inner - THETA)).abs() < 1e-12,
                "{reported}, {inner}"
            );
        }
    }
}
