//! What a model answers to rows in memory: scores, probabilities, labels. For doors that hold the model and the rows themselves; files go
//! through [`predict`](crate::predict).

use std::ops::Range;
use std::sync::Arc;

use novikoff::classes::Task;
use novikoff::evaluation::ScoreUnit;
use novikoff::label::Label;
use novikoff::learner::Hypothesis;
use novikoff::model::Model;
use novikoff::parallel;
use novikoff::remedy::Hint;
use novikoff::rows::Block;

use crate::data::MemoryRows;
use crate::error::StoppedWhile;
use crate::options::hypothesis;
use crate::reader::LentRows;
use crate::{Error, Interrupt, Remedy, Setting};

/// Rows that are answered together.
const ROWS: usize = 1024;

/// Values below which a second thread costs more than it saves.
const VALUES: usize = 100_000;

/// A model that answers to rows in memory.
#[derive(Clone, Copy)]
pub struct Answerer<'a> {
    /// The model.
    pub model: &'a Model,
    /// The predictor; the model's own if none.
    pub by: Option<Hypothesis>,
    /// Threads.
    pub threads: usize,
    /// A request to stop.
    pub interrupt: &'a Interrupt,
}

impl Answerer<'_> {
    /// How many numbers there are per row: one of two labels or of a number to be predicted, else one per class.
    pub fn columns(&self) -> usize {
        self.model.classes().list().len()
    }

    /// The numbers of each row, row after row; those of a row in the order of the labels.
    pub fn numbers(&self, rows: &Arc<MemoryRows>, unit: ScoreUnit) -> Result<Vec<f64>, Error> {
        let by = self.predictor(unit)?;
        let (model, order) = (self.model, self.model.classes().order());
        let is_probability = unit == ScoreUnit::Probability;
        self.each(rows, by, |scores, out: &mut Vec<f64>, chances| {
            let mut values = scores;
            if is_probability && model.probabilities(scores, chances) {
                values = chances;
            }
            out.extend(order.iter().map(|&class| values[class]));
        })
    }

    /// The label of each row, as its place among the labels in their order ([`class_names`](crate::weights::class_names)).
    pub fn labels(&self, rows: &Arc<MemoryRows>) -> Result<Vec<i64>, Error> {
        let by = self.predictor(ScoreUnit::Margin)?;
        let classes = self.model.classes();
        let mut places = vec![0; classes.list().len()];
        for (place, &class) in classes.order().iter().enumerate() {
            places[class] = place as i64;
        }
        let binary = matches!(classes.task(), Task::Binary { .. });
        self.each(rows, by, |scores, out: &mut Vec<i64>, _| {
            out.push(if binary {
                i64::from(Label::of(scores[0]) == Label::Pos)
            } else {
                let best = classes.best(|class| scores[class]);
                best.map_or(0, |class| places[class])
            });
        })
    }

    fn predictor(&self, unit: ScoreUnit) -> Result<Option<Hypothesis>, Error> {
        let by = hypothesis(self.by, self.model)?;
        if unit == ScoreUnit::Probability && !self.model.has_probabilities(by) {
            let model = "the model".to_owned();
            let remedy = Remedy::hint(Hint::Calibrate { model });
            let refused = Error::refused("the model has margins only", remedy);
            return Err(refused.about(Setting::Probabilities, ""));
        }
        Ok(by)
    }

    /// What `answer` makes of the scores of each row, in the order of the rows.
    fn each<T: Send>(
        &self,
        rows: &Arc<MemoryRows>,
        by: Option<Hypothesis>,
        answer: impl Fn(&[f64], &mut Vec<T>, &mut Vec<f64>) + Sync,
    ) -> Result<Vec<T>, Error> {
        let rows = LentRows::of(rows, self.model.preparation().bias);
        let block = rows.view();
        // learners that take many rows together use threads of their own
        let together = self.model.learner().lookahead() > 0;
        let one = together || block.values() < VALUES;
        let threads = if one { 1 } else { self.threads };
        let parts = (0..block.len()).step_by(ROWS);
        let parts = parallel::map(parts, threads, |from| {
            let part = from..(from + ROWS).min(block.len());
            self.part(block, part, by, &answer)
        });
        let mut all = Vec::new();
        for part in parts {
            all.extend(part?);
        }
        Ok(all)
    }

    fn part<T>(
        &self,
        block: Block<'_>,
        part: Range<usize>,
        by: Option<Hypothesis>,
        answer: &impl Fn(&[f64], &mut Vec<T>, &mut Vec<f64>),
    ) -> Result<Vec<T>, Error> {
        if self.interrupt.is_requested() {
            return Err(Error::Stopped(StoppedWhile::Reading));
        }
        let (mut out, mut spare) = (Vec::new(), Vec::new());
        let rows = part.map(|row| block.row(row));
        self.model
            .scores_of(rows, by, |_, scores| answer(scores, &mut out, &mut spare));
        Ok(out)
    }
}
