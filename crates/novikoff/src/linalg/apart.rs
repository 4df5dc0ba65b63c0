//! The inverse `S` of `I + sum of x x'/a` over sparse rows x, where most features never meet each other in a row.
//!
//! The features are parted in two: those that stand apart, at most one of them in any row, and the joined ones. Then the matrix is
//!
//! ```text
//! D  B      D: diagonal, of the features apart;  B: sparse, where those met the joined ones
//! B' C      C: of the joined features
//! ```
//!
//! and with `M = C - B'D^-1 B` and `q = x_joined - B'D^-1 x_apart`
//!
//! ```text
//! (S x)_joined = M^-1 q,   (S x)_apart = D^-1 (x_apart - B (S x)_joined),   x'S x = x_apart' D^-1 x_apart + q'M^-1 q.
//! ```
//!
//! A row that has one feature apart, with value v, d in D and b in B, changes M by `q q'/(a + v^2/d)`, so `M^-1` loses a square as S
//! does: the numbers are exact in the sense in which those of S are. Only `M^-1` has a number for each pair. A column of thousands
//! of categories has most of its features apart.

use super::Downdated;

/// The place of a slot that no row had.
const UNMET: u32 = u32::MAX;

/// Added to places among the features apart.
const APART: u32 = 1 << 31;

/// S.
#[derive(Clone, Debug, Default)]
pub(crate) struct ApartInverse {
    /// Where each slot is: its place among the joined ones, or that among those apart and [`APART`], or [`UNMET`].
    places: Vec<u32>,
    /// The joined slots, in the order of their places.
    joined: Vec<u32>,
    /// `M^-1`, by places.
    inverse: Downdated,
    apart: Vec<Apart>,
}

/// A feature apart.
#[derive(Clone, Debug, Default)]
struct Apart {
    slot: u32,
    /// How many rows had it.
    rows: u32,
    /// Its number in D.
    diagonal: f64,
    /// Its row of B: places, increasing, and values.
    with: Vec<(u32, f64)>,
}

/// Which features of some rows stand apart: the parts of an [`ApartInverse`] before it has any numbers.
#[derive(Debug)]
pub(crate) struct Parting {
    /// One more than the highest slot.
    slots: usize,
    joined: Vec<u32>,
    apart: Vec<u32>,
}

/// What a row becomes: q, and how much of `x'S x` the features apart have.
struct Reduced {
    q: Vec<(u32, f64)>,
    alone: f64,
}

/// The numbers of an [`ApartInverse`], to be kept.
#[derive(Clone, Debug, Default)]
pub(crate) struct ApartParts {
    /// The joined slots.
    pub(crate) joined: Vec<u32>,
    /// The slots apart, and how many rows had each, one after the other.
    pub(crate) apart: Vec<u32>,
    /// D.
    pub(crate) diagonals: Vec<f64>,
    /// Where each row of B ends, its places and its values.
    pub(crate) ends: Vec<u64>,
    pub(crate) with: Vec<u32>,
    pub(crate) values: Vec<f64>,
}

/// Adds `by` times `more` to sorted numbers.
fn add(sum: &mut Vec<(u32, f64)>, by: f64, more: &[(u32, f64)]) {
    let mut merged = Vec::with_capacity(sum.len() + more.len());
    let (mut left, mut right) = (sum.iter().peekable(), more.iter().peekable());
    while let (Some(&&(i, a)), Some(&&(j, b))) = (left.peek(), right.peek()) {
        if i <= j {
            left.next();
        }
        if j <= i {
            right.next();
        }
        let a = if i <= j { a } else { 0.0 };
        let b = if j <= i { by * b } else { 0.0 };
        merged.push((i.min(j), a + b));
    }
    merged.extend(left);
    merged.extend(right.map(|&(j, b)| (j, by * b)));
    *sum = merged;
}

