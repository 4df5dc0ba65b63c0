//! A model's predictions on labelled rows, counted block by block.

use super::{
    Confusion, Hits, Measures, ProbabilityScores, Ranking, Reliability, macro_average,
    micro_average,
};
use crate::classes::{LabelError, Task};
use crate::label::{Label, RawLabel};
use crate::learner::Hypothesis;
use crate::model::Model;
use crate::model::probability_of;
use crate::remark::Paired;
use crate::rows::Block;

/// The name of all labels that the model does not know: a class of their own, which is never predicted.
pub const UNKNOWN: &str = "(unknown)";

/// Unknown labels that are counted one by one.
const COUNTED: usize = 1000;

/// Labels up to which a confusion matrix is kept.
const MATRIX: usize = 1000;

/// One label's results.
#[derive(Clone, Debug, PartialEq)]
pub struct Evaluated {
    /// The label.
    pub label: String,
    /// Its counts.
    pub hits: Hits,
    /// The rows in the order of its scores, unless there were too many to keep.
    pub ranking: Option<Ranking>,
}

/// An average over labels.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Average {
    /// Precision, recall and F1.
    pub measures: Measures,
    /// The break-even points, of the labels that occurred: by how often they did (micro), or all alike (macro).
    pub break_even: Option<f64>,
    /// The mean area under the ROC curve of the labels that have one; of the macro average only.
    pub auc: Option<f64>,
    /// The mean average precision of the labels that have one; of the macro average only.
    pub average_precision: Option<f64>,
}

/// What the scores of a ranking, and so its thresholds, are.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ScoreUnit {
    /// Margins.
    #[default]
    Margin,
    /// Probabilities.
    Probability,
}

impl ScoreUnit {
    /// Its name in reports.
    pub fn name(self) -> &'static str {
        match self {
            ScoreUnit::Margin => "margin",
            ScoreUnit::Probability => "probability",
        }
    }
}

/// What a model's predictions came to.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Evaluation {
    /// Rows.
    pub rows: u64,
    /// Rows with a wrong label; with several labels per row, any wrong label.
    pub errors: u64,
    /// One a label, in the order of the labels; negative, then positive, where there are two.
    pub labels: Vec<Evaluated>,
    /// Every row counts alike.
    pub micro: Average,
    /// Every label counts alike.
    pub over_labels: Average,
    /// Which label was taken for which, where every row has one of not too many.
    pub confusion: Option<Confusion>,
    /// Log loss and Brier score, if the model has probabilities of the predictor in use.
    pub probability_scores: Option<ProbabilityScores>,
    /// Whether those probabilities come true.
    pub reliability: Option<Reliability>,
    /// The sum of the probabilities of the predicted labels, where every row has one of several.
    pub sureness: f64,
    /// What the rows are ranked by.
    pub unit: ScoreUnit,
    /// Labels that the model does not know.
    pub unknown: UnknownCounts,
}

/// How often labels occurred that a model does not know.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct UnknownCounts {
    /// How often all of them.
    pub times: u64,
    /// The first thousand of them with how often each, the most frequent first.
    pub labels: Vec<(String, u64)>,
}

impl UnknownCounts {
    fn add(&mut self, label: RawLabel<'_>) {
        self.times += 1;
        let name = String::from_utf8_lossy(label.text());
        let place = self.labels.iter().position(|(known, _)| **known == *name);
        match place {
            Some(place) => self.labels[place].1 += 1,
            None if self.labels.len() < COUNTED => self.labels.push((name.into_owned(), 1)),
            None => {}
        }
    }
}

impl Evaluation {
    /// The label that most rows have, and the errors of answering all rows with it, where rows have one label each.
    pub fn most_frequent(&self) -> Option<(&str, u64)> {
        let (label, rows, _) = self.most()?;
        Some((label, self.rows.saturating_sub(rows)))
    }

