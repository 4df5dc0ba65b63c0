//! The remarks of a run, as its JSON has them.

use serde_json::Value;

fn list(json: &Value) -> &[Value] {
    json["remarks"].as_array().map_or(&[][..], |list| list)
}

/// The kinds of all remarks.
pub(crate) fn kinds(json: &Value) -> Vec<&str> {
    let kinds = list(json).iter().filter_map(|r| r["kind"].as_str());
    kinds.collect()
}

/// The texts of the remarks of a kind.
pub(crate) fn said(json: &Value, kind: &str) -> Vec<String> {
    let found = list(json).iter().filter(|remark| remark["kind"] == kind);
    let text = |remark: &Value| remark["text"].as_str().unwrap_or_default().to_owned();
    found.map(text).collect()
}

/// The text of the first remark of a kind; empty if there is none.
pub(crate) fn text_of<'j>(json: &'j Value, kind: &str) -> &'j str {
    let found = list(json).iter().find(|r| r["kind"] == kind);
    found.and_then(|r| r["text"].as_str()).unwrap_or_default()
}
