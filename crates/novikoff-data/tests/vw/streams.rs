//! Random streams: cut anywhere, read by any number of threads, compared with the plainest reading.

use novikoff::names::Names;
use novikoff_data::blocks::{ReadOptions, Reader};
use proptest::prelude::*;

use super::{cases, input, options, read, rows_of, tell};

/// Some words of a line, most of them right.
fn any_line() -> impl Strategy<Value = String> {
    let head = prop_oneof![
        6 => "(-?[0-9]|\\+1|[0-9]\\.[0-9]{1,3}) ",
        2 => "[0-9],[0-9] [0-9]\\.[0-9] ",
        1 => "[0-9] [0-9] '?[a-z]{0,3}",
        1 => "[-0-9a-z',.?\t ]{0,9}",
    ];
    let name = prop_oneof![
        8 => "[a-e]{1,2}",
        4 => "[1-9][0-9]{0,2}",
        1 => "[0-9]{1,9}",
        2 => "[a-c]{7,9}",
        1 => "[a-b]{13,17}",
        1 => "[a]{29,34}",
        1 => "[a\u{e9}^]{1,9}",
    ];
    let value = prop_oneof![
        6 => "",
        6 => ":-?[0-9]{1,3}(\\.[0-9]{1,6})?",
        2 => ":[-+]?[0-9]{0,20}\\.?[0-9]{0,20}(e-?[0-9]{1,2})?",
    ];
    let space = prop_oneof![
        8 => "\\|([a-c](:[0-9])?)? ",
        2 => "[ \t]{0,2}\\|[a-c]{1,33}(:-?[0-9]\\.[0-9])?[ \t]",
    ];
    let feature = (
        name,
        value,
        prop_oneof![30 => Just(" "), 1 => Just("\t"), 1 => Just("  "), 1 => Just("\r")],
    )
        .prop_map(|(name, value, blank)| name + &value + blank);
    let odd = "[|: a-b0-9\u{e9}\x01\r\t.]{0,3}";
    let word = prop_oneof![40 => feature, 8 => space, 1 => odd];
    (
        head,
        prop::collection::vec(word, 0..20),
        prop_oneof![4 => Just("\n"), 1 => Just("\r\n"), 1 => Just("\n\n")],
    )
        .prop_map(|(head, words, end)| format!("{head}|{}{end}", words.concat()))
}

/// Compares what is read from a text with what is read from it in pieces.
fn check_pieces(
    text: &[u8],
    sizes: &[usize],
    threads: usize,
    skip_bad: u64,
) -> Result<(), TestCaseError> {
    let options = ReadOptions {
        skip_bad,
        ..options()
    };
    let whole = read(text, options.clone());
    for &size in sizes {
        let reader = Reader::with_block_size(input(text), options.clone(), threads, size);
        prop_assert_eq!(&tell(reader.unwrap()), &whole);
    }
    Ok(())
}

proptest! {
    #![proptest_config(cases(300))]

    #[test]
    fn pieces_and_threads_make_no_difference(
        lines in prop::collection::vec(any_line(), 1..40),
        sizes in prop::collection::vec(1..600_usize, 1..3),
        threads in 1..5_usize,
        skip_bad in prop_oneof![Just(0), Just(u64::MAX)],
        cut in any::<bool>(),
    ) {
        let mut text = lines.concat();
        if cut {
            text.pop(); // the last line may lack its newline
        }
        check_pieces(text.as_bytes(), &sizes, threads, skip_bad)?;
    }

    #[test]
    fn no_bytes_are_too_strange(
        text in prop::collection::vec(
            prop_oneof![
                prop::sample::select(&b"|||:    \t\r\n\n0123456789.-+eE?',ab^\xc3\xa9"[..]),
                any::<u8>(),
            ],
            0..900,
        ),
        sizes in prop::collection::vec(1..600_usize, 1..3),
        threads in 1..3_usize,
    ) {
        check_pieces(&text, &sizes, threads, u64::MAX)?;
    }
}

