//! The file format of models, as it lies on disk.

use novikoff_data::container::{from_bytes, to_bytes};

/// Any bytes, and the same with checksums that fit: what loads is written back as the same bytes.
pub fn container(data: &[u8]) {
    written_back(data);
    if let Some(sealed) = sealed(data) {
        written_back(&sealed);
    }
}

fn written_back(data: &[u8]) {
    match from_bytes(data) {
        Ok(loaded) => {
            let again = to_bytes(&loaded.header, &loaded.state).expect("it has been stored before");
            assert!(again == data, "written back as other bytes");
            let digest = &data[data.len() - 32..];
            assert_eq!(loaded.digest.as_bytes(), digest);
        }
        Err(error) => {
            let text = error.to_string();
            assert!(!text.is_empty());
        }
    }
}

/// The file with all its checksums corrected, as far as its parts can be made out.
fn sealed(data: &[u8]) -> Option<Vec<u8>> {
    let mut file = data.to_vec();
    let end = file.len().checked_sub(32).filter(|&end| end >= 12)?;
    seal_parts(&mut file[..end]);
    let digest = blake3::hash(&file[..end]);
    file[end..].copy_from_slice(digest.as_bytes());
    Some(file)
}

fn number<const N: usize>(file: &[u8], at: usize) -> Option<[u8; N]> {
    file.get(at..)?.first_chunk().copied()
}

/// Corrects the checksum of the bytes from `start` up to `end`, which follows them.
fn seal(file: &mut [u8], start: usize, end: usize) -> Option<usize> {
    let crc = crc32fast::hash(file.get(start..end)?);
    file.get_mut(end..end + 4)?
        .copy_from_slice(&crc.to_le_bytes());
    Some(end + 4)
}

fn seal_parts(file: &mut [u8]) -> Option<()> {
    let length = u64::from_le_bytes(number(file, 12)?);
    let end = 20_usize.checked_add(usize::try_from(length).ok()?)?;
    let mut at = seal(file, 20, end)?;
    let sections = u32::from_le_bytes(number(file, at)?);
    at += 4;
    for _ in 0..sections {
        at += 2 + usize::from(u16::from_le_bytes(number(file, at)?));
        let [kind] = number(file, at)?;
        let count = usize::try_from(u64::from_le_bytes(number(file, at + 1)?)).ok()?;
        at = (at + 9).next_multiple_of(8);
        let size = if kind < 2 { 8 } else { 4 };
        let end = at.checked_add(count.checked_mul(size)?)?;
        at = seal(file, at, end)?;
    }
    Some(())
}
