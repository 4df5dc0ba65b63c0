//! Answers: `predict`.

use std::sync::Arc;

use axum::body::Body;
use axum::extract::{Path, Query, State};
use axum::http::{HeaderMap, StatusCode, header};
use novikoff::classes::Task;
use novikoff::model::Model;
use novikoff_data::named_rows::NamedRows;
use novikoff_data::options::ReadOptions;
use novikoff_engine::predict::Costs;

use super::{Reply, Shared, bytes_of, json, model, room, text_of, worked};
use crate::api::{PredictBody, Predicted, Prediction, ProblemBody};
use crate::body::{self, ContentType, RowParameters};
use crate::handle::Published;
use crate::pending;
use crate::problem::Problem;

/// `POST /v1/models/{name}/predict`.
#[utoipa::path(post, path = "/v1/models/{name}/predict", params(("name" = String, Path), ("min_seq" = Option<u64>, Query), ("cost" = Option<String>, Query), ("feedback" = Option<bool>, Query)), request_body = PredictBody, responses((status = 200, body = Predicted), (status = 400, body = ProblemBody), (status = 409, body = ProblemBody), (status = 422, body = ProblemBody)))]
pub(super) async fn predict(
    State(app): Shared,
    Path(name): Path<String>,
    query: Result<Query<RowParameters>, axum::extract::rejection::QueryRejection>,
    headers: HeaderMap,
    body: Body,
) -> Reply {
    let model = model(&app, &name)?;
    let Query(query) =
        query.map_err(|error| Problem::new(400, "query").detail(error.body_text()))?;
    let kind = ContentType::of(text_of(&headers, header::CONTENT_TYPE))?;
    let bytes = bytes_of(body, app.limits.body, &app).await?;
    let _room = room(&app, bytes.len()).await?;
    let (size, limits) = (bytes.len(), app.limits.of_rows());
    let (settings, columns) = (Arc::clone(&model.settings), model.columns.load_full());
    let read = move || body::read(kind, &bytes, &settings, &columns, query, limits);
    let (rows, parameters) = worked(size, read).await??;
    let costs = parameters.cost.as_deref().map(costs).transpose()?;
    let wanted = parameters.min_seq.unwrap_or(0);
    let published = model.at_least(wanted).await.ok_or_else(|| {
        Problem::new(409, "min_seq")
            .detail(format!(
                "the model has learned {} rows, and {wanted} were asked for",
                model.acknowledged()
            ))
            .retry_after(1)
    })?;
    let keeps = parameters.feedback != Some(false);
    let answered = move || {
        let mut predicted = answers(&published, &rows, &model.settings.read, costs)?;
        if keeps && !rows.is_empty() {
            let encoded = rows.encode();
            let kept = model.pending().keep(encoded, rows.len() as u32);
            for (prediction, id) in predicted.predictions.iter_mut().zip(kept.ids) {
                prediction.id = Some(id);
            }
            if kept.is_due {
                tokio::spawn(async move {
                    tokio::time::sleep(pending::DELAY).await;
                    model.pending().write();
                });
            }
        }
        Ok::<_, Problem>(predicted)
    };
    let predicted = worked(size, answered).await??;
    json(StatusCode::OK, &predicted)
}

/// Costs as `FP:FN`.
fn costs(text: &str) -> Result<Costs, Problem> {
    let wrong = || {
        Problem::new(422, "cost").detail(format!("cost = {text:.40}: must be FP:FN, two finite numbers that are at least 0 and not both 0, as in 1:20"))
    };
    let (positive, negative) = text.split_once(':').ok_or_else(wrong)?;
    let number = |text: &str| {
        text.trim()
            .parse::<f64>()
            .ok()
            .filter(|cost| cost.is_finite() && *cost >= 0.0)
    };
    let costs = Costs {
        false_positive: number(positive).ok_or_else(wrong)?,
        false_negative: number(negative).ok_or_else(wrong)?,
    };
    if costs.threshold().is_finite() {
        Ok(costs)
    } else {
        Err(wrong())
    }
}

fn answers(
    published: &Published,
    rows: &NamedRows,
    options: &ReadOptions,
    costs: Option<Costs>,
) -> Result<Predicted, Problem> {
    let seq = published.seq;
    let Some(model) = &published.model else {
        let nothing = Prediction {
            id: None,
            label: None,
            margin: 0.0,
            probability: None,
            margins: None,
            probabilities: None,
            decision: None,
            expected_cost: None,
        };
        return Ok(Predicted {
            seq,
            predictions: vec![nothing; rows.len()],
            unknown: 0,
        });
    };
    let has_two = matches!(model.classes().task(), Task::Binary { .. });
    if costs.is_some() && !has_two {
        return Err(Problem::new(422, "cost").detail("costs need a model that is made for two labels, and this one takes any number of them; make it with the option \"labels\": [\"no\", \"yes\"] or \"positive\": \"yes\""));
    }
    if costs.is_some() && !model.has_probabilities(None) {
        return Err(Problem::new(422, "cost").detail("costs need a model with probabilities; make one with the learner logistic, or upload a calibrated model"));
    }
    let options = ReadOptions {
        bias: model.preparation().bias,
        ..options.clone()
    };
    let (rows, unknown) = rows.known(model.schema(), &options);
    let mut predictions = Vec::with_capacity(rows.len());
    let (mut probabilities, mut label) = (Vec::new(), Vec::new());
    model.scores_of(
        (0..rows.len()).map(|row| rows.row(row)),
        None,
        |_, scores| {
            label.clear();
            model.predict(scores, &mut label);
            let has_probabilities =
                model.has_probabilities(None) && model.probabilities(scores, &mut probabilities);
            let of = has_probabilities.then_some(&*probabilities);
            predictions.push(answer(model, scores, of, &label, costs));
        },
    );
    Ok(Predicted {
        seq,
        predictions,
        unknown,
    })
}

fn answer(
    model: &Model,
    scores: &[f64],
    probabilities: Option<&[f64]>,
    label: &[u8],
    costs: Option<Costs>,
) -> Prediction {
    let classes = model.classes();
    let by_label = |values: &[f64]| {
        let list = classes
            .order()
            .iter()
            .map(|&k| (classes.list()[k].label.name().to_owned(), values[k].into()));
        list.collect()
    };
    let (of, several) = match classes.task() {
        Task::OneVsRest => (classes.best(|class| scores[class]), true),
        Task::MultiLabel => (None, true),
        Task::Binary { .. } | Task::Regression => (Some(0), false),
    };
    let largest = || scores.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    let (mut decision, mut expected_cost) = (None, None);
    if let (Some(costs), Some(&[p])) = (costs, probabilities) {
        let is_positive = p >= costs.threshold();
        let mut text = Vec::new();
        model.labels_where(|_| is_positive, &mut text);
        decision = Some(String::from_utf8_lossy(&text).into_owned());
        expected_cost = Some(if is_positive {
            (1.0 - p) * costs.false_positive
        } else {
            p * costs.false_negative
        });
    }
    Prediction {
        id: None,
        label: Some(String::from_utf8_lossy(label).into_owned()),
        margin: of.map_or_else(largest, |class| scores[class]),
        probability: probabilities.and_then(|p| of.map(|class| p[class])),
        margins: several.then(|| by_label(scores)),
        probabilities: probabilities.filter(|_| several).map(by_label),
        decision,
        expected_cost,
    }
}
