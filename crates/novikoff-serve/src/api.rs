//! The bodies of requests and replies. `docs/service.md` has an example of each.
//!
//! Bodies with rows are read by `body`, straight into rows; their types here say what is allowed, for the OpenAPI document.

use std::collections::BTreeMap;
use std::sync::Arc;

use serde::de::Error as _;
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use serde_json::value::RawValue;
use utoipa::ToSchema;

/// Options of a model. What is left out has the default of the command.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields, default)]
pub struct ModelOptions {
    /// The kernel (`linear`).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub kernel: Option<String>,
    /// The map that makes features of rows (none).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub map: Option<String>,
    /// The constant feature (none).
    #[serde(
        skip_serializing_if = "Option::is_none",
        deserialize_with = "rounded_once"
    )]
    pub bias: Option<f32>,
    /// The norm that rows are divided by: a number or `inf` (what the learner wants).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub normalize: Option<String>,
    /// Two labels; the larger number, or the later in order, is the positive one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub labels: Option<[String; 2]>,
    /// One label against all others.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub positive: Option<String>,
    /// Rows have any number of labels.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub multilabel: bool,
    /// Which predictor answers: `final` or `averaged` (the learner's own).
    #[serde(rename = "use", skip_serializing_if = "Option::is_none")]
    pub hypothesis: Option<String>,
    /// How many features there are, which some specs need.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub features: Option<u32>,
    /// Bits of hashed names; names are not kept then.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub hash: Option<u32>,
    /// svmlight bodies and `[index, value]` pairs count features from 0.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub zero_based: bool,
    /// Fields that hold text: strings become words `text^word`, weighted by tf-idf as the command does.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub text: Vec<String>,
    /// The least and the most words of an n-gram of text (`[1, 1]`).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ngrams: Option<[u8; 2]>,
    /// Words of text are weighted by how rare they are (true); false counts them.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tfidf: Option<bool>,
    /// Fields that hold categories although they are numbers.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub categorical: Vec<String>,
    /// Fields that nothing is learned from.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub drop: Vec<String>,
    /// What `null` is: `refuse` (the default), `zero`, or `indicator`, which is zero and the category `field=missing`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub missing: Option<String>,
    /// The column of Arrow bodies that is the label (`label`).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub label: Option<String>,
    /// Bytes that the model may take (what the server allows).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub memory: Option<u64>,
}

/// A number as the nearest `f32`: by its digits, for the nearest `f64` may lie beside it.
fn rounded_once<'de, D: Deserializer<'de>>(json: D) -> Result<Option<f32>, D::Error> {
    let text = Option::<Box<RawValue>>::deserialize(json)?;
    let number = text.map(|text| text.get().parse().map_err(|_| text));
    number.transpose().map_err(|text| {
        let got = text.get();
        D::Error::custom(format!("{got:.40}: must be a number"))
    })
}

/// `POST /v1/models`.
#[derive(Clone, Debug, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct CreateModel {
    /// Letters, digits, `_` and `-`; at most 64.
    pub name: String,
    /// The learner (`auto`).
    #[serde(default)]
    pub spec: Option<String>,
    /// Options of the model.
    #[serde(default)]
    pub options: ModelOptions,
}

/// Errors of the deployed predictor, each row predicted before it was learned.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, ToSchema)]
pub struct Validation {
    /// Rows.
    pub rows: u64,
    /// Rows on which it was wrong.
    pub errors: u64,
    /// The share of errors; null before the first row.
    pub error: Option<f64>,
}

/// The last rows of a model.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, ToSchema)]
pub struct Window {
    /// How many rows the window has; at most 1,000.
    pub rows: u64,
    /// Mistakes among them.
    pub mistakes: u64,
}

/// The log of a model.
#[derive(Clone, Debug, PartialEq, Serialize, ToSchema)]
pub struct LogState {
    /// When replies are sent: `always` (after the disk has the label), `interval` or `never`.
    pub sync: String,
    /// Bytes of the log.
    pub bytes: u64,
    /// Files of the log.
    pub segments: u64,
    /// The first row that the log still has, counted from 1; more than 1 if old segments were removed.
    pub first_seq: u64,
    /// Why rows cannot be learned now: `disk full`, or null.
    pub blocked: Option<String>,
}

/// The last snapshot of a model on disk.
#[derive(Clone, Debug, PartialEq, Serialize, ToSchema)]
pub struct SnapshotState {
    /// The rows that it has.
    pub seq: u64,
    /// Its size.
    pub bytes: u64,
}

/// What a person should know.
#[derive(Clone, Debug, PartialEq, Serialize, ToSchema)]
pub struct RemarkBody {
    /// What it is about: `ids`.
    pub kind: &'static str,
    /// What is the case, and what to do.
    pub text: String,
}

