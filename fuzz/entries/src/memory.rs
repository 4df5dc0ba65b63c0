//! An allocator that ends the process once more memory is in use than any small input may take.

// the exception to `unsafe_code = "deny"`: an allocator cannot be written without it
#![allow(unsafe_code)]

use std::alloc::{GlobalAlloc, Layout, System};
use std::io::Write as _;
use std::sync::atomic::{AtomicUsize, Ordering};

/// How many bytes may be in use at a time.
pub const LIMIT: usize = 256 << 20;

static USED: AtomicUsize = AtomicUsize::new(0);

/// The system's allocator, up to [`LIMIT`].
pub struct Limited;

fn take(bytes: usize) {
    // a sum: nothing is ordered by it
    let used = USED.fetch_add(bytes, Ordering::Relaxed);
    if used.saturating_add(bytes) > LIMIT {
        // an allocator must not unwind, nor allocate
        let _ = std::io::stderr().write_all(b"more memory in use than any input may take\n");
        std::process::abort();
    }
}

fn give_back(bytes: usize) {
    USED.fetch_sub(bytes, Ordering::Relaxed);
}

// SAFETY: every call is passed on to the system's allocator unchanged; counting does not allocate.
unsafe impl GlobalAlloc for Limited {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        take(layout.size());
        // SAFETY: the caller's promise is the one required.
        unsafe { System.alloc(layout) }
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        take(layout.size());
        // SAFETY: the caller's promise is the one required.
        unsafe { System.alloc_zeroed(layout) }
    }

    unsafe fn realloc(&self, old: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        take(size);
        give_back(layout.size());
        // SAFETY: the caller's promise is the one required.
        unsafe { System.realloc(old, layout, size) }
    }

    unsafe fn dealloc(&self, old: *mut u8, layout: Layout) {
        give_back(layout.size());
        // SAFETY: the caller's promise is the one required.
        unsafe { System.dealloc(old, layout) }
    }
}
