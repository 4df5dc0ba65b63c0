//! From raw labels to the two-valued problems that learners solve.
//!
//! A run is binary, one-vs-rest or multi-label. One-vs-rest and multi-label runs behave as if all
//! classes had been known from the start: a background learner is fed y = -1 on every row, and a class
//! that appears starts as a copy of it, counts included. Trials that later classes would have made
//! mistakes are found out when such a class appears ([`Pending`]).

use std::collections::{BTreeMap, HashMap};

use crate::label::{LabelName, RawLabel};
use crate::learner::Voting;
use crate::remedy::{Remedy, Setting};

/// What is to be learned.
#[derive(Clone, Debug)]
pub enum Task {
    /// One problem: `positive` against `negative`, or against everything else.
    Binary {
        /// The label of y = -1; any other than `positive` if there is none.
        negative: Option<LabelName>,
        /// The label of y = +1.
        positive: LabelName,
    },
    /// One problem per class; every row has one label.
    OneVsRest,
    /// One problem per label; a row has any number of labels.
    MultiLabel,
    /// Labels are numbers to be predicted.
    Regression,
}

impl Task {
    /// Labels -1 and +1.
    pub fn plus_minus() -> Self {
        Self::pair(LabelName::typed("-1"), LabelName::typed("+1"))
    }

    /// Two labels: the larger is +1.
    pub fn pair(a: LabelName, b: LabelName) -> Self {
        let (negative, positive) = if a < b { (a, b) } else { (b, a) };
        Task::Binary {
            negative: Some(negative),
            positive,
        }
    }
}

/// Mistakes and updates of one binary learner.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counts {
    /// Trials on which the sign was wrong.
    pub mistakes: u64,
    /// Trials that changed the state.
    pub updates: u64,
}

/// A class and what its learner did.
#[derive(Clone, Debug)]
pub struct Class {
    /// Its label.
    pub label: LabelName,
    /// Its learner's counts.
    pub counts: Counts,
}

/// A label that does not fit the task.
#[derive(Clone, Debug, thiserror::Error, PartialEq, Eq)]
#[non_exhaustive]
pub enum LabelError {
    /// Two labels are allowed, and this is a third.
    #[error("label {got}, but this run is binary with labels {negative} and {positive}")]
    Third {
        /// As written.
        got: String,
        /// The label of y = -1.
        negative: String,
        /// The label of y = +1.
        positive: String,
    },
    /// The row has no label.
    #[error("no label, but learning and testing need one on every row")]
    None,
    /// The row has several labels.
    #[error("{count} labels on one row")]
    Several {
        /// How many.
        count: usize,
    },
}

/// Whether two labels differ in case and blanks only.
fn is_alike(a: &str, b: &str) -> bool {
    a.trim().to_lowercase() == b.trim().to_lowercase()
}

impl LabelError {
    /// What to do about it.
    pub fn remedy(&self) -> Remedy {
        match self {
            LabelError::Third {
                got,
                negative,
                positive,
            } if is_alike(got, negative) || is_alike(got, positive) => {
                let known = if is_alike(got, positive) {
                    positive
                } else {
                    negative
                };
                Remedy::clause(format!(
                    "is {got} the label {known}? then write both the same"
                ))
            }
            LabelError::Third { .. } => Remedy::give(Setting::Positive, "LABEL")
                .aim("for one label against the rest")
                .or(Remedy::give(Setting::Labels, "A,B"))
                .or("a file"),
            LabelError::None => Remedy::give(Setting::SkipBad, "N")
                .aim("to pass over such rows")
                .or(Remedy::give(Setting::Label, "COLUMN").aim("if the label is elsewhere"))
                .or(Remedy::give(Setting::MultiLabel, "")
                    .aim("if rows may have any number of labels"))
                .or("use predict for rows without labels"),
            LabelError::Several { .. } => {
                Remedy::give(Setting::MultiLabel, "").aim("if rows may have several")
            }
        }
    }
}

/// Trials that were right so far and become mistakes when a further class appears.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Pending {
    /// Trials that any further class makes wrong.
    pub any: u64,
    /// By right class: trials that a further class lower in order makes wrong (ties of the arg-max).
    pub lower: BTreeMap<usize, u64>,
}

/// The classes of a run, in the order they appeared, and their order by label.
#[derive(Clone, Debug)]
pub struct Classes {
    task: Task,
    list: Vec<Class>,
    /// Class numbers in the order of their labels.
    order: Vec<usize>,
    numbers: HashMap<u64, usize>,
    texts: HashMap<Vec<u8>, usize>,
    /// Counts of the background learner.
    pub background: Counts,
    /// Trials of this run that are not settled yet.
    pub pending: Pending,
    /// Trials of earlier runs that are not settled yet.
    pub earlier: Pending,
    /// Whether negative and positive label have been met, so that their names are as first written.
    met: [bool; 2],
}

impl Classes {
    /// No row seen yet.
    pub fn new(task: Task) -> Self {
        let list = match &task {
            Task::Binary { positive, .. } => {
                vec![Class {
                    label: positive.clone(),
                    counts: Counts::default(),
                }]
            }
            Task::Regression => vec![Class {
                label: LabelName::typed("prediction"),
                counts: Counts::default(),
            }],
            _ => Vec::new(),
        };
        let order = (0..list.len()).collect();
        Classes {
            task,
            list,
            order,
            numbers: HashMap::new(),
            texts: HashMap::new(),
            background: Counts::default(),
            pending: Pending::default(),
            earlier: Pending::default(),
            met: [false; 2],
        }
    }

