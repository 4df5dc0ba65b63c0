//! One trial of a model: the row is prepared, its label becomes y = -1 or +1 per class, the learner learns, and counts are kept.

use super::{Model, Outcome, Scratch};
use crate::classes::{LabelError, Task};
use crate::label::RawLabel;
use crate::learner::{Hypothesis, Refusal};
use crate::preparation::RowBuffer;
use crate::remedy::Remedy;
use crate::row::Row;
use crate::space::UpcomingRows;

/// A row as read, to be learned from. A plain [`Row`] becomes one that does not come again and has weight 1.
#[derive(Clone, Copy, Debug)]
pub struct Example<'a> {
    /// The row.
    pub x: Row<'a>,
    /// Which example it is, if it may come again: noise control tells examples by their ids.
    pub id: Option<u64>,
    /// How many times its step counts.
    pub weight: f64,
}

impl<'a> From<Row<'a>> for Example<'a> {
    fn from(x: Row<'a>) -> Self {
        Example {
            x,
            id: None,
            weight: 1.0,
        }
    }
}

/// A row that cannot be learned from, with what to do about it.
///
/// ```
/// use novikoff::{Label, Model, Row, learners::Winnow};
///
/// let mut model = Model::builder(Winnow::default()).width(2).build()?;
/// let error = model.learn(Row::dense(&[1.0, -0.5]), [Label::Pos]).err().unwrap();
/// assert_eq!(error.to_string(), "feature 2 is -0.5, but winnow takes no negative values");
/// assert_eq!(error.remedy().to_string(), "use balanced-winnow or eg");
/// # Ok::<(), novikoff::SpecError>(())
/// ```
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

