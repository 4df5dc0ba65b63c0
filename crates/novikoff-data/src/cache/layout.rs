//! Where the arrays of a block lie.

use std::ops::Range;

use bytemuck::Pod;
use novikoff::rows::Block;

/// Arrays begin at multiples of this.
pub(super) const ALIGN: usize = 64;

/// The directory's entry for a block.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct BlockEntry {
    /// The number of its first row.
    pub(super) first_row: u64,
    /// Where it begins in the file, and how many bytes it has.
    pub(super) offset: u64,
    pub(super) length: u64,
    pub(super) values: u64,
    pub(super) labels: u64,
    /// Bytes of labels as written.
    pub(super) text: u64,
    pub(super) rows: u32,
    /// The highest feature.
    pub(super) width: u32,
    /// CRC-32 of its bytes.
    pub(super) crc: u32,
    /// 1 if rows have weights, 0 if not.
    pub(super) weighted: u32,
}

/// Bytes of an entry in the file.
pub(super) const ENTRY: usize = 64;

/// Where arrays lie that follow each other, each at a multiple of [`ALIGN`].
#[derive(Debug, Default)]
pub(super) struct Places {
    at: usize,
}

impl Places {
    /// The place of the next array, if a file can be so long.
    pub(super) fn next(&mut self, count: u64, size: usize) -> Option<Range<usize>> {
        let length = usize::try_from(count).ok()?.checked_mul(size)?;
        let start = self.at;
        let end = start.checked_add(length)?;
        self.at = end.checked_next_multiple_of(ALIGN)?;
        Some(start..end)
    }

    /// What all of them take.
    pub(super) fn length(&self) -> usize {
        self.at
    }
}

/// Where the arrays of a block lie in it.
pub(super) struct CacheLayout {
    ends: Range<usize>,
    label_ends: Range<usize>,
    lines: Range<usize>,
    label_number: Range<usize>,
    text_ends: Range<usize>,
    weights: Range<usize>,
    index: Range<usize>,
    value: Range<usize>,
    text: Range<usize>,
    /// Bytes of the block.
    pub(super) length: usize,
}

impl BlockEntry {
    /// What describes a block, but for its place and its checksum.
    pub(super) fn of(block: &Block<'_>) -> Self {
        BlockEntry {
            values: block.value.len() as u64,
            labels: block.label_number.len() as u64,
            text: block.text.len() as u64,
            rows: block.len() as u32,
            width: block.width,
            weighted: u32::from(!block.weights.is_empty()),
            ..BlockEntry::default()
        }
    }

    /// As it lies in the file.
    pub(super) fn to_bytes(self) -> [u8; ENTRY] {
        let mut bytes = [0; ENTRY];
        let long = [
            self.first_row,
            self.offset,
            self.length,
            self.values,
            self.labels,
            self.text,
        ];
        let short = [self.rows, self.width, self.crc, self.weighted];
        let (front, back) = bytes.split_at_mut(8 * long.len());
        for (place, number) in front.as_chunks_mut().0.iter_mut().zip(long) {
            *place = number.to_le_bytes();
        }
        for (place, number) in back.as_chunks_mut().0.iter_mut().zip(short) {
            *place = number.to_le_bytes();
        }
        bytes
    }

    /// What lies in the file.
    pub(super) fn from_bytes(bytes: &[u8; ENTRY]) -> Self {
        let (long, _) = bytes.as_chunks();
        let long = |k: usize| u64::from_le_bytes(long[k]);
        let (short, _) = bytes.as_chunks();
        let short = |k: usize| u32::from_le_bytes(short[12 + k]);
        BlockEntry {
            first_row: long(0),
            offset: long(1),
            length: long(2),
            values: long(3),
            labels: long(4),
            text: long(5),
            rows: short(0),
            width: short(1),
            crc: short(2),
            weighted: short(3),
        }
    }

    /// Where the arrays lie, if a file can hold them.
    pub(super) fn layout(&self) -> Option<CacheLayout> {
        let mut places = Places::default();
        let rows = u64::from(self.rows);
        let weights = if self.weighted == 0 { 0 } else { rows };
        Some(CacheLayout {
            ends: places.next(rows, 8)?,
            label_ends: places.next(rows, 8)?,
            lines: places.next(rows, 8)?,
            label_number: places.next(self.labels, 8)?,
            text_ends: places.next(self.labels, 8)?,
            weights: places.next(weights, 4)?,
            index: places.next(self.values, 4)?,
            value: places.next(self.values, 4)?,
            text: places.next(self.text, 1)?,
            length: places.length(),
        })
    }
}

impl CacheLayout {
    fn all(&self) -> [&Range<usize>; 9] {
        [
            &self.ends,
            &self.label_ends,
            &self.lines,
            &self.label_number,
            &self.text_ends,
            &self.weights,
            &self.index,
            &self.value,
            &self.text,
        ]
    }

    /// The arrays in the bytes of a block.
    pub(super) fn view<'a>(&self, bytes: &'a [u8], width: u32) -> Option<Block<'a>> {
        Some(Block {
            ends: array(bytes, &self.ends)?,
            index: array(bytes, &self.index)?,
            value: array(bytes, &self.value)?,
            label_ends: array(bytes, &self.label_ends)?,
            label_number: array(bytes, &self.label_number)?,
            text_ends: array(bytes, &self.text_ends)?,
            text: array(bytes, &self.text)?,
            lines: array(bytes, &self.lines)?,
            weights: array(bytes, &self.weights)?,
            width,
            ..Block::default()
        })
    }

    /// Appends the bytes of a block to `bytes`.
    pub(super) fn write(&self, block: &Block<'_>, bytes: &mut Vec<u8>) {
        let begin = bytes.len();
        let slots = block.slots_of_values();
        let arrays: [&[u8]; 9] = [
            bytemuck::cast_slice(block.ends),
            bytemuck::cast_slice(block.label_ends),
            bytemuck::cast_slice(block.lines),
            bytemuck::cast_slice(block.label_number),
            bytemuck::cast_slice(block.text_ends),
            bytemuck::cast_slice(block.weights),
            bytemuck::cast_slice(&slots),
            bytemuck::cast_slice(block.value),
            block.text,
        ];
        for (array, place) in arrays.into_iter().zip(self.all()) {
            bytes.resize(begin + place.start, 0);
            bytes.extend_from_slice(array);
        }
        bytes.resize(begin + self.length, 0);
    }

    /// Whether there is nothing but zeros between the arrays.
    pub(super) fn gaps_are_zero(&self, bytes: &[u8]) -> bool {
        let starts = self.all().into_iter().skip(1).map(|place| place.start);
        self.all()
            .into_iter()
            .zip(starts.chain([self.length]))
            .all(|(place, next)| bytes[place.end..next].iter().all(|&b| b == 0))
    }
}

/// Some bytes as numbers.
pub(super) fn array<'a, T: Pod>(bytes: &'a [u8], place: &Range<usize>) -> Option<&'a [T]> {
    bytemuck::try_cast_slice(bytes.get(place.clone())?).ok()
}
