//! One round of one partition: its blocks in their order, each with its dual variables.

use std::iter::zip;

use novikoff::dual::local::{FreeBias, Partition, PartitionSums, Round};
use novikoff::dual::loss::{AnyLoss, Loss};
use novikoff::dual::{Aim, Problem};
use novikoff::random::SplitMix64;

use super::answer::{Answer, ClassAnswer};
use super::bytes::{Reader, Writer, damaged};
use super::packed::{Packed, aligned};
use super::point::Point;
use super::problem::PartitionedProblem;
use crate::Error;

/// What is asked of the partitions.
#[derive(Clone, Debug, Default)]
pub struct Work {
    /// Passes over the rows; 0 for sums and shares alone.
    pub passes: u32,
    /// Of this round.
    pub seed: u64,
    /// Per class, how far the variables go on in the direction of the last two rounds.
    pub momentum: Vec<f64>,
    /// Which classes are worked on.
    pub active: Vec<bool>,
    /// Whether sums are wanted.
    pub sums: bool,
    /// Whether shares of v are wanted.
    pub shares: bool,
    /// Per class the sums by which variables are balanced first; none: they stay as they are.
    pub balance: Option<Vec<(f64, f64)>>,
    /// Per class the bias, if it is not the one of the point.
    pub fixed: Option<Vec<f64>>,
    /// Per class values of b at which the losses are wanted.
    pub candidates: Vec<Vec<f64>>,
}

/// One round of one partition.
#[derive(Debug)]
pub struct PartitionRound {
    problem: PartitionedProblem,
    point: Point,
    work: Work,
    partition: u64,
    /// Blocks so far.
    blocks: u64,
    answer: Answer,
    /// Per class where the walk over the blocks has got: u, and its `v_b`.
    reached: Vec<Option<(Vec<f64>, f64)>>,
}

impl PartitionRound {
    /// The round of a partition, before its first block.
    pub fn new(
        problem: PartitionedProblem,
        point: Point,
        work: Work,
        partition: u64,
    ) -> Result<Self, Error> {
        let classes = problem.problems();
        let lists = [
            Some(point.vectors.len()),
            Some(work.active.len()),
            work.balance.as_ref().map(Vec::len),
            work.fixed.as_ref().map(Vec::len),
        ];
        if lists.into_iter().flatten().any(|count| count != classes) {
            return Err(Error::plain("a round for another number of classes"));
        }
        let mut answer = Answer::default();
        answer.classes.resize_with(classes, || None);
        Ok(PartitionRound {
            problem,
            point,
            work,
            partition,
            blocks: 0,
            answer,
            reached: vec![None; classes],
        })
    }

    /// Works on the next block. `state` holds its dual variables; none: they begin. Gives its variables after the passes.
    pub fn step(&mut self, rows: &[u8], state: Option<&[u8]>) -> Result<Vec<u8>, Error> {
        let words = aligned(rows);
        let packed = Packed::read(&words, rows.len())?;
        let mut duals = match state {
            None => Duals::begin(&packed, self.problem.problems(), self.problem.start()),
            Some(bytes) => Duals::read(bytes)?,
        };
        if duals.hash != packed.hash {
            return Err(Error::refused(
                format!(
                    "partition {} was computed again and has other rows than before: its source does not give the same rows in the same order each time",
                    self.partition
                ),
                "write it to files, or checkpoint it, and fit from there",
            ));
        }
        let classes = self.problem.problems();
        if duals.classes.len() != classes {
            return Err(damaged("dual variables"));
        }
        for class in 0..classes {
            if self.work.active[class] {
                self.class(class, &packed, &mut duals.classes[class])?;
            }
        }
        self.blocks += 1;
        Ok(duals.to_bytes())
    }

    /// What all blocks answer.
    pub fn answer(&self) -> &Answer {
        &self.answer
    }

