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
    // the row is (1, 3, 4) with the constant feature
    let w = model.learner().weights(0);
    let expected = [1.0, 3.0, 4.0].map(|v: f64| -v / 26_f64.sqrt());
    assert!(
        w.iter().zip(expected).all(|(w, v)| (w - v).abs() < 1e-12),
        "{w:?}"
    );
}

/// A row is the same to a model with a constant feature whether it brings slot 0 or not, in whatever form it comes.
#[test]
fn the_constant_feature_is_put_in_where_a_row_lacks_it() {
    let builder = |text: &str| Model::builder(Spec::parse(text).unwrap()).bias(0.5);
    let gaussian = Kernel::parse("gaussian").unwrap();
    let map = novikoff::MapSpec::parse("rff:dim=20,gamma=2").unwrap();
    let mapped = || builder("averaged").map(map);
    for build in [
        &(|| builder("perceptron")) as &dyn Fn() -> ModelBuilder,
        &|| builder("second-order:a=2").normalize(2.0),
        &|| builder("perceptron").kernel(gaussian),
        &|| builder("auto(perceptron; second-order@bias=2; arow@bias=off)"),
        &mapped,
    ] {
        let with: [(&[u32], &[f32]); 5] = [
            (&[0, 1, 2], &[0.5, 3.0, 4.0]),
            (&[0, 3, 4], &[0.5, 1.0, 2.0]),
            (&[0, 2, 7], &[0.5, 1.5, 0.25]),
            (&[0], &[0.5]),
            (&[0, 1], &[9.0, 2.0]), // counts as 0.5
        ];
        let [mut brought, mut put_in, mut dense] = [(); 3].map(|()| build().build().unwrap());
        for (t, (index, value)) in with.into_iter().cycle().take(40).enumerate() {
            let y = ["-1", "+1"][t * 7 % 3 % 2];
            let margin = |model: &mut Model, x: Row<'_>| {
                let outcome = model.learn(x, label(y)).unwrap();
                outcome.class(0).margin
            };
            let (first, values) = dense_of(index, value);
            let own = margin(&mut brought, Row::sparse(index, value));
            let lacking = margin(&mut put_in, Row::sparse(&index[1..], &value[1..]));
            assert_eq!(own.to_bits(), lacking.to_bits(), "trial {t}");
            // zeros in between change the order of sums
            let dense = margin(&mut dense, Row::run(first, &values));
            assert!((own - dense).abs() <= 1e-9 * (1.0 + own.abs()), "trial {t}");
        }
    }
    // without a constant feature slot 0 is left out
    let mut plain = perceptron(Task::plus_minus());
    let _ = plain.learn(Row::run(0, &[1.0, 2.0]), label("-1")).unwrap();
    assert_eq!(plain.learner().weights(0)[0], 0.0);
}

/// The first feature, and the values from there to the last, zeros included.
fn dense_of(index: &[u32], value: &[f32]) -> (u32, Vec<f32>) {
    let first = index.get(1).copied().unwrap_or(1);
    let last = index.last().copied().unwrap_or(0);
    let at = |slot: u32| index.iter().position(|&own| own == slot);
    let values = (first..=last).map(|slot| at(slot).map_or(0.0, |i| value[i]));
    (first, values.collect())
}

/// What reports call the margin of a trial: towards the right side, by task.
#[test]
fn the_margin_of_the_truth() {
    let mut model = perceptron(Task::plus_minus());
    let margin = |model: &mut Model, x: &[f32], y: &str| {
        let outcome = model.learn(Row::dense(x), label(y)).unwrap();
        outcome.margin_of_truth()
    };
    assert_eq!(margin(&mut model, &[2.0], "-1"), Some(-0.0));
    assert_eq!(margin(&mut model, &[1.0], "-1"), Some(2.0));
    assert_eq!(margin(&mut model, &[1.0], "+1"), Some(-2.0));

    let mut model = perceptron(Task::OneVsRest);
    // there is no other class yet
    assert_eq!(margin(&mut model, &[2.0, 0.0], "a"), Some(0.0));
    for _ in 0..3 {
        let _ = margin(&mut model, &[2.0, 0.0], "a");
        let _ = margin(&mut model, &[0.0, 2.0], "b");
    }
    let outcome = model.learn(Row::dense(&[1.0, 0.0]), label("a")).unwrap();
    let apart = outcome.score(0) - outcome.score(1);
    assert_eq!(outcome.margin_of_truth(), Some(apart));
    assert!(apart > 0.0 && !outcome.is_mistake());
    let outcome = model.learn(Row::dense(&[1.0, 0.0]), label("b")).unwrap();
    assert!(outcome.is_mistake() && outcome.margin_of_truth().unwrap() < 0.0);

    let mut model = perceptron(Task::MultiLabel);
    let none = std::iter::empty::<RawLabel<'_>>();
    let outcome = model.learn(Row::dense(&[1.0, 1.0]), none).unwrap();
    assert_eq!(outcome.margin_of_truth(), None);
    for _ in 0..3 {
        let both = [RawLabel::from("a"), RawLabel::from("b")];
        let _ = model.learn(Row::dense(&[1.0, 1.0]), both).unwrap();
        let _ = model.learn(Row::dense(&[-1.0, 1.0]), label("b")).unwrap();
    }
    let outcome = model.learn(Row::dense(&[-1.0, 0.5]), label("b")).unwrap();
    let least = (-outcome.class(0).margin).min(outcome.class(1).margin);
    assert_eq!(outcome.margin_of_truth(), Some(least));
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
