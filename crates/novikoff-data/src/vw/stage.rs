//! Values read but not yet in the rows, for slots are best found many at a time.

use novikoff::names::{Names, PackedName};

use crate::draft::{Draft, Feature};

/// How many values are gathered.
const ROOM: usize = 64;

/// Values of features whose names can be packed, in the order of the row.
pub(super) struct Stage {
    len: usize,
    names: [PackedName; ROOM],
    values: [f32; ROOM],
    unpacked: Vec<u8>,
}

impl Stage {
    pub(super) fn new() -> Self {
        Stage {
            len: 0,
            names: [PackedName::default(); ROOM],
            values: [0.0; ROOM],
            unpacked: Vec::new(),
        }
    }

    /// Adds a value. There must be room.
    #[inline(always)]
    pub(super) fn push(&mut self, name: PackedName, value: f32) {
        let len = self.len;
        self.names[len] = name;
        self.values[len] = value;
        self.len = len + 1;
    }

    #[inline(always)]
    pub(super) fn is_full(&self) -> bool {
        self.len == ROOM
    }

    /// Moves all values to the row being built.
    pub(super) fn unload(&mut self, names: &Names, out: &mut Draft) {
        let mut slots = [0; ROOM];
        let staged = ..std::mem::take(&mut self.len);
        names.quick_slots(&self.names[staged], &mut slots[staged]);
        if !slots[staged].contains(&0) {
            out.rows.push_any_many(&slots[staged], &self.values[staged]);
            return;
        }
        let values = self.names[staged].iter().zip(&self.values[staged]);
        for ((name, &value), &slot) in values.zip(&slots) {
            let feature = if slot == 0 {
                name.unpack(&mut self.unpacked);
                out.find(names, &self.unpacked)
            } else {
                Feature::Slot(slot)
            };
            out.push(feature, value);
        }
    }
}
