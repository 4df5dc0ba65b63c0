//! The hot path allocates nothing once the width is reached, and a row that is refused for its size
//! allocates next to nothing.

// the exception to `unsafe_code = "deny"`: an allocator cannot be written without it
#![allow(unsafe_code, clippy::unwrap_used)]

mod common;

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;

use common::stream::{KINDS, Kind, Stream};
use common::{MEMORY, SPECS, every_spec, learner_for, learner_within, score, stream_for, survey};
use novikoff::classes::Task;
use novikoff::label::RawLabel;
use novikoff::learner::{Learner, Trial};
use novikoff::model::{Example, Model};
use novikoff::random::SplitMix64;
use novikoff::row::Row;
use novikoff::spec::Spec;

/// Counts what each thread asks for.
struct Counting;

thread_local! {
    static CALLS: Cell<usize> = const { Cell::new(0) };
    static LARGEST: Cell<usize> = const { Cell::new(0) };
}

fn count(bytes: usize) {
    CALLS.set(CALLS.get() + 1);
    LARGEST.set(LARGEST.get().max(bytes));
}

// SAFETY: every call is passed on to the system's allocator unchanged; counting does not allocate.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        count(layout.size());
        // SAFETY: the caller's promise is the one required.
        unsafe { System.alloc(layout) }
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        count(layout.size());
        // SAFETY: the caller's promise is the one required.
        unsafe { System.alloc_zeroed(layout) }
    }

    unsafe fn realloc(&self, old: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        count(size);
        // SAFETY: the caller's promise is the one required.
        unsafe { System.realloc(old, layout, size) }
    }

    unsafe fn dealloc(&self, old: *mut u8, layout: Layout) {
        // SAFETY: the caller's promise is the one required.
        unsafe { System.dealloc(old, layout) }
    }
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;

/// How often `work` asks for memory, and for how much at most.
fn counted(work: impl FnOnce()) -> (usize, usize) {
    CALLS.set(0);
    LARGEST.set(0);
    work();
    (CALLS.get(), LARGEST.get())
}

#[test]
fn the_counter_counts() {
    assert_eq!(counted(|| drop(vec![0_u8; 1000])), (1, 1000));
    assert_eq!(counted(|| ()), (0, 0));
}

/// Whether updates allocate nothing: some learners store their updates, those with a matrix make a vector per update.
fn keeps_nothing_more(spec: &str) -> bool {
    let store = [
        "voted",
        "max-margin",
        "forgetron",
        "random-budget",
        "projectron",
    ];
    let with_matrix = ["whitened", "arow:form=full", "second-order", "higher-order"];
    let diagonal = spec.contains("form=diagonal");
    let mut others = store.iter().chain(&with_matrix);
    let plain = !spec.contains("base=second-order");
    plain && (diagonal || !others.any(|name| spec.starts_with(name)))
}

/// The experts of `auto` that keep no rows and no matrix.
const AUTO: &str = "auto(perceptron@normalize=2,bias=1; passive-aggressive@normalize=2,bias=1; arow@bias=1; \
    arow:r=0.1@normalize=2,bias=0.5; logistic@normalize=2,bias=1; averaged; p-norm@bias=1; alma)";

#[test]
fn no_allocation_a_row() {
    every_spec(no_allocations_of);
    for keys in ["", ":cost=1000", ":beta=0.7,share=0.01"] {
        no_allocations_of(&format!("{AUTO}{keys}"));
    }
}

fn no_allocations_of(spec: &str) {
    if !keeps_nothing_more(spec) {
        return;
    }
    for &kind in KINDS {
        for (lanes, averages) in [(1, false), (3, false), (1, true), (3, true)] {
            let stream = stream_for(spec, kind, 1, 200);
            let mut learner = learner_for(spec, &stream);
            if averages && !learner.keep_average() {
                continue;
            }
            (1..lanes).for_each(|_| learner.add_lane(0).unwrap());
            let mut out = Trial {
                validates: Some(learner.hypotheses()[0]),
                ..Trial::default()
            };
            let mut scores = vec![0.0; lanes];
            let mut epoch = || {
                let mut updates = 0;
                for (t, sample) in stream.samples.iter().enumerate() {
                    let positive = if sample.positive {
                        [t % lanes]
                    } else {
                        [lanes]
                    };
                    learner.trial(sample.row(), &positive, &mut out).unwrap();
                    updates += out.updated.iter().filter(|u| **u).count();
                    let by = learner.hypotheses()[0];
                    learner.scores(sample.row(), by, &mut scores);
                }
                updates
            };
            epoch();
            let mut updates = 0;
            let (calls, _) = counted(|| updates = epoch());
            // on large margins it does not ask
            let asks = !spec.starts_with("selective");
            assert!(updates > 0 || !asks, "{spec} on {}", stream.name);
            assert_eq!(
                calls, 0,
                "{spec} on {}: allocations in 200 rows",
                stream.name
            );
        }
    }
}

