//! Messy tables as people have them: gaps, dates, notes, customers that come several times, a rare label. One more column is made by the test.

use std::fmt::Write as _;

use super::Room;
use super::data::SplitMix64;
use super::remarks::said;

/// What is known of a row.
#[derive(Clone, Copy)]
pub(crate) struct MessyRow {
    /// Its number, from 0.
    pub(crate) row: usize,
    /// Its customer.
    pub(crate) customer: usize,
    pub(crate) is_yes: bool,
}

/// What a table is like.
#[derive(Clone, Copy)]
pub(crate) struct Messy {
    pub(crate) rows: usize,
    pub(crate) seed: u64,
    /// About the share of the rows with label yes.
    pub(crate) share: f64,
    /// Rows of the same customer, who has one label.
    pub(crate) per_customer: usize,
    /// What the numbers are multiplied by.
    pub(crate) unit: f64,
    /// The label has nothing to do with the columns.
    pub(crate) is_noise: bool,
}

impl Messy {
    pub(crate) const DEFAULT: Self = Messy {
        rows: 2000,
        seed: 1,
        share: 0.4,
        per_customer: 1,
        unit: 1.0,
        is_noise: false,
    };

    /// A table with the columns `amount` (around 0), `age` (with gaps), `plan`, `joined`, and `extra` as the test makes it.
    pub(crate) fn csv(&self, extra: impl Fn(MessyRow, &mut SplitMix64) -> String) -> String {
        let mut random = SplitMix64(self.seed);
        let mut text = "amount,age,plan,joined,extra,label\n".to_owned();
        let mut is_customer_yes = false;
        for row in 0..self.rows {
            let per = self.per_customer.max(1);
            if row % per == 0 {
                is_customer_yes = random.uniform() < self.share;
            }
            let is_yes = is_customer_yes;
            let shift = if is_yes && !self.is_noise { 0.8 } else { 0.0 };
            let sum: f64 = (0..4).map(|_| random.uniform() - 0.5).sum();
            let amount = self.unit * (sum + shift);
            let age = match random.below(5) {
                0 => String::new(),
                _ => format!("{}", 20 + random.below(50)),
            };
            let plan = ["basic", "plus", "pro"][random.below(3)];
            let (month, day) = (1 + random.below(12), 1 + random.below(28));
            let of = MessyRow {
                row,
                customer: row / per,
                is_yes,
            };
            let extra = extra(of, &mut random);
            let label = ["no", "yes"][usize::from(is_yes)];
            let _ = writeln!(
                text,
                "{amount:.4},{age},{plan},2023-{month:02}-{day:02},{extra},{label}"
            );
        }
        text
    }
}

/// A note of some words of no meaning, and of those given.
pub(crate) fn note(random: &mut SplitMix64, more: &str) -> String {
    let mut words: Vec<String> = (0..12).map(|_| format!("w{}", random.below(300))).collect();
    words.insert(random.below(12), more.to_owned());
    words.join(" ")
}

/// How the cell of the last column is made.
pub(crate) type Extra = dyn Fn(MessyRow, &mut SplitMix64) -> String;

/// What is said of a kind when a table is trained on with some options.
pub(crate) fn on_table(
    messy: Messy,
    extra: &dyn Fn(MessyRow, &mut SplitMix64) -> String,
    options: &str,
    kind: &str,
) -> Vec<String> {
    let room = Room::new();
    room.write("t.csv", messy.csv(extra));
    let json = room.json(&format!("train t.csv -a averaged --bias 1 {options} -q"));
    said(&json, kind)
}

#[track_caller]
pub(crate) fn tells(messy: Messy, extra: &Extra, options: &str, what: &str) {
    let leaks = on_table(messy, extra, options, "leakage");
    assert!(
        leaks.len() == 1
            && leaks[0].starts_with("column extra predicts the label: ")
            && leaks[0].contains(what)
            && (leaks[0].contains("--drop extra") || leaks[0].contains("take it out of the texts")),
        "{options}: {leaks:?}"
    );
}

#[track_caller]
pub(crate) fn is_silent(messy: Messy, extra: &Extra, options: &str) {
    for kind in ["leakage", "ids", "copies", "groups"] {
        let said = on_table(messy, extra, options, kind);
        assert!(said.is_empty(), "{options}: {said:?}");
    }
}

/// A number around 0.
pub(crate) fn number(random: &mut SplitMix64) -> String {
    format!("{:.3}", 10.0 * (random.uniform() - 0.5))
}

/// A day of a month of 2024.
pub(crate) fn day(month: usize, random: &mut SplitMix64) -> String {
    format!("2024-{month:02}-{:02}", 1 + random.below(28))
}

/// A day of 2024.
pub(crate) fn date(random: &mut SplitMix64) -> String {
    day(1 + random.below(12), random)
}
