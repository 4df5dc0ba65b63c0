//! A server of the real binary, and a small client.

use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::{SocketAddr, TcpStream};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use serde_json::Value;

/// The binary.
pub(crate) const BINARY: &str = env!("CARGO_BIN_EXE_novikoff-serve");

/// A server that ends with the test.
pub(crate) struct Server {
    pub(crate) child: Child,
    pub(crate) address: SocketAddr,
    /// What it says on stderr goes here.
    pub(crate) log: PathBuf,
}

impl Server {
    /// Starts one on a free port of the loopback address, and waits until it listens.
    pub(crate) fn start(dir: &Path, words: &[&str]) -> Self {
        Self::try_start(dir, words)
            .unwrap_or_else(|what| panic!("the server did not start: {what}"))
    }

    pub(crate) fn command(dir: &Path, words: &[&str]) -> Command {
        let mut command = Command::new(BINARY);
        command.arg("serve").arg("--dir").arg(dir);
        if !words.contains(&"--listen") {
            command.args(["--listen", "127.0.0.1:0"]);
        }
        command.args(words);
        command
    }

    /// Starts one, or gives what it said before it ended.
    pub(crate) fn try_start(dir: &Path, words: &[&str]) -> Result<Self, String> {
        Self::spawn(Self::command(dir, words))
    }

    /// Waits until a server listens.
    pub(crate) fn spawn(mut command: Command) -> Result<Self, String> {
        let unique = format!("{}-{:?}.stderr", std::process::id(), Instant::now())
            .replace([' ', ':', '{', '}'], "");
        let log = std::env::temp_dir().join(unique);
        let stderr = std::fs::File::create(&log).expect("a file for stderr");
        let mut child = command
            .stdout(Stdio::null())
            .stderr(stderr)
            .spawn()
            .expect("the binary runs");
        let begun = Instant::now();
        loop {
            let said = std::fs::read_to_string(&log).unwrap_or_default();
            let place = said
                .split("listening on http")
                .nth(1)
                .and_then(|rest| rest.split("://").nth(1));
            let address = place
                .and_then(|rest| rest.split('"').next())
                .and_then(|text| text.trim().parse().ok());
            if let Some(address) = address {
                return Ok(Server {
                    child,
                    address,
                    log,
                });
            }
            if child.try_wait().expect("a child").is_some() {
                return Err(std::fs::read_to_string(&log).unwrap_or_default());
            }
            assert!(
                begun.elapsed() < Duration::from_secs(60),
                "no start within a minute: {said}"
            );
            std::thread::sleep(Duration::from_millis(5));
        }
    }

    pub(crate) fn client(&self) -> Client {
        Client::new(self.address)
    }

    /// What it said so far.
    pub(crate) fn said(&self) -> String {
        std::fs::read_to_string(&self.log).unwrap_or_default()
    }

    /// Ends it at once.
    pub(crate) fn kill(&mut self) {
        // a server under strace is a child of it, and would outlive it
        let id = self.child.id();
        let children = std::fs::read_to_string(format!("/proc/{id}/task/{id}/children"));
        let children = children.unwrap_or_default();
        for child in children.split_whitespace() {
            let _ = Command::new("kill").args(["-9", child]).status();
        }
        let _ = self.child.kill();
        let _ = self.child.wait();
        // the directory is locked until the server under strace has ended
        let begun = Instant::now();
        let lives = |child: &str| {
            let about = std::fs::read_to_string(format!("/proc/{child}/stat"));
            about.is_ok_and(|about| !about.contains(") Z "))
        };
        while children.split_whitespace().any(lives) && begun.elapsed().as_secs() < 10 {
            std::thread::sleep(Duration::from_millis(2));
        }
    }

    pub(crate) fn signal(&self, name: &str) {
        let id = self.child.id().to_string();
        let sent = Command::new("kill")
            .args(["-s", name, &id])
            .status()
            .expect("kill runs");
        assert!(sent.success());
    }

    /// Asks it to stop, and gives its exit code.
    pub(crate) fn stop(mut self) -> Option<i32> {
        self.signal("TERM");
        self.exit_code()
    }

    /// Waits for its end.
    pub(crate) fn exit_code(&mut self) -> Option<i32> {
        let begun = Instant::now();
        loop {
            if let Some(status) = self.child.try_wait().expect("a child") {
                return status.code();
            }
            assert!(
                begun.elapsed() < Duration::from_secs(60),
                "no end within a minute"
            );
            std::thread::sleep(Duration::from_millis(5));
        }
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        self.kill();
        let _ = std::fs::remove_file(&self.log);
    }
}

/// A reply.
#[derive(Clone, Debug)]
pub(crate) struct Reply {
    pub(crate) status: u16,
    pub(crate) headers: Vec<(String, String)>,
    pub(crate) body: Vec<u8>,
}

impl Reply {
    pub(crate) fn json(&self) -> Value {
        serde_json::from_slice(&self.body)
            .unwrap_or_else(|error| panic!("{error}: {}", self.text()))
    }

    pub(crate) fn text(&self) -> String {
        String::from_utf8_lossy(&self.body).into_owned()
    }

    pub(crate) fn header(&self, name: &str) -> Option<&str> {
        let own = self
            .headers
            .iter()
            .find(|(own, _)| own.eq_ignore_ascii_case(name));
        own.map(|(_, value)| &**value)
    }

    /// The JSON of a reply of this status.
    pub(crate) fn expect(&self, status: u16) -> Value {
        assert_eq!(self.status, status, "{}", self.text());
        if self.body.is_empty() {
            Value::Null
        } else {
            self.json()
        }
    }
}

