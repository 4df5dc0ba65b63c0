//! What a model answers: scores, probabilities, labels.

use super::Model;
use crate::classes::Task;
use crate::label::{Label, RawLabel};
use crate::learner::Hypothesis;
use crate::preparation::RowBuffer;
use crate::row::Row;
use crate::space::StoredRows;

/// Scores of rows that are not stored as rows are, from their products with one vector.
#[doc(hidden)] // for doors that have arrays
#[derive(Clone, Copy)]
pub struct PlainScores<'m> {
    /// The vector; slot 0 is for the constant feature.
    pub w: &'m [f64],
    factor: f64,
    by: Hypothesis,
    model: &'m Model,
}

impl PlainScores<'_> {
    /// The score of a row whose product with the vector this is.
    pub fn score(&self, product: f64) -> f64 {
        let mut score = [self.factor * product];
        let learner = &self.model.learner;
        learner.scores_given(Row::EMPTY, self.by, &mut score);
        score[0]
    }
}

impl Model {
    /// How the only score of a row follows from its product with one vector, where it does, and rows are learned as they are read.
    #[doc(hidden)] // for doors that have arrays
    pub fn plain_scores(&self, by: Option<Hypothesis>) -> Option<PlainScores<'_>> {
        let by = by.unwrap_or(self.learner.hypotheses()[0]);
        let is_plain = self.classes.is_binary() && self.preparation().is_bare();
        let (w, factor) = self.learner.only_vector(by).filter(|_| is_plain)?;
        Some(PlainScores {
            w,
            factor,
            by,
            model: self,
        })
    }

    /// The label that the deployed predictor gives a row; labels separated by commas where a row may have several.
    ///
    /// ```
    /// use novikoff::{Model, Row, Task, learners::Perceptron};
    ///
    /// let mut model = Model::builder(Perceptron::default()).task(Task::OneVsRest).build()?;
    /// for (x, label) in [([1.0, 0.0], "red"), ([0.0, 1.0], "green"), ([1.0, 0.0], "red"), ([0.0, 1.0], "green")] {
    ///     let _ = model.learn(Row::dense(&x), [label])?;
    /// }
    /// assert_eq!(model.classify(Row::dense(&[3.0, 1.0])), "red");
    /// assert_eq!(model.classify(Row::dense(&[1.0, 3.0])), "green");
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn classify(&self, x: Row<'_>) -> String {
        let (mut scores, mut label) = (Vec::new(), Vec::new());
        self.scores(x, None, &mut scores);
        self.predict(&scores, &mut label);
        String::from_utf8_lossy(&label).into_owned()
    }

    /// The scores of the deployed predictor, or another, for every class in order of appearance.
    pub fn scores(&self, x: Row<'_>, by: Option<Hypothesis>, out: &mut Vec<f64>) {
        self.scores_in(&mut RowBuffer::default(), x, by, out);
    }

    /// [`scores`](Self::scores), in memory that is used again.
    fn scores_in(
        &self,
        buffer: &mut RowBuffer,
        x: Row<'_>,
        by: Option<Hypothesis>,
        out: &mut Vec<f64>,
    ) {
        let x = self.preparation().apply(x, buffer);
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

    /// The scores of many rows, in order: `each(row, its scores)`. Learners that do many rows together are given
    /// many.
    pub fn scores_of<'a>(
        &self,
        rows: impl Iterator<Item = Row<'a>>,
        by: Option<Hypothesis>,
        mut each: impl FnMut(usize, &[f64]),
    ) {
        let by = by.unwrap_or(self.learner.hypotheses()[0]);
        self.scores_of_each(rows, &[by], |row, _, scores| each(row, scores));
    }

    /// The scores of many rows by several predictors: `each(row, place of the predictor in the list, its scores)`, row by row. With a kernel
    /// the predictors share its values.
    pub fn scores_of_each<'a>(
        &self,
        rows: impl Iterator<Item = Row<'a>>,
        by: &[Hypothesis],
        mut each: impl FnMut(usize, usize, &[f64]),
    ) {
        if self.learner.lookahead() == 0 {
            let (mut scores, mut buffer) = (Vec::new(), RowBuffer::default());
            for (i, x) in rows.enumerate() {
                for (k, &by) in by.iter().enumerate() {
                    self.scores_in(&mut buffer, x, Some(by), &mut scores);
                    each(i, k, &scores);
                }
            }
            return;
        }
        let mut rows = rows.peekable();
        let (mut done, mut buffer) = (0, RowBuffer::default());
        while rows.peek().is_some() {
            let mut part = StoredRows::default();
            for x in rows.by_ref().take(self.learner.lookahead()) {
                part.push(self.preparation().apply(x, &mut buffer));
            }
            let lanes = self.learner.lanes();
            let numbers = by.len() * lanes;
            let mut scores = vec![0.0; part.len() * numbers];
            self.learner
                .scores_of_each(&part, by, self.threads, &mut scores);
            for (x, scores) in part.rows().zip(scores.chunks_exact_mut(numbers)) {
                if self.learner.is_zero(x) {
                    scores.fill(self.learner.zero_margin());
                }
                for (k, scores) in scores.chunks_exact(lanes).enumerate() {
                    each(done, k, &scores[usize::from(!self.classes.is_binary())..]);
                }
                done += 1;
            }
        }
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
            Task::OneVsRest => {
                if let Some(class) = self.classes.best(|class| scores[class]) {
                    out.extend_from_slice(self.classes.list()[class].label.name().as_bytes());
                }
            }
            Task::Binary { .. } | Task::MultiLabel => {
                self.labels_where(|class| Label::of(scores[class]) == Label::Pos, out);
            }
            Task::Regression => out.extend_from_slice(scores[0].to_string().as_bytes()),
        }
    }

    /// The labels of the classes that a row is said to have, in the order of the labels, separated by commas; of two labels, one or the other.
    pub fn labels_where(&self, has: impl Fn(usize) -> bool, out: &mut Vec<u8>) {
        if let Task::Binary { negative, positive } = self.classes.task() {
            let negative = negative.as_ref().map_or("rest", |n| n.name());
            let label = if has(0) { positive.name() } else { negative };
            out.extend_from_slice(label.as_bytes());
            return;
        }
        let mut first = true;
        for &class in self.classes.order().iter().filter(|&&class| has(class)) {
            if !std::mem::take(&mut first) {
                out.push(b',');
            }
            out.extend_from_slice(self.classes.list()[class].label.name().as_bytes());
        }
    }
}
