//! Limits: time, size, number, and an end that lets requests finish.

use std::io::{Read as _, Write as _};
use std::net::TcpStream;
use std::time::{Duration, Instant};

use serde_json::json;

use crate::common::{Client, Server};

/// Sends bytes, and gives what comes back until the server closes the connection, and how long that took.
fn raw(server: &Server, bytes: &[u8]) -> (String, Duration) {
    let mut stream = TcpStream::connect(server.address).unwrap();
    stream
        .set_read_timeout(Some(Duration::from_secs(20)))
        .unwrap();
    let begun = Instant::now();
    stream.write_all(bytes).unwrap();
    let mut text = Vec::new();
    let _ = stream.read_to_end(&mut text);
    (String::from_utf8_lossy(&text).into_owned(), begun.elapsed())
}

#[test]
fn slow_clients_are_let_go() {
    let folder = tempfile::tempdir().unwrap();
    let words = [
        "--header-timeout",
        "1",
        "--timeout",
        "1",
        "--model",
        "m=perceptron",
    ];
    let server = Server::start(&folder.path().join("state"), &words);
    for bytes in [&b""[..], b"GET / HTTP/1.1\r\nhost: loc"] {
        let (_, time) = raw(&server, bytes);
        assert!(time < Duration::from_secs(8), "{time:?}");
    }
    let (text, time) = raw(
        &server,
        b"POST /v1/models/m/learn HTTP/1.1\r\nhost: localhost\r\ncontent-length: 100\r\n\r\n{",
    );
    assert!(
        text.starts_with("HTTP/1.1 408") && time < Duration::from_secs(8),
        "{time:?}: {text}"
    );
    // others are answered meanwhile
    let mut slow: Vec<TcpStream> = (0..100)
        .map(|_| TcpStream::connect(server.address).unwrap())
        .collect();
    slow.iter_mut()
        .for_each(|stream| stream.write_all(b"GET / HTTP/1.1\r\n").unwrap());
    let begun = Instant::now();
    assert_eq!(server.client().get("/healthz").status, 200);
    assert!(begun.elapsed() < Duration::from_secs(5));
}

/// The answer to a request on a connection that is kept; none if the server has closed it.
fn answer(stream: &mut TcpStream) -> Option<String> {
    let mut text = Vec::new();
    let mut bytes = [0; 4096];
    while !text.ends_with(b"ok\n") {
        match stream.read(&mut bytes) {
            Ok(0) | Err(_) => return None,
            Ok(n) => text.extend_from_slice(&bytes[..n]),
        }
    }
    Some(String::from_utf8_lossy(&text).into_owned())
}

#[test]
fn a_connection_may_be_idle_for_longer_than_headers_may_take() {
    let folder = tempfile::tempdir().unwrap();
    let words = ["--header-timeout", "1"];
    let server = Server::start(&folder.path().join("state"), &words);
    let mut stream = TcpStream::connect(server.address).unwrap();
    stream
        .set_read_timeout(Some(Duration::from_secs(40)))
        .unwrap();
    let request = b"GET /healthz HTTP/1.1\r\nhost: localhost\r\n\r\n";
    for _ in 0..2 {
        stream.write_all(request).unwrap();
        assert!(answer(&mut stream).is_some_and(|text| text.starts_with("HTTP/1.1 200")));
        std::thread::sleep(Duration::from_millis(2500));
    }
    // headers that have begun have their own time: the connection ends long before an idle one would
    stream.write_all(&request[..20]).unwrap();
    let begun = Instant::now();
    assert_eq!(answer(&mut stream), None);
    assert!(begun.elapsed() < Duration::from_secs(30));
    // and an idle one ends too
    let words = ["--header-timeout", "1", "--idle-timeout", "2"];
    let server = Server::start(&folder.path().join("other"), &words);
    let mut stream = TcpStream::connect(server.address).unwrap();
    stream
        .set_read_timeout(Some(Duration::from_secs(40)))
        .unwrap();
    stream.write_all(request).unwrap();
    assert!(answer(&mut stream).is_some());
    let begun = Instant::now();
    assert_eq!(answer(&mut stream), None);
    assert!(begun.elapsed() < Duration::from_secs(30));
}

#[test]
fn headers_and_connections_are_bounded() {
    let folder = tempfile::tempdir().unwrap();
    let server = Server::start(
        &folder.path().join("state"),
        &["--connections", "4", "--header-timeout", "1"],
    );
    // 64 kB of headers, to the byte
    for (size, status) in [(64 << 10, "200"), ((64 << 10) + 1, "431"), (300_000, "431")] {
        let rest = "GET /healthz HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\nx: \r\n\r\n";
        let long = format!(
            "GET /healthz HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\nx: {}\r\n\r\n",
            "y".repeat(size - rest.len())
        );
        let (text, _) = raw(&server, long.as_bytes());
        let is_cut = size > 100_000 && text.is_empty(); // closed while it was still being sent
        assert!(
            text.starts_with(&format!("HTTP/1.1 {status}")) || is_cut,
            "{size}: {text}"
        );
    }
    // a fifth connection waits until there is room, and is answered then
    let idle: Vec<TcpStream> = (0..4)
        .map(|_| TcpStream::connect(server.address).unwrap())
        .collect();
    let begun = Instant::now();
    assert_eq!(server.client().get("/healthz").status, 200);
    assert!(begun.elapsed() < Duration::from_secs(10));
    drop(idle);
}