/// A client with one connection that is kept.
pub(crate) struct Client {
    address: SocketAddr,
    stream: Option<BufReader<TcpStream>>,
    pub(crate) token: Option<String>,
}

impl Client {
    pub(crate) fn new(address: SocketAddr) -> Self {
        Client {
            address,
            stream: None,
            token: None,
        }
    }

    pub(crate) fn get(&mut self, path: &str) -> Reply {
        self.send("GET", path, None, b"")
    }

    pub(crate) fn post(&mut self, path: &str, body: &Value) -> Reply {
        self.send(
            "POST",
            path,
            Some("application/json"),
            body.to_string().as_bytes(),
        )
    }

    pub(crate) fn send(
        &mut self,
        method: &str,
        path: &str,
        kind: Option<&str>,
        body: &[u8],
    ) -> Reply {
        let headers: Vec<(&str, &str)> = kind
            .map(|kind| ("content-type", kind))
            .into_iter()
            .collect();
        self.request(method, path, &headers, body)
            .unwrap_or_else(|error| panic!("{method} {path}: {error}"))
    }

    /// A request over the connection that is there; over a new one if the server has closed it.
    pub(crate) fn request(
        &mut self,
        method: &str,
        path: &str,
        headers: &[(&str, &str)],
        body: &[u8],
    ) -> std::io::Result<Reply> {
        let had = self.stream.is_some();
        match self.attempt(method, path, headers, body) {
            Err(_) if had => {
                self.stream = None;
                self.attempt(method, path, headers, body)
            }
            other => other,
        }
    }

    fn attempt(
        &mut self,
        method: &str,
        path: &str,
        headers: &[(&str, &str)],
        body: &[u8],
    ) -> std::io::Result<Reply> {
        let mut head = format!("{method} {path} HTTP/1.1\r\n");
        if !headers.iter().any(|(name, _)| *name == "host") {
            head += &format!("host: {}\r\n", self.address);
        }
        if let Some(token) = &self.token {
            head += &format!("authorization: Bearer {token}\r\n");
        }
        for (name, value) in headers {
            head += &format!("{name}: {value}\r\n");
        }
        head += &format!("content-length: {}\r\n\r\n", body.len());
        let mut bytes = head.into_bytes();
        bytes.extend_from_slice(body);
        let sent = self.exchange(&bytes);
        if sent.is_err() {
            self.stream = None;
        }
        sent
    }

    /// Sends bytes as they are, and reads one reply.
    pub(crate) fn exchange(&mut self, bytes: &[u8]) -> std::io::Result<Reply> {
        if self.stream.is_none() {
            let stream = TcpStream::connect(self.address)?;
            stream.set_read_timeout(Some(Duration::from_secs(60)))?;
            stream.set_nodelay(true)?;
            self.stream = Some(BufReader::new(stream));
        }
        let stream = self.stream.as_mut().expect("just made");
        stream.get_mut().write_all(bytes)?;
        let ended = || std::io::Error::from(std::io::ErrorKind::UnexpectedEof);
        let mut line = String::new();
        if stream.read_line(&mut line)? == 0 {
            return Err(ended());
        }
        let status = line
            .split(' ')
            .nth(1)
            .and_then(|code| code.parse().ok())
            .ok_or_else(ended)?;
        let mut headers = Vec::new();
        loop {
            let mut line = String::new();
            if stream.read_line(&mut line)? == 0 {
                return Err(ended());
            }
            let Some((name, value)) = line.trim_end().split_once(": ") else {
                break;
            };
            headers.push((name.to_owned(), value.to_owned()));
        }
        let mut reply = Reply {
            status,
            headers,
            body: Vec::new(),
        };
        let length = reply
            .header("content-length")
            .and_then(|text| text.parse().ok())
            .unwrap_or(0);
        reply.body.resize(length, 0);
        stream.read_exact(&mut reply.body)?;
        if reply.header("connection") == Some("close") {
            self.stream = None;
        }
        Ok(reply)
    }
}

/// A random number that is the same in every run.
pub(crate) struct Random(pub(crate) u64);

impl Random {
    pub(crate) fn below(&mut self, limit: u64) -> u64 {
        self.0 = self
            .0
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % limit
    }
}

/// A row of JSON by a number: some features by name, and a label that depends on them.
pub(crate) fn row(random: &mut Random) -> Value {
    let (a, b) = (
        random.below(200) as f64 / 100.0 - 1.0,
        random.below(200) as f64 / 100.0 - 1.0,
    );
    let city = ["Oslo", "Rome", "Lima"][random.below(3) as usize];
    let word = format!("w{}", random.below(50));
    let noise = random.below(10) == 0;
    let label = if (a + 0.5 * b > 0.1) ^ noise {
        "yes"
    } else {
        "no"
    };
    serde_json::json!({"features": {"a": a, "b": b, "city": city, "text": [word]}, "label": label})
}

/// The model file that a single-threaded replay of the log gives.
pub(crate) fn replayed(dir: &Path, model: &str) -> Vec<u8> {
    let out = dir.parent().expect("a parent").join(
        format!("replayed-{model}-{:?}.model", std::thread::current().id()).replace(['(', ')'], ""),
    );
    let words = ["log", "replay", "--model", model, "-o"];
    let ran = Command::new(BINARY)
        .args(words)
        .arg(&out)
        .arg(dir)
        .output()
        .expect("the binary runs");
    assert!(
        ran.status.success(),
        "{}",
        String::from_utf8_lossy(&ran.stderr)
    );
    std::fs::read(out).expect("a model")
}
