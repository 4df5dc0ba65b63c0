//! The certificate of a run, as a value.

use novikoff::certificate::{Verdict, is_vacuous};
use novikoff::certify::Formula;
use novikoff::certify::NoCertificate;
use novikoff::remedy::{Door, said};
use serde_json::{Map, Value, json};

use crate::report::{RunReport, Validated};
use crate::rounding::{RoundedPart, bound, fine_bound, parts, percent_up, sum_as_printed};
use crate::text::count;

/// What could be certified.
#[derive(Clone, Debug)]
pub enum Certified {
    /// A bound.
    Bound(Box<CertificateReport>),
    /// None, and why.
    Not(NotCertified),
}

/// Why there is no certificate.
#[derive(Clone, Debug)]
pub struct NotCertified {
    /// The reason.
    pub why: NoCertificate,
    /// The reason as it is shown: its facts, until a door has worded its remedy.
    pub said: String,
}

impl From<NoCertificate> for NotCertified {
    fn from(why: NoCertificate) -> Self {
        NotCertified {
            said: why.to_string(),
            why,
        }
    }
}

impl NotCertified {
    /// Words the remedy as a door does.
    fn word(&mut self, door: &dyn Door) {
        self.said = said(&self.why, self.why.remedy().as_ref(), door);
    }
}

impl RunReport {
    /// Words remarks and the remedies of what was not certified or validated as a door does.
    pub fn word(&mut self, door: &dyn Door) {
        if let Validated::Not { why, said: text } = &mut self.validation {
            *text = said(why, why.remedy().as_ref(), door);
        }
        self.remarks.iter_mut().for_each(|noted| noted.word(door));
        let classes = self.classes.iter_mut().flatten();
        let classes = classes.filter_map(|class| class.certificate.as_mut());
        for certified in self.certificate.iter_mut().chain(classes) {
            if let Certified::Not(reason) = certified {
                reason.word(door);
            }
        }
    }
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
    /// The run's trials.
    pub trials: u64,
    /// The run's mistakes.
    pub mistakes: u64,
    /// Mistakes, or updates where those are what counts.
    pub counted: u64,
    /// The most that `counted` can be.
    pub bound: f64,
    /// The bounds of the classes that it is the sum of, if it is one.
    pub of_classes: Vec<f64>,
    /// What the bound is the sum of, by name.
    pub terms: Vec<(String, f64)>,
    /// What those are made of.
    pub ingredients: Vec<(String, f64)>,
    /// The vector competed with; none of a majority, which is compared with its experts.
    pub comparator: Option<ComparatorReport>,
    /// Of a majority: the bound through the theorem of one of its experts.
    pub composed: Option<Composed>,
    /// The bound after a number of trials, by the final comparator: pairs in the order of the trials.
    pub curve: Vec<(u64, f64)>,
    /// The bound is of what is expected, over the learner's coins; a run may do worse.
    pub expected: bool,
    /// If all rows are separated: the margin of the unit comparator, and `(R / margin)^2`.
    pub separable: Option<(f64, f64)>,
    /// The theorem as a formula with the values of the run; none of several classes together, or of a theorem from outside.
    pub formula: Option<Formula>,
}

/// The bound of a majority through the theorem of one of its experts.
#[derive(Clone, Debug)]
pub struct Composed {
    /// The bound of the majority.
    pub bound: f64,
    /// The expert.
    pub spec: String,
    /// Its certificate.
    pub certificate: Box<CertificateReport>,
}

impl Composed {
    /// For people.
    pub(crate) fn text(&self) -> String {
        let own = &self.certificate;
        let (most, counts, theorem) = (bound(own.shown()), own.counts(), &own.theorem);
        let vacuous = if is_vacuous(self.bound, own.trials) {
            " (vacuous)"
        } else {
            ""
        };
        format!(
            "<= {}{vacuous}, since {} makes at most {most} {counts} by {theorem}",
            bound(self.bound),
            self.spec
        )
    }
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
    /// By what share of this bound the least bound of the theorem is smaller, at most; none if that is not known.
    pub gap: Option<f64>,
    /// How many problems were solved to find it; 0 for a vector that was given.
    pub solves: u32,
}

