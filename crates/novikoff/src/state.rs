//! A learner's state as named arrays of numbers: what a model file stores and what resuming reads.

use std::borrow::Cow;
use std::collections::BTreeMap;

/// One array of a learner's state.
#[derive(Clone, Debug, PartialEq)]
pub enum Array<'a> {
    /// Weights, matrices, scalars.
    F64(Cow<'a, [f64]>),
    /// Counts.
    U64(Cow<'a, [u64]>),
    /// Values of stored rows.
    F32(Cow<'a, [f32]>),
    /// Slots of stored rows.
    U32(Cow<'a, [u32]>),
}

/// The arrays of a state under their names, in one fixed order.
#[derive(Debug, Default)]
pub struct State<'a> {
    /// Of the part that arrays are put into, or taken out of.
    base: String,
    prefix: String,
    arrays: BTreeMap<String, Array<'a>>,
}

/// What can be wrong with a stored state whose bytes are intact.
#[derive(Debug, thiserror::Error, PartialEq, Eq)]
#[non_exhaustive]
pub enum StateError {
    /// An array is not there, or of another type.
    #[error(
        "the model has no array `{name}` of the type this learner keeps; it was written by another version"
    )]
    Missing {
        /// Its name.
        name: String,
    },
    /// An array has a length or content that cannot be.
    #[error("array `{name}` of the model is inconsistent: {what}")]
    Inconsistent {
        /// Its name.
        name: String,
        /// What does not fit.
        what: String,
    },
}

macro_rules! access {
    ($put:ident, $take:ident, $variant:ident, $type:ty, $sound:expr) => {
        /// Adds an array.
        pub fn $put(&mut self, name: &str, data: impl Into<Cow<'a, [$type]>>) {
            let name = format!("{}{name}", self.prefix);
            self.arrays.insert(name, Array::$variant(data.into()));
        }

        /// Takes an array out.
        pub fn $take(&mut self, name: &str) -> Result<Vec<$type>, StateError> {
            let name = format!("{}{name}", self.prefix);
            match self.arrays.remove(&name) {
                Some(Array::$variant(data)) if data.iter().all($sound) => Ok(data.into_owned()),
                Some(Array::$variant(_)) => Err(StateError::Inconsistent {
                    name,
                    what: "not all are finite numbers".to_owned(),
                }),
                _ => Err(StateError::Missing { name }),
            }
        }
    };
}

impl<'a> State<'a> {
    /// No arrays yet.
    pub fn new() -> Self {
        Self::default()
    }

    access!(put_f64, take_f64, F64, f64, |v| v.is_finite());
    access!(put_u64, take_u64, U64, u64, |_| true);
    access!(put_f32, take_f32, F32, f32, |v| v.is_finite());
    access!(put_u32, take_u32, U32, u32, |_| true);

    /// What follows is named `prefix/...`; the empty string ends that.
    pub fn under(&mut self, prefix: &str) {
        self.prefix.clone_from(&self.base);
        if !prefix.is_empty() {
            self.prefix.push_str(prefix);
            self.prefix.push('/');
        }
    }

    /// Works on a part of the state: what it puts and takes, prefixes included, is named `name/...`.
    pub fn within<T>(&mut self, name: &str, work: impl FnOnce(&mut Self) -> T) -> T {
        let outside = self.base.len();
        self.base.push_str(name);
        self.base.push('/');
        self.under("");
        let done = work(self);
        self.base.truncate(outside);
        self.under("");
        done
    }

    /// Takes an array of exactly `len` numbers out.
    pub fn take_vector(&mut self, name: &str, len: usize) -> Result<Vec<f64>, StateError> {
        let data = self.take_f64(name)?;
        if data.len() == len {
            Ok(data)
        } else {
            Err(self.bad(name, format!("{} numbers, not {len}", data.len())))
        }
    }

    /// Takes an array of exactly `N` numbers out.
    pub fn take_scalars<const N: usize>(&mut self, name: &str) -> Result<[f64; N], StateError> {
        let data = self.take_f64(name)?;
        data.try_into()
            .map_err(|data: Vec<f64>| self.bad(name, format!("{} numbers, not {N}", data.len())))
    }

    /// Takes an array of exactly `N` counts out.
    pub fn take_counts<const N: usize>(&mut self, name: &str) -> Result<[u64; N], StateError> {
        let data = self.take_u64(name)?;
        data.try_into()
            .map_err(|data: Vec<u64>| self.bad(name, format!("{} counts, not {N}", data.len())))
    }

    /// How many numbers an array has; 0 if it is not there.
    pub fn count(&self, name: &str) -> usize {
        match self.arrays.get(&format!("{}{name}", self.prefix)) {
            Some(Array::F64(data)) => data.len(),
            Some(Array::U64(data)) => data.len(),
            Some(Array::F32(data)) => data.len(),
            Some(Array::U32(data)) => data.len(),
            None => 0,
        }
    }

    /// Whether there is an array of this name.
    pub fn has(&self, name: &str) -> bool {
        self.arrays.contains_key(&format!("{}{name}", self.prefix))
    }

    /// An error about array `name`.
    pub fn bad(&self, name: &str, what: impl Into<String>) -> StateError {
        StateError::Inconsistent {
            name: format!("{}{name}", self.prefix),
            what: what.into(),
        }
    }

    /// The arrays and their full names.
    pub fn arrays(&self) -> impl Iterator<Item = (&str, &Array<'a>)> {
        self.arrays
            .iter()
            .map(|(name, array)| (name.as_str(), array))
    }

    /// Adds an array under its full name (for loaders).
    pub fn insert(&mut self, name: String, array: Array<'a>) {
        self.arrays.insert(name, array);
    }

    /// A state that owns its arrays.
    pub fn into_owned(self) -> State<'static> {
        let arrays = self.arrays.into_iter().map(|(name, array)| {
            let array = match array {
                Array::F64(data) => Array::F64(Cow::Owned(data.into_owned())),
                Array::U64(data) => Array::U64(Cow::Owned(data.into_owned())),
                Array::F32(data) => Array::F32(Cow::Owned(data.into_owned())),
                Array::U32(data) => Array::U32(Cow::Owned(data.into_owned())),
            };
            (name, array)
        });
        State {
            base: self.base,
            prefix: self.prefix,
            arrays: arrays.collect(),
        }
    }

    /// The name of an array nobody has taken, if one is left.
    pub fn left(&self) -> Option<&str> {
        self.arrays.keys().next().map(String::as_str)
    }
}
