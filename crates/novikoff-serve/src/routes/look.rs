//! What a model did: certificate, events, history, mistakes, weights; and what the server does: metrics, readiness.

use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::task::{Context, Poll};
use std::time::Duration;

use axum::body::{Body, Bytes};
use axum::extract::{Path, Query, State};
use axum::http::{HeaderValue, Response, StatusCode, header};
use hyper::body::Frame;
use novikoff::certify::Effort;
use novikoff::kernel::Kernel;
use novikoff::learner::{ExpertFacts, Panel};
use novikoff::model::Model;
use novikoff_engine::weights::{class_names, feature_name, sorted_weights};
use serde::Deserialize;
use tokio::sync::mpsc;

use super::{Reply, Shared, json, model};
use crate::api::{
    CertificateReply, ClassWeights, Expert, History, Mistakes, ProblemBody, Standing, Weight,
    Weights,
};
use crate::certificate::CertifiedRun;
use crate::problem::Problem;

/// The time between two events at least, and between two signs of life at most.
const EVENT: Duration = Duration::from_millis(250);
const ALIVE: Duration = Duration::from_secs(15);

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct EffortQuery {
    #[serde(default)]
    effort: Option<String>,
}

type QueryOf<T> = Result<Query<T>, axum::extract::rejection::QueryRejection>;

fn query<T>(query: QueryOf<T>) -> Result<T, Problem> {
    let Query(query) =
        query.map_err(|error| Problem::new(400, "query").detail(error.body_text()))?;
    Ok(query)
}

/// `GET /v1/models/{name}/certificate`.
#[utoipa::path(get, path = "/v1/models/{name}/certificate", params(("name" = String, Path), ("effort" = Option<String>, Query)), responses((status = 200, body = CertificateReply), (status = 409, body = ProblemBody)))]
pub(super) async fn certificate(
    State(app): Shared,
    Path(name): Path<String>,
    words: QueryOf<EffortQuery>,
) -> Reply {
    let model = model(&app, &name)?;
    let effort = match query(words)?.effort.as_deref() {
        None | Some("quick") => Effort::Quick,
        Some("full") => Effort::Full,
        Some(other) => {
            return Err(Problem::new(422, "effort")
                .detail(format!("effort = {other:.40}: must be quick or full")));
        }
    };
    let busy = || {
        Problem::new(429, "busy")
            .detail("other certificates are being made; come again")
            .retry_after(2)
    };
    let turn = tokio::time::timeout(
        app.limits.time / 2,
        Arc::clone(&app.certificates.turn).acquire_owned(),
    )
    .await;
    let turn = turn.map_err(|_| busy())?.map_err(|_| busy())?;
    let published = model
        .at_least(0)
        .await
        .ok_or_else(|| Problem::new(503, "stopping").retry_after(1))?;
    if let Some(known) = app.certificates.known(&name, published.seq, effort) {
        return json(StatusCode::OK, &*known);
    }
    let Some(snapshot) = published.model.clone() else {
        return Err(
            Problem::new(409, "nothing learned").detail("the model has learned nothing yet")
        );
    };
    let run = CertifiedRun {
        seq: published.seq,
        mistakes: snapshot.totals().mistakes,
        task: snapshot.classes().task().clone(),
        uploaded: model.uploaded.load(Ordering::Acquire),
    };
    drop(snapshot);
    let made = tokio::task::spawn_blocking(move || {
        // held until it is made, though the client be gone
        let _turn = turn;
        app.certificates
            .make(&model.name, &model.folder, &run, effort)
    });
    let reply = made
        .await
        .map_err(|_| Problem::new(500, "failed").detail("the certificate could not be made"))?;
    json(StatusCode::OK, &*reply)
}

/// `GET /v1/models/{name}/history`.
#[utoipa::path(get, path = "/v1/models/{name}/history", params(("name" = String, Path)), responses((status = 200, body = History)))]
pub(super) async fn history(State(app): Shared, Path(name): Path<String>) -> Reply {
    let model = model(&app, &name)?;
    let points = model.with_status(|status| status.course.points());
    json(StatusCode::OK, &History { points })
}

