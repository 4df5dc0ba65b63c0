//! A model that knows columns reads JSON objects as the command reads JSON lines: text, dates, categories and missing values.

use std::path::{Path, PathBuf};
use std::process::Command;

use novikoff::evaluation::ScoreUnit;
use novikoff::label::RawLabel;
use novikoff::schema::Schema;
use novikoff::spec::Spec;
use novikoff::table::{Column, ColumnKind, Missing, Table};
use novikoff_data::json::{ObjectColumns, ObjectRows};
use novikoff_data::named_rows::NamedRows;
use novikoff_data::options::ReadOptions;
use novikoff_engine::Error;
use novikoff_engine::data::Data;
use novikoff_engine::events::{Context, Quiet};
use novikoff_engine::fit::Fit;
use novikoff_engine::options::{RowOptions, RunOptions};
use novikoff_engine::predict::{Answers, Decision, Predict};
use serde_json::{Value, json};

use crate::common::{BINARY, Client, Random, Reply, Server};

/// Messages with a text, a date, a category, a number that may be null, a nested field and a list.
fn messages(seed: u64, count: usize) -> Vec<Value> {
    let mut random = Random(seed);
    let spam = ["free", "winner", "prize", "cash", "click"];
    let ham = ["meeting", "report", "lunch", "agenda", "thanks"];
    let both = ["the", "a", "please", "today", "we", "and", "Re"];
    let mut pick = |limit: u64| random.below(limit) as usize;
    let mut message = || {
        let is_spam = pick(2) == 0;
        let (own, other) = if is_spam { (spam, ham) } else { (ham, spam) };
        let mut words = Vec::new();
        for _ in 0..3 + pick(8) {
            words.push(match pick(10) {
                0 => other[pick(5)].to_uppercase(),
                1..=4 => own[pick(5)].to_owned(),
                5 => format!("x{}", pick(500)),
                _ => both[pick(7)].to_owned(),
            });
        }
        let age = match pick(4) {
            0 => Value::Null,
            _ => json!((1 + pick(3000)) as f64 / 7000.0),
        };
        let (month, day, hour) = (1 + pick(12), 1 + pick(28), pick(24));
        let city = ["Oslo", "Rome", "Lima"][pick(3)];
        json!({
            "text": words.join(" "),
            "sent": format!("2024-{month:02}-{day:02}T{hour:02}:10:00"),
            "city": city,
            "age": age,
            "from": {"score": (1 + pick(100)) as f64 / 900.0},
            "spam": if is_spam { "yes" } else { "no" },
        })
    };
    (0..count).map(|_| message()).collect()
}

fn save(folder: &Path, name: &str, messages: &[Value]) -> PathBuf {
    let path = folder.join(name);
    let lines: String = messages
        .iter()
        .map(|message| format!("{message}\n"))
        .collect();
    std::fs::write(&path, lines).unwrap();
    path
}

/// `novikoff train`, by the engine.
fn train(data: &Path, resume: Option<&Path>, output: &Path, read: ReadOptions, standardize: bool) {
    let fit = Fit {
        data: Data::Files(vec![data.to_owned()]),
        spec: resume.is_none().then(|| Spec::parse("arow").unwrap()),
        resume: resume.map(Path::to_owned),
        output: Some(output.to_owned()),
        checkpoint: None,
        trace: None,
        test: None,
        run: RunOptions {
            standardize,
            ..RunOptions::default()
        },
        rows: RowOptions {
            read,
            lenient: true,
            ..RowOptions::default()
        },
        certify: None,
        charts: false,
    };
    let interrupt = novikoff_engine::Interrupt::default();
    let fitted = fit.run(Context::new(&Quiet, &interrupt));
    fitted.unwrap_or_else(|error| panic!("{error}"));
}

/// The margins that `novikoff predict --margins` writes.
#[derive(Default)]
struct Margins(Vec<f64>);

