//! Rows against plain loops.

#![allow(clippy::unwrap_used, clippy::disallowed_methods)]

use crate::common;

use common::matrix;
use common::stream::{gaussian, some_slots};
use novikoff::random::SplitMix64;
use novikoff::row::Row;
use novikoff::rows::Rows;
use proptest::prelude::*;

/// Strictly increasing slots below 60 with values, and a scale.
fn any_row() -> impl Strategy<Value = (Vec<u32>, Vec<f32>, f64)> {
    let value = prop_oneof![-4.0_f32..4.0, Just(0.0), Just(-0.0), -1e20_f32..1e20];
    let slots = prop::collection::btree_map(0_u32..60, value.clone(), 0..40);
    let run = (0_u32..20, prop::collection::vec(value, 0..40));
    let run = run.prop_map(|(first, values)| (first..).zip(values).collect());
    let scale = prop_oneof![Just(1.0), 0.01_f64..3.0, Just(-2.0)];
    (prop_oneof![slots, run], scale).prop_map(|(row, scale)| {
        let (index, value) = row.into_iter().unzip();
        (index, value, scale)
    })
}

/// The row written out.
fn plain(index: &[u32], value: &[f32], scale: f64) -> Vec<f64> {
    let mut x = vec![0.0; 60];
    index
        .iter()
        .zip(value)
        .for_each(|(j, v)| x[*j as usize] = scale * f64::from(*v));
    x
}

fn close(got: f64, want: f64, size: f64) -> bool {
    (got - want).abs() <= 1e-13 * size.max(f64::MIN_POSITIVE)
}

fn weights(len: usize) -> impl Strategy<Value = Vec<f64>> {
    prop::collection::vec(-2.0_f64..2.0, len)
}

