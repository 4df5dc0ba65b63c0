//! Thrift's compact encoding, as far as numbers in Parquet's headers must be checked before the decoder
//! reserves memory for them.

/// Kinds of values.
const TRUE: u8 = 1;
const FALSE: u8 = 2;
const BYTE: u8 = 3;
const I16: u8 = 4;
const I64: u8 = 6;
const DOUBLE: u8 = 7;
const BINARY: u8 = 8;
const LIST: u8 = 9;
const SET: u8 = 10;
const MAP: u8 = 11;
pub(super) const STRUCT: u8 = 12;

/// How deep values may lie in each other.
const DEPTH: usize = 64;

/// A cursor. Everything is `None` where the bytes end too early or make no sense.
pub(super) struct Compact<'a> {
    bytes: &'a [u8],
    at: usize,
}

impl<'a> Compact<'a> {
    pub(super) fn new(bytes: &'a [u8]) -> Self {
        Compact { bytes, at: 0 }
    }

    /// How many bytes were read.
    pub(super) fn position(&self) -> usize {
        self.at
    }

    pub(super) fn take(&mut self, len: usize) -> Option<&'a [u8]> {
        let end = self.at.checked_add(len)?;
        let taken = self.bytes.get(self.at..end)?;
        self.at = end;
        Some(taken)
    }

    fn byte(&mut self) -> Option<u8> {
        self.take(1).map(|byte| byte[0])
    }

    pub(super) fn varint(&mut self) -> Option<u64> {
        let mut value = 0;
        for shift in (0..64).step_by(7) {
            let byte = self.byte()?;
            value |= u64::from(byte & 0x7f) << shift;
            if byte & 0x80 == 0 {
                return Some(value);
            }
        }
        None
    }

    pub(super) fn number(&mut self) -> Option<i64> {
        let value = self.varint()?;
        Some((value >> 1) as i64 ^ -((value & 1) as i64))
    }

    /// The fields of a struct: their numbers and kinds. `read` says whether it read the value.
    pub(super) fn fields(
        &mut self,
        mut read: impl FnMut(&mut Self, i64, u8) -> Option<bool>,
    ) -> Option<()> {
        self.fields_at(0, &mut read)
    }

    fn fields_at(
        &mut self,
        depth: usize,
        read: &mut dyn FnMut(&mut Self, i64, u8) -> Option<bool>,
    ) -> Option<()> {
        let mut id = 0_i64;
        loop {
            let head = self.byte()?;
            if head == 0 {
                return Some(());
            }
            let (step, kind) = (i64::from(head >> 4), head & 15);
            id = if step == 0 { self.number()? } else { id + step };
            if !read(self, id, kind)? {
                self.skip(kind, depth)?;
            }
        }
    }

    /// A list's kind of values and how many: no more than there are bytes.
    pub(super) fn list(&mut self) -> Option<(u8, usize)> {
        let head = self.byte()?;
        let size = match head >> 4 {
            15 => usize::try_from(self.varint()?).ok()?,
            size => usize::from(size),
        };
        (size <= self.bytes.len() - self.at).then_some((head & 15, size))
    }

    fn skip(&mut self, kind: u8, depth: usize) -> Option<()> {
        if depth > DEPTH {
            return None;
        }
        match kind {
            TRUE | FALSE => {}
            BYTE => drop(self.byte()?),
            I16..=I64 => drop(self.varint()?),
            DOUBLE => drop(self.take(8)?),
            BINARY => {
                let len = usize::try_from(self.varint()?).ok()?;
                self.take(len)?;
            }
            LIST | SET => {
                let (kind, size) = self.list()?;
                for _ in 0..size {
                    self.skip_element(kind, depth + 1)?;
                }
            }
            MAP => {
                let size = usize::try_from(self.varint()?).ok()?;
                let kinds = if size == 0 { 0 } else { self.byte()? };
                for _ in 0..size {
                    self.skip_element(kinds >> 4, depth + 1)?;
                    self.skip_element(kinds & 15, depth + 1)?;
                }
            }
            STRUCT => self.fields_at(depth + 1, &mut |_, _, _| Some(false))?,
            _ => return None,
        }
        Some(())
    }

    /// In a list, a boolean takes a byte.
    fn skip_element(&mut self, kind: u8, depth: usize) -> Option<()> {
        match kind {
            TRUE | FALSE => self.byte().map(drop),
            kind => self.skip(kind, depth),
        }
    }
}

