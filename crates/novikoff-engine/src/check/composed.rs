//! The bound of a majority through the theorem of an expert: that expert's certificate is recomputed too.

use novikoff::classes::Task;
use novikoff::preparation::Preparation;
use novikoff::resolve::Unresolved;
use novikoff::spec::Spec;
use novikoff_check::{Kernel, MajorityFound, Recomputed, Run, differences, evaluate};

use super::claim::{Claimed, ClaimedComposed};
use super::evidence::EvidenceSource;
use super::majority::{as_alone, is_near};
use super::{Check, claimed_parameters, within_reach};
use crate::Error;
use crate::data::Reading;
use crate::events::Context;
use crate::first_rows::FirstRows;
use crate::options::RunOptions;
use crate::rows::HeldRows;

/// The run of a majority, as an expert's certificate is checked against it.
pub(super) struct MajorityContext<'a> {
    pub(super) check: &'a Check,
    pub(super) claimed: &'a Claimed,
    pub(super) run: &'a RunOptions,
    /// What was done to the rows before the experts.
    pub(super) shared: &'a Preparation,
    pub(super) held: &'a HeldRows,
    pub(super) reading: &'a Reading,
    pub(super) task: &'a Task,
    /// The labels of the classes.
    pub(super) labels: &'a [String],
    pub(super) context: Context<'a>,
}

impl MajorityContext<'_> {
    /// What differs from what is claimed of the bound through an expert.
    pub(super) fn compare_composed(
        &self,
        composed: &ClaimedComposed,
        found: &MajorityFound,
    ) -> Result<Vec<String>, Error> {
        let mut all = Vec::new();
        let text = &composed.spec;
        let runs =
            |expert: &super::majority::ClaimedExpert| expert.0 == *text && expert.2.is_none();
        if !self.claimed.experts.iter().any(runs) {
            all.push(format!("composed: {text} is no expert that ran to the end"));
            return Ok(all);
        }
        if composed.claim.expected {
            all.push(format!(
                "composed: the bound of {text} is of what is expected"
            ));
        }
        let (bound, is) = (
            composed.bound,
            composed.claim.bound * found.line.0 + found.line.1,
        );
        if !is_near(bound, is) {
            all.push(format!("composed: claimed {bound}, recomputed {is}"));
        }
        let of_expert = self.of_expert(composed)?;
        all.extend(of_expert.iter().map(|what| format!("{text}: {what}")));
        Ok(all)
    }

    /// What differs in the certificate of the expert alone. Its run is repeated, and U is looked for again.
    fn of_expert(&self, composed: &ClaimedComposed) -> Result<Vec<String>, Error> {
        let spec = Spec::parse(&composed.spec)?;
        let (mut run, preparation) = as_alone(self.run, self.shared, &spec);
        run.task = Some(self.task.clone());
        let unresolved = Unresolved {
            spec: &spec,
            kernel: run.kernel_for(&spec),
            width: Some(run.features.unwrap_or(self.held.width())),
            preparation: &preparation,
            map: None,
            memory: 0,
            parts: run.part_defaults(),
        };
        let resolved = unresolved.resolve(Some(FirstRows::of(self.held).view()))?;
        let is_binary = matches!(self.task, Task::Binary { .. });
        let names = if is_binary {
            composed.class.iter().cloned().collect()
        } else {
            self.labels.to_vec()
        };
        let claimed = self.claimed.of_expert(composed, names);
        let check = Check {
            trace: None,
            comparator: None,
            ..self.check.clone()
        };
        let evidence = EvidenceSource {
            check: &check,
            claimed: &claimed,
            run: &run,
            spec: &spec,
            parameters: &resolved.parameters,
            preparation: &preparation,
            held: self.held,
            reading: self.reading,
            // that its run is repeated is no news
            context: self.context.quiet(),
        };
        // counts of epochs are not claimed of an expert
        let gathered = evidence.gather()?;
        let numbers = claimed_parameters(&resolved.parameters);
        let kernel = Kernel::parse(&resolved.kernel.to_string()).map_err(Error::plain)?;
        let appeared = if is_binary {
            Vec::new()
        } else {
            gathered.appeared()
        };
        let (mut bounds, mut all) = (Vec::new(), Vec::new());
        for (class, seen) in claimed.classes.iter().zip(&gathered.classes) {
            evidence.look_up()?;
            let run = Run {
                learner: spec.name(),
                parameters: &numbers,
                kernel,
                rows: &gathered.rows,
                labels: &seen.labels,
                trials: &seen.trials,
                appeared: &appeared,
                comparator: &seen.comparator,
            };
            let Some(found) = least(&class.name, &run, &composed.claim.theorem)? else {
                let theorem = &composed.claim.theorem;
                all.push(format!(
                    "theorem: claimed {theorem}, which says nothing here"
                ));
                return Ok(all);
            };
            if is_binary {
                all.extend(differences(&composed.claim, &found));
            }
            bounds.push(found.bound);
        }
        let sum: f64 = bounds.iter().sum();
        if bounds.is_empty() || !(is_binary || is_near(composed.claim.bound, sum)) {
            let claimed = composed.claim.bound;
            all.push(format!("bound: claimed {claimed}, recomputed {sum}"));
        }
        Ok(all)
    }
}

/// The smallest bound of a class by the theorems that are named, if one of them applies.
fn least(class: &str, run: &Run<'_>, theorems: &str) -> Result<Option<Recomputed>, Error> {
    let mut least: Option<Recomputed> = None;
    for theorem in theorems.split(", ") {
        within_reach(class, run, theorem)?;
        if let Ok(found) = evaluate(run, theorem)
            && least.as_ref().is_none_or(|best| found.bound < best.bound)
        {
            least = Some(found);
        }
    }
    Ok(least)
}
