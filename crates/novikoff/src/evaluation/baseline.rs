//! The baseline of a run: the errors of always answering the most frequent label so far.
//!
//! Ties go to the label lowest in order. Before any row the answer is the positive label, or with several classes the lowest of all that
//! occur: classes that appear count as known from the start, so whether the first answer was right may change until the last row. Of rows
//! with several labels it answers the labels that more than half of the rows so far have, and any label wrong is an error.
//! Cost: O(1) per row; with several labels per row O(labels of the row + labels answered). Memory: a count per class. Rows allocate nothing
//! unless they bring a class.

use crate::classes::{Classes, Task};
use crate::label::RawLabel;
use crate::random::SplitMix64;
use crate::remark::Paired;

/// What a binary problem without a name for its negative label calls it.
const REST: &str = "rest";

/// Counts labels and the baseline's errors, row by row.
#[derive(Clone, Debug)]
pub struct Baseline {
    classes: Classes,
    /// Rows by class in the order of appearance; of a binary problem negative, then positive.
    counts: Vec<u64>,
    rows: u64,
    /// Without that of the first row, where it has one of several classes.
    errors: u64,
    /// The class of the first row, where it has one of several.
    first: Option<usize>,
    /// Whether the last row was answered wrongly, as far as its classes are known.
    was_wrong: bool,
    /// The answer, where rows have one label.
    answer: Option<usize>,
    /// The labels of the answer, where rows have several.
    answers: Vec<usize>,
    /// The labels of the last row.
    row: Vec<usize>,
    /// How many classes were known before the first row.
    known: usize,
    /// By class, the rows that a model answered right.
    right: Vec<u64>,
}

impl Baseline {
    /// Begins with the classes that are known before the first row.
    pub fn new(classes: Classes) -> Self {
        let (counts, answer) = if classes.is_binary() {
            (2, Some(1))
        } else {
            (classes.list().len(), classes.order().first().copied())
        };
        Baseline {
            counts: vec![0; counts],
            right: vec![0; counts],
            known: counts,
            answer,
            classes,
            rows: 0,
            errors: 0,
            first: None,
            was_wrong: false,
            answers: Vec::new(),
            row: Vec::new(),
        }
    }

    /// Of rows that a model with these classes is tested on. Labels that it does not know are classes of their own.
    pub fn of_test(classes: &Classes) -> Self {
        match classes.task() {
            Task::Binary {
                negative: Some(negative),
                positive,
            } => {
                let mut both = Classes::new(Task::OneVsRest);
                for label in [negative, positive] {
                    both.add(label.name().into());
                }
                Baseline::new(both)
            }
            _ => Baseline::new(classes.clone()),
        }
    }

