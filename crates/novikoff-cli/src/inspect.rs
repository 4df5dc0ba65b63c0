//! `novikoff inspect`: what a model file is.

use std::fmt::Write as _;
use std::io::{BufWriter, Write as _, stdout};
use std::path::Path;

use novikoff::calibration::{Calibration, CalibrationMap};
use novikoff::class_weights::ClassWeights;
use novikoff::classes::Task;
use novikoff::kernel::Kernel;
use novikoff::label::LabelName;
use novikoff::learner::Hypothesis;
use novikoff::model::{Model, ProbabilitySource};
use novikoff::parameter::Parameter;
use novikoff::quantity::{count, plural};
use novikoff::table::{Column, ColumnKind, DateForm};
use novikoff_data::model::LoadedModel;
use novikoff_report::{TextTable, Width, experts_json, experts_text};
use serde_json::json;

use novikoff_engine::memory_for;
use novikoff_engine::weights::{class_names, feature_name, sorted_weights};

use crate::args::InspectArgs;
use crate::error::Failure;
use crate::screen;
use novikoff_engine::row_text::quote;

/// Features shown for each class.
const TOP: usize = 10;

pub(crate) fn inspect(args: &InspectArgs) -> Result<(), Failure> {
    let loaded = novikoff_data::model::load(&args.model, memory_for(args.max_memory))?;
    let mut out = BufWriter::new(stdout().lock());
    if args.weights && loaded.model.kernel() != Kernel::LINEAR {
        return Err(format!(
            "{}: with the kernel {} there are no weights of features; `inspect --json` lists its arrays",
            args.model.display(),
            loaded.model.kernel()
        )
        .into());
    }
    if args.weights {
        write_weights(&loaded.model, args.class.as_deref(), &mut out)?;
    } else if args.json {
        writeln!(out, "{}", as_json(&loaded))?;
    } else {
        out.write_all(as_text(&loaded, &args.model, screen::width()).as_bytes())?;
    }
    Ok(out.flush()?)
}

/// Rows of a kernel model that one class, or any, is made of.
#[derive(Clone, Copy, Default)]
struct Used {
    rows: u64,
    /// The least and the greatest magnitude of a coefficient.
    range: Option<(f64, f64)>,
}

impl Used {
    fn add(&mut self, coefficient: f64) {
        let size = coefficient.abs();
        let (least, most) = self.range.unwrap_or((size, size));
        self.rows += 1;
        self.range = Some((least.min(size), most.max(size)));
    }

    fn json(&self) -> serde_json::Value {
        let (least, most) = self.range.unzip();
        json!({"rows": self.rows, "smallest": least, "largest": most})
    }
}

/// The rows that a kernel model is made of.
struct SupportUse {
    /// Rows that any class uses; the range is that of all coefficients.
    all: Used,
    /// How many of the rows more than one class uses.
    several: u64,
    /// Rows that each class uses.
    classes: Vec<Used>,
}

fn shared(model: &Model) -> Option<SupportUse> {
    let support = model.learner().support()?;
    let mut users = vec![0_u32; support.len()];
    let mut all = Used::default();
    let mut classes = Vec::new();
    for k in 0..model.classes().list().len() {
        let mut used = Used::default();
        let coefficients = support.coefficients(model.lane(k));
        for (users, c) in users.iter_mut().zip(coefficients) {
            if c != 0.0 {
                *users += 1;
                used.add(c);
                all.add(c);
            }
        }
        classes.push(used);
    }
    let rows = |least: u32| users.iter().filter(|users| **users >= least).count() as u64;
    all.rows = rows(1);
    Some(SupportUse {
        all,
        several: rows(2),
        classes,
    })
}

fn write_weights(
    model: &Model,
    class: Option<&str>,
    out: &mut impl std::io::Write,
) -> Result<(), Failure> {
    let classes = model.classes();
    let wanted = class.map(LabelName::typed);
    let chosen: Vec<usize> = classes
        .order()
        .iter()
        .copied()
        .filter(|&k| {
            wanted
                .as_ref()
                .is_none_or(|label| classes.list()[k].label == *label)
        })
        .collect();
    if let (Some(class), true) = (class, chosen.is_empty()) {
        let names: Vec<&str> = classes.list().iter().map(|c| c.label.name()).collect();
        return Err(format!(
            "--class {class}: the model's classes are {}",
            names.join(", ")
        )
        .into());
    }
    let several = !classes.is_binary() && class.is_none();
    for k in chosen {
        for (slot, weight) in sorted_weights(model, k) {
            if several {
                write!(out, "{}\t", classes.list()[k].label.name())?;
            }
            writeln!(out, "{}\t{weight}", feature_name(model, slot))?;
        }
    }
    Ok(())
}

