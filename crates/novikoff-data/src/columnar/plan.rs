//! What each column is: decided once, by the schema.

use std::sync::Arc;

use arrow_schema::{DataType, Field, Fields};
use novikoff::grammar::nearest_match;
use novikoff::remedy::{Complaint, Remedy, Setting};
use novikoff::table::{Column, ColumnKind, Table};

use super::fault::content;
use crate::error::{DataError, Token};
use crate::options::ReadOptions;
use crate::usual;

/// How many columns a message lists.
const LISTED: usize = 10;

/// What values become features of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    /// One number, whose feature is the name of the column.
    Number,
    /// One category, whose feature is `column=value`.
    Category,
    /// Text, whose features are `column^word`: its place among the columns of text.
    Text(usize),
    /// Numbers, whose features are `column[0]`, `column[1]`, ...
    List,
    /// Numbers of features, and their values.
    Sparse {
        /// The places of the fields of that name.
        indices: usize,
        values: usize,
        /// Without indices, values are those of the first features: Spark's dense vectors.
        dense: bool,
    },
}

/// A column, or a field of a column that is a struct.
#[derive(Clone, Debug)]
pub(super) struct Leaf {
    /// The column, then the fields down to this one.
    pub(super) path: Vec<usize>,
    /// `column`, or `column.field`.
    pub(super) name: String,
    pub(super) kind: Kind,
}

impl Leaf {
    pub(super) fn is_sparse(&self) -> bool {
        matches!(self.kind, Kind::Sparse { .. })
    }
}

/// What all columns are.
#[derive(Clone, Debug)]
pub(super) struct Plan {
    pub(super) label: Option<usize>,
    pub(super) leaves: Vec<Leaf>,
    pub(super) table: Table,
    /// The columns of text.
    pub(super) texts: Arc<[String]>,
}

impl Plan {
    pub(super) fn new(
        file: &str,
        fields: &Fields,
        options: &ReadOptions,
    ) -> Result<Self, DataError> {
        let failed = |what: Complaint| content(file, what);
        if fields.is_empty() {
            return Err(failed(Complaint::plain("it has no columns")));
        }
        let label = find_label(fields, options).map_err(failed)?;
        let mut plan = Plan {
            label,
            leaves: Vec::new(),
            table: Table::default(),
            texts: Arc::default(),
        };
        if let Some(label) = label {
            check_label(&fields[label]).map_err(failed)?;
            plan.table.label = Some(fields[label].name().clone());
        }
        for (column, field) in fields.iter().enumerate() {
            if Some(column) != label {
                let name = field.name().clone();
                plan.add(vec![column], name, field.data_type(), options)
                    .map_err(failed)?;
            }
        }
        let columns = plan.leaves.iter().filter(|leaf| !leaf.is_sparse());
        let columns = columns.map(|leaf| {
            let kind = match leaf.kind {
                Kind::Category => ColumnKind::Category,
                Kind::Text(_) => ColumnKind::Text,
                _ => ColumnKind::Number,
            };
            Column::new(leaf.name.clone(), kind)
        });
        plan.table.columns = columns.collect();
        plan.table.text = options.text_form();
        plan.texts = plan.table.texts();
        plan.check_names(fields, options).map_err(failed)?;
        Ok(plan)
    }

    /// Adds a column, or the fields of one.
    fn add(
        &mut self,
        path: Vec<usize>,
        name: String,
        kind: &DataType,
        options: &ReadOptions,
    ) -> Result<(), Complaint> {
        let kind = match kind {
            DataType::Struct(fields) => match sparse(fields) {
                Some(kind) => kind,
                None if fields.is_empty() => return Err(unfit(&name, kind)),
                None => {
                    for (k, field) in fields.iter().enumerate() {
                        let path = path.iter().copied().chain([k]).collect();
                        let name = format!("{name}.{}", field.name());
                        self.add(path, name, field.data_type(), options)?;
                    }
                    return Ok(());
                }
            },
            kind if item(kind).is_some_and(is_number) => Kind::List,
            kind if is_text(kind) && holds_text(&name, options)? => {
                let before = self.leaves.iter();
                Kind::Text(
                    before
                        .filter(|leaf| matches!(leaf.kind, Kind::Text(_)))
                        .count(),
                )
            }
            kind if is_text(kind) || is_number(kind) => one_value(&name, kind, options)?,
            kind => return Err(unfit(&name, kind)),
        };
        self.leaves.push(Leaf { path, name, kind });
        Ok(())
    }

