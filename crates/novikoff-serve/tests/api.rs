//! The endpoints, with the real binary.

use std::io::{BufRead as _, BufReader, Write as _};
use std::net::TcpStream;
use std::process::Command;

use serde_json::json;

use crate::common::{Client, Random, Server, replayed, row};

#[test]
fn a_model_is_made_taught_asked_and_deleted() {
    let folder = tempfile::tempdir().unwrap();
    let dir = folder.path().join("state");
    let server = Server::start(&dir, &[]);
    let mut client = server.client();
    assert_eq!(client.get("/healthz").text(), "ok\n");
    assert_eq!(client.get("/readyz").text(), "ok\n");
    let made = client.post(
        "/v1/models",
        &json!({"name": "spam", "spec": "perceptron", "options": {"bias": 1}}),
    );
    let made = made.expect(201);
    assert_eq!(
        (&made["name"], &made["spec"], &made["seq"]),
        (&json!("spam"), &json!("perceptron"), &json!(0))
    );
    client
        .post("/v1/models", &json!({"name": "spam"}))
        .expect(409);
    // before the first row
    let before = client
        .post(
            "/v1/models/spam/predict",
            &json!({"rows": [{"features": {"a": 1}}]}),
        )
        .expect(200);
    assert_eq!(
        (&before["seq"], &before["predictions"][0]["label"]),
        (&json!(0), &json!(null))
    );
    client.get("/v1/models/spam/model").expect(409);
    client.get("/v1/models/spam/certificate").expect(409);
    let learned = client.post("/v1/models/spam/learn", &json!({"id": "req-1", "rows": [
        {"features": {"a": 1, "city": "Oslo"}, "label": "yes"},
        {"features": {"a": -1, "city": "Rome", "text": ["cheap", "pills", "cheap"]}, "label": "no"},
        {"features": {"a": 2, "new": true}, "label": "yes", "weight": 1},
    ]})).expect(200);
    assert_eq!(
        (&learned["seq"], &learned["sync"]),
        (&json!(3), &json!("always"))
    );
    assert_eq!(learned["predictions"].as_array().unwrap().len(), 3);
    assert!(learned.get("repeated").is_none());
    let about = client.get("/v1/models/spam").expect(200);
    assert_eq!(
        (&about["seq"], &about["rows"], &about["classes"]),
        (&json!(3), &json!(3), &json!(["no", "yes"]))
    );
    assert_eq!(
        about["features"], 6,
        "a, city=Oslo, city=Rome, text^cheap, text^pills, new"
    );
    assert_eq!(
        client.get("/v1/models").expect(200)["models"][0]["name"],
        "spam"
    );
    // the same id is learned once
    let again = client.post("/v1/models/spam/learn", &json!({"id": "req-1", "rows": [
        {"features": {"a": 1, "city": "Oslo"}, "label": "yes"},
        {"features": {"a": -1, "city": "Rome", "text": ["cheap", "pills", "cheap"]}, "label": "no"},
        {"features": {"a": 2, "new": true}, "label": "yes", "weight": 1},
    ]})).expect(200);
    assert_eq!(
        (&again["seq"], &again["repeated"]),
        (&json!(3), &json!(true))
    );
    client
        .post(
            "/v1/models/spam/learn",
            &json!({"id": "req-1", "rows": [{"features": {"a": 1}, "label": "no"}]}),
        )
        .expect(409);
    let asked = client
        .post(
            "/v1/models/spam/predict",
            &json!({"min_seq": 3, "rows": [{"features": {"a": 5, "never": 1}}]}),
        )
        .expect(200);
    assert_eq!(
        (
            &asked["seq"],
            &asked["unknown"],
            &asked["predictions"][0]["label"]
        ),
        (&json!(3), &json!(1), &json!("yes"))
    );
    assert!(asked["predictions"][0]["margins"]["no"].is_number());
    client
        .post(
            "/v1/models/spam/predict",
            &json!({"min_seq": 4, "rows": []}),
        )
        .expect(409);
    // files, weights, history
    let file = client.get("/v1/models/spam/model");
    assert_eq!((file.status, file.header("novikoff-seq")), (200, Some("3")));
    assert_eq!(file.body, replayed(&dir, "spam"));
    let weights = client.get("/v1/models/spam/weights?top=2").expect(200);
    assert_eq!(weights["classes"][0]["class"], "no");
    assert!(weights["classes"][1]["weights"].as_array().unwrap().len() <= 2);
    let history = client.get("/v1/models/spam/history").expect(200);
    assert_eq!(
        history["points"].as_array().unwrap().last().unwrap()["seq"],
        3
    );
    assert_eq!(
        client.send("DELETE", "/v1/models/spam", None, b"").status,
        204
    );
    client.get("/v1/models/spam").expect(404);
    assert!(!dir.join("models/spam").exists());
    assert_eq!(server.stop(), Some(0));
}

