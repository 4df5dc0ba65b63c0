//! How the experts stood over time: a few dozen moments, however long the run.

use super::weights::counts;
use crate::learner::PanelMoment;
use crate::state::{State, StateError};

/// How many moments are kept at most. When the list is full, every other moment is removed.
const MOST: usize = 64;

/// Moments at equal distances. Room for all of them is made at the beginning, so that no trial asks for memory.
#[derive(Clone, Debug)]
pub(super) struct Course {
    every: u64,
    experts: usize,
    /// Per moment: trials, mistakes of the majority, mistakes of each expert.
    numbers: Vec<u64>,
    /// Per moment: the weight of each expert.
    weights: Vec<f64>,
}

impl Course {
    pub(super) fn new(experts: usize) -> Self {
        Course {
            every: 1,
            experts,
            numbers: Vec::with_capacity(MOST * (experts + 2)),
            weights: Vec::with_capacity(MOST * experts),
        }
    }

    /// How many moments are kept.
    fn len(&self) -> usize {
        self.numbers.len() / (self.experts + 2)
    }

    /// Keeps the moment after the given number of trials, if it is one of those that are kept: mistakes of the majority, and of each expert
    /// mistakes and weight.
    pub(super) fn note(
        &mut self,
        trials: u64,
        majority: u64,
        experts: impl Iterator<Item = (u64, f64)>,
    ) {
        if !trials.is_multiple_of(self.every) {
            return;
        }
        if self.len() == MOST {
            self.thin();
            if !trials.is_multiple_of(self.every) {
                return;
            }
        }
        self.numbers.extend([trials, majority]);
        for (mistakes, weight) in experts {
            self.numbers.push(mistakes);
            self.weights.push(weight);
        }
    }

    /// Keeps every other moment.
    fn thin(&mut self) {
        self.every *= 2;
        let (every, experts, width) = (self.every, self.experts, self.experts + 2);
        let mut kept = 0;
        for moment in 0..self.len() {
            if self.numbers[moment * width].is_multiple_of(every) {
                let numbers = moment * width..(moment + 1) * width;
                self.numbers.copy_within(numbers, kept * width);
                let weights = moment * experts..(moment + 1) * experts;
                self.weights.copy_within(weights, kept * experts);
                kept += 1;
            }
        }
        self.numbers.truncate(kept * width);
        self.weights.truncate(kept * experts);
    }

    /// The moments; `eta` is the rate after the fewest mistakes of an expert.
    pub(super) fn moments(&self, eta: impl Fn(u64) -> f64) -> Vec<PanelMoment> {
        let numbers = self.numbers.chunks_exact(self.experts + 2);
        let weights = (0..self.len()).map(|k| &self.weights[k * self.experts..][..self.experts]);
        let moment = |(numbers, weights): (&[u64], &[f64])| PanelMoment {
            trials: numbers[0],
            eta: eta(numbers[2..].iter().copied().min().unwrap_or(0)),
            majority: numbers[1],
            mistakes: numbers[2..].to_vec(),
            weights: weights.to_vec(),
        };
        numbers.zip(weights).map(moment).collect()
    }

    pub(super) fn save(&self, out: &mut State<'_>) {
        let numbers = std::iter::once(self.every).chain(self.numbers.iter().copied());
        out.put_u64("course", numbers.collect::<Vec<_>>());
        out.put_f64("course-weights", self.weights.clone());
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
        let mut course = Course::new(experts);
        course.every = every;
        course.numbers.extend(numbers);
        course.weights.extend(weights);
        Ok(course)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn moments_stay_few_and_even() {
        let mut course = Course::new(1);
        for trials in 1..=10_000 {
            let expert = (2 * trials, 1.0 / trials as f64);
            course.note(trials, trials / 2, std::iter::once(expert));
        }
        let room = (course.numbers.capacity(), course.weights.capacity());
        assert_eq!(room, (3 * MOST, MOST), "no more room was asked for");
        for moment in course.moments(|least| 1.0 / least as f64) {
            let PanelMoment { trials, .. } = moment;
            assert_eq!(
                (moment.majority, &moment.mistakes[..]),
                (trials / 2, &[2 * trials][..])
            );
            assert_eq!(moment.weights, [1.0 / trials as f64]);
            assert_eq!(moment.eta, 0.5 / trials as f64);
        }
        let at: Vec<u64> = course
            .moments(|_| 1.0)
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
