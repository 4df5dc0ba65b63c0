//! Values of number columns that are far from all others: slips of a keyboard, and numbers that stand for missing values, as -999 does.

use novikoff::remark::{ColumnRemark, LabelRemark, Remark};
use novikoff::rows::{Block, Rows};
use novikoff::schema::Schema;

use crate::rows::HeldRows;

/// A value is far beyond this many standard deviations of the others,
const FAR: f64 = 1000.0;

/// and one of nines that several rows have beyond this many.
const FAR_NINES: f64 = 5.0;

/// What was seen of one feature.
#[derive(Clone, Copy, Debug, Default)]
struct Feature {
    /// Values that are not 0, and their mean with the zeros.
    mean: f64,
    /// The value farthest from the mean, and how many rows have it.
    farthest: f64,
    rows: f64,
    /// Of the others: how many are not 0, their mean, and the sum of their squared distances to it.
    others: f64,
    others_mean: f64,
    squares: f64,
}

impl Feature {
    /// First pass: the mean.
    fn average(&mut self, value: f64, all: f64) {
        self.mean += value / all;
    }

    /// Second pass: the farthest value.
    fn look_far(&mut self, value: f64, _: f64) {
        let distance = |value: f64| (value - self.mean).abs();
        if value != 0.0 && (self.rows == 0.0 || distance(value) > distance(self.farthest)) {
            (self.farthest, self.rows) = (value, 1.0);
        } else if value == self.farthest {
            self.rows += 1.0;
        }
    }

    /// Third pass: the others.
    fn look_near(&mut self, value: f64, _: f64) {
        if value != self.farthest && value != 0.0 {
            self.others += 1.0;
            let distance = value - self.others_mean;
            self.others_mean += distance / self.others;
            self.squares += distance * (value - self.others_mean);
        }
    }

    /// Standard deviations of the other values between the farthest and their mean, if it is far from them.
    fn far(&self, all: f64) -> Option<f64> {
        let deviations = self.deviations(all)?;
        let stands_for_missing =
            is_nines(self.farthest) && self.rows > 1.0 && deviations > FAR_NINES;
        (deviations > FAR || stands_for_missing).then_some(deviations)
    }

    /// Standard deviations of the other values between the farthest and their mean, for that number of rows; none if they do not vary.
    fn deviations(&self, all: f64) -> Option<f64> {
        let (count, zeros) = (all - self.rows, all - self.rows - self.others);
        if self.rows == 0.0 || count < 2.0 || self.rows > count {
            return None;
        }
        // the zeros join the others
        let mean = self.others_mean * self.others / count;
        let squares = self.squares
            + self.others * (self.others_mean - mean) * (self.others_mean - mean)
            + zeros * mean * mean;
        let deviation = (squares / count).sqrt();
        (deviation > 1e-12 * mean.abs()).then(|| (self.farthest - mean).abs() / deviation)
    }
}

/// Whether a number is written with nines alone, as numbers that stand for missing values are.
fn is_nines(value: f64) -> bool {
    [99.0, 999.0, 9999.0, 99_999.0, 999_999.0].contains(&value.abs())
}

/// What is worth saying of the numbers of a table whose rows are all held.
pub(super) fn remarks(held: &HeldRows) -> Vec<Remark> {
    of_blocks(|| held.blocks(), &held.schema, held.len(), None)
}

/// What is worth saying of the numbers in the first rows of a table.
pub(super) fn of_first(rows: &Rows, schema: &Schema) -> Vec<Remark> {
    let len = rows.len();
    of_blocks(
        || std::iter::once(rows.view()),
        schema,
        len,
        Some(len as u64),
    )
}

/// What is worth saying of labels that are quantities.
pub(super) fn of_labels(labels: &[f64]) -> Option<Remark> {
    let (mut label, all) = (Feature::default(), labels.len() as f64);
    for pass in [Feature::average, Feature::look_far, Feature::look_near] {
        for &value in labels {
            pass(&mut label, value, all);
        }
    }
    let found = label.far(all).map(|deviations| {
        let rows = label.rows as u64;
        (label.farthest, rows, deviations)
    });
    let (value, rows, deviations) = found.or_else(|| apart(labels))?;
    Some(Remark::Label(LabelRemark::Far {
        value,
        rows,
        deviations,
    }))
}

