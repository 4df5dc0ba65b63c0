//! Categories that differ only in case, or in blanks around them, or are several words for yes or for no: one category that is written in several ways.

use std::collections::BTreeMap;

use novikoff::remark::{ColumnRemark, Remark};
use novikoff::schema::Schema;
use novikoff::table::ColumnKind;

use super::alike::answers;

/// How many categories a remark lists.
const LISTED: usize = 3;

/// What is worth saying of the categories of a table, column by column.
pub(super) fn remarks(schema: &Schema) -> Vec<Remark> {
    let Some(table) = &schema.table else {
        return Vec::new();
    };
    let columns = table.columns.iter();
    let columns = columns.filter(|column| column.kind == ColumnKind::Category);
    // the spellings of each category of each column
    let mut alike: BTreeMap<&str, BTreeMap<String, Vec<&str>>> = columns
        .map(|column| (&*column.name, BTreeMap::new()))
        .collect();
    if alike.is_empty() {
        return Vec::new();
    }
    for (_, name) in schema.names.iter() {
        for (at, _) in name.match_indices('=') {
            let (column, category) = (&name[..at], &name[at + 1..]);
            if let Some(categories) = alike.get_mut(column) {
                let folded = category.trim().to_lowercase();
                categories.entry(folded).or_default().push(category);
                break;
            }
        }
    }
    let mut remarks = Vec::new();
    for (column, categories) in alike {
        let same = yes_and_no(&categories);
        let mean_same = same.is_some();
        let mut several = same.unwrap_or_else(|| in_several_ways(categories));
        let groups = several.len() as u64;
        several.truncate(LISTED);
        if groups > 0 {
            remarks.push(Remark::Column(ColumnRemark::CategoriesAlike {
                column: column.to_owned(),
                mean_same,
                categories: several,
                groups,
            }));
        }
    }
    remarks
}

/// Categories that differ only in case or blanks, each with those that it is like.
fn in_several_ways(categories: BTreeMap<String, Vec<&str>>) -> Vec<Vec<String>> {
    let several = categories.into_values().filter(|alike| alike.len() > 1);
    let several = several.map(|alike| {
        let mut alike: Vec<String> = alike.into_iter().map(str::to_owned).collect();
        alike.sort_unstable();
        alike
    });
    several.collect()
}

/// The words for yes, and those for no, if one of both is written in several words, and all categories of a column are such words. `n` and `no` alone may be
/// something else.
fn yes_and_no(categories: &BTreeMap<String, Vec<&str>>) -> Option<Vec<Vec<String>>> {
    let given = || categories.keys().filter(|folded| *folded != "missing");
    let folded = answers(&given().map(String::as_str));
    let [yes, no] = &folded;
    let are_all = yes.len() + no.len() == given().count();
    let is_several = are_all && !yes.is_empty() && !no.is_empty() && yes.len() + no.len() > 2;
    is_several.then(|| {
        let written = answers(&categories.values().flatten().copied());
        written.into_iter().filter(|same| same.len() > 1).collect()
    })
}

#[cfg(test)]
mod tests {
    use novikoff::names::{NameLimits, Names};
    use novikoff::schema::Schema;
    use novikoff::table::{Column, ColumnKind, Table};

    use super::remarks;

    #[test]
    fn categories_that_differ_in_case_or_blanks_are_alike() {
        let mut names = Names::new();
        let limits = NameLimits {
            slots: 100,
            bytes: 1 << 20,
        };
        let features = [
            "kind=motor",
            "kind=Motor",
            "kind=motor ",
            "kind=fire",
            "a=b=x",
            "a=b=X",
            "sms=yes",
            "sms=Yes",
            "sms=Y",
            "sms=no",
            "sms=missing",
            "gas=no",
            "gas=n",
            "text^Word",
            "text^word",
        ];
        for name in features {
            names.assign(name, limits).expect("room");
        }
        let mut schema = Schema::default();
        schema.names = names;
        assert!(remarks(&schema).is_empty(), "no table");
        schema.table = Some(Table {
            columns: vec![
                Column::new("kind", ColumnKind::Category),
                Column::new("a=b", ColumnKind::Category),
                Column::new("sms", ColumnKind::Category),
                Column::new("gas", ColumnKind::Category),
                Column::new("text", ColumnKind::Text),
            ],
            ..Table::default()
        });
        let said: Vec<String> = remarks(&schema).iter().map(ToString::to_string).collect();
        assert_eq!(
            said,
            [
                "categories of column a=b that differ only in case or blanks are different features: `X` and `x`",
                "categories of column kind that differ only in case or blanks are different features: `Motor` and `motor` and `motor `",
                "categories of column sms that may mean the same are different features: `Y` and `Yes` and `yes`",
            ]
        );
    }
}
