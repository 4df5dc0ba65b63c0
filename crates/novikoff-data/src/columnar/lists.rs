//! Columns of lists.

use std::ops::Range;

use arrow_array::cast::AsArray as _;
use arrow_array::{Array, ArrayRef};
use arrow_schema::DataType;

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
