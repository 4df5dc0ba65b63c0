#![no_main]

use libfuzzer_sys::fuzz_target;
use novikoff_fuzz_entries::{body_arrow, memory::Limited};

#[global_allocator]
static ALLOCATOR: Limited = Limited;

fuzz_target!(|data: &[u8]| body_arrow(data));
