//! Probabilities from margins, learned on rows that the model was not trained on: one rising map a class.
//!
//! A margin says which side, not how surely. A map fitted on held-out margins turns it into the share of rows of
//! that margin that have the label: Platt's sigmoid ([`Sigmoid`]) from few rows, an isotonic step-wise map
//! ([`Isotonic`]) from many.

mod isotonic;
mod platt;
mod recent;

use crate::learner::Hypothesis;
use crate::state::{State, StateError};

pub use isotonic::Isotonic;
pub use platt::Sigmoid;
#[doc(hidden)]
pub use platt::sigmoid;
pub use recent::RecentMargins;

/// How the maps are fitted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CalibrationMethod {
    /// Platt's sigmoid.
    Platt,
    /// Isotonic regression.
    Isotonic,
}

impl CalibrationMethod {
    /// Its name in commands and messages.
    pub fn name(self) -> &'static str {
        match self {
            CalibrationMethod::Platt => "platt",
            CalibrationMethod::Isotonic => "isotonic",
        }
    }
}

/// From the margin of one class to its probability.
#[derive(Clone, Debug, PartialEq)]
pub enum CalibrationMap {
    /// Platt's.
    Sigmoid(Sigmoid),
    /// Step by step.
    Isotonic(Isotonic),
}

impl CalibrationMap {
    /// The map that takes margins which are divided by `unit`.
    fn in_units_of(self, unit: f64) -> Self {
        match self {
            CalibrationMap::Sigmoid(Sigmoid { slope, offset }) => {
                let slope = slope * unit;
                CalibrationMap::Sigmoid(Sigmoid { slope, offset })
            }
            CalibrationMap::Isotonic(map) => CalibrationMap::Isotonic(map.in_units_of(unit)),
        }
    }

    /// Fitted on margins, and whether each row has the label. A label that no row has, or all have, gets Platt's
    /// constant, so that nothing is certain.
    pub fn fit(method: CalibrationMethod, rows: &[(f64, bool)]) -> Self {
        let both = rows.iter().any(|r| r.1) && rows.iter().any(|r| !r.1);
        match method {
            CalibrationMethod::Isotonic if both => CalibrationMap::Isotonic(Isotonic::fit(rows)),
            CalibrationMethod::Isotonic => {
                CalibrationMap::Isotonic(Isotonic::constant(platt::constant(rows)))
            }
            CalibrationMethod::Platt => CalibrationMap::Sigmoid(Sigmoid::fit(rows)),
        }
    }

    /// The probability that a row of this margin has the label.
    pub fn probability(&self, margin: f64) -> f64 {
        match self {
            CalibrationMap::Sigmoid(map) => map.probability(margin),
            CalibrationMap::Isotonic(map) => map.probability(margin),
        }
    }
}

/// The maps of a model.
///
/// ```
/// use novikoff::calibration::{Calibration, CalibrationMethod, CalibrationMap, RecentMargins};
/// use novikoff::{Hypothesis, Label, Model, Row, learners::Perceptron};
///
/// let mut model = Model::builder(Perceptron::default()).build()?;
/// let _ = model.learn(Row::dense(&[1.0]), [Label::Neg])?;
/// // margins of rows that it was not trained on, and whether they have the positive label
/// let heldout = [(-2.0, false), (-1.0, false), (-0.5, true), (0.5, false), (1.0, true), (2.0, true)];
/// let calibration = Calibration {
///     method: CalibrationMethod::Platt,
///     hypothesis: Hypothesis::Final,
///     maps: vec![CalibrationMap::fit(CalibrationMethod::Platt, &heldout)],
///     rows: 6,
///     recent: RecentMargins::of(&[heldout.to_vec()]),
/// };
/// model.calibrate(calibration)?;
///
/// let (mut scores, mut probabilities) = (Vec::new(), Vec::new());
/// model.scores(Row::dense(&[-3.0]), None, &mut scores);
/// assert!(model.probabilities(&scores, &mut probabilities));
/// assert!(probabilities[0] > 0.8, "{probabilities:?}");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Calibration {
    /// How they were fitted.
    pub method: CalibrationMethod,
    /// The predictor whose margins they take, in [units](crate::learner::Predictor::score_unit) that do not grow from trial to trial: of the
    /// vote, its share of all votes.
    pub hypothesis: Hypothesis,
    /// One a class, in the order the classes appeared.
    pub maps: Vec<CalibrationMap>,
    /// Rows they were fitted on.
    pub rows: u64,
    /// The rows that they are fitted on again while the model learns on.
    pub recent: RecentMargins,
}

