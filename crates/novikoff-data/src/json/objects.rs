//! JSON objects that come one by one, without first rows to look at: what their fields are is what a model says.

use novikoff::names::{Names, NamesError};
use novikoff::table::{Column, ColumnKind, Table};

use super::JsonLayout;
use super::problem::JsonProblem;
use super::stage::Stage;
use super::walk::walk;
use crate::draft::{Draft, Feature};
use crate::named_rows::NamedRows;
use crate::options::ReadOptions;
use crate::row_builder::RowError;
use crate::text::Tokeniser;

/// What the fields of objects are, by the columns of a model. The label is none of them: it comes beside the object.
#[derive(Clone, Debug, Default)]
pub struct ObjectColumns {
    layout: JsonLayout,
    table: Option<Table>,
}

impl ObjectColumns {
    /// By the columns of a model. Fields that it does not know are numbers, categories, and words that are not weighted.
    pub fn new(table: Option<&Table>) -> Self {
        let mut fields = table.cloned().unwrap_or_default();
        if let Some(label) = fields.label.take() {
            fields.columns.push(Column::new(label, ColumnKind::Ignored));
        }
        ObjectColumns {
            layout: JsonLayout::new(fields, Vec::new()),
            table: table.cloned(),
        }
    }

    /// The columns of the model.
    pub fn table(&self) -> Option<&Table> {
        self.table.as_ref()
    }
}

/// Builds rows of objects, as a reader of JSON lines does, and of features by their numbers. The rows carry their names.
pub struct ObjectRows<'c> {
    columns: &'c ObjectColumns,
    options: ReadOptions,
    /// None before all rows are there.
    names: Names,
    draft: Draft,
    stage: Stage<'c>,
    tokeniser: Tokeniser,
}

impl<'c> ObjectRows<'c> {
    /// No rows yet. Of the options, limits and how features are counted hold.
    pub fn new(columns: &'c ObjectColumns, options: ReadOptions) -> Self {
        let mut draft = Draft::default();
        draft.begin_text(&columns.layout.texts, columns.layout.table.text);
        ObjectRows {
            columns,
            options,
            names: Names::new(),
            draft,
            stage: Stage::new(&columns.layout, columns.layout.table.missing),
            tokeniser: Tokeniser::default(),
        }
    }

    /// How many rows are finished.
    pub fn len(&self) -> usize {
        self.draft.rows.len()
    }

    /// True if none is.
    pub fn is_empty(&self) -> bool {
        self.draft.rows.is_empty()
    }

    /// Adds the features of an object to the row being built.
    pub fn object(&mut self, text: &[u8]) -> Result<(), JsonProblem> {
        self.stage.clear();
        walk(text, &mut self.stage).map_err(|fault| fault.problem)?;
        self.stage
            .fill(&self.names, &mut self.tokeniser, &mut self.draft);
        Ok(())
    }

    /// Adds a feature by its number, counted from 1, or from 0 with `zero_based`.
    pub fn index(&mut self, index: u64, value: f32) -> Result<(), RowError> {
        let slot = self.options.slot(index);
        let slot = slot.ok_or_else(|| RowError::no_index(index, &self.options))?;
        self.draft.push(Feature::Slot(slot), value);
        Ok(())
    }

    /// Adds the value at a place of a dense row, counted from 1, whatever number the first feature has.
    pub fn dense(&mut self, place: u64, value: f32) -> Result<(), RowError> {
        self.index(place - u64::from(self.options.zero_based), value)
    }

    /// Adds a label to the row being built: its number, if it is one, and its text.
    pub fn label(&mut self, number: Option<f64>, text: &[u8]) {
        self.draft.rows.push_label(number.unwrap_or(f64::NAN), text);
    }

    /// How many times the step of the row being built counts.
    pub fn weight(&mut self, weight: f32) {
        self.draft.rows.set_weight(weight);
    }

    /// Ends the row being built.
    pub fn end_row(&mut self) {
        self.draft.end_row(self.draft.rows.len() as u64);
    }

    /// The rows; or the first that cannot have its names, counted from 0, and why.
    pub fn finish(mut self) -> Result<NamedRows, (u64, NamesError)> {
        let named = self.draft.name_features(&mut self.names, &self.options);
        named.map_err(|no_slot| (no_slot.line.unwrap_or(0), no_slot.source))?;
        let texts = self.draft.text_counts(&self.columns.layout.texts);
        let rows = std::mem::take(&mut self.draft.rows);
        Ok(NamedRows::new(self.names, rows).with_texts(texts))
    }
}
