//! Runs that are saved on the way, so that they can resume as if they had never stopped.

use std::cell::{Cell, RefCell};
use std::path::{Path, PathBuf};
use std::rc::Rc;
use std::time::{Duration, Instant};

use novikoff::model::Model;
use novikoff::remark::Paired;
use novikoff::schema::Schema;
use novikoff_data::model::{Unfinished, save_run};

use crate::picture::Course;
use crate::trace::Trace;
use crate::{Error, Interrupt, StoppedWhile};

/// How often a run is saved.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Every {
    /// After this many rows; at least one.
    Rows(u64),
    /// After this time.
    Time(Duration),
}

/// Trials between two looks at the clock and at signals, at most; fewer where they take long.
const STRETCH: u64 = 256;
const LONG: Duration = Duration::from_millis(500);
const SHORT: Duration = Duration::from_millis(50);

/// Saves a run when it is time, and when it is asked to stop.
pub(crate) struct Checkpointer {
    path: Option<PathBuf>,
    every: Option<Every>,
    interrupt: Interrupt,
    /// Trials and time since the last save.
    trials: u64,
    since: Instant,
    /// Trials until the next look, and when the last one was.
    pace: u64,
    looked: Instant,
    /// Reaches as far as the run, whenever that is saved.
    trace: Option<Rc<RefCell<Trace>>>,
    /// Counted beside the baseline by whoever watches the run.
    paired: Rc<Cell<Option<Paired>>>,
    /// Where its mistakes are made.
    course: Option<Rc<RefCell<Course>>>,
    /// The run as it is saved.
    pub(crate) run: Unfinished,
}

impl Checkpointer {
    pub(crate) fn new(
        path: Option<&Path>,
        every: Option<Every>,
        interrupt: Interrupt,
        run: Unfinished,
    ) -> Self {
        Checkpointer {
            path: path.map(Path::to_owned),
            every,
            interrupt,
            trials: 0,
            since: Instant::now(),
            pace: 1,
            looked: Instant::now(),
            trace: None,
            paired: Rc::default(),
            course: None,
            run,
        }
    }

    /// Keeps what is counted beside the baseline with the run.
    pub(crate) fn with_paired(self, paired: &Rc<Cell<Option<Paired>>>) -> Self {
        Checkpointer {
            paired: Rc::clone(paired),
            ..self
        }
    }

    /// Keeps where mistakes are made with the run.
    pub(crate) fn with_course(self, course: Option<Rc<RefCell<Course>>>) -> Self {
        Checkpointer { course, ..self }
    }

    /// Keeps a trace with the run.
    pub(crate) fn with_trace(self, trace: Option<Rc<RefCell<Trace>>>) -> Self {
        Checkpointer { trace, ..self }
    }

    /// How many trials may be made before the next look.
    pub(crate) fn stretch(&self) -> usize {
        let left = match self.every {
            Some(Every::Rows(rows)) => rows.max(1) - self.trials.min(rows.max(1) - 1),
            _ => STRETCH,
        };
        left.min(self.pace) as usize
    }

    /// Counts trials that were made.
    pub(crate) fn made(&mut self, trials: usize) {
        self.trials += trials as u64;
        self.run.done += trials as u64;
        let took = self.looked.elapsed();
        if took > LONG {
            self.pace = (self.pace / 2).max(1);
        } else if took < SHORT {
            self.pace = (2 * self.pace).min(STRETCH);
        }
        self.looked = Instant::now();
    }

    /// Whether the run has to be saved now.
    pub(crate) fn is_due(&self) -> bool {
        let due = match self.every {
            None => false,
            Some(Every::Rows(rows)) => self.trials >= rows,
            Some(Every::Time(time)) => self.since.elapsed() >= time,
        };
        due || self.interrupt.is_requested()
    }

    /// Saves the run, whose rows so far are those of `read`; if it was asked to stop, that is the end of it.
    pub(crate) fn save(&mut self, model: &Model, read: &Schema) -> Result<(), Error> {
        if let Some(trace) = &self.trace {
            trace.borrow_mut().flush(model)?;
        }
        self.run.paired = self.paired.get();
        self.run.course = self.course.as_ref().map(|course| course.borrow().kept());
        if let Some(path) = &self.path {
            save_run(model, read, &self.run, path)?;
        }
        (self.trials, self.since) = (0, Instant::now());
        if self.interrupt.is_requested() {
            return Err(self.stopped(model));
        }
        Ok(())
    }

    fn stopped(&self, model: &Model) -> Error {
        Error::Stopped(StoppedWhile::Learning {
            trials: model.totals().trials,
            saved: self.path.clone(),
        })
    }
}
