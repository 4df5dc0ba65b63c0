//! Rows without a label: bad lines like others, where every row must have one.

use novikoff::classes::Task;
use novikoff::rows::{Block, Rows};
use novikoff_data::blocks::Reader;
use novikoff_data::error::DataError;

/// What rows without a label are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Bare {
    /// Rows like others.
    Rows,
    /// Bad lines.
    Bad,
    /// Rows like others if the first row has several labels, else bad lines.
    Told,
}

impl Bare {
    /// What they are for a task, or where the labels tell the task.
    pub(crate) fn of(task: Option<&Task>) -> Self {
        match task {
            None => Bare::Told,
            Some(Task::MultiLabel) => Bare::Rows,
            Some(_) => Bare::Bad,
        }
    }
}

/// What is left of a block.
pub(crate) struct Kept {
    rows: Rows,
    width: u32,
    /// Behind the rows: one bad line too many.
    pub(crate) error: Option<DataError>,
}

impl Kept {
    pub(crate) fn view(&self) -> Block<'_> {
        Block {
            width: self.width,
            ..self.rows.view()
        }
    }
}

/// The block a reader lent last, less the rows without a label. None if all have one.
pub(crate) fn labelled(reader: &mut Reader) -> Option<Kept> {
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
    let mut start = 0;
    for row in 0..end {
        let values = start..block.ends[row] as usize;
        start = values.end;
        if block.labels(row).len() == 0 {
            continue;
        }
        rows.push_many(&block.index[values.clone()], &block.value[values], 0);
        for label in block.labels(row) {
            rows.push_label(label.number().unwrap_or(f64::NAN), label.text());
        }
        rows.set_weight(block.weight(row) as f32);
        rows.end_row(block.line(row));
    }
    Some(Kept {
        rows,
        width: block.width(),
        error,
    })
}
