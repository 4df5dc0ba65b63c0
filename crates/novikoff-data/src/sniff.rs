//! What an input is, judged by its first bytes.
//!
//! Binary formats begin with their marks. Text is judged by its first line that is neither empty nor a
//! remark, so that a file and a pipe are judged alike:
//!
//! | the line | is |
//! | --- | --- |
//! | begins with `{` and a name in quotes | JSON lines |
//! | has `\|` after nothing but labels, weight and tag | VW |
//! | has a word `number:` after its first word, which is no time of a day; and no other words, if it has tabs, or commas and semicolons after its first word | svmlight |
//! | has a comma, tab or semicolon | a table |
//! | names the separator, as in `sep=;` | a table |
//! | is a title: words, and the next two lines have the same number of commas, tabs or semicolons, at least two | a table |
//! | anything else | svmlight |

use memchr::{memchr, memchr_iter};
use novikoff::remedy::Complaint;

use crate::options::Format;

/// What a file was compressed by.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Compression {
    /// gzip, one member or several.
    Gzip,
    /// Zstandard.
    Zstd,
}

impl Compression {
    /// Its name in messages.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Compression::Gzip => "gzip",
            Compression::Zstd => "zstd",
        }
    }
}

/// What bytes that begin so were compressed by.
pub(crate) fn compression(head: &[u8]) -> Option<Compression> {
    if head.starts_with(b"\x1f\x8b") {
        Some(Compression::Gzip)
    } else if head.starts_with(b"\x28\xb5\x2f\xfd") {
        Some(Compression::Zstd)
    } else {
        None
    }
}

/// Of something that is packed in a way that is not read: what it is and what to do.
pub(crate) fn other_packing(head: &[u8]) -> Option<Complaint> {
    const DECOMPRESS: &str = "decompress it first";
    const UNPACK: &str = "unpack it first";
    let marks: [(&[u8], &str, &str); 4] = [
        (
            b"\xfd7zXZ\0",
            "is compressed by xz, which is not read",
            DECOMPRESS,
        ),
        (
            b"\x04\x22\x4d\x18",
            "is compressed by lz4, which is not read",
            DECOMPRESS,
        ),
        (b"PK\x03\x04", "is a zip archive, which is not read", UNPACK),
        (
            b"7z\xbc\xaf\x27\x1c",
            "is a 7z archive, which is not read",
            UNPACK,
        ),
    ];
    // the digit between is the size of its blocks
    if head.starts_with(b"BZh") && head.get(4..10) == Some(b"1AY&SY") {
        let what = "is compressed by bzip2, which is not read";
        return Some(Complaint::new(what, DECOMPRESS));
    }
    let known = marks.into_iter().find(|(mark, ..)| head.starts_with(mark));
    known.map(|(_, what, remedy)| Complaint::new(what, remedy))
}

/// A JSON array, which is not read: its first line begins with `[`, and continues as JSON does.
pub(crate) fn is_json_array(head: &[u8]) -> bool {
    let text = head.strip_prefix(b"\xef\xbb\xbf").unwrap_or(head);
    let Some((b'[', rest)) = lines(text).next().and_then(|line| line.split_first()) else {
        return false;
    };
    let next = rest.trim_ascii_start().first();
    next.is_none_or(|next| b"{[\"]-0123456789tfn".contains(next))
}

/// A JSON object: it begins with `{` and a name.
fn is_json(line: &[u8]) -> bool {
    let rest = line.strip_prefix(b"{").map(<[u8]>::trim_ascii_start);
    rest.is_some_and(|rest| matches!(rest.first(), None | Some(b'"' | b'}')))
}

/// A model file, where data was expected.
pub(crate) fn is_model(head: &[u8]) -> bool {
    head.starts_with(b"NOVIKOFF")
}

/// The mark our cache begins with.
pub(crate) const CACHE: &[u8; 8] = b"NVKROWS\n";

/// The lines of some text that are neither empty nor remarks.
fn lines(text: &[u8]) -> impl Iterator<Item = &[u8]> {
    let mut start = 0;
    let ends = memchr_iter(b'\n', text).chain([text.len()]);
    ends.filter_map(move |end| {
        let line = text[start..end].trim_ascii();
        start = end + 1;
        (!line.is_empty() && line[0] != b'#').then_some(line)
    })
}

/// Whether there is a whole line to judge by, or a mark.
pub(crate) fn has_line(head: &[u8]) -> bool {
    let end = memchr::memrchr(b'\n', head);
    binary(head).is_some() || end.is_some_and(|end| lines(&head[..end]).next().is_some())
}

fn binary(head: &[u8]) -> Option<Format> {
    if head.starts_with(b"PAR1") {
        Some(Format::Parquet)
    } else if head.starts_with(b"ARROW1") || head.starts_with(b"\xff\xff\xff\xff") {
        Some(Format::Arrow)
    } else if head.starts_with(CACHE) {
        Some(Format::Cache)
    } else {
        None
    }
}

