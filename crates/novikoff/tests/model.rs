//! What a model is to its users: how it begins, what a trial says, what is shared and what is refused.

#![allow(clippy::unwrap_used)]

use std::sync::Arc;

use novikoff::calibration::{
    Calibration, CalibrationMap, CalibrationMethod, RecentMargins, Sigmoid,
};
use novikoff::classes::{Class, Classes, Counts, Pending, Task};
use novikoff::kernel::Kernel;
use novikoff::label::{Label, LabelName, RawLabel};
use novikoff::learner::Hypothesis;
use novikoff::model::{
    Example, Model, ModelBuilder, ModelParts, PartsError, RowSample, Snapshot, Totals,
};
use novikoff::preparation::Preparation;
use novikoff::row::Row;
use novikoff::schema::Schema;
use novikoff::spec::Spec;

fn perceptron(task: Task) -> Model {
    let spec = Spec::parse("perceptron").unwrap();
    Model::builder(spec).task(task).build().unwrap()
}

fn label(text: &str) -> impl ExactSizeIterator<Item = RawLabel<'_>> {
    let number = text.parse().unwrap_or(f64::NAN);
    std::iter::once(RawLabel::new(number, text.as_bytes()))
}

#[test]
fn models_and_snapshots_go_from_thread_to_thread() {
    fn is_shared<T: Send + Sync + Clone + 'static>() {}
    is_shared::<Model>();
    is_shared::<Snapshot>();
    is_shared::<Arc<Schema>>();
}

#[test]
fn a_trial_says_what_happened_to_every_class() {
    let mut model = perceptron(Task::OneVsRest);
    let outcome = model.learn(Row::dense(&[0.0, 1.0]), label("a")).unwrap();
    // a score of 0 is a prediction of the label: class a is right, the background is not
    assert!(!outcome.is_mistake());
    assert_eq!(outcome.events().count(), 0);
    assert!(outcome.background().unwrap().mistake);
    let outcome = model.learn(Row::dense(&[0.0, 1.0]), label("b")).unwrap();
    let events: Vec<_> = outcome.events().collect();
    // class a scores 0 and class b what the background does: -1
    assert!(outcome.is_mistake());
    assert_eq!(events.iter().map(|e| e.class).collect::<Vec<_>>(), [0, 1]);
    assert_eq!((events[0].margin, events[1].margin), (0.0, -1.0));
    assert!(events.iter().all(|event| event.mistake && event.updated));
    assert_eq!(outcome.positives().collect::<Vec<_>>(), [1]);
    assert!(outcome.is_positive(1) && !outcome.is_positive(0));
    assert_eq!(outcome.model().totals().updates, 3);
}

#[test]
fn a_weight_counts_as_steps_and_an_id_is_kept() {
    let [mut plain, mut heavy] = [(); 2].map(|()| perceptron(Task::plus_minus()));
    let x = Row::dense(&[0.0, 1.0]);
    assert!(plain.learn(x, label("-1")).unwrap().is_mistake());
    let example = Example {
        weight: 3.0,
        id: Some(7),
        ..x.into()
    };
    assert!(heavy.learn(example, label("-1")).unwrap().is_mistake());
    assert_eq!(plain.learner().weights(0), [0.0, 0.0, -1.0]);
    assert_eq!(heavy.learner().weights(0), [0.0, 0.0, -3.0]);
}

#[test]
fn a_refused_row_is_no_trial() {
    let mut model = perceptron(Task::plus_minus());
    assert!(model.learn(Row::dense(&[0.0, 1.0]), label("3")).is_err());
    let none = std::iter::empty::<RawLabel<'_>>();
    assert!(model.learn(Row::dense(&[0.0, 1.0]), none).is_err());
    assert_eq!(model.totals(), Totals::default());
}

