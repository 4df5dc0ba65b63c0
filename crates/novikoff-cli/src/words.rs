//! What the engine says, in the words of the command: settings are flags, remedies name them.

use std::path::PathBuf;

use novikoff_engine::events::{LeftOut, Notice, Phase, Repeats};
use novikoff_engine::{Error, Remedy, Setting, StoppedWhile};
use novikoff_report::count;

use crate::error::Failure;

/// The flag of a setting.
fn flag(setting: Setting) -> &'static str {
    match setting {
        Setting::Learner => "-a",
        Setting::Bias => "--bias",
        Setting::Normalize => "--normalize",
        Setting::Standardize => "--standardize",
        Setting::Kernel => "--kernel",
        Setting::Hash => "--hash",
        Setting::ZeroBased => "--zero-based",
        Setting::Epochs => "--epochs",
        Setting::Shuffle => "--shuffle",
        Setting::Permutations => "--permutations",
        Setting::Labels => "--labels",
        Setting::Positive => "--positive",
        Setting::MultiLabel => "--multilabel",
        Setting::Features => "--features",
        Setting::Resume => "--resume",
        Setting::Output => "-o",
        Setting::Checkpoint => "--checkpoint",
        Setting::Trace => "--trace",
        Setting::Report => "--report",
        Setting::Cache => "--cache",
        Setting::Test => "--test",
        Setting::Certify => "--certify",
        Setting::Comparator => "--comparator",
        Setting::Spool => "--spool-mb",
        Setting::MaxMemory => "--max-memory",
        Setting::MaxPasses => "--max-passes",
        Setting::Use => "--use",
        Setting::ClassWeight => "--class-weight",
        Setting::Regulariser => "--reg",
        Setting::Folds => "--folds",
        Setting::Rows => "the options",
        Setting::Data => "the data",
        _ => "the setting",
    }
}

/// Words in a list: `a, b and c`.
fn listed(words: &[&str]) -> String {
    match words {
        [] => String::new(),
        [one] => (*one).to_owned(),
        [first @ .., last] => format!("{} and {last}", first.join(", ")),
    }
}

/// What to do, in one clause.
fn remedy(remedy: &Remedy) -> String {
    let text = match remedy {
        Remedy::LeaveOut(settings) => {
            let flags: Vec<&str> = settings.iter().map(|&s| flag(s)).collect();
            return match flags[..] {
                ["--zero-based"] => "leave the flag out".to_owned(),
                ["--trace"] => "or leave --trace out".to_owned(),
                ["--cache"] => "for -o, --trace and --report, or leave --cache out".to_owned(),
                _ => format!("leave out {}", listed(&flags)),
            };
        }
        Remedy::Give(setting) => return format!("give {}", flag(*setting)),
        Remedy::Raise(setting) => return format!("raise {}", flag(*setting)),
        Remedy::HashTo(bits) => return format!("give --hash {bits}"),
        Remedy::PathForFile(word) => return format!("write ./{word} for a file of that name"),
        Remedy::Calibrate(path) => {
            let path = path.display();
            return format!(
                "`novikoff calibrate {path} HELD-OUT-DATA -o MODEL2` makes a model that has them"
            );
        }
        Remedy::GiveTheSame => "give the same, or leave --resume out to begin a new run",
        Remedy::LeaveOutToGoOn => "leave the option out to go on as before",
        Remedy::RaiseMemoryOrRenumber => "raise --max-memory or renumber the features",
        Remedy::RaiseMemoryOrNormalize => "raise --max-memory or use --normalize",
        Remedy::RaiseMemoryOrFewerRows => "raise --max-memory or give fewer rows",
        Remedy::RaiseSpoolOrCompare => {
            "raise --spool-mb, or give a vector to compete with by --comparator, which needs none for a perceptron"
        }
        Remedy::OtherName => "give another name",
        Remedy::TwoNames => "give two names",
        Remedy::SaveStream => "save the stream to a file first",
        Remedy::CheckInput => "check that the input is the one you meant",
        Remedy::GiveWholeInput => {
            "give the whole of the same input again, or leave --resume out to begin a new run"
        }
        Remedy::SolveAllRows => "use `novikoff solve` on all rows",
        Remedy::CertifyWhole => "certify it from its beginning",
        Remedy::UseShuffle => {
            "--permutations goes with neither -o nor --resume nor --trace; use --shuffle SEED for one order"
        }
        Remedy::LearnMoreElsewhere => {
            "to learn more rows from it leave out --checkpoint, or write to another file with -o"
        }
        Remedy::NameLearner => "give -a SPEC, as in -a perceptron (see `novikoff compare --help`)",
        Remedy::MoveOrLeaveOutCache => "move it elsewhere, or leave --cache out",
        Remedy::RenameOrReadCache => "rename it, or read it instead",
        Remedy::TestOnFile => "give a file to test on",
        Remedy::FinishRun => "finish the run first (`novikoff inspect` shows how)",
        Remedy::UseClassLoss => "solve with a loss of classes, such as hinge",
        Remedy::GiveCertificate => {
            "give what `novikoff certify --json` or `train --certify --json` printed"
        }
        Remedy::SaveComparator => {
            "save it with --save-comparator when certifying, and give it with --comparator here"
        }
        Remedy::GiveBothLabels => "give rows of both labels",
        Remedy::LeaveOutRows => "leave their rows out, or train with them",
        Remedy::CalibrateForPredictor => "leave --use out, or calibrate again with --use",
        Remedy::LeaveOutRow => "leave the row out",
        Remedy::FewerFolds => "give fewer folds",
        Remedy::LabelsOfData => "give labels of the data, or balanced",
        Remedy::SmallerWeights => "give smaller weights",
        _ => "see the help of the command",
    };
    text.to_owned()
}

