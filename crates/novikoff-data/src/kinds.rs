//! What the columns of a table hold: decided once, before the first row is handed out, by what was asked for and by a look at the first
//! rows; the same for all formats of tables.
//!
//! In this order a column is: what the model says; ignored, if it was dropped or is not among the only ones; text or categories, if it was
//! named so; numbers, if its first value is one or nearly all values looked at are; dates, if all values looked at are; ignored, if its values are
//! ids: most of them are distinct, and many are; categories otherwise. What looks like something else than it was taken for gets a remark.

mod day_numbers;
mod guise;
mod look;
mod number_ids;
mod steps;

use std::collections::{HashMap, HashSet};

use novikoff::grammar::nearest_match;
use novikoff::remark::{ColumnRemark, Looked, Remark};
use novikoff::remedy::{Complaint, Remedy, Setting};
use novikoff::table::{Column, ColumnKind, DateForm, Missing, Table};

use crate::error::Token;
use crate::options::{Dates, ReadOptions};
pub(crate) use guise::{guise, unit};
pub(crate) use look::{ColumnLook, Value};

/// How many rows are looked at, by readers and by all jobs that choose something from the first rows.
pub const FIRST_ROWS: usize = 2_000;

/// How many bytes of text are looked at.
pub(crate) const FIRST_BYTES: usize = 16 << 20;

/// The least number of distinct values that ids have.
const DISTINCT: usize = 100;

/// The least number of dates of eight digits.
const DAYS: usize = 20;

/// How many columns a message lists.
const LISTED: usize = 10;

/// Decides what columns hold.
pub(crate) struct Policy<'a> {
    options: &'a ReadOptions,
    /// What is certain without a look.
    certain: HashMap<&'a str, ColumnKind>,
    /// The columns of the model or of earlier inputs.
    known: HashMap<&'a str, &'a Column>,
    only: HashSet<&'a str>,
    /// The features are those of a model and there will be no others: what is in other columns is a known feature in another shape, or
    /// makes no difference.
    frozen: bool,
    /// The name of a column may be that of a struct and a field of it: `column.field`.
    nested: bool,
    /// What a person should know.
    pub(crate) remarks: Vec<Remark>,
}

impl<'a> Policy<'a> {
    pub(crate) fn new(options: &'a ReadOptions, frozen: bool) -> Self {
        let mut certain = HashMap::new();
        let named = [
            (&options.categorical, ColumnKind::Category),
            (&options.text, ColumnKind::Text),
            (&options.drop, ColumnKind::Ignored),
        ];
        for (names, kind) in named {
            certain.extend(names.iter().map(|name| (name.as_str(), kind)));
        }
        // an id that the model does not know is no feature
        let id = options.id.as_deref();
        certain.extend(id.map(|name| (name, ColumnKind::Ignored)));
        let known = options.table.iter().flat_map(|table| &table.columns);
        Policy {
            options,
            certain,
            known: known.map(|column| (column.name.as_str(), column)).collect(),
            only: options.only.iter().map(String::as_str).collect(),
            frozen,
            nested: false,
            remarks: Vec::new(),
        }
    }

    /// The policy for tables that have structs: the name of a struct means its fields.
    pub(crate) fn nested(self) -> Self {
        Policy {
            nested: true,
            ..self
        }
    }