fn task_name(model: &Model) -> &'static str {
    match model.classes().task() {
        Task::Binary { .. } => "binary",
        Task::OneVsRest => "one-vs-rest",
        Task::MultiLabel => "multi-label",
        Task::Regression => "regression",
    }
}

fn as_json(loaded: &LoadedModel) -> serde_json::Value {
    let model = &loaded.model;
    let parameters: serde_json::Map<_, _> = model
        .all_parameters()
        .iter()
        .map(|(name, value)| {
            let value = match value {
                Parameter::Real(number) => json!(number),
                Parameter::Word(word) => json!(word),
            };
            (name.to_owned(), value)
        })
        .collect();
    let (shared, panel) = (shared(model), model.learner().panel());
    let classes: Vec<_> = model
        .classes()
        .order()
        .iter()
        .map(|&k| {
            let class = &model.classes().list()[k];
            let mut object = json!({
                "class": class.label.name(),
                "mistakes": class.counts.mistakes,
                "updates": class.counts.updates,
            });
            match &shared {
                Some(shared) => object["support"] = shared.classes[k].json(),
                None => object["nonzero"] = json!(sorted_weights(model, k).len()),
            }
            object
        })
        .collect();
    let arrays: Vec<_> = loaded
        .sections
        .iter()
        .map(|s| json!({"name": s.name, "type": s.kind.name(), "count": s.count, "crc32": format!("{:08x}", s.crc)}))
        .collect();
    json!({
        "spec": model.spec().text(),
        "kernel": model.kernel().to_string(),
        "parameters": parameters,
        "task": task_name(model),
        "labels": class_names(model),
        "bias": model.preparation().bias,
        "standardize": model.preparation().standardize.is_some(),
        "zero_based": model.is_zero_based(),
        "map": model.map().map(ToString::to_string),
        "normalize": model.preparation().normalize.map(|p| if p.is_finite() { json!(p) } else { json!("inf") }),
        // every epoch counts; `rows` is its name in the first version
        "trials": model.totals().trials,
        "rows": model.totals().trials,
        "mistakes": model.totals().mistakes,
        "updates": model.totals().updates,
        "features": model.width(),
        "classes": classes,
        "support": shared.as_ref().map(|shared| {
            let mut object = shared.all.json();
            object["shared"] = json!(shared.several);
            object
        }),
        "names": model.names().iter().count(),
        "hash": model.names().bits(),
        "table": model.table().map(|table| json!({
            "label": table.label,
            "columns": table.columns.iter().map(column_json).collect::<Vec<_>>(),
            "missing": table.missing.name(),
        })),
        "calibration": model.calibration().map(|c| json!({
            "method": c.method.name(),
            "use": c.hypothesis.name(),
            "rows": c.rows,
            "maps": model.classes().order().iter().map(|&k| map_json(&c.maps[k])).collect::<Vec<_>>(),
        })),
        "probabilities": model.probability_source().map(|source| match source {
            ProbabilitySource::Calibrated(_) => json!({"source": "calibrated"}),
            ProbabilitySource::Native(factor) => json!({"source": "native", "log_odds": factor}),
        }),
        "class_weights": model.class_weights().map(|weights| json!({
            "balanced": weights.are_balanced(),
            "labels": weights.list().iter().map(|(label, w)| (label.name().to_owned(), json!(w))).collect::<serde_json::Map<_, _>>(),
            "rest": weights.rest(),
        })),
        "unfinished": loaded.unfinished.as_ref().map(|run| json!({
            "epochs": run.epochs,
            "epoch": run.epoch,
            "done": run.done,
            "shuffle": run.shuffle,
            "inputs": run.inputs.iter().map(|(name, _)| name).collect::<Vec<_>>(),
        })),
        "experts": panel.as_ref().map(experts_json),
        "cost": panel.as_ref().map(|panel| panel.cost),
        "course": panel.as_ref().map(|panel| panel.course.iter().map(|moment| json!({
            "trials": moment.trials,
            "mistakes": moment.majority,
            "experts": moment.mistakes,
            "weights": moment.weights,
        })).collect::<Vec<_>>()),
        "arrays": arrays,
        "blake3": loaded.digest.to_string(),
    })
}

/// How many columns of a kind are listed.
const LISTED: usize = 20;

fn column_json(column: &Column) -> serde_json::Value {
    let mut object = json!({
        "name": column.name,
        "kind": column.kind.name(),
        "categorical": column.kind == ColumnKind::Category,
    });
    if let ColumnKind::Date(form) = column.kind {
        object["dates"] = json!(match form {
            DateForm::Parts { .. } => "parts",
            DateForm::Seconds => "seconds",
        });
    }
    if let Some(mean) = column.mean {
        object["mean"] = json!(mean);
    }
    object
}