impl Answers for Margins {
    fn begin(&mut self, columns: &[String]) {
        assert_eq!(columns.len(), 1, "{columns:?}");
    }

    fn text(&mut self, text: &[u8]) {
        panic!("{}", String::from_utf8_lossy(text));
    }

    fn number(&mut self, number: f64) {
        self.0.push(number);
    }

    fn end_row(&mut self) {}

    fn end_block(&mut self, _: bool) -> Result<(), Error> {
        Ok(())
    }
}

fn of_command(model: &Path, data: &Path) -> Vec<f64> {
    let predict = Predict {
        model: model.to_owned(),
        data: Data::Files(vec![data.to_owned()]),
        by: None,
        decision: Decision::Own,
        values: Some(ScoreUnit::Margin),
        id: None,
        rows: RowOptions::default(),
    };
    let interrupt = novikoff_engine::Interrupt::default();
    let mut margins = Margins::default();
    let said = predict.run(Context::new(&Quiet, &interrupt), &mut margins);
    said.unwrap_or_else(|error| panic!("{error}"));
    margins.0
}

/// The margins of a reply, by their digits: the JSON reader may round them.
fn margins(reply: &Reply) -> Vec<f64> {
    reply.expect(200);
    let text = reply.text();
    let parts = text.split("\"margin\":").skip(1);
    let number = |part: &str| {
        part.split([',', '}'])
            .next()
            .unwrap()
            .parse::<f64>()
            .unwrap()
    };
    parts.map(number).collect()
}

/// A message as a row of a body; the label is where the command has it, too.
fn row(message: &Value) -> Value {
    json!({"features": message, "label": message["spam"]})
}

/// Rows as a JSON body, and as NDJSON.
fn of_service(client: &mut Client, name: &str, messages: &[Value]) -> Vec<f64> {
    let rows: Vec<Value> = messages
        .iter()
        .map(|message| {
            let mut features = message.clone();
            features.as_object_mut().unwrap().remove("spam");
            json!({"features": features})
        })
        .collect();
    let path = format!("/v1/models/{name}/predict");
    let by_body = margins(&client.post(&path, &json!({"rows": rows})));
    let lines: String = messages.iter().map(|m| format!("{}\n", row(m))).collect();
    let kind = Some("application/x-ndjson");
    let by_lines = margins(&client.send("POST", &path, kind, lines.as_bytes()));
    assert_eq!(by_body, by_lines);
    by_body
}

fn upload(client: &mut Client, name: &str, file: &Path) {
    let bytes = std::fs::read(file).unwrap();
    let path = format!("/v1/models/{name}/model");
    client.send("PUT", &path, None, &bytes).expect(200);
}

fn learn_lines(client: &mut Client, name: &str, messages: &[Value]) {
    let lines: String = messages.iter().map(|m| format!("{}\n", row(m))).collect();
    let path = format!("/v1/models/{name}/learn");
    let kind = Some("application/x-ndjson");
    client
        .send("POST", &path, kind, lines.as_bytes())
        .expect(200);
}

/// `novikoff log replay`.
fn replayed(dir: &Path, name: &str, to: &Path) -> Vec<u8> {
    let ran = Command::new(BINARY)
        .args([
            "log",
            "replay",
            dir.to_str().unwrap(),
            "--model",
            name,
            "-o",
        ])
        .arg(to)
        .output()
        .unwrap();
    assert!(
        ran.status.success(),
        "{}",
        String::from_utf8_lossy(&ran.stderr)
    );
    std::fs::read(to).unwrap()
}

