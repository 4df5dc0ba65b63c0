//! Runs that are saved on the way, so that they can go on as if they had never stopped.

use std::cell::RefCell;
use std::path::{Path, PathBuf};
use std::rc::Rc;
use std::time::{Duration, Instant};

use novikoff::model::Model;
use novikoff::run::Ledger;
use novikoff_data::model::{Unfinished, save_run};

use crate::error::Failure;
use crate::interrupt::Interrupt;
use crate::trace::Trace;

/// How often a run is saved.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Every {
    Rows(u64),
    Time(Duration),
}

impl Every {
    /// `100000` rows, or `30s`, `5m`, `2h`.
    pub(crate) fn parse(word: &str) -> Result<Self, Failure> {
        let bad = || {
            let allowed = "must be a number of rows, as in 100000, or a time, as in 30s, 5m or 2h";
            Failure::Message(format!("--checkpoint {word}: {allowed}"))
        };
        let (digits, unit) = match word.find(|c: char| !c.is_ascii_digit()) {
            Some(at) => word.split_at(at),
            None => (word, ""),
        };
        let number: u64 = digits.parse().map_err(|_| bad())?;
        let seconds = match unit {
            "" if number > 0 => return Ok(Every::Rows(number)),
            "s" => 1,
            "m" => 60,
            "h" => 3600,
            _ => return Err(bad()),
        };
        match number.checked_mul(seconds) {
            Some(seconds) if seconds > 0 => Ok(Every::Time(Duration::from_secs(seconds))),
            _ => Err(bad()),
        }
    }
}

/// Trials between two looks at the clock and at signals, at most; fewer where they take long.
const STRETCH: u64 = 256;
const LONG: Duration = Duration::from_millis(500);
const SHORT: Duration = Duration::from_millis(50);

/// Saves a run when it is time, and when it is told to stop.
pub(crate) struct Keeper {
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
    /// The run as it is saved.
    pub(crate) run: Unfinished,
}

impl Keeper {
    pub(crate) fn new(
        path: Option<&Path>,
        every: Option<Every>,
        interrupt: Interrupt,
        run: Unfinished,
    ) -> Self {
        Keeper {
            path: path.map(Path::to_owned),
            every,
            interrupt,
            trials: 0,
            since: Instant::now(),
            pace: 1,
            looked: Instant::now(),
            trace: None,
            run,
        }
    }

    /// Keeps a trace with the run.
    pub(crate) fn with_trace(self, trace: Option<Rc<RefCell<Trace>>>) -> Self {
        Keeper { trace, ..self }
    }

    /// How many trials may be made before the next look.
    pub(crate) fn stretch(&self) -> usize {
        let left = match self.every {
            Some(Every::Rows(rows)) => rows - self.trials.min(rows - 1),
            _ => STRETCH,
        };
        left.min(self.pace) as usize
    }

    /// So many trials were made.
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
        due || self.interrupt.came()
    }

    /// Saves the run; if it was told to stop, that is the end of it.
    pub(crate) fn keep(&mut self, model: &Model, ledger: &Ledger) -> Result<(), Failure> {
        self.run.ledger = ledger.clone();
        if let Some(trace) = &self.trace {
            trace.borrow_mut().keep(model)?;
        }
        if let Some(path) = &self.path {
            save_run(model, Some(&self.run), path)?;
        }
        (self.trials, self.since) = (0, Instant::now());
        if self.interrupt.came() {
            return Err(self.stopped(model));
        }
        Ok(())
    }

    fn stopped(&self, model: &Model) -> Failure {
        let rows = novikoff_report::count(model.totals.trials);
        let Some(path) = &self.path else {
            return Failure::Interrupted(format!(
                "stopped after {rows} trials; nothing is saved, for there was no -o MODEL"
            ));
        };
        let path = path.display();
        Failure::Interrupted(format!(
            "stopped after {rows} trials; the run is saved in {path}: to go on, type\n  {}",
            command_to_go_on(std::env::args().collect(), &path.to_string())
        ))
    }
}

/// The command line of a process, with `--resume`.
fn command_to_go_on(mut words: Vec<String>, model: &str) -> String {
    if let Some(program) = words.first_mut() {
        "novikoff".clone_into(program);
    }
    if let Some(at) = words.iter().position(|word| word == "--resume") {
        words.drain(at..(at + 2).min(words.len()));
    }
    words.retain(|word| !word.starts_with("--resume="));
    // a certificate is about a whole run
    for (flag, takes) in [
        ("--certify", true),
        ("--require-certificate", false),
        ("--comparator", true),
    ] {
        let joined = format!("{flag}=");
        words.retain(|word| !word.starts_with(&joined));
        while let Some(at) = words.iter().position(|word| word == flag) {
            let value = words.get(at + 1).filter(|_| takes);
            let value = value
                .is_some_and(|word| flag != "--certify" || ["full", "quick"].contains(&&**word));
            words.drain(at..=at + usize::from(value));
        }
    }
    words.extend(["--resume".to_owned(), model.to_owned()]);
    let quoted: Vec<String> = words.iter().map(|word| quote(word)).collect();
    quoted.join(" ")
}

/// A word as a shell takes it.
pub(crate) fn quote(word: &str) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || "-_./:=,+@%".contains(c);
    if !word.is_empty() && word.chars().all(plain) {
        word.to_owned()
    } else {
        format!("'{}'", word.replace('\'', "'\\''"))
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::{Every, command_to_go_on, quote};

    #[test]
    fn a_run_goes_on_without_what_is_about_a_whole_run() {
        let go_on = |words: &str| {
            let words = words.split(' ').map(str::to_owned).collect();
            command_to_go_on(words, "m")
        };
        for words in [
            "/bin/novikoff train - -o m",
            "novikoff train --certify - -o m",
            "novikoff train - --certify quick -o m",
            "novikoff train - -o m --certify=full --require-certificate",
            "novikoff train - -o m --comparator u.model --certify",
            "novikoff train - --comparator=u.model -o m --resume old",
        ] {
            assert_eq!(go_on(words), "novikoff train - -o m --resume m", "{words}");
        }
    }

    #[test]
    fn rows_and_times_are_told_apart() {
        let every = |word| Every::parse(word).ok();
        assert_eq!(every("100000"), Some(Every::Rows(100_000)));
        assert_eq!(every("30s"), Some(Every::Time(Duration::from_secs(30))));
        assert_eq!(every("5m"), Some(Every::Time(Duration::from_secs(300))));
        assert_eq!(every("2h"), Some(Every::Time(Duration::from_secs(7200))));
        for bad in [
            "",
            "0",
            "0s",
            "s",
            "-5",
            "5d",
            "1.5s",
            "99999999999999999999",
            "9999999999999999999h",
        ] {
            assert_eq!(every(bad), None, "{bad}");
        }
    }

    #[test]
    fn words_are_quoted_for_a_shell() {
        assert_eq!(quote("p-norm:p=4,margin=1"), "p-norm:p=4,margin=1");
        assert_eq!(quote("my file"), "'my file'");
        assert_eq!(quote("it's"), "'it'\\''s'");
        assert_eq!(quote(""), "''");
    }
}
