//! Record batches in memory as rows, against the same table written to files and read by the reader.
#![allow(clippy::unwrap_used)]

use crate::columnar_common;

use std::fmt::Write as _;
use std::sync::Arc;

use arrow_array::builder::{Float32Builder, ListBuilder};
use arrow_array::types::Int32Type;
use arrow_array::{
    ArrayRef, DictionaryArray, FixedSizeListArray, Float32Array, Float64Array, Int64Array,
    ListArray, RecordBatch, StringArray, StructArray,
};
use arrow_schema::{DataType, Field};
use columnar_common::{Story, bytes, file, parquet, story_with, stream};
use novikoff::names::Names;
use novikoff::random::SplitMix64;
use novikoff::remedy::{Library, said};
use novikoff_data::arrow::BatchRows;
use novikoff_data::error::DataError;
use novikoff_data::options::{Missing, ReadOptions};

/// Facts and remedy in one line, as a person without a door reads them.
fn reported(error: &DataError) -> String {
    said(error, error.remedy().as_ref(), &Library)
}

fn table(columns: Vec<(&str, ArrayRef)>) -> RecordBatch {
    RecordBatch::try_from_iter_with_nullable(columns.into_iter().map(|(n, c)| (n, c, true)))
        .unwrap()
}

/// What pushing the batches says, in the words of the reader's story; rows are counted through all batches.
fn pushed(batches: &[RecordBatch], options: &ReadOptions, names: Names) -> Story {
    let mut story = Story::default();
    let mut rows = match BatchRows::new(&batches[0].schema(), options.clone(), names) {
        Ok(rows) => rows,
        Err(error) => {
            story.error = Some(reported(&error));
            return story;
        }
    };
    let mut before = 0;
    for batch in batches {
        let block = match rows.push(batch) {
            Ok(block) => block,
            Err(error) => {
                story.error = Some(reported(&error));
                break;
            }
        };
        let mut reported = Vec::new();
        for i in 0..block.len() {
            let labels = block
                .labels(i)
                .map(|label| String::from_utf8(label.text().to_vec()));
            let labels: Vec<String> = labels.map(|label| label.unwrap()).collect();
            let line = before + block.line(i) + 1;
            let values: Vec<(usize, f64)> = block.row(i).iter().collect();
            reported.push((format!("{line} {} |", labels.join(",")), values));
        }
        for (mut row, values) in reported {
            for (slot, value) in values {
                let name = rows.names().name(slot as u32).map(str::to_owned);
                let name = name.unwrap_or_else(|| slot.to_string());
                write!(row, " {name}:{}", value as f32).unwrap();
            }
            story.rows.push(row);
        }
        before += batch.num_rows() as u64;
    }
    story.skipped.clone_from(&rows.skipped().samples);
    story.unknown = rows.unknown();
    story
}

fn zero() -> ReadOptions {
    ReadOptions {
        missing: Some(Missing::Zero),
        ..ReadOptions::default()
    }
}

/// A batch of every kind of column, with nulls; the dictionary is its own.
fn random(rows: usize, random: &mut SplitMix64) -> RecordBatch {
    let some = |random: &mut SplitMix64| random.uniform() < 0.8;
    let whole: Int64Array = (0..rows)
        .map(|_| some(random).then(|| random.below(9) as i64 - 4))
        .collect();
    let real: Float64Array = (0..rows)
        .map(|_| some(random).then(|| random.uniform() - 0.5))
        .collect();
    let words = [
        "red",
        "green",
        "blue",
        "a name that is longer than the others",
    ];
    let text: StringArray = (0..rows)
        .map(|_| some(random).then(|| words[random.below(4)]))
        .collect();
    let keyed: DictionaryArray<Int32Type> = (0..rows)
        .map(|_| some(random).then(|| words[random.below(4)]))
        .collect();
    let mut list = ListBuilder::new(Float32Builder::new());
    for _ in 0..rows {
        for _ in 0..random.below(4) {
            let value = some(random).then(|| random.uniform() as f32);
            list.values().append_option(value);
        }
        list.append(some(random));
    }
    let items: Float32Array = (0..3 * rows)
        .map(|_| Some(random.uniform() as f32))
        .collect();
    let item = Arc::new(Field::new("item", DataType::Float32, true));
    let fixed = FixedSizeListArray::new(item, 3, Arc::new(items), None);
    let mut indices = Vec::new();
    let mut values = Vec::new();
    for _ in 0..rows {
        let first = 1 + random.below(5) as i64;
        let count = random.below(3) as i64;
        indices.push(Some((first..first + count).map(Some).collect::<Vec<_>>()));
        values.push(Some(
            (0..count).map(|k| Some(k as f64 + 0.5)).collect::<Vec<_>>(),
        ));
    }
    let indices = ListArray::from_iter_primitive::<arrow_array::types::Int64Type, _, _>(indices);
    let values = ListArray::from_iter_primitive::<arrow_array::types::Float64Type, _, _>(values);
    let sparse = StructArray::try_from(vec![
        ("indices", Arc::new(indices) as ArrayRef),
        ("values", Arc::new(values) as ArrayRef),
    ]);
    table(vec![
        ("whole", Arc::new(whole)),
        ("text", Arc::new(text.clone())),
        ("y", Arc::new(text)),
        ("real", Arc::new(real)),
        ("keyed", Arc::new(keyed)),
        ("list", Arc::new(list.finish())),
        ("fixed", Arc::new(fixed)),
        ("sparse", Arc::new(sparse.unwrap())),
    ])
}

