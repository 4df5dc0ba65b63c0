//! The learner that a model has if nobody names one: `auto`.

use std::process::Command;

use serde_json::{Value, json};

use crate::common::{Client, Random, Server, replayed, row};

fn teach(client: &mut Client, model: &str, random: &mut Random, requests: usize) {
    for _ in 0..requests {
        let rows: Vec<_> = (0..10).map(|_| row(random)).collect();
        client
            .post(&format!("/v1/models/{model}/learn"), &json!({"rows": rows}))
            .expect(200);
    }
}

#[test]
fn a_model_without_a_spec_is_auto_and_shows_its_learners() {
    let folder = tempfile::tempdir().unwrap();
    let dir = folder.path().join("state");
    let server = Server::start(&dir, &["--model", "flag"]);
    let mut client = server.client();
    let made = client
        .post(
            "/v1/models",
            &json!({"name": "form", "options": {"labels": ["no", "yes"]}}),
        )
        .expect(201);
    assert_eq!(made["spec"], "auto");
    assert_eq!(client.get("/v1/models/flag").expect(200)["spec"], "auto");
    let before = client.get("/v1/models/form/weights").expect(200);
    assert!(before.get("experts").is_none(), "{before}");
    let mut random = Random(31);
    for model in ["flag", "form"] {
        teach(&mut client, model, &mut random, 30);
        let about = client.get(&format!("/v1/models/{model}")).expect(200);
        assert_eq!(about["rows"], 300);
        let mistakes = about["mistakes"].as_u64().unwrap();
        assert!((1..100).contains(&mistakes), "{about}");
        assert_eq!(about["validation"]["rows"], 300);
        let weights = client
            .get(&format!("/v1/models/{model}/weights?top=3"))
            .expect(200);
        let experts = weights["experts"].as_array().unwrap();
        assert!(experts.len() > 2, "{weights}");
        let sum: f64 = experts.iter().map(|e| e["weight"].as_f64().unwrap()).sum();
        assert!((sum - 1.0).abs() < 1e-9, "{weights}");
        let running = experts.iter().filter(|expert| expert["retired"].is_null());
        let least = running.min_by_key(|e| e["mistakes"].as_u64()).unwrap();
        assert_eq!(weights["expert"], least["spec"]);
        let classes = weights["classes"].as_array().unwrap();
        assert!(!classes.is_empty(), "{weights}");
        for class in classes {
            assert_eq!(class["weights"].as_array().unwrap().len(), 3, "{class}");
        }
        let asked = client.post(
            &format!("/v1/models/{model}/predict"),
            &json!({"rows": [{"features": {"a": 1, "b": 1}}, {"features": {"a": -1, "b": -1}}]}),
        );
        let asked = asked.expect(200);
        assert_eq!(
            (
                &asked["predictions"][0]["label"],
                &asked["predictions"][1]["label"]
            ),
            (&json!("yes"), &json!("no"))
        );
    }
    assert_eq!(server.stop(), Some(0));
}

#[test]
fn auto_comes_back_from_its_log_and_from_snapshots() {
    let folder = tempfile::tempdir().unwrap();
    let dir = folder.path().join("state");
    let words = [
        "--snapshot-rows",
        "70",
        "--segment-bytes",
        "8000",
        "--model",
        "m",
    ];
    let mut random = Random(37);
    let mut server = Server::start(&dir, &words);
    for round in 0..4 {
        let mut client = server.client();
        teach(&mut client, "m", &mut random, 15);
        let about = client.get("/v1/models/m").expect(200);
        let weights = client.get("/v1/models/m/weights").expect(200);
        let file = client.get("/v1/models/m/model").body;
        if round % 2 == 0 {
            server.kill();
        } else {
            assert_eq!(server.stop(), Some(0));
        }
        assert!(replayed(&dir, "m") == file, "round {round}");
        server = Server::start(&dir, &words);
        let mut client = server.client();
        let after = client.get("/v1/models/m").expect(200);
        for key in ["seq", "rows", "mistakes", "updates", "validation", "window"] {
            assert_eq!(after[key], about[key], "round {round}: {key}");
        }
        assert_eq!(client.get("/v1/models/m/weights").expect(200), weights);
        assert!(
            client.get("/v1/models/m/model").body == file,
            "round {round}"
        );
    }
    // a snapshot and the log alone give the same bytes
    let file = server.client().get("/v1/models/m/model").body;
    assert_eq!(server.stop(), Some(0));
    let snapshots = novikoff_serve::snapshot::list(&dir.join("models/m"));
    assert!(!snapshots.is_empty());
    for (_, path) in snapshots {
        std::fs::remove_file(path).unwrap();
    }
    assert!(replayed(&dir, "m") == file);
    // a file of auto goes into another model
    let server = Server::start(&dir, &["--model", "other"]);
    let mut client = server.client();
    let about = client
        .send("PUT", "/v1/models/other/model", None, &file)
        .expect(200);
    assert_eq!((&about["seq"], &about["rows"]), (&json!(0), &json!(600)));
    for model in ["m", "other"] {
        teach(&mut client, model, &mut Random(41), 3);
    }
    let file = client.get("/v1/models/m/model").body;
    assert!(client.get("/v1/models/other/model").body == file);
}

#[test]
fn auto_is_certified_and_replayed_through_another_learner() {
    let folder = tempfile::tempdir().unwrap();
    let dir = folder.path().join("state");
    let server = Server::start(&dir, &[]);
    let mut client = server.client();
    client
        .post(
            "/v1/models",
            &json!({"name": "m", "options": {"labels": ["no", "yes"]}}),
        )
        .expect(201);
    teach(&mut client, "m", &mut Random(43), 30);
    let about = client.get("/v1/models/m").expect(200);
    let reply = client.get("/v1/models/m/certificate").expect(200);
    let certificate = &reply["certificate"];
    assert_eq!(
        (&certificate["theorem"], &certificate["holds"]),
        (&json!("WM"), &json!(true)),
        "{reply}"
    );
    assert_eq!(certificate["mistakes"], about["mistakes"]);
    assert!(certificate["bound"].as_f64() >= about["mistakes"].as_f64());
    assert!(certificate["expert"]["spec"].is_string(), "{certificate}");
    assert_eq!(server.stop(), Some(0));
    let run = |words: &[&str]| -> Value {
        let ran = Command::new(crate::common::BINARY)
            .args(["log", "replay", "--json"])
            .args(words)
            .arg(&dir)
            .output()
            .unwrap();
        let said = String::from_utf8_lossy(&ran.stderr);
        assert!(ran.status.success(), "{words:?}: {said}");
        serde_json::from_slice(&ran.stdout).unwrap()
    };
    let same = run(&[]);
    assert_eq!(
        (&same["spec"], &same["mistakes"]),
        (&json!("auto"), &about["mistakes"])
    );
    let other = run(&["-a", "arow"]);
    assert_eq!(
        (&other["spec"], &other["data"]["rows"]),
        (&json!("arow"), &json!(300))
    );
    let certified = run(&["--certify=quick"]);
    assert_eq!(certified["mistakes"], about["mistakes"]);
    assert_eq!(certified["certificate"]["theorem"], "WM", "{certified}");
    assert_eq!(certified["certificate"]["bound"], certificate["bound"]);
    // and another learner's log through auto
    let back = run(&["-a", "auto(perceptron; arow)", "--certify=quick"]);
    assert_eq!(back["experts"].as_array().map(Vec::len), Some(2), "{back}");
}
