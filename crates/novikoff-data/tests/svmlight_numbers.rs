//! Values are rounded as `str::parse::<f32>` rounds them, to the last bit, however they are written.
#![allow(clippy::unwrap_used)]

use std::fmt::Write as _;

use novikoff::rows::Rows;
use novikoff_data::svmlight::{ReadOptions, parse_block};
use proptest::prelude::*;

/// How many random cases; more by `NOVIKOFF_CASES`.
fn cases() -> u32 {
    std::env::var("NOVIKOFF_CASES")
        .ok()
        .and_then(|n| n.parse().ok())
        .unwrap_or(400)
}

/// Reads `spellings` as one row of a block and compares each value with what `str::parse` says.
fn check(spellings: &[String]) {
    let mut text = String::from("1");
    for (i, spelling) in spellings.iter().enumerate() {
        write!(text, " {}:{spelling}", 3 * i + 1).unwrap();
    }
    text.push('\n');
    // lines around it, so that the hot loop sees every token
    let text =
        format!("1 1:1 2:2 3:3 4:4\n{text}1 1:1 2:2 3:3 4:4 5:5 6:6 7:7 8:8 9:9 10:10 11:11\n");
    let mut rows = Rows::new();
    parse_block(text.as_bytes(), &ReadOptions::default(), &mut rows).unwrap();
    let row: Vec<(usize, f64)> = rows.row(1).iter().collect();
    let mut found = row.iter().peekable();
    for (i, spelling) in spellings.iter().enumerate() {
        let exact: f32 = spelling.parse().unwrap();
        let value = match found.next_if(|(slot, _)| *slot == 3 * i + 1) {
            Some((_, value)) => *value as f32,
            None => 0.0, // zeros are not kept
        };
        if exact == 0.0 {
            assert_eq!(value, 0.0, "{spelling}");
        } else {
            assert_eq!(
                value.to_bits(),
                exact.to_bits(),
                "{spelling}: {value:e} not {exact:e}"
            );
        }
    }
    assert!(found.next().is_none());
}

/// A decimal in any spelling that is finite as `f32`.
fn decimal() -> impl Strategy<Value = String> {
    let sign = prop_oneof![4 => Just(""), 3 => Just("-"), 1 => Just("+")];
    let digits = prop_oneof![
        4 => "[0-9]{1,3}(\\.[0-9]{0,9})?",
        3 => "0\\.[0-9]{1,25}",
        2 => "[0-9]{1,12}\\.[0-9]{0,20}",
        1 => "\\.[0-9]{1,9}",
        1 => "0{0,30}[0-9]{1,20}\\.?",
        1 => "0\\.0{0,40}[0-9]{1,40}",
    ];
    let exponent = prop_oneof![6 => Just(String::new()), 2 => "[eE][-+]?[0-9]{1,2}", 1 => "[eE][-+]?0{0,4}[0-9]{1,3}"];
    (sign, digits, exponent).prop_map(|(sign, digits, exponent)| {
        let short = format!("{sign}{digits}");
        let long = format!("{short}{exponent}");
        match long.parse::<f32>() {
            Ok(value) if value.is_finite() => long,
            _ => short,
        }
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(cases()))]

    #[test]
    fn any_spelling(spellings in prop::collection::vec(decimal(), 1..150)) {
        check(&spellings);
    }

    #[test]
    fn shortest_spellings_of_any_float(floats in prop::collection::vec(any::<f32>(), 1..100)) {
        let finite = floats.into_iter().filter(|x| x.is_finite());
        check(&finite.flat_map(|x| [x.to_string(), format!("{x:e}"), format!("{:e}", f64::from(x))]).collect::<Vec<_>>());
    }
}

/// SplitMix64.
fn next(state: &mut u64) -> u64 {
    *state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
    let z = (*state ^ *state >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let z = (z ^ z >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ z >> 31
}

/// Decimals on and next to the midpoint of two neighbouring floats, cut at every length: the hardest to round.
#[test]
fn decimals_near_midpoints() {
    let mut state = 7;
    let mut spellings = Vec::new();
    for _ in 0..u64::from(cases()) * 100 {
        let exponent = 127 + next(&mut state) % 60 - 40; // 2^-40 .. 2^19
        let bits = (exponent << 23 | next(&mut state) >> 41) as u32;
        let (low, high) = (f32::from_bits(bits), f32::from_bits(bits + 1));
        let middle = f64::midpoint(f64::from(low), f64::from(high)); // exact
        let digits = (next(&mut state) % 24) as usize;
        spellings.push(format!("{middle:.digits$}"));
        spellings.push(format!("{middle:.digits$e}"));
        let ulps = next(&mut state) % 41;
        let near = f64::from_bits((middle.to_bits() + ulps).wrapping_sub(20));
        spellings.push(near.to_string());
        spellings.push(format!("{near:.17}"));
        if spellings.len() >= 400 {
            check(&spellings);
            spellings.clear();
        }
    }
}

/// Digits of every length, with the point at every place.
#[test]
fn random_digits_of_every_length() {
    let mut state = 8;
    for _ in 0..cases() {
        let mut spellings = Vec::new();
        for length in 1..=26 {
            let mut digits: String = (0..length)
                .map(|_| char::from(b'0' + (next(&mut state) % 10) as u8))
                .collect();
            let place = next(&mut state) as usize % (length + 1);
            digits.insert(place, '.');
            spellings.push(digits);
        }
        check(&spellings);
    }
}
