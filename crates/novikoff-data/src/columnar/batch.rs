//! Columns of a batch turned into rows.
//!
//! Plain numbers go through a tile: some rows of all those columns, column by column in, row by row
//! out, in the order of their slots. Everything else is added row by row behind them. Names that are
//! new are met in the order of the rows, and of the columns in a row, whoever makes the batch.

use std::ops::Range;

use arrow_array::cast::AsArray as _;
use arrow_array::{Array, ArrayRef};
use arrow_buffer::NullBuffer;
use novikoff::names::Names;

use super::features::{Finder, Memo};
use super::labels::Labels;
use super::lists::Lists;
use super::numbers::Numbers;
use super::plan::{Kind, Leaf, Plan};
use super::texts::Texts;
use crate::draft::{Draft, Feature};
use crate::error::{LineError, Problem, Token};
use crate::options::{Missing, ReadOptions};

/// How many values a tile has room for: it stays in a core's first cache.
const TILE: usize = 4096;

/// What one who makes rows keeps from batch to batch.
#[derive(Default)]
pub(super) struct Scratch {
    memos: Vec<Memo>,
    tile: Vec<f32>,
    text: Vec<u8>,
    label: Vec<u8>,
    row: RowParts,
}

/// A row while its values are put together.
#[derive(Default)]
struct RowParts {
    /// Values without a place yet, in the order of the columns.
    tail: Vec<(Feature, f32)>,
    /// The highest slot that has its place.
    top: u32,
    index: Vec<u32>,
    value: Vec<f32>,
}

/// A column that is not the same type as in the schema.
pub(super) struct Mismatch;

/// A value that makes its row a bad one: the place of its column, its name and what is wrong.
struct Bad {
    column: usize,
    name: String,
    what: String,
}

/// A column of plain numbers.
struct Dense<'a> {
    leaf: &'a Leaf,
    numbers: Numbers<'a>,
    nulls: Option<NullBuffer>,
    feature: Feature,
}

/// Any other column.
struct Other<'a> {
    leaf: &'a Leaf,
    /// Its place among the leaves.
    place: usize,
    nulls: Option<NullBuffer>,
    values: Values<'a>,
}

enum Values<'a> {
    Texts(Texts<'a>),
    List(Items<'a>),
    Sparse {
        indices: Items<'a>,
        values: Items<'a>,
        dense: bool,
    },
}

/// Lists of numbers.
struct Items<'a> {
    lists: Lists<'a>,
    numbers: Numbers<'a>,
    /// Lists that are missing, and numbers that are.
    missing: Option<NullBuffer>,
    nulls: Option<NullBuffer>,
}

/// A batch and how to read it.
pub(super) struct Batch<'a> {
    plan: &'a Plan,
    options: &'a ReadOptions,
    rows: usize,
    labels: Option<Labels<'a>>,
    others: Vec<Other<'a>>,
    columns: &'a [ArrayRef],
    /// Numbers of features are their slots: there is no name, and none will come.
    numbered: bool,
}

fn is_null(nulls: Option<&NullBuffer>, i: usize) -> bool {
    nulls.is_some_and(|nulls| nulls.is_null(i))
}

/// A leaf's values, and where they are missing or their struct is.
fn reach<'a>(
    columns: &'a [ArrayRef],
    path: &[usize],
) -> Option<(&'a ArrayRef, Option<NullBuffer>)> {
    let (first, fields) = path.split_first()?;
    let mut array = columns.get(*first)?;
    let mut nulls = array.nulls().cloned();
    for &field in fields {
        array = array.as_struct_opt()?.columns().get(field)?;
        nulls = NullBuffer::union(nulls.as_ref(), array.nulls());
    }
    Some((array, nulls))
}

impl<'a> Items<'a> {
    fn of(array: &'a dyn Array) -> Option<Self> {
        let (lists, items) = Lists::of(array)?;
        Some(Items {
            lists,
            numbers: Numbers::of(items)?,
            missing: array.nulls().cloned(),
            nulls: items.nulls().cloned(),
        })
    }
}

