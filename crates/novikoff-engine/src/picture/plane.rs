//! A run over two features, as points and lines: the separating line after each change of a linear learner.
//!
//! The line is found from the scores of four probes, so that a constant feature, centring, scaling and thresholds are all in it; where the
//! scores are not those of a line, nothing is drawn. Changes are kept as moments are: at every `stride`-th one, and the last.

use novikoff::classes::Task;
use novikoff::kernel::Kernel;
use novikoff::learner::Hypothesis;
use novikoff::model::{Model, Outcome, Totals};
use novikoff::preparation::{Preparation, RowBuffer};
use novikoff::row::Row;
use novikoff::rows::Block;
use novikoff_report::{PlaneLine, PlanePicture, PlanePoint, PlaneStep};

use crate::weights::{class_names, feature_name};

/// The most rows that are drawn: the first ones.
const POINTS: usize = 2000;

/// The most steps that are kept.
const STEPS: usize = 240;

/// Records a run over two features.
pub(super) struct PlaneRecorder {
    points: Vec<PlanePoint>,
    rows: u64,
    steps: Vec<PlaneStep>,
    changes: u64,
    stride: u64,
}

impl PlaneRecorder {
    /// Of a linear learner of two classes.
    pub(super) fn new(model: &Model) -> Option<Self> {
        let is_binary = matches!(model.classes().task(), Task::Binary { .. });
        let is_linear = model.kernel() == Kernel::LINEAR;
        let has_vector = model.learner().hypotheses().contains(&Hypothesis::Final);
        (is_binary && is_linear && has_vector).then(|| PlaneRecorder {
            points: Vec::new(),
            rows: 0,
            steps: Vec::new(),
            changes: 0,
            stride: 1,
        })
    }

    /// Rows of the run in the order of the data, each before its first trial; false if they do not lie in a plane.
    pub(super) fn rows(&mut self, block: Block<'_>) -> bool {
        if block.width() > 2 {
            return false;
        }
        self.rows += block.len() as u64;
        let left = POINTS - self.points.len();
        for i in 0..block.len().min(left) {
            let mut at = [0.0; 3];
            for (slot, value) in block.row(i).iter() {
                at[slot] = value;
            }
            self.points.push(PlanePoint {
                at: (at[1], at[2]),
                positive: None,
            });
        }
        true
    }

    /// A trial; false if the learner's answers are not those of a line.
    pub(super) fn trial(&mut self, row: u64, outcome: Outcome<'_>, totals: Totals) -> bool {
        if let Some(point) = self.points.get_mut(row as usize) {
            point.positive = Some(outcome.is_positive(0));
        }
        let class = outcome.class(0);
        if !class.mistake && !class.updated {
            return true;
        }
        self.changes += 1;
        if !(self.changes - 1).is_multiple_of(self.stride) {
            return true;
        }
        if self.steps.len() == STEPS {
            let mut place = 0;
            self.steps.retain(|_| {
                place += 1;
                place % 2 == 1
            });
            self.stride *= 2;
            if !(self.changes - 1).is_multiple_of(self.stride) {
                return true;
            }
        }
        let step = step(outcome.model(), totals, Some(row));
        self.steps.extend(step.clone());
        step.is_some()
    }

    /// The picture, if the rows had two features.
    pub(super) fn finish(mut self, model: &Model, totals: Totals) -> Option<PlanePicture> {
        if model.width() != 2 {
            return None;
        }
        self.steps.push(step(model, totals, None)?);
        let names = class_names(model);
        let labels = <[String; 2]>::try_from(names).ok()?;
        Some(PlanePicture {
            features: [feature_name(model, 1), feature_name(model, 2)],
            labels,
            others: self.rows - self.points.len() as u64,
            points: self.points,
            steps: self.steps,
            changes: self.changes,
        })
    }
}

/// Where the run stands, if its answers are those of a line.
fn step(model: &Model, totals: Totals, row: Option<u64>) -> Option<PlaneStep> {
    Some(PlaneStep {
        trials: totals.trials,
        mistakes: totals.mistakes,
        updates: totals.updates,
        row: row.and_then(|row| usize::try_from(row).ok()),
        line: line(model)?,
    })
}

/// The line at which the scores of a model are zero.
fn line(model: &Model) -> Option<PlaneLine> {
    let origin = score(model, [0.0, 0.0])?;
    let (x, y) = (
        score(model, [1.0, 0.0])? - origin,
        score(model, [0.0, 1.0])? - origin,
    );
    let line = PlaneLine {
        x,
        y,
        constant: origin,
    };
    let (probe, size) = (score(model, [-3.0, 2.0])?, x.abs() + y.abs() + origin.abs());
    let wrong = (probe - line.value((-3.0, 2.0))).abs();
    (size.is_finite() && wrong <= 1e-6 * size).then_some(line)
}