/// What the columns of the table hold, one line per kind.
fn column_lines(table: &novikoff::table::Table) -> Vec<(&'static str, String)> {
    let kinds = ["number", "category", "date", "text", "ignored"];
    let names = ["numbers", "categories", "dates", "texts", "ignored"];
    let listed = |kind: &str| {
        let columns = table.columns.iter().filter(|c| c.kind.name() == kind);
        let shown = columns.map(|column| match column.mean {
            Some(mean) => format!("{} (mean {mean})", column.name),
            None => column.name.clone(),
        });
        let mut shown: Vec<String> = shown.collect();
        if let Some(more) = shown.len().checked_sub(LISTED).filter(|&more| more > 0) {
            shown.truncate(LISTED);
            shown.push(format!("and {more} more"));
        }
        shown.join(" ")
    };
    let lines = kinds.iter().zip(names);
    let lines = lines.map(|(kind, name)| (name, listed(kind)));
    let mut lines: Vec<_> = lines.filter(|(_, columns)| !columns.is_empty()).collect();
    lines.push(("missing", table.missing.name().to_owned()));
    lines
}

fn map_json(map: &CalibrationMap) -> serde_json::Value {
    match map {
        CalibrationMap::Sigmoid(map) => json!({"slope": map.slope, "offset": map.offset}),
        CalibrationMap::Isotonic(map) => {
            json!({"margins": map.margins(), "probabilities": map.probabilities()})
        }
    }
}

/// How a model came to its probabilities.
fn calibration_line(model: &Model, calibration: &Calibration) -> String {
    let (method, rows) = (calibration.method.name(), plural(calibration.rows, "row"));
    let by = calibration.hypothesis.name();
    let text = format!("{method}, of the {by} predictor's margins on {rows}");
    match (calibration.maps.as_slice(), model.classes().task()) {
        ([CalibrationMap::Sigmoid(map)], Task::Binary { positive, .. }) => {
            let (slope, offset, label) = (map.slope, map.offset, positive.name());
            let margin = match calibration.hypothesis {
                Hypothesis::Voted => "margin/votes",
                _ => "margin",
            };
            format!("{text}; P({label}) = 1/(1 + exp({slope:.6} {margin} {offset:+.6}))")
        }
        _ => text,
    }
}

/// How much the rows of each label count.
fn weights_line(weights: &ClassWeights) -> String {
    let mut shown: Vec<String> = weights
        .list()
        .iter()
        .take(LISTED)
        .map(|(label, w)| format!("{} {w:.6}", label.name()))
        .collect();
    if weights.list().len() > LISTED {
        shown.push(format!("and {} more", weights.list().len() - LISTED));
    }
    shown.push(format!("others {:.6}", weights.rest()));
    let how = if weights.are_balanced() {
        "balanced: "
    } else {
        ""
    };
    format!("{how}{}", shown.join(", "))
}

/// How margins are probabilities without a calibration.
fn native_line(model: &Model, factor: f64) -> String {
    let times = if factor == 1.0 {
        String::new()
    } else {
        format!("{factor} ")
    };
    let shares = match model.classes().task() {
        Task::OneVsRest => ", divided by the sum over the classes",
        _ => "",
    };
    format!("native, 1/(1 + exp(-{times}margin)){shares}")
}

/// How many rows a kernel model has, and how large their coefficients are.
fn support_line(model: &Model, shared: &SupportUse) -> String {
    let mut text = plural(shared.all.rows, "row");
    if !model.classes().is_binary() {
        let several = count(shared.several);
        // writing to a String cannot fail
        let _ = write!(text, ", {several} of them used by more than one class");
    }
    if let Some((least, most)) = shared.all.range {
        let _ = write!(text, "; coefficients from {least} to {most} in magnitude");
    }
    text
}

/// The rows of each class of a kernel model.
fn rows_table(model: &Model, shared: &SupportUse) -> TextTable {
    let mut table = TextTable::new(&[
        "class",
        ">mistakes",
        ">updates",
        ">rows",
        ">smallest",
        ">largest",
    ])
    .least(&["smallest", "largest", "updates"]);
    for &k in model.classes().order() {
        let (class, used) = (&model.classes().list()[k], &shared.classes[k]);
        let (least, most) = used.range.unzip();
        let size = |size: Option<f64>| size.map_or_else(String::new, |size| format!("{size:.6}"));
        table.row(vec![
            class.label.name().to_owned(),
            count(class.counts.mistakes),
            count(class.counts.updates),
            count(used.rows),
            size(least),
            size(most),
        ]);
    }
    table
}

