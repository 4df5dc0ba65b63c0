//! What a job is doing, and when someone who waits has to hear of it.
//!
//! Nothing here asks for the time: the caller says what time it is.

use std::time::{Duration, Instant};

use novikoff::quantity::{count, plural};
use novikoff_engine::events::{Phase, RunPart};

use crate::notices;

/// A job that has said nothing for this long says what it is doing: nobody has to wait for more than two seconds, though the machine be busy.
const SILENCE: Duration = Duration::from_secs(1);

/// Between two phases this much time may pass before it is shown.
const BETWEEN_PHASES: Duration = Duration::from_millis(500);

/// What a job is doing.
pub(super) struct Activity {
    /// When the job began.
    begun: Instant,
    /// When something was said last.
    said: Instant,
    /// When the phase began, or the last one ended.
    changed: Instant,
    /// None between phases.
    stage: Option<Stage>,
    /// Runs of a comparison that are not done, in the order in which they began.
    running: Vec<Running>,
}

/// A phase, and how far it has come.
#[derive(Clone, Copy)]
struct Stage {
    phase: Phase,
    length: Option<u64>,
    position: u64,
}

/// A run of a comparison.
struct Running {
    spec: String,
    /// None before its first trial.
    at: Option<(RunPart, u64, u64)>,
}

impl Activity {
    pub(super) fn new(now: Instant) -> Self {
        Activity {
            begun: now,
            said: now,
            changed: now,
            stage: None,
            running: Vec::new(),
        }
    }

    pub(super) fn begin(&mut self, phase: Phase, length: Option<u64>, now: Instant) {
        self.changed = now;
        self.stage = Some(Stage {
            phase,
            length,
            position: 0,
        });
    }

    pub(super) fn at(&mut self, position: u64) {
        if let Some(stage) = &mut self.stage {
            stage.position = position;
        }
    }

    pub(super) fn end(&mut self, now: Instant) {
        (self.stage, self.changed) = (None, now);
    }

    pub(super) fn run_begun(&mut self, spec: &str) {
        self.running.push(Running {
            spec: spec.to_owned(),
            at: None,
        });
    }

    pub(super) fn run_at(&mut self, spec: &str, part: RunPart, done: u64, of: u64) {
        if let Some(run) = self.running.iter_mut().find(|run| run.spec == spec) {
            run.at = Some((part, done, of));
        }
    }

    pub(super) fn run_ended(&mut self, spec: &str) {
        let place = self.running.iter().position(|run| run.spec == spec);
        place.map(|place| self.running.remove(place));
    }

    /// The runs of a comparison that are not done, each with how far it has come.
    pub(super) fn running(&self) -> String {
        let runs = self.running.iter().map(|run| match run.at {
            None => run.spec.clone(),
            Some((part, done, of)) => {
                let part = match part {
                    RunPart::Testing => " test",
                    RunPart::Certifying => " certificate",
                    RunPart::Learning => "",
                };
                format!("{}{part} {}", run.spec, percent(done, of))
            }
        });
        runs.collect::<Vec<String>>().join(", ")
    }

    /// Something was said.
    pub(super) fn said(&mut self, now: Instant) {
        self.said = now;
    }

    /// Whether the job works although no phase does, for long enough to be shown.
    pub(super) fn is_between_phases(&self, now: Instant) -> bool {
        self.stage.is_none() && now - self.changed >= BETWEEN_PHASES
    }

    /// What to say where nothing is drawn, if there was a silence for too long.
    pub(super) fn due(&mut self, now: Instant) -> Option<String> {
        if now - self.said < SILENCE {
            return None;
        }
        self.said = now;
        let seconds = (now - self.begun).as_secs_f64().round();
        Some(format!("{} after {seconds} s", self.text()))
    }

    fn text(&self) -> String {
        let Some(Stage {
            phase,
            length,
            position,
        }) = self.stage
        else {
            return "working".to_owned();
        };
        let name = notices::phase(phase);
        let unit = notices::unit(phase);
        match (length, unit) {
            (Some(length), Some(unit)) if unit.is_few => {
                let done = format!("{} of {}", count(position), plural(length, unit.name));
                let running = self.running();
                if running.is_empty() {
                    done
                } else {
                    format!("{done}; running: {running}")
                }
            }
            (Some(length), _) => format!("{name}: {}", percent(position, length)),
            (None, Some(unit)) if position > 0 => {
                format!("{name}: {}", plural(position, unit.name))
            }
            _ => name.to_owned(),
        }
    }
}

