//! The ideal online maximum margin algorithm, which ROMMA relaxes.
//!
//! w is always the shortest vector with `y w.x >= 1` on all rows seen so far: a hard-margin SVM, kept up to date by
//! the dual active-set method of Goldfarb and Idnani. A row that makes that impossible is refused and counted. Noise
//! control (`noise`, lam) gives every example a feature `sqrt(lam)` of its own, so that none need be. In the space of a kernel w may begin at
//! phi(0) (`start=phi0`), the row without values: then `w.phi(0) >= K(0, 0)` is one constraint more, the first of all.
//! Update: iff `y w.x < 1 - 1e-9`: the row is brought in. With L the Cholesky factor of the inner products of the
//! active rows `y x`, g those with the new one, `r = (L L')^-1 g` and `s = |x|^2 - |L^-1 g|^2`: its weight grows by t, those of
//! the active rows by `-t r`, until its margin is 1 (`t = missing/s`: it becomes active, and all weights are
//! `(L L')^-1 (1, 1, ...)`) or an active weight is 0 (that row leaves). Then the row of the smallest margin below 1
//! comes in, among those below 1 when all were last looked at, until there is none. Neither possible (s = 0, no r > 0), or a weight above `1e8/|x|^2`: there is no such w.
//! Cost: k active rows: O(nnz) per right answer; O(k^2 + the active rows' nnz) per row brought in; a few times per update O(nnz)
//! per row so far whose margin may have fallen to 1 since it was last computed (with a kernel: every row so far). All rows so
//! far (up to two and a half times where their values come in runs), a label and a distance per class and row, and O(d + k^2) memory.
//! Bound: for U with `y U.x >= 1` always: `sum over mistakes of 1/|x|^2 <= |w|^2 <= |U|^2`, so `m <= R^2 |U|^2`; with noise, any U:
//! `m <= (R^2 + lam)(|U|^2 + (1/lam) sum xi(U)^2)`, the sum over the examples, however often they come. From phi(0): not evaluated.
//! Paper: Li and Long 2002, section 3; Goldfarb and Idnani, Mathematical Programming 27, 1983; docs/theory/romma.md#maximum-margin-algorithm; T14.

use std::collections::BTreeMap;

use crate::label::Label;
use crate::learner::{Memory, Rule, TrialRow};
use crate::linalg;
use crate::online::romma::Start;
use crate::remedy::Remedy;
use crate::row::Row;
use crate::space::{BlockedRows, Lane, Planes, StoredRows, hash, same};
use crate::state::{State, StateError};

/// A margin that much below 1 counts as 1.
const ROUNDING: f64 = 1e-9;

/// A w that a row must hold with a larger `u |x|^2` is none: in numbers of 16 digits it could as well be impossible.
const HEAVIEST: f64 = 1e8;

/// Less than this share of `|x|^2` outside the span of the active rows is nothing. As each of them had as much, L has
/// a condition of some `1e9^(1/2)`, and rounding makes s wrong by that much times 1e-16 for each.
const NOTHING: f64 = 1e-9;

/// Corrections of a solution.
const ROUNDS: usize = 2;

/// The share of a distance that its sum may have lost.
const LOST: f64 = 1e-9;

/// What an example without an id has in its place.
const NO_ID: u64 = u64::MAX;

/// The ideal algorithm, with the rows all classes have seen.
#[derive(Clone, Debug)]
pub(crate) struct MaxMargin {
    /// lam: the square of the feature that every example has for itself.
    noise: f64,
    rows: StoredRows,
    /// The rows again, where they have coordinates.
    blocks: BlockedRows,
    /// `|x|` of each row, where rows have coordinates.
    lengths: Vec<f64>,
    /// The id of each row; only with noise.
    ids: Vec<u64>,
    /// From the hash of a row to its place; with noise from the id.
    places: BTreeMap<u64, usize>,
    /// The place of the row in hand.
    now: usize,
    start: Start,
    /// K(0, 0), if w begins at phi(0): then the row at place 0 is that one, and its goal is this.
    origin: Option<f64>,
}

/// The optimum of one class.
#[derive(Clone, Debug, Default)]
pub(crate) struct Optimum {
    /// y of each row; 0 if it was refused.
    labels: Vec<f32>,
    active: Active,
    watch: Watch,
    /// Rows that could not be satisfied.
    refused: u64,
}

