//! Rows: instances borrowed from wherever they are stored.
//!
//! Feature `j` (counted from 1, as svmlight does) lives in **slot** `j` of every weight vector; slot 0
//! is the constant feature ("bias"). A row is a list of slots and `f32` values times one `f64` scale,
//! so that normalising a row copies nothing. Slots past the end of a weight vector count as zero, so
//! streams may grow. All sums are `f64`.

mod simd;

use std::iter::zip;

use crate::simd::{Products, Sum};

/// One instance, borrowed. Slots strictly increase.
///
/// ```
/// use novikoff::Row;
///
/// let dense = Row::dense(&[0.5, 0.0, 2.0]); // features 1, 2 and 3
/// let sparse = Row::sparse(&[1, 3], &[0.5, 2.0]);
/// assert_eq!(dense.inner(&sparse), 4.25);
/// assert_eq!(sparse.scaled(2.0).norm(1.0), 5.0);
/// // the constant feature is slot 0
/// assert_eq!(Row::run(0, &[1.0, 0.5]).constant(), Some(1.0));
/// ```
#[derive(Clone, Copy, Debug)]
pub struct Row<'a> {
    values: Values<'a>,
    scale: f64,
}

#[derive(Clone, Copy, Debug)]
enum Values<'a> {
    /// Adjacent slots, starting at `first`.
    Run {
        first: u32,
        value: &'a [f32],
    },
    Sparse {
        index: &'a [u32],
        value: &'a [f32],
    },
}

/// How many partial sums a dot product keeps: element `i` goes to sum `i % LANES`, on every machine.
const LANES: usize = 8;

fn add_lanes(s: [f64; LANES]) -> f64 {
    ((s[0] + s[4]) + (s[2] + s[6])) + ((s[1] + s[5]) + (s[3] + s[7]))
}

/// `w . x` of a row that is not stored as rows are: the constant feature in slot 0 if it has one, then values and their slots, which lie inside of `w`.
/// It is what [`Row::dot`] says, to the bit.
#[doc(hidden)] // for doors that have arrays
#[inline]
pub fn dot_of_arrays<V: Copy, J: Copy>(
    constant: Option<f32>,
    (value, single): (&[V], impl Fn(V) -> f32),
    (index, slot): (&[J], impl Fn(J) -> u32),
    w: &[f64],
) -> f64 {
    let product = |v: V, j: J| f64::from(single(v)) * w[slot(j) as usize];
    let mut sums = [0.0; LANES];
    // the constant feature is the first value, so that all others move by one sum
    let mut moved = 0;
    if let Some(constant) = constant {
        sums[0] += f64::from(constant) * w[0];
        moved = value.len().min(LANES - 1);
    }
    let ((head, value), (j_head, index)) = (value.split_at(moved), index.split_at(moved));
    for (sum, (&v, &j)) in zip(&mut sums[1..], zip(head, j_head)) {
        *sum += product(v, j);
    }
    let (blocks, rest) = value.as_chunks::<LANES>();
    let (j_blocks, j_rest) = index.as_chunks::<LANES>();
    for (v, j) in zip(blocks, j_blocks) {
        for l in 0..LANES {
            sums[l] += product(v[l], j[l]);
        }
    }
    for (sum, (&v, &j)) in zip(&mut sums, zip(rest, j_rest)) {
        *sum += product(v, j);
    }
    add_lanes(sums)
}

/// `sums + value line`.
#[inline(always)]
fn add_line<S: Sum, const N: usize>(
    products: Products,
    sums: &mut [S; N],
    value: f32,
    line: &[f32; N],
) {
    for (sum, &other) in zip(sums, line) {
        *sum = products.add(*sum, value, other);
    }
}

