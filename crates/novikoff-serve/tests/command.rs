//! What the commands `serve` and `log` refuse: one message that says what and what to do, and exit code 2.

use std::net::TcpListener;
use std::path::Path;
use std::process::Command;

use serde_json::json;

use crate::common::{BINARY, Random, Server, row};

/// Runs the binary, which must refuse; gives what it says.
fn refused(words: &[&str]) -> String {
    let ran = Command::new(BINARY).args(words).output().unwrap();
    let said = String::from_utf8(ran.stderr).unwrap();
    assert_eq!(ran.status.code(), Some(2), "{words:?}: {said}");
    assert!(ran.stdout.is_empty(), "{words:?}");
    assert!(!said.contains("panicked"), "{words:?}: {said}");
    said
}

/// The one line of a refusal that is no matter of the words alone.
fn line(words: &[&str]) -> String {
    let said = refused(words);
    let lines: Vec<&str> = said.lines().filter(|line| !line.starts_with('{')).collect();
    assert_eq!(lines.len(), 1, "{words:?}: {said}");
    lines[0].to_owned()
}

fn text(path: &Path) -> String {
    path.to_str().unwrap().to_owned()
}

#[test]
fn serve_refuses_what_it_cannot_do() {
    let folder = tempfile::tempdir().unwrap();
    let dir = text(&folder.path().join("state"));
    let serve = ["serve", "--listen", "127.0.0.1:0", "--dir", &dir];
    let with = |more: &[&str]| line(&[&serve[..], more].concat());
    for (more, parts) in [
        (
            &["--model", "m=percepton"][..],
            &["--model m=percepton", "perceptron"][..],
        ),
        (&["--model", "a/b"], &["--model a/b", "A-Z"]),
        (&["--model", "=auto"], &["--model =auto", "1 to 64"]),
        (&["--model", "m=second-order:a=-1"], &["a", "-1"]),
        (
            &["--tokens", "/nowhere/tokens"],
            &["/nowhere/tokens", "cannot read the tokens"],
        ),
        (
            &["--tls-certificate", "/nowhere/c", "--tls-key", "/nowhere/k"],
            &["/nowhere/c"],
        ),
        (&["--log-keep", "much"], &["--log-keep much", "all"]),
        (
            &["--config", "/nowhere/serve.toml"],
            &["/nowhere/serve.toml", "cannot read"],
        ),
        (&["--listen", "0.0.0.0:0"], &["--tokens", "--insecure"]),
    ] {
        let said = with(more);
        for part in parts {
            assert!(said.contains(part), "{more:?}: {said}");
        }
    }
    for (more, part) in [
        (&["--listen", "localhost"][..], "127.0.0.1:8610"),
        (&["--listen", "127.0.0.1:99999"], "127.0.0.1:8610"),
        (&["--sync", "often"], "always"),
        (&["--queue", "few"], "--queue"),
        (&["--modell", "m"], "--model"),
        (&["--tls-key", "/nowhere/k"], "--tls-certificate"),
    ] {
        let said = refused(&[&serve[..], more].concat());
        assert!(said.contains(part), "{more:?}: {said}");
    }
    assert!(refused(&["serve"]).contains("--dir"));
    assert!(
        !Path::new(&dir).exists(),
        "nothing is made by a server that does not start"
    );
    // a token file without a token, or with one that is too short: its line is named, the token is not
    let tokens = folder.path().join("tokens");
    for (lines, part) in [("", "no token"), ("admin short-secret\n", "tokens:1")] {
        std::fs::write(&tokens, lines).unwrap();
        let said = with(&["--tokens", &text(&tokens)]);
        assert!(
            said.contains(part) && !said.contains("short-secret"),
            "{said}"
        );
    }
    // a directory in place of the file
    let said = with(&["--tokens", &text(folder.path())]);
    assert!(said.contains("cannot read the tokens"), "{said}");
    // a port that is taken
    let taken = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = taken.local_addr().unwrap().to_string();
    let said = line(&["serve", "--dir", &dir, "--listen", &address]);
    assert!(
        said.contains(&address) && said.contains("another address"),
        "{said}"
    );
    assert!(!Path::new(&dir).exists());
}

