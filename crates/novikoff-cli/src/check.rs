//! `novikoff certify --check`: a certificate against the data, the trace and U.
//!
//! What it is compared with is computed by `novikoff-check`, which shares no code with what found it.

mod claim;
mod evidence;

use std::fmt::Write as _;
use std::io::{Write as _, stdout};
use std::path::Path;

use novikoff::model::Preparation;
use novikoff::parameter::{Parameter, Parameters};
use novikoff::spec::Spec;
use novikoff_check::{Evaluated, Run, differences, evaluate, multiplications};
use serde_json::json;

use crate::args::{CertifyArgs, RunArgs};
use crate::error::Failure;
use crate::input::Data;
use crate::job;
use crate::labelled::Bare;
use crate::progress::Progress;
use claim::{Claimed, ClaimedClass};
use evidence::Evidence;

/// Multiplications beyond which a check is refused.
const WORK: f64 = 1e12;

/// What came out for one class.
struct Line {
    class: String,
    theorem: String,
    claimed: f64,
    found: Option<Evaluated>,
    differences: Vec<String>,
}

pub(crate) fn check(args: &CertifyArgs, file: &Path) -> Result<(), Failure> {
    refuse_flags(args)?;
    let claimed = Claimed::read(file)?;
    let spec = Spec::parse(&claimed.spec)?;
    let mut run = args.run.clone();
    claimed.set(&mut run);
    let progress = Progress::new(args.rows.quiet).verbose(args.rows.verbose);
    let memory = job::memory(args.rows.max_memory);
    let preparation = run.preparation()?;
    let data = Data::named(&args.data)?;
    let reading = args.rows.reading(preparation.bias);
    let task = run.task()?;
    let held = data.load(&reading, memory, Bare::of(task.as_ref()), &progress)?;
    if held.is_empty() {
        return Err(job::no_rows());
    }
    let preparation = run.fitted(&preparation, &held, memory)?;
    let width = run.features.unwrap_or(held.width());
    let parameters = spec.parameters(Some(width))?;
    let mut general = claimed.about_data(&held);
    general.extend(claimed.about_parameters(&parameters));
    let evidence = Evidence {
        args,
        claimed: &claimed,
        run: &run,
        spec: &spec,
        parameters: &parameters,
        preparation: &preparation,
        data: &data,
        held: &held,
        reading: &reading,
        memory,
        progress: &progress,
    };
    let gathered = evidence.gather()?;
    general.extend(gathered.differences.iter().cloned());
    let numbers = claimed_parameters(&parameters);
    let mut lines = Vec::new();
    for (class, seen) in claimed.classes.iter().zip(&gathered.classes) {
        let run = Run {
            learner: spec.name(),
            parameters: &numbers,
            kernel: novikoff_check::Kernel::parse(&claimed.kernel)?,
            rows: &gathered.rows,
            labels: &seen.labels,
            trials: &seen.trials,
            comparator: &seen.comparator,
        };
        lines.push(line(class, &run, &seen.differences)?);
    }
    general.extend(claimed.about_sums(&lines_of(&lines)));
    report(&lines, &general, args.run.json)?;
    let agrees = general.is_empty() && lines.iter().all(|line| line.differences.is_empty());
    if agrees {
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
        bias,
        standardize,
        normalize,
        shuffle,
        permutations,
        test,
        ..
    } = &args.run;
    let (proof, end) = (&args.end.proof, &args.end);
    let given = [
        ("--epochs", epochs.is_some()),
        ("--kernel", kernel.is_some()),
        ("--bias", bias.is_some()),
        ("--standardize", *standardize),
        ("--normalize", normalize.is_some()),
        ("--shuffle", shuffle.is_some()),
        ("--permutations", permutations.is_some()),
        ("--test", test.is_some()),
        ("--save-comparator", args.save.save_comparator.is_some()),
        ("--require-certificate", proof.require_certificate),
        ("--report", end.report.is_some()),
        ("--plots", end.plots.is_some()),
    ];
    match given.iter().find(|(_, given)| *given) {
        None => Ok(()),
        Some((flag, _)) => Err(format!(
            "{flag}: --check repeats no run, and takes what it must know of it from the certificate; leave {flag} out"
        )
        .into()),
    }
}

