//! What machines read. Names are stable; new keys may be added.

use novikoff::classes::Counts;
use novikoff::parameter::{Parameter, Parameters};
use serde_json::{Map, Value, json};

use crate::certificate::with_certificate;
use crate::experts::experts_json;
use crate::report::{
    BaselineReport, Comparison, DataSummary, EpochEnd, ErrorCount, Noted, RunReport, RunSettings,
    Validated, sum,
};

pub(crate) fn counts(c: Counts) -> Value {
    json!({"mistakes": c.mistakes, "updates": c.updates})
}

pub(crate) fn data(d: &DataSummary) -> Value {
    json!({"rows": d.rows, "features": d.features, "classes": d.classes})
}

pub(crate) fn error_count(counted: &ErrorCount) -> Value {
    json!({"rows": counted.rows, "errors": counted.errors, "error": counted.error()})
}

/// A test with the baseline of its rows.
pub(crate) fn test_of(t: &ErrorCount, baseline: Option<&BaselineReport>) -> Value {
    let mut value = error_count(t);
    if let Some(baseline) = baseline {
        value["baseline"] = baseline.json();
    }
    value
}

fn with_epochs(object: &mut Map<String, Value>, epochs: &[Counts]) {
    let total = sum(epochs);
    object.insert(
        "epochs".into(),
        epochs.iter().copied().map(counts).collect(),
    );
    object.insert("mistakes".into(), total.mistakes.into());
    object.insert("updates".into(), total.updates.into());
}

/// The counts of each epoch of a run, and how it stood at its end.
fn with_run_epochs(object: &mut Map<String, Value>, run: &RunReport) {
    with_epochs(object, &run.epochs);
    let epochs = run.epochs.iter().enumerate().map(|(epoch, c)| {
        let mut value = counts(*c);
        let Some(end) = run.end_of(epoch) else {
            return value;
        };
        if let (Some(_), Some(mistakes)) = (&end.test, run.binary_mistakes_of(epoch)) {
            value["binary_mistakes"] = mistakes.into();
        }
        with_end(&mut value, end);
        value
    });
    object.insert("epochs".into(), epochs.collect());
    if let Some(mistakes) = run.binary_mistakes() {
        object.insert("binary_mistakes".into(), mistakes.into());
    }
    if let Some(updates) = run.matrix_updates() {
        object.insert("matrix_updates".into(), updates.into());
    }
}

/// How a run stood at the end of an epoch.
pub(crate) fn with_end(value: &mut Value, end: &EpochEnd) {
    if let Some(support) = end.support {
        value["support"] = support.into();
    }
    if let Some(updates) = end.matrix_updates {
        value["matrix_updates"] = updates.into();
    }
    if let Some(test) = &end.test {
        value["test"] = error_count(test);
    }
    if !end.tests.is_empty() {
        let tests = end.tests.iter();
        let tests = tests.map(|(name, test)| ((*name).to_owned(), error_count(test)));
        value["tests"] = Value::Object(tests.collect());
    }
}

/// The norm `inf` is a word, for JSON has no such number.
fn run_options(options: &RunSettings) -> Value {
    let normalize = options.normalize.map(|p| {
        if p.is_finite() {
            json!(p)
        } else {
            json!("inf")
        }
    });
    let rows = options.rows.iter();
    let rows: Map<String, Value> = rows
        .map(|(name, value)| ((*name).to_owned(), json!(value)))
        .collect();
    json!({
        "bias": options.bias,
        "normalize": normalize,
        "standardize": options.standardize,
        "epochs": options.epochs,
        "shuffle": options.shuffle,
        "rows": rows,
    })
}

