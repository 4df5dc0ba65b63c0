//! Rows written as VW text.

use std::io;

use novikoff::names::Names;
use novikoff::rows::Rows;
use novikoff_data::write::vw::VwWriter;
use proptest::prelude::*;

use super::streams::right_line;
use super::{LIMITS, cases, rows_of};

fn write(rows: &Rows, names: &Names) -> io::Result<Vec<u8>> {
    let mut writer = VwWriter::new(Vec::new());
    writer.write(rows.view(), names)?;
    Ok(writer.into_inner())
}

/// Rows as they are, to the last bit.
fn bits(rows: &Rows) -> Vec<String> {
    (0..rows.len())
        .map(|i| {
            let labels: Vec<_> = rows.labels(i).map(|label| label.text().to_vec()).collect();
            let values: Vec<_> = rows
                .row(i)
                .iter()
                .map(|(slot, value)| (slot, value.to_bits()))
                .collect();
            format!("{labels:?} {} {values:?}", rows.weight(i).to_bits())
        })
        .collect()
}

proptest! {
    #![proptest_config(cases(300))]

    #[test]
    fn what_is_written_reads_back(lines in prop::collection::vec(right_line(), 1..30)) {
        let (rows, names) = rows_of(lines.join("\n").as_bytes(), Names::new());
        let text = write(&rows, &names).unwrap();
        prop_assert_eq!(text.split_inclusive(|&b| b == b'\n').count(), rows.len());
        let (again, _) = rows_of(&text, names.clone());
        prop_assert_eq!(bits(&again), bits(&rows), "{}", String::from_utf8_lossy(&text));
        prop_assert_eq!(write(&again, &names).unwrap(), text);
    }
}

#[test]
fn rows_are_lines() {
    let text = "1 |f a:0.5 b |g a | 12 c:-2 |f c\n+1.0,2 0.25 | 12:3\n|\n? | c\n-1 3 |g\n";
    let (rows, names) = rows_of(text.as_bytes(), Names::new());
    assert_eq!(
        String::from_utf8(write(&rows, &names).unwrap()).unwrap(),
        "1 |f a:0.5 b |g a | 12 c:-2 |f c\n+1.0,2 0.25 | 12:3\n|\n| c\n-1 3 |\n"
    );
    // several pieces of output
    let (many, names) = rows_of(
        "1 |f a:0.5 b:0.25\n".repeat(20_000).as_bytes(),
        Names::new(),
    );
    let text = write(&many, &names).unwrap();
    assert_eq!(text, "1 |f a:0.5 b:0.25\n".repeat(20_000).as_bytes());
}

#[test]
fn names_with_carets_keep_their_slots() {
    let mut names = Names::new();
    let mut rows = Rows::new();
    for bias in [None, Some(7.0)] {
        rows.clear();
        if let Some(bias) = bias {
            rows.push(0, bias); // not written
        }
        for name in ["^a", "a^", "^", "a^b^c", "a^^b", "^^"] {
            rows.push(names.assign(name, LIMITS).unwrap(), 2.0);
        }
        rows.end_row(0);
        let text = write(&rows, &names).unwrap();
        assert_eq!(
            String::from_utf8_lossy(&text),
            "| ^a:2 a^:2 ^:2 |a b^c:2 ^b:2 | ^^:2\n"
        );
        let (again, same) = rows_of(&text, Names::new());
        assert!(
            again
                .row(0)
                .iter()
                .eq(rows.row(0).iter().filter(|&(slot, _)| slot != 0))
        );
        assert!(same.iter().eq(names.iter()));
    }
}

#[test]
fn what_vw_text_cannot_hold_is_refused() {
    let refusal = |label: &[u8], weight: f32, name: &str| {
        let mut names = Names::new();
        let mut rows = Rows::new();
        if !label.is_empty() {
            rows.push_label(f64::NAN, label);
        }
        rows.set_weight(weight);
        rows.push(names.assign(name, LIMITS).unwrap(), 2.0);
        rows.end_row(0);
        let error = write(&rows, &names).unwrap_err();
        assert_eq!(error.kind(), io::ErrorKind::InvalidInput);
        error.to_string()
    };
    for label in ["a|b", "1 2", "nan", "1,2", "'a", "a:b"] {
        assert_eq!(
            refusal(label.as_bytes(), 1.0, "a"),
            format!(
                "label `{label}` cannot stand in VW text: it is neither a finite decimal number nor a word without blanks, commas, colons, quotes and |; rename the labels, or choose another format"
            )
        );
    }
    assert_eq!(
        refusal(b"", 2.5, "a"),
        "a row without a label cannot have the weight 2.5 in VW text; label the rows, or choose another format"
    );
    for (name, shown) in [
        ("", ""),
        ("a b", "a b"),
        ("a\tb", "a\\tb"),
        ("a|b", "a|b"),
        ("f^a:b", "f^a:b"),
        ("a\n", "a\\n"),
        ("f |^a", "f |^a"),
        ("\u{7f}", "\\u{7f}"),
    ] {
        assert_eq!(
            refusal(b"1", 1.0, name),
            format!(
                "feature `{shown}` cannot stand in VW text: its name is empty or has a blank, `|`, `:` or control byte; rename it, or choose another format"
            )
        );
    }
}
