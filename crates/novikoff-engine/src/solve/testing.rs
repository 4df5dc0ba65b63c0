//! What a model is worth on the rows that it was solved for, and on test rows.

use std::sync::Arc;

use novikoff::classes::Task;
use novikoff::model::Model;
use novikoff::remark::{Advice, Measured, SquaredErrors};
use novikoff_report::{BaselineReport, NumbersTested, SolveTest};

use super::{ReadRows, Solve};
use crate::data::Known;
use crate::events::{Context, Phase};
use crate::familiar::learned_from;
use crate::labels::Unlabelled;
use crate::rows::HeldRows;
use crate::testing::{check_labels, most_frequent, test_held};
use crate::worth::numbers::{NumberTally, against_mean, are_quantities, test_numbers};
use crate::{Error, worth};

/// How many of the rows are answered to see whether a constant is missing.
const LOOKED_AT: usize = 2000;

impl Solve {
    /// How a model that has no free bias does on some of the rows that it was solved for, where their labels are quantities.
    pub(super) fn solved_errors(&self, model: &Model, read: &ReadRows) -> Option<SquaredErrors> {
        let labels = self.quantities(read).filter(|_| !self.free_bias)?;
        let looked = labels.len().min(LOOKED_AT);
        let rows: Vec<usize> = (0..looked).map(|k| k * labels.len() / looked).collect();
        let mut tally = NumberTally::near(labels);
        let all = rows.iter().map(|&row| {
            let (block, place) = read.held.at(row);
            block.row(place)
        });
        model.scores_of(all, None, |k, scores| tally.add(labels[rows[k]], scores[0]));
        Some(tally.errors())
    }

    /// The test of a model, and the baseline of its rows where they have labels.
    pub(super) fn test(
        &self,
        model: &Model,
        advice: Advice,
        context: Context<'_>,
    ) -> Result<Option<(SolveTest, Option<BaselineReport>)>, Error> {
        let Some(data) = &self.test else {
            return Ok(None);
        };
        let reading = self.rows.reading_for(model, context);
        let saved = self.output.as_ref();
        let known = Known {
            schema: Arc::clone(&reading.schema),
            width: model.width(),
            unlabelled: Unlabelled::Rows,
            model: saved.map(|path| path.display().to_string()),
            lenient: self.rows.lenient,
        };
        let held = data.load_known(&reading, self.rows.memory, &known, context)?;
        if !data.is_same(&self.data) {
            let same = learned_from(&held, model.learned());
            if let Some(remark) = &same {
                context.remark(remark);
            }
        }
        if let Task::Regression = model.classes().task() {
            return Ok(Some((
                self.test_numbers(model, &held, advice, context)?,
                None,
            )));
        }
        context.begin(Phase::TestRows, Some(held.len() as u64));
        let (report, baseline) = test_held(model, &held, None, |done, _| context.at(done))?;
        context.end();
        check_labels(&baseline, self.rows.lenient, context)?;
        let baseline = most_frequent(&baseline);
        let advice = advice.on(worth::share(&baseline), model.classes().is_binary());
        if let Some(remark) = worth::of_test(&report, &baseline, advice) {
            context.remark(&remark);
        }
        let too_good = worth::too_good::of_test(&report, &baseline, model.schema());
        worth::too_good::tell(too_good, context);
        Ok(Some((SolveTest::Labels(report), Some(baseline))))
    }

    /// The test of a model of numbers.
    fn test_numbers(
        &self,
        model: &Model,
        held: &HeldRows,
        advice: Advice,
        context: Context<'_>,
    ) -> Result<SolveTest, Error> {
        let test = test_numbers(model, held)?;
        let is_judged = are_quantities(&self.loss);
        if is_judged {
            let errors = test.errors();
            let advice = self.number_advice(&errors, advice);
            let baseline = against_mean(Measured::Test, errors, advice);
            for remark in test.other_unit(model).into_iter().chain(baseline) {
                context.remark(&remark);
            }
        }
        Ok(SolveTest::Numbers(NumbersTested {
            rows: test.distances.rows,
            squared_error: test.distances.mean_squared(),
            absolute_error: test.distances.mean_absolute(),
            baseline: is_judged.then(|| test.baseline()),
        }))
    }
}