/// A model: `GET /v1/models/{name}`.
#[derive(Clone, Debug, PartialEq, Serialize, ToSchema)]
pub struct Description {
    /// Its name.
    pub name: String,
    /// Its learner, as given.
    pub spec: String,
    /// Its options, as given.
    pub options: ModelOptions,
    /// How many rows were learned since it was made; never goes back.
    pub seq: u64,
    /// Trials of the model; those of an uploaded model included.
    pub rows: u64,
    /// Trials whose label was wrong before it was shown.
    pub mistakes: u64,
    /// Changes of state, summed over classes.
    pub updates: u64,
    /// Errors of the deployed predictor; null where they are not counted.
    pub validation: Option<Validation>,
    /// The last rows.
    pub window: Window,
    /// The highest feature number met.
    pub features: u32,
    /// The labels, in order; empty before the first row.
    pub classes: Vec<String>,
    /// Whether predictions have probabilities.
    pub probabilities: bool,
    /// Bytes of memory that weights and names take, about.
    pub bytes: u64,
    /// The log.
    pub log: LogState,
    /// The last snapshot; null before the first.
    pub snapshot: Option<SnapshotState>,
    /// What a person should know of the rows; looked for again when they have grown by an eighth.
    pub remarks: Vec<RemarkBody>,
}

/// `GET /v1/models`.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub struct ModelList {
    /// All models, by name.
    pub models: Vec<Description>,
}

/// The features of a row.
#[derive(Clone, Debug, Deserialize, ToSchema)]
#[serde(untagged)]
pub enum Features {
    /// By name: numbers; strings become categories `city=Oslo`, or words where the field holds text; arrays of strings become words.
    Named(BTreeMap<String, serde_json::Value>),
    /// Dense: the values of features 1, 2, and so on.
    Dense(Vec<f64>),
    /// `[index, value]` pairs.
    Pairs(Vec<(u64, f64)>),
}

/// A row of a body.
#[derive(Clone, Debug, Deserialize, ToSchema)]
pub struct RowBody {
    /// Its features.
    pub features: Features,
    /// Its label: a string, a number, or an array of them for several. `predict` does not read it.
    #[serde(default)]
    #[schema(value_type = Option<String>)]
    pub label: Option<serde_json::Value>,
    /// How many times its step counts (1).
    #[serde(default)]
    pub weight: Option<f32>,
}

/// `POST /v1/models/{name}/learn`. As `application/x-ndjson`, each line is a row, and `id` is a query parameter.
#[derive(Clone, Debug, Deserialize, ToSchema)]
pub struct LearnBody {
    /// The id of the request: the same id is learned once, however often it is sent.
    #[serde(default)]
    pub id: Option<String>,
    /// The rows.
    pub rows: Vec<RowBody>,
}

/// What was predicted for a row before its label was shown.
#[derive(Clone, Debug, PartialEq, Serialize, ToSchema)]
pub struct LearnedRow {
    /// The predicted label; several are separated by commas.
    #[serde(serialize_with = "shared_text")]
    #[schema(value_type = String)]
    pub label: Arc<str>,
    /// Whether it was wrong.
    pub mistake: bool,
}

fn shared_text<S: Serializer>(text: &Arc<str>, to: S) -> Result<S::Ok, S::Error> {
    to.serialize_str(text)
}

/// The reply to `learn`.
#[derive(Clone, Debug, PartialEq, Serialize, ToSchema)]
pub struct Learned {
    /// The rows that the model has learned with this request.
    pub seq: u64,
    /// What was predicted for each row; absent if the request was learned before.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub predictions: Option<Vec<LearnedRow>>,
    /// The request was learned before, and was not learned again.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub repeated: bool,
    /// What the reply waited for: `always`, `interval` or `never`.
    pub sync: &'static str,
}

/// `POST /v1/models/{name}/predict`.
#[derive(Clone, Debug, Deserialize, ToSchema)]
pub struct PredictBody {
    /// The rows.
    pub rows: Vec<RowBody>,
    /// The answer is of a model that has learned at least this many rows.
    #[serde(default)]
    pub min_seq: Option<u64>,
    /// What a false positive and a false negative cost, as `1:20`: adds `decision` and `expected_cost`.
    #[serde(default)]
    pub cost: Option<String>,
}

/// The answer for a row.
#[derive(Clone, Debug, PartialEq, Serialize, ToSchema)]
pub struct Prediction {
    /// The id for `feedback`; null if the row was not kept.
    pub id: Option<String>,
    /// The predicted label; several are separated by commas; null before the first learned row.
    pub label: Option<String>,
    /// The margin of the positive label, or of the predicted one of several.
    pub margin: f64,
    /// The probability of the positive label, or of the predicted one of several, where the model has probabilities.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub probability: Option<f64>,
    /// The margin of each label, where there are more than two.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub margins: Option<serde_json::Map<String, serde_json::Value>>,
    /// The probability of each label, where there are more than two.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub probabilities: Option<serde_json::Map<String, serde_json::Value>>,
    /// The label of the least expected cost, where costs were given.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub decision: Option<String>,
    /// The expected cost of that decision.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub expected_cost: Option<f64>,
}

/// The reply to `predict`.
#[derive(Clone, Debug, PartialEq, Serialize, ToSchema)]
pub struct Predicted {
    /// The rows that the model had learned when it answered.
    pub seq: u64,
    /// One answer per row.
    pub predictions: Vec<Prediction>,
    /// Values left out because the model does not know their features.
    pub unknown: u64,
}

