//! The same rows in every kind of body give the same model, and the model of the command.

use std::sync::Arc;

use arrow_array::{ArrayRef, Float32Array, RecordBatch, StringArray};
use serde_json::json;

use crate::common::{Random, Server};

/// Rows with two numbered features and a label -1 or +1.
fn rows() -> Vec<(f32, f32, i32)> {
    let mut random = Random(17);
    let mut value = || random.below(64) as f32 / 16.0 - 2.0;
    let rows = (0..200).map(|_| (value(), value()));
    rows.map(|(a, b)| (a, b, if a - b > 0.1 { 1 } else { -1 }))
        .collect()
}

#[test]
fn numbered_rows_give_one_model_in_every_body() {
    let folder = tempfile::tempdir().unwrap();
    let names = ["json", "dense", "ndjson", "svmlight", "single"];
    let flags: Vec<String> = names
        .iter()
        .map(|name| format!("--model={name}=second-order"))
        .collect();
    let flags: Vec<&str> = flags.iter().map(String::as_str).collect();
    let server = Server::start(&folder.path().join("state"), &flags);
    let mut client = server.client();
    let rows = rows();
    let pairs: Vec<_> = rows
        .iter()
        .map(|(a, b, y)| json!({"features": [[1, a], [2, b]], "label": y}))
        .collect();
    client
        .post("/v1/models/json/learn", &json!({"rows": pairs}))
        .expect(200);
    let dense: Vec<_> = rows
        .iter()
        .map(|(a, b, y)| json!({"features": [a, b], "label": y}))
        .collect();
    client
        .post("/v1/models/dense/learn", &json!({"rows": dense}))
        .expect(200);
    let lines: String = pairs.iter().map(|row| format!("{row}\n")).collect();
    client
        .send(
            "POST",
            "/v1/models/ndjson/learn?id=x",
            Some("application/x-ndjson"),
            lines.as_bytes(),
        )
        .expect(200);
    let text: String = rows
        .iter()
        .map(|(a, b, y)| format!("{y} 1:{a} 2:{b}\n"))
        .collect();
    client
        .send(
            "POST",
            "/v1/models/svmlight/learn",
            Some("text/x-svmlight; charset=utf-8"),
            text.as_bytes(),
        )
        .expect(200);
    for row in &pairs {
        client
            .post("/v1/models/single/learn", &json!({"rows": [row]}))
            .expect(200);
    }
    let first = client.get("/v1/models/json/model").body;
    for name in names {
        assert!(
            client.get(&format!("/v1/models/{name}/model")).body == first,
            "{name}"
        );
    }
    assert!(client.get("/v1/models/json").expect(200)["mistakes"].as_u64() > Some(0));
}

#[test]
fn named_rows_give_one_model_in_every_body() {
    let folder = tempfile::tempdir().unwrap();
    let server = Server::start(
        &folder.path().join("state"),
        &["--model=json=arow", "--model=arrow=arow", "--model=vw=arow"],
    );
    let mut client = server.client();
    let rows = rows();
    let city = |k: usize| ["Oslo", "Rome", "Lima"][k % 3];
    let named = rows
        .iter()
        .enumerate()
        .map(|(k, (a, b, y))| json!({"features": {"a": a, "b": b, "city": city(k)}, "label": y}));
    client
        .post(
            "/v1/models/json/learn",
            &json!({"rows": named.collect::<Vec<_>>()}),
        )
        .expect(200);
    let column = |of: fn(&(f32, f32, i32)) -> f32| -> ArrayRef {
        Arc::new(Float32Array::from_iter_values(rows.iter().map(of)))
    };
    let cities: ArrayRef = Arc::new(StringArray::from_iter_values((0..rows.len()).map(city)));
    let columns = [
        ("a", column(|r| r.0)),
        ("b", column(|r| r.1)),
        ("city", cities),
        ("label", column(|r| r.2 as f32)),
    ];
    let batch = RecordBatch::try_from_iter(columns).unwrap();
    let mut bytes = Vec::new();
    let mut writer = arrow_ipc::writer::StreamWriter::try_new(&mut bytes, &batch.schema()).unwrap();
    writer.write(&batch.slice(0, 90)).unwrap();
    writer.write(&batch.slice(90, 110)).unwrap();
    writer.finish().unwrap();
    drop(writer);
    let arrow = "application/vnd.apache.arrow.stream";
    client
        .send("POST", "/v1/models/arrow/learn", Some(arrow), &bytes)
        .expect(200);
    let text: String = rows
        .iter()
        .enumerate()
        .map(|(k, (a, b, y))| format!("{y} | a:{a} b:{b} city={}\n", city(k)))
        .collect();
    client
        .send(
            "POST",
            "/v1/models/vw/learn",
            Some("text/x-vw"),
            text.as_bytes(),
        )
        .expect(200);
    let first = client.get("/v1/models/json").expect(200);
    for name in ["arrow", "vw"] {
        let about = client.get(&format!("/v1/models/{name}")).expect(200);
        for key in ["rows", "mistakes", "updates", "features"] {
            assert_eq!(about[key], first[key], "{name} {key}");
        }
    }
    let ask = client
        .send(
            "POST",
            "/v1/models/arrow/predict?min_seq=200",
            Some(arrow),
            &bytes,
        )
        .expect(200);
    assert_eq!(ask["predictions"].as_array().unwrap().len(), 200);
    // cut short, forged, empty: refused, and nothing is learned
    for cut in [0, 1, 8, 100, bytes.len() / 2] {
        let reply = client.send("POST", "/v1/models/arrow/learn", Some(arrow), &bytes[..cut]);
        assert!(
            matches!(reply.status, 400 | 422),
            "{cut}: {} {}",
            reply.status,
            reply.text()
        );
    }
    assert_eq!(client.get("/v1/models/arrow").expect(200)["seq"], 200);
}

