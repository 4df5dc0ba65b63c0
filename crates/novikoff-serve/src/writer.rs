//! The writer of a model: the one thread that changes it.
//!
//! Requests wait in a queue. The writer takes all that are there as one group, learns them in order, writes them to the log as one record, waits for the disk
//! and answers all of them. Readers have the model that was published last; a newer one is published when somebody asks for it, and only with rows that were
//! acknowledged.

use std::collections::HashMap;
use std::sync::atomic::Ordering;
use std::sync::mpsc::{Receiver, RecvTimeoutError};
use std::sync::{Arc, MutexGuard, PoisonError};
use std::thread;
use std::time::Instant;

use novikoff_data::named_rows::NamedRows;
use tokio::sync::mpsc::UnboundedSender;

use crate::api::{Learned, Mistake, SnapshotState};
use crate::fold::Trials;
use crate::handle::{ModelHandle, Published, Reply, Task, WriteError};
use crate::live::LiveModel;
use crate::log::{Entry, Log, LogError, frame};
use crate::replay::State;
use crate::request_ids::{Known, RequestIds};
use crate::retention;
use crate::snapshot::{self, SnapshotHeader, validation_of};
use crate::status::{MISTAKES, Status};

/// The most requests of a group.
const GROUP: usize = 1024;

/// A group is not added to beyond this many bytes.
const GROUP_BYTES: usize = 16 << 20;

/// The memory of a payload that is kept for the next one, at most.
const PAYLOAD: usize = 4 << 20;

/// When snapshots are written, and what they let go.
#[derive(Clone, Copy, Debug)]
pub struct SnapshotPolicy {
    /// After this many rows.
    pub rows: u64,
    /// Bytes of the log that stay although snapshots have what they hold; none: all stay.
    pub keep: Option<u64>,
}

/// A request of the group that was learned and waits for the disk.
struct Waiting {
    id: Option<String>,
    digest: u32,
    seq: u64,
    rows: Arc<NamedRows>,
    trials: Trials,
    reply: Reply<Learned>,
}

/// The one thread that changes a model.
pub struct Writer {
    handle: Arc<ModelHandle>,
    live: LiveModel,
    ids: RequestIds,
    /// Rows learned.
    seq: u64,
    log: Log,
    /// The memory of the last record's payload, to be used again.
    payload: Vec<u8>,
    uploaded: bool,
    policy: SnapshotPolicy,
    sync: &'static str,
    /// The `seq` of the snapshot that was begun last.
    snapshot_begun: u64,
    is_writing_snapshot: bool,
    /// Told of a log that has failed: the server must end.
    fatal: UnboundedSender<String>,
}

impl Writer {
    /// A writer that goes on where a model stands.
    pub fn new(
        handle: Arc<ModelHandle>,
        state: State,
        log: Log,
        sync: &'static str,
        policy: SnapshotPolicy,
        fatal: UnboundedSender<String>,
    ) -> Self {
        let snapshot_begun =
            handle.with_status(|status| status.snapshot.as_ref().map_or(0, |s| s.seq));
        let mut writer = Writer {
            live: LiveModel::new(state.fold),
            ids: state.ids,
            seq: state.seq,
            log,
            payload: Vec::new(),
            uploaded: state.uploaded,
            policy,
            sync,
            snapshot_begun,
            is_writing_snapshot: false,
            fatal,
            handle,
        };
        writer
            .handle
            .uploaded
            .store(writer.uploaded, Ordering::Release);
        writer.status().course = state.course;
        writer.status().look_at_log(&writer.handle.folder);
        writer.announce();
        writer.publish();
        writer
    }

