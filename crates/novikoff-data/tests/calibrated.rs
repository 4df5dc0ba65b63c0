//! Calibrated models on disk: whole, or refused.

use novikoff::calibration::{Calibration, Map, Method, Sigmoid};
use novikoff::classes::Task;
use novikoff::learner::Hypothesis;
use novikoff::model::{Model, Preparation};
use novikoff::spec::Spec;
use novikoff_data::model::{load, save};

fn model(spec: &str) -> Model {
    let spec = Spec::parse(spec).expect("a spec");
    let (task, preparation) = (Task::plus_minus(), Preparation::default());
    Model::new(spec, task, preparation, None, 1 << 20).expect("a model")
}

fn calibration(classes: usize, hypothesis: Hypothesis) -> Calibration {
    let map = Map::Sigmoid(Sigmoid {
        slope: -1.5,
        offset: 0.25,
    });
    Calibration {
        method: Method::Platt,
        hypothesis,
        maps: vec![map; classes],
        rows: 10,
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
            .calibration
            .is_none()
    );
    model.calibration = Some(calibration(1, Hypothesis::Final));
    save(&model, &path).expect("saved");
    let loaded = load(&path, 1 << 20).expect("a model").model;
    assert_eq!(loaded.calibration, model.calibration);
    model.calibration = None;
    save(&model, &path).expect("saved");
    assert_eq!(std::fs::read(&path).expect("bytes"), plain);
}

#[test]
fn what_no_run_leaves_behind_is_refused() {
    let dir = tempfile::tempdir().expect("a directory");
    let path = dir.path().join("model");
    for (calibration, part) in [
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
                maps: vec![Map::Sigmoid(Sigmoid {
                    slope: f64::NAN,
                    offset: 0.0,
                })],
                ..calibration(1, Hypothesis::Final)
            },
            "finite",
        ),
    ] {
        let mut model = model("perceptron");
        model.calibration = Some(calibration);
        save(&model, &path).expect("saved");
        let error = load(&path, 1 << 20).err().expect("refused").to_string();
        assert!(error.contains(part), "{error}");
    }
}