    /// The label that most rows have, how many, and how many of those are answered right. Of equals the first, and one that the model knows.
    fn most(&self) -> Option<(&str, u64, u64)> {
        let known = self.labels.iter().map(|label| {
            let right = label.hits.true_positives;
            (label.label.as_str(), label.hits.occurrences(), right)
        });
        let unknown = self.unknown.labels.iter();
        let unknown = unknown.map(|(label, rows)| (label.as_str(), *rows, 0));
        let all: Vec<(&str, u64, u64)> = known.chain(unknown).collect();
        all.into_iter().rev().max_by_key(|(_, rows, _)| *rows)
    }

    /// The rows that the model answers right and the most frequent label does not, and those where it is the other way round, where rows have
    /// one label each.
    pub fn beside_most_frequent(&self) -> Paired {
        let right = self.labels.iter().map(|label| label.hits.true_positives);
        let right: u64 = right.sum();
        let (_, rows, both) = self.most().unwrap_or_default();
        Paired {
            better: right - both,
            worse: rows - both,
        }
    }
}

/// How a model does on labelled rows, block by block.
///
/// ```
/// use novikoff::{Label, Model, Row, Rows, evaluation::Tally, learners::Perceptron};
///
/// let mut rows = Rows::new();
/// for t in 0..200_i16 {
///     let x = [t * 7 % 13 - 6, t * 5 % 11 - 5].map(f32::from);
///     rows.add(Label::of(f64::from(x[0] + 2.0 * x[1])), Row::dense(&x));
/// }
/// let mut model = Model::builder(Perceptron::default()).build()?;
/// for i in 0..100 {
///     let _ = model.learn(rows.row(i), rows.labels(i))?;
/// }
/// let mut tally = Tally::new(&model, None, 1 << 20);
/// tally.add(rows.view()).map_err(|(_row, error)| error)?;
/// let evaluation = tally.finish();
/// let positive = &evaluation.labels[1];
/// assert_eq!((evaluation.rows, evaluation.errors), (200, 6));
/// assert_eq!(positive.hits.recall(), 92.0 / 98.0);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct Tally<'m> {
    model: &'m Model,
    by: Option<Hypothesis>,
    evaluation: Evaluation,
    /// By class, its place in the order of the labels.
    place: Vec<usize>,
    unknown: Hits,
    /// Scores by label, as long as there is room.
    ranked: Option<Vec<Vec<(f64, bool)>>>,
    room: u128,
    probabilities: Vec<f64>,
    /// What the rows are ranked by where probabilities are found: their log-odds, or the probabilities themselves.
    keys: Vec<f64>,
    has_log_odds: bool,
    truth: Vec<bool>,
}

impl<'m> Tally<'m> {
    /// No row yet. The scores, kept for the curves, may take `memory` bytes; past that there are no curves. Rows are ranked by what the
    /// model answers with: probabilities if it has them, otherwise margins.
    pub fn new(model: &'m Model, by: Option<Hypothesis>, memory: u128) -> Self {
        Self::ranked(model, by, memory, model.has_probabilities(by))
    }

    /// A tally for the margins of a model that may have probabilities.
    pub fn of_margins(model: &'m Model, by: Option<Hypothesis>, memory: u128) -> Self {
        Self::ranked(model, by, memory, false)
    }

