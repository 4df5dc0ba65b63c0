//! What a run looks like, gathered while it goes.
//!
//! Moments are kept at every `stride`-th trial; when there are too many, every other one goes and the stride
//! doubles. So memory is bounded, and every moment that is kept is exact. Scores are kept up to a million; from
//! then on they are a sample in which every trial so far is as likely as any other.

mod plane;

use std::cell::RefCell;
use std::rc::Rc;

use novikoff::classes::Task;
use novikoff::evaluation::{Confusion, Ranking, thinned};
use novikoff::kernel::Kernel;
use novikoff::label::Label;
use novikoff::model::{Model, Outcome, Totals};
use novikoff::random::SplitMix64;
use novikoff::rows::Block;
use novikoff::run::{Ledger, Observer, Standing};
use novikoff_data::model::KeptCourse;
use novikoff_report::{Margins, Moment, Picture, RankingPicture, TopFeatures};

use crate::rows::HeldRows;
use crate::weights::{class_names, feature_name, sorted_weights};
use plane::PlaneRecorder;

/// The most moments of a run.
const MOMENTS: usize = 600;

/// The most scores.
const SCORES: usize = 1_000_000;

/// The most classes of a confusion table.
const CLASSES: usize = 256;

/// The most points of a precision-recall curve.
const POINTS: usize = 400;

/// How many weights of a class are shown.
const WEIGHTS: usize = 16;

/// Records what a run looks like, for its charts.
pub(crate) struct PictureRecorder {
    course: Rc<RefCell<Course>>,
    scores: Option<Scores>,
    plane: Option<PlaneRecorder>,
}

impl PictureRecorder {
    /// Of a run that begins or is resumed with this model and this account. `whole` asks for more than the course of mistakes; `kept` is its
    /// course so far.
    pub(crate) fn new(
        model: &Model,
        ledger: &Ledger,
        whole: bool,
        kept: Option<&KeptCourse>,
    ) -> Self {
        let course = Course::new(model, ledger, kept);
        PictureRecorder {
            course: Rc::new(RefCell::new(course)),
            scores: whole.then(Scores::default),
            // a run that goes on has seen other rows
            plane: PlaneRecorder::new(model).filter(|_| whole && model.totals().trials == 0),
        }
    }

    /// Where mistakes are made, while the run goes on.
    pub(crate) fn course(&self) -> Rc<RefCell<Course>> {
        Rc::clone(&self.course)
    }

    /// Rows in the order of the data, each before its first trial.
    pub(crate) fn rows(&mut self, block: Block<'_>) {
        if let Some(plane) = &mut self.plane
            && !plane.rows(block)
        {
            self.plane = None;
        }
    }

    /// All rows of the run.
    pub(crate) fn held(&mut self, held: &HeldRows) {
        if self.plane.is_some() {
            held.blocks().for_each(|block| self.rows(block));
        }
    }

    /// The course of the run that has ended, and what else was asked for.
    pub(crate) fn finish(self, model: &Model) -> (Vec<Moment>, Option<Picture>) {
        let mut course = self.course.borrow_mut();
        course.finish(model);
        let mut picture = self.scores.map(|scores| scores.picture(model));
        if let (Some(picture), Some(plane)) = (&mut picture, self.plane) {
            picture.plane = plane.finish(model, course.standing.now(model));
        }
        (std::mem::take(&mut course.moments), picture)
    }
}

impl Observer for PictureRecorder {
    fn epoch_ended(&mut self, ledger: &Ledger) {
        self.course.borrow_mut().standing = ledger.standing();
    }

    fn trial(&mut self, _epoch: u32, row: u64, outcome: Outcome<'_>) {
        let mut course = self.course.borrow_mut();
        course.trial(outcome.model());
        if let Some(plane) = &mut self.plane {
            let totals = course.standing.now(outcome.model());
            if !plane.trial(row, outcome, totals) {
                self.plane = None;
            }
        }
        if let Some(scores) = &mut self.scores {
            scores.trial(outcome);
        }
    }
}

/// Mistakes and updates over time.
pub(crate) struct Course {
    moments: Vec<Moment>,
    stride: u64,
    /// Trials until the next moment.
    left: u64,
    standing: Standing,
}

impl Course {
    fn new(model: &Model, ledger: &Ledger, kept: Option<&KeptCourse>) -> Self {
        let mut course = Course {
            moments: Vec::new(),
            stride: 1,
            left: 1,
            standing: ledger.standing(),
        };
        let now = course.moment(model);
        let sound =
            |kept: &&KeptCourse| kept.is_before(now.trials) && kept.moments.len() <= MOMENTS;
        match kept.filter(sound) {
            Some(kept) => {
                (course.stride, course.left) = (kept.stride, kept.left);
                let moment =
                    |&([trials, mistakes, updates], stored): &([u64; 3], Option<u64>)| Moment {
                        trials,
                        mistakes,
                        updates,
                        stored,
                    };
                course.moments = kept.moments.iter().map(moment).collect();
            }
            None => course.moments.push(now),
        }
        course
    }

    /// What is kept of it if the run is saved on the way.
    pub(crate) fn kept(&self) -> KeptCourse {
        let moments = self.moments.iter();
        KeptCourse {
            stride: self.stride,
            left: self.left,
            moments: moments
                .map(|m| ([m.trials, m.mistakes, m.updates], m.stored))
                .collect(),
        }
    }

