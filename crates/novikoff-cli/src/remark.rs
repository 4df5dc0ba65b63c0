//! What a run's certificate makes worth saying, with its remedy: for the person on stderr, for machines in the report.

use novikoff_report::{Certified, Remark, RunReport};

use crate::progress::Progress;
use crate::words::CommandDoor;

/// Noise control is worth a try where a bound is at least this multiple of the mistakes.
const LOOSE: f64 = 10.0;

/// Adds the remarks on the certificates of runs to their reports, and words why there are none.
pub(crate) fn on_certificates(runs: &mut [RunReport], given: bool) {
    for run in runs {
        run.word(&CommandDoor);
        let remarks = on_certificate(run, given);
        run.remarks.extend(remarks);
    }
}

fn on_certificate(report: &RunReport, given: bool) -> Vec<Remark> {
    let vacuous = match &report.certificate {
        Some(Certified::Bound(c)) if c.is_vacuous() => Some(vacuous(report, given)),
        _ => None,
    };
    vacuous.into_iter().chain(noise_control(report)).collect()
}

fn vacuous(report: &RunReport, given: bool) -> Remark {
    let (what, remedy) = if report.classes.is_some() {
        (
            "sum of the bounds of all classes",
            "--positive LABEL certifies one class by itself",
        )
    } else if given {
        (
            "bound",
            "without --comparator the best vector is looked for",
        )
    } else {
        (
            "bound",
            "a constant feature (--bias 1), rows of length 1 (--normalize 2) or more rows may make it smaller",
        )
    };
    Remark {
        kind: "vacuous",
        text: format!("the {what} is at least the number of trials, so it says nothing; {remedy}"),
    }
}

/// ROMMA and the maximum margin algorithm without noise control, where the margin of the rows is small or none.
fn noise_control(report: &RunReport) -> Option<Remark> {
    let name = report
        .spec
        .split([':', '(', '@'])
        .next()
        .unwrap_or_default();
    if !["romma", "max-margin"].contains(&name) || report.parameters.real("noise") > 0.0 {
        return None;
    }
    let whole = report.certificate.iter();
    let each = report.classes.iter().flatten();
    let each = each.filter_map(|class| class.certificate.as_ref());
    let (mut inseparable, mut loose) = (false, false);
    for certified in whole.chain(each) {
        match certified {
            Certified::Not(reason) => inseparable |= reason.why.is_inseparable(),
            Certified::Bound(c) => loose |= c.bound >= LOOSE * c.counted.max(1) as f64,
        }
    }
    let why = if inseparable {
        "no vector was found that separates the rows, and without noise control the theorem needs one"
    } else if loose {
        "the bound is at least 10 times the mistakes, for the margin of the rows is small; noise control needs none"
    } else {
        return None;
    };
    let flag = if report.parameters.is_on("aggressive") {
        "aggressive,"
    } else {
        ""
    };
    Some(Remark {
        kind: "noise-control",
        text: format!(
            "{why}: try noise= (the theorem's lambda) of about the squared length of a row, as in {name}:{flag}noise=1 with --normalize 2"
        ),
    })
}

/// Says each remark once; of several runs, with the learners it is about.
pub(crate) fn say(runs: &[RunReport], progress: &Progress) {
    let mut said: Vec<(&Remark, Vec<&str>)> = Vec::new();
    for run in runs {
        for remark in &run.remarks {
            match said.iter_mut().find(|(other, _)| *other == remark) {
                Some((_, specs)) => specs.push(&run.spec),
                None => said.push((remark, vec![&run.spec])),
            }
        }
    }
    for (remark, specs) in said {
        if runs.len() > 1 {
            progress.always(&format!("{}: {}", specs.join(", "), remark.text));
        } else {
            progress.always(&remark.text);
        }
    }
}
