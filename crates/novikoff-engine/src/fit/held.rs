//! A run over rows that are held: more than one visit of each, or another order.

use std::sync::Arc;

use novikoff::classes::Task;
use novikoff::model::Model;
use novikoff::run;
use novikoff_report::RunReport;

use super::observers::RunObservers;
use super::orders::{self, OrderedRuns, survey};
use super::stream::other_length;
use super::{CheckedFit, Resumed, RunOutcome};
use crate::certify::evidence::Evidence;
use crate::data::Known;
use crate::events::Phase;
use crate::familiar::{far_from_mean, learned_from};
use crate::first_rows::FirstRows;
use crate::labels::Unlabelled;
use crate::options::no_rows;
use crate::positive::check_positive;
use crate::profile::Profile;
use crate::remarks::{self, Around};
use crate::rows::HeldRows;
use crate::testing::{self, EpochEnds};
use crate::worth::too_good;
use crate::{Error, StoppedWhile};

impl CheckedFit<'_> {
    pub(super) fn learn_held(
        &self,
        resumed: Option<Resumed>,
        watch: &mut RunObservers<'_>,
    ) -> Result<RunOutcome, Error> {
        let task = match &resumed {
            Some((model, _)) => Some(model.classes().task()),
            None => self.fit.run.task.as_ref(),
        };
        let unlabelled = Unlabelled::of(task);
        let mut held = self
            .data
            .load(&self.reading, self.memory, unlabelled, self.context)?;
        let (mut model, mut checkpointer) = match resumed {
            Some((model, Some(run))) => {
                if held.len() as u64 != run.rows {
                    return Err(other_length(held.len() as u64, run.rows));
                }
                watch.trace = self.trace(&model, Some(&run))?;
                self.begin(watch, &model, &run);
                (model, self.checkpointer(run, watch))
            }
            begun => {
                let mut model = match begun {
                    Some((model, _)) => {
                        let mut familiar = self.familiar(&model);
                        familiar.held(&held);
                        familiar.check(&held.facts, self.fit.rows.lenient, self.context)?;
                        model
                    }
                    None => self.fresh(&held)?,
                };
                survey(&mut model, &held, 0..held.len())?;
                let run = self.beginning(&mut model);
                watch.trace = self.trace(&model, None)?;
                self.begin(watch, &model, &run);
                (model, self.checkpointer(run, watch))
            }
        };
        model.adopt(Arc::clone(&held.schema));
        (checkpointer.run.rows, checkpointer.run.features) = (held.len() as u64, held.width());
        watch.positive.held(&held);
        watch.weighted.held(&held);
        let shuffle = checkpointer.run.shuffle;
        if let Some(profile) = &mut watch.profile {
            profile.held(
                &held,
                run::EpochOrders::new(held.len(), shuffle).next_epoch(),
            );
            let (is_all, lenient) = (self.fit.resume.is_none(), self.fit.rows.lenient);
            profile.check_labels(is_all, || held.label_column(), lenient, self.context)?;
        }
        for remark in far_from_mean(&held.facts, model.schema()) {
            self.context.remark(&remark);
        }
        if let Some(picture) = &mut watch.picture {
            picture.held(&held);
        }
        let test = self.test_of_epochs(&model, &held, watch.profile.as_ref())?;
        let mut ends = EpochEnds::new(test.as_ref(), self.by);
        orders::run_held(
            &mut model,
            &held,
            &mut checkpointer,
            watch,
            &mut ends,
            self.context,
        )?;
        let (took, last) = (ends.testing, ends.last);
        let tested = last.map(|(test, baseline)| (test, testing::most_frequent(&baseline), took));
        let ends = ends.ends;
        let diary = watch.diary.take();
        let (asked, ledger) = (checkpointer.run.until_separated, checkpointer.run.ledger);
        Ok(RunOutcome {
            model,
            separated: asked.then(|| ledger.is_separated()),
            ledger,
            rows: held.len() as u64,
            features: held.width(),
            shuffled: shuffle.is_some(),
            skipped: std::mem::take(&mut held.skipped),
            evidence: diary.map(|diary| (Evidence::Rows(Box::new(held)), diary)),
            ends,
            tested,
        })
    }

    /// The rows that the model is tested on after each epoch, if it is.
    pub(super) fn test_of_epochs(
        &self,
        model: &Model,
        held: &HeldRows,
        profile: Option<&Profile>,
    ) -> Result<Option<HeldRows>, Error> {
        let Some(data) = self
            .fit
            .test
            .as_ref()
            .filter(|_| self.fit.run.test_every_epoch)
        else {
            return Ok(None);
        };
        let reading = self.fit.rows.reading_for(model, self.context);
        let lenient = self.fit.rows.lenient;
        let saved = self.fit.output.as_ref();
        let known = Known {
            schema: Arc::clone(&reading.schema),
            width: model.width().max(held.width()),
            unlabelled: Unlabelled::of(Some(model.classes().task())),
            model: saved.map(|path| path.display().to_string()),
            lenient,
        };
        let test = data.load_known(&reading, self.memory, &known, self.context)?;
        if let Some(profile) = profile {
            testing::check_labels_of(&test, profile.classes(), lenient, self.context)?;
        }
        Ok(Some(test))
    }

    pub(super) fn fresh_task(&self, held: &HeldRows) -> Result<Task, Error> {
        match &self.fit.run.task {
            Some(task) => Ok(task.clone()),
            None => self.data.task(held, true, &self.reading),
        }
    }

    pub(super) fn fresh(&self, held: &HeldRows) -> Result<Model, Error> {
        let task = self.fresh_task(held)?;
        let width = (!self.data.is_stream()).then(|| held.width());
        let run = &self.fit.run;
        self.new_model(
            task,
            width,
            run.fitted(&self.preparation, held, self.memory)?,
            FirstRows::of(held).view(),
            || Ok(held.label_counts()),
        )
    }

    pub(super) fn permutations(&self) -> Result<RunReport, Error> {
        let unlabelled = Unlabelled::of(self.fit.run.task.as_ref());
        let held = self
            .data
            .load(&self.reading, self.memory, unlabelled, self.context)?;
        if held.is_empty() {
            return Err(no_rows());
        }
        let lenient = self.fit.rows.lenient;
        check_positive(self.fit.run.task.as_ref(), &held, lenient, self.context)?;
        let task = self.fresh_task(&held)?;
        let test = match &self.fit.test {
            Some(data) => {
                let known = Known::by_learners_of(&held, &task, lenient);
                Some(data.load_known(&self.reading, self.memory, &known, self.context)?)
            }
            None => None,
        };
        let mut profile = self.fit.run.profile(&held, task)?;
        profile.check_labels(true, || held.label_column(), lenient, self.context)?;
        if let (Some(test), Some(data)) = (&test, &self.fit.test) {
            if !data.is_same(&self.fit.data) {
                let same = learned_from(test, &held.sample());
                if let Some(remark) = &same {
                    self.context.remark(remark);
                }
            }
            testing::check_labels_of(test, profile.classes(), lenient, self.context)?;
        }
        let orders = self.fit.run.repeats().unwrap_or(1);
        self.context.begin(Phase::Orders, Some(u64::from(orders)));
        let fresh = || {
            if self.context.interrupt.is_requested() {
                return Err(Error::Stopped(StoppedWhile::Orders));
            }
            self.fresh(&held)
        };
        let certifier = self.certifier();
        let mut report = OrderedRuns {
            run: &self.fit.run,
            held: &held,
            test: test.as_ref(),
            by: self.by,
            validates_all: false,
            certifier: certifier.as_ref(),
            profile: &profile,
            charts: self.fit.charts,
            context: self.context,
            shown: self.context,
        }
        .run(fresh)?;
        self.context.end();
        for remark in profile.remarks(
            self.fit.run.arrangement(),
            &held.schema,
            Some(&held.sample()),
        ) {
            self.context.remark(&remark);
        }
        let model = self.fresh(&held)?;
        if let Some(remark) = profile.kernel_remark(&model) {
            self.context.remark(&remark);
        }
        let following = profile.following(self.fit.run.arrangement(), &held.schema);
        let (preparation, given) = (model.preparation(), self.comparator.is_some());
        let advice = profile.advice(preparation.standardize.is_some(), true, &held.schema);
        let advice = advice.weighted(model.class_weights().is_some());
        let around = Around {
            lacks_constant: preparation.bias.is_none(),
            following,
            advice,
            given,
            values: profile.values(),
        };
        for remark in remarks::of_run(&report, around) {
            self.context.remark(&remark);
        }
        let too_good = too_good::of_run(&report, &held.schema);
        too_good::tell(too_good, self.context);
        if certifier.is_some() {
            report.options = Some(self.repeatable(&model, &report));
        }
        if certifier.is_some() && self.context.interrupt.is_requested() {
            return Err(Error::Stopped(StoppedWhile::CertifyingOrders));
        }
        Ok(report)
    }
}
