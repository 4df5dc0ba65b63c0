//! What frames hold: what happened to a model, in order.

use novikoff_data::named_rows::NamedRows;

use super::frame;

/// Something that happened to a model.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Entry {
    /// It was made, with these settings (JSON).
    Created {
        /// The settings.
        settings: String,
    },
    /// It learned rows.
    Learned {
        /// The id of the request.
        id: Option<String>,
        /// How many rows.
        rows: u32,
        /// The rows, as [`NamedRows`] encodes them.
        body: Vec<u8>,
    },
    /// A model file took its place.
    Uploaded {
        /// The model file.
        model: Vec<u8>,
    },
}

/// A payload that is no list of entries.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "another version of novikoff wrote this record, and this version cannot read it; start that version, download the model (GET /v1/models/NAME/model), and upload it into this version with a new --dir (docs/service.md, upgrading)"
)]
pub struct NotEntries;

const CREATED: u8 = 1;
const UPLOADED: u8 = 4;
// 2 and 3 were rows in an older form
const LEARNED: u8 = 5;
const LEARNED_BY_ID: u8 = 6;

impl Entry {
    /// Rows that it adds.
    pub fn rows(&self) -> u64 {
        match self {
            Entry::Learned { rows, .. } => u64::from(*rows),
            Entry::Created { .. } | Entry::Uploaded { .. } => 0,
        }
    }

    /// Appends it to a payload.
    pub fn write(&self, out: &mut Vec<u8>) {
        match self {
            Entry::Created { settings } => {
                out.push(CREATED);
                write_part(out, settings.as_bytes());
            }
            Entry::Learned { id, rows, body } => {
                begin_learned(id.as_deref(), *rows, out);
                write_part(out, body);
            }
            Entry::Uploaded { model } => {
                out.push(UPLOADED);
                write_part(out, model);
            }
        }
    }

    /// The entries of a payload.
    pub fn read_all(payload: &[u8]) -> Result<Vec<Entry>, NotEntries> {
        let (mut rest, mut entries) = (payload, Vec::new());
        while let Some((&kind, after)) = rest.split_first() {
            rest = after;
            entries.push(match kind {
                CREATED => Entry::Created {
                    settings: text(&mut rest)?,
                },
                LEARNED | LEARNED_BY_ID => {
                    let id = (kind == LEARNED_BY_ID)
                        .then(|| text(&mut rest))
                        .transpose()?;
                    let rows = number(&mut rest)?;
                    let body = part(&mut rest)?.to_vec();
                    Entry::Learned { id, rows, body }
                }
                UPLOADED => Entry::Uploaded {
                    model: part(&mut rest)?.to_vec(),
                },
                _ => return Err(NotEntries),
            });
        }
        Ok(entries)
    }
}

/// Everything before the body of rows that were learned.
fn begin_learned(id: Option<&str>, rows: u32, out: &mut Vec<u8>) {
    out.push(if id.is_some() { LEARNED_BY_ID } else { LEARNED });
    if let Some(id) = id {
        write_part(out, id.as_bytes());
    }
    out.extend_from_slice(&rows.to_le_bytes());
}

/// Rows to be learned as the log has them. They are encoded where they are written from, for they may be long.
pub struct LearnedEntry {
    /// The entry, behind room for the header of a frame.
    record: Vec<u8>,
    /// Where the rows begin.
    body: usize,
}

impl LearnedEntry {
    /// Rows of a request with this id.
    pub fn new(id: Option<&str>, rows: &NamedRows) -> Self {
        let mut record = Vec::new();
        frame::begin(&mut record);
        begin_learned(id, rows.len() as u32, &mut record);
        let length = record.len();
        record.extend_from_slice(&[0; 4]);
        let body = record.len();
        let mut record = rows.encode_behind(record);
        // payloads are bounded far below 4 GiB
        let bytes = (record.len() - body) as u32;
        record[length..body].copy_from_slice(&bytes.to_le_bytes());
        LearnedEntry { record, body }
    }

    /// The checksum of the rows.
    pub fn digest(&self) -> u32 {
        crc32fast::hash(&self.record[self.body..])
    }

    /// The entry.
    pub fn bytes(&self) -> &[u8] {
        &self.record[frame::HEADER..]
    }

    /// The entry, behind room for the header of a frame.
    pub fn into_record(self) -> Vec<u8> {
        self.record
    }
}

fn write_part(out: &mut Vec<u8>, bytes: &[u8]) {
    // payloads are bounded far below 4 GiB
    out.extend_from_slice(&(bytes.len() as u32).to_le_bytes());
    out.extend_from_slice(bytes);
}

fn number(rest: &mut &[u8]) -> Result<u32, NotEntries> {
    let (bytes, after) = rest.split_first_chunk::<4>().ok_or(NotEntries)?;
    *rest = after;
    Ok(u32::from_le_bytes(*bytes))
}

fn part<'b>(rest: &mut &'b [u8]) -> Result<&'b [u8], NotEntries> {
    let length = number(rest)? as usize;
    let (bytes, after) = rest.split_at_checked(length).ok_or(NotEntries)?;
    *rest = after;
    Ok(bytes)
}

fn text(rest: &mut &[u8]) -> Result<String, NotEntries> {
    String::from_utf8(part(rest)?.to_vec()).map_err(|_| NotEntries)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_that_are_encoded_in_their_record_are_the_entry() {
        let mut rows = novikoff::rows::Rows::new();
        rows.add("yes", novikoff::row::Row::dense(&[1.0, 2.5]));
        let rows = NamedRows::new(novikoff::names::Names::new(), rows);
        for id in [None, Some("req-17")] {
            let entry = Entry::Learned {
                id: id.map(str::to_owned),
                rows: 1,
                body: rows.encode(),
            };
            let mut bytes = Vec::new();
            entry.write(&mut bytes);
            let own = LearnedEntry::new(id, &rows);
            assert_eq!(own.bytes(), bytes);
            assert_eq!(own.digest(), crc32fast::hash(&rows.encode()));
            assert_eq!(own.into_record()[frame::HEADER..], bytes);
        }
    }

    #[test]
    fn entries_come_back() {
        let entries = vec![
            Entry::Created {
                settings: "{}".to_owned(),
            },
            Entry::Learned {
                id: None,
                rows: 2,
                body: vec![1, 2, 3],
            },
            Entry::Learned {
                id: Some("req-17".to_owned()),
                rows: 1,
                body: vec![],
            },
            Entry::Uploaded {
                model: vec![9; 100],
            },
        ];
        let mut payload = Vec::new();
        for entry in &entries {
            entry.write(&mut payload);
        }
        assert_eq!(Entry::read_all(&payload), Ok(entries));
        for cut in 0..payload.len() {
            let _ = Entry::read_all(&payload[..cut]); // an error or fewer entries, and no panic
        }
    }
}