/// The rows that hold w: `w = sum of u y x`, all of the margin that is their goal.
#[derive(Clone, Debug, Default)]
struct Active {
    places: Vec<usize>,
    u: Vec<f64>,
    /// 1, but for phi(0) where w began.
    goals: Vec<f64>,
    /// `|x|^2` of each.
    norms_sq: Vec<f64>,
    /// L.
    factor: Vec<f64>,
}

/// When to look at a row again. A margin changes by no more than `|x|` times the way that w has gone, so a row of margin m
/// cannot be violated before w has gone `(m - 1)/|x|`. Saves time and changes no result: it is not saved.
#[derive(Clone, Debug, Default)]
struct Watch {
    /// How far w has gone, by the lengths of its steps from one look at all rows to the next.
    gone: f64,
    /// Until it has gone that far each row can wait; [`NEVER`] for active rows and those that were refused.
    until: Vec<f64>,
    /// The vector at the last look, slot by slot.
    last: Vec<f64>,
    /// Rows that were violated then, and those that have left since.
    violated: Vec<usize>,
}

/// A row that is not looked at.
const NEVER: f64 = f64::INFINITY;

/// w while it is searched for, and the rows it is made of.
trait Vector {
    /// Slot by slot, where rows have coordinates.
    fn coordinates(&self) -> Option<&[f64]>;

    /// w becomes the sum of rows, given by their factors and places.
    fn put(&mut self, rows: impl Iterator<Item = (f64, usize)>);

    /// `<w, x>` of the row at a place.
    fn inner(&self, place: usize) -> f64;

    /// The inner products of the row at a place with others, and with itself.
    fn products(&self, place: usize, others: &[usize]) -> (Vec<f64>, f64);
}

/// One vector of several, in any space.
struct InSpace<'a, 'b, P> {
    rows: &'a StoredRows,
    w: &'a mut Lane<'b, P>,
}

impl<P: Planes> Vector for InSpace<'_, '_, P> {
    fn coordinates(&self) -> Option<&[f64]> {
        None
    }

    fn put(&mut self, rows: impl Iterator<Item = (f64, usize)>) {
        self.w.scale(0.0);
        for (c, place) in rows {
            self.w.add(c, self.rows.row(place));
        }
    }

    fn inner(&self, place: usize) -> f64 {
        self.w.inner(self.rows.row(place))
    }

    fn products(&self, place: usize, others: &[usize]) -> (Vec<f64>, f64) {
        let x = self.rows.row(place);
        let others = others.iter().map(|p| self.rows.row(*p));
        (self.w.between(others, x).collect(), self.w.norm_sq_of(x))
    }
}

/// A vector that is alone, slot by slot.
struct Alone<'a> {
    rows: &'a StoredRows,
    blocks: &'a BlockedRows,
    w: Vec<f64>,
}

impl Vector for Alone<'_> {
    fn coordinates(&self) -> Option<&[f64]> {
        Some(&self.w)
    }

    fn put(&mut self, rows: impl Iterator<Item = (f64, usize)>) {
        self.w.fill(0.0);
        for row in rows {
            self.blocks.add_to(self.rows, row, &mut self.w);
        }
    }

    fn inner(&self, place: usize) -> f64 {
        self.blocks.dot(self.rows, place, &self.w)
    }

    fn products(&self, place: usize, others: &[usize]) -> (Vec<f64>, f64) {
        // spread out once, the row is met by each other at the other's own cost
        let mut x = vec![0.0; self.w.len()];
        self.blocks.add_to(self.rows, (1.0, place), &mut x);
        let others = others.iter().map(|p| self.blocks.dot(self.rows, *p, &x));
        (others.collect(), self.rows.row(place).norm_sq())
    }
}

impl Watch {
    /// w is another vector at this look; without coordinates nobody knows how far away.
    fn moved(&mut self, w: Option<&[f64]>) {
        let Some(w) = w else {
            self.gone = f64::MAX;
            return;
        };
        self.last.resize(w.len(), 0.0);
        let steps = self.last.iter().zip(w).map(|(a, b)| (b - a) * (b - a));
        self.gone += (1.0 + LOST) * steps.sum::<f64>().sqrt();
        self.last.copy_from_slice(w);
    }

    /// A row leaves the active ones.
    fn release(&mut self, place: usize) {
        self.until[place] = 0.0;
        self.violated.push(place);
    }
}

