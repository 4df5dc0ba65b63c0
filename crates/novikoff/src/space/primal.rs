//! Weight vectors as plain numbers, several side by side.

use std::borrow::Cow;

use super::average::Average;
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
    /// The average over trials, if it is kept.
    average: Option<Box<Average>>,
}

/// Factors outside this range are multiplied into the numbers.
pub(super) const FACTOR_RANGE: std::ops::RangeInclusive<f64> = 1e-100..=1e100;

/// Weights closer to zero than this become zero: denormal arithmetic is some forty times slower.
const TINY: f64 = 1e-300;

/// Where the average is in a state.
const SUMS: &str = "average-sums";
const SUM_FACTORS: &str = "average-factors";
const SUM_TRIALS: &str = "average-trials";

impl Default for Primal {
    fn default() -> Self {
        Primal {
            w: Vec::new(),
            stride: 1,
            factor: vec![1.0],
            slots: 0,
            average: None,
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
            if let Some(average) = &mut self.average {
                average.reach(slots * self.stride);
            }
            self.slots = slots;
        }
    }

    /// Adds a vector equal to vector `like`.
    pub fn add_lane(&mut self, like: usize) {
        let lanes = self.lanes() + 1;
        let (old, stride) = (self.stride, self.stride.max(stride_for(lanes)));
        copy_lane(&mut self.w, (old, stride), (like, lanes - 1));
        if let Some(average) = &mut self.average {
            copy_lane(&mut average.rest, (old, stride), (like, lanes - 1));
            average.factors.push(average.factors[like]);
        }
        self.stride = stride;
        self.factor.push(self.factor[like]);
    }

    /// The numbers of the only vector and their common factor, if there is one vector.
    pub(crate) fn only(&self) -> Option<(&[f64], f64)> {
        (self.stride == 1).then(|| (&self.w[..], self.factor[0]))
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

    /// Adds the vectors to a state: `weights` (slot by slot) and `factors`; and what the average needs, if it is kept.
    pub fn save<'a>(&'a self, state: &mut State<'a>) {
        state.put_f64("factors", &self.factor[..]);
        state.put_f64("weights", self.dense(&self.w));
        if let Some(average) = &self.average {
            state.put_f64(SUMS, self.dense(&average.rest));
            state.put_f64(SUM_FACTORS, &average.factors[..]);
            state.put_u64(SUM_TRIALS, vec![average.trials]);
        }
    }

    /// Numbers by slot and vector, without the padding.
    fn dense<'a>(&self, data: &'a [f64]) -> Cow<'a, [f64]> {
        let lanes = self.lanes();
        if self.stride == lanes {
            return Cow::Borrowed(data);
        }
        let slots = data.chunks_exact(self.stride);
        Cow::Owned(slots.flat_map(|slot| &slot[..lanes]).copied().collect())
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
        let average = if Self::stores_average(state) {
            if factor.contains(&0.0) {
                return Err(state.bad("factors", "a factor of 0"));
            }
            let average = Average {
                rest: padded(state.take_vector(SUMS, data.len())?, lanes),
                factors: state.take_vector(SUM_FACTORS, lanes)?,
                trials: state.take_counts::<1>(SUM_TRIALS)?[0],
            };
            Some(Box::new(average))
        } else {
            None
        };
        Ok(Primal {
            slots: data.len() / lanes,
            stride: stride_for(lanes),
            w: padded(data, lanes),
            factor,
            average,
        })
    }

    /// Whether the vectors in a state have an average.
    fn stores_average(state: &State<'static>) -> bool {
        state.count(SUM_TRIALS) > 0
    }

    /// `<w_k, x>` of every vector of several sets in one visit of the values, which all rows share: they differ in scale only. Those of set
    /// `n` begin at `out[at[n]]`, and each is what [`inner_all`](Planes::inner_all) says, to the bit.
    pub(crate) fn inner_each<const N: usize>(
        sets: [&Primal; N],
        rows: [Row<'_>; N],
        (at, out): ([usize; N], &mut [f64]),
    ) {
        let [first, others @ ..] = &sets[..] else {
            return;
        };
        let (lanes, stride) = (first.lanes(), first.stride);
        let alike =
            |set: &&Primal| (set.lanes(), set.stride, set.slots) == (lanes, stride, first.slots);
        if !others.iter().all(alike) {
            for n in 0..N {
                sets[n].inner_all(rows[n], &mut out[at[n]..at[n] + sets[n].lanes()]);
            }
            return;
        }
        let w = sets.map(|set| &set.w[..]);
        if stride == 1 {
            let inner = Row::dot_each(rows, w);
            for n in 0..N {
                out[at[n]] = sets[n].factor[0] * inner[n];
            }
        } else {
            Row::dots_each(rows, w, (stride, lanes), (at, out));
            for n in 0..N {
                for (o, f) in out[at[n]..].iter_mut().zip(&sets[n].factor) {
                    *o *= f;
                }
            }
        }
    }
}

