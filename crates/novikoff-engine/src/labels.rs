//! Which class a row belongs to: the only place that decides it.
//!
//! A row without a label is a bad line like others, where every row must have one.

use std::collections::HashMap;

use novikoff::classes::{Classes, LabelError, Task};
use novikoff::dual::Aim;
use novikoff::label::{LabelName, RawLabel};
use novikoff::remedy::{Complaint, Remedy};
use novikoff::rows::{Block, Rows};
use novikoff_data::error::DataError;

use crate::reader::RowReader;

/// What rows without a label are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Unlabelled {
    /// Rows like others.
    Rows,
    /// Bad lines.
    Bad,
    /// Rows like others if the first row has several labels, else bad lines.
    ByFirstRow,
}

impl Unlabelled {
    /// What they are for a task, or where the labels tell the task.
    pub(crate) fn of(task: Option<&Task>) -> Self {
        match task {
            None => Unlabelled::ByFirstRow,
            Some(Task::MultiLabel) => Unlabelled::Rows,
            Some(_) => Unlabelled::Bad,
        }
    }
}

/// What is left of a block.
pub(crate) struct FilteredBlock {
    rows: Rows,
    width: u32,
    /// Behind the rows: one bad line too many.
    pub(crate) error: Option<DataError>,
}

impl FilteredBlock {
    pub(crate) fn view(&self) -> Block<'_> {
        Block {
            width: self.width,
            ..self.rows.view()
        }
    }
}

/// The block a reader lent last, less the rows without a label. None if all have one.
pub(crate) fn labelled(reader: &mut RowReader) -> Option<FilteredBlock> {
    let block = reader.current()?;
    let is_bare = |row: &usize| block.labels(*row).len() == 0;
    let bare: Vec<usize> = (0..block.len()).filter(is_bare).collect();
    if bare.is_empty() {
        return None;
    }
    let mut end = block.len();
    let mut error = None;
    for &row in &bare {
        if let Err(too_many) = reader.pass_over_row(row) {
            (end, error) = (row, Some(too_many));
            break;
        }
    }
    let block = reader.current()?;
    let mut rows = Rows::new();
    let is_labelled = |row: &usize| block.labels(*row).len() > 0;
    (0..end)
        .filter(is_labelled)
        .for_each(|row| rows.copy_row(block, row));
    Some(FilteredBlock {
        rows,
        width: block.width(),
        error,
    })
}

