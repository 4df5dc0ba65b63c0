//! The margins by which a calibration is fitted again while its model learns on.
//!
//! A trial's margin comes from before its row is learned, so it is that of a row the model has not seen. The last 8,192 such rows are
//! kept, those that the calibration was fitted on before them, and fitted as they are: no older row has a say, and none counts more than
//! another. Of more than 255 classes fewer rows are kept: 2,097,152 margins in all, and at least 100 rows. Fitting again from the same rows
//! gives the same bits.

use crate::state::{State, StateError};

/// Rows that are kept.
pub(super) const ROWS: usize = 8192;

/// Margins of all lanes that are kept; with many lanes that is fewer rows.
const MARGINS_KEPT: usize = 1 << 21;

/// Bytes per margin, with whether the row has the label.
const BYTES: usize = 9;

/// Rows that are kept of this number of lanes.
fn capacity(lanes: usize) -> usize {
    (MARGINS_KEPT / lanes.max(1)).clamp(LEAST, ROWS)
}

/// Rows from which a map is fitted again; until then the old one stays.
pub(super) const LEAST: usize = 100;

/// The last rows: their margins, lane by lane, and the lanes whose label they have.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct RecentMargins {
    lanes: Vec<Lane>,
    /// How many rows there are.
    rows: usize,
    /// The place of the next row, once all places are taken.
    next: usize,
}

#[derive(Clone, Debug, Default, PartialEq)]
struct Lane {
    margins: Vec<f64>,
    has: Vec<bool>,
}

const ABOUT: &str = "calibration/recent";
const MARGINS: &str = "calibration/recent/margins";
const LABELS: &str = "calibration/recent/labels";

impl RecentMargins {
    /// Rows in order, given lane by lane: margins, and whether a row has the label. All lanes have as many; the last rows are kept.
    pub fn of(lanes: &[Vec<(f64, bool)>]) -> Self {
        let rows = lanes.first().map_or(0, Vec::len);
        let kept = rows.min(capacity(lanes.len()));
        let lane = |all: &Vec<(f64, bool)>| {
            let (margins, has) = all[rows - kept..].iter().copied().unzip();
            Lane { margins, has }
        };
        RecentMargins {
            lanes: lanes.iter().map(lane).collect(),
            rows: kept,
            next: 0,
        }
    }

    /// These rows, their margins divided by `unit`.
    pub(super) fn in_units_of(mut self, unit: f64) -> Self {
        if unit != 1.0 {
            let margins = self.lanes.iter_mut().flat_map(|lane| &mut lane.margins);
            margins.for_each(|margin| *margin /= unit);
        }
        self
    }

    /// How many rows there are.
    pub fn len(&self) -> usize {
        self.rows
    }

    /// True if there is no row.
    pub fn is_empty(&self) -> bool {
        self.rows == 0
    }

    /// How many lanes there are; 0 before the first row.
    pub fn lanes(&self) -> usize {
        self.lanes.len()
    }

    /// Adds a row, in the place of the oldest if there are enough: its margin in each lane, divided by `unit`, and the lanes whose label it has.
    pub(crate) fn push(&mut self, margins: &[f64], unit: f64, positive: &[usize]) {
        self.lanes.resize_with(margins.len(), Lane::default);
        let is_full = self.rows >= capacity(margins.len());
        for (k, (lane, &margin)) in self.lanes.iter_mut().zip(margins).enumerate() {
            let (margin, has) = (margin / unit, positive.contains(&k));
            if is_full {
                (lane.margins[self.next], lane.has[self.next]) = (margin, has);
            } else {
                lane.margins.push(margin);
                lane.has.push(has);
            }
        }
        if is_full {
            self.next = (self.next + 1) % self.rows;
        } else {
            self.rows += 1;
        }
    }

