//! Whether a table has all columns that the table before it has.
//!
//! A column may come in another shape, as `convert` writes it: the categories or the places of a list as
//! columns of their own, `column=value` and `column[0]`; numbered features as sparse rows.

use std::collections::HashSet;

use novikoff::remark::{Remark, StandIn};
use novikoff::remedy::{Complaint, Hint, Remedy, Setting};
use novikoff::table::{Column, ColumnKind, Missing, Table};

use crate::error::{DataError, Token};
use crate::kinds::{contradiction, list};
use crate::options::ReadOptions;

/// The columns that a column of this name may be a part of.
fn wholes(name: &str) -> impl Iterator<Item = &str> {
    let ends = [
        name.split_once('='),
        name.rsplit_once('='),
        name.rsplit_once('['),
    ];
    let whole = ends.map(|end| end.map(|(whole, _)| whole));
    let date = [Some(name), whole[0], whole[1]].map(|part| part.and_then(of_date));
    whole.into_iter().chain(date).flatten()
}

/// The date that a part of this name may be a part of.
fn of_date(part: &str) -> Option<&str> {
    let (whole, part) = part.rsplit_once('.')?;
    ["year", "month", "weekday", "hour"]
        .contains(&part)
        .then_some(whole)
}

/// The columns of `known` that something is learned from and that `found` lacks. Numbered features are there if they come `by_number`,
/// whatever the columns; an input without records lacks nothing.
pub(crate) fn absent<'a>(known: &'a Table, found: &Table, by_number: bool) -> Vec<&'a Column> {
    if found.columns.is_empty() && found.label.is_none() {
        return Vec::new();
    }
    let names: HashSet<&str> = found.columns.iter().map(|c| c.name.as_str()).collect();
    let shapes: HashSet<&str> = names.iter().flat_map(|name| wholes(name)).collect();
    let is_number = |name: &str| name.bytes().all(|b| b.is_ascii_digit());
    let is_there = |name: &str| {
        names.contains(name)
            || shapes.contains(name)
            || wholes(name).any(|whole| names.contains(whole))
            || (by_number && is_number(name))
    };
    let columns = known.columns.iter();
    let learned = columns.filter(|column| column.kind != ColumnKind::Ignored);
    learned.filter(|column| !is_there(&column.name)).collect()
}

/// The names of the columns of `found` that something would be learned from and that `known` lacks.
pub(crate) fn foreign(known: &Table, found: &Table) -> impl Iterator<Item = String> {
    let names: HashSet<String> = known.columns.iter().map(|c| c.name.clone()).collect();
    let shapes: HashSet<String> = names
        .iter()
        .flat_map(|n| wholes(n))
        .map(str::to_owned)
        .collect();
    let is_known = move |name: &str| {
        names.contains(name)
            || shapes.contains(name)
            || wholes(name).any(|whole| names.contains(whole))
    };
    let learned = found
        .columns
        .iter()
        .filter(|column| column.kind != ColumnKind::Ignored);
    let foreign: Vec<String> = learned
        .filter(|column| !is_known(&column.name))
        .map(|column| column.name.clone())
        .collect();
    foreign.into_iter()
}

/// What columns that are not there add to every row: the names of features and their values.
pub(crate) type Imputed = Vec<(String, f32)>;

