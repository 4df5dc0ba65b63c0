//! The certificate of a run, written out.

use maud::{Markup, html};
use novikoff::certificate::Verdict;

use super::formula::formula;
use super::headline::allowed;
use super::{entry, shown};
use crate::certificate::{CertificateReport, Certified};
use crate::report::ClassReport;
use crate::rounding::{bound, number};
use crate::text::{FAULT, IN_EXPECTATION, count};

/// What was proved, or why nothing was.
pub(super) fn certificate(certified: &Certified) -> Markup {
    let c = match certified {
        Certified::Bound(c) => c,
        Certified::Not(reason) => {
            return html! {
                aside.certificate.none { h3 { "No certificate" } p { (shown(&reason.said)) } }
            };
        }
    };
    let violated = format!("The bound does not hold: this is {FAULT}");
    let (class, title) = match c.verdict() {
        Verdict::Violated => ("broken", violated.as_str()),
        Verdict::Expected => ("expected", "Bound of the expectation"),
        Verdict::Holds | Verdict::None { .. } => ("holds", "Certificate"),
    };
    html! {
        aside.certificate.(class).vacuous[c.is_vacuous()] {
            h3 { (title) }
            p.sum { (sum(c)) }
            @if c.is_vacuous() {
                p.note {
                    "The bound is vacuous: it is at least " (c.why_vacuous()) ", so it says nothing."
                }
            }
            @if let Some(of) = &c.formula { (formula(of, c.bound)) }
            dl { (about(c)) }
            @if !c.ingredients.is_empty() {
                details { summary { "Ingredients of the bound" } dl { (ingredients(c)) } }
            }
        }
    }
}

/// Why the curve of a bound falls, where it does.
pub(super) fn why_it_falls(c: &CertificateReport) -> Markup {
    if !c.falls() {
        return Markup::default();
    }
    let reason = |theorem| match why(theorem)? {
        Fall::NotKnown => None,
        Fall::Because(reason) => Some(reason),
    };
    let theorems = c.theorem.split(", ");
    let mut reasons: Vec<&str> = theorems.filter_map(reason).collect();
    reasons.dedup();
    html! {
        p.note.falls {
            "The line of the bound falls in places. Each of its points is the bound of the theorem for the trials up to there, with the final U; it promises nothing about later trials. "
            @for reason in reasons { (reason) " " }
        }
    }
}

