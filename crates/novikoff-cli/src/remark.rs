//! Remarks on data, runs and models, in the words of the command: for the person on stderr, for machines in the report.

use novikoff::remark::Remark;
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
    let mut said: Vec<(&str, Vec<&str>)> = Vec::new();
    for run in &*runs {
        for noted in &run.remarks {
            match said.iter_mut().find(|(text, _)| *text == noted.text) {
                Some((_, specs)) => specs.push(&run.spec),
                None => said.push((&noted.text, vec![&run.spec])),
            }
        }
    }
    for (text, specs) in said {
        progress.always(&format!("{}: {text}", specs.join(", ")));
    }
}
