//! What was learned on its way to the disk: the thread that writes groups to the log, waits for the disk and answers.
//!
//! The writer learns the next group while the disk has the last one. A group goes as one [`Flight`], which is written as one record and synced once. Nobody is answered, and no reader sees a row, before the disk has it. A flight that finds no room takes
//! everything behind it along: the writer goes back to what was acknowledged.

use std::sync::atomic::Ordering;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Instant;

use metrics::{Counter, Histogram};
use novikoff_data::named_rows::NamedRows;
use tokio::sync::mpsc::UnboundedSender;

use crate::api::Learned;
use crate::fold::Trials;
use crate::handle::{ModelHandle, Published, Reply, Task, WriteError};
use crate::log::entry::LearnedEntry;
use crate::log::{Log, LogError, frame};
use crate::status::Look;

/// Entries that are at least this long are not copied into a record.
const LARGE: usize = 64 << 10;

/// The memory of a record that is kept for another one, at most.
const RECORD: usize = 4 << 20;

/// A request that was learned and waits for the disk.
pub struct Waiting {
    /// The `seq` behind it.
    pub seq: u64,
    /// Its rows.
    pub rows: Arc<NamedRows>,
    /// What they came to.
    pub trials: Trials,
    /// Where the reply goes.
    pub reply: Reply<Learned>,
}

/// What is written together.
#[derive(Default)]
pub struct Flight {
    /// Entries of the log, behind room for the header of their record.
    pub record: Vec<u8>,
    /// The requests whose rows they have.
    pub waiting: Vec<Waiting>,
    /// Requests that were learned before: they are answered with the others, for the disk may not have them yet.
    pub repeated: Vec<(u64, Reply<Learned>)>,
    /// What the model says of itself behind them.
    pub look: Option<Look>,
    /// The model that readers have behind them.
    pub published: Option<Published>,
}

impl Flight {
    /// Nothing, in memory that is used again.
    fn with(mut record: Vec<u8>) -> Self {
        record.clear();
        record.shrink_to(RECORD);
        frame::begin(&mut record);
        Flight {
            record,
            ..Flight::default()
        }
    }

    /// Adds an entry. A large one becomes the record itself, without a copy, if it is the first.
    pub fn add(&mut self, entry: LearnedEntry) {
        if self.record.len() <= frame::HEADER && entry.bytes().len() >= LARGE {
            self.record = entry.into_record();
        } else {
            self.record.extend_from_slice(entry.bytes());
        }
    }
}

#[derive(Default)]
struct Air {
    /// What goes next.
    next: Option<Flight>,
    /// A flight is being written.
    is_busy: bool,
    /// Memory of records, to be used again.
    spare: Vec<u8>,
    /// Rows that the disk has.
    acknowledged: u64,
    /// Why everything that was not acknowledged is not to be.
    failure: Option<WriteError>,
    is_closed: bool,
}

/// What the writer and the thread of the log share.
pub struct Commits {
    air: Mutex<Air>,
    changed: Condvar,
    log: Mutex<Log>,
}

/// How things stand for the writer.
pub struct Landed {
    /// Rows that the disk has.
    pub acknowledged: u64,
    /// Why everything behind them is not to be.
    pub failure: Option<WriteError>,
}

impl Commits {
    /// To a log, behind the rows that it has.
    pub fn new(log: Log, acknowledged: u64) -> Self {
        let air = Air {
            acknowledged,
            ..Air::default()
        };
        Commits {
            air: Mutex::new(air),
            changed: Condvar::new(),
            log: Mutex::new(log),
        }
    }

