//! Names of features in the header of a model file.

use novikoff::names::{MAX_BITS, Names};
use serde::ser::SerializeStruct as _;
use serde::{Deserialize, Serialize, Serializer};

/// Names as they are read.
#[derive(Default, Deserialize)]
pub(super) struct StoredNames {
    slots: Vec<u32>,
    names: Vec<String>,
    highest: u32,
    bits: Option<u32>,
}

/// Names as they are written: what [`StoredNames`] reads, straight from the dictionary.
pub(super) struct LiveNames<'a>(pub(super) &'a Names);

struct Slots<'a>(&'a Names);

struct Texts<'a>(&'a Names);

impl Serialize for Slots<'_> {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        to.collect_seq(self.0.iter().map(|(slot, _)| slot))
    }
}

impl Serialize for Texts<'_> {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        to.collect_seq(self.0.iter().map(|(_, name)| name))
    }
}

impl Serialize for LiveNames<'_> {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        let mut fields = to.serialize_struct("StoredNames", 4)?;
        fields.serialize_field("slots", &Slots(self.0))?;
        fields.serialize_field("names", &Texts(self.0))?;
        fields.serialize_field("highest", &self.0.highest())?;
        fields.serialize_field("bits", &self.0.bits())?;
        fields.end()
    }
}

impl StoredNames {
    pub(super) fn restore(self) -> Result<Names, String> {
        match self.bits {
            Some(bits) if (1..=MAX_BITS).contains(&bits) && self.slots.is_empty() => {
                Ok(Names::hashed(bits))
            }
            Some(bits) => Err(format!("hashed slots of {bits} bits")),
            None => Names::restore(self.slots, &self.names, self.highest)
                .ok_or_else(|| "names of features that do not fit their slots".to_owned()),
        }
    }
}
