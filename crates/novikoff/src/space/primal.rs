//! Weight vectors as plain numbers, several side by side.

use super::{Lane, Lookahead, Planes};
use crate::row::Row;
use crate::state::{State, StateError};

/// One or more weight vectors over the same slots, stored slot by slot, so that a pass over a row's
/// non-zeros reads adjacent numbers for all classes. Each has a lazy common factor.
#[derive(Clone, Debug)]
pub struct Primal {
    /// Slot `j` of vector `k` is `factor[k] * w[j * stride + k]`.
    w: Vec<f64>,
    stride: usize,
    factor: Vec<f64>,
    slots: usize,
}

/// Factors outside this range are multiplied into the numbers.
pub(super) const FACTOR_RANGE: std::ops::RangeInclusive<f64> = 1e-100..=1e100;

/// Weights closer to zero than this become zero: denormal arithmetic is some forty times slower.
const TINY: f64 = 1e-300;

impl Default for Primal {
    fn default() -> Self {
        Primal {
            w: Vec::new(),
            stride: 1,
            factor: vec![1.0],
            slots: 0,
        }
    }
}

#[doc(hidden)] // for learners and their states
impl Primal {
    /// How many vectors.
    pub fn lanes(&self) -> usize {
        self.factor.len()
    }

    /// How many slots each has.
    pub fn slots(&self) -> usize {
        self.slots
    }

    /// Bytes after growing to `slots` and `lanes`.
    pub fn bytes(slots: usize, lanes: usize) -> u128 {
        slots as u128 * stride_for(lanes) as u128 * 8
    }

    /// Grows to at least `slots` slots; new ones weigh `fresh`.
    pub fn reach(&mut self, slots: usize, fresh: f64) {
        if slots > self.slots {
            grow(&mut self.w, slots * self.stride, fresh);
            self.slots = slots;
        }
    }

    /// Adds a vector equal to vector `like`.
    pub fn add_lane(&mut self, like: usize) {
        let lanes = self.lanes() + 1;
        if lanes > self.stride {
            let stride = stride_for(lanes);
            let mut w = vec![0.0; self.slots * stride];
            for (new, old) in w
                .chunks_exact_mut(stride)
                .zip(self.w.chunks_exact(self.stride))
            {
                new[..self.stride].copy_from_slice(old);
            }
            (self.w, self.stride) = (w, stride);
        }
        for slot in self.w.chunks_exact_mut(self.stride) {
            slot[lanes - 1] = slot[like];
        }
        self.factor.push(self.factor[like]);
    }

    /// Vector `k`, slot by slot.
    pub fn vector(&self, k: usize) -> Vec<f64> {
        self.w
            .iter()
            .skip(k)
            .step_by(self.stride)
            .map(|w| self.factor[k] * w)
            .collect()
    }

    /// Adds the vectors to a state: `weights` (slot by slot) and `factors`.
    pub fn save<'a>(&'a self, state: &mut State<'a>) {
        state.put_f64("factors", &self.factor[..]);
        if self.stride == 1 {
            state.put_f64("weights", &self.w[..]);
        } else {
            let lanes = self.lanes();
            let w = self
                .w
                .chunks_exact(self.stride)
                .flat_map(|slot| slot[..lanes].iter().copied());
            state.put_f64("weights", w.collect::<Vec<_>>());
        }
    }

    /// Takes the vectors out of a state.
    pub fn load(state: &mut State<'static>, lanes: usize) -> Result<Self, StateError> {
        let factor = state.take_f64("factors")?;
        if factor.len() != lanes || lanes == 0 {
            return Err(state.bad("factors", format!("{} vectors, not {lanes}", factor.len())));
        }
        let data = state.take_f64("weights")?;
        if data.len() % lanes != 0 {
            return Err(state.bad(
                "weights",
                "its length is no multiple of the number of vectors",
            ));
        }
        let (slots, stride) = (data.len() / lanes, stride_for(lanes));
        let w = if stride == 1 {
            data
        } else {
            let mut w = vec![0.0; slots * stride];
            for (new, old) in w.chunks_exact_mut(stride).zip(data.chunks_exact(lanes)) {
                new[..lanes].copy_from_slice(old);
            }
            w
        };
        Ok(Primal {
            w,
            stride,
            factor,
            slots,
        })
    }
}

