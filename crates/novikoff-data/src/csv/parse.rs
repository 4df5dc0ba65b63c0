//! Records into rows.
//!
//! A record is read into a stage first, so nothing of a bad one is kept. Usual ones are read in one go;
//! all others are split into fields, which are read with care.

use memchr::{memchr, memchr_iter, memrchr};
use novikoff::names::Names;
use novikoff::table::Missing;

use super::begin::BYTE_ORDER_MARK;
use super::problem::{CsvProblem, OtherCell};
use super::quick::{self, line_end};
use super::split::{Ends, Fields, without_cr};
use super::stage::{Numbers, Sink, Stage};
use super::value::{BadNumber, is_gap, is_missing, labels, not_utf8, number, trim};
use super::{CsvLayout, Role};
use crate::dates;
use crate::draft::Draft;
use crate::error::{LineError, LineProblem, Token};
use crate::options::ReadOptions;

/// A record that was read.
#[derive(Clone, Copy, Debug)]
pub(super) struct Done {
    /// Where the next one begins.
    pub(super) next: usize,
    /// How many lines it has.
    pub(super) lines: u64,
}

/// What is wrong in a record, and at which of its bytes.
struct Fault {
    at: usize,
    problem: CsvProblem,
}

/// Adds the rows of a block of whole records to `out`, and says how many lines there were.
pub(crate) fn parse_draft(
    text: &[u8],
    layout: &CsvLayout,
    options: &ReadOptions,
    names: &Names,
    out: &mut Draft,
) -> Result<u64, LineError> {
    let found;
    let numbers = if let Some(settled) = layout.settled.get() {
        settled
    } else {
        found = Numbers::find(layout, names, out);
        if found.is_settled() {
            layout.settled.get_or_init(|| found)
        } else {
            &found
        }
    };
    out.begin_text(&layout.texts, layout.table.text);
    let mut sink = Sink::new(layout, options, names, numbers);
    let mut stage = Stage::new(layout);
    let mut fields = Fields::new(layout.delimiter);
    let (mut start, mut line) = (0, 0);
    while start < text.len() {
        if let Some(next) = line_end(text, start) {
            (start, line) = (next, line + 1);
            continue;
        }
        if let Some(header) = &layout.header
            && is_record(&text[start..], header)
        {
            let record = Record::find(text, start, line, options.max_line)?;
            let again = Fault {
                at: 0,
                problem: CsvProblem::HeaderAgain,
            };
            out.pass_over(record.locate(again, line), options)?;
            (start, line) = (record.done.next, line + record.done.lines);
            continue;
        }
        let quick = quick::read(text, start, layout, &mut fields, &mut stage);
        let done = match quick {
            Some(done) if done.next - start <= options.max_line => {
                sink.add(&stage, line, out);
                done
            }
            _ => {
                let record = Record::find(text, start, line, options.max_line)?;
                match record.read(layout, &mut fields, &mut stage) {
                    Ok(()) => sink.add(&stage, line, out),
                    Err(fault) if record.hides_rows(&fault) => {
                        return Err(record.locate(fault, line));
                    }
                    Err(fault) => {
                        let refused = out.pass_over(record.locate(fault, line), options);
                        refused.map_err(|error| {
                            with_other_cells(error, &text[start..], layout, options, line)
                        })?;
                    }
                }
                record.done
            }
        };
        (start, line) = (done.next, line + done.lines);
    }
    Ok(line)
}

/// How many columns with cells that are refused a message lists, beside the first.
const OTHER_CELLS: usize = 7;

/// An error in a record with which a text begins, at a line of its block; of a cell that is refused, with the first such cells of other columns.
fn with_other_cells(
    error: LineError,
    text: &[u8],
    layout: &CsvLayout,
    options: &ReadOptions,
    mut line: u64,
) -> LineError {
    let LineProblem::Csv(first) = &error.problem else {
        return error;
    };
    let Some((column, _)) = first.cell() else {
        return error;
    };
    let mut columns = vec![column.clone()];
    let (mut others, mut fields, mut start) = (Vec::new(), Fields::new(layout.delimiter), 0);
    while start < text.len() && others.len() < OTHER_CELLS {
        let Ok(record) = Record::find(text, start, line, options.max_line) else {
            break;
        };
        let expected = layout.roles.len();
        let is_sound = fields.split(record.text, expected + 1).is_ok() && fields.count == expected;
        for k in (0..expected).filter(|_| is_sound) {
            let fault = refused(layout, k, fields.get(k)).map(|problem| Fault {
                at: fields.start(k),
                problem,
            });
            let Some(fault) = fault.filter(|_| others.len() < OTHER_CELLS) else {
                continue;
            };
            let Some((column, token)) = fault.problem.cell() else {
                continue;
            };
            if columns.contains(column) {
                continue;
            }
            let (column, token) = (column.clone(), token.clone());
            columns.push(column.clone());
            let place = record.locate(fault, line);
            others.push(OtherCell {
                column,
                token,
                // below the first, until it is known where that is
                line: place.line.saturating_sub(error.line),
                at: place.column,
            });
        }
        (start, line) = (record.done.next, line + record.done.lines);
    }
    if others.is_empty() {
        return error;
    }
    let first = Box::new(first.clone());
    LineError {
        problem: CsvProblem::Several { first, others }.into(),
        ..error
    }
}