impl Certified {
    /// What is said of the run, everywhere.
    pub fn verdict(&self) -> Verdict {
        match self {
            Certified::Bound(report) => report.verdict(),
            Certified::Not(reason) => Verdict::None {
                reason: reason.said.clone(),
            },
        }
    }

    /// The bound as a cell of a table, with what else there is to say of it.
    pub(crate) fn cell(&self) -> String {
        let Certified::Bound(report) = self else {
            return "-".to_owned();
        };
        let mut words = vec![bound(report.shown())];
        if report.counts_updates {
            words.push("updates".to_owned());
        }
        let verdict = match report.verdict() {
            Verdict::Expected => Some("in expectation"),
            Verdict::Violated => Some("violated"),
            Verdict::Holds | Verdict::None { .. } => None,
        };
        words.extend(verdict.map(str::to_owned));
        if report.is_vacuous() {
            words.push("(vacuous)".to_owned());
        }
        words.join(" ")
    }
}

impl CertificateReport {
    /// What is said of the run.
    pub fn verdict(&self) -> Verdict {
        Verdict::of(self.counted, self.bound, self.expected)
    }

    /// Whether the bound says nothing: it is at least what counting alone allows, the number of trials, less those of AROW that were learned
    /// from although their answers were right.
    pub fn is_vacuous(&self) -> bool {
        is_vacuous(self.bound, self.trials.min(self.possible()))
    }

    /// Updates on right answers, which its theorem subtracts; of several classes, those of all.
    fn right_answers(&self) -> u64 {
        let mut terms = self.terms.iter();
        let term = terms.find(|(name, _)| name == "right_answers");
        term.map_or(0, |(_, right)| -right as u64)
    }

    /// Trials that can have been mistakes, since a right answer that was learned from is none; of several classes, those of all.
    fn possible(&self) -> u64 {
        let classes = self.of_classes.len().max(1) as u64;
        let trials = self.trials.saturating_mul(classes);
        trials.saturating_sub(self.right_answers())
    }

    /// Why a vacuous bound says nothing: the number that it is at least as large as.
    pub(crate) fn why_vacuous(&self) -> String {
        if self.bound >= self.trials as f64 {
            return format!("the number of trials ({})", count(self.trials));
        }
        format!(
            "the number of trials without the {} right answers that were learned from ({})",
            count(self.right_answers()),
            count(self.possible())
        )
    }

    /// The terms as they are shown: rounded, with names for people.
    pub(crate) fn parts(&self) -> Vec<RoundedPart> {
        let ingredient = |wanted: &str| {
            let mut all = self.ingredients.iter();
            all.find(|(name, _)| name == wanted)
                .map(|(_, value)| *value)
        };
        let terms: Vec<(String, f64)> = match (&self.terms[..], ingredient("start")) {
            ([(_, whole), others @ ..], Some(start)) if self.theorem == "T6" => {
                let two = [("features", start), ("weights", whole - start)];
                let two = two.map(|(name, value)| (name.to_owned(), value));
                two.into_iter().chain(others.iter().cloned()).collect()
            }
            (terms, _) => {
                let named = |(name, value): &(String, f64)| {
                    let name = match name.as_str() {
                        "expert" => "best expert",
                        "experts" => "number of experts",
                        other => other,
                    };
                    (name.to_owned(), *value)
                };
                terms.iter().map(named).collect()
            }
        };
        parts(self.shown(), &terms)
    }

    /// The bound on a page, where it stands beside its formula.
    pub(crate) fn fine(&self) -> String {
        if self.of_classes.is_empty() {
            fine_bound(self.bound)
        } else {
            bound(self.shown())
        }
    }

    /// The length of the comparator in the norm of the theorem, as in `|U| = 12.400`.
    pub(crate) fn length(&self, comparator: &ComparatorReport) -> String {
        let symbol = match self.theorem.split(", ").next() {
            Some("T4" | "T13" | "9.3") => "|U|_q",
            Some("T5") => "|U|_1",
            Some("T6") => "sum of mu",
            _ => "|U|",
        };
        format!("{symbol} = {}", crate::rounding::number(comparator.norm))
    }

