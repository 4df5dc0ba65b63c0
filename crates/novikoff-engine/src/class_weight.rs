//! How much the rows of a class count: what is asked for, and what that comes to on some rows.

use std::collections::HashMap;
use std::path::Path;

use novikoff::class_weights::ClassWeights;
use novikoff::classes::Task;
use novikoff::label::{LabelName, RawLabel};
use novikoff::model::Model;
use novikoff::spec::Spec;

use crate::data::{Data, Reading};
use crate::error::FilesOnly;
use crate::{Error, Remedy, Setting};

/// Weights of classes.
#[derive(Clone, Debug, Default, PartialEq)]
pub enum ClassWeight {
    /// All labels alike.
    #[default]
    Off,
    /// Labels and what their rows' weights are multiplied by.
    Given(Vec<(LabelName, f64)>),
    /// Every class counts as much as any other: `n / (classes * rows of the class)`.
    Balanced,
}

impl ClassWeight {
    /// `balanced`; or `LABEL=W,LABEL=W`; or `@FILE`, a file with one `LABEL=W` per line.
    pub fn parse(text: &str) -> Result<Self, Error> {
        match text.strip_prefix('@') {
            _ if text == "balanced" => Ok(ClassWeight::Balanced),
            Some(path) => {
                let read = std::fs::read_to_string(Path::new(path));
                let text = read.map_err(|error| {
                    let what = format!("{path} cannot be read: {error}");
                    Error::refused(what, "name another file").about(Setting::ClassWeight, "")
                })?;
                let lines = text.lines().map(str::trim);
                Self::pairs(lines.filter(|line| !line.is_empty()))
            }
            None => Self::pairs(text.split(',')),
        }
    }

    fn pairs<'t>(pairs: impl Iterator<Item = &'t str>) -> Result<Self, Error> {
        let mut given: Vec<(LabelName, f64)> = Vec::new();
        for pair in pairs {
            let wrong = |what: &str| {
                let pair: String = pair.chars().take(40).collect();
                let remedy = "give LABEL=W,LABEL=W with numbers W > 0, or balanced, or @FILE";
                let what = format!("`{pair}` {what}");
                Error::refused(what, remedy).about(Setting::ClassWeight, "")
            };
            let (label, weight) = pair
                .rsplit_once('=')
                .filter(|(label, _)| !label.is_empty())
                .ok_or_else(|| wrong("is not LABEL=W"))?;
            let weight = weight.parse().ok();
            let weight = weight.filter(|w: &f64| w.is_finite() && *w > 0.0);
            let weight = weight.ok_or_else(|| wrong("has no number > 0 as its weight"))?;
            let label = LabelName::typed(label);
            if given.iter().any(|(other, _)| *other == label) {
                return Err(wrong("is a label that has a weight already"));
            }
            given.push((label, weight));
        }
        if given.is_empty() {
            let what = "there is no LABEL=W";
            return Err(Error::plain(what).about(Setting::ClassWeight, ""));
        }
        Ok(ClassWeight::Given(given))
    }

    pub(crate) fn is_off(&self) -> bool {
        matches!(self, ClassWeight::Off)
    }

    /// The labels that were given a weight.
    pub(crate) fn given(&self) -> &[(LabelName, f64)] {
        match self {
            ClassWeight::Given(given) => given,
            _ => &[],
        }
    }

    /// Which of them a label is.
    pub(crate) fn find(&self, label: RawLabel<'_>) -> Option<usize> {
        self.given().iter().position(|(name, _)| name.is(label))
    }

    /// As it is asked for.
    fn text(&self) -> String {
        match self {
            ClassWeight::Off => "off".to_owned(),
            ClassWeight::Balanced => "balanced".to_owned(),
            ClassWeight::Given(given) => listed(given),
        }
    }

    /// What must be so before anything is read: the learner has a weighted form, and rows can be counted first.
    pub(crate) fn check(&self, data: &Data, task: Option<&Task>) -> Result<(), Error> {
        if self.is_off() {
            return Ok(());
        }
        if let Some(Task::MultiLabel) = task {
            return Err(several_labels());
        }
        if *self == ClassWeight::Balanced && data.is_stream() {
            let what = FilesOnly::Setting(Setting::ClassWeight);
            return Err(Error::FilesOnly { what });
        }
        Ok(())
    }

    /// An error if a learner takes rows of weight 1 only.
    pub(crate) fn check_learner(&self, spec: &Spec) -> Result<(), Error> {
        if self.is_off() || spec.entry().can.weighted {
            return Ok(());
        }
        let what = format!("{} takes rows of weight 1 only", spec.name());
        let others = spec.weighted().join(", ");
        let remedy = Remedy::clause(format!("use one of {others}"));
        let without = Remedy::leave_out(&[Setting::ClassWeight]);
        Err(Error::refused(what, remedy.or(without)).about(Setting::ClassWeight, ""))
    }

    /// What it comes to for a task, counting the rows of each label if need be.
    pub(crate) fn resolve(
        &self,
        task: &Task,
        counts: impl FnOnce() -> Result<Vec<(LabelName, u64)>, Error>,
    ) -> Result<Option<ClassWeights>, Error> {
        if !self.is_off() && matches!(task, Task::MultiLabel) {
            return Err(several_labels());
        }
        Ok(match self {
            ClassWeight::Off => None,
            ClassWeight::Given(given) => {
                let weights = ClassWeights::given(given.clone());
                let too_large = || {
                    let what = "a learner counts no row more than 1e100 times";
                    Error::refused(what, "give smaller weights").about(Setting::ClassWeight, "")
                };
                Some(weights.ok_or_else(too_large)?)
            }
            ClassWeight::Balanced => {
                let mut counts = counts()?;
                let mut rest = 0;
                if let Task::Binary {
                    negative: None,
                    positive,
                } = task
                {
                    counts.retain(|(label, rows)| {
                        let is_positive = label == positive;
                        rest += if is_positive { 0 } else { *rows };
                        is_positive
                    });
                }
                Some(ClassWeights::balanced(counts, rest))
            }
        })
    }

    /// An error if a model that is to learn on was not begun with it; what was not asked for is as the model has it.
    pub(crate) fn check_model(&self, model: &Model, path: Option<&Path>) -> Result<(), Error> {
        let weights = model.class_weights();
        let same = match (self, weights) {
            (ClassWeight::Off, _) => true,
            (_, None) => false,
            (ClassWeight::Balanced, Some(weights)) => weights.are_balanced(),
            (ClassWeight::Given(given), Some(weights)) => {
                !weights.are_balanced() && weights.list() == given
            }
        };
        if same {
            return Ok(());
        }
        Err(Error::Differs {
            model: path.map(Path::to_owned),
            setting: Setting::ClassWeight,
            is: weights.map_or("off".to_owned(), |weights| match weights.are_balanced() {
                true => "balanced".to_owned(),
                false => listed(weights.list()),
            }),
            got: self.text(),
        })
    }

    /// An error if a label that was given a weight is none of a model that has learned.
    pub(crate) fn check_labels(&self, model: &Model) -> Result<(), Error> {
        let classes = model.classes();
        let list = || classes.list().iter().map(|class| &class.label);
        let unmet = self.given().iter().find(|(label, _)| match classes.task() {
            // any other label is one of the rest
            Task::Binary { negative: None, .. } => false,
            Task::Binary {
                negative: Some(negative),
                ..
            } => label != negative && !list().any(|other| other == label),
            _ => !list().any(|other| other == label),
        });
        match unmet {
            Some((label, _)) => Err(stranger(label)),
            None => Ok(()),
        }
    }
}

