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
use crate::orders::{EpochSpread, Permutations, Spread};
use crate::report::{
    ClassReport, Comparison, DataSummary, ErrorCount, RunReport, SUBSET_ERROR, Validated,
};
use crate::rounding::bound;
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
        Validated::Counted(report) => {
            let pass = if run.epochs.len() > 1 {
                ", in the first pass"
            } else {
                ""
            };
            format!(
                "{}{pass}{}",
                errors(run, report),
                first_rows(run, report.errors)
            )
        }
        Validated::Not { said, .. } => format!("none: {said}"),
    }
}

/// Why a few more rows are errors than mistakes, where classes appear on the way: what would have been saved did not know them yet.
fn first_rows(run: &RunReport, errors: u64) -> &'static str {
    let mistakes = run.epochs.first().map_or(0, |epoch| epoch.mistakes);
    let classes = run.classes.as_ref().map_or(0, Vec::len) as u64;
    if errors > mistakes && errors <= mistakes + classes && run.resumed.is_none() {
        "; the first row of a class is always one"
    } else {
        ""
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
    if let Some(updates) = run.matrix_updates().filter(|n| *n < total.updates) {
        line("matrix", format!("{} of these changed it", count(updates)));
    }
    line("validation", validation(run));
    if run.epochs.len() > 1 && !run.tests_every_epoch() {
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
    if let Some(permutations) = &run.permutations {
        for (name, text) in order_lines(permutations) {
            line(name, text);
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
        format!(
            "{:.3} s ({} rows/s, reading included){test}",
            run.seconds,
            count(speed)
        ),
    );
    out.push_str(&tables(run, width));
    out
}

/// What runs over several orders or divisions came to.
fn order_lines(p: &Permutations) -> Vec<(&'static str, String)> {
    let orders = count(p.runs.len() as u64);
    let mut lines = vec![match &p.split {
        None => ("orders", orders),
        Some(split) => ("splits", format!("{orders}, {}", split.text())),
    }];
    lines.push(("  mistakes", spread(p.mistakes(), 2)));
    if let Some(mistakes) = p.binary_mistakes() {
        lines.push(("  binary", format!("{} mistakes", spread(mistakes, 2))));
    }
    lines.push(("  updates", spread(p.updates(), 2)));
    if let Some(error) = p.test_error() {
        lines.push(("  test", format!("{} %", spread(error.percent(), 2))));
    }
    lines
}

/// The epochs of a run that was tested after each, the experts and the classes.
fn tables(run: &RunReport, width: Width) -> String {
    let mut out = String::new();
    if run.tests_every_epoch() {
        out.push('\n');
        out.push_str(&epoch_table(std::slice::from_ref(&run), width));
    }
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

/// Of many epochs the first and the last are listed.
const FIRST: usize = 12;
const LAST: usize = 6;

/// An epoch of a run in a table, with the means of all orders if there are several.
struct EpochLine<'r> {
    run: &'r RunReport,
    epoch: usize,
    orders: Option<EpochSpread>,
}

impl<'r> EpochLine<'r> {
    /// The epochs of a run; of many the first and the last.
    fn of(run: &'r RunReport) -> Vec<Self> {
        let orders = run.permutations.as_ref().map(Permutations::epochs);
        let epochs = orders.as_ref().map_or(run.epochs.len(), Vec::len);
        let listed = |epoch: &usize| *epoch < FIRST || *epoch + LAST >= epochs;
        let lines = (0..epochs).filter(listed).map(|epoch| EpochLine {
            run,
            epoch,
            orders: orders.as_ref().map(|orders| orders[epoch].clone()),
        });
        lines.collect()
    }

    fn counts(&self) -> Counts {
        let counts = self.run.epochs.get(self.epoch);
        counts.copied().unwrap_or_default()
    }

    fn mistakes(&self) -> String {
        let orders = self.orders.as_ref();
        orders.map_or_else(
            || count(self.counts().mistakes),
            |orders| spread(orders.mistakes, 1),
        )
    }

    fn binary_mistakes(&self) -> String {
        match &self.orders {
            Some(orders) => spread_or_dash(orders.binary_mistakes, 1),
            None => count_or_dash(self.run.binary_mistakes_of(self.epoch)),
        }
    }

    fn updates(&self) -> String {
        let orders = self.orders.as_ref();
        orders.map_or_else(
            || count(self.counts().updates),
            |orders| spread(orders.updates, 1),
        )
    }

    fn support(&self) -> String {
        match &self.orders {
            Some(orders) => spread_or_dash(orders.support, 1),
            None => count_or_dash(self.run.end_of(self.epoch).and_then(|end| end.support)),
        }
    }

    fn errors(&self) -> String {
        let test = self.run.end_of(self.epoch).and_then(|end| end.test);
        count_or_dash(test.map(|test| test.errors))
    }

    fn test_error(&self) -> String {
        match &self.orders {
            Some(orders) => spread_or_dash(orders.test_error.map(Spread::percent), 2),
            None => error_or_dash(self.run.end_of(self.epoch).and_then(|end| end.test)),
        }
    }

    /// The test error of one of several predictors.
    fn error_of(&self, name: &str) -> String {
        if let Some(orders) = &self.orders {
            let test = orders.tests.iter().find(|(other, _)| *other == name);
            return spread_or_dash(test.map(|(_, error)| error.percent()), 2);
        }
        let end = self.run.end_of(self.epoch);
        let test = end.and_then(|end| end.tests.iter().find(|(other, _)| *other == name));
        error_or_dash(test.map(|(_, test)| *test))
    }
}

/// Runs that were tested after each epoch, one line per epoch.
fn epoch_table(runs: &[&RunReport], width: Width) -> String {
    let lines: Vec<EpochLine<'_>> = runs.iter().flat_map(|run| EpochLine::of(run)).collect();
    let mut columns: Vec<Column<'_, EpochLine<'_>>> = Vec::new();
    if runs.len() > 1 {
        let spec = |line: &EpochLine<'_>| line.run.spec.clone();
        columns.push(Column::words("learner", spec));
    }
    let epoch = |line: &EpochLine<'_>| count(line.epoch as u64 + 1);
    columns.push(Column::numbers("epoch", epoch));
    columns.push(Column::numbers("mistakes", EpochLine::mistakes));
    if runs.iter().any(|run| run.classes.is_some()) {
        columns.push(Column::numbers("binary mistakes", EpochLine::binary_mistakes).leaving(2));
    }
    columns.push(Column::numbers("updates", EpochLine::updates).leaving(1));
    if lines.iter().any(|line| line.support() != DASH) {
        columns.push(Column::numbers("support", EpochLine::support).leaving(3));
    }
    if lines.iter().any(|line| line.orders.is_none()) {
        columns.push(Column::numbers("errors", EpochLine::errors).leaving(4));
    }
    let unit = if lines.iter().any(|line| line.orders.is_some()) {
        "test error %"
    } else {
        "test error"
    };
    columns.push(Column::numbers(unit, EpochLine::test_error));
    for name in ["voted", "averaged", "final", "best"] {
        if lines.iter().any(|line| line.error_of(name) != DASH) {
            let error = move |line: &EpochLine<'_>| line.error_of(name);
            columns.push(Column::numbers(name, error).leaving(5));
        }
    }
    TextTable::of(&columns, lines.iter()).text(width)
}

/// What stands in a cell for a number that there is not.
const DASH: &str = "-";

fn spread_or_dash(of: Option<Spread>, digits: usize) -> String {
    of.map_or_else(|| DASH.to_owned(), |of| spread(of, digits))
}

fn error_or_dash(test: Option<ErrorCount>) -> String {
    test.map_or_else(|| DASH.to_owned(), |test| percent(test.error()))
}

fn count_or_dash(number: Option<u64>) -> String {
    number.map_or_else(|| DASH.to_owned(), count)
}

/// The mistakes of each epoch; of many epochs the first and the last.
pub(crate) fn by_epoch(run: &RunReport, between: &str) -> String {
    let epochs = run.epochs.iter();
    first_and_last(
        &epochs.map(|e| count(e.mistakes)).collect::<Vec<_>>(),
        between,
    )
}

/// The test error after each epoch, where it was tested; of many epochs the first and the last.
pub(crate) fn tests_by_epoch(run: &RunReport) -> String {
    let epochs = 0..run.epochs.len();
    let test = |epoch| run.end_of(epoch).and_then(|end| end.test);
    let errors: Vec<String> = epochs.map(|epoch| error_or_dash(test(epoch))).collect();
    first_and_last(&errors, ", ")
}

fn first_and_last(epochs: &[String], between: &str) -> String {
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
    for (i, part) in report.parts().iter().enumerate() {
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
        let why = report.why_vacuous();
        let text = format!("the bound is at least {why}: it says nothing");
        lines.push(("vacuous", text));
    }
    let name = format!("{} ({}), {}", report.theorem, report.name, report.scope);
    lines.push(("theorem", name));
    if let Some(comparator) = &report.comparator {
        lines.push((
            "comparator",
            format!("{}, {}", report.length(comparator), comparator.found()),
        ));
    }
    if let Some(composed) = &report.composed {
        lines.push(("composed", composed.text()));
    }
    if let Some((margin, most)) = report.separable {
        let text = format!(
            "yes, with margin {margin:.6}; (R/margin)^2 = {}{}",
            bound(most),
            report.beside_separable(most)
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
        let test = match orders.and_then(Permutations::test_error) {
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
pub(crate) fn comparison_columns(runs: &[RunReport]) -> Vec<Column<'static, RunReport>> {
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
    match (orders.and_then(Permutations::test_error), &run.test) {
        (Some(error), _) => format!("{} %", spread(error.percent(), 2)),
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
    if runs.iter().any(RunReport::tests_every_epoch) {
        text.push('\n');
        text.push_str(&epoch_table(&best_first(runs), width));
    }
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