impl Parting {
    /// The parts that leave most features of `rows` apart: those that were met least often first. Rows are the slots of their values.
    ///
    /// Cost: O(all rows' values).
    pub(crate) fn of<'r>(rows: impl Iterator<Item = &'r [u32]> + Clone) -> Self {
        let mut counts: Vec<u32> = Vec::new();
        for row in rows.clone() {
            let slots = row.last().map_or(0, |&slot| slot as usize + 1);
            counts.resize(slots.max(counts.len()), 0);
            for &slot in row {
                counts[slot as usize] += 1;
            }
        }
        // where the rows of each feature are
        let mut starts: Vec<u32> = Vec::with_capacity(counts.len() + 1);
        let mut sum = 0;
        for count in &counts {
            starts.push(sum);
            sum += count;
        }
        starts.push(sum);
        let mut next = starts.clone();
        let mut having = vec![0_u32; sum as usize];
        for (i, row) in rows.clone().enumerate() {
            for &slot in row {
                let at = &mut next[slot as usize];
                having[*at as usize] = i as u32;
                *at += 1;
            }
        }
        let mut order: Vec<u32> = (0..counts.len() as u32)
            .filter(|&slot| counts[slot as usize] > 0)
            .collect();
        order.sort_by_key(|&slot| (counts[slot as usize], u32::MAX - slot));
        let mut taken = vec![false; rows.count()];
        let (mut joined, mut apart) = (Vec::new(), Vec::new());
        for slot in order {
            let j = slot as usize;
            let rows = &having[starts[j] as usize..starts[j + 1] as usize];
            if rows.iter().any(|&i| taken[i as usize]) {
                joined.push(slot);
            } else {
                for &i in rows {
                    taken[i as usize] = true;
                }
                apart.push(slot);
            }
        }
        Parting {
            slots: counts.len(),
            joined,
            apart,
        }
    }

    /// How many features are joined.
    pub(crate) fn joined(&self) -> usize {
        self.joined.len()
    }

    /// Bytes of the numbers of its inverse, of no rows.
    pub(crate) fn bytes(&self) -> u128 {
        let apart = size_of::<Apart>() * self.apart.len();
        Downdated::bytes(self.joined.len()) + (apart + 4 * self.slots) as u128
    }
}

impl ApartInverse {
    /// One more than the highest slot that was met.
    pub(crate) fn slots(&self) -> usize {
        self.places.len()
    }

    /// How many features are joined.
    pub(crate) fn joined(&self) -> usize {
        self.joined.len()
    }

    /// Bytes of all numbers.
    pub(crate) fn bytes(&self) -> u128 {
        let with: usize = self.apart.iter().map(|one| one.with.capacity()).sum();
        let apart = size_of::<Apart>() * self.apart.capacity() + 16 * with;
        Downdated::bytes(self.joined.len()) + (apart + 4 * self.places.len()) as u128
    }

    /// With these parts. The matrix is that of no rows.
    pub(crate) fn parted(parting: &Parting) -> Self {
        let mut new = Self::default();
        new.reach(parting.slots);
        new.inverse.reach(parting.joined.len());
        new.apart.reserve_exact(parting.apart.len());
        for &slot in &parting.joined {
            new.join(slot);
        }
        for &slot in &parting.apart {
            new.put_apart(slot);
        }
        new
    }

    fn reach(&mut self, slots: usize) {
        self.places.resize(slots.max(self.places.len()), UNMET);
    }

    fn put_apart(&mut self, slot: u32) {
        self.places[slot as usize] = self.apart.len() as u32 | APART;
        self.apart.push(Apart {
            slot,
            rows: 0,
            diagonal: 1.0,
            with: Vec::new(),
        });
    }

