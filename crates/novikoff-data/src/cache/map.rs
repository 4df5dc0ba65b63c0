//! Files mapped into memory.

use std::fs::File;
use std::io;

use memmap2::{Mmap, MmapOptions};

/// Maps the first `length` bytes of a regular file.
#[allow(unsafe_code)]
pub(super) fn map(file: &File, length: usize) -> io::Result<Mmap> {
    // SAFETY: the bytes must stay as they are while they are mapped. We never write a cache in place:
    // a new one takes its name by a rename, and a temporary one has no name. Should another program
    // write into the file all the same, what is read is plain numbers, for which every pattern of
    // bits is a value, and every use of them as a place is checked; should it cut the file short, the
    // system ends the process (SIGBUS) as it does for every mapped file.
    unsafe { MmapOptions::new().len(length).map(file) }
}
