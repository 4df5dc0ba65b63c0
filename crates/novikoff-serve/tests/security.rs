//! Safe by default: addresses, tokens, TLS, hosts and origins, paths.

use std::io::{Read as _, Write as _};
use std::net::TcpStream;
use std::sync::Arc;

use serde_json::json;
use tokio_rustls::rustls::pki_types::{CertificateDer, ServerName};
use tokio_rustls::rustls::{ClientConfig, ClientConnection, RootCertStore, StreamOwned};

use crate::common::{Client, Server};

const ADMIN: &str = "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa";
const LEARN: &str = "llllllllllllllllllllllllllllllllllllllll";
const PREDICT: &str = "pppppppppppppppppppppppppppppppppppppppp";

#[test]
fn other_addresses_need_tokens_and_tls() {
    let folder = tempfile::tempdir().unwrap();
    let dir = folder.path().join("state");
    let said = Server::try_start(&dir, &["--listen", "0.0.0.0:0"])
        .err()
        .expect("refused");
    assert!(
        said.contains("--tls-certificate") && said.contains("--insecure"),
        "{said}"
    );
    let tokens = folder.path().join("tokens");
    std::fs::write(&tokens, format!("admin {ADMIN}\n")).unwrap();
    let tokens = tokens.to_str().unwrap().to_owned();
    assert!(Server::try_start(&dir, &["--listen", "0.0.0.0:0", "--tokens", &tokens]).is_err());
    std::fs::write(folder.path().join("short"), "admin short\n").unwrap();
    let short = folder.path().join("short").to_str().unwrap().to_owned();
    let said = Server::try_start(&dir, &["--tokens", &short])
        .err()
        .expect("refused");
    assert!(said.contains("short:1") && said.contains("32"), "{said}");
}

#[test]
fn tokens_have_scopes_and_are_read_again() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("tokens");
    std::fs::write(
        &path,
        format!("admin {ADMIN}\nlearn {LEARN}\npredict {PREDICT}\n"),
    )
    .unwrap();
    let server = Server::start(
        &folder.path().join("state"),
        &[
            "--tokens",
            path.to_str().unwrap(),
            "--model",
            "m=perceptron",
            "--log-level",
            "debug",
        ],
    );
    let mut client = server.client();
    let learn = json!({"rows": [{"features": {"a": 1}, "label": 1}]});
    let statuses = |client: &mut Client| {
        [
            client.get("/v1/models").status,
            client
                .post("/v1/models/m/predict", &json!({"rows": []}))
                .status,
            client.post("/v1/models/m/learn", &learn).status,
            client.post("/v1/models", &json!({"name": "a/b"})).status,
            client.get("/v1/models/m/model").status,
            client.get("/metrics").status,
            client.get("/healthz").status,
            client.get("/").status,
        ]
    };
    assert_eq!(
        statuses(&mut client),
        [401, 401, 401, 401, 401, 401, 200, 200]
    );
    client.token = Some(PREDICT.to_owned());
    assert_eq!(
        statuses(&mut client),
        [200, 200, 403, 403, 403, 200, 200, 200]
    );
    client.token = Some(LEARN.to_owned());
    assert_eq!(
        statuses(&mut client),
        [200, 200, 200, 403, 403, 200, 200, 200]
    );
    client.token = Some(ADMIN.to_owned());
    assert_eq!(
        statuses(&mut client),
        [200, 200, 200, 422, 200, 200, 200, 200]
    );
    assert!(
        client
            .get("/metrics")
            .text()
            .contains("novikoff_learned_rows_total{model=\"m\"} 2")
    );
    // guesses are slowed down
    client.token = Some("x".repeat(40));
    assert!(
        (0..40)
            .map(|_| client.get("/v1/models").status)
            .any(|status| status == 429)
    );
    // a new file counts after SIGHUP, and a bad one does not
    std::fs::write(&path, format!("admin {LEARN}\n")).unwrap();
    server.signal("HUP");
    client.token = Some(LEARN.to_owned());
    wait(|| client.post("/v1/models", &json!({"name": "a/b"})).status == 422);
    std::fs::write(&path, "nonsense").unwrap();
    server.signal("HUP");
    wait(|| server.said().contains("stay as they were"));
    assert_eq!(client.get("/v1/models").status, 200);
    let said = server.said();
    for token in [ADMIN, LEARN, PREDICT] {
        assert!(!said.contains(token), "a token is in the log");
    }
}

fn wait(mut until: impl FnMut() -> bool) {
    for _ in 0..200 {
        if until() {
            return;
        }
        std::thread::sleep(std::time::Duration::from_millis(50));
    }
    panic!("it did not come to pass");
}