/// The names of the arrays.
const ABOUT: &str = "calibration/about";
const SIGMOIDS: &str = "calibration/sigmoids";
const COUNTS: &str = "calibration/counts";
const MARGINS: &str = "calibration/margins";
const PROBABILITIES: &str = "calibration/probabilities";
/// Whether the margins of a vote are shares of all votes: 1, or nothing in files of before.
const SHARES: &str = "calibration/shares";

impl Calibration {
    /// Puts the maps into a state.
    pub fn save(&self, state: &mut State<'_>) {
        let method = match self.method {
            CalibrationMethod::Platt => 0,
            CalibrationMethod::Isotonic => 1,
        };
        state.put_u64(ABOUT, vec![method, self.hypothesis.code(), self.rows]);
        if self.hypothesis == Hypothesis::Voted {
            state.put_u64(SHARES, vec![1]);
        }
        let mut sigmoids = Vec::new();
        let (mut counts, mut margins, mut probabilities) = (Vec::new(), Vec::new(), Vec::new());
        for map in &self.maps {
            match map {
                CalibrationMap::Sigmoid(map) => sigmoids.extend([map.slope, map.offset]),
                CalibrationMap::Isotonic(map) => {
                    counts.push(map.margins().len() as u64);
                    margins.extend_from_slice(map.margins());
                    probabilities.extend_from_slice(map.probabilities());
                }
            }
        }
        match self.method {
            CalibrationMethod::Platt => state.put_f64(SIGMOIDS, sigmoids),
            CalibrationMethod::Isotonic => {
                state.put_u64(COUNTS, counts);
                state.put_f64(MARGINS, margins);
                state.put_f64(PROBABILITIES, probabilities);
            }
        }
        self.recent.save(state);
    }

    /// Fits the maps of `classes` classes again on the recent rows, if there are enough; the last lanes are those of the classes.
    pub(crate) fn refit(&mut self, classes: usize) -> bool {
        if self.recent.len() < recent::LEAST {
            return false;
        }
        let lanes = self.recent.lanes() - classes..self.recent.lanes();
        let fit = |lane| CalibrationMap::fit(self.method, &self.recent.pairs(lane));
        self.maps = lanes.map(fit).collect();
        self.rows = self.recent.len() as u64;
        true
    }

    /// A class appears. Until its map is fitted, it is a label that none of the rows has.
    pub(crate) fn add_class(&mut self) {
        self.recent.add_lane();
        let rows = match self.recent.lanes().checked_sub(1) {
            Some(lane) => self.recent.pairs(lane),
            None => vec![(0.0, false); (self.rows as usize).clamp(1, recent::ROWS)],
        };
        self.maps.push(CalibrationMap::fit(self.method, &rows));
    }

    /// The bytes that the rows of its maps take at most, if a state of this number of lanes has any.
    pub fn bytes_in(lanes: usize, state: &State<'_>) -> u128 {
        match state.count(ABOUT) {
            0 => 0,
            _ => RecentMargins::most_bytes(lanes),
        }
    }