    /// The name of a column, and of the structs it is in.
    fn names<'n>(&self, name: &'n str) -> impl Iterator<Item = &'n str> {
        let structs = name.match_indices('.').map(|(at, _)| &name[..at]);
        std::iter::once(name).chain(structs.filter(|_| self.nested))
    }

    /// What a column is whatever its values are.
    pub(crate) fn certain(&self, name: &str) -> Option<ColumnKind> {
        if let Some(column) = self.known.get(name) {
            return Some(column.kind);
        }
        let is_asked_for = self.names(name).any(|name| self.only.contains(name));
        if !self.only.is_empty() && !is_asked_for {
            return Some(ColumnKind::Ignored);
        }
        let is_dropped = |name| self.certain.get(name) == Some(&ColumnKind::Ignored);
        if self.names(name).any(is_dropped) {
            return Some(ColumnKind::Ignored);
        }
        let certain = self.certain.get(name).copied();
        certain.or_else(|| self.leaves_index_out(name).then_some(ColumnKind::Ignored))
    }

    /// Whether a column is the index of the table that the file was written from, and nobody asks to learn from it.
    fn leaves_index_out(&self, name: &str) -> bool {
        let is_named = self.certain.contains_key(name) || self.only.contains(name);
        is_stored_index(name) && !is_named && !self.known.contains_key(name)
    }

    /// How many rows are to be looked at to decide about columns that are not certain.
    pub(crate) fn rows(&self) -> usize {
        if self.frozen { 1 } else { FIRST_ROWS }
    }

    /// What a column is, by what was seen of it.
    pub(crate) fn decide(
        &mut self,
        name: &str,
        look: &ColumnLook,
    ) -> Result<ColumnKind, Complaint> {
        if let Some(kind) = self.certain(name) {
            return Ok(kind);
        }
        if look.are_hyphens() {
            return Ok(ColumnKind::Category);
        }
        if look.is_number || look.values == 0 {
            if self.frozen {
                return Ok(ColumnKind::Number);
            }
            self.remarks.extend(number_remark(name, look));
            return Ok(ColumnKind::Number);
        }
        if self.frozen {
            // the model may know the parts of its dates as columns
            let has_parts = || self.known.contains_key(format!("{name}.year").as_str());
            return Ok(if look.are_dates() && has_parts() {
                ColumnKind::Date(DateForm::Parts { hours: true })
            } else {
                ColumnKind::Category
            });
        }
        if look.are_dates() {
            return self.date(name, look.has_time);
        }
        if look.are_nearly_numbers() {
            // what is wrong with the others is said when they are read
            return Ok(ColumnKind::Number);
        }
        let kind = if look.are_ids() {
            ColumnKind::Ignored
        } else {
            ColumnKind::Category
        };
        let left_out = kind == ColumnKind::Ignored;
        if let Some(remark) = look.mixed_dates(name.to_owned(), left_out) {
            self.remarks.push(Remark::Column(remark));
        } else if let Some(guise) = look.guise() {
            self.remarks.push(Remark::NumberText {
                column: name.to_owned(),
                guise,
                left_out,
            });
        } else if let Some(remark) = look.units(name.to_owned(), left_out) {
            self.remarks.push(Remark::Column(remark));
        } else if let Some(remark) = look
            .number_strings(name.to_owned(), left_out)
            .filter(|_| !is_id_name(name))
        {
            self.remarks.push(Remark::Column(remark));
        } else if look.are_mostly_numbers() && look.has_words() {
            let remark = look.some_numbers(name.to_owned(), left_out);
            self.remarks.push(Remark::Column(remark));
        } else if left_out {
            self.remarks.push(Remark::Ids {
                column: name.to_owned(),
                distinct: look.distinct.len() as u64,
                rows: look.rows as u64,
            });
        } else if look.are_sentences() {
            self.remarks.push(Remark::TextColumn {
                column: name.to_owned(),
                distinct: look.distinct.len() as u64,
                rows: look.rows as u64,
            });
        } else if is_id_name(name) && look.repeat_like_ids() {
            self.remarks.push(Remark::Column(ColumnRemark::RepeatedIds {
                column: name.to_owned(),
                values: look.distinct.len() as u64,
                looked: Looked {
                    rows: look.rows as u64,
                    is_first: true,
                },
                right: None,
            }));
        }
        Ok(kind)
    }

    /// What a column is that is known to hold dates.
    pub(crate) fn date(&self, name: &str, hours: bool) -> Result<ColumnKind, Complaint> {
        match self.options.dates.unwrap_or_default() {
            Dates::Parts => Ok(ColumnKind::Date(DateForm::Parts { hours })),
            Dates::Seconds => Ok(ColumnKind::Date(DateForm::Seconds)),
            Dates::Refuse if self.frozen => Ok(ColumnKind::Ignored),
            Dates::Refuse => {
                let column = Token::new(name.as_bytes()).to_string();
                let parts = Remedy::give(Setting::Dates, "parts")
                    .aim("to learn from year, month, weekday and hour");
                let seconds = Remedy::give(Setting::Dates, "seconds");
                let drop = Remedy::give(Setting::Drop, column.clone());
                Err(Complaint::new(
                    format!("column {column} holds dates, which are refused"),
                    parts.or(seconds).or(drop),
                ))
            }
        }
    }

    /// A column as a model keeps it.
    pub(crate) fn column(&mut self, name: String, kind: ColumnKind) -> Column {
        let is_open = self.options.table.is_none() && self.only.is_empty();
        if is_open && self.leaves_index_out(&name) {
            let column = name.clone();
            let remark = ColumnRemark::StoredIndex { column };
            self.remarks.push(Remark::Column(remark));
        }
        let known = self.known.get(name.as_str()).and_then(|column| column.mean);
        let measured = || self.options.means.as_ref()?.get(&name).copied();
        let mean = known.or_else(measured);
        Column {
            mean: mean
                .filter(|_| matches!(self.options.missing(), Missing::Mean | Missing::Indicator)),
            ..Column::new(name, kind)
        }
    }

    /// An error if a column was named that is neither here nor known; or if the label was to be dropped.
    pub(crate) fn check_names(&self, names: &[&str], label: Option<&str>) -> Result<(), Complaint> {
        let options = self.options;
        let asked = [
            (&options.drop, "which was to be left out"),
            (&options.only, "which was to be learned from"),
            (&options.categorical, "which was to hold categories"),
            (&options.text, "which was to hold text"),
        ];
        if asked.iter().all(|(wanted, _)| wanted.is_empty()) {
            return Ok(());
        }
        let both = options
            .text
            .iter()
            .find(|name| options.categorical.contains(name));
        if let Some(name) = both {
            let name = Token::new(name.as_bytes());
            let text = Remedy::leave_out(&[Setting::Text]);
            return Err(Complaint::new(
                format!("column {name} was to hold both text and categories"),
                text.or(Remedy::leave_out(&[Setting::Categorical]))
                    .aim("for this column"),
            ));
        }
        if let Some(label) = label.filter(|label| options.drop.iter().any(|name| name == label)) {
            let label = Token::new(label.as_bytes());
            return Err(Complaint::new(
                format!("column {label} is the label, so it cannot be dropped"),
                Remedy::give(Setting::Label, "COLUMN").aim("if another column is"),
            ));
        }
        let there: HashSet<&str> = names.iter().copied().collect();
        for (wanted, purpose) in asked {
            let known = |name: &str| {
                // fields of a struct are columns: `column.field`
                let is_part = |other: &str| {
                    let rest = other.strip_prefix(name);
                    rest.is_some_and(|rest| rest.starts_with('.'))
                };
                there.contains(name)
                    || self.known.contains_key(name)
                    || label == Some(name)
                    || names.iter().any(|other| is_part(other))
            };
            if let Some(name) = wanted.iter().find(|name| !known(name)) {
                return Err(Complaint::plain(format!(
                    "no column is called {}, {purpose};{} the columns are {}",
                    Token::new(name.as_bytes()),
                    near(name, names),
                    list(names)
                )));
            }
        }
        Ok(())
    }
}