/// Why a field is refused, if it is a missing value or another word than its column has.
fn refused(layout: &CsvLayout, k: usize, field: &[u8]) -> Option<CsvProblem> {
    let role = layout.roles[k];
    let (column, token) = (
        || Token::new(layout.column(k).name.as_bytes()),
        Token::new(field),
    );
    let is_refused = layout.table.missing == Missing::Refuse;
    let is_column = matches!(role, Role::Number | Role::Category | Role::Date(_));
    if !is_column || std::str::from_utf8(field).is_err() {
        return None;
    }
    let is_gap = is_missing(trim(field)) || (role != Role::Category && is_gap(trim(field)));
    if is_gap {
        return is_refused.then(|| CsvProblem::Missing {
            column: column(),
            token,
        });
    }
    match role {
        Role::Number => {
            (number(field) == Err(BadNumber::NotNumber)).then(|| CsvProblem::NotNumber {
                column: column(),
                token,
            })
        }
        Role::Date(_) => dates::parse(trim(field))
            .is_none()
            .then(|| CsvProblem::NotDate {
                column: column(),
                token,
            }),
        _ => None,
    }
}

/// Whether a text begins with this record. A table that was put behind another may have a byte order mark.
fn is_record(text: &[u8], record: &[u8]) -> bool {
    let text = text.strip_prefix(BYTE_ORDER_MARK).unwrap_or(text);
    let rest = text.strip_prefix(record);
    rest.is_some_and(|rest| line_end(rest, 0).is_some())
}

/// A record to be read with care.
struct Record<'a> {
    /// Without its line end.
    text: &'a [u8],
    done: Done,
}

impl<'a> Record<'a> {
    /// The record at `start`, if it is not too long.
    fn find(text: &'a [u8], start: usize, line: u64, limit: usize) -> Result<Self, LineError> {
        let end = Ends::new(start).next(text);
        let (end, next) = end.map_or((text.len(), text.len()), |end| (end, end + 1));
        if end - start > limit {
            return Err(LineError {
                line,
                column: limit as u64 + 1,
                problem: LineProblem::LineTooLong { limit },
            });
        }
        let lines = 1 + memchr_iter(b'\n', &text[start..end]).count() as u64;
        Ok(Record {
            text: without_cr(&text[start..end]),
            done: Done { next, lines },
        })
    }

    /// Reads it into the stage.
    fn read(
        &self,
        layout: &CsvLayout,
        fields: &mut Fields,
        stage: &mut Stage,
    ) -> Result<(), Fault> {
        let expected = layout.roles.len();
        fields.split(self.text, expected + 1).map_err(|bad| Fault {
            at: bad.start,
            problem: bad.problem(self.text),
        })?;
        let found = fields.count;
        if found != expected {
            return Err(Fault {
                at: if found > expected {
                    fields.start(expected)
                } else {
                    self.text.len()
                },
                problem: CsvProblem::Ragged { found, expected },
            });
        }
        stage.clear();
        if let Some(id) = layout.id {
            stage.set_id(fields.get(id));
        }
        for (k, &role) in layout.roles.iter().enumerate() {
            if role == Role::Ignored {
                continue;
            }
            let field = fields.get(k);
            let fault = |problem| Fault {
                at: fields.start(k),
                problem,
            };
            let column = || Token::new(layout.column(k).name.as_bytes());
            let token = Token::new(field);
            if let Some((_, byte)) = not_utf8(field) {
                return Err(fault(CsvProblem::NotUtf8 { byte, token }));
            }
            match role {
                Role::Label if labels(field).any(<[u8]>::is_empty) => {
                    return Err(fault(CsvProblem::EmptyLabel { token }));
                }
                Role::Label => stage.set_label(field),
                Role::Text(text) if is_missing(trim(field)) => stage.push_missing_text(text, k),
                Role::Text(text) => stage.push_text(text, field),
                _ if is_missing(trim(field)) || (role != Role::Category && is_gap(trim(field))) => {
                    if !stage.push_missing(layout, k, role) {
                        let column = column();
                        return Err(fault(CsvProblem::Missing { column, token }));
                    }
                }
                Role::Category => stage.push_category(layout.column(k), field),
                Role::Number => match number(field) {
                    Ok(value) => stage.push_number(value),
                    Err(BadNumber::Range) => {
                        let column = column();
                        return Err(fault(CsvProblem::ValueRange { column, token }));
                    }
                    Err(_) => {
                        let column = column();
                        return Err(fault(CsvProblem::NotNumber { column, token }));
                    }
                },
                Role::Date(form) => {
                    let Some((moment, _)) = dates::parse(trim(field)) else {
                        let column = column();
                        return Err(fault(CsvProblem::NotDate { column, token }));
                    };
                    stage.push_date(layout.column(k), form, moment);
                }
                Role::Ignored => {}
            }
        }
        Ok(())
    }

    /// Whether what is wrong makes it uncertain where the record ends.
    fn hides_rows(&self, fault: &Fault) -> bool {
        match fault.problem {
            CsvProblem::UnclosedQuote => true,
            CsvProblem::StrayQuote { .. } => memchr(b'\n', self.text).is_some(),
            _ => false,
        }
    }

    fn locate(&self, fault: Fault, line: u64) -> LineError {
        let before = &self.text[..fault.at];
        let line_start = memrchr(b'\n', before).map_or(0, |newline| newline + 1);
        LineError {
            line: line + memchr_iter(b'\n', before).count() as u64,
            column: (fault.at - line_start + 1) as u64,
            problem: fault.problem.into(),
        }
    }
}
