#![no_main]

use libfuzzer_sys::fuzz_target;
use novikoff_fuzz_entries::{body, memory::Limited};

#[global_allocator]
static ALLOCATOR: Limited = Limited;

fuzz_target!(|data: &[u8]| body(data));
