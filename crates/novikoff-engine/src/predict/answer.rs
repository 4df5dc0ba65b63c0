//! One row's answer: from its scores to labels and numbers.

use novikoff::classes::Task;
use novikoff::evaluation::ScoreUnit;
use novikoff::label::LabelName;
use novikoff::learner::Hypothesis;
use novikoff::model::{Model, RowSample};
use novikoff::remark::{Remark, ResultRemark};
use novikoff::row::Row;

use super::Answers;
use crate::worth;
use crate::{Error, Remedy, Setting};

/// What errors cost.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Costs {
    /// The cost of calling a row positive that is not.
    pub false_positive: f64,
    /// The cost of not calling a row positive that is.
    pub false_negative: f64,
}

impl Costs {
    /// The probability from which calling a row positive costs no more than not doing so.
    pub fn threshold(self) -> f64 {
        // divided by the larger first: the sum of two large costs would overflow
        let unit = self.false_positive.max(self.false_negative);
        let (positive, negative) = (self.false_positive / unit, self.false_negative / unit);
        positive / (positive + negative)
    }

    fn are_sound(self) -> bool {
        let both = [self.false_positive, self.false_negative];
        both.iter().all(|cost| cost.is_finite() && *cost >= 0.0) && self.threshold().is_finite()
    }
}

/// How labels are chosen.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub enum Decision {
    /// As the model does: the sign of the margin, or the class of the largest.
    #[default]
    Own,
    /// A label is given if its probability, or without probabilities its margin, is at least this.
    Threshold(f64),
    /// A label is given if that costs no more in expectation than not giving it.
    Cost(Costs),
    /// The labels of the largest probabilities, or without probabilities margins.
    Top(usize),
}

impl Decision {
    /// Whether it is another than the model's own.
    pub(super) fn is_made(self) -> bool {
        self != Decision::Own
    }

    fn setting(self) -> Setting {
        match self {
            Decision::Own => Setting::Probabilities,
            Decision::Threshold(_) => Setting::Threshold,
            Decision::Cost(_) => Setting::Cost,
            Decision::Top(_) => Setting::Top,
        }
    }

    /// What it must be for a model.
    pub(super) fn check(self, model: &Model) -> Result<(), Error> {
        let refused = |what: &str, remedy: Remedy| {
            Err(Error::refused(what, remedy).about(self.setting(), ""))
        };
        let without = || Remedy::leave_out(&[self.setting()]);
        match (self, model.classes().task()) {
            (Decision::Own, _) => Ok(()),
            (_, Task::Regression) => {
                let what = "the model predicts numbers, among which there is nothing to decide";
                refused(what, without())
            }
            (Decision::Top(_), Task::Binary { .. }) => {
                let what = "the model has two labels, so the best one says all";
                let values = Remedy::give(Setting::Probabilities, "").aim("for both");
                refused(what, without().or(values))
            }
            (Decision::Top(0), _) => {
                refused("no label is asked for", Remedy::clause("give 1 or more"))
            }
            (Decision::Threshold(_) | Decision::Cost(_), Task::OneVsRest) => {
                let what =
                    "every row has one of several labels, and below a threshold it would have none";
                let top = Remedy::give(Setting::Top, "K").aim("for the likeliest labels");
                refused(
                    what,
                    top.or(Remedy::give(Setting::Probabilities, "").aim("for all")),
                )
            }
            (Decision::Threshold(at), _) if at.is_nan() => {
                let error = Error::refused(
                    "a threshold is a number that probabilities or margins are compared with",
                    Remedy::clause("give a number"),
                );
                Err(error.about(Setting::Threshold, "NaN"))
            }
            (Decision::Cost(costs), _) if !costs.are_sound() => {
                let remedy = "give two finite numbers that are at least 0 and not both 0";
                refused("these are no costs", Remedy::clause(remedy))
            }
            _ => Ok(()),
        }
    }
}

/// Answers row by row.
pub(super) struct RowAnswerer<'m> {
    model: &'m Model,
    decision: Decision,
    values: Option<ScoreUnit>,
    /// What decisions compare: probabilities, or margins.
    by_probability: bool,
    probabilities: Vec<f64>,
    /// The classes, best first.
    ranked: Vec<usize>,
    label: Vec<u8>,
    /// The positive of two labels, if the model gives both as often as it sees fit.
    positive: Option<&'m LabelName>,
    answered: Answered,
}

/// Rows from which on it is worth saying that all have the same answer.
const SAME_ANSWER: u64 = 100;

/// The labels given so far.
#[derive(Default)]
struct Answered {
    rows: u64,
    first: Vec<u8>,
    /// Another one was given too.
    is_mixed: bool,
    /// Rows with the positive of two labels, and a sample of all with whether they are.
    positive: u64,
    sample: RowSample,
}

impl Answered {
    fn row(&mut self, x: Row<'_>, label: &[u8], positive: Option<&LabelName>) {
        let is_positive = positive.is_some_and(|positive| positive.name().as_bytes() == label);
        self.positive += u64::from(is_positive);
        if positive.is_some() {
            self.sample.add(x, is_positive);
        }
        if self.rows == 0 {
            self.first.extend_from_slice(label);
        } else if !self.is_mixed {
            self.is_mixed = self.first != label;
        }
        self.rows += 1;
    }
}

/// Whether a model was trained to give labels as often as they are: nothing has weights, and no threshold was fitted to other rows.
fn is_plain(model: &Model) -> bool {
    model.class_weights().is_none() && model.calibration().is_none()
}