/// How much of something is done. What is not all done is below 100%.
fn percent(done: u64, of: u64) -> String {
    format!(
        "{}%",
        (100.0 * done as f64 / of.max(1) as f64).min(100.0) as u64
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    fn after(begun: Instant, millis: u64) -> Instant {
        begun + Duration::from_millis(millis)
    }

    #[test]
    fn a_second_of_silence_ends_in_a_line() {
        let begun = Instant::now();
        let mut activity = Activity::new(begun);
        assert_eq!(activity.due(after(begun, 900)), None);
        let line = activity.due(after(begun, 1_000));
        assert_eq!(line.as_deref(), Some("working after 1 s"));
        activity.begin(Phase::Learning, Some(200), after(begun, 1_100));
        activity.at(199);
        assert_eq!(activity.due(after(begun, 1_900)), None);
        let line = activity.due(after(begun, 2_100));
        assert_eq!(line.as_deref(), Some("learning: 99% after 2 s"));
        // whatever else is said ends a silence too
        activity.said(after(begun, 5_500));
        assert_eq!(activity.due(after(begun, 6_400)), None);
        assert!(activity.due(after(begun, 6_500)).is_some());
    }

    #[test]
    fn a_long_job_is_never_silent_for_long() {
        let begun = Instant::now();
        let mut activity = Activity::new(begun);
        let lines = (0..600_000).step_by(100).filter(|&millis| {
            let line = activity.due(after(begun, millis));
            line.is_some()
        });
        let lines: Vec<u64> = lines.collect();
        let gaps = lines.windows(2).map(|pair| pair[1] - pair[0]);
        assert_eq!((gaps.clone().min(), gaps.max()), (Some(1_000), Some(1_000)));
    }

    #[test]
    fn every_phase_says_how_far_it_is() {
        let begun = Instant::now();
        let line = |phase, length, position| {
            let mut activity = Activity::new(begun);
            activity.begin(phase, length, begun);
            activity.at(position);
            activity.text()
        };
        assert_eq!(line(Phase::Reading, None, 0), "reading");
        assert_eq!(line(Phase::Reading, None, 4_000), "reading: 4,000 bytes");
        assert_eq!(
            line(Phase::FirstRows, None, 1),
            "looking at the first rows: 1 row"
        );
        assert_eq!(line(Phase::Classes, Some(10), 3), "3 of 10 classes");
        assert_eq!(line(Phase::Solving, None, 512), "solving: 512 steps");
    }

    #[test]
    fn runs_of_a_comparison_show_how_far_they_are() {
        let begun = Instant::now();
        let mut activity = Activity::new(begun);
        activity.begin(Phase::Learners, Some(3), begun);
        activity.run_begun("voted");
        activity.run_begun("max-margin");
        activity.run_at("voted", RunPart::Testing, 1, 3);
        activity.run_at("max-margin", RunPart::Learning, 64, 2_200);
        activity.run_at("nobody", RunPart::Learning, 1, 1);
        assert_eq!(
            activity.text(),
            "0 of 3 learners; running: voted test 33%, max-margin 2%"
        );
        activity.run_ended("voted");
        activity.at(1);
        assert_eq!(activity.text(), "1 of 3 learners; running: max-margin 2%");
    }

    #[test]
    fn a_gap_between_phases_is_shown() {
        let begun = Instant::now();
        let mut activity = Activity::new(begun);
        assert!(!activity.is_between_phases(after(begun, 400)));
        assert!(activity.is_between_phases(after(begun, 500)));
        activity.begin(Phase::Reading, None, after(begun, 600));
        assert!(!activity.is_between_phases(after(begun, 9_000)));
        activity.end(after(begun, 9_000));
        assert!(!activity.is_between_phases(after(begun, 9_400)));
        assert!(activity.is_between_phases(after(begun, 9_500)));
    }
}