    fn ranked(
        model: &'m Model,
        by: Option<Hypothesis>,
        memory: u128,
        has_probabilities: bool,
    ) -> Self {
        let classes = model.classes();
        let list = classes.list();
        let names: Vec<String> = if let Task::Binary { negative, positive } = classes.task() {
            let negative = negative.as_ref().map_or("rest", |n| n.name());
            vec![negative.to_owned(), positive.name().to_owned()]
        } else {
            let name = |&k: &usize| list[k].label.name().to_owned();
            classes.order().iter().map(name).collect()
        };
        let mut place = vec![0; list.len()];
        for (at, &class) in classes.order().iter().enumerate() {
            place[class] = at;
        }
        let single = !matches!(classes.task(), Task::MultiLabel);
        let confusion = (single && names.len() < MATRIX).then(|| {
            let unknown = UNKNOWN.to_owned();
            Confusion::new(names.iter().cloned().chain([unknown]).collect())
        });
        let label = |label: String| Evaluated {
            label,
            hits: Hits::default(),
            ranking: None,
        };
        Tally {
            model,
            by,
            ranked: Some(vec![Vec::new(); names.len()]),
            evaluation: Evaluation {
                labels: names.into_iter().map(label).collect(),
                confusion,
                probability_scores: has_probabilities.then(ProbabilityScores::default),
                reliability: has_probabilities.then(Reliability::default),
                unit: if has_probabilities {
                    ScoreUnit::Probability
                } else {
                    ScoreUnit::Margin
                },
                ..Evaluation::default()
            },
            place,
            unknown: Hits::default(),
            room: memory,
            probabilities: Vec::new(),
            keys: Vec::new(),
            has_log_odds: has_probabilities && model.has_log_odds(),
            truth: Vec::new(),
        }
    }

    /// Counts the rows of a block, or says which row's labels do not fit.
    pub fn add(&mut self, rows: Block<'_>) -> Result<(), (usize, LabelError)> {
        self.add_watched(rows, |_| {})
    }

    /// Adds rows as [`add`](Self::add) does; `done` is called with the number of each row that was added.
    pub fn add_watched(
        &mut self,
        rows: Block<'_>,
        done: impl Fn(usize),
    ) -> Result<(), (usize, LabelError)> {
        let model = self.model;
        if !matches!(model.classes().task(), Task::MultiLabel) {
            for row in 0..rows.len() {
                match rows.labels(row).len() {
                    1 => {}
                    0 => return Err((row, LabelError::None)),
                    count => return Err((row, LabelError::Several { count })),
                }
            }
        }
        let all = (0..rows.len()).map(|row| rows.row(row));
        model.scores_of(all, self.by, |row, scores| {
            self.row(scores, rows.labels(row));
            done(row);
        });
        // a growing vector may take twice its length
        let kept = u128::from(self.evaluation.rows) * self.evaluation.labels.len() as u128;
        if 32 * kept > self.room {
            self.ranked = None;
        }
        Ok(())
    }