/// What is wrong, and what to do.
pub(crate) fn message(error: &Error) -> String {
    match error {
        Error::Refused { what, remedy: kind } | Error::Unfit { what, remedy: kind } => {
            match kind {
                None => what.clone(),
                Some(kind) => match kind {
                    // a continued sentence
                    Remedy::LeaveOut(settings) if settings[..] == [Setting::Cache] => {
                        format!("{what} {}", remedy(kind))
                    }
                    Remedy::LeaveOut(settings) if settings[..] == [Setting::Trace] => {
                        format!("{what}, {}", remedy(kind))
                    }
                    Remedy::LeaveOut(settings) if settings[..] == [Setting::ZeroBased] => {
                        format!("--zero-based: {what}; {}", remedy(kind))
                    }
                    Remedy::TestOnFile => format!("--test -: {what}; {}", remedy(kind)),
                    Remedy::Calibrate(_) | Remedy::CalibrateForPredictor => {
                        format!("--probabilities: {what}; {}", remedy(kind))
                    }
                    Remedy::CertifyWhole => {
                        format!("--certify with --resume: {what}; {}", remedy(kind))
                    }
                    Remedy::NameLearner => format!("{what}: {}", remedy(kind)),
                    _ => format!("{what}; {}", remedy(kind)),
                },
            }
        }
        Error::Differs {
            model,
            setting,
            is,
            got,
        } => {
            let what = match (setting, model) {
                (Setting::ZeroBased, _) => "features counted from",
                (Setting::Labels, None) => "labels:",
                (setting, _) => flag(*setting),
            };
            match model {
                Some(path) => format!(
                    "{}: the model was trained with {what} {is}, not {got}; {}",
                    path.display(),
                    remedy(&Remedy::LeaveOutToGoOn)
                ),
                None => format!(
                    "the run that goes on was begun with {what} {is}, not {got}; {}",
                    remedy(&Remedy::GiveTheSame)
                ),
            }
        }
        Error::NotOffered {
            learner,
            wanted,
            offered,
        } => format!("--use {wanted}: the learner {learner} offers {offered}"),
        Error::FilesOnly { what } => {
            let what = match what {
                novikoff_engine::FilesOnly::Learner(name) => name.clone(),
                novikoff_engine::FilesOnly::Setting(setting) => flag(*setting).to_owned(),
            };
            format!(
                "{what} needs all rows before it begins, so it reads files only; {}",
                remedy(&Remedy::SaveStream)
            )
        }
        Error::Stopped(while_) => stopped(while_),
        error => error.to_string(),
    }
}

