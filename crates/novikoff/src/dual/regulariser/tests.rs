//! Fenchel and Young, links, curvatures, bounds and moving points, for every regulariser.
#![allow(clippy::unwrap_used)]

use super::*;
use crate::dual::named::{AnyRegulariser, NamedRegulariser, REGULARISERS, each_regulariser};
use crate::random::SplitMix64;

const SLOTS: usize = 6;

/// Of slots from 1.
const PRIOR: [f64; SLOTS - 1] = [0.1, 0.4, 0.2, 0.05, 0.25];

fn random_vector(random: &mut SplitMix64, size: f64) -> Vec<f64> {
    let mut v: Vec<f64> = (0..SLOTS)
        .map(|_| match random.below(4) {
            0 => 0.0,
            _ => size * (2.0 * random.uniform() - 1.0),
        })
        .collect();
    v[0] = 0.0;
    v
}

fn random_row(random: &mut SplitMix64) -> (Vec<u32>, Vec<f32>) {
    let binary = random.below(2) == 0;
    let mut index = Vec::new();
    let mut value = Vec::new();
    for j in 1..SLOTS as u32 {
        if random.below(5) < 3 {
            index.push(j);
            value.push(if binary {
                1.0
            } else {
                2.0 * random.uniform() as f32 - 1.0
            });
        }
    }
    (index, value)
}

fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

fn along(v: &[f64], x: Row<'_>, c: f64) -> Vec<f64> {
    let mut v = v.to_vec();
    x.add_to(c, &mut v);
    v
}

/// `domain` brings any vector into the domain of g.
fn check<R: Regulariser>(name: &str, by: &R, domain: impl Fn(Vec<f64>) -> Vec<f64>) {
    let mut random = SplitMix64::new(5);
    for size in [0.5, 2.0, 20.0] {
        for _ in 0..200 {
            let v = random_vector(&mut random, size);
            let w = by.weights(&v);
            let (h, g) = (by.conjugate(&v), by.value(&w));
            let scale = 1.0 + h.abs() + g.abs();
            assert!(
                (g + h - dot(&w, &v)).abs() < 1e-8 * scale,
                "{name}: g {g} + h {h} = {} at {v:?}",
                dot(&w, &v)
            );
            let other = domain(random_vector(&mut random, 2.0));
            let young = by.value(&other) + h - dot(&other, &v);
            assert!(young > -1e-9 * scale, "{name}: {young} at {v:?} {other:?}");

            let (index, value) = random_row(&mut random);
            let x = Row::sparse(&index, &value).scaled(0.7);
            let point = by.point(v.clone());
            let t = x.dot(&w);
            assert!(
                (point.margin(x) - t).abs() < 1e-10 * (1.0 + t.abs()),
                "{name}"
            );
            let d = 1e-5;
            let slope =
                (by.conjugate(&along(&v, x, d)) - by.conjugate(&along(&v, x, -d))) / (2.0 * d);
            assert!((slope - t).abs() < 1e-4 * scale, "{name}: {slope} {t}");
            for c in [0.0, 0.3, -1.1] {
                let at = along(&v, x, c);
                let (slope, curvature) = point.along(x, c);
                let expected = x.dot(&by.weights(&at));
                assert!(
                    (slope - expected).abs() < 1e-9 * (1.0 + expected.abs()),
                    "{name}: {slope} {expected} at {v:?} + {c} x"
                );
                if let Some(bound) = by.bound(x) {
                    assert!(
                        curvature <= bound * (1.0 + 1e-9) + 1e-12,
                        "{name}: {curvature} {bound}"
                    );
                }
                let (before, after) = (point.along(x, c - d).0, point.along(x, c + d).0);
                let numeric = (after - before) / (2.0 * d);
                let jump = at
                    .iter()
                    .any(|v| v.abs() < 1e-3 || (v.abs() - 1.0).abs() < 1e-3);
                if !jump && !x.is_empty() {
                    assert!(
                        (numeric - curvature).abs() < 1e-3 * (1.0 + curvature),
                        "{name}: {numeric} {curvature} at {at:?}"
                    );
                }
            }
        }
    }
}

