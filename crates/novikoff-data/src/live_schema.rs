//! The schema of a stream that is being read: many threads look names up, one gives new names their slots.

use std::ops::{Deref, DerefMut};
use std::sync::{Arc, PoisonError, RwLock, RwLockReadGuard, RwLockWriteGuard};

use novikoff::names::Names;
use novikoff::schema::Schema;
use novikoff::table::Table;

/// A schema under a lock. It is copied when it is written while somebody else holds it.
#[derive(Debug, Default)]
pub(crate) struct LiveSchema(RwLock<Arc<Schema>>);

impl LiveSchema {
    pub(crate) fn new(schema: Arc<Schema>) -> Self {
        LiveSchema(RwLock::new(schema))
    }

    /// The names, to look some up.
    pub(crate) fn read(&self) -> NamesGuard<'_> {
        NamesGuard(self.0.read().unwrap_or_else(PoisonError::into_inner))
    }

    /// The names, to give some their slots.
    pub(crate) fn write(&self) -> NamesWriter<'_> {
        NamesWriter(self.0.write().unwrap_or_else(PoisonError::into_inner))
    }

    /// The schema so far, shared.
    pub(crate) fn share(&self) -> Arc<Schema> {
        Arc::clone(&self.0.read().unwrap_or_else(PoisonError::into_inner))
    }

    /// The columns met so far.
    pub(crate) fn set_table(&self, table: &Table) {
        let mut schema = self.0.write().unwrap_or_else(PoisonError::into_inner);
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
