//! What people read.

use std::cmp::Ordering;
use std::fmt::Write as _;

use novikoff::catalog::EXPERTS;
use novikoff::certificate::Verdict;
use novikoff::classes::Counts;
use novikoff::quantity::plural;
pub(crate) use novikoff::quantity::{count, percent};

use crate::certificate::Certified;
use crate::experts::experts_text;
use crate::report::{
    ClassReport, Comparison, DataSummary, ErrorCount, RunReport, SUBSET_ERROR, Spread, Validated,
};
use crate::rounding::{bound, number, parts};
use crate::spark::tenths;
use crate::table::{Column, LISTED, TextTable, Width, and_more};

/// What is said of a bound that the run broke.
pub(crate) const FAULT: &str = "an error in the program, please report it";

/// What is said of a bound that is no proof about one run.
pub(crate) const IN_EXPECTATION: &str = "in expectation over the learner's coins";

pub(crate) fn spread(s: Spread, digits: usize) -> String {
    format!("{:.digits$} ± {:.digits$}", s.mean, s.sd)
}

pub(crate) fn data_line(d: &DataSummary) -> String {
    let mut text = format!(
        "{}, {}",
        plural(d.rows, "row"),
        plural(u64::from(d.features), "feature")
    );
    if d.classes > 0 {
        text.push_str(", ");
        text.push_str(&plural(d.classes as u64, "class"));
    }
    text
}

/// Errors on rows that were not learned from.
pub(crate) fn errors(run: &RunReport, report: &ErrorCount) -> String {
    format!(
        "{} on {} ({})",
        plural(report.errors, run.error_noun()),
        plural(report.rows, "row"),
        percent(report.error())
    )
}

/// Errors before learning, or why they were not counted.
pub(crate) fn validation(run: &RunReport) -> String {
    match &run.validation {
        Validated::Counted(report) if run.epochs.len() > 1 => {
            format!("{}, in the first pass", errors(run, report))
        }
        Validated::Counted(report) => errors(run, report),
        Validated::Not { said, .. } => format!("none: {said}"),
    }
}

/// The report of one run.
pub fn run_text(run: &RunReport, width: Width) -> String {
    let mut out = String::new();
    let mut line = |name: &str, value: String| {
        let _ = writeln!(out, "{name:<10} {value}"); // writing to a String cannot fail
    };
    line("learner", run.spec.clone());
    let parameters: Vec<String> = run
        .parameters
        .iter()
        // they have a table of their own
        .filter(|(name, _)| *name != EXPERTS)
        .map(|(name, value)| match value {
            novikoff::parameter::Parameter::Real(number) => format!("{name}={number}"),
            novikoff::parameter::Parameter::Word(word) => format!("{name}={word}"),
        })
        .collect();
    if !parameters.is_empty() {
        line("parameters", parameters.join(", "));
    }
    line("data", data_line(&run.data));
    let total = run.total();
    line(
        "mistakes",
        format!(
            "{} ({} of the trials{})",
            count(total.mistakes),
            percent(run.rate()),
            if run.is_multilabel { SUBSET_ERROR } else { "" }
        ),
    );
    if let Some(baseline) = &run.baseline {
        line("baseline", baseline.text());
    }
    let course = tenths(&run.course);
    if !course.is_empty() {
        line("course", format!("{course} mistakes, tenth by tenth"));
    }
    line("updates", count(total.updates));
    line("validation", validation(run));
    if run.epochs.len() > 1 {
        line("by epoch", by_epoch(run, " "));
    }
    if let Some(said) = separation(run) {
        line("separated", said);
    }
    if let Some((before, after)) = &run.resumed {
        line(
            "in all",
            format!(
                "{}, {} in {} ({} before this run)",
                plural(after.mistakes, "mistake"),
                plural(after.updates, "update"),
                plural(after.trials, "trial"),
                count(before.trials)
            ),
        );
    }
    if let Some(test) = &run.test {
        line("test", errors(run, test));
        if let Some(baseline) = &run.test_baseline {
            line("", baseline.of_others());
        }
    }
    if let Some(certified) = &run.certificate {
        for (name, text) in certificate_lines(certified) {
            line(name, text);
        }
    }
    if let Some(p) = &run.permutations {
        line("orders", count(p.runs.len() as u64));
        line("  mistakes", spread(p.mistakes(), 2));
        line("  updates", spread(p.updates(), 2));
        if let Some(error) = p.test_error() {
            let error = Spread {
                mean: 100.0 * error.mean,
                sd: 100.0 * error.sd,
            };
            line("  test", format!("{} %", spread(error, 2)));
        }
    }
    for (name, text) in reading_lines(run) {
        line(name, text);
    }
    let trials = run.data.rows as f64 * run.epochs.len().max(1) as f64;
    let speed = if run.seconds > 0.0 {
        (trials / run.seconds) as u64
    } else {
        0
    };
    let test = run.test_seconds.map(|test| format!(", test {test:.3} s"));
    let test = test.unwrap_or_default();
    line(
        "time",
        format!("{:.3} s ({} rows/s){test}", run.seconds, count(speed)),
    );
    out.push_str(&tables(run, width));
    out
}

