//! What answers that are numbers are worth beside always answering the mean of the labels.
//!
//! The mean is known at the end only, and rows pass once. With label `y`, answer `f` and mean `m`, all measured from a point near the labels, an
//! answer saves `d = (y - m)^2 - (y - f)^2 = m^2 - 2 m y + c` where `c = 2 y f - f^2`, so sums of `y`, `c` and their products say what all of them
//! save, and the sum of the squares of that.

use novikoff::dual::named::NamedLoss;
use novikoff::evaluation::Distances;
use novikoff::learner::Hypothesis;
use novikoff::model::Model;
use novikoff::remark::{LabelRemark, Measured, NumberAdvice, Remark, ResultRemark, SquaredErrors};
use novikoff::rows::Block;
use novikoff::sizes::Sizes;
use novikoff_report::MeanBaseline;

use crate::Error;
use crate::labels::{NumberPredictor, number};
use crate::rows::HeldRows;

/// Labels larger or smaller than those of training by this factor are in another unit.
const OTHER_UNIT: f64 = 8.0;

/// Whether a loss is one of quantities: those of a density or of a distribution have other labels, or none.
pub(crate) fn are_quantities(loss: &NamedLoss) -> bool {
    !loss.loss().classifies() && !["likelihood", "max-entropy"].contains(&loss.name())
}

/// Whether the labels of a model are quantities.
pub(crate) fn of_quantities(model: &Model) -> bool {
    NamedLoss::parse(model.parameters().word("loss")).is_ok_and(|loss| are_quantities(&loss))
}

/// Labels and answers so far.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct NumberTally {
    /// What all numbers are measured from.
    from: f64,
    rows: f64,
    y: f64,
    yy: f64,
    c: f64,
    cc: f64,
    cy: f64,
    /// The sum of the squared errors, and of label less answer.
    squared: f64,
    away: f64,
}

impl NumberTally {
    /// Measures from the mean of some labels.
    pub(crate) fn near(labels: &[f64]) -> Self {
        let mean = labels.iter().sum::<f64>() / labels.len().max(1) as f64;
        NumberTally {
            from: mean,
            ..NumberTally::default()
        }
    }

    /// Counts a row.
    pub(crate) fn add(&mut self, label: f64, answer: f64) {
        let away = label - answer;
        let (y, f) = (label - self.from, answer - self.from);
        let c = (2.0 * y - f) * f;
        self.rows += 1.0;
        self.y += y;
        self.yy += y * y;
        self.c += c;
        self.cc += c * c;
        self.cy += c * y;
        self.squared += away * away;
        self.away += away;
    }

    /// The rows of this one and of another that measures from the same point.
    pub(crate) fn and(self, other: &Self) -> Self {
        NumberTally {
            from: self.from,
            rows: self.rows + other.rows,
            y: self.y + other.y,
            yy: self.yy + other.yy,
            c: self.c + other.c,
            cc: self.cc + other.cc,
            cy: self.cy + other.cy,
            squared: self.squared + other.squared,
            away: self.away + other.away,
        }
    }

    /// The sum of the squared errors.
    pub(crate) fn squared(&self) -> f64 {
        self.squared
    }

    /// The squared errors beside those of the mean.
    pub(crate) fn errors(&self) -> SquaredErrors {
        let n = self.rows.max(1.0);
        let m = self.y / n;
        let mm = m * m;
        let saved_squares = self.cc - 4.0 * m * self.cy + 2.0 * mm * self.c + 4.0 * mm * self.yy
            - 3.0 * n * mm * mm;
        SquaredErrors {
            error: self.squared / n,
            baseline: (self.yy / n - mm).max(0.0),
            mean: self.from + m,
            saved_squares: saved_squares.max(0.0),
            away: self.away / n,
            rows: self.rows as u64,
        }
    }

    /// Always answering the mean.
    pub(crate) fn baseline(&self) -> MeanBaseline {
        let errors = self.errors();
        MeanBaseline {
            mean: errors.mean,
            squared_error: errors.baseline,
        }
    }
}

/// Always answering the mean of these labels.
pub(crate) fn mean_of(labels: &[f64]) -> MeanBaseline {
    let mut tally = NumberTally::near(labels);
    for &label in labels {
        tally.add(label, label);
    }
    tally.baseline()
}

/// A remark if squared errors are no better than those of the mean, or too good.
pub(crate) fn against_mean(
    measured: Measured,
    errors: SquaredErrors,
    advice: NumberAdvice,
) -> Option<Remark> {
    if errors.are_too_good() {
        return Some(Remark::Result(ResultRemark::NumberTooGood { errors }));
    }
    errors.is_no_better().then_some({
        Remark::Result(ResultRemark::NumberBaseline {
            measured,
            errors,
            advice,
        })
    })
}

