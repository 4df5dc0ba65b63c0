//! What was acknowledged is there after any end of the server. `campaign.rs` has the long forms.

use std::path::Path;
use std::process::Command;

use serde_json::json;

use crate::campaign::{Kills, linearizable};
use crate::common::{Random, Server, replayed, row};

#[test]
fn five_kills_lose_nothing_acknowledged() {
    let folder = tempfile::tempdir().unwrap();
    let mut kills = Kills::new(folder.path(), 41);
    for sync in ["always", "interval", "never", "always", "always"] {
        kills.kill_once(sync, 150);
    }
    assert!(kills.acknowledged() > 20, "{}", kills.acknowledged());
}

#[test]
fn operations_of_four_clients_are_linearizable() {
    let folder = tempfile::tempdir().unwrap();
    linearizable(folder.path(), 4, 150);
}

#[test]
fn a_restart_with_snapshots_gives_the_same_model() {
    let folder = tempfile::tempdir().unwrap();
    let dir = folder.path().join("state");
    let words = [
        "--snapshot-rows",
        "40",
        "--segment-bytes",
        "8000",
        "--log-keep",
        "0",
    ];
    let mut random = Random(23);
    let mut server = Server::start(
        &dir,
        &[
            &words[..],
            &["--model", "m=second-order", "--model", "k=averaged"],
        ]
        .concat(),
    );
    let mut bytes = Vec::new();
    for round in 0..4 {
        let mut client = server.client();
        for k in 0..30 {
            let rows: Vec<_> = (0..5).map(|_| row(&mut random)).collect();
            let body = json!({"id": format!("r{round}-{k}"), "rows": rows});
            for model in ["m", "k"] {
                client
                    .post(&format!("/v1/models/{model}/learn"), &body)
                    .expect(200);
            }
        }
        let about = client.get("/v1/models/m").expect(200);
        assert_eq!(about["seq"], 150 * (round + 1));
        let file = client.get("/v1/models/m/model").body;
        assert_ne!(file, bytes);
        bytes = file;
        if round % 2 == 0 {
            server.kill();
        } else {
            assert_eq!(server.stop(), Some(0));
        }
        server = Server::start(&dir, &words);
        let mut client = server.client();
        let after = client.get("/v1/models/m").expect(200);
        for key in [
            "seq",
            "rows",
            "mistakes",
            "updates",
            "validation",
            "window",
            "features",
            "classes",
        ] {
            assert_eq!(after[key], about[key], "{key}");
        }
        assert!(
            client.get("/v1/models/m/model").body == bytes,
            "round {round}"
        );
        let again = client.post(
            "/v1/models/m/learn",
            &json!({"id": format!("r{round}-29"), "rows": [row(&mut random)]}),
        );
        assert_eq!(
            again.status,
            409,
            "the id is known after a restart: {}",
            again.text()
        );
    }
    // old segments are gone, and with them the certificate
    let mut client = server.client();
    let about = client.get("/v1/models/m").expect(200);
    assert!(about["log"]["first_seq"].as_u64() > Some(1), "{about}");
    assert!(about["snapshot"]["seq"].as_u64() > Some(0), "{about}");
    let certified = client.get("/v1/models/m/certificate").expect(200);
    assert!(
        certified["reason"].as_str().unwrap().contains("--log-keep"),
        "{certified}"
    );
    assert_eq!(server.stop(), Some(0));
}

#[test]
fn a_log_cut_below_what_a_snapshot_knows_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let dir = folder.path().join("state");
    let server = Server::start(&dir, &["--model", "m=perceptron"]);
    let mut client = server.client();
    let mut lengths = Vec::new();
    let log = dir
        .join("models/m")
        .join(novikoff_serve::log::segment_name(0));
    for _ in 0..5 {
        client
            .post(
                "/v1/models/m/learn",
                &json!({"rows": [{"features": {"a": 1}, "label": 1}]}),
            )
            .expect(200);
        lengths.push(std::fs::metadata(&log).unwrap().len());
    }
    assert_eq!(server.stop(), Some(0));
    let file = std::fs::File::options().write(true).open(&log).unwrap();
    file.set_len(lengths[2]).unwrap();
    let said = Server::try_start(&dir, &[]).err().expect("refused");
    assert!(
        said.contains("record 6 was acknowledged") && said.contains("record 4"),
        "{said}"
    );
}

