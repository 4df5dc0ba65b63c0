//! The first records of a table: its separator, its header, what its columns hold.

use memchr::memchr_iter;
use novikoff::names::NamesError;
use novikoff::quantity::plural;
use novikoff::remedy::{Complaint, Remedy};
use novikoff::table::{Column, ColumnKind, Table};

use super::columns::{Header, is_name};
use super::problem::CsvProblem;
use super::split::{Ends, Fields, without_cr};
use super::value::{is_gap, is_missing, is_numeric, not_utf8, trim};
use super::{CsvLayout, CsvStart};
use crate::blocks::columns::impute;
use crate::error::{DataError, LineProblem, Token};
use crate::input::Opened;
use crate::kinds::{ColumnLook, FIRST_BYTES, Policy, UNNAMED_INDEX, Value};
use crate::options::ReadOptions;
use crate::usual::is_label;

pub(super) const BYTE_ORDER_MARK: &[u8] = b"\xef\xbb\xbf";

/// What may separate fields; the first wins a tie.
const DELIMITERS: [u8; 3] = [b',', b'\t', b';'];

/// What separates fields where none of these is.
const BAR: u8 = b'|';

/// How many records after the first tell whether it is a title.
const AFTER_TITLE: usize = 7;

/// Input is read in pieces of this size.
const PIECE: usize = 64 << 10;

/// Bytes of memory that a column takes at least.
const COLUMN: u64 = 64;

/// A record at the beginning of an input, without its line end.
struct Record {
    start: usize,
    end: usize,
    /// Where the next one begins.
    next: usize,
    /// Its line, counted from 0.
    line: u64,
}

/// Reads records one after another.
struct Head<'a> {
    opened: &'a mut Opened,
    options: &'a ReadOptions,
    /// Where the next record begins.
    at: usize,
    /// Its line, counted from 0.
    line: u64,
}

impl Head<'_> {
    /// The next record that is not empty; none at the end, and if it is longer than `max_line` bytes.
    fn next(&mut self) -> Result<Option<Record>, DataError> {
        let from = self.at;
        while let Some(record) = self.next_line()? {
            let text = &self.opened.head[record.start..record.end];
            self.line += 1 + memchr_iter(b'\n', text).count() as u64;
            self.at = record.next;
            if !text.is_empty() {
                return Ok(Some(record));
            }
            if self.at - from > self.options.max_line {
                let what = format!("{} bytes of empty lines; is this a table?", self.at - from);
                return Err(self.content(Complaint::plain(what)));
            }
        }
        Ok(None)
    }

    fn next_line(&mut self) -> Result<Option<Record>, DataError> {
        let (start, mut ends) = (self.at, Ends::new(self.at));
        let limit = self.options.max_line;
        let (end, next) = loop {
            let head = &self.opened.head;
            if let Some(end) = ends.next(head) {
                break (end, end + 1);
            }
            if self.opened.ended || head.len() - start > limit {
                break (head.len(), head.len());
            }
            self.opened.read_more(PIECE)?;
        };
        if end - start > limit || start == next {
            return Ok(None);
        }
        Ok(Some(Record {
            start,
            end: start + without_cr(&self.opened.head[start..end]).len(),
            next,
            line: self.line,
        }))
    }

    /// Splits the next record that is as it should be, past as many bad ones as are allowed. False if there is none.
    fn next_sound(&mut self, fields: &mut Fields, count: usize) -> Result<bool, DataError> {
        let from = self.at;
        let mut bad = 0;
        while let Some(record) = self.next()? {
            let text = &self.opened.head[record.start..record.end];
            let sound = fields.split(text, count).is_ok() && fields.count == count;
            if sound {
                return Ok(true);
            }
            bad += 1;
            if bad > self.options.skip_bad || self.at - from > self.options.max_line {
                break; // reading will stop here too
            }
        }
        Ok(false)
    }

    /// The text of a record.
    fn text(&self, record: &Record) -> &[u8] {
        &self.opened.head[record.start..record.end]
    }

    fn fault(&self, record: &Record, at: usize, problem: impl Into<LineProblem>) -> DataError {
        let before = &self.opened.head[..record.start + at];
        let line_start = memchr::memrchr(b'\n', before).map_or(0, |newline| newline + 1);
        let inside = memchr_iter(b'\n', &before[record.start..]).count() as u64;
        DataError::Line {
            file: self.opened.name.clone(),
            line: record.line + inside + 1,
            column: (before.len() - line_start + 1) as u64,
            problem: problem.into(),
        }
    }

    fn content(&self, what: Complaint) -> DataError {
        DataError::content(&self.opened.name, what)
    }
}

