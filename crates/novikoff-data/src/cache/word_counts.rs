//! How many rows have each word: an array of `u32` behind the names, by slot, and a record of the footer that describes it.

use std::ops::Range;

use novikoff::text_statistics::TextStatistics;
use serde::{Deserialize, Serialize};

use super::layout;

/// What the footer says of the array.
#[derive(Debug, Serialize, Deserialize)]
pub(super) struct WordCounts {
    /// The columns of text, and how many rows each has.
    columns: Vec<(String, u64)>,
    /// How many slots the array has, and its CRC-32.
    slots: u64,
    crc: u32,
}

impl WordCounts {
    /// The name of the record.
    pub(super) const RECORD: &'static str = "text";

    /// The array as it lies in a file, and what the footer says of it; nothing if there is no text.
    pub(super) fn write(text: &TextStatistics) -> (Vec<u8>, Option<Self>) {
        if text.is_empty() {
            return (Vec::new(), None);
        }
        let mut bytes = bytemuck::cast_slice(text.having()).to_vec();
        bytes.resize(bytes.len().next_multiple_of(layout::ALIGN), 0);
        let about = WordCounts {
            columns: text.columns().to_vec(),
            slots: text.having().len() as u64,
            crc: crc32fast::hash(&bytes),
        };
        (bytes, Some(about))
    }

    /// Where the array lies that ends at `end`.
    pub(super) fn place(&self, end: usize) -> Option<Range<usize>> {
        let mut places = layout::Places::default();
        places.next(self.slots, 4)?;
        Some(end.checked_sub(places.length())?..end)
    }

    /// The statistics, whose array is in these bytes; or what is wrong. `highest` is the highest slot there is.
    pub(super) fn read(self, bytes: &[u8], highest: u32) -> Result<TextStatistics, &'static str> {
        if crc32fast::hash(bytes) != self.crc {
            return Err("its counts of words do not fit their checksum");
        }
        let place = layout::Places::default().next(self.slots, 4);
        let having = place.and_then(|place| layout::array::<u32>(bytes, &place));
        match having {
            Some(having) if having.len() <= highest as usize + 1 => {
                Ok(TextStatistics::restore(self.columns, having.to_vec()))
            }
            _ => Err("its counts of words do not fit their slots"),
        }
    }
}