fn saved_in(saved: Option<&PathBuf>) -> String {
    match saved {
        Some(path) => format!("the model is saved in {}", path.display()),
        None => "nothing is saved, for there was no -o MODEL".to_owned(),
    }
}

fn stopped(at: &StoppedWhile) -> String {
    match at {
        StoppedWhile::Learning { trials, saved } => {
            let trials = count(*trials);
            match saved {
                None => format!(
                    "stopped after {trials} trials; nothing is saved, for there was no -o MODEL"
                ),
                Some(path) => {
                    let path = path.display();
                    let words: Vec<String> = std::env::args().collect();
                    let command = crate::shell::command_to_resume(&words, &path.to_string());
                    format!(
                        "stopped after {trials} trials; the run is saved in {path}: to go on, type\n  {command}"
                    )
                }
            }
        }
        StoppedWhile::Testing { saved } => format!(
            "stopped while testing; the run was done, and {}",
            saved_in(saved.as_ref())
        ),
        StoppedWhile::Certifying { saved } => {
            let saved = saved.as_ref().map_or(String::new(), |path| {
                format!(", and its model is saved in {}", path.display())
            });
            format!("stopped while certifying; the run itself was done{saved}")
        }
        StoppedWhile::Orders => {
            "stopped between two orders; --permutations saves nothing".to_owned()
        }
        StoppedWhile::CertifyingOrders => {
            "stopped while certifying; --permutations saves nothing".to_owned()
        }
        StoppedWhile::Solving => "stopped while solving; nothing is saved".to_owned(),
        _ => "stopped while the data was being read; nothing was learned, and nothing was saved"
            .to_owned(),
    }
}

impl From<Error> for Failure {
    fn from(error: Error) -> Self {
        let text = message(&error);
        match error {
            Error::Output(error) => error.into(),
            Error::Stopped(_) => Failure::Interrupted(text),
            _ => Failure::Message(text),
        }
    }
}

/// The name of a phase.
pub(crate) fn phase(phase: Phase) -> &'static str {
    match phase {
        Phase::Reading => "reading",
        Phase::Caching => "caching",
        Phase::Learning => "learning",
        Phase::Evaluating => "evaluating",
        Phase::Converting => "converting",
        Phase::Predicting => "predicting",
        Phase::Certifying => "certifying, passes over the rows:",
        Phase::Orders => "orders",
        Phase::Learners => "learners",
        Phase::Classes => "classes",
        Phase::Candidates => "candidates",
        Phase::CandidatesAndFolds => "candidates and folds",
        Phase::ProblemsAndFolds => "problems and folds",
        _ => "working",
    }
}