    /// Takes the maps of `classes` classes out of a state, if it has any. The maps of a vote were of counts before they were of shares; all
    /// together `votes` were cast.
    pub fn load(
        classes: usize,
        votes: f64,
        state: &mut State<'_>,
    ) -> Result<Option<Self>, StateError> {
        if state.count(ABOUT) == 0 {
            return Ok(None);
        }
        let [method, hypothesis, rows] = state.take_counts(ABOUT)?;
        let Some(hypothesis) = Hypothesis::from_code(hypothesis) else {
            return Err(state.bad(ABOUT, "no such predictor"));
        };
        let (method, maps) = match method {
            0 => (CalibrationMethod::Platt, sigmoids(classes, state)?),
            1 => (CalibrationMethod::Isotonic, isotonics(classes, state)?),
            _ => return Err(state.bad(ABOUT, "no such method")),
        };
        let are_shares = state.count(SHARES) > 0;
        if are_shares {
            state.take_counts::<1>(SHARES)?;
        }
        let unit = if hypothesis == Hypothesis::Voted && !are_shares {
            votes
        } else {
            1.0
        };
        let maps = maps.into_iter().map(|map| map.in_units_of(unit));
        Ok(Some(Calibration {
            method,
            hypothesis,
            maps: maps.collect(),
            rows,
            recent: RecentMargins::load(state)?.in_units_of(unit),
        }))
    }
}

fn sigmoids(classes: usize, state: &mut State<'_>) -> Result<Vec<CalibrationMap>, StateError> {
    let all = state.take_vector(SIGMOIDS, 2 * classes)?;
    let map = |pair: &[f64]| {
        CalibrationMap::Sigmoid(Sigmoid {
            slope: pair[0],
            offset: pair[1],
        })
    };
    Ok(all.chunks_exact(2).map(map).collect())
}

fn isotonics(classes: usize, state: &mut State<'_>) -> Result<Vec<CalibrationMap>, StateError> {
    let counts = state.take_u64(COUNTS)?;
    let margins = state.take_f64(MARGINS)?;
    let probabilities = state.take_vector(PROBABILITIES, margins.len())?;
    if counts.len() != classes {
        let what = format!("{} counts, not {classes}", counts.len());
        return Err(state.bad(COUNTS, what));
    }
    let (mut start, mut maps) = (0, Vec::new());
    for count in counts {
        let end = usize::try_from(count)
            .ok()
            .and_then(|count| start_plus(start, count, margins.len()));
        let map = end.and_then(|end| {
            let part = start..end;
            Isotonic::restore(margins[part.clone()].to_vec(), probabilities[part].to_vec())
        });
        let (Some(end), Some(map)) = (end, map) else {
            return Err(state.bad(MARGINS, "they are no rising map"));
        };
        start = end;
        maps.push(CalibrationMap::Isotonic(map));
    }
    if start != margins.len() {
        return Err(state.bad(COUNTS, "they do not add up"));
    }
    Ok(maps)
}