/// Whether most of these categories are numbers or dates in another guise, or numbers with at most two units.
pub fn are_guised(categories: &[&str]) -> bool {
    let is_guised = |category: &&&str| guise(category.as_bytes()).is_some();
    let guised = categories.iter().filter(is_guised).count();
    let units: Vec<&str> = categories.iter().filter_map(|c| Some(unit(c)?.1)).collect();
    let different: HashSet<&str> = units.iter().copied().collect();
    let united = if different.len() <= 2 { units.len() } else { 0 };
    2 * guised.max(united) > categories.len()
}

/// What is worth saying of a column of numbers: they number the rows, are dates, or look like ids.
fn number_remark(name: &str, look: &ColumnLook) -> Option<Remark> {
    let column = name.to_owned();
    if let Some(step) = look.steps.step(DISTINCT) {
        let rows = look.rows as u64;
        return Some(Remark::RowNumber { column, step, rows });
    }
    let remark = if let Some((first, numbers)) = look.days.days(DAYS) {
        ColumnRemark::DateNumbers {
            column,
            first,
            numbers: numbers as u64,
        }
    } else if let Some((first, last)) = look.steps.ends(DISTINCT) {
        ColumnRemark::RowNumbersWithGaps {
            column,
            numbers: look.values as u64,
            first,
            last,
        }
    } else {
        let (numbers, distinct) = look.ids.count(DISTINCT).filter(|_| is_id_name(name))?;
        ColumnRemark::NumberIds {
            column,
            numbers: numbers as u64,
            distinct: distinct as u64,
        }
    };
    Some(Remark::Column(remark))
}

/// Whether a text is a date as columns of dates have them.
pub fn is_date(text: &str) -> bool {
    crate::dates::parse(text.trim().as_bytes()).is_some()
}

/// Whether the name of a column says that it holds ids: `id`, `customer_id`, `customerId`, `id_customer`.
pub fn is_id_name(name: &str) -> bool {
    let words = name.split(|c: char| !c.is_alphanumeric());
    let is_id = |word: &str| word.eq_ignore_ascii_case("id");
    let camel = |word: &str| {
        let before = word.strip_suffix("Id").or(word.strip_suffix("ID"));
        before.is_some_and(|before| before.ends_with(|c: char| c.is_lowercase() || c.is_numeric()))
    };
    words.into_iter().any(|word| is_id(word) || camel(word))
}

