//! The plainest reader of svmlight text, for lines known to be sound: words, and numbers by `std`.

use novikoff::rows::Rows;

/// Reads the first `lines` lines; none of them is bad.
pub(crate) fn read(text: &[u8], lines: usize) -> Rows {
    let mut rows = Rows::new();
    for (number, line) in text.split(|&b| b == b'\n').take(lines).enumerate() {
        let line = line.split(|&b| b == b'#').next().unwrap_or_default();
        let mut words = line.split(u8::is_ascii_whitespace).map(word).peekable();
        while words.next_if(|word| word.is_empty()).is_some() {}
        let Some(first) = words.peek() else {
            continue;
        };
        if !first.contains(':') {
            for label in first.split(',').filter(|&label| label != "?") {
                rows.push_label(label.parse().unwrap_or(f64::NAN), label.as_bytes());
            }
            words.next();
        }
        for word in words.filter(|word| !word.is_empty() && !word.starts_with("qid:")) {
            let (index, value) = word.split_once(':').expect("a colon");
            let (slot, value) = (index.parse().expect("an index"), value.parse::<f32>());
            rows.push(slot, value.expect("a value"));
        }
        rows.end_row(number as u64);
    }
    rows
}

fn word(bytes: &[u8]) -> &str {
    str::from_utf8(bytes).expect("sound words are text")
}