    fn air(&self) -> MutexGuard<'_, Air> {
        self.air.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The log. Between flights; whoever holds it keeps the next one waiting.
    pub fn log(&self) -> MutexGuard<'_, Log> {
        self.log.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn wait<'a>(&self, air: MutexGuard<'a, Air>) -> MutexGuard<'a, Air> {
        self.changed
            .wait(air)
            .unwrap_or_else(PoisonError::into_inner)
    }

    /// An empty flight.
    pub fn flight(&self) -> Flight {
        Flight::with(std::mem::take(&mut self.air().spare))
    }

    /// Sends a flight off, and returns once the one before it has landed: what comes meanwhile goes together. It comes back if one before it has
    /// failed: what it learned is not to be.
    pub fn send(&self, flight: Flight) -> Option<Flight> {
        let mut air = self.air();
        if air.failure.is_some() {
            return Some(flight);
        }
        air.next = Some(flight);
        self.changed.notify_all();
        while air.next.is_some() {
            air = self.wait(air);
        }
        None
    }

    /// What has become of the flights; a failure is said once.
    pub fn landed(&self) -> Landed {
        let mut air = self.air();
        Landed {
            acknowledged: air.acknowledged,
            failure: air.failure.take(),
        }
    }

    /// Whether the disk has everything that was sent off.
    pub fn is_idle(&self) -> bool {
        let air = self.air();
        air.next.is_none() && !air.is_busy && air.failure.is_none()
    }

    /// Returns when nothing is on its way.
    pub fn drain(&self) {
        let mut air = self.air();
        while air.next.is_some() || air.is_busy {
            air = self.wait(air);
        }
    }

    /// Ends the thread of the log once nothing is on its way.
    pub fn close(&self) {
        self.air().is_closed = true;
        self.changed.notify_all();
    }

    /// The next flight; none once it is closed. Meanwhile `sync` is called when it is due.
    fn take(&self, mut sync: impl FnMut()) -> Option<Flight> {
        loop {
            let due = self.log().sync_due();
            let mut air = self.air();
            if let Some(flight) = air.next.take() {
                air.is_busy = true;
                drop(air);
                self.changed.notify_all();
                return Some(flight);
            }
            if air.is_closed {
                return None;
            }
            match due {
                None => drop(self.wait(air)),
                Some(time) => {
                    let waited = self.changed.wait_timeout(air, time);
                    let (air, time) = waited.unwrap_or_else(PoisonError::into_inner);
                    drop(air);
                    if time.timed_out() {
                        sync();
                    }
                }
            }
        }
    }

    /// A flight has landed, with this many rows in all.
    fn land(&self, acknowledged: Option<u64>, record: Vec<u8>) {
        let mut air = self.air();
        air.acknowledged = acknowledged.unwrap_or(air.acknowledged);
        if air.spare.capacity() < record.capacity() {
            air.spare = record;
        }
        air.is_busy = false;
        drop(air);
        self.changed.notify_all();
    }

    /// A flight has failed, and with it what is behind it.
    fn fail(&self, failure: WriteError) -> Option<Flight> {
        let mut air = self.air();
        air.failure = Some(failure);
        let behind = air.next.take();
        drop(air);
        self.changed.notify_all();
        behind
    }
}

/// The thread that writes to the log of a model.
pub struct Committer {
    handle: Arc<ModelHandle>,
    commits: Arc<Commits>,
    sync: &'static str,
    /// Hears of a log that has failed: the server must end.
    fatal: UnboundedSender<String>,
    seconds: Histogram,
    requests: Histogram,
    rows: Counter,
    mistakes: Counter,
}

impl Committer {
    /// The one of a model.
    pub fn new(
        handle: Arc<ModelHandle>,
        commits: Arc<Commits>,
        sync: &'static str,
        fatal: UnboundedSender<String>,
    ) -> Self {
        let model = handle.name.clone();
        Committer {
            handle,
            commits,
            sync,
            fatal,
            seconds: metrics::histogram!("novikoff_log_commit_seconds"),
            requests: metrics::histogram!("novikoff_log_group_requests"),
            rows: metrics::counter!("novikoff_learned_rows_total", "model" => model.clone()),
            mistakes: metrics::counter!("novikoff_mistakes_total", "model" => model),
        }
    }

    /// Works until it is closed.
    pub fn run(self) {
        let sync_when_due = || {
            if let Err(error) = self.commits.log().sync() {
                self.failed(&error);
            }
        };
        while let Some(flight) = self.commits.take(sync_when_due) {
            self.commit(flight);
        }
    }

