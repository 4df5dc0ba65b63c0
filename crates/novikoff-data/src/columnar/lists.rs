//! Columns of lists: where they lie, and what numbers in them become.

use std::ops::Range;

use arrow_array::cast::AsArray as _;
use arrow_array::{Array, ArrayRef};
use arrow_buffer::NullBuffer;
use arrow_schema::DataType;
use novikoff::remedy::Complaint;

use super::features::Memo;
use super::numbers::{Numbers, nulls};
use super::row::{Maker, all, missing, no_nan};
use crate::options::Missing;

/// Where each row's list lies among the items of all.
pub(super) enum Lists<'a> {
    Small(&'a [i32]),
    Large(&'a [i64]),
    Fixed(usize),
}

impl<'a> Lists<'a> {
    /// The lists and their items; none if the column is not of lists.
    pub(super) fn of(array: &'a dyn Array) -> Option<(Self, &'a ArrayRef)> {
        Some(match array.data_type() {
            DataType::List(_) => {
                let array = array.as_list_opt::<i32>()?;
                (Lists::Small(array.value_offsets()), array.values())
            }
            DataType::LargeList(_) => {
                let array = array.as_list_opt::<i64>()?;
                (Lists::Large(array.value_offsets()), array.values())
            }
            DataType::FixedSizeList(_, _) => {
                let array = array.as_fixed_size_list_opt()?;
                let size = usize::try_from(array.value_length()).ok()?;
                (Lists::Fixed(size), array.values())
            }
            _ => return None,
        })
    }

    pub(super) fn range(&self, i: usize) -> Range<usize> {
        match *self {
            Lists::Small(offsets) => offsets[i] as usize..offsets[i + 1] as usize,
            Lists::Large(offsets) => offsets[i] as usize..offsets[i + 1] as usize,
            Lists::Fixed(size) => i * size..(i + 1) * size,
        }
    }
}

/// Lists of numbers.
pub(super) struct Items<'a> {
    pub(super) lists: Lists<'a>,
    pub(super) numbers: Numbers<'a>,
    /// Lists that are missing, and numbers that are.
    missing: Option<NullBuffer>,
    nulls: Option<NullBuffer>,
}

impl<'a> Items<'a> {
    /// None if the column is not of lists of numbers.
    pub(super) fn of(array: &'a dyn Array) -> Option<Self> {
        let (lists, items) = Lists::of(array)?;
        Some(Items {
            lists,
            numbers: Numbers::of(items)?,
            missing: array.nulls().cloned(),
            nulls: nulls(items),
        })
    }

    /// Whether row `i` has no list.
    pub(super) fn is_missing(&self, i: usize) -> bool {
        self.missing.as_ref().is_some_and(|nulls| nulls.is_null(i))
    }

    /// Whether a number is missing.
    pub(super) fn is_null(&self, place: usize) -> bool {
        self.nulls
            .as_ref()
            .is_some_and(|nulls| nulls.is_null(place))
    }

    /// Leaves the numbers of a list in `out`, or says which is wrong and how.
    pub(super) fn read(
        &self,
        range: Range<usize>,
        maker: &Maker<'_>,
        out: &mut Vec<f32>,
    ) -> Result<(), (usize, Complaint)> {
        out.clear();
        out.resize(range.len(), 0.0);
        self.numbers.fill(range.clone(), out.iter_mut());
        for (k, out) in out.iter_mut().enumerate() {
            if self.is_null(range.start + k) {
                maker.allow_missing().map_err(|what| (k, what))?;
                *out = 0.0;
            }
        }
        if all(out, f32::is_finite) {
            return Ok(());
        }
        if maker.options.missing() != Missing::Refuse {
            no_nan(out.iter_mut(), 0.0);
        }
        match out.iter().position(|v| !v.is_finite()) {
            None => Ok(()),
            Some(k) if out[k].is_nan() => Err((k, missing())),
            Some(k) => Err((k, self.numbers.complaint(range.start + k))),
        }
    }

    /// Adds the list of row `i` as the features `name[0]`, `name[1]`, ...
    pub(super) fn push(
        &self,
        name: &str,
        i: usize,
        memo: &mut Memo,
        maker: &mut Maker<'_>,
    ) -> Result<(), (usize, Complaint)> {
        let mut values = std::mem::take(&mut maker.value);
        let read = self.read(self.lists.range(i), maker, &mut values);
        if read.is_ok() {
            if let Some(slots) = memo.rising(values.len()) {
                maker.run(slots, &values);
            } else {
                for (k, &value) in values.iter().enumerate() {
                    let feature = memo.item(name, k, &mut maker.finder, maker.draft);
                    maker.tail.push((feature, value));
                }
            }
        }
        maker.value = values;
        read
    }
}
