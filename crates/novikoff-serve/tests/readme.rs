//! The lines of the README, run as they stand.

use std::process::Command;

use crate::common::Server;

#[test]
fn the_curl_lines_of_the_readme_work() {
    if Command::new("curl").arg("--version").output().is_err() {
        println!("skipped: curl is not installed");
        return;
    }
    let readme =
        std::fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/../../README.md")).unwrap();
    assert!(readme.contains("novikoff serve --dir state --model spam"));
    let folder = tempfile::tempdir().unwrap();
    let server = Server::start(&folder.path().join("state"), &["--model", "spam"]);
    let lines: Vec<&str> = readme
        .lines()
        .filter(|line| line.starts_with("curl "))
        .collect();
    assert!(lines.len() >= 5, "{lines:?}");
    for line in lines {
        let here = line
            .replace("localhost:8610", &server.address.to_string())
            .replace("curl -s", "curl -sS --fail-with-body");
        let ran = Command::new("bash")
            .args(["-c", &here])
            .current_dir(folder.path())
            .output()
            .unwrap();
        let (out, said) = (
            String::from_utf8_lossy(&ran.stdout),
            String::from_utf8_lossy(&ran.stderr),
        );
        assert!(ran.status.success(), "{line}\n{out}{said}");
        if !line.contains(" -o ") {
            let reply: serde_json::Value =
                serde_json::from_str(&out).unwrap_or_else(|error| panic!("{line}: {error}: {out}"));
            assert!(reply["seq"].is_u64(), "{line}: {reply}");
        }
    }
    assert!(folder.path().join("spam.model").exists());
}