    fn status(&self) -> MutexGuard<'_, Status> {
        self.handle
            .status
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
    }

    /// Works until it is asked to stop, or nobody can ask any more.
    pub fn run(mut self, queue: &Receiver<Task>) {
        loop {
            let first = match self.log.sync_due() {
                None => queue.recv().map_err(|_| RecvTimeoutError::Disconnected),
                Some(time) => queue.recv_timeout(time),
            };
            match first {
                Ok(first) => {
                    if let Some(done) = self.group(first, queue) {
                        self.stop();
                        let _ = done.send(());
                        return;
                    }
                }
                Err(RecvTimeoutError::Timeout) => {
                    if let Err(error) = self.log.sync() {
                        self.fail(&error);
                    }
                }
                Err(RecvTimeoutError::Disconnected) => return,
            }
        }
    }

    /// Does what waits in the queue. Gives whom to tell when it is asked to stop.
    fn group(
        &mut self,
        first: Task,
        queue: &Receiver<Task>,
    ) -> Option<tokio::sync::oneshot::Sender<()>> {
        let (mut waiting, mut repeated) = (Vec::new(), Vec::new());
        let (mut payload, mut seq) = (std::mem::take(&mut self.payload), self.seq);
        let mut group_ids: HashMap<String, Known> = HashMap::new();
        let mut next = Some(first);
        let mut stop = None;
        let mut taken = 0;
        while let Some(task) = next {
            match task {
                Task::Learn {
                    id,
                    rows,
                    body,
                    reply,
                } => {
                    // of requests without an id nobody asks whether they are the same
                    let digest = id.as_ref().map_or(0, |_| crc32fast::hash(&body));
                    let known = id
                        .as_ref()
                        .and_then(|id| group_ids.get(id).copied().or(self.ids.get(id)));
                    match known {
                        Some(known) if known.digest != digest => {
                            let _ = reply.send(Err(WriteError::IdTaken { seq: known.seq }));
                        }
                        Some(known) => repeated.push((known.seq, reply)),
                        None => match self.live.learn(&rows) {
                            Err(refused) => {
                                let (row, detail) = (refused.row, refused.detail);
                                let _ = reply.send(Err(WriteError::Refused { row, detail }));
                            }
                            Ok(trials) => {
                                seq += rows.len() as u64;
                                if let Some(id) = &id {
                                    group_ids.insert(id.clone(), Known { seq, digest });
                                }
                                let entry = Entry::Learned {
                                    id: id.clone(),
                                    rows: rows.len() as u32,
                                    body,
                                };
                                entry.write(&mut payload);
                                waiting.push(Waiting {
                                    id,
                                    digest,
                                    seq,
                                    rows,
                                    trials,
                                    reply,
                                });
                            }
                        },
                    }
                }
                Task::Lookup { id, reply } => {
                    let known = self.ids.get(&id).map(|known| known.seq);
                    let _ = reply.send(Ok(known));
                }
                Task::Upload { bytes, reply } => {
                    // what was learned before it is acknowledged first
                    self.commit(
                        &payload,
                        std::mem::take(&mut waiting),
                        std::mem::take(&mut repeated),
                    );
                    payload.clear();
                    self.upload(bytes, reply);
                    seq = self.seq;
                }
                Task::Publish => {}
                Task::SnapshotWritten(written) => self.snapshot_written(written),
                Task::Stop { done } => {
                    stop = Some(done);
                    break;
                }
            }
            taken += 1;
            let has_room = taken < GROUP && payload.len() < GROUP_BYTES;
            next = has_room.then(|| queue.try_recv().ok()).flatten();
        }
        self.commit(&payload, waiting, repeated);
        payload.clear();
        payload.shrink_to(PAYLOAD);
        self.payload = payload;
        if self.handle.wanted.swap(false, Ordering::SeqCst) {
            self.publish();
        }
        if self.seq - self.snapshot_begun >= self.policy.rows && stop.is_none() {
            self.begin_snapshot();
        }
        stop
    }

    /// Writes a group to the log, waits for the disk and answers.
    fn commit(
        &mut self,
        payload: &[u8],
        waiting: Vec<Waiting>,
        repeated: Vec<(u64, Reply<Learned>)>,
    ) {
        let rows: u64 = waiting
            .iter()
            .map(|request| request.rows.len() as u64)
            .sum();
        if !waiting.is_empty() {
            let begun = Instant::now();
            let written = self
                .log
                .append(payload, rows)
                .and_then(|()| self.log.commit());
            if let Err(error) = written {
                self.live.abort();
                self.refuse(&error, waiting, repeated);
                return;
            }
            metrics::histogram!("novikoff_log_commit_seconds")
                .record(begun.elapsed().as_secs_f64());
            metrics::histogram!("novikoff_log_group_requests").record(waiting.len() as f64);
            self.live.commit();
            self.count(rows, payload.len(), &waiting);
        }
        let sync = self.sync;
        for request in waiting {
            let learned = Learned {
                seq: request.seq,
                predictions: Some(request.trials.predictions),
                repeated: false,
                sync,
            };
            let _ = request.reply.send(Ok(learned));
        }
        for (seq, reply) in repeated {
            let learned = Learned {
                seq,
                predictions: None,
                repeated: true,
                sync,
            };
            let _ = reply.send(Ok(learned));
        }
    }

    /// What a group changes besides the model.
    fn count(&mut self, rows: u64, bytes: usize, waiting: &[Waiting]) {
        self.seq += rows;
        for request in waiting {
            if let Some(id) = &request.id {
                let Waiting { seq, digest, .. } = *request;
                self.ids.insert(id, Known { seq, digest });
            }
        }
        let mut status = self.status();
        for request in waiting {
            status.course.add(&request.trials);
            note_mistakes(&mut status, request);
        }
        status.log.blocked = None;
        status.log.bytes += frame::size(bytes) as u64;
        drop(status);
        let mistakes = waiting
            .iter()
            .flat_map(|request| &request.trials.predictions);
        let mistakes = mistakes.filter(|row| row.mistake).count() as u64;
        metrics::counter!("novikoff_learned_rows_total", "model" => self.handle.name.clone())
            .increment(rows);
        metrics::counter!("novikoff_mistakes_total", "model" => self.handle.name.clone())
            .increment(mistakes);
        self.announce();
    }

    fn refuse(
        &mut self,
        error: &LogError,
        waiting: Vec<Waiting>,
        repeated: Vec<(u64, Reply<Learned>)>,
    ) {
        let answer = if error.is_full() {
            if self
                .status()
                .log
                .blocked
                .replace("disk full".to_owned())
                .is_none()
            {
                tracing::warn!(model = self.handle.name, "{error}");
            }
            WriteError::Full(error.to_string())
        } else {
            self.fail(error);
            WriteError::Failed(error.to_string())
        };
        for request in waiting {
            let _ = request.reply.send(Err(answer.clone()));
        }
        for (_, reply) in repeated {
            let _ = reply.send(Err(answer.clone()));
        }
    }

    /// Nobody knows what the disk has: the server must end.
    fn fail(&self, error: &LogError) {
        tracing::error!(model = self.handle.name, "{error}");
        let _ = self.fatal.send(error.to_string());
    }

    fn upload(&mut self, bytes: Vec<u8>, reply: Reply<()>) {
        // a model that is refused leaves no trace in the log
        let mut fold = crate::fold::Fold::new(self.live.settings().clone());
        if let Err(detail) = fold.upload(&bytes) {
            let _ = reply.send(Err(WriteError::Refused { row: None, detail }));
            return;
        }
        let mut payload = Vec::new();
        Entry::Uploaded { model: bytes }.write(&mut payload);
        let written = self.log.append(&payload, 0).and_then(|()| self.log.sync());
        if let Err(error) = written {
            let answer = if error.is_full() {
                WriteError::Full(error.to_string())
            } else {
                self.fail(&error);
                WriteError::Failed(error.to_string())
            };
            let _ = reply.send(Err(answer));
            return;
        }
        self.live = LiveModel::new(fold);
        self.uploaded = true;
        self.handle.uploaded.store(true, Ordering::Release);
        self.status().classes.clear();
        self.announce();
        self.publish();
        let _ = reply.send(Ok(()));
    }

    /// Tells everybody how the model stands; replies come behind this.
    fn announce(&self) {
        let mut status = self.status();
        status.seq = self.seq;
        status.look(self.live.model());
        let (standing, log_bytes) = (status.standing(), status.log.bytes);
        drop(status);
        let handle = &self.handle;
        handle.acknowledged.store(self.seq, Ordering::Release);
        handle.standing.send_replace(standing);
        metrics::gauge!("novikoff_model_seq", "model" => handle.name.clone()).set(self.seq as f64);
        metrics::gauge!("novikoff_log_bytes", "model" => handle.name.clone()).set(log_bytes as f64);
    }

    fn publish(&mut self) {
        let published = Published {
            seq: self.seq,
            model: self.live.snapshot(),
        };
        self.handle.published.store(Arc::new(published));
        self.handle.published_seq.send_replace(self.seq);
    }

    fn header(&self) -> SnapshotHeader {
        let next = self.log.next();
        SnapshotHeader {
            settings: serde_json::to_string(&self.live.settings().given).unwrap_or_default(),
            frame: next.first,
            seq: self.seq,
            previous: next.previous,
            ids: self.ids.store(),
            course: serde_json::to_string(&self.status().course).unwrap_or_default(),
            validation: validation_of(self.live.model()),
            uploaded: self.uploaded,
            has_model: self.live.model().is_some(),
        }
    }

    /// Writes a snapshot in another thread.
    fn begin_snapshot(&mut self) {
        if self.is_writing_snapshot {
            return;
        }
        // a snapshot must not know more than the disk has of the log
        if let Err(error) = self.log.sync() {
            self.fail(&error);
            return;
        }
        self.is_writing_snapshot = true;
        self.snapshot_begun = self.seq;
        let (header, model, handle) = (
            self.header(),
            self.live.snapshot(),
            Arc::clone(&self.handle),
        );
        thread::spawn(move || {
            let bytes = model.map(|model| novikoff_data::model::to_bytes(&model));
            let bytes = bytes.transpose().map_err(|error| error.to_string());
            let written = bytes.and_then(|bytes| {
                snapshot::save(&handle.folder, &header, &bytes.unwrap_or_default())
            });
            let written = written.map(|bytes| (header.frame, header.seq, bytes));
            // the writer waits for nobody, so this does not last
            let _ = handle.queue.send(Task::SnapshotWritten(written));
        });
    }

    fn snapshot_written(&mut self, written: Result<(u64, u64, u64), String>) {
        self.is_writing_snapshot = false;
        match written {
            Err(what) => tracing::warn!(model = self.handle.name, "{what}"),
            Ok((_, seq, bytes)) => {
                self.status().snapshot = Some(SnapshotState { seq, bytes });
                self.retain();
            }
        }
    }

    /// Removes snapshots and segments that are no longer needed.
    fn retain(&self) {
        let folder = &self.handle.folder;
        match retention::apply(folder, self.policy.keep) {
            Ok(first_seq) => self.status().log.first_seq = first_seq,
            Err(error) => tracing::warn!(
                model = self.handle.name,
                "cannot remove what is no longer needed: {error}"
            ),
        }
        self.status().look_at_log(folder);
    }

    /// The last thing: everything on disk, and a snapshot, so that the next start is quick and knows what was acknowledged.
    fn stop(&mut self) {
        if let Err(error) = self.log.sync() {
            self.fail(&error);
            return;
        }
        let bytes = self
            .live
            .model()
            .map(novikoff_data::model::to_bytes)
            .transpose();
        let written = bytes.map_err(|error| error.to_string()).and_then(|bytes| {
            snapshot::save(
                &self.handle.folder,
                &self.header(),
                &bytes.unwrap_or_default(),
            )
        });
        match written {
            Ok(_) => self.retain(),
            Err(what) => tracing::warn!(model = self.handle.name, "{what}"),
        }
    }
}

