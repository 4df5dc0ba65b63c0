//! Every learner against its definition (`common/definition.rs` and its neighbours), trial by trial.
//!
//! Margins agree to 1e-9 of `|w| |x|`, updates agree, and so do the weights and the deployed scores at
//! the end. Where the definition itself sits on the edge between update and none (within 1e-9, and the
//! stream is not one whose sums are exact) either answer is right; the definition then follows the
//! learner, so that the rest of the run is still compared.

#![allow(clippy::unwrap_used, clippy::disallowed_methods)]

use crate::common;

use common::compare::{Tally, compare, compare_all, compare_passes, unchanged};
use common::definition::{
    Alma, Definition, NormalisedPerceptron, PNorm, PassiveAggressive, Perceptron,
};
use common::multiplicative::{BalancedWinnow, Eg, NormalisedWinnow, Winnow};
#[cfg(feature = "linalg")]
use common::second::Whitened;
use common::second::{ArowDiagonal, ArowFull, ArowRidge};
use common::stream::{EXTREME, KINDS, Kind, MODERATE, Sample, Stream, stream};
use common::{cases, learner, learner_for, trial};
use novikoff::learner::Hypothesis;
use novikoff::row::Row;

#[test]
fn perceptron() {
    for (spec, beta) in [
        ("perceptron", 0.0),
        ("perceptron:margin=2", 2.0),
        ("perceptron:margin=0.001", 0.001),
    ] {
        let define = |s: &Stream| -> Box<dyn Definition> {
            Box::new(Perceptron::new(s.slots(), beta, Hypothesis::Final, s.exact))
        };
        compare_all(spec, KINDS, 1000, define, unchanged, true);
    }
}

#[test]
fn averaged_and_voted() {
    for (spec, deploys) in [
        ("averaged", Hypothesis::Averaged),
        ("voted", Hypothesis::Voted),
    ] {
        let define = |s: &Stream| -> Box<dyn Definition> {
            Box::new(Perceptron::new(s.slots(), 0.0, deploys, s.exact))
        };
        compare_all(spec, KINDS, 700, define, unchanged, true);
    }
}

#[test]
fn p_norm() {
    for p in [Some(2.0), Some(3.5), Some(8.0), Some(60.0), None] {
        for beta in [0.0, 0.7] {
            let name = p.map_or("auto".to_owned(), |p: f64| p.to_string());
            let define = |s: &Stream| -> Box<dyn Definition> {
                let auto = (2.0 * f64::from(s.width).ln()).max(2.0);
                Box::new(PNorm::new(s.slots(), p.unwrap_or(auto), beta))
            };
            compare_all(
                &format!("p-norm:p={name},margin={beta}"),
                KINDS,
                400,
                define,
                unchanged,
                false,
            );
        }
    }
}

/// g is the identity at p = 2: on integers every sum is exact, ties included.
#[test]
fn p_norm_of_2_is_the_perceptron() {
    for seed in 0..cases(30) {
        let stream = stream(Kind::Integer, seed, 500);
        let by = Box::new(Perceptron::new(
            stream.slots(),
            0.0,
            Hypothesis::Final,
            true,
        ));
        compare("p-norm:p=2", by, &stream, true);
    }
}

#[test]
fn winnow() {
    // powers of `x_j` leave the range of f64 for large values: see the contract
    for alpha in [1.5, 1.01, 3.0] {
        for theta in [None, Some(2.5)] {
            let define = |s: &Stream| -> Box<dyn Definition> {
                Box::new(Winnow::new(
                    s.slots(),
                    alpha,
                    theta.unwrap_or(f64::from(s.width)),
                ))
            };
            let name = theta.map_or("auto".to_owned(), |theta| theta.to_string());
            let spec = format!("winnow:alpha={alpha},theta={name}");
            compare_all(&spec, MODERATE, 500, define, Stream::non_negative, false);
        }
    }
}

/// Large values whose weights have all but vanished: what is left is the small values and theta.
#[test]
fn winnow_on_a_row_of_any_size() {
    let value = vec![1e-3, 1.0, 1e3, 1e6, 1e9, 1e12, 1e15, 1e18];
    let samples = vec![Sample::new((1..=8).collect(), value, false); 3];
    let name = "one row of any size";
    let stream = Stream::of(name, 8, samples);
    compare("winnow", Box::new(Winnow::new(9, 1.5, 8.0)), &stream, false);
}

#[test]
fn normalised_winnow() {
    for (eta, theta) in [(0.001, 0.1), (0.1, 0.3), (0.5, -0.2)] {
        let spec = format!("normalised-winnow:eta={eta},theta={theta}");
        let define = |s: &Stream| -> Box<dyn Definition> {
            Box::new(NormalisedWinnow::new(s.slots(), eta, theta))
        };
        compare_all(&spec, MODERATE, 400, define, unchanged, false);
    }
}

