//! A model: a learner, how rows are prepared for it, its classes and its counts.

mod snapshot;

use std::sync::Arc;

pub use snapshot::Snapshot;

use crate::calibration::Calibration;
use crate::classes::{Classes, LabelError, Task};
use crate::kernel::Kernel;
use crate::label::{Label, RawLabel};
use crate::learner::{Hypothesis, Learner, Refusal, Trial};
use crate::names::Names;
use crate::parameter::Parameters;
use crate::remedy::Remedy;
use crate::row::Row;
use crate::space::{Coming, StoredRows};
use crate::spec::{Spec, SpecError};
use crate::standardize::Moments;
use crate::table::Table;

/// What is done to a row before a learner sees it. The constant feature is put into slot 0 by the
/// reader; centring and scaling come next, normalising last.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Preparation {
    /// The constant feature.
    pub bias: Option<f32>,
    /// Features are centred and scaled.
    pub standardize: Option<Arc<Moments>>,
    /// Rows are divided by their p-norm.
    pub normalize: Option<f64>,
}

impl Preparation {
    /// The row as learners see it, kept in `buffer` if need be; a zero row stays zero. Rows that several learners share may have another
    /// constant feature than this one's: it is taken out, or replaced.
    pub fn apply<'a>(&self, x: Row<'a>, buffer: &'a mut Vec<f32>) -> Row<'a> {
        let x = match (&self.standardize, x.constant(), self.bias) {
            (Some(moments), has, bias) => moments.apply(x, has.and(bias), buffer),
            (None, Some(_), None) => x.without_constant(),
            (None, Some(has), Some(bias)) if has != bias => x.with_constant(bias, buffer),
            _ => x,
        };
        match self.normalize {
            None => x,
            Some(p) => {
                let norm = x.norm(p);
                if norm > 0.0 { x.scaled(1.0 / norm) } else { x }
            }
        }
    }
}

/// A row that cannot be learned from.
#[derive(Clone, Debug, thiserror::Error, PartialEq)]
#[non_exhaustive]
pub enum TrialError {
    /// Its label.
    #[error(transparent)]
    Label(#[from] LabelError),
    /// Its values.
    #[error(transparent)]
    Refused(#[from] Refusal),
}

impl TrialError {
    /// What to do about it.
    pub fn remedy(&self) -> Remedy {
        match self {
            TrialError::Label(error) => error.remedy(),
            TrialError::Refused(error) => error.remedy(),
        }
    }
}

/// Trials, mistakes and updates.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Totals {
    /// Rows learned from.
    pub trials: u64,
    /// Trials whose final label was wrong.
    pub mistakes: u64,
    /// Changes of state, summed over the classes.
    pub updates: u64,
}

/// One binary problem in the last trial.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Event {
    /// Which class.
    pub class: usize,
    /// Its margin before the update.
    pub margin: f64,
    /// Whether its sign was wrong.
    pub mistake: bool,
    /// Whether its state moved.
    pub updated: bool,
}

/// A learner with everything that is needed to go on or to predict.
#[derive(Clone)]
pub struct Model {
    /// As typed.
    pub spec: Spec,
    /// All parameters.
    pub parameters: Parameters,
    /// What is done to rows.
    pub preparation: Preparation,
    /// The kernel of the learner.
    pub kernel: Kernel,
    /// The learner; with several classes, lane 0 is the background and class `k` is lane `k + 1`.
    pub learner: Box<dyn Learner>,
    /// The classes.
    pub classes: Classes,
    /// The counts.
    pub totals: Totals,
    /// Highest feature number seen.
    pub width: u32,
    /// The data counts its features from 0.
    pub zero_based: bool,
    /// The names of the features, where they are not their numbers.
    pub names: Names,
    /// The columns of the table it was trained on, if it was one.
    pub table: Option<Table>,
    /// From margins to probabilities, if it was calibrated; of no use once it has learned more.
    pub calibration: Option<Calibration>,
    /// Mistakes of earlier runs found out in this one; part of the totals.
    pub settled_earlier: u64,
    /// Threads it may use.
    pub threads: usize,
    /// The id of the run's first row, where rows may come again: noise control tells examples by their ids.
    pub first_id: Option<u64>,
    last: Trial,
    positive: Vec<usize>,
    buffer: Vec<f32>,
}

impl Model {
    /// A model that knows nothing yet. `width` is needed where the spec says `auto`; the state may
    /// take `memory` bytes.
    pub fn new(
        spec: Spec,
        task: Task,
        preparation: Preparation,
        width: Option<u32>,
        memory: u128,
    ) -> Result<Self, SpecError> {
        Self::with_kernel(spec, Kernel::LINEAR, task, preparation, width, memory)
    }

