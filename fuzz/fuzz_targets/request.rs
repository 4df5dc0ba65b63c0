#![no_main]

use libfuzzer_sys::fuzz_target;
use novikoff_fuzz_entries::{memory::Limited, request};

#[global_allocator]
static ALLOCATOR: Limited = Limited;

fuzz_target!(|data: &[u8]| request(data));
