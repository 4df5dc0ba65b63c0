//! Rows and labels, read and looked at.

use std::sync::Arc;

use novikoff::classes::Task;
use novikoff::preparation::Preparation;
use novikoff::remark::Remark;
use novikoff::resolve::resolved_map;
use novikoff_report::{BaselineReport, ConstantAnswer, DataSummary};

use super::Solve;
use super::rows::Labelled;
use crate::Error;
use crate::data::Reading;
use crate::events::Context;
use crate::familiar::far_from_mean;
use crate::first_rows::FirstRows;
use crate::labels::Unlabelled;
use crate::options::no_rows;
use crate::positive::check_positive;
use crate::profile::{Arrangement, Scales, check_labels_of, quantities};
use crate::rows::HeldRows;
use crate::worth::numbers::{are_quantities, mean_of};

/// Rows of the solver, read.
pub(crate) struct ReadRows {
    pub(crate) held: HeldRows,
    pub(crate) labelled: Labelled,
    pub(crate) preparation: Preparation,
    /// What always answering the most frequent label so far comes to, or the mean of labels that are quantities.
    pub(crate) baseline: Option<ConstantAnswer>,
}

impl ReadRows {
    /// The highest feature that the solver sees.
    pub(crate) fn features(&self) -> u32 {
        self.preparation.features().unwrap_or(self.held.width())
    }

    pub(crate) fn summary(&self) -> DataSummary {
        DataSummary {
            rows: self.held.len() as u64,
            features: self.held.width(),
            classes: self.labelled.classes.count(),
        }
    }
}

impl Solve {
    /// Reads the rows and their labels.
    pub(crate) fn read(&self, reading: &Reading, context: Context<'_>) -> Result<ReadRows, Error> {
        let task = match &self.run.task {
            _ if !self.loss.loss().classifies() => Some(Task::Regression),
            task => task.clone(),
        };
        let unlabelled = Unlabelled::of(task.as_ref());
        let memory = self.rows.memory;
        let held = self.data.load(reading, memory, unlabelled, context)?;
        if held.is_empty() {
            return Err(no_rows());
        }
        let task = match task {
            Some(task) => task,
            None => self.data.task(&held, true, reading)?,
        };
        let lenient = self.rows.lenient;
        check_positive(Some(&task), &held, lenient, context)?;
        self.class_weight.check_rows(&held, lenient, context)?;
        let (remarks, baseline) = self.seen(&held, &task)?;
        for remark in remarks {
            context.remark(&remark);
        }
        if let Task::OneVsRest = task {
            check_labels_of(&held, self.rows.lenient, context)?;
        }
        let labelled = Labelled::new(self, &held, task)?;
        let mut baseline = baseline.map(ConstantAnswer::Label);
        if let Some(labels) = labelled.numbers().filter(|_| are_quantities(&self.loss)) {
            for remark in quantities::remarks(&held, labels, self.run.standardize) {
                context.remark(&remark);
            }
            baseline = Some(ConstantAnswer::Mean(mean_of(labels)));
        }
        let preparation = self.run.fitted(&self.run.preparation(), &held, memory)?;
        let mut schema = (*held.schema).clone();
        schema.preparation = preparation.clone();
        for remark in far_from_mean(&held.facts, &schema) {
            context.remark(&remark);
        }
        let mut read = ReadRows {
            held,
            labelled,
            preparation,
            baseline,
        };
        self.put_map(&mut read)?;
        Ok(read)
    }

    /// Prepares rows that were read with the map of this job.
    pub(crate) fn put_map(&self, read: &mut ReadRows) -> Result<(), Error> {
        read.preparation.map = None;
        if let Some(map) = &self.run.map {
            let first = FirstRows::of(&read.held);
            let memory = self.rows.memory / 4;
            let map = resolved_map(map, Some(first.view()), &read.preparation, memory)?;
            read.preparation.map = Some(Arc::new(map));
        }
        Ok(())
    }

    /// What is worth saying of the rows, whose order makes no difference, and their baseline.
    fn seen(
        &self,
        held: &HeldRows,
        task: &Task,
    ) -> Result<(Vec<Remark>, Option<BaselineReport>), Error> {
        let standardized = self.run.standardize;
        if are_quantities(&self.loss) {
            // what is to be said of them is said when their labels are known to be numbers
            return Ok((Vec::new(), None));
        }
        if let Task::Regression = task {
            let scales = (!standardized).then(|| Scales::of(held).remark(&held.schema));
            return Ok((scales.flatten().into_iter().collect(), None));
        }
        let arrangement = Arrangement {
            shuffled: true,
            standardized,
        };
        let profile = self.run.profile(held, task.clone())?;
        let remarks = profile.remarks(arrangement, &held.schema, Some(&held.sample()));
        Ok((remarks, Some(profile.baseline())))
    }
}
