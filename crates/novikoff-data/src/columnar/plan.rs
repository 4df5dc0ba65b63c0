//! What each column is: decided once, by the schema and, of strings, by a look at the first rows.

use std::borrow::Cow;
use std::sync::Arc;

use arrow_schema::{DataType, Field, Fields};
use novikoff::remark::Remark;
use novikoff::remedy::{Complaint, Remedy, Setting};
use novikoff::table::{ColumnKind, DateForm, Table};

use super::fault::content;
use crate::blocks::columns::{Imputed, impute};
use crate::error::{DataError, Token};
use crate::kinds::{ColumnLook, Policy, list};
use crate::options::ReadOptions;
use crate::usual;

/// What values become features of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    /// One number, whose feature is the name of the column.
    Number,
    /// One category, whose feature is `column=value`.
    Category,
    /// Text, whose features are `column^word`: its place among the columns of text.
    Text(usize),
    /// A date, or a date and a time.
    Date(DateForm),
    /// Nothing is learned from it.
    Ignored,
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
    /// Its kind is to be decided by a look at its values.
    pub(super) open: bool,
    /// It holds numbers, which may look like row numbers or ids.
    pub(super) is_watched: bool,
    /// The feature that is a number, if it has one, and what stands there for a missing value.
    pub(super) number: Option<String>,
    pub(super) fill: f32,
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
    /// The column whose text is kept with every row.
    pub(super) id: Option<usize>,
    pub(super) leaves: Vec<Leaf>,
    pub(super) table: Table,
    /// The columns of text.
    pub(super) texts: Arc<[String]>,
    /// What columns that are not there add to every row.
    pub(super) imputed: Imputed,
    /// What a person should know.
    pub(super) remarks: Vec<Remark>,
}

impl Plan {
    /// What the types of the columns say; [`settle`](Self::settle) decides the rest. `frozen` names are those of a model, and there will be
    /// no others.
    pub(super) fn new(
        file: &str,
        fields: &Fields,
        options: &ReadOptions,
        frozen: bool,
    ) -> Result<Self, DataError> {
        let failed = |what: Complaint| content(file, what);
        if fields.is_empty() {
            return Err(failed(Complaint::plain("it has no columns")));
        }
        let label = find_label(fields, options).map_err(failed)?;
        let mut plan = Plan {
            label,
            id: find_id(fields, options).map_err(failed)?,
            leaves: Vec::new(),
            table: Table::default(),
            texts: Arc::default(),
            imputed: Vec::new(),
            remarks: Vec::new(),
        };
        if let Some(label) = label {
            check_label(&fields[label]).map_err(failed)?;
            plan.table.label = Some(fields[label].name().clone());
        }
        let policy = Policy::new(options, frozen).nested();
        for (column, field) in fields.iter().enumerate() {
            if Some(column) != label {
                let name = field.name().clone();
                plan.add(vec![column], name, field.data_type(), &policy)
                    .map_err(failed)?;
            }
        }
        plan.check_names(&policy).map_err(failed)?;
        plan.settle(file, options, Vec::new())?;
        if frozen {
            for leaf in &mut plan.leaves {
                (leaf.open, leaf.is_watched) = (false, false);
            }
        }
        Ok(plan)
    }

    /// Decides about the columns that are open, by what was seen of each; if nothing was seen of them they are categories so far. Of others
    /// that were looked at, remarks say what they look like.
    pub(super) fn settle(
        &mut self,
        file: &str,
        options: &ReadOptions,
        looks: Vec<(usize, ColumnLook)>,
    ) -> Result<(), DataError> {
        let mut policy = Policy::new(options, false).nested();
        for (leaf, look) in looks {
            let leaf = &mut self.leaves[leaf];
            let decided = policy.decide(&leaf.name, &look);
            let decided = decided.map_err(|what| content(file, what))?;
            if !leaf.open {
                continue;
            }
            leaf.kind = match decided {
                ColumnKind::Date(form) => Kind::Date(form),
                ColumnKind::Ignored => Kind::Ignored,
                _ => Kind::Category,
            };
            leaf.open = false;
        }
        let mut columns = Vec::new();
        for leaf in &mut self.leaves {
            let kind = match leaf.kind {
                Kind::Sparse { .. } => continue,
                Kind::Number | Kind::List => ColumnKind::Number,
                Kind::Category => ColumnKind::Category,
                Kind::Text(_) => ColumnKind::Text,
                Kind::Date(form) => ColumnKind::Date(form),
                Kind::Ignored => ColumnKind::Ignored,
            };
            let column = policy.column(leaf.name.clone(), kind);
            let number = column.number().filter(|_| leaf.kind != Kind::List);
            leaf.number = number.map(Cow::into_owned);
            leaf.fill = column.mean.unwrap_or(0.0);
            columns.push(column);
        }
        (self.table.missing, self.table.text) = (options.missing(), options.text_form());
        self.table.columns = columns;
        self.texts = self.table.texts();
        self.remarks = policy.remarks;
        let by_number = self.leaves.iter().any(Leaf::is_sparse);
        self.imputed = impute(file, options, &self.table, by_number, &mut self.remarks)?;
        Ok(())
    }

