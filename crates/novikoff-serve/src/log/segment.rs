//! A segment: a file of the log. It begins with where it stands, and frames follow.
//!
//! A segment is read as a whole. Where reading stops before the end, [`Stop`] says whether that is a tail that was never finished, which a crash
//! leaves behind and which may go, or damage to what had been on disk, which nobody may pass over in silence.

use super::frame::{self, Fault};

/// Bytes before the first frame.
pub const HEADER: usize = 32;

const MAGIC: &[u8; 8] = b"NVKLOG01";

/// The unit in which disks write: what was not written is zero from such a place on.
const SECTOR: usize = 512;

/// Where a segment stands in its log.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Place {
    /// The number of its first frame.
    pub first: u64,
    /// Rows in the frames before it.
    pub rows: u64,
    /// The checksum of the frame before it.
    pub previous: u32,
}

impl Place {
    /// Where a log begins.
    pub const BEGINNING: Place = Place {
        first: 0,
        rows: 0,
        previous: 0,
    };

    /// The beginning of a file.
    pub fn write(self) -> [u8; HEADER] {
        let mut out = [0; HEADER];
        out[..8].copy_from_slice(MAGIC);
        out[8..16].copy_from_slice(&self.first.to_le_bytes());
        out[16..24].copy_from_slice(&self.rows.to_le_bytes());
        out[24..28].copy_from_slice(&self.previous.to_le_bytes());
        let own = crc32fast::hash(&out[..28]);
        out[28..].copy_from_slice(&own.to_le_bytes());
        out
    }

    /// What the beginning of a file says.
    pub fn read(bytes: &[u8]) -> Result<Self, Stop> {
        let Some(head) = bytes.first_chunk::<HEADER>() else {
            return Err(Stop::torn(0, bytes.len(), Fault::ShortHeader));
        };
        let u32_at =
            |at: usize| u32::from_le_bytes([head[at], head[at + 1], head[at + 2], head[at + 3]]);
        let u64_at = |at: usize| u64::from(u32_at(at)) | u64::from(u32_at(at + 4)) << 32;
        if &head[..8] != MAGIC || crc32fast::hash(&head[..28]) != u32_at(28) {
            if bytes.iter().all(|&b| b == 0) {
                return Err(Stop::torn(0, bytes.len(), Fault::Header));
            }
            return Err(Stop {
                at: 0,
                fault: Fault::Header,
                torn: false,
                lost: bytes.len(),
            });
        }
        Ok(Place {
            first: u64_at(8),
            rows: u64_at(16),
            previous: u32_at(24),
        })
    }
}

/// Where reading stopped before the end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Stop {
    /// The byte of the file.
    pub at: usize,
    /// What is wrong there.
    pub fault: Fault,
    /// The rest was never finished: no frame of it can have been acknowledged under `always`.
    pub torn: bool,
    /// Bytes from there on.
    pub lost: usize,
}

impl Stop {
    fn torn(at: usize, lost: usize, fault: Fault) -> Self {
        Stop {
            at,
            fault,
            torn: true,
            lost,
        }
    }
}

/// The frames of a segment, one after another.
pub struct Frames<'b> {
    bytes: &'b [u8],
    at: usize,
    /// The number of the next frame.
    index: u64,
    /// The checksum of the frame before it.
    previous: u32,
    stop: Option<Stop>,
}

/// A frame in its segment.
#[derive(Clone, Copy, Debug)]
pub struct Frame<'b> {
    /// Its number.
    pub index: u64,
    /// The checksum of the frame before it.
    pub previous: u32,
    /// Its checksum.
    pub checksum: u32,
    /// Its payload.
    pub payload: &'b [u8],
    /// The byte behind it.
    pub end: usize,
}

impl<'b> Frames<'b> {
    /// The frames of a segment that stands at a place; `bytes` are those of the whole file.
    pub fn new(bytes: &'b [u8], place: Place) -> Self {
        Frames {
            bytes,
            at: HEADER,
            index: place.first,
            previous: place.previous,
            stop: None,
        }
    }

