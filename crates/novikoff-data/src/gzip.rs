//! gzip: one member or several, and zeros behind the last as tapes have them.

use std::io::{self, BufRead, Read};

use flate2::bufread::GzDecoder;

/// What a member begins with.
const MARK: u8 = 0x1f;

/// Decompresses all members one after another.
pub(crate) struct Gzip<R> {
    member: Option<GzDecoder<R>>,
}

impl<R: BufRead> Gzip<R> {
    pub(crate) fn new(raw: R) -> Self {
        Gzip {
            member: Some(GzDecoder::new(raw)),
        }
    }
}

impl<R: BufRead> Read for Gzip<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        while let Some(member) = &mut self.member {
            let read = member.read(buffer)?;
            if read > 0 || buffer.is_empty() {
                return Ok(read);
            }
            let more = another_follows(member.get_mut())?;
            let ended = self.member.take().filter(|_| more);
            self.member = ended.map(|member| GzDecoder::new(member.into_inner()));
        }
        Ok(0)
    }
}

/// Whether a member follows the one that ended.
fn another_follows(raw: &mut impl BufRead) -> io::Result<bool> {
    let mut padded = false;
    loop {
        let bytes = raw.fill_buf()?;
        let zeros = bytes.iter().take_while(|&&byte| byte == 0).count();
        padded |= zeros > 0;
        match bytes.get(zeros) {
            None if bytes.is_empty() => return Ok(false),
            None => raw.consume(zeros),
            Some(&MARK) if !padded => return Ok(true),
            Some(_) => {
                let what = "something that is not gzip data follows it";
                return Err(io::Error::new(io::ErrorKind::InvalidData, what));
            }
        }
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use std::io::{BufReader, Read as _, Write as _};

    use super::Gzip;

    #[test]
    fn members_may_be_followed_by_zeros_and_nothing_else() {
        let member = |text: &[u8]| {
            let mut gzip = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
            gzip.write_all(text).unwrap();
            gzip.finish().unwrap()
        };
        let two = [member(b"ab"), member(b""), member(b"c")].concat();
        for (tail, sound) in [
            (&b""[..], true),
            (&[0; 3], true),
            (&[0; 1000], true),
            (b"x", false),
            (b"\0\0x", false),
            (b"\0\x1f\x8b", false),
            (b"\x1f", false),
        ] {
            for room in [1, 3, 8192] {
                let packed = [&two, tail].concat();
                let mut text = String::new();
                let mut gzip = Gzip::new(BufReader::with_capacity(room, &packed[..]));
                let read = gzip.read_to_string(&mut text);
                assert_eq!(read.is_ok(), sound, "{tail:?}");
                if sound {
                    assert_eq!(text, "abc");
                    assert_eq!(gzip.read(&mut [0]).unwrap(), 0);
                }
            }
        }
    }
}