/// The only label of a row.
pub(crate) fn single(block: Block<'_>, i: usize) -> Result<RawLabel<'_>, LabelError> {
    let mut labels = block.labels(i);
    match (labels.len(), labels.next()) {
        (1, Some(label)) => Ok(label),
        (0, _) | (_, None) => Err(LabelError::None),
        (count, _) => Err(LabelError::Several { count }),
    }
}

/// The only label of a row, which may be one of a table, as a number; `by` says who needs one, for the error where it is none.
pub(crate) fn number(
    block: Block<'_>,
    i: usize,
    by: NumberPredictor,
    is_table: bool,
) -> Result<f64, Complaint> {
    let label = single(block, i);
    let label = label.map_err(|error| {
        let comma = number_with_comma(block, i).filter(|_| is_table);
        comma.unwrap_or_else(|| Complaint::new(error.to_string(), error.remedy()))
    })?;
    label.number().filter(|n| n.is_finite()).ok_or_else(|| {
        let text = String::from_utf8_lossy(label.text());
        let text: String = text.chars().take(40).collect();
        let what = format!("the label `{text}` is not a number");
        match by {
            NumberPredictor::Loss => Complaint::new(
                format!("{what}, which this loss predicts"),
                "use a loss of classes, such as hinge",
            ),
            NumberPredictor::Model => {
                Complaint::plain(format!("{what}, but the model predicts numbers"))
            }
        }
    })
}

/// What is wrong with a row whose labels are the parts of one number, as in `300,391` or `300,5`.
fn number_with_comma(block: Block<'_>, i: usize) -> Option<Complaint> {
    let texts = block.labels(i).map(|label| {
        let text = String::from_utf8_lossy(label.text());
        text.trim().to_owned()
    });
    let written: Vec<String> = texts.collect();
    // a currency or a unit may stand before or behind
    let is_sign = |c: char| !c.is_ascii_digit() && !matches!(c, '-' | '.');
    let mut parts = written.clone();
    if let Some(first) = parts.first_mut() {
        *first = first.trim_start_matches(is_sign).to_owned();
    }
    if let Some(last) = parts.last_mut() {
        *last = last.trim_end_matches(is_sign).to_owned();
    }
    let [first, others @ ..] = &parts[..] else {
        return None;
    };
    let are_digits = |text: &str| !text.is_empty() && text.bytes().all(|b| b.is_ascii_digit());
    let unsigned = first.strip_prefix('-').unwrap_or(first);
    if others.is_empty() || !are_digits(unsigned) {
        return None;
    }
    // the last part may have decimals behind a point
    let (last, between) = others.split_last()?;
    let whole = last.split_once('.').map_or(&**last, |(whole, _)| whole);
    let are_thousands = unsigned.len() <= 3
        && unsigned != "0"
        && between
            .iter()
            .all(|part| part.len() == 3 && are_digits(part))
        && whole.len() == 3
        && are_digits(whole);
    let (separator, plain, sed) = if are_thousands {
        let sed = r#"sed -E ':a; s/"(-?[0-9]+),([0-9.,]+)"/"\1\2"/; ta'"#;
        ("a comma between thousands", parts.concat(), sed)
    } else if between.is_empty() && are_digits(last) {
        let sed = r#"sed -E 's/"(-?[0-9]+),([0-9]+)"/\1.\2/g'"#;
        ("a decimal comma", parts.join("."), sed)
    } else {
        return None;
    };
    let what = format!(
        "the label `{}` has {separator}, which separates labels, but a quantity is one number",
        written.join(",")
    );
    let remedy = format!("write it as {plain}, as `{sed}` does for quoted cells of a CSV file");
    Some(Complaint::new(what, Remedy::clause(remedy)))
}

/// What predicts numbers.
#[derive(Clone, Copy, Debug)]
pub(crate) enum NumberPredictor {
    /// A loss.
    Loss,
    /// A model.
    Model,
}

/// The class of a label, new if need be.
pub(crate) fn class(classes: &mut Classes, label: RawLabel<'_>) -> usize {
    match classes.find(label) {
        Some(class) => class,
        None => classes.add(label),
    }
}

/// Whether a row is of a class.
pub(crate) fn is_of(classes: &Classes, class: usize, block: Block<'_>, i: usize) -> bool {
    match classes.task() {
        Task::Binary { positive, .. } => block.labels(i).any(|l| positive.is(l)),
        _ => block.labels(i).any(|l| classes.find(l) == Some(class)),
    }
}

/// What a row of weight 1 aims at.
pub(crate) fn aim(positive: bool) -> Aim {
    Aim {
        sign: if positive { 1.0 } else { -1.0 },
        target: 1.0,
        weight: 1.0,
    }
}

/// What the labels of some rows ask for, all of them known.
pub(crate) fn task_of(names: Vec<LabelName>) -> Task {
    let is_sign = |label: &LabelName| matches!(label.number(), Some(-1.0 | 1.0));
    if names.iter().all(is_sign) {
        return Task::plus_minus();
    }
    match <[LabelName; 2]>::try_from(names) {
        Ok([a, b]) => Task::pair(a, b),
        Err(_) => Task::OneVsRest,
    }
}

/// Rows per label, in the order in which the labels were met.
#[derive(Default)]
pub(crate) struct LabelCounts {
    pub(crate) list: Vec<(LabelName, u64)>,
    /// The places of labels by their texts.
    places: HashMap<Vec<u8>, usize>,
}

impl LabelCounts {
    pub(crate) fn add(&mut self, label: RawLabel<'_>) {
        let place = self.places.get(label.text()).copied();
        let place = place.unwrap_or_else(|| self.meet(label));
        self.list[place].1 += 1;
    }

    /// The place of a label that was not written like this before.
    fn meet(&mut self, label: RawLabel<'_>) -> usize {
        let known = self.list.iter().position(|(name, _)| name.is(label));
        let place = known.unwrap_or(self.list.len());
        if known.is_none() {
            self.list.push((LabelName::new(label), 0));
        }
        self.places.insert(label.text().to_vec(), place);
        place
    }
}
