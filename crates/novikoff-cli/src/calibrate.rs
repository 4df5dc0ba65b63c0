//! `novikoff calibrate`: probabilities for a model, fitted on rows it was not trained on.

use novikoff::calibration::{Calibration, Map, Method};
use novikoff::classes::Task;
use novikoff::evaluation::Evaluation;
use novikoff::model::Model;
use novikoff_report::count;

use crate::args::{CalibrateArgs, MethodWord};
use crate::error::Failure;
use crate::evaluate::{Pass, load};
use crate::input::Data;
use crate::job;
use crate::progress::Progress;

pub(crate) fn calibrate(args: &CalibrateArgs) -> Result<(), Failure> {
    let data = Data::named(&args.data)?;
    job::check_writable(&args.output)?;
    if data.reads(&args.output) {
        return Err(format!(
            "{}: is read as data and cannot be written; give another name",
            args.output.display()
        )
        .into());
    }
    let loaded = load(&args.model, &args.rows)?;
    if loaded.unfinished.is_some() {
        let path = args.model.display();
        return Err(format!("{path}: was saved in the middle of a run, which the calibrated model could not go on with; finish the run first (`novikoff inspect` shows how)").into());
    }
    let mut model = loaded.model;
    if let Task::Regression = model.classes.task() {
        return Err("the model predicts numbers, which have no probabilities; solve with a loss of classes, such as hinge".into());
    }
    let by = job::hypothesis(args.by, model.learner.hypotheses(), model.spec.name())?;
    let progress = Progress::new(args.rows.quiet).verbose(args.rows.verbose);
    // measured as it was: the new maps are fitted on margins
    model.calibration = None;
    let pass = Pass {
        model: &model,
        data: &data,
        rows: &args.rows,
        progress: &progress,
    };
    let (evaluation, _) = pass.tally(by, job::memory(args.rows.max_memory) / 2)?;
    let (unknown, names) = &evaluation.unknown;
    if *unknown > 0 {
        let names = names.join(", ");
        return Err(format!("labels the model does not know cannot be given probabilities: {names}; leave their rows out, or train with them").into());
    }
    let method = match args.method {
        MethodWord::Platt => Method::Platt,
        MethodWord::Isotonic => Method::Isotonic,
    };
    check_labels(&model, &evaluation, &progress)?;
    let maps = fit(&model, &evaluation, method)?;
    remark_slopes(&model, &maps, &progress);
    let rows = evaluation.rows;
    let hypothesis = by.unwrap_or(model.learner.hypotheses()[0]);
    model.calibration = Some(Calibration {
        method,
        hypothesis,
        maps,
        rows,
    });
    novikoff_data::model::save(&model, &args.output)?;
    let (name, rows) = (method.name(), count(rows));
    progress.remark(&format!(
        "calibrated by {name} on {rows} rows; model saved in {}",
        args.output.display()
    ));
    Ok(())
}

/// Both of two labels must occur; one of several may be missing.
fn check_labels(
    model: &Model,
    evaluation: &Evaluation,
    progress: &Progress,
) -> Result<(), Failure> {
    for label in &evaluation.labels {
        if label.hits.occurrences() > 0 {
            continue;
        }
        let name = &label.label;
        if model.classes.is_binary() {
            return Err(format!("no row has the label {name}, so its probability cannot be told from these rows; give rows of both labels").into());
        }
        progress.remark(&format!(
            "no row has the label {name}: its probability will be the same, and small, for all rows"
        ));
    }
    Ok(())
}

/// One map a class, in the order the classes appeared.
fn fit(model: &Model, evaluation: &Evaluation, method: Method) -> Result<Vec<Map>, Failure> {
    let classes = model.classes.list().len();
    let mut maps: Vec<Option<Map>> = vec![None; classes];
    // of two labels the last, the positive one, has the model's margins
    let labels = evaluation
        .labels
        .iter()
        .skip(evaluation.labels.len() - classes);
    for (&class, label) in model.classes.order().iter().zip(labels) {
        let Some(ranking) = &label.ranking else {
            return Err("calibrating needs all margins at once, for which there is not enough memory; raise --max-memory or give fewer rows".into());
        };
        maps[class] = Some(Map::fit(method, &ranking.rows()));
    }
    Ok(maps.into_iter().flatten().collect())
}

fn remark_slopes(model: &Model, maps: &[Map], progress: &Progress) {
    for (class, map) in model.classes.list().iter().zip(maps) {
        if let Map::Sigmoid(map) = map
            && map.slope > 0.0
        {
            let name = class.label.name();
            progress.remark(&format!(
                "on these rows higher margins are less likely {name}: the model does not fit them"
            ));
        }
    }
}
