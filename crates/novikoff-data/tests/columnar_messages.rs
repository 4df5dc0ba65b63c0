//! Everything that can be wrong with a table that is sound as a file, and what is said of it.
#![allow(clippy::unwrap_used)]

use crate::columnar_common;

use std::slice::from_ref;
use std::sync::Arc;

use arrow_array::builder::{Float64Builder, Int64Builder, ListBuilder};
use arrow_array::{
    Array as _, ArrayRef, Date32Array, Decimal256Array, Float32Array, Float64Array, Int64Array,
    RecordBatch, StringArray, StructArray, Time32SecondArray, new_empty_array,
};
use arrow_schema::{DataType, Field, Fields, Schema, TimeUnit};
use columnar_common::{bytes, error, parquet, rows, story, story_with, stream};
use novikoff::names::Names;
use novikoff::table::{Column, ColumnKind, Table};
use novikoff_data::blocks::{Missing, ReadOptions};

fn labelled(name: &str, column: ArrayRef) -> RecordBatch {
    let labels: ArrayRef = Arc::new(Int64Array::from(vec![1; column.len()]));
    let columns = [("label", labels), (name, column)];
    RecordBatch::try_from_iter_with_nullable(columns.map(|(name, c)| (name, c, true))).unwrap()
}

/// What is said of a column, as Arrow and as Parquet.
fn said(name: &str, column: ArrayRef, options: &ReadOptions) -> String {
    let batch = labelled(name, column);
    let reported = error(bytes("t", stream(from_ref(&batch))), options);
    assert_eq!(error(bytes("t", parquet(&[batch])), options), reported);
    reported
}

#[test]
fn types_that_are_no_features() {
    let no = |kind: &str| {
        format!(
            "t: column \"when\" is of type {kind}; features are numbers, booleans, strings, dates, \
             lists of numbers and structs of these; use drop=\"when\", or cast it"
        )
    };
    let options = ReadOptions::default();
    let time = Arc::new(Time32SecondArray::from(vec![1]));
    assert_eq!(said("when", time, &options), no("Time32(s)"));
    let texts = ListBuilder::new(arrow_array::builder::StringBuilder::new()).finish();
    let texts = said("when", Arc::new(texts), &options);
    assert!(
        texts.starts_with("t: column \"when\" is of type List("),
        "{texts}"
    );
    let item = Arc::new(Field::new("item", DataType::Float32, true));
    let nothing = new_empty_array(&DataType::FixedSizeList(item, 0));
    let nothing = stream(&[labelled("when", nothing)]);
    let nothing = error(bytes("t", nothing), &options);
    assert!(
        nothing.starts_with("t: column \"when\" is of type FixedSizeList("),
        "{nothing}"
    );
    // also inside of a struct
    let kind = DataType::Time32(TimeUnit::Second);
    let field = Fields::from(vec![Field::new("d", kind, true)]);
    let time = StructArray::new(
        field,
        vec![Arc::new(Time32SecondArray::from(vec![1]))],
        None,
    );
    let reported = said("s", Arc::new(time.clone()), &options);
    assert!(
        reported.starts_with("t: column \"s.d\" is of type Time32(s);"),
        "{reported}"
    );
    // what is dropped may be anything
    for drop in ["s", "s.d"] {
        let options = ReadOptions {
            drop: vec![drop.to_owned()],
            ..ReadOptions::default()
        };
        let dropped = stream(&[labelled("s", Arc::new(time.clone()))]);
        let reported = story_with(bytes("t", dropped), &options, 1, Names::new());
        assert_eq!((reported.error, reported.rows.len()), (None, 1), "{drop}");
    }
}

#[test]
fn labels_of_a_wrong_type() {
    let options = ReadOptions {
        label: Some("when".to_owned()),
        ..ReadOptions::default()
    };
    assert_eq!(
        said("when", Arc::new(Date32Array::from(vec![1])), &options),
        "t: the label column \"when\" is of type Date32; labels are integers, floats, booleans, \
         strings or lists of these; cast it"
    );
}