    /// Joins a slot that was not met, or is apart.
    fn join(&mut self, slot: u32) {
        let place = self.places[slot as usize];
        let new = self.joined.len();
        self.inverse.reach(new + 1);
        if place != UNMET {
            let at = (place & !APART) as usize;
            let Apart { diagonal, with, .. } = self.apart.swap_remove(at);
            if let Some(moved) = self.apart.get(at) {
                self.places[moved.slot as usize] = place;
            }
            // the inverse of a matrix that has one more row and column: the rest of it stays
            let mut column = self.product(&with);
            let inner: f64 = with.iter().map(|&(i, b)| b * column[i as usize]).sum();
            for value in &mut column {
                *value /= -diagonal;
            }
            let own = (1.0 + inner / diagonal) / diagonal;
            self.inverse.put(new, &column[..new], own);
        }
        self.places[slot as usize] = new as u32;
        self.joined.push(slot);
    }

    /// Makes room for a row, of whose features one at most stays apart: the one that was met least often.
    fn meet(&mut self, x: impl Iterator<Item = (usize, f64)> + Clone) {
        self.reach(x.clone().last().map_or(0, |(slot, _)| slot + 1));
        let mut rarest = None;
        let mut others = Vec::new();
        for (slot, _) in x {
            let place = self.places[slot];
            let rows = match place {
                UNMET => 0,
                _ if place & APART != 0 => self.apart[(place & !APART) as usize].rows,
                _ => continue,
            };
            match rarest {
                Some((least, before)) if rows <= least => {
                    others.push(before);
                    rarest = Some((rows, slot as u32));
                }
                Some(_) => others.push(slot as u32),
                None => rarest = Some((rows, slot as u32)),
            }
        }
        for slot in others {
            self.join(slot);
        }
        if let Some((_, slot)) = rarest
            && self.places[slot as usize] == UNMET
        {
            self.put_apart(slot);
        }
    }

    fn reduced(&self, x: impl Iterator<Item = (usize, f64)> + Clone) -> Reduced {
        let mut q = Vec::new();
        let mut alone = 0.0;
        for (slot, value) in x.clone() {
            match self.places.get(slot) {
                None | Some(&UNMET) => alone += value * value,
                Some(&place) if place & APART == 0 => q.push((place, value)),
                Some(_) => {}
            }
        }
        q.sort_unstable_by_key(|&(place, _)| place);
        for (apart, value) in self.apart_of(x) {
            alone += value * value / apart.diagonal;
            add(&mut q, -value / apart.diagonal, &apart.with);
        }
        Reduced { q, alone }
    }

    /// The features apart that a row has, with their values.
    fn apart_of(
        &self,
        x: impl Iterator<Item = (usize, f64)>,
    ) -> impl Iterator<Item = (&Apart, f64)> {
        x.filter_map(|(slot, value)| {
            let place = *self.places.get(slot)?;
            let apart = place != UNMET && place & APART != 0;
            apart.then(|| (&self.apart[(place & !APART) as usize], value))
        })
    }

    /// `M^-1 q`.
    fn product(&self, q: &[(u32, f64)]) -> Vec<f64> {
        if 4 * q.len() > self.inverse.order() {
            let mut all = vec![0.0; self.inverse.order()];
            for &(place, value) in q {
                all[place as usize] = value;
            }
            return self.inverse.apply(&all);
        }
        let places = q.iter().map(|&(place, value)| (place as usize, value));
        self.inverse.times(places)
    }

    /// `S x` from `M^-1 q`, where `out` is x on the features apart.
    fn spread(&self, product: &[f64], out: &mut [f64]) {
        for (&slot, &value) in self.joined.iter().zip(product) {
            out[slot as usize] = value;
        }
        for apart in &self.apart {
            let mut sum = 0.0;
            for &(place, value) in &apart.with {
                sum += value * product[place as usize];
            }
            let out = &mut out[apart.slot as usize];
            *out = (*out - sum) / apart.diagonal;
        }
    }

