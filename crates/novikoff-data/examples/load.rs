//! `load FILE [--threads N]`: reads a file into memory and says how long it took.
#![allow(clippy::print_stdout)] // it is what the example is for

use std::error::Error;
use std::time::Instant;

use novikoff::rows::Rows;
use novikoff::source::Source as _;
use novikoff_data::blocks::{Input, ReadOptions, Reader};

fn main() -> Result<(), Box<dyn Error>> {
    let mut words = std::env::args().skip(1);
    let usage = "usage: load FILE [--threads N]";
    let file = words.next().ok_or(usage)?;
    let threads = match (words.next().as_deref(), words.next()) {
        (None, _) => 1,
        (Some("--threads"), Some(n)) => n.parse()?,
        _ => return Err(usage.into()),
    };
    let begun = Instant::now();
    let input = if file == "-" {
        Input::Stdin
    } else {
        Input::Path(file.into())
    };
    let mut reader = Reader::open(vec![input], ReadOptions::default(), threads)?;
    let mut rows = Rows::new();
    while let Some(block) = reader.next_block()? {
        rows.append(block, 0);
    }
    let seconds = begun.elapsed().as_secs_f64();
    println!(
        "rows {} values {} seconds {seconds:.4}",
        rows.len(),
        rows.values()
    );
    Ok(())
}
