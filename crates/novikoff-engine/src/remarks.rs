//! What a finished run makes worth saying.

use novikoff::classes::Counts;
use novikoff::kernel::Kernel;
use novikoff::learner::RetiredBecause;
use novikoff::remark::{Advice, AgainstBaseline, Errors, Remark, ResultRemark};
use novikoff::spec::Spec;
use novikoff_report::{Certified, RunReport, Validated};

use crate::counted_work::{Scale, WORK};
use crate::profile::Following;
use crate::worth;

/// What is known beside the report of a run.
#[derive(Clone, Debug)]
pub(crate) struct Around {
    /// Rows lack a constant feature.
    pub(crate) lacks_constant: bool,
    /// How labels follow each other, if they do.
    pub(crate) following: Following,
    /// What may do better.
    pub(crate) advice: Advice,
    /// The comparator was given.
    pub(crate) given: bool,
    /// Values per row.
    pub(crate) values: f64,
}

/// What is worth saying of a run.
pub(crate) fn of_run(report: &RunReport, around: Around) -> Vec<Remark> {
    let Around {
        lacks_constant,
        following,
        advice,
        given,
        values,
    } = around;
    let vacuous = match &report.certificate {
        Some(Certified::Bound(c)) if c.is_vacuous() => Some(Remark::Vacuous {
            classes: report.classes.is_some(),
            given,
        }),
        _ => None,
    };
    let mut remarks = against_baseline(report, lacks_constant, advice);
    remarks.extend(row_before_of(report, following));
    remarks.extend(worth::gap(report));
    remarks.extend(vacuous.into_iter().chain(noise_control(report, values)));
    remarks.extend(refused(report, values));
    remarks.extend(weights_leave_out(report));
    remarks
}

/// Learners of a majority that were retired because rows have weights.
fn weights_leave_out(report: &RunReport) -> Option<Remark> {
    let experts = &report.panel.as_ref()?.experts;
    let reasons = experts.iter().filter_map(|expert| expert.retired);
    let left_out = reasons
        .filter(|retired| retired.because == RetiredBecause::Weight)
        .count();
    let remark = ResultRemark::WeightsLeaveOut {
        left_out: left_out as u64,
        learners: experts.len() as u64,
    };
    (left_out > 0).then_some(Remark::Result(remark))
}

/// Validation errors that are no better than the baseline's, or more than half of them without a constant feature. A kernel other than the linear one
/// is not in need of one.
fn against_baseline(report: &RunReport, lacks_constant: bool, advice: Advice) -> Vec<Remark> {
    let Some(baseline) = &report.baseline else {
        return Vec::new();
    };
    let advice = advice.on(worth::share(baseline), report.data.classes == 2);
    let of_test = match (&report.test, &report.test_baseline) {
        (Some(test), Some(baseline)) => worth::of_test(test, baseline, advice),
        _ => None,
    };
    let Validated::Counted(counted) = &report.validation else {
        return of_test.into_iter().collect();
    };
    let errors = counted.errors;
    let against = || AgainstBaseline {
        errors,
        baseline: baseline.errors,
        label: baseline.label.clone(),
        rows: counted.rows,
        epochs: report.epochs.len(),
        paired: baseline.paired,
    };
    let mut remarks = Vec::new();
    if report.test_baseline.is_some() {
        // it says more than the first pass
        remarks.extend(of_test);
    } else if against().is_no_better() {
        remarks.push(Remark::Baseline {
            against: against(),
            advice,
        });
    }
    let is_linear = report.kernel == Kernel::LINEAR.to_string();
    // one error is that of the first row
    let is_above = baseline.errors > 1 && 2 * errors > baseline.errors;
    // weights of classes buy errors of one label with those of another
    if is_linear && lacks_constant && is_above && !advice.weighted {
        remarks.push(Remark::NoConstant { against: against() });
    }
    remarks
}

