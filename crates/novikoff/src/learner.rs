//! What a learner is: a [`Rule`] (one algorithm's update) on one weight vector per class.

use std::cell::Cell;

use crate::label::Label;
use crate::remedy::{Remedy, Setting};
use crate::row::Row;
use crate::space::{Coming, Lane, Planes, Primal, StoredRows, Support};
use crate::state::{State, StateError};

/// One trial: how much it counts, and what happened, for each class.
#[derive(Clone, Debug)]
pub struct Trial {
    /// How many times its step counts: 1 unless the data says otherwise.
    pub weight: f64,
    /// Which example it is, if it may come again.
    pub id: Option<u64>,
    /// The margin before the update: its sign is the prediction.
    pub margin: Vec<f64>,
    /// The score before the update: the class of the largest is the prediction among several.
    pub score: Vec<f64>,
    /// Whether the state moved.
    pub updated: Vec<bool>,
    /// A predictor whose scores of the row before the update are asked for.
    pub validates: Option<Hypothesis>,
    /// Those scores.
    pub deployed: Vec<f64>,
}

impl Default for Trial {
    fn default() -> Self {
        Trial {
            weight: 1.0,
            id: None,
            margin: Vec::new(),
            score: Vec::new(),
            updated: Vec::new(),
            validates: None,
            deployed: Vec::new(),
        }
    }
}

/// Which predictor of a learner to use.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Hypothesis {
    /// The weights after the last trial.
    Final,
    /// The average of the weights over all trials.
    Averaged,
    /// The majority vote of the weights of all trials.
    Voted,
}

impl Hypothesis {
    /// Its name in commands and messages.
    pub fn name(self) -> &'static str {
        match self {
            Hypothesis::Final => "final",
            Hypothesis::Averaged => "averaged",
            Hypothesis::Voted => "voted",
        }
    }

    /// Its number in states that are kept.
    pub fn code(self) -> u64 {
        self as u64
    }

    /// The predictor of a number.
    pub fn from_code(code: u64) -> Option<Self> {
        let all = [Hypothesis::Final, Hypothesis::Averaged, Hypothesis::Voted];
        all.into_iter().find(|hypothesis| hypothesis.code() == code)
    }
}

/// A row that a learner cannot take.
#[derive(Clone, Debug, thiserror::Error, PartialEq)]
#[non_exhaustive]
pub enum Refusal {
    /// Winnow multiplies weights by positive features only.
    #[error("feature {feature} is {value}, but winnow takes no negative values")]
    Negative {
        /// The feature.
        feature: usize,
        /// Its value.
        value: f64,
    },
    /// Neither can the constant feature be negative.
    #[error("the bias is {value}, but winnow takes no negative values")]
    NegativeBias {
        /// Its value.
        value: f64,
    },
    /// The learner has no weighted form.
    #[error("the row has weight {weight}, but {learner} takes rows of weight 1 only")]
    Weight {
        /// The learner.
        learner: &'static str,
        /// The row's weight.
        weight: f64,
        /// Learners that have one.
        others: Vec<&'static str>,
    },
    /// The state would not fit.
    #[error("{features} features need {needed} MB of memory, and the limit is {limit} MB{}", because(.why))]
    Memory {
        /// Highest feature number.
        features: usize,
        /// Megabytes needed.
        needed: u128,
        /// Megabytes allowed.
        limit: u128,
        /// What it keeps, where that is more than a vector; may be empty.
        why: &'static str,
        /// What to do.
        remedy: Box<Remedy>,
    },
    /// Numbers left the range of f64.
    #[error("the score is no longer a finite number")]
    NotFinite,
}

fn because(why: &str) -> String {
    match why {
        "" => String::new(),
        why => format!("; {why}"),
    }
}

impl Refusal {
    /// What to do about it.
    pub fn remedy(&self) -> Remedy {
        match self {
            Refusal::Negative { .. } => "use balanced-winnow or eg".into(),
            Refusal::NegativeBias { .. } => Remedy::give(Setting::Bias, "B").aim("above 0"),
            Refusal::Weight { others, .. } => {
                let others = others.join(", ");
                Remedy::clause(format!("use one of {others}")).or("remove the weights")
            }
            Refusal::Memory { remedy, .. } => Remedy::clone(remedy),
            Refusal::NotFinite => {
                Remedy::clause("scale the data").or(Remedy::give(Setting::Normalize, "2"))
            }
        }
    }
}