    /// A lane that begins as a copy of the first, of a label that no row has had.
    pub(crate) fn add_lane(&mut self) {
        if let Some(first) = self.lanes.first() {
            let margins = first.margins.clone();
            let has = vec![false; margins.len()];
            self.lanes.push(Lane { margins, has });
        }
        let kept = self.rows.min(capacity(self.lanes.len()));
        if kept < self.rows {
            let lanes: Vec<Vec<(f64, bool)>> =
                (0..self.lanes.len()).map(|lane| self.pairs(lane)).collect();
            *self = Self::of(&lanes);
        }
    }

    /// The bytes that the rows of this number of lanes take at most.
    pub fn most_bytes(lanes: usize) -> u128 {
        (BYTES * lanes * capacity(lanes)) as u128
    }

    /// The rows of a lane, the oldest first.
    pub fn pairs(&self, lane: usize) -> Vec<(f64, bool)> {
        let Lane { margins, has } = &self.lanes[lane];
        let (old, new) = (self.next..self.rows, 0..self.next);
        old.chain(new).map(|row| (margins[row], has[row])).collect()
    }

    pub(super) fn save(&self, state: &mut State<'_>) {
        if self.is_empty() {
            return;
        }
        let (mut margins, mut labels) = (Vec::new(), Vec::new());
        for lane in 0..self.lanes.len() {
            let pairs = self.pairs(lane);
            margins.extend(pairs.iter().map(|pair| pair.0));
            for word in pairs.chunks(64) {
                let bits = word.iter().enumerate();
                labels.push(bits.fold(0, |bits, (k, pair)| bits | u64::from(pair.1) << k));
            }
        }
        state.put_u64(ABOUT, vec![self.lanes.len() as u64, self.rows as u64]);
        state.put_f64(MARGINS, margins);
        state.put_u64(LABELS, labels);
    }