    fn class(
        &mut self,
        class: usize,
        packed: &Packed<'_>,
        own: &mut ClassDuals,
    ) -> Result<(), Error> {
        let aims = self.aims(class, packed)?;
        if own.start.len() != aims.len() || own.last.len() != aims.len() {
            return Err(damaged("dual variables"));
        }
        let slots = self.point.vectors[class].len();
        if packed.rows.width() as usize >= slots {
            return Err(Error::plain(format!(
                "partition {}: a row has feature {}, but {} features were found when the rows were packed",
                self.partition,
                packed.rows.width(),
                slots - 1
            )));
        }
        let problem = Problem::new(packed.rows, Vec::new(), aims);
        match self.problem.loss {
            AnyLoss::Margin(loss) => self.walk(class, &problem, loss, own),
            AnyLoss::Regression(loss) => self.walk(class, &problem, loss, own),
            AnyLoss::Logistic(loss) => self.walk(class, &problem, loss, own),
            AnyLoss::Exponential(loss) => self.walk(class, &problem, loss, own),
            AnyLoss::Likelihood(loss) => self.walk(class, &problem, loss, own),
        }
        Ok(())
    }

    fn walk(&mut self, class: usize, problem: &Problem<'_>, loss: impl Loss, own: &mut ClassDuals) {
        let (lambda_n, work) = (self.problem.lambda_n(), &self.work);
        let partition = Partition::new(problem, loss);
        let a = &own.start[..];
        let balanced = work.balance.as_ref().map(|all| {
            let (positive, negative) = all[class];
            let all = PartitionSums {
                positive,
                negative,
                ..PartitionSums::default()
            };
            partition.balanced(a, &all)
        });
        let a = balanced.as_deref().unwrap_or(a);
        let fixed = work.fixed.as_ref().map(|all| FreeBias::fixed(all[class]));
        let candidates = work.candidates.get(class).map_or(&[][..], Vec::as_slice);
        let given = Round {
            bias: fixed.or_else(|| self.point.bias.get(class).copied()),
            sigma: self.problem.facts.partitions as f64,
            seed: seed(&[work.seed, self.partition, self.blocks, class as u64]),
            candidates,
            ..Round::at(&self.point.vectors[class], lambda_n)
        };
        let total = self.answer.classes[class].get_or_insert_default();
        // at the shared vector, wherever the walk over the blocks has got
        if work.sums {
            total.sums.add(&partition.sums(a, &given));
        }
        if work.passes > 0 {
            let begin = || (given.v.to_vec(), given.bias.map_or(0.0, |bias| bias.v));
            let (u, v_b) = self.reached[class].get_or_insert_with(begin);
            let round = Round {
                v: u,
                bias: given.bias.map(|bias| FreeBias { v: *v_b, ..bias }),
                passes: work.passes,
                ..given
            };
            let update = partition.steps(a, &round);
            zip(&mut *u, &update.v).for_each(|(u, change)| *u += given.sigma * change);
            *v_b += given.sigma * update.v_b;
            let next = update.dual;
            let momentum = work.momentum.get(class).copied().unwrap_or(0.0);
            own.start = extrapolated(loss, &next, &own.last, momentum);
            own.last = next;
            finish(
                total,
                &partition,
                problem,
                &own.start,
                lambda_n,
                work.shares,
            );
        } else {
            finish(total, &partition, problem, a, lambda_n, work.shares);
        }
    }