#[test]
fn what_is_wrong_is_said_and_nothing_is_learned() {
    let folder = tempfile::tempdir().unwrap();
    let server = Server::start(
        &folder.path().join("state"),
        &[
            "--max-body",
            "100000",
            "--model",
            "m=perceptron",
            "--model",
            "w=winnow:theta=1",
        ],
    );
    let mut client = server.client();
    client
        .post(
            "/v1/models",
            &json!({"name": "two", "spec": "perceptron", "options": {"labels": ["no", "yes"]}}),
        )
        .expect(201);
    let good = json!({"features": {"a": 1}, "label": "yes"});
    client
        .post("/v1/models/two/learn", &json!({"rows": [good]}))
        .expect(200);
    for (path, body, status, row, part) in [
        (
            "two",
            json!({"rows": [good, {"features": {"a": 1}, "label": "maybe"}]}),
            422,
            Some(1),
            "maybe",
        ),
        (
            "two",
            json!({"rows": [good, {"features": {"a": 1}}]}),
            422,
            Some(1),
            "no label",
        ),
        (
            "two",
            json!({"rows": [good, {"features": {"a": null}, "label": "no"}]}),
            422,
            Some(1),
            "null",
        ),
        (
            "two",
            json!({"rows": [good, {"features": {"a": 1e300}, "label": "no"}]}),
            422,
            Some(1),
            "f32",
        ),
        (
            "two",
            json!({"rows": [good, {"features": [[0, 1]], "label": "no"}]}),
            422,
            Some(1),
            "index 0",
        ),
        (
            "two",
            json!({"rows": [good, {"features": [[4_000_000_000_u64, 1]], "label": "no"}]}),
            422,
            Some(1),
            "--max-features",
        ),
        (
            "two",
            json!({"rows": [good, {"features": {"a": {"b": [[1]]}}, "label": "no"}]}),
            422,
            Some(1),
            "a.b",
        ),
        (
            "two",
            json!({"rows": [{"label": "no"}]}),
            400,
            Some(0),
            "features",
        ),
        (
            "two",
            json!({"rows": [{"features": {"a": 1}, "label": "no", "weight": -1}]}),
            422,
            Some(0),
            "weight",
        ),
        ("two", json!({"rows": []}), 422, None, "no rows"),
        ("two", json!({"row": []}), 400, None, "rows"),
        ("two", json!({"id": "", "rows": [good]}), 422, None, "id"),
        ("two", json!([]), 400, None, "object"),
        (
            "w",
            json!({"rows": [{"features": {"a": 1}, "label": 1}, {"features": {"a": -1}, "label": -1}]}),
            422,
            Some(1),
            "negative",
        ),
    ] {
        let reply = client.post(&format!("/v1/models/{path}/learn"), &body);
        let problem = reply.expect(status);
        assert_eq!(
            reply.header("content-type"),
            Some("application/problem+json"),
            "{body}"
        );
        assert_eq!(problem["status"], status);
        assert_eq!(problem["row"].as_u64(), row, "{body}: {problem}");
        assert!(
            problem["detail"].as_str().unwrap().contains(part),
            "{body}: {problem}"
        );
    }
    assert_eq!(client.get("/v1/models/two").expect(200)["seq"], 1);
    assert_eq!(
        client.get("/v1/models/two").expect(200)["features"],
        1,
        "names of refused bodies are not kept"
    );
    assert_eq!(client.get("/v1/models/w").expect(200)["seq"], 0);
    client
        .post(
            "/v1/models/w/learn",
            &json!({"rows": [{"features": {"b": 1}, "label": 1}]}),
        )
        .expect(200);
    let learn = "/v1/models/m/learn";
    assert_eq!(
        client
            .send("POST", learn, Some("application/json"), b"{")
            .expect(400)["title"],
        "bad body"
    );
    client
        .send("POST", learn, Some("text/csv"), b"1,2")
        .expect(415);
    client
        .send("POST", learn, Some("text/x-svmlight"), b"\x1f\x8b\x08")
        .expect(415);
    client
        .send(
            "POST",
            learn,
            Some("application/json"),
            &vec![b' '; 100_001],
        )
        .expect(413);
    client
        .send(
            "POST",
            "/v1/models/m/learn?idd=1",
            Some("text/x-vw"),
            b"1 | a",
        )
        .expect(400);
    client
        .get("/v1/models/m/certificate?effort=much")
        .expect(422);
    client.get("/v1/models/none").expect(404);
    client.get("/v2").expect(404);
    client.send("PUT", "/v1/models", None, b"").expect(405);
    for (body, part) in [
        (json!({"name": "a/b"}), "name"),
        (json!({"name": "n", "spec": "percepton"}), "perceptron"),
        (json!({"name": "n", "options": {"colour": 1}}), "colour"),
    ] {
        let problem = client.post("/v1/models", &body).expect(422);
        assert!(
            problem["detail"].as_str().unwrap().contains(part),
            "{problem}"
        );
    }
    client
        .send("PUT", "/v1/models/m/model", None, b"no model")
        .expect(422);
    assert_eq!(server.stop(), Some(0));
}