/// The plainest reading of a line that is right: words between spaces.
fn plainest(line: &str) -> (Vec<String>, f32, Vec<(String, f32)>) {
    let (head, rest) = line.split_once('|').unwrap();
    let mut head: Vec<&str> = head.split(' ').collect();
    head.retain(|word| !word.is_empty() && !word.starts_with('\''));
    let labels = head.first().map_or("?", |labels| *labels).split(',');
    let labels = labels
        .filter(|label| *label != "?")
        .map(str::to_owned)
        .collect();
    let weight = head.get(1).map_or(1.0, |weight| weight.parse().unwrap());
    let mut features: Vec<(String, f32)> = Vec::new();
    for space in rest.split('|') {
        let (space, words) = space.split_once(' ').unwrap_or((space, ""));
        let (space, scale) = space.split_once(':').unwrap_or((space, "1"));
        for word in words.split(' ').filter(|word| !word.is_empty()) {
            let (name, value) = word.split_once(':').unwrap_or((word, "1"));
            let name = if space.is_empty() {
                name.to_owned()
            } else {
                format!("{space}^{name}")
            };
            let value = f64::from(value.parse::<f32>().unwrap()) * scale.parse::<f64>().unwrap();
            features.push((name, value as f32));
        }
    }
    (labels, weight, features)
}

/// Lines that are right.
pub(super) fn right_line() -> impl Strategy<Value = String> {
    let head = prop_oneof![
        Just(String::new()),
        Just("? ".to_owned()),
        "-?[0-9]{1,3} ",
        "-?[0-9](\\.[0-9])?(,[0-9]){0,3} [0-9]{1,2}(\\.[0-9]{1,2})? ",
        "1 'tag ",
        "1 2\\.5 'a:b ",
    ];
    let space = "[a-zA-Z_]{0,20}";
    let feature = (
        "[a-z0-9_.,;='\u{e9}\u{1f600}^-]{1,6}|[a-z]{1,40}|[1-9][0-9]{0,4}",
        prop_oneof![
            Just(String::new()),
            ":-?[0-9]{1,4}(\\.[0-9]{1,8})?",
            ":[-+]?[0-9]{1,3}\\.[0-9]{0,20}(e-?[0-9])?",
            any::<f32>()
                .prop_filter("finite", |v| v.is_finite())
                .prop_map(|v| format!(":{v:e}")),
        ],
    )
        .prop_map(|(name, value)| format!(" {name}{value}"));
    let scale = prop_oneof![6 => Just(String::new()), 1 => ":-?0\\.[0-9]{1,3}"];
    let group = (space, scale, prop::collection::vec(feature, 0..8)).prop_map(
        |(space, scale, features)| {
            let scale = if space.is_empty() {
                String::new()
            } else {
                scale
            };
            format!("|{space}{scale}{}", features.concat())
        },
    );
    (head, prop::collection::vec(group, 1..6), any::<bool>())
        .prop_map(|(head, groups, spaced)| head + &groups.join(if spaced { " " } else { "" }))
}

/// Values by name, those of a name added up, in the order of the names.
fn by_name(features: Vec<(String, f32)>) -> Vec<(String, u32)> {
    let mut sums: Vec<(String, f64, usize)> = Vec::new();
    for (name, value) in features {
        match sums.iter_mut().find(|(known, ..)| *known == name) {
            Some((_, sum, count)) => (*sum, *count) = (*sum + f64::from(value), *count + 1),
            None => sums.push((name, f64::from(value), 1)),
        }
    }
    let clamped = |sum: f64| sum.clamp(f64::from(f32::MIN), f64::from(f32::MAX)) as f32;
    let mut values: Vec<_> = sums
        .into_iter()
        .map(|(name, sum, _)| (name, clamped(sum)))
        .collect();
    values.retain(|(_, value)| *value != 0.0);
    values.sort_by(|a, b| a.0.cmp(&b.0));
    values
        .into_iter()
        .map(|(name, value)| (name, value.to_bits()))
        .collect()
}

proptest! {
    #![proptest_config(cases(300))]

    #[test]
    fn values_are_those_of_the_plainest_reading(
        lines in prop::collection::vec(right_line(), 1..30),
    ) {
        let (rows, names) = rows_of(lines.join("\n").as_bytes(), Names::new());
        prop_assert_eq!(rows.len(), lines.len());
        for (i, line) in lines.iter().enumerate() {
            let (labels, weight, features) = plainest(line);
            let found: Vec<_> = rows.labels(i).map(|label| String::from_utf8(label.text().to_vec()).unwrap()).collect();
            prop_assert_eq!(found, labels, "{}", line);
            prop_assert_eq!(rows.weight(i), f64::from(weight), "{}", line);
            let found = rows.row(i).iter().map(|(slot, value)| {
                let name = names.name(slot as u32).map_or(slot.to_string(), str::to_owned);
                (name, value as f32)
            });
            prop_assert_eq!(by_name(found.collect()), by_name(features), "{}", line);
        }
    }
}
