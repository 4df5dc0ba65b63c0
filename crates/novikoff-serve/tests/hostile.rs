//! Requests that are meant to do harm: they cost what they are allowed to cost, and leave nothing behind.

use std::io::{ErrorKind, Read as _, Write as _};
use std::net::TcpStream;
use std::sync::Arc;
use std::time::{Duration, Instant};

use arrow_array::{ArrayRef, Float64Array, RecordBatch};
use arrow_ipc::CompressionType;
use arrow_ipc::writer::{IpcWriteOptions, StreamWriter};
use serde_json::json;

use crate::common::Server;

const ARROW: &str = "application/vnd.apache.arrow.stream";

fn stream(batches: &[RecordBatch], by: Option<CompressionType>) -> Vec<u8> {
    let options = IpcWriteOptions::default().try_with_compression(by).unwrap();
    let mut bytes = Vec::new();
    let schema = batches[0].schema();
    let mut writer = StreamWriter::try_new_with_options(&mut bytes, &schema, options).unwrap();
    for batch in batches {
        writer.write(batch).unwrap();
    }
    writer.finish().unwrap();
    drop(writer);
    bytes
}

#[test]
fn a_client_that_does_not_read_is_let_go() {
    let folder = tempfile::tempdir().unwrap();
    let server = Server::start(&folder.path().join("state"), &["--timeout", "1"]);
    let mut client = TcpStream::connect(server.address).unwrap();
    client
        .set_write_timeout(Some(Duration::from_secs(1)))
        .unwrap();
    // answers that nobody reads fill the buffers on the way; then the server takes no more requests
    let requests = b"GET /openapi.json HTTP/1.1\r\nhost: localhost\r\n\r\n".repeat(1000);
    let begun = Instant::now();
    let closed = loop {
        match client.write(&requests) {
            Ok(_) => {}
            Err(error) if error.kind() == ErrorKind::WouldBlock => {}
            Err(_) => break true,
        }
        if begun.elapsed() > Duration::from_secs(60) {
            break false;
        }
    };
    assert!(closed, "the connection is still there");
    assert_eq!(server.client().get("/healthz").status, 200);
}

#[test]
fn a_body_has_a_most_of_rows() {
    let folder = tempfile::tempdir().unwrap();
    let words = ["--model=m=perceptron", "--max-rows=3"];
    let server = Server::start(&folder.path().join("state"), &words);
    let mut client = server.client();
    let ones: ArrayRef = Arc::new(Float64Array::from(vec![1.0; 4]));
    let label: ArrayRef = Arc::new(Float64Array::from(vec![1.0, -1.0, 1.0, 1.0]));
    let batch = RecordBatch::try_from_iter([("x", ones), ("label", label)]).unwrap();
    let arrow = |rows: usize| stream(&[batch.slice(0, rows)], None);
    let json = |rows: usize| {
        let row = json!({"features": [1.0], "label": 1});
        json!({ "rows": vec![row; rows] }).to_string().into_bytes()
    };
    let lines = |line: &str, rows: usize| line.repeat(rows).into_bytes();
    for (kind, three, four) in [
        ("application/json", json(3), json(4)),
        (
            "application/x-ndjson",
            lines("{\"features\":[1],\"label\":1}\n", 3),
            lines("{\"features\":[1],\"label\":1}\n", 4),
        ),
        ("text/x-svmlight", lines("1 1:1\n", 3), lines("1 1:1\n", 4)),
        ("text/x-vw", lines("1 | 1\n", 3), lines("1 | 1\n", 4)),
        (ARROW, arrow(3), arrow(4)),
    ] {
        let learn = "/v1/models/m/learn";
        client.send("POST", learn, Some(kind), &three).expect(200);
        let refused = client.send("POST", learn, Some(kind), &four).expect(413);
        assert!(
            refused["detail"].as_str().unwrap().contains("rows"),
            "{kind}: {refused}"
        );
    }
    assert_eq!(client.get("/v1/models/m").expect(200)["rows"], 15);
}

#[test]
fn what_is_packed_in_a_body_counts_as_it_is_unpacked() {
    let folder = tempfile::tempdir().unwrap();
    let words = ["--model=m=perceptron", "--max-body=100000"];
    let server = Server::start(&folder.path().join("state"), &words);
    let mut client = server.client();
    let zeros = |rows: usize| -> ArrayRef { Arc::new(Float64Array::from(vec![1.0; rows])) };
    let batch =
        |rows| RecordBatch::try_from_iter([("a", zeros(rows)), ("label", zeros(rows))]).unwrap();
    for by in [CompressionType::ZSTD, CompressionType::LZ4_FRAME] {
        let small = stream(&[batch(1000)], Some(by));
        let learn = "/v1/models/m/learn";
        client.send("POST", learn, Some(ARROW), &small).expect(200);
        let large = stream(&[batch(50_000)], Some(by));
        assert!(large.len() < 20_000, "{}", large.len());
        client.send("POST", learn, Some(ARROW), &large).expect(413);
    }
    // batches cost something, however small they are
    let many = stream(&vec![batch(0); 1001], None);
    let reply = client.send("POST", "/v1/models/m/learn", Some(ARROW), &many);
    assert_eq!(reply.status, 413, "{}", reply.text());
    assert_eq!(client.get("/v1/models/m").expect(200)["rows"], 2000);
}

