//! What `evaluate` came to.

use std::fmt::Write as _;

use novikoff::evaluation::{
    Average, Confusion, CurvePoint, Distances, Evaluated, Evaluation, PrPoint, Ranking,
    Reliability, RocPoint, ScoreUnit, thinned,
};
use serde_json::{Map, Value, json};

use crate::json::with_remarks;
use crate::report::{BaselineReport, ConstantAnswer, Noted, SUBSET_ERROR};
use crate::table::{LISTED, TextTable, Width, and_more};
use novikoff::quantity::{count, percent, plural};

/// Points of a curve in JSON, at most.
const POINTS: usize = 200;

/// Labels up to which people are shown the confusion matrix.
const SHOWN: usize = 20;

/// Thresholds that people are shown.
const THRESHOLDS: usize = 11;

/// What was evaluated.
#[derive(Clone, Debug)]
pub enum Result {
    /// Two labels: the second is the positive one.
    Two(Evaluation),
    /// One of several labels per row.
    Several(Evaluation),
    /// Any number of labels per row; an error is any label wrong.
    Multi(Evaluation),
    /// Numbers.
    Numbers(Distances),
}

/// A model on labelled rows.
#[derive(Clone, Debug)]
pub struct EvaluateReport {
    /// The learner, as typed.
    pub spec: String,
    /// The kernel.
    pub kernel: String,
    /// The predictor.
    pub by: &'static str,
    /// What it came to.
    pub result: Result,
    /// Where rows have several labels: what answering the labels that more than half of the rows so far have comes to. Where they are quantities:
    /// always answering their mean.
    pub baseline: Option<ConstantAnswer>,
    /// Bad lines passed over, and what is wrong with the first ones, if there were any.
    pub skipped: Option<(u64, Vec<String>)>,
    /// What the reader should know, each once.
    pub remarks: Vec<Noted>,
    /// Wall time.
    pub seconds: f64,
}

fn roc_json(points: &[RocPoint]) -> Value {
    let point = |p: &RocPoint| json!({"threshold": p.threshold, "false_positive_rate": p.false_positive_rate, "true_positive_rate": p.true_positive_rate});
    points.iter().map(point).collect()
}

fn pr_json(points: &[PrPoint]) -> Value {
    let point = |p: &PrPoint| json!({"threshold": p.threshold, "recall": p.recall, "precision": p.precision});
    points.iter().map(point).collect()
}

fn label_json(label: &Evaluated, curves: bool) -> Map<String, Value> {
    let m = label.hits.measures();
    let mut object = Map::new();
    let mut put = |key: &str, value: Value| object.insert(key.to_owned(), value);
    put("rows", json!(label.hits.occurrences()));
    put("predicted", json!(label.hits.predictions()));
    put("precision", json!(m.precision));
    put("recall", json!(m.recall));
    put("f1", json!(m.f1));
    if let Some(ranking) = &label.ranking {
        put("break_even", json!(ranking.break_even()));
        put("average_precision", json!(ranking.average_precision()));
        put("auc", json!(ranking.auc()));
        if curves {
            put("roc", roc_json(&thinned(&ranking.roc(), POINTS)));
            put("pr", pr_json(&thinned(&ranking.precision_recall(), POINTS)));
        }
    }
    object
}

fn average_json(average: &Average) -> Value {
    let m = average.measures;
    json!({"precision": m.precision, "recall": m.recall, "f1": m.f1, "break_even": average.break_even})
}

fn confusion_json(confusion: &Confusion) -> Value {
    let width = confusion.labels.len().max(1);
    let rows: Vec<&[u64]> = confusion.counts.chunks(width).collect();
    json!({"labels": confusion.labels, "counts": rows})
}

fn reliability_json(reliability: &Reliability) -> Value {
    let bins = reliability.bins().map(|(from, to, bin)| {
        json!({"from": from, "to": to, "count": bin.count, "predicted": bin.predicted(), "observed": bin.observed()})
    });
    json!({"calibration_error": reliability.calibration_error(), "bins": bins.collect::<Vec<_>>()})
}

