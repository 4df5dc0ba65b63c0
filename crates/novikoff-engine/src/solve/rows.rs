//! Rows and labels as the solver wants them: prepared once, with a sign and a target each.

use novikoff::class_weights::balanced;
use novikoff::classes::{Classes, Task};
use novikoff::dual::Aim;
use novikoff::label::LabelName;

use super::Solve;
use crate::Error;
use crate::class_weight::ClassWeight;
use crate::labels::{NumberPredictor, class, number, single};
use crate::rows::HeldRows;

/// What each row is, for every problem.
pub(crate) struct Labelled {
    pub(crate) classes: Classes,
    truth: Truth,
    weights: Vec<f64>,
    /// Where rows have several labels: for each problem, what the weights of its negative and positive rows are
    /// multiplied by.
    sides: Vec<[f64; 2]>,
    theta: f64,
    alpha: f64,
}

enum Truth {
    /// One problem: +1 or not.
    Positive(Vec<bool>),
    /// One problem per class: each row's class.
    Class(Vec<usize>),
    /// One problem per label: each row's labels.
    Several(Vec<Vec<usize>>),
    /// The numbers to hit.
    Numbers(Vec<f64>),
}

impl Labelled {
    pub(crate) fn new(job: &Solve, held: &HeldRows, task: Task) -> Result<Self, Error> {
        let mut classes = Classes::new(task);
        let mut truth = match classes.task() {
            Task::Binary { .. } => Truth::Positive(Vec::new()),
            Task::OneVsRest => Truth::Class(Vec::new()),
            Task::MultiLabel => Truth::Several(Vec::new()),
            Task::Regression => Truth::Numbers(Vec::new()),
        };
        let by = &job.class_weight;
        let is_table = held.schema.table.is_some();
        let mut weights = Vec::new();
        for block in held.blocks() {
            for i in 0..block.len() {
                let place = || held.place(weights.len());
                let mut weight = block.weight(i);
                if !(weight >= 0.0 && weight.is_finite()) {
                    let at = place();
                    return Err(Error::plain(format!(
                        "{at}the row has weight {weight}, which must be at least 0"
                    )));
                }
                for given in block.labels(i).filter_map(|label| by.find(label)) {
                    if !matches!(truth, Truth::Several(_)) {
                        weight *= by.given()[given].1;
                    }
                }
                match &mut truth {
                    Truth::Positive(all) => {
                        let label =
                            single(block, i).map_err(|e| Error::at(&place(), &e, e.remedy()))?;
                        let positive = classes.binary(label);
                        all.push(positive.map_err(|e| Error::at(&place(), &e, e.remedy()))?);
                    }
                    Truth::Class(all) => {
                        let label =
                            single(block, i).map_err(|e| Error::at(&place(), &e, e.remedy()))?;
                        all.push(class(&mut classes, label));
                    }
                    Truth::Several(all) => {
                        let labels = block.labels(i);
                        all.push(labels.map(|label| class(&mut classes, label)).collect());
                    }
                    Truth::Numbers(all) => {
                        let y = number(block, i, NumberPredictor::Loss, is_table);
                        all.push(y.map_err(|why| Error::placed(&place(), why))?);
                    }
                }
                weights.push(weight);
            }
        }
        if classes.list().is_empty() {
            let what = "no row has a label, so there is nothing to solve for";
            return Err(Error::plain(what));
        }
        if matches!(by, ClassWeight::Balanced) {
            balance(&truth, classes.list().len(), &mut weights);
        }
        let list = classes.list().iter().enumerate();
        let sides: Vec<[f64; 2]> = list
            .map(|(k, class)| sides(by, &truth, k, &class.label))
            .collect();
        let most = sides
            .iter()
            .flatten()
            .fold(1.0, |most: f64, &w| most.max(w));
        if let Some(row) = weights.iter().position(|w| !(w * most).is_finite()) {
            let at = held.place(row);
            let what = format!(
                "{at}the row's weight times that of its class is no longer a finite number"
            );
            return Err(Error::refused(what, "give smaller weights"));
        }
        Ok(Labelled {
            classes,
            truth,
            weights,
            sides,
            theta: job.theta.unwrap_or(0.0),
            alpha: job.alpha.unwrap_or(1.0),
        })
    }

    /// The labels, if they are numbers.
    pub(crate) fn numbers(&self) -> Option<&[f64]> {
        match &self.truth {
            Truth::Numbers(all) => Some(all),
            Truth::Positive(_) | Truth::Class(_) | Truth::Several(_) => None,
        }
    }

    /// How many problems there are.
    pub(crate) fn problems(&self) -> usize {
        self.classes.list().len()
    }

    /// What the rows of a problem aim at.
    pub(crate) fn aims(&self, class: usize) -> Vec<Aim> {
        let sign = |positive: bool| if positive { 1.0 } else { -1.0 };
        let rows = self.weights.iter().enumerate();
        let aims = rows.map(|(i, &weight)| {
            let mut weight = weight;
            let sign = match &self.truth {
                Truth::Positive(all) => sign(all[i]),
                Truth::Class(all) => sign(all[i] == class),
                Truth::Several(all) => {
                    let positive = all[i].contains(&class);
                    weight *= self.sides[class][usize::from(positive)];
                    sign(positive)
                }
                Truth::Numbers(all) => return aim(1.0, all[i], weight),
            };
            aim(sign, self.alpha + sign * self.theta, weight)
        });
        aims.collect()
    }
}

/// Makes all classes of rows with one label each count alike.
fn balance(truth: &Truth, classes: usize, weights: &mut [f64]) {
    let class: Vec<usize> = match truth {
        Truth::Positive(all) => all.iter().map(|&y| usize::from(y)).collect(),
        Truth::Class(all) => all.clone(),
        Truth::Several(_) | Truth::Numbers(_) => return,
    };
    let mut counts = vec![0; classes.max(2)];
    for &k in &class {
        counts[k] += 1;
    }
    let factors = balanced(&counts);
    for (weight, k) in weights.iter_mut().zip(class) {
        *weight *= factors[k];
    }
}

/// What the weights of the negative and the positive rows of a problem are multiplied by, where rows have several
/// labels.
fn sides(by: &ClassWeight, truth: &Truth, class: usize, label: &LabelName) -> [f64; 2] {
    if let (ClassWeight::Balanced, Truth::Several(all)) = (by, truth) {
        let positive = all.iter().filter(|labels| labels.contains(&class)).count();
        let factors = balanced(&[all.len() - positive, positive].map(|n| n as u64));
        return [factors[0], factors[1]];
    }
    let found = by.given().iter().find(|(given, _)| given == label);
    [1.0, found.map_or(1.0, |(_, weight)| *weight)]
}

/// A row that aims at a target from one side, with its weight.
fn aim(sign: f64, target: f64, weight: f64) -> Aim {
    Aim {
        sign,
        target,
        weight,
    }
}