/// Looks at the first records of an input.
pub(super) fn begin(
    opened: &mut Opened,
    options: &ReadOptions,
    frozen: bool,
) -> Result<CsvStart, DataError> {
    while opened.head.len() < BYTE_ORDER_MARK.len() && !opened.ended {
        opened.read_more(PIECE)?;
    }
    let at = if opened.head.starts_with(BYTE_ORDER_MARK) {
        BYTE_ORDER_MARK.len()
    } else {
        0
    };
    let mut head = Head {
        opened,
        options,
        at,
        line: 0,
    };
    let Some(mut first) = head.next()? else {
        return empty(&head);
    };
    // where the first record begins
    let mut before = (0, 0);
    let mut named = None;
    if let Some(byte) = named_separator(head.text(&first)) {
        named = Some(byte);
        before = (head.at, head.line);
        first = match head.next()? {
            Some(first) => first,
            // nothing follows the line that names the separator
            None => {
                return Ok(CsvStart {
                    skip: before.0,
                    lines: before.1,
                    ..empty(&head)?
                });
            }
        };
    }
    let after = (head.at, head.line);
    let delimiter = named.unwrap_or_else(|| delimiter(head.text(&first)));
    let fields = split_first(&head, &first, delimiter)?;
    check_title(&mut head, &first, (&fields, delimiter))?;
    let mut second = Fields::new(delimiter);
    let mut has_second = false;
    let certain = match options.header.or_else(|| judge(&fields, options)) {
        None if has_usual_label(&fields) => {
            let may_wait = frozen && head.opened.waits;
            let is_value = !numbers_are_names(&fields)
                && !may_wait
                && comes_again(&mut head, &fields, delimiter)?;
            (!is_value).then_some(true)
        }
        certain => certain,
    };
    let has_header = if let Some(certain) = certain {
        certain
    } else {
        has_second = head.next_sound(&mut second, fields.count)?;
        has_second && names_numbers(&fields, &second)
    };
    let header = Header {
        names: has_header
            .then(|| names(&head, &first, &fields))
            .transpose()?,
        count: fields.count,
    };
    let label = header.label(options).map_err(|what| head.content(what))?;
    let id = header.id(options).map_err(|what| head.content(what))?;
    let (label_name, names) = header.split(label);
    let mut policy = Policy::new(options, frozen);
    let words: Vec<&str> = names.iter().map(String::as_str).collect();
    policy
        .check_names(&words, label_name.as_deref())
        .map_err(|what| head.content(what))?;
    let known = [(&fields, !has_header), (&second, has_second)];
    let known = known.into_iter().filter_map(|(f, is)| is.then_some(f));
    let looks = look(&mut head, &policy, &words, (label, delimiter), known)?;
    let mut columns = Vec::with_capacity(names.len());
    for (name, look) in names.into_iter().zip(&looks) {
        let kind = policy.decide(&name, look);
        columns.push(policy.column(name, kind.map_err(|what| head.content(what))?));
    }
    let is_text =
        |column: &Column| !matches!(column.kind, ColumnKind::Number | ColumnKind::Date(_));
    // numbers and dates tell a header that comes again
    let tells_header = has_header && fields.count > 1 && columns.iter().all(is_text);
    let table = Table {
        label: label_name,
        columns,
        missing: options.missing(),
        text: options.text_form(),
    };
    let mut remarks = policy.remarks;
    let file = &head.opened.name;
    let imputed = impute(file, options, &table, false, &mut remarks)?;
    let (skip, lines) = if has_header { after } else { before };
    Ok(CsvStart {
        layout: CsvLayout {
            id,
            header: tells_header.then(|| head.text(&first).into()),
            ..CsvLayout::new(table, label, delimiter, imputed)
        },
        skip,
        lines,
        remarks,
    })
}

