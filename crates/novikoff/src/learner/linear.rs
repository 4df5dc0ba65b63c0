//! A rule on one weight vector per class.

use super::{
    Hypothesis, Learner, LinearScore, Prediction, Predictor, Refusal, Rule, Survey, Trial, TrialRow,
};
use crate::label::Label;
use crate::row::Row;
use crate::space::{
    Lane, Lookahead, Planes, Primal, SharedValues, StoredRows, Support, UpcomingRows,
};
use crate::state::{State, StateError};

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
    pub fn within(mut planes: P, mut rule: R, memory: u128) -> Self {
        rule.begin(&mut planes);
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
        let memory = rule.memory();
        let state = memory.state_bytes(slots).saturating_mul(lanes as u128);
        let needed = self
            .planes
            .bytes_at(slots, lanes)
            .saturating_add(state)
            .saturating_add(memory.shared_bytes(slots))
            .saturating_add(kept);
        if needed > self.memory {
            return Err(Refusal::Memory {
                features: slots.saturating_sub(1),
                needed: needed >> 20,
                limit: self.memory >> 20,
                why: memory.keeps(),
                remedy: Box::new(memory.remedy()),
            });
        }
        Ok(())
    }

    /// Bytes of the states that depend on what they have learned, at `slots` slots.
    fn kept(&self, slots: usize) -> u128 {
        let bytes = |state| self.rule.kept_bytes(state, slots);
        self.states.iter().map(bytes).sum()
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

    /// One trial; `<w_k, x>` of every class if they are known.
    fn tried(
        &mut self,
        x: Row<'_>,
        inner: Option<&[f64]>,
        positive: &[usize],
        out: &mut Trial,
    ) -> Result<(), Refusal> {
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
        if let Some(inner) = inner {
            out.margin.copy_from_slice(inner);
        } else {
            self.planes.turn(x);
            self.planes.inner_all(x, &mut out.margin);
        }
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
        out.matrix.clear();
        if out.weight == 0.0 {
            out.updated.fill(false);
            return Ok(());
        }
        // a refusal so far left nothing behind but room; from here on nothing is refused
        let prediction = Prediction {
            several: self.states.len() > 1,
            ..Prediction::default()
        };
        // of several classes, lane 0 is the background
        let problems = self.states.len().saturating_sub(1).max(1);
        for (k, state) in self.states.iter_mut().enumerate() {
            let y = if positive.contains(&k) {
                Label::Pos
            } else {
                Label::Neg
            };
            let w = Lane::new(&mut self.planes, k);
            let trial = TrialRow {
                x,
                id: out.id,
                margin: out.tie.decided(out.margin[k], y),
                glance,
                problems,
                weight: out.weight,
                prediction: &prediction,
            };
            prediction.margin.set(trial.margin);
            prediction.score.set(trial.margin);
            prediction.matrix.set(None);
            out.updated[k] = self.rule.learn(state, w, trial, y);
            out.margin[k] = prediction.margin.get();
            out.score[k] = prediction.score.get();
            if let Some(changed) = prediction.matrix.get() {
                out.matrix.resize(out.updated.len(), false);
                out.matrix[k] = changed;
            }
        }
        let (rule, states) = (&self.rule, &self.states);
        self.planes.end_trial(|k| rule.factor(&states[k]));
        Ok(())
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
        let kept = self.kept(slots) + self.rule.kept_bytes(&self.states[like], slots);
        self.check_memory(slots, self.planes.lanes() + 1, kept)?;
        self.planes.add_lane(like);
        self.states.push(self.states[like].clone());
        Ok(())
    }

    fn trial(&mut self, x: Row<'_>, positive: &[usize], out: &mut Trial) -> Result<(), Refusal> {
        self.tried(x, None, positive, out)
    }

    fn plain_vectors(&self) -> Option<&Primal> {
        // slots that come with a row must weigh nothing, for the row is looked at before there is room for it
        self.planes.plain().filter(|_| R::FRESH_WEIGHT == 0.0)
    }

    fn trial_given(
        &mut self,
        x: Row<'_>,
        inner: &[f64],
        positive: &[usize],
        out: &mut Trial,
    ) -> Result<(), Refusal> {
        let inner = self.plain_vectors().map(|_| inner);
        self.tried(x, inner, positive, out)
    }

    fn scores_given(&self, x: Row<'_>, by: Hypothesis, out: &mut [f64]) {
        if self.plain_vectors().is_some() {
            self.scores_from(out, (x, self.rule.glance(x)), by);
        } else {
            self.scores(x, by, out);
        }
    }

    fn only_vector(&self, by: Hypothesis) -> Option<(&[f64], f64)> {
        let averages = by == Hypothesis::Averaged && self.planes.has_average();
        let is_plain = R::SCORES_BY_MARGIN && self.rule.divides_by_norm().is_none();
        let vectors = self.plain_vectors().filter(|_| is_plain && !averages);
        vectors?.only()
    }

    fn end_pass(&mut self) {
        for (k, state) in self.states.iter_mut().enumerate() {
            self.rule.end_pass(state, Lane::new(&mut self.planes, k));
        }
    }

    fn keep_average(&mut self) -> bool {
        self.planes.keep_average()
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

impl<R: Rule<P>, P: Planes> Predictor for Linear<R, P> {
    fn is_zero(&self, x: Row<'_>) -> bool {
        R::SKIPS_ZERO && self.planes.is_zero(x)
    }

    fn zero_margin(&self) -> f64 {
        self.rule.zero_margin()
    }

    fn score_unit(&self, by: Hypothesis) -> f64 {
        match (by, self.states.first()) {
            (Hypothesis::Voted, Some(state)) => self.rule.votes(state).max(1) as f64,
            _ => 1.0,
        }
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
        self.scores_of_each(rows, &[by], threads, out);
    }

    fn scores_of_each(
        &self,
        rows: &StoredRows,
        by: &[Hypothesis],
        threads: usize,
        out: &mut [f64],
    ) {
        let lanes = self.lanes();
        let Some(support) = self.planes.support() else {
            let mut inner = vec![0.0; rows.len() * lanes];
            self.planes.inner_rows(rows, threads, &mut inner);
            let all = rows.rows().zip(inner.chunks_exact(lanes));
            for ((x, inner), out) in all.zip(out.chunks_exact_mut(by.len() * lanes)) {
                for (&by, out) in by.iter().zip(out.chunks_exact_mut(lanes)) {
                    out.copy_from_slice(inner);
                    self.scores_from(out, (x, self.rule.glance(x)), by);
                }
            }
            return;
        };
        let tallies: Vec<Option<Vec<_>>> = by
            .iter()
            .map(|&by| {
                let states = self.states.iter().enumerate();
                let tally = |(k, state)| self.rule.tally(state, &self.planes, k, by);
                states.map(tally).collect()
            })
            .collect();
        let each = |values: &[f64], out: &mut [f64]| {
            for (tallies, out) in tallies.iter().zip(out.chunks_exact_mut(lanes)) {
                match tallies {
                    Some(tallies) => {
                        for (o, tally) in out.iter_mut().zip(tallies) {
                            *o = tally(values);
                        }
                    }
                    None => support.combine(values, out),
                }
            }
        };
        let numbers = by.len() * lanes;
        self.planes.values_rows(rows, threads, numbers, out, each);
        for (x, out) in rows.rows().zip(out.chunks_exact_mut(numbers)) {
            let scored = by.iter().zip(&tallies).zip(out.chunks_exact_mut(lanes));
            for ((&by, _), out) in scored.filter(|((_, tallies), _)| tallies.is_none()) {
                self.scores_from(out, (x, self.rule.glance(x)), by);
            }
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

    fn linear_score(&self, k: usize, by: Hypothesis) -> Option<LinearScore> {
        let (rule, state) = (&self.rule, &self.states[k]);
        let average = match by {
            Hypothesis::Averaged => self.planes.average(k),
            _ => None,
        };
        Some(LinearScore {
            weights: average.or_else(|| rule.terms(state, &self.planes, k, by))?,
            intercept: rule.intercept(state),
            norm: rule.divides_by_norm(),
        })
    }
}

impl<R: Rule<P>, P: Planes> Survey for Linear<R, P> {
    fn surveys(&self) -> bool {
        self.rule.survey().is_some_and(Survey::surveys)
    }

    fn survey(&mut self, x: Row<'_>) -> Result<(), Refusal> {
        finite(&[x.norm_sq()])?;
        self.reach(x)?;
        match self.rule.survey_mut() {
            Some(survey) => survey.survey(x),
            None => Ok(()),
        }
    }

    fn surveyed(&mut self) {
        if let Some(survey) = self.rule.survey_mut() {
            survey.surveyed();
        }
    }
}

impl<R: Rule<P>, P: Planes> Lookahead for Linear<R, P> {
    fn lookahead(&self) -> usize {
        self.planes.lookahead()
    }

    fn prefetch(&mut self, rows: UpcomingRows, threads: usize) {
        self.planes.prefetch(rows, threads);
    }

    fn set_cache_bytes(&mut self, bytes: usize) {
        self.planes.set_cache_bytes(bytes);
    }

    fn share_values(&mut self, values: &SharedValues) {
        self.planes.share_values(values);
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