/// A notice in words, and whether it is a detail for those who ask for more.
pub(crate) fn notice(notice: &Notice) -> (String, bool) {
    let text = match notice {
        Notice::BadLines { lines, samples } => {
            let mut text = format!("{lines} bad lines were passed over, such as");
            for sample in samples {
                text.push_str("\n  ");
                text.push_str(sample);
            }
            text
        }
        Notice::ReadAs { bytes, format } => {
            let (format, bytes) = (format.map_or("nothing", |f| f.name()), count(*bytes));
            return (format!("read {bytes} bytes, the last input as {format}"), true);
        }
        Notice::Columns { label, columns } => {
            let label = label.as_deref().unwrap_or("none");
            let kind = |(name, categorical): &(String, bool)| {
                let kind = if *categorical { "categories" } else { "numbers" };
                format!("{name} ({kind})")
            };
            let more = if columns.len() > 20 { ", ..." } else { "" };
            let columns: Vec<String> = columns.iter().take(20).map(kind).collect();
            let columns = columns.join(", ");
            return (format!("label: {label}; columns: {columns}{more}"), true);
        }
        Notice::UsingCache { path } => {
            return (format!("using the cache {}", path.display()), true);
        }
        Notice::PipeNotCached => "--cache: a pipe is not cached".to_owned(),
        Notice::MakingCache { path, why } => format!("making the cache {}: {why}", path.display()),
        Notice::WithoutCache { why } => format!("the run goes on without a cache: {why}"),
        Notice::RowsSpooled { limit } => format!(
            "the rows take more than {limit} MB, so they are in a temporary file; --max-memory would hold more"
        ),
        Notice::NoFeatures => "no row has a feature; a row of svmlight text is `label index:value index:value ...`".to_owned(),
        Notice::StreamOneVsRest => "labels other than -1 and +1 on a stream are learned one against the rest; use --labels A,B for a binary problem".to_owned(),
        Notice::NoPositive { label } => format!("no row has the label {label}"),
        Notice::CalibrationDropped => "the model's probabilities are dropped: they were fitted before what it learns now; calibrate it again".to_owned(),
        Notice::PassingOver { rows } => format!("passing over {} rows learned before", count(*rows)),
        Notice::ModelSaved { path } => format!("model saved in {}", path.display()),
        Notice::ComparatorSaved { path, missing, of } => {
            let path = path.display();
            match missing {
                0 => format!("comparator saved in {path}"),
                missing if missing == of => format!(
                    "{path}: is not written, for there is no certificate and so no vector"
                ),
                missing => format!(
                    "comparator saved in {path}\n{path}: {missing} of {of} classes have no certificate, and the zero vector there"
                ),
            }
        }
        Notice::CheckRepeats(why) => match why {
            Repeats::Trace => "there is no trace, so the run is repeated to count its mistakes".to_owned(),
            Repeats::Comparator => "the run is repeated to find U, which was not saved; --save-comparator saves it".to_owned(),
            _ => "the run is repeated for what a trace of several classes does not say: the mistakes of the arg-max, and the trials before a class appeared".to_owned(),
        },
        Notice::BestSaved { path } => {
            format!("the best, trained on all rows, is saved in {}", path.display())
        }
        Notice::LeavingOut { learner, why } => {
            let why = match why {
                LeftOut::Pairs => "it keeps a number for each pair of features".to_owned(),
                LeftOut::LooksBack => "an update looks at all rows so far".to_owned(),
                LeftOut::Unfit(error) => message(error),
                _ => "it does not fit the data".to_owned(),
            };
            format!("leaving out {learner}: {why}")
        }
        Notice::GapNotReached { lambda, short, of } => format!(
            "lambda {lambda}: {short} of {of} problems did not reach the gap asked for; raise --max-passes or lambda, or scale the rows (--normalize 2, --standardize)"
        ),
        Notice::UnusualPair { what } => what.clone(),
        Notice::UnknownValues { values } => format!(
            "{} values were left out: the model does not know their features",
            count(*values)
        ),
        Notice::UnknownLabels { times, names } => {
            let occur = if *times == 1 { "occurs" } else { "occur" };
            let (times, names) = (count(*times), names.join(", "));
            format!(
                "labels the model does not know {occur} {times} times and count as errors, such as {names}"
            )
        }
        Notice::NoCurves => "break-even points and curves are left out: they need all scores, for which there is not enough memory; raise --max-memory".to_owned(),
        Notice::NamesLost => "svmlight text knows features by number only: their names are not in it; .vw, .csv and .nvk keep them".to_owned(),
        Notice::LabelWithoutRows { label } => format!(
            "no row has the label {label}: its probability will be the same, and small, for all rows"
        ),
        Notice::FallingProbability { label } => format!(
            "on these rows higher margins are less likely {label}: the model does not fit them"
        ),
        Notice::Calibrated { method, rows, path } => format!(
            "calibrated by {method} on {} rows; model saved in {}",
            count(*rows),
            path.display()
        ),
        other => format!("{other:?}"),
    };
    (text, false)
}
