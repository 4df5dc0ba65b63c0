//! What a person can do about an error, as a value. Errors state facts; a [`Remedy`] beside them names settings, which
//! each door knows by other words: a flag, a keyword argument, a field. The door puts both into one sentence
//! ([`Remedy::worded`]).

mod setting;

use std::borrow::Cow;
use std::fmt;

pub use setting::Setting;

/// Alternatives: any one of them is a way out.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Remedy {
    steps: Vec<Step>,
}

/// One alternative.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Step {
    action: Action,
    /// What it is for, or when it applies; may be empty.
    aim: Cow<'static, str>,
}

/// What is to be done.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Action {
    /// Give a setting a larger value.
    Raise(Setting),
    /// Give settings, each with a value, which is empty for a switch.
    Give(Vec<(Setting, Cow<'static, str>)>),
    /// Do without settings.
    LeaveOut(Vec<Setting>),
    /// Follow a hint.
    Follow(Hint),
    /// A clause that names no setting, so that it reads the same in every door.
    Clause(Cow<'static, str>),
}

/// Something to do that is no setting, which each door words in its own way: another job, another file, a look at something.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Hint {
    /// Solve for all rows at once.
    Solve,
    /// Make a model that has probabilities.
    Calibrate {
        /// The model that has none.
        model: String,
    },
    /// Make a cache of rows from its input.
    MakeCache,
    /// Look at a model.
    Inspect {
        /// Its file.
        file: String,
    },
    /// Learn a model from the file at hand, and give that.
    TrainOnIt,
    /// Give a model that was saved.
    GiveModel,
    /// Give a certificate as it was printed.
    GiveCertificate,
    /// Save the vector of a certificate, and give it.
    SaveComparator,
    /// Finish a run that was stopped.
    FinishRun,
    /// Write texts as rows.
    WriteTexts,
    /// Compare learners on the same rows.
    Compare,
    /// Look at how rows of a rare label are ranked, and tune by that.
    RankRare,
    /// Look at what a model was trained on.
    ShowTraining {
        /// Its file.
        model: String,
    },
}

/// How a door calls things.
#[doc(hidden)]
pub trait Door {
    /// A setting.
    fn setting(&self, setting: Setting) -> String;
    /// A setting with its value.
    fn choice(&self, setting: Setting, value: &str) -> String;
    /// A hint, as a clause.
    fn hint(&self, hint: &Hint) -> String;
}

impl Remedy {
    fn of(action: Action) -> Self {
        let aim = Cow::Borrowed("");
        Remedy {
            steps: vec![Step { action, aim }],
        }
    }

    /// Raise a setting.
    pub fn raise(setting: Setting) -> Self {
        Self::of(Action::Raise(setting))
    }

    /// Give a setting a value, which is empty for a switch.
    pub fn give(setting: Setting, value: impl Into<Cow<'static, str>>) -> Self {
        Self::of(Action::Give(vec![(setting, value.into())]))
    }

    /// Give several settings together.
    pub fn give_both(first: Setting, second: Setting) -> Self {
        let both = [first, second].map(|setting| (setting, Cow::Borrowed("")));
        Self::of(Action::Give(both.to_vec()))
    }

    /// Together with another setting, if the last alternative gives one.
    #[must_use]
    pub fn with(mut self, setting: Setting, value: impl Into<Cow<'static, str>>) -> Self {
        if let Some(Action::Give(choices)) = self.steps.last_mut().map(|step| &mut step.action) {
            choices.push((setting, value.into()));
        }
        self
    }

    /// Leave settings out.
    pub fn leave_out(settings: &[Setting]) -> Self {
        Self::of(Action::LeaveOut(settings.to_vec()))
    }

    /// Follow a hint.
    pub fn hint(hint: Hint) -> Self {
        Self::of(Action::Follow(hint))
    }

    /// A clause that names no setting.
    pub fn clause(text: impl Into<Cow<'static, str>>) -> Self {
        Self::of(Action::Clause(text.into()))
    }

    /// A clause, or more memory.
    pub fn or_memory(text: &'static str) -> Self {
        Self::clause(text).or(Self::raise(Setting::MaxMemory))
    }

    /// Says what the last alternative is for, or when it applies.
    #[must_use]
    pub fn aim(mut self, aim: impl Into<Cow<'static, str>>) -> Self {
        if let Some(last) = self.steps.last_mut() {
            last.aim = aim.into();
        }
        self
    }

    /// More alternatives.
    #[must_use]
    pub fn or(mut self, other: impl Into<Remedy>) -> Self {
        self.steps.extend(other.into().steps);
        self
    }

    /// One clause in the words of a door.
    pub fn worded(&self, door: &dyn Door) -> String {
        let mut text = String::new();
        let mut giving = false;
        for (k, step) in self.steps.iter().enumerate() {
            text.push_str(match k {
                0 => "",
                k if k + 1 == self.steps.len() => ", or ",
                _ => ", ",
            });
            // the verb is said once
            let gives = matches!(step.action, Action::Give(_));
            if gives && !giving {
                text.push_str("use ");
            }
            giving = gives;
            text.push_str(&step.action.worded(door));
            if !step.aim.is_empty() && !step.aim.starts_with(',') {
                text.push(' ');
            }
            text.push_str(&step.aim);
        }
        text
    }
}

impl Action {
    fn worded(&self, door: &dyn Door) -> String {
        let names = |settings: &[Setting]| -> Vec<String> {
            settings.iter().map(|&s| door.setting(s)).collect()
        };
        match self {
            Action::Raise(setting) => format!("raise {}", door.setting(*setting)),
            Action::Give(choices) => {
                let choice = |(setting, value): &(Setting, Cow<'_, str>)| match &**value {
                    "" => door.setting(*setting),
                    value => door.choice(*setting, value),
                };
                listed(&choices.iter().map(choice).collect::<Vec<_>>())
            }
            Action::LeaveOut(settings) => match &names(settings)[..] {
                [one] => format!("leave {one} out"),
                many => format!("leave out {}", listed(many)),
            },
            Action::Follow(hint) => door.hint(hint),
            Action::Clause(text) => text.clone().into_owned(),
        }
    }
}

impl From<&'static str> for Remedy {
    fn from(text: &'static str) -> Self {
        Remedy::clause(text)
    }
}

