//! Voted perceptron (Freund, Schapire 1999).
//!
//! Learns as the perceptron does; every weight vector it ever had votes, as often as the number of
//! trials it survived.
//! Update: as the perceptron; prediction `sgn(sum_j c_j sgn(v_j.x))`, `v_j.x` by prefix sums over the
//! stored updates.
//! Rows that are zero change nothing and are not counted.
//! Cost: O(nnz) per trial; a prediction visits every stored update; memory O(updates). With a kernel the values of a
//! row with the shared support are computed once for all updates and classes.
//! Bound: the mistakes are the perceptron's.
//! Paper: Freund and Schapire, "Large margin classification using the perceptron algorithm"; docs/theory/perceptron.md#voted-perceptron.

use super::perceptron::wants_update;
use crate::label::Label;
use crate::learner::{Hypothesis, Memory, RowScorer, Rule, TrialRow};
use crate::remedy::Remedy;
use crate::row::Row;
use crate::space::{Lane, Planes, StoredRows};
use crate::state::{State, StateError};

/// The voted perceptron.
#[derive(Clone, Debug, Default)]
pub(crate) struct Voted;

/// The updates of one class and the votes between them.
#[derive(Clone, Debug)]
pub(crate) struct Ballot {
    rows: StoredRows,
    /// y of each stored update, times the weight of its row.
    step: Vec<f64>,
    /// `c_0, c_1, ...`: trials after which the vector of that many updates was the current one.
    votes: Vec<u64>,
}

impl Ballot {
    /// The vote or the average of all vectors, given the inner products of a row with the updates in order.
    fn count(&self, inner: impl Iterator<Item = f64>, by: Hypothesis) -> f64 {
        let worth = |margin: f64| match by {
            Hypothesis::Voted => Label::of(margin).sign(),
            _ => margin,
        };
        let mut margin = 0.0;
        let mut sum = self.votes[0] as f64 * worth(margin);
        let mut trials = self.votes[0];
        for ((inner, step), &votes) in inner.zip(&self.step).zip(&self.votes[1..]) {
            margin += step * inner;
            sum += votes as f64 * worth(margin);
            trials = trials.saturating_add(votes);
        }
        match by {
            Hypothesis::Voted => sum,
            _ => sum / trials.max(1) as f64,
        }
    }
}

impl<P: Planes> Rule<P> for Voted {
    type State = Ballot;

    const WEIGHTED: bool = true;

    const SCORES_BY_MARGIN: bool = false;

    fn start(&self, _planes: &P) -> Ballot {
        Ballot {
            rows: StoredRows::default(),
            step: Vec::new(),
            votes: vec![0],
        }
    }

    fn learn(&self, state: &mut Ballot, mut w: Lane<'_, P>, trial: TrialRow<'_>, y: Label) -> bool {
        let updates = wants_update(trial.margin, y, 0.0);
        if updates {
            let step = y.sign() * trial.weight;
            w.add(step, trial.x);
            state.rows.push(trial.x);
            state.step.push(step);
            state.votes.push(1);
        } else if let Some(votes) = state.votes.last_mut() {
            *votes = votes.saturating_add(1);
        }
        updates
    }

    fn memory(&self) -> &dyn Memory {
        self
    }

    fn kept_bytes(&self, state: &Ballot, _slots: usize) -> u128 {
        state.rows.bytes() + 16 * state.votes.len() as u128
    }

    fn votes(&self, state: &Ballot) -> u64 {
        state
            .votes
            .iter()
            .fold(0, |sum, &votes| sum.saturating_add(votes))
    }

    fn hypotheses(&self) -> &'static [Hypothesis] {
        &[Hypothesis::Voted, Hypothesis::Averaged, Hypothesis::Final]
    }

    fn score(&self, state: &Ballot, planes: &P, inner: f64, x: Row<'_>, by: Hypothesis) -> f64 {
        match by {
            Hypothesis::Final => inner,
            _ => state.count(planes.between(state.rows.rows(), x), by),
        }
    }

    fn tally<'s>(
        &self,
        state: &'s Ballot,
        planes: &'s P,
        _k: usize,
        by: Hypothesis,
    ) -> Option<RowScorer<'s>> {
        let places = match by {
            Hypothesis::Final => None,
            _ => planes.support()?.places(state.rows.rows()),
        }?;
        Some(Box::new(move |values| {
            let inner = places.iter().map(|&place| values[place as usize]);
            state.count(inner, by)
        }))
    }

    fn terms(&self, state: &Ballot, planes: &P, k: usize, by: Hypothesis) -> Option<Vec<f64>> {
        if by == Hypothesis::Voted {
            return None;
        }
        if by != Hypothesis::Averaged {
            return Some(match planes.support() {
                Some(support) => support.coefficients(k).collect(),
                None => planes.vector(k),
            });
        }
        let mut average = planes.single();
        average.reach(planes.slots(), 0.0);
        let votes = state.votes.iter().map(|&votes| votes as f64);
        let trials = votes.clone().sum::<f64>().max(1.0);
        // an update is in the vectors that vote from then on
        let mut rest = trials;
        let updates = state.rows.rows().zip(&state.step);
        for ((x, step), before) in updates.zip(votes) {
            rest -= before;
            average.add(0, step * rest / trials, x);
        }
        let Some(support) = planes.support() else {
            return Some(average.vector(0));
        };
        let sum = average.support()?;
        let mut terms = vec![0.0; support.len()];
        for (c, place) in sum.coefficients(0).zip(support.places(sum.rows())?) {
            terms[place as usize] = c;
        }
        Some(terms)
    }

    fn save<'a>(&self, state: &'a Ballot, out: &mut State<'a>) {
        out.put_u64("votes", &state.votes[..]);
        out.put_f64("steps", &state.step[..]);
        state.rows.save(out);
    }

    fn load(&self, _planes: &P, from: &mut State<'static>) -> Result<Ballot, StateError> {
        let votes = from.take_u64("votes")?;
        let step = from.take_f64("steps")?;
        let updates = step.len();
        let rows = StoredRows::load(from, updates)?;
        if votes.len() != updates + 1 {
            return Err(from.bad("votes", "more or fewer than the updates"));
        }
        Ok(Ballot { rows, step, votes })
    }
}

impl Memory for Voted {
    fn keeps(&self) -> &'static str {
        "voted keeps every row it was mistaken on"
    }

    fn remedy(&self) -> Remedy {
        Remedy::or_memory("use averaged")
    }
}
