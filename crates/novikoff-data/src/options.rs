//! How data is read: everything about it that the data itself does not say.

use std::collections::HashMap;
use std::sync::Arc;

use novikoff::names::NameLimits;
use novikoff::preparation::Preparation;
use novikoff::remedy::{Complaint, Remedy, Setting};
use novikoff::schema::Schema;
pub use novikoff::table::Missing;
use novikoff::table::{Table, TextForm};

use crate::interrupt::Interrupt;

/// The most features there can be: slots are `u32`, and one value is kept free.
const HARD_LIMIT: u32 = u32::MAX - 1;

/// A format of rows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Format {
    /// svmlight text, LIBSVM's format.
    Svmlight,
    /// Vowpal Wabbit's text.
    Vw,
    /// A table as text: comma-, tab- or semicolon-separated.
    Csv,
    /// JSON lines: one object per line.
    Json,
    /// Apache Parquet.
    Parquet,
    /// Apache Arrow IPC, file or stream.
    Arrow,
    /// Our own binary cache.
    Cache,
}

impl Format {
    /// All formats.
    pub const ALL: [Format; 7] = [
        Format::Svmlight,
        Format::Vw,
        Format::Csv,
        Format::Json,
        Format::Parquet,
        Format::Arrow,
        Format::Cache,
    ];

    /// Its name in commands and messages.
    pub fn name(self) -> &'static str {
        match self {
            Format::Svmlight => "svmlight",
            Format::Vw => "vw",
            Format::Csv => "csv",
            Format::Json => "json",
            Format::Parquet => "parquet",
            Format::Arrow => "arrow",
            Format::Cache => "nvk",
        }
    }

    /// What text is called that has no columns; none of other formats.
    pub(crate) fn without_columns(self) -> Option<&'static str> {
        match self {
            Format::Svmlight => Some("svmlight text"),
            Format::Vw => Some("VW text"),
            _ => None,
        }
    }
}

/// What dates of a table become.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Dates {
    /// Year, month, weekday and hour.
    #[default]
    Parts,
    /// Seconds since 1970.
    Seconds,
    /// An error.
    Refuse,
}

impl Dates {
    /// Its name in commands and messages.
    pub fn name(self) -> &'static str {
        match self {
            Dates::Parts => "parts",
            Dates::Seconds => "seconds",
            Dates::Refuse => "refuse",
        }
    }
}

/// In which order the files of a folder come.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum FileOrder {
    /// Drawn once, so that classes are mixed.
    #[default]
    Drawn,
    /// The order of their names, as answers have to be.
    Sorted,
}

/// How data is read.
#[derive(Clone, Debug)]
pub struct ReadOptions {
    /// The constant feature put in slot 0 of every row.
    pub bias: Option<f32>,
    /// svmlight text counts its features from 0; they are stored counted from 1 all the same.
    pub zero_based: bool,
    /// The most features allowed; 2^32 - 2 at most.
    pub max_features: u32,
    /// The longest line allowed, in bytes.
    pub max_line: usize,
    /// The format; sniffed if none.
    pub format: Option<Format>,
    /// The column of a table that is the label: its name, or its number counted from 1.
    pub label: Option<String>,
    /// Columns of a table that are categories although their first value is a number.
    pub categorical: Vec<String>,
    /// Columns of a table that are text.
    pub text: Vec<String>,
    /// Columns of a table that nothing is learned from.
    pub drop: Vec<String>,
    /// The only columns of a table that something is learned from; all if empty.
    pub only: Vec<String>,
    /// How text becomes features; what a model says, or the default, if none.
    pub text_form: Option<TextForm>,
    /// What dates become; what a model says, or the default, if none.
    pub dates: Option<Dates>,
    /// Whether a text table begins with a line of names; found out if none.
    pub header: Option<bool>,
    /// What missing values of a table are; what a model says, or the default, if none.
    pub missing: Option<Missing>,
    /// Numbers will be centred, so that the mean of a column is the 0 that stands for a missing value beside its indicator.
    pub centred: bool,
    /// The means of columns over the rows to be read, where those stand for missing values.
    pub means: Option<Arc<HashMap<String, f32>>>,
    /// The means that a model centres features with, by their names: they stand for columns that are not there.
    pub centres: Option<Arc<HashMap<String, f32>>>,
    /// How many bad lines are passed over before one is an error.
    pub skip_bad: u64,
    /// Bytes of memory the names of features may take.
    pub max_name_bytes: u64,
    /// The table a model was trained on: columns of the same names are read the same way, and a
    /// missing label column is no error.
    pub table: Option<Table>,
    /// A request to stop; looked at while waiting for a pipe.
    pub interrupt: Option<Interrupt>,
    /// The column of a table whose text is kept with every row: its name, or its number counted from 1.
    pub id: Option<String>,
    /// Rows without labels are meant to be predicted: a table need not have a label column.
    pub unlabelled: bool,
    /// How many features a model has that was trained on rows without columns: a table of as many unnamed columns that is meant to be predicted has no
    /// label among them.
    pub unnamed_features: Option<usize>,
    /// In which order the files of a folder of texts come.
    pub file_order: FileOrder,
}