    fn check_names(&self, fields: &Fields, options: &ReadOptions) -> Result<(), Complaint> {
        let mut names: Vec<&str> = self.leaves.iter().map(|leaf| leaf.name.as_str()).collect();
        for wanted in &options.categorical {
            if !names.contains(&wanted.as_str()) && self.table.label.as_ref() != Some(wanted) {
                let wanted = Token::new(wanted.as_bytes());
                let listed = listed(fields);
                return Err(Complaint::plain(format!(
                    "there is no column {wanted} to hold categories; the columns are {listed}"
                )));
            }
        }
        for wanted in &options.text {
            let token = Token::new(wanted.as_bytes());
            let leaf = self.leaves.iter().find(|leaf| leaf.name == *wanted);
            let Some(leaf) = leaf else {
                let near = match nearest_match(wanted, names.iter().copied()) {
                    Some(near) => format!(" did you mean {}?", Token::new(near.as_bytes())),
                    None => String::new(),
                };
                return Err(Complaint::plain(format!(
                    "there is no column {token} to hold text;{near} the columns are {}",
                    listed(fields)
                )));
            };
            if !matches!(leaf.kind, Kind::Text(_)) {
                let what = format!("column {token} is to be text, but holds no strings");
                return Err(Complaint::new(what, Remedy::leave_out(&[Setting::Text])));
            }
        }
        names.extend(self.table.label.as_deref());
        names.sort_unstable();
        match names.windows(2).find(|pair| pair[0] == pair[1]) {
            None => Ok(()),
            Some(pair) => {
                let what = format!("two columns are named {}", Token::new(pair[0].as_bytes()));
                Err(Complaint::new(what, "rename one of them"))
            }
        }
    }
}

/// The first columns' names.
fn listed(fields: &Fields) -> String {
    let names = fields.iter().take(LISTED);
    let names: Vec<String> = names
        .map(|field| Token::new(field.name().as_bytes()).to_string())
        .collect();
    let more = if fields.len() > LISTED { ", ..." } else { "" };
    format!("{}{more}", names.join(", "))
}

fn find_label(fields: &Fields, options: &ReadOptions) -> Result<Option<usize>, Complaint> {
    let named = |name: &str| fields.iter().position(|field| field.name() == name);
    let trained_on = options.table.as_ref();
    if let Some(label) = &options.label {
        let number = label.parse().ok().and_then(|n: usize| n.checked_sub(1));
        let numbered = number.filter(|&column| column < fields.len());
        return match named(label).or(numbered) {
            None if !options.unlabelled => {
                let (label, listed) = (Token::new(label.as_bytes()), listed(fields));
                Err(Complaint::new(
                    format!("there is no column {label} to be the label; the columns are {listed}"),
                    Remedy::give(Setting::Label, "COLUMN")
                        .aim("with a name, or with a number counted from 1"),
                ))
            }
            found => Ok(found),
        };
    }
    if let Some(column) = usual::known_label(trained_on).and_then(named) {
        return Ok(Some(column));
    }
    let names: Vec<&str> = fields.iter().map(|field| field.name().as_str()).collect();
    match usual::label(&names, trained_on) {
        Some(column) => Ok(Some(column)),
        _ if options.unlabelled || trained_on.is_some() => Ok(None),
        _ => Err(usual::which_label(&listed(fields))),
    }
}

