//! Bodies of requests with rows, of every content type, as the service reads them.

use novikoff_data::named_rows::NamedRows;
use novikoff_serve::api::ModelOptions;
use novikoff_serve::body::{self, ContentType, RowParameters};
use novikoff_serve::fold::Fold;
use novikoff_serve::settings::{CheckedSettings, Settings};

use crate::draw;
use crate::process::prepare;

/// The content types, by the first byte: `0` to `4`.
const KINDS: [ContentType; 5] = [
    ContentType::Json,
    ContentType::Ndjson,
    ContentType::Svmlight,
    ContentType::Vw,
    ContentType::Arrow,
];

/// What models are made with, by the second byte: `0` to `3`.
const OPTIONS: [(&str, &str); 4] = [
    ("perceptron", "{}"),
    ("averaged", r#"{"bias":1,"zero_based":true}"#),
    ("perceptron", r#"{"labels":["no","yes"],"hash":4}"#),
    ("auto", r#"{"multilabel":true}"#),
];

/// What a model may take.
const MEMORY: u64 = 1 << 22;

pub(crate) fn settings(spec: &str, options: &str) -> CheckedSettings {
    let options: ModelOptions = serde_json::from_str(options).expect("options");
    let settings = Settings {
        spec: spec.to_owned(),
        options,
        memory: MEMORY,
        max_features: 50_000,
    };
    settings.check().expect("a learner")
}

thread_local! {
    static SETTINGS: [CheckedSettings; 4] = OPTIONS.map(|(spec, options)| settings(spec, options));
}

/// A body: what is accepted is sound, and is learned as a whole or refused.
pub fn request(data: &[u8]) {
    prepare();
    let [kind, options, body @ ..] = data else {
        return;
    };
    let kind = KINDS[usize::from(kind.wrapping_sub(b'0')) % KINDS.len()];
    let place = usize::from(options.wrapping_sub(b'0')) % OPTIONS.len();
    SETTINGS.with(|all| read(kind, body, &all[place]));
}

fn read(kind: ContentType, bytes: &[u8], settings: &CheckedSettings) {
    let rows = match body::read(kind, bytes, settings, RowParameters::default()) {
        Ok((rows, _)) => rows,
        Err(problem) => {
            assert!((400..500).contains(&problem.status()), "{problem:?}");
            return;
        }
    };
    sound(&rows);
    let encoded = rows.encode();
    let again = NamedRows::decode(&encoded).expect("what was encoded is decoded");
    assert!(again.encode() == encoded, "encoded again as other bytes");
    // learning is much slower than reading
    if draw(bytes).is_multiple_of(4) {
        learned(settings, &rows, &again);
    }
}

/// Values are finite and slots increase.
fn sound(rows: &NamedRows) {
    for row in 0..rows.len() {
        let mut before = 0;
        for (slot, value) in rows.view().row(row).iter() {
            assert!(value.is_finite() && value != 0.0 && slot > before);
            before = slot;
        }
        let weight = rows.view().weight(row);
        assert!(weight.is_finite() && weight >= 0.0);
    }
}

/// The rows of a request and those of its log record give the same model, or are refused alike.
fn learned(settings: &CheckedSettings, rows: &NamedRows, again: &NamedRows) {
    let [one, other] = [rows, again].map(|rows| {
        let mut fold = Fold::new(settings.clone());
        let learned = fold.learn(rows);
        let learned = learned.map(|trials| trials.predictions);
        if let Err(refused) = &learned {
            assert!(!refused.detail.is_empty() && !refused.detail.contains('\n'));
        }
        (learned, fold.bytes().expect("a model file"))
    });
    assert!(one == other, "the record of a request is another request");
}