/// Whatever an update of the higher-order perceptron or one on a budget needs, a right answer needs nothing.
#[test]
fn no_allocation_a_right_answer() {
    every_spec(|spec| {
        let names = [
            "higher-order",
            "voted",
            "forgetron",
            "random-budget",
            "projectron",
        ];
        // those that may learn from right answers look at them
        if !names.iter().any(|name| spec.starts_with(name)) || spec.contains("plus") {
            return;
        }
        for &kind in KINDS {
            let stream = stream_for(spec, kind, 1, 200);
            let mut learner = learner_for(spec, &stream);
            let mut out = Trial::default();
            let mut right = 0;
            for round in 0..2 {
                for sample in &stream.samples {
                    let positive: &[usize] = if sample.positive { &[0] } else { &[] };
                    let (calls, _) =
                        counted(|| learner.trial(sample.row(), positive, &mut out).unwrap());
                    // the first round makes room for all features
                    if round == 1 && !out.updated[0] {
                        assert_eq!(calls, 0, "{spec} on {}", stream.name);
                        right += 1;
                    }
                }
            }
            assert!(right > 20, "{spec} on {}: {right}", stream.name);
        }
    });
}

/// Thousands of features, before an update whose number is a power of two: then the second-order perceptron asks which features stand apart,
/// and must not do so for right answers too.
#[test]
fn no_allocation_a_right_answer_among_thousands_of_features() {
    let mut random = SplitMix64::new(3);
    let mut any_row = || {
        let mut slots: Vec<u32> = (0..20).map(|_| 1 + random.below(4000) as u32).collect();
        slots.sort_unstable();
        slots.dedup();
        (slots, [0.2_f32; 20], random.uniform() < 0.5)
    };
    for before in [256, 512] {
        let mut learner = learner_within("second-order", 4000, MEMORY);
        let (mut out, mut kept) = (Trial::default(), Vec::new());
        let trial =
            |learner: &mut dyn Learner, out: &mut Trial, row: &(Vec<u32>, [f32; 20], bool)| {
                let x = Row::sparse(&row.0, &row.1[..row.0.len()]);
                let positive: &[usize] = if row.2 { &[0] } else { &[] };
                learner.trial(x, positive, out).unwrap();
            };
        while kept.len() < before - 1 {
            let row = any_row();
            trial(&mut *learner, &mut out, &row);
            if out.updated[0] {
                kept.push(row);
            }
        }
        let mut right = 0;
        for row in &kept {
            let (calls, _) = counted(|| trial(&mut *learner, &mut out, row));
            if out.updated[0] {
                break;
            }
            assert_eq!(calls, 0, "before update {before}");
            right += 1;
        }
        assert!(right > 50, "{right}");
    }
}

/// The one row that would need gigabytes: refused before anything is made for it.
#[test]
fn a_refused_row_allocates_next_to_nothing() {
    every_spec(|spec| {
        let stream: Stream = stream_for(spec, Kind::Sparse, 1, 20);
        let mut learner = learner_within(spec, stream.width, 1 << 24);
        let mut out = Trial::default();
        let far = Row::sparse(&[1, u32::MAX - 1], &[1.0, 1.0]);
        if learner.surveys() {
            let (_, largest) = counted(|| assert!(learner.survey(far).is_err()));
            assert!(
                largest < 10_000,
                "{spec}: the survey asked for {largest} bytes"
            );
        }
        survey(&mut *learner, &stream.samples);
        learner
            .trial(stream.samples[0].row(), &[0], &mut out)
            .unwrap();
        let (_, largest) = counted(|| assert!(learner.trial(far, &[0], &mut out).is_err()));
        assert!(largest < 10_000, "{spec}: asked for {largest} bytes");
        let (_, largest) = counted(|| {
            score(&*learner, far, learner.hypotheses()[0]);
        });
        assert!(
            largest < 10_000,
            "{spec}: scoring asked for {largest} bytes"
        );
    });
    assert!(SPECS.len() > 10);
}

#[test]
fn a_model_allocates_nothing_per_row() {
    for task in [Task::plus_minus(), Task::OneVsRest] {
        for normalize in [None, Some(2.0)] {
            let stream = stream_for("perceptron", Kind::Dense, 3, 200);
            let spec = Spec::parse("perceptron").unwrap();
            let builder = Model::builder(spec).task(task.clone()).normalize(normalize);
            let mut model = builder.build().unwrap();
            let mut epoch = || {
                let mut mistakes = 0;
                for (t, sample) in stream.samples.iter().enumerate() {
                    let text: &[u8] = if sample.positive { b"+1" } else { b"-1" };
                    let label = RawLabel::new(if sample.positive { 1.0 } else { -1.0 }, text);
                    let example = Example {
                        id: Some(t as u64),
                        ..sample.row().into()
                    };
                    let outcome = model.learn(example, std::iter::once(label)).unwrap();
                    mistakes += usize::from(outcome.is_mistake());
                    mistakes += outcome.events().filter(|event| event.mistake).count();
                }
                assert!(mistakes > 0, "nothing was learned");
            };
            epoch();
            assert_eq!(counted(epoch).0, 0, "{task:?}");
        }
    }
}
