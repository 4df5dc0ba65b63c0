//! What errors are worth beside those of a constant answer.

pub(crate) mod numbers;
pub(crate) mod too_good;

use std::path::Path;

use novikoff::classes::Task;
use novikoff::evaluation::Evaluation;
use novikoff::model::{Model, RowSample};
use novikoff::remark::{Advice, Errors, Measured, OrderRemark, Remark, ResultRemark};
use novikoff_report::{BaselineReport, ErrorCount, RunReport, Validated};

use crate::positive::is_alike;
use crate::profile::Following;

fn errors(report: &ErrorCount) -> Errors {
    Errors {
        errors: report.errors,
        rows: report.rows,
    }
}

/// The errors of a baseline with its rows.
pub(crate) fn share(baseline: &BaselineReport) -> Errors {
    Errors {
        errors: baseline.errors,
        rows: baseline.rows,
    }
}

/// A remark if something measured is no better than a baseline of the same rows.
pub(crate) fn against(
    measured: Measured,
    errors: Errors,
    baseline: &BaselineReport,
    advice: Advice,
) -> Option<Remark> {
    let (most, paired) = (baseline.errors, baseline.paired);
    errors.is_no_better_than(most, paired).then(|| {
        Remark::Result(ResultRemark::Baseline {
            measured,
            errors,
            baseline: most,
            label: baseline.label.clone(),
            paired,
            advice,
        })
    })
}

/// A remark if a test is no better than the baseline of its rows.
pub(crate) fn of_test(
    test: &ErrorCount,
    baseline: &BaselineReport,
    advice: Advice,
) -> Option<Remark> {
    against(Measured::Test, errors(test), baseline, advice)
}

/// A remark if the test errors of a run are far above its validation errors, or far below.
pub(crate) fn gap(report: &RunReport) -> Option<Remark> {
    let (Some(test), Validated::Counted(validation)) = (&report.test, &report.validation) else {
        return None;
    };
    let (test, validation) = (errors(test), errors(validation));
    let unknown = report.test_baseline.as_ref().map_or(0, |b| b.unknown);
    if 2 * unknown > test.errors {
        // the labels are the reason
        return None;
    }
    if test.rows >= 100 && test.is_far_below(validation) {
        return Some(Remark::Result(ResultRemark::Below { validation, test }));
    }
    test.is_far_above(validation)
        .then_some(Remark::Result(ResultRemark::Gap { validation, test }))
}

/// A remark if the label of the row before, or of that with the same category, answers better than one pass that makes these errors: a learner that follows the labels of neighbours does so
/// too.
pub(crate) fn row_before(errors: Errors, following: Following) -> Option<Remark> {
    let is_beaten = |before: u64| before as f64 + errors.noise() < errors.errors as f64;
    let (neighbours, things) = (following.neighbours, following.things);
    let neighbours = neighbours.filter(|order| is_beaten(order.errors_of_row_before()));
    let errors = errors.errors;
    let of_neighbours = neighbours.map(|order| OrderRemark::RowBefore { order, errors });
    let things = things.filter(|order| is_beaten(order.errors));
    let of_things = || things.map(|order| OrderRemark::SameThing { order, errors });
    of_neighbours.or_else(of_things).map(Remark::Order)
}

/// Shares differ if chance alone would make the difference smaller in nearly all cases: this many standard deviations,
const DEVIATIONS: f64 = 4.0;

/// and if they are this far apart, or one is this many times the other.
const APART: f64 = 0.05;
const TIMES: f64 = 1.5;

/// Fewer rows than this say little of probabilities.
const ROWS_OF_PROBABILITIES: u64 = 100;

/// Whether two shares differ, more than by a chance that has this standard deviation.
fn differ(a: f64, b: f64, deviation: f64) -> bool {
    let (low, high) = (a.min(b), a.max(b));
    // the rarer side of both
    let is_apart = high - low > APART || high > TIMES * low || (1.0 - low) > TIMES * (1.0 - high);
    is_apart && high - low > DEVIATIONS * deviation
}

/// The standard deviation of a share of some rows.
fn deviation(with: Errors) -> f64 {
    let share = with.share();
    (share * (1.0 - share) / with.rows.max(1) as f64).sqrt()
}