fn claimed_parameters(parameters: &Parameters) -> Vec<(String, novikoff_check::Parameter)> {
    let parameter = |(name, value): (&str, &Parameter)| {
        let value = match value {
            Parameter::Real(number) => novikoff_check::Parameter::Number(*number),
            Parameter::Word(word) => novikoff_check::Parameter::Word(word.clone()),
        };
        (name.to_owned(), value)
    };
    parameters.iter().map(parameter).collect()
}

/// One class, recomputed.
fn line(class: &ClaimedClass, run: &Run<'_>, before: &[String]) -> Result<Line, Failure> {
    let theorem = &class.claim.theorem;
    let work = multiplications(run, theorem);
    if work > WORK {
        return Err(format!(
            "class {}: checking takes some {work:.0e} multiplications, and {WORK:.0e} are done; certify a part of the run",
            class.name
        )
        .into());
    }
    let mut all = before.to_vec();
    let found = match evaluate(run, theorem) {
        Ok(found) => {
            all.extend(differences(&class.claim, &found));
            Some(found)
        }
        Err(why) => {
            all.push(format!("theorem: claimed {theorem}, but {why}"));
            None
        }
    };
    let counted = |wanted: fn(&novikoff_check::Trial) -> bool| {
        run.trials.iter().filter(|t| wanted(t)).count() as u64
    };
    let (mistakes, updates) = (counted(|t| t.mistake), counted(|t| t.updated));
    for (what, claimed, made) in [
        ("mistakes of the run", class.mistakes, mistakes),
        ("updates of the run", class.updates, updates),
    ] {
        if claimed != made {
            all.push(format!("{what}: claimed {claimed}, recomputed {made}"));
        }
    }
    Ok(Line {
        class: class.name.clone(),
        theorem: theorem.clone(),
        claimed: class.claim.bound,
        found,
        differences: all,
    })
}

/// Bounds of the classes, as far as they could be recomputed.
fn lines_of(lines: &[Line]) -> Vec<f64> {
    lines.iter().map(|line| line.claimed).collect()
}

fn report(lines: &[Line], general: &[String], is_json: bool) -> Result<(), Failure> {
    let agrees = |all: &[String]| all.is_empty();
    let mut text = String::new();
    if is_json {
        let classes = lines.iter().map(|line| {
            json!({
                "class": line.class,
                "theorem": line.theorem,
                "mistakes": line.found.as_ref().map(|found| found.mistakes),
                "claimed": line.claimed,
                "recomputed": line.found.as_ref().map(|found| found.bound),
                "agrees": agrees(&line.differences),
                "differences": line.differences,
            })
        });
        let classes: Vec<serde_json::Value> = classes.collect();
        let all = agrees(general) && lines.iter().all(|line| agrees(&line.differences));
        let report = json!({"agrees": all, "differences": general, "classes": classes});
        text = format!("{report}\n");
    } else {
        // writing to a String cannot fail
        for difference in general {
            let _ = writeln!(text, "differs: {difference}");
        }
        for line in lines {
            let (class, theorem, claimed) = (&line.class, &line.theorem, line.claimed);
            let said = match &line.found {
                Some(found) => format!(
                    "{} mistakes, bound claimed {claimed}, recomputed {}",
                    found.mistakes, found.bound
                ),
                None => format!("bound claimed {claimed}, not recomputed"),
            };
            let verdict = if agrees(&line.differences) {
                "agrees".to_owned()
            } else {
                format!("differs: {}", line.differences.join("; "))
            };
            let _ = writeln!(text, "class {class}: {theorem}, {said}: {verdict}");
        }
    }
    Ok(stdout().lock().write_all(text.as_bytes())?)
}

/// The preparation of rows, applied.
fn prepared(held: &crate::input::Held, preparation: &Preparation) -> Vec<novikoff_check::Row> {
    let mut buffer = Vec::new();
    let mut rows = Vec::with_capacity(held.len());
    for block in held.blocks() {
        for i in 0..block.len() {
            rows.push(
                preparation
                    .apply(block.row(i), &mut buffer)
                    .iter()
                    .collect(),
            );
        }
    }
    rows
}