/// Numbers that stand for missing quantities, each with the share of the rows that have it, at most: 0 is often one of the quantities.
const STAND_INS: [(f64, f64); 10] = [
    (-9999.0, 0.3),
    (-999.0, 0.3),
    (-99.0, 0.3),
    (-9.0, 0.3),
    (-1.0, 0.3),
    (0.0, 0.05),
    (99.0, 0.3),
    (999.0, 0.3),
    (9999.0, 0.3),
    (99_999.0, 0.3),
];

/// A stand-in is on at least this many rows,
const ROWS_APART: usize = 3;

/// and its distance to the others is at least this many times that between any two neighbours among them,
const TIMES_APART: f64 = 3.0;

/// and at least this share of the distance between the lowest and the highest of them,
const SHARE_APART: f64 = 0.1;

/// which are at least this many different ones.
const OTHERS_APART: usize = 50;

/// A label that stands for a missing one, on one side of all others and far from them: with the rows that have it, and its distance from the mean of the
/// others in their standard deviations.
fn apart(labels: &[f64]) -> Option<(f64, u64, f64)> {
    let mut sorted = labels.to_vec();
    sorted.sort_unstable_by(f64::total_cmp);
    STAND_INS.into_iter().find_map(|(value, most)| {
        let from = sorted.partition_point(|&label| label < value);
        let to = sorted.partition_point(|&label| label <= value);
        let (rows, others) = match (from, to) {
            (0, to) => (to, &sorted[to..]),
            (from, to) if to == sorted.len() => (to - from, &sorted[..from]),
            _ => return None,
        };
        let ([lowest, ..], [.., highest]) = (others, others) else {
            return None;
        };
        let gaps = others.windows(2).map(|pair| pair[1] - pair[0]);
        let distinct = 1 + gaps.clone().filter(|gap| *gap > 0.0).count();
        let widest = gaps.fold(0.0, f64::max);
        let distance = (lowest - value).abs().min((highest - value).abs());
        let is_apart = rows >= ROWS_APART
            && rows as f64 <= most * labels.len() as f64
            && distinct >= OTHERS_APART
            && distance >= TIMES_APART * widest
            && distance >= SHARE_APART * (highest - lowest);
        let n = others.len() as f64;
        let mean = others.iter().sum::<f64>() / n;
        let squares = others.iter().map(|label| (label - mean) * (label - mean));
        let deviation = (squares.sum::<f64>() / n).sqrt();
        is_apart.then(|| (value, rows as u64, (value - mean).abs() / deviation))
    })
}

/// Rows to answer that have a value of nines, at least this many,
const ROWS_OF_NINES: u64 = 3;

/// which is this many times as far from the mean of training as any other value.
const TIMES_FARTHER: f64 = 2.0;

/// A feature in rows that a model answers, beside its mean and deviation in training.
#[derive(Clone, Copy, Debug)]
struct Later {
    mean: f64,
    /// The inverse of the deviation.
    scale: f64,
    /// The value farthest from the mean, how many rows have it, and how far the next one is.
    farthest: f64,
    rows: u64,
    next: f64,
}

impl Later {
    fn distance(&self, value: f64) -> f64 {
        (value - self.mean).abs() * self.scale
    }

    fn add(&mut self, value: f64) {
        let (distance, farthest) = (self.distance(value), self.distance(self.farthest));
        if self.rows > 0 && value == self.farthest {
            self.rows += 1;
        } else if self.rows == 0 || distance > farthest {
            self.next = if self.rows == 0 { 0.0 } else { farthest };
            (self.farthest, self.rows) = (value, 1);
        } else {
            self.next = self.next.max(distance);
        }
    }

    /// Whether the farthest value stands for missing ones, or is a slip.
    fn is_far(&self) -> bool {
        let distance = self.distance(self.farthest);
        let stands_for_missing = is_nines(self.farthest)
            && self.rows >= ROWS_OF_NINES
            && distance > FAR_NINES
            && distance >= TIMES_FARTHER * self.next;
        // other values far away as well are those of another unit
        let is_slip = distance > FAR && distance >= FAR * self.next;
        stands_for_missing || is_slip
    }
}