fn walk<R: Regulariser>(name: &str, by: &R) {
    let mut random = SplitMix64::new(6);
    let mut point = by.point(vec![0.0; SLOTS]);
    let mut v = vec![0.0; SLOTS];
    for step in 0..3000 {
        let (index, value) = random_row(&mut random);
        let x = Row::sparse(&index, &value);
        // away, back to almost nothing, and away again
        let c = match step % 100 {
            0 => 30.0 * random.uniform(),
            1 => 0.0,
            _ => random.uniform() - 0.5,
        };
        if step % 100 == 1 {
            v = v.iter().map(|v| 1e-9 * v).collect();
            point.set(&v);
        }
        point.add(x, c);
        x.add_to(c, &mut v);
        assert_eq!(point.vector(), v, "{name}");
        let (index, value) = random_row(&mut random);
        let x = Row::sparse(&index, &value);
        let expected = x.dot(&by.weights(&v));
        let got = point.margin(x);
        assert!(
            (got - expected).abs() < 1e-9 * (1.0 + expected.abs()),
            "{name}: {got} {expected} after {step} steps"
        );
    }
    let mut copy = by.point(vec![0.0; SLOTS]);
    copy.copy(&point);
    let x = Row::sparse(&[1, 3], &[1.0, -0.5]);
    assert_eq!(
        copy.margin(x).to_bits(),
        point.margin(x).to_bits(),
        "{name}"
    );
}

#[allow(clippy::needless_pass_by_value)] // as `check` wants it
fn simplex(v: Vec<f64>) -> Vec<f64> {
    let mut w: Vec<f64> = v.iter().map(|v| v.abs()).collect();
    w[1] += 1e-3;
    let sum: f64 = w.iter().sum();
    w.iter().map(|w| w / sum).collect()
}

#[allow(clippy::needless_pass_by_value)] // as `check` wants it
fn absolute(v: Vec<f64>) -> Vec<f64> {
    v.iter().map(|v| v.abs()).collect()
}

#[allow(clippy::needless_pass_by_value)] // as `check` wants it
fn both_signs(v: Vec<f64>) -> Vec<f64> {
    let w = simplex(v);
    let w = w.iter().enumerate();
    w.map(|(j, w)| if j % 2 == 0 { 0.9 * w } else { -0.7 * w })
        .collect()
}

#[allow(clippy::needless_pass_by_value)] // as `check` wants it
fn cube(v: Vec<f64>) -> Vec<f64> {
    v.iter().map(|w| w.clamp(-1.0, 1.0)).collect()
}

/// Brings any vector into the domain of a regulariser.
type IntoDomain = fn(Vec<f64>) -> Vec<f64>;

/// Every regulariser of the catalogue, in variants that run other code, with what brings a vector into its domain.
const SPECS: &[(&str, IntoDomain)] = &[
    ("l2", |w| w),
    ("p-norm:p=1.2", |w| w),
    ("p-norm:p=1.5", |w| w),
    ("p-norm:p=2", |w| w),
    ("p-norm:p=3", |w| w),
    ("p-power:p=1.5", |w| w),
    ("p-power:p=2", |w| w),
    ("p-power:p=3", |w| w),
    ("entropy", simplex),
    ("entropy:signed", both_signs),
    ("unnormalised-entropy", absolute),
    ("unnormalised-entropy:signed", |w| w),
    ("elastic:tau=1,eps=0.25", |w| w),
    ("l1-substitute:delta=0.1,eps=0.1,tau=1", |w| w),
    ("bounded:tau=1", cube),
    ("non-negative", absolute),
];

#[test]
fn every_regulariser_keeps_its_promises() {
    let name = |spec: &'static str| spec.split(':').next().unwrap();
    let mut examined: Vec<&str> = SPECS.iter().map(|(spec, _)| name(spec)).collect();
    examined.dedup();
    let all: Vec<&str> = REGULARISERS.iter().map(|entry| entry.name).collect();
    assert_eq!(examined, all);
    for (spec, domain) in SPECS {
        let by = NamedRegulariser::parse(spec).unwrap();
        let by = by.build(SLOTS - 1, false, Some(&PRIOR)).unwrap();
        each_regulariser!(by, by => {
            check(spec, &by, domain);
            walk(spec, &by);
        });
    }
}

#[test]
fn a_non_negative_weight_is_its_prior_at_first() {
    let by = Separable(NonNegative::new(vec![0.0, 0.1, 0.4].into()));
    assert_eq!(by.weights(&[0.0; 3]), [0.0, 0.1, 0.4]);
}
