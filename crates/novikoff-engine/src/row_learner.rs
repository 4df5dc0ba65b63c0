//! A model that is given one row at a time, by the names of its features: for doors that hold it from one call to the next. Files and rows in
//! memory go through [`fit`](crate::fit) and [`answer`](crate::answer).
//!
//! The first row that is learned makes the model: values that are `auto` are those of this row, and so is the number of features that some
//! keys ask for, unless the options say it.

use novikoff::classes::Task;
use novikoff::label::{Label, RawLabel};
use novikoff::model::{Example, Model};
use novikoff::names::Names;
use novikoff::row::Row;
use novikoff::rows::Rows;
use novikoff::schema::Schema;
use novikoff::spec::Spec;
use novikoff_data::options::ReadOptions;
use novikoff_data::row_builder::{RowBuilder, RowError, RowInProgress};

use crate::Error;
use crate::data::is_sign;
use crate::options::{NewModel, RunOptions, check_map, needs_files, standardize_needs_files};
use crate::rows::refused;

/// How names come into a row: those of a row that brings new ones are given in their order, so that slots do not depend on how a door goes
/// through its features.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NameOrder {
    /// Any.
    Any,
    /// The order of the names.
    Sorted,
}

/// A model that learns and answers row by row.
pub struct RowLearner {
    spec: Spec,
    run: RunOptions,
    memory: u128,
    model: Option<Model>,
    builder: RowBuilder,
    known: KnownRow,
    scores: Vec<f64>,
}

/// A row of features whose slots are known: what most rows are.
#[derive(Clone, Debug, Default)]
pub struct KnownRow {
    slots: Vec<u32>,
    values: Vec<f32>,
    is_sorted: bool,
}

impl KnownRow {
    fn begin(&mut self, bias: Option<f32>) {
        self.slots.clear();
        self.values.clear();
        self.is_sorted = true;
        if let Some(bias) = bias {
            self.slots.push(0);
            self.values.push(bias);
        }
    }

    /// Adds a value; false if it is not within the range of f32, which the slower way has words for.
    #[inline]
    pub fn push(&mut self, slot: u32, value: f64) -> bool {
        let value = value as f32;
        if value != 0.0 {
            self.is_sorted &= self.slots.last().is_none_or(|last| *last < slot);
            self.slots.push(slot);
            self.values.push(value);
        }
        value.is_finite()
    }

    /// The row, in the order of the slots; what came twice is added up.
    fn row(&mut self) -> Row<'_> {
        if !self.is_sorted {
            let pairs = self.slots.iter().copied().zip(self.values.iter().copied());
            let mut rows = Rows::new();
            pairs.for_each(|(slot, value)| rows.push_any(slot, value));
            rows.end_row(0);
            self.slots.clear();
            self.values.clear();
            for (slot, value) in rows.row(0).iter() {
                self.slots.push(slot as u32);
                self.values.push(value as f32);
            }
            self.is_sorted = true;
        }
        Row::sparse(&self.slots, &self.values)
    }
}

/// The label of a row, and how much the row counts.
#[derive(Clone, Copy, Debug)]
pub struct RowLabel<'l> {
    /// The label.
    pub label: RawLabel<'l>,
    /// How many times its step counts.
    pub weight: f64,
}

impl RowLearner {
    /// Before the first row.
    pub fn new(spec: Spec, run: RunOptions, memory: u128) -> Result<Self, Error> {
        if spec.entry().can.needs_all_rows {
            return Err(needs_files(spec.name()));
        }
        if run.standardize {
            return Err(standardize_needs_files());
        }
        check_map(run.map, run.kernel_for(&spec))?;
        let preparation = run.for_learner(&run.preparation(), &spec);
        let read = ReadOptions {
            bias: preparation.bias,
            ..ReadOptions::default()
        };
        Ok(RowLearner {
            spec,
            run,
            memory,
            model: None,
            builder: RowBuilder::new(read),
            known: KnownRow::default(),
            scores: Vec::new(),
        })
    }

    /// Goes on from a model.
    pub fn go_on(&mut self, mut model: Model) {
        begin(&mut model);
        self.builder = RowBuilder::new(ReadOptions {
            bias: model.preparation().bias,
            ..ReadOptions::default()
        });
        self.model = Some(model);
    }

    /// What is to be learned, if the options do not say it; asked before the first row.
    pub fn set_task(&mut self, task: Task) {
        self.run.task = Some(task);
    }

    /// The model, once there was a row.
    pub fn model(&self) -> Option<&Model> {
        self.model.as_ref()
    }