    /// The names of the features that are to get their slots before the first row.
    pub(super) fn first_names(&self) -> impl Iterator<Item = &str> {
        let numbers = self.leaves.iter().filter_map(|leaf| leaf.number.as_deref());
        numbers.chain(self.imputed.iter().map(|(name, _)| name.as_str()))
    }

    /// Whether something is read from a column: all of it is decoded then.
    pub(super) fn reads(&self, column: usize) -> bool {
        let read = |leaf: &Leaf| leaf.kind != Kind::Ignored && leaf.path.first() == Some(&column);
        [self.label, self.id].contains(&Some(column)) || self.leaves.iter().any(read)
    }

    /// Adds a column, or the fields of one.
    fn add(
        &mut self,
        path: Vec<usize>,
        name: String,
        kind: &DataType,
        policy: &Policy<'_>,
    ) -> Result<(), Complaint> {
        let certain = policy.certain(&name);
        let (mut open, mut is_watched) = (false, false);
        let kind = match kind {
            DataType::Struct(fields) if sparse(fields).is_none() && !fields.is_empty() => {
                for (k, field) in fields.iter().enumerate() {
                    let path = path.iter().copied().chain([k]).collect();
                    let name = format!("{name}.{}", field.name());
                    self.add(path, name, field.data_type(), policy)?;
                }
                return Ok(());
            }
            _ if certain == Some(ColumnKind::Ignored) => Kind::Ignored,
            DataType::Struct(fields) => sparse(fields).ok_or_else(|| unfit(&name, kind))?,
            kind if item(kind).is_some_and(is_number) => Kind::List,
            kind if is_text(kind) => {
                open = certain.is_none();
                let before = self.leaves.iter();
                let texts = before.filter(|leaf| matches!(leaf.kind, Kind::Text(_)));
                text(&name, kind, certain, texts.count())?
            }
            kind if is_number(kind) => {
                is_watched = certain.is_none() && (kind.is_integer() || kind.is_floating());
                number(&name, kind, certain)?
            }
            kind if is_date(kind) => {
                let hours = matches!(kind, DataType::Timestamp(_, _));
                date(
                    &name,
                    kind,
                    certain.map_or_else(|| policy.date(&name, hours), Ok)?,
                )?
            }
            kind => return Err(unfit(&name, kind)),
        };
        self.leaves.push(Leaf {
            path,
            name,
            kind,
            open,
            is_watched,
            number: None,
            fill: 0.0,
        });
        Ok(())
    }

