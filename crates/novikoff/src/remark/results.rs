//! Remarks on what a result is worth.

use std::fmt;

use super::{AgainstBaseline, about};
use crate::quantity::{count, percent, plural};
use crate::remedy::{Hint, Remedy, Setting};

/// Errors on some rows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Errors {
    /// How many.
    pub errors: u64,
    /// On how many rows.
    pub rows: u64,
}

impl Errors {
    /// The share of the rows.
    pub fn share(self) -> f64 {
        self.errors as f64 / self.rows.max(1) as f64
    }

    /// The errors that chance alone makes more or fewer: two standard deviations of a binomial count.
    pub fn noise(self) -> f64 {
        2.0 * (self.errors as f64 * (1.0 - self.share()).max(0.0)).sqrt()
    }

    /// Whether there are no fewer than a baseline makes on the same rows, or so little fewer that chance alone may do it. Where the answers to
    /// each row are known, those that differ tell it. One error says nothing.
    pub fn is_no_better_than(self, baseline: u64, paired: Option<Paired>) -> bool {
        let chance = Errors {
            errors: baseline,
            rows: self.rows,
        };
        let noise = paired.map_or_else(|| chance.noise(), Paired::noise);
        self.errors > 1 && self.errors as f64 >= baseline as f64 - noise
    }

    /// Whether they are less than a tenth of others that are many: at least three in ten of at least 100 rows.
    pub fn is_far_below(self, other: Errors) -> bool {
        other.rows >= 100 && other.share() >= 0.3 && 10.0 * self.share() < other.share()
    }

    /// Whether the share is more than twice that of other rows, beyond what chance alone may do to either.
    pub fn is_far_above(self, other: Errors) -> bool {
        let noise = |of: Errors| {
            let floor = Errors {
                errors: of.errors.max(1),
                rows: of.rows,
            };
            floor.noise() / of.rows.max(1) as f64
        };
        let (noise, other_noise) = (noise(self), noise(other));
        self.share() > 2.0 * other.share()
            && self.share() - other.share() > libm::hypot(noise, other_noise)
    }
}

/// Rows that two predictors answer differently, one right and the other wrong: what McNemar's test compares.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Paired {
    /// Rows on which the first is right and the second wrong.
    pub better: u64,
    /// Rows on which the first is wrong and the second right.
    pub worse: u64,
}

impl Paired {
    /// Counts a row.
    pub fn row(&mut self, is_wrong: bool, other_is_wrong: bool) {
        self.better += u64::from(!is_wrong && other_is_wrong);
        self.worse += u64::from(is_wrong && !other_is_wrong);
    }

    /// The difference that chance alone makes: two standard deviations of `better - worse`, if either is as likely.
    fn noise(self) -> f64 {
        2.0 * (self.better as f64 + self.worse as f64).sqrt()
    }
}

impl fmt::Display for Paired {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (better, worse) = (plural(self.better, "row"), count(self.worse));
        let is = if self.better == 1 { "is" } else { "are" };
        write!(f, " ({better} {is} answered better, {worse} worse)")
    }
}

impl fmt::Display for Errors {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "{} of {} ({})",
            count(self.errors),
            plural(self.rows, "row"),
            percent(self.share())
        )
    }
}

/// Squared errors on some rows whose labels are quantities, beside those of always answering the mean of these labels.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SquaredErrors {
    /// The mean squared error.
    pub error: f64,
    /// That of always answering the mean.
    pub baseline: f64,
    /// The mean.
    pub mean: f64,
    /// The sum over the rows of the squares of what the answer saves beside the mean: the difference of both squared errors.
    pub saved_squares: f64,
    /// The mean of label less answer.
    pub away: f64,
    /// On how many rows.
    pub rows: u64,
}

/// Fewer rows than this say nothing of squared errors.
const ROWS_OF_SQUARES: u64 = 10;

/// Squared errors below this share of the baseline's are better, whatever the noise.
const FAR_BETTER: f64 = 0.1;

/// Squared errors of at most this share of the baseline's, on at least the next number of rows, are too good for labels that are measured.
const TOO_GOOD: f64 = 1e-4;
const ROWS_TOO_GOOD: u64 = 100;

/// A constant is missing if it would take away more than this share of the squared error.
const BY_CONSTANT: f64 = 0.5;

impl SquaredErrors {
    /// Whether they are no smaller than those of the mean, or so little smaller that chance alone may do it: the sum of what the answers save is at
    /// most two standard deviations, if each is as likely to be a loss.
    pub fn is_no_better(&self) -> bool {
        let saved = (self.baseline - self.error) * self.rows as f64;
        self.rows >= ROWS_OF_SQUARES
            && self.baseline > 0.0
            && self.error > FAR_BETTER * self.baseline
            && saved <= 2.0 * self.saved_squares.sqrt()
    }