/// The separator that a first line names, as Excel writes it: `sep=;`.
fn named_separator(line: &[u8]) -> Option<u8> {
    let bare = line
        .strip_prefix(b"\"")
        .and_then(|line| line.strip_suffix(b"\""));
    let [s, e, p, b'=', separator] = *bare.unwrap_or(line) else {
        return None;
    };
    let is_separator = separator == BAR || DELIMITERS.contains(&separator);
    (is_separator && [s, e, p].eq_ignore_ascii_case(b"sep")).then_some(separator)
}

/// An error if the first records are titles above the table: they have at most half as many fields as all that follow, or nothing but the first.
/// Nobody waits for rows to tell.
fn check_title(
    head: &mut Head<'_>,
    first: &Record,
    (fields, delimiter): (&Fields, u8),
) -> Result<(), DataError> {
    if head.opened.waits || head.options.header == Some(false) {
        return Ok(());
    }
    let here = (head.at, head.line);
    let mut records = Vec::new();
    while records.len() < AFTER_TITLE
        && let Some(record) = head.next()?
    {
        let is_odd = || {
            let mut second = Fields::new(delimiter);
            let sound = second.split(head.text(&record), fields.count + 1);
            sound.is_ok() && second.count != fields.count
        };
        if records.is_empty() && fields.count > 1 && !is_lone(fields) && !is_odd() {
            break;
        }
        records.push(record);
    }
    (head.at, head.line) = here;
    let Some((line, most)) = below_titles(head, first, &records) else {
        return Ok(());
    };
    let filled = (0..fields.len()).filter(|&k| !trim(fields.get(k)).is_empty());
    let what = format!(
        "the first line has {}, and line {line} and those after it have {most}, so it looks like a title",
        plural(filled.count() as u64, "field"),
    );
    let remedy = format!("remove what stands before line {line}, as `tail -n +{line}` does");
    Err(head.content(Complaint::new(what, Remedy::clause(remedy))))
}

/// Where the table begins that titles stand above, counted from 1, and how many fields it has: names first, and at least two records.
fn below_titles(head: &Head<'_>, first: &Record, records: &[Record]) -> Option<(u64, usize)> {
    let separator = delimiter(head.text(records.last()?));
    let split = |record: &Record| {
        let mut fields = Fields::new(separator);
        let sound = fields.split(head.text(record), usize::MAX);
        sound.ok().map(|()| fields)
    };
    let most = split(records.last()?)?.count;
    let is_title =
        |fields: &Fields| 2 * fields.count <= most || (fields.count == most && is_lone(fields));
    let is_title = |record: &Record| split(record).is_some_and(|fields| is_title(&fields));
    let above = records.iter().take_while(|record| is_title(record)).count();
    let rows = &records[above..];
    let is_row = |row| split(row).is_some_and(|fields| fields.count == most);
    let is_name = |field: &[u8]| !is_numeric(field) && !is_missing(trim(field));
    let names = split(rows.first()?)?;
    let is_table = most > 2
        && rows.len() > 1
        && rows.iter().all(is_row)
        && (0..most).all(|k| is_name(names.get(k)));
    (is_title(first) && is_table).then(|| (rows[0].line + 1, most))
}

/// Whether only the first of several fields is filled in, and no number.
fn is_lone(fields: &Fields) -> bool {
    let is_empty = |k: usize| trim(fields.get(k)).is_empty();
    fields.count > 2
        && !is_numeric(fields.get(0))
        && !is_empty(0)
        && (1..fields.count).all(is_empty)
}

