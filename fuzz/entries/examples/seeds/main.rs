//! Writes the seeds that cannot be typed: `cargo run -p novikoff-fuzz-entries --example seeds`.
//!
//! Models of every learner for `model` and `container`, compressed text for `compressed`, small files
//! for `parquet`, `arrow` and `cache`, records and files of the service's log for `log_record` and `log_segment`.

#![allow(clippy::print_stdout)]

mod caches;
mod service;
mod tables;

use std::error::Error;
use std::fs;
use std::io::Write as _;
use std::path::{Path, PathBuf};

use flate2::write::GzEncoder;
use novikoff::calibration::{Calibration, CalibrationMap, CalibrationMethod, RecentMargins};
use novikoff::classes::Task;
use novikoff::kernel::Kernel;
use novikoff::label::RawLabel;
use novikoff::model::Model;
use novikoff::preparation::Preparation;
use novikoff::row::Row;
use novikoff::rows::Rows;
use novikoff::spec::Spec;
use novikoff::standardize::Moments;
use novikoff_data::model::save;
use novikoff_fuzz_entries::recipe;

type Outcome<T> = Result<T, Box<dyn Error>>;

/// A spec a learner, its kernel, and how rows are labelled.
const MODELS: &[(&str, &str, &str, &str)] = &[
    ("perceptron", "perceptron", "linear", "binary"),
    ("averaged", "averaged", "linear", "classes"),
    ("voted", "voted", "linear", "binary"),
    ("p-norm", "p-norm:p=4", "linear", "binary"),
    ("winnow", "winnow:alpha=2,theta=2", "linear", "labels"),
    ("balanced-winnow", "balanced-winnow", "linear", "binary"),
    ("eg", "eg", "linear", "binary"),
    ("whitened", "whitened", "linear", "binary"),
    ("alma", "alma", "linear", "binary"),
    (
        "passive-aggressive",
        "passive-aggressive",
        "linear",
        "classes",
    ),
    ("romma", "romma:aggressive,noise=1", "linear", "classes"),
    ("max-margin", "max-margin:noise=1", "linear", "binary"),
    ("arow", "arow", "linear", "standardized"),
    ("arow-full", "arow:form=full", "linear", "binary"),
    ("normalised-winnow", "normalised-winnow", "linear", "binary"),
    (
        "normalised-perceptron",
        "normalised-perceptron",
        "linear",
        "binary",
    ),
    ("second-order", "second-order:form=dual", "linear", "binary"),
    (
        "second-order-primal",
        "second-order:form=primal",
        "linear",
        "binary",
    ),
    (
        "second-order-sketch",
        "second-order:form=sketch",
        "linear",
        "binary",
    ),
    ("higher-order", "higher-order:form=dual", "linear", "binary"),
    ("shifting", "shifting", "linear", "binary"),
    ("selective", "selective", "linear", "binary"),
    ("calibrated", "perceptron", "linear", "platt"),
    ("calibrated-isotonic", "perceptron", "linear", "isotonic"),
    (
        "kernel-perceptron",
        "perceptron",
        "poly:degree=2",
        "classes",
    ),
    (
        "kernel-averaged",
        "averaged",
        "gaussian:gamma=0.5",
        "binary",
    ),
    ("kernel-voted", "voted", "poly:cosine", "binary"),
    ("kernel-romma", "romma:noise=1", "poly:degree=2", "binary"),
    ("kernel-max-margin", "max-margin", "gaussian", "binary"),
    (
        "kernel-second-order",
        "second-order:form=dual",
        "poly",
        "binary",
    ),
    (
        "kernel-higher-order",
        "higher-order:form=dual",
        "poly",
        "binary",
    ),
    ("forgetron", "forgetron:budget=2", "gaussian", "binary"),
    ("random-budget", "random-budget:budget=2", "poly", "classes"),
    ("projectron", "projectron", "gaussian", "binary"),
];

const TEXT: &[u8] = b"+1 3:0.5 7:1\n-1 1:2 4:-0.25\n+1 3:0.5 7:1\n";