    /// `S <- S - S x x'S/(a + x'S x)` for the `(slot, value)` pairs of x, slots increasing; gives `S x` before and `a + x'S x`.
    pub(crate) fn shrink(
        &mut self,
        x: impl Iterator<Item = (usize, f64)> + Clone,
        a: f64,
    ) -> (Vec<f64>, f64) {
        self.meet(x.clone());
        let Reduced { q, alone } = self.reduced(x.clone());
        let mut product = self.product(&q);
        let joined: f64 = q.iter().map(|&(i, q)| q * product[i as usize]).sum();
        let whole = a + (alone + joined).max(0.0);
        let mut sx = vec![0.0; self.slots()];
        for (slot, value) in x.clone() {
            sx[slot] = value;
        }
        self.spread(&product, &mut sx);
        let root = whole.sqrt();
        for value in &mut product {
            *value /= root;
        }
        self.inverse.subtract(&product);
        self.note(x, a);
        (sx, whole)
    }

    /// Adds a row to D and B.
    fn note(&mut self, x: impl Iterator<Item = (usize, f64)> + Clone, a: f64) {
        let is_apart = |place: u32| place & APART != 0;
        let alone = x.clone().find(|&(slot, _)| is_apart(self.places[slot]));
        let Some((slot, value)) = alone else {
            return;
        };
        let mut joined: Vec<(u32, f64)> = x
            .map(|(slot, value)| (self.places[slot], value))
            .filter(|&(place, _)| !is_apart(place))
            .collect();
        joined.sort_unstable_by_key(|&(place, _)| place);
        let apart = &mut self.apart[(self.places[slot] & !APART) as usize];
        apart.rows += 1;
        apart.diagonal += value * value / a;
        add(&mut apart.with, value / a, &joined);
    }

    /// `S p`, for as many numbers as it has slots.
    pub(crate) fn apply(&self, p: &[f64]) -> Vec<f64> {
        let mut q = vec![0.0; self.inverse.order()];
        for (&slot, q) in self.joined.iter().zip(&mut q) {
            *q = p[slot as usize];
        }
        for apart in &self.apart {
            let by = p[apart.slot as usize] / apart.diagonal;
            for &(place, value) in &apart.with {
                q[place as usize] -= by * value;
            }
        }
        let mut out = p.to_vec();
        self.spread(&self.inverse.apply(&q), &mut out);
        out
    }

    /// `x'S x` for the `(slot, value)` pairs of x; S is the identity where nothing was met.
    pub(crate) fn square(&self, x: impl Iterator<Item = (usize, f64)> + Clone) -> f64 {
        let Reduced { q, alone } = self.reduced(x);
        if 4 * q.len() > self.inverse.order() {
            let product = self.product(&q);
            return alone + q.iter().map(|&(i, q)| q * product[i as usize]).sum::<f64>();
        }
        let places = q.iter().map(|&(place, value)| (place as usize, value));
        alone + self.inverse.square(places)
    }

    /// `M^-1`.
    pub(crate) fn inverse(&self) -> &Downdated {
        &self.inverse
    }

    /// Its other numbers, to be kept.
    pub(crate) fn parts(&self) -> ApartParts {
        let mut parts = ApartParts {
            joined: self.joined.clone(),
            ..ApartParts::default()
        };
        for one in &self.apart {
            parts.apart.extend([one.slot, one.rows]);
            parts.diagonals.push(one.diagonal);
            parts.with.extend(one.with.iter().map(|&(place, _)| place));
            parts
                .values
                .extend(one.with.iter().map(|&(_, value)| value));
            parts.ends.push(parts.with.len() as u64);
        }
        parts
    }

