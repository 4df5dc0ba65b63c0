//! Certificates on demand: the log through the learner again, by the engine, beside the model.

use std::collections::HashMap;
use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};

use novikoff::certify::Effort;
use novikoff::classes::Task;
use novikoff::rows::Rows;
use novikoff_data::named_rows::NamedRows;
use novikoff_engine::certify::CertifyOptions;
use novikoff_engine::data::{Data, MemoryRows};
use novikoff_engine::events::{Context, Quiet};
use novikoff_engine::fit::{Fit, Fitted};
use novikoff_engine::options::RowOptions;
use novikoff_report::{Certified, RunReport, run_json};

use crate::api::{BoundPoint, CertificateReply, CurvePoint};
use crate::replay::{AllRows, all_rows};
use crate::settings::CheckedSettings;
use crate::words::engine_error;

/// The most points of a model's history.
const POINTS: usize = 512;

/// What is kept of a model.
#[derive(Default)]
struct Kept {
    /// The last certificate.
    last: Option<(Effort, Arc<CertificateReply>)>,
    /// All bounds.
    history: Vec<BoundPoint>,
}

/// Certificates made so far. One is made at a time.
pub struct Certificates {
    /// Held while one is made.
    pub(crate) turn: Arc<tokio::sync::Semaphore>,
    kept: Mutex<HashMap<String, Kept>>,
    memory: u128,
}

/// The run that is to be certified.
pub struct CertifiedRun {
    /// Rows.
    pub seq: u64,
    /// Mistakes that the model counted.
    pub mistakes: u64,
    /// What is learned.
    pub task: Task,
    /// A model file took the model's place once.
    pub uploaded: bool,
}

impl Certificates {
    /// None yet; rows may take this much memory.
    pub fn new(memory: u128) -> Self {
        Certificates {
            turn: Arc::new(tokio::sync::Semaphore::new(1)),
            kept: Mutex::default(),
            memory,
        }
    }

    /// The certificate of a model that has learned nothing since.
    pub fn known(&self, name: &str, seq: u64, effort: Effort) -> Option<Arc<CertificateReply>> {
        let kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        let (by, reply) = kept.get(name)?.last.as_ref()?;
        (reply.seq == seq && *by == effort).then(|| Arc::clone(reply))
    }

    /// Forgets a model.
    pub fn forget(&self, name: &str) {
        self.kept
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .remove(name);
    }

    /// Makes a certificate. Takes as long as learning all rows, and the search.
    pub fn make(
        &self,
        name: &str,
        folder: &Path,
        run: &CertifiedRun,
        effort: Effort,
    ) -> Arc<CertificateReply> {
        let mut reply = CertificateReply {
            seq: run.seq,
            mistakes: run.mistakes,
            certificate: None,
            reason: None,
            classes: None,
            curve: Vec::new(),
            history: Vec::new(),
        };
        match self.certify(folder, run, effort) {
            Err(reason) => reply.reason = Some(reason),
            Ok((mut report, curve)) => {
                reply.curve = curve;
                let certificate = report["certificate"].take();
                reply.reason = report["reason"].as_str().map(str::to_owned);
                reply.certificate = Some(certificate).filter(|c| !c.is_null());
                reply.classes = Some(report["classes"].take()).filter(|c| !c.is_null());
            }
        }
        let mut kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        let Kept { last, history } = kept.entry(name.to_owned()).or_default();
        let of = |key: &str| reply.certificate.as_ref().and_then(|c| c[key].as_f64());
        if let Some(bound) = of("bound") {
            let mistakes = of("updates").or(of("mistakes")).unwrap_or(0.0) as u64;
            history.retain(|point| point.seq != run.seq);
            history.push(BoundPoint {
                seq: run.seq,
                mistakes,
                bound,
            });
            history.sort_by_key(|point| point.seq);
            if history.len() > POINTS {
                history.remove(0);
            }
        }
        reply.history.clone_from(history);
        let reply = Arc::new(reply);
        *last = Some((effort, Arc::clone(&reply)));
        reply
    }

    fn certify(
        &self,
        folder: &Path,
        run: &CertifiedRun,
        effort: Effort,
    ) -> Result<(serde_json::Value, Vec<CurvePoint>), String> {
        if run.uploaded {
            return Err(
                "a model file was uploaded, and what it had learned before is not in the log"
                    .to_owned(),
            );
        }
        let AllRows { settings, requests } =
            all_rows(folder, Some(run.seq), self.memory / 2).map_err(|error| error.to_string())?;
        let settings = settings.check()?;
        let fitted = fit(
            &settings,
            Some(run.task.clone()),
            &requests,
            Some(effort),
            self.memory,
        )?;
        // a certificate of another run would be no certificate of this one
        let mistakes = fitted.report.total().mistakes;
        if mistakes != run.mistakes {
            return Err(format!(
                "the log makes {mistakes} mistakes when it is learned as one stream, and the model made {}: values that are auto were those of its first request; give them in the spec",
                run.mistakes
            ));
        }
        Ok((run_json(&fitted.report), curve_of(&fitted.report)))
    }
}

/// The bound after some of the rows; JSON has no infinite numbers.
fn curve_of(report: &RunReport) -> Vec<CurvePoint> {
    let Some(Certified::Bound(certificate)) = &report.certificate else {
        return Vec::new();
    };
    let finite = certificate
        .curve
        .iter()
        .filter(|(_, bound)| bound.is_finite());
    finite
        .map(|&(seq, bound)| CurvePoint { seq, bound })
        .collect()
}

/// The rows of requests through a learner, by the engine.
pub fn fit(
    settings: &CheckedSettings,
    task: Option<Task>,
    requests: &[Arc<NamedRows>],
    effort: Option<Effort>,
    memory: u128,
) -> Result<Fitted, String> {
    let (mut rows, mut schema) = (Rows::new(), settings.schema());
    for request in requests {
        let placed = request.placed(&mut schema, &settings.read);
        rows.append(placed.map_err(|error| error.to_string())?.view(), 0);
    }
    let memory_rows = MemoryRows {
        rows,
        names: schema.names,
        ..MemoryRows::default()
    };
    let certify = effort.map(|effort| CertifyOptions {
        effort,
        comparator: None,
        save: None,
        spool: memory,
    });
    let mut run = settings.run.clone();
    run.task = task.or(run.task);
    let fit = Fit {
        data: Data::Memory(Arc::new(memory_rows)),
        spec: Some(settings.spec.clone()),
        resume: None,
        output: None,
        checkpoint: None,
        trace: None,
        test: None,
        run,
        rows: RowOptions {
            read: settings.read.clone(),
            hash: settings.given.options.hash,
            threads: 1,
            memory,
            lenient: true,
        },
        certify,
        charts: false,
    };
    let interrupt = novikoff_engine::Interrupt::default();
    fit.run(Context::new(&Quiet, &interrupt))
        .map_err(|error| engine_error(&error))
}
