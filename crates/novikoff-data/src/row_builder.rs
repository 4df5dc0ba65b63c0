//! One row at a time, by the names of its features, without a file.
//!
//! ```
//! use novikoff::{label::RawLabel, model::Model, spec::Spec};
//! use novikoff_data::{options::ReadOptions, row_builder::RowBuilder};
//!
//! let mut model = Model::builder(Spec::parse("perceptron")?).build()?;
//! let mut builder = RowBuilder::new(ReadOptions::default());
//!
//! let mut row = builder.learning(model.names_mut());
//! row.number("price", 2.0)?;
//! row.category("colour", "red")?;
//! let x = row.finish()?;
//! let outcome = model.learn(x, std::iter::once(RawLabel::new(-1.0, b"-1")))?;
//! assert!(outcome.is_mistake());
//!
//! let mut row = builder.predicting(model.names());
//! row.number("price", 1.0)?;
//! row.category("colour", "blue")?; // never met: left out, and counted
//! let mut scores = Vec::new();
//! model.scores(row.finish()?, None, &mut scores);
//! assert_eq!(scores, [-2.0]);
//! assert_eq!(builder.unknown(), 1);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

use std::io::Write as _;

use novikoff::names::{Names, NamesError};
use novikoff::remedy::{Remedy, Setting};
use novikoff::row::Row;
use novikoff::table::{Column, Table};

use crate::draft::{Draft, Feature};
use crate::error::Token;
use crate::options::ReadOptions;

/// Why a feature cannot be part of a row.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum RowError {
    /// Infinite, not a number, or beyond `f32`.
    #[error("feature {name}: {value} is not a number within the range of f32, 3.4e38")]
    Value {
        /// The feature.
        name: Token,
        /// The value, as shown.
        value: String,
    },
    /// A number of a feature that there cannot be.
    #[error("index {index} is not one of the features {first} to {last}")]
    Index {
        /// The number.
        index: u64,
        /// The first number allowed.
        first: u64,
        /// The last.
        last: u64,
    },
    /// A name that cannot have a slot.
    #[error(transparent)]
    Names(#[from] NamesError),
}

impl RowError {
    /// A number of a feature that there cannot be.
    pub(crate) fn no_index(index: u64, options: &ReadOptions) -> Self {
        let zero_based = u64::from(options.zero_based);
        let (first, last) = (1 - zero_based, u64::from(options.limit()) - zero_based);
        RowError::Index { index, first, last }
    }

    /// What to do about it.
    pub fn remedy(&self) -> Remedy {
        match self {
            RowError::Value { .. } => Remedy::clause("leave the feature out").or("scale it down"),
            RowError::Index { .. } => {
                Remedy::clause("renumber them").or(Remedy::raise(Setting::MaxFeatures))
            }
            RowError::Names(error) => error.remedy(),
        }
    }
}

/// Builds rows; its memory is used again, so that rows whose names are known allocate nothing.
pub struct RowBuilder {
    options: ReadOptions,
    draft: Draft,
    /// A name being put together.
    text: Vec<u8>,
    unknown: u64,
}

/// The names that features are looked up in.
enum Lookup<'n> {
    /// New ones are added when the row is finished.
    Learn(&'n mut Names),
    /// New ones are left out.
    Predict(&'n Names),
}

/// A row being built. If it is dropped unfinished, none of its new names is added.
pub struct RowInProgress<'b, 'n> {
    builder: &'b mut RowBuilder,
    names: Lookup<'n>,
}

impl RowBuilder {
    /// For rows as the options say: bias, `zero_based`, limits. The other options are for files.
    pub fn new(options: ReadOptions) -> Self {
        RowBuilder {
            options,
            draft: Draft::default(),
            text: Vec::new(),
            unknown: 0,
        }
    }

    /// Gives the columns of numbers of a table their slots, in order, as readers of tables do before the first row.
    pub fn columns(&mut self, table: &Table, names: &mut Names) -> Result<(), RowError> {
        self.draft.clear();
        for name in table.columns.iter().filter_map(Column::number) {
            self.draft.find(names, name.as_bytes());
        }
        let named = self.draft.name_features(names, &self.options);
        Ok(named.map_err(|no_slot| no_slot.source)?)
    }

    /// Begins a row to learn from.
    pub fn learning<'b, 'n>(&'b mut self, names: &'n mut Names) -> RowInProgress<'b, 'n> {
        self.begin(Lookup::Learn(names))
    }

    /// Begins a row to predict.
    pub fn predicting<'b, 'n>(&'b mut self, names: &'n Names) -> RowInProgress<'b, 'n> {
        self.begin(Lookup::Predict(names))
    }

    fn begin<'b, 'n>(&'b mut self, names: Lookup<'n>) -> RowInProgress<'b, 'n> {
        self.draft.clear();
        self.draft.begin_row(&self.options);
        RowInProgress {
            builder: self,
            names,
        }
    }

    /// How many values were left out so far because their features are not known.
    pub fn unknown(&self) -> u64 {
        self.unknown
    }

    /// The row finished last.
    pub fn row(&self) -> Row<'_> {
        self.draft.rows.row(0)
    }

    /// The highest feature of the row finished last.
    pub fn width(&self) -> u32 {
        self.draft.rows.width()
    }
}

