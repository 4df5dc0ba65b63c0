//! Remarks on what a result is worth.

use std::fmt;

use super::advice::{Advice, NumberAdvice, ranking_alone};
use super::errors::{Errors, Paired, SquaredErrors, digits};
use super::{AgainstBaseline, about};
use crate::quantity::{count, percent, plural};
use crate::remedy::{Hint, Remedy, Setting};

/// What the errors are of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Measured {
    /// A model on rows that it is evaluated on.
    Evaluation,
    /// A run, on the rows it is tested on.
    Test,
    /// The best of a grid.
    Grid,
}

/// What rows are used for that were learned from before.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RowsFor {
    /// To test a run.
    Test,
    /// To evaluate a model.
    Evaluation,
    /// To evaluate a model whose probabilities were fitted to them.
    EvaluationOfCalibration,
    /// To calibrate a model.
    Calibration,
    /// To learn from once more.
    Learning,
}

/// A remark on what a result is worth.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum ResultRemark {
    /// Errors are no better than those of always answering the most frequent label.
    Baseline {
        /// What was measured.
        measured: Measured,
        /// Its errors.
        errors: Errors,
        /// The baseline's.
        baseline: u64,
        /// The most frequent label.
        label: String,
        /// The rows that only one of both answers right, if they were counted.
        paired: Option<Paired>,
        /// What may do better.
        advice: Advice,
    },
    /// The best of a grid is no better, in a measure other than errors, than answers that say nothing of a row.
    ConstantMeasure {
        /// The measure.
        measure: &'static str,
        /// Its mean over the folds.
        value: f64,
        /// Its standard deviation over them.
        deviation: f64,
        /// How many.
        folds: u64,
        /// The constant answer is at least as good.
        is_worse: bool,
        /// What it comes to.
        constant: f64,
        /// What it is.
        of: &'static str,
        /// What may do better.
        advice: Advice,
    },
    /// Probabilities of a model that was trained with weights of classes: they are those of the weighted rows.
    WeightedProbabilities {
        /// Its file.
        model: String,
    },
    /// Learners of a majority that take rows of weight 1 only, and rows with other weights.
    WeightsLeaveOut {
        /// How many learners were left out.
        left_out: u64,
        /// How many there were.
        learners: u64,
    },
    /// A calibrated model that answers with the weights after its last row was trained on.
    MovingWeights,
    /// Rows that should be new were learned from before.
    SameRows {
        /// What they are used for.
        rows_for: RowsFor,
        /// About the share of them that was.
        share: f64,
    },
    /// The log loss of probabilities is no better than that of always giving the shares of the labels.
    LogLoss {
        /// The log loss.
        log_loss: f64,
        /// That of the shares.
        shares: f64,
        /// On how many rows.
        rows: u64,
        /// The model's file.
        model: String,
    },
    /// The mean probability of a label is far from the share of the rows that have it.
    MeanProbability {
        /// The label.
        label: String,
        /// The mean probability.
        mean: f64,
        /// The rows that have the label.
        with: Errors,
        /// The model's file.
        model: String,
    },
    /// What was forecast with about the same probability came true far more often, or less.
    Unreliable {
        /// The label; none of several, of each row the predicted one.
        label: Option<String>,
        /// The probabilities of the forecasts, if they are not all.
        between: Option<(f64, f64)>,
        /// Their mean.
        mean: f64,
        /// How many came true.
        came_true: Errors,
        /// The model's file.
        model: String,
    },
    /// Rows to calibrate on have the labels in other shares than those of training.
    OtherShares {
        /// The label.
        label: String,
        /// The rows to calibrate on that have it.
        with: Errors,
        /// The rows of training that have it.
        training: Errors,
    },
    /// A label is answered far more often than it is in training.
    AnsweredMore {
        /// The label.
        label: String,
        /// The rows that are answered with it.
        answered: Errors,
        /// The rows of training that have it.
        training: Errors,
    },
    /// What a solution is worth on other rows, by a solution of a part of the rows.
    HeldOut {
        /// The errors of a solution of the others on the rows held out.
        errors: Errors,
        /// The rows that it was solved for.
        solved_for: u64,
        /// The errors of always answering the most frequent label of the rows held out.
        baseline: u64,
        /// That label.
        label: String,
        /// What may do better.
        advice: Advice,
    },
    /// Squared errors are no better than those of always answering the mean of the labels.
    NumberBaseline {
        /// What was measured.
        measured: Measured,
        /// The errors.
        errors: SquaredErrors,
        /// What may do better.
        advice: NumberAdvice,
    },
    /// There is no error on rows whose labels a constant answer often gets wrong.
    TooGood {
        /// How many rows.
        rows: u64,
        /// They are those of a test; else the last ones of the first pass.
        is_test: bool,
        /// How often always answering the most frequent label is wrong on all rows of the test or of the pass.
        baseline: Errors,
    },
    /// Squared errors are so small that columns as good as contain the label.
    NumberTooGood {
        /// The errors.
        errors: SquaredErrors,
    },
    /// What a solution for numbers is worth on other rows, by a solution of a part of the rows.
    NumberHeldOut {
        /// The errors of a solution of the others on the rows held out.
        errors: SquaredErrors,
        /// The rows that it was solved for.
        solved_for: u64,
        /// What may do better.
        advice: NumberAdvice,
    },
    /// Answers that are numbers lie on one side of the labels.
    MeanAway {
        /// The errors.
        errors: SquaredErrors,
    },
    /// Rows are copies of earlier ones.
    Copies {
        /// About the share of them that is.
        share: f64,
    },
    /// Rows come in groups, as several rows of the same person do, and those of a group have the same label.
    Groups {
        /// About the share of the rows that have a partner.
        share: f64,
        /// The share of the partners that have the same label; none of quantities, which are nearly the same.
        agree: Option<f64>,
        /// Columns in which partners have the same values.
        columns: Vec<String>,
    },
    /// A model learned on and is not saved.
    NotSaved {
        /// The model that it began with.
        model: String,
    },
    /// Test errors are far below validation errors.
    Below {
        /// Before learning, on the rows that were learned from.
        validation: Errors,
        /// On other rows.
        test: Errors,
    },
    /// Test errors are far above validation errors.
    Gap {
        /// Before learning, on the rows that were learned from.
        validation: Errors,
        /// On other rows.
        test: Errors,
    },
    /// The scores of two labels are in the wrong order.
    Reversed {
        /// The label of the large scores.
        label: String,
        /// The chance that a row with it scores above one without.
        auc: f64,
    },
    /// A label that rows have is never predicted.
    NeverPredicted {
        /// The label.
        label: String,
        /// How many rows have it.
        rows: u64,
        /// The label that every row is answered with, if there is one only.
        only: Option<String>,
    },
    /// Many rows were given one and the same label.
    OneAnswer {
        /// The label; empty if they were given none.
        label: String,
        /// How many rows.
        rows: u64,
    },
    /// No row has the label that a model tells from the rest.
    NoPositive {
        /// The label.
        label: String,
        /// A label of the rows that differs from it in case or blanks only.
        near: Option<String>,
    },
    /// The best value of a grid is its first or last.
    Edge {
        /// What was varied.
        key: String,
        /// The best value.
        value: String,
        /// It is the highest.
        highest: bool,
    },
    /// Few rows for what was fitted to them.
    FewRows {
        /// What was fitted.
        what: &'static str,
        /// To how many rows.
        rows: u64,
        /// How many rows of the rarest label.
        rarest: u64,
        /// What would do with fewer.
        instead: Option<&'static str>,
    },
    /// Rows that a learner could not take in, because no vector separates them from those before.
    Refused {
        /// How many times.
        times: u64,
        /// Of how many mistakes.
        mistakes: u64,
        /// A spec that takes them in.
        spec: String,
    },
}

