//! What the rows of a model are: names of features, columns of tables, how numbers are counted, how rows are prepared.

use std::borrow::Cow;
use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use crate::names::Names;
use crate::preparation::Preparation;
use crate::sizes::Sizes;
use crate::table::{Column, Table, TextForm};
use crate::text_statistics::TextStatistics;

/// What the rows of a model are. Two readers with the same schema give a record the same row.
///
/// A model owns its schema in an [`Arc`] and shares it with its snapshots and with readers that continue from it. A writer to a schema
/// that others hold gets a copy of its own ([`Arc::make_mut`]); the copy shares the dictionary of names until a new name comes.
///
/// Everything that turns a record into a row belongs here, and nothing that a learner changes by a trial.
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct Schema {
    /// The names of the features, where they are not their numbers; hashed slots.
    pub names: Names,
    /// The columns, if the rows come from a table.
    pub table: Option<Table>,
    /// How many rows have each word, where words are weighted by it.
    pub text: Arc<TextStatistics>,
    /// The data counts its features from 0. Slots are counted from 1 all the same.
    pub zero_based: bool,
    /// What is done to a row before a learner sees it. Readers put its constant feature into slot 0.
    pub preparation: Preparation,
    /// How large the numbers of a table are, in the first rows that were learned from.
    pub sizes: Arc<Sizes>,
    /// The highest feature number met.
    pub width: u32,
}

impl Schema {
    /// Rows that are prepared this way. Nothing else is known of them.
    pub fn prepared(preparation: Preparation) -> Self {
        Schema {
            preparation,
            ..Self::default()
        }
    }

    /// For readers that predict: a feature without a slot is left out. The dictionary is shared.
    #[must_use]
    pub fn frozen(&self) -> Self {
        let mut frozen = self.clone();
        frozen.names.freeze();
        frozen
    }

    /// Whether rows have words, whose values change while a text is read.
    pub fn has_words(&self) -> bool {
        self.table.as_ref().is_some_and(Table::has_words)
    }

    /// How text becomes features.
    pub fn text_form(&self) -> TextForm {
        self.table
            .as_ref()
            .map_or_else(TextForm::default, |table| table.text)
    }

    /// The slots of the features that are numbers, increasing, where the rows come from a table: those of columns of numbers, of years and
    /// of seconds, and not those of categories and words. None if the rows come from no table.
    pub fn numbers(&self) -> Option<Vec<u32>> {
        let table = self.table.as_ref().filter(|t| !t.columns.is_empty())?;
        let numbers = || table.columns.iter().filter_map(Column::number);
        let mut slots: Vec<u32> = if self.names.bits().is_some() {
            let slots = numbers().filter_map(|name| self.names.slot(name.as_bytes()));
            slots.collect()
        } else {
            let names: HashSet<Cow<'_, str>> = numbers().collect();
            // places of lists are called `column[0]`
            let is_item = |name: &str| {
                name.rsplit_once('[')
                    .is_some_and(|(c, _)| names.contains(c))
            };
            let is_number = |slot: &u32| match self.names.name(*slot) {
                Some(name) => names.contains(name) || is_item(name),
                None => true,
            };
            (1..=self.names.highest()).filter(is_number).collect()
        };
        slots.sort_unstable();
        slots.dedup();
        Some(slots)
    }

    /// The means that the numbers of a table are centred with, by the names of their features. None if they are not centred.
    pub fn centres(&self) -> Option<HashMap<String, f32>> {
        let moments = self.preparation.standardize.as_deref()?;
        let columns = &self.table.as_ref()?.columns;
        let numbers = columns.iter().filter_map(Column::number);
        let centre = |name: Cow<'_, str>| {
            let (mean, _) = moments.of_slot(self.names.slot(name.as_bytes())?)?;
            Some((name.into_owned(), mean as f32))
        };
        Some(numbers.filter_map(centre).collect())
    }

    /// The schema of rows that a reader has met since it began with `self`: its names, its columns, its words and its width. How rows are
    /// prepared and counted stays.
    pub(crate) fn adopt(self: &mut Arc<Self>, read: Arc<Schema>) {
        let (mut next, own) = (read, &**self);
        let keeps = next.zero_based == own.zero_based
            && next.width >= own.width
            && next.preparation == own.preparation
            && (next.table.is_some() || own.table.is_none());
        if !keeps {
            let next = Arc::make_mut(&mut next);
            next.zero_based = own.zero_based;
            next.width = next.width.max(own.width);
            next.preparation = own.preparation.clone();
            if next.table.is_none() {
                next.table.clone_from(&own.table);
            }
        }
        *self = next;
    }

    /// Rows have features up to this number.
    pub(crate) fn reach(self: &mut Arc<Self>, width: u32) {
        if width > self.width {
            Arc::make_mut(self).width = width;
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::Schema;
    use crate::names::NameLimits;
    use crate::preparation::Preparation;
    use crate::table::Table;

    const LIMITS: NameLimits = NameLimits {
        slots: 100,
        bytes: 1 << 20,
    };

    #[test]
    fn a_schema_that_nobody_else_holds_is_not_copied() {
        let mut schema = Arc::new(Schema::default());
        let before = Arc::as_ptr(&schema);
        schema.reach(7);
        Arc::make_mut(&mut schema)
            .names
            .assign("red", LIMITS)
            .expect("within the limits");
        assert_eq!((Arc::as_ptr(&schema), schema.width), (before, 7));
    }

    #[test]
    fn a_schema_that_others_hold_is_copied_when_it_is_written() {
        let mut schema = Arc::new(Schema::default());
        let other = Arc::clone(&schema);
        schema.reach(0);
        assert!(Arc::ptr_eq(&schema, &other), "nothing was written");
        schema.reach(3);
        assert_eq!((schema.width, other.width), (3, 0));
    }

    #[test]
    fn what_was_read_is_adopted_and_the_preparation_kept() {
        let preparation = Preparation {
            normalize: Some(2.0),
            ..Preparation::default()
        };
        let mut own = Arc::new(Schema {
            table: Some(Table::default()),
            zero_based: true,
            width: 9,
            ..Schema::prepared(preparation.clone())
        });
        let mut read = Schema::default();
        read.names.assign("red", LIMITS).expect("within the limits");
        own.adopt(Arc::new(read));
        assert_eq!(own.names.slot(b"red"), Some(1));
        assert_eq!((&own.preparation, own.width), (&preparation, 9));
        assert!(own.zero_based && own.table.is_some());
    }

    #[test]
    fn a_schema_that_changes_nothing_is_shared() {
        let mut own = Arc::new(Schema::default());
        let read = Arc::new(Schema {
            width: 4,
            ..Schema::default()
        });
        own.adopt(Arc::clone(&read));
        assert!(Arc::ptr_eq(&own, &read));
    }

    #[test]
    fn a_frozen_schema_knows_no_new_names() {
        let mut schema = Schema::default();
        schema
            .names
            .assign("red", LIMITS)
            .expect("within the limits");
        let frozen = schema.frozen();
        assert!(frozen.names.is_frozen() && !schema.names.is_frozen());
        assert_eq!(frozen.names.slot(b"red"), Some(1));
    }
}