/// Looks at the values of the first records, as far as it makes a difference to what columns hold. `known` are records that were read already.
fn look<'f>(
    head: &mut Head<'_>,
    policy: &Policy<'_>,
    names: &[&str],
    (label, delimiter): (Option<usize>, u8),
    known: impl Iterator<Item = &'f Fields>,
) -> Result<Vec<ColumnLook>, DataError> {
    let mut looks = vec![ColumnLook::default(); names.len()];
    let open = |name: &str| policy.certain(name).is_none();
    // columns, and their places among the fields
    let mut open: Vec<(usize, usize)> = (0..names.len())
        .filter(|&k| open(names[k]))
        .map(|k| (k, k + usize::from(label.is_some_and(|label| label <= k))))
        .collect();
    let count = names.len() + usize::from(label.is_some());
    let (mut rows, waits) = (0, head.opened.waits);
    let mut add = |fields: &Fields, open: &mut Vec<(usize, usize)>| {
        for &(k, field) in &*open {
            looks[k].add(value(fields.get(field)));
        }
        open.retain(|&(k, _)| !looks[k].is_finished());
        rows += 1;
        // nobody waits for rows that only a remark could depend on
        let matters = |&(k, _): &(usize, usize)| !waits || !looks[k].is_settled();
        rows < policy.rows() && open.iter().any(matters)
    };
    if open.is_empty() {
        return Ok(looks);
    }
    let mut more = true;
    for known in known {
        more = more && add(known, &mut open);
    }
    let mut fields = Fields::new(delimiter);
    while more && head.at <= FIRST_BYTES && head.next_sound(&mut fields, count)? {
        more = add(&fields, &mut open);
    }
    Ok(looks)
}

/// A field as it is looked at.
fn value(field: &[u8]) -> Value<'_> {
    let field = trim(field);
    if is_missing(field) {
        Value::Missing
    } else if is_numeric(field) {
        Value::number(field)
    } else if is_gap(field) {
        Value::Hyphen
    } else {
        Value::Text(field)
    }
}

/// An input without a record; or the first is too long.
fn empty(head: &Head<'_>) -> Result<CsvStart, DataError> {
    let limit = head.options.max_line;
    if head.opened.head.len() - head.at > limit {
        let mark = if head.line == 0 { head.at } else { 0 };
        return Err(DataError::Line {
            file: head.opened.name.clone(),
            line: head.line + 1,
            column: (mark + limit + 1) as u64,
            problem: LineProblem::LineTooLong { limit },
        });
    }
    Ok(CsvStart {
        layout: CsvLayout::new(Table::default(), None, b',', Vec::new()),
        skip: 0,
        lines: 0,
        remarks: Vec::new(),
    })
}

/// The separator that is most frequent outside quotes.
fn delimiter(record: &[u8]) -> u8 {
    let (mut counts, mut quoted, mut has_bar) = ([0_usize; DELIMITERS.len()], false, false);
    for &byte in record {
        quoted ^= byte == b'"';
        has_bar |= byte == BAR && !quoted;
        if let Some(k) = DELIMITERS.iter().position(|&b| b == byte && !quoted) {
            counts[k] += 1;
        }
    }
    let most = counts.iter().max().copied().unwrap_or(0);
    if most == 0 && has_bar {
        return BAR;
    }
    let first = counts.iter().position(|&count| count == most);
    DELIMITERS[first.unwrap_or(0)]
}

fn split_first(head: &Head<'_>, first: &Record, delimiter: u8) -> Result<Fields, DataError> {
    let record = &head.opened.head[first.start..first.end];
    let most = usize::try_from(head.options.max_name_bytes / COLUMN).unwrap_or(usize::MAX);
    let mut fields = Fields::new(delimiter);
    if let Err(bad) = fields.split(record, most) {
        return Err(head.fault(first, bad.start, bad.problem(record)));
    }
    if fields.count > most {
        return Err(DataError::Names {
            file: head.opened.name.clone(),
            line: first.line + 1,
            source: NamesError::TooLarge {
                names: fields.count,
                megabytes: head.options.max_name_bytes >> 20,
            },
        });
    }
    Ok(fields)
}

/// Whether the first record is a header, if it tells by itself.
fn judge(first: &Fields, options: &ReadOptions) -> Option<bool> {
    let fields = || (0..first.len()).map(|k| trim(first.get(k)));
    let asked = [&options.label, &options.id].map(|name| name.as_deref().filter(|n| is_name(n)));
    let known = |name: &[u8]| asked.contains(&Some(std::str::from_utf8(name).unwrap_or("")));
    if fields().any(known) || fields().all(|name| !is_numeric(name) && !is_missing(name)) {
        Some(true)
    } else if fields().all(|field| is_numeric(field) || is_missing(field)) {
        Some(false)
    } else {
        None
    }
}

