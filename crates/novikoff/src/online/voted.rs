//! Voted perceptron (Freund, Schapire 1999).
//!
//! Learns as the perceptron does; every weight vector it ever had votes, as often as the number of
//! trials it survived.
//! Update: as the perceptron; prediction `sgn(sum_j c_j sgn(v_j.x))`, `v_j.x` by prefix sums over the
//! stored updates.
//! Rows that are zero change nothing and are not counted.
//! Cost: O(nnz) a trial; a prediction visits every stored update; memory O(updates).
//! Bound: the mistakes are the perceptron's.
//! Paper: Freund and Schapire, "Large margin classification using the perceptron algorithm"; spec/online.md 1.3.

use super::perceptron::wants_update;
use crate::label::Label;
use crate::learner::{Hypothesis, Rule, Seen};
use crate::row::Row;
use crate::space::{Hyperplane, Lane, Planes};
use crate::state::{State, StateError};

/// The voted perceptron.
#[derive(Clone, Debug, Default)]
pub struct Voted;

/// The updates of one class and the votes between them.
#[derive(Clone, Debug)]
pub struct Ballot {
    rows: Store,
    /// y of each stored update, times the weight of its row.
    step: Vec<f64>,
    /// `c_0, c_1, ...`: trials after which the vector of that many updates was the current one.
    votes: Vec<u64>,
}

/// Stored rows, scale included.
#[derive(Clone, Debug, Default)]
struct Store {
    ends: Vec<u64>,
    index: Vec<u32>,
    value: Vec<f32>,
    scale: Vec<f64>,
}

impl Store {
    fn push(&mut self, x: Row<'_>) {
        let (scale, values) = x.stored();
        for (j, v) in values {
            self.index.push(j);
            self.value.push(v);
        }
        self.ends.push(self.value.len() as u64);
        self.scale.push(scale);
    }

    fn rows(&self) -> impl Iterator<Item = Row<'_>> {
        (0..self.ends.len()).map(|i| {
            let start = if i == 0 { 0 } else { self.ends[i - 1] as usize };
            let end = self.ends[i] as usize;
            Row::sparse(&self.index[start..end], &self.value[start..end]).scaled(self.scale[i])
        })
    }
}

impl<P: Planes> Rule<P> for Voted {
    type State = Ballot;

    const WEIGHTED: bool = true;

    fn start(&self, _planes: &P) -> Ballot {
        Ballot {
            rows: Store::default(),
            step: Vec::new(),
            votes: vec![0],
        }
    }

    fn learn(&self, state: &mut Ballot, mut w: Lane<'_, P>, seen: Seen<'_>, y: Label) -> bool {
        let updates = wants_update(seen.margin, y, 0.0);
        if updates {
            let step = y.sign() * seen.weight;
            w.add(step, seen.x);
            state.rows.push(seen.x);
            state.step.push(step);
            state.votes.push(1);
        } else if let Some(votes) = state.votes.last_mut() {
            *votes = votes.saturating_add(1);
        }
        updates
    }

    fn kept_bytes(&self, state: &Ballot) -> u128 {
        8 * state.rows.value.len() as u128 + 32 * state.votes.len() as u128
    }

    fn remedy(&self) -> &'static str {
        "voted keeps every row it was mistaken on; use averaged, or raise --max-memory"
    }

    fn hypotheses(&self) -> &'static [Hypothesis] {
        &[Hypothesis::Voted, Hypothesis::Averaged, Hypothesis::Final]
    }

    fn score(&self, state: &Ballot, planes: &P, inner: f64, x: Row<'_>, by: Hypothesis) -> f64 {
        if by == Hypothesis::Final {
            return inner;
        }
        let worth = |margin: f64| match by {
            Hypothesis::Voted => Label::of(margin).sign(),
            _ => margin,
        };
        let mut margin = 0.0;
        let mut sum = state.votes[0] as f64 * worth(margin);
        let mut trials = state.votes[0];
        let inner = planes.between(state.rows.rows(), x);
        for ((inner, step), &votes) in inner.zip(&state.step).zip(&state.votes[1..]) {
            margin += step * inner;
            sum += votes as f64 * worth(margin);
            trials = trials.saturating_add(votes);
        }
        match by {
            Hypothesis::Voted => sum,
            _ => sum / trials.max(1) as f64,
        }
    }

    fn save<'a>(&self, state: &'a Ballot, out: &mut State<'a>) {
        out.put_u64("votes", &state.votes[..]);
        out.put_f64("steps", &state.step[..]);
        out.put_u64("row-ends", &state.rows.ends[..]);
        out.put_u32("row-slots", &state.rows.index[..]);
        out.put_f32("row-values", &state.rows.value[..]);
        out.put_f64("row-scales", &state.rows.scale[..]);
    }

    fn load(&self, _planes: &P, from: &mut State<'static>) -> Result<Ballot, StateError> {
        let votes = from.take_u64("votes")?;
        let step = from.take_f64("steps")?;
        let rows = Store {
            ends: from.take_u64("row-ends")?,
            index: from.take_u32("row-slots")?,
            value: from.take_f32("row-values")?,
            scale: from.take_f64("row-scales")?,
        };
        let updates = rows.ends.len();
        let whole = rows.ends.is_sorted()
            && rows.ends.last().copied().unwrap_or(0) == rows.value.len() as u64
            && rows.index.len() == rows.value.len()
            && rows.scale.len() == updates
            && step.len() == updates
            && votes.len() == updates + 1;
        let ballot = Ballot { rows, step, votes };
        if !whole || !ballot.rows.slots_increase() {
            return Err(from.bad("row-ends", "the stored rows do not fit together"));
        }
        Ok(ballot)
    }
}

impl Store {
    fn slots_increase(&self) -> bool {
        let mut start = 0;
        self.ends.iter().all(|&end| {
            let slots = &self.index[start..end as usize];
            start = end as usize;
            slots.is_sorted_by(|a, b| a < b)
        })
    }
}