    /// Adds a row that a model answered, right or wrong.
    pub fn row_beside<'l>(&mut self, labels: impl Iterator<Item = RawLabel<'l>>, is_wrong: bool) {
        let class = self.row(labels);
        if let (false, false, Ok(class)) = (
            is_wrong,
            matches!(self.classes.task(), Task::MultiLabel),
            usize::try_from(class),
        ) && let Some(right) = self.right.get_mut(class)
        {
            *right += 1;
        }
    }

    /// The rows that the model answers right and the most frequent label does not, and those where it is the other way round; none where rows
    /// have several labels.
    pub fn beside_most_frequent(&self) -> Option<Paired> {
        let answer = self.answer?;
        if let Task::MultiLabel = self.classes.task() {
            return None;
        }
        let (right, rows) = (&self.right, self.counts.get(answer)?);
        let both = right.get(answer)?;
        Some(Paired {
            better: right.iter().sum::<u64>() - both,
            worse: rows - both,
        })
    }

    /// The labels that were not known before the first row, the most frequent first, with how often each occurs.
    pub fn unknown(&self) -> Vec<(&str, u64)> {
        if self.classes.is_binary() {
            return Vec::new();
        }
        let new = self.classes.list().iter().zip(&self.counts);
        let new = new.skip(self.known);
        let mut new: Vec<(&str, u64)> = new.map(|(c, &n)| (c.label.name(), n)).collect();
        new.sort_by_key(|(_, times)| std::cmp::Reverse(*times));
        new
    }

    /// The labels that were known before the first row, in the order of labels, and how often they occur.
    pub fn known(&self) -> (Vec<&str>, u64) {
        let (list, known) = (self.classes.list(), self.known);
        let times = self.counts[..known].iter().sum();
        let order = self.classes.order().iter().filter(|&&class| class < known);
        let names = order.map(|&class| list[class].label.name());
        (names.collect(), times)
    }

    /// The labels so far with how often each occurs, in the order of their appearance; none of a binary problem, whose labels are few.
    pub fn counts(&self) -> Vec<(&str, u64)> {
        if self.classes.is_binary() {
            return Vec::new();
        }
        let list = self.classes.list().iter().zip(&self.counts);
        list.map(|(class, &n)| (class.label.name(), n)).collect()
    }

    /// The labels so far with how often each occurs, of a binary problem too, if both of its labels are known.
    pub fn label_counts(&self) -> Vec<(&str, u64)> {
        match self.classes.task() {
            Task::Binary {
                negative: Some(negative),
                positive,
            } => {
                let names = [negative.name(), positive.name()];
                names.into_iter().zip(self.counts.iter().copied()).collect()
            }
            _ => self.counts(),
        }
    }

    /// The classes so far.
    pub fn classes(&self) -> &Classes {
        &self.classes
    }

    /// Answers the next row, then learns its labels. Gives a number that is the same for rows with the same labels; where rows have one label, it
    /// is less than the number of classes, or 2.
    pub fn row<'l>(&mut self, mut labels: impl Iterator<Item = RawLabel<'l>>) -> u64 {
        self.rows += 1;
        if let Task::MultiLabel = self.classes.task() {
            return self.several(labels);
        }
        let class = match labels.next() {
            None => None,
            Some(label) if self.classes.is_binary() => {
                self.classes.binary(label).ok().map(usize::from)
            }
            Some(label) => Some(self.class(label)),
        };
        let is_first = self.rows == 1 && !self.classes.is_binary();
        self.first = self.first.or(class.filter(|_| is_first));
        if self.first.is_some() && is_first {
            self.was_wrong = self.is_first_wrong();
        } else {
            self.was_wrong = class.is_none() || self.answer != class;
            self.errors += u64::from(self.was_wrong);
        }
        let Some(class) = class else {
            return u64::MAX;
        };
        self.counts[class] += 1;
        if self
            .answer
            .is_none_or(|answer| self.is_before(class, answer))
        {
            self.answer = Some(class);
        }
        class as u64
    }

    fn several<'l>(&mut self, labels: impl Iterator<Item = RawLabel<'l>>) -> u64 {
        let mut row = std::mem::take(&mut self.row);
        row.clear();
        for label in labels {
            let class = self.class(label);
            if !row.contains(&class) {
                row.push(class);
            }
        }
        let right = row.len() == self.answers.len() && row.iter().all(|k| self.answers.contains(k));
        self.was_wrong = !right;
        self.errors += u64::from(!right);
        let mut identity = 0_u64;
        for &class in &row {
            self.counts[class] += 1;
            // the sum is the same in whatever order the labels come
            let hash = SplitMix64::new(class as u64).next_u64();
            identity = identity.wrapping_add(hash);
            if !self.answers.contains(&class) {
                self.answers.push(class);
            }
        }
        let (counts, rows) = (&self.counts, self.rows);
        self.answers.retain(|&class| 2 * counts[class] > rows);
        self.row = row;
        identity | 1 << 63
    }

    fn class(&mut self, label: RawLabel<'_>) -> usize {
        if let Some(class) = self.classes.find(label) {
            return class;
        }
        self.counts.push(0);
        self.right.push(0);
        self.classes.add(label)
    }

    /// Whether a class is answered before another.
    fn is_before(&self, class: usize, other: usize) -> bool {
        match self.counts[class].cmp(&self.counts[other]) {
            std::cmp::Ordering::Equal if self.classes.is_binary() => class < other,
            std::cmp::Ordering::Equal => {
                let label = |class: usize| &self.classes.list()[class].label;
                label(class) < label(other)
            }
            order => order.is_gt(),
        }
    }

    /// How many labels rows had so far, where each has one; 0 otherwise.
    pub fn labels_met(&self) -> u64 {
        match self.classes.task() {
            Task::MultiLabel => 0,
            _ => self.counts.iter().filter(|&&count| count > 0).count() as u64,
        }
    }

    /// Whether every row so far has one of the labels that are counted: a binary problem may meet others.
    pub fn is_all_known(&self) -> bool {
        self.counts.iter().sum::<u64>() == self.rows
    }

    /// Rows so far.
    pub fn rows(&self) -> u64 {
        self.rows
    }

    /// Errors so far.
    pub fn errors(&self) -> u64 {
        self.errors + u64::from(self.is_first_wrong())
    }

    /// Whether the last row was answered wrongly; of the first row as far as the classes were known then.
    pub fn was_wrong(&self) -> bool {
        self.was_wrong
    }

    /// Whether the first row has one of several classes, and not the lowest of them.
    fn is_first_wrong(&self) -> bool {
        let lowest = self.classes.order().first();
        self.first.is_some_and(|first| lowest != Some(&first))
    }

    /// Errors of answering all rows so far with the label that is most frequent among them; where rows have several labels, those of the
    /// answers given so far.
    pub fn errors_of_most_frequent(&self) -> u64 {
        match (self.classes.task(), self.answer) {
            (Task::MultiLabel, _) => self.errors(),
            (_, Some(answer)) => self.rows - self.counts.get(answer).copied().unwrap_or(0),
            (_, None) => self.rows,
        }
    }

    /// The answer to the next row. Several labels are joined by commas.
    pub fn label(&self) -> String {
        let list = self.classes.list();
        match (self.classes.task(), self.answer) {
            (Task::MultiLabel, _) => {
                let order = self.classes.order().iter();
                let answered = order.filter(|class| self.answers.contains(class));
                let names: Vec<&str> = answered.map(|&k| list[k].label.name()).collect();
                names.join(",")
            }
            (_, None) => String::new(),
            (Task::Binary { negative, .. }, Some(0)) => {
                let negative = negative.as_ref();
                negative.map_or(REST, |label| label.name()).to_owned()
            }
            (Task::Binary { positive, .. }, Some(_)) => positive.name().to_owned(),
            (_, Some(class)) => list[class].label.name().to_owned(),
        }
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::Baseline;
    use crate::classes::{Classes, Task};
    use crate::label::{LabelName, RawLabel};
    use crate::random::SplitMix64;

    fn raw(text: &str) -> RawLabel<'_> {
        RawLabel::new(text.parse().unwrap_or(f64::NAN), text.as_bytes())
    }

    /// Rows as text, labels separated by commas.
    fn counted(task: Task, rows: &[&str]) -> (u64, String) {
        let mut baseline = Baseline::new(Classes::new(task));
        for row in rows {
            baseline.row(row.split(',').filter(|label| !label.is_empty()).map(raw));
        }
        (baseline.errors(), baseline.label())
    }

    #[test]
    fn the_most_frequent_of_all_rows() {
        let mut baseline = Baseline::new(Classes::new(Task::OneVsRest));
        assert_eq!(
            (baseline.labels_met(), baseline.errors_of_most_frequent()),
            (0, 0)
        );
        for row in ["a", "b", "b", "c", "b"] {
            baseline.row([raw(row)].into_iter());
        }
        assert_eq!(
            (baseline.labels_met(), baseline.errors_of_most_frequent()),
            (3, 2)
        );
        assert_eq!(baseline.errors(), 3, "of the answers so far");
    }

    /// The definition: every answer from all rows before it.
    fn slow(task: &Task, rows: &[&str]) -> (u64, String) {
        let most = |before: &[&str]| -> Option<String> {
            let mut counts: BTreeMap<LabelName, u64> = BTreeMap::new();
            for label in before {
                *counts.entry(LabelName::typed(label)).or_default() += 1;
            }
            let most = counts.values().copied().max()?;
            let best = counts.into_iter().find(|(_, n)| *n == most);
            best.map(|(label, _)| label.name().to_owned())
        };
        let labels = |row: &str| -> Vec<LabelName> {
            let mut list: Vec<LabelName> = row
                .split(',')
                .filter(|label| !label.is_empty())
                .map(LabelName::typed)
                .collect();
            list.sort();
            list.dedup();
            list
        };
        let frequent = |before: &[&str]| -> Vec<LabelName> {
            let mut all: Vec<LabelName> = before.iter().flat_map(|row| labels(row)).collect();
            all.sort();
            let mut distinct = all.clone();
            distinct.dedup();
            let times = |label: &LabelName| all.iter().filter(|l| *l == label).count();
            distinct.retain(|label| 2 * times(label) > before.len());
            distinct
        };
        let mut errors = 0;
        for (k, row) in rows.iter().enumerate() {
            let before = &rows[..k];
            let right = match task {
                Task::MultiLabel => frequent(before) == labels(row),
                Task::Binary { positive, .. } if before.is_empty() => positive.name() == *row,
                _ if before.is_empty() => {
                    let all = rows.iter().map(|label| LabelName::typed(label));
                    all.min().is_some_and(|lowest| lowest.name() == *row)
                }
                _ => most(before).as_deref() == Some(*row),
            };
            errors += u64::from(!right);
        }
        let last = match task {
            Task::MultiLabel => {
                let names = frequent(rows);
                let names: Vec<&str> = names.iter().map(LabelName::name).collect();
                names.join(",")
            }
            _ => most(rows).unwrap_or_default(),
        };
        (errors, last)
    }

    #[test]
    fn by_hand() {
        let binary = || Task::plus_minus();
        // +1 before any row is wrong; then -1, tied with +1 and lower in order
        assert_eq!(
            counted(binary(), &["-1", "-1", "+1", "+1", "+1"]),
            (4, "+1".to_owned())
        );
        assert_eq!(counted(binary(), &["+1", "-1"]), (1, "-1".to_owned()));
        // the lowest class, a, is answered first, though it appears later
        let classes = ["c", "c", "a", "a", "b"];
        assert_eq!(counted(Task::OneVsRest, &classes), (4, "a".to_owned()));
        let classes = ["a", "c", "b"];
        assert_eq!(counted(Task::OneVsRest, &classes), (2, "a".to_owned()));
        // nothing is answered first; x is on two of three rows
        let several = ["", "x,y", "x", "x,z", "x"];
        assert_eq!(counted(Task::MultiLabel, &several), (3, "x".to_owned()));
        let rest = Task::Binary {
            negative: None,
            positive: LabelName::typed("spam"),
        };
        assert_eq!(
            counted(rest, &["ham", "spam", "news"]),
            (2, "rest".to_owned())
        );
    }

    #[test]
    fn classes_known_before() {
        let mut known = Classes::new(Task::OneVsRest);
        known.add(raw("b"));
        known.add(raw("a"));
        let mut baseline = Baseline::new(known);
        baseline.row([raw("a")].into_iter());
        assert_eq!((baseline.errors(), baseline.rows()), (0, 1));
        assert!(!baseline.was_wrong());
        baseline.row([raw("B")].into_iter());
        assert_eq!(baseline.errors(), 2, "B is lower than a and b");
    }

    #[test]
    fn equals_its_definition() {
        let mut random = SplitMix64::new(31);
        for _ in 0..200 {
            let rows = 1 + random.below(60);
            let kinds = 1 + random.below(5);
            let name = |k: usize| ["7", "10", "-3", "b", "a"][k];
            let single: Vec<&str> = (0..rows).map(|_| name(random.below(kinds))).collect();
            let task = Task::OneVsRest;
            assert_eq!(
                counted(task.clone(), &single),
                slow(&task, &single),
                "{single:?}"
            );
            let two: Vec<&str> = (0..rows).map(|_| ["-1", "+1"][random.below(2)]).collect();
            let task = Task::plus_minus();
            assert_eq!(counted(task.clone(), &two), slow(&task, &two), "{two:?}");
            let several: Vec<String> = (0..rows)
                .map(|_| {
                    let labels = (0..kinds).filter(|_| random.below(3) > 0);
                    labels.map(name).collect::<Vec<_>>().join(",")
                })
                .collect();
            let several: Vec<&str> = several.iter().map(String::as_str).collect();
            let task = Task::MultiLabel;
            assert_eq!(
                counted(task.clone(), &several),
                slow(&task, &several),
                "{several:?}"
            );
        }
    }

    #[test]
    fn rows_with_the_same_labels_have_the_same_number() {
        let mut baseline = Baseline::new(Classes::new(Task::MultiLabel));
        let mut of = |row: &str| baseline.row(row.split(',').map(raw));
        let (ab, ba, aba, a) = (of("a,b"), of("b,a"), of("a,b,a"), of("a"));
        assert_eq!((ab, ab), (ba, aba));
        assert_ne!(ab, a);
    }
}