    /// Learns a row that `fill` puts together; it is asked a second time, for another order, if the row brings new names. Gives whether the
    /// model was mistaken. A row that is refused changes nothing but the names and classes it may have brought.
    pub fn learn_row<E: From<Error>>(
        &mut self,
        of: RowLabel<'_>,
        mut fill: impl FnMut(&mut RowInProgress<'_, '_>, NameOrder) -> Result<(), E>,
    ) -> Result<bool, E> {
        let Some(model) = &mut self.model else {
            let (model, mistaken) = self.first_row(of, fill)?;
            self.model = Some(model);
            return Ok(mistaken);
        };
        let mut row = self.builder.learning(model.names_mut());
        fill(&mut row, NameOrder::Any)?;
        if row.has_new_names() {
            row = self.builder.learning(model.names_mut());
            fill(&mut row, NameOrder::Sorted)?;
        }
        row.finish().map_err(bad_row)?;
        model.reach(self.builder.width());
        Ok(trial(model, self.builder.row(), of)?)
    }

    /// The model that the first row makes, once it has learned it.
    fn first_row<E: From<Error>>(
        &mut self,
        of: RowLabel<'_>,
        mut fill: impl FnMut(&mut RowInProgress<'_, '_>, NameOrder) -> Result<(), E>,
    ) -> Result<(Model, bool), E> {
        let mut names = Names::new();
        let mut row = self.builder.learning(&mut names);
        fill(&mut row, NameOrder::Sorted)?;
        let x = row.finish().map_err(bad_row)?;
        let mut first = Rows::new();
        first.add(of.label, x);
        let mut model = self.new_model(&first, of.label)?;
        *model.names_mut() = names;
        begin(&mut model);
        model.reach(first.width());
        let mistaken = trial(&mut model, first.row(0), of)?;
        Ok((model, mistaken))
    }

    fn new_model(&self, first: &Rows, label: RawLabel<'_>) -> Result<Model, Error> {
        let usual = || {
            if is_sign(label) {
                Task::plus_minus()
            } else {
                Task::OneVsRest
            }
        };
        let task = self.run.task.clone().unwrap_or_else(usual);
        let class_weights = self.run.class_weight.resolve(&task, || Ok(Vec::new()))?;
        let preparation = self.run.for_learner(&self.run.preparation(), &self.spec);
        self.run.new_model(NewModel {
            spec: &self.spec,
            first: first.view(),
            task,
            preparation,
            zero_based: false,
            width: self.run.features.or(Some(first.width())),
            class_weights,
            memory: self.memory,
            threads: 1,
            side_by_side: 1,
        })
    }

    /// The scores of a row that `fill` puts together, in the order in which classes appeared; of two labels that of the positive one. None
    /// before the first row. Features that are not known are left out.
    pub fn scores<E: From<Error>>(
        &mut self,
        fill: impl FnOnce(&mut RowInProgress<'_, '_>) -> Result<(), E>,
    ) -> Result<Option<&[f64]>, E> {
        let Some(model) = &self.model else {
            return Ok(None);
        };
        let mut row = self.builder.predicting(model.names());
        fill(&mut row)?;
        row.finish().map_err(bad_row)?;
        model.scores(self.builder.row(), None, &mut self.scores);
        Ok(Some(&self.scores))
    }

    /// The place among [`labels`](Self::labels) of the label that the scores asked for last predict.
    pub fn chosen(&self) -> Option<usize> {
        let classes = self.model.as_ref()?.classes();
        if classes.is_binary() {
            return Some(usize::from(Label::of(*self.scores.first()?) == Label::Pos));
        }
        classes.best(|class| self.scores[class])
    }

    /// The probabilities that the scores asked for last come to, one for each of [`labels`](Self::labels); false if the model has none.
    pub fn probabilities(&self, out: &mut Vec<f64>) -> bool {
        let Some(model) = &self.model else {
            return false;
        };
        if !model.has_probabilities(None) || !model.probabilities(&self.scores, out) {
            return false;
        }
        if let [positive] = out[..]
            && model.classes().is_binary()
        {
            *out = vec![1.0 - positive, positive];
        }
        true
    }

    /// The slot of a name, if it has one.
    pub fn slot(&self, name: &[u8]) -> Option<u32> {
        self.model.as_ref()?.names().slot_when_frozen(name)
    }

    /// Begins a row of features whose slots are known; none before the first row was learned.
    pub fn begin_known(&mut self) -> Option<&mut KnownRow> {
        let bias = self.model.as_ref()?.preparation().bias;
        self.known.begin(bias);
        Some(&mut self.known)
    }

    /// The row that was begun last.
    pub fn known_mut(&mut self) -> &mut KnownRow {
        &mut self.known
    }

    /// Learns the [row of known features](Self::begin_known), as [`learn_row`](Self::learn_row) does.
    pub fn learn_known(&mut self, of: RowLabel<'_>) -> Result<bool, Error> {
        match &mut self.model {
            Some(model) => trial(model, self.known.row(), of),
            None => Ok(false),
        }
    }

    /// The scores of the row of known features, as [`scores`](Self::scores) has them.
    pub fn score_known(&mut self) {
        if let Some(model) = &self.model {
            model.scores(self.known.row(), None, &mut self.scores);
        }
    }

    /// How many labels there are so far.
    pub fn label_count(&self) -> usize {
        match &self.model {
            Some(model) if model.classes().is_binary() => 2,
            Some(model) => model.classes().list().len(),
            None => 0,
        }
    }