/// Numbers by slot and vector, with the padding.
fn padded(data: Vec<f64>, lanes: usize) -> Vec<f64> {
    let stride = stride_for(lanes);
    if stride == lanes {
        return data;
    }
    let mut padded = vec![0.0; data.len() / lanes * stride];
    for (new, old) in padded
        .chunks_exact_mut(stride)
        .zip(data.chunks_exact(lanes))
    {
        new[..lanes].copy_from_slice(old);
    }
    padded
}

/// Copies one vector of several to another, after moving them to another stride.
fn copy_lane(data: &mut Vec<f64>, (old, new): (usize, usize), (from, to): (usize, usize)) {
    if old < new {
        let mut moved = vec![0.0; data.len() / old * new];
        for (new, slot) in moved.chunks_exact_mut(new).zip(data.chunks_exact(old)) {
            new[..old].copy_from_slice(slot);
        }
        *data = moved;
    }
    for slot in data.chunks_exact_mut(new) {
        slot[to] = slot[from];
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
        Primal::bytes(slots, lanes) * if self.average.is_some() { 2 } else { 1 }
    }

    fn keep_average(&mut self) -> bool {
        let new = || Box::new(Average::new(self.w.len(), self.factor.len()));
        self.average.get_or_insert_with(new);
        true
    }

    fn has_average(&self) -> bool {
        self.average.is_some()
    }

    fn end_trial(&mut self, factor: impl Fn(usize) -> f64) {
        if let Some(average) = &mut self.average {
            let lazy = &self.factor;
            average.end_trial(&self.w, self.stride, |k| lazy[k] * factor(k));
        }
    }

    fn average_inner(&self, x: Row<'_>, inner: &mut [f64]) {
        let Some(average) = self.average.as_ref().filter(|average| average.trials > 0) else {
            return;
        };
        for (k, inner) in inner.iter_mut().enumerate() {
            *inner *= average.times(k).0 / self.factor[k];
        }
        if self.stride == 1 {
            inner[0] += x.dot(&average.rest);
        } else {
            for (j, value) in x.iter().take_while(|&(j, _)| j < self.slots) {
                for (inner, rest) in inner.iter_mut().zip(&average.rest[j * self.stride..]) {
                    *inner += value * rest;
                }
            }
        }
        for (k, inner) in inner.iter_mut().enumerate() {
            *inner /= average.times(k).1;
        }
    }

    fn average(&self, k: usize) -> Option<Vec<f64>> {
        let average = self.average.as_ref().filter(|average| average.trials > 0)?;
        let (times, trials) = average.times(k);
        let all = self.w.iter().zip(&average.rest).skip(k);
        let mean = all
            .step_by(self.stride)
            .map(|(v, rest)| (times * v + rest) / trials);
        Some(mean.collect())
    }

    fn plain(&self) -> Option<&Primal> {
        Some(self)
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

    fn stores_average(state: &State<'static>) -> bool {
        Primal::stores_average(state)
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
            if let Some(average) = &mut self.average {
                average.settle(&self.w, self.stride, k);
            }
            let old = self.factor[k];
            let scaled = |w: &mut f64| {
                *w = *w * old * c;
                if w.abs() < TINY {
                    *w = 0.0;
                }
            };
            match self.stride {
                1 if c == 0.0 => self.w.fill(0.0),
                1 => self.w.iter_mut().for_each(scaled),
                stride => self.w.iter_mut().skip(k).step_by(stride).for_each(scaled),
            }
            self.factor[k] = 1.0;
        }
    }

    fn add(&mut self, k: usize, c: f64, x: Row<'_>) {
        let c = c / self.factor[k];
        add(&mut self.w, self.stride, k, (c, x));
        if let Some(average) = &mut self.average {
            let c = -average.factors[k] * c;
            add(&mut average.rest, self.stride, k, (c, x));
        }
    }
}

