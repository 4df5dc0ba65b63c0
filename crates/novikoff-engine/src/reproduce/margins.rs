//! Mistakes until rows are separated, against `(R/margin)^2`: the sweep of the engine, one data set at a time.

use novikoff::spec::Spec;
use novikoff_report::Certified;

use super::experiment::Measure;
use super::online::value_name;
use super::results::Values;
use super::runner::{Run, Runner};
use crate::Error;
use crate::compare::Compare;
use crate::options::RunOptions;
use crate::sweep::{NamedData, Sweep};

/// One data set.
pub(super) fn run(runner: &Runner<'_>, run: &Run<'_>) -> Result<Values, Error> {
    let data = runner.data(run)?;
    let epochs = runner.experiment.epochs(runner.quick);
    let mut rows = runner.options.clone();
    rows.threads = 1;
    let sweep = Sweep {
        sets: vec![NamedData {
            name: run.set.name.clone(),
            data: data.clone(),
        }],
        each: Compare {
            data,
            specs: vec![Spec::parse(&run.candidate.learner)?],
            test: None,
            run: RunOptions {
                epochs: Some(epochs),
                until_separated: true,
                shuffle: Some(u64::from(run.repetition)),
                bias: Some(run.set.bias),
                ..RunOptions::default()
            },
            rows,
            certify: None,
            charts: false,
        },
    };
    let swept = sweep.run(runner.context.quiet())?;
    let mut values = Values::new();
    let mut put = |measure: Measure, value: f64| {
        values.insert(value_name(measure, epochs, None), value);
    };
    for point in &swept.points {
        if let Some(separation) = point.separation {
            put(Measure::Novikoff, separation.novikoff);
        }
        for run in &point.comparison.runs {
            put(Measure::Mistakes, run.total().mistakes as f64);
            if let Some(Certified::Bound(certificate)) = &run.certificate {
                put(Measure::Bound, certificate.bound);
            }
        }
    }
    Ok(values)
}