/// The experts and the classes of a run.
fn tables(run: &RunReport, width: Width) -> String {
    let mut out = String::new();
    if let Some(panel) = &run.panel {
        out.push('\n');
        out.push_str(&experts_text(panel, width));
    }
    if let Some(classes) = &run.classes {
        out.push('\n');
        out.push_str(&class_table(classes).text(width));
        out.push_str(&and_more(classes.len(), "class"));
    }
    out
}

/// What is worth saying about how the rows were read.
fn reading_lines(run: &RunReport) -> Vec<(&'static str, String)> {
    let mut out = Vec::new();
    if let Some((lines, samples)) = &run.skipped {
        let lines = plural(*lines, "bad line");
        out.push(("skipped", format!("{lines}, such as")));
        out.extend(samples.iter().map(|sample| ("", sample.clone())));
    }
    if let Some((bits, collisions)) = run.collisions {
        let share = if collisions == 1 {
            "shares its"
        } else {
            "share theirs"
        };
        let names = plural(collisions, "name");
        let text = format!("2^{bits} slots; {names} {share} with an earlier one");
        out.push(("hashed", text));
    }
    out
}

/// The mistakes of each epoch; of many epochs the first and the last.
pub(crate) fn by_epoch(run: &RunReport, between: &str) -> String {
    const FIRST: usize = 12;
    const LAST: usize = 6;
    let epochs: Vec<String> = run.epochs.iter().map(|e| count(e.mistakes)).collect();
    if epochs.len() <= FIRST + LAST + 1 {
        return epochs.join(between);
    }
    let (first, last) = (&epochs[..FIRST], &epochs[epochs.len() - LAST..]);
    let left_out = epochs.len() - FIRST - LAST;
    let middle = format!("... ({} others) ...", count(left_out as u64));
    [&first.join(between), &middle, &last.join(between)]
        .map(String::as_str)
        .join(between)
}

/// Whether the rows were separated, of a run that went on until they were.
pub(crate) fn separation(run: &RunReport) -> Option<String> {
    let epochs = run.epochs.len() as u64;
    let last = run.epochs.last().map_or(0, |epoch| epoch.mistakes);
    Some(if run.separated? {
        format!("yes: epoch {} had no mistake", count(epochs))
    } else {
        format!(
            "no: epoch {}, the last that was allowed, had {}",
            count(epochs),
            plural(last, "mistake")
        )
    })
}