    /// Counts a row by its scores. Its labels must be those that a row of the model's task can have.
    pub fn row<'a>(&mut self, scores: &[f64], mut labels: impl Iterator<Item = RawLabel<'a>>) {
        self.evaluation.rows += 1;
        let model = self.model;
        match model.classes().task() {
            Task::Binary { negative, positive } => {
                let Some(label) = labels.next() else { return };
                let truth = if positive.is(label) {
                    Some(1)
                } else if negative.as_ref().is_none_or(|n| n.is(label)) {
                    Some(0)
                } else {
                    None
                };
                let predicted = usize::from(Label::of(scores[0]) == Label::Pos);
                self.one_of(truth, Some(predicted), label);
                if self.forecast(scores) {
                    let (p, key) = (self.probabilities[0], self.keys[0]);
                    let other = if self.has_log_odds { -key } else { 1.0 - p };
                    self.rank(|k| if k == 1 { key } else { other }, |k| truth == Some(k));
                    match truth {
                        Some(truth) => self.come_true(p, truth == 1),
                        // neither of the two
                        None => self.surprise(),
                    }
                } else {
                    let score = |k: usize| if k == 1 { scores[0] } else { -scores[0] };
                    self.rank(score, |k| truth == Some(k));
                }
            }
            Task::OneVsRest => {
                let Some(label) = labels.next() else { return };
                let class = model.classes().find(label);
                let truth = class.map(|class| self.place[class]);
                let best = model.classes().best(|class| scores[class]);
                self.one_of(truth, best.map(|class| self.place[class]), label);
                let has_forecast = self.forecast(scores);
                self.rank_classes(scores, |class| truth == Some(class));
                if has_forecast {
                    let probabilities = std::mem::take(&mut self.probabilities);
                    self.evaluation.sureness += best.map_or(0.0, |class| probabilities[class]);
                    if let Some(probability_scores) = &mut self.evaluation.probability_scores {
                        probability_scores.add(&probabilities, class);
                    }
                    if let Some(reliability) = &mut self.evaluation.reliability {
                        for (k, &p) in probabilities.iter().enumerate() {
                            reliability.add(p, class == Some(k));
                        }
                    }
                    self.probabilities = probabilities;
                }
            }
            Task::MultiLabel => self.any_of(scores, labels),
            // numbers are not labels: see `Distances`
            Task::Regression => {}
        }
    }

    /// Finds the probabilities of a row, if the rows are ranked by them, and the keys that rank it.
    fn forecast(&mut self, scores: &[f64]) -> bool {
        let model = self.model;
        if self.evaluation.probability_scores.is_none()
            || !model.probabilities(scores, &mut self.probabilities)
        {
            return false;
        }
        if self.has_log_odds {
            model.log_odds(scores, &mut self.keys);
        } else {
            self.keys.clone_from(&self.probabilities);
        }
        true
    }

    /// Counts a forecast of one label.
    fn come_true(&mut self, probability: f64, truth: bool) {
        if let Some(probability_scores) = &mut self.evaluation.probability_scores {
            probability_scores.add_one(probability, truth);
        }
        if let Some(reliability) = &mut self.evaluation.reliability {
            reliability.add(probability, truth);
        }
    }

    /// Counts a row that has neither of two labels.
    fn surprise(&mut self) {
        if let Some(probability_scores) = &mut self.evaluation.probability_scores {
            probability_scores.add_one(0.0, true);
        }
    }

    /// A row with one label.
    fn one_of(&mut self, truth: Option<usize>, predicted: Option<usize>, label: RawLabel<'_>) {
        let evaluation = &mut self.evaluation;
        let wrong = truth.is_none() || truth != predicted;
        evaluation.errors += u64::from(wrong);
        if let Some(predicted) = predicted {
            evaluation.labels[predicted].hits.add(!wrong, true);
        }
        match truth {
            Some(truth) if wrong => evaluation.labels[truth].hits.add(true, false),
            Some(_) => {}
            None => self.not_known(label),
        }
        let unknown = self.evaluation.labels.len();
        if let (Some(confusion), Some(predicted)) = (&mut self.evaluation.confusion, predicted) {
            confusion.add(truth.unwrap_or(unknown), predicted);
        }
    }

    /// A row with any number of labels.
    fn any_of<'a>(&mut self, scores: &[f64], labels: impl Iterator<Item = RawLabel<'a>>) {
        let mut truth = std::mem::take(&mut self.truth);
        truth.clear();
        truth.resize(scores.len(), false);
        let mut wrong = false;
        for label in labels {
            if let Some(class) = self.model.classes().find(label) {
                truth[class] = true;
            } else {
                wrong = true;
                self.not_known(label);
            }
        }
        for (class, &is_so) in truth.iter().enumerate() {
            let predicted = Label::of(scores[class]) == Label::Pos;
            wrong |= predicted != is_so;
            let label = &mut self.evaluation.labels[self.place[class]];
            label.hits.add(is_so, predicted);
        }
        self.evaluation.errors += u64::from(wrong);
        let has_forecast = self.forecast(scores);
        let order = self.model.classes().order();
        self.rank_classes(scores, |k| truth[order[k]]);
        if has_forecast {
            for (class, &is_so) in truth.iter().enumerate() {
                self.come_true(self.probabilities[class], is_so);
            }
        }
        self.truth = truth;
    }

    fn not_known(&mut self, label: RawLabel<'_>) {
        self.unknown.add(true, false);
        self.evaluation.unknown.add(label);
    }

    /// Keeps the scores of a row, by the places of the labels.
    fn rank(&mut self, score: impl Fn(usize) -> f64, is_so: impl Fn(usize) -> bool) {
        if let Some(ranked) = &mut self.ranked {
            for (k, rows) in ranked.iter_mut().enumerate() {
                rows.push((score(k), is_so(k)));
            }
        }
    }

    /// Keeps what a row is ranked by, class by class: the keys of its probabilities if they were found, otherwise its scores.
    fn rank_classes(&mut self, scores: &[f64], is_so: impl Fn(usize) -> bool) {
        let order = self.model.classes().order();
        let keys = std::mem::take(&mut self.keys);
        let by = match self.evaluation.unit {
            ScoreUnit::Margin => scores,
            ScoreUnit::Probability => &keys,
        };
        self.rank(|k| by[order[k]], is_so);
        self.keys = keys;
    }

    /// What the rows so far are ranked by, label by label in the order of the rows; none if there were too many to keep.
    #[doc(hidden)] // for calibration
    pub fn scores(&self) -> Option<&[Vec<(f64, bool)>]> {
        self.ranked.as_deref()
    }

    /// The results.
    pub fn finish(self) -> Evaluation {
        let mut evaluation = self.evaluation;
        let unknown = &mut evaluation.unknown.labels;
        unknown.sort_by_key(|(_, times)| std::cmp::Reverse(*times));
        if let Some(ranked) = self.ranked {
            for (label, rows) in evaluation.labels.iter_mut().zip(ranked) {
                let ranking = Ranking::new(rows);
                label.ranking = Some(if self.has_log_odds {
                    ranking.in_unit(probability_of)
                } else {
                    ranking
                });
            }
        }
        let mut hits: Vec<Hits> = evaluation.labels.iter().map(|label| label.hits).collect();
        hits.push(self.unknown);
        let (micro, mean) = break_even(&evaluation.labels);
        evaluation.micro = Average {
            measures: micro_average(&hits),
            break_even: micro,
            auc: None,
            average_precision: None,
        };
        evaluation.over_labels = Average {
            measures: macro_average(&hits),
            break_even: mean,
            auc: mean_over(&evaluation.labels, Ranking::auc),
            average_precision: mean_over(&evaluation.labels, Ranking::average_precision),
        };
        if evaluation.unknown.times == 0
            && let Some(confusion) = &mut evaluation.confusion
        {
            confusion.drop_last();
        }
        evaluation
    }
}