/// The name that pandas gives to the first column of a header without a name there, as `to_csv` writes an index.
pub(crate) const UNNAMED_INDEX: &str = "Unnamed: 0";

/// Whether a column is an index that pandas wrote: an unnamed first column of text, or `__index_level_0__` of Parquet and Arrow.
fn is_stored_index(name: &str) -> bool {
    let level = name.strip_prefix("__index_level_");
    let level = level.and_then(|rest| rest.strip_suffix("__"));
    let is_number = |level: &str| !level.is_empty() && level.bytes().all(|b| b.is_ascii_digit());
    // pandas numbers further ones
    let again = name.strip_prefix(UNNAMED_INDEX);
    let is_again = |rest: &str| rest.is_empty() || rest.strip_prefix('.').is_some_and(is_number);
    again.is_some_and(is_again) || level.is_some_and(is_number)
}

/// What to do about a value that is no date in a column of dates.
pub(crate) fn no_date(column: &Token) -> Remedy {
    let categories = Remedy::give(Setting::Categorical, column.to_string());
    let drop = Remedy::give(Setting::Drop, column.to_string());
    Remedy::clause("replace it").or(categories.or(drop).aim("when it is trained"))
}

/// A hint at the name that was meant.
pub(crate) fn near(name: &str, names: &[&str]) -> String {
    match nearest_match(name, names.iter().copied()) {
        Some(near) => format!(" did you mean {}?", Token::new(near.as_bytes())),
        None => String::new(),
    }
}

/// Names as a message lists them: the first ones, and the last, which is often the label.
pub(crate) fn list(names: &[&str]) -> String {
    let token = |name: &&str| Token::new(name.as_bytes()).to_string();
    match names {
        [first @ .., last] if names.len() > LISTED => {
            let shown: Vec<String> = first.iter().take(LISTED - 1).map(token).collect();
            let more = names.len() - LISTED;
            format!("{}, {more} more and {}", shown.join(", "), token(last))
        }
        _ => names.iter().map(token).collect::<Vec<_>>().join(", "),
    }
}

/// Where options ask for something else than a table says: the setting, what the table says, and what was asked for.
pub fn contradiction(options: &ReadOptions, table: &Table) -> Option<(Setting, String, String)> {
    let columns = || table.columns.iter();
    let named = |names: &[String], kind: ColumnKind| {
        let other = columns().find(|column| column.kind != kind && names.contains(&column.name));
        other.map(|column| {
            (
                described(column),
                described(&Column::new(&*column.name, kind)),
            )
        })
    };
    let differs = |setting| move |(is, got)| (setting, is, got);
    if let Some(asked) = options.missing.filter(|&asked| asked != table.missing) {
        // a model that has met no missing value can be asked to read them as zeros
        if (table.missing, asked) != (Missing::Refuse, Missing::Zero) {
            let (is, got) = (table.missing.name(), asked.name());
            return Some((Setting::Missing, is.to_owned(), got.to_owned()));
        }
    }
    let only = || {
        let learned = |column: &Column| column.kind != ColumnKind::Ignored;
        let asked = |column: &Column| options.only.contains(&column.name);
        let other = columns().find(|column| learned(column) != asked(column));
        other.filter(|_| !options.only.is_empty()).map(|column| {
            let name = Token::new(column.name.as_bytes());
            let with = |learned| if learned { "with" } else { "without" };
            let is = format!("{} column {name}", with(learned(column)));
            (is, format!("{} it", with(asked(column))))
        })
    };
    let dates = |asked: Dates| {
        let form = |column: &Column| match column.kind {
            ColumnKind::Date(DateForm::Parts { .. }) => Some(Dates::Parts),
            ColumnKind::Date(DateForm::Seconds) => Some(Dates::Seconds),
            _ => None,
        };
        let other = columns().filter_map(form).find(|&form| form != asked)?;
        Some((other.name().to_owned(), asked.name().to_owned()))
    };
    named(&options.drop, ColumnKind::Ignored)
        .map(differs(Setting::Drop))
        .or_else(|| only().map(differs(Setting::Only)))
        .or_else(|| {
            let other = named(&options.categorical, ColumnKind::Category);
            other.map(differs(Setting::Categorical))
        })
        .or_else(|| named(&options.text, ColumnKind::Text).map(differs(Setting::Text)))
        .or_else(|| options.dates.and_then(dates).map(differs(Setting::Dates)))
}

fn described(column: &Column) -> String {
    format!(
        "column {} as {}",
        Token::new(column.name.as_bytes()),
        column.kind.name()
    )
}

#[cfg(test)]
mod tests;