/// One run.
pub fn run_json(run: &RunReport) -> Value {
    let mut object = Map::new();
    object.insert("spec".into(), run.spec.clone().into());
    object.insert("kernel".into(), run.kernel.clone().into());
    with_map(&mut object, run.map.as_deref());
    object.insert("parameters".into(), parameters_json(&run.parameters));
    object.insert("data".into(), data(&run.data));
    with_run_epochs(&mut object, run);
    if let Some(separated) = run.separated {
        object.insert("separated".into(), separated.into());
    }
    match &run.validation {
        Validated::Counted(counted) => {
            object.insert("validation".into(), error_count(counted));
        }
        Validated::Not { said, .. } => {
            object.insert("validation".into(), Value::Null);
            object.insert("validation_reason".into(), said.clone().into());
        }
    }
    if let Some(baseline) = &run.baseline {
        object.insert("baseline".into(), baseline.json());
    }
    if let Some(t) = &run.test {
        object.insert("test".into(), test_of(t, run.test_baseline.as_ref()));
    }
    if let Some(options) = &run.options {
        object.insert("options".into(), run_options(options));
    }
    if let Some(trace) = &run.trace {
        object.insert("trace".into(), trace.clone().into());
    }
    if let Some(certified) = &run.certificate {
        with_certificate(&mut object, certified);
    }
    if let Some(classes) = &run.classes {
        let list = classes.iter().map(|class| {
            let mut object = Map::new();
            object.insert("class".into(), class.class.clone().into());
            with_epochs(&mut object, &class.epochs);
            if let Some(certified) = &class.certificate {
                with_certificate(&mut object, certified);
            }
            Value::Object(object)
        });
        object.insert("classes".into(), list.collect());
    }
    if let Some(panel) = &run.panel {
        object.insert("experts".into(), experts_json(panel));
        object.insert("cost".into(), json!(panel.cost));
    }
    if let Some((before, after)) = &run.resumed {
        let totals = |t: &crate::Totals| json!({"rows": t.trials, "mistakes": t.mistakes, "updates": t.updates});
        object.insert("resumed".into(), totals(before));
        object.insert("total".into(), totals(after));
    }
    if let Some(p) = &run.permutations {
        object.insert(p.name().into(), p.json());
    }
    if let Some((lines, samples)) = &run.skipped {
        object.insert(
            "skipped".into(),
            json!({"lines": lines, "samples": samples}),
        );
    }
    if let Some((bits, collisions)) = run.collisions {
        object.insert(
            "hash".into(),
            json!({"bits": bits, "collisions": collisions}),
        );
    }
    with_remarks(&mut object, &run.remarks);
    if let Some(seconds) = run.test_seconds {
        object.insert("test_seconds".into(), seconds.into());
    }
    object.insert("seconds".into(), run.seconds.into());
    Value::Object(object)
}

/// Adds remarks, if there are any.
pub(crate) fn with_remarks(object: &mut Map<String, Value>, remarks: &[Noted]) {
    if !remarks.is_empty() {
        let noted = |noted: &Noted| json!({"kind": noted.remark.kind(), "text": noted.text});
        object.insert("remarks".into(), remarks.iter().map(noted).collect());
    }
}

/// Several runs on the same data, in the order given.
pub fn comparison_json(comparison: &Comparison) -> Value {
    let mut object = Map::new();
    object.insert("data".into(), data(&comparison.data));
    object.insert(
        "runs".into(),
        comparison.runs.iter().map(run_json).collect(),
    );
    if !comparison.left_out.is_empty() {
        let left_out = comparison.left_out.iter();
        let left_out = left_out.map(|(spec, why)| json!({"spec": spec, "reason": why}));
        object.insert("left_out".into(), left_out.collect());
    }
    with_remarks(&mut object, &comparison.remarks);
    Value::Object(object)
}

/// The map that makes features of rows, if there is one.
pub(crate) fn with_map(object: &mut Map<String, Value>, map: Option<&str>) {
    if let Some(map) = map {
        object.insert("map".into(), map.into());
    }
}

/// Parameters by their names.
pub(crate) fn parameters_json(parameters: &Parameters) -> Value {
    let parameters = parameters.iter().map(|(name, value)| {
        let value = match value {
            Parameter::Real(number) => json!(number),
            Parameter::Word(word) => json!(word),
        };
        (name.to_owned(), value)
    });
    Value::Object(parameters.collect())
}