    /// What the rows of a block aim at.
    fn aims(&self, class: usize, packed: &Packed<'_>) -> Result<Vec<Aim>, Error> {
        let facts = &self.problem.facts;
        let rows = 0..packed.rows.len();
        if facts.labels.is_empty() {
            let aims = rows.map(|i| {
                Some(Aim {
                    weight: packed.rows.weight(i),
                    ..Aim::number(packed.target(i)?)
                })
            });
            let aims: Option<Vec<Aim>> = aims.collect();
            return aims.ok_or_else(|| damaged("packed rows"));
        }
        // of two labels the second is positive
        let positive = if facts.labels.len() == 2 { 1 } else { class };
        let known = packed.labels.iter().map(|text| {
            let place = facts.labels.iter().position(|label| label == text);
            place.ok_or_else(|| {
                let facts = format!(
                    "partition {}: label {text:?} was not there when the rows were packed: the source gives other rows each time",
                    self.partition
                );
                Error::refused(facts, "write it to files first")
            })
        });
        let known: Vec<usize> = known.collect::<Result<_, Error>>()?;
        let aims = rows.map(|i| {
            let label = *known.get(packed.code(i)?)?;
            Some(Aim {
                sign: if label == positive { 1.0 } else { -1.0 },
                target: 1.0,
                weight: packed.rows.weight(i)
                    * facts.class_weight.get(label).copied().unwrap_or(1.0),
            })
        });
        let aims: Option<Vec<Aim>> = aims.collect();
        aims.ok_or_else(|| damaged("packed rows"))
    }
}

/// Adds what is said of the variables that a block ends with.
fn finish<L: Loss>(
    total: &mut ClassAnswer,
    partition: &Partition<'_, L>,
    problem: &Problem<'_>,
    next: &[f64],
    lambda_n: f64,
    shares: bool,
) {
    for (aim, a) in zip(problem.aims(), next) {
        let signed = aim.weight * aim.sign * a;
        total.positive += signed.max(0.0);
        total.negative += (-signed).max(0.0);
    }
    if shares {
        let share = partition.vector(next, lambda_n);
        if total.share.len() < share.len() {
            total.share.resize(share.len(), 0.0);
        }
        zip(&mut total.share, share).for_each(|(sum, x)| *sum += x);
    }
}

/// Where the next round begins: beyond `next`, in the direction from `last`, where that is in the domain of the loss.
fn extrapolated(loss: impl Loss, next: &[f64], last: &[f64], momentum: f64) -> Vec<f64> {
    let (low, high) = loss.domain();
    let beyond = zip(next, last).map(|(&next, &last)| {
        let beyond = next + momentum * (next - last);
        if low < beyond && beyond < high {
            beyond
        } else {
            next
        }
    });
    beyond.collect()
}

/// One seed of several numbers.
fn seed(numbers: &[u64]) -> u64 {
    let mix = |seed: u64, number: &u64| SplitMix64::new(seed ^ number).next_u64();
    numbers.iter().fold(0, mix)
}

/// The dual variables of a block.
#[derive(Debug)]
struct Duals {
    /// Of the packed rows.
    hash: u64,
    classes: Vec<ClassDuals>,
}

/// Those of one class, by row.
#[derive(Clone, Debug)]
struct ClassDuals {
    /// Where the next round begins.
    start: Vec<f64>,
    /// Where the passes of the last round ended.
    last: Vec<f64>,
}

impl Duals {
    fn begin(packed: &Packed<'_>, classes: usize, start: f64) -> Self {
        let start = vec![start; packed.rows.len()];
        let class = ClassDuals {
            last: start.clone(),
            start,
        };
        Duals {
            hash: packed.hash,
            classes: vec![class; classes],
        }
    }

    fn read(bytes: &[u8]) -> Result<Self, Error> {
        let mut from = Reader::new("dual variables", bytes);
        let hash = from.word()?;
        let mut classes = Vec::new();
        for _ in 0..from.count(16)? {
            classes.push(ClassDuals {
                start: from.numbers()?,
                last: from.numbers()?,
            });
        }
        from.end()?;
        Ok(Duals { hash, classes })
    }

    fn to_bytes(&self) -> Vec<u8> {
        let mut out = Writer::default();
        out.count(self.hash as usize);
        out.count(self.classes.len());
        for class in &self.classes {
            out.numbers(&class.start);
            out.numbers(&class.last);
        }
        out.0
    }
}
