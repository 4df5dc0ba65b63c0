//! Files that are no models.

use novikoff::remedy::{Hint, Remedy};

/// What a file that is no model looks like from its beginning, and what to do with it.
pub(super) fn describe(head: &[u8]) -> (&'static str, Remedy) {
    const LOST: &str = "its content was lost; restore it from a copy or train again";
    let data = || Remedy::hint(Hint::TrainOnIt);
    let unknown = || Remedy::hint(Hint::GiveModel);
    let packed = || Remedy::clause("unpack it first");
    let foreign =
        || Remedy::clause("models of other programs cannot be read; train again from the data");
    let known: [(&[u8], _, &dyn Fn() -> Remedy); 10] = [
        (b"\x1f\x8b", "a gzip file", &packed),
        (b"\x28\xb5\x2f\xfd", "a zstd file", &packed),
        (b"PK\x03\x04", "a zip archive", &packed),
        (b"PAR1", "a Parquet file", &data),
        (b"ARROW1", "an Arrow file", &data),
        (b"\x80\x04\x95", "a Python pickle", &foreign),
        (b"\x80\x05\x95", "a Python pickle", &foreign),
        (b"svm_type ", "a LIBSVM model", &foreign),
        (b"solver_type ", "a LIBLINEAR model", &foreign),
        (b"{", "JSON text", &unknown),
    ];
    if head.is_empty() {
        return ("an empty file", LOST.into());
    }
    if head.iter().all(|&b| b == 0) {
        return ("a file of zeros", LOST.into());
    }
    if let Some((_, found, remedy)) = known.iter().find(|(start, ..)| head.starts_with(start)) {
        return (*found, remedy());
    }
    if head.iter().any(|&b| b < b' ' && !b.is_ascii_whitespace()) {
        return ("binary data", unknown());
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
        ("VW text", data())
    } else if second.is_some_and(|word| word.contains(&b':')) {
        ("svmlight text", data())
    } else if line.contains(&b',') || line.contains(&b'\t') {
        ("CSV or TSV text", data())
    } else {
        ("text", unknown())
    }
}