impl Active {
    fn of(&self, place: usize) -> Option<f64> {
        let at = self.places.iter().position(|p| *p == place);
        at.map(|at| self.u[at])
    }

    /// `|w|^2`.
    fn norm_sq(&self) -> f64 {
        self.u
            .iter()
            .zip(&self.goals)
            .map(|(u, goal)| u * goal)
            .sum()
    }

    /// The largest `u |x|^2` over the row's goal: 1 if rows are orthogonal, the more the less they leave each other.
    fn heaviest(&self) -> f64 {
        let weights = self.u.iter().zip(&self.norms_sq).zip(&self.goals);
        weights.fold(0.0, |most, ((u, norm_sq), goal)| {
            most.max(u * norm_sq / goal)
        })
    }

    /// The row whose weight is the first to be 0 as the weights shrink by r, and when; `norm_sq` is that of the row
    /// that comes in.
    fn first_to_leave(&self, r: &[f64], norm_sq: f64) -> Option<(usize, f64)> {
        let mut first: Option<(usize, f64)> = None;
        let weights = self.u.iter().zip(&self.norms_sq);
        for (at, (r, (u, own))) in r.iter().zip(weights).enumerate() {
            // a share that is not only rounding
            if *r > 0.0 && r * r * own > ROUNDING * ROUNDING * norm_sq {
                let t = u / r;
                if first.is_none_or(|(_, least)| t < least) {
                    first = Some((at, t));
                }
            }
        }
        first
    }

    /// A row leaves; gives its place. `known` is `L^-1 g` of the row that comes in, and follows L.
    fn leave(&mut self, at: usize, known: &mut Vec<f64>) -> usize {
        self.u.remove(at);
        self.goals.remove(at);
        self.norms_sq.remove(at);
        let turns = linalg::drop_row(&mut self.factor, at);
        linalg::turn_row(&mut known[at..], &turns);
        known.pop();
        self.places.remove(at)
    }

    /// Makes a row with a goal active, given its weight, `L^-1 g`, s and `|x|^2`.
    fn join(&mut self, (place, goal): (usize, f64), u: f64, known: &[f64], s: f64, norm_sq: f64) {
        self.factor.extend_from_slice(known);
        self.factor.push(s.sqrt());
        self.places.push(place);
        self.goals.push(goal);
        self.norms_sq.push(norm_sq);
        self.u.push(u);
    }

    /// The weights `(L L')^-1 (1, 1, ...)`, or of the goals in the place of 1.
    fn weights(&mut self) {
        self.u.copy_from_slice(&self.goals);
        linalg::solve_lower(&self.factor, &mut self.u);
        linalg::solve_upper(&self.factor, &mut self.u);
    }

    /// Adds `(L L')^-1 missing` to the weights, which are negative only by rounding.
    fn correct(&mut self, mut missing: Vec<f64>) {
        linalg::solve_lower(&self.factor, &mut missing);
        linalg::solve_upper(&self.factor, &mut missing);
        for (u, more) in self.u.iter_mut().zip(missing) {
            *u = (*u + more).max(0.0);
        }
    }
}

impl MaxMargin {
    /// Has seen nothing yet.
    pub(crate) fn new(noise: f64, start: Start) -> Self {
        MaxMargin {
            noise,
            rows: StoredRows::default(),
            blocks: BlockedRows::default(),
            lengths: Vec::new(),
            ids: Vec::new(),
            places: BTreeMap::new(),
            now: 0,
            start,
            origin: None,
        }
    }

    /// The margin that a row is to have at least, and what noise control adds to its `|x|^2`: phi(0) is no example.
    fn goal_and_noise(&self, place: usize) -> (f64, f64) {
        match self.origin {
            Some(goal) if place == 0 => (goal, 0.0),
            _ => (1.0, self.noise),
        }
    }

    /// The margin of a row, over its goal.
    fn reached(&self, w: &impl Vector, place: usize, y: f32) -> f64 {
        let (goal, _) = self.goal_and_noise(place);
        f64::from(y) * w.inner(place) / goal
    }

