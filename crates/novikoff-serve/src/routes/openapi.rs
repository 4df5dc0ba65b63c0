//! The OpenAPI document.

use axum::http::StatusCode;
use utoipa::OpenApi;

use super::{Reply, json, learn, look, manage, predict};

#[derive(OpenApi)]
#[openapi(
    info(
        title = "novikoff",
        description = "Learns while it serves, and loses no acknowledged label. docs/service.md has an example of each request."
    ),
    paths(
        manage::list,
        manage::create,
        manage::describe,
        manage::delete,
        manage::download,
        manage::upload,
        learn::learn,
        learn::feedback,
        predict::predict,
        look::certificate,
        look::events,
        look::history,
        look::mistakes,
        look::weights,
        look::metrics,
        look::ready
    )
)]
struct Document;

/// `GET /openapi.json`.
pub(super) async fn document() -> Reply {
    json(StatusCode::OK, &Document::openapi())
}

/// The OpenAPI document as JSON.
pub fn whole() -> serde_json::Value {
    serde_json::to_value(Document::openapi()).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_document_names_every_path() {
        let document = whole();
        assert!(
            document["openapi"]
                .as_str()
                .is_some_and(|version| version.starts_with("3.1"))
        );
        let paths = document["paths"].as_object().expect("paths");
        assert_eq!(paths.len(), 13, "{:?}", paths.keys());
        assert!(document["components"]["schemas"]["Description"]["properties"]["seq"].is_object());
    }
}