#[test]
fn tls_is_spoken_and_certificates_are_read_again() {
    let folder = tempfile::tempdir().unwrap();
    let (certificate, key) = (
        folder.path().join("cert.pem"),
        folder.path().join("key.pem"),
    );
    let write = || {
        let made = rcgen::generate_simple_self_signed(vec!["localhost".to_owned()]).unwrap();
        std::fs::write(&certificate, made.cert.pem()).unwrap();
        std::fs::write(&key, made.signing_key.serialize_pem()).unwrap();
        made.cert.der().clone()
    };
    let first = write();
    let words = [
        "--tls-certificate",
        certificate.to_str().unwrap(),
        "--tls-key",
        key.to_str().unwrap(),
    ];
    let server = Server::start(&folder.path().join("state"), &words);
    assert!(health(&server, &first).unwrap().starts_with("HTTP/1.1 200"));
    let second = write();
    server.signal("HUP");
    wait(|| health(&server, &second).is_ok());
    assert!(health(&server, &first).is_err());
    // without TLS there is no answer
    let mut stream = TcpStream::connect(server.address).unwrap();
    stream
        .write_all(b"GET /healthz HTTP/1.1\r\nhost: localhost\r\n\r\n")
        .unwrap();
    let mut text = Vec::new();
    let _ = stream.read_to_end(&mut text);
    assert!(!text.starts_with(b"HTTP"));
}

/// A request over TLS with a certificate that is trusted.
fn health(server: &Server, trusted: &CertificateDer<'static>) -> std::io::Result<String> {
    let mut roots = RootCertStore::empty();
    roots.add(trusted.clone()).unwrap();
    let provider = Arc::new(tokio_rustls::rustls::crypto::ring::default_provider());
    let config = ClientConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()
        .unwrap();
    let config = config.with_root_certificates(roots).with_no_client_auth();
    let name = ServerName::try_from("localhost").unwrap();
    let connection = ClientConnection::new(Arc::new(config), name).unwrap();
    let mut stream = StreamOwned::new(connection, TcpStream::connect(server.address)?);
    stream.write_all(b"GET /healthz HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\n\r\n")?;
    let mut text = Vec::new();
    let read = stream.read_to_end(&mut text);
    if text.is_empty() {
        read?;
    }
    Ok(String::from_utf8_lossy(&text).into_owned())
}

#[test]
fn requests_of_other_sites_are_refused() {
    let folder = tempfile::tempdir().unwrap();
    let server = Server::start(
        &folder.path().join("state"),
        &["--host", "spam.example", "--model", "m=perceptron"],
    );
    let mut client = server.client();
    let mut with = |headers: &[(&str, &str)]| {
        client
            .request("GET", "/v1/models", headers, b"")
            .unwrap()
            .status
    };
    assert_eq!(with(&[]), 200);
    assert_eq!(with(&[("host", "localhost:8610")]), 200);
    assert_eq!(with(&[("host", "spam.example")]), 200);
    assert_eq!(with(&[("host", "evil.example")]), 403);
    assert_eq!(with(&[("origin", "http://evil.example")]), 403);
    assert_eq!(
        with(&[("host", "localhost:1"), ("origin", "http://localhost:1")]),
        200
    );
    let page = server.client().get("/");
    assert_eq!(page.status, 200);
    let policy = page.header("content-security-policy").unwrap();
    assert!(policy.contains("default-src 'none'") && policy.contains("frame-ancestors 'none'"));
    assert_eq!(page.header("x-content-type-options"), Some("nosniff"));
}

#[test]
fn no_path_reaches_the_file_system() {
    let folder = tempfile::tempdir().unwrap();
    let dir = folder.path().join("state");
    let server = Server::start(&dir, &["--model", "m=perceptron"]);
    std::fs::write(dir.join("secret"), "secret").unwrap();
    let mut client = server.client();
    for path in [
        "/../secret",
        "/..%2fsecret",
        "/%2e%2e/secret",
        "/v1/models/..",
        "/v1/models/..%2f..%2fsecret",
        "/v1/models/%2e%2e",
        "/v1/models/m%00",
        "/v1/models/%2e",
        "//etc/passwd",
        "/etc/passwd",
        "/v1/models/m/../../secret",
        "/.keep/../../Cargo.toml",
        "/index.html/../x",
        "/v1/models/%ff",
    ] {
        let reply = client.send("GET", path, None, b"");
        assert!(
            matches!(reply.status, 400 | 404),
            "{path}: {} {}",
            reply.status,
            reply.text()
        );
        assert!(
            !reply.text().contains("secret\n") && !reply.text().contains("root:"),
            "{path}"
        );
        let reply = client.send("DELETE", path, None, b"");
        assert!(
            matches!(reply.status, 400 | 404 | 405),
            "{path}: {}",
            reply.status
        );
    }
    assert!(dir.join("secret").exists());
    assert_eq!(client.get("/v1/models/m").status, 200);
}