/// Whether the numbers in a footer (`FileMetaData`) are possible: as many row groups and columns as
/// there is room for, and a schema that is not too deep.
pub(super) fn footer_is_sound(footer: &[u8]) -> bool {
    let mut schema = Vec::new();
    let mut groups = 0;
    let read = Compact::new(footer).fields(|cursor, id, kind| match (id, kind) {
        (2, LIST) => {
            let (STRUCT, size) = cursor.list()? else {
                return None;
            };
            for _ in 0..size {
                let mut children = 0;
                cursor.fields(|cursor, id, kind| match (id, kind) {
                    (5, I16..=I64) => {
                        children = usize::try_from(cursor.number()?).ok()?;
                        Some(true)
                    }
                    _ => Some(false),
                })?;
                schema.push(children);
            }
            Some(true)
        }
        (4, LIST) => {
            let (kind, size) = cursor.list()?;
            if kind != STRUCT && size > 0 {
                return None;
            }
            groups = size;
            for _ in 0..size {
                cursor.skip(STRUCT, 0)?;
            }
            Some(true)
        }
        _ => Some(false),
    });
    read.is_some() && i16::try_from(groups).is_ok() && is_shallow(&schema)
}

/// Whether elements, each with this number of children, are one tree of limited depth.
fn is_shallow(children: &[usize]) -> bool {
    // how many children of each open element are still to come
    let mut open: Vec<usize> = Vec::new();
    for (k, &own) in children.iter().enumerate() {
        while open.last() == Some(&0) {
            open.pop();
        }
        match open.last_mut() {
            Some(left) => *left -= 1,
            None if k > 0 => return false,
            None => {}
        }
        if own > children.len() || open.len() > DEPTH {
            return false;
        }
        open.push(own);
    }
    open.iter().all(|&left| left == 0)
}

/// What a page's header says.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct PageHeader {
    /// Bytes of the header itself.
    pub(super) len: usize,
    /// 0 data, 1 index, 2 dictionary, 3 data of the second version.
    pub(super) kind: i64,
    /// Bytes once decompressed.
    pub(super) size: i64,
    /// Bytes in the file.
    pub(super) compressed: i64,
    /// How many values the dictionary has.
    pub(super) entries: i64,
}

impl PageHeader {
    pub(super) fn read(bytes: &[u8]) -> Option<Self> {
        let mut header = PageHeader::default();
        let mut cursor = Compact::new(bytes);
        cursor.fields(|cursor, id, kind| {
            match (id, kind) {
                (1, I16..=I64) => header.kind = cursor.number()?,
                (2, I16..=I64) => header.size = cursor.number()?,
                (3, I16..=I64) => header.compressed = cursor.number()?,
                (7, STRUCT) => cursor.fields(|cursor, id, kind| match (id, kind) {
                    (1, I16..=I64) => {
                        header.entries = cursor.number()?;
                        Some(true)
                    }
                    _ => Some(false),
                })?,
                _ => return Some(false),
            }
            Some(true)
        })?;
        header.len = cursor.position();
        Some(header)
    }
}

#[cfg(test)]
mod tests {
    use super::{PageHeader, footer_is_sound, is_shallow};

    #[test]
    fn page_headers() {
        // type 2, sizes 100 and 50, dictionary_page_header with 5 values of encoding 0
        let bytes = [
            0x15, 4, 0x15, 0xc8, 1, 0x15, 100, 0x4c, 0x15, 10, 0x15, 0, 0, 0, 99,
        ];
        let header = PageHeader {
            len: 14,
            kind: 2,
            size: 100,
            compressed: 50,
            entries: 5,
        };
        assert_eq!(PageHeader::read(&bytes), Some(header));
        for len in 0..14 {
            assert_eq!(PageHeader::read(&bytes[..len]), None, "{len}");
        }
    }

    #[test]
    fn lists_are_no_longer_than_their_bytes() {
        // row_groups: 15 structs without fields
        let mut footer = vec![0x49, 0xfc, 15];
        footer.extend([0; 15]);
        footer.push(0);
        assert!(footer_is_sound(&footer));
        footer[2] = 17;
        assert!(!footer_is_sound(&footer));
        footer.splice(2..3, [0xff, 0xff, 0xff, 0x7f]);
        assert!(!footer_is_sound(&footer));
    }

    #[test]
    fn schemas_are_one_shallow_tree() {
        assert!(is_shallow(&[2, 0, 1, 0]));
        assert!(is_shallow(&[0]));
        assert!(!is_shallow(&[1, 0, 0]));
        assert!(!is_shallow(&[3, 0, 0]));
        assert!(!is_shallow(&[usize::MAX]));
        let deep: Vec<usize> = (0..1000).map(|k| usize::from(k < 999)).collect();
        assert!(!is_shallow(&deep));
    }
}