impl<'b> RowInProgress<'b, '_> {
    /// A feature and its value; what comes twice is added up.
    pub fn number(&mut self, name: &str, value: f64) -> Result<(), RowError> {
        self.put(name, "", "", value)
    }

    /// The feature `column=value`, which is 1: a category, as tables have them.
    pub fn category(&mut self, column: &str, value: &str) -> Result<(), RowError> {
        self.put(column, "=", value, 1.0)
    }

    /// One more of the feature `column^word`: a word of a text.
    pub fn word(&mut self, column: &str, word: &str) -> Result<(), RowError> {
        self.put(column, "^", word, 1.0)
    }

    /// A feature by its number, counted from 1, or from 0 with `zero_based`.
    pub fn index(&mut self, index: u64, value: f64) -> Result<(), RowError> {
        let options = &self.builder.options;
        let slot = options.slot(index);
        let slot = slot.ok_or_else(|| RowError::no_index(index, options))?;
        let text = &mut self.builder.text;
        text.clear();
        // writing to memory cannot fail
        let _ = write!(text, "{index}");
        let value = self.value(value)?;
        // numbers are slots as long as there are no names
        let feature = if self.names().is_empty() && !self.builder.draft.has_new_names() {
            Feature::Slot(slot)
        } else {
            self.find()
        };
        self.builder.draft.push(feature, value);
        Ok(())
    }

    /// The value at a place of a dense row, counted from 1, whatever number the first feature has.
    pub fn dense(&mut self, place: u64, value: f64) -> Result<(), RowError> {
        self.index(place - u64::from(self.builder.options.zero_based), value)
    }

    /// Whether it has a name that is not known yet.
    pub fn has_new_names(&self) -> bool {
        self.builder.draft.has_new_names()
    }

    fn names(&self) -> &Names {
        match &self.names {
            Lookup::Learn(names) => names,
            Lookup::Predict(names) => names,
        }
    }

    fn put(&mut self, name: &str, mark: &str, rest: &str, value: f64) -> Result<(), RowError> {
        let text = &mut self.builder.text;
        text.clear();
        for part in [name, mark, rest] {
            text.extend_from_slice(part.as_bytes());
        }
        let value = self.value(value)?;
        let feature = self.find();
        self.builder.draft.push(feature, value);
        Ok(())
    }

    /// A value of the feature whose name is in `text`, as it is stored.
    fn value(&self, value: f64) -> Result<f32, RowError> {
        let stored = value as f32;
        if stored.is_finite() {
            return Ok(stored);
        }
        Err(RowError::Value {
            name: Token::new(&self.builder.text),
            value: value.to_string(),
        })
    }

    /// The feature whose name is in `text`.
    fn find(&mut self) -> Feature {
        let RowBuilder { draft, text, .. } = &mut *self.builder;
        match &self.names {
            Lookup::Learn(names) => draft.find(names, text),
            Lookup::Predict(names) => match names.slot_when_frozen(text) {
                Some(slot) => Feature::Slot(slot),
                None => Feature::Unknown,
            },
        }
    }

    /// The row, once its new names have got their slots, in the order in which they were met.
    pub fn finish(self) -> Result<Row<'b>, RowError> {
        let RowInProgress { builder, names } = self;
        builder.draft.end_row(0);
        builder.unknown += builder.draft.unknown;
        if let Lookup::Learn(names) = names {
            let named = builder.draft.name_features(names, &builder.options);
            named.map_err(|no_slot| no_slot.source)?;
        }
        Ok(builder.draft.rows.row(0))
    }
}