/// Whether the bound of a theorem can fall from one trial to the next.
#[derive(Debug)]
enum Fall {
    /// No reason why it should is known.
    NotKnown,
    Because(&'static str),
}

/// What is known of a theorem; nothing of one that is not of this library.
fn why(theorem: &str) -> Option<Fall> {
    Some(match theorem {
        "T14" | "T15" => Fall::Because(
            "The theorem multiplies |U|², which stays the same, by the harmonic mean of the squared lengths |x|² of the rows of the mistakes so far. \
             A mistake on a short row lowers that mean. Before the first mistake the squared length of the longest row stands for the mean.",
        ),
        "T16" => Fall::Because(
            "The theorem multiplies N, which stays the same, by the harmonic mean of |x|² + λ over the rows of the mistakes so far. \
             A mistake on a short row lowers that mean. Before the first mistake the longest row stands for the mean.",
        ),
        "PA" | "PA-I" | "PA-I'" | "PA-II" | "PA-II'" => Fall::Because(
            "The theorem divides the price of U, which grows with its losses, by the mean worth of the mistakes so far, and a mistake on a short row is worth more. \
             Before the first mistake the least worth of a row stands for the mean.",
        ),
        "AROW" => Fall::Because("The theorem subtracts the updates on right answers so far."),
        "T1" | "T2" | "T2''" | "T3" | "T4" | "T5" | "T6" | "T7" | "T8" | "T9" | "T10" | "T11"
        | "T12" | "T13" | "LR" | "9.1" | "9.2" | "9.3" | "9.4" | "9.6" | "9.7" | "WM" => {
            Fall::NotKnown
        }
        _ => return None,
    })
}

/// What was counted, and the terms of the bound with their sum.
fn sum(c: &CertificateReport) -> Markup {
    // a formula has the terms with all their digits
    let parts = if c.formula.is_none() && c.terms.len() > 1 {
        c.parts()
    } else {
        Vec::new()
    };
    let is_whole = c.shown().fract() == 0.0;
    html! {
        b { (count(c.counted)) } " " (c.counted_noun()) " "
        @match c.verdict() {
            Verdict::Violated => span.op { ">" },
            Verdict::Expected => { "in this run; " (IN_EXPECTATION) " at most" }
            Verdict::Holds | Verdict::None { .. } => span.op { "≤" },
        }
        " "
        @for (i, part) in parts.iter().enumerate() {
            @match (i, part.is_negative) {
                (0, false) => {}
                (0, true) => "−",
                (_, false) => { span.op { "+" } " " }
                (_, true) => { span.op { "−" } " " }
            }
            (part.size) " " i { (shown(&part.name)) } " "
        }
        @if !parts.is_empty() { span.op { "=" } " " }
        b { @if parts.is_empty() { (c.fine()) } @else { (bound(c.shown())) } }
        @if c.formula.is_some() && c.verdict() == Verdict::Holds && !is_whole {
            ", so at most " (allowed(c.bound))
        }
    }
}

/// What the bound was computed from, by the names of the JSON.
fn ingredients(c: &CertificateReport) -> Markup {
    // what the theorem says beforehand is a bound too
    let value = |name: &str, value: f64| match name {
        "theorem" => bound(value),
        _ => number(value),
    };
    html! {
        @for (name, number) in &c.ingredients {
            (entry(&ingredient(name), &value(name, *number)))
        }
    }
}

/// The name of an ingredient, with its letter in the formula where a term has the same name.
fn ingredient(name: &str) -> String {
    match name {
        "spectral" => "spectral factor Λ".to_owned(),
        "observed" => "observed factor Q".to_owned(),
        other => other.replace('_', " "),
    }
}

/// The theorem, and what it compares the run with.
fn about(c: &CertificateReport) -> Markup {
    html! {
        (entry("theorem", &format!("{}, {}", c.theorem, c.name)))
        (entry("loss over", &c.scope))
        @if let Some(comparator) = &c.comparator {
            (entry("comparator", &format!("{}, {}", c.length(comparator), comparator.found())))
        }
        @if let Some(composed) = &c.composed { (entry("composed", &composed.text())) }
        @if let Some((margin, most)) = c.separable {
            (entry("separable", &format!("margin {}, (R / margin)² = {}{}", number(margin), bound(most), c.beside_separable(most))))
        }
    }
}

/// The certificates of the classes of a run.
pub(super) fn of_classes(classes: &[ClassReport]) -> Markup {
    if classes.iter().all(|class| class.certificate.is_none()) {
        return Markup::default();
    }
    html! {
        div.scroll {
            table {
                caption { "Each class against the rest" }
                thead { tr { th { "class" } th { "counted" } th { "bound" } th { "theorem" } } }
                tbody {
                    @for class in classes {
                        tr { th scope="row" { (shown(&class.class)) } (cells(class.certificate.as_ref())) }
                    }
                }
            }
        }
        p.note {
            "Where the label was wrong, at least one class was wrong: the mistakes of the run are at most the sum of the bounds of the classes."
        }
        (class_formulas(classes))
    }
}

/// The formulas of the first classes, closed until somebody opens them.
fn class_formulas(classes: &[ClassReport]) -> Markup {
    const SHOWN: usize = 20;
    let formulas = classes.iter().filter_map(|class| match &class.certificate {
        Some(Certified::Bound(c)) => Some((class, c, c.formula.as_ref()?)),
        _ => None,
    });
    html! {
        @for (class, c, of) in formulas.take(SHOWN) {
            details.class {
                summary { "Theorem " (c.theorem) " for the class " (shown(&class.class)) }
                (formula(of, c.bound))
            }
        }
    }
}

/// What was counted for a class, its bound and its theorem.
fn cells(certified: Option<&Certified>) -> Markup {
    html! {
        @match certified {
            Some(certified @ Certified::Bound(c)) => {
                td { (count(c.counted)) " " (c.counted_noun()) }
                td { (certified.cell()) }
                td { (shown(&format!("{}, {}", c.theorem, c.name))) }
            }
            Some(Certified::Not(reason)) => { td { "–" } td { "–" } td { (shown(&reason.said)) } }
            None => { td { "–" } td { "–" } td { "–" } }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::why;
    use novikoff::catalog::Theorem;

    #[test]
    fn every_theorem_is_known_to_fall_or_not() {
        for name in Theorem::NAMES {
            assert!(why(name).is_some(), "{name}: can its bound fall?");
        }
    }
}
