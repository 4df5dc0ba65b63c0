//! The writer of a model: the one thread that changes it.
//!
//! Requests wait in a queue. The writer takes all that are there as one group, learns them in order and sends them off to the log ([`crate::commit`]),
//! which answers them once the disk has them; meanwhile the writer learns the next group. The model of the writer is ahead of the disk, so readers never see it:
//! they have the model that was published last. A newer one is copied when somebody asks for it, and is published once the disk has every row that it has learned.

use std::collections::{HashMap, VecDeque};
use std::sync::atomic::Ordering;
use std::sync::mpsc::Receiver;
use std::sync::{Arc, MutexGuard};
use std::thread;

use novikoff_data::named_rows::NamedRows;
use tokio::sync::mpsc::UnboundedSender;

use crate::api::{Learned, SnapshotState};
use crate::commit::{self, Commits, Flight, Waiting};
use crate::handle::{ModelHandle, Published, Reply, Task, WriteError};
use crate::live::LiveModel;
use crate::log::entry::LearnedEntry;
use crate::log::{Entry, LogError};
use crate::remarks::Remarks;
use crate::replay::State;
use crate::request_ids::{Known, RequestIds};
use crate::retention;
use crate::snapshot::{self, SnapshotHeader, validation_of};
use crate::status::{Look, Status};

/// The most requests of a group.
const GROUP: usize = 1024;

/// A group is not added to beyond this many bytes.
const GROUP_BYTES: usize = 256 << 10;

/// When snapshots are written, and what they let go.
#[derive(Clone, Copy, Debug)]
pub struct SnapshotPolicy {
    /// After this many rows.
    pub rows: u64,
    /// Bytes of the log that stay although snapshots have what they hold; none: all stay.
    pub keep: Option<u64>,
}

/// The one thread that changes a model.
pub struct Writer {
    handle: Arc<ModelHandle>,
    live: LiveModel,
    ids: RequestIds,
    /// Requests that were learned and wait for the disk, by id and in order.
    flying: HashMap<String, Known>,
    flying_ids: VecDeque<(String, Known)>,
    /// Rows learned, whether the disk has them or not.
    seq: u64,
    commits: Arc<Commits>,
    /// How many labels everybody has heard of, or will.
    classes: usize,
    uploaded: bool,
    policy: SnapshotPolicy,
    /// The `seq` of the snapshot that was begun last.
    snapshot_begun: u64,
    is_writing_snapshot: bool,
    /// Hears of a log that has failed: the server must end.
    fatal: UnboundedSender<String>,
}