/// What stands for the columns that the model or an earlier input has, and `found` lacks: an error if nothing does. Adds a remark per column.
pub(crate) fn impute(
    file: &str,
    options: &ReadOptions,
    found: &Table,
    by_number: bool,
    remarks: &mut Vec<Remark>,
) -> Result<Imputed, DataError> {
    let mut imputed = Vec::new();
    let Some(known) = &options.table else {
        return Ok(imputed);
    };
    let missing = options.missing();
    let absent = absent(known, found, by_number);
    let learned = known
        .columns
        .iter()
        .filter(|c| c.kind != ColumnKind::Ignored);
    let is_none_there = absent.len() == learned.count();
    if let Some(first) = absent.first()
        && is_none_there
    {
        // nothing would stand for all of them
        let why = other_names(&first.name, found, known);
        let why = why.or_else(|| (missing == Missing::Refuse).then(|| rename(&absent, found)));
        if let Some(why) = why {
            return Err(DataError::content(file, why));
        }
    }
    for column in absent {
        if missing == Missing::Refuse {
            return Err(refuse(file, column, found, known));
        }
        let mut read_as = StandIn::Nothing;
        if let Some(name) = column.number() {
            let centre = options.centres.as_ref().and_then(|all| all.get(&*name));
            let mean = column.mean.or(centre.copied());
            read_as = mean.map_or(StandIn::Zero, StandIn::Mean);
            if missing == Missing::Mean || mean.is_some() {
                imputed.push((name.into_owned(), mean.unwrap_or(0.0)));
            }
        }
        if missing == Missing::Indicator && column.kind != ColumnKind::Text {
            imputed.push((format!("{}=missing", column.name), 1.0));
            read_as = match read_as {
                StandIn::Mean(mean) => StandIn::MeanIndicator(mean),
                _ => StandIn::Indicator,
            };
        }
        remarks.push(Remark::MissingColumn {
            file: file.to_owned(),
            column: column.name.clone(),
            read_as,
        });
    }
    Ok(imputed)
}

/// A column that was named must be in the input, and an input of numbered or named features has none.
pub(crate) fn check_no_columns(
    file: &str,
    format: &str,
    options: &ReadOptions,
) -> Result<(), DataError> {
    let named = [
        (Setting::Label, options.label.as_ref()),
        (Setting::Drop, options.drop.first()),
        (Setting::Only, options.only.first()),
        (Setting::Categorical, options.categorical.first()),
        (Setting::Text, options.text.first()),
    ];
    let first = named
        .iter()
        .find_map(|(setting, name)| Some((*setting, (*name)?)));
    let Some((setting, name)) = first else {
        return Ok(());
    };
    let name = Token::new(name.as_bytes());
    let what = format!("is {format}, which has no columns, so it has no column {name}");
    let remedy = Remedy::leave_out(&[setting])
        .or(Remedy::give(Setting::Format, "csv").aim("if it is a table"));
    Err(DataError::content(file, Complaint::new(what, remedy)))
}

/// What is asked of the columns of a cache must be what it was made with: its features are there already. If there is a model, what it
/// says of missing values and text stays.
pub(crate) fn check_cache(
    file: &str,
    options: &ReadOptions,
    table: Option<&mut Table>,
) -> Result<(), DataError> {
    let Some(table) = table.filter(|table| !table.columns.is_empty()) else {
        return check_no_columns(file, "a cache of rows", options);
    };
    let is_number = |name: &str| name.bytes().all(|b| b.is_ascii_digit());
    let other = |asked: &&String| {
        let label = table.label.as_ref();
        label.is_some_and(|label| label != *asked) && !is_number(asked)
    };
    if let Some(asked) = options.label.as_ref().filter(other) {
        let is = Token::new(table.label.as_deref().unwrap_or_default().as_bytes());
        let got = Token::new(asked.as_bytes());
        let what = format!("the cache was made with the label {is}, not {got}");
        let again = Remedy::hint(Hint::MakeCache).or(Remedy::leave_out(&[Setting::Label]));
        return Err(DataError::content(file, Complaint::new(what, again)));
    }
    if let Some((setting, is, got)) = contradiction(options, table) {
        let what = format!("the cache was made with {setting} {is}, not {got}");
        let again = Remedy::hint(Hint::MakeCache).or(Remedy::leave_out(&[setting]));
        return Err(DataError::content(file, Complaint::new(what, again)));
    }
    if options.table.is_some() {
        (table.missing, table.text) = (options.missing(), options.text_form());
    }
    Ok(())
}

/// What is said of a column that is not there.
fn refuse(file: &str, column: &Column, found: &Table, known: &Table) -> DataError {
    if let Some(why) = other_names(&column.name, found, known) {
        return DataError::content(file, why);
    }
    let what = is_missing(&column.name);
    let zero = Remedy::give(Setting::Missing, "zero").aim(match column.kind {
        ColumnKind::Text => "to read it as texts without words",
        _ => "to read it as 0, or as its mean if the model standardises it",
    });
    DataError::content(
        file,
        Complaint::new(what, Remedy::clause("add it").or(zero)),
    )
}