    /// Writes a flight to the log, waits for the disk and answers.
    fn commit(&self, mut flight: Flight) {
        let mut acknowledged = None;
        if let Some(last) = flight.waiting.last() {
            let seq = last.seq;
            let begun = Instant::now();
            let rows = flight.waiting.iter().map(|request| request.rows.len());
            let rows = rows.sum::<usize>() as u64;
            let mut log = self.commits.log();
            let written = log.append_frame(&mut flight.record, rows);
            let written = written.and_then(|()| log.commit());
            drop(log);
            if let Err(error) = written {
                self.refuse(&error, flight);
                return;
            }
            self.seconds.record(begun.elapsed().as_secs_f64());
            self.requests.record(flight.waiting.len() as f64);
            self.count(seq, rows, &mut flight);
            acknowledged = Some(seq);
        }
        if let Some(published) = flight.published {
            publish(&self.handle, published);
        }
        let sync = self.sync;
        for request in flight.waiting {
            let learned = Learned {
                seq: request.seq,
                predictions: Some(request.trials.predictions),
                repeated: false,
                sync,
            };
            let _ = request.reply.send(Ok(learned));
        }
        for (seq, reply) in flight.repeated {
            let learned = Learned {
                seq,
                predictions: None,
                repeated: true,
                sync,
            };
            let _ = reply.send(Ok(learned));
        }
        self.commits.land(acknowledged, flight.record);
    }

    /// What a flight changes besides the model.
    fn count(&self, seq: u64, rows: u64, flight: &mut Flight) {
        let mut status = self.handle.lock_status();
        let mut mistakes = 0;
        for request in &flight.waiting {
            status.course.add(&request.rows, &request.trials);
            let predictions = request.trials.predictions.iter();
            mistakes += predictions.filter(|row| row.mistake).count() as u64;
        }
        status.log.blocked = None;
        status.log.bytes += flight.record.len() as u64;
        drop(status);
        self.rows.increment(rows);
        self.mistakes.increment(mistakes);
        announce(&self.handle, seq, flight.look.take());
    }

    fn refuse(&self, error: &LogError, flight: Flight) {
        let answer = if error.is_full() {
            let full = "disk full".to_owned();
            let mut status = self.handle.lock_status();
            if status.log.blocked.replace(full).is_none() {
                tracing::warn!(model = self.handle.name, "{error}");
            }
            WriteError::Full(error.to_string())
        } else {
            self.failed(error);
            WriteError::Failed(error.to_string())
        };
        let behind = self.commits.fail(answer.clone());
        refuse(flight, &answer);
        if let Some(flight) = behind {
            refuse(flight, &answer);
        }
        self.commits.land(None, Vec::new());
        // readers may wait for a model that was to be published; a writer whose queue is full is awake
        self.handle.wanted.store(true, Ordering::SeqCst);
        let _ = self.handle.send(Task::Publish);
    }

    /// Nobody knows what the disk has: the server must end.
    fn failed(&self, error: &LogError) {
        tracing::error!(model = self.handle.name, "{error}");
        let _ = self.fatal.send(error.to_string());
    }
}

/// Answers everybody on a flight that nothing was learned.
pub fn refuse(flight: Flight, answer: &WriteError) {
    let waiting = flight.waiting.into_iter().map(|request| request.reply);
    let repeated = flight.repeated.into_iter().map(|(_, reply)| reply);
    for reply in waiting.chain(repeated) {
        let _ = reply.send(Err(answer.clone()));
    }
}

/// Gives readers a model.
pub fn publish(handle: &ModelHandle, published: Published) {
    let seq = published.seq;
    handle.published.store(Arc::new(published));
    handle.published_seq.send_replace(seq);
}

/// Says to everybody how the model stands; replies come behind this.
pub fn announce(handle: &ModelHandle, seq: u64, look: Option<Look>) {
    let mut status = handle.lock_status();
    status.seq = seq;
    if let Some(look) = look {
        status.look(look);
    }
    let (standing, log_bytes) = (status.standing(), status.log.bytes);
    drop(status);
    handle.acknowledged.store(seq, Ordering::Release);
    handle.standing.send_replace(standing);
    metrics::gauge!("novikoff_model_seq", "model" => handle.name.clone()).set(seq as f64);
    metrics::gauge!("novikoff_log_bytes", "model" => handle.name.clone()).set(log_bytes as f64);
}
