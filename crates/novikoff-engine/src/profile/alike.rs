//! Labels that differ only in case, or in blanks around them: one label that is written in several ways.

use std::collections::BTreeMap;

use novikoff::classes::{Classes, Task};
use novikoff::remark::Remark;

/// How many labels a remark lists.
const LISTED: usize = 6;

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

    use super::{LISTED, remark};

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
    fn two_labels_may_be_alike() {
        let pair = Task::pair(LabelName::new(label("yes")), LabelName::new(label("Yes")));
        assert!(remark(&Classes::new(pair)).is_some());
        assert!(remark(&Classes::new(Task::plus_minus())).is_none());
    }
}