/// The score of a row, times the length that it was divided by.
fn score(model: &Model, at: [f32; 2]) -> Option<f64> {
    let (index, value) = (
        [0, 1, 2],
        [model.preparation().bias.unwrap_or(0.0), at[0], at[1]],
    );
    let from = usize::from(model.preparation().bias.is_none());
    let row = Row::sparse(&index[from..], &value[from..]);
    let mut scores = Vec::new();
    model.scores(row, Some(Hypothesis::Final), &mut scores);
    let length = match model.preparation().normalize {
        Some(p) => {
            let before = Preparation {
                normalize: None,
                ..model.preparation().clone()
            };
            before.apply(row, &mut RowBuffer::default()).norm(p)
        }
        None => 1.0,
    };
    let score = *scores.first()?;
    Some(if length > 0.0 { score * length } else { score })
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use novikoff::label::Label;
    use novikoff::model::Model;
    use novikoff::rows::Rows;
    use novikoff::run::{self, Observer};
    use novikoff::spec::Spec;

    use super::*;

    struct Watch(Option<PlaneRecorder>);

    impl Observer for Watch {
        fn trial(&mut self, _epoch: u32, row: u64, outcome: Outcome<'_>) {
            let totals = outcome.model().totals();
            if let Some(plane) = &mut self.0 {
                assert!(plane.trial(row, outcome, totals));
            }
        }
    }

    /// Points on both sides of x = y, and the picture of a learner that ran over them some times.
    fn picture(
        spec: &str,
        bias: Option<f32>,
        normalize: Option<f64>,
        epochs: u32,
    ) -> (PlanePicture, Model) {
        let mut rows = Rows::new();
        for t in 0..100_u16 {
            let x = [f32::from(t * 37 % 41) - 20.0, f32::from(t * 29 % 43) - 21.0];
            let y = Label::of(f64::from(x[0] - x[1]) + 0.25);
            if let Some(bias) = bias {
                rows.push(0, bias);
            }
            rows.push(1, x[0]);
            rows.push(2, x[1]);
            let text: &[u8] = if y == Label::Pos { b"+1" } else { b"-1" };
            rows.push_label(y.sign(), text);
            rows.end_row(0);
        }
        let builder = Model::builder(Spec::parse(spec).unwrap()).normalize(normalize);
        let builder = match bias {
            Some(bias) => builder.bias(bias),
            None => builder,
        };
        let mut model = builder.build().unwrap();
        let mut watch = Watch(PlaneRecorder::new(&model));
        assert!(watch.0.as_mut().unwrap().rows(rows.view()));
        for epoch in 0..epochs {
            let position = run::Position { epoch, first: 0 };
            run::block(&mut model, rows.view(), 0..100, position, &mut watch).unwrap();
        }
        let picture = watch.0.unwrap().finish(&model, model.totals());
        (picture.unwrap(), model)
    }

    #[test]
    fn the_last_line_is_that_of_the_learner() {
        for spec in [
            "perceptron",
            "averaged",
            "romma",
            "second-order",
            "p-norm:p=4",
        ] {
            for bias in [None, Some(1.0)] {
                for normalize in [None, Some(2.0)] {
                    let (picture, model) = picture(spec, bias, normalize, 2);
                    let line = picture.steps.last().unwrap().line;
                    let size = line.x.abs() + line.y.abs() + line.constant.abs();
                    for point in &picture.points {
                        let answer = score(&model, [point.at.0 as f32, point.at.1 as f32]);
                        let wrong = (answer.unwrap() - line.value(point.at)).abs();
                        assert!(wrong <= 1e-4 * size, "{spec}, {bias:?}, {normalize:?}");
                    }
                    assert_eq!(picture.points.len(), 100);
                    assert!(bias.is_some() || line.constant == 0.0, "{spec}");
                }
            }
        }
    }

    #[test]
    fn steps_are_the_mistakes_in_order() {
        let (picture, _) = picture("perceptron", None, None, 1);
        let (last, changes) = picture.steps.split_last().unwrap();
        assert_eq!(changes.len() as u64, picture.changes);
        assert_eq!(last.mistakes, picture.changes);
        for (i, step) in changes.iter().enumerate() {
            assert_eq!(step.mistakes, i as u64 + 1);
            assert_eq!(step.row, Some(step.trials as usize - 1));
            // a perceptron adds y x
            let before = i.checked_sub(1).map_or((0.0, 0.0), |i| {
                let line = picture.steps[i].line;
                (line.x, line.y)
            });
            let point = picture.points[step.row.unwrap()];
            let sign = if point.positive == Some(true) {
                1.0
            } else {
                -1.0
            };
            let added = (step.line.x - before.0, step.line.y - before.1);
            let near = |a: f64, b: f64| (a - b).abs() < 1e-9;
            assert!(near(added.0, sign * point.at.0) && near(added.1, sign * point.at.1));
        }
    }

    #[test]
    fn memory_is_bounded() {
        let mut plane = PlaneRecorder {
            points: Vec::new(),
            rows: 0,
            steps: Vec::new(),
            changes: 0,
            stride: 1,
        };
        let mut rows = Rows::new();
        for _ in 0..3000 {
            rows.add(Label::Neg, Row::dense(&[1.0, 1.0]));
        }
        assert!(plane.rows(rows.view()));
        assert_eq!(plane.points.len(), POINTS);
        assert_eq!(plane.rows, 3000);
        // contradictions: every trial is a mistake of a perceptron
        let mut model = Model::builder(Spec::parse("perceptron").unwrap())
            .build()
            .unwrap();
        let mut watch = Watch(Some(plane));
        for t in 0..5000_u64 {
            let mut one = Rows::new();
            let y = if t % 2 == 0 { Label::Neg } else { Label::Pos };
            one.add(y, Row::dense(&[1.0, 1.0]));
            let position = run::Position { epoch: 0, first: t };
            run::block(&mut model, one.view(), 0..1, position, &mut watch).unwrap();
        }
        let plane = watch.0.unwrap();
        assert!(plane.changes > 4000 && plane.steps.len() <= STEPS);
        let picture = plane.finish(&model, model.totals()).unwrap();
        assert!(picture.steps.is_sorted_by_key(|step| step.trials));
        let mut wide = PlaneRecorder::new(&model).unwrap();
        let mut rows = Rows::new();
        rows.add(Label::Neg, Row::dense(&[1.0, 1.0, 1.0]));
        assert!(!wide.rows(rows.view()));
    }
}