impl Writer {
    /// A writer that goes on where a model stands.
    pub fn new(
        handle: Arc<ModelHandle>,
        state: State,
        commits: Arc<Commits>,
        policy: SnapshotPolicy,
        fatal: UnboundedSender<String>,
    ) -> Self {
        let snapshot_begun =
            handle.with_status(|status| status.snapshot.as_ref().map_or(0, |s| s.seq));
        let mut writer = Writer {
            live: LiveModel::new(state.fold),
            ids: state.ids,
            seq: state.seq,
            flying: HashMap::new(),
            flying_ids: VecDeque::new(),
            commits,
            classes: 0,
            uploaded: state.uploaded,
            policy,
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
        self.handle.lock_status()
    }

    /// Works until it is asked to stop, or nobody can ask any more.
    pub fn run(mut self, queue: &Receiver<Task>) {
        let mut stopped = None;
        while stopped.is_none() {
            let Ok(first) = queue.recv() else { break };
            stopped = self.group(first, queue);
        }
        self.commits.drain();
        self.settle();
        if stopped.is_some() {
            self.stop();
        }
        self.commits.close();
        if let Some(done) = stopped {
            let _ = done.send(());
        }
    }

    /// What the disk has is acknowledged. Where a flight has failed, the model goes back to that; gives why.
    fn settle(&mut self) -> Option<WriteError> {
        let landed = self.commits.landed();
        self.live.acknowledge(landed.acknowledged);
        let is_landed = |(_, known): &(String, Known)| known.seq <= landed.acknowledged;
        while self.flying_ids.front().is_some_and(is_landed)
            && let Some((id, known)) = self.flying_ids.pop_front()
        {
            self.flying.remove(&id);
            self.ids.insert(&id, known);
        }
        if landed.failure.is_some() {
            self.live.abort();
            self.seq = landed.acknowledged;
            self.flying.clear();
            self.flying_ids.clear();
            self.classes = 0;
        }
        landed.failure
    }

    /// Sends off what was learned.
    fn send(&mut self, flight: &mut Flight) {
        if flight.waiting.is_empty() && flight.repeated.is_empty() {
            return;
        }
        self.live.end_group(self.seq);
        if let Some(model) = self.live.model().filter(|_| !flight.waiting.is_empty()) {
            flight.look = Some(Look::at(model, self.classes));
            self.classes = model.classes().count();
        }
        let sent = self
            .commits
            .send(std::mem::replace(flight, self.commits.flight()));
        if let Some(returned) = sent {
            let failure = self.settle().unwrap_or(WriteError::Stopped);
            commit::refuse(returned, &failure);
        }
    }

    /// Does what waits in the queue. Gives whom to tell when it is asked to stop.
    fn group(
        &mut self,
        first: Task,
        queue: &Receiver<Task>,
    ) -> Option<tokio::sync::oneshot::Sender<()>> {
        self.settle();
        let mut flight = self.commits.flight();
        let mut next = Some(first);
        let mut stop = None;
        let mut taken = 0;
        while let Some(task) = next {
            match task {
                Task::Learn {
                    id,
                    rows,
                    entry,
                    reply,
                } => self.learn(&mut flight, id, rows, entry, reply),
                Task::Lookup { id, reply } => {
                    let known = self.ids.get(&id).map(|known| known.seq);
                    let _ = reply.send(Ok(known));
                }
                Task::Upload { bytes, reply } => {
                    // what was learned before it is acknowledged first
                    self.send(&mut flight);
                    self.commits.drain();
                    self.settle();
                    self.upload(bytes, reply);
                }
                Task::Publish => {}
                Task::SnapshotWritten(written) => self.snapshot_written(written),
                Task::Stop { done } => {
                    stop = Some(done);
                    break;
                }
            }
            taken += 1;
            // the disk gets much as soon as it is there, and little with what comes at the same time
            if flight.record.len() >= GROUP_BYTES {
                self.send(&mut flight);
            }
            next = (taken < GROUP).then(|| queue.try_recv().ok()).flatten();
        }
        self.send(&mut flight);
        if self.handle.wanted.swap(false, Ordering::SeqCst) {
            self.publish();
        }
        if self.seq - self.snapshot_begun >= self.policy.rows && stop.is_none() {
            self.begin_snapshot();
        }
        stop
    }

    /// Learns a request, unless it was learned before.
    fn learn(
        &mut self,
        flight: &mut Flight,
        id: Option<String>,
        rows: Arc<NamedRows>,
        entry: LearnedEntry,
        reply: Reply<Learned>,
    ) {
        // of requests without an id nobody asks whether they are the same
        let digest = id.as_ref().map_or(0, |_| entry.digest());
        let known = id
            .as_ref()
            .and_then(|id| self.flying.get(id).copied().or(self.ids.get(id)));
        match known {
            Some(known) if known.digest != digest => {
                let _ = reply.send(Err(WriteError::IdTaken { seq: known.seq }));
            }
            Some(known) => flight.repeated.push((known.seq, reply)),
            None => match self.live.learn(&rows) {
                Err(refused) => {
                    let (row, detail) = (refused.row, refused.detail);
                    let _ = reply.send(Err(WriteError::Refused { row, detail }));
                }
                Ok(trials) => {
                    self.seq += rows.len() as u64;
                    let seq = self.seq;
                    if let Some(id) = id {
                        let known = Known { seq, digest };
                        self.flying.insert(id.clone(), known);
                        self.flying_ids.push_back((id, known));
                    }
                    flight.add(entry);
                    flight.waiting.push(Waiting {
                        seq,
                        rows,
                        trials,
                        reply,
                    });
                }
            },
        }
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
        let mut log = self.commits.log();
        let written = log.append(&payload, 0).and_then(|()| log.sync());
        drop(log);
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
        self.handle.columns.store(Arc::new(fold.columns()));
        *self.handle.remarks() = Remarks::default();
        self.live = LiveModel::new(fold);
        self.uploaded = true;
        self.handle.uploaded.store(true, Ordering::Release);
        self.classes = 0;
        self.status().classes.clear();
        self.announce();
        self.publish();
        let _ = reply.send(Ok(()));
    }

    /// Nobody knows what the disk has: the server must end.
    fn fail(&self, error: &LogError) {
        tracing::error!(model = self.handle.name, "{error}");
        let _ = self.fatal.send(error.to_string());
    }

    /// Says how the model stands; nothing is on its way to the disk.
    fn announce(&mut self) {
        let look = self.live.model().map(|model| Look::at(model, self.classes));
        self.classes = self.live.model().map_or(0, |model| model.classes().count());
        commit::announce(&self.handle, self.seq, look);
    }

    /// Gives readers the model, once the disk has what it has learned.
    fn publish(&mut self) {
        let published = Published {
            seq: self.seq,
            model: self.live.snapshot(),
        };
        if self.commits.is_idle() {
            commit::publish(&self.handle, published);
            return;
        }
        let flight = Flight {
            published: Some(published),
            ..self.commits.flight()
        };
        if self.commits.send(flight).is_some() {
            self.settle();
            self.publish();
        }
    }

    fn header(&self) -> SnapshotHeader {
        let next = self.commits.log().next();
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
        self.commits.drain();
        self.settle();
        if !self.sync() {
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

    /// Returns when the disk has the log, which nothing is on its way to.
    fn sync(&self) -> bool {
        let synced = self.commits.log().sync();
        if let Err(error) = &synced {
            self.fail(error);
        }
        synced.is_ok()
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
        if !self.sync() {
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