#[test]
fn a_damaged_snapshot_is_passed_over() {
    let folder = tempfile::tempdir().unwrap();
    let dir = folder.path().join("state");
    let server = Server::start(&dir, &["--model", "m=perceptron"]);
    server
        .client()
        .post(
            "/v1/models/m/learn",
            &json!({"rows": [{"features": {"a": 1}, "label": 1}]}),
        )
        .expect(200);
    assert_eq!(server.stop(), Some(0));
    let (_, path) = novikoff_serve::snapshot::list(&dir.join("models/m")).remove(0);
    let whole = std::fs::read(&path).unwrap();
    for at in (0..whole.len()).step_by(7) {
        let mut other = whole.clone();
        other[at] ^= 0x10;
        let parsed = novikoff_serve::snapshot::parse(&other);
        let restored = parsed
            .map_err(str::to_owned)
            .and_then(|(header, model)| novikoff_serve::snapshot::restore(&header, &model));
        assert!(restored.is_err(), "byte {at}");
    }
    let mut other = whole.clone();
    other[whole.len() / 2] ^= 1;
    std::fs::write(&path, other).unwrap();
    let server = Server::start(&dir, &[]);
    assert!(
        server.said().contains("passed over a snapshot"),
        "{}",
        server.said()
    );
    assert_eq!(server.client().get("/v1/models/m").expect(200)["seq"], 1);
}

#[test]
fn predictions_wait_for_their_labels_through_a_kill() {
    let folder = tempfile::tempdir().unwrap();
    let dir = folder.path().join("state");
    let mut server = Server::start(&dir, &["--model", "m"]);
    let ask = json!({"rows": [{"features": {"a": 1, "city": "Oslo"}}, {"features": {"b": 2}}]});
    let asked = server
        .client()
        .post("/v1/models/m/predict", &ask)
        .expect(200);
    let ids: Vec<String> = (0..2)
        .map(|k| asked["predictions"][k]["id"].as_str().unwrap().to_owned())
        .collect();
    server.kill();
    let mut server = Server::start(&dir, &[]);
    let mut client = server.client();
    let feedback = "/v1/models/m/feedback";
    let label = |id: &str| json!({"id": id, "label": "yes"});
    let learned = client.post(feedback, &label(&ids[1])).expect(200);
    assert_eq!(learned["seq"], 1);
    assert_eq!(client.get("/v1/models/m").expect(200)["features"], 1);
    // an id of this process is another one
    let asked = client.post("/v1/models/m/predict", &ask).expect(200);
    let own = asked["predictions"][0]["id"].as_str().unwrap().to_owned();
    assert!(!ids.contains(&own));
    server.kill();
    let server = Server::start(&dir, &[]);
    let mut client = server.client();
    let again = client.post(feedback, &label(&ids[1])).expect(200);
    assert_eq!(
        (&again["seq"], &again["repeated"]),
        (&json!(1), &json!(true))
    );
    assert_eq!(client.post(feedback, &label(&ids[0])).expect(200)["seq"], 2);
    assert_eq!(client.post(feedback, &label(&own)).expect(200)["seq"], 3);
    let about = client.get("/v1/models/m").expect(200);
    assert_eq!(about["features"], 3, "a, city=Oslo, b");
    let file = client.get("/v1/models/m/model").body;
    assert_eq!(server.stop(), Some(0));
    assert!(replayed(&dir, "m") == file);
    // what has expired is gone, from the disk too
    let server = Server::start(&dir, &["--feedback-expiry", "0"]);
    let mut client = server.client();
    let asked = client.post("/v1/models/m/predict", &ask).expect(200);
    let id = asked["predictions"][0]["id"].as_str().unwrap();
    client.post(feedback, &label(id)).expect(404);
    let waiting = std::fs::read_dir(dir.join("models/m")).unwrap();
    let waiting = waiting.filter(|entry| {
        let name = entry.as_ref().unwrap().file_name();
        name.to_string_lossy().ends_with(".pending")
    });
    assert_eq!(waiting.count(), 0);
}

