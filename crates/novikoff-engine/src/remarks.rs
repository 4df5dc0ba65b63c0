//! What a finished run makes worth saying.

use novikoff::kernel::Kernel;
use novikoff::preparation::Preparation;
use novikoff::remark::{AgainstBaseline, Remark};
use novikoff_report::{Certified, RunReport, Validated};

/// Noise control is worth a try where a bound is at least this multiple of the mistakes.
const LOOSE: f64 = 10.0;

/// What is worth saying of a run of a model with this preparation; `given` if its comparator was.
pub(crate) fn of_run(report: &RunReport, preparation: &Preparation, given: bool) -> Vec<Remark> {
    let vacuous = match &report.certificate {
        Some(Certified::Bound(c)) if c.is_vacuous() => Some(Remark::Vacuous {
            classes: report.classes.is_some(),
            given,
        }),
        _ => None,
    };
    let mut remarks = against_baseline(report, preparation);
    remarks.extend(vacuous.into_iter().chain(noise_control(report)));
    remarks
}

/// Validation errors that are no better than the baseline's, or more than half of them without a constant feature. A kernel other than the linear one
/// is not in need of one.
fn against_baseline(report: &RunReport, preparation: &Preparation) -> Vec<Remark> {
    let (Validated::Counted(counted), Some(baseline)) = (&report.validation, &report.baseline)
    else {
        return Vec::new();
    };
    let errors = counted.errors;
    let against = || AgainstBaseline {
        errors,
        baseline: baseline.errors,
        label: baseline.label.clone(),
    };
    let mut remarks = Vec::new();
    if errors > 0 && errors >= baseline.errors {
        remarks.push(Remark::Baseline {
            against: against(),
            standardized: preparation.standardize.is_some(),
        });
    }
    let is_linear = report.kernel == Kernel::LINEAR.to_string();
    if is_linear && preparation.bias.is_none() && 2 * errors > baseline.errors {
        remarks.push(Remark::NoConstant { against: against() });
    }
    remarks
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