    /// The same in the space of a kernel.
    pub fn with_kernel(
        spec: Spec,
        kernel: Kernel,
        task: Task,
        preparation: Preparation,
        width: Option<u32>,
        memory: u128,
    ) -> Result<Self, SpecError> {
        let parameters = spec.parameters(width)?;
        let learner = spec.learner(&parameters, kernel, memory)?;
        let classes = Classes::new(task);
        let mut model = Self::restore(spec, parameters, preparation, learner, classes);
        model.kernel = kernel;
        Ok(model)
    }

    /// A model from its parts.
    pub fn restore(
        spec: Spec,
        parameters: Parameters,
        preparation: Preparation,
        learner: Box<dyn Learner>,
        classes: Classes,
    ) -> Self {
        Model {
            spec,
            parameters,
            preparation,
            kernel: Kernel::LINEAR,
            learner,
            classes,
            totals: Totals::default(),
            width: 0,
            zero_based: false,
            names: Names::new(),
            table: None,
            calibration: None,
            settled_earlier: 0,
            threads: 1,
            first_id: Some(0),
            last: Trial::default(),
            positive: Vec::new(),
            buffer: Vec::new(),
        }
    }

    /// Rows as read, with their ids, whose trials come next, in this order; some may be left out. As many at a time as the learner
    /// [likes](Learner::foresees). Changes no result.
    pub fn foresee<'a>(&mut self, rows: impl Iterator<Item = (Option<u64>, Row<'a>)>) {
        let mut coming = Coming::default();
        for (id, x) in rows {
            coming.ids.push(id);
            coming
                .rows
                .push(self.preparation.apply(x, &mut self.buffer));
        }
        self.learner.foresee(coming, self.threads);
    }

    /// One trial on a row as read that will not come again. True if the final label was wrong.
    pub fn trial<'a>(
        &mut self,
        x: Row<'_>,
        labels: impl ExactSizeIterator<Item = RawLabel<'a>>,
    ) -> Result<bool, TrialError> {
        self.weighted_trial(x, 1.0, labels)
    }

    /// One trial on such a row whose step counts `weight` times.
    pub fn weighted_trial<'a>(
        &mut self,
        x: Row<'_>,
        weight: f64,
        labels: impl ExactSizeIterator<Item = RawLabel<'a>>,
    ) -> Result<bool, TrialError> {
        self.visit(None, x, weight, labels)
    }

    /// One trial on a row of a given id, if it may come again.
    pub fn visit<'a>(
        &mut self,
        id: Option<u64>,
        x: Row<'_>,
        weight: f64,
        labels: impl ExactSizeIterator<Item = RawLabel<'a>>,
    ) -> Result<bool, TrialError> {
        if weight != 1.0 && !self.learner.is_weighted() {
            return Err(Refusal::Weight {
                learner: self.spec.name(),
                weight,
                others: self.spec.weighted(),
            }
            .into());
        }
        (self.last.weight, self.last.id) = (weight, id);
        let mut buffer = std::mem::take(&mut self.buffer);
        let mistake = self.prepared_trial(x, &mut buffer, labels);
        self.buffer = buffer;
        let mistake = mistake?;
        self.totals.trials += 1;
        self.totals.mistakes += u64::from(mistake);
        Ok(mistake)
    }

    fn prepared_trial<'a>(
        &mut self,
        x: Row<'_>,
        buffer: &mut Vec<f32>,
        mut labels: impl ExactSizeIterator<Item = RawLabel<'a>>,
    ) -> Result<bool, TrialError> {
        let x = self.preparation.apply(x, buffer);
        if let Task::MultiLabel = self.classes.task() {
            self.multi_label(x, labels)
        } else {
            let label = match (labels.len(), labels.next()) {
                (1, Some(label)) => label,
                (0, _) => return Err(LabelError::None.into()),
                (count, _) => return Err(LabelError::Several { count }.into()),
            };
            match self.classes.task() {
                Task::Binary { .. } | Task::Regression => self.binary(x, label),
                _ => self.one_vs_rest(x, label),
            }
        }
    }

    fn binary(&mut self, x: Row<'_>, label: RawLabel<'_>) -> Result<bool, TrialError> {
        let positive = self.classes.binary(label)?;
        self.positive.clear();
        if positive {
            self.positive.push(0);
        }
        self.learn(x)?;
        let mistake = self.mistake(0);
        self.count(0);
        Ok(mistake)
    }

    fn one_vs_rest(&mut self, x: Row<'_>, label: RawLabel<'_>) -> Result<bool, TrialError> {
        let truth = self.class(label)?;
        self.positive.clear();
        self.positive.push(truth + 1);
        self.learn(x)?;
        (0..=self.classes.list().len()).for_each(|lane| self.count(lane));
        let score = &self.last.score;
        let best = self.classes.best(|class| score[class + 1]);
        let mistake = best != Some(truth);
        if !mistake {
            // a class still to come would have scored as the background did
            if score[0] > score[truth + 1] {
                self.classes.pending.any += 1;
            } else if score[0] == score[truth + 1] {
                *self.classes.pending.lower.entry(truth).or_default() += 1;
            }
        }
        Ok(mistake)
    }

    fn multi_label<'a>(
        &mut self,
        x: Row<'_>,
        labels: impl Iterator<Item = RawLabel<'a>>,
    ) -> Result<bool, TrialError> {
        let mut positive = std::mem::take(&mut self.positive);
        positive.clear();
        for label in labels {
            let lane = self.class(label)? + 1;
            if !positive.contains(&lane) {
                positive.push(lane);
            }
        }
        self.positive = positive;
        self.learn(x)?;
        let lanes = self.classes.list().len() + 1;
        (0..lanes).for_each(|lane| self.count(lane));
        let mistake = (1..lanes).any(|lane| self.mistake(lane));
        if !mistake && self.mistake(0) {
            self.classes.pending.any += 1;
        }
        Ok(mistake)
    }

    /// The class of a label, new if need be.
    fn class(&mut self, label: RawLabel<'_>) -> Result<usize, Refusal> {
        if let Some(class) = self.classes.find(label) {
            return Ok(class);
        }
        self.learner.add_lane(0)?;
        let class = self.classes.add(label);
        self.totals.updates += self.classes.list()[class].counts.updates;
        let (settled, earlier) = self.classes.settle(class);
        self.totals.mistakes += settled + earlier;
        self.settled_earlier += earlier;
        Ok(class)
    }

    /// The trial proper; rows that are zero in feature space change nothing.
    fn learn(&mut self, x: Row<'_>) -> Result<(), Refusal> {
        if self.learner.is_zero(x) {
            let lanes = self.learner.lanes();
            self.last.margin.clear();
            self.last.margin.resize(lanes, self.learner.zero_margin());
            self.last.score.clone_from(&self.last.margin);
            self.last.updated.clear();
            self.last.updated.resize(lanes, false);
            Ok(())
        } else {
            let tried = self.learner.trial(x, &self.positive, &mut self.last);
            tried.map_err(|refusal| match refusal {
                Refusal::Negative { feature, value } if self.zero_based => Refusal::Negative {
                    feature: feature - 1,
                    value,
                },
                other => other,
            })
        }
    }

    fn mistake(&self, lane: usize) -> bool {
        (Label::of(self.last.margin[lane]) == Label::Pos) != self.positive.contains(&lane)
    }

    fn count(&mut self, lane: usize) {
        let (mistake, updated) = (self.mistake(lane), self.last.updated[lane]);
        let background = !self.classes.is_binary() && lane == 0;
        let counts = if background {
            &mut self.classes.background
        } else {
            self.totals.updates += u64::from(updated);
            let first = usize::from(!self.classes.is_binary());
            self.classes.counts_mut(lane - first)
        };
        counts.mistakes += u64::from(mistake);
        counts.updates += u64::from(updated);
    }

    /// The lane of a class.
    pub fn lane(&self, class: usize) -> usize {
        class + usize::from(!self.classes.is_binary())
    }

    /// The last trial, lane by lane, and the lanes whose label was positive.
    pub fn last_trial(&self) -> (&Trial, &[usize]) {
        (&self.last, &self.positive)
    }

    /// The binary problems of the last trial that were mistaken or changed, in the order of their
    /// labels.
    pub fn events(&self) -> impl Iterator<Item = Event> {
        self.classes.order().iter().filter_map(|&class| {
            let lane = self.lane(class);
            let (mistake, updated) = (self.mistake(lane), self.last.updated[lane]);
            let margin = self.last.margin[lane];
            (mistake || updated).then_some(Event {
                class,
                margin,
                mistake,
                updated,
            })
        })
    }

    /// Of the last trial: whether a class was mistaken, and whether it changed.
    pub fn outcome(&self, class: usize) -> (bool, bool) {
        let lane = self.lane(class);
        (self.mistake(lane), self.last.updated[lane])
    }

    /// The same for the learner of classes that have not appeared, where there is one.
    pub fn background_outcome(&self) -> Option<(bool, bool)> {
        let lane = 0;
        (!self.classes.is_binary()).then(|| (self.mistake(lane), self.last.updated[lane]))
    }

    /// The scores of the deployed predictor, or another, for every class in order of appearance.
    pub fn scores(&self, x: Row<'_>, by: Option<Hypothesis>, out: &mut Vec<f64>) {
        let mut buffer = Vec::new();
        let x = self.preparation.apply(x, &mut buffer);
        let lanes = self.learner.lanes();
        out.clear();
        if self.learner.is_zero(x) {
            out.resize(lanes, self.learner.zero_margin());
        } else {
            out.resize(lanes, 0.0);
            self.learner
                .scores(x, by.unwrap_or(self.learner.hypotheses()[0]), out);
        }
        if !self.classes.is_binary() {
            out.remove(0);
        }
    }

    /// The same for many rows, in order: `each(row, its scores)`. Learners that do many rows together are given
    /// many.
    pub fn scores_of<'a>(
        &self,
        rows: impl Iterator<Item = Row<'a>>,
        by: Option<Hypothesis>,
        mut each: impl FnMut(usize, &[f64]),
    ) {
        if self.learner.foresees() == 0 {
            let mut scores = Vec::new();
            for (i, x) in rows.enumerate() {
                self.scores(x, by, &mut scores);
                each(i, &scores);
            }
            return;
        }
        let by = by.unwrap_or(self.learner.hypotheses()[0]);
        let mut rows = rows.peekable();
        let (mut done, mut buffer) = (0, Vec::new());
        while rows.peek().is_some() {
            let mut part = StoredRows::default();
            for x in rows.by_ref().take(self.learner.foresees()) {
                part.push(self.preparation.apply(x, &mut buffer));
            }
            let lanes = self.learner.lanes();
            let mut scores = vec![0.0; part.len() * lanes];
            self.learner.scores_of(&part, by, self.threads, &mut scores);
            for (x, scores) in part.rows().zip(scores.chunks_exact_mut(lanes)) {
                if self.learner.is_zero(x) {
                    scores.fill(self.learner.zero_margin());
                }
                each(done, &scores[usize::from(!self.classes.is_binary())..]);
                done += 1;
            }
        }
    }

    /// The probability of every class in order of appearance, if the model is calibrated: of the positive label
    /// alone where there are two, and summing to 1 where every row has one of several. The scores are those of the
    /// calibration's own predictor.
    pub fn probabilities(&self, scores: &[f64], out: &mut Vec<f64>) -> bool {
        let Some(calibration) = &self.calibration else {
            return false;
        };
        out.clear();
        let maps = calibration.maps.iter();
        out.extend(maps.zip(scores).map(|(map, &score)| map.probability(score)));
        if let Task::OneVsRest = self.classes.task() {
            let sum: f64 = out.iter().sum();
            let even = 1.0 / out.len() as f64;
            let share = |p: f64| if sum > 0.0 { p / sum } else { even };
            for p in out.iter_mut() {
                *p = share(*p);
            }
        }
        true
    }

    /// Whether the labels that scores predict differ from the true ones.
    pub fn is_wrong<'a>(&self, scores: &[f64], labels: impl Iterator<Item = RawLabel<'a>>) -> bool {
        match self.classes.task() {
            Task::Binary { negative, positive } => {
                let predicted = match Label::of(scores[0]) {
                    Label::Pos => Some(positive),
                    Label::Neg => negative.as_ref(),
                };
                let mut labels = labels;
                labels.next().is_none_or(|truth| match predicted {
                    Some(label) => !label.is(truth),
                    None => positive.is(truth),
                })
            }
            Task::OneVsRest => {
                let truth = labels.map(|raw| self.classes.find(raw)).next().flatten();
                truth.is_none() || self.classes.best(|class| scores[class]) != truth
            }
            Task::MultiLabel => {
                let mut wrong: Vec<bool> =
                    scores.iter().map(|&s| Label::of(s) == Label::Pos).collect();
                let mut unknown = false;
                for raw in labels {
                    match self.classes.find(raw) {
                        Some(class) => wrong[class] = Label::of(scores[class]) == Label::Neg,
                        None => unknown = true,
                    }
                }
                unknown || wrong.contains(&true)
            }
            Task::Regression => {
                let truth = labels.map(|raw| raw.number()).next().flatten();
                truth != Some(scores[0])
            }
        }
    }

    /// The labels that scores predict, in the order of the labels, separated by commas; or the number.
    pub fn predict(&self, scores: &[f64], out: &mut Vec<u8>) {
        match self.classes.task() {
            Task::Binary { negative, positive } => {
                let label = match Label::of(scores[0]) {
                    Label::Pos => positive.name(),
                    Label::Neg => negative.as_ref().map_or("rest", |n| n.name()),
                };
                out.extend_from_slice(label.as_bytes());
            }
            Task::OneVsRest => {
                if let Some(class) = self.classes.best(|class| scores[class]) {
                    out.extend_from_slice(self.classes.list()[class].label.name().as_bytes());
                }
            }
            Task::MultiLabel => {
                let chosen = self.classes.order().iter();
                let mut first = true;
                for &class in chosen.filter(|&&class| Label::of(scores[class]) == Label::Pos) {
                    if !std::mem::take(&mut first) {
                        out.push(b',');
                    }
                    out.extend_from_slice(self.classes.list()[class].label.name().as_bytes());
                }
            }
            Task::Regression => out.extend_from_slice(scores[0].to_string().as_bytes()),
        }
    }
}