fn labels_json(evaluation: &Evaluation, two: bool, single: bool, object: &mut Map<String, Value>) {
    let mut put = |key: &str, value: Value| object.insert(key.to_owned(), value);
    put(
        "data",
        json!({"rows": evaluation.rows, "classes": evaluation.labels.len()}),
    );
    put("errors", json!(evaluation.errors));
    put("error", json!(error(evaluation)));
    if let (true, Some(positive)) = (two, evaluation.labels.last()) {
        put("positive", json!(positive.label));
        for (key, value) in label_json(positive, true) {
            if key != "rows" && key != "predicted" {
                put(&key, value);
            }
        }
    }
    if let (true, Some((label, errors))) = (single, evaluation.most_frequent()) {
        put("baseline", json!({"label": label, "errors": errors}));
    }
    if evaluation
        .labels
        .iter()
        .any(|label| label.ranking.is_some())
    {
        if !two {
            let mean = &evaluation.over_labels;
            put("average_precision", json!(mean.average_precision));
            put("auc", json!(mean.auc));
        }
        put("unit", json!(evaluation.unit.name()));
    }
    put("micro", average_json(&evaluation.micro));
    put("macro", average_json(&evaluation.over_labels));
    if let Some(scores) = &evaluation.probability_scores {
        put("log_loss", json!(scores.log_loss()));
        put("brier", json!(scores.brier()));
    }
    if let Some(reliability) = &evaluation.reliability {
        put("reliability", reliability_json(reliability));
    }
    let class = |label: &Evaluated| {
        let mut object = Map::new();
        object.insert("class".to_owned(), json!(label.label));
        object.extend(label_json(label, !two));
        Value::Object(object)
    };
    put("classes", evaluation.labels.iter().map(class).collect());
    if let Some(confusion) = &evaluation.confusion {
        put("confusion", confusion_json(confusion));
    }
    let unknown = &evaluation.unknown;
    if unknown.times > 0 {
        let names: Vec<&String> = unknown.labels.iter().take(SHOWN).map(|(l, _)| l).collect();
        put("unknown", json!({"count": unknown.times, "labels": names}));
    }
}

fn error(evaluation: &Evaluation) -> f64 {
    evaluation.errors as f64 / evaluation.rows.max(1) as f64
}

/// For machines.
pub fn evaluate_json(report: &EvaluateReport) -> Value {
    let mut object = Map::new();
    object.insert("spec".into(), json!(report.spec));
    object.insert("kernel".into(), json!(report.kernel));
    object.insert("use".into(), json!(report.by));
    match &report.result {
        Result::Two(evaluation) => labels_json(evaluation, true, true, &mut object),
        Result::Several(evaluation) => labels_json(evaluation, false, true, &mut object),
        Result::Multi(evaluation) => {
            labels_json(evaluation, false, false, &mut object);
            if let Some(baseline) = &report.baseline {
                object.insert("baseline".into(), baseline.json());
            }
        }
        Result::Numbers(distances) => {
            object.insert("data".into(), json!({"rows": distances.rows, "classes": 0}));
            object.insert("squared_error".into(), json!(distances.mean_squared()));
            object.insert("absolute_error".into(), json!(distances.mean_absolute()));
            if let Some(baseline) = &report.baseline {
                object.insert("baseline".into(), baseline.json());
            }
        }
    }
    if let Some((lines, samples)) = &report.skipped {
        let skipped = json!({"lines": lines, "samples": samples});
        object.insert("skipped".into(), skipped);
    }
    with_remarks(&mut object, &report.remarks);
    object.insert("seconds".into(), json!(report.seconds));
    Value::Object(object)
}

fn share(value: f64) -> String {
    format!("{value:.4}")
}

fn perhaps(value: Option<f64>) -> String {
    value.map_or_else(|| "-".to_owned(), share)
}

fn labels_table(evaluation: &Evaluation) -> TextTable {
    let ranked = evaluation.labels.iter().any(|l| l.ranking.is_some());
    let mut headings = vec![
        "label",
        ">rows",
        ">predicted",
        ">precision",
        ">recall",
        ">F1",
    ];
    if ranked {
        headings.extend([">break-even", ">average precision", ">AUC"]);
    }
    let least = [
        "predicted",
        "average precision",
        "break-even",
        "rows",
        "AUC",
    ];
    let mut table = TextTable::new(&headings).least(&least);
    for label in evaluation.labels.iter().take(LISTED) {
        let m = label.hits.measures();
        let mut cells = vec![
            label.label.clone(),
            count(label.hits.occurrences()),
            count(label.hits.predictions()),
            share(m.precision),
            share(m.recall),
            share(m.f1),
        ];
        if let Some(ranking) = &label.ranking {
            cells.extend([
                perhaps(ranking.break_even()),
                perhaps(ranking.average_precision()),
                perhaps(ranking.auc()),
            ]);
        }
        table.row(cells);
    }
    let averages = [
        ("micro average (over rows)", &evaluation.micro),
        ("macro average (over labels)", &evaluation.over_labels),
    ];
    for (name, average) in averages {
        let m = average.measures;
        let mut cells = vec![name.to_owned(), String::new(), String::new()];
        cells.extend([m.precision, m.recall, m.f1].map(share));
        if ranked {
            let ranked = [average.average_precision, average.auc];
            cells.push(perhaps(average.break_even));
            cells.extend(ranked.map(|mean| mean.map_or_else(String::new, share)));
        }
        table.row(cells);
    }
    table
}

