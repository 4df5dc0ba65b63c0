//! `load FILE [--threads N] [--stream]`: reads a file into memory, or block by block as a run does, and
//! says how long it took.
#![allow(clippy::print_stdout)] // it is what the example is for

use std::error::Error;
use std::time::Instant;

use novikoff::rows::Rows;
use novikoff::source::Source as _;
use novikoff_data::blocks::{Input, ReadOptions, Reader};

fn main() -> Result<(), Box<dyn Error>> {
    let usage = "usage: load FILE [--threads N] [--stream]";
    let mut words = std::env::args().skip(1);
    let file = words.next().ok_or(usage)?;
    let (mut threads, mut stream) = (1, false);
    while let Some(word) = words.next() {
        match &*word {
            "--threads" => threads = words.next().ok_or(usage)?.parse()?,
            "--stream" => stream = true,
            _ => return Err(usage.into()),
        }
    }
    let begun = Instant::now();
    let input = if file == "-" {
        Input::Stdin
    } else {
        Input::Path(file.into())
    };
    let mut reader = Reader::open(vec![input], ReadOptions::default(), threads)?;
    let mut kept = Rows::new();
    let (mut rows, mut values) = (0, 0);
    while let Some(block) = reader.next_block()? {
        rows += block.len();
        values += block.values();
        if !stream {
            kept.append(block, 0);
        }
    }
    let seconds = begun.elapsed().as_secs_f64();
    println!("rows {rows} values {values} seconds {seconds:.4}");
    Ok(())
}