    /// Brings a row in; false if there is no w for it and the active rows.
    fn bring_in(&self, state: &mut Optimum, w: &impl Vector, place: usize) -> bool {
        let y = state.labels[place];
        let (goal, noise) = self.goal_and_noise(place);
        let active = &mut state.active;
        let (mut g, norm_sq) = w.products(place, &active.places);
        let norm_sq = norm_sq + noise;
        for (g, place) in g.iter_mut().zip(&active.places) {
            *g *= f64::from(y * state.labels[*place]);
        }
        let mut known = g.clone();
        linalg::solve_lower(&active.factor, &mut known);
        let mut gained = 0.0;
        loop {
            let s = norm_sq - linalg::dot(&known, &known);
            let missing = goal - linalg::dot(&g, &active.u) - gained * norm_sq;
            let whole = s > NOTHING * norm_sq;
            let step = if whole { missing / s } else { f64::INFINITY };
            let mut r = known.clone();
            linalg::solve_upper(&active.factor, &mut r);
            let leaving = active.first_to_leave(&r, norm_sq);
            let leaving = leaving.filter(|(_, t)| *t < step);
            if leaving.is_none() && !whole {
                return false;
            }
            let t = leaving.map_or(step, |(_, t)| t);
            for (u, r) in active.u.iter_mut().zip(&r) {
                *u -= t * r;
            }
            gained += t;
            let Some((at, _)) = leaving else {
                active.join((place, goal), gained, &known, s, norm_sq);
                state.watch.until[place] = NEVER;
                return true;
            };
            let gone = active.leave(at, &mut known);
            state.watch.release(gone);
            g.remove(at);
        }
    }

    /// Puts `w = sum of u y x` in its place.
    fn weigh(state: &Optimum, w: &mut impl Vector) {
        let active = state.active.places.iter().zip(&state.active.u);
        w.put(active.map(|(place, u)| (u * f64::from(state.labels[*place]), *place)));
    }

    /// What the margins of the active rows are short of their goals.
    fn missing(&self, state: &Optimum, w: &impl Vector) -> Vec<f64> {
        let active = state.active.places.iter().zip(&state.active.u);
        let missing = active.map(|(place, u)| {
            let margin = f64::from(state.labels[*place]) * w.inner(*place);
            let (goal, noise) = self.goal_and_noise(*place);
            goal - margin - noise * u
        });
        missing.collect()
    }

    /// Puts w in its place, and again for what is missing: inner products of rows have lost half of the digits that w
    /// can have. False if a row weighs too much.
    fn settle(&self, state: &mut Optimum, w: &mut impl Vector) -> bool {
        state.active.weights();
        Self::weigh(state, w);
        for _ in 0..ROUNDS {
            let missing = self.missing(state, w);
            state.active.correct(missing);
            Self::weigh(state, w);
        }
        state.active.heaviest() <= HEAVIEST
    }

    /// The row of the smallest margin among those last violated, if that is below 1. Active rows have margin 1.
    fn most_violated(&self, state: &Optimum, w: &impl Vector) -> Option<usize> {
        let (mut worst, mut least) = (None, 1.0 - ROUNDING);
        for &place in &state.watch.violated {
            if state.watch.until[place] == NEVER {
                continue;
            }
            let margin = self.reached(w, place, state.labels[place]);
            if margin < least {
                (worst, least) = (Some(place), margin);
            }
        }
        worst
    }

    /// The row of the smallest margin among all, if that is below 1.
    fn look(&self, state: &mut Optimum, w: &impl Vector) -> Option<usize> {
        state.watch.moved(w.coordinates());
        let (mut worst, mut least) = (None, 1.0 - ROUNDING);
        let Watch {
            gone,
            until,
            violated,
            ..
        } = &mut state.watch;
        violated.clear();
        let rows = until.iter_mut().zip(&state.labels).enumerate();
        for (place, (until, y)) in rows.filter(|(_, (until, _))| **until <= *gone) {
            let margin = self.reached(w, place, *y);
            if margin < 1.0 - ROUNDING {
                violated.push(place);
                if margin < least {
                    (worst, least) = (Some(place), margin);
                }
            } else if w.coordinates().is_some() {
                *until = *gone + (1.0 - LOST) * (margin - 1.0) / self.lengths[place];
            }
        }
        worst
    }