/// A remark on probabilities that say less than the shares of the labels do, or are far from what came true: their mean, those of about the same
/// size, or of several labels those of the predicted ones.
pub(crate) fn of_probabilities(
    evaluation: &Evaluation,
    model: &Model,
    file: &Path,
) -> Option<Remark> {
    let scores = evaluation.probability_scores.as_ref()?;
    let rows = evaluation.rows;
    let is_known = evaluation.unknown.times == 0;
    if rows < ROWS_OF_PROBABILITIES
        || !is_known
        || matches!(model.classes().task(), Task::MultiLabel)
    {
        return None;
    }
    let occurrences = evaluation.labels.iter().map(|l| l.hits.occurrences());
    let shares = occurrences.map(|with| with as f64 / rows as f64);
    let shares: f64 = shares
        .filter(|&share| share > 0.0)
        .map(|share| -share * libm::log(share))
        .sum();
    let file = file.display().to_string();
    if shares > 0.0 && scores.log_loss() >= shares {
        return Some(Remark::Result(ResultRemark::LogLoss {
            log_loss: scores.log_loss(),
            shares,
            rows,
            model: file,
        }));
    }
    let positive = evaluation.labels.last();
    let Some(positive) = positive.filter(|_| model.classes().is_binary()) else {
        let mean = evaluation.sureness / rows as f64;
        let came_true = Errors {
            errors: rows - evaluation.errors,
            rows,
        };
        // calibration fits the labels one by one: shares of the maps may be off, and no other rows mend that
        let is_off = model.calibration().is_none() && is_unreliable(mean, came_true);
        return is_off.then_some(Remark::Result(ResultRemark::Unreliable {
            label: None,
            between: None,
            mean,
            came_true,
            model: file,
        }));
    };
    let reliability = evaluation.reliability.as_ref()?;
    let (mean, _) = reliability.means()?;
    let with = Errors {
        errors: positive.hits.occurrences(),
        rows,
    };
    let label = positive.label.clone();
    if differ(mean, with.share(), deviation(with)) {
        return Some(Remark::Result(ResultRemark::MeanProbability {
            label,
            mean,
            with,
            model: file,
        }));
    }
    let bins = reliability.bins().filter_map(|(from, to, bin)| {
        let came_true = Errors {
            errors: bin.came_true,
            rows: bin.count,
        };
        let mean = bin.predicted()?;
        let is_off = bin.count >= ROWS_OF_BIN && is_unreliable(mean, came_true);
        let away = (mean - came_true.share()).abs() * bin.count as f64;
        is_off.then_some((away, (from, to), mean, came_true))
    });
    let (_, between, mean, came_true) = bins.max_by(|a, b| a.0.total_cmp(&b.0))?;
    Some(Remark::Result(ResultRemark::Unreliable {
        label: Some(label),
        between: Some(between),
        mean,
        came_true,
        model: file,
    }))
}

/// Forecasts in a bin that say something of it.
const ROWS_OF_BIN: u64 = 20;

/// Forecasts come true if the share that does is nearer than this to their mean.
const FORECASTS_APART: f64 = 0.1;

/// Whether forecasts with this mean came true far more often than it says, or less.
fn is_unreliable(mean: f64, came_true: Errors) -> bool {
    // one more that comes true and one that does not: few forecasts near 0 have a chance that is far from normal
    let rows = came_true.rows as f64;
    let share = (mean * rows + 1.0) / (rows + 2.0);
    let deviation = (share * (1.0 - share) / rows.max(1.0)).sqrt();
    let away = (mean - came_true.share()).abs();
    away >= FORECASTS_APART && away > DEVIATIONS * deviation
}

/// A remark if rows to calibrate on have two labels in other shares than the rows of training.
pub(crate) fn of_shares(evaluation: &Evaluation, model: &Model) -> Option<Remark> {
    let positive = evaluation
        .labels
        .last()
        .filter(|_| model.classes().is_binary())?;
    let (known, rows) = model.learned().positive();
    let training = Errors {
        errors: known,
        rows,
    };
    let with = Errors {
        errors: positive.hits.occurrences(),
        rows: evaluation.rows,
    };
    let is_enough = training.rows.min(with.rows) >= ROWS_OF_PROBABILITIES;
    let deviation = libm::hypot(deviation(training), deviation(with));
    (is_enough && differ(training.share(), with.share(), deviation)).then(|| {
        Remark::Result(ResultRemark::OtherShares {
            label: positive.label.clone(),
            with,
            training,
        })
    })
}

/// A label is answered far more often than in training if its share is larger by this,
const SHARES_APART: f64 = 0.15;

/// by this factor, and by [`DEVIATIONS`].
const TIMES_THE_SHARE: f64 = 1.5;