#[test]
fn a_copy_that_is_made_while_it_learns_is_a_backup() {
    let folder = tempfile::tempdir().unwrap();
    let dir = folder.path().join("state");
    let words = [
        "--model",
        "m",
        "--snapshot-rows",
        "50",
        "--segment-bytes",
        "10000",
        "--log-keep",
        "20000",
    ];
    let server = Server::start(&dir, &words);
    let stop = std::sync::Arc::new(std::sync::atomic::AtomicBool::new(false));
    let teaching = {
        let (stop, mut client) = (std::sync::Arc::clone(&stop), server.client());
        std::thread::spawn(move || {
            let mut random = Random(12);
            while !stop.load(std::sync::atomic::Ordering::Relaxed) {
                client
                    .post("/v1/models/m/learn", &json!({"rows": [row(&mut random)]}))
                    .expect(200);
            }
        })
    };
    let mut client = server.client();
    for round in 0..5_u64 {
        let wanted = 120 * (round + 1);
        while client.get("/v1/models/m").expect(200)["seq"].as_u64() < Some(wanted) {}
        let acknowledged = client.get("/v1/models/m").expect(200)["seq"].as_u64();
        // as docs/service.md says: snapshots, then logs
        let copy = folder.path().join(format!("copy-{round}"));
        std::fs::create_dir_all(copy.join("models/m")).unwrap();
        let from = dir.join("models/m");
        let command = format!(
            "cd {} && cp *.snapshot {to}/ ; cp *.log {to}/",
            from.display(),
            to = copy.join("models/m").display()
        );
        // the oldest file may be removed between its listing and its copy: cp says so, and is run again
        let mut copies =
            std::iter::repeat_with(|| Command::new("sh").args(["-c", &command]).output().unwrap());
        assert!(
            copies
                .by_ref()
                .take(20)
                .any(|copied| copied.status.success())
        );
        let checked = Command::new(crate::common::BINARY)
            .args(["log", "check"])
            .arg(copy.join("models/m"))
            .output()
            .unwrap();
        assert_eq!(checked.status.code(), Some(0), "{checked:?}");
        let restored = Server::start(&copy, &[]);
        let there = restored.client().get("/v1/models/m").expect(200)["seq"].as_u64();
        assert!(there >= acknowledged, "{there:?} of {acknowledged:?}");
    }
    stop.store(true, std::sync::atomic::Ordering::Relaxed);
    teaching.join().unwrap();
    assert_eq!(server.stop(), Some(0));
}

#[test]
fn two_servers_never_work_on_one_directory() {
    let folder = tempfile::tempdir().unwrap();
    let dir = folder.path().join("state");
    let server = Server::start(&dir, &[]);
    let said = Server::try_start(&dir, &[]).err().expect("refused");
    assert!(said.contains("another server"), "{said}");
    let repair = Command::new(crate::common::BINARY)
        .args(["log", "repair", "--yes"])
        .arg(&dir)
        .output()
        .unwrap();
    assert_eq!(repair.status.code(), Some(2), "{repair:?}");
    drop(server);
}

/// Whether a program is there.
fn has(program: &str) -> bool {
    Command::new("sh")
        .args(["-c", &format!("command -v {program}")])
        .output()
        .is_ok_and(|out| out.status.success())
}

#[test]
fn a_full_disk_stops_learning_and_nothing_else() {
    let folder = tempfile::tempdir().unwrap();
    let dir = folder.path().join("small");
    std::fs::create_dir(&dir).unwrap();
    let mounted = Command::new("mount")
        .args(["-t", "tmpfs", "-o", "size=300k", "none"])
        .arg(&dir)
        .status();
    if !mounted.is_ok_and(|status| status.success()) {
        println!("skipped: no file system can be mounted here");
        return;
    }
    let result = std::panic::catch_unwind(|| fill(&dir));
    let _ = Command::new("umount").arg("-l").arg(&dir).status();
    result.unwrap();
}

fn fill(dir: &Path) {
    let state = dir.join("state");
    let mut command = Server::command(&state, &["--model", "m=perceptron"]);
    command.env("TMPDIR", "/tmp");
    let server = Server::spawn(command).unwrap();
    let mut client = server.client();
    let mut random = Random(77);
    let mut acknowledged = 0;
    let full = loop {
        let rows: Vec<_> = (0..20).map(|_| row(&mut random)).collect();
        let reply = client.post("/v1/models/m/learn", &json!({"rows": rows}));
        if reply.status != 200 {
            break reply;
        }
        acknowledged = reply.json()["seq"].as_u64().unwrap();
    };
    assert_eq!(full.status, 507, "{}", full.text());
    assert!(full.header("retry-after").is_some());
    let asked = client
        .post(
            "/v1/models/m/predict",
            &json!({"rows": [{"features": {"a": 1}}]}),
        )
        .expect(200);
    assert_eq!(
        asked["seq"], acknowledged,
        "nothing of the refused body is seen"
    );
    assert_eq!(
        client.get("/v1/models/m").expect(200)["log"]["blocked"],
        "disk full"
    );
    // room again: learning goes on by itself
    let grown = Command::new("mount")
        .args(["-o", "remount,size=3m"])
        .arg(dir)
        .status()
        .unwrap();
    assert!(grown.success());
    let reply = client
        .post("/v1/models/m/learn", &json!({"rows": [row(&mut random)]}))
        .expect(200);
    assert_eq!(reply["seq"], acknowledged + 1);
    assert!(client.get("/v1/models/m").expect(200)["log"]["blocked"].is_null());
    let file = client.get("/v1/models/m/model").body;
    assert_eq!(server.stop(), Some(0));
    assert!(replayed(&state, "m") == file);
}

