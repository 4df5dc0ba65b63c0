//! What watches a run: the listener, the trace, the certificate and the charts.

use std::cell::{Cell, RefCell};
use std::rc::Rc;

use novikoff::certify::Diary;
use novikoff::model::{Model, Outcome};
use novikoff::remark::Paired;
use novikoff::run::{Ledger, Observer};
use novikoff_data::model::Unfinished;

use super::CheckedFit;
use crate::Error;
use crate::certify::evidence::EvidenceCollector;
use crate::checkpoint::Checkpointer;
use crate::class_weight::WeightedLabels;
use crate::events::ProgressMoments;
use crate::familiar::FamiliarToModel;
use crate::matrix_updates::MatrixUpdates;
use crate::picture::PictureRecorder;
use crate::positive::PositiveSearch;
use crate::profile::Profile;
use crate::trace::Trace;

/// Watches a run for the listener, the trace, the certificate and the charts.
pub(super) struct RunObservers<'a> {
    pub(super) moments: ProgressMoments<'a>,
    pub(super) trace: Option<Rc<RefCell<Trace>>>,
    pub(super) diary: Option<Diary>,
    pub(super) picture: Option<PictureRecorder>,
    /// The rows of the first epoch.
    pub(super) profile: Option<Profile>,
    /// Those that only one of the deployed predictor and the baseline answered right.
    pub(super) paired: Rc<Cell<Option<Paired>>>,
    /// Whether rows have the label that is learned against the rest.
    pub(super) positive: PositiveSearch,
    pub(super) weighted: WeightedLabels,
    /// What the model that learns on knows of the rows.
    pub(super) familiar: Option<FamiliarToModel>,
    /// What certificates need of rows that are not held.
    pub(super) evidence: Option<EvidenceCollector<'a>>,
    /// Updates of the learner's matrix.
    pub(super) matrix: MatrixUpdates,
}

impl Observer for RunObservers<'_> {
    fn epoch_ended(&mut self, ledger: &Ledger) {
        self.moments.epoch_ended(ledger);
        self.matrix.end_epoch();
        if let Some(picture) = &mut self.picture {
            picture.epoch_ended(ledger);
        }
    }

    fn trial(&mut self, epoch: u32, row: u64, outcome: Outcome<'_>) {
        self.moments.trial(outcome.model());
        self.matrix.trial(outcome);
        if epoch == 0
            && let Some(other_is_wrong) = self.profile.as_mut().and_then(Profile::next_wrong)
            && let (Some(mut paired), Some(is_wrong)) =
                (self.paired.get(), outcome.is_validation_error())
        {
            paired.row(is_wrong, other_is_wrong);
            self.paired.set(Some(paired));
        }
        if let Some(trace) = &self.trace {
            trace.borrow_mut().trial(epoch, row, outcome);
        }
        let lost = self
            .evidence
            .as_ref()
            .is_some_and(EvidenceCollector::is_lost);
        if let Some(diary) = self.diary.as_mut().filter(|_| !lost) {
            diary.trial(epoch, row, outcome);
        }
        if let Some(picture) = &mut self.picture {
            picture.trial(epoch, row, outcome);
        }
    }
}

impl CheckedFit<'_> {
    pub(super) fn watchers(&self) -> RunObservers<'_> {
        RunObservers {
            moments: ProgressMoments::new(self.context),
            trace: None,
            diary: self.fit.certify.as_ref().map(|_| Diary::default()),
            picture: None,
            profile: None,
            paired: Rc::default(),
            positive: PositiveSearch::new(self.fit.run.task.as_ref()),
            weighted: WeightedLabels::new(&self.fit.run.class_weight, self.fit.resume.is_some()),
            familiar: None,
            evidence: None,
            matrix: MatrixUpdates::default(),
        }
    }

    /// Watches a run that begins, or goes on.
    pub(super) fn begin(&self, watch: &mut RunObservers<'_>, model: &Model, run: &Unfinished) {
        watch.moments.begin(model, &run.ledger);
        watch.matrix = MatrixUpdates::new(model.classes().list().len());
        watch.profile = Some(Profile::of_run(model, run));
        watch.paired.set(run.paired);
        watch.picture = Some(PictureRecorder::new(
            model,
            &run.ledger,
            self.fit.charts,
            run.course.as_ref(),
        ));
    }

    /// The trace of a run that begins, or goes on.
    pub(super) fn trace(
        &self,
        model: &Model,
        run: Option<&Unfinished>,
    ) -> Result<Option<Rc<RefCell<Trace>>>, Error> {
        let Some(path) = &self.fit.trace else {
            return Ok(None);
        };
        let trace = match run {
            Some(run) => Trace::go_on(path, run, model)?,
            None => Trace::create(path)?,
        };
        Ok(Some(Rc::new(RefCell::new(trace))))
    }

    pub(super) fn checkpointer(&self, run: Unfinished, watch: &RunObservers<'_>) -> Checkpointer {
        let (path, every) = (self.fit.output.as_deref(), self.fit.checkpoint);
        let interrupt = self.context.interrupt.clone();
        let checkpointer = Checkpointer::new(path, every, interrupt, run);
        let checkpointer = checkpointer.with_trace(watch.trace.clone());
        let course = watch.picture.as_ref().map(PictureRecorder::course);
        checkpointer.with_paired(&watch.paired).with_course(course)
    }
}