/// A remark if a model of two labels answers one of them far more often than it is in training. Of the rows that are answered, a sample has as positive
/// those that are answered so; in it and in that of training, rows that are equal count once.
pub(crate) fn of_answers(
    model: &Model,
    positive: u64,
    sample: &RowSample,
    rows: u64,
) -> Option<Remark> {
    let Task::Binary {
        negative,
        positive: label,
    } = model.classes().task()
    else {
        return None;
    };
    let of = |(errors, rows): (u64, u64)| Errors { errors, rows };
    let all = [
        (positive, rows),
        sample.positive_kinds(),
        model.learned().positive_kinds(),
    ];
    let others = all.map(|(with, rows)| (rows - with, rows));
    let labels = [(Some(label), all), (negative.as_ref(), others)];
    labels.into_iter().find_map(|(label, all)| {
        let [answered, kinds, training] = all.map(of);
        let is_more = |answered: Errors| {
            let beyond = answered.share() - training.share();
            answered.rows >= ROWS_OF_PROBABILITIES
                && beyond >= SHARES_APART
                && answered.share() >= TIMES_THE_SHARE * training.share()
                && beyond > DEVIATIONS * libm::hypot(deviation(answered), deviation(training))
        };
        let is_known = training.rows >= ROWS_OF_PROBABILITIES && training.errors > 0;
        (is_known && is_more(answered) && is_more(kinds)).then(|| {
            Remark::Result(ResultRemark::AnsweredMore {
                label: label.map_or("rest", |label| label.name()).to_owned(),
                answered,
                training,
            })
        })
    })
}

/// Scores are in the wrong order if the area under their curve is at most this,
const REVERSED: f64 = 0.4;

/// A remark if the scores of two labels are in the wrong order, by more than chance.
fn reversed(evaluation: &Evaluation, model: &Model) -> Option<Remark> {
    let Task::Binary { .. } = model.classes().task() else {
        return None;
    };
    let positive = evaluation.labels.last()?;
    let ranking = positive.ranking.as_ref()?;
    let auc = ranking.auc().filter(|&auc| auc <= REVERSED)?;
    let (with, without) = (ranking.positives() as f64, ranking.negatives() as f64);
    // of scores that say nothing (Mann and Whitney 1947)
    let deviation = ((with + without + 1.0) / (12.0 * with * without)).sqrt();
    (0.5 - auc > DEVIATIONS * deviation).then(|| {
        Remark::Result(ResultRemark::Reversed {
            label: positive.label.clone(),
            auc,
        })
    })
}

/// What is worth saying of a model on labelled rows; `several` is the baseline of rows that have several labels.
pub(crate) fn of_evaluation(
    evaluation: &Evaluation,
    model: &Model,
    several: Option<BaselineReport>,
) -> Vec<Remark> {
    let mut remarks = Vec::new();
    let task = model.classes().task();
    let errors = Errors {
        errors: evaluation.errors,
        rows: evaluation.rows,
    };
    let advice = Advice {
        standardize: false,
        compare: true,
        rare: false,
        weighted: model.class_weights().is_some(),
    };
    if let Some(baseline) = several {
        remarks.extend(against(Measured::Evaluation, errors, &baseline, advice));
        return remarks;
    }
    if let Some((label, baseline)) = evaluation.most_frequent() {
        let baseline = BaselineReport {
            label: label.to_owned(),
            errors: baseline,
            rows: evaluation.rows,
            paired: Some(evaluation.beside_most_frequent()),
            unknown: evaluation.unknown.times,
        };
        let advice = advice.on(share(&baseline), model.classes().is_binary());
        remarks.extend(against(Measured::Evaluation, errors, &baseline, advice));
    }
    let labels = || evaluation.labels.iter();
    if let Task::Binary { positive, .. } = task {
        let has_none = labels().last().is_some_and(|l| l.hits.occurrences() == 0);
        // labels that the model does not know are named by a remark of their own
        if has_none && evaluation.rows > 0 && evaluation.unknown.times == 0 {
            let known = labels().filter(|l| l.hits.occurrences() > 0);
            let mut others = known.map(|l| &l.label);
            let near = others.find(|other| is_alike(other, positive.name()));
            remarks.push(Remark::Result(ResultRemark::NoPositive {
                label: positive.name().to_owned(),
                near: near.cloned(),
            }));
        }
    }
    remarks.extend(reversed(evaluation, model));
    let never = labels().filter(|l| l.hits.predictions() == 0 && l.hits.occurrences() > 0);
    if let Some(label) = never.max_by_key(|l| l.hits.occurrences()) {
        let mut predicted = labels().filter(|l| l.hits.predictions() > 0);
        let only = predicted.next().filter(|_| predicted.next().is_none());
        remarks.push(Remark::Result(ResultRemark::NeverPredicted {
            label: label.label.clone(),
            rows: label.hits.occurrences(),
            only: only.map(|l| l.label.clone()),
        }));
    }
    remarks
}