/// Words in a list: `a, b and c`.
fn listed(words: &[String]) -> String {
    match words {
        [] => String::new(),
        [one] => one.clone(),
        [first @ .., last] => format!("{} and {last}", first.join(", ")),
    }
}

/// How a text is written as a row.
#[doc(hidden)]
pub const TEXT_LINE: &str =
    r#"one JSON object per line, as in {"label": "spam", "text": "Dear friend, ..."},"#;

/// The names that the libraries have for things, for programs that use them without a door.
#[doc(hidden)]
#[derive(Clone, Copy, Debug)]
pub struct Library;

impl Door for Library {
    fn setting(&self, setting: Setting) -> String {
        setting.name().to_owned()
    }

    fn choice(&self, setting: Setting, value: &str) -> String {
        format!("{setting}={value}")
    }

    fn hint(&self, hint: &Hint) -> String {
        match hint {
            Hint::Solve => "solve for all rows".to_owned(),
            Hint::Calibrate { model } => format!("calibrate {model} on rows held out"),
            Hint::MakeCache => "make it again from its input".to_owned(),
            Hint::Inspect { file } => format!("inspect {file}"),
            Hint::TrainOnIt => "train on it, and give the model".to_owned(),
            Hint::GiveModel => "give a model that was saved".to_owned(),
            Hint::GiveCertificate => "give the JSON of a certified run".to_owned(),
            Hint::SaveComparator => "save it when certifying, and give it here".to_owned(),
            Hint::FinishRun => "finish the run first".to_owned(),
            Hint::WriteTexts => {
                format!("write texts as {TEXT_LINE} and name the field that is text")
            }
            Hint::Compare => "compare other learners on these rows".to_owned(),
            Hint::RankRare => {
                "where few rows have the other label, look at the area under the ROC curve, and choose a threshold".to_owned()
            }
            Hint::ShowTraining { model } => format!("inspect {model} to see what it was trained on"),
        }
    }
}