/// `POST /v1/models/{name}/feedback`.
#[derive(Clone, Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct FeedbackBody {
    /// The id that `predict` gave.
    pub id: String,
    /// The label: a string, a number, or an array of them for several.
    #[schema(value_type = String)]
    pub label: serde_json::Value,
}

/// A point of a course.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct Point {
    /// Rows learned.
    pub seq: u64,
    /// Mistakes so far.
    pub mistakes: u64,
    /// Errors of the deployed predictor so far.
    pub errors: u64,
    /// Mistakes among the last 1,000 rows, or among all if there are fewer.
    pub window_mistakes: u64,
}

/// `GET /v1/models/{name}/history`: at most 512 points, evenly spread over the rows.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub struct History {
    /// The points, in order; the last one is the model as it is.
    pub points: Vec<Point>,
}

/// A row that was a mistake.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct Mistake {
    /// The row's number: rows learned with it.
    pub seq: u64,
    /// Its labels, separated by commas.
    pub label: String,
    /// What it was taken for.
    pub predicted: String,
    /// Its features by name; at most 50.
    pub features: serde_json::Map<String, serde_json::Value>,
}

/// `GET /v1/models/{name}/mistakes`: the last 50 since the server was started, newest first.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub struct Mistakes {
    /// The mistakes.
    pub mistakes: Vec<Mistake>,
}

/// A weight.
#[derive(Clone, Debug, PartialEq, Serialize, ToSchema)]
pub struct Weight {
    /// The feature's name.
    pub feature: String,
    /// Its weight.
    pub weight: f64,
}

/// The weights of a class.
#[derive(Clone, Debug, PartialEq, Serialize, ToSchema)]
pub struct ClassWeights {
    /// The label; of two labels the positive one.
    pub class: String,
    /// Its weights, largest magnitude first.
    pub weights: Vec<Weight>,
}

/// A learner of a model that has several.
#[derive(Clone, Debug, PartialEq, Serialize, ToSchema)]
pub struct Expert {
    /// Its spec.
    pub spec: String,
    /// Trials on which it was wrong; all trials since it was retired.
    pub mistakes: u64,
    /// Its part of the vote, of 1.
    pub weight: f64,
    /// The row before which it was retired; null while it runs.
    pub retired: Option<u64>,
    /// Why it was retired.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
}

/// `GET /v1/models/{name}/weights?top=20`.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub struct Weights {
    /// The rows that the model had learned.
    pub seq: u64,
    /// The learners of `auto`, and how much each counts; absent where the model is one learner.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub experts: Option<Vec<Expert>>,
    /// The learner of `auto` whose weights these are: the one that runs and has made the fewest mistakes.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub expert: Option<String>,
    /// One list per class; empty with a kernel, and before the first row.
    pub classes: Vec<ClassWeights>,
}

/// A certificate that was made earlier.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, ToSchema)]
pub struct BoundPoint {
    /// Rows learned.
    pub seq: u64,
    /// Mistakes, or updates where the theorem counts them.
    pub mistakes: u64,
    /// The bound.
    pub bound: f64,
}

/// A point of the curve of a certificate.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, ToSchema)]
pub struct CurvePoint {
    /// Rows learned.
    pub seq: u64,
    /// The bound after them.
    pub bound: f64,
}

/// `GET /v1/models/{name}/certificate?effort=quick|full`.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub struct CertificateReply {
    /// The rows that the run has.
    pub seq: u64,
    /// Its mistakes.
    pub mistakes: u64,
    /// The certificate as in `certify --json` (docs/reports.md); null where there is none.
    #[schema(value_type = Option<Object>)]
    pub certificate: Option<serde_json::Value>,
    /// Why there is none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    /// One object per class, where there are more than two: `class`, `certificate`, `reason`.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<Vec<Object>>)]
    pub classes: Option<serde_json::Value>,
    /// The bound over the run, against the comparator of this certificate: at most 512 points; empty where there is no certificate.
    pub curve: Vec<CurvePoint>,
    /// The bounds of this and earlier certificates since the server was started, in the order of `seq`.
    pub history: Vec<BoundPoint>,
}

/// What an event `model` of `GET /v1/models/{name}/events` has as its data.
#[derive(Clone, Debug, PartialEq, Serialize, ToSchema)]
pub struct Standing {
    /// Rows learned.
    pub seq: u64,
    /// Trials of the model.
    pub rows: u64,
    /// Mistakes so far.
    pub mistakes: u64,
    /// Updates so far.
    pub updates: u64,
    /// Errors of the deployed predictor.
    pub validation: Option<Validation>,
    /// The last rows.
    pub window: Window,
}

/// An error: `application/problem+json`.
#[derive(Clone, Debug, PartialEq, Serialize, ToSchema)]
pub struct ProblemBody {
    /// The status of the reply.
    pub status: u16,
    /// What kind of error it is.
    pub title: String,
    /// What is wrong, what is allowed and what to do.
    pub detail: String,
    /// The row of the body that is at fault, counted from 0.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub row: Option<u64>,
}