fn main() -> Outcome<()> {
    let corpus = Path::new(env!("CARGO_MANIFEST_DIR")).join("../corpus");
    let folder = tempfile::tempdir()?;
    for (target, seeds) in [
        ("parquet", tables::parquet()?),
        ("arrow", tables::arrow()?),
        ("cache", caches::caches(&folder.path().join("rows"))?),
        ("log_record", service::records()),
        ("log_segment", service::segments()),
    ] {
        for (name, bytes) in seeds {
            put(&corpus.join(target).join(name), &bytes)?;
        }
    }
    let path = folder.path().join("model");
    for (name, spec, kernel, form) in MODELS {
        save(&trained(spec, kernel, form)?, &path)?;
        let file = fs::read(&path)?;
        let parts = recipe(&file).ok_or("a model that was just saved does not load")?;
        put(&corpus.join("model").join(name), &parts)?;
        if ["perceptron", "voted"].contains(name) {
            put(&corpus.join("container").join(name), &file)?;
        }
    }
    let whole = gzip(TEXT)?;
    let mut two = gzip(&TEXT[..20])?;
    two.extend(gzip(&TEXT[20..])?);
    let long = gzip(&TEXT.repeat(500))?;
    let zstd_long = zstd::encode_all(&*TEXT.repeat(500), 3)?;
    for (name, kind, bytes) in [
        ("gzip", 0, &whole[..]),
        ("gzip-two", 0, &two),
        ("gzip-cut", 0, &whole[..whole.len() - 12]),
        ("gzip-long", 0, &long),
        ("zstd", 0, &zstd::encode_all(TEXT, 3)?),
        ("zstd-long", 0, &zstd_long),
        ("zstd-cut", 0, &zstd_long[..zstd_long.len() - 3]),
        ("gzip-wrapped", 2, &[&[20], TEXT].concat()),
        ("zstd-wrapped", 3, &[&[9], TEXT].concat()),
    ] {
        put(
            &corpus.join("compressed").join(name),
            &[&[kind], bytes].concat(),
        )?;
    }
    Ok(())
}

fn put(path: &PathBuf, bytes: &[u8]) -> Outcome<()> {
    println!("{} bytes: {}", bytes.len(), path.display());
    if let Some(folder) = path.parent() {
        fs::create_dir_all(folder)?;
    }
    Ok(fs::write(path, bytes)?)
}

fn gzip(text: &[u8]) -> Outcome<Vec<u8>> {
    let mut encoder = GzEncoder::new(Vec::new(), flate2::Compression::best());
    encoder.write_all(text)?;
    Ok(encoder.finish()?)
}

/// A model that has seen a few rows.
fn trained(spec: &str, kernel: &str, form: &str) -> Outcome<Model> {
    let task = match form {
        "classes" => Task::OneVsRest,
        "labels" => Task::MultiLabel,
        _ => Task::plus_minus(),
    };
    let rows: [&[f32]; 5] = [
        &[1.0, 0.5, 2.0],
        &[0.5, 1.5, 1.0],
        &[1.0, 1.0, 0.25],
        &[2.0, 0.5, 1.0],
        &[0.25, 2.0, 0.5],
    ];
    let mut preparation = Preparation::default();
    if form == "standardized" {
        let mut all = Rows::new();
        for row in rows {
            (1..).zip(row).for_each(|(slot, &v)| all.push(slot, v));
            all.end_row(0);
        }
        preparation.standardize = Some(Moments::of(|| [all.view()].into_iter(), None).into());
        preparation.normalize = Some(2.0);
        preparation.bias = Some(1.0);
    }
    let (spec, kernel) = (Spec::parse(spec)?, Kernel::parse(kernel)?);
    let builder = Model::builder(spec).kernel(kernel).task(task).width(3);
    let mut model = builder.preparation(preparation).memory(1 << 20).build()?;
    if model.learner().surveys() {
        for row in rows {
            model.survey(Row::dense(row))?;
        }
        model.end_survey();
    }
    for (k, row) in rows.iter().enumerate() {
        let label = if k % 2 == 0 {
            RawLabel::new(1.0, b"+1")
        } else {
            RawLabel::new(-1.0, b"-1")
        };
        let _ = model.learn(Row::dense(row), [label])?;
    }
    model.reach(3);
    let method = match form {
        "platt" => CalibrationMethod::Platt,
        "isotonic" => CalibrationMethod::Isotonic,
        _ => return Ok(model),
    };
    let margins = [(-1.0, false), (-0.5, true), (0.5, false), (1.5, true)];
    model.calibrate(Calibration {
        method,
        hypothesis: model.learner().hypotheses()[0],
        maps: vec![CalibrationMap::fit(method, &margins)],
        rows: margins.len() as u64,
        recent: RecentMargins::of(&[margins.to_vec()]),
    })?;
    Ok(model)
}
