//! How the experts stood over time: a few dozen moments, however long the run.

use super::weights::counts;
use crate::learner::PanelMoment;
use crate::state::{State, StateError};

/// How many moments are kept at most. When the list is full, every other moment is removed.
const MOST: usize = 64;

/// Moments at equal distances.
#[derive(Clone, Debug)]
pub(super) struct Course {
    every: u64,
    moments: Vec<PanelMoment>,
}

impl Default for Course {
    fn default() -> Self {
        Course {
            every: 1,
            moments: Vec::new(),
        }
    }
}

impl Course {
    /// Keeps the moment after the given number of trials, if it is one of those that are kept.
    pub(super) fn note(&mut self, trials: u64, moment: impl FnOnce() -> PanelMoment) {
        if !trials.is_multiple_of(self.every) {
            return;
        }
        if self.moments.len() == MOST {
            self.every *= 2;
            let every = self.every;
            self.moments
                .retain(|moment| moment.trials.is_multiple_of(every));
            if !trials.is_multiple_of(every) {
                return;
            }
        }
        self.moments.push(moment());
    }

    pub(super) fn moments(&self) -> &[PanelMoment] {
        &self.moments
    }

    pub(super) fn save(&self, out: &mut State<'_>) {
        let (mut numbers, mut weights) = (vec![self.every], Vec::new());
        for moment in &self.moments {
            numbers.extend([moment.trials, moment.majority]);
            numbers.extend(&moment.mistakes);
            weights.extend(&moment.weights);
        }
        out.put_u64("course", numbers);
        out.put_f64("course-weights", weights);
    }

    pub(super) fn load(experts: usize, from: &mut State<'static>) -> Result<Self, StateError> {
        let len = from.count("course");
        let numbers = counts(from, "course", len)?;
        let Some((&every, numbers)) = numbers.split_first() else {
            return Err(from.bad("course", "no numbers"));
        };
        let kept = numbers.len() / (experts + 2);
        let whole = kept * (experts + 2) == numbers.len() && kept <= MOST;
        if !whole || !every.is_power_of_two() || every > 1 << 48 {
            return Err(from.bad("course", "no moments of a run"));
        }
        let weights = from.take_vector("course-weights", kept * experts)?;
        let moments = numbers
            .chunks_exact(experts + 2)
            .zip(weights.chunks_exact(experts.max(1)));
        let moments = moments.map(|(numbers, weights)| PanelMoment {
            trials: numbers[0],
            majority: numbers[1],
            mistakes: numbers[2..].to_vec(),
            weights: weights.to_vec(),
        });
        Ok(Course {
            every,
            moments: moments.collect(),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn moments_stay_few_and_even() {
        let mut course = Course::default();
        for trials in 1..=10_000 {
            course.note(trials, || PanelMoment {
                trials,
                majority: 0,
                mistakes: Vec::new(),
                weights: Vec::new(),
            });
        }
        let at: Vec<u64> = course
            .moments()
            .iter()
            .map(|moment| moment.trials)
            .collect();
        assert!(at.len() <= MOST && at.len() >= MOST / 2, "{at:?}");
        let step = at[1] - at[0];
        assert!(
            at.windows(2).all(|pair| pair[1] - pair[0] == step),
            "{at:?}"
        );
    }
}
