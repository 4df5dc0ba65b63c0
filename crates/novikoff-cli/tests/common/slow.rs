//! The perceptron by its definition: dense weights, all classes known from the start.

use serde_json::{Value, json};

/// A row as read: labels as written, and feature numbers with values; 0 is the constant feature.
#[derive(Clone, Debug)]
pub(crate) struct Example {
    pub(crate) labels: Vec<String>,
    pub(crate) x: Vec<(usize, f64)>,
}

/// Reads well-formed svmlight text.
pub(crate) fn parse(text: &str) -> Vec<Example> {
    let lines = text.lines().filter(|line| !line.trim().is_empty());
    lines
        .map(|line| {
            let mut words = line.split_whitespace();
            let labels = words
                .next()
                .expect("a label")
                .split(',')
                .map(str::to_owned)
                .collect();
            let x = words.map(|word| {
                let (j, v) = word.split_once(':').expect("index:value");
                (
                    j.parse().expect("an index"),
                    f64::from(v.parse::<f32>().expect("a value")),
                )
            });
            Example {
                labels,
                x: x.collect(),
            }
        })
        .collect()
}

impl Example {
    /// With the constant feature.
    pub(crate) fn biased(mut self, bias: f64) -> Self {
        self.x.insert(0, (0, bias));
        self
    }

    /// Divided by its p-norm.
    pub(crate) fn normalised(mut self, p: f64) -> Self {
        let norm = if p == f64::INFINITY {
            self.x.iter().fold(0.0, |top, (_, v)| v.abs().max(top))
        } else {
            let sum: f64 = self.x.iter().map(|(_, v)| power(v.abs(), p)).sum();
            power(sum, 1.0 / p)
        };
        if norm > 0.0 {
            self.x.iter_mut().for_each(|(_, v)| *v /= norm);
        }
        self
    }
}

#[allow(clippy::disallowed_methods)] // a definition should not share the code it checks
fn power(base: f64, exponent: f64) -> f64 {
    base.powf(exponent)
}

/// What the labels ask for.
#[derive(Clone, Copy)]
pub(crate) enum Kind<'a> {
    /// This label, as first written, against the rest.
    Binary(&'a str),
    Many,
    Multi,
}

/// Mistakes and updates.
pub(crate) type Counts = (u64, u64);

/// One line of a trace.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Line {
    pub(crate) epoch: usize,
    pub(crate) row: usize,
    pub(crate) class: String,
    pub(crate) margin: f64,
    pub(crate) mistake: bool,
    pub(crate) updated: bool,
}

impl std::fmt::Display for Line {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Line {
            epoch,
            row,
            class,
            margin,
            mistake,
            updated,
        } = self;
        write!(
            f,
            r#"{{"epoch":{epoch},"row":{row},"class":"{class}","margin":{margin:?},"mistake":{mistake},"updated":{updated}}}"#
        )
    }
}

/// What a run comes to.
pub(crate) struct Run {
    pub(crate) epochs: Vec<Counts>,
    /// Names in class order, with counts epoch by epoch; empty if binary.
    pub(crate) classes: Vec<(String, Vec<Counts>)>,
    pub(crate) trace: Vec<Line>,
    pub(crate) features: usize,
    rows: usize,
    /// One vector per class, by feature number.
    pub(crate) weights: Vec<Vec<f64>>,
}

fn number(label: &str) -> f64 {
    label.parse().expect("a number")
}

/// Labels in order of their numbers, each as first written in the trials.
fn class_names(rows: &[Example], first_epoch: &[usize]) -> Vec<String> {
    let mut names: Vec<String> = Vec::new();
    for label in first_epoch.iter().flat_map(|&i| &rows[i].labels) {
        if !names.iter().any(|name| number(name) == number(label)) {
            names.push(label.clone());
        }
    }
    names.sort_by(|a, b| number(a).total_cmp(&number(b)));
    names
}