    /// None are kept in files of models that were calibrated before there were any.
    pub(super) fn load(state: &mut State<'_>) -> Result<Self, StateError> {
        if state.count(ABOUT) == 0 {
            return Ok(Self::default());
        }
        let [lanes, rows] = state.take_counts(ABOUT)?;
        let margins = state.take_f64(MARGINS)?;
        let labels = state.take_u64(LABELS)?;
        let rows = usize::try_from(rows).unwrap_or(usize::MAX);
        let lanes = usize::try_from(lanes).unwrap_or(usize::MAX);
        let sound = (1..=ROWS).contains(&rows)
            && lanes.checked_mul(rows) == Some(margins.len())
            && labels.len() == lanes * rows.div_ceil(64)
            && margins.iter().all(|margin| margin.is_finite());
        if !sound {
            return Err(state.bad(MARGINS, "they are no rows of margins"));
        }
        let words = labels.chunks(rows.div_ceil(64));
        let lanes = margins
            .chunks(rows)
            .zip(words)
            .map(|(margins, words)| Lane {
                margins: margins.to_vec(),
                has: (0..rows)
                    .map(|k| words[k / 64] >> (k % 64) & 1 == 1)
                    .collect(),
            });
        Ok(RecentMargins {
            lanes: lanes.collect(),
            rows,
            next: 0,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn filled(rows: usize) -> RecentMargins {
        let mut recent = RecentMargins::default();
        for row in 0..rows {
            recent.push(&[row as f64, -(row as f64)], 1.0, &[row % 2]);
        }
        recent
    }

    #[test]
    fn the_last_rows_are_kept_in_order() {
        for rows in [1, 130, ROWS, ROWS + 1, 2 * ROWS + 77] {
            let recent = filled(rows);
            let first = rows.saturating_sub(ROWS);
            let lane = |sign: f64, k: usize| -> Vec<(f64, bool)> {
                (first..rows)
                    .map(|row| (sign * row as f64, row % 2 == k))
                    .collect()
            };
            assert_eq!(recent.pairs(0), lane(1.0, 0), "{rows}");
            assert_eq!(recent.pairs(1), lane(-1.0, 1), "{rows}");
            assert_eq!(recent.len(), rows.min(ROWS));
            let lanes: Vec<Vec<(f64, bool)>> = (0..2)
                .map(|k| {
                    let sign = [1.0, -1.0][k];
                    (0..rows)
                        .map(|row| (sign * row as f64, row % 2 == k))
                        .collect()
                })
                .collect();
            let given = RecentMargins::of(&lanes);
            assert_eq!(
                (given.pairs(0), given.pairs(1)),
                (recent.pairs(0), recent.pairs(1))
            );
        }
    }

    #[test]
    fn saved_and_loaded_it_goes_on_the_same() {
        for rows in [0, 5, 200, ROWS + 3] {
            let mut recent = filled(rows);
            let mut state = State::new();
            recent.save(&mut state);
            let mut loaded = RecentMargins::load(&mut state).expect("sound");
            assert_eq!(state.left(), None);
            for row in 0..10 {
                recent.push(&[0.5, f64::from(row)], 1.0, &[1]);
                loaded.push(&[0.5, f64::from(row)], 1.0, &[1]);
            }
            for lane in 0..2 {
                assert_eq!(loaded.pairs(lane), recent.pairs(lane), "{rows}");
            }
        }
    }

    #[test]
    fn a_new_lane_has_been_there_from_the_start() {
        let mut recent = filled(ROWS + 5);
        recent.add_lane();
        let negative: Vec<(f64, bool)> = recent.pairs(0).iter().map(|p| (p.0, false)).collect();
        assert_eq!(recent.pairs(2), negative);
        let mut empty = RecentMargins::default();
        empty.add_lane();
        assert_eq!(empty.lanes(), 0);
    }

    #[test]
    fn many_lanes_keep_fewer_rows() {
        let lanes = MARGINS_KEPT / 1000;
        assert_eq!(
            (capacity(2), capacity(lanes), capacity(1 << 30)),
            (ROWS, 1000, LEAST)
        );
        let mut recent = RecentMargins::default();
        let row = |k: usize| -> Vec<f64> { (0..lanes).map(|lane| (lane + k) as f64).collect() };
        for k in 0..1003 {
            recent.push(&row(k), 1.0, &[k % 7]);
        }
        assert_eq!(recent.len(), 1000);
        assert_eq!(recent.pairs(2)[0], (5.0, false));
        let mut more = RecentMargins::of(&[(); 257].map(|()| vec![(0.5, true); ROWS]));
        assert_eq!(more.len(), MARGINS_KEPT / 257);
        recent.add_lane();
        recent.add_lane();
        assert_eq!(recent.len(), MARGINS_KEPT / (lanes + 2));
        assert_eq!(
            recent.pairs(3).last(),
            Some(&(1005.0, false)),
            "the last rows stay"
        );
        more.push(&[0.0; 257], 1.0, &[]);
        assert_eq!(more.pairs(3).last(), Some(&(0.0, false)));
        let bytes = recent.lanes() * recent.len() * BYTES;
        assert!(bytes as u128 <= RecentMargins::most_bytes(recent.lanes()));
    }

    #[test]
    fn damaged_rows_are_refused() {
        for (about, margins, labels) in [
            (vec![1, 2], vec![0.0], vec![0]),
            (vec![1, 2], vec![0.0, f64::NAN], vec![0]),
            (vec![1, 2], vec![0.0, 1.0], vec![0, 0]),
            (vec![u64::MAX, 2], vec![0.0, 1.0], vec![0]),
            (vec![1, 20_000], vec![0.0; 20_000], vec![0; 313]),
            (vec![1], vec![0.0], vec![0]),
        ] {
            let mut state = State::new();
            state.put_u64(ABOUT, about);
            state.put_f64(MARGINS, margins);
            state.put_u64(LABELS, labels);
            assert!(RecentMargins::load(&mut state).is_err());
        }
    }
}
