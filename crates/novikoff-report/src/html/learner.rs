//! What a page says of one learner, and the table of all.

use std::fmt::Write as _;

use novikoff::parameter::Parameter;

use super::certificate::{certificate, of_classes};
use super::escape::text;
use super::figure::Figures;
use crate::certificate::Certified;
use crate::picture::TopFeatures;
use crate::plot::{PlotError, charts};
use crate::report::RunReport;
use crate::text::{count, errors, percent, spread, validation, validation_cell};

/// Certificate, charts and parameters of a run.
pub(super) fn body(run: &RunReport, figures: &mut Figures) -> Result<String, PlotError> {
    let mut out = String::new();
    if let Some(certified) = &run.certificate {
        out.push_str(&certificate(certified));
    }
    out.push_str("<div class=\"charts\">\n");
    let mut charts = charts(run).into_iter().peekable();
    while let Some(chart) = charts.next() {
        match charts.next_if(|next| next.name == "mistakes-log") {
            Some(log) => {
                let pair = [("linear".to_owned(), chart), ("log".to_owned(), log)];
                out.push_str(&figures.several("Mistakes so far", &pair)?);
            }
            None => out.push_str(&figures.one(&chart)?),
        }
    }
    out.push_str("</div>\n");
    if let Some(classes) = &run.classes {
        out.push_str(&of_classes(classes));
    }
    if let Some(picture) = &run.picture {
        if picture.features.len() > 1 {
            out.push_str(&features(&picture.features));
        }
        if let Some(sampled) = picture.sampled {
            let _ = writeln!(
                out,
                "<p class=\"note\">Margins and ranking are of {} trials drawn at random.</p>",
                count(sampled)
            );
        }
    }
    out.push_str(&facts(run));
    Ok(out)
}

/// What else is known about a run.
fn facts(run: &RunReport) -> String {
    let mut out = String::from("<dl>\n");
    let mut line = |name: &str, value: String| {
        // writing to a String cannot fail
        let _ = writeln!(
            out,
            "<div><dt>{}</dt><dd>{}</dd></div>",
            text(name),
            text(&value)
        );
    };
    line("learner", run.spec.clone());
    let parameters = run.parameters.iter().map(|(name, value)| match value {
        Parameter::Real(number) => format!("{name}={number}"),
        Parameter::Word(word) => format!("{name}={word}"),
    });
    let parameters: Vec<String> = parameters.collect();
    if !parameters.is_empty() {
        line("parameters", parameters.join(", "));
    }
    line("kernel", run.kernel.clone());
    let total = run.total();
    line(
        "mistakes",
        format!("{} ({})", count(total.mistakes), percent(run.rate())),
    );
    line("updates", count(total.updates));
    line("validation", validation(run));
    if run.epochs.len() > 1 {
        let epochs: Vec<String> = run.epochs.iter().map(|e| count(e.mistakes)).collect();
        line("mistakes by epoch", epochs.join(", "));
    }
    if let Some(test) = &run.test {
        line("test", errors(test));
    }
    if let Some(p) = &run.permutations {
        line(
            "over all orders",
            format!("{} mistakes", spread(p.mistakes(), 1)),
        );
    }
    if let Some((lines, _)) = &run.skipped {
        line("bad lines passed over", count(*lines));
    }
    line("time", format!("{:.3} s", run.seconds));
    out.push_str("</dl>\n");
    out
}

/// The largest weights of several classes.
fn features(classes: &[TopFeatures]) -> String {
    const SHOWN: usize = 6;
    let mut out = String::from(
        "<div class=\"scroll\"><table>\n<caption>Largest weights</caption>\n<thead><tr><th>class</th><th>features and weights</th></tr></thead>\n<tbody>\n",
    );
    for top in classes {
        let weights = top.weights.iter().take(SHOWN);
        let weights: Vec<String> = weights
            .map(|(name, w)| format!("<span class=\"weight\">{} <b>{w:.3}</b></span>", text(name)))
            .collect();
        let _ = writeln!(
            out,
            "<tr><th scope=\"row\">{}</th><td class=\"weights\">{}</td></tr>",
            text(&top.class),
            weights.join(" ")
        );
    }
    out.push_str("</tbody></table></div>\n");
    out
}

/// All runs, best first.
pub(super) fn table(order: &[&RunReport]) -> String {
    let has_test = order.iter().any(|run| run.test.is_some());
    let has_bound = order.iter().any(|run| run.certificate.is_some());
    let has_orders = order.iter().any(|run| run.permutations.is_some());
    let most = order
        .iter()
        .map(|run| run.total().mistakes)
        .max()
        .unwrap_or(0)
        .max(1);
    let mut out = String::from(
        "<div class=\"scroll\"><table class=\"ranking\">\n<thead><tr><th>learner</th><th>mistakes</th>",
    );
    for (shown, name, class) in [
        (has_orders, "over all orders", ""),
        (has_bound, "bound", ""),
        (true, "rate", " class=\"more\""),
        (true, "updates", " class=\"more\""),
        (true, "validation", ""),
        (has_test, "test error", ""),
        (true, "seconds", " class=\"more\""),
    ] {
        if shown {
            let _ = write!(out, "<th{class}>{name}</th>");
        }
    }
    out.push_str("</tr></thead>\n<tbody>\n");
    for (place, run) in order.iter().enumerate() {
        let total = run.total();
        let share = 100.0 * total.mistakes as f64 / most as f64;
        let _ = write!(
            out,
            "<tr><th scope=\"row\"><a href=\"#run-{}\">{}</a></th><td class=\"bar\" style=\"--share:{share:.1}%\">{}</td>",
            place + 1,
            text(&run.spec),
            count(total.mistakes)
        );
        if has_orders {
            let orders = run.permutations.as_ref().map(|p| spread(p.mistakes(), 1));
            let _ = write!(out, "<td>{}</td>", orders.unwrap_or_default());
        }
        if has_bound {
            let bound = match &run.certificate {
                Some(certified @ Certified::Bound(_)) => text(&certified.cell()),
                _ => "–".to_owned(),
            };
            let _ = write!(out, "<td>{bound}</td>");
        }
        let _ = write!(
            out,
            "<td class=\"more\">{}</td><td class=\"more\">{}</td><td>{}</td>",
            percent(run.rate()),
            count(total.updates),
            validation_cell(run).replace('-', "–")
        );
        if has_test {
            let error = run
                .test
                .map_or("–".to_owned(), |test| percent(test.error()));
            let _ = write!(out, "<td>{error}</td>");
        }
        let _ = writeln!(out, "<td class=\"more\">{:.3}</td></tr>", run.seconds);
    }
    out.push_str("</tbody></table></div>\n");
    out
}