#[test]
fn values_that_are_no_f32() {
    let options = ReadOptions::default();
    let floats = |values: Vec<f64>| said("x", Arc::new(Float64Array::from(values)), &options);
    assert_eq!(
        floats(vec![1.0, f64::NAN]),
        "t:2:2: column \"x\": the value is missing; fill it in, use missing=mean to read it as the mean of its column (files, in training), missing=indicator to learn from its being missing (in training), or missing=zero to read it as 0"
    );
    assert_eq!(
        floats(vec![f64::NEG_INFINITY]),
        "t:1:2: column \"x\": -inf is not a finite number; remove or replace it"
    );
    assert_eq!(
        floats(vec![0.0, 0.0, 1e39]),
        "t:3:2: column \"x\": 1e39 is beyond the range of f32, 3.4e38; scale the column down"
    );
    assert_eq!(
        said("x", Arc::new(Float32Array::from(vec![f32::NAN])), &options),
        "t:1:2: column \"x\": the value is missing; fill it in, use missing=mean to read it as the mean of its column (files, in training), missing=indicator to learn from its being missing (in training), or missing=zero to read it as 0"
    );
    let wide = Decimal256Array::from(vec![arrow_buffer::i256::from_i128(10).wrapping_pow(60)]);
    let wide = wide.with_precision_and_scale(76, 2).unwrap();
    assert_eq!(
        said("x", Arc::new(wide), &options),
        format!(
            "t:1:2: column \"x\": 1{}e-2 is beyond the range of f32, 3.4e38; scale the column down",
            "0".repeat(60)
        )
    );
}

#[test]
fn bad_values_come_after_the_rows_before_them() {
    let mut values = vec![1.0; 20_000];
    values[15_000] = f64::NAN;
    values[17_000] = f64::INFINITY;
    let written = parquet(&[labelled("x", Arc::new(Float64Array::from(values)))]);
    let reported = story(bytes("t", written.clone()), &ReadOptions::default());
    assert_eq!(reported.rows.len(), 15_000);
    assert_eq!(
        reported.error.unwrap(),
        "t:15001:2: column \"x\": the value is missing; fill it in, use missing=mean to read it as the mean of its column (files, in training), missing=indicator to learn from its being missing (in training), or missing=zero to read it as 0"
    );
    let tolerant = ReadOptions {
        skip_bad: 2,
        ..ReadOptions::default()
    };
    let reported = story(bytes("t", written), &tolerant);
    assert_eq!((reported.rows.len(), reported.error), (19_998, None));
    assert_eq!(reported.rows[15_000], "15002 1 | x:1");
    assert_eq!(
        reported.skipped[1],
        "t:17001:2: column \"x\": inf is not a finite number"
    );
}

fn list(values: Vec<Option<Vec<Option<f64>>>>) -> ArrayRef {
    let mut builder = ListBuilder::new(Float64Builder::new());
    for row in values {
        builder.append_option(row);
    }
    Arc::new(builder.finish())
}

#[test]
fn wrong_items_of_lists() {
    let options = ReadOptions::default();
    let bad = list(vec![Some(vec![Some(1.0), Some(f64::NAN)])]);
    assert_eq!(
        said("e", bad, &options),
        "t:1:2: column \"e[1]\": the value is missing; fill it in, use missing=mean to read it as the mean of its column (files, in training), missing=indicator to learn from its being missing (in training), or missing=zero to read it as 0"
    );
    let missing = "the value is missing; fill it in, use missing=mean to read it as the mean of its column (files, in training), missing=indicator to learn from its being missing (in training), or missing=zero to read it as 0";
    let bad = list(vec![Some(vec![None])]);
    assert_eq!(
        said("e", bad, &options),
        format!("t:1:2: column \"e[0]\": {missing}")
    );
    let bad = list(vec![Some(vec![]), None]);
    assert_eq!(
        said("e", bad, &options),
        format!("t:2:2: column \"e\": {missing}")
    );
}

fn sparse(indices: Vec<Option<i64>>, values: Vec<f64>) -> ArrayRef {
    let mut builder = ListBuilder::new(Int64Builder::new());
    builder.append_value(indices);
    let values = list(vec![Some(values.into_iter().map(Some).collect())]);
    let columns: Vec<ArrayRef> = vec![Arc::new(builder.finish()), values];
    let field = |name: &str, column: &ArrayRef| Field::new(name, column.data_type().clone(), true);
    let fields = [field("indices", &columns[0]), field("values", &columns[1])];
    Arc::new(StructArray::new(
        Fields::from(fields.to_vec()),
        columns,
        None,
    ))
}