/// Whether a cell is called as labels usually are.
fn is_usual_label(cell: &[u8]) -> bool {
    std::str::from_utf8(trim(cell)).is_ok_and(is_label)
}

fn has_usual_label(first: &Fields) -> bool {
    (0..first.len()).any(|k| is_usual_label(first.get(k)))
}

/// Whether the numbers of the first record are like names: they count from 0 or 1, or rise, as years do.
fn numbers_are_names(first: &Fields) -> bool {
    let cells = (0..first.len()).map(|k| trim(first.get(k)));
    let numbers = cells.filter(|cell| is_numeric(cell));
    let whole = |cell: &[u8]| {
        let is_whole = cell.iter().all(u8::is_ascii_digit);
        let text = std::str::from_utf8(cell).ok().filter(|_| is_whole)?;
        text.parse::<u64>().ok()
    };
    match numbers.map(whole).collect::<Option<Vec<u64>>>() {
        Some(numbers) => match numbers[..] {
            [number] => number <= 1,
            _ => numbers.is_sorted_by(|a, b| a < b),
        },
        None => false,
    }
}

/// How many records are looked at for a cell that comes again.
const RECORDS: usize = 500;

/// Whether a cell of the first record that is called as labels usually are comes again below it: then it is a value. What is read is read again.
fn comes_again(head: &mut Head<'_>, first: &Fields, delimiter: u8) -> Result<bool, DataError> {
    let here = (head.at, head.line);
    let mut record = Fields::new(delimiter);
    let mut again = false;
    for _ in 0..RECORDS {
        if again || head.at > FIRST_BYTES || !head.next_sound(&mut record, first.count)? {
            break;
        }
        let is_same = |k: usize| trim(record.get(k)) == trim(first.get(k));
        // a whole record that comes again is a header, repeated
        again = !(0..first.len()).all(is_same)
            && (0..first.len()).any(|k| is_usual_label(first.get(k)) && is_same(k));
    }
    (head.at, head.line) = here;
    Ok(again)
}

/// Whether the first record has a name where the second has a number.
fn names_numbers(first: &Fields, second: &Fields) -> bool {
    (0..first.len()).any(|k| {
        let name = trim(first.get(k));
        !is_missing(name) && !is_numeric(name) && is_numeric(second.get(k))
    })
}

/// The names in a header.
fn names(head: &Head<'_>, first: &Record, fields: &Fields) -> Result<Vec<String>, DataError> {
    let record = &head.opened.head[first.start..first.end];
    let mut names = Vec::with_capacity(fields.len());
    for k in 0..fields.len() {
        let (field, start) = (fields.get(k), fields.start(k));
        // blanks inside quotes are meant
        let name = match record.get(start) {
            Some(b'"') => field,
            _ => trim(field),
        };
        if let Some((_, byte)) = not_utf8(name) {
            let token = Token::new(name);
            return Err(head.fault(first, start, CsvProblem::NotUtf8 { byte, token }));
        }
        if name.is_empty() && k == 0 && fields.len() > 1 {
            let is_there =
                (1..fields.len()).any(|k| trim(fields.get(k)) == UNNAMED_INDEX.as_bytes());
            let again = if is_there { ".1" } else { "" };
            names.push(format!("{UNNAMED_INDEX}{again}"));
            continue;
        }
        if name.is_empty() {
            return Err(head.fault(first, start, CsvProblem::NoName { number: k + 1 }));
        }
        names.push(String::from_utf8_lossy(name).into_owned());
    }
    let mut places = std::collections::HashMap::with_capacity(names.len());
    for (k, name) in names.iter().enumerate() {
        if let Some(earlier) = places.insert(name.as_str(), k) {
            let problem = CsvProblem::SameName {
                name: Token::new(name.as_bytes()),
                number: k + 1,
                first: earlier + 1,
            };
            return Err(head.fault(first, fields.start(k), problem));
        }
    }
    Ok(names)
}
