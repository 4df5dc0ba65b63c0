//! Files that are no models.

/// What a file that is no model looks like from its beginning, and what to do with it.
pub(super) fn describe(head: &[u8]) -> (&'static str, &'static str) {
    const DATA: &str = "train on it with `novikoff train`, and give the model file that `-o` names";
    const LOST: &str = "its content was lost; restore it from a copy or train again";
    const PACKED: &str = "unpack it first";
    const FOREIGN: &str = "models of other programs cannot be read; train again from the data";
    const UNKNOWN: &str = "give the model file that `novikoff train -o` wrote";
    let known: [(&[u8], _, _); 10] = [
        (b"\x1f\x8b", "a gzip file", PACKED),
        (b"\x28\xb5\x2f\xfd", "a zstd file", PACKED),
        (b"PK\x03\x04", "a zip archive", PACKED),
        (b"PAR1", "a Parquet file", DATA),
        (b"ARROW1", "an Arrow file", DATA),
        (b"\x80\x04\x95", "a Python pickle", FOREIGN),
        (b"\x80\x05\x95", "a Python pickle", FOREIGN),
        (b"svm_type ", "a LIBSVM model", FOREIGN),
        (b"solver_type ", "a LIBLINEAR model", FOREIGN),
        (b"{", "JSON text", UNKNOWN),
    ];
    if head.is_empty() {
        return ("an empty file", LOST);
    }
    if head.iter().all(|&b| b == 0) {
        return ("a file of zeros", LOST);
    }
    if let Some(&(_, found, advice)) = known.iter().find(|(start, ..)| head.starts_with(start)) {
        return (found, advice);
    }
    if head.iter().any(|&b| b < b' ' && !b.is_ascii_whitespace()) {
        return ("binary data", UNKNOWN);
    }
    let line = head
        .split(|&b| b == b'\n')
        .find(|l| !l.trim_ascii().is_empty() && !l.starts_with(b"#"))
        .unwrap_or(head);
    let second = line
        .split(u8::is_ascii_whitespace)
        .filter(|word| !word.is_empty())
        .nth(1);
    if line.contains(&b'|') {
        ("VW text", DATA)
    } else if second.is_some_and(|word| word.contains(&b':')) {
        ("svmlight text", DATA)
    } else if line.contains(&b',') || line.contains(&b'\t') {
        ("CSV or TSV text", DATA)
    } else {
        ("text", UNKNOWN)
    }
}
