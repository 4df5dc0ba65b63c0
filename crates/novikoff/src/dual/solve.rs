//! The loop: passes, certificates, and when to stop.

use super::ascent::{Ascent, AscentOptions};
use super::certificate::{GapCertificate, Judge};
use super::lagrangian::MultiplierSchedule;
use super::loss::Loss;
use super::polish;
use super::problem::Aim;
use super::space::DualSpace;
use super::{Method, Report, Settings, Stop, balance};

/// A certificate is taken after this many passes at the latest.
const PASSES_A_CERTIFICATE: u32 = 10;

/// Certificates in a row between which the dual did not rise: the run has stalled.
const PATIENCE: u32 = 5;

/// With a free bias the dual may fall: a run has stalled that has not found a smaller gap for this many passes, and half
/// of all.
const PATIENCE_WITH_BIAS: u32 = 1000;

/// Passes before the free variables are polished for the first time.
const PASSES_BEFORE_POLISH: u32 = 20;

/// A pass is expected to divide the gap by at most ten.
const LEAST_FALL: f64 = 0.1;

/// The end of a run in a space.
pub(crate) struct Ended<S> {
    pub(crate) space: S,
    pub(crate) a: Vec<f64>,
    /// `s_i (w.x_i + b)`.
    pub(crate) margins: Vec<f64>,
    pub(crate) report: Report,
    pub(crate) stop: Stop,
    /// `(1/n) sum_i k_i a_i s_i`, if the bias is free.
    pub(crate) balance: Option<f64>,
    /// By how much the weight of the constant feature is above that of the space.
    pub(crate) held: f64,
}

/// How a run goes.
#[derive(Clone, Copy)]
pub(crate) struct SolveOptions<'m> {
    pub(crate) lambda: f64,
    /// How many neighbours are visited together.
    pub(crate) group: usize,
    /// Where a free bias begins.
    pub(crate) bias: f64,
    pub(crate) method: Method,
    /// Passes already made.
    pub(crate) passes: u32,
    pub(crate) settings: &'m Settings,
}

impl SolveOptions<'_> {
    fn of_ascent(&self) -> AscentOptions {
        AscentOptions {
            lambda: self.lambda,
            bias: self.bias,
            free: self.settings.free_bias,
            // the plain algorithm is asked for where passes are counted
            holds: !self.settings.all_passes,
            seed: (!self.settings.in_order).then_some(self.settings.seed),
            group: self.group,
            shrinks: self.settings.shrinks && !self.settings.all_passes,
            threads: self.settings.threads,
            // parts have no order together
            parts: if self.settings.in_order {
                Some(1)
            } else {
                self.settings.parts
            },
        }
    }
}

/// Ascends from `a` until the gap is small enough; `watch` gets every certificate and answers whether to continue.
pub(crate) fn solve<L: Loss, S: DualSpace>(
    loss: L,
    aims: &[Aim],
    space: S,
    a: Vec<f64>,
    options: SolveOptions<'_>,
    watch: &mut dyn FnMut(&Report) -> bool,
) -> Ended<S> {
    let mut ascent = Ascent::new(loss, aims, space, a, options.of_ascent());
    let SolveOptions {
        lambda,
        method,
        passes: before,
        settings,
        ..
    } = options;
    let mut judge = Judge::new(&ascent);
    let mut schedule = MultiplierSchedule::new();
    let n = aims.len() as f64;
    let latest_after =
        |passes: u32| (passes + PASSES_A_CERTIFICATE.max(passes / 10)).min(settings.max_passes);
    let (mut passes, mut latest) = (before, latest_after(before));
    let mut progress = Progress::new(before);
    // how much larger the gap is than passes see it
    let mut doubt: f64 = 1.0;
    let mut trend = Trend::new::<S>();
    let mut polisher = Polisher::new(&ascent);
    loop {
        let seen = ascent.pass();
        passes += 1;
        let bias_term = lambda * ascent.free.gap();
        schedule.passed(&mut ascent.free);
        let estimate = trend.foretell(seen.gap / n) + bias_term;
        let size = match &progress.last {
            Some(certificate) => certificate.size(),
            None => seen.loss / n + lambda * ascent.regularisation(),
        };
        let seems_done = !settings.all_passes && estimate * doubt <= settings.gap * size;
        let is_stopped = ascent.space.is_stopped();
        let moves = seen.moved > 0.0 || settings.all_passes;
        if !seems_done && passes < latest && moves && !is_stopped {
            continue;
        }
        let certificate = judge.certify(&mut ascent, settings.gap, 0.01 * settings.gap * size);
        progress.record(certificate, passes);
        latest = latest_after(passes);
        let report = Report {
            method,
            passes,
            certificate,
        };
        let goes_on = watch(&report);
        let stalled = progress.is_stalled(&ascent, passes);
        let are_made = !settings.all_passes || passes >= settings.max_passes;
        // the certificate of a space that was stopped says nothing
        let stop = if ascent.space.is_stopped() {
            Some(Stop::Asked)
        } else if are_made && certificate.reaches(settings.gap) {
            Some(Stop::Converged)
        } else if !goes_on {
            Some(Stop::Asked)
        } else if passes >= settings.max_passes {
            Some(Stop::PassLimit)
        } else if stalled && !settings.all_passes {
            Some(Stop::Stalled)
        } else {
            None
        };
        if let Some(stop) = stop {
            let certificate = judge.settle(&ascent);
            let (space, a) = judge.point(&ascent);
            return Ended {
                space: space.clone(),
                a: a.to_vec(),
                margins: judge.margins(&ascent),
                balance: ascent.free.is_free().then(|| balance(aims, &ascent.a)),
                held: judge.held(),
                report: Report {
                    method,
                    passes,
                    certificate,
                },
                stop,
            };
        }
        let was_held = ascent.free.is_held();
        schedule.judged(certificate.gap, &mut ascent.free);
        if progress.idle >= PATIENCE {
            // plain steps never lower the dual
            ascent.free.release();
        }
        if was_held && !ascent.free.is_held() {
            progress.idle = 0;
        }
        if passes >= PASSES_BEFORE_POLISH && !settings.all_passes {
            polisher.polish(&mut ascent, &mut schedule);
        }
        if ascent.is_whole() {
            if seems_done {
                doubt = (certificate.gap / estimate)
                    .clamp(1.0, 100.0)
                    .max(1.1 * doubt);
            }
        } else if seems_done || seen.moved == 0.0 || ascent.free.is_on() {
            // a bias that moves on may need rows that seemed settled
            ascent.restore();
        }
    }
}