/// Runs over the rows, once for each order.
pub(crate) fn perceptron(rows: &[Example], kind: Kind<'_>, orders: &[Vec<usize>]) -> Run {
    let names = match kind {
        Kind::Binary(positive) => vec![positive.to_owned()],
        _ => class_names(rows, &orders[0]),
    };
    let features = rows
        .iter()
        .flat_map(|e| &e.x)
        .map(|(j, _)| *j)
        .max()
        .unwrap_or(0);
    let mut run = Run {
        epochs: Vec::new(),
        classes: names
            .iter()
            .map(|name| (name.clone(), Vec::new()))
            .collect(),
        trace: Vec::new(),
        features,
        rows: rows.len(),
        weights: vec![vec![0.0; features + 1]; names.len()],
    };
    let mut appeared = vec![matches!(kind, Kind::Binary(_)); names.len()];
    for (epoch, order) in orders.iter().enumerate() {
        let mut total = (0, 0);
        let mut each = vec![(0, 0); names.len()];
        for &row in order {
            let example = &rows[row];
            let has = |k: usize| {
                example
                    .labels
                    .iter()
                    .any(|l| number(l) == number(&names[k]))
            };
            let margins: Vec<f64> = run.weights.iter().map(|w| dot(w, &example.x)).collect();
            let mut wrong_labels = 0;
            for (k, &margin) in margins.iter().enumerate() {
                appeared[k] |= has(k);
                let y = if has(k) { 1.0 } else { -1.0 };
                let mistake = (margin >= 0.0) != has(k);
                let updated = mistake && example.x.iter().any(|(_, v)| *v != 0.0);
                if updated {
                    example
                        .x
                        .iter()
                        .for_each(|(j, v)| run.weights[k][*j] += y * v);
                }
                wrong_labels += u64::from(mistake);
                each[k].0 += u64::from(mistake);
                each[k].1 += u64::from(updated);
                total.1 += u64::from(updated);
                if mistake && appeared[k] {
                    let class = names[k].clone();
                    run.trace.push(Line {
                        epoch,
                        row,
                        class,
                        margin,
                        mistake,
                        updated,
                    });
                }
            }
            let wrong = match kind {
                Kind::Many => !has(first_best(&margins)),
                _ => wrong_labels > 0,
            };
            total.0 += u64::from(wrong);
        }
        run.epochs.push(total);
        run.classes
            .iter_mut()
            .zip(each)
            .for_each(|((_, epochs), counts)| epochs.push(counts));
    }
    if let Kind::Binary(_) = kind {
        run.classes.clear();
    }
    run
}

/// The arg-max, ties to the lowest.
pub(crate) fn first_best(margins: &[f64]) -> usize {
    (0..margins.len()).fold(
        0,
        |best, k| if margins[k] > margins[best] { k } else { best },
    )
}

pub(crate) fn dot(w: &[f64], x: &[(usize, f64)]) -> f64 {
    // the sum of nothing is 0, not the -0 of std's `sum`
    x.iter()
        .fold(0.0, |sum, (j, v)| sum + w.get(*j).map_or(0.0, |w| w * v))
}

impl Run {
    /// The object of `train --json`, but for its time.
    pub(crate) fn json(&self) -> Value {
        let classes = if self.classes.is_empty() {
            2
        } else {
            self.classes.len()
        };
        let mut object = json!({
            "spec": "perceptron",
            "kernel": "linear",
            "parameters": {"margin": 0.0},
            "data": {"rows": self.rows, "features": self.features, "classes": classes},
        });
        with_epochs(&mut object, &self.epochs);
        if !self.classes.is_empty() {
            let list = self.classes.iter().map(|(name, epochs)| {
                let mut class = json!({"class": name});
                with_epochs(&mut class, epochs);
                class
            });
            object["classes"] = list.collect();
        }
        object
    }
}

fn with_epochs(object: &mut Value, epochs: &[Counts]) {
    let both = |(mistakes, updates): &Counts| json!({"mistakes": mistakes, "updates": updates});
    object["epochs"] = epochs.iter().map(both).collect();
    object["mistakes"] = epochs.iter().map(|e| e.0).sum::<u64>().into();
    object["updates"] = epochs.iter().map(|e| e.1).sum::<u64>().into();
}

/// The orders of unshuffled epochs.
pub(crate) fn in_order(rows: &[Example], epochs: usize) -> Vec<Vec<usize>> {
    vec![(0..rows.len()).collect(); epochs]
}
