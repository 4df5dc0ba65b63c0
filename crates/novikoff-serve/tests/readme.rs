//! The lines of the README and of the page of the service, run as they stand.

use std::process::Command;

use crate::common::Server;

/// Runs the lines of a page that ask a server on its usual port. Gives how many there are.
fn run(page: &str, folder: &std::path::Path, server: &Server) -> usize {
    let path = format!("{}/../../{page}", env!("CARGO_MANIFEST_DIR"));
    let text = std::fs::read_to_string(path).unwrap();
    assert!(text.contains("novikoff serve --dir state --model spam"));
    let lines = text
        .lines()
        .filter(|line| line.starts_with("curl -s localhost:8610"));
    let mut count = 0;
    for line in lines {
        let here = line
            .replace("localhost:8610", &server.address.to_string())
            .replace("curl -s", "curl -sS --fail-with-body");
        let ran = Command::new("bash")
            .args(["-c", &here])
            .current_dir(folder)
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
            if line.contains("mail/predict") {
                assert_eq!(reply["predictions"][0]["label"], "spam", "{reply}");
            }
        }
        count += 1;
    }
    count
}

#[test]
fn the_curl_lines_of_the_pages_work() {
    if Command::new("curl").arg("--version").output().is_err() {
        println!("skipped: curl is not installed");
        return;
    }
    for (page, least) in [("README.md", 9), ("docs/service.md", 3)] {
        let folder = tempfile::tempdir().unwrap();
        let server = Server::start(&folder.path().join("state"), &["--model", "spam"]);
        assert!(run(page, folder.path(), &server) >= least, "{page}");
        let has_file = folder.path().join("spam.model").exists();
        assert_eq!(has_file, page == "README.md");
    }
}