/// Adds `c x` to one vector of several.
fn add(data: &mut [f64], stride: usize, k: usize, (c, x): (f64, Row<'_>)) {
    if stride == 1 {
        x.add_to(c, data);
    } else {
        x.add_to_lane(c, data, stride, k);
    }
}

/// Coordinates, for learners that are not about inner products. Such learners never use `scale`.
impl Lane<'_, Primal> {
    /// Weight of slot `j`.
    pub fn get(&self, j: usize) -> f64 {
        self.planes.w[j * self.planes.stride + self.k]
    }

    /// Sets the weight of slot `j`.
    pub fn set(&mut self, j: usize, value: f64) {
        let at = j * self.planes.stride + self.k;
        let value = if value.abs() < TINY { 0.0 } else { value };
        if let Some(average) = &mut self.planes.average {
            average.rest[at] -= average.factors[self.k] * (value - self.planes.w[at]);
        }
        self.planes.w[at] = value;
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

    /// In one visit or alone, inner products have the same bits: for one vector and several, rows that reach past the vectors, adjacent
    /// and other slots, and sets of different width.
    #[test]
    fn one_visit_has_the_bits_of_each_alone() {
        let mut random = crate::random::SplitMix64::new(7);
        for (lanes, adjacent) in [(1, false), (1, true), (3, false), (12, true), (70, false)] {
            let mut row = |slots: u32| {
                let index: Vec<u32> = (0..slots).filter(|j| adjacent || j % 3 != 1).collect();
                let value = index.iter().map(|_| random.uniform() as f32 - 0.5);
                let value: Vec<f32> = value.collect();
                (index, value)
            };
            let (of_set, x) = ([row(37), row(37), row(37)], row(45));
            let mut sets = [(); 3].map(|()| Primal::default());
            for (n, (set, (index, value))) in sets.iter_mut().zip(&of_set).enumerate() {
                set.reach(37, 0.0);
                (1..lanes).for_each(|_| set.add_lane(0));
                for k in 0..lanes {
                    set.add(k, 0.3 + k as f64, Row::sparse(index, value));
                    set.scale(k, 1.0 / (3.0 + n as f64));
                }
            }
            for narrower in [false, true] {
                if narrower {
                    sets[1].reach(44, 0.0);
                }
                let x = Row::sparse(&x.0, &x.1);
                let rows = [x, x.scaled(1.0 / 3.0), x.scaled(0.7)];
                let mut together = vec![f64::NAN; 3 * lanes];
                let at = [0, lanes, 2 * lanes];
                Primal::inner_each(sets.each_ref(), rows, (at, &mut together));
                let mut alone = vec![f64::NAN; lanes];
                for n in 0..3 {
                    sets[n].inner_all(rows[n], &mut alone);
                    let bits = |list: &[f64]| list.iter().map(|v| v.to_bits()).collect::<Vec<_>>();
                    assert_eq!(
                        bits(&together[at[n]..][..lanes]),
                        bits(&alone),
                        "{lanes} {n}"
                    );
                }
            }
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
