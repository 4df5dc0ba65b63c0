//! Labels: `learn` and `feedback`.

use std::sync::Arc;

use axum::body::Body;
use axum::extract::{Path, Query, State};
use axum::http::{HeaderMap, StatusCode, header};
use novikoff::label::RawLabel;
use novikoff_data::named_rows::NamedRows;

use super::{Reply, Shared, bytes_of, json, json_with_room, model, room, text_of, worked};
use crate::api::{FeedbackBody, LearnBody, Learned, ProblemBody};
use crate::body::{self, ContentType, RowParameters, label_of};
use crate::handle::{ModelHandle, Task, WriteError};
use crate::log::entry::LearnedEntry;
use crate::pending::decoded;
use crate::problem::Problem;
use crate::words::json_error;

/// What a reply takes per row, about.
const ROW_BYTES: usize = 36;

/// `POST /v1/models/{name}/learn`.
#[utoipa::path(post, path = "/v1/models/{name}/learn", params(("name" = String, Path), ("id" = Option<String>, Query)), request_body = LearnBody, responses((status = 200, body = Learned), (status = 400, body = ProblemBody), (status = 409, body = ProblemBody), (status = 422, body = ProblemBody), (status = 429, body = ProblemBody), (status = 507, body = ProblemBody)))]
pub(super) async fn learn(
    State(app): Shared,
    Path(name): Path<String>,
    query: Result<Query<RowParameters>, axum::extract::rejection::QueryRejection>,
    headers: HeaderMap,
    body: Body,
) -> Reply {
    let model = model(&app, &name)?;
    let Query(query) =
        query.map_err(|error| Problem::new(400, "query").detail(error.body_text()))?;
    let kind = ContentType::of(text_of(&headers, header::CONTENT_TYPE))?;
    let bytes = bytes_of(body, app.limits.body, &app).await?;
    let _room = room(&app, bytes.len()).await?;
    let (settings, columns) = (Arc::clone(&model.settings), model.columns.load_full());
    let (size, limits) = (bytes.len(), app.limits.of_rows());
    let read = move || {
        let (rows, parameters) = body::read(kind, &bytes, &settings, &columns, query, limits)?;
        let entry = LearnedEntry::new(parameters.id.as_deref(), &rows);
        Ok::<_, Problem>((rows, entry, parameters))
    };
    let (rows, entry, parameters) = worked(size, read).await??;
    if rows.is_empty() {
        return Err(Problem::new(422, "no rows").detail("the body has no rows to learn from"));
    }
    let room = 128 + ROW_BYTES * rows.len();
    let learned = submit(&model, parameters.id, Arc::new(rows), entry).await?;
    json_with_room(StatusCode::OK, &learned, room)
}

async fn submit(
    model: &ModelHandle,
    id: Option<String>,
    rows: Arc<NamedRows>,
    entry: LearnedEntry,
) -> Result<Learned, WriteError> {
    model
        .ask(|reply| Task::Learn {
            id,
            rows,
            entry,
            reply,
        })
        .await
}

/// `POST /v1/models/{name}/feedback`.
#[utoipa::path(post, path = "/v1/models/{name}/feedback", params(("name" = String, Path)), request_body = FeedbackBody, responses((status = 200, body = Learned), (status = 404, body = ProblemBody)))]
pub(super) async fn feedback(State(app): Shared, Path(name): Path<String>, body: Body) -> Reply {
    let model = model(&app, &name)?;
    let bytes = bytes_of(body, app.limits.body, &app).await?;
    let bad = |detail: String| Problem::new(400, "bad body").detail(detail);
    let FeedbackBody { id, label } =
        serde_json::from_slice(&bytes).map_err(|error| bad(json_error(&error)))?;
    let labels = label_of(&label).map_err(bad)?;
    let request = format!("feedback {id:.256}");
    let kept = model.pending().get(&id);
    let kept = kept.and_then(|(encoded, row)| Some((decoded(&encoded)?, row)));
    let Some((rows, row)) = kept else {
        // the label may have been learned, and the reply lost, before a restart
        let asked = request.clone();
        if let Some(seq) = model.ask(|reply| Task::Lookup { id: asked, reply }).await? {
            let sync = app.registry.sync();
            return json(
                StatusCode::OK,
                &Learned {
                    seq,
                    predictions: None,
                    repeated: true,
                    sync,
                },
            );
        }
        return Err(Problem::new(404, "no such prediction")
            .detail("this prediction is not known, or has expired; send its features to learn"));
    };
    let one = rows.row_with(
        row,
        labels.iter().map(|label| RawLabel::from(label.as_str())),
    );
    let entry = LearnedEntry::new(Some(&request), &one);
    let learned = submit(&model, Some(request), Arc::new(one), entry).await;
    let learned = learned.map_err(|error| match error {
        WriteError::IdTaken { seq } => Problem::new(409, "label").detail(format!(
            "this prediction has another label, learned with seq {seq}, and what was learned stays; send its features with the right label to learn"
        )),
        other => other.into(),
    })?;
    json(StatusCode::OK, &learned)
}
