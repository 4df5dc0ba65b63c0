//! What `tune` found.

use std::fmt::Write as _;

use serde_json::{Map, Value, json};

use crate::json::with_remarks;
use crate::orders::Spread;
use crate::report::{ConstantAnswer, DataSummary, Noted};
use crate::table::{TextTable, Width};
use crate::text::data_line;
use novikoff::quantity::plural;

/// Candidates shown to people.
const SHOWN: usize = 30;

/// A difference matters from this share on of what is still to be gained.
const MATTERS: f64 = 0.01;

/// What candidates are compared by.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Measure {
    /// The share of rows with a wrong label.
    Errors,
    /// The mean squared error.
    Squares,
    /// The area under the ROC curve; of several labels their mean.
    Auc,
    /// F1 of the positive label; of several labels their mean.
    F1,
    /// The log loss.
    LogLoss,
    /// Average precision of the positive label; of several labels their mean.
    AveragePrecision,
}

impl Measure {
    /// Its name for machines.
    pub fn name(self) -> &'static str {
        match self {
            Measure::Errors => "error",
            Measure::Squares => "squared_error",
            Measure::Auc => "auc",
            Measure::F1 => "f1",
            Measure::LogLoss => "log_loss",
            Measure::AveragePrecision => "average_precision",
        }
    }

    fn heading(self) -> &'static str {
        match self {
            Measure::Errors => ">error, %",
            Measure::Squares => ">squared error",
            Measure::Auc => ">AUC",
            Measure::F1 => ">F1",
            Measure::LogLoss => ">log loss",
            Measure::AveragePrecision => ">average precision",
        }
    }

    /// For people, in a sentence.
    pub fn words(self) -> &'static str {
        self.heading()
            .trim_start_matches('>')
            .trim_end_matches(", %")
    }

    /// What a candidate should do better than; none where another baseline says so.
    pub fn constant(self) -> Option<&'static str> {
        match self {
            Measure::Errors | Measure::Squares => None,
            Measure::Auc | Measure::AveragePrecision => Some("of rows in random order"),
            Measure::F1 => Some("of always answering the positive label"),
            Measure::LogLoss => Some("of giving every row the shares of the labels"),
        }
    }

    /// Whether more is better.
    pub fn is_maximised(self) -> bool {
        matches!(self, Measure::Auc | Measure::F1 | Measure::AveragePrecision)
    }

    /// Whether parts have sums over their rows, not a value of all of them.
    fn is_sum(self) -> bool {
        !self.is_maximised()
    }
}

/// One candidate.
#[derive(Clone, Debug)]
pub struct TriedReport {
    /// What it is: names and values.
    pub words: Vec<(&'static str, String)>,
    /// For each fold, or order, its rows and what was measured on them: how many are wrong, the sum of squared errors or of log losses, or
    /// a value of all of them.
    pub parts: Vec<(u64, f64)>,
    /// Time, of all threads.
    pub seconds: f64,
}

impl TriedReport {
    /// Mean and standard deviation of a measure over the folds, or orders.
    pub fn score(&self, measure: Measure) -> Spread {
        Spread::of(self.values(measure))
    }

    /// The measure of each fold, or order.
    fn values(&self, measure: Measure) -> impl Iterator<Item = f64> + Clone {
        self.parts.iter().map(move |&(rows, value)| {
            if measure.is_sum() {
                value / rows.max(1) as f64
            } else {
                value
            }
        })
    }

    /// Whether it did better than another by a difference that matters: by a hundredth of what the other falls short of the best value there is, and
    /// by more than chance alone would do. That is two standard deviations of the mean difference over the folds, or orders; of a single count of
    /// errors, the standard deviation of the difference of two counts that have nothing to do with each other.
    pub fn clearly_beats(&self, other: &Self, measure: Measure) -> bool {
        let short = |value: f64| {
            if measure.is_maximised() {
                1.0 - value
            } else {
                value
            }
        };
        let pairs = self.values(measure).zip(other.values(measure));
        let better = Spread::of(pairs.map(|(own, other)| short(other) - short(own)));
        let parts = self.parts.len() as f64;
        let chance = match (&self.parts[..], &other.parts[..]) {
            ([own], [other]) if measure == Measure::Errors => {
                (own.1 + other.1).sqrt() / own.0.max(1) as f64
            }
            _ => 2.0 * better.sd / parts.sqrt(),
        };
        let matters = MATTERS * short(other.score(measure).mean);
        better.mean > chance && better.mean >= matters
    }