/// One vector alone is contiguous; several are padded to whole blocks of eight.
fn stride_for(lanes: usize) -> usize {
    match lanes {
        0 | 1 => 1,
        2..=64 => lanes.next_power_of_two().max(8),
        _ => lanes.next_multiple_of(64),
    }
}

/// Grows `v` to `len`, with little slack: weights are the largest thing in memory.
pub(crate) fn grow<T: Clone>(v: &mut Vec<T>, len: usize, fill: T) {
    if len > v.len() {
        if len > v.capacity() {
            v.reserve_exact(len + len / 8 - v.len());
        }
        v.resize(len, fill);
    }
}

impl Lookahead for Primal {}

impl Planes for Primal {
    const COORDINATES: bool = true;

    fn single(&self) -> Self {
        let mut p = Primal::default();
        p.reach(self.slots, 0.0);
        p
    }

    fn lanes(&self) -> usize {
        self.lanes()
    }

    fn slots(&self) -> usize {
        self.slots
    }

    fn reach(&mut self, slots: usize, fresh: f64) {
        self.reach(slots, fresh);
    }

    fn add_lane(&mut self, like: usize) {
        self.add_lane(like);
    }

    fn bytes_at(&self, slots: usize, lanes: usize) -> u128 {
        Primal::bytes(slots, lanes)
    }

    fn is_zero(&self, x: Row<'_>) -> bool {
        x.is_zero()
    }

    fn vector(&self, k: usize) -> Vec<f64> {
        self.vector(k)
    }

    fn save<'a>(&'a self, state: &mut State<'a>) {
        self.save(state);
    }

    fn stored_slots(state: &State<'static>, lanes: usize) -> usize {
        state.count("weights") / lanes.max(1)
    }

    fn load_like(&self, state: &mut State<'static>, lanes: usize) -> Result<Self, StateError> {
        Primal::load(state, lanes)
    }

    fn inner_all(&self, x: Row<'_>, out: &mut [f64]) {
        if self.stride == 1 {
            out[0] = self.factor[0] * x.dot(&self.w);
        } else {
            x.dots(&self.w, self.stride, out);
            for (o, f) in out.iter_mut().zip(&self.factor) {
                *o *= f;
            }
        }
    }

    fn inner(&self, k: usize, x: Row<'_>) -> f64 {
        if self.stride == 1 {
            self.factor[k] * x.dot(&self.w)
        } else {
            let mut sum = 0.0;
            for (j, v) in x.iter().take_while(|&(j, _)| j < self.slots) {
                sum += v * self.w[j * self.stride + k];
            }
            self.factor[k] * sum
        }
    }

    fn norm_sq(&self, k: usize) -> f64 {
        let sum: f64 = self
            .w
            .iter()
            .skip(k)
            .step_by(self.stride)
            .map(|w| w * w)
            .sum();
        self.factor[k] * self.factor[k] * sum
    }

    fn between<'a>(
        &self,
        rows: impl Iterator<Item = Row<'a>>,
        x: Row<'_>,
    ) -> impl Iterator<Item = f64> {
        // spread out once, x is met by each row at the row's own cost; no stored row reaches past `slots`
        let x = x.before(self.slots);
        let mut spread = vec![0.0; x.last_slot().map_or(0, |j| j as usize + 1)];
        for (j, v) in x.iter() {
            spread[j] = v;
        }
        rows.map(move |row| row.dot(&spread))
    }

    fn norm_sq_of(&self, x: Row<'_>) -> f64 {
        x.norm_sq()
    }

    fn distance_sq(&self, k: usize, c: f64, x: Row<'_>) -> f64 {
        let c = c * self.factor[k];
        let mut values = x.iter().peekable();
        let mut sum = 0.0;
        for (j, w) in self.w.iter().skip(k).step_by(self.stride).enumerate() {
            let x = values.next_if(|&(i, _)| i == j).map_or(0.0, |(_, x)| x);
            sum += (x - c * w) * (x - c * w);
        }
        sum + values.map(|(_, x)| x * x).sum::<f64>()
    }

    fn scale(&mut self, k: usize, c: f64) {
        let factor = self.factor[k] * c;
        if FACTOR_RANGE.contains(&factor.abs()) {
            self.factor[k] = factor;
        } else {
            for w in self.w.iter_mut().skip(k).step_by(self.stride) {
                *w = *w * self.factor[k] * c;
                if w.abs() < TINY {
                    *w = 0.0;
                }
            }
            self.factor[k] = 1.0;
        }
    }

    fn add(&mut self, k: usize, c: f64, x: Row<'_>) {
        let c = c / self.factor[k];
        if self.stride == 1 {
            x.add_to(c, &mut self.w);
        } else {
            x.add_to_lane(c, &mut self.w, self.stride, k);
        }
    }
}