    fn check_names(&self, policy: &Policy<'_>) -> Result<(), Complaint> {
        let mut names: Vec<&str> = self.leaves.iter().map(|leaf| leaf.name.as_str()).collect();
        policy.check_names(&names, self.table.label.as_deref())?;
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

/// The columns' names, as a message lists them.
fn listed(fields: &Fields) -> String {
    let names: Vec<&str> = fields.iter().map(|field| field.name().as_str()).collect();
    list(&names)
}

fn find_label(fields: &Fields, options: &ReadOptions) -> Result<Option<usize>, Complaint> {
    let named = |name: &str| fields.iter().position(|field| field.name() == name);
    let trained_on = options.table.as_ref();
    if let Some(label) = &options.label {
        return match column(fields, label) {
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
        _ => Err(usual::which_label(&listed(fields), trained_on)),
    }
}

fn find_id(fields: &Fields, options: &ReadOptions) -> Result<Option<usize>, Complaint> {
    let Some(name) = &options.id else {
        return Ok(None);
    };
    let wanted = Token::new(name.as_bytes());
    let Some(column) = column(fields, name) else {
        let listed = listed(fields);
        let what = format!("there is no column {wanted} to be the id; the columns are {listed}");
        return Err(Complaint::plain(what));
    };
    let kind = fields[column].data_type();
    if is_text(kind) || (is_number(kind) && !kind.is_decimal()) {
        return Ok(Some(column));
    }
    let what = format!(
        "the id column {wanted} is of type {}; ids are integers, floats, booleans or strings",
        shown(kind)
    );
    Err(Complaint::new(what, "cast it"))
}

/// A column by its name, or by its number counted from 1.
fn column(fields: &Fields, name: &str) -> Option<usize> {
    let number = name.parse().ok().and_then(|n: usize| n.checked_sub(1));
    let named = fields.iter().position(|field| field.name() == name);
    named.or(number.filter(|&column| column < fields.len()))
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

/// What a column of strings is, if that is certain; categories otherwise. `texts` columns of text come before it.
fn text(
    name: &str,
    kind: &DataType,
    certain: Option<ColumnKind>,
    texts: usize,
) -> Result<Kind, Complaint> {
    match certain {
        None | Some(ColumnKind::Category) => Ok(Kind::Category),
        Some(ColumnKind::Text) => Ok(Kind::Text(texts)),
        Some(ColumnKind::Date(form)) => Ok(Kind::Date(form)),
        Some(ColumnKind::Ignored) => Ok(Kind::Ignored),
        Some(ColumnKind::Number) => Err(changed(name, kind, "numbers")),
    }
}

/// What a column of numbers is.
fn number(name: &str, kind: &DataType, certain: Option<ColumnKind>) -> Result<Kind, Complaint> {
    match certain {
        None | Some(ColumnKind::Number) => Ok(Kind::Number),
        Some(ColumnKind::Ignored) => Ok(Kind::Ignored),
        Some(ColumnKind::Category) if is_whole(kind) || kind.is_null() => Ok(Kind::Category),
        Some(ColumnKind::Date(form)) if kind.is_null() => Ok(Kind::Date(form)),
        Some(ColumnKind::Date(_)) => Err(changed(name, kind, "dates")),
        Some(ColumnKind::Category) => Err(other(
            name,
            kind,
            "categories are integers, booleans or strings",
        )),
        Some(ColumnKind::Text) => Err(other(name, kind, "text is strings")),
    }
}

/// What a column of dates is.
fn date(name: &str, kind: &DataType, certain: ColumnKind) -> Result<Kind, Complaint> {
    match certain {
        ColumnKind::Date(form) => Ok(Kind::Date(form)),
        ColumnKind::Ignored => Ok(Kind::Ignored),
        ColumnKind::Number => Err(changed(name, kind, "numbers")),
        ColumnKind::Category => Err(other(
            name,
            kind,
            "categories are integers, booleans or strings",
        )),
        ColumnKind::Text => Err(other(name, kind, "text is strings")),
    }
}

fn changed(name: &str, kind: &DataType, before: &str) -> Complaint {
    let (column, kind) = (Token::new(name.as_bytes()), shown(kind));
    let what =
        format!("column {column} is of type {kind}, but was {before} when the model was trained");
    Complaint::new(what, "cast it")
}

fn other(name: &str, kind: &DataType, allowed: &str) -> Complaint {
    let (column, kind) = (Token::new(name.as_bytes()), shown(kind));
    Complaint::new(
        format!("column {column} is of type {kind}; {allowed}"),
        "cast it",
    )
}

fn unfit(name: &str, kind: &DataType) -> Complaint {
    let (name, kind) = (Token::new(name.as_bytes()), shown(kind));
    let what = format!(
        "column {name} is of type {kind}; features are numbers, booleans, strings, dates, lists of \
         numbers and structs of these"
    );
    let drop = Remedy::give(Setting::Drop, name.to_string());
    Complaint::new(what, drop.or("cast it"))
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

fn is_date(kind: &DataType) -> bool {
    matches!(
        kind,
        DataType::Date32 | DataType::Date64 | DataType::Timestamp(_, _)
    )
}

fn is_whole(kind: &DataType) -> bool {
    kind.is_integer() || *kind == DataType::Boolean
}

fn is_number(kind: &DataType) -> bool {
    is_whole(kind) || kind.is_floating() || kind.is_decimal() || kind.is_null()
}
