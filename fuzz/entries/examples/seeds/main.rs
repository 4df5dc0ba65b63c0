//! Writes the seeds that cannot be typed: `cargo run -p novikoff-fuzz-entries --example seeds`.
//!
//! Models of every learner for `model` and `container`, compressed text for `compressed`, small files
//! for `parquet`, `arrow` and `cache`.

#![allow(clippy::print_stdout)]

mod caches;
mod tables;

use std::error::Error;
use std::fs;
use std::io::Write as _;
use std::path::{Path, PathBuf};

use flate2::write::GzEncoder;
use novikoff::classes::Task;
use novikoff::label::RawLabel;
use novikoff::model::{Model, Preparation};
use novikoff::row::Row;
use novikoff::rows::Rows;
use novikoff::spec::Spec;
use novikoff::standardize::Moments;
use novikoff_data::model::save;
use novikoff_fuzz_entries::recipe;

type Outcome<T> = Result<T, Box<dyn Error>>;

/// A spec a learner, and how rows are labelled.
const MODELS: &[(&str, &str)] = &[
    ("perceptron", "binary"),
    ("averaged", "classes"),
    ("voted", "binary"),
    ("p-norm:p=4", "binary"),
    ("winnow:alpha=2,theta=2", "labels"),
    ("balanced-winnow", "binary"),
    ("eg", "binary"),
    ("whitened", "binary"),
    ("alma", "binary"),
    ("passive-aggressive", "classes"),
    ("romma:aggressive,noise=1", "classes"),
    ("max-margin:noise=1", "binary"),
    ("arow", "standardized"),
    ("arow:form=full", "binary"),
];

const TEXT: &[u8] = b"+1 3:0.5 7:1\n-1 1:2 4:-0.25\n+1 3:0.5 7:1\n";

fn main() -> Outcome<()> {
    let corpus = Path::new(env!("CARGO_MANIFEST_DIR")).join("../corpus");
    let folder = tempfile::tempdir()?;
    for (target, seeds) in [
        ("parquet", tables::parquet()?),
        ("arrow", tables::arrow()?),
        ("cache", caches::caches(&folder.path().join("rows"))?),
    ] {
        for (name, bytes) in seeds {
            put(&corpus.join(target).join(name), &bytes)?;
        }
    }
    let path = folder.path().join("model");
    for (spec, form) in MODELS {
        let name = spec.split([':', ',', '=']).next().unwrap_or(spec);
        let name = if spec.contains("full") {
            "arow-full"
        } else {
            name
        };
        save(&trained(spec, form)?, &path)?;
        let file = fs::read(&path)?;
        let parts = recipe(&file).ok_or("a model that was just saved does not load")?;
        put(&corpus.join("model").join(name), &parts)?;
        if ["perceptron", "voted"].contains(&name) {
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
fn trained(spec: &str, form: &str) -> Outcome<Model> {
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
        preparation.standardize = Some(Moments::of(|| [all.view()].into_iter()).into());
        preparation.normalize = Some(2.0);
        preparation.bias = Some(1.0);
    }
    let mut model = Model::new(Spec::parse(spec)?, task, preparation, Some(3), 1 << 20)?;
    if model.learner.surveys() {
        for row in rows {
            model.learner.survey(Row::dense(row))?;
        }
        model.learner.surveyed();
    }
    for (k, row) in rows.iter().enumerate() {
        let label = if k % 2 == 0 {
            RawLabel::new(1.0, b"+1")
        } else {
            RawLabel::new(-1.0, b"-1")
        };
        model.trial(Row::dense(row), [label].into_iter())?;
    }
    model.width = 3;
    Ok(model)
}
