//! A certificate against the data, the trace and U.
//!
//! What it is compared with is computed by `novikoff-check`, which shares no code with what found it.

mod claim;
mod composed;
mod evidence;
mod majority;

use std::path::PathBuf;

use novikoff::certify::Effort;
use novikoff::parameter::{Parameter, Parameters};
use novikoff::resolve::Unresolved;
use novikoff::spec::Spec;
use novikoff_check::{Run, differences, evaluate, multiplications};
use novikoff_report::{CheckFound, CheckReport, CheckedClass};

use crate::Error;
use crate::data::Data;
use crate::events::Context;
use crate::first_rows::FirstRows;
use crate::labels::Unlabelled;
use crate::options::{RowOptions, RunOptions, no_rows};
use crate::row_settings;
use claim::{Claimed, ClaimedClass};
use evidence::EvidenceSource;

/// Multiplications beyond which a check is refused.
const WORK: f64 = 1e12;

/// A certificate to be checked.
#[derive(Clone, Debug)]
pub struct Check {
    /// What a certified run printed, as JSON.
    pub certificate: PathBuf,
    /// The rows of that run.
    pub data: Data,
    /// Its trace; where the certificate says it is if none.
    pub trace: Option<PathBuf>,
    /// Its comparator; where the certificate says it is if none.
    pub comparator: Option<PathBuf>,
    /// How hard to look for a comparator that was not saved.
    pub effort: Effort,
    /// Labels and features of the run; the rest is taken from the certificate.
    pub run: RunOptions,
    /// How rows are read.
    pub rows: RowOptions,
}

impl Check {
    /// Recomputes the certificate.
    pub fn run(&self, context: Context<'_>) -> Result<CheckReport, Error> {
        let claimed = Claimed::read(&self.certificate)?;
        let mut as_claimed = self.clone();
        if let Some(rows) = &claimed.rows {
            row_settings::apply(rows, &mut as_claimed.rows, &mut as_claimed.run)?;
        }
        as_claimed.against(&claimed, context)
    }

    /// Recomputes a certificate whose rows are read as these options say.
    fn against(&self, claimed: &Claimed, context: Context<'_>) -> Result<CheckReport, Error> {
        let spec = Spec::parse(&claimed.spec)?;
        if claimed.is_of_majority() {
            return self.majority(claimed, context);
        }
        let mut run = self.run.clone();
        claimed.set(&mut run)?;
        let memory = self.rows.memory;
        let preparation = run.preparation();
        let mut reading = self.rows.reading(preparation.bias, context);
        reading.options.centred = run.standardize;
        self.data.measure(&mut reading)?;
        let unlabelled = Unlabelled::of(run.task.as_ref());
        let held = self.data.load(&reading, memory, unlabelled, context)?;
        if held.is_empty() {
            return Err(no_rows());
        }
        let preparation = run.fitted(&preparation, &held, memory)?;
        let width = run.features.unwrap_or(held.width());
        let unresolved = Unresolved {
            spec: &spec,
            kernel: run.kernel_for(&spec),
            width: Some(width),
            preparation: &preparation,
            map: None,
            memory: 0,
            parts: run.part_defaults(),
        };
        let resolved = unresolved.resolve(Some(FirstRows::of(&held).view()))?;
        let parameters = resolved.parameters;
        let mut general = claimed.about_data(&held);
        if claimed.by_epoch.len() != claimed.epochs as usize {
            // nothing else can be said of trials that are not there
            return Ok(CheckReport {
                classes: Vec::new(),
                differences: general,
            });
        }
        general.extend(claimed.about_parameters(&parameters));
        let evidence = EvidenceSource {
            check: self,
            claimed,
            run: &run,
            spec: &spec,
            parameters: &parameters,
            preparation: &preparation,
            held: &held,
            reading: &reading,
            context,
        };
        let gathered = evidence.gather()?;
        general.extend(gathered.differences.iter().cloned());
        let numbers = claimed_parameters(&parameters);
        let appeared = if claimed.is_binary {
            Vec::new()
        } else {
            gathered.appeared()
        };
        let mut classes = Vec::new();
        for (class, seen) in claimed.classes.iter().zip(&gathered.classes) {
            evidence.look_up()?;
            let kernel = novikoff_check::Kernel::parse(&claimed.kernel);
            let run = Run {
                learner: spec.name(),
                parameters: &numbers,
                kernel: kernel.map_err(Error::plain)?,
                rows: &gathered.rows,
                labels: &seen.labels,
                trials: &seen.trials,
                appeared: &appeared,
                comparator: &seen.comparator,
            };
            classes.push(line(class, &run, &seen.differences)?);
        }
        let bounds: Vec<f64> = classes.iter().map(|class| class.claimed).collect();
        general.extend(claimed.about_sums(&bounds));
        Ok(CheckReport {
            classes,
            differences: general,
        })
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

/// An error if checking takes too long.
fn within_reach(class: &str, run: &Run<'_>, theorem: &str) -> Result<(), Error> {
    // a theorem that is not there is said below
    let work = multiplications(run, theorem).unwrap_or(0.0);
    if work > WORK {
        let what = format!(
            "class {class}: checking takes some {work:.0e} multiplications, and {WORK:.0e} are done"
        );
        return Err(Error::refused(what, "certify a part of the run"));
    }
    Ok(())
}

/// One class, recomputed.
fn line(class: &ClaimedClass, run: &Run<'_>, before: &[String]) -> Result<CheckedClass, Error> {
    let theorem = &class.claim.theorem;
    within_reach(&class.name, run, theorem)?;
    let mut all = before.to_vec();
    let found = match evaluate(run, theorem) {
        Ok(found) => {
            all.extend(differences(&class.claim, &found));
            Some(CheckFound {
                mistakes: found.mistakes,
                bound: found.bound,
            })
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
    Ok(CheckedClass {
        class: class.name.clone(),
        theorem: theorem.clone(),
        claimed: class.claim.bound,
        found,
        differences: all,
    })
}
