//! What a person sees on stderr while a run goes on.

use std::io::{IsTerminal as _, Write as _, stderr};
use std::sync::{Mutex, PoisonError};
use std::time::Instant;

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use novikoff_report::count;

/// A bar on a terminal; nothing elsewhere or when quiet.
pub(crate) struct Progress {
    quiet: bool,
    verbose: bool,
    bar: Mutex<ProgressBar>,
}

impl Progress {
    pub(crate) fn new(quiet: bool) -> Self {
        Progress {
            quiet,
            verbose: false,
            bar: Mutex::new(ProgressBar::hidden()),
        }
    }

    /// Says more, if asked to.
    pub(crate) fn verbose(self, verbose: bool) -> Self {
        Progress { verbose, ..self }
    }

    /// A remark for the person who asked for more.
    pub(crate) fn detail(&self, text: impl FnOnce() -> String) {
        if self.verbose {
            self.line(&text());
        }
    }

    /// Begins something of known or unknown length.
    pub(crate) fn begin(&self, length: Option<u64>, what: &'static str) {
        let template = match length {
            Some(_) => "{msg} {wide_bar} {percent:>3}% {eta}",
            None => "{spinner} {msg} {bytes}",
        };
        self.draw(length, what, template);
    }

    /// Begins to count something that may end at any time.
    pub(crate) fn count(&self, what: &'static str) {
        self.draw(None, what, "{spinner} {msg} {pos}");
    }

    fn draw(&self, length: Option<u64>, what: &'static str, template: &str) {
        if self.quiet || !stderr().is_terminal() {
            return;
        }
        let target = ProgressDrawTarget::stderr_with_hz(5);
        let bar = ProgressBar::with_draw_target(length, target);
        if let Ok(style) = ProgressStyle::with_template(template) {
            bar.set_style(style);
        }
        bar.set_message(what);
        *self.bar.lock().unwrap_or_else(PoisonError::into_inner) = bar;
    }

    /// What is drawn now.
    fn bar(&self) -> ProgressBar {
        let bar = self.bar.lock().unwrap_or_else(PoisonError::into_inner);
        bar.clone()
    }

    pub(crate) fn at(&self, position: u64) {
        self.bar().set_position(position);
    }

    /// What is being done now; a line of its own for the person who asked for more.
    pub(crate) fn say(&self, text: &str) {
        self.bar().set_message(text.to_owned());
        self.detail(|| text.trim_end_matches("; passes:").to_owned());
    }

    pub(crate) fn end(&self) {
        self.bar().finish_and_clear();
    }

    /// A remark for the person.
    pub(crate) fn remark(&self, text: &str) {
        if !self.quiet {
            self.line(text);
        }
    }

    fn line(&self, text: &str) {
        // a closed stderr is no reason to stop
        self.bar().suspend(|| drop(writeln!(stderr(), "{text}")));
    }
}

/// The progressive-validation table: a line at 1, 2, 5, 10, 20, 50, ... thousand rows.
pub(crate) struct Ticker<'a> {
    progress: &'a Progress,
    begun: Instant,
    trials: u64,
    next: u64,
    mistakes: u64,
    last: (u64, u64),
}

const FIRST_LINE: u64 = 1000;

impl<'a> Ticker<'a> {
    pub(crate) fn new(progress: &'a Progress) -> Self {
        Ticker {
            progress,
            begun: Instant::now(),
            trials: 0,
            next: FIRST_LINE,
            mistakes: 0,
            last: (0, 0),
        }
    }

    pub(crate) fn trial(&mut self, mistake: bool) {
        self.trials += 1;
        self.mistakes += u64::from(mistake);
        if self.trials == self.next {
            self.line();
            let leading = self.next / 10_u64.pow(self.next.ilog10());
            self.next = if leading == 2 {
                self.next / 2 * 5
            } else {
                self.next * 2
            };
        }
    }

    /// The last line, unless it was just written.
    pub(crate) fn end(&mut self) {
        if self.trials > self.last.0 && self.last.0 > 0 {
            self.line();
        }
    }

    fn line(&mut self) {
        let (trials, mistakes) = self.last;
        if trials == 0 {
            self.progress.remark(&format!(
                "{:>12} {:>12} {:>12} {:>12} {:>12}",
                "rows", "mistakes", "since last", "rate", "rows/s"
            ));
        }
        let seconds = self.begun.elapsed().as_secs_f64().max(1e-9);
        self.progress.remark(&format!(
            "{:>12} {:>12} {:>12} {:>11.2}% {:>12}",
            count(self.trials),
            count(self.mistakes),
            count(self.mistakes - mistakes),
            100.0 * self.mistakes as f64 / self.trials as f64,
            count((self.trials as f64 / seconds) as u64),
        ));
        self.last = (self.trials, self.mistakes);
    }
}