impl<'a> Batch<'a> {
    pub(super) fn new(
        plan: &'a Plan,
        options: &'a ReadOptions,
        columns: &'a [ArrayRef],
        rows: usize,
    ) -> Result<Self, Mismatch> {
        let labels = match plan.label {
            Some(column) => Some(Labels::of(&*columns[column]).ok_or(Mismatch)?),
            None => None,
        };
        let mut others = Vec::new();
        for (place, leaf) in plan.leaves.iter().enumerate() {
            let (array, nulls) = reach(columns, &leaf.path).ok_or(Mismatch)?;
            let values = match leaf.kind {
                Kind::Number => continue,
                Kind::Category => Texts::of(array).map(Values::Texts),
                Kind::List => Items::of(array).map(Values::List),
                Kind::Sparse {
                    indices,
                    values,
                    dense,
                } => array.as_struct_opt().and_then(|fields| {
                    Some(Values::Sparse {
                        indices: Items::of(fields.columns().get(indices)?)?,
                        values: Items::of(fields.columns().get(values)?)?,
                        dense,
                    })
                }),
            };
            others.push(Other {
                leaf,
                place,
                nulls,
                values: values.ok_or(Mismatch)?,
            });
        }
        let sparse = |leaf: &Leaf| matches!(leaf.kind, Kind::Sparse { .. });
        Ok(Batch {
            plan,
            options,
            rows,
            labels,
            others,
            columns,
            numbered: plan.leaves.iter().all(sparse),
        })
    }