    /// Whether it did better than another.
    pub fn beats(&self, other: &Self, measure: Measure) -> bool {
        let (own, others) = (self.score(measure).mean, other.score(measure).mean);
        if measure.is_maximised() {
            own > others
        } else {
            own < others
        }
    }
}

/// All candidates.
#[derive(Clone, Debug)]
pub struct TuneReport {
    /// The data.
    pub data: DataSummary,
    /// Folds and their seed; none if candidates were judged by the mistakes of one pass.
    pub folds: Option<(u32, u64)>,
    /// What they were compared by.
    pub measure: Measure,
    /// In the order of the grid.
    pub tried: Vec<TriedReport>,
    /// The best of them.
    pub best: usize,
    /// What trains the best.
    pub command: String,
    /// What always answering the most frequent label so far comes to, or the mean of labels that are quantities.
    pub baseline: Option<ConstantAnswer>,
    /// What answers that say nothing of a row come to in the measure, if it is none of the baseline's and is known.
    pub constant: Option<f64>,
    /// What the reader should know, each once.
    pub remarks: Vec<Noted>,
}

/// For machines, in the order of the grid.
pub fn tune_json(report: &TuneReport) -> Value {
    let d = &report.data;
    let mut object = Map::new();
    object.insert(
        "data".into(),
        json!({"rows": d.rows, "features": d.features, "classes": d.classes}),
    );
    let validation = match report.folds {
        Some(_) => "folds",
        None => "progressive",
    };
    object.insert("validation".into(), json!(validation));
    if let Some((folds, seed)) = report.folds {
        object.insert("folds".into(), json!(folds));
        object.insert("seed".into(), json!(seed));
    }
    let name = report.measure.name();
    object.insert("measure".into(), json!(name));
    let run = |tried: &TriedReport| {
        let mut run = Map::new();
        for (name, value) in &tried.words {
            let number = value.parse::<f64>().ok().filter(|_| *name == "lambda");
            let value = number.map_or_else(|| json!(value), |n| json!(n));
            run.insert((*name).to_owned(), value);
        }
        let spread = tried.score(report.measure);
        run.insert(name.into(), spread.json());
        let part = |&(rows, lost): &(u64, f64)| match report.measure {
            Measure::Errors => json!({"rows": rows, "errors": lost as u64}),
            Measure::Squares => json!({"rows": rows, "squares": lost}),
            Measure::LogLoss => json!({"rows": rows, "log_losses": lost}),
            _ => json!({"rows": rows, name: lost}),
        };
        run.insert("parts".into(), tried.parts.iter().map(part).collect());
        run.insert("seconds".into(), json!(tried.seconds));
        Value::Object(run)
    };
    object.insert("runs".into(), report.tried.iter().map(run).collect());
    if let Some(baseline) = &report.baseline {
        let mut baseline = baseline.json();
        if let Some(constant) = report.constant {
            baseline[name] = json!(constant);
        }
        object.insert("baseline".into(), baseline);
    }
    object.insert("best".into(), json!(report.best));
    object.insert("command".into(), json!(report.command));
    with_remarks(&mut object, &report.remarks);
    Value::Object(object)
}

/// For people, best first; `whole` is what has all that is not shown, as the door calls it.
pub fn tune_text(report: &TuneReport, whole: &str, width: Width) -> String {
    let mut best_first: Vec<&TriedReport> = report.tried.iter().collect();
    let measure = report.measure;
    best_first.sort_by(|a, b| {
        let by_value = a.score(measure).mean.total_cmp(&b.score(measure).mean);
        if measure.is_maximised() {
            by_value.reverse()
        } else {
            by_value
        }
    });
    // what is the same for all is said once
    let same = |k: usize| {
        let value = |tried: &TriedReport| tried.words.get(k).map(|w| w.1.clone());
        let first = report.tried.first().and_then(value);
        report.tried.iter().all(|tried| value(tried) == first)
    };
    let words = report.tried.first().map_or(0, |tried| tried.words.len());
    let columns: Vec<usize> = (0..words).filter(|&k| k == 0 || !same(k)).collect();
    let name = |k: &usize| report.tried.first().map_or("", |tried| tried.words[*k].0);
    let mut headings: Vec<&str> = columns.iter().map(name).collect();
    headings.push(measure.heading());
    let several = best_first.iter().any(|tried| tried.parts.len() > 1);
    headings.extend(several.then_some(">±"));
    headings.push(">seconds");
    let mut table = TextTable::new(&headings).least(&["seconds", "±"]);
    for tried in best_first.iter().take(SHOWN) {
        let spread = tried.score(measure);
        let shown = |value: f64| match measure {
            Measure::Errors => format!("{:.2}", 100.0 * value),
            _ => format!("{value:.6}"),
        };
        let mut cells: Vec<String> = columns.iter().map(|&k| tried.words[k].1.clone()).collect();
        cells.push(shown(spread.mean));
        cells.extend(several.then(|| shown(spread.sd)));
        cells.push(format!("{:.3}", tried.seconds));
        table.row(cells);
    }
    let how = match report.folds {
        Some((folds, seed)) => format!("{}, seed {seed}", plural(folds.into(), "fold")),
        None => "validation of one pass".to_owned(),
    };
    let mut out = format!("{}; {how}\n", data_line(&report.data));
    if let Some(baseline) = &report.baseline {
        // the rows of folds come in no order
        let text = match report.folds {
            Some(_) => baseline.of_others(),
            None => baseline.text(),
        };
        let _ = write!(out, "baseline: {text}"); // writing to a String cannot fail
        if let (Some(constant), Some(of)) = (report.constant, measure.constant()) {
            let _ = write!(out, "; {} {constant:.6} {of}", measure.words());
        }
        out.push('\n');
    }
    out.push_str(&table.text(width));
    if several {
        let parts = if report.folds.is_some() {
            "folds"
        } else {
            "orders"
        };
        let _ = writeln!(
            out,
            "± is the standard deviation over the {parts}; seconds are those of all {parts}, added up"
        );
    }
    if report.tried.len() > SHOWN {
        let more = report.tried.len() - SHOWN;
        let _ = writeln!(out, "and {more} more; {whole} has all"); // writing to a String cannot fail
    }
    let _ = writeln!(out, "\n{}", report.command);
    out
}

#[cfg(test)]
mod tests {
    use super::{Measure, TriedReport};