    /// What follows `(R/margin)^2` where the bound is smaller, which is of a U that has some loss.
    pub(crate) fn beside_separable(&self, most: f64) -> &'static str {
        if most > self.bound {
            ", larger than the bound above"
        } else {
            ""
        }
    }

    /// Whether the curve of the bound falls somewhere, by more than rounding.
    pub(crate) fn falls(&self) -> bool {
        let pairs = self.curve.windows(2);
        pairs
            .into_iter()
            .any(|pair| pair[1].1 < pair[0].1 * (1.0 - 1e-6))
    }

    /// The bound that is shown: of several classes, the sum of their bounds as they are shown.
    pub(crate) fn shown(&self) -> f64 {
        let is_kept = self.verdict() != Verdict::Violated;
        let sum = sum_as_printed(&self.of_classes).filter(|_| is_kept);
        sum.unwrap_or(self.bound)
    }

    /// What the theorem counts, in the singular.
    pub(crate) fn noun(&self) -> &'static str {
        if self.counts_updates {
            "update"
        } else {
            "mistake"
        }
    }

    /// What was counted, as in `1 mistake`.
    pub(crate) fn counted_noun(&self) -> &'static str {
        if self.counted == 1 {
            self.noun()
        } else {
            self.counts()
        }
    }

    /// What the theorem counts.
    pub(crate) fn counts(&self) -> &'static str {
        if self.counts_updates {
            "updates"
        } else {
            "mistakes"
        }
    }
}

impl ComparatorReport {
    /// Where the vector comes from, and how near its bound is to the least.
    pub(crate) fn found(&self) -> String {
        let origin = match self.solves {
            0 => self.origin.clone(),
            1 => "found in one solve".to_owned(),
            n => format!("found in {n} solves"),
        };
        match self.gap.filter(|gap| gap.is_finite() && *gap >= 0.0) {
            Some(gap) => format!(
                "{origin}; the least bound is at most {} lower",
                percent_up(gap)
            ),
            None => format!("{origin}; the distance to the least bound is not known"),
        }
    }
}

/// A number, or null where it is not finite.
fn number(value: f64) -> Value {
    serde_json::Number::from_f64(value).map_or(Value::Null, Value::Number)
}

fn comparator_json(report: &ComparatorReport) -> Value {
    let mut comparator = Map::new();
    comparator.insert("norm".into(), number(report.norm));
    comparator.insert("hinge".into(), report.hinge.map_or(Value::Null, number));
    if let Some(class) = &report.class {
        comparator.insert("class".into(), class.clone().into());
    }
    if let Some(file) = &report.file {
        comparator.insert("file".into(), file.clone().into());
    }
    comparator.insert("origin".into(), report.origin.clone().into());
    if let Some(gap) = report.gap {
        comparator.insert("relative_gap".into(), number(gap));
    }
    if report.solves > 0 {
        comparator.insert("solves".into(), report.solves.into());
    }
    Value::Object(comparator)
}

/// Adds the certificate to the object of a run.
pub(crate) fn with_certificate(object: &mut Map<String, Value>, certified: &Certified) {
    let report = match certified {
        Certified::Bound(report) => report,
        Certified::Not(reason) => {
            object.insert("certificate".into(), Value::Null);
            object.insert("reason".into(), reason.said.clone().into());
            object.insert("verdict".into(), certified.verdict().word().into());
            return;
        }
    };
    object.insert("certificate".into(), certificate_json(report));
}

