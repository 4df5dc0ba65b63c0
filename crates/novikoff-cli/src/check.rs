//! `novikoff certify --check`: a certificate against the data, the trace and U.

use std::io::{Write as _, stdout};
use std::path::Path;

use novikoff::certify::Effort;
use novikoff_engine::Context;
use novikoff_engine::check::Check;
use novikoff_engine::data::Data;
use novikoff_report::{check_json, check_text};

use crate::args::{CertifyArgs, EffortWord, RunArgs};
use crate::error::Failure;
use crate::interrupt;

pub(crate) fn check(args: &CertifyArgs, file: &Path) -> Result<(), Failure> {
    refuse_flags(args)?;
    let proof = &args.end.proof;
    let job = Check {
        certificate: file.to_owned(),
        data: Data::named(&args.data)?,
        trace: args.trace.clone(),
        comparator: proof.comparator.clone(),
        effort: match proof.certify {
            Some(EffortWord::Quick) => Effort::Quick,
            _ => Effort::Full,
        },
        run: args.run.options()?,
        rows: args.rows.options(),
    };
    let progress = args.rows.progress();
    let interrupt = interrupt::listen();
    let checked = progress.during(|| job.run(Context::new(&progress, &interrupt)))?;
    let text = if args.run.json {
        format!("{}\n", check_json(&checked))
    } else {
        check_text(&checked)
    };
    stdout().lock().write_all(text.as_bytes())?;
    if checked.agrees() {
        Ok(())
    } else {
        Err(Failure::Check(format!(
            "{}: the certificate is not what the data, the trace and U say",
            file.display()
        )))
    }
}

/// Flags that a certificate leaves nothing to say about.
fn refuse_flags(args: &CertifyArgs) -> Result<(), Failure> {
    let RunArgs {
        epochs,
        kernel,
        map,
        bias,
        standardize,
        normalize,
        shuffle,
        permutations,
        ..
    } = &args.run;
    let (proof, end) = (&args.end.proof, &args.end);
    let given = [
        ("--epochs", epochs.is_some()),
        ("--kernel", kernel.is_some()),
        ("--map", map.is_some()),
        ("--bias", bias.is_some()),
        ("--standardize", *standardize),
        ("--normalize", normalize.is_some()),
        ("--shuffle", shuffle.is_some()),
        ("--permutations", permutations.is_some()),
        ("--test", args.test.test.is_some()),
        ("--save-comparator", args.save.save_comparator.is_some()),
        ("--require-certificate", proof.require_certificate),
        ("--report", end.report.is_some()),
        ("--plots", end.plots.is_some()),
    ];
    match given.iter().find(|(_, given)| *given) {
        None => Ok(()),
        Some((flag, _)) => Err(format!(
            "{flag}: --check takes what it must know of the run from the certificate; leave {flag} out"
        )
        .into()),
    }
}