impl Model {
    /// Rows as read, with their ids, whose trials come next, in this order; some may be left out. As many at a time as the learner
    /// [likes](crate::learner::Lookahead::lookahead). Changes no result.
    #[doc(hidden)] // for the loop of a run
    pub fn prefetch<'a>(&mut self, rows: impl Iterator<Item = (Option<u64>, Row<'a>)>) {
        let mut coming = UpcomingRows::default();
        for (id, x) in rows {
            coming.ids.push(id);
            let x = self.schema.preparation.apply(x, &mut self.scratch.buffer);
            coming.rows.push(x);
        }
        self.learner.prefetch(coming, self.threads);
    }

    /// One trial: the model predicts, sees the labels of the row and may change. A row that is refused changes nothing but the
    /// classes it may have brought.
    ///
    /// ```
    /// use novikoff::{Label, Model, Row, learners::Perceptron};
    ///
    /// let mut model = Model::builder(Perceptron::default()).build()?;
    /// assert!(model.learn(Row::dense(&[1.0, 2.0]), [Label::Neg])?.is_mistake());
    /// assert!(!model.learn(Row::dense(&[2.0, 1.0]), ["-1"])?.is_mistake());
    /// assert!(model.learn(Row::dense(&[1.0, f32::NAN]), [Label::Neg]).is_err());
    /// assert_eq!(model.totals().trials, 2);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn learn<'m, 'a, 'l, L: Into<RawLabel<'l>>>(
        &'m mut self,
        example: impl Into<Example<'a>>,
        labels: impl IntoIterator<Item = L, IntoIter: ExactSizeIterator>,
    ) -> Result<Outcome<'m>, TrialError> {
        let labels = labels.into_iter().map(Into::into);
        let Example { x, id, weight } = example.into();
        if weight != 1.0 && !self.learner.is_weighted() {
            return Err(Refusal::Weight {
                learner: self.spec.name(),
                weight,
                others: self.spec.weighted(),
            }
            .into());
        }
        let trial = &mut self.scratch.trial;
        (trial.weight, trial.id, trial.tie) = (weight, id, self.tie);
        let calibrated = self.calibration.as_ref().filter(|_| self.is_first_pass);
        let validated = self.validation.map(|validation| validation.by);
        trial.validates = validated.or(calibrated.map(|calibration| calibration.hypothesis));
        let mut buffer = std::mem::take(&mut self.scratch.buffer);
        let mistake = self.prepared_trial(x, &mut buffer, labels);
        self.scratch.buffer = buffer;
        let mistake = mistake?;
        if self.is_first_pass {
            let is_binary = matches!(self.classes.task(), Task::Binary { .. });
            let is_positive = is_binary && !self.scratch.positive.is_empty();
            self.learned.add(x, is_positive);
        }
        self.totals.trials += 1;
        self.totals.mistakes += u64::from(mistake);
        Ok(Outcome {
            model: self,
            mistake,
        })
    }

    fn prepared_trial<'a>(
        &mut self,
        x: Row<'_>,
        buffer: &mut RowBuffer,
        mut labels: impl ExactSizeIterator<Item = RawLabel<'a>>,
    ) -> Result<bool, TrialError> {
        let x = self.schema.preparation.apply(x, buffer);
        if let Task::MultiLabel = self.classes.task() {
            self.multi_label(x, labels)
        } else {
            let label = match (labels.len(), labels.next()) {
                (1, Some(label)) => label,
                (0, _) => return Err(LabelError::None.into()),
                (count, _) => return Err(LabelError::Several { count }.into()),
            };
            if let Some(weights) = &self.class_weights {
                self.scratch.trial.weight *= weights.of(label);
            }
            match self.classes.task() {
                Task::Binary { .. } | Task::Regression => self.binary(x, label),
                _ => self.one_vs_rest(x, label),
            }
        }
    }

    fn binary(&mut self, x: Row<'_>, label: RawLabel<'_>) -> Result<bool, TrialError> {
        let positive = self.classes.binary(label)?;
        self.scratch.positive.clear();
        if positive {
            self.scratch.positive.push(0);
        }
        self.try_row(x)?;
        let mistake = self.is_mistaken(0);
        self.count(0);
        self.count_validation(|model| model.was_wrong(0));
        Ok(mistake)
    }

    fn one_vs_rest(&mut self, x: Row<'_>, label: RawLabel<'_>) -> Result<bool, TrialError> {
        let known = self.classes.list().len();
        let truth = self.class(label)?;
        self.scratch.positive.clear();
        self.scratch.positive.push(truth + 1);
        self.try_row(x)?;
        (0..=self.classes.list().len()).for_each(|lane| self.count(lane));
        self.count_validation(|model| {
            let score = &model.scratch.trial.deployed;
            truth >= known || model.classes.best(|class| score[class + 1]) != Some(truth)
        });
        let score = &self.scratch.trial.score;
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
        let known = self.classes.list().len();
        let mut positive = std::mem::take(&mut self.scratch.positive);
        positive.clear();
        for label in labels {
            let lane = self.class(label)? + 1;
            if !positive.contains(&lane) {
                positive.push(lane);
            }
        }
        self.scratch.positive = positive;
        self.try_row(x)?;
        let lanes = self.classes.list().len() + 1;
        (0..lanes).for_each(|lane| self.count(lane));
        let is_new = lanes > known + 1;
        self.count_validation(|model| is_new || (1..lanes).any(|lane| model.was_wrong(lane)));
        let mistake = (1..lanes).any(|lane| self.is_mistaken(lane));
        if !mistake && self.is_mistaken(0) {
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
        self.learner.set_voting(self.classes.voting());
        if let Some(calibration) = &mut self.calibration {
            calibration.add_class();
        }
        self.totals.updates += self.classes.list()[class].counts.updates;
        let (settled, earlier) = self.classes.settle(class);
        self.totals.mistakes += settled + earlier;
        self.settled_earlier += earlier;
        Ok(class)
    }

    /// The trial proper; rows that are zero in feature space change nothing.
    fn try_row(&mut self, x: Row<'_>) -> Result<(), Refusal> {
        let calibrated = self.calibration.as_ref().filter(|_| self.is_first_pass);
        // before the row is learned, as its margins are
        let unit = calibrated.map_or(1.0, |calibration| {
            self.learner.score_unit(calibration.hypothesis)
        });
        let trial = &mut self.scratch.trial;
        if self.learner.is_zero(x) {
            let lanes = self.learner.lanes();
            trial.margin.clear();
            trial.margin.resize(lanes, self.learner.zero_margin());
            trial.score.clone_from(&trial.margin);
            trial.deployed.clone_from(&trial.margin);
            trial.updated.clear();
            trial.updated.resize(lanes, false);
            trial.updates.clear();
            trial.matrix.clear();
            self.note_margins(None, unit);
            return Ok(());
        }
        // where another predictor is validated, the one that is calibrated is asked too
        let apart = calibrated
            .map(|calibration| calibration.hypothesis)
            .filter(|&by| trial.validates != Some(by));
        if let Some(by) = apart {
            self.scratch.calibrated.resize(self.learner.lanes(), 0.0);
            self.learner.scores(x, by, &mut self.scratch.calibrated);
        }
        let tried = self.learner.trial(x, &self.scratch.positive, trial);
        tried.map_err(|refusal| match refusal {
            Refusal::Negative { feature, value } if self.schema.zero_based => Refusal::Negative {
                feature: feature - 1,
                value,
            },
            other => other,
        })?;
        self.note_margins(apart, unit);
        Ok(())
    }

    /// Keeps the margins of the trial, from before the row was learned and divided by `unit`, for the next fit of the calibration.
    fn note_margins(&mut self, apart: Option<Hypothesis>, unit: f64) {
        if let Some(calibration) = self.calibration.as_mut().filter(|_| self.is_first_pass) {
            let Scratch {
                trial,
                positive,
                calibrated,
                ..
            } = &self.scratch;
            let margins = if apart.is_some() {
                calibrated
            } else {
                &trial.deployed
            };
            calibration.recent.push(margins, unit, positive);
        }
    }

    fn count(&mut self, lane: usize) {
        let (mistake, updates) = (self.is_mistaken(lane), self.scratch.trial.updates_of(lane));
        let background = !self.classes.is_binary() && lane == 0;
        let counts = if background {
            &mut self.classes.background
        } else {
            self.totals.updates += updates;
            let first = usize::from(!self.classes.is_binary());
            self.classes.counts_mut(lane - first)
        };
        counts.mistakes += u64::from(mistake);
        counts.updates += updates;
    }
}