    fn tried(parts: &[f64]) -> TriedReport {
        TriedReport {
            words: Vec::new(),
            parts: parts.iter().map(|&lost| (100, lost)).collect(),
            seconds: 0.0,
        }
    }

    #[test]
    fn a_difference_that_matters() {
        let squares =
            |own: &[f64], other: &[f64]| tried(own).clearly_beats(&tried(other), Measure::Squares);
        let own = [1200.0, 1300.0, 1250.0];
        assert!(!squares(&own, &[1200.1, 1300.1, 1250.1]), "too small");
        assert!(squares(&own, &[1220.0, 1321.0, 1270.0]));
        assert!(!squares(&own, &[1300.0, 1250.0, 1270.0]), "chance");
        assert!(!squares(&[1220.0, 1321.0, 1270.0], &own), "worse");
        let errors =
            |own: f64, other: f64| tried(&[own]).clearly_beats(&tried(&[other]), Measure::Errors);
        assert!(!errors(50.0, 55.0) && errors(30.0, 50.0));
        let auc = |own: f64, other: f64| {
            tried(&[own, own]).clearly_beats(&tried(&[other, other]), Measure::Auc)
        };
        assert!(auc(0.95, 0.94) && !auc(0.95, 0.9499) && !auc(0.94, 0.95));
    }
}