    /// The inverse of these numbers, if they fit together. No joined slots means all that `M^-1` has room for, in order.
    pub(crate) fn of_parts(inverse: Downdated, parts: ApartParts) -> Option<Self> {
        let mut joined = parts.joined;
        if joined.is_empty() && parts.apart.is_empty() {
            joined = (0..inverse.order() as u32).collect();
        }
        let (slots, rest) = parts.apart.as_chunks::<2>();
        let whole = rest.is_empty()
            && joined.len().next_multiple_of(Downdated::GRAIN) == inverse.order()
            && slots.len() == parts.diagonals.len()
            && slots.len() == parts.ends.len()
            && parts.with.len() == parts.values.len()
            && parts.ends.last().copied().unwrap_or(0) == parts.with.len() as u64
            && parts.ends.is_sorted()
            && parts.diagonals.iter().all(|&d| d >= 1.0);
        if !whole {
            return None;
        }
        let mut new = ApartInverse {
            joined,
            inverse,
            ..Self::default()
        };
        let mut start = 0;
        for ((&[slot, rows], &end), &diagonal) in
            slots.iter().zip(&parts.ends).zip(&parts.diagonals)
        {
            let range = start..end as usize;
            let (places, values) = (&parts.with[range.clone()], &parts.values[range]);
            let within = places
                .last()
                .is_none_or(|&last| (last as usize) < new.joined.len());
            if !within || !places.is_sorted_by(|a, b| a < b) {
                return None;
            }
            new.apart.push(Apart {
                slot,
                rows,
                diagonal,
                with: places.iter().copied().zip(values.iter().copied()).collect(),
            });
            start = end as usize;
        }
        let all = new.joined.iter().chain(slots.iter().map(|[slot, _]| slot));
        let last = all.clone().max().copied();
        if last.is_some_and(|last| last >= APART) {
            return None;
        }
        let mut places = vec![UNMET; last.map_or(0, |last| last as usize + 1)];
        let of_joined = 0..new.joined.len() as u32;
        let of_apart = (0..slots.len() as u32).map(|place| place | APART);
        for (&slot, place) in all.zip(of_joined.chain(of_apart)) {
            if std::mem::replace(&mut places[slot as usize], place) != UNMET {
                return None;
            }
        }
        new.places = places;
        Some(new)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::SplitMix64;

    const A: f64 = 0.7;

    /// The whole matrix, by the formula.
    fn plain_shrink(s: &mut [Vec<f64>], x: &[(usize, f64)]) -> (Vec<f64>, f64) {
        let sx: Vec<f64> = s
            .iter()
            .map(|row| x.iter().map(|&(j, v)| row[j] * v).sum())
            .collect();
        let whole = A + x.iter().map(|&(j, v)| sx[j] * v).sum::<f64>();
        for (i, row) in s.iter_mut().enumerate() {
            for (j, s) in row.iter_mut().enumerate() {
                *s -= sx[i] * sx[j] / whole;
            }
        }
        (sx, whole)
    }

    /// Rows of a table of categories, and now and then rows that have any features.
    fn rows(seed: u64, count: usize) -> Vec<Vec<(usize, f64)>> {
        let mut random = SplitMix64::new(seed);
        let columns = [3, 9, 40];
        (0..count)
            .map(|t| {
                let any = match t {
                    250.. if t % 7 == 6 => 30,
                    _ if t % 29 == 28 => 4,
                    _ => 0,
                };
                let mut slots: Vec<usize> = if any > 0 {
                    (0..any).map(|_| random.below(60)).collect()
                } else {
                    let firsts = [0, 3, 12];
                    let level = |(first, levels)| first + random.below(levels);
                    firsts.into_iter().zip(columns).map(level).collect()
                };
                slots.sort_unstable();
                slots.dedup();
                let value = |slot| (slot, random.uniform() * 2.0 - 0.6);
                slots.into_iter().map(value).collect()
            })
            .collect()
    }

    #[test]
    fn it_is_the_whole_inverse() {
        let width = 60;
        for (seed, known) in [(1, 0), (2, 40), (3, 150)] {
            let rows = rows(seed, 300);
            let slots: Vec<Vec<u32>> = rows[..known]
                .iter()
                .map(|row| row.iter().map(|&(slot, _)| slot as u32).collect())
                .collect();
            let mut s = ApartInverse::parted(&Parting::of(slots.iter().map(Vec::as_slice)));
            let mut plain = vec![vec![0.0; width]; width];
            for (i, row) in plain.iter_mut().enumerate() {
                row[i] = 1.0;
            }
            let mut most_apart = 0;
            for (t, row) in rows.iter().enumerate() {
                let square: f64 = row
                    .iter()
                    .flat_map(|&(i, v)| row.iter().map(move |&(j, u)| (i, j, u * v)))
                    .map(|(i, j, uv)| plain[i][j] * uv)
                    .sum();
                assert!(
                    (s.square(row.iter().copied()) - square).abs() < 1e-11,
                    "{t}"
                );
                let (want, want_whole) = plain_shrink(&mut plain, row);
                let (sx, whole) = s.shrink(row.iter().copied(), A);
                assert!((whole - want_whole).abs() < 1e-11, "{t}");
                for (j, sx) in sx.iter().enumerate() {
                    assert!((sx - want[j]).abs() < 1e-11, "{t}, {j}");
                }
                let apart = |&&(slot, _): &&(usize, f64)| s.places[slot] & APART != 0;
                assert!(row.iter().filter(apart).count() <= 1);
                most_apart = most_apart.max(s.apart.len());
                let p: Vec<f64> = (0..s.slots()).map(|j| (j % 5) as f64 - 1.5).collect();
                for (i, got) in s.apply(&p).into_iter().enumerate() {
                    let want: f64 = p.iter().zip(&plain[i]).map(|(p, s)| p * s).sum();
                    assert!((got - want).abs() < 1e-10, "{t}, {i}");
                }
                let parts = s.parts();
                let (tiles, queue, waiting) = s.inverse().parts();
                let inverse = Downdated::of_parts(tiles.to_vec(), queue.to_vec(), waiting);
                let again = ApartInverse::of_parts(inverse.expect("whole"), parts);
                let again = again.expect("fits").clone().apply(&p);
                assert_eq!(again, s.apply(&p));
            }
            assert!(most_apart > 10, "{most_apart}");
            assert!(s.joined() + s.apart.len() <= width);
        }
    }

    #[test]
    fn a_column_of_categories_stands_apart() {
        let rows: Vec<Vec<u32>> = (0..400).map(|t| vec![t % 4, 4 + t % 100]).collect();
        let parting = Parting::of(rows.iter().map(Vec::as_slice));
        assert_eq!((parting.joined(), parting.apart.len()), (4, 100));
        let s = ApartInverse::parted(&parting);
        assert_eq!((s.joined(), s.apart.len()), (4, 100));
        assert_eq!(parting.bytes(), s.bytes());
    }

    #[test]
    fn numbers_that_do_not_fit_are_no_inverse() {
        let inverse = || {
            let mut inverse = Downdated::default();
            inverse.reach(1);
            inverse
        };
        let sound = ApartParts {
            joined: vec![5],
            apart: vec![2, 1, 7, 3],
            diagonals: vec![1.5, 2.0],
            ends: vec![1, 1],
            with: vec![0],
            values: vec![0.3],
        };
        assert!(ApartInverse::of_parts(inverse(), sound.clone()).is_some());
        let broken: [fn(&mut ApartParts); 9] = [
            |parts| parts.joined.push(5),
            |parts| parts.joined = (0..9).collect(),
            |parts| parts.apart[0] = 5,
            |parts| parts.apart[0] = u32::MAX,
            |parts| parts.apart.push(1),
            |parts| parts.diagonals[0] = 0.0,
            |parts| parts.ends = vec![1, 0],
            |parts| parts.with[0] = 1,
            |parts| parts.values.push(1.0),
        ];
        for (case, broken) in broken.iter().enumerate() {
            let mut parts = sound.clone();
            broken(&mut parts);
            assert!(ApartInverse::of_parts(inverse(), parts).is_none(), "{case}");
        }
    }
}