impl ResultRemark {
    pub(super) fn kind(&self) -> &'static str {
        match self {
            ResultRemark::Baseline { .. }
            | ResultRemark::ConstantMeasure { .. }
            | ResultRemark::HeldOut { .. }
            | ResultRemark::NumberBaseline { .. }
            | ResultRemark::NumberHeldOut { .. } => "baseline",
            ResultRemark::MeanAway { .. } => "no-constant",
            ResultRemark::TooGood { .. } | ResultRemark::NumberTooGood { .. } => "leakage",
            ResultRemark::WeightedProbabilities { .. } => "weighted-probabilities",
            ResultRemark::WeightsLeaveOut { .. } => "weights",
            ResultRemark::MovingWeights => "moving-weights",
            ResultRemark::SameRows { .. } => "same-rows",
            ResultRemark::LogLoss { .. }
            | ResultRemark::MeanProbability { .. }
            | ResultRemark::Unreliable { .. } => "probabilities",
            ResultRemark::OtherShares { .. } | ResultRemark::AnsweredMore { .. } => "other-shares",
            ResultRemark::Copies { .. } => "copies",
            ResultRemark::Groups { .. } => "groups",
            ResultRemark::NotSaved { .. } => "not-saved",
            ResultRemark::Gap { .. } | ResultRemark::Below { .. } => "gap",
            ResultRemark::NeverPredicted { .. } | ResultRemark::OneAnswer { .. } => {
                "never-predicted"
            }
            ResultRemark::Reversed { .. } => "reversed",
            ResultRemark::NoPositive { .. } => "no-positive",
            ResultRemark::Edge { .. } => "edge",
            ResultRemark::FewRows { .. } => "few-rows",
            ResultRemark::Refused { .. } => "refused",
        }
    }

    pub(super) fn remedy(&self) -> Remedy {
        match self {
            ResultRemark::Baseline {
                measured: Measured::Evaluation,
                advice,
                ..
            } => {
                let check = Remedy::clause("check that the rows are like those of training");
                check.or(advice.remedy())
            }
            ResultRemark::Baseline { advice, .. }
            | ResultRemark::ConstantMeasure { advice, .. } => advice.remedy(),
            ResultRemark::HeldOut { advice, .. } => advice
                .remedy()
                .or("try a smaller or larger lambda"),
            ResultRemark::NumberBaseline {
                measured: Measured::Evaluation,
                ..
            } => Remedy::clause("check that the rows are like those of training")
                .or("solve with other settings"),
            ResultRemark::NumberBaseline { advice, .. }
            | ResultRemark::NumberHeldOut { advice, .. } => advice.remedy(),
            ResultRemark::MeanAway { .. } => Remedy::give(Setting::Bias, "free"),
            ResultRemark::TooGood { .. } | ResultRemark::NumberTooGood { .. } => Remedy::clause(
                "check that the columns with the largest weights are known before the label is",
            ),
            ResultRemark::WeightedProbabilities { model } => Remedy::hint(Hint::Calibrate {
                model: model.clone(),
            }),
            ResultRemark::WeightsLeaveOut { .. } => {
                Remedy::give(Setting::Learner, "logistic").aim("for a learner that takes weights")
            }
            ResultRemark::MovingWeights => Remedy::clause("calibrate on rows held out after every run").or(
                Remedy::give(Setting::Use, "averaged").aim("when the model is first trained: an average moves little"),
            ),
            ResultRemark::SameRows { rows_for, .. } => match rows_for {
                RowsFor::Test => Remedy::clause("test on rows that are held out"),
                RowsFor::Evaluation | RowsFor::EvaluationOfCalibration => {
                    Remedy::clause("evaluate on rows that are held out")
                }
                RowsFor::Calibration => Remedy::clause("calibrate on rows that are held out"),
                RowsFor::Learning => Remedy::clause("give new rows").or(Remedy::give(
                    Setting::Epochs,
                    "N",
                )
                .aim("in a run from the beginning, to learn from the same rows several times")),
            },
            ResultRemark::LogLoss { model, .. }
            | ResultRemark::MeanProbability { model, .. }
            | ResultRemark::Unreliable { model, .. } => {
                let check = Remedy::clause("check that the rows are like those of training and calibration");
                check.or(Remedy::hint(Hint::Calibrate {
                    model: model.clone(),
                }))
            }
            ResultRemark::OtherShares { .. } => Remedy::clause(
                "calibrate on rows that have the labels as often as those that will be asked about",
            ),
            ResultRemark::Copies { .. } => {
                Remedy::clause("keep one of each").or("test on rows that are no copies of these")
            }
            ResultRemark::Groups { .. } => {
                Remedy::clause("test on rows of other persons or things than those learned from")
            }
            ResultRemark::NotSaved { model } => Remedy::give(Setting::Output, model.clone()),
            ResultRemark::Below { .. } => {
                Remedy::clause("check that the test rows are not nearly those that were learned from")
            }
            ResultRemark::Gap { .. } => Remedy::give(Setting::Shuffle, "1")
                .aim("if the rows come in an order")
                .or("check that no column predicts the label, and that the test rows are like the others"),
            ResultRemark::NeverPredicted { .. } => Remedy::hint(Hint::Compare),
            ResultRemark::AnsweredMore { .. } => Remedy::clause("check the columns of the rows").or(
                "count the errors of the model on rows with labels",
            ),
            ResultRemark::OneAnswer { .. } => {
                Remedy::clause("check that the rows are like those of training").or(ranking_alone())
            }
            ResultRemark::Reversed { .. } => {
                Remedy::clause("check that the two labels mean what they mean in training")
            }
            ResultRemark::NoPositive { label, near } => Remedy::clause(match near {
                Some(near) => format!("write {label} for {near}, if it is the same"),
                None => "check that the labels are those of training".to_owned(),
            }),
            ResultRemark::Edge { highest, .. } => Remedy::clause(if *highest {
                "try higher values"
            } else {
                "try lower values"
            }),
            ResultRemark::FewRows { instead, .. } => match instead {
                Some(instead) => Remedy::clause("give more rows").or(*instead),
                None => Remedy::clause("give more rows"),
            },
            ResultRemark::Refused { spec, .. } => {
                Remedy::clause(format!("try {spec}, or another learner"))
            }
        }
    }
}

