//! Bodies with rows, by their content type: into rows that carry their names.
//!
//! A body is read before anything of it is learned, so that a bad row refuses all of it.

mod arrow;
mod json;
mod text;

use novikoff_data::json::ObjectColumns;
use novikoff_data::named_rows::NamedRows;
use novikoff_data::whole_text::LineFormat;
use serde::Deserialize;

use crate::problem::Problem;
use crate::settings::CheckedSettings;

pub use json::{JsonBody, label_of};

/// What a body is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ContentType {
    /// One object with `rows`.
    Json,
    /// One row per line.
    Ndjson,
    /// svmlight text.
    Svmlight,
    /// VW text.
    Vw,
    /// An Arrow IPC stream.
    Arrow,
}

/// The content types, for messages.
const ALLOWED: &str = "application/json, application/x-ndjson, text/x-svmlight, text/x-vw or application/vnd.apache.arrow.stream";

impl ContentType {
    /// What a header says; JSON if there is none.
    pub fn of(header: Option<&str>) -> Result<Self, Problem> {
        let Some(header) = header else {
            return Ok(ContentType::Json);
        };
        let kind = header
            .split(';')
            .next()
            .unwrap_or_default()
            .trim()
            .to_ascii_lowercase();
        match &*kind {
            // what `curl -d` says if it is not given a type
            "application/json" | "application/x-www-form-urlencoded" => Ok(ContentType::Json),
            "application/x-ndjson" => Ok(ContentType::Ndjson),
            "text/x-svmlight" => Ok(ContentType::Svmlight),
            "text/x-vw" => Ok(ContentType::Vw),
            "application/vnd.apache.arrow.stream" => Ok(ContentType::Arrow),
            _ => Err(Problem::new(415, "content type")
                .detail(format!("{kind:.80}: bodies with rows are {ALLOWED}"))),
        }
    }
}

/// What a request with rows says besides them: in the body, or as query parameters.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RowParameters {
    /// The id of the request.
    #[serde(default)]
    pub id: Option<String>,
    /// The least `seq` of the model that answers.
    #[serde(default)]
    pub min_seq: Option<u64>,
    /// What errors cost.
    #[serde(default)]
    pub cost: Option<String>,
    /// Whether rows are kept for `feedback`.
    #[serde(default)]
    pub feedback: Option<bool>,
}

/// What a body may come to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BodyLimits {
    /// Bytes, and bytes of what is compressed in it.
    pub bytes: usize,
    /// Rows.
    pub rows: usize,
}

impl BodyLimits {
    /// A body that is refused because it has more rows.
    fn too_many_rows(self) -> Problem {
        Problem::new(413, "too many rows").detail(format!(
            "the body has more than {} rows; send fewer at a time, or start the server with a higher --max-rows",
            self.rows
        ))
    }
}

/// The rows of a body, and what it says besides them. `columns`: what the fields of JSON objects are.
pub fn read(
    kind: ContentType,
    body: &[u8],
    settings: &CheckedSettings,
    columns: &ObjectColumns,
    query: RowParameters,
    limits: BodyLimits,
) -> Result<(NamedRows, RowParameters), Problem> {
    let options = &settings.read;
    let rows = match kind {
        ContentType::Json => {
            let JsonBody { rows, parameters } = json::body(body, columns, options, limits)?;
            let parameters = RowParameters {
                id: parameters.id.or(query.id),
                min_seq: parameters.min_seq.or(query.min_seq),
                cost: parameters.cost.or(query.cost),
                feedback: parameters.feedback.or(query.feedback),
            };
            return checked(rows, parameters);
        }
        ContentType::Ndjson => json::lines(body, columns, options, limits)?,
        ContentType::Svmlight => text::rows(body, LineFormat::Svmlight, options, limits)?,
        ContentType::Vw => text::rows(body, LineFormat::Vw, options, limits)?,
        ContentType::Arrow => arrow::rows(body, settings, columns, limits)?,
    };
    checked(rows, query)
}

fn checked(
    rows: NamedRows,
    parameters: RowParameters,
) -> Result<(NamedRows, RowParameters), Problem> {
    if parameters
        .id
        .as_ref()
        .is_some_and(|id| id.is_empty() || id.len() > 256)
    {
        return Err(Problem::new(422, "request id").detail("id: must have from 1 to 256 bytes"));
    }
    Ok((rows, parameters))
}