#[test]
fn a_trained_model_reads_objects_by_its_columns() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    let (first, next, last) = (messages(1, 400), messages(2, 150), messages(3, 100));
    let data = save(folder, "first.jsonl", &first);
    let more = save(folder, "next.jsonl", &next);
    let asked = save(folder, "last.jsonl", &last);
    let server = Server::start(&folder.join("state"), &["--model=m"]);
    let mut client = server.client();
    for (missing, standardize) in [
        (Missing::Indicator, true),
        (Missing::Mean, false),
        (Missing::Zero, false),
        (Missing::Indicator, false),
    ] {
        let read = ReadOptions {
            label: Some("spam".to_owned()),
            text: vec!["text".to_owned()],
            missing: Some(missing),
            ..ReadOptions::default()
        };
        let model = folder.join("trained.model");
        train(&data, None, &model, read, standardize);
        upload(&mut client, "m", &model);
        let expected = of_command(&model, &asked);
        assert_eq!(of_service(&mut client, "m", &last), expected, "{missing:?}");
        assert!(expected.iter().any(|&m| m > 0.0) && expected.iter().any(|&m| m < 0.0));
    }
    // the last model learns on: words are counted, and weighted by what was counted
    let resumed = folder.join("resumed.model");
    let trained = folder.join("trained.model");
    train(
        &more,
        Some(&trained),
        &resumed,
        ReadOptions::default(),
        false,
    );
    for part in next.chunks(40) {
        learn_lines(&mut client, "m", part);
    }
    let expected = of_command(&resumed, &asked);
    assert_ne!(expected, of_command(&trained, &asked));
    assert_eq!(of_service(&mut client, "m", &last), expected);
    // and so does the file that the service gives
    let file = client.get("/v1/models/m/model").body;
    let downloaded = folder.join("downloaded.model");
    std::fs::write(&downloaded, &file).unwrap();
    assert_eq!(of_command(&downloaded, &asked), expected);
    // what is not what the model knows is refused
    let wrong = json!({"rows": [{"features": {"sent": "yesterday"}}]});
    let problem = client.post("/v1/models/m/predict", &wrong).expect(422);
    assert!(
        problem["detail"].as_str().unwrap().contains("date"),
        "{problem}"
    );
    assert_eq!(server.stop(), Some(0));
    assert!(replayed(&folder.join("state"), "m", &folder.join("replayed.model")) == file);
}

#[test]
fn a_model_of_the_service_has_fields_of_text() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    let dir = folder.join("state");
    let (first, last) = (messages(4, 300), messages(5, 80));
    let asked = save(folder, "last.jsonl", &last);
    let mut server = Server::start(&dir, &["--model=plain=arow"]);
    let mut client = server.client();
    let options = json!({"text": ["text"], "missing": "indicator", "labels": ["no", "yes"], "drop": ["sent", "spam"]});
    for name in ["m", "single"] {
        let create = json!({"name": name, "spec": "perceptron", "options": options});
        let about = client.post("/v1/models", &create).expect(201);
        assert_eq!(about["options"], options);
    }
    learn_lines(&mut client, "m", &first);
    // the label may come later, by the id of a prediction
    for message in &first {
        let body = json!({"rows": [{"features": message}]});
        let id = client.post("/v1/models/single/predict", &body).expect(200);
        let id = &id["predictions"][0]["id"];
        let label = json!({"id": id, "label": message["spam"]});
        client
            .post("/v1/models/single/feedback", &label)
            .expect(200);
    }
    let expected = of_service(&mut client, "m", &last);
    assert_eq!(of_service(&mut client, "single", &last), expected);
    let file = client.get("/v1/models/m/model").body;
    let downloaded = folder.join("downloaded.model");
    std::fs::write(&downloaded, &file).unwrap();
    assert_eq!(of_command(&downloaded, &asked), expected, "without --text");
    let right = expected.iter().zip(&last);
    let right = right.filter(|(m, message)| (**m > 0.0) == (message["spam"] == "yes"));
    assert!(right.count() > 50, "{expected:?}");
    let about = client.get("/v1/models/m").expect(200);
    assert_eq!(about["remarks"], json!([]), "{about}");
    let mistakes = client.get("/v1/models/m/mistakes").expect(200);
    assert!(
        mistakes["mistakes"].to_string().contains("text^"),
        "{mistakes}"
    );
    let certified = client.get("/v1/models/m/certificate").expect(200);
    assert_eq!(
        certified["certificate"]["mistakes"], about["mistakes"],
        "{certified}"
    );
    // killed, and stopped: the same model, and the same mistakes
    for kills in [true, false] {
        if kills {
            server.kill();
        } else {
            assert_eq!(server.stop(), Some(0));
        }
        server = Server::start(&dir, &[]);
        client = server.client();
        assert!(client.get("/v1/models/m/model").body == file);
        assert_eq!(client.get("/v1/models/m/mistakes").expect(200), mistakes);
        assert_eq!(of_service(&mut client, "m", &last), expected);
    }
    assert_eq!(server.stop(), Some(0));
    assert!(replayed(&dir, "m", &folder.join("replayed.model")) == file);
}