/// A remark if answers lack a constant.
pub(crate) fn lacking_constant(errors: SquaredErrors) -> Option<Remark> {
    errors
        .lack_constant()
        .then_some(Remark::Result(ResultRemark::MeanAway { errors }))
}

/// A model on rows whose labels are numbers.
#[derive(Debug, Default)]
pub(crate) struct NumberTest {
    pub(crate) distances: Distances,
    tally: Option<NumberTally>,
    sizes: Sizes,
}

impl NumberTest {
    /// Counts the answer to a row of a block with these labels.
    fn add(&mut self, labels: &[f64], row: usize, answer: f64) {
        let tally = self.tally.get_or_insert_with(|| NumberTally::near(labels));
        tally.add(labels[row], answer);
        self.distances.add(labels[row], answer);
    }

    /// Counts the rows of a block, answered by a model. `place` tells where a row is from, and `done` hears of each.
    pub(crate) fn block(
        &mut self,
        model: &Model,
        by: Option<Hypothesis>,
        block: Block<'_>,
        place: &dyn Fn(usize) -> String,
        done: &dyn Fn(usize),
    ) -> Result<(), Error> {
        let mut labels = Vec::new();
        let is_table = model.schema().table.is_some();
        for row in 0..block.len() {
            let y = number(block, row, NumberPredictor::Model, is_table);
            labels.push(y.map_err(|why| Error::placed(&place(row), why))?);
        }
        self.sizes.labels(labels.iter().copied());
        let all = (0..block.len()).map(|row| block.row(row));
        model.scores_of(all, by, |row, scores| {
            self.add(&labels, row, scores[0]);
            done(row);
        });
        Ok(())
    }

    /// The errors beside those of the mean.
    pub(crate) fn errors(&self) -> SquaredErrors {
        self.tally.unwrap_or_default().errors()
    }

    /// Always answering the mean of the labels.
    pub(crate) fn baseline(&self) -> MeanBaseline {
        self.tally.unwrap_or_default().baseline()
    }

    /// A remark if the labels are of another size than those that a model was trained on.
    pub(crate) fn other_unit(&self, model: &Model) -> Option<Remark> {
        let (size, training) = (self.sizes.of_labels()?, model.schema().sizes.of_labels()?);
        let is_other = size.max(training) >= OTHER_UNIT * size.min(training);
        is_other.then_some(Remark::Label(LabelRemark::Resized { size, training }))
    }
}

/// A model on rows that are held.
pub(crate) fn test_numbers(model: &Model, held: &HeldRows) -> Result<NumberTest, Error> {
    let (mut test, mut before) = (NumberTest::default(), 0);
    for block in held.blocks() {
        test.block(model, None, block, &|row| held.place(before + row), &|_| ())?;
        before += block.len();
    }
    Ok(test)
}

#[cfg(test)]
mod tests {
    use novikoff::random::SplitMix64;

    use super::{NumberTally, mean_of};

    /// The definition: the mean first, then what each answer saves.
    #[test]
    fn sums_say_what_answers_save() {
        let mut random = SplitMix64::new(3);
        for at in [0.0, 283.0, -1e6] {
            let rows: Vec<(f64, f64)> = (0..500)
                .map(|_| {
                    let y = at + 90.0 * (random.uniform() - 0.5);
                    (y, y + 20.0 * (random.uniform() - 0.4))
                })
                .collect();
            let labels: Vec<f64> = rows.iter().map(|(y, _)| *y).collect();
            // the first block is some of the rows
            let mut parts = [NumberTally::near(&labels[..50]); 2];
            for (k, &(y, f)) in rows.iter().enumerate() {
                parts[k % 2].add(y, f);
            }
            let errors = parts[0].and(&parts[1]).errors();
            let n = rows.len() as f64;
            let mean = labels.iter().sum::<f64>() / n;
            let square = |x: f64| x * x;
            let saved = rows.iter().map(|(y, f)| square(y - mean) - square(y - f));
            let saved: Vec<f64> = saved.collect();
            let total: f64 = saved.iter().sum();
            let squares: f64 = saved.iter().map(|d| d * d).sum();
            let near = |a: f64, b: f64| (a - b).abs() <= 1e-6 * (1.0 + b.abs());
            assert!(near((errors.baseline - errors.error) * n, total), "{at}");
            assert!(near(errors.saved_squares, squares), "{at}: {errors:?}");
            assert!(near(errors.mean, mean) && errors.rows == 500, "{at}");
            let away = rows.iter().map(|(y, f)| y - f).sum::<f64>() / n;
            assert!(near(errors.away, away), "{at}");
            assert!(near(mean_of(&labels).squared_error, errors.baseline));
        }
    }
}
