//! Rows that one learner cannot take.

#![allow(clippy::unwrap_used)]

use crate::common;

#[cfg(feature = "linalg")]
use common::learner;
use common::stream::Kind;
use common::{learner_for, run, state_bits, stream_for, trial};
use novikoff::learner::Refusal;
use novikoff::row::Row;

#[cfg(feature = "linalg")]
#[test]
fn a_survey_refuses_nan_and_infinity() {
    for bad in [f32::NAN, f32::INFINITY] {
        let mut learner = learner("whitened", 3);
        assert_eq!(
            learner.survey(Row::dense(&[1.0, bad])),
            Err(Refusal::NotFinite)
        );
    }
}

#[test]
fn winnow_refuses_negative_values_and_keeps_its_state() {
    let stream = stream_for("winnow", Kind::Sparse, 3, 100);
    let mut learner = learner_for("winnow", &stream);
    run(&mut *learner, &stream.samples);
    let before = state_bits(&*learner);
    let answer = trial(&mut *learner, Row::sparse(&[2, 900], &[1.0, -0.5]), true);
    assert_eq!(
        answer,
        Err(Refusal::Negative {
            feature: 900,
            value: -0.5
        })
    );
    assert_eq!(before, state_bits(&*learner));
    trial(&mut *learner, Row::sparse(&[2], &[-0.0]), true).unwrap();
}
