//! The first thing a page says: what was proved, or at least what happened.

use novikoff::certificate::Verdict;

use super::HtmlPage;
use crate::certificate::CertificateReport;
use crate::plot::certificate;
use crate::report::RunReport;
use crate::rounding::bound;
use crate::text::{FAULT, IN_EXPECTATION, count};

/// The trials of a run.
fn trials(run: &RunReport) -> u64 {
    let made = run.data.rows.saturating_mul(run.epochs.len() as u64);
    run.course.last().map_or(made, |moment| moment.trials)
}

/// As the catalogue calls it, without parameters.
fn name(run: &RunReport) -> &str {
    run.spec.split([':', '(', '@']).next().unwrap_or(&run.spec)
}

fn plural(n: u64, word: &str) -> String {
    format!("{} {word}{}", count(n), if n == 1 { "" } else { "s" })
}

/// What a bound allows, as a whole number.
pub(super) fn allowed(most: f64) -> String {
    if most < 1e9 {
        count(most.max(0.0).floor() as u64)
    } else {
        bound(most)
    }
}

/// The bound of a run, if it proves something about that run.
fn proof(run: &RunReport) -> Option<&CertificateReport> {
    certificate(run).filter(|c| c.verdict() == Verdict::Holds && !c.is_vacuous())
}

/// About the best run.
pub(super) fn headline(order: &[&RunReport]) -> String {
    let Some(best) = order.first() else {
        return "No learner ran".to_owned();
    };
    let made = format!(
        "{} made {} on {}",
        name(best),
        plural(best.total().mistakes, "mistake"),
        plural(trials(best), "trial")
    );
    let Some(c) = certificate(best) else {
        return without(&made, order);
    };
    let made = if c.counts_updates {
        format!("{made} and {}", plural(c.counted, "update"))
    } else {
        made
    };
    match c.verdict() {
        Verdict::Violated => format!(
            "{made}, more than the {} of its theorem: {FAULT}",
            allowed(c.shown())
        ),
        _ if c.is_vacuous() => format!("{made}; the bound of its theorem is vacuous"),
        Verdict::Expected => format!(
            "{made}; its theorem allows at most {} {IN_EXPECTATION}",
            allowed(c.shown())
        ),
        Verdict::Holds | Verdict::None { .. } => {
            format!("{made}; its theorem allows at most {}", allowed(c.shown()))
        }
    }
}

/// Where the best run has no bound, another may have one.
fn without(made: &str, order: &[&RunReport]) -> String {
    match order.iter().find_map(|run| Some((run, proof(run)?))) {
        Some((run, c)) => format!(
            "{made}; {} is proved to make at most {}",
            name(run),
            allowed(c.shown())
        ),
        None if order.len() > 1 && has_fewest(order) => {
            format!("{made}, the fewest of {} learners", order.len())
        }
        None => made.to_owned(),
    }
}

/// Whether no run made fewer mistakes than the best, which is the best by another measure.
fn has_fewest(order: &[&RunReport]) -> bool {
    let mut mistakes = order.iter().map(|run| run.total().mistakes);
    let best = mistakes.next();
    mistakes.all(|others| Some(others) >= best)
}

/// One run in a few words.
pub(super) fn fact(run: &RunReport) -> String {
    let made = plural(run.total().mistakes, "mistake");
    let Some(c) = certificate(run) else {
        return made;
    };
    let made = if c.counts_updates {
        format!("{made}, {}", plural(c.counted, "update"))
    } else {
        made
    };
    let most = c.fine();
    let vacuous = if c.is_vacuous() { " (vacuous)" } else { "" };
    match c.verdict() {
        Verdict::Violated => format!("{made} > {most}: {FAULT}"),
        Verdict::Expected => format!("{made}; in expectation ≤ {most}{vacuous}"),
        Verdict::Holds | Verdict::None { .. } => format!("{made} ≤ {most}{vacuous}"),
    }
}

/// The data, in a sentence.
pub(super) fn data_line(page: &HtmlPage<'_>) -> String {
    if !page.sweep.is_empty() {
        return "Every trial predicts first and sees the label afterwards.".to_owned();
    }
    let Some(run) = page.runs.first() else {
        return String::new();
    };
    let d = &run.data;
    let epochs = run.epochs.len();
    let passes = if epochs > 1 {
        format!(", {epochs} passes")
    } else {
        String::new()
    };
    let orders = run.permutations.as_ref().map_or(String::new(), |p| {
        format!("; charts show the first of {}", p.counted())
    });
    format!(
        "{}, {}, {}{passes}{orders}. Every trial predicts first and sees the label afterwards.",
        plural(d.rows, "row"),
        plural(u64::from(d.features), "feature"),
        match d.classes {
            2 => "two classes".to_owned(),
            n => format!("{} classes", count(n as u64)),
        }
    )
}
