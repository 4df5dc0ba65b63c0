//! Weight vectors as learners see them: [`Planes`], one vector per class, and [`Lane`], one of them.

use super::{Lookahead, Primal, StoredRows, Support};
use crate::row::Row;
use crate::state::{State, StateError};

/// Several vectors in one space that share each row's work: one per class.
pub trait Planes: Lookahead + Clone + Send + Sync + 'static {
    /// Whether updates take memory.
    const GROWS: bool = false;

    /// Whether a distance is a sum over coordinates, where nothing cancels.
    const COORDINATES: bool = false;

    /// One zero vector in the same space.
    #[must_use]
    fn single(&self) -> Self;
    /// How many vectors.
    fn lanes(&self) -> usize;
    /// One more than the highest slot that rows may have.
    fn slots(&self) -> usize;
    /// Makes room for rows of `slots` slots; where slots have weights, new ones weigh `fresh`.
    fn reach(&mut self, slots: usize, fresh: f64);
    /// Adds a vector equal to vector `like`.
    fn add_lane(&mut self, like: usize);
    /// Bytes of `lanes` vectors of `slots` slots.
    fn bytes_at(&self, slots: usize, lanes: usize) -> u128;
    /// A row's trial begins.
    fn turn(&mut self, _x: Row<'_>) {}
    /// Whether a row is zero in this space.
    fn is_zero(&self, x: Row<'_>) -> bool;
    /// The vectors as plain numbers, where they are.
    fn plain(&self) -> Option<&Primal> {
        None
    }
    /// `<w_k, x>` for every `k`.
    fn inner_all(&self, x: Row<'_>, out: &mut [f64]);
    /// Keeps the average of the vectors over trials from now on; false if this space has none.
    fn keep_average(&mut self) -> bool {
        false
    }
    /// Whether the average is kept.
    fn has_average(&self) -> bool {
        false
    }
    /// A trial has ended, after which weight vector `k` is `factor(k)` times `w_k`.
    fn end_trial(&mut self, _factor: impl Fn(usize) -> f64) {}
    /// From `<w_k, x>` to `<mean of the weight vectors after each trial, x>` for every `k`; unchanged before the first trial.
    fn average_inner(&self, _x: Row<'_>, _inner: &mut [f64]) {}
    /// That mean of vector `k`, slot by slot; none before the first trial.
    fn average(&self, _k: usize) -> Option<Vec<f64>> {
        None
    }
    /// Whether the vectors in a state have an average.
    fn stores_average(_state: &State<'static>) -> bool {
        false
    }
    /// How many rows the vectors are made of, where they are sums of stored rows.
    fn stored(&self) -> Option<usize> {
        None
    }
    /// `<w_k, x>` for every k and each of the rows, row by row.
    fn inner_rows(&self, rows: &StoredRows, _threads: usize, out: &mut [f64]) {
        for (x, out) in rows.rows().zip(out.chunks_exact_mut(self.lanes())) {
            self.inner_all(x, out);
        }
    }
    /// The rows that vectors are made of, if they are.
    fn support(&self) -> Option<&Support> {
        None
    }
    /// Puts into `out`, which has `numbers` numbers for each row, what `each` makes of a row's inner products with
    /// the rows that vectors are made of; nothing if they are not.
    fn values_rows(
        &self,
        _rows: &StoredRows,
        _threads: usize,
        _numbers: usize,
        _out: &mut [f64],
        _each: impl Fn(&[f64], &mut [f64]) + Sync,
    ) {
    }
    /// `<w_k, x>`.
    fn inner(&self, k: usize, x: Row<'_>) -> f64;
    /// `|w_k|^2`, recomputed at every call.
    fn norm_sq(&self, k: usize) -> f64;
    /// The inner products of many rows with one, in this space.
    fn between<'a>(
        &self,
        rows: impl Iterator<Item = Row<'a>>,
        x: Row<'_>,
    ) -> impl Iterator<Item = f64>;
    /// `|x|^2` in this space.
    fn norm_sq_of(&self, x: Row<'_>) -> f64;
    /// `|x - c w_k|^2`, recomputed at every call.
    fn distance_sq(&self, k: usize, c: f64, x: Row<'_>) -> f64 {
        self.norm_sq_of(x) - 2.0 * c * self.inner(k, x) + c * c * self.norm_sq(k)
    }
    /// `w_k <- c w_k`, lazily.
    fn scale(&mut self, k: usize, c: f64);
    /// `w_k <- w_k + c x`.
    fn add(&mut self, k: usize, c: f64, x: Row<'_>);
    /// `w_k <- w_k - c x`, where c is all that w_k has of x: nothing of the row is left.
    fn remove(&mut self, k: usize, c: f64, x: Row<'_>) {
        self.add(k, -c, x);
    }
    /// The weights of vector `k`, slot by slot, where slots have weights.
    fn vector(&self, k: usize) -> Vec<f64>;
    /// Adds the vectors to a state.
    fn save<'a>(&'a self, state: &mut State<'a>);
    /// How many slots the vectors in a state have.
    fn stored_slots(state: &State<'static>, lanes: usize) -> usize;
    /// Takes vectors of the same space out of a state.
    fn load_like(&self, state: &mut State<'static>, lanes: usize) -> Result<Self, StateError>;
}

/// One vector of several.
pub struct Lane<'a, P> {
    pub(super) planes: &'a mut P,
    pub(super) k: usize,
}

impl<'a, P> Lane<'a, P> {
    /// Vector `k` of `planes`.
    pub fn new(planes: &'a mut P, k: usize) -> Self {
        Lane { planes, k }
    }

    /// The vector, lent on.
    pub fn again(&mut self) -> Lane<'_, P> {
        Lane::new(self.planes, self.k)
    }
}

impl<P: Planes> Lane<'_, P> {
    /// The inner products of many rows with one, in the vector's space.
    pub fn between<'r>(
        &self,
        rows: impl Iterator<Item = Row<'r>>,
        x: Row<'_>,
    ) -> impl Iterator<Item = f64> {
        self.planes.between(rows, x)
    }

    /// `w <- w - c x`, where c is all that w has of x: nothing of the row is left.
    pub fn remove(&mut self, c: f64, x: Row<'_>) {
        self.planes.remove(self.k, c, x);
    }

    /// One more than the highest slot that rows may have.
    pub fn slots(&self) -> usize {
        self.planes.slots()
    }

    /// `<w, x>`.
    pub fn inner(&self, x: Row<'_>) -> f64 {
        self.planes.inner(self.k, x)
    }

    /// `|w|^2`, recomputed at every call.
    pub fn norm_sq(&self) -> f64 {
        self.planes.norm_sq(self.k)
    }

    /// `|x|^2` in the vector's space.
    pub fn norm_sq_of(&self, x: Row<'_>) -> f64 {
        self.planes.norm_sq_of(x)
    }

    /// `|x - c w|^2`, recomputed at every call.
    pub fn distance_sq(&self, c: f64, x: Row<'_>) -> f64 {
        self.planes.distance_sq(self.k, c, x)
    }

    /// `w <- c w`, lazily.
    pub fn scale(&mut self, c: f64) {
        self.planes.scale(self.k, c);
    }

    /// `w <- w + c x`.
    pub fn add(&mut self, c: f64, x: Row<'_>) {
        self.planes.add(self.k, c, x);
    }
}
