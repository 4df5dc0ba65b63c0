//! Columns of numbers, whatever their type, as `f32`.

use std::ops::Range;

use arrow_array::cast::AsArray as _;
use arrow_array::types::{
    ArrowPrimitiveType, Decimal32Type, Decimal64Type, Decimal128Type, Decimal256Type, Float16Type,
    Float32Type, Float64Type, Int8Type, Int16Type, Int32Type, Int64Type, UInt8Type, UInt16Type,
    UInt32Type, UInt64Type,
};
use arrow_array::{Array, BooleanArray};
use arrow_buffer::{NullBuffer, i256};
use arrow_schema::DataType;
use novikoff::remedy::Complaint;

/// Powers of ten that are `f32`.
const POWERS: [f32; 11] = [1.0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10];

type F16 = <Float16Type as ArrowPrimitiveType>::Native;

/// Where values are missing.
pub(super) fn nulls(array: &dyn Array) -> Option<NullBuffer> {
    match array.data_type() {
        DataType::Null => array.logical_nulls(), // which are not stored
        _ => array.nulls().cloned(),
    }
}

/// The values of a column.
pub(super) enum Numbers<'a> {
    /// All are missing.
    None,
    Bool(&'a BooleanArray),
    I8(&'a [i8]),
    I16(&'a [i16]),
    I32(&'a [i32]),
    I64(&'a [i64]),
    U8(&'a [u8]),
    U16(&'a [u16]),
    U32(&'a [u32]),
    U64(&'a [u64]),
    F16(&'a [F16]),
    F32(&'a [f32]),
    F64(&'a [f64]),
    D32(&'a [i32], i8),
    D64(&'a [i64], i8),
    D128(&'a [i128], i8),
    D256(&'a [i256], i8),
}

impl<'a> Numbers<'a> {
    /// None if the column is not of numbers.
    pub(super) fn of(array: &'a dyn Array) -> Option<Self> {
        fn values<T: ArrowPrimitiveType>(array: &dyn Array) -> Option<&[T::Native]> {
            array
                .as_primitive_opt::<T>()
                .map(|array| &array.values()[..])
        }
        Some(match *array.data_type() {
            DataType::Null => Numbers::None,
            DataType::Boolean => Numbers::Bool(array.as_boolean_opt()?),
            DataType::Int8 => Numbers::I8(values::<Int8Type>(array)?),
            DataType::Int16 => Numbers::I16(values::<Int16Type>(array)?),
            DataType::Int32 => Numbers::I32(values::<Int32Type>(array)?),
            DataType::Int64 => Numbers::I64(values::<Int64Type>(array)?),
            DataType::UInt8 => Numbers::U8(values::<UInt8Type>(array)?),
            DataType::UInt16 => Numbers::U16(values::<UInt16Type>(array)?),
            DataType::UInt32 => Numbers::U32(values::<UInt32Type>(array)?),
            DataType::UInt64 => Numbers::U64(values::<UInt64Type>(array)?),
            DataType::Float16 => Numbers::F16(values::<Float16Type>(array)?),
            DataType::Float32 => Numbers::F32(values::<Float32Type>(array)?),
            DataType::Float64 => Numbers::F64(values::<Float64Type>(array)?),
            DataType::Decimal32(_, scale) => Numbers::D32(values::<Decimal32Type>(array)?, scale),
            DataType::Decimal64(_, scale) => Numbers::D64(values::<Decimal64Type>(array)?, scale),
            DataType::Decimal128(_, scale) => {
                Numbers::D128(values::<Decimal128Type>(array)?, scale)
            }
            DataType::Decimal256(_, scale) => {
                Numbers::D256(values::<Decimal256Type>(array)?, scale)
            }
            _ => return None,
        })
    }

    /// Writes some values, each rounded to the nearest `f32`; what is past its range is infinite.
    pub(super) fn fill<'b>(&self, rows: Range<usize>, out: impl Iterator<Item = &'b mut f32>) {
        macro_rules! each {
            ($values:expr, $convert:expr) => {
                for (out, value) in out.zip($values) {
                    *out = $convert(value);
                }
            };
        }
        match *self {
            Numbers::None => each!(rows, |_| f32::NAN),
            Numbers::Bool(array) => each!(rows, |i| f32::from(array.value(i))),
            Numbers::I8(values) => each!(&values[rows], |&v| f32::from(v)),
            Numbers::I16(values) => each!(&values[rows], |&v| f32::from(v)),
            Numbers::I32(values) => each!(&values[rows], |&v| v as f32),
            Numbers::I64(values) => each!(&values[rows], |&v| v as f32),
            Numbers::U8(values) => each!(&values[rows], |&v| f32::from(v)),
            Numbers::U16(values) => each!(&values[rows], |&v| f32::from(v)),
            Numbers::U32(values) => each!(&values[rows], |&v| v as f32),
            Numbers::U64(values) => each!(&values[rows], |&v| v as f32),
            Numbers::F16(values) => each!(&values[rows], |v: &F16| v.to_f32()),
            Numbers::F32(values) => each!(&values[rows], |&v| v),
            Numbers::F64(values) => each!(&values[rows], |&v| v as f32),
            Numbers::D32(values, scale) => {
                each!(&values[rows], |&v| decimal(i128::from(v), scale));
            }
            Numbers::D64(values, scale) => {
                each!(&values[rows], |&v| decimal(i128::from(v), scale));
            }
            Numbers::D128(values, scale) => each!(&values[rows], |&v| decimal(v, scale)),
            Numbers::D256(values, scale) => each!(&values[rows], |&v| wide_decimal(v, scale)),
        }
    }

    /// A whole number, if the type has no others.
    pub(super) fn whole(&self, i: usize) -> Option<i128> {
        Some(match *self {
            Numbers::Bool(array) => i128::from(array.value(i)),
            Numbers::I8(values) => i128::from(values[i]),
            Numbers::I16(values) => i128::from(values[i]),
            Numbers::I32(values) => i128::from(values[i]),
            Numbers::I64(values) => i128::from(values[i]),
            Numbers::U8(values) => i128::from(values[i]),
            Numbers::U16(values) => i128::from(values[i]),
            Numbers::U32(values) => i128::from(values[i]),
            Numbers::U64(values) => i128::from(values[i]),
            _ => return None,
        })
    }

    /// A whole number, whatever the type.
    pub(super) fn whole_value(&self, i: usize) -> Option<i64> {
        // those beyond count as one
        let exact = |v: f64| (v.fract() == 0.0 && v.abs() < 2.0_f64.powi(53)).then_some(v as i64);
        match *self {
            Numbers::F32(values) => exact(f64::from(values[i])),
            Numbers::F64(values) => exact(values[i]),
            _ => i64::try_from(self.whole(i)?).ok(),
        }
    }

    /// Not a number, which is a missing value.
    pub(super) fn is_nan(&self, i: usize) -> bool {
        match *self {
            Numbers::F16(values) => values[i].is_nan(),
            Numbers::F32(values) => values[i].is_nan(),
            Numbers::F64(values) => values[i].is_nan(),
            _ => false,
        }
    }

    /// Whether the type has values that are not a number.
    pub(super) fn has_nan(&self) -> bool {
        matches!(
            self,
            Numbers::None | Numbers::F16(_) | Numbers::F32(_) | Numbers::F64(_)
        )
    }

    /// The shortest decimal that is this value, and no other of its type.
    pub(super) fn shortest(&self, i: usize) -> String {
        match *self {
            Numbers::F16(values) => (values[i].to_f32() + 0.0).to_string(),
            Numbers::F32(values) => (values[i] + 0.0).to_string(), // -0 is 0
            Numbers::F64(values) => (values[i] + 0.0).to_string(),
            Numbers::D32(values, scale) => format!("{}e{}", values[i], -i32::from(scale)),
            Numbers::D64(values, scale) => format!("{}e{}", values[i], -i32::from(scale)),
            Numbers::D128(values, scale) => format!("{}e{}", values[i], -i32::from(scale)),
            Numbers::D256(values, scale) => format!("{}e{}", values[i], -i32::from(scale)),
            _ => self.whole(i).unwrap_or_default().to_string(),
        }
    }

    /// What is wrong with a value that is no `f32`.
    pub(super) fn complaint(&self, i: usize) -> Complaint {
        let beyond = |found: String| {
            let what = format!("{found} is beyond the range of f32, 3.4e38");
            Complaint::new(what, "scale the column down")
        };
        let found = match *self {
            Numbers::F16(values) => f64::from(values[i].to_f32()),
            Numbers::F32(values) => f64::from(values[i]),
            Numbers::F64(values) => values[i],
            _ => return beyond(self.shortest(i)),
        };
        if found.is_finite() {
            beyond(format!("{found:e}"))
        } else {
            let what = format!("{found} is not a finite number");
            Complaint::new(what, "remove or replace it")
        }
    }
}

/// `value / 10^scale`, rounded once.
fn decimal(value: i128, scale: i8) -> f32 {
    match POWERS.get(scale as usize) {
        Some(power) if value.unsigned_abs() <= 1 << 24 => value as f32 / power,
        _ => nearest(&value.to_string(), scale),
    }
}

fn wide_decimal(value: i256, scale: i8) -> f32 {
    match value.to_i128() {
        Some(value) => decimal(value, scale),
        None => nearest(&value.to_string(), scale),
    }
}

fn nearest(digits: &str, scale: i8) -> f32 {
    let text = format!("{digits}e{}", -i32::from(scale));
    fast_float2::parse(text).unwrap_or(f32::NAN)
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::{decimal, wide_decimal};
    use arrow_buffer::i256;

    #[test]
    fn decimals_are_rounded_once() {
        let cases = [
            (0, 3, "0"),
            (-1234, 2, "-12.34"),
            (16_777_216, 10, "0.0016777216"),
            (16_777_217, 0, "16777217"),
            (-16_777_219, 0, "-16777219"),
            (1, 38, "1e-38"),
            (12, -3, "12000"),
            (i128::MAX, 5, "1701411834604692317316873037158841.05727"),
        ];
        for (value, scale, text) in cases {
            let exact: f32 = text.parse().unwrap();
            assert_eq!(decimal(value, scale), exact, "{text}");
            assert_eq!(wide_decimal(i256::from_i128(value), scale), exact);
        }
        assert_eq!(wide_decimal(i256::MAX, 0), f32::INFINITY);
    }
}