#[test]
fn sizes_that_an_arrow_stream_makes_up_are_not_made_room_for() {
    let folder = tempfile::tempdir().unwrap();
    let server = Server::start(&folder.path().join("state"), &["--model=m=perceptron"]);
    let mut client = server.client();
    let values: ArrayRef = Arc::new(Float64Array::from(vec![1.0, -1.0]));
    let columns = [("a", Arc::clone(&values)), ("label", values)];
    let batch = RecordBatch::try_from_iter(columns).unwrap();
    let bytes = stream(&[batch], Some(CompressionType::ZSTD));
    let mut answered = std::collections::BTreeMap::new();
    // every number of eight bytes becomes one that no machine has room for
    for at in (0..bytes.len().saturating_sub(8)).step_by(8) {
        let mut forged = bytes.clone();
        forged[at..at + 8].copy_from_slice(&(1_u64 << 46).to_le_bytes());
        let reply = client.send("POST", "/v1/models/m/predict", Some(ARROW), &forged);
        assert!(
            matches!(reply.status, 200 | 400 | 413),
            "{at}: {}",
            reply.text()
        );
        *answered.entry(reply.status).or_insert(0) += 1;
    }
    assert!(answered.get(&400).is_some_and(|&n| n > 10), "{answered:?}");
}

#[test]
fn methods_that_clients_make_up_are_one_in_the_metrics() {
    let folder = tempfile::tempdir().unwrap();
    let server = Server::start(&folder.path().join("state"), &["--model=m=perceptron"]);
    let mut client = server.client();
    for k in 0..50 {
        client.send(&format!("MADEUP{k}"), "/v1/models/m", None, b"");
    }
    let metrics = client.get("/metrics").text();
    assert!(metrics.contains("method=\"other\""), "{metrics}");
    assert!(!metrics.contains("MADEUP"), "{metrics}");
}

#[test]
fn long_names_are_not_kept_in_the_list_of_mistakes() {
    let folder = tempfile::tempdir().unwrap();
    let server = Server::start(&folder.path().join("state"), &["--model=m=perceptron"]);
    let mut client = server.client();
    for (k, label) in ["1", "-1", "1"].into_iter().enumerate() {
        let name = format!("{}{k}", "\u{e9}".repeat(300_000));
        let features = json!({name: 1, "all": 1});
        let row = json!({"features": features, "label": label});
        client
            .post("/v1/models/m/learn", &json!({"rows": [row]}))
            .expect(200);
    }
    let listed = client.get("/v1/models/m/mistakes");
    assert!(listed.body.len() < 20_000, "{}", listed.body.len());
    let listed = listed.expect(200);
    assert!(!listed["mistakes"].as_array().unwrap().is_empty());
}

#[test]
fn large_bodies_wait_for_each_other() {
    let folder = tempfile::tempdir().unwrap();
    // a body has all the room for itself
    let words = ["--model=m=perceptron", "--request-memory=1000000"];
    let server = Server::start(&folder.path().join("state"), &words);
    let text = "1 1:0.5 2:1 3:0.25\n-1 1:2 4:1\n".repeat(5000);
    std::thread::scope(|scope| {
        for _ in 0..8 {
            scope.spawn(|| {
                let mut client = server.client();
                for _ in 0..3 {
                    let kind = Some("text/x-svmlight");
                    client
                        .send("POST", "/v1/models/m/learn", kind, text.as_bytes())
                        .expect(200);
                }
            });
        }
    });
    let rows = server.client().get("/v1/models/m").expect(200)["rows"].clone();
    assert_eq!(rows, 8 * 3 * 10_000);
}

#[test]
fn bodies_that_end_early_or_never_leave_no_trace() {
    let folder = tempfile::tempdir().unwrap();
    let words = ["--model=m=perceptron", "--timeout", "1"];
    let server = Server::start(&folder.path().join("state"), &words);
    for body in ["{\"rows\":[{\"features\":[1],\"label\":1}]}", ""] {
        let mut stream = TcpStream::connect(server.address).unwrap();
        let head = "POST /v1/models/m/learn HTTP/1.1\r\nhost: localhost\r\ncontent-length: 1000";
        write!(stream, "{head}\r\n\r\n{body}").unwrap();
        stream.shutdown(std::net::Shutdown::Write).unwrap();
        let mut text = String::new();
        let _ = stream.read_to_string(&mut text);
        assert!(!text.starts_with("HTTP/1.1 200"), "{text}");
    }
    assert_eq!(server.client().get("/v1/models/m").expect(200)["rows"], 0);
}