/// `start + count`, if that is no more than `most`.
fn start_plus(start: usize, count: usize, most: usize) -> Option<usize> {
    start.checked_add(count).filter(|&end| end <= most)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::SplitMix64;

    fn rows() -> Vec<(f64, bool)> {
        let mut random = SplitMix64::new(8);
        (0..60)
            .map(|_| {
                let margin = 4.0 * random.uniform() - 2.0;
                (margin, random.uniform() < 0.5 + 0.2 * margin)
            })
            .collect()
    }

    fn fitted(method: CalibrationMethod) -> Calibration {
        let none: Vec<(f64, bool)> = rows().iter().map(|r| (r.0, false)).collect();
        Calibration {
            method,
            hypothesis: Hypothesis::Averaged,
            maps: vec![
                CalibrationMap::fit(method, &rows()),
                CalibrationMap::fit(method, &none),
            ],
            rows: 60,
            recent: RecentMargins::of(&[none.clone(), rows(), none.clone()]),
        }
    }

    #[test]
    fn saved_and_loaded_it_is_the_same() {
        for method in [CalibrationMethod::Platt, CalibrationMethod::Isotonic] {
            let calibration = fitted(method);
            let mut state = State::new();
            calibration.save(&mut state);
            let loaded = Calibration::load(2, 1.0, &mut state).expect("sound");
            assert_eq!(loaded, Some(calibration));
            assert_eq!(state.left(), None);
        }
        assert_eq!(Calibration::load(2, 1.0, &mut State::new()), Ok(None));
    }

    #[test]
    fn counts_of_votes_become_shares() {
        for method in [CalibrationMethod::Platt, CalibrationMethod::Isotonic] {
            let mut counted = fitted(method);
            counted.hypothesis = Hypothesis::Voted;
            let mut state = State::new();
            counted.save(&mut state);
            let again = Calibration::load(2, 8.0, &mut state).expect("sound");
            assert_eq!(again.as_ref(), Some(&counted), "shares stay");
            counted.save(&mut state);
            state.take_u64(SHARES).expect("was written");
            let shares = Calibration::load(2, 8.0, &mut state).expect("sound");
            let shares = shares.expect("is there");
            for (old, new) in counted.maps.iter().zip(&shares.maps) {
                for margin in [-1.5, -0.25, 0.0, 1.0] {
                    assert_eq!(new.probability(margin / 8.0), old.probability(margin));
                }
            }
            let (old, new) = (counted.recent.pairs(1), shares.recent.pairs(1));
            assert!(
                old.iter()
                    .zip(&new)
                    .all(|(a, b)| a.0 / 8.0 == b.0 && a.1 == b.1)
            );
        }
    }

    #[test]
    fn damaged_parts_are_refused() {
        for method in [CalibrationMethod::Platt, CalibrationMethod::Isotonic] {
            let refused = |harm: &dyn Fn(&mut State<'_>)| {
                let calibration = fitted(method);
                let mut state = State::new();
                calibration.save(&mut state);
                harm(&mut state);
                assert!(Calibration::load(2, 1.0, &mut state).is_err());
            };
            refused(&|state| state.put_u64(ABOUT, vec![7, 0, 60]));
            refused(&|state| {
                state.put_u64(
                    ABOUT,
                    vec![u64::from(method == CalibrationMethod::Isotonic), 9, 60],
                );
            });
            refused(&|state| {
                state.put_u64(
                    ABOUT,
                    vec![u64::from(method == CalibrationMethod::Isotonic)],
                );
            });
            refused(&|state| {
                state.put_u64(
                    ABOUT,
                    vec![u64::from(method == CalibrationMethod::Platt), 0, 1],
                );
            });
            if method == CalibrationMethod::Isotonic {
                refused(&|state| state.put_u64(COUNTS, vec![u64::MAX, 1]));
                refused(&|state| state.put_u64(COUNTS, vec![1, 1]));
                refused(&|state| state.put_u64(COUNTS, vec![1, 1, 1]));
                refused(&|state| {
                    state.put_u64(COUNTS, vec![2, 1]);
                    state.put_f64(MARGINS, vec![1.0, 0.0, 0.0]);
                    state.put_f64(PROBABILITIES, vec![0.1, 0.2, 0.3]);
                });
                refused(&|state| {
                    state.put_u64(COUNTS, vec![2, 1]);
                    state.put_f64(MARGINS, vec![0.0, 1.0, 0.0]);
                    state.put_f64(PROBABILITIES, vec![0.3, 0.2, 0.3]);
                });
                refused(&|state| {
                    state.put_u64(COUNTS, vec![2, 1]);
                    state.put_f64(MARGINS, vec![0.0, 1.0, 0.0]);
                    state.put_f64(PROBABILITIES, vec![0.3, 1.2, 0.3]);
                });
            } else {
                refused(&|state| state.put_f64(SIGMOIDS, vec![1.0, 2.0]));
            }
        }
    }

    #[test]
    fn a_label_nobody_has_is_unlikely_but_possible() {
        for method in [CalibrationMethod::Platt, CalibrationMethod::Isotonic] {
            let p = fitted(method).maps[1].probability(0.3);
            assert!((p - 1.0 / 62.0).abs() < 1e-6, "{method:?}: {p}");
        }
    }
}