#[test]
fn a_file_that_may_not_grow_is_a_full_disk() {
    let folder = tempfile::tempdir().unwrap();
    let dir = folder.path().join("state");
    let mut command = Command::new("bash");
    let serve = format!(
        "ulimit -f 100; exec {} serve --dir {} --listen 127.0.0.1:0 --model m=perceptron",
        crate::common::BINARY,
        dir.display()
    );
    command.args(["-c", &serve]);
    let server = Server::spawn(command).unwrap();
    let mut client = server.client();
    let mut random = Random(78);
    let status = loop {
        let rows: Vec<_> = (0..50).map(|_| row(&mut random)).collect();
        let reply = client.post("/v1/models/m/learn", &json!({"rows": rows}));
        if reply.status != 200 {
            break reply.status;
        }
    };
    assert_eq!(status, 507);
    client
        .post(
            "/v1/models/m/predict",
            &json!({"rows": [{"features": {"a": 1}}]}),
        )
        .expect(200);
}

/// Groups are learned while the log has the ones before them. Where one of these finds no room, those behind it are taken back too, and smaller ones come through later.
#[test]
fn a_disk_that_is_nearly_full_takes_back_what_it_refuses() {
    let folder = tempfile::tempdir().unwrap();
    let dir = folder.path().join("state");
    let mut command = Command::new("bash");
    let serve = format!(
        "ulimit -f 60; exec {} serve --dir {} --listen 127.0.0.1:0 --model m=perceptron",
        crate::common::BINARY,
        dir.display()
    );
    command.args(["-c", &serve]);
    let server = Server::spawn(command).unwrap();
    let clients: Vec<_> = (0..6)
        .map(|number| {
            let mut client = server.client();
            std::thread::spawn(move || {
                let mut random = Random(500 + number);
                let (mut learned, mut refused, mut last) = (0, 0, 0);
                for k in 0.. {
                    let count = if random.below(4) == 0 { 60 } else { 1 };
                    let rows: Vec<_> = (0..count).map(|_| row(&mut random)).collect();
                    let body = json!({"id": format!("c{number}-{k}"), "rows": rows});
                    let reply = client.post("/v1/models/m/learn", &body);
                    if reply.status == 507 {
                        refused += 1;
                        if refused == 20 {
                            break;
                        }
                        continue;
                    }
                    let reply = reply.expect(200);
                    let seq = reply["seq"].as_u64().unwrap();
                    assert!(reply.get("repeated").is_none() && seq > last, "{reply}");
                    (last, learned) = (seq, learned + count);
                    // what was acknowledged is seen, and is known as learned
                    let ask = json!({"rows": [{"features": {"a": 1}}], "min_seq": seq});
                    client
                        .post("/v1/models/m/predict?feedback=false", &ask)
                        .expect(200);
                    let again = client.post("/v1/models/m/learn", &body);
                    assert!(again.status == 507 || again.json()["seq"] == seq);
                }
                learned
            })
        })
        .collect();
    let learned: usize = clients
        .into_iter()
        .map(|client| client.join().unwrap())
        .sum();
    let mut client = server.client();
    let about = client.get("/v1/models/m").expect(200);
    assert_eq!(
        (&about["seq"], &about["rows"]),
        (&json!(learned), &json!(learned))
    );
    let file = client.get("/v1/models/m/model").body;
    assert_eq!(server.stop(), Some(0));
    assert!(replayed(&dir, "m") == file);
}

#[test]
fn a_directory_that_cannot_be_written_is_named_at_once() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("file");
    std::fs::write(&file, "x").unwrap();
    let begun = std::time::Instant::now();
    let said = Server::try_start(&file.join("state"), &[])
        .err()
        .expect("refused");
    assert!(
        said.contains("file/state") && begun.elapsed().as_secs() < 5,
        "{said}"
    );
    let dir = folder.path().join("ro");
    std::fs::create_dir(&dir).unwrap();
    let bound = Command::new("mount")
        .args(["--bind"])
        .args([&dir, &dir])
        .status();
    let bound = bound.is_ok_and(|s| s.success())
        && Command::new("mount")
            .args(["-o", "remount,ro,bind"])
            .arg(&dir)
            .status()
            .is_ok_and(|s| s.success());
    if bound {
        let said = Server::try_start(&dir.join("state"), &[]).err();
        let _ = Command::new("umount").arg("-l").arg(&dir).status();
        let said = said.expect("refused");
        assert!(
            said.contains("ro/state") && said.contains("Read-only"),
            "{said}"
        );
    } else {
        println!("skipped: no directory can be made read-only here");
    }
}

#[test]
fn calls_that_fail_end_the_server_and_lose_nothing() {
    if !has("strace") {
        println!("skipped: strace is not installed");
        return;
    }
    for call in crate::campaign::CALLS {
        for number in [2, 5] {
            crate::campaign::failing_call(10, call, number);
        }
    }
}
