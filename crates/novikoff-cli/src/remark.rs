//! Remarks on data, runs and models, in the words of the command: for the person on stderr, for machines in the report.

use novikoff::quantity::{count, plural};
use novikoff::remark::{AgainstBaseline, Remark, ResultRemark, no_better};
use novikoff_report::{Noted, RunReport};

use crate::progress::Progress;
use crate::words::{CommandDoor, said};

/// A remark with its remedy.
pub(crate) fn text(remark: &Remark) -> String {
    said(remark, Some(&remark.remedy()))
}

/// Words the remarks of a report.
pub(crate) fn word(remarks: &mut [Noted]) {
    for noted in remarks {
        noted.word(&CommandDoor);
    }
}

/// Words what runs of a comparison have to say, and says each remark once, with the learners it is about.
pub(crate) fn say(runs: &mut [RunReport], progress: &Progress) {
    for run in runs.iter_mut() {
        run.word(&CommandDoor);
    }
    let mut said: Vec<Shared<'_>> = Vec::new();
    for run in &*runs {
        for noted in &run.remarks {
            match said.iter_mut().find(|shared| shared.is_like(noted)) {
                Some(shared) => shared.all.push((&run.spec, noted)),
                None => said.push(Shared {
                    all: vec![(&run.spec, noted)],
                }),
            }
        }
    }
    for shared in said {
        progress.always(&shared.text());
    }
}

/// Remarks on several learners that say the same with other counts.
struct Shared<'r> {
    all: Vec<(&'r str, &'r Noted)>,
}

impl<'r> Shared<'r> {
    fn is_like(&self, noted: &'r Noted) -> bool {
        let Some((_, first)) = self.all.first() else {
            return false;
        };
        let counts = |noted: &Noted| errors_of(&noted.remark).is_some();
        first.text == noted.text
            || (counts(first) && counts(noted) && first.remark.kind() == noted.remark.kind())
    }

    fn text(&self) -> String {
        let specs: Vec<&str> = self.all.iter().map(|(spec, _)| *spec).collect();
        let (specs, noted) = (specs.join(", "), self.all[0].1);
        let errors = self.all.iter().map(|(_, noted)| errors_of(&noted.remark));
        let errors: Option<Vec<u64>> = errors.collect();
        let range = errors.and_then(|errors| Some((*errors.iter().min()?, *errors.iter().max()?)));
        let Some((least, most)) = range.filter(|(least, most)| least < most) else {
            return format!("{specs}: {}", noted.text);
        };
        let fewest = least;
        let (least, most) = (count(least), count(most));
        let facts = match &noted.remark {
            Remark::NoConstant { against } => format!(
                "no constant feature was asked for, and the validation errors, {least} to {most}, are more than half of the {}",
                answering(against)
            ),
            Remark::Baseline { against, .. } => format!(
                "the validation errors, {least} to {most}, are {} the {}",
                no_better(fewest, against.baseline),
                answering(against)
            ),
            Remark::Result(ResultRemark::Baseline {
                errors,
                baseline,
                label,
                ..
            }) => format!(
                "the test errors on {}, {least} to {most}, are {} the {} of always answering {label}",
                plural(errors.rows, "row"),
                no_better(fewest, *baseline),
                count(*baseline)
            ),
            Remark::Order(order) => order.beside(&format!("these runs make {least} to {most}")),
            _ => noted.text.clone(),
        };
        let facts = format!("{specs}: {facts}");
        said(&facts, Some(&noted.remark.remedy()))
    }
}

/// `12 of always answering yes`.
fn answering(against: &AgainstBaseline) -> String {
    let label = &against.label;
    format!(
        "{} of always answering the most frequent label so far ({label})",
        count(against.baseline)
    )
}

/// The errors that a remark counts, if it compares them with a baseline.
fn errors_of(remark: &Remark) -> Option<u64> {
    match remark {
        Remark::Baseline { against, .. } | Remark::NoConstant { against } => Some(against.errors),
        Remark::Result(ResultRemark::Baseline { errors, .. }) => Some(errors.errors),
        Remark::Order(order) => order.errors(),
        _ => None,
    }
}
