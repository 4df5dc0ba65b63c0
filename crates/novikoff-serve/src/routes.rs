//! The paths of the service, and what every request goes through first.

mod learn;
mod look;
mod manage;
pub mod openapi;
mod page;
mod predict;

use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Instant;

use axum::Router;
use axum::body::Body;
use axum::extract::{MatchedPath, Request, State};
use axum::http::{HeaderMap, HeaderName, HeaderValue, Method, Response, StatusCode, header};
use axum::middleware::{self, Next};
use axum::response::IntoResponse as _;
use axum::routing::{get, post};
use serde::Serialize;
use tokio::sync::SemaphorePermit;

use crate::app::App;
use crate::auth::Scope;
use crate::body_bytes::{BodyBytes, NoBytes};
use crate::handle::ModelHandle;
use crate::problem::Problem;

type Reply = Result<Response<Body>, Problem>;
type Shared = State<Arc<App>>;

/// All paths.
pub fn router(app: Arc<App>) -> Router {
    let model = "/v1/models/{name}";
    let below = |part: &str| format!("{model}/{part}");
    Router::new()
        .route("/v1/models", get(manage::list).post(manage::create))
        .route(model, get(manage::describe).delete(manage::delete))
        .route(&below("model"), get(manage::download).put(manage::upload))
        .route(&below("learn"), post(learn::learn))
        .route(&below("feedback"), post(learn::feedback))
        .route(&below("predict"), post(predict::predict))
        .route(&below("certificate"), get(look::certificate))
        .route(&below("events"), get(look::events))
        .route(&below("history"), get(look::history))
        .route(&below("mistakes"), get(look::mistakes))
        .route(&below("weights"), get(look::weights))
        .route("/metrics", get(look::metrics))
        .route("/healthz", get(|| async { "ok\n" }))
        .route("/readyz", get(look::ready))
        .route("/openapi.json", get(openapi::document))
        .method_not_allowed_fallback(|| async {
            Problem::new(405, "method")
                .detail("this path has other methods; /openapi.json lists them")
                .into_response()
        })
        .fallback(page::asset)
        .layer(middleware::from_fn_with_state(Arc::clone(&app), guarded))
        .with_state(app)
}

/// The scope that a request needs.
fn scope_of(method: &Method, path: &str) -> Scope {
    let Some(rest) = path.strip_prefix("/v1/") else {
        return if path == "/metrics" {
            Scope::Predict
        } else {
            Scope::Open
        };
    };
    let last = rest.rsplit('/').next().unwrap_or_default();
    match (method, last) {
        (&Method::POST, "learn" | "feedback") => Scope::Learn,
        (&Method::GET | &Method::HEAD, "model") if rest.matches('/').count() >= 2 => Scope::Admin,
        (&Method::GET | &Method::HEAD, _) | (&Method::POST, "predict") => Scope::Predict,
        _ => Scope::Admin,
    }
}

fn text_of(headers: &HeaderMap, name: HeaderName) -> Option<&str> {
    headers.get(name).and_then(|value| value.to_str().ok())
}

/// What every request goes through: whether it is meant for this server and allowed, how long it may take, and what is noted of it.
async fn guarded(State(app): Shared, request: Request, next: Next) -> Response<Body> {
    let begun = Instant::now();
    let method = request.method().clone();
    let route = request
        .extensions()
        .get::<MatchedPath>()
        .map_or("other", |path| path.as_str())
        .to_owned();
    let mut response = match admit(&app, &request) {
        Err(problem) => problem.into_response(),
        Ok(()) => match tokio::time::timeout(time_for(&route, &app), next.run(request)).await {
            Ok(response) => response,
            Err(_) => Problem::new(503, "too slow")
                .detail("the answer took too long")
                .retry_after(1)
                .into_response(),
        },
    };
    let seconds = begun.elapsed().as_secs_f64();
    let status = response.status().as_u16();
    metrics::histogram!("novikoff_http_request_seconds", "route" => route.clone()).record(seconds);
    metrics::counter!("novikoff_http_requests_total", "route" => route.clone(), "method" => method_name(&method), "status" => status.to_string()).increment(1);
    if status >= 500 {
        tracing::warn!(%method, route, status, seconds, "request");
    } else {
        tracing::debug!(%method, route, status, seconds, "request");
    }
    protect(response.headers_mut());
    response
}

/// A method for metrics, which keep every one that they are given: what clients make up is one.
fn method_name(method: &Method) -> &'static str {
    match *method {
        Method::GET => "GET",
        Method::HEAD => "HEAD",
        Method::POST => "POST",
        Method::PUT => "PUT",
        Method::DELETE => "DELETE",
        Method::OPTIONS => "OPTIONS",
        _ => "other",
    }
}

/// How long a request may take: its body, and its answer. A certificate may take longer than anything else.
fn time_for(route: &str, app: &App) -> std::time::Duration {
    let times = if route.ends_with("/certificate") {
        40
    } else {
        2
    };
    app.limits.time * times
}

