//! The page at `/`: files that are part of the binary. No request reaches the file system.

use std::fmt::Write as _;

use axum::body::Body;
use axum::extract::State;
use axum::http::{HeaderValue, Method, Response, Uri, header};
use rust_embed::RustEmbed;

use super::{Reply, Shared};
use crate::problem::Problem;

#[derive(RustEmbed)]
#[folder = "page/dist/"]
struct Assets;

/// The type of a file by its name.
fn type_of(name: &str) -> &'static str {
    match name.rsplit('.').next() {
        Some("html") => "text/html; charset=utf-8",
        Some("js" | "mjs") => "text/javascript; charset=utf-8",
        Some("css") => "text/css; charset=utf-8",
        Some("json" | "map") => "application/json",
        Some("svg") => "image/svg+xml",
        Some("png") => "image/png",
        Some("ico") => "image/x-icon",
        Some("woff2") => "font/woff2",
        _ => "application/octet-stream",
    }
}

/// Any other path: a file of the page, or nothing.
pub(super) async fn asset(State(app): Shared, method: Method, uri: Uri) -> Reply {
    let path = uri.path().trim_start_matches('/');
    let name = if path.is_empty() { "index.html" } else { path };
    let found = (method == Method::GET || method == Method::HEAD)
        .then(|| Assets::get(name))
        .flatten();
    let (kind, body) = match found {
        Some(file) => (type_of(name), Body::from(file.data.into_owned())),
        None if name == "index.html" => (type_of(name), Body::from(list(&app))),
        None => {
            return Err(Problem::new(404, "no such path")
                .detail("there is nothing at this path; /openapi.json lists the paths"));
        }
    };
    let mut response = Response::new(body);
    response
        .headers_mut()
        .insert(header::CONTENT_TYPE, HeaderValue::from_static(kind));
    Ok(response)
}

/// A list of the models, where no page is built in. Names have no characters that HTML takes for its own; specs may.
fn list(app: &crate::app::App) -> String {
    let escaped = |text: &str| {
        text.replace('&', "&amp;")
            .replace('<', "&lt;")
            .replace('>', "&gt;")
    };
    let mut page = String::from(
        "<!doctype html><html lang=\"en\"><meta charset=\"utf-8\"><title>novikoff</title><h1>novikoff</h1>\
         <p>This binary was built without its page. The service is described at <a href=\"/openapi.json\">/openapi.json</a>.</p>\
         <table><tr><th>model<th>spec<th>rows<th>mistakes</tr>",
    );
    // models are shown to those who need no token
    let models = if app.tokens.load().is_none() {
        app.registry.list()
    } else {
        Vec::new()
    };
    for model in models {
        let about = model.with_status(|status| status.description(&model.name, Vec::new()));
        // writing to a String cannot fail
        let _ = write!(
            page,
            "<tr><td><a href=\"/v1/models/{0}\">{0}</a><td>{1}<td>{2}<td>{3}</tr>",
            about.name,
            escaped(&about.spec),
            about.rows,
            about.mistakes
        );
    }
    page.push_str("</table></html>\n");
    page
}
