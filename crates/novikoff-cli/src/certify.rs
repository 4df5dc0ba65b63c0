//! `novikoff certify`: a run that ends in its certificate; and what was required of certificates.

use novikoff_report::{Certified, RunReport};

use crate::args::{CertifyArgs, EffortWord, ProofArgs};
use crate::error::Failure;
use crate::train::{self, Words};

pub(crate) fn certify(args: &CertifyArgs) -> Result<(), Failure> {
    let mut end = args.end.clone();
    end.proof.certify.get_or_insert(EffortWord::Full);
    train::fit(&Words {
        data: &args.data,
        spec: Some(&args.spec),
        output: None,
        resume: None,
        checkpoint: None,
        trace: None,
        run: &args.run,
        end: &end,
        spool: &args.spool,
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
        match &report.certificate {
            Some(Certified::Bound(c)) if c.holds() || c.expected => {}
            Some(Certified::Bound(c)) => {
                let (made, bound) = (c.counted, c.bound);
                return Err(Failure::Check(format!(
                    "{spec}: {made} mistakes, but theorem {} allows at most {bound}; that is a fault of novikoff, please report it",
                    c.theorem
                )));
            }
            Some(Certified::Not(why)) => {
                return Err(Failure::Check(format!("{spec}: no certificate: {why}")));
            }
            None => return Err(Failure::Check(format!("{spec}: no certificate"))),
        }
    }
    Ok(())
}
