//! What a model answers to rows in memory: scores, probabilities, labels. For doors that hold the model and the rows themselves; files go
//! through [`predict`](crate::predict).

use std::ops::Range;
use std::sync::{Arc, Mutex};

use novikoff::classes::Task;
use novikoff::evaluation::ScoreUnit;
use novikoff::label::Label;
use novikoff::learner::Hypothesis;
use novikoff::model::Model;
use novikoff::parallel;
use novikoff::remedy::Hint;
use novikoff::rows::{Block, Rows};

use crate::data::MemoryRows;
use crate::door_rows::{DoorRows, VALUES, rows_together};
use crate::error::StoppedWhile;
use crate::options::hypothesis;
use crate::reader::LentRows;
use crate::{Error, Interrupt, Remedy, Setting};

/// Rows that are answered together.
const ROWS: usize = 1024;

/// Where rows come from.
enum Asked<'a> {
    Memory(LentRows),
    Arrays {
        rows: &'a dyn DoorRows,
        bias: Option<f32>,
        /// Memory that was used before.
        spare: Mutex<Vec<Rows>>,
    },
}

impl Asked<'_> {
    fn len(&self) -> usize {
        match self {
            Asked::Memory(rows) => rows.view().len(),
            Asked::Arrays { rows, .. } => rows.len(),
        }
    }

    fn values(&self) -> usize {
        match self {
            Asked::Memory(rows) => rows.view().values(),
            Asked::Arrays { rows, .. } => rows.values(),
        }
    }

    /// How many rows are answered together.
    fn step(&self, together: bool) -> usize {
        match self {
            Asked::Arrays { rows, .. } if !together => rows_together(*rows),
            _ => ROWS,
        }
    }

    /// The products of these rows with a vector, if none of them has to be put together.
    fn products(&self, part: Range<usize>, w: &[f64]) -> Option<Vec<f64>> {
        let Asked::Arrays { rows, bias, .. } = self else {
            return None;
        };
        let mut products = Vec::with_capacity(part.len());
        let constant = bias.filter(|&bias| bias != 0.0);
        let known = rows.products(part, constant, w, &mut products);
        known.then_some(products)
    }

    /// What `answer` makes of these rows.
    fn with<T>(
        &self,
        part: Range<usize>,
        answer: impl FnOnce(Block<'_>, Range<usize>) -> T,
    ) -> Result<T, Error> {
        match self {
            Asked::Memory(rows) => Ok(answer(rows.view(), part)),
            Asked::Arrays { rows, bias, spare } => {
                let used = spare.lock().ok().and_then(|mut spare| spare.pop());
                let mut made = used.unwrap_or_default();
                made.clear();
                let filled = rows.fill(&mut part.clone(), *bias, &mut made);
                filled.map_err(Error::plain)?;
                let answers = answer(made.view(), 0..made.len());
                if let Ok(mut spare) = spare.lock() {
                    spare.push(made);
                }
                Ok(answers)
            }
        }
    }
}

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
        self.numbers_of_each(&self.memory(rows), unit)
    }

    /// [`numbers`](Self::numbers) of the rows of a door.
    pub fn numbers_of(&self, rows: &dyn DoorRows, unit: ScoreUnit) -> Result<Vec<f64>, Error> {
        self.numbers_of_each(&self.arrays(rows), unit)
    }

    fn numbers_of_each(&self, rows: &Asked<'_>, unit: ScoreUnit) -> Result<Vec<f64>, Error> {
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
        self.labels_of_each(&self.memory(rows))
    }

    /// [`labels`](Self::labels) of the rows of a door.
    pub fn labels_of(&self, rows: &dyn DoorRows) -> Result<Vec<i64>, Error> {
        self.labels_of_each(&self.arrays(rows))
    }

    fn memory(&self, rows: &Arc<MemoryRows>) -> Asked<'static> {
        Asked::Memory(LentRows::of(rows, self.model.preparation().bias))
    }

    fn arrays<'r>(&self, rows: &'r dyn DoorRows) -> Asked<'r> {
        Asked::Arrays {
            rows,
            bias: self.model.preparation().bias,
            spare: Mutex::default(),
        }
    }

    fn labels_of_each(&self, rows: &Asked<'_>) -> Result<Vec<i64>, Error> {
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
        rows: &Asked<'_>,
        by: Option<Hypothesis>,
        answer: impl Fn(&[f64], &mut Vec<T>, &mut Vec<f64>) + Sync,
    ) -> Result<Vec<T>, Error> {
        // learners that take many rows together use threads of their own
        let together = self.model.learner().lookahead() > 0;
        let one = together || rows.values() < VALUES;
        let threads = if one { 1 } else { self.threads };
        let (len, step) = (rows.len(), rows.step(together));
        let plain = self.model.plain_scores(by);
        let parts = parallel::map((0..len).step_by(step), threads, |from| {
            if self.interrupt.is_requested() {
                return Err(Error::Stopped(StoppedWhile::Reading));
            }
            let part = from..(from + step).min(len);
            let (mut out, mut spare) = (Vec::with_capacity(part.len()), Vec::new());
            if let Some(plain) = plain
                && let Some(products) = rows.products(part.clone(), plain.w)
            {
                for product in products {
                    answer(&[plain.score(product)], &mut out, &mut spare);
                }
                return Ok(out);
            }
            rows.with(part, |block, part| {
                let rows = part.map(|row| block.row(row));
                self.model
                    .scores_of(rows, by, |_, scores| answer(scores, &mut out, &mut spare));
                out
            })
        });
        let mut all = Vec::new();
        for part in parts {
            all.extend(part?);
        }
        Ok(all)
    }
}