#[test]
fn the_builder_prepares_rows_as_it_was_asked_to() {
    let mut schema = Schema::default();
    (schema.zero_based, schema.width) = (true, 9);
    let builder = Model::builder(Spec::parse("perceptron").unwrap());
    let builder = builder.schema(schema).bias(Some(1.0)).normalize(Some(2.0));
    let mut model = builder.build().unwrap();
    let expected = Preparation {
        bias: Some(1.0),
        standardize: None,
        normalize: Some(2.0),
        map: None,
    };
    assert_eq!(model.preparation(), &expected);
    assert!(model.is_zero_based() && model.width() == 9);
    let outcome = model.learn(Row::dense(&[3.0, 4.0]), label("-1"));
    assert!(outcome.unwrap().is_mistake());
    let w = model.learner().weights(0);
    assert!(
        (w[1] + 0.6).abs() < 1e-12 && (w[2] + 0.8).abs() < 1e-12,
        "{w:?}"
    );
}

/// What is said first counts: to the builder, then in the spec, then what the learner wants.
#[test]
fn rows_that_nobody_speaks_of_are_prepared_as_the_learner_wants() {
    let gaussian = Kernel::parse("gaussian").unwrap();
    let made = |builder: ModelBuilder| {
        let model = builder.build().unwrap();
        (model.preparation().bias, model.preparation().normalize)
    };
    for (spec, want) in [
        ("perceptron", (None, None)),
        ("higher-order:p=4", (None, Some(4.0))),
        ("higher-order@normalize=off", (None, None)),
        ("perceptron@normalize=2,bias=0.5", (Some(0.5), Some(2.0))),
    ] {
        assert_eq!(made(Model::builder(spec)), want, "{spec}");
        let said = Model::builder(spec).normalize(1.0).bias(3.0);
        assert_eq!(made(said), (Some(3.0), Some(1.0)), "{spec}");
        let off = Model::builder(spec).normalize(None);
        assert_eq!(made(off).1, None, "{spec}");
        let schema = Model::builder(spec).schema(Schema::default());
        assert_eq!(made(schema).1, None, "{spec}");
    }
    let in_a_kernel = Model::builder("higher-order").kernel(gaussian);
    assert_eq!(made(in_a_kernel), (None, None));
    assert!(Model::builder("percepton").width(3).build().is_err());
}

#[test]
fn labels_are_texts_numbers_or_signs() {
    let mut model = perceptron(Task::plus_minus());
    assert!(
        model
            .learn(Row::dense(&[1.0]), [Label::Neg])
            .unwrap()
            .is_mistake()
    );
    // a number is the same label in every spelling
    assert!(
        !model
            .learn(Row::dense(&[1.0]), ["-1.0"])
            .unwrap()
            .is_mistake()
    );
    assert!(model.learn(Row::dense(&[1.0]), ["minus"]).is_err());
    assert_eq!(model.classify(Row::dense(&[1.0])), "-1");
    let none: [Label; 0] = [];
    assert!(model.learn(Row::dense(&[1.0]), none).is_err());
    assert_eq!(model.totals().trials, 2);
}

#[test]
fn a_snapshot_shares_the_schema_while_the_model_learns() {
    let mut model = perceptron(Task::plus_minus());
    let snapshot = model.snapshot();
    let _ = model.learn(Row::dense(&[0.0, 1.0]), label("-1")).unwrap();
    assert!(Arc::ptr_eq(model.schema(), snapshot.schema()));
    let others = snapshot.clone();
    assert_eq!(
        Arc::strong_count(model.schema()),
        2,
        "one model, one moment"
    );
    drop((snapshot, others));
    let before = Arc::as_ptr(model.schema());
    model.reach(5);
    assert_eq!(Arc::as_ptr(model.schema()), before, "nobody else holds it");
}

