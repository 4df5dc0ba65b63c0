//! Arrow IPC streams, by the reader of record batches.

use novikoff::names::Names;
use novikoff::rows::Rows;
use novikoff::table::ColumnKind;
use novikoff_data::arrow::{BatchRows, StreamBatches, StreamLimits};
use novikoff_data::error::{DataError, catch_panics};
use novikoff_data::json::ObjectColumns;
use novikoff_data::named_rows::NamedRows;
use novikoff_data::options::ReadOptions;

use super::BodyLimits;
use crate::problem::Problem;
use crate::settings::CheckedSettings;
use crate::words::said;

/// The column that is the label unless the model names another.
const LABEL: &str = "label";

/// The most batches of a body, those of dictionaries included: each costs something, however small it is.
const BATCHES: u64 = 1000;

/// The rows of a stream. Columns are what the model says; other columns of strings are categories, as strings of JSON are.
pub(super) fn rows(
    body: &[u8],
    settings: &CheckedSettings,
    columns: &ObjectColumns,
    limits: BodyLimits,
) -> Result<NamedRows, Problem> {
    let bad = |what: &dyn std::fmt::Display| {
        Problem::new(400, "bad body").detail(format!("not an Arrow IPC stream: {what}"))
    };
    let refused = |error: &DataError, row: u64| {
        let row = match error {
            DataError::Batch { row: in_batch, .. } => row + in_batch - 1,
            _ => row,
        };
        Problem::new(400, "bad body")
            .detail(said(error, error.remedy().as_ref()))
            .row(row)
    };
    // the decoder of another crate may give up on forged bytes by a panic
    let read = catch_panics(|| {
        let limits = StreamLimits {
            rows: limits.rows as u64,
            bytes: limits.bytes as u64,
            batches: BATCHES,
        };
        let stream = StreamBatches::open("body", body.to_vec(), limits);
        let mut stream = stream.map_err(|error| refused(&error, 0))?;
        let schema = stream.schema();
        let has_label = |name: &str| schema.field_with_name(name).is_ok();
        let label = settings.given.options.label.clone();
        let label = label.or_else(|| has_label(LABEL).then(|| LABEL.to_owned()));
        let table = columns.table();
        let known = |name: &str| table.and_then(|table| table.column(name));
        let mut fields = schema.fields().iter();
        let is_text_there = |field: &str| known(field).is_some_and(|c| c.kind == ColumnKind::Text);
        if let Some(text) = fields.find(|field| is_text_there(field.name())) {
            return Err(Problem::new(422, "text").detail(format!(
                "column {:.80} holds text in this model, and words are weighted in JSON bodies only; send the rows as JSON",
                text.name()
            )));
        }
        let strings = schema.fields().iter().filter(|field| {
            let is_label = label.as_ref() == Some(field.name());
            is_text(field.data_type()) && !is_label && known(field.name()).is_none()
        });
        let options = ReadOptions {
            table: table.cloned(),
            categorical: strings.map(|field| field.name().clone()).collect(),
            label: label.filter(|name| has_label(name)),
            unlabelled: true,
            ..settings.read.clone()
        };
        let rows = BatchRows::new(&schema, options, Names::new());
        let mut batches = rows.map_err(|error| refused(&error, 0))?;
        let mut rows = Rows::new();
        loop {
            let batch = match stream.next_batch() {
                Ok(Some(batch)) => batch,
                Ok(None) => break,
                Err(error) if stream.is_over() => {
                    let what = said(&error, error.remedy().as_ref());
                    return Err(Problem::new(413, "body too large").detail(what));
                }
                Err(error) => return Err(refused(&error, rows.len() as u64)),
            };
            let block = batches
                .push(&batch)
                .map_err(|error| refused(&error, rows.len() as u64))?;
            rows.append(block, 0);
        }
        Ok(NamedRows::new(batches.names().clone(), rows))
    });
    read.unwrap_or_else(|| Err(bad(&"its parts do not fit together")))
}

fn is_text(kind: &arrow_schema::DataType) -> bool {
    use arrow_schema::DataType::{Dictionary, LargeUtf8, Utf8, Utf8View};
    match kind {
        Utf8 | LargeUtf8 | Utf8View => true,
        Dictionary(_, value) => is_text(value),
        _ => false,
    }
}
