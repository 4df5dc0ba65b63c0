//! What candidates are judged by, on the rows of a fold.

use novikoff::classes::{Classes, Task};
use novikoff::evaluation::{Evaluation, Tally};
use novikoff::learner::Hypothesis;
use novikoff::model::Model;
use novikoff::remedy::Remedy;
use novikoff_report::Measure;

use crate::rows::HeldRows;
use crate::{Error, Setting};

/// What candidates are judged by.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum TuneBy {
    /// The least share of rows with a wrong label.
    #[default]
    Error,
    /// The largest area under the ROC curve; of several labels their mean.
    Auc,
    /// The largest F1 of the positive label; of several labels their mean.
    F1,
    /// The least log loss, of candidates that have probabilities.
    LogLoss,
    /// The largest average precision of the positive label; of several labels their mean.
    AveragePrecision,
}

impl TuneBy {
    pub(super) fn measure(self) -> Measure {
        match self {
            TuneBy::Error => Measure::Errors,
            TuneBy::Auc => Measure::Auc,
            TuneBy::F1 => Measure::F1,
            TuneBy::LogLoss => Measure::LogLoss,
            TuneBy::AveragePrecision => Measure::AveragePrecision,
        }
    }

    /// What answers that say nothing of a row come to on rows that have one label each; none where that depends on how labels are averaged.
    pub(super) fn of_constant(self, classes: &Classes, held: &HeldRows) -> Option<f64> {
        let rows = held.len().max(1) as f64;
        let entropy = |share: f64| -share * libm::log(share);
        let positive = match classes.task() {
            Task::Binary { positive, .. } => {
                let labels = held.labels().flatten();
                Some(labels.filter(|label| positive.is(*label)).count() as f64 / rows)
            }
            Task::OneVsRest => None,
            Task::MultiLabel | Task::Regression => return None,
        };
        match (self, positive) {
            (TuneBy::Error, _) => None,
            (TuneBy::Auc, _) => Some(0.5),
            (TuneBy::F1, positive) => positive.map(|share| 2.0 * share / (1.0 + share)),
            (TuneBy::AveragePrecision, positive) => positive,
            (TuneBy::LogLoss, Some(share)) => {
                let shares = [share, 1.0 - share].into_iter();
                Some(shares.filter(|&share| share > 0.0).map(entropy).sum())
            }
            (TuneBy::LogLoss, None) => {
                let counts = held.label_counts();
                Some(
                    counts
                        .iter()
                        .map(|label| entropy(label.1 as f64 / rows))
                        .sum(),
                )
            }
        }
    }

    /// Its name in commands and messages.
    pub fn name(self) -> &'static str {
        match self {
            TuneBy::Error => "error",
            TuneBy::Auc => "auc",
            TuneBy::F1 => "f1",
            TuneBy::LogLoss => "log-loss",
            TuneBy::AveragePrecision => "ap",
        }
    }

    /// All but errors are measured on folds.
    pub(super) fn check_folds(self, folds: Option<u32>) -> Result<(), Error> {
        if self == TuneBy::Error || folds.is_some() {
            return Ok(());
        }
        let what = "without folds a candidate is judged by the mistakes of one pass";
        let remedy = Remedy::clause("give a number of folds; 5 is usual");
        let without = Remedy::leave_out(&[Setting::By]);
        Err(Error::refused(what, remedy.or(without)).about(Setting::By, self.name()))
    }

    /// An error where candidates without probabilities are to be judged by them.
    pub(super) fn check_probabilities(self, has: bool, candidate: &str) -> Result<(), Error> {
        if self != TuneBy::LogLoss || has {
            return Ok(());
        }
        let what = format!("{candidate} has margins only, and log loss is of probabilities");
        let remedy = Remedy::clause("judge by another measure")
            .or("try a candidate that has them, such as the solver's logistic loss");
        Err(Error::refused(what, remedy).about(Setting::By, self.name()))
    }

    /// An error where the numbers that a loss predicts are to be judged as labels.
    pub(super) fn check_labels(self, loss: &str, classifies: bool) -> Result<(), Error> {
        if self == TuneBy::Error || classifies {
            return Ok(());
        }
        let what = format!("{loss} predicts numbers, which are judged by their squared error");
        Err(Error::refused(what, Remedy::leave_out(&[Setting::By])).about(Setting::By, self.name()))
    }
}

/// What a model comes to on some rows: how many are wrong or the sum of log losses, or the value of another measure.
pub(super) fn judge(
    by: TuneBy,
    model: &Model,
    hypothesis: Option<Hypothesis>,
    held: &HeldRows,
    inside: &[usize],
) -> Result<f64, Error> {
    // a fold is a part of rows that are held, so its scores are few
    let mut tally = Tally::new(model, hypothesis, u128::MAX);
    let rows = inside.iter().map(|&row| {
        let (block, place) = held.at(row);
        block.row(place)
    });
    let mut wrong = 0;
    model.scores_of(rows, hypothesis, |k, scores| {
        let (block, place) = held.at(inside[k]);
        match by {
            TuneBy::Error => {
                wrong += u64::from(model.is_wrong(scores, block.labels(place)));
            }
            _ => tally.row(scores, block.labels(place)),
        }
    });
    if by == TuneBy::Error {
        return Ok(wrong as f64);
    }
    let evaluation = tally.finish();
    value(by, model, &evaluation).ok_or_else(|| {
        let what = "the rows of a fold have one label only, so it has no curve";
        let remedy = Remedy::clause("give fewer folds").or(Remedy::leave_out(&[Setting::By]));
        Error::refused(what, remedy).about(Setting::By, by.name())
    })
}

/// The value of a measure; none where it is not defined.
fn value(by: TuneBy, model: &Model, evaluation: &Evaluation) -> Option<f64> {
    let positive = match model.classes().task() {
        Task::Binary { .. } => evaluation.labels.last(),
        _ => None,
    };
    let ranking = positive.map(|label| label.ranking.as_ref());
    let mean = &evaluation.over_labels;
    match by {
        TuneBy::Error => None,
        TuneBy::Auc => ranking.map_or(mean.auc, |of| of?.auc()),
        TuneBy::AveragePrecision => {
            ranking.map_or(mean.average_precision, |of| of?.average_precision())
        }
        TuneBy::F1 => Some(positive.map_or(mean.measures.f1, |label| label.hits.f1())),
        TuneBy::LogLoss => {
            let scores = evaluation.probability_scores.as_ref()?;
            Some(scores.log_loss() * evaluation.rows as f64)
        }
    }
}