impl fmt::Display for Remedy {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.worded(&Library))
    }
}

/// What is wrong, where no type of its own says it, and what to do about it. Displayed, it is the facts alone.
#[doc(hidden)]
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Complaint {
    /// The facts.
    pub what: String,
    /// What to do.
    pub remedy: Option<Remedy>,
}

impl Complaint {
    /// What is wrong, and what to do.
    pub fn new(what: impl Into<String>, remedy: impl Into<Remedy>) -> Self {
        Complaint {
            what: what.into(),
            remedy: Some(remedy.into()),
        }
    }

    /// What is wrong, and nothing to do about it but to mend it.
    pub fn plain(what: impl Into<String>) -> Self {
        Complaint {
            what: what.into(),
            remedy: None,
        }
    }
}

impl fmt::Display for Complaint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.what)
    }
}

/// Facts and remedy in one sentence, in the words of a door.
#[doc(hidden)]
pub fn said(facts: &dyn fmt::Display, remedy: Option<&Remedy>, door: &dyn Door) -> String {
    match remedy {
        None => facts.to_string(),
        Some(remedy) => {
            let facts = facts.to_string();
            let mark = if facts.ends_with('?') { "" } else { ";" };
            format!("{facts}{mark} {}", remedy.worded(door))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn alternatives_are_one_clause() {
        let one = Remedy::raise(Setting::MaxMemory);
        assert_eq!(one.to_string(), "raise max_memory");
        let two = one.or("renumber the features");
        assert_eq!(
            two.to_string(),
            "raise max_memory, or renumber the features"
        );
        let three = Remedy::give(Setting::Positive, "LABEL")
            .aim("for one label against the rest")
            .or(Remedy::give(Setting::Labels, "A,B"))
            .or("a file");
        assert_eq!(
            three.to_string(),
            "use positive=LABEL for one label against the rest, labels=A,B, or a file"
        );
    }

    #[test]
    fn settings_are_listed() {
        let one = Remedy::leave_out(&[Setting::Resume]).aim("to begin a new run");
        assert_eq!(one.to_string(), "leave resume out to begin a new run");
        let many = Remedy::leave_out(&[Setting::Positive, Setting::Labels, Setting::MultiLabel]);
        assert_eq!(
            many.to_string(),
            "leave out positive, labels and multilabel"
        );
        let both = Remedy::give(Setting::Bias, "free")
            .or(Remedy::give_both(Setting::Theta, Setting::Alpha));
        assert_eq!(both.to_string(), "use bias=free, or theta and alpha");
        let together = Remedy::give(Setting::Learner, "romma").with(Setting::Normalize, "2");
        assert_eq!(together.to_string(), "use learner=romma and normalize=2");
    }

    #[test]
    fn a_question_is_followed_by_its_answer() {
        let remedy = Remedy::give(Setting::Label, "COLUMN").aim(", one of a, b");
        let said = said(&"which column is the label?", Some(&remedy), &Library);
        assert_eq!(
            said,
            "which column is the label? use label=COLUMN, one of a, b"
        );
    }

    #[test]
    fn facts_come_without_a_remedy() {
        let complaint = Complaint::new("the value is missing", "fill it in");
        assert_eq!(complaint.to_string(), "the value is missing");
        let said = said(&complaint, complaint.remedy.as_ref(), &Library);
        assert_eq!(said, "the value is missing; fill it in");
    }
}