#[test]
fn pushed_batches_are_the_rows_of_the_files() {
    let mut g = SplitMix64::new(3);
    for bias in [None, Some(1.0)] {
        let batches: Vec<RecordBatch> = [50, 1, 0, 700].map(|rows| random(rows, &mut g)).to_vec();
        let options = ReadOptions {
            bias,
            categorical: vec!["whole".to_owned()],
            ..zero()
        };
        for names in [Names::new(), Names::hashed(8)] {
            let direct = pushed(&batches, &options, names.clone());
            assert_eq!(direct.rows.len(), 751);
            for (format, written) in [
                ("parquet", parquet(&batches)),
                // one file has one dictionary
                ("file", file(&batches[3..])),
                ("stream", stream(&batches)),
            ] {
                let direct = if format == "file" {
                    &pushed(&batches[3..], &options, names.clone())
                } else {
                    &direct
                };
                let read = story_with(bytes(format, written), &options, 2, names.clone());
                assert_eq!(&read, direct, "{format}");
            }
        }
    }
}

#[test]
fn names_and_table_are_those_of_the_reader() {
    let batches = [random(200, &mut SplitMix64::new(8))];
    let mut rows = BatchRows::new(&batches[0].schema(), zero(), Names::new()).unwrap();
    rows.push(&batches[0]).unwrap();
    let input = bytes("p", parquet(&batches));
    let mut reader = novikoff_data::blocks::Reader::open(vec![input], zero(), 1).unwrap();
    while novikoff::source::Source::next_block(&mut reader)
        .unwrap()
        .is_some()
    {}
    assert!(rows.names().iter().eq(reader.names().iter()));
    assert_eq!(rows.names().highest(), reader.names().highest());
    assert_eq!(Some(rows.table()), reader.table());
}

#[test]
fn slices_are_the_rows_they_show() {
    let whole = random(120, &mut SplitMix64::new(4));
    let parts = [whole.slice(0, 17), whole.slice(17, 1), whole.slice(18, 102)];
    let once = pushed(&[whole], &zero(), Names::new());
    assert_eq!(pushed(&parts, &zero(), Names::new()), once);
}

#[test]
fn a_model_leaves_out_what_it_does_not_know() {
    let mut g = SplitMix64::new(6);
    let first = random(20, &mut g);
    let mut rows = BatchRows::new(&first.schema(), zero(), Names::new()).unwrap();
    rows.push(&first).unwrap();
    let mut names = rows.names().clone();
    names.freeze();
    let options = ReadOptions {
        table: Some(rows.table().clone()),
        ..zero()
    };
    let later = table(vec![
        (
            "y",
            Arc::new(StringArray::from(vec!["red", "blue"])) as ArrayRef,
        ),
        ("text", Arc::new(StringArray::from(vec!["mauve", "red"]))),
        ("real", Arc::new(Float64Array::from(vec![0.5, 1.5]))),
        ("other", Arc::new(Float64Array::from(vec![7.0, 0.0]))),
    ]);
    let direct = pushed(std::slice::from_ref(&later), &options, names.clone());
    assert_eq!(
        direct.rows,
        ["1 red | real:0.5", "2 blue | real:1.5 text=red:1"]
    );
    assert_eq!(direct.unknown, 3);
    let input = bytes("p", parquet(std::slice::from_ref(&later)));
    assert_eq!(story_with(input, &options, 1, names.clone()), direct);
    // a column that is missing is refused where missing values are
    let options = ReadOptions {
        missing: Some(Missing::Refuse),
        ..options
    };
    let error = BatchRows::new(&later.schema(), options, names)
        .err()
        .unwrap();
    let expected = "batches: column \"whole\" is missing, which the model or an earlier input has; \
                    add it, or use missing=zero to read it as 0, or as its mean if the model standardises it";
    assert_eq!(reported(&error), expected);
}

