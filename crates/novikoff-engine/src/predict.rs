//! Predictions of a model: labels, decisions, margins or probabilities, block by block.

mod answer;

use std::path::{Path, PathBuf};

use novikoff::classes::Task;
use novikoff::evaluation::ScoreUnit;
use novikoff::learner::Hypothesis;
use novikoff::model::{Model, ProbabilitySource};
use novikoff::remark::{LabelRemark, Remark, ResultRemark};
use novikoff::remedy::Hint;
use novikoff_data::options::FileOrder;
use novikoff_report::Noted;

pub use answer::{Costs, Decision};

use crate::data::{self, Data};
use crate::events::{Context, Notice, Phase, RemarkLog};
use crate::familiar::Familiar;
use crate::open_model::open_model;
use crate::options::{RowOptions, hypothesis};
use crate::{Error, Remedy, Setting};
use answer::RowAnswerer;

/// A model that answers.
#[derive(Clone, Debug)]
pub struct Predict {
    /// The model's file.
    pub model: PathBuf,
    /// Rows, with labels or without.
    pub data: Data,
    /// The predictor; the model's own if none.
    pub by: Option<Hypothesis>,
    /// How labels are chosen.
    pub decision: Decision,
    /// Numbers that are asked for. Unless a decision is asked for too, they come instead of the labels.
    pub values: Option<ScoreUnit>,
    /// The column of a table whose text comes before each answer.
    pub id: Option<String>,
    /// How rows are read.
    pub rows: RowOptions,
}

/// Receives the answers: the names of the columns, then every row's cells in their order.
pub trait Answers {
    /// What the columns are called.
    fn begin(&mut self, columns: &[String]);

    /// A cell that is text.
    fn text(&mut self, text: &[u8]);

    /// A cell that is a number.
    fn number(&mut self, number: f64);

    /// The row has no more cells.
    fn end_row(&mut self);

    /// The rows of a block were all answered. Until it is `settled` that rows have a feature that the model knows, answers may turn out to be
    /// worthless, so it is better to hold them back as far as that is possible.
    fn end_block(&mut self, settled: bool) -> Result<(), Error>;
}

impl Predict {
    /// Hands all answers to `answers`, in the order of the rows. Gives what is worth knowing of them.
    pub fn run(
        &self,
        context: Context<'_>,
        answers: &mut impl Answers,
    ) -> Result<Vec<Noted>, Error> {
        let model = open_model(&self.model, &self.rows)?.model;
        self.run_with(&model, context, answers)
    }

    /// [`run`](Self::run) with a model that is in memory, in the place of that of the file.
    pub fn run_with(
        &self,
        model: &Model,
        context: Context<'_>,
        answers: &mut impl Answers,
    ) -> Result<Vec<Noted>, Error> {
        let log = RemarkLog::default();
        self.run_in(model, context.logging(&log), answers)?;
        Ok(log.finish())
    }

    fn run_in(
        &self,
        model: &Model,
        context: Context<'_>,
        answers: &mut impl Answers,
    ) -> Result<(), Error> {
        let mut by = hypothesis(self.by, model)?;
        self.decision.check(model)?;
        let has = model.probability_source().is_some();
        if self.needs_probabilities() || (has && self.decision.is_made()) {
            by = Some(self.chancy(model, by)?);
        }
        for remark in self.of_model(model) {
            context.remark(&remark);
        }
        if self.decision.is_made()
            && let Task::Binary { positive, .. } = model.classes().task()
        {
            let positive = positive.name().to_owned();
            context.notice(Notice::DecidesFor {
                positive,
                by_probability: has,
            });
        }
        let mut answerer = RowAnswerer::new(model, by, self.decision, self.values)?;
        let mut reading = self.rows.reading_for(model, context);
        reading.options.unlabelled = true;
        let is_unnamed = model.table().is_none() && model.schema().names.is_empty();
        reading.options.unnamed_features = is_unnamed.then_some(model.width() as usize);
        reading.options.file_order = FileOrder::Sorted;
        reading.options.id.clone_from(&self.id);
        let mut reader = self.data.reader(&reading)?;
        let lenient = self.rows.lenient;
        // a program that writes rows to a pipe may wait for each answer
        let holds = !lenient && !self.data.is_stream();
        let (mut familiar, mut rows) = (Familiar::default(), 0);
        context.begin(Phase::Predicting, reader.total_bytes());
        answers.begin(&answerer.columns(self.id.as_deref()));
        while reader.advance()? {
            reading.look_up()?;
            let Some(block) = reader.current() else {
                continue;
            };
            rows += block.len();
            if self.id.is_some() && block.id_ends.is_empty() {
                return Err(self.no_ids());
            }
            let each = (0..block.len()).map(|row| block.row(row));
            model.scores_of(each, by, |row, scores| {
                if self.id.is_some() {
                    answers.text(block.id(row).unwrap_or_default());
                }
                answerer.answer(block.row(row), scores, answers);
                answers.end_row();
            });
            familiar.block(block, &reading.schema, model.width());
            answers.end_block(!holds || familiar.is_settled(&reader))?;
            context.at(reader.bytes_read());
        }
        context.end();
        data::tell(&reader, context);
        if rows == 0 {
            context.remark(&Remark::NoRows);
        }
        let file = self.model.display().to_string();
        familiar.finish(&reader, Some(file), lenient, context)?;
        if let Some(remark) = answerer.remark() {
            context.remark(&remark);
        }
        answers.end_block(true)
    }