/// The score of a row, given its inner products with all rows that vectors are made of.
pub type Tally<'s> = Box<dyn Fn(&[f64]) -> f64 + Sync + 's>;

/// One algorithm: how its margin comes from `<w, x>` and how a trial changes the state.
///
/// `self` holds the parameters and whatever all classes share; `State` is one class's own memory
/// besides its weight vector.
pub trait Rule<P: Planes>: Clone + Send + Sync + 'static {
    /// One class's memory.
    type State: Clone + Send + Sync + 'static;

    /// The weight of a slot that no row had yet.
    const FRESH_WEIGHT: f64 = 0.0;

    /// Whether rows may have weights, which multiply the steps.
    const WEIGHTED: bool = false;

    /// Whether rows that are zero in feature space all have one margin and change nothing.
    const SKIPS_ZERO: bool = true;

    /// Whether the score of every predictor is the margin; false for rules that have a [`score`](Rule::score) of their own.
    const SCORES_BY_MARGIN: bool = true;

    /// The state before the first trial.
    fn start(&self, planes: &P) -> Self::State;

    /// Whether the learner can take a row.
    fn admit(&self, _x: Row<'_>) -> Result<(), Refusal> {
        Ok(())
    }

    /// Notes what all classes share about a row that was taken, and its id if it has one.
    fn note(&mut self, _x: Row<'_>, _id: Option<u64>) {}

    /// One number about the row that margins need, computed once for all classes.
    fn glance(&self, _x: Row<'_>) -> f64 {
        0.0
    }

    /// The online margin, given `<w, x>` and the glance.
    fn margin(&self, _state: &Self::State, inner: f64, _glance: f64) -> f64 {
        inner
    }

    /// One trial of one class; true if the state moved.
    fn learn(&self, state: &mut Self::State, w: Lane<'_, P>, seen: Seen<'_>, y: Label) -> bool;

    /// A pass over the data has ended.
    fn end_pass(&self, _state: &mut Self::State, _w: Lane<'_, P>) {}

    /// The margin of a row that is zero in feature space.
    fn zero_margin(&self) -> f64 {
        0.0
    }

    /// The predictors this learner offers; the first is the one it deploys.
    fn hypotheses(&self) -> &'static [Hypothesis] {
        &[Hypothesis::Final]
    }

    /// The score of a predictor, given `<w, x>`.
    fn score(
        &self,
        state: &Self::State,
        _planes: &P,
        inner: f64,
        x: Row<'_>,
        _by: Hypothesis,
    ) -> f64 {
        self.margin(state, inner, self.glance(x))
    }

    /// The scores of many rows by a predictor that goes by their inner products with rows and not by `w`, which is
    /// vector `k`, where the planes have all of these.
    fn tally<'s>(
        &self,
        _state: &'s Self::State,
        (_planes, _k): (&'s P, usize),
        _by: Hypothesis,
    ) -> Option<Tally<'s>> {
        None
    }

    /// What `w` is to be multiplied by to be the weight vector.
    fn factor(&self, _state: &Self::State) -> f64 {
        1.0
    }

    /// The weight vector of the deployed predictor where it has one, given `w`.
    fn weights(&self, state: &Self::State, mut w: Vec<f64>) -> Vec<f64> {
        let factor = self.factor(state);
        for w in &mut w {
            *w *= factor;
        }
        w
    }

    /// Makes room for `slots` slots.
    fn reach(&self, _state: &mut Self::State, _slots: usize) {}

    /// Bytes of one class's state at `slots` slots.
    fn state_bytes(&self, _slots: usize) -> u128 {
        0
    }

    /// Bytes of what all classes share at `slots` slots.
    fn shared_bytes(&self, _slots: usize) -> u128 {
        0
    }

    /// Bytes of one class's state that grow with its updates, for learners that keep rows.
    fn kept_bytes(&self, _state: &Self::State) -> u128 {
        0
    }

    /// Bytes of one class's state at `slots` slots, where that depends on the state.
    fn reach_bytes(&self, _state: &Self::State, _slots: usize) -> u128 {
        0
    }

    /// What it keeps, where that is more than a vector, for the message that memory is short; may be empty.
    fn keeps(&self) -> &'static str {
        ""
    }

    /// What to do when memory does not suffice.
    fn remedy(&self) -> Remedy {
        Remedy::raise(Setting::MaxMemory).or("renumber the features")
    }

    /// Adds what all classes share to a state.
    fn save_shared<'a>(&'a self, _out: &mut State<'a>) {}

    /// Takes it out again.
    fn load_shared(&mut self, _from: &mut State<'static>) -> Result<(), StateError> {
        Ok(())
    }

    /// Adds one class's memory to a state.
    fn save<'a>(&self, state: &'a Self::State, out: &mut State<'a>);

    /// Takes it out again.
    fn load(&self, planes: &P, from: &mut State<'static>) -> Result<Self::State, StateError>;

    /// Whether all rows must be seen (without labels) before the first trial.
    fn surveys(&self) -> bool {
        false
    }

    /// Sees one row before the first trial.
    fn survey(&mut self, _x: Row<'_>) {}

    /// All rows were seen.
    fn surveyed(&mut self) {}
}

/// A row in a trial, with what is known about it.
#[derive(Clone, Copy)]
pub struct Seen<'a> {
    /// The row.
    pub x: Row<'a>,
    /// Which example it is, if it may come again.
    pub id: Option<u64>,
    /// The class's margin.
    pub margin: f64,
    /// The rule's glance.
    pub glance: f64,
    /// How many times the step counts; not 1 only for rules that are [`WEIGHTED`](Rule::WEIGHTED).
    pub weight: f64,
    /// What the trial will say of itself.
    pub answer: &'a Answer,
}

