//! Columns of text: strings, places in dictionaries of strings, and whole numbers read as text.

use arrow_array::cast::AsArray as _;
use arrow_array::types::{
    Int8Type, Int16Type, Int32Type, Int64Type, UInt8Type, UInt16Type, UInt32Type, UInt64Type,
};
use arrow_array::{Array, ArrayRef, LargeStringArray, StringArray, StringViewArray};
use arrow_schema::DataType;

use super::numbers::Numbers;

/// The values of a column.
pub(super) enum Texts<'a> {
    Plain(Strings<'a>),
    Keyed(Keys<'a>, Strings<'a>),
    Whole(Numbers<'a>),
}

impl<'a> Texts<'a> {
    /// None if the column is neither text nor whole numbers.
    pub(super) fn of(array: &'a dyn Array) -> Option<Self> {
        if let DataType::Dictionary(_, _) = array.data_type() {
            let dictionary = array.as_any_dictionary_opt()?;
            let keys = Keys::of(dictionary.keys())?;
            return Some(Texts::Keyed(keys, Strings::of(dictionary.values())?));
        }
        if array.data_type().is_string() {
            return Strings::of(array).map(Texts::Plain);
        }
        Numbers::of(array).map(Texts::Whole)
    }

    /// The string of row `i`; none if it is missing, or the column is of whole numbers.
    pub(super) fn text(&self, i: usize) -> Option<&'a str> {
        match self {
            Texts::Plain(strings) => strings.get(i),
            Texts::Keyed(keys, strings) => strings.get(keys.get(i)),
            Texts::Whole(_) => None,
        }
    }
}

/// Strings.
#[derive(Clone, Copy)]
pub(super) enum Strings<'a> {
    Small(&'a StringArray),
    Large(&'a LargeStringArray),
    View(&'a StringViewArray),
}

impl<'a> Strings<'a> {
    pub(super) fn of(array: &'a dyn Array) -> Option<Self> {
        Some(match array.data_type() {
            DataType::Utf8 => Strings::Small(array.as_string_opt()?),
            DataType::LargeUtf8 => Strings::Large(array.as_string_opt()?),
            DataType::Utf8View => Strings::View(array.as_string_view_opt()?),
            _ => return None,
        })
    }

    pub(super) fn len(self) -> usize {
        match self {
            Strings::Small(array) => array.len(),
            Strings::Large(array) => array.len(),
            Strings::View(array) => array.len(),
        }
    }

    /// None if it is missing.
    pub(super) fn get(self, i: usize) -> Option<&'a str> {
        match self {
            Strings::Small(array) => array.is_valid(i).then(|| array.value(i)),
            Strings::Large(array) => array.is_valid(i).then(|| array.value(i)),
            Strings::View(array) => array.is_valid(i).then(|| array.value(i)),
        }
    }

    /// Where they lie in memory.
    fn place(self) -> (*const u8, *const u8) {
        match self {
            Strings::Small(array) => (array.values().as_ptr(), array.offsets().as_ptr().cast()),
            Strings::Large(array) => (array.values().as_ptr(), array.offsets().as_ptr().cast()),
            Strings::View(array) => (array.views().as_ptr().cast(), std::ptr::null()),
        }
    }

    /// True if both are the same object in memory.
    pub(super) fn is(self, kept: &ArrayRef) -> bool {
        Strings::of(kept)
            .is_some_and(|kept| kept.len() == self.len() && kept.place() == self.place())
    }
}

/// Places in a dictionary.
pub(super) enum Keys<'a> {
    I8(&'a [i8]),
    I16(&'a [i16]),
    I32(&'a [i32]),
    I64(&'a [i64]),
    U8(&'a [u8]),
    U16(&'a [u16]),
    U32(&'a [u32]),
    U64(&'a [u64]),
}

impl<'a> Keys<'a> {
    fn of(array: &'a dyn Array) -> Option<Self> {
        Some(match array.data_type() {
            DataType::Int8 => Keys::I8(array.as_primitive_opt::<Int8Type>()?.values()),
            DataType::Int16 => Keys::I16(array.as_primitive_opt::<Int16Type>()?.values()),
            DataType::Int32 => Keys::I32(array.as_primitive_opt::<Int32Type>()?.values()),
            DataType::Int64 => Keys::I64(array.as_primitive_opt::<Int64Type>()?.values()),
            DataType::UInt8 => Keys::U8(array.as_primitive_opt::<UInt8Type>()?.values()),
            DataType::UInt16 => Keys::U16(array.as_primitive_opt::<UInt16Type>()?.values()),
            DataType::UInt32 => Keys::U32(array.as_primitive_opt::<UInt32Type>()?.values()),
            DataType::UInt64 => Keys::U64(array.as_primitive_opt::<UInt64Type>()?.values()),
            _ => return None,
        })
    }

    pub(super) fn get(&self, i: usize) -> usize {
        match *self {
            Keys::I8(keys) => keys[i] as usize,
            Keys::I16(keys) => keys[i] as usize,
            Keys::I32(keys) => keys[i] as usize,
            Keys::I64(keys) => keys[i] as usize,
            Keys::U8(keys) => usize::from(keys[i]),
            Keys::U16(keys) => usize::from(keys[i]),
            Keys::U32(keys) => keys[i] as usize,
            Keys::U64(keys) => keys[i] as usize,
        }
    }
}