/// How errors that are no better than those of a baseline compare with them, in words.
pub fn no_better(errors: u64, baseline: u64) -> &'static str {
    if errors >= baseline {
        "no better than"
    } else {
        "to within two standard deviations no better than"
    }
}

impl fmt::Display for ResultRemark {
    #[allow(clippy::too_many_lines)] // a table: one arm per remark
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ResultRemark::Baseline {
                measured,
                errors,
                baseline,
                label,
                paired,
                ..
            } => {
                let against = AgainstBaseline {
                    errors: errors.errors,
                    baseline: *baseline,
                    label: label.clone(),
                    rows: errors.rows,
                    epochs: 1,
                    paired: *paired,
                };
                let what = match measured {
                    Measured::Evaluation => "error",
                    Measured::Test => "test error",
                    Measured::Grid => "error of the best of the grid",
                };
                let label = if label.is_empty() { "no label" } else { label };
                write!(
                    f,
                    "the {} on {} are {} the {} of always answering {label}, the most frequent label",
                    errors_of(errors.errors, what),
                    plural(errors.rows, "row"),
                    no_better(errors.errors, *baseline),
                    count(*baseline)
                )?;
                against.pairs().fmt(f)
            }
            ResultRemark::WeightedProbabilities { .. } => f.write_str(
                "the model was trained with weights of classes, so its probabilities are those of rows with these weights, \
                 and not of rows as they come",
            ),
            ResultRemark::WeightsLeaveOut { left_out, learners } => write!(
                f,
                "{} of the {} of the majority {} rows of weight 1 only and {} left out; the vote of the others counts every mistake \
                 once, whatever the weight of its row",
                count(*left_out),
                plural(*learners, "learner"),
                if *left_out == 1 { "takes" } else { "take" },
                if *left_out == 1 { "was" } else { "were" },
            ),
            ResultRemark::MovingWeights => f.write_str(
                "the model answers with the weights after its last row, and these move from row to row, so its probabilities, which were fitted \
                 again on margins of earlier weights, may be off",
            ),
            ResultRemark::SameRows { rows_for, share } => same_rows(*rows_for, *share, f),
            ResultRemark::LogLoss {
                log_loss,
                shares,
                rows,
                ..
            } => write!(
                f,
                "the probabilities are worthless on {}: their log loss, {log_loss:.4}, is no better than {shares:.4}, that of giving every row the \
                 shares of the labels",
                plural(*rows, "row")
            ),
            ResultRemark::MeanProbability {
                label, mean, with, ..
            } => write!(
                f,
                "the probabilities are off: the mean probability of {label} is {mean:.4}, and {with} have it",
            ),
            ResultRemark::Unreliable {
                label,
                between,
                mean,
                came_true,
                ..
            } => {
                let label = label.as_deref().unwrap_or("the predicted label");
                write!(f, "the probabilities are off: the mean probability of {label} is {mean:.2}")?;
                match between {
                    Some((from, to)) => write!(
                        f,
                        " where it is between {from} and {to}, and {came_true} have it"
                    ),
                    None => write!(f, ", and {came_true} have it"),
                }
            }
            ResultRemark::OtherShares {
                label,
                with,
                training,
            } => write!(
                f,
                "{with} to calibrate on have label {label}, and of a sample of training {training}, so the probabilities are those of rows with the first share",
            ),
            ResultRemark::AnsweredMore {
                label,
                answered,
                training,
            } => write!(
                f,
                "{answered} are answered {label}, and of a sample of training {training} have this label: the rows are unlike those of training, or the model does not fit them",
            ),
            ResultRemark::ConstantMeasure {
                measure,
                value,
                deviation,
                folds,
                is_worse,
                constant,
                of,
                ..
            } => {
                let within = if *is_worse { "" } else { "to within two standard errors " };
                write!(
                    f,
                    "the {measure} of the best of the grid, {value:.4} ± {deviation:.4} on {}, is {within}no better than {constant:.4}, that {of}",
                    plural(*folds, "fold")
                )
            }
            ResultRemark::HeldOut {
                errors,
                solved_for,
                baseline,
                label,
                ..
            } => write!(
                f,
                "errors on the rows that were solved for say nothing of others: a solution of {} has {} on {} held out, {} \
                 the {} of always answering {label}, the most frequent label",
                plural(*solved_for, "row"),
                plural(errors.errors, "error"),
                plural(errors.rows, "row"),
                no_better(errors.errors, *baseline),
                count(*baseline)
            ),
            ResultRemark::TooGood {
                rows,
                is_test,
                baseline,
            } => write!(
                f,
                "there is no error on {}{}, where always answering the most frequent label is wrong for {}, so a column, or several together, \
                 may contain the label",
                if *is_test { "" } else { "the last " },
                plural(*rows, if *is_test { "test row" } else { "row" }),
                percent(baseline.share())
            ),
            ResultRemark::NumberTooGood { errors } => write!(
                f,
                "the mean squared error, {} on {}, is less than a ten-thousandth of {}, that of always answering their mean, \
                 as if the label could be computed from the columns",
                digits(errors.error),
                plural(errors.rows, "row"),
                digits(errors.baseline)
            ),
            ResultRemark::NumberBaseline {
                measured, errors, ..
            } => {
                let what = match measured {
                    Measured::Evaluation => "mean squared error",
                    Measured::Test => "mean squared error of the test",
                    Measured::Grid => "mean squared error of the best of the grid",
                };
                write!(
                    f,
                    "the {what}, {} on {}, is {}",
                    digits(errors.error),
                    plural(errors.rows, "row"),
                    errors.no_better()
                )
            }
            ResultRemark::NumberHeldOut {
                errors, solved_for, ..
            } => write!(
                f,
                "the loss of the rows that were solved for says nothing of others: a solution of {} has a mean squared error of {} on {} held out, {}",
                plural(*solved_for, "row"),
                digits(errors.error),
                plural(errors.rows, "row"),
                errors.no_better()
            ),
            ResultRemark::MeanAway { errors } => write!(
                f,
                "the answers lack a constant: over {} they are {} too {} on average, which is {:.0}% of their squared error",
                plural(errors.rows, "row"),
                about(errors.away.abs()),
                if errors.away > 0.0 { "low" } else { "high" },
                100.0 * errors.by_constant()
            ),
            ResultRemark::Copies { share } => write!(
                f,
                "about {:.0}% of the rows are copies of earlier ones, so validation counts rows that were learned from, and its errors say little of \
                 new rows",
                100.0 * share
            ),
            ResultRemark::Groups {
                share,
                agree,
                columns,
            } => {
                let columns = match &columns[..] {
                    [] => String::new(),
                    [one] => format!(" in column {one}"),
                    [first @ .., last] => format!(" in columns {} and {last}", first.join(", ")),
                };
                let labels = match agree {
                    Some(agree) => {
                        format!("{:.0}% of these have the same label", 100.0 * agree)
                    }
                    None => "the labels of both are nearly the same".to_owned(),
                };
                write!(
                    f,
                    "about {:.0}% of the rows are nearly the same as another{columns}, and {labels}, so rows that are held out at random are as good as \
                     learned from, and their errors say little of new ones",
                    100.0 * share
                )
            }
            ResultRemark::Reversed { label, auc } => write!(
                f,
                "the scores of {label} are in the wrong order on these rows, as if the two labels were exchanged: the AUC is {auc:.4}, and of exchanged \
                 labels {:.4}",
                1.0 - auc
            ),
            ResultRemark::NotSaved { model } => write!(
                f,
                "what is learned is not saved, and {model} stays as it is"
            ),
            ResultRemark::Below { validation, test } => write!(
                f,
                "the test errors, {test}, are less than a tenth of the validation errors of the first pass, {validation}"
            ),
            ResultRemark::Gap { validation, test } => write!(
                f,
                "the test errors, {test}, are far above the validation errors of the first pass, {validation}"
            ),
            ResultRemark::NeverPredicted { label, rows, only } => {
                let have = if *rows == 1 { "has" } else { "have" };
                match only {
                    Some(only) => write!(f, "every row is answered {only}, though ")?,
                    None => write!(f, "{label} is never predicted, though ")?,
                }
                write!(f, "{} {have} the label {label}", plural(*rows, "row"))
            }
            ResultRemark::OneAnswer { label, rows } => {
                let label = if label.is_empty() { "with no label" } else { label };
                write!(f, "all {} are answered {label}", plural(*rows, "row"))
            }
            ResultRemark::NoPositive { label, .. } => write!(
                f,
                "no row has the label {label}, which the model tells from the rest"
            ),
            ResultRemark::Edge {
                key,
                value,
                highest,
            } => {
                let end = if *highest { "highest" } else { "lowest" };
                write!(
                    f,
                    "the best {key}, {value}, is the {end} of the grid, so a better one may lie beyond it"
                )
            }
            ResultRemark::FewRows {
                what, rows, rarest, ..
            } => write!(
                f,
                "{what} were fitted to {}, {} of the rarest label, so they may be far off on others",
                plural(*rows, "row"),
                count(*rarest)
            ),
            ResultRemark::Refused {
                times, mistakes, ..
            } => write!(
                f,
                "{} of {} were not learned from: no vector has a margin on them and on the rows before",
                count(*times),
                plural(*mistakes, "mistake")
            ),
        }
    }
}