    /// Classes read from a model; `list` is in the order of appearance.
    #[doc(hidden)] // for readers of model files
    pub fn restore(
        task: Task,
        list: Vec<Class>,
        background: Counts,
        pending: Pending,
        met: [bool; 2],
    ) -> Self {
        let mut classes = Classes {
            background,
            pending,
            met,
            ..Classes::new(task)
        };
        if classes.is_binary() {
            classes.list = list;
        } else {
            for class in list {
                classes.insert(class);
            }
        }
        classes
    }

    /// The task.
    pub fn task(&self) -> &Task {
        &self.task
    }

    /// One problem only.
    pub fn is_binary(&self) -> bool {
        matches!(self.task, Task::Binary { .. } | Task::Regression)
    }

    /// Classes in the order they appeared.
    pub fn list(&self) -> &[Class] {
        &self.list
    }

    /// Class numbers in the order of their labels.
    pub fn order(&self) -> &[usize] {
        &self.order
    }

    /// Whether the names of the negative and the positive label are as first written.
    #[doc(hidden)] // for writers of model files
    pub fn met(&self) -> [bool; 2] {
        self.met
    }

    /// What their labels are to each other, for learners that compare classes: lanes in the order of their labels.
    pub fn voting(&self) -> Voting {
        match self.task {
            Task::OneVsRest => Voting::OneOf(self.order.iter().map(|class| class + 1).collect()),
            Task::MultiLabel => Voting::EachLabel,
            Task::Binary { .. } | Task::Regression => Voting::EachLane,
        }
    }

    /// How many classes the data has, as people count: two for a binary problem, none for numbers.
    pub fn count(&self) -> usize {
        match self.task {
            Task::Binary { .. } => 2,
            Task::Regression => 0,
            _ => self.list.len(),
        }
    }

    pub(crate) fn counts_mut(&mut self, class: usize) -> &mut Counts {
        &mut self.list[class].counts
    }

    /// The class of a label, if it has appeared.
    pub fn find(&self, raw: RawLabel<'_>) -> Option<usize> {
        match raw.number() {
            Some(number) => self.numbers.get(&(number + 0.0).to_bits()).copied(),
            None => self.texts.get(raw.text()).copied(),
        }
    }

    /// Adds a class, as a copy of the background.
    #[doc(hidden)] // for the model
    pub fn add(&mut self, raw: RawLabel<'_>) -> usize {
        self.insert(Class {
            label: LabelName::new(raw),
            counts: self.background,
        })
    }

    fn insert(&mut self, class: Class) -> usize {
        let id = self.list.len();
        match class.label.number() {
            Some(number) => self.numbers.insert(number.to_bits(), id),
            None => self
                .texts
                .insert(class.label.name().as_bytes().to_vec(), id),
        };
        let list = &self.list;
        let at = self.order.partition_point(|&k| list[k].label < class.label);
        self.order.insert(at, id);
        self.list.push(class);
        id
    }

    /// Trials found to be mistakes now that class `new` exists: of this run, and of earlier ones.
    #[doc(hidden)] // for the model
    pub fn settle(&mut self, new: usize) -> (u64, u64) {
        let list = &self.list;
        let settled = |pending: &mut Pending| {
            let mut settled = std::mem::take(&mut pending.any);
            pending.lower.retain(|&right, trials| {
                let wrong = list[new].label < list[right].label;
                if wrong {
                    settled += *trials;
                }
                !wrong
            });
            settled
        };
        (settled(&mut self.pending), settled(&mut self.earlier))
    }

    /// Trials not settled yet, of this run and of earlier ones.
    #[doc(hidden)] // for writers of model files
    pub fn unsettled(&self) -> Pending {
        let mut all = self.earlier.clone();
        all.any += self.pending.any;
        for (&class, &trials) in &self.pending.lower {
            *all.lower.entry(class).or_default() += trials;
        }
        all
    }

    /// A new run begins: what is pending belongs to earlier ones.
    #[doc(hidden)] // for the model
    pub fn begin_run(&mut self) {
        self.earlier = self.unsettled();
        self.pending = Pending::default();
    }

    /// y of a row in a binary run.
    #[doc(hidden)] // for the model
    pub fn binary(&mut self, raw: RawLabel<'_>) -> Result<bool, LabelError> {
        let Task::Binary { negative, positive } = &mut self.task else {
            return Ok(false);
        };
        let is_positive = positive.is(raw);
        if !is_positive && negative.as_ref().is_some_and(|n| !n.is(raw)) {
            return Err(LabelError::Third {
                got: String::from_utf8_lossy(raw.text()).into_owned(),
                negative: negative
                    .as_ref()
                    .map_or_else(String::new, |n| n.name().to_owned()),
                positive: positive.name().to_owned(),
            });
        }
        let met = &mut self.met[usize::from(is_positive)];
        if !*met {
            *met = true;
            if is_positive {
                *positive = LabelName::new(raw);
                self.list[0].label = positive.clone();
            } else if let Some(negative) = negative {
                *negative = LabelName::new(raw);
            }
        }
        Ok(is_positive)
    }

    /// The arg-max over all classes, ties to the lowest in order.
    pub fn best(&self, margin: impl Fn(usize) -> f64) -> Option<usize> {
        let mut best: Option<(usize, f64)> = None;
        for &class in &self.order {
            let m = margin(class);
            if best.is_none_or(|(_, top)| m > top) {
                best = Some((class, m));
            }
        }
        best.map(|(class, _)| class)
    }
}
