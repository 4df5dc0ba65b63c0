//! What a person sees on stderr during a run.
//!
//! On a terminal something moves as long as a job works. Elsewhere a line says from time to time what the job is doing.

mod activity;

use std::io::{IsTerminal as _, Write as _, stderr};
use std::iter::zip;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use novikoff::dual::Report;
use novikoff::quantity::{count, percent};
use novikoff_engine::events::{Event, Listener, Notice, Phase};
use novikoff_report::{RunReport, Width};

use crate::notices;
use crate::remark;
use crate::screen::{self, Cell};
use activity::Activity;

/// A bar on a terminal, lines elsewhere; nothing of both when quiet.
pub(crate) struct Progress {
    quiet: bool,
    verbose: bool,
    width: Width,
    /// What is drawn on a terminal.
    bar: Mutex<ProgressBar>,
    activity: Mutex<Activity>,
    /// The job has ended.
    ended: AtomicBool,
    table: Mutex<ProgressTable>,
    comparison: Mutex<ComparisonProgress>,
}

/// The runs of a comparison so far.
#[derive(Default)]
struct ComparisonProgress {
    /// When the first began.
    begun: Option<Instant>,
    /// Lines that were not shown, for nothing took long so far.
    waiting: Vec<String>,
    /// The headings were shown.
    headed: bool,
}

/// How often what is drawn moves, and silences are looked for.
const BEAT: Duration = Duration::from_millis(100);

/// Runs of a comparison are shown one by one once it has taken this long.
const LONG: Duration = Duration::from_secs(2);

/// The progressive-validation table so far.
struct ProgressTable {
    begun: Instant,
    /// Trials and mistakes of the last line.
    last: (u64, u64),
}

impl Progress {
    pub(crate) fn new(quiet: bool) -> Self {
        Progress {
            quiet,
            verbose: false,
            width: screen::width_of_progress(),
            bar: Mutex::new(ProgressBar::hidden()),
            activity: Mutex::new(Activity::new(Instant::now())),
            ended: AtomicBool::new(false),
            table: Mutex::new(ProgressTable {
                begun: Instant::now(),
                last: (0, 0),
            }),
            comparison: Mutex::default(),
        }
    }

    /// Says more, if asked to.
    pub(crate) fn verbose(self, verbose: bool) -> Self {
        Progress { verbose, ..self }
    }

    /// Does a job. As long as it takes, a person sees that it works.
    pub(crate) fn during<T>(&self, job: impl FnOnce() -> T) -> T {
        if self.quiet {
            return job();
        }
        thread::scope(|scope| {
            let watcher = scope.spawn(|| self.watch());
            // even a job that panics ends
            let _ended = Ended(self, watcher.thread().clone());
            job()
        })
    }

    /// Keeps what is drawn moving, or breaks silences, until the job ends.
    fn watch(&self) {
        let draws = stderr().is_terminal();
        while !self.ended.load(Ordering::Acquire) {
            thread::park_timeout(BEAT);
            let now = Instant::now();
            if !draws {
                let line = lock(&self.activity).due(now);
                if let Some(line) = line {
                    self.print(&line);
                }
                continue;
            }
            let bar = self.bar();
            if bar.is_hidden() && lock(&self.activity).is_between_phases(now) {
                self.draw(None, "working", "{spinner} {msg} {elapsed}");
            }
            self.bar().tick();
        }
    }

    /// Does something that prints, while nothing is drawn.
    pub(crate) fn aside<T>(&self, printing: impl FnOnce() -> T) -> T {
        lock(&self.activity).said(Instant::now());
        self.bar().suspend(printing)
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
        let before = std::mem::replace(&mut *lock(&self.bar), bar);
        before.finish_and_clear();
    }

    /// Nothing is drawn any more.
    fn clear(&self) {
        let before = std::mem::replace(&mut *lock(&self.bar), ProgressBar::hidden());
        before.finish_and_clear();
    }

    /// What is drawn now.
    fn bar(&self) -> ProgressBar {
        let bar = lock(&self.bar);
        bar.clone()
    }

    /// A remark for the person.
    pub(crate) fn remark(&self, text: &str) {
        if !self.quiet {
            self.line(text);
        }
    }

    /// A remark on a result, which quiet does not hide.
    pub(crate) fn always(&self, text: &str) {
        self.line(text);
    }

    fn line(&self, text: &str) {
        lock(&self.activity).said(Instant::now());
        self.print(text);
    }

    fn print(&self, text: &str) {
        // a closed stderr is no reason to stop
        self.bar().suspend(|| drop(writeln!(stderr(), "{text}")));
    }
}

/// Ends the watch over a job when it is dropped.
struct Ended<'p>(&'p Progress, thread::Thread);

impl Drop for Ended<'_> {
    fn drop(&mut self) {
        let Ended(progress, watcher) = self;
        progress.ended.store(true, Ordering::Release);
        watcher.unpark();
        progress.clear();
    }
}

impl Progress {
    /// Begins something of known or unknown length.
    fn begin(&self, phase: Phase, length: Option<u64>) {
        let template = match (phase, length) {
            (Phase::Learners, Some(_)) => {
                "{spinner} {pos}/{len} learners {wide_bar} running: {msg} {elapsed}"
            }
            (_, Some(_)) => "{spinner} {msg} {wide_bar} {percent:>3}% {elapsed}",
            (_, None) if notices::is_in_bytes(phase) => "{spinner} {msg} {bytes} {elapsed}",
            (Phase::Certifying, None) => "{spinner} {msg} {pos} {elapsed}",
            (_, None) => "{spinner} {msg} {human_pos} {elapsed}",
        };
        lock(&self.activity).begin(phase, length, Instant::now());
        if phase == Phase::Learning {
            let mut table = lock(&self.table);
            table.begun = Instant::now();
        }
        self.draw(length, notices::phase(phase), template);
    }

