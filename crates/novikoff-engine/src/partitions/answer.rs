//! What partitions answer to a round, and its sum in the order of the partitions.

use novikoff::dual::local::PartitionSums;

use super::bytes::{Reader, Writer};
use crate::Error;

/// What the rows of one or more partitions add for one class.
#[derive(Clone, Debug, Default)]
pub(super) struct ClassAnswer {
    /// At the variables and the vector that the round began with.
    pub(super) sums: PartitionSums,
    /// The share of v at the variables that the round ended with.
    pub(super) share: Vec<f64>,
    /// Of those variables: the sum of the positive `k_i a_i s_i`,
    pub(super) positive: f64,
    /// and of minus the negative ones.
    pub(super) negative: f64,
}

/// What partitions answer to a round.
#[derive(Clone, Debug, Default)]
pub struct Answer {
    /// By class; none where nothing was asked.
    pub(super) classes: Vec<Option<ClassAnswer>>,
}

impl Answer {
    /// The sum of the answers of partitions, in the order given. A tree of such sums must have one shape for the same partitions.
    pub fn sum<'b>(answers: impl IntoIterator<Item = &'b [u8]>) -> Result<Self, Error> {
        let mut all = Answer::default();
        for answer in answers {
            all.add(answer)?;
        }
        Ok(all)
    }

    /// As bytes.
    pub fn to_bytes(&self) -> Vec<u8> {
        let mut out = Writer::default();
        out.count(self.classes.len());
        for class in &self.classes {
            out.count(usize::from(class.is_some()));
            if let Some(class) = class {
                class.write(&mut out);
            }
        }
        out.0
    }

    /// For each class the sums of the positive and of minus the negative `k_i a_i s_i` that the round ended with.
    pub fn signed(&self) -> Vec<(f64, f64)> {
        let of = |class: &Option<ClassAnswer>| {
            let class = class.as_ref();
            class.map_or((0.0, 0.0), |class| (class.positive, class.negative))
        };
        self.classes.iter().map(of).collect()
    }

    fn add(&mut self, bytes: &[u8]) -> Result<(), Error> {
        let mut from = Reader::new("an answer of a partition", bytes);
        let classes = from.count(8)?;
        if self.classes.is_empty() {
            self.classes.resize_with(classes, || None);
        }
        if classes != self.classes.len() {
            return Err(from.damaged());
        }
        for own in &mut self.classes {
            if from.word()? == 1 {
                own.get_or_insert_default().add(&mut from)?;
            }
        }
        from.end()
    }
}

impl ClassAnswer {
    fn write(&self, out: &mut Writer) {
        let sums = &self.sums;
        for number in [
            sums.loss,
            sums.conjugate,
            sums.gap,
            sums.positive,
            sums.negative,
        ] {
            out.number(number);
        }
        out.count(sums.support);
        out.numbers(&sums.candidates);
        out.number(self.positive);
        out.number(self.negative);
        out.vector(&self.share);
    }

    fn add(&mut self, from: &mut Reader<'_>) -> Result<(), Error> {
        let next = PartitionSums {
            loss: from.number()?,
            conjugate: from.number()?,
            gap: from.number()?,
            positive: from.number()?,
            negative: from.number()?,
            support: from.word()? as usize,
            candidates: from.numbers()?,
        };
        let own = self.sums.candidates.len();
        if own != 0 && own != next.candidates.len() {
            return Err(from.damaged());
        }
        self.sums.add(&next);
        self.positive += from.number()?;
        self.negative += from.number()?;
        from.add_vector(&mut self.share)
    }
}
