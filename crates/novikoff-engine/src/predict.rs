//! Predictions of a model: scores or probabilities, block by block.

use std::path::{Path, PathBuf};

use novikoff::learner::Hypothesis;
use novikoff::model::Model;
use novikoff::remark::Remark;
use novikoff::remedy::Job;
use novikoff_report::Noted;

use crate::data::{self, Data};
use crate::events::{Context, Phase, RemarkLog};
use crate::familiar::Familiar;
use crate::open_model::open_model;
use crate::options::{RowOptions, hypothesis};
use crate::{Error, Remedy, Setting};

/// A model that answers.
#[derive(Clone, Debug)]
pub struct Predict {
    /// The model's file.
    pub model: PathBuf,
    /// Rows, with labels or without.
    pub data: Data,
    /// The predictor; the model's own if none.
    pub by: Option<Hypothesis>,
    /// Probabilities are asked for, which the model must have.
    pub probabilities: bool,
    /// How rows are read.
    pub rows: RowOptions,
}

/// Receives the answers.
pub trait Answers {
    /// The scores of the next row, for every class in order of appearance.
    fn row(&mut self, model: &Model, scores: &[f64]);

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
        let log = RemarkLog::default();
        self.run_in(context.logging(&log), answers)?;
        Ok(log.finish())
    }

    fn run_in(&self, context: Context<'_>, answers: &mut impl Answers) -> Result<(), Error> {
        let model = open_model(&self.model, &self.rows)?.model;
        let mut by = hypothesis(self.by, &model)?;
        if self.probabilities {
            by = Some(calibrated(&model, by, &self.model)?);
        }
        let mut reading = self.rows.reading_for(&model, context);
        reading.options.unlabelled = true;
        let mut reader = self.data.reader(&reading)?;
        let lenient = self.rows.lenient;
        // whoever writes rows to a pipe may wait for each answer
        let holds = !lenient && !self.data.is_stream();
        let (mut familiar, mut rows) = (Familiar::default(), 0);
        context.begin(Phase::Predicting, reader.total_bytes());
        while reader.advance()? {
            reading.look_up()?;
            let Some(block) = reader.current() else {
                continue;
            };
            rows += block.len();
            let each = (0..block.len()).map(|row| block.row(row));
            model.scores_of(each, by, |_, scores| answers.row(&model, scores));
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
        answers.end_block(true)
    }
}

/// The predictor whose margins the model turns into probabilities.
fn calibrated(model: &Model, by: Option<Hypothesis>, path: &Path) -> Result<Hypothesis, Error> {
    let Some(calibration) = model.calibration() else {
        let what = format!("{} has margins only", path.display());
        let model = path.display().to_string();
        let calibrate = Remedy::run(Job::Calibrate { model });
        return Err(Error::refused(what, calibrate).about(Setting::Probabilities, ""));
    };
    let own = calibration.hypothesis;
    if by.is_some_and(|by| by != own) {
        let what = format!("the model was calibrated for its {} predictor", own.name());
        let remedy = Remedy::leave_out(&[Setting::Use]).or("calibrate again with it");
        return Err(Error::refused(what, remedy).about(Setting::Probabilities, ""));
    }
    Ok(own)
}
