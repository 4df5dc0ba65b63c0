//! The hand-worked runs of `testdata/cases`: see its README for the format.

#![allow(clippy::unwrap_used)]

use crate::common;

use std::collections::BTreeMap;
use std::path::Path;

use common::{score, trial};
use novikoff::catalog::CATALOG;
use novikoff::row::Row;
use novikoff::spec::Spec;
use serde::Deserialize;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    case: Vec<Case>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Case {
    name: String,
    algorithm: String,
    rows: Vec<Vec<f32>>,
    labels: Vec<i32>,
    scores: Vec<f64>,
    updated: Vec<bool>,
    #[serde(default)]
    weights: Option<Vec<f64>>,
    #[serde(default)]
    probes: Vec<Vec<f32>>,
    #[serde(default)]
    deployed: Vec<f64>,
}

fn near(got: f64, want: f64) -> bool {
    (got - want).abs() <= 1e-12 * want.abs().max(1.0)
}

impl Case {
    fn check(&self) {
        let n = self.rows.len();
        let lengths = [self.labels.len(), self.scores.len(), self.updated.len()];
        assert_eq!(
            lengths, [n; 3],
            "{}: rows, labels, scores, updated",
            self.name
        );
        assert_eq!(self.probes.len(), self.deployed.len(), "{}", self.name);
        let width = self.rows.iter().map(Vec::len).max().unwrap() as u32;
        let mut learner = common::learner(&self.algorithm, width);
        if learner.surveys() {
            self.rows
                .iter()
                .for_each(|x| learner.survey(Row::dense(x)).unwrap());
            learner.surveyed();
        }
        for (t, x) in self.rows.iter().enumerate() {
            let at = || format!("{}: {}, row {t}", self.algorithm, self.name);
            assert!(self.labels[t].abs() == 1, "{}", at());
            let (got, updated) = trial(&mut *learner, Row::dense(x), self.labels[t] == 1).unwrap();
            assert!(
                near(got, self.scores[t]),
                "{}: {got}, not {}",
                at(),
                self.scores[t]
            );
            assert_eq!(updated, self.updated[t], "{}: updated", at());
        }
        if let Some(weights) = &self.weights {
            let got = &learner.weights(0)[1..];
            let same =
                got.len() == weights.len() && got.iter().zip(weights).all(|(g, w)| near(*g, *w));
            assert!(
                same,
                "{}: {}: weights {got:?}, not {weights:?}",
                self.algorithm, self.name
            );
        }
        for (x, want) in self.probes.iter().zip(&self.deployed) {
            let got = score(&*learner, Row::dense(x), learner.hypotheses()[0]);
            assert!(
                near(got, *want),
                "{}: {}: {x:?} scores {got}, not {want}",
                self.algorithm,
                self.name
            );
        }
    }
}

/// Every case of the files; every learner of the catalogue has some.
#[test]
fn hand_worked_cases() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../testdata/cases");
    let mut checked: BTreeMap<&str, usize> = CATALOG.iter().map(|entry| (entry.name, 0)).collect();
    for file in std::fs::read_dir(folder).unwrap() {
        let path = file.unwrap().path();
        if path.extension().is_none_or(|extension| extension != "toml") {
            continue;
        }
        let text = std::fs::read_to_string(&path).unwrap();
        let file: File =
            toml::from_str(&text).unwrap_or_else(|e| panic!("{}: {e}", path.display()));
        for case in file.case {
            // a build without eigenvalues has no such learner
            if cfg!(not(feature = "linalg")) && case.algorithm.starts_with("whitened") {
                continue;
            }
            let spec = Spec::parse(&case.algorithm).unwrap();
            case.check();
            *checked.get_mut(spec.name()).unwrap() += 1;
        }
    }
    for (name, count) in checked {
        assert!(count >= 2, "{name} has {count} hand-worked cases");
    }
}