#[test]
fn a_new_class_gets_a_map_of_its_own() {
    let mut model = perceptron(Task::OneVsRest);
    let _ = model.learn(Row::dense(&[0.0, 1.0]), label("a")).unwrap();
    let map = CalibrationMap::Sigmoid(Sigmoid {
        slope: -1.0,
        offset: 0.0,
    });
    let calibration = Calibration {
        method: CalibrationMethod::Platt,
        hypothesis: Hypothesis::Final,
        maps: vec![map.clone()],
        rows: 4,
        recent: RecentMargins::default(),
    };
    model.calibrate(calibration).unwrap();
    let _ = model.learn(Row::dense(&[0.0, 1.0]), label("a")).unwrap();
    let _ = model.learn(Row::dense(&[0.0, 1.0]), label("b")).unwrap();
    let calibration = model.calibration().unwrap();
    assert_eq!((calibration.maps.len(), calibration.recent.len()), (2, 2));
    assert_eq!(calibration.maps[0], map);
    // a label that none of the rows so far has
    assert!(calibration.maps[1].probability(0.0) < 0.5);
    let has = calibration.recent.pairs(2).into_iter().map(|pair| pair.1);
    assert_eq!(has.collect::<Vec<_>>(), [false, true]);
}

/// The parts of a sound model, changed.
fn parts(change: impl FnOnce(&mut ModelParts)) -> Result<Model, PartsError> {
    let spec = Spec::parse("perceptron").unwrap();
    let parameters = spec.parameters(None).unwrap();
    let learner = spec.learner(&parameters, Kernel::LINEAR, 1 << 20).unwrap();
    let mut parts = ModelParts {
        spec,
        parameters,
        kernel: Kernel::LINEAR,
        auto_gamma: false,
        schema: Arc::default(),
        learner,
        classes: Classes::new(Task::plus_minus()),
        totals: Totals::default(),
        calibration: None,
        settled_earlier: 0,
        learned: RowSample::default(),
    };
    change(&mut parts);
    Model::from_parts(parts)
}

fn classes(names: &[&str], counts: Counts) -> Classes {
    let class = |name: &&str| Class {
        label: LabelName::typed(name),
        counts,
    };
    let list = names.iter().map(class).collect();
    let none = (Counts::default(), Pending::default());
    Classes::restore(Task::OneVsRest, list, none.0, none.1, [false; 2])
}

#[test]
fn parts_that_do_not_fit_together_are_no_model() {
    assert!(parts(|_| ()).is_ok());
    let refused = |change: &dyn Fn(&mut ModelParts)| parts(change).err().unwrap();
    let few = Counts::default();
    let many = Counts {
        mistakes: u64::MAX,
        updates: 0,
    };
    let is = |error, change: &dyn Fn(&mut ModelParts)| assert_eq!(refused(change), error);
    is(PartsError::LearnsNumbers, &|p| {
        p.classes = Classes::new(Task::Regression);
    });
    is(PartsError::SameLabel, &|p| {
        p.classes = classes(&["a", "a"], few);
    });
    is(
        PartsError::Lanes {
            lanes: 1,
            classes: 2,
        },
        &|p| {
            p.classes = classes(&["a", "b"], few);
        },
    );
    is(PartsError::Counts, &|p| {
        p.learner.add_lane(0).unwrap();
        p.classes = classes(&["a"], many);
    });
    is(PartsError::Pending, &|p| {
        p.classes.pending.lower.insert(4, 1);
    });
    is(PartsError::Counts, &|p| p.classes.earlier.any = u64::MAX);
    is(PartsError::Counts, &|p| p.settled_earlier = 1);
    is(PartsError::Numbers, &|p| p.totals.trials = u64::MAX);
    for preparation in [
        Preparation {
            bias: Some(f32::NAN),
            ..Preparation::default()
        },
        Preparation {
            normalize: Some(0.5),
            ..Preparation::default()
        },
    ] {
        is(PartsError::Numbers, &|p| {
            p.schema = Arc::new(Schema::prepared(preparation.clone()));
        });
    }
}