    /// Where reading stopped before the end, if it did. Known once there are no more frames.
    pub fn stop(&self) -> Option<Stop> {
        self.stop
    }

    fn stopped(&self, fault: Fault) -> Stop {
        let (bytes, at, index) = (self.bytes, self.at, self.index);
        let lost = bytes.len() - at;
        let torn = match later_frame(bytes, at, index) {
            // a later frame knows whether this one was on disk
            Some(synced) => synced <= index,
            None => match fault {
                Fault::ShortHeader | Fault::ShortPayload => true,
                Fault::Header | Fault::Payload | Fault::Chain => ends_in_zeros(bytes, at),
            },
        };
        Stop {
            at,
            fault,
            torn,
            lost,
        }
    }
}

impl<'b> Iterator for Frames<'b> {
    type Item = Frame<'b>;

    fn next(&mut self) -> Option<Frame<'b>> {
        if self.stop.is_some() || self.at >= self.bytes.len() {
            return None;
        }
        let read = frame::read(&self.bytes[self.at..]).and_then(|(header, payload)| {
            let follows = header.index == self.index && header.previous == self.previous;
            follows.then_some((header, payload)).ok_or(Fault::Chain)
        });
        match read {
            Ok((header, payload)) => {
                self.at += frame::size(payload.len());
                self.index += 1;
                self.previous = header.checksum;
                let previous = header.previous;
                Some(Frame {
                    index: header.index,
                    previous,
                    checksum: header.checksum,
                    payload,
                    end: self.at,
                })
            }
            Err(fault) => {
                self.stop = Some(self.stopped(fault));
                None
            }
        }
    }
}

/// The highest count of frames on disk that a later whole frame knows of, if there is a later whole frame.
fn later_frame(bytes: &[u8], at: usize, index: u64) -> Option<u64> {
    let mut most = None;
    // what clients sent is in payloads, and may look like a frame: a frame whose header is whole is passed over as one
    let from = match frame::header(&bytes[at..]) {
        Ok(header) => at.saturating_add(frame::size(header.length as usize)),
        Err(_) => at + 1,
    };
    for start in from..bytes.len().saturating_sub(frame::HEADER) {
        // numbers of later frames are a little higher: most places are ruled out without a checksum
        let number = bytes[start + 4..start + 12]
            .iter()
            .rev()
            .fold(0, |n: u64, &b| n << 8 | u64::from(b));
        if number <= index || number - index > 1 << 32 {
            continue;
        }
        if let Ok((header, _)) = frame::read(&bytes[start..]) {
            most = most.max(Some(header.synced));
        }
    }
    most
}