    /// The shortest w for all rows, the one in hand included. False if there is none; then all is as before.
    fn solve<P: Planes>(&self, state: &mut Optimum, w: &mut Lane<'_, P>) -> bool {
        let before = (state.active.clone(), state.watch.clone());
        let solved = if P::COORDINATES {
            // a vector that is alone is faster to read than one per class
            let mut alone = Alone {
                rows: &self.rows,
                blocks: &self.blocks,
                w: BlockedRows::zeros(w.slots()),
            };
            self.search(state, &mut alone)
        } else {
            let rows = &self.rows;
            self.search(state, &mut InSpace { rows, w })
        };
        if !solved {
            (state.active, state.watch) = before;
        }
        let rows = &self.rows;
        Self::weigh(state, &mut InSpace { rows, w });
        solved
    }

    /// Brings rows in until none is violated, with w in `v`. False if there is no such w.
    fn search(&self, state: &mut Optimum, v: &mut impl Vector) -> bool {
        let mut settled = state.active.norm_sq();
        let mut place = self.now;
        state.watch.violated.clear();
        loop {
            let norm_sq = state.active.norm_sq();
            if !(self.bring_in(state, v, place) && state.active.heaviest() <= HEAVIEST) {
                return false;
            }
            Self::weigh(state, v);
            // w grows with every row, until rounding is all there is left to correct
            if state.active.norm_sq() > norm_sq {
                // with a kernel a look costs little more than the list, and its order is that of all versions
                let listed = v
                    .coordinates()
                    .is_some()
                    .then(|| self.most_violated(state, v))
                    .flatten();
                if let Some(next) = listed.or_else(|| self.look(state, v)) {
                    place = next;
                    continue;
                }
            }
            if !self.settle(state, v) {
                return false;
            }
            let norm_sq = state.active.norm_sq();
            let grown = norm_sq > settled;
            settled = norm_sq;
            match self.look(state, v) {
                Some(next) if grown => place = next,
                _ => return true,
            }
        }
    }
}

impl<P: Planes> Rule<P> for MaxMargin {
    type State = Optimum;

    fn begin(&mut self, planes: &mut P) {
        self.origin = self.start.norm_sq(planes);
        if self.origin.is_some() {
            planes.add(0, 1.0, Row::EMPTY);
            self.rows.push(Row::EMPTY);
            if self.noise > 0.0 {
                self.ids.push(NO_ID);
            }
        }
    }

    fn start(&self, _planes: &P) -> Optimum {
        let mut optimum = Optimum::default();
        if let Some(goal) = self.origin {
            optimum.labels.push(1.0);
            optimum.watch.until.push(NEVER);
            optimum.active.join((0, goal), 1.0, &[], goal, goal);
        }
        optimum
    }

    fn note(&mut self, x: Row<'_>, id: Option<u64>) {
        let key = if self.noise > 0.0 { id } else { Some(hash(x)) };
        let known = key.and_then(|key| self.places.get(&key));
        if let Some(&place) = known.filter(|place| same(self.rows.row(**place), x)) {
            self.now = place;
            return;
        }
        self.now = self.rows.len();
        self.rows.push(x);
        if P::COORDINATES {
            self.lengths.push(x.norm_sq().sqrt());
            self.blocks.push(x);
        }
        if self.noise > 0.0 {
            self.ids.push(id.unwrap_or(NO_ID));
        }
        if let Some(key) = key {
            self.places.insert(key, self.now);
        }
    }

    fn learn(
        &self,
        state: &mut Optimum,
        mut w: Lane<'_, P>,
        trial: TrialRow<'_>,
        y: Label,
    ) -> bool {
        let (place, y) = (self.now, y.sign());
        if state.labels.len() <= place {
            state.labels.resize(place + 1, 0.0);
            state.watch.until.resize(place + 1, NEVER);
        }
        let active = state.active.of(place);
        let known = f64::from(state.labels[place]);
        let margin = trial.margin + self.noise * known * active.unwrap_or(0.0);
        trial.prediction.margin.set(margin);
        trial.prediction.score.set(margin);
        let violated = y * margin < 1.0 - ROUNDING;
        if known == -y {
            // one row, two labels
            state.refused = state.refused.saturating_add(1);
            return false;
        }
        state.labels[place] = y as f32;
        if known == 0.0 {
            state.watch.until[place] = 0.0;
        }
        if !violated || active.is_some() {
            return false;
        }
        let solved = self.solve(state, &mut w);
        if !solved {
            state.labels[place] = 0.0;
            state.watch.until[place] = NEVER;
            state.refused = state.refused.saturating_add(1);
        }
        solved
    }

    fn memory(&self) -> &dyn Memory {
        self
    }

