//! What happened in a run, trial by trial: two bits per trial and binary problem.

use crate::model::Outcome;
use crate::run::Observer;

/// Bits one after another.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Bits {
    words: Vec<u64>,
    len: usize,
}

impl Bits {
    /// One more.
    pub fn push(&mut self, bit: bool) {
        if self.len.is_multiple_of(64) {
            self.words.push(0);
        }
        if let Some(last) = self.words.last_mut() {
            *last |= u64::from(bit) << (self.len % 64);
        }
        self.len += 1;
    }

    /// Bit `i`; false beyond the end.
    pub fn get(&self, i: usize) -> bool {
        let word = self.words.get(i / 64).copied().unwrap_or(0);
        word >> (i % 64) & 1 == 1
    }

    /// How many are set.
    pub fn count(&self) -> u64 {
        self.words.iter().map(|w| u64::from(w.count_ones())).sum()
    }
}

/// The trials of one binary problem.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ClassDiary {
    /// Trials whose sign was wrong.
    pub mistakes: Bits,
    /// Trials that moved the state.
    pub updates: Bits,
}

/// The trials of a run from its beginning.
#[derive(Clone, Debug, Default)]
pub struct Diary {
    /// Row numbers in the order of the trials.
    pub order: Vec<u32>,
    /// By class, in the order they appeared.
    pub pages: Vec<ClassDiary>,
    /// Of each class, the trial in which it appeared.
    pub appeared: Vec<u64>,
    /// The page of the learner of classes that have not appeared.
    background: ClassDiary,
}

impl Observer for Diary {
    fn trial(&mut self, _epoch: u32, row: u64, outcome: Outcome<'_>) {
        // a run with a diary holds its rows, fewer than 2^32
        self.order.push(u32::try_from(row).unwrap_or(u32::MAX));
        // a class that appears was the background until then
        let classes = outcome.model().classes().list().len();
        while self.pages.len() < classes {
            self.pages.push(self.background.clone());
            self.appeared.push(self.order.len() as u64 - 1);
        }
        for (class, page) in self.pages.iter_mut().enumerate() {
            let event = outcome.class(class);
            page.mistakes.push(event.mistake);
            page.updates.push(event.updated);
        }
        if let Some(event) = outcome.background() {
            self.background.mistakes.push(event.mistake);
            self.background.updates.push(event.updated);
        }
    }
}