/// Coordinates, for learners that are not about inner products. Such learners never use `scale`.
impl Lane<'_, Primal> {
    /// How many slots there are.
    pub fn slots(&self) -> usize {
        self.planes.slots
    }

    /// Weight of slot `j`.
    pub fn get(&self, j: usize) -> f64 {
        self.planes.w[j * self.planes.stride + self.k]
    }

    /// Sets the weight of slot `j`.
    pub fn set(&mut self, j: usize, value: f64) {
        let stride = self.planes.stride;
        self.planes.w[j * stride + self.k] = if value.abs() < TINY { 0.0 } else { value };
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lanes_are_independent_and_a_new_one_is_a_copy() {
        let x = Row::sparse(&[1, 4], &[2.0, -1.0]);
        let mut p = Primal::default();
        p.reach(6, 0.0);
        p.add(0, 1.0, x);
        for k in 0..20 {
            p.add_lane(0);
            p.add(k + 1, k as f64, x);
            p.scale(k + 1, 0.5);
        }
        let mut out = vec![0.0; 21];
        p.inner_all(x, &mut out);
        assert_eq!(out[0], 5.0);
        for k in 0..20 {
            assert_eq!(out[k + 1], 2.5 * (k as f64 + 1.0));
            assert_eq!(p.inner(k + 1, x), out[k + 1]);
            assert_eq!(p.norm_sq(k + 1), 1.25 * (k as f64 + 1.0).powi(2));
        }
    }

    #[test]
    fn distances_are_exact() {
        let x = Row::sparse(&[1, 4], &[2.0, -1.0]);
        let mut p = Primal::default();
        p.reach(4, 0.0);
        p.add_lane(0);
        p.add(1, 1.0, Row::sparse(&[1, 3], &[2.0, 1e-9]));
        p.scale(1, 0.5);
        // slot 4 is past the end of w; the small number is not lost
        let near = p.distance_sq(1, 2.0, x);
        assert_eq!(near, 1.0 + f64::from(1e-9_f32) * f64::from(1e-9_f32));
        assert_eq!(p.distance_sq(0, 2.0, x), 5.0);
    }

    #[test]
    fn extreme_factors_are_folded_in() {
        let x = Row::dense(&[1.0]);
        let mut p = Primal::default();
        p.reach(2, 0.0);
        p.add(0, 1.0, x);
        for _ in 0..30 {
            p.scale(0, 1e-20);
        }
        assert_eq!(p.inner(0, x), 0.0);
        p.add(0, 3.0, x);
        assert_eq!(p.inner(0, x), 3.0);
        p.scale(0, 0.0);
        p.add(0, 2.0, x);
        assert_eq!(p.inner(0, x), 2.0);
    }
}
