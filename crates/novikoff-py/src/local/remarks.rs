//! Remarks on rows of partitions and on models of them, in the words of the Spark package.

use novikoff::remark::{Advice, Errors, Measured, Paired, Remark, ResultRemark};
use novikoff::remedy::{Remedy, said};
use novikoff_engine::partitions::{BlockFacts, SortedRows, sorted_rows};
use pyo3::prelude::*;

use crate::words::{PythonDoor, refused};

/// The kind of a remark, and its text.
type Remarked = (&'static str, String);

/// What to do where one of two labels is rare.
const RARE: &str =
    "look at the curves of evaluate: where few rows have the other label, few errors say little";

/// The remark on rows that come sorted by label, if they do. `blocks` are the partitions and the facts of all blocks in their order.
#[pyfunction]
pub(crate) fn sorted_remark(blocks: Vec<(u64, String)>) -> PyResult<Option<Remarked>> {
    let read = blocks.into_iter().map(|(partition, text)| {
        let facts: Result<BlockFacts, _> = serde_json::from_str(&text);
        facts.map(|facts| (partition, facts))
    });
    let read: Result<Vec<_>, _> = read.collect();
    let read = read.map_err(|error| refused(format!("facts of packed rows: {error}")))?;
    Ok(sorted_rows(&read).map(|found| {
        let (place, remark, remedy) = match found {
            SortedRows::Inside {
                partition,
                partitions,
                remark,
            } => {
                let more = match partitions {
                    1 => String::new(),
                    count => format!(" (and {} more)", count - 1),
                };
                let place = format!("partition {partition}{more}");
                (place, remark, "use shuffle=True")
            }
            SortedRows::Across { remark } => {
                let place = "all partitions in turn".to_owned();
                let remedy = "spread the labels over the partitions, as df.orderBy(F.rand(1)) does";
                (place, remark, remedy)
            }
        };
        in_words(&format!("{place}: {remark}"), &remark, &remedy.into())
    }))
}

/// The remark on a model that is no better than always answering the most frequent label, if it is not. `counts` has, for each label, its rows and
/// those that were answered right; the model has learned from these rows if `is_training`.
#[pyfunction]
pub(crate) fn baseline_remark(
    counts: Vec<(String, u64, u64)>,
    is_training: bool,
) -> Option<Remarked> {
    let of = |count: fn(&(String, u64, u64)) -> u64| counts.iter().map(count).sum::<u64>();
    let (rows, right) = (of(|c| c.1), of(|c| c.2));
    // the first of several
    let most = counts.iter().rev().max_by_key(|c| c.1)?;
    let errors = Errors {
        errors: rows - right,
        rows,
    };
    let baseline = Errors {
        errors: rows - most.1,
        rows,
    };
    let paired = Some(Paired {
        better: right - most.2,
        worse: most.1 - most.2,
    });
    if !errors.is_no_better_than(baseline.errors, paired) {
        return None;
    }
    let advice = Advice {
        standardize: false,
        compare: false,
        rare: false,
        weighted: false,
    };
    let advice = advice.on(baseline, counts.len() == 2);
    let remedy = if is_training {
        let solve = "use novikoff.spark.LinearSVM, for which the order of the rows does not matter";
        Remedy::clause(solve).or("scale the features, as pyspark.ml.feature.StandardScaler does")
    } else {
        Remedy::clause("check that the rows are like those of training")
    };
    let remedy = if advice.rare { remedy.or(RARE) } else { remedy };
    let remark = Remark::Result(ResultRemark::Baseline {
        measured: Measured::Evaluation,
        errors,
        baseline: baseline.errors,
        label: most.0.clone(),
        paired,
        advice,
    });
    Some(in_words(&remark.to_string(), &remark, &remedy))
}

fn in_words(facts: &str, remark: &Remark, remedy: &Remedy) -> Remarked {
    (remark.kind(), said(&facts, Some(remedy), &PythonDoor::Rows))
}
