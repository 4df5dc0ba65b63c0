//! Models: made, listed, described, deleted, downloaded and uploaded.

use axum::body::Body;
use axum::extract::{Path, State};
use axum::http::{HeaderValue, Response, StatusCode, header};

use super::{Reply, Shared, bytes_of, json, model};
use crate::api::{CreateModel, Description, ModelList, ProblemBody};
use crate::handle::Task;
use crate::problem::Problem;
use crate::settings::DEFAULT_SPEC;
use crate::words::json_error;

/// `GET /v1/models`.
#[utoipa::path(get, path = "/v1/models", responses((status = 200, body = ModelList)))]
pub(super) async fn list(State(app): Shared) -> Reply {
    let mut models = Vec::new();
    for model in app.registry.list() {
        models.push(model.description().await);
    }
    json(StatusCode::OK, &ModelList { models })
}

/// `POST /v1/models`.
#[utoipa::path(post, path = "/v1/models", request_body = CreateModel, responses((status = 201, body = Description), (status = 409, body = ProblemBody), (status = 422, body = ProblemBody)))]
pub(super) async fn create(State(app): Shared, body: Body) -> Reply {
    let bytes = bytes_of(body, app.limits.body, &app).await?;
    let create: CreateModel = serde_json::from_slice(&bytes)
        .map_err(|error| Problem::new(422, "spec or option").detail(json_error(&error)))?;
    let spec = create.spec.unwrap_or_else(|| DEFAULT_SPEC.to_owned());
    let made = tokio::task::spawn_blocking(move || {
        let settings = app.registry.settings(spec, create.options);
        app.registry.create(&create.name, settings)
    });
    let model = made.await.map_err(|_| Problem::new(500, "failed"))??;
    tracing::info!(
        model = model.name,
        spec = model.settings.given.spec,
        "model made"
    );
    json(StatusCode::CREATED, &model.description().await)
}

/// `GET /v1/models/{name}`.
#[utoipa::path(get, path = "/v1/models/{name}", params(("name" = String, Path)), responses((status = 200, body = Description), (status = 404, body = ProblemBody)))]
pub(super) async fn describe(State(app): Shared, Path(name): Path<String>) -> Reply {
    let model = model(&app, &name)?;
    json(StatusCode::OK, &model.description().await)
}

/// `DELETE /v1/models/{name}`.
#[utoipa::path(delete, path = "/v1/models/{name}", params(("name" = String, Path)), responses((status = 204), (status = 404, body = ProblemBody)))]
pub(super) async fn delete(State(app): Shared, Path(name): Path<String>) -> Reply {
    if !app.registry.remove(&name).await? {
        return Err(Problem::no_model(&name));
    }
    app.certificates.forget(&name);
    tracing::info!(model = name, "model deleted");
    let mut response = Response::new(Body::empty());
    *response.status_mut() = StatusCode::NO_CONTENT;
    Ok(response)
}

/// `GET /v1/models/{name}/model`: the model file.
#[utoipa::path(get, path = "/v1/models/{name}/model", params(("name" = String, Path)), responses((status = 200, content_type = "application/octet-stream"), (status = 409, body = ProblemBody)))]
pub(super) async fn download(State(app): Shared, Path(name): Path<String>) -> Reply {
    let model = model(&app, &name)?;
    let published = model
        .at_least(0)
        .await
        .ok_or_else(|| Problem::new(503, "stopping").retry_after(1))?;
    let Some(snapshot) = published.model.clone() else {
        return Err(Problem::new(409, "nothing learned")
            .detail("the model has learned nothing yet, so there is no file"));
    };
    let bytes =
        tokio::task::spawn_blocking(move || novikoff_data::model::to_bytes(&snapshot)).await;
    let bytes = bytes.map_err(|_| Problem::new(500, "failed"))?;
    let bytes = bytes.map_err(|error| Problem::new(500, "failed").detail(error.to_string()))?;
    let mut response = Response::new(Body::from(bytes));
    let headers = response.headers_mut();
    headers.insert(
        header::CONTENT_TYPE,
        HeaderValue::from_static("application/octet-stream"),
    );
    headers.insert("novikoff-seq", published.seq.into());
    // a checked name: nothing in it needs quotes
    if let Ok(name) = HeaderValue::from_str(&format!("attachment; filename=\"{name}.model\"")) {
        headers.insert(header::CONTENT_DISPOSITION, name);
    }
    Ok(response)
}

/// `PUT /v1/models/{name}/model`.
#[utoipa::path(put, path = "/v1/models/{name}/model", params(("name" = String, Path)), responses((status = 200, body = Description), (status = 422, body = ProblemBody)))]
pub(super) async fn upload(State(app): Shared, Path(name): Path<String>, body: Body) -> Reply {
    let model = model(&app, &name)?;
    let bytes = bytes_of(body, app.limits.model, &app).await?.to_vec();
    model.ask(|reply| Task::Upload { bytes, reply }).await?;
    app.certificates.forget(&name);
    tracing::info!(model = name, "model uploaded");
    json(StatusCode::OK, &model.description().await)
}
