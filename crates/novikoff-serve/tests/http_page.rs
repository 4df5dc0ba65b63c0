//! The page of the book on requests and replies is made of the service's OpenAPI document.

use std::fmt::Write as _;

use serde_json::{Map, Value};

const PAGE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/reference/http.md");

/// A text as the cell of a table.
fn cell(value: &Value) -> String {
    let text = value.as_str().unwrap_or_default();
    let text = text.split_whitespace().collect::<Vec<_>>().join(" ");
    text.replace('|', "\\|")
}

fn entries(value: &Value) -> impl Iterator<Item = (&String, &Value)> {
    value.as_object().into_iter().flat_map(Map::iter)
}

/// A schema in a few words.
fn kind(schema: &Value) -> String {
    if let Some(name) = schema["$ref"].as_str() {
        let name = name.rsplit('/').next().unwrap_or_default();
        return format!("[{name}](#{})", name.to_lowercase());
    }
    for key in ["oneOf", "anyOf", "allOf"] {
        if let Some(parts) = schema[key].as_array() {
            return parts.iter().map(kind).collect::<Vec<_>>().join(" or ");
        }
    }
    let word = |word: &Value| match word.as_str().unwrap_or("any") {
        "array" => format!("list of {}", kind(&schema["items"])),
        "object" if schema["additionalProperties"].is_object() => {
            format!("object of {}", kind(&schema["additionalProperties"]))
        }
        other => other.to_owned(),
    };
    match schema["type"].as_array() {
        Some(words) => words.iter().map(word).collect::<Vec<_>>().join(" or "),
        None => word(&schema["type"]),
    }
}

fn request(page: &mut String, method: &str, path: &str, operation: &Value) {
    let _ = writeln!(page, "\n### {} {path}\n", method.to_uppercase());
    for key in ["summary", "description"] {
        if let Some(text) = operation[key].as_str() {
            let _ = writeln!(page, "{text}\n");
        }
    }
    if let Some(parameters) = operation["parameters"].as_array() {
        page.push_str("| parameter | in | type | meaning |\n| --- | --- | --- | --- |\n");
        for p in parameters {
            let name = p["name"].as_str().unwrap_or_default();
            let place = p["in"].as_str().unwrap_or_default();
            let (kind, meaning) = (kind(&p["schema"]), cell(&p["description"]));
            let _ = writeln!(page, "| `{name}` | {place} | {kind} | {meaning} |");
        }
        page.push('\n');
    }
    for (content, body) in entries(&operation["requestBody"]["content"]) {
        let _ = writeln!(page, "Body: `{content}`, {}.\n", kind(&body["schema"]));
    }
    page.push_str("| status | reply | meaning |\n| --- | --- | --- |\n");
    for (status, reply) in entries(&operation["responses"]) {
        let bodies = entries(&reply["content"])
            .map(|(content, body)| format!("`{content}`, {}", kind(&body["schema"])));
        let bodies = bodies.collect::<Vec<_>>().join("; ");
        let _ = writeln!(
            page,
            "| {status} | {bodies} | {} |",
            cell(&reply["description"])
        );
    }
}

fn schema(page: &mut String, name: &str, schema: &Value) {
    let _ = writeln!(page, "\n### {name}\n");
    if let Some(text) = schema["description"].as_str() {
        let _ = writeln!(page, "{text}\n");
    }
    if !schema["properties"].is_object() {
        let _ = writeln!(page, "{}", kind(schema));
        return;
    }
    let required: Vec<&str> = schema["required"]
        .as_array()
        .map(|names| names.iter().filter_map(Value::as_str).collect())
        .unwrap_or_default();
    page.push_str("| key | type | always | meaning |\n| --- | --- | --- | --- |\n");
    for (key, of) in entries(&schema["properties"]) {
        let always = if required.contains(&key.as_str()) {
            "yes"
        } else {
            ""
        };
        let (kind, meaning) = (kind(of), cell(&of["description"]));
        let _ = writeln!(page, "| `{key}` | {kind} | {always} | {meaning} |");
    }
}

/// The page of the book is made of the document. `NOVIKOFF_BLESS=1` writes it.
#[test]
fn the_page_of_requests_is_that_of_the_document() {
    let document = novikoff_serve::routes::openapi::whole();
    let mut page = "# HTTP\n\nAll requests and replies of the service, from its OpenAPI document (`GET /openapi.json`). \
        [service.md](../service.md) has an example of each. Errors are `application/problem+json`.\n\n## Requests\n"
        .to_owned();
    for (path, methods) in entries(&document["paths"]) {
        for (method, operation) in entries(methods) {
            request(&mut page, method, path, operation);
        }
    }
    page.push_str("\n## Bodies\n");
    for (name, of) in entries(&document["components"]["schemas"]) {
        schema(&mut page, name, of);
    }
    if std::env::var_os("NOVIKOFF_BLESS").is_some() {
        std::fs::write(PAGE, &page).expect("the page is written");
    }
    let kept = std::fs::read_to_string(PAGE).expect("the page");
    assert!(
        kept == page,
        "docs/reference/http.md is not that of the document: NOVIKOFF_BLESS=1 cargo test --workspace --test all http_page"
    );
}