    /// What is worth knowing of the answers before any row is read.
    fn of_model(&self, model: &Model) -> Vec<Remark> {
        let mut remarks = Vec::new();
        let asks = self.needs_probabilities() || self.decision.is_made();
        let native = matches!(
            model.probability_source(),
            Some(ProbabilitySource::Native(_))
        );
        if asks && native && model.class_weights().is_some() {
            let model = self.model.display().to_string();
            remarks.push(Remark::Result(ResultRemark::WeightedProbabilities {
                model,
            }));
        }
        if let (Task::OneVsRest, [only]) = (model.classes().task(), model.classes().list()) {
            let label = only.label.name().to_owned();
            remarks.push(Remark::Label(LabelRemark::Only { label }));
        }
        remarks
    }

    /// Whether there is no answer without probabilities.
    fn needs_probabilities(&self) -> bool {
        let costs = matches!(self.decision, Decision::Cost(_));
        costs || self.values == Some(ScoreUnit::Probability)
    }

    /// The setting that asks for probabilities.
    fn chance_setting(&self) -> Setting {
        match self.decision {
            Decision::Cost(_) => Setting::Cost,
            Decision::Threshold(_) if self.values.is_none() => Setting::Threshold,
            Decision::Top(_) if self.values.is_none() => Setting::Top,
            _ => Setting::Probabilities,
        }
    }

    /// The predictor whose margins the model turns into probabilities.
    fn chancy(&self, model: &Model, by: Option<Hypothesis>) -> Result<Hypothesis, Error> {
        let used = by.unwrap_or(model.learner().hypotheses()[0]);
        let setting = self.chance_setting();
        match model.probability_source() {
            None => Err(no_probabilities(&self.model, setting)),
            Some(ProbabilitySource::Native(_)) if model.has_probabilities(by) => Ok(used),
            Some(ProbabilitySource::Native(_)) => {
                let what = format!("the {} predictor has no probabilities", used.name());
                Err(Error::refused(what, Remedy::leave_out(&[Setting::Use])).about(setting, ""))
            }
            Some(ProbabilitySource::Calibrated(calibration)) => {
                let own = calibration.hypothesis;
                if by.is_none_or(|by| by == own) {
                    return Ok(own);
                }
                let what = format!("the model was calibrated for its {} predictor", own.name());
                let remedy = Remedy::leave_out(&[Setting::Use]).or("calibrate again with it");
                Err(Error::refused(what, remedy).about(setting, ""))
            }
        }
    }

    /// The data has no columns.
    fn no_ids(&self) -> Error {
        let what =
            "the data is no table, so it has no column whose text could come with the answers";
        let remedy = Remedy::leave_out(&[Setting::Id]).or("give a table");
        Error::refused(what, remedy).about(Setting::Id, self.id.as_deref().unwrap_or_default())
    }
}

/// A model has margins only.
fn no_probabilities(path: &Path, setting: Setting) -> Error {
    let what = format!("{} has margins only", path.display());
    let model = path.display().to_string();
    Error::refused(what, Remedy::hint(Hint::Calibrate { model })).about(setting, "")
}
