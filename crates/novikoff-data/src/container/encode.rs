//! State to bytes.

use std::io::{self, BufWriter, Write};

use novikoff::state::{Array, State};

use super::{ArrayKind, Digest, MAGIC, PIECE, VERSION};

/// Passes bytes on, counting and hashing them.
struct HashingWriter<W> {
    out: W,
    hash: blake3::Hasher,
    at: u64,
}

impl<W: Write> HashingWriter<W> {
    fn put(&mut self, bytes: &[u8]) -> io::Result<()> {
        self.hash.update(bytes);
        self.at += bytes.len() as u64;
        self.out.write_all(bytes)
    }

    /// Writes numbers and their CRC.
    fn numbers<T: Copy, const N: usize>(
        &mut self,
        data: &[T],
        encode: impl Fn(T) -> [u8; N],
    ) -> io::Result<()> {
        let mut crc = crc32fast::Hasher::new();
        let mut piece = Vec::with_capacity(PIECE);
        for part in data.chunks(PIECE / N) {
            piece.clear();
            piece.extend(part.iter().flat_map(|&x| encode(x)));
            crc.update(&piece);
            self.put(&piece)?;
        }
        self.put(&crc.finalize().to_le_bytes())
    }
}

/// Writes a whole model; names are known to fit.
pub(super) fn write(out: impl Write, header: &[u8], state: &State<'_>) -> io::Result<Digest> {
    let out = BufWriter::with_capacity(PIECE, out);
    let mut out = HashingWriter {
        out,
        hash: blake3::Hasher::new(),
        at: 0,
    };
    out.put(MAGIC)?;
    out.put(&VERSION.to_le_bytes())?;
    out.put(&(header.len() as u64).to_le_bytes())?;
    out.put(header)?;
    out.put(&crc32fast::hash(header).to_le_bytes())?;
    out.put(&(state.arrays().count() as u32).to_le_bytes())?;
    for (name, array) in state.arrays() {
        let (kind, count) = match array {
            Array::F64(a) => (ArrayKind::F64, a.len()),
            Array::U64(a) => (ArrayKind::U64, a.len()),
            Array::F32(a) => (ArrayKind::F32, a.len()),
            Array::U32(a) => (ArrayKind::U32, a.len()),
        };
        out.put(&(name.len() as u16).to_le_bytes())?;
        out.put(name.as_bytes())?;
        out.put(&[kind as u8])?;
        out.put(&(count as u64).to_le_bytes())?;
        out.put(&[0; 8][..padding(out.at)])?;
        match array {
            Array::F64(a) => out.numbers(a, f64::to_le_bytes)?,
            Array::U64(a) => out.numbers(a, u64::to_le_bytes)?,
            Array::F32(a) => out.numbers(a, f32::to_le_bytes)?,
            Array::U32(a) => out.numbers(a, u32::to_le_bytes)?,
        }
    }
    let digest = out.hash.finalize();
    out.out.write_all(digest.as_bytes())?;
    out.out.flush()?;
    Ok(digest)
}

/// Bytes from offset `at` to the next multiple of 8.
pub(super) fn padding(at: u64) -> usize {
    (at.wrapping_neg() % 8) as usize
}
