//! One frame of a log: a header, a payload, an end mark.
//!
//! | bytes | what |
//! | --- | --- |
//! | 4 | length of the payload |
//! | 8 | the frame's number, from 0 |
//! | 8 | how many frames were known to be on disk when it was written |
//! | 4 | the checksum of the frame before it |
//! | 4 | checksum of the fields above and the payload |
//! | 4 | checksum of the fields above |
//! | n | payload |
//! | 1 | end mark, not zero |
//!
//! Numbers are little-endian, checksums are CRC-32. The length has a checksum of its own, so that a flipped bit in it is no shorter file; the
//! end mark is not zero, so that a whole frame never ends as a file does whose last blocks were not written.

use crc32fast::Hasher;

/// Bytes before the payload.
pub const HEADER: usize = 32;

/// What stands behind the payload.
const END: u8 = 0xA5;

/// The most bytes of a payload.
pub const MAX_PAYLOAD: usize = 1 << 30;

/// What a header says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Header {
    /// Bytes of the payload.
    pub length: u32,
    /// The frame's number.
    pub index: u64,
    /// How many frames were known to be on disk.
    pub synced: u64,
    /// The checksum of the frame before.
    pub previous: u32,
    /// The checksum of this frame.
    pub checksum: u32,
}

/// A frame that is not one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fault {
    /// Fewer bytes than a header.
    ShortHeader,
    /// The header's own checksum is wrong.
    Header,
    /// Fewer bytes than the header says.
    ShortPayload,
    /// The checksum is wrong, or the end mark is.
    Payload,
    /// A frame of another place, or of another log.
    Chain,
}

impl Fault {
    /// In words.
    pub fn text(self) -> &'static str {
        match self {
            Fault::ShortHeader => "the file ends within the header of a record",
            Fault::Header => "the header of a record does not have its checksum",
            Fault::ShortPayload => "the file ends within a record",
            Fault::Payload => "a record does not have its checksum",
            Fault::Chain => "a record does not follow the one before it",
        }
    }
}

/// Bytes of a frame with this payload.
pub fn size(payload: usize) -> usize {
    HEADER + payload + 1
}

/// Writes a frame; gives its checksum.
pub fn write(out: &mut Vec<u8>, index: u64, synced: u64, previous: u32, payload: &[u8]) -> u32 {
    let start = begin(out);
    out.extend_from_slice(payload);
    finish(out, start, index, synced, previous)
}

/// Makes room for a header; its payload is written behind it, and then [`finish`] is called. Gives where the frame begins.
pub fn begin(out: &mut Vec<u8>) -> usize {
    let start = out.len();
    out.resize(start + HEADER, 0);
    start
}

/// Ends the frame that begins at `start`: its header and its end mark; gives its checksum.
pub fn finish(out: &mut Vec<u8>, start: usize, index: u64, synced: u64, previous: u32) -> u32 {
    // payloads are bounded by MAX_PAYLOAD
    let length = (out.len() - start - HEADER) as u32;
    let (header, payload) = out[start..].split_at_mut(HEADER);
    header[..4].copy_from_slice(&length.to_le_bytes());
    header[4..12].copy_from_slice(&index.to_le_bytes());
    header[12..20].copy_from_slice(&synced.to_le_bytes());
    header[20..24].copy_from_slice(&previous.to_le_bytes());
    let checksum = checksum(&header[..24], payload);
    header[24..28].copy_from_slice(&checksum.to_le_bytes());
    let own = crc32fast::hash(&header[..28]);
    header[28..].copy_from_slice(&own.to_le_bytes());
    out.push(END);
    checksum
}

fn checksum(fields: &[u8], payload: &[u8]) -> u32 {
    let mut hasher = Hasher::new();
    hasher.update(fields);
    hasher.update(payload);
    hasher.finalize()
}

/// The header at the beginning of some bytes.
pub fn header(bytes: &[u8]) -> Result<Header, Fault> {
    let Some(fields) = bytes.first_chunk::<HEADER>() else {
        return Err(Fault::ShortHeader);
    };
    let u32_at = |at: usize| {
        u32::from_le_bytes([fields[at], fields[at + 1], fields[at + 2], fields[at + 3]])
    };
    let u64_at = |at: usize| u64::from(u32_at(at)) | u64::from(u32_at(at + 4)) << 32;
    if crc32fast::hash(&fields[..28]) != u32_at(28) {
        return Err(Fault::Header);
    }
    Ok(Header {
        length: u32_at(0),
        index: u64_at(4),
        synced: u64_at(12),
        previous: u32_at(20),
        checksum: u32_at(24),
    })
}

/// The frame at the beginning of some bytes: its header and its payload.
pub fn read(bytes: &[u8]) -> Result<(Header, &[u8]), Fault> {
    let header = header(bytes)?;
    let length = header.length as usize;
    let Some(frame) = bytes.get(..size(length)) else {
        return Err(Fault::ShortPayload);
    };
    let payload = &frame[HEADER..HEADER + length];
    if frame[size(length) - 1] != END || checksum(&frame[..24], payload) != header.checksum {
        return Err(Fault::Payload);
    }
    Ok((header, payload))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_frame_comes_back() {
        let mut bytes = Vec::new();
        let sum = write(&mut bytes, 7, 6, 99, b"hello");
        let (header, payload) = read(&bytes).expect("a frame");
        assert_eq!(payload, b"hello");
        assert_eq!(
            (
                header.index,
                header.synced,
                header.previous,
                header.checksum
            ),
            (7, 6, 99, sum)
        );
        assert_eq!(bytes.len(), size(5));
    }

    #[test]
    fn every_flipped_bit_and_every_cut_is_noticed() {
        let mut bytes = Vec::new();
        write(&mut bytes, 1, 1, 5, b"payload");
        for at in 0..bytes.len() {
            assert!(
                matches!(
                    read(&bytes[..at]),
                    Err(Fault::ShortHeader | Fault::ShortPayload)
                ),
                "cut at {at}"
            );
            for bit in 0..8 {
                let mut other = bytes.clone();
                other[at] ^= 1 << bit;
                assert!(
                    matches!(read(&other), Err(Fault::Header | Fault::Payload)),
                    "bit {bit} of byte {at}"
                );
            }
        }
    }
}