impl Default for ReadOptions {
    fn default() -> Self {
        ReadOptions {
            bias: None,
            zero_based: false,
            max_features: 100_000_000,
            max_line: 64 << 20,
            format: None,
            label: None,
            categorical: Vec::new(),
            text: Vec::new(),
            drop: Vec::new(),
            only: Vec::new(),
            text_form: None,
            dates: None,
            header: None,
            missing: None,
            centred: false,
            means: None,
            centres: None,
            skip_bad: 0,
            max_name_bytes: 4 << 30,
            table: None,
            interrupt: None,
            id: None,
            unlabelled: false,
            unnamed_features: None,
            file_order: FileOrder::Drawn,
        }
    }
}

impl ReadOptions {
    /// What they say of the rows themselves.
    pub(crate) fn schema(&self) -> Schema {
        let mut schema = Schema::prepared(Preparation {
            bias: self.bias,
            ..Preparation::default()
        });
        schema.zero_based = self.zero_based;
        schema.table.clone_from(&self.table);
        schema
    }

    /// These options for rows of a schema: its constant feature, its columns, and how it counts features.
    #[must_use]
    pub fn of(mut self, schema: &Schema) -> Self {
        self.bias = schema.preparation.bias;
        self.zero_based = schema.zero_based;
        self.table.clone_from(&schema.table);
        self.centres = schema.centres().map(Arc::new);
        self
    }

    /// Whether the means of columns stand for missing values.
    pub fn needs_means(&self) -> bool {
        match self.missing() {
            Missing::Mean => true,
            Missing::Indicator => self.centred,
            Missing::Zero | Missing::Refuse => false,
        }
    }

    /// What missing values of a table are: what was asked for, else what the model says.
    pub fn missing(&self) -> Missing {
        let known = self.table.as_ref().map(|table| table.missing);
        self.missing.or(known).unwrap_or_default()
    }

    /// How text of a table becomes features: what was asked for, else what the model says.
    pub fn text_form(&self) -> TextForm {
        let known = self.table.as_ref().map(|table| table.text);
        self.text_form.or(known).unwrap_or_default()
    }

    /// What is asked of text must be what a model with text has.
    pub(crate) fn check_text_form(&self) -> Result<(), Complaint> {
        let (Some(asked), Some(table)) = (self.text_form, &self.table) else {
            return Ok(());
        };
        if table.text == asked || table.texts().is_empty() {
            return Ok(());
        }
        let form = |form: TextForm| {
            let (least, most) = form.ngrams;
            let weights = if form.tfidf { "on" } else { "off" };
            format!("n-grams of {least} to {most} words, tf-idf {weights}")
        };
        let what = format!(
            "the text of the model or of earlier inputs was read as {}, and is to be read as {}",
            form(table.text),
            form(asked)
        );
        let remedy = Remedy::leave_out(&[Setting::Ngrams, Setting::Tfidf]);
        Err(Complaint::new(what, remedy))
    }

    /// Whether the reading was asked to stop.
    pub(crate) fn is_interrupted(&self) -> bool {
        self.interrupt.as_ref().is_some_and(Interrupt::is_requested)
    }

    /// The highest slot allowed.
    pub(crate) fn limit(&self) -> u32 {
        self.max_features.min(HARD_LIMIT)
    }

    /// What names may take.
    pub(crate) fn limits(&self) -> NameLimits {
        NameLimits {
            slots: self.limit(),
            bytes: self.max_name_bytes,
        }
    }

    /// The slot of an svmlight index, if it is allowed.
    pub(crate) fn slot(&self, index: u64) -> Option<u32> {
        let slot = u32::try_from(index.checked_add(u64::from(self.zero_based))?).ok()?;
        (1..=self.limit()).contains(&slot).then_some(slot)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_formats_are_listed_once() {
        for (k, format) in Format::ALL.into_iter().enumerate() {
            // a variant that is missing here does not compile, and is missing in ALL
            let place = match format {
                Format::Svmlight => 0,
                Format::Vw => 1,
                Format::Csv => 2,
                Format::Json => 3,
                Format::Parquet => 4,
                Format::Arrow => 5,
                Format::Cache => 6,
            };
            assert_eq!(place, k, "{format:?}");
        }
    }
}
