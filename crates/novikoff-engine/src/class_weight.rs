//! How much the rows of a class count: what is asked for, and what that comes to on some rows.

use std::io::Read as _;
use std::path::Path;

use novikoff::class_weights::ClassWeights;
use novikoff::classes::Task;
use novikoff::label::{LabelName, RawLabel};
use novikoff::model::Model;
use novikoff::remark::{LabelRemark, Remark};
use novikoff::rows::Block;
use novikoff::spec::Spec;

use crate::data::{Data, Reading};
use crate::error::FilesOnly;
use crate::events::Context;
use crate::labels::LabelCounts;
use crate::rows::HeldRows;
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
                let text = read_at_most(Path::new(path), LARGEST_FILE).map_err(|error| {
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
            let what = FilesOnly::Value(Setting::ClassWeight, "balanced");
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
            is: match weights {
                None => "off".to_owned(),
                Some(weights) if weights.are_balanced() => "balanced".to_owned(),
                Some(weights) => listed(weights.list()),
            },
            got: self.text(),
        })
    }

    /// An error if a label that was given a weight is none of the rows, unless the job is lenient.
    pub(crate) fn check_rows(
        &self,
        held: &HeldRows,
        lenient: bool,
        context: Context<'_>,
    ) -> Result<(), Error> {
        let is_met = |label: &LabelName| held.labels().flatten().any(|raw| label.is(raw));
        match self.given().iter().find(|(label, _)| !is_met(label)) {
            Some((label, _)) => not_weighted(label, lenient, context),
            None => Ok(()),
        }
    }
}

/// Looks for rows of the labels that were given a weight.
pub(crate) struct WeightedLabels {
    /// Those that no row has had.
    unmet: Vec<LabelName>,
}

impl WeightedLabels {
    /// The labels to look for. A model that is resumed may have met them before, so none is looked for.
    pub(crate) fn new(weight: &ClassWeight, is_resumed: bool) -> Self {
        let given = if is_resumed { &[] } else { weight.given() };
        WeightedLabels {
            unmet: given.iter().map(|(label, _)| label.clone()).collect(),
        }
    }

    /// Looks at more rows.
    pub(crate) fn block(&mut self, block: Block<'_>) {
        let mut labels = (0..block.len()).flat_map(|row| block.labels(row));
        while !self.unmet.is_empty() {
            let Some(label) = labels.next() else { return };
            self.unmet.retain(|wanted| !wanted.is(label));
        }
    }

    /// Looks at rows that are held.
    pub(crate) fn held(&mut self, held: &HeldRows) {
        for block in held.blocks() {
            self.block(block);
        }
    }

    /// An error if no row had one of the labels, unless the job is lenient.
    pub(crate) fn check(&self, lenient: bool, context: Context<'_>) -> Result<(), Error> {
        match self.unmet.first() {
            Some(label) => not_weighted(label, lenient, context),
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

/// Bytes of the largest file of weights that is read.
const LARGEST_FILE: u64 = 64 << 20;

/// The text of a file, or an error if it is longer.
fn read_at_most(path: &Path, bytes: u64) -> std::io::Result<String> {
    let mut text = String::new();
    let mut file = std::fs::File::open(path)?.take(bytes + 1);
    file.read_to_string(&mut text)?;
    if text.len() as u64 > bytes {
        let what = format!("it has more than {bytes} bytes");
        return Err(std::io::Error::new(std::io::ErrorKind::FileTooLarge, what));
    }
    Ok(text)
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

/// No row has a label that was given a weight: an error, unless the job is lenient.
fn not_weighted(label: &LabelName, lenient: bool, context: Context<'_>) -> Result<(), Error> {
    let label = label.name().chars().take(40).collect();
    let remark = Remark::Label(LabelRemark::NotWeighted { label });
    context.allow(&remark, lenient)
}
