//! What the values of a column tell: by a threshold, by one value, or by the labels of other rows that have the same value.

use super::indicator::{Indicator, LEAST, Totals};

/// Rows of one label that have the same value in a column, or the same category.
#[derive(Clone, Copy, Debug)]
pub(super) struct Cell {
    /// The value, or the slot of the category: slots below 2^24 are exact.
    pub(super) key: f32,
    pub(super) label: u32,
    pub(super) rows: u64,
}

/// How many rows a column answers, and the least value above the threshold if it is one.
#[derive(Clone, Copy, Debug)]
pub(super) struct Answers {
    pub(super) right: u64,
    pub(super) at_least: Option<f32>,
}

/// A part of the rows of a column.
#[derive(Clone, Copy, Debug)]
pub(super) enum Part {
    AtLeast(f32),
    Below(f32),
    Is(f32),
    IsNot(f32),
}

/// What the values of a column tell.
#[derive(Clone, Copy, Debug)]
pub(super) enum Found {
    /// Nearly all rows are answered right.
    Answers(Answers),
    /// A part of the rows predicts a label.
    Part(Part, Indicator),
    /// There are many values, few rows have each, and the labels of the others with the same value tell much.
    Repeated { right: u64, values: u64 },
}

/// A column of more values than this, with fewer rows per value than the next number, may be one of ids that repeat.
const VALUES: u64 = 50;
const ROWS_PER_VALUE: u64 = 20;

/// Ids that repeat predict the label if they take this share of the errors of the most frequent label away.
const REPEATED: f64 = 0.5;

/// The cells of all rows, sorted: those given, and those of rows where the number is 0 or there is no category.
pub(super) fn complete(mut cells: Vec<Cell>, totals: &Totals) -> Vec<Cell> {
    let mut rest = totals.labels.clone();
    for cell in &cells {
        let rest = &mut rest[cell.label as usize];
        *rest = rest.saturating_sub(cell.rows);
    }
    let others = rest.iter().enumerate().filter(|(_, rows)| **rows > 0);
    cells.extend(others.map(|(label, &rows)| Cell {
        key: 0.0,
        label: label as u32,
        rows,
    }));
    sort(&mut cells);
    cells
}

pub(super) fn sort(cells: &mut [Cell]) {
    cells.sort_unstable_by(|a, b| a.key.total_cmp(&b.key).then(a.label.cmp(&b.label)));
}

fn values(cells: &[Cell]) -> impl DoubleEndedIterator<Item = &[Cell]> {
    cells.chunk_by(|a, b| a.key == b.key)
}

/// What sorted cells of all rows tell.
pub(super) fn found(cells: &[Cell], is_number: bool, totals: &Totals) -> Option<Found> {
    let levels = by_level(cells, is_number, totals);
    let by_threshold = is_number.then(|| by_threshold(cells, totals)).flatten();
    let answers = levels.answers;
    let best = by_threshold.map_or(answers, |threshold| {
        if answers.right > threshold.right {
            answers
        } else {
            threshold
        }
    });
    let few = levels.values <= VALUES || ROWS_PER_VALUE * levels.values < totals.rows;
    if totals.is_nearly_all(best.right) && (!is_number || few || best.at_least.is_some()) {
        return Some(Found::Answers(best));
    }
    if !is_number && few && totals.are_mostly_pure(levels.pure, answers.right) {
        return Some(Found::Answers(answers));
    }
    let threshold = is_number.then(|| rare_threshold(cells, totals)).flatten();
    let value = levels
        .value
        .map(|(key, indicator)| (Part::Is(key), indicator));
    let parts = threshold.into_iter().chain(value);
    if let Some((part, indicator)) = parts.reduce(|a, b| if b.1.f1 > a.1.f1 { b } else { a }) {
        return Some(Found::Part(part, indicator));
    }
    if let Some((key, indicator)) = levels.pure_value {
        return Some(Found::Part(Part::Is(key), indicator));
    }
    if is_number && let Some(indicator) = other_than_zero(cells, totals) {
        return Some(Found::Part(Part::IsNot(0.0), indicator));
    }
    // several values, each with nearly all of its rows of one label
    if few && totals.finds_rare(answers.right) {
        return Some(Found::Answers(answers));
    }
    let right = answers.right;
    // a measurement is no id: a threshold tells as much, or the values beside a value do
    let wrong = |right: u64| totals.rows - right;
    let is_measured = by_threshold.is_some_and(|threshold| {
        let measured = threshold.right.max(by_values_beside(cells));
        2 * wrong(right) > wrong(measured)
    });
    let repeats = levels.values > VALUES
        && 2 * levels.values < totals.rows
        && ROWS_PER_VALUE * levels.values >= totals.rows
        && !is_measured;
    (repeats && totals.corrected_share(right) >= REPEATED).then_some(Found::Repeated {
        right,
        values: levels.values,
    })
}

/// What values tell one by one.
struct Levels {
    answers: Answers,
    values: u64,
    /// Rows whose value has enough rows, nearly all of one label.
    pure: u64,
    /// The value that predicts a label best.
    value: Option<(f32, Indicator)>,
    /// The first value, other than no category, that nearly only rows of one label have, and most of them.
    pure_value: Option<(f32, Indicator)>,
}

/// The label that rows whose number is not 0 predict, as an amount does that is there for one label only.
fn other_than_zero(cells: &[Cell], totals: &Totals) -> Option<Indicator> {
    let mut counts = vec![0; totals.labels.len()];
    for cell in cells.iter().filter(|cell| cell.key != 0.0) {
        counts[cell.label as usize] += cell.rows;
    }
    totals.pure_value(&counts)
}

