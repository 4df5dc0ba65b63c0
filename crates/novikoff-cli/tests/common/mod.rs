//! What the tests of the command share: a room to run it in, data, and a slow perceptron.

// every test binary uses its own part of this room
#![allow(dead_code)]

pub(crate) mod data;
pub(crate) mod messy;
pub(crate) mod remarks;
pub(crate) mod slow;

use std::fmt::Write as _;
use std::io::Write as _;
use std::path::PathBuf;
use std::process::{Child, Command, Output, Stdio};

use serde_json::Value;
use tempfile::TempDir;

/// A directory of its own to run the command in; paths in it are short, so messages are exact.
pub(crate) struct Room {
    dir: TempDir,
}

/// What the command did.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Done {
    pub(crate) words: String,
    pub(crate) stdout: String,
    pub(crate) stderr: String,
    pub(crate) code: Option<i32>,
}

impl Room {
    pub(crate) fn new() -> Self {
        Room {
            dir: tempfile::tempdir().expect("a temporary directory"),
        }
    }

    /// A room with one file of data, `data.svm`.
    pub(crate) fn with(text: &str) -> Self {
        let room = Room::new();
        room.write("data.svm", text);
        room
    }

    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.dir.path().join(name)
    }

    pub(crate) fn write(&self, name: &str, bytes: impl AsRef<[u8]>) {
        std::fs::write(self.path(name), bytes).expect("a file is written");
    }

    pub(crate) fn bytes(&self, name: &str) -> Vec<u8> {
        std::fs::read(self.path(name)).unwrap_or_else(|error| panic!("{name}: {error}"))
    }

    pub(crate) fn text(&self, name: &str) -> String {
        String::from_utf8(self.bytes(name)).expect("text")
    }

    /// The names of all files, hidden ones included, in order.
    pub(crate) fn files(&self) -> Vec<String> {
        let entries = std::fs::read_dir(self.dir.path()).expect("a directory");
        let mut names: Vec<String> = entries
            .map(|entry| {
                entry
                    .expect("an entry")
                    .file_name()
                    .to_string_lossy()
                    .into_owned()
            })
            .collect();
        names.sort();
        names
    }

    /// The command, about to run in this room.
    pub(crate) fn command(&self, words: &str) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_novikoff"));
        command
            .args(words.split_whitespace())
            .current_dir(self.dir.path());
        command.env("COLUMNS", "300").env_remove("CLICOLOR_FORCE");
        command
    }

    /// Runs `novikoff WORDS` with nothing to read.
    pub(crate) fn run(&self, words: &str) -> Done {
        self.pipe(words, "")
    }

    /// Runs `novikoff WORDS` and writes `input` to it.
    pub(crate) fn pipe(&self, words: &str, input: impl AsRef<[u8]> + Send) -> Done {
        Self::pipe_to(self.command(words), words, input)
    }

    /// Runs a command and writes `input` to it.
    pub(crate) fn pipe_to(
        mut command: Command,
        words: &str,
        input: impl AsRef<[u8]> + Send,
    ) -> Done {
        let mut child = command
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .expect("the command starts");
        let mut stdin = child.stdin.take().expect("a pipe");
        let output = std::thread::scope(|scope| {
            scope.spawn(move || {
                // who does not read its input may close it
                let _ = stdin.write_all(input.as_ref());
            });
            child.wait_with_output().expect("the command ends")
        });
        Done::of(words, output)
    }

    /// The JSON object of a run that must succeed, without its time.
    pub(crate) fn json(&self, words: &str) -> Value {
        self.run(&format!("{words} --json")).good().json()
    }

    /// The JSON object of a run on a pipe that must succeed, without its time.
    pub(crate) fn json_piped(&self, words: &str, input: &str) -> Value {
        self.pipe(&format!("{words} --json"), input).good().json()
    }

    /// Mistakes and updates of a run that must succeed.
    pub(crate) fn counts(&self, words: &str) -> (u64, u64) {
        counts(&self.json(words))
    }
}