/// What certificates have shown so far.
struct Progress {
    last: Option<GapCertificate>,
    /// The smallest gap, and the passes that had led to it.
    best: f64,
    best_at: u32,
    /// Certificates in a row between which the dual did not rise.
    idle: u32,
}

impl Progress {
    fn new(passes: u32) -> Self {
        Progress {
            last: None,
            best: f64::INFINITY,
            best_at: passes,
            idle: 0,
        }
    }

    fn record(&mut self, certificate: GapCertificate, passes: u32) {
        let before = self.last.map_or(f64::NEG_INFINITY, |last| last.dual);
        let rises = certificate.dual - before > 1e-15 * certificate.size();
        self.idle = if rises { 0 } else { self.idle + 1 };
        if certificate.gap < 0.99 * self.best {
            (self.best, self.best_at) = (certificate.gap, passes);
        }
        self.last = Some(certificate);
    }

    /// Whether further passes are of no use.
    fn is_stalled<L: Loss, S: DualSpace>(&self, ascent: &Ascent<'_, L, S>, passes: u32) -> bool {
        if ascent.free.is_free() {
            passes - self.best_at > PATIENCE_WITH_BIAS.max(passes / 2)
        } else {
            self.idle >= PATIENCE && ascent.is_whole() && !ascent.free.is_held()
        }
    }
}

/// What the gap is after a pass, by what passes saw on their way: each row's gap before its step.
pub(super) struct Trend {
    /// Whether passes foretell the next ones: not where a pass is many looks.
    foretells: bool,
    /// What the pass before saw.
    before: f64,
}

impl Trend {
    pub(super) fn new<S: DualSpace>() -> Self {
        Trend {
            foretells: !S::MARGINS_ARE_KEPT,
            before: f64::NAN,
        }
    }

    /// After a pass that saw `gap`: what the next one would see, if the gap falls as it did.
    pub(super) fn foretell(&mut self, gap: f64) -> f64 {
        let before = std::mem::replace(&mut self.before, gap);
        let fall = gap / before;
        if self.foretells && fall < 1.0 {
            gap * fall.max(LEAST_FALL)
        } else {
            gap
        }
    }
}

/// Polishes free variables for about as long as the passes since the last certificate took.
struct Polisher<S> {
    /// A space to work in, if the problem is quadratic.
    other: Option<S>,
}

impl<S: DualSpace> Polisher<S> {
    fn new<L: Loss>(ascent: &Ascent<'_, L, S>) -> Self {
        let quadratic = S::IS_SQUARE && ascent.loss().is_quadratic();
        Polisher {
            other: quadratic.then(|| ascent.space.clone()),
        }
    }

    fn polish<L: Loss>(
        &mut self,
        ascent: &mut Ascent<'_, L, S>,
        schedule: &mut MultiplierSchedule,
    ) {
        let Some(other) = &mut self.other else {
            return;
        };
        let free = polish::free_rows(ascent).max(1);
        let most = (PASSES_A_CERTIFICATE as usize * ascent.a.len() / free).clamp(5, 100);
        if polish::polish(ascent, other, most) {
            schedule.solved(&mut ascent.free);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn passes_foretell_the_next() {
        let mut trend = Trend {
            foretells: true,
            before: f64::NAN,
        };
        assert_eq!(trend.foretell(8.0), 8.0, "nothing came before");
        assert_eq!(trend.foretell(4.0), 2.0);
        assert_eq!(trend.foretell(5.0), 5.0, "it rose");
        assert_eq!(trend.foretell(0.01), 0.001, "not by more than ten times");
        trend.foretells = false;
        assert_eq!(trend.foretell(0.001), 0.001);
    }
}