/// What becomes of the positive label at some thresholds.
fn thresholds_table(positive: &str, ranking: &Ranking, unit: ScoreUnit) -> TextTable {
    let threshold = format!(">{} at least", unit.name());
    let called = format!(">called {positive}");
    let headings = [
        threshold.as_str(),
        called.as_str(),
        ">precision",
        ">recall",
        ">false positive rate",
    ];
    let mut table =
        TextTable::new(&headings).least(&["false positive rate", called.trim_start_matches('>')]);
    let (positives, negatives) = (ranking.positives() as f64, ranking.negatives() as f64);
    // the first point of the ROC curve is that of no threshold
    let points = ranking
        .roc()
        .into_iter()
        .skip(1)
        .zip(ranking.precision_recall());
    let points: Vec<PairedPoint> = points.map(|(roc, pr)| PairedPoint { roc, pr }).collect();
    for PairedPoint { roc, pr } in thinned(&points, THRESHOLDS) {
        let called = roc.true_positive_rate * positives + roc.false_positive_rate * negatives;
        table.row(vec![
            format!("{:.4}", roc.threshold),
            count(called.round() as u64),
            share(pr.precision),
            share(pr.recall),
            share(roc.false_positive_rate),
        ]);
    }
    table
}

/// One threshold on both curves, placed as on the ROC curve.
#[derive(Clone, Copy)]
struct PairedPoint {
    roc: RocPoint,
    pr: PrPoint,
}

impl CurvePoint for PairedPoint {
    fn place(self) -> (f64, f64) {
        self.roc.place()
    }
}

/// Forecasts beside what came true.
fn reliability_table(reliability: &Reliability) -> TextTable {
    let headings = [">probability", ">forecasts", ">mean forecast", ">came true"];
    let mut table = TextTable::new(&headings);
    for (from, to, bin) in reliability.bins() {
        table.row(vec![
            format!("{from:.1} to {to:.1}"),
            count(bin.count),
            perhaps(bin.predicted()),
            perhaps(bin.observed()),
        ]);
    }
    table
}

fn confusion_table(confusion: &Confusion) -> TextTable {
    let headings: Vec<String> = confusion.labels.iter().map(|l| format!(">{l}")).collect();
    let headings: Vec<&str> = std::iter::once("true, predicted:")
        .chain(headings.iter().map(String::as_str))
        .collect();
    let mut table = TextTable::new(&headings);
    let width = confusion.labels.len().max(1);
    for (label, counts) in confusion.labels.iter().zip(confusion.counts.chunks(width)) {
        let cells = counts.iter().map(|&n| count(n));
        table.row(std::iter::once(label.clone()).chain(cells).collect());
    }
    table
}

