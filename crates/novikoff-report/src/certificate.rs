//! The certificate of a run, as a value.

use serde_json::{Map, Value, json};

/// What could be certified.
#[derive(Clone, Debug)]
pub enum Certified {
    /// A bound.
    Bound(Box<CertificateReport>),
    /// None, and why.
    Not(String),
}

/// A theorem evaluated on a run.
#[derive(Clone, Debug)]
pub struct CertificateReport {
    /// The theorem's short name, as in `T8`.
    pub theorem: String,
    /// What it is about.
    pub name: String,
    /// The trials whose hinge loss counts.
    pub scope: String,
    /// The theorem counts updates, not mistakes.
    pub counts_updates: bool,
    /// The run's mistakes.
    pub mistakes: u64,
    /// Mistakes, or updates where those are what counts.
    pub counted: u64,
    /// At most so many there can be.
    pub bound: f64,
    /// What the bound is the sum of, by name.
    pub terms: Vec<(String, f64)>,
    /// What those are made of.
    pub ingredients: Vec<(String, f64)>,
    /// The vector competed with.
    pub comparator: ComparatorReport,
    /// The bound after so many trials, by the final comparator: pairs in the order of the trials.
    pub curve: Vec<(u64, f64)>,
    /// The bound is of what is expected, over the learner's coins; a run may do worse.
    pub expected: bool,
    /// If all rows are separated: the margin of the unit comparator, and `(R / margin)^2`.
    pub separable: Option<(f64, f64)>,
}

/// The vector that a run was compared with.
#[derive(Clone, Debug)]
pub struct ComparatorReport {
    /// Its length in the norm that the theorem names.
    pub norm: f64,
    /// Its hinge loss over all trials, if the theorem has a margin.
    pub hinge: Option<f64>,
    /// The class that it is for; none for several together.
    pub class: Option<String>,
    /// The model file it was saved in, if it was.
    pub file: Option<String>,
    /// Where it comes from, as in `solved` or `given`.
    pub origin: String,
    /// The relative gap of the last solve, if it was solved for.
    pub gap: Option<f64>,
    /// How many problems were solved.
    pub solves: u32,
}

impl CertificateReport {
    /// Whether the run kept to the bound.
    pub fn holds(&self) -> bool {
        self.counted as f64 <= self.bound
    }
}

/// A number, or null where it is not finite.
fn number(value: f64) -> Value {
    serde_json::Number::from_f64(value).map_or(Value::Null, Value::Number)
}

/// Adds the certificate to the object of a run.
pub(crate) fn with_certificate(object: &mut Map<String, Value>, certified: &Certified) {
    let report = match certified {
        Certified::Bound(report) => report,
        Certified::Not(reason) => {
            object.insert("certificate".into(), Value::Null);
            object.insert("reason".into(), reason.clone().into());
            return;
        }
    };
    let numbers = |list: &[(String, f64)]| {
        let pairs = list.iter().map(|(name, v)| (name.clone(), number(*v)));
        Value::Object(pairs.collect())
    };
    let mut comparator = Map::new();
    comparator.insert("norm".into(), number(report.comparator.norm));
    comparator.insert(
        "hinge".into(),
        report.comparator.hinge.map_or(Value::Null, number),
    );
    if let Some(class) = &report.comparator.class {
        comparator.insert("class".into(), class.clone().into());
    }
    if let Some(file) = &report.comparator.file {
        comparator.insert("file".into(), file.clone().into());
    }
    comparator.insert("origin".into(), report.comparator.origin.clone().into());
    if let Some(gap) = report.comparator.gap {
        comparator.insert("relative_gap".into(), number(gap));
        comparator.insert("solves".into(), report.comparator.solves.into());
    }
    let mut certificate = Map::new();
    let mut put = |name: &str, value: Value| certificate.insert(name.into(), value);
    put("theorem", report.theorem.clone().into());
    put("name", report.name.clone().into());
    put("scope", report.scope.clone().into());
    if report.counts_updates {
        put("counts", "updates".into());
    }
    put("mistakes", report.mistakes.into());
    if report.counts_updates {
        put("updates", report.counted.into());
    }
    put("bound", number(report.bound));
    // of what is expected, one run says nothing
    let holds = report.holds();
    put("holds", (holds || !report.expected).then_some(holds).into());
    if report.expected {
        put("expected", true.into());
    }
    put("terms", numbers(&report.terms));
    if !report.ingredients.is_empty() {
        put("ingredients", numbers(&report.ingredients));
    }
    put("comparator", Value::Object(comparator));
    if let Some((margin, bound)) = report.separable {
        let separable = json!({"margin": number(margin), "bound": number(bound)});
        put("separable", separable);
    }
    object.insert("certificate".into(), Value::Object(certificate));
}