    fn kept_bytes(&self, state: &Optimum, _slots: usize) -> u128 {
        let active = state.active.places.len() as u128;
        // active rows and distances twice while a row is brought in
        let rows = 4 * state.labels.len() + 24 * state.watch.until.len();
        rows as u128 + 48 * active + 16 * state.active.factor.len() as u128
    }

    fn save_shared<'a>(&'a self, out: &mut State<'a>) {
        self.rows.save_as("seen", out);
        if self.noise > 0.0 {
            out.put_u64("seen-ids", &self.ids[..]);
        }
    }

    fn load_shared(&mut self, from: &mut State<'static>) -> Result<(), StateError> {
        let len = from.count("seen-ends");
        self.rows = StoredRows::load_as("seen", from, len)?;
        let first = (!self.rows.is_empty()).then(|| self.rows.row(0));
        if self.origin.is_some() && !first.is_some_and(|row| same(row, Row::EMPTY)) {
            return Err(from.bad("seen-ends", "the first row is not the one that w began at"));
        }
        if P::COORDINATES {
            self.lengths = self.rows.rows().map(|x| x.norm_sq().sqrt()).collect();
            self.blocks = BlockedRows::of(&self.rows);
        }
        self.places.clear();
        if self.noise > 0.0 {
            self.ids = from.take_u64("seen-ids")?;
            if self.ids.len() != len {
                return Err(from.bad("seen-ids", format!("{} ids of {len} rows", self.ids.len())));
            }
            let known = self.ids.iter().enumerate().filter(|(_, id)| **id != NO_ID);
            self.places = known.map(|(place, id)| (*id, place)).collect();
        } else {
            // phi(0), where w began, is no row that came
            let known = self.rows.rows().enumerate();
            let known = known.skip(usize::from(self.origin.is_some()));
            self.places = known.map(|(place, row)| (hash(row), place)).collect();
        }
        Ok(())
    }

    fn save<'a>(&self, state: &'a Optimum, out: &mut State<'a>) {
        let places = state.active.places.iter().map(|p| *p as u64);
        out.put_f32("labels", &state.labels[..]);
        out.put_u64("active", places.collect::<Vec<_>>());
        out.put_f64("active-weights", &state.active.u[..]);
        out.put_f64("active-factor", &state.active.factor[..]);
        out.put_u64("refused", vec![state.refused]);
    }

    fn load(&self, planes: &P, from: &mut State<'static>) -> Result<Optimum, StateError> {
        let labels = from.take_f32("labels")?;
        if labels.len() != self.rows.len() || self.rows.slots() > planes.slots() {
            return Err(from.bad("labels", "not those of the rows seen"));
        }
        let wait = labels.iter().map(|y| if *y == 0.0 { NEVER } else { 0.0 });
        let (mut places, mut until): (_, Vec<f64>) = (Vec::new(), wait.collect());
        for place in from.take_u64("active")? {
            let place = usize::try_from(place).unwrap_or(usize::MAX);
            match until.get_mut(place).filter(|until| **until < NEVER) {
                Some(until) => *until = NEVER,
                None => return Err(from.bad("active", "not rows that were learned from")),
            }
            places.push(place);
        }
        let u = from.take_vector("active-weights", places.len())?;
        let len = linalg::triangle_len(places.len()) as usize;
        let factor = from.take_vector("active-factor", len)?;
        let [refused] = from.take_counts("refused")?;
        let norm_sq = |place: &usize| {
            planes.norm_sq_of(self.rows.row(*place)) + self.goal_and_noise(*place).1
        };
        let norms_sq = places.iter().map(norm_sq).collect();
        let goals = places.iter().map(|place| self.goal_and_noise(*place).0);
        let active = Active {
            goals: goals.collect(),
            places,
            u,
            norms_sq,
            factor,
        };
        Ok(Optimum {
            labels,
            active,
            watch: Watch {
                until,
                ..Watch::default()
            },
            refused,
        })
    }
}

impl Memory for MaxMargin {
    fn shared_bytes(&self, _slots: usize) -> u128 {
        self.rows.bytes() + self.blocks.bytes() + 48 * self.rows.len() as u128
    }

    fn keeps(&self) -> &'static str {
        "it keeps every row it sees"
    }

    fn remedy(&self) -> Remedy {
        Remedy::or_memory("use romma:aggressive, which keeps none")
    }
}