#[test]
fn a_full_queue_is_429() {
    let folder = tempfile::tempdir().unwrap();
    let server = Server::start(
        &folder.path().join("state"),
        &["--queue", "1", "--model", "m=perceptron"],
    );
    let mut rows = String::new();
    for k in 0..20_000 {
        rows += &format!(
            "{} {}:1 {}:1\n",
            if k % 2 == 0 { 1 } else { -1 },
            k % 97 + 1,
            k % 89 + 100
        );
    }
    let threads: Vec<_> = (0..8)
        .map(|_| {
            let (address, rows) = (server.address, rows.clone());
            std::thread::spawn(move || {
                let replies = (0..10).map(|_| {
                    Client::new(address).send(
                        "POST",
                        "/v1/models/m/learn",
                        Some("text/x-svmlight"),
                        rows.as_bytes(),
                    )
                });
                replies
                    .map(|reply| (reply.status, reply.header("retry-after").is_some()))
                    .collect::<Vec<_>>()
            })
        })
        .collect();
    let replies: Vec<(u16, bool)> = threads
        .into_iter()
        .flat_map(|thread| thread.join().unwrap())
        .collect();
    let learned = replies.iter().filter(|(status, _)| *status == 200).count() as u64;
    assert!(
        replies
            .iter()
            .all(|reply| matches!(reply, (200, _) | (429, true))),
        "{replies:?}"
    );
    assert!(replies.contains(&(429, true)), "{replies:?}");
    assert_eq!(
        server.client().get("/v1/models/m").expect(200)["seq"],
        20_000 * learned
    );
}

#[test]
fn a_rate_may_be_set() {
    let folder = tempfile::tempdir().unwrap();
    let server = Server::start(&folder.path().join("state"), &["--rate", "5"]);
    let mut client = server.client();
    let statuses: Vec<u16> = (0..30).map(|_| client.get("/v1/models").status).collect();
    assert!(
        statuses.contains(&429) && statuses[0] == 200,
        "{statuses:?}"
    );
    assert_eq!(client.get("/healthz").status, 200);
}

#[test]
fn models_stay_within_their_memory() {
    let folder = tempfile::tempdir().unwrap();
    let words = [
        "--model-memory",
        "2000000",
        "--max-features",
        "1000000",
        "--model",
        "m=perceptron",
        "--model",
        "k=perceptron",
        "--max-models",
        "2",
    ];
    let server = Server::start(&folder.path().join("state"), &words);
    let mut client = server.client();
    let learn = "/v1/models/m/learn";
    client
        .post(
            learn,
            &json!({"rows": [{"features": [[1, 1]], "label": 1}]}),
        )
        .expect(200);
    let problem = client
        .post(
            learn,
            &json!({"rows": [{"features": [[900_000, 1]], "label": -1}]}),
        )
        .expect(422);
    assert!(
        problem["detail"].as_str().unwrap().contains("memory"),
        "{problem}"
    );
    client
        .post(
            learn,
            &json!({"rows": [{"features": [[1_000_001, 1]], "label": 1}]}),
        )
        .expect(422);
    client
        .post(
            learn,
            &json!({"rows": [{"features": [[2, 1]], "label": 1}]}),
        )
        .expect(200);
    assert_eq!(client.get("/v1/models/m").expect(200)["features"], 2);
    // names take memory too
    let mut refused = None;
    for part in 0..200 {
        let rows: Vec<_> = (0..200).map(|k| json!({"features": {format!("a-long-name-of-a-feature-{part}-{k}"): 1}, "label": 1})).collect();
        let reply = client.post("/v1/models/k/learn", &json!({"rows": rows}));
        if reply.status != 200 {
            refused = Some(reply.expect(422));
            break;
        }
    }
    assert!(refused.is_some());
    client
        .post("/v1/models", &json!({"name": "third"}))
        .expect(409);
}

#[test]
fn requests_finish_when_the_server_stops() {
    let folder = tempfile::tempdir().unwrap();
    let server = Server::start(&folder.path().join("state"), &["--model", "m=perceptron"]);
    let body = json!({"rows": [{"features": {"a": 1}, "label": "x"}]}).to_string();
    let mut stream = TcpStream::connect(server.address).unwrap();
    write!(
        stream,
        "POST /v1/models/m/learn HTTP/1.1\r\nhost: localhost\r\ncontent-length: {}\r\n\r\n",
        body.len()
    )
    .unwrap();
    std::thread::sleep(Duration::from_millis(200));
    server.signal("TERM");
    std::thread::sleep(Duration::from_millis(300));
    stream.write_all(body.as_bytes()).unwrap();
    let mut text = String::new();
    stream.read_to_string(&mut text).unwrap();
    assert!(
        text.starts_with("HTTP/1.1 200") && text.contains("\"seq\":1"),
        "{text}"
    );
    let mut server = server;
    assert_eq!(server.exit_code(), Some(0));
}

#[test]
fn a_second_signal_ends_at_once() {
    let folder = tempfile::tempdir().unwrap();
    let mut server = Server::start(&folder.path().join("state"), &["--drain", "30"]);
    let mut stream = TcpStream::connect(server.address).unwrap();
    stream
        .write_all(b"POST /v1/models HTTP/1.1\r\nhost: localhost\r\ncontent-length: 10\r\n\r\n")
        .unwrap();
    std::thread::sleep(Duration::from_millis(200));
    let begun = Instant::now();
    server.signal("TERM");
    std::thread::sleep(Duration::from_millis(200));
    server.signal("TERM");
    let _ = server.exit_code();
    assert!(
        begun.elapsed() < Duration::from_secs(10),
        "{:?}",
        begun.elapsed()
    );
}
