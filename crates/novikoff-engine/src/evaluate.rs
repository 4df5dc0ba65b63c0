//! A model on labelled rows: all measures. The pass over such rows is shared with `calibrate`.

use std::path::{Path, PathBuf};
use std::time::Instant;

use novikoff::classes::Task;
use novikoff::evaluation::{Baseline, Evaluation, Tally};
use novikoff::learner::Hypothesis;
use novikoff::model::{Model, RowSample};
use novikoff::remark::{Measured, NumberAdvice, RowsFor, UnknownLabels};
use novikoff::rows::Block;
use novikoff_data::blocks::Skipped;
use novikoff_report::{ConstantAnswer, EvaluateReport, EvaluateResult};

use crate::Error;
use crate::data::{self, Data};
use crate::error::CHECK_INPUT;
use crate::events::{Context, Notice, Phase, ROWS_A_REPORT, RemarkLog};
use crate::familiar::Familiar;
use crate::labels::{FilteredBlock, Unlabelled, labelled};
use crate::open_model::open_model;
use crate::options::{RowOptions, hypothesis, skipped};
use crate::testing::{most_frequent, refuse_unknown};
use crate::worth;
use crate::worth::numbers::{NumberTest, against_mean, of_quantities};

/// A model to be measured.
#[derive(Clone, Debug)]
pub struct Evaluate {
    /// The model's file.
    pub model: PathBuf,
    /// Labelled rows.
    pub data: Data,
    /// The predictor; the model's own if none.
    pub by: Option<Hypothesis>,
    /// How rows are read.
    pub rows: RowOptions,
}

impl Evaluate {
    /// Measures it.
    pub fn run(&self, context: Context<'_>) -> Result<EvaluateReport, Error> {
        let log = RemarkLog::default();
        let mut report = self.run_in(context.logging(&log))?;
        report.remarks = log.finish();
        Ok(report)
    }

    fn run_in(&self, context: Context<'_>) -> Result<EvaluateReport, Error> {
        let begun = Instant::now();
        let model = open_model(&self.model, &self.rows)?.model;
        let by = hypothesis(self.by, &model)?;
        let used = by.unwrap_or(model.learner().hypotheses()[0]);
        let pass = Pass {
            model: &model,
            file: &self.model,
            data: &self.data,
            rows: &self.rows,
            rows_for: RowsFor::Evaluation,
            context,
        };
        let is_multi = matches!(model.classes().task(), Task::MultiLabel);
        let mut baseline = is_multi.then(|| Baseline::of_test(model.classes()));
        let (result, constant, passed_over) = if let Task::Regression = model.classes().task() {
            let (test, passed_over) = pass.numbers(by)?;
            let is_judged = of_quantities(&model);
            let mean = is_judged.then(|| ConstantAnswer::Mean(test.baseline()));
            if is_judged {
                let unit = test.other_unit(&model);
                let advice = NumberAdvice::default();
                let baseline = against_mean(Measured::Evaluation, test.errors(), advice);
                for remark in unit.into_iter().chain(baseline) {
                    context.remark(&remark);
                }
            }
            let result = EvaluateResult::Numbers(test.distances);
            (result, mean, passed_over)
        } else {
            let tally = Tally::new(&model, by, self.rows.memory / 2);
            let (tally, passed_over) = pass.tally(tally, baseline.as_mut(), None)?;
            let evaluation = tally.finish();
            pass.remark(&evaluation)?;
            let several = baseline.as_ref().map(most_frequent);
            for remark in worth::of_evaluation(&evaluation, &model, several) {
                context.remark(&remark);
            }
            if let Some(remark) = worth::of_probabilities(&evaluation, &model, &self.model) {
                context.remark(&remark);
            }
            let result = match model.classes().task() {
                Task::MultiLabel => EvaluateResult::Multi(evaluation),
                _ if model.classes().is_binary() => EvaluateResult::Two(evaluation),
                _ => EvaluateResult::Several(evaluation),
            };
            let several = baseline.as_ref().map(most_frequent);
            (result, several.map(ConstantAnswer::Label), passed_over)
        };
        data::tell_skipped(passed_over.clone(), context);
        Ok(EvaluateReport {
            spec: model.spec().text().to_owned(),
            kernel: model.kernel().to_string(),
            by: used.name(),
            result,
            baseline: constant,
            skipped: skipped(&passed_over),
            remarks: Vec::new(),
            seconds: begun.elapsed().as_secs_f64(),
        })
    }
}