    fn moment(&self, model: &Model) -> Moment {
        let Totals {
            trials,
            mistakes,
            updates,
        } = self.standing.now(model);
        Moment {
            trials,
            mistakes,
            updates,
            stored: model.learner().stored().map(|rows| rows as u64),
        }
    }

    fn push(&mut self, model: &Model) {
        if self.moments.len() == MOMENTS {
            let mut place = 0;
            self.moments.retain(|_| {
                place += 1;
                place % 2 == 1
            });
            self.stride *= 2;
        }
        self.moments.push(self.moment(model));
    }

    fn trial(&mut self, model: &Model) {
        self.left -= 1;
        if self.left == 0 {
            self.push(model);
            let begun = self.moments[0].trials;
            let done = self.standing.now(model).trials - begun;
            self.left = self.stride - done % self.stride;
        }
    }

    fn finish(&mut self, model: &Model) {
        let last = self.moment(model);
        if self.moments.last() != Some(&last) {
            self.moments.push(last);
        }
    }
}

/// Scores of trials, and labels.
#[derive(Default)]
struct Scores {
    trials: u64,
    /// The margin towards the right side, and whether the trial was right; of binary problems the margin of the
    /// positive label, and whether that was the label.
    kept: Vec<(f64, bool)>,
    random: Option<SplitMix64>,
    /// By true and predicted class, in the order of appearance; row after row of `CLASSES`.
    confusion: Vec<u64>,
    too_many: bool,
}

impl Scores {
    fn trial(&mut self, outcome: Outcome<'_>) {
        let Some(towards) = outcome.margin_of_truth() else {
            return;
        };
        let classes = outcome.model().classes();
        let (score, mark) = match classes.task() {
            Task::Regression => return,
            Task::Binary { .. } => {
                let (margin, truth) = (outcome.class(0).margin, outcome.is_positive(0));
                let predicted = Label::of(margin) == Label::Pos;
                self.confuse(usize::from(truth), usize::from(predicted));
                (margin, truth)
            }
            Task::OneVsRest => {
                let predicted = classes.best(|class| outcome.score(class));
                if let (Some(truth), Some(predicted)) = (outcome.positives().next(), predicted) {
                    self.confuse(truth, predicted);
                }
                (towards, !outcome.is_mistake())
            }
            Task::MultiLabel => (towards, !outcome.is_mistake()),
        };
        if score.is_finite() {
            self.keep((score, mark));
        }
    }

    fn keep(&mut self, score: (f64, bool)) {
        self.trials += 1;
        if self.kept.len() < SCORES {
            self.kept.push(score);
            return;
        }
        let random = self.random.get_or_insert_with(|| SplitMix64::new(0));
        let place = random.below(self.trials as usize);
        if let Some(kept) = self.kept.get_mut(place) {
            *kept = score;
        }
    }

    fn confuse(&mut self, truth: usize, predicted: usize) {
        if truth >= CLASSES || predicted >= CLASSES {
            (self.too_many, self.confusion) = (true, Vec::new());
        }
        if self.too_many {
            return;
        }
        let place = truth * CLASSES + predicted;
        if place >= self.confusion.len() {
            self.confusion.resize((truth + 1) * CLASSES, 0);
        }
        self.confusion[place] += 1;
    }

    fn picture(self, model: &Model) -> Picture {
        let is_binary = matches!(model.classes().task(), Task::Binary { .. });
        let sampled = (self.trials > SCORES as u64).then_some(SCORES as u64);
        let confusion = self.confusion(model);
        let (margins, ranking) = if is_binary {
            let sides = self.kept.iter().map(|&(margin, positive)| {
                let right = (Label::of(margin) == Label::Pos) == positive;
                (if positive { margin } else { -margin }, right)
            });
            let margins = Margins::of(sides.collect());
            let ranking = Ranking::new(self.kept);
            let picture = RankingPicture {
                curve: thinned(&ranking.precision_recall(), POINTS),
                break_even: ranking.break_even(),
            };
            (margins, (ranking.positives() > 0).then_some(picture))
        } else {
            (Margins::of(self.kept), None)
        };
        Picture {
            margins,
            confusion,
            ranking,
            features: top_features(model),
            plane: None,
            sampled,
        }
    }

    fn confusion(&self, model: &Model) -> Option<Confusion> {
        let order: Vec<usize> = match model.classes().task() {
            Task::Binary { .. } => vec![0, 1],
            Task::OneVsRest => model.classes().order().to_vec(),
            _ => return None,
        };
        if self.too_many || order.len() > CLASSES {
            return None;
        }
        let mut confusion = Confusion::new(class_names(model));
        let pairs = order.iter().flat_map(|t| order.iter().map(move |p| (t, p)));
        for (count, (t, p)) in confusion.counts.iter_mut().zip(pairs) {
            *count = self.confusion.get(t * CLASSES + p).copied().unwrap_or(0);
        }
        Some(confusion)
    }
}

/// The largest weights of each class.
fn top_features(model: &Model) -> Vec<TopFeatures> {
    if model.kernel() != Kernel::LINEAR || model.classes().list().len() > CLASSES {
        return Vec::new();
    }
    let of_class = |&k: &usize| {
        let weights = sorted_weights(model, k);
        let top = weights.iter().take(WEIGHTS);
        TopFeatures {
            class: model.classes().list()[k].label.name().to_owned(),
            weights: top
                .map(|&(slot, w)| (feature_name(model, slot), w))
                .collect(),
            others: weights.len().saturating_sub(WEIGHTS) as u64,
        }
    };
    let all = model.classes().order().iter().map(of_class);
    all.filter(|top| !top.weights.is_empty()).collect()
}
