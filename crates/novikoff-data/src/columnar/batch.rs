//! Columns of a batch turned into rows.
//!
//! Plain numbers go through a tile: some rows of all those columns, column by column in, row by row
//! out, in the order of their slots. Everything else is added row by row behind them. Names that are
//! new are met in the order of the rows, and of the columns in a row, whichever thread makes the batch.

use std::ops::Range;

use arrow_array::ArrayRef;
use arrow_array::cast::AsArray as _;
use arrow_buffer::NullBuffer;
use novikoff::names::Names;

use super::days::Days;
use super::features::Memo;
use super::ids::Ids;
use super::labels::Labels;
use super::lists::Items;
use super::numbers::{Numbers, nulls};
use super::plan::{Kind, Leaf, Plan};
use super::row::{Bad, Maker, Spare, all, missing, no_nan, slot};
use super::sparse::Sparse;
use super::texts::Texts;
use crate::draft::{Draft, Feature};
use crate::options::{Missing, ReadOptions};

/// How many values a tile has room for: it stays in a core's first cache.
const TILE: usize = 4096;

/// What one who makes rows keeps from batch to batch.
#[derive(Default)]
pub(super) struct Scratch {
    memos: Vec<Memo>,
    tile: Vec<f32>,
    label: Vec<u8>,
    spare: Spare,
}

/// A column that is not the same type as in the schema.
pub(super) struct Mismatch;

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
    array: &'a ArrayRef,
    nulls: Option<NullBuffer>,
    values: Values<'a>,
}

