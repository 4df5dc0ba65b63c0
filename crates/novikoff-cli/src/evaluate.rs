//! `novikoff evaluate`: a model on labelled rows.

use std::io::{Write as _, stdout};
use std::path::Path;

use novikoff_data::atomic::NewFile;
use novikoff_engine::data::Data;
use novikoff_engine::evaluate::Evaluate;
use novikoff_engine::files::check_writable;
use novikoff_engine::{Context, Interrupt};
use novikoff_report::{EvaluateResult, curves_csv, curves_json, evaluate_json, evaluate_text};

use crate::args::EvaluateArgs;
use crate::error::Failure;
use crate::job;
use crate::remark;
use crate::screen;

pub(crate) fn evaluate(args: &EvaluateArgs) -> Result<(), Failure> {
    let job = Evaluate {
        model: args.model.clone(),
        data: Data::named(&args.data)?,
        by: args.by.map(job::hypothesis),
        rows: args.rows.leniently(args.lenient),
    };
    let curves = args.curves.as_deref();
    if let Some(path) = curves {
        check_curves(path, &job.data)?;
    }
    let progress = args.rows.progress();
    let mut report = progress.during(|| job.run(Context::new(&progress, &Interrupt::default())))?;
    remark::word(&mut report.remarks);
    if let Some(path) = curves {
        if let EvaluateResult::Numbers(_) = report.result {
            return Err("--curves: the model predicts numbers, which have no curves".into());
        }
        write_curves(path, &report.result)?;
    }
    let text = if args.json {
        format!("{}\n", evaluate_json(&report))
    } else {
        evaluate_text(&report, screen::width())
    };
    Ok(stdout().lock().write_all(text.as_bytes())?)
}

fn is_json(path: &Path) -> bool {
    path.extension().is_some_and(|e| e == "json")
}

fn check_curves(path: &Path, data: &Data) -> Result<(), Failure> {
    let shown = path.display();
    if !is_json(path) && path.extension().is_none_or(|e| e != "csv") {
        return Err(format!("--curves {shown}: must end in .csv or .json").into());
    }
    if data.reads(path) {
        return Err(
            format!("{shown}: is read as data and cannot be written; give another name").into(),
        );
    }
    Ok(check_writable(path)?)
}

fn write_curves(path: &Path, result: &EvaluateResult) -> Result<(), Failure> {
    let text = if is_json(path) {
        format!("{}\n", curves_json(result))
    } else {
        curves_csv(result)
    };
    let mut file = NewFile::create(path)?;
    let written = file.write_all(text.as_bytes());
    written.map_err(|error| file.failed(error))?;
    Ok(file.commit()?)
}
