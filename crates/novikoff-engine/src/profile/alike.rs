//! Labels that differ only in case, or in blanks around them: one label that is written in several ways.

use std::collections::BTreeMap;

use novikoff::classes::{Classes, Task};
use novikoff::remark::{LabelRemark, Remark};
use novikoff_data::kinds::is_date;

/// How many labels a remark lists.
const LISTED: usize = 6;

/// A label is rare beside another that has at least this many times its rows.
const RARE: u64 = 10;

/// Labels that are looked at one by one, at most.
pub(super) const LOOKED_AT: usize = 1000;

/// A remark on rare labels that differ in one character from a frequent one. `counts` are the labels with their rows.
pub(crate) fn near(counts: &[(&str, u64)]) -> Option<Remark> {
    let looked_at = &counts[..counts.len().min(LOOKED_AT)];
    let mut labels = Vec::new();
    for &(rare, few) in looked_at {
        let mut others = looked_at.iter();
        let frequent = others.find(|(label, many)| {
            few > 0 && *many >= RARE * few && is_one_edit(rare.trim(), label.trim())
        });
        if let Some(&(frequent, many)) = frequent {
            labels.push([(rare.to_owned(), few), (frequent.to_owned(), many)]);
        }
    }
    labels.truncate(LISTED);
    (!labels.is_empty()).then_some(Remark::Label(LabelRemark::Near { labels }))
}

/// More labels of a table than this that are all numbers may be quantities, and if they are dates another column is the label.
const NUMBERS: usize = 20;

/// A remark on many labels that are all numbers, or dates, of a table whose label is this column.
pub(crate) fn numbers(counts: &[(&str, u64)], column: Option<&str>) -> Option<Remark> {
    let labels = counts.len() as u64;
    let are = |what: fn(&str) -> bool| {
        counts.len() > NUMBERS && counts.iter().all(|(label, _)| what(label))
    };
    let column = column.map(str::to_owned);
    if are(|label| label.parse::<f64>().is_ok()) {
        Some(Remark::Label(LabelRemark::Numbers { labels, column }))
    } else if are(is_date) {
        Some(Remark::Label(LabelRemark::Dates { labels, column }))
    } else {
        None
    }
}

/// Words that stand for a label that is not known, without blanks and signs.
const NOT_KNOWN: [&str; 18] = [
    "unknown",
    "unk",
    "nan",
    "null",
    "nil",
    "missing",
    "notavailable",
    "notknown",
    "notspecified",
    "unspecified",
    "undefined",
    "undetermined",
    "tobedetermined",
    "tbd",
    "unlabeled",
    "unlabelled",
    "nolabel",
    "notlabeled",
];

/// Labels beside which such a word means what it says, where there are no others.
const OPPOSITES: [&str; 5] = ["known", "present", "found", "available", "complete"];

/// Remarks on labels that stand for one that is not known. `counts` are the labels with their rows.
pub(crate) fn not_known(counts: &[(&str, u64)]) -> Vec<Remark> {
    let looked_at = &counts[..counts.len().min(LOOKED_AT)];
    let plain = |label: &str| -> String {
        let kept = label.chars().filter(|c| c.is_alphanumeric());
        kept.flat_map(char::to_lowercase).collect()
    };
    let stands = |(label, rows): &&(&str, u64)| {
        let plain = plain(label);
        // `-` may be the opposite of `+`
        let is_sign = plain.is_empty() && label.contains('?');
        *rows > 0 && (is_sign || NOT_KNOWN.contains(&&*plain))
    };
    let others: Vec<_> = looked_at.iter().filter(|of| !stands(of)).collect();
    match others[..] {
        [] => return Vec::new(),
        [(only, _)] if OPPOSITES.contains(&&*plain(only)) => return Vec::new(),
        _ => {}
    }
    let unknown = looked_at.iter().filter(stands);
    let remarks = unknown.map(|&(label, rows)| {
        let label = label.to_owned();
        Remark::Label(LabelRemark::NotKnown { label, rows })
    });
    remarks.take(LISTED).collect()
}

/// Whether one letter more, less or another makes one word of the other. Numbers do: `a1` and `a2` are not near.
fn is_one_edit(a: &str, b: &str) -> bool {
    let (a, b): (Vec<char>, Vec<char>) = (a.chars().collect(), b.chars().collect());
    let (short, long) = if a.len() < b.len() { (a, b) } else { (b, a) };
    if short == long || long.len() < 3 || long.len() - short.len() > 1 {
        return false;
    }
    let same = short.iter().zip(&long).take_while(|(a, b)| a == b).count();
    let is_word = |c: char| c.is_alphabetic();
    let rest = &long[same + 1..];
    if short.len() == long.len() {
        rest == &short[same + 1..] && is_word(short[same]) && is_word(long[same])
    } else {
        rest == &short[same..] && is_word(long[same])
    }
}

/// Words that mean yes, and words that mean no.
const SAME: [&[&str]; 2] = [&["yes", "y", "true", "1"], &["no", "n", "false", "0"]];

/// Those of some names that mean yes, and those that mean no.
pub(super) fn answers<'n>(names: &(impl Iterator<Item = &'n str> + Clone)) -> [Vec<String>; 2] {
    SAME.map(|words| {
        let same = names.clone();
        let same = same.filter(|name| words.contains(&&*name.trim().to_lowercase()));
        let mut same: Vec<String> = same.map(str::to_owned).collect();
        same.sort_unstable();
        same
    })
}