#[test]
fn the_example_of_a_configuration_is_one() {
    let file = concat!(
        env!("CARGO_MANIFEST_DIR"),
        "/../../docs/examples/service/serve.toml"
    );
    let text = std::fs::read_to_string(file).unwrap();
    // the lines for other machines too
    let whole = text
        .replace("# beyond this machine:\n", "")
        .replace("# ", "");
    let mut whole: Vec<&str> = whole.lines().skip(1).collect();
    let first = whole.iter().position(|line| line.starts_with("listen"));
    whole.remove(first.unwrap());
    for text in [text.clone(), whole.join("\n")] {
        let mut words = vec!["novikoff-serve".to_owned(), "serve".to_owned()];
        words.extend(novikoff_serve::args::config_words(&text).unwrap());
        let parsed = <novikoff_serve::args::Cli as clap::Parser>::try_parse_from(words);
        let novikoff_serve::args::Command::Serve(args) = parsed.unwrap().command else {
            panic!("serve")
        };
        assert_eq!(args.model, ["spam"]);
    }
}

#[test]
fn a_damaged_log_is_refused_by_name_and_byte() {
    let folder = tempfile::tempdir().unwrap();
    let dir = folder.path().join("state");
    let server = Server::start(&dir, &["--model", "m"]);
    let mut random = Random(3);
    for _ in 0..5 {
        server
            .client()
            .post("/v1/models/m/learn", &json!({"rows": [row(&mut random)]}))
            .expect(200);
    }
    assert_eq!(server.stop(), Some(0));
    for (_, path) in novikoff_serve::snapshot::list(&dir.join("models/m")) {
        std::fs::remove_file(path).unwrap();
    }
    let log = dir.join("models/m/00000000000000000000.log");
    let whole = std::fs::read(&log).unwrap();
    let mut other = whole.clone();
    other[whole.len() / 2] ^= 4;
    std::fs::write(&log, &other).unwrap();
    let said = line(&["serve", "--listen", "127.0.0.1:0", "--dir", &text(&dir)]);
    for part in ["00000000000000000000.log", "byte ", "novikoff log repair"] {
        assert!(said.contains(part), "{said}");
    }
    let replayed = line(&["log", "replay", &text(&dir)]);
    assert!(replayed.contains("damaged at byte"), "{replayed}");
    // what is checked and found to be wrong is exit 1
    let checked = Command::new(BINARY)
        .args(["log", "check", &text(&dir)])
        .output()
        .unwrap();
    assert_eq!(checked.status.code(), Some(1), "{checked:?}");
    assert_eq!(std::fs::read(&log).unwrap(), other, "nothing was changed");
}

#[test]
fn log_refuses_what_it_cannot_do() {
    let folder = tempfile::tempdir().unwrap();
    let dir = folder.path().join("state");
    let nowhere = text(&folder.path().join("nowhere"));
    for words in [["log", "check"], ["log", "repair"], ["log", "replay"]] {
        let said = line(&[&words[..], &[&nowhere]].concat());
        assert!(said.contains("nowhere: no such directory"), "{said}");
        // a directory of something else
        let said = line(&[&words[..], &[&text(folder.path())]].concat());
        assert!(said.contains("no log"), "{words:?}: {said}");
    }
    let server = Server::start(&dir, &["--model", "a", "--model", "b"]);
    let learn = json!({"rows": [{"features": {"x": 1}, "label": "yes"}]});
    server
        .client()
        .post("/v1/models/a/learn", &learn)
        .expect(200);
    assert_eq!(server.stop(), Some(0));
    let dir = text(&dir);
    let said = line(&["log", "replay", &dir]);
    assert!(said.contains("--model") && said.contains("a, b"), "{said}");
    let said = line(&["log", "replay", &dir, "--model", "c"]);
    assert!(
        said.contains("no model c") && said.contains("a, b"),
        "{said}"
    );
    let said = line(&["log", "replay", &dir, "--model", "a", "-a", "percepton"]);
    assert!(said.contains("perceptron"), "{said}");
    let said = line(&["log", "replay", &dir, "--model", "b", "-o", "x.model"]);
    assert!(said.contains("nothing"), "{said}");
    let said = line(&["log", "replay", &dir, "--model", "b", "-a", "arow"]);
    assert!(said.contains("nothing"), "{said}");
    let said = line(&[
        "log",
        "replay",
        &dir,
        "--model",
        "a",
        "-o",
        "/nowhere/x.model",
    ]);
    assert!(said.contains("/nowhere/x.model"), "{said}");
    let said = refused(&["log", "replay", &dir, "--certify=much"]);
    assert!(said.contains("quick"), "{said}");
}
