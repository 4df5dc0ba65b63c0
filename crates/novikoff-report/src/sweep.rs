//! A sweep as people and machines read it: mistakes on several data sets against Novikoff's `(R/margin)^2`.

use serde_json::{Value, json};

use crate::json::comparison_json;
use crate::report::{Comparison, RunReport};
use crate::rounding::bound;
use crate::table::{TextTable, Width};
use crate::text::count;

/// One data set of a sweep.
#[derive(Clone, Debug)]
pub struct SweepPoint {
    /// The data, as named.
    pub data: String,
    /// How far apart its classes are; none if no certificate found a vector that separates them.
    pub separation: Option<Separation>,
    /// The runs.
    pub comparison: Comparison,
}

/// How far apart the classes of a data set are.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Separation {
    /// The margin of the best vector of length 1 that was found.
    pub margin: f64,
    /// `(R/margin)^2`, which no perceptron exceeds.
    pub novikoff: f64,
}

/// The specs of a sweep, in the order of the learners.
pub(crate) fn specs(points: &[SweepPoint]) -> Vec<&str> {
    let mut specs: Vec<&str> = Vec::new();
    for run in points.iter().flat_map(|point| &point.comparison.runs) {
        if !specs.contains(&run.spec.as_str()) {
            specs.push(&run.spec);
        }
    }
    specs
}

impl SweepPoint {
    /// The run of a learner.
    pub(crate) fn run(&self, spec: &str) -> Option<&RunReport> {
        self.comparison.runs.iter().find(|run| run.spec == spec)
    }

    /// What a table shows before the learners: data, margin and `(R/margin)^2`.
    pub(crate) fn head(&self) -> [String; 3] {
        let margin = self.separation.map(|s| format!("{:.6}", s.margin));
        let novikoff = self.separation.map(|s| bound(s.novikoff));
        let dash = || "-".to_owned();
        [
            self.data.clone(),
            margin.unwrap_or_else(dash),
            novikoff.unwrap_or_else(dash),
        ]
    }

    /// The mistakes of a learner, or a dash.
    pub(crate) fn cell(&self, spec: &str) -> String {
        let mistakes = self.run(spec).map(|run| count(run.total().mistakes));
        mistakes.unwrap_or_else(|| "-".to_owned())
    }
}

/// The table: one line per data set, one column per learner.
pub fn sweep_text(points: &[SweepPoint], width: Width) -> String {
    let specs = specs(points);
    let learners: Vec<String> = specs.iter().map(|spec| format!(">{spec}")).collect();
    let mut headings = vec!["data", ">margin", ">(R/margin)^2"];
    headings.extend(learners.iter().map(String::as_str));
    let mut table = TextTable::new(&headings).least(&["margin"]);
    for point in points {
        let mut cells = point.head().to_vec();
        cells.extend(specs.iter().map(|spec| point.cell(spec)));
        table.row(cells);
    }
    format!("mistakes of each learner\n{}", table.text(width))
}

/// The object: `{"sweep":[{"data":...,"margin":...,"novikoff":...,"comparison":{...}}]}`.
pub fn sweep_json(points: &[SweepPoint]) -> Value {
    let point = |point: &SweepPoint| {
        json!({
            "data": point.data,
            "margin": point.separation.map(|s| s.margin),
            "novikoff": point.separation.map(|s| s.novikoff),
            "comparison": comparison_json(&point.comparison),
        })
    };
    json!({"sweep": points.iter().map(point).collect::<Vec<Value>>()})
}
