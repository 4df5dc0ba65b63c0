//! What a finished run makes worth saying.

use novikoff::remark::Remark;
use novikoff_report::{Certified, RunReport};

/// Noise control is worth a try where a bound is at least this multiple of the mistakes.
const LOOSE: f64 = 10.0;

/// What is worth saying of a run; `given` if its comparator was.
pub(crate) fn of_run(report: &RunReport, given: bool) -> Vec<Remark> {
    let vacuous = match &report.certificate {
        Some(Certified::Bound(c)) if c.is_vacuous() => Some(Remark::Vacuous {
            classes: report.classes.is_some(),
            given,
        }),
        _ => None,
    };
    vacuous.into_iter().chain(noise_control(report)).collect()
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
    let flag = if report.parameters.is_on("aggressive") {
        "aggressive,"
    } else {
        ""
    };
    (inseparable || loose).then(|| Remark::NoiseControl {
        inseparable,
        spec: format!("{name}:{flag}noise=1"),
    })
}
