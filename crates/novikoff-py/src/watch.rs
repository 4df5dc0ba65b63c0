//! A job beside Python: the interpreter is free while the job runs, Ctrl-C stops it, and a callback can show how far it is.

use std::any::Any;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Mutex;
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::thread;
use std::time::Duration;

use novikoff_engine::events::{Event, Listener, Notice, Phase};
use novikoff_engine::{Context, Error, Interrupt};
use pyo3::exceptions::PyRuntimeError;
use pyo3::prelude::*;

use crate::words::{PythonDoor, raised_at};

/// How often Python is asked whether Ctrl-C was pressed.
const LOOK: Duration = Duration::from_millis(50);

/// Values below which a job is done before anybody could stop it.
pub(crate) const QUICK: usize = 20_000;

/// Whether a job has a thread of its own.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Pace {
    /// It is done in a moment.
    Quick,
    /// It may take long.
    Long,
}

impl Pace {
    /// For rows of the given number of values.
    pub(crate) fn of(values: usize) -> Self {
        if values < QUICK {
            Pace::Quick
        } else {
            Pace::Long
        }
    }
}

/// Where a job is, for the callback.
#[derive(Clone, Copy, Default)]
struct Progress {
    phase: &'static str,
    at: u64,
    length: Option<u64>,
}

/// Keeps where the job is, and whether a problem of the solver fell short of its gap.
#[derive(Default)]
pub(crate) struct Watcher {
    progress: Mutex<Progress>,
    short: Mutex<Option<String>>,
}

impl Watcher {
    fn change(&self, change: impl FnOnce(&mut Progress)) {
        if let Ok(mut progress) = self.progress.lock() {
            change(&mut progress);
        }
    }

    /// What to say if the gap was not reached.
    pub(crate) fn short(&self) -> Option<String> {
        self.short.lock().ok()?.clone()
    }
}

impl Listener for Watcher {
    fn event(&self, event: Event<'_>) {
        match event {
            Event::Begin { phase, length } => self.change(|progress| {
                *progress = Progress {
                    phase: in_words(phase),
                    at: 0,
                    length,
                };
            }),
            Event::At(at) => self.change(|progress| progress.at = at),
            Event::Notice(Notice::GapNotReached { short, of, .. }) => {
                if let Ok(mut said) = self.short.lock() {
                    *said = Some(format!(
                        "the gap was not reached for {short} of {of} problems; raise max_passes, or gap"
                    ));
                }
            }
            _ => {}
        }
    }
}

fn in_words(phase: Phase) -> &'static str {
    match phase {
        Phase::Reading => "reading",
        Phase::Caching => "making the cache",
        Phase::Learning | Phase::Epochs => "learning",
        Phase::Testing | Phase::TestRows => "testing",
        Phase::Certifying => "certifying",
        Phase::Solving | Phase::Classes => "solving",
        Phase::Labels | Phase::FirstRows => "looking at the first rows",
        Phase::Evaluating | Phase::Measures => "measuring",
        Phase::Converting => "converting",
        Phase::Predicting => "predicting",
        Phase::Orders | Phase::Learners | Phase::Runs => "learning, run by run",
        Phase::Candidates | Phase::CandidatesAndFolds | Phase::ProblemsAndFolds => {
            "trying candidates"
        }
    }
}

/// A panic is a fault of ours: Python gets an ordinary exception.
fn fault(panic: &(dyn Any + Send)) -> PyErr {
    let text = panic.downcast_ref::<String>().map(String::as_str);
    let text = text.or_else(|| panic.downcast_ref::<&str>().copied());
    let text = text.unwrap_or("no message");
    PyRuntimeError::new_err(format!("a fault of novikoff, please report it: {text}"))
}

/// Runs a job over files without the interpreter. `progress(phase, at, length)` is called while it runs, if it is given.
pub(crate) fn run_files<T: Send>(
    py: Python<'_>,
    progress: Option<&Py<PyAny>>,
    job: impl FnOnce(Context<'_>) -> Result<T, Error> + Send,
) -> PyResult<T> {
    let files = (PythonDoor::Files, progress);
    let (watcher, interrupt) = (Watcher::default(), Interrupt::default());
    watched(py, Pace::Long, files, &watcher, &interrupt, job)
}

/// Runs a job over rows that are given without the interpreter.
pub(crate) fn run<T: Send>(
    py: Python<'_>,
    pace: Pace,
    job: impl FnOnce(Context<'_>) -> Result<T, Error> + Send,
) -> PyResult<T> {
    let (watcher, interrupt) = (Watcher::default(), Interrupt::default());
    watched(py, pace, ROWS, &watcher, &interrupt, job)
}

/// A job over rows that are given: nothing is shown while it runs.
pub(crate) const ROWS: (PythonDoor, Option<&Py<PyAny>>) = (PythonDoor::Rows, None);

/// Runs a job at a door, whose progress a callback may show; the watcher is looked at afterwards.
pub(crate) fn watched<T: Send>(
    py: Python<'_>,
    pace: Pace,
    (door, progress): (PythonDoor, Option<&Py<PyAny>>),
    watcher: &Watcher,
    interrupt: &Interrupt,
    job: impl FnOnce(Context<'_>) -> Result<T, Error> + Send,
) -> PyResult<T> {
    let guarded = || {
        let job = AssertUnwindSafe(|| job(Context::new(watcher, interrupt)));
        catch_unwind(job)
    };
    let mut raised_by_python = None;
    let done = py.detach(|| {
        if pace == Pace::Quick && progress.is_none() {
            return guarded();
        }
        thread::scope(|scope| {
            let (sender, ended) = channel::<()>();
            let worker = scope.spawn(move || {
                let done = guarded();
                drop(sender);
                done
            });
            while ended.recv_timeout(LOOK) == Err(RecvTimeoutError::Timeout) {
                let looked = Python::attach(|py| {
                    py.check_signals()?;
                    progress.map_or(Ok(()), |callback| show(py, callback, watcher))
                });
                if let Err(error) = looked {
                    interrupt.request();
                    raised_by_python = Some(error);
                    break;
                }
            }
            worker.join().unwrap_or_else(Err)
        })
    });
    if let Some(error) = raised_by_python {
        return Err(error);
    }
    if let Some(callback) = progress {
        show(py, callback, watcher)?;
    }
    match done {
        Ok(result) => result.map_err(|error| raised_at(&error, door)),
        Err(panic) => Err(fault(&*panic)),
    }
}

/// Tells Python where the job is.
fn show(py: Python<'_>, callback: &Py<PyAny>, watcher: &Watcher) -> PyResult<()> {
    let Ok(now) = watcher.progress.lock().map(|progress| *progress) else {
        return Ok(());
    };
    if now.phase.is_empty() {
        return Ok(());
    }
    callback
        .call1(py, (now.phase, now.at, now.length))
        .map(drop)
}