/// `GET /v1/models/{name}/mistakes`.
#[utoipa::path(get, path = "/v1/models/{name}/mistakes", params(("name" = String, Path)), responses((status = 200, body = Mistakes)))]
pub(super) async fn mistakes(State(app): Shared, Path(name): Path<String>) -> Reply {
    let model = model(&app, &name)?;
    let mistakes = model.with_status(|status| status.course.mistakes());
    json(StatusCode::OK, &Mistakes { mistakes })
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct TopQuery {
    #[serde(default)]
    top: Option<usize>,
}

/// `GET /v1/models/{name}/weights`.
#[utoipa::path(get, path = "/v1/models/{name}/weights", params(("name" = String, Path), ("top" = Option<u64>, Query)), responses((status = 200, body = Weights)))]
pub(super) async fn weights(
    State(app): Shared,
    Path(name): Path<String>,
    words: QueryOf<TopQuery>,
) -> Reply {
    let model = model(&app, &name)?;
    let top = query(words)?.top.unwrap_or(20).min(1000);
    let published = model
        .at_least(0)
        .await
        .ok_or_else(|| Problem::new(503, "stopping").retry_after(1))?;
    let seq = published.seq;
    let mut weights = Weights {
        seq,
        experts: None,
        expert: None,
        classes: Vec::new(),
    };
    let Some(model) = published.model.clone() else {
        return json(StatusCode::OK, &weights);
    };
    let listed = tokio::task::spawn_blocking(move || {
        weights.experts = model.learner().panel().map(experts);
        if model.kernel() == Kernel::LINEAR {
            weights.expert = weights.experts.as_deref().and_then(leader);
            weights.classes = class_weights(&model, top);
        }
        weights
    });
    let weights = listed.await.map_err(|_| Problem::new(500, "failed"))?;
    json(StatusCode::OK, &weights)
}

/// The learners of a majority.
fn experts(panel: Panel) -> Vec<Expert> {
    let expert = |facts: ExpertFacts| Expert {
        spec: facts.spec,
        mistakes: facts.mistakes,
        weight: facts.weight,
        retired: facts.retired.map(|retired| retired.trial),
        reason: facts
            .retired
            .map(|retired| retired.because.words().to_owned()),
    };
    panel.experts.into_iter().map(expert).collect()
}

/// The learner whose weights a majority shows.
fn leader(experts: &[Expert]) -> Option<String> {
    let running = experts.iter().filter(|expert| expert.retired.is_none());
    let least = running.min_by_key(|expert| expert.mistakes);
    least.map(|expert| expert.spec.clone())
}

/// The largest weights of each class.
fn class_weights(model: &Model, top: usize) -> Vec<ClassWeights> {
    let names = class_names(model);
    let is_binary = model.classes().is_binary();
    let order = model.classes().order().to_vec();
    let classes = order.iter().enumerate().map(|(place, &class)| {
        let list = sorted_weights(model, class).into_iter().take(top);
        let weights = list.map(|(slot, weight)| Weight {
            feature: feature_name(model, slot),
            weight,
        });
        let name = if is_binary {
            names.last()
        } else {
            names.get(place)
        };
        ClassWeights {
            class: name.cloned().unwrap_or_default(),
            weights: weights.collect(),
        }
    });
    classes.collect()
}

/// A body that is sent as it comes.
struct EventBody(mpsc::Receiver<Bytes>);

impl hyper::body::Body for EventBody {
    type Data = Bytes;
    type Error = std::convert::Infallible;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, Self::Error>>> {
        self.0
            .poll_recv(context)
            .map(|bytes| bytes.map(|bytes| Ok(Frame::data(bytes))))
    }
}

/// `GET /v1/models/{name}/events`.
#[utoipa::path(get, path = "/v1/models/{name}/events", params(("name" = String, Path)), responses((status = 200, body = Standing, content_type = "text/event-stream")))]
pub(super) async fn events(State(app): Shared, Path(name): Path<String>) -> Reply {
    let model = model(&app, &name)?;
    let (sender, receiver) = mpsc::channel(4);
    let mut news = model.news();
    let weak = Arc::downgrade(&model);
    drop(model);
    let mut stop = app.stop.clone();
    tokio::spawn(async move {
        loop {
            let standing = news.borrow_and_update().clone();
            let Ok(data) = serde_json::to_string(&standing) else {
                return;
            };
            let event = format!("event: model\nid: {}\ndata: {data}\n\n", standing.seq);
            if sender.send(Bytes::from(event)).await.is_err() {
                return;
            }
            tokio::time::sleep(EVENT).await;
            loop {
                tokio::select! {
                    changed = news.changed() => {
                        if changed.is_err() || weak.strong_count() == 0 {
                            return;
                        }
                        break;
                    }
                    _ = stop.changed() => return,
                    () = tokio::time::sleep(ALIVE) => {
                        if sender.send(Bytes::from_static(b": alive\n\n")).await.is_err() {
                            return;
                        }
                    }
                }
            }
        }
    });
    let mut response = Response::new(Body::new(EventBody(receiver)));
    response.headers_mut().insert(
        header::CONTENT_TYPE,
        HeaderValue::from_static("text/event-stream"),
    );
    Ok(response)
}

/// `GET /metrics`.
#[utoipa::path(get, path = "/metrics", responses((status = 200, content_type = "text/plain")))]
pub(super) async fn metrics(State(app): Shared) -> Reply {
    let mut response = Response::new(Body::from(app.metrics.render()));
    response.headers_mut().insert(
        header::CONTENT_TYPE,
        HeaderValue::from_static("text/plain; version=0.0.4"),
    );
    Ok(response)
}

/// `GET /readyz`.
#[utoipa::path(get, path = "/readyz", responses((status = 200), (status = 503, body = ProblemBody)))]
pub(super) async fn ready(State(app): Shared) -> Reply {
    if app.stopping.load(Ordering::Relaxed) {
        return Err(Problem::new(503, "stopping")
            .detail("the server stops")
            .retry_after(5));
    }
    Ok(Response::new(Body::from("ok\n")))
}