/// The certificate written out as the sum it is.
fn certificate_lines(certified: &Certified) -> Vec<(&'static str, String)> {
    let report = match certified {
        Certified::Not(why) => return vec![("bound", format!("none: {}", why.said))],
        Certified::Bound(report) => report,
    };
    let mut sum = String::new();
    for (i, part) in parts(report.shown(), &report.terms).iter().enumerate() {
        let sign = match (i, part.is_negative) {
            (0, false) => "",
            (0, true) => "-",
            (_, false) => " + ",
            (_, true) => " - ",
        };
        // writing to a String cannot fail
        let _ = write!(sum, "{sign}{} ({})", part.size, part.name);
    }
    let made = plural(report.counted, report.noun());
    let most = bound(report.shown());
    let text = match report.verdict() {
        Verdict::Violated => format!("{made} > {most} = {sum}: {FAULT}"),
        Verdict::Expected => format!("{made}; {IN_EXPECTATION} at most {most} = {sum}"),
        Verdict::Holds | Verdict::None { .. } => format!("{made} <= {most} = {sum}"),
    };
    let mut lines = vec![("bound", text)];
    if report.is_vacuous() {
        let trials = count(report.trials);
        let text =
            format!("the bound is at least the number of trials ({trials}): it says nothing");
        lines.push(("vacuous", text));
    }
    let name = format!("{} ({}), {}", report.theorem, report.name, report.scope);
    lines.push(("theorem", name));
    if let Some(comparator) = &report.comparator {
        lines.push((
            "comparator",
            format!("|U| = {}, {}", number(comparator.norm), comparator.found()),
        ));
    }
    if let Some(composed) = &report.composed {
        lines.push(("composed", composed.text()));
    }
    if let Some((margin, most)) = report.separable {
        let text = format!(
            "yes, with margin {margin:.6}; (R/margin)^2 = {}",
            bound(most)
        );
        lines.push(("separable", text));
    }
    lines
}

fn class_table(classes: &[ClassReport]) -> TextTable {
    let total = |class: &ClassReport| -> Counts { crate::report::sum(&class.epochs) };
    let mut columns = vec![
        Column::words("class", |class: &ClassReport| class.class.clone()),
        Column::numbers("mistakes", move |class: &ClassReport| {
            count(total(class).mistakes)
        }),
        Column::numbers("updates", move |class: &ClassReport| {
            count(total(class).updates)
        })
        .leaving(1),
    ];
    if classes.iter().any(|class| class.certificate.is_some()) {
        columns.push(Column::numbers("bound", |class: &ClassReport| {
            bound_cell(class.certificate.as_ref())
        }));
    }
    TextTable::of(&columns, classes.iter().take(LISTED))
}

/// The validation error, or a dash.
pub(crate) fn validation_cell(run: &RunReport) -> String {
    let error = run.validation.error();
    error.map_or_else(|| "-".to_owned(), percent)
}

fn bound_cell(certified: Option<&Certified>) -> String {
    certified.map_or_else(|| "-".to_owned(), Certified::cell)
}

/// Runs by their test error where there is a test, then by their validation, then by their mistakes; best first. A run that was not
/// validated stands where its mistakes in the first epoch put it.
pub fn best_first(runs: &[RunReport]) -> Vec<&RunReport> {
    let key = |run: &RunReport| {
        let orders = run.permutations.as_ref();
        let test = match orders.and_then(crate::Permutations::test_error) {
            Some(error) => error.mean,
            None => run.test.map_or(0.0, |test| test.error()),
        };
        let first = run.epochs.first().map_or(0, |epoch| epoch.mistakes);
        let online = first as f64 / run.data.rows.max(1) as f64;
        let mistakes = match orders {
            Some(p) => p.mistakes().mean,
            None => run.total().mistakes as f64,
        };
        [test, run.validation.error().unwrap_or(online), mistakes]
    };
    let mut order: Vec<&RunReport> = runs.iter().collect();
    order.sort_by(|a, b| {
        let both = key(a).into_iter().zip(key(b));
        both.fold(Ordering::Equal, |order, (a, b)| order.then(a.total_cmp(&b)))
    });
    order
}

/// Tests of a comparison that take this many seconds are worth a line.
const LONG_TESTS: f64 = 1.0;

