//! The schema of a stream that is being read: many threads look names up, one gives new names their slots.

use std::ops::{Deref, DerefMut};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, RwLock, RwLockReadGuard, RwLockWriteGuard};

use novikoff::names::Names;
use novikoff::schema::Schema;
use novikoff::table::Table;
use novikoff::text_statistics::TextStatistics;

/// A schema under locks. It is copied when it is written while somebody else holds it.
#[derive(Debug, Default)]
pub(crate) struct LiveSchema {
    /// Everything but the statistics of words, which here are those it began with.
    schema: RwLock<Arc<Schema>>,
    /// The statistics of words. Every block changes them, and those who look names up need not wait for that.
    text: Mutex<Arc<TextStatistics>>,
}

impl LiveSchema {
    pub(crate) fn new(schema: Arc<Schema>) -> Self {
        LiveSchema {
            text: Mutex::new(Arc::clone(&schema.text)),
            schema: RwLock::new(schema),
        }
    }

    /// The names, to look some up.
    pub(crate) fn read(&self) -> NamesGuard<'_> {
        NamesGuard(self.schema.read().unwrap_or_else(PoisonError::into_inner))
    }

    /// The names, to give some their slots.
    pub(crate) fn write(&self) -> NamesWriter<'_> {
        NamesWriter(self.schema.write().unwrap_or_else(PoisonError::into_inner))
    }

    /// The schema so far, shared.
    pub(crate) fn share(&self) -> Arc<Schema> {
        let schema = self.schema.read().unwrap_or_else(PoisonError::into_inner);
        let text = self.text();
        if Arc::ptr_eq(&schema.text, &text) {
            return Arc::clone(&schema);
        }
        let mut shared = Schema::clone(&schema);
        shared.text = Arc::clone(&text);
        Arc::new(shared)
    }

    /// The statistics of words so far.
    pub(crate) fn text(&self) -> MutexGuard<'_, Arc<TextStatistics>> {
        self.text.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The columns met so far.
    pub(crate) fn set_table(&self, table: &Table) {
        let mut schema = self.schema.write().unwrap_or_else(PoisonError::into_inner);
        if schema.table.as_ref() != Some(table) {
            Arc::make_mut(&mut schema).table = Some(table.clone());
        }
    }
}

/// The names of a stream, lent. New names wait until it is dropped.
pub struct NamesGuard<'a>(RwLockReadGuard<'a, Arc<Schema>>);

impl Deref for NamesGuard<'_> {
    type Target = Names;

    fn deref(&self) -> &Names {
        &self.0.names
    }
}

/// The names of a stream, to be written.
pub(crate) struct NamesWriter<'a>(RwLockWriteGuard<'a, Arc<Schema>>);

impl Deref for NamesWriter<'_> {
    type Target = Names;

    fn deref(&self) -> &Names {
        &self.0.names
    }
}

impl DerefMut for NamesWriter<'_> {
    fn deref_mut(&mut self) -> &mut Names {
        &mut Arc::make_mut(&mut self.0).names
    }
}
