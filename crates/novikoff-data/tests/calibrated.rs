//! Calibrated models on disk: whole, or refused.

use novikoff::calibration::{
    Calibration, CalibrationMap, CalibrationMethod, RecentMargins, Sigmoid,
};
use novikoff::learner::Hypothesis;
use novikoff::model::{Model, PartsError};
use novikoff::spec::Spec;
use novikoff_data::container;
use novikoff_data::model::{from_bytes, load, save, to_bytes};

fn model(spec: &str) -> Model {
    let spec = Spec::parse(spec).expect("a spec");
    Model::builder(spec).build().expect("a model")
}

fn calibration(classes: usize, hypothesis: Hypothesis) -> Calibration {
    let map = CalibrationMap::Sigmoid(Sigmoid {
        slope: -1.5,
        offset: 0.25,
    });
    Calibration {
        method: CalibrationMethod::Platt,
        hypothesis,
        maps: vec![map; classes],
        rows: 10,
        recent: RecentMargins::of(&[vec![(0.5, true), (-1.0, false)]]),
    }
}

#[test]
fn it_comes_back_as_it_was() {
    let dir = tempfile::tempdir().expect("a directory");
    let path = dir.path().join("model");
    let mut model = model("averaged");
    save(&model, &path).expect("saved");
    let plain = std::fs::read(&path).expect("bytes");
    assert!(
        load(&path, 1 << 20)
            .expect("a model")
            .model
            .calibration()
            .is_none()
    );
    let fitted = model.calibrate(calibration(1, Hypothesis::Final));
    fitted.expect("a map for its class");
    save(&model, &path).expect("saved");
    let loaded = load(&path, 1 << 20).expect("a model").model;
    assert_eq!(loaded.calibration(), model.calibration());
    assert!(std::fs::read(&path).expect("bytes").len() > plain.len());
}

/// The calibrations that no run leaves behind, and what is said of them in a file.
fn unsound() -> Vec<(Calibration, &'static str)> {
    vec![
        (calibration(0, Hypothesis::Final), "calibration/sigmoids"),
        (calibration(2, Hypothesis::Final), "calibration/sigmoids"),
        (calibration(1, Hypothesis::Voted), "no run leaves behind"),
        (
            Calibration {
                rows: u64::MAX,
                ..calibration(1, Hypothesis::Final)
            },
            "no run leaves behind",
        ),
        (
            Calibration {
                recent: RecentMargins::of(&vec![vec![(0.5, true)]; 2]),
                ..calibration(1, Hypothesis::Final)
            },
            "no run leaves behind",
        ),
    ]
}

#[test]
fn a_model_takes_no_maps_but_those_of_its_classes_and_predictors() {
    for (calibration, _) in unsound() {
        let mut model = model("perceptron");
        assert_eq!(model.calibrate(calibration), Err(PartsError::Calibration));
        assert!(model.calibration().is_none());
    }
}

#[test]
fn what_no_run_leaves_behind_is_refused() {
    let plain = to_bytes(&model("perceptron")).expect("bytes");
    let nan = Calibration {
        maps: vec![CalibrationMap::Sigmoid(Sigmoid {
            slope: f64::NAN,
            offset: 0.0,
        })],
        ..calibration(1, Hypothesis::Final)
    };
    for (calibration, part) in unsound().into_iter().chain([(nan, "finite")]) {
        let mut file = container::from_bytes(&plain).expect("a container");
        calibration.save(&mut file.state);
        let forged = container::to_bytes(&file.header, &file.state).expect("bytes");
        let error = from_bytes(&forged, 1 << 20).err().expect("refused");
        assert!(error.to_string().contains(part), "{error}");
    }
}