    /// The labels so far: of two the negative one first, else in the order in which they appeared.
    pub fn labels(&self) -> Vec<&str> {
        let Some(model) = &self.model else {
            return Vec::new();
        };
        let classes = model.classes();
        if let Task::Binary { negative, positive } = classes.task() {
            let negative = negative.as_ref().map_or("rest", |label| label.name());
            return vec![negative, positive.name()];
        }
        let classes = classes.list().iter();
        classes.map(|class| class.label.name()).collect()
    }
}

/// Rows come once: no row has the id of an earlier one.
fn begin(model: &mut Model) {
    model.begin_run();
    model.number_rows_from(None);
}

fn trial(model: &mut Model, x: Row<'_>, of: RowLabel<'_>) -> Result<bool, Error> {
    let example = Example {
        x,
        id: None,
        weight: of.weight,
    };
    let tried = model.learn(example, std::iter::once(of.label));
    let outcome = tried.map_err(|error| refused("", &error, &Schema::default()))?;
    Ok(outcome.is_mistake())
}

#[allow(clippy::needless_pass_by_value)] // for map_err
fn bad_row(error: RowError) -> Error {
    let remedy = error.remedy();
    Error::refused(error.to_string(), remedy)
}

#[cfg(test)]
mod tests {
    use novikoff::random::SplitMix64;

    use super::*;

    fn learner(spec: &str) -> RowLearner {
        let run = RunOptions {
            bias: Some(Some(1.0)),
            ..RunOptions::default()
        };
        let spec = Spec::parse(spec).expect("a spec");
        RowLearner::new(spec, run, 1 << 20).expect("a learner of rows")
    }

    /// Learns a row of names and values, by slots where all names are known and that is asked for.
    fn learn(learner: &mut RowLearner, row: &[(String, f64)], label: &str, by_slots: bool) -> bool {
        let of = RowLabel {
            label: label.into(),
            weight: 1.0,
        };
        let slots = row.iter().map(|(name, _)| learner.slot(name.as_bytes()));
        let slots: Option<Vec<u32>> = slots.collect();
        if let (true, Some(slots)) = (by_slots, slots) {
            let known = learner.begin_known().expect("a model");
            for (slot, (_, value)) in slots.into_iter().zip(row) {
                assert!(known.push(slot, *value));
            }
            return learner.learn_known(of).expect("a row");
        }
        let learned = learner.learn_row::<Error>(of, |building, order| {
            let mut row = row.to_vec();
            if order == NameOrder::Sorted {
                row.sort_by(|(a, _), (b, _)| a.cmp(b));
            }
            for (name, value) in &row {
                building.number(name, *value).map_err(bad_row)?;
            }
            Ok(())
        });
        learned.expect("a row")
    }

    /// Rows by slots, rows by names, and rows by names in another order are the same rows.
    #[test]
    fn all_ways_into_a_row_are_one() {
        for (spec, labels) in [
            ("perceptron", &["-1", "+1"][..]),
            ("arow", &["red", "green", "blue"]),
            ("averaged", &["3", "5", "2"]),
        ] {
            let mut random = SplitMix64::new(5);
            let mut learners = [learner(spec), learner(spec), learner(spec)];
            for _ in 0..300 {
                let mut row: Vec<(String, f64)> = Vec::new();
                for _ in 0..=random.below(5) {
                    // names come twice, and values are 0 now and then
                    let value = random.below(5) as f64 - 1.0;
                    row.push((format!("f{}", random.below(12)), value));
                }
                let label = labels[random.below(labels.len())];
                let turned: Vec<(String, f64)> = row.iter().rev().cloned().collect();
                let [by_slots, by_names, other_way] = &mut learners;
                let mistaken = learn(by_slots, &row, label, true);
                assert_eq!(learn(by_names, &row, label, false), mistaken);
                assert_eq!(learn(other_way, &turned, label, true), mistaken);
                for learner in [by_names, by_slots] {
                    let asked = learner.scores::<Error>(|building| {
                        building.number("unknown", 3.0).map_err(bad_row)?;
                        building.number("f1", 1.0).map_err(bad_row)
                    });
                    assert!(asked.expect("scores").is_some());
                    assert!(learner.chosen().is_some_and(|k| k < learner.label_count()));
                }
            }
            let bytes = learners.each_ref().map(|learner| {
                let model = learner.model().expect("a model");
                novikoff_data::model::to_bytes(model).expect("bytes")
            });
            assert!(bytes[0] == bytes[1] && bytes[0] == bytes[2], "{spec}");
        }
    }

    #[test]
    fn what_needs_all_rows_is_refused() {
        let spec = Spec::parse("whitened").expect("a spec");
        let made = RowLearner::new(spec, RunOptions::default(), 1 << 20);
        assert!(matches!(made, Err(Error::FilesOnly { .. })));
        let run = RunOptions {
            standardize: true,
            ..RunOptions::default()
        };
        let spec = Spec::parse("perceptron").expect("a spec");
        let made = RowLearner::new(spec, run, 1 << 20);
        assert!(matches!(made, Err(Error::FilesOnly { .. })));
    }
}