fn admit(app: &App, request: &Request) -> Result<(), Problem> {
    let headers = request.headers();
    let host = text_of(headers, header::HOST).or(request
        .uri()
        .authority()
        .map(axum::http::uri::Authority::as_str));
    app.hosts.check(host, text_of(headers, header::ORIGIN))?;
    let needed = scope_of(request.method(), request.uri().path());
    if let Some(tokens) = app.tokens.load().as_ref() {
        let checked = tokens.check(text_of(headers, header::AUTHORIZATION), needed);
        if let Err(problem) = checked {
            if problem.status() == 401 && app.guesses.check().is_err() {
                return Err(Problem::new(429, "too many tokens")
                    .detail("too many requests with tokens that are not known")
                    .retry_after(1));
            }
            return Err(problem);
        }
    }
    if needed > Scope::Open
        && let Some(rate) = &app.rate
        && rate.check().is_err()
    {
        return Err(Problem::new(429, "too many requests")
            .detail("more requests than --rate allows; come again")
            .retry_after(1));
    }
    if app.stopping.load(Ordering::Relaxed) && needed > Scope::Predict {
        return Err(Problem::new(503, "stopping")
            .detail("the server stops")
            .retry_after(5));
    }
    Ok(())
}

/// The headers of every answer for browsers.
fn protect(headers: &mut HeaderMap) {
    const POLICY: &str = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; font-src 'self'; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";
    for (name, value) in [
        (header::CONTENT_SECURITY_POLICY, POLICY),
        (header::X_CONTENT_TYPE_OPTIONS, "nosniff"),
        (header::REFERRER_POLICY, "no-referrer"),
    ] {
        headers.insert(name, HeaderValue::from_static(value));
    }
    headers
        .entry(header::CACHE_CONTROL)
        .or_insert(HeaderValue::from_static("no-store"));
}

/// A body of at most the given number of bytes.
async fn bytes_of(body: Body, limit: usize, app: &App) -> Result<BodyBytes, Problem> {
    match tokio::time::timeout(app.limits.time, app.buffers.read(body, limit)).await {
        Err(_) => Err(Problem::new(408, "slow body").detail("the body did not arrive in time")),
        Ok(Ok(bytes)) => Ok(bytes),
        Ok(Err(NoBytes::TooMany)) => {
            Err(Problem::new(413, "body too large").detail(format!("the body has more than {limit} bytes; send less at a time, or raise --max-body of the server")))
        }
        Ok(Err(NoBytes::Broken)) => {
            Err(Problem::new(400, "broken body").detail("the body ended before its end"))
        }
    }
}

fn model(app: &App, name: &str) -> Result<Arc<ModelHandle>, Problem> {
    app.registry
        .get(name)
        .ok_or_else(|| Problem::no_model(name))
}

/// A reply in JSON.
fn json(status: StatusCode, value: &impl Serialize) -> Reply {
    json_with_room(status, value, 128)
}

/// A reply in JSON that is about as long.
fn json_with_room(status: StatusCode, value: &impl Serialize, room: usize) -> Reply {
    let mut body = Vec::with_capacity(room);
    serde_json::to_writer(&mut body, value)
        .map_err(|error| Problem::new(500, "reply").detail(error.to_string()))?;
    let mut response = Response::new(Body::from(body));
    *response.status_mut() = status;
    response.headers_mut().insert(
        header::CONTENT_TYPE,
        HeaderValue::from_static("application/json"),
    );
    Ok(response)
}

/// Bodies that are larger than this are read in a thread of their own, so that other requests do not wait.
const LARGE: usize = 64 << 10;

/// Room for the rows of a body, which is held until the request is answered. Small bodies need none.
async fn room(app: &App, bytes: usize) -> Result<Option<SemaphorePermit<'_>>, Problem> {
    if bytes <= LARGE {
        return Ok(None);
    }
    let taken = app.memory.take(bytes, app.limits.time).await;
    taken.map(Some).ok_or_else(|| {
        Problem::new(429, "too many large bodies")
            .detail("other large bodies are being worked on; come again, or start the server with a higher --request-memory")
            .retry_after(1)
    })
}

/// Work that may take long, beside the others if it does.
async fn worked<T: Send + 'static>(
    bytes: usize,
    work: impl FnOnce() -> T + Send + 'static,
) -> Result<T, Problem> {
    if bytes <= LARGE {
        return Ok(work());
    }
    tokio::task::spawn_blocking(work)
        .await
        .map_err(|_| Problem::new(500, "failed").detail("the request could not be worked on"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn scopes_of_paths() {
        for (method, path, scope) in [
            (Method::GET, "/", Scope::Open),
            (Method::GET, "/healthz", Scope::Open),
            (Method::GET, "/metrics", Scope::Predict),
            (Method::GET, "/v1/models", Scope::Predict),
            (Method::POST, "/v1/models", Scope::Admin),
            (Method::DELETE, "/v1/models/predict", Scope::Admin),
            (Method::GET, "/v1/models/model", Scope::Predict),
            (Method::GET, "/v1/models/spam/model", Scope::Admin),
            (Method::PUT, "/v1/models/spam/model", Scope::Admin),
            (Method::POST, "/v1/models/spam/predict", Scope::Predict),
            (Method::POST, "/v1/models/spam/learn", Scope::Learn),
            (Method::POST, "/v1/models/spam/feedback", Scope::Learn),
            (Method::GET, "/v1/models/spam/events", Scope::Predict),
        ] {
            assert_eq!(scope_of(&method, path), scope, "{method} {path}");
        }
    }
}