proptest! {
    #![proptest_config(ProptestConfig { cases: common::cases(300) as u32, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn dot_is_the_sum_of_products((index, value, scale) in any_row(), w in weights(60), len in 0_usize..=60) {
        let row = Row::sparse(&index, &value).scaled(scale);
        let x = plain(&index, &value, scale);
        // slots past the end of w count as zero
        let size: f64 = x.iter().zip(&w[..len]).map(|(x, w)| (x * w).abs()).sum();
        prop_assert!(close(row.dot(&w[..len]), matrix::dot(&x, &w[..len]), size));
        prop_assert_eq!(row.before(len).dot(&w).to_bits(), row.dot(&w[..len]).to_bits());
    }

    #[test]
    fn dots_are_dots_with_each_vector(
        (index, value, scale) in any_row(),
        w in weights(60 * 17),
        (stride, lanes) in prop_oneof![(1_usize..18).prop_map(|n| (n, n)), (1_usize..=8).prop_map(|n| (8, n)), (9_usize..=16).prop_map(|n| (16, n))],
        slots in 0_usize..=60,
    ) {
        let row = Row::sparse(&index, &value).scaled(scale);
        let x = plain(&index, &value, scale);
        let w = &w[..slots * stride];
        let mut out = vec![f64::NAN; lanes];
        row.dots(w, stride, &mut out);
        for (k, got) in out.iter().enumerate() {
            let column: Vec<f64> = w.iter().skip(k).step_by(stride).copied().collect();
            let size: f64 = x.iter().zip(&column).map(|(x, w)| (x * w).abs()).sum();
            prop_assert!(close(*got, matrix::dot(&x, &column), size), "lane {}", k);
        }
        // each sum runs in the order of the row, with one rounding a product and one an addition
        for (k, got) in out.iter().enumerate() {
            let products = index.iter().zip(&value).map(|(j, v)| (*j as usize, f64::from(*v)));
            let sum = products
                .filter(|(j, _)| *j < slots)
                .fold(0.0, |sum, (j, v)| sum + v * w[j * stride + k]);
            prop_assert_eq!(*got, sum * scale, "lane {}", k);
        }
        // the bits of a lane do not depend on how many there are
        let mut fewer = vec![0.0; lanes.div_ceil(2)];
        row.dots(w, stride, &mut fewer);
        prop_assert!(fewer.iter().zip(&out).all(|(a, b)| a.to_bits() == b.to_bits()));
    }

    #[test]
    fn add_to_adds((index, value, scale) in any_row(), w in weights(60 * 3), c in -2.0_f64..2.0) {
        let row = Row::sparse(&index, &value).scaled(scale);
        let x = plain(&index, &value, scale);
        let mut one = w[..60].to_vec();
        row.add_to(c, &mut one);
        let mut lanes = w.clone();
        row.add_to_lane(c, &mut lanes, 3, 1);
        for j in 0..60 {
            prop_assert!(close(one[j], w[j] + c * x[j], w[j].abs() + (c * x[j]).abs()));
            let (old, new) = (w[3 * j + 1], lanes[3 * j + 1]);
            prop_assert!(close(new, old + c * x[j], old.abs() + (c * x[j]).abs()));
            prop_assert_eq!((lanes[3 * j], lanes[3 * j + 2]), (w[3 * j], w[3 * j + 2]));
        }
    }

    #[test]
    fn norms_are_norms((index, value, scale) in any_row(), p in prop_oneof![Just(1.0), Just(2.0), Just(f64::INFINITY), 1.0_f64..30.0]) {
        let row = Row::sparse(&index, &value).scaled(scale);
        let x = plain(&index, &value, scale);
        let want = matrix::norm(&x, p);
        prop_assert!((row.norm(p) - want).abs() <= 1e-12 * want);
        let squared = matrix::dot(&x, &x);
        prop_assert!(close(row.norm_sq(), squared, squared));
        prop_assert_eq!(row.norm_inf(), matrix::norm(&x, f64::INFINITY));
        prop_assert_eq!(row.is_zero(), x.iter().all(|v| *v == 0.0));
    }

    #[test]
    fn inner_is_symmetric_and_a_dot((i, v, s) in any_row(), (j, u, r) in any_row()) {
        let (a, b) = (Row::sparse(&i, &v).scaled(s), Row::sparse(&j, &u).scaled(r));
        let (x, z) = (plain(&i, &v, s), plain(&j, &u, r));
        let size: f64 = x.iter().zip(&z).map(|(x, z)| (x * z).abs()).sum();
        prop_assert!(close(a.inner(&b), matrix::dot(&x, &z), size));
        prop_assert_eq!(a.inner(&b).to_bits(), b.inner(&a).to_bits());
    }

    #[test]
    fn slots_and_values_come_back((index, value, scale) in any_row(), len in 0_usize..70) {
        let row = Row::sparse(&index, &value).scaled(scale);
        prop_assert_eq!(row.len(), index.len());
        prop_assert_eq!(row.is_empty(), index.is_empty());
        prop_assert_eq!(row.last_slot(), index.last().copied());
        let pairs: Vec<(usize, f64)> = index.iter().zip(&value).map(|(j, v)| (*j as usize, scale * f64::from(*v))).collect();
        prop_assert_eq!(row.iter().collect::<Vec<_>>(), pairs.clone());
        let short: Vec<(usize, f64)> = pairs.into_iter().filter(|(j, _)| *j < len).collect();
        prop_assert_eq!(row.before(len).iter().collect::<Vec<_>>(), short);
        let (kept, stored) = row.stored();
        prop_assert_eq!(kept, scale);
        prop_assert!(stored.eq(index.iter().copied().zip(value.iter().copied())));
    }

    #[test]
    fn adjacent_slots_are_a_run(value in prop::collection::vec(-4.0_f32..4.0, 0..50), w in weights(60)) {
        let slots: Vec<u32> = (1..=value.len() as u32).collect();
        let (dense, sparse) = (Row::dense(&value), Row::sparse(&slots, &value));
        prop_assert_eq!(dense.dot(&w).to_bits(), sparse.dot(&w).to_bits());
        prop_assert_eq!(dense.norm_sq().to_bits(), sparse.norm_sq().to_bits());
        prop_assert!(dense.iter().eq(sparse.iter()));
        prop_assert_eq!(dense.last_slot(), sparse.last_slot());
    }
}