/// The constant feature is one more, of the same weight at first.
#[test]
fn normalised_winnow_with_a_bias() {
    let mut learner = learner("normalised-winnow:theta=0", 3);
    let row = Row::sparse(&[0, 2], &[2.0, 5.0]);
    let (margin, updated) = trial(&mut *learner, row, false).unwrap();
    assert_eq!((margin, updated), (7.0 / 4.0, true));
    let (bias, two) = (0.002_f64, 0.005_f64);
    let sum = 2.0 + (-bias).exp() + (-two).exp();
    let (margin, _) = trial(&mut *learner, row, false).unwrap();
    let want = (2.0 * (-bias).exp() + 5.0 * (-two).exp()) / sum;
    assert!((margin - want).abs() < 1e-12, "{margin}, not {want}");
}

#[test]
fn normalised_perceptron() {
    for eta in [0.001, 0.1, 3.0] {
        let spec = format!("normalised-perceptron:eta={eta}");
        let mut total = Tally::default();
        for &kind in KINDS {
            for seed in 0..cases(3) {
                let stream = stream(kind, seed, 200);
                let by = Box::new(NormalisedPerceptron::new(stream.slots(), eta));
                total.add(&compare_passes(&spec, by, &stream, 4));
            }
        }
        assert!(total.updates * 50 > total.trials, "{total:?}");
        assert!(total.excused * 200 <= total.trials, "{total:?}");
    }
}

fn eg_on(kinds: &[Kind]) {
    for eta in [0.1, 0.003, 2.0] {
        let define = |s: &Stream| -> Box<dyn Definition> { Box::new(Eg::new(s.slots(), eta)) };
        compare_all(
            &format!("eg:eta={eta}"),
            kinds,
            700,
            define,
            unchanged,
            false,
        );
    }
}

#[test]
fn eg() {
    let kinds: Vec<Kind> = KINDS
        .iter()
        .copied()
        .filter(|kind| *kind != Kind::Tiny)
        .collect();
    eg_on(&kinds);
}

/// `eta v` far below 1, where `e^(eta v) - e^(-eta v)` must not be taken as a difference.
#[test]
fn eg_on_tiny_rows() {
    eg_on(&[Kind::Tiny]);
}

#[test]
fn balanced_winnow() {
    // the weights themselves, not their logarithms: no large values, and no tiny ones
    let kinds: Vec<Kind> = MODERATE
        .iter()
        .copied()
        .filter(|kind| *kind != Kind::Tiny)
        .collect();
    for alpha in [1.1, 1.5] {
        let define =
            |s: &Stream| -> Box<dyn Definition> { Box::new(BalancedWinnow::new(s.slots(), alpha)) };
        compare_all(
            &format!("balanced-winnow:alpha={alpha}"),
            &kinds,
            700,
            define,
            unchanged,
            false,
        );
    }
}

#[test]
fn balanced_winnow_is_eg_of_the_logarithm() {
    for seed in 0..cases(6) {
        let stream = stream(Kind::Sparse, seed, 500);
        let by = Box::new(Eg::new(stream.slots(), 1.5_f64.ln()));
        compare("balanced-winnow:alpha=1.5", by, &stream, false);
    }
}

#[cfg(feature = "linalg")]
#[test]
fn whitened() {
    let rows = |s: &Stream| s.plain().into_iter().map(|(x, _)| x).collect::<Vec<_>>();
    for ridge in [0.0, 0.5] {
        let define =
            |s: &Stream| -> Box<dyn Definition> { Box::new(Whitened::new(&rows(s), ridge)) };
        let kinds = [
            Kind::Dense,
            Kind::Integer,
            Kind::Binary,
            Kind::Sparse,
            Kind::Huge,
        ];
        compare_all(
            &format!("whitened:ridge={ridge}"),
            &kinds,
            400,
            define,
            unchanged,
            false,
        );
    }
}

/// Rows in a subspace: the matrix has no inverse, and rows off the span are projected.
#[cfg(feature = "linalg")]
#[test]
fn whitened_without_full_rank() {
    for seed in 0..cases(6) {
        let mut stream = stream(Kind::Integer, seed, 200);
        for sample in &mut stream.samples {
            // features 2i and 2i + 1 always go together
            let x = sample.dense(stream.width as usize + 2);
            let pairs = (1..=stream.width).map(|j| (j, x[(j / 2 * 2) as usize] as f32));
            (sample.index, sample.value) = pairs.filter(|(_, v)| *v != 0.0).unzip();
        }
        stream.samples.retain(|s| !s.index.is_empty());
        let rows: Vec<Vec<f64>> = stream.plain().into_iter().map(|(x, _)| x).collect();
        let tally = compare(
            "whitened",
            Box::new(Whitened::new(&rows, 0.0)),
            &stream,
            false,
        );
        assert!(tally.updates > 3, "{tally:?}");
    }
}