/// Without the option, a field of text is one category per message: the description says so, and what to do.
#[test]
fn strings_that_are_all_distinct_get_a_remark() {
    let folder = tempfile::tempdir().unwrap();
    let server = Server::start(&folder.path().join("state"), &["--model=m=perceptron"]);
    let mut client = server.client();
    let rows = |count: usize| -> Vec<Value> {
        let row = |k: usize| {
            let city = ["Oslo", "Rome"][k % 2];
            json!({"features": {"text": format!("message {k}"), "city": city}, "label": k % 2})
        };
        (0..count).map(row).collect()
    };
    client
        .post("/v1/models/m/learn", &json!({"rows": rows(99)}))
        .expect(200);
    let about = client.get("/v1/models/m").expect(200);
    assert_eq!(about["remarks"], json!([]), "too few: {about}");
    client
        .post("/v1/models/m/learn", &json!({"rows": rows(150)}))
        .expect(200);
    let listed = client.get("/v1/models").expect(200);
    let about = client.get("/v1/models/m").expect(200);
    assert_eq!(listed["models"][0]["remarks"], about["remarks"]);
    let remarks = about["remarks"].as_array().unwrap();
    assert_eq!(remarks.len(), 1, "{about}");
    assert_eq!(remarks[0]["kind"], "ids");
    let text = remarks[0]["text"].as_str().unwrap();
    for part in [
        "field text",
        "150 distinct",
        "249 rows",
        "\"text\": [\"text\"]",
    ] {
        assert!(text.contains(part), "{text}");
    }
}

/// Messages name what there is.
#[test]
fn remedies_are_those_of_the_service() {
    let folder = tempfile::tempdir().unwrap();
    let server = Server::start(&folder.path().join("state"), &["--model=m=logistic"]);
    let mut client = server.client();
    let good = json!({"features": {"a": 1, "note": "x"}, "label": "yes"});
    let learn = "/v1/models/m/learn";
    client.post(learn, &json!({"rows": [good]})).expect(200);
    let said = |reply: &Reply, status: u16| {
        let problem = reply.expect(status);
        problem["detail"].as_str().unwrap().to_owned()
    };
    let detail = said(
        &client.post(
            learn,
            &json!({"rows": [{"features": {"a": null}, "label": "no"}]}),
        ),
        422,
    );
    assert!(
        detail.contains("\"missing\": \"indicator\"") && !detail.contains("mean"),
        "{detail}"
    );
    let detail = said(
        &client.post(learn, &json!({"rows": [{"features": {"a": 1}}]})),
        422,
    );
    assert!(
        detail.contains("label") && !detail.contains("skip"),
        "{detail}"
    );
    let asked = json!({"rows": [{"features": {"a": 1}}], "cost": "1:2"});
    let detail = said(&client.post("/v1/models/m/predict", &asked), 422);
    assert!(detail.contains("\"labels\""), "{detail}");
    let detail = said(&client.send("POST", learn, None, b"nonsense"), 400);
    assert!(
        detail.contains("not JSON") && !detail.contains("ident"),
        "{detail}"
    );
    let id = client.post(
        "/v1/models/m/predict",
        &json!({"rows": [{"features": {"a": 1}}]}),
    );
    let id = id.expect(200)["predictions"][0]["id"].clone();
    let feedback = "/v1/models/m/feedback";
    client
        .post(feedback, &json!({"id": id, "label": "yes"}))
        .expect(200);
    let again = client
        .post(feedback, &json!({"id": id, "label": "yes"}))
        .expect(200);
    assert_eq!(again["repeated"], true);
    let detail = said(
        &client.post(feedback, &json!({"id": id, "label": "no"})),
        409,
    );
    assert!(
        detail.contains("features") && detail.contains("learn"),
        "{detail}"
    );
}