    /// Adds the rows to `draft`. The first is row `first` of the input. True if they were too bad to go
    /// on after them: the last bad row is the one too many.
    pub(super) fn make(
        &self,
        first: u64,
        names: &Names,
        scratch: &mut Scratch,
        draft: &mut Draft,
    ) -> Result<bool, Mismatch> {
        scratch
            .memos
            .resize_with(self.plan.leaves.len(), Memo::default);
        let mut finder = Finder {
            names,
            text: std::mem::take(&mut scratch.text),
        };
        for other in &self.others {
            let (array, _) = reach(self.columns, &other.leaf.path).ok_or(Mismatch)?;
            scratch.memos[other.place].begin(array);
        }
        let (dense, unknown) = self.dense(&mut finder, draft)?;
        let slots: Vec<u32> = dense
            .iter()
            .map_while(|column| slot(column.feature))
            .collect();
        // strictly increasing, so that rows need no sorting; names that share a slot are added up
        let rising = slots.len() == dense.len() && slots.is_sorted_by(|a, b| a < b);
        let height = (TILE / dense.len().max(1)).clamp(8, 64);
        let mut tile = std::mem::take(&mut scratch.tile);
        tile.resize(height * dense.len(), 0.0);
        let mut stopped = false;
        'rows: for begin in (0..self.rows).step_by(height) {
            let rows = begin..self.rows.min(begin + height);
            self.fill(&dense, rows.clone(), &mut tile);
            for i in rows {
                let values = &tile[(i - begin) * dense.len()..][..dense.len()];
                let known = rising.then_some(&slots[..]);
                let added = self
                    .begin_row(i, &dense, known, values, scratch, draft)
                    .and_then(|()| self.others(i, &mut finder, scratch, draft));
                let line = first + i as u64;
                let Err(bad) = added else {
                    let missing = |nulls: &&Option<NullBuffer>| is_null(nulls.as_ref(), i);
                    let missing = unknown.iter().filter(missing).count();
                    draft.unknown += (unknown.len() - missing) as u64;
                    draft.end_row(line);
                    continue;
                };
                let error = bad.at(line);
                if let Err(last) = draft.pass_over(error, self.options) {
                    draft.bad.push(last);
                    stopped = true;
                    break 'rows;
                }
            }
        }
        (scratch.tile, scratch.text) = (tile, finder.text);
        Ok(stopped)
    }

    /// The columns of plain numbers in the order of their slots, and where the values of those are
    /// missing that the model does not know.
    fn dense(
        &self,
        finder: &mut Finder<'_>,
        draft: &mut Draft,
    ) -> Result<(Vec<Dense<'a>>, Vec<Option<NullBuffer>>), Mismatch> {
        let (mut dense, mut unknown) = (Vec::new(), Vec::new());
        for leaf in self
            .plan
            .leaves
            .iter()
            .filter(|leaf| leaf.kind == Kind::Number)
        {
            let (array, nulls) = reach(self.columns, &leaf.path).ok_or(Mismatch)?;
            match finder.column(&leaf.name, draft) {
                Feature::Unknown => unknown.push(nulls),
                feature => dense.push(Dense {
                    leaf,
                    numbers: Numbers::of(array).ok_or(Mismatch)?,
                    nulls: nulls.filter(|nulls| nulls.null_count() > 0),
                    feature,
                }),
            }
        }
        dense.sort_by_key(|column| slot(column.feature));
        Ok((dense, unknown))
    }

    /// Writes some rows of the plain numbers; what is missing is NaN if it must not be.
    fn fill(&self, dense: &[Dense<'_>], rows: Range<usize>, tile: &mut [f32]) {
        let missing = match self.options.missing {
            Missing::Refuse => f32::NAN,
            Missing::Zero => 0.0,
        };
        for (k, column) in dense.iter().enumerate() {
            let cells = tile.chunks_exact_mut(dense.len()).map(|row| &mut row[k]);
            column.numbers.fill(rows.clone(), cells);
            if let Some(nulls) = &column.nulls {
                for i in rows.clone().filter(|&i| nulls.is_null(i)) {
                    tile[(i - rows.start) * dense.len() + k] = missing;
                }
            }
        }
    }

    /// Labels, the constant feature and plain numbers. `slots` are theirs, if they increase.
    fn begin_row(
        &self,
        i: usize,
        dense: &[Dense<'_>],
        slots: Option<&[u32]>,
        values: &[f32],
        scratch: &mut Scratch,
        draft: &mut Draft,
    ) -> Result<(), Bad> {
        if let (Some(labels), Some(column)) = (&self.labels, self.plan.label) {
            let pushed = labels.push(i, &mut scratch.label, &mut draft.rows);
            pushed.map_err(|what| Bad {
                column,
                name: self.plan.table.label.clone().unwrap_or_default(),
                what,
            })?;
        }
        draft.begin_row(self.options);
        let row = &mut scratch.row;
        (row.top, _) = (0, row.tail.clear());
        if !values.iter().fold(true, |all, v| all & v.is_finite()) {
            return Err(self.complain(dense, i, values));
        }
        match slots {
            Some(slots) => row.run(slots, values, draft),
            None => {
                for (column, &value) in dense.iter().zip(values) {
                    draft.push(column.feature, value);
                    row.top = u32::MAX;
                }
            }
        }
        Ok(())
    }

    /// What is wrong with the first plain number, in the order of the columns, that is wrong.
    fn complain(&self, dense: &[Dense<'_>], i: usize, values: &[f32]) -> Bad {
        let wrong = dense.iter().zip(values).filter(|(_, v)| !v.is_finite());
        let first = wrong
            .map(|(column, _)| column)
            .min_by_key(|column| &column.leaf.path);
        let Some(column) = first else {
            return Bad::new(&self.plan.leaves[0], "a value makes no sense".to_owned());
        };
        let what = if is_null(column.nulls.as_ref(), i) {
            MISSING.to_owned()
        } else {
            column.numbers.complaint(i)
        };
        Bad::new(column.leaf, what)
    }

    /// Categories, lists and sparse rows.
    fn others(
        &self,
        i: usize,
        finder: &mut Finder<'_>,
        scratch: &mut Scratch,
        draft: &mut Draft,
    ) -> Result<(), Bad> {
        let Scratch { memos, row, .. } = scratch;
        for other in &self.others {
            let memo = &mut memos[other.place];
            let bad = |what| Bad::new(other.leaf, what);
            if is_null(other.nulls.as_ref(), i) {
                self.missing().map_err(bad)?;
                continue;
            }
            match &other.values {
                Values::Texts(texts) => {
                    match memo.category(&other.leaf.name, texts, i, finder, draft) {
                        Some(feature) => row.tail.push((feature, 1.0)),
                        None => self.missing().map_err(bad)?,
                    }
                }
                Values::List(items) => {
                    self.list(&other.leaf.name, items, i, memo, finder, row, draft)
                        .map_err(|(k, what)| Bad {
                            name: format!("{}[{k}]", other.leaf.name),
                            ..bad(what)
                        })?;
                }
                Values::Sparse {
                    indices,
                    values,
                    dense,
                } => {
                    let lists = (indices, values);
                    self.sparse(lists, *dense, i, finder, row, draft)
                        .map_err(bad)?;
                }
            }
        }
        row.end(draft);
        Ok(())
    }

    fn missing(&self) -> Result<(), String> {
        match self.options.missing {
            Missing::Zero => Ok(()),
            Missing::Refuse => Err(MISSING.to_owned()),
        }
    }

    /// Leaves the numbers of a list in `out`, or says which is wrong and how.
    fn items(
        &self,
        items: &Items<'_>,
        range: Range<usize>,
        out: &mut Vec<f32>,
    ) -> Result<(), (usize, String)> {
        out.clear();
        out.resize(range.len(), 0.0);
        items.numbers.fill(range.clone(), out.iter_mut());
        if let Some(nulls) = &items.nulls {
            for (k, out) in out.iter_mut().enumerate() {
                if nulls.is_null(range.start + k) {
                    self.missing().map_err(|what| (k, what))?;
                    *out = 0.0;
                }
            }
        }
        match out.iter().position(|v| !v.is_finite()) {
            None => Ok(()),
            Some(k) => Err((k, items.numbers.complaint(range.start + k))),
        }
    }

    #[allow(clippy::too_many_arguments)] // all that a row is made from
    fn list(
        &self,
        name: &str,
        items: &Items<'_>,
        i: usize,
        memo: &mut Memo,
        finder: &mut Finder<'_>,
        row: &mut RowParts,
        draft: &mut Draft,
    ) -> Result<(), (usize, String)> {
        let range = items.lists.range(i);
        let mut values = std::mem::take(&mut row.value);
        let read = self.items(items, range, &mut values);
        if read.is_ok() {
            if let Some(slots) = memo.rising(values.len()) {
                row.run(slots, &values, draft);
            } else {
                for (k, &value) in values.iter().enumerate() {
                    row.tail.push((memo.item(name, k, finder, draft), value));
                }
            }
        }
        row.value = values;
        read
    }

    fn sparse(
        &self,
        (indices, values): (&Items<'_>, &Items<'_>),
        dense: bool,
        i: usize,
        finder: &mut Finder<'_>,
        row: &mut RowParts,
        draft: &mut Draft,
    ) -> Result<(), String> {
        let counted = dense && is_null(indices.missing.as_ref(), i);
        if is_null(values.missing.as_ref(), i) || (!counted && is_null(indices.missing.as_ref(), i))
        {
            return self.missing();
        }
        let (mut slots, mut numbers) = (
            std::mem::take(&mut row.index),
            std::mem::take(&mut row.value),
        );
        let range = values.lists.range(i);
        let places = if counted {
            0..range.len()
        } else {
            indices.lists.range(i)
        };
        let read = if places.len() == range.len() {
            self.items(values, range, &mut numbers)
                .map_err(|(_, what)| what)
                .and_then(|()| self.slots(indices, places, counted, &mut slots))
        } else {
            let what = format!(
                "{} indices, but {} values; each index needs one value",
                places.len(),
                range.len()
            );
            Err(what)
        };
        if read.is_ok() {
            if self.numbered && finder.names.is_empty() && slots.is_sorted() {
                row.run(&slots, &numbers, draft);
            } else {
                for (&slot, &value) in slots.iter().zip(&numbers) {
                    let feature = if self.numbered && finder.names.is_empty() {
                        Feature::Slot(slot)
                    } else {
                        finder.number(slot - u32::from(self.options.zero_based), draft)
                    };
                    row.tail.push((feature, value));
                }
            }
        }
        (row.index, row.value) = (slots, numbers);
        read
    }

    /// Leaves the slots of a sparse row in `out`: different ones, within the limits.
    fn slots(
        &self,
        indices: &Items<'_>,
        places: Range<usize>,
        counted: bool,
        out: &mut Vec<u32>,
    ) -> Result<(), String> {
        out.clear();
        for (k, place) in places.enumerate() {
            let index = if counted {
                (k + usize::from(!self.options.zero_based)) as i128
            } else if is_null(indices.nulls.as_ref(), place) {
                return Err("an index is missing; give each value one".to_owned());
            } else {
                indices.numbers.whole(place).unwrap_or(-1)
            };
            let slot = u64::try_from(index)
                .ok()
                .and_then(|index| self.options.slot(index));
            out.push(slot.ok_or_else(|| self.bad_index(index))?);
        }
        if out.is_sorted_by(|a, b| a < b) {
            return Ok(());
        }
        let mut sorted = out.clone();
        sorted.sort_unstable();
        match sorted.windows(2).find(|pair| pair[0] == pair[1]) {
            None => Ok(()),
            Some(pair) => {
                let index = u64::from(pair[0]) - u64::from(self.options.zero_based);
                Err(Problem::DuplicateIndex { index }.to_string())
            }
        }
    }

    fn bad_index(&self, index: i128) -> String {
        let token = Token::new(index.to_string().as_bytes());
        match index {
            0 => "index 0, but features are counted from 1; use --zero-based if these are counted \
                  from 0"
                .to_owned(),
            ..0 => Problem::NegativeIndex { token }.to_string(),
            _ => {
                let limit = self.options.limit();
                Problem::IndexPastLimit { token, limit }.to_string()
            }
        }
    }
}

const MISSING: &str = "the value is missing; fill it in, or use --missing zero";

fn slot(feature: Feature) -> Option<u32> {
    match feature {
        Feature::Slot(slot) => Some(slot),
        _ => None,
    }
}

impl Bad {
    fn new(leaf: &Leaf, what: String) -> Self {
        Bad {
            column: leaf.path[0],
            name: leaf.name.clone(),
            what,
        }
    }

    fn at(self, line: u64) -> LineError {
        LineError {
            line,
            column: self.column as u64 + 1,
            problem: Problem::Cell {
                column: Token::new(self.name.as_bytes()),
                what: self.what,
            },
        }
    }
}

impl RowParts {
    /// Adds values whose slots increase, and leaves zeros out.
    fn run(&mut self, slots: &[u32], values: &[f32], draft: &mut Draft) {
        let (Some(&first), Some(&last)) = (slots.first(), slots.last()) else {
            return;
        };
        if !self.tail.is_empty() || first <= self.top {
            let cells = slots.iter().zip(values);
            self.tail
                .extend(cells.map(|(&slot, &value)| (Feature::Slot(slot), value)));
            return;
        }
        self.top = last;
        if values.iter().fold(true, |all, &v| all & (v != 0.0)) {
            draft.rows.push_many(slots, values, last);
            return;
        }
        for (&slot, &value) in slots.iter().zip(values) {
            draft.rows.push(slot, value);
        }
    }

    /// Gives the values in the tail their places.
    fn end(&mut self, draft: &mut Draft) {
        let slots = self.tail.iter().map(|&(feature, _)| slot(feature));
        if !slots.is_sorted()
            && self
                .tail
                .iter()
                .all(|&(feature, _)| slot(feature).is_some())
        {
            // stable: what has the same slot is added up in the order of the columns
            self.tail.sort_by_key(|&(feature, _)| slot(feature));
        }
        for &(feature, value) in &self.tail {
            draft.push(feature, value);
        }
    }
}