/// The columns of a comparison, those that say something about these runs.
fn comparison_columns(runs: &[RunReport]) -> Vec<Column<'static, RunReport>> {
    let has_orders = runs.iter().any(|run| run.permutations.is_some());
    let mut columns = vec![
        Column::words("learner", |run: &RunReport| run.spec.clone()),
        Column::numbers("mistakes", |run: &RunReport| match &run.permutations {
            Some(p) => spread(p.mistakes(), 1),
            None => count(run.total().mistakes),
        }),
    ];
    if !has_orders {
        columns.push(Column::numbers("rate", |run: &RunReport| percent(run.rate())).leaving(5));
    }
    if runs.iter().any(|run| !tenths(&run.course).is_empty()) {
        columns.push(Column::words("course", |run: &RunReport| tenths(&run.course)).leaving(1));
    }
    let updates = |run: &RunReport| match &run.permutations {
        Some(p) => spread(p.updates(), 1),
        None => count(run.total().updates),
    };
    columns.push(Column::numbers("updates", updates).leaving(2));
    columns.push(Column::numbers("validation", validation_cell));
    if runs.iter().any(|run| run.certificate.is_some()) {
        columns.push(Column::numbers("bound", |run: &RunReport| {
            bound_cell(run.certificate.as_ref())
        }));
        columns.push(Column::words("theorem", theorem_cell).leaving(3));
    }
    if runs.iter().any(|run| run.test.is_some()) {
        columns.push(Column::numbers("test error", test_cell));
    }
    columns.push(
        Column::numbers("seconds", |run: &RunReport| format!("{:.3}", run.seconds)).leaving(4),
    );
    columns
}

fn theorem_cell(run: &RunReport) -> String {
    match &run.certificate {
        Some(Certified::Bound(report)) => report.theorem.clone(),
        _ => "-".to_owned(),
    }
}

fn test_cell(run: &RunReport) -> String {
    let orders = run.permutations.as_ref();
    match (orders.and_then(crate::Permutations::test_error), &run.test) {
        (Some(error), _) => {
            let percent = Spread {
                mean: 100.0 * error.mean,
                sd: 100.0 * error.sd,
            };
            format!("{} %", spread(percent, 2))
        }
        (None, Some(test)) => percent(test.error()),
        (None, None) => "-".to_owned(),
    }
}

/// Several runs on the same data, best first.
pub fn comparison_text(comparison: &Comparison, width: Width) -> String {
    let runs = comparison.runs.as_slice();
    let has_test = runs.iter().any(|run| run.test.is_some());
    let table = TextTable::of(&comparison_columns(runs), best_first(runs));
    let mut text = format!("{}\n", data_line(&comparison.data));
    // the rows and their order are the same for all
    if let Some(baseline) = runs.iter().find_map(|run| run.baseline.as_ref()) {
        let _ = writeln!(text, "baseline: {}", baseline.text()); // writing to a String cannot fail
    }
    if runs.iter().any(|run| run.is_multilabel) {
        text.push_str("mistakes are subset errors: any label wrong\n");
    }
    if let Some(baseline) = runs.iter().find_map(|run| run.test_baseline.as_ref()) {
        let _ = writeln!(text, "test baseline: {}", baseline.of_others()); // writing to a String cannot fail
    }
    text.push_str(&table.text(width));
    if has_test && runs.len() > 1 {
        text.push_str(
            "best first by test error: these rows have chosen the learner, so its error on others may be higher\n",
        );
    }
    let tests: f64 = runs.iter().filter_map(|run| run.test_seconds).sum();
    if tests >= LONG_TESTS {
        let _ = writeln!(text, "seconds leave out the tests, which took {tests:.3}"); // writing to a String cannot fail
    }
    for run in runs {
        if let Some(Certified::Not(why)) = &run.certificate {
            let _ = writeln!(text, "no bound for {}: {}", run.spec, why.said); // writing to a String cannot fail
        }
    }
    text
}