/// What is worth saying of the numbers in the first rows that a model answers; `known` has the mean of a feature in training, and the inverse of its
/// deviation.
pub(crate) fn of_later(
    rows: &Rows,
    schema: &Schema,
    known: impl Fn(u32) -> Option<(f64, f64)>,
) -> Vec<Remark> {
    let slots = schema.numbers().unwrap_or_default();
    let feature = |&slot: &u32| {
        known(slot).map(|(mean, scale)| Later {
            mean,
            scale,
            farthest: 0.0,
            rows: 0,
            next: 0.0,
        })
    };
    let mut features: Vec<Option<Later>> = slots.iter().map(feature).collect();
    let view = rows.view();
    for (slot, value) in (0..view.len()).flat_map(|row| view.row(row).iter()) {
        // slots may be large numbers, so they are looked up
        if let Ok(place) = slots.binary_search(&(slot as u32))
            && let Some(feature) = &mut features[place]
        {
            feature.add(value);
        }
    }
    let far = slots.iter().zip(features).filter_map(|(&slot, feature)| {
        let feature = feature?;
        let column = schema.names.name(slot)?.to_owned();
        feature.is_far().then(|| {
            Remark::Column(ColumnRemark::FarFromTraining {
                column,
                value: feature.farthest,
                rows: feature.rows,
                of_first: view.len() as u64,
                deviations: feature.distance(feature.farthest),
            })
        })
    });
    far.collect()
}

fn of_blocks<'b, I: Iterator<Item = Block<'b>>>(
    blocks: impl Fn() -> I,
    schema: &Schema,
    len: usize,
    of_first: Option<u64>,
) -> Vec<Remark> {
    let Some(slots) = schema.numbers().filter(|slots| !slots.is_empty()) else {
        return Vec::new();
    };
    let width = slots.last().map_or(0, |&slot| slot as usize + 1);
    // the place of each slot among the numbers
    let mut places = vec![u32::MAX; width];
    for (place, &slot) in slots.iter().enumerate() {
        places[slot as usize] = place as u32;
    }
    let mut features = vec![Feature::default(); slots.len()];
    let all = len as f64;
    let each = |features: &mut [Feature], visit: fn(&mut Feature, f64, f64)| {
        for block in blocks() {
            for row in 0..block.len() {
                for (slot, value) in block.row(row).iter() {
                    let place = places.get(slot).copied().unwrap_or(u32::MAX);
                    if let Some(feature) = features.get_mut(place as usize) {
                        visit(feature, value, all);
                    }
                }
            }
        }
    };
    each(&mut features, Feature::average);
    each(&mut features, Feature::look_far);
    each(&mut features, Feature::look_near);
    let mut remarks = Vec::new();
    for (&slot, feature) in slots.iter().zip(&features) {
        if let Some(deviations) = feature.far(all)
            && let Some(column) = schema.names.name(slot)
        {
            remarks.push(Remark::Column(ColumnRemark::FarValue {
                column: column.to_owned(),
                value: feature.farthest,
                rows: feature.rows as u64,
                of_first,
                deviations,
            }));
        }
    }
    remarks
}

#[cfg(test)]
mod tests {
    use super::{Feature, is_nines};

    #[test]
    fn zeros_are_values_too() {
        // 8, 8, 0, 0 beside 100: the mean is 4 and the deviation 4
        let feature = Feature {
            mean: 23.2,
            farthest: 100.0,
            rows: 1.0,
            others: 2.0,
            others_mean: 8.0,
            squares: 0.0,
        };
        assert_eq!(feature.deviations(5.0), Some(24.0));
        let constant = Feature {
            others: 4.0,
            ..feature
        };
        assert_eq!(constant.deviations(5.0), None, "a rare feature is no slip");
        assert!(is_nines(-999.0) && is_nines(99.0) && !is_nines(98.0) && !is_nines(0.0));
    }
}
