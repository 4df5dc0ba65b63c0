//! A calibrated model that learns on: its maps are those of the margins that copies of it gave before each trial.

#![allow(clippy::unwrap_used)]

use crate::common;

use common::labelled::{Labels, labelled, learn, model_for};
use novikoff::calibration::{Calibration, CalibrationMap, CalibrationMethod, RecentMargins};
use novikoff::catalog::{Capabilities, Entry};
use novikoff::kernel::Kernel;
use novikoff::learner::Hypothesis;
use novikoff::model::{Model, ProbabilitySource};
use novikoff::rows::Rows;
use novikoff::spec::Spec;

const METHODS: [CalibrationMethod; 2] = [CalibrationMethod::Platt, CalibrationMethod::Isotonic];

/// Maps that know nothing, for as many classes as the model has.
fn calibrated(mut model: Model, method: CalibrationMethod, hypothesis: Hypothesis) -> Model {
    let classes = model.classes().list().len();
    let maps = vec![CalibrationMap::fit(method, &[(1.0, true), (-1.0, false)]); classes];
    let recent = RecentMargins::default();
    let calibration = Calibration {
        method,
        hypothesis,
        maps,
        rows: 2,
        recent,
    };
    model.calibrate(calibration).unwrap();
    model
}

/// Whether a row has the label of each class.
fn truth(model: &Model, rows: &Rows, i: usize) -> Vec<bool> {
    let has = |label: &novikoff::label::LabelName| rows.view().labels(i).any(|raw| label.is(raw));
    let classes = model.classes().list().iter();
    classes.map(|class| has(&class.label)).collect()
}

#[test]
fn the_maps_are_those_of_the_margins_before_each_trial() {
    for labels in Labels::ALL {
        for (spec, kernel, by, validated) in [
            ("perceptron", "linear", Hypothesis::Final, None),
            ("averaged", "linear", Hypothesis::Averaged, None),
            // another predictor is validated
            (
                "averaged",
                "linear",
                Hypothesis::Averaged,
                Some(Hypothesis::Final),
            ),
            ("perceptron", "gaussian:gamma=0.5", Hypothesis::Final, None),
            ("arow", "linear", Hypothesis::Final, None),
            ("voted", "linear", Hypothesis::Voted, None),
            ("voted", "gaussian:gamma=0.5", Hypothesis::Voted, None),
        ] {
            let spec = Spec::parse(spec).unwrap();
            let kernel = Kernel::parse(kernel).unwrap();
            let rows = labelled(&spec, labels, 11, 900);
            let mut model = model_for(&spec, (labels, &rows), kernel, |builder| builder).unwrap();
            // all classes appear
            (0..700).for_each(|i| learn(&mut model, &rows, i));
            for method in METHODS {
                let mut model = calibrated(model.clone(), method, by);
                let plain = model.clone();
                if let Some(by) = validated {
                    model.validate(Some(by)).unwrap();
                }
                let classes = model.classes().list().len();
                let mut pairs = vec![Vec::new(); classes];
                let mut twin = plain;
                for i in 700..900 {
                    let mut margins = Vec::new();
                    twin.scores(rows.row(i), Some(by), &mut margins);
                    if by == Hypothesis::Voted {
                        // every row that is not zero is another vote; their share does not grow
                        let votes = twin.learner().score_unit(by);
                        let rows = i as f64;
                        assert!(votes <= rows && votes > 0.5 * rows, "{votes} of {rows}");
                        for margin in &mut margins {
                            *margin /= votes;
                        }
                        assert!(
                            margins.iter().all(|share| share.abs() <= 1.0),
                            "{margins:?}"
                        );
                    }
                    for (k, has) in truth(&twin, &rows, i).into_iter().enumerate() {
                        pairs[k].push((margins[k], has));
                    }
                    learn(&mut twin, &rows, i);
                    learn(&mut model, &rows, i);
                }
                assert_eq!(model.classes().list().len(), classes);
                assert_eq!(model.recalibrate(), Some(200));
                let expected: Vec<CalibrationMap> = pairs
                    .iter()
                    .map(|p| CalibrationMap::fit(method, p))
                    .collect();
                let found = &model.calibration().unwrap().maps;
                assert_eq!(*found, expected, "{spec} {labels:?} {method:?}");
            }
        }
    }
}

#[test]
fn too_few_rows_leave_the_maps_as_they_are() {
    let spec = Spec::parse("perceptron").unwrap();
    let rows = labelled(&spec, Labels::Two, 5, 120);
    let task = (Labels::Two, &rows);
    let model = model_for(&spec, task, Kernel::LINEAR, |builder| builder).unwrap();
    let mut model = calibrated(model, CalibrationMethod::Platt, Hypothesis::Final);
    let maps = model.calibration().unwrap().maps.clone();
    (0..99).for_each(|i| learn(&mut model, &rows, i));
    assert_eq!(model.recalibrate(), None);
    assert_eq!(model.calibration().unwrap().maps, maps);
    learn(&mut model, &rows, 99);
    assert_eq!(model.recalibrate(), Some(100));
    assert_ne!(model.calibration().unwrap().maps, maps);
    // rows of later passes were learned before, so they do not count
    model.end_pass();
    learn(&mut model, &rows, 100);
    assert_eq!(model.recalibrate(), Some(100));
    model.begin_run();
    learn(&mut model, &rows, 101);
    assert_eq!(model.recalibrate(), Some(101));
}

#[test]
fn a_learner_whose_margin_is_the_log_odds_has_probabilities_at_once() {
    const LARGER: &[Entry] = &[Entry {
        name: "chancy",
        summary: "a perceptron that says its margin is the log-odds",
        keys: &[],
        pairs: false,
        build: |_, memory| {
            let perceptron = Spec::parse("perceptron").unwrap();
            let parameters = perceptron.parameters(None).unwrap();
            perceptron
                .learner(&parameters, Kernel::LINEAR, memory)
                .unwrap()
        },
        build_with: None,
        can: Capabilities {
            probabilities: true,
            ..Capabilities::PLAIN
        },
    }];
    for labels in Labels::ALL {
        let spec = Spec::parse_in(LARGER, "chancy").unwrap();
        let mut model = Model::builder(spec).task(labels.task()).build().unwrap();
        let source = Some(ProbabilitySource::Native(1.0));
        assert_eq!(model.probability_source(), source);
        assert!(model.has_probabilities(None) && model.has_probabilities(Some(Hypothesis::Final)));
        assert!(!model.has_probabilities(Some(Hypothesis::Voted)));
        let rows = labelled(&Spec::parse("romma").unwrap(), labels, 3, 60);
        (0..60).for_each(|i| learn(&mut model, &rows, i));
        let (mut scores, mut found) = (Vec::new(), Vec::new());
        model.scores(rows.row(0), None, &mut scores);
        assert!(model.probabilities(&scores, &mut found));
        let odds = |score: &f64| 1.0 / (1.0 + libm::exp(-score));
        let sum: f64 = match labels {
            Labels::Many => scores.iter().map(odds).sum(),
            _ => 1.0,
        };
        for (score, p) in scores.iter().zip(&found) {
            assert!((odds(score) / sum - p).abs() < 1e-12);
        }
        // maps that are fitted come first
        let model = calibrated(model, CalibrationMethod::Platt, Hypothesis::Final);
        assert_ne!(model.probability_source(), source);
    }
}
