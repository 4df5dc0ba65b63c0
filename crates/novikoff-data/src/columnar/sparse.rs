//! Structs of two lists, `indices` and `values`: sparse rows.

use std::ops::Range;

use arrow_array::Array;
use arrow_array::cast::AsArray as _;
use novikoff::remedy::{Complaint, Remedy, Setting};

use super::lists::Items;
use super::row::Maker;
use crate::draft::Feature;
use crate::error::{LineProblem, Token};
use crate::options::ReadOptions;

/// The lists of a batch.
pub(super) struct Sparse<'a> {
    indices: Items<'a>,
    values: Items<'a>,
    /// Rows without indices have the first features.
    dense: bool,
    /// Numbers of features are their slots, unless there are names already: none will come.
    numbered: bool,
}

impl<'a> Sparse<'a> {
    /// `indices` and `values` are the places of the fields. None if the column is no such struct.
    pub(super) fn of(
        array: &'a dyn Array,
        indices: usize,
        values: usize,
        dense: bool,
        numbered: bool,
    ) -> Option<Self> {
        let fields = array.as_struct_opt()?.columns();
        Some(Sparse {
            indices: Items::of(fields.get(indices)?)?,
            values: Items::of(fields.get(values)?)?,
            dense,
            numbered,
        })
    }

    /// Adds row `i`.
    pub(super) fn push(&self, i: usize, maker: &mut Maker<'_>) -> Result<(), Complaint> {
        let counted = self.dense && self.indices.is_missing(i);
        if self.values.is_missing(i) || (!counted && self.indices.is_missing(i)) {
            return maker.allow_missing();
        }
        let mut slots = std::mem::take(&mut maker.index);
        let mut values = std::mem::take(&mut maker.value);
        let read = self.read(i, counted, maker, &mut slots, &mut values);
        if read.is_ok() {
            let numbered = self.numbered && maker.finder.names.is_empty();
            if numbered && slots.is_sorted() {
                maker.run(&slots, &values);
            } else {
                for (&slot, &value) in slots.iter().zip(&values) {
                    let number = slot - u32::from(maker.options.zero_based);
                    let feature = if numbered {
                        Feature::Slot(slot)
                    } else {
                        maker.finder.number(number, maker.draft)
                    };
                    maker.tail.push((feature, value));
                }
            }
        }
        (maker.index, maker.value) = (slots, values);
        read
    }

    /// Leaves the slots of row `i` and their values.
    fn read(
        &self,
        i: usize,
        counted: bool,
        maker: &Maker<'_>,
        slots: &mut Vec<u32>,
        values: &mut Vec<f32>,
    ) -> Result<(), Complaint> {
        let range = self.values.lists.range(i);
        let places = if counted {
            0..range.len()
        } else {
            self.indices.lists.range(i)
        };
        if places.len() != range.len() {
            let (indices, values) = (places.len(), range.len());
            return Err(Complaint::plain(format!(
                "{indices} indices, but {values} values; each index needs one value"
            )));
        }
        let read = self.values.read(range, maker, values);
        read.map_err(|(_, what)| what)?;
        self.slots(places, counted, maker.options, slots)
    }

    /// Leaves the slots in `out`: different ones, within the limits.
    fn slots(
        &self,
        places: Range<usize>,
        counted: bool,
        options: &ReadOptions,
        out: &mut Vec<u32>,
    ) -> Result<(), Complaint> {
        out.clear();
        for (k, place) in places.enumerate() {
            let index = if counted {
                (k + usize::from(!options.zero_based)) as i128
            } else if self.indices.is_null(place) {
                return Err(Complaint::new("an index is missing", "give each value one"));
            } else {
                self.indices.numbers.whole(place).unwrap_or(-1)
            };
            let slot = u64::try_from(index).ok();
            let slot = slot.and_then(|index| options.slot(index));
            out.push(slot.ok_or_else(|| bad_index(index, options))?);
        }
        if out.is_sorted_by(|a, b| a < b) {
            return Ok(());
        }
        let mut sorted = out.clone();
        sorted.sort_unstable();
        match sorted.windows(2).find(|pair| pair[0] == pair[1]) {
            None => Ok(()),
            Some(pair) => {
                let index = u64::from(pair[0]) - u64::from(options.zero_based);
                Err(of(&LineProblem::DuplicateIndex { index }))
            }
        }
    }
}

/// A problem of a cell that others have too.
fn of(problem: &LineProblem) -> Complaint {
    Complaint {
        what: problem.to_string(),
        remedy: problem.remedy(),
    }
}

fn bad_index(index: i128, options: &ReadOptions) -> Complaint {
    let token = Token::new(index.to_string().as_bytes());
    match index {
        0 => Complaint::new(
            "index 0, but features are counted from 1",
            Remedy::give(Setting::ZeroBased, "").aim("if these are counted from 0"),
        ),
        ..0 => of(&LineProblem::NegativeIndex { token }),
        _ => {
            let limit = options.limit();
            of(&LineProblem::IndexPastLimit { token, limit })
        }
    }
}
