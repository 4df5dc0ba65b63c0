//! Probabilities for a model, fitted on rows it was not trained on.

use std::path::PathBuf;

use novikoff::calibration::{Calibration, CalibrationMap, CalibrationMethod, RecentMargins};
use novikoff::classes::Task;
use novikoff::evaluation::{Evaluation, Tally};
use novikoff::learner::Hypothesis;
use novikoff::model::{Model, RowSample};
use novikoff::remark::{Remark, ResultRemark, RowsFor};
use novikoff::remedy::Hint;
use novikoff_report::Noted;

use crate::data::Data;
use crate::error::memory_or;
use crate::evaluate::Pass;
use crate::events::{Context, Notice, RemarkLog};
use crate::files::{check_writable, read_as_data};
use crate::open_model::open_model;
use crate::options::{RowOptions, hypothesis};
use crate::{Error, Remedy, worth};

/// A model to be calibrated.
#[derive(Clone, Debug)]
pub struct Calibrate {
    /// The model's file.
    pub model: PathBuf,
    /// Labelled rows that it was not trained on.
    pub data: Data,
    /// How margins become probabilities.
    pub method: CalibrationMethod,
    /// The predictor; the model's own if none.
    pub by: Option<Hypothesis>,
    /// Where the calibrated model is saved.
    pub output: PathBuf,
    /// How rows are read.
    pub rows: RowOptions,
}

/// What a calibration came to.
pub struct Calibrated {
    /// The model, with probabilities.
    pub model: Model,
    /// What is worth knowing.
    pub remarks: Vec<Noted>,
}

impl Calibrate {
    /// Calibrates and saves it.
    pub fn run(&self, context: Context<'_>) -> Result<Calibrated, Error> {
        let log = RemarkLog::default();
        let model = self.run_in(context.logging(&log))?;
        let remarks = log.finish();
        Ok(Calibrated { model, remarks })
    }

    fn run_in(&self, context: Context<'_>) -> Result<Model, Error> {
        check_writable(&self.output)?;
        if self.data.reads(&self.output) {
            return Err(read_as_data(&self.output));
        }
        let loaded = open_model(&self.model, &self.rows)?;
        if loaded.unfinished.is_some() {
            let path = self.model.display();
            let what = format!(
                "{path}: was saved in the middle of a run, which the calibrated model could not go on with"
            );
            return Err(Error::refused(what, Remedy::hint(Hint::FinishRun)));
        }
        let model = self.calibrated(loaded.model, context)?;
        novikoff_data::model::save(&model, &self.output)?;
        context.notice(Notice::Calibrated {
            method: self.method.name(),
            rows: model
                .calibration()
                .map_or(0, |calibration| calibration.rows),
            path: self.output.clone(),
        });
        Ok(model)
    }

    /// Calibrates a model that is in memory, in the place of that of the file. Nothing is saved.
    pub fn run_on(&self, model: Model, context: Context<'_>) -> Result<Calibrated, Error> {
        let log = RemarkLog::default();
        let model = self.calibrated(model, context.logging(&log))?;
        let remarks = log.finish();
        Ok(Calibrated { model, remarks })
    }

    fn calibrated(&self, mut model: Model, context: Context<'_>) -> Result<Model, Error> {
        if let Task::Regression = model.classes().task() {
            let what = "the model predicts numbers, which have no probabilities";
            return Err(Error::refused(
                what,
                "solve with a loss of classes, such as hinge",
            ));
        }
        let by = hypothesis(self.by, &model)?;
        let pass = Pass {
            model: &model,
            file: &self.model,
            data: &self.data,
            rows: &self.rows,
            rows_for: RowsFor::Calibration,
            context,
        };
        // the new maps are fitted on margins, whatever it answered with so far
        let tally = Tally::of_margins(&model, by, self.rows.memory / 2);
        let mut sample = RowSample::default();
        let (tally, _) = pass.tally(tally, None, Some(&mut sample))?;
        let hypothesis = by.unwrap_or(model.learner().hypotheses()[0]);
        let unit = model.learner().score_unit(hypothesis);
        let recent = recent(&model, &tally, unit);
        let evaluation = tally.finish();
        let unknown = &evaluation.unknown.labels;
        if !unknown.is_empty() {
            let names: Vec<&str> = unknown.iter().take(5).map(|(l, _)| l.as_str()).collect();
            let names = names.join(", ");
            let what =
                format!("labels the model does not know cannot be given probabilities: {names}");
            return Err(Error::refused(
                what,
                Remedy::clause("leave their rows out").or("train with them"),
            ));
        }
        check_labels(&model, &evaluation, context)?;
        if let Some(remark) = few_rows(&evaluation, self.method) {
            context.remark(&remark);
        }
        if let Some(remark) = worth::of_shares(&evaluation, &model) {
            context.remark(&remark);
        }
        let maps = fit(&model, &evaluation, self.method, unit)?;
        notice_slopes(&model, &maps, context);
        let rows = evaluation.rows;
        let calibration = Calibration {
            method: self.method,
            hypothesis,
            maps,
            rows,
            recent,
        };
        let fitted = model.calibrate(calibration);
        fitted.map_err(|error| Error::plain(error.to_string()))?;
        model.set_calibrated_on(sample);
        Ok(model)
    }
}