/// Whether a file ends as one does whose last sectors were never written.
fn ends_in_zeros(bytes: &[u8], at: usize) -> bool {
    let zeros = bytes.iter().rev().take_while(|&&b| b == 0).count();
    let begin = (bytes.len() - zeros).max(at);
    begin == at && zeros > 0 || begin.next_multiple_of(SECTOR) < bytes.len()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A segment with payloads of these lengths, each frame synced before the next, and where frames end.
    fn segment(lengths: &[usize]) -> (Vec<u8>, Vec<usize>) {
        let place = Place {
            first: 3,
            rows: 10,
            previous: 77,
        };
        let mut bytes = place.write().to_vec();
        let (mut previous, mut ends) = (place.previous, vec![HEADER]);
        for (k, &length) in lengths.iter().enumerate() {
            let payload: Vec<u8> = (0..length).map(|i| (i * 7 + k) as u8).collect();
            let index = 3 + k as u64;
            previous = frame::write(&mut bytes, index, index, previous, &payload);
            ends.push(bytes.len());
        }
        (bytes, ends)
    }

    fn read(bytes: &[u8]) -> (usize, Option<Stop>) {
        let place = match Place::read(bytes) {
            Ok(place) => place,
            Err(stop) => return (0, Some(stop)),
        };
        let mut frames = Frames::new(bytes, place);
        (frames.by_ref().count(), frames.stop())
    }

    #[test]
    fn a_client_cannot_pass_its_rows_off_as_later_frames() {
        let place = Place::BEGINNING;
        let mut forged = Vec::new();
        // as if the frame in which it is sent had been on disk
        frame::write(&mut forged, 5, 5, 1234, b"rows of a later record");
        let mut bytes = place.write().to_vec();
        let previous = frame::write(&mut bytes, 0, 0, place.previous, b"first");
        frame::write(&mut bytes, 1, 1, previous, &[forged, vec![7; 100]].concat());
        for cut in bytes.len() - 100..bytes.len() {
            let (frames, stop) = read(&bytes[..cut]);
            assert!(frames == 1 && stop.is_some_and(|stop| stop.torn), "{cut}");
        }
    }

    #[test]
    fn a_cut_at_any_byte_keeps_all_frames_before_it() {
        let (bytes, ends) = segment(&[5, 0, 700, 40]);
        assert_eq!(read(&bytes), (4, None));
        for cut in 0..bytes.len() {
            let whole = ends
                .iter()
                .filter(|&&end| end <= cut)
                .count()
                .saturating_sub(1);
            let (frames, stop) = read(&bytes[..cut]);
            assert_eq!(frames, whole, "cut at {cut}");
            match stop {
                None => assert!(ends.contains(&cut), "cut at {cut}"),
                Some(stop) => assert!(stop.torn, "cut at {cut}: {stop:?}"),
            }
        }
    }

    #[test]
    fn a_flip_of_any_bit_is_damage() {
        let (bytes, _) = segment(&[5, 0, 700, 40]);
        for at in 0..bytes.len() {
            for bit in 0..8 {
                let mut other = bytes.clone();
                other[at] ^= 1 << bit;
                let (_, stop) = read(&other);
                let stop = stop.unwrap_or_else(|| panic!("bit {bit} of byte {at} was not noticed"));
                assert!(!stop.torn, "bit {bit} of byte {at}: {stop:?}");
            }
        }
    }

    #[test]
    fn sectors_that_were_never_written_are_a_torn_tail() {
        let (bytes, ends) = segment(&[5, 0, 3000, 40]);
        let begin = ends[3].next_multiple_of(SECTOR);
        for zero_from in [ends[2], ends[2].next_multiple_of(SECTOR), 1024, 2048] {
            let mut other = bytes[..ends[3]].to_vec();
            other[zero_from..].fill(0);
            let (frames, stop) = read(&other);
            assert_eq!(
                (frames, stop.map(|s| s.torn)),
                (2, Some(true)),
                "zero from {zero_from}"
            );
        }
        // longer than what was written
        let mut longer = bytes[..ends[3]].to_vec();
        longer.resize(begin + 100, 0);
        assert_eq!(
            read(&longer).1.map(|s| (s.torn, s.at)),
            Some((true, ends[3]))
        );
    }

    #[test]
    fn a_frame_that_later_frames_know_to_be_on_disk_is_never_torn() {
        let (mut bytes, ends) = segment(&[600, 600, 600]);
        bytes[ends[1]..ends[2]].fill(0);
        assert_eq!(read(&bytes).1.map(|s| s.torn), Some(false));
        // frames that were written without waiting for the disk know nothing of each other
        let place = Place::BEGINNING;
        let mut bytes = place.write().to_vec();
        let first = frame::write(&mut bytes, 0, 0, 0, &[1; 600]);
        let start = bytes.len();
        let second = frame::write(&mut bytes, 1, 0, first, &[2; 600]);
        let end = bytes.len();
        frame::write(&mut bytes, 2, 0, second, &[3; 600]);
        bytes[start..end].fill(0);
        let (frames, stop) = read(&bytes);
        assert_eq!(
            (frames, stop.map(|s| (s.at, s.torn))),
            (1, Some((start, true)))
        );
    }
}