/// A remark on labels that may mean the same: yes is written in several ways, and so is no.
pub(crate) fn synonyms(counts: &[(&str, u64)]) -> Option<Remark> {
    let looked_at = &counts[..counts.len().min(LOOKED_AT)];
    let labels = answers(&looked_at.iter().map(|(label, _)| *label));
    let is_several = labels.iter().all(|same| same.len() > 1);
    is_several.then(|| {
        Remark::Label(LabelRemark::Synonyms {
            labels: labels.to_vec(),
        })
    })
}

/// What is worth saying of labels that are alike.
pub(crate) fn remark(classes: &Classes) -> Option<Remark> {
    let names: Vec<&str> = match classes.task() {
        Task::Binary { negative, positive } => {
            let negative = negative.iter().map(novikoff::label::LabelName::name);
            negative.chain([positive.name()]).collect()
        }
        _ => classes
            .list()
            .iter()
            .map(|class| class.label.name())
            .collect(),
    };
    let mut alike: BTreeMap<String, Vec<&str>> = BTreeMap::new();
    for name in names {
        alike
            .entry(name.trim().to_lowercase())
            .or_default()
            .push(name);
    }
    let several = alike.into_values().filter(|names| names.len() > 1);
    let mut labels: Vec<Vec<String>> = several
        .map(|names| names.into_iter().map(str::to_owned).collect())
        .collect();
    for names in &mut labels {
        names.sort_unstable();
    }
    let groups = labels.len() as u64;
    labels.truncate(LISTED);
    (groups > 0).then_some(Remark::Labels { labels, groups })
}

#[cfg(test)]
mod tests {
    use novikoff::classes::{Classes, Task};
    use novikoff::label::{LabelName, RawLabel};
    use novikoff::remark::Remark;

    use novikoff::remark::LabelRemark;

    use super::{LISTED, near, numbers, remark, synonyms};

    #[test]
    fn yes_and_no_in_several_ways() {
        let of = |labels: &[&str]| {
            let counts: Vec<(&str, u64)> = labels.iter().map(|label| (*label, 9)).collect();
            synonyms(&counts).map(|remark| remark.to_string())
        };
        assert_eq!(
            of(&["0", "1", "N", "Y", "no", "yes"]).as_deref(),
            Some(
                "labels that may mean the same are different classes: `1` and `Y` and `yes`, `0` and `N` and `no`"
            )
        );
        assert_eq!(of(&["yes", "no", "maybe"]), None);
        assert_eq!(of(&["0", "1", "2", "n"]), None, "no second yes");
    }

    fn label(text: &str) -> RawLabel<'_> {
        RawLabel::from(text)
    }

    fn alike(names: &[&str]) -> Option<(Vec<Vec<String>>, u64)> {
        let mut classes = Classes::new(Task::OneVsRest);
        for name in names {
            classes.add(label(name));
        }
        match remark(&classes)? {
            Remark::Labels { labels, groups } => Some((labels, groups)),
            _ => None,
        }
    }

    #[test]
    fn labels_that_differ_in_case_or_blanks_are_alike() {
        assert_eq!(alike(&["yes", "no", "maybe"]), None);
        let (labels, groups) = alike(&["yes", "No", "YES", "no ", "maybe"]).expect("two");
        assert_eq!(labels, [vec!["No", "no "], vec!["YES", "yes"]]);
        assert_eq!(groups, 2);
        let many: Vec<String> = (0..20)
            .flat_map(|k| [format!("a{k}"), format!("A{k}")])
            .collect();
        let many: Vec<&str> = many.iter().map(String::as_str).collect();
        let (labels, groups) = alike(&many).expect("many");
        assert_eq!((labels.len(), groups), (LISTED, 20));
    }

    #[test]
    fn a_rare_label_one_letter_away_is_a_typing_error() {
        let found = |counts: &[(&str, u64)]| match near(counts) {
            Some(Remark::Label(LabelRemark::Near { labels })) => labels
                .iter()
                .map(|[(rare, _), _]| rare.clone())
                .collect::<Vec<String>>(),
            _ => Vec::new(),
        };
        let labels = [
            ("no", 900),
            ("yes", 500),
            ("noo", 3),
            ("yess", 2),
            ("yas", 1),
        ];
        assert_eq!(found(&labels), ["noo", "yess", "yas"]);
        assert_eq!(found(&[("no", 3700), ("yes", 283), ("yess", 19)]), ["yess"]);
        assert!(found(&[("no", 900), ("yes", 500), ("maybe", 3)]).is_empty());
        assert!(
            found(&[("a1", 900), ("a2", 3)]).is_empty(),
            "numbers differ"
        );
        assert!(
            found(&[("cat", 60), ("car", 50)]).is_empty(),
            "both are frequent"
        );
    }

    #[test]
    fn many_labels_that_are_numbers_or_dates() {
        let kind = |label: fn(u64) -> String| {
            let labels: Vec<String> = (1..=25).map(label).collect();
            let counts: Vec<(&str, u64)> = labels.iter().map(|label| (&**label, 9)).collect();
            numbers(&counts, Some("c")).map(|remark| remark.to_string())
        };
        let said = kind(|k| format!("{k}.5")).expect("numbers");
        assert!(said.contains("25 different numbers"), "{said}");
        let said = kind(|k| format!("2025-01-{k:02}")).expect("dates");
        assert!(said.contains("column c, are 25 different dates"), "{said}");
        assert_eq!(kind(|k| format!("class {k}")), None);
    }

    #[test]
    fn two_labels_may_be_alike() {
        let pair = Task::pair(LabelName::new(label("yes")), LabelName::new(label("Yes")));
        assert!(remark(&Classes::new(pair)).is_some());
        assert!(remark(&Classes::new(Task::plus_minus())).is_none());
    }
}