    /// Whether they are so small that the columns as good as contain the label.
    pub fn are_too_good(&self) -> bool {
        self.rows >= ROWS_TOO_GOOD && self.baseline > 0.0 && self.error <= TOO_GOOD * self.baseline
    }

    /// The share of the squared error that a constant would take away.
    fn by_constant(&self) -> f64 {
        if self.error > 0.0 {
            self.away * self.away / self.error
        } else {
            0.0
        }
    }

    /// Whether a constant would take away most of the squared error. It does so by a hundredth of the baseline at least.
    pub fn lack_constant(&self) -> bool {
        self.rows >= ROWS_OF_SQUARES
            && self.by_constant() > BY_CONSTANT
            && self.away * self.away > 0.01 * self.baseline
    }

    fn no_better(&self) -> NoBetter<'_> {
        NoBetter(self)
    }
}

/// `no better than 12.5, that of always answering their mean, 3`.
struct NoBetter<'s>(&'s SquaredErrors);

impl fmt::Display for NoBetter<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let SquaredErrors {
            error,
            baseline,
            mean,
            ..
        } = self.0;
        let within = if error >= baseline {
            ""
        } else {
            "to within two standard deviations "
        };
        let (baseline, mean) = (digits(*baseline), digits(*mean));
        write!(
            f,
            "{within}no better than {baseline}, that of always answering their mean, {mean}"
        )
    }
}

/// A number with six digits.
fn digits(value: f64) -> String {
    let rounded: Option<f64> = format!("{value:.5e}").parse().ok();
    match rounded.unwrap_or(value) {
        size if size == 0.0 || (1e-4..1e12).contains(&size.abs()) => size.to_string(),
        size => format!("{size:e}"),
    }
}

/// What may do better than answers that are no better than the mean.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct NumberAdvice {
    /// A constant is missing.
    pub bias: bool,
    /// Features are not centred and scaled, and there are numbers to be.
    pub standardize: bool,
}

impl NumberAdvice {
    fn remedy(self) -> Remedy {
        let free = Remedy::give(Setting::Bias, "free");
        let standardize = Remedy::give(Setting::Standardize, "");
        let other = "check the labels and what the columns are read as";
        match (self.bias, self.standardize) {
            (true, true) => free.or(standardize),
            (true, false) => free,
            (false, true) => standardize.or(other),
            (false, false) => Remedy::clause("try a smaller or larger lambda").or(other),
        }
    }
}

/// What may do better than a run that is no better than the baseline.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(clippy::struct_excessive_bools)] // none of these facts follows from the others
pub struct Advice {
    /// Features are not centred and scaled, and there are numbers to be.
    pub standardize: bool,
    /// Other learners were not run beside it.
    pub compare: bool,
    /// There are two labels, and few rows have the rarer one: few errors say little, and the order of the scores may be worth more.
    pub rare: bool,
    /// Classes have weights: more errors of the frequent label are what was asked for.
    pub weighted: bool,
}

/// A label is rare if no more than this share of the rows has it.
const RARE: f64 = 0.2;

impl Advice {
    /// This advice where a constant answer to two labels makes these errors on some rows.
    #[must_use]
    pub fn on(self, baseline: Errors, is_binary: bool) -> Self {
        Advice {
            rare: is_binary && baseline.rows > 0 && baseline.share() <= RARE,
            ..self
        }
    }
}

impl Advice {
    /// This advice where classes have weights, or have none.
    #[must_use]
    pub fn weighted(self, weighted: bool) -> Self {
        Advice { weighted, ..self }
    }

    pub(super) fn remedy(self) -> Remedy {
        if self.weighted {
            return Remedy::clause(
                "judge by the AUC and not by errors: class weights give up rows of the frequent label to find more of the others",
            );
        }
        let standardize = Remedy::give(Setting::Standardize, "");
        let remedy = match (self.standardize, self.compare) {
            (true, true) => standardize.or(Remedy::hint(Hint::Compare)),
            (true, false) => standardize,
            (false, true) => Remedy::hint(Hint::Compare),
            (false, false) => Remedy::clause("check the labels and what the columns are read as"),
        };
        if self.rare {
            remedy.or(ranking())
        } else {
            remedy
        }
    }
}

/// What to look at where one label is rare.
fn ranking_alone() -> Remedy {
    Remedy::hint(Hint::RankRare)
}