/// What is said if no column is there.
fn rename(absent: &[&Column], found: &Table) -> Complaint {
    let names: Vec<&str> = found.columns.iter().map(|c| c.name.as_str()).collect();
    let there = if names.is_empty() {
        String::new()
    } else {
        format!("; the input has {}", list(&names))
    };
    match absent {
        [one] => {
            let name = Token::new(one.name.as_bytes());
            let what = format!("{}{there}", is_missing(&one.name));
            let remedy = Remedy::clause(format!("rename the column that is meant to {name}"));
            Complaint::new(what, remedy.or("add it"))
        }
        absent => {
            let wanted: Vec<&str> = absent.iter().map(|c| c.name.as_str()).collect();
            let what = format!(
                "all columns are missing that the model or an earlier input has, {}{there}",
                list(&wanted)
            );
            Complaint::new(what, "give the columns the names that the model knows")
        }
    }
}

fn is_missing(column: &str) -> String {
    let name = Token::new(column.as_bytes());
    format!("column {name} is missing, which the model or an earlier input has")
}

/// Why a column may not be there: the input spells it otherwise, or has no header.
fn other_names(column: &str, found: &Table, known: &Table) -> Option<Complaint> {
    let mut names = found.columns.iter().map(|column| column.name.as_str());
    let is_known = |name: &str| known.columns.iter().any(|column| column.name == name);
    let what = is_missing(column);
    if let Some(other) = names
        .clone()
        .find(|other| bare(other) == bare(column) && !is_known(other))
    {
        let (name, other) = (Token::new(column.as_bytes()), Token::new(other.as_bytes()));
        let what =
            format!("{what}; the input has {other}, and names must be the same to the letter");
        let rename = Remedy::clause(format!("rename {other} to {name}"));
        return Some(Complaint::new(what, rename));
    }
    let is_numbered = known.columns.iter().all(|column| is_place(&column.name));
    let has_no_header = !found.columns.is_empty() && names.all(is_place) && !is_numbered;
    has_no_header.then(|| {
        let what = format!("{what}; the input has no header");
        Complaint::new(what, "put the names of the columns first")
    })
}

/// A name without its case, blanks and signs.
fn bare(name: &str) -> String {
    let letters = name.chars().filter(|c| c.is_alphanumeric());
    letters.flat_map(char::to_lowercase).collect()
}

/// Whether a name is that of a column of a table without a header: its number.
fn is_place(name: &str) -> bool {
    !name.is_empty() && name.bytes().all(|b| b.is_ascii_digit())
}

#[cfg(test)]
mod tests {
    use novikoff::table::{Column, ColumnKind, Table};

    use super::absent;

    #[test]
    fn a_column_is_there_in_any_shape() {
        let table = |names: &[&str]| {
            let column = |name: &&str| Column::new(*name, ColumnKind::Number);
            Table {
                label: Some("y".to_owned()),
                columns: names.iter().map(column).collect(),
                ..Table::default()
            }
        };
        for (known, found, by_number, expected) in [
            (&["a", "b"][..], &["b", "c", "a"][..], false, None),
            (&["a", "b"], &["a"], false, Some("b")),
            (&["y"], &["a"], false, Some("y")),
            (&["c", "e"], &["c=red", "e[0]", "e[1]"], false, None),
            (&["c=red", "c=blue", "e[1]"], &["e", "c"], false, None),
            (&["c=red", "c=blue"], &["c=red"], false, Some("c=blue")),
            (&["a=b"], &["a=b=c=d"], false, Some("a=b")),
            (&["1", "2", "x"], &["x"], true, None),
            (&["1", "2", "x"], &["1", "2"], true, Some("x")),
            (&["1", "2"], &["1"], false, Some("2")),
            (&["d"], &["d.year", "d.month=3"], false, None),
            (&["d"], &["d.weekday=1"], false, None),
            (&["d.year", "d.hour=7"], &["d"], false, None),
            (&["s"], &["s.field"], false, Some("s")),
        ] {
            let (known, found) = (table(known), table(found));
            let first = |found| {
                let absent = absent(&known, found, by_number);
                absent.first().map(|column| column.name.clone())
            };
            assert_eq!(first(&found).as_deref(), expected, "{known:?}");
            assert_eq!(first(&Table::default()), None);
        }
    }
}