#[test]
fn a_stream_gives_the_model_of_the_engine() {
    for (spec, bias) in [
        ("averaged", None),
        ("auto", None),
        ("auto", Some(2.0)),
        ("auto(perceptron; arow:r=2@bias=1)@normalize=2", Some(3.0)),
    ] {
        one_model_at_two_doors(spec, bias);
    }
}

fn one_model_at_two_doors(spec: &str, bias: Option<f32>) {
    let folder = tempfile::tempdir().unwrap();
    let server = Server::start(&folder.path().join("state"), &[]);
    let rows = rows();
    let text: String = rows
        .iter()
        .map(|(a, b, y)| format!("{y} 1:{a} 2:{b}\n"))
        .collect();
    let mut client = server.client();
    let options = bias.map_or(json!({}), |bias| json!({"bias": bias}));
    client
        .post(
            "/v1/models",
            &json!({"name": "m", "spec": spec, "options": options}),
        )
        .expect(201);
    for part in text
        .as_bytes()
        .split_inclusive(|&b| b == b'\n')
        .collect::<Vec<_>>()
        .chunks(30)
    {
        client
            .send(
                "POST",
                "/v1/models/m/learn",
                Some("text/x-svmlight"),
                &part.concat(),
            )
            .expect(200);
    }
    let file = folder.path().join("rows.svm");
    std::fs::write(&file, &text).unwrap();
    let fit = novikoff_engine::fit::Fit {
        data: novikoff_engine::data::Data::Files(vec![file]),
        spec: Some(novikoff::spec::Spec::parse(spec).unwrap()),
        resume: None,
        output: None,
        checkpoint: None,
        trace: None,
        test: None,
        run: novikoff_engine::options::RunOptions {
            bias: bias.map(Some),
            ..Default::default()
        },
        rows: novikoff_engine::options::RowOptions::default(),
        certify: None,
        charts: false,
    };
    let interrupt = novikoff_engine::Interrupt::default();
    let fitted = fit
        .run(novikoff_engine::Context::new(
            &novikoff_engine::events::Quiet,
            &interrupt,
        ))
        .unwrap();
    let bytes = novikoff_data::model::to_bytes(&fitted.model.unwrap()).unwrap();
    assert!(
        client.get("/v1/models/m/model").body == bytes,
        "{spec} {bias:?}: two doors, one model"
    );
}

#[test]
fn bad_text_names_the_row() {
    let folder = tempfile::tempdir().unwrap();
    let server = Server::start(&folder.path().join("state"), &["--model=m=perceptron"]);
    let mut client = server.client();
    for (kind, body, row) in [
        ("text/x-svmlight", "1 1:1\n-1 2:x\n", 1),
        ("text/x-svmlight", "1 1:1\n\n-1 2:nan\n", 1),
        ("text/x-vw", "1 | a\n1 | b:z\n", 1),
        (
            "application/x-ndjson",
            "{\"features\":[1],\"label\":1}\n{\"features\":[1],\"label\":{}}\n",
            1,
        ),
        (
            "application/x-ndjson",
            "{\"features\":[1],\"label\":1} 5\n",
            0,
        ),
    ] {
        let problem = client.send("POST", "/v1/models/m/learn", Some(kind), body.as_bytes());
        assert!(matches!(problem.status, 400 | 422), "{body}");
        assert_eq!(problem.json()["row"], row, "{body}: {}", problem.text());
    }
    assert_eq!(client.get("/v1/models/m").expect(200)["seq"], 0);
}