/// As [`worth::row_before`], of a run that has no test and is better than the baseline.
fn row_before_of(report: &RunReport, following: Following) -> Option<Remark> {
    let (Validated::Counted(counted), Some(baseline), None) =
        (&report.validation, &report.baseline, &report.test)
    else {
        return None;
    };
    let errors = Errors {
        errors: counted.errors,
        rows: counted.rows,
    };
    let is_worthless = errors.is_no_better_than(baseline.errors, baseline.paired);
    worth::row_before(errors, following).filter(|_| !is_worthless)
}

/// The share of mistakes from which on it is worth saying that they were not learned from.
const REFUSED: f64 = 0.1;

/// Rows that the maximum margin algorithm without noise control refused, for no vector has a margin on all that it would keep.
fn refused(report: &RunReport, values: f64) -> Option<Remark> {
    if name_of(report) != "max-margin" || report.parameters.real("noise") > 0.0 {
        return None;
    }
    let one = [report.total()];
    let classes = report.classes.iter().flatten();
    let classes: Vec<Counts> = classes.map(|class| sum(&class.epochs)).collect();
    let problems = if classes.is_empty() {
        &one[..]
    } else {
        &classes
    };
    let mistakes: u64 = problems.iter().map(|counts| counts.mistakes).sum();
    let times = problems.iter();
    let times: u64 = times
        .map(|counts| counts.mistakes.saturating_sub(counts.updates))
        .sum();
    (times > 0 && times as f64 >= REFUSED * mistakes as f64).then(|| {
        Remark::Result(ResultRemark::Refused {
            times,
            mistakes,
            spec: with_noise_control(report, "max-margin:noise=1", values),
        })
    })
}

/// Counts of several epochs.
fn sum(epochs: &[Counts]) -> Counts {
    epochs.iter().fold(Counts::default(), |sum, epoch| Counts {
        mistakes: sum.mistakes + epoch.mistakes,
        updates: sum.updates + epoch.updates,
    })
}

/// The name of its learner.
fn name_of(report: &RunReport) -> &str {
    let mut parts = report.spec.split([':', '(', '@']);
    parts.next().unwrap_or_default()
}

/// ROMMA and the maximum margin algorithm without noise control, where the rows have no margin, or one so small that the bound says nothing. A bound that says
/// something can be smaller than that of noise control, whose theorem has `R^2 + lambda` in the place of `R^2`.
fn noise_control(report: &RunReport, values: f64) -> Option<Remark> {
    let name = name_of(report);
    if !["romma", "max-margin"].contains(&name) || report.parameters.real("noise") > 0.0 {
        return None;
    }
    let whole = report.certificate.iter();
    let each = report.classes.iter().flatten();
    let each = each.filter_map(|class| class.certificate.as_ref());
    let (mut inseparable, mut vacuous) = (false, false);
    for certified in whole.chain(each) {
        match certified {
            Certified::Not(reason) => inseparable |= reason.why.is_inseparable(),
            Certified::Bound(c) => vacuous |= c.is_vacuous(),
        }
    }
    let flag = if report.parameters.is_on("aggressive") {
        "aggressive,"
    } else {
        ""
    };
    (inseparable || vacuous).then(|| Remark::NoiseControl {
        inseparable,
        spec: with_noise_control(report, &format!("{name}:{flag}noise=1"), values),
    })
}

/// A learner with noise control that may take the place of the one of a run: this one, or where its counted work is beyond what a comparison grants a
/// learner, ROMMA, whose work is that of the perceptron.
fn with_noise_control(report: &RunReport, spec: &str, values: f64) -> String {
    let is_quick = Spec::parse(spec)
        .ok()
        .zip(Kernel::parse(&report.kernel).ok());
    let is_quick = is_quick.is_some_and(|(spec, kernel)| {
        let work = Scale::of_run(report, values).work(&spec, kernel, 1.0);
        work.is_ok_and(|work| work <= WORK)
    });
    if is_quick { spec } else { "romma:noise=1" }.to_owned()
}