/// What a trial says of itself. Rules whose margin costs more than a prediction put it in once they
/// know it.
#[derive(Debug, Default)]
pub struct Answer {
    /// The margin of the trial; its sign is the prediction.
    pub margin: Cell<f64>,
    /// The score, which is compared with those of other classes. It is at least 0 iff the margin is, so that where every
    /// class is right the true one alone scores at least 0, and the arg-max is right too.
    pub score: Cell<f64>,
    /// Scores are compared: there is more than one class.
    pub several: bool,
}

/// A learner of any kind, for one class or several side by side.
pub trait Learner: Send + Sync {
    /// A copy of the whole state; what is kept to save time, and changes no result, is left behind.
    fn copy(&self) -> Box<dyn Learner>;
    /// How many classes.
    fn lanes(&self) -> usize;
    /// Whether rows may have weights other than 1.
    fn is_weighted(&self) -> bool;
    /// Adds a class whose learner is a copy of class `like`'s.
    fn add_lane(&mut self, like: usize) -> Result<(), Refusal>;
    /// One trial, whose step counts `out.weight` times: y = +1 for the classes in `positive`, -1 for
    /// the others. `x` must not be zero.
    fn trial(&mut self, x: Row<'_>, positive: &[usize], out: &mut Trial) -> Result<(), Refusal>;
    /// A pass over the data has ended.
    fn end_pass(&mut self);
    /// How many rows to come it likes to know; 0 if none.
    fn foresees(&self) -> usize;
    /// Rows whose trials come next, in this order; some may be left out. Changes no result.
    fn foresee(&mut self, coming: Coming, threads: usize);
    /// Bytes it may use to remember what it computed of rows that may come again. Changes no result.
    fn remember(&mut self, bytes: usize);
    /// Whether a row is zero in feature space.
    fn is_zero(&self, x: Row<'_>) -> bool;
    /// The margin of such a row.
    fn zero_margin(&self) -> f64;
    /// Keeps the average of its weight vectors over trials from now on, and deploys it; false if it cannot. That it is right is known of
    /// learners that only scale their vectors and add multiples of rows.
    fn keep_average(&mut self) -> bool;
    /// The predictors on offer; the first is the deployed one.
    fn hypotheses(&self) -> &'static [Hypothesis];
    /// The scores of a predictor for every class.
    fn scores(&self, x: Row<'_>, by: Hypothesis, out: &mut [f64]);
    /// The scores of a predictor for many rows and every class, row by row.
    fn scores_of(&self, rows: &StoredRows, by: Hypothesis, threads: usize, out: &mut [f64]);
    /// The weights of class `k`, by slot.
    fn weights(&self, k: usize) -> Vec<f64>;
    /// How many rows its vectors are made of, where they are sums of stored rows.
    fn stored(&self) -> Option<usize>;
    /// In the space of a kernel, the rows that the weight vectors are made of.
    fn support(&self) -> Option<&Support>;
    /// Whether all rows must be seen before the first trial.
    fn surveys(&self) -> bool;
    /// Sees one row before the first trial.
    fn survey(&mut self, x: Row<'_>) -> Result<(), Refusal>;
    /// All rows were seen.
    fn surveyed(&mut self);
    /// The whole state.
    fn save<'a>(&'a self, out: &mut State<'a>);
    /// Becomes the learner that was saved.
    fn load(&mut self, lanes: usize, from: &mut State<'static>) -> Result<(), StateError>;
}

/// A rule on weight vectors: plain ones, or those of a kernel's space.
#[derive(Clone)]
pub struct Linear<R: Rule<P>, P: Planes = Primal> {
    rule: R,
    planes: P,
    states: Vec<R::State>,
    /// Bytes the state may take.
    memory: u128,
}

impl<R: Rule<Primal>> Linear<R> {
    /// A learner that knows nothing yet and may use `memory` bytes.
    pub fn new(rule: R, memory: u128) -> Self {
        Self::within(Primal::default(), rule, memory)
    }
}

impl<R: Rule<P>, P: Planes> Linear<R, P> {
    /// A learner that knows nothing yet, whose `planes` is one zero vector, and that may use `memory` bytes.
    pub fn within(planes: P, rule: R, memory: u128) -> Self {
        let states = vec![rule.start(&planes)];
        Linear {
            rule,
            planes,
            states,
            memory,
        }
    }

    fn check_memory(&self, slots: usize, lanes: usize, kept: u128) -> Result<(), Refusal> {
        self.check_memory_of(&self.rule, slots, lanes, kept)
    }

    fn check_memory_of(
        &self,
        rule: &R,
        slots: usize,
        lanes: usize,
        kept: u128,
    ) -> Result<(), Refusal> {
        let state = rule.state_bytes(slots).saturating_mul(lanes as u128);
        let needed = self
            .planes
            .bytes_at(slots, lanes)
            .saturating_add(state)
            .saturating_add(rule.shared_bytes(slots))
            .saturating_add(kept);
        if needed > self.memory {
            return Err(Refusal::Memory {
                features: slots.saturating_sub(1),
                needed: needed >> 20,
                limit: self.memory >> 20,
                why: rule.keeps(),
                remedy: Box::new(rule.remedy()),
            });
        }
        Ok(())
    }

    /// Bytes of the states that depend on what they have learned, at `slots` slots.
    fn kept(&self, slots: usize) -> u128 {
        let bytes = |state| self.kept_by(state, slots);
        self.states.iter().map(bytes).sum()
    }

    fn kept_by(&self, state: &R::State, slots: usize) -> u128 {
        self.rule.kept_bytes(state) + self.rule.reach_bytes(state, slots)
    }

    /// From `<w, x>` of every class and the glance to the scores of a predictor.
    fn scores_from(&self, scores: &mut [f64], (x, glance): (Row<'_>, f64), by: Hypothesis) {
        let averages = by == Hypothesis::Averaged && self.planes.has_average();
        if averages {
            self.planes.average_inner(x, scores);
        }
        if averages || R::SCORES_BY_MARGIN {
            for (score, state) in scores.iter_mut().zip(&self.states) {
                let factor = if averages {
                    self.rule.factor(state)
                } else {
                    1.0
                };
                *score = self.rule.margin(state, *score / factor, glance);
            }
        } else {
            for (score, state) in scores.iter_mut().zip(&self.states) {
                *score = self.rule.score(state, &self.planes, *score, x, by);
            }
        }
    }

    fn reach(&mut self, x: Row<'_>) -> Result<(), Refusal> {
        let slots = slots_of(x);
        if slots > self.planes.slots() {
            self.check_memory(slots, self.planes.lanes(), self.kept(slots))?;
            self.planes.reach(slots, R::FRESH_WEIGHT);
            for state in &mut self.states {
                self.rule.reach(state, slots);
            }
        }
        Ok(())
    }
}

impl Clone for Box<dyn Learner> {
    fn clone(&self) -> Self {
        (**self).copy()
    }
}

impl<R: Rule<P>, P: Planes> Learner for Linear<R, P> {
    fn copy(&self) -> Box<dyn Learner> {
        Box::new(self.clone())
    }

    fn lanes(&self) -> usize {
        self.states.len()
    }

    fn is_weighted(&self) -> bool {
        R::WEIGHTED
    }

    fn add_lane(&mut self, like: usize) -> Result<(), Refusal> {
        let slots = self.planes.slots();
        let kept = self.kept(slots) + self.kept_by(&self.states[like], slots);
        self.check_memory(slots, self.planes.lanes() + 1, kept)?;
        self.planes.add_lane(like);
        self.states.push(self.states[like].clone());
        Ok(())
    }

    fn trial(&mut self, x: Row<'_>, positive: &[usize], out: &mut Trial) -> Result<(), Refusal> {
        self.rule.admit(x)?;
        let kept = self.kept(self.planes.slots());
        if kept > 0 || P::GROWS {
            self.check_memory(self.planes.slots(), self.planes.lanes(), kept)?;
        }
        if P::GROWS {
            // a kernel's values may leave the range of f64; those of two rows are no larger than their own
            finite(&[self.planes.norm_sq_of(x)])?;
        }
        // a predictor knows nothing of features that come with the row, and a rule may
        let widens = R::FRESH_WEIGHT != 0.0 && slots_of(x) > self.planes.slots();
        if let Some(by) = out.validates.filter(|_| widens) {
            out.deployed.resize(self.states.len(), 0.0);
            self.scores(x, by, &mut out.deployed);
        }
        self.reach(x)?;
        out.margin.resize(self.states.len(), 0.0);
        out.updated.resize(self.states.len(), false);
        self.planes.turn(x);
        self.planes.inner_all(x, &mut out.margin);
        finite(&out.margin)?;
        let glance = self.rule.glance(x);
        if let Some(by) = out.validates.filter(|_| !widens) {
            out.deployed.clone_from(&out.margin);
            self.scores_from(&mut out.deployed, (x, glance), by);
        }
        self.rule.note(x, out.id);
        for (margin, state) in out.margin.iter_mut().zip(&self.states) {
            *margin = self.rule.margin(state, *margin, glance);
        }
        finite(&out.margin)?;
        out.score.clone_from(&out.margin);
        if out.weight == 0.0 {
            out.updated.fill(false);
            return Ok(());
        }
        // a refusal so far left nothing behind but room; from here on nothing is refused
        let answer = Answer {
            several: self.states.len() > 1,
            ..Answer::default()
        };
        for (k, state) in self.states.iter_mut().enumerate() {
            let y = if positive.contains(&k) {
                Label::Pos
            } else {
                Label::Neg
            };
            let w = Lane::new(&mut self.planes, k);
            let seen = Seen {
                x,
                id: out.id,
                margin: out.margin[k],
                glance,
                weight: out.weight,
                answer: &answer,
            };
            answer.margin.set(seen.margin);
            answer.score.set(seen.margin);
            out.updated[k] = self.rule.learn(state, w, seen, y);
            out.margin[k] = answer.margin.get();
            out.score[k] = answer.score.get();
        }
        let (rule, states) = (&self.rule, &self.states);
        self.planes.end_trial(|k| rule.factor(&states[k]));
        Ok(())
    }

    fn end_pass(&mut self) {
        for (k, state) in self.states.iter_mut().enumerate() {
            self.rule.end_pass(state, Lane::new(&mut self.planes, k));
        }
    }

    fn foresees(&self) -> usize {
        self.planes.foresees()
    }

    fn foresee(&mut self, coming: Coming, threads: usize) {
        self.planes.foresee(coming, threads);
    }

    fn remember(&mut self, bytes: usize) {
        self.planes.remember(bytes);
    }

    fn is_zero(&self, x: Row<'_>) -> bool {
        R::SKIPS_ZERO && self.planes.is_zero(x)
    }

    fn zero_margin(&self) -> f64 {
        self.rule.zero_margin()
    }

    fn keep_average(&mut self) -> bool {
        self.planes.keep_average()
    }

    fn hypotheses(&self) -> &'static [Hypothesis] {
        let own = self.rule.hypotheses();
        match (self.planes.has_average(), own.contains(&Hypothesis::Voted)) {
            (false, _) => own,
            (true, false) => &[Hypothesis::Averaged, Hypothesis::Final],
            (true, true) => &[Hypothesis::Averaged, Hypothesis::Voted, Hypothesis::Final],
        }
    }

    fn scores(&self, x: Row<'_>, by: Hypothesis, out: &mut [f64]) {
        self.planes.inner_all(x, out);
        self.scores_from(out, (x, self.rule.glance(x)), by);
    }

    fn scores_of(&self, rows: &StoredRows, by: Hypothesis, threads: usize, out: &mut [f64]) {
        let states = self.states.iter().enumerate();
        let tallies: Option<Vec<_>> = states
            .map(|(k, state)| self.rule.tally(state, (&self.planes, k), by))
            .collect();
        if let Some(tallies) = tallies {
            let each = |values: &[f64], out: &mut [f64]| {
                for (o, tally) in out.iter_mut().zip(&tallies) {
                    *o = tally(values);
                }
            };
            self.planes.values_rows(rows, threads, out, each);
            return;
        }
        self.planes.inner_rows(rows, threads, out);
        for (x, out) in rows.rows().zip(out.chunks_exact_mut(self.lanes())) {
            self.scores_from(out, (x, self.rule.glance(x)), by);
        }
    }

    fn weights(&self, k: usize) -> Vec<f64> {
        let average = self.planes.average(k);
        average.unwrap_or_else(|| self.rule.weights(&self.states[k], self.planes.vector(k)))
    }

    fn stored(&self) -> Option<usize> {
        self.planes.stored()
    }

    fn support(&self) -> Option<&Support> {
        self.planes.support()
    }

    fn surveys(&self) -> bool {
        self.rule.surveys()
    }

    fn survey(&mut self, x: Row<'_>) -> Result<(), Refusal> {
        finite(&[x.norm_sq()])?;
        self.reach(x)?;
        self.rule.survey(x);
        Ok(())
    }

    fn surveyed(&mut self) {
        self.rule.surveyed();
    }

    fn save<'a>(&'a self, out: &mut State<'a>) {
        self.planes.save(out);
        self.rule.save_shared(out);
        for (k, state) in self.states.iter().enumerate() {
            out.under(&k.to_string());
            self.rule.save(state, out);
        }
        out.under("");
    }

    fn load(&mut self, lanes: usize, from: &mut State<'static>) -> Result<(), StateError> {
        let slots = P::stored_slots(from, lanes);
        let mut rule = self.rule.clone();
        rule.load_shared(from)?;
        // an average is as long as the vectors
        let more = if P::stores_average(from) {
            self.planes.bytes_at(slots, lanes)
        } else {
            0
        };
        self.check_memory_of(&rule, slots, lanes, more)
            .map_err(|e| from.bad("weights", e.to_string()))?;
        let planes = self.planes.load_like(from, lanes)?;
        let mut states = Vec::new();
        for k in 0..lanes {
            from.under(&k.to_string());
            let mut state = rule.load(&planes, from)?;
            rule.reach(&mut state, planes.slots());
            states.push(state);
        }
        from.under("");
        (self.rule, self.planes, self.states) = (rule, planes, states);
        Ok(())
    }
}

/// One more than the highest slot of a row.
fn slots_of(x: Row<'_>) -> usize {
    x.last_slot().map_or(0, |j| j as usize + 1)
}

fn finite(numbers: &[f64]) -> Result<(), Refusal> {
    if numbers.iter().all(|n| n.is_finite()) {
        Ok(())
    } else {
        Err(Refusal::NotFinite)
    }
}