/// The rows that are answered by the most frequent label of the *other* rows with the same value; where these are as many of several labels, or
/// none, by the most frequent label of all.
fn by_level(cells: &[Cell], is_number: bool, totals: &Totals) -> Levels {
    let most = totals.most_frequent();
    let majority = totals.labels.iter().position(|&rows| rows == most);
    let (mut number, mut right, mut pure) = (0, 0, 0);
    let mut best: Option<(f32, Indicator)> = None;
    let mut counts = vec![0; totals.labels.len()];
    let mut pure_value = None;
    for level in values(cells) {
        number += 1;
        let (mut first, mut second, mut top, mut rows) = (0, 0, 0, 0);
        for of_label in level.chunk_by(|a, b| a.label == b.label) {
            let label = of_label[0].label as usize;
            let count: u64 = of_label.iter().map(|cell| cell.rows).sum();
            counts[label] = count;
            rows += count;
            if count > first {
                (first, second, top) = (count, first, label);
            } else {
                second = second.max(count);
            }
        }
        let others = first - 1;
        if others > second || (others == second && majority == Some(top)) {
            right += first;
        }
        if rows >= LEAST / 2 && Totals::is_pure(first, rows) {
            pure += rows;
        }
        if rows >= LEAST / 2
            && let Some(indicator) = totals.indicator(&counts)
        {
            // of two values that say the same, the one that is there
            let is_better = best.is_none_or(|(_, best)| {
                (indicator.f1, !indicator.is_rest) > (best.f1, !best.is_rest)
            });
            best = if is_better {
                Some((level[0].key, indicator))
            } else {
                best
            };
        }
        let is_there = is_number || level[0].key != 0.0;
        if rows >= LEAST && is_there && pure_value.is_none() {
            pure_value = totals.pure_value(&counts).map(|pure| (level[0].key, pure));
        }
        for cell in level {
            counts[cell.label as usize] = 0;
        }
    }
    Levels {
        answers: Answers {
            right,
            at_least: None,
        },
        values: number,
        pure,
        value: best,
        pure_value,
    }
}

/// The rows that are answered by the best threshold, with the most frequent label on either side of it.
fn by_threshold(cells: &[Cell], totals: &Totals) -> Option<Answers> {
    // after each value from below, and from above: how many rows have the most frequent label
    let most = |values: &mut dyn Iterator<Item = &[Cell]>| {
        let (mut counts, mut most) = (vec![0; totals.labels.len()], 0);
        let after = |value: &[Cell]| {
            for cell in value {
                let count = &mut counts[cell.label as usize];
                *count += cell.rows;
                most = most.max(*count);
            }
            most
        };
        values.map(after).collect::<Vec<u64>>()
    };
    let below = most(&mut values(cells));
    let above = most(&mut values(cells).rev());
    let thresholds = values(cells)
        .skip(1)
        .zip(&below)
        .zip(above.iter().rev().skip(1));
    let answers = thresholds.map(|((value, below), above)| Answers {
        right: below + above,
        at_least: Some(value[0].key),
    });
    // the first of the best
    answers.reduce(|a, b| if b.right > a.right { b } else { a })
}

/// The rows that are answered by the most frequent label of the rows with the next value on either side.
fn by_values_beside(cells: &[Cell]) -> u64 {
    let counts = |value: &[Cell]| -> Vec<(u32, u64)> {
        let of_labels = value.chunk_by(|a, b| a.label == b.label);
        of_labels
            .map(|of| (of[0].label, of.iter().map(|cell| cell.rows).sum()))
            .collect()
    };
    let values: Vec<Vec<(u32, u64)>> = values(cells).map(counts).collect();
    let count = |value: &[(u32, u64)], label: u32| -> u64 {
        let of = value.iter().find(|(other, _)| *other == label);
        of.map_or(0, |(_, rows)| *rows)
    };
    let right = values.iter().enumerate().map(|(k, value)| {
        let below = k.checked_sub(1).map_or(&[][..], |k| &values[k]);
        let above = values.get(k + 1).map_or(&[][..], Vec::as_slice);
        let beside = below.iter().chain(above).map(|&(label, _)| {
            let rows = count(below, label) + count(above, label);
            (rows, std::cmp::Reverse(label))
        });
        beside
            .max()
            .map_or(0, |(_, std::cmp::Reverse(label))| count(value, label))
    });
    right.sum()
}

/// The threshold that tells a rare label best.
fn rare_threshold(cells: &[Cell], totals: &Totals) -> Option<(Part, Indicator)> {
    if !(0..totals.labels.len()).any(|label| totals.is_rare(label)) {
        return None;
    }
    let mut best: Option<(Part, Indicator)> = None;
    let mut above = totals.labels.clone();
    let mut is_first = true;
    for value in values(cells) {
        let indicator = totals.rare(&above).filter(|_| !is_first);
        if let Some(indicator) = indicator
            && best.is_none_or(|(_, best)| indicator.f1 > best.f1)
        {
            let part = if indicator.is_rest {
                Part::Below(value[0].key)
            } else {
                Part::AtLeast(value[0].key)
            };
            best = Some((part, indicator));
        }
        for cell in value {
            above[cell.label as usize] -= cell.rows;
        }
        is_first = false;
    }
    best
}
