//! Which column of a table is its label if nobody says so.

use novikoff::remedy::{Complaint, Remedy, Setting};
use novikoff::table::Table;

/// Names a label's column has, in any case. One of the first kind is the label whatever else there is:
/// `label,x,y`.
const LABELS: [&[&str]; 2] = [&["label"], &["target", "class", "y"]];

/// Whether a column of this name may be a label.
pub(crate) fn is_label(name: &str) -> bool {
    LABELS.iter().any(|kind| is_one_of(name, kind))
}

/// Whether a column that was taken for the label has a name that features have too: `class` of a ticket, `y` of a place.
pub(crate) fn may_be_feature(label: &str) -> bool {
    is_one_of(label, LABELS[1])
}

/// The column that is the label by its name; none if there is no such, or more than one. What a model
/// takes for a feature is no label, whatever its name.
pub(crate) fn label(names: &[&str], trained_on: Option<&Table>) -> Option<usize> {
    let features = trained_on.map_or(&[][..], |table| &table.columns);
    let may_be = |name: &str| !features.iter().any(|column| column.name == name);
    let of_kind = |kind: &&[&str]| {
        let is_it = |&k: &usize| is_one_of(names[k], kind) && may_be(names[k]);
        let mut found = (0..names.len()).filter(is_it);
        Some((found.next()?, found.next().is_some()))
    };
    let (column, ambiguous) = LABELS.iter().find_map(of_kind)?;
    (!ambiguous).then_some(column)
}

/// What the label's column is called in the table a model was trained on; none if that is the number of
/// a column of a table without names, as it is if a feature is called the same.
pub(crate) fn known_label(trained_on: Option<&Table>) -> Option<&str> {
    let table = trained_on?;
    let label = table.label.as_deref()?;
    let is_feature = table.columns.iter().any(|column| column.name == label);
    (!is_feature).then_some(label)
}

fn is_one_of(name: &str, kind: &[&str]) -> bool {
    kind.iter().any(|label| name.eq_ignore_ascii_case(label))
}

/// What is asked where no column looks like the label; a model knows what its label is called.
pub(crate) fn which_label(columns: &str, trained_on: Option<&Table>) -> Complaint {
    let column = Remedy::give(Setting::Label, "COLUMN").aim(format!(", one of {columns}"));
    match known_label(trained_on) {
        None => Complaint::new("which column is the label?", column),
        Some(label) => {
            let what = format!("there is no column {label}, which is the label of the model");
            Complaint::new(what, column)
        }
    }
}

#[cfg(test)]
mod tests {
    use novikoff::table::{Column, ColumnKind, Table};

    use super::label;

    #[test]
    fn one_column_is_the_label_or_none() {
        for (names, expected) in [
            ("x,Y,z", Some(1)),
            ("x,y,LABEL", Some(2)),
            ("a,target", Some(1)),
            ("class,y", None),
            ("label,a,Label", None),
            ("a,b", None),
            ("", None),
        ] {
            assert_eq!(
                label(&names.split(',').collect::<Vec<_>>(), None),
                expected,
                "{names}"
            );
        }
        let column = Column::new("y", ColumnKind::Number);
        let model = Table {
            label: Some("z".to_owned()),
            columns: vec![column],
            ..Table::default()
        };
        assert_eq!(label(&["x", "y"], Some(&model)), None);
    }
}