/// The most features of a mistake that are kept, and the most characters of a name.
const FEATURES: usize = 50;
const NAME: usize = 200;

/// A name as it is kept to be looked at: clients may send names of any length.
fn short(name: &str) -> String {
    match name.char_indices().nth(NAME) {
        None => name.to_owned(),
        Some((end, _)) => format!("{}...", &name[..end]),
    }
}

/// The mistakes of a request, to be looked at.
fn note_mistakes(status: &mut Status, request: &Waiting) {
    let first = request.seq - request.rows.len() as u64;
    let predictions = request.trials.predictions.iter().enumerate().rev();
    let wrong = predictions
        .filter(|(_, row)| row.mistake)
        .map(|(row, _)| row);
    let wrong: Vec<usize> = wrong.take(MISTAKES).collect();
    for &row in wrong.iter().rev() {
        let labels = request.rows.view().labels(row);
        let labels: Vec<String> = labels
            .take(FEATURES)
            .map(|label| short(&String::from_utf8_lossy(label.text())))
            .collect();
        let features = request
            .rows
            .features(row, FEATURES)
            .map(|(name, value)| (short(&name), value.into()));
        status.mistakes.push_front(Mistake {
            seq: first + row as u64 + 1,
            label: labels.join(","),
            predicted: short(&request.trials.predictions[row].label),
            features: features.collect(),
        });
    }
    status.mistakes.truncate(MISTAKES);
}