/// Words are counts in the log: what was kept comes back, and no bytes make rows that are not sound.
#[test]
fn words_of_the_log_come_back() {
    let text = |name: &str| Column::new(name, ColumnKind::Text);
    let table = Table {
        columns: vec![text("t"), text("u")],
        ..Table::default()
    };
    let columns = ObjectColumns::new(Some(&table));
    let mut rows = ObjectRows::new(&columns, ReadOptions::default());
    // a feature may be called as a word is
    let objects = [
        r#"{"u": "so so", "a": 1.5, "t": "one two one", "t^two": 3}"#,
        r#"{"b": 2}"#,
        r#"{"t": ["two", "Three"], "a": -1}"#,
    ];
    for object in objects {
        rows.object(object.as_bytes()).unwrap();
        rows.label(None, b"yes");
        rows.end_row();
    }
    let rows = rows
        .finish()
        .unwrap_or_else(|(row, error)| panic!("{row}: {error}"));
    let expected = [
        ("a", 1.5),
        ("t^two", 3.0),
        ("t^two", 1.0),
        ("t^one", 2.0),
        ("u^so", 2.0),
    ];
    let expected = expected.map(|(name, value)| (name.to_owned(), value));
    assert_eq!(rows.features(0, 9).collect::<Vec<_>>(), expected);
    let bytes = rows.encode();
    let again = NamedRows::decode(&bytes).unwrap();
    assert_eq!(again.encode(), bytes);
    let values = |rows: &NamedRows, row: usize| {
        let mut schema = Schema::default();
        schema.table = Some(table.clone());
        let placed = rows.placed(&mut schema, &ReadOptions::default()).unwrap();
        placed.row(row).iter().collect::<Vec<_>>()
    };
    for row in 0..3 {
        assert_eq!(values(&again, row), values(&rows, row));
    }
    // `t`: 2 and 1 times 1, for all rows so far have both words; `u`: the one word, of length 1
    let length = 5.0_f64.sqrt();
    let two = f64::from(3.0_f32 + (1.0 / length) as f32);
    let found = values(&rows, 0);
    let expected = [
        (1, 1.5),
        (2, two),
        (3, f64::from((2.0 / length) as f32)),
        (4, 1.0),
    ];
    assert_eq!(found, expected);
    let one = rows.row_with(2, std::iter::once(RawLabel::from("no")));
    let again = NamedRows::decode(&one.encode()).unwrap();
    let features = [("a", -1.0), ("t^two", 1.0), ("t^Three", 1.0)];
    let features = features.map(|(name, value)| (name.to_owned(), value));
    assert_eq!(again.features(0, 9).collect::<Vec<_>>(), features);
    for at in 0..bytes.len() {
        assert!(NamedRows::decode(&bytes[..at]).is_err());
        for bit in 0..8 {
            let mut other = bytes.clone();
            other[at] ^= 1 << bit;
            if let Ok(rows) = NamedRows::decode(&other) {
                let _ = rows.placed(&mut Schema::default(), &ReadOptions::default());
                let _ = rows.known(&Schema::default(), &ReadOptions::default());
                assert_eq!(NamedRows::decode(&rows.encode()).unwrap().len(), rows.len());
            }
        }
    }
}