impl<'a> Row<'a> {
    /// The row without values.
    pub const EMPTY: Row<'static> = Row {
        values: Values::Sparse {
            index: &[],
            value: &[],
        },
        scale: 1.0,
    };

    /// A sparse row; `index` holds strictly increasing slots, one for each value.
    ///
    /// Debug builds panic if the slots do not strictly increase, or are not as many as the values. Other builds do not look, for this is
    /// done for every row of a run: such a row has wrong sums, or panics later. [`Rows::push_any`](crate::Rows::push_any) takes slots in
    /// any order.
    pub fn sparse(index: &'a [u32], value: &'a [f32]) -> Self {
        debug_assert_eq!(index.len(), value.len());
        debug_assert!(
            index.is_sorted_by(|a, b| a < b),
            "slots must strictly increase"
        );
        // the end of a row is far from its beginning in memory: it is read only where the beginning is that of a run
        let adjacent = match *index {
            [] => false,
            [_] => true,
            [first, second, ..] => {
                second.wrapping_sub(first) == 1
                    && (index[index.len() - 1] - first) as usize + 1 == index.len()
            }
        };
        let values = if adjacent {
            Values::Run {
                first: index[0],
                value,
            }
        } else {
            Values::Sparse { index, value }
        };
        Row { values, scale: 1.0 }
    }

    /// Features 1, 2, ... in order.
    pub fn dense(value: &'a [f32]) -> Self {
        Self::run(1, value)
    }

    /// Adjacent slots, starting at `first`.
    pub fn run(first: u32, value: &'a [f32]) -> Self {
        Row {
            values: Values::Run { first, value },
            scale: 1.0,
        }
    }

    /// The row times `c`.
    #[must_use]
    pub fn scaled(self, c: f64) -> Self {
        Row {
            scale: self.scale * c,
            ..self
        }
    }

    /// The value in slot 0, if there is one: the constant feature.
    pub fn constant(&self) -> Option<f32> {
        let first = match self.values {
            Values::Run { first, .. } => Some(first),
            Values::Sparse { index, .. } => index.first().copied(),
        };
        self.value().first().copied().filter(|_| first == Some(0))
    }

    /// The row without slot 0.
    #[must_use]
    #[doc(hidden)] // for learners and readers
    pub fn without_constant(self) -> Self {
        let values = match self.values {
            _ if self.constant().is_none() => self.values,
            Values::Run { first, value } => Values::Run {
                first: first + 1,
                value: &value[1..],
            },
            Values::Sparse { index, value } => Values::Sparse {
                index: &index[1..],
                value: &value[1..],
            },
        };
        Row { values, ..self }
    }

    /// The row with another value in slot 0, which it must have; kept in `buffer`.
    #[must_use]
    #[doc(hidden)] // for learners and readers
    pub fn with_constant<'b>(self, constant: f32, buffer: &'b mut Vec<f32>) -> Row<'b>
    where
        'a: 'b,
    {
        buffer.clear();
        buffer.extend_from_slice(self.value());
        if let Some(first) = buffer.first_mut() {
            *first = constant;
        }
        let values = match self.values {
            Values::Run { first, .. } => Values::Run {
                first,
                value: buffer,
            },
            Values::Sparse { index, .. } => Values::Sparse {
                index,
                value: buffer,
            },
        };
        Row {
            values,
            scale: self.scale,
        }
    }

    /// The row with a value in slot 0, which it must not have; kept in `index` and `value`.
    #[must_use]
    pub(crate) fn with_new_constant<'b>(
        self,
        constant: f32,
        index: &'b mut Vec<u32>,
        value: &'b mut Vec<f32>,
    ) -> Row<'b> {
        index.clear();
        value.clear();
        value.push(constant);
        if self.scale == 1.0 {
            value.extend_from_slice(self.value());
        } else {
            // the constant feature is not scaled with the others
            value.extend(self.iter().map(|(_, v)| v as f32));
        }
        if let Values::Run { first: 1, .. } = self.values {
            return Row::run(0, value);
        }
        index.push(0);
        index.extend(self.iter().map(|(slot, _)| slot as u32));
        Row::sparse(index, value)
    }

    fn value(&self) -> &'a [f32] {
        match self.values {
            Values::Run { value, .. } | Values::Sparse { value, .. } => value,
        }
    }

    /// How many values are stored.
    pub fn len(&self) -> usize {
        self.value().len()
    }

    /// True if no value is stored.
    pub fn is_empty(&self) -> bool {
        self.value().is_empty()
    }

    /// True if every value is zero.
    pub fn is_zero(&self) -> bool {
        self.value().iter().all(|&v| v == 0.0)
    }

    /// The highest slot present.
    pub fn last_slot(&self) -> Option<u32> {
        match self.values {
            Values::Run { first, value } => {
                (!value.is_empty()).then(|| first + value.len() as u32 - 1)
            }
            Values::Sparse { index, .. } => index.last().copied(),
        }
    }

    /// Slots and (scaled) values, in order.
    pub fn iter(&self) -> impl Iterator<Item = (usize, f64)> + Clone + use<'a> {
        let scale = self.scale;
        let (first, index, value) = match self.values {
            Values::Run { first, value } => (first as usize, &[][..], value),
            Values::Sparse { index, value } => (0, index, value),
        };
        value.iter().enumerate().map(move |(i, &v)| {
            let slot = index.get(i).map_or(first + i, |&j| j as usize);
            (slot, scale * f64::from(v))
        })
    }

    /// How many values are not zero, and the last slot of such a value (0 if there is none); none of a row whose values are not all finite.
    pub(crate) fn extent(&self) -> Option<(usize, usize)> {
        let (mut nnz, mut is_finite) = (0, true);
        for &value in self.value() {
            let value = self.scale * f64::from(value);
            nnz += usize::from(value != 0.0);
            is_finite &= value.is_finite();
        }
        let place = self
            .value()
            .iter()
            .rposition(|&v| self.scale * f64::from(v) != 0.0);
        let last = place.map_or(0, |place| match self.values {
            Values::Run { first, .. } => first as usize + place,
            Values::Sparse { index, .. } => index[place] as usize,
        });
        is_finite.then_some((nnz, last))
    }

    /// The part of the row before slot `slots`.
    #[must_use]
    #[doc(hidden)] // for learners and readers
    pub fn before(self, slots: usize) -> Self {
        Row {
            values: Self::within(self.values, slots),
            scale: self.scale,
        }
    }

    /// The scale, and the slots and values as stored.
    #[doc(hidden)] // for learners and readers
    pub fn stored(&self) -> (f64, impl Iterator<Item = (u32, f32)> + use<'a>) {
        let slots = Row {
            scale: 1.0,
            ..*self
        }
        .iter()
        .map(|(j, _)| j as u32);
        (self.scale, zip(slots, self.value().iter().copied()))
    }

    /// The slot and the value as stored in a place, counted from 0, that is less than [`len`](Self::len).
    pub(crate) fn stored_at(&self, place: usize) -> (u32, f32) {
        match self.values {
            Values::Run { first, value } => (first + place as u32, value[place]),
            Values::Sparse { index, value } => (index[place], value[place]),
        }
    }

    /// Sums over all slots, and over the bits of all values, which change with each of them: two cheap parts of a fingerprint.
    pub(crate) fn sums(&self) -> (u32, u32) {
        let add = |sum: u32, n: u32| sum.wrapping_add(n ^ (n << 11));
        let values = self.value().iter().fold(0, |sum, v| add(sum, v.to_bits()));
        let slots = match self.values {
            Values::Run { first, .. } => first,
            Values::Sparse { index, .. } => index.iter().fold(0, |sum, &j| add(sum, j)),
        };
        (slots, values)
    }

    /// The part of the row that lies inside a vector of length `len`.
    fn within(values: Values<'a>, len: usize) -> Values<'a> {
        match values {
            Values::Run { first, value } => {
                let room = len.saturating_sub(first as usize).min(value.len());
                Values::Run {
                    first,
                    value: &value[..room],
                }
            }
            Values::Sparse { index, value } => match index.last() {
                Some(&last) if last as usize >= len => {
                    let room = index.partition_point(|&j| (j as usize) < len);
                    Values::Sparse {
                        index: &index[..room],
                        value: &value[..room],
                    }
                }
                _ => Values::Sparse { index, value },
            },
        }
    }

    /// `w . x`, in eight fixed partial sums.
    pub fn dot(&self, w: &[f64]) -> f64 {
        let mut sums = [0.0; LANES];
        match Self::within(self.values, w.len()) {
            Values::Run { value: [], .. } => {}
            Values::Run { first, value } => {
                let w = &w[first as usize..first as usize + value.len()];
                let (blocks, rest) = value.as_chunks::<LANES>();
                let (w_blocks, w_rest) = w.as_chunks::<LANES>();
                for (v, w) in zip(blocks, w_blocks) {
                    for l in 0..LANES {
                        sums[l] += f64::from(v[l]) * w[l];
                    }
                }
                for (l, (&v, &w)) in zip(rest, w_rest).enumerate() {
                    sums[l] += f64::from(v) * w;
                }
            }
            Values::Sparse { index, value } => {
                let (blocks, rest) = value.as_chunks::<LANES>();
                let (j_blocks, j_rest) = index.as_chunks::<LANES>();
                for (v, j) in zip(blocks, j_blocks) {
                    for l in 0..LANES {
                        sums[l] += f64::from(v[l]) * w[j[l] as usize];
                    }
                }
                for (l, (&v, &j)) in zip(rest, j_rest).enumerate() {
                    sums[l] += f64::from(v) * w[j as usize];
                }
            }
        }
        self.scale * add_lanes(sums)
    }

    /// `w . x` with the sum of the sizes of its products, each in eight fixed partial sums.
    #[cfg_attr(not(feature = "linalg"), allow(dead_code))] // certificates ask
    pub(crate) fn dot_and_size(&self, w: &[f64]) -> (f64, f64) {
        let (mut sums, mut sizes) = ([0.0; LANES], [0.0; LANES]);
        let mut add = |l: usize, v: f32, w: f64| {
            let product = f64::from(v) * w;
            sums[l] += product;
            sizes[l] += product.abs();
        };
        match Self::within(self.values, w.len()) {
            Values::Run { value: [], .. } => {}
            Values::Run { first, value } => {
                for (blocks, w) in zip(value.chunks(LANES), w[first as usize..].chunks(LANES)) {
                    for (l, (&v, &w)) in zip(blocks, w).enumerate() {
                        add(l, v, w);
                    }
                }
            }
            Values::Sparse { index, value } => {
                let (blocks, rest) = value.as_chunks::<LANES>();
                let (j_blocks, j_rest) = index.as_chunks::<LANES>();
                for (v, j) in zip(blocks, j_blocks) {
                    for l in 0..LANES {
                        add(l, v[l], w[j[l] as usize]);
                    }
                }
                for (l, (&v, &j)) in zip(rest, j_rest).enumerate() {
                    add(l, v, w[j as usize]);
                }
            }
        }
        let (sum, size) = (add_lanes(sums), add_lanes(sizes));
        (self.scale * sum, self.scale.abs() * size)
    }

    /// Dot products with several vectors stored side by side: slot `j` of vector `k` is
    /// `w[j * stride + k]`. Each sum runs in the order of the row, whatever the number of vectors.
    #[doc(hidden)] // for learners and readers
    pub fn dots(&self, w: &[f64], stride: usize, out: &mut [f64]) {
        debug_assert!(out.len() <= stride);
        let slots = w.len() / stride;
        let values = Self::within(self.values, slots);
        simd::dots(values, w, stride, out);
        for o in out {
            *o *= self.scale;
        }
    }

    /// `w . x` of several vectors of one length in one visit of the values, which all rows share: they differ in scale only. Each is what
    /// [`dot`](Self::dot) says, to the bit.
    pub(crate) fn dot_each<const N: usize>(rows: [Row<'_>; N], w: [&[f64]; N]) -> [f64; N] {
        let [first, ..] = &rows[..] else {
            return [0.0; N];
        };
        debug_assert!(rows.iter().all(|row| row.shares_values(first)));
        let sums = simd::dot_each(Row::within(first.values, w[0].len()), w);
        std::array::from_fn(|n| rows[n].scale * add_lanes(sums[n]))
    }

    /// [`dots`](Self::dots) with several sets of vectors of one size in one visit of the values, which all rows share. The sums of set `n`
    /// begin at `out[at[n]]`.
    pub(crate) fn dots_each<const N: usize>(
        rows: [Row<'_>; N],
        w: [&[f64]; N],
        (stride, lanes): (usize, usize),
        (at, out): ([usize; N], &mut [f64]),
    ) {
        let [first, ..] = &rows[..] else { return };
        debug_assert!(rows.iter().all(|row| row.shares_values(first)) && lanes <= stride);
        let values = Row::within(first.values, w[0].len() / stride);
        simd::dots_each(values, w, (stride, lanes), (at, out));
        for (row, at) in zip(rows, at) {
            for o in &mut out[at..at + lanes] {
                *o *= row.scale;
            }
        }
    }

    /// Whether two rows are the same slots and values in memory, times what may differ.
    fn shares_values(&self, other: &Row<'_>) -> bool {
        std::ptr::eq(self.value(), other.value())
    }

    /// Sums of the row's values, without its scale, times the lines of their slots, in the order of the row: of every `CHAINS`-th value, and
    /// these sums together. One chain is the plain sum; more do not wait for each other, for sums that are exact in any order.
    #[inline(always)]
    pub(crate) fn lines<'l, S: Sum, const N: usize, const CHAINS: usize>(
        &self,
        products: Products,
        line: impl Fn(u32) -> &'l [f32; N],
    ) -> [S; N] {
        let mut sums = [[S::default(); N]; CHAINS];
        match self.values {
            Values::Run { first, value } => {
                let (values, rest) = value.as_chunks::<CHAINS>();
                let mut slot = first;
                for values in values {
                    for l in 0..CHAINS {
                        add_line(products, &mut sums[l], values[l], line(slot + l as u32));
                    }
                    slot = slot.wrapping_add(CHAINS as u32);
                }
                for (slot, &value) in (slot..).zip(rest) {
                    add_line(products, &mut sums[0], value, line(slot));
                }
            }
            Values::Sparse { index, value } => {
                let (slots, slots_left) = index.as_chunks::<CHAINS>();
                let (values, rest) = value.as_chunks::<CHAINS>();
                for (slots, values) in zip(slots, values) {
                    for l in 0..CHAINS {
                        add_line(products, &mut sums[l], values[l], line(slots[l]));
                    }
                }
                for (&slot, &value) in zip(slots_left, rest) {
                    add_line(products, &mut sums[0], value, line(slot));
                }
            }
        }
        let (all, others) = sums.split_at_mut(1);
        for other in others {
            for (sum, other) in zip(&mut all[0], other) {
                *sum = *sum + *other;
            }
        }
        sums[0]
    }

    /// `w <- w + c x`; `w` must reach the row's last slot.
    pub fn add_to(&self, c: f64, w: &mut [f64]) {
        let c = c * self.scale;
        match self.values {
            Values::Run { value: [], .. } => {}
            Values::Run { first, value } => {
                for (w, &v) in zip(&mut w[first as usize..], value) {
                    *w += c * f64::from(v);
                }
            }
            Values::Sparse { index, value } => {
                for (&j, &v) in zip(index, value) {
                    w[j as usize] += c * f64::from(v);
                }
            }
        }
    }

    /// `add_to` for vector `k` of several stored side by side.
    #[doc(hidden)] // for learners and readers
    pub fn add_to_lane(&self, c: f64, w: &mut [f64], stride: usize, k: usize) {
        let c = c * self.scale;
        match self.values {
            Values::Run { value: [], .. } => {}
            Values::Run { first, value } => {
                let w = w[first as usize * stride + k..].iter_mut().step_by(stride);
                for (w, &v) in zip(w, value) {
                    *w += c * f64::from(v);
                }
            }
            Values::Sparse { index, value } => {
                for (&j, &v) in zip(index, value) {
                    w[j as usize * stride + k] += c * f64::from(v);
                }
            }
        }
    }

    /// The inner product of two rows.
    pub fn inner(&self, other: &Row<'_>) -> f64 {
        let mut sum = 0.0;
        let (mut a, mut b) = (self.iter().peekable(), other.iter().peekable());
        while let (Some(&(i, u)), Some(&(j, v))) = (a.peek(), b.peek()) {
            match i.cmp(&j) {
                std::cmp::Ordering::Less => drop(a.next()),
                std::cmp::Ordering::Greater => drop(b.next()),
                std::cmp::Ordering::Equal => {
                    sum += u * v;
                    a.next();
                    b.next();
                }
            }
        }
        sum
    }

    /// `|x|^2`.
    pub fn norm_sq(&self) -> f64 {
        let mut sums = [0.0; LANES];
        let (blocks, rest) = self.value().as_chunks::<LANES>();
        for v in blocks {
            for l in 0..LANES {
                sums[l] += f64::from(v[l]) * f64::from(v[l]);
            }
        }
        for (l, &v) in rest.iter().enumerate() {
            sums[l] += f64::from(v) * f64::from(v);
        }
        self.scale * self.scale * add_lanes(sums)
    }

    /// The largest magnitude.
    pub fn norm_inf(&self) -> f64 {
        let top = self.value().iter().fold(0.0_f32, |m, v| m.max(v.abs()));
        self.scale.abs() * f64::from(top)
    }

    /// The p-norm, `p >= 1` (`f64::INFINITY` allowed); safe from overflow and underflow.
    pub fn norm(&self, p: f64) -> f64 {
        if p == 2.0 {
            return self.norm_sq().sqrt();
        }
        let top = self.norm_inf();
        if p == f64::INFINITY || top == 0.0 {
            return top;
        }
        if p == 1.0 {
            return self.iter().map(|(_, v)| v.abs()).sum();
        }
        let sum: f64 = self.iter().map(|(_, v)| power(v.abs() / top, p)).sum();
        top * libm::pow(sum, 1.0 / p)
    }
}

/// `t^e` for t >= 0; whole exponents by multiplication, the same on every machine.
pub(crate) fn power(t: f64, e: f64) -> f64 {
    if e == 1.0 {
        t
    } else if e <= 64.0 && e == libm::trunc(e) {
        let (mut result, mut square, mut n) = (1.0, t, e as u32);
        while n > 0 {
            if n & 1 == 1 {
                result *= square;
            }
            square *= square;
            n >>= 1;
        }
        result
    } else {
        libm::pow(t, e)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::SplitMix64;
    use crate::rows::Rows;

    #[test]
    fn sizes_are_of_products() {
        let (index, value) = ([0, 2, 3, 5, 8, 9, 11, 12, 13, 20], [0.5_f32; 10]);
        let w: Vec<f64> = (0..21).map(|j| f64::from(j) - 6.5).collect();
        for row in [Row::sparse(&index, &value), Row::dense(&value)] {
            for len in [0, 6, 21] {
                let (w, row) = (&w[..len], row.scaled(-2.0));
                let products = row.iter().filter(|(j, _)| *j < len).map(|(j, v)| w[j] * v);
                let (sum, size) = row.dot_and_size(w);
                assert_eq!(sum, row.dot(w));
                assert!((sum - products.clone().sum::<f64>()).abs() < 1e-12);
                assert!((size - products.map(f64::abs).sum::<f64>()).abs() < 1e-12);
            }
        }
    }

    #[test]
    fn products_of_arrays_are_those_of_rows() {
        let mut random = SplitMix64::new(3);
        for case in 0..500 {
            let w: Vec<f64> = (0..90).map(|_| random.uniform() - 0.5).collect();
            let index: Vec<i32> = (0..80).filter(|_| random.below(3) > 0).collect();
            let index = &index[..random.below(index.len() + 1)];
            let value: Vec<f64> = index.iter().map(|_| random.uniform() - 0.5).collect();
            let constant = [None, Some(0.7_f32)][case % 2];
            let mut rows = Rows::new();
            if let Some(constant) = constant {
                rows.push(0, constant);
            }
            for (&j, &v) in zip(index, &value) {
                rows.push(j as u32 + 1, v as f32);
            }
            rows.end_row(0);
            let value = (&value[..], |v| v as f32);
            let direct = dot_of_arrays(constant, value, (index, |j| j as u32 + 1), &w);
            assert_eq!(direct.to_bits(), rows.row(0).dot(&w).to_bits());
        }
    }
}