#[test]
fn labels_may_come_later() {
    let folder = tempfile::tempdir().unwrap();
    let dir = folder.path().join("state");
    let server = Server::start(&dir, &["--model", "m=perceptron", "--feedback-rows", "3"]);
    let mut client = server.client();
    let body = json!({"rows": [{"features": {"a": 1}}, {"features": {"b": 2, "city": "Oslo"}}]});
    let asked = client.post("/v1/models/m/predict", &body).expect(200);
    let ids: Vec<String> = (0..2)
        .map(|k| asked["predictions"][k]["id"].as_str().unwrap().to_owned())
        .collect();
    let learned = client
        .post(
            "/v1/models/m/feedback",
            &json!({"id": ids[1], "label": "yes"}),
        )
        .expect(200);
    assert_eq!(learned["seq"], 1);
    let again = client
        .post(
            "/v1/models/m/feedback",
            &json!({"id": ids[1], "label": "yes"}),
        )
        .expect(200);
    assert_eq!(
        (&again["seq"], &again["repeated"]),
        (&json!(1), &json!(true))
    );
    client
        .post(
            "/v1/models/m/feedback",
            &json!({"id": ids[1], "label": "no"}),
        )
        .expect(409);
    client
        .post(
            "/v1/models/m/feedback",
            &json!({"id": "0-0", "label": "no"}),
        )
        .expect(404);
    // older rows make room for newer ones
    client.post("/v1/models/m/predict", &body).expect(200);
    client
        .post(
            "/v1/models/m/feedback",
            &json!({"id": ids[0], "label": "no"}),
        )
        .expect(404);
    let unkept = client
        .post("/v1/models/m/predict?feedback=false", &body)
        .expect(200);
    assert_eq!(unkept["predictions"][0]["id"], json!(null));
    let about = client.get("/v1/models/m").expect(200);
    assert_eq!(
        about["features"], 2,
        "b and city=Oslo, of the row that was predicted"
    );
    assert_eq!(server.stop(), Some(0));
    // a label that was learned is known after a restart, though the row is not
    let server = Server::start(&dir, &[]);
    let again = server
        .client()
        .post(
            "/v1/models/m/feedback",
            &json!({"id": ids[1], "label": "yes"}),
        )
        .expect(200);
    assert_eq!(
        (&again["seq"], &again["repeated"]),
        (&json!(1), &json!(true))
    );
}

#[test]
fn a_certificate_holds_and_learning_goes_on() {
    let folder = tempfile::tempdir().unwrap();
    let server = Server::start(&folder.path().join("state"), &["--model", "m=perceptron"]);
    let mut client = server.client();
    client.post("/v1/models", &json!({"name": "two", "spec": "perceptron", "options": {"labels": ["no", "yes"], "bias": 1}})).expect(201);
    let mut random = Random(5);
    for model in ["m", "two"] {
        for _ in 0..20 {
            let rows: Vec<_> = (0..10).map(|_| row(&mut random)).collect();
            client
                .post(&format!("/v1/models/{model}/learn"), &json!({"rows": rows}))
                .expect(200);
        }
    }
    let about = client.get("/v1/models/two").expect(200);
    let certified = client.get("/v1/models/two/certificate").expect(200);
    assert_eq!(
        (&certified["seq"], &certified["mistakes"]),
        (&json!(200), &about["mistakes"])
    );
    let certificate = &certified["certificate"];
    assert_eq!(certificate["mistakes"], about["mistakes"], "{certified}");
    assert!(certificate["bound"].as_f64().unwrap() >= about["mistakes"].as_f64().unwrap());
    let curve = certified["curve"].as_array().unwrap();
    let end = curve.last().expect("a curve");
    assert_eq!(end["seq"], certified["seq"], "{certified}");
    assert!(end["bound"].as_f64().unwrap() >= about["mistakes"].as_f64().unwrap());
    assert_eq!(certified["history"].as_array().unwrap().len(), 1);
    client
        .post("/v1/models/two/learn", &json!({"rows": [row(&mut random)]}))
        .expect(200);
    let later = client
        .get("/v1/models/two/certificate?effort=full")
        .expect(200);
    assert_eq!(later["history"].as_array().unwrap().len(), 2);
    // one problem per class has one certificate per class
    let several = client.get("/v1/models/m/certificate").expect(200);
    assert_eq!(several["classes"].as_array().unwrap().len(), 2, "{several}");
    assert!(several["classes"][0]["certificate"]["bound"].is_number());
    let mistakes = client.get("/v1/models/two/mistakes").expect(200);
    assert!(mistakes["mistakes"][0]["features"].is_object());
}