/// The largest weights of each class.
fn weights_table(model: &Model) -> TextTable {
    let mut table = TextTable::new(&[
        "class",
        ">mistakes",
        ">updates",
        ">nonzero",
        "largest weights",
    ])
    .least(&["updates", "mistakes", "nonzero"]);
    for &k in model.classes().order() {
        let class = &model.classes().list()[k];
        let weights = sorted_weights(model, k);
        let top: Vec<String> = weights
            .iter()
            .take(TOP)
            .map(|(j, w)| format!("{}:{w:.3}", feature_name(model, *j)))
            .collect();
        table.row(vec![
            class.label.name().to_owned(),
            count(class.counts.mistakes),
            count(class.counts.updates),
            count(weights.len() as u64),
            top.join(" "),
        ]);
    }
    table
}

fn as_text(loaded: &LoadedModel, path: &Path, width: Width) -> String {
    let model = &loaded.model;
    let mut out = String::new();
    let mut line = |name: &str, value: &str| {
        out.push_str(format!("{name:<11} {value}").trim_end());
        out.push('\n');
    };
    line("learner", model.spec().text());
    let parameters: Vec<String> = model
        .all_parameters()
        .iter()
        .map(|(name, value)| match value {
            Parameter::Real(number) => format!("{name}={number}"),
            Parameter::Word(word) => format!("{name}={word}"),
        })
        .collect();
    line("parameters", &parameters.join(", "));
    line(
        "task",
        &format!(
            "{}, labels {}",
            task_name(model),
            class_names(model).join(" ")
        ),
    );
    let off = |value: Option<String>| value.unwrap_or_else(|| "off".to_owned());
    line(
        "bias",
        &off(model.preparation().bias.map(|b| b.to_string())),
    );
    let standardize = if model.preparation().standardize.is_some() {
        "on"
    } else {
        "off"
    };
    line("standardize", standardize);
    line(
        "normalize",
        &off(model.preparation().normalize.map(|p| p.to_string())),
    );
    if let Some(map) = model.map() {
        line("map", &map.to_string());
    }
    if let Some(weights) = model.class_weights() {
        line("weights", &weights_line(weights));
    }
    line("features", &count(u64::from(model.width())));
    if let Some(table) = model.table().filter(|table| !table.columns.is_empty()) {
        for (name, columns) in column_lines(table) {
            line(name, &columns);
        }
    }
    line("trials", &count(model.totals().trials));
    line("mistakes", &count(model.totals().mistakes));
    line("updates", &count(model.totals().updates));
    let shared = shared(model);
    if let Some(shared) = &shared {
        line("kernel", &model.kernel().to_string());
        line("support", &support_line(model, shared));
    }
    if let Some(bits) = model.names().bits() {
        line("hashed", &format!("2^{bits} slots"));
    }
    if let Some(calibration) = model.calibration() {
        line("calibrated", &calibration_line(model, calibration));
    } else if let Some(ProbabilitySource::Native(factor)) = model.probability_source() {
        line("chances", &native_line(model, factor));
    }
    if let Some(run) = &loaded.unfinished {
        let (epoch, epochs) = (run.epoch + 1, run.epochs);
        let done = plural(run.done, "trial");
        let inputs: Vec<&str> = run.inputs.iter().map(|(name, _)| name.as_str()).collect();
        let (over, model) = (inputs.join(" "), quote(&path.display().to_string()));
        let inputs: Vec<String> = inputs.into_iter().map(quote).collect();
        let command = format!("novikoff train {} {}", inputs.join(" "), run.reading);
        let command = command.trim_end();
        line(
            "unfinished",
            &format!(
                "{done} into epoch {epoch} of {epochs} over {over}; `{command} --resume {model} -o {model}` goes on"
            ),
        );
    }
    line("blake3", &loaded.digest.to_string());
    out.push_str(&tables(loaded, width));
    out
}

/// The experts, the classes and the arrays of a model.
fn tables(loaded: &LoadedModel, width: Width) -> String {
    let (model, mut out) = (&loaded.model, String::new());
    out.push('\n');
    if let Some(panel) = model.learner().panel() {
        out.push_str(&experts_text(&panel, width));
        out.push('\n');
    }
    out.push_str(&match &shared(model) {
        Some(shared) => rows_table(model, shared).text(width),
        None => weights_table(model).text(width),
    });
    let mut table = TextTable::new(&["array", "type", ">count", "crc32"]).least(&["crc32", "type"]);
    for s in &loaded.sections {
        table.row(vec![
            s.name.clone(),
            s.kind.name().to_owned(),
            count(s.count),
            format!("{:08x}", s.crc),
        ]);
    }
    out.push('\n');
    out.push_str(&table.text(width));
    out
}
