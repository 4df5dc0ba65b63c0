//! Readers under all options: the first three bytes are the options, the rest is the input.

use novikoff::names::Names;
use novikoff_data::blocks::{Format, Missing, ReadOptions};

use crate::draw;
use crate::story::tell_named;
use crate::text::read;

/// The formats of text that are drawn first, and the one that is sniffed.
const FORMATS: [Option<Format>; 4] = [
    Some(Format::Svmlight),
    Some(Format::Vw),
    Some(Format::Csv),
    None,
];

/// Formats of text that came later. Each is drawn by itself and behind all else, so that older inputs keep their meaning.
const LATER: &[Format] = &[Format::Json];

/// Takes the lowest bits of a number away and uses them to choose.
fn choose<T: Clone>(bits: &mut u32, among: &[T]) -> T {
    let count = among.len() as u32;
    let at = *bits % count;
    *bits /= count;
    among[at as usize].clone()
}

/// Any input under any options.
pub fn options(data: &[u8]) {
    let Some((&[a, b, c], text)) = data.split_first_chunk() else {
        return;
    };
    let mut bits = u32::from_le_bytes([a, b, c, 0]);
    let bits = &mut bits;
    let format = choose(bits, &FORMATS);
    let names = choose(bits, &[None, None, Some(false), Some(true)]);
    let is_svmlight = format == Some(Format::Svmlight);
    let mut options = ReadOptions {
        format,
        zero_based: choose(bits, &[false, true]),
        bias: choose(bits, &[None, Some(1.0), Some(-1e30)]),
        max_features: choose(bits, &[100_000_000, 6, u32::MAX]),
        skip_bad: choose(bits, &[0, 1, 2, u64::MAX]),
        missing: Some(choose(bits, &[Missing::Refuse, Missing::Zero])),
        max_line: choose(bits, &[64 << 20, if is_svmlight { 12 } else { 64 << 20 }]),
        header: choose(bits, &[None, Some(false), Some(true)]),
        label: choose(bits, &[None, Some("y".to_owned()), Some("2".to_owned())]),
        categorical: choose(bits, &[vec![], vec!["1".to_owned(), "c".to_owned()]]),
        unlabelled: choose(bits, &[false, true]),
        max_name_bytes: choose(bits, &[4 << 30, 80]),
        ..ReadOptions::default()
    };
    for &format in LATER {
        if choose(bits, &[false, false, true]) {
            options.format = Some(format);
            options.max_line = ReadOptions::default().max_line;
        }
    }
    let options = options;
    let Some(frozen) = names else {
        read(text, &options);
        return;
    };
    let names = || {
        let mut names = if frozen {
            let known = ["a", "n^x", "c=red"].map(str::to_owned);
            Names::restore(vec![2, 3, 5], &known, 5).expect("in order")
        } else {
            Names::hashed(3 + draw(data) % 8)
        };
        if frozen {
            names.freeze();
        }
        names
    };
    let one = tell_named(text, &options, 1, names());
    one.check(&options);
    one.message();
    if draw(text).is_multiple_of(16) {
        let two = tell_named(text, &options, 2, names());
        one.must_be(&two, "two threads");
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_formats_of_text_are_drawn() {
        for format in Format::ALL {
            let is_text = match format {
                Format::Svmlight | Format::Vw | Format::Csv | Format::Json => true,
                // files with targets of their own
                Format::Parquet | Format::Arrow | Format::Cache => false,
            };
            let is_drawn = FORMATS.contains(&Some(format)) || LATER.contains(&format);
            assert_eq!(is_drawn, is_text, "{format:?}");
        }
    }
}
