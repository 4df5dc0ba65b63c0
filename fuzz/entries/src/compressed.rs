//! gzip and zstd: the first byte chooses what the rest is.
//!
//! 0 and 1: a gzip or zstd file as it lies there. 2 and 3: text that is wrapped without being
//! compressed, in frames cut by the byte that follows, and must be read as if it were not.

use novikoff_data::blocks::{Format, ReadOptions};

use crate::story::{WHOLE, tell};
use crate::text::{is_plain, read};

/// A compressed file, or text made one.
pub fn compressed(data: &[u8]) {
    let [kind, size, rest @ ..] = data else {
        return;
    };
    let parts = || rest.chunks(usize::from(*size).max(1));
    let options = ReadOptions {
        format: Some(Format::Svmlight),
        ..ReadOptions::default()
    };
    let wrapped = match kind % 4 {
        0 | 1 => {
            read(&data[1..], &options);
            return;
        }
        2 => parts().flat_map(gzip).collect::<Vec<u8>>(),
        _ => parts().flat_map(zstd).collect::<Vec<u8>>(),
    };
    if rest.is_empty() || !is_plain(rest) {
        return;
    }
    let plain = tell(rest, &options, 1, WHOLE);
    let reported = read(&wrapped, &options);
    plain.must_be(&reported, "wrapped");
}

/// A gzip member with one stored block.
fn gzip(text: &[u8]) -> Vec<u8> {
    let len = text.len() as u16;
    let mut out = b"\x1f\x8b\x08\0\0\0\0\0\0\xff\x01".to_vec();
    out.extend(len.to_le_bytes());
    out.extend((!len).to_le_bytes());
    out.extend(text);
    out.extend(crc32fast::hash(text).to_le_bytes());
    out.extend((text.len() as u32).to_le_bytes());
    out
}

/// A zstd frame with one raw block.
fn zstd(text: &[u8]) -> Vec<u8> {
    // one segment, its size in one byte; then the last block, raw
    let mut out = b"\x28\xb5\x2f\xfd\x20".to_vec();
    out.push(text.len() as u8);
    out.extend(&((text.len() as u32) << 3 | 1).to_le_bytes()[..3]);
    out.extend(text);
    out
}