/// What a run's JSON says of its mistakes and updates: the counts of validation and baseline, which must be there, remarks and sums over the classes are taken out.
#[track_caller]
pub(crate) fn theorem_part(mut json: Value) -> Value {
    let object = json.as_object_mut().expect("an object");
    for key in ["validation", "baseline"] {
        let counted = object.shift_remove(key).expect("it is in every report");
        assert!(counted["errors"].is_u64(), "{key}: {counted}");
    }
    object.shift_remove("remarks");
    object.shift_remove("binary_mistakes"); // the sum over the classes, which has its own test
    json
}

impl Done {
    /// What a process that has ended left.
    pub(crate) fn of(words: &str, output: Output) -> Self {
        let text = |bytes: Vec<u8>| String::from_utf8(bytes).expect("output is text");
        Done {
            words: words.to_owned(),
            stdout: text(output.stdout),
            stderr: text(output.stderr),
            code: output.status.code(),
        }
    }

    /// It must have succeeded.
    #[track_caller]
    pub(crate) fn good(self) -> Self {
        assert_eq!(self.code, Some(0), "{}\n{}", self.words, self.stderr);
        self
    }

    /// It must have failed with exit code 2, a message with all these parts, and no result.
    #[track_caller]
    pub(crate) fn refused(&self, parts: &[&str]) {
        let Done {
            words,
            stdout,
            stderr,
            code,
        } = self;
        assert_eq!(*code, Some(2), "{words}\n{stdout}{stderr}");
        assert_eq!(stdout, "", "{words}: a result in spite of {stderr}");
        for part in parts {
            assert!(stderr.contains(part), "{words}\nno `{part}` in: {stderr}");
        }
        assert!(!stderr.contains("panicked"), "{words}\n{stderr}");
    }

    /// The one JSON object on stdout, times left out.
    #[track_caller]
    pub(crate) fn json(&self) -> Value {
        let Done { words, stdout, .. } = self;
        assert_eq!(stdout.lines().count(), 1, "{words}\n{stdout}");
        let mut value: Value =
            serde_json::from_str(stdout).unwrap_or_else(|e| panic!("{words}: {e}\n{stdout}"));
        let timeless = |value: &mut Value| {
            let seconds = value
                .as_object_mut()
                .and_then(|object| object.shift_remove("seconds"));
            assert!(
                seconds.is_some_and(|s| s.is_f64()),
                "{words}: no seconds\n{stdout}"
            );
            let object = value.as_object_mut();
            object.map(|object| object.shift_remove("test_seconds"));
        };
        match value.get_mut("runs").and_then(Value::as_array_mut) {
            Some(runs) => runs.iter_mut().for_each(timeless),
            None => timeless(&mut value),
        }
        value
    }
}

/// Sends a signal to a process: `INT`, `TERM`.
pub(crate) fn signal(child: &Child, name: &str) {
    let sent = Command::new("kill")
        .args(["-s", name, &child.id().to_string()])
        .status();
    assert!(sent.expect("kill").success());
}

/// `mistakes` and `updates` of a JSON object.
#[track_caller]
pub(crate) fn counts(json: &Value) -> (u64, u64) {
    let count = |key: &str| {
        json[key]
            .as_u64()
            .unwrap_or_else(|| panic!("no {key} in {json}"))
    };
    (count("mistakes"), count("updates"))
}

/// The keys of a JSON object, in their order.
pub(crate) fn keys(json: &Value) -> Vec<&str> {
    json.as_object()
        .expect("an object")
        .keys()
        .map(String::as_str)
        .collect()
}

/// Lines joined, each ended.
pub(crate) fn lines<T: std::fmt::Display>(lines: impl IntoIterator<Item = T>) -> String {
    lines.into_iter().fold(String::new(), |mut text, line| {
        let _ = writeln!(text, "{line}"); // writing to a String cannot fail
        text
    })
}

/// Both texts have the same lines; if not, the first that differ are shown.
#[track_caller]
pub(crate) fn same_lines(found: &str, expected: &str, what: &str) {
    let pairs = found.lines().zip(expected.lines()).enumerate();
    for (line, (found, expected)) in pairs {
        assert_eq!(found, expected, "{what}: line {line}");
    }
    assert_eq!(found.len(), expected.len(), "{what}: one is longer");
}

/// What `inspect` says of a model.
pub(crate) fn inspected(room: &Room, model: &str) -> Value {
    let done = room.run(&format!("inspect {model} --json")).good();
    serde_json::from_str(&done.stdout).expect("JSON")
}