/// The format of what begins so.
pub(crate) fn format(head: &[u8]) -> Format {
    if let Some(format) = binary(head) {
        return format;
    }
    let text = head.strip_prefix(b"\xef\xbb\xbf").unwrap_or(head);
    let Some(line) = lines(text).next() else {
        return Format::Svmlight;
    };
    if is_json(line) {
        Format::Json
    } else if is_piped_table(line) {
        Format::Csv
    } else if is_vw(line) {
        Format::Vw
    } else if has_feature(line) {
        Format::Svmlight
    } else if line.iter().any(|b| b",\t;".contains(b))
        || line.starts_with(b"sep=")
        || is_title(line, lines(text).skip(1))
    {
        Format::Csv
    } else {
        Format::Svmlight
    }
}

/// Whether a line of words, which is no line of svmlight text, stands above a table.
fn is_title<'a>(line: &[u8], mut next: impl Iterator<Item = &'a [u8]>) -> bool {
    let Some((first, second)) = next.next().zip(next.next()) else {
        return false;
    };
    let count = |line: &[u8], separator| memchr_iter(separator, line).count();
    let has_words = words(line).nth(1).is_some() && !line.iter().any(|b| b":#|".contains(b));
    let is_table = |separator| {
        let fields = count(first, separator);
        fields > 1 && fields == count(second, separator)
    };
    has_words && !has_feature(first) && b",\t;".iter().any(|&separator| is_table(separator))
}

/// Words between blanks.
fn words(line: &[u8]) -> impl Iterator<Item = &[u8]> {
    line.split(|b| matches!(b, b' ' | b'\t'))
        .filter(|word| !word.is_empty())
}

/// Whether a line is one of a table whose fields are separated by bars, and not VW text: every bar touches the fields beside it, and there is
/// no sign of another format. A line that has words within its fields needs two bars, for VW text may have a tag that touches its bar.
fn is_piped_table(line: &[u8]) -> bool {
    let bars = memchr_iter(b'|', line).count();
    let is_blank = |byte: &u8| matches!(byte, b' ' | b'\t');
    let mut fields = line.split(|&b| b == b'|');
    let touch = fields.all(|field| match (field.first(), field.last()) {
        (Some(first), Some(last)) => !is_blank(first) && !is_blank(last),
        // a field may be empty, but for the first: VW text may begin with a bar
        _ => true,
    });
    let first = words(line).next().unwrap_or_default();
    let is_number = first.iter().all(|b| b"0123456789+-.eE".contains(b));
    let has_words = line.iter().any(is_blank);
    bars > 0
        && touch
        && !line.starts_with(b"|")
        && !line.iter().any(|b| b",;\t".contains(b))
        && (!has_words || bars > 1 && !is_number && !line.contains(&b':') && first[0] != b'\'')
}

fn is_vw(line: &[u8]) -> bool {
    let Some(bar) = memchr(b'|', line) else {
        return false;
    };
    let (before, tagged) = (
        &line[..bar],
        bar > 0 && !line[bar - 1].is_ascii_whitespace(),
    );
    let count = words(before).count();
    // a lone word that touches the bar is a tag only if more words follow
    if tagged && count == 1 && !line.iter().any(|b| matches!(b, b' ' | b'\t')) {
        return false;
    }
    let mut numbers = words(before).enumerate();
    numbers.all(|(k, word)| {
        let is_tag = word[0] == b'\'' || (tagged && k + 1 == count && !word.contains(&b','));
        let is_number = || word.iter().all(|b| b"0123456789+-.eE,?".contains(b));
        // a label may be any word; one with signs of a table or of svmlight is none
        let is_label = || k == 0 && !word.iter().any(|b| b",;:\"#|".contains(b));
        is_tag || is_number() || is_label()
    })
}

/// Whether a word after the first is a number and a colon, as svmlight features are, or `qid:`. Where there are signs of a table, it may be a time of
/// day or a ratio in a cell, and all these words must be such.
fn has_feature(line: &[u8]) -> bool {
    let line = &line[..memchr(b'#', line).unwrap_or(line.len())];
    let (mut features, mut others) = (0, 0);
    let (mut is_table, mut before) = (line.contains(&b'\t'), &b""[..]);
    for (k, word) in words(line).enumerate() {
        let separates = word.iter().any(|b| b",;".contains(b));
        is_table |= k > 0 && separates;
        // a row without a label may begin with its first feature
        let is_feature = is_feature(word) && !(k == 0 && separates) && !ends_in_day(before);
        features += usize::from(is_feature);
        others += usize::from(k > 0 && !is_feature);
        before = word;
    }
    features > 0 && !(is_table && others > 0)
}

fn is_feature(word: &[u8]) -> bool {
    let Some(colon) = memchr(b':', word) else {
        return false;
    };
    let (index, value) = (&word[..colon], &word[colon + 1..]);
    let digits = index.strip_prefix(b"-").unwrap_or(index);
    let is_number = !digits.is_empty() && digits.iter().all(u8::is_ascii_digit);
    index == b"qid" || is_number && !(value.contains(&b':') && digits.len() <= 2)
}

