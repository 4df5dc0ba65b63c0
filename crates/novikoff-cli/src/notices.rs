//! What the engine says while it works, in the words of the command.

use std::path::Path;

use novikoff::quantity::{count, plural};
use novikoff::table::ColumnKind;
use novikoff_engine::events::{LeftOut, Notice, Phase, Repeats};

use crate::reproduce;
use crate::words::{message, said};

/// The name of a phase.
pub(crate) fn phase(phase: Phase) -> &'static str {
    match phase {
        Phase::Reading => "reading",
        Phase::Caching => "caching",
        Phase::Learning | Phase::Epochs => "learning",
        Phase::Evaluating => "evaluating",
        Phase::Converting => "converting",
        Phase::Predicting => "predicting",
        Phase::Certifying => "certifying, passes over the rows",
        Phase::Orders => "orders",
        Phase::Learners => "learners",
        Phase::Classes => "classes",
        Phase::Candidates => "candidates",
        Phase::CandidatesAndFolds => "candidates and folds",
        Phase::ProblemsAndFolds => "problems and folds",
        Phase::FirstRows => "looking at the first rows",
        Phase::Labels => "looking at all labels",
        Phase::Testing | Phase::TestRows => "testing",
        Phase::Solving => "solving",
        Phase::Measures => "computing measures and curves",
        Phase::Runs => "runs",
    }
}

/// What a phase is counted in.
pub(crate) struct Unit {
    pub(crate) name: &'static str,
    /// Each takes long enough to be counted by itself, whatever share of all it is.
    pub(crate) is_few: bool,
}

/// What a phase is counted in, if that says something to a person.
pub(crate) fn unit(phase: Phase) -> Option<Unit> {
    let (name, is_few) = match phase {
        Phase::Certifying => ("pass", false),
        Phase::Orders => ("order", true),
        Phase::Learners => ("learner", true),
        Phase::Runs => ("run", true),
        Phase::Classes => ("class", true),
        Phase::Candidates | Phase::CandidatesAndFolds => ("candidate", true),
        Phase::ProblemsAndFolds => ("problem", true),
        Phase::FirstRows | Phase::Epochs | Phase::TestRows => ("row", false),
        Phase::Solving => ("step", false),
        Phase::Reading
        | Phase::Caching
        | Phase::Learning
        | Phase::Evaluating
        | Phase::Converting
        | Phase::Predicting
        | Phase::Testing => ("byte", false),
        Phase::Labels | Phase::Measures => return None,
    };
    Some(Unit { name, is_few })
}

/// Whether a phase is counted in bytes.
pub(crate) fn is_in_bytes(phase: Phase) -> bool {
    unit(phase).is_some_and(|unit| unit.name == "byte")
}

/// What a threshold is compared with.
fn score_name(is_probability: bool) -> &'static str {
    if is_probability {
        "probability"
    } else {
        "margin (the model has no probabilities; `novikoff calibrate` makes them)"
    }
}