#[test]
fn errors_name_batch_row_and_column() {
    let batch = |x: Vec<Option<f64>>| {
        let y: ArrayRef = Arc::new(Int64Array::from(vec![1; x.len()]));
        table(vec![("y", y), ("x", Arc::new(Float64Array::from(x)))])
    };
    let good = batch(vec![Some(1.0), Some(2.0)]);
    let null = batch(vec![Some(1.0), None, Some(3.0)]);
    let huge = batch(vec![Some(1e300)]);
    let options = ReadOptions::default();
    let mut rows = BatchRows::new(&good.schema(), options, Names::new()).unwrap();
    rows.push(&good).unwrap();
    let missing = "column \"x\": the value is missing";
    let remedy = "fill it in, use missing=mean to read it as the mean of its column (files, in training), missing=indicator to learn from its being missing (in training), or missing=zero to read it as 0";
    let error = reported(&rows.push(&null).unwrap_err());
    assert_eq!(error, format!("batch 2, row 2, {missing}; {remedy}"));
    let error = reported(&rows.push(&huge).unwrap_err());
    assert!(
        error.starts_with("batch 3, row 1, column \"x\": "),
        "{error}"
    );
    // a batch that is refused leaves nothing behind
    assert_eq!(rows.push(&good).unwrap().len(), 2);
    // bad rows are passed over, and counted through all batches
    let options = ReadOptions {
        skip_bad: 2,
        ..ReadOptions::default()
    };
    let mut rows = BatchRows::new(&good.schema(), options, Names::new()).unwrap();
    assert_eq!(rows.push(&null).unwrap().lines, [0, 2]);
    assert!(rows.push(&huge).unwrap().is_empty());
    assert_eq!(rows.skipped().lines, 2);
    let error = reported(&rows.push(&null).unwrap_err());
    let end = "(bad lines passed over before it: 2)";
    assert_eq!(error, format!("batch 3, row 2, {missing} {end}; {remedy}"));
}

#[test]
fn batches_of_another_schema_are_refused() {
    let y = || -> ArrayRef { Arc::new(Int64Array::from(vec![1])) };
    let x = || -> ArrayRef { Arc::new(Float64Array::from(vec![1.0])) };
    let first = table(vec![("y", y()), ("x", x())]);
    let options = ReadOptions::default;
    let mut rows = BatchRows::new(&first.schema(), options(), Names::new()).unwrap();
    for (other, expected) in [
        (vec![("y", y())], "batch 1: 1 columns, but the schema has 2"),
        (
            vec![("y", y()), ("z", x())],
            "batch 2: column \"z\" of type Float64 where the schema has \"x\" of type Float64",
        ),
        (
            vec![("y", y()), ("x", y())],
            "batch 3: column \"x\" of type Int64 where the schema has \"x\" of type Float64",
        ),
    ] {
        let error = reported(&rows.push(&table(other)).unwrap_err());
        assert!(error.starts_with(expected), "{error}");
        assert!(error.ends_with("; push batches of one schema"), "{error}");
    }
    assert_eq!(rows.push(&first).unwrap().len(), 1);
    let no_label = table(vec![("a", x())]);
    let error = BatchRows::new(&no_label.schema(), options(), Names::new());
    let error = reported(&error.err().unwrap());
    assert!(
        error.starts_with("batches: which column is the label?"),
        "{error}"
    );
    // limits of names
    let few = ReadOptions {
        max_features: 2,
        ..options()
    };
    let words: ArrayRef = Arc::new(StringArray::from(vec!["a", "b", "c"]));
    let whole: ArrayRef = Arc::new(Int64Array::from(vec![1, 2, 3]));
    let many = table(vec![("y", whole), ("w", words)]);
    let mut rows = BatchRows::new(&many.schema(), few, Names::new()).unwrap();
    let error = reported(&rows.push(&many).unwrap_err());
    assert!(
        error.starts_with("batch 1, row 3: a feature past the limit of 2"),
        "{error}"
    );
}
