//! Hard cases: they converge, or say clearly why not.

use novikoff::dual::loss::{AnyLoss, Logistic, Margin};
use novikoff::dual::regulariser::Square;
use novikoff::dual::{Aim, Settings, Stop};

use super::{Data, exact, finite_losses, run};

fn labelled(rows: &[&[f32]], signs: &[f64]) -> Data {
    let aims = signs.iter().map(|&sign| Aim {
        sign,
        target: 1.0,
        weight: 1.0,
    });
    Data::new(rows, aims.collect())
}

fn converges(what: &str, data: &Data, lambda: f64) {
    for (name, loss) in finite_losses() {
        for free_bias in [false, true] {
            let settings = Settings {
                free_bias,
                gap: 1e-6,
                ..exact()
            };
            let solution = run(data, loss, &Square, lambda, &settings);
            let c = solution.report.certificate;
            assert_eq!(
                solution.stop,
                Stop::Converged,
                "{what}, {name}, free {free_bias}: {:?}",
                solution.report
            );
            assert!(
                c.primal.is_finite() && solution.weights.iter().all(|w| w.is_finite()),
                "{what}, {name}"
            );
        }
    }
}

#[test]
fn separable_with_a_tiny_lambda() {
    let rows: [&[f32]; 4] = [&[2.0, 1.0], &[1.5, 2.0], &[-1.0, -1.0], &[-2.0, -0.5]];
    let data = labelled(&rows, &[1.0, 1.0, -1.0, -1.0]);
    for loss in [Margin::HINGE, Margin::SQUARED_HINGE] {
        let solution = run(&data, AnyLoss::Margin(loss), &Square, 1e-9, &exact());
        assert_eq!(solution.stop, Stop::Converged, "{:?}", solution.report);
        let rows = data.problem();
        assert!((0..4).all(|i| rows.aims()[i].sign * rows.row(i).dot(&solution.weights) > 0.999));
    }
    let solution = run(
        &data,
        AnyLoss::Logistic(Logistic),
        &Square,
        1e-9,
        &Settings {
            gap: 1e-6,
            ..exact()
        },
    );
    assert_eq!(solution.stop, Stop::Converged, "{:?}", solution.report);
}

#[test]
fn constant_columns_duplicates_and_zero_rows() {
    let rows: [&[f32]; 6] = [
        &[1.0, 5.0],
        &[1.0, 5.0],
        &[-0.5, 5.0],
        &[0.0, 0.0],
        &[0.2, 5.0],
        &[0.0, 0.0],
    ];
    let data = labelled(&rows, &[1.0, 1.0, -1.0, 1.0, -1.0, -1.0]);
    converges("columns", &data, 0.1);
    converges("columns", &data, 1e-3);
}

#[test]
fn one_class_only() {
    let rows: [&[f32]; 3] = [&[1.0, 0.5], &[0.3, -1.0], &[-2.0, 0.1]];
    converges("one class", &labelled(&rows, &[1.0; 3]), 0.01);
    converges("the other", &labelled(&rows, &[-1.0; 3]), 0.01);
}

#[test]
fn one_row() {
    converges("one row", &labelled(&[&[0.5, -1.0]], &[-1.0]), 0.01);
    converges("one row of zeros", &labelled(&[&[0.0, 0.0]], &[1.0]), 0.01);
}

#[test]
fn no_weight_at_all() {
    let mut data = labelled(&[&[0.5, -1.0], &[1.0, 1.0]], &[-1.0, 1.0]);
    for aim in &mut data.aims {
        aim.weight = 0.0;
    }
    let solution = run(
        &data,
        AnyLoss::Margin(Margin::HINGE),
        &Square,
        0.01,
        &exact(),
    );
    assert_eq!(
        (solution.stop, solution.report.certificate.primal),
        (Stop::Converged, 0.0)
    );
}

#[test]
fn opposite_labels_on_the_same_row() {
    let rows: [&[f32]; 4] = [&[1.0, 1.0], &[1.0, 1.0], &[1.0, -1.0], &[1.0, -1.0]];
    converges(
        "contradiction",
        &labelled(&rows, &[1.0, -1.0, 1.0, -1.0]),
        1e-3,
    );
}

#[test]
fn what_cannot_be_reached_ends_as_stalled_or_at_the_limit() {
    let rows: [&[f32]; 3] = [&[1.0, 0.5], &[0.3, -1.0], &[-2.0, 0.1]];
    let data = labelled(&rows, &[1.0, -1.0, 1.0]);
    let loss = AnyLoss::Margin(Margin::SQUARED_HINGE);
    let impossible = Settings {
        gap: 0.0,
        max_passes: 3,
        ..exact()
    };
    let solution = run(&data, loss, &Square, 0.3, &impossible);
    assert!(
        matches!(solution.stop, Stop::PassLimit | Stop::Converged),
        "{:?}",
        solution.stop
    );
    let stop = |_: &novikoff::dual::Report| false;
    let asked = novikoff::dual::solve(
        &data.problem(),
        loss,
        Square,
        0.3,
        None,
        &Settings {
            gap: 1e-15,
            ..exact()
        },
        &mut { stop },
    );
    assert!(matches!(asked.stop, Stop::Asked | Stop::Converged));
}
