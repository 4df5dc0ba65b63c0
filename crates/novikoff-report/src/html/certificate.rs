//! The certificate of a run, written out.

use std::fmt::Write as _;

use super::escape::text;
use crate::certificate::Certified;
use crate::report::ClassReport;
use crate::text::count;

/// A bound for reading, no smaller than it is.
pub(super) fn bound(value: f64) -> String {
    let digits = match value {
        100.0..1e9 => 10.0,
        1e-3..100.0 => 1000.0,
        _ => return number(value),
    };
    // what was added for rounding is no digit
    let whole = (value * digits * (1.0 - 1e-7)).ceil();
    number(whole / digits)
}

/// A number for reading.
fn number(value: f64) -> String {
    match value.abs() {
        0.0 => "0".to_owned(),
        size if !(1e-3..1e9).contains(&size) => format!("{value:.3e}"),
        size if size >= 100.0 => {
            let tenths = (value * 10.0).round();
            let whole = (tenths / 10.0).trunc();
            let sign = if value < 0.0 { "-" } else { "" };
            format!(
                "{sign}{}.{}",
                count(whole.abs() as u64),
                (tenths - 10.0 * whole).abs() as u64
            )
        }
        _ => format!("{value:.3}"),
    }
}

/// What was proved, or why nothing was.
pub(super) fn certificate(certified: &Certified) -> String {
    let c = match certified {
        Certified::Bound(c) => c,
        Certified::Not(reason) => {
            return format!(
                "<aside class=\"certificate none\"><h3>No certificate</h3><p>{}</p></aside>\n",
                text(reason)
            );
        }
    };
    let mut out = String::new();
    let (class, title) = if c.holds() {
        ("holds", "Certificate")
    } else {
        (
            "broken",
            "The bound does not hold: this is an error in the program, please report it",
        )
    };
    let counted = if c.counts_updates {
        "updates"
    } else {
        "mistakes"
    };
    let sign = if c.holds() { "≤" } else { ">" };
    // writing to a String cannot fail
    let _ = write!(
        out,
        "<aside class=\"certificate {class}\">\n<h3>{title}</h3>\n<p class=\"sum\"><b>{}</b> {counted} <span class=\"op\">{sign}</span> ",
        count(c.counted)
    );
    if c.terms.len() > 1 {
        for (i, (name, value)) in c.terms.iter().enumerate() {
            let (plus, size) = match (i, *value < 0.0) {
                (0, _) => ("", *value),
                (_, false) => ("<span class=\"op\">+</span> ", *value),
                (_, true) => ("<span class=\"op\">−</span> ", -value),
            };
            let _ = write!(
                out,
                "{plus}{} <i>{}</i> ",
                number(size),
                text(&name.replace('_', " "))
            );
        }
        let _ = write!(out, "<span class=\"op\">=</span> ");
    }
    let _ = writeln!(out, "<b>{}</b></p>\n<dl>", bound(c.bound));
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
        line(&name.replace('_', " "), number(*value));
    }
    line(
        "comparator",
        format!(
            "{}, length {}",
            c.comparator.origin,
            number(c.comparator.norm)
        ),
    );
    if let Some(gap) = c.comparator.gap {
        let solves = if c.comparator.solves == 1 {
            "solve"
        } else {
            "solves"
        };
        line(
            "solver",
            format!(
                "{} {solves}, last relative gap {gap:.1e}",
                c.comparator.solves
            ),
        );
    }
    if let Some((margin, bound)) = c.separable {
        line(
            "separable",
            format!(
                "margin {}, (R / margin)² = {}",
                number(margin),
                number(bound)
            ),
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
            Some(Certified::Bound(c)) => format!(
                "<td>{} {}</td><td>{}</td><td>{}, {}</td>",
                count(c.counted),
                if c.counts_updates {
                    "updates"
                } else {
                    "mistakes"
                },
                bound(c.bound),
                text(&c.theorem),
                text(&c.name)
            ),
            Some(Certified::Not(reason)) => {
                format!("<td>–</td><td>–</td><td>{}</td>", text(reason))
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_for_reading() {
        assert_eq!(number(871.24), "871.2");
        assert_eq!(number(12_345.67), "12,345.7");
        assert_eq!(number(999.96), "1,000.0");
        assert_eq!(number(12.4), "12.400");
        assert_eq!(number(1e-9), "1.000e-9");
    }
}