/// A row that whitening makes zero is a zero instance: perhaps a mistake, never an update.
#[cfg(feature = "linalg")]
#[test]
fn whitened_never_updates_on_a_row_off_the_span() {
    let known = Sample::new(vec![1, 2], vec![1.0, 3.0], false);
    let stream = Stream::of("two features", 9, vec![known; 5]);
    let mut learner = learner_for("whitened", &stream);
    let off = Sample::new(vec![9], vec![2.0], false);
    assert_eq!(trial(&mut *learner, off.row(), false), Ok((0.0, false)));
    assert_eq!(
        trial(&mut *learner, stream.samples[0].row(), false),
        Ok((0.0, true))
    );
}

#[test]
fn alma() {
    for (p, alpha) in [
        (2.0, 0.9),
        (2.0, 0.3),
        (2.0, 1.0),
        (3.5, 0.9),
        (8.0, 0.5),
        (40.0, 0.8),
    ] {
        let define =
            |s: &Stream| -> Box<dyn Definition> { Box::new(Alma::new(s.slots(), p, alpha)) };
        compare_all(
            &format!("alma:p={p},alpha={alpha}"),
            KINDS,
            500,
            define,
            unchanged,
            false,
        );
    }
}

/// Easy rows and a small alpha: every trial updates and is projected back into the ball.
#[test]
fn alma_over_many_projections() {
    let one = Sample::new(vec![1, 3], vec![1.0, -2.0], true);
    let samples = vec![one; 80_000];
    let name = "one row 80000 times";
    let stream = Stream::of(name, 3, samples);
    let tally = compare(
        "alma:alpha=0.01",
        Box::new(Alma::new(4, 2.0, 0.01)),
        &stream,
        false,
    );
    assert!(tally.updates > 70_000, "{tally:?}");
}

#[test]
fn passive_aggressive() {
    for variant in ["pa", "1", "2"] {
        for c in [1.0, 0.02, 30.0] {
            let define = |s: &Stream| -> Box<dyn Definition> {
                Box::new(PassiveAggressive::new(s.slots(), variant, c))
            };
            let spec = format!("passive-aggressive:variant={variant},c={c}");
            compare_all(&spec, KINDS, 500, define, unchanged, false);
        }
    }
}

fn arow_diagonal_on(kinds: &[Kind]) {
    for r in [1.0, 0.05, 20.0] {
        let define =
            |s: &Stream| -> Box<dyn Definition> { Box::new(ArowDiagonal::new(s.slots(), r)) };
        compare_all(&format!("arow:r={r}"), kinds, 500, define, unchanged, false);
    }
}

#[test]
fn arow_diagonal() {
    arow_diagonal_on(MODERATE);
}

/// One value far larger than r: what is left of S must not be a difference of large numbers.
#[test]
fn arow_diagonal_on_rows_of_any_size() {
    arow_diagonal_on(EXTREME);
}

#[test]
fn arow_full() {
    for r in [1.0, 0.05, 20.0] {
        let define = |s: &Stream| -> Box<dyn Definition> { Box::new(ArowFull::new(s.slots(), r)) };
        compare_all(
            &format!("arow:form=full,r={r}"),
            MODERATE,
            300,
            define,
            unchanged,
            false,
        );
    }
}

/// One column of 1e9: after one update S is 1e-18, not 0, and the next rows move the weight.
#[test]
fn arow_diagonal_does_not_freeze() {
    let column = |positive| Sample::new(vec![1], vec![1e9], positive);
    let samples = [true, false, false, false, true, true].map(column).to_vec();
    let name = "one column of 1e9";
    let stream = Stream::of(name, 1, samples);
    compare("arow", Box::new(ArowDiagonal::new(2, 1.0)), &stream, false);
}

/// Rows of very different size: every margin is right to `100 condition 2^-53` (reliability.md 27), which
/// says little where the condition is 1e20, and nearly all are right to 1e-6.
#[test]
fn arow_full_on_rows_of_any_size() {
    for r in [1.0, 0.05] {
        for &kind in EXTREME {
            let (mut rough, mut trials) = (0, 0);
            for seed in 0..cases(6) {
                let stream = stream(kind, seed, 200);
                let mut learner = learner_for(&format!("arow:form=full,r={r}"), &stream);
                let mut by = ArowRidge::new(stream.slots(), r);
                for sample in &stream.samples {
                    let (x, y) = (sample.dense(stream.slots()), sample.y());
                    let reported = by.judge(&x, y);
                    let (margin, updated) =
                        trial(&mut *learner, sample.row(), sample.positive).unwrap();
                    let error = (margin - reported.margin).abs() / reported.scale;
                    let allowed = (100.0 * by.condition() * 2_f64.powi(-53)).max(1e-9);
                    let name = &stream.name;
                    assert!(
                        error <= allowed,
                        "{name}: {margin}, not {}",
                        reported.margin
                    );
                    rough += usize::from(error > 1e-6);
                    trials += 1;
                    by.learn(&x, y, updated);
                }
            }
            assert!(
                rough * 20 <= trials,
                "{kind:?}, r = {r}: {rough} of {trials} are rough"
            );
        }
    }
}