/// Rows that were learned from before.
fn same_rows(rows_for: RowsFor, share: f64, f: &mut fmt::Formatter<'_>) -> fmt::Result {
    if share < 0.995 {
        // a sample of some hundred rows says no more
        write!(f, "about {:.0}% of ", 10.0 * (10.0 * share).round())?;
    }
    f.write_str(match rows_for {
        RowsFor::Test => {
            "the test rows are those that were learned from, so their errors say little of others"
        }
        RowsFor::Evaluation => {
            "the rows are those that the model was trained on, so their errors say little of others"
        }
        RowsFor::EvaluationOfCalibration => {
            "the rows are those that the probabilities were fitted to, so log loss, Brier score and calibration say little of others"
        }
        RowsFor::Calibration => {
            "the rows are those that the model was trained on, so its margins on them, and the probabilities, are surer than on others"
        }
        RowsFor::Learning => {
            "the rows are those that the model has learned from before, so the validation errors, and the margins that probabilities are fitted to, are not those of new rows"
        }
    })
}

/// `3 errors of the best of the grid`.
fn errors_of(errors: u64, what: &str) -> String {
    match what.split_once(" of ") {
        Some((noun, rest)) => format!("{} of {rest}", plural(errors, noun)),
        None => plural(errors, what),
    }
}

