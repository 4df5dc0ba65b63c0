//! What the columns of a table hold: decided once, before the first row is handed out, by what was asked for and by a look at the first
//! rows; the same for all formats of tables.
//!
//! In this order a column is: what the model says; ignored, if it was dropped or is not among the only ones; text or categories, if it was
//! named so; numbers, if its first value is one; dates, if all values looked at are; ignored, if its texts are ids: most of them are
//! distinct, and many are; categories otherwise. What looks like something else than it was taken for gets a remark.

mod guise;
mod steps;

use std::collections::{HashMap, HashSet};

use foldhash::fast::FixedState;
use novikoff::grammar::nearest_match;
use novikoff::remark::{Guise, Remark};
use novikoff::remedy::{Complaint, Remedy, Setting};
use novikoff::table::{Column, ColumnKind, DateForm, Missing, Table};
use std::hash::BuildHasher as _;

use crate::dates;
use crate::error::Token;
use crate::options::{Dates, ReadOptions};
pub(crate) use guise::guise;
use steps::Steps;

/// How many rows are looked at, by readers and by all jobs that choose something from the first rows.
pub const FIRST_ROWS: usize = 2_000;

/// How many bytes of text are looked at.
pub(crate) const FIRST_BYTES: usize = 16 << 20;

/// The least number of distinct values that ids have.
const DISTINCT: usize = 100;

/// A text of this many words is a sentence.
const SENTENCE: usize = 3;

/// Sentences of at least this many distinct values are no names of categories.
const DISTINCT_SENTENCES: usize = 20;

/// How many columns a message lists.
const LISTED: usize = 10;

/// A value that is looked at.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Value<'a> {
    Missing,
    /// A whole number, if it is one.
    Number(Option<i64>),
    Text(&'a [u8]),
}

impl Value<'_> {
    /// A number as it is written.
    pub(crate) fn number(text: &[u8]) -> Self {
        let text = std::str::from_utf8(text);
        Value::Number(text.ok().and_then(|text| text.parse().ok()))
    }
}

/// What was seen of one column.
#[derive(Clone, Debug, Default)]
pub(crate) struct ColumnLook {
    rows: usize,
    /// Those that are not missing.
    values: usize,
    /// The first value is a number.
    is_number: bool,
    /// Some value is no date; some value is one with a time.
    not_date: bool,
    has_time: bool,
    /// Hashes of the values.
    distinct: HashSet<u64, FixedState>,
    /// Values that are numbers, or numbers and dates in another guise, by guise.
    plain: usize,
    guises: [usize; Guise::ALL.len()],
    /// Values of several words.
    sentences: usize,
    steps: Steps,
}

impl ColumnLook {
    /// Looks at one more value.
    pub(crate) fn add(&mut self, value: Value<'_>) {
        self.rows += 1;
        if self.is_finished() {
            return;
        }
        match value {
            Value::Missing => {
                if self.is_number {
                    self.steps.add(None);
                }
                return;
            }
            Value::Number(whole) => {
                self.is_number |= self.values == 0;
                self.not_date = true;
                self.plain += 1;
                self.steps.add(whole);
            }
            // what is wrong with it is said when it is read
            Value::Text(_) if self.is_number => self.steps.add(None),
            Value::Text(text) => {
                match dates::parse(text) {
                    Some((_, has_time)) => self.has_time |= has_time,
                    None => self.not_date = true,
                }
                // a fixed seed: the same decision in every run
                self.distinct.insert(FixedState::default().hash_one(text));
                if let Some(guise) = guise(text) {
                    self.guises[guise as usize] += 1;
                }
                let words = text.split(u8::is_ascii_whitespace);
                let words = words.filter(|word| !word.is_empty()).take(SENTENCE);
                self.sentences += usize::from(words.count() == SENTENCE);
            }
        }
        self.values += 1;
    }

    /// Whether nothing that follows makes a difference to what the column holds.
    pub(crate) fn is_settled(&self) -> bool {
        self.is_number
    }

    /// Whether nothing that follows makes a difference, not even to remarks.
    pub(crate) fn is_finished(&self) -> bool {
        self.is_number && self.steps.is_broken()
    }

