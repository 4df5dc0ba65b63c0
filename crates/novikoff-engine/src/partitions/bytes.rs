//! Numbers as bytes, little end first: what travels between a driver and its partitions.

use crate::Error;

/// Bytes being written.
#[derive(Default)]
pub(super) struct Writer(pub(super) Vec<u8>);

impl Writer {
    pub(super) fn count(&mut self, number: usize) {
        self.0.extend((number as u64).to_le_bytes());
    }

    pub(super) fn number(&mut self, number: f64) {
        self.0.extend(number.to_le_bytes());
    }

    pub(super) fn numbers(&mut self, numbers: &[f64]) {
        self.count(numbers.len());
        for number in numbers {
            self.number(*number);
        }
    }

    /// A vector, most of whose places may be 0: as places and numbers, or all of them, whichever is shorter.
    pub(super) fn vector(&mut self, numbers: &[f64]) {
        let kept = || (0_u32..).zip(numbers).filter(|(_, x)| **x != 0.0);
        let count = kept().count();
        self.count(numbers.len());
        if 12 * count >= 8 * numbers.len() {
            self.count(usize::MAX);
            for x in numbers {
                self.number(*x);
            }
            return;
        }
        self.count(count);
        for (place, _) in kept() {
            self.0.extend(place.to_le_bytes());
        }
        for (_, x) in kept() {
            self.number(*x);
        }
    }
}

/// Bytes being read.
pub(super) struct Reader<'a> {
    rest: &'a [u8],
    what: &'static str,
}

impl<'a> Reader<'a> {
    /// Bytes that hold `what`.
    pub(super) fn new(what: &'static str, bytes: &'a [u8]) -> Self {
        Reader { rest: bytes, what }
    }

    /// The error of bytes that are something else.
    pub(super) fn damaged(&self) -> Error {
        damaged(self.what)
    }

    fn array<const N: usize>(&mut self) -> Result<[u8; N], Error> {
        let (head, tail) = self
            .rest
            .split_first_chunk()
            .ok_or_else(|| self.damaged())?;
        self.rest = tail;
        Ok(*head)
    }

    pub(super) fn word(&mut self) -> Result<u64, Error> {
        Ok(u64::from_le_bytes(self.array()?))
    }

    /// A count of things that each take at least `size` bytes here.
    pub(super) fn count(&mut self, size: usize) -> Result<usize, Error> {
        let count = self.word()? as usize;
        if count
            .checked_mul(size)
            .is_some_and(|all| all <= self.rest.len())
        {
            Ok(count)
        } else {
            Err(self.damaged())
        }
    }

    pub(super) fn number(&mut self) -> Result<f64, Error> {
        Ok(f64::from_le_bytes(self.array()?))
    }

    pub(super) fn numbers(&mut self) -> Result<Vec<f64>, Error> {
        let count = self.count(8)?;
        (0..count).map(|_| self.number()).collect()
    }

    /// Adds a vector to `sum`, which becomes as long if it is shorter.
    pub(super) fn add_vector(&mut self, sum: &mut Vec<f64>) -> Result<(), Error> {
        const MOST: u64 = u32::MAX as u64;
        let len = self.word()?;
        let kept = self.word()?;
        if len > MOST || (kept > len && kept != u64::MAX) {
            return Err(self.damaged());
        }
        let len = len as usize;
        if sum.len() < len {
            sum.resize(len, 0.0);
        }
        if kept == u64::MAX {
            for sum in &mut sum[..len] {
                *sum += self.number()?;
            }
            return Ok(());
        }
        let mut places = Vec::with_capacity(kept as usize);
        for _ in 0..kept {
            let place = u32::from_le_bytes(self.array()?) as usize;
            if place >= len {
                return Err(self.damaged());
            }
            places.push(place);
        }
        for place in places {
            sum[place] += self.number()?;
        }
        Ok(())
    }

    /// Nothing follows.
    pub(super) fn end(self) -> Result<(), Error> {
        if self.rest.is_empty() {
            Ok(())
        } else {
            Err(self.damaged())
        }
    }
}

/// Bytes that are not what they should be.
pub(super) fn damaged(what: &str) -> Error {
    Error::refused(
        format!("the bytes of {what} are damaged, or another version of novikoff wrote them"),
        "install the same version on all nodes",
    )
}