#[test]
fn events_come_as_rows_are_learned() {
    let folder = tempfile::tempdir().unwrap();
    let server = Server::start(&folder.path().join("state"), &["--model", "m=perceptron"]);
    let mut stream = TcpStream::connect(server.address).unwrap();
    stream
        .set_read_timeout(Some(std::time::Duration::from_secs(30)))
        .unwrap();
    write!(
        stream,
        "GET /v1/models/m/events HTTP/1.1\r\nhost: localhost\r\n\r\n"
    )
    .unwrap();
    let mut lines = BufReader::new(stream).lines().map_while(Result::ok);
    let mut next = || {
        lines
            .by_ref()
            .find_map(|line| Some(line.strip_prefix("data: ")?.to_owned()))
            .unwrap()
    };
    assert!(next().contains("\"seq\":0"));
    server
        .client()
        .post(
            "/v1/models/m/learn",
            &json!({"rows": [{"features": {"a": 1}, "label": "x"}]}),
        )
        .expect(200);
    assert!(next().contains("\"seq\":1"));
    // the end of the server ends events, so they do not hold it up
    let begun = std::time::Instant::now();
    assert_eq!(server.stop(), Some(0));
    assert!(begun.elapsed().as_secs() < 8);
}

#[test]
fn a_model_file_goes_out_and_in() {
    let folder = tempfile::tempdir().unwrap();
    let dir = folder.path().join("state");
    let server = Server::start(&dir, &["--model", "a=averaged", "--model", "b=averaged"]);
    let mut client = server.client();
    let mut random = Random(9);
    let rows: Vec<_> = (0..50).map(|_| row(&mut random)).collect();
    client
        .post("/v1/models/a/learn", &json!({"rows": rows}))
        .expect(200);
    let file = client.get("/v1/models/a/model").body;
    client
        .post("/v1/models/b/learn", &json!({"rows": [row(&mut random)]}))
        .expect(200);
    let about = client
        .send("PUT", "/v1/models/b/model", None, &file)
        .expect(200);
    assert_eq!(
        (&about["seq"], &about["rows"]),
        (&json!(1), &json!(50)),
        "seq never goes back"
    );
    assert_eq!(client.get("/v1/models/b/model").body, file);
    let more: Vec<_> = (0..50).map(|_| row(&mut random)).collect();
    for model in ["a", "b"] {
        client
            .post(&format!("/v1/models/{model}/learn"), &json!({"rows": more}))
            .expect(200);
    }
    let file = client.get("/v1/models/a/model").body;
    assert_eq!(
        client.get("/v1/models/b/model").body,
        file,
        "both learned the same"
    );
    let reply = client.get("/v1/models/b/certificate").expect(200);
    assert!(
        reply["certificate"].is_null() && reply["reason"].as_str().unwrap().contains("uploaded")
    );
    assert_eq!(server.stop(), Some(0));
    assert_eq!(replayed(&dir, "b"), file);
}

#[test]
fn costs_decide_where_there_are_probabilities() {
    let folder = tempfile::tempdir().unwrap();
    let server = Server::start(&folder.path().join("state"), &["--model", "m=perceptron"]);
    let mut client = server.client();
    client
        .post(
            "/v1/models",
            &json!({"name": "p", "spec": "logistic", "options": {"labels": ["no", "yes"]}}),
        )
        .expect(201);
    let mut random = Random(3);
    let rows: Vec<_> = (0..200).map(|_| row(&mut random)).collect();
    client
        .post("/v1/models/p/learn", &json!({"rows": rows}))
        .expect(200);
    client
        .post("/v1/models/m/learn", &json!({"rows": rows}))
        .expect(200);
    let ask = json!({"cost": "1:99", "rows": [{"features": {"a": -0.1}}]});
    let asked = client.post("/v1/models/p/predict", &ask).expect(200);
    let answer = &asked["predictions"][0];
    let p = answer["probability"].as_f64().unwrap();
    assert!(p > 0.01 && p < 0.99, "{answer}");
    assert_eq!(
        answer["decision"], "yes",
        "a missed yes costs 99 times as much"
    );
    assert!((answer["expected_cost"].as_f64().unwrap() - (1.0 - p)).abs() < 1e-12);
    client.post("/v1/models/m/predict", &ask).expect(422);
    client
        .post("/v1/models/p/predict", &json!({"cost": "x", "rows": []}))
        .expect(422);
}

