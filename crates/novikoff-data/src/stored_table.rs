//! Tables in the headers of model files and caches.
//!
//! The first version kept the label and, per column, whether it holds categories. What else a table is stands in a record behind the
//! header, and only where there is something else to say.

use std::borrow::Cow;

use novikoff::table::{Column, ColumnKind, DateForm, Missing, Table, TextForm};
use serde::{Deserialize, Serialize};

use crate::header_records::Records;

/// The name of the record.
const RECORD: &str = "table";

/// A table as the first version kept it.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct StoredTable<'a> {
    label: Option<Cow<'a, str>>,
    /// Their names, and whether their values are categories.
    columns: Vec<(Cow<'a, str>, bool)>,
}

/// What else a table is.
#[derive(Debug, Serialize, Deserialize)]
struct Rest {
    /// One per column.
    columns: Vec<(StoredKind, Option<f32>)>,
    missing: StoredMissing,
    ngrams: (u8, u8),
    tfidf: bool,
}

#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
enum StoredKind {
    Number,
    Category,
    Text,
    DateParts { hours: bool },
    DateSeconds,
    Ignored,
}

#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
enum StoredMissing {
    Refuse,
    Zero,
    Mean,
    Indicator,
}

impl From<ColumnKind> for StoredKind {
    fn from(kind: ColumnKind) -> Self {
        match kind {
            ColumnKind::Number => StoredKind::Number,
            ColumnKind::Category => StoredKind::Category,
            ColumnKind::Text => StoredKind::Text,
            ColumnKind::Date(DateForm::Parts { hours }) => StoredKind::DateParts { hours },
            ColumnKind::Date(DateForm::Seconds) => StoredKind::DateSeconds,
            ColumnKind::Ignored => StoredKind::Ignored,
        }
    }
}

impl From<StoredKind> for ColumnKind {
    fn from(kind: StoredKind) -> Self {
        match kind {
            StoredKind::Number => ColumnKind::Number,
            StoredKind::Category => ColumnKind::Category,
            StoredKind::Text => ColumnKind::Text,
            StoredKind::DateParts { hours } => ColumnKind::Date(DateForm::Parts { hours }),
            StoredKind::DateSeconds => ColumnKind::Date(DateForm::Seconds),
            StoredKind::Ignored => ColumnKind::Ignored,
        }
    }
}

impl From<Missing> for StoredMissing {
    fn from(missing: Missing) -> Self {
        match missing {
            Missing::Refuse => StoredMissing::Refuse,
            Missing::Zero => StoredMissing::Zero,
            Missing::Mean => StoredMissing::Mean,
            Missing::Indicator => StoredMissing::Indicator,
        }
    }
}

impl From<StoredMissing> for Missing {
    fn from(missing: StoredMissing) -> Self {
        match missing {
            StoredMissing::Refuse => Missing::Refuse,
            StoredMissing::Zero => Missing::Zero,
            StoredMissing::Mean => Missing::Mean,
            StoredMissing::Indicator => Missing::Indicator,
        }
    }
}

impl<'a> StoredTable<'a> {
    /// The part that stands in the header.
    pub(crate) fn of(table: &'a Table) -> Self {
        let column = |column: &'a Column| {
            let categorical = column.kind == ColumnKind::Category;
            (Cow::Borrowed(&*column.name), categorical)
        };
        StoredTable {
            label: table.label.as_deref().map(Cow::Borrowed),
            columns: table.columns.iter().map(column).collect(),
        }
    }

    /// The table, with what the records say of it.
    pub(crate) fn restore(&self, records: &mut Records) -> Result<Table, String> {
        let mut table = self.plain();
        let Some(rest) = records.take::<Rest>(RECORD)? else {
            return Ok(table);
        };
        if rest.columns.len() != table.columns.len() {
            return Err("a table whose columns do not fit together".to_owned());
        }
        if rest
            .columns
            .iter()
            .any(|(_, mean)| mean.is_some_and(|m| !m.is_finite()))
        {
            return Err("a column whose mean is not a finite number".to_owned());
        }
        let (least, most) = rest.ngrams;
        if least == 0 || most < least {
            return Err(format!("n-grams of {least} to {most} words"));
        }
        for (column, (kind, mean)) in table.columns.iter_mut().zip(rest.columns) {
            (column.kind, column.mean) = (kind.into(), mean);
        }
        table.missing = rest.missing.into();
        table.text = TextForm {
            ngrams: rest.ngrams,
            tfidf: rest.tfidf,
        };
        Ok(table)
    }

    /// The table of the first version.
    fn plain(&self) -> Table {
        let columns = self.columns.iter().map(|(name, categorical)| {
            let kind = if *categorical {
                ColumnKind::Category
            } else {
                ColumnKind::Number
            };
            Column::new(&**name, kind)
        });
        Table {
            label: self.label.as_ref().map(Cow::to_string),
            columns: columns.collect(),
            ..Table::default()
        }
    }

    /// Puts the part that does not stand in the header into the records, if there is any.
    pub(crate) fn put_rest(table: &Table, records: &mut Records) -> Result<(), postcard::Error> {
        if StoredTable::of(table).plain() == *table {
            return Ok(());
        }
        let column = |column: &Column| (column.kind.into(), column.mean);
        let rest = Rest {
            columns: table.columns.iter().map(column).collect(),
            missing: table.missing.into(),
            ngrams: table.text.ngrams,
            tfidf: table.text.tfidf,
        };
        records.put(RECORD, &rest)
    }
}

#[cfg(test)]
mod tests {
    use novikoff::table::{Column, ColumnKind, DateForm, Missing, Table, TextForm};

    use super::StoredTable;
    use crate::header_records::{Records, decode, encode};

    fn round_trip(table: &Table) -> (usize, Table) {
        let mut records = Records::default();
        StoredTable::put_rest(table, &mut records).expect("small");
        let bytes = encode(&StoredTable::of(table), &records).expect("small");
        let (stored, mut records): (StoredTable<'_>, Records) = decode(&bytes).expect("whole");
        let restored = stored.restore(&mut records).expect("it fits");
        assert_eq!(records.all_taken(), Ok(()));
        (bytes.len(), restored)
    }

    #[test]
    fn a_table_comes_back() {
        let plain = Table {
            label: Some("y".to_owned()),
            columns: vec![
                Column::new("a", ColumnKind::Number),
                Column::new("b", ColumnKind::Category),
            ],
            ..Table::default()
        };
        let (bytes, restored) = round_trip(&plain);
        assert_eq!(restored, plain);
        let old = postcard::to_stdvec(&StoredTable::of(&plain)).expect("small");
        assert_eq!(bytes, old.len(), "as the first version wrote it");
        let mut rich = plain;
        for kind in [
            ColumnKind::Text,
            ColumnKind::Ignored,
            ColumnKind::Date(DateForm::Seconds),
            ColumnKind::Date(DateForm::Parts { hours: true }),
            ColumnKind::Date(DateForm::Parts { hours: false }),
        ] {
            rich.columns.push(Column::new(format!("{kind:?}"), kind));
        }
        rich.columns[0].mean = Some(1.5);
        rich.text = TextForm {
            ngrams: (1, 2),
            tfidf: false,
        };
        for missing in [
            Missing::Refuse,
            Missing::Zero,
            Missing::Mean,
            Missing::Indicator,
        ] {
            rich.missing = missing;
            assert_eq!(round_trip(&rich).1, rich);
        }
    }
}
