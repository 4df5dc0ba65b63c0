//! What `tune` found.

use std::fmt::Write as _;

use serde_json::{Map, Value, json};

use crate::json::with_remarks;
use crate::report::{BaselineReport, DataSummary, Noted, Spread};
use crate::table::{TextTable, Width};
use crate::text::data_line;
use novikoff::quantity::plural;

/// Candidates shown to people.
const SHOWN: usize = 30;

/// What candidates are compared by.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Measure {
    /// The share of rows with a wrong label.
    Errors,
    /// The mean squared error.
    Squares,
}

/// One candidate.
#[derive(Clone, Debug)]
pub struct TriedReport {
    /// What it is: names and values.
    pub words: Vec<(&'static str, String)>,
    /// For each fold, or order, its rows and what was lost on them: wrong rows, or the sum of squared errors.
    pub parts: Vec<(u64, f64)>,
    /// Time, of all threads.
    pub seconds: f64,
}

impl TriedReport {
    /// Mean and standard deviation of the loss per row over the folds, or orders.
    pub fn error(&self) -> Spread {
        let rates = self
            .parts
            .iter()
            .map(|(rows, lost)| lost / (*rows).max(1) as f64);
        Spread::of(rates)
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
    /// What always answering the most frequent label so far comes to, where rows have labels.
    pub baseline: Option<BaselineReport>,
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
    let name = match report.measure {
        Measure::Errors => "error",
        Measure::Squares => "squared_error",
    };
    object.insert("measure".into(), json!(name));
    let run = |tried: &TriedReport| {
        let mut run = Map::new();
        for (name, value) in &tried.words {
            let number = value.parse::<f64>().ok().filter(|_| *name == "lambda");
            let value = number.map_or_else(|| json!(value), |n| json!(n));
            run.insert((*name).to_owned(), value);
        }
        let spread = tried.error();
        run.insert(name.into(), json!({"mean": spread.mean, "sd": spread.sd}));
        let part = |&(rows, lost): &(u64, f64)| match report.measure {
            Measure::Errors => json!({"rows": rows, "errors": lost as u64}),
            Measure::Squares => json!({"rows": rows, "squares": lost}),
        };
        run.insert("parts".into(), tried.parts.iter().map(part).collect());
        run.insert("seconds".into(), json!(tried.seconds));
        Value::Object(run)
    };
    object.insert("runs".into(), report.tried.iter().map(run).collect());
    if let Some(baseline) = &report.baseline {
        object.insert("baseline".into(), baseline.json());
    }
    object.insert("best".into(), json!(report.best));
    object.insert("command".into(), json!(report.command));
    with_remarks(&mut object, &report.remarks);
    Value::Object(object)
}

/// For people, best first; `whole` is what has all that is not shown, as the door calls it.
pub fn tune_text(report: &TuneReport, whole: &str, width: Width) -> String {
    let mut best_first: Vec<&TriedReport> = report.tried.iter().collect();
    best_first.sort_by(|a, b| a.error().mean.total_cmp(&b.error().mean));
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
    headings.push(match report.measure {
        Measure::Errors => ">error, %",
        Measure::Squares => ">squared error",
    });
    let several = best_first.iter().any(|tried| tried.parts.len() > 1);
    headings.extend(several.then_some(">±"));
    headings.push(">seconds");
    let mut table = TextTable::new(&headings).least(&["seconds", "±"]);
    for tried in best_first.iter().take(SHOWN) {
        let spread = tried.error();
        let shown = |value: f64| match report.measure {
            Measure::Errors => format!("{:.2}", 100.0 * value),
            Measure::Squares => format!("{value:.6}"),
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
        let _ = writeln!(out, "baseline: {}", baseline.text()); // writing to a String cannot fail
    }
    out.push_str(&table.text(width));
    if report.tried.len() > SHOWN {
        let more = report.tried.len() - SHOWN;
        let _ = writeln!(out, "and {more} more; {whole} has all"); // writing to a String cannot fail
    }
    let _ = writeln!(out, "\n{}", report.command);
    out
}