/// Rows that isotonic regression, which has a value per step, should have at least.
const ISOTONIC_ROWS: u64 = 1000;

/// Rows of each label that two parameters should have at least.
const ROWS_OF_LABEL: u64 = 10;

/// A remark if there are few rows for the method.
fn few_rows(evaluation: &Evaluation, method: CalibrationMethod) -> Option<Remark> {
    let labels = evaluation.labels.iter();
    let rarest = labels.map(|label| label.hits.occurrences()).min()?;
    let is_isotonic = matches!(method, CalibrationMethod::Isotonic);
    let is_few = rarest < ROWS_OF_LABEL || (is_isotonic && evaluation.rows < ISOTONIC_ROWS);
    is_few.then_some(Remark::Result(ResultRemark::FewRows {
        what: "the probabilities",
        rows: evaluation.rows,
        rarest,
        instead: is_isotonic.then_some("fit Platt's sigmoid, which has two parameters"),
    }))
}

/// The rows by which the maps are fitted again while the model learns on. With several classes, the first lane is nobody's.
fn recent(model: &Model, tally: &Tally<'_>, unit: f64) -> RecentMargins {
    let Some(scores) = tally.scores() else {
        return RecentMargins::default();
    };
    let scores: Vec<Vec<(f64, bool)>> = scores.iter().map(|rows| divided(rows, unit)).collect();
    if model.classes().is_binary() {
        // of two labels the last, the positive one, has the model's margins
        return RecentMargins::of(&scores[1..]);
    }
    let nobody = scores.first().map(|rows| vec![(0.0, false); rows.len()]);
    let mut lanes: Vec<Vec<(f64, bool)>> = nobody.into_iter().collect();
    lanes.resize(scores.len() + 1, Vec::new());
    for (rows, &class) in scores.iter().zip(model.classes().order()) {
        lanes[class + 1].clone_from(rows);
    }
    RecentMargins::of(&lanes)
}

/// Margins divided by what they are counted in.
fn divided(rows: &[(f64, bool)], unit: f64) -> Vec<(f64, bool)> {
    rows.iter()
        .map(|&(margin, has)| (margin / unit, has))
        .collect()
}

/// Both of two labels must occur; one of several may be missing.
fn check_labels(model: &Model, evaluation: &Evaluation, context: Context<'_>) -> Result<(), Error> {
    for label in &evaluation.labels {
        if label.hits.occurrences() > 0 {
            continue;
        }
        let name = &label.label;
        if model.classes().is_binary() {
            let what = format!(
                "no row has the label {name}, so its probability cannot be fitted on these rows"
            );
            return Err(Error::refused(what, "give rows of both labels"));
        }
        let label = name.clone();
        context.notice(Notice::LabelWithoutRows { label });
    }
    Ok(())
}

/// One map per class, in the order the classes appeared.
fn fit(
    model: &Model,
    evaluation: &Evaluation,
    method: CalibrationMethod,
    unit: f64,
) -> Result<Vec<CalibrationMap>, Error> {
    let classes = model.classes().list().len();
    let mut maps: Vec<Option<CalibrationMap>> = vec![None; classes];
    // of two labels the last, the positive one, has the model's margins
    let labels = evaluation
        .labels
        .iter()
        .skip(evaluation.labels.len() - classes);
    for (&class, label) in model.classes().order().iter().zip(labels) {
        let Some(ranking) = &label.ranking else {
            let what =
                "calibrating needs all margins at once, for which there is not enough memory";
            return Err(Error::refused(what, memory_or("give fewer rows")));
        };
        maps[class] = Some(CalibrationMap::fit(method, &divided(&ranking.rows(), unit)));
    }
    Ok(maps.into_iter().flatten().collect())
}

fn notice_slopes(model: &Model, maps: &[CalibrationMap], context: Context<'_>) {
    for (class, map) in model.classes().list().iter().zip(maps) {
        if let CalibrationMap::Sigmoid(map) = map
            && map.slope > 0.0
        {
            let label = class.label.name().to_owned();
            context.notice(Notice::FallingProbability { label });
        }
    }
}
