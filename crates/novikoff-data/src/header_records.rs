//! What a header gained after its first version: named records behind it, each in postcard.
//!
//! A header without records has the bytes that the first version wrote, and headers of the first version have no records.

use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

/// Named records.
#[derive(Debug, Default, Serialize, Deserialize)]
pub(crate) struct Records(Vec<(String, Vec<u8>)>);

impl Records {
    /// Adds a record.
    pub(crate) fn put(
        &mut self,
        name: &str,
        value: &impl Serialize,
    ) -> Result<(), postcard::Error> {
        self.0.push((name.to_owned(), postcard::to_stdvec(value)?));
        Ok(())
    }

    /// Takes a record out, if it is there.
    pub(crate) fn take<T: DeserializeOwned>(&mut self, name: &str) -> Result<Option<T>, String> {
        let Some(at) = self.0.iter().position(|(other, _)| other == name) else {
            return Ok(None);
        };
        let (name, bytes) = self.0.swap_remove(at);
        let value = postcard::from_bytes(&bytes);
        value
            .map(Some)
            .map_err(|error| format!("its record `{name}`: {error}"))
    }

    /// An error if records are left: a newer version wrote them, and what it computes depends on them.
    pub(crate) fn all_taken(&self) -> Result<(), String> {
        match self.0.first() {
            None => Ok(()),
            Some((name, _)) => Err(format!("a record `{name}` that this version does not know")),
        }
    }
}

/// A header and its records as bytes.
pub(crate) fn encode(
    header: &impl Serialize,
    records: &Records,
) -> Result<Vec<u8>, postcard::Error> {
    let bytes = postcard::to_stdvec(header)?;
    if records.0.is_empty() {
        return Ok(bytes);
    }
    postcard::to_extend(records, bytes)
}

/// A header and its records from bytes.
pub(crate) fn decode<'a, H: Deserialize<'a>>(
    bytes: &'a [u8],
) -> Result<(H, Records), postcard::Error> {
    let (header, rest) = postcard::take_from_bytes(bytes)?;
    let records = if rest.is_empty() {
        Records::default()
    } else {
        postcard::from_bytes(rest)?
    };
    Ok((header, records))
}

#[cfg(test)]
mod tests {
    use super::{Records, decode, encode};

    #[test]
    fn records_come_back_and_old_headers_have_none() {
        let header = ("perceptron", 7_u64);
        let old = postcard::to_stdvec(&header).expect("small");
        let bytes = encode(&header, &Records::default()).expect("small");
        assert_eq!(bytes, old, "no records, no bytes");
        let mut records = Records::default();
        records.put("table", &vec![1_u32, 2]).expect("small");
        records.put("counts", &(3_u64, 4_u64)).expect("small");
        let bytes = encode(&header, &records).expect("small");
        let (back, mut records): ((&str, u64), Records) = decode(&bytes).expect("whole");
        assert_eq!(back, header);
        assert_eq!(records.take("counts"), Ok(Some((3_u64, 4_u64))));
        assert_eq!(records.take::<u32>("nothing"), Ok(None));
        assert!(records.all_taken().is_err(), "`table` is left");
        assert_eq!(records.take("table"), Ok(Some(vec![1_u32, 2])));
        assert_eq!(records.all_taken(), Ok(()));
    }

    #[test]
    fn a_record_that_is_cut_is_an_error() {
        let mut records = Records::default();
        records.put("table", &vec![1_u32, 2]).expect("small");
        let bytes = encode(&5_u64, &records).expect("small");
        for end in 2..bytes.len() {
            assert!(decode::<u64>(&bytes[..end]).is_err(), "{end}");
        }
    }
}
