//! Errors as `application/problem+json`.

use axum::body::Body;
use axum::http::{HeaderValue, Response, StatusCode, header};
use axum::response::IntoResponse;

use crate::api::ProblemBody;
use crate::handle::WriteError;
use crate::registry::RegistryError;

/// An error of a request.
#[derive(Clone, Debug, PartialEq)]
pub struct Problem {
    body: ProblemBody,
    /// Seconds after which the client may come again.
    retry_after: Option<u32>,
}

impl Problem {
    /// An error of a status, and of what kind it is.
    pub fn new(status: u16, title: &str) -> Self {
        let body = ProblemBody {
            status,
            title: title.to_owned(),
            detail: title.to_owned(),
            row: None,
        };
        Problem {
            body,
            retry_after: None,
        }
    }

    /// What is wrong, what is allowed and what to do.
    #[must_use]
    pub fn detail(mut self, detail: impl Into<String>) -> Self {
        self.body.detail = detail.into();
        self
    }

    /// The row at fault.
    #[must_use]
    pub fn row(mut self, row: u64) -> Self {
        self.body.row = Some(row);
        self
    }

    /// The client may come again.
    #[must_use]
    pub fn retry_after(mut self, seconds: u32) -> Self {
        self.retry_after = Some(seconds);
        self
    }

    /// No such model.
    pub fn no_model(name: &str) -> Self {
        Problem::new(404, "no such model").detail(format!(
            "there is no model {name:.80}; GET /v1/models lists them"
        ))
    }

    /// The status.
    pub fn status(&self) -> u16 {
        self.body.status
    }
}

impl From<WriteError> for Problem {
    fn from(error: WriteError) -> Self {
        match error {
            WriteError::Refused { row, detail } => {
                let problem = Problem::new(422, "refused").detail(detail);
                match row {
                    Some(row) => problem.row(row as u64),
                    None => problem,
                }
            }
            WriteError::IdTaken { seq } => Problem::new(409, "request id").detail(format!(
                "this id was used for other rows, learned with seq {seq}; give every request an id of its own"
            )),
            WriteError::Full(detail) => Problem::new(507, "disk full").detail(detail).retry_after(5),
            WriteError::Failed(detail) => Problem::new(503, "log failed").detail(detail),
            WriteError::Busy => Problem::new(429, "too many requests")
                .detail("too many requests wait for this model; come again, or send more rows per request")
                .retry_after(1),
            WriteError::Stopped => Problem::new(503, "stopping").detail("the server stops, or the model was deleted").retry_after(5),
        }
    }
}

impl From<RegistryError> for Problem {
    fn from(error: RegistryError) -> Self {
        let (status, title) = match &error {
            RegistryError::Name(_) => (422, "name"),
            RegistryError::Exists(_) => (409, "name"),
            RegistryError::TooMany(_) => (409, "too many models"),
            RegistryError::Settings(_) => (422, "spec or option"),
            RegistryError::Full(_) => (507, "disk full"),
            RegistryError::Failed(_) => (500, "directory"),
        };
        Problem::new(status, title).detail(error.to_string())
    }
}

impl IntoResponse for Problem {
    fn into_response(self) -> Response<Body> {
        // a text and numbers always become JSON
        let json = serde_json::to_vec(&self.body).unwrap_or_default();
        let mut response = Response::new(Body::from(json));
        *response.status_mut() =
            StatusCode::from_u16(self.body.status).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
        let headers = response.headers_mut();
        headers.insert(
            header::CONTENT_TYPE,
            HeaderValue::from_static("application/problem+json"),
        );
        if let Some(seconds) = self.retry_after {
            headers.insert(header::RETRY_AFTER, seconds.into());
        }
        if self.body.status == 401 {
            headers.insert(header::WWW_AUTHENTICATE, HeaderValue::from_static("Bearer"));
        }
        response
    }
}