    /// A line of the progressive-validation table.
    fn moment(&self, trials: u64, mistakes: u64, made: u64) {
        let mut table = lock(&self.table);
        let seconds = table.begun.elapsed().as_secs_f64().max(1e-9);
        let line = |texts: [String; 5]| {
            let ranks = [0, 0, 2, 0, 1];
            let cell = |(text, rank)| Cell {
                text,
                width: 12,
                rank,
            };
            let cells: Vec<Cell> = zip(texts, ranks).map(cell).collect();
            self.remark(&screen::line(&cells, self.width));
        };
        if table.last.0 == 0 {
            line(["trials", "mistakes", "since last", "rate", "trials/s"].map(str::to_owned));
        }
        line([
            count(trials),
            count(mistakes),
            count(mistakes.saturating_sub(table.last.1)),
            percent(mistakes as f64 / trials as f64),
            count((made as f64 / seconds) as u64),
        ]);
        table.last = (trials, mistakes);
    }

    /// The runs of a comparison have come further: the bar names all that run.
    fn runs_changed(&self, change: impl FnOnce(&mut Activity)) {
        let mut activity = lock(&self.activity);
        change(&mut activity);
        let bar = self.bar();
        if !bar.is_hidden() {
            bar.set_message(activity.running());
        }
    }

    /// A run of a comparison has ended: a line for it, once the comparison takes long.
    fn run_ended(&self, spec: &str, report: Option<&RunReport>) {
        self.runs_changed(|activity| activity.run_ended(spec));
        let Some(report) = report else { return };
        let mut comparison = lock(&self.comparison);
        let (mistakes, rate) = (count(report.total().mistakes), 100.0 * report.rate());
        let seconds = report.seconds;
        comparison.waiting.push(format!(
            "{spec:<32} {mistakes:>12} {rate:>7.2}% {seconds:>9.3}"
        ));
        if comparison.begun.is_none_or(|begun| begun.elapsed() < LONG) {
            return;
        }
        if !std::mem::replace(&mut comparison.headed, true) {
            let [learner, mistakes] = ["learner", "mistakes"];
            let [rate, seconds] = ["rate", "seconds"];
            self.remark(&format!(
                "{learner:<32} {mistakes:>12} {rate:>8} {seconds:>9}"
            ));
        }
        for line in comparison.waiting.drain(..) {
            self.remark(&line);
        }
    }

    /// A line of the solver.
    fn solving(&self, report: &Report, seconds: f64, first: bool) {
        let line = |texts: [String; 7]| {
            let widths = [8, 14, 14, 10, 10, 9, 0];
            let ranks = [0, 0, 2, 0, 3, 1, 4];
            let cell = |((text, width), rank)| Cell { text, width, rank };
            let cells: Vec<Cell> = zip(zip(texts, widths), ranks).map(cell).collect();
            self.remark(&screen::line(&cells, self.width));
        };
        if first {
            let headings = [
                "passes", "primal", "dual", "gap", "support", "seconds", "method",
            ];
            line(headings.map(str::to_owned));
        }
        let c = &report.certificate;
        line([
            report.passes.to_string(),
            format!("{:.8}", c.primal),
            format!("{:.8}", c.dual),
            format!("{:.2e}", c.relative_gap()),
            count(c.support as u64),
            format!("{seconds:.3}"),
            report.method.name().to_owned(),
        ]);
    }
}

fn lock<T>(shared: &Mutex<T>) -> MutexGuard<'_, T> {
    shared.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Listener for Progress {
    fn event(&self, event: Event<'_>) {
        match event {
            Event::Begin { phase, length } => self.begin(phase, length),
            Event::At(position) => {
                lock(&self.activity).at(position);
                self.bar().set_position(position);
            }
            Event::End => {
                lock(&self.activity).end(Instant::now());
                self.clear();
            }
            Event::Moment {
                trials,
                mistakes,
                made,
            } => self.moment(trials, mistakes, made),
            Event::Remark(remark) => self.always(&remark::text(remark)),
            Event::RunBegun { spec } => {
                let mut comparison = lock(&self.comparison);
                comparison.begun.get_or_insert_with(Instant::now);
                self.runs_changed(|activity| activity.run_begun(spec));
            }
            Event::RunAt {
                spec,
                part,
                done,
                of,
            } => self.runs_changed(|activity| activity.run_at(spec, part, done, of)),
            Event::RunEnded { spec, report } => self.run_ended(spec, report),
            Event::Solving {
                report,
                seconds,
                first,
            } => self.solving(report, seconds, first),
            Event::Searching { solves, distance } => {
                let distance = distance.map_or_else(String::new, |d| {
                    format!(", distance to the least bound at most {:.1}%", 100.0 * d)
                });
                let text = format!("certifying: solve {solves}{distance}");
                self.bar().set_message(format!("{text}; passes:"));
                if self.verbose {
                    self.line(&text);
                }
            }
            Event::Notice(notice) => {
                let (text, is_detail) = notices::notice(&notice);
                // what a result is worth
                let matters = matches!(
                    notice,
                    Notice::GapNotReached { .. } | Notice::BadLines { .. }
                );
                if matters {
                    self.always(&text);
                } else if !is_detail {
                    self.remark(&text);
                } else if self.verbose {
                    self.line(&text);
                }
            }
            _ => {}
        }
    }

    fn wants_details(&self) -> bool {
        self.verbose
    }
}