/// The averages of the break-even points. At its own break-even threshold every label has as many predictions as
/// occurrences, so the counts of all labels added up break even too: that is the micro average.
fn break_even(labels: &[Evaluated]) -> (Option<f64>, Option<f64>) {
    let (mut hits, mut positives, mut sum, mut count) = (0.0, 0.0, 0.0, 0.0);
    for ranking in labels.iter().filter_map(|label| label.ranking.as_ref()) {
        if let Some(point) = ranking.break_even() {
            let occurred = ranking.positives() as f64;
            hits += point * occurred;
            positives += occurred;
            sum += point;
            count += 1.0;
        }
    }
    let mean = |a: f64, b: f64| (b > 0.0).then(|| a / b);
    (mean(hits, positives), mean(sum, count))
}

/// The mean of a measure over the labels that have it.
fn mean_over(labels: &[Evaluated], measure: impl Fn(&Ranking) -> Option<f64>) -> Option<f64> {
    let rankings = labels.iter().filter_map(|label| label.ranking.as_ref());
    let values: Vec<f64> = rankings.filter_map(measure).collect();
    (!values.is_empty()).then(|| values.iter().sum::<f64>() / values.len() as f64)
}

/// How far predicted numbers are from the true ones.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Distances {
    /// Rows.
    pub rows: u64,
    squares: f64,
    absolute: f64,
}

impl Distances {
    /// Counts one row.
    pub fn add(&mut self, truth: f64, predicted: f64) {
        let away = predicted - truth;
        self.rows += 1;
        self.squares += away * away;
        self.absolute += away.abs();
    }

    /// The mean squared error; 0 without rows.
    pub fn mean_squared(&self) -> f64 {
        self.squares / self.rows.max(1) as f64
    }

    /// The mean absolute error; 0 without rows.
    pub fn mean_absolute(&self) -> f64 {
        self.absolute / self.rows.max(1) as f64
    }
}
