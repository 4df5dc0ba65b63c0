//! A learner to be examined, and in what it differs from most.

use std::fmt;

use novikoff::Spec;
use novikoff::SpecError;
use novikoff::catalog::{Capabilities, Entry};
use novikoff::learner::Learner;

use crate::harness::{MEMORY, saved, survey};
use crate::stream::{self, Kind, Stream};

/// A learner to be examined: its spec, and what is peculiar to it.
#[derive(Clone, Debug)]
pub struct Subject {
    spec: Spec,
    /// In what it differs from most learners.
    pub peculiar: Peculiar,
}

/// In what a learner differs from most. By default it does not: its deployed score is `w.x`, weights of new features are 0, and
/// rows of one class teach it that class.
#[derive(Clone, Copy, Debug)]
pub struct Peculiar {
    /// What a deployed score is.
    pub score: Score,
    /// The weight of a feature that no row had.
    pub fresh_weight: f64,
    /// What rows of one class only teach it.
    pub one_class: OneClass,
    /// Margins are plain sums of rows: they are exact where the sums are.
    pub has_exact_sums: bool,
    /// An update costs as much as all before it.
    pub is_slow: bool,
    /// Classes share a budget, so that each depends on how many there are.
    pub shares_budget: bool,
    /// Arrays of its state that may have any length: it alone says how many features, or rows, there are.
    pub free_arrays: &'static [&'static str],
}

/// What the deployed score of a learner is.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Score {
    /// `w.x`, and the margin of a zero row.
    Linear,
    /// `w.x/|x|_p`.
    OverNorm(f64),
    /// No weight vector has it.
    Other,
}

/// What rows of one class only teach a learner.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OneClass {
    /// To answer with that class.
    Learned,
    /// To answer with that class by the margins of its trials, from which its deployed scores differ.
    LearnedByMargin,
    /// The positive class alone.
    PositiveOnly,
}

impl Default for Peculiar {
    fn default() -> Self {
        Peculiar {
            score: Score::Linear,
            fresh_weight: 0.0,
            one_class: OneClass::Learned,
            has_exact_sums: false,
            is_slow: false,
            shares_budget: false,
            free_arrays: &["weights"],
        }
    }
}

impl fmt::Display for Subject {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.spec.fmt(f)
    }
}

impl Subject {
    /// A learner of a catalogue, in nothing peculiar.
    pub fn parse_in(catalog: &'static [Entry], text: &str) -> Result<Self, SpecError> {
        Ok(Subject {
            spec: Spec::parse_in(catalog, text)?,
            peculiar: Peculiar::default(),
        })
    }

    /// With what is peculiar to it.
    #[must_use]
    pub fn with(self, peculiar: Peculiar) -> Self {
        Subject { peculiar, ..self }
    }

    /// Its spec.
    pub fn spec(&self) -> &Spec {
        &self.spec
    }

    /// What the catalogue says of it.
    pub fn can(&self) -> Capabilities {
        self.spec.entry().can
    }

    /// The norm by which it wants its rows divided.
    pub fn norm(&self) -> Option<f64> {
        self.spec.norm()
    }

    /// The learner for `width` features; it may use `memory` bytes.
    pub fn learner_within(&self, width: u32, memory: u128) -> Box<dyn Learner> {
        let parameters = self.spec.parameters(Some(width)).unwrap();
        (self.spec.entry().build)(&parameters, memory)
    }

    /// The learner for `width` features.
    pub fn learner(&self, width: u32) -> Box<dyn Learner> {
        self.learner_within(width, MEMORY)
    }

    /// The learner for a stream, which it has surveyed if it wants to.
    pub fn learner_for(&self, stream: &Stream) -> Box<dyn Learner> {
        let mut learner = self.learner(stream.width);
        survey(&mut *learner, &stream.samples);
        learner
    }

    /// A stream that it takes: without negative values, or of rows of p-norm 1, if it needs that.
    pub fn stream(&self, kind: Kind, seed: u64, n: usize) -> Stream {
        let stream = stream::stream(kind, seed, n);
        match self.norm() {
            _ if self.can().needs_non_negative => stream.non_negative(),
            Some(p) => stream.unit(p),
            None => stream,
        }
    }

    /// A learner loaded from another one's state, with nothing left over.
    pub fn reloaded(&self, width: u32, from: &dyn Learner) -> Box<dyn Learner> {
        let mut state = saved(from);
        let mut learner = self.learner(width);
        learner.load(from.lanes(), &mut state).unwrap();
        assert_eq!(state.left(), None, "{self} does not take all it saved");
        learner
    }
}