/// What to do where a learner is yet to be trained.
fn ranking() -> Remedy {
    ranking_alone()
        .or(Remedy::give(Setting::ClassWeight, "balanced").aim("to find more of the rare label"))
}

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
    /// Probabilities of a model that was trained with weights of classes: they are those of the weighted rows.
    WeightedProbabilities {
        /// Its file.
        model: String,
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
    /// Rows to calibrate on have the labels in other shares than those of training.
    OtherShares {
        /// The label.
        label: String,
        /// The rows to calibrate on that have it.
        with: Errors,
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
            | ResultRemark::HeldOut { .. }
            | ResultRemark::NumberBaseline { .. }
            | ResultRemark::NumberHeldOut { .. } => "baseline",
            ResultRemark::MeanAway { .. } => "no-constant",
            ResultRemark::NumberTooGood { .. } => "leakage",
            ResultRemark::WeightedProbabilities { .. } => "weighted-probabilities",
            ResultRemark::MovingWeights => "moving-weights",
            ResultRemark::SameRows { .. } => "same-rows",
            ResultRemark::LogLoss { .. } | ResultRemark::MeanProbability { .. } => "probabilities",
            ResultRemark::OtherShares { .. } => "other-shares",
            ResultRemark::Copies { .. } => "copies",
            ResultRemark::Groups { .. } => "groups",
            ResultRemark::NotSaved { .. } => "not-saved",
            ResultRemark::Gap { .. } | ResultRemark::Below { .. } => "gap",
            ResultRemark::NeverPredicted { .. } | ResultRemark::OneAnswer { .. } => {
                "never-predicted"
            }
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
            ResultRemark::Baseline { advice, .. } => advice.remedy(),
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
            ResultRemark::NumberTooGood { .. } => Remedy::clause(
                "check that the columns with the largest weights are known before the label is",
            ),
            ResultRemark::WeightedProbabilities { model } => Remedy::hint(Hint::Calibrate {
                model: model.clone(),
            }),
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
            ResultRemark::LogLoss { model, .. } | ResultRemark::MeanProbability { model, .. } => {
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
            ResultRemark::OneAnswer { .. } => {
                Remedy::clause("check that the rows are like those of training").or(ranking_alone())
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
                Remedy::give(Setting::Learner, spec.clone()).or(Remedy::hint(Hint::Compare))
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
            ResultRemark::OtherShares {
                label,
                with,
                training,
            } => write!(
                f,
                "{with} to calibrate on have label {label}, and of a sample of training {training}, so the probabilities are those of rows with the first share",
            ),
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
    use super::{Advice, Errors, Measured, NumberAdvice, Paired, ResultRemark, SquaredErrors};

    fn errors(errors: u64, rows: u64) -> Errors {
        Errors { errors, rows }
    }

    #[test]
    fn chance_does_not_beat_the_baseline() {
        for (got, baseline, rows, expected) in [
            (2001, 2010, 4000, true),
            (1304, 1306, 2200, true),
            (11_984, 11_987, 12_000, true),
            (11_979, 11_987, 12_000, false),
            (484, 2140, 12_000, false),
            (0, 3, 100, false),
            (1, 3, 100, false),
            (2, 3, 100, true),
            (30, 50, 100, false),
            (60, 50, 100, true),
        ] {
            let is = errors(got, rows).is_no_better_than(baseline, None);
            assert_eq!(is, expected, "{got} against {baseline} of {rows}");
        }
    }

    #[test]
    fn answers_that_differ_say_whether_chance_beats_the_baseline() {
        for (better, worse, expected) in [
            (104, 66, false),
            (12, 10, true),
            (5, 0, false),
            (3, 0, true),
        ] {
            let paired = Some(Paired { better, worse });
            let (baseline, rows) = (738, 5000);
            let is = errors(baseline + worse - better, rows).is_no_better_than(baseline, paired);
            assert_eq!(is, expected, "{better} better, {worse} worse");
        }
        let is = errors(700, 5000).is_no_better_than(738, None);
        assert!(is, "two counts alone say less");
    }

    #[test]
    fn a_gap_is_twofold_and_no_chance() {
        for (test, validation, expected) in [
            (errors(1633, 2000), errors(14, 4000), true),
            (errors(3, 20), errors(1, 20), false),
            (errors(180, 2000), errors(100, 2000), false),
            (errors(5, 2000), errors(0, 4000), true),
            (errors(1, 2000), errors(0, 4000), false),
        ] {
            assert_eq!(test.is_far_above(validation), expected, "{test}");
        }
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
