//! `novikoff certify`: a run that ends in its certificate; and what was required of certificates.

use novikoff::certificate::Verdict;
use novikoff_report::{Certified, RunReport};

use crate::args::{CertifyArgs, EffortWord, ProofArgs};
use crate::error::Failure;
use crate::train::{self, FitArgs};

pub(crate) fn certify(args: &CertifyArgs) -> Result<(), Failure> {
    if let Some(file) = &args.check {
        return crate::check::check(args, file);
    }
    let mut end = args.end.clone();
    end.proof.certify.get_or_insert(EffortWord::Full);
    train::fit(&FitArgs {
        data: &args.data,
        spec: args.spec.as_deref(),
        output: None,
        resume: None,
        checkpoint: None,
        trace: args.trace.as_ref(),
        save: &args.save,
        run: &args.run,
        test: &args.test,
        split: None,
        end: &end,
        spool: &args.spool,
        lenient: args.lenient,
        rows: &args.rows,
    })
}

/// An error if a certificate was required and there is none, or the run did not keep to it.
pub(crate) fn require<'r>(
    proof: &ProofArgs,
    reports: impl IntoIterator<Item = &'r RunReport>,
) -> Result<(), Failure> {
    if !proof.require_certificate {
        return Ok(());
    }
    for report in reports {
        let spec = &report.spec;
        let verdict = report.certificate.as_ref().map(Certified::verdict);
        let why = match verdict {
            // what is expected is no promise about one run
            Some(Verdict::Holds | Verdict::Expected) => continue,
            Some(Verdict::None { reason }) => format!("no certificate: {reason}"),
            Some(Verdict::Violated) => {
                "more than its theorem allows; that is an error in the program, please report it"
                    .to_owned()
            }
            None => "no certificate".to_owned(),
        };
        return Err(Failure::Check(format!("{spec}: {why}")));
    }
    Ok(())
}