impl<'m> RowAnswerer<'m> {
    pub(super) fn new(
        model: &'m Model,
        by: Option<Hypothesis>,
        decision: Decision,
        values: Option<ScoreUnit>,
    ) -> Result<Self, Error> {
        let by_probability = model.has_probabilities(by);
        if let Decision::Threshold(at) = decision
            && by_probability
            && !(0.0..=1.0).contains(&at)
        {
            let what = "the model answers with probabilities, which are from 0 to 1";
            let remedy = Remedy::clause("give a number from 0 to 1");
            return Err(Error::refused(what, remedy).about(Setting::Threshold, at.to_string()));
        }
        Ok(RowAnswerer {
            model,
            decision,
            values,
            by_probability,
            probabilities: Vec::new(),
            ranked: model.classes().order().to_vec(),
            label: Vec::new(),
            positive: match model.classes().task() {
                Task::Binary { positive, .. } if !decision.is_made() && is_plain(model) => {
                    Some(positive)
                }
                _ => None,
            },
            answered: Answered::default(),
        })
    }

    /// A remark if a model that knows several labels has answered many rows with one and the same, or far more rows than have it in training.
    pub(super) fn remark(&self) -> Option<Remark> {
        let Answered {
            rows,
            first,
            is_mixed,
            positive,
            sample,
        } = &self.answered;
        let classes = self.model.classes();
        let knows_several = classes.is_binary() || classes.list().len() > 1;
        let is_number = matches!(classes.task(), Task::Regression);
        if *rows < SAME_ANSWER || !knows_several || is_number {
            return None;
        }
        if *is_mixed {
            let _ = self.positive?;
            return worth::of_answers(self.model, *positive, sample, *rows);
        }
        Some(Remark::Result(ResultRemark::OneAnswer {
            label: String::from_utf8_lossy(first).into_owned(),
            rows: *rows,
        }))
    }

    /// The names of the columns.
    pub(super) fn columns(&self, id: Option<&str>) -> Vec<String> {
        let mut columns: Vec<String> = id.map(str::to_owned).into_iter().collect();
        let value = self.values.map(ScoreUnit::name);
        if let Decision::Top(most) = self.decision {
            for place in 1..=most.min(self.ranked.len()) {
                columns.push(format!("label{place}"));
                columns.extend(value.map(|value| format!("{value}{place}")));
            }
            return columns;
        }
        if self.values.is_none() || self.decision.is_made() {
            columns.push("label".to_owned());
        }
        let Some(value) = value else {
            return columns;
        };
        let classes = self.model.classes();
        if let (Task::Binary { negative, .. }, Some(ScoreUnit::Probability)) =
            (classes.task(), self.values)
        {
            let negative = negative.as_ref().map_or("rest", |n| n.name());
            columns.push(format!("{value}:{negative}"));
        }
        for &class in classes.order() {
            columns.push(format!("{value}:{}", classes.list()[class].label.name()));
        }
        columns
    }

    /// Hands out the cells of a row, as read.
    pub(super) fn answer(&mut self, x: Row<'_>, scores: &[f64], answers: &mut impl Answers) {
        if self.by_probability {
            self.model.probabilities(scores, &mut self.probabilities);
        }
        let compared = if self.by_probability {
            &self.probabilities
        } else {
            scores
        };
        let values = match self.values {
            Some(ScoreUnit::Margin) => scores,
            _ => compared,
        };
        if let Decision::Top(most) = self.decision {
            self.ranked.clear();
            self.ranked.extend(self.model.classes().order());
            // stable, so that ties go to the class lowest in order
            self.ranked
                .sort_by(|&a, &b| compared[b].total_cmp(&compared[a]));
            for &class in self.ranked.iter().take(most) {
                let label = &self.model.classes().list()[class].label;
                answers.text(label.name().as_bytes());
                if self.values.is_some() {
                    answers.number(values[class]);
                }
            }
            return;
        }
        if self.values.is_none() || self.decision.is_made() {
            self.label.clear();
            let at = match self.decision {
                Decision::Threshold(at) => Some(at),
                Decision::Cost(costs) => Some(costs.threshold()),
                Decision::Own | Decision::Top(_) => None,
            };
            match at {
                None => self.model.predict(scores, &mut self.label),
                Some(at) => self
                    .model
                    .labels_where(|class| compared[class] >= at, &mut self.label),
            }
            answers.text(&self.label);
            self.answered.row(x, &self.label, self.positive);
        }
        if self.values.is_some() {
            if self.values == Some(ScoreUnit::Probability) && self.model.classes().is_binary() {
                answers.number(1.0 - values[0]);
            }
            for &class in self.model.classes().order() {
                answers.number(values[class]);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::Costs;

    #[test]
    fn the_threshold_depends_on_the_quotient_of_the_costs_only() {
        let of = |false_positive, false_negative| Costs {
            false_positive,
            false_negative,
        };
        for unit in [1e-300, 1.0, 1e308] {
            assert_eq!(of(unit, unit).threshold(), 0.5);
        }
        assert_eq!(of(1.0, 19.0).threshold(), 0.05);
        assert_eq!(
            (of(0.0, 1.0).threshold(), of(1.0, 0.0).threshold()),
            (0.0, 1.0)
        );
        assert!(!of(0.0, 0.0).are_sound() && !of(f64::INFINITY, 1.0).are_sound());
    }
}
