//! The certificate of a run, written out.

use std::fmt::Write as _;

use novikoff::certificate::Verdict;

use super::escape::text;
use crate::certificate::Certified;
use crate::report::ClassReport;
use crate::rounding::{bound, number, parts};
use crate::text::{FAULT, IN_EXPECTATION, count};

/// What was proved, or why nothing was.
pub(super) fn certificate(certified: &Certified) -> String {
    let c = match certified {
        Certified::Bound(c) => c,
        Certified::Not(reason) => {
            return format!(
                "<aside class=\"certificate none\"><h3>No certificate</h3><p>{}</p></aside>\n",
                text(&reason.said)
            );
        }
    };
    let mut out = String::new();
    let violated = format!("The bound does not hold: this is {FAULT}");
    let (class, title) = match c.verdict() {
        Verdict::Violated => ("broken", violated.as_str()),
        Verdict::Expected => ("expected", "Bound of the expectation"),
        Verdict::Holds | Verdict::None { .. } => ("holds", "Certificate"),
    };
    let relation = match c.verdict() {
        Verdict::Violated => "<span class=\"op\">&gt;</span>".to_owned(),
        Verdict::Expected => format!("in this run; {IN_EXPECTATION} at most"),
        Verdict::Holds | Verdict::None { .. } => "<span class=\"op\">≤</span>".to_owned(),
    };
    let vacuous = if c.is_vacuous() { " vacuous" } else { "" };
    // writing to a String cannot fail
    let _ = write!(
        out,
        "<aside class=\"certificate {class}{vacuous}\">\n<h3>{title}</h3>\n<p class=\"sum\"><b>{}</b> {} {relation} ",
        count(c.counted),
        c.counts()
    );
    if c.terms.len() > 1 {
        for (i, part) in parts(c.bound, &c.terms).iter().enumerate() {
            let sign = match (i, part.is_negative) {
                (0, false) => "",
                (0, true) => "−",
                (_, false) => "<span class=\"op\">+</span> ",
                (_, true) => "<span class=\"op\">−</span> ",
            };
            let _ = write!(out, "{sign}{} <i>{}</i> ", part.size, text(&part.name));
        }
        let _ = write!(out, "<span class=\"op\">=</span> ");
    }
    let _ = writeln!(out, "<b>{}</b></p>", bound(c.bound));
    if c.is_vacuous() {
        let _ = writeln!(
            out,
            "<p class=\"note\">The bound is vacuous: it is at least the number of trials ({}), so it says nothing.</p>",
            count(c.trials)
        );
    }
    out.push_str("<dl>\n");
    let mut line = |name: &str, value: String| {
        let _ = writeln!(
            out,
            "<div><dt>{}</dt><dd>{}</dd></div>",
            text(name),
            text(&value)
        );
    };
    line("theorem", format!("{}, {}", c.theorem, c.name));
    line("hinge loss over", c.scope.clone());
    for (name, value) in &c.ingredients {
        // what the theorem says beforehand is a bound too
        let value = match name.as_str() {
            "theorem" => bound(*value),
            _ => number(*value),
        };
        line(&name.replace('_', " "), value);
    }
    line(
        "comparator",
        format!(
            "|U| = {}, {}",
            number(c.comparator.norm),
            c.comparator.found()
        ),
    );
    if let Some((margin, most)) = c.separable {
        line(
            "separable",
            format!("margin {}, (R / margin)² = {}", number(margin), bound(most)),
        );
    }
    out.push_str("</dl>\n</aside>\n");
    out
}

/// The certificates of the classes of a run.
pub(super) fn of_classes(classes: &[ClassReport]) -> String {
    if classes.iter().all(|class| class.certificate.is_none()) {
        return String::new();
    }
    let mut out = String::from(
        "<div class=\"scroll\"><table>\n<caption>Each class against the rest</caption>\n<thead><tr><th>class</th><th>counted</th><th>bound</th><th>theorem</th></tr></thead>\n<tbody>\n",
    );
    for class in classes {
        let cells = match &class.certificate {
            Some(certified @ Certified::Bound(c)) => format!(
                "<td>{} {}</td><td>{}</td><td>{}, {}</td>",
                count(c.counted),
                c.counts(),
                text(&certified.cell()),
                text(&c.theorem),
                text(&c.name)
            ),
            Some(Certified::Not(reason)) => {
                format!("<td>–</td><td>–</td><td>{}</td>", text(&reason.said))
            }
            None => "<td>–</td><td>–</td><td>–</td>".to_owned(),
        };
        let _ = writeln!(
            out,
            "<tr><th scope=\"row\">{}</th>{cells}</tr>",
            text(&class.class)
        );
    }
    out.push_str("</tbody></table></div>\n");
    out
}