/// For people.
pub fn evaluate_text(report: &EvaluateReport, width: Width) -> String {
    let mut lines = vec![("learner", report.spec.clone())];
    let mut tables = String::new();
    match &report.result {
        Result::Numbers(distances) => {
            lines.push(("data", plural(distances.rows, "row")));
            let (squared, absolute) = (distances.mean_squared(), distances.mean_absolute());
            lines.push(("squared", format!("{squared:.6} mean squared error")));
            lines.push(("absolute", format!("{absolute:.6} mean absolute error")));
            if let Some(baseline) = &report.baseline {
                lines.push(("baseline", baseline.text()));
            }
        }
        Result::Two(evaluation) | Result::Several(evaluation) | Result::Multi(evaluation) => {
            let rows = plural(evaluation.rows, "row");
            let labels = plural(evaluation.labels.len() as u64, "label");
            lines.push(("data", format!("{rows}, {labels}")));
            let is_multi = matches!(report.result, Result::Multi(_));
            let of = if is_multi { SUBSET_ERROR } else { "" };
            let (errors, rate) = (count(evaluation.errors), percent(error(evaluation)));
            lines.push(("errors", format!("{errors} ({rate} of the rows{of})")));
            if let (false, Some((label, most))) = (is_multi, evaluation.most_frequent()) {
                let baseline = BaselineReport {
                    label: label.to_owned(),
                    errors: most,
                    rows: evaluation.rows,
                    paired: None,
                    unknown: 0,
                };
                lines.push(("baseline", baseline.of_others()));
            }
            if let Some(baseline) = &report.baseline {
                lines.push(("baseline", baseline.text()));
            }
            if let Some(scores) = &evaluation.probability_scores {
                lines.push(("log loss", format!("{:.6}", scores.log_loss())));
                lines.push(("Brier", format!("{:.6}", scores.brier())));
            }
            if let Some(reliability) = &evaluation.reliability {
                let away = reliability.calibration_error();
                let what = "mean distance of forecasts from what came true";
                lines.push(("calibrated", format!("{away:.6} {what}")));
            }
            tables = format!("\n{}", labels_table(evaluation).text(width));
            tables.push_str(&and_more(evaluation.labels.len(), "label"));
            match &evaluation.confusion {
                Some(confusion) if confusion.labels.len() <= SHOWN => {
                    let table = confusion_table(confusion);
                    tables.push('\n');
                    tables.push_str(&if table.fits(width) {
                        table.text(width)
                    } else {
                        "(not on this narrow screen: which label was taken for which)\n".to_owned()
                    });
                }
                _ => {}
            }
            if let Result::Two(evaluation) = &report.result
                && let Some(positive) = evaluation.labels.last()
                && let Some(ranking) = &positive.ranking
            {
                let table = thresholds_table(&positive.label, ranking, evaluation.unit);
                let _ = write!(tables, "\n{}", table.text(width)); // writing to a String cannot fail
            }
            if let Some(reliability) = &evaluation.reliability {
                let _ = write!(tables, "\n{}", reliability_table(reliability).text(width));
            }
        }
    }
    lines.push(("time", format!("{:.3} s", report.seconds)));
    let mut out = String::new();
    for (name, value) in lines {
        let _ = writeln!(out, "{name:<10} {value}"); // writing to a String cannot fail
    }
    out + &tables
}

/// Text as a cell of a CSV.
fn cell(text: &str) -> String {
    if text.contains(['"', ',', '\n', '\r']) {
        format!("\"{}\"", text.replace('"', "\"\""))
    } else {
        text.to_owned()
    }
}

impl Result {
    /// What thresholds are in.
    fn unit(&self) -> ScoreUnit {
        match self {
            Result::Two(evaluation) | Result::Several(evaluation) | Result::Multi(evaluation) => {
                evaluation.unit
            }
            Result::Numbers(_) => ScoreUnit::Margin,
        }
    }

    /// The labels whose curves are worth writing: of two, the positive one.
    fn with_curves(&self) -> &[Evaluated] {
        match self {
            Result::Two(evaluation) => &evaluation.labels[evaluation.labels.len().min(1)..],
            Result::Several(evaluation) | Result::Multi(evaluation) => &evaluation.labels,
            Result::Numbers(_) => &[],
        }
    }
}

/// All thresholds of all curves as a table: one line per threshold, highest first.
pub fn curves_csv(result: &Result) -> String {
    let unit = result.unit().name();
    let mut out = format!("class,{unit},false_positive_rate,recall,precision\n");
    for label in result.with_curves() {
        let Some(ranking) = &label.ranking else {
            continue;
        };
        let class = cell(&label.label);
        // the first point of the ROC curve is that of no threshold
        let roc = ranking.roc().into_iter().skip(1);
        for (roc, pr) in roc.zip(ranking.precision_recall()) {
            let (t, x) = (roc.threshold, roc.false_positive_rate);
            let _ = writeln!(out, "{class},{t},{x},{},{}", pr.recall, pr.precision);
        }
    }
    out
}

/// All points of all curves as JSON.
pub fn curves_json(result: &Result) -> Value {
    let class = |label: &Evaluated| {
        let ranking = label.ranking.as_ref()?;
        let (roc, pr) = (
            roc_json(&ranking.roc()),
            pr_json(&ranking.precision_recall()),
        );
        Some(json!({"class": label.label, "roc": roc, "pr": pr}))
    };
    json!({"unit": result.unit().name(), "classes": result.with_curves().iter().filter_map(class).collect::<Vec<_>>()})
}
