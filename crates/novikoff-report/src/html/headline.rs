//! The first thing a page says: what was proved, or at least what happened.

use super::Page;
use super::certificate::bound;
use crate::certificate::Certified;
use crate::plot::certificate;
use crate::report::RunReport;
use crate::text::count;

/// The trials of a run.
fn trials(run: &RunReport) -> u64 {
    let made = run.data.rows.saturating_mul(run.epochs.len() as u64);
    run.course.last().map_or(made, |moment| moment.trials)
}

/// As the catalogue calls it, without parameters.
fn name(run: &RunReport) -> &str {
    run.spec.split(':').next().unwrap_or(&run.spec)
}

fn plural(n: u64, word: &str) -> String {
    format!("{} {word}{}", count(n), if n == 1 { "" } else { "s" })
}

/// What a bound allows, as a whole number.
pub(super) fn allowed(bound: f64) -> String {
    if bound < 1e15 {
        count(bound.max(0.0).floor() as u64)
    } else {
        format!("{bound:.2e}")
    }
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
    match certificate(best) {
        Some(c) if c.counts_updates => format!(
            "{made} and {}; its theorem allows at most {}",
            plural(c.counted, "update"),
            allowed(c.bound)
        ),
        Some(c) => format!("{made}; its theorem allows at most {}", allowed(c.bound)),
        None => {
            let proved = order.iter().find_map(|run| Some((run, certificate(run)?)));
            match proved {
                Some((run, c)) => format!(
                    "{made}; {} is proved to make at most {}",
                    name(run),
                    allowed(c.bound)
                ),
                None if order.len() > 1 => {
                    format!("{made}, the fewest of {} learners", order.len())
                }
                None => made,
            }
        }
    }
}

/// One run in a few words.
pub(super) fn fact(run: &RunReport) -> String {
    let made = plural(run.total().mistakes, "mistake");
    match &run.certificate {
        Some(Certified::Bound(c)) if c.counts_updates => {
            format!(
                "{made}, {} ≤ {}",
                plural(c.counted, "update"),
                bound(c.bound)
            )
        }
        Some(Certified::Bound(c)) => format!("{made} ≤ {}", bound(c.bound)),
        _ => made,
    }
}

/// The data, in a sentence.
pub(super) fn data_line(page: &Page<'_>) -> String {
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
        format!("; charts show the first of {} orders", p.runs.len())
    });
    format!(
        "{}, {}, {}{passes}{orders}. Every trial predicts first and is told the label afterwards.",
        plural(d.rows, "row"),
        plural(u64::from(d.features), "feature"),
        match d.classes {
            2 => "two classes".to_owned(),
            n => format!("{} classes", count(n as u64)),
        }
    )
}