/// One pass of a model over labelled rows.
pub(crate) struct Pass<'p> {
    pub(crate) model: &'p Model,
    /// The model's file.
    pub(crate) file: &'p Path,
    pub(crate) data: &'p Data,
    pub(crate) rows: &'p RowOptions,
    /// What the rows are for.
    pub(crate) rows_for: RowsFor,
    pub(crate) context: Context<'p>,
}

impl Pass<'_> {
    /// Counts all rows, and their baseline if that is asked for.
    pub(crate) fn tally<'m>(
        &self,
        mut tally: Tally<'m>,
        mut baseline: Option<&mut Baseline>,
        mut sample: Option<&mut RowSample>,
    ) -> Result<(Tally<'m>, Skipped), Error> {
        let skipped = self.blocks(|block, place, done| {
            if let Some(sample) = &mut sample {
                (0..block.len()).for_each(|row| sample.add(block.row(row), false));
            }
            if let Some(baseline) = &mut baseline {
                (0..block.len()).for_each(|row| {
                    baseline.row(block.labels(row));
                });
            }
            let added = tally.add_watched(block, done);
            added.map_err(|(row, error)| Error::at(&place(row), &error, error.remedy()))
        })?;
        Ok((tally, skipped))
    }

    fn numbers(&self, by: Option<Hypothesis>) -> Result<(NumberTest, Skipped), Error> {
        let mut test = NumberTest::default();
        let skipped =
            self.blocks(|block, place, done| test.block(self.model, by, block, place, done))?;
        Ok((test, skipped))
    }

    /// Hands out the rows block by block, with a function that tells where a row is from, and one that is to be called with every row that
    /// is done.
    fn blocks(
        &self,
        mut each: impl FnMut(Block<'_>, &dyn Fn(usize) -> String, &dyn Fn(usize)) -> Result<(), Error>,
    ) -> Result<Skipped, Error> {
        let reading = self.rows.reading_for(self.model, self.context);
        let unlabelled = Unlabelled::of(Some(self.model.classes().task()));
        let (mut rows, mut familiar) = (0, Familiar::new_to(self.model, self.rows_for));
        let mut reader = self.data.reader(&reading)?;
        self.context.begin(Phase::Evaluating, reader.total_bytes());
        while reader.advance()? {
            reading.look_up()?;
            let kept = match unlabelled {
                Unlabelled::Rows => None,
                _ => labelled(&mut reader),
            };
            let Some((lent, line)) = reader.lent() else {
                continue;
            };
            familiar.block(lent, &reading.schema, self.model.width());
            let block = kept.as_ref().map_or(lent, FilteredBlock::view);
            let done = |row: usize| {
                if row.is_multiple_of(ROWS_A_REPORT) {
                    self.context.at(reader.position(row, block.len()));
                }
            };
            each(block, &|row| reader.place(block, line, row, rows), &done)?;
            rows += block.len() as u64;
            if let Some(error) = kept.and_then(|kept| kept.error) {
                return Err(error.into());
            }
            self.context.at(reader.position(1, 1));
        }
        self.context.end();
        data::tell(&reader, self.context);
        if rows == 0 {
            let what = "the data has no rows, so there is nothing to measure";
            return Err(Error::refused(what, CHECK_INPUT));
        }
        let file = Some(self.file.display().to_string());
        familiar.finish(&reader, file, self.rows.lenient, self.context)?;
        Ok(reader.skipped())
    }

    /// What is worth saying of the labels.
    pub(crate) fn remark(&self, evaluation: &Evaluation) -> Result<(), Error> {
        let labels = evaluation.labels.iter();
        let known: u64 = labels.map(|label| label.hits.occurrences()).sum();
        let labels = evaluation.labels.iter();
        let unknown = UnknownLabels {
            labels: evaluation.unknown.labels.clone(),
            times: evaluation.unknown.times,
            rows: evaluation.rows,
            known: labels.map(|label| label.label.clone()).collect(),
            none: known == 0,
        };
        refuse_unknown(unknown, self.rows.lenient, self.context)?;
        let mut labels = evaluation.labels.iter();
        if labels.any(|label| label.ranking.is_none()) {
            self.context.notice(Notice::NoCurves);
        }
        Ok(())
    }
}
