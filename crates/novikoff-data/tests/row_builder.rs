//! Rows built by names, one at a time, against the same rows in files.

// the exception to `unsafe_code = "deny"`: an allocator cannot be written without it
#![allow(unsafe_code, clippy::unwrap_used)]

use std::alloc::{GlobalAlloc, Layout, System};
use std::borrow::Cow;
use std::cell::Cell;
use std::fmt::Write as _;
use std::sync::Arc;

use novikoff::classes::Task;
use novikoff::label::RawLabel;
use novikoff::model::{Model, Outcome};
use novikoff::names::{NameLimits, Names};
use novikoff::random::SplitMix64;
use novikoff::run;
use novikoff::schema::Schema;
use novikoff::source::Source as _;
use novikoff::spec::Spec;
use novikoff_data::blocks::{Input, Reader};
use novikoff_data::model::{from_bytes, to_bytes};
use novikoff_data::options::ReadOptions;
use novikoff_data::row_builder::{RowBuilder, RowError};

/// Counts what each thread asks for.
struct Counting;

thread_local! {
    static CALLS: Cell<usize> = const { Cell::new(0) };
}

// SAFETY: every call is passed on to the system's allocator unchanged; counting does not allocate.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        CALLS.set(CALLS.get() + 1);
        // SAFETY: the caller's promise is the one required.
        unsafe { System.alloc(layout) }
    }

    unsafe fn realloc(&self, old: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        CALLS.set(CALLS.get() + 1);
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

const MEMORY: u128 = 1 << 24;

fn model(spec: &str, task: Task, names: Names) -> Model {
    let spec = Spec::parse(spec).unwrap();
    let mut schema = Schema::default();
    schema.names = names;
    let builder = Model::builder(spec).task(task).schema(schema);
    builder.bias(Some(1.0)).memory(MEMORY).build().unwrap()
}

fn options() -> ReadOptions {
    ReadOptions {
        bias: Some(1.0),
        ..ReadOptions::default()
    }
}

struct Observer;

impl run::Observer for Observer {
    fn trial(&mut self, _epoch: u32, _row: u64, _outcome: Outcome<'_>) {}
}

/// Trains on a file as the command does.
fn trained(text: &str, spec: &str, task: Task, names: Names) -> Model {
    let input = Input::Bytes {
        name: "table".to_owned(),
        text: Cow::Owned(text.as_bytes().to_vec()),
    };
    let mut model = model(spec, task, Names::new());
    let mut reader = Reader::with_names(vec![input], options(), 2, names).unwrap();
    let mut first = 0;
    while let Some(block) = reader.next_block().unwrap() {
        run::block(
            &mut model,
            block,
            0..block.len(),
            run::Position { epoch: 0, first },
            &mut Observer,
        )
        .unwrap();
        first += block.len() as u64;
    }
    model.adopt(reader.schema());
    model
}

fn csv(rows: usize) -> String {
    let mut random = SplitMix64::new(9);
    let mut text = "price,colour,y,size,kind\n".to_owned();
    for _ in 0..rows {
        let (price, size) = (random.below(7) as f64 - 3.0, random.uniform());
        let colour = ["red", "green", "blue", "black"][random.below(4)];
        let y = ["a", "b", "c"][random.below(3)];
        writeln!(text, "{price},{colour},{y},{size},k{}", random.below(30)).unwrap();
    }
    text
}

fn label(text: &str) -> impl ExactSizeIterator<Item = RawLabel<'_>> {
    let number = text.parse().unwrap_or(f64::NAN);
    std::iter::once(RawLabel::new(number, text.as_bytes()))
}

#[test]
fn rows_of_a_table_one_by_one_give_the_model_of_the_file() {
    let text = csv(400);
    for names in [Names::new(), Names::hashed(6)] {
        for spec in ["perceptron", "averaged", "second-order"] {
            let expected = trained(&text, spec, Task::OneVsRest, names.clone());
            let mut model = model(spec, Task::OneVsRest, names.clone());
            let mut builder = RowBuilder::new(options());
            let mut schema = (**model.schema()).clone();
            schema.table = expected.table().cloned();
            model.adopt(Arc::new(schema));
            let table = expected.table().unwrap();
            builder.columns(table, model.names_mut()).unwrap();
            let mut reader = csv::Reader::from_reader(text.as_bytes());
            for record in reader.records() {
                let record = record.unwrap();
                let mut row = builder.learning(model.names_mut());
                row.number("price", record[0].parse().unwrap()).unwrap();
                row.category("colour", &record[1]).unwrap();
                row.number("size", record[3].parse::<f32>().unwrap().into())
                    .unwrap();
                row.category("kind", &record[4]).unwrap();
                let x = row.finish().unwrap();
                let _ = model.learn(x, label(&record[2])).unwrap();
                model.reach(builder.width());
            }
            assert_eq!(to_bytes(&model).unwrap(), to_bytes(&expected).unwrap());
        }
    }
}

#[test]
fn numbers_of_features_give_the_model_of_svmlight() {
    let mut random = SplitMix64::new(2);
    let mut text = String::new();
    let mut model = model("perceptron", Task::plus_minus(), Names::new());
    let mut builder = RowBuilder::new(options());
    for _ in 0..100 {
        let y = ["-1", "1"][random.below(2)];
        let first = 1 + random.below(40);
        write!(text, "{y}").unwrap();
        let mut row = builder.learning(model.names_mut());
        for k in 0..3 {
            let value = random.below(5) as f64 - 2.0;
            write!(text, " {}:{value}", first + 7 * k).unwrap();
            row.index((first + 7 * k) as u64, value).unwrap();
        }
        text.push('\n');
        let x = row.finish().unwrap();
        let _ = model.learn(x, label(y)).unwrap();
        model.reach(builder.width());
    }
    let expected = trained(&text, "perceptron", Task::plus_minus(), Names::new());
    assert_eq!(to_bytes(&model).unwrap(), to_bytes(&expected).unwrap());
}

#[test]
fn numbers_and_names_do_not_share_slots() {
    let mut builder = RowBuilder::new(ReadOptions::default());
    for by_number_first in [true, false] {
        let mut names = Names::new();
        let mut row = builder.learning(&mut names);
        if by_number_first {
            row.index(1, 5.0).unwrap();
        }
        row.number("a", 2.0).unwrap();
        if !by_number_first {
            row.index(1, 5.0).unwrap();
        }
        row.word("text", "good").unwrap();
        row.word("text", "good").unwrap();
        let x = row.finish().unwrap();
        let mut values: Vec<f64> = x.iter().map(|(_, value)| value).collect();
        values.sort_by(f64::total_cmp);
        assert_eq!(values, [2.0, 2.0, 5.0]);
        assert!(names.slot(b"text^good").is_some());
        // the same number is the same feature later
        let slot = names.slot(b"1").unwrap();
        let mut row = builder.predicting(&names);
        row.index(1, 3.0).unwrap();
        let x: Vec<(usize, f64)> = row.finish().unwrap().iter().collect();
        assert_eq!(x, [(slot as usize, 3.0)]);
    }
}

#[test]
fn predicting_leaves_out_what_is_not_known() {
    for names in [Names::new(), Names::hashed(6)] {
        let text = csv(100);
        let model = trained(&text, "averaged", Task::OneVsRest, names);
        let model = from_bytes(&to_bytes(&model).unwrap(), MEMORY)
            .unwrap()
            .model;
        let mut builder = RowBuilder::new(options());
        let mut score = |extra: bool| {
            let mut row = builder.predicting(model.names());
            row.number("price", 2.0).unwrap();
            row.category("colour", "red").unwrap();
            if extra {
                row.category("colour", "mauve").unwrap();
                row.number("weight", 3.0).unwrap();
            }
            let mut scores = Vec::new();
            model.scores(row.finish().unwrap(), None, &mut scores);
            scores
        };
        let (plain, extra) = (score(false), score(true));
        // a hash is known to be none
        if model.names().bits().is_none() {
            assert_eq!((plain, builder.unknown()), (extra, 2));
        } else {
            assert_eq!(builder.unknown(), 0);
        }
    }
}

#[test]
fn a_row_that_is_given_up_leaves_no_names() {
    let mut names = Names::new();
    let mut builder = RowBuilder::new(options());
    let mut row = builder.learning(&mut names);
    row.number("a", 1.0).unwrap();
    let error = row.number("b", f64::NAN).unwrap_err();
    assert_eq!(
        error.to_string(),
        "feature \"b\": NaN is not a number within the range of f32, 3.4e38"
    );
    assert_eq!(
        error.remedy().to_string(),
        "leave the feature out, or scale it down"
    );
    assert!(row.number("b", 1e39).is_err());
    assert!(names.is_empty());
    let x = builder.learning(&mut names).finish().unwrap();
    assert_eq!(x.iter().collect::<Vec<_>>(), [(0, 1.0)]);
    let few = ReadOptions {
        max_features: 2,
        ..ReadOptions::default()
    };
    let mut builder = RowBuilder::new(few);
    let mut row = builder.learning(&mut names);
    for (index, expected) in [(0, "features 1 to 2"), (3, "features 1 to 2")] {
        let error = row.index(index, 1.0).unwrap_err().to_string();
        assert!(error.contains(expected), "{error}");
    }
    for name in ["a", "b", "c"] {
        row.number(name, 1.0).unwrap();
    }
    assert!(matches!(row.finish(), Err(RowError::Names(_))));
}

#[test]
fn rows_of_known_names_allocate_nothing() {
    let mut names = Names::new();
    let mut builder = RowBuilder::new(options());
    let kinds: Vec<String> = (0..20)
        .map(|k| format!("kind {k} of a long name that is not packed"))
        .collect();
    let mut calls = Vec::new();
    for round in 0..4 {
        let before = CALLS.get();
        for (kind, other) in kinds.iter().zip(kinds.iter().rev()) {
            let mut row = builder.learning(&mut names);
            row.category("z", other).unwrap();
            row.number("price", f64::from(round) + 0.5).unwrap();
            row.category("kind", kind).unwrap();
            row.index(7, 2.0).unwrap();
            assert!(row.finish().unwrap().len() > 3);
            let mut row = builder.predicting(&names);
            row.category("kind", kind).unwrap();
            row.category("kind", "never met").unwrap();
            assert_eq!(row.finish().unwrap().len(), 2);
        }
        calls.push(CALLS.get() - before);
    }
    assert!(calls[0] > 0);
    assert_eq!(calls[2..], [0, 0]);
}

#[test]
fn names_are_written_without_a_copy_of_each() {
    let limits = NameLimits {
        slots: 1 << 20,
        bytes: 1 << 24,
    };
    let [few, many] = [10, 10_000].map(|count| {
        let mut model = model("perceptron", Task::plus_minus(), Names::new());
        for k in 0..count {
            let name = format!("a name of some length, number {k}");
            model.names_mut().assign(&name, limits).unwrap();
        }
        let before = CALLS.get();
        let bytes = to_bytes(&model).unwrap();
        let calls = CALLS.get() - before;
        assert!(bytes.len() > 30 * count);
        calls
    });
    // buffers grow by doubling
    assert!(many < few + 50, "{few} and {many} allocations");
}