#[test]
fn a_log_is_learned_by_another_learner_and_into_a_certificate() {
    let folder = tempfile::tempdir().unwrap();
    let dir = folder.path().join("state");
    let server = Server::start(&dir, &["--model", "m=perceptron"]);
    let mut random = Random(11);
    let rows: Vec<_> = (0..300).map(|_| row(&mut random)).collect();
    server
        .client()
        .post("/v1/models/m/learn", &json!({"rows": rows}))
        .expect(200);
    assert_eq!(server.stop(), Some(0));
    let run = |words: &[&str]| {
        let ran = Command::new(crate::common::BINARY)
            .arg("log")
            .args(words)
            .arg(&dir)
            .output()
            .unwrap();
        assert!(
            ran.status.success(),
            "{}",
            String::from_utf8_lossy(&ran.stderr)
        );
        String::from_utf8(ran.stdout).unwrap()
    };
    assert!(run(&["check"]).contains("2 records, 300 rows"));
    let other: serde_json::Value =
        serde_json::from_str(&run(&["replay", "-a", "arow", "--json"])).unwrap();
    assert_eq!(
        (&other["spec"], &other["data"]["rows"]),
        (&json!("arow"), &json!(300))
    );
    let certified: serde_json::Value =
        serde_json::from_str(&run(&["replay", "--certify=quick", "--json"])).unwrap();
    assert!(
        certified["classes"][0]["certificate"]["bound"].is_number(),
        "{certified}"
    );
    assert!(run(&["replay"]).starts_with("perceptron: 300 rows"));
    assert!(run(&["repair"]).contains("nothing to repair"));
}

/// Models of `novikoff solve` answer as the command does, learn nothing, and are there after a restart.
#[test]
fn a_solved_model_predicts_and_does_not_learn() {
    let models = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../testdata/models");
    let folder = tempfile::tempdir().unwrap();
    for (name, rows) in [
        ("solve-bias", "two-b.svm"),
        ("solve-free-bias", "two-b.svm"),
        ("solve-kernel", "two-b.svm"),
        ("solve-three", "three-b.svm"),
    ] {
        let dir = folder.path().join(name);
        let mut server = Server::start(&dir, &["--model", "m"]);
        let mut client = server.client();
        let file = std::fs::read(models.join(format!("{name}.model"))).unwrap();
        client
            .send("PUT", "/v1/models/m/model", None, &file)
            .expect(200);
        let text = std::fs::read(models.join(rows)).unwrap();
        let ask = |client: &mut Client| {
            let kind = Some("text/x-svmlight");
            client
                .send("POST", "/v1/models/m/predict?feedback=false", kind, &text)
                .expect(200)["predictions"]
                .clone()
        };
        let answers = ask(&mut client);
        let printed = std::fs::read_to_string(models.join(format!("{name}.margins"))).unwrap();
        for (line, answer) in printed.lines().zip(answers.as_array().unwrap()) {
            let margins: Vec<f64> = line
                .split_whitespace()
                .filter_map(|word| word.rsplit(':').next()?.parse().ok())
                .collect();
            let margin = answer["margin"].as_f64().unwrap();
            assert!(
                margins
                    .iter()
                    .any(|own| (own - margin).abs() <= 1e-9 * own.abs().max(1.0)),
                "{name}: {line}: {answer}"
            );
        }
        assert_eq!(printed.lines().count(), answers.as_array().unwrap().len());
        let body = json!({"rows": [{"features": {"1": 1}, "label": "1"}]});
        let problem = client.post("/v1/models/m/learn", &body).expect(422);
        let detail = problem["detail"].as_str().unwrap();
        assert!(detail.contains("does not learn row by row"), "{detail}");
        assert_eq!(client.get("/v1/models/m").expect(200)["seq"], 0);
        assert_eq!(client.get("/v1/models/m/model").body, file, "{name}");
        server.kill();
        // from the log, and from the snapshot
        for _ in 0..2 {
            let server = Server::start(&dir, &[]);
            assert_eq!(ask(&mut server.client()), answers, "{name}");
            assert_eq!(server.stop(), Some(0));
        }
    }
}