/// The order of additions is part of every result: element i goes to partial sum i % 8, each product
/// and each sum is rounded.
#[test]
fn dot_adds_in_eight_fixed_sums() {
    let mut g = SplitMix64::new(5);
    for n in 0..100 {
        let value: Vec<f32> = (0..n).map(|_| gaussian(&mut g) as f32).collect();
        let w: Vec<f64> = (0..500).map(|_| gaussian(&mut g)).collect();
        let spread: Vec<u32> = (0..n).map(|i| i * 4 + i % 3).collect();
        for index in [spread, (5..5 + n).collect()] {
            let mut s = [0.0; 8];
            for (i, (j, v)) in index.iter().zip(&value).enumerate() {
                s[i % 8] += f64::from(*v) * w[*j as usize];
            }
            let want = ((s[0] + s[4]) + (s[2] + s[6])) + ((s[1] + s[5]) + (s[3] + s[7]));
            let row = Row::sparse(&index, &value);
            assert_eq!(row.dot(&w).to_bits(), want.to_bits(), "{n} values");
            assert_eq!(row.scaled(0.3).dot(&w).to_bits(), (0.3 * want).to_bits());
        }
    }
}

#[test]
fn norms_of_the_largest_and_smallest_values() {
    for v in [f32::MAX, f32::MIN_POSITIVE, 1e-45, 1e-30] {
        let value = [v, -v, v, v];
        for (p, times) in [
            (1.0, 4.0),
            (2.0, 2.0),
            (4.0, 4_f64.powf(0.25)),
            (f64::INFINITY, 1.0),
        ] {
            let (got, want) = (Row::dense(&value).norm(p), times * f64::from(v));
            assert!((got - want).abs() <= 1e-14 * want, "{v} {p}: {got}");
        }
    }
}

#[test]
fn an_empty_row_does_nothing() {
    for row in [
        Row::dense(&[]),
        Row::sparse(&[], &[]),
        Row::sparse(&[3], &[1.0]).before(2),
    ] {
        assert!(row.is_empty() && row.is_zero() && row.last_slot().is_none());
        assert_eq!(
            (row.dot(&[]), row.norm_sq(), row.norm(3.0), row.norm_inf()),
            (0.0, 0.0, 0.0, 0.0)
        );
        let mut out = [1.0; 3];
        row.dots(&[], 8, &mut out);
        assert_eq!(out, [0.0; 3]);
        row.add_to(2.0, &mut []);
    }
}

/// Owned rows give back what was put in, one after another or appended block by block.
#[test]
fn owned_rows_keep_rows_labels_and_lines() {
    let mut g = SplitMix64::new(1);
    let (mut all, mut whole, mut block) = (Vec::new(), Rows::new(), Rows::new());
    for line in 0..200_u64 {
        if line % 7 == 0 {
            whole.append(block.view(), line - block.len() as u64);
            block.clear();
        }
        // begun and dropped: leaves nothing but the width
        block.push_label(9.0, b"dropped");
        block.push(3, 1.0);
        block.abandon_row();
        let slots = some_slots(&mut g, 30, 0.2);
        let row: Vec<(u32, f32)> = slots
            .into_iter()
            .map(|j| (j, g.below(3) as f32 - 1.0))
            .collect();
        block.push_label(line as f64, line.to_string().as_bytes());
        for (j, v) in &row {
            block.push(*j, *v);
        }
        block.end_row(block.len() as u64);
        all.push(row);
    }
    whole.append(block.view(), 200 - block.len() as u64);
    assert_eq!(whole.len(), 200);
    assert_eq!(
        whole.width(),
        all.iter().flatten().map(|(j, _)| *j).max().unwrap()
    );
    for (i, row) in all.iter().enumerate() {
        let kept = row
            .iter()
            .filter(|(_, v)| *v != 0.0)
            .map(|(j, v)| (*j as usize, f64::from(*v)));
        assert!(whole.row(i).iter().eq(kept), "row {i}");
        let labels: Vec<_> = whole
            .labels(i)
            .map(|l| (l.number(), l.text().to_vec()))
            .collect();
        assert_eq!(labels, [(Some(i as f64), i.to_string().into_bytes())]);
        assert_eq!(whole.line(i), i as u64);
    }
}