    /// The guise of nearly all values, if they are numbers or dates in one.
    fn guise(&self) -> Option<Guise> {
        let guised: usize = self.guises.iter().sum();
        let is_guised = 20 * (guised + self.plain) >= 19 * self.values && 2 * guised > self.values;
        let most = Guise::ALL
            .into_iter()
            .max_by_key(|&guise| self.guises[guise as usize]);
        most.filter(|_| is_guised)
    }

    /// Whether at least half of the values are sentences, too many to be names of categories.
    fn are_sentences(&self) -> bool {
        let distinct = self.distinct.len();
        2 * self.sentences >= self.values
            && distinct >= DISTINCT_SENTENCES
            && 10 * distinct >= self.values
    }

    fn are_dates(&self) -> bool {
        self.values > 0 && !self.is_number && !self.not_date
    }

    fn are_ids(&self) -> bool {
        let distinct = self.distinct.len();
        distinct >= DISTINCT && 2 * distinct > self.values
    }
}

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
        self.certain.get(name).copied()
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
        if look.is_number || look.values == 0 {
            if let Some(step) = look.steps.step(DISTINCT).filter(|_| !self.frozen) {
                self.remarks.push(Remark::RowNumber {
                    column: name.to_owned(),
                    step,
                    rows: look.rows as u64,
                });
            }
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
        let kind = if look.are_ids() {
            ColumnKind::Ignored
        } else {
            ColumnKind::Category
        };
        if let Some(guise) = look.guise() {
            self.remarks.push(Remark::NumberText {
                column: name.to_owned(),
                guise,
                left_out: kind == ColumnKind::Ignored,
            });
        } else if kind == ColumnKind::Ignored {
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
    pub(crate) fn column(&self, name: String, kind: ColumnKind) -> Column {
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

/// The first names.
pub(crate) fn list(names: &[&str]) -> String {
    let shown = names.iter().take(LISTED);
    let shown: Vec<String> = shown
        .map(|name| Token::new(name.as_bytes()).to_string())
        .collect();
    match names.len().saturating_sub(LISTED) {
        0 => shown.join(", "),
        more => format!("{} and {more} more", shown.join(", ")),
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
mod tests {
    use novikoff::remark::Remark;
    use novikoff::remedy::{Library, said};
    use novikoff::table::{Column, ColumnKind, DateForm, Missing, Table};

    use super::{ColumnLook, FIRST_ROWS, Policy, Value, contradiction};
    use crate::options::{Dates, ReadOptions};

    fn look<'a>(values: impl IntoIterator<Item = Value<'a>>) -> ColumnLook {
        let mut look = ColumnLook::default();
        values.into_iter().for_each(|value| look.add(value));
        look
    }

    fn texts(values: &[&'static str]) -> ColumnLook {
        look(values.iter().map(|text| Value::Text(text.as_bytes())))
    }

    fn kind(options: &ReadOptions, look: &ColumnLook) -> ColumnKind {
        Policy::new(options, false)
            .decide("c", look)
            .expect("nothing is refused")
    }

    #[test]
    fn the_first_value_says_whether_a_column_is_numbers() {
        let plain = ReadOptions::default();
        let word = Value::Text(b"a");
        for (values, expected) in [
            (vec![], ColumnKind::Number),
            (vec![Value::Missing], ColumnKind::Number),
            (
                vec![Value::Missing, Value::Number(None), word],
                ColumnKind::Number,
            ),
            (
                vec![Value::Missing, word, Value::Number(None)],
                ColumnKind::Category,
            ),
        ] {
            assert_eq!(kind(&plain, &look(values.clone())), expected, "{values:?}");
        }
    }

    #[test]
    fn a_column_of_nothing_but_dates_is_dates() {
        let options = |dates| ReadOptions {
            dates,
            ..ReadOptions::default()
        };
        let days = texts(&["2024-01-02", "2024-02-29"]);
        let parts = |hours| ColumnKind::Date(DateForm::Parts { hours });
        assert_eq!(kind(&options(None), &days), parts(false));
        let times = texts(&["2024-01-02", "2024-02-29T07:00"]);
        assert_eq!(kind(&options(Some(Dates::Parts)), &times), parts(true));
        let seconds = ColumnKind::Date(DateForm::Seconds);
        assert_eq!(kind(&options(Some(Dates::Seconds)), &times), seconds);
        let mixed = texts(&["2024-01-02", "2023-02-29"]);
        assert_eq!(kind(&options(None), &mixed), ColumnKind::Category);
        let number = look([Value::Text(b"2024-01-02"), Value::Number(None)]);
        assert_eq!(kind(&options(None), &number), ColumnKind::Category);
        let refuse = options(Some(Dates::Refuse));
        let refused = Policy::new(&refuse, false).decide("c", &days);
        let refused = refused.expect_err("dates are refused");
        let text = said(&refused, refused.remedy.as_ref(), &Library);
        assert!(
            text.contains("\"c\" holds dates") && text.contains("drop"),
            "{text}"
        );
    }

    #[test]
    fn ids_are_left_out_unless_they_are_named() {
        let ids: Vec<String> = (0..FIRST_ROWS).map(|k| format!("id{k}")).collect();
        let of = |distinct: usize, rows: usize| {
            let value = |k: usize| Value::Text(ids[k % distinct].as_bytes());
            look((0..rows).map(value).chain([Value::Missing]))
        };
        let plain = ReadOptions::default();
        for (distinct, rows, expected) in [
            (99, 100, ColumnKind::Category),
            (100, 100, ColumnKind::Ignored),
            (100, 199, ColumnKind::Ignored),
            (100, 200, ColumnKind::Category),
            (2000, 2000, ColumnKind::Ignored),
            (1000, 2000, ColumnKind::Category),
        ] {
            let mut policy = Policy::new(&plain, false);
            let decided = policy.decide("c", &of(distinct, rows));
            assert_eq!(decided, Ok(expected), "{distinct} of {rows}");
            let remark = Remark::Ids {
                column: "c".to_owned(),
                distinct: distinct as u64,
                rows: rows as u64 + 1,
            };
            let is_id = expected == ColumnKind::Ignored;
            assert_eq!(policy.remarks.contains(&remark), is_id);
        }
        let named = |set: fn(&mut ReadOptions, Vec<String>)| {
            let mut options = ReadOptions::default();
            set(&mut options, vec!["c".to_owned()]);
            kind(&options, &of(100, 100))
        };
        assert_eq!(named(|o, c| o.categorical = c), ColumnKind::Category);
        assert_eq!(named(|o, c| o.text = c), ColumnKind::Text);
        assert_eq!(named(|o, c| o.drop = c), ColumnKind::Ignored);
        let frozen = Policy::new(&plain, true).decide("c", &of(100, 100));
        assert_eq!(
            frozen,
            Ok(ColumnKind::Category),
            "a model's names are not ids"
        );
    }

    #[test]
    fn what_looks_like_something_else_gets_a_remark() {
        let plain = ReadOptions::default();
        let decided = |look: &ColumnLook| {
            let mut policy = Policy::new(&plain, false);
            let kind = policy.decide("c", look).expect("nothing is refused");
            let kinds: Vec<&str> = policy.remarks.iter().map(Remark::kind).collect();
            (kind, kinds)
        };
        let of = |count: usize, text: &dyn Fn(usize) -> String| {
            let texts: Vec<String> = (0..count).map(text).collect();
            look(texts.iter().map(|text| Value::Text(text.as_bytes())))
        };
        let category = |kind| (ColumnKind::Category, vec![kind]);
        let commas = of(200, &|k| format!("{},5", k % 50));
        assert_eq!(decided(&commas), category("number-text"));
        let distinct = of(200, &|k| format!("{k}%"));
        let left_out = (ColumnKind::Ignored, vec!["number-text"]);
        assert_eq!(decided(&distinct), left_out);
        let some = of(200, &|k| match k % 10 {
            0 => "unknown".to_owned(),
            k => format!("{k}%"),
        });
        assert_eq!(
            decided(&some),
            (ColumnKind::Category, vec![]),
            "a tenth is none"
        );
        let sentences = of(200, &|k| format!("the parcel {} came late", k % 60));
        assert_eq!(decided(&sentences), category("text-column"));
        let few = of(200, &|k| format!("Bachelor of {}", k % 15));
        assert_eq!(decided(&few), (ColumnKind::Category, vec![]));
        let rows = |count: i64| look((0..count).map(|k| Value::Number(Some(1000 + k))));
        assert_eq!(decided(&rows(99)), (ColumnKind::Number, vec![]));
        assert_eq!(decided(&rows(100)), (ColumnKind::Number, vec!["ids"]));
        let text = [Value::Text(b"x")];
        let broken = look((0..100).map(|k| Value::Number(Some(k))).chain(text));
        assert_eq!(decided(&broken), (ColumnKind::Number, vec![]));
        let frozen = Policy::new(&plain, true).decide("c", &commas);
        assert_eq!(frozen, Ok(ColumnKind::Category));
    }

    #[test]
    fn what_the_model_says_comes_first_and_drops_before_names() {
        let mut options = ReadOptions {
            drop: vec!["c".to_owned()],
            categorical: vec!["c".to_owned()],
            ..ReadOptions::default()
        };
        let numbers = look([Value::Number(None)]);
        assert_eq!(kind(&options, &numbers), ColumnKind::Ignored);
        options.drop.clear();
        options.only = vec!["d".to_owned()];
        assert_eq!(kind(&options, &numbers), ColumnKind::Ignored);
        options.table = Some(Table {
            columns: vec![Column::new("c", ColumnKind::Number)],
            ..Table::default()
        });
        assert_eq!(kind(&options, &texts(&["a"])), ColumnKind::Number);
    }

    #[test]
    fn names_that_are_nowhere_are_errors() {
        let check = |options: ReadOptions| {
            let policy = Policy::new(&options, false);
            let checked = policy.check_names(&["colour", "size", "s.a"], Some("y"));
            checked.map_err(|error| said(&error, error.remedy.as_ref(), &Library))
        };
        let drop = |name: &str| ReadOptions {
            drop: vec![name.to_owned()],
            ..ReadOptions::default()
        };
        assert_eq!(check(drop("size")), Ok(()));
        assert_eq!(check(drop("s")), Ok(()), "a struct");
        let unknown = check(drop("color")).expect_err("no such column");
        let expected =
            "no column is called \"color\", which was to be left out; did you mean \"colour\"?";
        assert!(unknown.starts_with(expected), "{unknown}");
        let label = check(drop("y")).expect_err("the label");
        assert!(label.contains("\"y\" is the label"), "{label}");
        let known = ReadOptions {
            table: Some(Table {
                columns: vec![Column::new("old", ColumnKind::Ignored)],
                ..Table::default()
            }),
            ..drop("old")
        };
        assert_eq!(check(known), Ok(()), "the model knows it");
    }

    #[test]
    fn contradictions_with_a_table_are_found() {
        let date = ColumnKind::Date(DateForm::Parts { hours: false });
        let table = Table {
            columns: vec![
                Column::new("n", ColumnKind::Number),
                Column::new("k", ColumnKind::Category),
                Column::new("d", date),
                Column::new("i", ColumnKind::Ignored),
            ],
            missing: Missing::Mean,
            ..Table::default()
        };
        let asked = |set: &dyn Fn(&mut ReadOptions)| {
            let mut options = ReadOptions::default();
            set(&mut options);
            contradiction(&options, &table).map(|(setting, ..)| setting.name())
        };
        let names = |names: &str| names.split(',').map(str::to_owned).collect::<Vec<_>>();
        assert_eq!(asked(&|_| {}), None);
        assert_eq!(asked(&|o| o.missing = Some(Missing::Mean)), None);
        assert_eq!(asked(&|o| o.missing = Some(Missing::Zero)), Some("missing"));
        assert_eq!(asked(&|o| o.drop = names("i,other")), None);
        assert_eq!(asked(&|o| o.drop = names("n")), Some("drop"));
        assert_eq!(asked(&|o| o.only = names("n,k,d")), None);
        assert_eq!(asked(&|o| o.only = names("n,k")), Some("only"));
        assert_eq!(asked(&|o| o.only = names("n,k,d,i")), Some("only"));
        assert_eq!(asked(&|o| o.categorical = names("k")), None);
        assert_eq!(asked(&|o| o.categorical = names("n")), Some("categorical"));
        assert_eq!(asked(&|o| o.text = names("k")), Some("text"));
        assert_eq!(asked(&|o| o.dates = Some(Dates::Parts)), None);
        assert_eq!(asked(&|o| o.dates = Some(Dates::Seconds)), Some("dates"));
        assert_eq!(asked(&|o| o.dates = Some(Dates::Refuse)), Some("dates"));
    }
}