fn certificate_json(report: &CertificateReport) -> Value {
    let numbers = |list: &[(String, f64)]| {
        let pairs = list.iter().map(|(name, v)| (name.clone(), number(*v)));
        Value::Object(pairs.collect())
    };
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
    let verdict = report.verdict();
    let within = report.counted as f64 <= report.bound;
    let holds = match verdict {
        Verdict::Holds => Some(true),
        Verdict::Violated => Some(false),
        // a run beyond what is expected says nothing
        Verdict::Expected | Verdict::None { .. } => within.then_some(true),
    };
    put("holds", holds.into());
    put("verdict", verdict.word().into());
    if report.is_vacuous() {
        put("vacuous", true.into());
    }
    if report.expected {
        put("expected", true.into());
    }
    put("terms", numbers(&report.terms));
    if !report.ingredients.is_empty() {
        put("ingredients", numbers(&report.ingredients));
    }
    if let Some(comparator) = &report.comparator {
        put("comparator", comparator_json(comparator));
    }
    if let Some(composed) = &report.composed {
        put("composed", number(composed.bound));
        let mut expert = certificate_json(&composed.certificate);
        expert["spec"] = composed.spec.clone().into();
        put("expert", expert);
    }
    if let Some((margin, bound)) = report.separable {
        let separable = json!({"margin": number(margin), "bound": number(bound)});
        put("separable", separable);
    }
    Value::Object(certificate)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::html::tests::{judged, of};
    use crate::{Comparison, RunReport, comparison_text, run_json, run_text};

    /// The object of the certificate, and the lines about it.
    fn printed(run: &RunReport) -> (Value, String) {
        let text = run_text(run, None);
        let from = text.find("bound ").expect("a bound");
        let lines = text[from..].split("time ").next().expect("lines");
        (run_json(run)["certificate"].take(), lines.to_owned())
    }

    /// A comparison of one run.
    fn table_of(run: &RunReport) -> String {
        let comparison = Comparison {
            data: run.data,
            runs: vec![run.clone()],
            remarks: Vec::new(),
            left_out: Vec::new(),
        };
        comparison_text(&comparison, None)
    }

    #[test]
    fn one_verdict_in_text_and_json() {
        let (json, text) = printed(&judged(309, 871.2, false));
        assert_eq!(
            (&json["verdict"], &json["holds"]),
            (&"holds".into(), &true.into())
        );
        assert!(json.get("vacuous").is_none() && json.get("expected").is_none());
        assert_eq!(
            text,
            "\
bound      309 mistakes <= 871.2 = 402.1 (hinge) + 469.1 (spectral)
theorem    T8 (second-order, fixed a), all trials
comparator |U| = 12.400, found in 3 solves; the least bound is at most 0.4% lower
"
        );
        for (counted, holds) in [(309, true.into()), (900, Value::Null)] {
            let run = judged(counted, 871.2, true);
            let (json, text) = printed(&run);
            assert_eq!(
                (&json["verdict"], &json["holds"]),
                (&"expected".into(), &holds)
            );
            assert_eq!(json["expected"], true);
            let said = format!(
                "bound      {counted} mistakes; in expectation over the learner's coins at most 871.2 = 402.1 (hinge)"
            );
            assert!(text.starts_with(&said), "{text}");
            assert!(!text.contains("<=") && !text.contains('>') && !text.contains("error"));
            let table = table_of(&run);
            assert!(table.contains("| 871.2 in expectation |"), "{table}");
        }
        let (json, text) = printed(&judged(900, 871.2, false));
        assert_eq!(
            (&json["verdict"], &json["holds"]),
            (&"violated".into(), &false.into())
        );
        assert!(
            text.contains("900 mistakes > 871.2 = ") && text.contains("an error in the program")
        );
    }

    #[test]
    fn a_vacuous_bound() {
        let run = judged(309, 1000.0, false);
        let (json, text) = printed(&run);
        assert_eq!(
            (&json["verdict"], &json["vacuous"]),
            (&"holds".into(), &true.into())
        );
        assert!(text.contains(
            "\nvacuous    the bound is at least the number of trials (1,000): it says nothing\n"
        ));
        let table = table_of(&run);
        assert!(table.contains("| 1,000.0 (vacuous) |"), "{table}");
        let (json, text) = printed(&judged(309, 999.99, false));
        assert!(json.get("vacuous").is_none() && !text.contains("vacuous"));
    }

    /// With U = 0 the theorem of AROW says only that right answers are no mistakes.
    #[test]
    fn a_tautology_is_vacuous() {
        let arow = |classes: usize, bound: f64, right: f64| {
            let mut c = of(54, bound, false);
            c.theorem = "AROW".to_owned();
            c.terms = vec![
                ("hinge".to_owned(), bound + right),
                ("right_answers".to_owned(), -right),
            ];
            c.of_classes = vec![bound / classes as f64; classes];
            c
        };
        let mut run = judged(54, 610.0, false);
        run.certificate = Some(Certified::Bound(Box::new(arow(0, 610.0, 390.0))));
        let (json, text) = printed(&run);
        assert_eq!(json["vacuous"], true);
        assert!(
            text.contains("at least the number of trials without the 390 right answers that were learned from (610): it says nothing"),
            "{text}"
        );
        assert!(!arow(0, 609.9, 390.0).is_vacuous());
        // three classes: 3,000 trials of one class each
        assert!(arow(3, 500.0, 2500.0).is_vacuous() && !arow(3, 499.0, 2500.0).is_vacuous());
        assert!(arow(3, 1000.0, 390.0).is_vacuous() && !arow(3, 999.0, 390.0).is_vacuous());
    }

    #[test]
    fn terms_and_lengths_for_people() {
        let text = |change: fn(&mut CertificateReport)| {
            let mut run = judged(10, 216.5, false);
            if let Some(Certified::Bound(c)) = &mut run.certificate {
                change(c);
            }
            printed(&run).1
        };
        let winnow = text(|c| {
            c.theorem = "T6".to_owned();
            c.terms = vec![("entropy".to_owned(), 216.5)];
            c.ingredients = vec![("start".to_owned(), 8.0)];
        });
        assert!(
            winnow.contains("216.5 = 8.0 (features) + 208.5 (weights)\n"),
            "{winnow}"
        );
        assert!(
            winnow.contains("comparator sum of mu = 12.400, "),
            "{winnow}"
        );
        let majority = text(|c| {
            c.theorem = "WM".to_owned();
            c.terms = vec![("expert".to_owned(), 200.0), ("experts".to_owned(), 16.5)];
        });
        assert!(
            majority.contains("= 200.0 (best expert) + 16.5 (number of experts)\n"),
            "{majority}"
        );
        for (theorem, length) in [("T5", "|U|_1"), ("T4", "|U|_q"), ("T8", "|U|")] {
            let mut c = of(1, 2.0, false);
            c.theorem = theorem.to_owned();
            let comparator = c.comparator.clone().expect("a vector");
            assert_eq!(c.length(&comparator), format!("{length} = 12.400"));
        }
        let beside = text(|c| c.separable = Some((0.0747, 300.0)));
        assert!(
            beside.contains("(R/margin)^2 = 300.0, larger than the bound above\n"),
            "{beside}"
        );
        let beside = text(|c| c.separable = Some((0.0747, 216.5)));
        assert!(beside.contains("(R/margin)^2 = 216.5\n"), "{beside}");
    }

    #[test]
    fn a_composed_bound_may_be_vacuous() {
        let text = |bound| {
            let composed = Composed {
                bound,
                spec: "arow".to_owned(),
                certificate: Box::new(of(5, 100.0, false)),
            };
            composed.text()
        };
        assert_eq!(
            text(999.0),
            "<= 999.0, since arow makes at most 100.0 mistakes by T8"
        );
        assert!(text(1000.0).starts_with("<= 1,000.0 (vacuous), since arow"));
    }

    #[test]
    fn none_with_its_reason() {
        let mut run = judged(309, 1.0, false);
        run.certificate = Some(Certified::Not(NoCertificate::Infinite.into()));
        let json = run_json(&run);
        assert_eq!(json["certificate"], Value::Null);
        assert_eq!(
            (&json["verdict"], &json["reason"]),
            (
                &"none".into(),
                &"the bound is larger than any number".into()
            )
        );
        assert!(
            run_text(&run, None).contains("bound      none: the bound is larger than any number\n")
        );
    }

    #[test]
    fn how_near_the_least_bound_is() {
        let mut found = of(1, 2.0, false).comparator.expect("a vector");
        found.gap = None;
        assert_eq!(
            found.found(),
            "found in 3 solves; the distance to the least bound is not known"
        );
        (found.origin, found.solves) = ("given, at its best scale".to_owned(), 0);
        assert!(
            found
                .found()
                .starts_with("given, at its best scale; the distance")
        );
        found.gap = Some(f64::NAN);
        assert!(found.found().ends_with("is not known"));
    }
}
