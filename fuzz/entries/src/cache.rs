//! Our cache: as it lies there, and with checksums that fit.

use novikoff_data::blocks::{Format, ReadOptions};

use crate::draw;
use crate::text::read_file;

/// Arrays begin at multiples of this.
const ALIGN: usize = 64;

/// Bytes of the directory's entry for a block, and where its CRC stands in them.
const ENTRY: usize = 64;
const ENTRY_CRC: usize = 56;

/// What stands behind the footer.
const TAIL: usize = 28;

/// A cache; a mutated one is refused for its checksums, so they are corrected too.
pub fn cache(data: &[u8]) {
    let options = ReadOptions {
        format: Some(Format::Cache),
        ..ReadOptions::default()
    };
    match sealed(data) {
        // what does not fit its checksums is soon refused
        Some(sealed) if !draw(data).is_multiple_of(8) => read_file(&sealed, &options),
        _ => read_file(data, &options),
    }
}

/// The file with all its checksums corrected, as far as its parts can be made out.
fn sealed(data: &[u8]) -> Option<Vec<u8>> {
    let tail = data.len().checked_sub(TAIL)?;
    let length = long(data, tail + 8)?;
    let start = tail.checked_sub(length)?;
    let (mut file, mut footer) = (data[..start].to_vec(), &data[start..tail]);
    // rows, values, width, blocks, the directory's CRC, names, their text, their CRC
    let mut numbers = [0_u64; 8];
    for number in &mut numbers {
        *number = take(&mut footer)?;
    }
    let [_, _, _, blocks, _, names, text, _] = numbers.map(|n| usize::try_from(n).ok());
    let directory = start.checked_sub(blocks?.checked_mul(ENTRY)?)?;
    for entry in (directory..start).step_by(ENTRY) {
        let (from, length) = (long(&file, entry + 8)?, long(&file, entry + 16)?);
        if let Some(block) = file.get(from..from.saturating_add(length)) {
            let crc = crc32fast::hash(block).to_le_bytes();
            file[entry + ENTRY_CRC..][..4].copy_from_slice(&crc);
        }
    }
    let mut stored = 0_usize;
    for (count, size) in [(names?, 4), (names?, 8), (text?, 1)] {
        let array = count.checked_mul(size)?.checked_next_multiple_of(ALIGN)?;
        stored = stored.checked_add(array)?;
    }
    let named = directory.checked_sub(stored)?;
    numbers[4] = crc32fast::hash(&file[directory..]).into();
    numbers[7] = crc32fast::hash(&file[named..directory]).into();
    for number in numbers {
        put(&mut file, number);
    }
    file.extend(footer);
    let crc = crc32fast::hash(&file[start..]);
    let length = (file.len() - start) as u64;
    file.extend((start as u64).to_le_bytes());
    file.extend(length.to_le_bytes());
    file.extend(crc.to_le_bytes());
    file.extend(&data[tail + 20..]);
    Some(file)
}

fn long(file: &[u8], at: usize) -> Option<usize> {
    let bytes = file.get(at..)?.first_chunk()?;
    usize::try_from(u64::from_le_bytes(*bytes)).ok()
}

/// Reads a number of variable length: seven bits a byte, the lowest first.
fn take(bytes: &mut &[u8]) -> Option<u64> {
    let mut number = 0;
    for shift in (0..64).step_by(7) {
        let byte = *bytes.split_off_first()?;
        number |= u64::from(byte & 0x7f) << shift;
        if byte < 0x80 {
            return Some(number);
        }
    }
    None
}

fn put(bytes: &mut Vec<u8>, mut number: u64) {
    while number >= 0x80 {
        bytes.push(number as u8 | 0x80);
        number >>= 7;
    }
    bytes.push(number as u8);
}
