//! What `certify --check` found: the values, and their text and JSON.

use std::fmt::Write as _;

use novikoff::quantity::plural;
use serde_json::{Value, json};

/// What was recomputed of one certificate.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct CheckFound {
    /// Mistakes of the run.
    pub mistakes: u64,
    /// The bound.
    pub bound: f64,
}

/// What came out for one class.
#[derive(Clone, Debug, PartialEq)]
pub struct CheckedClass {
    /// The class.
    pub class: String,
    /// The theorem claimed.
    pub theorem: String,
    /// The bound claimed.
    pub claimed: f64,
    /// What was recomputed, if the theorem applies.
    pub found: Option<CheckFound>,
    /// What differs.
    pub differences: Vec<String>,
}

/// What a check came to.
#[derive(Clone, Debug, PartialEq)]
pub struct CheckReport {
    /// By class, in the order of the certificate.
    pub classes: Vec<CheckedClass>,
    /// What differs beside the classes.
    pub differences: Vec<String>,
}

impl CheckReport {
    /// Whether the certificate is what the data, the trace and U say.
    pub fn agrees(&self) -> bool {
        let mut classes = self.classes.iter();
        self.differences.is_empty() && classes.all(|class| class.differences.is_empty())
    }
}

/// For machines.
pub fn check_json(report: &CheckReport) -> Value {
    let class = |class: &CheckedClass| {
        json!({
            "class": class.class,
            "theorem": class.theorem,
            "mistakes": class.found.map(|found| found.mistakes),
            "claimed": class.claimed,
            "recomputed": class.found.map(|found| found.bound),
            "agrees": class.differences.is_empty(),
            "differences": class.differences,
        })
    };
    let classes: Vec<Value> = report.classes.iter().map(class).collect();
    json!({"agrees": report.agrees(), "differences": report.differences, "classes": classes})
}

/// For people: a line per difference of the whole, and one per class.
pub fn check_text(report: &CheckReport) -> String {
    let mut text = String::new();
    // writing to a String cannot fail
    for difference in &report.differences {
        let _ = writeln!(text, "differs: {difference}");
    }
    for line in &report.classes {
        let (class, theorem, claimed) = (&line.class, &line.theorem, line.claimed);
        let said = match &line.found {
            Some(found) => format!(
                "{}, bound claimed {claimed}, recomputed {}",
                plural(found.mistakes, "mistake"),
                found.bound
            ),
            None => format!("bound claimed {claimed}, not recomputed"),
        };
        let verdict = if line.differences.is_empty() {
            "agrees".to_owned()
        } else {
            format!("differs: {}", line.differences.join("; "))
        };
        let _ = writeln!(text, "class {class}: {theorem}, {said}: {verdict}");
    }
    text
}