/// Whether a word ends in a day, as 2025-07-25 or 25/07/2025: a time of day may follow.
fn ends_in_day(word: &[u8]) -> bool {
    let field = word.rsplit(|b| b",;\"".contains(b)).next();
    field.is_some_and(|field| {
        let mut parts = field.split(|b| b"-/.".contains(b));
        let are_digits = parts.all(|part| !part.is_empty() && part.iter().all(u8::is_ascii_digit));
        are_digits && field.iter().filter(|b| b"-/.".contains(b)).count() == 2
    })
}

#[cfg(test)]
mod tests {
    use super::{format, is_json_array};
    use crate::options::Format::{self, Arrow, Cache, Csv, Json, Parquet, Svmlight, Vw};

    #[test]
    fn formats_are_told_by_their_first_line() {
        let cases: &[(&[u8], Format)] = &[
            (b"", Svmlight),
            (b"sep=;\na;b\n", Csv),
            (b"sep=\t\na\tb\n", Csv),
            (b"Loans of 2025\n\na,b,c\n1,2,3\n", Csv),
            (b"Loans of 2025\na,b,c\n1,2\n", Svmlight),
            (b"Dear friend\nhow are you, and where\nbye\n", Svmlight),
            (b"1\na,b,c\n1,2,3\n", Svmlight),
            (b"1\n", Svmlight),
            (b"+1 3:0.5 7:1\n", Svmlight),
            (b"1,2 3:0.5\n", Svmlight),
            (b"? 1:2", Svmlight),
            (b"3:1 4:2\n", Svmlight),
            (b"# a, b; c\n\n1 1:1\n", Svmlight),
            (b"1\t1:0.5\t2:3\n", Svmlight),
            (b"1 qid:3 1:2 # a|b,c\n", Svmlight),
            (b"foo\n", Svmlight),
            (b"1 3:1,5\n", Svmlight),
            (b"1 |f a b:2\n", Vw),
            (b"1 2.0 'tag|f 3:4\n", Vw),
            (b"1 2.0 tag|f 3:4\n", Vw),
            (b"|f a\n", Vw),
            (b"spam |f a b:2\n", Vw),
            (b"spam 1:2 |\n", Svmlight),
            (b"spam 1:0.5\n", Svmlight),
            (b"a,b |c\n", Csv),
            (b"1,2 | a\n", Vw),
            (b"| price:.23 sqft:.25\n", Vw),
            (b"a|b,c|d\n1,2\n", Csv),
            (b"x|z|c|y\n53.46|2.833|a|no\n", Csv),
            (b"53.46|2.833|a|no\n", Csv),
            (b"x|y\n", Csv),
            (b"customer id|home town||label\n", Csv),
            (b"2024-03-05 12:00|x|y\n", Vw),
            (b"tag|f a b\n", Vw),
            (b"1 tag|f a|g b\n", Vw),
            (b"tag|f a |g b\n", Vw),
            (b"'tag|f a|g b\n", Vw),
            (b"label,x,y\n1,2,3\n", Csv),
            (b"1,2,3\n", Csv),
            (b"1\t2\t3\n", Csv),
            (b"a;b\n", Csv),
            (b"\"a b\",12:30\n", Csv),
            (b"time,x\n12:30,4\n", Csv),
            (b"12:30,4\n", Csv),
            (b"7,2025-07-07 13:10:06,2025-07-25 15:15,knee pain\n", Csv),
            (b"7,2025-07-07 13:10,5\n", Csv),
            (b"7;07.07.2025 13:10\n", Csv),
            (b"5,ratio 3:1 was,x\n", Csv),
            (b"5\t12:30\tx\n", Csv),
            (b"1 3:1,5 4:2,5\n", Svmlight),
            (b"1 3:0.5, 4:2\n", Svmlight),
            (b"1 3:0.5 x\n", Svmlight),
            (b"PAR1....", Parquet),
            (b"ARROW1\0\0", Arrow),
            (b"\xff\xff\xff\xff\x10\0\0\0", Arrow),
            (b"NVKROWS\n", Cache),
            (b"\xef\xbb\xbfa,b\n", Csv),
            (b"{\"a\": 1}\n", Json),
            (b"\n { \"a\":\"1:2 3:4 | x\",\n", Json),
            (b"{}\n", Json),
            (b"{\n", Json),
            (b"{a},b\n", Csv),
        ];
        for (head, expected) in cases {
            let shown = String::from_utf8_lossy(head);
            assert_eq!(format(head), *expected, "{shown}");
        }
    }

    #[test]
    fn json_arrays_are_told_from_tables() {
        for text in ["[\n  {\"a\": 1}\n]\n", "[[1, 2],[3, 4]]", "[1, 2]", "[]"] {
            assert!(is_json_array(text.as_bytes()), "{text}");
        }
        for text in ["", "1 1:2\n", "[a],[b]\n1,2\n", "{a},b\n", "a,[1]\n"] {
            assert!(!is_json_array(text.as_bytes()), "{text}");
        }
    }
}
