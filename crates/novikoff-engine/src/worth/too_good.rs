//! Results that are too good to be true: no error on rows of a table whose labels are hard to guess.

use novikoff::remark::{Errors, Remark, ResultRemark};
use novikoff::schema::Schema;
use novikoff_report::{BaselineReport, ErrorCount, Moment, RunReport};

use super::share;
use crate::events::Context;

/// At least this many rows have no error,
const ROWS: u64 = 200;

/// and a constant answer is wrong on one row of this many.
const BASELINE: u64 = 10;

/// What explains such a result better.
const EXPLAINED: [&str; 7] = [
    "leakage",
    "same-rows",
    "copies",
    "groups",
    "ids",
    "sorted",
    "order",
];

/// Whether rows are those of a table whose columns have names and hold no text, and are fewer than the rows: in a space of more dimensions than rows,
/// labels are easily separated.
fn is_table(schema: &Schema, rows: u64) -> bool {
    let table = schema.table.as_ref();
    let columns = table.map_or(0, |table| table.columns.len() as u64);
    let is_named = schema.names.bits().is_none() && !schema.has_words();
    is_named && columns > 0 && columns < rows
}

fn is_hard(baseline: &BaselineReport) -> bool {
    baseline.unknown == 0 && BASELINE * baseline.errors >= baseline.rows
}

fn remark(rows: u64, is_test: bool, baseline: Errors) -> Remark {
    Remark::Result(ResultRemark::TooGood {
        rows,
        is_test,
        baseline,
    })
}

/// A remark if a test on rows of a table has no error.
pub(crate) fn of_test(
    test: &ErrorCount,
    baseline: &BaselineReport,
    schema: &Schema,
) -> Option<Remark> {
    let is_found =
        test.errors == 0 && test.rows >= ROWS && is_table(schema, test.rows) && is_hard(baseline);
    is_found.then(|| remark(test.rows, true, share(baseline)))
}

/// A remark if a run has no error on its test, or, without one, none in the second half of its first pass.
pub(crate) fn of_run(report: &RunReport, schema: &Schema) -> Option<Remark> {
    if let (Some(test), Some(baseline)) = (&report.test, &report.test_baseline) {
        return of_test(test, baseline, schema);
    }
    let baseline = report.baseline.as_ref().filter(|b| is_hard(b))?;
    let rows = last_without_mistake(&report.course, baseline.rows)?;
    let is_found = report.resumed.is_none() && rows >= ROWS && 2 * rows >= baseline.rows;
    (is_found && is_table(schema, rows)).then(|| remark(rows, false, share(baseline)))
}

/// How many of the last trials of the first pass are known to have no mistake.
fn last_without_mistake(course: &[Moment], rows: u64) -> Option<u64> {
    let of_pass = course.iter().filter(|moment| moment.trials <= rows);
    // moments are apart: the next one has all mistakes of the pass, and perhaps some more
    let end = course.iter().find(|moment| moment.trials >= rows)?;
    let first = of_pass.min_by_key(|m| (m.mistakes != end.mistakes, m.trials))?;
    (first.mistakes == end.mistakes).then(|| rows - first.trials)
}

/// Says it, unless something else was said that explains it.
pub(crate) fn tell(remark: Option<Remark>, context: Context<'_>) {
    if let Some(remark) = remark.filter(|_| !context.has_remarked(&EXPLAINED)) {
        context.remark(&remark);
    }
}

#[cfg(test)]
mod tests {
    use super::{Moment, last_without_mistake};

    #[test]
    fn trials_without_a_mistake() {
        let moment = |(trials, mistakes)| Moment {
            trials,
            mistakes,
            ..Moment::default()
        };
        let of = |moments: &[(u64, u64)], rows| {
            let course: Vec<Moment> = moments.iter().copied().map(moment).collect();
            last_without_mistake(&course, rows)
        };
        assert_eq!(
            of(&[(0, 0), (100, 9), (200, 12), (300, 12)], 300),
            Some(100)
        );
        assert_eq!(
            of(&[(0, 0), (100, 9), (200, 9), (320, 9), (400, 10)], 300),
            Some(200)
        );
        assert_eq!(of(&[(0, 0), (100, 9), (200, 9), (300, 10)], 300), Some(0));
        assert_eq!(of(&[(0, 0), (100, 9)], 300), None);
        assert_eq!(of(&[], 300), None);
    }
}