enum Values<'a> {
    Texts(Texts<'a>),
    List(Items<'a>),
    Sparse(Sparse<'a>),
    Days(Days),
}

/// A column of text: where it is missing, its place among those of text, and its strings.
type Text<'a> = (&'a Leaf, Option<NullBuffer>, usize, Texts<'a>);

/// A batch and how to read it.
pub(super) struct Batch<'a> {
    plan: &'a Plan,
    options: &'a ReadOptions,
    columns: &'a [ArrayRef],
    rows: usize,
    labels: Option<Labels<'a>>,
    ids: Option<Ids<'a>>,
    others: Vec<Other<'a>>,
    texts: Vec<Text<'a>>,
}

pub(super) fn is_null(nulls: Option<&NullBuffer>, i: usize) -> bool {
    nulls.is_some_and(|nulls| nulls.is_null(i))
}

/// A leaf's values, and where they are missing or their struct is.
pub(super) fn reach<'a>(
    columns: &'a [ArrayRef],
    leaf: &Leaf,
) -> Result<(&'a ArrayRef, Option<NullBuffer>), Mismatch> {
    let (first, fields) = leaf.path.split_first().ok_or(Mismatch)?;
    let mut array = columns.get(*first).ok_or(Mismatch)?;
    let mut missing = nulls(array);
    for &field in fields {
        let parent = array.as_struct_opt().ok_or(Mismatch)?;
        array = parent.columns().get(field).ok_or(Mismatch)?;
        missing = NullBuffer::union(missing.as_ref(), nulls(array).as_ref());
    }
    Ok((array, missing))
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
        let ids = match plan.id {
            Some(column) => Some(Ids::of(&*columns[column]).ok_or(Mismatch)?),
            None => None,
        };
        let numbered = plan.leaves.iter().all(Leaf::is_sparse);
        let (mut others, mut texts) = (Vec::new(), Vec::new());
        for leaf in &plan.leaves {
            let (array, nulls) = reach(columns, leaf)?;
            let values = match leaf.kind {
                Kind::Number | Kind::Ignored => continue,
                Kind::Date(form) => Days::of(array, nulls.as_ref(), form).map(Values::Days),
                Kind::Category => Texts::of(array).map(Values::Texts),
                Kind::Text(column) => {
                    let strings = Texts::of(array).ok_or(Mismatch)?;
                    texts.push((leaf, nulls, column, strings));
                    continue;
                }
                Kind::List => Items::of(array).map(Values::List),
                Kind::Sparse {
                    indices,
                    values,
                    dense,
                } => Sparse::of(array, indices, values, dense, numbered).map(Values::Sparse),
            };
            others.push(Other {
                leaf,
                array,
                nulls,
                values: values.ok_or(Mismatch)?,
            });
        }
        Ok(Batch {
            plan,
            options,
            columns,
            rows,
            labels,
            ids,
            others,
            texts,
        })
    }

    /// Adds the rows to `draft`. The first is row `first` of the input. False if there were too many bad
    /// ones to go on: the last of them is the one too many.
    pub(super) fn make(
        &self,
        first: u64,
        names: &Names,
        scratch: &mut Scratch,
        draft: &mut Draft,
    ) -> Result<bool, Mismatch> {
        let spare = std::mem::take(&mut scratch.spare);
        draft.begin_text(&self.plan.texts, self.plan.table.text);
        let mut maker = Maker::new(self.options, names, draft, spare);
        scratch.memos.resize_with(self.others.len(), Memo::default);
        for (other, memo) in self.others.iter().zip(&mut scratch.memos) {
            memo.begin(other.array);
        }
        let (dense, unknown) = self.dense(&mut maker)?;
        let imputed = self.plan.imputed.iter();
        let imputed: Vec<(Feature, f32)> = imputed
            .map(|(name, value)| (maker.draft.find(names, name.as_bytes()), *value))
            .collect();
        let slots: Vec<u32> = dense
            .iter()
            .map_while(|column| slot(column.feature))
            .collect();
        // strictly increasing, so that rows need no sorting; names that share a slot are added up
        let rising = slots.len() == dense.len() && slots.is_sorted_by(|a, b| a < b);
        let height = (TILE / dense.len().max(1)).clamp(8, 64);
        scratch.tile.resize(height * dense.len(), 0.0);
        let mut go_on = true;
        'rows: for begin in (0..self.rows).step_by(height) {
            let rows = begin..self.rows.min(begin + height);
            self.fill(&dense, rows.clone(), &mut scratch.tile);
            for i in rows {
                let values = &scratch.tile[(i - begin) * dense.len()..][..dense.len()];
                let added = self
                    .labels(i, &mut scratch.label, &mut maker)
                    .and_then(|()| {
                        maker.begin();
                        let known = rising.then_some(&slots[..]);
                        push_numbers(i, &dense, known, values, &mut maker)
                    })
                    .and_then(|()| {
                        self.stand_ins(i, &dense, &mut maker);
                        self.others(i, &mut scratch.memos, &mut maker)?;
                        maker.tail.extend(&imputed);
                        maker.end();
                        self.texts(i, &mut maker)
                    });
                let line = first + i as u64;
                let Err(bad) = added else {
                    let present = unknown.iter().filter(|nulls| !is_null(nulls.as_ref(), i));
                    maker.draft.unknown += present.count() as u64;
                    if let Some(ids) = &self.ids {
                        maker.draft.rows.set_id(ids.text(i, &mut scratch.label));
                    }
                    maker.draft.end_row(line);
                    continue;
                };
                if let Err(last) = maker.draft.pass_over(bad.at(line), self.options) {
                    maker.draft.bad.push(last);
                    go_on = false;
                    break 'rows;
                }
            }
        }
        scratch.spare = maker.into_spare();
        Ok(go_on)
    }

    /// The columns of plain numbers in the order of their slots; and of those that the model does not
    /// know, where they have no values.
    fn dense(
        &self,
        maker: &mut Maker<'_>,
    ) -> Result<(Vec<Dense<'_>>, Vec<Option<NullBuffer>>), Mismatch> {
        let (mut dense, mut unknown) = (Vec::new(), Vec::new());
        for leaf in &self.plan.leaves {
            let Some(name) = &leaf.number else { continue };
            let (array, nulls) = reach(self.columns, leaf)?;
            let numbers = match self.days(leaf) {
                Some(days) => Some(Numbers::F32(&days.numbers)),
                None => Numbers::of(array),
            };
            match maker.draft.find(maker.finder.names, name.as_bytes()) {
                Feature::Unknown => unknown.push(nulls),
                feature => dense.push(Dense {
                    leaf,
                    numbers: numbers.ok_or(Mismatch)?,
                    nulls: nulls.filter(|nulls| nulls.null_count() > 0),
                    feature,
                }),
            }
        }
        dense.sort_by_key(|column| slot(column.feature));
        Ok((dense, unknown))
    }

    /// The dates of a column that has some.
    fn days(&self, leaf: &Leaf) -> Option<&Days> {
        let other = |other: &&Other<'_>| other.leaf.path == leaf.path;
        match &self.others.iter().find(other)?.values {
            Values::Days(days) => Some(days),
            _ => None,
        }
    }

    /// Counts plain numbers that are missing, and adds the categories that stand for them.
    fn stand_ins(&self, i: usize, dense: &[Dense<'_>], maker: &mut Maker<'_>) {
        if self.options.missing() == Missing::Refuse {
            return;
        }
        for column in dense {
            if is_null(column.nulls.as_ref(), i) || column.numbers.is_nan(i) {
                maker.stand_in(&column.leaf.name);
            }
        }
    }

    /// Writes some rows of the plain numbers; what is missing, NaN included, is NaN if it must not be.
    fn fill(&self, dense: &[Dense<'_>], rows: Range<usize>, tile: &mut [f32]) {
        for (k, column) in dense.iter().enumerate() {
            let missing = match self.options.missing() {
                Missing::Refuse => f32::NAN,
                _ => column.leaf.fill,
            };
            let cells = tile.chunks_exact_mut(dense.len()).map(|row| &mut row[k]);
            column.numbers.fill(rows.clone(), cells);
            if self.options.missing() != Missing::Refuse && column.numbers.has_nan() {
                let cells = tile.chunks_exact_mut(dense.len()).map(|row| &mut row[k]);
                no_nan(cells.take(rows.len()), missing);
            }
            if let Some(nulls) = &column.nulls {
                for i in rows.clone().filter(|&i| nulls.is_null(i)) {
                    tile[(i - rows.start) * dense.len() + k] = missing;
                }
            }
        }
    }

    fn labels(&self, i: usize, text: &mut Vec<u8>, maker: &mut Maker<'_>) -> Result<(), Bad> {
        let (Some(labels), Some(column)) = (&self.labels, self.plan.label) else {
            return Ok(());
        };
        labels
            .push(i, text, &mut maker.draft.rows)
            .map_err(|what| Bad {
                column,
                name: self.plan.table.label.clone().unwrap_or_default(),
                what,
            })
    }

    /// Adds categories, lists and sparse rows.
    fn others(&self, i: usize, memos: &mut [Memo], maker: &mut Maker<'_>) -> Result<(), Bad> {
        for (other, memo) in self.others.iter().zip(memos) {
            let (leaf, name) = (other.leaf, other.leaf.name.as_str());
            let bad = |what| Bad::new(leaf, what);
            if let Values::Days(days) = &other.values {
                // what is missing was noticed with the plain numbers
                if let Some(what) = days.complaint(i, name, other.array) {
                    return Err(bad(what));
                }
                for (part, value) in days.categories(i) {
                    let feature = maker.finder.part(name, part, value, maker.draft);
                    maker.tail.push((feature, 1.0));
                }
                continue;
            }
            if is_null(other.nulls.as_ref(), i) {
                maker.missing(name).map_err(bad)?;
                continue;
            }
            match &other.values {
                Values::Days(_) => {}
                Values::Texts(texts) => match memo.category(name, texts, i, maker) {
                    Some(feature) => maker.tail.push((feature, 1.0)),
                    None => maker.missing(name).map_err(bad)?,
                },
                Values::List(items) => {
                    let pushed = items.push(name, i, memo, maker);
                    pushed.map_err(|(k, what)| Bad {
                        name: format!("{name}[{k}]"),
                        ..bad(what)
                    })?;
                }
                Values::Sparse(sparse) => sparse.push(i, maker).map_err(bad)?,
            }
        }
        Ok(())
    }

    /// Adds the words of columns of text.
    fn texts(&self, i: usize, maker: &mut Maker<'_>) -> Result<(), Bad> {
        for (leaf, nulls, column, strings) in &self.texts {
            let text = strings.text(i).filter(|_| !is_null(nulls.as_ref(), i));
            if let Some(text) = text {
                maker.text(*column, &leaf.name, text, self.plan.table.text.ngrams);
            } else {
                let allowed = maker.allow_missing();
                allowed.map_err(|what| Bad::new(leaf, what))?;
            }
        }
        Ok(())
    }
}

/// Adds plain numbers. `slots` are theirs, if they increase.
fn push_numbers(
    i: usize,
    dense: &[Dense<'_>],
    slots: Option<&[u32]>,
    values: &[f32],
    maker: &mut Maker<'_>,
) -> Result<(), Bad> {
    if !all(values, f32::is_finite) {
        return Err(complain(dense, i, values));
    }
    if let Some(slots) = slots {
        maker.run(slots, values);
    } else {
        let cells = dense.iter().zip(values);
        let cells = cells.map(|(column, &value)| (column.feature, value));
        maker.tail.extend(cells);
    }
    Ok(())
}

/// What is wrong with the first plain number, in the order of the columns, that is wrong.
fn complain(dense: &[Dense<'_>], i: usize, values: &[f32]) -> Bad {
    let wrong = dense.iter().zip(values).filter(|(_, v)| !v.is_finite());
    let Some((column, value)) = wrong.min_by_key(|(column, _)| &column.leaf.path) else {
        return Bad::new(dense[0].leaf, missing()); // there is one: so it was called
    };
    let what = if value.is_nan() {
        missing()
    } else {
        column.numbers.complaint(i)
    };
    Bad::new(column.leaf, what)
}