#[cfg(test)]
mod tests {
    use super::{Advice, Errors, Measured, NumberAdvice, ResultRemark, SquaredErrors};

    fn errors(errors: u64, rows: u64) -> Errors {
        Errors { errors, rows }
    }

    #[test]
    fn squared_errors_beside_those_of_the_mean() {
        // 100 rows, each of which saves 1 or loses 1
        let errors = |error, saved_squares| SquaredErrors {
            error,
            baseline: 4.0,
            mean: 283.25,
            saved_squares,
            away: 0.0,
            rows: 100,
        };
        for (error, squares, expected) in [
            (3.9, 100.0, true),
            (3.7, 100.0, false),
            (3.7, 300.0, true),
            (5.0, 100.0, true),
            (0.3, 1e9, false),
        ] {
            let is = errors(error, squares).is_no_better();
            assert_eq!(is, expected, "{error}");
        }
        let few = SquaredErrors {
            rows: 9,
            ..errors(5.0, 100.0)
        };
        assert!(!few.is_no_better());
        let away = |away| SquaredErrors {
            away,
            ..errors(4.0, 100.0)
        };
        assert!(away(-1.5).lack_constant() && !away(1.4).lack_constant());
        assert_eq!(
            ResultRemark::MeanAway { errors: away(-1.5) }.to_string(),
            "the answers lack a constant: over 100 rows they are 1.5 too high on average, which is 56% of their squared error"
        );
        let remark = ResultRemark::NumberBaseline {
            measured: Measured::Test,
            errors: errors(3.9, 100.0),
            advice: NumberAdvice::default(),
        };
        assert_eq!(
            remark.to_string(),
            "the mean squared error of the test, 3.9 on 100 rows, is to within two standard deviations no better than 4, \
             that of always answering their mean, 283.25"
        );
    }

    #[test]
    fn facts() {
        let remark = ResultRemark::Baseline {
            measured: Measured::Grid,
            errors: errors(2001, 4000),
            baseline: 2010,
            label: "no".to_owned(),
            paired: None,
            advice: Advice {
                standardize: false,
                compare: true,
                rare: false,
                weighted: false,
            },
        };
        assert_eq!(
            remark.to_string(),
            "the 2,001 errors of the best of the grid on 4,000 rows are to within two standard deviations no better than \
             the 2,010 of always answering no, the most frequent label"
        );
    }
}