/// A notice in words, and whether it is a detail for those who ask for more.
pub(crate) fn notice(notice: &Notice) -> (String, bool) {
    let text = match notice {
        Notice::BadLines { lines, samples } => {
            let were = if *lines == 1 { "was" } else { "were" };
            let lines = plural(*lines, "bad line");
            let mut text = format!("{lines} {were} passed over, such as");
            for sample in samples {
                text.push_str("\n  ");
                text.push_str(sample);
            }
            text
        }
        Notice::ReadAs { bytes, format } => {
            let format = format.map_or("nothing", |f| f.name());
            let bytes = plural(*bytes, "byte");
            return (format!("read {bytes}, the last input as {format}"), true);
        }
        Notice::Columns { label, columns } => {
            return (taken_for(label.as_deref(), columns), true);
        }
        Notice::UsingCache { path } => {
            return (format!("using the cache {}", path.display()), true);
        }
        Notice::GuessedLabel { column } => {
            format!("the label is column {column}; use --label COLUMN for another")
        }
        Notice::PipeNotCached => "--cache: a pipe is not cached".to_owned(),
        Notice::MakingCache { path, why } => {
            let why = said(why, why.remedy.as_ref());
            format!("making the cache {}: {why}", path.display())
        }
        Notice::WithoutCache { why } => {
            let why = said(why, why.remedy.as_ref());
            format!("the run goes on without a cache: {why}")
        }
        Notice::RowsSpooled { limit } => format!(
            "the rows take more than {limit} MB, so they are in a temporary file; --max-memory would hold more"
        ),
        Notice::NoFeatures => "no row has a feature, so there is nothing to learn from: check the format, and what the columns are taken for (-v); a row of svmlight text is `label index:value index:value ...`, and a column of text is named by --text".to_owned(),
        Notice::StreamOneVsRest => "labels other than -1 and +1 on a stream are learned one against the rest; use --labels A,B for a binary problem".to_owned(),
        Notice::Recalibrated { rows } => format!(
            "the model's probabilities are fitted again, on the margins of the last {} from before each was learned",
            plural(*rows, "row")
        ),
        Notice::DecidesFor {
            positive,
            by_probability,
        } => format!(
            "{positive} is the positive label: a row is {positive} if its {} reaches the threshold, and a false positive is a row that is wrongly called so; train with --positive LABEL for the other one",
            score_name(*by_probability)
        ),
        Notice::PassingOver { rows } => format!("passing over {} learned before", plural(*rows, "row")),
        Notice::ModelSaved { path } => format!("model saved in {}", path.display()),
        Notice::ComparatorSaved { path, missing, of } => comparator_saved(path, *missing, *of),
        Notice::CheckRepeats(why) => match why {
            Repeats::Trace => "there is no trace, so the run is repeated to count its mistakes".to_owned(),
            Repeats::Comparator => "the run is repeated to find U, which was not saved; --save-comparator saves it".to_owned(),
            Repeats::Classes => "the run is repeated for what a trace of several classes does not say: the mistakes of the arg-max, and the trials before a class appeared".to_owned(),
        },
        Notice::BestSaved { path } => {
            format!("the best, trained on all rows, is saved in {}", path.display())
        }
        Notice::LeavingOut { learner, why } => {
            let why = left_out(why);
            format!("leaving out {learner}: {why}")
        }
        Notice::GapNotReached { lambda, short, of } => format!(
            "lambda {lambda}: {short} of {} did not reach the gap asked for; raise --max-passes or lambda, or scale the rows (--normalize 2, --standardize)",
            plural(*of as u64, "problem")
        ),
        Notice::UnusualPair { pair } => said(pair, pair.remedy().as_ref()),
        Notice::NoCurves => "break-even points and curves are left out: they need all scores, for which there is not enough memory; raise --max-memory".to_owned(),
        Notice::NamesLost => "svmlight text knows features by number only: their names are not in it; .vw, .csv and .nvk keep them".to_owned(),
        Notice::LabelWithoutRows { label } => format!(
            "no row has the label {label}: its probability will be the same, and small, for all rows"
        ),
        Notice::FallingProbability { label } => format!(
            "on these rows higher margins are less likely {label}: the model does not fit them"
        ),
        Notice::Calibrated { method, rows, path } => format!(
            "calibrated by {method} on {}; model saved in {}",
            plural(*rows, "row"),
            path.display()
        ),
        Notice::TableBegun { name } => name.clone(),
        Notice::TableSkipped(table) => reproduce::skipped(table),
        Notice::DamagedResults { path, lines } => format!(
            "{}: {} cannot be read; what is missing is run again",
            path.display(),
            plural(*lines, "line")
        ),
        Notice::Exported { path, bytes } => format!(
            "exported to {}, {}",
            path.display(),
            plural(*bytes, "byte")
        ),
    };
    (text, false)
}

/// Where the vector of a certificate is, and of how many classes it is zero.
fn comparator_saved(path: &Path, missing: usize, of: usize) -> String {
    let path = path.display();
    match missing {
        0 => format!("comparator saved in {path}"),
        missing if missing == of => {
            format!("{path}: is not written, for there is no certificate and so no vector")
        }
        missing => format!(
            "comparator saved in {path}\n{path}: {missing} of {} without a certificate, and the zero vector there",
            plural(of as u64, "class")
        ),
    }
}

/// Why a learner is left out of a comparison. What takes too long can be asked for by name.
pub(crate) fn left_out(why: &LeftOut) -> String {
    let by_name = "name it to run it all the same";
    match why {
        LeftOut::Negative => "it takes no negative values".to_owned(),
        LeftOut::Weights { weight } => {
            format!("it takes rows of weight 1 only, and one has weight {weight}")
        }
        LeftOut::Work { work, limit } => format!(
            "it would take about {work:.0e} multiply-adds, and the limit is {limit:.0e}; {by_name}"
        ),
        LeftOut::Memory { needed, limit } => format!(
            "it keeps a number for each pair of features, which takes {} MB, and the limit is {} MB; {by_name}",
            count((needed / 1_048_576.0) as u64),
            count(u64::try_from(limit >> 20).unwrap_or(u64::MAX)),
        ),
        LeftOut::Unfit(error) => message(error),
    }
}

/// What the columns of a table were taken for.
fn taken_for(label: Option<&str>, columns: &[(String, ColumnKind)]) -> String {
    let label = label.unwrap_or("none");
    let kind = |(name, kind): &(String, ColumnKind)| {
        let kind = match kind {
            ColumnKind::Number => "numbers",
            ColumnKind::Category => "categories",
            ColumnKind::Text => "text",
            ColumnKind::Date(_) => "dates",
            ColumnKind::Ignored => "ignored",
        };
        format!("{name} ({kind})")
    };
    let more = if columns.len() > 20 { ", ..." } else { "" };
    let columns: Vec<String> = columns.iter().take(20).map(kind).collect();
    let columns = columns.join(", ");
    format!("label: {label}; columns: {columns}{more}")
}