impl Data {
    /// How many rows have each label, by a pass over them.
    pub(crate) fn label_counts(&self, reading: &Reading) -> Result<Vec<(LabelName, u64)>, Error> {
        let mut counts = LabelCounts::default();
        let mut reader = self.reader(reading)?;
        while reader.advance()? {
            reading.look_up()?;
            if let Some(block) = reader.current() {
                let labels = (0..block.len()).flat_map(|i| block.labels(i));
                labels.for_each(|label| counts.add(label));
            }
        }
        Ok(counts.list)
    }
}

/// Rows per label, in the order in which the labels were met.
#[derive(Default)]
pub(crate) struct LabelCounts {
    pub(crate) list: Vec<(LabelName, u64)>,
    /// The places of labels by their texts.
    places: HashMap<Vec<u8>, usize>,
}

impl LabelCounts {
    pub(crate) fn add(&mut self, label: RawLabel<'_>) {
        let place = self.places.get(label.text()).copied();
        let place = place.unwrap_or_else(|| self.meet(label));
        self.list[place].1 += 1;
    }

    /// The place of a label that was not written like this before.
    fn meet(&mut self, label: RawLabel<'_>) -> usize {
        let known = self.list.iter().position(|(name, _)| name.is(label));
        let place = known.unwrap_or(self.list.len());
        if known.is_none() {
            self.list.push((LabelName::new(label), 0));
        }
        self.places.insert(label.text().to_vec(), place);
        place
    }
}

fn listed(given: &[(LabelName, f64)]) -> String {
    let pairs = given
        .iter()
        .map(|(label, w)| format!("{}={w}", label.name()));
    pairs.collect::<Vec<_>>().join(",")
}

fn several_labels() -> Error {
    let what = "a learner weighs whole rows, and rows may have several labels";
    let remedy = Remedy::leave_out(&[Setting::ClassWeight]).or("solve for all rows at once");
    Error::refused(what, remedy).about(Setting::ClassWeight, "")
}

/// No row has a label that was given a weight.
pub(crate) fn stranger(label: &LabelName) -> Error {
    let label: String = label.name().chars().take(40).collect();
    let what = format!("class weights: no row has the label `{label}`");
    Error::refused(
        what,
        Remedy::clause("give labels of the data").or("balanced"),
    )
}