fn check_label(field: &Field) -> Result<(), Complaint> {
    let kind = item(field.data_type()).unwrap_or(field.data_type());
    if is_text(kind) || is_whole(kind) || kind.is_floating() || kind.is_null() {
        return Ok(());
    }
    let (name, kind) = (
        Token::new(field.name().as_bytes()),
        shown(field.data_type()),
    );
    let what = format!(
        "the label column {name} is of type {kind}; labels are integers, floats, booleans, strings \
         or lists of these"
    );
    Err(Complaint::new(what, "cast it"))
}

/// Whether a column of strings holds text.
fn holds_text(name: &str, options: &ReadOptions) -> Result<bool, Complaint> {
    let asked = options.text.iter().any(|wanted| wanted == name);
    match options.table.as_ref().and_then(|table| table.column(name)) {
        Some(known) if asked && known.kind != ColumnKind::Text => Err(usual::not_text(known)),
        Some(known) => Ok(known.kind == ColumnKind::Text),
        None => Ok(asked),
    }
}

/// Whether a column of single values is numbers or categories.
fn one_value(name: &str, kind: &DataType, options: &ReadOptions) -> Result<Kind, Complaint> {
    let asked = options.categorical.iter().any(|wanted| wanted == name);
    let table = options.table.as_ref();
    let known = table.and_then(|table| table.columns.iter().find(|column| column.name == name));
    let categorical = asked || known.is_some_and(|column| column.kind == ColumnKind::Category);
    let column = Token::new(name.as_bytes());
    if is_text(kind) {
        return match known {
            Some(known) if known.kind != ColumnKind::Category && !asked => {
                let kind = shown(kind);
                let what = format!(
                    "column {column} is of type {kind}, but was numbers when the model was trained"
                );
                Err(Complaint::new(what, "cast it"))
            }
            _ => Ok(Kind::Category),
        };
    }
    match categorical {
        false => Ok(Kind::Number),
        true if is_whole(kind) || kind.is_null() => Ok(Kind::Category),
        true => {
            let kind = shown(kind);
            let what = format!(
                "column {column} is of type {kind}; categories are integers, booleans or strings"
            );
            Err(Complaint::new(what, "cast it"))
        }
    }
}

fn unfit(name: &str, kind: &DataType) -> Complaint {
    let (name, kind) = (Token::new(name.as_bytes()), shown(kind));
    let what = format!(
        "column {name} is of type {kind}; features are numbers, booleans, strings, lists of numbers \
         and structs of these"
    );
    Complaint::new(what, "drop it or cast it")
}

/// A type as it is shown: cut if it is long.
fn shown(kind: &DataType) -> String {
    let mut text = kind.to_string();
    if let Some((end, _)) = text.char_indices().nth(60) {
        text.truncate(end);
        text.push_str("...");
    }
    text
}

/// A struct that is a sparse row.
fn sparse(fields: &Fields) -> Option<Kind> {
    let place = |name: &str| fields.iter().position(|field| field.name() == name);
    let (indices, values) = (place("indices")?, place("values")?);
    let spark = fields.len() == 4 && place("type").is_some() && place("size").is_some();
    let whole = item(fields[indices].data_type()).is_some_and(DataType::is_integer);
    let numbers = item(fields[values].data_type()).is_some_and(is_number);
    ((fields.len() == 2 || spark) && whole && numbers).then_some(Kind::Sparse {
        indices,
        values,
        dense: spark,
    })
}

/// What a list is of; a list of fixed size must have room for something.
fn item(kind: &DataType) -> Option<&DataType> {
    match kind {
        DataType::List(item) | DataType::LargeList(item) => Some(item.data_type()),
        DataType::FixedSizeList(item, size) if *size > 0 => Some(item.data_type()),
        _ => None,
    }
}

fn is_text(kind: &DataType) -> bool {
    match kind {
        DataType::Dictionary(_, value) => value.is_string(),
        kind => kind.is_string(),
    }
}

fn is_whole(kind: &DataType) -> bool {
    kind.is_integer() || *kind == DataType::Boolean
}

fn is_number(kind: &DataType) -> bool {
    is_whole(kind) || kind.is_floating() || kind.is_decimal() || kind.is_null()
}
