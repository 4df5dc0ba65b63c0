//! `novikoff compare 'GENERATOR:key=A|B|C'`: the same learners on several data sets.

use std::io::{Write as _, stdout};

use novikoff_data::generate::is_generator;
use novikoff_engine::Context;
use novikoff_engine::data::Data;
use novikoff_engine::sweep::{NamedData, Sweep, Swept};
use novikoff_report::{sweep_json, sweep_text};

use crate::args::CompareArgs;
use crate::certify;
use crate::error::Failure;
use crate::interrupt;
use crate::notices;
use crate::publish::{self, Publication};
use crate::remark;
use crate::screen;
use crate::tune::grid;

/// The most data sets of one sweep.
const MOST: usize = 100;

/// The data sets that a generator with several values stands for; none of any other data.
pub(super) fn data_sets(data: &str) -> Result<Option<Vec<String>>, Failure> {
    if !is_generator(data) || !(data.contains('|') || data.contains("..")) {
        return Ok(None);
    }
    let sets = grid::specs(data)?;
    if sets.len() > MOST {
        let count = sets.len();
        return Err(format!(
            "{data}: are {count} data sets, and the most is {MOST}; give fewer values"
        )
        .into());
    }
    Ok(Some(sets))
}

/// Runs all learners on all data sets and prints their mistakes.
pub(super) fn sweep(args: &CompareArgs, sets: &[String]) -> Result<(), Failure> {
    let named = |name: &String| {
        let data = Data::named(std::slice::from_ref(name))?;
        Ok(NamedData {
            name: name.clone(),
            data,
        })
    };
    let named: Vec<NamedData> = sets.iter().map(named).collect::<Result<_, Failure>>()?;
    let Some(first) = named.first() else {
        return Err("there is no data set".into());
    };
    let mut each = super::job(args, first.data.clone())?;
    // runs of a sweep are not drawn one by one
    each.charts = false;
    let read: Vec<&Data> = each.test.iter().collect();
    publish::check(&args.end, &read, std::iter::empty(), false)?;
    let progress = args.rows.progress();
    let interrupt = interrupt::listen();
    let job = Sweep { sets: named, each };
    let Swept {
        mut points,
        left_out,
        stopped,
    } = job.run(Context::new(&progress, &interrupt))?;
    for (point, left_out) in points.iter_mut().zip(&left_out) {
        let compared = &mut point.comparison;
        let left_out = left_out.iter();
        compared.left_out = left_out
            .map(|(spec, why)| (spec.text().to_owned(), notices::left_out(why)))
            .collect();
        remark::word(&mut compared.remarks);
        remark::say(&mut compared.runs, &progress);
    }
    let text = if args.run.json {
        format!("{}\n", sweep_json(&points))
    } else {
        sweep_text(&points, screen::width())
    };
    let publication = Publication {
        data: std::slice::from_ref(&args.data),
        run: &args.run,
        test: &args.test,
        end: &args.end,
        runs: &[],
        remarks: &[],
        sweep: &points,
    };
    publication.write(&progress)?;
    stdout().lock().write_all(text.as_bytes())?;
    if stopped > 0 {
        let (done, all) = (points.len() - 1, sets.len());
        return Err(Failure::Interrupted(format!(
            "stopped: {done} of {all} data sets are done"
        )));
    }
    let runs = points.iter().flat_map(|point| &point.comparison.runs);
    certify::require(&args.end.proof, runs)
}