#[test]
fn wrong_sparse_rows() {
    let options = ReadOptions {
        max_features: 1000,
        ..ReadOptions::default()
    };
    let zero_based = ReadOptions {
        zero_based: true,
        ..options.clone()
    };
    let ok = stream(&[labelled(
        "f",
        sparse(vec![Some(1000), Some(1)], vec![1.0, 2.0]),
    )]);
    assert_eq!(rows(bytes("t", ok), &options), ["1 1 | 1:2 1000:1"]);
    let cases: [(_, _, &str); 8] = [
        (
            vec![Some(1)],
            vec![1.0, 2.0],
            "1 indices, but 2 values; each index needs one value",
        ),
        (
            vec![Some(0)],
            vec![1.0],
            "index 0, but features are counted from 1; use zero_based if these are counted from 0",
        ),
        (
            vec![Some(-2)],
            vec![1.0],
            "index \"-2\" is negative; renumber the features from 1",
        ),
        (
            vec![Some(1001)],
            vec![1.0],
            "index \"1001\" is past the limit of 1000 features; raise max_features, at most \
             4294967294",
        ),
        (
            vec![Some(i64::MAX)],
            vec![1.0],
            "index \"9223372036854775807\" is past the limit of 1000 features; raise \
             max_features, at most 4294967294",
        ),
        (
            vec![Some(7), Some(3), Some(7)],
            vec![1.0, 2.0, 3.0],
            "index 7 comes twice in this row; keep one of them, or their sum",
        ),
        (
            vec![None],
            vec![1.0],
            "an index is missing; give each value one",
        ),
        (
            vec![Some(1)],
            vec![f64::NAN],
            "the value is missing; fill it in, use missing=mean to read it as the mean of its column (files, in training), missing=indicator to learn from its being missing (in training), or missing=zero to read it as 0",
        ),
    ];
    for (indices, values, what) in cases {
        let reported = said("f", sparse(indices, values), &options);
        assert_eq!(reported, format!("t:1:2: column \"f\": {what}"));
    }
    assert_eq!(
        said(
            "f",
            sparse(vec![Some(7), Some(7)], vec![1.0, 2.0]),
            &zero_based
        ),
        "t:1:2: column \"f\": index 7 comes twice in this row; keep one of them, or their sum"
    );
}

#[test]
fn categories_where_there_are_none() {
    let options = |categorical: &str| ReadOptions {
        categorical: vec![categorical.to_owned()],
        missing: Some(Missing::Zero),
        ..ReadOptions::default()
    };
    let floats = || Arc::new(Float64Array::from(vec![1.0]));
    assert_eq!(
        said("x", floats(), &options("x")),
        "t: column \"x\" is of type Float64; categories are integers, booleans or strings; cast it"
    );
    assert_eq!(
        said("x", floats(), &options("z")),
        "t: no column is called \"z\", which was to hold categories; the columns are \"x\""
    );
}

#[test]
fn text_where_a_model_has_numbers() {
    let trained = ReadOptions {
        table: Some(Table {
            label: Some("label".to_owned()),
            columns: vec![Column::new("x".to_owned(), ColumnKind::Number)],
            ..Table::default()
        }),
        ..ReadOptions::default()
    };
    let batch = labelled("x", Arc::new(StringArray::from(vec!["a"])));
    assert_eq!(
        error(bytes("t", stream(&[batch])), &trained),
        "t: column \"x\" is of type Utf8, but was numbers when the model was trained; cast it"
    );
}

#[test]
fn two_columns_of_one_name() {
    let schema = Schema::new(
        ["label", "x", "x"]
            .map(|n| Field::new(n, DataType::Int64, true))
            .to_vec(),
    );
    let column: ArrayRef = Arc::new(Int64Array::from(vec![1]));
    let columns = vec![column.clone(), column.clone(), column];
    let batch = RecordBatch::try_new(Arc::new(schema), columns).unwrap();
    assert_eq!(
        error(bytes("t", stream(&[batch])), &ReadOptions::default()),
        "t: two columns are named \"x\"; rename one of them"
    );
}

#[test]
fn no_columns() {
    let options = arrow_array::RecordBatchOptions::new().with_row_count(Some(3));
    let batch = RecordBatch::try_new_with_options(Arc::new(Schema::empty()), vec![], &options);
    let reported = error(
        bytes("t", stream(&[batch.unwrap()])),
        &ReadOptions::default(),
    );
    assert_eq!(reported, "t: it has no columns");
}

#[test]
fn too_many_names() {
    let options = ReadOptions {
        max_features: 2,
        ..ReadOptions::default()
    };
    let batch = labelled("k", Arc::new(StringArray::from(vec!["a", "b", "c"])));
    assert_eq!(
        error(bytes("t", stream(&[batch])), &options),
        "t:3: a feature past the limit of 2 features; raise max_features, or use hash=24 \
         to give names hashed slots"
    );
}
