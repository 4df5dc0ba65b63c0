//! How a model has done so far: points evenly spread over its rows, the last rows, and the last mistakes. It is kept with snapshots.

use std::collections::VecDeque;

use novikoff_data::named_rows::NamedRows;
use serde::{Deserialize, Serialize};

use crate::api::{Mistake, Point, Window};
use crate::fold::Trials;

/// Rows of the window.
pub const WINDOW: usize = 1000;

/// How many mistakes are kept to be looked at.
const MISTAKES: usize = 50;

/// The most features of a mistake that are kept, and the most characters of a name.
const FEATURES: usize = 50;
const NAME: usize = 200;

/// The most points.
const POINTS: usize = 512;

/// The course of a model.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Course {
    points: Vec<Point>,
    /// A point stands for this many rows.
    stride: u64,
    /// Whether each of the last rows was a mistake.
    last: VecDeque<bool>,
    now: Point,
    /// The last mistakes, newest first.
    #[serde(default)]
    mistakes: VecDeque<Mistake>,
}

impl Default for Course {
    fn default() -> Self {
        let now = Point {
            seq: 0,
            mistakes: 0,
            errors: 0,
            window_mistakes: 0,
        };
        Course {
            points: Vec::new(),
            stride: 1,
            last: VecDeque::new(),
            now,
            mistakes: VecDeque::new(),
        }
    }
}

impl Course {
    /// Rows were learned.
    pub fn add(&mut self, rows: &NamedRows, trials: &Trials) {
        self.note_mistakes(rows, trials);
        for (prediction, counts) in trials.predictions.iter().zip(&trials.counts) {
            if self.last.len() == WINDOW {
                let gone = self.last.pop_front() == Some(true);
                self.now.window_mistakes -= u64::from(gone);
            }
            self.last.push_back(prediction.mistake);
            self.now.window_mistakes += u64::from(prediction.mistake);
            self.now.seq += 1;
            (self.now.mistakes, self.now.errors) = (counts.mistakes, counts.errors);
            if self.now.seq.is_multiple_of(self.stride) {
                self.points.push(self.now);
            }
            if self.points.len() == POINTS {
                self.stride *= 2;
                let stride = self.stride;
                self.points.retain(|point| point.seq.is_multiple_of(stride));
            }
        }
    }

    /// Keeps the last mistakes of some rows, which are behind those that were learned so far.
    fn note_mistakes(&mut self, rows: &NamedRows, trials: &Trials) {
        let predictions = trials.predictions.iter().enumerate().rev();
        let wrong = predictions.filter(|(_, row)| row.mistake).take(MISTAKES);
        let mut wrong: Vec<Mistake> = wrong
            .map(|(row, prediction)| {
                let labels = rows.view().labels(row).take(FEATURES);
                let labels: Vec<String> = labels
                    .map(|label| short(&String::from_utf8_lossy(label.text())))
                    .collect();
                let features = rows.features(row, FEATURES);
                Mistake {
                    seq: self.now.seq + row as u64 + 1,
                    label: labels.join(","),
                    predicted: short(&prediction.label),
                    features: features
                        .map(|(name, value)| (short(&name), shown(value).into()))
                        .collect(),
                }
            })
            .collect();
        while let Some(mistake) = wrong.pop() {
            self.mistakes.push_front(mistake);
        }
        self.mistakes.truncate(MISTAKES);
    }

    /// The last mistakes, newest first.
    pub fn mistakes(&self) -> Vec<Mistake> {
        self.mistakes.iter().cloned().collect()
    }

    /// The points, and the present as the last.
    pub fn points(&self) -> Vec<Point> {
        let mut points = self.points.clone();
        if points.last().is_none_or(|last| last.seq != self.now.seq) && self.now.seq > 0 {
            points.push(self.now);
        }
        points
    }

    /// The last rows.
    pub fn window(&self) -> Window {
        Window {
            rows: self.last.len() as u64,
            mistakes: self.now.window_mistakes,
        }
    }
}

/// A name as it is kept to be looked at: clients may send names of any length.
fn short(name: &str) -> String {
    match name.char_indices().nth(NAME) {
        None => name.to_owned(),
        Some((end, _)) => format!("{}...", &name[..end]),
    }
}

/// A value, which is an `f32`, by the fewest digits that give it.
fn shown(value: f64) -> f64 {
    (value as f32).to_string().parse().unwrap_or(value)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::api::LearnedRow;
    use crate::fold::CountsAfter;

    #[test]
    fn points_stay_few_and_the_window_is_that_of_the_last_rows() {
        let mut course = Course::default();
        let mut one = novikoff::rows::Rows::new();
        one.end_row(0);
        let one = NamedRows::new(novikoff::names::Names::new(), one);
        let mut mistakes = 0;
        for row in 0..10_000_u64 {
            let mistake = row % 7 == 0;
            mistakes += u64::from(mistake);
            let mut trials = Trials::default();
            trials.predictions.push(LearnedRow {
                label: "".into(),
                mistake,
            });
            trials.counts.push(CountsAfter {
                mistakes,
                errors: 0,
            });
            course.add(&one, &trials);
            assert!(course.points().len() <= POINTS);
        }
        let noted: Vec<u64> = course.mistakes().iter().map(|m| m.seq).collect();
        let wrong = (0..10_000_u64).rev().filter(|row| row % 7 == 0);
        let expected: Vec<u64> = wrong.take(MISTAKES).map(|row| row + 1).collect();
        assert_eq!(noted, expected);
        let points = course.points();
        assert_eq!(
            points.last().map(|p| (p.seq, p.mistakes)),
            Some((10_000, mistakes))
        );
        assert!(points.is_sorted_by(|a, b| a.seq < b.seq) && points.len() > POINTS / 4);
        let last = (9000..10_000_u64).filter(|row| row % 7 == 0).count() as u64;
        assert_eq!(
            course.window(),
            Window {
                rows: 1000,
                mistakes: last
            }
        );
    }
}
